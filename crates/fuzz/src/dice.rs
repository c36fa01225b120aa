//! Chance with a seed: the same seed gives the same inputs everywhere.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

/// A source of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Dice(Pcg32);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(Pcg32::seed_from_u64(seed))
    }

    /// A number below `n`; 0 if there is none.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.0.next_u64() % n.max(1) as u64) as usize
    }

    /// True once in `n` times.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of them.
    ///
    /// # Panics
    /// If there are none.
    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}
