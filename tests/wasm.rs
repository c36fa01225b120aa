//! The library in a browser: the same bytes as natively. `cargo xtask test --only wasm` runs these.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used)]

use steady::api::{Kind, Object};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const MANIFEST: &str = include_str!("wasm/deployment.yaml");
const DECODED: &str = include_str!("wasm/deployment.json");

#[wasm_bindgen_test]
fn a_manifest_decodes_to_the_same_json_as_natively() {
    assert_eq!(decoded(), DECODED.trim_end());
}

#[wasm_bindgen_test]
fn an_unknown_field_has_the_same_path_as_natively() {
    let value = serde_yaml::from_str(&MANIFEST.replace("image:", "imagge:")).unwrap();
    let decoded = Object::decode(Kind::Deployment, value).unwrap();
    assert_eq!(decoded.unknown, ["spec.template.spec.containers[0].imagge"]);
}

fn decoded() -> String {
    let value = serde_yaml::from_str(MANIFEST).unwrap();
    serde_json::to_string_pretty(&Object::from_value(Kind::Deployment, value).unwrap().to_value()).unwrap()
}
