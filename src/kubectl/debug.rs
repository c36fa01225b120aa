//! `kubectl debug`: an ephemeral container for a pod, a copy of a pod, or a pod on a node (`k8s.io/kubectl/pkg/cmd/debug`).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::call::{Call, Payload};
use super::command;
use super::debug_profiles::{Keep, Profile, Style, container_of};
use super::files;
use super::flags::{Args, Flag, array, boolean, text};
use super::invocation::{Invocation, Result, Stop, fail};
use super::resource::{self, Rules};
use super::{attach, chance, go, image};
use crate::api::patch::{create_two_way_merge_patch, strategic_merge};
use crate::api::quote::go_quote;
use crate::api::yaml::{self, Limits};
use crate::api::{Kind, Object};
use crate::apimachinery::{DeleteOptions, Verb};

pub(super) const FLAGS: &[Flag] = &[
    text("image"),
    text("image-pull-policy"),
    text("container").short('c'),
    text("target"),
    text("copy-to"),
    text("profile").or("general"),
    text("custom"),
    array("env"),
    array("set-image"),
    boolean("arguments-only"),
    boolean("attach"),
    boolean("stdin").short('i'),
    boolean("tty").short('t'),
    boolean("quiet").short('q'),
    boolean("replace"),
    boolean("same-node"),
    boolean("share-processes").or("true"),
    boolean("keep-labels"),
    boolean("keep-annotations"),
    boolean("keep-liveness"),
    boolean("keep-readiness"),
    boolean("keep-startup"),
    boolean("keep-init-containers").or("true"),
];
const LEGACY: &str = "--profile=legacy is deprecated and planned to be removed in v1.39. It is recommended to specify other profile, for example \"--profile=general\".\n";
const NOT_ROOT: &str = "Non-root user is configured for the entire target Pod, and some capabilities granted by debug profile may not work. Please consider using \"--custom\" with a custom profile that specifies \"securityContext.runAsUser: 0\".";

/// A pod in which something is looked into: its namespace, its name, and the name of the container that is for that, if there is one.
type Debugged = (String, String, Option<String>);

/// What the flags say.
struct Options<'a> {
    args: &'a Args,
    /// The words behind `--`.
    command: &'a [String],
    profile: Profile,
    keep: Keep,
    /// `--set-image`: images by the names of containers; `*` stands for all others.
    images: BTreeMap<String, String>,
    env: Vec<Value>,
    /// `--custom`: a part of a container.
    custom: Option<Value>,
}

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let (before, command) = args.words.split_at(args.dash.unwrap_or(args.words.len()));
    let options = options(cx, args, command)?;
    check(cx, &options, before)?;
    let words: Vec<String> =
        before.iter().map(|w| if w.contains('/') { w.clone() } else { format!("pod/{w}") }).collect();
    let rules = Rules { required: true, ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, &words, rules)?;
    let objects = objects.into_iter().map(|(o, _)| o).collect();
    command::each(cx, objects, errors, &mut |cx, object| {
        let kind = object.kind();
        let (namespace, pod, container) = if kind == Kind::NODE {
            debug_node(cx, &options, object)?
        } else if kind != Kind::POD {
            let (group, version) = (kind.group(), kind.version());
            let kind = go_quote(format!("{group}/{version}, Kind={}", kind.as_str()));
            return fail(format!("{kind} not supported by debug"));
        } else if args.text("copy-to").is_empty() {
            debug_pod(cx, &options, object)?
        } else {
            debug_copy(cx, &options, object)?
        };
        let attaches = if args.has("attach") { args.on("attach") } else { args.on("stdin") };
        match container.filter(|_| attaches) {
            Some(name) => attach::when_it_runs(cx, (&namespace, &pod), &name, attach::Options::of(args)),
            None => Ok(()),
        }
    })
}

fn options<'a>(cx: &Invocation<'_>, args: &'a Args, command: &'a [String]) -> Result<Options<'a>> {
    let env = pairs(args, "env")?;
    let images = pairs(args, "set-image")?;
    let Some(profile) = Profile::of(args.text("profile")) else {
        return fail(format!("unknown profile: {}", args.text("profile")));
    };
    let custom = match args.text("custom") {
        "" => None,
        file => Some(custom(cx, file)?),
    };
    let keep = Keep {
        labels: args.on("keep-labels"),
        annotations: args.on("keep-annotations"),
        liveness: args.on("keep-liveness"),
        readiness: args.on("keep-readiness"),
        startup: args.on("keep-startup"),
        init_containers: args.on("keep-init-containers"),
    };
    let env = env.into_iter().map(|(k, v)| json!({"name": k, "value": v})).collect();
    Ok(Options { args, command, profile, keep, images, env, custom })
}

/// The pairs of a flag, each `name=value`, several of them with commas between (`stringToString` of `spf13/pflag`).
fn pairs(args: &Args, flag: &str) -> Result<BTreeMap<String, String>> {
    let mut all = BTreeMap::new();
    for given in args.all(flag) {
        let several = given.matches('=').count() > 1;
        let parts: Vec<&str> = if several { given.split(',').collect() } else { vec![given.as_str()] };
        for part in parts {
            let Some((name, value)) = part.split_once('=') else {
                let given = go_quote(given);
                return fail(format!(
                    "invalid argument {given} for \"--{flag}\" flag: {part} must be formatted as key=value"
                ));
            };
            all.insert(name.to_owned(), value.to_owned());
        }
    }
    Ok(all)
}

/// The part of a container that a file says.
fn custom(cx: &Invocation<'_>, file: &str) -> Result<Value> {
    let wrap = "must pass a container spec json file for custom profile: ";
    let text = files::text(cx, file).map_err(|why| why.wrapped(wrap))?;
    let documents = match yaml::documents(&text, &Limits::default()) {
        Ok(documents) => documents,
        Err(why) => return fail(format!("{file} does not contain a valid container spec: {why}")),
    };
    match documents.into_iter().next().map(|document| document.value) {
        Some(value @ Value::Object(_)) => Ok(value),
        _ => fail(format!("{file} does not contain a valid container spec")),
    }
}

fn check(cx: &mut Invocation<'_>, options: &Options<'_>, names: &[String]) -> Result {
    let args = options.args;
    let image = args.text("image");
    let unnamed = image.is_empty() && args.text("container").is_empty();
    if args.has("attach") && args.on("attach") && unnamed {
        return fail(
            "you must specify --container or create a new container using --image in order to attach.",
        );
    }
    let copies = !args.text("copy-to").is_empty();
    if copies {
        if image.is_empty() && options.images.is_empty() && options.command.is_empty() {
            return fail("you must specify --image, --set-image or command arguments.");
        }
        if !options.command.is_empty() && unnamed {
            return fail("you must specify an existing container or a new image when specifying args.");
        }
    } else {
        for (flag, given) in [
            ("replace", args.on("replace")),
            ("same-node", args.on("same-node")),
            ("set-image", !options.images.is_empty()),
        ] {
            if given {
                return fail(format!("--{flag} may only be used with --copy-to."));
            }
        }
        if image.is_empty() {
            return fail("you must specify --image when not using --copy-to.");
        }
    }
    if !image.is_empty() && !image::is_reference(image) {
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
    for (name, image) in &options.images {
        if !image::is_reference(image) {
            let (image, name) = (go_quote(image), go_quote(name));
            return fail(format!(
                "invalid image name {image} for container {name}: invalid reference format"
            ));
        }
    }
    let target = args.text("target");
    if !target.is_empty() {
        if copies {
            return fail("--target is incompatible with --copy-to. Use --share-processes instead.");
        }
        if !args.on("quiet") {
            cx.say(&format!("Targeting container {target}. If you don't see processes from this container it may be because the container runtime doesn't support this feature.", target = go_quote(target)));
        }
    }
    if args.on("tty") && !args.on("stdin") {
        return fail("-i/--stdin is required for containers with -t/--tty=true");
    }
    let fixed = |c: &Value| {
        ["name", "command", "image", "lifecycle", "volumeDevices"].iter().any(|f| !c[*f].is_null())
    };
    if options.custom.as_ref().is_some_and(fixed) {
        return fail(
            "name, command, image, lifecycle and volume devices are not modifiable via custom profile",
        );
    }
    if options.profile == Profile::Legacy {
        cx.err.push_str(LEGACY);
    }
    Ok(())
}

impl Options<'_> {
    /// Fills in a container that is made for this.
    fn fill(&self, container: &mut Value) {
        let args = self.args;
        if !self.command.is_empty() {
            container[if args.on("arguments-only") { "args" } else { "command" }] = json!(self.command);
        }
        if !self.env.is_empty() {
            container["env"] = self.env.clone().into();
        }
        for (flag, field) in [("image", "image"), ("image-pull-policy", "imagePullPolicy")] {
            if !args.text(flag).is_empty() {
                container[field] = args.text(flag).into();
            }
        }
        for (flag, field) in [("stdin", "stdin"), ("tty", "tty")] {
            match container.as_object_mut() {
                Some(fields) if !args.on(flag) => drop(fields.remove(field)),
                _ => container[field] = true.into(),
            }
        }
    }

    /// Gives a pod and the container in it what the profile and the file of `--custom` say.
    fn apply(&self, pod: Value, name: &str, style: Style) -> Result<Value> {
        let mut pod = pod;
        self.profile.apply(&mut pod, name, style, self.keep);
        let Some(custom) = &self.custom else { return Ok(pod) };
        let mut part = custom.clone();
        part["name"] = name.into();
        let list = if style == Style::Ephemeral { "ephemeralContainers" } else { "containers" };
        strategic_merge(Kind::POD, pod, &json!({"spec": {list: [part]}})).or_else(|e| {
            fail(format!("error creating three way patch to add debug container: {}", e.message()))
        })
    }
}

/// A new container.
fn new_container(name: &str) -> Value {
    json!({"name": name, "resources": {}, "terminationMessagePolicy": "File"})
}

/// Adds an ephemeral container to a pod, behind those that it has (`debugByEphemeralContainer`).
fn debug_pod(cx: &mut Invocation<'_>, options: &Options<'_>, object: &Object) -> Result<Debugged> {
    let pod = object.to_value();
    let name = container_name(cx, options.args, object, &pod);
    let mut container = new_container(&name);
    options.fill(&mut container);
    if !options.args.text("target").is_empty() {
        container["targetContainerName"] = options.args.text("target").into();
    }
    let mut debugged = pod.clone();
    match debugged["spec"]["ephemeralContainers"].as_array_mut() {
        Some(containers) => containers.push(container),
        None => debugged["spec"]["ephemeralContainers"] = json!([container]),
    }
    let mut debugged = options.apply(debugged, &name, Style::Ephemeral)?;
    let added = debugged["spec"]["ephemeralContainers"].as_array_mut().and_then(|all| all.last_mut());
    warn_of_user(cx, &pod, added);
    let patch = create_two_way_merge_patch(Kind::POD, &pod, &debugged)
        .or_else(|e| fail(format!("error creating patch to add debug container: {}", e.message())))?;
    let mut call = Call::new(Verb::Patch, Kind::POD, object.namespace(), object.name())
        .body(Payload::StrategicPatch(go::json(&patch)));
    call.subresource = "ephemeralcontainers".into();
    cx.send(&call)?;
    Ok((object.namespace().to_owned(), object.name().to_owned(), Some(name)))
}

/// Makes a copy of a pod, with another container or with changed ones (`debugByCopy`).
fn debug_copy(cx: &mut Invocation<'_>, options: &Options<'_>, object: &Object) -> Result<Debugged> {
    let args = options.args;
    let (mut copy, name) = copied(cx, options, object)?;
    if let Some(name) = &name {
        copy = options.apply(copy, name, Style::Copy)?;
        let pod = copy.clone();
        warn_of_user(cx, &pod, container_of(&mut copy, name));
    }
    let to = args.text("copy-to");
    cx.send(&Call::new(Verb::Create, Kind::POD, object.namespace(), to).body(Payload::Object(copy)))?;
    if args.on("replace") {
        let now = DeleteOptions { grace_period_seconds: Some(0), ..DeleteOptions::default() };
        let call = Call::new(Verb::Delete, Kind::POD, object.namespace(), object.name());
        cx.send(&call.body(Payload::Delete(now)))?;
    }
    Ok((object.namespace().to_owned(), to.to_owned(), name))
}

/// The copy, and the container in it that a profile is for; `None` if only images are changed
/// (`generatePodCopyWithDebugContainer`).
fn copied(
    cx: &mut Invocation<'_>,
    options: &Options<'_>,
    object: &Object,
) -> Result<(Value, Option<String>)> {
    let args = options.args;
    let pod = object.to_value();
    let mut copy = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": args.text("copy-to"), "namespace": object.namespace()},
        "spec": pod["spec"],
    });
    for field in ["annotations", "labels"] {
        if !pod["metadata"][field].is_null() {
            copy["metadata"][field] = pod["metadata"][field].clone();
        }
    }
    if let Some(spec) = copy["spec"].as_object_mut() {
        spec.remove("ephemeralContainers");
        if !args.on("same-node") {
            spec.remove("nodeName");
        }
        if args.has("share-processes") {
            spec.insert("shareProcessNamespace".into(), args.on("share-processes").into());
        }
    }
    for container in copy["spec"]["containers"].as_array_mut().into_iter().flatten() {
        let own = container["name"].as_str().and_then(|name| options.images.get(name));
        if let Some(image) = own.or(options.images.get("*")).filter(|image| !image.is_empty()) {
            container["image"] = image.as_str().into();
        }
    }
    let named = args.text("container");
    let mut name = named.to_owned();
    if named.is_empty() || container_of(&mut copy, named).is_none() {
        if args.text("image").is_empty() {
            if !options.images.is_empty() {
                return Ok((copy, None));
            }
            return fail("you must specify image when creating new container");
        }
        name = container_name(cx, args, object, &copy);
        if let Some(containers) = copy["spec"]["containers"].as_array_mut() {
            containers.push(new_container(&name));
        }
    }
    if let Some(container) = container_of(&mut copy, &name) {
        if let Some(fields) = container.as_object_mut()
            && !options.command.is_empty()
            && !args.on("arguments-only")
        {
            fields.remove("args");
        }
        options.fill(container);
    }
    Ok((copy, Some(name)))
}

/// Makes a pod on a node (`visitNode`, `generateNodeDebugPod`). Where Kubernetes throws dice for its name, the first free one that
/// follows from the node's version is taken.
fn debug_node(cx: &mut Invocation<'_>, options: &Options<'_>, node: &Object) -> Result<Debugged> {
    let args = options.args;
    let name = match args.text("container") {
        "" => "debugger",
        name => name,
    };
    let namespace = cx.namespace.clone();
    let mut seeds = seed(node)..;
    let pod = loop {
        let pod =
            format!("node-debugger-{}-{}", node.name(), chance::suffix(seeds.next().unwrap_or_default()));
        // Whoever may not look finds out at the creation.
        match cx.get(Kind::POD, &namespace, &pod) {
            Ok(_) => {}
            Err(Stop::Error(_)) => break pod,
            Err(stop) => return Err(stop),
        }
    };
    if !args.on("quiet") {
        cx.say(&format!("Creating debugging pod {pod} with container {name} on node {}.", node.name()));
    }
    let mut container = new_container(name);
    options.fill(&mut container);
    let value = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": pod, "labels": {"app.kubernetes.io/managed-by": "kubectl-debug"}},
        "spec": {
            "containers": [container], "nodeName": node.name(), "restartPolicy": "Never",
            "tolerations": [{"operator": "Exists"}],
        },
    });
    let value = options.apply(value, name, Style::Node)?;
    cx.send(&Call::new(Verb::Create, Kind::POD, &namespace, &pod).body(Payload::Object(value)))?;
    Ok((namespace, pod, Some(name.to_owned())))
}

/// Says that what the profile gives may be of no use to a user who is not root (`displayWarning`).
fn warn_of_user(cx: &mut Invocation<'_>, pod: &Value, container: Option<&mut Value>) {
    let Some(context) = container.map(|c| c["securityContext"].clone()) else { return };
    let of_pod = pod.pointer("/spec/securityContext/runAsUser").and_then(Value::as_i64);
    let is_root = context["runAsUser"].as_i64() == Some(0);
    let capable =
        context.pointer("/capabilities/add").and_then(Value::as_array).is_some_and(|a| !a.is_empty());
    let gives = context["privileged"] == true || capable;
    if of_pod.is_some_and(|user| user != 0) && !is_root && gives {
        cx.warn(NOT_ROOT);
    }
}

fn seed(object: &Object) -> u64 {
    object.resource_version().and_then(|version| version.parse().ok()).unwrap_or(0)
}

/// The name of the container, or one that no container of the pod has (`computeDebugContainerName`). Where Kubernetes throws dice, the
/// pod's version is the seed.
fn container_name(cx: &mut Invocation<'_>, args: &Args, object: &Object, pod: &Value) -> String {
    let given = args.text("container");
    if !given.is_empty() {
        return given.to_owned();
    }
    let mut pod = pod.clone();
    let mut names = (seed(object)..).map(|seed| format!("debugger-{}", chance::suffix(seed)));
    let free = names.find(|name| container_of(&mut pod, name).is_none());
    let name = free.unwrap_or_else(|| "debugger".into());
    if !args.on("quiet") {
        cx.say(&format!("Defaulting debug container name to {name}."));
    }
    name
}
