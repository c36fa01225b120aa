//! Reading a struct from a JSON value.

use std::vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::value::{StrDeserializer, StringDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Expected, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde_json::{Map, Value, map};

use super::{DecodeError, Never};
use crate::api::Timestamp;
use crate::api::kind::Kind;

/// Reads one value. It is the deserializer, and also the access to the content of an object or a list: those
/// that are open are on its stack.
#[derive(Default)]
pub(in crate::api) struct Reader {
    /// The value that is read next.
    current: Value,
    leaf: Leaf,
    stack: Vec<Frame>,
    unknown: Vec<String>,
    error: Option<DecodeError>,
}

/// The fields that k8s-openapi requires; all of them are times.
const REQUIRED: &[(&str, &str)] = &[("Condition", "lastTransitionTime")];

/// How a value is read if its type accepts values of any type.
#[derive(Clone, Copy, Default)]
enum Leaf {
    /// An integer of 32 bits, or a string.
    #[default]
    IntOrString,
    /// A number, or a string.
    Quantity,
    /// A string with a time.
    Time,
    /// Any JSON.
    Json,
}

/// An object or a list that is being read, and the present place in it.
enum Frame {
    Struct { fields: &'static [&'static str], rest: map::IntoIter, at: &'static str },
    Map { rest: map::IntoIter, at: String },
    List { rest: vec::IntoIter<Value>, next: usize },
}

/// The result: the struct, the paths of fields that it does not have, and the first value that does not fit,
/// for which an empty one was used.
pub(in crate::api) struct Read<T> {
    pub(in crate::api) value: T,
    pub(in crate::api) unknown: Vec<String>,
    pub(in crate::api) error: Option<DecodeError>,
}

impl Reader {
    /// Reads a value by what `read` asks of the reader.
    pub(in crate::api) fn read<T>(value: Value, read: impl FnOnce(&mut Reader) -> T) -> Read<T> {
        let mut reader = Reader { current: value, ..Reader::default() };
        let value = read(&mut reader);
        Read { value, unknown: reader.unknown, error: reader.error }
    }

    /// Reads a struct.
    // Not inlined: each kind's decoder is a function of its own, so that the first part of the page's wasm has only
    // those that opening the page runs.
    #[inline(never)]
    pub(in crate::api) fn get<T: for<'de> Deserialize<'de>>(&mut self) -> T {
        let Ok(value) = T::deserialize(self);
        value
    }

    fn path(&self) -> String {
        let mut path = String::new();
        let field = |name: &str, path: &mut String| {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(name);
        };
        for frame in &self.stack {
            match frame {
                Frame::Struct { at, .. } => field(at, &mut path),
                Frame::Map { at, .. } => field(at, &mut path),
                Frame::List { next, .. } => {
                    path.push('[');
                    path.push_str(&next.saturating_sub(1).to_string());
                    path.push(']');
                }
            }
        }
        path
    }

    /// Notes that a value is not of the wanted type.
    #[cold]
    fn refuse(&mut self, found: &Value, wanted: &str) {
        let found = match found {
            Value::Null => Unexpected::Unit,
            Value::Bool(b) => Unexpected::Bool(*b),
            Value::String(s) => Unexpected::Str(s),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
            Value::Number(n) => match (n.as_i64(), n.as_u64(), n.as_f64()) {
                (Some(n), ..) => Unexpected::Signed(n),
                (_, Some(n), _) => Unexpected::Unsigned(n),
                (.., n) => Unexpected::Float(n.unwrap_or_default()),
            },
        };
        // The words of serde, and for null of serde_json.
        let found = if matches!(found, Unexpected::Unit) { "null".to_owned() } else { found.to_string() };
        self.note(format!("invalid type: {found}, expected {wanted}"));
    }

    fn note(&mut self, message: String) {
        if self.error.is_none() {
            self.error = Some(DecodeError { path: self.path(), message });
        }
    }

    /// The value that is read next, as it is.
    pub(in crate::api) fn take(&mut self) -> Value {
        std::mem::take(&mut self.current)
    }

    /// Reads the value of one field of an object whose other fields are read elsewhere. Paths begin with the
    /// field.
    pub(in crate::api) fn field<T: for<'de> Deserialize<'de>>(
        &mut self,
        name: &'static str,
        value: Value,
    ) -> T {
        self.stack.push(Frame::Struct { fields: &[], rest: Map::new().into_iter(), at: name });
        self.current = value;
        let read = self.get();
        self.stack.pop();
        read
    }

    fn boolean(&mut self) -> bool {
        let value = self.take();
        value.as_bool().unwrap_or_else(|| {
            self.refuse(&value, "a boolean");
            false
        })
    }

    fn integer(&mut self) -> i64 {
        let value = self.take();
        value.as_i64().unwrap_or_else(|| {
            self.refuse(&value, "i64");
            0
        })
    }

    fn small_integer(&mut self) -> i32 {
        let value = self.take();
        value.as_i64().and_then(|n| i32::try_from(n).ok()).unwrap_or_else(|| {
            self.refuse(&value, "i32");
            0
        })
    }

    fn float(&mut self) -> f64 {
        let value = self.take();
        value.as_f64().unwrap_or_else(|| {
            self.refuse(&value, "f64");
            0.0
        })
    }

    fn text(&mut self) -> String {
        match self.take() {
            Value::String(text) => text,
            other => {
                self.refuse(&other, "a string");
                String::new()
            }
        }
    }

    /// A string that its type parses: a time, or bytes as base64.
    fn coded_text(&mut self) -> String {
        let (text, time) = (self.text(), matches!(self.leaf, Leaf::Time));
        let fits = if time { text.parse::<Timestamp>().is_ok() } else { STANDARD.decode(&text).is_ok() };
        if fits {
            return text;
        }
        let wanted = if time { "an RFC 3339 date-time" } else { "base64" };
        // If it was not a string at all, that has been noted already.
        self.refuse(&Value::String(text), wanted);
        if time { Timestamp::UNIX_EPOCH.to_string() } else { String::new() }
    }

    /// A value whose type accepts several types. A value that it does not accept becomes null.
    fn leaf(&mut self) -> Value {
        let value = self.take();
        let wanted = match (self.leaf, &value) {
            (Leaf::Json, _) | (_, Value::String(_)) | (Leaf::Quantity, Value::Number(_)) => return value,
            (Leaf::IntOrString, Value::Number(n)) if n.as_i64().is_some_and(|n| i32::try_from(n).is_ok()) => {
                return value;
            }
            (Leaf::IntOrString, _) => "IntOrString",
            (Leaf::Quantity, _) => "Quantity",
            (Leaf::Time, _) => "an RFC 3339 date-time",
        };
        self.refuse(&value, wanted);
        String::new().into()
    }

    /// A JSON schema, or a value of the other type that may stand in its place. Anything else, and null as Go has it,
    /// becomes a schema that says nothing.
    fn schema_or(&mut self, wanted: &str) -> Value {
        let value = self.take();
        let fits = match &value {
            Value::Object(_) => true,
            Value::Bool(_) => wanted == "JSONSchemaPropsOrBool",
            Value::Array(_) => wanted != "JSONSchemaPropsOrBool",
            _ => false,
        };
        if fits {
            return value;
        }
        if !value.is_null() {
            self.refuse(&value, wanted);
        }
        Value::Object(Map::new())
    }

    fn fields(&mut self, wanted: &str) -> Map<String, Value> {
        match self.take() {
            Value::Object(map) => map,
            other => {
                self.refuse(&other, wanted);
                Map::new()
            }
        }
    }

    fn open_struct(&mut self, name: &'static str, fields: &'static [&'static str]) {
        let mut map = self.fields(name);
        // k8s-openapi compares these with what it expects. The kind of an object was decided before: in the
        // API server by the path, in another object (a claim template of a StatefulSet) by the place.
        if Kind::BUILT_IN.iter().any(|k| k.as_str() == name) {
            map.remove("apiVersion");
            map.remove("kind");
        }
        for (_, field) in REQUIRED.iter().filter(|(of, _)| *of == name) {
            if map.get(*field).is_none_or(Value::is_null) {
                self.note(format!("missing field `{field}`"));
                map.insert((*field).into(), Timestamp::UNIX_EPOCH.to_string().into());
            }
        }
        self.stack.push(Frame::Struct { fields, rest: map.into_iter(), at: "" });
    }

    fn open_map(&mut self) {
        let rest = self.fields("a map").into_iter();
        self.stack.push(Frame::Map { rest, at: String::new() });
    }

    fn open_list(&mut self) {
        let items = match self.take() {
            Value::Array(items) => items,
            other => {
                self.refuse(&other, "a sequence");
                Vec::new()
            }
        };
        self.stack.push(Frame::List { rest: items.into_iter(), next: 0 });
    }

    fn close(&mut self) {
        self.stack.pop();
    }

    /// Goes to the next field of the innermost struct.
    fn next_field(&mut self) -> Option<&'static str> {
        loop {
            let Some(Frame::Struct { fields, rest, at }) = self.stack.last_mut() else { return None };
            let (name, value) = rest.next()?;
            if let Some(field) = fields.iter().find(|f| **f == name) {
                *at = field;
                self.current = value;
                return Some(field);
            }
            *at = "";
            let mut path = self.path();
            path.push_str(&name);
            self.unknown.push(path);
        }
    }

    /// Goes to the next entry of the innermost map.
    fn next_entry(&mut self) -> Option<String> {
        let Some(Frame::Map { rest, at }) = self.stack.last_mut() else { return None };
        let (key, value) = rest.next()?;
        at.clone_from(&key);
        self.current = value;
        Some(key)
    }

    /// Goes to the next item of the innermost list.
    fn next_item(&mut self) -> bool {
        let Some(Frame::List { rest, next }) = self.stack.last_mut() else { return false };
        let Some(value) = rest.next() else { return false };
        *next += 1;
        self.current = value;
        true
    }
}

impl<'de> Deserializer<'de> for &mut Reader {
    type Error = Never;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Never> {
        // Two sorts of visitors accept values of any type: those for unknown fields, and those of the types
        // of apiextensions that are a schema or something else. They differ in what they say they expect.
        let wanted = (&visitor as &dyn Expected).to_string();
        if wanted == "anything at all" {
            let path = self.path();
            self.unknown.push(path);
            self.current = Value::Null;
            return visitor.visit_unit();
        }
        let value = if wanted.starts_with("JSONSchemaProps") { self.schema_or(&wanted) } else { self.leaf() };
        match value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(b) => visitor.visit_bool(b),
            Value::String(s) => visitor.visit_string(s),
            Value::Number(n) => match (n.as_i64(), n.as_u64()) {
                (Some(n), _) => visitor.visit_i64(n),
                (_, Some(n)) => visitor.visit_u64(n),
                _ => visitor.visit_f64(n.as_f64().unwrap_or_default()),
            },
            list @ Value::Array(_) => {
                self.current = list;
                self.deserialize_seq(visitor)
            }
            map @ Value::Object(_) => {
                self.current = map;
                self.deserialize_map(visitor)
            }
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Never> {
        visitor.visit_bool(self.boolean())
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Never> {
        visitor.visit_i32(self.small_integer())
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Never> {
        visitor.visit_i64(self.integer())
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Never> {
        visitor.visit_f64(self.float())
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Never> {
        visitor.visit_string(self.text())
    }

    /// A type that does not keep the string asks for it in this way.
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Never> {
        visitor.visit_string(self.coded_text())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Never> {
        if self.current.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Never> {
        let leaf = match name {
            "Time" | "MicroTime" => Leaf::Time,
            "Quantity" => Leaf::Quantity,
            _ => Leaf::Json,
        };
        let outer = std::mem::replace(&mut self.leaf, leaf);
        let value = visitor.visit_newtype_struct(&mut *self);
        self.leaf = outer;
        value
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Never> {
        self.open_struct(name, fields);
        let value = visitor.visit_map(Fields(&mut *self));
        self.close();
        value
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Never> {
        self.open_map();
        let value = visitor.visit_map(Entries(&mut *self));
        self.close();
        value
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Never> {
        self.open_list();
        let value = visitor.visit_seq(&mut *self);
        self.close();
        value
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i128 u8 u16 u32 u64 u128 f32 char bytes byte_buf unit unit_struct tuple tuple_struct enum
        identifier ignored_any
    }
}

/// The access to the fields of the innermost struct.
struct Fields<'a>(&'a mut Reader);

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Never;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Never> {
        match self.0.next_field() {
            Some(name) => seed.deserialize(StrDeserializer::new(name)).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Never> {
        seed.deserialize(&mut *self.0)
    }
}

/// The access to the entries of the innermost map.
struct Entries<'a>(&'a mut Reader);

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Never;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Never> {
        match self.0.next_entry() {
            Some(key) => seed.deserialize(StringDeserializer::new(key)).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Never> {
        seed.deserialize(&mut *self.0)
    }
}

/// The access to the items of the innermost list.
impl<'de> SeqAccess<'de> for &mut Reader {
    type Error = Never;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Never> {
        if self.next_item() { seed.deserialize(&mut **self).map(Some) } else { Ok(None) }
    }

    fn size_hint(&self) -> Option<usize> {
        match self.stack.last() {
            Some(Frame::List { rest, .. }) => Some(rest.len()),
            _ => None,
        }
    }
}
