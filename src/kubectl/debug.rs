//! `kubectl debug`: an ephemeral container for a pod (`k8s.io/kubectl/pkg/cmd/debug`).
//!
//! Nothing can be attached to here, and neither copies of pods (`--copy-to`) nor pods for nodes are built.

use serde_json::{Value, json};

use super::call::{Call, Payload};
use super::command;
use super::flags::{Args, Flag, array, boolean, text};
use super::invocation::{Invocation, Result, fail};
use super::resource::{self, Rules};
use super::{chance, image};
use crate::api::quote::go_quote;
use crate::api::{Kind, Object};
use crate::apimachinery::Verb;

pub(super) const FLAGS: &[Flag] = &[
    text("image"),
    text("image-pull-policy"),
    text("container").short('c'),
    text("target"),
    text("copy-to"),
    text("profile").or("general"),
    array("env"),
    array("set-image"),
    boolean("arguments-only"),
    boolean("attach"),
    boolean("stdin").short('i'),
    boolean("tty").short('t'),
    boolean("quiet").short('q'),
    boolean("replace"),
    boolean("same-node"),
    boolean("share-processes"),
];
const LEGACY: &str = "--profile=legacy is deprecated and planned to be removed in v1.39. It is recommended to specify other profile, for example \"--profile=general\".\n";
const NOT_ROOT: &str = "Non-root user is configured for the entire target Pod, and some capabilities granted by debug profile may not work. Please consider using \"--custom\" with a custom profile that specifies \"securityContext.runAsUser: 0\".";

/// The `securityContext` that a profile gives to an ephemeral container (`profiles.go`); `None` for none.
fn security_context(profile: &str) -> Result<Option<Value>> {
    Ok(match profile {
        "legacy" | "baseline" => None,
        "general" => Some(json!({"capabilities": {"add": ["SYS_PTRACE"]}})),
        "restricted" => Some(json!({
            "allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}, "runAsNonRoot": true,
            "seccompProfile": {"type": "RuntimeDefault"},
        })),
        "netadmin" => Some(json!({"capabilities": {"add": ["NET_ADMIN", "NET_RAW"]}})),
        "sysadmin" => Some(json!({"privileged": true})),
        other => return fail(format!("unknown profile: {other}")),
    })
}

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let (before, command) = args.words.split_at(args.dash.unwrap_or(args.words.len()));
    let context = security_context(args.text("profile"))?;
    check(cx, args, before)?;
    let words: Vec<String> =
        before.iter().map(|w| if w.contains('/') { w.clone() } else { format!("pod/{w}") }).collect();
    let rules = Rules { required: true, ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, &words, rules)?;
    let objects = objects.into_iter().map(|(o, _)| o).collect();
    command::each(cx, objects, errors, &mut |cx, object| one(cx, args, object, command, context.as_ref()))
}

fn check(cx: &mut Invocation<'_>, args: &Args, names: &[String]) -> Result {
    let image = args.text("image");
    if !args.text("copy-to").is_empty() {
        return fail("copies of pods are not built here: debug without --copy-to");
    }
    for (flag, given) in [
        ("replace", args.on("replace")),
        ("same-node", args.on("same-node")),
        ("set-image", !args.all("set-image").is_empty()),
    ] {
        if given {
            return fail(format!("--{flag} may only be used with --copy-to."));
        }
    }
    if image.is_empty() {
        return fail("you must specify --image when not using --copy-to.");
    }
    if !image::is_reference(image) {
        return fail(format!(
            "invalid image name {image}: invalid reference format",
            image = go_quote(image)
        ));
    }
    if names.is_empty() && !args.has_files() {
        return fail("NAME or filename is required for debug");
    }
    match args.text("image-pull-policy") {
        "" | "Always" | "IfNotPresent" | "Never" => {}
        other => return fail(format!("invalid image pull policy: {other}")),
    }
    let target = args.text("target");
    if !target.is_empty() && !args.on("quiet") {
        cx.say(&format!("Targeting container {target}. If you don't see processes from this container it may be because the container runtime doesn't support this feature.", target = go_quote(target)));
    }
    if args.on("tty") && !args.on("stdin") {
        return fail("-i/--stdin is required for containers with -t/--tty=true");
    }
    if args.on("stdin") || args.on("attach") {
        return fail("nothing can be attached to here: debug without -i, -t and --attach");
    }
    if args.text("profile") == "legacy" {
        cx.err.push_str(LEGACY);
    }
    Ok(())
}

fn one(
    cx: &mut Invocation<'_>,
    args: &Args,
    object: &Object,
    command: &[String],
    context: Option<&Value>,
) -> Result {
    let kind = object.kind();
    if kind == Kind::NODE {
        return fail("pods for nodes are not built here: debug a pod");
    }
    if kind != Kind::POD {
        let (group, version) = (kind.group(), kind.version());
        return fail(format!(
            "{} not supported by debug",
            go_quote(format!("{group}/{version}, Kind={}", kind.as_str()))
        ));
    }
    let name = match args.text("container") {
        "" => generated(cx, args, object),
        name => name.to_owned(),
    };
    let mut container = json!({
        "name": name, "image": args.text("image"), "resources": {}, "terminationMessagePolicy": "File",
    });
    if !command.is_empty() {
        container[if args.on("arguments-only") { "args" } else { "command" }] = json!(command);
    }
    for (flag, field) in [("image-pull-policy", "imagePullPolicy"), ("target", "targetContainerName")] {
        if !args.text(flag).is_empty() {
            container[field] = args.text(flag).into();
        }
    }
    let env: Vec<Value> = args
        .all("env")
        .iter()
        .filter_map(|e| e.split_once('='))
        .map(|(k, v)| json!({"name": k, "value": v}))
        .collect();
    if !env.is_empty() {
        container["env"] = env.into();
    }
    if let Some(context) = context {
        warn_of_user(cx, object, context);
        container["securityContext"] = context.clone();
    }
    let patch = json!({"spec": {"ephemeralContainers": [container]}});
    let mut call = Call::new(Verb::Patch, kind, object.namespace(), object.name())
        .body(Payload::StrategicPatch(patch.to_string()));
    call.subresource = "ephemeralcontainers".into();
    cx.send(&call)?;
    Ok(())
}

/// Says that what the profile gives may be of no use to a user who is not root (`displayWarning`).
fn warn_of_user(cx: &mut Invocation<'_>, pod: &Object, context: &Value) {
    let user = pod.to_value().pointer("/spec/securityContext/runAsUser").and_then(Value::as_i64);
    let gives = context.get("privileged").is_some() || context.pointer("/capabilities/add").is_some();
    if user.is_some_and(|user| user != 0) && gives {
        cx.warn(NOT_ROOT);
    }
}

/// A name for the container. Where Kubernetes throws dice, the pod's version is the seed.
fn generated(cx: &mut Invocation<'_>, args: &Args, object: &Object) -> String {
    let version = object.resource_version().unwrap_or_default();
    let name = format!("debugger-{}", chance::suffix(version.parse().unwrap_or(0)));
    if !args.on("quiet") {
        cx.say(&format!("Defaulting debug container name to {name}."));
    }
    name
}
