//! The file of a scenario, and how it is read.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_yaml::with::singleton_map_recursive;

use crate::api::ip_family::IpFamily;
use crate::cluster::Fault;
use crate::session::Depth;
use crate::session::data::{self, DataError};

/// A scenario.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The scenario's name in links: the name of its file.
    #[serde(skip)]
    pub id: String,
    /// The title.
    pub title: Text,
    /// The text that says what to look at.
    pub text: Text,
    /// What it is about, under which it stands in the gallery. Each file in the gallery has a theme; the beginning of a lesson
    /// needs none.
    #[serde(default)]
    pub theme: Option<Theme>,
    /// The number of nodes.
    pub nodes: usize,
    /// How much there is to compute until the cluster is steady.
    #[serde(default)]
    pub size: Size,
    /// The number of etcd members: 1, 3 or 5.
    #[serde(default = "one")]
    pub etcd: usize,
    /// The address families of the cluster: `ipv4` or `dual`.
    #[serde(default, rename = "ipFamily")]
    pub ip_family: IpFamily,
    /// The depth of steps when the scenario is opened. If absent, the depth is the one that the person has chosen.
    #[serde(default)]
    pub depth: Option<Depth>,
    /// The text in the editor, which command lines of the scenario call `manifest.yaml`.
    pub manifest: String,
    /// Further files that its command lines name.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// What is done before a person sees the scenario.
    #[serde(with = "singleton_map_recursive")]
    pub setup: Vec<ScenarioStep>,
    /// What a person may try.
    #[serde(default, rename = "try")]
    pub tries: Vec<Try>,
    /// What the author says at some steps, for a page that presents the scenario: without any, the scenario's text.
    #[serde(default)]
    pub notes: Vec<Note>,
    /// Ways through the scenario on which its text is checked; each begins at the opening. They stay in the file: the
    /// library's copy of the scenario has none.
    #[serde(default, with = "singleton_map_recursive")]
    pub plays: Vec<Vec<PlayStep>>,
}

/// How much there is to compute in a scenario until its cluster is steady. A large scenario is opened and run like every
/// other one; what runs all scenarios to their ends, or in every order, leaves it out ([`super::ordinary`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Size {
    /// At most as many commands as a set-up may take.
    #[default]
    Ordinary,
    /// Tens of thousands of commands.
    Large,
}

/// What a scenario is about: the headings of the gallery, in their order there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Theme {
    /// What somebody new begins with.
    FirstSteps,
    /// New versions of a Deployment.
    Rollouts,
    /// The other workloads, and who owns which pods.
    Workloads,
    /// What the kubelet does with the containers of one pod.
    Containers,
    /// Which node a pod goes to.
    Scheduling,
    /// How many pods there are, by the load.
    Autoscaling,
    /// Services, names, routes and policies.
    Network,
    /// Volumes, and files from ConfigMaps.
    Storage,
    /// Nodes that are lost, drained, short of something or shut down.
    Nodes,
    /// The controllers' machinery, the components of the control plane and etcd, and what fails among them.
    ControlPlane,
    /// Kinds of one's own, namespaces, quotas.
    Api,
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

impl Text<&str> {
    /// The same text, whose languages are its own.
    pub fn into_owned(self) -> Text {
        Text { en: self.en.to_owned(), zh: self.zh.to_owned() }
    }
}

/// What an author says from a step on.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// How many steps after the beginning.
    pub at: usize,
    /// What is said.
    pub text: Text,
}

/// Something to try: a button.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Try {
    /// The button's label.
    pub label: Text,
    /// What the button does.
    #[serde(rename = "do", with = "singleton_map_recursive")]
    pub deed: ScenarioStep,
}

/// Something that a scenario does or offers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ScenarioStep {
    /// A kubectl command line. `{pod:app=web:1}` stands for the name of the oldest pod with that label.
    Kubectl(String),
    /// A fault.
    Fault(Fault),
    /// Steps of a chosen component, as a person chooses one of the next commands.
    Step(Steps),
    /// An action that is chosen.
    Act(Act),
    /// The cluster runs until it is steady.
    Steady(bool),
    /// As a step of a person: of the component whose turn it is, and if nothing is left to do, after time has passed to the
    /// next run of a schedule.
    Schedule(bool),
    /// So many seconds pass, whether somebody has something to do or not.
    Wait(u32),
}

impl fmt::Display for ScenarioStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScenarioStep::Kubectl(line) => write!(f, "kubectl {line}"),
            ScenarioStep::Fault(fault) => write!(f, "fault {fault:?}"),
            ScenarioStep::Step(steps) => write!(f, "step by {}", steps.by),
            ScenarioStep::Act(act) => write!(f, "act {} of {}", act.action, act.of),
            ScenarioStep::Steady(_) => f.write_str("steady"),
            ScenarioStep::Schedule(_) => f.write_str("schedule"),
            ScenarioStep::Wait(seconds) => write!(f, "wait {seconds}"),
        }
    }
}

/// A step of a play.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PlayStep {
    /// The button with this English label is pressed.
    Try(String),
    /// Something is done for which there is no button.
    Do(ScenarioStep),
    /// What kubectl prints at this moment.
    Expect(Expect),
    /// What became of the requests of clients since the step before of this kind, or since the scenario was opened.
    Requests(Requests),
}

/// What became of requests that were sent. Some have to have been sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requests {
    /// Whether some of them were lost.
    pub lost: bool,
}

/// What kubectl prints. In the output and in the texts, several spaces in a row count as one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The command line, with placeholders as in [`ScenarioStep::Kubectl`]. What it writes is not kept.
    pub kubectl: String,
    /// Texts that are in the output.
    #[serde(default)]
    pub has: Vec<String>,
    /// Texts that are not in the output.
    #[serde(default)]
    pub lacks: Vec<String>,
}

/// Steps of a chosen component.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Steps {
    /// The component's path, for example `kube-controller-manager:deployment-controller`.
    pub by: String,
    /// The depth of the steps.
    #[serde(default)]
    pub depth: Depth,
    /// The number of steps.
    #[serde(default = "one")]
    pub times: usize,
}

/// An action, named as in a link.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Act {
    /// The action's name: `watch`, `pop`, `notify`, `start` and so on.
    pub action: String,
    /// The path of the process for `list`, `watch` and `pop`; of the component for any other action.
    pub of: String,
    /// The kind of the informer, for an action of an informer; empty otherwise.
    #[serde(default)]
    pub kind: String,
}

fn one() -> usize {
    1
}

/// Reads a scenario's file. The scenario's id is the file's name without folder and ending.
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
