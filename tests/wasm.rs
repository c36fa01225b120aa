//! The library in a browser: the same bytes as natively. The same tests run in both places, against
//! the same expected text; `cargo xtask test --only wasm` runs them in the browser.
#![allow(clippy::unwrap_used)]

use steady::api::{Kind, Object};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

const MANIFEST: &str = include_str!("wasm/deployment.yaml");
const DECODED: &str = include_str!("wasm/deployment.json");

#[test]
fn a_manifest_decodes_to_the_same_json() {
    let value = serde_yaml::from_str(MANIFEST).unwrap();
    let object = Object::from_value(Kind::Deployment, value).unwrap();
    assert_eq!(serde_json::to_string_pretty(&object.to_value()).unwrap(), DECODED.trim_end());
}

#[test]
fn an_unknown_field_has_the_same_path() {
    let value = serde_yaml::from_str(&MANIFEST.replace("image:", "imagge:")).unwrap();
    let decoded = Object::decode(Kind::Deployment, value).unwrap();
    assert_eq!(decoded.unknown, ["spec.template.spec.containers[0].imagge"]);
}
