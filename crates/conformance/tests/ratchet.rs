//! The recordings and the system under test: nothing that passed may be lost.
//!
//! `STEADY_UPDATE=1 cargo test -p steady-conformance --test ratchet` adds what passes now to
//! `tests/conformance/passing.txt`.

use steady_conformance::{Suite, default_dir, ratchet, wiring};

#[test]
fn what_passed_still_passes() {
    // A panic of the system under test is a difference, and need not be printed.
    std::panic::set_hook(Box::new(|_| {}));
    let mut outcomes = Vec::new();
    for suite in Suite::ALL {
        match suite.run(&default_dir(), "", &wiring::system, &wiring::compute_hash) {
            Ok(o) => outcomes.extend(o),
            Err(e) => panic!("{e}"),
        }
    }
    drop(std::panic::take_hook());
    let update = std::env::var("STEADY_UPDATE").is_ok_and(|v| v == "1");
    if let Err(lost) = ratchet::check(&default_dir().join("passing.txt"), &outcomes, update) {
        panic!("{lost}");
    }
}
