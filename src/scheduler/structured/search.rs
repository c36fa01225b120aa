//! The search for devices (`allocateOne`, `allocateDevice`): every device is tried for every request, until all requests of
//! all claims have theirs. Devices of one request are taken in the order in which they are listed, so that the same set is not
//! tried twice.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::constraint::{Asking, Constraint};
use super::counters::Counters;
use super::pools::{Pool, PoolState, devices, node_matches};
use super::request::{Mode, Request, devices_of};
use super::state::{Capacities, Consumed};
use super::{Allocator, DeviceId, Failure, MAX_DEPTH, MAX_RESULTS, MAX_STEPS, capacity};
use crate::api::MetaExt;
use crate::api::types::Node;
use crate::api::types::resource::{Device, DeviceClass, ResourceClaim, ResourceSlice};

/// A request of a claim, or an alternative of one, by indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RequestKey {
    pub(super) claim: usize,
    pub(super) request: usize,
    pub(super) sub: usize,
}

/// A device by indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Location {
    pub(super) pool: usize,
    pub(super) slice: usize,
    pub(super) device: usize,
}

/// What is known of a request.
#[derive(Clone, Debug)]
pub(super) struct RequestData<'a> {
    pub(super) request: Request<'a>,
    /// The name of the request of which it is an alternative.
    pub(super) parent: Option<&'a str>,
    pub(super) class: Rc<DeviceClass>,
    pub(super) count: usize,
    /// Of the first alternative: which of them was chosen.
    pub(super) selected: usize,
    /// The devices, if it asks for all of them.
    pub(super) all: Option<Vec<Location>>,
}

impl RequestData<'_> {
    /// The name of the request, with that of the alternative.
    pub(super) fn name(&self) -> String {
        match self.parent {
            Some(parent) => format!("{parent}/{}", self.request.name()),
            None => self.request.name().to_owned(),
        }
    }
}

/// A device that was chosen.
#[derive(Clone, Debug)]
pub(super) struct ChosenDevice {
    pub(super) key: RequestKey,
    pub(super) at: Location,
    /// What is consumed of a device that more than one claim can have.
    pub(super) share: Option<Consumed>,
}

/// Why a search goes back, or ends.
enum Stop {
    /// The claim would get more devices than it can have (`errAllocationResultMaxSizeExceeded`).
    TooMany,
    Failed(Failure),
}

fn wrong(message: String) -> Stop {
    Stop::Failed(Failure::Wrong(message))
}

/// A search for the devices of claims on one node.
pub(super) struct Search<'a> {
    pub(super) from: &'a Allocator,
    pub(super) node: &'a Node,
    pub(super) claims: &'a [Rc<ResourceClaim>],
    pub(super) pools: Vec<Pool<'a>>,
    /// By claim.
    pub(super) constraints: Vec<Vec<Constraint>>,
    pub(super) data: BTreeMap<RequestKey, RequestData<'a>>,
    /// The devices that were chosen, by claim.
    pub(super) chosen: Vec<Vec<ChosenDevice>>,
    /// What is known of the answers of selectors.
    selectable: BTreeMap<(RequestKey, Location), bool>,
    /// The claims for which a device was chosen.
    allocating: BTreeMap<DeviceId, BTreeSet<usize>>,
    allocating_capacity: Capacities,
    /// By pool.
    counters: BTreeMap<usize, Counters<'a>>,
    steps: usize,
    /// How many devices are being looked for at the same time.
    depth: usize,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        from: &'a Allocator,
        node: &'a Node,
        claims: &'a [Rc<ResourceClaim>],
        pools: Vec<Pool<'a>>,
    ) -> Search<'a> {
        Search {
            from,
            node,
            claims,
            pools,
            constraints: Vec::new(),
            data: BTreeMap::new(),
            chosen: vec![Vec::new(); claims.len()],
            selectable: BTreeMap::new(),
            allocating: BTreeMap::new(),
            allocating_capacity: Capacities::default(),
            counters: BTreeMap::new(),
            steps: 0,
            depth: 0,
        }
    }

    /// Whether all claims can get their devices. If so, these are in `chosen`.
    ///
    /// # Errors
    /// Why that cannot be said.
    pub(super) fn run(&mut self) -> Result<bool, Failure> {
        match self.next_request(RequestKey { claim: 0, request: 0, sub: 0 }) {
            Ok(done) => Ok(done),
            Err(Stop::TooMany) => Ok(false),
            Err(Stop::Failed(failure)) => Err(failure),
        }
    }

    /// Namespace and name of the claim of a request.
    fn claim_name(&self, key: RequestKey) -> String {
        self.claims.get(key.claim).map(|c| c.metadata.key().to_string()).unwrap_or_default()
    }

    /// The slice and the device at a place.
    pub(super) fn device(&self, at: Location) -> Option<(&'a ResourceSlice, &'a Device, &DeviceId)> {
        let slice = self.pools.get(at.pool)?.slices.get(at.slice)?;
        let of: &'a ResourceSlice = slice.slice;
        Some((of, devices(of).get(at.device)?, slice.ids.get(at.device)?))
    }

    fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps > MAX_STEPS { Err(Stop::Failed(Failure::TimedOut)) } else { Ok(()) }
    }

    /// Finds devices for a request and for all that come after it.
    fn next_request(&mut self, key: RequestKey) -> Result<bool, Stop> {
        self.step()?;
        let Some(claim) = self.claims.get(key.claim) else { return Ok(true) };
        let requests = devices_of(claim).and_then(|d| d.requests.as_ref()).map_or(0, Vec::len);
        if key.request >= requests {
            let asks = |claim: &Rc<ResourceClaim>| {
                devices_of(claim).and_then(|d| d.requests.as_ref()).is_some_and(|r| !r.is_empty())
            };
            let Some(skipped) = self.claims.iter().skip(key.claim + 1).position(asks) else {
                return Ok(true);
            };
            let claim = key.claim + 1 + skipped;
            return match self.next_request(RequestKey { claim, request: 0, sub: 0 }) {
                // Another choice for this claim may need fewer devices of the next one.
                Err(Stop::TooMany) => Ok(false),
                other => other,
            };
        }
        if self.data.get(&key).is_none_or(|d| d.parent.is_none()) {
            return self.next_device(key, 0, Location::default());
        }
        let mut too_many = true;
        for sub in 0.. {
            let alternative = RequestKey { sub, ..key };
            if !self.data.contains_key(&alternative) {
                break;
            }
            match self.next_device(alternative, 0, Location::default()) {
                Err(Stop::TooMany) => {}
                Ok(true) => {
                    if let Some(data) = self.data.get_mut(&key) {
                        data.selected = sub;
                    }
                    return Ok(true);
                }
                Ok(false) => too_many = false,
                Err(failed) => return Err(failed),
            }
        }
        if too_many { Err(Stop::TooMany) } else { Ok(false) }
    }

    /// Finds a request's device with this index, among those from a place on, and all devices that come after it.
    fn next_device(&mut self, key: RequestKey, index: usize, from: Location) -> Result<bool, Stop> {
        if self.depth >= MAX_DEPTH {
            return Err(Stop::Failed(Failure::TimedOut));
        }
        self.depth += 1;
        let found = self.find_device(key, index, from);
        self.depth -= 1;
        found
    }

    fn find_device(&mut self, key: RequestKey, index: usize, from: Location) -> Result<bool, Stop> {
        self.step()?;
        let Some(data) = self.data.get(&key).cloned() else { return Ok(false) };
        let is_all = data.request.mode() == Mode::All;
        if is_all && data.all.as_ref().is_none_or(Vec::is_empty) {
            return Ok(false);
        }
        if index >= data.count {
            return self.next_request(RequestKey { request: key.request + 1, sub: 0, ..key });
        }
        let have = self.chosen.get(key.claim).map_or(0, Vec::len);
        if have.saturating_add(data.count).saturating_sub(index) > MAX_RESULTS {
            return Err(Stop::TooMany);
        }
        if let Some(all) = &data.all {
            let Some(at) = all.get(index).copied() else { return Ok(false) };
            return self.try_device(key, &data, index, at, true);
        }
        for pool in from.pool..self.pools.len() {
            let Some(of) = self.pools.get(pool).filter(|p| p.state == PoolState::Complete) else { continue };
            let counts: Vec<usize> = of.slices.iter().map(|s| devices(s.slice).len()).collect();
            let first = if pool == from.pool { from.slice } else { 0 };
            for (slice, count) in counts.into_iter().enumerate().skip(first) {
                let here = pool == from.pool && slice == from.slice;
                for device in (if here { from.device } else { 0 })..count {
                    let at = Location { pool, slice, device };
                    if self.is_in_use(key, data.request, at)
                        || !self.is_selectable(key, &data, at).map_err(wrong)?
                        || !self.has_capacity(data.request, at)
                    {
                        continue;
                    }
                    if self.try_device(key, &data, index, at, false)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Chooses a device, and goes on with the next one; takes it back if that leads nowhere.
    fn try_device(
        &mut self,
        key: RequestKey,
        data: &RequestData<'a>,
        index: usize,
        at: Location,
        must: bool,
    ) -> Result<bool, Stop> {
        if !self.choose(key, data, at, must)? {
            return Ok(false);
        }
        let next = if must { Location::default() } else { Location { device: at.device + 1, ..at } };
        let done = self.next_device(key, index + 1, next);
        if !matches!(done, Ok(true)) {
            self.take_back(key, data, at);
        }
        done
    }

    fn is_in_use(&self, key: RequestKey, request: Request<'_>, at: Location) -> bool {
        let Some((_, _, id)) = self.device(at) else { return true };
        let chosen = self.allocating.get(id);
        if request.admin_access() {
            return chosen.is_some_and(|claims| claims.contains(&key.claim));
        }
        self.from.allocated.devices.contains(id) || chosen.is_some_and(|claims| !claims.is_empty())
    }

    /// Whether the selectors of class and request select a device, and the node can use it.
    pub(super) fn is_selectable(
        &mut self,
        key: RequestKey,
        data: &RequestData<'a>,
        at: Location,
    ) -> Result<bool, String> {
        if let Some(known) = self.selectable.get(&(key, at)) {
            return Ok(*known);
        }
        let Some((slice, device, id)) = self.device(at) else { return Ok(false) };
        let selectors = &self.from.selectors;
        let class = data.class.spec.selectors.as_deref().unwrap_or_default();
        let name_of_class = || format!("class {}", data.class.metadata.name());
        let name_of_claim = || format!("claim {}", self.claim_name(key));
        let here = || {
            let name = device.node_name.as_deref();
            slice.spec.per_device_node_selection != Some(true)
                || node_matches(self.node, name, device.all_nodes, device.node_selector.as_ref())
        };
        let selected = selectors.match_device(class, &id.driver, device, name_of_class)?
            && selectors.match_device(data.request.selectors(), &id.driver, device, name_of_claim)?
            && here();
        self.selectable.insert((key, at), selected);
        Ok(selected)
    }

    /// Whether enough of a device's capacity is left.
    pub(super) fn has_capacity(&self, request: Request<'_>, at: Location) -> bool {
        let Some((_, device, id)) = self.device(at) else { return false };
        let consumed = self.from.allocated.capacity.get(id);
        let allocating = self.allocating_capacity.get(id);
        capacity::suffices(device.capacity.as_ref(), request.capacity(), consumed, allocating)
    }

    /// Chooses a device if nothing is against it. `must` says that there is no other to be tried.
    fn choose(
        &mut self,
        key: RequestKey,
        data: &RequestData<'a>,
        at: Location,
        must: bool,
    ) -> Result<bool, Stop> {
        let Some((_, device, id)) = self.device(at) else { return Ok(false) };
        let id = id.clone();
        let request = data.request;
        let shared = device.allow_multiple_allocations == Some(true);
        if !(shared && request.admin_access()) && self.is_in_use(key, request, at) {
            return Ok(false);
        }
        let in_part =
            self.from.allocated.capacity.get(&id).is_some() || self.allocating_capacity.get(&id).is_some();
        let counts = consumes_counters(device) && !(shared && in_part);
        if counts && !self.take_counters(at.pool, device) {
            return Ok(false);
        }
        let refused = request.is_repelled_by(device.taints.as_ref()) || !self.has_capacity(request, at);
        if refused || !self.add_to_constraints(key, data, &id, device) {
            if !refused && must {
                let claim = self.claim_name(key);
                return Err(wrong(format!(
                    "claim {claim}, request {}: cannot add device {id} because a claim constraint would not be satisfied",
                    request.name()
                )));
            }
            // What was taken from the counters is not given back, as it is not in this release (kubernetes/kubernetes#140431).
            return Ok(false);
        }
        let share = shared.then(|| capacity::consumed_by(request.capacity(), device.capacity.as_ref()));
        match &share {
            Some(consumed) => self.allocating_capacity.insert(&id, consumed),
            None => {
                self.allocating.entry(id).or_default().insert(key.claim);
            }
        }
        if let Some(chosen) = self.chosen.get_mut(key.claim) {
            chosen.push(ChosenDevice { key, at, share });
        }
        Ok(true)
    }

    fn take_counters(&mut self, pool: usize, device: &'a Device) -> bool {
        let Some(of) = self.pools.get(pool) else { return false };
        let allocated = &self.from.allocated;
        self.counters.entry(pool).or_insert_with(|| Counters::new(of, allocated)).take(device)
    }

    /// Adds a device to all constraints of its claim, or to none.
    fn add_to_constraints(
        &mut self,
        key: RequestKey,
        data: &RequestData<'_>,
        id: &DeviceId,
        device: &Device,
    ) -> bool {
        let asking = asking(data);
        let Some(constraints) = self.constraints.get_mut(key.claim) else { return true };
        let refusing = constraints.iter_mut().position(|c| !c.add(asking, &id.driver, device));
        if let Some(refusing) = refusing {
            constraints.iter_mut().take(refusing).for_each(|c| c.remove(asking));
        }
        refusing.is_none()
    }

    /// Takes the device back that was chosen last.
    fn take_back(&mut self, key: RequestKey, data: &RequestData<'_>, at: Location) {
        let Some((_, device, id)) = self.device(at) else { return };
        let id = id.clone();
        for constraint in self.constraints.get_mut(key.claim).into_iter().flatten() {
            constraint.remove(asking(data));
        }
        let last = self.chosen.get_mut(key.claim).and_then(Vec::pop);
        match last.and_then(|chosen| chosen.share) {
            // Its counters are not given back, as they are not in Kubernetes.
            Some(consumed) => self.allocating_capacity.remove(&id, &consumed),
            None => {
                if let Some(claims) = self.allocating.get_mut(&id) {
                    claims.remove(&key.claim);
                }
                if consumes_counters(device)
                    && let Some(counters) = self.counters.get_mut(&at.pool)
                {
                    counters.give_back(device);
                }
            }
        }
    }
}

fn consumes_counters(device: &Device) -> bool {
    device.consumes_counters.as_ref().is_some_and(|c| !c.is_empty())
}

fn asking<'c>(data: &RequestData<'c>) -> Asking<'c> {
    match data.parent {
        Some(parent) => Asking { request: parent, alternative: Some(data.request.name()) },
        None => Asking { request: data.request.name(), alternative: None },
    }
}
