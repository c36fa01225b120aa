//! Which devices claims get on a node, as a function of what there is (`k8s.io/dynamic-resource-allocation/structured`).
//!
//! This is the allocator `internal/incubating`, which the feature gates that are on by default ask for: DRAAdminAccess,
//! DRAConsumableCapacity, DRADeviceBindingConditions with DRAResourceClaimDeviceStatus, DRADeviceTaints,
//! DRAPartitionableDevices and DRAPrioritizedList. DRAListTypeAttributes is off.
//!
//! `pools` finds the pools that a node can use. `search` tries one device after the other for one request after the other,
//! and goes back where that leads nowhere; the first solution is taken. `result` writes it down.

mod capacity;
mod constraint;
mod counters;
mod device_id;
mod pools;
mod request;
mod result;
mod search;
mod selectors;
mod state;
mod validate;

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::types::Node;
use crate::api::types::resource::{AllocationResult, DeviceClass, ResourceClaim, ResourceSlice};

pub use device_id::DeviceId;
pub use request::tolerates_taint;
pub use selectors::Selectors;
pub use state::AllocatedState;

/// How many devices a claim can get (`AllocationResultsMaxSize`).
pub const MAX_RESULTS: usize = 32;
/// After so many steps of a search it is given up, in place of the ten seconds after which kube-scheduler does
/// (`DynamicResourcesFilterTimeoutDefault`).
const MAX_STEPS: usize = 100_000;

/// A search that is this deep, in devices that are chosen at the same time, is given up as well. Claims are limited each for itself,
/// and a pod may have any number of them.
const MAX_DEPTH: usize = 1_000;

/// Why claims cannot be allocated, beyond that the devices do not suffice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It concerns only the node (`ErrFailedAllocationOnNode`).
    OnNode(String),
    /// Something is wrong with a claim or a class, so no other node has to be tried.
    Wrong(String),
    /// The search took too long.
    TimedOut,
}

/// What a search for devices begins with: everything but the claims and the node.
#[derive(Clone, Debug, Default)]
pub struct Allocator {
    /// The ResourceSlices of the cluster.
    pub slices: Vec<Rc<ResourceSlice>>,
    /// The DeviceClasses that the claims ask for, by name.
    pub classes: BTreeMap<String, Rc<DeviceClass>>,
    /// The devices that claims have already.
    pub allocated: AllocatedState,
    /// The selectors that were compiled already.
    pub selectors: Rc<Selectors>,
}

impl Allocator {
    /// Devices for all of the claims on a node, in the order of the claims; `None` if there are not enough (`Allocate`).
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn allocate(
        &self,
        node: &Node,
        claims: &[Rc<ResourceClaim>],
    ) -> Result<Option<Vec<AllocationResult>>, Failure> {
        let pools = pools::gather(&self.slices, node);
        let invalid = pools.iter().any(|p| p.state == pools::PoolState::Invalid);
        let mut search = search::Search::new(self, node, claims, pools);
        search.validate()?;
        if search.run()? {
            return result::write(&search).map(Some).map_err(Failure::Wrong);
        }
        match invalid {
            true => Err(Failure::OnNode("invalid resource pools were encountered".to_owned())),
            false => Ok(None),
        }
    }
}
