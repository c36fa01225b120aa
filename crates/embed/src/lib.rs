//! The library as an ES module: a cluster for a benchmark or another site, without the page. `cargo xtask
//! lib` builds it into `pkg/`; docs/embed.md describes its use.
#![cfg(target_arch = "wasm32")]

use js_sys::{JSON, Reflect};
use steady::api::ip_family::NoSuchIpFamily;
use steady::cluster::NoSuchPolicy;
use steady::kubectl::Output;
use steady::session::{
    Depth, Link, Policy, Replay, STEPS_LIMIT, Session, Start, handle,
    link::{MEMBERS, NODES_LIMIT},
    scenario,
};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.ts");

#[wasm_bindgen]
extern "C" {
    /// The type of the constructor's argument.
    #[wasm_bindgen(typescript_type = "Options")]
    pub type Options;
    /// The type of a depth's name.
    #[wasm_bindgen(typescript_type = "Depth")]
    pub type DepthName;
    /// The type of a command line's output.
    #[wasm_bindgen(typescript_type = "Output")]
    pub type Printed;
    /// The type of the list of next commands.
    #[wasm_bindgen(typescript_type = "NextCommand[]")]
    pub type NextCommands;
    /// The type of a list of actions or objects.
    #[wasm_bindgen(typescript_type = "any[]")]
    pub type Values;
    /// The type of the result of a run for some time.
    #[wasm_bindgen(typescript_type = "Ran")]
    pub type Ran;

    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn clock() -> f64;
}

/// The most next commands: one for each component of a large cluster would take long.
const NEXT_COMMANDS: usize = 32;
/// After this many steps the clock is read.
const STEPS_A_LOOK: u32 = 16;

/// Runs once when the module is initialised.
#[wasm_bindgen(start)]
pub fn start() {
    console_error_panic_hook::set_once();
}

/// The version of the library.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The ids of the scenarios.
#[wasm_bindgen]
pub fn scenarios() -> Vec<String> {
    scenario::list().iter().map(|s| s.id.to_owned()).collect()
}

/// A cluster with its history. It has the same calls as the page's `window.steady`.
#[wasm_bindgen]
pub struct Steady(Session);

#[wasm_bindgen]
impl Steady {
    /// A cluster after its start. Throws if there is no such scenario, or if there are too many nodes.
    #[wasm_bindgen(constructor)]
    pub fn new(options: Option<Options>) -> Result<Steady, JsError> {
        let options: JsValue = options.map_or(JsValue::UNDEFINED, Into::into);
        let get = |name: &str| Reflect::get(&options, &name.into()).unwrap_or(JsValue::UNDEFINED);
        let name = get("scenario").as_string().filter(|s| !s.is_empty());
        let found = match &name {
            Some(id) => Some(
                scenario::find(id).ok_or_else(|| JsError::new(&format!("there is no scenario {id:?}")))?,
            ),
            None => None,
        };
        let mut start = found.as_ref().map_or_else(Start::default, scenario::Scenario::start);
        if let Some(seed) = whole(&get("seed"), "seed", f64::from(u32::MAX))? {
            start.seed = seed;
        }
        if let Some(nodes) = whole(&get("nodes"), "nodes", NODES_LIMIT as f64)? {
            start.nodes = nodes as usize;
        }
        if let Some(members) = whole(&get("etcd"), "etcd", 5.0)? {
            start.etcd = members as usize;
            if !MEMBERS.contains(&start.etcd) {
                return Err(JsError::new("etcd must be 1, 3 or 5"));
            }
        }
        let families = get("ipFamily");
        if !families.is_undefined() && !families.is_null() {
            let name = families.as_string().ok_or_else(|| JsError::new("ipFamily must be a string"))?;
            start.ip_family = name.parse().map_err(|e: NoSuchIpFamily| JsError::new(&e.to_string()))?;
        }
        let policy = match get("policy").as_string().filter(|p| !p.is_empty()) {
            Some(name) => policy(&name)?,
            None => Policy::Fair,
        };
        let mut session = Session::new(start);
        if let Some(s) = found {
            for deed in &s.setup {
                s.perform(&mut session, deed);
            }
        }
        session.set_policy(policy);
        Ok(Steady(session))
    }

    /// The policy of steps without a chosen component: `fair`, `newest`, `random:<seed>` or
    /// `starved:<component>`.
    pub fn policy(&self) -> String {
        self.0.policy().to_string()
    }

    /// Sets the policy of further steps. Throws if there is no such policy.
    #[wasm_bindgen(js_name = setPolicy)]
    pub fn set_policy(&mut self, name: &str) -> Result<(), JsError> {
        self.0.set_policy(policy(name)?);
        Ok(())
    }

    /// Applies a manifest, as `kubectl apply -f`.
    pub fn apply(&mut self, yaml: &str) -> Printed {
        printed(&self.0.apply(yaml))
    }

    /// Runs a kubectl command line, without `kubectl`. `manifest` is the content of `manifest.yaml`.
    pub fn kubectl(&mut self, line: &str, manifest: Option<String>) -> Printed {
        let files: Vec<(&str, &str)> = manifest.iter().map(|m| ("manifest.yaml", m.as_str())).collect();
        printed(&self.0.kubectl(line, &files))
    }

    /// Takes a step of the component `choice` (the `actor` of a next command), or of the one whose turn it
    /// is. Returns whether there was a step.
    pub fn step(&mut self, depth: Option<DepthName>, choice: Option<String>) -> Result<bool, JsError> {
        let name = depth.and_then(|d| JsValue::from(d).as_string());
        let depth = match name.as_deref() {
            None | Some("command") => Depth::Command,
            Some("reconcile") => Depth::Reconcile,
            Some("machinery") => Depth::Machinery,
            Some(other) => return Err(JsError::new(&format!("there is no depth {other:?}"))),
        };
        let choice = match choice {
            Some(path) => Some(
                self.0
                    .cluster()
                    .actor_at(&path)
                    .ok_or_else(|| JsError::new(&format!("there is no component {path:?}")))?,
            ),
            None => None,
        };
        Ok(self.0.step(depth, choice))
    }

    /// Goes to the moment before. Returns whether there is one.
    pub fn back(&mut self) -> bool {
        self.0.back()
    }

    /// Takes at most `steps` steps. Returns how many there were.
    pub fn run(&mut self, steps: u32) -> u32 {
        (0..steps).take_while(|_| self.0.step(Depth::Command, None)).count() as u32
    }

    /// Takes steps for this many milliseconds, so that a page that calls it from a timer stays responsive.
    #[wasm_bindgen(js_name = runFor)]
    pub fn run_for(&mut self, milliseconds: f64) -> Ran {
        let end = clock() + milliseconds;
        let mut steps = 0;
        let mut steady = false;
        while !steady && (steps % STEPS_A_LOOK != 0 || steps == 0 || clock() < end) {
            steady = !self.0.step(Depth::Command, None);
            steps += u32::from(!steady);
        }
        object(&[("steps", steps.into()), ("steady", steady.into())]).unchecked_into()
    }

    /// Takes steps until the cluster is steady, or `limit` steps. Returns whether it is steady.
    #[wasm_bindgen(js_name = runToSteady)]
    pub fn run_to_steady(&mut self, limit: Option<u32>) -> bool {
        let limit = limit.unwrap_or(STEPS_LIMIT as u32);
        for _ in 0..limit {
            if !self.0.step(Depth::Command, None) {
                return true;
            }
        }
        self.0.cluster().is_steady()
    }

    /// What each component would do next.
    #[wasm_bindgen(js_name = nextCommands)]
    pub fn next_commands(&self) -> NextCommands {
        json(&handle::next_commands(self.0.cluster(), NEXT_COMMANDS)).unchecked_into()
    }

    /// The enabled actions.
    pub fn enabled(&self) -> Values {
        json(&handle::enabled(self.0.cluster())).unchecked_into()
    }

    /// All objects of a kind (`pods`, `Pod`, `po`), or of all kinds. Throws if there is no such kind.
    pub fn objects(&self, kind: Option<String>) -> Result<Values, JsError> {
        let kind = match kind.filter(|k| !k.is_empty()) {
            Some(word) => Some(
                handle::kind_of(self.0.cluster(), &word)
                    .ok_or_else(|| JsError::new(&format!("there is no kind {word:?}")))?,
            ),
            None => None,
        };
        Ok(json(&handle::objects(self.0.cluster(), kind)).unchecked_into())
    }

    /// The digest of the cluster. Equal runs have equal digests, here and natively.
    pub fn digest(&self) -> String {
        self.0.cluster().digest()
    }

    /// The link of this run at the current moment: the text after `#` in a page's address.
    pub fn link(&self) -> String {
        Link::of(&self.0).encode()
    }

    /// The run of a link (or of a whole address). Throws if it cannot be read.
    #[wasm_bindgen(js_name = fromLink)]
    pub fn from_link(text: &str) -> Result<Steady, JsError> {
        let text = text.split_once('#').map_or(text, |(_, t)| t);
        let link = Link::decode(text).map_err(|e| JsError::new(&e.to_string()))?;
        let mut replay = Replay::new(&link);
        while !replay.advance(1024) {}
        Ok(Steady(replay.finish().session))
    }
}

fn policy(name: &str) -> Result<Policy, JsError> {
    name.parse().map_err(|e: NoSuchPolicy| JsError::new(&e.to_string()))
}

/// A value as an integer of at most `max`; `None` if it is undefined. Throws if it is something else.
fn whole(value: &JsValue, name: &str, max: f64) -> Result<Option<u64>, JsError> {
    if value.is_undefined() || value.is_null() {
        return Ok(None);
    }
    match value.as_f64().filter(|n| n.fract() == 0.0 && (0.0..=max).contains(n)) {
        Some(n) => Ok(Some(n as u64)),
        None => Err(JsError::new(&format!("{name} must be a whole number from 0 to {max}"))),
    }
}

fn printed(o: &Output) -> Printed {
    // What waits has not ended.
    let exit = if o.waits { JsValue::NULL } else { o.exit.into() };
    object(&[("stdout", (&o.stdout).into()), ("stderr", (&o.stderr).into()), ("exit", exit)]).unchecked_into()
}

fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let o = js_sys::Object::new();
    for (name, value) in fields {
        let _ = Reflect::set(&o, &(*name).into(), value);
    }
    o.into()
}

fn json(text: &str) -> JsValue {
    JSON::parse(text).unwrap_or(JsValue::NULL)
}
