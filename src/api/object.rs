//! [`Object`]: any object of any kind, shared and typed; [`ApiKind`]: the structs that it can hold.

use std::fmt;
use std::rc::Rc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use super::custom::CustomObject;
use super::kind::{BuiltIn, Kind};
use super::meta::{Key, MetaExt, ObjectRef};
use super::structs::{DecodeError, Reader, to_value};
use super::{go_types, types};
use crate::with_built_in_kinds;

/// An API object: a shared, typed struct. Cloning it copies a pointer; changing it copies the struct only if
/// it is shared.
#[derive(Clone, Debug)]
pub struct Object(Repr);

impl PartialEq for Object {
    fn eq(&self, other: &Object) -> bool {
        self.ptr_eq(other) || self.0 == other.0
    }
}

/// A typed built-in kind: a Rust struct with a row in the table.
pub trait ApiKind: Clone + PartialEq + fmt::Debug + 'static {
    /// The kind of the struct's row.
    const KIND: Kind;
    /// The struct in `object`; `None` if the object is of another kind.
    fn from_object(object: &Object) -> Option<&Rc<Self>>;
    /// The struct in `object`, to be changed; it is copied first if it is shared.
    fn from_object_mut(object: &mut Object) -> Option<&mut Self>;
    /// The shared pointer to the struct in `object`, to be replaced or changed.
    fn shared_mut(object: &mut Object) -> Option<&mut Rc<Self>>;
    /// Wraps the struct without a copy.
    fn into_object(this: Rc<Self>) -> Object;
    /// The struct's `metadata`; its `resource_version` is [`ApiKind::resource_version`].
    fn meta(&self) -> &ObjectMeta;
    /// The struct's `metadata`, to be changed.
    fn meta_mut(&mut self) -> &mut ObjectMeta;
    /// The struct's `metadata.resourceVersion`; `None` if the object was never stored.
    fn resource_version(&self) -> Option<&str>;
}

macro_rules! define {
    ($($(#[$_doc:meta])* $kind:ident $constant:ident: $group:literal / $version:literal $plural:literal $singular:literal [$($short:literal),*] $scope:ident [$($sub:literal),*];)*) => {
        /// The content of an object: a shared struct.
        #[derive(Clone, Debug, PartialEq)]
        enum Repr {
            $($kind(Rc<types::$kind>),)*
            /// An object of a kind that a CustomResourceDefinition defines, or in another version of a built-in kind.
            Custom(Rc<CustomObject>),
        }

        impl Repr {
            fn kind(&self) -> Kind {
                match self { $(Repr::$kind(_) => Kind::$constant,)* Repr::Custom(o) => o.kind() }
            }
            fn meta(&self) -> &ObjectMeta {
                match self { $(Repr::$kind(o) => &o.metadata,)* Repr::Custom(o) => o.meta() }
            }
            fn meta_mut(&mut self) -> &mut ObjectMeta {
                match self { $(Repr::$kind(o) => &mut Rc::make_mut(o).metadata,)* Repr::Custom(o) => Rc::make_mut(o).meta_mut() }
            }
            fn resource_version(&self) -> Option<&str> {
                match self { $(Repr::$kind(o) => o.metadata.resource_version.as_deref(),)* Repr::Custom(o) => o.meta().resource_version.as_deref() }
            }
            fn set_resource_version(&mut self, version: Option<&str>) {
                match self {
                    $(Repr::$kind(o) => Rc::make_mut(o).metadata.resource_version = version.map(Into::into),)*
                    Repr::Custom(o) => Rc::make_mut(o).meta_mut().resource_version = version.map(Into::into),
                }
            }
            fn ptr_eq(&self, other: &Self) -> bool {
                match (self, other) {
                    $((Repr::$kind(a), Repr::$kind(b)) => Rc::ptr_eq(a, b),)*
                    (Repr::Custom(a), Repr::Custom(b)) => Rc::ptr_eq(a, b),
                    _ => false,
                }
            }
            fn address(&self) -> usize {
                match self { $(Repr::$kind(o) => Rc::as_ptr(o).addr(),)* Repr::Custom(o) => Rc::as_ptr(o).addr() }
            }
            fn to_value(&self) -> serde_json::Value {
                match self { $(Repr::$kind(o) => to_value(&**o),)* Repr::Custom(o) => o.to_value() }
            }
            fn read(kind: Kind, reader: &mut Reader) -> Self {
                // An object in another version than the one with a struct stays what was read: only the API
                // server converts.
                match kind.built_in().filter(|_| kind.other_version().is_none()) {
                    $(Some(BuiltIn::$kind) => Repr::$kind(Rc::new(reader.get())),)*
                    None => Repr::Custom(Rc::new(CustomObject::read(kind, reader))),
                }
            }
        }

        $(impl ApiKind for types::$kind {
            const KIND: Kind = Kind::$constant;
            fn from_object(object: &Object) -> Option<&Rc<Self>> { match &object.0 { Repr::$kind(o) => Some(o), _ => None } }
            fn from_object_mut(object: &mut Object) -> Option<&mut Self> { match &mut object.0 { Repr::$kind(o) => Some(Rc::make_mut(o)), _ => None } }
            fn shared_mut(object: &mut Object) -> Option<&mut Rc<Self>> { match &mut object.0 { Repr::$kind(o) => Some(o), _ => None } }
            fn into_object(this: Rc<Self>) -> Object { Object(Repr::$kind(this)) }
            fn meta(&self) -> &ObjectMeta { &self.metadata }
            fn meta_mut(&mut self) -> &mut ObjectMeta { &mut self.metadata }
            fn resource_version(&self) -> Option<&str> { self.metadata.resource_version.as_deref() }
        })*
    };
}

with_built_in_kinds!(define);

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

    /// The object's `metadata`; its `resource_version` is [`Object::resource_version`].
    pub fn meta(&self) -> &ObjectMeta {
        self.0.meta()
    }

    /// The object's `metadata`, to be changed; its `resource_version` by [`Object::set_resource_version`].
    pub fn meta_mut(&mut self) -> &mut ObjectMeta {
        self.0.meta_mut()
    }

    /// The object's `metadata.resourceVersion`; `None` if it was never stored.
    pub fn resource_version(&self) -> Option<&str> {
        self.0.resource_version()
    }

    /// The number in the object's `metadata.resourceVersion`; `None` if it has none.
    pub fn revision(&self) -> Option<u64> {
        self.resource_version()?.parse().ok()
    }

    /// Changes the object's `metadata.resourceVersion`.
    pub fn set_resource_version(&mut self, version: Option<&str>) {
        self.0.set_resource_version(version);
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
            Repr::Custom(object) => Some(object),
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
        let read = Reader::read(value, |reader| Repr::read(kind, reader));
        match read.error {
            None => Ok(Decoded { object: Object(read.value), unknown: read.unknown }),
            Some(error) => Err(error),
        }
    }
}

impl ObjectRef {
    /// The reference to an object.
    pub fn of<T: ApiKind>(object: &T) -> ObjectRef {
        ObjectRef { kind: T::KIND, key: object.meta().key() }
    }
}

impl From<CustomObject> for Object {
    fn from(this: CustomObject) -> Self {
        Object(Repr::Custom(Rc::new(this)))
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
