//! Deployments and ReplicaSets (`pkg/apis/apps/validation`).

use crate::api::labels::Selector;
use crate::api::types as t;
use t::IntOrString;

use super::field::{BadValue, Errors, FieldError, Path, go_json_string, json_map};
use super::meta::{IMMUTABLE, label_selector, non_negative, object_meta, object_meta_update};
use super::names::{self, name_is_dns_subdomain};
use super::{internal, or_default, pod, text};

const MORE_THAN_REPLICAS: &str = "cannot be greater than status.replicas";
const MORE_THAN_READY: &str = "cannot be greater than readyReplicas";

pub(in crate::apiserver) fn deployment(errs: &mut Errors, deployment: &t::Deployment) {
    object_meta(errs, &deployment.metadata, true, name_is_dns_subdomain);
    deployment_spec(errs, or_default(&deployment.spec, &Default::default()));
}

pub(in crate::apiserver) fn deployment_update(errs: &mut Errors, new: &t::Deployment, old: &t::Deployment) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let none = Default::default();
    let spec = or_default(&new.spec, &none);
    deployment_spec(errs, spec);
    let none_before = Default::default();
    let before = or_default(&old.spec, &none_before);
    immutable_selector(errs, &spec.selector, &before.selector);
}

/// A selector that neither was given nor is empty by choice; see `defaults::prepare`.
pub(in crate::apiserver) fn given(selector: &t::LabelSelector) -> Option<&t::LabelSelector> {
    (selector.match_labels.is_some() || selector.match_expressions.is_some()).then_some(selector)
}

fn immutable_selector(errs: &mut Errors, new: &t::LabelSelector, old: &t::LabelSelector) {
    if new != old {
        let value = internal::quote_selector(given(new));
        errs.push(FieldError::invalid(&Path::new("spec").child("selector"), value, IMMUTABLE));
    }
}

fn deployment_spec(errs: &mut Errors, spec: &t::DeploymentSpec) {
    let path = Path::new("spec");
    non_negative(errs, spec.replicas.unwrap_or_default(), &path.child("replicas"));
    selector_and_template(errs, &spec.selector, &spec.template, &path);
    strategy(errs, or_default(&spec.strategy, &Default::default()), &path.child("strategy"));
    let min_ready = spec.min_ready_seconds.unwrap_or_default();
    non_negative(errs, min_ready, &path.child("minReadySeconds"));
    if let Some(limit) = spec.revision_history_limit {
        non_negative(errs, limit, &path.child("revisionHistoryLimit"));
    }
    if let Some(deadline) = spec.progress_deadline_seconds {
        let at = path.child("progressDeadlineSeconds");
        non_negative(errs, deadline, &at);
        if deadline <= min_ready {
            errs.push(FieldError::invalid(&at, deadline, "must be greater than minReadySeconds"));
        }
    }
}

fn selector_and_template(
    errs: &mut Errors,
    selector: &t::LabelSelector,
    template: &t::PodTemplateSpec,
    path: &Path,
) {
    let at = path.child("selector");
    let selector = given(selector);
    match selector {
        None => errs.push(FieldError::required(&at, "")),
        Some(selector) => {
            label_selector(errs, Some(selector), &at);
            let labels = selector.match_labels.as_ref().is_none_or(|m| m.is_empty());
            if labels && super::list(&selector.match_expressions).is_empty() {
                errs.push(FieldError::invalid(
                    &at,
                    internal::quote_selector(Some(selector)),
                    "empty selector is invalid for deployment",
                ));
            }
        }
    }
    match Selector::from_label_selector(selector) {
        Err(_) => {
            errs.push(FieldError::invalid(&at, internal::quote_selector(selector), "invalid label selector"));
        }
        Ok(parsed) => template_spec(errs, template, &parsed, "ReplicaSet", &path.child("template")),
    }
}

fn template_spec(
    errs: &mut Errors,
    template: &t::PodTemplateSpec,
    selector: &Selector,
    kind: &str,
    path: &Path,
) {
    let labels = template.metadata.as_ref().and_then(|m| m.labels.as_ref());
    let none = std::collections::BTreeMap::new();
    if !selector.matches(labels.unwrap_or(&none)) {
        errs.push(FieldError::invalid(
            &path.child("metadata").child("labels"),
            json_map(labels),
            "`selector` does not match template `labels`",
        ));
    }
    pod::template(errs, template, path);
    let none = Default::default();
    let spec = or_default(&template.spec, &none);
    let policy = text(&spec.restart_policy);
    if policy != "Always" {
        let at = path.child("spec").child("restartPolicy");
        errs.push(FieldError::not_supported(&at, policy, &["Always"]));
    }
    if spec.active_deadline_seconds.is_some() {
        errs.push(FieldError::forbidden(
            &path.child("spec").child("activeDeadlineSeconds"),
            format!("activeDeadlineSeconds in {kind} is not Supported"),
        ));
    }
}

fn strategy(errs: &mut Errors, strategy: &t::DeploymentStrategy, path: &Path) {
    let rolling = path.child("rollingUpdate");
    match (text(&strategy.type_), &strategy.rolling_update) {
        ("Recreate", None) => {}
        ("Recreate", Some(_)) => errs
            .push(FieldError::forbidden(&rolling, "may not be specified when strategy `type` is 'Recreate'")),
        ("RollingUpdate", None) => {
            errs.push(FieldError::required(&rolling, "this should be defaulted and never be nil"));
        }
        ("RollingUpdate", Some(update)) => {
            let zero = IntOrString::Int(0);
            let unavailable = update.max_unavailable.as_ref().unwrap_or(&zero);
            let surge = update.max_surge.as_ref().unwrap_or(&zero);
            let at = rolling.child("maxUnavailable");
            positive_int_or_percent(errs, unavailable, &at);
            positive_int_or_percent(errs, surge, &rolling.child("maxSurge"));
            if int_or_percent(unavailable) == 0 && int_or_percent(surge) == 0 {
                errs.push(FieldError::invalid(&at, quote(unavailable), "may not be 0 when `maxSurge` is 0"));
            }
            not_more_than_100_percent(errs, unavailable, &at);
        }
        _ => errs.push(FieldError::not_supported(
            path,
            internal::quote("DeploymentStrategy", strategy),
            &["Recreate", "RollingUpdate"],
        )),
    }
}

pub(in crate::apiserver) fn quote(value: &IntOrString) -> BadValue {
    BadValue::Json(match value {
        IntOrString::Int(i) => i.to_string(),
        IntOrString::String(s) => go_json_string(s),
    })
}

/// A number that is not negative, or a percentage.
pub(in crate::apiserver) fn positive_int_or_percent(errs: &mut Errors, value: &IntOrString, path: &Path) {
    match value {
        IntOrString::Int(i) => non_negative(errs, *i, path),
        IntOrString::String(s) => {
            let messages = names::percent(s).into_iter();
            errs.extend(messages.map(|m| FieldError::invalid(path, quote(value), m)));
        }
    }
}

fn percent_value(value: &IntOrString) -> Option<i64> {
    let IntOrString::String(s) = value else { return None };
    if !names::percent(s).is_empty() {
        return None;
    }
    // As in Go, more digits than fit are as many as fit.
    Some(s.trim_end_matches('%').parse().unwrap_or(i64::MAX))
}

pub(in crate::apiserver) fn int_or_percent(value: &IntOrString) -> i64 {
    percent_value(value).unwrap_or_else(|| match value {
        IntOrString::Int(i) => i64::from(*i),
        IntOrString::String(s) => s.parse().unwrap_or_default(),
    })
}

/// A percentage of at most 100.
pub(in crate::apiserver) fn not_more_than_100_percent(errs: &mut Errors, value: &IntOrString, path: &Path) {
    if percent_value(value).is_some_and(|p| p > 100) {
        errs.push(FieldError::invalid(path, quote(value), "must not be greater than 100%"));
    }
}

/// Whether a count went down, absent being less than any (`IsDecremented`).
pub(in crate::apiserver) fn is_decremented(new: Option<i32>, old: Option<i32>) -> bool {
    match (new, old) {
        (None, Some(_)) => true,
        (Some(new), Some(old)) => new < old,
        _ => false,
    }
}

pub(in crate::apiserver) fn deployment_status_update(
    errs: &mut Errors,
    new: &t::Deployment,
    old: &t::Deployment,
) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let path = Path::new("status");
    let none = Default::default();
    let status = or_default(&new.status, &none);
    non_negative(errs, status.observed_generation.unwrap_or_default(), &path.child("observedGeneration"));
    let n = |count: Option<i32>| count.unwrap_or_default();
    let replicas = n(status.replicas);
    non_negative(errs, replicas, &path.child("replicas"));
    let (updated, ready, available) =
        (n(status.updated_replicas), n(status.ready_replicas), n(status.available_replicas));
    for (name, count) in [
        ("updatedReplicas", updated),
        ("readyReplicas", ready),
        ("availableReplicas", available),
        ("unavailableReplicas", n(status.unavailable_replicas)),
        ("terminatingReplicas", n(status.terminating_replicas)),
        ("collisionCount", n(status.collision_count)),
    ] {
        non_negative(errs, count, &path.child(name));
    }
    for (name, count) in
        [("updatedReplicas", updated), ("readyReplicas", ready), ("availableReplicas", available)]
    {
        if count > replicas {
            errs.push(FieldError::invalid(&path.child(name), count, MORE_THAN_REPLICAS));
        }
    }
    if available > ready {
        errs.push(FieldError::invalid(&path.child("availableReplicas"), available, MORE_THAN_READY));
    }
    let before = old.status.as_ref().and_then(|s| s.collision_count);
    if is_decremented(status.collision_count, before) {
        let count = n(status.collision_count);
        errs.push(FieldError::invalid(&path.child("collisionCount"), count, "cannot be decremented"));
    }
}

pub(in crate::apiserver) fn replica_set(errs: &mut Errors, set: &t::ReplicaSet) {
    object_meta(errs, &set.metadata, true, name_is_dns_subdomain);
    replica_set_spec(errs, or_default(&set.spec, &Default::default()));
}

pub(in crate::apiserver) fn replica_set_update(errs: &mut Errors, new: &t::ReplicaSet, old: &t::ReplicaSet) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let none = Default::default();
    let spec = or_default(&new.spec, &none);
    replica_set_spec(errs, spec);
    immutable_selector(errs, &spec.selector, &or_default(&old.spec, &Default::default()).selector);
}

fn replica_set_spec(errs: &mut Errors, spec: &t::ReplicaSetSpec) {
    let path = Path::new("spec");
    non_negative(errs, spec.replicas.unwrap_or_default(), &path.child("replicas"));
    non_negative(errs, spec.min_ready_seconds.unwrap_or_default(), &path.child("minReadySeconds"));
    selector_and_template(errs, &spec.selector, or_default(&spec.template, &Default::default()), &path);
}

pub(in crate::apiserver) fn replica_set_status_update(
    errs: &mut Errors,
    new: &t::ReplicaSet,
    old: &t::ReplicaSet,
) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let none = Default::default();
    let status = or_default(&new.status, &none);
    let n = |count: Option<i32>| count.unwrap_or_default();
    let counts = [
        status.replicas,
        n(status.fully_labeled_replicas),
        n(status.ready_replicas),
        n(status.available_replicas),
    ];
    replicas_status(errs, counts, status.terminating_replicas, status.observed_generation);
}

/// `counts`: replicas, fully labeled, ready, available.
fn replicas_status(errs: &mut Errors, counts: [i32; 4], terminating: Option<i32>, observed: Option<i64>) {
    let path = Path::new("status");
    let [replicas, labeled, ready, available] = counts;
    for (name, count) in [
        ("replicas", replicas),
        ("fullyLabeledReplicas", labeled),
        ("readyReplicas", ready),
        ("availableReplicas", available),
        ("terminatingReplicas", terminating.unwrap_or_default()),
    ] {
        non_negative(errs, count, &path.child(name));
    }
    non_negative(errs, observed.unwrap_or_default(), &path.child("observedGeneration"));
    for (name, count) in
        [("fullyLabeledReplicas", labeled), ("readyReplicas", ready), ("availableReplicas", available)]
    {
        if count > replicas {
            errs.push(FieldError::invalid(&path.child(name), count, MORE_THAN_REPLICAS));
        }
    }
    if available > ready {
        errs.push(FieldError::invalid(&path.child("availableReplicas"), available, MORE_THAN_READY));
    }
}

pub(in crate::apiserver) fn replication_controller(errs: &mut Errors, controller: &t::ReplicationController) {
    object_meta(errs, &controller.metadata, true, name_is_dns_subdomain);
    replication_controller_spec(errs, controller);
}

/// The strategy asks the rules of a create first, and then those of an update.
pub(in crate::apiserver) fn replication_controller_update(
    errs: &mut Errors,
    new: &t::ReplicationController,
    old: &t::ReplicationController,
) {
    replication_controller(errs, new);
    object_meta_update(errs, &new.metadata, &old.metadata);
    replication_controller_spec(errs, new);
}

fn replication_controller_spec(errs: &mut Errors, controller: &t::ReplicationController) {
    let path = Path::new("spec");
    let none = Default::default();
    let spec = or_default(&controller.spec, &none);
    non_negative(errs, spec.min_ready_seconds.unwrap_or_default(), &path.child("minReadySeconds"));
    let none = std::collections::BTreeMap::new();
    let selector = spec.selector.as_ref().unwrap_or(&none);
    if selector.is_empty() {
        errs.push(FieldError::required(&path.child("selector"), ""));
    }
    match spec.replicas {
        None => errs.push(FieldError::required(&path.child("replicas"), "")),
        Some(n) => non_negative(errs, n, &path.child("replicas")),
    }
    let at = path.child("template");
    match &spec.template {
        None => errs.push(FieldError::required(&at, "")),
        Some(template) => {
            template_spec(errs, template, &Selector::from_set(selector), "ReplicationController", &at);
        }
    }
}

pub(in crate::apiserver) fn replication_controller_status_update(
    errs: &mut Errors,
    new: &t::ReplicationController,
    old: &t::ReplicationController,
) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let none = Default::default();
    let status = or_default(&new.status, &none);
    let n = |count: Option<i32>| count.unwrap_or_default();
    let counts = [
        status.replicas,
        n(status.fully_labeled_replicas),
        n(status.ready_replicas),
        n(status.available_replicas),
    ];
    replicas_status(errs, counts, None, status.observed_generation);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::api::{Kind, Object};
    use crate::apiserver::validation::{aggregate, validate_status_update, validate_update};
    use serde_json::json;

    #[test]
    fn a_negative_count_spoils_the_others() {
        let with = |status| {
            let meta = json!({"name": "web", "namespace": "default", "resourceVersion": "1"});
            Object::from_value(Kind::DEPLOYMENT, json!({"metadata": meta, "status": status})).unwrap()
        };
        let errors =
            validate_status_update(&with(json!({"replicas": -1, "updatedReplicas": 1})), &with(json!({})));
        assert_eq!(
            aggregate(&errors),
            "[status.replicas: Invalid value: -1: must be greater than or equal to 0, \
             status.updatedReplicas: Invalid value: 1: cannot be greater than status.replicas, \
             status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas, \
             status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas]"
        );
    }

    #[test]
    fn a_selector_taken_away_is_three_errors() {
        let with = |selector: serde_json::Value| {
            let mut body = json!({
                "metadata": {"name": "a", "namespace": "default", "resourceVersion": "1"},
                "spec": {"selector": selector, "template": {"metadata": {"labels": {"app": "a"}},
                    "spec": {"containers": [{"name": "c", "image": "i"}]}}}
            });
            crate::apiserver::defaults::prepare(Kind::DEPLOYMENT, &mut body);
            let mut object = Object::from_value(Kind::DEPLOYMENT, body).unwrap();
            crate::apiserver::defaults::apply(&mut object);
            object
        };
        let errors = validate_update(&with(json!(null)), &with(json!({"matchLabels": {"app": "a"}})));
        assert_eq!(
            aggregate(&errors),
            "[spec.selector: Required value, \
             spec.template.metadata.labels: Invalid value: {\"app\":\"a\"}: `selector` does not match template `labels`, \
             spec.selector: Invalid value: null: field is immutable]"
        );
    }
}
