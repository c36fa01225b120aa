//! Puts the components together: [`Cluster`], [`Action`], `enabled()`, `step()`, the virtual clock.
//!
//! A [`Cluster`] is a value: cloning it costs a few pointers, so earlier clusters can be kept and later ones
//! tried. All that can happen next is an [`Action`]; [`Cluster::step`] takes one and returns the new cluster
//! and what happened.

mod action;
mod actions;
mod addon;
mod affinity;
mod aggregate;
mod api_door;
mod balancer;
mod barrier;
mod beyond;
mod boot;
mod callers;
mod calling;
mod clock;
mod command;
#[cfg(test)]
mod component_tests;
pub mod coredns;
mod delivery;
mod digest;
mod elect;
mod fair;
mod fault;
pub mod gateway;
mod hearing;
pub mod ingress;
mod journey;
mod kubelets;
mod looking;
mod lookup;
mod manifests;
mod members;
mod memo;
mod network;
mod news;
mod node_rules;
mod noting;
mod on_node;
mod passing;
mod paths;
mod plugin;
mod policing;
mod policy;
mod process;
mod proxies;
mod proxy_health;
mod ready;
mod requests;
mod restore;
mod services;
mod shares;
mod static_control_plane;
mod staying;
mod step;
mod storage;
mod strain;
mod switch;
#[cfg(test)]
mod tests;
mod topology;
mod tracing;
mod traffic;

pub use crate::kubelet::clients::RunningClient;
pub use action::{Action, Actor, Outcome, StepError, Transition};
pub use actions::Actions;
pub use aggregate::{LOAD_ANNOTATION, METRICS_SERVER};
pub use boot::{Config, NodeSpec, kubernetes_service};
pub use clock::Clock;
pub use command::{ACTIONS_LIMIT, COMMANDS_LIMIT, Command, Search, Stopped};
pub use digest::Digesting;
pub use elect::INSTANCES_LIMIT;
pub use fault::{Fault, NoSuchFault};
pub use gateway::GATEWAY_FABRIC;
pub use ingress::INGRESS_NGINX;
pub use journey::Journey;
pub use members::ETCD;
pub use on_node::{NODE_TOOLS, NodeOutput, NotRun, OWN_TOOLS};
pub use policy::{NoSuchPolicy, Policy};
pub use process::Process;
pub use proxies::RulesWait;
pub use restore::NotRestored;
pub use switch::is_controller_enabled;
pub use traffic::Traffic;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::api::Timestamp;
use crate::api::persistent::Vector;
use crate::apimachinery::{HttpRequest, HttpResponse, Request, Response, UserInfo};
use crate::apiserver::http::{self, Served};
use crate::apiserver::{ApiServer, Kubelets, Trace, Write};
use crate::network::cni::Plugin;
use crate::network::proxy::Mode;
use crate::network::traffic::History;
use affinity::Affinity;
use callers::Callers;
use kubelets::{Done, Nodes};
use memo::Memo;
use news::LedBy;
use ready::Ready;
use storage::Storage;

/// A Kubernetes control plane with its nodes.
#[derive(Clone, Debug)]
pub struct Cluster {
    api: ApiServer,
    processes: Vector<Rc<Process>>,
    /// The processes that may have an action enabled. The others certainly have none.
    ready: Ready,
    clock: Clock,
    /// The component whose turn it is under the fair policy.
    turn: Actor,
    /// The components with keys that became due when time last passed, until they have nothing left to do.
    /// Under the fair policy they act before those that only react to them.
    due: Vector<Actor>,
    /// Whether a process has more than one instance.
    elects: bool,
    /// The kubelets with processes that have asked the network something, and whether they have since the last answer.
    asking: Rc<BTreeMap<Actor, bool>>,
    /// Whether answers of the network may be others than they were.
    network_changed: bool,
    /// The nodes whose kube-proxies have written rules since the network was asked last. That changes the answers to those alone whom these
    /// rules lead.
    rules_changed: BTreeSet<Rc<str>>,
    /// When each kubelet's processes were answered last, and the nodes whose rules the answers follow from.
    led_by: Rc<BTreeMap<Actor, LedBy>>,
    /// The kubelets with processes that kube-apiserver has answered. Any write may change these answers.
    asks_server: Rc<BTreeSet<Actor>>,
    /// Whether kube-apiserver has answered a client outside of the cluster.
    callers_ask_server: bool,
    /// Whether answers of kube-apiserver may be others than they were.
    server_changed: bool,
    /// What the kube-proxies write their rules with; `None` if there are none to be looked at.
    proxy_mode: Option<Mode>,
    /// The parts of the control plane whose containers run as static pods, each with the kubelet that runs it.
    hosted: Rc<BTreeSet<(Rc<str>, Actor)>>,
    /// Whether a client has ever sent requests.
    sends: bool,
    /// What was worked out of the network before.
    memo: Rc<Memo>,
    /// Who has sent what, and what that met.
    traffic: History,
    /// Whether somebody has installed kube-proxies or taken them away, or the first client has.
    proxy_chosen: bool,
    /// What connects the pods.
    plugin: Plugin,
    /// Whether the cluster's DNS is CoreDNS in pods.
    core_dns: bool,
    /// What is in the volumes that every node reaches.
    storage: Storage,
    /// What nodes remember of clients with session affinity.
    affinity: Affinity,
    /// The clients outside of the cluster.
    callers: Callers,
}

impl Cluster {
    /// The present moment of virtual time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The API server, for reading.
    pub fn api(&self) -> &ApiServer {
        &self.api
    }

    /// The processes in order: kube-controller-manager, kube-scheduler, that of the addons if any, kubelets.
    /// Later ones follow.
    pub fn processes(&self) -> impl Iterator<Item = &Process> {
        self.processes.iter().map(|p| &**p)
    }

    /// How the API server would handle a request from outside now, stage by stage. The cluster stays as it
    /// is.
    pub fn trace(&self, request: &Request) -> Trace {
        let mut api = self.api.clone();
        api.set_now(self.clock.now());
        api.trace(request)
    }

    /// [`Cluster::trace`] of an HTTP request; `None` if the request writes no object.
    pub fn trace_http(&self, request: &HttpRequest) -> Option<Trace> {
        let mut api = self.api.clone();
        api.set_now(self.clock.now());
        api.trace_http(request)
    }

    /// The clock with its deadlines.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Handles a request from outside: of a person, of kubectl or of a client of the door. Returns the
    /// response and what was written.
    pub fn request(&mut self, request: &Request) -> (Response, Vec<Write>) {
        self.call(|api, _| api.request(request))
    }

    /// [`Cluster::request`] for an HTTP request. The body of a list is complete; that of a watch has the events up to
    /// now.
    pub fn http(&mut self, request: &HttpRequest) -> (HttpResponse, Vec<Write>) {
        self.connect(&request.path);
        let (served, writes) = self.serve_whole(request);
        (served.response, writes)
    }

    /// As [`Cluster::http`]. [`Served::exchange`] has the typed request and response of a write.
    pub fn serve_whole(&mut self, request: &HttpRequest) -> (Served, Vec<Write>) {
        self.connect(&request.path);
        self.call(|api, kubelets| http::serve_whole(api, request, kubelets))
    }

    /// [`Cluster::serve_whole`] for a client that reads the body of a list or a watch in pieces, with
    /// [`Cluster::more`].
    pub fn serve(&mut self, request: &HttpRequest) -> (Served, Vec<Write>) {
        self.connect(&request.path);
        self.call(|api, kubelets| http::serve(api, request, kubelets))
    }

    fn call<T>(&mut self, answer: impl FnOnce(&mut ApiServer, &dyn Kubelets) -> T) -> (T, Vec<Write>) {
        self.await_leader();
        self.api.set_now(self.clock.now());
        let (memo, traffic, affinity) = (&self.memo, &self.traffic, &self.affinity);
        let nodes = Nodes::new(&self.processes, self.plugin, self.core_dns, memo, traffic, affinity);
        let response = answer(&mut self.api, &nodes);
        let (done, noted) = nodes.into_done();
        for (kubelet, done) in done {
            match &done {
                Done::Executed(execution) => self.component_fault(kubelet, execution),
                Done::Attached(attachment) => self.component_fault(kubelet, attachment),
            };
            self.store(kubelet);
        }
        self.note(noted);
        self.wake();
        let writes = self.api.take_writes();
        self.notice(&writes);
        self.settle_network();
        (response, writes)
    }

    /// Gives the API server the bearer tokens of users (`--token-auth-file`).
    pub fn set_token_auth(&mut self, tokens: BTreeMap<String, UserInfo>) {
        self.api.set_token_auth(tokens);
    }

    /// Gives the API server the documentation of its types, which `kubectl explain` reads.
    pub fn set_texts(&mut self, texts: Rc<http::Texts>) {
        self.api.set_texts(texts);
    }

    /// The next piece of the body of a list or watch; empty if there is nothing to send now.
    pub fn more(&mut self, stream: &mut http::Stream, cache: &mut http::TextCache) -> http::Piece {
        self.api.set_now(self.clock.now());
        let (memo, traffic, affinity) = (&self.memo, &self.traffic, &self.affinity);
        let nodes = Nodes::new(&self.processes, self.plugin, self.core_dns, memo, traffic, affinity);
        stream.more(&self.api, &nodes, cache)
    }

    fn wake(&mut self) {
        for p in self.api.take_woken() {
            self.ready.insert(p);
        }
    }
}
