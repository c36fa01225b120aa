//! What a command runs in: the answers it has, what it has printed, and what it stops at.

use std::rc::Rc;

use super::call::{Answer, Call};
use super::error::Error;
use super::{ApiClient, Files, Output, commands, door, words};
use crate::api::types::Time;
use crate::api::{Key, Kind, Object, ObjectRef, Timestamp};
use crate::apimachinery::{HttpResponse, Response, Status, Verb, wire_answer};
use crate::apiserver::ApiServer;
use crate::apiserver::http::Texts;
use crate::client::transport;

/// The API server's words about Endpoints.
const ENDPOINTS_DEPRECATED: &str =
    "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";

/// Why a command does not go on.
#[derive(Debug)]
pub(super) enum Stop {
    /// It needs an answer.
    Request(Rc<Call>),
    /// It waits.
    Wait(Wait),
    /// It waits for what will never happen.
    Never,
    /// It has failed.
    Error(Error),
    /// It has ended with this code, everything being printed.
    Exit(i32),
}

impl From<Error> for Stop {
    fn from(e: Error) -> Stop {
        Stop::Error(e)
    }
}

impl From<Status> for Stop {
    fn from(s: Status) -> Stop {
        Stop::Error(Error::Status(Box::new(s)))
    }
}

/// The result of a command or a part of one.
pub(super) type Result<T = ()> = std::result::Result<T, Stop>;

/// A failure in words.
pub(super) fn fail<T>(message: impl Into<String>) -> Result<T> {
    Err(Stop::Error(Error::Text(message.into())))
}

/// What a command waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// What must happen.
    pub what: WaitFor,
    /// When it gives up or looks again, whatever happens; `None` for never.
    pub until: Option<Timestamp>,
}

/// What must happen for a waiting command to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitFor {
    /// An object changes or goes.
    Change {
        /// Its kind.
        kind: Kind,
        /// Which one.
        key: Key,
        /// It is looked for again only when it has another resourceVersion than this.
        resource_version: String,
    },
    /// Nothing but time.
    Time,
}

impl Wait {
    /// Whether what it waits for has happened; the deadline is not looked at.
    pub fn is_over(&self, api: &ApiServer) -> bool {
        match &self.what {
            WaitFor::Change { kind, key, resource_version } => {
                let at = ObjectRef { kind: *kind, key: key.clone() };
                let now = api.etcd().get(&at).map(|r| r.object.meta().resource_version.clone());
                now.flatten().unwrap_or_default() != *resource_version
            }
            WaitFor::Time => false,
        }
    }
}

/// What a command was told so far.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    /// An answer, and when it came.
    Answer(Rc<Answer>, Timestamp),
    /// It was woken from a wait.
    Woken(Timestamp),
}

/// A command's surroundings.
pub(super) struct Context<'a> {
    /// The files at hand.
    pub files: &'a Files<'a>,
    /// What it printed.
    pub out: String,
    /// What it complained about.
    pub err: String,
    /// The namespace it works in.
    pub namespace: String,
    /// Whether the namespace was said.
    pub explicit_namespace: bool,
    /// `-v`
    pub verbosity: u8,
    now: Timestamp,
    replies: std::vec::IntoIter<Reply>,
    client: Option<&'a mut dyn ApiClient>,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        files: &'a Files<'a>,
        now: Timestamp,
        replies: Vec<Reply>,
        client: Option<&'a mut dyn ApiClient>,
    ) -> Context<'a> {
        Context {
            files,
            out: String::new(),
            err: String::new(),
            namespace: "default".into(),
            explicit_namespace: false,
            verbosity: 0,
            now,
            replies: replies.into_iter(),
            client,
        }
    }

    /// The documentation, if whoever runs the command has it.
    pub(super) fn texts(&self) -> Option<Rc<Texts>> {
        self.client.as_ref()?.texts()
    }

    /// What a person makes of a text; `None` where there is no editor.
    pub(super) fn edit(&mut self, text: &str) -> Option<String> {
        self.client.as_mut()?.edit(text)
    }

    /// The time, as of the last answer.
    pub(super) fn now(&self) -> Timestamp {
        self.now
    }

    pub(super) fn run(&mut self, line: &str) -> Result {
        let words = match words::split(line) {
            Ok(words) => words,
            Err(e) => return fail(e.to_string()),
        };
        commands::dispatch(self, &words)
    }

    pub(super) fn finish(self, exit: i32) -> Output {
        Output { stdout: self.out, stderr: self.err, exit }
    }

    /// Ends a wait for what will never happen.
    pub(super) fn give_up(mut self) -> Output {
        self.complain(&Error::text("timed out waiting for the condition"));
        self.finish(1)
    }

    /// Prints an error as kubectl's `CheckErr` does.
    pub(super) fn complain(&mut self, e: &Error) {
        let text = e.render();
        self.err.push_str(&text);
        if !text.is_empty() && !text.ends_with('\n') {
            self.err.push('\n');
        }
    }

    /// Prints a line.
    pub(super) fn say(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// Prints a warning on stderr.
    pub(super) fn warn(&mut self, text: &str) {
        self.err.push_str("Warning: ");
        self.err.push_str(text);
        self.err.push('\n');
    }

    /// Asks, and prints the answer's warnings.
    pub(super) fn send(&mut self, call: Call) -> Result<Rc<Answer>> {
        let endpoints = call.kind == Kind::ENDPOINTS;
        let answer = match (self.replies.next(), &mut self.client) {
            (Some(Reply::Answer(answer, at)), _) => {
                self.now = at;
                answer
            }
            (Some(Reply::Woken(_)) | None, Some(client)) => {
                let answer = Rc::new(door::send(&call, &mut |r| client.request(r)));
                self.now = client.now();
                answer
            }
            // Woken without having waited: whoever drives it has lost count. Ask again.
            (Some(Reply::Woken(_)) | None, None) => return Err(Stop::Request(Rc::new(call))),
        };
        if self.verbosity >= transport::VERBOSE {
            let (request, response) = (call.wire(), wire_answer(call.kind, &answer.response));
            let warnings = answer.warnings.iter().map(|w| format!("299 - {w:?}")).collect();
            let response = HttpResponse { warnings, ..response };
            self.err.push_str(&transport::debugging(self.verbosity, self.now, &request, &response));
        }
        for w in &answer.warnings {
            self.warn(w);
        }
        // The API server warns whoever touches them; kubectl says so once.
        if endpoints && !self.err.contains(ENDPOINTS_DEPRECATED) {
            self.warn(ENDPOINTS_DEPRECATED);
        }
        Ok(answer)
    }

    /// Asks for something that is one object; a refusal is an error.
    pub(super) fn object(&mut self, call: Call) -> Result<Object> {
        let (kind, name) = (call.kind, call.key.name.clone());
        match &self.send(call)?.response {
            Response::Object { object, .. } => Ok(object.clone()),
            Response::Failure(s) => Err(Error::Status(s.clone()).into()),
            Response::List { .. } | Response::Success { .. } => Err(Status::not_found(kind, &name).into()),
        }
    }

    /// The object of this name.
    pub(super) fn get(&mut self, kind: Kind, namespace: &str, name: &str) -> Result<Object> {
        self.object(Call::new(Verb::Get, kind, namespace, name))
    }

    /// The objects of a kind; an empty namespace is all of them.
    pub(super) fn list(&mut self, kind: Kind, namespace: &str, labels: &str) -> Result<Vec<Object>> {
        let mut call = Call::new(Verb::List, kind, namespace, "");
        call.label_selector = labels.into();
        match &self.send(call)?.response {
            Response::List { items, .. } => Ok(items.clone()),
            Response::Failure(s) => Err(Error::Status(s.clone()).into()),
            Response::Object { .. } | Response::Success { .. } => Ok(Vec::new()),
        }
    }

    /// Waits until something happened, or fails to.
    pub(super) fn wait(&mut self, wait: Wait) -> Result {
        match (self.replies.next(), &mut self.client) {
            (Some(Reply::Woken(at) | Reply::Answer(_, at)), _) => {
                self.now = at;
                Ok(())
            }
            (None, Some(client)) => {
                let more = client.wait(&wait);
                self.now = client.now();
                if more { Ok(()) } else { Err(Stop::Never) }
            }
            (None, None) => Err(Stop::Wait(wait)),
        }
    }

    /// Waits until an object is no longer what it was; `false` if the deadline came first.
    pub(super) fn wait_change(&mut self, object: &Object, until: Option<Timestamp>) -> Result<bool> {
        let what = WaitFor::Change {
            kind: object.kind(),
            key: object.key(),
            resource_version: object.meta().resource_version.clone().unwrap_or_default(),
        };
        self.wait(Wait { what, until })?;
        Ok(until.is_none_or(|t| self.now < t))
    }

    /// The age of something, as a table shows it.
    pub(super) fn age(&self, since: Option<&Time>) -> String {
        super::printers::age(since, self.now)
    }
}
