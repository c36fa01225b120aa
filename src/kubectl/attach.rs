//! `kubectl attach`, and what `debug` and `run` do to attach to a container (`k8s.io/kubectl/pkg/cmd/attach`, `handleAttachPod` in
//! `pkg/cmd/debug` and `pkg/cmd/run`).
//!
//! The server answers with all that a process has printed up to the present moment, so after each wait what is new is printed. What a
//! person types while the command is attached is written by command lines of their own ([`AttachedTo::writing`]).

use super::call::{Accept, Call, escaped, raw};
use super::command;
use super::error::Error;
use super::flags::{Args, Flag, boolean, duration, text};
use super::invocation::{Invocation, Result, Stop, fail};
use super::log_sources::{attachable_pod, sources_of};
use super::logs::pod_timeout;
use super::resource::must_kind;
use super::stop::{AttachedTo, CommandWait, TYPED, WaitFor};
use crate::api::types::{ContainerStatus, Pod};
use crate::api::{Kind, MetaExt, Object};
use crate::apimachinery::{Channels, HttpRequest, Status, Verb};

pub(super) const FLAGS: &[Flag] = &[
    duration("pod-running-timeout").or("1m0s"),
    boolean("stdin").short('i'),
    boolean("tty").short('t'),
    text("container").short('c'),
    boolean("quiet").short('q'),
];

const RECORDED: &str = "All commands and output from this session will be recorded in container logs, including credentials and sensitive information passed through the command prompt.\n";
const PRESS_ENTER: &str = "If you don't see a command prompt, try pressing enter.\n";
const NO_TERMINAL: &str = "Unable to use a TTY - input is not a terminal or the right kind of file\n";

/// How a command attaches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    pub(super) stdin: bool,
    pub(super) tty: bool,
    pub(super) quiet: bool,
}

impl Options {
    pub(super) fn of(args: &Args) -> Options {
        Options { stdin: args.on("stdin"), tty: args.on("tty"), quiet: args.on("quiet") }
    }
}

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let words = &args.words;
    let (kind, name) = match words.as_slice() {
        [] => return fail("at least 1 argument is required for attach"),
        [word] => match word.split_once('/') {
            Some((kind, name)) => (must_kind(cx, kind)?, name),
            None => (Kind::POD, word.as_str()),
        },
        [kind, name] => (must_kind(cx, kind)?, name.as_str()),
        more => {
            return fail(format!(
                "expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw {}: [{}]",
                more.len(),
                more.join(" ")
            ));
        }
    };
    let timeout = pod_timeout(args).or_else(|why| command::usage("kubectl attach", why))?;
    let namespace = cx.namespace.clone();
    let object = cx.get(kind, &namespace, name)?;
    let object = attachable_pod(cx, object, timeout)?;
    let Some(pod) = object.get::<Pod>() else { return fail("cannot attach to what is no pod") };
    let phase = pod.status.as_ref().and_then(|s| s.phase.as_deref()).unwrap_or_default();
    if matches!(phase, "Succeeded" | "Failed") {
        return fail(format!("cannot attach a container in a completed pod; current phase is {phase}"));
    }
    attach(cx, pod, args.text("container"), Options::of(args))
}

/// Attaches to a container of a pod until its process ends (`AttachOptions.Run`).
pub(super) fn attach(cx: &mut Invocation<'_>, pod: &Pod, container: &str, options: Options) -> Result {
    let Some(spec) = pod.spec.as_ref() else { return fail("cannot attach to what is no pod") };
    let all = || spec.containers.iter().chain(spec.init_containers.iter().flatten());
    let main = all().map(|c| (c.name.as_str(), c.tty));
    let ephemeral = spec.ephemeral_containers.iter().flatten().map(|c| (c.name.as_str(), c.tty));
    let known: Vec<(&str, Option<bool>)> = main.chain(ephemeral).collect();
    let ttys = |name: &str| known.iter().find(|(n, _)| *n == name).map(|(_, tty)| *tty == Some(true));
    let name = pod.metadata.name();
    let container = if container.is_empty() {
        let found = sources_of(cx, pod, "", false, options.quiet)?;
        found.into_iter().next().map(|source| source.container).unwrap_or_default()
    } else {
        container.to_owned()
    };
    let Some(has_tty) = ttys(&container) else {
        return fail(format!(
            "cannot attach to the container: container {container} not found in pod {name}"
        ));
    };
    if options.tty && !has_tty && !options.quiet {
        cx.err
            .push_str(&format!("error: Unable to use a TTY - container {container} did not allocate one\n"));
    }
    let is_terminal = cx.has_terminal() && cx.files.read("-").is_none();
    if has_tty && !is_terminal && !options.quiet {
        cx.err.push_str(NO_TERMINAL);
    }
    let raw_tty = has_tty && is_terminal;
    if !options.quiet {
        cx.err.push_str(RECORDED);
        cx.err.push_str(PRESS_ENTER);
    }
    let key = pod.metadata.key();
    let to = AttachedTo {
        pod: key,
        container: container.clone(),
        stdin: options.stdin,
        tty: raw_tty,
        identity: cx.identity_flags.clone(),
    };
    stream(cx, &to, is_terminal)?;
    if options.quiet || !options.stdin || !raw_tty {
        return Ok(());
    }
    let how = format!("kubectl attach {name} -c {container} -n {} -i -t", pod.metadata.namespace());
    let is_ephemeral = spec.ephemeral_containers.iter().flatten().any(|c| c.name == container);
    cx.say(&match is_ephemeral {
        true => format!(
            "Session ended, the ephemeral container will not be restarted but may be reattached using '{how}' if it is still running"
        ),
        false => format!("Session ended, resume using '{how}' command"),
    });
    Ok(())
}

/// Writes the standard input to a process, unless that is a terminal, and prints what the process prints until it ends or nothing can
/// happen any more.
fn stream(cx: &mut Invocation<'_>, to: &AttachedTo, is_terminal: bool) -> Result {
    let path = Call::new(Verb::Get, Kind::POD, &to.pod.namespace, &to.pod.name).http()?.path;
    let container = escaped(&to.container, b"-_.~");
    let mut query = format!("container={container}");
    for (name, on) in [("stderr", !to.tty), ("stdin", to.stdin), ("stdout", true), ("tty", to.tty)] {
        if on {
            query.push_str(&format!("&{name}=true"));
        }
    }
    let request = raw("GET", &format!("{path}/attach?{query}"), Accept::Objects, Vec::new());
    let request = HttpRequest { content_type: "application/octet-stream".into(), ..request };
    if let Some(text) = cx.files.read(TYPED).filter(|_| to.stdin) {
        channels(cx, &HttpRequest { unfinished: true, body: text.into_bytes(), ..request })?;
        cx.executed_in = Some((to.pod.clone(), to.container.clone()));
        return Ok(());
    }
    // Whoever attaches sees what is printed from then on, and of a terminal the line that is begun.
    let mut seen = channels(cx, &HttpRequest { unfinished: true, ..request.clone() })?;
    cx.attached_at = Some((cx.out.len(), cx.err.len()));
    if to.tty {
        let now = seen.clone();
        seen.stdout.truncate(now.stdout.rfind('\n').map_or(0, |at| at + 1));
        print(cx, &mut seen, now);
    }
    let input = cx.files.read("-").filter(|_| to.stdin && !is_terminal);
    let mut body = input.map(String::into_bytes);
    if body.is_some() {
        cx.executed_in = Some((to.pod.clone(), to.container.clone()));
    }
    while seen.status.is_none() {
        let mut next = HttpRequest { attached: seen.instance.clone(), unfinished: true, ..request.clone() };
        match body.take() {
            Some(text) => (next.body, next.unfinished) = (text, false),
            None => match cx.wait(CommandWait { what: WaitFor::Attached(to.clone()), until: None }) {
                // A person would end the command here.
                Err(Stop::Never) => break,
                other => other?,
            },
        }
        match channels(cx, &next) {
            Ok(now) => print(cx, &mut seen, now),
            // The connection ends with the pod, or with its node.
            Err(Stop::Error(_)) => break,
            Err(stop) => return Err(stop),
        }
    }
    Ok(())
}

fn channels(cx: &mut Invocation<'_>, request: &HttpRequest) -> Result<Channels> {
    let answer = match cx.exchange(request) {
        // What went wrong behind the API server is no status of its own.
        Err(Stop::Error(Error::Status(refusal))) if refusal.status.code == 500 => {
            return fail(refusal.status.message.clone());
        }
        other => other?,
    };
    match &answer.response.channels {
        Some(channels) => Ok((**channels).clone()),
        None => fail("unable to upgrade connection: the server has not switched protocols"),
    }
}

/// Prints what a process has printed since it was last seen.
fn print(cx: &mut Invocation<'_>, seen: &mut Channels, now: Channels) {
    cx.out.push_str(now.stdout.get(seen.stdout.len()..).unwrap_or_default());
    cx.err.push_str(now.stderr.get(seen.stderr.len()..).unwrap_or_default());
    *seen = now;
}

/// The status of a container, of whatever sort it is (`getContainerStatusByName`).
pub(super) fn status_of<'p>(pod: &'p Pod, container: &str) -> Option<&'p ContainerStatus> {
    let status = pod.status.as_ref()?;
    let all =
        [&status.init_container_statuses, &status.container_statuses, &status.ephemeral_container_statuses];
    all.into_iter().flatten().flatten().find(|c| c.name == container)
}

/// Prints the log of a container (`logOpts`).
pub(super) fn log(cx: &mut Invocation<'_>, pod: &Object, container: &str) -> Result {
    let path = Call::new(Verb::Get, Kind::POD, pod.namespace(), pod.name()).http()?.path;
    let container = escaped(container, b"-_.~");
    let answer =
        cx.exchange(&raw("GET", &format!("{path}/log?container={container}"), Accept::Objects, Vec::new()))?;
    cx.out.push_str(&answer.response.body);
    Ok(())
}

/// Attaches to a container that runs, or says why that cannot be and prints its log.
pub(super) fn attach_or_log(
    cx: &mut Invocation<'_>,
    pod: &Object,
    container: &str,
    options: Options,
) -> Result {
    let Some(typed) = pod.get::<Pod>() else { return fail("cannot attach to what is no pod") };
    match attach(cx, typed, container, options) {
        Err(Stop::Error(why)) => {
            let name = pod.name();
            let why = why.message();
            cx.err.push_str(&format!(
                "warning: couldn't attach to pod/{name}, falling back to streaming logs: {why}\n"
            ));
            log(cx, pod, container)
        }
        other => other,
    }
}

/// Attaches to a container of a pod as soon as it runs; of one that has ended by then the log is printed (`handleAttachPod` of
/// `debug`, `waitForContainer`).
pub(super) fn when_it_runs(
    cx: &mut Invocation<'_>,
    (namespace, name): (&str, &str),
    container: &str,
    options: Options,
) -> Result {
    let mut said = String::new();
    loop {
        let pod = match cx.get(Kind::POD, namespace, name) {
            Err(Stop::Error(e)) if e.is_not_found() => {
                return Err(Status::not_found(Kind::POD, "").into());
            }
            other => other?,
        };
        let state = pod.get::<Pod>().and_then(|p| status_of(p, container)?.state.as_ref());
        if state.is_some_and(|s| s.terminated.is_some()) {
            return log(cx, &pod, container);
        }
        if state.is_some_and(|s| s.running.is_some()) {
            return attach_or_log(cx, &pod, container, options);
        }
        let message = state.and_then(|s| s.waiting.as_ref()?.message.clone()).unwrap_or_default();
        if !options.quiet && !message.is_empty() && message != said {
            cx.warn(&format!("container {container}: {message}"));
            said = message;
        }
        cx.wait_change(&pod, None)?;
    }
}
