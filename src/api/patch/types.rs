//! The types of the table of fields, and looking up fields in it.

use super::super::quote::go_quote;
use super::PatchError;

/// A Go struct, with those of its fields that are not single values.
#[derive(Debug)]
pub struct Type {
    /// The struct's name, for example `PodSpec`.
    pub name: &'static str,
    /// Whether server-side apply treats the struct as a single value (`structType=atomic`).
    pub atomic: bool,
    /// Its lists, maps and structs, those of inline structs included.
    pub fields: &'static [Field],
}

/// The shape of a field's value.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A single value: string, number, bool, quantity or time.
    Scalar,
    /// A struct.
    Struct(&'static Type),
    /// A map with strings as keys.
    Map(&'static Shape),
    /// A list.
    List(&'static Shape),
}

/// How server-side apply merges a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListType {
    /// The list is a single value.
    Atomic,
    /// Items are merged by value.
    Set,
    /// Items are merged by these keys.
    Map(&'static [&'static str]),
}

/// A field of a struct.
#[derive(Debug)]
pub struct Field {
    /// The field's name in JSON.
    pub name: &'static str,
    /// The shape of the field's value.
    pub shape: Shape,
    /// `patchStrategy=merge`
    pub merge: bool,
    /// `patchStrategy=replace`
    pub replace: bool,
    /// `patchStrategy=retainKeys`
    pub retain_keys: bool,
    /// The value of `patchMergeKey`; empty if there is none.
    pub merge_key: &'static str,
    /// The list type, by `listType` and `listMapKey`; `None` if the field has none.
    pub list_type: Option<ListType>,
    /// Whether the field has `mapType=atomic` or `structType=atomic`.
    pub atomic: bool,
}

/// A row of the table. The methods below set further properties.
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
                go_quote(name)
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
