//! Deployments, ReplicaSets and disruption budgets.

use super::super::invocation::{Invocation, Result};
use super::{Writer, annotations, moment, pod_template};
use crate::api::order;
use crate::api::pod_template_hash::equal_ignore_hash;
use crate::api::types::{Deployment, PodDisruptionBudget, ReplicaSet, ReplicationController};
use crate::api::{Kind, MetaExt, Object, intstr, labels};

pub(in super::super) fn deployment(cx: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(d) = object.get::<Deployment>() else { return Ok(true) };
    let spec = d.spec.clone().unwrap_or_default();
    let status = d.status.clone().unwrap_or_default();
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("Namespace:\t{}", object.namespace()));
    w.line(0, &format!("CreationTimestamp:\t{}", moment(d.metadata.creation_timestamp.as_ref())));
    w.map(0, "Labels", d.metadata.labels.as_ref());
    annotations(w, 0, d.metadata.annotations.as_ref());
    let selector = labels::format_label_selector(&spec.selector);
    w.line(0, &format!("Selector:\t{selector}"));
    w.line(
        0,
        &format!(
            "Replicas:\t{} desired | {} updated | {} total | {} available | {} unavailable",
            spec.replicas.unwrap_or(0),
            status.updated_replicas.unwrap_or(0),
            status.replicas.unwrap_or(0),
            status.available_replicas.unwrap_or(0),
            status.unavailable_replicas.unwrap_or(0)
        ),
    );
    let strategy = spec.strategy.clone().unwrap_or_default();
    w.line(0, &format!("StrategyType:\t{}", strategy.type_.as_deref().unwrap_or_default()));
    w.line(0, &format!("MinReadySeconds:\t{}", spec.min_ready_seconds.unwrap_or(0)));
    if let Some(r) = &strategy.rolling_update {
        let text = |v: &Option<crate::api::types::IntOrString>| {
            v.as_ref().map_or_else(String::new, intstr::to_string)
        };
        w.line(
            0,
            &format!(
                "RollingUpdateStrategy:\t{} max unavailable, {} max surge",
                text(&r.max_unavailable),
                text(&r.max_surge)
            ),
        );
    }
    pod_template(w, &spec.template);
    conditions(w, status.conditions.iter().flatten().map(|c| (&c.type_, &c.status, &c.reason)));
    let mut sets = cx.list(Kind::REPLICA_SET, object.namespace(), &selector)?;
    sets.retain(|o| o.meta().controller().is_some_and(|c| c.uid == object.uid()));
    order::sort_by_key(&mut sets, |o| (o.meta().creation_timestamp.as_ref().map(|t| t.0), o.key()));
    // The new one is the oldest with the Deployment's template. A Deployment whose rollout is paused may have none.
    let has_template = |o: &Object| {
        let template = o.get::<ReplicaSet>().and_then(|rs| rs.spec.as_ref()?.template.as_ref());
        template.is_some_and(|t| equal_ignore_hash(t, &spec.template))
    };
    let new = sets.iter().position(has_template);
    let (new, old): (Vec<_>, Vec<_>) = sets.iter().enumerate().partition(|(i, _)| Some(*i) == new);
    let text = |all: Vec<(usize, &Object)>| match all.is_empty() {
        true => "<none>".to_owned(),
        false => all.into_iter().map(|(_, o)| created(o)).collect::<Vec<_>>().join(", "),
    };
    if !sets.is_empty() {
        w.line(0, &format!("OldReplicaSets:\t{}", text(old)));
        w.line(0, &format!("NewReplicaSet:\t{}", text(new)));
    }
    Ok(true)
}

/// `web-7c5 (3/3 replicas created)`
fn created(o: &Object) -> String {
    let rs = o.get::<ReplicaSet>();
    let have = rs.and_then(|r| r.status.as_ref()).map_or(0, |s| s.replicas);
    let want = rs.and_then(|r| r.spec.as_ref()).and_then(|s| s.replicas).unwrap_or(0);
    format!("{} ({have}/{want} replicas created)", o.name())
}

pub(in super::super) fn replica_set(
    cx: &mut Invocation<'_>,
    w: &mut Writer,
    object: &Object,
) -> Result<bool> {
    let Some(rs) = object.get::<ReplicaSet>() else { return Ok(true) };
    let spec = rs.spec.clone().unwrap_or_default();
    let status = rs.status.clone().unwrap_or_default();
    let selector = labels::format_label_selector(&spec.selector);
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("Namespace:\t{}", object.namespace()));
    w.line(0, &format!("Selector:\t{selector}"));
    w.map(0, "Labels", rs.metadata.labels.as_ref());
    annotations(w, 0, rs.metadata.annotations.as_ref());
    if let Some(c) = rs.metadata.controller() {
        w.line(0, &format!("Controlled By:\t{}/{}", c.kind, c.name));
    }
    w.line(0, &format!("Replicas:\t{} current / {} desired", status.replicas, spec.replicas.unwrap_or(0)));
    super::sets::pods_status(cx, w, object, &selector)?;
    pod_template(w, &spec.template.unwrap_or_default());
    conditions(w, status.conditions.iter().flatten().map(|c| (&c.type_, &c.status, &c.reason)));
    Ok(true)
}

fn conditions<'a>(w: &mut Writer, all: impl Iterator<Item = (&'a String, &'a String, &'a Option<String>)>) {
    for (i, (kind, status, reason)) in all.enumerate() {
        if i == 0 {
            w.line(0, "Conditions:");
            w.line(1, "Type\tStatus\tReason");
            w.line(1, "----\t------\t------");
        }
        w.line(1, &format!("{kind} \t{status}\t{}", reason.as_deref().unwrap_or_default()));
    }
}

pub(in super::super) fn replication_controller(
    cx: &mut Invocation<'_>,
    w: &mut Writer,
    object: &Object,
) -> Result<bool> {
    let Some(r) = object.get::<ReplicationController>() else { return Ok(true) };
    let spec = r.spec.clone().unwrap_or_default();
    let status = r.status.clone().unwrap_or_default();
    let selector = labels::format_labels(spec.selector.as_ref());
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("Namespace:\t{}", object.namespace()));
    w.line(0, &format!("Selector:\t{selector}"));
    w.map(0, "Labels", r.metadata.labels.as_ref());
    annotations(w, 0, r.metadata.annotations.as_ref());
    w.line(0, &format!("Replicas:\t{} current / {} desired", status.replicas, spec.replicas.unwrap_or(0)));
    super::sets::pods_status(cx, w, object, &selector)?;
    pod_template(w, &spec.template.unwrap_or_default());
    conditions(w, status.conditions.iter().flatten().map(|c| (&c.type_, &c.status, &c.reason)));
    Ok(true)
}

pub(in super::super) fn disruption_budget(
    _: &mut Invocation<'_>,
    w: &mut Writer,
    object: &Object,
) -> Result<bool> {
    let Some(b) = object.get::<PodDisruptionBudget>() else { return Ok(true) };
    let spec = b.spec.clone().unwrap_or_default();
    let status = b.status.clone().unwrap_or_default();
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("Namespace:\t{}", object.namespace()));
    if let Some(n) = &spec.min_available {
        w.line(0, &format!("Min available:\t{}", intstr::to_string(n)));
    } else if let Some(n) = &spec.max_unavailable {
        w.line(0, &format!("Max unavailable:\t{}", intstr::to_string(n)));
    }
    let selector = spec.selector.as_ref().map_or_else(|| "<unset>".to_owned(), labels::format_label_selector);
    w.line(0, &format!("Selector:\t{selector}"));
    w.line(0, "Status:");
    w.line(2, &format!("Allowed disruptions:\t{}", status.disruptions_allowed.unwrap_or(0)));
    w.line(2, &format!("Current:\t{}", status.current_healthy.unwrap_or(0)));
    w.line(2, &format!("Desired:\t{}", status.desired_healthy.unwrap_or(0)));
    w.line(2, &format!("Total:\t{}", status.expected_pods.unwrap_or(0)));
    Ok(true)
}
