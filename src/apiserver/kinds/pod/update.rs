//! Validation of an update of a Pod (`ValidatePodUpdate` in `pkg/apis/core/validation/validation.go`). Images and
//! deadlines may change, tolerations may be added and scheduling gates removed; a gated pod may also be narrowed in
//! where it may run.

use std::collections::BTreeMap;

use crate::api::ApiKind;
use crate::api::names::inclusive_range_error;
use crate::api::types as t;
use crate::api::well_known::{APP_ARMOR_ANNOTATION_PREFIX, CONFIG_MIRROR_ANNOTATION as MIRROR};

use super::validation::metadata_and_spec;
use crate::apiserver::validation::diff;
use crate::apiserver::validation::field::{BadValue, Errors, FieldError, Path, json_map};
use crate::apiserver::validation::meta::{object_meta_update_generic, standard_finalizers};
use crate::apiserver::validation::pod_spec::pod_annotations;
use crate::apiserver::validation::{container, internal, list, scheduling, semantic_eq, text};

const UPDATABLE: &str = "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/// What may happen to a pod's metadata in an update.
pub(super) fn metadata(errs: &mut Errors, new: &t::Pod, old: &t::Pod) {
    object_meta_update_generic(errs, new.resource_version(), &new.metadata, &old.metadata);
    standard_finalizers(errs, &new.metadata);
}

pub(in crate::apiserver) fn update(errs: &mut Errors, new: &t::Pod, old: &t::Pod) {
    metadata(errs, new, old);
    metadata_and_spec(errs, new);
    annotations(errs, new, old);
    let path = Path::new("spec");
    let (spec, before) = (&*new.whole_spec(), &*old.whole_spec());
    if !images(errs, &spec.containers, &before.containers, &path.child("containers"))
        || !images(
            errs,
            list(&spec.init_containers),
            list(&before.init_containers),
            &path.child("initContainers"),
        )
        || !active_deadline(errs, spec, before, &path.child("activeDeadlineSeconds"))
    {
        return;
    }
    tolerations(errs, spec, before, &path.child("tolerations"));
    gates(errs, spec, before, &path.child("schedulingGates"));
    if semantic_eq(spec, before) {
        return;
    }
    let munged = munge(errs, spec, before, &path);
    if !semantic_eq(&munged, before) {
        let diff =
            diff::unified(&internal::pod_spec(before).indented(), &internal::pod_spec(&munged).indented());
        errs.push(FieldError::forbidden(
            &path,
            format!("pod updates may not change fields other than {UPDATABLE}\n{diff}"),
        ));
    }
}

/// Refuses that certain annotations are added, removed or changed.
pub(in crate::apiserver) fn annotations(errs: &mut Errors, new: &t::Pod, old: &t::Pod) {
    let path = Path::new("metadata").child("annotations");
    let none = BTreeMap::new();
    let after = new.metadata.annotations.as_ref().unwrap_or(&none);
    let before = old.metadata.annotations.as_ref().unwrap_or(&none);
    for (key, _) in before.iter().filter(|(k, v)| after.get(*k) != Some(v)) {
        if key.starts_with(APP_ARMOR_ANNOTATION_PREFIX) {
            let message = "may not remove or update AppArmor annotations";
            errs.push(FieldError::forbidden(&path.key(key), message));
        }
        if key == MIRROR {
            let message = "may not remove or update mirror pod annotation";
            errs.push(FieldError::forbidden(&path.key(key), message));
        }
    }
    for key in after.keys().filter(|k| !before.contains_key(*k)) {
        if key.starts_with(APP_ARMOR_ANNOTATION_PREFIX) {
            errs.push(FieldError::forbidden(&path.key(key), "may not add AppArmor annotations"));
        }
        if key == MIRROR {
            errs.push(FieldError::forbidden(&path.key(key), "may not add mirror pod annotation"));
        }
    }
    let none = Default::default();
    let spec = new.spec.as_deref().unwrap_or(&none);
    pod_annotations(errs, &new.metadata, spec, new.node_name(), &path);
}

/// Validates the images. Returns whether the other rules are to be checked.
fn images(errs: &mut Errors, new: &[t::Container], old: &[t::Container], path: &Path) -> bool {
    if new.len() != old.len() {
        errs.push(FieldError::forbidden(path, "pod updates may not add or remove containers"));
        return false;
    }
    for (i, c) in new.iter().enumerate() {
        if text(&c.image).is_empty() {
            errs.push(FieldError::required(&path.index(i).child("image"), ""));
        }
        container::image_blanks(errs, text(&c.image), &path.index(i));
    }
    true
}

/// Validates that a deadline is only set or brought forward. Returns whether the other rules are to be checked.
fn active_deadline(errs: &mut Errors, new: &t::PodSpec, old: &t::PodSpec, path: &Path) -> bool {
    match (new.active_deadline_seconds, old.active_deadline_seconds) {
        (Some(seconds), before) => {
            let max = i64::from(i32::MAX);
            if !(0..=max).contains(&seconds) {
                errs.push(FieldError::invalid(path, seconds, inclusive_range_error(0, max)));
                return false;
            }
            if before.is_some_and(|before| before < seconds) {
                let message = "must be less than or equal to previous value";
                errs.push(FieldError::invalid(path, seconds, message));
                return false;
            }
        }
        (None, Some(_)) => errs.push(FieldError::invalid(
            path,
            BadValue::Json("null".to_owned()),
            "must not update from a positive integer to nil value",
        )),
        (None, None) => {}
    }
    true
}

fn tolerations(errs: &mut Errors, new: &t::PodSpec, old: &t::PodSpec, path: &Path) {
    let after = list(&new.tolerations);
    let kept = |old: &t::Toleration| {
        after.iter().any(|new| {
            let mut same = old.clone();
            same.toleration_seconds = new.toleration_seconds;
            same == *new
        })
    };
    if !list(&old.tolerations).iter().all(kept) {
        let message = "existing toleration can not be modified except its tolerationSeconds";
        errs.push(FieldError::forbidden(path, message));
        return;
    }
    scheduling::tolerations(errs, after, path);
}

fn gates(errs: &mut Errors, new: &t::PodSpec, old: &t::PodSpec, path: &Path) {
    let before = list(&old.scheduling_gates);
    for (i, gate) in list(&new.scheduling_gates).iter().enumerate() {
        if !before.iter().any(|b| b.name == gate.name) {
            errs.push(FieldError::forbidden(
                &path.index(i).child("name"),
                format!("only deletion is allowed, but found new scheduling gate '{}'", gate.name),
            ));
        }
    }
}

/// The new spec with the old values of the fields that may change, for comparison with the old spec.
fn munge(errs: &mut Errors, new: &t::PodSpec, old: &t::PodSpec, path: &Path) -> t::PodSpec {
    let mut munged = new.clone();
    for (container, before) in munged.containers.iter_mut().zip(&old.containers) {
        container.image.clone_from(&before.image);
    }
    let init = munged.init_containers.iter_mut().flatten();
    for (container, before) in init.zip(list(&old.init_containers)) {
        container.image.clone_from(&before.image);
    }
    munged.active_deadline_seconds = old.active_deadline_seconds;
    munged.scheduling_gates.clone_from(&old.scheduling_gates);
    munged.tolerations.clone_from(&old.tolerations);
    if old.termination_grace_period_seconds.is_some_and(|s| s < 0)
        && munged.termination_grace_period_seconds == Some(1)
    {
        munged.termination_grace_period_seconds = old.termination_grace_period_seconds;
    }
    if list(&old.scheduling_gates).is_empty() {
        return munged;
    }
    // The scheduler has not looked at a gated pod yet, so its node selector and affinity may be narrowed.
    let none = BTreeMap::new();
    let selector = munged.node_selector.as_ref().unwrap_or(&none);
    let before = old.node_selector.as_ref().unwrap_or(&none);
    if before.iter().any(|(k, v)| selector.get(k) != Some(v)) {
        errs.push(FieldError::invalid(
            &path.child("nodeSelector"),
            json_map(munged.node_selector.as_ref()),
            "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
        ));
    }
    munged.node_selector.clone_from(&old.node_selector);
    let node_affinity = |spec: &t::PodSpec| spec.affinity.as_ref().and_then(|a| a.node_affinity.clone());
    let (after, before) = (node_affinity(&munged), node_affinity(old));
    if after != before {
        affinity_mutation(errs, after.as_ref(), before.as_ref(), path);
        let affinity = munged.affinity.get_or_insert_default();
        affinity.node_affinity = before;
        if old.affinity.is_none() && *affinity == t::Affinity::default() {
            munged.affinity = None;
        }
    }
    munged
}

fn affinity_mutation(
    errs: &mut Errors,
    new: Option<&t::NodeAffinity>,
    old: Option<&t::NodeAffinity>,
    path: &Path,
) {
    let terms = |affinity: Option<&t::NodeAffinity>| {
        affinity
            .and_then(|a| a.required_during_scheduling_ignored_during_execution.clone())
            .map(|required| required.node_selector_terms)
    };
    let Some(before) = terms(old).filter(|terms| !terms.is_empty()) else { return };
    let after = terms(new).unwrap_or_default();
    let quote = |term: &t::NodeSelectorTerm| internal::quote("NodeSelectorTerm", term).to_string();
    let at = path
        .child("affinity")
        .child("nodeAffinity")
        .child("requiredDuringSchedulingIgnoredDuringExecution")
        .child("nodeSelectorTerms");
    if before.len() != after.len() {
        let all: Vec<String> = after.iter().map(quote).collect();
        let value = if all.is_empty() { "null".to_owned() } else { format!("[{}]", all.join(",")) };
        let message = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
        errs.push(FieldError::invalid(&at, BadValue::Json(value), message));
        return;
    }
    for (i, (new, old)) in after.iter().zip(&before).enumerate() {
        let (expressions, fields) = (list(&old.match_expressions), list(&old.match_fields));
        let empty = expressions.is_empty() && fields.is_empty();
        let (new_expressions, new_fields) = (list(&new.match_expressions), list(&new.match_fields));
        let widened = empty && !(new_expressions.is_empty() && new_fields.is_empty());
        if widened || !new_expressions.starts_with(expressions) || !new_fields.starts_with(fields) {
            let message = "only additions are allowed (no mutations or deletions)";
            errs.push(FieldError::invalid(&at.index(i), BadValue::Json(quote(new)), message));
        }
    }
}
