//! What a process in a container does, without running it: a POSIX shell and the usual commands, on virtual time.
//!
//! A [`Program`] is what the runtime starts: words, environment, user, the moment of the start. A [`World`] is what the
//! program finds outside of itself: mounted files with their history, and what the network has answered. [`run`]
//! is a pure function of the two. It executes the program's commands one after the other; a command takes no time,
//! but for those that wait (`sleep`, `wait`, a read from a pipe that is not filled yet). The result, a [`Run`], says
//! when the program ends and with which code. Nothing else is kept of a program that runs: what it has printed and
//! which files it has written until some moment, a caller asks for by running it again up to that moment
//! ([`Until::Moment`]). A program whose result depends on the outside says so ([`Run::asked`], [`Run::files`]); when
//! that changes, the caller notes the change with its moment in the world, and runs the program again from its start. A program
//! that has asked the network a question which nobody can answer yet stops there ([`Run::open`]).
//!
//! A loop that does not end is recognized by rounds that are alike ([`Cycle`]), and any other one by a budget: a program that has
//! executed [`COMMANDS_LIMIT`] commands runs for ever. Shell functions, substitutions and nested commands are as deep as the stack of a browser allows.
//!
//! A command that is not among those of this room is a program that nobody knows. [`Program::unknown`] says what it
//! does: a caller knows whether it is a server or a job.
//!
//! | module | what it is |
//! | --- | --- |
//! | `parser`, `compound`, `words`, `ast` | a script's text, and what is read from it |
//! | `expand`, `glob`, `patterns`, `arith`, `array`, `arrays` | expansions, patterns, arithmetic, arrays |
//! | `cursor` | which command the cursor is in, of a line that is being written |
//! | `machine` | a shell's state: variables, files, streams, the clock |
//! | `rounds`, `cycle` | loops whose rounds are alike, and what they repeat |
//! | `exec`, `simple` | executes commands: those that consist of commands, and simple ones |
//! | `builtins`, `condition`, `tools` | the commands |
//! | `streams`, `terminal` | what commands read and print; a shell that prompts a person |
//!
//! The crates that read shell scripts do not fit: brush-parser and conch-parser bring a parser generator or have no
//! maintainer, yash-syntax is under the GPL, and deno_task_shell has no loops.

mod arith;
mod array;
mod arrays;
mod ast;
mod builtins;
mod compound;
mod condition;
mod cursor;
mod cycle;
mod disk;
mod exec;
mod expand;
mod files;
mod glob;
mod machine;
mod parser;
mod patterns;
mod redirects;
mod rounds;
mod signals;
mod simple;
mod streams;
mod terminal;
mod text;
mod tools;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::Timestamp;
pub use crate::network::traffic::Answers;
use crate::network::{Answer, Protocol, Question, Reply};
use machine::{Shell, Stop};

pub use cursor::{AtCursor, at_cursor};
pub use cycle::{Cycle, Sending};
pub use files::{Access, Change, Files, Node, Sort, Write, absolute, space};
pub use text::duration;
pub use tools::{CLEARING, OF_ALPINE, is_shell, is_tool};

/// A program that has executed this many commands, and has not come to an end, runs for ever.
pub const COMMANDS_LIMIT: usize = 2000;

/// The most commands that are executed to find out what a program has done until a moment. What it does after that
/// many is not seen.
pub const COMMANDS_LIMIT_OF_A_MOMENT: usize = 50_000;

/// The longest text in a pipe that begins with one of the [`Commands`], in bytes.
const OF_COMMANDS_LIMIT: usize = 1 << 23;

/// The version of the kernel that all nodes run, and therefore all containers.
pub const KERNEL: &str = "6.1.0-amd64";

/// From SIGTERM to the end of a program that handles it.
pub const STOPS_AFTER: SignedDuration = SignedDuration::from_secs(1);

/// Whose words the commands use in their messages, and which ones there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tools {
    /// Those of BusyBox; `sh` is ash.
    Busybox,
    /// Those of GNU; `sh` is dash.
    Gnu,
}

/// What a program does that the shell does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// It runs until it is stopped.
    Forever,
    /// It runs that long and ends with 0.
    Ends(SignedDuration),
    /// It cannot be started, as if the image did not have it: the shell says so, and the status is 127.
    Missing,
}

/// What the runtime starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The command and its arguments.
    pub words: Vec<String>,
    /// The environment.
    pub env: BTreeMap<String, String>,
    /// The working directory.
    pub directory: String,
    /// The host's name.
    pub host: String,
    /// User and group.
    pub user: (i64, i64),
    /// All groups of the user, the one above among them.
    pub groups: Vec<i64>,
    /// When it starts.
    pub start: Timestamp,
    /// What its commands are like.
    pub tools: Tools,
    /// Whether `nslookup` asks the C library, as that of BusyBox did before 1.29.
    pub libc_nslookup: bool,
    /// Whether the image has no other programs than BusyBox' applets and [`Program::others`], so that another one is not
    /// found.
    pub complete: bool,
    /// Programs that the image has beside BusyBox' applets.
    pub others: &'static [&'static str],
    /// Whether a program that nobody knows runs beside it, which may have written any file.
    pub companions: bool,
    /// What programs do that the shell does not know.
    pub unknown: Unknown,
    /// Whether somebody may write to its standard input, so that it does not end.
    pub stdin: bool,
    /// Whether its streams are a terminal: what it reads is echoed, a shell that reads its commands from there prompts for them
    /// (and waits, also if nobody can type into it), and [`INTERRUPT`] and [`END_OF_INPUT`] are what they are when a person types them.
    pub terminal: bool,
    /// What stands in its standard input.
    pub input: String,
    /// Whether it is process 1 of its namespace. Such a process ignores signals that it does not handle.
    pub first: bool,
    /// When it gets SIGTERM; `None` if it does not.
    pub signal: Option<Timestamp>,
    /// The number of processors.
    pub processors: u32,
    /// What else it sees of the machine.
    pub machine: Rc<Machine>,
}

impl Program {
    /// A program that its user, root, starts in a shell on a machine, not in a container. What it does not know runs for ever.
    pub fn of_a_machine(words: Vec<String>, host: &str, tools: Tools, start: Timestamp) -> Program {
        let home = "/root";
        let env = [("HOME", home), ("PATH", "/usr/bin:/bin"), ("PWD", home), ("USER", "root")];
        Program {
            words,
            env: env.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            directory: home.into(),
            host: host.into(),
            user: (0, 0),
            groups: vec![0],
            start,
            tools,
            libc_nslookup: false,
            complete: true,
            others: &[],
            companions: false,
            unknown: Unknown::Forever,
            stdin: false,
            terminal: false,
            input: String::new(),
            first: false,
            signal: None,
            processors: 1,
            machine: Rc::default(),
        }
    }
}

/// What a program sees of the machine, of its network and of the processes beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// All memory and what is used of it, in KiB; `None` if nobody knows.
    pub memory: Option<(u64, u64)>,
    /// The size of its disk in bytes; `None` if nobody knows.
    pub disk: Option<u64>,
    /// The addresses of its network's interface, with the length of the range's prefix.
    pub addresses: Vec<ipnet::IpNet>,
    /// The largest packet that this takes, in bytes; `None` if it is that of an Ethernet.
    pub mtu: Option<u16>,
    /// The command of the container's first process; `None` if it is the program itself.
    pub process: Option<String>,
    /// The commands of the other processes of its process namespace, in the order of their numbers.
    pub beside: Vec<String>,
}

/// What a program finds outside of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct World {
    /// Mounted files, and what others have written into the container's file system.
    pub files: Files,
    /// Where file systems are mounted, and whether for reading only.
    pub mounts: Vec<(String, bool)>,
    /// What the network has answered so far.
    pub answers: Rc<BTreeMap<Question, Answers>>,
    /// What somebody has written to the standard input since the program was started, in the order of time.
    pub typed: Rc<[Typed]>,
}

/// What a terminal sends to the commands in the foreground as the signal SIGINT (Ctrl+C).
pub const INTERRUPT: char = '\u{3}';
/// What ends the input of whoever reads from a terminal, at the beginning of a line (Ctrl+D).
pub const END_OF_INPUT: char = '\u{4}';

/// What somebody has written to the standard input of a program that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// When.
    pub at: Timestamp,
    /// The text.
    pub text: Rc<str>,
    /// Whether the input is closed after it.
    pub closes: bool,
}

/// Who answers a question to the network that the world has no answer for.
pub trait Outside {
    /// The answer; `None` if it is not known yet.
    fn answer(&self, question: &Question) -> Option<Answer>;

    /// Hears of a request of HTTP that a program has sent and that was answered.
    fn sent(&self, _: &Sent<'_>) {}
}

/// A request of HTTP that a program has sent.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'a> {
    /// What was asked ([`Question::Fetch`]).
    pub question: &'a Question,
    /// What the connection met.
    pub reply: &'a Reply,
    /// What the program calls itself (`User-Agent`).
    pub agent: &'a str,
    /// When the request was sent.
    pub came: Timestamp,
    /// When the program gave up waiting for the answer; `None` if it has got it.
    pub given_up: Option<Timestamp>,
}

/// Nobody answers: for a program that is run with the answers it has got.
#[derive(Clone, Copy, Debug)]
pub struct Nobody;

impl Outside for Nobody {
    fn answer(&self, _: &Question) -> Option<Answer> {
        None
    }
}

/// Commands of whoever runs the shell, beside those of an image: a terminal's `kubectl`.
pub trait Commands {
    /// Whether a command with these words is one of them. All others are the shell's own.
    fn knows(&self, words: &[String]) -> bool;

    /// Runs a command that [`Commands::knows`]. `input` is what a pipe or a here-document hands to it; `None` if its
    /// standard input is the terminal.
    fn run(&mut self, words: &[String], input: Option<&str>) -> Commanded;

    /// Why no file can be written, for the message of a command that wants to.
    fn no_files(&self) -> &'static str;
}

/// What came of one of the [`Commands`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commanded {
    /// What it has printed, piece by piece: whether to standard error, and the text.
    pub printed: Vec<(bool, String)>,
    /// How far it is.
    pub then: Then,
}

/// How far one of the [`Commands`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It ended at this moment with this status.
    Ended(Timestamp, i32),
    /// It has not ended, and may print more.
    Waits,
    /// The whole script ends with this status.
    Leave(i32),
}

/// How far a program is to be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// To its end.
    End,
    /// To this moment, which is included. What was written is noted in [`Run::writes`] and [`Run::output`].
    Moment(Timestamp),
}

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With a code, at a moment.
    Exit(Timestamp, i32),
    /// It has not ended: it runs for ever, or the moment has come.
    Runs,
}

/// A piece of output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// When it was written.
    pub at: Timestamp,
    /// Whether it is of standard error.
    pub stderr: bool,
    /// The text. It can be a part of a line, or several.
    pub text: String,
}

/// A command that listens on a port until the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listens {
    /// Since when.
    pub from: Timestamp,
    /// The port.
    pub port: u16,
    /// The protocol.
    pub protocol: Protocol,
}

/// What has become of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// How it ends.
    pub end: End,
    /// Whether all of its commands are known, so that it does what it would do.
    pub certain: bool,
    /// What it has asked the network.
    pub asked: BTreeSet<Question>,
    /// The question at which it stopped, because nobody knows the answer yet.
    pub open: Option<Question>,
    /// The ports on which its commands listen, each from a moment on.
    pub listens: Vec<Listens>,
    /// What its loops repeat, in the order of time. A run that is not to the program's end has none.
    pub cycles: Vec<Cycle>,
    /// The paths that it looked at.
    pub files: BTreeSet<String>,
    /// What it has written to files, in the order of time.
    pub writes: Vec<Write>,
    /// What it has printed, in the order of time.
    pub output: Vec<Output>,
    /// The signals that it has sent to the first process of its container, without `SIG`, if it is another one.
    pub signals: Vec<Box<str>>,
    /// Whether it does not go on before somebody writes to its standard input.
    pub reads: bool,
    /// Whether it was not run further because it has executed as many commands as are allowed.
    pub exhausted: bool,
    /// How much it has printed until each moment at which it has printed something, in the order of time; what its loops repeat is in
    /// [`Cycle::printed`]. A run that is not to the program's end has none.
    pub printed: Vec<(Timestamp, Printed)>,
}

/// How much was printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The bytes.
    pub bytes: u64,
    /// The ends of lines among them.
    pub lines: u64,
}

impl Printed {
    /// How much a text is.
    pub fn of(text: &str) -> Printed {
        Printed { bytes: text.len() as u64, lines: text.bytes().filter(|b| *b == b'\n').count() as u64 }
    }

    /// Both together.
    pub fn plus(self, other: Printed) -> Printed {
        Printed {
            bytes: self.bytes.saturating_add(other.bytes),
            lines: self.lines.saturating_add(other.lines),
        }
    }

    /// What is more than the other one.
    pub fn minus(self, other: Printed) -> Printed {
        Printed {
            bytes: self.bytes.saturating_sub(other.bytes),
            lines: self.lines.saturating_sub(other.lines),
        }
    }
}

/// Runs a program. `outside` answers questions to the network that the world has no answer for.
pub fn run(program: &Program, world: &World, outside: &dyn Outside, until: Until) -> Run {
    finish(Shell::new(program, world, outside, until))
}

/// Runs a program up to a moment, with commands of the caller's. A command that waits ends the run; what other commands
/// of its pipeline made of its output so far has been printed. `status` is what `$?` is at its beginning.
pub fn run_with(
    program: &Program,
    world: &World,
    now: Timestamp,
    status: i32,
    commands: &mut dyn Commands,
) -> Run {
    let mut shell = Shell::new(program, world, &Nobody, Until::Moment(now));
    shell.commands = Some(commands);
    shell.status = status;
    shell.text_limit = OF_COMMANDS_LIMIT;
    finish(shell)
}

/// Whether an image certainly has a program that is not built here, so that a client who has it executed is told that it is not played.
pub fn is_not_played(program: &Program, name: &str) -> bool {
    program.complete && can_start(program, name) && !is_built(program, name)
}

/// Whether a script ends in the middle of a quotation, a compound command or a here-document, so that a terminal waits for
/// its next line.
pub fn is_unfinished(script: &str) -> bool {
    parser::is_unfinished(script)
}

/// Why no shell can read a script, in the words after `syntax error: `; `None` if one can.
pub fn syntax_error(script: &str) -> Option<String> {
    parser::parse(script, true).error.map(|(_, e)| e.0)
}

fn finish(mut shell: Shell<'_>) -> Run {
    let result = shell.start();
    let end = match result {
        Ok(code) | Err(Stop::Exit(code) | Stop::Killed(code)) => End::Exit(shell.now, code & 0xff),
        Err(Stop::Return(code)) => End::Exit(shell.now, code & 0xff),
        Err(Stop::Break(_) | Stop::Continue(_)) => End::Exit(shell.now, 0),
        Err(Stop::Interrupted) => End::Exit(shell.now, terminal::INTERRUPTED),
        Err(Stop::Never) => End::Runs,
    };
    shell.into_run(end)
}

/// The names with which a command can begin, sorted: the shell's builtins and the programs that are built here. An image may
/// lack some of the programs; `command -v NAME` says which.
pub fn commands() -> Vec<&'static str> {
    let all: BTreeSet<&str> = builtins::NAMES.iter().copied().chain(tools::names()).collect();
    all.into_iter().collect()
}

/// Whether a program can be started where another one runs. If not everything is known of the image, it can.
pub fn can_start(program: &Program, name: &str) -> bool {
    !program.complete || (is_found(name) && tools::may_exist(program, tools::base_name(name)))
}

/// Whether a program can be started where another one runs, and is a shell or a command that is built here.
pub fn is_built(program: &Program, name: &str) -> bool {
    let base = tools::base_name(name);
    let built = is_shell(base) || tools::is_built(program, base);
    is_found(name) && can_start(program, name) && built
}

/// Whether a program is one that BusyBox has or that is built here, named without its directory or by one of those of commands.
pub fn is_usual(name: &str) -> bool {
    let base = tools::base_name(name);
    is_found(name) && (is_shell(base) || is_tool(base) || tools::is_applet(base))
}

/// Whether a program is named without its directory, or by one of those of commands.
fn is_found(name: &str) -> bool {
    !name.contains('/') || tools::is_standard(name)
}

#[cfg(test)]
mod tests;
