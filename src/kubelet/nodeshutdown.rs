//! A machine that is about to be shut down: its kubelet ends the pods first, those of a higher priority after the others
//! (`pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go`, KEP-2000 and KEP-2712).
//!
//! What logind tells a real kubelet, the Node's annotation `sim.steady/shutdown: "true"` says here. The machine goes off when
//! somebody takes the node down; until then its kubelet reports that it is not ready.

use std::rc::Rc;

use jiff::SignedDuration;

use super::decisions::{Order, Shutdown};
use super::eviction::with;
use super::shutdown_periods::place;
use super::state::{State, WorkerPhase};
use super::stats::priority;
use super::task::{Cx, Kubelet, Task};
use super::timings::later;
use super::turn::Turn;
use crate::api::types::Node;
use crate::api::{Key, MetaExt};
use crate::client::{Caches, Handler, Seen};

/// The annotation that says that the machine is being shut down.
const SHUTDOWN: &str = "sim.steady/shutdown";
/// The reason in the status of a pod that is ended for it.
const REASON: &str = "Terminated";
const MESSAGE: &str = "Pod was terminated in response to imminent node shutdown.";
/// How often the kubelet looks whether the pods of a group are gone.
const POLL: SignedDuration = SignedDuration::from_secs(1);

fn is_shutting_down(node: &Node) -> bool {
    node.metadata.annotation(SHUTDOWN).is_some_and(|v| v.trim() == "true")
}

/// The kubelet hears of its Node: a shutdown may begin, or be cancelled.
pub(super) fn node_seen(cx: &mut Handler<'_, State, Task>, name: &Rc<str>, seen: Seen<'_, Node>) {
    let Some(node) = seen.new else { return };
    // Without a grace period the kubelet takes no notice: the shutdown is immediate.
    let begins = is_shutting_down(node) && !cx.state.settings.shutdown.is_empty();
    if begins == cx.state.shutdown.is_some() {
        return;
    }
    cx.state.shutdown = begins.then(Shutdown::default);
    cx.enqueue(Task::Shutdown(name.clone()));
    cx.enqueue(Task::Status(name.clone()));
}

/// The pods of a group that have not ended, with their own grace periods. The groups are those of the periods.
fn group(state: &State, caches: &Caches, number: usize) -> Vec<(Key, i64)> {
    let of = |(key, rt): (&Key, &Rc<super::state::PodRuntime>)| {
        let pod = rt.pod(key, caches)?;
        let mine = place(&state.settings.shutdown, priority(pod)) == number;
        let own = pod.spec.as_ref().and_then(|s| s.termination_grace_period_seconds);
        (mine && rt.phase != WorkerPhase::Terminated).then(|| (key.clone(), own.unwrap_or(i64::MAX)))
    };
    state.pods.iter().filter_map(of).collect()
}

impl Kubelet {
    /// Ends the pods of the next group, when those of the one before are gone or have had their time.
    pub(super) fn shut_down(&self, cx: &Cx) {
        let now = cx.now();
        let Some(shutdown) = cx.state(|s| s.shutdown.clone()) else {
            let told = "Shutdown manager detected shutdown cancellation";
            return self.node_event(cx, "Normal", "Shutdown", told.into());
        };
        if !shutdown.announced {
            let told = "Shutdown manager detected shutdown event";
            self.node_event(cx, "Normal", "Shutdown", told.into());
        }
        let gone =
            |s: &State, pod: &Key| s.pods.get(pod).is_none_or(|rt| rt.phase == WorkerPhase::Terminated);
        let waits = shutdown
            .waits
            .as_ref()
            .is_some_and(|(pods, until)| now < *until && !cx.state(|s| pods.iter().all(|pod| gone(s, pod))));
        if waits {
            cx.enqueue_after(Task::Shutdown(self.node.clone()), POLL);
            return;
        }
        let groups = cx.state(|s| s.settings.shutdown.len());
        let next = (shutdown.groups..groups).find_map(|number| {
            let pods = cx.state(|s| group(s, cx.caches(), number));
            (!pods.is_empty()).then_some((number, pods))
        });
        let Some((number, pods)) = next else {
            cx.update_state(move |s| s.shutdown = Some(Shutdown { announced: true, groups, waits: None }));
            return;
        };
        let seconds = cx.state(|s| s.settings.shutdown.get(number).map_or(0, |period| period.seconds));
        let until = later(now, SignedDuration::from_secs(seconds));
        for (pod, _) in &pods {
            cx.enqueue(Task::Pod(pod.clone()));
        }
        cx.enqueue_after(Task::Shutdown(self.node.clone()), POLL);
        cx.update_state(move |s| {
            for (pod, own) in &pods {
                let order = Order {
                    reason: REASON,
                    message: MESSAGE.into(),
                    grace: Some(seconds.min(*own)),
                    disruption: Some(MESSAGE.into()),
                    evicts: false,
                };
                with(s, pod, |rt| rt.order = Some(rt.order.take().unwrap_or(order)));
            }
            let keys = pods.iter().map(|(pod, _)| pod.clone()).collect();
            s.shutdown = Some(Shutdown { announced: true, groups: number + 1, waits: Some((keys, until)) });
        });
    }
}

impl Turn<'_> {
    /// Why a pod may not start while the node is being shut down (`Admit`); `None` if it is not.
    pub(super) fn shutdown_forbids(&self) -> Option<(&'static str, String)> {
        let told = "Pod was rejected as the node is shutting down.";
        self.shuts_down.then(|| ("NodeShutdown", told.to_owned()))
    }
}
