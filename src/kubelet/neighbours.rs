//! What the other containers of a busy node leave of its CPU to one that answers requests.
//!
//! As soon as more CPU is wanted than a node has, the kernel hands it out by weights ([`super::cpu_share`]). What containers want by
//! themselves counts here: `sim.steady/cpu`, or what their programs use. What requests make the others want does not.

use super::cpu_share::{self, Wants};
use super::state::{NodeRuntime, PodRuntime, WorkerPhase};
use super::turn::Turn;
use super::usage::{self, SYSTEM_CPU};
use crate::api::quantity::amount_of;
use crate::api::types::{Node, Pod};
use crate::api::{Key, MetaExt};
use crate::client::Caches;

/// A thousandth of a CPU in billionths of one.
const MILLI: i64 = 1_000_000;

/// The CPU of a node in thousandths; `None` if its Node is not there, or does not say it.
pub(super) fn capacity(caches: &Caches, node: &Key) -> Option<i64> {
    let capacity = caches.get::<Node>(node)?.status.as_ref()?.capacity.as_ref()?.get("cpu")?;
    Some(amount_of(Some(capacity)).milli_value())
}

/// What the running containers of a pod want by themselves, each with its name, in billionths of a CPU.
fn wants<'a>(pod: &'a Pod, rt: &'a PodRuntime) -> Option<Wants<'a>> {
    let running = rt.containers.iter().filter_map(|c| Some((&*c.name, c.running()?)));
    let own = running.map(|(name, r)| {
        (name, usage::own_cpu(pod, name, r.resources(name), r.own.uses).saturating_mul(MILLI))
    });
    Some(Wants { spec: pod.spec.as_deref()?, containers: own.collect() })
}

impl NodeRuntime {
    /// Notes that the containers of a pod want `now` by themselves, and no longer `before`, and whether that leaves less than a tenth
    /// of the node's CPU, of which it has `capacity`. All are thousandths of a CPU.
    pub(super) fn note_cpu(&mut self, before: i64, now: i64, capacity: impl FnOnce() -> Option<i64>) {
        if now == before {
            return;
        }
        self.own_cpu = self.own_cpu.saturating_sub(before).saturating_add(now);
        let all = self.own_cpu.saturating_add(SYSTEM_CPU).saturating_mul(10);
        self.short_of_cpu = capacity().is_some_and(|cpu| all > cpu.saturating_mul(9));
    }

    /// Whether servers of the node get other CPU than before, because of what other containers want.
    pub(super) fn shares_differ(&self, before: &NodeRuntime) -> bool {
        self.own_cpu != before.own_cpu && (self.short_of_cpu || before.short_of_cpu)
    }
}

impl Turn<'_> {
    /// Works out what the pod's containers want by themselves, and corrects the node's sum by the difference.
    pub(super) fn measure_cpu(&mut self) {
        let milli = match self.rt.phase {
            WorkerPhase::Terminated => 0,
            _ => {
                let running = self.rt.containers.iter().filter_map(|c| Some((&*c.name, c.running()?)));
                let own =
                    running.map(|(name, r)| usage::own_cpu(self.pod, name, r.resources(name), r.own.uses));
                own.fold(0, i64::saturating_add)
            }
        };
        self.node.note_cpu(self.rt.own_cpu, milli, || capacity(self.caches, self.node_key));
        self.rt.own_cpu = milli;
    }

    /// The CPU that one of the pod's containers gets if it wants all that there is, in billionths; `None` if the other containers of
    /// the node leave enough, or if it has processors for itself.
    pub(super) fn share_of_cpu(&self, i: usize) -> Option<i64> {
        let name = self.rt.containers.get(i).map(|c| &*c.name)?;
        if !self.node.short_of_cpu || self.has_own_cpus(name) {
            return None;
        }
        let left = capacity(self.caches, self.node_key)?.saturating_sub(SYSTEM_CPU).saturating_mul(MILLI);
        let key = MetaExt::key(&self.pod.metadata);
        let mut all = vec![wants(self.pod, &self.rt)?];
        let place = all[0].containers.iter().position(|(of, _)| *of == name)?;
        all[0].containers[place].1 = left;
        let others = self.pods.iter().filter(|(other, _)| **other != key);
        all.extend(others.filter_map(|(other, rt)| wants(rt.pod(other, self.caches)?, rt)));
        let got = cpu_share::hand_out(left, &all)?;
        got.first()?.get(place).copied()
    }
}
