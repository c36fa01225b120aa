//! Containers of all sorts.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::names::{is_valid_port_name, is_valid_port_num};
use crate::api::order;
use crate::api::types as t;

use super::field::{Errors, FieldError, Path};
use super::meta::invalid_each;
use super::{env, list, mounts, names, probe, resources, security, text};

/// What the containers of a pod are checked against.
pub(in crate::apiserver) struct PodScope<'a> {
    /// The pod.
    pub spec: &'a t::PodSpec,
    /// Its valid volumes by name.
    pub volumes: BTreeMap<&'a str, &'a t::Volume>,
    /// The names of its resource claims.
    pub claims: BTreeSet<&'a str>,
}

impl PodScope<'_> {
    fn grace(&self) -> Option<i64> {
        self.spec.termination_grace_period_seconds
    }
}

/// The protocol of a port.
pub(in crate::apiserver) fn protocol(errs: &mut Errors, protocol: &str, path: &Path) {
    match protocol {
        "TCP" | "UDP" | "SCTP" => {}
        "" => errs.push(FieldError::required(path, "")),
        other => errs.push(FieldError::not_supported(path, other, &["SCTP", "TCP", "UDP"])),
    }
}

/// When an image is pulled.
pub(in crate::apiserver) fn pull_policy(errs: &mut Errors, policy: &str, path: &Path) {
    match policy {
        "Always" | "IfNotPresent" | "Never" => {}
        "" => errs.push(FieldError::required(path, "")),
        other => {
            let policies = ["Always", "IfNotPresent", "Never"];
            errs.push(FieldError::not_supported(path, other, &policies));
        }
    }
}

fn ports(errs: &mut Errors, ports: &[t::ContainerPort], path: &Path) {
    let mut seen = BTreeSet::new();
    for (i, port) in ports.iter().enumerate() {
        let at = path.index(i);
        let name = text(&port.name);
        if !name.is_empty() {
            let messages = is_valid_port_name(name);
            if !messages.is_empty() {
                invalid_each(errs, &at.child("name"), name, messages);
            } else if !seen.insert(name) {
                errs.push(FieldError::duplicate(&at.child("name"), name));
            }
        }
        let number = port.container_port;
        if number == 0 {
            errs.push(FieldError::required(&at.child("containerPort"), ""));
        } else {
            let messages = is_valid_port_num(number.into()).into_iter();
            errs.extend(messages.map(|m| FieldError::invalid(&at.child("containerPort"), number, m)));
        }
        if let Some(host) = port.host_port.filter(|p| *p != 0) {
            let messages = is_valid_port_num(host.into()).into_iter();
            errs.extend(messages.map(|m| FieldError::invalid(&at.child("hostPort"), host, m)));
        }
        protocol(errs, text(&port.protocol), &at.child("protocol"));
    }
}

/// Two containers that run at once cannot have the same port of the host.
fn host_ports(errs: &mut Errors, containers: &[t::Container], path: &Path) {
    let mut seen = BTreeSet::new();
    for (i, container) in containers.iter().enumerate() {
        for (j, port) in list(&container.ports).iter().enumerate() {
            let Some(host) = port.host_port.filter(|p| *p != 0) else { continue };
            let key = format!("{}/{}/{host}", text(&port.protocol), text(&port.host_ip));
            if seen.contains(&key) {
                let at = path.index(i).child("ports").index(j).child("hostPort");
                errs.push(FieldError::duplicate(&at, &key));
            } else {
                seen.insert(key);
            }
        }
    }
}

fn resize_policy(errs: &mut Errors, container: &t::Container, pod: &t::PodSpec, path: &Path) {
    let mut seen = BTreeSet::new();
    for (i, policy) in list(&container.resize_policy).iter().enumerate() {
        if !seen.insert(&policy.resource_name) {
            errs.push(FieldError::duplicate(&path.index(i), &policy.resource_name));
        }
        match policy.resource_name.as_str() {
            "cpu" | "memory" => {}
            "" => errs.push(FieldError::required(path, "")),
            other => errs.push(FieldError::not_supported(path, other, &["cpu", "memory"])),
        }
        match policy.restart_policy.as_str() {
            "NotRequired" | "RestartContainer" => {}
            "" => errs.push(FieldError::required(path, "")),
            other => {
                errs.push(FieldError::not_supported(path, other, &["NotRequired", "RestartContainer"]));
            }
        }
        if text(&pod.restart_policy) == "Never" && policy.restart_policy != "NotRequired" {
            errs.push(FieldError::invalid(
                path,
                &policy.restart_policy,
                "must be 'NotRequired' when pod `restartPolicy` is 'Never'",
            ));
        }
    }
}

/// What holds for containers of every sort.
fn common(errs: &mut Errors, container: &t::Container, scope: &PodScope<'_>, path: &Path) {
    if container.name.is_empty() {
        errs.push(FieldError::required(&path.child("name"), ""));
    } else {
        invalid_each(errs, &path.child("name"), &container.name, names::dns1123_label(&container.name));
    }
    if text(&container.image).is_empty() {
        errs.push(FieldError::required(&path.child("image"), ""));
    }
    let at = path.child("terminationMessagePolicy");
    match text(&container.termination_message_policy) {
        "File" | "FallbackToLogsOnError" => {}
        "" => errs.push(FieldError::required(&at, "")),
        other => errs.push(FieldError::not_supported(&at, other, &["File", "FallbackToLogsOnError"])),
    }
    ports(errs, list(&container.ports), &path.child("ports"));
    env::env(errs, list(&container.env), &path.child("env"));
    env::env_from(errs, list(&container.env_from), &path.child("envFrom"));
    mounts::mounts(errs, container, &scope.volumes, &path.child("volumeMounts"));
    mounts::devices(errs, container, &scope.volumes, &path.child("volumeDevices"));
    pull_policy(errs, text(&container.image_pull_policy), &path.child("imagePullPolicy"));
    if let Some(r) = &container.resources {
        resources::requirements(errs, r, &scope.claims, &path.child("resources"));
    }
    resize_policy(errs, container, scope.spec, &path.child("resizePolicy"));
    let host_users = scope.spec.host_users.unwrap_or(true);
    let security = container.security_context.as_ref();
    security::container(errs, security, host_users, &path.child("securityContext"));
}

/// When a container is started again, and by which exit codes (KEP-5307).
fn restart_rules(errs: &mut Errors, container: &t::Container, path: &Path) {
    let rules = list(&container.restart_policy_rules);
    let at = path.child("restartPolicy");
    match &container.restart_policy {
        None if !rules.is_empty() => {
            let message = "must specify restartPolicy when restart rules are used";
            errs.push(FieldError::required(&at, message));
        }
        Some(policy) if !matches!(policy.as_str(), "Always" | "Never" | "OnFailure") => {
            errs.push(FieldError::not_supported(&at, policy, &["Always", "Never", "OnFailure"]));
        }
        _ => {}
    }
    let at = path.child("restartPolicyRules");
    if rules.len() > 20 {
        errs.push(FieldError::too_many(&at, rules.len(), 20));
    }
    for (i, rule) in rules.iter().enumerate() {
        let at = at.index(i);
        if !matches!(rule.action.as_str(), "Restart" | "RestartAllContainers") {
            let actions = ["Restart", "RestartAllContainers"];
            errs.push(FieldError::not_supported(&at.child("action"), &rule.action, &actions));
        }
        let at = at.child("exitCodes");
        match &rule.exit_codes {
            None => errs.push(FieldError::required(&at, "must be specified")),
            Some(codes) => {
                if !matches!(codes.operator.as_str(), "In" | "NotIn") {
                    let at = at.child("operator");
                    errs.push(FieldError::not_supported(&at, &codes.operator, &["In", "NotIn"]));
                }
                let values = list(&codes.values);
                if values.len() > 255 {
                    errs.push(FieldError::too_many(&at.child("values"), values.len(), 255));
                }
            }
        }
    }
}

/// The containers that make up the pod.
pub(in crate::apiserver) fn containers(errs: &mut Errors, scope: &PodScope<'_>, path: &Path) {
    let containers = &scope.spec.containers;
    if containers.is_empty() {
        errs.push(FieldError::required(path, ""));
        return;
    }
    let mut seen = BTreeSet::new();
    for (i, container) in containers.iter().enumerate() {
        let at = path.index(i);
        common(errs, container, scope, &at);
        if !seen.insert(&container.name) {
            errs.push(FieldError::duplicate(&at.child("name"), &container.name));
        }
        let lifecycle = container.lifecycle.as_ref();
        probe::lifecycle(errs, lifecycle, scope.grace(), &at.child("lifecycle"));
        probe::probes(errs, container, &at);
        restart_rules(errs, container, &at);
    }
    host_ports(errs, containers, path);
}

/// The containers that run before, sidecars among them.
pub(in crate::apiserver) fn init_containers(errs: &mut Errors, scope: &PodScope<'_>, path: &Path) {
    let mut seen: BTreeSet<&str> = order::gather(scope.spec.containers.iter().map(|c| c.name.as_str()));
    for (i, container) in list(&scope.spec.init_containers).iter().enumerate() {
        let at = path.index(i);
        common(errs, container, scope, &at);
        restart_rules(errs, container, &at);
        if !seen.insert(&container.name) && !container.name.is_empty() {
            errs.push(FieldError::duplicate(&at.child("name"), &container.name));
        }
        // One at a time: only its own ports can collide. Kubernetes names the first container then.
        host_ports(errs, std::slice::from_ref(container), path);
        if container.restart_policy.as_deref() == Some("Always") {
            let lifecycle = container.lifecycle.as_ref();
            probe::lifecycle(errs, lifecycle, scope.grace(), &at.child("lifecycle"));
            probe::probes(errs, container, &at);
            continue;
        }
        for (name, set) in [
            ("lifecycle", container.lifecycle.is_some()),
            ("livenessProbe", container.liveness_probe.is_some()),
            ("readinessProbe", container.readiness_probe.is_some()),
            ("startupProbe", container.startup_probe.is_some()),
        ] {
            if set {
                let message = "may not be set for init containers without restartPolicy=Always";
                errs.push(FieldError::forbidden(&at.child(name), message));
            }
        }
        let policies = list(&container.resize_policy).iter().enumerate();
        for (j, _) in policies.filter(|(_, p)| p.restart_policy == "RestartContainer") {
            let message = "must not be set to 'RestartContainer' for non-sidecar initContainers";
            let path = at.child("resizePolicy").index(j).child("restartPolicy");
            errs.push(FieldError::invalid(&path, "RestartContainer", message));
        }
    }
}

/// An image in a Pod, other than in a template, may not have blanks around it.
pub(in crate::apiserver) fn image_blanks(errs: &mut Errors, image: &str, path: &Path) {
    if image.trim() != image {
        let message = "must not have leading or trailing whitespace";
        errs.push(FieldError::invalid(&path.child("image"), image, message));
    }
}

/// The containers added to a running pod.
pub(in crate::apiserver) fn ephemeral_containers(errs: &mut Errors, scope: &PodScope<'_>, path: &Path) {
    let spec = scope.spec;
    let others: BTreeSet<&str> =
        spec.containers.iter().chain(list(&spec.init_containers)).map(|c| c.name.as_str()).collect();
    let mut seen = others.clone();
    for (i, ephemeral) in list(&spec.ephemeral_containers).iter().enumerate() {
        let at = path.index(i);
        let container = crate::api::pod::of_ephemeral(ephemeral);
        common(errs, &container, scope, &at);
        image_blanks(errs, text(&container.image), &at);
        if !seen.insert(&ephemeral.name) {
            errs.push(FieldError::duplicate(&at.child("name"), &ephemeral.name));
        }
        let target = text(&ephemeral.target_container_name);
        if !target.is_empty() && !others.contains(target) {
            errs.push(FieldError::not_found(&at.child("targetContainerName"), target));
        }
        let never = "cannot be set for an Ephemeral Container";
        let no_resources = t::ResourceRequirements::default();
        for (name, set) in [
            ("ports", container.ports.is_some()),
            ("resources", container.resources.as_ref().is_some_and(|r| *r != no_resources)),
            ("resizePolicy", container.resize_policy.is_some()),
            ("restartPolicy", container.restart_policy.is_some()),
            ("restartPolicyRules", container.restart_policy_rules.is_some()),
            ("livenessProbe", container.liveness_probe.is_some()),
            ("readinessProbe", container.readiness_probe.is_some()),
            ("startupProbe", container.startup_probe.is_some()),
            ("lifecycle", container.lifecycle.is_some()),
        ] {
            if set {
                errs.push(FieldError::forbidden(&at.child(name), never));
            }
        }
        for (j, mount) in list(&container.volume_mounts).iter().enumerate() {
            let at = at.child("volumeMounts").index(j);
            for (name, value) in [("subPath", &mount.sub_path), ("subPathExpr", &mount.sub_path_expr)] {
                if !text(value).is_empty() {
                    errs.push(FieldError::forbidden(&at.child(name), never));
                }
            }
        }
    }
}
