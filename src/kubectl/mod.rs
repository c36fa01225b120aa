//! kubectl: a command line in, HTTP requests out, text back.
//!
//! A command is straight-line code against a context (`cx.send(&call)?`), as in Kubernetes' own kubectl. It speaks HTTP
//! with the API server, through whoever runs it ([`ApiClient`]), and knows nothing of the server but its answers.
//!
//! A command that waits (`rollout status`, `delete`, `wait`) can be handed back ([`Waited::Later`]): a [`Kubectl`] is a
//! value of the command's words, its files, and the answers it got so far. When it is driven again, the command is run
//! from its start with these answers and goes on with new ones. So it can be cloned and kept in a history; the page shows
//! what it has printed so far and lets the person step. [`run`] is the shortcut for a client that never hands back.
//!
//! Nothing here reads a clock or a file: the time comes with the answers, files are given by name.
//!
//! ```
//! use steady::api::Timestamp;
//! use steady::apimachinery::{HttpRequest, HttpResponse};
//! use steady::apiserver::{ApiServer, http::http};
//! use steady::kubectl::{ApiClient, DiscoveryCache, run};
//!
//! struct Client(ApiServer);
//! impl ApiClient for Client {
//!     fn http(&mut self, request: &HttpRequest) -> HttpResponse {
//!         http(&mut self.0, request)
//!     }
//!     fn now(&self) -> Timestamp {
//!         Timestamp::UNIX_EPOCH
//!     }
//! }
//! let mut cache = DiscoveryCache::default();
//! let output = run("get podz", &|_: &str| None, &mut cache, &mut Client(ApiServer::new(1)));
//! assert_eq!(output.stderr, "error: the server doesn't have a resource type \"podz\"\n");
//! assert_eq!(output.exit, 1);
//! ```

mod annotate;
mod answer;
mod api_resources;
mod apply;
mod attach;
mod auth;
mod autoscale;
mod cache;
mod call;
mod certificate;
mod chance;
mod command;
mod commands;
pub mod complete;
mod config;
mod container_shell;
mod create;
mod custom_columns;
mod debug;
mod debug_profiles;
mod delete;
mod describe;
mod describers;
mod diff;
mod discovery;
mod dispatch;
mod edit;
mod error;
mod events;
mod evict;
mod exec;
mod explain;
mod expose;
mod files;
mod flags;
mod generate;
mod generators;
mod generators_jobs;
mod generators_policy;
mod generators_service;
mod get;
mod go;
mod go_template;
mod hash;
mod help;
mod image;
mod invocation;
mod keys;
mod kinds;
mod kustomize;
mod kyaml;
mod label;
mod log_sources;
mod logs;
mod manifests;
mod node;
mod output;
mod overrides;
mod patch;
mod paths;
mod reconcile;
mod refused;
mod replace;
mod resource;
mod resource_value;
mod rollout;
mod rollouts;
mod run;
mod scale;
mod selectors;
mod set;
mod sorter;
mod sources;
mod stop;
mod table;
mod tabwriter;
mod taint;
mod top;
mod unbuilt;
mod wait;
mod watch;
pub mod words;

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::{Key, Timestamp};
use crate::apimachinery::{self, HttpRequest, HttpResponse, WriteOrder};

pub use cache::DiscoveryCache;
pub use container_shell::{ContainerShell, Heard, container_ended, executed, keys_shown};
pub use error::Error;
pub use refused::{ManifestPlace, Refused, Refuser};
pub use stop::{AttachedTo, CommandWait, TYPED, WaitFor};

use invocation::Invocation;
use manifests::Manifests;

/// What a command printed, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// What the command printed to standard output.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// The exit code of the command.
    pub exit: i32,
    /// Whether the command has not ended: it waits for something. The exit code says nothing yet then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waits: bool,
    /// The documents of its manifests that were refused, in the order of the messages about them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Refused>,
    /// The text of [`KUBECONFIG`] from now on, if the command has changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kubeconfig: Option<String>,
    /// The pod and the container in which `exec` has started its command, or to whose process `attach` has written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executed_in: Option<(Key, String)>,
    /// Whether the command was attached to a process.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub attached: bool,
    /// In which order the command has printed to its two streams, as far as that is known: what a process in a container has printed
    /// stands behind all that was printed before it, and its pieces stand as they were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: WriteOrder,
}

impl Output {
    /// What stands in a terminal that both streams go to: pieces in their order, each with whether it is of standard error. Of a command
    /// that succeeds the warnings, and which container or pod it chose, come before what it prints; of one that fails the error comes
    /// last.
    pub fn in_order(&self) -> Vec<(bool, &str)> {
        let (out, err) = (self.stdout.as_str(), self.stderr.as_str());
        let errors_first = [(true, err.len())];
        let order = match self.order.as_slice() {
            [] if self.exit == 0 && !self.waits => &errors_first,
            order => order,
        };
        apimachinery::in_order([out, err], order, [0, 0])
    }
}

/// Where the server is.
const SERVER: &str = "https://127.0.0.1:6443";
/// The file that has the namespace and the contexts of kubectl. Without it there is one context.
pub const KUBECONFIG: &str = "~/.kube/config";

/// How far a command is.
#[derive(Clone, Debug, PartialEq)]
pub enum Poll {
    /// The command has ended.
    Ready(Output),
    /// It waits. Let something happen or time pass, call [`Kubectl::wake`] and drive it again; it will look again, and
    /// may wait again. The output is what it has printed until now.
    Wait(CommandWait, Output),
}

/// Where kubectl finds files: the directory that it runs in.
pub trait Files {
    /// The text of a file. `-` is the standard input.
    fn read(&self, path: &str) -> Option<String>;

    /// The names of what a directory holds, sorted; those of directories end with a slash. `.` is the directory that
    /// kubectl runs in; `None` if there is no such directory.
    fn list(&self, path: &str) -> Option<Vec<String>>;
}

/// Files that are known by name alone: no directory can be listed.
impl<F: Fn(&str) -> Option<String>> Files for F {
    fn read(&self, path: &str) -> Option<String> {
        self(path)
    }

    fn list(&self, _: &str) -> Option<Vec<String>> {
        None
    }
}

/// Texts by their paths; a slash in a path makes a directory.
impl Files for BTreeMap<String, String> {
    fn read(&self, path: &str) -> Option<String> {
        self.get(path).cloned()
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        let prefix = if path == "." { String::new() } else { format!("{path}/") };
        let inside = self.keys().filter_map(|k| k.strip_prefix(&prefix));
        let names: std::collections::BTreeSet<String> =
            inside.map(|k| k.split_inclusive('/').next().unwrap_or(k).to_owned()).collect();
        (path == "." || !names.is_empty()).then(|| names.into_iter().collect())
    }
}

/// A command that is being carried out: a value.
#[derive(Clone, Debug)]
pub struct Kubectl {
    line: Rc<str>,
    files: Rc<BTreeMap<String, String>>,
    manifests: Manifests,
    cache: DiscoveryCache,
    /// What the cache was when the command began: every run of it begins there.
    began_with: DiscoveryCache,
    started: Timestamp,
    replies: imbl::GenericVector<invocation::Reply, imbl::shared_ptr::RcK>,
}

impl Kubectl {
    /// A command line without the word `kubectl` (see [`arguments`]), in a directory with these files; `cache` is what an
    /// earlier command of the same person left ([`Kubectl::cache`]).
    pub fn new(
        line: &str,
        files: Rc<BTreeMap<String, String>>,
        cache: DiscoveryCache,
        now: Timestamp,
    ) -> Kubectl {
        Kubectl {
            line: line.into(),
            files,
            manifests: Manifests::default(),
            began_with: cache.clone(),
            cache,
            started: now,
            replies: Default::default(),
        }
    }

    /// The resources that kubectl knows after what has run of the command.
    pub fn cache(&self) -> &DiscoveryCache {
        &self.cache
    }

    /// The command line.
    pub fn line(&self) -> &str {
        &self.line
    }

    /// The files of the directory that it runs in.
    pub fn files(&self) -> &Rc<BTreeMap<String, String>> {
        &self.files
    }

    /// Runs the command until it ends, or until the client hands back a wait.
    pub fn drive(&mut self, client: &mut dyn ApiClient) -> Poll {
        let replies = self.replies.iter().cloned().collect();
        let cache = self.began_with.clone();
        let mut cx = Invocation::new(&*self.files, &self.manifests, cache, self.started, replies, client);
        let done = dispatch::run(&mut cx, &self.line);
        self.replies.extend(cx.fresh_replies());
        self.cache = cx.cache.clone();
        cx.poll(done)
    }

    /// Something has happened: the command shall look again when it is driven.
    pub fn wake(&mut self, now: Timestamp) {
        self.replies.push_back(invocation::Reply::Woken(now));
    }
}

/// What came of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// Something happened or time passed: the command looks again.
    Again,
    /// The command is handed back and waits, see [`Poll::Wait`].
    Later,
    /// The cluster is steady, or the client cannot wait: the command says that it timed out.
    Never,
}

/// What came of a text that a person was to edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edited {
    /// There is no editor.
    NoEditor,
    /// The person is still editing: the command waits ([`WaitFor::Edit`]).
    Later,
    /// The text that the editor was opened with, and the text that was saved.
    Saved(String, String),
}

/// Who carries a command's requests to the API server.
pub trait ApiClient {
    /// Sends a request.
    fn http(&mut self, request: &HttpRequest) -> HttpResponse;

    /// The present moment.
    fn now(&self) -> Timestamp;

    /// Whether the command's standard input is a terminal.
    fn has_terminal(&self) -> bool {
        false
    }

    /// Lets a person edit a text.
    fn edit(&mut self, _text: &str) -> Edited {
        Edited::NoEditor
    }

    /// Lets something happen, or time pass up to the wait's deadline.
    fn wait(&mut self, _wait: &CommandWait) -> Waited {
        Waited::Never
    }
}

/// Whether kubectl has a command whose name is like this word.
pub fn is_like_a_command(word: &str) -> bool {
    !dispatch::similar(word).is_empty()
}

/// The command that a line's words name, without what flags stand before it; `None` if there is none.
pub fn command_of(words: &[String]) -> Option<&str> {
    dispatch::first_word(words).map(|(_, name)| name)
}

/// What stands after `kubectl` (or its usual alias `k`) in a line of a terminal; `None` if the line
/// calls something else.
pub fn arguments(line: &str) -> Option<&str> {
    let line = line.trim();
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    matches!(first, "kubectl" | "k").then_some(rest)
}

/// Runs a command, given without the word `kubectl`, to its end. A client that hands back a wait ends it there. The
/// command reads the cache, and leaves in it what it learned.
pub fn run(line: &str, files: &dyn Files, cache: &mut DiscoveryCache, client: &mut dyn ApiClient) -> Output {
    let manifests = Manifests::default();
    let mut cx = Invocation::new(files, &manifests, cache.clone(), client.now(), Vec::new(), client);
    let done = dispatch::run(&mut cx, line);
    *cache = cx.cache.clone();
    match cx.poll(done) {
        Poll::Ready(output) | Poll::Wait(_, output) => output,
    }
}
