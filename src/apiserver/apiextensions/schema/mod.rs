//! Structural schemas: what the schema of a custom kind says, in the form in which everything else here
//! reads it (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema`).

mod check;

use std::collections::BTreeMap;

use serde_json::Value;

use super::types::{
    ExternalDocumentation, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool, ValidationRule,
};
use crate::apiserver::validation::text;

pub use check::validate;

/// A structural schema.
///
/// The parts of `allOf`, `anyOf`, `oneOf` and `not` are of this type, too; [`validate`] says whether they
/// keep to what is allowed there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structural {
    /// `object`, `array`, `string`, `integer`, `number`, `boolean`; empty for any.
    pub type_: String,
    /// `title`
    pub title: String,
    /// `description`
    pub description: String,
    /// `default`
    pub default: Option<Value>,
    /// `nullable`
    pub nullable: bool,
    /// `externalDocs`
    pub external_docs: Option<ExternalDocumentation>,
    /// `example`
    pub example: Option<Value>,
    /// `items`
    pub items: Option<Box<Structural>>,
    /// `properties`
    pub properties: BTreeMap<String, Structural>,
    /// `additionalProperties`
    pub additional_properties: Option<AdditionalProperties>,
    /// `x-kubernetes-preserve-unknown-fields`
    pub preserve_unknown_fields: bool,
    /// `x-kubernetes-embedded-resource`
    pub embedded_resource: bool,
    /// `x-kubernetes-int-or-string`
    pub int_or_string: bool,
    /// `x-kubernetes-list-map-keys`
    pub list_map_keys: Vec<String>,
    /// `x-kubernetes-list-type`
    pub list_type: Option<String>,
    /// `x-kubernetes-map-type`
    pub map_type: Option<String>,
    /// `x-kubernetes-validations`
    pub rules: Vec<ValidationRule>,
    /// What says nothing of the structure.
    pub value: ValueValidation,
}

/// `additionalProperties`: a schema, or whether there may be any.
#[derive(Clone, Debug, PartialEq)]
pub enum AdditionalProperties {
    /// The schema of every other property.
    Schema(Box<Structural>),
    /// Whether other properties are allowed.
    Bool(bool),
}

/// The keywords that limit values without contributing to the structure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueValidation {
    /// `format`
    pub format: String,
    /// `maximum`
    pub maximum: Option<f64>,
    /// `exclusiveMaximum`
    pub exclusive_maximum: bool,
    /// `minimum`
    pub minimum: Option<f64>,
    /// `exclusiveMinimum`
    pub exclusive_minimum: bool,
    /// `maxLength`, in characters.
    pub max_length: Option<i64>,
    /// `minLength`, in characters.
    pub min_length: Option<i64>,
    /// `pattern`
    pub pattern: String,
    /// `maxItems`
    pub max_items: Option<i64>,
    /// `minItems`
    pub min_items: Option<i64>,
    /// `multipleOf`
    pub multiple_of: Option<f64>,
    /// `enum`
    pub enumeration: Vec<Value>,
    /// `maxProperties`
    pub max_properties: Option<i64>,
    /// `minProperties`
    pub min_properties: Option<i64>,
    /// `required`
    pub required: Vec<String>,
    /// `allOf`
    pub all_of: Vec<Structural>,
    /// `oneOf`
    pub one_of: Vec<Structural>,
    /// `anyOf`
    pub any_of: Vec<Structural>,
    /// `not`
    pub not: Option<Box<Structural>>,
}

impl Structural {
    /// The structural form of a schema (`NewStructural`). `uniqueItems` is not kept: no definition has it.
    ///
    /// # Errors
    /// The first keyword that a structural schema cannot have.
    pub fn new(schema: &JSONSchemaProps) -> Result<Structural, String> {
        unsupported(schema)?;
        let list = |schemas: &Option<Vec<JSONSchemaProps>>| -> Result<Vec<Structural>, String> {
            schemas.iter().flatten().map(Structural::new).collect()
        };
        let preserve_unknown_fields = match schema.x_kubernetes_preserve_unknown_fields {
            Some(false) => {
                return Err(
                    "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
                        .to_owned(),
                );
            }
            other => other.is_some(),
        };
        let value = ValueValidation {
            format: text(&schema.format).to_owned(),
            maximum: schema.maximum,
            exclusive_maximum: schema.exclusive_maximum == Some(true),
            minimum: schema.minimum,
            exclusive_minimum: schema.exclusive_minimum == Some(true),
            max_length: schema.max_length,
            min_length: schema.min_length,
            pattern: text(&schema.pattern).to_owned(),
            max_items: schema.max_items,
            min_items: schema.min_items,
            multiple_of: schema.multiple_of,
            enumeration: schema.enum_.iter().flatten().map(|v| v.0.clone()).collect(),
            max_properties: schema.max_properties,
            min_properties: schema.min_properties,
            required: schema.required.clone().unwrap_or_default(),
            not: schema.not.as_deref().map(Structural::new).transpose()?.map(Box::new),
            all_of: list(&schema.all_of)?,
            any_of: list(&schema.any_of)?,
            one_of: list(&schema.one_of)?,
        };
        let items = match &schema.items {
            Some(JSONSchemaPropsOrArray::Schema(items)) => Some(Box::new(Structural::new(items)?)),
            Some(JSONSchemaPropsOrArray::Schemas(list)) if !list.is_empty() => {
                return Err("OpenAPIV3Schema 'items' must be a schema, but is an array".to_owned());
            }
            _ => None,
        };
        let mut properties = BTreeMap::new();
        for (name, property) in schema.properties.iter().flatten() {
            properties.insert(name.clone(), Structural::new(property)?);
        }
        let additional_properties = match &schema.additional_properties {
            Some(JSONSchemaPropsOrBool::Schema(s)) => {
                Some(AdditionalProperties::Schema(Box::new(Structural::new(s)?)))
            }
            Some(JSONSchemaPropsOrBool::Bool(b)) => Some(AdditionalProperties::Bool(*b)),
            None => None,
        };
        Ok(Structural {
            type_: text(&schema.type_).to_owned(),
            title: text(&schema.title).to_owned(),
            description: text(&schema.description).to_owned(),
            default: schema.default.as_ref().map(|v| v.0.clone()).filter(|v| !v.is_null()),
            nullable: schema.nullable == Some(true),
            external_docs: schema.external_docs.clone(),
            example: schema.example.as_ref().map(|v| v.0.clone()).filter(|v| !v.is_null()),
            items,
            properties,
            additional_properties,
            preserve_unknown_fields,
            embedded_resource: schema.x_kubernetes_embedded_resource == Some(true),
            int_or_string: schema.x_kubernetes_int_or_string == Some(true),
            list_map_keys: schema.x_kubernetes_list_map_keys.clone().unwrap_or_default(),
            list_type: schema.x_kubernetes_list_type.clone(),
            map_type: schema.x_kubernetes_map_type.clone(),
            rules: schema.x_kubernetes_validations.clone().unwrap_or_default(),
            value,
        })
    }

    /// The schema of the properties that are not listed, if `additionalProperties` has one.
    pub fn additional_schema(&self) -> Option<&Structural> {
        match &self.additional_properties {
            Some(AdditionalProperties::Schema(s)) => Some(s),
            _ => None,
        }
    }

    /// The schema of a property: its own, or that of `additionalProperties`.
    pub fn property(&self, name: &str) -> Option<&Structural> {
        self.properties.get(name).or_else(|| self.additional_schema())
    }

    /// Calls `change` with this schema and all that its structure is made of; what limits values is left out.
    pub fn visit_mut(&mut self, change: &mut dyn FnMut(&mut Structural)) {
        change(self);
        for property in self.properties.values_mut() {
            property.visit_mut(change);
        }
        if let Some(items) = &mut self.items {
            items.visit_mut(change);
        }
        if let Some(AdditionalProperties::Schema(s)) = &mut self.additional_properties {
            s.visit_mut(change);
        }
    }

    /// Whether `anyOf` is just `type: integer` and `type: string`, as in one of the two forms that an
    /// `x-kubernetes-int-or-string` may have.
    pub(super) fn is_int_or_string_any_of(&self) -> bool {
        let only = |s: &Structural, type_: &str| {
            *s == Structural { type_: type_.to_owned(), ..Structural::default() }
        };
        matches!(self.value.any_of.as_slice(), [int, string] if only(int, "integer") && only(string, "string"))
    }

    /// [`Self::is_int_or_string_any_of`] for an `anyOf` in the first part of `allOf`, which is the other form.
    pub(super) fn is_int_or_string_all_of(&self) -> bool {
        self.value.all_of.first().is_some_and(Structural::is_int_or_string_any_of)
    }

    /// Writes out what `x-kubernetes-int-or-string` means, as `anyOf` or `allOf` (`Unfold`).
    pub fn unfold(&mut self) {
        self.visit_mut(&mut |s| {
            if !s.int_or_string || s.is_int_or_string_any_of() || s.is_int_or_string_all_of() {
                return;
            }
            let of = |type_: &str| Structural { type_: type_.to_owned(), ..Structural::default() };
            let both = vec![of("integer"), of("string")];
            if s.value.any_of.is_empty() {
                s.value.any_of = both;
            } else {
                let mut first = Structural::default();
                first.value.any_of = both;
                s.value.all_of.insert(0, first);
            }
        });
    }
}

/// The keywords that no definition may have.
fn unsupported(s: &JSONSchemaProps) -> Result<(), String> {
    let filled = |text: &Option<String>| text.as_deref().is_some_and(|t| !t.is_empty());
    let bad = if filled(&s.id) {
        "id"
    } else if filled(&s.schema) {
        "schema"
    } else if filled(&s.ref_path) {
        "$ref"
    } else if s.pattern_properties.as_ref().is_some_and(|m| !m.is_empty()) {
        "patternProperties"
    } else if s.dependencies.as_ref().is_some_and(|m| !m.is_empty()) {
        "dependencies"
    } else if s.additional_items.is_some() {
        "additionalItems"
    } else if s.definitions.as_ref().is_some_and(|m| !m.is_empty()) {
        "definitions"
    } else {
        return Ok(());
    };
    Err(format!("OpenAPIV3Schema '{bad}' is not supported"))
}
