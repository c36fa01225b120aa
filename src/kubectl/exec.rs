//! `kubectl exec` (`k8s.io/kubectl/pkg/cmd/exec`; `k8s.io/client-go/tools/remotecommand`).

use serde_json::Value;

use super::call::{Accept, Call, escaped, raw};
use super::command;
use super::error::Error;
use super::files::load;
use super::flags::{Args, Flag, boolean, duration, slice, text};
use super::invocation::{Invocation, Result, Stop, fail};
use super::log_sources::{attachable_pod, container_of};
use super::logs::pod_timeout;
use super::resource::must_kind;
use crate::api::types::Pod;
use crate::api::{Kind, Object};
use crate::apimachinery::{HttpRequest, Verb};

pub(super) const FLAGS: &[Flag] = &[
    duration("pod-running-timeout").or("1m0s"),
    slice("filename").short('f'),
    text("container").short('c'),
    boolean("stdin").short('i'),
    boolean("tty").short('t'),
    boolean("quiet").short('q'),
];

/// What is said of a command that runs for ever.
pub(super) const DOES_NOT_END: &str =
    "the command does not end by itself, and there is nobody here to interrupt it";

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let (words, command): (&[String], &[String]) = match args.dash {
        Some(at @ (0 | 1)) => args.words.split_at(at),
        _ if args.words.len() > 1 => {
            return command::usage(
                "kubectl exec",
                "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead",
            );
        }
        _ => (&args.words, &[]),
    };
    if words.is_empty() && !args.has("filename") {
        return fail("pod, type/name or --filename must be specified");
    }
    if command.is_empty() {
        return fail("you must specify at least one command for the container");
    }
    let timeout = pod_timeout(args).or_else(|why| command::usage("kubectl exec", why))?;
    let object = target(cx, args, words.first().map(String::as_str))?;
    let object = attachable_pod(cx, object, timeout)?;
    let Some(pod) = object.get::<Pod>() else { return fail("cannot attach to what is no pod") };
    let phase = pod.status.as_ref().and_then(|s| s.phase.as_deref()).unwrap_or_default();
    if matches!(phase, "Succeeded" | "Failed") {
        return fail(format!("cannot exec into a container in a completed pod; current phase is {phase}"));
    }
    let quiet = args.on("quiet");
    let container = &*container_of(cx, pod, args.text("container"), quiet)?;
    let piped = cx.files.read("-").is_some();
    if args.on("stdin") && args.on("tty") && !quiet && (piped || !cx.has_terminal()) {
        cx.err.push_str("Unable to use a TTY - input is not a terminal or the right kind of file\n");
    }
    let answer = cx.exchange(&request(cx, args, &object, container, command)?);
    let answer = match answer {
        // What went wrong behind the API server is no status of its own.
        Err(Stop::Error(Error::Status(refusal))) if refusal.status.code == 500 => {
            return fail(refusal.status.message.clone());
        }
        other => other?,
    };
    let Some(channels) = &answer.response.channels else {
        return fail("unable to upgrade connection: the server has not switched protocols");
    };
    cx.executed_in = Some((object.key(), container.to_owned()));
    cx.mark_order();
    cx.print_in_order(&channels.pieces([0, 0]));
    ended(cx, channels.status.as_deref())
}

/// The object in which the command is to be executed.
fn target(cx: &mut Invocation<'_>, args: &Args, word: Option<&str>) -> Result<Object> {
    let namespace = cx.namespace.clone();
    let Some(word) = word else {
        let manifests = load(cx, args)?;
        let [one] = manifests.as_slice() else { return fail("cannot exec into multiple objects at a time") };
        return cx.get(one.kind, &one.namespace, &one.name);
    };
    let (kind, name) = match word.split_once('/') {
        Some((kind, name)) => (must_kind(cx, kind)?, name),
        None => (Kind::POD, word),
    };
    cx.get(kind, &namespace, name)
}

/// The request, whose body is what the command reads.
fn request(
    cx: &Invocation<'_>,
    args: &Args,
    pod: &Object,
    container: &str,
    command: &[String],
) -> Result<HttpRequest> {
    let path = Call::new(Verb::Get, Kind::POD, pod.namespace(), pod.name()).http()?.path;
    let mut query: Vec<String> =
        command.iter().map(|word| format!("command={}", escaped(word, b"-_.~"))).collect();
    query.push(format!("container={}", escaped(container, b"-_.~")));
    query.push("stderr=true".into());
    let stdin = args.on("stdin");
    if stdin {
        query.push("stdin=true".into());
    }
    query.push("stdout=true".into());
    let body = cx.files.read("-").filter(|_| stdin).unwrap_or_default().into_bytes();
    let request = raw("GET", &format!("{path}/exec?{}", query.join("&")), Accept::Objects, body);
    Ok(HttpRequest { content_type: "application/octet-stream".into(), ..request })
}

/// Ends as the command has ended, by the text of its status (`errorDecoderV4`).
fn ended(cx: &mut Invocation<'_>, status: Option<&str>) -> Result {
    let Some(status) = status else { return fail(DOES_NOT_END) };
    let status: Value = serde_json::from_str(status).unwrap_or_default();
    let text = |path: &str| status.pointer(path).and_then(Value::as_str).unwrap_or_default();
    if text("/status") == "Success" {
        return Ok(());
    }
    let code = text("/details/causes/0/message").parse::<i32>();
    match code {
        Ok(code) if text("/reason") == "NonZeroExitCode" => {
            cx.err.push_str(&format!("command terminated with exit code {code}\n"));
            Err(Stop::Exit(code))
        }
        _ => fail(text("/message")),
    }
}
