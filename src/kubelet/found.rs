//! Pods that were there before their kubelet was: a kubelet that starts finds the containers of its pods in the container
//! runtime and goes on with them (`kubelet.go`, `HandlePodCleanups`; `kuberuntime_manager.go`, `GetPodStatus`). The runtime
//! below this kubelet is simulated and knows nothing of such pods, so what it has is read from the status that the pods
//! have: that is what the kubelet before it reported. Clusters that were imported begin so.

use std::rc::Rc;

use super::backoff::BackOff;
use super::behaviour::{self, Exit};
use super::container_state::{
    ContainerRuntime, ContainerState, Exited, Instance, ProbeRun, RESTARTING_ALL, Running, Waiting,
    backoff_key,
};
use super::fault::ProbeType;
use super::images;
use super::pulls::FailedPulls;
use super::requests::pod_requests;
use super::state::Requests;
use super::timings::later;
use super::turn::Turn;
use super::wake::{Retry, WakeSort};
use crate::api::types::{ContainerStateTerminated, ContainerStatus, Pod};
use crate::api::{MetaExt, Timestamp};

/// The reasons of a waiting container whose start was tried and failed. Another container that waits is yet to be started.
const FAILED: [&str; 9] = [
    "CrashLoopBackOff",
    "ImagePullBackOff",
    "ErrImagePull",
    "ErrImageNeverPull",
    "InvalidImageName",
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
    "PostStartHookError",
];

/// How many failures are counted again to find a back-off: after as many it is at its longest.
const FAILURES: i32 = 8;

fn statuses(pod: &Pod) -> impl Iterator<Item = &ContainerStatus> {
    let status = pod.status.as_deref();
    let init = status.and_then(|s| s.init_container_statuses.as_ref());
    let main = status.and_then(|s| s.container_statuses.as_ref());
    let ephemeral = status.and_then(|s| s.ephemeral_container_statuses.as_ref());
    [init, main, ephemeral].into_iter().flatten().flatten()
}

/// Whether the status of a pod tells of containers that were started, or could not be.
pub(super) fn has_run(pod: &Pod) -> bool {
    statuses(pod).any(|s| s.container_id.is_some() || failed_with(s).is_some())
}

/// The images of a pod that could not be pulled, each with the registry's error.
pub(super) fn unpullable(pod: &Pod) -> Vec<(Rc<str>, Rc<str>)> {
    let refused = |s: &ContainerStatus| {
        let (reason, message) = failed_with(s)?;
        let pulled = matches!(reason, "ImagePullBackOff" | "ErrImagePull");
        pulled.then(|| (Rc::from(s.image.as_str()), Rc::from(error_of(message))))
    };
    statuses(pod).filter_map(refused).collect()
}

/// The reason and message of a container whose start failed.
fn failed_with(s: &ContainerStatus) -> Option<(&'static str, &str)> {
    let waiting = s.state.as_ref()?.waiting.as_ref()?;
    let reason = FAILED.iter().find(|reason| Some(**reason) == waiting.reason.as_deref())?;
    Some((reason, waiting.message.as_deref().unwrap_or_default()))
}

/// The registry's error in the message of a back-off.
fn error_of(message: &str) -> &str {
    message.split_once(": ErrImagePull: ").map_or(message, |(_, error)| error)
}

impl Turn<'_> {
    /// Takes over the containers that the pod's status tells of, as if this kubelet had started them.
    pub(super) fn take_over(&mut self) {
        let (pod, now) = (self.pod, self.now);
        let ephemeral = self.ephemeral;
        let specs = self.spec.init_containers.iter().flatten().chain(&self.spec.containers);
        let specs: Vec<_> = specs.chain(ephemeral).collect();
        self.rt.containers = specs.iter().map(|c| ContainerRuntime::new(&c.name)).collect();
        self.rt.seen = true;
        self.rt.generation = pod.metadata.generation();
        self.rt.probing_since = Some(now);
        self.rt.annotated = false;
        self.rt.latest = Some(Rc::new(pod.clone()));
        let asked = pod_requests(self.spec);
        self.node.used = self.node.used.plus(asked);
        self.rt.requests = Some(Requests { ..asked });
        if let Ok(cpus) = self.allocate_cpus() {
            self.assign_cpus(cpus);
        }
        let status = pod.status.as_deref();
        let failed =
            status.and_then(|s| Some((s.reason.as_deref()?, s.message.as_deref().unwrap_or_default())));
        self.rt.failed = failed.map(|(reason, message)| (reason.into(), message.into()));
        let ready_to_start = status.and_then(|s| s.conditions.as_ref()).into_iter().flatten();
        self.rt.sandbox = { ready_to_start }
            .any(|c| c.type_ == "PodReadyToStartContainers" && c.status == "True")
            || statuses(pod).any(|s| s.state.as_ref().is_some_and(|s| s.running.is_some()));
        self.take_over_addresses();
        if self.rt.sandbox {
            // What cannot be written is told at the pod's next sync.
            let _ = self.write_volumes();
            self.rt.files.synced = Some(now);
        }
        self.rt.files.described = self.described();
        for (i, spec) in specs.into_iter().enumerate() {
            if let Some(s) = statuses(pod).find(|s| s.name == spec.name) {
                self.take_over_container(i, spec, s);
            }
        }
    }

    fn take_over_addresses(&mut self) {
        let Some(status) = self.pod.status.as_deref().filter(|_| self.rt.sandbox) else { return };
        let all = status.pod_ips.iter().flatten().map(|ip| ip.ip.as_str());
        let all: Vec<&str> = if status.pod_ips.is_some() {
            all.collect()
        } else {
            status.pod_ip.as_deref().into_iter().collect()
        };
        self.rt.addresses = all.iter().map(|ip| Rc::from(*ip)).collect();
        if self.spec.host_network != Some(true) {
            for ip in all.iter().filter_map(|ip| ip.parse::<std::net::IpAddr>().ok()) {
                self.node.addresses.insert(ip, self.pod.metadata.key());
            }
        }
    }

    fn take_over_container(&mut self, i: usize, spec: &crate::api::types::Container, s: &ContainerStatus) {
        let now = self.now;
        let declared = spec.image.as_deref().unwrap_or_default();
        // The runtime writes the same image in another way.
        let same = images::full_name(declared) == images::full_name(&s.image);
        let instance = Instance {
            id: s.container_id.as_deref().unwrap_or_default().into(),
            image: if same { declared } else { s.image.as_str() }.into(),
            image_id: s.image_id.as_str().into(),
        };
        if s.container_id.is_some() {
            self.node.has_image(declared, now);
        }
        let state = s.state.as_ref();
        let last = s.last_state.as_ref().and_then(|l| l.terminated.as_ref());
        let last = last.map(|t| Rc::new(exited(t, &instance)));
        let running = state.and_then(|s| s.running.as_ref());
        let running = running.map(|r| {
            let since = r.started_at.as_ref().map_or(now, |t| t.0);
            let (own, process) = self.begin_process(i, spec);
            let mut behaviour = behaviour::of(self.pod, spec, own);
            // A program that should have ended by now has not, so it is not as it is thought to be, and it goes on.
            behaviour.ends = behaviour.ends.filter(|(after, _)| later(since, *after) > now);
            Running {
                instance: instance.clone(),
                since,
                ends: behaviour.ends.map(|(after, exit)| (later(since, after), exit)),
                process: process.filter(|_| behaviour.ends.is_some()),
                behaviour,
                own,
                environment: None,
                volumes: self.rt.files.count,
                outside: Rc::default(),
                waits_for_etcd: false,
                stopping: None,
                probed: [None; 3],
                signal: None,
                allocation: self.pod.spec.clone(),
            }
        });
        let ended = state.and_then(|s| s.terminated.as_ref()).map(|t| Rc::new(exited(t, &instance)));
        let failed = failed_with(s);
        let is_main = i >= self.init_count() || self.is_sidecar(i);
        let Some(c) = self.rt.containers.get_mut(i) else { return };
        c.restarts = s.restart_count;
        c.last = last.clone();
        if let Some(running) = running {
            c.state = ContainerState::Running(Box::new(running));
            let probed = |result: bool| ProbeRun {
                result: Some(result),
                last: Some(result),
                run: 1,
                asked: Some(now),
                on_hold: false,
            };
            let probes = [
                (ProbeType::Startup, spec.startup_probe.is_some(), s.started == Some(true)),
                (ProbeType::Readiness, spec.readiness_probe.is_some(), s.ready),
                (ProbeType::Liveness, spec.liveness_probe.is_some(), true),
            ];
            for (probe, is_there, passed) in probes.into_iter().filter(|_| is_main) {
                let at = probe as usize;
                if let (true, Some(run), Some(failing)) =
                    (is_there, c.probes.get_mut(at), c.failing.get_mut(at))
                {
                    *run = probed(passed);
                    // A probe that failed there fails here, too, until somebody lets it pass.
                    *failing = !passed;
                }
            }
            return;
        }
        if let Some(ended) = ended {
            c.state = ContainerState::Exited(ended);
            return;
        }
        let Some((reason, message)) = failed else { return };
        c.waiting = Some(Rc::new(Waiting { reason, message: message.to_owned() }));
        let mut until = None;
        if let Some(last) = last {
            // The status shows the instance that ended last as the one before.
            c.last = None;
            (c.backoff, c.backoff_key) = (after(last.finished, c.restarts), backoff_key(spec));
            until = c.backoff.until(last.finished, now);
            c.state = ContainerState::Exited(last);
        }
        if matches!(reason, "ImagePullBackOff" | "ErrImagePull") {
            let image: Rc<str> = spec.image.as_deref().unwrap_or_default().into();
            let backoff = after(now, FAILURES);
            until = backoff.until_since_update(now);
            let pulls = Rc::make_mut(&mut self.rt.failed_pulls);
            pulls.retain(|p| p.image != image);
            pulls.push(FailedPulls { image, backoff, error: Some(error_of(message).into()) });
        }
        let sort = match reason {
            "CrashLoopBackOff" if !self.is_routine(i, jiff::SignedDuration::ZERO) => WakeSort::Foreground,
            "CrashLoopBackOff" | "ImagePullBackOff" => WakeSort::Recurring,
            // It can only fail again, until somebody changes something.
            _ => WakeSort::Background,
        };
        let retry = Retry { at: until.unwrap_or_else(|| later(now, super::backoff::MAX)), sort };
        self.rt.retry = Some(self.rt.retry.map_or(retry, |before| before.or(retry)));
    }
}

/// The back-off after so many failures, the last of them at a moment.
fn after(last: Timestamp, failures: i32) -> BackOff {
    let mut backoff = BackOff::default();
    for _ in 0..failures.clamp(1, FAILURES) {
        backoff.next(last, last);
    }
    backoff
}

fn exited(t: &ContainerStateTerminated, instance: &Instance) -> Exited {
    let out_of_memory = t.reason.as_deref() == Some("OOMKilled");
    let id = t.container_id.as_deref().map_or_else(|| instance.id.clone(), Rc::from);
    let finished = t.finished_at.as_ref().map_or(Timestamp::UNIX_EPOCH, |t| t.0);
    Exited {
        instance: Instance { id, ..instance.clone() },
        exit: Exit { code: t.exit_code, out_of_memory },
        reason: match t.reason.as_deref() {
            Some("Unknown") => Some("Unknown"),
            Some("ContainerStatusUnknown") => Some("ContainerStatusUnknown"),
            Some("ContainerCannotRun") => Some("ContainerCannotRun"),
            Some("StartError") => Some("StartError"),
            Some(reason) if reason == RESTARTING_ALL.0 => Some(RESTARTING_ALL.0),
            _ => None,
        },
        message: t.message.as_deref().map(Rc::from),
        process: None,
        started: t.started_at.as_ref().map_or(finished, |t| t.0),
        signal: None,
        probed: [None; 3],
        finished,
    }
}
