//! What a refusal of a field is: its path, its type, the value and the words
//! (`k8s.io/apimachinery/pkg/util/validation/field`).

use std::fmt;
use std::rc::Rc;

pub use crate::api::quote::{go_json_string, go_quote};

/// The number of steps for which a path has room before it is written out.
const STEPS: usize = 8;

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Child(&'static str),
    Index(usize),
}

/// The path of a field, as `spec.containers[0].resources.limits[cpu]`.
///
/// A pod has some hundred fields and hardly ever a wrong one, so a path is a handful of pointers on
/// the stack until somebody wants its text; building the text each time was a tenth of a run.
#[derive(Clone, Debug)]
pub struct Path {
    /// What comes before the steps: a path that was too long, or had a key that a person chose.
    written: Option<Rc<str>>,
    steps: [Step; STEPS],
    len: usize,
}

impl Path {
    /// A path that begins at `name`. An empty name is the whole object.
    pub fn new(name: &'static str) -> Path {
        let path = Path { written: None, steps: [Step::Child(""); STEPS], len: 0 };
        if name.is_empty() { path } else { path.child(name) }
    }

    /// The field `name` under this one.
    #[must_use]
    pub fn child(&self, name: &'static str) -> Path {
        self.step(Step::Child(name))
    }

    /// The element `index` of this list.
    #[must_use]
    pub fn index(&self, index: usize) -> Path {
        self.step(Step::Index(index))
    }

    /// The value under `key` of this map.
    #[must_use]
    pub fn key(&self, key: &str) -> Path {
        Path { written: Some(format!("{self}[{key}]").into()), ..Path::new("") }
    }

    /// The field under this one whose name a person chose.
    #[must_use]
    pub fn named(&self, name: &str) -> Path {
        let path = self.to_string();
        let written = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        Path { written: Some(written.into()), ..Path::new("") }
    }

    fn step(&self, step: Step) -> Path {
        let mut path = self.clone();
        if path.len == STEPS {
            path = Path { written: Some(path.to_string().into()), ..Path::new("") };
        }
        if let Some(place) = path.steps.get_mut(path.len) {
            *place = step;
            path.len += 1;
        }
        path
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = self.written.is_none();
        f.write_str(self.written.as_deref().unwrap_or_default())?;
        for step in self.steps.iter().take(self.len) {
            match step {
                Step::Child(name) if first => f.write_str(name)?,
                Step::Child(name) => write!(f, ".{name}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
            first = false;
        }
        Ok(())
    }
}

/// Why a field is refused; the reason of a cause in a Status (`field.ErrorType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorType {
    /// What it names is not there.
    NotFound,
    /// The value is missing (`FieldValueRequired`).
    Required,
    /// It must be unique and is not.
    Duplicate,
    /// The value is malformed (`FieldValueInvalid`).
    Invalid,
    /// It is not one of the values of its enumeration.
    NotSupported,
    /// It is well-formed but not allowed here.
    Forbidden,
    /// It is too long.
    TooLong,
    /// It has too many elements.
    TooMany,
    /// It has the wrong type.
    TypeInvalid,
    /// Not the client's fault.
    Internal,
}

impl ErrorType {
    /// The machine's word, as in `details.causes[].reason`.
    pub const fn reason(self) -> &'static str {
        match self {
            ErrorType::NotFound => "FieldValueNotFound",
            ErrorType::Required => "FieldValueRequired",
            ErrorType::Duplicate => "FieldValueDuplicate",
            ErrorType::Invalid => "FieldValueInvalid",
            ErrorType::NotSupported => "FieldValueNotSupported",
            ErrorType::Forbidden => "FieldValueForbidden",
            ErrorType::TooLong => "FieldValueTooLong",
            ErrorType::TooMany => "FieldValueTooMany",
            ErrorType::TypeInvalid => "FieldValueTypeInvalid",
            ErrorType::Internal => "InternalError",
        }
    }

    /// The person's words, as in `message`.
    pub const fn words(self) -> &'static str {
        match self {
            ErrorType::NotFound => "Not found",
            ErrorType::Required => "Required value",
            ErrorType::Duplicate => "Duplicate value",
            ErrorType::Invalid | ErrorType::TypeInvalid => "Invalid value",
            ErrorType::NotSupported => "Unsupported value",
            ErrorType::Forbidden => "Forbidden",
            ErrorType::TooLong => "Too long",
            ErrorType::TooMany => "Too many",
            ErrorType::Internal => "Internal error",
        }
    }

    /// Whether the message of this type quotes the value.
    const fn shows_value(self) -> bool {
        !matches!(self, ErrorType::Required | ErrorType::Forbidden | ErrorType::TooLong | ErrorType::Internal)
    }
}

/// The refused value, in the form its message needs.
///
/// Go prints a string quoted, a number or a bool plainly, and everything else as JSON in the order
/// of its Go struct; so a value that is more than a scalar comes here already written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadValue {
    /// A Go `string`: quoted as `strconv.Quote` does.
    Str(String),
    /// An integer.
    Int(i64),
    /// A bool.
    Bool(bool),
    /// Anything else: its JSON text.
    Json(String),
    /// Not shown (`field.OmitValueType`).
    Omitted,
}

impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadValue::Str(s) => f.write_str(&go_quote(s)),
            BadValue::Int(i) => write!(f, "{i}"),
            BadValue::Bool(b) => write!(f, "{b}"),
            BadValue::Json(j) => f.write_str(j),
            BadValue::Omitted => Ok(()),
        }
    }
}

impl From<&str> for BadValue {
    fn from(v: &str) -> Self {
        BadValue::Str(v.to_owned())
    }
}
impl From<&String> for BadValue {
    fn from(v: &String) -> Self {
        BadValue::Str(v.clone())
    }
}
impl From<i64> for BadValue {
    fn from(v: i64) -> Self {
        BadValue::Int(v)
    }
}
impl From<i32> for BadValue {
    fn from(v: i32) -> Self {
        BadValue::Int(v.into())
    }
}
impl From<bool> for BadValue {
    fn from(v: bool) -> Self {
        BadValue::Bool(v)
    }
}

/// One refusal of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The path, as text.
    pub field: String,
    /// The type.
    pub kind: ErrorType,
    /// The value.
    pub bad_value: BadValue,
    /// What is wrong with it; may be empty.
    pub detail: String,
}

/// All refusals, in the order they were found.
pub type Errors = Vec<FieldError>;

impl FieldError {
    fn new(path: &Path, kind: ErrorType, bad_value: impl Into<BadValue>, detail: impl Into<String>) -> Self {
        FieldError { field: path.to_string(), kind, bad_value: bad_value.into(), detail: detail.into() }
    }

    /// The field is missing.
    pub fn required(path: &Path, detail: impl Into<String>) -> Self {
        Self::new(path, ErrorType::Required, "", detail)
    }

    /// The value is malformed.
    pub fn invalid(path: &Path, value: impl Into<BadValue>, detail: impl Into<String>) -> Self {
        Self::new(path, ErrorType::Invalid, value, detail)
    }

    /// The value has the wrong type.
    pub fn type_invalid(path: &Path, value: impl Into<BadValue>, detail: impl Into<String>) -> Self {
        Self::new(path, ErrorType::TypeInvalid, value, detail)
    }

    /// Something failed that is not the client's fault.
    pub fn internal(path: &Path, detail: impl Into<String>) -> Self {
        Self::new(path, ErrorType::Internal, "", detail)
    }

    /// The value is not one of `supported`, which are listed in the order given.
    pub fn not_supported(path: &Path, value: impl Into<BadValue>, supported: &[&str]) -> Self {
        let detail = if supported.is_empty() {
            String::new()
        } else {
            let quoted: Vec<String> = supported.iter().map(go_quote).collect();
            format!("supported values: {}", quoted.join(", "))
        };
        Self::new(path, ErrorType::NotSupported, value, detail)
    }

    /// The value is there twice.
    pub fn duplicate(path: &Path, value: impl Into<BadValue>) -> Self {
        Self::new(path, ErrorType::Duplicate, value, "")
    }

    /// The field may not be set, or not so, here.
    pub fn forbidden(path: &Path, detail: impl Into<String>) -> Self {
        Self::new(path, ErrorType::Forbidden, "", detail)
    }

    /// What the value names does not exist.
    pub fn not_found(path: &Path, value: impl Into<BadValue>) -> Self {
        Self::new(path, ErrorType::NotFound, value, "")
    }

    /// The value has more than `max` bytes.
    pub fn too_long(path: &Path, max: usize) -> Self {
        let unit = if max == 1 { "byte" } else { "bytes" };
        Self::new(path, ErrorType::TooLong, "<value omitted>", format!("may not be more than {max} {unit}"))
    }

    /// The list has `actual` elements, more than `max`.
    pub fn too_many(path: &Path, actual: usize, max: usize) -> Self {
        let unit = if max == 1 { "item" } else { "items" };
        let actual = i64::try_from(actual).unwrap_or(i64::MAX);
        Self::new(path, ErrorType::TooMany, actual, format!("must have at most {max} {unit}"))
    }

    /// The message without the path: what a cause in a Status says (`ErrorBody`).
    pub fn body(&self) -> String {
        let mut out = self.kind.words().to_owned();
        if self.kind.shows_value() && self.bad_value != BadValue::Omitted {
            out.push_str(": ");
            out.push_str(&self.bad_value.to_string());
        }
        if !self.detail.is_empty() {
            out.push_str(": ");
            out.push_str(&self.detail);
        }
        out
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.body())
    }
}

impl std::error::Error for FieldError {}

/// The JSON of a list of strings, `null` for none.
pub fn json_strings(list: &[String]) -> BadValue {
    if list.is_empty() {
        return BadValue::Json("null".to_owned());
    }
    let items: Vec<String> = list.iter().map(|s| go_json_string(s)).collect();
    BadValue::Json(format!("[{}]", items.join(",")))
}

/// The JSON of a map of strings, `null` for none.
pub fn json_map(map: Option<&std::collections::BTreeMap<String, String>>) -> BadValue {
    let Some(map) = map.filter(|m| !m.is_empty()) else { return BadValue::Json("null".to_owned()) };
    let items: Vec<String> =
        map.iter().map(|(k, v)| format!("{}:{}", go_json_string(k), go_json_string(v))).collect();
    BadValue::Json(format!("{{{}}}", items.join(",")))
}

/// A text or nothing, as a message quotes a pointer.
pub(in crate::apiserver) fn pointer(value: &Option<String>) -> BadValue {
    BadValue::Json(value.as_ref().map_or_else(|| "null".to_owned(), |v| go_json_string(v)))
}

/// A value as its JSON, for a message to quote.
pub(in crate::apiserver) fn json_of<T: serde::Serialize>(value: &T) -> BadValue {
    BadValue::Json(crate::api::to_value(value).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_read_as_go_prints_them() {
        let p = Path::new("spec").child("ports").index(0).child("name");
        assert_eq!(FieldError::required(&p, "").to_string(), "spec.ports[0].name: Required value");
        assert_eq!(
            FieldError::invalid(&p, "a\"b\n", "no").to_string(),
            "spec.ports[0].name: Invalid value: \"a\\\"b\\n\": no"
        );
        assert_eq!(
            FieldError::not_supported(&p, "x", &["a", "b"]).body(),
            "Unsupported value: \"x\": supported values: \"a\", \"b\""
        );
        assert_eq!(FieldError::too_long(&p, 128).body(), "Too long: may not be more than 128 bytes");
        assert_eq!(FieldError::invalid(&p, -1, "no").body(), "Invalid value: -1: no");
    }

    #[test]
    fn a_path_of_any_length_reads_as_its_steps() {
        let mut p = Path::new("").child("a");
        for i in 0..9 {
            p = p.index(i).child("b");
        }
        let text = p.key("k.8s/x").child("c").to_string();
        assert_eq!(text, "a[0].b[1].b[2].b[3].b[4].b[5].b[6].b[7].b[8].b[k.8s/x].c");
        assert_eq!(Path::new("").to_string(), "");
    }
}
