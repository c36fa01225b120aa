//! Filling in the defaults of a schema (`pkg/apiserver/schema/defaulting`).

use serde_json::{Map, Value};

use super::schema::{AdditionalProperties, Structural};
use super::{objectmeta, pruning};

fn is_wrong_null(value: &Value, schema: Option<&Structural>) -> bool {
    value.is_null() && schema.is_some_and(|s| !s.nullable)
}

/// Puts the defaults of a schema where nothing is, and in place of a null that may not be one.
pub fn default(value: &mut Value, schema: &Structural) {
    match value {
        Value::Object(map) => {
            for (name, property) in &schema.properties {
                let Some(default) = &property.default else { continue };
                if map.get(name).is_none_or(|v| is_wrong_null(v, Some(property))) {
                    map.insert(name.clone(), default.clone());
                }
            }
            for (name, value) in map {
                if let Some(property) = schema.properties.get(name) {
                    default(value, property);
                } else if let Some(property) = schema.additional_schema() {
                    replace_null(value, property);
                    default(value, property);
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = schema.items.as_deref() else { return };
            for item in items {
                replace_null(item, schema);
                default(item, schema);
            }
        }
        _ => {}
    }
}

fn replace_null(value: &mut Value, schema: &Structural) {
    if is_wrong_null(value, Some(schema))
        && let Some(default) = &schema.default
    {
        *value = default.clone();
    }
}

/// Removes nulls from objects that may not be null and have no default
/// (`PruneNonNullableNullsWithoutDefaults`). This comes before [`default`].
pub fn prune_nulls(value: &mut Value, schema: Option<&Structural>) {
    match value {
        Value::Object(map) => map.retain(|name, value| {
            let property = schema.and_then(|s| s.property(name));
            if is_wrong_null(value, property) && property.is_some_and(|s| s.default.is_none()) {
                return false;
            }
            prune_nulls(value, property);
            true
        }),
        Value::Array(items) => {
            let schema = schema.and_then(|s| s.items.as_deref());
            items.iter_mut().for_each(|item| prune_nulls(item, schema));
        }
        _ => {}
    }
}

/// One step from an object to a value inside it.
#[derive(Clone)]
enum Step {
    Field(String),
    Item,
}

/// An object that has nothing but a value at the end of a path, to see what would happen to the value
/// there (`SurroundingObjectFunc`).
#[derive(Clone, Default)]
pub(super) struct Surrounding {
    steps: Vec<Step>,
    typed: bool,
}

impl Surrounding {
    /// The object itself is the value. `typed`: it gets an `apiVersion` and a `kind`, if it has none.
    pub fn root(typed: bool) -> Surrounding {
        Surrounding { steps: Vec::new(), typed }
    }

    /// The value in a field of this one.
    pub fn child(&self, name: &str) -> Surrounding {
        let mut out = self.clone();
        out.steps.push(Step::Field(name.to_owned()));
        out
    }

    /// The value in a list that is this one.
    pub fn index(&self) -> Surrounding {
        let mut out = self.clone();
        out.steps.push(Step::Item);
        out
    }

    /// The object around a value.
    pub fn around(&self, value: Value) -> Value {
        let mut out = self.steps.iter().rev().fold(value, |value, step| match step {
            Step::Field(name) => Value::Object(Map::from_iter([(name.clone(), value)])),
            Step::Item => Value::Array(vec![value]),
        });
        if self.typed
            && let Value::Object(map) = &mut out
        {
            map.entry("kind").or_insert_with(|| "Validation".into());
            map.entry("apiVersion").or_insert_with(|| "validation/v1".into());
        }
        out
    }

    /// The value in such an object, if it is still there.
    pub fn find(&self, mut object: Value) -> Option<Value> {
        for step in &self.steps {
            object = match (step, object) {
                (Step::Field(name), Value::Object(mut map)) => map.remove(name)?,
                (Step::Item, Value::Array(items)) => items.into_iter().next()?,
                _ => return None,
            };
        }
        Some(object)
    }
}

/// Takes out of a schema's defaults what the schema itself, or the metadata of an embedded object,
/// would take out of them (`PruneDefaults`).
pub fn prune_defaults(schema: &mut Structural) {
    let root = schema.clone();
    prune_defaults_below(schema, &root, &Surrounding::root(false));
}

fn prune_defaults_below(s: &mut Structural, root: &Structural, around: &Surrounding) {
    if let Some(value) = s.default.take() {
        let mut object = around.around(value.clone());
        s.default = match objectmeta::coerce(&mut object, root, true, true) {
            Ok(_) => {
                pruning::prune(&mut object, root, true);
                around.find(object)
            }
            // A default at the root that is no object; validation lets no such definition in.
            Err(_) => Some(value),
        };
    }
    if let Some(AdditionalProperties::Schema(schema)) = &mut s.additional_properties {
        prune_defaults_below(schema, root, &around.child("*"));
    }
    if let Some(items) = &mut s.items {
        prune_defaults_below(items, root, &around.index());
    }
    for (name, property) in &mut s.properties {
        prune_defaults_below(property, root, &around.child(name));
    }
}
