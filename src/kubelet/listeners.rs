//! Who listens in a pod: its containers share one network namespace, and what is said to a port reaches the container that
//! listens there.
//!
//! A server that is known listens where its configuration says ([`super::servers`]), and one whose commands the shell knows
//! where they say. A program that nobody knows listens on the ports that its container declares and on those that its probes
//! and hooks ask; if there are none, on any. Annotations say otherwise: `sim.steady/listens`, `sim.steady/answers`,
//! `sim.steady/answer-status`, `sim.steady/answer-errors`, `sim.steady/answer-seconds`, `sim.steady/answer-cpu`,
//! `sim.steady/answer-concurrency`, `sim.steady/answer-queue`, `sim.steady/on-sigterm`.

use std::rc::Rc;

use jiff::SignedDuration;

use super::behaviour::{NAMESPACE, annotation, seconds};
use super::container_state::{ContainerRuntime, Running};
use super::known_images::{self, Sort};
use super::limits;
use super::load_programs;
use super::network::Dns;
use super::servers::{Asked, Keeps, Server, may_pass_on};
use super::timings::later;
use super::turn::Turn;
use super::usage::said;
use crate::api::quantity::amount_of;
use crate::api::types::{Container, IntOrString, Quantity};
use crate::api::{MetaExt, Timestamp};
use crate::network::coredns;
use crate::network::nginx::{Done, Passing};
use crate::network::serving::{ErrorRate, Errors, NotAnErrorRate, Process, Serving};
use crate::network::{Because, Outcome, Protocol, Question, Response};
use crate::shell::Files;

/// What `sim.steady/on-sigterm` says if the server goes on to accept connections until it ends.
const SERVES: &str = "serve";

/// What it says if the server closes its ports, and ends when it has answered what it has begun.
const DRAINS: &str = "drain";
/// What the annotation says of the answers that are errors.
const ERRORS: &str = "answer-errors";

/// How many connections a server uses at once if nobody says so and its CPU is limited: `worker_connections` in nginx' image.
const CONNECTIONS: u32 = 1024;
/// How many requests wait for a server if nobody says so: the backlog of nginx, httpd and Node.js.
const BACKLOG: u32 = 511;
/// The most requests that a server can be told to answer at once, and to let wait.
const AT_ONCE_LIMIT: u32 = 10_000;
const QUEUE_LIMIT: u32 = 100_000;

/// How many periods of a quota a second has.
const PERIODS: i64 = 10;

/// For how long a container with a limit of CPU may use one in each period of 100 ms, in billionths of a second: `MilliCPUToQuota` in
/// `k8s.io/kubernetes/pkg/kubelet/cm/helpers_linux.go`, which makes it a millisecond at least.
fn quota(milli: i64) -> i64 {
    let micros = milli.saturating_mul(100_000) / 1000;
    micros.max(1000).saturating_mul(1000)
}

/// The ports on which a container listens.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ports {
    /// These.
    These(Vec<(u16, Protocol)>),
    /// Nobody knows, so any.
    Any,
}

impl Ports {
    fn has(&self, port: u16, protocol: Protocol) -> bool {
        match self {
            Ports::These(all) => all.contains(&(port, protocol)),
            Ports::Any => true,
        }
    }
}

/// The number of a port of a container that is given by number or by name.
pub(super) fn number(port: &IntOrString, container: &Container) -> Option<u16> {
    let number = match port {
        IntOrString::Int(n) => *n,
        IntOrString::String(name) => {
            let named = container.ports.iter().flatten().find(|p| p.name.as_ref() == Some(name));
            named.map_or_else(|| name.parse().unwrap_or(0), |p| p.container_port)
        }
    };
    u16::try_from(number).ok().filter(|n| *n > 0)
}

/// The ports that `sim.steady/listens` names: `8080, 53/udp`, or `none`.
fn told(text: &str) -> Ports {
    let port = |word: &str| {
        let (number, protocol) = word.split_once('/').unwrap_or((word, "TCP"));
        let number = number.trim().parse::<u16>().ok().filter(|n| *n > 0)?;
        Some((number, Protocol::of(Some(&protocol.trim().to_ascii_uppercase()))))
    };
    Ports::These(text.split([',', ' ']).filter_map(port).collect())
}

/// The ports that a container declares, and those that its probes and its hooks ask.
fn declared(spec: &Container) -> Ports {
    let mut all: Vec<(u16, Protocol)> = Vec::new();
    for p in spec.ports.iter().flatten() {
        let number = u16::try_from(p.container_port).ok();
        all.extend(number.map(|n| (n, Protocol::of(p.protocol.as_deref()))));
    }
    let mut asked = Vec::new();
    let probes = [&spec.startup_probe, &spec.liveness_probe, &spec.readiness_probe];
    for probe in probes.into_iter().flatten() {
        let local = |host: &Option<String>| host.as_deref().is_none_or(str::is_empty);
        asked.extend(probe.http_get.as_ref().filter(|h| local(&h.host)).map(|h| h.port.clone()));
        asked.extend(probe.tcp_socket.as_ref().filter(|t| local(&t.host)).map(|t| t.port.clone()));
        asked.extend(probe.grpc.as_ref().map(|g| IntOrString::Int(g.port)));
    }
    let hooks = spec.lifecycle.iter().flat_map(|l| [&l.post_start, &l.pre_stop]).flatten();
    asked.extend(hooks.filter_map(|h| h.http_get.as_ref()).map(|h| h.port.clone()));
    all.extend(asked.iter().filter_map(|p| Some((number(p, spec)?, Protocol::Tcp))));
    if all.is_empty() { Ports::Any } else { Ports::These(all) }
}

impl Turn<'_> {
    /// Whether a container accepts connections at a moment: it has opened its ports, and has not closed them on SIGTERM.
    fn accepts(&self, spec: &Container, r: &Running, at: Timestamp) -> bool {
        let opened = at >= later(r.since, r.behaviour.ready_after);
        let told = annotation(&self.pod.metadata, &spec.name, "on-sigterm");
        // CoreDNS answers until it ends.
        let serves = match told {
            Some(told) => told == SERVES,
            None => r.process.as_ref().is_some_and(|p| p.coredns.is_some()),
        };
        opened && !r.waits_for_etcd && (r.signal.is_none_or(|s| at < s) || serves)
    }

    fn ports(&self, i: usize, spec: &Container, r: &Running, at: Timestamp) -> Ports {
        if let Some(text) = annotation(&self.pod.metadata, &spec.name, "listens") {
            return told(text);
        }
        if let Some(process) = &r.process {
            let listens = process.run.listens.iter().filter(|l| l.from <= at);
            let mut all: Vec<(u16, Protocol)> = listens.map(|l| (l.port, l.protocol)).collect();
            if !process.run.certain {
                match declared(spec) {
                    Ports::Any => return Ports::Any,
                    Ports::These(more) => all.extend(more),
                }
            }
            return Ports::These(all);
        }
        let words = self.words_of(spec).unwrap_or_else(|| {
            spec.command.iter().flatten().chain(spec.args.iter().flatten()).cloned().collect()
        });
        if known_images::sort_of(&words) == Sort::Ends || load_programs::of(&words).is_some() {
            return Ports::These(Vec::new());
        }
        self.with_server(i, spec, r, at, |server| server.ports()).map_or_else(|| declared(spec), Ports::These)
    }

    pub(super) fn with_server<T>(
        &self,
        i: usize,
        spec: &Container,
        r: &Running,
        at: Timestamp,
        see: impl FnOnce(&Server<'_>) -> T,
    ) -> T {
        let world = || self.surroundings(i, at).map(|(_, world)| world.files).unwrap_or_default();
        let needs_files = !spec.volume_mounts.as_ref().is_none_or(Vec::is_empty) || !r.outside.is_empty();
        let files = if needs_files { world() } else { Files::default() };
        self.with_files(i, spec, &files, (r.since, at), see)
    }

    /// As [`Self::with_server`], of an instance that started at a moment and has ended. What commands have written into its file
    /// system is not there any more.
    pub(super) fn with_past_server<T>(
        &self,
        i: usize,
        spec: &Container,
        since: Timestamp,
        at: Timestamp,
        see: impl FnOnce(&Server<'_>) -> T,
    ) -> T {
        let mut files = Files::default();
        if !spec.volume_mounts.as_ref().is_none_or(Vec::is_empty) {
            self.all_files(spec, (since, u64::MAX)).iter().for_each(|w| files.note(w));
        }
        self.with_files(i, spec, &files, (since, at), see)
    }

    fn with_files<T>(
        &self,
        i: usize,
        spec: &Container,
        files: &Files,
        (since, at): (Timestamp, Timestamp),
        see: impl FnOnce(&Server<'_>) -> T,
    ) -> T {
        let program = self.program(i, spec);
        see(&Server {
            words: &program.words,
            env: &program.env,
            image: spec.image.as_deref().unwrap_or_default(),
            host: &program.host,
            addresses: &self.rt.addresses,
            after: at.duration_since(since),
            opened: self.opened,
            files: &|path| files.at(path, at),
            below: &|directory| {
                let names = files.list(directory, at).into_iter();
                names.map(|name| format!("{directory}/{name}")).collect()
            },
        })
    }

    /// The container that accepts connections on a port at a moment.
    pub(super) fn listener(&self, port: u16, protocol: Protocol, at: Timestamp) -> Option<(usize, &Running)> {
        // A container that certainly listens there comes before one that may listen anywhere.
        let mut any = None;
        for (i, c) in self.rt.containers.iter().enumerate() {
            let (Some(r), Some(spec)) = (c.running(), self.container_spec(i)) else { continue };
            if !self.accepts(spec, r, at) {
                continue;
            }
            match self.ports(i, spec, r, at) {
                Ports::Any => any = any.or(Some((i, r))),
                ports if ports.has(port, protocol) => return Some((i, r)),
                Ports::These(_) => {}
            }
        }
        any
    }

    /// What becomes of a question that has reached the pod.
    pub(super) fn reply(&self, question: &Question, at: Timestamp) -> (Outcome, Because) {
        let (port, protocol) = match question {
            Question::Connect { to, protocol } => (to.port(), *protocol),
            Question::Fetch { to, .. } => (to.port(), Protocol::Tcp),
            Question::Lookup { .. } => (53, Protocol::Udp),
            Question::Echo { .. } => return (Outcome::Connected, Because::Nothing),
        };
        let listener =
            self.listener(port, protocol, at).and_then(|(i, r)| Some((i, r, self.container_spec(i)?)));
        let Some((i, r, spec)) = listener else {
            return (Outcome::Refused, self.why_refused(port, protocol, at));
        };
        let Question::Fetch { to, tls, host, method, path, headers, .. } = question else {
            return (Outcome::Connected, Because::Nothing);
        };
        if let Some(page) = r.process.as_ref().filter(|_| !tls).and_then(|p| p.page(to.port(), path, at)) {
            return (page, Because::Nothing);
        }
        let asked = Asked { port: to.port(), method, host, path, headers };
        let passes = may_pass_on(spec) && self.passing(question, at).is_some();
        let because = if passes { Because::PassedOn } else { Because::Nothing };
        (self.fetched(i, spec, r, &asked, *tls, at), because)
    }

    /// Whom an nginx of the pod asks for a request, if the configuration that is mounted there says so.
    pub(super) fn passing(&self, question: &Question, at: Timestamp) -> Option<Passing> {
        let Question::Fetch { to, host, method, path, headers, .. } = question else { return None };
        let (i, r) = self.listener(to.port(), Protocol::Tcp, at)?;
        let spec = self.container_spec(i).filter(|spec| r.process.is_none() && may_pass_on(spec))?;
        let told = |what: &str| annotation(&self.pod.metadata, &spec.name, what).is_some();
        if told("answers") || told("answer-status") || told(ERRORS) {
            return None;
        }
        let asked = Asked { port: to.port(), method, host, path, headers };
        match self.with_server(i, spec, r, at, |server| server.nginx_does(&asked)) {
            Some(Done::Pass(passing)) => Some(*passing),
            _ => None,
        }
    }

    /// The CoreDNS that gets the pod's DNS queries; `None` if somebody else gets them, or nobody.
    pub(super) fn coredns(&self, at: Timestamp) -> Option<Dns> {
        let (_, running) = self.listener(coredns::PORT, Protocol::Udp, at)?;
        let process = running.process.as_ref()?;
        let (configured, configuration) = process.configuration(at)?;
        Some(Dns { configuration, configured, since: process.program.start })
    }

    /// Why nobody accepts a connection to a port.
    fn why_refused(&self, port: u16, protocol: Protocol, at: Timestamp) -> Because {
        let main = self.rt.containers.iter().skip(self.init_count());
        let has_listened = |(i, c): (usize, &ContainerRuntime)| {
            let ended = c.ended_unnoticed().and(c.known_running()).zip(self.container_spec(i));
            ended.is_some_and(|(r, spec)| self.ports(i, spec, r, at).has(port, protocol))
        };
        if self.rt.containers.iter().enumerate().skip(self.init_count()).any(has_listened) {
            return Because::NotNoticed;
        }
        let mut running = main.clone().filter_map(|c| c.running()).peekable();
        if running.peek().is_none() {
            return Because::NotRunning;
        }
        if running.any(|r| r.signal.is_some_and(|s| s <= at)) {
            return Because::Stopping;
        }
        if main.into_iter().any(|c| c.running().is_none()) {
            Because::NotRunning
        } else {
            Because::NotListening
        }
    }

    /// What a container answers to an HTTP request.
    pub(super) fn fetched(
        &self,
        i: usize,
        spec: &Container,
        r: &Running,
        asked: &Asked<'_>,
        tls: bool,
        at: Timestamp,
    ) -> Outcome {
        let meta = &self.pod.metadata;
        let known = match &r.process {
            // What listens there is a command of the shell, which speaks no HTTP.
            Some(process) if process.run.certain => Some(Outcome::Closed),
            Some(_) => None,
            None => self.with_server(i, spec, r, at, |server| server.answer(asked)),
        };
        let text = annotation(meta, &spec.name, "answers");
        let status = annotation(meta, &spec.name, "answer-status").and_then(|s| s.parse().ok());
        // Of the servers that are known none has a certificate without being given one.
        if tls && known.is_some() {
            return Outcome::Connected;
        }
        let mut response = match known {
            Some(Outcome::Answered(response)) => (*response).clone(),
            Some(other) if text.is_none() && status.is_none() => return other,
            _ => Response {
                by: None,
                location: "".into(),
                headers: Default::default(),
                status: 200,
                server: Rc::from(""),
                content_type: "text/plain".into(),
                body: format!("{}\n", meta.name()).into(),
                takes: Default::default(),
                goes_on: Default::default(),
            },
        };
        if let Some(text) = text {
            response.body = format!("{text}\n").into();
        }
        response.status = status.unwrap_or(response.status);
        let mut by = self.serving(i, spec, r, at);
        // Who declared a rate that cannot be read is told so by `complain_of_errors`.
        let rate = self.error_rate(spec).ok().flatten();
        by.errors = rate.map(|rate| Errors { rate, otherwise: response.status });
        response.takes = self.takes(spec, response.takes, by.cpu);
        response.by = Some(Rc::new(by));
        Outcome::Answered(Rc::new(response))
    }

    /// How long an answer takes, by itself `own`. It does not take less time than its work, which is in billionths of a second of a
    /// CPU.
    pub(super) fn takes(&self, spec: &Container, own: SignedDuration, work: i64) -> SignedDuration {
        let said = seconds(&self.pod.metadata, &spec.name, "answer-seconds");
        said.unwrap_or(own).max(SignedDuration::from_nanos(work))
    }

    /// How long the program that listens on a TCP port takes for an answer of which nothing else is known.
    pub(super) fn answer_takes(&self, port: u16, at: Timestamp) -> SignedDuration {
        let listener = self.listener(port, Protocol::Tcp, at).and_then(|(i, _)| self.container_spec(i));
        listener.map_or(SignedDuration::ZERO, |spec| {
            self.takes(spec, SignedDuration::ZERO, self.work_of_answer(spec))
        })
    }

    /// For how long an answer of a container needs one CPU, in billionths of a second.
    fn work_of_answer(&self, spec: &Container) -> i64 {
        let of_image =
            || known_images::computes(spec.image.as_deref().unwrap_or_default()).map_or(0, |c| c.work);
        said(self.pod, &spec.name, "answer-cpu").map_or_else(of_image, |cost| cost.scaled_value(-9))
    }

    /// How many requests a container answers at once, and how fast.
    fn serving(&self, i: usize, spec: &Container, r: &Running, at: Timestamp) -> Serving {
        let meta = &self.pod.metadata;
        let whole = |what| annotation(meta, &spec.name, what).and_then(|n| n.parse::<u32>().ok());
        let cpu = self.work_of_answer(spec);
        let limit = self.limit_of_cpu(spec, r).map(|q| amount_of(Some(q)).scaled_value(-3));
        let quota = limit.filter(|milli| *milli > 0).map(quota);
        let share = || self.share_of_cpu(i).map(|nanos| (nanos / PERIODS).max(1));
        let quota = Some(()).filter(|()| cpu > 0).and_then(|()| quota.into_iter().chain(share()).min());
        let at_once = whole("answer-concurrency").map(|n| n.clamp(1, AT_ONCE_LIMIT));
        let keeps = match &r.process {
            Some(_) => Keeps::default(),
            None => self.with_server(i, spec, r, at, |server| server.keeps()),
        };
        let told = annotation(meta, &spec.name, "on-sigterm");
        Serving {
            process: Process { pod: meta.key(), container: spec.name.as_str().into(), since: r.since },
            node: (&*self.node_key.name).into(),
            cpu,
            quota,
            at_once: at_once.or(quota.map(|_| CONNECTIONS)),
            queue: whole("answer-queue").unwrap_or(BACKLOG).min(QUEUE_LIMIT),
            idle: keeps.idle,
            requests: keeps.requests,
            drains: told.map_or(keeps.drains, |told| told == DRAINS),
            errors: None,
        }
    }

    /// How many requests a container answers with an error.
    ///
    /// # Errors
    /// The annotation cannot be read.
    fn error_rate(&self, spec: &Container) -> Result<Option<ErrorRate>, NotAnErrorRate> {
        annotation(&self.pod.metadata, &spec.name, ERRORS).map(ErrorRate::parse).transpose()
    }

    /// Records an event about a container whose rate of errors cannot be read, when it starts.
    pub(super) fn complain_of_errors(&mut self, i: usize, spec: &Container) {
        if let Err(why) = self.error_rate(spec) {
            let message = format!("the annotation {NAMESPACE}{ERRORS} cannot be read: {why}");
            self.event(Some(i), "Warning", "InvalidAnswerErrors", message);
        }
    }

    /// The limit of CPU that a container's cgroup has, which is not that of its specification while a resize is not done. Who has
    /// processors for itself has none (`DisableCPUQuotaWithExclusiveCPUs`).
    fn limit_of_cpu<'a>(&'a self, spec: &Container, r: &'a Running) -> Option<&'a Quantity> {
        let limit = limits::of_container(Some(self.spec), r.resources(&spec.name), "cpu");
        limit.filter(|_| !self.has_own_cpus(&spec.name))
    }

    /// What tells one state of the pod's listeners from another, as far as it can be told without looking at programs: which
    /// containers run since when, which have got SIGTERM, and which have ended without the kubelet knowing it.
    pub(super) fn listening(&self) -> Vec<(Timestamp, Option<Timestamp>)> {
        let running = self.rt.containers.iter().filter_map(|c| c.running());
        let running = running.filter(|r| !r.waits_for_etcd).map(|r| (r.since, r.signal));
        let ended = self.rt.containers.iter().filter_map(|c| c.ended_unnoticed());
        running.chain(ended.map(|at| (at, None))).collect()
    }

    /// A fingerprint of what the pod's annotations say of answers and requests and, if they say anything, of the limits that answers
    /// depend on.
    pub(super) fn fingerprint(&self) -> u64 {
        let annotations = self.pod.metadata.annotations.iter().flatten();
        let ours = annotations.filter(|(name, _)| name.starts_with(NAMESPACE));
        let mut all: Vec<&str> = ours.flat_map(|(name, text)| [name.as_str(), text.as_str()]).collect();
        let computes =
            |c: &Container| known_images::computes(c.image.as_deref().unwrap_or_default()).is_some();
        if !all.is_empty() || self.spec.containers.iter().any(computes) {
            let running = self.rt.containers.iter().enumerate();
            let limits =
                running.filter_map(|(i, c)| self.limit_of_cpu(self.container_spec(i)?, c.running()?));
            all.extend(limits.map(|q| q.0.as_str()));
        }
        let bytes = all.iter().flat_map(|text| text.bytes().chain([0]));
        bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
    }

    /// When a container opens or closes its ports next, or one of its loops begins or ends, though nothing else happens then.
    pub(super) fn next_listening(&self) -> Option<Timestamp> {
        let moments = self.rt.containers.iter().filter_map(|c| c.running()).flat_map(|r| {
            let opens = Some(later(r.since, r.behaviour.ready_after)).filter(|t| *t > r.since);
            // Loops begin to send, and end.
            let cycles = r.process.iter().flat_map(|p| &p.run.cycles);
            let loops = cycles.flat_map(|c| [Some(c.begun), c.until]);
            [opens, r.signal].into_iter().chain(loops)
        });
        moments.flatten().filter(|t| *t > self.now).min()
    }
}
