//! Storage capacity (KEP-1472): whether a CSI driver has room for a new volume that a node can reach, as far as
//! CSIStorageCapacity objects say. `VolumeBinding` asks.

use crate::api::MetaExt;
use crate::api::labels::Selector;
use crate::api::quantity::amount_of;
use crate::api::types::{CSIStorageCapacity, Node, PersistentVolumeClaim, Quantity, StorageClass};
use crate::api::volume::requested;
use crate::scheduler::framework::Handle;

/// Whether there is room for the claim's volume (`hasEnoughCapacity`). A driver whose CSIDriver does not set
/// `storageCapacity` is not asked.
pub fn is_enough(h: &Handle<'_>, claim: &PersistentVolumeClaim, class: &StorageClass, node: &Node) -> bool {
    let asked =
        h.volumes.csi_driver(&class.provisioner).is_some_and(|d| d.spec.storage_capacity == Some(true));
    if !asked || requested(claim).is_zero() {
        return true;
    }
    let capacities = h.volumes.capacities_of_class(MetaExt::name(&class.metadata));
    capacities.iter().any(|c| is_large_enough(c, claim) && is_accessible(c, node))
}

fn is_large_enough(capacity: &CSIStorageCapacity, claim: &PersistentVolumeClaim) -> bool {
    let limit = volume_limit(capacity);
    limit.is_some() && amount_of(limit) >= requested(claim)
}

/// The size of the largest volume that can be made of the storage (`volumeLimit`); `None` if that is not known.
pub(super) fn volume_limit(capacity: &CSIStorageCapacity) -> Option<&Quantity> {
    capacity.maximum_volume_size.as_ref().or(capacity.capacity.as_ref())
}

/// Whether the node can reach the storage (`nodeHasAccess`). Without a topology no node can.
fn is_accessible(capacity: &CSIStorageCapacity, node: &Node) -> bool {
    let Some(topology) = &capacity.node_topology else { return false };
    Selector::from_label_selector(Some(topology)).is_ok_and(|s| s.matches(node.metadata.labels_or_empty()))
}
