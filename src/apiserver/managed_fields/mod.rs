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
use crate::api::{Kind, Object, Timestamp};
use set::{Element, Set};
use typed::Place;

/// After so many notes about an object its owners are worked out, so that its past is let go.
const NOTES_LIMIT: usize = 64;

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

/// A write by update, from which owners can be worked out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Note {
    pub manager: Rc<str>,
    pub subresource: &'static str,
    pub time: Timestamp,
    pub before: Option<Object>,
    pub after: Object,
    /// Whether a component of the cluster wrote it.
    pub component: bool,
}

impl Note {
    /// Whether the same component wrote both, in the same way.
    fn follows(&self, next: &Note) -> bool {
        self.component
            && next.component
            && self.manager == next.manager
            && self.subresource == next.subresource
    }
}

/// The owners of an object's fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    managers: Rc<Vec<Manager>>,
    notes: Vec<Rc<Note>>,
}

impl Ledger {
    /// Notes a write by update. Of a component's writes in a row, as heartbeats are, two notes are
    /// kept: a field that one of those between changed and changed back has no owner for it.
    pub(super) fn note(&mut self, note: Note) {
        if let [.., a, b] = self.notes.as_slice()
            && [a, b].iter().all(|n| n.follows(&note))
        {
            let before = b.before.clone();
            self.notes.pop();
            self.notes.push(Rc::new(Note { before, ..note }));
            return;
        }
        self.notes.push(Rc::new(note));
        if self.notes.len() >= NOTES_LIMIT {
            self.settle();
        }
    }

    /// Works out what was only noted.
    pub(super) fn settle(&mut self) {
        if self.notes.is_empty() {
            return;
        }
        let managers = Rc::make_mut(&mut self.managers);
        for note in std::mem::take(&mut self.notes) {
            update(managers, &note);
        }
    }

    /// The owners; works them out first.
    pub(super) fn settled(&mut self) -> &[Manager] {
        self.settle();
        &self.managers
    }

    /// The owners as far as they are worked out.
    pub(super) fn known(&self) -> &[Manager] {
        &self.managers
    }

    /// Whether that is all there is to know.
    pub(super) fn is_settled(&self) -> bool {
        self.notes.is_empty()
    }

    /// Owners as an apply left them.
    pub(super) fn of(managers: Vec<Manager>) -> Ledger {
        Ledger { managers: Rc::new(managers), notes: Vec::new() }
    }
}

/// What an update makes of the owners.
fn update(managers: &mut Vec<Manager>, note: &Note) {
    let kind = note.after.kind();
    let old = match &note.before {
        Some(o) => o.to_value(),
        None => go_types::empty(go_types::of(kind)),
    };
    let comparison = typed::compare(Place::of(kind), &old, &note.after.to_value());
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
    if !taken.is_empty() {
        let mine = managers
            .iter_mut()
            .find(|m| !m.apply && m.name == note.manager && m.subresource == note.subresource);
        match mine {
            Some(m) => {
                m.fields = Rc::new(taken.union(&m.fields));
                m.time = Some(note.time);
            }
            None => managers.push(Manager {
                name: note.manager.clone(),
                apply: false,
                subresource: note.subresource,
                time: Some(note.time),
                fields: Rc::new(taken),
            }),
        }
    }
    managers.retain(|m| !m.fields.is_empty());
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
    sorted.sort_by_key(|m| (!m.apply, m.time, m.name.clone(), m.subresource));
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
