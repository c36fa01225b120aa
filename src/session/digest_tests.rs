//! Digests of clusters, as in scenarios.

use super::{Depth, scenario};
use crate::cluster::Digesting;

#[test]
fn a_fingerprint_in_slices_is_the_same_fingerprint() {
    for s in scenario::all().into_iter().take(3) {
        let mut session = s.open();
        for _ in 0..5 {
            session.step(Depth::Command, None);
        }
        let cluster = session.cluster();
        for objects in [0, 1, 3, 1000] {
            let mut slices = Digesting::new(cluster.clone());
            let sliced = loop {
                if let Some(d) = slices.advance(objects) {
                    break d;
                }
            };
            assert_eq!(sliced, cluster.digest(), "{objects} at a time");
        }
    }
}
