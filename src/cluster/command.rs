//! The depths at which a person steps: a command and a reconcile. Also what each component would do next.

use std::rc::Rc;

use super::Cluster;
use super::action::{Action, Actor, Outcome, Transition};
use super::actions::Actions;
use super::policy::{Chooser, Policy};
use crate::api::Timestamp;
use crate::apimachinery::{Request, Response};
use crate::apiserver::Write;
use crate::client::{AnyKey, Component, Origin, Why};

/// This many actions without a command, or without time passing, mean that the cluster repeats itself for
/// ever. (The limit is lower in this crate's own tests, which have such clusters.)
pub const ACTIONS_LIMIT: usize = if cfg!(test) { 100_000 } else { 1_000_000 };
/// The most commands that a sync may issue.
pub const COMMANDS_LIMIT: usize = 100_000;

/// A command: an API write by a component, with the events that the component recorded about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// The component that issued the command.
    pub actor: Actor,
    /// The component's name, for example `deployment-controller`, `kube-scheduler` or `kubelet`.
    pub by: Rc<str>,
    /// The key that was synced; `None` for an event that goes with no other write.
    pub key: Option<AnyKey>,
    /// What the sync followed from; empty for an event that goes with no other write.
    pub origin: Origin,
    /// The request.
    pub request: Rc<Request>,
    /// Why the request was sent, if the sync says so.
    pub why: Option<Rc<Why>>,
    /// The API server's response.
    pub response: Response,
    /// What the request wrote to the store.
    pub writes: Vec<Write>,
    /// The events recorded with it.
    pub events: Vec<Write>,
    /// All actions since the last command, up to and including this one and its events.
    pub actions: Actions,
    /// The virtual time of the request.
    pub at: Timestamp,
    /// The virtual time before the command, if time had to pass; otherwise `None`.
    pub waited_since: Option<Timestamp>,
}

/// Why there is no next command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// For one component: it has nothing to do until another component acts or time passes. For all
    /// components: the cluster is steady.
    Idle,
    /// The cluster repeats itself: [`ACTIONS_LIMIT`] or [`COMMANDS_LIMIT`] was reached.
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

/// How the component that issues the next command is chosen.
#[derive(Clone, Debug)]
enum Who {
    /// The component with this index.
    Actor(Actor),
    /// The component whose turn it is under the fair policy.
    Turn,
    /// The component that another policy chooses.
    Policy(Box<Chooser>),
}

/// A search for the next command that can be done in slices. On a large cluster many changes may have to be
/// delivered, or much time has to pass, before a component writes something.
#[derive(Clone, Debug)]
pub struct Search {
    who: Who,
    actions: Vec<Action>,
    waited_since: Option<Timestamp>,
    /// Whether time passes to the next run of a schedule if nothing else is left to do.
    scheduled: bool,
    // A copy of the cluster in which time has passed. The cluster itself stays as it is if no command is
    // found.
    copy: Option<Cluster>,
}

impl Search {
    /// A search for the next command of `choice`, or of the component whose turn it is if `choice` is
    /// `None`.
    pub fn new(choice: Option<Actor>) -> Search {
        Search::by(choice.map_or(Who::Turn, Who::Actor))
    }

    /// A search for the next command under a policy. `nth` is the number of the step in its run.
    pub fn under(policy: &Policy, nth: u64) -> Search {
        Search::by(match policy {
            Policy::Fair => Who::Turn,
            policy => Who::Policy(Box::new(Chooser::new(policy.clone(), nth))),
        })
    }

    fn by(who: Who) -> Search {
        Search { who, actions: Vec::new(), waited_since: None, scheduled: false, copy: None }
    }

    /// Where nothing is left to do, time passes to the next run of a schedule.
    #[must_use]
    pub fn to_schedule(self) -> Search {
        Search { scheduled: true, ..self }
    }

    /// Continues for at most `most` actions; `None` if no command was found yet. The caller passes the same
    /// cluster each time, and does not change it in between. The result is that of
    /// [`Cluster::next_command`].
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

    /// One action, or all notifications that wait for a component at one informer; at most `end` actions
    /// since the start of the search.
    fn act(&mut self, given: &mut Cluster, end: usize) -> Result<Option<Command>, Stopped> {
        let cluster = self.copy.as_mut().unwrap_or(&mut *given);
        let action = match &mut self.who {
            Who::Actor(actor) => cluster.next_for(*actor),
            Who::Turn => cluster.fair(),
            Who::Policy(chooser) => chooser.towards_a_command(cluster),
        };
        let next_run = || self.scheduled.then(|| cluster.clock.next_by_itself().map(|_| Action::Advance));
        let action = action.or_else(|| next_run().flatten()).ok_or(Stopped::Idle)?;
        if action == Action::Advance && self.copy.is_none() {
            self.copy = Some(given.clone());
        }
        let cluster = self.copy.as_mut().unwrap_or(&mut *given);
        // A component is notified of all changes before it acts, unless a policy says otherwise.
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
        command.actions = self.actions.drain(..).collect();
        command.waited_since = self.waited_since;
        if let Some(copy) = self.copy.take() {
            *given = copy;
        }
        Ok(Some(command))
    }
}

impl Cluster {
    /// Steps up to and including the next command of `choice`, or of the component whose turn it is if
    /// `choice` is `None`.
    ///
    /// # Errors
    /// Why there is no command. Actions taken by then stay taken, but no time has passed.
    pub fn next_command(&mut self, choice: Option<Actor>) -> Result<Command, Stopped> {
        self.find(Search::new(choice))
    }

    /// Steps up to the moment before the next command of a component, which has its request ready to be sent then. Whether
    /// a component would act costs no request this way. Returns the actions that were taken.
    ///
    /// # Errors
    /// As [`Cluster::next_command`].
    pub fn approach_command(&mut self, actor: Actor) -> Result<Vec<Action>, Stopped> {
        let mut search = Search::new(Some(actor));
        for _ in 0..ACTIONS_LIMIT {
            if self.is_at_command(actor) {
                return Ok(search.actions);
            }
            // Events about earlier writes are written on the way.
            if let Some(event) = search.act(self, usize::MAX)? {
                search.actions = event.actions.iter().collect();
            }
        }
        Err(Stopped::Limit)
    }

    /// Whether the next action of a component is a command.
    pub fn is_at_command(&self, actor: Actor) -> bool {
        let Some(Action::Send { actor }) = self.next_for(actor) else { return false };
        let pending = self.component(actor).and_then(Component::pending);
        pending.is_some_and(|p| p.request.verb.writes() && !p.background)
    }

    /// Steps up to and including the command that a search looks for.
    ///
    /// # Errors
    /// As [`Cluster::next_command`].
    pub fn find(&mut self, mut search: Search) -> Result<Command, Stopped> {
        search.advance(self, ACTIONS_LIMIT).unwrap_or(Err(Stopped::Limit))
    }

    /// The next action under a policy, at machinery depth; `None` if the cluster is steady. `nth` is the
    /// number of the step in its run.
    pub fn under(&self, policy: &Policy, nth: u64) -> Option<Action> {
        match policy {
            Policy::Fair => self.fair(),
            policy => Chooser::new(policy.clone(), nth).finest(self),
        }
    }

    /// Steps through the rest of the sync under way, or through the next sync that issues a command. Returns
    /// all of its commands. `choice` is as for [`Cluster::next_command`].
    ///
    /// # Errors
    /// Why there is no command.
    pub fn next_reconcile(&mut self, choice: Option<Actor>) -> Result<Vec<Command>, Stopped> {
        self.reconcile_from(Search::new(choice))
    }

    /// [`Cluster::next_reconcile`] for the component that a search finds.
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

    /// Whether a component's sync waits for a request to be sent.
    pub fn is_in_sync(&self, actor: Actor) -> bool {
        self.component(actor).is_some_and(|c| c.wants().send)
    }

    /// A component; `None` if there is none in that place.
    pub fn component(&self, actor: Actor) -> Option<&dyn crate::client::Component> {
        let c = self.processes.get(actor.process as usize)?.components.get(actor.component as usize)?;
        Some(&***c)
    }

    /// A component's name; `None` if there is none in that place.
    pub fn actor_name(&self, actor: Actor) -> Option<Rc<str>> {
        self.component(actor).map(crate::client::Component::name)
    }

    /// The name of the first component with this user at the API server. Some users are those of two components
    /// (`node-controller`); a person's is that of none.
    pub fn name_of_user(&self, user: &str) -> Option<Rc<str>> {
        self.components().find(|c| &*c.user() == user).map(crate::client::Component::name)
    }

    /// The name of the first component whose events have this source.
    pub fn name_of_event_source(&self, source: &str) -> Option<Rc<str>> {
        self.components().find(|c| &*c.event_source() == source).map(crate::client::Component::name)
    }

    fn components(&self) -> impl Iterator<Item = &dyn crate::client::Component> {
        self.actors().filter_map(|actor| self.component(actor))
    }

    /// Every component, in the order of processes and of places in them.
    pub fn actors(&self) -> impl Iterator<Item = Actor> {
        self.processes.iter().enumerate().flat_map(|(p, process)| {
            (0..process.components.len())
                .map(move |c| Actor { process: p as u32, component: u16::try_from(c).unwrap_or(u16::MAX) })
        })
    }

    fn as_command(&self, t: Transition) -> Option<Command> {
        let (actor, key, origin, request, why, response) = match (t.action, t.outcome) {
            (
                Action::Send { actor },
                Outcome::Sent { key, origin, request, why, response, background: false, .. },
            ) if request.verb.writes() => (actor, Some(key), origin, request, why, response),
            (Action::Record { actor }, Outcome::Recorded { exchange: Some((request, response)) }) => {
                (actor, None, Origin::default(), request, None, response)
            }
            _ => return None,
        };
        Some(Command {
            actor,
            by: self.actor_name(actor)?,
            key,
            origin,
            request,
            why,
            response,
            writes: t.writes,
            events: Vec::new(),
            actions: Actions::default(),
            at: self.now(),
            waited_since: None,
        })
    }

    fn flush_events(&mut self, command: &mut Command, actions: &mut Vec<Action>) {
        let action = Action::Record { actor: command.actor };
        // Writing an event records no further event, so this ends when those that wait are written.
        for _ in 0..ACTIONS_LIMIT {
            if !self.component(command.actor).is_some_and(|c| c.wants().record) {
                return;
            }
            let Ok(t) = self.act(&action) else { return };
            actions.push(action);
            if command.events.is_empty() {
                command.events = t.writes;
            } else {
                command.events.reserve_exact(t.writes.len());
                command.events.extend(t.writes);
            }
        }
    }

    /// The command that each component would issue next if it were chosen, found on clones; at most `limit`
    /// commands. If no component can act now, the first command after time has passed. Empty if the cluster
    /// is steady.
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

    /// Whether no component would issue a command, now or after time has passed. Heartbeats are not
    /// commands. A cluster that repeats itself is not steady.
    pub fn is_steady(&self) -> bool {
        self.clone().next_command(None) == Err(Stopped::Idle)
    }

    /// Runs under the fair policy until the cluster is steady or `limit` commands were issued, and calls
    /// `see` after each. Returns whether the cluster is steady.
    pub fn run_to_steady(&mut self, limit: usize, mut see: impl FnMut(&Cluster, &Command)) -> bool {
        for _ in 0..limit {
            match self.next_command(None) {
                Ok(command) => see(self, &command),
                Err(why) => return why == Stopped::Idle,
            }
        }
        self.is_steady()
    }

    /// Runs under the fair policy until the moment `to`, with everything that is due at that moment, and
    /// calls `see` after each command.
    ///
    /// # Errors
    /// [`Stopped::Limit`] after [`ACTIONS_LIMIT`] actions at one moment.
    pub fn run_until(
        &mut self,
        to: Timestamp,
        mut see: impl FnMut(&Cluster, &Command),
    ) -> Result<(), Stopped> {
        let (mut moment, mut actions) = (self.now(), 0);
        loop {
            let scheduled = || self.clock.next_by_itself().map(|_| Action::Advance);
            let due =
                |a: &Action| *a != Action::Advance || self.clock.next_or_scheduled().is_some_and(|t| t <= to);
            match self.fair().or_else(scheduled).filter(due) {
                Some(action) => {
                    let Ok(t) = self.act(&action) else { return Ok(()) };
                    if let Some(command) = self.as_command(t) {
                        see(self, &command);
                    }
                }
                // Background deadlines up to `to` are met at `to`, resyncs on time.
                None if self.now() < to => {
                    let resync = self.clock.next_resync();
                    self.advance_to(resync.map_or(to, |t| t.min(to)));
                }
                None => return Ok(()),
            }
            actions = if self.now() == moment { actions + 1 } else { 0 };
            moment = self.now();
            if actions >= ACTIONS_LIMIT {
                return Err(Stopped::Limit);
            }
        }
    }

    /// Whether the fair policy comes to no command until a moment: the cluster waits for nothing that is due by then, and what is on its
    /// way leads to none. What happens by itself is not looked at.
    pub fn is_quiet_until(&self, to: Timestamp) -> bool {
        let is_due = |c: &Cluster| c.clock.next_waited_for().is_some_and(|at| at <= to);
        if is_due(self) {
            return false;
        }
        let mut after = self.clone();
        for _ in 0..ACTIONS_LIMIT {
            let Some(action) = after.fair().filter(|a| *a != Action::Advance) else { return !is_due(&after) };
            match after.act(&action).map(|t| after.as_command(t)) {
                Ok(None) => {}
                Ok(Some(_)) | Err(_) => return false,
            }
        }
        false
    }

    /// Runs under the fair policy until no action is enabled without time passing.
    ///
    /// # Errors
    /// [`Stopped::Limit`] after [`ACTIONS_LIMIT`] actions.
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
