//! Writing a struct to a JSON value.

use std::fmt::Display;

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::{Map, Number, Value};

use super::Never;

/// 2^53: up to here every integer is exact as a float.
const LARGEST_INTEGER: f64 = 9_007_199_254_740_992.0;

/// A struct as JSON: as `serde_json::to_value`, except that integral floats become integers.
// Not inlined: each kind's encoder is a function of its own, as each kind's decoder is.
#[inline(never)]
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Value {
    let mut writer = Writer::default();
    let Ok(()) = value.serialize(&mut writer);
    writer.done
}

/// Writes one value. Objects and lists that are open are on its stack.
#[derive(Default)]
struct Writer {
    /// The value written last.
    done: Value,
    stack: Vec<Frame>,
}

enum Frame {
    Map { map: Map<String, Value>, key: String },
    List(Vec<Value>),
}

impl Writer {
    fn text(&mut self, text: &str) {
        self.done = Value::String(text.to_owned());
    }

    fn integer(&mut self, n: i64) {
        self.done = Value::Number(n.into());
    }

    /// Go's JSON has no fraction for a float that is an integer.
    fn float(&mut self, n: f64) {
        if n.fract() == 0.0 && n.abs() <= LARGEST_INTEGER {
            return self.integer(n as i64);
        }
        self.done = Number::from_f64(n).map_or(Value::Null, Value::Number);
    }

    fn open_map(&mut self) {
        self.stack.push(Frame::Map { map: Map::new(), key: String::new() });
    }

    fn open_list(&mut self, len: Option<usize>) {
        self.stack.push(Frame::List(Vec::with_capacity(len.unwrap_or(0))));
    }

    /// The value written last becomes a field of the innermost struct.
    fn field(&mut self, name: &str) {
        if let Some(Frame::Map { map, .. }) = self.stack.last_mut() {
            map.insert(name.to_owned(), std::mem::take(&mut self.done));
        }
    }

    /// The value written last becomes the next key of the innermost map.
    fn key(&mut self) {
        let written = std::mem::take(&mut self.done);
        if let Some(Frame::Map { key, .. }) = self.stack.last_mut() {
            *key = if let Value::String(text) = written { text } else { written.to_string() };
        }
    }

    /// The value written last becomes the value of that key.
    fn entry(&mut self) {
        if let Some(Frame::Map { map, key }) = self.stack.last_mut() {
            map.insert(std::mem::take(key), std::mem::take(&mut self.done));
        }
    }

    /// The value written last becomes an item of the innermost list.
    fn item(&mut self) {
        if let Some(Frame::List(items)) = self.stack.last_mut() {
            items.push(std::mem::take(&mut self.done));
        }
    }

    fn close(&mut self) {
        match self.stack.pop() {
            Some(Frame::Map { map, .. }) => self.done = Value::Object(map),
            Some(Frame::List(items)) => self.done = Value::Array(items),
            None => {}
        }
    }
}

macro_rules! integers {
    ($($name:ident $t:ty),*) => {$(
        fn $name(self, v: $t) -> Result<(), Never> {
            self.serialize_i64(v.into())
        }
    )*};
}

impl<'a> Serializer for &'a mut Writer {
    type Ok = ();
    type Error = Never;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Variant<'a>;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Variant<'a>;

    integers!(serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_u8 u8, serialize_u16 u16, serialize_u32 u32);

    fn serialize_i64(self, v: i64) -> Result<(), Never> {
        self.integer(v);
        Ok(())
    }

    fn serialize_u64(self, v: u64) -> Result<(), Never> {
        self.done = v.into();
        Ok(())
    }

    fn serialize_bool(self, v: bool) -> Result<(), Never> {
        self.done = Value::Bool(v);
        Ok(())
    }

    fn serialize_f32(self, v: f32) -> Result<(), Never> {
        self.float(v.into());
        Ok(())
    }

    fn serialize_f64(self, v: f64) -> Result<(), Never> {
        self.float(v);
        Ok(())
    }

    fn serialize_char(self, v: char) -> Result<(), Never> {
        self.text(v.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn serialize_str(self, v: &str) -> Result<(), Never> {
        self.text(v);
        Ok(())
    }

    fn serialize_bytes(self, v: &[u8]) -> Result<(), Never> {
        self.done = v.into();
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Never> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Never> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Never> {
        self.done = Value::Null;
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Never> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Never> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Never> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Never> {
        self.open_map();
        value.serialize(&mut *self)?;
        self.field(variant);
        self.close();
        Ok(())
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self, Never> {
        self.open_list(len);
        Ok(self)
    }

    fn serialize_tuple(self, len: usize) -> Result<Self, Never> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<Self, Never> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Variant<'a>, Never> {
        self.open_map();
        self.open_list(Some(len));
        Ok(Variant { name: variant, writer: self })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Never> {
        self.open_map();
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Never> {
        self.open_map();
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Variant<'a>, Never> {
        self.open_map();
        self.open_map();
        Ok(Variant { name: variant, writer: self })
    }

    // Without this method every text would go through a writer of its own.
    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Never> {
        self.done = Value::String(value.to_string());
        Ok(())
    }
}

impl SerializeStruct for &mut Writer {
    type Ok = ();
    type Error = Never;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Never> {
        value.serialize(&mut **self)?;
        self.field(name);
        Ok(())
    }

    fn end(self) -> Result<(), Never> {
        self.close();
        Ok(())
    }
}

impl SerializeMap for &mut Writer {
    type Ok = ();
    type Error = Never;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Never> {
        key.serialize(&mut **self)?;
        self.key();
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
        value.serialize(&mut **self)?;
        self.entry();
        Ok(())
    }

    fn end(self) -> Result<(), Never> {
        self.close();
        Ok(())
    }
}

/// The collections, under each of serde's names for them.
macro_rules! items {
    ($($held:ident $add:ident),*) => {$(
        impl $held for &mut Writer {
            type Ok = ();
            type Error = Never;

            fn $add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
                value.serialize(&mut **self)?;
                self.item();
                Ok(())
            }

            fn end(self) -> Result<(), Never> {
                self.close();
                Ok(())
            }
        }
    )*};
}

items!(SerializeSeq serialize_element, SerializeTuple serialize_element, SerializeTupleStruct serialize_field);

/// A variant of an enum: an object whose only key is the variant's name.
struct Variant<'a> {
    name: &'static str,
    writer: &'a mut Writer,
}

impl Variant<'_> {
    fn close(self) {
        self.writer.close();
        self.writer.field(self.name);
        self.writer.close();
    }
}

impl SerializeTupleVariant for Variant<'_> {
    type Ok = ();
    type Error = Never;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
        value.serialize(&mut *self.writer)?;
        self.writer.item();
        Ok(())
    }

    fn end(self) -> Result<(), Never> {
        self.close();
        Ok(())
    }
}

impl SerializeStructVariant for Variant<'_> {
    type Ok = ();
    type Error = Never;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Never> {
        value.serialize(&mut *self.writer)?;
        self.writer.field(name);
        Ok(())
    }

    fn end(self) -> Result<(), Never> {
        self.close();
        Ok(())
    }
}
