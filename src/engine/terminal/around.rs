//! What a line of the terminal finds, and how far it and its commands are.

use std::rc::Rc;

use super::super::keep::MANIFEST;
use crate::api::{ObjectRef, Timestamp};
use crate::kubectl::{self, AttachedTo, ContainerShell, KUBECONFIG, Kubectl};
use crate::session::{Ran, Session};
use crate::shell::{Program, Tools};

/// What came of a command of kubectl or docker.
#[derive(Clone, Debug)]
pub(super) enum Done {
    Ended(Rc<kubectl::Output>, Timestamp),
    Open(Box<Kubectl>),
    /// A shell in a container that is open, and what kubectl has printed before.
    Shell(Box<ContainerShell>, Rc<kubectl::Output>),
}

/// How far a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It has ended with this code.
    Ended(i32),
    /// It waits for something to happen: to this object, or to whatever it is.
    Waits(Option<ObjectRef>),
    /// Its next command would write: a person has to let it go on.
    Holds,
    /// Its command goes on when this command line of kubectl's has been run, which writes.
    HoldsFor(Rc<str>),
    /// Its command with this number waits for a text to be edited.
    Edits {
        /// The number among the line's commands of kubectl and docker.
        command: usize,
        /// The text.
        text: Rc<str>,
    },
    /// Its command is attached to the process of a container.
    Attached(AttachedTo),
    /// Its command with this number has opened a shell in a container, and goes on when that ends.
    Shell {
        /// The number among the line's commands of kubectl and docker.
        command: usize,
        /// The shell as it was opened.
        shell: Box<ContainerShell>,
    },
    /// It waits for the texts of `kubectl explain`.
    WantsTexts,
}

/// What a line finds outside of itself.
pub(super) struct Around<'a> {
    pub(super) session: &'a mut Session,
    /// The editor's text.
    pub(super) manifest: &'a str,
    /// The text of kubectl's configuration, once a command has changed it.
    pub(super) kubeconfig: &'a mut Option<String>,
    /// The lines that were typed before.
    pub(super) history: &'a [String],
    /// Whether the texts of `kubectl explain` have to be asked for.
    pub(super) wants_texts: bool,
    /// What commands may do.
    pub(super) may: May,
}

/// What the kubectl commands of a line may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum May {
    /// Print again what they have printed.
    Print,
    /// Look at the cluster.
    Look,
    /// Look, and write.
    Write,
}

impl Around<'_> {
    /// The files that a kubectl command is given: a link carries them, so they are only those that the command names.
    pub(super) fn files(&self, line: &str, input: Option<&str>) -> Vec<(String, String)> {
        let named = [(MANIFEST, line.contains(MANIFEST).then_some(self.manifest)), ("-", input)];
        let named = named.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.to_owned())));
        let config = self.kubeconfig.clone().map(|text| (KUBECONFIG.to_owned(), text));
        named.chain(config).collect()
    }
}

/// What came of a command of kubectl's that was run.
pub(super) fn done(ran: Ran, now: Timestamp) -> Done {
    match ran.waits {
        None => Done::Ended(Rc::new(ran.output), now),
        Some(_) => Done::Open(Box::new(ran.command)),
    }
}

/// A line as a program of the person's machine.
pub(super) fn program(text: &str, start: Timestamp) -> Program {
    let words = ["sh", "-c", text].map(str::to_owned).into();
    Program::of_a_machine(words, "steady", Tools::Busybox, start)
}
