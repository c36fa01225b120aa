//! Values of Kubernetes' internal types as Go's `json.Marshal` writes them: the types have no names for
//! JSON, so fields have their Go names, and absent ones are `null` or zero
//! (`pkg/apis/apiextensions/types.go`, `types_jsonschema.go`).

use serde_json::{Map, Value};

use super::internal::{Spec, Version};
use super::types::{
    CustomResourceColumnDefinition, CustomResourceSubresources, JSONSchemaProps, JSONSchemaPropsOrArray,
    JSONSchemaPropsOrBool, JSONSchemaPropsOrStringArray, ValidationRule,
};
use crate::api::go_types::go_json;
use crate::apiserver::validation::{BadValue, go_json_string};

/// An object with its fields in order.
#[derive(Default)]
struct Object(String);

impl Object {
    fn field(mut self, name: &str, json: impl AsRef<str>) -> Object {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(&format!("\"{name}\":{}", json.as_ref()));
        self
    }

    fn end(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }
}

fn string(text: &Option<String>) -> String {
    go_json_string(text.as_deref().unwrap_or_default())
}

fn pointer<T>(value: Option<T>, json: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "null".to_owned(), json)
}

fn list<T>(items: Option<&[T]>, json: impl Fn(&T) -> String) -> String {
    pointer(items, |items| format!("[{}]", items.iter().map(json).collect::<Vec<_>>().join(",")))
}

fn map<'a, T: 'a>(
    items: Option<impl IntoIterator<Item = (&'a String, &'a T)>>,
    json: impl Fn(&T) -> String,
) -> String {
    pointer(items, |items| {
        let fields: Vec<String> =
            items.into_iter().map(|(k, v)| format!("{}:{}", go_json_string(k), json(v))).collect();
        format!("{{{}}}", fields.join(","))
    })
}

fn flag(value: Option<bool>) -> String {
    (value == Some(true)).to_string()
}

fn float(value: f64) -> String {
    go_json(&float_value(value))
}

/// A float as JSON has it: without a fraction, if it has none.
pub(super) fn float_value(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        // The value is a whole number that both types have.
        Value::from(value as i64)
    } else {
        Value::from(value)
    }
}

/// The versions of a spec.
pub(super) fn versions(spec: &Spec<'_>) -> BadValue {
    // Go's decoder would leave an empty list in place; that it was written is not known here.
    let versions = Some(spec.versions.as_slice()).filter(|v| !v.is_empty());
    BadValue::Json(list(versions, version))
}

fn version(v: &Version<'_>) -> String {
    Object::default()
        .field("Name", go_json_string(&v.version.name))
        .field("Served", v.version.served.to_string())
        .field("Storage", v.version.storage.to_string())
        .field("Deprecated", flag(v.version.deprecated))
        .field("DeprecationWarning", pointer(v.version.deprecation_warning.as_deref(), go_json_string))
        .field(
            "Schema",
            pointer(v.own.schema, |s| {
                let schema = pointer(s.open_api_v3_schema.as_ref(), schema);
                Object::default().field("OpenAPIV3Schema", schema).end()
            }),
        )
        .field("Subresources", pointer(v.own.subresources, subresources))
        .field("AdditionalPrinterColumns", list(v.own.columns, column))
        .field(
            "SelectableFields",
            list(v.own.selectable, |f| {
                Object::default().field("JSONPath", go_json_string(&f.json_path)).end()
            }),
        )
        .end()
}

fn subresources(s: &CustomResourceSubresources) -> String {
    Object::default()
        .field("Status", pointer(s.status.as_ref(), |_| "{}".to_owned()))
        .field(
            "Scale",
            pointer(s.scale.as_ref(), |s| {
                Object::default()
                    .field("SpecReplicasPath", go_json_string(&s.spec_replicas_path))
                    .field("StatusReplicasPath", go_json_string(&s.status_replicas_path))
                    .field("LabelSelectorPath", pointer(s.label_selector_path.as_deref(), go_json_string))
                    .end()
            }),
        )
        .end()
}

fn column(c: &CustomResourceColumnDefinition) -> String {
    Object::default()
        .field("Name", go_json_string(&c.name))
        .field("Type", go_json_string(&c.type_))
        .field("Format", string(&c.format))
        .field("Description", string(&c.description))
        .field("Priority", c.priority.unwrap_or_default().to_string())
        .field("JSONPath", go_json_string(&c.json_path))
        .end()
}

/// A rule.
pub(super) fn rule(r: &ValidationRule) -> String {
    Object::default()
        .field("Rule", go_json_string(&r.rule))
        .field("Message", string(&r.message))
        .field("MessageExpression", string(&r.message_expression))
        .field("Reason", pointer(r.reason.as_deref(), go_json_string))
        .field("FieldPath", string(&r.field_path))
        .field("OptionalOldSelf", pointer(r.optional_old_self, |b| b.to_string()))
        .end()
}

/// A schema.
pub(super) fn schema(s: &JSONSchemaProps) -> String {
    let json = |v: &Value| go_json(v);
    let strings = |l: Option<&[String]>| list(l, |s| go_json_string(s));
    let schemas = |l: &Option<Vec<JSONSchemaProps>>| list(l.as_deref().filter(|l| !l.is_empty()), schema);
    Object::default()
        .field("ID", string(&s.id))
        .field("Schema", string(&s.schema))
        .field("Ref", pointer(s.ref_path.as_deref(), go_json_string))
        .field("Description", string(&s.description))
        .field("Type", string(&s.type_))
        .field("Nullable", flag(s.nullable))
        .field("Format", string(&s.format))
        .field("Title", string(&s.title))
        .field("Default", pointer(s.default.as_ref(), |v| json(&v.0)))
        .field("Maximum", pointer(s.maximum, float))
        .field("ExclusiveMaximum", flag(s.exclusive_maximum))
        .field("Minimum", pointer(s.minimum, float))
        .field("ExclusiveMinimum", flag(s.exclusive_minimum))
        .field("MaxLength", pointer(s.max_length, |n| n.to_string()))
        .field("MinLength", pointer(s.min_length, |n| n.to_string()))
        .field("Pattern", string(&s.pattern))
        .field("MaxItems", pointer(s.max_items, |n| n.to_string()))
        .field("MinItems", pointer(s.min_items, |n| n.to_string()))
        .field("UniqueItems", flag(s.unique_items))
        .field("MultipleOf", pointer(s.multiple_of, float))
        .field("Enum", list(s.enum_.as_deref(), |v| json(&v.0)))
        .field("MaxProperties", pointer(s.max_properties, |n| n.to_string()))
        .field("MinProperties", pointer(s.min_properties, |n| n.to_string()))
        .field("Required", strings(s.required.as_deref()))
        .field("Items", pointer(s.items.as_ref(), items))
        .field("AllOf", schemas(&s.all_of))
        .field("OneOf", schemas(&s.one_of))
        .field("AnyOf", schemas(&s.any_of))
        .field("Not", pointer(s.not.as_deref(), schema))
        .field("Properties", map(s.properties.as_ref(), schema))
        .field("AdditionalProperties", pointer(s.additional_properties.as_ref(), or_bool))
        .field("PatternProperties", map(s.pattern_properties.as_ref(), schema))
        .field(
            "Dependencies",
            map(s.dependencies.as_ref(), |d| match d {
                JSONSchemaPropsOrStringArray::Schema(s) => {
                    Object::default().field("Schema", schema(s)).field("Property", "null").end()
                }
                JSONSchemaPropsOrStringArray::Strings(l) => {
                    Object::default().field("Schema", "null").field("Property", strings(Some(l))).end()
                }
            }),
        )
        .field("AdditionalItems", pointer(s.additional_items.as_ref(), or_bool))
        .field("Definitions", map(s.definitions.as_ref(), schema))
        .field(
            "ExternalDocs",
            pointer(s.external_docs.as_ref(), |d| {
                Object::default()
                    .field("Description", string(&d.description))
                    .field("URL", string(&d.url))
                    .end()
            }),
        )
        .field("Example", pointer(s.example.as_ref(), |v| json(&v.0)))
        .field("XPreserveUnknownFields", pointer(s.x_kubernetes_preserve_unknown_fields, |b| b.to_string()))
        .field("XEmbeddedResource", flag(s.x_kubernetes_embedded_resource))
        .field("XIntOrString", flag(s.x_kubernetes_int_or_string))
        .field("XListMapKeys", strings(s.x_kubernetes_list_map_keys.as_deref()))
        .field("XListType", pointer(s.x_kubernetes_list_type.as_deref(), go_json_string))
        .field("XMapType", pointer(s.x_kubernetes_map_type.as_deref(), go_json_string))
        .field("XValidations", list(s.x_kubernetes_validations.as_deref(), rule))
        .end()
}

/// `items`
pub(super) fn items(items: &JSONSchemaPropsOrArray) -> String {
    match items {
        JSONSchemaPropsOrArray::Schema(s) => {
            Object::default().field("Schema", schema(s)).field("JSONSchemas", "null").end()
        }
        JSONSchemaPropsOrArray::Schemas(l) => {
            Object::default().field("Schema", "null").field("JSONSchemas", list(Some(l), schema)).end()
        }
    }
}

fn or_bool(b: &JSONSchemaPropsOrBool) -> String {
    match b {
        JSONSchemaPropsOrBool::Schema(s) => {
            Object::default().field("Allows", "true").field("Schema", schema(s)).end()
        }
        JSONSchemaPropsOrBool::Bool(b) => {
            Object::default().field("Allows", b.to_string()).field("Schema", "null").end()
        }
    }
}

/// A value of an object, as it is quoted in an error (`field.Error.ErrorBody`): text in quotes, a
/// number or a bool plainly, everything else as JSON.
pub(super) fn bad_value(value: &Value) -> BadValue {
    match value {
        Value::String(s) => s.into(),
        Value::Bool(b) => (*b).into(),
        Value::Number(n) => match n.as_i64() {
            Some(i) => i.into(),
            None => BadValue::Json(n.as_f64().map_or_else(|| n.to_string(), go_float)),
        },
        other => BadValue::Json(go_json(other)),
    }
}

/// A float in Go's `%v`: the shortest digits, with an exponent if it is small or large.
pub(super) fn go_float(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..21).contains(&exponent) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// An object of these members.
pub(super) fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect::<Map<_, _>>())
}
