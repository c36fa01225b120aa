//! `kubectl expose`

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::create::post;
use super::flags::{Args, Flag, boolean, text};
use super::generate::{label_map, port_value};
use super::invocation::{Invocation, Result, fail};
use super::kinds::{Settable, known};
use super::output::{self, DryRun};
use super::resource::{self, Rules};
use super::{apply, command, overrides};
use crate::api::quote::go_quote;
use crate::api::{Key, Kind, Object};
use crate::apimachinery::FieldValidation;

pub(super) const EXPOSE_FLAGS: &[Flag] = &[
    text("port"),
    text("target-port"),
    text("name"),
    text("type"),
    text("protocol"),
    text("cluster-ip"),
    text("external-ip"),
    text("load-balancer-ip"),
    text("labels").short('l'),
    text("selector"),
    text("session-affinity"),
    boolean("save-config"),
];
/// A default name has at most so many characters (`validation.DNS1035LabelMaxLength`).
const NAME_LIMIT: usize = 63;

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let rules = Rules { required: true, ..Rules::default() };
    // `--selector` is the new Service's and chooses no objects.
    let (objects, errors) = resource::objects(cx, &args.without("selector"), &args.words, rules)?;
    let objects = objects.into_iter().map(|(o, _)| o).collect();
    command::each(cx, objects, errors, &mut |cx, object| one(cx, args, object))
}

fn one(cx: &mut Invocation<'_>, args: &Args, object: &Object) -> Result {
    let kind = object.kind();
    let Some(selects) = known(kind).expose else {
        return fail(format!("cannot expose a {}", kind.group_kind()));
    };
    let selector = match args.text("selector") {
        "" => match selects(object) {
            Ok(labels) => labels,
            Err(why) => {
                return fail(format!(
                    "couldn't retrieve selectors via --selector flag or introspection: {why}"
                ));
            }
        },
        text => labels(text)?,
    };
    let name = match args.text("name") {
        "" => object.name().chars().take(NAME_LIMIT).collect::<String>(),
        name => name.to_owned(),
    };
    let mut value = json!({
        "apiVersion": Kind::SERVICE.api_version(), "kind": Kind::SERVICE.as_str(),
        "metadata": {"name": name}, "spec": {"selector": selector}, "status": {"loadBalancer": {}},
    });
    match args.text("labels") {
        "" => {
            if let Some(labels) = object.meta().labels.as_ref().filter(|l| !l.is_empty()) {
                value["metadata"]["labels"] = json!(labels);
            }
        }
        text => value["metadata"]["labels"] = labels(text)?,
    }
    let ports = ports(args, object)?;
    if !ports.is_empty() {
        value["spec"]["ports"] = ports.into();
    }
    for (flag, field) in [("type", "type"), ("cluster-ip", "clusterIP")] {
        if !args.text(flag).is_empty() {
            value["spec"][field] = args.text(flag).into();
        }
    }
    if !args.text("external-ip").is_empty() {
        value["spec"]["externalIPs"] = json!([args.text("external-ip")]);
    }
    if args.text("type") == "LoadBalancer" && !args.text("load-balancer-ip").is_empty() {
        value["spec"]["loadBalancerIP"] = args.text("load-balancer-ip").into();
    }
    match args.text("session-affinity") {
        "" => {}
        affinity @ ("None" | "ClientIP") => value["spec"]["sessionAffinity"] = affinity.into(),
        other => return fail(format!("unknown session affinity: {other}")),
    }
    let mut value = overrides::apply(args, Kind::SERVICE, value)?;
    let dry_run = DryRun::of(cx, args)?;
    if cx.explicit_namespace && dry_run == DryRun::Client {
        value["metadata"]["namespace"] = cx.namespace.as_str().into();
    }
    if args.on("save-config") && dry_run != DryRun::Client {
        value = apply::annotated(&value);
    }
    let key = Key::new(&cx.namespace, &name);
    let made = post(cx, Kind::SERVICE, &key, value, dry_run, FieldValidation::Warn)?;
    output::report(cx, args, &made, "exposed", dry_run)
}

/// `a=b,c=d`
fn labels(text: &str) -> Result<Value> {
    match label_map(text) {
        Some(labels) if labels.contains_key("") => fail("unexpected empty label key"),
        Some(labels) => Ok(Value::Object(labels)),
        None => {
            let wrong = text.split(',').find(|p| !p.contains('=')).unwrap_or(text);
            fail(format!("unexpected label spec: {wrong}"))
        }
    }
}

/// The ports of the Service: those of `--port`, or the object's own.
fn ports(args: &Args, object: &Object) -> Result<Vec<Value>> {
    let own = own_ports(object);
    let numbers: Vec<String> = match args.text("port") {
        "" => {
            let mut numbers: Vec<String> = Vec::new();
            for (port, _) in &own {
                if !numbers.contains(port) {
                    numbers.push(port.clone());
                }
            }
            if numbers.is_empty() && args.text("cluster-ip") != "None" {
                return fail("couldn't find port via --port flag or introspection");
            }
            numbers
        }
        text => text.split(',').map(str::to_owned).collect(),
    };
    let mut protocols: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (port, protocol) in &own {
        protocols.entry(port).or_default().push(protocol);
    }
    let many = numbers.len() > 1;
    let mut out = Vec::new();
    for (i, port) in numbers.iter().enumerate() {
        let Ok(number) = port.parse::<i64>() else {
            return fail(format!("strconv.Atoi: parsing {port}: invalid syntax", port = go_quote(port)));
        };
        let target = match args.text("target-port") {
            "" => Value::from(number),
            target => port_value(target),
        };
        let of_object = protocols.get(port.as_str()).map(Vec::as_slice).unwrap_or_default();
        let chosen = match (args.text("protocol"), of_object) {
            ("", []) => &["TCP"],
            ("", of_object) => of_object,
            (given, _) => &[given][..],
        };
        for protocol in chosen {
            let mut one = json!({"port": number, "protocol": protocol, "targetPort": target});
            if chosen.len() > 1 {
                one["name"] = format!("port-{}-{}", i + 1, protocol.to_lowercase()).into();
            } else if many {
                one["name"] = format!("port-{}", i + 1).into();
            }
            out.push(one);
        }
    }
    Ok(out)
}

/// Ports of a Service or of the containers of a pod spec, each with its protocol.
fn own_ports(object: &Object) -> Vec<(String, String)> {
    let value = object.to_value();
    let list =
        |at: &Value, path: &str| at.pointer(path).and_then(Value::as_array).cloned().unwrap_or_default();
    let (all, field) = match known(object.kind()).set {
        Settable::PodSpec(path) => {
            let containers = list(&value, &format!("{path}/containers"));
            (containers.iter().flat_map(|c| list(c, "/ports")).collect(), "containerPort")
        }
        Settable::Selector | Settable::Subjects | Settable::Nothing => (list(&value, "/spec/ports"), "port"),
    };
    let protocol = |p: &Value| p.get("protocol").and_then(Value::as_str).unwrap_or("TCP").to_owned();
    all.iter().filter_map(|p: &Value| Some((p.get(field)?.to_string(), protocol(p)))).collect()
}
