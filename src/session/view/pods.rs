//! A pod in the graph: the word of kubectl's STATUS column, and one of a few looks.

use crate::api::MetaExt;
use crate::api::types::{Pod, PodStatus};
use crate::apiserver::kinds::{Summary, summarize};
use serde::{Deserialize, Serialize};

/// The look of a pod: each has a shape and a colour of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PodLook {
    /// It has no node yet.
    Unscheduled,
    /// It has a node, and its containers are being created.
    Starting,
    /// It runs and is not ready.
    NotReady,
    /// It runs and is ready.
    Ready,
    /// A container cannot start, or has crashed.
    Trouble,
    /// All of its containers ended with success.
    Succeeded,
    /// It has failed for good.
    Failed,
    /// It is being deleted.
    Terminating,
    /// Its state is unknown, because its node sends no heartbeats.
    Unknown,
}

impl PodLook {
    /// All looks, in the order in which they are drawn.
    pub const ALL: [PodLook; 9] = [
        PodLook::Ready,
        PodLook::NotReady,
        PodLook::Starting,
        PodLook::Unscheduled,
        PodLook::Terminating,
        PodLook::Trouble,
        PodLook::Failed,
        PodLook::Succeeded,
        PodLook::Unknown,
    ];
}

/// Why a container waits, with the message; for one that waits because it ended before, how it ended. `None` if no container
/// waits with a message.
pub(super) fn waiting(status: &PodStatus) -> Option<(String, String)> {
    let containers = status.container_statuses.iter().chain(&status.init_container_statuses).flatten();
    let found = containers.filter_map(|c| Some((c, c.state.as_ref()?.waiting.as_ref()?)));
    let (c, w) = found.into_iter().find(|(_, w)| w.message.is_some())?;
    let ended = c.last_state.as_ref().and_then(|s| s.terminated.as_ref()).and_then(|t| t.reason.as_deref());
    let reason = w.reason.as_deref().unwrap_or_default();
    // `Error` and `Completed` say no more than that it ended.
    let reason = match ended.filter(|ended| !matches!(*ended, "Error" | "Completed")) {
        Some(ended) => format!("{reason} ({ended})"),
        None => reason.to_owned(),
    };
    Some((reason, w.message.clone().unwrap_or_default()))
}

/// A pod in the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodView {
    /// The pod's look.
    pub look: PodLook,
    /// The word of kubectl's STATUS column: `Running`, `ContainerCreating`, `CrashLoopBackOff` and so on.
    pub word: String,
    /// The number of ready containers, and the number of containers that are to run.
    pub ready: (usize, usize),
    /// The number of restarts of its containers.
    pub restarts: i32,
    /// Its node, if it has one.
    pub node: Option<String>,
}

/// A pod by the summary of kubectl's printer.
pub fn pod_view(pod: &Pod) -> PodView {
    let status = pod.status.as_ref();
    let spec = pod.spec.as_ref();
    let phase = status.and_then(|s| s.phase.as_deref()).unwrap_or("Pending");
    let reason = status.and_then(|s| s.reason.as_deref()).unwrap_or_default();
    let node = spec.and_then(|s| s.node_name.clone()).filter(|n| !n.is_empty());
    let summary = summarize(pod);
    let pod_ready = condition(pod, "Ready");
    let look = if pod.metadata.is_deleting() {
        PodLook::Terminating
    } else if phase == "Succeeded" {
        PodLook::Succeeded
    } else if phase == "Failed" {
        PodLook::Failed
    } else if phase == "Unknown" || reason == "NodeLost" {
        PodLook::Unknown
    } else if status.is_some_and(|s| in_trouble(s)) {
        PodLook::Trouble
    } else if node.is_none() {
        PodLook::Unscheduled
    } else if phase == "Running" && pod_ready {
        PodLook::Ready
    } else if phase == "Running" {
        PodLook::NotReady
    } else {
        PodLook::Starting
    };
    let Summary { ready, total, status: word, restarts, .. } = summary;
    PodView { look, word, ready: (ready, total), restarts, node }
}

fn condition(pod: &Pod, type_: &str) -> bool {
    let conditions = pod.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    conditions.iter().any(|c| c.type_ == type_ && c.status == "True")
}

/// Whether a container has ended with an error, or waits for something that does not come by itself.
fn in_trouble(status: &PodStatus) -> bool {
    let all = status.init_container_statuses.iter().chain(&status.container_statuses).flatten();
    all.filter_map(|c| c.state.as_ref()).any(|state| {
        let waiting = state.waiting.as_ref().and_then(|w| w.reason.as_deref());
        waiting.is_some_and(|r| !r.is_empty() && is_trouble(r))
            || state.terminated.as_ref().is_some_and(|t| t.exit_code != 0)
    })
}

/// Whether a waiting reason does not pass by itself.
fn is_trouble(reason: &str) -> bool {
    !matches!(reason, "ContainerCreating" | "PodInitializing")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::{Kind, Object};
    use serde_json::{Value, json};

    fn look(spec: Value, status: Value, deleting: bool) -> (PodLook, String) {
        let mut meta = json!({"name": "p"});
        if deleting {
            meta["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
        }
        let o =
            Object::from_value(Kind::POD, json!({"metadata": meta, "spec": spec, "status": status})).unwrap();
        let v = pod_view(o.get::<Pod>().unwrap());
        (v.look, v.word)
    }

    #[test]
    fn looks() {
        let spec = json!({"containers": [{"name": "c"}]});
        let on = json!({"containers": [{"name": "c"}], "nodeName": "n"});
        let status = |state: Value, ready: bool| {
            json!({"phase": "Running", "conditions": [{"type": "Ready", "status": if ready {"True"} else {"False"}}],
                "containerStatuses": [{"name": "c", "image": "", "imageID": "", "ready": ready, "restartCount": 2, "state": state}]})
        };
        assert_eq!(look(spec, json!({"phase": "Pending"}), false), (PodLook::Unscheduled, "Pending".into()));
        assert_eq!(look(on.clone(), json!({"phase": "Pending"}), false).0, PodLook::Starting);
        assert_eq!(look(on.clone(), status(json!({"running": {}}), true), false).0, PodLook::Ready);
        assert_eq!(look(on.clone(), status(json!({"running": {}}), false), false).0, PodLook::NotReady);
        assert_eq!(
            look(on.clone(), status(json!({"waiting": {"reason": "CrashLoopBackOff"}}), false), false),
            (PodLook::Trouble, "CrashLoopBackOff".into())
        );
        assert_eq!(
            look(on, status(json!({"running": {}}), true), true),
            (PodLook::Terminating, "Terminating".into())
        );
    }
}
