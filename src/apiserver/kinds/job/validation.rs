//! Jobs (`pkg/apis/batch/validation`, `pkg/registry/batch/job`).

use std::collections::BTreeMap;

use crate::api::MetaExt;
use crate::api::labels::Selector;
use crate::api::types as t;

use super::{CONTROLLER_UID, JOB_NAME, LEGACY_CONTROLLER_UID, LEGACY_JOB_NAME, policy};
use crate::apiserver::validation::field::{BadValue, Errors, FieldError, Path, json_map};
use crate::apiserver::validation::meta::{
    IMMUTABLE, label_selector, non_negative, object_meta, object_meta_update,
};
use crate::apiserver::validation::names::{self, name_is_dns_subdomain};
use crate::apiserver::validation::{internal, list, or_default, pod_spec, semantic_eq, text};

/// The most pods of an indexed Job that run at once.
const MAX_PARALLELISM_INDEXED: i32 = 100_000;
const MAX_FAILED_INDEXES: i32 = 100_000;
/// With more completions than this, an indexed Job with a back-off limit for each index has tighter limits.
const COMPLETIONS_SOFT_LIMIT: i32 = 100_000;
const MANY_COMPLETIONS_PARALLELISM: i32 = 10_000;
const MANY_COMPLETIONS_FAILED: i32 = 10_000;
const MAX_MANAGED_BY: usize = 63;

pub(in crate::apiserver) fn create(errs: &mut Errors, job: &t::Job) {
    whole(errs, job, true);
}

fn whole(errs: &mut Errors, job: &t::Job, prefixed: bool) {
    object_meta(errs, &job.metadata, true, name_is_dns_subdomain);
    let none = Default::default();
    let spec = or_default(&job.spec, &none);
    generated_selector(errs, job, spec, prefixed);
    spec_with_selector(errs, spec);
    if let Some(completions) = spec.completions.filter(|n| *n > 0)
        && is_indexed(spec)
    {
        let name = MetaExt::name(&job.metadata);
        let host = format!("{name}-{}", completions - 1);
        if !names::dns1123_label(&host).is_empty() {
            let message = format!("will not able to create pod with invalid DNS label: {host}");
            errs.push(FieldError::invalid(&Path::new("metadata").child("name"), name, message));
        }
    }
}

pub(in crate::apiserver) fn is_indexed(spec: &t::JobSpec) -> bool {
    text(&spec.completion_mode) == "Indexed"
}

/// `validateGeneratedSelector`
fn generated_selector(errs: &mut Errors, job: &t::Job, spec: &t::JobSpec, prefixed: bool) {
    if spec.manual_selector == Some(true) {
        return;
    }
    let Some(selector) = &spec.selector else { return };
    let (uid, name) = (MetaExt::uid(&job.metadata), MetaExt::name(&job.metadata));
    if uid.is_empty() {
        errs.push(FieldError::required(&Path::new("metadata").child("uid"), ""));
    }
    let path = Path::new("spec").child("template").child("metadata").child("labels");
    let labels = spec.template.metadata.as_ref().and_then(|m| m.labels.as_ref());
    let mut expected = vec![(LEGACY_CONTROLLER_UID, uid), (LEGACY_JOB_NAME, name)];
    if prefixed {
        expected.extend([(CONTROLLER_UID, uid), (JOB_NAME, name)]);
    }
    for (key, value) in &expected {
        let message = format!("must be '{value}'");
        match labels.and_then(|l| l.get(*key)) {
            None => errs.push(FieldError::required(&path.key(key), message)),
            Some(has) if has != value => {
                errs.push(FieldError::invalid(&path.key(key), json_map(labels), message));
            }
            Some(_) => {}
        }
    }
    let expected: BTreeMap<String, String> =
        expected.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
    if Selector::from_label_selector(Some(selector)).is_ok_and(|s| !s.matches(&expected)) {
        let at = Path::new("spec").child("selector");
        let value = internal::quote_selector(Some(selector));
        errs.push(FieldError::invalid(&at, value, "`selector` not auto-generated"));
    }
}

/// `ValidateJobSpec`
fn spec_with_selector(errs: &mut Errors, job: &t::JobSpec) {
    let path = Path::new("spec");
    spec(errs, job, &path);
    match &job.selector {
        None => errs.push(FieldError::required(&path.child("selector"), "")),
        Some(selector) => label_selector(errs, Some(selector), &path.child("selector")),
    }
    let labels = job.template.metadata.as_ref().and_then(|m| m.labels.as_ref());
    let none = BTreeMap::new();
    if Selector::from_label_selector(job.selector.as_ref()).is_ok_and(|s| !s.matches(labels.unwrap_or(&none)))
    {
        let at = path.child("template").child("metadata").child("labels");
        let message = "`selector` does not match template `labels`";
        errs.push(FieldError::invalid(&at, json_map(labels), message));
    }
}

/// Validates what holds for a Job's spec and for that of a CronJob's template (`validateJobSpec`).
pub(in crate::apiserver) fn spec(errs: &mut Errors, spec: &t::JobSpec, path: &Path) {
    for (name, number) in [
        ("parallelism", spec.parallelism.map(i64::from)),
        ("completions", spec.completions.map(i64::from)),
        ("activeDeadlineSeconds", spec.active_deadline_seconds),
        ("backoffLimit", spec.backoff_limit.map(i64::from)),
        ("ttlSecondsAfterFinished", spec.ttl_seconds_after_finished.map(i64::from)),
        ("backoffLimitPerIndex", spec.backoff_limit_per_index.map(i64::from)),
        ("maxFailedIndexes", spec.max_failed_indexes.map(i64::from)),
    ] {
        if let Some(n) = number {
            non_negative(errs, n, &path.child(name));
        }
    }
    if spec.max_failed_indexes.is_some() && spec.backoff_limit_per_index.is_none() {
        let at = path.child("backoffLimitPerIndex");
        errs.push(FieldError::required(&at, "when maxFailedIndexes is specified"));
    }
    if let Some(by) = &spec.managed_by {
        managed_by(errs, by, &path.child("managedBy"));
    }
    completion_mode(errs, spec, path);
    policy::failure(errs, spec, &path.child("podFailurePolicy"));
    if let Some(policy) = &spec.success_policy {
        let at = path.child("successPolicy");
        if is_indexed(spec) {
            policy::success(errs, spec, policy, &at);
        } else {
            let value = internal::quote("SuccessPolicy", policy);
            errs.push(FieldError::invalid(&at, value, "requires indexed completion mode"));
        }
    }
    policy::replacement(errs, spec, &path.child("podReplacementPolicy"));
    pod_spec::template(errs, &spec.template, &path.child("template"));
    let at = path.child("template").child("spec").child("restartPolicy");
    let policy = spec.template.spec.as_ref().map_or("", |s| text(&s.restart_policy));
    match policy {
        "" | "Always" => {
            errs.push(FieldError::required(&at, "valid values: \"OnFailure\", \"Never\""));
        }
        "OnFailure" | "Never" => {
            if spec.pod_failure_policy.is_some() && policy != "Never" {
                let message = "only \"Never\" is supported when podFailurePolicy is specified";
                errs.push(FieldError::invalid(&at, policy, message));
            }
        }
        other => errs.push(FieldError::not_supported(&at, other, &["OnFailure", "Never"])),
    }
}

/// Validates `managedBy`: a path with a domain, and not too long.
fn managed_by(errs: &mut Errors, by: &str, path: &Path) {
    if by.is_empty() {
        errs.push(FieldError::required(path, ""));
    } else {
        names::domain_prefixed_path(errs, by, path);
    }
    if by.len() > MAX_MANAGED_BY {
        errs.push(FieldError::too_long(path, MAX_MANAGED_BY));
    }
}

fn completion_mode(errs: &mut Errors, spec: &t::JobSpec, path: &Path) {
    let mode = text(&spec.completion_mode);
    if !matches!(mode, "NonIndexed" | "Indexed") && spec.completion_mode.is_some() {
        let at = path.child("completionMode");
        errs.push(FieldError::not_supported(&at, mode, &["NonIndexed", "Indexed"]));
    }
    let at_most = |errs: &mut Errors, name: &'static str, value: Option<i32>, max: i32, when: &str| {
        if let Some(n) = value.filter(|n| *n > max) {
            let message = format!("must be less than or equal to {max}{when}");
            errs.push(FieldError::invalid(&path.child(name), n, message));
        }
    };
    if mode == "Indexed" {
        let (completions, failed) = (spec.completions, spec.max_failed_indexes);
        if completions.is_none() {
            errs.push(FieldError::required(&path.child("completions"), "when completion mode is Indexed"));
        }
        let when = " when completion mode is Indexed";
        at_most(errs, "parallelism", spec.parallelism, MAX_PARALLELISM_INDEXED, when);
        if let (Some(n), Some(failed)) = (completions, failed)
            && failed > n
        {
            let at = path.child("maxFailedIndexes");
            errs.push(FieldError::invalid(&at, failed, "must be less than or equal to completions"));
        }
        at_most(errs, "maxFailedIndexes", failed, MAX_FAILED_INDEXES, "");
        if completions.is_some_and(|n| n > COMPLETIONS_SOFT_LIMIT) && spec.backoff_limit_per_index.is_some() {
            if failed.is_none() {
                let message = format!("must be specified when completions is above {COMPLETIONS_SOFT_LIMIT}");
                errs.push(FieldError::required(&path.child("maxFailedIndexes"), message));
            }
            let when = format!(
                " when completions are above {COMPLETIONS_SOFT_LIMIT} and used with backoff limit per index"
            );
            at_most(errs, "parallelism", spec.parallelism, MANY_COMPLETIONS_PARALLELISM, &when);
            at_most(errs, "maxFailedIndexes", failed, MANY_COMPLETIONS_FAILED, &when);
        }
    }
    if spec.completion_mode.is_none() || mode == "NonIndexed" {
        for (name, value) in [
            ("backoffLimitPerIndex", spec.backoff_limit_per_index),
            ("maxFailedIndexes", spec.max_failed_indexes),
        ] {
            if let Some(n) = value {
                errs.push(FieldError::invalid(&path.child(name), n, "requires indexed completion mode"));
            }
        }
    }
}

pub(in crate::apiserver) fn update(errs: &mut Errors, new: &t::Job, old: &t::Job) {
    let none = Default::default();
    let (spec, before) = (or_default(&new.spec, &none), or_default(&old.spec, &none));
    let labels = before.template.metadata.as_ref().and_then(|m| m.labels.as_ref());
    let has = |key: &str| labels.is_some_and(|l| l.contains_key(key));
    whole(errs, new, has(JOB_NAME) && has(CONTROLLER_UID));
    object_meta_update(errs, &new.metadata, &old.metadata);
    spec_with_selector(errs, spec);
    let path = Path::new("spec");
    completions_update(errs, spec, before, &path.child("completions"));
    let immutable = |errs: &mut Errors, name: &'static str, same: bool, value: BadValue| {
        if !same {
            errs.push(FieldError::invalid(&path.child(name), value, IMMUTABLE));
        }
    };
    let same = semantic_eq(&spec.selector, &before.selector);
    immutable(errs, "selector", same, internal::quote_selector(spec.selector.as_ref()));
    if before.suspend == Some(true) && at_rest(old) {
        let mut template = before.template.clone();
        free_scheduling(&mut template, &spec.template);
        free_resources(&mut template, &spec.template);
        // Only the pods' spec is looked at, whatever the template's metadata is.
        if !semantic_eq(&spec.template.spec, &template.spec) {
            let new = spec.template.spec.as_ref().map_or_else(null, internal::pod_spec_value);
            errs.push(FieldError::invalid(&path.child("template").child("spec"), new, IMMUTABLE));
        }
    } else {
        let same = semantic_eq(&spec.template, &before.template);
        immutable(errs, "template", same, internal::template(&spec.template));
    }
    let text_value = |v: &Option<String>| v.as_ref().map_or(BadValue::Json("null".into()), BadValue::from);
    let same = spec.completion_mode == before.completion_mode;
    immutable(errs, "completionMode", same, text_value(&spec.completion_mode));
    let same = semantic_eq(&spec.pod_failure_policy, &before.pod_failure_policy);
    let policy = spec.pod_failure_policy.as_ref().map(|p| internal::quote("PodFailurePolicy", p));
    immutable(errs, "podFailurePolicy", same, policy.unwrap_or_else(null));
    let same = spec.backoff_limit_per_index == before.backoff_limit_per_index;
    immutable(
        errs,
        "backoffLimitPerIndex",
        same,
        spec.backoff_limit_per_index.map_or_else(null, BadValue::from),
    );
    immutable(errs, "managedBy", spec.managed_by == before.managed_by, text_value(&spec.managed_by));
    let same = semantic_eq(&spec.success_policy, &before.success_policy);
    let policy = spec.success_policy.as_ref().map(|p| internal::quote("SuccessPolicy", p));
    immutable(errs, "successPolicy", same, policy.unwrap_or_else(null));
}

fn null() -> BadValue {
    BadValue::Json("null".into())
}

/// Whether a Job is suspended and has no pods: it has not started, or it has stopped.
fn at_rest(job: &t::Job) -> bool {
    let none = Default::default();
    let status = or_default(&job.status, &none);
    let stopped = list(&status.conditions).iter().any(|c| c.type_ == "Suspended" && c.status == "True");
    status.active.unwrap_or_default() == 0 && (status.start_time.is_none() || stopped)
}

/// Sets the resources of the containers to the new ones in the old template, so that they are no difference: they may
/// change while a Job is at rest.
fn free_resources(before: &mut t::PodTemplateSpec, after: &t::PodTemplateSpec) {
    let (Some(spec), Some(to)) = (before.spec.as_mut(), after.spec.as_ref()) else { return };
    let pairs = spec.containers.iter_mut().zip(&to.containers);
    let init = spec.init_containers.iter_mut().flatten().zip(to.init_containers.iter().flatten());
    pairs.chain(init).for_each(|(container, to)| container.resources.clone_from(&to.resources));
}

/// Sets where pods may be scheduled to the new values in the old template, so that they are no difference: they may
/// change while a Job is at rest.
fn free_scheduling(before: &mut t::PodTemplateSpec, after: &t::PodTemplateSpec) {
    let none = Default::default();
    let to = or_default(&after.spec, &none);
    let spec = before.spec.get_or_insert_default();
    match (&to.affinity, spec.affinity.as_mut()) {
        (None, Some(affinity)) => {
            affinity.node_affinity = None;
            if *affinity == t::Affinity::default() {
                spec.affinity = None;
            }
        }
        (Some(new), None) => {
            spec.affinity =
                Some(t::Affinity { node_affinity: new.node_affinity.clone(), ..Default::default() });
        }
        (Some(new), Some(affinity)) => affinity.node_affinity.clone_from(&new.node_affinity),
        (None, None) => {}
    }
    spec.node_selector.clone_from(&to.node_selector);
    spec.tolerations.clone_from(&to.tolerations);
    spec.scheduling_gates.clone_from(&to.scheduling_gates);
    let none = Default::default();
    let to = or_default(&after.metadata, &none);
    let meta = before.metadata.get_or_insert_default();
    meta.labels.clone_from(&to.labels);
    meta.annotations.clone_from(&to.annotations);
}

fn completions_update(errs: &mut Errors, new: &t::JobSpec, old: &t::JobSpec, path: &Path) {
    if new.completions == old.completions {
        return;
    }
    if !is_indexed(new) {
        let value = new.completions.map_or_else(null, BadValue::from);
        errs.push(FieldError::invalid(path, value, IMMUTABLE));
    } else if let Some(n) = new.completions
        && new.parallelism != Some(n)
    {
        errs.push(FieldError::invalid(path, n, "can only be modified in tandem with spec.parallelism"));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::api::{Kind, Object};
    use crate::apiserver::rest::{validate_status_update, validate_update};
    use crate::apiserver::validation::aggregate;
    use serde_json::{Value, json};

    fn job(change: Value) -> Object {
        let labels = json!({"controller-uid": "u", "batch.kubernetes.io/controller-uid": "u",
            "job-name": "pi", "batch.kubernetes.io/job-name": "pi"});
        let mut body = json!({
            "metadata": {"name": "pi", "namespace": "default", "uid": "u", "resourceVersion": "1"},
            "spec": {"selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}},
                "template": {"metadata": {"labels": labels},
                    "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}
        });
        for (key, value) in change.as_object().unwrap() {
            body["spec"][key] = value.clone();
        }
        let mut object = Object::from_value(Kind::JOB, body).unwrap();
        crate::apiserver::rest::default(&mut object);
        object
    }

    /// A suspended Job whose container requests `cpu`, with a status.
    fn suspended(cpu: &str, image: &str, status: Value) -> Object {
        let mut template = job(json!({})).to_value()["spec"]["template"].clone();
        template["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": cpu}});
        template["spec"]["containers"][0]["image"] = image.into();
        let mut body = job(json!({"suspend": true, "template": template})).to_value();
        body["status"] = status;
        Object::from_value(Kind::JOB, body).unwrap()
    }

    /// The gates `MutablePodResourcesForSuspendedJobs` and `MutableSchedulingDirectivesForSuspendedJobs`
    /// are on since 1.36 (#135965).
    #[test]
    fn what_a_suspended_job_asks_for_can_be_changed_while_it_has_no_pods() {
        let started = "2026-09-24T00:00:00Z";
        let condition = json!([{"type": "Suspended", "status": "True"}]);
        for (status, mutable) in [
            (json!({}), true),
            (json!({"active": 1}), false),
            (json!({"startTime": started}), false),
            (json!({"startTime": started, "conditions": condition}), true),
            (json!({"startTime": started, "conditions": condition, "active": 1}), false),
        ] {
            let old = suspended("1", "i", status.clone());
            let errors = validate_update(&suspended("4", "i", status.clone()), &old);
            assert_eq!(errors.is_empty(), mutable, "{status}: {}", aggregate(&errors));
            assert!(!validate_update(&suspended("1", "other", status.clone()), &old).is_empty());
            // Of the template of a Job at rest only the pods' spec is compared.
            let mut named = suspended("1", "i", status.clone()).to_value();
            named["spec"]["template"]["metadata"]["name"] = "other".into();
            let named = Object::from_value(Kind::JOB, named).unwrap();
            assert_eq!(validate_update(&named, &old).is_empty(), mutable, "{status}");
        }
    }

    #[test]
    fn a_start_is_set_once() {
        let at = |minute: u8, status: &str| {
            let mut body = job(json!({})).to_value();
            body["status"] = json!({
                "startTime": format!("2026-09-24T00:0{minute}:00Z"),
                "conditions": [{"type": "Suspended", "status": status}]
            });
            Object::from_value(Kind::JOB, body).unwrap()
        };
        let field = "status.startTime";
        assert_eq!(
            aggregate(&validate_status_update(&at(2, "False"), &at(1, "False"))),
            format!(
                "{field}: Invalid value: \"2026-09-24T00:02:00Z\": field is immutable for unsuspended job once set"
            )
        );
        // A Job that is resumed has a new start time.
        assert_eq!(validate_status_update(&at(2, "False"), &at(1, "True")), []);
    }

    #[test]
    fn what_a_job_does_cannot_be_changed() {
        let old = job(json!({}));
        assert_eq!(validate_update(&job(json!({"parallelism": 3, "completions": 1})), &old), []);
        assert_eq!(
            aggregate(&validate_update(&job(json!({"completions": 2, "completionMode": "Indexed"})), &old)),
            "[spec.completions: Invalid value: 2: can only be modified in tandem with spec.parallelism, \
             spec.completionMode: Invalid value: \"Indexed\": field is immutable]"
        );
    }
}
