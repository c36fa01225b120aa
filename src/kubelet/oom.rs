//! A node whose memory is used up, faster than its kubelet can look at it: the kernel kills the process with the highest
//! score, at once (`mm/oom_kill.c` of Linux: `oom_badness`), and the kubelet tells of it
//! (`pkg/kubelet/oom/oom_watcher_linux.go`).

use std::rc::Rc;

use super::behaviour::Exit;
use super::container_state::{ContainerState, Running};
use super::eviction::with;
use super::image_gc::used;
use super::kill::KILLED;
use super::qos::oom_score_adj;
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
}

/// The container with the highest score. `None` if there is enough memory, if nothing runs, or if a victim has not ended yet.
fn victim(state: &State, caches: &Caches) -> Option<Victim> {
    let capacity = state.settings.memory.filter(|_| state.settings.is_out_of_memory(used(&state.node)))?;
    let mut worst: Option<(i64, Victim)> = None;
    for (key, rt) in &state.pods {
        if rt.oom.is_some() {
            return None;
        }
        let Some(pod) = rt.pod(key, caches) else { continue };
        let Some(spec) = pod.spec.as_deref() else { continue };
        for (i, c) in rt.containers.iter().enumerate() {
            let all = spec.init_containers.iter().flatten().chain(&spec.containers);
            let Some((own, running)) = all.into_iter().find(|s| *s.name == *c.name).zip(c.running()) else {
                continue;
            };
            let adjust = oom_score_adj(spec, own, capacity).saturating_mul(capacity / 1000);
            let score = usage::memory(pod, own, running).saturating_add(adjust);
            if worst.as_ref().is_none_or(|(most, _)| score > *most) {
                let process = process_name(own);
                worst = Some((score, Victim { pod: key.clone(), container: i, process, pid: pid(running) }));
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
    /// If memory is used up, the kernel kills a container.
    pub(super) fn kill_for_memory(&self, cx: &Cx) {
        let Some(victim) = cx.state(|s| victim(s, cx.caches())) else { return };
        let Victim { pod, container, process, pid } = victim;
        let message = format!("System OOM encountered, victim process: {process}, pid: {pid}");
        self.node_event(cx, "Warning", "SystemOOM", message);
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

/// Whether pods and the system use more memory than the node has, since the pod's turn.
pub(super) fn has_run_out(before: &State, turn: &Turn<'_>) -> bool {
    turn.node.stats.memory != before.node.stats.memory && before.settings.is_out_of_memory(turn.node.stats)
}

/// The name of the node's task.
pub(super) fn task(node: &Rc<str>) -> Task {
    Task::OutOfMemory(node.clone())
}
