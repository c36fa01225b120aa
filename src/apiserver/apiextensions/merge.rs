//! What server-side apply knows of an object of a custom kind: which of its parts are owned as a whole,
//! and by what the items of its lists are told apart (`k8s.io/kube-openapi/pkg/schemaconv`, as used by
//! `sigs.k8s.io/structured-merge-diff`).

use serde_json::{Map, Value};

use super::schema::{AdditionalProperties, Structural};
use crate::apiserver::validation::go_quote;

/// A place in an object, as its schema describes it.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// A place with a schema.
    Schema {
        /// The schema.
        schema: &'a Structural,
        /// Fields that are not specified are kept, because this schema or one around it says so.
        preserves: bool,
        /// It is an object with an `apiVersion`, a `kind` and `metadata`.
        resource: bool,
    },
    /// The metadata of an object, which is that of built-in kinds.
    Metadata,
    /// A text: `apiVersion` or `kind`.
    Text,
    /// A place of which only its value tells what it is: objects are merged, lists are atomic.
    Deduced,
    /// A place whose value is owned as a whole.
    Atomic,
}

/// How a value at a place is walked.
#[derive(Clone, Copy, Debug)]
pub enum Walk<'a> {
    /// As one value.
    Leaf(Scalar),
    /// Field by field, as [`Place::child`] has them.
    Map,
    /// Item by item, which are told apart by their values.
    Set(Place<'a>),
    /// Item by item, which are told apart by keys; see [`keys_of`].
    List(Place<'a>, &'a Structural),
}

/// What a single value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// An integer or a float.
    Numeric,
    /// A text.
    Text,
    /// A bool.
    Bool,
    /// Anything, an object or a list that is owned as a whole included.
    Any,
}

/// A field of a place.
#[derive(Clone, Copy, Debug)]
pub struct Child<'a> {
    /// Where it leads.
    pub place: Place<'a>,
    /// Whether the schema names it. A key of a map, which it does not name, is owned by itself, even if
    /// its value has parts.
    pub declared: bool,
}

impl<'a> Place<'a> {
    /// A whole object.
    pub fn of(schema: &'a Structural) -> Place<'a> {
        Place::Schema { schema, preserves: schema.preserve_unknown_fields, resource: true }
    }

    fn inside(schema: &'a Structural, preserves: bool) -> Place<'a> {
        let preserves = preserves || schema.preserve_unknown_fields;
        Place::Schema { schema, preserves, resource: schema.embedded_resource }
    }

    /// How a value here is walked. A value of the wrong type is walked as one of the right type is; who
    /// walks it finds that out.
    pub fn walk(self, value: &Value) -> Walk<'a> {
        match self {
            Place::Metadata => Walk::Map,
            Place::Text => Walk::Leaf(Scalar::Text),
            Place::Atomic => Walk::Leaf(Scalar::Any),
            Place::Deduced if value.is_object() => Walk::Map,
            Place::Deduced => Walk::Leaf(Scalar::Any),
            Place::Schema { schema, preserves, .. } => match schema.type_.as_str() {
                "object" => Self::map(schema),
                "array" => Self::list(schema, preserves),
                "integer" | "number" => Walk::Leaf(Scalar::Numeric),
                "boolean" => Walk::Leaf(Scalar::Bool),
                "string" if matches!(schema.value.format.as_str(), "" | "byte") => Walk::Leaf(Scalar::Text),
                "string" => Walk::Leaf(Scalar::Any),
                _ if value.is_object() => Self::map(schema),
                _ if value.is_array() => Self::list(schema, preserves),
                _ => Walk::Leaf(Scalar::Any),
            },
        }
    }

    fn map(schema: &'a Structural) -> Walk<'a> {
        if schema.map_type.as_deref() == Some("atomic") { Walk::Leaf(Scalar::Any) } else { Walk::Map }
    }

    fn list(schema: &'a Structural, preserves: bool) -> Walk<'a> {
        let items = schema.items.as_deref().map_or(Place::Atomic, |s| Place::inside(s, preserves));
        match schema.list_type.as_deref() {
            Some("set") => Walk::Set(items),
            Some("map") => Walk::List(items, schema),
            _ => Walk::Leaf(Scalar::Any),
        }
    }

    /// The items of a list; `None` if its schema says nothing of them.
    pub fn item(self) -> Option<Place<'a>> {
        match self {
            Place::Schema { schema, preserves, .. } => {
                schema.items.as_deref().map(|items| Place::inside(items, preserves))
            }
            _ => None,
        }
    }

    /// A field of a map; `None` if the schema does not know it: `field not declared in schema`. The
    /// fields of metadata are those of built-in kinds and not known here.
    pub fn child(self, name: &str) -> Option<Child<'a>> {
        let declared = |place| Some(Child { place, declared: true });
        let key = |place| Some(Child { place, declared: false });
        match self {
            Place::Deduced => key(Place::Deduced),
            Place::Schema { schema, preserves, resource } => {
                match name {
                    "metadata" if resource => return declared(Place::Metadata),
                    "apiVersion" | "kind" if resource => return declared(Place::Text),
                    _ => {}
                }
                if let Some(s) = schema.properties.get(name) {
                    return declared(Place::inside(s, preserves));
                }
                match &schema.additional_properties {
                    Some(AdditionalProperties::Schema(s)) => key(Place::inside(s, preserves)),
                    Some(AdditionalProperties::Bool(true)) => key(Place::Deduced),
                    Some(AdditionalProperties::Bool(false)) => None,
                    // An object of which nothing is specified may have anything.
                    None if preserves || (schema.properties.is_empty() && !resource) => key(Place::Deduced),
                    None => None,
                }
            }
            Place::Metadata | Place::Text | Place::Atomic => None,
        }
    }
}

/// The keys of an item of a list, with the defaults of those it does not have.
///
/// # Errors
/// The item has none of the keys, or it is no object.
pub fn keys_of(item: &Value, list: &Structural) -> Result<Value, String> {
    let Value::Object(map) = item else {
        let what = if item.is_null() { "a null element" } else { "non-map elements" };
        return Err(format!("associative list with keys may not have {what}"));
    };
    let default = |key: &str| list.items.as_ref()?.properties.get(key)?.default.as_ref();
    let mut keys = Map::new();
    for key in &list.list_map_keys {
        if let Some(value) = map.get(key).or_else(|| default(key)) {
            keys.insert(key.clone(), value.clone());
        }
    }
    if keys.is_empty() {
        let names: Vec<String> = list.list_map_keys.iter().map(go_quote).collect();
        return Err(format!(
            "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values for any key fields)",
            names.join(" ")
        ));
    }
    Ok(Value::Object(keys))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn schema(value: Value) -> Structural {
        Structural::new(&serde_json::from_value(value).unwrap()).unwrap()
    }

    #[test]
    fn lists_and_maps_are_walked_as_their_types_say() {
        let root = schema(json!({"type": "object", "properties": {
            "list": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "proto"],
                "items": {"type": "object", "required": ["port"], "properties": {
                    "port": {"type": "integer"}, "proto": {"type": "string", "default": "TCP"}}}},
            "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "atom": {"type": "array", "items": {"type": "string"}},
            "amap": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": {"type": "string"}},
            "gmap": {"type": "object", "additionalProperties": {"type": "integer"}},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            "ios": {"x-kubernetes-int-or-string": true},
            "n": {"type": "number"},
        }}));
        let place = Place::of(&root);
        let walk = |name: &str, value: Value| place.child(name).unwrap().place.walk(&value);
        assert!(matches!(place.walk(&json!({})), Walk::Map));
        assert!(matches!(place.child("metadata").unwrap().place, Place::Metadata));
        assert!(place.child("bogus").is_none());
        assert!(matches!(walk("set", json!([])), Walk::Set(_)));
        assert!(matches!(walk("atom", json!([])), Walk::Leaf(Scalar::Any)));
        assert!(matches!(walk("amap", json!({})), Walk::Leaf(Scalar::Any)));
        assert!(matches!(walk("n", json!("x")), Walk::Leaf(Scalar::Numeric)));
        assert!(matches!(walk("ios", json!(1)), Walk::Leaf(Scalar::Any)));
        let key = place.child("gmap").unwrap().place.child("k").unwrap();
        assert!(!key.declared && matches!(key.place.walk(&json!(1)), Walk::Leaf(Scalar::Numeric)));
        let free = place.child("free").unwrap().place.child("a").unwrap().place;
        assert!(matches!(free.walk(&json!({})), Walk::Map));
        let Walk::List(_, list) = walk("list", json!([])) else { panic!("not a list of maps") };
        assert_eq!(keys_of(&json!({"port": 80}), list).unwrap(), json!({"port": 80, "proto": "TCP"}));
        let keyed = schema(
            json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "items": {"type": "object"}}),
        );
        assert_eq!(
            keys_of(&json!({"v": 1}), &keyed).unwrap_err(),
            r#"associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)"#
        );
    }
}
