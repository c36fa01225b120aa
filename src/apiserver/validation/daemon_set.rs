//! DaemonSets (`pkg/apis/apps/validation`).

use crate::api::labels::Selector;
use crate::api::types as t;
use t::IntOrString;

use super::apps::{
    given, int_or_percent, is_decremented, not_more_than_100_percent, positive_int_or_percent, quote,
};
use super::field::{Errors, FieldError, Path, json_map};
use super::meta::{label_selector, non_negative, object_meta, object_meta_update};
use super::names::name_is_dns_subdomain;
use super::{internal, list, or_default, pod, text};

pub(in crate::apiserver) fn create(errs: &mut Errors, set: &t::DaemonSet) {
    object_meta(errs, &set.metadata, true, name_is_dns_subdomain);
    spec(errs, or_default(&set.spec, &Default::default()));
}

/// Validates an update. The template's generation is counted by the API server itself, so it needs no rule here.
pub(in crate::apiserver) fn update(errs: &mut Errors, new: &t::DaemonSet, old: &t::DaemonSet) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let none = Default::default();
    let (after, before) = (or_default(&new.spec, &none), or_default(&old.spec, &none));
    if after.selector != before.selector {
        let value = internal::quote_selector(given(&after.selector));
        let at = Path::new("spec").child("selector");
        errs.push(FieldError::invalid(&at, value, super::meta::IMMUTABLE));
    }
    spec(errs, after);
}

fn spec(errs: &mut Errors, spec: &t::DaemonSetSpec) {
    let path = Path::new("spec");
    let at = path.child("selector");
    let selector = given(&spec.selector);
    label_selector(errs, selector, &at);
    let labels = spec.template.metadata.as_ref().and_then(|m| m.labels.as_ref());
    let none = std::collections::BTreeMap::new();
    if Selector::from_label_selector(selector).is_ok_and(|s| !s.matches(labels.unwrap_or(&none))) {
        let at = path.child("template").child("metadata").child("labels");
        let message = "`selector` does not match template `labels`";
        errs.push(FieldError::invalid(&at, json_map(labels), message));
    }
    if let Some(s) = selector
        && s.match_labels.as_ref().is_none_or(|m| m.is_empty())
        && list(&s.match_expressions).is_empty()
    {
        let message = "empty selector is invalid for daemonset";
        errs.push(FieldError::invalid(&at, internal::quote_selector(selector), message));
    }
    pod::template(errs, &spec.template, &path.child("template"));
    let none = Default::default();
    let pod = or_default(&spec.template.spec, &none);
    let at = path.child("template").child("spec");
    if text(&pod.restart_policy) != "Always" {
        let policy = text(&pod.restart_policy);
        errs.push(FieldError::not_supported(&at.child("restartPolicy"), policy, &["Always"]));
    }
    if pod.active_deadline_seconds.is_some() {
        let message = "activeDeadlineSeconds in DaemonSet is not Supported";
        errs.push(FieldError::forbidden(&at.child("activeDeadlineSeconds"), message));
    }
    non_negative(errs, spec.min_ready_seconds.unwrap_or_default(), &path.child("minReadySeconds"));
    update_strategy(
        errs,
        or_default(&spec.update_strategy, &Default::default()),
        &path.child("updateStrategy"),
    );
    if let Some(limit) = spec.revision_history_limit {
        non_negative(errs, limit, &path.child("revisionHistoryLimit"));
    }
}

fn update_strategy(errs: &mut Errors, strategy: &t::DaemonSetUpdateStrategy, path: &Path) {
    match (text(&strategy.type_), &strategy.rolling_update) {
        ("OnDelete", _) => {}
        ("RollingUpdate", None) => errs.push(FieldError::required(&path.child("rollingUpdate"), "")),
        ("RollingUpdate", Some(rolling)) => {
            let zero = IntOrString::Int(0);
            let unavailable = rolling.max_unavailable.as_ref().unwrap_or(&zero);
            let surge = rolling.max_surge.as_ref().unwrap_or(&zero);
            let at = path.child("rollingUpdate");
            let (at_unavailable, at_surge) = (at.child("maxUnavailable"), at.child("maxSurge"));
            positive_int_or_percent(errs, unavailable, &at_unavailable);
            positive_int_or_percent(errs, surge, &at_surge);
            not_more_than_100_percent(errs, unavailable, &at_unavailable);
            not_more_than_100_percent(errs, surge, &at_surge);
            match (int_or_percent(unavailable) != 0, int_or_percent(surge) != 0) {
                (true, true) => {
                    let message = "may not be set when maxUnavailable is non-zero";
                    errs.push(FieldError::invalid(&at_surge, quote(surge), message));
                }
                (false, false) => {
                    errs.push(FieldError::required(&at_unavailable, "cannot be 0 when maxSurge is 0"));
                }
                _ => {}
            }
        }
        _ => errs.push(FieldError::not_supported(
            path,
            internal::quote("DaemonSetUpdateStrategy", strategy),
            &["RollingUpdate", "OnDelete"],
        )),
    }
}

pub(in crate::apiserver) fn status_update(errs: &mut Errors, new: &t::DaemonSet, old: &t::DaemonSet) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let path = Path::new("status");
    let none = Default::default();
    let status = or_default(&new.status, &none);
    let n = |count: Option<i32>| i64::from(count.unwrap_or_default());
    for (name, count) in [
        ("currentNumberScheduled", status.current_number_scheduled.into()),
        ("numberMisscheduled", status.number_misscheduled.into()),
        ("desiredNumberScheduled", status.desired_number_scheduled.into()),
        ("numberReady", status.number_ready.into()),
        ("observedGeneration", status.observed_generation.unwrap_or_default()),
        ("updatedNumberScheduled", n(status.updated_number_scheduled)),
        ("numberAvailable", n(status.number_available)),
        ("numberUnavailable", n(status.number_unavailable)),
        ("collisionCount", n(status.collision_count)),
    ] {
        non_negative(errs, count, &path.child(name));
    }
    let before = old.status.as_ref().and_then(|s| s.collision_count);
    if is_decremented(status.collision_count, before) {
        let at = path.child("collisionCount");
        errs.push(FieldError::invalid(&at, n(status.collision_count), "cannot be decremented"));
    }
}
