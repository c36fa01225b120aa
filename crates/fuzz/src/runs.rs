//! Random runs that are repeated elsewhere.

use crate::drive::Drive;
use crate::targets::{link, targets};

/// How many runs there are, but for those with long links.
const RUNS: usize = 8;
/// The longest link.
const LENGTH: usize = 6_000;

/// The links of some random runs, which `tests/wasm.rs` repeats in a browser: each has the digest of its end.
pub fn links() -> Vec<String> {
    let Some(target) = targets().iter().find(|t| t.name == "orders") else { return Vec::new() };
    let mut drive = Drive::new(target, 36);
    drive.skip_own();
    let links = (0..RUNS).filter_map(|_| link(&drive.next_input()));
    let mut links: Vec<String> = links.filter(|l| l.len() < LENGTH).collect();
    links.sort();
    links.dedup();
    links
}
