//! The clients of a run, and what became of their requests.
//!
//! Whenever the network has changed, the scene is noted: who sends, what that meets, and which processes answer
//! ([`crate::network::traffic::History`]). What became of the requests follows from the scenes, and is worked out when somebody asks.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Cluster;
use super::network::own_machine;
use super::process::Process;
use crate::api::{Key, ObjectRef, Timestamp};
use crate::kubelet;
use crate::kubelet::clients::RunningClient;
use crate::network::Outcome;
use crate::network::serving::{Life, Process as Server, Serving};
use crate::network::traffic::{
    Client, Counts, Fate, Ledger, Lives, RequestTrace, Scene, Stream, StreamId, Window,
};

/// What became of the requests of one client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// Who sends them: a pod or, if they come from outside of the cluster, the object whose annotation says so.
    pub sender: ObjectRef,
    /// The pod's container; empty if no pod sends.
    pub container: Rc<str>,
    /// What it sends.
    pub client: Client,
    /// What became of it.
    pub counts: Counts,
}

/// The kubelet of a machine.
fn kubelet_of(process: &Process) -> Option<&kubelet::State> {
    process.components.iter().find_map(|c| c.state().downcast_ref::<kubelet::State>())
}

impl Cluster {
    /// The clients that run, also those outside of the cluster, each with what the network has answered to it.
    pub fn clients(&self) -> Vec<RunningClient> {
        let now = self.now();
        let mut all = Vec::new();
        if !self.sends {
            return all;
        }
        for p in &self.processes {
            let Some(node) = p.node.as_deref().map(|n| Key::new("", n)) else { continue };
            let Some(state) = kubelet_of(p) else { continue };
            all.extend(kubelet::clients::clients(state, &p.caches, &node, now));
        }
        if !self.callers.is_empty() {
            let (network, machine) = (self.network(), own_machine());
            let addresses = network.addresses_of(&machine).into();
            all.extend(network.names_of(&machine).iter().flat_map(|n| self.callers.clients(n, &addresses)));
        }
        all
    }

    /// Who sends and who answers now; `None` if nobody has ever sent anything.
    pub fn scene(&self) -> Option<&Rc<Scene>> {
        self.traffic.scene()
    }

    /// The scenes from a moment until now, the last one first, each with the part of that time in which it was valid.
    pub fn scenes_since(&self, from: Timestamp) -> impl Iterator<Item = (Timestamp, Timestamp, &Rc<Scene>)> {
        self.traffic.scenes_back(from, self.now())
    }

    /// Since when requests are sent.
    pub fn traffic_begin(&self) -> Option<Timestamp> {
        self.traffic.begin()
    }

    /// What became of all requests until now. Those under way are not counted yet. Asked again at a later step it only works out what has happened since.
    pub fn traffic_until_now(&self) -> Ledger {
        self.traffic.so_far(self.now())
    }

    /// What has become of all requests before a moment if nothing changed from now until then. Those under way are not counted yet.
    pub fn traffic_before(&self, moment: Timestamp) -> Ledger {
        self.traffic.before(moment)
    }

    /// What would become of all requests until a later moment if nothing changed.
    pub fn traffic_until(&self, moment: Timestamp) -> Ledger {
        self.traffic.until(moment)
    }

    /// What became of the requests that were sent in a window.
    pub fn traffic_within(&self, window: Window) -> Ledger {
        self.traffic.within(window, self.now().max(window.1))
    }

    /// What happened to the request of a stream with a number that was sent at a moment; `None` if the stream was not there then.
    pub fn follow_request(&self, stream: &StreamId, nth: u64, at: Timestamp) -> Option<RequestTrace> {
        let client = self.client_at(stream, at)?;
        // After this time it is answered or given up.
        let tries = i32::try_from(client.retries).unwrap_or(0).saturating_add(2);
        let given_up = crate::api::later(at, client.timeout.saturating_mul(tries));
        let request = RequestTrace { stream: stream.clone(), nth, steps: Vec::new() };
        self.traffic.follow(request, at, self.now().min(given_up).max(at))
    }

    /// The client of a stream as it was at a moment.
    pub fn client_at(&self, stream: &StreamId, moment: Timestamp) -> Option<Rc<Client>> {
        Some(self.traffic.stream_at(stream, moment)?.client.clone())
    }

    /// The first request that was sent in a window: when, its stream and its number.
    pub fn first_request(&self, (from, to): Window) -> Option<(Timestamp, StreamId, u64)> {
        self.traffic.first_request((from, to.min(self.now())))
    }

    /// What became of the requests that the clients which run now have sent since a moment.
    pub fn traffic(&self, since: Timestamp) -> Vec<Traffic> {
        let ledger = self.traffic_within((since, self.now()));
        let streams = self.scene().map(|s| s.streams.clone()).unwrap_or_default();
        let of = |s: &Rc<Stream>| Traffic {
            sender: s.id.sender.clone(),
            container: s.id.container.clone(),
            client: (*s.client).clone(),
            counts: ledger.counts(&s.id),
        };
        streams.iter().map(of).collect()
    }

    /// The work that the requests of clients make now for each process, in billionths of a CPU. Where a client keeps its connections
    /// they say where its requests go; otherwise the rules do.
    pub(super) fn work_of_clients(&self) -> Vec<(Rc<Serving>, i64)> {
        let now = self.now();
        let streams = self.scene().map(|s| s.streams.clone()).unwrap_or_default();
        let keeps = streams.iter().any(|s| s.client.keep.is_some());
        let ledger = if keeps { self.traffic_until_now() } else { Ledger::default() };
        let sends = |s: &&Rc<Stream>| s.end.is_none_or(|end| end > now);
        streams.iter().filter(sends).flat_map(|s| s.work(ledger.pool(&s.id))).collect()
    }

    /// Notes who sends and who answers now.
    pub(super) fn note_traffic(&mut self) {
        let now = self.now();
        let last = self.traffic.scene().cloned().unwrap_or_default();
        let same = |new: Stream| match last.stream(&new.id) {
            Some(old) if **old == new => old.clone(),
            _ => Rc::new(new),
        };
        let streams: Vec<Rc<Stream>> = self.clients().into_iter().map(|c| same(c.stream(now))).collect();
        let lives = self.lives(&last, &streams);
        self.traffic.note(now, Scene::new(streams, lives));
    }

    /// What the processes do that answer requests for some time, or over connections that are kept: those that answer now, and those
    /// that did before and have not ended.
    fn lives(&self, last: &Scene, streams: &[Rc<Stream>]) -> Lives {
        let mut servers: BTreeMap<&Server, &Rc<Serving>> =
            last.lives.iter().map(|(p, (s, _))| (p, s)).collect();
        for stream in streams {
            let Fate::Replies(choice) = &stream.fate else { continue };
            for reply in choice.replies() {
                let Outcome::Answered(response) = &reply.outcome else { continue };
                let lasts = stream.client.keep.is_some() || !response.takes.is_zero();
                servers.extend(response.by.iter().filter(|_| lasts).map(|by| (&by.process, by)));
            }
        }
        if servers.is_empty() {
            return Lives::new();
        }
        // A node can have other processes beside its kubelet's.
        let machines =
            self.processes.iter().filter_map(|p| Some((p.node.as_deref()?, (&**p, kubelet_of(p)?))));
        let machines: BTreeMap<&str, (&Process, &kubelet::State)> = machines.collect();
        let life = |(process, serving): (&Server, &Rc<Serving>)| {
            let (machine, state) = machines.get(&*serving.node)?;
            let life = state.life(serving, self.now())?;
            Some((process.clone(), (serving.clone(), if machine.running { life } else { Life::CutOff })))
        };
        servers.into_iter().filter_map(life).collect()
    }
}
