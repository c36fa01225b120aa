//! The next commands. They are looked for in slices, while no activity is under way: one component after the other runs
//! on a copy of the cluster up to its next command.

use std::rc::Rc;

use super::run::SLICE;
use super::{Depth, Engine, Listing, NextLine, Pick};
use crate::cluster::{Action, Actor, Cluster, Command, Search};

/// How many lines are worked out at first; further components are only counted.
pub(super) const LINES: usize = 40;
/// How many finest actions are taken between two readings of the clock.
const AT_ONCE: usize = 4;

/// A search for the next commands that is under way.
pub(super) struct Finder {
    cluster: Cluster,
    /// The search for one line, and the copy of the cluster that it runs on.
    search: Option<(Cluster, Search)>,
    /// Whether the first line is known: the command of the component whose turn it is.
    begun: bool,
    /// Whether what is looked for comes of the next run of a schedule, since nothing else is left to do.
    at_schedule: bool,
    /// What comes of it.
    scheduled: Option<NextLine>,
    /// The components whose commands are looked for after that.
    waiting: std::vec::IntoIter<Actor>,
    lines: Vec<NextLine>,
}

impl Finder {
    /// Adds the command that a search found.
    fn found(&mut self, command: &Command) {
        let line = NextLine::of_command(&self.cluster, command);
        if self.at_schedule {
            self.scheduled = Some(NextLine { pick: Pick::Schedule, ..line });
            return;
        }
        if !self.begun && line.wait == 0 {
            let others = self.cluster.actors().filter(|a| *a != command.actor);
            let able: Vec<Actor> = others.filter(|a| self.cluster.next_for(*a).is_some()).collect();
            self.waiting = able.into_iter();
        }
        self.lines.push(line);
    }

    /// Begins to look for what comes of the next run of a schedule, if nothing else is left to do. Returns whether it
    /// has begun.
    fn looks_at_schedule(&mut self) -> bool {
        // The component of the schedule may not have been notified of it yet, so the clock need not have it.
        let begins = !self.at_schedule && self.lines.is_empty();
        if begins {
            self.at_schedule = true;
            self.search = Some((self.cluster.clone(), Search::new(None).to_schedule()));
        }
        begins
    }
}

impl Engine {
    /// Goes on with the search for a slice.
    pub(super) fn find(&mut self) {
        let end = (self.clock)() + SLICE;
        let mut finder = match self.finder.take() {
            Some(finder) => finder,
            None if self.shown.depth == Depth::Machinery => return self.list_actions(),
            None => self.finder(),
        };
        while (self.clock)() < end {
            let Some((mut copy, mut search)) = finder.search.take() else {
                let next = if finder.lines.len() < self.lines { finder.waiting.next() } else { None };
                let Some(actor) = next else {
                    if finder.looks_at_schedule() {
                        continue;
                    }
                    let (more, scheduled) = (finder.waiting.len(), finder.scheduled);
                    let lines = Rc::new(finder.lines);
                    self.shown.listing = Listing { lines, more, ready: true, scheduled };
                    return self.touch();
                };
                finder.search = Some((finder.cluster.clone(), Search::new(Some(actor))));
                continue;
            };
            match search.advance(&mut copy, AT_ONCE) {
                None => finder.search = Some((copy, search)),
                Some(found) => {
                    found.iter().for_each(|c| finder.found(c));
                    finder.begun = true;
                }
            }
        }
        // The lines that are known are shown while further ones are looked for.
        if self.shown.listing.lines.len() != finder.lines.len() {
            let (lines, more) = (Rc::new(finder.lines.clone()), finder.waiting.len());
            self.shown.listing = Listing { lines, more, ready: false, scheduled: None };
            self.touch();
        }
        self.finder = Some(finder);
    }

    fn finder(&self) -> Finder {
        let cluster = self.session.cluster().clone();
        let nth = self.session.current().steps as u64;
        let search = Some((cluster.clone(), Search::under(self.session.policy(), nth)));
        Finder {
            cluster,
            search,
            begun: false,
            at_schedule: false,
            scheduled: None,
            waiting: Vec::new().into_iter(),
            lines: Vec::new(),
        }
    }

    fn list_actions(&mut self) {
        let cluster = self.session.cluster();
        let first = cluster.under(self.session.policy(), self.session.current().steps as u64);
        let mut actions = cluster.enabled();
        match first {
            Some(first) => {
                actions.retain(|a| *a != first);
                actions.insert(0, first);
            }
            // The cluster is steady; time may pass to the next run of a schedule.
            None => actions.retain(|a| *a != Action::Advance),
        }
        let more = actions.len().saturating_sub(self.lines);
        let lines = actions.iter().take(self.lines).map(|a| NextLine::of_action(cluster, *a));
        let lines: Rc<Vec<NextLine>> = Rc::new(lines.collect());
        let advance = || NextLine { pick: Pick::Schedule, ..NextLine::of_action(cluster, Action::Advance) };
        let scheduled = (lines.is_empty() && cluster.clock().next_by_itself().is_some()).then(advance);
        self.shown.listing = Listing { lines, more, ready: true, scheduled };
        self.touch();
    }
}
