//! `kubectl autoscale`

use serde_json::{Value, json};

use super::call::{self, Accept};
use super::create::post;
use super::discovery;
use super::flags::{Args, Flag, boolean, int, text};
use super::invocation::{Invocation, Result, Stop, fail};
use super::output::{self, DryRun};
use super::resource::{self, Rules};
use crate::api::quantity::Amount;
use crate::api::{Key, Kind, Object};
use crate::apimachinery::FieldValidation;

pub(super) const FLAGS: &[Flag] = &[
    int("min").or("-1"),
    int("max").or("-1"),
    int("cpu-percent").or("-1"),
    text("cpu"),
    text("memory"),
    text("name"),
    boolean("save-config"),
];

pub(super) fn run(cx: &mut Invocation<'_>, args: &Args) -> Result {
    let dry_run = DryRun::of(cx, args)?;
    let number = |flag: &str| args.int(flag).unwrap_or_default();
    let (min, max, percent) = (number("min"), number("max"), number("cpu-percent"));
    if max < 1 {
        return fail(format!("--max=MAXPODS is required and must be at least 1, max: {max}"));
    }
    if max < min {
        return fail(format!(
            "--max=MAXPODS must be larger or equal to --min=MINPODS, max: {max}, min: {min}"
        ));
    }
    if percent > 0 && !args.text("cpu").is_empty() {
        return fail("--cpu-percent and --cpu are mutually exclusive");
    }
    let mut metrics = Vec::new();
    if percent > 0 {
        metrics.push(metric("cpu", json!({"type": "Utilization", "averageUtilization": percent})));
    }
    for (name, unit) in [("cpu", "m"), ("memory", "Mi")] {
        let given = args.text(name).trim();
        if !given.is_empty() {
            metrics.push(metric(name, target(name, unit, given)?));
        }
    }
    let rules = Rules { required: true, ..Rules::default() };
    let (objects, errors) = resource::objects(cx, args, &args.words, rules)?;
    if objects.is_empty() && errors.is_empty() {
        return fail("no objects passed to autoscale");
    }
    for (object, _) in objects {
        let kind = object.kind();
        let served = discovery::resources(cx)?;
        let scales = served.iter().any(|r| {
            (r.group.as_str(), r.name.as_str()) == (kind.group(), kind.plural())
                && r.parts.iter().any(|s| s == "scale")
        });
        if !scales {
            return fail(format!(
                "cannot autoscale a {}: could not find scale subresource for {} in discovery information",
                kind.as_str(),
                resource::resource_string(kind)
            ));
        }
        let name = match args.text("name") {
            "" => object.name().to_owned(),
            name => name.to_owned(),
        };
        let mut spec = json!({
            "scaleTargetRef": {
                "apiVersion": kind.api_version(), "kind": kind.as_str(), "name": object.name(),
            },
            "maxReplicas": max,
        });
        if min > 0 {
            spec["minReplicas"] = min.into();
        }
        if !metrics.is_empty() {
            spec["metrics"] = metrics.clone().into();
        }
        let scaler = Kind::HORIZONTAL_POD_AUTOSCALER;
        let mut value = json!({
            "apiVersion": scaler.api_version(), "kind": scaler.as_str(), "metadata": {"name": name},
            "spec": spec, "status": {"currentMetrics": null, "desiredReplicas": 0},
        });
        if cx.explicit_namespace {
            value["metadata"]["namespace"] = cx.namespace.as_str().into();
        }
        let key = Key::new(&cx.namespace.clone(), &name);
        let made = match post(cx, scaler, &key, value, dry_run, FieldValidation::Ignore) {
            Err(Stop::Error(_)) => older(cx, args, &name, &object, dry_run)?,
            made => made?,
        };
        let operation = if dry_run == DryRun::Client { "created" } else { "autoscaled" };
        output::report(cx, args, &made, operation, dry_run)?;
    }
    super::command::finish(errors)
}

/// The autoscaler as `autoscaling/v1` has it, which kubectl tries when `autoscaling/v2` is refused.
fn older(
    cx: &mut Invocation<'_>,
    args: &Args,
    name: &str,
    object: &Object,
    dry_run: DryRun,
) -> Result<Value> {
    let incompatible =
        "failed to create autoscaling/v2 HPA and the configuration is incompatible with autoscaling/v1";
    let percent = args.int("cpu-percent").unwrap_or_default();
    let given = args.text("cpu").trim();
    if given.is_empty() {
        return fail(format!("{incompatible}: empty input"));
    }
    let target = target("cpu", "m", given)?;
    let utilization = target.get("averageUtilization").and_then(Value::as_i64);
    if !args.text("memory").is_empty() || (percent < 0 && utilization.is_none()) {
        return fail(format!("{incompatible}: %!w(<nil>)"));
    }
    let kind = object.kind();
    let mut spec = json!({
        "scaleTargetRef": {"apiVersion": kind.api_version(), "kind": kind.as_str(), "name": object.name()},
        "maxReplicas": args.int("max"),
    });
    if let Some(min) = args.int("min").filter(|n| *n > 0) {
        spec["minReplicas"] = min.into();
    }
    if let Some(percent) = Some(percent).filter(|p| *p >= 0).or(utilization) {
        spec["targetCPUUtilizationPercentage"] = percent.into();
    }
    let value = json!({
        "apiVersion": "autoscaling/v1", "kind": Kind::HORIZONTAL_POD_AUTOSCALER.as_str(),
        "metadata": {"name": name}, "spec": spec,
    });
    let dry = if dry_run == DryRun::Server { "&dryRun=All" } else { "" };
    let path = format!(
        "/apis/autoscaling/v1/namespaces/{}/{}?fieldManager=kubectl-autoscale{dry}",
        cx.namespace,
        Kind::HORIZONTAL_POD_AUTOSCALER.plural()
    );
    let request = call::raw("POST", &path, Accept::Objects, value.to_string().into_bytes());
    Ok(cx.exchange(&request)?.value().clone())
}

fn metric(name: &str, target: Value) -> Value {
    json!({"type": "Resource", "resource": {"name": name, "target": target}})
}

/// `70%` is a share of what is requested, everything else an amount.
fn target(name: &str, unit: &str, given: &str) -> Result<Value> {
    if let Some(percent) = given.strip_suffix('%') {
        let Some(n) = percent.parse::<i32>().ok().filter(|n| *n >= 0) else {
            return fail(format!("invalid percentage value: {percent}"));
        };
        return Ok(json!({"type": "Utilization", "averageUtilization": n}));
    }
    let text = match given.parse::<f64>() {
        Ok(n) => format!("{n}{unit}"),
        Err(_) => given.to_owned(),
    };
    match Amount::parse(&text) {
        Ok(amount) => Ok(json!({"type": "AverageValue", "averageValue": amount.canonical()})),
        Err(_) => fail(format!("invalid resource {name} value: {given}")),
    }
}
