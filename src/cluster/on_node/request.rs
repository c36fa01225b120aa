//! Programs that send requests from a machine: a node, and the machine of the person at the terminal, which is in the network of the
//! nodes (with kind on Linux it is the gateway of Docker's network) and in no cluster.

use std::cell::Cell;

use super::NodeOutput;
use crate::api::{Key, Timestamp};
use crate::cluster::Cluster;
use crate::cluster::network::{From, is_own_machine, own_machine};
use crate::network::{Answer, Because, Outcome, Question};
use crate::shell::{self, Change, End, Outside, Program, Tools, Unknown, Until, World, Write};

/// The programs of the person's machine that send requests.
pub const OWN_TOOLS: [&str; 6] = ["curl", "nc", "nslookup", "ping", "traceroute", "wget"];

/// Whoever asks from a machine.
struct Asking<'a> {
    from: From<'a>,
    /// How many programs have asked before.
    nth: u64,
    /// Whether something was asked for that only the cluster's own network has: a name that nobody else knows, or an address to which
    /// nobody else has a way.
    within: Cell<bool>,
}

impl<'a> Asking<'a> {
    fn new(from: From<'a>, nth: u64) -> Asking<'a> {
        Asking { from, nth, within: Cell::new(false) }
    }
}

impl Outside for Asking<'_> {
    fn answer(&self, question: &Question) -> Option<Answer> {
        // Each program opens connections of its own, for which the kernel throws dice anew.
        let answer = self.from.answer(question)?.after(self.nth);
        let within = match &answer {
            Answer::Records(records) => records.as_ref().is_none_or(|r| !r.exists),
            Answer::Replies { replies, .. } => replies.iter().any(|r| r.because == Because::NoRoute),
        };
        self.within.set(self.within.get() || within);
        Some(answer)
    }
}

/// A node that nobody reaches, and that reaches nobody.
struct CutOff;

impl Outside for CutOff {
    fn answer(&self, question: &Question) -> Option<Answer> {
        Some(match question {
            Question::Lookup { .. } => Answer::Records(None),
            _ => Answer::always(Outcome::TimedOut),
        })
    }
}

impl Cluster {
    /// Runs one of the [`OWN_TOOLS`] on the person's own machine. Nothing changes: no server writes a line about it. `nth` is how many
    /// were run before: which endpoint a request meets follows from it. Also returns whether the program asked for a name or an
    /// address that only the cluster's own network knows.
    pub fn run_on_own_machine(&self, words: &[String], nth: u64) -> (NodeOutput, bool) {
        let key = own_machine();
        let asking = Asking::new(From::asking_now(self.network(), &key), nth);
        let output = self.request_from(&key, words, &asking);
        (output, asking.within.get())
    }

    /// Runs a program that sends requests on a node.
    pub(super) fn request_from_node(
        &self,
        node: &str,
        running: bool,
        words: &[String],
        nth: u64,
    ) -> NodeOutput {
        let key = Key::new("", node);
        match running {
            true => self.request_from(&key, words, &Asking::new(From::asking_now(self.network(), &key), nth)),
            false => self.request_from(&key, words, &CutOff),
        }
    }

    fn request_from(&self, machine: &Key, words: &[String], outside: &dyn Outside) -> NodeOutput {
        let now = self.now();
        let host = if is_own_machine(machine) { "localhost" } else { &*machine.name };
        let [hosts, conf] = self.network().files_of_machine(machine);
        let mut world = World::default();
        for (path, text) in [("/etc/hosts", hosts), ("/etc/resolv.conf", conf)] {
            world.files.note(&Write { at: now, path: path.to_owned(), change: Change::Put(text.into()) });
        }
        let program = Program {
            complete: false,
            unknown: Unknown::Missing,
            ..Program::of_a_machine(words.to_vec(), host, Tools::Gnu, now)
        };
        let run = shell::run(&program, &world, outside, Until::Moment(Timestamp::MAX));
        let printed =
            |stderr| run.output.iter().filter(|o| o.stderr == stderr).map(|o| o.text.as_str()).collect();
        let mut output = NodeOutput { stdout: printed(false), stderr: printed(true), exit: 0 };
        match run.end {
            End::Exit(_, code) => output.exit = code,
            // As if somebody had pressed Ctrl+C: a `ping` without `-c` goes on for ever.
            End::Runs => output.exit = 130,
        }
        output
    }
}
