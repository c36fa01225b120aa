//! The errors of kubectl, at the places in the manifest that cause them. The places are read from the refusals of the
//! single documents ([`Refused`]), never from what kubectl prints.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::yaml::{self, Limits};
use crate::apimachinery::Status;
use crate::apiserver::{ApiServer, Undecodable};
use crate::kubectl::{Output, Refused, Refuser};

use super::refusal::Refusal;

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

/// An error, with the path of the field that it is about.
struct Wrong {
    path: String,
    message: String,
    whole: String,
}

/// The field at which errors about a whole object are shown.
const WHOLE: &str = "kind";

/// Finds the places of the errors in the output of an apply of this text to a cluster, whose API server is given.
pub fn problems(api: &ApiServer, text: &str, output: &Output) -> Vec<Problem> {
    if output.exit == 0 {
        return Vec::new();
    }
    let documents = match yaml::documents(text, &Limits::default()) {
        Ok(documents) => documents,
        // If the text cannot be parsed, its parser has the place.
        Err(e) => {
            let (line, column) = (e.line.max(1), e.column.max(1));
            return vec![Problem { line, column, message: e.message, whole: String::new() }];
        }
    };
    let mut out = Vec::new();
    for refused in &output.refused {
        let place = &refused.place;
        let document = documents.get(place.document).map(|d| &d.value);
        for wrong in what_is_wrong(api, document.and_then(|d| part(d, &place.item)), refused) {
            // A missing field is shown at its nearest existing ancestor.
            let path = joined(&place.item, &wrong.path);
            let (line, column) = yaml::position_of(text, place.document, &path).unwrap_or((1, 1));
            out.push(Problem { line, column, message: wrong.message, whole: wrong.whole });
        }
    }
    if out.is_empty() {
        // The command failed as a whole.
        let Refusal { reason, whole } = Refusal::of_all(&output.stderr);
        out.push(Problem { line: 1, column: 1, message: reason, whole });
    }
    out
}

/// The object at a path of a document: `items[2]` of a list.
fn part<'v>(document: &'v Value, item: &str) -> Option<&'v Value> {
    let mut names = item.split(['.', '[', ']']).filter(|name| !name.is_empty());
    names.try_fold(document, |at, name| match name.parse::<usize>() {
        Ok(index) => at.get(index),
        Err(_) => at.get(name),
    })
}

fn joined(item: &str, path: &str) -> String {
    if item.is_empty() { path.to_owned() } else { format!("{item}.{path}") }
}

fn what_is_wrong(api: &ApiServer, object: Option<&Value>, refused: &Refused) -> Vec<Wrong> {
    match &refused.by {
        Refuser::Server(status) => {
            let fields = of_causes(status);
            if !fields.is_empty() {
                return fields;
            }
            let undecodable = object.map_or_else(Vec::new, |object| undecodable(api, object));
            match undecodable.is_empty() || !is_about_decoding(status) {
                true => vec![whole_object(&status.message)],
                false => undecodable
                    .into_iter()
                    .map(|e| Wrong { path: e.path, message: plain(e.message), whole: status.message.clone() })
                    .collect(),
            }
        }
        Refuser::Kubectl(message) => vec![whole_object(message)],
    }
}

/// A decoder's message without the names of Rust's number types.
fn plain(message: String) -> String {
    const INTEGERS: [&str; 6] = ["i32", "i64", "u8", "u16", "u32", "u64"];
    match message.rsplit_once("expected ") {
        Some((start, wanted)) if INTEGERS.contains(&wanted) => format!("{start}expected an integer"),
        Some((start, "f64")) => format!("{start}expected a number"),
        _ => message,
    }
}

fn whole_object(message: &str) -> Wrong {
    let Refusal { reason, whole } = Refusal::of(message);
    Wrong { path: WHOLE.to_owned(), message: reason, whole }
}

/// The causes of a refusal that name a field of the object. A cause about the whole object has Go's `<nil>` in the place of
/// a field.
fn of_causes(status: &Status) -> Vec<Wrong> {
    let causes = status.details.iter().flat_map(|d| &d.causes);
    let of_fields = causes.filter(|c| !c.field.is_empty() && c.field != PATCH);
    of_fields
        .map(|c| {
            let path = if c.field == "<nil>" { WHOLE } else { &c.field };
            let message = format!("{}: {}", c.field, c.message);
            Wrong { path: path.to_owned(), message, whole: String::new() }
        })
        .collect()
}

/// The field that the server names if it cannot decode what a patch leads to. It is no field of the object.
const PATCH: &str = "patch";

/// Whether the server could not make an object of what it got: a body that does not fit the kind (400), or a patch. Its
/// message has no fields as data then.
fn is_about_decoding(status: &Status) -> bool {
    let patch = status.details.iter().flat_map(|d| &d.causes).any(|c| c.field == PATCH);
    patch || status.code == 400
}

fn undecodable(api: &ApiServer, object: &Value) -> Vec<Undecodable> {
    let text_of = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let kind = api.kind_of(text_of("apiVersion"), text_of("kind"));
    kind.map_or_else(Vec::new, |kind| api.undecodable(kind, object))
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
        let wrong = text.replace("replicas: 1", "replicas: three");
        let p = problems(session.cluster().api(), &wrong, &session.preview(&wrong).1);
        assert_eq!(p[0].message, "spec.replicas: invalid type: string \"three\", expected an integer");
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

    /// The lines and messages of the problems with a text in a new cluster.
    fn lines(text: &str) -> Vec<(usize, String)> {
        complain(text).into_iter().map(|p| (p.line, p.message)).collect()
    }

    #[test]
    fn keys_of_maps_and_items_of_lists() {
        let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\nspec:\n  selector:\n    matchLabels:\n      app: b\n  template:\n    metadata:\n      labels:\n        app: b\n        bad: '-'\n    spec:\n      containers:\n      - name: c\n        image: x\n      - name: c\n        image: x\n        resources:\n          limits:\n            cpu: '-1'\n";
        let p = lines(text);
        let at = |line: usize| p.iter().find(|(l, _)| *l == line).map(|(_, message)| message.as_str());
        // The server's path leaves out `metadata`, so the nearest place is the template.
        assert!(at(9).is_some_and(|m| m.starts_with("spec.template.labels: Invalid value: \"-\"")), "{p:?}");
        assert!(at(18).is_some_and(|m| m.starts_with("spec.template.spec.containers[1].name: Dup")), "{p:?}");
        assert!(at(22).is_some_and(|m| m.contains("limits[cpu]")), "{p:?}");
        let map =
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  app.properties: a\n  a b: c\n";
        assert_eq!(lines(map).iter().map(|(line, _)| *line).collect::<Vec<_>>(), [7]);
    }

    #[test]
    fn fields_of_kinds_whose_fields_have_other_names() {
        let binding = "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata:\n  name: b\nroleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: Roll\n  name: r\nsubjects:\n- kind: Group\n  apiGroup: rbac.authorization.k8s.io\n  name: g\n- kind: Group\n  apiGroup: rbac.authorization.k8s.io\n";
        let p = lines(binding);
        assert_eq!(p.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [7, 13], "{p:?}");
        let class = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata:\n  name: s\nprovisioner: ''\nreclaimPolicy: Burn\n";
        let p = lines(class);
        assert_eq!(p.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [5, 6], "{p:?}");
    }

    #[test]
    fn two_documents_of_one_name_and_the_items_of_a_list() {
        let pod = |policy: &str| {
            format!(
                "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  restartPolicy: {policy}\n  containers:\n  - name: c\n    image: x\n"
            )
        };
        let text = format!("{}---\n{}", pod("Sometimes"), pod("Seldom"));
        let p = lines(&text);
        assert_eq!(p.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [6, 16], "{p:?}");
        let list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: ok\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: Not\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: odd\n  dada: {}\n- apiVersion: v1\n  kind: Gadget\n  metadata:\n    name: g\n";
        let p = lines(list);
        // kubectl looks at all kinds before it sends anything.
        assert_eq!(p.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [18, 11, 16], "{p:?}");
        assert_eq!(p[2].1, "unknown field \"dada\"");
    }

    #[test]
    fn what_is_forbidden_stands_at_its_object() {
        let mut session = Session::new(Start::default());
        session.kubectl("create quota none --hard=pods=0", &[]);
        while session.step(crate::session::Depth::Command, None) {}
        let text = format!(
            "{GOOD}apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: c\n    image: x\n"
        );
        let p = problems(session.cluster().api(), &text, &session.preview(&text).1);
        assert_eq!(p.len(), 1, "{p:?}");
        assert_eq!((p[0].line, p[0].whole.as_str()), (7, ""));
        assert!(p[0].message.starts_with("pods \"p\" is forbidden: exceeded quota"), "{p:?}");
    }

    #[test]
    fn what_names_no_kind_stands_at_its_document() {
        assert_eq!(lines(&format!("{GOOD}metadata:\n  name: g\n"))[0].0, 6);
        assert_eq!(lines("apiVersion: v1\nmetadata:\n  name: g\n")[0].0, 1);
    }

    #[test]
    fn a_quantity_is_marked_at_its_line_in_an_object_that_exists() {
        let text = |cpu: &str| {
            format!(
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  selector:\n    matchLabels:\n      app: web\n  \
                 template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      containers:\n      - name: web\n        \
                 image: nginx\n        resources:\n          requests:\n            memory: 1Gi\n            cpu: {cpu}\n"
            )
        };
        let mut session = Session::new(Start::default());
        assert_eq!(session.apply(&text("100m")).exit, 0);
        let bad = text("100mm");
        let found = problems(session.cluster().api(), &bad, &session.preview(&bad).1);
        let [problem] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(problem.line, 20, "{problem:?}");
        assert!(
            problem.message.lines().count() == 1
                && problem.message.contains("unable to parse quantity's suffix"),
            "{problem:?}"
        );
    }
}
