//! How much of each resource an object uses, and which quotas count it
//! (`k8s.io/apiserver/pkg/quota/v1`, `k8s.io/kubernetes/pkg/quota/v1/evaluator/core`).
//!
//! Admission in the API server counts objects that are created or changed, and the ResourceQuota controller counts all
//! objects of a namespace. Both use these functions.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::quantity::{Amount, Format, amount_of};
use crate::api::resource::{Amounts, amounts, is_extended, pod_resources, qos_class};
use crate::api::types::{
    Container, PersistentVolumeClaim, Pod, PodSpec, ResourceQuota, ScopedResourceSelectorRequirement, Service,
};
use crate::api::{ApiKind, Kind, MetaExt, Object, Timestamp};

/// The compute resources of pods.
const COMPUTE: &[&str] = &["cpu", "memory", "ephemeral-storage"];
/// The resources of which each container must have a request or a limit if a quota counts them
/// (`validationSet`).
const CONSTRAINED: &[&str] =
    &["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];
const STORAGE_CLASS: &str = ".storageclass.storage.k8s.io/";

fn one() -> Amount {
    Amount::from_value(1, Format::DecimalSI)
}

fn count(n: usize) -> Amount {
    Amount::from_value(i64::try_from(n).unwrap_or(i64::MAX), Format::DecimalSI)
}

fn counted(kind: Kind) -> String {
    format!("count/{}", kind.group_resource())
}

/// Whether objects of a kind use a resource (`MatchingResources`).
pub fn uses(kind: Kind, resource: &str) -> bool {
    if resource == counted(kind) {
        return true;
    }
    match kind {
        kind if kind == Kind::POD => {
            let bare = resource.strip_prefix("requests.").unwrap_or(resource);
            resource == "pods"
                || COMPUTE.contains(&bare)
                || resource.strip_prefix("limits.").is_some_and(|r| COMPUTE.contains(&r))
                || bare.starts_with("hugepages-")
                || (bare != resource && is_extended(bare))
        }
        kind if kind == Kind::SERVICE => {
            matches!(resource, "services" | "services.nodeports" | "services.loadbalancers")
        }
        kind if kind == Kind::PERSISTENT_VOLUME_CLAIM => {
            let own = |r: &str| matches!(r, "persistentvolumeclaims" | "requests.storage");
            own(resource) || resource.split_once(STORAGE_CLASS).is_some_and(|(_, r)| own(r))
        }
        kind if [Kind::CONFIG_MAP, Kind::SECRET, Kind::RESOURCE_QUOTA].contains(&kind) => {
            resource == kind.plural()
        }
        _ => false,
    }
}

/// Whether a pod counts: it has not ended, and is not overdue to be gone (`QuotaV1Pod`).
pub fn pod_counts(pod: &Pod, now: Timestamp) -> bool {
    if matches!(pod.status.as_ref().and_then(|s| s.phase.as_deref()), Some("Succeeded" | "Failed")) {
        return false;
    }
    let meta = &pod.metadata;
    match (&meta.deletion_timestamp, meta.deletion_grace_period_seconds) {
        (Some(at), Some(grace)) => now <= crate::api::later(at.0, jiff::SignedDuration::from_secs(grace)),
        _ => true,
    }
}

/// What an object uses of each resource (`Usage`).
pub fn usage(object: &Object, now: Timestamp) -> Amounts {
    let kind = object.kind();
    let mut used = Amounts::from([(counted(kind), one())]);
    if let Some(pod) = Pod::from_object(object) {
        if pod_counts(pod, now)
            && let Some(spec) = pod.spec.as_ref()
        {
            used.extend(compute(&pod_resources(spec, false), &pod_resources(spec, true)));
        }
    } else if let Some(service) = Service::from_object(object) {
        of_service(service, &mut used);
    } else if let Some(claim) = PersistentVolumeClaim::from_object(object) {
        of_claim(claim, &mut used);
    } else if [Kind::CONFIG_MAP, Kind::SECRET, Kind::RESOURCE_QUOTA].contains(&kind) {
        used.insert(kind.plural().into(), one());
    }
    used
}

fn compute(requests: &Amounts, limits: &Amounts) -> Amounts {
    let mut used = Amounts::from([("pods".to_owned(), one())]);
    for (name, amount) in requests {
        let known = COMPUTE.contains(&name.as_str()) || name.starts_with("hugepages-");
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

fn of_service(service: &Service, used: &mut Amounts) {
    used.insert("services".into(), one());
    let Some(spec) = &service.spec else { return };
    let ports = spec.ports.as_deref().unwrap_or_default();
    let (node_ports, balancers) = match spec.type_.as_deref().unwrap_or_default() {
        "NodePort" => (ports.len(), 0),
        "LoadBalancer" if spec.allocate_load_balancer_node_ports == Some(false) => {
            (ports.iter().filter(|p| p.node_port.is_some_and(|n| n != 0)).count(), 1)
        }
        "LoadBalancer" => (ports.len(), 1),
        _ => (0, 0),
    };
    used.insert("services.nodeports".into(), count(node_ports));
    used.insert("services.loadbalancers".into(), count(balancers));
}

fn of_claim(claim: &PersistentVolumeClaim, used: &mut Amounts) {
    let spec = claim.spec.as_ref();
    let class = claim.metadata.annotation(crate::api::volume::BETA_CLASS);
    let class = class.or_else(|| spec.and_then(|s| s.storage_class_name.as_deref())).unwrap_or_default();
    let requests = spec.and_then(|s| s.resources.as_ref()?.requests.as_ref());
    let mut own = Amounts::from([("persistentvolumeclaims".to_owned(), one())]);
    if let Some(storage) = requests.and_then(|r| r.get("storage")) {
        own.insert("requests.storage".into(), amount_of(Some(storage)));
    }
    if !class.is_empty() {
        used.extend(own.iter().map(|(name, amount)| (format!("{class}{STORAGE_CLASS}{name}"), *amount)));
    }
    used.extend(own);
}

/// Whether a quota counts an object: the object uses one of its resources and is in all of its scopes.
pub fn matches(quota: &ResourceQuota, object: &Object) -> bool {
    let hard = quota.status.as_ref().and_then(|s| s.hard.as_ref());
    hard.is_some_and(|h| h.keys().any(|r| uses(object.kind(), r))) && in_scopes(quota, object)
}

/// Whether an object is in every scope of a quota.
pub fn in_scopes(quota: &ResourceQuota, object: &Object) -> bool {
    let Some(spec) = &quota.spec else { return true };
    let exists = |scope: &String| ScopedResourceSelectorRequirement {
        operator: "Exists".into(),
        scope_name: scope.clone(),
        values: None,
    };
    let plain = spec.scopes.iter().flatten().map(exists);
    let selected = spec.scope_selector.iter().flat_map(|s| s.match_expressions.iter().flatten().cloned());
    plain.chain(selected).all(|r| in_scope(&r, object))
}

fn in_scope(scope: &ScopedResourceSelectorRequirement, object: &Object) -> bool {
    let Some(spec) = Pod::from_object(object).and_then(|p| p.spec.as_deref()) else { return false };
    let ends = spec.active_deadline_seconds.is_some_and(|s| s >= 0);
    match scope.scope_name.as_str() {
        "Terminating" => ends,
        "NotTerminating" => !ends,
        "BestEffort" => qos_class(spec) == "BestEffort",
        "NotBestEffort" => qos_class(spec) != "BestEffort",
        "PriorityClass" => {
            let class = spec.priority_class_name.as_deref().unwrap_or_default();
            let listed = scope.values.iter().flatten().any(|v| v == class);
            match scope.operator.as_str() {
                "In" => !class.is_empty() && listed,
                "NotIn" => class.is_empty() || !listed,
                "Exists" => !class.is_empty(),
                _ => class.is_empty(),
            }
        }
        "CrossNamespacePodAffinity" => crosses_namespaces(spec),
        _ => false,
    }
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
pub fn missing_constraints(pod: &Pod, required: &[&str]) -> Option<String> {
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
