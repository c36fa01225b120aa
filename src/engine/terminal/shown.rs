//! What is shown of the terminal: what was typed and printed, and what the next line is.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::super::Said;

/// How a command came into a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Entered {
    /// It was executed there, as a process of its own.
    Exec,
    /// It was attached to the container's process.
    Attach,
}

/// A command line and what it printed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number: no other entry has the same.
    pub id: u64,
    /// What stood before the line: the prompt of a container's shell, or nothing in the page's own terminal.
    pub prompt: String,
    /// What was typed.
    pub line: String,
    /// What it printed.
    pub output: String,
    /// Whether it failed.
    pub failed: bool,
    /// Whether it waits for something to happen.
    pub waits: bool,
    /// Whether it did not run, because of an activity during which nothing else could be done.
    pub refused: bool,
    /// Whether its next command would change the cluster: an empty line ([`Input::Terminal`](super::super::Input)) lets it go on.
    pub holds: bool,
    /// How a command of it came into a container; `None` if none did.
    pub inside: Option<Entered>,
    /// Whether it asked from the person's own machine, in vain, for something that is reached only from within the cluster: most who
    /// meet it take the machine for a part of the cluster.
    pub astray: bool,
    /// Whether it waits for a text that is being edited: [`Shown::editing`](super::super::Shown::editing).
    pub edits: bool,
    /// What is said in place of the output.
    pub said: Option<Said>,
}

/// The shell in a container that the terminal's lines go to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShellView {
    /// What stands before the line that is typed next.
    pub prompt: String,
    /// The name of the pod.
    pub pod: String,
    /// The name of the container.
    pub container: String,
    /// The lines that were typed into the shell, oldest first, each once.
    pub history: Rc<Vec<String>>,
    /// Whether the lines go to the container's own process, to which a command is attached: each goes there at once, and Ctrl+C, too.
    pub attached: bool,
    /// Whether that process waits for a line. Otherwise what is typed waits for the process.
    pub reads: bool,
}

/// An object that `kubectl edit` has put in place of the manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Editing {
    /// The line that was typed.
    pub line: String,
    /// The text that the editor was opened with.
    pub opened: String,
    /// The manifest, which comes back.
    pub manifest: Rc<String>,
}

/// How a line in the terminal can go on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The text before the word at the cursor.
    pub before: String,
    /// That word as it was read.
    pub partial: String,
    /// The words that can stand in its place, sorted. One that ends with `=`, `/` or `.` goes on without a blank.
    pub words: Vec<String>,
}
