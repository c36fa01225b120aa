//! PodDisruptionBudgets, Leases and PriorityClasses.

use crate::api::MetaExt;
use crate::api::types as t;

use super::field::{BadValue, Errors, FieldError, Path, go_json_string};
use super::meta::{
    IMMUTABLE, invalid_each, non_negative, object_meta, object_meta_generic, object_meta_update,
    object_meta_update_generic,
};
use super::names::{self, name_is_dns_subdomain};
use super::{scheduling, text};

/// The highest priority a person may define.
const HIGHEST_USER_PRIORITY: i32 = 1_000_000_000;

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
