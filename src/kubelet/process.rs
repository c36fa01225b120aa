//! The process of a container: what was started, what it finds outside of itself, and what becomes of it
//! ([`crate::shell`]).

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::SignedDuration;

use super::coredns::{self, Found};
use crate::api::{Timestamp, later, service_account_token};
use crate::network::Question;
use crate::shell::{self, Answers, Change, End, Files, Nobody, Program, Run, Typed, Until, World, Write};

/// The process of a container.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// What was started.
    pub program: Program,
    /// The files that the kubelet has written for it, with their history.
    pub mounts: Vec<Write>,
    /// Where file systems are mounted, and whether for reading only.
    pub file_systems: Rc<[(String, bool)]>,
    /// What hooks and probes have written into its file system.
    pub outside: Vec<Write>,
    /// What other containers write into the volumes that it shares with them.
    pub shared: Vec<Write>,
    /// What the network has answered to its pod.
    pub answers: Rc<BTreeMap<Question, Answers>>,
    /// What clients that were attached to it have written to its standard input.
    pub typed: Rc<[Typed]>,
    /// The version of CoreDNS, if that is what was started; `None` for a program that the shell runs.
    pub coredns: Option<Rc<str>>,
    /// The space that the files take which are written into its container's layer: each moment at which that becomes another, with the
    /// bytes from then on.
    pub layer: Rc<[(Timestamp, u64)]>,
    /// What becomes of it. Of its writes only those that others read are kept, and no output.
    pub run: Run,
}

/// How far a process is looked ahead for whoever is attached to it.
const LOOKED_AHEAD: SignedDuration = SignedDuration::from_hours(1);

/// What a process does next that somebody is attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoesOn {
    /// It waits for something that is to be written to its standard input.
    Reads,
    /// It prints something, or ends, at this moment.
    At(Timestamp),
    /// It prints nothing within an hour.
    Unseen,
}

impl Process {
    pub(super) fn world(&self) -> World {
        let mut files = Files::default();
        self.mounts.iter().chain(&self.outside).chain(&self.shared).for_each(|w| files.note(w));
        World {
            files,
            mounts: self.file_systems.to_vec(),
            answers: self.answers.clone(),
            typed: self.typed.clone(),
        }
    }

    /// What becomes of the process with the answers that it has.
    pub fn evaluate(&self, until: Until) -> Run {
        if let Some(version) = &self.coredns {
            let (files, first) = (self.world().files, self.first_files());
            return coredns::run(&self.program, &Found { files: &files, first: &first }, version, until);
        }
        shell::run(&self.program, &self.world(), &Nobody, until)
    }

    /// What it has printed until a moment.
    pub fn output(&self, until: Timestamp) -> Vec<shell::Output> {
        self.evaluate(Until::Moment(until)).output
    }

    /// What the process does next, for somebody who is attached to it: see [`GoesOn`].
    pub fn goes_on(&self, now: Timestamp) -> GoesOn {
        if self.reads(now) {
            return GoesOn::Reads;
        }
        let run = self.evaluate(Until::Moment(later(now, LOOKED_AHEAD)));
        let end = match run.end {
            End::Exit(at, _) => Some(at),
            End::Runs => None,
        };
        let prints = run.output.iter().map(|o| o.at).find(|at| *at > now);
        match prints.into_iter().chain(end.filter(|at| *at > now)).min() {
            Some(at) => GoesOn::At(at),
            None if run.reads => GoesOn::Reads,
            None => GoesOn::Unseen,
        }
    }

    /// Whether it does nothing at a moment but wait for what somebody writes to its standard input.
    pub fn reads(&self, now: Timestamp) -> bool {
        self.evaluate(Until::Moment(now)).reads
    }

    /// What can be told of it without times, for the explorer.
    pub fn line(&self) -> String {
        let code = match self.run.end {
            End::Exit(_, code) => Some(code),
            End::Runs => None,
        };
        let changes = self.mounts.iter().chain(&self.outside).chain(&self.shared);
        let changes: Vec<String> = changes.map(timeless).collect();
        let asks =
            self.run.asked.iter().map(|q| (q, self.answers.get(q).and_then(|all| Some(&all.last()?.1))));
        let asks: Vec<String> = asks.map(|(q, answer)| format!("{q} {answer:?}")).collect();
        let typed: Vec<(&str, bool)> = self.typed.iter().map(|t| (&*t.text, t.closes)).collect();
        let typed = if typed.is_empty() { String::new() } else { format!(" typed {typed:?}") };
        format!("{:?} code {code:?} asks {asks:?} finds {changes:?}{typed}", self.program.words)
    }
}

/// A change in a line: without the time in the names of a volume's directories, and without a token's text.
fn timeless(write: &Write) -> String {
    let part = |p: &str| {
        let dated = p.strip_prefix("..").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if dated { "..".to_owned() } else { p.to_owned() }
    };
    let path = |p: &str| p.split('/').map(part).collect::<Vec<_>>().join("/");
    match &write.change {
        Change::Link(to) => format!("{} -> {}", path(&write.path), path(to)),
        Change::PutToken(_) => format!("{} token", path(&write.path)),
        // A program has copied one.
        Change::Put(text) if text.starts_with(service_account_token::HEADER) => {
            format!("{} token", path(&write.path))
        }
        change => format!("{} {change:?}", path(&write.path)),
    }
}
