//! What expressions compute with.

use std::cmp::Ordering;
use std::rc::Rc;

use imbl::shared_ptr::RcK;
use imbl::{GenericOrdMap, GenericVector};
use jiff::Timestamp;
use serde_json::Value as Json;

use super::super::decl::ListType;
use super::super::types::Type;
use super::asked::{Asked, Authorizer, Question, Step};
use super::objects::{Cidr, Format, Ip, Semver, Url};
use crate::api::quantity::Amount;

/// Items that are shared with what the list was made of.
pub(crate) type Items = GenericVector<Value, RcK>;
pub(crate) type Entries = GenericOrdMap<Key, Value, RcK>;

/// A value of CEL. Cloning it copies a pointer at most.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number without a sign.
    Uint(u64),
    /// A number with a point.
    Double(f64),
    /// Text.
    String(Rc<str>),
    /// Bytes.
    Bytes(Rc<[u8]>),
    /// A moment.
    Timestamp(Timestamp),
    /// A length of time, in nanoseconds.
    Duration(i64),
    /// A list.
    List(List),
    /// A map or an object.
    Map(Map),
    /// A type.
    Type(Type),
    /// A value that may not be there.
    Optional(Option<Rc<Value>>),
    /// What a function of a library made.
    Library(Rc<Library>),
    /// Data that does not fit the type it is declared with. Using it is an error, which this is.
    Invalid(Rc<str>),
    /// Data that has no type and may only be compared.
    Unknown(Rc<Json>),
}

/// A list, and how its items are told apart.
#[derive(Clone, Debug, Default)]
pub struct List {
    pub(crate) items: Items,
    pub(crate) of: Option<Rc<ListType>>,
}

/// A map, or an object of a schema.
#[derive(Clone, Debug, Default)]
pub struct Map {
    pub(crate) entries: Entries,
    /// Properties of an object that its schema does not know.
    pub(crate) unknown: Option<Rc<serde_json::Map<String, Json>>>,
    /// The type's name of a part of a patch that an expression made, such as `Object.spec`.
    pub(crate) made: Option<Rc<str>>,
    /// What stands under every other key, for whoever asks for one by its name.
    pub(crate) otherwise: Option<Rc<Value>>,
}

impl Map {
    /// What stands under a key.
    pub(crate) fn find(&self, key: &Key) -> Option<&Value> {
        self.entries.get(key).or(self.otherwise.as_deref())
    }
}

/// A value of a type that belongs to a library.
#[derive(Clone, Debug, PartialEq)]
pub enum Library {
    /// `kubernetes.Quantity`
    Quantity(Amount),
    /// `kubernetes.URL`
    Url(Url),
    /// `net.IP`
    Ip(Ip),
    /// `net.CIDR`
    Cidr(Cidr),
    /// `kubernetes.Semver`
    Semver(Semver),
    /// `kubernetes.NamedFormat`
    Format(Format),
    /// `kubernetes.authorization`
    Asked(Asked),
}

/// The key of a map. Numbers that are equal are one key.
#[derive(Clone, Debug)]
pub enum Key {
    /// `false` or `true`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number without a sign.
    Uint(u64),
    /// Text.
    String(Rc<str>),
}

impl Key {
    fn rank(&self) -> (u8, i128) {
        match self {
            Key::Bool(b) => (0, i128::from(*b)),
            Key::Int(n) => (1, i128::from(*n)),
            Key::Uint(n) => (1, i128::from(*n)),
            Key::String(_) => (2, 0),
        }
    }

    pub(crate) fn value(&self) -> Value {
        match self {
            Key::Bool(b) => Value::Bool(*b),
            Key::Int(n) => Value::Int(*n),
            Key::Uint(n) => Value::Uint(*n),
            Key::String(s) => Value::String(s.clone()),
        }
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        match (self, other) {
            (Key::String(a), Key::String(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}

impl Value {
    /// Whether it is true or false, if it is a bool.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// Its text, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(s) => Some(s),
            _ => None,
        }
    }

    /// Text as a value.
    pub fn string(text: &str) -> Value {
        Value::String(text.into())
    }

    /// A list of values.
    pub fn from_values(values: impl IntoIterator<Item = Value>) -> Value {
        Value::list(values.into_iter().collect())
    }

    /// A map with texts as keys.
    pub fn from_entries<'k>(entries: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
        Value::map(entries.into_iter().map(|(key, value)| (Key::String(key.into()), value)).collect())
    }

    pub(crate) fn list(items: Items) -> Value {
        Value::List(List { items, of: None })
    }

    pub(crate) fn map(entries: Entries) -> Value {
        Value::Map(Map { entries, ..Map::default() })
    }

    /// A map with texts as keys in which every other text stands for `otherwise`, though only for those who ask for it.
    pub(crate) fn map_with_default(
        entries: impl IntoIterator<Item = (Rc<str>, Value)>,
        otherwise: Value,
    ) -> Value {
        let entries = entries.into_iter().map(|(key, value)| (Key::String(key), value)).collect();
        Value::Map(Map { entries, otherwise: Some(Rc::new(otherwise)), ..Map::default() })
    }

    /// A value whose use is an error with these words.
    pub fn invalid(why: &str) -> Value {
        Value::Invalid(why.into())
    }

    /// The authorizer, which expressions ask what the sender of a request may do.
    pub fn authorizer(authorizer: Rc<dyn Authorizer>) -> Value {
        Value::library(Library::Asked(Asked::new(authorizer, Question::default(), Step::Authorizer)))
    }

    /// A question to the authorizer about a resource.
    pub fn resource_check(authorizer: Rc<dyn Authorizer>, question: Question) -> Value {
        Value::library(Library::Asked(Asked::new(authorizer, question, Step::Resource)))
    }

    pub(crate) fn some(value: Value) -> Value {
        Value::Optional(Some(Rc::new(value)))
    }

    pub(crate) fn library(value: Library) -> Value {
        Value::Library(Rc::new(value))
    }

    /// The type it has when it is looked at: of a list or map, what it holds is not known.
    pub fn type_of(&self) -> Type {
        match self {
            Value::Null => Type::Null,
            Value::Bool(_) => Type::Bool,
            Value::Int(_) => Type::Int,
            Value::Uint(_) => Type::Uint,
            Value::Double(_) => Type::Double,
            Value::String(_) => Type::String,
            Value::Bytes(_) => Type::Bytes,
            Value::Timestamp(_) => Type::Timestamp,
            Value::Duration(_) => Type::Duration,
            Value::List(_) => Type::list(Type::Dyn),
            Value::Map(Map { made: Some(name), .. }) => Type::object(name),
            Value::Map(_) => Type::map(Type::Dyn, Type::Dyn),
            Value::Type(_) => Type::type_of(Type::Dyn),
            Value::Optional(_) => Type::optional(Type::Dyn),
            Value::Library(library) => library.type_of(),
            Value::Invalid(_) | Value::Unknown(_) => Type::Dyn,
        }
    }

    /// Its type's name as errors at run time write it.
    pub(crate) fn type_name(&self) -> String {
        match self {
            Value::Null => "null_type".to_owned(),
            Value::Timestamp(_) => "google.protobuf.Timestamp".to_owned(),
            Value::Duration(_) => "google.protobuf.Duration".to_owned(),
            other => other.type_of().name().to_owned(),
        }
    }

    /// How large it is for what costs go by the size.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Value::String(s) => s.chars().count() as u64,
            Value::Bytes(b) => b.len() as u64,
            Value::List(l) => l.items.len() as u64,
            Value::Map(Map { made: Some(_), .. }) => 1,
            Value::Map(m) => m.entries.len() as u64,
            Value::Optional(Some(inner)) => inner.size(),
            Value::Library(library) => match &**library {
                Library::Ip(ip) => ip.bytes(),
                Library::Cidr(cidr) => cidr.bytes(),
                _ => 1,
            },
            _ => 1,
        }
    }

    pub(crate) fn key(&self) -> Option<Key> {
        Some(match self {
            Value::Bool(b) => Key::Bool(*b),
            Value::Int(n) => Key::Int(*n),
            Value::Uint(n) => Key::Uint(*n),
            Value::String(s) => Key::String(s.clone()),
            Value::Double(d) if d.fract() == 0.0 && d.abs() < 9.0e18 => Key::Int(*d as i64),
            _ => return None,
        })
    }

    /// JSON as a value that nothing declares: numbers without a fraction are ints.
    pub fn from_json(json: &Json) -> Value {
        match json {
            Json::Null => Value::Null,
            Json::Bool(b) => Value::Bool(*b),
            Json::Number(n) => match (n.as_i64(), n.as_u64()) {
                (Some(n), _) => Value::Int(n),
                (None, Some(n)) => Value::Uint(n),
                _ => Value::Double(n.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(s) => Value::string(s),
            Json::Array(items) => Value::list(items.iter().map(Value::from_json).collect()),
            Json::Object(map) => {
                let entry = |(k, v): (&String, &Json)| (Key::String(k.as_str().into()), Value::from_json(v));
                Value::map(map.iter().map(entry).collect())
            }
        }
    }
}

impl Library {
    fn type_of(&self) -> Type {
        match self {
            Library::Quantity(_) => Type::object("kubernetes.Quantity"),
            Library::Url(_) => Type::object("kubernetes.URL"),
            Library::Ip(_) => Type::opaque("net.IP", Vec::new()),
            Library::Cidr(_) => Type::opaque("net.CIDR", Vec::new()),
            Library::Semver(_) => Type::object("kubernetes.Semver"),
            Library::Format(_) => Type::object("kubernetes.NamedFormat"),
            Library::Asked(asked) => Type::object(match asked.step {
                Step::Authorizer => "kubernetes.authorization.Authorizer",
                Step::Path => "kubernetes.authorization.PathCheck",
                Step::Group => "kubernetes.authorization.GroupCheck",
                Step::Resource => "kubernetes.authorization.ResourceCheck",
                Step::Decision => "kubernetes.authorization.Decision",
            }),
        }
    }
}
