//! `kubectl logs` (`k8s.io/kubectl/pkg/cmd/logs`, `pkg/polymorphichelpers/logsforobject.go`).

use std::cmp::Ordering;

use jiff::SignedDuration;
use serde_json::json;

use super::call::{Accept, Call, escaped, raw};
use super::command;
use super::context::{Context, Result, Stop, fail};
use super::error::Error;
use super::flags::{Args, Flag, boolean, duration, int, text};
use super::kinds::{PodSelector, known};
use super::resource::must_kind;
use super::stop::{CommandWait, WaitFor};
use crate::api::go_types::{RFC3339, unparsable_time};
use crate::api::labels::format_label_selector;
use crate::api::quote::go_quote;
use crate::api::types::{LabelSelector, Pod, Time};
use crate::api::{Kind, MetaExt, Object, Timestamp};
use crate::apimachinery::Verb;

pub(super) const FLAGS: &[Flag] = &[
    boolean("all-pods"),
    boolean("all-containers"),
    boolean("follow").short('f'),
    boolean("timestamps"),
    int("limit-bytes"),
    boolean("previous").short('p'),
    int("tail"),
    boolean("ignore-errors"),
    text("since-time"),
    duration("since"),
    text("container").short('c'),
    boolean("insecure-skip-tls-verify-backend"),
    duration("pod-running-timeout"),
    text("selector").short('l'),
    int("max-log-requests"),
    boolean("prefix"),
];

const USAGE: &str = "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command";
/// The annotation of a pod with the container that is meant if none is named.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";
/// How many lines are shown of each pod that a selector finds, unless `--tail` is given.
const TAIL_OF_SELECTED: i64 = 10;
/// How many logs are followed at once, unless `--max-log-requests` says more.
const FOLLOWED: i64 = 5;
/// How long is waited for a pod, or for its container, unless `--pod-running-timeout` says otherwise.
const POD_TIMEOUT: SignedDuration = SignedDuration::from_secs(20);

/// A container of a pod.
pub(super) struct Source {
    pub(super) namespace: String,
    pub(super) pod: String,
    pub(super) container: String,
}

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

pub(super) fn run(cx: &mut Context<'_>, args: &Args) -> Result {
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
        None if !selector.is_empty() => Some(TAIL_OF_SELECTED),
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
        timeout: args.duration("pod-running-timeout").filter(|t| t.is_positive()).unwrap_or(POD_TIMEOUT),
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
    let most = args.int("max-log-requests").unwrap_or(FOLLOWED);
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

/// The object that `deploy/x` names, or `x`: a pod.
fn named(cx: &mut Context<'_>, word: &str) -> Result<Object> {
    let (kind, name) = match word.split_once('/') {
        Some((kind, name)) => (must_kind(cx, kind)?, name),
        None => (Kind::POD, word),
    };
    let namespace = cx.namespace.clone();
    match cx.get(kind, &namespace, name) {
        Err(Stop::Error(e)) if e.is_not_found() => fail(format!(
            "error from server (NotFound): {} {name} not found in namespace {namespace}",
            kind.group_resource(),
            name = go_quote(name),
            namespace = go_quote(&namespace)
        )),
        other => other,
    }
}

/// The pods behind an object, the best one for its log first; all of them, or only that one.
fn pods_of(cx: &mut Context<'_>, object: &Object, all: bool, timeout: SignedDuration) -> Result<Vec<Object>> {
    let selector = selector_of(object, "cannot get the logs from")?;
    let mut pods = await_pods(cx, object.namespace(), &selector, timeout)?;
    crate::api::order::sort_by(&mut pods, |a, b| better(a, b, true));
    if pods.len() > 1 && !all {
        let name = pods.first().map(Object::name).unwrap_or_default();
        cx.err.push_str(&format!("Found {} pods, using pod/{name}\n", pods.len()));
        pods.truncate(1);
    }
    Ok(pods)
}

/// The pods of a selector, as soon as there are any.
fn await_pods(
    cx: &mut Context<'_>,
    namespace: &str,
    selector: &str,
    timeout: SignedDuration,
) -> Result<Vec<Object>> {
    let until = cx.now().checked_add(timeout).ok();
    loop {
        let pods = cx.list(Kind::POD, namespace, selector)?;
        if !pods.is_empty() {
            return Ok(pods);
        }
        if until.is_some_and(|t| cx.now() >= t) {
            return fail("timed out waiting for the condition");
        }
        cx.wait(CommandWait { what: WaitFor::Time, until })?;
    }
}

/// The pod behind an object that is best to execute a command in (`attachablePodForObject`); a pod itself.
pub(super) fn attachable_pod(
    cx: &mut Context<'_>,
    object: Object,
    timeout: SignedDuration,
) -> Result<Object> {
    if object.kind() == Kind::POD {
        return Ok(object);
    }
    let selector = selector_of(&object, "cannot attach to")?;
    let mut pods = await_pods(cx, object.namespace(), &selector, timeout)?;
    crate::api::order::sort_by(&mut pods, |a, b| better(a, b, false));
    Ok(pods.into_iter().next().unwrap_or(object))
}

/// The label selector of the pods behind an object (`SelectorsForObject`). `cannot` says what cannot be done if there is none.
fn selector_of(object: &Object, cannot: &str) -> Result<String> {
    let kind = object.kind();
    let refused = |why: String| fail(format!("{cannot} {}: {why}", go_type(kind)));
    let selector = object.to_value().pointer("/spec/selector").cloned().unwrap_or_default();
    let selector = match known(kind).pods {
        PodSelector::Nothing => return refused(format!("selector for {} not implemented", go_type(kind))),
        PodSelector::LabelSelector => selector,
        PodSelector::Labels if kind == Kind::SERVICE && selector.is_null() => {
            let name = object.name();
            return refused(format!("invalid service '{name}': Service is defined without a selector"));
        }
        PodSelector::Labels => json!({ "matchLabels": selector }),
    };
    match serde_json::from_value::<LabelSelector>(selector) {
        Ok(selector) => Ok(format_label_selector(&selector)),
        Err(e) => refused(format!("invalid label selector: {e}")),
    }
}

/// The name of a kind's Go type.
fn go_type(kind: Kind) -> String {
    format!("*{}.{}", kind.version(), kind.as_str())
}

/// Which of two pods is better: to read the log of (`podutils.ByLogging`), which prefers those that were restarted, or to
/// execute a command in (`podutils.ActivePods`, reversed).
fn better(a: &Object, b: &Object, restarted_first: bool) -> Ordering {
    let (Some(a), Some(b)) = (a.get::<Pod>(), b.get::<Pod>()) else { return Ordering::Equal };
    let unassigned = |p: &Pod| p.spec.as_ref().and_then(|s| s.node_name.as_deref()).is_none_or(str::is_empty);
    let phase = |p: &Pod| match p.status.as_ref().and_then(|s| s.phase.as_deref()) {
        Some("Unknown") => 1,
        Some("Pending") => 2,
        _ => 0,
    };
    let ready_since = |p: &Pod| -> Option<Time> {
        let conditions = p.status.as_ref()?.conditions.as_ref()?;
        let ready = conditions.iter().find(|c| c.type_ == "Ready" && c.status == "True")?;
        ready.last_transition_time.clone()
    };
    let restarts = |p: &Pod| {
        let statuses = p.status.as_ref().and_then(|s| s.container_statuses.as_ref());
        statuses.into_iter().flatten().map(|c| c.restart_count).max().unwrap_or(0)
    };
    // No time comes after every time.
    let time = |a: Option<Time>, b: Option<Time>| match (a, b) {
        (Some(a), Some(b)) => a.0.cmp(&b.0),
        (a, b) => a.is_none().cmp(&b.is_none()),
    };
    let (ra, rb) = (ready_since(a), ready_since(b));
    unassigned(a)
        .cmp(&unassigned(b))
        .then(phase(a).cmp(&phase(b)))
        .then(ra.is_none().cmp(&rb.is_none()))
        .then_with(|| time(ra, rb))
        .then(if restarted_first { restarts(b).cmp(&restarts(a)) } else { restarts(a).cmp(&restarts(b)) })
        .then_with(|| time(a.metadata.creation_timestamp.clone(), b.metadata.creation_timestamp.clone()))
}

/// The containers of a pod that are meant. With `all_pods` it is not said which one is taken if none is named.
pub(super) fn sources_of(
    cx: &mut Context<'_>,
    pod: &Pod,
    container: &str,
    all_containers: bool,
    all_pods: bool,
) -> Result<Vec<Source>> {
    let Some(spec) = pod.spec.as_ref() else { return Ok(Vec::new()) };
    let name = pod.metadata.name();
    let source = |container: &str| Source {
        namespace: pod.metadata.namespace().to_owned(),
        pod: name.to_owned(),
        container: container.to_owned(),
    };
    let main = || spec.containers.iter().map(|c| c.name.as_str());
    let init = || spec.init_containers.iter().flatten().map(|c| c.name.as_str());
    let ephemeral = || spec.ephemeral_containers.iter().flatten().map(|c| c.name.as_str());
    if all_containers {
        return Ok(init().chain(main()).chain(ephemeral()).map(source).collect());
    }
    let exists = |wanted: &str| main().chain(init()).chain(ephemeral()).any(|c| c == wanted);
    let names = || {
        let all = main().map(str::to_owned);
        let all = all.chain(ephemeral().map(|c| format!("{c} (ephem)")));
        all.chain(init().map(|c| format!("{c} (init)"))).collect::<Vec<_>>().join(", ")
    };
    let mut wanted = container.to_owned();
    if wanted.is_empty()
        && let Some(default) = pod.metadata.annotation(DEFAULT_CONTAINER).filter(|d| !d.is_empty())
    {
        match exists(default) {
            true => wanted = default.to_owned(),
            false => cx
                .err
                .push_str(&format!("Default container name {} not found in pod {name}\n", go_quote(default))),
        }
    }
    if wanted.is_empty() {
        wanted = main().next().unwrap_or_default().to_owned();
        if names() != wanted && !all_pods {
            cx.err.push_str(&format!("Defaulted container {} out of: {}\n", go_quote(&wanted), names()));
        }
    }
    if !exists(&wanted) {
        return fail(format!("container {wanted} is not valid for pod {name} out of: {}", names()));
    }
    Ok(vec![source(&wanted)])
}

/// The text of a log.
fn fetch(cx: &mut Context<'_>, options: &Options<'_>, source: &Source, with_tail: bool) -> Result<String> {
    let path =
        format!("{}/log", Call::new(Verb::Get, Kind::POD, &source.namespace, &source.pod).http()?.path);
    let query = options.query(&source.container, with_tail);
    let answer = cx.exchange(&raw("GET", &format!("{path}?{query}"), Accept::Objects, Vec::new()))?;
    Ok(answer.response.body.clone())
}

fn print(cx: &mut Context<'_>, args: &Args, source: &Source, text: &str) {
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
fn follow(cx: &mut Context<'_>, options: &Options<'_>, sources: &[Source]) -> Result {
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
    cx: &mut Context<'_>,
    options: &Options<'_>,
    source: &Source,
    seen: &mut Option<Seen>,
) -> Result<bool> {
    let pod = match cx.get(Kind::POD, &source.namespace, &source.pod) {
        Ok(pod) => pod,
        Err(Stop::Error(e)) if e.is_not_found() && seen.is_some() => return Ok(false),
        Err(stop) => return Err(stop),
    };
    let status = pod.get::<Pod>().and_then(|p| p.status.as_ref());
    let container = status.and_then(|s| {
        let groups = [&s.container_statuses, &s.init_container_statuses, &s.ephemeral_container_statuses];
        groups.into_iter().flatten().flatten().find(|c| c.name == source.container)
    });
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
