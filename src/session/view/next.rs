//! The lines of the next commands, one for each component that has something to do, or of the next finest actions.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::happened::regarded;
use super::{Issued, Word};
use crate::api::ObjectRef;
use crate::cluster::{Action, Actor, Cluster, Command};

/// What a line says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum NextWhat {
    /// The command that the component would issue.
    Command(Rc<Issued>),
    /// A finest action that may happen.
    Action {
        /// `list`, `watch`, `pop`, `notify`, `start`, `send`, `record`, `informers`, `advance`
        name: Word,
        /// The kind that its informer watches; empty for an action that has no informer.
        kind: Word,
    },
}

/// What happens when a person chooses a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pick {
    /// This finest action happens.
    Act(Action),
    /// This component steps.
    Actor(Actor),
    /// The component whose turn it is steps, or time passes.
    Turn,
    /// Time passes to the next run of a schedule, and the first component steps that has something to do then.
    Schedule,
}

/// A line of the listing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NextLine {
    /// The component's name, of a kubelet with its node; `time` for an action that is no component's.
    pub by: Rc<str>,
    /// What it would do.
    pub what: NextWhat,
    /// In how many milliseconds of virtual time it would do so.
    pub wait: i64,
    /// What happens when a person chooses the line.
    pub pick: Pick,
    /// The objects that the command is about and that its reason names.
    pub about: Rc<Vec<ObjectRef>>,
}

/// The next commands, or the next finest actions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    /// The lines. A step does what the first one says.
    pub lines: Rc<Vec<NextLine>>,
    /// How many components have something to do and are not in the lines.
    pub more: usize,
    /// Whether all lines are known.
    pub ready: bool,
    /// What comes of the next run of a schedule, to which time passes if a person steps and there are no lines.
    pub scheduled: Option<NextLine>,
}

impl Listing {
    /// Whether nothing is left to do.
    pub fn steady(&self) -> bool {
        self.ready && self.lines.is_empty()
    }
}

impl NextLine {
    /// The line of a command that a component would issue.
    pub fn of_command(cluster: &Cluster, c: &Command) -> NextLine {
        let wait = c.waited_since.map_or(0, |since| c.at.as_millisecond() - since.as_millisecond());
        let mut about = vec![c.request.object()];
        about.extend(regarded(c));
        about.extend(c.why.iter().flat_map(|w| w.facts.iter().filter_map(|f| f.object.clone())));
        NextLine {
            by: name_of(cluster, c.actor),
            what: NextWhat::Command(Rc::new(Issued::of(c))),
            wait,
            // A line that waits for time is nobody's turn yet: the fair policy lets time pass.
            pick: if wait == 0 { Pick::Actor(c.actor) } else { Pick::Turn },
            about: Rc::new(about),
        }
    }

    /// The line of a finest action that may happen.
    pub fn of_action(cluster: &Cluster, action: Action) -> NextLine {
        let (name, actor) = match action {
            Action::List { .. } => ("list", None),
            Action::Watch { .. } => ("watch", None),
            Action::Pop { .. } => ("pop", None),
            Action::Notify { actor, .. } => ("notify", Some(actor)),
            Action::Start { actor } => ("start", Some(actor)),
            Action::Send { actor } => ("send", Some(actor)),
            Action::Record { actor } => ("record", Some(actor)),
            Action::Advance => ("advance", None),
            Action::Informers { actor } => ("informers", Some(actor)),
        };
        let by = match (actor, action.process()) {
            (Some(actor), _) => name_of(cluster, actor),
            (None, Some(p)) => with_node(cluster, p, cluster.process(p).map(|p| p.name.clone())),
            (None, None) => "time".into(),
        };
        let wait = match (action, cluster.clock().next_or_scheduled()) {
            (Action::Advance, Some(t)) => t.as_millisecond() - cluster.now().as_millisecond(),
            _ => 0,
        };
        let kind = kind_of(cluster, action).unwrap_or_default();
        let what = NextWhat::Action { name: Word::new_static(name), kind: Word::new_static(kind) };
        NextLine { by, what, wait, pick: Pick::Act(action), about: Rc::default() }
    }
}

/// A component's name, of a kubelet with its node.
fn name_of(cluster: &Cluster, actor: Actor) -> Rc<str> {
    with_node(cluster, actor.process, cluster.actor_name(actor))
}

fn with_node(cluster: &Cluster, process: u32, name: Option<Rc<str>>) -> Rc<str> {
    let name = name.unwrap_or_else(|| "".into());
    match cluster.process(process).and_then(|p| p.node.as_ref()) {
        Some(node) => format!("{name} {node}").into(),
        None => name,
    }
}

/// The kind that an action's informer watches.
fn kind_of(cluster: &Cluster, action: Action) -> Option<&'static str> {
    let process = match action {
        Action::Notify { actor, .. } => actor.process,
        _ => action.process()?,
    };
    let informers = &cluster.process(process)?.informers;
    informers.get(usize::from(action.informer()?)).map(|n| n.kind.as_str())
}
