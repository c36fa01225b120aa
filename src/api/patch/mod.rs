//! Patches: JSON patch (RFC 6902), JSON merge patch (RFC 7386) and strategic merge patch
//! (`k8s.io/apimachinery/pkg/util/strategicpatch`), and how kubectl makes the last of them.
//!
//! All of them work on JSON values. [`field_info`] says how a field is merged.
//!
//! ```
//! use serde_json::json;
//! use steady::api::{Kind, patch};
//! let pod = json!({"spec": {"containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "y"}]}});
//! let change = json!({"spec": {"containers": [{"name": "b", "image": "z"}]}});
//! let patched = patch::strategic_merge(Kind::POD, pod, &change).unwrap();
//! assert_eq!(patched["spec"]["containers"][1]["image"], "z");
//! assert_eq!(patched["spec"]["containers"][0]["image"], "x");
//! ```

mod diff;
mod json;
mod lists;
#[rustfmt::skip]
mod schema;
mod strategic;
mod types;

use serde_json::{Map, Value};

pub use json::{
    JSON_PATCH_MAX_OPERATIONS, create_json_merge_patch, create_three_way_json_merge_patch, json_merge_patch,
    json_patch,
};
pub use lists::go_value;
pub use types::{Field, ListType, Shape, Type};

use super::kind::{BuiltIn, Kind, OtherVersion};
use types::Schema;

/// Why a patch cannot be applied; the variants are the API server's status codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatchError {
    /// The patch is malformed: 400.
    BadRequest(String),
    /// The patch does not fit the object: 422.
    Unprocessable(String),
    /// A test in a JSON patch fails: 422.
    TestFailed(String),
    /// An error for which the API server has no code of its own: 500.
    Internal(String),
}

impl PatchError {
    /// The message.
    pub fn message(&self) -> &str {
        match self {
            PatchError::BadRequest(m)
            | PatchError::Unprocessable(m)
            | PatchError::TestFailed(m)
            | PatchError::Internal(m) => m,
        }
    }
}

impl std::fmt::Display for PatchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for PatchError {}

/// The struct of a kind in the version of its handle, with how each of its fields is merged.
pub fn type_of(kind: Kind) -> &'static Type {
    match (kind.other_version(), kind.built_in()) {
        (Some(version), _) => schema::of_version(version),
        (None, Some(kind)) => schema::of(kind),
        (None, None) => &UNSTRUCTURED,
    }
}

/// The struct of custom kinds. Their fields are known only to their definitions.
static UNSTRUCTURED: Type = Type { name: "Unstructured", atomic: false, fields: &[] };

/// How a field is merged. `path` has the names of the fields without indexes (`["spec", "containers"]`).
/// `None` for fields with a single value, and for fields that do not exist.
pub fn field_info(kind: Kind, path: &[&str]) -> Option<&'static Field> {
    let mut shape = Shape::Struct(type_of(kind));
    let mut found = None;
    for name in path {
        let field = shape.as_struct()?.field(name)?;
        found = Some(field);
        shape = field.shape;
    }
    found
}

/// Applies a strategic merge patch, as the API server does.
///
/// # Errors
/// A malformed directive, or a value of a wrong type in the place of a list or map to be merged.
pub fn strategic_merge(kind: Kind, original: Value, patch: &Value) -> Result<Value, PatchError> {
    let original = object(original)?;
    let patch = object(patch.clone())?;
    strategic::merge_map(original, patch, Schema::of(type_of(kind)), strategic::Side::Server)
        .map(Value::Object)
}

/// A strategic merge patch as it stands in the API server's refusal, in Go's notation
/// (`map[spec:map[replicas:three]]`): without the parts that merging it into `original` consumes.
pub fn refused_patch_text(original: &Value, patch: &Value) -> String {
    lists::go_value(&strategic::leftover(Some(original), patch))
}

/// The strategic merge patch from `original` to `modified` (`kubectl set image`, `label` and so on); an
/// empty object if they are equal.
///
/// # Errors
/// A list whose items lack their merge key.
pub fn create_two_way_merge_patch(
    kind: Kind,
    original: &Value,
    modified: &Value,
) -> Result<Value, PatchError> {
    let (original, modified) = (as_object(original)?, as_object(modified)?);
    let options = diff::Options::default();
    diff::diff_maps(original, modified, Schema::of(type_of(kind)), options).map(Value::Object)
}

/// The strategic merge patch of `kubectl apply`: it adds and changes what `modified` has beyond `current`,
/// and deletes what only `original`, the manifest applied before, has. It overwrites what other clients
/// changed.
///
/// # Errors
/// A list whose items lack their merge key, or lists of different types.
pub fn create_three_way_merge_patch(
    kind: Kind,
    original: &Value,
    modified: &Value,
    current: &Value,
) -> Result<Value, PatchError> {
    let schema = Schema::of(type_of(kind));
    let (original, modified, current) = (as_object(original)?, as_object(modified)?, as_object(current)?);
    let additions = diff::Options { ignore_deletions: true, ..Default::default() };
    let delta = diff::diff_maps(current, modified, schema, additions)?;
    let removals = diff::Options { ignore_changes_and_additions: true, ..Default::default() };
    let deletions = diff::diff_maps(original, modified, schema, removals)?;
    strategic::merge_map(deletions, delta, schema, strategic::Side::Client).map(Value::Object)
}

fn object(value: Value) -> Result<Map<String, Value>, PatchError> {
    match value {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        _ => Err(PatchError::BadRequest("invalid JSON document".to_owned())),
    }
}

fn as_object(value: &Value) -> Result<&Map<String, Value>, PatchError> {
    static EMPTY: std::sync::OnceLock<Map<String, Value>> = std::sync::OnceLock::new();
    match value {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(EMPTY.get_or_init(Map::new)),
        _ => Err(PatchError::BadRequest("invalid JSON document".to_owned())),
    }
}

#[cfg(test)]
mod tests;
