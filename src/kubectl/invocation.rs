//! The surroundings of a running command: the answers that it got, the text that it printed, and why it stops.

use std::collections::BTreeSet;
use std::rc::Rc;

use jiff::SignedDuration;

use super::answer::{self, Answer};
use super::cache::DiscoveryCache;
use super::call::Call;
use super::error::Error;
use super::manifests::Manifests;
use super::refused::{ManifestPlace, Refused};
use super::stop::{CommandWait, WaitFor};
use super::{ApiClient, Edited, Files, Output, Poll, Waited};
use crate::api::types::Time;
use crate::api::{Key, Kind, Object, Timestamp, duration};
use crate::apimachinery::{HttpRequest, Verb, WriteOrder};
use crate::client::transport;

pub(super) use super::stop::{Result, Stop, fail};

/// What a command was told: an answer, or that it shall look again.
#[derive(Clone, Debug)]
pub(super) enum Reply {
    /// An answer, and the time when it came.
    Answer(Rc<Answer>, Timestamp),
    /// The command was woken from a wait at this time.
    Woken(Timestamp),
}

/// The surroundings of a running command.
pub(super) struct Invocation<'a> {
    /// The files at hand.
    pub files: &'a dyn Files,
    /// The objects of the manifests that were read already.
    pub manifests: &'a Manifests,
    /// The text on stdout so far.
    pub out: String,
    /// The text on stderr so far.
    pub err: String,
    /// The documents of manifests that were refused so far.
    pub(super) refused: Vec<Refused>,
    /// The text of the kubeconfig that the command has written.
    pub(super) kubeconfig: Option<String>,
    /// The pod and the container in which a command was started.
    pub(super) executed_in: Option<(Key, String)>,
    /// Whether the command was attached to a process.
    pub(super) attached: bool,
    /// In which order both texts were written, as far as that is known.
    order: WriteOrder,
    /// The namespace that the command works in.
    pub namespace: String,
    /// Whether `--namespace` was given.
    pub explicit_namespace: bool,
    /// `--field-manager`, or its default; empty if the command has no such flag.
    pub field_manager: String,
    /// `-v`
    pub verbosity: u8,
    /// The headers that say who asks, of `--token`, `--as` and the flags beside it.
    pub(super) identity: Vec<(String, String)>,
    /// The flags of the command that say so, and through which context.
    pub(super) identity_flags: Vec<String>,
    /// The resources that kubectl knows.
    pub(super) cache: DiscoveryCache,
    /// Whether this command asked for them.
    pub(super) discovered: bool,
    /// The warnings that were printed: each is printed once.
    warned: BTreeSet<String>,
    now: Timestamp,
    /// The replies of earlier runs that this run has not come to yet.
    replies: std::vec::IntoIter<Reply>,
    /// The replies that came in this run.
    fresh: Vec<Reply>,
    client: &'a mut dyn ApiClient,
}

impl<'a> Invocation<'a> {
    /// The surroundings of a command that began at `now`. It first gets the replies that it got in earlier runs.
    pub(super) fn new(
        files: &'a dyn Files,
        manifests: &'a Manifests,
        cache: DiscoveryCache,
        now: Timestamp,
        replies: Vec<Reply>,
        client: &'a mut dyn ApiClient,
    ) -> Invocation<'a> {
        Invocation {
            files,
            manifests,
            out: String::new(),
            err: String::new(),
            refused: Vec::new(),
            kubeconfig: None,
            executed_in: None,
            attached: false,
            order: Vec::new(),
            namespace: "default".into(),
            explicit_namespace: false,
            field_manager: String::new(),
            verbosity: 0,
            identity: Vec::new(),
            identity_flags: Vec::new(),
            cache,
            discovered: false,
            warned: BTreeSet::new(),
            now,
            replies: replies.into_iter(),
            fresh: Vec::new(),
            client,
        }
    }

    /// Takes the replies that came in this run.
    pub(super) fn fresh_replies(&mut self) -> Vec<Reply> {
        std::mem::take(&mut self.fresh)
    }

    /// Whether standard input is a terminal.
    pub(super) fn has_terminal(&self) -> bool {
        self.client.has_terminal()
    }

    /// Lets a person edit a text: the text that the editor was opened with, and the one that was saved. `None` where there
    /// is no editor.
    pub(super) fn edit(&mut self, text: &str) -> Result<Option<(String, String)>> {
        match self.client.edit(text) {
            Edited::NoEditor => Ok(None),
            Edited::Saved(opened, saved) => Ok(Some((opened, saved))),
            Edited::Later => {
                let what = WaitFor::Edit { text: text.to_owned() };
                Err(Stop::Wait(CommandWait { what, until: None }))
            }
        }
    }

    /// The time of the last reply.
    pub(super) fn now(&self) -> Timestamp {
        self.now
    }

    /// What a run has come to that ended with this result.
    pub(super) fn poll(mut self, done: Result) -> Poll {
        let exit = match done {
            Ok(()) => 0,
            Err(Stop::Exit(code)) => code,
            Err(Stop::Wait(wait)) => return Poll::Wait(wait, self.output(0)),
            Err(Stop::Never) => {
                self.complain(&Error::text("timed out waiting for the condition"));
                1
            }
            Err(Stop::Error(e)) => {
                self.complain(&e);
                1
            }
        };
        Poll::Ready(self.output(exit))
    }

    fn output(self, exit: i32) -> Output {
        let Invocation { out, err, refused, kubeconfig, executed_in, attached, order, .. } = self;
        Output {
            stdout: out,
            stderr: err,
            exit,
            waits: false,
            refused,
            kubeconfig,
            executed_in,
            attached,
            order,
        }
    }

    /// Prints an error as kubectl's `CheckErr` does.
    pub(super) fn complain(&mut self, e: &Error) {
        let text = e.render();
        self.err.push_str(&text);
        if !text.is_empty() && !text.ends_with('\n') {
            self.err.push('\n');
        }
    }

    /// Notes that the document at this place was refused. The error is printed elsewhere.
    pub(super) fn refuse(&mut self, place: &ManifestPlace, e: &Error) {
        self.refused.extend(Refused::of(place, e));
    }

    /// Prints a line.
    pub(super) fn say(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// Notes that what was printed by now stands before all that follows.
    pub(super) fn mark_order(&mut self) {
        self.order.extend([(false, self.out.len()), (true, self.err.len())]);
    }

    /// Prints what a process has written to its two streams.
    pub(super) fn print_in_order(&mut self, pieces: &[(bool, &str)]) {
        for (stderr, piece) in pieces {
            let text = if *stderr { &mut self.err } else { &mut self.out };
            text.push_str(piece);
            self.order.push((*stderr, text.len()));
        }
    }

    /// Prints a warning on stderr.
    pub(super) fn warn(&mut self, text: &str) {
        self.err.push_str("Warning: ");
        self.err.push_str(text);
        self.err.push('\n');
    }

    /// Sends a request about objects.
    ///
    /// # Errors
    /// The server's refusal.
    pub(super) fn send(&mut self, call: &Call) -> Result<Rc<Answer>> {
        let request = call.http()?;
        let answer = self.answer(&request);
        match answer.refusal_of(&request.method, call) {
            Some(status) => Err(status.into()),
            None => Ok(answer),
        }
    }

    /// Sends a request and prints the warnings of its answer.
    ///
    /// # Errors
    /// The server's refusal.
    pub(super) fn exchange(&mut self, request: &HttpRequest) -> Result<Rc<Answer>> {
        let answer = self.answer(request);
        match answer.refusal() {
            Some(status) => Err(status.into()),
            None => Ok(answer),
        }
    }

    /// The answer to a request, which may be a refusal. The warnings that came with it are printed.
    fn answer(&mut self, request: &HttpRequest) -> Rc<Answer> {
        let named = HttpRequest { identity: self.identity.clone(), ..request.clone() };
        let request = if self.identity.is_empty() { request } else { &named };
        let answer = match self.replies.next() {
            Some(Reply::Answer(answer, at)) => {
                self.now = at;
                answer
            }
            // Somebody woke the command where it did not wait.
            Some(Reply::Woken(_)) | None => {
                let answer = Rc::new(Answer::new(self.client.http(request)));
                self.now = self.client.now();
                self.fresh.push(Reply::Answer(answer.clone(), self.now));
                answer
            }
        };
        self.err.push_str(&transport::debugging(self.verbosity, self.now, request, &answer.response));
        for header in &answer.response.warnings {
            let Some(text) = answer::warning(header) else { continue };
            if self.warned.insert(text.clone()) {
                self.warn(&text);
            }
        }
        answer
    }

    /// Sends a request whose answer is one object of the request's kind.
    pub(super) fn object(&mut self, call: &Call) -> Result<Object> {
        Ok(self.send(call)?.object(call.kind)?)
    }

    /// The object of this name.
    pub(super) fn get(&mut self, kind: Kind, namespace: &str, name: &str) -> Result<Object> {
        self.object(&Call::new(Verb::Get, kind, namespace, name))
    }

    /// The objects of a kind; an empty namespace is all of them.
    pub(super) fn list(&mut self, kind: Kind, namespace: &str, labels: &str) -> Result<Vec<Object>> {
        let mut call = Call::new(Verb::List, kind, namespace, "");
        call.label_selector = labels.into();
        self.all(call)
    }

    /// All objects of a list, asked for part by part.
    pub(super) fn all(&mut self, mut call: Call) -> Result<Vec<Object>> {
        let mut objects = Vec::new();
        loop {
            let part = self.send(&call)?.part("items");
            for item in part.items {
                objects.push(answer::object(call.kind, item)?);
            }
            if part.continue_token.is_empty() {
                return Ok(objects);
            }
            call.continue_token = part.continue_token;
        }
    }

    /// Waits until something happened, or fails to.
    pub(super) fn wait(&mut self, wait: CommandWait) -> Result {
        if let Some(Reply::Woken(at) | Reply::Answer(_, at)) = self.replies.next() {
            self.now = at;
            return Ok(());
        }
        match self.client.wait(&wait) {
            Waited::Again => {
                self.now = self.client.now();
                self.fresh.push(Reply::Woken(self.now));
                Ok(())
            }
            Waited::Never => Err(Stop::Never),
            Waited::Later => Err(Stop::Wait(wait)),
        }
    }

    /// Waits until an object is no longer what it was; `false` if the deadline came first.
    pub(super) fn wait_change(&mut self, object: &Object, until: Option<Timestamp>) -> Result<bool> {
        let what = WaitFor::Change {
            kind: object.kind(),
            key: object.key(),
            resource_version: object.resource_version().map(str::to_owned).unwrap_or_default(),
        };
        self.wait(CommandWait { what, until })?;
        Ok(until.is_none_or(|t| self.now < t))
    }

    /// Waits until there is no object of this name; 5 minutes unless a timeout is given.
    pub(super) fn wait_gone(
        &mut self,
        kind: Kind,
        namespace: &str,
        name: &str,
        timeout: Option<SignedDuration>,
    ) -> Result {
        let timeout = timeout.filter(|t| t.is_positive()).unwrap_or(SignedDuration::from_mins(5));
        let until = self.now.checked_add(timeout).ok();
        loop {
            match self.get(kind, namespace, name) {
                Ok(object) => {
                    if !self.wait_change(&object, until)? {
                        return fail("timed out waiting for the condition");
                    }
                }
                Err(Stop::Error(e)) if e.is_not_found() => return Ok(()),
                Err(stop) => return Err(stop),
            }
        }
    }

    /// The age of something, as a table shows it.
    pub(super) fn age(&self, since: Option<&Time>) -> String {
        duration::age(since, self.now)
    }
}
