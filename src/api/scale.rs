//! `autoscaling/v1` Scale: the size of what has one, as an object of its own. It is not stored, so it is in no table
//! of kinds.

use serde_json::Value;

use super::{CustomNames, Kind, Object, Scope};

/// The kind `Scale`.
pub fn kind() -> Kind {
    Kind::custom(&CustomNames {
        group: "autoscaling".into(),
        version: "v1".into(),
        kind: "Scale".into(),
        list_kind: "ScaleList".into(),
        plural: "scales".into(),
        singular: "scale".into(),
        short_names: Vec::new(),
        categories: Vec::new(),
        scope: Scope::Namespaced,
        subresources: Vec::new(),
    })
}

/// The content of a Scale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scale {
    /// `spec.replicas`
    pub replicas: i32,
    /// `status.replicas`
    pub current: i32,
    /// `status.selector`; empty if there is none.
    pub selector: String,
    /// `metadata.resourceVersion`
    pub resource_version: Option<String>,
}

impl Scale {
    /// Reads an object; fields that are absent are zero or empty.
    pub fn read(object: &Object) -> Scale {
        let fields = object.custom().map(|o| o.fields());
        let field = |part: &str, name: &str| fields.and_then(|f| f.get(part)?.get(name));
        let count = |part| {
            let n = field(part, "replicas").and_then(Value::as_i64).unwrap_or(0);
            i32::try_from(n).unwrap_or(i32::MAX)
        };
        Scale {
            replicas: count("spec"),
            current: count("status"),
            selector: field("status", "selector").and_then(Value::as_str).unwrap_or_default().to_owned(),
            resource_version: object.resource_version().map(str::to_owned),
        }
    }
}
