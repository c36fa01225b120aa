//! An overview of the machinery: etcd, and the state of every component.

use serde::{Deserialize, Serialize};
use std::rc::Rc;

use crate::api::ObjectRef;
use crate::client::Component;
use crate::cluster::{Actor, Cluster, Process};
use crate::etcd::Member;

/// How many of etcd's last writes are shown.
const LOG: usize = 8;

/// The whole control plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// The revision of etcd's last write.
    pub revision: u64,
    /// The revision up to which etcd's history is compacted.
    pub compacted: u64,
    /// The number of keys.
    pub keys: usize,
    /// The members of etcd; empty if there is only one.
    pub members: Vec<Member>,
    /// The term of the members' leader.
    pub term: u64,
    /// The last writes, newest first.
    pub log: Vec<LogLine>,
    /// The components of processes that run on no node, in order.
    pub components: Vec<Row>,
    /// The components of nodes.
    pub kubelets: Vec<Row>,
}

/// A write in etcd's log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogLine {
    /// The revision of the write.
    pub revision: u64,
    /// The key that was written.
    pub object: ObjectRef,
    /// Whether the key existed before.
    pub existed: bool,
    /// Whether the key was deleted.
    pub deleted: bool,
}

/// The state of a component, the most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// Its process has stopped.
    Down,
    /// It is switched off.
    Off,
    /// Its process is one of several instances and waits to become the leader.
    Standby,
    /// A key whose sync failed waits to be retried.
    Failing,
    /// It is in a sync and has a request to send.
    Working,
    /// Keys wait for its worker.
    Queued,
    /// It has not been notified of all changes.
    Behind,
    /// It waits for a foreground deadline.
    Waiting,
    /// It has nothing to do.
    Idle,
}

/// A component in the overview.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The component's process and its index there.
    pub actor: Actor,
    /// The component's name.
    pub name: Rc<str>,
    /// The name of its process.
    pub process: Rc<str>,
    /// The node of a kubelet; `None` for other components.
    pub node: Option<Rc<str>>,
    /// Whether its process is the leader, if the process has several instances.
    pub leads: Option<bool>,
    /// The component's state.
    pub state: State,
    /// The number of events, deltas and notifications on their way to it, and of lists that it has to read.
    pub behind: usize,
    /// The number of keys that wait for its worker.
    pub queued: usize,
    /// The number of keys that are planned for later.
    pub delayed: usize,
    /// The number of keys whose last sync failed.
    pub failing: usize,
}

/// The overview of a cluster.
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
    // Heartbeats and resyncs are always planned, so only foreground deadlines count.
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

/// The number of events, deltas and notifications on their way to a component, and of lists that it has to
/// read.
fn behind(cluster: &Cluster, process: &Process, actor: Actor) -> usize {
    let routes = process.routes.get(usize::from(actor.component)).map_or(&[][..], Vec::as_slice);
    let of = |&(informer, listener): &(u16, u16)| {
        let Some(n) = process.informers.get(usize::from(informer)) else { return 0 };
        let coming = n.watch.and_then(|w| cluster.api().watches.pending(w)).unwrap_or(1);
        let untold = n.listeners.count(usize::from(listener));
        coming + n.fifo.len() + untold
    };
    routes.iter().map(of).sum()
}
