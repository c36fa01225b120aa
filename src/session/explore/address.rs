//! A map by the addresses of values that are kept.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Something for each of many values, by their addresses. It is asked for one address at a time and never gone through, so
/// nothing depends on where values lie. Whoever adds an entry keeps the value, or its address would be used again.
pub(super) type ByAddress<V> = HashMap<usize, V, BuildHasherDefault<OfAddress>>;

/// Hashes an address: one multiplication, since addresses differ in their middle bits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OfAddress(u64);

impl Hasher for OfAddress {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.write_usize(usize::from(*b));
        }
    }

    fn write_u128(&mut self, n: u128) {
        // A fingerprint, whose bits are irregular already.
        self.0 ^= n as u64;
    }

    fn write_usize(&mut self, n: usize) {
        self.0 = (self.0 ^ n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
}
