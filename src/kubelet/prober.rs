//! Probes (`k8s.io/kubernetes/pkg/kubelet/prober`). Each probe has a worker, which probes once a period,
//! counts equal results in a row and, at the threshold, makes them the probe's result.
//!
//! Ticks whose answer could change nothing are skipped: the next tick planned in the foreground is the one
//! whose answer differs from the known result. A probe that fails and goes on failing is planned in the
//! background, because each failure is an event.

use jiff::SignedDuration;

use super::cause::PodCause;
use super::container_state::ContainerRuntime;
use super::execution::Executed;
use super::fault::ProbeType;
use super::known_images::{self, Answered};
use super::state::{WakeSort, Wakes};
use super::timings::later;
use super::turn::Turn;
use crate::api::Timestamp;
use crate::api::duration::go_duration;
use crate::api::types::IntOrString;
use crate::api::types::{Container, Probe};

fn spec_of(container: &Container, type_: ProbeType) -> Option<&Probe> {
    match type_ {
        ProbeType::Startup => container.startup_probe.as_ref(),
        ProbeType::Liveness => container.liveness_probe.as_ref(),
        ProbeType::Readiness => container.readiness_probe.as_ref(),
    }
}

fn whole(seconds: Option<i32>, default: i32, least: i32) -> SignedDuration {
    SignedDuration::from_secs(i64::from(seconds.unwrap_or(default).max(least)))
}

/// Whether a container counts as started: it runs, and its startup probe, if any, has passed.
pub(super) fn is_started(c: &ContainerRuntime, spec: &Container) -> bool {
    c.running().is_some()
        && (spec.startup_probe.is_none()
            || c.probes.get(ProbeType::Startup as usize).is_some_and(|p| p.result == Some(true)))
}

/// Whether a container counts as ready: it has started, and its readiness probe, if any, has passed.
pub(super) fn is_ready(c: &ContainerRuntime, spec: &Container) -> bool {
    is_started(c, spec)
        && (spec.readiness_probe.is_none()
            || c.probes.get(ProbeType::Readiness as usize).is_some_and(|p| p.result == Some(true)))
}

/// The answer that a probe would get.
struct Outcome {
    passes: bool,
    /// When the answer changes by itself; `None` if it does not.
    changes: Option<Timestamp>,
    /// What became of the command, if the probe has one and all of it is known.
    executed: Option<Executed>,
    /// The status of the HTTP answer, if the probe asks for one and it is known what the program answers.
    status: Option<u16>,
}

fn outcome(turn: &Turn<'_>, i: usize, probe: &Probe, type_: ProbeType, at: Timestamp) -> Outcome {
    let nothing = Outcome { passes: false, changes: None, executed: None, status: None };
    let Some(c) = turn.rt.containers.get(i) else { return nothing };
    let failing = c.failing.get(type_ as usize).copied().unwrap_or_default();
    let Some(r) = c.running() else { return nothing };
    let command = probe.exec.as_ref().and_then(|e| e.command.as_deref());
    if let Some(command) = command
        && let Some(executed) = turn.execute(i, command, at).filter(|e| e.certain)
    {
        let in_time = executed.takes.is_some_and(|t| t <= whole(probe.timeout_seconds, 1, 1));
        let changes = turn.next_change(i, command, &executed, at);
        let passes = !failing && in_time && executed.code == 0;
        return Outcome {
            passes,
            changes: changes.filter(|_| !failing),
            executed: Some(executed),
            status: None,
        };
    }
    let (passes, changes) =
        r.behaviour.probe(type_ == ProbeType::Readiness, type_ == ProbeType::Liveness, r.since, at);
    if failing {
        return nothing;
    }
    let http = probe.http_get.as_ref().filter(|_| passes);
    let path = http.map(|http| http.path.as_deref().unwrap_or("/"));
    let answered = path.zip(turn.container_spec(i)).and_then(|(path, spec)| {
        known_images::answer(&turn.words_of(spec)?, path, at.duration_since(r.since))
    });
    let Some(Answered { status, changes: next }) = answered else {
        return Outcome { passes, changes, executed: None, status: None };
    };
    // The answer changes after this moment: the first one that is heard anew is a nanosecond later.
    let next = next.map(|after| later(r.since, after + SignedDuration::from_nanos(1)));
    let changes = changes.into_iter().chain(next).min();
    Outcome { passes: (200..400).contains(&status), changes, executed: None, status: Some(status) }
}

/// The known result of a probe. A liveness probe counts as passed until it has failed.
fn known(c: &ContainerRuntime, type_: ProbeType) -> Option<bool> {
    let result = c.probes.get(type_ as usize).and_then(|p| p.result);
    if type_ == ProbeType::Liveness { result.or(Some(true)) } else { result }
}

/// Whether the worker of a probe probes now: the container runs and is not being stopped, and the startup
/// probe has passed or this is the startup probe.
fn is_active(c: &ContainerRuntime, spec: &Container, type_: ProbeType) -> bool {
    let held = c.probes.get(type_ as usize).is_none_or(|p| p.on_hold);
    let stopping = c.running().is_none_or(|r| r.stopping);
    !held && !stopping && (is_started(c, spec) != (type_ == ProbeType::Startup))
}

/// The last tick at or before a moment.
fn tick_before(base: Timestamp, period: SignedDuration, at: Timestamp) -> Timestamp {
    let period = period.as_millis().max(1000);
    let ticks = at.duration_since(base).as_millis().max(0) / period;
    later(base, SignedDuration::from_millis(i64::try_from(ticks * period).unwrap_or(i64::MAX)))
}

/// The first tick at or after a moment.
fn tick_from(base: Timestamp, period: SignedDuration, at: Timestamp) -> Timestamp {
    let tick = tick_before(base, period, at);
    if tick < at { later(tick, period) } else { tick }
}

/// Adds the next ticks of a container's probes that are needed.
pub(super) fn next(turn: &Turn<'_>, i: usize, wakes: &mut Wakes) {
    let sort = |routine: bool| if routine { WakeSort::Recurring } else { WakeSort::Foreground };
    let (Some(c), Some(spec), Some(base)) =
        (turn.rt.containers.get(i), turn.container_spec(i), turn.rt.probing_since)
    else {
        return;
    };
    let Some(r) = c.running().filter(|_| turn.has_probes(i)) else { return };
    for type_ in ProbeType::ALL {
        let Some(probe) = spec_of(spec, type_).filter(|_| is_active(c, spec, type_)) else { continue };
        let period = whole(probe.period_seconds, 10, 1);
        let first = later(r.since, whole(probe.initial_delay_seconds, 0, 0)).max(turn.now);
        let mut tick = tick_from(base, period, first);
        if tick <= turn.now {
            tick = later(tick, period);
        }
        let heard = outcome(turn, i, probe, type_, tick);
        let state = c.probes.get(type_ as usize).copied().unwrap_or_default();
        let counting = state.last.is_some_and(|l| Some(l) != known(c, type_));
        if known(c, type_) != Some(heard.passes) || counting {
            wakes.add(sort(turn.is_routine(i, SignedDuration::ZERO)), tick);
            continue;
        }
        if let Some(at) = heard.changes {
            let at = tick_from(base, period, at).max(tick);
            let routine = type_ == ProbeType::Liveness && turn.is_routine(i, at.duration_since(r.since));
            wakes.add(sort(routine), at);
        }
        if !heard.passes {
            wakes.add(WakeSort::Background, tick);
        }
    }
}

impl Turn<'_> {
    /// A status report that shows a container as started before its readiness was probed has it probed at
    /// once.
    pub(super) fn ask_readiness(&mut self) {
        for i in 0..self.rt.containers.len() {
            let Some(spec) = self.container_spec(i).filter(|s| s.readiness_probe.is_some()) else { continue };
            let Some(c) = self.rt.containers.get_mut(i) else { continue };
            if is_started(c, spec)
                && c.probes.get(ProbeType::Readiness as usize).is_some_and(|p| p.asked.is_none())
            {
                c.ask_readiness = true;
            }
        }
    }

    /// Init containers other than sidecars have no probes.
    fn has_probes(&self, i: usize) -> bool {
        i >= self.init_count() || self.is_sidecar(i)
    }

    /// Runs the probes whose tick has come.
    pub(super) fn probe_containers(&mut self) {
        for i in 0..self.rt.containers.len() {
            let Some(spec) = self.container_spec(i) else { continue };
            if !self.has_probes(i) {
                continue;
            }
            for type_ in ProbeType::ALL {
                if let Some(probe) = spec_of(spec, type_) {
                    self.probe(i, spec, probe, type_);
                }
            }
            if let Some(c) = self.rt.containers.get_mut(i) {
                c.ask_readiness = false;
            }
        }
    }

    fn probe(&mut self, i: usize, spec: &Container, probe: &Probe, type_: ProbeType) {
        let (now, Some(base)) = (self.now, self.rt.probing_since) else { return };
        let Some(c) = self.rt.containers.get(i) else { return };
        let Some(since) = c.running().map(|r| r.since).filter(|_| is_active(c, spec, type_)) else { return };
        let mut state = c.probes.get(type_ as usize).copied().unwrap_or_default();
        let mut tick = tick_before(base, whole(probe.period_seconds, 10, 1), now);
        if type_ == ProbeType::Readiness && c.ask_readiness {
            tick = now;
        }
        let asked = state.asked.is_some_and(|a| a >= tick);
        if asked || tick < later(since, whole(probe.initial_delay_seconds, 0, 0)) {
            return;
        }
        let before = known(c, type_);
        let Outcome { passes, executed, status, .. } = outcome(self, i, probe, type_, tick);
        if !passes {
            let listens = c.running().is_some_and(|r| tick >= later(r.since, r.behaviour.ready_after));
            let message = format!(
                "{} probe failed: {}",
                type_.as_str(),
                self.output(spec, probe, listens, status, executed.as_ref())
            );
            self.event(Some(i), "Warning", "Unhealthy", message);
        }
        if let Some(executed) = &executed {
            self.note_execution(i, executed);
        }
        state.asked = Some(tick);
        state.run = if state.last == Some(passes) { state.run.saturating_add(1) } else { 1 };
        state.last = Some(passes);
        let threshold =
            if passes { probe.success_threshold.unwrap_or(1) } else { probe.failure_threshold.unwrap_or(3) };
        if state.run >= threshold {
            state.result = Some(passes);
            if !passes && type_ != ProbeType::Readiness {
                state.on_hold = true;
                state.run = 0;
            }
        }
        if let Some(p) = self.rt.containers.get_mut(i).and_then(|c| c.probes.get_mut(type_ as usize)) {
            *p = state;
        }
        if state.result.is_some() && state.result != before {
            self.probe_changed(i, type_, passes);
        }
    }

    fn probe_changed(&mut self, i: usize, type_: ProbeType, passes: bool) {
        match (type_, passes) {
            (ProbeType::Readiness, true) => {
                self.rt.unreported = true;
                self.caused(Some(i), PodCause::Ready);
            }
            (ProbeType::Readiness, false) => {
                self.rt.unreported = true;
                self.caused(Some(i), PodCause::NotReady);
            }
            (ProbeType::Startup, true) => {
                self.rt.changed = true;
                self.caused(Some(i), PodCause::StartupProbePassed);
            }
            (ProbeType::Startup, false) => {
                self.rt.changed = true;
                self.caused(Some(i), PodCause::StartupProbeFailed);
            }
            (ProbeType::Liveness, true) => {}
            (ProbeType::Liveness, false) => {
                self.rt.changed = true;
                self.caused(Some(i), PodCause::LivenessProbeFailed);
            }
        }
    }

    /// The output of a failed probe, in the words of its handler.
    fn output(
        &self,
        container: &Container,
        probe: &Probe,
        listens: bool,
        status: Option<u16>,
        executed: Option<&Executed>,
    ) -> String {
        let address = self.address();
        if let Some(exec) = &probe.exec {
            let limit = whole(probe.timeout_seconds, 1, 1);
            let command = exec.command.as_deref().unwrap_or_default();
            return match executed {
                Some(e) if e.takes.is_none_or(|t| t > limit) => {
                    format!(
                        "command timed out: {:?} timed out after {}",
                        command.join(" "),
                        go_duration(limit)
                    )
                }
                Some(e) => e.output(),
                None => String::new(),
            };
        }
        if let Some(http) = &probe.http_get {
            if let Some(status) = status.or(listens.then_some(503)) {
                return format!("HTTP probe failed with statuscode: {status}");
            }
            let scheme = http.scheme.as_deref().unwrap_or("HTTP").to_ascii_lowercase();
            let host = http.host.as_deref().filter(|h| !h.is_empty()).unwrap_or(address);
            let (port, path) = (port_of(&http.port, container), http.path.as_deref().unwrap_or("/"));
            return format!(
                "Get \"{scheme}://{host}:{port}{path}\": dial tcp {host}:{port}: connect: connection refused"
            );
        }
        if let Some(tcp) = &probe.tcp_socket {
            let port = port_of(&tcp.port, container);
            let host = tcp.host.as_deref().filter(|h| !h.is_empty()).unwrap_or(address);
            return format!("dial tcp {host}:{port}: connect: connection refused");
        }
        "service unhealthy (responded with \"NOT_SERVING\")".into()
    }
}

fn port_of(port: &IntOrString, container: &Container) -> i32 {
    match port {
        IntOrString::Int(n) => *n,
        IntOrString::String(name) => container
            .ports
            .iter()
            .flatten()
            .find(|p| p.name.as_ref() == Some(name))
            .map_or_else(|| name.parse().unwrap_or(0), |p| p.container_port),
    }
}
