//! `autoscaling/v1`: HorizontalPodAutoscalers with one metric, the use of CPU
//! (`pkg/apis/autoscaling/v1/conversion.go`, `pkg/apis/autoscaling/annotations.go`).
//!
//! Annotations hold what this version has no fields for, and only in this version: they are made when an object is
//! converted into it and go when it is converted back.

use serde_json::{Map, Value};

use super::metrics;
use crate::api::Object;
use crate::api::go_types::{self, GoStruct};
use crate::apiserver::kinds::version::Version;
use crate::apiserver::validation::Errors;

/// The metrics other than the use of CPU, a list of MetricSpec.
const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
/// `spec.behavior`, with the names that its fields have in Go.
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";
/// The status of all metrics, a list of MetricStatus.
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
/// `status.conditions`.
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
/// The use of CPU that is aimed at where nothing is said, in percent.
const DEFAULT_CPU_UTILIZATION: i64 = 80;

/// The version `autoscaling/v1`.
pub(in crate::apiserver::kinds) struct HorizontalPodAutoscalerV1;

impl Version for HorizontalPodAutoscalerV1 {
    const SELECTABLE_FIELDS: Option<&'static [(&'static str, &'static str)]> = None;

    fn to_stored(value: &mut Value) {
        let Value::Object(fields) = value else { return };
        let mut metadata = take(fields, "metadata");
        let mut annotations = take(&mut metadata, "annotations");
        let metrics = read(annotations.remove(METRICS));
        let statuses = read(annotations.remove(CURRENT_METRICS));
        let behavior = read(annotations.remove(BEHAVIOR));
        let conditions = read(annotations.remove(CONDITIONS));
        put(&mut metadata, "annotations", annotations);
        put(fields, "metadata", metadata);

        let mut spec = take(fields, "spec");
        let mut metrics: Vec<Value> = list(metrics).into_iter().map(metrics::spec_to_stored).collect();
        metrics.extend(spec.remove("targetCPUUtilizationPercentage").map(metrics::cpu_spec));
        if metrics.is_empty() {
            metrics.push(metrics::cpu_spec(DEFAULT_CPU_UTILIZATION.into()));
        }
        spec.insert("metrics".into(), metrics.into());
        if let Some(behavior) = behavior {
            spec.insert("behavior".into(), with_json_names(behavior));
        }
        put(fields, "spec", spec);

        let mut status = take(fields, "status");
        let cpu = status.remove("currentCPUUtilizationPercentage").map(|n| vec![metrics::cpu_status(n)]);
        let statuses = statuses
            .map(|all| list(Some(all)).into_iter().map(metrics::status_to_stored).collect::<Vec<_>>());
        if let Some(statuses) = statuses.or(cpu) {
            status.insert("currentMetrics".into(), statuses.into());
        }
        if let Some(conditions) = conditions {
            status.insert("conditions".into(), conditions);
        }
        put(fields, "status", status);
    }

    fn from_stored(value: &mut Value) {
        let Value::Object(fields) = value else { return };
        let mut spec = take(fields, "spec");
        let metrics = list(spec.remove("metrics"));
        let behavior = spec.remove("behavior").filter(|b| !b.is_null());
        let target = |m: &Value| metrics::of_cpu(m)?.pointer("/target/averageUtilization").cloned();
        // Of several metrics of CPU the first one counts.
        if let Some(cpu) = metrics.iter().find(|m| metrics::of_cpu(m).is_some()).and_then(target) {
            spec.insert("targetCPUUtilizationPercentage".into(), cpu);
        }
        let others = metrics.into_iter().filter(|m| target(m).is_none());
        let others: Vec<Value> = others.map(metrics::spec_from_stored).collect();
        put(fields, "spec", spec);

        let mut status = take(fields, "status");
        let statuses = list(status.remove("currentMetrics"));
        let conditions = list(status.remove("conditions"));
        let current = |m: &Value| metrics::of_cpu(m)?.pointer("/current/averageUtilization").cloned();
        if let Some(cpu) = statuses.iter().filter_map(current).next_back() {
            status.insert("currentCPUUtilizationPercentage".into(), cpu);
        }
        let statuses: Vec<Value> = statuses.into_iter().map(metrics::status_from_stored).collect();
        put(fields, "status", status);

        let mut metadata = take(fields, "metadata");
        let mut annotations = take(&mut metadata, "annotations");
        for (name, text) in [
            (METRICS, write(go_types::metric_spec(), others)),
            (CURRENT_METRICS, write(go_types::metric_status(), statuses)),
            (CONDITIONS, write(go_types::autoscaler_condition(), conditions)),
            (BEHAVIOR, behavior.map(|b| internal_behavior(&b))),
        ] {
            annotations.remove(name);
            annotations.extend(text.map(|text| (name.to_owned(), text.into())));
        }
        put(&mut metadata, "annotations", annotations);
        put(fields, "metadata", metadata);
    }

    fn validate(_new: &Object, _old: Option<&Object>, _errs: &mut Errors) {}
}

/// Takes an object out of a field; an empty one if there is none.
fn take(fields: &mut Map<String, Value>, name: &str) -> Map<String, Value> {
    match fields.remove(name) {
        Some(Value::Object(inner)) => inner,
        _ => Map::new(),
    }
}

/// Puts an object into a field; an empty one is left out.
fn put(fields: &mut Map<String, Value>, name: &str, inner: Map<String, Value>) {
    if !inner.is_empty() {
        fields.insert(name.to_owned(), inner.into());
    }
}

fn list(value: Option<Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

/// The JSON of an annotation. What cannot be read counts as not there.
fn read(annotation: Option<Value>) -> Option<Value> {
    let value: Value = serde_json::from_str(annotation?.as_str()?).ok()?;
    (!value.is_null()).then_some(value)
}

/// The text of an annotation: the items as Go writes the struct; `None` without items.
fn write(of: &'static GoStruct, items: Vec<Value>) -> Option<String> {
    if items.is_empty() {
        return None;
    }
    let text = |mut item: Value| {
        go_types::write_unset(of, &mut item);
        go_types::to_json(of, &item, None)
    };
    Some(format!("[{}]", items.into_iter().map(text).collect::<Vec<_>>().join(",")))
}

/// `spec.behavior` as Go writes the internal struct, which has no names for JSON.
fn internal_behavior(behavior: &Value) -> String {
    let member = |of: &Value, name: &str| of.get(name).cloned().unwrap_or_default().to_string();
    let policy = |p: &Value| {
        format!(
            "{{\"Type\":{},\"Value\":{},\"PeriodSeconds\":{}}}",
            member(p, "type"),
            member(p, "value"),
            member(p, "periodSeconds")
        )
    };
    let rules = |name: &str| match behavior.get(name).filter(|r| !r.is_null()) {
        None => "null".to_owned(),
        Some(rules) => {
            let policies = match rules.get("policies").and_then(Value::as_array) {
                None => "null".to_owned(),
                Some(all) => format!("[{}]", all.iter().map(policy).collect::<Vec<_>>().join(",")),
            };
            format!(
                "{{\"StabilizationWindowSeconds\":{},\"SelectPolicy\":{},\"Policies\":{policies},\"Tolerance\":{}}}",
                member(rules, "stabilizationWindowSeconds"),
                member(rules, "selectPolicy"),
                member(rules, "tolerance")
            )
        }
    };
    format!("{{\"ScaleUp\":{},\"ScaleDown\":{}}}", rules("scaleUp"), rules("scaleDown"))
}

/// The fields of `spec.behavior`.
const BEHAVIOR_FIELDS: &[&str] = &[
    "scaleUp",
    "scaleDown",
    "stabilizationWindowSeconds",
    "selectPolicy",
    "policies",
    "tolerance",
    "type",
    "value",
    "periodSeconds",
];

/// Gives the fields of an internal struct the names that they have in JSON, as Go reads them: in capitals or not.
fn with_json_names(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let known = |name: String| {
                let same = BEHAVIOR_FIELDS.iter().find(|f| f.eq_ignore_ascii_case(&name));
                same.map_or(name, |f| (*f).to_owned())
            };
            let fields = fields.into_iter().filter(|(_, field)| !field.is_null());
            fields.map(|(name, field)| (known(name), with_json_names(field))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.into_iter().map(with_json_names).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    /// After `TestConvertInternalToV1` and what a cluster answers.
    #[test]
    fn what_this_version_has_no_fields_for_goes_into_annotations_and_back() {
        let stored = json!({
            "metadata": {"name": "h", "annotations": {"a": "b"}},
            "spec": {
                "scaleTargetRef": {"kind": "Deployment", "name": "w", "apiVersion": "apps/v1"},
                "maxReplicas": 3,
                "metrics": [
                    {"type": "Pods", "pods": {"metric": {"name": "rps"}, "target": {"type": "AverageValue", "averageValue": "1k"}}},
                    {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}}}
                ],
                "behavior": {"scaleDown": {"policies": [{"type": "Pods", "value": 4, "periodSeconds": 15}], "selectPolicy": "Max"}}
            },
            "status": {"currentReplicas": 1, "desiredReplicas": 2, "currentMetrics": [
                {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 50, "averageValue": "10m"}}}
            ]}
        });
        let mut value = stored.clone();
        HorizontalPodAutoscalerV1::from_stored(&mut value);
        assert_eq!(
            value,
            json!({
                "metadata": {"name": "h", "annotations": {
                    "a": "b",
                    METRICS: r#"[{"type":"Pods","pods":{"metricName":"rps","targetAverageValue":"1k"}}]"#,
                    BEHAVIOR: r#"{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":null}}"#,
                    CURRENT_METRICS: r#"[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":50,"currentAverageValue":"10m"}}]"#,
                }},
                "spec": {
                    "scaleTargetRef": {"kind": "Deployment", "name": "w", "apiVersion": "apps/v1"},
                    "maxReplicas": 3, "targetCPUUtilizationPercentage": 70
                },
                "status": {"currentReplicas": 1, "desiredReplicas": 2, "currentCPUUtilizationPercentage": 50}
            })
        );
        HorizontalPodAutoscalerV1::to_stored(&mut value);
        assert_eq!(value, stored);
    }

    #[test]
    fn without_any_metric_cpu_is_aimed_at() {
        let mut value = json!({"spec": {"maxReplicas": 2}});
        HorizontalPodAutoscalerV1::to_stored(&mut value);
        assert_eq!(value["spec"]["metrics"], json!([metrics::cpu_spec(80.into())]));
    }
}
