//! Admission of a pod on its node (`pkg/kubelet/lifecycle/predicate.go`): the pod's requests have to fit
//! beside those of the pods that are there. The scheduler has checked the same, but not for a pod that was
//! created with a `nodeName`. Affinity and taints are not checked here.

use std::collections::BTreeMap;

use super::cause::PodCause;
use super::state::{Requests, WorkerPhase};
use super::turn::Turn;
use crate::api::Key;
use crate::api::quantity::amount_of;
use crate::api::types::{Container, Node, PodSpec, Quantity};

impl Requests {
    fn of(map: Option<&BTreeMap<String, Quantity>>) -> Requests {
        let amount = |name: &str| amount_of(map.and_then(|m| m.get(name)));
        Requests {
            cpu: amount("cpu").milli_value(),
            memory: amount("memory").value(),
            storage: amount("ephemeral-storage").value(),
            pods: 0,
        }
    }

    fn zip(self, o: Requests, f: impl Fn(i64, i64) -> i64) -> Requests {
        Requests {
            cpu: f(self.cpu, o.cpu),
            memory: f(self.memory, o.memory),
            storage: f(self.storage, o.storage),
            pods: f(self.pods, o.pods),
        }
    }

    /// The sum of both, amount by amount.
    pub fn plus(self, o: Requests) -> Requests {
        self.zip(o, i64::saturating_add)
    }

    /// The difference, amount by amount.
    pub fn minus(self, o: Requests) -> Requests {
        self.zip(o, i64::saturating_sub)
    }
}

/// A pod's requests (`resource.PodRequests`): the sum of its containers and sidecars, or an init container
/// with the sidecars before it where that is more.
pub(super) fn pod_requests(spec: &PodSpec) -> Requests {
    let of = |c: &Container| Requests::of(c.resources.as_ref().and_then(|r| r.requests.as_ref()));
    let mut sidecars = Requests::default();
    let mut most = Requests::default();
    for c in spec.init_containers.iter().flatten() {
        let asked = if c.restart_policy.as_deref() == Some("Always") {
            sidecars = sidecars.plus(of(c));
            sidecars
        } else {
            sidecars.plus(of(c))
        };
        most = most.zip(asked, i64::max);
    }
    let sum = spec.containers.iter().fold(sidecars, |sum, c| sum.plus(of(c)));
    let mut total = sum.zip(most, i64::max);
    if let Some(pod) = spec.resources.as_ref().and_then(|r| r.requests.as_ref()) {
        let own = Requests::of(Some(pod));
        let pick = |name: &str, own: i64, sum: i64| if pod.contains_key(name) { own } else { sum };
        total.cpu = pick("cpu", own.cpu, total.cpu);
        total.memory = pick("memory", own.memory, total.memory);
    }
    let overhead = Requests::of(spec.overhead.as_ref());
    Requests { pods: 1, ..total.plus(overhead) }
}

impl Turn<'_> {
    /// Whether the pod may run here; called once, when the kubelet sees the pod first. A pod that may not
    /// fails with the reason `OutOf…`.
    pub(super) fn admit(&mut self, node: &Key) -> bool {
        let asked = pod_requests(self.spec);
        let used = self.node.used;
        let allocatable = self.caches.get::<Node>(node).and_then(|n| n.status.as_ref()?.allocatable.as_ref());
        let short = allocatable.and_then(|map| {
            let has = Requests { pods: amount_of(map.get("pods")).value(), ..Requests::of(Some(map)) };
            [
                ("pods", asked.pods, used.pods, has.pods),
                ("cpu", asked.cpu, used.cpu, has.cpu),
                ("memory", asked.memory, used.memory, has.memory),
                ("ephemeral-storage", asked.storage, used.storage, has.storage),
            ]
            .into_iter()
            // A resource that the node's allocatable does not have is not checked.
            .find(|(name, asked, used, has)| {
                map.contains_key(*name) && *asked > 0 && asked.saturating_add(*used) > *has
            })
        });
        let Some((name, asked, used, has)) = short else {
            self.node.used = used.plus(asked);
            self.rt.requests = Some(asked);
            return true;
        };
        let message = format!(
            "Node didn't have enough resource: {name}, requested: {asked}, used: {used}, capacity: {has}"
        );
        let reason = match name {
            "pods" => "OutOfpods",
            "cpu" => "OutOfcpu",
            "memory" => "OutOfmemory",
            _ => "OutOfephemeral-storage",
        };
        self.rt.failed = Some((reason.into(), format!("Pod was rejected: {message}").into()));
        self.event(None, "Warning", reason, message);
        self.rt.phase = WorkerPhase::Terminated;
        self.rt.rejected = true;
        self.rt.unreported = true;
        self.caused(None, PodCause::Rejected);
        false
    }

    /// Gives the pod's requests back to the node.
    pub(super) fn release_resources(&mut self) {
        if let Some(r) = self.rt.requests.take() {
            self.node.used = self.node.used.minus(r);
        }
    }
}
