//! Whether a definition is valid (`pkg/apis/apiextensions/validation/validation.go`).
//!
//! The paths of errors are those of the internal form, in which what all versions have in common stands
//! at the top: `spec.validation.openAPIV3Schema`.

pub mod approval;
mod conversion;
mod default_values;
mod keywords;
mod lists;
mod parts;
mod rules;
mod spec;

use std::collections::{BTreeMap, BTreeSet};

use super::conditions::{self, ESTABLISHED};
use super::internal::Spec;
use super::schema::{Structural, validate as validate_structural};
use super::types::{CustomResourceDefinition, JSONSchemaProps, JSONSchemaPropsOrArray, SelectableField};
use super::visit::visit;
use crate::apiserver::validation::{
    BadValue, Errors, FieldError, Path, json_strings, name_is_dns_subdomain, object_meta_at,
    object_meta_update_generic, text,
};

/// What is asked of a definition. A definition that is there already is not asked for more than it kept.
#[derive(Clone)]
struct Options {
    /// Every version has a schema.
    schemas: bool,
    /// Types are those of OpenAPI v3.
    property_types: bool,
    /// Schemas are structural.
    structural: bool,
    /// Defaults have no unknown fields.
    pruned_defaults: bool,
    /// The items of a set are atomic.
    atomic_sets: bool,
    /// The keys of a list of maps are always there.
    map_keys: bool,
    /// Scope and kind do not change.
    immutable_names: bool,
    /// A webhook's ConversionReview is of a known version.
    review_version: bool,
    /// The versions whose schemas did not change: their rules may be as costly as they were.
    unchanged: BTreeSet<String>,
    /// The versions (or, without a name, the spec) whose selectable fields were too many before.
    too_many_fields: BTreeSet<String>,
}

/// What is wrong with a new definition, whose defaults are set and whose status is as
/// [`prepare_for_create`](super::strategy::prepare_for_create) leaves it.
pub fn validate_create(crd: &CustomResourceDefinition) -> Errors {
    let options = Options {
        schemas: true,
        property_types: true,
        structural: true,
        pruned_defaults: true,
        atomic_sets: true,
        map_keys: true,
        immutable_names: false,
        review_version: true,
        unchanged: BTreeSet::new(),
        too_many_fields: BTreeSet::new(),
    };
    let required = format!("{}.{}", crd.spec.names.plural, crd.spec.group);
    let rule = |name: &str, prefix: bool| {
        let mut out = name_is_dns_subdomain(name, prefix);
        if name != required {
            out.push("must be spec.names.plural+\".\"+spec.group".to_owned());
        }
        out
    };
    let mut errs = Errors::new();
    object_meta_at(&mut errs, &crd.metadata, false, &rule, &Path::new("metadata"));
    spec::validate(&mut errs, &Spec::of(crd), &options);
    status(&mut errs, crd);
    stored_versions(&mut errs, crd);
    approval::validate(&mut errs, crd, None);
    preserve_unknown_fields(&mut errs, crd, None);
    errs
}

/// What is wrong with an update of `old` to `new`, whose defaults are set and whose status is as
/// [`prepare_for_update`](super::strategy::prepare_for_update) leaves it.
pub fn validate_update(new: &CustomResourceDefinition, old: &CustomResourceDefinition) -> Errors {
    let (spec, before) = (Spec::of(new), Spec::of(old));
    let options = Options {
        schemas: before.common.props().is_some() || before.versions.iter().all(|v| v.own.props().is_some()),
        property_types: !has(&before, |s| !keywords::is_type(text(&s.type_)) && s.type_.is_some()),
        structural: before.schemas().all(is_structural),
        pruned_defaults: before.schemas().all(has_pruned_defaults),
        atomic_sets: !has(&before, lists::has_set_of_parts),
        map_keys: !has(&before, |s| !lists::map_keys(s, &Path::new("")).is_empty()),
        immutable_names: conditions::is_true(old, ESTABLISHED),
        review_version: conversion::has_known_version(old),
        unchanged: unchanged(new, old),
        too_many_fields: too_many_fields(&spec, &before),
    };
    let mut errs = Errors::new();
    object_meta_update_generic(
        &mut errs,
        new.metadata.resource_version.as_deref(),
        &new.metadata,
        &old.metadata,
    );
    spec::validate(&mut errs, &spec, &options);
    spec::validate_immutable(&mut errs, new, old, &options);
    status(&mut errs, new);
    stored_versions(&mut errs, new);
    approval::validate(&mut errs, new, Some(old));
    preserve_unknown_fields(&mut errs, new, Some(old));
    errs
}

/// What is wrong with an update of `old`'s status to that of `new`.
pub fn validate_status_update(new: &CustomResourceDefinition, old: &CustomResourceDefinition) -> Errors {
    let mut errs = Errors::new();
    object_meta_update_generic(
        &mut errs,
        new.metadata.resource_version.as_deref(),
        &new.metadata,
        &old.metadata,
    );
    status(&mut errs, new);
    errs
}

fn has(spec: &Spec<'_>, predicate: impl Fn(&JSONSchemaProps) -> bool) -> bool {
    let mut found = false;
    for schema in spec.schemas() {
        visit(schema, &mut |s| found |= predicate(s));
    }
    found
}

fn is_structural(schema: &JSONSchemaProps) -> bool {
    Structural::new(schema).is_ok_and(|s| validate_structural(&s, &Path::new("")).is_empty())
}

fn has_pruned_defaults(schema: &JSONSchemaProps) -> bool {
    let Ok(structural) = Structural::new(schema) else { return true };
    if !validate_structural(&structural, &Path::new("")).is_empty() {
        return true;
    }
    let mut pruned = structural.clone();
    super::defaulting::prune_defaults(&mut pruned);
    pruned == structural
}

fn unchanged(new: &CustomResourceDefinition, old: &CustomResourceDefinition) -> BTreeSet<String> {
    let before: BTreeMap<&str, _> = old.spec.versions.iter().map(|v| (v.name.as_str(), &v.schema)).collect();
    let same = new.spec.versions.iter().filter(|v| before.get(v.name.as_str()) == Some(&&v.schema));
    same.map(|v| v.name.clone()).collect()
}

fn too_many_fields(new: &Spec<'_>, old: &Spec<'_>) -> BTreeSet<String> {
    let many =
        |fields: Option<&[SelectableField]>| fields.is_some_and(|f| f.len() > parts::MAX_SELECTABLE_FIELDS);
    let mut out = BTreeSet::new();
    if many(old.common.selectable) && new.common.selectable == old.common.selectable {
        out.insert(String::new());
    }
    for version in &new.versions {
        let name = &version.version.name;
        let before =
            old.versions.iter().rev().find(|v| v.version.name == *name).and_then(|v| v.own.selectable);
        if many(before) && before == version.own.selectable {
            out.insert(name.clone());
        }
    }
    out
}

fn status(errs: &mut Errors, crd: &CustomResourceDefinition) {
    if let Some(names) = crd.status.as_ref().and_then(|s| s.accepted_names.as_ref()) {
        parts::names(errs, names, &Path::new("status").child("acceptedNames"));
    }
}

/// Objects may be stored in the versions that the status names, so these have to stay.
fn stored_versions(errs: &mut Errors, crd: &CustomResourceDefinition) {
    let at = Path::new("status").child("storedVersions");
    let stored = crd.status.as_ref().and_then(|s| s.stored_versions.as_deref()).unwrap_or_default();
    if stored.is_empty() {
        let null = BadValue::Json("null".to_owned());
        errs.push(FieldError::invalid(&at, null, "must have at least one stored version"));
        return;
    }
    let mut missing: BTreeMap<usize, &String> = BTreeMap::new();
    for (i, name) in stored.iter().enumerate() {
        missing.retain(|_, other| *other != name);
        missing.insert(i, name);
    }
    for version in &crd.spec.versions {
        if version.storage && !missing.values().any(|name| **name == version.name) {
            let detail = format!("must have the storage version {}", version.name);
            errs.push(FieldError::invalid(&at, json_strings(stored), detail));
        }
        missing.retain(|_, name| **name != version.name);
    }
    for (i, name) in missing {
        let detail = format!(
            "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
        );
        errs.push(FieldError::invalid(&at.index(i), name, detail));
    }
}

fn preserve_unknown_fields(
    errs: &mut Errors,
    crd: &CustomResourceDefinition,
    old: Option<&CustomResourceDefinition>,
) {
    let before = old.is_some_and(|old| old.spec.preserve_unknown_fields == Some(true));
    if !before && crd.spec.preserve_unknown_fields == Some(true) {
        let at = Path::new("spec").child("preserveUnknownFields");
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        errs.push(FieldError::invalid(&at, true, detail));
    }
}

/// The schema of `items`, if it is one.
fn items(schema: &JSONSchemaProps) -> Option<&JSONSchemaProps> {
    match &schema.items {
        Some(JSONSchemaPropsOrArray::Schema(items)) => Some(items),
        _ => None,
    }
}
