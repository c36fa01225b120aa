//! Properties that hold for every Deployment, every edit, every fault and every order.
//!
//! `machine` makes random runs, `invariants` checks them, `every_order` explores small clusters, `text` tries what people
//! type, `wire` compares the requests of components with the same requests over HTTP.
//! `PROPTEST_CASES=1000 cargo test --test properties` tries more.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod differential;
mod every_order;
mod invariants;
mod machine;
mod orders;
mod text;
mod wire;

/// This number of cases, the same ones each time. `PROPTEST_CASES` sets another number, of new cases, as the weekly
/// workflow does. A failing case is shrunk, and its seed is stored in `tests/proptest-regressions/`, in a file named
/// as that of the test; later runs begin with the stored seeds, so they are committed.
fn cases(n: u32) -> proptest::test_runner::Config {
    use proptest::test_runner::{Config, FileFailurePersistence, RngSeed};
    let asked: Option<u32> = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok());
    Config {
        cases: asked.unwrap_or(n),
        rng_seed: if asked.is_some() { RngSeed::Random } else { RngSeed::Fixed(1) },
        failure_persistence: Some(Box::new(FileFailurePersistence::SourceParallel("proptest-regressions"))),
        max_shrink_time: 15_000,
        ..Config::default()
    }
}
