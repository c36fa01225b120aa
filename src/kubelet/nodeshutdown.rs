//! A machine that is about to be shut down: its kubelet ends the pods first, those of a higher priority after the others
//! (`pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go`, KEP-2000 and KEP-2712).
//!
//! What logind tells a real kubelet, the Node's annotation `sim.steady/shutdown: "true"` says here. The machine goes off when
//! somebody takes the node down; until then its kubelet reports that it is not ready.

use std::rc::Rc;

use jiff::SignedDuration;

use super::decisions::{Order, Shutdown};
use super::eviction::with;
use super::said::Said;
use super::state::{State, WorkerPhase};
use super::stats::{SYSTEM_CRITICAL, priority};
use super::task::{Cx, Kubelet, Task};
use super::timings::later;
use super::turn::Turn;
use crate::api::types::Node;
use crate::api::{Key, MetaExt, duration, order};
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

/// How long the pods from a priority on have, up to those of the next one (`ShutdownGracePeriodByPodPriority`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GracePeriod {
    priority: i32,
    seconds: i64,
}

/// What a kubelet is told, the lowest priority first; empty if it takes no notice of a shutdown. The one pair of flags is short for
/// two priorities (`migrateConfig`).
pub(super) fn periods(said: &Said<'_>) -> Vec<GracePeriod> {
    const BY_PRIORITY: &str = "shutdown-grace-period-by-pod-priority";
    let seconds = |flag: &str| said.duration(flag).map_or(0, |period| period.as_secs());
    let (all, critical) = (seconds("shutdown-grace-period"), seconds("shutdown-grace-period-critical-pods"));
    let own = said.read(BY_PRIORITY, by_priority).unwrap_or_default();
    if !own.is_empty() {
        if all > 0 || critical > 0 {
            said.refuse(BY_PRIORITY, "cannot be set together with --shutdown-grace-period");
            return Vec::new();
        }
        return own;
    }
    if critical > all {
        let why = format!("cannot be longer than the {all}s of all pods");
        said.refuse("shutdown-grace-period-critical-pods", &why);
        return Vec::new();
    }
    if all == 0 {
        return Vec::new();
    }
    vec![
        GracePeriod { priority: 0, seconds: all - critical },
        GracePeriod { priority: SYSTEM_CRITICAL, seconds: critical },
    ]
}

/// Seconds by priority: `0=60s,1000=120s`.
fn by_priority(text: &str) -> Result<Vec<GracePeriod>, String> {
    let mut all: Vec<GracePeriod> = Vec::new();
    for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
        let formatted = || format!("{entry} must be formatted as priority=duration");
        let (priority, period) = entry.split_once('=').ok_or_else(formatted)?;
        let priority = priority.trim().parse().map_err(|_| formatted())?;
        let seconds = SignedDuration::from_nanos(duration::parse(period.trim())?).as_secs();
        if seconds < 0 {
            return Err(format!("{entry}: a grace period must not be negative"));
        }
        if all.iter().any(|known| known.priority == priority) {
            return Err(format!("the priority {priority} stands there twice"));
        }
        all.push(GracePeriod { priority, seconds });
    }
    order::sort_by_key(&mut all, |period| period.priority);
    Ok(all)
}

/// Which of the periods is a pod's: that of the highest priority which is not above the pod's own, or else the lowest
/// (`groupByPriority`).
fn place(periods: &[GracePeriod], priority: i32) -> usize {
    periods.partition_point(|period| period.priority <= priority).saturating_sub(1)
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
