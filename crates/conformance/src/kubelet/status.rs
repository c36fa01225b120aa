//! The statuses that the stand-in kubelet writes, by stage.
//!
//! They are patches: what a stage does not set stays as it was. That is why a pod that became ready still
//! has the reason and message from when it was not.

use steady::api::Timestamp;
use steady::api::types::{
    Container, ContainerState, ContainerStateRunning, ContainerStateTerminated, ContainerStateWaiting,
    ContainerStatus, HostIP, Pod, PodCondition, PodIP, PodStatus, Time,
};

use super::Node;

/// The reason and message of a condition in a patch.
enum Words<'w> {
    /// They stay as they are.
    Keep,
    /// This reason, and no message.
    Reason(&'w str),
    /// This reason and this message.
    Both(&'w str, String),
}

/// The conditions that the kubelet writes, in order.
const CONDITIONS: [&str; 5] =
    ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];

/// A moment, in milliseconds since 1970, as the API writes it: in whole seconds.
fn time(milliseconds: i64) -> Option<Time> {
    Timestamp::from_second(milliseconds.div_euclid(1000)).ok().map(Time)
}

/// Whether the image's name means that it cannot be pulled.
pub(super) fn bad_image(container: &Container) -> bool {
    let image = container.image.as_deref().unwrap_or("");
    ["does-not-exist", "nonexistent", "no-such", ":bad", "invalid"].iter().any(|bad| image.contains(bad))
}

/// The exit code of a pod's containers: from `fake/exit-codes` or `fake/exit-code`, or that of the first
/// command that ends in `exit N` with N not 0, or is `false`.
pub fn exit_code(pod: &Pod) -> i32 {
    if let Some(code) = super::by_index(pod, "exit-codes") {
        return code.parse().unwrap_or(0);
    }
    if let Some(code) = super::annotation(pod, "exit-code") {
        return code.parse().unwrap_or(0);
    }
    let codes = pod.spec.iter().flat_map(|s| &s.containers).map(command_code);
    codes.into_iter().find(|c| *c != 0).unwrap_or(0)
}

fn command_code(container: &Container) -> i32 {
    let words = container.command.iter().chain(&container.args).flatten();
    let line = words.map(String::as_str).collect::<Vec<_>>().join(" ");
    let line = line.trim_end();
    let digits = line.len() - line.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (head, code) = line.split_at(line.len() - digits);
    match head.trim_end().rsplit(|c: char| !c.is_ascii_alphabetic()).next() {
        Some("exit") if digits > 0 => code.parse().unwrap_or(0),
        _ if digits == 0 && line.rsplit([' ', '/', ';']).next() == Some("false") => 1,
        _ => 0,
    }
}

/// 64 hexadecimal digits that depend only on the text.
fn digest(text: &str) -> String {
    (0..4u64)
        .map(|salt| {
            let mut h = 0xcbf2_9ce4_8422_2325 ^ salt;
            for b in text.bytes() {
                h = (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
            }
            format!("{h:016x}")
        })
        .collect()
}

fn container_id(pod: &Pod, name: &str, restart: i32) -> String {
    let uid = pod.metadata.uid.as_deref().unwrap_or("");
    format!("containerd://{}", digest(&format!("{uid}/{name}/{restart}")))
}

fn image_id(image: &str) -> String {
    format!("fake@sha256:{}", digest(image))
}

fn names(containers: &[Container]) -> String {
    containers.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(" ")
}

fn waiting(reason: &str, message: Option<String>) -> ContainerState {
    let waiting = ContainerStateWaiting { reason: Some(reason.into()), message };
    ContainerState { waiting: Some(waiting), ..ContainerState::default() }
}

fn terminated(id: Option<String>, exit_code: i32, started: i64, at: i64) -> ContainerState {
    let state = ContainerStateTerminated {
        container_id: id,
        exit_code,
        finished_at: time(at),
        started_at: time(started),
        reason: Some(if exit_code == 0 { "Completed" } else { "Error" }.into()),
        ..ContainerStateTerminated::default()
    };
    ContainerState { terminated: Some(state), ..ContainerState::default() }
}

/// The status on which a patch is based: the pod's own, with `observedGeneration`.
fn observed(pod: &Pod) -> PodStatus {
    let mut status = pod.status.as_deref().cloned().unwrap_or_default();
    status.observed_generation = pod.metadata.generation;
    let conditions = status.conditions.get_or_insert_default();
    for c in conditions.iter_mut().filter(|c| CONDITIONS.contains(&c.type_.as_str())) {
        c.observed_generation = pod.metadata.generation;
    }
    status
}

/// Sets a condition. Its transition time changes only with its status.
fn set(status: &mut PodStatus, pod: &Pod, type_: &str, value: bool, words: Words<'_>, at: i64) {
    let value = if value { "True" } else { "False" };
    let conditions = status.conditions.get_or_insert_default();
    let i = conditions.iter().position(|c| c.type_ == type_).unwrap_or_else(|| {
        conditions.push(PodCondition { type_: type_.into(), ..PodCondition::default() });
        conditions.len() - 1
    });
    let Some(c) = conditions.get_mut(i) else { return };
    if c.status != value {
        c.status = value.into();
        c.last_transition_time = time(at);
    }
    c.observed_generation = pod.metadata.generation;
    match words {
        Words::Keep => {}
        Words::Reason(reason) => (c.reason, c.message) = (Some(reason.into()), None),
        Words::Both(reason, message) => (c.reason, c.message) = (Some(reason.into()), Some(message)),
    }
}

fn set_ready(status: &mut PodStatus, pod: &Pod, ready: bool, at: i64) {
    set(status, pod, "Ready", ready, Words::Keep, at);
    set(status, pod, "ContainersReady", ready, Words::Keep, at);
}

fn each_container(status: &mut PodStatus, change: impl FnMut(&mut ContainerStatus)) {
    status.container_statuses.iter_mut().flatten().for_each(change);
}

/// The status of a Pending pod with ContainerCreating.
pub(super) fn creating(pod: &Pod, node: u32, bound: i64, at: i64) -> PodStatus {
    let mut status = observed(pod);
    let containers = pod.spec.as_ref().map(|s| s.containers.as_slice()).unwrap_or_default();
    let init = pod.spec.as_ref().and_then(|s| s.init_containers.as_deref()).unwrap_or_default();
    let reason = if init.is_empty() { "ContainerCreating" } else { "PodInitializing" };
    let fresh = |c: &Container| ContainerStatus {
        image: c.image.clone().unwrap_or_default(),
        name: c.name.clone(),
        last_state: Some(ContainerState::default()),
        started: Some(false),
        state: Some(waiting(reason, None)),
        ..ContainerStatus::default()
    };
    status.container_statuses = Some(containers.iter().map(fresh).collect());
    status.init_container_statuses = (!init.is_empty()).then(|| init.iter().map(fresh).collect());
    status.phase = Some("Pending".into());
    status.start_time = time(bound);
    let address = format!("172.18.0.{}", node.saturating_add(1));
    status.host_ips = Some(vec![HostIP { ip: address.clone() }]);
    status.host_ip = Some(address);
    // The kubelet's own conditions come first, in its order.
    let before = status.conditions.take().unwrap_or_default();
    let (mine, others): (Vec<_>, Vec<_>) =
        before.into_iter().partition(|c| CONDITIONS.contains(&c.type_.as_str()));
    let kept = |t: &str| mine.iter().find(|c| c.type_ == t).cloned();
    let fresh = |t: &str| PodCondition { type_: t.into(), ..PodCondition::default() };
    let mut conditions: Vec<_> = CONDITIONS.iter().map(|t| kept(t).unwrap_or_else(|| fresh(t))).collect();
    conditions.extend(others);
    status.conditions = Some(conditions);
    set(&mut status, pod, "PodReadyToStartContainers", false, Words::Keep, at);
    if init.is_empty() {
        set(&mut status, pod, "Initialized", true, Words::Keep, at);
    } else {
        let message = format!("containers with incomplete status: [{}]", names(init));
        set(&mut status, pod, "Initialized", false, Words::Both("ContainersNotInitialized", message), at);
    }
    let message = format!("containers with unready status: [{}]", names(containers));
    for t in ["Ready", "ContainersReady"] {
        set(&mut status, pod, t, false, Words::Both("ContainersNotReady", message.clone()), at);
    }
    set(&mut status, pod, "PodScheduled", true, Words::Keep, at);
    status
}

/// Gives the pod the node's next address, unless it has one.
fn address(status: &mut PodStatus, node: Node) {
    if status.pod_ip.is_none() {
        let ip = format!("10.244.{}.{}", node.number, node.next_ip);
        status.pod_ips = Some(vec![PodIP { ip: ip.clone() }]);
        status.pod_ip = Some(ip);
    }
}

/// The status with ErrImagePull.
pub(super) fn pull_failed(pod: &Pod, node: Node, at: i64) -> PodStatus {
    let mut status = observed(pod);
    address(&mut status, node);
    set(&mut status, pod, "PodReadyToStartContainers", true, Words::Keep, at);
    let bad = bad_names(pod);
    each_container(&mut status, |c| {
        if bad.contains(&c.name) {
            let message = format!("failed to pull and unpack image {}: not found", c.image);
            c.state = Some(waiting("ErrImagePull", Some(message)));
        }
    });
    status
}

/// The status with ImagePullBackOff.
pub(super) fn pull_back_off(pod: &Pod) -> PodStatus {
    let mut status = observed(pod);
    let bad = bad_names(pod);
    each_container(&mut status, |c| {
        if bad.contains(&c.name) {
            let message = format!("Back-off pulling image \"{}\"", c.image);
            c.state = Some(waiting("ImagePullBackOff", Some(message)));
        }
    });
    status
}

fn bad_names(pod: &Pod) -> Vec<String> {
    let all = pod.spec.iter().flat_map(|s| &s.containers);
    all.filter(|c| bad_image(c)).map(|c| c.name.clone()).collect()
}

/// The status of a running pod. `bound` is when the pod was bound; it is given at the first start, when init
/// containers have run.
pub(super) fn running(
    pod: &Pod,
    node: Node,
    bound: Option<i64>,
    ready: bool,
    restarts: u32,
    at: i64,
) -> PodStatus {
    let mut status = observed(pod);
    address(&mut status, node);
    status.phase = Some("Running".into());
    let restart_count = i32::try_from(restarts).unwrap_or(i32::MAX);
    let spec = pod.spec.as_ref();
    each_container(&mut status, |c| {
        if let Some(before) = c.state.take().filter(|s| s.terminated.is_some()) {
            c.last_state = Some(before);
        }
        c.container_id = Some(container_id(pod, &c.name, restart_count));
        c.image_id = image_id(&c.image);
        c.ready = ready;
        c.started = Some(true);
        c.restart_count = restart_count;
        let state = ContainerStateRunning { started_at: time(at) };
        c.state = Some(ContainerState { running: Some(state), ..ContainerState::default() });
        let resources = spec
            .and_then(|s| s.containers.iter().find(|x| x.name == c.name))
            .and_then(|x| x.resources.clone())
            .filter(|r| r.requests.is_some() || r.limits.is_some() || r.claims.is_some());
        c.allocated_resources = resources.as_ref().and_then(|r| r.requests.clone());
        c.resources = resources;
    });
    for c in status.init_container_statuses.iter_mut().flatten().filter(|_| bound.is_some()) {
        let id = container_id(pod, &c.name, 0);
        c.container_id = Some(id.clone());
        c.image_id = image_id(&c.image);
        c.ready = true;
        let bound = bound.unwrap_or(at);
        c.state = Some(terminated(Some(id), 0, bound, bound));
    }
    set(&mut status, pod, "PodReadyToStartContainers", true, Words::Keep, at);
    set(&mut status, pod, "Initialized", true, Words::Keep, at);
    set_ready(&mut status, pod, ready, at);
    status
}

/// The status of a running pod that becomes ready, or stops being ready.
pub(super) fn readiness(pod: &Pod, ready: bool, at: i64) -> PodStatus {
    let mut status = observed(pod);
    each_container(&mut status, |c| c.ready = ready);
    set_ready(&mut status, pod, ready, at);
    status
}

/// The status of a pod whose containers will be restarted: terminated the first time, then CrashLoopBackOff.
pub(super) fn exited(pod: &Pod, code: i32, started: i64, back_off: i64, at: i64) -> PodStatus {
    let mut status = observed(pod);
    each_container(&mut status, |c| {
        let state = terminated(c.container_id.clone(), code, started, at);
        c.ready = false;
        c.started = Some(false);
        c.allocated_resources = None;
        c.resources = None;
        if back_off == 0 {
            c.last_state = Some(ContainerState::default());
            c.state = Some(state);
        } else {
            let message = format!("back-off {back_off}s restarting failed container");
            c.container_id = None;
            c.image_id = String::new();
            c.last_state = Some(state);
            c.state = Some(waiting("CrashLoopBackOff", Some(message)));
        }
    });
    set_ready(&mut status, pod, false, at);
    status
}

/// The status of a pod that is Succeeded or Failed, by itself or because it is being deleted.
pub(super) fn terminal(pod: &Pod, code: i32, started: i64, at: i64) -> PodStatus {
    let mut status = observed(pod);
    let (phase, reason) = if code == 0 { ("Succeeded", "PodCompleted") } else { ("Failed", "PodFailed") };
    status.phase = Some(phase.into());
    each_container(&mut status, |c| {
        c.ready = false;
        c.started = Some(false);
        c.allocated_resources = None;
        c.resources = None;
        c.last_state = Some(ContainerState::default());
        c.state = Some(terminated(c.container_id.clone(), code, started, at));
    });
    set(&mut status, pod, "PodReadyToStartContainers", false, Words::Keep, at);
    if code == 0 {
        set(&mut status, pod, "Initialized", true, Words::Reason(reason), at);
    }
    set(&mut status, pod, "Ready", false, Words::Reason(reason), at);
    set(&mut status, pod, "ContainersReady", false, Words::Reason(reason), at);
    status
}
