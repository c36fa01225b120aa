//! Deployments, ReplicaSets, StatefulSets, DaemonSets, and the budgets that guard their pods.

use super::{created, format_labels, name};
use crate::api::types::{
    DaemonSet, Deployment, LabelSelector, PodDisruptionBudget, PodTemplateSpec, ReplicaSet,
    ReplicationController, StatefulSet,
};
use crate::api::{Timestamp, intstr, labels};

pub(in crate::apiserver) fn deployment(d: &Deployment, now: Timestamp) -> Vec<String> {
    let status = d.status.clone().unwrap_or_default();
    let desired = d.spec.as_ref().and_then(|s| s.replicas).unwrap_or(0);
    let [containers, images] = template_cells(d.spec.as_ref().map(|s| &s.template));
    vec![
        name(&d.metadata),
        format!("{}/{desired}", status.ready_replicas.unwrap_or(0)),
        status.updated_replicas.unwrap_or(0).to_string(),
        status.available_replicas.unwrap_or(0).to_string(),
        created(&d.metadata, now),
        containers,
        images,
        selector(d.spec.as_ref().map(|s| &s.selector)),
    ]
}

pub(in crate::apiserver) fn replica_set(rs: &ReplicaSet, now: Timestamp) -> Vec<String> {
    let status = rs.status.clone().unwrap_or_default();
    let [containers, images] = template_cells(rs.spec.as_ref().and_then(|s| s.template.as_ref()));
    vec![
        name(&rs.metadata),
        rs.spec.as_ref().and_then(|s| s.replicas).unwrap_or(0).to_string(),
        status.replicas.to_string(),
        status.ready_replicas.unwrap_or(0).to_string(),
        created(&rs.metadata, now),
        containers,
        images,
        selector(rs.spec.as_ref().map(|s| &s.selector)),
    ]
}

pub(in crate::apiserver) fn replication_controller(r: &ReplicationController, now: Timestamp) -> Vec<String> {
    let spec = r.spec.clone().unwrap_or_default();
    let status = r.status.clone().unwrap_or_default();
    let [containers, images] = template_cells(spec.template.as_ref());
    vec![
        name(&r.metadata),
        spec.replicas.unwrap_or(0).to_string(),
        status.replicas.to_string(),
        status.ready_replicas.unwrap_or(0).to_string(),
        created(&r.metadata, now),
        containers,
        images,
        format_labels(spec.selector.as_ref()),
    ]
}

pub(in crate::apiserver) fn stateful_set(s: &StatefulSet, now: Timestamp) -> Vec<String> {
    let desired = s.spec.as_ref().and_then(|s| s.replicas).unwrap_or(0);
    let ready = s.status.as_ref().and_then(|s| s.ready_replicas).unwrap_or(0);
    let [containers, images] = template_cells(s.spec.as_ref().map(|s| &s.template));
    vec![name(&s.metadata), format!("{ready}/{desired}"), created(&s.metadata, now), containers, images]
}

pub(in crate::apiserver) fn daemon_set(d: &DaemonSet, now: Timestamp) -> Vec<String> {
    let status = d.status.clone().unwrap_or_default();
    let template = d.spec.as_ref().map(|s| &s.template);
    let nodes = template.and_then(|t| t.spec.as_ref()?.node_selector.as_ref());
    let [containers, images] = template_cells(template);
    vec![
        name(&d.metadata),
        status.desired_number_scheduled.to_string(),
        status.current_number_scheduled.to_string(),
        status.number_ready.to_string(),
        status.updated_number_scheduled.unwrap_or(0).to_string(),
        status.number_available.unwrap_or(0).to_string(),
        format_labels(nodes),
        created(&d.metadata, now),
        containers,
        images,
        selector(d.spec.as_ref().map(|s| &s.selector)),
    ]
}

pub(in crate::apiserver) fn disruption_budget(b: &PodDisruptionBudget, now: Timestamp) -> Vec<String> {
    let spec = b.spec.clone().unwrap_or_default();
    let or_na = |v: &Option<crate::api::types::IntOrString>| {
        v.as_ref().map_or_else(|| "N/A".to_owned(), intstr::to_string)
    };
    vec![
        name(&b.metadata),
        or_na(&spec.min_available),
        or_na(&spec.max_unavailable),
        b.status.as_ref().and_then(|s| s.disruptions_allowed).unwrap_or(0).to_string(),
        created(&b.metadata, now),
    ]
}

/// The names and the images of a template's containers.
pub(in crate::apiserver) fn template_cells(template: Option<&PodTemplateSpec>) -> [String; 2] {
    let containers =
        template.and_then(|t| t.spec.as_ref()).map(|s| s.containers.as_slice()).unwrap_or_default();
    let names: Vec<&str> = containers.iter().map(|c| c.name.as_str()).collect();
    let images: Vec<&str> = containers.iter().map(|c| c.image.as_deref().unwrap_or_default()).collect();
    [names.join(","), images.join(",")]
}

pub(in crate::apiserver) fn selector(selector: Option<&LabelSelector>) -> String {
    selector.map_or_else(|| "<none>".to_owned(), labels::format_label_selector)
}
