//! The library as an ES module: a cluster for a benchmark or another site, without the page.
//! `cargo xtask lib` builds it into `pkg/`.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen::prelude::*;

/// Runs once, when the module is initialised.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// The library's version.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
