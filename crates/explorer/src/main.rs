//! The worker's wasm: `static/explorer.js` loads it, gives it time, and carries the messages. Natively there
//! is nothing to run.

#[cfg(target_arch = "wasm32")]
mod worker {
    use steady::session::explore::message::{Ask, Tell, VERSION, read, write};
    use steady_explorer::Work;
    use wasm_bindgen::prelude::*;

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_namespace = performance, js_name = now)]
        fn clock() -> f64;
    }

    /// The worker's state.
    #[wasm_bindgen]
    #[derive(Default)]
    pub struct Explorer(Work);

    #[wasm_bindgen]
    impl Explorer {
        /// A worker without a task.
        #[wasm_bindgen(constructor)]
        pub fn new() -> Explorer {
            console_error_panic_hook::set_once();
            Explorer::default()
        }

        /// The worker's first message.
        pub fn ready(&self) -> String {
            write(&[Tell::Ready(VERSION)])
        }

        /// Handles a message. Returns the answers as a JSON list.
        pub fn hear(&mut self, message: &str) -> String {
            match read::<Ask>(message) {
                Ok(ask) => write(&self.0.hear(ask, memory())),
                Err(why) => write(&[Tell::Refused(why)]),
            }
        }

        /// Continues the task for this many milliseconds. Returns the messages as a JSON list.
        #[wasm_bindgen(js_name = goOn)]
        pub fn go_on(&mut self, milliseconds: f64) -> String {
            let end = clock() + milliseconds;
            write(&self.0.go_on(|| clock() < end, memory))
        }

        /// Whether there is a task to continue.
        pub fn busy(&self) -> bool {
            self.0.is_busy()
        }
    }

    /// The memory of this wasm in bytes. It only ever grows.
    fn memory() -> usize {
        core::arch::wasm32::memory_size::<0>() << 16
    }
}

fn main() {
    #[cfg(not(target_arch = "wasm32"))]
    eprintln!("this is the page's worker: run `cargo xtask serve`, and open “Every order” in the page.");
}
