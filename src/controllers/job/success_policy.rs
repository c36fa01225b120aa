//! `spec.successPolicy` (`k8s.io/kubernetes/pkg/controller/job/success_policy.go`).

use super::indexed::Intervals;
use crate::api::types::SuccessPolicy;

/// The message of the first rule that the succeeded indexes meet.
pub(super) fn met(policy: &SuccessPolicy, completions: i64, succeeded: &Intervals) -> Option<String> {
    if succeeded.is_empty() {
        return None;
    }
    let met = policy.rules.iter().position(|rule| {
        let count = rule.succeeded_count.map(i64::from);
        match &rule.succeeded_indexes {
            Some(text) => {
                let required = Intervals::parse(text, completions);
                let shared = required.shared_with(succeeded);
                !required.is_empty()
                    && (shared == required.total() || count.is_some_and(|count| shared >= count))
            }
            None => count.is_some_and(|count| succeeded.total() >= count),
        }
    })?;
    Some(format!("Matched rules at index {met}"))
}
