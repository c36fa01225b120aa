//! An autoscaler that is being looked at: its conditions, its status and its events (`setCondition`, `setStatus` and
//! `updateStatusIfNeeded` in `horizontal.go`).

use std::rc::Rc;

use super::Cx;
use crate::api::quantity::amount_of;
use crate::api::types::autoscaling as hpa;
use crate::api::types::{HorizontalPodAutoscaler, Quantity, Time};
use crate::api::{Key, ObjectRef, seconds};
use crate::client::Why;

/// Whether the size of the target can be read and changed.
pub(super) const ABLE_TO_SCALE: &str = "AbleToScale";
/// Whether the metrics lead to a size.
pub(super) const SCALING_ACTIVE: &str = "ScalingActive";
/// Whether the size that the metrics ask for is not allowed.
pub(super) const SCALING_LIMITED: &str = "ScalingLimited";
/// Whether the autoscaler itself has scaled to 0, which it does with the feature gate `HPAScaleToZero` only.
pub(super) const SCALED_TO_ZERO: &str = "ScaledToZero";

/// An autoscaler that is being looked at.
pub(super) struct Work<'a> {
    pub(super) cx: &'a Cx,
    pub(super) key: &'a Key,
    pub(super) hpa: HorizontalPodAutoscaler,
    pub(super) before: Rc<HorizontalPodAutoscaler>,
    /// Whether something was written.
    pub(super) wrote: bool,
}

impl<'a> Work<'a> {
    /// The work on an autoscaler as it is in the cache.
    pub(super) fn new(cx: &'a Cx, key: &'a Key, before: Rc<HorizontalPodAutoscaler>) -> Work<'a> {
        let mut hpa = HorizontalPodAutoscaler::clone(&before);
        hpa.status.get_or_insert_default();
        Work { cx, key, hpa, before, wrote: false }
    }

    pub(super) fn status(&mut self) -> &mut hpa::HorizontalPodAutoscalerStatus {
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

    /// Removes a condition (`removeCondition`).
    pub(super) fn remove_condition(&mut self, type_: &str) {
        if let Some(all) = &mut self.status().conditions {
            all.retain(|c| c.type_ != type_);
        }
    }

    /// `setStatus`
    pub(super) fn set_status(
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
    pub(super) async fn update_status(&mut self) {
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

/// The reason of the first condition that is not as it was; `counts` if only what the status counts has changed.
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
    first.and_then(|c| c.reason.clone()).unwrap_or_else(|| "counts".to_owned())
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
