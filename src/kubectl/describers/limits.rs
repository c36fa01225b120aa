//! HorizontalPodAutoscalers, LimitRanges and ResourceQuotas.

use std::collections::BTreeSet;

use super::super::invocation::{Invocation, Result};
use super::{Writer, annotations, moment};
use crate::api::cells::{current_metric, quantity};
use crate::api::quantity::{Amount, amount_of};
use crate::api::quote::go_quote;
use crate::api::types::{HorizontalPodAutoscaler, LimitRange, Quantity, ResourceQuota, autoscaling as hpa};
use crate::api::{Kind, Object, order};

const LIMITS_HEAD: &str = "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio";
const LIMITS_RULE: &str = "----\t--------\t---\t---\t---------------\t-------------\t-----------------------";

fn head(w: &mut Writer, object: &Object) {
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("Namespace:\t{}", object.namespace()));
}

pub(in super::super) fn limit_range(_: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(range) = object.get::<LimitRange>() else { return Ok(false) };
    head(w, object);
    w.raw(LIMITS_HEAD);
    w.raw(LIMITS_RULE);
    limits(w, range, "");
    Ok(false)
}

fn limits(w: &mut Writer, range: &LimitRange, prefix: &str) {
    for item in range.spec.iter().flat_map(|s| &s.limits) {
        let lists =
            [&item.min, &item.max, &item.default_request, &item.default, &item.max_limit_request_ratio];
        let names: BTreeSet<&String> =
            lists.iter().flat_map(|l| l.iter().flatten().map(|(k, _)| k)).collect();
        for name in names {
            let cells: Vec<String> = lists
                .iter()
                .map(|l| match l.as_ref().and_then(|l| l.get(name)) {
                    Some(q) => quantity(Some(q)),
                    None => "-".into(),
                })
                .collect();
            w.raw(&format!("{prefix}{}\t{name}\t{}", item.type_, cells.join("\t")));
        }
    }
}

pub(in super::super) fn quota(_: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(q) = object.get::<ResourceQuota>() else { return Ok(false) };
    head(w, object);
    scopes(w, 0, q, " * ");
    w.raw("Resource\tUsed\tHard\n--------\t----\t----");
    used(w, 0, q, |used, hard| {
        // What is used is written as the limit is: in bytes, or in powers of the same number.
        if used.format() == hard.format() { used } else { Amount::from_value(used.value(), hard.format()) }
    });
    Ok(false)
}

fn scopes(w: &mut Writer, level: usize, q: &ResourceQuota, bullet: &str) {
    let mut scopes = q.spec.as_ref().and_then(|s| s.scopes.clone()).unwrap_or_default();
    if scopes.is_empty() {
        return;
    }
    order::sort(&mut scopes);
    w.line(level, &format!("Scopes:\t{}", scopes.join(", ")));
    for scope in scopes {
        let help = match scope.as_str() {
            "Terminating" => {
                "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system."
            }
            "NotTerminating" => {
                "Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate."
            }
            "BestEffort" => {
                "Matches all pods that do not have resource requirements set. These pods have a best effort quality of service."
            }
            "NotBestEffort" => {
                "Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service."
            }
            _ => continue,
        };
        w.line(level, &format!("{bullet}{help}"));
    }
}

fn used(w: &mut Writer, level: usize, q: &ResourceQuota, shown: impl Fn(Amount, Amount) -> Amount) {
    let status = q.status.clone().unwrap_or_default();
    for (name, hard) in status.hard.iter().flatten() {
        let used: Option<&Quantity> = status.used.as_ref().and_then(|u| u.get(name));
        let used = shown(amount_of(used), amount_of(Some(hard)));
        w.line(level, &format!("{name}\t{}\t{}", used.canonical(), quantity(Some(hard))));
    }
}

/// The quotas and limits of a namespace, as its own description ends with them.
pub(super) fn of_namespace(cx: &mut Invocation<'_>, w: &mut Writer, namespace: &str) -> Result<()> {
    w.raw("");
    let quotas = cx.list(Kind::RESOURCE_QUOTA, namespace, "")?;
    if quotas.is_empty() {
        w.raw("No resource quota.");
    } else {
        w.raw("Resource Quotas");
        for q in quotas.iter().filter_map(|o| o.get::<ResourceQuota>()) {
            w.line(1, &format!("Name:\t{}", q.metadata.name.as_deref().unwrap_or_default()));
            scopes(w, 1, q, "* ");
            w.line(1, "Resource\tUsed\tHard");
            w.line(1, "--------\t---\t---");
            used(w, 1, q, |used, _| used);
        }
    }
    w.raw("");
    let ranges = cx.list(Kind::LIMIT_RANGE, namespace, "")?;
    if ranges.is_empty() {
        w.raw("No LimitRange resource.");
    } else {
        w.raw(&format!("Resource Limits\n {LIMITS_HEAD}\n {LIMITS_RULE}"));
        for range in ranges.iter().filter_map(|o| o.get::<LimitRange>()) {
            limits(w, range, " ");
        }
    }
    Ok(())
}

pub(in super::super) fn autoscaler(cx: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    // Whatever version was named, autoscaling/v2 is described.
    let object = &match object.get::<HorizontalPodAutoscaler>() {
        Some(_) => object.clone(),
        None => cx.get(Kind::HORIZONTAL_POD_AUTOSCALER, object.namespace(), object.name())?,
    };
    let Some(h) = object.get::<HorizontalPodAutoscaler>() else { return Ok(true) };
    let status = h.status.clone().unwrap_or_default();
    head(w, object);
    w.map(0, "Labels", h.metadata.labels.as_ref());
    annotations(w, 0, h.metadata.annotations.as_ref());
    w.line(0, &format!("CreationTimestamp:\t{}", moment(h.metadata.creation_timestamp.as_ref())));
    let target = &h.spec.scale_target_ref;
    w.line(0, &format!("Reference:\t{}/{}", target.kind, target.name));
    w.line(0, "Metrics:\t( current / target )");
    let now = status.current_metrics.as_deref().unwrap_or_default();
    for (i, m) in h.spec.metrics.iter().flatten().enumerate() {
        let text =
            metric(m, now.get(i)).unwrap_or_else(|| format!("<unknown metric type {}>", go_quote(&m.type_)));
        w.line(1, &text);
    }
    let min = h.spec.min_replicas.map_or_else(|| "<unset>".into(), |n| n.to_string());
    w.line(0, &format!("Min replicas:\t{min}"));
    w.line(0, &format!("Max replicas:\t{}", h.spec.max_replicas));
    if let Some(behavior) = &h.spec.behavior {
        w.line(0, "Behavior:");
        direction(w, "Scale Up", behavior.scale_up.as_ref());
        direction(w, "Scale Down", behavior.scale_down.as_ref());
    }
    let (have, want) = (status.current_replicas.unwrap_or(0), status.desired_replicas);
    w.line(0, &format!("{} pods:\t{have} current / {want} desired", target.kind));
    if let Some(conditions) = status.conditions.as_ref().filter(|c| !c.is_empty()) {
        w.line(0, "Conditions:");
        w.line(1, "Type\tStatus\tReason\tMessage");
        w.line(1, "----\t------\t------\t-------");
        for c in conditions {
            let text = |t: &Option<String>| t.clone().unwrap_or_default();
            w.line(1, &format!("{}\t{}\t{}\t{}", c.type_, c.status, text(&c.reason), text(&c.message)));
        }
    }
    Ok(true)
}

fn metric(m: &hpa::MetricSpec, status: Option<&hpa::MetricStatus>) -> Option<String> {
    let now = current_metric(m, status);
    let show = |q: &Option<Quantity>| quantity(q.as_ref());
    let outside = |average: &Option<Quantity>, value: &Option<Quantity>, by_average: bool| match by_average {
        true => format!("(target average value):\t{} / {}", show(&now.average), show(average)),
        false => format!("(target value):\t{} / {}", show(&now.value), show(value)),
    };
    let resource = |head: String, t: &hpa::MetricTarget| match &t.average_value {
        Some(average) => format!("{head}:\t{} / {}", show(&now.average), quantity(Some(average))),
        None => {
            let have = now
                .utilization
                .map_or_else(|| "<unknown>".to_owned(), |n| format!("{n}% ({})", show(&now.average)));
            let want = t.average_utilization.map_or_else(|| "<auto>".to_owned(), |n| format!("{n}%"));
            format!("{head}  (as a percentage of request):\t{have} / {want}")
        }
    };
    Some(match m.type_.as_str() {
        "External" => {
            let s = m.external.as_ref()?;
            let t = &s.target;
            format!(
                "{} {}",
                go_quote(&s.metric.name),
                outside(&t.average_value, &t.value, t.average_value.is_some())
            )
        }
        "Pods" => {
            let s = m.pods.as_ref()?;
            let (have, want) = (show(&now.average), show(&s.target.average_value));
            format!("{} on pods:\t{have} / {want}", go_quote(&s.metric.name))
        }
        "Object" => {
            let s = m.object.as_ref()?;
            let (t, on) = (&s.target, &s.described_object);
            let values = outside(&t.average_value, &t.value, t.type_ == "AverageValue");
            format!("\"{}\" on {}/{} {values}", s.metric.name, on.kind, on.name)
        }
        "Resource" => {
            let s = m.resource.as_ref()?;
            resource(format!("resource {} on pods", s.name), &s.target)
        }
        "ContainerResource" => {
            let s = m.container_resource.as_ref()?;
            resource(format!("resource {} of container \"{}\" on pods", s.name, s.container), &s.target)
        }
        _ => return None,
    })
}

fn direction(w: &mut Writer, name: &str, rules: Option<&hpa::HPAScalingRules>) {
    let Some(rules) = rules else { return };
    w.line(1, &format!("{name}:"));
    if let Some(seconds) = rules.stabilization_window_seconds {
        w.line(2, &format!("Stabilization Window: {seconds} seconds"));
    }
    let policies = rules.policies.as_deref().unwrap_or_default();
    if policies.is_empty() {
        return;
    }
    w.line(2, &format!("Select Policy: {}", rules.select_policy.as_deref().unwrap_or("Max")));
    w.line(2, "Policies:");
    for p in policies {
        w.line(3, &format!("- Type: {}\tValue: {}\tPeriod: {} seconds", p.type_, p.value, p.period_seconds));
    }
}
