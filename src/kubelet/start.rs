//! Starting a container: back-off, image, creation, start, postStart hook (`kuberuntime_container.go`,
//! `startContainer`; `kuberuntime_manager.go`, `doBackOff`; `images/image_manager.go`).

use std::net::{IpAddr, Ipv4Addr};
use std::rc::Rc;

use ipnet::{IpNet, Ipv4Net};

use super::backoff::BackOff;
use super::behaviour::{self, Exit};
use super::cause::PodCause;
use super::container_state::{ContainerState, Exited, Instance, ProbeRun, Running, Waiting, backoff_key};
use super::images::{self, default_policy};
use super::pulls::{Pull, backs_off_message, pulled_message};
use super::security_context;
use super::state::Work;
use super::timings::{self, later};
use super::turn::Turn;
use super::wake::{Retry, WakeSort};
use crate::api::duration::go_duration;
use crate::api::ip_family;
use crate::api::service_cidr;
use crate::api::types::{ConfigMap, Container};
use crate::api::{ApiKind, Kind, MetaExt, Timestamp};

/// The range of a node that was given none: that of a container runtime's bridge.
pub(super) const BRIDGE: IpNet = IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(10, 88, 0, 0), 16));

/// The exit code of a container whose program could not be started (containerd's `errorStartExitCode`).
const START_ERROR: i32 = 128;

impl Turn<'_> {
    /// The sandbox has been created: the pod gets an address of each family.
    pub(super) fn sandbox_is_there(&mut self) {
        self.rt.sandbox = true;
        self.rt.sandbox_changed = Some(self.now);
        if self.spec.host_network == Some(true) {
            self.rt.addresses = self.host.addresses().map(Rc::from).collect();
            return;
        }
        self.release_addresses();
        let ranges: Vec<IpNet> = match self.host.pod_cidrs {
            [] => vec![BRIDGE],
            // A range that is none is a foreign one of a Node that somebody wrote.
            cidrs => cidrs.iter().filter_map(|c| c.parse().ok()).collect(),
        };
        let mut addresses: Vec<Rc<str>> = Vec::new();
        for range in ranges {
            if let Some(ip) = self.free_address(&range) {
                self.node.addresses.insert(ip, MetaExt::key(&self.pod.metadata));
                self.node.last_addresses.insert(service_cidr::family(ip), ip);
                addresses.push(ip.to_string().into());
            }
        }
        self.rt.addresses = addresses.into();
    }

    /// The next free address of a range of the node after the last one that was assigned. Address 1 of the range is the
    /// node's own. `None` if there is none.
    fn free_address(&self, range: &IpNet) -> Option<IpAddr> {
        let bits = range.max_prefix_len().saturating_sub(range.prefix_len());
        if !(2..=64).contains(&bits) {
            return None;
        }
        let size = 1u128 << bits;
        let base = ip_family::number(range.network());
        // The last address of an IPv4 range is that of all of its machines.
        let end = if range.network().is_ipv4() { size - 1 } else { size };
        let last = self.node.last_addresses.get(service_cidr::family(range.network()));
        let last = last.map_or(1, |ip| ip_family::number(*ip).wrapping_sub(base));
        (1..=size)
            .map(|i| last.wrapping_add(i) % size)
            .filter(|i| *i > 1 && *i < end)
            .filter_map(|i| ip_family::address(range, base.wrapping_add(i)))
            .find(|ip| !self.node.addresses.contains_key(ip))
    }

    /// Frees the pod's addresses for other pods. The pod's status keeps them.
    pub(super) fn release_addresses(&mut self) {
        if self.spec.host_network == Some(true) {
            return;
        }
        for ip in self.rt.addresses.iter().filter_map(|a| a.parse::<IpAddr>().ok()) {
            self.node.addresses.remove(&ip);
        }
    }

    /// Starts a container, unless it is backing off: its image first.
    pub(super) fn start_container(&mut self, i: usize) {
        let Some(spec) = self.container_spec(i) else { return };
        if self.is_backing_off(i, spec) || self.volume_is_missing(i, spec) {
            return;
        }
        self.ensure_image_exists(i, spec);
    }

    /// Whether a container that ended has to wait before it is started again (`doBackOff`). If so, the
    /// event, the waiting reason and the retry are noted.
    fn is_backing_off(&mut self, i: usize, spec: &Container) -> bool {
        let now = self.now;
        // Many containers that restart for ever would keep the cluster from being steady.
        let routine = self.is_routine(i, jiff::SignedDuration::ZERO);
        let Some(c) = self.rt.containers.get_mut(i) else { return true };
        // What SyncPod began with does not show the end of a container that this SyncPod has stopped, but that of the instance before.
        let exited = c.known_exited().or(c.known_running().and(c.known_last()));
        let Some(finished) = exited.map(|e| e.finished) else { return false };
        let key = backoff_key(spec);
        if c.backoff_key != key {
            (c.backoff, c.backoff_key) = (BackOff::default(), key);
        }
        let Some(until) = c.backoff.until(finished, now) else {
            c.backoff.next(finished, now);
            return false;
        };
        let (delay, at_max) = (c.backoff.delay(), c.backoff.is_at_max());
        let known = c.waiting.as_ref().is_some_and(|w| w.reason == "CrashLoopBackOff");
        let (pod, name) = (self.pod_name(), &spec.name);
        self.event(
            Some(i),
            "Warning",
            "BackOff",
            format!("Back-off restarting failed container {name} in pod {pod}"),
        );
        let message = format!("back-off {} restarting failed container={name} pod={pod}", go_duration(delay));
        self.waits_to_start(i, "CrashLoopBackOff", message, PodCause::RestartBackOff);
        // The next sync reports the waiting reason; after that there is nothing to do until the back-off
        // ends.
        let resync = later(now, timings::RESYNC);
        let at = if known { until } else { until.min(resync) };
        // The pod is synced when the wait is over, but after a minute at the latest (`pod_workers.go`, `completeWork`).
        self.look_before(at, resync);
        let recurs = (known || routine) && at_max;
        self.retry(at, if recurs { WakeSort::Recurring } else { WakeSort::Foreground });
        true
    }

    /// Makes sure that the image is on the node, then creates the container (`EnsureImageExists`).
    fn ensure_image_exists(&mut self, i: usize, spec: &Container) {
        let image = spec.image.as_deref().unwrap_or_default();
        if let Some(why) = images::invalid_name(image) {
            let message = format!("Failed to apply default image tag {image:?}: {why}");
            self.event(Some(i), "Warning", "InspectFailed", message.clone());
            self.start_failed(i, "InvalidImageName", message);
            return;
        }
        let present = self.node.images.contains_key(image);
        let policy = spec.image_pull_policy.as_deref().unwrap_or_else(|| default_policy(image));
        if policy != "Always" {
            self.note_image_status(i, image, present);
        }
        if policy == "Never" || (policy != "Always" && present) {
            if present {
                let message = format!(
                    "Container image {image:?} already present on machine and can be accessed by the pod"
                );
                self.event(Some(i), "Normal", "Pulled", message);
                self.create(i, spec);
            } else {
                let message = format!("Container image {image:?} is not present with pull policy of Never");
                self.event(Some(i), "Warning", "ErrImageNeverPull", message.clone());
                self.start_failed(i, "ErrImageNeverPull", message);
            }
            return;
        }
        match self.begin_or_back_off(Some(i), image) {
            Some((error, until)) => self.image_backs_off(i, image, &error, until),
            None => self.pull(i, image, present),
        }
    }

    fn image_backs_off(&mut self, i: usize, image: &str, error: &str, until: Timestamp) {
        let Some(c) = self.rt.containers.get(i) else { return };
        let at_max = self.rt.failed_pulls(image).is_some_and(|p| p.backoff.is_at_max());
        let known = c.waiting.as_ref().is_some_and(|w| w.reason == "ImagePullBackOff");
        if known {
            // The pod worker does not know when this back-off ends, and tries again as after any other error.
            self.rt.synced.failed = true;
            self.look_before(until, later(self.now, timings::SYNC_RETRY));
            self.retry(until, if at_max { WakeSort::Recurring } else { WakeSort::Foreground });
            return;
        }
        self.waits_to_start(i, "ImagePullBackOff", backs_off_message(image, error), PodCause::PullBackOff);
        self.retry(later(self.now, timings::SYNC_RETRY), WakeSort::Foreground);
    }

    /// The error with which the registry refuses an image. An image that a ConfigMap of the cluster declares exists.
    fn refusal(&self, image: &str) -> Option<String> {
        let why = images::refusal(image)?;
        let all = self.caches.of(Kind::CONFIG_MAP).list(None);
        let mut configs = all.filter_map(|o| ConfigMap::from_object(o));
        (!configs.any(|c| images::is_declared(c, image))).then_some(why)
    }

    fn pull(&mut self, i: usize, image: &str, present: bool) {
        let name = self.rt.containers.get(i).map_or_else(Rc::default, |c| c.name.clone());
        let pull = self.begin_pull(&name, image, present);
        self.note_pull(i, image, pull.until);
        self.rt.work = Some(Work::Pull { container: i, pull });
    }

    /// Begins to pull an image for a container with a name, or for a volume. How long it takes, and whether it fails, is decided now.
    pub(super) fn begin_pull(&mut self, name: &str, image: &str, present: bool) -> Pull {
        let meta = &self.pod.metadata;
        let said = behaviour::annotation(meta, name, "image-pull");
        let refusal = match said.map(|s| s.split_once(':').unwrap_or((s, ""))) {
            Some(("fail", "")) => Some(images::not_found(image)),
            Some(("fail", why)) => Some(why.trim().to_owned()),
            Some(("exists", "")) => None,
            _ => self.unpullable.get(image).map(|m| m.to_string()).or_else(|| self.refusal(image)),
        };
        let takes = behaviour::seconds(meta, name, "image-pull").unwrap_or(match (&refusal, present) {
            (Some(_), _) => timings::PULL_FAILED,
            (None, true) => timings::PULL_PRESENT,
            (None, false) => timings::PULL,
        });
        let now = self.now;
        let under_way = self.node.pulling.get(image).copied().filter(|t| *t > now && refusal.is_none());
        let (began, until) = match under_way {
            Some(until) => (now, until),
            None => {
                let began = self.node.puller_free.map_or(now, |t| t.max(now));
                (began, later(began, takes))
            }
        };
        if refusal.is_none() {
            self.node.pulling.insert(image.into(), until);
        }
        self.node.puller_free = self.node.puller_free.max(Some(until));
        Pull { since: now, began, until, refusal: refusal.map(Rc::from) }
    }

    /// A pull has ended, with an error or without.
    pub(super) fn pulled(&mut self, i: usize, pull: Pull) {
        let (now, Some(spec)) = (self.now, self.container_spec(i)) else { return };
        let image = spec.image.as_deref().unwrap_or_default();
        if self.node.pulling.get(image).is_some_and(|t| *t <= now) {
            self.node.pulling.remove(image);
        }
        self.note_pulled(i, image, pull.refusal.as_deref());
        if let Some(error) = pull.refusal {
            self.event(Some(i), "Warning", "Failed", format!("Failed to pull image {image:?}: {error}"));
            self.rt.pull_failed(image, &error, now);
            self.start_failed(i, "ErrImagePull", error.to_string());
            return;
        }
        self.event(Some(i), "Normal", "Pulled", pulled_message(image, &pull));
        self.node.has_image(image, now);
        self.create(i, spec);
    }

    fn create(&mut self, i: usize, spec: &Container) {
        let why = self.missing_environment(spec);
        if why.is_none() {
            // The kubelet looks up the user of the image.
            self.note_image_status(i, spec.image.as_deref().unwrap_or_default(), true);
        }
        let why = why.or_else(|| security_context::refusal(self.spec, &self.pod_name(), spec));
        if let Some(why) = why.or_else(|| self.missing_target(i)) {
            self.rt.waits_for_config = true;
            self.start_failed(i, "CreateContainerConfigError", why);
            return;
        }
        self.rt.waits_for_config = false;
        let image = spec.image.as_deref().unwrap_or_default();
        let now = self.now;
        let uid = self.rt.uid.clone();
        let Some(c) = self.rt.containers.get_mut(i) else { return };
        let before = c.exited().cloned();
        let restarts = c.restarts.saturating_add(i32::from(before.is_some()));
        let instance = Instance {
            id: images::container_id(&uid, &c.name, restarts).into(),
            image: image.into(),
            image_id: images::id(image).into(),
        };
        c.becomes(ContainerState::Created(instance), now);
        c.restarts = restarts;
        c.last = before.or(c.last.take());
        self.node.has_image(image, now);
        self.note_created(i, spec);
        self.event(Some(i), "Normal", "Created", "Container created".into());
        match behaviour::seconds(&self.pod.metadata, &spec.name, "start-seconds") {
            Some(takes) => {
                let until = later(now, takes);
                self.note_start(i, until);
                self.rt.work = Some(Work::Start { container: i, until });
            }
            None => self.started(i),
        }
    }

    /// A container has started.
    pub(super) fn started(&mut self, i: usize) {
        let (now, Some(spec)) = (self.now, self.container_spec(i)) else { return };
        if !self.rt.containers.get(i).is_some_and(|c| matches!(c.state, ContainerState::Created(_))) {
            return;
        }
        let took = behaviour::seconds(&self.pod.metadata, &spec.name, "start-seconds").is_some();
        if let Some(why) = self.missing_program(i, spec) {
            self.note_started(i, took, Some(&why));
            self.start_error(i, &why);
            return;
        }
        self.note_started(i, took, None);
        let sources = self.environment_sources(spec);
        for (store, name) in &sources {
            self.note_read(*store, name);
        }
        let environment = (!sources.is_empty()).then(|| Rc::new(self.environment(spec)));
        let (own, process) = self.begin_process(i, spec);
        let behaviour = behaviour::of(self.pod, spec, own);
        let futile = self.end_without_etcd(&spec.name);
        let Some(c) = self.rt.containers.get_mut(i) else { return };
        let ContainerState::Created(instance) = &c.state else { return };
        let running = Running {
            instance: instance.clone(),
            since: now,
            ends: futile.or(behaviour.ends.map(|(after, exit)| (later(now, after), exit))),
            waits_for_etcd: futile.is_some(),
            behaviour,
            own,
            environment,
            volumes: self.rt.files.count,
            process,
            outside: Rc::default(),
            stopping: None,
            probed: [None; 3],
            signal: None,
            allocation: self.pod.spec.clone(),
        };
        c.becomes(ContainerState::Running(Box::new(running)), now);
        c.waiting = None;
        // The workers go on counting (`prober/worker.go`, `doProbe`).
        for probe in &mut c.probes {
            *probe = ProbeRun { last: probe.last, run: probe.run, ..ProbeRun::default() };
        }
        self.event(Some(i), "Normal", "Started", "Container started".into());
        self.complain_of_clients(i, spec);
        self.complain_of_errors(i, spec);
        self.settle();
        if let Some(handler) = spec.lifecycle.as_ref().and_then(|l| l.post_start.as_ref()) {
            let (takes, failure) = self.hook(i, handler, now);
            let failure = failure.map(Rc::from);
            self.rt.work = Some(Work::PostStart { container: i, until: later(now, takes), failure });
        }
        self.observe_exits();
    }

    /// The runtime could not start a container's program. The container counts as one that ended with 128, and as its start
    /// it has the beginning of time (containerd's `container_start.go`, `errorStartReason`).
    fn start_error(&mut self, i: usize, why: &str) {
        let message = format!(
            "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create \
             failed: unable to start container process: error during container init: {why}"
        );
        let now = self.now;
        let Some(c) = self.rt.containers.get_mut(i) else { return };
        let ContainerState::Created(instance) = &c.state else { return };
        let ended = Exited {
            instance: instance.clone(),
            exit: Exit::code(START_ERROR),
            reason: Some("StartError"),
            message: Some(message.as_str().into()),
            process: None,
            started: Timestamp::UNIX_EPOCH,
            signal: None,
            probed: [None; 3],
            finished: now,
        };
        c.becomes(ContainerState::Exited(Rc::new(ended)), now);
        self.event(Some(i), "Warning", "Failed", format!("Error: {message}"));
        self.cannot_start(i, "RunContainerError", message);
    }

    /// A container's postStart hook has ended. If it failed, the container is stopped. What went wrong is in the status alone: an
    /// event could show others a secret.
    pub(super) fn post_start_done(&mut self, i: usize, failure: Option<Rc<str>>) {
        let runs = self.rt.containers.get(i).is_some_and(|c| c.running().is_some());
        let Some(failure) = failure.filter(|_| runs) else { return };
        self.event(Some(i), "Warning", "FailedPostStartHook", "PostStartHook failed".into());
        self.kill_container(i, "FailedPostStartHook".into(), None, None);
        self.cannot_start(i, "PostStartHookError", failure.to_string());
        self.rt.work = Some(Work::Kill { container: i });
    }

    /// A container could not be started: notes the event, the waiting reason and the retry.
    fn start_failed(&mut self, i: usize, reason: &'static str, message: String) {
        self.event(
            Some(i),
            "Warning",
            "Failed",
            match reason {
                "CreateContainerConfigError" => format!("Error: {message}"),
                _ => format!("Error: {reason}"),
            },
        );
        let c = self.rt.containers.get(i);
        let known =
            c.and_then(|c| c.waiting.as_ref()).is_some_and(|w| w.reason == reason && w.message == message);
        self.cannot_start(i, reason, message);
        // A pull may succeed next time. The other failures stay until somebody changes something.
        let again = known && reason != "ErrImagePull";
        self.retry(
            later(self.now, timings::SYNC_RETRY),
            if again { WakeSort::Background } else { WakeSort::Foreground },
        );
    }

    /// Notes why a container could not be started, for the next status.
    fn cannot_start(&mut self, i: usize, reason: &'static str, message: String) {
        self.waits_to_start(i, reason, message, PodCause::NotStarted);
    }

    /// Whether a container waits for a reason already.
    pub(super) fn waits_with(&self, i: usize, reason: &str) -> bool {
        let waiting = self.rt.containers.get(i).and_then(|c| c.waiting.as_ref());
        waiting.is_some_and(|w| w.reason == reason)
    }

    /// Notes why a container waits (the kubelet's reason cache), and the cause of the next status.
    pub(super) fn waits_to_start(
        &mut self,
        i: usize,
        reason: &'static str,
        message: String,
        cause: PodCause,
    ) {
        if let Some(c) = self.rt.containers.get_mut(i) {
            c.waiting = Some(Rc::new(Waiting { reason, message }));
        }
        self.rt.synced.failed = true;
        self.caused(Some(i), cause);
    }

    /// Plans a sync of the pod before its containers may be started again.
    fn look_before(&mut self, until: Timestamp, at: Timestamp) {
        if at < until {
            self.rt.look = Some(self.rt.look.map_or(at, |before| before.min(at)));
        }
    }

    /// Plans a retry of SyncPod.
    pub(super) fn retry(&mut self, at: Timestamp, sort: WakeSort) {
        let retry = Retry { at, sort };
        self.rt.retry = Some(self.rt.retry.map_or(retry, |before| before.or(retry)));
    }
}
