//! Rollouts of Deployments: their revisions are ReplicaSets.

use std::collections::BTreeMap;

use serde_json::json;

use super::super::call::Payload;
use super::super::invocation::{Invocation, Result, fail};
use super::super::{describers, go};
use super::{Revision, Rollout};
use crate::api::quote::go_quote;
use crate::api::types::{Deployment, ReplicaSet};
use crate::api::well_known::{
    CHANGE_CAUSE_ANNOTATION, DEPLOYMENT_REVISION_ANNOTATION, DEPRECATED_ROLLBACK_TO,
    LAST_APPLIED_CONFIG_ANNOTATION, POD_TEMPLATE_HASH_LABEL,
};
use crate::api::{Kind, MetaExt, Object, labels, order};

/// Annotations that a rollback leaves as the Deployment has them.
const KEPT: [&str; 6] = [
    LAST_APPLIED_CONFIG_ANNOTATION,
    DEPLOYMENT_REVISION_ANNOTATION,
    "deployment.kubernetes.io/revision-history",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    DEPRECATED_ROLLBACK_TO,
];

/// How Deployments are rolled out.
pub(in super::super) struct Deployments;

impl Rollout for Deployments {
    fn status(&self, object: &Object, wanted: i64) -> Result<(String, bool)> {
        let Some(deployment) = object.get::<Deployment>() else { return Ok((String::new(), true)) };
        status(deployment, wanted)
    }

    fn revisions(&self, cx: &mut Invocation<'_>, object: &Object) -> Result<BTreeMap<i64, Revision>> {
        let spec = object.get::<Deployment>().and_then(|d| d.spec.as_ref());
        let selector = spec.map(|s| labels::format_label_selector(&s.selector)).unwrap_or_default();
        let all = cx.list(Kind::REPLICA_SET, object.namespace(), &selector)?;
        let own = all.into_iter().filter(|o| o.meta().controller().is_some_and(|c| c.uid == object.uid()));
        Ok(order::gather(own.filter_map(|o| {
            // A ReplicaSet that was adopted has no revision, which is 0.
            let number = o.meta().annotation(DEPLOYMENT_REVISION_ANNOTATION).unwrap_or("0").parse().ok()?;
            let mut template = o.get::<ReplicaSet>()?.spec.as_ref()?.template.clone().unwrap_or_default();
            let cause = o.meta().annotation(CHANGE_CAUSE_ANNOTATION).unwrap_or_default().to_owned();
            if !cause.is_empty() {
                let annotations =
                    template.metadata.get_or_insert_default().annotations.get_or_insert_default();
                annotations.insert(CHANGE_CAUSE_ANNOTATION.to_owned(), cause.clone());
            }
            Some((number, Revision { template, cause, shown: o.clone(), kept: o }))
        })))
    }

    fn target<'r>(
        &self,
        object: &Object,
        revisions: &'r BTreeMap<i64, Revision>,
        to: i64,
    ) -> Result<&'r Revision> {
        let found = if to == 0 { revisions.values().rev().nth(1) } else { revisions.get(&to) };
        match found {
            Some(revision) => Ok(revision),
            None if to == 0 => {
                fail(format!("no rollout history found for deployment {}", go_quote(object.name())))
            }
            None => fail(format!("unable to find specified revision {to} in history")),
        }
    }

    fn preview(&self, revision: &Revision) -> String {
        let spec = revision.kept.get::<ReplicaSet>().and_then(|rs| rs.spec.as_ref());
        describers::template(&spec.and_then(|s| s.template.clone()).unwrap_or_default())
    }

    /// The old template, and the annotations it had, but for those that are the Deployment's own.
    fn restore(&self, object: &Object, revision: &Revision) -> Option<Payload> {
        let deployment = object.get::<Deployment>()?;
        let mut template = revision.kept.get::<ReplicaSet>()?.spec.as_ref()?.template.clone()?;
        if let Some(labels) = template.metadata.as_mut().and_then(|m| m.labels.as_mut()) {
            labels.remove(POD_TEMPLATE_HASH_LABEL);
        }
        if deployment.spec.as_ref().is_some_and(|s| s.template == template) {
            return None;
        }
        let mut annotations = BTreeMap::new();
        let is_kept = |k: &String| KEPT.contains(&k.as_str());
        annotations.extend(deployment.metadata.annotations.iter().flatten().filter(|(k, _)| is_kept(k)));
        annotations.extend(revision.kept.meta().annotations.iter().flatten().filter(|(k, _)| !is_kept(k)));
        let template = crate::api::to_value(&template);
        Some(Payload::JsonPatch(go::json(&json!([
            {"op": "replace", "path": "/spec/template", "value": template},
            {"op": "replace", "path": "/metadata/annotations", "value": annotations},
        ]))))
    }

    fn paused(&self, object: &Object) -> Option<bool> {
        Some(object.get::<Deployment>()?.spec.as_ref()?.paused == Some(true))
    }
}

fn status(d: &Deployment, wanted: i64) -> Result<(String, bool)> {
    let name = MetaExt::name(&d.metadata);
    let status = d.status.clone().unwrap_or_default();
    if wanted > 0 {
        let running: i64 =
            d.metadata.annotation(DEPLOYMENT_REVISION_ANNOTATION).and_then(|r| r.parse().ok()).unwrap_or(0);
        if running != wanted {
            return fail(format!(
                "desired revision ({wanted}) is different from the running revision ({running})"
            ));
        }
    }
    if d.metadata.generation() > status.observed_generation.unwrap_or(0) {
        return Ok(("Waiting for deployment spec update to be observed...".into(), false));
    }
    let late = status
        .conditions
        .iter()
        .flatten()
        .any(|c| c.type_ == "Progressing" && c.reason.as_deref() == Some("ProgressDeadlineExceeded"));
    if late {
        return fail(format!("deployment {name} exceeded its progress deadline", name = go_quote(name)));
    }
    let replicas = d.spec.as_ref().and_then(|s| s.replicas).unwrap_or(0);
    let (all, updated, available) = (
        status.replicas.unwrap_or(0),
        status.updated_replicas.unwrap_or(0),
        status.available_replicas.unwrap_or(0),
    );
    let waiting = format!("Waiting for deployment {name} rollout to finish: ", name = go_quote(name));
    Ok(if updated < replicas {
        (format!("{waiting}{updated} out of {replicas} new replicas have been updated..."), false)
    } else if all > updated {
        (format!("{waiting}{} old replicas are pending termination...", all.saturating_sub(updated)), false)
    } else if available < updated {
        (format!("{waiting}{available} of {updated} updated replicas are available..."), false)
    } else {
        (format!("deployment {name} successfully rolled out", name = go_quote(name)), true)
    })
}
