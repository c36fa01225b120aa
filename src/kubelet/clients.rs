//! Containers that send a stream of requests, see [`crate::network::traffic`]: those of which an annotation says so
//! (`sim.steady/requests`), and those whose program is a loop that sends requests for ever ([`Cycle`]), as the load generator of
//! Kubernetes' walkthrough of the HorizontalPodAutoscaler.
//!
//! A client asks the network once what its requests meet, and is told when that changes; from these answers the cluster works out what
//! became of each request. It sends from the start of its container until SIGTERM.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use super::behaviour::annotation;
use super::state::State;
use super::turn::Turn;
use crate::api::types::Container;
use crate::api::{Key, Kind, ObjectRef, Timestamp};
use crate::client::Caches;
use crate::network::Question;
use crate::network::resolver::ResolvConf;
use crate::network::traffic::{Answers, Client, Fate, Names, NotAClient, Stream, StreamId};
use crate::shell::{Cycle, Sending};

/// The annotation with the clients.
const REQUESTS: &str = "requests";

/// How long a program waits for a response that has no limit of its own.
const FOREVER: SignedDuration = SignedDuration::from_hours(24);
/// The most requests of loops of one container that are followed.
const OF_LOOPS_LIMIT: usize = 8;

/// A client that runs: of a container, or outside of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningClient {
    /// Who sends: a pod or, if the requests come from outside of the cluster, the object whose annotation says so.
    pub sender: ObjectRef,
    /// The pod's container; empty if no pod sends.
    pub container: Rc<str>,
    /// Which of the clients of the container, or of the object, it is, counted from 0.
    pub place: usize,
    /// What it sends.
    pub client: Client,
    /// The addresses of who sends.
    pub addresses: Rc<[IpAddr]>,
    /// What it knows of names by itself.
    pub names: Names,
    /// What the network has answered to it.
    pub answers: Rc<BTreeMap<Question, Answers>>,
    /// Since when it sends.
    pub start: Timestamp,
    /// Until when: SIGTERM of its container, or the moment at which nothing declares it any more; `None` if it goes on.
    pub end: Option<Timestamp>,
}

impl RunningClient {
    /// Which stream its requests are.
    pub fn id(&self) -> StreamId {
        let (sender, container) = (self.sender.clone(), self.container.clone());
        StreamId { sender, container, place: self.place, start: self.start }
    }

    /// What its requests meet now.
    pub fn fate(&self, now: Timestamp) -> Fate {
        self.client.fate(&self.names, &self.answers, now)
    }

    /// The stream of its requests.
    pub fn stream(&self, now: Timestamp) -> Stream {
        Stream::new(self.id(), Rc::new(self.client.clone()), self.end, self.fate(now))
            .of(self.addresses.clone())
    }
}

/// The requests of a loop, each as a client of its own, and since when it sends. How long a round takes is as it was when the rounds
/// became alike, with the time of the answers. Where answers take longer by then, rounds are left out.
fn of_cycle(cycle: &Cycle) -> impl Iterator<Item = (Client, Timestamp)> + use<'_> {
    cycle.requests.iter().map(|(after, sending)| {
        let Sending { url, method, host, headers, extras, connect, timeout } = sending;
        let client = Client {
            connect: *connect,
            timeout: timeout.unwrap_or(FOREVER),
            one_at_a_time: true,
            host: Some(host.clone()).filter(|host| **host != *url.authority()),
            method: method.clone(),
            headers: headers.clone(),
            extras: extras.clone(),
            ..Client::regular(1, cycle.period, url.clone())
        };
        (client, cycle.first(*after))
    })
}

impl Turn<'_> {
    /// The clients of a container.
    ///
    /// # Errors
    /// The annotation cannot be read.
    fn clients_of(&self, spec: &Container) -> Result<Vec<Client>, NotAClient> {
        annotation(&self.pod.metadata, &spec.name, REQUESTS).map_or(Ok(Vec::new()), Client::parse)
    }

    fn names(&self, spec: &Container) -> Names {
        let mut files = self.own_files(spec);
        let mut text = |path: &str| files.remove(path).flatten().unwrap_or_default();
        let conf = ResolvConf::parse(&text("/etc/resolv.conf"));
        Names { conf, hosts: text("/etc/hosts") }
    }

    /// The clients of the pod's containers that run.
    fn running_clients(&self, pod: &Key) -> Vec<RunningClient> {
        let mut all = Vec::new();
        for (i, c) in self.rt.containers.iter().enumerate() {
            let (Some(r), Some(spec)) = (c.running(), self.container_spec(i)) else { continue };
            // Who declared a client that cannot be read is told so by `complain_of_clients`.
            let declared =
                if i < self.init_count() { Vec::new() } else { self.clients_of(spec).unwrap_or_default() };
            let mut clients: Vec<(Client, Timestamp, Option<Timestamp>)> =
                declared.into_iter().map(|c| (c, r.since, r.signal)).collect();
            // Of each loop what it repeats now or, if something has just changed, what it will.
            let cycles = r.process.iter().flat_map(|p| &p.run.cycles);
            let mut goes: Vec<&Cycle> = Vec::new();
            let goes_on = |c: &&Cycle| c.begun <= self.now && c.until.is_none_or(|until| until > self.now);
            for cycle in cycles.filter(goes_on) {
                if goes.iter().all(|known| known.number != cycle.number) {
                    goes.push(cycle);
                }
            }
            // What a loop does after SIGTERM its process has worked out (`signalled`).
            let loops = goes.into_iter().flat_map(of_cycle).take(OF_LOOPS_LIMIT);
            clients.extend(loops.map(|(client, start)| (client, start, None)));
            if clients.is_empty() {
                continue;
            }
            let names = self.names(spec);
            let addresses: Rc<[IpAddr]> = self.rt.addresses.iter().filter_map(|a| a.parse().ok()).collect();
            all.extend(clients.into_iter().enumerate().map(|(place, (client, start, end))| RunningClient {
                sender: ObjectRef { kind: Kind::POD, key: pod.clone() },
                container: c.name.clone(),
                place,
                client,
                addresses: addresses.clone(),
                names: names.clone(),
                answers: self.answers.clone(),
                start,
                end,
            }));
        }
        all
    }

    /// Asks what the requests of the pod's clients meet, as far as that is not known. Returns whether the pod has clients.
    pub(super) fn drive_clients(&mut self) -> bool {
        let annotations = self.pod.metadata.annotations.iter().flatten();
        let prefix = format!("{}{REQUESTS}", super::behaviour::NAMESPACE);
        let mut processes = self.rt.containers.iter().filter_map(|c| c.running()?.process.as_ref());
        let declares = annotations.into_iter().any(|(name, _)| name.starts_with(&prefix));
        if !declares && processes.all(|p| p.run.cycles.is_empty()) {
            return false;
        }
        let clients = self.running_clients(&crate::api::MetaExt::key(&self.pod.metadata));
        for c in &clients {
            if let Some(question) = c.client.open(&c.names, &self.answers, self.now) {
                self.ask(&question);
            }
        }
        !clients.is_empty()
    }

    /// Records an event about a container whose clients cannot be read, when it starts.
    pub(super) fn complain_of_clients(&mut self, i: usize, spec: &Container) {
        if let Err(why) = self.clients_of(spec) {
            let message =
                format!("the annotation {}{REQUESTS} cannot be read: {why}", super::behaviour::NAMESPACE);
            self.event(Some(i), "Warning", "InvalidRequests", message);
        }
    }
}

/// What the first container of a pod knows of names by itself; `None` if no container of it runs on the node.
pub fn names(state: &State, caches: &Caches, node: &Key, pod: &Key, now: Timestamp) -> Option<Names> {
    let rt = state.pods.get(pod).filter(|rt| rt.containers.iter().any(|c| c.running().is_some()))?;
    let object = rt.pod(pod, caches)?;
    let spec = object.spec.as_ref()?;
    let container = spec.containers.first()?;
    Some(Turn::new(object, spec, (**rt).clone(), state, node, caches, now).names(container))
}

/// The clients that run on a node.
pub fn clients(state: &State, caches: &Caches, node: &Key, now: Timestamp) -> Vec<RunningClient> {
    let mut all = Vec::new();
    for pod in state.network.keys() {
        let worker = state.pods.get(pod);
        let Some((rt, object)) = worker.and_then(|rt| Some((rt, rt.pod(pod, caches)?))) else { continue };
        let Some(spec) = &object.spec else { continue };
        all.extend(Turn::new(object, spec, (**rt).clone(), state, node, caches, now).running_clients(pod));
    }
    all
}
