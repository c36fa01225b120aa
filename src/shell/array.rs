//! The value of an array of bash.

use std::collections::BTreeMap;
use std::rc::Rc;

/// The most elements of an array.
pub(super) const ELEMENTS_LIMIT: usize = 10_000;

/// An array's elements.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Array {
    /// By numbers.
    Indexed(BTreeMap<i64, Rc<str>>),
    /// By texts (`declare -A`).
    Associative(BTreeMap<String, Rc<str>>),
}

impl Array {
    pub(super) fn of(items: impl IntoIterator<Item = String>) -> Array {
        let items = items.into_iter().take(ELEMENTS_LIMIT);
        Array::Indexed(crate::api::order::gather((0..).zip(items.map(Rc::from))))
    }

    pub(super) fn values(&self) -> Vec<String> {
        match self {
            Array::Indexed(all) => all.values().map(|v| v.to_string()).collect(),
            Array::Associative(all) => all.values().map(|v| v.to_string()).collect(),
        }
    }

    pub(super) fn keys(&self) -> Vec<String> {
        match self {
            Array::Indexed(all) => all.keys().map(i64::to_string).collect(),
            Array::Associative(all) => all.keys().cloned().collect(),
        }
    }

    /// The element that the array's name alone stands for.
    pub(super) fn first(&self) -> Option<Rc<str>> {
        match self {
            Array::Indexed(all) => all.get(&0).cloned(),
            Array::Associative(all) => all.get("0").cloned(),
        }
    }

    pub(super) fn length(&self) -> usize {
        match self {
            Array::Indexed(all) => all.len(),
            Array::Associative(all) => all.len(),
        }
    }

    pub(super) fn next(&self) -> i64 {
        match self {
            Array::Indexed(all) => all.last_key_value().map_or(0, |(last, _)| last.saturating_add(1)),
            Array::Associative(_) => 0,
        }
    }
}
