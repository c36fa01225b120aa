//! Kinds without a description of their own, those of CustomResourceDefinitions among them: the fields as they are, with
//! labels made of their names (`genericDescriber`).

use serde_json::{Map, Value};

use super::super::context::{Context, Result};
use super::super::go;
use super::{Writer, head};
use crate::api::{Object, order};

/// Fields of `metadata` that stand above the others, or are not shown.
const SKIPPED: [&str; 5] = ["annotations", "labels", "managedFields", "name", "namespace"];

pub(in super::super) fn generic(_: &mut Context<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("Namespace:\t{}", object.namespace()));
    head::marks(w, object);
    let mut value = object.to_value();
    if let Some(Value::Object(meta)) = value.get_mut("metadata") {
        meta.retain(|key, _| !SKIPPED.contains(&key.as_str()));
    }
    if let Some(map) = value.as_object() {
        content(w, 0, map);
    }
    Ok(true)
}

fn content(w: &mut Writer, level: usize, map: &Map<String, Value>) {
    let mut fields: Vec<_> = map.iter().collect();
    order::sort_by_key(&mut fields, |(key, _)| *key);
    for (field, value) in fields {
        let label = label(field);
        match value {
            Value::Object(inner) => {
                w.line(level, &format!("{label}:"));
                content(w, level + 1, inner);
            }
            Value::Array(items) => {
                w.line(level, &format!("{label}:"));
                for item in items {
                    match item {
                        Value::Object(inner) => content(w, level + 1, inner),
                        other => w.line(level + 1, &go::format_value(other)),
                    }
                }
            }
            other => w.line(level, &format!("{label}:\t{}", go::format_value(other))),
        }
    }
}

/// The words of a field's name (`smartLabelFor`): `lastTransitionTime` is `Last Transition Time`.
fn label(field: &str) -> String {
    if field.chars().any(|c| !c.is_alphabetic() && c != '-') {
        return field.to_owned();
    }
    let mut merged: Vec<String> = Vec::new();
    let mut parts = words(field).into_iter().peekable();
    while let Some(mut part) = parts.next() {
        let capitals = part.chars().count() >= 2 && !part.chars().any(char::is_lowercase);
        if capitals && let Some(next) = parts.next_if(|n| n.starts_with(char::is_uppercase)) {
            part.push_str(&next);
        }
        merged.push(part);
    }
    let written = merged.into_iter().map(|part| {
        let upper = part.to_uppercase();
        if ["API", "URL", "UID", "GUID"].contains(&upper.as_str()) {
            upper
        } else if part.to_lowercase() == part {
            let mut chars = part.chars();
            chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
        } else {
            part
        }
    });
    written.collect::<Vec<_>>().join(" ")
}

/// The runs of capitals and of other letters; the last capital of a run belongs to the letters after it.
fn words(field: &str) -> Vec<String> {
    let class = |c: char| match c {
        c if c.is_lowercase() => 1,
        c if c.is_uppercase() => 2,
        _ => 3,
    };
    let mut runs: Vec<String> = Vec::new();
    let mut last = 0;
    for c in field.chars() {
        match runs.last_mut().filter(|_| class(c) == last) {
            Some(run) => run.push(c),
            None => runs.push(c.into()),
        }
        last = class(c);
    }
    for i in 1..runs.len() {
        let Some((before, after)) = runs.split_at_mut_checked(i) else { break };
        if let (Some(before), Some(after)) = (before.last_mut(), after.first_mut())
            && before.starts_with(char::is_uppercase)
            && after.starts_with(char::is_lowercase)
            && let Some(capital) = before.pop()
        {
            after.insert(0, capital);
        }
    }
    runs.retain(|r| !r.is_empty());
    runs
}

#[cfg(test)]
mod tests {
    use super::label;

    #[test]
    fn names_become_words() {
        for (name, want) in [
            ("apiVersion", "API Version"),
            ("lastTransitionTime", "Last Transition Time"),
            ("uid", "UID"),
            ("clusterIPs", "Cluster I Ps"),
            ("x-y", "X - Y"),
            ("a1", "a1"),
            ("Kind", "Kind"),
        ] {
            assert_eq!(label(name), want, "{name}");
        }
    }
}
