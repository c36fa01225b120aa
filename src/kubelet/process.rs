//! The process of a container: what was started, what it finds outside of itself, and what becomes of it
//! ([`crate::shell`]).

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::Timestamp;
use crate::shell::{self, Answers, End, Files, Program, Run, Until, World, Write};

/// The process of a container.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// What was started.
    pub program: Program,
    /// The files that the kubelet has written for it, with their history.
    pub mounts: Vec<Write>,
    /// Whether some of these are of ConfigMaps, Secrets or the like, which can change.
    pub configured: bool,
    /// What hooks and probes have written into its file system.
    pub outside: Vec<Write>,
    /// What other containers write into the volumes that it shares with them.
    pub shared: Vec<Write>,
    /// What the DNS has answered.
    pub names: BTreeMap<String, Answers>,
    /// What becomes of it. Of its writes only those that others read are kept, and no output.
    pub run: Run,
}

impl Process {
    pub(super) fn world(&self) -> World {
        let mut files = Files::default();
        self.mounts.iter().chain(&self.outside).chain(&self.shared).for_each(|w| files.note(w));
        World { files, names: self.names.clone() }
    }

    /// What becomes of the process, if `resolve` answers what has no answer yet.
    pub fn evaluate(&self, resolve: &dyn Fn(&str) -> Option<Rc<str>>, until: Until) -> Run {
        shell::run(&self.program, &self.world(), resolve, until)
    }

    /// What it has printed until a moment.
    pub fn output(&self, until: Timestamp) -> Vec<shell::Output> {
        self.evaluate(&|_| None, Until::Moment(until)).output
    }

    /// What can be told of it without times, for the explorer.
    pub fn line(&self) -> String {
        let code = match self.run.end {
            End::Exit(_, code) => Some(code),
            End::Runs => None,
        };
        let changes = self.mounts.iter().chain(&self.outside).chain(&self.shared);
        let changes: Vec<String> = changes.map(|w| format!("{} {:?}", w.path, w.change)).collect();
        format!("{:?} code {code:?} asks {:?} finds {changes:?}", self.program.words, self.run.names)
    }
}
