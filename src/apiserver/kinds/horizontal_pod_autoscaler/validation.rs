//! Validation of a HorizontalPodAutoscaler (`pkg/apis/autoscaling/validation/validation.go`).

use crate::api::quantity::amount_of;
use crate::api::types as t;
use crate::api::types::autoscaling as hpa;
use t::Quantity;

use crate::apiserver::validation::field::{BadValue, Errors, FieldError, Path};
use crate::apiserver::validation::meta::{
    NEGATIVE, invalid_each, non_negative, object_meta, object_meta_update,
};
use crate::apiserver::validation::names::{self, name_is_dns_subdomain};
use crate::apiserver::validation::{list, or_default, resources, text};

/// The longest stabilization window, in seconds.
const MAX_WINDOW: i32 = 3600;
/// The longest period of a scaling policy, in seconds.
const MAX_PERIOD: i32 = 1800;
const SOURCES: &[&str] = &["ContainerResource", "External", "Object", "Pods", "Resource"];
const POPULATE: &str = "must populate information for the given metric source";

pub(in crate::apiserver) fn create(errs: &mut Errors, scaler: &t::HorizontalPodAutoscaler) {
    object_meta(errs, &scaler.metadata, true, name_is_dns_subdomain);
    spec(errs, &scaler.spec, None);
}

pub(in crate::apiserver) fn update(
    errs: &mut Errors,
    new: &t::HorizontalPodAutoscaler,
    old: &t::HorizontalPodAutoscaler,
) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    spec(errs, &new.spec, Some(&old.spec));
}

pub(in crate::apiserver) fn status_update(
    errs: &mut Errors,
    new: &t::HorizontalPodAutoscaler,
    old: &t::HorizontalPodAutoscaler,
) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let path = Path::new("status");
    let none = Default::default();
    let status = or_default(&new.status, &none);
    non_negative(errs, status.current_replicas.unwrap_or_default(), &path.child("currentReplicas"));
    non_negative(errs, status.desired_replicas, &path.child("desiredReplicas"));
}

fn spec(
    errs: &mut Errors,
    spec: &t::HorizontalPodAutoscalerSpec,
    old: Option<&t::HorizontalPodAutoscalerSpec>,
) {
    let path = Path::new("spec");
    let lowest = i32::from(old.and_then(|o| o.min_replicas) != Some(0));
    if let Some(min) = spec.min_replicas.filter(|n| *n < lowest) {
        let why = format!("must be greater than or equal to {lowest}");
        errs.push(FieldError::invalid(&path.child("minReplicas"), min, why));
    }
    let at = path.child("maxReplicas");
    match spec.max_replicas {
        0 => errs.push(FieldError::required(&at, "must be set and greater than 0")),
        max if max < 0 => errs.push(FieldError::invalid(&at, max, "must be greater than or equal to 1")),
        _ => {}
    }
    if spec.min_replicas.is_some_and(|min| spec.max_replicas < min) {
        let why = "must be greater than or equal to `minReplicas`";
        errs.push(FieldError::invalid(&at, spec.max_replicas, why));
    }
    // The version of a reference is not checked again while the update leaves kind and version as they were.
    let target = &spec.scale_target_ref;
    let same = old.is_some_and(|o| {
        let before = &o.scale_target_ref;
        before.kind == target.kind && text(&before.api_version) == text(&target.api_version)
    });
    let grouped = target.kind != "ReplicationController";
    reference(errs, target, (!same).then_some(grouped), &path.child("scaleTargetRef"));
    let at = path.child("metrics");
    let metrics = list(&spec.metrics);
    // If one of the stored metrics has a version that is refused now, the versions of none are checked.
    let stored = old.map(|o| list(&o.metrics)).unwrap_or_default();
    let objects = stored.iter().filter(|m| m.type_ == "Object").filter_map(|m| m.object.as_ref());
    let invalid = objects.map(|o| version_error(&o.described_object, false)).any(|e| e.is_some());
    for (i, m) in metrics.iter().enumerate() {
        metric(errs, m, !invalid, &at.index(i));
    }
    let outside = |m: &hpa::MetricSpec| matches!(m.type_.as_str(), "Object" | "External");
    if spec.min_replicas == Some(0) && !metrics.iter().any(outside) {
        let why = "must specify at least one Object or External metric to support scaling to zero replicas";
        errs.push(FieldError::forbidden(&at, why));
    }
    if let Some(behavior) = &spec.behavior {
        let at = path.child("behavior");
        rules(errs, behavior.scale_up.as_ref(), &at.child("scaleUp"));
        rules(errs, behavior.scale_down.as_ref(), &at.child("scaleDown"));
    }
}

/// `version` is `None` if the version is not checked, and says else whether it must have a group.
fn reference(
    errs: &mut Errors,
    reference: &hpa::CrossVersionObjectReference,
    version: Option<bool>,
    path: &Path,
) {
    for (name, value) in [("kind", &reference.kind), ("name", &reference.name)] {
        let at = path.child(name);
        match value.as_str() {
            "" => errs.push(FieldError::required(&at, "")),
            value => invalid_each(errs, &at, value, names::path_segment_name(value)),
        }
    }
    if let Some(why) = version.and_then(|grouped| version_error(reference, grouped)) {
        errs.push(FieldError::invalid(&path.child("apiVersion"), text(&reference.api_version), why));
    }
}

/// What is wrong with the version of a reference, which must have a group if `grouped` (`ValidateAPIVersion`).
fn version_error(reference: &hpa::CrossVersionObjectReference, grouped: bool) -> Option<String> {
    let given = text(&reference.api_version);
    let no_group = match given.matches('/').count() {
        0 => true,
        1 => given.starts_with('/'),
        _ => return Some(format!("unexpected GroupVersion string: {given}")),
    };
    (no_group && grouped).then(|| "apiVersion must specify API group".to_owned())
}

fn metric(errs: &mut Errors, spec: &hpa::MetricSpec, versions: bool, path: &Path) {
    let at = path.child("type");
    let type_ = spec.type_.as_str();
    if type_.is_empty() {
        errs.push(FieldError::required(&at, "must specify a metric source type"));
    }
    if !SOURCES.contains(&type_) {
        errs.push(FieldError::not_supported(&at, type_, SOURCES));
    }
    let present: Vec<&'static str> = [
        ("object", spec.object.is_some()),
        ("external", spec.external.is_some()),
        ("pods", spec.pods.is_some()),
        ("resource", spec.resource.is_some()),
        ("containerResource", spec.container_resource.is_some()),
    ]
    .into_iter()
    .filter_map(|(name, is)| is.then_some(name))
    .collect();
    // If there are several sources, only the first one is validated.
    if let Some(first) = present.first() {
        source(errs, spec, first, versions, &path.child(first));
    }
    let expected = match type_ {
        "Object" => "object",
        "External" => "external",
        "Pods" => "pods",
        "Resource" => "resource",
        "ContainerResource" => "containerResource",
        _ => "",
    };
    if expected.is_empty() {
        errs.push(FieldError::not_supported(&at, type_, SOURCES));
    } else if !present.contains(&expected) {
        errs.push(FieldError::required(&path.child(expected), POPULATE));
    }
    if present.len() != 1 {
        let mut others: Vec<&'static str> = present.into_iter().filter(|p| *p != expected).collect();
        crate::api::order::sort(&mut others);
        for other in others {
            let why = "must populate the given metric source only";
            errs.push(FieldError::forbidden(&path.child(other), why));
        }
    }
}

fn source(errs: &mut Errors, spec: &hpa::MetricSpec, which: &str, versions: bool, path: &Path) {
    let at = path.child("target");
    let average = at.child("averageValue");
    match which {
        "object" => {
            let Some(s) = &spec.object else { return };
            reference(errs, &s.described_object, versions.then_some(false), &path.child("describedObject"));
            identifier(errs, &s.metric.name, &path.child("metric"));
            target(errs, &s.target, &at);
            if s.target.value.is_none() && s.target.average_value.is_none() {
                errs.push(FieldError::required(&average, "must set either a target value or averageValue"));
            }
        }
        "external" => {
            let Some(s) = &spec.external else { return };
            identifier(errs, &s.metric.name, &path.child("metric"));
            target(errs, &s.target, &at);
            match (&s.target.value, &s.target.average_value) {
                (None, None) => errs.push(FieldError::required(
                    &average,
                    "must set either a target value for metric or a per-pod target",
                )),
                (Some(_), Some(_)) => errs.push(FieldError::forbidden(
                    &at.child("value"),
                    "may not set both a target value for metric and a per-pod target",
                )),
                _ => {}
            }
        }
        "pods" => {
            let Some(s) = &spec.pods else { return };
            identifier(errs, &s.metric.name, &path.child("metric"));
            target(errs, &s.target, &at);
            if s.target.average_value.is_none() {
                errs.push(FieldError::required(&average, "must specify a positive target averageValue"));
            }
        }
        "resource" => {
            let Some(s) = &spec.resource else { return };
            if s.name.is_empty() {
                errs.push(FieldError::required(&path.child("name"), "must specify a resource name"));
            }
            target(errs, &s.target, &at);
            raw_or_utilization(errs, &s.target, &at);
        }
        _ => {
            let Some(s) = &spec.container_resource else { return };
            let name = path.child("name");
            match s.name.as_str() {
                "" => errs.push(FieldError::required(&name, "must specify a resource name")),
                resource => resources::container_resource_name(errs, resource, &name),
            }
            let container = path.child("container");
            match s.container.as_str() {
                "" => errs.push(FieldError::required(&container, "must specify a container")),
                c => invalid_each(errs, &container, c, names::dns1123_label(c)),
            }
            target(errs, &s.target, &at);
            raw_or_utilization(errs, &s.target, &at);
        }
    }
}

fn raw_or_utilization(errs: &mut Errors, target: &hpa::MetricTarget, path: &Path) {
    match (target.average_utilization, &target.average_value) {
        (None, None) => errs.push(FieldError::required(
            &path.child("averageUtilization"),
            "must set either a target raw value or a target utilization",
        )),
        (Some(_), Some(_)) => errs.push(FieldError::forbidden(
            &path.child("averageValue"),
            "may not set both a target raw value and a target utilization",
        )),
        _ => {}
    }
}

fn target(errs: &mut Errors, target: &hpa::MetricTarget, path: &Path) {
    let at = path.child("type");
    if target.type_.is_empty() {
        errs.push(FieldError::required(&at, "must specify a metric target type"));
    }
    if !matches!(target.type_.as_str(), "Utilization" | "Value" | "AverageValue") {
        let why = "must be either Utilization, Value, or AverageValue";
        errs.push(FieldError::invalid(&at, &target.type_, why));
    }
    for (name, value) in [("value", &target.value), ("averageValue", &target.average_value)] {
        if let Some(value) = value
            && amount_of(Some(value)).sign() != 1
        {
            errs.push(FieldError::invalid(&path.child(name), quantity(value), "must be positive"));
        }
    }
    if let Some(n) = target.average_utilization.filter(|n| *n < 1) {
        errs.push(FieldError::invalid(&path.child("averageUtilization"), n, "must be greater than 0"));
    }
}

fn quantity(value: &Quantity) -> BadValue {
    BadValue::Str(amount_of(Some(value)).canonical())
}

fn identifier(errs: &mut Errors, name: &str, path: &Path) {
    let at = path.child("name");
    match name {
        "" => errs.push(FieldError::required(&at, "must specify a metric name")),
        name => invalid_each(errs, &at, name, names::path_segment_name(name)),
    }
}

fn rules(errs: &mut Errors, rules: Option<&hpa::HPAScalingRules>, path: &Path) {
    let Some(rules) = rules else { return };
    if let Some(window) = rules.stabilization_window_seconds {
        let at = path.child("stabilizationWindowSeconds");
        if window < 0 {
            errs.push(FieldError::invalid(&at, window, "must be greater than or equal to zero"));
        }
        if window > MAX_WINDOW {
            let why = format!("must be less than or equal to {MAX_WINDOW}");
            errs.push(FieldError::invalid(&at, window, why));
        }
    }
    if let Some(select) = &rules.select_policy
        && !matches!(select.as_str(), "Disabled" | "Max" | "Min")
    {
        let at = path.child("selectPolicy");
        errs.push(FieldError::not_supported(&at, select, &["Disabled", "Max", "Min"]));
    }
    let at = path.child("policies");
    if list(&rules.policies).is_empty() {
        errs.push(FieldError::required(&at, "must specify at least one Policy"));
    }
    for (i, policy) in list(&rules.policies).iter().enumerate() {
        let at = at.index(i);
        if !matches!(policy.type_.as_str(), "Pods" | "Percent") {
            errs.push(FieldError::not_supported(&at.child("type"), &policy.type_, &["Percent", "Pods"]));
        }
        let period = at.child("periodSeconds");
        for (at, n) in [(&at.child("value"), policy.value), (&period, policy.period_seconds)] {
            if n <= 0 {
                errs.push(FieldError::invalid(at, n, "must be greater than zero"));
            }
        }
        if policy.period_seconds > MAX_PERIOD {
            let why = format!("must be less than or equal to {MAX_PERIOD}");
            errs.push(FieldError::invalid(&period, policy.period_seconds, why));
        }
    }
    if let Some(tolerance) = &rules.tolerance
        && amount_of(Some(tolerance)).sign() < 0
    {
        errs.push(FieldError::invalid(&path.child("tolerance"), quantity(tolerance), NEGATIVE));
    }
}
