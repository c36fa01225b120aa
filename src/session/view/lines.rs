//! An object as lines of YAML, and what changed between two versions of it.

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use crate::api::{MetaExt, Object, yaml};

/// What became of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineMark {
    /// Nothing.
    Same,
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It has another value; what it had.
    Changed(String),
}

/// A line of an object's YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Without its newline.
    pub text: String,
    /// What became of it.
    pub mark: LineMark,
}

/// The annotation that `kubectl apply` keeps the manifest in.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Whether an object has fields that are only kept for bookkeeping.
pub fn has_bookkeeping(object: &Object) -> bool {
    let meta = object.meta();
    meta.managed_fields.is_some() || meta.annotation(LAST_APPLIED).is_some()
}

/// An object as kubectl prints it; without `metadata.managedFields` and what `kubectl apply` keeps
/// for itself, unless all is asked for.
pub fn yaml_of(object: &Object, all: bool) -> String {
    let mut value = object.to_value();
    if !all && let Some(Value::Object(meta)) = value.get_mut("metadata") {
        meta.remove("managedFields");
        if let Some(Value::Object(annotations)) = meta.get_mut("annotations") {
            annotations.remove(LAST_APPLIED);
            if annotations.is_empty() {
                meta.remove("annotations");
            }
        }
    }
    yaml::to_yaml(&value)
}

/// The lines of an object, marked with how they differ from an earlier version of it.
pub fn object_lines(old: Option<&Object>, new: &Object, all: bool) -> Vec<Line> {
    let text = yaml_of(new, all);
    let same = |t: &str| Line { text: t.to_owned(), mark: LineMark::Same };
    let Some(old) = old.filter(|o| !o.ptr_eq(new)) else {
        return text.lines().map(same).collect();
    };
    let before = yaml_of(old, all);
    let diff = TextDiff::from_lines(before.as_str(), text.as_str());
    let mut lines: Vec<Line> = Vec::new();
    // Removed lines wait until it is known whether the next one has the same field.
    let mut gone: Vec<String> = Vec::new();
    for change in diff.iter_all_changes() {
        let line = change.value().trim_end_matches('\n');
        match change.tag() {
            ChangeTag::Delete => gone.push(line.to_owned()),
            ChangeTag::Insert => {
                let mark = match gone.iter().position(|g| field(g).is_some() && field(g) == field(line)) {
                    Some(at) => {
                        for g in gone.drain(..at) {
                            lines.push(Line { text: g, mark: LineMark::Removed });
                        }
                        let was = gone.remove(0);
                        LineMark::Changed(was.split_once(": ").map_or(String::new(), |(_, v)| v.to_owned()))
                    }
                    None => LineMark::Added,
                };
                lines.push(Line { text: line.to_owned(), mark });
            }
            ChangeTag::Equal => {
                lines.extend(gone.drain(..).map(|text| Line { text, mark: LineMark::Removed }));
                lines.push(same(line));
            }
        }
    }
    lines.extend(gone.into_iter().map(|text| Line { text, mark: LineMark::Removed }));
    lines
}

/// The indentation and name of a line's field, if it has a value of its own.
fn field(line: &str) -> Option<&str> {
    line.split_once(": ").map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::api::Kind;
    use serde_json::json;

    #[test]
    fn a_changed_value_knows_what_it_was() {
        let cm = |v: Value| {
            Object::from_value(Kind::ConfigMap, json!({"metadata": {"name": "c"}, "data": v})).unwrap()
        };
        let lines =
            object_lines(Some(&cm(json!({"a": "x", "b": "w"}))), &cm(json!({"a": "z", "c": "w"})), false);
        let of = |t: &str| lines.iter().find(|l| l.text.trim() == t).map(|l| l.mark.clone());
        assert_eq!(of("a: z"), Some(LineMark::Changed("x".into())));
        assert_eq!(of("b: w"), Some(LineMark::Removed));
        assert_eq!(of("kind: ConfigMap"), Some(LineMark::Same));
    }
}
