//! The library in a browser gives the same bytes as natively. The same tests run in both places, with the
//! same expected text; `cargo xtask test --only wasm` runs them in the browser.
#![allow(clippy::unwrap_used)]

use steady::api::{Kind, Object};
use steady::session::{Depth, Link, Replay, scenario};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

const MANIFEST: &str = include_str!("wasm/deployment.yaml");
const DECODED: &str = include_str!("wasm/deployment.json");
/// The digest of every scenario of ordinary size in its steady state; `STEADY_UPDATE=1 cargo test --test wasm` updates it.
const DIGESTS: &str = include_str!("wasm/digests.txt");
/// Links of random runs with faults in any order of actions, each with the digest of its end; `crates/fuzz` writes them.
const RUNS: &str = include_str!("wasm/runs.txt");
/// The most steps of a scenario.
const STEPS: usize = 20_000;

/// The first document of a manifest.
fn document(text: &str) -> serde_json::Value {
    let documents = steady::api::yaml::documents(text, &steady::api::yaml::Limits::default()).unwrap();
    documents.into_iter().next().unwrap().value
}

#[test]
fn a_manifest_decodes_to_the_same_json() {
    let value = document(MANIFEST);
    let object = Object::from_value(Kind::DEPLOYMENT, value).unwrap();
    assert_eq!(serde_json::to_string_pretty(&object.to_value()).unwrap(), DECODED.trim_end());
}

#[test]
fn an_unknown_field_has_the_same_path() {
    let value = document(&MANIFEST.replace("image:", "imagge:"));
    let decoded = Object::decode(Kind::DEPLOYMENT, value).unwrap();
    assert_eq!(decoded.unknown, ["spec.template.spec.containers[0].imagge"]);
}

/// One line for each scenario of ordinary size: its id, the number of steps until it is steady, and the digest there.
#[test]
fn every_scenario_runs_to_the_same_bytes() {
    let mut out = String::new();
    for s in scenario::ordinary() {
        let mut session = s.open();
        let mut steps = 0;
        while steps < STEPS && session.step(Depth::Command, None) {
            steps += 1;
        }
        assert!(steps < STEPS, "{} does not come to rest", s.id);
        out.push_str(&format!("{} {steps} {}\n", s.id, session.cluster().digest()));
    }
    #[cfg(not(target_arch = "wasm32"))]
    if std::env::var_os("STEADY_UPDATE").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wasm/digests.txt"), out).unwrap();
        return;
    }
    assert_eq!(out, DIGESTS);
}

#[test]
fn random_runs_are_repeated_to_the_same_bytes() {
    for link in RUNS.lines() {
        let link = Link::decode(link).unwrap();
        assert!(link.digest.is_some());
        let replayed = Replay::new(&link).finish();
        assert!(replayed.same, "another run is repeated: {:?}", link.digest);
    }
}
