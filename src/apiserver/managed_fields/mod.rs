//! Who owns which field: `metadata.managedFields` and server-side apply
//! (`k8s.io/apimachinery/pkg/util/managedfields`).
//!
//! Components write typed objects, and most owners are never asked for. So a write by update is only
//! noted: who, when, and the objects before and after, which are shared anyway. The sets of fields
//! are worked out of these notes when somebody reads them: an answer over HTTP, or an apply.

mod apply;
mod set;
mod typed;

use std::rc::Rc;

use serde_json::{Map, Value, json};

pub(super) use apply::{Applier, apply, apply_scale};

use crate::api::go_types;
use crate::api::order;
use crate::api::{Kind, Timestamp};
use crate::etcd::Note;
use set::{Element, Set};
use typed::Place;

/// After so many notes about an object its owners are worked out, so that its past is let go.
pub(super) const NOTES_LIMIT: usize = 64;

/// Somebody who owns fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Manager {
    /// Their name.
    pub name: Rc<str>,
    /// By server-side apply, not by update.
    pub apply: bool,
    /// Through which subresource; empty for the object itself.
    pub subresource: &'static str,
    /// Since when; not known for who only agreed to what was there.
    pub time: Option<Timestamp>,
    fields: Rc<Set>,
}

/// The owners of an object's fields, as far as they were worked out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settled {
    /// Who they are.
    pub managers: Vec<Manager>,
    /// After which revision.
    pub revision: u64,
}

impl Settled {
    /// Works out what was only noted since.
    pub(super) fn catch_up(&mut self, notes: &Note) {
        for note in notes.since(self.revision) {
            update(&mut self.managers, note);
        }
        self.revision = notes.revision;
    }
}

/// What an update makes of the owners.
fn update(managers: &mut Vec<Manager>, note: &Note) {
    let kind = note.after.kind();
    let old = match &note.before {
        Some(o) => o.to_value(),
        None => go_types::empty(go_types::of(kind)),
    };
    let mut new = note.after.to_value();
    if note.component && note.before.is_none() {
        leave_out_admission(kind, &mut new);
    }
    if note.bound
        && let Some(Value::Object(spec)) = new.get_mut("spec")
    {
        spec.remove("nodeName");
    }
    let comparison = typed::compare(Place::of(kind), &old, &new);
    let reset = reset_fields(kind, note.subresource);
    let changed = comparison.modified.union(&comparison.added);
    let taken = strip(changed, &reset);
    let removed = strip(comparison.removed, &reset);
    for m in managers.iter_mut() {
        let rest = m.fields.difference(&taken).difference(&removed);
        if rest != *m.fields {
            m.fields = Rc::new(rest);
        }
    }
    let manager = if note.component { default_manager(&note.manager) } else { note.manager.clone() };
    if !taken.is_empty() {
        let mine =
            managers.iter_mut().find(|m| !m.apply && m.name == manager && m.subresource == note.subresource);
        match mine {
            Some(m) => {
                m.fields = Rc::new(taken.union(&m.fields));
                m.time = Some(note.time);
            }
            None => managers.push(Manager {
                name: manager,
                apply: false,
                subresource: note.subresource,
                time: Some(note.time),
                fields: Rc::new(taken),
            }),
        }
    }
    managers.retain(|m| !m.fields.is_empty());
}

/// Nobody owns what admission and the strategy add to a new object. Of what a component made only
/// the outcome is known, so it is taken out by what it looks like.
fn leave_out_admission(kind: Kind, value: &mut Value) {
    let Some(Value::Object(spec)) = value.get_mut("spec") else { return };
    match kind {
        Kind::Pod => {
            for name in ["serviceAccount", "serviceAccountName", "priority", "preemptionPolicy"] {
                spec.remove(name);
            }
            let ours = |v: &Value| {
                let key = v.get("key").and_then(Value::as_str).unwrap_or_default();
                matches!(key, "node.kubernetes.io/not-ready" | "node.kubernetes.io/unreachable")
            };
            let token = |v: &Value| {
                v.get("name")
                    .and_then(Value::as_str)
                    .is_some_and(|n| n.starts_with(super::TOKEN_VOLUME_PREFIX))
            };
            drop_items(spec, "tolerations", &ours);
            drop_items(spec, "volumes", &token);
            for list in ["containers", "initContainers"] {
                for c in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                    if let Value::Object(c) = c {
                        drop_items(c, "volumeMounts", &token);
                    }
                }
            }
        }
        Kind::Service => {
            spec.remove("clusterIP");
            spec.remove("clusterIPs");
        }
        Kind::Namespace => {
            spec.remove("finalizers");
        }
        _ => {}
    }
}

/// Takes items out of a list; a list without any is none.
fn drop_items(map: &mut Map<String, Value>, list: &str, gone: &dyn Fn(&Value) -> bool) {
    if let Some(Value::Array(items)) = map.get_mut(list) {
        items.retain(|v| !gone(v));
        if items.is_empty() {
            map.remove(list);
        }
    }
}

fn field(path: &[&str]) -> Vec<Element> {
    path.iter().map(|n| Element::Field((*n).to_owned())).collect()
}

/// What nobody owns, because the system writes it.
const SYSTEM: &[&[&str]] = &[
    &["apiVersion"],
    &["kind"],
    &["metadata"],
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "creationTimestamp"],
    &["metadata", "selfLink"],
    &["metadata", "uid"],
    &["metadata", "generation"],
    &["metadata", "managedFields"],
    &["metadata", "resourceVersion"],
];

/// A set without what the system writes, and without what the path of the request may not change:
/// those are named by their roots.
fn strip(mut set: Set, reset: &[Vec<Element>]) -> Set {
    let mut system = Set::default();
    for path in SYSTEM {
        system.insert(&field(path));
    }
    set = set.difference(&system);
    for path in reset {
        cut(&mut set, path);
    }
    set.children.retain(|_, s| !s.is_empty());
    set
}

fn cut(set: &mut Set, path: &[Element]) {
    match path {
        [] => {}
        [last] => {
            set.children.remove(last);
        }
        [first, rest @ ..] => {
            if let Some(s) = set.children.get_mut(first) {
                cut(s, rest);
            }
        }
    }
}

/// What a write through a path may not change (`GetResetFields` of the strategies).
fn reset_fields(kind: Kind, subresource: &str) -> Vec<Vec<Element>> {
    let has_status = kind.has_subresource("status");
    match subresource {
        "status" => {
            let mut out = vec![field(&["spec"])];
            if kind == Kind::Deployment {
                out.push(field(&["metadata", "labels"]));
            }
            if kind == Kind::Pod {
                out.push(field(&["metadata", "deletionTimestamp"]));
                out.push(field(&["metadata", "ownerReferences"]));
            }
            out
        }
        "" if has_status => vec![field(&["status"])],
        _ => Vec::new(),
    }
}

/// `metadata.managedFields`.
pub(super) fn to_value(kind: Kind, managers: &[Manager]) -> Value {
    let mut sorted: Vec<&Manager> = managers.iter().collect();
    order::sort_by_key(&mut sorted, |m| (!m.apply, m.time, m.name.clone(), m.subresource));
    sorted
        .into_iter()
        .map(|m| {
            let mut v = json!({
                "manager": &*m.name,
                "operation": if m.apply { "Apply" } else { "Update" },
                "apiVersion": kind.api_version(),
                "fieldsType": "FieldsV1",
                "fieldsV1": m.fields.to_value(),
            });
            if let Some(t) = m.time {
                v["time"] = seconds(t).into();
            }
            if !m.subresource.is_empty() {
                v["subresource"] = m.subresource.into();
            }
            v
        })
        .collect()
}

fn seconds(t: Timestamp) -> String {
    Timestamp::from_second(t.as_second()).unwrap_or(t).to_string()
}

/// The name under which a component manages fields, where the request does not say: that of the
/// binary it is part of.
pub(super) fn default_manager(user: &Rc<str>) -> Rc<str> {
    match &**user {
        "kubectl" | "kube-scheduler" | "kubelet" | "kube-apiserver" => user.clone(),
        u if u.ends_with("controller") || u.contains("-controller") || u == "persistent-volume-binder" => {
            "kube-controller-manager".into()
        }
        _ => user.clone(),
    }
}

/// The object's JSON with its owners.
pub(super) fn with_managers(kind: Kind, mut value: Value, managers: &[Manager]) -> Value {
    if !managers.is_empty() {
        let meta = value.as_object_mut().map(|m| m.entry("metadata").or_insert(Value::Object(Map::new())));
        if let Some(Value::Object(meta)) = meta {
            meta.insert("managedFields".into(), to_value(kind, managers));
        }
    }
    value
}
