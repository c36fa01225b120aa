//! `kubectl run`

use serde_json::{Value, json};

use super::command;
use super::flags::{Args, Flag, array, boolean, text};
use super::generate::{created, label_map};
use super::invocation::{Invocation, Result, Stop, fail};
use super::output::{self, DryRun};
use super::{image, overrides};
use crate::api::Kind;
use crate::api::quote::go_quote;

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
    boolean("quiet").short('q'),
    boolean("expose"),
    boolean("privileged"),
    boolean("save-config"),
];

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let path = "kubectl run";
    let Some(name) = args.words.first().filter(|_| args.dash != Some(0)) else {
        return command::usage(path, "NAME is required for run");
    };
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
    if args.on("rm") && !(args.on("stdin") || args.on("attach")) {
        return command::usage(path, "--rm should only be used for attached containers");
    }
    if args.on("stdin") || args.on("attach") {
        return fail(format!(
            "a pod does not run before the cluster is stepped, so nothing can be attached to it: run it without -i, -t, --rm and --attach (-- sleep 3600), then kubectl exec -it {name} -- sh opens a shell in it"
        ));
    }
    if let Some(policy) = args.flag("image-pull-policy")
        && !matches!(policy, "Always" | "IfNotPresent" | "Never" | "")
    {
        return command::usage(path, format!("invalid image pull policy: {policy}"));
    }
    let pod = overrides::apply(args, Kind::POD, pod(args, name, restart)?)?;
    // The pod is made before its Service and said after it.
    let made = created(cx, args, Kind::POD, pod, "", dry_run)?;
    let mut errors = Vec::new();
    if args.on("expose") {
        let service = service(args, name)?;
        match created(cx, args, Kind::SERVICE, service, "", dry_run) {
            Ok(service) => output::report(cx, args, &service, "created", dry_run)?,
            Err(Stop::Error(e)) => errors.push(e),
            Err(stop) => return Err(stop),
        }
    }
    output::report(cx, args, &made, "created", dry_run)?;
    command::finish(errors)
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
