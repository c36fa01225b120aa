//! One look at an autoscaler (`reconcileAutoscaler` in `horizontal.go`).

use std::rc::Rc;

use super::Cx;
use super::compute::{self, Invalid, Proposal};
use super::normalize::{self, Normalized, Wanted};
use crate::api::quantity::amount_of;
use crate::api::scale::Scale;
use crate::api::types::autoscaling as hpa;
use crate::api::types::{HorizontalPodAutoscaler, Quantity, Time};
use crate::api::{Key, Kind, ObjectRef, seconds};
use crate::apimachinery::{Body, Status, Subresource, Verb};
use crate::client::Why;
use crate::controllers::served;

/// Whether the size of the target can be read and changed.
pub(super) const ABLE_TO_SCALE: &str = "AbleToScale";
/// Whether the metrics lead to a size.
pub(super) const SCALING_ACTIVE: &str = "ScalingActive";
/// Whether the size that the metrics ask for is not allowed.
pub(super) const SCALING_LIMITED: &str = "ScalingLimited";

/// An autoscaler that is being looked at.
pub(super) struct Work<'a> {
    pub(super) cx: &'a Cx,
    pub(super) key: &'a Key,
    pub(super) hpa: HorizontalPodAutoscaler,
    before: Rc<HorizontalPodAutoscaler>,
    /// Whether something was written.
    wrote: bool,
}

impl Work<'_> {
    fn status(&mut self) -> &mut hpa::HorizontalPodAutoscalerStatus {
        self.hpa.status.get_or_insert_default()
    }

    pub(super) fn event(&self, type_: &'static str, reason: &str, message: String) {
        self.cx.event(&self.hpa, type_, reason, message);
    }

    /// Sets a condition. Its time is that of the last change of its status (`setConditionInList`).
    pub(super) fn set_condition(&mut self, type_: &str, status: bool, reason: &str, message: String) {
        let now = Time(seconds(self.cx.now()));
        let status = if status { "True" } else { "False" };
        let conditions = self.status().conditions.get_or_insert_default();
        let at = conditions.iter().position(|c| c.type_ == type_).unwrap_or_else(|| {
            conditions
                .push(hpa::HorizontalPodAutoscalerCondition { type_: type_.into(), ..Default::default() });
            conditions.len() - 1
        });
        let Some(condition) = conditions.get_mut(at) else { return };
        if condition.status != status {
            condition.last_transition_time = Some(now);
            condition.status = status.into();
        }
        condition.reason = Some(reason.into());
        condition.message = Some(message);
    }

    /// `setStatus`
    fn set_status(
        &mut self,
        current: i32,
        desired: i32,
        metrics: Option<Vec<hpa::MetricStatus>>,
        rescaled: bool,
    ) {
        let now = Time(seconds(self.cx.now()));
        let status = self.status();
        status.current_replicas = (current != 0).then_some(current);
        status.desired_replicas = desired;
        status.current_metrics = metrics.filter(|m| !m.is_empty());
        // The controller does not set it.
        status.observed_generation = None;
        if rescaled {
            status.last_scale_time = Some(now);
        }
    }

    /// Writes the status if it has changed (`updateStatusIfNeeded`). An error is an event.
    async fn update_status(&mut self) {
        let empty = hpa::HorizontalPodAutoscalerStatus::default();
        let old = self.before.status.as_ref().unwrap_or(&empty);
        let new = self.hpa.status.as_ref().unwrap_or(&empty);
        if alike(old, new) {
            return;
        }
        let why = Why::new("reconcile_autoscaler.status")
            .read(
                "current",
                ObjectRef::of(&self.hpa),
                "status.currentReplicas",
                new.current_replicas.unwrap_or(0),
            )
            .with("desired", new.desired_replicas)
            .with("reason", newest_reason(old, new));
        self.wrote = true;
        let answer = self.cx.update_status(Rc::new(self.hpa.clone())).because(why).await;
        if let Err(e) = answer {
            self.event("Warning", "FailedUpdateStatus", e.message);
        }
    }
}

/// The reason of the first condition that is not as it was.
fn newest_reason(
    old: &hpa::HorizontalPodAutoscalerStatus,
    new: &hpa::HorizontalPodAutoscalerStatus,
) -> String {
    let known = old.conditions.as_deref().unwrap_or_default();
    let changed = |c: &&hpa::HorizontalPodAutoscalerCondition| {
        !known.iter().any(|k| k.type_ == c.type_ && k.reason == c.reason && k.status == c.status)
    };
    let all = new.conditions.as_deref().unwrap_or_default();
    // A metric that cannot be read says more than a target that can.
    let first = all
        .iter()
        .filter(changed)
        .max_by_key(|c| (c.type_ == SCALING_ACTIVE && c.status == "False", c.type_ == ABLE_TO_SCALE));
    first.and_then(|c| c.reason.clone()).unwrap_or_default()
}

/// Whether two statuses are equal, quantities by their values (`apiequality.Semantic.DeepEqual`).
fn alike(a: &hpa::HorizontalPodAutoscalerStatus, b: &hpa::HorizontalPodAutoscalerStatus) -> bool {
    let plain = |s: &hpa::HorizontalPodAutoscalerStatus| {
        let mut s = s.clone();
        s.conditions = s.conditions.filter(|c| !c.is_empty());
        s.current_replicas = s.current_replicas.filter(|n| *n != 0);
        s.current_metrics = s.current_metrics.filter(|m| !m.is_empty());
        for m in s.current_metrics.iter_mut().flatten() {
            let values = [
                m.resource.as_mut().map(|m| &mut m.current),
                m.container_resource.as_mut().map(|m| &mut m.current),
                m.pods.as_mut().map(|m| &mut m.current),
                m.object.as_mut().map(|m| &mut m.current),
                m.external.as_mut().map(|m| &mut m.current),
            ];
            for value in values.into_iter().flatten() {
                for q in [&mut value.value, &mut value.average_value].into_iter().flatten() {
                    *q = Quantity(amount_of(Some(q)).canonical());
                }
            }
        }
        s
    };
    plain(a) == plain(b)
}

/// Looks at an autoscaler. Returns whether the next look may come to another result although nothing else happens until
/// then.
pub(super) async fn reconcile(cx: &Cx, key: &Key, before: Rc<HorizontalPodAutoscaler>) -> bool {
    let mut hpa = HorizontalPodAutoscaler::clone(&before);
    hpa.status.get_or_insert_default();
    let mut work = Work { cx, key, hpa, before, wrote: false };
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
    if current == 0 && min != 0 {
        let said = "scaling is disabled since the replica count of the target is zero".to_owned();
        work.set_condition(SCALING_ACTIVE, false, "ScalingDisabled", said);
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
    let body = Body::Scale { replicas: desired, resource_version: scale.resource_version.clone() };
    work.wrote = true;
    let call = work.cx.send(Verb::Update, target.kind, target.key.clone(), Subresource::Scale, body);
    if let Err(e) = call.because(why).await {
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
    true
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
