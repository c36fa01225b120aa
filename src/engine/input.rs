//! What goes into an [`Engine`](super::Engine).

use serde::{Deserialize, Serialize};

use crate::api::ObjectRef;
use crate::cluster::{Actor, Fault, Policy};
use crate::session::explore::Choice;
use crate::session::view::Pick;
use crate::session::{Depth, MomentId};

/// What a page opens with: the first input.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Begin {
    /// The link in its address, without `#`.
    pub link: Option<String>,
    /// The run that was kept when it was closed ([`Slot::Work`](super::Slot)).
    pub work: Option<String>,
    /// Whether a run was put aside ([`Slot::Aside`](super::Slot)).
    pub aside: bool,
    /// Whether the component map was shown.
    pub machinery: bool,
}

/// What a person did, or whoever drives the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Input {
    /// The page stands.
    Begin(Begin),
    /// A link came into the address.
    Open(String),
    /// The run that was put aside is asked for: it, as a link.
    OpenAside(String),
    /// A scenario is begun, by its id.
    OpenScenario(String),
    /// What the scenario offers to try is done: the place in its list.
    Attempt(usize),

    /// A step at the depth that is set.
    Step,
    /// As `Step`, but at one go, however long it takes. Answered by [`Output::Did`](super::Output).
    StepAtOnce,
    /// One of the next lines goes first.
    Choose(Pick),
    /// Runs at the speed that is set, or stops what runs.
    Run,
    /// Runs as fast as it goes until the cluster is steady, or stops if it does already.
    ToSteady,
    /// Stops whatever is under way.
    Stop,
    /// Back to the moment before. Answered by [`Output::Did`](super::Output): whether it is there already.
    Back,
    /// To a moment.
    Goto(MomentId),
    /// So many moments along the branch that is shown, back if negative.
    Walk(i64),
    /// To the start of the scenario.
    Restart,
    /// The finest actions of a moment become a branch, and the moment after so many of them is looked at.
    StepInto(MomentId, usize),
    /// A way that the explorer found is gone.
    Follow {
        /// In which session it was found: [`Shown::session`](super::Shown).
        session: u32,
        /// From which moment.
        from: MomentId,
        /// What one step is.
        depth: Depth,
        /// What to choose, in order.
        way: Vec<Choice>,
    },

    /// How deep a step goes.
    Depth(Depth),
    /// Who goes next where nobody is chosen. Answered by [`Output::Did`](super::Output).
    Policy(Policy),
    /// How fast a run is: a place in [`SPEEDS`](super::SPEEDS).
    Speed(usize),
    /// More of what may come next is worked out.
    ShowMore,

    /// An object is selected, or none.
    Select(Option<ObjectRef>),
    /// The component map is shown, or the objects.
    ShowMap(bool),
    /// A component's machine is looked at; with none, that of whoever acts.
    LookAt(Option<Actor>),

    /// The editor's text is another.
    Typed(String),
    /// What Apply would do is worked out, unless something is under way.
    Preview,
    /// The editor's text is applied.
    Apply,
    /// A text is applied. Answered by [`Output::Printed`](super::Output).
    ApplyText(String),
    /// A command line is typed into the terminal, with or without `kubectl`.
    Terminal(String),
    /// The command line that waits is given up.
    Interrupt,
    /// A command line runs, and what it printed is a notice.
    Do(String),
    /// A command line runs. Answered by [`Output::Printed`](super::Output).
    Kubectl(String),
    /// A pod is evicted.
    Evict(ObjectRef),
    /// A container of a pod ends with an exit code.
    Crash(ObjectRef, String, i32),
    /// Something goes wrong, or right again.
    Break(Fault),

    /// The run is asked for as a link. Answered by [`Output::Link`](super::Output) when it is made.
    Share,
    /// The run is to be kept, unless something is under way: [`Output::Keep`](super::Output).
    Save,
    /// A question, and the number that its answer shall have: [`Output::Answer`](super::Output).
    Ask(u64, Ask),
}

/// What a component of the page wants to know. Asking changes nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// What an object is and what can be done to it.
    Object(ObjectRef),
    /// Its YAML; with or without what is only kept for bookkeeping.
    Yaml(ObjectRef, bool),
    /// Its conditions and events.
    Events(ObjectRef),
    /// Its versions.
    History(ObjectRef),
    /// What it hangs together with.
    Links(ObjectRef),
    /// The requests that led to a moment; or as `kubectl -v=9` logs them.
    Requests(MomentId, bool),
    /// The finest actions that a moment is made of.
    Finest(MomentId),
    /// The component map: whose machine, and which of its lanes is open.
    Machinery(Actor, Option<u16>),
    /// The last request before now.
    LastRequest,
    /// The way of a request through the API server: the moment that it belongs to, and its place there.
    Way(MomentId, usize),
    /// What can go wrong with the control plane.
    PlaneFaults,
    /// Every scenario.
    Scenarios,
    /// The policies that can be chosen.
    Policies,
    /// The branches that are not shown.
    Branches,
    /// What happened on the way to a moment.
    Happened(MomentId),
    /// The run since a moment, as a link.
    Run(MomentId),
    /// Every object of the kind that a word names, or of all kinds, as a JSON array.
    Objects(Option<String>),
    /// The finest actions that may happen now, as a JSON array.
    Enabled,
    /// What each component would do next, as a JSON array.
    NextCommands,
    /// The fingerprint of the cluster.
    Digest,
    /// The run as a link with its fingerprint, however long that takes.
    Link,
}
