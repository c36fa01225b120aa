//! Stopping containers (`kuberuntime_container.go`, `killContainer`): the preStop hook, SIGTERM, the grace
//! period, SIGKILL. Sidecars stop after the main containers.

use jiff::SignedDuration;

use super::behaviour::Exit;
use super::container_state::ContainerState;
use super::fault::ProbeType;
use super::known_images;
use super::timings::{self, later};
use super::turn::Turn;
use crate::api::Timestamp;
use crate::api::types::Container;

/// The exit code of a process ended by SIGKILL.
pub(super) const KILLED: i32 = 137;

impl Turn<'_> {
    /// The event's message when a container is stopped.
    pub(super) fn stopping_message(&self, i: usize) -> String {
        format!("Stopping container {}", self.rt.containers.get(i).map_or("", |c| &*c.name))
    }

    /// A container's grace period (`setTerminationGracePeriod`). `probe` is the probe that failed, if one
    /// did.
    fn grace_period(&self, spec: &Container, probe: Option<ProbeType>) -> SignedDuration {
        let of_probe = match probe {
            Some(ProbeType::Liveness) => spec.liveness_probe.as_ref(),
            Some(ProbeType::Startup) => spec.startup_probe.as_ref(),
            _ => None,
        };
        let asked = self.pod.metadata.deletion_grace_period_seconds;
        // The kubelet itself can make it shorter, and no shorter than a second (`calculateEffectiveGracePeriod`).
        let own = self.rt.grace_override.map(|own| asked.map_or(own, |asked| own.min(asked)).max(1));
        let seconds = own
            .or(asked)
            .or_else(|| of_probe?.termination_grace_period_seconds)
            .or(self.spec.termination_grace_period_seconds)
            .unwrap_or(30);
        SignedDuration::from_secs(seconds.clamp(0, 1 << 32))
    }

    /// Stops all running containers: main containers at once, then sidecars in reverse order, each after
    /// those that were stopped before it.
    pub(super) fn kill_pod(&mut self) {
        let mut after: Option<Timestamp> = None;
        let init = self.init_count();
        let main = init..self.rt.containers.len();
        let mut last: Option<Timestamp> = None;
        for i in main.chain((0..init).rev()) {
            if i < init {
                // Each sidecar waits for the containers that are stopped before it.
                after = after.max(last);
            }
            let message = self.stopping_message(i);
            self.kill_container(i, message, None, after);
            let ends = self.rt.containers.get(i).and_then(|c| c.running()?.ends).map(|(at, _)| at);
            last = last.max(ends);
        }
    }

    /// Stops a container if it runs: decides when and how it ends. `turn` is when the containers that it
    /// waits for have ended.
    pub(super) fn kill_container(
        &mut self,
        i: usize,
        message: String,
        probe: Option<ProbeType>,
        turn: Option<Timestamp>,
    ) {
        let (now, Some(spec)) = (self.now, self.container_spec(i)) else { return };
        let grace = self.grace_period(spec, probe);
        if self.rt.containers.get(i).is_none_or(|c| c.running().is_none() && c.known_running().is_none()) {
            return;
        }
        self.event(Some(i), "Normal", "Killing", message);
        let pre_stop = spec.lifecycle.as_ref().and_then(|l| l.pre_stop.as_ref());
        if self.rt.containers.get(i).is_none_or(|c| c.running().is_none()) {
            // It has ended, which the kubelet did not know. Its hook is run all the same, and the runtime has nothing to stop.
            let fails = pre_stop
                .filter(|_| grace > SignedDuration::ZERO)
                .is_some_and(|handler| handler.exec.is_some() || self.hook(i, handler, now).1.is_some());
            if fails {
                self.event(Some(i), "Warning", "FailedPreStopHook", "PreStopHook failed".into());
            }
            return;
        }
        let mut left = grace;
        if let Some(handler) = pre_stop.filter(|_| grace > SignedDuration::ZERO) {
            let (takes, failure) = self.hook(i, handler, now);
            if failure.is_some() {
                self.event(Some(i), "Warning", "FailedPreStopHook", "PreStopHook failed".into());
            }
            // Only whole seconds of the hook count.
            left -= SignedDuration::from_secs(takes.min(grace).as_secs());
        }
        let mut signal = later(now, grace - left);
        if let Some(turn) = turn.filter(|t| *t > signal) {
            let waited = turn.min(later(signal, left)).duration_since(signal);
            signal = later(signal, waited);
            left -= SignedDuration::from_secs(waited.as_secs());
        }
        let left = left.max(timings::MINIMUM_GRACE);
        let running = self.rt.containers.get(i).and_then(|c| c.running());
        let signalled = running.filter(|r| !r.behaviour.stop_is_told).and_then(|r| self.signalled(r, signal));
        let Some(ContainerState::Running(r)) = self.rt.containers.get_mut(i).map(|c| &mut c.state) else {
            return;
        };
        let stops = match signalled {
            Some((process, end)) => {
                r.process = Some(process);
                end.map(|(at, code)| (at.duration_since(signal), code))
            }
            None => r.behaviour.stops,
        };
        let end = match stops {
            Some((takes, code)) if takes < left => (later(signal, takes), Exit::code(code)),
            _ => (later(signal, left), Exit::code(KILLED)),
        };
        // The container may end by itself earlier.
        r.ends = Some(r.ends.filter(|e| e.0 <= end.0).unwrap_or(end));
        r.stopping = Some(now);
        r.signal = Some(signal);
        let ends = r.ends.map(|(at, _)| at);
        self.rt.grace = Some(grace);
        self.note_stop(i, signal, left.as_secs(), ends);
    }

    /// A process in a container has sent a signal to the first one. From inside its namespace a process with the number 1 gets only
    /// signals that it handles, so neither SIGKILL nor SIGSTOP (`man 7 pid_namespaces`). What it does on SIGTERM, or on the signal that
    /// its image names for its end, is what it does when the kubelet stops it.
    pub(super) fn signal_first_process(&mut self, i: usize, signal: &str) {
        let (now, Some(spec)) = (self.now, self.container_spec(i)) else { return };
        // There the first process is another one: the sandbox's, or the node's.
        let is_elsewhere =
            self.spec.share_process_namespace == Some(true) || self.spec.host_pid == Some(true);
        let stop = known_images::stop_signal(spec.image.as_deref().unwrap_or_default());
        if is_elsewhere || (signal != "TERM" && signal != stop) {
            return;
        }
        let running = self.rt.containers.get(i).and_then(|c| c.running());
        let Some(running) = running.filter(|r| r.stopping.is_none()) else { return };
        let signalled =
            Some(running).filter(|r| !r.behaviour.stop_is_told).and_then(|r| self.signalled(r, now));
        let Some(ContainerState::Running(r)) = self.rt.containers.get_mut(i).map(|c| &mut c.state) else {
            return;
        };
        let end = match signalled {
            Some((process, end)) => {
                r.process = Some(process);
                end
            }
            None => r.behaviour.stops.map(|(takes, code)| (later(now, takes), code)),
        };
        if let Some((at, code)) = end.filter(|(at, _)| r.ends.is_none_or(|e| *at < e.0)) {
            r.ends = Some((at, Exit::code(code)));
            r.signal = Some(now);
        }
    }

    /// Kills all containers at once, without hooks and grace period.
    pub(super) fn kill_now(&mut self) {
        let now = self.now;
        for c in &mut self.rt.containers {
            if let ContainerState::Running(r) = &mut c.state {
                r.ends = Some((now, Exit::code(KILLED)));
            }
        }
        self.observe_exits();
    }

    /// Applies a later deletion of the pod that has a shorter grace period.
    pub(super) fn shorten_grace(&mut self) {
        let deletion = self.pod.metadata.deletion_grace_period_seconds;
        let Some(asked) = deletion.into_iter().chain(self.rt.grace_override.map(|own| own.max(1))).min()
        else {
            return;
        };
        let asked = SignedDuration::from_secs(asked.clamp(0, 1 << 32));
        if self.rt.grace.is_none_or(|g| asked >= g) {
            return;
        }
        self.rt.grace = Some(asked);
        let latest = later(self.now, asked.max(timings::MINIMUM_GRACE));
        let mut shortened = Vec::new();
        for (i, c) in self.rt.containers.iter_mut().enumerate() {
            if let ContainerState::Running(r) = &mut c.state
                && r.stopping.is_some()
                && r.ends.is_none_or(|(at, _)| at > latest)
            {
                r.ends = Some((latest, Exit::code(KILLED)));
                shortened.push(i);
            }
        }
        let timeout = asked.max(timings::MINIMUM_GRACE).as_secs();
        shortened.into_iter().for_each(|i| self.note_stop(i, self.now, timeout, Some(latest)));
    }
}
