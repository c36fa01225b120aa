//! What plugins read of objects other than nodes and pods. The scheduler answers from its informers' caches.

use std::borrow::Cow;
use std::rc::Rc;

use super::class::Labels;
use super::pod_info::PodInfo;
use super::terms::NamespaceLister;
use crate::api::Timestamp;
use crate::api::labels::Selector;
use crate::api::types::resource::{DeviceClass, ResourceClaim, ResourceSlice};
use crate::api::types::{
    CSIDriver, CSINode, CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass,
    VolumeAttachment,
};
use crate::scheduler::structured::{AllocatedState, Selectors};

/// Reads claims, volumes and storage classes.
pub trait VolumeLister {
    /// A claim by namespace and name.
    fn claim(&self, namespace: &str, name: &str) -> Option<Rc<PersistentVolumeClaim>>;
    /// A volume by name.
    fn volume(&self, name: &str) -> Option<Rc<PersistentVolume>>;
    /// A storage class by name.
    fn class(&self, name: &str) -> Option<Rc<StorageClass>>;
    /// Which CSI drivers a node has.
    fn csi_node(&self, node: &str) -> Option<Rc<CSINode>>;
    /// A CSI driver by name.
    fn csi_driver(&self, name: &str) -> Option<Rc<CSIDriver>>;
    /// What drivers say of the storage that they have for a class.
    fn capacities_of_class(&self, class: &str) -> Vec<Rc<CSIStorageCapacity>>;
    /// The VolumeAttachments of a node.
    fn attachments_on(&self, node: &str) -> Vec<Rc<VolumeAttachment>>;
    /// All volumes of a class, sorted by name; the empty name stands for volumes without a class.
    fn volumes_of_class(&self, class: &str) -> Vec<Rc<PersistentVolume>>;
}

/// Reads the claims for devices.
pub trait ClaimLister {
    /// A ResourceClaim by namespace and name.
    fn resource_claim(&self, namespace: &str, name: &str) -> Option<Rc<ResourceClaim>>;
}

/// What the scheduling queue reads when it asks plugins.
pub trait QueueLister: NamespaceLister + ClaimLister {}

impl<T: NamespaceLister + ClaimLister> QueueLister for T {}

/// Reads what there is of devices (`SharedDRAManager`).
pub trait DeviceLister: ClaimLister {
    /// Whether a pod is being bound with devices for the claim with this uid.
    fn is_pending(&self, uid: &str) -> bool;
    /// A class of devices by name.
    fn device_class(&self, name: &str) -> Option<Rc<DeviceClass>>;
    /// All ResourceSlices.
    fn resource_slices(&self) -> Vec<Rc<ResourceSlice>>;
    /// The devices that claims have, or are about to get.
    fn allocated(&self) -> AllocatedState;
    /// The time.
    fn now(&self) -> Timestamp;
    /// What was compiled of the selectors of devices.
    fn selectors(&self) -> Rc<Selectors>;
}

/// Reads Services and controllers.
pub trait WorkloadLister {
    /// The selectors of the Services that select `pod`, and of the ReplicaSet, StatefulSet or ReplicationController that
    /// controls it (`helper.DefaultSelector`). A pod must match all of them. Empty if there are none, or if
    /// none has a requirement.
    fn default_selectors(&self, pod: &Pod) -> Vec<Rc<Selector>>;
}

/// The pods that have a nominated node, because preemption made room for them there (`PodNominator`).
pub trait NominatedPods {
    /// The pods nominated to a node.
    fn nominated_on(&self, node: &str) -> &[Rc<PodInfo>];
    /// Whether no pod is nominated to any node; then callers need not ask node by node.
    fn none_nominated(&self) -> bool;
}

/// A cluster without any of these objects.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl VolumeLister for Nothing {
    fn claim(&self, _: &str, _: &str) -> Option<Rc<PersistentVolumeClaim>> {
        None
    }
    fn volume(&self, _: &str) -> Option<Rc<PersistentVolume>> {
        None
    }
    fn class(&self, _: &str) -> Option<Rc<StorageClass>> {
        None
    }
    fn csi_node(&self, _: &str) -> Option<Rc<CSINode>> {
        None
    }
    fn csi_driver(&self, _: &str) -> Option<Rc<CSIDriver>> {
        None
    }
    fn capacities_of_class(&self, _: &str) -> Vec<Rc<CSIStorageCapacity>> {
        Vec::new()
    }
    fn attachments_on(&self, _: &str) -> Vec<Rc<VolumeAttachment>> {
        Vec::new()
    }
    fn volumes_of_class(&self, _: &str) -> Vec<Rc<PersistentVolume>> {
        Vec::new()
    }
}

impl ClaimLister for Nothing {
    fn resource_claim(&self, _: &str, _: &str) -> Option<Rc<ResourceClaim>> {
        None
    }
}

impl DeviceLister for Nothing {
    fn is_pending(&self, _: &str) -> bool {
        false
    }
    fn device_class(&self, _: &str) -> Option<Rc<DeviceClass>> {
        None
    }
    fn resource_slices(&self) -> Vec<Rc<ResourceSlice>> {
        Vec::new()
    }
    fn allocated(&self) -> AllocatedState {
        AllocatedState::default()
    }
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
    fn selectors(&self) -> Rc<Selectors> {
        Rc::default()
    }
}

impl NamespaceLister for Nothing {
    fn namespace_labels(&self, _: &str) -> Option<Cow<'_, Labels>> {
        None
    }
}

impl WorkloadLister for Nothing {
    fn default_selectors(&self, _: &Pod) -> Vec<Rc<Selector>> {
        Vec::new()
    }
}

impl NominatedPods for Nothing {
    fn nominated_on(&self, _: &str) -> &[Rc<PodInfo>] {
        &[]
    }
    fn none_nominated(&self) -> bool {
        true
    }
}
