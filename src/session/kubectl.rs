//! kubectl in a session: the writes of a command line make a moment.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;

use super::Session;
use super::into::Exchange;
use super::moment::What;
use super::op::Op;
use crate::api::{Timestamp, order};
use crate::apimachinery::{Exchanged, HttpRequest, HttpResponse};
use crate::apiserver::Write;
use crate::apiserver::http::texts_of;
use crate::cluster::Cluster;
use crate::kubectl::{self, ApiClient, CommandWait, DiscoveryCache, Edited, Kubectl, Output, Poll, Waited};

/// What a command line says that changes kubectl's configuration where no other line reads it.
const NOT_KEPT: &str =
    "error: nothing here keeps kubectl's configuration from one line to the next: use --namespace\n";

impl Session {
    /// Applies a manifest, as `kubectl apply -f`.
    pub fn apply(&mut self, text: &str) -> Output {
        self.kubectl("apply -f manifest.yaml", &[("manifest.yaml", text)])
    }

    /// What applying a manifest would write and print. The session stays as it is.
    pub fn preview(&self, text: &str) -> (Vec<Write>, Output) {
        let mut copy = Client::new(self.cluster());
        let files = order::gather([("manifest.yaml".to_owned(), text.to_owned())]);
        let mut command =
            Kubectl::new("apply -f manifest.yaml", Rc::new(files), DiscoveryCache::default(), self.now());
        let output = copy.drive(&mut command).0;
        (copy.writes, output)
    }

    /// Runs a kubectl command line until it ends or waits, see [`Session::kubectl_or_wait`].
    pub fn kubectl(&mut self, line: &str, files: &[(&str, &str)]) -> Output {
        self.kubectl_or_wait(line, files).0
    }

    /// Runs a kubectl command line. Its writes are one moment; a command that only reads, or is refused,
    /// leaves the session as it is. A command that waits (`rollout status`, `delete`) is returned with what
    /// it has printed so far; after further steps, [`Session::look_again`] continues it.
    pub fn kubectl_or_wait(&mut self, line: &str, files: &[(&str, &str)]) -> (Output, Option<Kubectl>) {
        let files = files.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
        let mut ran = self.command(CommandLine { line: line.to_owned(), files, editor: false });
        if ran.output.kubeconfig.take().is_some() {
            ran.output = Output { stderr: NOT_KEPT.into(), exit: 1, ..Output::default() };
        }
        (ran.output, ran.waits.map(|_| ran.command))
    }

    /// As [`Session::kubectl_or_wait`].
    pub fn command(&mut self, given: CommandLine) -> Ran {
        self.give_up();
        let (mut ran, mut client) = self.try_command(&given, self.discovery_cache());
        let learned = ran.command.cache().clone();
        if self.discovery_cache().is_filled() && client.acted() {
            // A link repeats the commands that wrote and not those that filled the cache: what is repeated must not
            // depend on it.
            (ran, client) = self.try_command(&given, DiscoveryCache::default());
        }
        self.discovered = (self.at, learned);
        if client.acted() {
            let what = What::Person {
                exchanges: client.exchanges,
                writes: client.writes,
                output: Box::new(ran.output.clone()),
            };
            self.push(what, Op::Kubectl { line: given.line, files: given.files }, client.cluster);
        }
        ran
    }

    /// Runs a command line that must not change the run; `None` if it would write.
    pub fn read_only_command(&self, given: &CommandLine) -> Option<Ran> {
        let (ran, client) = self.try_command(given, self.discovery_cache());
        (!client.acted()).then_some(ran)
    }

    /// What a command line would write and print. The session stays as it is.
    pub fn preview_command(&self, given: &CommandLine) -> (Vec<Write>, Output) {
        let (ran, client) = self.try_command(given, self.discovery_cache());
        (client.writes, ran.output)
    }

    fn try_command(&self, given: &CommandLine, cache: DiscoveryCache) -> (Ran, Client) {
        let files = Rc::new(order::gather(given.files.iter().cloned()));
        let mut command = Kubectl::new(&given.line, files, cache, self.now());
        let mut client = self.client(&command, given.editor);
        let (output, waits) = client.drive(&mut command);
        (Ran { output, waits, command }, client)
    }

    fn client(&self, command: &Kubectl, editor: bool) -> Client {
        let files = command.files().clone();
        Client { files, editor, schema: self.schema.clone(), ..Client::new(self.cluster()) }
    }

    /// Gives the API server of `kubectl explain` its texts: the document that `crates/schema` writes.
    pub fn set_schema(&mut self, schema: Option<Rc<Value>>) {
        self.schema = schema;
    }

    /// The words that a command line can go on with: see [`complete`](crate::kubectl::complete::complete).
    pub fn complete(&self, words: &[String], partial: &str, files: &BTreeMap<String, String>) -> Vec<String> {
        let mut cache = self.discovery_cache();
        kubectl::complete::complete(words, partial, files, &mut cache, &mut Client::new(self.cluster()))
    }

    /// The resources that kubectl knows at the present moment: what it learned there or earlier on the same branch.
    fn discovery_cache(&self) -> DiscoveryCache {
        let (learned_at, cache) = &self.discovered;
        let mut at = Some(self.at);
        while let Some(id) = at {
            if id == *learned_at {
                return cache.clone();
            }
            at = self.moment(id).and_then(|m| m.parent);
        }
        DiscoveryCache::default()
    }

    /// Continues a waiting command with the present cluster. Returns all that it has printed, and whether it
    /// still waits. A look does not change the run, so a command that would write now (`drain`, which tries refused
    /// evictions again) stays as it is, and its line has to be entered again: [`Looked::Writes`].
    pub fn look_again(&self, command: &mut Kubectl) -> (Output, Looked) {
        let waiting = command.clone();
        command.wake(self.now());
        let mut client = self.client(command, true);
        let (output, waits) = client.drive(command);
        if !client.acted() {
            return (output, waits.map_or(Looked::Ended, Looked::Waits));
        }
        *command = waiting;
        let mut again = command.clone();
        (self.client(command, true).drive(&mut again).0, Looked::Writes)
    }

    /// What a waiting command has printed so far, and what it waits for. It does not look again.
    pub fn print_again(&self, command: &Kubectl) -> (Output, Option<CommandWait>) {
        self.client(command, true).drive(&mut command.clone())
    }
}

/// A command line of kubectl's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The line, without `kubectl`.
    pub line: String,
    /// The names and texts of the files that it names.
    pub files: Vec<(String, String)>,
    /// Whether a person types the line into a terminal that has an editor: `kubectl edit` waits for that editor, and is refused
    /// without one.
    pub editor: bool,
}

/// What came of a command line.
#[derive(Clone, Debug)]
pub struct Ran {
    /// What it has printed so far.
    pub output: Output,
    /// What it waits for; `None` if it has ended.
    pub waits: Option<CommandWait>,
    /// The command.
    pub command: Kubectl,
}

/// How far a command is that waited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Looked {
    /// It has ended.
    Ended,
    /// It waits for this.
    Waits(CommandWait),
    /// It would write now.
    Writes,
}

/// The names under which the files of a line have the `n`th text that was edited: as the editor was opened with it, and as
/// it was saved.
pub fn edited_files(n: usize) -> (String, String) {
    (format!("kubectl-edit-{n}-opened.yaml"), format!("kubectl-edit-{n}.yaml"))
}

/// kubectl's client in a session. It works on a copy of the cluster, and notes requests and writes.
pub(super) struct Client {
    pub(super) cluster: Cluster,
    exchanges: Vec<Exchange>,
    writes: Vec<Write>,
    /// Whether something was changed that is not stored: files in a container.
    changed: bool,
    /// The files of the line, among which are the texts that were edited.
    files: Rc<BTreeMap<String, String>>,
    /// How many texts were edited.
    edits: usize,
    editor: bool,
    schema: Option<Rc<Value>>,
}

impl Client {
    pub(super) fn new(cluster: &Cluster) -> Client {
        Client {
            cluster: cluster.clone(),
            exchanges: Vec::new(),
            writes: Vec::new(),
            changed: false,
            files: Rc::default(),
            edits: 0,
            editor: false,
            schema: None,
        }
    }

    /// Whether the cluster is another one than before.
    fn acted(&self) -> bool {
        self.changed || !self.writes.is_empty()
    }

    /// Answers a command's requests until it ends or waits. Returns what it waits for.
    pub(super) fn drive(&mut self, command: &mut Kubectl) -> (Output, Option<CommandWait>) {
        self.files = command.files().clone();
        self.edits = 0;
        match command.drive(self) {
            Poll::Ready(output) => (output, None),
            Poll::Wait(wait, output) => (Output { waits: true, ..output }, Some(wait)),
        }
    }

    /// Has the server's OpenAPI documents tell what their types are for, if that is known. Returns the request for such a
    /// document without the hash that the index names, which is that of the document without texts.
    fn explain(&mut self, request: &HttpRequest) -> Option<HttpRequest> {
        let schema = self.schema.as_ref()?;
        let version = request.path.strip_prefix("/openapi/v3/")?;
        let version = version.strip_prefix("apis/").or(version.strip_prefix("api/")).unwrap_or(version);
        let texts = [(version.to_owned(), texts_of(schema, version))];
        self.cluster.set_texts(Rc::new(texts.into_iter().collect()));
        Some(HttpRequest { query: String::new(), ..request.clone() })
    }
}

impl ApiClient for Client {
    fn http(&mut self, request: &HttpRequest) -> HttpResponse {
        let explained = self.explain(request);
        let request = explained.as_ref().unwrap_or(request);
        let (served, writes) = self.cluster.serve_whole(request);
        self.writes.extend(writes);
        self.changed |= served.changed;
        for Exchanged { asked, response, http } in served.exchanges {
            let (request, http) = (Rc::new(asked), Some(Rc::new(http)));
            self.exchanges.push(Exchange { request, response, why: None, http });
        }
        if let Some((typed, answered)) = served.exchange.map(|e| *e) {
            self.exchanges.push(Exchange {
                request: Rc::new(typed),
                response: answered,
                why: None,
                http: Some(Rc::new((request.clone(), served.response.clone()))),
            });
        }
        served.response
    }

    fn now(&self) -> Timestamp {
        self.cluster.now()
    }

    fn has_terminal(&self) -> bool {
        self.editor
    }

    fn edit(&mut self, _: &str) -> Edited {
        let (opened, saved) = edited_files(self.edits);
        self.edits += 1;
        match (self.files.get(&opened), self.files.get(&saved)) {
            (Some(opened), Some(saved)) => Edited::Saved(opened.clone(), saved.clone()),
            _ if self.editor => Edited::Later,
            _ => Edited::NoEditor,
        }
    }

    fn wait(&mut self, _: &CommandWait) -> Waited {
        Waited::Later
    }
}
