//! Which pods a Service selects, and what has changed about them since its last sync. A Service with ten thousand pods is
//! synced for each few of them, so a sync looks at those that have changed and at no other.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::labels::Selector;
use crate::api::persistent::Map;
use crate::api::pod::pod_condition;
use crate::api::types::{Pod, Service};
use crate::api::{Key, Kind, MetaExt, Name, Object, Timestamp};
use crate::client::{Caches, Memory, Snapshot};

/// The pods of a Service and their times, as one of its syncs read them.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    selector: Rc<BTreeMap<String, String>>,
    /// All pods of the cache, selected or not.
    all: Snapshot,
    /// The pods that the Service selects.
    pub(super) pods: Map<Key, Rc<Pod>>,
    /// When the readiness of each selected pod last changed.
    times: Map<Name, Timestamp>,
    /// When the Service was created.
    service: Option<Timestamp>,
    /// The number of the sync.
    pub(super) turn: u64,
}

/// A pod that a Service selects, or has selected in its last sync, and that is another one than then.
#[derive(Clone, Debug)]
pub(super) struct ChangedPod {
    pub(super) key: Key,
    /// The pod in the last sync; `None` if it was not selected then.
    pub(super) old: Option<Rc<Pod>>,
    /// The pod now; `None` if it is not selected.
    pub(super) new: Option<Rc<Pod>>,
}

/// What a sync of a Service finds.
#[derive(Clone, Debug)]
pub(super) struct News {
    /// What the sync has read, to be remembered.
    pub(super) found: Found,
    /// The pods that are others than in the last sync. If the Service had another selector then, or no sync, all pods.
    pub(super) changed: Vec<ChangedPod>,
    /// Whether nothing is known from the last sync.
    pub(super) afresh: bool,
    /// The earliest change of the Service or its pods since its last sync (`ComputeEndpointLastChangeTriggerTime`); `None`
    /// if nothing has changed.
    pub(super) trigger: Option<Timestamp>,
}

/// What the Endpoints and EndpointSlice controllers remember of each Service: what its last sync read.
#[derive(Clone, Debug, Default)]
pub(super) struct Triggers(Map<Key, Found>);

impl Memory for Triggers {
    /// Whether a write has a trigger time depends on the pods of the last sync. Their times are left out: a
    /// change of one enqueues the Service.
    fn lines(&self, _: Timestamp) -> Vec<String> {
        let of = |(key, seen): (&Key, &Found)| {
            let pods: Vec<String> = seen.times.keys().map(|p| format!("{key} had the pod {p}")).collect();
            std::iter::once(format!("{key} was synced")).chain(pods)
        };
        self.0.iter().flat_map(of).collect()
    }
}

impl Triggers {
    /// What a sync of a Service finds; `None` if it has no selector or its type is `ExternalName`.
    pub(super) fn look(&self, key: &Key, service: &Service, caches: &Caches) -> Option<News> {
        let spec = service.spec.as_ref()?;
        let selector = spec.selector.as_ref()?;
        if spec.type_.as_deref() == Some("ExternalName") {
            return None;
        }
        let before = self.0.get(key);
        let same = before.filter(|b| *b.selector == *selector);
        let mut found = same.cloned().unwrap_or_else(|| Found {
            selector: Rc::new(selector.clone()),
            turn: before.map_or(0, |b| b.turn),
            ..Found::default()
        });
        found.turn += 1;
        let (matching, namespace) = (Selector::from_set(selector), service.metadata.namespace());
        let pods = caches.of(Kind::POD);
        let then = std::mem::replace(&mut found.all, pods.snapshot());
        let (mut changed, mut trigger) = (Vec::new(), None);
        for pod in pods.changed_since(&then).filter(|c| &*c.key.namespace == namespace) {
            let selects = |p: &&Rc<Pod>| matching.matches(p.metadata.labels_or_empty());
            let new = pod.new.and_then(Object::get::<Pod>).filter(selects).cloned();
            let old = match &new {
                Some(new) => found.pods.insert(pod.key.clone(), new.clone()),
                None => found.pods.remove(pod.key),
            };
            if old.is_none() && new.is_none() {
                continue;
            }
            let name = &pod.key.name;
            let ready = new.as_ref().and_then(|p| pod_condition(p, "Ready")?.last_transition_time.as_ref());
            match ready.map(|t| t.0) {
                Some(time) => {
                    note(&mut trigger, time, before.and_then(|b| b.times.get(name)));
                    found.times.insert(name.clone(), time);
                }
                None => {
                    found.times.remove(name);
                }
            }
            changed.push(ChangedPod { key: pod.key.clone(), old, new });
        }
        found.service = service.metadata.creation_timestamp.as_ref().map(|t| t.0);
        if let Some(time) = found.service {
            note(&mut trigger, time, before.and_then(|b| b.service.as_ref()));
        }
        Some(News { found, changed, afresh: same.is_none(), trigger })
    }

    /// Remembers what a sync has read.
    pub(super) fn set(&mut self, key: Key, found: Found) {
        self.0.insert(key, found);
    }

    /// Forgets a Service.
    pub(super) fn forget(&mut self, key: &Key) {
        self.0.remove(key);
    }
}

/// Notes a time that is newer than the one of the last sync, if it is the earliest of these.
fn note(earliest: &mut Option<Timestamp>, time: Timestamp, before: Option<&Timestamp>) {
    if before.is_none_or(|old| time > *old) {
        *earliest = Some(earliest.map_or(time, |e| e.min(time)));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn pod(name: &str, app: &str, version: &str) -> Object {
        let value = json!({"metadata": {
            "name": name, "namespace": "d", "labels": {"app": app}, "resourceVersion": version,
        }});
        Object::from_value(Kind::POD, value).unwrap()
    }

    fn put(caches: &mut Caches, pod: &Object) {
        caches.of_mut(Kind::POD).upsert(pod.key(), pod.clone());
    }

    /// The work of a sync does not depend on how many pods there are, so this can fail without a clock.
    #[test]
    fn a_sync_looks_at_the_pods_that_have_changed() {
        let (key, mut caches, mut triggers) = (Key::new("d", "web"), Caches::default(), Triggers::default());
        for n in 0..1000 {
            put(&mut caches, &pod(&format!("p-{n}"), "web", "1"));
        }
        let service =
            json!({"metadata": {"name": "web", "namespace": "d"}, "spec": {"selector": {"app": "web"}}});
        let mut service: Service = serde_json::from_value(service).unwrap();
        let look = |triggers: &mut Triggers, service: &Service, caches: &Caches| {
            let news = triggers.look(&Key::new("d", "web"), service, caches).unwrap();
            triggers.set(key.clone(), news.found.clone());
            news
        };
        let first = look(&mut triggers, &service, &caches);
        assert_eq!((first.changed.len(), first.found.pods.len(), first.afresh), (1000, 1000, true));
        put(&mut caches, &pod("p-7", "web", "2"));
        put(&mut caches, &pod("p-8", "other", "2"));
        put(&mut caches, &pod("new", "web", "2"));
        put(&mut caches, &pod("stranger", "other", "2"));
        caches.of_mut(Kind::POD).remove(&Key::new("d", "p-9"));
        let second = look(&mut triggers, &service, &caches);
        let changed: Vec<_> =
            second.changed.iter().map(|c| (&*c.key.name, c.old.is_some(), c.new.is_some())).collect();
        assert_eq!(
            changed,
            [("new", false, true), ("p-7", true, true), ("p-8", true, false), ("p-9", true, false),]
        );
        assert_eq!((second.found.pods.len(), second.afresh), (999, false));
        assert!(look(&mut triggers, &service, &caches).changed.is_empty());
        // With another selector nothing is known.
        service.spec.as_mut().unwrap().selector = Some([("app".to_owned(), "other".to_owned())].into());
        let other = look(&mut triggers, &service, &caches);
        assert_eq!((other.changed.len(), other.found.pods.len(), other.afresh), (2, 2, true));
    }
}
