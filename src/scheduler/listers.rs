//! The informers' caches and the assumed objects, as plugins read them.

use std::borrow::Cow;
use std::rc::Rc;

use super::framework::{
    ClaimLister, DeviceLister, Labels, NamespaceLister, NominatedPods, PodInfo, VolumeLister, WorkloadLister,
};
use super::queue::Queue;
use super::state::{Assumed, Pending, State};
use super::structured::{AllocatedState, Selectors};
use crate::api::labels::Selector;
use crate::api::types::resource::{DeviceClass, ResourceClaim, ResourceSlice};
use crate::api::types::{
    CSIDriver, CSINode, CSIStorageCapacity, Namespace, PersistentVolume, PersistentVolumeClaim, Pod,
    ReplicaSet, ReplicationController, Service, StatefulSet, StorageClass, VolumeAttachment,
};
use crate::api::volume::volume_class;
use crate::api::{ApiKind, Key, Kind, MetaExt, Timestamp};
use crate::client::Caches;

/// The informers' caches and the assumed objects, as plugins read them.
pub(super) struct Listers<'a>(&'a Caches, Assumed, Pending, Timestamp, Rc<Selectors>);

impl<'a> Listers<'a> {
    pub(super) fn of(caches: &'a Caches, state: &State, now: Timestamp) -> Listers<'a> {
        Listers(caches, state.assumed.clone(), state.pending.clone(), now, state.selectors.clone())
    }
}

impl ClaimLister for Listers<'_> {
    fn resource_claim(&self, namespace: &str, name: &str) -> Option<Rc<ResourceClaim>> {
        let key = Key::new(namespace, name);
        self.1.resource_claim(&key, self.0.get(&key))
    }
}

impl DeviceLister for Listers<'_> {
    fn is_pending(&self, uid: &str) -> bool {
        self.2.contains_key(uid)
    }
    fn device_class(&self, name: &str) -> Option<Rc<DeviceClass>> {
        self.0.get(&Key::new("", name)).cloned()
    }
    fn resource_slices(&self) -> Vec<Rc<ResourceSlice>> {
        let all = self.0.of(Kind::RESOURCE_SLICE).list(None);
        all.filter_map(ResourceSlice::from_object).cloned().collect()
    }
    fn allocated(&self) -> AllocatedState {
        let mut taken = AllocatedState::default();
        let all = self.0.of(Kind::RESOURCE_CLAIM).list(None).filter_map(ResourceClaim::from_object);
        let known = all.filter_map(|c| self.1.resource_claim(&c.metadata.key(), Some(c)));
        known.for_each(|claim| taken.add(&claim));
        self.2.values().for_each(|(_, claim)| taken.add(claim));
        taken
    }
    fn now(&self) -> Timestamp {
        self.3
    }
    fn selectors(&self) -> Rc<Selectors> {
        self.4.clone()
    }
}

impl VolumeLister for Listers<'_> {
    fn claim(&self, namespace: &str, name: &str) -> Option<Rc<PersistentVolumeClaim>> {
        let key = Key::new(namespace, name);
        self.1.claim(&key, self.0.get(&key))
    }
    fn volume(&self, name: &str) -> Option<Rc<PersistentVolume>> {
        let key = Key::new("", name);
        self.1.volume(&key, self.0.get(&key))
    }
    fn class(&self, name: &str) -> Option<Rc<StorageClass>> {
        self.0.get(&Key::new("", name)).cloned()
    }
    fn csi_node(&self, node: &str) -> Option<Rc<CSINode>> {
        self.0.get(&Key::new("", node)).cloned()
    }
    fn csi_driver(&self, name: &str) -> Option<Rc<CSIDriver>> {
        self.0.get(&Key::new("", name)).cloned()
    }
    fn capacities_of_class(&self, class: &str) -> Vec<Rc<CSIStorageCapacity>> {
        let all = self.0.of(Kind::CSI_STORAGE_CAPACITY).list(None);
        all.filter_map(CSIStorageCapacity::from_object)
            .filter(|c| c.storage_class_name == class)
            .cloned()
            .collect()
    }
    fn attachments_on(&self, node: &str) -> Vec<Rc<VolumeAttachment>> {
        let all = self.0.of(Kind::VOLUME_ATTACHMENT).list(None);
        all.filter_map(VolumeAttachment::from_object).filter(|a| a.spec.node_name == node).cloned().collect()
    }
    fn volumes_of_class(&self, class: &str) -> Vec<Rc<PersistentVolume>> {
        let all = self.0.of(Kind::PERSISTENT_VOLUME).list(None).filter_map(PersistentVolume::from_object);
        all.filter(|v| volume_class(v) == class)
            .filter_map(|v| self.1.volume(&v.metadata.key(), Some(v)))
            .collect()
    }
}

/// The informers' caches, as the queue's plugins read them.
pub(super) struct Reads<'a>(pub(super) &'a Caches);

impl ClaimLister for Reads<'_> {
    fn resource_claim(&self, namespace: &str, name: &str) -> Option<Rc<ResourceClaim>> {
        self.0.get(&Key::new(namespace, name)).cloned()
    }
}

impl NamespaceLister for Reads<'_> {
    fn namespace_labels(&self, name: &str) -> Option<Cow<'_, Labels>> {
        self.0.get::<Namespace>(&Key::new("", name)).map(|n| Cow::Borrowed(n.metadata.labels_or_empty()))
    }
}

impl NamespaceLister for Listers<'_> {
    fn namespace_labels(&self, name: &str) -> Option<Cow<'_, Labels>> {
        self.0.get::<Namespace>(&Key::new("", name)).map(|n| Cow::Borrowed(n.metadata.labels_or_empty()))
    }
}

impl WorkloadLister for Listers<'_> {
    fn default_selectors(&self, pod: &Pod) -> Vec<Rc<Selector>> {
        let labels = pod.metadata.labels_or_empty();
        let services = self.0.of(Kind::SERVICE).list(Some(pod.metadata.namespace()));
        let mut selectors: Vec<Rc<Selector>> = services
            .filter_map(|o| Service::from_object(o)?.spec.as_ref()?.selector.clone())
            .filter(|s| !s.is_empty())
            .map(|s| Selector::from_set(&s))
            .filter(|s| s.matches(labels))
            .map(Rc::new)
            .collect();
        if let Some(owner) = pod.metadata.controller().filter(|o| o.kind == "ReplicaSet")
            && let Some(rs) = self.0.get::<ReplicaSet>(&Key::new(pod.metadata.namespace(), &owner.name))
            && let Ok(s) = Selector::from_label_selector(rs.spec.as_ref().map(|s| &s.selector))
        {
            selectors.push(Rc::new(s));
        }
        if let Some(owner) = pod.metadata.controller().filter(|o| o.kind == "StatefulSet")
            && let Some(set) = self.0.get::<StatefulSet>(&Key::new(pod.metadata.namespace(), &owner.name))
            && let Ok(s) = Selector::from_label_selector(set.spec.as_ref().map(|s| &s.selector))
        {
            selectors.push(Rc::new(s));
        }
        if let Some(owner) = pod.metadata.controller().filter(|o| o.kind == "ReplicationController")
            && let Some(r) =
                self.0.get::<ReplicationController>(&Key::new(pod.metadata.namespace(), &owner.name))
            && let Some(set) = r.spec.as_ref().and_then(|s| s.selector.as_ref())
        {
            selectors.push(Rc::new(Selector::from_set(set)));
        }
        selectors
    }
}

/// The pods of the queue that are nominated to a node, by node.
pub(super) struct Nominated(Vec<(Rc<str>, Vec<Rc<PodInfo>>)>);

impl Nominated {
    pub(super) fn of(queue: &Queue, but: &Key) -> Nominated {
        let mut by_node: Vec<(Rc<str>, Vec<Rc<PodInfo>>)> = Vec::new();
        for (info, node) in queue.nominations().filter(|(info, _)| info.key != *but) {
            match by_node.iter_mut().find(|(n, _)| n == node) {
                Some((_, pods)) => pods.push(info.clone()),
                None => by_node.push((node.clone(), vec![info.clone()])),
            }
        }
        Nominated(by_node)
    }
}

impl NominatedPods for Nominated {
    fn nominated_on(&self, node: &str) -> &[Rc<PodInfo>] {
        self.0.iter().find(|(n, _)| &**n == node).map_or(&[], |(_, p)| p)
    }
    fn none_nominated(&self) -> bool {
        self.0.is_empty()
    }
}
