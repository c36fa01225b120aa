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

/// A container's requests. `defaults` apply to CPU and memory that the list does not have.
fn container(list: Option<&BTreeMap<String, Quantity>>, defaults: Option<NonZero>) -> Resource {
    let mut r = list.map(Resource::from_list).unwrap_or_default();
    if let Some(d) = defaults {
        let has = |name: &str| list.is_some_and(|l| l.contains_key(name));
        if !has("cpu") {
            r.milli_cpu = d.milli_cpu;
        }
        if !has("memory") {
            r.memory = d.memory;
        }
    }
    r
}

/// Which amount counts for a running container whose resources are being resized in place.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    Spec,
    Allocated,
    Actuated,
}

fn list_of<'a>(
    pod: &'a Pod,
    c: &'a Container,
    source: Source,
    infeasible: bool,
) -> Option<&'a BTreeMap<String, Quantity>> {
    let spec = c.resources.as_ref().and_then(|r| r.requests.as_ref());
    if source == Source::Spec {
        return spec;
    }
    let status = pod.status.as_ref().and_then(|s| {
        let all = s.container_statuses.iter().chain(&s.init_container_statuses).flatten();
        all.into_iter().find(|cs| cs.name == c.name)
    });
    let actuated = status.and_then(|s| s.resources.as_ref()).and_then(|r| r.requests.as_ref());
    let allocated = status.and_then(|s| s.allocated_resources.as_ref());
    match source {
        Source::Actuated if actuated.is_some() => actuated,
        _ if allocated.is_some() => allocated,
        _ if infeasible => None,
        _ => spec,
    }
}

/// The sum over a pod's containers, or the highest need during initialisation where that is larger. A
/// sidecar (an init container with `restartPolicy: Always`) counts from its start on.
fn containers(pod: &Pod, defaults: Option<NonZero>, source: Source, infeasible: bool) -> Resource {
    let Some(spec) = &pod.spec else { return Resource::default() };
    let mut total = Resource::default();
    for c in &spec.containers {
        total.add(&container(list_of(pod, c, source, infeasible), defaults), 1);
    }
    let mut sidecars = Resource::default();
    let mut init = Resource::default();
    for c in spec.init_containers.iter().flatten() {
        let mut r = container(list_of(pod, c, source, infeasible), defaults);
        if c.restart_policy.as_deref() == Some("Always") {
            total.add(&r, 1);
            sidecars.add(&r, 1);
            init.set_max(&sidecars);
        } else {
            r.add(&sidecars, 1);
            init.set_max(&r);
        }
    }
    total.set_max(&init);
    total
}

/// A pod's requests (`PodRequests`): its containers and sidecars, the requests of the pod itself where they
/// are set, and its overhead. For a running pod the largest of desired, allocated and actual resources
/// counts, unless its resize is infeasible.
pub fn pod_requests(pod: &Pod, defaults: Option<NonZero>) -> Resource {
    let infeasible = pod
        .status
        .iter()
        .flat_map(|s| s.conditions.iter().flatten())
        .find(|c| c.type_ == "PodResizePending")
        .is_some_and(|c| c.reason.as_deref() == Some("Infeasible"));
    let has_status = pod
        .status
        .as_ref()
        .is_some_and(|s| s.container_statuses.is_some() || s.init_container_statuses.is_some());
    let mut total = if has_status {
        let mut r = containers(pod, defaults, Source::Allocated, infeasible);
        r.set_max(&containers(pod, defaults, Source::Actuated, infeasible));
        if !infeasible {
            r.set_max(&containers(pod, defaults, Source::Spec, infeasible));
        }
        r
    } else {
        containers(pod, defaults, Source::Spec, false)
    };
    let Some(spec) = &pod.spec else { return total };
    if let Some(list) = spec.resources.as_ref().and_then(|r| r.requests.as_ref()) {
        for (name, quantity) in list {
            match name.as_str() {
                "cpu" => total.milli_cpu = amount(quantity).milli_value(),
                "memory" => total.memory = amount(quantity).value(),
                n if n.starts_with("hugepages-") => total.set_scalar(n, amount(quantity).value()),
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

    #[test]
    fn a_resize_counts_with_its_largest_value() {
        let mut v = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {},
            "spec": {"containers": [c("1")]},
            "status": {"containerStatuses": [{"name": "1", "image": "", "imageID": "", "ready": true, "restartCount": 0,
                "allocatedResources": {"cpu": "2"}, "resources": {"requests": {"cpu": "3"}}}]}});
        let p: Pod = serde_json::from_value(v.clone()).unwrap();
        assert_eq!(pod_requests(&p, None).milli_cpu, 3000);
        v["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!("9");
        v["status"]["conditions"] =
            json!([{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]);
        let p: Pod = serde_json::from_value(v).unwrap();
        assert_eq!(pod_requests(&p, None).milli_cpu, 3000);
    }
}
