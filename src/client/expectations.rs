//! Expectations (`ControllerExpectations` of `k8s.io/kubernetes/pkg/controller/controller_utils.go`):
//! what a controller has created and deleted and its informers have not shown it yet.

use std::collections::BTreeSet;
use std::rc::Rc;

use jiff::SignedDuration;

use super::memory::Memory;
use crate::api::persistent::Map;
use crate::api::{Key, Timestamp};

/// An expectation that is not met in this time, in seconds, is no longer waited for.
const EXPECTATIONS_TIMEOUT: i64 = 300;

/// What a controller has created and deleted and not seen yet, by the key of the object it did so
/// for. While anything is expected for an object, the caches are known to be behind, and the
/// controller creates and deletes nothing for it.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    by_key: Map<Key, Expectation>,
}

/// What is expected for one object.
#[derive(Clone, Debug, Default)]
struct Expectation {
    creations: i64,
    // By name, so that a child whose deletion is seen twice counts once (`UIDTrackingControllerExpectations`).
    deletions: Rc<BTreeSet<Key>>,
    at: Option<Timestamp>,
}

impl Expectations {
    /// Expects so many creations for an object, and forgets what was expected before.
    pub fn expect_creations(&mut self, key: &Key, n: i64, now: Timestamp) {
        let e = Expectation { creations: n, deletions: Rc::default(), at: Some(now) };
        self.by_key.insert(key.clone(), e);
    }

    /// Expects the deletion of these children of an object, and forgets what was expected before.
    pub fn expect_deletions(&mut self, key: &Key, children: BTreeSet<Key>, now: Timestamp) {
        let e = Expectation { creations: 0, deletions: Rc::new(children), at: Some(now) };
        self.by_key.insert(key.clone(), e);
    }

    /// Expects creations and deletions of an object's children, and forgets what was expected before
    /// (`SetExpectations`).
    pub fn expect(&mut self, key: &Key, creations: i64, deletions: BTreeSet<Key>, now: Timestamp) {
        self.by_key
            .insert(key.clone(), Expectation { creations, deletions: Rc::new(deletions), at: Some(now) });
    }

    /// A child of an object was created, or will not be.
    pub fn creation_observed(&mut self, key: &Key) {
        if let Some(e) = self.by_key.get_mut(key) {
            e.creations -= 1;
        }
    }

    /// A child of an object began to be deleted, or will not be.
    pub fn deletion_observed(&mut self, key: &Key, child: &Key) {
        if let Some(e) = self.by_key.get_mut(key)
            && e.deletions.contains(child)
        {
            Rc::make_mut(&mut e.deletions).remove(child);
        }
    }

    /// Whether nothing is expected for an object, or it has been expected for too long.
    pub fn satisfied(&self, key: &Key, now: Timestamp) -> bool {
        self.by_key.get(key).is_none_or(|e| {
            (e.creations <= 0 && e.deletions.is_empty())
                || e.at
                    .is_none_or(|at| now.duration_since(at) > SignedDuration::from_secs(EXPECTATIONS_TIMEOUT))
        })
    }

    /// Forgets what is expected for an object.
    pub fn delete(&mut self, key: &Key) {
        self.by_key.remove(key);
    }
}

impl Memory for Expectations {
    fn lines(&self, _: Timestamp) -> Vec<String> {
        let open = self.by_key.iter().filter(|(_, e)| e.creations > 0 || !e.deletions.is_empty());
        open.flat_map(|(key, e)| {
            let made = (e.creations > 0).then(|| format!("{key} expects {} creations", e.creations));
            made.into_iter()
                .chain(e.deletions.iter().map(move |c| format!("{key} expects the deletion of {c}")))
        })
        .collect()
    }
}
