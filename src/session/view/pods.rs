//! A pod at a glance: the word of kubectl's STATUS column and which of few looks it has.

use crate::api::MetaExt;
use crate::api::types::{ContainerStatus, Pod};

/// How a pod is drawn: one shape and one colour each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PodLook {
    /// No node yet.
    Unscheduled,
    /// On a node, its containers are being made.
    Starting,
    /// It runs and is not ready.
    NotReady,
    /// It runs and is ready.
    Ready,
    /// A container cannot start, or crashed.
    Trouble,
    /// All its containers ended well.
    Succeeded,
    /// It failed for good.
    Failed,
    /// It is being deleted.
    Terminating,
    /// Nobody knows: its node is not heard of.
    Unknown,
}

impl PodLook {
    /// Every look, in the order in which they are drawn.
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

/// A pod at a glance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodView {
    /// How it is drawn.
    pub look: PodLook,
    /// kubectl's STATUS: `Running`, `ContainerCreating`, `CrashLoopBackOff` …
    pub word: String,
    /// Containers that are ready, of all.
    pub ready: (usize, usize),
    /// How often its containers were restarted.
    pub restarts: i32,
    /// Its node.
    pub node: Option<String>,
}

/// Reads a pod as kubectl's printer does (`pkg/printers/internalversion.printPod`).
pub fn pod_view(pod: &Pod) -> PodView {
    let status = pod.status.as_ref();
    let spec = pod.spec.as_ref();
    let phase = status.and_then(|s| s.phase.as_deref()).unwrap_or("Pending");
    let reason = status.and_then(|s| s.reason.as_deref()).unwrap_or_default();
    let statuses = status.and_then(|s| s.container_statuses.as_deref()).unwrap_or_default();
    let inits = status.and_then(|s| s.init_container_statuses.as_deref()).unwrap_or_default();
    let node = spec.and_then(|s| s.node_name.clone()).filter(|n| !n.is_empty());
    let total = spec.map_or(0, |s| s.containers.len());
    let ready = statuses.iter().filter(|c| c.ready).count();
    let restarts = inits.iter().chain(statuses).map(|c| c.restart_count).sum();

    let mut word = if reason.is_empty() { phase.to_owned() } else { reason.to_owned() };
    let mut trouble = false;
    match init_word(pod, inits) {
        Some((w, bad)) => {
            word = w;
            trouble = bad;
        }
        None => {
            for c in statuses.iter().rev() {
                if let Some((w, bad)) = container_word(c) {
                    word = w;
                    trouble = bad;
                }
            }
        }
    }
    let pod_ready = condition(pod, "Ready");
    let look = if pod.metadata.is_deleting() {
        word = if reason == "NodeLost" { "Unknown".into() } else { "Terminating".into() };
        PodLook::Terminating
    } else if phase == "Succeeded" {
        PodLook::Succeeded
    } else if phase == "Failed" {
        PodLook::Failed
    } else if phase == "Unknown" || reason == "NodeLost" {
        PodLook::Unknown
    } else if trouble {
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
    PodView { look, word, ready: (ready, total), restarts, node }
}

fn condition(pod: &Pod, type_: &str) -> bool {
    let conditions = pod.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    conditions.iter().any(|c| c.type_ == type_ && c.status == "True")
}

/// What an init container that is not through yet says.
fn init_word(pod: &Pod, inits: &[ContainerStatus]) -> Option<(String, bool)> {
    let total = pod.spec.as_ref().and_then(|s| s.init_containers.as_ref()).map_or(0, Vec::len);
    for (i, c) in inits.iter().enumerate() {
        let state = c.state.as_ref();
        if let Some(t) = state.and_then(|s| s.terminated.as_ref()) {
            if t.exit_code == 0 {
                continue;
            }
            let word = t.reason.clone().filter(|r| !r.is_empty());
            return Some((
                format!("Init:{}", word.unwrap_or_else(|| format!("ExitCode:{}", t.exit_code))),
                true,
            ));
        }
        if c.started == Some(true) {
            continue;
        }
        let waiting = state.and_then(|s| s.waiting.as_ref()).and_then(|w| w.reason.as_deref());
        return match waiting.filter(|r| !r.is_empty() && *r != "PodInitializing") {
            Some(r) => Some((format!("Init:{r}"), is_trouble(r))),
            None => Some((format!("Init:{i}/{total}"), false)),
        };
    }
    None
}

fn container_word(c: &ContainerStatus) -> Option<(String, bool)> {
    let state = c.state.as_ref()?;
    if let Some(r) = state.waiting.as_ref().and_then(|w| w.reason.as_deref()).filter(|r| !r.is_empty()) {
        return Some((r.to_owned(), is_trouble(r)));
    }
    let t = state.terminated.as_ref()?;
    let word = match t.reason.as_deref() {
        Some(r) if !r.is_empty() => r.to_owned(),
        _ => format!("ExitCode:{}", t.exit_code),
    };
    Some((word, t.exit_code != 0))
}

/// A waiting reason that does not pass by itself.
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
            Object::from_value(Kind::Pod, json!({"metadata": meta, "spec": spec, "status": status})).unwrap();
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
