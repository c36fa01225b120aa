//! The next commands: found after the page was drawn, by letting one component after the other run
//! on a copy, a slice at a time.

use std::rc::Rc;

use steady::cluster::{Action, Actor, Cluster, Command, Search};
use steady::session::Depth;

use super::run::{SLICE, clock};
use super::{Mode, Shared, Store};

/// So many lines are worked out at first; the rest is only counted.
pub(super) const LINES: usize = 40;

/// What would happen.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A command.
    Command(Rc<Command>),
    /// A finest action, and the kind that it brings news of.
    Action(Action, &'static str),
}

/// One line: what one component would do.
#[derive(Clone, Debug, PartialEq)]
pub struct NextLine {
    /// Whose, where it is somebody's.
    pub actor: Option<Actor>,
    /// Their name, a kubelet's with its node.
    pub by: Rc<str>,
    /// What.
    pub what: What,
    /// How long until then, in milliseconds of virtual time.
    pub wait: i64,
}

/// What may come next.
#[derive(Clone, PartialEq, Default)]
pub struct Listing {
    /// The lines; the first is what a step does.
    pub lines: Shared<Vec<NextLine>>,
    /// Components that have something to do and are not in the lines.
    pub more: usize,
    /// Whether all lines are known.
    pub ready: bool,
}

impl Listing {
    /// Whether nothing is left to do.
    pub fn steady(&self) -> bool {
        self.ready && self.lines.is_empty()
    }
}

/// A component's name; of the kubelets, also which.
pub fn name_of(cluster: &Cluster, actor: Actor) -> Rc<str> {
    let name = cluster.actor_name(actor).unwrap_or_else(|| "".into());
    match cluster.processes().nth(actor.process as usize).and_then(|p| p.node.clone()) {
        Some(node) => format!("{name} {node}").into(),
        None => name,
    }
}

/// Work under way.
struct Finder {
    cluster: Cluster,
    /// What is looked for now, on a copy of its own.
    search: Option<(Cluster, Search)>,
    /// Whether the first line is known: whoever's turn it is.
    begun: bool,
    waiting: std::vec::IntoIter<Actor>,
    lines: Vec<NextLine>,
}

impl Finder {
    /// Takes in what a search found.
    fn found(&mut self, command: Command) {
        let wait =
            command.waited_since.map_or(0, |since| command.at.as_millisecond() - since.as_millisecond());
        let actor = command.actor;
        self.lines.push(NextLine {
            actor: Some(actor),
            by: name_of(&self.cluster, actor),
            wait,
            what: What::Command(Rc::new(command)),
        });
        if !self.begun && wait == 0 {
            let others = self.cluster.actors().filter(|a| *a != actor);
            let able: Vec<Actor> = others.filter(|a| self.cluster.next_for(*a).is_some()).collect();
            self.waiting = able.into_iter();
        }
    }
}

/// Finest actions between two looks at the clock.
const AT_ONCE: usize = 4;

impl Store {
    /// Looks for the next commands once the page has been drawn.
    pub(super) fn plan_listing(&self) {
        if self.with(|s| s.mode != Mode::Idle) {
            return;
        }
        let planned = self.0.planned.get();
        self.plan(0, move |store| {
            if store.0.planned.get() == planned {
                store.find(planned);
            }
        });
    }

    fn find(&self, planned: u64) {
        let (cluster, depth) = self.with(|s| (s.session.cluster().clone(), s.depth));
        let (policy, nth) = self.with(|s| (s.session.policy().clone(), s.session.current().depth as u64));
        if depth == Depth::Machinery {
            return self.list_actions(&cluster, cluster.under(&policy, nth));
        }
        let search = Some((cluster.clone(), Search::under(&policy, nth)));
        let waiting = Vec::new().into_iter();
        self.find_more(planned, Finder { cluster, search, begun: false, waiting, lines: Vec::new() });
    }

    fn find_more(&self, planned: u64, mut finder: Finder) {
        if self.0.planned.get() != planned {
            return;
        }
        let (end, most) = (clock() + SLICE, self.with(|s| s.lines));
        while clock() < end {
            let Some((mut copy, mut search)) = finder.search.take() else {
                let next = if finder.lines.len() < most { finder.waiting.next() } else { None };
                let Some(actor) = next else {
                    let more = finder.waiting.len();
                    self.change(|s| {
                        s.listing = Listing { lines: Shared::new(finder.lines), more, ready: true };
                    });
                    return self.refresh();
                };
                finder.search = Some((finder.cluster.clone(), Search::new(Some(actor))));
                continue;
            };
            match search.advance(&mut copy, AT_ONCE) {
                None => finder.search = Some((copy, search)),
                Some(found) => {
                    found.into_iter().for_each(|c| finder.found(c));
                    finder.begun = true;
                }
            }
        }
        // What is known so far is shown while the rest is looked for.
        if self.with(|s| s.listing.lines.len() != finder.lines.len()) {
            let (lines, more) = (Shared::new(finder.lines.clone()), finder.waiting.len());
            self.change(|s| s.listing = Listing { lines, more, ready: false });
            self.refresh();
        }
        self.soon(move |store| store.find_more(planned, finder));
    }

    fn list_actions(&self, cluster: &Cluster, first: Option<Action>) {
        let most = self.with(|s| s.lines);
        let mut actions = cluster.enabled();
        if let Some(first) = first {
            actions.retain(|a| *a != first);
            actions.insert(0, first);
        }
        let more = actions.len().saturating_sub(most);
        let line = |a: &Action| {
            let actor = match a {
                Action::Notify { actor, .. }
                | Action::Start { actor }
                | Action::Send { actor }
                | Action::Record { actor } => Some(*actor),
                _ => None,
            };
            let by = match (actor, a.process()) {
                (Some(actor), _) => name_of(cluster, actor),
                (None, Some(p)) => process_name(cluster, p),
                (None, None) => "time".into(),
            };
            let wait = match (a, cluster.clock().next()) {
                (Action::Advance, Some(t)) => t.as_millisecond() - cluster.now().as_millisecond(),
                _ => 0,
            };
            NextLine { actor, by, what: What::Action(*a, kind_of(cluster, a)), wait }
        };
        let lines = Shared::new(actions.iter().take(most).map(line).collect());
        self.change(|s| s.listing = Listing { lines, more, ready: true });
        self.refresh();
    }
}

fn kind_of(cluster: &Cluster, a: &Action) -> &'static str {
    let (process, informer) = match a {
        Action::List { process, informer }
        | Action::Watch { process, informer }
        | Action::Pop { process, informer } => (*process, *informer),
        Action::Notify { actor, informer } => (actor.process, *informer),
        _ => return "",
    };
    let informer = cluster.process(process).and_then(|p| p.informers.get(usize::from(informer)));
    informer.map_or("", |n| n.kind.as_str())
}

fn process_name(cluster: &Cluster, process: u32) -> Rc<str> {
    match cluster.processes().nth(process as usize) {
        Some(p) => match &p.node {
            Some(node) => format!("{} {node}", p.name).into(),
            None => p.name.clone(),
        },
        None => "".into(),
    }
}
