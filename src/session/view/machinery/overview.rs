//! All of it at a glance: etcd, and how every component stands.

use std::rc::Rc;

use crate::api::ObjectRef;
use crate::client::Component;
use crate::cluster::{Actor, Cluster, Process};
use crate::etcd::Member;

/// So many of etcd's last writes are shown.
const LOG: usize = 8;

/// The whole control plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Overview {
    /// etcd's revision.
    pub revision: u64,
    /// Up to where its history is forgotten.
    pub compacted: u64,
    /// How many keys it has.
    pub keys: usize,
    /// Its members; none where there is only one.
    pub members: Vec<Member>,
    /// The term of their leader.
    pub term: u64,
    /// Its last writes, newest first.
    pub log: Vec<LogLine>,
    /// The components of processes that run on no node, in their order.
    pub components: Vec<Row>,
    /// The components on nodes.
    pub kubelets: Vec<Row>,
}

/// A write in etcd's log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLine {
    /// The revision it made.
    pub revision: u64,
    /// The key.
    pub object: ObjectRef,
    /// Whether the key was there before.
    pub existed: bool,
    /// Whether it was deleted.
    pub deleted: bool,
}

/// How a component stands, what matters most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Its process has stopped.
    Down,
    /// It is switched off.
    Off,
    /// Its process is one of several and waits to become the leader.
    Standby,
    /// A key that failed waits to be tried again.
    Failing,
    /// It is in the middle of a sync and has a request to send.
    Working,
    /// Keys wait for its worker.
    Queued,
    /// There is something that it has not heard of yet.
    Behind,
    /// It waits for a moment that was planned.
    Waiting,
    /// Nothing is left to do for it.
    Idle,
}

/// A component in a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Which.
    pub actor: Actor,
    /// Its name.
    pub name: Rc<str>,
    /// Its process.
    pub process: Rc<str>,
    /// The node, of a kubelet.
    pub node: Option<Rc<str>>,
    /// Of a process of which there are several: whether it is the leader.
    pub leads: Option<bool>,
    /// How it stands.
    pub state: State,
    /// How many events, deltas and notifications are on their way to it, and lists it has to make.
    pub behind: usize,
    /// How many keys wait for its worker.
    pub queued: usize,
    /// How many keys are planned for later.
    pub delayed: usize,
    /// How many keys failed the last time.
    pub failing: usize,
}

/// The whole control plane as it stands.
pub fn overview(cluster: &Cluster) -> Overview {
    let etcd = cluster.api().etcd();
    let members = Some(etcd.raft().members(etcd.revision())).filter(|m| m.len() > 1);
    let log = etcd.recent().take(LOG).map(|e| LogLine {
        revision: e.revision,
        object: e.key.clone(),
        existed: e.prev.is_some(),
        deleted: e.next.is_none(),
    });
    let (mut components, mut kubelets) = (Vec::new(), Vec::new());
    for (id, process) in (0..).zip(cluster.processes()) {
        let rows = if process.node.is_some() { &mut kubelets } else { &mut components };
        for (i, c) in (0..).zip(&process.components) {
            rows.push(row(cluster, process, Actor { process: id, component: i }, &***c));
        }
    }
    Overview {
        revision: etcd.revision(),
        compacted: etcd.compacted(),
        keys: etcd.count(),
        members: members.unwrap_or_default(),
        term: etcd.raft().term(),
        log: log.collect(),
        components,
        kubelets,
    }
}

fn row(cluster: &Cluster, process: &Process, actor: Actor, component: &dyn Component) -> Row {
    let queue = component.queue();
    let (behind, queued) = (behind(cluster, process, actor), queue.len());
    // Heartbeats and resyncs are always planned: what counts is what the cluster waits for.
    let waits = queue.planned().filter(|(k, at)| cluster.clock().is_waited_for(**at, actor, k));
    let (delayed, failing) = (waits.count(), queue.failed().count());
    let state = if !process.running {
        State::Down
    } else if !process.is_on(actor.component) {
        State::Off
    } else if process.waits() && process.elector() != Some(actor.component) {
        State::Standby
    } else if failing > 0 {
        State::Failing
    } else if component.wants().send {
        State::Working
    } else if queued > 0 {
        State::Queued
    } else if behind > 0 {
        State::Behind
    } else if delayed > 0 {
        State::Waiting
    } else {
        State::Idle
    };
    Row {
        actor,
        name: component.name(),
        process: process.name.clone(),
        node: process.node.clone(),
        leads: process.identity().map(|_| !process.waits()),
        state,
        behind,
        queued,
        delayed,
        failing,
    }
}

/// How many events, deltas and notifications a component has not heard of, and lists it has to make.
fn behind(cluster: &Cluster, process: &Process, actor: Actor) -> usize {
    let routes = process.routes.get(usize::from(actor.component)).map_or(&[][..], Vec::as_slice);
    let of = |&(informer, listener): &(u16, u16)| {
        let Some(n) = process.informers.get(usize::from(informer)) else { return 0 };
        let coming = n.watch.and_then(|w| cluster.api().watches.pending(w)).unwrap_or(1);
        let untold = n.listeners.get(usize::from(listener)).map_or(0, |l| l.pending.len());
        coming + n.fifo.len() + untold
    };
    routes.iter().map(of).sum()
}
