//! What Kubernetes throws dice for. Here the same command gets the same.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

/// The characters of generated names (`k8s.io/apimachinery/pkg/util/rand`).
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// The five characters at the end of a generated name.
pub(super) fn suffix(seed: u64) -> String {
    let mut dice = Pcg32::seed_from_u64(seed);
    let letters = (0..5).filter_map(|_| {
        let at = usize::try_from(dice.next_u32()).unwrap_or(0) % ALPHABET.len();
        ALPHABET.get(at).map(|b| char::from(*b))
    });
    letters.collect()
}
