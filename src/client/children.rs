//! Owners and their children, as handlers see them: whose key is to be enqueued when a child changes
//! (`addPod`, `updatePod`, `deletePod` and `resolveControllerRef` of the controllers in
//! `k8s.io/kubernetes/pkg/controller`).

use std::rc::Rc;

use super::expectations::Expectations;
use super::handler::{Handler, Seen};
use super::indexer::Caches;
use super::key::WorkKey;
use crate::api::labels::Selector;
use crate::api::types::ObjectMeta;
use crate::api::{ApiKind, Key, MetaExt};

/// A kind that finds its children by their labels.
pub trait Selects: ApiKind {
    /// Its selector.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn selector(&self) -> Result<Selector, String>;
}

/// The object that controls another one, if it is an `O` and the caches have it (a newer object of
/// the same name has another uid and does not count).
pub fn controller_of<'a, O: ApiKind>(caches: &'a Caches, child: &ObjectMeta) -> Option<&'a Rc<O>> {
    let owner = child.controller().filter(|o| o.kind == O::KIND.as_str())?;
    let found = caches.get::<O>(&Key::new(child.namespace(), &owner.name))?;
    (found.meta().uid() == owner.uid).then_some(found)
}

type Field<S> = fn(&mut S) -> &mut Expectations;

/// Enqueues the owners of a child that changed, and tells the expectations.
pub(super) fn changed<S, K: WorkKey + From<Key>, O: Selects, C: ApiKind>(
    cx: &mut Handler<'_, S, K>,
    seen: Seen<'_, C>,
    expectations: Option<Field<S>>,
) {
    match (seen.old, seen.new) {
        (Some(old), Some(new)) => updated::<S, K, O, C>(cx, old, new, expectations),
        // One that is seen for the first time while it is being deleted is no creation.
        (None, Some(new)) if !new.meta().is_deleting() => added::<S, K, O>(cx, new.meta(), expectations),
        _ => deleted::<S, K, O>(cx, seen.object().meta(), expectations),
    }
}

fn owner_key<O: ApiKind>(caches: &Caches, child: &ObjectMeta) -> Option<Key> {
    controller_of::<O>(caches, child).map(|o| o.meta().key())
}

fn added<S, K: WorkKey + From<Key>, O: Selects>(
    cx: &mut Handler<'_, S, K>,
    child: &ObjectMeta,
    expectations: Option<Field<S>>,
) {
    if child.controller().is_none() {
        enqueue_matching::<S, K, O>(cx, child);
    } else if let Some(key) = owner_key::<O>(cx.caches, child) {
        if let Some(of) = expectations {
            of(cx.state).creation_observed(&key);
        }
        cx.enqueue(key.into());
    }
}

fn updated<S, K: WorkKey + From<Key>, O: Selects, C: ApiKind>(
    cx: &mut Handler<'_, S, K>,
    old: &C,
    new: &C,
    expectations: Option<Field<S>>,
) {
    // Listed anew.
    if old.resource_version() == new.resource_version() {
        return;
    }
    let (old, new) = (old.meta(), new.meta());
    // With expectations, a deletion counts when it begins, not when the child is gone.
    if expectations.is_some() && new.is_deleting() {
        deleted::<S, K, O>(cx, new, expectations);
        if old.labels != new.labels {
            deleted::<S, K, O>(cx, old, expectations);
        }
        return;
    }
    let (was, is) = (old.controller(), new.controller());
    // The versions of a pod mostly share their metadata.
    let same = std::ptr::eq(old, new);
    let other_owner = !same && was != is;
    if other_owner && let Some(key) = owner_key::<O>(cx.caches, old) {
        cx.enqueue(key.into());
    }
    if is.is_some() {
        if let Some(key) = owner_key::<O>(cx.caches, new) {
            cx.enqueue(key.into());
        }
    } else if other_owner || (!same && old.labels != new.labels) {
        enqueue_matching::<S, K, O>(cx, new);
    }
}

fn deleted<S, K: WorkKey + From<Key>, O: Selects>(
    cx: &mut Handler<'_, S, K>,
    child: &ObjectMeta,
    expectations: Option<Field<S>>,
) {
    let Some(key) = owner_key::<O>(cx.caches, child) else { return };
    if let Some(of) = expectations {
        of(cx.state).deletion_observed(&key, &child.key());
    }
    cx.enqueue(key.into());
}

/// No controller owns the child: every owner that selects it may want to adopt it.
fn enqueue_matching<S, K: WorkKey + From<Key>, O: Selects>(cx: &mut Handler<'_, S, K>, child: &ObjectMeta) {
    let labels = child.labels_or_empty();
    let selects = |o: &&Rc<O>| o.selector().is_ok_and(|s| !s.is_empty() && s.matches(labels));
    let all = cx.caches.of(O::KIND).list(Some(child.namespace())).filter_map(O::from_object);
    let matching: Vec<Key> = all.filter(selects).map(|o| o.meta().key()).collect();
    for key in matching {
        cx.enqueue(key.into());
    }
}
