//! The fields that differ between two versions of an object.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::kinds;
use super::lines::name_of_item;
use crate::api::{Kind, Object};

/// A field that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldChange {
    /// The path of the field, for example `spec.template.spec.containers[0].image`.
    pub path: String,
    /// The old value; `None` if the field was not set.
    pub old: Option<String>,
    /// The new value; `None` if the field is not set any more.
    pub new: Option<String>,
}

/// The fields that a person or a controller has changed, without those that the API server keeps itself.
pub fn field_changes(old: &Object, new: &Object) -> Vec<FieldChange> {
    changes(old, new, &|kind, path| bookkeeping(path) || kinds::of(kind).about().bookkeeping.contains(&path))
}

/// All fields that differ, including those that the API server keeps itself.
pub fn all_changes(old: &Object, new: &Object) -> Vec<FieldChange> {
    changes(old, new, &|_, _| false)
}

fn changes(old: &Object, new: &Object, aside: Aside<'_>) -> Vec<FieldChange> {
    let mut c = Comparison { kind: new.kind(), names: Vec::new(), aside, out: Vec::new() };
    c.compare("", Some(&old.to_value()), Some(&new.to_value()));
    c.out
}

/// Whether the API server keeps a field itself.
fn bookkeeping(path: &str) -> bool {
    matches!(
        path,
        "metadata.managedFields"
            | "metadata.resourceVersion"
            | "metadata.generation"
            | "metadata.annotations.kubectl.kubernetes.io/last-applied-configuration"
    )
}

/// Whether a field of a kind's objects is left out.
type Aside<'a> = &'a dyn Fn(Kind, &str) -> bool;

struct Comparison<'a> {
    kind: Kind,
    /// The names of the fields on the path to the values being compared.
    names: Vec<String>,
    /// The paths that are left out.
    aside: Aside<'a>,
    out: Vec<FieldChange>,
}

impl Comparison<'_> {
    fn compare(&mut self, path: &str, old: Option<&Value>, new: Option<&Value>) {
        if old == new || (self.aside)(self.kind, path) {
            return;
        }
        match (old, new) {
            (Some(Value::Object(a)), Some(Value::Object(b))) => {
                let join = |k: &str| if path.is_empty() { k.to_owned() } else { format!("{path}.{k}") };
                let more = b.iter().filter(|(k, _)| !a.contains_key(*k)).map(|(k, v)| (k, None, Some(v)));
                for (k, old, new) in a.iter().map(|(k, v)| (k, Some(v), b.get(k))).chain(more) {
                    self.names.push(k.clone());
                    self.compare(&join(k), old, new);
                    self.names.pop();
                }
            }
            (Some(Value::Array(a)), Some(Value::Array(b))) => {
                // An item is compared with the one of the same name, wherever that is. Its index is that in
                // the later version.
                let name = |(i, v)| name_of_item(self.kind, &self.names, i, v);
                let before: Vec<_> = a.iter().enumerate().map(name).collect();
                let after: Vec<_> = b.iter().enumerate().map(name).collect();
                let mut left: Vec<(usize, (&String, &Value))> = before.iter().zip(a).enumerate().collect();
                for (i, (name, v)) in after.iter().zip(b).enumerate() {
                    let at = left.iter().position(|(_, (n, _))| *n == name);
                    let was = at.map(|at| left.remove(at).1.1);
                    self.compare(&format!("{path}[{i}]"), was, Some(v));
                }
                for (i, (_, v)) in left {
                    self.compare(&format!("{path}[{i}]"), Some(v), None);
                }
            }
            _ => self.out.push(FieldChange {
                path: path.to_owned(),
                old: old.map(short_text),
                new: new.map(short_text),
            }),
        }
    }
}

fn short_text(v: &Value) -> String {
    match v {
        Value::String(s) => s.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::Kind;
    use serde_json::json;

    #[test]
    fn fields() {
        let pod = |image: &str, rv: &str| {
            let meta = json!({"name": "p", "resourceVersion": rv});
            let spec = json!({"containers": [{"name": "c", "image": image}]});
            Object::from_value(Kind::POD, json!({"metadata": meta, "spec": spec})).unwrap()
        };
        let changes = field_changes(&pod("a:1", "1"), &pod("a:2", "2"));
        assert_eq!(changes.len(), 1);
        assert_eq!(changes[0].path, "spec.containers[0].image");
        assert_eq!(changes[0].new.as_deref(), Some("a:2"));
    }

    #[test]
    fn items_are_compared_with_their_like() {
        let pod = |containers: serde_json::Value| {
            let all = json!({"metadata": {"name": "p"}, "spec": {"containers": containers}});
            Object::from_value(Kind::POD, all).unwrap()
        };
        let (a, b) = (json!({"name": "a", "image": "a:1"}), json!({"name": "b", "image": "b:1"}));
        let changes = field_changes(&pod(json!([a])), &pod(json!([b, a])));
        assert_eq!(changes.len(), 1);
        assert_eq!((changes[0].path.as_str(), &changes[0].old), ("spec.containers[0]", &None));
        let changes = field_changes(&pod(json!([b, a])), &pod(json!([a])));
        assert_eq!((changes[0].path.as_str(), &changes[0].new), ("spec.containers[0]", &None));
    }
}
