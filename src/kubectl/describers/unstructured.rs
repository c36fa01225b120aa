//! Descriptions of objects that kubectl knows nothing of: every field under a name for people
//! (`GenericDescriber` in `k8s.io/kubectl/pkg/describe/describe.go`).

use serde_json::{Map, Value};

use super::super::invocation::{Invocation, Result};
use super::{Writer, annotations};
use crate::api::Object;
use crate::kubectl::go;

/// The fields of the metadata that stand in the head, or are not shown.
const SKIPPED: [&str; 5] = [
    ".metadata.managedFields",
    ".metadata.name",
    ".metadata.namespace",
    ".metadata.labels",
    ".metadata.annotations",
];
/// Words that are written in capitals.
const ACRONYMS: [&str; 4] = ["API", "URL", "UID", "GUID"];

pub(in super::super) fn describe(_: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("Namespace:\t{}", object.namespace()));
    w.map(0, "Labels", object.meta().labels.as_ref());
    annotations(w, 0, object.meta().annotations.as_ref());
    if let Value::Object(content) = object.to_value() {
        fields(w, 0, &content, "");
    }
    Ok(true)
}

fn fields(w: &mut Writer, level: usize, content: &Map<String, Value>, prefix: &str) {
    for (name, value) in content {
        let path = format!("{prefix}.{name}");
        if SKIPPED.contains(&path.as_str()) {
            continue;
        }
        let label = label(name);
        match value {
            Value::Object(inside) => {
                w.line(level, &format!("{label}:"));
                fields(w, level + 1, inside, &path);
            }
            Value::Array(items) => {
                w.line(level, &format!("{label}:"));
                for item in items {
                    match item {
                        Value::Object(inside) => fields(w, level + 1, inside, &path),
                        item => w.line(level + 1, &go::format_value(item)),
                    }
                }
            }
            value => w.line(level, &format!("{label}:\t{}", go::format_value(value))),
        }
    }
}

/// `creationTimestamp` as `Creation Timestamp` (`smartLabelFor`).
fn label(field: &str) -> String {
    if field.chars().any(|c| !c.is_alphabetic() && c != '-') {
        return field.to_owned();
    }
    let mut words = Vec::new();
    for part in joined(split(field)) {
        let upper = part.to_uppercase();
        if ACRONYMS.contains(&upper.as_str()) {
            words.push(upper);
            continue;
        }
        let mut chars = part.chars();
        let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        words.push(first + chars.as_str());
    }
    words.join(" ")
}

/// The parts of a name; one of several capitals is joined with the next, if that begins with a capital.
fn joined(parts: Vec<String>) -> Vec<String> {
    let mut out = Vec::new();
    let mut parts = parts.into_iter().peekable();
    while let Some(mut part) = parts.next() {
        let capitals = part.len() >= 2 && part.chars().all(|c| !c.is_alphabetic() || c.is_uppercase());
        if capitals && let Some(next) = parts.next_if(|next| next.starts_with(char::is_uppercase)) {
            part.push_str(&next);
        }
        out.push(part);
    }
    out
}

/// The words of a name: runs of small letters with the capital before them, runs of capitals, and what is no letter
/// (`github.com/fatih/camelcase`).
fn split(field: &str) -> Vec<String> {
    let class = |c: char| match c {
        c if c.is_lowercase() => 1,
        c if c.is_uppercase() => 2,
        _ => 4,
    };
    let mut runs: Vec<(u8, String)> = Vec::new();
    for c in field.chars() {
        match runs.last_mut() {
            Some((last, run)) if *last == class(c) => run.push(c),
            _ => runs.push((class(c), c.to_string())),
        }
    }
    // The last capital of a run begins the word that follows.
    for i in 1..runs.len() {
        let (before, after) = runs.split_at_mut(i);
        if let (Some((2, capitals)), Some((1, word))) = (before.last_mut(), after.first_mut())
            && let Some(c) = capitals.pop()
        {
            word.insert(0, c);
        }
    }
    runs.into_iter().map(|(_, run)| run).filter(|run| !run.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `smartLabelFor` of kubectl's `pkg/describe/describe.go` and its test in `describe_test.go`.
    #[test]
    fn names_of_fields_become_words() {
        for (field, wanted) in [
            ("creationTimestamp", "Creation Timestamp"),
            ("apiVersion", "API Version"),
            ("uid", "UID"),
            ("clusterIPs", "Cluster I Ps"),
            ("x-kind", "X - Kind"),
            ("a.b", "a.b"),
            ("lastURL", "Last URL"),
            ("podCIDRs", "Pod CIDRs"),
            ("externalDNSName", "External DNSName"),
            ("osbGuid", "Osb GUID"),
        ] {
            assert_eq!(label(field), wanted);
        }
    }
}
