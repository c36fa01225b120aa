//! Amounts of compute resources as integers, and a pod's requests (`framework.Resource`,
//! `k8s.io/component-helpers/resource`).

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::quantity::Amount;
use crate::api::types::{Container, Pod, Quantity};

/// The CPU, in thousandths of a core, that counts in scores for a container without a CPU request.
pub const DEFAULT_MILLI_CPU_REQUEST: i64 = 100;
/// The memory, in bytes, that counts in scores for a container without a memory request.
pub const DEFAULT_MEMORY_REQUEST: i64 = 200 * 1024 * 1024;

/// Amounts of compute resources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resource {
    /// CPU in thousandths of a core.
    pub milli_cpu: i64,
    /// Memory in bytes.
    pub memory: i64,
    /// Ephemeral storage in bytes.
    pub ephemeral_storage: i64,
    /// How many pods a node takes. Only a node's allocatable has it; 0 elsewhere.
    pub allowed_pod_number: i64,
    /// All other resources (extended resources, huge pages), sorted by name.
    pub scalar: Vec<(Rc<str>, i64)>,
}

impl Resource {
    /// Reads a resource list. A quantity that cannot be parsed counts as 0.
    pub fn from_list(list: &BTreeMap<String, Quantity>) -> Resource {
        let mut r = Resource::default();
        for (name, quantity) in list {
            let amount = amount(quantity);
            match name.as_str() {
                "cpu" => r.milli_cpu = amount.milli_value(),
                "memory" => r.memory = amount.value(),
                "ephemeral-storage" => r.ephemeral_storage = amount.value(),
                "pods" => r.allowed_pod_number = amount.value(),
                _ => r.set_scalar(name, amount.value()),
            }
        }
        r
    }

    /// The amount of another resource by name; 0 if there is none.
    pub fn scalar(&self, name: &str) -> i64 {
        match self.scalar.binary_search_by(|(n, _)| (**n).cmp(name)) {
            Ok(i) => self.scalar.get(i).map_or(0, |s| s.1),
            Err(_) => 0,
        }
    }

    fn set_scalar(&mut self, name: &str, value: i64) {
        match self.scalar.binary_search_by(|(n, _)| (**n).cmp(name)) {
            Ok(i) => {
                if let Some(s) = self.scalar.get_mut(i) {
                    s.1 = value;
                }
            }
            Err(i) => self.scalar.insert(i, (name.into(), value)),
        }
    }

    fn scalar_mut(&mut self, name: &Rc<str>) -> Option<&mut i64> {
        let i = match self.scalar.binary_search_by(|(n, _)| n.cmp(name)) {
            Ok(i) => i,
            Err(i) => {
                self.scalar.insert(i, (name.clone(), 0));
                i
            }
        };
        self.scalar.get_mut(i).map(|s| &mut s.1)
    }

    /// Adds the amounts of `other`, multiplied by `times`; -1 subtracts them.
    pub fn add(&mut self, other: &Resource, times: i64) {
        let add = |a: &mut i64, b: i64| *a = a.saturating_add(b.saturating_mul(times));
        add(&mut self.milli_cpu, other.milli_cpu);
        add(&mut self.memory, other.memory);
        add(&mut self.ephemeral_storage, other.ephemeral_storage);
        for (name, value) in &other.scalar {
            if let Some(s) = self.scalar_mut(name) {
                add(s, *value);
            }
        }
    }

    /// Raises every amount to that of `other` where `other` has more.
    pub fn set_max(&mut self, other: &Resource) {
        self.milli_cpu = self.milli_cpu.max(other.milli_cpu);
        self.memory = self.memory.max(other.memory);
        self.ephemeral_storage = self.ephemeral_storage.max(other.ephemeral_storage);
        for (name, value) in &other.scalar {
            if let Some(s) = self.scalar_mut(name) {
                *s = (*s).max(*value);
            }
        }
    }

    /// Whether all amounts are 0.
    pub fn is_zero(&self) -> bool {
        self.milli_cpu == 0 && self.memory == 0 && self.ephemeral_storage == 0 && self.scalar.is_empty()
    }
}

/// CPU and memory for scores, with a default for each container that requests none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NonZero {
    /// CPU in thousandths of a core.
    pub milli_cpu: i64,
    /// Memory in bytes.
    pub memory: i64,
}

fn amount(quantity: &Quantity) -> Amount {
    Amount::parse(&quantity.0).unwrap_or(Amount::ZERO)
}

type List = BTreeMap<String, Quantity>;

/// The lists of which the largest amounts count: what the spec asks for, what a container or a pod has, and what a kubelet has
/// allocated (`ResourceState`).
type Lists<'a> = [Option<&'a List>; 3];

fn largest(lists: Lists<'_>) -> Resource {
    let mut r = Resource::default();
    for list in lists.into_iter().flatten() {
        r.set_max(&Resource::from_list(list));
    }
    r
}

/// A container's requests. `defaults` apply to CPU and memory that the lists do not have.
fn container(lists: Lists<'_>, defaults: Option<NonZero>) -> Resource {
    let mut r = largest(lists);
    if let Some(d) = defaults {
        let has = |name: &str| lists.iter().flatten().any(|l| l.contains_key(name));
        if !has("cpu") {
            r.milli_cpu = d.milli_cpu;
        }
        if !has("memory") {
            r.memory = d.memory;
        }
    }
    r
}

/// What a container or sidecar requests, which may be in the middle of a resize. Unless its status says which resources it has,
/// the spec alone counts. The spec of a resize that is infeasible does not (`determineEffectiveRequests`).
fn in_use<'a>(pod: &'a Pod, c: &'a Container, infeasible: bool) -> Lists<'a> {
    let status = pod.status.as_ref().and_then(|s| {
        let all = s.container_statuses.iter().chain(&s.init_container_statuses).flatten();
        all.into_iter().find(|cs| cs.name == c.name)
    });
    let Some((status, resources)) = status.and_then(|s| Some((s, s.resources.as_ref()?))) else {
        return [asked(c), None, None];
    };
    let wanted = asked(c).filter(|_| !infeasible);
    [wanted, resources.requests.as_ref(), status.allocated_resources.as_ref()]
}

/// The requests in the spec of a container.
fn asked(c: &Container) -> Option<&List> {
    c.resources.as_ref().and_then(|r| r.requests.as_ref())
}

/// The sum over a pod's containers, or the highest need during initialisation where that is larger. A
/// sidecar (an init container with `restartPolicy: Always`) counts from its start on (`AggregateContainerRequests`).
fn containers(pod: &Pod, defaults: Option<NonZero>, infeasible: bool) -> Resource {
    let Some(spec) = &pod.spec else { return Resource::default() };
    let mut total = Resource::default();
    for c in &spec.containers {
        total.add(&container(in_use(pod, c, infeasible), defaults), 1);
    }
    let mut sidecars = Resource::default();
    let mut init = Resource::default();
    for c in spec.init_containers.iter().flatten() {
        if c.restart_policy.as_deref() == Some("Always") {
            let r = container(in_use(pod, c, infeasible), defaults);
            total.add(&r, 1);
            sidecars.add(&r, 1);
            init.set_max(&sidecars);
        } else {
            let mut r = container([asked(c), None, None], defaults);
            r.add(&sidecars, 1);
            init.set_max(&r);
        }
    }
    total.set_max(&init);
    total
}

/// A pod's requests (`PodRequests`): its containers and sidecars, the requests of the pod itself where they
/// are set, and its overhead. Of a container that is resized, and of a pod that is resized as a whole, the largest of desired,
/// allocated and actual resources counts, unless the resize is infeasible.
pub fn pod_requests(pod: &Pod, defaults: Option<NonZero>) -> Resource {
    let status = pod.status.as_ref();
    let infeasible = status
        .iter()
        .flat_map(|s| s.conditions.iter().flatten())
        .find(|c| c.type_ == "PodResizePending")
        .is_some_and(|c| c.reason.as_deref() == Some("Infeasible"));
    let mut total = containers(pod, defaults, infeasible);
    let Some(spec) = &pod.spec else { return total };
    if let Some(list) = spec.resources.as_ref().and_then(|r| r.requests.as_ref()) {
        let resized = status.and_then(|s| Some((s, s.resources.as_ref()?)));
        let lists = match resized {
            None => [Some(list), None, None],
            Some((s, has)) => {
                let wanted = Some(list).filter(|_| !infeasible);
                [wanted, has.requests.as_ref(), s.allocated_resources.as_ref()]
            }
        };
        let whole = largest(lists);
        for name in list.keys() {
            match name.as_str() {
                "cpu" => total.milli_cpu = whole.milli_cpu,
                "memory" => total.memory = whole.memory,
                n if n.starts_with("hugepages-") => total.set_scalar(n, whole.scalar(n)),
                _ => {}
            }
        }
    }
    if let Some(overhead) = &spec.overhead {
        total.add(&Resource::from_list(overhead), 1);
    }
    total
}

/// [`pod_requests`] with the defaults that apply in scores.
pub fn pod_non_zero_requests(pod: &Pod) -> NonZero {
    let defaults = NonZero { milli_cpu: DEFAULT_MILLI_CPU_REQUEST, memory: DEFAULT_MEMORY_REQUEST };
    let r = pod_requests(pod, Some(defaults));
    NonZero { milli_cpu: r.milli_cpu, memory: r.memory }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::types::PodStatus;
    use serde_json::{Value, json};

    fn pod(spec: Value) -> Pod {
        serde_json::from_value(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": spec}))
            .unwrap()
    }
    fn c(cpu: &str) -> Value {
        json!({"name": cpu, "resources": {"requests": {"cpu": cpu}}})
    }
    fn sidecar(cpu: &str) -> Value {
        json!({"name": cpu, "restartPolicy": "Always", "resources": {"requests": {"cpu": cpu}}})
    }

    #[test]
    fn cpu_of_a_pod() {
        let table = [
            (json!({"containers": [c("1"), c("500m")]}), 1500),
            (json!({"containers": [c("1")], "initContainers": [c("3"), c("2")]}), 3000),
            (json!({"containers": [c("1")], "initContainers": [sidecar("2"), c("2")]}), 4000),
            (json!({"containers": [c("3")], "initContainers": [c("4"), sidecar("2")]}), 5000),
            (json!({"containers": [c("1")], "overhead": {"cpu": "250m"}}), 1250),
            (
                json!({"containers": [c("1")], "resources": {"requests": {"cpu": "2"}}, "overhead": {"cpu": "1"}}),
                3000,
            ),
            (json!({"containers": [{"name": "x"}]}), 0),
        ];
        for (spec, want) in table {
            assert_eq!(pod_requests(&pod(spec.clone()), None).milli_cpu, want, "{spec}");
        }
    }

    #[test]
    fn defaults_are_per_container() {
        let p = pod(json!({"containers": [{"name": "a"}, c("1")]}));
        assert_eq!(
            pod_non_zero_requests(&p),
            NonZero { milli_cpu: 1100, memory: 2 * DEFAULT_MEMORY_REQUEST }
        );
    }

    fn status(name: &str, allocated: Value, resources: Value) -> Value {
        json!({"name": name, "image": "", "imageID": "", "ready": true, "restartCount": 0,
            "allocatedResources": allocated, "resources": resources})
    }
    fn of(cpu: &str) -> Value {
        json!({"requests": {"cpu": cpu}})
    }

    /// `component-helpers/resource/helpers.go`: `AggregateContainerRequests` and `determineEffectiveRequests`.
    #[test]
    fn a_resize_counts_with_the_largest_value_of_each_container() {
        let infeasible = json!([{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]);
        let table = [
            ("largest", json!({"containerStatuses": [status("1", json!({"cpu": "2"}), of("3"))]}), 4000),
            (
                "each for itself",
                json!({"containerStatuses": [status("1", json!({}), of("3")), status("1.0", json!({}), of("100m"))]}),
                4000,
            ),
            (
                "allocated, but nothing is said of what it has",
                json!({"containerStatuses": [status("1", json!({"cpu": "2"}), Value::Null)]}),
                2000,
            ),
            (
                "infeasible",
                json!({"containerStatuses": [status("1", json!({"cpu": "500m"}), of("100m"))], "conditions": infeasible}),
                1500,
            ),
            ("nothing but the condition", json!({"conditions": infeasible}), 2000),
        ];
        for (what, status, want) in table {
            let spec = json!({"containers": [c("1"), c("1.0")]});
            let v =
                json!({"apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": spec, "status": status});
            let p: Pod = serde_json::from_value(v).unwrap();
            assert_eq!(pod_requests(&p, None).milli_cpu, want, "{what}");
        }
        let mut p = pod(json!({"containers": [c("1")], "initContainers": [sidecar("2"), c("4")]}));
        let init = json!({"initContainerStatuses": [status("2", json!({}), of("3")), status("4", json!({}), of("9"))]});
        p.status = Some(serde_json::from_value::<PodStatus>(init).unwrap().into());
        assert_eq!(pod_requests(&p, None).milli_cpu, 7000, "a sidecar may be resized, the other not");
    }

    /// `component-helpers/resource/helpers.go`: `PodRequests` with `status.resources` (KEP-5419).
    #[test]
    fn a_resize_of_the_whole_pod_counts_with_its_largest_value() {
        let mut p = pod(json!({"containers": [c("1")], "resources": {"requests": {"cpu": "2"}}}));
        let mut cpu = |status: Value| {
            p.status = Some(serde_json::from_value::<PodStatus>(status).unwrap().into());
            pod_requests(&p, None).milli_cpu
        };
        assert_eq!(cpu(json!({"allocatedResources": {"cpu": "9"}})), 2000, "nothing is said of what it has");
        assert_eq!(cpu(json!({"allocatedResources": {"cpu": "3"}, "resources": of("4")})), 4000);
        let whole = json!({"resources": of("1"), "conditions":
            [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]});
        assert_eq!(cpu(whole), 1000);
    }
}
