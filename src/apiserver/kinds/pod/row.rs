//! The row of a Pod: its phase, conditions and containers in one word (`printPod` in
//! `pkg/printers/internalversion/printers.go`).

use crate::api::duration::age;
use crate::api::types::{Container, ContainerStatus, Pod, PodStatus, Time};
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::printers::{created, name, or_none};

/// What a table says of a pod.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The number of containers that are ready.
    pub ready: usize,
    /// The number of containers that are to run: sidecars count, other init containers do not.
    pub total: usize,
    /// `Running`, `CrashLoopBackOff`, `Init:0/1`, `Terminating` …
    pub status: String,
    /// How often containers were restarted.
    pub restarts: i32,
    /// When the container that was restarted last had ended.
    pub last_restart: Option<Time>,
}

#[derive(Default)]
struct Restarts {
    count: i32,
    last: Option<Time>,
}

impl Restarts {
    fn add(&mut self, c: &ContainerStatus) {
        self.count = self.count.saturating_add(c.restart_count);
        let ended =
            c.last_state.as_ref().and_then(|s| s.terminated.as_ref()).and_then(|t| t.finished_at.as_ref());
        if let Some(t) = ended
            && self.last.as_ref().is_none_or(|l| l.0 < t.0)
        {
            self.last = Some(t.clone());
        }
    }
}

fn is_sidecar(c: Option<&Container>) -> bool {
    c.is_some_and(|c| c.restart_policy.as_deref() == Some("Always"))
}

/// Sums up a pod for a table (`printPod`).
pub fn summarize(pod: &Pod) -> Summary {
    let empty = PodStatus::default();
    let status = pod.status.as_deref().unwrap_or(&empty);
    let phase = status.phase.as_deref().unwrap_or_default();
    let spec_inits = pod.spec.as_ref().and_then(|s| s.init_containers.as_deref()).unwrap_or_default();
    let containers = pod.spec.as_ref().map_or(0, |s| s.containers.len());
    let total = containers + spec_inits.iter().filter(|c| is_sidecar(Some(c))).count();
    let mut reason = phase.to_owned();
    if let Some(r) = status.reason.as_deref().filter(|r| !r.is_empty()) {
        reason = r.to_owned();
    }
    let conditions = status.conditions.as_deref().unwrap_or_default();
    if conditions.iter().any(|c| c.type_ == "PodScheduled" && c.reason.as_deref() == Some("SchedulingGated"))
    {
        reason = "SchedulingGated".into();
    }
    let mut ready = 0;
    let (mut all, mut sidecars) = (Restarts::default(), Restarts::default());
    let mut initializing = false;
    for (i, c) in status.init_container_statuses.iter().flatten().enumerate() {
        let sidecar = is_sidecar(spec_inits.iter().find(|s| s.name == c.name));
        all.add(c);
        if sidecar {
            sidecars.add(c);
        }
        let terminated = c.state.as_ref().and_then(|s| s.terminated.as_ref());
        if terminated.is_some_and(|t| t.exit_code == 0) {
            continue;
        }
        if sidecar && c.started == Some(true) {
            ready += usize::from(c.ready);
            continue;
        }
        let waiting = c.state.as_ref().and_then(|s| s.waiting.as_ref()).and_then(|w| w.reason.as_deref());
        reason = match (terminated, waiting) {
            (Some(t), _) => format!("Init:{}", ended(t)),
            (None, Some(w)) if !w.is_empty() && w != "PodInitializing" => format!("Init:{w}"),
            _ => format!("Init:{i}/{}", spec_inits.len()),
        };
        initializing = true;
        break;
    }
    let is_true = |type_: &str| conditions.iter().any(|c| c.type_ == type_ && c.status == "True");
    let mut restarts = all;
    if !initializing || is_true("Initialized") {
        restarts = sidecars;
        let mut running = false;
        // The word for the first container that has failed: the loop runs backwards, so the last one that it sees.
        let mut error = None;
        for c in status.container_statuses.iter().flatten().rev() {
            restarts.add(c);
            let state = c.state.as_ref();
            let waiting = state.and_then(|s| s.waiting.as_ref()).and_then(|w| w.reason.as_deref());
            if let Some(w) = waiting.filter(|w| !w.is_empty()) {
                reason = w.to_owned();
            } else if let Some(t) = state.and_then(|s| s.terminated.as_ref()) {
                reason = ended(t);
                if t.exit_code != 0 {
                    error = Some(reason.clone());
                }
            } else if c.ready && state.is_some_and(|s| s.running.is_some()) {
                running = true;
                ready += 1;
            }
        }
        if reason == "Completed" {
            match error {
                _ if running && is_true("Ready") => reason = "Running".into(),
                Some(error) => reason = error,
                None if running => reason = "NotReady".into(),
                None => {}
            }
        }
    }
    if pod.metadata.is_deleting() {
        if status.reason.as_deref() == Some("NodeLost") {
            reason = "Unknown".into();
        } else if !matches!(phase, "Succeeded" | "Failed") {
            reason = "Terminating".into();
        }
    }
    Summary { ready, total, status: reason, restarts: restarts.count, last_restart: restarts.last }
}

/// How a container ended, in a word.
fn ended(t: &crate::api::types::ContainerStateTerminated) -> String {
    match (t.reason.as_deref().unwrap_or_default(), t.signal.unwrap_or(0)) {
        ("", 0) => format!("ExitCode:{}", t.exit_code),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

/// The cells of a Pod.
pub(super) fn row(pod: &Pod, now: Timestamp) -> Vec<String> {
    let s = summarize(pod);
    let restarts = match &s.last_restart {
        Some(t) if s.restarts != 0 => format!("{} ({} ago)", s.restarts, age(Some(t), now)),
        _ => s.restarts.to_string(),
    };
    let status = pod.status.as_ref();
    let ip = status.and_then(|s| s.pod_ips.as_ref()?.first()).map(|i| i.ip.as_str());
    let ip = ip.or(status.and_then(|s| s.pod_ip.as_deref()));
    vec![
        name(&pod.metadata),
        format!("{}/{}", s.ready, s.total),
        s.status,
        restarts,
        created(&pod.metadata, now),
        or_none(ip),
        or_none(pod.spec.as_ref().and_then(|s| s.node_name.as_deref())),
        or_none(status.and_then(|s| s.nominated_node_name.as_deref())),
        readiness_gates(pod),
    ]
}

fn readiness_gates(pod: &Pod) -> String {
    let gates = pod.spec.as_ref().and_then(|s| s.readiness_gates.as_deref()).unwrap_or_default();
    if gates.is_empty() {
        return "<none>".into();
    }
    let conditions = pod.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    let met = gates
        .iter()
        .filter(|g| {
            conditions.iter().find(|c| c.type_ == g.condition_type).is_some_and(|c| c.status == "True")
        })
        .count();
    format!("{met}/{}", gates.len())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::{Value, json};

    fn status(states: &[Value], ready: bool) -> String {
        let statuses: Vec<Value> = states
            .iter()
            .enumerate()
            .map(|(i, state)| {
                json!({"name": format!("c{i}"), "image": "i", "imageID": "", "restartCount": 0,
                    "ready": state.get("running").is_some(), "state": state})
            })
            .collect();
        let pod = serde_json::from_value(json!({
            "metadata": {"name": "p"}, "spec": {"containers": []},
            "status": {"phase": "Running", "containerStatuses": statuses,
                "conditions": [{"type": "Ready", "status": if ready { "True" } else { "False" }}]}
        }));
        summarize(&pod.unwrap()).status
    }

    /// `pkg/printers/internalversion/printers.go`, `printPod`: `errorReason`.
    #[test]
    fn a_container_that_failed_is_told_before_one_that_completed() {
        let ended = |code: i32, reason: &str| json!({"terminated": {"exitCode": code, "reason": reason}});
        let (done, failed) = (ended(0, "Completed"), ended(1, "Error"));
        let running = json!({"running": {}});
        assert_eq!(status(&[done.clone(), failed.clone()], false), "Error");
        assert_eq!(status(&[done.clone(), failed.clone(), running.clone()], false), "Error");
        assert_eq!(status(&[done.clone(), ended(137, "OOMKilled"), failed.clone()], false), "OOMKilled");
        assert_eq!(status(&[done.clone(), failed, running.clone()], true), "Running");
        assert_eq!(status(&[done.clone(), running], false), "NotReady");
        assert_eq!(status(&[done.clone(), done], false), "Completed");
    }
}
