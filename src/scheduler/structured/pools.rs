//! The pools of devices that a node can use (`pools_incubating.go`).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::DeviceId;
use crate::api::node_selector::Terms;
use crate::api::types::resource::{CounterSet, Device, ResourceSlice};
use crate::api::types::{Node, NodeSelector};
use crate::api::{MetaExt, order};

/// Whether devices can be taken from a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PoolState {
    Complete,
    /// Not all of its slices are there.
    Incomplete,
    /// Its slices contradict each other.
    Invalid,
}

/// A slice with devices, and the names of these.
#[derive(Clone, Debug)]
pub(super) struct Slice<'s> {
    pub(super) slice: &'s ResourceSlice,
    pub(super) ids: Vec<DeviceId>,
}

/// A pool, as far as a node can use it.
#[derive(Clone, Debug)]
pub(super) struct Pool<'s> {
    pub(super) driver: Rc<str>,
    pub(super) name: Rc<str>,
    pub(super) state: PoolState,
    /// The slices with devices that the node can use, sorted by name.
    pub(super) slices: Vec<Slice<'s>>,
    /// The slices with devices that only other nodes can use.
    pub(super) elsewhere: Vec<Slice<'s>>,
    pub(super) counter_sets: BTreeMap<&'s str, &'s CounterSet>,
}

pub(super) fn devices(slice: &ResourceSlice) -> &[Device] {
    slice.spec.devices.as_deref().unwrap_or_default()
}

fn counter_sets(slice: &ResourceSlice) -> &[CounterSet] {
    slice.spec.shared_counters.as_deref().unwrap_or_default()
}

impl<'s> Slice<'s> {
    fn new(slice: &'s ResourceSlice, driver: &Rc<str>, pool: &Rc<str>) -> Slice<'s> {
        let id = |d: &Device| DeviceId {
            driver: driver.clone(),
            pool: pool.clone(),
            device: d.name.as_str().into(),
        };
        Slice { slice, ids: devices(slice).iter().map(id).collect() }
    }
}

/// Whether a node is one of those that a slice or a device is for (`NodeMatches`).
pub(super) fn node_matches(
    node: &Node,
    name: Option<&str>,
    all: Option<bool>,
    selector: Option<&NodeSelector>,
) -> bool {
    match name.filter(|n| !n.is_empty()) {
        Some(name) => node.metadata.name() == name,
        None => all == Some(true) || selector.is_some_and(|s| Terms::parse(s).matches(node)),
    }
}

/// Whether a node can use something of a slice.
fn is_relevant(slice: &ResourceSlice, node: &Node) -> bool {
    let spec = &slice.spec;
    if !counter_sets(slice).is_empty() {
        return true;
    }
    if spec.per_device_node_selection != Some(true) {
        return node_matches(node, spec.node_name.as_deref(), spec.all_nodes, spec.node_selector.as_ref());
    }
    let mut devices = devices(slice).iter();
    devices.any(|d| node_matches(node, d.node_name.as_deref(), d.all_nodes, d.node_selector.as_ref()))
}

/// All pools of which a node can use something: those whose devices have no binding conditions first, each group sorted by
/// driver and name (`GatherPools`).
pub(super) fn gather<'s>(slices: &'s [Rc<ResourceSlice>], node: &Node) -> Vec<Pool<'s>> {
    let mut pools: BTreeMap<(&str, &str), Vec<&'s ResourceSlice>> = BTreeMap::new();
    for slice in slices.iter().filter(|s| is_relevant(s, node)) {
        let pool = &slice.spec.pool;
        let of = pools.entry((&slice.spec.driver, &pool.name)).or_default();
        let known = of.first().map_or(i64::MIN, |s| s.spec.pool.generation);
        if pool.generation > known {
            of.clear();
        }
        if pool.generation >= known {
            of.push(slice);
        }
    }
    let mut all: Vec<Pool<'s>> = pools.into_iter().filter_map(|(id, here)| pool(id, here, slices)).collect();
    order::sort_by_key(&mut all, has_binding_conditions);
    all
}

/// A pool of which a node can use these slices; `None` if there are newer ones that it cannot use.
fn pool<'s>(
    (driver, name): (&str, &str),
    mut here: Vec<&'s ResourceSlice>,
    slices: &'s [Rc<ResourceSlice>],
) -> Option<Pool<'s>> {
    let first = here.first()?.spec.pool.clone();
    let is_all = |n: usize| i64::try_from(n) == Ok(first.resource_slice_count);
    let mut elsewhere = Vec::new();
    let mut state = PoolState::Complete;
    if !is_all(here.len()) {
        let same = |s: &&Rc<ResourceSlice>| s.spec.driver == driver && s.spec.pool.name == name;
        if slices.iter().filter(same).any(|s| s.spec.pool.generation > first.generation) {
            return None;
        }
        let all: Vec<&'s ResourceSlice> = slices
            .iter()
            .filter(same)
            .filter(|s| s.spec.pool.generation == first.generation)
            .map(|s| &**s)
            .collect();
        if !is_all(all.len()) {
            state = PoolState::Incomplete;
        }
        let used: BTreeSet<&str> = order::gather(here.iter().map(|s| s.metadata.name()));
        elsewhere = all.into_iter().filter(|s| !used.contains(s.metadata.name())).collect();
    }
    order::sort_by_key(&mut here, |s| s.metadata.name().to_owned());
    let (driver, name): (Rc<str>, Rc<str>) = (driver.into(), name.into());
    let sets = here.iter().flat_map(|s| counter_sets(s)).map(|set| (set.name.as_str(), set)).collect();
    let valid = is_valid(&here, &elsewhere, &sets);
    if state == PoolState::Complete && !valid {
        state = PoolState::Invalid;
    }
    let with_names = |slices: Vec<&'s ResourceSlice>| {
        slices.into_iter().map(|s| Slice::new(s, &driver, &name)).collect::<Vec<_>>()
    };
    if state != PoolState::Complete {
        return Some(Pool {
            state,
            slices: Vec::new(),
            elsewhere: Vec::new(),
            counter_sets: BTreeMap::new(),
            driver,
            name,
        });
    }
    here.retain(|s| counter_sets(s).is_empty());
    let (slices, elsewhere) = (with_names(here), with_names(elsewhere));
    Some(Pool { state, slices, elsewhere, counter_sets: sets, driver, name })
}

/// Whether the slices of a pool name each device and each set of counters once, and consume counters that are there
/// (`buildPool`).
fn is_valid(
    here: &[&ResourceSlice],
    elsewhere: &[&ResourceSlice],
    sets: &BTreeMap<&str, &CounterSet>,
) -> bool {
    let mut names = BTreeSet::new();
    let with_devices = here.iter().filter(|s| counter_sets(s).is_empty());
    let unique = with_devices.flat_map(|s| devices(s)).all(|d| names.insert(d.name.as_str()));
    let count: usize = here.iter().map(|s| counter_sets(s).len()).sum();
    let mut consumed = here
        .iter()
        .chain(elsewhere)
        .flat_map(|s| devices(s))
        .flat_map(|d| d.consumes_counters.iter().flatten());
    let known = consumed.all(|consumed| {
        let set = sets.get(consumed.counter_set.as_str());
        set.is_some_and(|set| consumed.counters.keys().all(|name| set.counters.contains_key(name)))
    });
    unique && count == sets.len() && known
}

fn has_binding_conditions(pool: &Pool<'_>) -> bool {
    let mut all = pool.slices.iter().flat_map(|s| devices(s.slice));
    all.any(|d| d.binding_conditions.is_some())
}
