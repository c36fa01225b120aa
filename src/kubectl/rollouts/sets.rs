//! Rollouts of StatefulSets and DaemonSets: their revisions are ControllerRevisions, each with the patch that restores it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::call::Payload;
use super::super::describers;
use super::super::invocation::{Invocation, Result, fail};
use super::{Revision, Rollout};
use crate::api::quote::go_quote;
use crate::api::types::{ControllerRevision, DaemonSet, LabelSelector, PodTemplateSpec, StatefulSet};
use crate::api::well_known::CHANGE_CAUSE_ANNOTATION;
use crate::api::{Kind, MetaExt, Object, labels, patch};

/// How the sets of a kind are rolled out.
pub(in super::super) struct Sets {
    status: fn(&Object) -> Result<(String, bool)>,
    selector: fn(&Object) -> Option<&LabelSelector>,
    template: fn(&Object) -> Option<PodTemplateSpec>,
}

/// How StatefulSets are rolled out.
pub(in super::super) const STATEFUL_SETS: Sets = Sets {
    status: stateful_set_status,
    selector: |object| object.get::<StatefulSet>()?.spec.as_ref().map(|s| &s.selector),
    template: |object| object.get::<StatefulSet>()?.spec.as_ref().map(|s| s.template.clone()),
};

/// How DaemonSets are rolled out.
pub(in super::super) const DAEMON_SETS: Sets = Sets {
    status: daemon_set_status,
    selector: |object| object.get::<DaemonSet>()?.spec.as_ref().map(|s| &s.selector),
    template: |object| object.get::<DaemonSet>()?.spec.as_ref().map(|s| s.template.clone()),
};

impl Rollout for Sets {
    fn status(&self, object: &Object, _: i64) -> Result<(String, bool)> {
        (self.status)(object)
    }

    fn revisions(&self, cx: &mut Invocation<'_>, object: &Object) -> Result<BTreeMap<i64, Revision>> {
        controlled(cx, object, (self.selector)(object), self.template)
    }

    fn target<'r>(&self, _: &Object, all: &'r BTreeMap<i64, Revision>, to: i64) -> Result<&'r Revision> {
        target(all, to)
    }

    fn preview(&self, revision: &Revision) -> String {
        format!("will roll back to {}", describers::template(&revision.template))
    }

    fn restore(&self, object: &Object, revision: &Revision) -> Option<Payload> {
        restore(object, revision)
    }

    fn paused(&self, _: &Object) -> Option<bool> {
        None
    }
}

fn stateful_set_status(object: &Object) -> Result<(String, bool)> {
    let Some(set) = object.get::<StatefulSet>() else { return Ok((String::new(), true)) };
    let spec = set.spec.clone().unwrap_or_default();
    let status = set.status.clone().unwrap_or_default();
    let strategy = spec.update_strategy.unwrap_or_default();
    rolling(strategy.type_.as_deref())?;
    let observed = status.observed_generation.unwrap_or(0);
    if observed == 0 || set.metadata.generation() > observed {
        return Ok(("Waiting for statefulset spec update to be observed...".into(), false));
    }
    let replicas = spec.replicas.unwrap_or(0);
    let ready = status.ready_replicas.unwrap_or(0);
    if ready < replicas {
        let missing = replicas.saturating_sub(ready);
        return Ok((format!("Waiting for {missing} pods to be ready..."), false));
    }
    let updated = status.updated_replicas.unwrap_or(0);
    if let Some(rolling) = strategy.rolling_update {
        let wanted = replicas.saturating_sub(rolling.partition.unwrap_or(0));
        return Ok(if rolling.partition.is_some() && updated < wanted {
            let line = format!(
                "Waiting for partitioned roll out to finish: {updated} out of {wanted} new pods have been updated..."
            );
            (line, false)
        } else {
            (format!("partitioned roll out complete: {updated} new pods have been updated..."), true)
        });
    }
    let current = status.current_revision.unwrap_or_default();
    let update = status.update_revision.unwrap_or_default();
    Ok(if update != current {
        let line = format!(
            "waiting for statefulset rolling update to complete {updated} pods at revision {update}..."
        );
        (line, false)
    } else {
        let replicas = status.current_replicas.unwrap_or(0);
        (format!("statefulset rolling update complete {replicas} pods at revision {current}..."), true)
    })
}

fn daemon_set_status(object: &Object) -> Result<(String, bool)> {
    let Some(set) = object.get::<DaemonSet>() else { return Ok((String::new(), true)) };
    let strategy = set.spec.as_ref().and_then(|s| s.update_strategy.as_ref()?.type_.as_deref());
    rolling(strategy)?;
    let status = set.status.clone().unwrap_or_default();
    if set.metadata.generation() > status.observed_generation.unwrap_or(0) {
        return Ok(("Waiting for daemon set spec update to be observed...".into(), false));
    }
    let name = object.name();
    let desired = status.desired_number_scheduled;
    let updated = status.updated_number_scheduled.unwrap_or(0);
    let available = status.number_available.unwrap_or(0);
    let waiting = format!("Waiting for daemon set {name} rollout to finish: ", name = go_quote(name));
    Ok(if updated < desired {
        (format!("{waiting}{updated} out of {desired} new pods have been updated..."), false)
    } else if available < desired {
        (format!("{waiting}{available} of {desired} updated pods are available..."), false)
    } else {
        (format!("daemon set {name} successfully rolled out", name = go_quote(name)), true)
    })
}

fn rolling(strategy: Option<&str>) -> Result {
    match strategy {
        Some("RollingUpdate") => Ok(()),
        _ => fail("rollout status is only available for RollingUpdate strategy type"),
    }
}

/// The ControllerRevisions of a set.
fn controlled(
    cx: &mut Invocation<'_>,
    object: &Object,
    selector: Option<&LabelSelector>,
    template: fn(&Object) -> Option<PodTemplateSpec>,
) -> Result<BTreeMap<i64, Revision>> {
    let selector = selector.map(labels::format_label_selector).unwrap_or_default();
    let all = cx.list(Kind::CONTROLLER_REVISION, object.namespace(), &selector)?;
    let mut out = BTreeMap::new();
    for kept in all {
        let own = kept.meta().controller().is_some_and(|c| c.uid == object.uid());
        let Some(revision) = kept.get::<ControllerRevision>().filter(|_| own) else { continue };
        let number = revision.revision;
        let Some(shown) = apply(object, &data(&kept)) else {
            return fail(format!("unable to parse history {}", kept.name()));
        };
        let cause = kept.meta().annotation(CHANGE_CAUSE_ANNOTATION).unwrap_or_default().to_owned();
        out.insert(number, Revision { template: template(&shown).unwrap_or_default(), cause, shown, kept });
    }
    Ok(out)
}

/// The patch that a ControllerRevision keeps.
fn data(kept: &Object) -> Value {
    kept.to_value().get("data").cloned().unwrap_or_default()
}

fn apply(object: &Object, data: &Value) -> Option<Object> {
    let value = patch::strategic_merge(object.kind(), object.to_value(), data).ok()?;
    Object::from_value(object.kind(), value).ok()
}

fn target(all: &BTreeMap<i64, Revision>, to: i64) -> Result<&Revision> {
    if to == 0 && all.len() <= 1 {
        return fail("no last revision to roll back to");
    }
    let found = if to == 0 { all.values().rev().nth(1) } else { all.get(&to) };
    match found {
        Some(revision) => Ok(revision),
        None => fail(format!("unable to find specified revision {to} in history")),
    }
}

/// The revision's patch; `None` if the set is that revision already.
fn restore(object: &Object, revision: &Revision) -> Option<Payload> {
    let data = data(&revision.kept);
    let mut template = object.to_value().pointer("/spec/template").cloned().unwrap_or_default();
    template["$patch"] = "replace".into();
    let same = data == json!({"spec": {"template": template}});
    (!same).then(|| Payload::StrategicPatch(data.to_string()))
}
