//! A value and what it was before an update, walked together (`k8s.io/apiserver/pkg/cel/common`,
//! `CorrelatedObject`; KEP-4008). What did not change may stay as invalid as it was.

use serde_json::Value;

use super::listtype::keys_of;
use super::schema::Structural;

/// A value that has a counterpart in the old object.
#[derive(Clone, Copy)]
pub(super) struct Correlated<'a> {
    new: &'a Value,
    old: &'a Value,
    schema: &'a Structural,
}

impl<'a> Correlated<'a> {
    /// The roots of the new and of the old object.
    pub fn new(new: &'a Value, old: &'a Value, schema: &'a Structural) -> Correlated<'a> {
        Correlated { new, old, schema }
    }

    /// A field of both.
    pub fn key(self, name: &str) -> Option<Correlated<'a>> {
        let (new, old) = (self.new.as_object()?.get(name)?, self.old.as_object()?.get(name)?);
        Some(Correlated { new, old, schema: self.schema.property(name)? })
    }

    /// An item of the new list, if the lists are ones of maps and the old one has an item of the same keys.
    pub fn index(self, index: usize) -> Option<Correlated<'a>> {
        let new = self.new.as_array()?.get(index)?;
        let old = same_keys(self.schema, self.old, new).filter(|v| !v.is_null())?;
        Some(Correlated { new, old, schema: self.schema.items.as_deref()? })
    }

    /// Whether nothing changed. The items of a list of maps may have changed their order.
    pub fn is_equal(self) -> bool {
        match (self.new, self.old) {
            (Value::Array(new), Value::Array(old)) => {
                if self.schema.list_type.as_deref() != Some("map") {
                    return new == old;
                }
                new.len() == old.len()
                    && (0..new.len()).all(|i| self.index(i).is_some_and(Correlated::is_equal))
            }
            (Value::Object(new), Value::Object(old)) => {
                new.len() == old.len()
                    && new.keys().all(|name| self.key(name).is_some_and(Correlated::is_equal))
            }
            (new, old) => new == old,
        }
    }
}

/// The item of an old list of maps that has the keys of a new item. A list without a type, or of
/// another one, has none.
pub(super) fn same_keys<'a>(schema: &Structural, old: &'a Value, item: &Value) -> Option<&'a Value> {
    if schema.list_type.as_deref() != Some("map") || !item.is_object() {
        return None;
    }
    let keys = keys_of(item, schema);
    old.as_array()?.iter().find(|old| old.is_object() && keys_of(old, schema) == keys)
}
