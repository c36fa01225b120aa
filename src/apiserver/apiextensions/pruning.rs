//! Taking out what a schema does not know (`pkg/apiserver/schema/pruning`).

use serde_json::Value;

use super::schema::Structural;
use crate::api::order;

/// Removes the fields of an object that its schema does not specify, and gives their paths, sorted:
/// `spec.list[0].field`. `apiVersion`, `kind` and `metadata` stay at the root, and wherever an object
/// is embedded; at the root they count as known even to a schema that is not a resource's.
pub fn prune(object: &mut Value, schema: &Structural, is_resource_root: bool) -> Vec<String> {
    let mut pruner = Pruner::default();
    pruner.prune(object, Some(schema), is_resource_root || schema.embedded_resource);
    order::sort(&mut pruner.unknown);
    pruner.unknown
}

fn is_meta(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

#[derive(Default)]
struct Pruner {
    path: String,
    unknown: Vec<String>,
}

impl Pruner {
    /// Does something one step further down.
    fn at(&mut self, step: &str, inside: impl FnOnce(&mut Pruner)) {
        let length = self.path.len();
        if !self.path.is_empty() && !step.starts_with('[') {
            self.path.push('.');
        }
        self.path.push_str(step);
        inside(self);
        self.path.truncate(length);
    }

    fn field(&mut self, name: &str, value: &mut Value, schema: Option<&Structural>) {
        self.at(name, |p| p.prune(value, schema, schema.is_some_and(|s| s.embedded_resource)));
    }

    fn record(&mut self, name: &str) {
        self.at(name, |p| {
            let path = p.path.clone();
            p.unknown.push(path);
        });
    }

    /// `resource`: whether the object's own metadata is not the schema's business.
    fn prune(&mut self, value: &mut Value, schema: Option<&Structural>, resource: bool) {
        if let Some(s) = schema.filter(|s| s.preserve_unknown_fields) {
            self.keep(value, s, resource);
            return;
        }
        match value {
            Value::Object(map) => {
                map.retain(|name, value| {
                    let Some(s) = schema else {
                        self.record(name);
                        return false;
                    };
                    if resource && is_meta(name) {
                        return true;
                    }
                    if let Some(property) = s.properties.get(name) {
                        self.field(name, value, Some(property));
                    } else if s.additional_properties.is_some() {
                        self.field(name, value, s.additional_schema());
                    } else {
                        if !is_meta(name) || !self.path.is_empty() {
                            self.record(name);
                        }
                        return false;
                    }
                    true
                });
            }
            Value::Array(items) => {
                let items_schema = schema.and_then(|s| s.items.as_deref());
                for (i, item) in items.iter_mut().enumerate() {
                    self.field(&format!("[{i}]"), item, items_schema);
                }
            }
            _ => {}
        }
    }

    /// Where unknown fields are preserved: they stay, and what is specified is pruned below.
    fn keep(&mut self, value: &mut Value, s: &Structural, resource: bool) {
        match value {
            Value::Object(map) => {
                for (name, value) in map {
                    if resource && is_meta(name) {
                        continue;
                    }
                    if let Some(property) = s.properties.get(name) {
                        self.field(name, value, Some(property));
                    } else if s.additional_properties.is_some() {
                        self.field(name, value, s.additional_schema());
                    }
                }
            }
            Value::Array(items) => {
                let Some(schema) = s.items.as_deref() else { return };
                for (i, item) in items.iter_mut().enumerate() {
                    self.at(&format!("[{i}]"), |p| p.keep(item, schema, schema.embedded_resource));
                }
            }
            _ => {}
        }
    }
}
