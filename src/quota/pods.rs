//! What Pods use (`pkg/quota/v1/evaluator/core/pods.go`).

use std::collections::{BTreeMap, BTreeSet};

use super::{Operation, Rules, one, selects};
use crate::api::resource::{
    Amounts, amounts, has_pod_level_resources, is_extended, is_huge_page, qos_class, resources_in_use,
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

    fn handles(&self, operation: Operation<'_>, subresource: &str) -> bool {
        match (subresource, operation) {
            ("", Operation::Create) => true,
            // The pod comes to other scopes.
            ("", Operation::Update { old, new }) => {
                let ends =
                    |o| Pod::from_object(o).and_then(|p| p.spec.as_deref()).is_some_and(is_terminating);
                ends(old) != ends(new)
            }
            (other, _) => other == "resize",
        }
    }

    fn matches_scope(&self, scope: &ScopedResourceSelectorRequirement, object: &Object) -> bool {
        let Some(spec) = Pod::from_object(object).and_then(|p| p.spec.as_deref()) else { return false };
        let ends = is_terminating(spec);
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
        let ends = |pod: &Pod| pod.spec.as_deref().is_some_and(is_terminating);
        resources_changed(old, new) || ends(old) != ends(new) || (counts(old, now) && !counts(new, now))
    }
}

/// Whether the pod has a deadline (`IsTerminating`).
fn is_terminating(spec: &PodSpec) -> bool {
    spec.active_deadline_seconds.is_some_and(|s| s >= 0)
}

/// Whether a kubelet has given a container of the same name other resources (`hasResourcesChanged`).
fn resources_changed(old: &Pod, new: &Pod) -> bool {
    let of = |s: &ContainerStatus| {
        s.resources.as_ref().map(|r| (amounts(r.requests.as_ref()), amounts(r.limits.as_ref())))
    };
    let differ = |old: &Statuses, new: &Statuses| {
        let same = |o: &ContainerStatus| new.iter().flatten().find(|n| n.name == o.name);
        old.iter().flatten().any(|o| same(o).is_some_and(|n| of(o) != of(n)))
    };
    let (Some(old), Some(new)) = (&old.status, &new.status) else { return false };
    differ(&old.container_statuses, &new.container_statuses)
        || differ(&old.init_container_statuses, &new.init_container_statuses)
}

type Statuses = Option<Vec<ContainerStatus>>;

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
    if has_pod_level_resources(spec) {
        return None;
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
