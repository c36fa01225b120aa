//! Puts the components together: [`Cluster`], [`Action`], `enabled()`, `step()`, the virtual clock.
//!
//! A [`Cluster`] is a value: cloning it costs a few pointers, so the past can be kept and the
//! future tried. Everything that can happen next is an [`Action`]; [`Cluster::step`] makes it
//! happen and says what came of it.

mod action;
mod boot;
mod clock;
mod command;
mod digest;
mod elect;
mod fair;
mod fault;
mod members;
mod policy;
mod process;
mod ready;
mod step;
#[cfg(test)]
mod tests;

pub use action::{Action, Actor, Outcome, StepError, Transition};
pub use boot::{Config, NodeSpec, kubernetes_service};
pub use clock::Clock;
pub use command::{ACTIONS_LIMIT, COMMANDS_LIMIT, Command, Search, Stopped};
pub use digest::Digesting;
pub use elect::INSTANCES_LIMIT;
pub use fault::{Fault, NoSuchFault};
pub use members::ETCD;
pub use policy::{NoSuchPolicy, Policy};
pub use process::Process;

use std::rc::Rc;

use crate::api::Timestamp;
use crate::apimachinery::{HttpRequest, HttpResponse, Request, Response};
use crate::apiserver::http::{self, Served};
use crate::apiserver::{ApiServer, Trace, Write};
use crate::etcd::Vector;
use ready::Ready;

/// A Kubernetes control plane with its nodes.
#[derive(Clone, Debug)]
pub struct Cluster {
    api: ApiServer,
    processes: Vector<Rc<Process>>,
    /// The processes that may have something to do; those not in it have nothing.
    ready: Ready,
    clock: Clock,
    /// Whose turn it is under the fair policy.
    turn: Actor,
    /// Whether a process has more than one instance, of which one leads.
    elects: bool,
}

impl Cluster {
    /// The time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The API server, to be read.
    pub fn api(&self) -> &ApiServer {
        &self.api
    }

    /// The processes, in order: kube-controller-manager, kube-scheduler, kubelets.
    pub fn processes(&self) -> impl Iterator<Item = &Process> {
        self.processes.iter().map(|p| &**p)
    }

    /// What handling a request from outside now would be, stage by stage. Nothing happens.
    pub fn trace(&self, request: &Request) -> Trace {
        let mut api = self.api.clone();
        api.set_now(self.clock.now());
        api.trace(request)
    }

    /// The same for a client that speaks HTTP; `None` if the request writes no object.
    pub fn trace_http(&self, request: &HttpRequest) -> Option<Trace> {
        let mut api = self.api.clone();
        api.set_now(self.clock.now());
        api.trace_http(request)
    }

    /// The clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// A request from outside: what a person, kubectl or a client of the door does.
    pub fn request(&mut self, request: &Request) -> (Response, Vec<Write>) {
        self.await_leader();
        self.api.set_now(self.clock.now());
        let response = self.api.request(request);
        self.wake();
        let writes = self.api.take_writes();
        self.notice(&writes);
        (response, writes)
    }

    /// The same for a client that speaks HTTP. A watch ends with what has happened up to now.
    pub fn http(&mut self, request: &HttpRequest) -> (HttpResponse, Vec<Write>) {
        let (served, writes) = self.serve(request);
        (served.response, writes)
    }

    /// The same; a watch can be continued with [`Cluster::more`].
    pub fn serve(&mut self, request: &HttpRequest) -> (Served, Vec<Write>) {
        self.await_leader();
        self.api.set_now(self.clock.now());
        let served = http::serve(&mut self.api, request);
        self.wake();
        let writes = self.api.take_writes();
        self.notice(&writes);
        (served, writes)
    }

    /// Gives the API its documentation, which `kubectl explain` reads.
    pub fn set_texts(&mut self, texts: Rc<http::Texts>) {
        self.api.set_texts(texts);
    }

    /// What a watch that such a client began has to tell since it was last asked, one event per line.
    pub fn more(&mut self, watch: &mut http::Watch, seen: &mut http::Seen) -> String {
        self.api.set_now(self.clock.now());
        http::more(&self.api, watch, seen)
    }

    fn wake(&mut self) {
        for p in self.api.take_woken() {
            self.ready.insert(p);
        }
    }
}
