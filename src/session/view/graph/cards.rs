//! What an object's card says, read from the object.

use super::{Card, Place};
use crate::api::types::{Deployment, Node, Pod, ReplicaSet};
use crate::api::{Kind, MetaExt, Object};
use crate::session::view::pods::pod_view;

/// Where a kind stands.
pub(super) fn place_of(kind: Kind) -> Place {
    match kind.as_str() {
        "Deployment" | "CronJob" => Place::Root,
        "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job" | "ReplicationController" => Place::Middle,
        "Pod" => Place::Pod,
        "Node" => Place::Node,
        _ => Place::Aside,
    }
}

/// What an object's card says.
pub(super) fn card_of(object: &Object) -> Card {
    if let Some(pod) = object.get::<Pod>() {
        return Card::Pod(pod_view(pod));
    }
    if let Some(d) = object.get::<Deployment>() {
        let status = d.status.clone().unwrap_or_default();
        let spec = d.spec.as_ref();
        return Card::Workload {
            want: spec.and_then(|s| s.replicas).unwrap_or(1),
            ready: status.ready_replicas.unwrap_or(0),
            have: status.replicas.unwrap_or(0),
            revision: None,
            paused: spec.and_then(|s| s.paused).unwrap_or(false),
        };
    }
    if let Some(rs) = object.get::<ReplicaSet>() {
        let status = rs.status.clone().unwrap_or_default();
        return Card::Workload {
            want: rs.spec.as_ref().and_then(|s| s.replicas).unwrap_or(1),
            ready: status.ready_replicas.unwrap_or(0),
            have: status.replicas,
            revision: rs
                .metadata
                .annotation("deployment.kubernetes.io/revision")
                .and_then(|r| r.parse().ok()),
            paused: false,
        };
    }
    if let Some(n) = object.get::<Node>() {
        let conditions = n.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
        return Card::Node {
            ready: conditions.iter().any(|c| c.type_ == "Ready" && c.status == "True"),
            schedulable: n.spec.as_ref().and_then(|s| s.unschedulable) != Some(true),
        };
    }
    if matches!(place_of(object.kind()), Place::Root | Place::Middle) {
        return generic_workload(object);
    }
    Card::Other
}

/// The kinds that are rarer: read from the fields they all have.
fn generic_workload(object: &Object) -> Card {
    let value = object.to_value();
    let number = |paths: &[&str]| {
        paths.iter().find_map(|p| value.pointer(p)?.as_i64()).and_then(|n| i32::try_from(n).ok())
    };
    Card::Workload {
        want: number(&[
            "/status/desiredNumberScheduled",
            "/spec/replicas",
            "/spec/completions",
            "/spec/parallelism",
        ])
        .unwrap_or(0),
        ready: number(&["/status/readyReplicas", "/status/numberReady", "/status/succeeded"]).unwrap_or(0),
        have: number(&["/status/replicas", "/status/currentNumberScheduled", "/status/active"]).unwrap_or(0),
        revision: None,
        paused: value.pointer("/spec/suspend").and_then(serde_json::Value::as_bool).unwrap_or(false),
    }
}
