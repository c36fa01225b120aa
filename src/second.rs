//! The page's second part. As it is published its wasm is cut in two (`crates/split/`): what opening the page runs,
//! and the rest, which static/boot.js loads after the first paint. Where the first part comes upon a function
//! of the second that is not there yet, what `split` puts in its place calls [`load_second`].

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// static/boot.js: has the second part in place when it comes back, or throws.
    #[wasm_bindgen(js_name = steadySecond)]
    fn second(exports: &JsValue);
}

/// Has the second part loaded, now and whatever it takes. Nothing in Rust calls this: crates/split/src/cut.rs knows it
/// by its name.
#[wasm_bindgen(js_name = steadyLoadSecond)]
pub fn load_second() {
    second(&wasm_bindgen::exports());
}
