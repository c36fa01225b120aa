//! `kubectl run`

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::call::{Call, Payload};
use super::command;
use super::flags::{Args, Flag, array, boolean, duration, text};
use super::generate::{created, label_map};
use super::invocation::{Invocation, Result, Stop, fail};
use super::logs::pod_timeout;
use super::output::{self, DryRun};
use super::stop::{CommandWait, WaitFor};
use super::{attach, image, overrides, words};
use crate::api::pod::{is_ready, is_terminal, phase};
use crate::api::quote::go_quote;
use crate::api::types::Pod;
use crate::api::{Key, Kind, MetaExt as _, Object};
use crate::apimachinery::{DeleteOptions, Propagation, Verb};

pub(super) const RUN_FLAGS: &[Flag] = &[
    text("image"),
    text("image-pull-policy"),
    text("restart").or("Always"),
    text("port"),
    text("labels").short('l'),
    array("env"),
    boolean("command"),
    array("annotations"),
    boolean("rm"),
    boolean("stdin").short('i'),
    boolean("tty").short('t'),
    boolean("attach"),
    boolean("leave-stdin-open"),
    duration("pod-running-timeout").or("1m0s"),
    boolean("quiet").short('q'),
    boolean("expose"),
    boolean("privileged"),
    boolean("save-config"),
    attach::DETACH_KEYS_FLAG,
];

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let path = "kubectl run";
    let Some(name) = args.words.first().filter(|_| args.dash != Some(0)) else {
        return command::usage(path, "NAME is required for run");
    };
    let timeout = pod_timeout(args).or_else(|why| command::usage(path, why))?;
    attach::check_detach_keys(args)?;
    let dry_run = DryRun::of(cx, args)?;
    let image = args.text("image");
    if image.is_empty() {
        return fail("--image is required");
    }
    if !image::is_reference(image) {
        return fail(format!(
            "Invalid image name {image}: invalid reference format",
            image = go_quote(image)
        ));
    }
    if args.on("tty") && !args.on("stdin") {
        return command::usage(path, "-i/--stdin is required for containers with -t/--tty=true");
    }
    if args.on("expose") && args.text("port").is_empty() {
        return command::usage(path, "--port must be set when exposing a service");
    }
    let restart = args.flag("restart").filter(|r| !r.is_empty()).unwrap_or("Always");
    if !matches!(restart, "Always" | "OnFailure" | "Never") {
        return command::usage(path, format!("invalid restart policy: {restart}"));
    }
    let attaches = if args.has("attach") { args.on("attach") } else { args.on("stdin") };
    if args.on("rm") && !attaches {
        return command::usage(path, "--rm should only be used for attached containers");
    }
    if attaches && dry_run != DryRun::No {
        return command::usage(
            path,
            "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)",
        );
    }
    if let Some(policy) = args.flag("image-pull-policy")
        && !matches!(policy, "Always" | "IfNotPresent" | "Never" | "")
    {
        return command::usage(path, format!("invalid image pull policy: {policy}"));
    }
    let pod = overrides::apply(args, Kind::POD, pod(args, name, restart)?)?;
    // The pod is made before its Service and said after it.
    let made = created(cx, args, Kind::POD, pod, "", dry_run)?;
    let (mut errors, mut exposed) = (Vec::new(), None);
    if args.on("expose") {
        let service = service(args, name)?;
        match created(cx, args, Kind::SERVICE, service, "", dry_run) {
            Ok(service) => {
                output::report(cx, args, &service, "created", dry_run)?;
                exposed = Some(service);
            }
            Err(Stop::Error(e)) => errors.push(e),
            Err(stop) => return Err(stop),
        }
    }
    if attaches {
        let result = attached(cx, args, &place_of(&made), timeout, restart);
        if args.on("rm") && !matches!(result, Err(Stop::Wait(_))) {
            let mut removed = remove(cx, args, Kind::POD, &place_of(&made));
            if let (Ok(()), Some(service)) = (&removed, &exposed) {
                removed = remove(cx, args, Kind::SERVICE, &place_of(service));
            }
            // The command ends as its process has ended, whatever came of that.
            if let Err(wait @ Stop::Wait(_)) = removed {
                return Err(wait);
            }
        }
        return result;
    }
    output::report(cx, args, &made, "created", dry_run)?;
    command::finish(errors)
}

/// The namespace and the name of an object that was made: `--overrides` may have named it.
fn place_of(made: &Value) -> Key {
    let text = |path: &str| made.pointer(path).and_then(Value::as_str).unwrap_or_default();
    Key::new(text("/metadata/namespace"), text("/metadata/name"))
}

/// Attaches to the pod as soon as it is ready, and ends as its container has ended, unless that is restarted whatever happens
/// (`handleAttachPod`, `waitForPod`).
fn attached(
    cx: &mut Invocation<'_>,
    args: &Args,
    key: &Key,
    timeout: SignedDuration,
    restart: &str,
) -> Result {
    let object = await_pod(cx, key, timeout, &is_ready_or_over)?;
    let Some(pod) = object.get::<Pod>() else { return fail("cannot attach to what is no pod") };
    let options = attach::Options::of(args);
    if is_terminal(pod) {
        attach::log(cx, pod, "", options.quiet)?;
    } else {
        attach::log_before(cx, pod, options.quiet)?;
        attach::attach_or_log(cx, pod, "", options)?;
    }
    if args.on("leave-stdin-open") || restart == "Always" {
        return Ok(());
    }
    let ended: &dyn Fn(&Pod) -> bool =
        if restart == "Never" { &is_terminal } else { &|pod| phase(pod) == "Succeeded" };
    let object = await_pod(cx, key, timeout, ended)?;
    let Some(pod) = object.get::<Pod>() else { return fail("cannot attach to what is no pod") };
    let of = format!("{}/{}", key.namespace, key.name);
    if phase(pod) == "Succeeded" {
        return Ok(());
    }
    let status = pod.status.as_ref().and_then(|s| s.container_statuses.as_ref()?.first());
    let ended = status.and_then(|s| s.state.as_ref()?.terminated.as_ref()).filter(|t| t.exit_code != 0);
    let Some(ended) = ended else { return fail(format!("pod {of} failed with unknown exit code")) };
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let (reason, message) = (text(&ended.reason), text(&ended.message));
    cx.err.push_str(&format!("pod {of} terminated ({reason})\n{message}"));
    if !cx.err.ends_with('\n') {
        cx.err.push('\n');
    }
    Err(Stop::Exit(ended.exit_code))
}

/// The pod, once something is so.
fn await_pod(
    cx: &mut Invocation<'_>,
    key: &Key,
    timeout: SignedDuration,
    holds: &dyn Fn(&Pod) -> bool,
) -> Result<Object> {
    let until = cx.now().checked_add(timeout).ok();
    loop {
        let object = cx.get(Kind::POD, &key.namespace, &key.name)?;
        if object.get::<Pod>().is_some_and(|pod| holds(pod)) {
            return Ok(object);
        }
        if !cx.wait_change(&object, until)? {
            return fail("timed out waiting for the condition");
        }
    }
}

/// `podRunningAndReady`
fn is_ready_or_over(pod: &Pod) -> bool {
    is_terminal(pod) || (phase(pod) == "Running" && is_ready(pod))
}

/// `--rm`: deletes something that the command has made, and says so; of what is not there any more it says nothing
/// (`removeCreatedObjects`). The command has waited before, so a client that hands it back runs a line for it: whatever takes the object
/// away from then on counts as that line.
fn remove(cx: &mut Invocation<'_>, args: &Args, kind: Kind, key: &Key) -> Result {
    let Key { namespace, name } = key;
    let flags =
        ["--wait=false".to_owned(), "--ignore-not-found".to_owned(), format!("--namespace={namespace}")];
    let words = ["delete".to_owned(), kind.singular().to_owned(), name.to_string()];
    let words: Vec<String> = words.into_iter().chain(flags).chain(cx.identity_flags.clone()).collect();
    let line = words::join(&words);
    let mut has_waited = false;
    loop {
        match cx.get(kind, namespace, name) {
            Err(Stop::Error(e)) if e.is_not_found() => {
                if !has_waited {
                    return Ok(());
                }
                break;
            }
            // To delete it once more would change nothing.
            Ok(object) if object.meta().is_deleting() => break,
            other => other?,
        };
        match cx.wait(CommandWait { what: WaitFor::Line(line.clone()), until: None }) {
            Err(Stop::Never) => {
                let propagation_policy = Some(Propagation::Background);
                let options = DeleteOptions { propagation_policy, ..DeleteOptions::default() };
                cx.send(&Call::new(Verb::Delete, kind, namespace, name).body(Payload::Delete(options)))?;
                break;
            }
            other => other?,
        }
        has_waited = true;
    }
    if !args.on("quiet") {
        let (kind, name) = (kind.singular(), go_quote(name));
        cx.say(&format!("{kind} {name} deleted from {namespace} namespace"));
    }
    Ok(())
}

/// The labels of the pod.
fn labels(args: &Args, name: &str) -> Result<Value> {
    match args.flag("labels").filter(|l| !l.is_empty()) {
        None => Ok(json!({"run": name})),
        Some(text) => match label_map(text) {
            Some(labels) => Ok(Value::Object(labels)),
            None => fail(format!("unexpected label spec: {text}")),
        },
    }
}

fn pod(args: &Args, name: &str, restart: &str) -> Result<Value> {
    let mut container = json!({"image": args.text("image"), "name": name, "resources": {}});
    let words = args.words.get(1..).unwrap_or_default();
    if !words.is_empty() {
        container[if args.on("command") { "command" } else { "args" }] = json!(words);
    }
    if let Some(port) = args.flag("port").filter(|p| !p.is_empty()) {
        container["ports"] = json!([{"containerPort": number(port)?}]);
    }
    let mut env = Vec::new();
    for var in args.all("env") {
        let Some((k, v)) = var.split_once('=').filter(|(k, _)| !k.is_empty()) else {
            return fail(format!("invalid env: {var}"));
        };
        env.push(json!({"name": k, "value": v}));
    }
    for flag in ["stdin", "tty"] {
        if args.on(flag) {
            container[flag] = true.into();
        }
    }
    if args.on("stdin") && !args.on("leave-stdin-open") {
        container["stdinOnce"] = true.into();
    }
    if !env.is_empty() {
        container["env"] = Value::Array(env);
    }
    if let Some(policy) = args.flag("image-pull-policy").filter(|p| !p.is_empty()) {
        container["imagePullPolicy"] = policy.into();
    }
    if args.on("privileged") {
        container["securityContext"] = json!({"privileged": true});
    }
    let mut metadata = json!({"labels": labels(args, name)?, "name": name});
    let annotations = args.all("annotations");
    if !annotations.is_empty() {
        let mut map = serde_json::Map::new();
        for annotation in annotations {
            let Some((k, v)) = annotation.split_once('=').filter(|(k, _)| !k.is_empty()) else {
                return fail(format!("Unexpected annotation: {annotation}"));
            };
            map.insert(k.to_owned(), v.into());
        }
        metadata["annotations"] = map.into();
    }
    Ok(json!({
        "metadata": metadata,
        "spec": {"containers": [container], "dnsPolicy": "ClusterFirst", "restartPolicy": restart},
        "status": {},
    }))
}

/// `--expose`: a Service for the pod.
fn service(args: &Args, name: &str) -> Result<Value> {
    let port = number(args.text("port"))?;
    Ok(json!({
        "metadata": {"name": name},
        "spec": {
            "ports": [{"port": port, "protocol": "TCP", "targetPort": port}], "selector": labels(args, name)?,
        },
        "status": {"loadBalancer": {}},
    }))
}

fn number(port: &str) -> Result<i64> {
    match port.parse() {
        Ok(port) => Ok(port),
        Err(_) => fail(format!("strconv.Atoi: parsing {port}: invalid syntax", port = go_quote(port))),
    }
}
