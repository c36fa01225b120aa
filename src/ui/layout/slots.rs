//! Where things stood, so that they stay there.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use steady::engine::Kind;

use super::FOLD_ABOVE;

/// What shares slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    /// The pods of an owner, by its [`GraphNode::id`].
    Owner(u128),
    /// The pods without an owner.
    Orphans,
    /// The pods of owners that are cells of a grid.
    Shared,
    /// The objects of a kind of which there are many.
    Kind(Kind),
}

/// Where things stood: kept from one layout to the next.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// The order in which cards were first seen, by [`GraphNode::id`].
    pub(super) order: BTreeMap<u128, usize>,
    /// The slots of each group.
    pub(super) columns: BTreeMap<Group, Column>,
    /// Owners without pods whose room was given up.
    pub(super) empty: BTreeSet<Group>,
    /// How wide the pods' column has been.
    pub(super) pods_width: f32,
    /// How many groups there have been at once.
    pub(super) groups: usize,
    /// Whether the other objects stand below the nodes, and not below the pods.
    pub(super) beside: bool,
    /// How high the columns of workloads and pods have been.
    pub(super) height: f32,
    pub(super) tick: u64,
    /// Whether the pane is so low that cards stand close together, however few they are.
    low: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Column {
    /// By [`GraphNode::id`]. It is only looked into, so its order means nothing.
    slot_of: HashMap<u128, usize>,
    pub(super) used: Vec<u64>,
    folded: bool,
}

impl Column {
    /// A slot for each pod, in their order. Pods with a fixed place have that slot, whichever pod was there before.
    pub(super) fn assign(&mut self, pods: &[(u128, Option<usize>)], room: usize, tick: u64) -> Vec<usize> {
        let folded = pods.len().max(room) > FOLD_ABOVE;
        if self.folded && !folded {
            // What a grid left behind would scatter the few over many rows.
            *self = Column::default();
        }
        self.folded = folded;
        let last = pods.iter().filter_map(|(_, place)| *place).max();
        while last.is_some_and(|last| self.used.len() <= last) {
            self.used.push(tick);
        }
        let mut taken = vec![false; self.used.len()];
        let mut take = |slot: usize| taken.get_mut(slot).is_some_and(|t| !std::mem::replace(t, true));
        let mut slots: Vec<Option<usize>> = Vec::with_capacity(pods.len());
        for (pod, place) in pods {
            let known = place.or_else(|| self.slot_of.get(pod).copied());
            slots.push(known.filter(|s| take(*s)));
        }
        let mut free: Option<Vec<usize>> = None;
        for (slot, (pod, _)) in slots.iter_mut().zip(pods).filter(|(s, _)| s.is_none()) {
            let new = if self.used.len() < room {
                self.used.len()
            } else {
                let free = free.get_or_insert_with(|| {
                    let is_free = |s: &usize| !taken.get(*s).copied().unwrap_or(false);
                    let mut free: Vec<usize> = (0..taken.len()).filter(is_free).collect();
                    // The one that was left longest ago is taken first, from the end.
                    free.sort_by_key(|s| std::cmp::Reverse((self.used.get(*s).copied(), *s)));
                    free
                });
                free.pop().unwrap_or(self.used.len())
            };
            if new == self.used.len() {
                self.used.push(tick);
            }
            self.slot_of.insert(*pod, new);
            *slot = Some(new);
        }
        let slots: Vec<usize> = slots.into_iter().flatten().collect();
        for s in &slots {
            if let Some(used) = self.used.get_mut(*s) {
                *used = tick;
            }
        }
        slots
    }
}

impl Slots {
    /// No places yet. `low` says whether the pane is so low that cards stand close together.
    pub fn of(low: bool) -> Slots {
        Slots { low, ..Slots::default() }
    }

    /// Whether there are so many groups, or so little room, that they stand close together. It stays so, because all would
    /// move otherwise.
    pub(super) fn dense(&self) -> bool {
        self.low || self.groups > super::FEW_GROUPS
    }
}
