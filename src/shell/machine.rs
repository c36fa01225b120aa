//! A shell's state: variables, files, streams, the clock.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use jiff::SignedDuration;

use super::array::Array;
use super::ast::Node;
use super::cycle::{Cycle, Sending, Varied};
use super::files::{Files, Write};
use super::{
    COMMANDS_LIMIT, COMMANDS_LIMIT_OF_A_MOMENT, Commanded, Commands, End, Listens, Output, Outside, Printed,
    Program, Run, STOPS_AFTER, Then, Unknown, Until, World,
};
use crate::api::{Timestamp, later};
use crate::network::{Answer, Outcome, Question, Reply};

/// The longest text: of a variable, a file, a stream.
pub(super) const TEXT_LIMIT: usize = 1 << 16;

/// How many comparisons of patterns count as a command.
const COMPARISONS: usize = 20_000;

/// Why the current command does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The shell ends with a code.
    Exit(i32),
    /// A function or a sourced script returns.
    Return(i32),
    /// This number of loops ends.
    Break(u32),
    /// All but the last of this number of loops end, and the last one goes on.
    Continue(u32),
    /// The whole program ends, by a signal.
    Killed(i32),
    /// A person has interrupted the command, so the shell that has prompted for it goes on with the next one.
    Interrupted,
    /// It does not end, or not before the moment up to which it is run.
    Never,
}

/// A status, or why there is none.
pub(super) type Ran = Result<i32, Stop>;

/// Where output goes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Out {
    Console { stderr: bool },
    Nowhere,
    File(String),
    Buffer(usize),
}

/// A stream that commands read from.
#[derive(Clone, Debug, Default)]
pub(super) struct Input {
    pub(super) text: Vec<char>,
    pub(super) at: usize,
    /// When the text is there.
    pub(super) from: Option<Timestamp>,
    /// Whether nobody ever closes the stream.
    pub(super) open: bool,
    /// The bytes behind the text that are only counted.
    pub(super) rest: u64,
    /// Whether it is a device that has bytes for ever.
    pub(super) endless: bool,
    /// Up to which place the text is there from which moment on, in order; nothing if all of it was there from the beginning.
    pub(super) comes: Vec<(usize, Timestamp)>,
    /// When somebody has closed the stream.
    pub(super) closed: Option<Timestamp>,
}

/// A command in the background.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) pid: usize,
    /// When it ends, and its status; `None` if it does not.
    pub(super) ends: Option<(Timestamp, i32)>,
    /// Which of the shell's cycles are those of its loops.
    pub(super) cycles: std::ops::Range<usize>,
}

/// A variable's value, and whether it is exported.
pub(super) type Variable = (Rc<str>, bool);

/// What a local variable hides: its name, and what the name stands for outside of the function.
pub(super) type Hidden = (String, Option<Variable>, Option<Array>);

/// What a subshell has a copy of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Frame {
    pub(super) variables: BTreeMap<String, Variable>,
    pub(super) arrays: BTreeMap<String, Array>,
    pub(super) functions: BTreeMap<String, Rc<Node>>,
    pub(super) name: String,
    pub(super) args: Vec<String>,
    pub(super) directory: String,
    pub(super) options: String,
    pub(super) traps: BTreeMap<String, String>,
    pub(super) bash: bool,
}

pub(super) struct Shell<'a> {
    pub(super) program: &'a Program,
    world: &'a World,
    pub(super) outside: &'a dyn Outside,
    pub(super) until: Option<Timestamp>,
    pub(super) now: Timestamp,
    pub(super) files: Files,
    pub(super) writes: Vec<Write>,
    pub(super) looked_at: BTreeSet<String>,
    /// What was asked of the network, and how often.
    asked: BTreeMap<Question, u64>,
    /// The first question that nobody has answered yet.
    open: Option<Question>,
    /// The requests that were sent, in the order of time.
    pub(super) sendings: Vec<(Timestamp, Sending)>,
    /// How often commands have looked at the clock.
    pub(super) clock_reads: Cell<usize>,
    /// The questions of the loop under way that can be answered in ways which a program can tell apart, with the answers that it has met.
    pub(super) varied: BTreeMap<Question, Varied>,
    /// What loops have repeated, in the order of time.
    pub(super) cycles: Vec<Cycle>,
    /// How often a loop was leaped over.
    pub(super) leaps: usize,
    /// When the command under way is ended by somebody who has set a limit (`timeout`).
    pub(super) deadline: Option<Timestamp>,
    /// How many loops have begun.
    pub(super) loops: usize,
    /// How many loops are under way, one in the other.
    pub(super) nested_loops: usize,
    pub(super) listens: Vec<Listens>,
    pub(super) output: Vec<Output>,
    /// The signals that were sent to the container's first process.
    pub(super) signals: Vec<Box<str>>,
    pub(super) printed: usize,
    /// What was printed, piece by piece, in a run to the program's end.
    said: Vec<(Timestamp, Printed)>,
    /// All of it.
    pub(super) said_so_far: Printed,
    /// How many bytes have been written to files that were only counted.
    pub(super) filled: u64,
    pub(super) certain: bool,
    pub(super) steps: usize,
    /// How many comparisons of patterns were not counted as a command yet.
    compared: usize,
    pub(super) depth: usize,
    pub(super) frame: Frame,
    pub(super) status: i32,
    /// The status of the last command substitution.
    pub(super) substituted: Option<i32>,
    /// How many conditions are being tested: a failing command in one does not end a shell with `set -e`.
    pub(super) tested: usize,
    /// What functions have to restore of their local variables.
    pub(super) locals: Vec<Vec<Hidden>>,
    pub(super) jobs: Vec<Job>,
    pub(super) outs: BTreeMap<u8, Out>,
    pub(super) buffers: Vec<String>,
    pub(super) inputs: Vec<Input>,
    /// The current standard input.
    pub(super) input: usize,
    /// Whether the command under way is the container's process itself, not a child of its shell.
    pub(super) alone: bool,
    /// Whether this is the container's own shell, not a copy of it.
    pub(super) main: bool,
    /// Whether the signal was handled.
    handled: bool,
    /// The commands of whoever runs the shell.
    pub(super) commands: Option<&'a mut dyn Commands>,
    /// The longest text in a pipe.
    pub(super) text_limit: usize,
    /// Whether the command under way prints something for each line that it reads, so that it has printed all it can before
    /// its input ends.
    pub(super) line_by_line: bool,
    /// Whether that command has come to the end of what is there of an input that may go on.
    pub(super) wants_more: bool,
    /// Whether the commands under way are those of a shell that prompts a person for them.
    pub(super) interactive: bool,
    /// Whether a command asks that shell to end.
    pub(super) exits: bool,
    /// How many commands in the background are around the one under way.
    pub(super) behind: usize,
    /// Up to which place of what is typed the terminal has echoed it before anybody has read it.
    pub(super) echoed: usize,
    /// Whether a shell that prompts reads the line that is typed, or something else; `None` while nobody does.
    pub(super) prompts: Option<bool>,
    /// Whether the program waits for something that is to be written to its standard input.
    pub(super) reads: bool,
}

impl<'a> Shell<'a> {
    /// What the program finds outside of itself.
    pub(super) fn world(&self) -> &'a World {
        self.world
    }

    pub(super) fn new(
        program: &'a Program,
        world: &'a World,
        outside: &'a dyn Outside,
        until: Until,
    ) -> Shell<'a> {
        let until = match until {
            Until::End => None,
            Until::Moment(t) => Some(t),
        };
        let mut frame = Frame { directory: program.directory.clone(), ..Frame::default() };
        for (name, value) in &program.env {
            frame.variables.insert(name.clone(), (value.as_str().into(), true));
        }
        // A terminal is one stream.
        let console = |stderr: bool| Out::Console { stderr: stderr && !program.terminal };
        Shell {
            program,
            world,
            outside,
            until,
            now: program.start,
            files: world.files.clone(),
            writes: Vec::new(),
            looked_at: BTreeSet::new(),
            asked: BTreeMap::new(),
            open: None,
            sendings: Vec::new(),
            clock_reads: Cell::new(0),
            varied: BTreeMap::new(),
            cycles: Vec::new(),
            leaps: 0,
            deadline: None,
            loops: 0,
            nested_loops: 0,
            listens: Vec::new(),
            output: Vec::new(),
            signals: Vec::new(),
            printed: 0,
            said: Vec::new(),
            said_so_far: Printed::default(),
            filled: 0,
            certain: true,
            steps: if until.is_some() { COMMANDS_LIMIT_OF_A_MOMENT } else { COMMANDS_LIMIT },
            compared: 0,
            depth: 0,
            frame,
            status: 0,
            substituted: None,
            tested: 0,
            locals: Vec::new(),
            jobs: Vec::new(),
            outs: BTreeMap::from([(1, console(false)), (2, console(true))]),
            buffers: Vec::new(),
            inputs: vec![Input::first(program, world)],
            input: 0,
            alone: true,
            main: true,
            handled: false,
            commands: None,
            text_limit: TEXT_LIMIT,
            line_by_line: false,
            wants_more: false,
            interactive: false,
            exits: false,
            behind: 0,
            echoed: 0,
            prompts: None,
            reads: false,
        }
    }

    pub(super) fn into_run(mut self, end: End) -> Run {
        let last = match (end, self.until) {
            (End::Exit(at, _), Some(until)) => at.min(until),
            (End::Exit(at, _), None) => at,
            (End::Runs, Some(until)) => until,
            (End::Runs, None) => Timestamp::MAX,
        };
        // What commands in the background do after the end of the shell does not happen.
        self.writes.retain(|w| w.at <= last);
        self.output.retain(|o| o.at <= last);
        crate::api::order::sort_by(&mut self.writes, |a, b| a.at.cmp(&b.at));
        crate::api::order::sort_by(&mut self.output, |a, b| a.at.cmp(&b.at));
        Run {
            end,
            certain: self.certain,
            asked: self.asked.into_keys().collect(),
            open: self.open,
            listens: self.listens,
            cycles: self.cycles,
            files: self.looked_at,
            writes: self.writes,
            output: self.output,
            signals: self.signals,
            reads: self.reads,
            exhausted: self.steps == 0,
            printed: so_far(self.said, last),
        }
    }

    /// Notes that something is printed, for who asks how much that is.
    pub(super) fn note_printed(&mut self, piece: Printed) {
        if self.until.is_some() {
            return;
        }
        self.said_so_far = self.said_so_far.plus(piece);
        match self.said.last_mut() {
            Some((at, all)) if *at == self.now => *all = all.plus(piece),
            _ => self.said.push((self.now, piece)),
        }
    }

    /// Counts a command.
    pub(super) fn step(&mut self) -> Result<(), Stop> {
        match self.steps.checked_sub(1) {
            Some(left) => self.steps = left,
            None => return Err(self.exhausted()),
        }
        Ok(())
    }

    /// Counts comparisons of patterns: so many of them are as much work as a command.
    pub(super) fn note_comparisons(&mut self, work: usize) -> Result<(), Stop> {
        self.compared += work;
        while self.compared >= COMPARISONS {
            self.compared -= COMPARISONS;
            self.step()?;
        }
        Ok(())
    }

    /// Lets time pass.
    pub(super) fn pass(&mut self, time: SignedDuration) -> Result<(), Stop> {
        let then = later(self.now, time);
        self.dies_before(Some(then))?;
        self.echo_until(then, usize::MAX);
        self.now = then;
        if self.until.is_some_and(|u| then > u) { Err(Stop::Never) } else { Ok(()) }
    }

    /// Whether the moment up to which the program is run comes before `then`.
    pub(super) fn is_past(&self, then: Timestamp) -> bool {
        self.until.is_some_and(|u| then > u)
    }

    /// Waits for something that does not come.
    pub(super) fn block(&mut self) -> Stop {
        if let Err(stop) = self.dies_before(None) {
            return stop;
        }
        self.echo_until(Timestamp::MAX, usize::MAX);
        Stop::Never
    }

    /// SIGTERM ends a process that does not handle it, unless it is process 1.
    fn dies_before(&mut self, then: Option<Timestamp>) -> Result<(), Stop> {
        self.check_interrupt(then)?;
        let Some(signal) = self.program.signal.filter(|s| then.is_none_or(|t| *s < t)) else { return Ok(()) };
        let ignores = self.program.first || self.interactive;
        if ignores || self.frame.traps.contains_key("TERM") || self.handled {
            return Ok(());
        }
        self.now = self.now.max(signal);
        Err(Stop::Killed(143))
    }

    /// A server, which runs until SIGTERM and then ends with `code`.
    pub(super) fn serve(&mut self, code: i32) -> Stop {
        match self.program.signal.filter(|_| self.alone) {
            Some(signal) => {
                self.now = later(self.now.max(signal), STOPS_AFTER);
                Stop::Killed(code)
            }
            None => self.block(),
        }
    }

    /// Whether a person or a client waits for what the command prints: then nobody may guess how long a program runs that the shell does
    /// not know.
    pub(super) fn is_asked(&self) -> bool {
        self.interactive || self.program.unknown == Unknown::Missing
    }

    /// Says of a program that the image has and that is not built here that it is not run, as POSIX has it for a program that was found
    /// and cannot be executed (`sh`, 2.8.2, "Exit Status for Commands").
    pub(super) fn is_not_played(&mut self, name: &str) -> i32 {
        self.error(&format!("{name}: the image has this program, and it is not played here"));
        126
    }

    /// Runs a program that the shell does not know, as [`Unknown`](super::Unknown) says. `why` is the shell's message if it
    /// cannot be started.
    pub(super) fn unknown(&mut self, why: &str) -> Ran {
        self.certain = false;
        match self.program.unknown {
            _ if self.is_asked() => {
                self.complain(why);
                Ok(127)
            }
            Unknown::Forever | Unknown::Missing => Err(self.serve(0)),
            Unknown::Ends(after) => {
                let ends = later(self.now, after);
                if let Some(signal) = self.program.signal.filter(|s| self.alone && *s < ends) {
                    let stopped = later(self.now.max(signal), STOPS_AFTER);
                    if stopped < ends {
                        self.now = stopped;
                        return Err(Stop::Killed(0));
                    }
                }
                self.pass(after)?;
                Ok(0)
            }
        }
    }

    /// Runs the trap of SIGTERM, if the signal has come. A shell does so when the command under way has ended.
    pub(super) fn check_signal(&mut self) -> Result<(), Stop> {
        if self.handled || self.program.signal.is_none_or(|s| s > self.now) {
            return Ok(());
        }
        let Some(action) = self.frame.traps.get("TERM").cloned() else { return Ok(()) };
        self.handled = true;
        let status = self.status;
        self.evaluate(&action)?;
        self.status = status;
        Ok(())
    }

    /// Waits for a signal that is handled, if one comes before `then`. Returns whether it came.
    pub(super) fn interrupted(&mut self, then: Option<Timestamp>) -> Result<bool, Stop> {
        let Some(signal) = self.program.signal.filter(|s| then.is_none_or(|t| *s < t)) else {
            return Ok(false);
        };
        let handles = self.frame.traps.get("TERM").is_some_and(|a| !a.is_empty());
        if self.handled || !handles || self.until.is_some_and(|u| signal > u) {
            return Ok(false);
        }
        self.now = self.now.max(signal);
        self.check_signal()?;
        Ok(true)
    }

    /// Asks the network. Without an answer the program does not go on.
    pub(super) fn ask(&mut self, question: Question) -> Result<Answer, Stop> {
        let noted = self.world.answers.get(&question).and_then(|answers| {
            let valid = answers.iter().rev().find(|(t, _)| *t <= self.now);
            valid.or(answers.first()).map(|(_, a)| a.clone())
        });
        let answer = noted.or_else(|| self.outside.answer(&question));
        let times = self.asked.entry(question.clone()).or_insert(0);
        *times = times.saturating_add(1);
        match answer {
            Some(answer) => Ok(answer),
            None => {
                self.open.get_or_insert(question);
                Err(Stop::Never)
            }
        }
    }

    /// Asks the network what becomes of a connection. Each time that is another connection.
    pub(super) fn connect(&mut self, question: Question) -> Result<Outcome, Stop> {
        Ok(self.meet(question)?.map_or(Outcome::TimedOut, |reply| reply.outcome))
    }

    /// As [`Shell::connect`], with all that is known of what it meets.
    pub(super) fn meet(&mut self, question: Question) -> Result<Option<Reply>, Stop> {
        let nth = self.asked.get(&question).copied().unwrap_or(0);
        let answer = self.ask(question.clone())?;
        self.note_reply(question, &answer, nth);
        Ok(answer.pick(nth).cloned())
    }

    /// The moments after another one at which the next answer to something that was asked is valid, and when the signal comes.
    pub(super) fn changes_outside(&self, after: Timestamp) -> impl Iterator<Item = Timestamp> {
        let next = move |question: &Question| {
            let answers = self.world.answers.get(question)?;
            Some(answers.get(answers.partition_point(|(at, _)| *at <= after))?.0)
        };
        let signal = self.program.signal.filter(|at| *at > after);
        let interrupt = self.interrupt_after(after).map(|(_, at)| at);
        let outside = self.asked.keys().filter_map(next).chain(signal).chain(interrupt);
        outside.chain(self.world.files.next_of_all(after))
    }

    /// A variable's value; of an array, that of its first element.
    pub(super) fn variable(&self, name: &str) -> Option<Rc<str>> {
        let own = self.frame.variables.get(name).map(|(v, _)| v.clone());
        own.or_else(|| self.frame.arrays.get(name)?.first())
    }

    /// Sets a variable. The text of one that is too long is cut.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        let value: Rc<str> = cut(value).into();
        match self.frame.arrays.get_mut(name) {
            Some(Array::Indexed(all)) => {
                all.insert(0, value);
                return;
            }
            Some(Array::Associative(all)) => {
                all.insert("0".to_owned(), value);
                return;
            }
            None => {}
        }
        let entry = self.frame.variables.entry(name.to_owned()).or_insert_with(|| (value.clone(), false));
        entry.0 = value;
        entry.1 |= self.frame.options.contains('a');
    }

    /// Whether the words are one of the caller's commands.
    pub(super) fn is_commanded(&self, words: &[String]) -> bool {
        self.commands.as_ref().is_some_and(|c| c.knows(words))
    }

    /// Runs one of the caller's commands.
    pub(super) fn command_outside(&mut self, words: &[String]) -> Ran {
        // The first input is the terminal.
        let input = if self.input == 0 { None } else { Some(self.read_input()?) };
        let Some(commands) = &mut self.commands else { return Ok(0) };
        let Commanded { printed, then } = commands.run(words, input.as_deref());
        printed.iter().for_each(|(stderr, text)| self.write(if *stderr { 2 } else { 1 }, text));
        match then {
            Then::Ended(at, status) => {
                self.now = self.now.max(at);
                Ok(status)
            }
            Then::Waits => Err(self.block()),
            Then::Leave(status) => Err(Stop::Killed(status)),
        }
    }
}

/// What was printed until each moment at which something was, up to the last one.
fn so_far(mut said: Vec<(Timestamp, Printed)>, last: Timestamp) -> Vec<(Timestamp, Printed)> {
    said.retain(|(at, _)| *at <= last);
    crate::api::order::sort_by(&mut said, |a, b| a.0.cmp(&b.0));
    let mut all = Printed::default();
    for (_, piece) in &mut said {
        all = all.plus(*piece);
        *piece = all;
    }
    said
}

/// The beginning of a text that is too long.
pub(super) fn cut(text: &str) -> &str {
    let mut end = text.len().min(TEXT_LIMIT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}
