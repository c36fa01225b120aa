//! Metrics in the forms of `autoscaling/v1`'s annotations and of the stored version
//! (`pkg/apis/autoscaling/v1/conversion.go`).

use serde_json::{Map, Value, json};

/// The metric's part about a resource, if the metric is the use of CPU.
pub(super) fn of_cpu(metric: &Value) -> Option<&Value> {
    let resource = metric.get("resource").filter(|r| !r.is_null())?;
    let is_cpu = resource.get("name").and_then(Value::as_str) == Some("cpu");
    (is_cpu && metric.get("type").and_then(Value::as_str) == Some("Resource")).then_some(resource)
}

/// A metric that aims at a use of CPU, in percent.
pub(super) fn cpu_spec(percent: Value) -> Value {
    let target = json!({"type": "Utilization", "averageUtilization": percent});
    json!({"type": "Resource", "resource": {"name": "cpu", "target": target}})
}

/// The status of a metric that aims at a use of CPU, in percent.
pub(super) fn cpu_status(percent: Value) -> Value {
    json!({"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": percent}}})
}

/// Whether a metric says what is aimed at, or what is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// MetricSpec
    Spec,
    /// MetricStatus
    Status,
}

impl Form {
    /// The field that has the amounts in the stored version, and the prefix of their names in `autoscaling/v1`.
    fn amounts(self) -> &'static str {
        match self {
            Form::Spec => "target",
            Form::Status => "current",
        }
    }

    /// The names of the amounts in `autoscaling/v1` and in the stored version, of a metric in the field `source`.
    fn names(self, source: &str) -> [(String, &'static str); 3] {
        let prefix = self.amounts();
        let average =
            if source == "object" { "averageValue".into() } else { format!("{prefix}AverageValue") };
        [
            (format!("{prefix}Value"), "value"),
            (average, "averageValue"),
            (format!("{prefix}AverageUtilization"), "averageUtilization"),
        ]
    }
}

/// The fields of a metric, one of which it has: by what it is measured.
const SOURCES: &[&str] = &["object", "pods", "resource", "containerResource", "external"];

/// A MetricSpec of `autoscaling/v1` as one of the stored version.
pub(super) fn spec_to_stored(metric: Value) -> Value {
    each_source(metric, |source, fields| to_stored(Form::Spec, source, fields))
}

/// A MetricSpec of the stored version as one of `autoscaling/v1`.
pub(super) fn spec_from_stored(metric: Value) -> Value {
    each_source(metric, |source, fields| from_stored(Form::Spec, source, fields))
}

/// A MetricStatus of `autoscaling/v1` as one of the stored version.
pub(super) fn status_to_stored(metric: Value) -> Value {
    each_source(metric, |source, fields| to_stored(Form::Status, source, fields))
}

/// A MetricStatus of the stored version as one of `autoscaling/v1`.
pub(super) fn status_from_stored(metric: Value) -> Value {
    each_source(metric, |source, fields| from_stored(Form::Status, source, fields))
}

fn each_source(mut metric: Value, convert: impl Fn(&str, Fields) -> Fields) -> Value {
    for source in SOURCES {
        if let Some(field) = metric.get_mut(*source)
            && let Value::Object(fields) = field.take()
        {
            *field = convert(source, fields).into();
        }
    }
    metric
}

type Fields = Map<String, Value>;

/// Moves a field, under another name, if it is set.
fn shift(from: &mut Fields, name: &str, to: &mut Fields, new_name: &str) {
    if let Some(value) = from.remove(name).filter(|v| !v.is_null()) {
        to.insert(new_name.to_owned(), value);
    }
}

fn to_stored(form: Form, source: &str, mut old: Fields) -> Fields {
    let (mut new, mut metric, mut amounts) = (Fields::new(), Fields::new(), Fields::new());
    for (here, stored) in form.names(source) {
        shift(&mut old, &here, &mut amounts, stored);
    }
    shift(&mut old, "metricName", &mut metric, "name");
    shift(
        &mut old,
        if source == "external" { "metricSelector" } else { "selector" },
        &mut metric,
        "selector",
    );
    shift(&mut old, "target", &mut new, "describedObject");
    if form == Form::Spec {
        let kind = match source {
            "resource" | "containerResource" if amounts.contains_key("averageUtilization") => "Utilization",
            "external" if amounts.contains_key("value") => "Value",
            "object" if !amounts.contains_key("averageValue") => "Value",
            _ => "AverageValue",
        };
        amounts.insert("type".into(), kind.into());
    }
    if !metric.is_empty() {
        new.insert("metric".into(), metric.into());
    }
    new.insert(form.amounts().into(), amounts.into());
    // `name` and `container` are the same in both.
    new.extend(old);
    new
}

fn from_stored(form: Form, source: &str, mut old: Fields) -> Fields {
    let mut new = Fields::new();
    if let Some(Value::Object(mut amounts)) = old.remove(form.amounts()) {
        for (here, stored) in form.names(source) {
            shift(&mut amounts, stored, &mut new, &here);
        }
    }
    if let Some(Value::Object(mut metric)) = old.remove("metric") {
        shift(&mut metric, "name", &mut new, "metricName");
        let selector = if source == "external" { "metricSelector" } else { "selector" };
        shift(&mut metric, "selector", &mut new, selector);
    }
    shift(&mut old, "describedObject", &mut new, "target");
    new.extend(old);
    new
}
