//! What Pods use (`pkg/quota/v1/evaluator/core/pods.go`).

use std::collections::{BTreeMap, BTreeSet};

use super::{Operation, Rules, one, selects};
use crate::api::resource::{
    Amounts, amounts, is_extended, is_huge_page, pod_resources, qos_class, resources_in_use,
};
use crate::api::types::{Container, ContainerStatus, Pod, PodSpec, ScopedResourceSelectorRequirement};
use crate::api::{ApiKind, Object, Timestamp};

/// Pods are counted, and what they request and may use.
pub(super) struct Pods;

/// The compute resources of pods.
const COMPUTE: &[&str] = &["cpu", "memory", "ephemeral-storage"];
/// The resources of which each container must have a request or a limit if a quota counts them
/// (`validationSet`).
const CONSTRAINED: &[&str] =
    &["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];

impl Rules for Pods {
    fn matches_resource(&self, resource: &str) -> bool {
        let bare = resource.strip_prefix("requests.").unwrap_or(resource);
        resource == "pods"
            || COMPUTE.contains(&bare)
            || resource.strip_prefix("limits.").is_some_and(|r| COMPUTE.contains(&r))
            || is_huge_page(bare)
            || (bare != resource && is_extended(bare))
    }

    fn usage(&self, object: &Object, now: Timestamp) -> Amounts {
        match Pod::from_object(object).filter(|pod| counts(pod, now)) {
            Some(pod) => compute(&resources_in_use(pod, false), &resources_in_use(pod, true)),
            None => Amounts::new(),
        }
    }

    fn handles(&self, operation: Operation, subresource: &str) -> bool {
        match subresource {
            "" => operation == Operation::Create,
            other => other == "resize",
        }
    }

    fn matches_scope(&self, scope: &ScopedResourceSelectorRequirement, object: &Object) -> bool {
        let Some(spec) = Pod::from_object(object).and_then(|p| p.spec.as_deref()) else { return false };
        let ends = spec.active_deadline_seconds.is_some_and(|s| s >= 0);
        match scope.scope_name.as_str() {
            "Terminating" => ends,
            "NotTerminating" => !ends,
            "BestEffort" => qos_class(spec) == "BestEffort",
            "NotBestEffort" => qos_class(spec) != "BestEffort",
            "PriorityClass" => selects(scope, spec.priority_class_name.as_deref().filter(|c| !c.is_empty())),
            "CrossNamespacePodAffinity" => crosses_namespaces(spec),
            _ => false,
        }
    }

    fn constraints(&self, resources: &[&str], object: &Object) -> Option<String> {
        missing_constraints(Pod::from_object(object)?, resources)
    }

    fn replenishes(&self, old: &Object, new: &Object, now: Timestamp) -> bool {
        let (Some(old), Some(new)) = (Pod::from_object(old), Pod::from_object(new)) else { return false };
        allocation_changed(old, new) || (counts(old, now) && !counts(new, now))
    }
}

/// Whether a kubelet has given a container other resources (`hasAllocatedResourcesChanged`).
fn allocation_changed(old: &Pod, new: &Pod) -> bool {
    fn statuses(pod: &Pod) -> &[ContainerStatus] {
        pod.status.as_ref().and_then(|s| s.container_statuses.as_deref()).unwrap_or_default()
    }
    let (old, new) = (statuses(old), statuses(new));
    let of = |s: &ContainerStatus| amounts(s.allocated_resources.as_ref());
    old.len() == new.len() && old.iter().zip(new).any(|(old, new)| of(old) != of(new))
}

/// Whether a pod counts: it has not ended, and is not overdue to be gone (`QuotaV1Pod`).
fn counts(pod: &Pod, now: Timestamp) -> bool {
    if matches!(pod.status.as_ref().and_then(|s| s.phase.as_deref()), Some("Succeeded" | "Failed")) {
        return false;
    }
    let meta = &pod.metadata;
    match (&meta.deletion_timestamp, meta.deletion_grace_period_seconds) {
        (Some(at), Some(grace)) => now <= crate::api::later(at.0, jiff::SignedDuration::from_secs(grace)),
        _ => true,
    }
}

fn compute(requests: &Amounts, limits: &Amounts) -> Amounts {
    let mut used = Amounts::from([("pods".to_owned(), one())]);
    for (name, amount) in requests {
        let known = COMPUTE.contains(&name.as_str()) || is_huge_page(name);
        if known {
            used.insert(name.clone(), *amount);
        }
        if known || is_extended(name) {
            used.insert(format!("requests.{name}"), *amount);
        }
    }
    for (name, amount) in limits.iter().filter(|(n, _)| COMPUTE.contains(&n.as_str())) {
        used.insert(format!("limits.{name}"), *amount);
    }
    used
}

/// Whether a pod's affinity looks at other namespaces.
fn crosses_namespaces(spec: &PodSpec) -> bool {
    let Some(affinity) = &spec.affinity else { return false };
    let near = affinity.pod_affinity.as_ref().map(|a| {
        (
            &a.required_during_scheduling_ignored_during_execution,
            &a.preferred_during_scheduling_ignored_during_execution,
        )
    });
    let far = affinity.pod_anti_affinity.as_ref().map(|a| {
        (
            &a.required_during_scheduling_ignored_during_execution,
            &a.preferred_during_scheduling_ignored_during_execution,
        )
    });
    [near, far].into_iter().flatten().any(|(required, preferred)| {
        let preferred = preferred.iter().flatten().map(|w| &w.pod_affinity_term);
        required
            .iter()
            .flatten()
            .chain(preferred)
            .any(|t| t.namespace_selector.is_some() || t.namespaces.as_ref().is_some_and(|n| !n.is_empty()))
    })
}

/// The message about requests and limits that the containers of a pod lack, of those that `required` names; `None` if
/// the pod has all of them (`Constraints`).
fn missing_constraints(pod: &Pod, required: &[&str]) -> Option<String> {
    let required: Vec<&&str> = CONSTRAINED.iter().filter(|r| required.contains(r)).collect();
    let spec = pod.spec.as_deref()?;
    if spec.resources.is_some() {
        let have = compute(&pod_resources(spec, false), &pod_resources(spec, true));
        let missing: Vec<&str> =
            required.iter().filter(|r| !have.contains_key::<str>(r)).map(|r| **r).collect();
        return (!missing.is_empty()).then(|| format!("must specify {}", missing.join(",")));
    }
    let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let has = |c: &Container| {
        let r = c.resources.as_ref();
        compute(&amounts(r.and_then(|r| r.requests.as_ref())), &amounts(r.and_then(|r| r.limits.as_ref())))
    };
    for c in spec.containers.iter().chain(spec.init_containers.iter().flatten()) {
        let has = has(c);
        for resource in required.iter().filter(|r| !has.contains_key::<str>(r)) {
            missing.entry(resource).or_default().insert(&c.name);
        }
    }
    let said: Vec<String> = missing
        .into_iter()
        .map(|(r, names)| format!("{r} for: {}", names.into_iter().collect::<Vec<_>>().join(",")))
        .collect();
    (!said.is_empty()).then(|| format!("must specify {}", said.join("; ")))
}
