//! The errors of kubectl, at the places in the manifest that cause them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::Object;
use crate::api::yaml::{self, Limits};
use crate::apiserver::ApiServer;
use crate::kubectl::Output;

use super::refusal::{Refusal, begins};

/// An error with its place. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// The message of kubectl or of the API server.
    pub message: String,
    /// All that kubectl printed about the error, if that is more than the message; else empty.
    pub whole: String,
}

impl Problem {
    fn at(line: usize, column: usize, message: &str) -> Problem {
        let Refusal { reason, whole } = Refusal::of(message);
        Problem { line, column, message: reason, whole }
    }
}

/// Finds the places of the errors in the output of an apply of this text to a cluster, whose API server is given.
pub fn problems(api: &ApiServer, text: &str, output: &Output) -> Vec<Problem> {
    if output.exit == 0 {
        return Vec::new();
    }
    let documents = match yaml::documents(text, &Limits::default()) {
        Ok(documents) => documents,
        // If the text cannot be parsed, its parser has the place.
        Err(e) => return vec![Problem::at(e.line.max(1), e.column.max(1), &e.message)],
    };
    let mut out = Vec::new();
    for Complaint { heading, message } in complaints(&output.stderr) {
        if message.contains("patch: Invalid value: ")
            && let Some(p) = of_wrong_type(api, text, &documents)
        {
            out.push(Problem { whole: message, ..p });
            continue;
        }
        // The document of the error: the one that it or its heading names, or else the one that has most of the path
        // that it names.
        let mut best: Option<((bool, bool, usize), usize, String)> = None;
        for path in paths(&message) {
            for (i, d) in documents.iter().enumerate() {
                let text_of = |p: &str| d.value.pointer(p).and_then(Value::as_str).unwrap_or_default();
                let says = |word: &str| heading.contains(word) || message.contains(word);
                let named = says(&format!("\"{}\"", text_of("/metadata/name")));
                let kind = !text_of("/kind").is_empty() && says(text_of("/kind"));
                let rank = (named, kind, depth(&d.value, &path));
                if best.as_ref().is_none_or(|(r, ..)| *r < rank) {
                    best = Some((rank, i, path.clone()));
                }
            }
        }
        let whole = || of_whole(&heading, &message, &documents);
        // A word of a sentence can look like a path of which no document has anything.
        let best = match best {
            Some(((.., 0), i, path)) => whole().or(Some((i, path))),
            best => best.map(|(_, i, path)| (i, path)).or_else(whole),
        };
        // A missing field is shown at its nearest existing ancestor.
        let at = best.and_then(|(i, path)| yaml::position_of(text, i, &path));
        let (line, column) = at.unwrap_or((1, 1));
        out.push(Problem::at(line, column, &message));
    }
    out
}

/// The document of an error that names no field, and the field at which it is shown: an error about a whole object, whose
/// heading names the object, or about a kind that the server does not have.
fn of_whole(heading: &str, message: &str, documents: &[yaml::Document]) -> Option<(usize, String)> {
    let i = documents.iter().position(|d| {
        let text_of = |p: &str| d.value.pointer(p).and_then(Value::as_str).unwrap_or_default();
        let (kind, version) = (text_of("/kind"), text_of("/apiVersion"));
        heading.contains(&format!("{kind} \"{}\"", text_of("/metadata/name")))
            || message.contains(&format!("no matches for kind {kind:?} in version {version:?}"))
    })?;
    Some((i, "kind".to_owned()))
}

/// The first value of a wrong type. If the server cannot decode a patch, its message quotes the whole patch
/// without the place of the error.
fn of_wrong_type(api: &ApiServer, text: &str, documents: &[yaml::Document]) -> Option<Problem> {
    documents.iter().enumerate().find_map(|(i, d)| {
        let text_of = |p: &str| d.value.pointer(p).and_then(Value::as_str);
        let kind = api.kind_of(text_of("/apiVersion")?, text_of("/kind")?)?;
        let e = Object::from_value(kind, d.value.clone()).err()?;
        let (line, column) = yaml::position_of(text, i, &e.path)?;
        Some(Problem::at(line, column, &e.to_string()))
    })
}

/// One error.
#[derive(Debug, Default)]
struct Complaint {
    /// The line under which it stands in a list, which names the object; empty if it stands in none.
    heading: String,
    message: String,
}

/// The single errors: the message about an invalid object lists its violations in separate lines.
fn complaints(stderr: &str) -> Vec<Complaint> {
    let mut out: Vec<Complaint> = Vec::new();
    let mut heading = String::new();
    for line in stderr.lines().filter(|l| !l.trim().is_empty()) {
        match (line.strip_prefix("* "), out.last_mut()) {
            (Some(violation), _) => {
                out.push(Complaint { heading: heading.clone(), message: violation.to_owned() });
            }
            (None, Some(last)) if !begins(line) => {
                last.message.push('\n');
                last.message.push_str(line);
            }
            _ => {
                heading = line.to_owned();
                out.push(Complaint { heading: String::new(), message: line.to_owned() });
            }
        }
    }
    // The heading of a list is not an error of its own.
    if out.len() > 1 {
        out.retain(|c| !c.message.trim_end().ends_with("is invalid:"));
    }
    out
}

/// How many steps of a path exist in a document.
fn depth(value: &Value, path: &str) -> usize {
    let mut at = value;
    let mut n = 0;
    for part in path.split(['.', '[', ']']).filter(|p| !p.is_empty()) {
        let next = match part.parse::<usize>() {
            Ok(i) if at.is_array() => at.get(i),
            _ => at.get(part),
        };
        let Some(next) = next else { break };
        at = next;
        n += 1;
    }
    n
}

/// The parts of a message that look like a field's path: `spec.template.spec.containers[0].image`.
fn paths(message: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '[' | ']' | '_' | '-');
    // `unknown field "replica"` names a path, whatever that begins with.
    let unknown = message.split("unknown field \"").skip(1).filter_map(|rest| rest.split('"').next());
    let unknown: Vec<String> = unknown.map(str::to_owned).collect();
    if !unknown.is_empty() {
        return unknown;
    }
    message
        .split(|c: char| !is_part(c))
        .map(|w| w.trim_matches('.'))
        .filter(|w| {
            ["spec", "metadata", "data", "status", "apiVersion", "kind", "stringData", "rules"].iter().any(
                |root| {
                    w.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
                },
            )
        })
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::{Session, Start};

    fn complain(text: &str) -> Vec<Problem> {
        let session = Session::new(Start::default());
        problems(session.cluster().api(), text, &session.preview(text).1)
    }

    const GOOD: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n---\n";

    #[test]
    fn a_broken_text() {
        let p = complain("kind: Pod\nspec: [\n");
        assert_eq!(p.len(), 1);
        assert!(p[0].line >= 2, "{p:?}");
    }

    #[test]
    fn an_unknown_field() {
        let text = format!(
            "{GOOD}apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: c\n    image: x\n    imagge: y\n"
        );
        let p = complain(&text);
        assert!(p.iter().any(|p| p.line == 14), "{p:?}");
    }

    #[test]
    fn a_refusal() {
        let text = format!(
            "{GOOD}apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  restartPolicy: Sometimes\n  containers:\n  - name: c\n    image: x\n"
        );
        let p = complain(&text);
        assert!(p.iter().any(|p| p.line == 11), "{p:?}");
    }

    #[test]
    fn a_type_that_only_the_patch_shows() {
        let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\nspec:\n  replicas: 1\n  selector:\n    matchLabels: {a: b}\n  template:\n    metadata:\n      labels: {a: b}\n    spec:\n      containers:\n      - name: c\n        image: x\n        ports:\n        - containerPort: 80\n";
        let mut session = Session::new(Start::default());
        assert_eq!(session.apply(text).exit, 0);
        let wrong = text.replace("80", "abc");
        let p = problems(session.cluster().api(), &wrong, &session.preview(&wrong).1);
        assert_eq!((p.len(), p[0].line), (1, 17), "{p:?}");
    }

    #[test]
    fn a_kind_that_nothing_defines() {
        let p = complain(&format!("{GOOD}apiVersion: example.com/v1\nkind: Gadget\nmetadata:\n  name: g\n"));
        assert_eq!(p.iter().map(|p| p.line).collect::<Vec<_>>(), [7], "{p:?}");
    }

    #[test]
    fn an_object_of_a_custom_kind() {
        let session = crate::session::scenario::find("23-custom-resource").unwrap().open();
        let complain = |text: &str| {
            let p = problems(session.cluster().api(), text, &session.preview(text).1);
            p.into_iter().map(|p| (p.line, p.message)).collect::<Vec<_>>()
        };
        let text = |spec: &str| {
            format!("apiVersion: shop.example.com/v1\nkind: Website\nmetadata:\n  name: other\nspec:\n{spec}")
        };
        let lines = |spec: &str| complain(&text(spec)).into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        assert!(lines("  host: a.example.com\n").is_empty());
        // The last one is about the whole object: its rules were not checked.
        assert_eq!(lines("  host: [1]\n  replicas: 9\n"), [6, 7, 2]);
        assert_eq!(lines("  replicas: 1\n"), [5, 2]);
        assert_eq!(lines("  host: a.example.com\n  colour: red\n"), [7]);
        let shop = text("  host: b.example.com\n").replace("other", "shop");
        let p = complain(&shop);
        assert!(p.len() == 1 && p[0].0 == 5 && p[0].1.contains("a website keeps its host"), "{p:?}");
        let labels = "apiVersion: shop.example.com/v1\nkind: Website\nmetadata:\n  name: shop\n  labels: 5\nspec:\n  host: shop.example.com\n";
        let p = complain(labels);
        assert!(p.len() == 1 && p[0].0 == 5, "{p:?}");
    }

    #[test]
    fn what_is_well_has_none() {
        assert_eq!(complain(GOOD), []);
    }
}
