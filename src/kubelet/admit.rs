//! Admission of a pod on its node (`pkg/kubelet/lifecycle/predicate.go`): the node must not be short of something
//! (`eviction`), the pod's requests have to fit beside those of the pods that are there, and the node must be one for the pod
//! (`predicates`). The scheduler has checked the same, but not for a pod that was created with a `nodeName`.

use super::cause::PodCause;
use super::cpu_manager;
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
    /// fails, with the reason.
    pub(super) fn admit(&mut self, key: &Key) -> bool {
        if let Some(message) = self.pressure_forbids() {
            return self.reject(REASON, message);
        }
        if let Some((reason, message)) = self.forbidden_sysctl(self.allowed_sysctls) {
            return self.reject(reason, message);
        }
        let cpus = match self.allocate_cpus() {
            Ok(cpus) => cpus,
            Err((reason, message)) => return self.reject(reason, message),
        };
        if let Some((reason, message)) = self.wrong_system() {
            return self.reject(reason, message);
        }
        let asked = pod_requests(self.spec);
        let used = self.node.used;
        let node = self.caches.get::<Node>(key);
        let allocatable = node.and_then(|n| n.status.as_ref()?.allocatable.as_ref());
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
        let extended = node.and_then(|n| self.short_of_extended(n));
        let failed = node.and_then(|n| self.failed_predicate(n));
        let waits = !self.rt.preempts.is_empty();
        if waits && !self.has_room() {
            return false;
        }
        let is_critical = is_critical(self.pod);
        // Ending others does not help against what is not a resource.
        if let Some((reason, message)) = failed.clone().filter(|_| is_critical) {
            return self.reject(reason, message);
        }
        let short_of = |name: &str, [asked, used, has]: [i64; 3]| {
            format!(
                "Node didn't have enough resource: {name}, requested: {asked}, used: {used}, capacity: {has}"
            )
        };
        // Once the pods are gone that were ended for it, nobody asks again.
        match short.first().copied().filter(|_| !waits) {
            Some(_) if is_critical => {
                let missing: Vec<_> =
                    short.iter().map(|(name, asked, used, has)| (*name, asked - (has - used))).collect();
                if let Err(why) = self.preempt(&missing) {
                    let told = "Unexpected error while attempting to recover from admission failure";
                    return self.reject("UnexpectedAdmissionError", format!("{told}: {why}"));
                }
                false
            }
            Some((name, asked, used, has)) => {
                let reason = match name {
                    "pods" => "OutOfpods",
                    "cpu" => "OutOfcpu",
                    "memory" => "OutOfmemory",
                    _ => "OutOfephemeral-storage",
                };
                self.reject(reason, short_of(name, [asked, used, has]))
            }
            None => {
                if let Some((name, amounts)) = extended {
                    return self.reject(&format!("OutOf{name}"), short_of(&name, amounts));
                }
                if let Some((reason, message)) = failed.or_else(|| self.shutdown_forbids()) {
                    return self.reject(reason, message);
                }
                self.node.used = used.plus(asked);
                self.rt.requests = Some(asked);
                self.rt.preempts.clear();
                self.assign_cpus(cpus);
                true
            }
        }
    }

    /// The pod may not run here (`rejectPod`). Returns that.
    pub(super) fn reject(&mut self, reason: &str, message: String) -> bool {
        self.rt.failed = Some((reason.into(), format!("Pod was rejected: {message}").into()));
        self.event(None, "Warning", reason.to_owned(), message);
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
            cpu_manager::release(&mut self.node, &self.rt.uid);
        }
    }
}
