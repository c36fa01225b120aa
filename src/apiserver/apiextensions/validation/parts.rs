//! The parts of a definition other than its schemas: names, printer columns, subresources, selectable
//! fields.

use std::collections::BTreeSet;

use super::super::field_path::field_path;
use super::super::schema::Structural;
use super::super::types::{
    CustomResourceColumnDefinition, CustomResourceDefinitionNames, CustomResourceSubresources,
    SelectableField,
};
use crate::apiserver::validation::{Errors, FieldError, Path, dns1035_label, text};

/// How many fields a version may be selected by.
pub(super) const MAX_SELECTABLE_FIELDS: usize = 8;

fn label(errs: &mut Errors, name: &str, at: &Path) {
    let bad = dns1035_label(name);
    if !bad.is_empty() {
        errs.push(FieldError::invalid(at, name, bad.join(",")));
    }
}

/// The names of a kind, asked for or accepted; empty ones are left alone.
pub(super) fn names(errs: &mut Errors, names: &CustomResourceDefinitionNames, path: &Path) {
    for (field, name) in [("plural", names.plural.as_str()), ("singular", text(&names.singular))] {
        if !name.is_empty() {
            label(errs, name, &path.child(field));
        }
    }
    let list_kind = text(&names.list_kind);
    for (field, name) in [("kind", names.kind.as_str()), ("listKind", list_kind)] {
        let bad = if name.is_empty() { Vec::new() } else { dns1035_label(&name.to_lowercase()) };
        if !bad.is_empty() {
            let detail = format!("may have mixed case, but should otherwise match: {}", bad.join(","));
            errs.push(FieldError::invalid(&path.child(field), name, detail));
        }
    }
    for (i, name) in names.short_names.iter().flatten().enumerate() {
        label(errs, name, &path.child("shortNames").index(i));
    }
    if !names.kind.is_empty() && names.kind == list_kind {
        let detail = "kind and listKind may not be the same";
        errs.push(FieldError::invalid(&path.child("listKind"), list_kind, detail));
    }
    for (i, name) in names.categories.iter().flatten().enumerate() {
        label(errs, name, &path.child("categories").index(i));
    }
}

/// A printer column.
pub(super) fn column(errs: &mut Errors, column: &CustomResourceColumnDefinition, path: &Path) {
    const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
    const FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
    if column.name.is_empty() {
        errs.push(FieldError::required(&path.child("name"), ""));
    }
    let types = format!("must be one of {}", TYPES.join(","));
    if column.type_.is_empty() {
        errs.push(FieldError::required(&path.child("type"), types));
    } else if !TYPES.contains(&column.type_.as_str()) {
        errs.push(FieldError::invalid(&path.child("type"), &column.type_, types));
    }
    let format = text(&column.format);
    if !format.is_empty() && !FORMATS.contains(&format) {
        let detail = format!("must be one of {}", FORMATS.join(","));
        errs.push(FieldError::invalid(&path.child("format"), format, detail));
    }
    let at = path.child("JSONPath");
    if column.json_path.is_empty() {
        errs.push(FieldError::required(&at, ""));
    } else {
        json_path(errs, &column.json_path, &at);
    }
}

/// Whether a path begins with a dot.
fn json_path(errs: &mut Errors, path: &str, at: &Path) -> bool {
    if path.starts_with('.') {
        return true;
    }
    errs.push(FieldError::invalid(at, path, "must be a simple json path starting with ."));
    false
}

/// The subresources status and scale.
pub(super) fn subresources(
    errs: &mut Errors,
    subresources: Option<&CustomResourceSubresources>,
    path: &Path,
) {
    let Some(scale) = subresources.and_then(|s| s.scale.as_ref()) else { return };
    for (name, value, prefix, detail) in [
        ("scale.specReplicasPath", &scale.spec_replicas_path, ".spec.", "should be a json path under .spec"),
        (
            "scale.statusReplicasPath",
            &scale.status_replicas_path,
            ".status.",
            "should be a json path under .status",
        ),
    ] {
        let at = path.child(name);
        if value.is_empty() {
            errs.push(FieldError::required(&at, ""));
        } else if json_path(errs, value, &at) && !value.starts_with(prefix) {
            errs.push(FieldError::invalid(&at, value, detail));
        }
    }
    let selector = text(&scale.label_selector_path);
    let at = path.child("scale.labelSelectorPath");
    if !selector.is_empty()
        && json_path(errs, selector, &at)
        && ![".spec.", ".status."].iter().any(|prefix| selector.starts_with(prefix))
    {
        let detail = "should be a json path under either .spec or .status";
        errs.push(FieldError::invalid(&at, selector, detail));
    }
}

/// The fields that objects may be selected by. `may_be_too_many`: they were before.
pub(super) fn selectable_fields(
    errs: &mut Errors,
    fields: &[SelectableField],
    schema: &Structural,
    path: &Path,
    may_be_too_many: bool,
) {
    let mut seen = BTreeSet::new();
    for (i, field) in fields.iter().enumerate() {
        let at = path.index(i).child("jsonPath");
        if field.json_path.is_empty() {
            errs.push(FieldError::required(&at, ""));
            continue;
        }
        let invalid = |detail: String| FieldError::invalid(&at, &field.json_path, detail);
        let (found, schema) = match field_path(&field.json_path, schema, false) {
            Ok(found) => found,
            Err(error) => {
                errs.push(invalid(format!("is an invalid path: {error}")));
                continue;
            }
        };
        if found == "metadata" || found.starts_with("metadata.") {
            errs.push(invalid("must not point to fields in metadata".to_owned()));
        }
        if !matches!(schema.type_.as_str(), "string" | "boolean" | "integer") {
            errs.push(invalid("must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.".to_owned()));
        }
        if !seen.insert(found) {
            errs.push(FieldError::duplicate(&at, &field.json_path));
        }
    }
    if seen.len() > MAX_SELECTABLE_FIELDS && !may_be_too_many {
        errs.push(FieldError::too_many(path, seen.len(), MAX_SELECTABLE_FIELDS));
    }
}

/// The warning of a deprecated version.
pub(super) fn deprecation_warning(errs: &mut Errors, deprecated: bool, warning: Option<&str>, path: &Path) {
    let Some(warning) = warning else { return };
    let mut bad = Vec::new();
    if !deprecated {
        bad.push("can only be set for deprecated versions".to_owned());
    } else {
        if warning.len() > 256 {
            bad.push("must be <= 256 characters long".to_owned());
        }
        if warning.is_empty() {
            bad.push("must not be an empty string".to_owned());
        }
        // Of blanks only ASCII's is printable. In the rest Rust's escapes agree with Go.
        let printable = |c: char| {
            c == ' '
                || (!c.is_whitespace()
                    && (c.is_alphanumeric() || c.escape_debug().len() == 1 || "\"'\\".contains(c)))
        };
        if let Some((i, _)) = warning.char_indices().find(|(_, c)| !printable(*c)) {
            bad.push(format!(
                "must only contain printable UTF-8 characters; non-printable character found at index {i}"
            ));
        }
    }
    for detail in bad {
        errs.push(FieldError::invalid(path, warning, detail));
    }
}
