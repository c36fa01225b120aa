//! An object as lines of YAML, and what changed between two versions of it.

use serde_json::Value;

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

/// An object as kubectl prints it, but for long texts, which stay on one line; without `metadata.managedFields` and what `kubectl apply` keeps
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
    yaml::to_yaml_unfolded(&value)
}

/// The lines of an object, marked with how they differ from an earlier version of it.
pub fn object_lines(old: Option<&Object>, new: &Object, all: bool) -> Vec<Line> {
    let text = yaml_of(new, all);
    let same = |t: &str| Line { text: t.to_owned(), mark: LineMark::Same };
    let Some(old) = old.filter(|o| !o.ptr_eq(new)) else {
        return text.lines().map(same).collect();
    };
    let before = yaml_of(old, all);
    let (a, b): (Vec<&str>, Vec<&str>) = (before.lines().collect(), text.lines().collect());
    let mut lines: Vec<Line> = Vec::new();
    // Removed lines wait until it is known whether the next one has the same field.
    let mut gone: Vec<String> = Vec::new();
    for (edit, line) in diff(&a, &b) {
        match edit {
            Edit::Delete => gone.push(line.to_owned()),
            Edit::Insert => {
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
            Edit::Keep => {
                lines.extend(gone.drain(..).map(|text| Line { text, mark: LineMark::Removed }));
                lines.push(same(line));
            }
        }
    }
    lines.extend(gone.into_iter().map(|text| Line { text, mark: LineMark::Removed }));
    lines
}

/// What leads from one text to another, line by line.
enum Edit {
    Keep,
    Delete,
    Insert,
}

/// More pairs of lines than this are not compared with each other.
const PAIRS: usize = 4_000_000;

/// The shortest edit between two texts, what both begin and end with left aside. Written here, for
/// a crate that does it brings 200 KB of wasm.
fn diff<'a>(a: &[&'a str], b: &[&'a str]) -> Vec<(Edit, &'a str)> {
    let same = |(x, y): &(&&str, &&str)| x == y;
    let head = a.iter().zip(b).take_while(same).count();
    let (rest_a, rest_b) = (a.get(head..).unwrap_or_default(), b.get(head..).unwrap_or_default());
    let tail = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(same).count();
    let mid_a = rest_a.get(..rest_a.len() - tail).unwrap_or_default();
    let mid_b = rest_b.get(..rest_b.len() - tail).unwrap_or_default();
    let keep = |l: &&'a str| (Edit::Keep, *l);
    let mut out: Vec<(Edit, &str)> = a.iter().take(head).map(keep).collect();
    let wide = mid_b.len() + 1;
    let mut common = vec![0_u32; if mid_a.len() * wide <= PAIRS { (mid_a.len() + 1) * wide } else { 0 }];
    let at = |common: &[u32], i: usize, j: usize| common.get(i * wide + j).copied().unwrap_or(0);
    // How many lines both have in common from here to the end.
    for i in (0..mid_a.len()).rev() {
        for j in (0..mid_b.len()).rev() {
            let n = if mid_a.get(i) == mid_b.get(j) {
                at(&common, i + 1, j + 1) + 1
            } else {
                at(&common, i + 1, j).max(at(&common, i, j + 1))
            };
            if let Some(cell) = common.get_mut(i * wide + j) {
                *cell = n;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    loop {
        match (mid_a.get(i), mid_b.get(j)) {
            (Some(x), Some(y)) if x == y => {
                out.push((Edit::Keep, y));
                (i, j) = (i + 1, j + 1);
            }
            (Some(x), y) if y.is_none() || at(&common, i + 1, j) >= at(&common, i, j + 1) => {
                out.push((Edit::Delete, x));
                i += 1;
            }
            (_, Some(y)) => {
                out.push((Edit::Insert, y));
                j += 1;
            }
            _ => break,
        }
    }
    out.extend(rest_a.iter().skip(mid_a.len()).map(keep));
    out
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

    #[test]
    fn an_edit_leads_from_one_text_to_the_other() {
        for (a, b) in
            [("", ""), ("a", ""), ("", "a"), ("a b c", "a c"), ("a b a c", "b a d c e"), ("x a", "a y")]
        {
            let (a, b): (Vec<&str>, Vec<&str>) =
                (a.split_whitespace().collect(), b.split_whitespace().collect());
            let edits = diff(&a, &b);
            let of = |keep: fn(&Edit) -> bool| -> Vec<&str> {
                edits.iter().filter(|(e, _)| keep(e)).map(|(_, l)| *l).collect()
            };
            assert_eq!(of(|e| !matches!(e, Edit::Insert)), a);
            assert_eq!(of(|e| !matches!(e, Edit::Delete)), b);
        }
        let kept = diff(&["a", "b", "a", "c"], &["b", "a", "d", "c", "e"]);
        assert_eq!(kept.iter().filter(|(e, _)| matches!(e, Edit::Keep)).count(), 3);
    }
}
