//! From JSON to an object of a kind.

use serde_json::Value;

use super::rest;
use crate::api::quote::go_quote;
use crate::api::{Kind, Object};
use crate::apimachinery::Status;

/// An object of a value that Go's decoder let through.
pub(super) fn to_object(kind: Kind, mut value: Value) -> Result<Object, Status> {
    let managers = match value.get_mut("metadata") {
        Some(Value::Object(meta)) => meta.remove("managedFields").filter(|v| !v.is_null()),
        _ => None,
    };
    let refused = |why: String| {
        let (k, v) = (kind.as_str(), kind.version());
        Status::bad_request(format!("{k} in version {v} cannot be handled as a {k}: {why}", v = go_quote(v)))
    };
    rest::prepare(kind, &mut value).map_err(refused)?;
    let mut object = Object::from_value(kind.stored(), value).map_err(|e| refused(e.to_string()))?;
    // An empty list says something: nobody is to own anything.
    if let Some(managers) = managers {
        object.meta_mut().managed_fields = serde_json::from_value(managers).ok();
    }
    Ok(object)
}
