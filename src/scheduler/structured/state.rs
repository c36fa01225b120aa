//! Which devices are taken (`AllocatedState`, `plugins/dynamicresources/allocateddevices.go`).

use std::collections::{BTreeMap, BTreeSet};

use super::DeviceId;
use crate::api::quantity::{Amount, amount_of};
use crate::api::types::resource::ResourceClaim;

/// Amounts of a device's capacity, by the capacity's name.
pub(super) type Consumed = BTreeMap<String, Amount>;

/// Amounts of the capacity of devices.
#[derive(Clone, Debug, Default)]
pub(super) struct Capacities(BTreeMap<DeviceId, Consumed>);

/// The devices that claims have.
#[derive(Clone, Debug, Default)]
pub struct AllocatedState {
    pub(super) devices: BTreeSet<DeviceId>,
    /// The devices of which claims have shares.
    pub(super) shared: BTreeSet<DeviceId>,
    pub(super) capacity: Capacities,
}

impl AllocatedState {
    /// Takes the devices that a claim has. One with admin access does not count.
    pub fn add(&mut self, claim: &ResourceClaim) {
        let allocation = claim.status.as_ref().and_then(|s| s.allocation.as_ref());
        let results = allocation.and_then(|a| a.devices.as_ref()).and_then(|d| d.results.as_deref());
        for result in results.unwrap_or_default() {
            if result.admin_access == Some(true) {
                continue;
            }
            let id = DeviceId::new(&result.driver, &result.pool, &result.device);
            if result.share_id.is_none() {
                self.devices.insert(id);
                continue;
            }
            self.shared.insert(id.clone());
            if let Some(consumed) = &result.consumed_capacity {
                let amounts = consumed.iter().map(|(name, q)| (name.clone(), amount_of(Some(q))));
                self.capacity.insert(&id, &amounts.collect());
            }
        }
    }

    /// Whether a claim has the device or a share of it (`IsDeviceAllocated`).
    pub(super) fn is_allocated(&self, id: &DeviceId) -> bool {
        self.devices.contains(id) || self.shared.contains(id) || self.capacity.get(id).is_some()
    }
}

impl Capacities {
    pub(super) fn get(&self, id: &DeviceId) -> Option<&Consumed> {
        self.0.get(id)
    }

    pub(super) fn insert(&mut self, id: &DeviceId, consumed: &Consumed) {
        let of = self.0.entry(id.clone()).or_default();
        for (name, amount) in consumed {
            of.entry(name.clone()).and_modify(|sum| *sum = sum.plus(*amount)).or_insert(*amount);
        }
    }

    pub(super) fn remove(&mut self, id: &DeviceId, consumed: &Consumed) {
        let Some(of) = self.0.get_mut(id) else { return };
        for (name, amount) in consumed {
            if let Some(sum) = of.get_mut(name) {
                *sum = sum.minus(*amount);
            }
        }
        if of.values().all(|sum| sum.is_zero()) {
            self.0.remove(id);
        }
    }
}
