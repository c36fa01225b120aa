//! Selectors, and the pod templates that they have to select
//! (`ValidatePodTemplateSpecForReplicaSet` in `pkg/apis/apps/validation/validation.go`).

use std::collections::BTreeMap;

use crate::api::labels::Selector;
use crate::api::types as t;

use super::field::{Errors, FieldError, Path, json_map};
use super::meta::{IMMUTABLE, label_selector};
use super::{internal, list, or_default, pod_spec, text};

/// The selector, if the body had one; one that is `{}` has an empty `matchLabels` (`kinds::mark_empty_selector`).
pub(in crate::apiserver) fn given(selector: &t::LabelSelector) -> Option<&t::LabelSelector> {
    (selector.match_labels.is_some() || selector.match_expressions.is_some()).then_some(selector)
}

/// Refuses that a selector changes.
pub(in crate::apiserver) fn immutable_selector(
    errs: &mut Errors,
    new: &t::LabelSelector,
    old: &t::LabelSelector,
) {
    if new != old {
        let value = internal::quote_selector(given(new));
        errs.push(FieldError::invalid(&Path::new("spec").child("selector"), value, IMMUTABLE));
    }
}

/// Validates the selector and the pod template of a Deployment or a ReplicaSet.
pub(in crate::apiserver) fn selector_and_template(
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
            if labels && list(&selector.match_expressions).is_empty() {
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

/// Validates a pod template whose labels `selector` has to select. `kind` is what a message calls the owner.
pub(in crate::apiserver) fn template_spec(
    errs: &mut Errors,
    template: &t::PodTemplateSpec,
    selector: &Selector,
    kind: &str,
    path: &Path,
) {
    let labels = template.metadata.as_ref().and_then(|m| m.labels.as_ref());
    let none = BTreeMap::new();
    if !selector.matches(labels.unwrap_or(&none)) {
        errs.push(FieldError::invalid(
            &path.child("metadata").child("labels"),
            json_map(labels),
            "`selector` does not match template `labels`",
        ));
    }
    pod_spec::template(errs, template, path);
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
