//! Pods.

use super::super::invocation::{Invocation, Result};
use super::containers::{self, Of};
use super::{Writer, annotations, moment, volumes};
use crate::api::types::{Container, EphemeralContainer, Pod};
use crate::api::{MetaExt, Object};

pub(in super::super) fn pod(cx: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(pod) = object.get::<Pod>() else { return Ok(true) };
    let spec = pod.whole_spec().into_owned();
    let status = pod.status.clone().unwrap_or_default();
    let some = |t: &Option<String>| t.clone().filter(|t| !t.is_empty());
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("Namespace:\t{}", object.namespace()));
    if let Some(p) = spec.priority {
        w.line(0, &format!("Priority:\t{p}"));
    }
    if let Some(c) = some(&spec.priority_class_name) {
        w.line(0, &format!("Priority Class Name:\t{c}"));
    }
    if let Some(c) = some(&spec.runtime_class_name) {
        w.line(0, &format!("Runtime Class Name:\t{c}"));
    }
    if let Some(a) = some(&spec.service_account_name) {
        w.line(0, &format!("Service Account:\t{a}"));
    }
    match some(&spec.node_name) {
        Some(node) => w.line(0, &format!("Node:\t{node}/{}", status.host_ip.as_deref().unwrap_or_default())),
        None => w.line(0, "Node:\t<none>"),
    }
    if status.start_time.is_some() {
        w.line(0, &format!("Start Time:\t{}", moment(status.start_time.as_ref())));
    }
    w.map(0, "Labels", pod.metadata.labels.as_ref());
    annotations(w, 0, pod.metadata.annotations.as_ref());
    let over = matches!(status.phase.as_deref(), Some("Failed" | "Succeeded"));
    if pod.metadata.is_deleting() && !over {
        let age = cx.age(pod.metadata.deletion_timestamp.as_ref());
        w.line(0, &format!("Status:\tTerminating (lasts {age})"));
        let grace = pod.metadata.deletion_grace_period_seconds.unwrap_or(0);
        w.line(0, &format!("Termination Grace Period:\t{grace}s"));
    } else {
        w.line(0, &format!("Status:\t{}", status.phase.as_deref().unwrap_or_default()));
    }
    if let Some(r) = some(&status.reason) {
        w.line(0, &format!("Reason:\t{r}"));
    }
    if let Some(m) = some(&status.message) {
        w.line(0, &format!("Message:\t{m}"));
    }
    let security = spec.security_context.as_ref();
    containers::seccomp(w, 0, 0, security.and_then(|s| s.seccomp_profile.as_ref()));
    w.line(0, &format!("IP:\t{}", status.pod_ip.as_deref().unwrap_or_default()));
    match status.pod_ips.as_ref().filter(|i| !i.is_empty()) {
        Some(ips) => {
            w.line(0, "IPs:");
            ips.iter().for_each(|i| w.line(1, &format!("IP:\t{}", i.ip)));
        }
        None => w.line(0, "IPs:\t<none>"),
    }
    if let Some(c) = pod.metadata.controller() {
        w.line(0, &format!("Controlled By:\t{}/{}", c.kind, c.name));
    }
    if let Some(n) = some(&status.nominated_node_name) {
        w.line(0, &format!("NominatedNodeName:\t{n}"));
    }
    if let Some(r) = &spec.resources {
        w.line(0, "Resources:");
        containers::resources(w, 1, Some(r));
    }
    let of = Of::Pod(pod);
    if let Some(inits) = spec.init_containers.as_deref().filter(|c| !c.is_empty()) {
        let states = status.init_container_statuses.as_deref().unwrap_or_default();
        containers::all(w, "Init Containers", inits, states, of);
    }
    let states = status.container_statuses.as_deref().unwrap_or_default();
    containers::all(w, "Containers", &spec.containers, states, of);
    if let Some(ephemeral) = spec.ephemeral_containers.as_deref().filter(|c| !c.is_empty()) {
        let states = status.ephemeral_container_statuses.as_deref().unwrap_or_default();
        let ephemeral: Vec<Container> = ephemeral.iter().map(as_container).collect();
        containers::all(w, "Ephemeral Containers", &ephemeral, states, of);
    }
    if let Some(gates) = spec.readiness_gates.as_ref().filter(|g| !g.is_empty()) {
        w.line(0, "Readiness Gates:");
        w.line(1, "Type\tStatus");
        for gate in gates {
            let met = status.conditions.iter().flatten().find(|c| c.type_ == gate.condition_type);
            let state = met.map_or("<none>", |c| c.status.as_str());
            w.line(1, &format!("{} \t{state} ", gate.condition_type));
        }
    }
    if let Some(conditions) = status.conditions.as_ref().filter(|c| !c.is_empty()) {
        w.line(0, "Conditions:");
        w.line(1, "Type\tStatus");
        for c in conditions {
            w.line(1, &format!("{} \t{} ", c.type_, c.status));
        }
    }
    volumes::all(w, spec.volumes.as_deref().unwrap_or_default(), "");
    w.line(0, &format!("QoS Class:\t{}", status.qos_class.as_deref().unwrap_or_default()));
    w.map(0, "Node-Selectors", spec.node_selector.as_ref());
    containers::tolerations(w, spec.tolerations.as_deref().unwrap_or_default(), "");
    containers::spread(w, spec.topology_spread_constraints.as_deref().unwrap_or_default(), "");
    Ok(true)
}

/// An ephemeral container as the container that it is, as far as descriptions show it.
fn as_container(c: &EphemeralContainer) -> Container {
    let c = c.clone();
    Container {
        name: c.name,
        image: c.image,
        command: c.command,
        args: c.args,
        ports: c.ports,
        env_from: c.env_from,
        env: c.env,
        resources: c.resources,
        volume_mounts: c.volume_mounts,
        volume_devices: c.volume_devices,
        liveness_probe: c.liveness_probe,
        readiness_probe: c.readiness_probe,
        startup_probe: c.startup_probe,
        security_context: c.security_context,
        ..Container::default()
    }
}
