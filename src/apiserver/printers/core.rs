//! Services, namespaces, nodes, configuration, events and leases.

use super::{age, age_micro, created, name, or_none};
use crate::api::order;
use crate::api::types::{ConfigMap, Event, Lease, Namespace, Node, PriorityClass, Secret};
use crate::api::{MetaExt, Timestamp};

/// Labels as a table shows them (`labels.FormatLabels`).
pub(crate) fn format_labels(labels: Option<&std::collections::BTreeMap<String, String>>) -> String {
    let text: Vec<String> = labels.into_iter().flatten().map(|(k, v)| format!("{k}={v}")).collect();
    if text.is_empty() { "<none>".into() } else { text.join(",") }
}

pub(in crate::apiserver) fn namespace(n: &Namespace, now: Timestamp) -> Vec<String> {
    let phase = n.status.as_ref().and_then(|s| s.phase.clone()).unwrap_or_default();
    vec![name(&n.metadata), phase, created(&n.metadata, now)]
}

pub(in crate::apiserver) fn node(n: &Node, now: Timestamp) -> Vec<String> {
    let status = n.status.clone().unwrap_or_default();
    let ready = status.conditions.iter().flatten().find(|c| c.type_ == "Ready");
    let mut state = match ready {
        Some(c) if c.status == "True" => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if n.spec.as_ref().and_then(|s| s.unschedulable) == Some(true) {
        state.push_str(",SchedulingDisabled");
    }
    let info = status.node_info.clone().unwrap_or_default();
    let address = |type_: &str| {
        let found = status.addresses.iter().flatten().find(|a| a.type_ == type_);
        or_none(found.map(|a| a.address.as_str()))
    };
    let or_unknown = |t: &str| if t.is_empty() { "<unknown>".to_owned() } else { t.to_owned() };
    let kernel = match (info.kernel_version.as_str(), info.architecture.as_str()) {
        ("", _) => "<unknown>".to_owned(),
        (k, "") => k.to_owned(),
        (k, a) => format!("{k} ({a})"),
    };
    vec![
        name(&n.metadata),
        state,
        node_roles(n),
        created(&n.metadata, now),
        info.kubelet_version.clone(),
        address("InternalIP"),
        address("ExternalIP"),
        or_unknown(&info.os_image),
        kernel,
        or_unknown(&info.container_runtime_version),
    ]
}

/// What a node's labels say it is for.
pub(crate) fn node_roles(n: &Node) -> String {
    let mut roles: Vec<&str> = Vec::new();
    for (k, v) in n.metadata.labels_or_empty() {
        if let Some(role) = k.strip_prefix("node-role.kubernetes.io/") {
            roles.extend((!role.is_empty()).then_some(role));
        } else if k == "kubernetes.io/role" && !v.is_empty() {
            roles.push(v);
        }
    }
    order::sort(&mut roles);
    roles.dedup();
    if roles.is_empty() { "<none>".into() } else { roles.join(",") }
}

pub(in crate::apiserver) fn config_map(c: &ConfigMap, now: Timestamp) -> Vec<String> {
    let n = c.data.as_ref().map_or(0, |d| d.len()) + c.binary_data.as_ref().map_or(0, |d| d.len());
    vec![name(&c.metadata), n.to_string(), created(&c.metadata, now)]
}

pub(in crate::apiserver) fn secret(s: &Secret, now: Timestamp) -> Vec<String> {
    let n = s.data.as_ref().map_or(0, |d| d.len());
    vec![name(&s.metadata), s.type_.clone().unwrap_or_default(), n.to_string(), created(&s.metadata, now)]
}

pub(in crate::apiserver) fn event(e: &Event, now: Timestamp) -> Vec<String> {
    let first = match &e.first_timestamp {
        Some(_) => age(e.first_timestamp.as_ref(), now),
        None => age_micro(e.event_time.as_ref(), now),
    };
    let mut last = match &e.last_timestamp {
        Some(_) => age(e.last_timestamp.as_ref(), now),
        None => first.clone(),
    };
    let mut count = e.count.filter(|c| *c != 0).unwrap_or(1);
    if let Some(series) = &e.series {
        last = age_micro(series.last_observed_time.as_ref(), now);
        count = series.count.unwrap_or(0);
    }
    let kind = e.involved_object.kind.as_deref().unwrap_or_default().to_lowercase();
    let object = match e.involved_object.name.as_deref().unwrap_or_default() {
        "" => kind,
        name => format!("{kind}/{name}"),
    };
    vec![
        last,
        e.type_.clone().unwrap_or_default(),
        e.reason.clone().unwrap_or_default(),
        object,
        e.involved_object.field_path.clone().unwrap_or_default(),
        event_source(e),
        e.message.as_deref().unwrap_or_default().trim().to_owned(),
        first,
        count.to_string(),
        name(&e.metadata),
    ]
}

/// Who says so.
fn event_source(e: &Event) -> String {
    let source = e.source.clone().unwrap_or_default();
    let component =
        source.component.filter(|c| !c.is_empty()).or(e.reporting_component.clone()).unwrap_or_default();
    let host = source.host.filter(|h| !h.is_empty()).or(e.reporting_instance.clone()).unwrap_or_default();
    if host.is_empty() { component } else { format!("{component}, {host}") }
}

pub(in crate::apiserver) fn lease(l: &Lease, now: Timestamp) -> Vec<String> {
    let holder = l.spec.as_ref().and_then(|s| s.holder_identity.clone()).unwrap_or_default();
    vec![name(&l.metadata), holder, created(&l.metadata, now)]
}

pub(in crate::apiserver) fn priority_class(p: &PriorityClass, now: Timestamp) -> Vec<String> {
    vec![
        name(&p.metadata),
        p.value.unwrap_or(0).to_string(),
        p.global_default.unwrap_or(false).to_string(),
        created(&p.metadata, now),
        p.preemption_policy.clone().unwrap_or_default(),
    ]
}
