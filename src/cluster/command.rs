//! The depths that a person steps at, a command and a reconcile, and what each component would do next.

use std::rc::Rc;

use super::Cluster;
use super::action::{Action, Actor, Outcome, Transition};
use super::policy::{Chooser, Policy};
use crate::api::Timestamp;
use crate::apimachinery::{Request, Response};
use crate::apiserver::Write;
use crate::client::{AnyKey, Why};

/// So many actions without a command, or without time passing, mean that something runs in a
/// circle. (Fewer in this crate's own tests, which run in circles on purpose.)
pub const ACTIONS_LIMIT: usize = if cfg!(test) { 100_000 } else { 1_000_000 };
/// No sync issues so many commands.
pub const COMMANDS_LIMIT: usize = 100_000;

/// One command: an API write by a component, and the events it recorded about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// The component that issued it.
    pub actor: Actor,
    /// The component's name: `deployment-controller`, `kube-scheduler`, `kubelet`.
    pub by: Rc<str>,
    /// The key that was being synced; none for an event that stands alone.
    pub key: Option<AnyKey>,
    /// The request.
    pub request: Rc<Request>,
    /// Why it was issued.
    pub why: Option<Rc<Why>>,
    /// The answer.
    pub response: Response,
    /// What it wrote.
    pub writes: Vec<Write>,
    /// The events recorded about it.
    pub events: Vec<Write>,
    /// The finest actions that it is made of.
    pub actions: Vec<Action>,
    /// The time it was issued at.
    pub at: Timestamp,
    /// The time before it, if time had to pass.
    pub waited_since: Option<Timestamp>,
}

/// Why there is no next command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// There is nothing to do: for one component, until another one acts or time passes; for all
    /// components, because the cluster is steady.
    Idle,
    /// Something runs in a circle: [`ACTIONS_LIMIT`] or [`COMMANDS_LIMIT`] was reached.
    Limit,
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stopped::Idle => "there is nothing to do",
            Stopped::Limit => "something runs in a circle",
        })
    }
}

impl std::error::Error for Stopped {}

/// Which component is to issue the next command.
#[derive(Clone, Debug)]
enum Who {
    /// A component that was chosen.
    Actor(Actor),
    /// The one whose turn it is.
    Turn,
    /// The one that a policy chooses.
    Policy(Box<Chooser>),
}

/// A search for the next command that can be interrupted: on a large cluster very many changes may have
/// to be delivered, or much time to pass, before a component has something to write.
#[derive(Clone, Debug)]
pub struct Search {
    who: Who,
    actions: Vec<Action>,
    waited_since: Option<Timestamp>,
    // Time only passes if that leads to a command, so what happens after it is tried on a copy.
    copy: Option<Cluster>,
}

impl Search {
    /// The next command of a component, or of the component whose turn it is.
    pub fn new(choice: Option<Actor>) -> Search {
        Search::by(choice.map_or(Who::Turn, Who::Actor))
    }

    /// The next command under a policy, at the `nth` step of a run.
    pub fn under(policy: &Policy, nth: u64) -> Search {
        Search::by(match policy {
            Policy::Fair => Who::Turn,
            policy => Who::Policy(Box::new(Chooser::new(policy.clone(), nth))),
        })
    }

    fn by(who: Who) -> Search {
        Search { who, actions: Vec::new(), waited_since: None, copy: None }
    }

    /// Goes on for at most so many actions; `None` if no command was found yet. It has to be given the
    /// same cluster each time, unchanged since. It ends as [`Cluster::next_command`] does.
    pub fn advance(&mut self, cluster: &mut Cluster, most: usize) -> Option<Result<Command, Stopped>> {
        let end = self.actions.len().saturating_add(most);
        while self.actions.len() < end {
            if self.actions.len() >= ACTIONS_LIMIT {
                return Some(Err(Stopped::Limit));
            }
            match self.act(cluster, end) {
                Ok(None) => {}
                Ok(Some(command)) => return Some(Ok(command)),
                Err(stopped) => return Some(Err(stopped)),
            }
        }
        None
    }

    /// One action, or all notifications that wait for a component at one informer, up to `end` actions in
    /// all.
    fn act(&mut self, given: &mut Cluster, end: usize) -> Result<Option<Command>, Stopped> {
        let cluster = self.copy.as_mut().unwrap_or(&mut *given);
        let action = match &mut self.who {
            Who::Actor(actor) => cluster.next_for(*actor),
            Who::Turn => cluster.fair(),
            Who::Policy(chooser) => chooser.towards_a_command(cluster),
        };
        let action = action.ok_or(Stopped::Idle)?;
        if action == Action::Advance && self.copy.is_none() {
            self.copy = Some(given.clone());
        }
        let cluster = self.copy.as_mut().unwrap_or(&mut *given);
        // A component hears of all changes before it does anything, unless a policy says otherwise.
        if let Action::Notify { actor, informer } = action
            && !matches!(self.who, Who::Policy(_))
        {
            let heard = cluster.hear(actor, informer, end.saturating_sub(self.actions.len()));
            self.actions.extend(std::iter::repeat_n(action, heard));
            return if heard > 0 { Ok(None) } else { Err(Stopped::Idle) };
        }
        let t = cluster.act(&action).map_err(|_| Stopped::Idle)?;
        self.actions.push(action);
        if let Outcome::Advanced { from, .. } = t.outcome {
            self.waited_since.get_or_insert(from);
        }
        let Some(mut command) = cluster.as_command(t) else { return Ok(None) };
        cluster.flush_events(&mut command, &mut self.actions);
        command.actions = std::mem::take(&mut self.actions);
        // A session keeps the command.
        command.actions.shrink_to_fit();
        command.waited_since = self.waited_since;
        if let Some(copy) = self.copy.take() {
            *given = copy;
        }
        Ok(Some(command))
    }
}

impl Cluster {
    /// Steps up to and including the next command of a component, or of the component whose turn it is.
    ///
    /// # Errors
    /// Why there is no command. Actions that were taken before that was known stay taken; no time has
    /// passed.
    pub fn next_command(&mut self, choice: Option<Actor>) -> Result<Command, Stopped> {
        self.find(Search::new(choice))
    }

    /// Steps up to and including the command that a search looks for.
    ///
    /// # Errors
    /// As [`Cluster::next_command`].
    pub fn find(&mut self, mut search: Search) -> Result<Command, Stopped> {
        search.advance(self, ACTIONS_LIMIT).unwrap_or(Err(Stopped::Limit))
    }

    /// The finest action that a policy takes next, at the `nth` step of a run; `None` in a steady state.
    pub fn under(&self, policy: &Policy, nth: u64) -> Option<Action> {
        match policy {
            Policy::Fair => self.fair(),
            policy => Chooser::new(policy.clone(), nth).finest(self),
        }
    }

    /// Steps through the rest of the sync under way, or through the next one, of a component or of the
    /// component whose turn it is. All commands of the sync.
    ///
    /// # Errors
    /// Why there is no command.
    pub fn next_reconcile(&mut self, choice: Option<Actor>) -> Result<Vec<Command>, Stopped> {
        self.reconcile_from(Search::new(choice))
    }

    /// The same for the component that a search finds.
    ///
    /// # Errors
    /// Why there is no command.
    pub fn reconcile_from(&mut self, first: Search) -> Result<Vec<Command>, Stopped> {
        let first = self.find(first)?;
        let actor = first.actor;
        let mut commands = vec![first];
        while self.is_in_sync(actor) {
            if commands.len() >= COMMANDS_LIMIT {
                return Err(Stopped::Limit);
            }
            match self.next_command(Some(actor)) {
                Ok(c) => commands.push(c),
                Err(Stopped::Idle) => break,
                Err(Stopped::Limit) => return Err(Stopped::Limit),
            }
        }
        Ok(commands)
    }

    /// Whether a component is in the middle of a sync: it has a request to send.
    pub fn is_in_sync(&self, actor: Actor) -> bool {
        self.component(actor).is_some_and(|c| c.wants().send)
    }

    /// A component.
    pub fn component(&self, actor: Actor) -> Option<&dyn crate::client::Component> {
        let c = self.processes.get(actor.process as usize)?.components.get(actor.component as usize)?;
        Some(&***c)
    }

    /// A component's name.
    pub fn actor_name(&self, actor: Actor) -> Option<Rc<str>> {
        self.component(actor).map(crate::client::Component::name)
    }

    /// Every component, in order.
    pub fn actors(&self) -> impl Iterator<Item = Actor> {
        self.processes.iter().enumerate().flat_map(|(p, process)| {
            (0..process.components.len())
                .map(move |c| Actor { process: p as u32, component: u16::try_from(c).unwrap_or(u16::MAX) })
        })
    }

    fn as_command(&self, t: Transition) -> Option<Command> {
        let (actor, key, request, why, response) = match (t.action, t.outcome) {
            (
                Action::Send { actor },
                Outcome::Sent { key, request, why, response, background: false, .. },
            ) if request.verb.writes() => (actor, Some(key), request, why, response),
            (Action::Record { actor }, Outcome::Recorded { exchange: Some((request, response)) }) => {
                (actor, None, request, None, response)
            }
            _ => return None,
        };
        Some(Command {
            actor,
            by: self.actor_name(actor)?,
            key,
            request,
            why,
            response,
            writes: t.writes,
            events: Vec::new(),
            actions: Vec::new(),
            at: self.now(),
            waited_since: None,
        })
    }

    fn flush_events(&mut self, command: &mut Command, actions: &mut Vec<Action>) {
        let action = Action::Record { actor: command.actor };
        // To write an event makes no other event, so no more come than those that wait.
        for _ in 0..ACTIONS_LIMIT {
            if !self.component(command.actor).is_some_and(|c| c.wants().record) {
                return;
            }
            let Ok(t) = self.act(&action) else { return };
            actions.push(action);
            if command.events.is_empty() {
                command.events = t.writes;
            } else {
                command.events.extend(t.writes);
            }
        }
    }

    /// The command that each component would issue next if it were its turn, found by letting it run on a
    /// copy; at most `limit` commands. Where all components wait, the first command after time has passed.
    /// Empty in a steady state.
    pub fn next_commands(&self, limit: usize) -> Vec<Command> {
        let mut commands = Vec::new();
        for id in self.ready.iter() {
            let Some(p) = self.processes.get(id as usize) else { continue };
            for c in 0..p.components.len() {
                if commands.len() >= limit {
                    return commands;
                }
                let actor = Actor { process: id, component: u16::try_from(c).unwrap_or(u16::MAX) };
                if self.next_for(actor).is_some()
                    && let Ok(command) = self.clone().next_command(Some(actor))
                {
                    commands.push(command);
                }
            }
        }
        if commands.is_empty() {
            commands.extend(self.clone().next_command(None));
        }
        commands
    }

    /// Whether no component has a next command, now or when time has passed; heartbeats are no commands. A
    /// cluster in which something runs in a circle is not steady.
    pub fn is_steady(&self) -> bool {
        self.clone().next_command(None) == Err(Stopped::Idle)
    }

    /// Runs under the fair policy until the cluster is steady or so many commands were issued;
    /// tells each to `see`. Returns whether it is steady.
    pub fn run_to_steady(&mut self, limit: usize, mut see: impl FnMut(&Cluster, &Command)) -> bool {
        for _ in 0..limit {
            match self.next_command(None) {
                Ok(command) => see(self, &command),
                Err(why) => return why == Stopped::Idle,
            }
        }
        self.is_steady()
    }

    /// Lets time pass up to a moment, doing everything that there is to do on the way, what is due
    /// at that moment included.
    ///
    /// # Errors
    /// [`Stopped::Limit`] if so much happened at one moment that it will never end.
    pub fn run_until(
        &mut self,
        to: Timestamp,
        mut see: impl FnMut(&Cluster, &Command),
    ) -> Result<(), Stopped> {
        let (mut moment, mut actions) = (self.now(), 0);
        loop {
            match self.fair().filter(|a| *a != Action::Advance || self.clock.next().is_some_and(|t| t <= to))
            {
                Some(action) => {
                    let Ok(t) = self.act(&action) else { return Ok(()) };
                    if let Some(command) = self.as_command(t) {
                        see(self, &command);
                    }
                }
                // Deadlines in the background up to the last moment are met there.
                None if self.now() < to => self.advance_to(to),
                None => return Ok(()),
            }
            actions = if self.now() == moment { actions + 1 } else { 0 };
            moment = self.now();
            if actions >= ACTIONS_LIMIT {
                return Err(Stopped::Limit);
            }
        }
    }

    /// Does all there is to do without letting time pass.
    ///
    /// # Errors
    /// [`Stopped::Limit`] if that will never end.
    pub fn settle(&mut self) -> Result<(), Stopped> {
        for _ in 0..ACTIONS_LIMIT {
            let Some(action) = self.fair().filter(|a| *a != Action::Advance) else { return Ok(()) };
            if self.act(&action).is_err() {
                return Ok(());
            }
        }
        Err(Stopped::Limit)
    }
}
