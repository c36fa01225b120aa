//! A fingerprint of a cluster that ignores differences which only the order of actions makes.
//!
//! [`Cluster::digest`](crate::cluster::Cluster::digest) differs between any two runs. Here two clusters have
//! the same fingerprint if their objects, and what every component still has to do and remembers, differ
//! only in uids, generated names, addresses, revisions and times, and (with [`Symmetry::Merged`]) in *which*
//! of several interchangeable pods or nodes is meant.
//!
//! Objects and facts about components are the vertices of a graph; the names in their texts are its edges.
//! The colour of a vertex begins as the fingerprint of its text without names. In each of a few rounds it
//! takes in the colours of its neighbours (colour refinement, Weisfeiler and Leman). Names form trees here
//! (a pod names its owner, a fact names a pod), and for trees this is exact.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::invariant::is_counted;
use super::skeleton::{Names, Skeleton};
use crate::api::digest::Digest;
use crate::api::types::Lease;
use crate::api::{Kind, Object, Timestamp};
use crate::apimachinery::{Body, DeleteOptions, Patch};
use crate::apiserver::{GENERATED_SUFFIX, MAX_GENERATED_BASE};
use crate::client::{Caches, Component};
use crate::cluster::{Cluster, Process};
use crate::controllers::endpoint::LAST_CHANGE_TRIGGER_TIME;

/// The number of rounds: the longest chain of names is Deployment, ReplicaSet, Pod, node, fact about them.
const ROUNDS: usize = 4;
/// The most skeletons of objects that are remembered at a time.
const SKELETONS: usize = 100_000;

/// Whether interchangeable objects are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Symmetry {
    /// Pods of one template, and nodes with the same properties, are interchangeable.
    #[default]
    Merged,
    /// Nodes are told apart by their names, pods by the order of their creation.
    Distinct,
}

/// Computes fingerprints, and remembers the skeletons of objects.
#[derive(Debug, Default)]
pub(super) struct Fingerprints {
    names: Names,
    // By the object's address. The object is kept, so that its address is not used again.
    known: BTreeMap<usize, (Object, Rc<Skeleton>)>,
    symmetry: Symmetry,
}

/// A vertex of the graph: an object or a fact.
struct Vertex {
    skeleton: Rc<Skeleton>,
    color: u128,
}

impl Fingerprints {
    pub fn new(symmetry: Symmetry) -> Fingerprints {
        Fingerprints { symmetry, ..Fingerprints::default() }
    }

    /// The fingerprint of the objects alone. Two steady states with equal objects are the same outcome.
    pub fn of_objects(&mut self, cluster: &Cluster) -> u128 {
        let objects = self.objects(cluster);
        self.refined(cluster, objects, Vec::new())
    }

    /// The fingerprint of the objects and of all facts about components.
    pub fn of(&mut self, cluster: &Cluster) -> u128 {
        let objects = self.objects(cluster);
        let facts = self.facts(cluster);
        self.refined(cluster, objects, facts)
    }

    /// The objects that count. Events and leases do not.
    fn counted(cluster: &Cluster) -> impl Iterator<Item = (&Object, u64)> {
        let all = cluster.api().etcd().iter();
        let all = all.filter(|(r, _)| is_counted(r));
        all.map(|(_, record)| (&record.object, record.create_revision))
    }

    fn objects(&mut self, cluster: &Cluster) -> Vec<(Object, Rc<Skeleton>)> {
        for (object, _) in Self::counted(cluster) {
            self.learn(object);
        }
        Self::counted(cluster).map(|(o, _)| (o.clone(), self.skeleton(o))).collect()
    }

    /// Adds the names that only stand for this object to the table: its uid, and a name without a meaning.
    fn learn(&mut self, object: &Object) {
        if self.known.contains_key(&object.address()) {
            return;
        }
        self.names.intern(object.uid());
        if self.nameless(object) {
            self.names.intern(object.name());
        }
    }

    /// Whether the object's name has no meaning: it is generated, or it is a node's and nodes are
    /// interchangeable.
    fn nameless(&self, object: &Object) -> bool {
        is_generated(object) || (object.kind() == Kind::NODE && self.symmetry == Symmetry::Merged)
    }

    fn skeleton(&mut self, object: &Object) -> Rc<Skeleton> {
        if let Some((_, s)) = self.known.get(&object.address()) {
            return s.clone();
        }
        let mut value = object.to_value();
        without_bookkeeping(&mut value);
        let skeleton = Rc::new(self.names.skeleton(&value.to_string()));
        if self.known.len() >= SKELETONS {
            self.known.clear();
        }
        self.known.insert(object.address(), (object.clone(), skeleton.clone()));
        skeleton
    }

    /// The facts about components: what is under way, planned or remembered. Each line of text is one fact.
    fn facts(&mut self, cluster: &Cluster) -> Vec<Skeleton> {
        let mut lines = Vec::new();
        let mut views = Vec::new();
        member_lines(cluster, &mut lines);
        lines.extend(cluster.storage_lines());
        for (id, process) in (0..).zip(cluster.processes()) {
            let name = |c: &dyn Component| match &process.node {
                Some(node) => format!("{} on {node}", c.name()),
                None => c.name().to_string(),
            };
            if !process.running {
                lines.push(format!("{} {:?} is down", process.name, process.node));
            }
            if let Some(identity) = process.identity() {
                let waits = if process.waits() { "waits" } else { "works" };
                lines.push(format!("{} of {} {waits}", identity, process.name));
                lease_lines(cluster, &identity, &mut lines);
            }
            informer_lines(cluster, process, &mut lines);
            for (at, c) in (0u16..).zip(&process.components) {
                let c: &dyn Component = &***c;
                let me = name(c);
                if !process.is_on(at) {
                    lines.push(format!("{me} is switched off"));
                    continue;
                }
                component_lines(&me, c, &process.caches, cluster.now(), &mut lines);
                for (deadline, actor, key) in cluster.clock().deadlines() {
                    if actor.process == id && actor.component == at {
                        let after = deadline.duration_since(cluster.now()).as_millis();
                        lines.push(format!("{me} waits {after} ms for {key}"));
                    }
                }
                if let Some(caches) = c.caches_at_answer() {
                    views.push((format!("{me}, after an answer,"), c.watches(), caches));
                }
                if let Some(caches) = c.caches_at_start() {
                    views.push((me, c.watches(), caches));
                }
            }
        }
        let mut facts: Vec<Skeleton> = lines.iter().map(|l| self.names.skeleton(l)).collect();
        for (me, watches, caches) in views {
            let me = self.names.skeleton(&me);
            for (kind, filter) in watches {
                self.stale(cluster, &me, kind, &filter, caches, &mut facts);
            }
        }
        facts
    }

    /// Adds a fact for each object in which the caches that a sync began with differ from the store.
    fn stale(
        &mut self,
        cluster: &Cluster,
        me: &Skeleton,
        kind: Kind,
        filter: &crate::apimachinery::Filter,
        caches: &crate::client::Caches,
        facts: &mut Vec<Skeleton>,
    ) {
        let etcd = cluster.api().etcd();
        let cache = caches.of(kind);
        let mut say = |what: &str, s: &Skeleton| {
            let literal = Digest::default().with(what).with(&format!("{:x} {:x}", me.literal, s.literal));
            let names = me.names.iter().chain(s.names.iter()).copied().collect();
            facts.push(Skeleton { literal: literal.finish(), names });
        };
        for (reference, record) in etcd.range(kind, None) {
            if !filter.matches(&record.object) {
                continue;
            }
            match cache.get(&reference.key) {
                Some(seen) if seen.ptr_eq(&record.object) => {}
                Some(seen) => say("believes", &self.skeleton(seen)),
                None => say("misses", &self.names.skeleton(&reference.to_string())),
            }
        }
        for seen in cache.list(None).filter(|o| etcd.get(&o.reference()).is_none()) {
            say("mourns", &self.skeleton(seen));
        }
    }

    fn refined(&self, cluster: &Cluster, objects: Vec<(Object, Rc<Skeleton>)>, facts: Vec<Skeleton>) -> u128 {
        // The vertex for which a name stands.
        let mut named: Vec<Option<usize>> = vec![None; self.names.len()];
        let mut vertices: Vec<Vertex> = Vec::with_capacity(objects.len() + facts.len());
        let ordinals = match self.symmetry {
            Symmetry::Merged => BTreeMap::new(),
            Symmetry::Distinct => ordinals(cluster),
        };
        for (object, skeleton) in objects {
            for name in [object.uid(), object.name()] {
                if let Some(slot) = self.names.get(name).and_then(|id| named.get_mut(id as usize)) {
                    *slot = Some(vertices.len());
                }
            }
            let nth = ordinals.get(object.uid()).copied().unwrap_or(0);
            let color = mix(skeleton.literal, [u128::from(nth)]);
            vertices.push(Vertex { skeleton, color });
        }
        let facts = facts.into_iter().map(Rc::new);
        vertices.extend(facts.map(|skeleton| Vertex { color: skeleton.literal, skeleton }));

        let mut heard: Vec<Vec<u128>> = vec![Vec::new(); vertices.len()];
        for _ in 0..ROUNDS {
            heard.iter_mut().for_each(Vec::clear);
            for v in &vertices {
                for (place, name) in (0u128..).zip(v.skeleton.names.iter()) {
                    let target = named.get(*name as usize).copied().flatten();
                    if let Some(h) = target.and_then(|t| heard.get_mut(t)) {
                        h.push(mix(v.color, [place]));
                    }
                }
            }
            let said: Vec<u128> = vertices.iter().map(|v| v.color).collect();
            for (v, heard) in vertices.iter_mut().zip(&mut heard) {
                let color_of = |name: &u32| {
                    let target = named.get(*name as usize).copied().flatten();
                    target.and_then(|t| said.get(t)).copied().unwrap_or(1)
                };
                let own = mix(v.color, v.skeleton.names.iter().map(color_of));
                heard.sort_unstable();
                v.color = mix(own, heard.iter().copied());
            }
        }
        let mut colors: Vec<u128> = vertices.iter().map(|v| v.color).collect();
        colors.sort_unstable();
        mix(0, colors)
    }
}

/// Whether the API server has made up the end of the object's name. The pods of a StatefulSet have a `generateName`, too,
/// but the controller names them.
fn is_generated(object: &Object) -> bool {
    let base = object.meta().generate_name.as_deref().unwrap_or_default();
    let base = base.char_indices().nth(MAX_GENERATED_BASE).map_or(base, |(end, _)| &base[..end]);
    let suffix = object.name().strip_prefix(base).unwrap_or_default();
    !base.is_empty() && suffix.len() == GENERATED_SUFFIX
}

/// For each object with a generated name its number by the order of creation, by uid.
fn ordinals(cluster: &Cluster) -> BTreeMap<String, u64> {
    let mut made: Vec<(Kind, u64, String)> = Fingerprints::counted(cluster)
        .filter(|(o, _)| is_generated(o))
        .map(|(o, revision)| (o.kind(), revision, o.uid().to_owned()))
        .collect();
    made.sort();
    (1..).zip(made).map(|(nth, (_, _, uid))| (uid, nth)).collect()
}

fn mix(first: u128, rest: impl IntoIterator<Item = u128>) -> u128 {
    rest.into_iter().fold(Digest::default().number(first), Digest::number).finish()
}

/// The roles of etcd's members, if there are several or there is no leader.
fn member_lines(cluster: &Cluster, lines: &mut Vec<String>) {
    let raft = cluster.api().etcd().raft();
    if raft.quorum().0 <= 1 && raft.has_leader() {
        return;
    }
    for member in cluster.api().etcd().members() {
        lines.push(format!("etcd member {} is {:?}", member.name, member.role));
    }
    if let Some(at) = raft.electing() {
        lines.push(format!("etcd elects in {} ms", at.duration_since(cluster.now()).as_millis()));
    }
}

/// The leases that an elector holds, and how long ago they were renewed.
fn lease_lines(cluster: &Cluster, identity: &str, lines: &mut Vec<String>) {
    for (reference, record) in cluster.api().etcd().range(Kind::LEASE, None) {
        let spec = record.object.get::<Lease>().and_then(|l| l.spec.as_ref());
        let Some(spec) = spec.filter(|s| s.holder_identity.as_deref() == Some(identity)) else { continue };
        let renewed = spec.renew_time.as_ref().map(|t| cluster.now().duration_since(t.0).as_millis());
        lines.push(format!("{identity} holds {reference}, renewed {renewed:?} ms ago"));
    }
}

/// The changes that are on their way to a process's components.
fn informer_lines(cluster: &Cluster, process: &Process, lines: &mut Vec<String>) {
    let node = process.node.as_deref().unwrap_or_default();
    for informer in &process.informers {
        let me = format!("{} {node} {}", process.name, informer.kind.as_str());
        match informer.watch.map(|w| cluster.api().watches.pending(w)) {
            _ if informer.is_stopped() => {}
            Some(Some(0)) => {}
            pending => lines.push(format!("{me} has yet to hear {pending:?}")),
        }
        for (n, delta) in informer.fifo.iter().enumerate() {
            lines.push(format!("{me} holds {n} {}", delta.object().key()));
        }
        for l in &informer.listeners {
            for (n, seen) in l.pending.iter().enumerate() {
                if let Some(object) = seen.object() {
                    lines.push(format!("{me} will tell {} {n} {}", l.component, object.key()));
                }
            }
        }
    }
}

/// A component's queue, failures, sync under way and memory.
fn component_lines(me: &str, c: &dyn Component, caches: &Caches, now: Timestamp, lines: &mut Vec<String>) {
    for (n, key) in c.queue().iter().enumerate() {
        lines.push(format!("{me} has {n} {key}"));
    }
    for (key, n) in c.queue().failed() {
        lines.push(format!("{me} failed {n} times at {key}"));
    }
    if let Some(key) = c.working_on() {
        let asks = c.pending().map(|p| {
            let r = &p.request;
            format!("{} {} {} {}", r.verb.as_str(), r.path(), body_text(&r.body), c.answer_codes().len())
        });
        lines.push(format!("{me} works on {key}: {}", asks.unwrap_or_default()));
    }
    for fact in c.memory(caches, now) {
        lines.push(format!("{me} remembers {fact}"));
    }
}

/// The body of a request as text, without what every run makes anew.
fn body_text(body: &Body) -> String {
    let plain = |mut value: Value| {
        without_bookkeeping(&mut value);
        value.to_string()
    };
    let text = |object: &Object| plain(object.to_value());
    match body {
        Body::None => String::new(),
        Body::Object(object) => text(object),
        Body::Patch(Patch::Between { from, to }) => format!("{} to {}", text(from), text(to)),
        Body::Patch(Patch::PodStatus { from, status }) => {
            let (from, to) = Patch::between(from, status);
            format!("{} to {}", text(&from), text(&to))
        }
        Body::Patch(Patch::Json(value) | Patch::Merge(value) | Patch::Strategic(value)) => {
            plain(value.clone())
        }
        Body::Patch(Patch::Apply { config, force }) => format!("{} {force}", plain(config.clone())),
        Body::Delete(options) => format!("{:?}", DeleteOptions { resource_version: None, ..options.clone() }),
        Body::Binding { node } => node.to_string(),
        Body::Scale { replicas, resource_version: _ } => replicas.to_string(),
    }
}

/// Removes the fields that every write or every run makes anew.
fn without_bookkeeping(object: &mut Value) {
    if let Some(Value::Object(meta)) = object.get_mut("metadata") {
        for field in ["uid", "resourceVersion", "creationTimestamp", "managedFields"] {
            meta.remove(field);
        }
        // The time of a change, which is there or not by how many changes one sync has seen. No component reads it.
        if let Some(Value::Object(annotations)) = meta.get_mut("annotations") {
            annotations.remove(LAST_CHANGE_TRIGGER_TIME);
            if annotations.is_empty() {
                meta.remove("annotations");
            }
        }
    }
}
