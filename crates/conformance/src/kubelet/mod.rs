//! The kubelet of the recordings: not that of Kubernetes, but a stand-in that played every node when the
//! recordings were made. What it writes is part of the recordings' input, so a run that is judged needs the
//! same stand-in.
//!
//! It is a pure function, [`next`]: from a pod, its node and what is remembered of the pod to at most one
//! write, and the moment of the next call.
//!
//! # How to call it
//!
//! A component of the cluster watches pods and nodes as a real kubelet does, and keeps a [`Memory`] for the
//! **uid** of every pod that is bound to a node:
//!
//! - It calls [`next`] when a bound pod or its node changed, and when a `wake` has come.
//! - It puts the memory back, even if there is no write.
//! - A [`KubeletWrite::Status`] is sent as `patch` of `status` by `kubelet`; a
//!   [`KubeletWrite::Delete`] as `delete` with `gracePeriodSeconds: 0`.
//! - After a write it calls again at once, with the pod as answered: a deletion is two writes in a
//!   row.
//! - When `took_ip` is set it counts the node's [`Node::next_ip`] up.
//! - It forgets a pod that is gone.

pub mod node;
mod status;

use steady::api::Timestamp;
use steady::api::types::{Pod, PodStatus};

pub use status::exit_code;

/// The node to which a pod is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The N of `node-N`. The node's address is `172.18.0.<N+1>`, those of its pods are `10.244.<N>.<n>`.
    pub number: u32,
    /// Whether the node has the annotation `fake/down: "true"`. While it does, nothing is written.
    pub down: bool,
    /// The n of the next pod's address. The first is 1.
    pub next_ip: u32,
}

/// The stages of a pod's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The pod is bound, and nothing was written yet.
    Bound,
    /// ContainerCreating was written.
    Creating,
    /// ErrImagePull was written.
    PullFailed,
    /// ImagePullBackOff was written. This stage has no end.
    PullBackOff,
    /// The pod is running, ready or not.
    Running { ready: bool },
    /// The containers have exited and will be restarted, at once or after a back-off.
    Exited,
    /// The pod is Succeeded or Failed.
    Terminal,
    /// The pod is deleted: nothing more to do, even if finalizers keep the object.
    Gone,
}

/// What the stand-in kubelet remembers of a pod. Times are in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    stage: Stage,
    /// When the stage began.
    since: i64,
    /// When the pod was first seen bound.
    bound: i64,
    /// When its containers last started.
    started: i64,
    /// How many times they have exited to be restarted.
    exits: u32,
    /// When the pod was first seen with a deletionTimestamp.
    deleted: Option<i64>,
}

/// A write of the stand-in kubelet.
#[derive(Clone, Debug, PartialEq)]
pub enum KubeletWrite {
    /// A `patch` of `status` to this one.
    Status(Box<PodStatus>),
    /// A `delete` with `gracePeriodSeconds: 0`.
    Delete,
}

/// The result of [`next`].
#[derive(Clone, Debug, PartialEq)]
pub struct Next {
    /// The memory for the next call.
    pub memory: Memory,
    /// The write, if there is one.
    pub write: Option<KubeletWrite>,
    /// Whether the write gave the pod the node's next address.
    pub took_ip: bool,
    /// When to call again if nothing changes before. `None` after a write: then the next call is at once.
    pub wake: Option<Timestamp>,
}

/// Delays in milliseconds, as in the README of the recordings.
mod delay {
    pub const CREATING: i64 = 50;
    pub const START: i64 = 500;
    pub const READY: i64 = 1000;
    pub const PULL_BACK_OFF: i64 = 2000;
    pub const RUN: i64 = 1000;
    pub const RESTART: i64 = 300;
    pub const TERMINATION: i64 = 300;
    /// Between the status of a pod that has ended and its deletion: others see the first before the second comes.
    pub const REQUEST: i64 = 20;
    pub const BACK_OFF: i64 = 10_000;
    pub const LONGEST_BACK_OFF: i64 = 300_000;
}

/// The value of a pod's annotation `fake/<name>`.
fn annotation<'p>(pod: &'p Pod, name: &str) -> Option<&'p str> {
    pod.metadata.annotations.as_ref()?.get(&format!("fake/{name}")).map(String::as_str)
}

/// An annotation in seconds, as milliseconds. A value that is not a sensible number counts as absent.
fn seconds(pod: &Pod, name: &str) -> Option<i64> {
    milliseconds(annotation(pod, name)?)
}

fn milliseconds(seconds: &str) -> Option<i64> {
    let s: f64 = seconds.parse().ok()?;
    (0.0..1e9).contains(&s).then_some((s * 1000.0).round() as i64)
}

/// The entry of a pod in an annotation `"a,b,c"`: by its completion index in an Indexed Job. The last entry
/// is for all higher indexes.
fn by_index<'p>(pod: &'p Pod, name: &str) -> Option<&'p str> {
    let index = pod.metadata.annotations.as_ref()?.get("batch.kubernetes.io/job-completion-index");
    let index = index.and_then(|i| i.parse::<usize>().ok()).unwrap_or(0);
    let entries: Vec<&str> = annotation(pod, name)?.split(',').map(str::trim).collect();
    entries.get(index).or(entries.last()).copied()
}

/// The back-off before the restart after this many exits; none after the first.
fn back_off(exits: u32) -> i64 {
    match exits {
        0 | 1 => 0,
        n => delay::BACK_OFF.saturating_mul(1 << (n - 2).min(10)).min(delay::LONGEST_BACK_OFF),
    }
}

/// The pod's restart policy.
fn restart_policy(pod: &Pod) -> &str {
    pod.spec.as_ref().and_then(|s| s.restart_policy.as_deref()).unwrap_or("Always")
}

/// How long the containers run; `None` if they do not exit by themselves.
fn run_time(pod: &Pod) -> Option<i64> {
    by_index(pod, "run-seconds")
        .and_then(milliseconds)
        .or_else(|| (restart_policy(pod) != "Always").then_some(delay::RUN))
}

/// The time from a pod's start until it is ready, in milliseconds; `None` if it never is.
fn ready_after(pod: &Pod) -> Option<i64> {
    if annotation(pod, "ready") == Some("false") {
        return None;
    }
    let probed = pod.spec.iter().flat_map(|s| &s.containers).any(|c| c.readiness_probe.is_some());
    Some(seconds(pod, "ready-delay").unwrap_or(if probed { delay::READY } else { 0 }))
}

/// The pod's next change by itself: when, and to which stage; `None` if there is none.
fn due(pod: &Pod, memory: &Memory) -> Option<(i64, Stage)> {
    let bad_image = pod.spec.iter().flat_map(|s| &s.containers).any(status::bad_image);
    match memory.stage {
        Stage::Bound => Some((memory.bound + delay::CREATING, Stage::Creating)),
        // A pod that is being deleted never starts.
        Stage::Creating if memory.deleted.is_some() => None,
        Stage::Creating if annotation(pod, "stuck").is_some_and(|v| v != "false") => None,
        Stage::Creating => {
            let at = memory.bound + seconds(pod, "start-delay").unwrap_or(delay::START);
            let ready = ready_after(pod) == Some(0);
            Some((at, if bad_image { Stage::PullFailed } else { Stage::Running { ready } }))
        }
        Stage::PullFailed => Some((memory.since + delay::PULL_BACK_OFF, Stage::PullBackOff)),
        Stage::Running { ready } => {
            let ready_at = ready_after(pod).filter(|_| !ready).map(|d| memory.started + d);
            let exit_at = run_time(pod).map(|d| memory.started + d);
            let code = exit_code(pod);
            let restarts = match restart_policy(pod) {
                "Always" => true,
                "OnFailure" => code != 0,
                _ => false,
            };
            let after = if restarts { Stage::Exited } else { Stage::Terminal };
            let exit = exit_at.map(|at| (at, after));
            match (ready_at, exit) {
                (Some(r), Some((e, _))) if e <= r => exit,
                (Some(r), _) => Some((r, Stage::Running { ready: true })),
                (None, _) => exit,
            }
        }
        Stage::Exited => {
            let wait = if memory.exits <= 1 { delay::RESTART } else { back_off(memory.exits) };
            Some((memory.since + wait, Stage::Running { ready: ready_after(pod) == Some(0) }))
        }
        Stage::PullBackOff | Stage::Terminal | Stage::Gone => None,
    }
}

/// What the stand-in kubelet does about a bound pod now. `memory` is that of the last call; `None` at the
/// first.
pub fn next(pod: &Pod, node: Node, now: Timestamp, memory: Option<Memory>) -> Next {
    let at = now.as_millisecond();
    let mut memory = memory.unwrap_or(Memory {
        stage: Stage::Bound,
        since: at,
        bound: at,
        started: at,
        exits: 0,
        deleted: None,
    });
    let idle = |memory, wake: Option<i64>| Next {
        memory,
        write: None,
        took_ip: false,
        wake: wake.and_then(|w| Timestamp::from_millisecond(w).ok()),
    };
    if node.down || memory.stage == Stage::Gone {
        return idle(memory, None);
    }
    if pod.metadata.deletion_timestamp.is_some() && memory.deleted.is_none() {
        memory.deleted = Some(at);
    }
    let gone_at = memory.deleted.map(|d| d + seconds(pod, "term-delay").unwrap_or(delay::TERMINATION));
    if gone_at.is_some_and(|g| g <= at) {
        let running = pod.status.as_ref().and_then(|s| s.phase.as_deref()) == Some("Running");
        let write = if running {
            memory.stage = Stage::Terminal;
            let code = annotation(pod, "term-exit-code").and_then(|c| c.parse().ok()).unwrap_or(0);
            KubeletWrite::Status(Box::new(status::terminal(pod, code, memory.started, at)))
        } else if memory.stage == Stage::Terminal && at < memory.since + delay::REQUEST {
            return idle(memory, Some(memory.since + delay::REQUEST));
        } else {
            memory.stage = Stage::Gone;
            KubeletWrite::Delete
        };
        memory.since = at;
        return Next { memory, write: Some(write), took_ip: false, wake: None };
    }
    let due = due(pod, &memory);
    let Some((when, stage)) = due else { return idle(memory, gone_at) };
    if when > at {
        return idle(memory, Some(gone_at.map_or(when, |g| g.min(when))));
    }
    let first_start = memory.stage == Stage::Creating;
    let write = match stage {
        Stage::Creating => status::creating(pod, node.number, memory.bound, at),
        Stage::PullFailed => status::pull_failed(pod, node, at),
        Stage::PullBackOff => status::pull_back_off(pod),
        Stage::Running { ready } if matches!(memory.stage, Stage::Running { .. }) => {
            status::readiness(pod, ready, at)
        }
        Stage::Running { ready } => {
            memory.started = at;
            let bound = first_start.then_some(memory.bound);
            status::running(pod, node, bound, ready, memory.exits, at)
        }
        Stage::Exited => {
            memory.exits += 1;
            let wait = back_off(memory.exits);
            status::exited(pod, exit_code(pod), memory.started, wait / 1000, at)
        }
        _ => status::terminal(pod, exit_code(pod), memory.started, at),
    };
    memory.stage = stage;
    memory.since = at;
    let took_ip = pod.status.as_ref().is_none_or(|s| s.pod_ip.is_none()) && write.pod_ip.is_some();
    Next { memory, write: Some(KubeletWrite::Status(Box::new(write))), took_ip, wake: None }
}
