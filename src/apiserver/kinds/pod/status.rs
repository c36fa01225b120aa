//! Validation of an update of a Pod's status (`ValidatePodStatusUpdate` in `pkg/apis/core/validation/validation.go`).

use std::collections::BTreeSet;

use crate::api::Shared;
use crate::api::names::inclusive_range_error;
use crate::api::types as t;

use super::update;
use crate::apiserver::validation::field::{BadValue, Errors, FieldError, Path, go_json_string};
use crate::apiserver::validation::meta::{IMMUTABLE, label_name};
use crate::apiserver::validation::{ip, list, or_default, security, text};
use crate::apiserver::warnings;

/// The longest text about the health of a device, in bytes (`ResourceHealthMessageMaxLength`).
const MAX_HEALTH_MESSAGE: usize = 1024;

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

/// The statuses of containers of every sort.
fn containers(status: &t::PodStatus) -> impl Iterator<Item = &t::ContainerStatus> {
    [&status.container_statuses, &status.init_container_statuses, &status.ephemeral_container_statuses]
        .into_iter()
        .flat_map(list)
}

/// Whether the status says something about volumes of images, which is a feature that is off by default.
fn tells_of_images(status: &t::PodStatus) -> bool {
    containers(status).flat_map(|c| list(&c.volume_mounts)).any(|m| m.volume_status.is_some())
}

/// Drops what belongs to features that are off by default, unless the old status has it
/// (`dropDisabledPodStatusFields` in `pkg/api/pod/util.go`). A status without it stays shared.
pub(in crate::apiserver) fn drop_disabled(new: &mut Shared<t::PodStatus>, old: Option<&t::PodStatus>) {
    // DRANodeAllocatableResources
    let claims = |s: &t::PodStatus| s.node_allocatable_resource_claim_statuses.is_some();
    let had = old.is_some_and(|o| !list(&o.node_allocatable_resource_claim_statuses).is_empty());
    if claims(new) && !had {
        new.node_allocatable_resource_claim_statuses = None;
    }
    // ImageVolumeWithDigest
    if tells_of_images(new) && !old.is_some_and(tells_of_images) {
        let status = &mut **new;
        let all = [
            &mut status.container_statuses,
            &mut status.init_container_statuses,
            &mut status.ephemeral_container_statuses,
        ];
        let mounts = all.into_iter().flatten().flatten().flat_map(|c| &mut c.volume_mounts).flatten();
        mounts.for_each(|mount| mount.volume_status = None);
    }
}

/// Warns of the addresses in a new status that are not in their canonical form (`WarningsOnUpdate` of the status strategy in
/// `pkg/registry/core/pod/strategy.go`).
pub(in crate::apiserver) fn warn_of_status(out: &mut Vec<String>, pod: &t::Pod) {
    let Some(status) = &pod.status else { return };
    let path = Path::new("status");
    for (i, address) in list(&status.pod_ips).iter().enumerate() {
        warnings::ip(out, &address.ip, &path.child("podIPs").index(i).child("ip"));
    }
    for (i, address) in list(&status.host_ips).iter().enumerate() {
        warnings::ip(out, &address.ip, &path.child("hostIPs").index(i).child("ip"));
    }
}

/// Puts back the generations that a new status does not name, its own and those of its conditions
/// (`preserveOldObservedGeneration` in `pkg/registry/core/pod/strategy.go`). There may be several conditions of one type, and
/// these are compared in order. A status that names them all stays shared.
pub(in crate::apiserver) fn preserve_observed_generation(new: &mut Shared<t::PodStatus>, old: &t::PodStatus) {
    let is_set = |generation: Option<i64>| generation.unwrap_or_default() != 0;
    if !is_set(new.observed_generation) && is_set(old.observed_generation) {
        new.observed_generation = old.observed_generation;
    }
    let conditions = list(&new.conditions);
    let kept = |(i, condition): (usize, &t::PodCondition)| {
        let same = |c: &&t::PodCondition| c.type_ == condition.type_;
        let nth = conditions.iter().take(i).filter(same).count();
        let before = list(&old.conditions).iter().filter(same).nth(nth)?.observed_generation;
        (is_set(before) && !is_set(condition.observed_generation)).then_some((i, before))
    };
    let kept: Vec<(usize, Option<i64>)> = conditions.iter().enumerate().filter_map(kept).collect();
    for (i, generation) in kept {
        if let Some(condition) = new.conditions.as_mut().and_then(|c| c.get_mut(i)) {
            condition.observed_generation = generation;
        }
    }
}

/// Validates a new status of the pod `old`.
pub(in crate::apiserver) fn status(errs: &mut Errors, status: &t::PodStatus, old: &t::Pod) {
    let none = Default::default();
    let before = or_default(&old.status, &none);
    const NATURAL: &str = "must be a non-negative integer";
    let path = Path::new("status");
    for (i, condition) in list(&status.conditions).iter().enumerate() {
        // Paths are made only for what is refused: a kubelet's report comes often.
        let at = || path.child("conditions").index(i);
        if let Some(generation) = condition.observed_generation.filter(|g| *g < 0) {
            errs.push(FieldError::invalid(&at().child("observedGeneration"), generation, NATURAL));
        }
        if !matches!(condition.type_.as_str(), "PodScheduled" | "Ready" | "Initialized") {
            label_name(errs, &condition.type_, &at().child("Type"));
        }
    }
    let none = Default::default();
    let spec_before = or_default(&old.spec, &none);
    let nominated = text(&status.nominated_node_name);
    if nominated != text(&before.nominated_node_name) && !nominated.is_empty() {
        let at = path.child("nominatedNodeName");
        security::dns_name(errs, nominated, &at);
        if old.node_name().is_some_and(|n| !n.is_empty()) {
            let message = "may not be set on pods that are already bound to a node";
            errs.push(FieldError::forbidden(&at, message));
        }
    }
    if let Some(generation) = status.observed_generation.filter(|g| *g < 0) {
        errs.push(FieldError::invalid(&path.child("observedGeneration"), generation, NATURAL));
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
    let pod_ips =
        |s: &t::PodStatus| -> Vec<String> { list(&s.pod_ips).iter().map(|p| p.ip.clone()).collect() };
    addresses(errs, &pod_ips(status), &pod_ips(before), &path.child("podIPs"));
    let host_ips =
        |s: &t::PodStatus| -> Vec<String> { list(&s.host_ips).iter().map(|p| p.ip.clone()).collect() };
    let ips = host_ips(status);
    if let Some(first) = ips.first()
        && text(&status.host_ip) != first
    {
        let at = path.child("hostIPs").index(0).child("ip");
        errs.push(FieldError::invalid(&at, first, "must be equal to `hostIP`"));
    }
    addresses(errs, &ips, &host_ips(before), &path.child("hostIPs"));
    let os = spec_before.os.as_ref().map_or("linux", |os| os.name.as_str());
    users(errs, list(&status.container_statuses), os, &path.child("containerStatuses"));
    users(errs, list(&status.init_container_statuses), os, &path.child("initContainerStatuses"));
    users(errs, list(&status.ephemeral_container_statuses), os, &path.child("ephemeralContainerStatuses"));
    let at = path.child("containerStatuses");
    allocated_resources(errs, list(&status.container_statuses), &spec_before.containers, &at);
    let inits = list(&spec_before.init_containers);
    let at = path.child("initContainerStatuses");
    allocated_resources(errs, list(&status.init_container_statuses), inits, &at);
    for (i, container) in list(&status.ephemeral_container_statuses).iter().enumerate() {
        if !list(&container.allocated_resources_status).is_empty() {
            let at = path.child("ephemeralContainerStatuses").index(i).child("allocatedResourcesStatus");
            errs.push(FieldError::forbidden(&at, "must not be specified in container status"));
        }
    }
}

/// Validates the health of the devices that containers have: a resource is one that the container requests, and each of its
/// devices is there once (`validateContainerStatusAllocatedResourcesStatus`). A container that the pod does not have is
/// passed over.
fn allocated_resources(
    errs: &mut Errors,
    statuses: &[t::ContainerStatus],
    containers: &[t::Container],
    path: &Path,
) {
    for (i, status) in statuses.iter().enumerate() {
        let container = containers.iter().find(|c| c.name == status.name);
        for (j, allocated) in list(&status.allocated_resources_status).iter().enumerate() {
            let at = path.index(i).child("allocatedResourcesStatus").index(j);
            if let Some(message) = container.and_then(|c| not_requested(c, &allocated.name)) {
                errs.push(FieldError::invalid(&at.child("name"), &allocated.name, message));
            }
            let mut seen = BTreeSet::new();
            for (k, device) in list(&allocated.resources).iter().enumerate() {
                let at = at.child("resources").index(k);
                let health = text(&device.health);
                if !matches!(health, "Healthy" | "Unhealthy" | "Unknown") {
                    let known = ["Healthy", "Unhealthy", "Unknown"];
                    errs.push(FieldError::not_supported(&at.child("health"), health, &known));
                }
                let at_message = at.child("message");
                match device.message.as_deref() {
                    Some("") => {
                        errs.push(FieldError::required(&at_message, "must be non-empty if specified"))
                    }
                    Some(message) if message.len() > MAX_HEALTH_MESSAGE => {
                        errs.push(FieldError::too_long(&at_message, MAX_HEALTH_MESSAGE));
                    }
                    _ => {}
                }
                if !seen.insert(&device.resource_id) {
                    errs.push(FieldError::duplicate(&at.child("resourceID"), device.resource_id.as_str()));
                }
            }
        }
    }
}

/// Why a container cannot have been allocated a resource or, with `claim:` in front of it, a claim; `None` if it can.
fn not_requested(container: &t::Container, name: &str) -> Option<&'static str> {
    let resources = container.resources.as_ref();
    if name.starts_with("claim:") {
        let named = |c: &t::ContainerResourceClaim| match text(&c.request) {
            "" => format!("claim:{}", c.name),
            request => format!("claim:{}/{request}", c.name),
        };
        let found = resources.is_some_and(|r| list(&r.claims).iter().any(|c| named(c) == name));
        return (!found).then_some(
            "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty",
        );
    }
    let requested = resources.is_some_and(|r| r.requests.iter().any(|list| list.contains_key(name)));
    (!requested).then_some("must match one of the container's resource requests")
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

/// Validates the addresses of a pod or of its host. Those that it had need not be mended (`validatePodIPs`,
/// `validateHostIPs`).
fn addresses(errs: &mut Errors, ips: &[String], before: &[String], path: &Path) {
    for (i, address) in ips.iter().enumerate() {
        ip::kept_ip(errs, address, before.iter(), &path.index(i));
    }
    if ips.len() > 1 && (!ip::is_dual_stack(ips) || ips.len() > 2) {
        let message = "may specify no more than one IP for each IP family";
        let items: Vec<String> = ips.iter().map(|ip| format!("{{\"IP\":{}}}", go_json_string(ip))).collect();
        let value = BadValue::Json(format!("[{}]", items.join(",")));
        errs.push(FieldError::invalid(path, value, message));
    }
}

/// Validates as whom containers run (`validateContainerStatusUsers`). Of operating systems that Kubernetes does not know
/// nothing is asked.
fn users(errs: &mut Errors, statuses: &[t::ContainerStatus], os: &str, path: &Path) {
    for (i, status) in statuses.iter().enumerate() {
        let Some(user) = status.user.as_ref().and_then(|u| u.linux.as_ref()) else { continue };
        let at = path.index(i).child("user").child("linux");
        if os == "windows" {
            errs.push(FieldError::forbidden(&at, "cannot be set for a windows pod"));
        }
        if os != "linux" {
            continue;
        }
        let mut in_range = |id: i64, at: &Path| {
            let max = i64::from(i32::MAX);
            if !(0..=max).contains(&id) {
                errs.push(FieldError::invalid(at, id, inclusive_range_error(0, max)));
            }
        };
        in_range(user.uid, &at.child("uid"));
        in_range(user.gid, &at.child("gid"));
        for (j, group) in list(&user.supplemental_groups).iter().enumerate() {
            in_range(*group, &at.child("supplementalGroups").index(j));
        }
    }
}
