//! The scale subresource of a custom kind, read and written by the paths that its definition names
//! (`pkg/registry/customresource/etcd.go` and `validator.go`).

use serde_json::{Map, Value};

use super::go_json::object;
use super::types::CustomResourceSubresourceScale;
use crate::api::go_types::go_type;
use crate::api::patch;
use crate::api::quote::go_quote;
use crate::apiserver::validation::{Errors, FieldError, Path};

/// What stands in `spec.replicas` of the scale of an object that has no replicas, while it is being
/// updated. An update that leaves it there is refused.
pub const NO_REPLICAS: i64 = -2_147_483_648;

/// An object's scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The replicas wanted; `None` if the object does not say.
    pub replicas: Option<i64>,
    /// The replicas there are.
    pub status_replicas: i64,
    /// The label selector of the replicas, as text; empty if there is none.
    pub selector: String,
}

/// The steps of a path: `.spec.replicas`.
pub(super) fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.strip_prefix('.').unwrap_or(path).split('.')
}

/// The value at a path, if it is there (`unstructured.NestedFieldNoCopy`).
fn nested<'a>(object: &'a Value, path: &str) -> Result<Option<&'a Value>, String> {
    let mut value = object;
    let mut so_far = String::new();
    for step in steps(path) {
        so_far = format!("{so_far}.{step}");
        value = match value {
            Value::Null => return Ok(None),
            Value::Object(map) => match map.get(step) {
                Some(inside) => inside,
                None => return Ok(None),
            },
            other => return Err(accessor(&so_far, other, "map[string]interface{}")),
        };
    }
    Ok(Some(value))
}

fn accessor(path: &str, value: &Value, wanted: &str) -> String {
    let text = patch::go_value(value);
    format!("{path} accessor error: {text} is of the type {}, expected {wanted}", go_type(value))
}

fn integer(object: &Value, path: &str) -> Result<Option<i64>, String> {
    match nested(object, path)? {
        None => Ok(None),
        Some(value) => match value.as_i64() {
            Some(n) => Ok(Some(n)),
            None => Err(accessor(&full(path), value, "int64")),
        },
    }
}

fn string(object: &Value, path: &str) -> Result<Option<String>, String> {
    match nested(object, path)? {
        None => Ok(None),
        Some(Value::String(s)) => Ok(Some(s.clone())),
        Some(value) => Err(accessor(&full(path), value, "string")),
    }
}

/// A path as the accessor prints it, with its leading dot.
fn full(path: &str) -> String {
    steps(path).map(|s| format!(".{s}")).collect()
}

/// Reads the scale of an object.
///
/// # Errors
/// A field on the way has the wrong type: answer 500.
pub fn read(paths: &CustomResourceSubresourceScale, object: &Value) -> Result<Scale, String> {
    let selector = match paths.label_selector_path.as_deref().filter(|p| !p.is_empty()) {
        Some(path) => string(object, path)?.unwrap_or_default(),
        None => String::new(),
    };
    Ok(Scale {
        replicas: integer(object, &paths.spec_replicas_path)?,
        status_replicas: integer(object, &paths.status_replicas_path)?.unwrap_or_default(),
        selector,
    })
}

/// What a request to read a scale without replicas is answered: an internal error.
pub fn no_replicas(paths: &CustomResourceSubresourceScale) -> String {
    format!("the spec replicas field {} does not exist", go_quote(&paths.spec_replicas_path))
}

/// The scale as `autoscaling/v1`, without managed fields. A zero is left out, as there.
pub fn to_value(scale: &Scale, metadata: &Value) -> Value {
    let mut meta = Map::new();
    for name in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(value) = metadata.get(name) {
            meta.insert(name.to_owned(), value.clone());
        }
    }
    let mut spec = Map::new();
    if let Some(replicas) = scale.replicas.filter(|n| *n != 0) {
        spec.insert("replicas".to_owned(), replicas.into());
    }
    let mut status = Map::from_iter([("replicas".to_owned(), Value::from(scale.status_replicas))]);
    if !scale.selector.is_empty() {
        status.insert("selector".to_owned(), scale.selector.clone().into());
    }
    object([
        ("kind", "Scale".into()),
        ("apiVersion", "autoscaling/v1".into()),
        ("metadata", Value::Object(meta)),
        ("spec", Value::Object(spec)),
        ("status", Value::Object(status)),
    ])
}

/// Writes the replicas that an updated scale asks for into its object. Fields on the way are made.
///
/// # Errors
/// The scale has still no replicas (answer 400), or a field on the way is no object (answer 500).
pub fn write(
    paths: &CustomResourceSubresourceScale,
    object: &mut Value,
    replicas: i64,
) -> Result<(), String> {
    let path = paths.spec_replicas_path.as_str();
    if replicas == NO_REPLICAS {
        return Err(format!("the spec replicas field {path} cannot be empty", path = go_quote(path)));
    }
    let mut value = object;
    let mut so_far = String::new();
    for step in steps(path) {
        let Value::Object(map) = value else {
            return Err(format!("value cannot be set because {so_far} is not a map[string]interface{{}}"));
        };
        so_far = format!("{so_far}.{step}");
        value = map.entry(step).or_insert_with(|| Value::Object(Map::new()));
    }
    *value = replicas.into();
    Ok(())
}

/// What is wrong with the wanted replicas of an object; each error names the path with its dot.
pub fn validate_spec(paths: &CustomResourceSubresourceScale, object: &Value) -> Errors {
    replicas(object, &paths.spec_replicas_path)
}

/// [`validate_spec`] for the replicas in the status, and for the selector.
pub fn validate_status(paths: &CustomResourceSubresourceScale, object: &Value) -> Errors {
    let mut errs = replicas(object, &paths.status_replicas_path);
    if let Some(path) = &paths.label_selector_path
        && let Err(error) = string(object, path)
    {
        errs.push(FieldError::invalid(&Path::new("").named(path), "", error));
    }
    errs
}

fn replicas(object: &Value, path: &str) -> Errors {
    let at = Path::new("").named(path);
    let (value, detail) = match integer(object, path) {
        Err(error) => (0, error),
        Ok(Some(n)) if n < 0 => (n, "should be a non-negative integer".to_owned()),
        Ok(Some(n)) if n > i64::from(i32::MAX) => {
            (n, format!("should be less than or equal to {}", i32::MAX))
        }
        Ok(_) => return Errors::new(),
    };
    vec![FieldError::invalid(&at, value, detail)]
}
