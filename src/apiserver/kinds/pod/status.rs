//! Validation of an update of a Pod's status (`ValidatePodStatusUpdate` in `pkg/apis/core/validation/validation.go`).

use crate::api::types as t;

use super::update;
use crate::apiserver::validation::field::{BadValue, Errors, FieldError, Path, json_strings};
use crate::apiserver::validation::meta::{IMMUTABLE, label_name};
use crate::apiserver::validation::{ip, list, or_default, security, text};

pub(in crate::apiserver) fn update(errs: &mut Errors, new: &t::Pod, old: &t::Pod) {
    update::metadata(errs, new, old);
    update::annotations(errs, new, old);
    let none = Default::default();
    status(errs, new.status.as_deref().unwrap_or(&none), old);
    let node = |pod: &t::Pod| pod.spec.as_ref().and_then(|s| s.node_name.clone()).unwrap_or_default();
    if node(new) != node(old) {
        let at = Path::new("status").child("nodeName");
        errs.push(FieldError::forbidden(&at, "may not be changed directly"));
    }
}

/// Validates a new status of the pod `old`.
pub(in crate::apiserver) fn status(errs: &mut Errors, status: &t::PodStatus, old: &t::Pod) {
    let none = Default::default();
    let before = or_default(&old.status, &none);
    for (i, condition) in list(&status.conditions).iter().enumerate() {
        if !matches!(condition.type_.as_str(), "PodScheduled" | "Ready" | "Initialized") {
            // Kubernetes reports conditions under `metadata`.
            let at = Path::new("metadata").child("conditions").index(i).child("Type");
            label_name(errs, &condition.type_, &at);
        }
    }
    let path = Path::new("status");
    let none = Default::default();
    let spec_before = or_default(&old.spec, &none);
    let nominated = text(&status.nominated_node_name);
    if nominated != text(&before.nominated_node_name) && !nominated.is_empty() {
        security::dns_name(errs, nominated, &path.child("nominatedNodeName"));
    }
    let class = text(&status.qos_class);
    if class != text(&before.qos_class) {
        let value = BadValue::Str(class.to_owned());
        errs.push(FieldError::invalid(&path.child("qosClass"), value, IMMUTABLE));
    }
    // With a rule that restarts all containers, no container's end is final (`AllContainersCouldRestart`).
    let all = list(&spec_before.init_containers).iter().chain(&spec_before.containers);
    let mut rules = all.flat_map(|c| list(&c.restart_policy_rules));
    let restarts_all = rules.any(|r| r.action == "RestartAllContainers");
    let policy = if restarts_all { "Always" } else { text(&spec_before.restart_policy) };
    states(
        errs,
        list(&status.container_statuses),
        list(&before.container_statuses),
        policy,
        &spec_before.containers,
        &path.child("containerStatuses"),
    );
    states(
        errs,
        list(&status.init_container_statuses),
        list(&before.init_container_statuses),
        policy,
        list(&spec_before.init_containers),
        &path.child("initContainerStatuses"),
    );
    states(
        errs,
        list(&status.ephemeral_container_statuses),
        list(&before.ephemeral_container_statuses),
        "Never",
        &[],
        &path.child("ephemeralContainerStatuses"),
    );
    let ips: Vec<String> = list(&status.pod_ips).iter().map(|p| p.ip.clone()).collect();
    addresses(errs, &ips, &path.child("podIPs"));
    let ips: Vec<String> = list(&status.host_ips).iter().map(|p| p.ip.clone()).collect();
    if let Some(first) = ips.first()
        && text(&status.host_ip) != first
    {
        let at = path.child("hostIPs").index(0).child("ip");
        errs.push(FieldError::invalid(&at, first, "must be equal to `hostIP`"));
    }
    addresses(errs, &ips, &path.child("hostIPs"));
}

/// Whether a container may be started again after it ended with `code`: by one of its own rules, by its own policy or by
/// `policy`, that of its pod (`ContainerRestartRules`).
fn may_restart(container: Option<&t::Container>, policy: &str, code: i32) -> bool {
    let by_rule = container.is_some_and(|c| {
        list(&c.restart_policy_rules).iter().any(|rule| {
            let Some(codes) = &rule.exit_codes else { return false };
            let listed = list(&codes.values).contains(&code);
            rule.action == "Restart" && listed == (codes.operator != "NotIn")
        })
    });
    let own = container.map(|c| text(&c.restart_policy)).filter(|p| !p.is_empty());
    by_rule
        || match own.unwrap_or(policy) {
            "Always" => true,
            "OnFailure" => code != 0,
            _ => false,
        }
}

/// Refuses that a container which may not be started again leaves the state `terminated`.
fn states(
    errs: &mut Errors,
    new: &[t::ContainerStatus],
    old: &[t::ContainerStatus],
    policy: &str,
    containers: &[t::Container],
    path: &Path,
) {
    if policy == "Always" {
        return;
    }
    let terminated = |s: &t::ContainerStatus| {
        s.state.as_ref().and_then(|state| state.terminated.as_ref()).map(|t| t.exit_code)
    };
    for (i, old) in old.iter().enumerate() {
        let Some(code) = terminated(old) else { continue };
        if may_restart(containers.iter().find(|c| c.name == old.name), policy, code) {
            continue;
        }
        for _ in new.iter().filter(|n| n.name == old.name && terminated(n).is_none()) {
            let message = "may not be transitioned to non-terminated state";
            errs.push(FieldError::forbidden(&path.index(i).child("state"), message));
        }
    }
}

fn addresses(errs: &mut Errors, ips: &[String], path: &Path) {
    for (i, address) in ips.iter().enumerate() {
        ip::legacy_ip(errs, address, &path.index(i));
    }
    if ips.len() > 1 && (!ip::is_dual_stack(ips) || ips.len() > 2) {
        let message = "may specify no more than one IP for each IP family";
        errs.push(FieldError::invalid(path, json_strings(ips), message));
    }
}
