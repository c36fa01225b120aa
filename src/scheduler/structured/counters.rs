//! The counters that the devices of a pool share (`checkAvailableCounters`).

use std::collections::BTreeMap;

use super::AllocatedState;
use super::pools::{Pool, devices};
use crate::api::quantity::{Amount, amount_of};
use crate::api::types::resource::Device;

/// Amounts by the names of a set of counters and of a counter.
type Amounts<'s> = BTreeMap<(&'s str, &'s str), Amount>;

/// The counters of a pool during a search.
#[derive(Clone, Debug)]
pub(super) struct Counters<'s> {
    /// What the devices that are taken leave.
    available: Amounts<'s>,
    /// What the devices consume that are being chosen.
    consumed: Amounts<'s>,
}

fn consumption(device: &Device) -> impl Iterator<Item = ((&str, &str), Amount)> {
    device.consumes_counters.iter().flatten().flat_map(|of| {
        let set = of.counter_set.as_str();
        of.counters.iter().map(move |(name, c)| ((set, name.as_str()), amount_of(Some(&c.value))))
    })
}

impl<'s> Counters<'s> {
    pub(super) fn new(pool: &Pool<'s>, allocated: &AllocatedState) -> Counters<'s> {
        let mut available = Amounts::new();
        for (name, set) in &pool.counter_sets {
            let counters = set.counters.iter();
            available.extend(counters.map(|(c, of)| ((*name, c.as_str()), amount_of(Some(&of.value)))));
        }
        for slice in pool.slices.iter().chain(&pool.elsewhere) {
            let taken = devices(slice.slice).iter().zip(&slice.ids);
            for (device, _) in taken.filter(|(_, id)| allocated.is_allocated(id)) {
                for (counter, amount) in consumption(device) {
                    if let Some(left) = available.get_mut(&counter) {
                        *left = left.minus(amount);
                    }
                }
            }
        }
        Counters { available, consumed: Amounts::new() }
    }

    /// Takes what a device consumes; false, and nothing is taken, if there is not enough left.
    pub(super) fn take(&mut self, device: &'s Device) -> bool {
        for (counter, amount) in consumption(device) {
            self.consumed.entry(counter).and_modify(|sum| *sum = sum.plus(amount)).or_insert(amount);
        }
        let zero = amount_of(None);
        let enough = self
            .available
            .iter()
            .all(|(counter, left)| *left >= self.consumed.get(counter).copied().unwrap_or(zero));
        if !enough {
            self.give_back(device);
        }
        enough
    }

    pub(super) fn give_back(&mut self, device: &'s Device) {
        for (counter, amount) in consumption(device) {
            if let Some(sum) = self.consumed.get_mut(&counter) {
                *sum = sum.minus(amount);
            }
        }
    }
}
