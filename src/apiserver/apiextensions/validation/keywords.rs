//! The keywords of a schema: which are allowed, and what they ask of each other
//! (`ValidateCustomResourceDefinitionOpenAPISchema`).

use serde_json::Value;

use super::super::go_json;
use super::super::schema::{Structural, validate as validate_structural};
use super::super::types::{
    CustomResourceValidation, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
    JSONSchemaPropsOrStringArray,
};
use super::lists::{has_set_of_parts, list_of_maps, map_keys};
use super::rules::{Costs, Scope};
use super::{Options, default_values, items};
use crate::apiserver::validation::{BadValue, Errors, FieldError, Path, text};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// What a schema at the root may say if there is a status subresource, in the words of the error.
const AT_ROOT: &str = "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]";

/// Whether a type is one of OpenAPI v3, or none.
pub(super) fn is_type(type_: &str) -> bool {
    type_.is_empty() || TYPES.contains(&type_)
}

/// The schema of a version or of all.
///
/// `has_status`: there is a status subresource. `unchanged`: this is a schema that was there before.
pub(super) fn validate(
    errs: &mut Errors,
    validation: &CustomResourceValidation,
    has_status: bool,
    unchanged: bool,
    options: &Options,
    path: &Path,
) {
    let Some(schema) = &validation.open_api_v3_schema else { return };
    let at = path.child("openAPIV3Schema");
    let before = errs.len();
    if has_status {
        root(errs, schema, path);
    }
    if schema.nullable == Some(true) {
        errs.push(FieldError::forbidden(
            &path.child("openAPIV3Schema.nullable"),
            "nullable cannot be true at the root",
        ));
    }
    let mut walk =
        Walk { options, unchanged, schema: Errors::new(), rules: Errors::new(), costs: Costs::default() };
    let mut unsupported = None;
    let structural = Structural::new(schema);
    let mut scope = None;
    if options.structural {
        match &structural {
            // The keywords say the same in other words, so this is told only if they say nothing.
            Err(error) => unsupported = Some(FieldError::invalid(&at, "", error.as_str())),
            Ok(structural) => {
                let mut found = validate_structural(structural, &at);
                if found.is_empty() {
                    found = default_values::validate(structural, &at, options.pruned_defaults);
                }
                if found.is_empty() {
                    scope = Some(Scope::root(schema, structural));
                }
                errs.append(&mut found);
            }
        }
    }
    let inside = Inside { no_defaults: None, meta: false, uncorrelated: None };
    walk.schema(schema, &at, &inside, true, scope.as_ref());
    errs.append(&mut walk.schema);
    errs.append(&mut walk.rules);
    if errs.len() == before {
        errs.extend(unsupported);
    }
    walk.costs.validate(errs, &at);
}

/// With a status subresource, the status is validated by its own part of the schema, so nothing may be
/// said of the whole.
fn root(errs: &mut Errors, s: &JSONSchemaProps, path: &Path) {
    let type_ = text(&s.type_);
    let filled = |t: &Option<String>| t.as_deref().is_some_and(|t| !t.is_empty());
    let some = |l: &Option<Vec<JSONSchemaProps>>| l.as_ref().is_some_and(|l| !l.is_empty());
    if !(filled(&s.id) || filled(&s.schema) || s.ref_path.is_some()) {
        if !matches!(type_, "" | "object") {
            let at = path.child("openAPIV3Schema.type");
            let detail = "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled";
            errs.push(FieldError::invalid(&at, type_, detail));
            return;
        }
        let other = s.nullable == Some(true)
            || s.default.is_some()
            || s.enum_.is_some()
            || s.max_properties.is_some()
            || s.min_properties.is_some()
            || some(&s.all_of)
            || some(&s.one_of)
            || some(&s.any_of)
            || s.not.is_some()
            || s.additional_properties.is_some()
            || s.pattern_properties.is_some()
            || s.dependencies.is_some()
            || s.additional_items.is_some()
            || s.definitions.is_some()
            || s.x_kubernetes_embedded_resource == Some(true)
            || s.x_kubernetes_int_or_string == Some(true)
            || s.x_kubernetes_list_map_keys.is_some()
            || s.x_kubernetes_list_type.is_some()
            || s.x_kubernetes_map_type.is_some();
        if !other {
            return;
        }
    }
    let detail = format!(
        "only {AT_ROOT} fields are allowed at the root of the schema if the status subresource is enabled"
    );
    let value = BadValue::Json(go_json::schema(s));
    errs.push(FieldError::invalid(&path.child("openAPIV3Schema"), value, detail));
}

/// What is known from the schemas around one.
#[derive(Clone)]
struct Inside {
    /// Why there may be no defaults.
    no_defaults: Option<String>,
    /// It is about the type or the metadata of an object.
    meta: bool,
    /// The outermost list or map whose old and new items are not known to belong together.
    uncorrelated: Option<Path>,
}

impl Inside {
    fn uncorrelated(&self, path: &Path) -> Inside {
        Inside {
            uncorrelated: Some(self.uncorrelated.clone().unwrap_or_else(|| path.clone())),
            ..self.clone()
        }
    }
}

struct Walk<'o> {
    options: &'o Options,
    unchanged: bool,
    schema: Errors,
    rules: Errors,
    costs: Costs,
}

impl Walk<'_> {
    fn forbidden(&mut self, path: &Path, detail: impl Into<String>) {
        self.schema.push(FieldError::forbidden(path, detail));
    }

    fn schema(
        &mut self,
        s: &JSONSchemaProps,
        path: &Path,
        inside: &Inside,
        is_root: bool,
        scope: Option<&Scope<'_>>,
    ) {
        let before = self.schema.len();
        self.unsupported(s, path, inside);
        if s.unique_items == Some(true) {
            let detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
            self.forbidden(&path.child("uniqueItems"), detail);
        }
        self.properties(s, path, inside, is_root, scope);
        if let Some(not) = &s.not {
            self.schema(not, &path.child("not"), inside, false, None);
        }
        for (parts, name) in [(&s.all_of, "allOf"), (&s.one_of, "oneOf"), (&s.any_of, "anyOf")] {
            for (i, part) in parts.iter().flatten().enumerate() {
                self.schema(part, &path.child(name).index(i), inside, false, None);
            }
        }
        for (name, part) in s.definitions.iter().flatten() {
            self.schema(part, &path.child("definitions").key(name), inside, false, None);
        }
        if let Some(items) = &s.items {
            let sub = match s.x_kubernetes_list_type.as_deref() {
                Some("map") => inside.clone(),
                _ => inside.uncorrelated(path),
            };
            let at = path.child("items");
            match items {
                JSONSchemaPropsOrArray::Schema(items) => {
                    let scope = scope.and_then(|c| c.items(items));
                    self.schema(items, &at, &sub, false, scope.as_ref());
                }
                JSONSchemaPropsOrArray::Schemas(list) => {
                    for (i, items) in list.iter().enumerate() {
                        self.schema(items, &at.index(i), &sub, false, None);
                    }
                }
            }
        }
        for (name, dependency) in s.dependencies.iter().flatten() {
            if let JSONSchemaPropsOrStringArray::Schema(part) = dependency {
                self.schema(part, &path.child("dependencies").key(name), inside, false, None);
            }
        }
        self.extensions(s, path);
        if self.options.map_keys {
            self.schema.append(&mut map_keys(s, path));
        }
        let rules = s.x_kubernetes_validations.as_deref().unwrap_or_default();
        if rules.is_empty() {
            return;
        }
        for (i, rule) in rules.iter().enumerate() {
            super::rules::texts(&mut self.schema, rule, s, &path.child("x-kubernetes-validations").index(i));
        }
        // What is wrong with the schema would only be said again, in words about types.
        if self.schema.len() == before
            && let Some(scope) = scope
        {
            let uncorrelated = inside.uncorrelated.as_ref();
            scope.compile(&mut self.rules, &mut self.costs, rules, path, uncorrelated, self.unchanged);
        }
    }

    fn properties(
        &mut self,
        s: &JSONSchemaProps,
        path: &Path,
        inside: &Inside,
        is_root: bool,
        scope: Option<&Scope<'_>>,
    ) {
        if let Some(additional) = &s.additional_properties {
            let at = path.child("additionalProperties");
            let any = !matches!(additional, JSONSchemaPropsOrBool::Bool(true));
            if any && s.properties.as_ref().is_some_and(|p| !p.is_empty()) {
                self.forbidden(&at, "additionalProperties and properties are mutual exclusive");
            }
            if let JSONSchemaPropsOrBool::Schema(schema) = additional {
                let mut sub = inside.clone();
                if inside.meta {
                    sub.no_defaults =
                        Some("inside additionalProperties applying to object metadata".to_owned());
                }
                let scope = scope.and_then(|c| c.additional_properties(schema));
                self.schema(schema, &at, &sub, false, scope.as_ref());
            }
        }
        for (name, property) in s.properties.iter().flatten() {
            let mut sub = match s.x_kubernetes_map_type.as_deref() {
                None | Some("granular" | "atomic") => inside.clone(),
                Some(_) => inside.uncorrelated(path),
            };
            let is_meta = matches!(name.as_str(), "metadata" | "kind" | "apiVersion");
            if is_meta && (is_root || s.x_kubernetes_embedded_resource == Some(true)) {
                sub.meta = true;
                if is_root {
                    sub.no_defaults = Some(format!("in top-level {name}"));
                }
            }
            let scope = scope.and_then(|c| c.property(name, property));
            self.schema(property, &path.child("properties").key(name), &sub, false, scope.as_ref());
        }
    }

    /// The keywords that are not supported.
    fn unsupported(&mut self, s: &JSONSchemaProps, path: &Path, inside: &Inside) {
        let type_ = text(&s.type_);
        if self.options.property_types && !is_type(type_) {
            self.schema.push(FieldError::not_supported(&path.child("type"), type_, &TYPES));
        }
        if let Some(reason) =
            inside.no_defaults.as_ref().filter(|_| s.default.as_ref().is_some_and(|v| v.0 != Value::Null))
        {
            self.forbidden(&path.child("default"), format!("must not be set {reason}"));
        }
        let array = matches!(&s.items, Some(JSONSchemaPropsOrArray::Schemas(l)) if !l.is_empty());
        for (set, name, detail) in [
            (!text(&s.id).is_empty(), "id", "id is not supported"),
            (s.additional_items.is_some(), "additionalItems", "additionalItems is not supported"),
            (
                s.pattern_properties.as_ref().is_some_and(|m| !m.is_empty()),
                "patternProperties",
                "patternProperties is not supported",
            ),
            (
                s.definitions.as_ref().is_some_and(|m| !m.is_empty()),
                "definitions",
                "definitions is not supported",
            ),
            (s.dependencies.is_some(), "dependencies", "dependencies is not supported"),
            (s.ref_path.is_some(), "$ref", "$ref is not supported"),
            (type_ == "null", "type", "type cannot be set to null, use nullable as an alternative"),
            (array, "items", "items must be a schema object and not an array"),
            (
                inside.meta && s.x_kubernetes_embedded_resource == Some(true),
                "x-kubernetes-embedded-resource",
                "must not be used inside of resource meta",
            ),
        ] {
            if set {
                self.forbidden(&path.child(name), detail);
            }
        }
    }

    /// Kubernetes' own keywords, rules aside.
    fn extensions(&mut self, s: &JSONSchemaProps, path: &Path) {
        if s.x_kubernetes_preserve_unknown_fields == Some(false) {
            let at = path.child("x-kubernetes-preserve-unknown-fields");
            self.schema.push(FieldError::invalid(&at, false, "must be true or undefined"));
        }
        let type_ = text(&s.type_);
        let map_type = s.x_kubernetes_map_type.as_deref();
        let list_type = s.x_kubernetes_list_type.as_deref();
        if map_type.is_some() {
            self.needs_type(type_, "object", "must be object if x-kubernetes-map-type is specified", path);
        }
        if let Some(other) = map_type.filter(|t| !matches!(*t, "atomic" | "granular")) {
            let at = path.child("x-kubernetes-map-type");
            self.schema.push(FieldError::not_supported(&at, other, &["atomic", "granular"]));
        }
        if list_type.is_some() && type_ != "array" {
            self.needs_type(type_, "array", "must be array if x-kubernetes-list-type is specified", path);
        } else if self.options.atomic_sets && has_set_of_parts(s) {
            let is = items(s);
            let name = match is.map(|s| text(&s.type_)) {
                Some("array") => "x-kubernetes-list-type",
                _ => "x-kubernetes-map-type",
            };
            // In Kubernetes the value is that of the list type in both cases.
            let value = match is.and_then(|s| s.x_kubernetes_list_type.as_deref()) {
                Some(t) => t.into(),
                None => BadValue::Json("null".to_owned()),
            };
            let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
            self.schema.push(FieldError::invalid(&path.child("items").child(name), value, detail));
        }
        let at = path.child("x-kubernetes-list-type");
        if let Some(other) = list_type.filter(|t| !matches!(*t, "atomic" | "set" | "map")) {
            self.schema.push(FieldError::not_supported(&at, other, &["atomic", "set", "map"]));
        }
        let keys = s.x_kubernetes_list_map_keys.as_deref().unwrap_or_default();
        let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        match list_type {
            _ if keys.is_empty() => {}
            None => self.schema.push(FieldError::required(&at, detail)),
            Some("map") => {}
            Some(other) => self.schema.push(FieldError::invalid(&at, other, detail)),
        }
        if list_type == Some("map") {
            list_of_maps(&mut self.schema, s, keys, path);
        }
    }

    fn needs_type(&mut self, type_: &str, wanted: &str, detail: &str, path: &Path) {
        let at = path.child("type");
        if type_.is_empty() {
            self.schema.push(FieldError::required(&at, detail));
        } else if type_ != wanted {
            self.schema.push(FieldError::invalid(&at, type_, detail));
        }
    }
}
