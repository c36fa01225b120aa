//! Names of resources, what pods request of them, and the quality of service that follows from it
//! (`k8s.io/component-helpers/resource`, `k8s.io/kubernetes/pkg/apis/core/v1/helper`).

use std::collections::BTreeMap;

use super::names;
use super::quantity::{Amount, amount_of};
use super::types::{Container, Pod, PodSpec, Quantity, ResourceRequirements};

/// Amounts by the names of resources.
pub type Amounts = BTreeMap<String, Amount>;

/// The amounts of a list of resources.
pub fn amounts(list: Option<&BTreeMap<String, Quantity>>) -> Amounts {
    list.into_iter().flatten().map(|(name, q)| (name.clone(), amount_of(Some(q)))).collect()
}

/// Adds amounts to others, by the names of resources.
pub fn add(to: &mut Amounts, more: &Amounts) {
    for (name, amount) in more {
        match to.get_mut(name) {
            Some(sum) => *sum = sum.plus(*amount),
            None => {
                to.insert(name.clone(), *amount);
            }
        }
    }
}

/// Whether a resource is huge pages of some size.
pub fn is_huge_page(name: &str) -> bool {
    name.starts_with("hugepages-")
}

/// Whether a resource can be given for a pod as a whole (KEP-2837, `IsSupportedPodLevelResource`).
pub fn is_pod_level(name: &str) -> bool {
    matches!(name, "cpu" | "memory") || is_huge_page(name)
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
    container_resources(spec, &|c, _| amounts(said(c, false)))
}

/// What the containers of a pod may use together, added up as in [`container_requests`] (`AggregateContainerLimits`).
pub fn container_limits(spec: &PodSpec) -> Amounts {
    container_resources(spec, &|c, _| amounts(said(c, true)))
}

/// The requests of a pod or, with `limits`, its limits: the amounts of the pod as a whole or else the sum of its
/// containers, and its overhead (`PodRequests`, `PodLimits`).
pub fn pod_resources(spec: &PodSpec, limits: bool) -> Amounts {
    with_pod_level(container_resources(spec, &|c, _| amounts(said(c, limits))), spec, limits)
}

/// [`pod_resources`] of a pod whose containers may be in the middle of a resize: of each container the most of what the spec says,
/// what a kubelet has allocated, and what the container has. The spec of a resize that is infeasible does not count
/// (`PodResourcesOptions.UseStatusResources`). Init containers that are no sidecars are not resized.
pub fn resources_in_use(pod: &Pod, limits: bool) -> Amounts {
    let Some(spec) = pod.spec.as_deref() else { return Amounts::new() };
    let Some(status) = &pod.status else { return pod_resources(spec, limits) };
    let of = of(limits);
    let pending = status.conditions.iter().flatten().find(|c| c.type_ == "PodResizePending");
    let infeasible = pending.is_some_and(|c| c.reason.as_deref() == Some("Infeasible"));
    let in_use = |c: &Container, resizable: bool| {
        let mut all = status
            .container_statuses
            .iter()
            .chain(&status.init_container_statuses)
            .flatten()
            .filter(|_| resizable);
        let wanted = amounts(said(c, limits));
        let Some((s, has)) = all.find(|s| s.name == c.name).and_then(|s| Some((s, s.resources.as_ref()?)))
        else {
            return wanted;
        };
        let mut total = if infeasible { Amounts::new() } else { wanted };
        most(&mut total, amounts(of(has)));
        // A kubelet allocates requests; limits it only applies.
        if !limits {
            most(&mut total, amounts(s.allocated_resources.as_ref()));
        }
        total
    };
    with_pod_level(container_resources(spec, &in_use), spec, limits)
}

/// Whether a pod says as a whole how much it requests or may use of a resource that pods have as a whole
/// (`IsPodLevelResourcesSet`).
pub fn has_pod_level_resources(spec: &PodSpec) -> bool {
    let lists = spec.resources.iter().flat_map(|r| [&r.requests, &r.limits]).flatten();
    lists.flat_map(BTreeMap::keys).any(|name| is_pod_level(name))
}

/// Sets what the pod says as a whole in place of the sum of its containers, and adds its overhead.
fn with_pod_level(mut total: Amounts, spec: &PodSpec, limits: bool) -> Amounts {
    for (name, q) in spec.resources.as_ref().and_then(of(limits)).into_iter().flatten() {
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

type List = BTreeMap<String, Quantity>;

/// Which amounts of a container are added up: its requests or its limits.
fn of(limits: bool) -> fn(&ResourceRequirements) -> Option<&List> {
    if limits { |r| r.limits.as_ref() } else { |r| r.requests.as_ref() }
}

/// The requests or the limits in the spec of a container.
fn said(container: &Container, limits: bool) -> Option<&List> {
    container.resources.as_ref().and_then(of(limits))
}

/// Raises amounts to those of `other` where `other` has more.
fn most(amounts: &mut Amounts, other: Amounts) {
    for (name, amount) in other {
        let most = amounts.entry(name).or_insert(amount);
        *most = (*most).max(amount);
    }
}

/// The sum over containers, of each of which `of` says the amounts; it is told whether the container may be resized.
fn container_resources(spec: &PodSpec, of: &dyn Fn(&Container, bool) -> Amounts) -> Amounts {
    let mut total = Amounts::new();
    let mut sidecars = Amounts::new();
    let mut init = Amounts::new();
    for c in &spec.containers {
        add(&mut total, &of(c, true));
    }
    for c in spec.init_containers.iter().flatten() {
        let sidecar = c.restart_policy.as_deref() == Some("Always");
        let own = of(c, sidecar);
        if sidecar {
            add(&mut total, &own);
            add(&mut sidecars, &own);
            most(&mut init, sidecars.clone());
        } else {
            let mut here = sidecars.clone();
            add(&mut here, &own);
            most(&mut init, here);
        }
    }
    most(&mut total, init);
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::{Value, json};

    /// `component-helpers/resource/helpers.go`: `AggregateContainerRequests` and `AggregateContainerLimits`. Quota asks for them
    /// without `InPlacePodLevelResourcesVerticalScalingEnabled` (`pkg/quota/v1/evaluator/core/pods.go`).
    #[test]
    fn a_resize_counts_with_the_most_of_each_container() {
        let both = |cpu: &str| json!({"requests": {"cpu": cpu}, "limits": {"cpu": cpu}});
        let container = |name: &str| json!({"name": name, "resources": both("1")});
        let status = |name: &str, allocated: &str, resources: Value| {
            json!({"name": name, "image": "", "imageID": "", "ready": true, "restartCount": 0,
                "allocatedResources": {"cpu": allocated}, "resources": resources})
        };
        let pod = |status: Value| -> Pod {
            let spec =
                json!({"containers": [container("a"), container("b")], "initContainers": [container("i")]});
            serde_json::from_value(json!({"metadata": {}, "spec": spec, "status": status})).unwrap()
        };
        let cpu = |pod: &Pod, limits| resources_in_use(pod, limits)["cpu"].milli_value();
        let resized =
            pod(json!({"containerStatuses": [status("a", "4", both("2")), status("b", "1", both("3"))],
            "initContainerStatuses": [status("i", "20", both("20"))], "resources": both("30")}));
        assert_eq!((cpu(&resized, false), cpu(&resized, true)), (7000, 5000));
        let unknown = pod(json!({"containerStatuses": [status("a", "4", Value::Null)]}));
        assert_eq!(cpu(&unknown, false), 2000);
    }
}
