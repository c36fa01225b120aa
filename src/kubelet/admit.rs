//! Admission of a pod on its node (`pkg/kubelet/lifecycle/predicate.go`): the node must not be short of something
//! (`eviction`), and the pod's requests have to fit
//! beside those of the pods that are there. The scheduler has checked the same, but not for a pod that was
//! created with a `nodeName`. Affinity and taints are not checked here.

use super::cause::PodCause;
use super::eviction::REASON;
use super::requests::pod_requests;
use super::state::{Requests, WorkerPhase};
use super::stats::is_critical;
use super::turn::Turn;
use crate::api::Key;
use crate::api::quantity::amount_of;
use crate::api::types::Node;

impl Turn<'_> {
    /// Whether the pod may run here; called once, when the kubelet sees the pod first. A pod that may not
    /// fails with the reason `OutOf…`.
    pub(super) fn admit(&mut self, node: &Key) -> bool {
        if let Some((reason, message)) = self.shutdown_forbids() {
            self.reject(reason, message);
            return false;
        }
        if let Some(message) = self.pressure_forbids() {
            self.reject(REASON, message);
            return false;
        }
        let asked = pod_requests(self.spec);
        let used = self.node.used;
        let allocatable = self.caches.get::<Node>(node).and_then(|n| n.status.as_ref()?.allocatable.as_ref());
        let short: Vec<_> = allocatable.map_or_else(Vec::new, |map| {
            let has = Requests { pods: amount_of(map.get("pods")).value(), ..Requests::of(Some(map)) };
            [
                ("pods", asked.pods, used.pods, has.pods),
                ("cpu", asked.cpu, used.cpu, has.cpu),
                ("memory", asked.memory, used.memory, has.memory),
                ("ephemeral-storage", asked.storage, used.storage, has.storage),
            ]
            .into_iter()
            // A resource that the node's allocatable does not have is not checked.
            .filter(|(name, asked, used, has)| {
                map.contains_key(*name) && *asked > 0 && asked.saturating_add(*used) > *has
            })
            .collect()
        });
        let waits = !self.rt.preempts.is_empty();
        if waits && !self.has_room() {
            return false;
        }
        // Once the pods are gone that were ended for it, nobody asks again.
        let Some((name, asked, used, has)) = short.first().copied().filter(|_| !waits) else {
            self.node.used = used.plus(asked);
            self.rt.requests = Some(asked);
            self.rt.preempts.clear();
            return true;
        };
        if is_critical(self.pod) {
            let missing: Vec<_> =
                short.iter().map(|(name, asked, used, has)| (*name, asked - (has - used))).collect();
            if let Err(why) = self.preempt(&missing) {
                let told = "Unexpected error while attempting to recover from admission failure";
                self.reject("UnexpectedAdmissionError", format!("{told}: {why}"));
            }
            return false;
        }
        let message = format!(
            "Node didn't have enough resource: {name}, requested: {asked}, used: {used}, capacity: {has}"
        );
        let reason = match name {
            "pods" => "OutOfpods",
            "cpu" => "OutOfcpu",
            "memory" => "OutOfmemory",
            _ => "OutOfephemeral-storage",
        };
        self.reject(reason, message);
        false
    }

    /// The pod may not run here (`rejectPod`).
    fn reject(&mut self, reason: &'static str, message: String) {
        self.rt.failed = Some((reason.into(), format!("Pod was rejected: {message}").into()));
        self.event(None, "Warning", reason, message);
        self.rt.phase = WorkerPhase::Terminated;
        self.rt.rejected = true;
        self.rt.unreported = true;
        self.caused(None, PodCause::Rejected);
    }

    /// Gives the pod's requests back to the node.
    pub(super) fn release_resources(&mut self) {
        if let Some(r) = self.rt.requests.take() {
            self.node.used = self.node.used.minus(r);
        }
    }
}
