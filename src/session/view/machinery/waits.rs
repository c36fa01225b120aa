//! A pod worker of a kubelet: its phase, and what it waits for.

use serde::{Deserialize, Serialize};
use std::rc::Rc;

use crate::api::{Key, Timestamp};
use crate::kubelet::state::{PodRuntime, Work, WorkerPhase};
use crate::session::view::Word;

/// A pod worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerRow {
    /// The pod.
    pub pod: String,
    /// `SyncPod`, `SyncTerminatingPod` or `SyncTerminatedPod`.
    pub phase: Word,
    /// How many steps of the SyncPod under way are left after the one that it waits for.
    pub steps: usize,
    /// What it waits for: `mount`, `sandbox`, `pull`, `start`, `post-start`, `kill`, `retry`, `attach`, `relist`; `None` if it waits
    /// for nothing but changes.
    pub waits: Option<Word>,
    /// The container that this is about.
    pub container: Option<Rc<str>>,
    /// In how many milliseconds that ends; `None` if it is not known.
    pub left: Option<i64>,
    /// Why a container of the pod waits, as in its status, or why the pod failed.
    pub reason: Option<Rc<str>>,
}

/// What a worker waits for, the container of it, and until when.
type Waits = (Option<&'static str>, Option<usize>, Option<Timestamp>);

fn of_work(work: &Work) -> Waits {
    let (word, container) = match work {
        Work::Mount { .. } => ("mount", None),
        Work::Sandbox { .. } => ("sandbox", None),
        Work::Pull { container, .. } => ("pull", Some(*container)),
        Work::PullVolume { .. } => ("pull", None),
        Work::Start { container, .. } => ("start", Some(*container)),
        Work::PostStart { container, .. } => ("post-start", Some(*container)),
        Work::Kill { container } => ("kill", Some(*container)),
    };
    (Some(word), container, work.until())
}

/// When a worker goes on that waits for PLEG: the pod is to end or has just ended, or there is something that it has not noticed yet.
fn relist(rt: &PodRuntime, now: Timestamp) -> Option<Timestamp> {
    if rt.syncing || !rt.todo.is_empty() {
        return None;
    }
    let all = rt.relists(now, || rt.changed, || true);
    all.into_iter().map(|(_, at)| at).filter(|at| *at > now).min()
}

fn of(rt: &PodRuntime, now: Timestamp) -> Waits {
    let ends = |i: usize| rt.containers.get(i).and_then(|c| c.running()?.ends).map(|(at, _)| at);
    match (&rt.work, rt.phase) {
        (Some(Work::Kill { container }), _) => (Some("kill"), Some(*container), ends(*container)),
        (Some(work), _) => of_work(work),
        (None, WorkerPhase::Terminating) => {
            let running = (0..rt.containers.len())
                .filter(|i| rt.containers.get(*i).is_some_and(|c| c.running().is_some()));
            let last = running.max_by_key(|i| ends(*i));
            (last.map(|_| "kill"), last, last.and_then(ends))
        }
        (None, WorkerPhase::Sync) if rt.waits_for_attach => (Some("attach"), None, None),
        (None, _) => match relist(rt, now) {
            Some(at) => (Some("relist"), None, Some(at)),
            None => (rt.retry.map(|_| "retry"), None, rt.retry.map(|r| r.at)),
        },
    }
}

/// The worker of a pod.
pub(super) fn worker(key: &Key, rt: &PodRuntime, now: Timestamp) -> WorkerRow {
    let phase = match rt.phase {
        WorkerPhase::Sync => "SyncPod",
        WorkerPhase::Terminating => "SyncTerminatingPod",
        WorkerPhase::Terminated => "SyncTerminatedPod",
    };
    let (waits, container, until) = of(rt, now);
    let failed = rt.failed.as_ref().map(|(reason, _)| reason.clone());
    let waiting = rt.containers.iter().find_map(|c| c.waiting.as_ref()).map(|w| Rc::from(w.reason));
    WorkerRow {
        pod: key.to_string(),
        phase: Word::new_static(phase),
        steps: rt.todo.len(),
        waits: waits.map(Word::new_static),
        container: container.and_then(|i| rt.containers.get(i)).map(|c| c.name.clone()),
        left: until.map(|at| at.as_millisecond().saturating_sub(now.as_millisecond())),
        reason: failed.or(waiting),
    }
}
