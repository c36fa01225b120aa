//! The Go structs behind the API: the order of their fields, the types of the fields, and which are omitted
//! when empty. The errors of decoders name these types, and texts that Kubernetes quotes have their order.
//!
//! ```
//! use steady::api::{Kind, go_types};
//! let body = go_types::parse(br#"{"data": {"a": 1}}"#).unwrap();
//! let error = go_types::decode(go_types::of(Kind::CONFIG_MAP), &body).unwrap_err();
//! assert_eq!(error, "json: cannot unmarshal number into Go struct field ConfigMap.data of type string");
//! ```

mod decode;
mod encode;
mod json;
// Clients of the door send protobuf; the page never does.
#[cfg(not(target_arch = "wasm32"))]
pub mod protobuf;
#[rustfmt::skip]
mod table;

use super::kind::{BuiltIn, Kind, OtherVersion};

pub use decode::{Decoded, RFC3339, StrictError, convert, decode, ends_at, unparsable_time};
pub use encode::{empty, go_json, go_type, to_json, write_unset};
pub use json::{Json, parse, parse_int};

/// A Go struct.
#[derive(Debug)]
pub struct GoStruct {
    /// The struct's name, for example `DeploymentSpec`.
    pub name: &'static str,
    /// The fields in order, those of inline structs included.
    pub fields: &'static [GoField],
}

/// A field of a struct.
#[derive(Debug)]
pub struct GoField {
    /// The field's name in JSON.
    pub name: &'static str,
    /// The field's type.
    pub kind: Type,
    /// Whether the field has `omitempty`.
    pub omitempty: bool,
    /// Whether Go writes the field even if it is not set: it has no `omitempty`, or it is a struct and not a pointer
    /// to one. (`omitempty` has no effect on structs.)
    always: bool,
    /// Whether there are structs in the field's value.
    nested: bool,
}

/// The type of a field.
#[derive(Clone, Copy, Debug)]
pub enum Type {
    /// `string`
    Text,
    /// `bool`
    Bool,
    /// `int32`
    Int32,
    /// `int64`
    Int64,
    /// `float64`
    Float,
    /// `[]byte`, in JSON a base64 string.
    Bytes,
    /// `metav1.Time`
    Time,
    /// `metav1.MicroTime`
    MicroTime,
    /// `metav1.Duration`
    Duration,
    /// `resource.Quantity`
    Quantity,
    /// `intstr.IntOrString`
    IntOrString,
    /// `metav1.FieldsV1`: any JSON.
    FieldsV1,
    /// `runtime.RawExtension`: any JSON.
    Any,
    /// `*T`
    Pointer(&'static Type),
    /// `[]T`
    List(&'static Type),
    /// `map[string]T`
    Map(&'static Type),
    /// A type with a name of its own, for example `v1.PodPhase`.
    Named(&'static str, &'static Type),
    /// A Go struct.
    Struct(&'static GoStruct),
    /// A JSON schema (the struct) or a value of another type: a type of apiextensions with a decoder of its
    /// own.
    SchemaOr(Or, &'static GoStruct),
}

/// The values that can replace a JSON schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Or {
    /// `JSONSchemaPropsOrBool`
    Bool,
    /// `JSONSchemaPropsOrArray`
    Schemas,
    /// `JSONSchemaPropsOrStringArray`
    Texts,
}

const fn f(name: &'static str, kind: Type, omitempty: bool) -> GoField {
    let always = !omitempty || matches!(kind.unnamed(), Type::Struct(_));
    GoField { name, kind, omitempty, always, nested: kind.has_structs() }
}

impl GoStruct {
    /// The field with this name in JSON, if there is one.
    pub fn field(&self, name: &str) -> Option<&'static GoField> {
        self.fields.iter().find(|f| f.name == name)
    }
}

impl Type {
    /// The type without names. A pointer stays a pointer.
    const fn unnamed(self) -> Type {
        match self {
            Type::Named(_, of) => of.unnamed(),
            kind => kind,
        }
    }

    /// Whether a value of the type is a struct, or has structs in it.
    const fn has_structs(self) -> bool {
        match self {
            Type::Struct(_) => true,
            Type::Pointer(of) | Type::Named(_, of) | Type::List(of) | Type::Map(of) => of.has_structs(),
            _ => false,
        }
    }

    /// The type without pointers and names.
    pub fn bare(self) -> Type {
        match self {
            Type::Pointer(t) | Type::Named(_, t) => t.bare(),
            t => t,
        }
    }

    /// The type as Go's reflection prints it: `map[string]string`, `[]v1.Container`.
    pub fn go_name(self) -> String {
        match self {
            Type::Text => "string".into(),
            Type::Bool => "bool".into(),
            Type::Int32 => "int32".into(),
            Type::Int64 => "int64".into(),
            Type::Float => "float64".into(),
            Type::Bytes => "[]uint8".into(),
            Type::Time => "v1.Time".into(),
            Type::MicroTime => "v1.MicroTime".into(),
            Type::Duration => "v1.Duration".into(),
            Type::Quantity => "resource.Quantity".into(),
            Type::IntOrString => "intstr.IntOrString".into(),
            Type::FieldsV1 => "v1.FieldsV1".into(),
            Type::Any => "runtime.RawExtension".into(),
            Type::Pointer(t) => format!("*{}", t.go_name()),
            Type::List(t) => format!("[]{}", t.go_name()),
            Type::Map(t) => format!("map[string]{}", t.go_name()),
            Type::Named(n, _) => n.into(),
            Type::Struct(s) => format!("v1.{}", s.name),
            Type::SchemaOr(Or::Bool, s) => format!("v1.{}OrBool", s.name),
            Type::SchemaOr(Or::Schemas, s) => format!("v1.{}OrArray", s.name),
            Type::SchemaOr(Or::Texts, s) => format!("v1.{}OrStringArray", s.name),
        }
    }
}

/// The struct of custom kinds. In Go their objects are maps of any JSON, and their keys are written sorted
/// (`k8s.io/apimachinery/pkg/apis/meta/v1/unstructured`).
static UNSTRUCTURED: GoStruct = GoStruct { name: "Unstructured", fields: &[] };

/// The struct of a kind in the version of its handle. That of a custom kind has no fields.
pub fn of(kind: Kind) -> &'static GoStruct {
    match (kind.other_version(), kind.built_in()) {
        (Some(version), _) => table::of_version(version),
        (None, Some(kind)) => table::of(kind),
        (None, None) => &UNSTRUCTURED,
    }
}

/// The struct of `meta.k8s.io/v1` ObjectMeta.
pub fn object_meta() -> &'static GoStruct {
    &table::OBJECT_META
}

/// The struct of `autoscaling/v1` MetricSpec. No version of a kind contains it: an annotation has a list of them.
pub fn metric_spec() -> &'static GoStruct {
    &table::METRIC_SPEC
}

/// The struct of `autoscaling/v1` MetricStatus. No version of a kind contains it: an annotation has a list of them.
pub fn metric_status() -> &'static GoStruct {
    &table::METRIC_STATUS
}

/// The struct of `autoscaling/v1` HorizontalPodAutoscalerCondition: an annotation has a list of them.
pub fn autoscaler_condition() -> &'static GoStruct {
    &table::HORIZONTAL_POD_AUTOSCALER_CONDITION
}

/// The struct of `autoscaling/v1` Scale.
pub fn scale() -> &'static GoStruct {
    &table::SCALE
}

/// The struct of `v1` Binding.
pub fn binding() -> &'static GoStruct {
    &table::BINDING
}

/// The struct of `policy/v1` Eviction.
pub fn eviction() -> &'static GoStruct {
    &table::EVICTION
}

/// The struct of `authentication.k8s.io/v1` SelfSubjectReview.
pub fn self_subject_review() -> &'static GoStruct {
    &table::SELF_SUBJECT_REVIEW
}

/// The struct of `authentication.k8s.io/v1` TokenRequest.
pub fn token_request() -> &'static GoStruct {
    &table::TOKEN_REQUEST
}

/// The struct of `authentication.k8s.io/v1` TokenReview.
pub fn token_review() -> &'static GoStruct {
    &table::TOKEN_REVIEW
}

/// The struct of `authorization.k8s.io/v1` LocalSubjectAccessReview.
pub fn local_subject_access_review() -> &'static GoStruct {
    &table::LOCAL_SUBJECT_ACCESS_REVIEW
}

/// The struct of `authorization.k8s.io/v1` SelfSubjectAccessReview.
pub fn self_subject_access_review() -> &'static GoStruct {
    &table::SELF_SUBJECT_ACCESS_REVIEW
}

/// The struct of `authorization.k8s.io/v1` SelfSubjectRulesReview.
pub fn self_subject_rules_review() -> &'static GoStruct {
    &table::SELF_SUBJECT_RULES_REVIEW
}

/// The struct of `authorization.k8s.io/v1` SubjectAccessReview.
pub fn subject_access_review() -> &'static GoStruct {
    &table::SUBJECT_ACCESS_REVIEW
}

/// The struct of `meta.k8s.io/v1` DeleteOptions.
pub fn delete_options() -> &'static GoStruct {
    &table::DELETE_OPTIONS
}
