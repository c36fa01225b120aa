//! The type that expressions see of a built-in kind, from its Go structs (`SchemaDeclType` of `k8s.io/apiserver/pkg/cel/common`
//! over the OpenAPI schema that is made of these structs).

use crate::api::Kind;
use crate::api::go_types::{self, GoStruct, Type};
use crate::cel::{DeclField, DeclType};

/// The type of the objects of a kind.
pub(super) fn decl_type(kind: Kind) -> DeclType {
    let own = |name: &str| DeclField::new(name, DeclType::string(None), false);
    let mut fields = fields(go_types::of(kind), &mut Vec::new());
    fields.extend(["apiVersion", "kind"].map(own));
    DeclType::object(fields).named(kind.as_str())
}

/// The fields of a struct. `around` are the structs that it lies in: one that lies in itself is not looked into again.
fn fields(of: &'static GoStruct, around: &mut Vec<&'static str>) -> Vec<DeclField> {
    around.push(of.name);
    let mut fields = Vec::new();
    let is_root = around.len() == 1;
    for field in of.fields.iter().filter(|f| !is_root || !matches!(f.name, "apiVersion" | "kind")) {
        fields.push(DeclField::new(field.name, of_type(field.kind, around), false));
    }
    around.pop();
    fields
}

fn of_type(of: Type, around: &mut Vec<&'static str>) -> DeclType {
    match of {
        Type::Text | Type::Duration => DeclType::string(None),
        Type::Bool => DeclType::bool(),
        Type::Int32 | Type::Int64 => DeclType::int(),
        Type::Float => DeclType::double(),
        Type::Bytes => DeclType::bytes(None),
        Type::Time | Type::MicroTime => DeclType::date_time(),
        Type::IntOrString => DeclType::int_or_string(None),
        // A schema says of these only that they may be several things.
        Type::Quantity | Type::FieldsV1 | Type::Any | Type::SchemaOr(..) => DeclType::dyn_type(),
        Type::Pointer(of) | Type::Named(_, of) => of_type(*of, around),
        Type::List(of) => DeclType::list(of_type(*of, around), None),
        Type::Map(of) => DeclType::map(of_type(*of, around), None),
        Type::Struct(of) if around.contains(&of.name) => DeclType::dyn_type(),
        Type::Struct(of) => DeclType::object(fields(of, around)),
    }
}
