//! The condition of a PodDisruptionBudget (`k8s.io/component-helpers/apps/poddisruptionbudget`).

use super::types::{Condition, PodDisruptionBudget, PodDisruptionBudgetStatus, Time};
use super::{MetaExt, Timestamp, seconds};

/// The condition's type.
pub const DISRUPTION_ALLOWED: &str = "DisruptionAllowed";
/// The condition's reason if the controller could not count pods.
pub const SYNC_FAILED: &str = "SyncFailed";

fn words(status: &PodDisruptionBudgetStatus) -> (&'static str, &'static str) {
    match status.disruptions_allowed.unwrap_or(0) {
        n if n > 0 => ("True", "SufficientPods"),
        _ => ("False", "InsufficientPods"),
    }
}

/// Sets the condition according to `disruptionsAllowed` (`UpdateDisruptionAllowedCondition`).
pub fn update_condition(status: &mut PodDisruptionBudgetStatus, now: Timestamp) {
    let (word, reason) = words(status);
    set_condition(status, word, reason, "", now);
}

/// Sets the condition. Its transition time changes only if its status does.
pub fn set_condition(
    status: &mut PodDisruptionBudgetStatus,
    word: &str,
    reason: &str,
    message: &str,
    now: Timestamp,
) {
    let generation = status.observed_generation;
    let conditions = status.conditions.get_or_insert_default();
    let at = Time(seconds(now));
    let mut new = Condition {
        type_: DISRUPTION_ALLOWED.into(),
        status: word.into(),
        reason: reason.into(),
        message: message.into(),
        observed_generation: generation,
        last_transition_time: at,
    };
    match conditions.iter_mut().find(|c| c.type_ == DISRUPTION_ALLOWED) {
        Some(old) => {
            if old.status == new.status {
                new.last_transition_time = old.last_transition_time.clone();
            }
            *old = new;
        }
        None => conditions.push(new),
    }
}

/// Whether the status is of the present generation, and its condition fits `disruptionsAllowed` (`ConditionsAreUpToDate`).
pub fn is_up_to_date(budget: &PodDisruptionBudget) -> bool {
    let Some(status) = &budget.status else { return false };
    let Some(c) = status.conditions.iter().flatten().find(|c| c.type_ == DISRUPTION_ALLOWED) else {
        return false;
    };
    let (word, reason) = words(status);
    status.observed_generation.unwrap_or(0) == budget.metadata.generation()
        && c.status == word
        && c.reason == reason
}

/// Whether a budget selects a pod with this metadata. A budget without a selector selects none.
pub fn covers(budget: &PodDisruptionBudget, pod: &super::types::ObjectMeta) -> bool {
    let selector = budget.spec.as_ref().and_then(|s| s.selector.as_ref());
    MetaExt::namespace(&budget.metadata) == MetaExt::namespace(pod)
        && super::labels::Selector::from_label_selector(selector)
            .is_ok_and(|s| s.matches(pod.labels_or_empty()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;
    use crate::api::{Kind, Object};

    /// `ConditionsAreUpToDate` compares generations of the budget and of its status, and not that of the condition.
    #[test]
    fn a_condition_is_up_to_date_if_the_status_is() {
        let is = |generation: i64, status: i64, condition: i64| {
            let condition = json!({"type": DISRUPTION_ALLOWED, "status": "True", "reason": "SufficientPods", "message": "",
                "observedGeneration": condition, "lastTransitionTime": "2026-01-01T00:00:00Z"});
            let budget = json!({
                "metadata": {"name": "web", "namespace": "default", "generation": generation},
                "status": {"observedGeneration": status, "disruptionsAllowed": 1, "conditions": [condition]},
            });
            let budget = Object::from_value(Kind::POD_DISRUPTION_BUDGET, budget).unwrap();
            is_up_to_date(budget.get::<PodDisruptionBudget>().unwrap())
        };
        assert!(is(2, 2, 1));
        assert!(!is(2, 1, 1));
    }
}
