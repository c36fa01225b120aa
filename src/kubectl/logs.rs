//! `kubectl logs` (`k8s.io/kubectl/pkg/cmd/logs`, `pkg/polymorphichelpers/logsforobject.go`).

use jiff::SignedDuration;

use super::call::{Accept, Call, escaped, raw};
use super::command;
use super::error::Error;
use super::flags::{Args, Flag, boolean, duration, int, text};
use super::invocation::{Invocation, Result, Stop, fail};
use super::log_sources::{Source, named, pods_of, sources_of, status_of};
use super::stop::{CommandWait, WaitFor};
use crate::api::go_types::{RFC3339, unparsable_time};
use crate::api::types::Pod;
use crate::api::{Kind, Object, Timestamp};
use crate::apimachinery::Verb;

pub(super) const FLAGS: &[Flag] = &[
    boolean("all-pods"),
    boolean("all-containers"),
    boolean("follow").short('f'),
    boolean("timestamps"),
    int("limit-bytes"),
    boolean("previous").short('p'),
    int("tail").or("-1"),
    boolean("ignore-errors"),
    text("since-time"),
    duration("since"),
    text("container").short('c'),
    boolean("insecure-skip-tls-verify-backend"),
    duration("pod-running-timeout").or("20s"),
    text("selector").short('l'),
    int("max-log-requests").or("5"),
    boolean("prefix"),
];

const USAGE: &str = "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command";
/// How many lines are shown of each pod that a selector finds, unless `--tail` is given.
const TAIL_OF_SELECTED: i64 = 10;

/// What is asked for of each log.
struct Options<'a> {
    args: &'a Args,
    tail: Option<i64>,
    /// `--since`, in whole seconds.
    since: Option<i64>,
    limit: Option<i64>,
    timeout: SignedDuration,
}

impl Options<'_> {
    /// The query of a request, its keys in order.
    fn query(&self, container: &str, with_tail: bool) -> String {
        let args = self.args;
        let number = |n: Option<i64>| n.map(|n| n.to_string()).unwrap_or_default();
        let yes = |flag: &str| if args.on(flag) { "true".to_owned() } else { String::new() };
        let all = [
            ("container", container.to_owned()),
            ("follow", yes("follow")),
            ("insecureSkipTLSVerifyBackend", yes("insecure-skip-tls-verify-backend")),
            ("limitBytes", number(self.limit)),
            ("previous", yes("previous")),
            ("sinceSeconds", number(self.since)),
            ("sinceTime", args.text("since-time").to_owned()),
            ("tailLines", number(self.tail.filter(|_| with_tail))),
            ("timestamps", yes("timestamps")),
        ];
        let given = all.iter().filter(|(_, value)| !value.is_empty());
        given.map(|(key, value)| format!("{key}={}", escaped(value, b"-_.~"))).collect::<Vec<_>>().join("&")
    }
}

/// `--pod-running-timeout`, or what is wrong with it (`GetPodRunningTimeoutFlag`).
pub(super) fn pod_timeout(args: &Args) -> std::result::Result<SignedDuration, &'static str> {
    let timeout = args.duration("pod-running-timeout").filter(SignedDuration::is_positive);
    timeout.ok_or("--pod-running-timeout must be higher than zero")
}

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let usage = |m: &str| command::usage("kubectl logs", m);
    let selector = args.text("selector");
    let (word, inline) = match args.words.as_slice() {
        [] if !selector.is_empty() => (None, None),
        [word] if selector.is_empty() => (Some(word), None),
        [_] => return usage("only a selector (-l) or a POD name is allowed"),
        [word, container] => (Some(word), Some(container)),
        _ => return usage(USAGE),
    };
    let tail = match args.int("tail") {
        _ if !selector.is_empty() && !args.has("tail") => Some(TAIL_OF_SELECTED),
        other => other.filter(|t| *t != -1),
    };
    let since = args.duration("since").map(|d| d.round(jiff::Unit::Second).unwrap_or(d).as_secs());
    let since_time = args.text("since-time");
    if !since_time.is_empty() && since_time.parse::<Timestamp>().is_err() {
        return fail(unparsable_time(since_time, RFC3339));
    }
    let options = Options {
        args,
        tail,
        since: since.filter(|s| *s != 0),
        limit: args.int("limit-bytes").filter(|l| *l != 0),
        timeout: pod_timeout(args).or_else(fail)?,
    };
    let objects = match word {
        Some(word) => vec![named(cx, word)?],
        None => {
            let namespace = cx.namespace.clone();
            let pods = cx.list(Kind::POD, &namespace, selector)?;
            if pods.is_empty() {
                cx.err.push_str(&format!("No resources found in {namespace} namespace.\n"));
            }
            pods
        }
    };
    check(args, &options, inline.is_some())?;
    let container = inline.map_or(args.text("container"), String::as_str);
    let mut sources = Vec::new();
    for object in &objects {
        let all_pods = args.on("all-pods");
        let pods = match object.kind() == Kind::POD {
            true => vec![object.clone()],
            false => pods_of(cx, object, all_pods, options.timeout)?,
        };
        for pod in pods.iter().filter_map(Object::get::<Pod>) {
            sources.extend(sources_of(cx, pod, container, args.on("all-containers"), all_pods)?);
        }
    }
    let most = args.int("max-log-requests").unwrap_or_default();
    let count = i64::try_from(sources.len()).unwrap_or(i64::MAX);
    if args.on("follow") && count > 1 && count > most {
        return fail(format!(
            "you are attempting to follow {count} log streams, but maximum allowed concurrency is {most}, use --max-log-requests to increase the limit"
        ));
    }
    if args.on("follow") {
        return follow(cx, &options, &sources);
    }
    for source in &sources {
        match fetch(cx, &options, source, true) {
            Ok(text) => print(cx, args, source, &text),
            Err(Stop::Error(e)) if args.on("ignore-errors") => {
                cx.say(&format!("error: {}", e.render().trim_end()));
            }
            Err(stop) => return Err(stop),
        }
    }
    Ok(())
}

/// What flags must not say (`LogsOptions.Validate`).
fn check(args: &Args, options: &Options<'_>, inline: bool) -> Result {
    if !args.text("since-time").is_empty() && options.since.is_some() {
        return fail("at most one of `sinceTime` or `sinceSeconds` may be specified");
    }
    let container = match args.words.get(1) {
        Some(inline) => inline,
        None => args.text("container"),
    };
    if args.on("all-containers") && !container.is_empty() {
        return fail(format!(
            "--all-containers=true should not be specified with container name {container}"
        ));
    }
    if args.has("container") && inline {
        return fail("only one of -c or an inline [CONTAINER] arg is allowed");
    }
    if options.limit.is_some_and(|l| l < 0) {
        return fail("--limit-bytes must be greater than 0");
    }
    if options.since.is_some_and(|s| s < 0) {
        return fail("--since must be greater than 0");
    }
    if options.tail.is_some_and(|t| t < -1) {
        return fail("--tail must be greater than or equal to -1");
    }
    Ok(())
}

/// The whole log of a container, for commands that have no flags about it (`logOpts` of `pkg/cmd/debug` and `pkg/cmd/run`).
pub(super) fn whole(cx: &mut Invocation<'_>, source: &Source) -> Result<String> {
    let args = Args::default();
    let options =
        Options { args: &args, tail: None, since: None, limit: None, timeout: SignedDuration::ZERO };
    fetch(cx, &options, source, false)
}

/// The text of a log.
fn fetch(cx: &mut Invocation<'_>, options: &Options<'_>, source: &Source, with_tail: bool) -> Result<String> {
    let path =
        format!("{}/log", Call::new(Verb::Get, Kind::POD, &source.namespace, &source.pod).http()?.path);
    let query = options.query(&source.container, with_tail);
    let answer = cx.exchange(&raw("GET", &format!("{path}?{query}"), Accept::Objects, Vec::new()))?;
    Ok(answer.response.body.clone())
}

fn print(cx: &mut Invocation<'_>, args: &Args, source: &Source, text: &str) {
    if !(args.on("prefix") || args.on("all-pods")) {
        cx.out.push_str(text);
        return;
    }
    for line in text.split_inclusive('\n') {
        cx.out.push_str(&format!("[pod/{}/{}] {line}", source.pod, source.container));
    }
}

/// Prints what containers print, until they have ended or nothing can happen any more. The server answers a request with
/// all lines up to the present moment, so after each wait the lines are printed that are new.
fn follow(cx: &mut Invocation<'_>, options: &Options<'_>, sources: &[Source]) -> Result {
    let deadline = cx.now().checked_add(options.timeout).ok();
    // For each source how far it is read; `None` before its first answer.
    let mut seen: Vec<Option<Seen>> = vec![None; sources.len()];
    let mut open: Vec<usize> = (0..sources.len()).collect();
    while !open.is_empty() {
        let mut still = Vec::new();
        for at in open {
            let Some((source, seen)) = sources.get(at).zip(seen.get_mut(at)) else { continue };
            match part(cx, options, source, seen) {
                Ok(true) => still.push(at),
                Ok(false) => {}
                Err(Stop::Error(e)) if options.args.on("ignore-errors") => {
                    cx.say(&format!("error: {}", e.render().trim_end()));
                }
                Err(Stop::Error(Error::Status(status))) if seen.is_none() => {
                    cx.err.push_str(&format!("{}\n", status.message));
                    if deadline.is_some_and(|t| cx.now() >= t) {
                        return fail("context deadline exceeded");
                    }
                    still.push(at);
                }
                Err(stop) => return Err(stop),
            }
        }
        open = still;
        if open.is_empty() {
            break;
        }
        let until = cx.now().checked_add(SignedDuration::from_secs(1)).ok();
        match cx.wait(CommandWait { what: WaitFor::Time, until }) {
            // A person would end the command here.
            Err(Stop::Never) => break,
            other => other?,
        }
    }
    Ok(())
}

/// How far a log that is followed is read.
#[derive(Clone)]
struct Seen {
    /// The instance of the container: its id.
    instance: String,
    /// How many bytes of its whole log are printed or skipped.
    bytes: usize,
}

/// Prints what is new in a log. Returns whether more can follow.
fn part(
    cx: &mut Invocation<'_>,
    options: &Options<'_>,
    source: &Source,
    seen: &mut Option<Seen>,
) -> Result<bool> {
    let pod = match cx.get(Kind::POD, &source.namespace, &source.pod) {
        Ok(pod) => pod,
        Err(Stop::Error(e)) if e.is_not_found() && seen.is_some() => return Ok(false),
        Err(stop) => return Err(stop),
    };
    let container = pod.get::<Pod>().and_then(|pod| status_of(pod, &source.container));
    let running = container.is_some_and(|c| c.state.as_ref().is_some_and(|s| s.running.is_some()));
    let instance = container.and_then(|c| c.container_id.clone()).unwrap_or_default();
    // A container that was restarted has a new log, which is not followed.
    if seen.as_ref().is_some_and(|s| s.instance != instance) {
        return Ok(false);
    }
    let whole = match seen {
        Some(_) => fetch(cx, options, source, false)?,
        None => {
            let first = fetch(cx, options, source, true)?;
            print(cx, options.args, source, &first);
            match options.tail {
                Some(_) => fetch(cx, options, source, false)?,
                None => first,
            }
        }
    };
    if let Some(seen) = seen {
        print(cx, options.args, source, whole.get(seen.bytes..).unwrap_or_default());
    }
    *seen = Some(Seen { instance, bytes: whole.len() });
    Ok(running && !options.args.on("previous"))
}
