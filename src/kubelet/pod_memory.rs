//! The cgroup of a pod as a whole (`cm/helpers_linux.go`, `ResourceConfigForPod`), in which all of its containers share a limit of
//! memory.

use super::behaviour::Exit;
use super::container_state::ContainerState;
use super::kill::KILLED;
use super::limits::of_pod;
use super::qos::oom_score_adj;
use super::timings::{OUT_OF_MEMORY, later};
use super::turn::Turn;
use super::usage;
use crate::api::quantity::amount_of;

impl Turn<'_> {
    /// The kernel kills a container if all of them together use more memory than the limit of the pod: the one with the highest
    /// score in the pod's cgroup (`mm/oom_kill.c` of Linux, `oom_badness`), five seconds after the newest one has started.
    pub(super) fn kill_for_memory_of_pod(&mut self) {
        let Some(limit) = of_pod(self.spec, "memory").map(|q| amount_of(Some(q)).value()) else { return };
        let dies = |end: Option<Exit>| end.is_some_and(|exit| exit.out_of_memory);
        let running = || self.rt.containers.iter().enumerate().filter_map(|(i, c)| Some((i, c.running()?)));
        let planned: Vec<usize> =
            running().filter(|(_, r)| dies(r.ends.map(|(_, exit)| exit))).map(|(i, _)| i).collect();
        if self.rt.stats.memory <= limit {
            // The limit holds again before somebody was killed for it.
            for i in planned {
                let Some(ContainerState::Running(r)) = self.rt.containers.get_mut(i).map(|c| &mut c.state)
                else {
                    continue;
                };
                if r.stopping.is_none() && !dies(r.behaviour.ends.map(|(_, exit)| exit)) {
                    r.ends = r.behaviour.ends.map(|(after, exit)| (later(r.since, after), exit));
                }
            }
            return;
        }
        let Some(newest) = running().map(|(_, r)| r.since).max().filter(|_| planned.is_empty()) else {
            return;
        };
        let capacity = self.memory_capacity();
        let score = |i: usize| {
            let spec = self.container_spec(i)?;
            let running = self.rt.containers.get(i)?.running()?;
            let own = running.resources(&spec.name);
            let adjust = oom_score_adj(self.spec, spec, capacity).saturating_mul(limit / 1000);
            Some(usage::memory_of(self.pod, &spec.name, own, running.own.uses).saturating_add(adjust))
        };
        let mut worst: Option<(i64, usize)> = None;
        for (i, score) in running().filter_map(|(i, _)| Some((i, score(i)?))) {
            if worst.is_none_or(|(most, _)| score > most) {
                worst = Some((score, i));
            }
        }
        let at = later(newest, OUT_OF_MEMORY).max(self.now);
        let victim = worst.and_then(|(_, i)| self.rt.containers.get_mut(i));
        if let Some(ContainerState::Running(r)) = victim.map(|c| &mut c.state)
            && r.ends.is_none_or(|(end, _)| end > at)
        {
            r.ends = Some((at, Exit { code: KILLED, out_of_memory: true }));
        }
    }
}
