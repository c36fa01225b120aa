//! The shape of the table of fields, and looking things up in it.

use super::super::names::quote;
use super::PatchError;

/// A Go struct: its fields that are not one single value.
#[derive(Debug)]
pub struct Type {
    /// `PodSpec`
    pub name: &'static str,
    /// Server-side apply owns it as a whole (`structType=atomic`).
    pub atomic: bool,
    /// Its lists, maps and structs; those of inline structs are here too.
    pub fields: &'static [Field],
}

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// One value: text, number, bool, quantity, time.
    Scalar,
    /// A struct.
    Struct(&'static Type),
    /// A map from text.
    Map(&'static Shape),
    /// A list.
    List(&'static Shape),
}

/// How server-side apply merges a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListType {
    /// As a whole.
    Atomic,
    /// By value.
    Set,
    /// By these keys.
    Map(&'static [&'static str]),
}

/// A field of a struct.
#[derive(Debug)]
pub struct Field {
    /// Its name in JSON.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// `patchStrategy=merge`
    pub merge: bool,
    /// `patchStrategy=replace`
    pub replace: bool,
    /// `patchStrategy=retainKeys`
    pub retain_keys: bool,
    /// `patchMergeKey`; empty if there is none.
    pub merge_key: &'static str,
    /// `listType` and `listMapKey`.
    pub list_type: Option<ListType>,
    /// `mapType=atomic` or `structType=atomic` on the field.
    pub atomic: bool,
}

/// A row of the table; the methods below add what is special about it.
pub(super) const fn f(name: &'static str, shape: Shape) -> Field {
    Field {
        name,
        shape,
        merge: false,
        replace: false,
        retain_keys: false,
        merge_key: "",
        list_type: None,
        atomic: false,
    }
}

impl Field {
    pub(super) const fn merge(mut self) -> Field {
        self.merge = true;
        self
    }
    pub(super) const fn replace(mut self) -> Field {
        self.replace = true;
        self
    }
    pub(super) const fn retain_keys(mut self) -> Field {
        self.retain_keys = true;
        self
    }
    pub(super) const fn merge_key(mut self, key: &'static str) -> Field {
        self.merge_key = key;
        self
    }
    pub(super) const fn list_set(mut self) -> Field {
        self.list_type = Some(ListType::Set);
        self
    }
    pub(super) const fn list_map(mut self, keys: &'static [&'static str]) -> Field {
        self.list_type = Some(ListType::Map(keys));
        self
    }
    pub(super) const fn atomic(mut self) -> Field {
        match self.shape {
            Shape::List(_) => self.list_type = Some(ListType::Atomic),
            _ => self.atomic = true,
        }
        self
    }
}

impl Shape {
    /// The struct that it is, or that its items are.
    pub fn as_struct(self) -> Option<&'static Type> {
        match self {
            Shape::Struct(t) => Some(t),
            Shape::List(item) | Shape::Map(item) => item.as_struct(),
            Shape::Scalar => None,
        }
    }
}

impl Type {
    /// The field of that name, if it has a row.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|f| f.name == name)
    }
}

/// A place in the table while a value is walked.
#[derive(Clone, Copy)]
pub(super) struct Schema(Shape);

impl Schema {
    pub(super) fn of(t: &'static Type) -> Schema {
        Schema(Shape::Struct(t))
    }

    /// The schema and the row of a field whose value is a map.
    pub(super) fn map_field(self, name: &str) -> Result<(Schema, &'static Field), PatchError> {
        let t = match self.0 {
            Shape::Struct(t) => t,
            other => {
                return Err(PatchError::Internal(format!(
                    "merging an object in json but data type is not struct, instead is: {}",
                    kind_name(other)
                )));
            }
        };
        let field = t.field(name).ok_or_else(|| {
            PatchError::Internal(format!(
                "unable to find api field in struct {} for the json field {}",
                t.name,
                quote(name)
            ))
        })?;
        Ok((Schema(field.shape), field))
    }

    /// The schema of the items and the row of a field whose value is a list.
    pub(super) fn list_field(self, name: &str) -> Result<(Schema, &'static Field), PatchError> {
        let (schema, field) = self.map_field(name)?;
        match schema.0 {
            Shape::List(item) => Ok((Schema(*item), field)),
            _ => Err(PatchError::Internal(format!(
                "expected slice or array type, but got: {}",
                kind_name(self.0)
            ))),
        }
    }

    pub(super) fn name(self) -> &'static str {
        kind_name(self.0)
    }
}

fn kind_name(shape: Shape) -> &'static str {
    match shape {
        Shape::Scalar => "string",
        Shape::Struct(_) => "struct",
        Shape::Map(_) => "map",
        Shape::List(_) => "slice",
    }
}
