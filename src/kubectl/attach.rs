//! `kubectl attach`, and what `debug` and `run` do to attach to a container (`k8s.io/kubectl/pkg/cmd/attach`, `handleAttachPod` in
//! `pkg/cmd/debug` and `pkg/cmd/run`).
//!
//! The server answers with all that a process has printed up to the present moment, so after each wait what is new is printed. What a
//! person types while the command is attached is written by command lines of their own ([`AttachedTo::writing`]).

use jiff::SignedDuration;

use super::call::{Accept, Call, escaped, raw};
use super::command;
use super::error::Error;
use super::flags::{Args, Flag, boolean, duration, text};
use super::invocation::{Invocation, Result, Stop, fail};
use super::log_sources::{Source, attachable_pod, container_of, status_of};
use super::logs::{self, pod_timeout};
use super::resource::must_kind;
use super::stop::{AttachedTo, CommandWait, TYPED, WaitFor};
use crate::api::pod::{is_terminal, phase};
use crate::api::types::Pod;
use crate::api::{Kind, MetaExt};
use crate::apimachinery::{Channels, HttpRequest, Status, Verb};

/// The keys by which a person lets go of a process there (`defaultDetachSequence`).
const DETACH_KEYS: &str = "ctrl-p,ctrl-q";
/// `--detach-keys`, of every command that has it.
pub(super) const DETACH_KEYS_FLAG: Flag = text("detach-keys").or(DETACH_KEYS);

pub(super) const FLAGS: &[Flag] = &[
    duration("pod-running-timeout").or("1m0s"),
    boolean("stdin").short('i'),
    boolean("tty").short('t'),
    text("container").short('c'),
    boolean("quiet").short('q'),
    DETACH_KEYS_FLAG,
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

/// Refuses keys that a person chooses: there are none here that let go of a process.
pub(super) fn check_detach_keys(args: &Args) -> Result {
    match args.text("detach-keys") {
        "" | DETACH_KEYS => Ok(()),
        keys => fail(format!(
            "--detach-keys={keys} cannot be had: no keys let go of a process in this terminal, a line that is run beside it does"
        )),
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
    check_detach_keys(args)?;
    let namespace = cx.namespace.clone();
    let object = cx.get(kind, &namespace, name)?;
    let object = attachable_pod(cx, object, timeout)?;
    let Some(pod) = object.get::<Pod>() else { return fail("cannot attach to what is no pod") };
    if is_terminal(pod) {
        let phase = phase(pod);
        return fail(format!("cannot attach a container in a completed pod; current phase is {phase}"));
    }
    attach(cx, pod, args.text("container"), Options::of(args))
}

/// Whether a container has a terminal, and whether it is an ephemeral one (`podcmd.FindContainerByName`).
fn tty_and_ephemeral(pod: &Pod, name: &str) -> (bool, bool) {
    let Some(spec) = pod.spec.as_ref() else { return (false, false) };
    let lasting = spec.containers.iter().chain(spec.init_containers.iter().flatten());
    let lasting = lasting.map(|c| (&c.name, c.tty, false));
    let ephemeral = spec.ephemeral_containers.iter().flatten().map(|c| (&c.name, c.tty, true));
    let found = lasting.chain(ephemeral).find(|(of, ..)| *of == name);
    found.map_or((false, false), |(_, tty, is_ephemeral)| (tty == Some(true), is_ephemeral))
}

/// Attaches to a container of a pod, or to its default one, until its process ends (`AttachOptions.Run`).
pub(super) fn attach(cx: &mut Invocation<'_>, pod: &Pod, container: &str, options: Options) -> Result {
    let name = pod.metadata.name();
    let container = container_of(cx, pod, container, options.quiet);
    let container = container.map_err(|why| why.wrapped("cannot attach to the container: "))?;
    let (has_tty, is_ephemeral) = tty_and_ephemeral(pod, &container);
    if options.tty && !has_tty && !options.quiet {
        cx.err
            .push_str(&format!("error: Unable to use a TTY - container {container} did not allocate one\n"));
    }
    // Without a standard input nothing is asked of the terminal (`SetupTTY`).
    let wants_tty = has_tty && options.stdin;
    let is_terminal = cx.has_terminal() && cx.files.read("-").is_none();
    if wants_tty && !is_terminal && !options.quiet {
        cx.err.push_str(NO_TERMINAL);
    }
    let raw_tty = wants_tty && is_terminal;
    if !options.quiet {
        cx.err.push_str(RECORDED);
        cx.err.push_str(PRESS_ENTER);
    }
    let to = AttachedTo {
        pod: pod.metadata.key(),
        container,
        stdin: options.stdin,
        tty: raw_tty,
        identity: cx.identity_flags.clone(),
    };
    stream(cx, &to, is_terminal)?;
    if options.quiet || !raw_tty {
        return Ok(());
    }
    let (container, namespace) = (&to.container, pod.metadata.namespace());
    let how = format!("kubectl attach {name} -c {container} -n {namespace} -i -t");
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
        let written = HttpRequest { unfinished: true, body: text.into_bytes(), ..request };
        channels(cx, &written).map_err(without_status)?;
        cx.executed_in = Some((to.pod.clone(), to.container.clone()));
        return Ok(());
    }
    // Whoever attaches sees what is printed from then on, and of a terminal the line that is begun.
    let first = HttpRequest { unfinished: true, ..request.clone() };
    let mut seen = channels(cx, &first).map_err(without_status)?;
    cx.attached = true;
    cx.mark_order();
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
        let writes = body.take();
        let only_looks = writes.is_none();
        match writes {
            Some(text) => (next.body, next.unfinished) = (text, false),
            None => {
                let until = cx.now().checked_add(SignedDuration::from_secs(1)).ok();
                match cx.wait(CommandWait { what: WaitFor::Attached(to.clone()), until }) {
                    // A person would end the command here.
                    Err(Stop::Never) => break,
                    other => other?,
                }
            }
        }
        match channels(cx, &next) {
            Ok(now) => print(cx, &mut seen, now),
            // The connection ends with the pod, or with its node.
            Err(Stop::Error(why)) if why.is_not_found() => break,
            // Nobody tells a client that waits that the kubelet cannot be reached any more.
            Err(Stop::Error(Error::Status(why))) if only_looks && why.code == 500 => {}
            Err(stop) => return Err(without_status(stop)),
        }
    }
    Ok(())
}

/// Of what went wrong behind the API server only the message is left: that is no status of its own.
fn without_status(stop: Stop) -> Stop {
    match stop {
        Stop::Error(Error::Status(refusal)) if refusal.code == 500 => {
            Stop::Error(Error::Text(refusal.message.clone()))
        }
        other => other,
    }
}

fn channels(cx: &mut Invocation<'_>, request: &HttpRequest) -> Result<Channels> {
    let answer = cx.exchange(request)?;
    match &answer.response.channels {
        Some(channels) => Ok((**channels).clone()),
        None => fail("unable to upgrade connection: the server has not switched protocols"),
    }
}

/// Prints what a process has printed since it was last seen.
fn print(cx: &mut Invocation<'_>, seen: &mut Channels, now: Channels) {
    cx.print_in_order(&now.pieces([seen.stdout.len(), seen.stderr.len()]));
    *seen = now;
}

/// What Go's `%v` makes of an error: of a server's refusal the message.
fn in_words(why: &Error) -> String {
    match why {
        Error::Status(refusal) => refusal.message.clone(),
        other => other.message(),
    }
}

/// Prints the log of a container, or of the pod's default one (`logOpts`).
pub(super) fn log(cx: &mut Invocation<'_>, pod: &Pod, container: &str, quiet: bool) -> Result {
    let container = container_of(cx, pod, container, quiet)?;
    log_of(cx, pod, container)
}

fn log_of(cx: &mut Invocation<'_>, pod: &Pod, container: String) -> Result {
    let (namespace, pod) = (pod.metadata.namespace().to_owned(), pod.metadata.name().to_owned());
    let text = logs::whole(cx, &Source { namespace, pod, container })?;
    cx.out.push_str(&text);
    Ok(())
}

/// Prints what the default container of a pod has printed before a command attaches to it. What goes wrong with that is said and no
/// more, and that there is no such container is said by who attaches (`handleAttachPod` of `run`).
pub(super) fn log_before(cx: &mut Invocation<'_>, pod: &Pod, quiet: bool) -> Result {
    let Ok(container) = container_of(cx, pod, "", quiet) else { return Ok(()) };
    match log_of(cx, pod, container) {
        Err(Stop::Error(why)) => {
            let why = in_words(&why);
            cx.err.push_str(&format!("warning: couldn't fetch pre-attach logs: {why}\n"));
            Ok(())
        }
        other => other,
    }
}

/// Attaches to a container that runs, or says why that cannot be and prints its log.
pub(super) fn attach_or_log(cx: &mut Invocation<'_>, pod: &Pod, container: &str, options: Options) -> Result {
    match attach(cx, pod, container, options) {
        Err(Stop::Error(why)) => {
            let (name, why) = (pod.metadata.name(), in_words(&why));
            cx.err.push_str(&format!(
                "warning: couldn't attach to pod/{name}, falling back to streaming logs: {why}\n"
            ));
            log(cx, pod, container, options.quiet)
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
        let object = match cx.get(Kind::POD, namespace, name) {
            Err(Stop::Error(e)) if e.is_not_found() => {
                return Err(Status::not_found(Kind::POD, "").into());
            }
            other => other?,
        };
        let Some(pod) = object.get::<Pod>() else { return fail("cannot attach to what is no pod") };
        if let Some(state) = status_of(pod, container).and_then(|status| status.state.as_ref()) {
            if state.terminated.is_some() {
                return log(cx, pod, container, options.quiet);
            }
            if state.running.is_some() {
                return attach_or_log(cx, pod, container, options);
            }
            let message = state.waiting.as_ref().and_then(|w| w.message.clone()).unwrap_or_default();
            if !options.quiet && !message.is_empty() && message != said {
                cx.warn(&format!("container {container}: {message}"));
                said = message;
            }
        }
        cx.wait_change(&object, None)?;
    }
}
