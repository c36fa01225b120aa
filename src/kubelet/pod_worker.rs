//! Pod workers (`k8s.io/kubernetes/pkg/kubelet/pod_workers.go`, `kubelet.go`): SyncPod until all containers
//! of the pod have ended for good or the pod is deleted; then follows what stands in `terminating`.

use std::rc::Rc;

use jiff::SignedDuration;

use super::backoff;
use super::behaviour::{self, Exit};
use super::cause::PodCause;
use super::container_state::{ContainerRuntime, ContainerState, Exited};
use super::fault::KubeletFault;
use super::prober;
use super::state::{Todo, Work, WorkerPhase};
use super::status;
use super::timings::{self, later};
use super::turn::Turn;
use super::wake::{WakeSort, Wakes};
use crate::api::{Key, MetaExt, Timestamp};

/// The most steps of one turn. A pod that needs more gets another turn.
const STEPS_LIMIT: usize = 256;

/// Why a pod has failed that was active for longer than it may be.
const DEADLINE_EXCEEDED: &str = "DeadlineExceeded";

/// After this many restarts a container's next restart is a deadline that recurs: it shows nothing new.
const MANY_RESTARTS: i32 = 20;

impl<'a> Turn<'a> {
    /// Runs the turn. `node` is the key of the Node, `faults` the faults that were injected into this pod.
    pub(super) fn run(&mut self, node: &Key, faults: &[KubeletFault]) {
        let new = !self.rt.seen && self.rt.requests.is_none() && self.rt.phase == WorkerPhase::Sync;
        if new && !self.is_ending() && !self.admit(node) {
            return;
        }
        self.begin();
        self.take_faults(faults);
        self.hear_of_etcd();
        self.hear_of_changes();
        self.hear_of_contents();
        self.observe_sources();
        self.is_killed_for_memory();
        self.observe_exits();
        if self.rt.phase != WorkerPhase::Terminated {
            self.obey();
        }
        if self.rt.phase == WorkerPhase::Sync && self.pod.metadata.is_deleting() {
            self.end_pod(PodCause::DeletionRequested);
        } else if self.rt.phase == WorkerPhase::Sync && self.rt.withdrawn {
            self.end_pod(PodCause::Withdrawn);
        }
        match self.rt.phase {
            WorkerPhase::Sync => match self.rt.ending {
                Some(why) if self.may_sync() => self.terminate(why),
                Some(_) => self.probe_containers(),
                None => {
                    self.observe_deadline();
                    self.probe_containers();
                    self.sync_pod();
                }
            },
            WorkerPhase::Terminating => {
                self.probe_containers();
                self.sync_terminating_pod();
            }
            WorkerPhase::Terminated => self.finish(),
        }
    }

    fn begin(&mut self) {
        if self.rt.resize.error.is_some() && self.why_not_smaller().is_none() {
            self.rt.changed = true;
        }
        if self.rt.containers.is_empty() {
            let init = self.spec.init_containers.iter().flatten();
            let all = init.chain(self.spec.containers.iter());
            self.rt.containers = all.map(|c| ContainerRuntime::new(&c.name)).collect();
        }
        self.note_ephemeral();
        if self.rt.sandbox {
            self.find_lasting();
        }
        // Readiness gates depend on conditions that other components write.
        let gated = self.spec.readiness_gates.as_ref().is_some_and(|g| !g.is_empty());
        self.rt.unreported |= gated && self.rt.phase == WorkerPhase::Sync;
        if std::mem::take(&mut self.rt.rebooted) {
            self.reboot();
        }
        let ours = |k: &String| k.starts_with(behaviour::NAMESPACE);
        let annotated = self.pod.metadata.annotations.iter().flatten().any(|(k, _)| ours(k));
        if annotated || self.rt.annotated {
            self.rt.annotated = annotated;
            self.renew_behaviour();
        }
    }

    /// Reads the annotations again, as they can change while a container runs. The moment at which the
    /// container ends by itself was decided at its start and stays, but for the end for want of memory.
    fn renew_behaviour(&mut self) {
        for i in 0..self.rt.containers.len() {
            let Some(spec) = self.container_spec(i) else { continue };
            let (pod, now) = (self.pod, self.now);
            if let Some(ContainerState::Running(r)) = self.rt.containers.get_mut(i).map(|c| &mut c.state) {
                let new = behaviour::with(pod, &spec.name, r.resources(&spec.name), r.own);
                let dies = |b: &behaviour::Behaviour| b.ends.is_some_and(|(_, exit)| exit.out_of_memory);
                if dies(&new) == dies(&r.behaviour) {
                    r.behaviour = behaviour::Behaviour { ends: r.behaviour.ends, ..new };
                } else if r.stopping.is_none() {
                    // What it needs has grown over its limit, or is below it again.
                    let from = if dies(&new) { now } else { r.since };
                    r.ends = new.ends.map(|(after, exit)| (later(from, after), exit));
                    r.behaviour = new;
                }
            }
        }
    }

    fn take_faults(&mut self, faults: &[KubeletFault]) {
        let now = self.now;
        for fault in faults {
            let by_name = |c: &&mut ContainerRuntime, name: &Rc<str>| c.name == *name;
            match fault {
                KubeletFault::CrashContainer { container, exit_code, .. } => {
                    let c = self.rt.containers.iter_mut().find(|c| by_name(c, container));
                    if let Some(ContainerState::Running(r)) = c.map(|c| &mut c.state) {
                        r.ends = Some((now, Exit::code(*exit_code)));
                    }
                }
                KubeletFault::FailProbe { container, probe, failing, .. } => {
                    let at = *probe as usize;
                    let Some(c) = self.rt.containers.iter_mut().find(|c| by_name(c, container)) else {
                        continue;
                    };
                    if let (Some(f), Some(p)) = (c.failing.get_mut(at), c.probes.get_mut(at)) {
                        *f = *failing;
                        // Earlier ticks count as probed with the result they would have had; the next tick
                        // finds the change.
                        p.asked = p.asked.max(Some(now));
                    }
                }
                KubeletFault::Image { .. } | KubeletFault::Mount { .. } => {
                    if let Some(r) = self.rt.retry.as_mut() {
                        r.sort = WakeSort::Foreground;
                    }
                }
            }
        }
    }

    /// Notes the containers whose end has come. The kubelet knows of it when PLEG has noticed it.
    pub(super) fn observe_exits(&mut self) {
        for i in 0..self.rt.containers.len() {
            let ended = self.rt.containers.get(i).and_then(|c| c.running()?.ends);
            let Some((at, exit)) = ended.filter(|(at, _)| *at <= self.now) else { continue };
            let message = self.process_ended(i, at, exit.code);
            let Some(c) = self.rt.containers.get_mut(i) else { continue };
            let ContainerState::Running(r) = &c.state else { continue };
            let stopped = r.stopping.is_some();
            let exited = Exited {
                instance: r.instance.clone(),
                exit,
                reason: None,
                message,
                process: r.process.clone(),
                started: r.since,
                signal: r.signal.filter(|signal| *signal <= at),
                probed: c.probed(at),
                finished: at,
            };
            c.becomes(ContainerState::Exited(Rc::new(exited)), at);
            // Probes up to this moment have had the results that they would have had: the next tick finds nobody.
            for probe in c.probes.iter_mut().filter(|p| p.asked.is_some()) {
                probe.asked = probe.asked.max(Some(at));
            }
            if stopped {
                self.note_stopped(i, at);
            }
        }
    }

    /// Fails the pod after `activeDeadlineSeconds`, counted from `status.startTime`.
    fn observe_deadline(&mut self) {
        if self.rt.failed.is_none() && self.deadline().is_some_and(|at| at <= self.now) {
            let message = "Pod was active on the node longer than the specified deadline";
            self.rt.failed = Some((DEADLINE_EXCEEDED.into(), message.into()));
            self.tell_of_deadline();
            self.rt.changed = true;
            // The SyncPod under way is given up.
            self.rt.work = None;
            self.rt.todo.clear();
            if std::mem::take(&mut self.rt.syncing) {
                self.sync_ended();
            }
            self.caused(None, PodCause::DeadlineExceeded);
        }
    }

    /// Tells that the pod has failed because of its deadline, if it has: each time that the kubelet makes a status of such a pod
    /// (`active_deadline.go`, `ShouldEvict`, which `generateAPIPodStatus` asks).
    pub(super) fn tell_of_deadline(&mut self) {
        let failed = self.rt.failed.as_ref().filter(|_| self.has_exceeded_deadline());
        if let Some(message) = failed.map(|(_, message)| message.to_string()) {
            self.event(None, "Normal", DEADLINE_EXCEEDED, message);
        }
    }

    pub(super) fn has_exceeded_deadline(&self) -> bool {
        self.rt.failed.as_ref().is_some_and(|(reason, _)| **reason == *DEADLINE_EXCEEDED)
    }

    fn deadline(&self) -> Option<Timestamp> {
        let seconds = self.spec.active_deadline_seconds?;
        let started = self.pod.status.as_ref()?.start_time.as_ref()?.0;
        started.checked_add(SignedDuration::from_secs(seconds)).ok()
    }

    /// SyncPod: continues the one under way, then begins another if there is a reason for it.
    pub(super) fn sync_pod(&mut self) {
        for _ in 0..STEPS_LIMIT {
            if let Some(work) = &self.rt.work {
                let waits = match work {
                    Work::Kill { container } => {
                        self.rt.containers.get(*container).is_some_and(|c| c.running().is_some())
                    }
                    _ => work.until().is_some_and(|t| t > self.now),
                };
                if waits {
                    return;
                }
                if let Some(work) = self.rt.work.take() {
                    self.finish_work(work);
                }
                if self.sandbox_is_news {
                    self.again = true;
                    return;
                }
                continue;
            }
            if !self.rt.todo.is_empty() {
                let todo = self.rt.todo.remove(0);
                self.do_next(todo);
                if self.rt.phase != WorkerPhase::Sync {
                    return;
                }
                continue;
            }
            if std::mem::take(&mut self.rt.syncing) {
                self.rt.files.synced = Some(self.now);
                self.sync_ended();
            }
            if self.rt.ending.is_some() {
                return;
            }
            self.hear_of_relists();
            if !self.wants_sync() || !self.may_sync() {
                return;
            }
            self.begin_sync();
            // The status is reported before the first step.
            self.again = true;
            return;
        }
        self.again = true;
    }

    pub(super) fn wants_sync(&self) -> bool {
        !self.rt.seen
            || self.rt.changed
            || self.rt.generation != self.pod.metadata.generation()
            || self.rt.retry.is_some_and(|r| r.at <= self.now)
            || self.rt.look.is_some_and(|at| at <= self.now)
            || (self.rt.waits_for_attach && self.volumes_are_attached())
            || self.files_are_due()
            || self.rt.files.described != self.described()
    }

    fn begin_sync(&mut self) {
        if !self.rt.seen {
            self.caused(None, PodCause::Bound);
            self.rt.probing_since = Some(self.now);
        }
        self.rt.seen = true;
        self.rt.changed = false;
        self.rt.syncing = true;
        self.rt.waits_for_volumes = false;
        self.sync_begins();
        self.rt.retry = None;
        self.rt.look = None;
        self.rt.generation = self.pod.metadata.generation();
        self.rt.unreported = true;
        self.rt.files.described = self.described();
        self.rewrite_volumes();
        self.observe_resize();
        self.ask_readiness();
        let statuses = status::all_containers(self);
        let phase = status::phase(self, &statuses, false);
        self.rt.restarting_all = self.rt.failed.is_none() && self.should_all_containers_restart();
        self.rt.todo = if self.rt.restarting_all {
            vec![Todo::RestartAll]
        } else if self.rt.failed.is_some() || matches!(phase, "Succeeded" | "Failed") {
            vec![Todo::Terminate]
        } else {
            self.compute_pod_actions()
        };
        let mut todo = std::mem::take(&mut self.rt.todo);
        self.pull_volumes_first(&mut todo);
        self.rt.todo = todo;
        let starts = |todo: &[Todo]| todo.iter().any(|t| matches!(t, Todo::Start { .. }));
        let has_sandbox = !self.rt.todo.contains(&Todo::Sandbox);
        if !matches!(self.rt.todo.as_slice(), [Todo::Terminate]) && self.waits_for_network() {
            self.rt.restarting_all = false;
            self.rt.todo.clear();
        } else if has_sandbox && starts(&self.rt.todo) {
            self.look_for_pull_secrets();
            self.tell_of_resolver();
        }
    }

    fn do_next(&mut self, todo: Todo) {
        let acts = match &todo {
            Todo::Sandbox | Todo::PullVolume { .. } | Todo::Terminate => false,
            Todo::Kill { .. }
            | Todo::Start { .. }
            | Todo::Resize { .. }
            | Todo::RestartAll
            | Todo::StopSandbox => true,
        };
        self.rt.synced.acted |= acts;
        match todo {
            Todo::Sandbox => {
                if self.volumes_are_there() && self.csi_volumes_are_mounted() {
                    self.rt.mount_failures = 0;
                    self.look_for_pull_secrets();
                    self.replaces_sandbox();
                    self.tell_of_resolver();
                    if let Some(why) = self.sandbox_refused() {
                        self.rt.todo.clear();
                        return self.sandbox_failed(&why);
                    }
                    self.rt.sandbox_failures = 0;
                    self.rt.waits_for_config = false;
                    self.find_lasting();
                    let until = later(self.now, timings::SANDBOX);
                    self.note_run_sandbox(Ok(until));
                    self.rt.work = Some(Work::Sandbox { until });
                } else if self.rt.work.is_some() {
                    // The volumes are being mounted; the sandbox comes after that.
                    self.rt.todo.insert(0, Todo::Sandbox);
                } else {
                    // `WaitForAttachAndMount` looks at the volumes again and again, and SyncPod goes on when they are there.
                    self.rt.todo.clear();
                    self.rt.waits_for_volumes = true;
                    self.rt.syncing = false;
                }
            }
            Todo::Kill { container, message, probe } => {
                self.kill_container(container, message, probe, None);
                self.rt.work = Some(Work::Kill { container });
            }
            Todo::Resize { container } => self.actuate(container),
            Todo::PullVolume { volume } => self.ensure_volume_exists(volume),
            Todo::Start { container } => self.start_container(container),
            Todo::RestartAll => self.restart_all(),
            Todo::StopSandbox => {
                self.note_stop_sandbox();
                if std::mem::take(&mut self.rt.sandbox) {
                    self.rt.sandbox_changed = Some(self.now);
                }
            }
            Todo::Terminate => self.rt.ending = Some(PodCause::Over),
        }
    }

    fn finish_work(&mut self, work: Work) {
        match work {
            Work::Mount { .. } => self.staged(),
            Work::Sandbox { .. } => {
                self.rt.synced.acted = true;
                self.sandbox_is_there();
                self.note_sandbox();
                // The containers are started with a configuration that is made anew.
                self.tell_of_resolver();
                // A status says so before images are pulled (`OnPodSandboxReady`).
                self.sandbox_is_news = true;
                self.rt.unreported = true;
            }
            Work::Pull { container, pull } => self.pulled(container, pull),
            Work::PullVolume { volume, pull } => self.volume_is_pulled(volume, &pull),
            Work::Start { container, .. } => self.started(container),
            Work::PostStart { container, failure, .. } => self.post_start_done(container, failure),
            Work::Kill { .. } => {}
        }
    }

    /// The deadlines of the pod's next turn.
    pub(super) fn wakes(&self) -> Wakes {
        let mut wakes = self.rt.grows;
        if let Some(at) = self.next_look() {
            wakes.add(WakeSort::Foreground, at);
        }
        let sort = |routine: bool| if routine { WakeSort::Recurring } else { WakeSort::Foreground };
        for (i, c) in self.rt.containers.iter().enumerate() {
            let Some(r) = c.running() else { continue };
            if let Some((at, _)) = r.ends {
                wakes.add(sort(r.stopping.is_none() && self.is_routine(i, at.duration_since(r.since))), at);
            }
        }
        if self.rt.phase == WorkerPhase::Sync {
            if let Some((work, at)) = self.rt.work.as_ref().and_then(|w| Some((w, w.until()?))) {
                let routine = matches!(work, Work::PostStart { container, .. }
                    if self.is_routine(*container, SignedDuration::ZERO));
                wakes.add(sort(routine), at);
            }
            if let Some(at) = self.deadline().filter(|_| self.rt.failed.is_none()) {
                wakes.add(WakeSort::Foreground, at);
            }
        }
        if self.rt.phase == WorkerPhase::Sync && self.rt.ending.is_none() {
            // While SyncPod waits for something, another one is planned only when that is over.
            let idle = self.rt.work.is_none();
            let from = if idle { self.rt.next_sync(self.now) } else { self.now };
            if let Some(retry) = self.rt.retry.filter(|_| idle) {
                wakes.add(retry.sort, retry.at.max(from));
            }
            if let Some(at) = self.rt.look.filter(|_| idle) {
                wakes.add(WakeSort::Background, at.max(from));
            }
            if let Some(due) = self.rt.files.due {
                wakes.add(due.sort, due.at.max(from));
            }
            if let Some(at) = self.next_token() {
                wakes.add(WakeSort::Recurring, at.max(from));
            }
        }
        self.next_relists(&mut wakes);
        if self.rt.phase != WorkerPhase::Terminated {
            for i in 0..self.rt.containers.len() {
                prober::next(self, i, &mut wakes);
            }
        }
        if self.rt.resize.pending.as_ref().is_some_and(|p| p.reason == "Deferred") {
            wakes.add(WakeSort::Background, later(self.now, timings::RESIZE_RETRY));
        }
        if let Some(at) = self.next_listening() {
            wakes.add(WakeSort::Foreground, at);
        }
        if let Some(at) = self.foresees_again().filter(|at| *at > self.now) {
            wakes.add(WakeSort::Background, at);
        }
        wakes
    }

    /// Whether the end of a container is a deadline that recurs. It is if the container will be started again
    /// and runs so long that its back-off starts anew, or if it has been restarted [`MANY_RESTARTS`] times.
    pub(super) fn is_routine(&self, i: usize, runs: SignedDuration) -> bool {
        let Some((c, spec)) = self.rt.containers.get(i).zip(self.container_spec(i)) else { return false };
        let init = i < self.init_count() && !self.is_sidecar(i);
        let always = !init && !self.is_ephemeral(i) && self.policy_of(spec) == "Always";
        (always && runs > backoff::EXPIRES) || c.restarts >= MANY_RESTARTS
    }
}
