//! `spec.podFailurePolicy` (`k8s.io/kubernetes/pkg/controller/job/pod_failure_policy.go`).

use crate::api::MetaExt;
use crate::api::types::{
    ContainerStatus, Pod, PodCondition, PodFailurePolicy, PodFailurePolicyOnExitCodesRequirement,
    PodFailurePolicyOnPodConditionsPattern,
};

/// The action of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// The Job fails at once (`FailJob`).
    FailJob,
    /// The index of the pod fails, without further tries (`FailIndex`).
    FailIndex,
    /// The failure is not counted.
    Ignore,
    /// The failure is counted.
    Count,
}

/// What a policy makes of a failed pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Why the Job fails, if it does.
    pub(super) fail_job: Option<String>,
    /// Whether the failure counts towards the back-off limit.
    pub(super) counts: bool,
    /// The action of the first rule that matched.
    pub(super) action: Option<Action>,
}

/// What a policy makes of a failed pod. Without a policy, and where no rule matches, the failure is counted.
pub(super) fn verdict(policy: Option<&PodFailurePolicy>, pod: &Pod) -> Verdict {
    for (index, rule) in policy.iter().flat_map(|p| p.rules.iter()).enumerate() {
        let (namespace, name) = (pod.metadata.namespace(), pod.metadata.name());
        let matched = if let Some(requirement) = &rule.on_exit_codes {
            exit_code(pod, requirement).map(|(container, code)| {
                format!("Container {container} for pod {namespace}/{name} failed with exit code {code}")
            })
        } else {
            let patterns = rule.on_pod_conditions.as_deref().unwrap_or_default();
            condition(pod, patterns).map(|c| format!("Pod {namespace}/{name} has condition {}", c.type_))
        };
        let Some(what) = matched else { continue };
        let action = match rule.action.as_str() {
            "FailJob" => Action::FailJob,
            "FailIndex" => Action::FailIndex,
            "Ignore" => Action::Ignore,
            "Count" => Action::Count,
            // An action of a later release matches nothing.
            _ => continue,
        };
        let fail_job = (action == Action::FailJob)
            .then(|| format!("{what} matching {} rule at index {index}", rule.action));
        return Verdict { fail_job, counts: action != Action::Ignore, action: Some(action) };
    }
    Verdict { fail_job: None, counts: true, action: None }
}

/// The first container, of the containers and then of the init containers, whose exit code the requirement matches.
fn exit_code<'p>(
    pod: &'p Pod,
    requirement: &PodFailurePolicyOnExitCodesRequirement,
) -> Option<(&'p str, i32)> {
    let status = pod.status.as_ref()?;
    let matches = |c: &'p ContainerStatus| {
        let code = c.state.as_ref()?.terminated.as_ref()?.exit_code;
        let named = requirement.container_name.as_ref().is_none_or(|name| *name == c.name);
        let listed = requirement.values.contains(&code);
        let fits = match requirement.operator.as_str() {
            "In" => listed,
            "NotIn" => !listed,
            _ => false,
        };
        (named && code != 0 && fits).then_some((c.name.as_str(), code))
    };
    let containers = status.container_statuses.iter().flatten();
    containers.chain(status.init_container_statuses.iter().flatten()).find_map(matches)
}

fn condition<'p>(
    pod: &'p Pod,
    patterns: &[PodFailurePolicyOnPodConditionsPattern],
) -> Option<&'p PodCondition> {
    let conditions = pod.status.as_ref()?.conditions.iter().flatten();
    let fits = |c: &&PodCondition| {
        patterns.iter().any(|p| p.type_ == c.type_ && p.status.as_deref().unwrap_or("True") == c.status)
    };
    conditions.into_iter().find(fits)
}
