//! The workers' wasm: `static/worker.js` loads it, gives it time, and carries the messages. Natively there
//! is nothing to run.

#[cfg(target_arch = "wasm32")]
mod worker {
    use steady::session::explore::message::{Ask, Call, Said, Tell, VERSION, read, write};
    use steady_worker::{Search, Serving, Work};
    use wasm_bindgen::prelude::*;

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_namespace = performance, js_name = now)]
        fn clock() -> f64;
        /// static/worker.js: has the second part of this wasm in place when it comes back, or throws.
        #[wasm_bindgen(js_name = steadySecond)]
        fn second(exports: &JsValue);
    }

    /// Has the second part of the wasm loaded, now and whatever it takes. As it is published the wasm is cut in two
    /// (`crates/split/`): what the first step runs, and the rest, which is loaded after it. Where the first part comes upon a
    /// function of the second that is not there yet, what `split` puts in its place calls this. Nothing in Rust does:
    /// crates/split/src/cut.rs knows it by its name.
    #[wasm_bindgen(js_name = steadyLoadSecond)]
    pub fn load_second() {
        second(&wasm_bindgen::exports());
    }

    /// How many milliseconds the explorer works before messages are heard.
    const SLICE: f64 = 40.0;

    /// The engine of the page.
    #[wasm_bindgen]
    pub struct EngineRole(Serving);

    #[wasm_bindgen]
    impl EngineRole {
        /// A new engine.
        #[wasm_bindgen(constructor)]
        pub fn new() -> EngineRole {
            console_error_panic_hook::set_once();
            EngineRole(Serving::new(clock))
        }

        /// What is told before anything is heard: nothing.
        pub fn ready(&self) -> String {
            "[]".to_owned()
        }

        /// Carries out an order. Returns the messages as a JSON list.
        pub fn hear(&mut self, order: &str) -> Result<String, String> {
            self.0.hear(order)
        }

        /// Goes on for a slice. Returns the messages as a JSON list.
        #[wasm_bindgen(js_name = goOn)]
        pub fn go_on(&mut self) -> String {
            self.0.go_on()
        }

        /// In how many milliseconds it wants to go on; `undefined` if it waits for an order.
        pub fn due(&self) -> Option<f64> {
            self.0.due()
        }
    }

    /// The explorer, which rehearses rollouts, too.
    #[wasm_bindgen]
    pub struct ExplorerRole(Work);

    #[wasm_bindgen]
    impl ExplorerRole {
        /// An explorer without a task, on a machine with so many cores.
        #[wasm_bindgen(constructor)]
        pub fn new(cores: usize) -> ExplorerRole {
            console_error_panic_hook::set_once();
            ExplorerRole(Work::new(cores))
        }

        /// The first message.
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

        /// Continues the task for a slice. Returns the messages as a JSON list.
        #[wasm_bindgen(js_name = goOn)]
        pub fn go_on(&mut self) -> String {
            let end = clock() + SLICE;
            write(&self.0.go_on(|| clock() < end, memory))
        }

        /// As that of the engine: at once, as long as there is a task that does not wait for other workers.
        pub fn due(&self) -> Option<f64> {
            (self.0.is_busy() && !self.0.waits_for_others()).then_some(0.0)
        }

        /// Handles a message of a worker that helps. Returns the messages as a JSON list.
        #[wasm_bindgen(js_name = hearHelper)]
        pub fn hear_helper(&mut self, n: usize, message: &str) -> String {
            let said = read::<Vec<Said>>(message).unwrap_or_else(|why| vec![Said::Failed(why)]);
            write(&self.0.hear_helper(n, said, memory()))
        }

        /// What workers that help are to do, as the JSON of `Calls`; `undefined` if nothing.
        pub fn calls(&mut self) -> Option<String> {
            self.0.calls().map(|calls| write(&calls))
        }
    }

    /// A worker that helps an explorer.
    #[wasm_bindgen]
    pub struct SearcherRole(Search);

    #[wasm_bindgen]
    impl SearcherRole {
        /// A searcher without a task.
        #[wasm_bindgen(constructor)]
        pub fn new() -> SearcherRole {
            console_error_panic_hook::set_once();
            SearcherRole(Search::default())
        }

        /// What is told before anything is heard: nothing.
        pub fn ready(&self) -> String {
            "[]".to_owned()
        }

        /// Handles a message of the explorer. Returns the answers as a JSON list.
        pub fn hear(&mut self, message: &str) -> String {
            match read::<Call>(message) {
                Ok(call) => write(&self.0.hear(call)),
                Err(why) => write(&[Said::Failed(why)]),
            }
        }

        /// Continues the task for a slice. Returns the messages as a JSON list.
        #[wasm_bindgen(js_name = goOn)]
        pub fn go_on(&mut self) -> String {
            let end = clock() + SLICE;
            write(&self.0.go_on(|| clock() < end, memory))
        }

        /// As that of the explorer.
        pub fn due(&self) -> Option<f64> {
            self.0.is_busy().then_some(0.0)
        }
    }

    /// The memory of this wasm in bytes. It only ever grows.
    fn memory() -> usize {
        core::arch::wasm32::memory_size::<0>() << 16
    }
}

fn main() {
    #[cfg(not(target_arch = "wasm32"))]
    eprintln!("these are the page's workers: run `cargo xtask serve`, and use the page.");
}
