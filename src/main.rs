//! The page. In a browser it mounts [`ui`]; natively there is nothing to run.

#[cfg(any(target_arch = "wasm32", test))]
mod ui;

/// The second part of the page's wasm, as crates/worker/src/main.rs has it for the engine's.
#[cfg(target_arch = "wasm32")]
mod second {
    use wasm_bindgen::prelude::*;

    #[wasm_bindgen]
    extern "C" {
        /// static/boot.js: has the second part of this wasm in place when it comes back, or throws.
        #[wasm_bindgen(js_name = steadySecond)]
        fn second(exports: &JsValue);
    }

    /// Has the second part of the wasm loaded. What crates/split puts in the place of a function that has moved there calls
    /// this; nothing in Rust does.
    #[wasm_bindgen(js_name = steadyLoadSecond)]
    pub fn load_second() {
        second(&wasm_bindgen::exports());
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {
    console_error_panic_hook::set_once();
    ui::mount();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("steady is a page: run `cargo xtask serve` and open the address it prints.");
}
