//! Why a command stops: an error, an exit code, or something that it waits for.

use super::answer::Answer;
use super::call::Call;
use super::error::Error;
use super::words;
use crate::api::{Key, Kind, Timestamp};
use crate::apimachinery::{HttpRequest, HttpResponse, Status, Verb};

/// Why a command does not go on.
#[derive(Debug)]
pub(super) enum Stop {
    /// The command waits, and its client cannot let anything happen now.
    Wait(CommandWait),
    /// The command waits for something that will never happen.
    Never,
    /// The command has failed.
    Error(Error),
    /// The command has ended with this exit code and has printed everything itself.
    Exit(i32),
}

impl From<Error> for Stop {
    fn from(e: Error) -> Stop {
        Stop::Error(e)
    }
}

impl From<Status> for Stop {
    fn from(s: Status) -> Stop {
        Stop::Error(s.into())
    }
}

impl Stop {
    /// An error with words before it, as Go's `fmt.Errorf` wraps one: of a server's refusal only the message is left.
    pub(super) fn wrapped(self, before: &str) -> Stop {
        match self {
            Stop::Error(Error::Status(s)) => {
                Stop::Error(Error::Text(format!("{before}{}{}", s.about, s.message)))
            }
            Stop::Error(e) => Stop::Error(e.about(before)),
            other => other,
        }
    }
}

/// The result of a command or a part of one.
pub(super) type Result<T = ()> = std::result::Result<T, Stop>;

/// A failure with a message of kubectl's own.
pub(super) fn fail<T>(message: impl Into<String>) -> Result<T> {
    Err(Stop::Error(Error::Text(message.into())))
}

/// What a command waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandWait {
    /// What must happen.
    pub what: WaitFor,
    /// When the command gives up or looks again, whatever happens; `None` for never.
    pub until: Option<Timestamp>,
}

/// What must happen for a waiting command to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitFor {
    /// An object changes, appears or goes.
    Change {
        /// The kind of the object.
        kind: Kind,
        /// Its namespace and name.
        key: Key,
        /// The `resourceVersion` that the object had; empty if there was no object. Any other is a change.
        resource_version: String,
    },
    /// Time passes.
    Time,
    /// The process of a container prints something, or ends. A person at a terminal types into it meanwhile, if it reads.
    Attached(AttachedTo),
    /// Somebody runs this command line of kubectl's: the command goes on behind it. A link repeats command lines from their beginning,
    /// so what a command writes after it has waited has a line of its own.
    Line(String),
    /// A person saves a text.
    Edit {
        /// The text that the editor is opened with.
        text: String,
    },
}

/// The process of a container that a command is attached to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachedTo {
    /// The pod.
    pub pod: Key,
    /// The container's name.
    pub container: String,
    /// Whether what is typed goes to the process.
    pub stdin: bool,
    /// Whether the process has a terminal.
    pub tty: bool,
    /// The flags that say for whom the command was run.
    pub identity: Vec<String>,
}

/// The name under which the files of a command line have what a person types while a command is attached. It is written to the process,
/// and more may follow.
pub const TYPED: &str = "kubectl-attach-typed";

impl AttachedTo {
    /// The command line of kubectl that writes a text to the process: [`TYPED`] or, as the last one, the standard input.
    pub fn writing(&self) -> String {
        let Key { namespace, name } = &self.pod;
        let mut line =
            format!("attach {name} --namespace={namespace} --container={} --stdin --quiet", self.container);
        if !self.identity.is_empty() {
            line.push_str(&format!(" {}", words::join(&self.identity)));
        }
        line
    }
}

impl CommandWait {
    /// Whether what is waited for has happened; the deadline is not looked at. `ask` carries requests to the API server.
    pub fn is_over(&self, ask: &mut dyn FnMut(&HttpRequest) -> HttpResponse) -> bool {
        match &self.what {
            WaitFor::Change { kind, key, resource_version } => {
                let get = Call::new(Verb::Get, *kind, &key.namespace, &key.name);
                let Ok(request) = get.http() else { return true };
                let now = Answer::new(ask(&request));
                now.text("/metadata/resourceVersion") != resource_version
            }
            WaitFor::Time | WaitFor::Attached(_) | WaitFor::Line(_) | WaitFor::Edit { .. } => false,
        }
    }
}
