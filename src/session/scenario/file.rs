//! A scenario's file, and how it is read.

use serde::{Deserialize, Serialize};
use serde_yaml::with::singleton_map_recursive;

use crate::cluster::Fault;
use crate::session::Depth;
use crate::session::data::{self, DataError};

/// A scenario.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Its name in links: its file's name.
    #[serde(skip)]
    pub id: String,
    /// What it is called.
    pub title: Text,
    /// What to look at.
    pub text: Text,
    /// How many nodes.
    pub nodes: usize,
    /// How many members etcd has: 1, 3 or 5.
    #[serde(default = "one")]
    pub etcd: usize,
    /// How deep a step goes when the scenario is opened. Without it the depth stays what it was.
    #[serde(default)]
    pub depth: Option<Depth>,
    /// What the editor shows.
    pub manifest: String,
    /// What was applied before, where that is another text.
    #[serde(default)]
    pub before: Option<String>,
    /// What is done before a person sees the scenario.
    #[serde(with = "singleton_map_recursive")]
    pub setup: Vec<Deed>,
    /// What a person may try.
    #[serde(default, rename = "try")]
    pub tries: Vec<Try>,
}

/// A text in both languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text<S = String> {
    /// English.
    pub en: S,
    /// 简体中文.
    pub zh: S,
}

/// Something to try.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Try {
    /// What the button says.
    pub label: Text,
    /// What the button does.
    #[serde(rename = "do", with = "singleton_map_recursive")]
    pub deed: Deed,
}

/// Something a scenario does, or offers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Deed {
    /// A kubectl command line. `{pod:app=web:1}` stands for the oldest pod with that label.
    Kubectl(String),
    /// Something goes wrong.
    Fault(Fault),
    /// A component that is chosen steps, as a person lets one of the next commands go first.
    Step(Steps),
    /// A finest action is chosen.
    Act(Act),
    /// The cluster runs until it is steady.
    Steady(bool),
}

/// Steps of a component that is chosen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steps {
    /// Which component, as `kube-controller-manager:deployment-controller`.
    pub by: String,
    /// How deep a step goes.
    #[serde(default)]
    pub depth: Depth,
    /// How many steps.
    #[serde(default = "one")]
    pub times: usize,
}

/// A finest action, named as a link names it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Act {
    /// Which action: `watch`, `pop`, `notify`, `start` and so on.
    pub action: String,
    /// The process of a `list`, `watch` or `pop`; the component of any other action.
    pub of: String,
    /// The kind that the informer watches, for an action of an informer.
    #[serde(default)]
    pub kind: String,
}

fn one() -> usize {
    1
}

/// Reads a scenario's file. The scenario's id is the file's name without its folder and its ending.
///
/// # Errors
///
/// What is wrong, with the file, the line and the field: see [`DataError`].
///
/// ```
/// use steady::session::scenario;
/// let text = "title: {en: Two nodes, zh: 两个节点}\nnodes: two\n";
/// let why = scenario::read("static/scenarios/two.yaml", text).unwrap_err();
/// assert_eq!(
///     why.to_string(),
///     "static/scenarios/two.yaml:2:8: nodes: invalid type: string \"two\", expected usize"
/// );
/// ```
pub fn read(file: &str, text: &str) -> Result<Scenario, DataError> {
    let name = file.rsplit('/').next().unwrap_or(file);
    let id = name.strip_suffix(".yaml").unwrap_or(name).to_owned();
    Ok(Scenario { id, ..data::read(file, text)? })
}
