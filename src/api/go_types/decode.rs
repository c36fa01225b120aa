//! Go's decoder of JSON (`sigs.k8s.io/json`): it drops what the struct has no field for, or fails.

use std::fmt;

use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use base64::{DecodeError, Engine as _, alphabet};
use serde_json::{Map, Value};

use super::json::number;
use super::{GoStruct, Json, Or, Type};
use crate::api::quantity;
use crate::api::quote::go_quote;

/// A decoded value.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The value, without unknown fields and nulls.
    pub value: Value,
    /// The errors of a strict decoder, in order.
    pub strict: Vec<StrictError>,
}

/// An error of a strict decoder, which as text is `unknown field "spec.replica"` or `duplicate field "data.a"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrictError {
    /// Whether the field is there twice; it is unknown if not.
    pub duplicate: bool,
    /// The path of the field.
    pub path: String,
}

impl fmt::Display for StrictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} field {}", if self.duplicate { "duplicate" } else { "unknown" }, go_quote(&self.path))
    }
}

/// Decodes JSON for a struct.
///
/// # Errors
/// The message of Go about the first value whose type does not fit.
pub fn decode(into: &'static GoStruct, json: &Json) -> Result<Decoded, String> {
    run(into, json, false)
}

/// The path of the value at which decoding JSON for a struct ends with an error, and the message of Go; `None` if no value
/// ends it.
pub fn ends_at(into: &'static GoStruct, json: &Json) -> Option<(String, String)> {
    let mut decoder = Decoder::default();
    let message = decoder.value(Type::Struct(into), json).err()?;
    Some((decoder.joined_path(), message))
}

/// Converts a patched object for a struct, as the API server does after a strategic merge patch: without a
/// text in between, and with other messages (`k8s.io/apimachinery/pkg/runtime.FromUnstructured`).
///
/// # Errors
/// The message about the first value whose type does not fit.
pub fn convert(into: &'static GoStruct, json: &Json) -> Result<Decoded, String> {
    run(into, json, true)
}

fn run(into: &'static GoStruct, json: &Json, converts: bool) -> Result<Decoded, String> {
    let mut decoder = Decoder { converts, ..Decoder::default() };
    let value = decoder.value(Type::Struct(into), json)?;
    match decoder.error {
        Some(error) => Err(error),
        None => Ok(Decoded { value: value.unwrap_or(Value::Null), strict: decoder.strict }),
    }
}

#[derive(Default)]
struct Decoder {
    /// Whether this is the converter and not the decoder.
    converts: bool,
    /// The name of the struct whose field is being decoded.
    owner: &'static str,
    /// The names of the fields on the path to it.
    stack: Vec<&'static str>,
    /// The path of the value that is being decoded, with keys and indexes.
    path: Vec<String>,
    strict: Vec<StrictError>,
    /// The first error that does not end decoding.
    error: Option<String>,
}

impl Decoder {
    /// Decodes a value; `None` for a null that leaves the field as it was. The error ends decoding: only
    /// types with a decoder of their own make one.
    fn value(&mut self, kind: Type, json: &Json) -> Result<Option<Value>, String> {
        let bare = kind.bare();
        if matches!(json, Json::Null) {
            return Ok(match kind {
                Type::Quantity => Some("0".into()),
                Type::IntOrString => Some(0.into()),
                _ => None,
            });
        }
        Ok(Some(match (bare, json) {
            (Type::Struct(s), Json::Object(fields)) => self.object(s, fields)?,
            (Type::Map(item), Json::Object(fields)) => self.map(*item, fields)?,
            (Type::List(item), Json::List(items)) => {
                let mut out = Vec::new();
                for (i, json) in items.iter().enumerate() {
                    self.path.push(format!("[{i}]"));
                    let value = self.value(*item, json)?;
                    self.path.pop();
                    out.push(value.unwrap_or_else(|| zero(*item)));
                }
                Value::Array(out)
            }
            (Type::Text, Json::Text(s)) => s.as_str().into(),
            (Type::Bool, Json::Bool(b)) => (*b).into(),
            (Type::Int32, Json::Number(n)) if n.parse::<i32>().is_ok() => number(n),
            (Type::Int64, Json::Number(n)) if n.parse::<i64>().is_ok() => number(n),
            (Type::Int32 | Type::Int64, Json::Number(n)) => self.mismatch(&format!("number {n}"), kind),
            (Type::Float, Json::Number(n)) => number(n),
            (Type::Bytes, Json::Text(s)) => match base64_decode(s) {
                Ok(bytes) => STANDARD.encode(bytes).into(),
                Err(error) => {
                    self.error.get_or_insert(error);
                    Value::Null
                }
            },
            (Type::FieldsV1 | Type::Any, json) => json.to_value(),
            (Type::SchemaOr(or, s), json) => return self.schema_or(or, s, json),
            (Type::Quantity, json) => quantity(json)?,
            (Type::Time | Type::MicroTime, Json::Text(s)) => time(bare, s)?,
            (Type::Duration, Json::Text(s)) => s.as_str().into(),
            (Type::Time | Type::MicroTime | Type::Duration, other) => {
                return Err(self.type_error(other.word(), "string"));
            }
            (Type::IntOrString, Json::Text(s)) => s.as_str().into(),
            (Type::IntOrString, Json::Number(n)) if n.parse::<i32>().is_ok() => number(n),
            (Type::IntOrString, Json::Number(n)) => {
                return Err(self.type_error(&format!("number {n}"), "int32"));
            }
            (Type::IntOrString, other) => return Err(self.type_error(other.word(), "int32")),
            (_, json) => self.mismatch(json.word(), kind),
        }))
    }

    fn object(&mut self, s: &'static GoStruct, fields: &[(String, Json)]) -> Result<Value, String> {
        let owner = std::mem::replace(&mut self.owner, s.name);
        let mut out = Map::new();
        let mut seen: Vec<&str> = Vec::new();
        for (name, json) in fields {
            self.path.push(name.clone());
            match s.field(name) {
                None => self.complain(false),
                Some(field) => {
                    if seen.contains(&field.name) {
                        self.complain(true);
                    }
                    seen.push(field.name);
                    self.stack.push(field.name);
                    // An error keeps the stack as it is, because its message names the field.
                    self.owner = s.name;
                    if let Some(value) = self.value(field.kind, json)? {
                        out.insert(name.clone(), value);
                    } else if matches!(
                        field.kind,
                        Type::Pointer(_) | Type::List(_) | Type::Map(_) | Type::Bytes
                    ) {
                        out.remove(name);
                    }
                    self.stack.pop();
                }
            }
            self.path.pop();
        }
        self.owner = owner;
        Ok(Value::Object(out))
    }

    /// Decodes a type of apiextensions that has a decoder of its own. That decoder is not strict, so unknown
    /// fields inside are dropped without a message (`apiextensions/v1/marshal.go`).
    fn schema_or(&mut self, or: Or, s: &'static GoStruct, json: &Json) -> Result<Option<Value>, String> {
        let strict = self.strict.len();
        let value = match (or, json) {
            (_, Json::Object(fields)) => Some(self.object(s, fields)?),
            (Or::Bool, Json::Bool(b)) => Some((*b).into()),
            (Or::Bool, _) => return Err("boolean or JSON schema expected".to_owned()),
            (Or::Schemas, Json::List(items)) => {
                let mut schemas = Vec::new();
                for json in items {
                    schemas.push(self.value(Type::Struct(s), json)?.unwrap_or_else(|| zero(Type::Struct(s))));
                }
                Some(Value::Array(schemas))
            }
            (Or::Texts, Json::List(_)) => self.value(Type::List(&Type::Text), json)?,
            (Or::Schemas | Or::Texts, _) => None,
        };
        self.strict.truncate(strict);
        Ok(value)
    }

    fn map(&mut self, item: Type, fields: &[(String, Json)]) -> Result<Value, String> {
        let mut out = Map::new();
        for (key, json) in fields {
            self.path.push(key.clone());
            if out.contains_key(key) {
                self.complain(true);
            }
            let value = self.value(item, json)?;
            out.insert(key.clone(), value.unwrap_or_else(|| zero(item)));
            self.path.pop();
        }
        Ok(Value::Object(out))
    }

    fn complain(&mut self, duplicate: bool) {
        let path = self.joined_path();
        self.strict.push(StrictError { duplicate, path });
    }

    /// The path of the value that is being decoded, as text.
    fn joined_path(&self) -> String {
        let mut path = String::new();
        for step in &self.path {
            if !path.is_empty() && !step.starts_with('[') {
                path.push('.');
            }
            path.push_str(step);
        }
        path
    }

    /// Notes that a value does not fit, and returns the type's zero value, with which decoding continues.
    fn mismatch(&mut self, what: &str, kind: Type) -> Value {
        let name = match kind {
            Type::Pointer(t) => t.go_name(),
            t => t.go_name(),
        };
        let error = if self.converts { unrecognized(what, kind) } else { self.type_error(what, &name) };
        self.error.get_or_insert(error);
        zero(kind)
    }

    fn type_error(&self, what: &str, kind: &str) -> String {
        if self.owner.is_empty() || self.stack.is_empty() {
            return format!("json: cannot unmarshal {what} into Go value of type {kind}");
        }
        let path = self.stack.join(".");
        format!("json: cannot unmarshal {what} into Go struct field {}.{path} of type {kind}", self.owner)
    }
}

/// The converter's message about a value that does not fit.
fn unrecognized(what: &str, kind: Type) -> String {
    let from = match what {
        "array" => "slice",
        "object" => "map",
        "number" => "int64",
        w if w.starts_with("number") => "float64",
        w => w,
    };
    match kind.bare() {
        Type::Struct(_) => format!("cannot restore struct from: {from}"),
        Type::Map(_) => format!("cannot restore map from {from}"),
        Type::List(_) | Type::Bytes => format!("cannot restore slice from {from}"),
        // Go could convert a number to a letter, and its message says that it does not.
        Type::Text if from == "int64" => {
            let mut to = kind;
            while let Type::Pointer(t) = to {
                to = *t;
            }
            format!("cannot convert int64 to {}", to.go_name())
        }
        t => format!("unrecognized type: {}", t.go_name()),
    }
}

/// The zero value of a type.
pub(super) fn zero(kind: Type) -> Value {
    match kind {
        Type::Named(_, t) => zero(*t),
        Type::Text | Type::Bytes => "".into(),
        Type::Bool => false.into(),
        Type::Int32 | Type::Int64 | Type::Float | Type::IntOrString => 0.into(),
        Type::Quantity => "0".into(),
        Type::Duration => "0s".into(),
        Type::Struct(_) | Type::Map(_) => Value::Object(Map::new()),
        Type::List(_) => Value::Array(Vec::new()),
        Type::Time | Type::MicroTime | Type::FieldsV1 | Type::Any | Type::Pointer(_) | Type::SchemaOr(..) => {
            Value::Null
        }
    }
}

fn quantity(json: &Json) -> Result<Value, String> {
    let text = match json {
        Json::Text(s) | Json::Number(s) => s.clone(),
        Json::Bool(b) => b.to_string(),
        _ => json.to_value().to_string(),
    };
    quantity::Amount::parse(&text).map_err(|e| e.to_string())?;
    Ok(text.into())
}

fn time(kind: Type, text: &str) -> Result<Value, String> {
    if text.parse::<jiff::Timestamp>().is_ok() {
        return Ok(text.into());
    }
    let layout = if matches!(kind, Type::Time) { RFC3339 } else { "2006-01-02T15:04:05.000000Z07:00" };
    Err(unparsable_time(text, layout))
}

/// Go's `time.RFC3339`.
pub const RFC3339: &str = "2006-01-02T15:04:05Z07:00";

/// Go's words about a text that is no time. Go says at which part of the layout it failed; here it is always the first.
pub fn unparsable_time(text: &str, layout: &str) -> String {
    let (text, layout) = (go_quote(text), go_quote(layout));
    format!("parsing time {text} as {layout}: cannot parse {text} as \"2006\"")
}

/// Go does not mind bits that are left over in the last character.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// Decodes base64 as Go's `encoding/base64` does, which overlooks the ends of lines.
///
/// # Errors
/// Go's message, with the offset in the text of what is wrong.
fn base64_decode(text: &str) -> Result<Vec<u8>, String> {
    let kept = || text.bytes().enumerate().filter(|(_, b)| !matches!(b, b'\r' | b'\n'));
    let bytes: Vec<u8> = kept().map(|(_, b)| b).collect();
    BASE64.decode(&bytes).map_err(|error| {
        let at = match error {
            DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _) => at,
            DecodeError::InvalidLength(n) => n / 4 * 4,
            DecodeError::InvalidPadding => bytes.len() / 4 * 4,
        };
        let at = kept().nth(at).map_or(text.len(), |(at, _)| at);
        format!("illegal base64 data at input byte {at}")
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{of, parse};
    use super::*;
    use crate::api::Kind;

    fn deployment(text: &str) -> Result<Decoded, String> {
        decode(of(Kind::DEPLOYMENT), &parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn a_mismatch_names_the_struct_and_the_field() {
        for (text, want) in [
            (
                r#"{"spec": {"replicas": "three"}}"#,
                "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
            ),
            (
                r#"{"spec": {"template": {"spec": {"containers": {}}}}}"#,
                "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container",
            ),
            (
                r#"{"spec": {"strategy": {"rollingUpdate": {"maxSurge": true}}}}"#,
                "json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32",
            ),
            ("[]", "json: cannot unmarshal array into Go value of type v1.Deployment"),
        ] {
            assert_eq!(deployment(text).unwrap_err(), want);
        }
    }

    #[test]
    fn bytes_are_read_as_go_reads_them() {
        let secret = |value: &str| {
            let json = serde_json::json!({"data": {"a": value}}).to_string();
            let decoded = decode(of(Kind::SECRET), &parse(json.as_bytes()).unwrap());
            decoded.map(|d| d.value["data"]["a"].as_str().unwrap_or_default().to_owned())
        };
        assert_eq!(secret("YQ==\n").as_deref(), Ok("YQ=="));
        assert_eq!(secret("YW\r\nJj").as_deref(), Ok("YWJj"));
        // The last character has bits that stand for nothing.
        assert_eq!(secret("YR==").as_deref(), Ok("YQ=="));
        assert_eq!(secret("YW\n_j").unwrap_err(), "illegal base64 data at input byte 3");
        assert_eq!(secret("REPLACE_ME").unwrap_err(), "illegal base64 data at input byte 7");
    }

    #[test]
    fn strict_errors_come_in_the_order_of_the_text() {
        let text = r#"{"metadata": {"lables": {}}, "spec": {"template": {"spec": {"containers": [{"x": 1}]}}, "replica": 3, "replicas": 1, "replicas": 2}}"#;
        let d = deployment(text).unwrap();
        assert_eq!(
            d.strict.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "unknown field \"metadata.lables\"",
                "unknown field \"spec.template.spec.containers[0].x\"",
                "unknown field \"spec.replica\"",
                "duplicate field \"spec.replicas\""
            ]
        );
        assert_eq!(d.value["spec"]["replicas"], 2);
    }
}
