//! The library as an ES module: a cluster for a benchmark or another site, without the page.
//! `cargo xtask lib` builds it into `pkg/`; docs/embed.md says how it is used.
#![cfg(target_arch = "wasm32")]

use js_sys::{JSON, Reflect};
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
    /// What the constructor takes.
    #[wasm_bindgen(typescript_type = "Options")]
    pub type Options;
    /// A depth's name.
    #[wasm_bindgen(typescript_type = "Depth")]
    pub type DepthName;
    /// What a command line printed.
    #[wasm_bindgen(typescript_type = "Output")]
    pub type Printed;
    /// What components would do next.
    #[wasm_bindgen(typescript_type = "NextCommand[]")]
    pub type NextCommands;
    /// Finest actions, or objects.
    #[wasm_bindgen(typescript_type = "any[]")]
    pub type Values;
    /// How a run for a while ended.
    #[wasm_bindgen(typescript_type = "Ran")]
    pub type Ran;

    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn clock() -> f64;
}

/// So many next commands at most: one for each component of a large cluster would take long.
const NEXT_COMMANDS: usize = 32;
/// The clock is looked at after so many steps.
const STEPS_A_LOOK: u32 = 16;

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

/// The ids of the scenarios.
#[wasm_bindgen]
pub fn scenarios() -> Vec<String> {
    scenario::list().iter().map(|s| s.id.to_owned()).collect()
}

/// A cluster with its history: the same calls as the page's `window.steady`.
#[wasm_bindgen]
pub struct Steady(Session);

#[wasm_bindgen]
impl Steady {
    /// A cluster that has booted. Throws for a scenario there is not, or too many nodes.
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

    /// Who goes next where nobody is chosen: `fair`, `newest`, `random:<seed>`, `starved:<component>`.
    pub fn policy(&self) -> String {
        self.0.policy().to_string()
    }

    /// Lets another policy choose from now on. Throws for one there is not.
    #[wasm_bindgen(js_name = setPolicy)]
    pub fn set_policy(&mut self, name: &str) -> Result<(), JsError> {
        self.0.set_policy(policy(name)?);
        Ok(())
    }

    /// `kubectl apply -f` of a text.
    pub fn apply(&mut self, yaml: &str) -> Printed {
        printed(&self.0.apply(yaml))
    }

    /// A command line, without `kubectl`; `manifest` is what it finds as `manifest.yaml`.
    pub fn kubectl(&mut self, line: &str, manifest: Option<String>) -> Printed {
        let files: Vec<(&str, &str)> = manifest.iter().map(|m| ("manifest.yaml", m.as_str())).collect();
        printed(&self.0.kubectl(line, &files))
    }

    /// A step; of the component `choice` names (the `actor` of a next command), or of whoever's
    /// turn it is. Whether there was one.
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

    /// A step back; whether there was one.
    pub fn back(&mut self) -> bool {
        self.0.back()
    }

    /// At most so many steps, at one go; how many there were.
    pub fn run(&mut self, steps: u32) -> u32 {
        (0..steps).take_while(|_| self.0.step(Depth::Command, None)).count() as u32
    }

    /// Runs for so many milliseconds: a page that calls it from a timer stays awake.
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

    /// Runs at one go until it is steady, or for so many steps; whether it is steady.
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

    /// The finest actions that may happen now.
    pub fn enabled(&self) -> Values {
        json(&handle::enabled(self.0.cluster())).unchecked_into()
    }

    /// Every object of a kind (`pods`, `Pod`, `po`), or of all kinds. Throws for a kind there is
    /// not.
    pub fn objects(&self, kind: Option<String>) -> Result<Values, JsError> {
        let kind = match kind.filter(|k| !k.is_empty()) {
            Some(word) => Some(
                handle::kind_of(&word).ok_or_else(|| JsError::new(&format!("there is no kind {word:?}")))?,
            ),
            None => None,
        };
        Ok(json(&handle::objects(self.0.cluster(), kind)).unchecked_into())
    }

    /// The fingerprint of the cluster: equal for equal runs, here and natively.
    pub fn digest(&self) -> String {
        self.0.cluster().digest()
    }

    /// The text that reproduces this run at this step: what stands behind `#` in a page's address.
    pub fn link(&self) -> String {
        Link::of(&self.0).encode()
    }

    /// The run that a link's text (or a whole address) carries. Throws if it cannot be read.
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

/// A whole number of at most `max`, if there is a value.
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
    object(&[("stdout", (&o.stdout).into()), ("stderr", (&o.stderr).into()), ("exit", o.exit.into())])
        .unchecked_into()
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
