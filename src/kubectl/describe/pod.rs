//! Pods.

use super::super::context::{Context, Result};
use super::{Writer, annotations, containers, moment};
use crate::api::types::Pod;
use crate::api::{MetaExt, Object};

pub(in super::super) fn pod(_: &mut Context<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(pod) = object.get::<Pod>() else { return Ok(true) };
    let spec = pod.spec.clone().unwrap_or_default();
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
    w.line(0, &format!("Service Account:\t{}", spec.service_account_name.as_deref().unwrap_or_default()));
    match some(&spec.node_name) {
        Some(node) => w.line(0, &format!("Node:\t{node}/{}", status.host_ip.as_deref().unwrap_or_default())),
        None => w.line(0, "Node:\t<none>"),
    }
    if status.start_time.is_some() {
        w.line(0, &format!("Start Time:\t{}", moment(status.start_time.as_ref())));
    }
    w.map(0, "Labels", pod.metadata.labels.as_ref());
    annotations(w, &pod.metadata);
    if pod.metadata.is_deleting() {
        w.line(
            0,
            &format!(
                "Status:\tTerminating (lasts since {})",
                moment(pod.metadata.deletion_timestamp.as_ref())
            ),
        );
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
    if let Some(inits) = spec.init_containers.as_deref().filter(|c| !c.is_empty()) {
        let states = status.init_container_statuses.as_deref().unwrap_or_default();
        containers::all(w, "Init Containers", inits, states, "");
    }
    let states = status.container_statuses.as_deref().unwrap_or_default();
    containers::all(w, "Containers", &spec.containers, states, "");
    if let Some(conditions) = status.conditions.as_ref().filter(|c| !c.is_empty()) {
        w.line(0, "Conditions:");
        w.line(1, "Type\tStatus");
        for c in conditions {
            w.line(1, &format!("{} \t{} ", c.type_, c.status));
        }
    }
    containers::volumes(w, spec.volumes.as_deref().unwrap_or_default(), "");
    if let Some(q) = some(&status.qos_class) {
        w.line(0, &format!("QoS Class:\t{q}"));
    }
    w.map(0, "Node-Selectors", spec.node_selector.as_ref());
    containers::tolerations(w, spec.tolerations.as_deref().unwrap_or_default(), "");
    Ok(true)
}
