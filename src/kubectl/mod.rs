//! kubectl: a command line in, API requests out, text back.
//!
//! A command is straight-line code against a context (`cx.send(call)?`), as in Kubernetes' own
//! kubectl, and yet a value: a [`Kubectl`] holds the words, the files and the answers it has got so
//! far, and [`Kubectl::poll`] runs the command from its start with those answers until it needs one
//! more. So it can be cloned, kept in a history, and each of its requests can be a step of its own,
//! exactly as a controller's sync is. A command that waits (`rollout status`, `delete`, `wait`) stops
//! at [`Poll::Wait`]: the page shows what it has printed so far and lets the person step; a
//! synchronous driver lets time pass. [`run`] is the shortcut where every answer is at hand: there
//! nothing is run twice.
//!
//! Nothing here reads a clock or a file: the time comes with the answers, files are given by name.
//!
//! ```
//! use steady::kubectl::{Kubectl, Poll};
//! let kubectl = Kubectl::new("get podz", Default::default(), steady::api::Timestamp::UNIX_EPOCH);
//! let Poll::Ready(output) = kubectl.poll() else { panic!("it needs no request") };
//! assert_eq!(output.stderr, "error: the server doesn't have a resource type \"podz\"\n");
//! assert_eq!(output.exit, 1);
//! ```

mod annotate;
mod apply;
mod auth;
mod autoscale;
mod call;
mod commands;
mod context;
mod create;
mod custom_columns;
mod delete;
mod describe;
mod diff;
mod discovery;
mod door;
mod edit;
mod error;
mod events;
mod explain;
mod files;
mod flags;
mod generators;
mod generators_policy;
mod get;
mod go;
mod go_template;
mod label;
mod node;
mod output;
mod patch;
pub use crate::apiserver::printers;
mod replace;
mod resource;
mod rollout;
mod scale;
mod set;
mod tabwriter;
mod unbuilt;
mod wait;
pub mod words;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::Timestamp;
use crate::apimachinery::{Request, Response};
use crate::apiserver::http::Texts;

pub use crate::api::jsonpath;

pub use call::{Answer, Call, Payload};
pub use context::{Wait, WaitFor};
pub use door::send;
pub use error::Error;

use context::{Context, Stop};

/// What a command printed, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// What it printed.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// Its exit code.
    pub exit: i32,
}

/// How far a command is.
#[derive(Clone, Debug, PartialEq)]
pub enum Poll {
    /// It has ended.
    Ready(Output),
    /// It needs the answer to a request: give it with [`Kubectl::answer`].
    Request(Rc<Call>),
    /// It waits. Let something happen or time pass, then call [`Kubectl::wake`]; it will look
    /// again, and may wait again. What it has printed until now is in the output.
    Wait(Wait, Output),
}

/// Where kubectl finds a file: its text by its name.
pub type Files<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// A command that is being carried out: a value.
#[derive(Clone, Debug)]
pub struct Kubectl {
    line: Rc<str>,
    files: Rc<BTreeMap<String, String>>,
    started: Timestamp,
    replies: imbl::GenericVector<context::Reply, imbl::shared_ptr::RcK>,
}

impl Kubectl {
    /// A command line without the word `kubectl` (see [`arguments`]), in a directory with these files.
    pub fn new(line: &str, files: Rc<BTreeMap<String, String>>, now: Timestamp) -> Kubectl {
        Kubectl { line: line.into(), files, started: now, replies: Default::default() }
    }

    /// The command line.
    pub fn line(&self) -> &str {
        &self.line
    }

    /// Runs as far as the answers go.
    pub fn poll(&self) -> Poll {
        let files = |name: &str| self.files.get(name).cloned();
        let mut cx = Context::new(&files, self.started, self.replies.iter().cloned().collect(), None);
        match cx.run(&self.line) {
            Ok(()) => Poll::Ready(cx.finish(0)),
            Err(Stop::Exit(code)) => Poll::Ready(cx.finish(code)),
            Err(Stop::Request(call)) => Poll::Request(call),
            Err(Stop::Wait(wait)) => Poll::Wait(wait, cx.finish(0)),
            Err(Stop::Never) => Poll::Ready(cx.give_up()),
            Err(Stop::Error(e)) => {
                cx.complain(&e);
                Poll::Ready(cx.finish(1))
            }
        }
    }

    /// The answer to the request it stopped at, and when it came.
    pub fn answer(&mut self, answer: Answer, now: Timestamp) {
        self.replies.push_back(context::Reply::Answer(Rc::new(answer), now));
    }

    /// It shall look again.
    pub fn wake(&mut self, now: Timestamp) {
        self.replies.push_back(context::Reply::Woken(now));
    }
}

/// Who carries a command's requests to the API server when it is run at one go.
pub trait ApiClient {
    /// Sends a request.
    fn request(&mut self, r: &Request) -> Response;

    /// The time.
    fn now(&self) -> Timestamp;

    /// What Kubernetes' documentation says of every field, if it is at hand.
    fn texts(&self) -> Option<Rc<Texts>> {
        None
    }

    /// Lets a person edit a text; `None` where there is no editor.
    fn edit(&mut self, _text: &str) -> Option<String> {
        None
    }

    /// Lets something happen, or time pass up to the wait's deadline; the command then looks again.
    /// `false` if it cannot, or if nothing will ever happen again: then `delete` ends as if it had
    /// not been asked to wait, and the others say that they timed out.
    fn wait(&mut self, _wait: &Wait) -> bool {
        false
    }
}

/// What stands after `kubectl` (or its usual alias `k`) in a line of a terminal; `None` if the line
/// calls something else.
pub fn arguments(line: &str) -> Option<&str> {
    let line = line.trim();
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    matches!(first, "kubectl" | "k").then_some(rest)
}

/// Runs a command, given without the word `kubectl`, to its end.
pub fn run(line: &str, files: &Files<'_>, client: &mut dyn ApiClient) -> Output {
    let now = client.now();
    let mut cx = Context::new(files, now, Vec::new(), Some(client));
    match cx.run(line) {
        Ok(()) => cx.finish(0),
        Err(Stop::Exit(code)) => cx.finish(code),
        Err(Stop::Error(e)) => {
            cx.complain(&e);
            cx.finish(1)
        }
        // With a client there is no request and no wait to stop at.
        Err(Stop::Never | Stop::Request(_) | Stop::Wait(_)) => cx.give_up(),
    }
}
