//! StatefulSets and DaemonSets.

use super::super::invocation::{Invocation, Result};
use super::{Writer, head, moment, pod_template};
use crate::api::types::{DaemonSet, PersistentVolumeClaim, Pod, StatefulSet};
use crate::api::volume::claim_class;
use crate::api::{Kind, MetaExt, Object, intstr, labels};

/// How the pods of an object fare.
pub(super) fn pods_status(
    cx: &mut Invocation<'_>,
    w: &mut Writer,
    object: &Object,
    selector: &str,
) -> Result {
    let mut pods = cx.list(Kind::POD, object.namespace(), selector)?;
    pods.retain(|p| p.meta().controller().is_some_and(|c| c.uid == object.uid()));
    let phase = |p: &Object| p.get::<Pod>().and_then(|p| p.status.as_ref()?.phase.clone());
    let count = |want: &str| pods.iter().filter(|p| phase(p).as_deref() == Some(want)).count();
    w.line(
        0,
        &format!(
            "Pods Status:\t{} Running / {} Waiting / {} Succeeded / {} Failed",
            count("Running"),
            count("Pending"),
            count("Succeeded"),
            count("Failed")
        ),
    );
    Ok(())
}

pub(in super::super) fn stateful_set(
    cx: &mut Invocation<'_>,
    w: &mut Writer,
    object: &Object,
) -> Result<bool> {
    let Some(s) = object.get::<StatefulSet>() else { return Ok(true) };
    let spec = s.spec.clone().unwrap_or_default();
    let selector = labels::format_label_selector(&spec.selector);
    head::named(w, object);
    w.line(0, &format!("CreationTimestamp:\t{}", moment(s.metadata.creation_timestamp.as_ref())));
    w.line(0, &format!("Selector:\t{selector}"));
    head::marks(w, object);
    let total = s.status.as_ref().map_or(0, |s| s.replicas);
    w.line(0, &format!("Replicas:\t{} desired | {total} total", spec.replicas.unwrap_or(0)));
    let strategy = spec.update_strategy.unwrap_or_default();
    w.line(0, &format!("Update Strategy:\t{}", strategy.type_.as_deref().unwrap_or_default()));
    if let Some((partition, rolling)) = strategy.rolling_update.and_then(|r| Some((r.partition?, r))) {
        w.line(1, &format!("Partition:\t{partition}"));
        if let Some(most) = &rolling.max_unavailable {
            w.line(1, &format!("MaxUnavailable:\t{}", intstr::to_string(most)));
        }
    }
    pods_status(cx, w, object, &selector)?;
    pod_template(w, &spec.template);
    claim_templates(w, spec.volume_claim_templates.as_deref().unwrap_or_default());
    Ok(true)
}

fn claim_templates(w: &mut Writer, claims: &[PersistentVolumeClaim]) {
    if claims.is_empty() {
        return w.line(0, "Volume Claims:\t<none>");
    }
    w.line(0, "Volume Claims:");
    for c in claims {
        let spec = c.spec.clone().unwrap_or_default();
        let size = spec.resources.and_then(|r| r.requests?.get("storage").map(|q| q.0.clone()));
        w.line(1, &format!("Name:\t{}", c.metadata.name()));
        w.line(1, &format!("StorageClass:\t{}", claim_class(c)));
        w.map(1, "Labels", c.metadata.labels.as_ref());
        w.map(1, "Annotations", c.metadata.annotations.as_ref());
        w.line(1, &format!("Capacity:\t{}", size.as_deref().unwrap_or("<default>")));
        w.line(1, &format!("Access Modes:\t[{}]", spec.access_modes.unwrap_or_default().join(" ")));
    }
}

pub(in super::super) fn daemon_set(cx: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(d) = object.get::<DaemonSet>() else { return Ok(true) };
    let spec = d.spec.clone().unwrap_or_default();
    let status = d.status.clone().unwrap_or_default();
    let selector = labels::format_label_selector(&spec.selector);
    let nodes = spec.template.spec.as_ref().and_then(|s| s.node_selector.as_ref());
    head::named(w, object);
    w.line(0, &format!("Selector:\t{selector}"));
    w.line(0, &format!("Node-Selector:\t{}", labels::format_labels(nodes)));
    head::marks(w, object);
    for (what, n) in [
        ("Desired Number of Nodes Scheduled", status.desired_number_scheduled),
        ("Current Number of Nodes Scheduled", status.current_number_scheduled),
        ("Number of Nodes Scheduled with Up-to-date Pods", status.updated_number_scheduled.unwrap_or(0)),
        ("Number of Nodes Scheduled with Available Pods", status.number_available.unwrap_or(0)),
        ("Number of Nodes Misscheduled", status.number_misscheduled),
    ] {
        w.line(0, &format!("{what}: {n}"));
    }
    pods_status(cx, w, object, &selector)?;
    pod_template(w, &spec.template);
    Ok(true)
}
