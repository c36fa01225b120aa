//! The spec of a definition.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::go_json;
use super::super::internal::{Parts, Spec};
use super::super::schema::Structural;
use super::super::types::{CustomResourceDefinition, CustomResourceSubresources};
use super::super::visit::visit;
use super::{Options, conversion, keywords, parts};
use crate::apiserver::validation::{Errors, FieldError, Path, dns1035_label, dns1123_subdomain, text};

pub(super) fn validate(errs: &mut Errors, spec: &Spec<'_>, options: &Options) {
    let path = Path::new("spec");
    let written = &spec.crd.spec;
    group_and_scope(errs, spec.crd, &path);
    let preserves = written.preserve_unknown_fields == Some(true);
    let mut options = options.clone();
    options.structural |= !preserves || has_extensions(spec);
    schemas_are_there(errs, spec, &options, preserves, &path);
    if has_defaults(spec) {
        options.structural = true;
        if preserves {
            let at = path.child("preserveUnknownFields");
            errs.push(FieldError::invalid(&at, true, "must be false in order to use defaults in the schema"));
        }
    }
    versions(errs, spec, &options, &path);

    let names = &written.names;
    for (field, name) in [
        ("plural", names.plural.as_str()),
        ("singular", text(&names.singular)),
        ("kind", names.kind.as_str()),
        ("listKind", text(&names.list_kind)),
    ] {
        if name.is_empty() {
            errs.push(FieldError::required(&path.child("names").child(field), ""));
        }
    }
    parts::names(errs, names, &path.child("names"));
    if let Some(validation) = spec.common.schema {
        let has_status = has_status(spec.common.subresources)
            || spec.versions.iter().any(|v| has_status(v.own.subresources));
        let at = path.child("validation");
        let unchanged = options.unchanged.contains(spec.version);
        keywords::validate(errs, validation, has_status, unchanged, &options, &at);
    }
    parts::subresources(errs, spec.common.subresources, &path.child("subresources"));
    for (i, column) in spec.common.columns.into_iter().flatten().enumerate() {
        parts::column(errs, column, &path.child("additionalPrinterColumns").index(i));
    }
    if let Some(fields) = spec.common.selectable {
        let at = path.child("selectableFields");
        match spec.common.schema {
            None => {
                errs.push(FieldError::invalid(&at, "", "may only be set when validations.schema is included"))
            }
            Some(_) => selectable(
                errs,
                fields,
                &spec.common,
                "",
                &options,
                &at,
                &path.child("schema.openAPIV3Schema"),
            ),
        }
    }
    if preserves && let Some(conversion) = written.conversion.as_ref().filter(|c| c.strategy != "None") {
        let at = path.child("conversion").child("strategy");
        let detail = "must be None if spec.preserveUnknownFields is true";
        errs.push(FieldError::invalid(&at, &conversion.strategy, detail));
    }
    conversion::validate(errs, spec.crd, options.review_version);
}

fn group_and_scope(errs: &mut Errors, crd: &CustomResourceDefinition, path: &Path) {
    let (group, scope) = (&crd.spec.group, &crd.spec.scope);
    let at = path.child("group");
    let bad = dns1123_subdomain(group);
    if group.is_empty() {
        errs.push(FieldError::required(&at, ""));
    } else if !bad.is_empty() {
        errs.push(FieldError::invalid(&at, group, bad.join(",")));
    } else if !group.contains('.') {
        errs.push(FieldError::invalid(&at, group, "should be a domain with at least one dot"));
    }
    let at = path.child("scope");
    if scope.is_empty() {
        errs.push(FieldError::required(&at, ""));
    } else if !matches!(scope.as_str(), "Cluster" | "Namespaced") {
        errs.push(FieldError::not_supported(&at, scope, &["Cluster", "Namespaced"]));
    }
}

fn has_status(subresources: Option<&CustomResourceSubresources>) -> bool {
    subresources.is_some_and(|s| s.status.is_some())
}

fn has_defaults(spec: &Spec<'_>) -> bool {
    super::has(spec, |s| s.default.as_ref().is_some_and(|v| v.0 != Value::Null))
}

fn has_extensions(spec: &Spec<'_>) -> bool {
    let mut found = false;
    for schema in spec.schemas() {
        visit(schema, &mut |s| {
            found |= s.x_kubernetes_embedded_resource == Some(true)
                || s.x_kubernetes_preserve_unknown_fields.is_some()
                || s.x_kubernetes_int_or_string == Some(true)
                || s.x_kubernetes_list_type.is_some()
                || s.x_kubernetes_list_map_keys.as_ref().is_some_and(|k| !k.is_empty())
                || s.x_kubernetes_validations.as_ref().is_some_and(|r| !r.is_empty());
        });
    }
    found
}

fn schemas_are_there(errs: &mut Errors, spec: &Spec<'_>, options: &Options, preserves: bool, path: &Path) {
    if spec.common.props().is_some() {
        return;
    }
    for (i, version) in spec.versions.iter().enumerate() {
        if version.own.props().is_some() {
            continue;
        }
        let at = path.child("versions").index(i).child("schema").child("openAPIV3Schema");
        if options.schemas {
            errs.push(FieldError::required(&at, ""));
        } else if !preserves && version.version.served {
            errs.push(FieldError::required(&at, "because otherwise all fields are pruned"));
        }
    }
}

fn versions(errs: &mut Errors, spec: &Spec<'_>, options: &Options, path: &Path) {
    let at = path.child("versions");
    let mut seen = BTreeSet::new();
    let mut unique = true;
    for (i, version) in spec.versions.iter().enumerate() {
        let name = &version.version.name;
        unique &= seen.insert(name);
        let at = at.index(i);
        let bad = dns1035_label(name);
        if !bad.is_empty() {
            errs.push(FieldError::invalid(&at.child("name"), name, bad.join(",")));
        }
        let warning = version.version.deprecation_warning.as_deref();
        let deprecated = version.version.deprecated == Some(true);
        parts::deprecation_warning(errs, deprecated, warning, &at.child("deprecationWarning"));
        if let Some(schema) = version.own.schema {
            let status = has_status(spec.common.subresources) || has_status(version.own.subresources);
            let unchanged = options.unchanged.contains(name);
            keywords::validate(errs, schema, status, unchanged, options, &at.child("schema"));
        }
        parts::subresources(errs, version.own.subresources, &at.child("subresources"));
        for (i, column) in version.own.columns.into_iter().flatten().enumerate() {
            parts::column(errs, column, &at.child("additionalPrinterColumns").index(i));
        }
        if let Some(fields) = version.own.selectable {
            let fields_at = at.child("selectableFields");
            if version.own.props().is_none() {
                let detail = "may only be set when `version.schema.openAPIV3Schema` is not included";
                errs.push(FieldError::invalid(&fields_at, "", detail));
            } else {
                let schema_at = at.child("schema.openAPIV3Schema");
                selectable(errs, fields, &version.own, name, options, &fields_at, &schema_at);
            }
        }
    }
    // The internal form cannot have the same in all versions and at the top, so that is not asked.
    if !unique {
        errs.push(FieldError::invalid(&at, go_json::versions(spec), "must contain unique version names"));
    }
    if spec.versions.iter().filter(|v| v.version.storage).count() != 1 {
        let detail = "must have exactly one version marked as storage version";
        errs.push(FieldError::invalid(&at, go_json::versions(spec), detail));
    }
    let bad = dns1035_label(spec.version);
    if !spec.version.is_empty() && !bad.is_empty() {
        errs.push(FieldError::invalid(&path.child("version"), spec.version, bad.join(",")));
    }
}

fn selectable(
    errs: &mut Errors,
    fields: &[super::SelectableField],
    own: &Parts<'_>,
    version: &str,
    options: &Options,
    path: &Path,
    schema_path: &Path,
) {
    match own.props().map(Structural::new) {
        Some(Ok(schema)) => {
            let too_many = options.too_many_fields.contains(version);
            parts::selectable_fields(errs, fields, &schema, path, too_many);
        }
        Some(Err(error)) => errs.push(FieldError::invalid(schema_path, "", error)),
        None => {}
    }
}

/// What a definition keeps: its names once it is served, its group and resource always.
pub(super) fn validate_immutable(
    errs: &mut Errors,
    new: &CustomResourceDefinition,
    old: &CustomResourceDefinition,
    options: &Options,
) {
    let path = Path::new("spec");
    let names = path.child("names");
    let (new, old) = (&new.spec, &old.spec);
    let mut immutable = vec![
        (path.child("group"), &new.group, &old.group),
        (names.child("plural"), &new.names.plural, &old.names.plural),
    ];
    if options.immutable_names {
        let established = [
            (path.child("scope"), &new.scope, &old.scope),
            (names.child("kind"), &new.names.kind, &old.names.kind),
        ];
        immutable.splice(0..0, established);
    }
    for (at, new, old) in immutable {
        if new != old {
            errs.push(FieldError::invalid(&at, new, "field is immutable"));
        }
    }
}
