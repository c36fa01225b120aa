//! The types that the checker reasons with, after `common/types` of cel-go.

use std::fmt;
use std::sync::Arc;

/// A type with more parts than this counts as `dyn`: macros can make types whose size doubles with each step.
const PARTS_LIMIT: u32 = 4_000;

/// The type of an expression.
///
/// Its `Display` is what cel-go writes into messages: `int`, `list(string)`, `map(string, dyn)`.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// The type of `null`.
    Null,
    /// `bool`
    Bool,
    /// `int`: 64 bits with a sign.
    Int,
    /// `uint`: 64 bits without a sign.
    Uint,
    /// `double`
    Double,
    /// `string`: code points.
    String,
    /// `bytes`
    Bytes,
    /// A moment, `google.protobuf.Timestamp`.
    Timestamp,
    /// A length of time, `google.protobuf.Duration`.
    Duration,
    /// Any type; what is done with a value is checked when it is evaluated.
    Dyn,
    /// `google.protobuf.Any`; checked as `Dyn` is.
    Any,
    /// The type of an expression that has an error.
    Error,
    /// A list of one type.
    List(Params),
    /// A map: its keys, then its values.
    Map(Params),
    /// An object whose fields the environment knows by the type's name.
    Struct(Arc<str>),
    /// A type that only functions look into, such as `optional_type(int)` or `net.IP`.
    Opaque(Arc<str>, Params),
    /// The type of a type: `type(int)`.
    Type(Params),
    /// A parameter of an overload (`A` in `list(A)`), before the overload is tried.
    Param(&'static str),
    /// A type that is not known yet, numbered.
    Var(u32),
}

/// The types that a type is made of, and how many parts these have together.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    types: Arc<[Type]>,
    parts: u32,
}

impl Params {
    fn new(types: Vec<Type>) -> Params {
        let parts = types.iter().fold(1u32, |sum, t| sum.saturating_add(t.parts()));
        Params { types: types.into(), parts }
    }
}

impl Type {
    /// `list(items)`
    pub fn list(items: Type) -> Type {
        Type::List(Params::new(vec![items])).bounded()
    }

    /// `map(keys, values)`
    pub fn map(keys: Type, values: Type) -> Type {
        Type::Map(Params::new(vec![keys, values])).bounded()
    }

    /// `optional_type(inner)`
    pub fn optional(inner: Type) -> Type {
        Type::opaque("optional_type", vec![inner])
    }

    /// The type whose values are types.
    pub fn type_of(inner: Type) -> Type {
        Type::Type(Params::new(vec![inner])).bounded()
    }

    pub(crate) fn opaque(name: &str, params: Vec<Type>) -> Type {
        Type::Opaque(name.into(), Params::new(params)).bounded()
    }

    pub(crate) fn object(name: &str) -> Type {
        Type::Struct(name.into())
    }

    fn parts(&self) -> u32 {
        match self {
            Type::List(p) | Type::Map(p) | Type::Opaque(_, p) | Type::Type(p) => p.parts,
            _ => 1,
        }
    }

    fn bounded(self) -> Type {
        if self.parts() > PARTS_LIMIT { Type::Dyn } else { self }
    }

    /// The types this one is made of: one of a list, two of a map, none of most.
    pub fn params(&self) -> &[Type] {
        match self {
            Type::List(p) | Type::Map(p) | Type::Opaque(_, p) | Type::Type(p) => &p.types,
            _ => &[],
        }
    }

    pub(crate) fn param(&self, nth: usize) -> Type {
        self.params().get(nth).cloned().unwrap_or(Type::Dyn)
    }

    /// A type of the same constructor with other parameters: a list, a map, an optional, or an abstract type.
    pub(crate) fn with_params(&self, params: Vec<Type>) -> Type {
        match self {
            Type::List(_) => Type::List(Params::new(params)).bounded(),
            Type::Map(_) => Type::Map(Params::new(params)).bounded(),
            Type::Opaque(name, _) => Type::Opaque(name.clone(), Params::new(params)).bounded(),
            Type::Type(_) => Type::Type(Params::new(params)).bounded(),
            other => other.clone(),
        }
    }

    pub(crate) fn is_dyn(&self) -> bool {
        matches!(self, Type::Dyn | Type::Any)
    }

    pub(crate) fn is_dyn_or_error(&self) -> bool {
        matches!(self, Type::Dyn | Type::Any | Type::Error)
    }

    /// What is inside, if it is an optional type.
    pub(crate) fn optional_inner(&self) -> Option<Type> {
        match self {
            Type::Opaque(name, _) if &**name == "optional_type" => Some(self.param(0)),
            _ => None,
        }
    }

    /// Its name without parameters.
    pub fn name(&self) -> &str {
        match self {
            Type::Null => "null",
            Type::Bool => "bool",
            Type::Int => "int",
            Type::Uint => "uint",
            Type::Double => "double",
            Type::String => "string",
            Type::Bytes => "bytes",
            Type::Timestamp => "timestamp",
            Type::Duration => "duration",
            Type::Dyn => "dyn",
            Type::Any => "any",
            Type::Error => "!error!",
            Type::List(_) => "list",
            Type::Map(_) => "map",
            Type::Struct(name) | Type::Opaque(name, _) => name,
            Type::Type(_) => "type",
            Type::Param(name) => name,
            Type::Var(_) => "dyn",
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        for (n, param) in self.params().iter().enumerate() {
            write!(f, "{}{param}", if n == 0 { "(" } else { ", " })?;
        }
        if self.params().is_empty() { Ok(()) } else { f.write_str(")") }
    }
}

/// The types without fields whose values a function makes: their names in the table of functions, and in expressions.
pub(super) const OPAQUES: &[(&str, &str)] = &[("ip", "net.IP"), ("cidr", "net.CIDR")];

/// The type that a name stands for in an expression such as `type(x) == int`.
pub(crate) fn type_named(name: &str) -> Option<Type> {
    Some(match name {
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "null_type" => Type::Null,
        "google.protobuf.Timestamp" => Type::Timestamp,
        "google.protobuf.Duration" => Type::Duration,
        "list" => Type::list(Type::Dyn),
        "map" => Type::map(Type::Dyn, Type::Dyn),
        "type" => Type::type_of(Type::Dyn),
        "optional_type" => Type::optional(Type::Dyn),
        _ => {
            let opaque = OPAQUES.iter().find(|(_, full)| *full == name);
            return opaque.map(|(_, full)| Type::opaque(full, Vec::new()));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_written_as_in_messages() {
        let t = Type::map(Type::String, Type::list(Type::optional(Type::Int)));
        assert_eq!(t.to_string(), "map(string, list(optional_type(int)))");
        assert_eq!(Type::type_of(Type::Null).to_string(), "type(null)");
    }

    #[test]
    fn a_type_does_not_grow_without_bound() {
        let mut t = Type::Int;
        for _ in 0..100 {
            t = Type::map(t.clone(), t);
        }
        assert!(t.to_string().len() < 100_000);
    }
}
