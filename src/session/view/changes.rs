//! Which fields differ between two versions of an object.

use serde_json::Value;

use crate::api::Object;

/// A field that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// `spec.template.spec.containers[0].image`
    pub path: String,
    /// As it was; `None` where it was not there.
    pub old: Option<String>,
    /// As it is; `None` where it is gone.
    pub new: Option<String>,
}

/// What a person changed between two versions: not what the API server keeps books with.
pub fn field_changes(old: &Object, new: &Object) -> Vec<FieldChange> {
    let mut out = Vec::new();
    compare("", Some(&old.to_value()), Some(&new.to_value()), &mut out);
    out
}

/// Everything that differs, what the API server keeps books with included.
pub fn all_changes(old: &Object, new: &Object) -> Vec<FieldChange> {
    let mut out = Vec::new();
    compare_all("", Some(&old.to_value()), Some(&new.to_value()), &|_| false, &mut out);
    out
}

/// Fields that follow from the others.
fn bookkeeping(path: &str) -> bool {
    matches!(
        path,
        "metadata.managedFields"
            | "metadata.resourceVersion"
            | "metadata.generation"
            | "metadata.annotations.kubectl.kubernetes.io/last-applied-configuration"
    )
}

fn compare(path: &str, old: Option<&Value>, new: Option<&Value>, out: &mut Vec<FieldChange>) {
    compare_all(path, old, new, &bookkeeping, out);
}

fn compare_all(
    path: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    aside: &dyn Fn(&str) -> bool,
    out: &mut Vec<FieldChange>,
) {
    if old == new || aside(path) {
        return;
    }
    match (old, new) {
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            let join = |k: &str| if path.is_empty() { k.to_owned() } else { format!("{path}.{k}") };
            for (k, v) in a {
                compare_all(&join(k), Some(v), b.get(k), aside, out);
            }
            for (k, v) in b.iter().filter(|(k, _)| !a.contains_key(*k)) {
                compare_all(&join(k), None, Some(v), aside, out);
            }
        }
        (Some(Value::Array(a)), Some(Value::Array(b))) => {
            for i in 0..a.len().max(b.len()) {
                compare_all(&format!("{path}[{i}]"), a.get(i), b.get(i), aside, out);
            }
        }
        _ => out.push(FieldChange {
            path: path.to_owned(),
            old: old.map(short_text),
            new: new.map(short_text),
        }),
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
            Object::from_value(Kind::Pod, json!({"metadata": meta, "spec": spec})).unwrap()
        };
        let changes = field_changes(&pod("a:1", "1"), &pod("a:2", "2"));
        assert_eq!(changes.len(), 1);
        assert_eq!(changes[0].path, "spec.containers[0].image");
        assert_eq!(changes[0].new.as_deref(), Some("a:2"));
    }
}
