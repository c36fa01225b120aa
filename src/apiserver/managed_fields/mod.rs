//! Which manager owns which field: `metadata.managedFields` and server-side apply
//! (`k8s.io/apimachinery/pkg/util/managedfields`).
//!
//! Components write typed objects, and the field managers of most are never asked for. So a write by update is only
//! noted: by whom, when, and the objects before and after, which are shared anyway. The sets of fields
//! are worked out of these notes when somebody reads them: an answer over HTTP, or an apply.

mod apply;
mod configured;
mod typed;

use std::rc::Rc;

use serde_json::{Map, Value};

pub(super) use apply::{Applier, apply, apply_scale};
pub(super) use configured::configured;

use crate::api::field_set::{Element, Set};
use crate::api::types::ManagedFieldsEntry;
use crate::api::{Kind, Manager, Object, Timestamp, order};
use crate::apiserver::kinds::{self, versions};
use crate::etcd::Note;
pub(super) use typed::Layout;

/// After so many notes about an object its field managers are worked out, and the notes are dropped.
pub(super) const NOTES_LIMIT: usize = 64;

/// The most managers that own fields by update; beyond it, the oldest of them are merged into one.
const MAX_UPDATE_MANAGERS: usize = 10;
/// The manager that the oldest updates are merged into.
const ANCIENT_CHANGES: &str = "ancient-changes";
/// The manager of the fields that existed before the first apply.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// The field managers that a request gives an object (`decodeLiveOrNew`), where they are not those that it has: `[]`
/// and `[{}]` remove all managers, and entries that cannot be decoded are ignored.
pub(super) fn given(entries: &[ManagedFieldsEntry], live: &[Manager]) -> Option<Vec<Manager>> {
    let reset = match entries {
        [] => true,
        [one] => *one == ManagedFieldsEntry::default(),
        _ => false,
    };
    if reset {
        return Some(Vec::new());
    }
    let managers = Manager::read(entries)?;
    (Manager::to_value(&managers) != Manager::to_value(live)).then_some(managers)
}

/// What an update makes of the field managers. An object whose managers were removed gets none by updates.
pub(super) fn update(managers: &mut Vec<Manager>, note: &Note) {
    if managers.is_empty() && note.before.is_some() {
        return;
    }
    decode(managers);
    take(managers, note);
    cap(managers);
}

/// The field managers of an object that has none, when it is applied to for the first time.
fn before_first_apply(layout: Layout<'_>, live: &Value, by: &Applier<'_>) -> Vec<Manager> {
    let comparison = typed::compare(layout.place(), &layout.empty(), live);
    let fields = strip(comparison.added.union(&comparison.modified), &reset_fields(layout, by.subresource));
    if fields.is_empty() {
        return Vec::new();
    }
    vec![Manager {
        name: BEFORE_FIRST_APPLY.into(),
        apply: false,
        api_version: layout.kind().api_version().into(),
        subresource: by.subresource.into(),
        time: Some(by.now),
        fields: Rc::new(fields),
    }]
}

/// Takes those who wrote first together while there are too many (`capManagersManager`).
fn cap(managers: &mut Vec<Manager>) {
    let mut updaters: Vec<Manager> = managers.iter().filter(|m| !m.apply).cloned().collect();
    let mut count = updaters.len();
    if count <= MAX_UPDATE_MANAGERS {
        return;
    }
    order::sort_by_key(&mut updaters, |m| {
        (m.time.map_or(0, Timestamp::as_second), m.name.clone(), m.subresource.clone())
    });
    let mut first: Vec<Manager> = Vec::new();
    for m in updaters {
        if count <= MAX_UPDATE_MANAGERS {
            break;
        }
        let Some(earlier) = first.iter().find(|f| f.api_version == m.api_version) else {
            first.push(m);
            continue;
        };
        let bucket =
            Manager { name: ANCIENT_CHANGES.into(), subresource: "".into(), time: m.time, ..earlier.clone() };
        let have = match managers.iter().position(|o| o.is(&bucket)) {
            Some(i) => managers.remove(i).fields,
            None => {
                managers.retain(|o| !o.is(earlier));
                earlier.fields.clone()
            }
        };
        managers.retain(|o| !o.is(&m));
        managers.push(Manager { fields: Rc::new(Set::clone(&m.fields).union(&have)), ..bucket });
        count -= 1;
    }
}

/// What a write did to the fields of one version of the kind.
struct Change {
    /// The fields that got another value or are new.
    taken: Set,
    /// The fields that are gone.
    removed: Set,
}

impl Change {
    /// Compares two objects as the version of the layout has them. The objects of a built-in kind are given in the
    /// stored version; `old` is `None` if the object is new.
    fn of(layout: Layout<'_>, old: Option<&Value>, new: &Value, subresource: &str) -> Change {
        let kind = layout.kind();
        let old = match old {
            Some(old) => versions::present(kind, old.clone()),
            None => layout.empty(),
        };
        let new = versions::present(kind, new.clone());
        let comparison = typed::compare(layout.place(), &old, &new);
        let reset = reset_fields(layout, subresource);
        Change {
            taken: strip(comparison.modified.union(&comparison.added), &reset),
            removed: strip(comparison.removed, &reset),
        }
    }
}

/// Takes the fields that a write changes from those who owned them, each in the version that they wrote them in.
fn take(managers: &mut Vec<Manager>, note: &Note) {
    let kind = note.kind;
    let layout = Layout::BuiltIn(kind);
    let old = note.before.as_ref().map(Object::to_value);
    let new = note.after.to_value();
    take_fields(managers, layout, old.as_ref(), &new, note);
}

/// What an update of a custom object makes of the field managers: `old` and `new` are the object before and after, in the
/// version of the layout. Of the note it counts who writes, when and through which subresource.
pub(super) fn update_custom(
    managers: &mut Vec<Manager>,
    layout: Layout<'_>,
    old: Option<&Value>,
    new: &Value,
    note: &Note,
) {
    if managers.is_empty() && old.is_some() {
        return;
    }
    decode(managers);
    take_fields(managers, layout, old, new, note);
    cap(managers);
}

/// A write of an object's scale, as far as field managers are concerned.
pub(super) struct Rescale<'a> {
    /// The kind in the version of the request.
    pub(super) kind: Kind,
    /// The path of the wanted replicas.
    pub(super) path: &'a [Element],
    /// The wanted replicas before.
    pub(super) from: i64,
    /// The wanted replicas after. A scale of 0 does not have the field, so no manager owns it then.
    pub(super) to: i64,
}

/// What a write of a scale makes of the field managers of its object (`ScaleHandler`). There the managers of the replicas
/// become managers of the scale in the version of the scale, and what they are after the write becomes managers of the
/// object again. On this way an update loses its time, and the replicas part from the other fields that the same manager owns.
pub(super) fn update_scale(managers: &mut Vec<Manager>, write: &Rescale<'_>, note: &Note) {
    decode(managers);
    let mut replicas = Set::default();
    replicas.insert(write.path);
    let owns = |m: &Manager| m.fields.at(write.path).is_some_and(|s| s.member);
    let mut of_replicas: Vec<Manager> = managers.iter().filter(|m| owns(m)).cloned().collect();
    if write.from != write.to && !of_replicas.is_empty() {
        let me = Manager {
            name: note.manager.clone(),
            apply: false,
            api_version: write.kind.api_version().into(),
            subresource: note.subresource.into(),
            time: None,
            fields: Rc::default(),
        };
        of_replicas = if write.to == 0 { Vec::new() } else { vec![me] };
    }
    for m in managers.iter_mut().filter(|m| owns(m)) {
        let applied = |o: &Manager| o.apply && o.is(m);
        match of_replicas.iter().position(applied) {
            Some(i) => {
                of_replicas.remove(i);
            }
            None => m.fields = Rc::new(m.fields.difference(&replicas)),
        }
    }
    managers.retain(|m| !m.fields.is_empty());
    let (api_version, fields): (Rc<str>, _) = (write.kind.api_version().into(), Rc::new(replicas));
    managers.extend(of_replicas.into_iter().map(|manager| Manager {
        api_version: api_version.clone(),
        time: None,
        fields: fields.clone(),
        ..manager
    }));
}

/// Field managers as they are read from the object: of two entries of the same manager, the later one counts. A write of a scale
/// leaves such ones.
fn decode(managers: &mut Vec<Manager>) {
    let twice = |(i, m): (usize, &Manager)| managers.iter().skip(i + 1).any(|other| other.is(m));
    if managers.iter().enumerate().any(twice) {
        Manager::sort(managers);
        let mut kept: Vec<Manager> = Vec::with_capacity(managers.len());
        for m in managers.drain(..) {
            kept.retain(|k| !k.is(&m));
            kept.push(m);
        }
        *managers = kept;
    }
}

/// The field managers of the wanted replicas of a custom object, as its scale shows them.
pub(super) fn of_scale(managers: &[Manager], path: &[Element]) -> Vec<Manager> {
    let mut fields = Set::default();
    fields.insert(&field(&["spec", "replicas"]));
    let fields = Rc::new(fields);
    let of_replicas = managers.iter().filter(|m| m.fields.at(path).is_some_and(|s| s.member));
    let shown = of_replicas.map(|m| Manager {
        api_version: "autoscaling/v1".into(),
        time: None,
        fields: fields.clone(),
        ..m.clone()
    });
    shown.collect()
}

/// Gives the writer what it changed, and takes it from all others, from each in the version that it wrote in.
fn take_fields(
    managers: &mut Vec<Manager>,
    layout: Layout<'_>,
    old: Option<&Value>,
    new: &Value,
    note: &Note,
) {
    let kind = layout.kind();
    let change = Change::of(layout, old, new, note.subresource);
    let mut others: Vec<(Rc<str>, Change)> = Vec::new();
    for m in managers.iter_mut() {
        let change = match versions::of(kind, &m.api_version) {
            Some(version) if version.api_version() != kind.api_version() => {
                if !others.iter().any(|(v, _)| *v == m.api_version) {
                    let change = Change::of(Layout::BuiltIn(version), old, new, note.subresource);
                    others.push((m.api_version.clone(), change));
                }
                others.iter().find(|(v, _)| *v == m.api_version).map_or(&change, |(_, change)| change)
            }
            _ => &change,
        };
        let rest = m.fields.difference(&change.taken).difference(&change.removed);
        if rest != *m.fields {
            m.fields = Rc::new(rest);
        }
    }
    if !change.taken.is_empty() {
        let me = Manager {
            name: note.manager.clone(),
            apply: false,
            api_version: layout.kind().api_version().into(),
            subresource: note.subresource.into(),
            time: Some(note.time),
            fields: Rc::new(change.taken),
        };
        match managers.iter_mut().find(|m| m.is(&me)) {
            Some(m) => *m = Manager { fields: Rc::new(Set::clone(&me.fields).union(&m.fields)), ..me },
            None => managers.push(me),
        }
    }
    managers.retain(|m| !m.fields.is_empty());
}

/// The path of the wanted replicas of the built-in kinds that have a scale.
pub(super) fn replicas() -> Vec<Element> {
    field(&["spec", "replicas"])
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
fn reset_fields(layout: Layout<'_>, subresource: &str) -> Vec<Vec<Element>> {
    let kind = layout.kind();
    let own = kinds::storage(kind).reset.iter().find(|(of, _)| *of == subresource);
    let paths: &[&[&str]] = match (own, subresource) {
        (Some((_, paths)), _) => paths,
        (None, "status") if kind.is_custom() => &[&["metadata"], &["spec"]],
        (None, "status") => &[&["spec"]],
        (None, "") if kind.has_subresource("status") => &[&["status"]],
        _ => &[],
    };
    paths.iter().map(|path| field(path)).collect()
}

/// The object's JSON with its field managers.
pub(super) fn with_managers(mut value: Value, managers: &[Manager]) -> Value {
    if !managers.is_empty() {
        let meta = value.as_object_mut().map(|m| m.entry("metadata").or_insert(Value::Object(Map::new())));
        if let Some(Value::Object(meta)) = meta {
            meta.insert("managedFields".into(), Manager::to_value(managers));
        }
    }
    value
}
