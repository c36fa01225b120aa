//! [`Object`]: any object of any kind, shared and typed.

use std::rc::Rc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use super::custom::CustomObject;
use super::go_types;
use super::kinds::{ApiKind, Kind, ObjectRepr};
use super::meta::{Key, MetaExt, ObjectRef};
use super::structs::Reader;

/// An API object: a shared, typed struct. Cloning it copies a pointer; changing it copies the struct only if
/// it is shared.
#[derive(Clone, Debug, PartialEq)]
pub struct Object(pub(super) ObjectRepr);

/// Why a JSON value is not an object of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// The path of the value that does not fit, for example `spec.containers[0].ports[0].containerPort`;
    /// empty for the whole object.
    pub path: String,
    /// The message, as serde words it.
    pub message: String,
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl std::error::Error for DecodeError {}

/// A decoded object, and the fields that its kind does not have.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The object without unknown fields.
    pub object: Object,
    /// The paths of unknown fields, for example `spec.containers[0].imagge`, in the order of the text.
    pub unknown: Vec<String>,
}

impl Object {
    /// The object's kind.
    pub fn kind(&self) -> Kind {
        self.0.kind()
    }

    /// The object's `metadata`.
    pub fn meta(&self) -> &ObjectMeta {
        self.0.meta()
    }

    /// The object's `metadata`, to be changed.
    pub fn meta_mut(&mut self) -> &mut ObjectMeta {
        self.0.meta_mut()
    }

    /// The name; empty if the object does not have one yet.
    pub fn name(&self) -> &str {
        self.meta().name()
    }

    /// The namespace; empty for a cluster-scoped object.
    pub fn namespace(&self) -> &str {
        self.meta().namespace()
    }

    /// The uid; empty if the object was never stored.
    pub fn uid(&self) -> &str {
        self.meta().uid()
    }

    /// Namespace and name.
    pub fn key(&self) -> Key {
        Key::new(self.namespace(), self.name())
    }

    /// Kind, namespace and name.
    pub fn reference(&self) -> ObjectRef {
        ObjectRef::new(self.kind(), self.namespace(), self.name())
    }

    /// The struct in the object; `None` if it is not a `T`.
    pub fn get<T: ApiKind>(&self) -> Option<&Rc<T>> {
        T::from_object(self)
    }

    /// The custom object in it; `None` if the kind is built in.
    pub fn custom(&self) -> Option<&Rc<CustomObject>> {
        match &self.0 {
            ObjectRepr::Custom(object) => Some(object),
            _ => None,
        }
    }

    /// Whether both share the same memory.
    pub fn ptr_eq(&self, other: &Object) -> bool {
        self.0.ptr_eq(&other.0)
    }

    /// The address of the struct: the object's identity as long as it is kept. Nothing may be ordered by it.
    pub fn address(&self) -> usize {
        self.0.address()
    }

    /// The object as JSON, as the API server writes it: with `apiVersion` and `kind`.
    pub fn to_value(&self) -> Value {
        let mut value = self.0.to_value();
        go_types::write_unset(go_types::of(self.kind()), &mut value);
        value
    }

    /// Decodes an object of a kind. Unknown fields are dropped.
    ///
    /// # Errors
    /// The first value of a wrong type, with its path.
    pub fn from_value(kind: Kind, value: Value) -> Result<Object, DecodeError> {
        Self::decode(kind, value).map(|d| d.object)
    }

    /// Decodes an object of a kind, and returns the paths of unknown fields.
    ///
    /// # Errors
    /// The first value of a wrong type, with its path.
    pub fn decode(kind: Kind, value: Value) -> Result<Decoded, DecodeError> {
        // The caller decides about the kind (the API server by the path, with which it has compared the
        // body).
        let read = Reader::read(value, |reader| ObjectRepr::read(kind, reader));
        match read.error {
            None => Ok(Decoded { object: Object(read.value), unknown: read.unknown }),
            Some(error) => Err(error),
        }
    }
}

impl From<CustomObject> for Object {
    fn from(this: CustomObject) -> Self {
        Object(ObjectRepr::Custom(Rc::new(this)))
    }
}

impl<T: ApiKind> From<Rc<T>> for Object {
    fn from(this: Rc<T>) -> Self {
        T::into_object(this)
    }
}

impl<T: ApiKind> From<T> for Object {
    fn from(this: T) -> Self {
        T::into_object(Rc::new(this))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn unknown_fields_are_named_by_path() {
        let v = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "imagge": "x"}], "foo": 1}});
        let d = Object::decode(Kind::POD, v).unwrap();
        assert_eq!(d.unknown, ["spec.containers[0].imagge", "spec.foo"]);
    }

    #[test]
    fn a_wrong_type_is_named_by_path() {
        let v = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "ports": [{"containerPort": "x"}]}]}});
        let e = Object::decode(Kind::POD, v).unwrap_err();
        assert_eq!(e.path, "spec.containers[0].ports[0].containerPort");
    }
}
