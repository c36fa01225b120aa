//! Probes (`k8s.io/kubernetes/pkg/kubelet/prober`). Each probe has a worker, which probes once a period,
//! counts equal results in a row and, at the threshold, makes them the probe's result.
//!
//! Ticks whose answer could change nothing are skipped: the next tick planned in the foreground is the one
//! whose answer differs from the known result. A probe that fails and goes on failing is planned in the
//! background, because each failure is an event.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use jiff::SignedDuration;

use super::cause::PodCause;
use super::container_state::ContainerRuntime;
use super::environment::expand;
use super::execution::Executed;
use super::fault::ProbeType;
use super::known_images;
use super::listeners::number;
use super::redirects;
use super::timings::later;
use super::turn::Turn;
use super::wake::{WakeSort, Wakes};
use crate::api::Timestamp;
use crate::api::duration::go_duration;
use crate::api::quote::go_quote;
use crate::api::types::{Container, ExecAction, HTTPGetAction, IntOrString, Probe};
use crate::network::serving::Met;
use crate::network::url::Url;
use crate::network::{Outcome, Protocol, Question};

pub(super) fn spec_of(container: &Container, type_: ProbeType) -> Option<&Probe> {
    match type_ {
        ProbeType::Startup => container.startup_probe.as_ref(),
        ProbeType::Liveness => container.liveness_probe.as_ref(),
        ProbeType::Readiness => container.readiness_probe.as_ref(),
    }
}

pub(super) fn whole(seconds: Option<i32>, default: i32, least: i32) -> SignedDuration {
    SignedDuration::from_secs(i64::from(seconds.unwrap_or(default).max(least)))
}

/// Whether a container counts as started: it runs, as far as the kubelet knows, and its startup probe, if any, has passed.
pub(super) fn is_started(c: &ContainerRuntime, spec: &Container) -> bool {
    c.known_running().is_some()
        && (spec.startup_probe.is_none()
            || c.probes.get(ProbeType::Startup as usize).is_some_and(|p| p.result == Some(true)))
}

/// Whether a container counts as ready: it has started, and its readiness probe, if any, has passed.
pub(super) fn is_ready(c: &ContainerRuntime, spec: &Container) -> bool {
    is_started(c, spec)
        && (spec.readiness_probe.is_none()
            || c.probes.get(ProbeType::Readiness as usize).is_some_and(|p| p.result == Some(true)))
}

/// Why a request failed that was not answered within the probe's `timeoutSeconds`: the words of Go's `net/http` about the
/// `Timeout` of a client, which `pkg/probe/http` sets.
const TOO_SLOW: &str = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";

/// The answer that a probe would get.
struct Heard {
    passes: bool,
    /// When the answer changes by itself; `None` if it does not.
    changes: Option<Timestamp>,
    /// What became of the command, if the probe has one and all of it is known.
    executed: Option<Executed>,
    /// Why it fails, in the words of its handler.
    why: String,
    /// What is told though it passes.
    warning: Option<String>,
    /// Why there is no answer, if the probe could not be run: then nothing is counted (`prober.go`, `probe`; `worker.go`,
    /// `doProbe`).
    error: Option<String>,
}

impl Heard {
    fn passed(changes: Option<Timestamp>) -> Heard {
        Heard { passes: true, changes, executed: None, why: String::new(), warning: None, error: None }
    }

    fn failed(why: String, changes: Option<Timestamp>) -> Heard {
        Heard { passes: false, why, ..Heard::passed(changes) }
    }

    fn errored(error: String, changes: Option<Timestamp>) -> Heard {
        Heard { error: Some(error), ..Heard::failed(String::new(), changes) }
    }
}

/// The command of a probe: `$(NAME)` stands for the value of a variable that says one itself (`ExpandContainerCommandOnlyStatic`).
pub(super) fn command_of(exec: &ExecAction, spec: &Container) -> Vec<String> {
    let values = spec.env.iter().flatten().filter(|v| v.value_from.is_none());
    let env: BTreeMap<String, String> =
        values.map(|v| (v.name.clone(), v.value.clone().unwrap_or_default())).collect();
    exec.command.iter().flatten().map(|word| expand(word, &env)).collect()
}

/// What containerd says of a command for a container that has ended.
const NOT_RUNNING: &str =
    "rpc error: code = Unknown desc = failed to exec in container: container is in CONTAINER_EXITED state";

/// What a probe hears of a container that runs, or of one that has ended and of which the kubelet does not know that yet.
///
/// # Errors
/// What its command has asked the network, if that is not answered yet.
fn heard(
    turn: &Turn<'_>,
    i: usize,
    probe: &Probe,
    type_: ProbeType,
    at: Timestamp,
) -> Result<Heard, Question> {
    let (Some(c), Some(spec)) = (turn.rt.containers.get(i), turn.container_spec(i)) else {
        return Ok(Heard::failed(String::new(), None));
    };
    let failing = c.ill || c.failing.get(type_ as usize).copied().unwrap_or_default();
    let is_gone = c.running().is_none();
    let Some(r) = c.running().or(c.known_running()) else { return Ok(Heard::failed(String::new(), None)) };
    let since = r.since;
    let told = r.behaviour.probe(type_ == ProbeType::Readiness, type_ == ProbeType::Liveness, since, at);
    if let Some(exec) = &probe.exec {
        if is_gone {
            return Ok(Heard::errored(NOT_RUNNING.into(), None));
        }
        let command = command_of(exec, spec);
        return of_command(turn, i, probe, &command, at, failing, told);
    }
    // A program that is said to fail, or that a person made fail, answers with an error as soon as it listens.
    let listens = !r.waits_for_etcd && at >= later(since, r.behaviour.ready_after);
    // Nobody is left who could answer with an error.
    let (passes, changes) = match (is_gone, failing) {
        (true, _) => (true, None),
        (false, true) => (false, None),
        (false, false) => told,
    };
    let port = probe.http_get.as_ref().map(|h| &h.port).or(probe.tcp_socket.as_ref().map(|t| &t.port));
    if let Some(why) = port.and_then(|port| unresolved(port, spec)) {
        return Ok(Heard::errored(why, None));
    }
    let Some(question) = question(turn, spec, probe) else { return Ok(Heard::passed(None)) };
    // What a probe asks of another host is taken to be well.
    let own = question.own(turn);
    let refused = || {
        let to = format!("{}:{}", question.to, question.port);
        format!("dial tcp {to}: connect: connection refused")
    };
    let limit = whole(probe.timeout_seconds, 1, 1);
    if let Some(http) = &question.http {
        let Http { scheme, path, .. } = http;
        let first = Url {
            tls: scheme == "https",
            host: question.to.clone(),
            port: Some(question.port),
            path: path.clone(),
        };
        let followed = own.map(|to| redirects::follow(turn, first, &http.host, to, at));
        let url = match &followed {
            Some(followed) => followed.url.clone(),
            None => format!("{scheme}://{}:{}{path}", question.to, question.port),
        };
        let failure = |why: &str| format!("Get \"{url}\": {why}");
        let refused = || match &followed {
            Some(followed) => format!("dial tcp {}: connect: connection refused", followed.to),
            None => refused(),
        };
        if followed.as_ref().is_some_and(|followed| followed.endless) {
            return Ok(Heard::failed(failure("stopped after 10 redirects"), changes));
        }
        let outcome = followed.as_ref().map_or(Outcome::Connected, |followed| followed.outcome.clone());
        let (status, takes) = match &outcome {
            Outcome::Answered(response) => (Some(response.status), response.takes),
            Outcome::Connected => (Some(200), SignedDuration::ZERO),
            _ => (None, SignedDuration::ZERO),
        };
        let (met, next_met) = turn.meets(i, type_, at);
        let changes = changes.into_iter().chain(next_met).min();
        let status = status.map(|status| if met == Met::Full { 503 } else { status });
        return Ok(match status {
            // Nothing has come back when the connection ends (`readLoop` in Go's `net/http/transport.go`).
            None if outcome == Outcome::Closed => Heard::failed(failure("EOF"), changes),
            None => Heard::failed(failure(&refused()), changes),
            Some(_) if !passes && !listens => Heard::failed(failure(&refused()), changes),
            Some(_) if takes > limit || met == Met::Late => Heard::failed(failure(TOO_SLOW), changes),
            Some(status) => {
                let error = if c.ill { 500 } else { 503 };
                let status = if passes { status } else { error };
                // The answer changes after this moment: the first one that is heard anew is a nanosecond later.
                let next = changes_of(turn, i, http, at, since);
                let next = next.map(|after| later(since, after + SignedDuration::from_nanos(1)));
                let changes = changes.into_iter().chain(next).min();
                if (200..300).contains(&status) {
                    Heard::passed(changes)
                } else if (300..400).contains(&status) {
                    let body = match &outcome {
                        Outcome::Answered(response) => &*response.body,
                        _ => "",
                    };
                    let warning = format!("Probe terminated redirects, Response body: {body}");
                    Heard { warning: Some(warning), ..Heard::passed(changes) }
                } else {
                    Heard::failed(format!("HTTP probe failed with statuscode: {status}"), changes)
                }
            }
        });
    }
    let outcome = own.map_or(Outcome::Connected, |to| turn.reply(&question.ask(to), at).0);
    let open = !matches!(outcome, Outcome::Refused | Outcome::Unreachable | Outcome::TimedOut);
    let (met, next_met) = if question.grpc { turn.meets(i, type_, at) } else { (Met::InTime, None) };
    let changes = changes.into_iter().chain(next_met).min();
    let late = met != Met::InTime || turn.answer_takes(question.port, at) > limit;
    if question.grpc && open && listens && late {
        let why = format!("timeout: health rpc did not complete within {}", go_duration(limit));
        return Ok(Heard::failed(why, changes));
    }
    // The kernel accepts a connection, however busy the server is.
    Ok(match (passes && open, question.grpc) {
        (true, _) => Heard::passed(changes),
        (false, true) if open && listens => {
            Heard::failed("service unhealthy (responded with \"NOT_SERVING\")".into(), changes)
        }
        (false, true) => Heard::failed(
            format!(
                "timeout: failed to connect service \"{}:{}\" within {}: context deadline exceeded",
                question.to,
                question.port,
                go_duration(limit)
            ),
            changes,
        ),
        (false, false) => Heard::failed(refused(), changes),
    })
}

/// When, counted from the start of the program, what it answers to a path changes by itself.
fn changes_of(
    turn: &Turn<'_>,
    i: usize,
    http: &Http,
    at: Timestamp,
    since: Timestamp,
) -> Option<SignedDuration> {
    let words = turn.words_of(turn.container_spec(i)?)?;
    known_images::answer(&words, &http.path, at.duration_since(since))?.changes
}

fn of_command(
    turn: &Turn<'_>,
    i: usize,
    probe: &Probe,
    command: &[String],
    at: Timestamp,
    failing: bool,
    told: (bool, Option<Timestamp>),
) -> Result<Heard, Question> {
    let executed = turn.execute(i, command, at);
    if let Some(error) = turn.exec_error(i, command, at) {
        // A script may be written later.
        let changes = executed.as_ref().and_then(|e| turn.next_change(i, command, e, at));
        return Ok(Heard::errored(error, changes));
    }
    if let Some(question) = executed.as_ref().and_then(|e| e.open.as_ref()) {
        return Err(question.clone());
    }
    let Some(executed) = executed.filter(|e| e.certain) else {
        let (passes, changes) = if failing { (false, None) } else { told };
        return Ok(Heard { passes, ..Heard::passed(changes) });
    };
    let limit = whole(probe.timeout_seconds, 1, 1);
    let in_time = executed.takes.is_some_and(|t| t <= limit);
    let changes = turn.next_change(i, command, &executed, at).filter(|_| !failing);
    let passes = !failing && in_time && executed.code == 0;
    let why = match (passes, in_time) {
        (true, _) => String::new(),
        (false, true) => executed.output(),
        (false, false) => {
            format!("command timed out: {:?} timed out after {}", command.join(" "), go_duration(limit))
        }
    };
    Ok(Heard { passes, executed: Some(executed), why, ..Heard::passed(changes) })
}

/// The HTTP part of what a probe asks.
pub(super) struct Http {
    pub(super) scheme: String,
    pub(super) host: String,
    pub(super) path: String,
}

/// What a probe asks over the network.
pub(super) struct Asks {
    /// The host: an address, or a name.
    pub(super) to: String,
    pub(super) port: u16,
    pub(super) http: Option<Http>,
    pub(super) grpc: bool,
}

impl Asks {
    /// Where to, if that is the pod itself.
    pub(super) fn own(&self, turn: &Turn<'_>) -> Option<SocketAddr> {
        let ip = self.to.parse::<IpAddr>().ok()?;
        let own = ip.is_loopback() || turn.rt.addresses.iter().any(|a| a.parse() == Ok(ip));
        own.then(|| SocketAddr::new(ip, self.port))
    }

    pub(super) fn ask(&self, to: SocketAddr) -> Question {
        match &self.http {
            Some(http) => Question::Fetch {
                to,
                tls: http.scheme == "https",
                host: http.host.as_str().into(),
                method: "GET".into(),
                path: http.path.as_str().into(),
                headers: Default::default(),
                extras: Default::default(),
            },
            None => Question::Connect { to, protocol: Protocol::Tcp },
        }
    }
}

/// The host that is asked: the one that is given, or else the pod.
fn host(turn: &Turn<'_>, given: &Option<String>) -> String {
    given.as_deref().filter(|h| !h.is_empty()).unwrap_or_else(|| turn.address()).to_owned()
}

/// Why there is no port that a probe or a hook can ask (`pkg/probe/util.go`, `ResolveContainerPort`); `None` if there is one.
pub(super) fn unresolved(port: &IntOrString, spec: &Container) -> Option<String> {
    if number(port, spec).is_some() {
        return None;
    }
    Some(match port {
        IntOrString::Int(n) => format!("invalid port number: {n}"),
        IntOrString::String(name) => match name.parse::<i64>() {
            Ok(n) => format!("invalid port number: {n}"),
            // The name of no port of the container is taken for a number.
            Err(_) => format!("strconv.Atoi: parsing {}: invalid syntax", go_quote(name)),
        },
    })
}

/// What an `httpGet` of a probe or of a hook asks (`pkg/probe/http/request.go`, `NewRequestForHTTPGetAction`).
pub(super) fn http_question(turn: &Turn<'_>, spec: &Container, http: &HTTPGetAction) -> Asks {
    let (to, port) = (host(turn, &http.host), number(&http.port, spec).unwrap_or(0));
    let header = http.http_headers.iter().flatten().find(|h| h.name.eq_ignore_ascii_case("host"));
    let named = header.map_or_else(|| format!("{to}:{port}"), |h| h.value.clone());
    let path = http.path.as_deref().filter(|p| !p.is_empty()).unwrap_or("/");
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    let scheme = http.scheme.as_deref().unwrap_or("HTTP").to_ascii_lowercase();
    Asks { to, port, http: Some(Http { scheme, host: named, path }), grpc: false }
}

/// What a probe that executes no command asks; `None` if it has no handler.
pub(super) fn question(turn: &Turn<'_>, spec: &Container, probe: &Probe) -> Option<Asks> {
    if let Some(http) = &probe.http_get {
        return Some(http_question(turn, spec, http));
    }
    if let Some(tcp) = &probe.tcp_socket {
        let port = number(&tcp.port, spec).unwrap_or(0);
        return Some(Asks { to: host(turn, &tcp.host), port, http: None, grpc: false });
    }
    let grpc = probe.grpc.as_ref()?;
    let port = u16::try_from(grpc.port).unwrap_or(0);
    Some(Asks { to: turn.address().to_owned(), port, http: None, grpc: true })
}

/// The known result of a probe. A liveness probe counts as passed until it has failed.
fn known(c: &ContainerRuntime, type_: ProbeType) -> Option<bool> {
    let result = c.probes.get(type_ as usize).and_then(|p| p.result);
    if type_ == ProbeType::Liveness { result.or(Some(true)) } else { result }
}

/// Whether the worker of a probe probes now: the container runs, as far as the kubelet knows, and the startup probe has passed or this is the startup
/// probe. A container that is being stopped is asked for its readiness alone (`worker.go`, `doProbe`).
fn is_active(c: &ContainerRuntime, spec: &Container, type_: ProbeType) -> bool {
    let held = c.probes.get(type_ as usize).is_none_or(|p| p.on_hold);
    let Some(r) = c.known_running() else { return false };
    let stopped = r.stopping.is_some() && type_ != ProbeType::Readiness;
    !held && !stopped && (is_started(c, spec) != (type_ == ProbeType::Startup))
}

/// The last tick at or before a moment.
pub(super) fn tick_before(base: Timestamp, period: SignedDuration, at: Timestamp) -> Timestamp {
    let period = period.as_millis().max(1000);
    let ticks = at.duration_since(base).as_millis().max(0) / period;
    later(base, SignedDuration::from_millis(i64::try_from(ticks * period).unwrap_or(i64::MAX)))
}

/// The first tick at or after a moment.
pub(super) fn tick_from(base: Timestamp, period: SignedDuration, at: Timestamp) -> Timestamp {
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
    let Some(r) = c.known_running().filter(|_| turn.has_probes(i)) else { return };
    for type_ in ProbeType::ALL {
        let Some(probe) = spec_of(spec, type_).filter(|_| is_active(c, spec, type_)) else { continue };
        let period = whole(probe.period_seconds, 10, 1);
        let first = later(r.since, whole(probe.initial_delay_seconds, 0, 0)).max(turn.now);
        let mut tick = tick_from(base, period, first);
        if tick <= turn.now {
            tick = later(tick, period);
        }
        let Ok(heard) = heard(turn, i, probe, type_, tick) else {
            wakes.add(WakeSort::Foreground, tick);
            continue;
        };
        let state = c.probes.get(type_ as usize).copied().unwrap_or_default();
        let counting = state.last.is_some_and(|l| Some(l) != known(c, type_));
        // What gives no answer changes nothing, however often it is tried; it is tried once, so that its event is there.
        let counts = heard.error.is_none() && (known(c, type_) != Some(heard.passes) || counting);
        let untried = heard.error.is_some() && state.asked.is_none();
        if counts || untried {
            wakes.add(sort(turn.is_routine(i, SignedDuration::ZERO)), tick);
            continue;
        }
        if let Some(at) = heard.changes {
            let at = tick_from(base, period, at).max(tick);
            // What a busy server makes of its probes can go back and forth for ever.
            let wavers = type_ == ProbeType::Liveness || !turn.strained.is_empty();
            let routine = wavers && turn.is_routine(i, at.duration_since(r.since));
            wakes.add(sort(routine), at);
        }
        if !heard.passes || heard.warning.is_some() {
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
        let since = c.known_running().map(|r| r.since).filter(|_| is_active(c, spec, type_));
        let Some(since) = since else { return };
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
        let Heard { passes, executed, why, warning, error, .. } = match heard(self, i, probe, type_, tick) {
            Ok(heard) => heard,
            // The probe is begun anew when the answer is there.
            Err(question) => return self.ask(&question),
        };
        if let Some(command) = probe.exec.as_ref().map(|e| command_of(e, spec)) {
            let timeout = whole(probe.timeout_seconds, 1, 1).as_secs();
            let told = error.as_deref().map_or(Ok(passes), Err);
            self.note_exec(i, (&command, timeout, now), executed.as_ref(), told);
        }
        if let Some(error) = error {
            let message = format!("{} probe errored and resulted in unknown state: {error}", type_.as_str());
            self.event(Some(i), "Warning", "Unhealthy", message);
            state.asked = Some(tick);
            if let Some(p) = self.rt.containers.get_mut(i).and_then(|c| c.probes.get_mut(type_ as usize)) {
                *p = state;
            }
            return;
        }
        if !passes {
            let message = format!("{} probe failed: {why}", type_.as_str());
            self.event(Some(i), "Warning", "Unhealthy", message);
        }
        if let Some(warning) = warning {
            let message = format!("{} probe warning: {warning}", type_.as_str());
            self.event(Some(i), "Warning", "ProbeWarning", message);
        }
        if let Some(executed) = &executed {
            self.note_execution(i, executed);
        }
        state.asked = Some(tick);
        self.note_first(i, type_, tick);
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
                self.sync_for_nothing();
                self.caused(Some(i), PodCause::Ready);
            }
            (ProbeType::Readiness, false) => {
                self.rt.unreported = true;
                self.sync_for_nothing();
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
}
