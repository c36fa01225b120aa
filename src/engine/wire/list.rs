//! What changed of a list.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

/// A run of entries in place of another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Splice<T> {
    /// The place of the first entry that changed.
    pub at: usize,
    /// How many entries there were from there on until the first that stayed.
    pub gone: usize,
    /// The entries in their place.
    pub put: Vec<T>,
}

/// What changed of a list; `None` if it is the same `Rc`.
pub(super) fn changed<T: Clone + PartialEq>(before: &Rc<Vec<T>>, now: &Rc<Vec<T>>) -> Option<Splice<T>> {
    if Rc::ptr_eq(before, now) {
        return None;
    }
    let at = before.iter().zip(now.iter()).take_while(|(b, n)| b == n).count();
    let rest = before.len().min(now.len()) - at;
    let ends = before.iter().rev().zip(now.iter().rev()).take(rest);
    let kept = ends.take_while(|(b, n)| b == n).count();
    let put = now.get(at..now.len() - kept).unwrap_or_default().to_vec();
    Some(Splice { at, gone: before.len() - kept - at, put })
}

/// Carries out what changed.
pub(super) fn put<T: Clone>(list: &mut Rc<Vec<T>>, change: Splice<T>) {
    let list = Rc::make_mut(list);
    let start = change.at.min(list.len());
    let end = change.at.saturating_add(change.gone).min(list.len());
    list.splice(start..end, change.put);
}
