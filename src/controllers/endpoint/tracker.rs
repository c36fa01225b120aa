//! Which EndpointSlices a controller has written, and at which generation (`EndpointSliceTracker` in
//! `k8s.io/endpointslice/util`).

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::persistent::Map;
use crate::api::types::discovery::{EndpointSlice, LABEL_SERVICE_NAME};
use crate::api::{Key, MetaExt};

/// What a controller expects of a slice that it has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// The slice has at least this generation.
    Generation(i64),
    /// The slice is about to be gone.
    Deletion,
}

/// The slices that a controller has written, by Service and by uid.
#[derive(Clone, Debug, Default)]
pub(super) struct Tracker {
    services: Map<Key, Rc<BTreeMap<Rc<str>, Expected>>>,
}

/// The Service of a slice.
pub(super) fn service_of(slice: &EndpointSlice) -> Option<Key> {
    let name = slice.metadata.label(LABEL_SERVICE_NAME).filter(|n| !n.is_empty())?;
    Some(Key::new(slice.metadata.namespace(), name))
}

impl Tracker {
    fn expected(&self, slice: &EndpointSlice) -> Option<Expected> {
        self.services.get(&service_of(slice)?)?.get(slice.metadata.uid()).copied()
    }

    fn set(&mut self, slice: &EndpointSlice, expected: Option<Expected>) {
        let Some(service) = service_of(slice) else { return };
        let mut of_service = self.services.get(&service).cloned().unwrap_or_default();
        let map = Rc::make_mut(&mut of_service);
        match expected {
            Some(expected) => map.insert(slice.metadata.uid().into(), expected),
            None => map.remove(slice.metadata.uid()),
        };
        self.services.insert(service, of_service);
    }

    /// Whether somebody else has written the slice, as far as its generation says (`ShouldSync`).
    pub(super) fn should_sync(&self, slice: &EndpointSlice) -> bool {
        match self.expected(slice) {
            Some(Expected::Generation(generation)) => slice.metadata.generation() > generation,
            Some(Expected::Deletion) => true,
            None => true,
        }
    }

    /// Notes that a slice is gone. Returns whether somebody else has deleted a slice of the controller (`Has`,
    /// `HandleDeletion`).
    pub(super) fn gone(&mut self, slice: &EndpointSlice) -> bool {
        let Some(expected) = self.expected(slice) else { return false };
        self.set(slice, None);
        expected != Expected::Deletion
    }

    /// Whether the caches' slices of a Service are older than what the controller has written (`StaleSlices`).
    pub(super) fn is_stale(&self, service: &Key, slices: &[Rc<EndpointSlice>]) -> bool {
        let Some(expected) = self.services.get(service) else { return false };
        let outdated = |s: &Rc<EndpointSlice>| match expected.get(s.metadata.uid()) {
            Some(Expected::Generation(generation)) => *generation > s.metadata.generation(),
            Some(Expected::Deletion) => true,
            None => false,
        };
        // No two slices have the same uid.
        let is_there =
            |s: &&Rc<EndpointSlice>| matches!(expected.get(s.metadata.uid()), Some(Expected::Generation(_)));
        let wanted = expected.values().filter(|e| **e != Expected::Deletion).count();
        slices.iter().any(outdated) || slices.iter().filter(is_there).count() < wanted
    }

    /// Notes a slice as the API server has answered it (`Update`).
    pub(super) fn wrote(&mut self, slice: &EndpointSlice) {
        self.set(slice, Some(Expected::Generation(slice.metadata.generation())));
    }

    /// Notes a slice that is as it shall be, unless the controller knows it already.
    pub(super) fn know(&mut self, slice: &EndpointSlice) {
        if self.expected(slice).is_none() {
            self.wrote(slice);
        }
    }

    /// Notes that the controller has deleted a slice (`ExpectDeletion`).
    pub(super) fn deleted(&mut self, slice: &EndpointSlice) {
        self.set(slice, Some(Expected::Deletion));
    }

    /// Forgets the slices of a Service (`DeleteService`).
    pub(super) fn forget(&mut self, service: &Key) {
        self.services.remove(service);
    }

    /// A line for each Service with slices: how many of them the controller knows as its own.
    pub(super) fn lines(&self) -> Vec<String> {
        let known = self.services.iter().filter(|(_, slices)| !slices.is_empty());
        known.map(|(service, slices)| format!("{service} has {} known slices", slices.len())).collect()
    }

    /// A line for each Service whose slices in the caches are older than what was written. `slices` lists those of a
    /// Service.
    pub(super) fn waits_for(&self, slices: impl Fn(&Key) -> Vec<Rc<EndpointSlice>>) -> Vec<String> {
        let stale = self.services.keys().filter(|service| self.is_stale(service, &slices(service)));
        stale.map(|service| format!("{service} waits for the cache of endpointslices")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::types::ObjectMeta;

    fn slice(uid: &str, generation: i64) -> Rc<EndpointSlice> {
        let labels = [(LABEL_SERVICE_NAME.to_owned(), "web".to_owned())];
        Rc::new(EndpointSlice {
            metadata: ObjectMeta {
                namespace: Some("default".into()),
                name: Some(uid.into()),
                uid: Some(uid.into()),
                generation: Some(generation),
                labels: Some(labels.into()),
                ..Default::default()
            },
            ..Default::default()
        })
    }

    /// After `endpointslice_tracker_test.go`.
    #[test]
    fn a_cache_is_stale_until_it_has_what_was_written() {
        let (web, mut tracker) = (Key::new("default", "web"), Tracker::default());
        assert!(!tracker.is_stale(&web, &[]));
        tracker.wrote(&slice("a", 2));
        assert!(tracker.is_stale(&web, &[]), "the slice is missing");
        assert!(tracker.is_stale(&web, &[slice("a", 1)]), "the slice is older");
        assert!(!tracker.is_stale(&web, &[slice("a", 2), slice("b", 1)]));
        tracker.deleted(&slice("a", 2));
        assert!(tracker.is_stale(&web, &[slice("a", 2)]), "the slice is still there");
        assert!(!tracker.is_stale(&web, &[]));
    }

    #[test]
    fn what_others_do_to_a_slice_is_told_from_own_writes() {
        let mut tracker = Tracker::default();
        assert!(tracker.should_sync(&slice("a", 1)));
        assert!(!tracker.gone(&slice("a", 1)), "a slice that was never written is nobody's loss");
        tracker.wrote(&slice("a", 2));
        assert!(!tracker.should_sync(&slice("a", 2)));
        assert!(tracker.should_sync(&slice("a", 3)));
        assert!(tracker.gone(&slice("a", 2)), "somebody else has deleted it");
        tracker.wrote(&slice("b", 1));
        tracker.deleted(&slice("b", 1));
        assert!(!tracker.gone(&slice("b", 1)), "the controller itself has deleted it");
        // `reconcileByPortMapping` tracks a slice that it leaves as it is.
        tracker.know(&slice("c", 3));
        tracker.know(&slice("c", 1));
        assert!(tracker.should_sync(&slice("c", 4)) && !tracker.should_sync(&slice("c", 3)));
        assert!(tracker.gone(&slice("c", 3)), "somebody else has deleted it");
    }
}
