//! A node whose memory is used up, or that part of it which pods may use, faster than its kubelet can look at it: the kernel kills
//! the process with the highest score, at once (`mm/oom_kill.c` of Linux: `oom_badness`). The kubelet tells of it if it is the whole
//! machine that has no memory left (`pkg/kubelet/oom/oom_watcher_linux.go`).

use std::rc::Rc;

use super::behaviour::Exit;
use super::container_state::{ContainerState, Running};
use super::eviction::with;
use super::image_gc::used;
use super::kill::KILLED;
use super::qos::oom_score_adj;
use super::settings::OutOfMemory;
use super::state::State;
use super::task::{Cx, Kubelet, Task};
use super::turn::Turn;
use super::usage;
use crate::api::Key;
use crate::api::types::Container;
use crate::client::Caches;

/// The container that the kernel kills: its pod, its index there, the name of its process and that one's id.
struct Victim {
    pod: Key,
    container: usize,
    process: String,
    pid: i64,
    place: OutOfMemory,
}

/// The container with the highest score. `None` if there is enough memory, if nothing runs, or if a victim has not ended yet.
fn victim(state: &State, caches: &Caches) -> Option<Victim> {
    let (place, capacity) = (state.settings.out_of_memory(used(&state.node))?, state.settings.memory?);
    let (OutOfMemory::Node { limit } | OutOfMemory::Pods { limit }) = place;
    let mut worst: Option<(i64, Victim)> = None;
    for (key, rt) in &state.pods {
        if rt.oom.is_some() {
            return None;
        }
        let Some(pod) = rt.pod(key, caches) else { continue };
        let Some(spec) = pod.spec.as_deref() else { continue };
        for (i, c) in rt.containers.iter().enumerate() {
            let all = spec.init_containers.iter().flatten().chain(&spec.containers).chain(&*rt.ephemeral);
            let Some((own, running)) = all.into_iter().find(|s| *s.name == *c.name).zip(c.running()) else {
                continue;
            };
            let adjust = oom_score_adj(spec, own, capacity).saturating_mul(limit / 1000);
            let has = running.resources(&own.name);
            let score = usage::memory_of(pod, &own.name, has, running.own.uses).saturating_add(adjust);
            if worst.as_ref().is_none_or(|(most, _)| score > *most) {
                let process = process_name(own);
                let (pod, pid) = (key.clone(), pid(running));
                worst = Some((score, Victim { pod, container: i, process, pid, place }));
            }
        }
    }
    worst.map(|(_, victim)| victim)
}

/// The name that the kernel has for a container's process: that of its program, 15 characters at most. Nobody knows the
/// program of an image, so that the image's name stands for it.
fn process_name(container: &Container) -> String {
    let program = container.command.iter().flatten().next();
    let image = || container.image.as_deref().unwrap_or_default();
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let name = program
        .map_or_else(|| last(image()).split([':', '@']).next().unwrap_or_default().to_owned(), |p| last(p));
    name.chars().take(15).collect()
}

/// A number for a process that follows from its container's id.
fn pid(running: &Running) -> i64 {
    let id = running.instance.id.rsplit('/').next().unwrap_or_default();
    i64::from_str_radix(id.get(..4).unwrap_or_default(), 16).unwrap_or(0) / 4 + 1000
}

impl Kubelet {
    /// If memory is used up, the kernel kills a container. The kubelet tells of no victim that a limit of a cgroup has.
    pub(super) fn kill_for_memory(&self, cx: &Cx) {
        let Some(victim) = cx.state(|s| victim(s, cx.caches())) else { return };
        let Victim { pod, container, process, pid, place } = victim;
        if matches!(place, OutOfMemory::Node { .. }) {
            let message = format!("System OOM encountered, victim process: {process}, pid: {pid}");
            self.node_event(cx, "Warning", "SystemOOM", message);
        }
        cx.enqueue(Task::Pod(pod.clone()));
        cx.update_state(move |s| with(s, &pod, |rt| rt.oom = Some(container)));
    }
}

impl Turn<'_> {
    /// The kernel has killed a container of the pod.
    pub(super) fn is_killed_for_memory(&mut self) {
        let killed = self.rt.oom.take().and_then(|i| self.rt.containers.get_mut(i));
        if let Some(ContainerState::Running(r)) = killed.map(|c| &mut c.state) {
            r.ends = Some((self.now, Exit { code: KILLED, out_of_memory: true }));
        }
    }
}

/// Whether there is no memory left on the node, or for its pods, since the pod's turn.
pub(super) fn has_run_out(before: &State, turn: &Turn<'_>) -> bool {
    turn.node.stats.memory != before.node.stats.memory
        && before.settings.out_of_memory(turn.node.stats).is_some()
}

/// The name of the node's task.
pub(super) fn task(node: &Rc<str>) -> Task {
    Task::OutOfMemory(node.clone())
}
