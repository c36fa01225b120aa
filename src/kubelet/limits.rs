//! The limits of cgroups: those of a container, which has its pod's where it has none of its own
//! (`kuberuntime_container_linux.go`, `getCPULimit` and `getMemoryLimit`), and those of a pod as a whole
//! (`cm/helpers_linux.go`, `ResourceConfigForPod`).

use super::behaviour::Exit;
use super::container_state::ContainerState;
use super::kill::KILLED;
use super::qos::oom_score_adj;
use super::timings::{OUT_OF_MEMORY, later};
use super::turn::Turn;
use super::usage;
use crate::api::quantity::amount_of;
use crate::api::types::{PodSpec, Quantity, ResourceRequirements};

fn limit<'a>(of: Option<&'a ResourceRequirements>, resource: &str) -> Option<&'a Quantity> {
    let limits = of?.limits.as_ref()?;
    limits.get(resource).filter(|q| !amount_of(Some(q)).is_zero())
}

/// The limit of a pod as a whole (`spec.resources`); `None` if it has none.
pub(super) fn of_pod<'a>(pod: &'a PodSpec, resource: &str) -> Option<&'a Quantity> {
    limit(pod.resources.as_ref(), resource)
}

/// The limit of CPU or of memory that the cgroup of a container with these resources has; `None` if it has none.
pub(super) fn of_container<'a>(
    pod: Option<&'a PodSpec>,
    own: Option<&'a ResourceRequirements>,
    resource: &str,
) -> Option<&'a Quantity> {
    limit(own, resource).or_else(|| of_pod(pod?, resource))
}

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
            let own = self.rt.containers.get(i)?.running()?.resources(&spec.name);
            let adjust = oom_score_adj(self.spec, spec, capacity).saturating_mul(limit / 1000);
            Some(usage::memory_of(self.pod, &spec.name, own).saturating_add(adjust))
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    /// `kuberuntime_container_linux_test.go`, `TestGetCPULimit` and `TestGetMemoryLimit`
    #[test]
    fn a_container_without_a_limit_has_that_of_its_pod() {
        let spec = json!({
            "resources": {"limits": {"memory": "100Mi"}},
            "containers": [
                {"name": "own", "resources": {"limits": {"cpu": "1", "memory": "50Mi"}}},
                {"name": "zero", "resources": {"limits": {"memory": "0"}}},
                {"name": "none"},
            ],
        });
        let spec: PodSpec = serde_json::from_value(spec).unwrap();
        let of = |i: usize, resource: &str| {
            let own = spec.containers[i].resources.as_ref();
            of_container(Some(&spec), own, resource).map(|q| q.0.clone())
        };
        assert_eq!(of(0, "memory").as_deref(), Some("50Mi"));
        assert_eq!(of(1, "memory").as_deref(), Some("100Mi"));
        assert_eq!(of(2, "memory").as_deref(), Some("100Mi"));
        assert_eq!((of(0, "cpu").as_deref(), of(2, "cpu")), (Some("1"), None));
    }
}
