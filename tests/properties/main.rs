//! What holds for every Deployment, every edit, every fault and every order.
//!
//! `machine` has the random runs, `invariants` what must hold in them, `text` what people type.
//! `PROPTEST_CASES=1000 cargo test --test properties` looks longer.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod invariants;
mod machine;
mod orders;
mod text;

/// So many cases, unless `PROPTEST_CASES` says otherwise; failures are shrunk but not written down.
fn cases(n: u32) -> proptest::test_runner::Config {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok());
    proptest::test_runner::Config {
        cases: asked.unwrap_or(n),
        failure_persistence: None,
        max_shrink_time: 15_000,
        ..Default::default()
    }
}
