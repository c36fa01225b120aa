//! Sets of fields (`sigs.k8s.io/structured-merge-diff/fieldpath`).

use super::order;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 64;

/// A step of a path. The order is that of Kubernetes: fields, keys, values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Element {
    /// A field of a struct, or a key of a map.
    Field(String),
    /// An item of a list, identified by its keys as JSON: `{"name":"nginx"}`.
    Key(String),
    /// An item of a set, identified by its value as JSON.
    Value(String),
}

/// A set of paths, as a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    /// Whether the path to this place is in the set.
    pub member: bool,
    /// The places below this one.
    pub children: BTreeMap<Element, Set>,
}

impl Set {
    /// Whether the set has no path.
    pub fn is_empty(&self) -> bool {
        !self.member && self.children.values().all(Set::is_empty)
    }

    /// Adds a path.
    pub fn insert(&mut self, path: &[Element]) {
        let mut at = self;
        for e in path {
            at = at.children.entry(e.clone()).or_default();
        }
        at.member = true;
    }

    /// The part of the set below a path; `None` if nothing is there.
    pub fn at(&self, path: &[Element]) -> Option<&Set> {
        path.iter().try_fold(self, |s, e| s.children.get(e))
    }

    /// The paths that are in either set.
    #[must_use]
    pub fn union(mut self, other: &Set) -> Set {
        self.member |= other.member;
        for (e, theirs) in &other.children {
            let mine = self.children.remove(e).unwrap_or_default();
            self.children.insert(e.clone(), mine.union(theirs));
        }
        self
    }

    /// The paths that are in this set but not in the other.
    #[must_use]
    pub fn difference(&self, other: &Set) -> Set {
        self.combine(other, |a, b| a && !b)
    }

    /// The paths that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Set) -> Set {
        self.combine(other, |a, b| a && b)
    }

    fn combine(&self, other: &Set, keep: fn(bool, bool) -> bool) -> Set {
        static NONE: Set = Set { member: false, children: BTreeMap::new() };
        let children = self
            .children
            .iter()
            .map(|(e, mine)| (e.clone(), mine.combine(other.children.get(e).unwrap_or(&NONE), keep)))
            .filter(|(_, s)| !s.is_empty());
        let children = order::gather(children);
        Set { member: keep(self.member, other.member), children }
    }

    /// All paths of the set, in order.
    pub fn paths(&self) -> Vec<Vec<Element>> {
        fn walk(set: &Set, at: &mut Vec<Element>, out: &mut Vec<Vec<Element>>) {
            for (e, child) in &set.children {
                at.push(e.clone());
                if child.member {
                    out.push(at.clone());
                }
                walk(child, at, out);
                at.pop();
            }
        }
        let mut out = Vec::new();
        walk(self, &mut Vec::new(), &mut out);
        out
    }

    /// Reads `fieldsV1`; `None` if it is malformed. Unknown sorts of elements are skipped, as in Kubernetes.
    pub fn from_value(value: &Value) -> Option<Set> {
        Set::read(value, 0).map(|s| Set { member: false, ..s })
    }

    fn read(value: &Value, depth: usize) -> Option<Set> {
        let mut set = Set::default();
        let map = value.as_object().filter(|_| depth < MAX_DEPTH)?;
        for (key, inside) in map {
            if key == "." {
                set.member = true;
                continue;
            }
            let element = match key.split_once(':')? {
                ("f", name) => Element::Field(name.to_owned()),
                ("k", keys) => {
                    let keys: Value = serde_json::from_str(keys).ok()?;
                    keys.is_object().then(|| Element::Key(keys.to_string()))?
                }
                ("v", value) => Element::Value(serde_json::from_str::<Value>(value).ok()?.to_string()),
                _ => continue,
            };
            set.children.insert(element, Set::read(inside, depth + 1)?);
        }
        // A place without children is itself in the set.
        set.member |= set.children.is_empty();
        Some(set)
    }

    /// The set as `fieldsV1`.
    pub fn to_value(&self) -> Value {
        let mut map = Map::new();
        for (e, child) in &self.children {
            let key = match e {
                Element::Field(n) => format!("f:{n}"),
                Element::Key(k) => format!("k:{k}"),
                Element::Value(v) => format!("v:{v}"),
            };
            let mut value = child.to_value();
            if child.member
                && let Value::Object(inside) = &mut value
                && !inside.is_empty()
            {
                inside.insert(".".into(), Value::Object(Map::new()));
            }
            map.insert(key, value);
        }
        Value::Object(map)
    }
}

/// A path as it stands in messages: `.spec.template.spec.containers[name="nginx"].image`.
pub fn path_text(path: &[Element]) -> String {
    let mut out = String::new();
    for e in path {
        match e {
            Element::Field(n) => {
                let _ = write!(out, ".{n}");
            }
            Element::Key(k) => {
                let keys: Value = serde_json::from_str(k).unwrap_or_default();
                let keys: Vec<String> =
                    keys.as_object().into_iter().flatten().map(|(k, v)| format!("{k}={v}")).collect();
                let _ = write!(out, "[{}]", keys.join(","));
            }
            Element::Value(v) => {
                let _ = write!(out, "[={v}]");
            }
        }
    }
    out
}
