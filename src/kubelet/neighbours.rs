//! What the other containers of a busy node leave of its CPU to one that answers requests.
//!
//! As soon as more CPU is wanted than a node has, the kernel hands it out by weights (the module `cpu_share`). What containers want by
//! themselves counts here: `sim.steady/cpu`, or what their programs use. What requests make the others want does not.

use std::rc::Rc;

use super::container_state::ContainerRuntime;
use super::cpu_share::{self, Wants};
use super::state::{NodeRuntime, PodRuntime, State, WorkerPhase};
use super::turn::Turn;
use super::usage::{self, SYSTEM_CPU};
use crate::api::quantity::amount_of;
use crate::api::types::{Node, Pod};
use crate::api::{Key, MetaExt, Timestamp};
use crate::client::Caches;

/// What a container gets of the CPU of a node on which more is wanted than there is. All amounts are thousandths of a CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuPart {
    /// The container.
    pub container: Rc<str>,
    /// What it wants by itself, without what requests to it make it want.
    pub wants: i64,
    /// The weight of its cgroup (`cpu.weight`).
    pub weight: i64,
    /// What it gets at most.
    pub gets: i64,
    /// What all pods of the node have together.
    pub of: i64,
}

/// What the running containers of a pod of a node get of its CPU; nothing if there is enough for all, or of those that have processors for
/// themselves.
pub fn cpu_parts(state: &State, caches: &Caches, node: &Key, pod: &Key, now: Timestamp) -> Vec<CpuPart> {
    let of_pod = || {
        let rt = state.pods.get(pod)?;
        let object = rt.pod(pod, caches)?;
        let spec = object.spec.as_ref()?;
        Some(Turn::new(object, spec, (**rt).clone(), state, node, caches, now).cpu_parts())
    };
    if state.node.short_of_cpu { of_pod().unwrap_or_default() } else { Vec::new() }
}

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

    fn cpu_parts(&self) -> Vec<CpuPart> {
        let Some(capacity) = capacity(self.caches, self.node_key) else { return Vec::new() };
        let part = |(i, c): (usize, &ContainerRuntime)| {
            let (running, gets) = (c.running()?, self.share_of_cpu(i)?);
            Some(CpuPart {
                container: c.name.clone(),
                wants: usage::own_cpu(self.pod, &c.name, running.resources(&c.name), running.own.uses),
                weight: cpu_share::weight_of(self.spec, &c.name),
                gets: gets / MILLI,
                of: capacity.saturating_sub(SYSTEM_CPU),
            })
        };
        self.rt.containers.iter().enumerate().filter_map(part).collect()
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
