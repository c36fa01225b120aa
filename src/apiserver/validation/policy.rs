//! PodDisruptionBudgets, Leases and PriorityClasses.

use crate::api::MetaExt;
use crate::api::types as t;

use super::apps::{not_more_than_100_percent, positive_int_or_percent};
use super::field::{BadValue, Errors, FieldError, Path, go_json_string};
use super::meta::{
    IMMUTABLE, conditions, invalid_each, label_selector, non_negative, object_meta, object_meta_generic,
    object_meta_update, object_meta_update_generic,
};
use super::names::{self, name_is_dns_subdomain};
use super::{internal, list, or_default, scheduling, text};

/// The highest priority a person may define.
const HIGHEST_USER_PRIORITY: i32 = 1_000_000_000;

pub(in crate::apiserver) fn budget(errs: &mut Errors, budget: &t::PodDisruptionBudget) {
    let path = Path::new("spec");
    let none = Default::default();
    let spec = or_default(&budget.spec, &none);
    if spec.min_available.is_some() && spec.max_unavailable.is_some() {
        errs.push(FieldError::invalid(
            &path,
            quote_budget(spec),
            "minAvailable and maxUnavailable cannot be both set",
        ));
    }
    for (name, value) in [("minAvailable", &spec.min_available), ("maxUnavailable", &spec.max_unavailable)] {
        if let Some(value) = value {
            positive_int_or_percent(errs, value, &path.child(name));
            not_more_than_100_percent(errs, value, &path.child(name));
        }
    }
    label_selector(errs, spec.selector.as_ref(), &path.child("selector"));
    if let Some(policy) = &spec.unhealthy_pod_eviction_policy
        && !matches!(policy.as_str(), "AlwaysAllow" | "IfHealthyBudget")
    {
        errs.push(FieldError::not_supported(
            &path.child("unhealthyPodEvictionPolicy"),
            policy,
            &["AlwaysAllow", "IfHealthyBudget"],
        ));
    }
}

pub(in crate::apiserver) fn budget_update(
    errs: &mut Errors,
    new: &t::PodDisruptionBudget,
    _old: &t::PodDisruptionBudget,
) {
    budget(errs, new);
}

fn quote_budget(spec: &t::PodDisruptionBudgetSpec) -> BadValue {
    let number = |v: &Option<t::IntOrString>| match v {
        None => "null".to_owned(),
        Some(t::IntOrString::Int(i)) => i.to_string(),
        Some(t::IntOrString::String(s)) => go_json_string(s),
    };
    let policy = spec.unhealthy_pod_eviction_policy.as_ref().map(|p| go_json_string(p));
    BadValue::Json(format!(
        "{{\"MinAvailable\":{},\"Selector\":{},\"MaxUnavailable\":{},\"UnhealthyPodEvictionPolicy\":{}}}",
        number(&spec.min_available),
        internal::quote_selector(spec.selector.as_ref()),
        number(&spec.max_unavailable),
        policy.unwrap_or_else(|| "null".to_owned()),
    ))
}

pub(in crate::apiserver) fn budget_status_update(
    errs: &mut Errors,
    new: &t::PodDisruptionBudget,
    _old: &t::PodDisruptionBudget,
) {
    let path = Path::new("status");
    let none = Default::default();
    let status = or_default(&new.status, &none);
    conditions(errs, list(&status.conditions), &path.child("conditions"));
    for (name, count) in [
        ("disruptionsAllowed", status.disruptions_allowed),
        ("currentHealthy", status.current_healthy),
        ("desiredHealthy", status.desired_healthy),
        ("expectedPods", status.expected_pods),
    ] {
        non_negative(errs, count.unwrap_or_default(), &path.child(name));
    }
}

pub(in crate::apiserver) fn lease(errs: &mut Errors, lease: &t::Lease) {
    object_meta_generic(errs, &lease.metadata, true, name_is_dns_subdomain);
    lease_spec(errs, lease);
}

pub(in crate::apiserver) fn lease_update(errs: &mut Errors, new: &t::Lease, old: &t::Lease) {
    object_meta_update_generic(errs, &new.metadata, &old.metadata);
    lease_spec(errs, new);
}

fn lease_spec(errs: &mut Errors, lease: &t::Lease) {
    let Some(spec) = &lease.spec else { return };
    let path = Path::new("spec");
    if let Some(seconds) = spec.lease_duration_seconds.filter(|s| *s <= 0) {
        errs.push(FieldError::invalid(
            &path.child("leaseDurationSeconds"),
            seconds,
            "must be greater than 0",
        ));
    }
    if let Some(count) = spec.lease_transitions {
        non_negative(errs, count, &path.child("leaseTransitions"));
    }
    if let Some(strategy) = &spec.strategy {
        let at = path.child("strategy").child("strategy");
        if strategy.contains('/') {
            invalid_each(errs, &at, strategy, names::qualified_name(strategy));
        } else if strategy != "OldestEmulationVersion" {
            errs.push(FieldError::not_supported(&at, strategy, &["OldestEmulationVersion"]));
        }
    }
    if !text(&spec.preferred_holder).is_empty() && text(&spec.strategy).is_empty() {
        errs.push(FieldError::forbidden(
            &path.child("preferredHolder"),
            "may only be specified if `strategy` is defined",
        ));
    }
}

pub(in crate::apiserver) fn priority_class(errs: &mut Errors, class: &t::PriorityClass) {
    object_meta(errs, &class.metadata, false, name_is_dns_subdomain);
    let name = MetaExt::name(&class.metadata);
    let value = class.value.unwrap_or_default();
    if name.starts_with("system-") {
        let known = match name {
            "system-node-critical" => Some(2_000_001_000),
            "system-cluster-critical" => Some(2_000_000_000),
            _ => None,
        };
        let error = match known {
            None => Some(format!("{name} is not a known system priority class")),
            Some(v) if v != value => Some(format!("value of {name} PriorityClass must be {v}")),
            Some(_) if class.global_default == Some(true) => {
                Some(format!("globalDefault of {name} PriorityClass must be false"))
            }
            Some(_) => None,
        };
        if let Some(error) = error {
            errs.push(FieldError::forbidden(
                &Path::new("metadata").child("name"),
                format!(
                    "priority class names with 'system-' prefix are reserved for system use only. error: {error}"
                ),
            ));
        }
    } else if value > HIGHEST_USER_PRIORITY {
        errs.push(FieldError::forbidden(
            &Path::new("value"),
            format!("maximum allowed value of a user defined priority is {HIGHEST_USER_PRIORITY}"),
        ));
    }
    if let Some(policy) = &class.preemption_policy {
        scheduling::preemption_policy(errs, policy, &Path::new("preemptionPolicy"));
    }
}

pub(in crate::apiserver) fn priority_class_update(
    errs: &mut Errors,
    new: &t::PriorityClass,
    old: &t::PriorityClass,
) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    if new.value.unwrap_or_default() != old.value.unwrap_or_default() {
        errs.push(FieldError::forbidden(&Path::new("value"), "may not be changed in an update."));
    }
    if new.preemption_policy != old.preemption_policy {
        let value = match &new.preemption_policy {
            Some(p) => BadValue::Json(go_json_string(p)),
            None => BadValue::Json("null".to_owned()),
        };
        errs.push(FieldError::invalid(&Path::new("preemptionPolicy"), value, IMMUTABLE));
    }
}
