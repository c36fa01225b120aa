//! The story of a request that was lost: what had been written before it was sent, and what came too late.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::types::discovery::LABEL_SERVICE_NAME;
use crate::api::types::{EndpointSlice, Pod};
use crate::api::{Key, Kind, MetaExt, Object, ObjectRef, Timestamp};
use crate::apimachinery::Subresource;
use crate::apiserver::Write;
use crate::cluster::Command;
use crate::network::question::Behind;
use crate::network::traffic::{Cause, Loss};

/// The most commands of a story before the request.
const BEFORE: usize = 6;
/// The most commands of a story after the request.
const AFTER: usize = 3;

/// How a request was lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Story {
    /// When it was sent, in seconds since the rollout began.
    pub at: f64,
    /// Its number among those of its client, counted from 1.
    pub nth: u64,
    /// Who sent it: a pod or, if it came from outside of the cluster, the object whose annotation says so.
    pub sender: ObjectRef,
    /// The pod's node, or the node to which it came from outside; empty if a load balancer chooses that.
    pub node: String,
    /// The endpoint that it was sent to, if it came so far.
    pub endpoint: Option<String>,
    /// The pod with the endpoint's address.
    pub pod: Option<String>,
    /// Why it was lost.
    pub cause: Cause,
    /// Who was behind: the EndpointSlices did not name the endpoint any more.
    pub behind: Option<Behind>,
    /// The pod of the proxy that it came by.
    pub through: Option<String>,
    /// The commands that belong to it, in their order.
    pub happened: Vec<Happened>,
}

/// A command that belongs to a story.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Happened {
    /// When, in seconds since the rollout began.
    pub at: f64,
    /// The component that issued it.
    pub by: Rc<str>,
    /// The verb, with the subresource: `update/status`.
    pub verb: String,
    /// The object, as `Pod default/web`.
    pub object: String,
    /// The number of ops from the beginning of the rehearsal to the command, which is included.
    pub moment: usize,
}

/// What a command was about, as far as stories are about it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum About {
    Pod(Key),
    Slice(Rc<str>),
    Rules(Rc<str>),
    /// What an ingress controller tells its nginx.
    Routes,
}

/// Where the requests of a story go.
#[derive(Clone, Copy, Debug)]
pub struct Goes<'a> {
    /// The node whose rules lead them.
    pub node: &'a str,
    /// The Service.
    pub service: &'a str,
    /// Whether an ingress controller leads them there: then its routes count, and not the rules of the node.
    pub routed: bool,
}

#[derive(Clone, Debug)]
struct Entry {
    at: Timestamp,
    about: About,
    /// Whether the pod is told to end: it is marked as deleted, or removed without having been marked before.
    ends: bool,
    happened: Happened,
}

/// The commands of a rollout that stories can be about, and which pod had which address.
#[derive(Clone, Debug, Default)]
pub struct Log {
    entries: Vec<Entry>,
    pods: BTreeMap<IpAddr, Key>,
    begin: Timestamp,
}

fn service_of(write: &Write) -> Option<Rc<str>> {
    let object = write.next.as_ref().or(write.last.as_ref()).or(write.prev.as_ref())?;
    object.get::<EndpointSlice>()?.metadata.label(LABEL_SERVICE_NAME).map(Rc::from)
}

impl Log {
    /// A log of a rollout that begins now, with the pods that are there.
    pub fn begin<'a>(begin: Timestamp, pods: impl Iterator<Item = &'a Rc<Pod>>) -> Log {
        let mut log = Log { begin, ..Log::default() };
        pods.for_each(|p| log.note_pod(p));
        log
    }

    fn note_pod(&mut self, pod: &Pod) {
        if pod.spec.as_ref().and_then(|s| s.host_network) == Some(true) {
            return;
        }
        let ips = pod.status.iter().flat_map(|s| s.pod_ips.iter().flatten());
        for ip in ips.filter_map(|ip| ip.ip.parse().ok()) {
            self.pods.insert(ip, pod.metadata.key());
        }
    }

    /// Notes a command. `moment` is the number of ops from the beginning of the rehearsal to it, which is included.
    pub fn note(&mut self, command: &Command, moment: usize) {
        let request = &command.request;
        let verb = || request.verb.with(request.subresource);
        let when = (command.at, moment);
        if request.subresource == Subresource::Ruleset {
            let node = About::Rules(Rc::from(&*request.key.name));
            self.enter(when, &command.by, (node, false), verb(), format!("Node {}", request.key));
        }
        if request.subresource == Subresource::Configuration {
            self.enter(when, &command.by, (About::Routes, false), verb(), format!("Pod {}", request.key));
        }
        self.note_writes(&command.writes, &command.by, when);
    }

    /// Notes what was written by somebody at a time. The time comes with the number of ops from the beginning of the rehearsal.
    pub fn note_writes<'a>(
        &mut self,
        writes: impl IntoIterator<Item = &'a Write>,
        by: &Rc<str>,
        when: (Timestamp, usize),
    ) {
        for write in writes {
            let of = match write.object.kind {
                kind if kind == Kind::POD => {
                    if let Some(pod) = write.next.as_ref().and_then(|o| o.get::<Pod>()) {
                        self.note_pod(pod);
                    }
                    About::Pod(write.object.key.clone())
                }
                kind if kind == Kind::ENDPOINT_SLICE => match service_of(write) {
                    Some(service) => About::Slice(service),
                    None => continue,
                },
                _ => continue,
            };
            let marked = |o: &Option<Object>| o.as_ref().is_some_and(|o| o.meta().is_deleting());
            let ends =
                write.prev.is_some() && !marked(&write.prev) && (marked(&write.next) || write.next.is_none());
            self.enter(when, by, (of, ends), write.verb_string(), write.object.to_string());
        }
    }

    /// What one command writes twice about the same is one line.
    fn enter(
        &mut self,
        (at, moment): (Timestamp, usize),
        by: &Rc<str>,
        (about, ends): (About, bool),
        verb: String,
        object: String,
    ) {
        let since = at.duration_since(self.begin).as_secs_f64();
        let happened = Happened { at: since, by: by.clone(), verb, object, moment };
        let mut known = self.entries.iter_mut().rev().take_while(|e| e.happened.moment == moment);
        match known.find(|e| e.happened == happened) {
            Some(entry) => entry.ends |= ends,
            None => self.entries.push(Entry { at, about, ends, happened }),
        }
    }

    /// The story of a request that somebody had sent to a Service.
    pub fn story(&self, sender: &ObjectRef, goes: Goes<'_>, loss: &Loss) -> Story {
        let Goes { node, service, routed } = goes;
        let pod = loss.endpoint.and_then(|e| self.pods.get(&e.ip()));
        let belongs = |e: &&Entry| match &e.about {
            About::Pod(p) => Some(p) == pod,
            About::Slice(s) => **s == *service,
            About::Rules(n) => !routed && **n == *node,
            About::Routes => routed,
        };
        let all: Vec<&Entry> = self.entries.iter().filter(belongs).collect();
        let split = all.iter().position(|e| e.at > loss.at).unwrap_or(all.len());
        let (before, after) = all.split_at(split);
        // What was written about the pod begins with its deletion or, if it was not deleted before, with its creation.
        let deletion = before.iter().position(|e| e.ends && matches!(e.about, About::Pod(_)));
        let first =
            deletion.or_else(|| before.iter().position(|e| matches!(e.about, About::Pod(_)))).unwrap_or(0);
        let latest = first.max(before.len().saturating_sub(BEFORE));
        // What told the pod to end is never left out, however much was written since.
        let cause = deletion.filter(|at| *at < latest).and_then(|at| before.get(at));
        let latest = if cause.is_some() { latest + 1 } else { latest };
        let before = cause.into_iter().chain(before.get(latest..).unwrap_or_default());
        // It ends with the write after which nobody is led there any more, however much comes before that.
        let end = after.iter().position(|e| matches!(e.about, About::Rules(_) | About::Routes));
        let late = end.filter(|n| *n >= AFTER).and_then(|n| after.get(n));
        let shown = end.map_or(AFTER, |n| n + 1).min(if late.is_some() { AFTER - 1 } else { AFTER });
        let after = after.iter().take(shown).chain(late);
        Story {
            at: loss.at.duration_since(self.begin).as_secs_f64(),
            nth: loss.nth + 1,
            sender: sender.clone(),
            node: node.to_owned(),
            endpoint: loss.endpoint.map(|e| e.to_string()),
            pod: pod.map(Key::to_string),
            cause: loss.cause,
            behind: loss.behind,
            through: loss.through.as_ref().map(Key::to_string),
            happened: before.chain(after).map(|e| e.happened.clone()).collect(),
        }
    }
}
