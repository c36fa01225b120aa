//! A line of the terminal: a script of the shell in which `kubectl` and `docker exec` are commands.

use std::rc::Rc;

use super::around::{Around, Done, State, done, program};
use super::outside::Outside;
use super::shown::Entered;
use crate::api::Timestamp;
use crate::kubectl;
use crate::session::{CommandLine, Ran, edited_files};
use crate::shell::{self, Change, End, World, Write};

use super::super::keep::MANIFEST;

/// The most bytes that a line prints; what follows is cut.
const PRINTED_LIMIT: usize = 1 << 20;
/// The directory of the terminal.
const DIRECTORY: &str = "/root";

/// A line that is being carried out: a value. When it is driven again it is run from its start, and the commands of kubectl
/// and docker that have ended are not run again: what they printed is kept.
#[derive(Clone, Debug)]
pub(super) struct Line {
    text: Rc<str>,
    started: Timestamp,
    /// What `$?` is at its beginning: how the line before has ended.
    status: i32,
    /// The commands of kubectl and docker so far, in order.
    done: Vec<Done>,
    /// Whether a request went [`astray`](Printed::astray).
    astray: bool,
}

/// What a line has printed so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Printed {
    pub(super) text: String,
    /// Whether something of it is a complaint.
    pub(super) complained: bool,
    /// How a command of kubectl's came into a container; `None` if none did.
    pub(super) inside: Option<Entered>,
    /// Whether it asked from the person's own machine, in vain, for something that is reached only from within the cluster.
    pub(super) astray: bool,
    pub(super) state: State,
}

impl Line {
    pub(super) fn new(text: &str, now: Timestamp, status: i32) -> Line {
        Line { text: text.into(), started: now, status, done: Vec::new(), astray: false }
    }

    /// Carries the line out as far as it goes now.
    pub(super) fn drive(&mut self, around: Around<'_>) -> Printed {
        let now = around.session.now();
        let mut world = World::default();
        let path = shell::absolute(DIRECTORY, MANIFEST);
        world.files.note(&Write { at: self.started, path, change: Change::Put(around.manifest.into()) });
        let program = program(&self.text, self.started);
        let mut commands = Outside::new(around, &mut self.done, 0);
        let run = shell::run_with(&program, &world, now, self.status, &mut commands);
        let mut text = String::new();
        for output in &run.output {
            text.push_str(&output.text);
        }
        let (mut state, inside, astray) = (commands.state, commands.inside, commands.astray);
        // A request that was sent before is not sent again, so the line remembers it.
        self.astray |= astray;
        match run.end {
            End::Exit(_, code) => state = State::Ended(code),
            End::Runs if run.exhausted => {
                text.push_str("sh: the line goes on for ever, so it was stopped\n");
                state = State::Ended(1);
            }
            End::Runs => {}
        }
        cut(&mut text);
        let complained = run.exhausted || run.output.iter().any(|o| o.stderr);
        Printed { text, complained, inside, astray: self.astray, state }
    }

    /// The command with this number, for which a text was edited; `None` if it waits for no text.
    pub(super) fn edited(&self, command: usize, opened: &str, saved: &str) -> Option<CommandLine> {
        let Some(Done::Open(open)) = self.done.get(command) else { return None };
        let mut files: Vec<(String, String)> =
            open.files().iter().map(|(name, text)| (name.clone(), text.clone())).collect();
        // A command can edit several objects, one after the other.
        let nth = (0..).find(|n| !open.files().contains_key(&edited_files(*n).1))?;
        let (as_opened, as_saved) = edited_files(nth);
        files.extend([(as_opened, opened.to_owned()), (as_saved, saved.to_owned())]);
        Some(CommandLine { line: open.line().to_owned(), files, editor: true })
    }

    /// Notes that the shell has ended which the command with this number has opened.
    pub(super) fn note_left(&mut self, command: usize, exit: i32, now: Timestamp) {
        if let Some(place) = self.done.get_mut(command)
            && let Done::Shell(_, output) = place
        {
            *place = Done::Ended(Rc::new(kubectl::Output { exit, waits: false, ..(**output).clone() }), now);
        }
    }

    /// Notes what came of the command with this number.
    pub(super) fn note(&mut self, command: usize, ran: Ran, now: Timestamp) {
        if let Some(place) = self.done.get_mut(command) {
            *place = done(ran, now);
        }
    }
}

fn cut(text: &mut String) {
    if text.len() > PRINTED_LIMIT {
        let mut end = PRINTED_LIMIT;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str("\n… (cut: this is more than the terminal keeps)\n");
    }
}
