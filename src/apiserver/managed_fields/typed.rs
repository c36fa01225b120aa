//! Values walked by their schema: which fields a configuration names, what differs between two
//! objects, how one is merged into the other (`sigs.k8s.io/structured-merge-diff/typed`).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::api::Kind;
use crate::api::field_set::{Element, Set, path_text};
use crate::api::go_types::{self, Type as Go, go_type};
use crate::api::order;
use crate::api::patch::{self, Field, ListType, Shape};
use crate::api::quote::go_quote;
use crate::apiserver::apiextensions::merge::{self, Scalar};
use crate::apiserver::apiextensions::{Structural, View};

/// What the fields of an object are known by: the struct of a built-in kind, or the schema of a custom one.
#[derive(Clone, Copy)]
pub(in crate::apiserver) enum Layout<'a> {
    /// A built-in kind.
    BuiltIn(Kind),
    /// A version of a custom kind, and the schema of that version.
    Custom(Kind, &'a Structural),
}

impl View {
    /// What the fields of its objects are known by.
    pub(in crate::apiserver) fn layout(&self) -> Layout<'_> {
        Layout::Custom(self.kind(), self.schema().schema())
    }
}

impl<'a> Layout<'a> {
    /// The kind, in the version that the request is about.
    pub(super) fn kind(self) -> Kind {
        match self {
            Layout::BuiltIn(kind) | Layout::Custom(kind, _) => kind,
        }
    }

    /// The place of a whole object.
    pub(super) fn place(self) -> Place<'a> {
        match self {
            Layout::BuiltIn(kind) => Place::BuiltIn {
                go: Go::Struct(go_types::of(kind)),
                shape: Shape::Struct(patch::type_of(kind)),
                field: None,
            },
            Layout::Custom(_, schema) => Place::Custom(merge::Place::of(schema)),
        }
    }

    /// An object that has nothing.
    pub(super) fn empty(self) -> Value {
        go_types::empty(go_types::of(self.kind()))
    }
}

/// A place in the schema.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    /// A place in the structs of a built-in kind.
    BuiltIn { go: Go, shape: Shape, field: Option<&'static Field> },
    /// A place in the schema of a custom kind.
    Custom(merge::Place<'a>),
}

/// How a place is walked.
pub(super) enum Walk<'a> {
    /// The value is owned as a whole.
    Leaf,
    /// Field by field, or key by key: see [`Place::child`].
    Map,
    /// A list whose items are told apart by keys.
    List(Place<'a>, Keys<'a>),
}

/// By what the items of a list are told apart.
#[derive(Clone, Copy)]
pub(super) enum Keys<'a> {
    /// A list whose items are told apart by their values.
    Set,
    /// By the values of these fields.
    Fields(&'static [&'static str]),
    /// By the values of the fields that the schema of the list names.
    Custom(&'a Structural),
}

/// A field or a key of a place.
pub(super) struct Child<'a> {
    pub(super) place: Place<'a>,
    /// Whether the schema names the field. A key of a map, which it does not name, is owned by itself, even if its
    /// value has parts.
    pub(super) declared: bool,
}

impl<'a> Place<'a> {
    /// The metadata of every object.
    fn metadata() -> Place<'static> {
        let t = patch::field_info(Kind::CONFIG_MAP, &["metadata"]);
        Place::BuiltIn {
            go: Go::Struct(go_types::object_meta()),
            shape: t.map_or(Shape::Scalar, |f| f.shape),
            field: t,
        }
    }

    pub(super) fn walk(self, value: &Value) -> Walk<'a> {
        let (go, shape, field) = match self {
            Place::Custom(place) => {
                return match place.walk(value) {
                    merge::Walk::Leaf(_) => Walk::Leaf,
                    merge::Walk::Map => Walk::Map,
                    merge::Walk::Set(item) => Walk::List(Place::Custom(item), Keys::Set),
                    merge::Walk::List(item, list) => Walk::List(Place::Custom(item), Keys::Custom(list)),
                };
            }
            Place::BuiltIn { go, shape, field } => (go, shape, field),
        };
        let atomic = field.is_some_and(|f| f.atomic);
        match (go.bare(), shape) {
            (Go::Struct(_), Shape::Struct(t)) if !atomic && !t.atomic => Walk::Map,
            // A struct of single values only has no row in the table of merging.
            (Go::Struct(_), Shape::Scalar) | (Go::Map(_), Shape::Map(_)) if !atomic => Walk::Map,
            (Go::List(go), Shape::List(shape)) => {
                let item = Place::BuiltIn { go: *go, shape: *shape, field: None };
                match field.and_then(|f| f.list_type) {
                    Some(ListType::Map(keys)) => Walk::List(item, Keys::Fields(keys)),
                    Some(ListType::Set) => Walk::List(item, Keys::Set),
                    Some(ListType::Atomic) | None => Walk::Leaf,
                }
            }
            _ => Walk::Leaf,
        }
    }

    /// A field of a place that is walked as a map; `None` if the schema does not know it.
    pub(super) fn child(self, name: &str) -> Option<Child<'a>> {
        match self {
            Place::Custom(place) => {
                let merge::Child { place, declared } = place.child(name)?;
                let place = match place {
                    merge::Place::Metadata => Place::metadata(),
                    place => Place::Custom(place),
                };
                Some(Child { place, declared })
            }
            Place::BuiltIn { go, shape, .. } => match (go.bare(), shape) {
                (Go::Struct(s), shape) => {
                    let go = s.field(name)?.kind;
                    let field = shape.as_struct().and_then(|t| t.field(name));
                    let place = Place::BuiltIn { go, shape: field.map_or(Shape::Scalar, |f| f.shape), field };
                    Some(Child { place, declared: true })
                }
                (Go::Map(go), Shape::Map(shape)) => {
                    let place = Place::BuiltIn { go: *go, shape: *shape, field: None };
                    Some(Child { place, declared: false })
                }
                _ => None,
            },
        }
    }

    /// Whether the type here is a struct, a map or a list. Of a custom object: whether there is a schema at all, so the caller looks
    /// at the value, too.
    pub(super) fn has_parts(self) -> bool {
        match self {
            Place::BuiltIn { go, .. } => matches!(go.bare(), Go::Struct(_) | Go::Map(_) | Go::List(_)),
            Place::Custom(place) => matches!(place, merge::Place::Schema { .. }),
        }
    }

    /// The items of a list.
    pub(super) fn item(self) -> Option<Place<'a>> {
        match self {
            Place::BuiltIn { go, shape, .. } => match (go.bare(), shape) {
                (Go::List(go), Shape::List(shape)) => {
                    Some(Place::BuiltIn { go: *go, shape: *shape, field: None })
                }
                _ => None,
            },
            Place::Custom(place) => place.item().map(Place::Custom),
        }
    }

    /// What is wrong with a single value that stands here.
    fn scalar_error(self, value: &Value) -> Option<String> {
        let wanted = match self {
            Place::BuiltIn { go, .. } => match go.bare() {
                Go::Text | Go::Bytes | Go::Time | Go::MicroTime => Scalar::Text,
                Go::Int32 | Go::Int64 | Go::Float => Scalar::Numeric,
                Go::Bool => Scalar::Bool,
                _ => Scalar::Any,
            },
            Place::Custom(place) => match place.walk(value) {
                merge::Walk::Leaf(scalar) => scalar,
                _ => Scalar::Any,
            },
        };
        match wanted {
            Scalar::Text if !value.is_string() => Some(format!("expected string, got {}", go_syntax(value))),
            Scalar::Numeric if !value.is_number() => {
                Some(format!("expected numeric (int or float), got {}", go_type(value)))
            }
            Scalar::Bool if !value.is_boolean() => Some(format!("expected boolean, got {}", go_value(value))),
            _ => None,
        }
    }
}

/// The step to an item of a list.
fn item_element(item: &Value, keys: Keys<'_>) -> Result<Element, String> {
    let keys = match keys {
        Keys::Set => return Ok(Element::Value(item.to_string())),
        Keys::Custom(list) => return Ok(Element::Key(merge::keys_of(item, list)?.to_string())),
        Keys::Fields(keys) => keys,
    };
    let mut map = Map::new();
    for key in keys {
        match item.get(*key) {
            Some(v) => map.insert((*key).into(), v.clone()),
            // The one key that the schema has a default for.
            None if *key == "protocol" => map.insert((*key).into(), "TCP".into()),
            None => {
                return Err(format!(
                    "associative list with keys has an element that omits key field {key} (and doesn't have default value)",
                    key = go_quote(key)
                ));
            }
        };
    }
    Ok(Element::Key(Value::Object(map).to_string()))
}

fn is_empty(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::Object(m)) => m.is_empty(),
        Some(Value::Array(a)) => a.is_empty(),
        Some(_) => false,
    }
}

/// The fields that a configuration names, and what in it does not fit the schema.
pub(super) fn field_set(place: Place<'_>, value: &Value) -> Result<Set, Vec<String>> {
    let mut walker = FieldSets { path: Vec::new(), set: Set::default(), errors: Vec::new() };
    walker.walk(place, value);
    if walker.errors.is_empty() { Ok(walker.set) } else { Err(walker.errors) }
}

struct FieldSets {
    path: Vec<Element>,
    set: Set,
    errors: Vec<String>,
}

impl FieldSets {
    fn error(&mut self, why: &str) {
        self.errors.push(format!("{}: {why}", path_text(&self.path)));
    }

    fn walk(&mut self, place: Place<'_>, value: &Value) {
        match (place.walk(value), value) {
            (_, Value::Null) => {}
            (Walk::Map, Value::Object(map)) => {
                for (name, value) in map {
                    self.path.push(Element::Field(name.clone()));
                    match place.child(name) {
                        Some(child) => {
                            self.walk(child.place, value);
                            let empty = value.is_null() || value.as_object().is_some_and(Map::is_empty);
                            if empty || !child.declared {
                                self.set.insert(&self.path);
                            }
                        }
                        None => self.error("field not declared in schema"),
                    }
                    self.path.pop();
                }
            }
            (Walk::List(item, keys), Value::Array(items)) => {
                let mut seen = BTreeSet::new();
                for (i, value) in items.iter().enumerate() {
                    match item_element(value, keys) {
                        Ok(e) if seen.contains(&e) => {
                            let text = path_text(std::slice::from_ref(&e));
                            self.error(&format!("duplicate entries for key {text}"));
                        }
                        Ok(e) => {
                            seen.insert(e.clone());
                            self.path.push(e);
                            self.walk(item, value);
                            self.set.insert(&self.path);
                            self.path.pop();
                        }
                        Err(why) => self.error(&format!("element {i}: {why}")),
                    }
                }
            }
            (Walk::Map, other) => self.error(&format!("expected map, got {}", go_value(other))),
            (Walk::List(..), other) => self.error(&format!("expected list, got {}", go_value(other))),
            (Walk::Leaf, value) => {
                if let Some(why) = place.scalar_error(value) {
                    self.error(&why);
                }
                self.set.insert(&self.path);
            }
        }
    }
}

/// A value as Go's `%#v` prints it.
fn go_syntax(value: &Value) -> String {
    format!("&value.valueUnstructured{{Value:{value}}}")
}

/// A value as Go's `%v` prints it.
fn go_value(value: &Value) -> String {
    format!("&{{{}}}", patch::go_value(value))
}

/// What differs between two objects.
#[derive(Default)]
pub(super) struct Comparison {
    pub added: Set,
    pub removed: Set,
    pub modified: Set,
}

/// Compares two objects.
pub(super) fn compare(place: Place<'_>, old: &Value, new: &Value) -> Comparison {
    let mut out = Comparison::default();
    compare_at(place, Some(old), Some(new), &mut Vec::new(), &mut out);
    out
}

fn compare_at(
    place: Place<'_>,
    old: Option<&Value>,
    new: Option<&Value>,
    path: &mut Vec<Element>,
    out: &mut Comparison,
) {
    if old.is_none() && new.is_none() {
        return;
    }
    let walk = new.or(old).map_or(Walk::Leaf, |value| place.walk(value));
    if matches!(walk, Walk::Leaf) || (is_empty(old) && is_empty(new)) {
        match (old, new) {
            (None, _) => out.added.insert(path),
            (_, None) => out.removed.insert(path),
            (old, new) if old != new => out.modified.insert(path),
            _ => {}
        }
        return;
    }
    if old.is_none() {
        out.added.insert(path);
    }
    if new.is_none() {
        out.removed.insert(path);
    }
    match walk {
        Walk::Map => {
            for name in keys(old, new) {
                let Some(child) = place.child(name) else { continue };
                path.push(Element::Field(name.clone()));
                compare_at(child.place, get(old, name), get(new, name), path, out);
                path.pop();
            }
        }
        Walk::List(item, keys) => {
            let (old, new) = (elements(old, keys), elements(new, keys));
            for (e, value) in &old {
                path.push(e.clone());
                compare_at(item, Some(value), find(&new, e), path, out);
                path.pop();
            }
            for (e, value) in new.iter().filter(|(e, _)| find(&old, e).is_none()) {
                path.push(e.clone());
                compare_at(item, None, Some(value), path, out);
                path.pop();
            }
        }
        Walk::Leaf => {}
    }
}

fn get<'a>(value: Option<&'a Value>, name: &str) -> Option<&'a Value> {
    value?.get(name)
}

fn keys<'a>(a: Option<&'a Value>, b: Option<&'a Value>) -> std::collections::BTreeSet<&'a String> {
    order::gather([a, b].into_iter().flatten().filter_map(Value::as_object).flat_map(Map::keys))
}

fn elements<'a>(value: Option<&'a Value>, keys: Keys<'_>) -> Vec<(Element, &'a Value)> {
    let items = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|v| Some((item_element(v, keys).ok()?, v))).collect()
}

fn find<'a>(items: &[(Element, &'a Value)], e: &Element) -> Option<&'a Value> {
    items.iter().find(|(x, _)| x == e).map(|(_, v)| *v)
}

/// The items by what identifies them; of two with the same keys the first.
fn places<'i>(items: &'i [(Element, &'i Value)]) -> BTreeMap<&'i Element, &'i Value> {
    order::gather(items.iter().rev().map(|(e, value)| (e, *value)))
}

/// A configuration merged into an object.
pub(super) fn merge(place: Place<'_>, live: Option<&Value>, config: Option<&Value>) -> Value {
    let (live, config) = match (live, config) {
        (Some(l), None) => return l.clone(),
        (None | Some(Value::Null), Some(c)) => return c.clone(),
        (Some(l), Some(c)) => (l, c),
        (None, None) => return Value::Null,
    };
    match (place.walk(config), live, config) {
        (Walk::Map, Value::Object(l), Value::Object(c)) => {
            let mut out = l.clone();
            for (name, value) in c {
                let merged = match place.child(name) {
                    Some(child) => merge(child.place, l.get(name), Some(value)),
                    None => value.clone(),
                };
                out.insert(name.clone(), merged);
            }
            Value::Object(out)
        }
        (Walk::List(item, keys), Value::Array(_), Value::Array(_)) => {
            merge_lists(item, &elements(Some(live), keys), &elements(Some(config), keys))
        }
        (_, _, config) => config.clone(),
    }
}

/// The items of both lists: the order of the configuration, with what only the object has where it
/// stood.
fn merge_lists(item: Place<'_>, live: &[(Element, &Value)], config: &[(Element, &Value)]) -> Value {
    let mut out = Vec::new();
    let mut taken: BTreeSet<&Element> = BTreeSet::new();
    let (live_at, config_at) = (places(live), places(config));
    let (mut l, mut c) = (0, 0);
    loop {
        match (live.get(l), config.get(c)) {
            (None, None) => return Value::Array(out),
            (Some((e, value)), _) if !config_at.contains_key(e) => {
                out.push((*value).clone());
                l += 1;
            }
            (Some((e, _)), _) if taken.contains(e) => l += 1,
            (_, Some((e, value))) => {
                out.push(merge(item, live_at.get(e).copied(), Some(value)));
                taken.insert(e);
                c += 1;
            }
            (Some(_), None) => l += 1,
        }
    }
}

/// Takes the places of a set out of a value; what lies below a place goes with it, unless it is in
/// `kept`.
pub(super) fn remove(place: Place<'_>, value: &mut Value, gone: &Set, kept: &Set) {
    let stays = |e: &Element| kept.children.get(e).is_some_and(|s| !s.is_empty());
    let none = Set::default();
    match (place.walk(value), value) {
        (Walk::Map, Value::Object(map)) => {
            for (e, below) in &gone.children {
                let Element::Field(name) = e else { continue };
                if below.member && !stays(e) {
                    map.remove(name);
                    continue;
                }
                if let (Some(child), Some(inside)) = (place.child(name), map.get_mut(name)) {
                    remove(child.place, inside, below, kept.children.get(e).unwrap_or(&none));
                    // A container that is empty now, and that nobody named, goes as well.
                    if is_empty(Some(inside)) && !stays(e) {
                        map.remove(name);
                    }
                }
            }
        }
        (Walk::List(item, keys), Value::Array(items)) => {
            items.retain_mut(|v| {
                let Ok(e) = item_element(v, keys) else { return true };
                let Some(below) = gone.children.get(&e) else { return true };
                if below.member && !stays(&e) {
                    return false;
                }
                remove(item, v, below, kept.children.get(&e).unwrap_or(&none));
                true
            });
        }
        _ => {}
    }
}
