//! StatefulSets (`pkg/apis/apps/validation`).

use std::collections::BTreeSet;

use crate::api::MetaExt;
use crate::api::labels::Selector;
use crate::api::types as t;

use super::apps::{
    given, int_or_percent, is_decremented, not_more_than_100_percent, positive_int_or_percent, quote,
};
use super::field::{BadValue, Errors, FieldError, Path, json_map};
use super::meta::{label_selector, non_negative, object_meta, object_meta_update};
use super::names::{self, name_is_dns_label};
use super::{claim, internal, list, or_default, pod, semantic_eq, text};

const MORE_THAN_REPLICAS: &str = "cannot be greater than status.replicas";

pub(in crate::apiserver) fn create(errs: &mut Errors, set: &t::StatefulSet) {
    object_meta(errs, &set.metadata, true, name_is_dns_label);
    spec(errs, or_default(&set.spec, &Default::default()), Strictness::NEW);
}

/// What was stored before a rule came into being may stay as it is.
#[derive(Clone, Copy)]
struct Strictness {
    new: bool,
    template: bool,
}

impl Strictness {
    const NEW: Strictness = Strictness { new: true, template: true };
    const STORED: Strictness = Strictness { new: false, template: true };
}

pub(in crate::apiserver) fn update(errs: &mut Errors, new: &t::StatefulSet, old: &t::StatefulSet) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let none = Default::default();
    let (after, before) = (or_default(&new.spec, &none), or_default(&old.spec, &none));
    let mut was_wrong = Errors::new();
    spec(&mut was_wrong, before, Strictness::STORED);
    spec(errs, after, Strictness { new: false, template: was_wrong.is_empty() });
    let mut fixed = after.clone();
    fixed.replicas = before.replicas;
    fixed.template.clone_from(&before.template);
    fixed.update_strategy.clone_from(&before.update_strategy);
    fixed.min_ready_seconds = before.min_ready_seconds;
    fixed.ordinals.clone_from(&before.ordinals);
    fixed.revision_history_limit = before.revision_history_limit;
    fixed
        .persistent_volume_claim_retention_policy
        .clone_from(&before.persistent_volume_claim_retention_policy);
    if !semantic_eq(&fixed, before) {
        let message = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
        errs.push(FieldError::forbidden(&Path::new("spec"), message));
    }
}

fn spec(errs: &mut Errors, spec: &t::StatefulSetSpec, strict: Strictness) {
    let path = Path::new("spec");
    let at = path.child("podManagementPolicy");
    match text(&spec.pod_management_policy) {
        "" => errs.push(FieldError::required(&at, "")),
        "OrderedReady" | "Parallel" => {}
        other => errs.push(FieldError::invalid(&at, other, "must be 'OrderedReady' or 'Parallel'")),
    }
    update_strategy(
        errs,
        or_default(&spec.update_strategy, &Default::default()),
        &path.child("updateStrategy"),
    );
    if let Some(policy) = &spec.persistent_volume_claim_retention_policy {
        let at = path.child("persistentVolumeClaimRetentionPolicy");
        for (name, value) in [("whenDeleted", &policy.when_deleted), ("whenScaled", &policy.when_scaled)] {
            if !matches!(text(value), "Retain" | "Delete") {
                errs.push(FieldError::not_supported(&at.child(name), text(value), &["Retain", "Delete"]));
            }
        }
    }
    if strict.new {
        for (i, claim) in list(&spec.volume_claim_templates).iter().enumerate() {
            let at = path.child("volumeClaimTemplates").index(i).child("spec");
            claim::claim_spec(errs, or_default(&claim.spec, &Default::default()), &at);
        }
    }
    non_negative(errs, spec.replicas.unwrap_or_default(), &path.child("replicas"));
    non_negative(errs, spec.min_ready_seconds.unwrap_or_default(), &path.child("minReadySeconds"));
    if let Some(ordinals) = &spec.ordinals {
        non_negative(errs, ordinals.start.unwrap_or_default(), &path.child("ordinals.start"));
    }
    let service = text(&spec.service_name);
    if strict.new && !service.is_empty() {
        let at = path.child("serviceName");
        errs.extend(names::dns1123_label(service).into_iter().map(|m| FieldError::invalid(&at, service, m)));
    }
    let at = path.child("selector");
    let selector = given(&spec.selector);
    match selector {
        None => errs.push(FieldError::required(&at, "")),
        Some(s) => {
            label_selector(errs, Some(s), &at);
            if s.match_labels.as_ref().is_none_or(|m| m.is_empty()) && list(&s.match_expressions).is_empty() {
                let message = "empty selector is invalid for statefulset";
                errs.push(FieldError::invalid(&at, internal::quote_selector(Some(s)), message));
            }
        }
    }
    match Selector::from_label_selector(selector) {
        Err(_) => errs.push(FieldError::invalid(&at, internal::quote_selector(selector), "")),
        Ok(parsed) => template(errs, spec, &parsed, &path.child("template"), strict.template),
    }
    let none = Default::default();
    let pod = or_default(&spec.template.spec, &none);
    let at = path.child("template").child("spec");
    if text(&pod.restart_policy) != "Always" {
        let policy = text(&pod.restart_policy);
        errs.push(FieldError::not_supported(&at.child("restartPolicy"), policy, &["Always"]));
    }
    if pod.active_deadline_seconds.is_some() {
        let message = "activeDeadlineSeconds in StatefulSet is not Supported";
        errs.push(FieldError::forbidden(&at.child("activeDeadlineSeconds"), message));
    }
}

/// A volume for each claim template, before those of the template itself that have another name.
fn with_claims(spec: &t::StatefulSetSpec) -> t::PodTemplateSpec {
    let mut template = spec.template.clone();
    let claims: BTreeSet<&str> =
        list(&spec.volume_claim_templates).iter().map(|c| MetaExt::name(&c.metadata)).collect();
    if claims.is_empty() {
        return template;
    }
    let pod = template.spec.get_or_insert_default();
    let own = pod.volumes.take().unwrap_or_default();
    let of_claim = |name: &&str| t::Volume {
        name: (*name).to_owned(),
        persistent_volume_claim: Some(t::PersistentVolumeClaimVolumeSource {
            claim_name: (*name).to_owned(),
            ..Default::default()
        }),
        ..Default::default()
    };
    let others = own.into_iter().filter(|v| !claims.contains(v.name.as_str()));
    pod.volumes = Some(claims.iter().map(of_claim).chain(others).collect());
    template
}

fn template(errs: &mut Errors, spec: &t::StatefulSetSpec, selector: &Selector, path: &Path, whole: bool) {
    let labels = spec.template.metadata.as_ref().and_then(|m| m.labels.as_ref());
    let none = std::collections::BTreeMap::new();
    if !selector.matches(labels.unwrap_or(&none)) {
        let message = "`selector` does not match template `labels`";
        errs.push(FieldError::invalid(&path.child("metadata").child("labels"), json_map(labels), message));
    }
    if whole {
        pod::template(errs, &with_claims(spec), path);
    }
}

fn update_strategy(errs: &mut Errors, strategy: &t::StatefulSetUpdateStrategy, path: &Path) {
    let at = path.child("rollingUpdate");
    match (text(&strategy.type_), &strategy.rolling_update) {
        ("", _) => errs.push(FieldError::required(path, "")),
        ("OnDelete", Some(rolling)) => errs.push(FieldError::invalid(
            &at,
            internal::quote("RollingUpdateStatefulSetStrategy", rolling),
            "only allowed for updateStrategy 'RollingUpdate'",
        )),
        ("RollingUpdate", Some(rolling)) => {
            non_negative(errs, rolling.partition.unwrap_or_default(), &at.child("partition"));
            if let Some(max) = &rolling.max_unavailable {
                let at = at.child("maxUnavailable");
                positive_int_or_percent(errs, max, &at);
                if int_or_percent(max) == 0 {
                    errs.push(FieldError::invalid(&at, quote(max), "cannot be 0"));
                }
                not_more_than_100_percent(errs, max, &at);
            }
        }
        ("OnDelete" | "RollingUpdate", None) => {}
        _ => errs.push(FieldError::invalid(
            path,
            internal::quote("StatefulSetUpdateStrategy", strategy),
            "must be 'RollingUpdate' or 'OnDelete'",
        )),
    }
}

pub(in crate::apiserver) fn status_update(errs: &mut Errors, new: &t::StatefulSet, old: &t::StatefulSet) {
    let path = Path::new("status");
    let none = Default::default();
    let status = or_default(&new.status, &none);
    let n = |count: Option<i32>| count.unwrap_or_default();
    let (ready, available) = (n(status.ready_replicas), n(status.available_replicas));
    let (current, updated) = (n(status.current_replicas), n(status.updated_replicas));
    let (observed, collisions) = (status.observed_generation.unwrap_or_default(), n(status.collision_count));
    for (name, count) in [
        ("replicas", i64::from(status.replicas)),
        ("readyReplicas", ready.into()),
        ("currentReplicas", current.into()),
        ("updatedReplicas", updated.into()),
        ("availableReplicas", available.into()),
        ("observedGeneration", observed),
        ("collisionCount", collisions.into()),
    ] {
        non_negative(errs, count, &path.child(name));
    }
    for (name, count) in [
        ("readyReplicas", ready),
        ("currentReplicas", current),
        ("updatedReplicas", updated),
        ("availableReplicas", available),
    ] {
        if count > status.replicas {
            errs.push(FieldError::invalid(&path.child(name), count, MORE_THAN_REPLICAS));
        }
    }
    if available > ready {
        let message = "cannot be greater than status.readyReplicas";
        errs.push(FieldError::invalid(&path.child("availableReplicas"), available, message));
    }
    object_meta_update(errs, &new.metadata, &old.metadata);
    let before = old.status.as_ref().and_then(|s| s.collision_count);
    if is_decremented(status.collision_count, before) {
        let value = BadValue::from(collisions);
        errs.push(FieldError::invalid(&path.child("collisionCount"), value, "cannot be decremented"));
    }
}
