//! Bodies in Kubernetes' protobuf (`apimachinery/pkg/runtime/serializer/protobuf`), which clients with a
//! newer client-go send for kinds that they know. They are parsed into the same [`Json`] as other bodies and
//! handled like these. Responses are never written in protobuf: every such client reads JSON as well.
//!
//! ```
//! use steady::api::{Kind, go_types::{self, protobuf}};
//! // A ConfigMap with the name `c`: an envelope with its type, and the object.
//! let object = [10, 3, 10, 1, b'c'];
//! let mut body = b"k8s\0\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12".to_vec();
//! body.push(object.len() as u8);
//! body.extend(object);
//! let json = protobuf::parse(go_types::of(Kind::CONFIG_MAP), &body).unwrap();
//! assert_eq!(json.get("kind").unwrap().as_str(), Some("ConfigMap"));
//! assert_eq!(json.get("metadata").unwrap().get("name").unwrap().as_str(), Some("c"));
//! ```

#[rustfmt::skip]
mod table;
mod wire;

use super::{GoField, GoStruct, Json, Or, Type, parse as parse_json};
use crate::api::Timestamp;
use wire::{Fields, Wire};

/// The first bytes of every body in protobuf.
const MAGIC: &[u8] = b"k8s\0";
/// The deepest nesting of messages. No struct nests deeper.
const MAX_DEPTH: usize = 64;

/// The number of a field in the messages of a struct.
#[derive(Debug)]
enum Number {
    /// A field: its number, and its name in JSON.
    Field(u64, &'static str),
    /// An inline struct, which is a message of its own in protobuf: its number, and its fields.
    Part(u64, &'static [Number]),
}

/// Why a body could not be parsed.
pub type Error = String;

fn numbers(of: &GoStruct) -> Option<&'static [Number]> {
    let from = table::NUMBERS.partition_point(|(s, _)| s.name < of.name);
    let same = table::NUMBERS.iter().skip(from).take_while(|(s, _)| s.name == of.name);
    same.filter(|(s, _)| std::ptr::eq(*s, of)).map(|(_, n)| *n).next()
}

/// Parses a body: the envelope, and in it the object, whose struct is `of`.
///
/// # Errors
/// If the body is not such a message.
pub fn parse(of: &GoStruct, body: &[u8]) -> Result<Json, Error> {
    let envelope =
        body.strip_prefix(MAGIC).ok_or("provided data does not appear to be a protobuf message")?;
    let (mut kind, mut api_version, mut raw) = (String::new(), String::new(), &[][..]);
    for field in Fields::of(envelope) {
        match field? {
            (1, Wire::Bytes(meta)) => {
                for field in Fields::of(meta) {
                    match field? {
                        (1, Wire::Bytes(text)) => api_version = utf8(text)?,
                        (2, Wire::Bytes(text)) => kind = utf8(text)?,
                        _ => {}
                    }
                }
            }
            (2, Wire::Bytes(object)) => raw = object,
            _ => {}
        }
    }
    let mut fields =
        vec![("kind".to_owned(), Json::Text(kind)), ("apiVersion".to_owned(), Json::Text(api_version))];
    let numbers = numbers(of).ok_or_else(|| format!("{} is not read from protobuf", of.name))?;
    message(of, numbers, raw, MAX_DEPTH, &mut fields)?;
    Ok(Json::Object(fields))
}

fn utf8(bytes: &[u8]) -> Result<String, Error> {
    String::from_utf8(bytes.to_vec()).map_err(|_| "string field contains invalid UTF-8".into())
}

/// Adds the fields of a message to those of its struct.
fn message(
    of: &GoStruct,
    numbers: &[Number],
    bytes: &[u8],
    depth: usize,
    into: &mut Vec<(String, Json)>,
) -> Result<(), Error> {
    let depth = depth.checked_sub(1).ok_or("exceeded max depth")?;
    for field in Fields::of(bytes) {
        let (n, wire) = field?;
        // Unknown fields are skipped, as protobuf requires.
        let known = numbers.iter().find(|k| matches!(k, Number::Field(m, _) | Number::Part(m, _) if *m == n));
        match known {
            Some(Number::Part(_, numbers)) => message(of, numbers, wire.bytes()?, depth, into)?,
            Some(Number::Field(_, name)) => {
                if let Some(f) = of.field(name) {
                    add(f, wire, depth, into)?;
                }
            }
            None => {}
        }
    }
    Ok(())
}

/// Adds a value to a field. For lists and maps this is called once for each item.
fn add(field: &GoField, wire: Wire<'_>, depth: usize, into: &mut Vec<(String, Json)>) -> Result<(), Error> {
    let place = into.iter_mut().find(|(name, _)| name == field.name).map(|(_, v)| v);
    let value = match field.kind.bare() {
        Type::List(item) => {
            // Numbers of a list can come packed in one value.
            let items = match (item.bare(), wire) {
                (Type::Int32 | Type::Int64 | Type::Bool, Wire::Bytes(packed)) => {
                    wire::varints(packed)?.into_iter().map(|n| one(*item, Wire::Varint(n), depth)).collect()
                }
                (_, wire) => one(*item, wire, depth).map(|v| vec![v]),
            }?;
            match place {
                Some(Json::List(list)) => {
                    list.extend(items);
                    return Ok(());
                }
                _ => Json::List(items),
            }
        }
        Type::Map(item) => {
            let (mut key, mut value) = (String::new(), None);
            for entry in Fields::of(wire.bytes()?) {
                match entry? {
                    (1, Wire::Bytes(text)) => key = utf8(text)?,
                    (2, wire) => value = Some(one(*item, wire, depth)?),
                    _ => {}
                }
            }
            let value = match value {
                Some(v) => v,
                None => one(*item, Wire::Bytes(&[]), depth)?,
            };
            match place {
                Some(Json::Object(map)) => {
                    map.retain(|(k, _)| *k != key);
                    map.push((key, value));
                    return Ok(());
                }
                _ => Json::Object(vec![(key, value)]),
            }
        }
        _ => {
            let value = one(field.kind, wire, depth)?;
            // Fields that are not pointers are always sent; in JSON they are omitted when empty.
            let pointer = matches!(field.kind, Type::Pointer(_));
            if value == Json::Null || (field.omitempty && !pointer && is_zero(&value)) {
                return Ok(());
            }
            value
        }
    };
    match place {
        Some(p) => *p = value,
        None => into.push((field.name.to_owned(), value)),
    }
    Ok(())
}

fn is_zero(value: &Json) -> bool {
    match value {
        Json::Bool(b) => !b,
        Json::Number(n) => n == "0",
        Json::Text(t) => t.is_empty(),
        _ => false,
    }
}

/// Parses one value of a type.
fn one(kind: Type, wire: Wire<'_>, depth: usize) -> Result<Json, Error> {
    Ok(match kind.bare() {
        Type::Text => Json::Text(utf8(wire.bytes()?)?),
        Type::Bool => Json::Bool(wire.varint()? != 0),
        // Negative numbers come as their two's complement.
        Type::Int32 | Type::Int64 => Json::Number(wire.varint()?.cast_signed().to_string()),
        Type::Float => Json::Number(wire.double()?.to_string()),
        Type::Bytes => {
            use base64::Engine as _;
            Json::Text(base64::engine::general_purpose::STANDARD.encode(wire.bytes()?))
        }
        Type::Time => time(wire.bytes()?, false)?,
        Type::MicroTime => time(wire.bytes()?, true)?,
        Type::Quantity => Json::Text(match Fields::last(wire.bytes()?, 1)? {
            Some(w) => utf8(w.bytes()?)?,
            None => "0".into(),
        }),
        Type::IntOrString => {
            let bytes = wire.bytes()?;
            let number = |n| Fields::last(bytes, n)?.map_or(Ok(0), |w| w.varint());
            if number(1)? == 0 {
                Json::Number(number(2)?.cast_signed().to_string())
            } else {
                Json::Text(Fields::last(bytes, 3)?.map_or(Ok(String::new()), |w| utf8(w.bytes()?))?)
            }
        }
        Type::FieldsV1 | Type::Any => match Fields::last(wire.bytes()?, 1)? {
            Some(raw) => parse_json(raw.bytes()?)?,
            None => Json::Null,
        },
        Type::Struct(s) => {
            let numbers = numbers(s).ok_or_else(|| format!("{} is not read from protobuf", s.name))?;
            let mut fields = Vec::new();
            message(s, numbers, wire.bytes()?, depth, &mut fields)?;
            Json::Object(fields)
        }
        // `message JSONSchemaPropsOrBool { allows = 1; schema = 2 }`. In the others the schema has number 1.
        Type::SchemaOr(or, s) => {
            let bytes = wire.bytes()?;
            let (schema, other) = if or == Or::Bool { (2, 1) } else { (1, 2) };
            match (Fields::last(bytes, schema)?, or) {
                (Some(wire), _) => one(Type::Struct(s), wire, depth)?,
                (None, Or::Bool) => {
                    Json::Bool(Fields::last(bytes, other)?.map_or(Ok(0), |w| w.varint())? != 0)
                }
                (None, or) => {
                    let item = if or == Or::Schemas { Type::Struct(s) } else { Type::Text };
                    let mut items = Vec::new();
                    for field in Fields::of(bytes) {
                        if let (n, wire) = field?
                            && n == other
                        {
                            items.push(one(item, wire, depth)?);
                        }
                    }
                    Json::List(items)
                }
            }
        }
        // No kind has such fields in protobuf.
        Type::Duration | Type::List(_) | Type::Map(_) | Type::Pointer(_) | Type::Named(..) => {
            return Err(format!("{} is not read from protobuf", kind.go_name()));
        }
    })
}

/// A time from seconds and nanoseconds. An empty message is no time.
fn time(bytes: &[u8], micro: bool) -> Result<Json, Error> {
    if bytes.is_empty() {
        return Ok(Json::Null);
    }
    let number = |n| Fields::last(bytes, n)?.map_or(Ok(0), |w| w.varint().map(u64::cast_signed));
    let nanos = if micro { i32::try_from(number(2)?).unwrap_or(0) } else { 0 };
    let t = Timestamp::new(number(1)?, nanos).map_err(|e| e.to_string())?;
    Ok(Json::Text(if micro { format!("{t:.6}") } else { format!("{t:.0}") }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::Kind;
    use crate::api::go_types;

    fn bytes(number: u8, content: &[u8]) -> Vec<u8> {
        let mut out = vec![number << 3 | 2, u8::try_from(content.len()).unwrap()];
        out.extend(content);
        out
    }

    fn body(content: &[u8]) -> Vec<u8> {
        [MAGIC, &bytes(2, content)].concat()
    }

    fn text(of: Kind, content: &[u8]) -> String {
        parse(go_types::of(of), &body(content)).unwrap().to_value().to_string()
    }

    /// `cargo xtask generate` writes both tables.
    #[test]
    fn every_struct_of_every_kind_has_numbers() {
        fn covered(numbers: &[Number], name: &str) -> bool {
            numbers.iter().any(|n| match n {
                Number::Field(_, f) => *f == name,
                Number::Part(_, more) => covered(more, name),
            })
        }
        fn walk(s: &'static GoStruct, seen: &mut std::collections::BTreeSet<&'static str>) {
            if !seen.insert(s.name) {
                return;
            }
            let numbers = numbers(s).unwrap_or_else(|| panic!("{} has no numbers", s.name));
            for f in s.fields {
                assert!(
                    covered(numbers, f.name) || matches!(f.name, "kind" | "apiVersion"),
                    "{}.{}",
                    s.name,
                    f.name
                );
                let mut kind = f.kind;
                while let Type::Pointer(t) | Type::Named(_, t) | Type::List(t) | Type::Map(t) = kind {
                    kind = *t;
                }
                if let Type::Struct(s) = kind {
                    walk(s, seen);
                }
            }
        }
        for kind in Kind::BUILT_IN {
            walk(go_types::of(*kind), &mut Default::default());
        }
    }

    #[test]
    fn values_of_all_sorts() {
        // `spec.replicas` 3, `spec.strategy.rollingUpdate.maxSurge` "25%", an empty creation time.
        let surge = bytes(2, &[&[8, 1][..], &bytes(3, b"25%")].concat());
        let strategy = bytes(4, &bytes(2, &surge));
        let spec = bytes(2, &[&[8, 3][..], &strategy, &[0x28, 0]].concat());
        let labels = bytes(11, &[bytes(1, b"a"), bytes(2, b"b")].concat());
        let metadata = bytes(1, &[bytes(1, b"web"), bytes(8, b""), labels].concat());
        assert_eq!(
            text(Kind::DEPLOYMENT, &[metadata, spec].concat()),
            r#"{"apiVersion":"","kind":"","metadata":{"labels":{"a":"b"},"name":"web"},"spec":{"replicas":3,"strategy":{"rollingUpdate":{"maxSurge":"25%"}}}}"#
        );
        // Data: base64 of the bytes. The time is in 2026-01-01.
        let data = bytes(2, &[bytes(1, b"k"), bytes(2, &[255, 0])].concat());
        let time = bytes(1, &bytes(8, &[8, 0x80, 0xf2, 0xd6, 0xca, 0x6]));
        let secret = text(Kind::SECRET, &[time, data].concat());
        assert!(secret.contains(r#""data":{"k":"/wA="}"#), "{secret}");
        assert!(secret.contains(r#""creationTimestamp":"2026-01-01T00:00:00Z""#), "{secret}");
    }

    #[test]
    fn nonsense_is_refused() {
        let of = go_types::of(Kind::POD);
        assert!(parse(of, b"{}").is_err());
        for cut in 1..8 {
            let whole = body(&bytes(1, &bytes(1, b"p")));
            let _ = parse(of, &whole[..whole.len() - cut]);
        }
        assert!(parse(of, &body(&[10, 200])).is_err());
        assert!(parse(of, &body(&[8, 1])).is_err());
        assert!(parse(of, &[MAGIC, &[0x13; 40]].concat()).is_err());
    }
}
