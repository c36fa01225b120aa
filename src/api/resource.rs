//! Names of resources, what pods request of them, and the quality of service that follows from it
//! (`k8s.io/component-helpers/resource`, `k8s.io/kubernetes/pkg/apis/core/v1/helper`).

use std::collections::BTreeMap;

use super::names;
use super::quantity::{Amount, amount_of};
use super::types::{Container, PodSpec, Quantity, ResourceRequirements};

/// Amounts by the names of resources.
pub type Amounts = BTreeMap<String, Amount>;

/// The amounts of a list of resources.
pub fn amounts(list: Option<&BTreeMap<String, Quantity>>) -> Amounts {
    list.into_iter().flatten().map(|(name, q)| (name.clone(), amount_of(Some(q)))).collect()
}

/// Adds amounts to others, by the names of resources.
pub fn add(to: &mut Amounts, more: &Amounts) {
    more.iter().for_each(|(name, amount)| add_one(to, name, *amount));
}

fn add_one(to: &mut Amounts, name: &str, amount: Amount) {
    match to.get_mut(name) {
        Some(sum) => *sum = sum.plus(amount),
        None => {
            to.insert(name.to_owned(), amount);
        }
    }
}

/// Whether a resource is huge pages of some size.
pub fn is_huge_page(name: &str) -> bool {
    name.starts_with("hugepages-")
}

/// Whether the name of a resource is Kubernetes' own: without a domain, or with `kubernetes.io` (`IsNativeResource`).
pub fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Whether the name is that of a vendor's resource, such as `nvidia.com/gpu` (`IsExtendedResourceName`).
pub fn is_extended(name: &str) -> bool {
    !is_native(name)
        && !name.starts_with("requests.")
        && names::is_qualified_name(&format!("requests.{name}")).is_empty()
}

/// What the containers of a pod request together: containers and sidecars are added up; an init container that is no
/// sidecar runs when no other container runs but the sidecars before it (`AggregateContainerRequests`).
pub fn container_requests(spec: &PodSpec) -> Amounts {
    container_resources(spec, |r| r.requests.as_ref())
}

/// The requests of a pod or, with `limits`, its limits: the amounts of the pod as a whole or else the sum of its
/// containers, and its overhead (`PodRequests`, `PodLimits`).
pub fn pod_resources(spec: &PodSpec, limits: bool) -> Amounts {
    let of: Of = if limits { |r| r.limits.as_ref() } else { |r| r.requests.as_ref() };
    let mut total = container_resources(spec, of);
    for (name, q) in spec.resources.as_ref().and_then(of).into_iter().flatten() {
        total.insert(name.clone(), amount_of(Some(q)));
    }
    for (name, q) in spec.overhead.iter().flatten() {
        let more = amount_of(Some(q));
        match total.get_mut(name) {
            Some(sum) => *sum = sum.plus(more),
            // A resource without a limit gets none from the overhead.
            None if limits => {}
            None => {
                total.insert(name.clone(), more);
            }
        }
    }
    total
}

/// Which amounts of a container are added up: its requests or its limits.
type Of = fn(&ResourceRequirements) -> Option<&BTreeMap<String, Quantity>>;

fn container_resources(spec: &PodSpec, of: Of) -> Amounts {
    let requests = |c: &Container| c.resources.as_ref().and_then(of).cloned().unwrap_or_default();
    let mut total: Amounts = BTreeMap::new();
    let mut sidecars: Amounts = BTreeMap::new();
    let mut init: Amounts = BTreeMap::new();
    let zero = amount_of(None);
    for c in &spec.containers {
        for (name, q) in requests(c) {
            add_one(&mut total, &name, amount_of(Some(&q)));
        }
    }
    for c in spec.init_containers.iter().flatten() {
        let sidecar = c.restart_policy.as_deref() == Some("Always");
        for (name, q) in requests(c) {
            let amount = amount_of(Some(&q));
            if sidecar {
                add_one(&mut total, &name, amount);
                add_one(&mut sidecars, &name, amount);
            }
        }
        let mut here = sidecars.clone();
        if !sidecar {
            for (name, q) in requests(c) {
                add_one(&mut here, &name, amount_of(Some(&q)));
            }
        }
        for (name, amount) in here {
            let most = init.entry(name).or_insert(zero);
            *most = (*most).max(amount);
        }
    }
    for (name, amount) in init {
        match total.get_mut(&name) {
            Some(sum) => *sum = (*sum).max(amount),
            None => {
                total.insert(name, amount);
            }
        }
    }
    total
}

/// The quality of service of a pod: `BestEffort`, `Burstable` or `Guaranteed`, by the requests and limits of the pod
/// as a whole or else of its containers (`qos.ComputePodQOS`).
pub fn qos_class(spec: &PodSpec) -> &'static str {
    let containers = || spec.containers.iter().chain(spec.init_containers.iter().flatten());
    let amount = |r: Option<&ResourceRequirements>, limits: bool, name: &str| -> Option<Amount> {
        let r = r?;
        let map = if limits { r.limits.as_ref() } else { r.requests.as_ref() };
        Amount::parse(&map?.get(name)?.0).ok().filter(|a| !a.is_zero())
    };
    let pod_level = spec.resources.as_ref();
    let mut any = false;
    let mut guaranteed = true;
    let mut check = |r: Option<&ResourceRequirements>| {
        for name in ["cpu", "memory"] {
            let (request, limit) = (amount(r, false, name), amount(r, true, name));
            any |= request.is_some() || limit.is_some();
            guaranteed &= limit.is_some() && request == limit;
        }
    };
    if pod_level.is_some() {
        check(pod_level);
    } else {
        for c in containers() {
            check(c.resources.as_ref());
        }
    }
    match (any, guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}
