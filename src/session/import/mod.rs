//! What `kubectl get … -o yaml` prints of a real cluster, as the start of a run. docs/embed.md tells a person what is taken,
//! and what is made because it is not in the text.
//!
//! ```
//! use steady::session::{Session, Start, import};
//! let text = r#"{"apiVersion": "v1", "kind": "List", "items": [
//!   {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop", "uid": "1"}}]}"#;
//! let imported = import::read(text).unwrap();
//! assert_eq!(imported.report.taken.get("ConfigMap"), Some(&1));
//! assert_eq!(imported.report.made.get("Namespace").map(Vec::as_slice), Some(&["shop".to_owned()][..]));
//! let session = Session::new(imported.start());
//! assert!(session.cluster().api().cached_all().any(|(at, _)| &*at.key.namespace == "shop"));
//! ```

mod missing;
mod nodes;
mod owners;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Start;
use crate::api::yaml::{self, Limits};
use crate::api::{Kind, Object, Timestamp, order};

/// The most bytes of a text that is imported.
pub const TEXT_LIMIT: usize = 8_000_000;
/// The most bytes of what is kept of it: a link unpacks to little more.
pub const KEPT_LIMIT: usize = 3_000_000;

/// Objects of another cluster, and what is to be said of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The objects, and those made for them, as a JSON array.
    pub objects: Rc<str>,
    /// What was taken and made.
    pub report: Report,
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// How many objects of each kind were taken over.
    pub taken: BTreeMap<String, usize>,
    /// How many objects of each kind were left out because the cluster here does not know it. The kinds stand with their
    /// `apiVersion`.
    pub unknown: BTreeMap<String, usize>,
    /// The objects that could not be read: kind and name, and why.
    pub unreadable: Vec<(String, String)>,
    /// The objects of each kind that were made because others need them, by name.
    pub made: BTreeMap<String, Vec<String>>,
    /// How many references to owners were dropped because the owners are not there.
    pub orphaned: usize,
    /// The nodes that got a taint, because a DaemonSet that is complete has no pod there.
    pub tainted: Vec<String>,
    /// Whether there are autoscalers: what pods use is not in the text.
    pub autoscaled: bool,
    /// The bytes of the objects.
    pub bytes: usize,
}

/// Why a text cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// It is no YAML or JSON; the parser's message.
    Yaml(String),
    /// It has no object that was stored in a cluster: none has a uid.
    NoCluster,
    /// The objects are larger than this many bytes.
    TooLarge(usize),
}

impl std::fmt::Display for ImportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ImportError::Yaml(why) => f.write_str(why),
            ImportError::NoCluster => f.write_str("no object in it has a uid"),
            ImportError::TooLarge(limit) => write!(f, "it is larger than {limit} bytes"),
        }
    }
}

impl std::error::Error for ImportError {}

impl Imported {
    /// The start of a run with these objects.
    pub fn start(&self) -> Start {
        Start { nodes: 0, objects: Some(self.objects.clone()), ..Start::default() }
    }
}

/// Whether a text may be what kubectl printed of a cluster, and not a manifest that a person wrote: it is a list or has
/// several documents, and at least one of its objects has a uid. One object alone (`kubectl get deployment web -o yaml`) is
/// what a person edits and applies. It is a quick look at the text, and not a reading.
pub fn is_likely(text: &str) -> bool {
    let is_list = |line: &str| {
        let kind = line.strip_prefix("kind:").or_else(|| line.trim_start().strip_prefix("\"kind\":"));
        kind.is_some_and(|kind| kind.trim().trim_end_matches(',').trim_matches('"').ends_with("List"))
    };
    let uid = |line: &str| {
        let line = line.trim_start().trim_start_matches("- ");
        line.strip_prefix("uid:")
            .or_else(|| line.strip_prefix("\"uid\":"))
            .is_some_and(|v| v.trim().len() > 8)
    };
    let are_several = text.lines().skip(1).any(|line| line.starts_with("---"));
    (are_several || text.lines().any(is_list)) && text.lines().any(uid)
}

/// Reads what kubectl printed: documents, and lists of objects in them.
///
/// # Errors
/// Why it cannot be imported.
pub fn read(text: &str) -> Result<Imported, ImportError> {
    if text.len() > TEXT_LIMIT {
        return Err(ImportError::TooLarge(TEXT_LIMIT));
    }
    let limits = Limits { bytes: TEXT_LIMIT, nodes: 2_000_000, documents: 50_000, ..Limits::default() };
    let documents = yaml::documents(text, &limits).map_err(|e| ImportError::Yaml(e.to_string()))?;
    let mut objects = Vec::new();
    for document in documents {
        flatten(document.value, &mut objects);
    }
    if !objects.iter().any(|o| !text_at(o, "/metadata/uid").is_empty()) {
        return Err(ImportError::NoCluster);
    }
    let mut report = Report::default();
    let mut objects = known(objects, &mut report);
    objects.iter_mut().for_each(without_servers_own);
    missing::make(&mut objects, &mut report);
    nodes::make(&mut objects, &mut report);
    owners::mend(&mut objects, &mut report);
    report.autoscaled = objects.iter().any(|o| text_at(o, "/kind") == "HorizontalPodAutoscaler");
    let kept = Value::Array(objects).to_string();
    report.bytes = kept.len();
    if kept.len() > KEPT_LIMIT {
        return Err(ImportError::TooLarge(KEPT_LIMIT));
    }
    Ok(Imported { objects: kept.into(), report })
}

/// The objects of a document, which may be lists in lists.
fn flatten(value: Value, out: &mut Vec<Value>) {
    let is_list = text_at(&value, "/kind").ends_with("List") && value.get("items").is_some();
    match value {
        Value::Array(items) => items.into_iter().for_each(|item| flatten(item, out)),
        Value::Object(mut map) if is_list => {
            let version = map.get("apiVersion").cloned();
            let kind = map.get("kind").and_then(Value::as_str).unwrap_or_default();
            let of_items = kind.strip_suffix("List").filter(|kind| !kind.is_empty()).map(str::to_owned);
            let Some(Value::Array(items)) = map.remove("items") else { return };
            for mut item in items {
                // The items of a list of one kind, as the API prints it, do not say their kind.
                if let (Some(item), Some(kind), Some(version)) = (item.as_object_mut(), &of_items, &version) {
                    item.entry("apiVersion").or_insert_with(|| version.clone());
                    item.entry("kind").or_insert_with(|| kind.clone().into());
                }
                flatten(item, out);
            }
        }
        value @ Value::Object(_) => out.push(value),
        _ => {}
    }
}

/// The objects whose kinds the cluster knows or learns from the definitions among them, the last of each name.
fn known(objects: Vec<Value>, report: &mut Report) -> Vec<Value> {
    // Whether the objects of a defined kind are in namespaces.
    let mut defined: BTreeMap<(String, String), bool> = BTreeMap::new();
    for o in objects.iter().filter(|o| text_at(o, "/kind") == "CustomResourceDefinition") {
        let (group, kind) = (text_at(o, "/spec/group"), text_at(o, "/spec/names/kind"));
        let versions = o.pointer("/spec/versions").and_then(Value::as_array);
        for version in versions.into_iter().flatten() {
            let namespaced = text_at(o, "/spec/scope") == "Namespaced";
            defined.insert((format!("{group}/{}", text_at(version, "/name")), kind.clone()), namespaced);
        }
    }
    let mut out: BTreeMap<(String, String, String, String), (usize, Value)> = BTreeMap::new();
    let mut uids: BTreeMap<String, (String, String, String)> = BTreeMap::new();
    for (nth, mut o) in objects.into_iter().enumerate() {
        let (version, kind) = (text_at(&o, "/apiVersion"), text_at(&o, "/kind"));
        let name = text_at(&o, "/metadata/name");
        let built_in = Kind::of(&version, &kind);
        let in_namespace = built_in.map(Kind::namespaced);
        let in_namespace = in_namespace.or_else(|| defined.get(&(version.clone(), kind.clone())).copied());
        let Some(in_namespace) = in_namespace else {
            *report.unknown.entry(format!("{version} {kind}")).or_default() += 1;
            continue;
        };
        // Where kubectl would create it.
        if in_namespace
            && text_at(&o, "/metadata/namespace").is_empty()
            && let Some(meta) = o.get_mut("metadata").and_then(Value::as_object_mut)
        {
            meta.insert("namespace".into(), "default".into());
        }
        if let Some(Err(why)) = built_in.map(|kind| Object::from_value(kind, o.clone())) {
            report.unreadable.push((format!("{kind} {name}"), why.to_string()));
            continue;
        }
        let (uid, at) =
            (text_at(&o, "/metadata/uid"), (kind.clone(), text_at(&o, "/metadata/namespace"), name.clone()));
        let why = match uids.get(&uid) {
            _ if uid.is_empty() => None,
            _ if name.is_empty() => Some("metadata.name: Required value: name is required".to_owned()),
            Some(other) if *other != at => {
                Some(format!("metadata.uid: Duplicate value: {uid} is that of {} {}", other.0, other.2))
            }
            _ => None,
        };
        if let Some(why) = why {
            report.unreadable.push((format!("{kind} {name}"), why));
            continue;
        }
        uids.insert(uid, at);
        *report.taken.entry(kind.clone()).or_default() += 1;
        out.insert((version, kind, text_at(&o, "/metadata/namespace"), name), (nth, o));
    }
    let mut out: Vec<(usize, Value)> = out.into_values().collect();
    order::sort_by_key(&mut out, |(nth, _)| *nth);
    out.into_iter().map(|(_, o)| o).collect()
}

/// Removes what only the server of that cluster could understand: its revisions, and who wrote which field there.
fn without_servers_own(object: &mut Value) {
    if let Some(meta) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        for field in ["resourceVersion", "managedFields", "selfLink"] {
            meta.remove(field);
        }
    }
}

/// A text at a path; empty if there is none.
fn text_at(value: &Value, path: &str) -> String {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The objects of a start.
pub(super) fn objects_of(start: &Start) -> Vec<Value> {
    let text = start.objects.as_deref().unwrap_or("[]");
    match serde_json::from_str(text) {
        Ok(Value::Array(objects)) => objects,
        _ => Vec::new(),
    }
}

/// The moment at which a run with these objects begins: after everything that they tell of.
pub(super) fn begins(objects: &[Value]) -> Option<Timestamp> {
    let mut last = None;
    objects.iter().for_each(|o| latest(o, "", &mut last));
    last?.checked_add(jiff::SignedDuration::from_secs(1)).ok()
}

/// Looks for the latest of the times in a value. `deletionTimestamp` is in the future.
fn latest(value: &Value, name: &str, last: &mut Option<Timestamp>) {
    match value {
        Value::Object(map) => {
            let fields =
                map.iter().filter(|(k, _)| !matches!(k.as_str(), "annotations" | "labels" | "spec" | "data"));
            fields.for_each(|(k, v)| latest(v, k, last));
        }
        Value::Array(items) => items.iter().for_each(|v| latest(v, name, last)),
        Value::String(text) => {
            let is_time = ["Time", "Timestamp", "At"].iter().any(|end| name.ends_with(end));
            if is_time && name != "deletionTimestamp" {
                *last = (*last).max(text.parse::<Timestamp>().ok());
            }
        }
        _ => {}
    }
}
