//! `kubectl create NOUN`: commands that make an object from flags.

use serde_json::{Map, Value, json};

use super::call::{Call, Payload};
use super::command::{self, CREATE_FLAGS, CREATED, CliCommand, VALIDATE, sub};
use super::error::Error;
use super::flags::{Args, Flag, array, boolean, duration, int, slice, text};
use super::generate::{make, name, port_value};
use super::generators_jobs as jobs;
use super::generators_policy as policy;
use super::generators_service as service;
use super::invocation::{Invocation, Result, Stop, fail};
use super::output::{self, DryRun, PRINT};
use super::{chance, sources};
use crate::api::Kind;
use crate::api::labels::{Operator, Selector};
use crate::api::quantity::Amount;
use crate::apimachinery::Verb;

const SECRET: &[Flag] = &[text("type")];
const DEPLOYMENT: &[Flag] = &[slice("image"), int("replicas").short('r').or("1"), int("port").or("-1")];
const BUDGET: &[Flag] = &[text("selector"), text("min-available"), text("max-unavailable")];
const QUOTA: &[Flag] = &[text("hard"), text("scopes")];
const PRIORITY: &[Flag] = &[
    int("value"),
    boolean("global-default"),
    text("description"),
    text("preemption-policy").or("PreemptLowerPriority"),
];

/// `create NOUN`
pub(super) const CREATE: &[CliCommand] = &[
    sub("deployment", &["deploy"], &[PRINT, CREATED, VALIDATE, DEPLOYMENT], &["image"], deployment),
    sub("configmap", &["cm"], &[PRINT, CREATED, VALIDATE, sources::FROM], &[], config_map),
    sub("secret", &[], &[], &[], secret_group).with(&[
        sub("docker-registry", &[], &[PRINT, CREATED, VALIDATE, sources::REGISTRY], &[], docker_registry),
        sub("generic", &[], &[PRINT, CREATED, VALIDATE, sources::FROM, SECRET], &[], secret),
        sub("tls", &[], &[PRINT, CREATED, VALIDATE, sources::TLS], &[], tls),
    ]),
    sub("namespace", &["ns"], CREATE_FLAGS, &[], namespace),
    sub("serviceaccount", &["sa"], CREATE_FLAGS, &[], service_account),
    sub("service", &["svc"], &[], &[], service::group).with(service::TYPES),
    sub("poddisruptionbudget", &["pdb"], &[PRINT, CREATED, VALIDATE, BUDGET], &[], budget),
    sub("job", &[], &[PRINT, CREATED, VALIDATE, jobs::JOB], &[], jobs::job),
    sub(
        "cronjob",
        &["cj"],
        &[PRINT, CREATED, VALIDATE, jobs::CRON_JOB],
        &["image", "schedule"],
        jobs::cron_job,
    ),
    sub("quota", &["resourcequota"], &[PRINT, CREATED, VALIDATE, QUOTA], &[], quota),
    sub("ingress", &["ing"], &[PRINT, CREATED, VALIDATE, policy::INGRESS], &[], policy::ingress),
    sub("role", &[], &[PRINT, CREATED, VALIDATE, policy::ROLE], &[], policy::role),
    sub(
        "clusterrole",
        &[],
        &[PRINT, CREATED, VALIDATE, policy::ROLE, policy::CLUSTER_ROLE],
        &[],
        policy::cluster_role,
    ),
    sub("rolebinding", &[], &[PRINT, CREATED, VALIDATE, policy::BINDING], &[], policy::role_binding),
    sub(
        "clusterrolebinding",
        &[],
        &[PRINT, CREATED, VALIDATE, policy::BINDING],
        &["clusterrole"],
        policy::cluster_role_binding,
    ),
    sub("token", &[], &[PRINT, TOKEN], &[], token),
    sub("priorityclass", &["pc"], &[PRINT, CREATED, VALIDATE, PRIORITY], &[], priority_class),
];

fn secret_group(cx: &mut Invocation<'_>, args: &Args) -> Result {
    command::group(cx, args, "kubectl create secret", "Create a secret with specified type.\n")
}

/// The name of the container at an index, from its image: what stands after the last slash, before tag or digest. What a name
/// may not have is replaced, and the name gets another end (`sanitizeAndUniquify`). Where Kubernetes throws dice for it, the image
/// and its place are the seed.
fn container_name(index: usize, image: &str) -> String {
    let last = image.rsplit('/').next().unwrap_or(image);
    let base = last.split(['@', ':']).next().unwrap_or(last);
    if !base.contains(['_', '.']) {
        return base.to_owned();
    }
    let bytes = index.to_le_bytes().into_iter().chain(image.bytes());
    let seed = bytes.fold(0_u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    format!("{}-{}", base.replace(['_', '.'], "-"), chance::suffix(seed))
}

fn deployment(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let name = name(args)?;
    let command = args.words.get(1..).unwrap_or_default();
    let images = args.all("image");
    if images.len() > 1 && !command.is_empty() {
        return fail("cannot specify multiple --image options and command");
    }
    let containers: Vec<Value> = images
        .iter()
        .enumerate()
        .map(|(i, image)| {
            let mut c = json!({"image": image, "name": container_name(i, image), "resources": {}});
            if i == 0
                && let Some(port) = args.int("port").filter(|p| *p >= 0)
            {
                c["ports"] = json!([{"containerPort": port}]);
            }
            if !command.is_empty() {
                c["command"] = json!(command);
            }
            c
        })
        .collect();
    let labels = json!({"app": name});
    let value = json!({
        "metadata": {"labels": labels, "name": name},
        "spec": {
            "replicas": args.int("replicas"),
            "selector": {"matchLabels": labels},
            "strategy": {},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
        },
        "status": {},
    });
    make(cx, args, Kind::DEPLOYMENT, value, "deployment")
}

fn config_map(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let value = sources::config_map(cx, args)?;
    make(cx, args, Kind::CONFIG_MAP, value, "configmap")
}

fn secret(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let value = sources::secret(cx, args)?;
    make(cx, args, Kind::SECRET, value, "secret")
}

fn docker_registry(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let value = sources::docker_registry(cx, args)?;
    make(cx, args, Kind::SECRET, value, "secret")
}

fn tls(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let value = sources::tls(cx, args)?;
    make(cx, args, Kind::SECRET, value, "secret")
}

fn namespace(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let value = json!({"metadata": {"name": name(args)?}, "spec": {}, "status": {}});
    make(cx, args, Kind::NAMESPACE, value, "")
}

fn service_account(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let value = json!({"metadata": {"name": name(args)?}});
    make(cx, args, Kind::SERVICE_ACCOUNT, value, "serviceaccount")
}

const TOKEN: &[Flag] = &[
    array("audience"),
    duration("duration"),
    text("bound-object-kind"),
    text("bound-object-name"),
    text("bound-object-uid"),
];

/// `create token`: asks the server for a token of a ServiceAccount.
fn token(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let account = name(args)?;
    let mut spec = json!({});
    if let Some(duration) = args.duration("duration").filter(|d| !d.is_zero()) {
        if duration.is_negative() {
            return fail("--duration must be greater than or equal to 0");
        }
        if duration.subsec_nanos() != 0 {
            return fail("--duration cannot be expressed in units less than seconds");
        }
        spec["expirationSeconds"] = duration.as_secs().into();
    }
    let audiences = args.all("audience");
    if audiences.iter().any(String::is_empty) {
        return fail("--audience must not be an empty string");
    }
    if !audiences.is_empty() {
        spec["audiences"] = audiences.into();
    }
    let kind = args.text("bound-object-kind");
    let (object, uid) = (args.text("bound-object-name"), args.text("bound-object-uid"));
    match (kind, object) {
        ("", "") if uid.is_empty() => {}
        ("", "") => return fail("--bound-object-uid can only be set if --bound-object-kind is provided"),
        ("", _) => return fail("--bound-object-name can only be set if --bound-object-kind is provided"),
        ("Node" | "Pod" | "Secret", "") => {
            return fail("--bound-object-name is required if --bound-object-kind is provided");
        }
        ("Node" | "Pod" | "Secret", _) => {
            spec["boundObjectRef"] = json!({"kind": kind, "apiVersion": "v1", "name": object});
            if !uid.is_empty() {
                spec["boundObjectRef"]["uid"] = uid.into();
            }
        }
        _ => return fail("supported --bound-object-kind values are Node, Pod, Secret"),
    }
    let body = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec});
    let mut call =
        Call::new(Verb::Create, Kind::SERVICE_ACCOUNT, &cx.namespace, account).body(Payload::Object(body));
    call.subresource = "token".into();
    let answer = match cx.send(&call) {
        Err(Stop::Error(Error::Status(s))) => {
            return fail(format!("failed to create token: {}", s.message));
        }
        answer => answer?,
    };
    if args.text("output").is_empty() {
        let token = answer.text("/status/token").to_owned();
        // Without a line's end: the output is no terminal.
        cx.out.push_str(&token);
        return Ok(());
    }
    output::report(cx, args, answer.value(), "created", DryRun::No)
}

fn budget(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let name = name(args)?;
    if args.text("selector").is_empty() {
        return fail("a selector must be specified");
    }
    let (flag, field, amount) = match (args.text("min-available"), args.text("max-unavailable")) {
        ("", "") => return fail("one of min-available or max-unavailable must be specified"),
        (min, "") => ("min-available", "minAvailable", min),
        ("", max) => ("max-unavailable", "maxUnavailable", max),
        _ => return fail("min-available and max-unavailable cannot be both specified"),
    };
    let digits = amount.strip_suffix('%').unwrap_or(amount);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return fail(format!("invalid format specified for {flag}"));
    }
    let spec = json!({"selector": label_selector(args.text("selector"))?, field: port_value(amount)});
    let status =
        json!({"currentHealthy": 0, "desiredHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 0});
    let value = json!({"metadata": {"name": name}, "spec": spec, "status": status});
    make(cx, args, Kind::POD_DISRUPTION_BUDGET, value, "poddisruptionbudgets")
}

/// The selector of an object's spec that a text means (`metav1.ParseToLabelSelector`).
fn label_selector(text: &str) -> Result<Value> {
    let parsed = Selector::parse(text);
    let parsed = parsed.or_else(|e| fail(format!("couldn't parse the selector string \"{text}\": {e}")))?;
    let (mut labels, mut expressions) = (Map::new(), Vec::new());
    for requirement in parsed.requirements() {
        let operator = match requirement.operator {
            Operator::Equals | Operator::DoubleEquals => {
                let value = requirement.values.first().map(String::as_str).unwrap_or_default();
                labels.insert(requirement.key.clone(), value.into());
                continue;
            }
            Operator::In => "In",
            Operator::NotIn => "NotIn",
            Operator::Exists => "Exists",
            Operator::DoesNotExist => "DoesNotExist",
            Operator::GreaterThan => return fail("\"gt\" isn't supported in label selectors"),
            Operator::LessThan => return fail("\"lt\" isn't supported in label selectors"),
            Operator::NotEquals => return fail("\"!=\" is not a valid label selector operator"),
        };
        let mut expression = json!({"key": requirement.key, "operator": operator});
        if !requirement.values.is_empty() {
            expression["values"] = json!(requirement.values);
        }
        expressions.push(expression);
    }
    let mut selector = json!({});
    if !labels.is_empty() {
        selector["matchLabels"] = labels.into();
    }
    if !expressions.is_empty() {
        selector["matchExpressions"] = expressions.into();
    }
    Ok(selector)
}

fn priority_class(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let mut value = json!({
        "metadata": {"name": name(args)?},
        "value": args.int("value").unwrap_or(0),
        "preemptionPolicy": args.text("preemption-policy"),
    });
    if args.on("global-default") {
        value["globalDefault"] = true.into();
    }
    if !args.text("description").is_empty() {
        value["description"] = args.text("description").into();
    }
    make(cx, args, Kind::PRIORITY_CLASS, value, "priorityclass")
}

fn quota(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let mut spec = Map::new();
    let (hard, scopes) = (args.text("hard"), args.text("scopes"));
    if !hard.is_empty() {
        let mut amounts = Map::new();
        for statement in hard.split(',') {
            let [name, amount] = statement.split('=').collect::<Vec<_>>()[..] else {
                return fail(format!("Invalid argument syntax {statement}, expected <resource>=<value>"));
            };
            match Amount::parse(amount) {
                Ok(amount) => amounts.insert(name.to_owned(), amount.canonical().into()),
                Err(e) => return fail(e.to_string()),
            };
        }
        spec.insert("hard".into(), amounts.into());
    }
    if !scopes.is_empty() {
        let list: Vec<&str> = scopes.split(',').collect();
        if list.contains(&"") {
            return fail("invalid resource quota scope \"\"");
        }
        spec.insert("scopes".into(), list.into());
    }
    let value = json!({"metadata": {"name": name(args)?}, "spec": spec, "status": {}});
    make(cx, args, Kind::RESOURCE_QUOTA, value, "quota")
}
