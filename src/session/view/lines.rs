//! An object as lines of YAML, with the changes between two versions.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::api::patch::{ListType, field_info};
use crate::api::well_known::LAST_APPLIED_CONFIG_ANNOTATION;
use crate::api::{Kind, MetaExt, Object, yaml};

/// How a line differs from the earlier version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineMark {
    /// It is the same.
    Same,
    /// It was added.
    Added,
    /// It was removed.
    Removed,
    /// Its value has changed; the old value.
    Changed(String),
}

/// A line of an object's YAML.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The text, without the newline.
    pub text: String,
    /// How the line differs.
    pub mark: LineMark,
    /// The line's field: the same number in every version of the object.
    pub field: FieldId,
}

/// A number that stands for a field: the hash of the names on the path to it, with an item of a list by its merge key, and of
/// the number of the line among those of the same path.
pub type FieldId = u32;

/// Whether an object has fields that [`yaml_of`] leaves out.
pub fn has_bookkeeping(object: &Object) -> bool {
    let meta = object.meta();
    meta.managed_fields.is_some() || meta.annotation(LAST_APPLIED_CONFIG_ANNOTATION).is_some()
}

/// An object as kubectl prints it, except that long texts stay on one line. Unless `all` is set,
/// `metadata.managedFields` and the annotation of `kubectl apply` are left out.
pub fn yaml_of(object: &Object, all: bool) -> String {
    yaml::to_yaml_unfolded(&value_of(object, all))
}

fn value_of(object: &Object, all: bool) -> Value {
    let mut value = object.to_value();
    if !all && let Some(Value::Object(meta)) = value.get_mut("metadata") {
        meta.remove("managedFields");
        if let Some(Value::Object(annotations)) = meta.get_mut("annotations") {
            annotations.remove(LAST_APPLIED_CONFIG_ANNOTATION);
            if annotations.is_empty() {
                meta.remove("annotations");
            }
        }
    }
    value
}

/// The lines of an object, marked with the differences from an earlier version. Fields are compared with
/// each other: an item of a list with the item of the same name, type or other key, wherever it was.
pub fn object_lines(old: Option<&Object>, new: &Object, all: bool) -> Vec<Line> {
    let kind = new.kind();
    let Some(old) = old.filter(|o| !o.ptr_eq(new)) else {
        let value = value_of(new, all);
        let same =
            |(place, text): (Place<'_>, String)| Line { text, mark: LineMark::Same, field: id(&place) };
        return placed(kind, &value).into_iter().map(same).collect();
    };
    let (old, new) = (value_of(old, all), value_of(new, all));
    let (before, after) = (placed(kind, &old), placed(kind, &new));
    let was: BTreeMap<&Place, (usize, &str)> =
        before.iter().enumerate().map(|(i, (place, text))| (place, (i, text.as_str()))).collect();
    let is: BTreeSet<&Place> = after.iter().map(|(place, _)| place).collect();
    // Removed lines are placed where they were: after the line that they followed, if that is still there.
    let removed_from = |start: usize| {
        let gone = before.iter().skip(start).take_while(|(place, _)| !is.contains(place));
        gone.map(|(place, text)| Line { text: text.clone(), mark: LineMark::Removed, field: id(place) })
    };
    let mut lines: Vec<Line> = removed_from(0).collect();
    for (place, text) in &after {
        let before = was.get(place);
        let mark = match before.map(|(_, old)| (old, field(old), field(text))) {
            Some((_, old, new)) if old == new => LineMark::Same,
            Some((old, ..)) if !old.ends_with(':') => LineMark::Changed(said(old).to_owned()),
            _ => LineMark::Added,
        };
        lines.push(Line { text: text.clone(), mark, field: id(place) });
        if let Some((at, _)) = before {
            lines.extend(removed_from(at + 1));
        }
    }
    lines
}

/// The path of a line's field, and the number of the line among those of the same field.
type Place<'v> = (Vec<Cow<'v, str>>, usize);

/// The lines of a value, each with its place. No two places are equal.
fn placed<'v>(kind: Kind, value: &'v Value) -> Vec<(Place<'v>, String)> {
    let name = move |list: &[Cow<'v, str>], index: usize, item: &'v Value| {
        Cow::Owned(name_of_item(kind, list, index, item))
    };
    let mut seen: BTreeMap<Vec<Cow<'v, str>>, usize> = BTreeMap::new();
    let mut out = Vec::new();
    for (path, text) in yaml::to_yaml_placed(value, &name) {
        let n = seen.entry(path.clone()).or_default();
        *n += 1;
        out.push(((path, *n), text));
    }
    out
}

/// The fields of an object, each with its line without indentation. `all` is that of [`yaml_of`].
pub(super) fn fields(object: &Object, all: bool) -> Vec<(FieldId, String)> {
    let value = value_of(object, all);
    placed(object.kind(), &value)
        .into_iter()
        .map(|(place, text)| (id(&place), field(&text).to_owned()))
        .collect()
}

/// The number of a line's field (FNV-1a).
fn id((path, n): &Place<'_>) -> FieldId {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let names = path.iter().flat_map(|name| name.bytes().chain([0]));
    names.chain(n.to_le_bytes()).fold(0x811c_9dc5, step)
}

/// The name of an item in a list: the value of its merge key or its name, or the item itself if it is a
/// single value; otherwise its index. `list` has the names of the fields on the path to the list, without
/// the items on the way.
pub(super) fn name_of_item<S: AsRef<str>>(kind: Kind, list: &[S], index: usize, item: &Value) -> String {
    let path: Vec<&str> = list.iter().map(AsRef::as_ref).filter(|n| !n.starts_with(ITEM)).collect();
    let key = field_info(kind, &path).map(|field| (field.list_type, field.merge_key));
    let text = |name: &str| match item.get(name) {
        Some(Value::String(s)) => Some(s.clone()),
        other => other.map(Value::to_string),
    };
    let known = match (item, key) {
        (Value::Object(_), Some((_, key))) if !key.is_empty() => text(key),
        (Value::Object(_), Some((Some(ListType::Map(keys)), _))) => {
            Some(keys.iter().map(|k| text(k).unwrap_or_default()).collect::<Vec<_>>().join(","))
        }
        (Value::Object(_), _) => text("name"),
        (one, _) => Some(one.to_string()),
    };
    format!("{ITEM}{}", known.unwrap_or_else(|| index.to_string()))
}

/// The first character of an item's name in a path, which no field's name has.
const ITEM: char = '[';

/// A line without its indentation and without the dashes of lists that begin in it.
fn field(line: &str) -> &str {
    let mut rest = line.trim_start_matches(' ');
    while let Some(item) = rest.strip_prefix("- ") {
        rest = item.trim_start_matches(' ');
    }
    rest
}

/// The value in a line.
fn said(line: &str) -> &str {
    field(line).split_once(": ").map_or(field(line), |(_, value)| value)
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
            Object::from_value(Kind::CONFIG_MAP, json!({"metadata": {"name": "c"}, "data": v})).unwrap()
        };
        let lines =
            object_lines(Some(&cm(json!({"a": "x", "b": "w"}))), &cm(json!({"a": "z", "c": "w"})), false);
        let of = |t: &str| lines.iter().find(|l| l.text.trim() == t).map(|l| l.mark.clone());
        assert_eq!(of("a: z"), Some(LineMark::Changed("x".into())));
        assert_eq!(of("b: w"), Some(LineMark::Removed));
        assert_eq!(of("kind: ConfigMap"), Some(LineMark::Same));
    }

    #[test]
    fn items_are_compared_with_their_like() {
        let pod = |conditions: Value, args: Value| {
            let spec = json!({"containers": [{"name": "c", "args": args}]});
            let all = json!({"metadata": {"name": "p"}, "spec": spec, "status": {"conditions": conditions}});
            Object::from_value(Kind::POD, all).unwrap()
        };
        let scheduled = json!({"type": "PodScheduled", "status": "True"});
        let old = pod(json!([scheduled]), json!(["b", "x"]));
        let ready = json!({"type": "Ready", "status": "False", "reason": "ContainersNotReady"});
        let new = pod(json!([ready, scheduled]), json!(["a", "b"]));
        let lines = object_lines(Some(&old), &new, false);
        let marked = |wanted: LineMark| -> Vec<&str> {
            lines.iter().filter(|l| l.mark == wanted).map(|l| field(&l.text)).collect()
        };
        let never = ["lastProbeTime: null", "lastTransitionTime: null"];
        let said = ["reason: ContainersNotReady", "status: \"False\"", "type: Ready"];
        assert_eq!(marked(LineMark::Added), [&["a"], &never[..], &said[..]].concat());
        assert_eq!(marked(LineMark::Removed), ["x"]);
        // A change in a named item.
        let late = json!({"type": "PodScheduled", "status": "False", "reason": "Unschedulable"});
        let lines = object_lines(Some(&new), &pod(json!([ready, late]), json!(["a", "b"])), false);
        let status = lines.iter().rfind(|l| field(&l.text) == "status: \"False\"").unwrap();
        assert_eq!(status.mark, LineMark::Changed("\"True\"".into()));
    }

    #[test]
    fn what_is_gone_stands_where_it_stood() {
        let cm = |v: Value| {
            Object::from_value(Kind::CONFIG_MAP, json!({"metadata": {"name": "c"}, "data": v})).unwrap()
        };
        let (old, new) =
            (cm(json!({"a": "1", "b": "x\ny\nz", "c": "3"})), cm(json!({"a": "1", "b": "x\nw", "c": "3"})));
        let lines = object_lines(Some(&old), &new, false);
        let data: Vec<(&str, bool)> = lines
            .iter()
            .skip_while(|l| l.text != "data:")
            .skip(1)
            .take(6)
            .map(|l| (l.text.trim(), l.mark == LineMark::Removed))
            .collect();
        assert_eq!(data[0], ("a: \"1\"", false));
        assert_eq!(data[4], ("z", true));
        assert_eq!(data[5], ("c: \"3\"", false));
        // All lines of the new version are there in order, and each removed line once.
        let kept: Vec<&str> =
            lines.iter().filter(|l| l.mark != LineMark::Removed).map(|l| &*l.text).collect();
        assert_eq!(kept.join("\n") + "\n", yaml_of(&new, false));
    }
}
