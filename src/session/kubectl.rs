//! kubectl in a session: the writes of a command line make a moment.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Session;
use super::into::Exchange;
use super::moment::What;
use super::op::Op;
use crate::api::{Timestamp, order};
use crate::apimachinery::{HttpRequest, HttpResponse};
use crate::apiserver::Write;
use crate::cluster::Cluster;
use crate::kubectl::{ApiClient, CommandWait, DiscoveryCache, Kubectl, Output, Poll, Waited};

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
        self.give_up();
        let op = Op::Kubectl {
            line: line.to_owned(),
            files: files.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect(),
        };
        let given = order::gather(files.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())));
        let given: Rc<BTreeMap<_, _>> = Rc::new(given);
        let run = |cache: DiscoveryCache| {
            let mut command = Kubectl::new(line, given.clone(), cache, self.now());
            let mut client = Client::new(self.cluster());
            let (output, waits) = client.drive(&mut command);
            (command, client, output, waits)
        };
        let cache = self.discovery_cache();
        let cached = cache.is_filled();
        let (mut command, mut client, mut output, mut waits) = run(cache);
        let learned = command.cache().clone();
        if cached && client.acted() {
            // A link repeats the commands that wrote and not those that filled the cache: what is repeated must not
            // depend on it.
            (command, client, output, waits) = run(DiscoveryCache::default());
        }
        self.discovered = (self.at, learned);
        if client.acted() {
            let what =
                What::Person { exchanges: client.exchanges, writes: client.writes, output: output.clone() };
            self.push(what, op, client.cluster);
        }
        (output, waits.then_some(command))
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
    /// evictions again) goes on waiting; its line has to be entered again.
    pub fn look_again(&self, command: &mut Kubectl) -> (Output, bool) {
        let mut waiting = command.clone();
        command.wake(self.now());
        let mut client = Client::new(self.cluster());
        let looked = client.drive(command);
        if !client.acted() {
            return looked;
        }
        let waits = Client::new(self.cluster()).drive(&mut waiting);
        *command = waiting;
        waits
    }
}

/// kubectl's client in a session. It works on a copy of the cluster, and notes requests and writes.
pub(super) struct Client {
    pub(super) cluster: Cluster,
    exchanges: Vec<Exchange>,
    writes: Vec<Write>,
    /// Whether something was changed that is not stored: files in a container.
    changed: bool,
}

impl Client {
    pub(super) fn new(cluster: &Cluster) -> Client {
        Client { cluster: cluster.clone(), exchanges: Vec::new(), writes: Vec::new(), changed: false }
    }

    /// Whether the cluster is another one than before.
    fn acted(&self) -> bool {
        self.changed || !self.writes.is_empty()
    }

    /// Answers a command's requests until it ends or waits. Returns whether it waits.
    pub(super) fn drive(&mut self, command: &mut Kubectl) -> (Output, bool) {
        match command.drive(self) {
            Poll::Ready(output) => (output, false),
            Poll::Wait(_, output) => (output, true),
        }
    }
}

impl ApiClient for Client {
    fn http(&mut self, request: &HttpRequest) -> HttpResponse {
        let (served, writes) = self.cluster.serve_whole(request);
        self.writes.extend(writes);
        self.changed |= served.changed;
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

    fn wait(&mut self, _: &CommandWait) -> Waited {
        Waited::Later
    }
}
