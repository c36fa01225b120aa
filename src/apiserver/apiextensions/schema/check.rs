//! Whether a schema is structural (`pkg/apiserver/schema/validation.go` and `complete.go`).

use super::{AdditionalProperties, Structural, ValueValidation};
use crate::api::{order, regexp};
use crate::apiserver::validation::{Errors, FieldError, Path};

/// Where a schema stands.
#[derive(Clone, Copy, PartialEq)]
enum Level {
    Root,
    Item,
    Field,
}

/// What keeps a schema from being structural; sorted by text. Nothing if it is.
pub fn validate(schema: &Structural, path: &Path) -> Errors {
    let mut check = Check { errs: Errors::new() };
    check.invariants(schema, Level::Root, path);
    check.complete(&schema.value, Some(schema), path, path);
    order::sort_by_key(&mut check.errs, ToString::to_string);
    check.errs
}

struct Check {
    errs: Errors,
}

impl Check {
    fn required(&mut self, path: &Path, detail: impl Into<String>) {
        self.errs.push(FieldError::required(path, detail));
    }

    fn forbidden(&mut self, path: &Path, detail: &str) {
        self.errs.push(FieldError::forbidden(path, detail));
    }

    fn invariants(&mut self, s: &Structural, level: Level, path: &Path) {
        if s.type_ == "array" && s.items.is_none() {
            self.required(&path.child("items"), "must be specified");
        }
        if let Some(items) = &s.items {
            self.invariants(items, Level::Item, &path.child("items"));
        }
        for (name, property) in &s.properties {
            self.invariants(property, Level::Field, &path.child("properties").key(name));
        }
        let additional = path.child("additionalProperties");
        if s.additional_properties.is_some() && level == Level::Root {
            self.forbidden(&additional, "must not be used at the root");
        }
        if let Some(schema) = s.additional_schema() {
            self.invariants(schema, Level::Field, &additional);
        }
        for (set, name) in [
            (s.preserve_unknown_fields, "x-kubernetes-preserve-unknown-fields"),
            (s.embedded_resource, "x-kubernetes-embedded-resource"),
        ] {
            if s.int_or_string && set {
                let detail = "must be false if x-kubernetes-int-or-string is true";
                self.errs.push(FieldError::invalid(&path.child(name), true, detail));
            }
        }
        self.values(&s.value, s.is_int_or_string_any_of(), s.is_int_or_string_all_of(), path);
        self.typed(s, level, path);
        if s.embedded_resource && s.additional_properties.is_some() {
            self.forbidden(&additional, "must not be used if x-kubernetes-embedded-resource is set");
        }
        if level == Level::Root && !s.type_.is_empty() && s.type_ != "object" {
            self.errs.push(FieldError::invalid(&path.child("type"), &s.type_, "must be object at the root"));
        }
        self.meta(s, level, path);
        if s.embedded_resource && !s.preserve_unknown_fields && s.properties.is_empty() {
            self.required(
                &path.child("properties"),
                "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
            );
        }
    }

    fn typed(&mut self, s: &Structural, level: Level, path: &Path) {
        let at = path.child("type");
        if s.embedded_resource && s.type_ != "object" {
            let detail = "must be object if x-kubernetes-embedded-resource is true";
            if s.type_.is_empty() {
                self.required(&at, detail);
            } else {
                self.errs.push(FieldError::invalid(&at, &s.type_, detail));
            }
        } else if s.type_.is_empty() && !s.int_or_string && !s.preserve_unknown_fields {
            self.required(
                &at,
                match level {
                    Level::Root => "must not be empty at the root",
                    Level::Item => "must not be empty for specified array items",
                    Level::Field => "must not be empty for specified object fields",
                },
            );
        }
    }

    /// What an object's own properties `apiVersion`, `kind` and `metadata` may say.
    fn meta(&mut self, s: &Structural, level: Level, path: &Path) {
        let checked = level == Level::Root || s.embedded_resource;
        let properties = path.child("properties");
        for name in ["kind", "apiVersion"] {
            if let Some(property) = s.properties.get(name).filter(|p| checked && p.type_ != "string") {
                let at = properties.key(name).child("type");
                self.errs.push(FieldError::invalid(&at, &property.type_, "must be string"));
            }
        }
        let Some(metadata) = s.properties.get("metadata") else { return };
        let at = properties.key("metadata");
        if checked && metadata.type_ != "object" {
            self.errs.push(FieldError::invalid(&at.child("type"), &metadata.type_, "must be object"));
        }
        if level == Level::Root {
            let mut rest = metadata.clone();
            if rest.properties.keys().all(|k| k == "name" || k == "generateName") {
                rest.properties.clear();
            }
            rest.type_.clear();
            rest.default = None;
            if rest != Structural::default() {
                self.forbidden(
                    &at,
                    "must not specify anything other than name and generateName, but metadata is implicitly specified",
                );
            }
        }
    }

    fn values(&mut self, v: &ValueValidation, skip_any_of: bool, skip_all_of: bool, path: &Path) {
        if !skip_any_of {
            for (i, part) in v.any_of.iter().enumerate() {
                self.nested(part, false, &path.child("anyOf").index(i));
            }
        }
        for (i, part) in v.all_of.iter().enumerate() {
            self.nested(part, skip_all_of && i == 0, &path.child("allOf").index(i));
        }
        for (i, part) in v.one_of.iter().enumerate() {
            self.nested(part, false, &path.child("oneOf").index(i));
        }
        if let Some(part) = &v.not {
            self.nested(part, false, &path.child("not"));
        }
        if !v.pattern.is_empty()
            && let Err(error) = regexp::compile(&v.pattern)
        {
            let detail = format!("must be a valid regular expression, but isn't: {error}");
            self.errs.push(FieldError::invalid(&path.child("pattern"), &v.pattern, detail));
        }
    }

    /// A part of `allOf`, `anyOf`, `oneOf` or `not`.
    fn nested(&mut self, v: &Structural, skip_any_of: bool, path: &Path) {
        self.values(&v.value, skip_any_of, false, path);
        if let Some(items) = &v.items {
            self.nested(items, false, &path.child("items"));
        }
        for (name, property) in &v.properties {
            self.nested(property, false, &path.child("properties").key(name));
        }
        const EMPTY: &str = "must be empty to be structural";
        const UNDEFINED: &str = "must be undefined to be structural";
        const FALSE: &str = "must be false to be structural";
        let additional = matches!(
            v.additional_properties,
            Some(AdditionalProperties::Schema(_) | AdditionalProperties::Bool(true))
        );
        for (set, name, detail) in [
            (!v.type_.is_empty(), "type", EMPTY),
            (additional, "additionalProperties", UNDEFINED),
            (v.default.is_some(), "default", UNDEFINED),
            (!v.title.is_empty(), "title", EMPTY),
            (!v.description.is_empty(), "description", EMPTY),
            (v.nullable, "nullable", FALSE),
            (v.preserve_unknown_fields, "x-kubernetes-preserve-unknown-fields", FALSE),
            (v.embedded_resource, "x-kubernetes-embedded-resource", FALSE),
            (v.int_or_string, "x-kubernetes-int-or-string", FALSE),
            (!v.list_map_keys.is_empty(), "x-kubernetes-list-map-keys", EMPTY),
            (v.list_type.is_some(), "x-kubernetes-list-type", UNDEFINED),
            (v.map_type.is_some(), "x-kubernetes-map-type", UNDEFINED),
            (!v.rules.is_empty(), "x-kubernetes-validations", EMPTY),
        ] {
            if set {
                self.forbidden(&path.child(name), detail);
            }
        }
        if v.properties.contains_key("metadata") {
            let at = path.child("properties").key("metadata");
            self.forbidden(&at, "must not be specified in a nested context");
        }
    }

    /// Whether all that limits values has a counterpart in the structure.
    fn complete(&mut self, v: &ValueValidation, s: Option<&Structural>, at: &Path, from: &Path) {
        if let Some(part) = &v.not {
            self.complete_nested(part, s, at, &from.child("not"));
        }
        for (parts, name) in [(&v.all_of, "allOf"), (&v.any_of, "anyOf"), (&v.one_of, "oneOf")] {
            for (i, part) in parts.iter().enumerate() {
                self.complete_nested(part, s, at, &from.child(name).index(i));
            }
        }
    }

    fn complete_nested(&mut self, v: &Structural, s: Option<&Structural>, at: &Path, from: &Path) {
        let Some(s) = s else {
            self.required(at, format!("because it is defined in {from}"));
            return;
        };
        self.complete(&v.value, Some(s), at, from);
        if let Some(items) = &v.items {
            self.complete_nested(items, s.items.as_deref(), &at.child("items"), &from.child("items"));
        }
        for (name, property) in &v.properties {
            let (at, from) = (at.child("properties").key(name), from.child("properties").key(name));
            self.complete_nested(property, s.properties.get(name), &at, &from);
        }
    }
}
