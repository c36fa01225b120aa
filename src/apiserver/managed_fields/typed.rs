//! Values walked by their schema: which fields a configuration names, what differs between two
//! objects, how one is merged into the other (`sigs.k8s.io/structured-merge-diff/typed`).

use serde_json::{Map, Value};

use crate::api::Kind;
use crate::api::field_set::{Element, Set, path_text};
use crate::api::go_types::{self, Type as Go};
use crate::api::order;
use crate::api::patch::{self, Field, ListType, Shape, Type};

/// A place in the schema.
#[derive(Clone, Copy)]
pub(super) struct Place {
    go: Go,
    shape: Shape,
    field: Option<&'static Field>,
}

/// How a place is walked.
enum Walk {
    /// As one value.
    Leaf,
    /// Field by field.
    Struct(&'static go_types::GoStruct, Option<&'static Type>),
    /// Key by key.
    Map(Place),
    /// Item by item; no keys for a set.
    List(Place, &'static [&'static str]),
}

impl Place {
    /// An object of a kind.
    pub(super) fn of(kind: Kind) -> Place {
        Place { go: Go::Struct(go_types::of(kind)), shape: Shape::Struct(patch::type_of(kind)), field: None }
    }

    fn walk(self) -> Walk {
        let atomic = self.field.is_some_and(|f| f.atomic);
        match (self.go.bare(), self.shape) {
            (Go::Struct(s), Shape::Struct(t)) if !atomic && !t.atomic => Walk::Struct(s, Some(t)),
            // A struct of single values only has no row in the table of merging.
            (Go::Struct(s), Shape::Scalar) if !atomic => Walk::Struct(s, None),
            (Go::Map(go), Shape::Map(shape)) if !atomic => {
                Walk::Map(Place { go: *go, shape: *shape, field: None })
            }
            (Go::List(go), Shape::List(shape)) => {
                let item = Place { go: *go, shape: *shape, field: None };
                match self.field.and_then(|f| f.list_type) {
                    Some(ListType::Map(keys)) => Walk::List(item, keys),
                    Some(ListType::Set) => Walk::List(item, &[]),
                    Some(ListType::Atomic) | None => Walk::Leaf,
                }
            }
            _ => Walk::Leaf,
        }
    }
}

fn child(s: &'static go_types::GoStruct, t: Option<&'static Type>, name: &str) -> Option<Place> {
    let go = s.field(name)?.kind;
    let field = t.and_then(|t| t.field(name));
    Some(Place { go, shape: field.map_or(Shape::Scalar, |f| f.shape), field })
}

/// The step to an item of a list.
fn item_element(item: &Value, keys: &[&str]) -> Result<Element, String> {
    if keys.is_empty() {
        return Ok(Element::Value(item.to_string()));
    }
    let mut map = Map::new();
    for key in keys {
        match item.get(*key) {
            Some(v) => map.insert((*key).into(), v.clone()),
            // The one key that the schema has a default for.
            None if *key == "protocol" => map.insert((*key).into(), "TCP".into()),
            None => {
                return Err(format!(
                    "associative list with keys has an element that omits key field {key:?} (and doesn't have default value)"
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
pub(super) fn field_set(place: Place, value: &Value) -> Result<Set, Vec<String>> {
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

    fn walk(&mut self, place: Place, value: &Value) {
        match (place.walk(), value) {
            (_, Value::Null) => {}
            (Walk::Struct(s, t), Value::Object(map)) => {
                for (name, value) in map {
                    self.path.push(Element::Field(name.clone()));
                    match child(s, t, name) {
                        Some(place) => {
                            self.walk(place, value);
                            if value.is_null() || value.as_object().is_some_and(Map::is_empty) {
                                self.set.insert(&self.path);
                            }
                        }
                        None => self.error("field not declared in schema"),
                    }
                    self.path.pop();
                }
            }
            (Walk::Map(item), Value::Object(map)) => {
                for (name, value) in map {
                    self.path.push(Element::Field(name.clone()));
                    self.walk(item, value);
                    self.set.insert(&self.path);
                    self.path.pop();
                }
            }
            (Walk::List(item, keys), Value::Array(items)) => {
                let mut seen = Vec::new();
                for (i, value) in items.iter().enumerate() {
                    match item_element(value, keys) {
                        Ok(e) if seen.contains(&e) => {
                            let text = path_text(std::slice::from_ref(&e));
                            self.error(&format!("duplicate entries for key {text}"));
                        }
                        Ok(e) => {
                            seen.push(e.clone());
                            self.path.push(e);
                            self.walk(item, value);
                            self.set.insert(&self.path);
                            self.path.pop();
                        }
                        Err(why) => self.error(&format!("element {i}: {why}")),
                    }
                }
            }
            (Walk::Struct(..) | Walk::Map(_), other) => {
                self.error(&format!("expected map, got {}", go_value(other)));
            }
            (Walk::List(..), other) => self.error(&format!("expected list, got {}", go_value(other))),
            (Walk::Leaf, value) => {
                if let Some(why) = scalar_error(place.go.bare(), value) {
                    self.error(&why);
                }
                self.set.insert(&self.path);
            }
        }
    }
}

fn scalar_error(go: Go, value: &Value) -> Option<String> {
    let wanted = match (go, value) {
        (Go::Text | Go::Bytes | Go::Time | Go::MicroTime, v) if !v.is_string() => "string",
        (Go::Int32 | Go::Int64 | Go::Float, v) if !v.is_number() => {
            return Some(format!("expected numeric (int or float), got {}", go_type(value)));
        }
        (Go::Bool, v) if !v.is_boolean() => "boolean",
        _ => return None,
    };
    Some(format!("expected {wanted}, got {}", go_value(value)))
}

fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(n) if n.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

fn go_value(value: &Value) -> String {
    format!("&value.valueUnstructured{{Value:{value}}}")
}

/// What differs between two objects.
#[derive(Default)]
pub(super) struct Comparison {
    pub added: Set,
    pub removed: Set,
    pub modified: Set,
}

/// Compares two objects.
pub(super) fn compare(place: Place, old: &Value, new: &Value) -> Comparison {
    let mut out = Comparison::default();
    compare_at(place, Some(old), Some(new), &mut Vec::new(), &mut out);
    out
}

fn compare_at(
    place: Place,
    old: Option<&Value>,
    new: Option<&Value>,
    path: &mut Vec<Element>,
    out: &mut Comparison,
) {
    if old.is_none() && new.is_none() {
        return;
    }
    let walk = place.walk();
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
        Walk::Struct(s, t) => {
            for name in keys(old, new) {
                let Some(place) = child(s, t, name) else { continue };
                path.push(Element::Field(name.clone()));
                compare_at(place, get(old, name), get(new, name), path, out);
                path.pop();
            }
        }
        Walk::Map(item) => {
            for name in keys(old, new) {
                path.push(Element::Field(name.clone()));
                compare_at(item, get(old, name), get(new, name), path, out);
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

fn elements<'a>(value: Option<&'a Value>, keys: &[&str]) -> Vec<(Element, &'a Value)> {
    let items = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|v| Some((item_element(v, keys).ok()?, v))).collect()
}

fn find<'a>(items: &[(Element, &'a Value)], e: &Element) -> Option<&'a Value> {
    items.iter().find(|(x, _)| x == e).map(|(_, v)| *v)
}

/// A configuration merged into an object.
pub(super) fn merge(place: Place, live: Option<&Value>, config: Option<&Value>) -> Value {
    let (live, config) = match (live, config) {
        (Some(l), None) => return l.clone(),
        (None | Some(Value::Null), Some(c)) => return c.clone(),
        (Some(l), Some(c)) => (l, c),
        (None, None) => return Value::Null,
    };
    match (place.walk(), live, config) {
        (Walk::Struct(s, t), Value::Object(l), Value::Object(c)) => {
            let mut out = l.clone();
            for (name, value) in c {
                let merged = match child(s, t, name) {
                    Some(place) => merge(place, l.get(name), Some(value)),
                    None => value.clone(),
                };
                out.insert(name.clone(), merged);
            }
            Value::Object(out)
        }
        (Walk::Map(item), Value::Object(l), Value::Object(c)) => {
            let mut out = l.clone();
            for (name, value) in c {
                out.insert(name.clone(), merge(item, l.get(name), Some(value)));
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
fn merge_lists(item: Place, live: &[(Element, &Value)], config: &[(Element, &Value)]) -> Value {
    let mut out = Vec::new();
    let mut taken: Vec<&Element> = Vec::new();
    let (mut l, mut c) = (0, 0);
    loop {
        match (live.get(l), config.get(c)) {
            (None, None) => return Value::Array(out),
            (Some((e, value)), _) if find(config, e).is_none() => {
                out.push((*value).clone());
                l += 1;
            }
            (Some((e, _)), _) if taken.contains(&e) => l += 1,
            (_, Some((e, value))) => {
                out.push(merge(item, find(live, e), Some(value)));
                taken.push(e);
                c += 1;
            }
            (Some(_), None) => l += 1,
        }
    }
}

/// Takes the places of a set out of a value; what lies below a place goes with it, unless it is in
/// `kept`.
pub(super) fn remove(place: Place, value: &mut Value, gone: &Set, kept: &Set) {
    let stays = |e: &Element| kept.children.get(e).is_some_and(|s| !s.is_empty());
    let none = Set::default();
    match (place.walk(), value) {
        (walk @ (Walk::Struct(..) | Walk::Map(_)), Value::Object(map)) => {
            for (e, below) in &gone.children {
                let Element::Field(name) = e else { continue };
                if below.member && !stays(e) {
                    map.remove(name);
                    continue;
                }
                let place = match walk {
                    Walk::Struct(s, t) => child(s, t, name),
                    Walk::Map(item) => Some(item),
                    _ => None,
                };
                if let (Some(place), Some(inside)) = (place, map.get_mut(name)) {
                    remove(place, inside, below, kept.children.get(e).unwrap_or(&none));
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
