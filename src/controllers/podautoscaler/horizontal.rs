//! One look at an autoscaler (`reconcileAutoscaler` in `horizontal.go`).

use std::rc::Rc;

use super::Cx;
use super::compute::{self, Invalid, Proposal};
use super::normalize::{self, Normalized, Wanted};
use super::work::{ABLE_TO_SCALE, SCALED_TO_ZERO, SCALING_ACTIVE, SCALING_LIMITED, Work};
use crate::api::scale::Scale;
use crate::api::types::HorizontalPodAutoscaler;
use crate::api::{Key, Kind, ObjectRef};
use crate::apimachinery::{Body, Status, Subresource, Verb};
use crate::client::{DEFAULT_RETRY, Why};
use crate::controllers::served;

/// Looks at an autoscaler. Returns whether the next look may come to another result although nothing else happens until
/// then.
pub(super) async fn reconcile(cx: &Cx, key: &Key, before: Rc<HorizontalPodAutoscaler>) -> bool {
    let mut work = Work::new(cx, key, before);
    let waits = reconcile_autoscaler(&mut work).await;
    waits || work.wrote
}

/// A new size, and why.
struct Change {
    replicas: i32,
    reason: String,
    rule: &'static str,
    proposal: Proposal,
    waits: bool,
}

impl Change {
    fn bound(replicas: i32, reason: &str, rule: &'static str) -> Change {
        Change { replicas, reason: reason.into(), rule, proposal: Proposal::default(), waits: false }
    }
}

async fn reconcile_autoscaler(work: &mut Work<'_>) -> bool {
    let (target, scale) = match find_target(work).await {
        Ok(found) => found,
        Err(message) => {
            work.event("Warning", "FailedGetScale", message.clone());
            let said = format!("the HPA controller was unable to get the target's current scale: {message}");
            work.set_condition(ABLE_TO_SCALE, false, "FailedGetScale", said);
            work.update_status().await;
            return false;
        }
    };
    let said = "the HPA controller was able to get the target's current scale".to_owned();
    work.set_condition(ABLE_TO_SCALE, true, "SucceededGetScale", said);
    let current = scale.replicas;
    let (key, now) = (work.key.clone(), work.cx.now());
    work.cx.update_state(move |s| s.note_initial(&key, current, now));
    let min = work.hpa.spec.min_replicas.unwrap_or(1);
    let max = work.hpa.spec.max_replicas;
    // The feature gate `HPAScaleToZero` is off: only a person scales to 0 (`shouldComputeMetricsForZeroReplicas`).
    if current == 0 {
        let said = "scaling is disabled since the replica count of the target is zero".to_owned();
        work.set_condition(SCALING_ACTIVE, false, "ScalingDisabled", said);
        work.remove_condition(SCALED_TO_ZERO);
        work.set_status(current, current, None, false);
        work.update_status().await;
        return false;
    }
    let change = if current > max {
        const RULE: &str = "reconcile_autoscaler.above_max";
        Change::bound(max, "Current number of replicas above Spec.MaxReplicas", RULE)
    } else if current < min {
        const RULE: &str = "reconcile_autoscaler.below_min";
        Change::bound(min, "Current number of replicas below Spec.MinReplicas", RULE)
    } else {
        match by_metrics(work, &scale, min, max).await {
            Ok(change) => change,
            // What is wrong with the metrics is in the status.
            Err(waits) => return waits,
        }
    };
    let (waits, desired) = (change.waits, change.replicas);
    let rescale = desired != current;
    if rescale && !rescaled(work, &target, &scale, &change).await {
        return true;
    }
    work.set_status(current, desired, Some(change.proposal.statuses), rescale);
    work.update_status().await;
    waits
}

/// The size that the metrics lead to. If they lead to none, the status says why, and the error is whether they may lead
/// to one when time has passed.
async fn by_metrics(work: &mut Work<'_>, scale: &Scale, min: i32, max: i32) -> Result<Change, bool> {
    let current = scale.replicas;
    let proposal = match compute::replicas_for_metrics(work, scale).await {
        Ok(proposal) => proposal,
        Err(Invalid { message, statuses, waits }) => {
            let desired = work.status().desired_replicas;
            work.set_status(current, desired, statuses, false);
            work.update_status().await;
            work.event("Warning", "FailedComputeMetricsReplicas", message);
            return Err(waits);
        }
    };
    let desired = proposal.replicas.max(0);
    let (reason, rule) = match desired {
        n if n > current => {
            (format!("{} above target", proposal.metric), "reconcile_autoscaler.above_target")
        }
        n if n < current => ("All metrics below target".to_owned(), "reconcile_autoscaler.below_target"),
        _ => (String::new(), "reconcile_autoscaler.limits"),
    };
    let normalized = normalize(work, Wanted { current, desired, min, max });
    let Normalized { able, limited, .. } = normalized;
    work.set_condition(ABLE_TO_SCALE, able.status, able.reason, able.message.to_owned());
    work.set_condition(SCALING_LIMITED, limited.status, limited.reason, limited.message.to_owned());
    let waits = normalized.waits || proposal.waits;
    Ok(Change { replicas: normalized.replicas, reason, rule, proposal, waits })
}

fn normalize(work: &Work<'_>, wanted: Wanted) -> Normalized {
    let (key, now) = (work.key.clone(), work.cx.now());
    let behavior = work.hpa.spec.behavior.clone();
    let change = move |state: &mut super::state::State| match &behavior {
        None => normalize::plain(state, &key, now, wanted),
        Some(behavior) => normalize::with_behavior(state, &key, now, wanted, behavior),
    };
    let result = work.cx.state(|s| change(&mut s.clone()));
    work.cx.update_state(move |s| {
        change(s);
    });
    result
}

/// Writes the new size. Returns whether that succeeded; what failed is in the status.
async fn rescaled(work: &mut Work<'_>, target: &Target, scale: &Scale, change: &Change) -> bool {
    let (current, desired) = (scale.replicas, change.replicas);
    let (have, want) = &change.proposal.compared;
    let why = Why::new(change.rule)
        .read("autoscaler", ObjectRef::of(&work.hpa), "spec.scaleTargetRef", &work.key.name)
        .read("current", target.object(), "spec.replicas", current)
        .with("desired", desired)
        .with("metric", &change.proposal.metric)
        .with("have", have)
        .with("want", want)
        .read("min", ObjectRef::of(&work.hpa), "spec.minReplicas", work.hpa.spec.min_replicas.unwrap_or(1))
        .read("max", ObjectRef::of(&work.hpa), "spec.maxReplicas", work.hpa.spec.max_replicas);
    work.wrote = true;
    if let Err(e) = write_scale(work.cx, target, desired, scale.resource_version.clone(), &why).await {
        let reason = &change.reason;
        let message = format!("New size: {desired}; reason: {reason}; error: {}", e.message);
        work.event("Warning", "FailedRescale", message);
        let said = format!("the HPA controller was unable to update the target scale: {}", e.message);
        work.set_condition(ABLE_TO_SCALE, false, "FailedUpdateScale", said);
        let before = work.status().desired_replicas;
        work.set_status(current, before, Some(change.proposal.statuses.clone()), false);
        work.update_status().await;
        return false;
    }
    let said = format!("the HPA controller was able to update the target scale to {desired}");
    work.set_condition(ABLE_TO_SCALE, true, "SucceededRescale", said);
    work.event("Normal", "SuccessfulRescale", format!("New size: {desired}; reason: {}", change.reason));
    if let Some(behavior) = &work.hpa.spec.behavior {
        let rules = if desired > current { &behavior.scale_up } else { &behavior.scale_down };
        let period = normalize::longest_period(rules.as_ref());
        let (key, now) = (work.key.clone(), work.cx.now());
        let by = desired.saturating_sub(current);
        work.cx.update_state(move |s| s.note_scale(&key, by, now, period));
    }
    work.remove_condition(SCALED_TO_ZERO);
    true
}

/// Writes a size of the target, and once more after each conflict. Each refused write is followed by a look at the scale,
/// also one after which there is no further try.
async fn write_scale(
    cx: &Cx,
    target: &Target,
    replicas: i32,
    mut version: Option<String>,
    why: &Why,
) -> Result<(), Status> {
    let mut tries = DEFAULT_RETRY;
    loop {
        let body = Body::Scale { replicas, resource_version: version.clone() };
        let call = cx.send(Verb::Update, target.kind, target.key.clone(), Subresource::Scale, body);
        let Err(refusal) = call.because(why.clone()).await else { return Ok(()) };
        let call = cx.send(Verb::Get, target.kind, target.key.clone(), Subresource::Scale, Body::None);
        if let Ok(Some(latest)) = call.await {
            version = Scale::read(&latest).resource_version;
        }
        tries -= 1;
        if tries == 0 || !refusal.is_conflict() {
            return Err(refusal);
        }
    }
}

/// What an autoscaler scales.
struct Target {
    kind: Kind,
    key: Key,
}

impl Target {
    fn object(&self) -> ObjectRef {
        ObjectRef { kind: self.kind, key: self.key.clone() }
    }
}

/// The target of an autoscaler and its scale (`RESTMappings`, `scaleForResourceMappings`).
async fn find_target(work: &Work<'_>) -> Result<(Target, Scale), String> {
    let reference = &work.hpa.spec.scale_target_ref;
    let version = reference.api_version.as_deref().unwrap_or_default();
    let group = match version.split('/').collect::<Vec<_>>().as_slice() {
        [_] => "",
        [group, _] => group,
        _ => return Err(format!("unexpected GroupVersion string: {version}")),
    };
    let kinds: Vec<Kind> =
        served(work.cx.caches()).filter(|k| k.as_str() == reference.kind && k.group() == group).collect();
    let mut first: Option<Status> = None;
    for kind in &kinds {
        let namespace = if kind.namespaced() { &*work.key.namespace } else { "" };
        let target = Target { kind: *kind, key: Key::new(namespace, &reference.name) };
        let call = work.cx.send(Verb::Get, target.kind, target.key.clone(), Subresource::Scale, Body::None);
        match call.await {
            Ok(Some(object)) => return Ok((target, Scale::read(&object))),
            Ok(None) => {}
            Err(e) => {
                first.get_or_insert(e);
            }
        }
    }
    Err(match first {
        Some(status) => status.message,
        None => format!("no matches for kind {:?} in group {group:?}", reference.kind),
    })
}
