//! What a state is beside its objects: what every component still has to do and remembers, a line of text each.

use serde_json::Value;

use super::address::ByAddress;
use super::known::{Objects, without_bookkeeping};
use super::skeleton::Skeleton;
use crate::api::digest::Digest;
use crate::api::types::Lease;
use crate::api::{Kind, Object, Shared, Timestamp};
use crate::apimachinery::{Body, DeleteOptions, Filter, Patch};
use crate::client::{Caches, Component};
use crate::cluster::{Cluster, Process};

/// The most components whose facts are remembered at a time. Each keeps the caches that its sync began with.
const COMPONENTS: usize = 5_000;

/// Facts: those that name no object, as one fingerprint, and the others.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The sum of the fingerprints of facts without names, so that their order does not matter.
    pub alone: u128,
    /// The facts with names.
    pub linked: Vec<Skeleton>,
}

impl Facts {
    fn add(&mut self, fact: Skeleton) {
        if fact.names.is_empty() {
            self.alone = self.alone.wrapping_add(fact.alone);
        } else {
            self.linked.push(fact);
        }
    }

    fn include(&mut self, others: &Facts) {
        self.alone = self.alone.wrapping_add(others.alone);
        self.linked.extend(others.linked.iter().cloned());
    }
}

/// The facts of a component that depend on nothing but itself and the time. The component is kept, so that its address is
/// not used again.
#[derive(Debug)]
struct Known {
    component: Shared<Box<dyn Component>>,
    at: Timestamp,
    facts: Facts,
}

/// A component's name, with the node of a kubelet.
fn name_of(process: &Process, c: &dyn Component) -> String {
    match &process.node {
        Some(node) => format!("{} on {node}", c.name()),
        None => c.name().to_string(),
    }
}

/// What is known of components.
#[derive(Debug, Default)]
pub(super) struct Components(ByAddress<Known>);

impl Components {
    /// The facts about components: what is under way, planned or remembered. Each line of text is one fact.
    pub fn facts(&mut self, cluster: &Cluster, objects: &mut Objects) -> Facts {
        let mut facts = Facts::default();
        let mut lines = Vec::new();
        member_lines(cluster, &mut lines);
        lines.extend(cluster.storage_lines());
        for process in cluster.processes() {
            if !process.running {
                lines.push(format!("{} {:?} is down", process.name, process.node));
            }
            if let Some(identity) = process.identity() {
                let waits = if process.waits() { "waits" } else { "works" };
                lines.push(format!("{} of {} {waits}", identity, process.name));
                lease_lines(cluster, &identity, &mut lines);
            }
            informer_lines(cluster, process, &mut lines);
            for (at, component) in (0u16..).zip(&process.components) {
                let c: &dyn Component = &***component;
                if !process.is_on(at) {
                    lines.push(format!("{} is switched off", name_of(process, c)));
                    continue;
                }
                self.of_component(process, component, cluster.now(), objects, &mut facts);
                let waits = c.waits_for(&process.caches);
                if !waits.is_empty() {
                    let me = name_of(process, c);
                    lines.extend(waits.iter().map(|fact| format!("{me} remembers {fact}")));
                }
                if let Some(caches) = c.caches_at_answer() {
                    let me = format!("{}, after an answer,", name_of(process, c));
                    stale(objects, cluster, &me, &c.watches(), caches, &mut facts);
                }
                if let Some(caches) = c.caches_at_start() {
                    stale(objects, cluster, &name_of(process, c), &c.watches(), caches, &mut facts);
                }
            }
        }
        for (deadline, actor, key) in cluster.clock().deadlines() {
            let process = cluster.processes().nth(actor.process as usize);
            let process = process.filter(|p| p.is_on(actor.component));
            let Some((process, c)) = process.zip(cluster.component(actor)) else { continue };
            let after = deadline.duration_since(cluster.now()).as_millis();
            lines.push(format!("{} waits {after} ms for {key}", name_of(process, c)));
        }
        for line in lines {
            facts.add(objects.names.skeleton(&line));
        }
        facts
    }

    /// Adds a component's queue, failures, sync under way and memory.
    fn of_component(
        &mut self,
        process: &Process,
        component: &Shared<Box<dyn Component>>,
        now: Timestamp,
        objects: &mut Objects,
        facts: &mut Facts,
    ) {
        let address = component.address();
        let known = self.0.get(&address);
        if let Some(known) = known.filter(|k| k.component.ptr_eq(component) && k.at == now) {
            return facts.include(&known.facts);
        }
        let mut lines = Vec::new();
        component_lines(process, &***component, now, &mut lines);
        let mut own = Facts::default();
        for line in lines {
            own.add(objects.names.skeleton(&line));
        }
        facts.include(&own);
        if self.0.len() >= COMPONENTS {
            self.0.clear();
        }
        self.0.insert(address, Known { component: component.clone(), at: now, facts: own });
    }
}

/// Adds a fact for each object in which the caches that a sync began with differ from the store.
fn stale(
    objects: &mut Objects,
    cluster: &Cluster,
    me: &str,
    watches: &[(Kind, Filter)],
    caches: &Caches,
    facts: &mut Facts,
) {
    let etcd = cluster.api().etcd();
    let me = objects.names.skeleton(me);
    let mut say = |what: &str, s: &Skeleton| {
        let literal = Digest::default().with(what).with(&format!("{:x} {:x}", me.literal, s.literal));
        let names = me.names.iter().chain(s.names.iter()).copied().collect();
        facts.add(Skeleton::new(literal.finish(), names));
    };
    for (kind, filter) in watches {
        let cache = caches.of(*kind);
        for (reference, record) in etcd.range(*kind, None) {
            if !filter.matches(&record.object) {
                continue;
            }
            match cache.get(&reference.key) {
                Some(seen) if seen.ptr_eq(&record.object) => {}
                Some(seen) => say("believes", &objects.skeleton(seen)),
                None => say("misses", &objects.names.skeleton(&reference.to_string())),
            }
        }
        for seen in cache.list(None).filter(|o| etcd.get(&o.reference()).is_none()) {
            say("mourns", &objects.skeleton(seen));
        }
    }
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
        let me = || format!("{} {node} {}", process.name, informer.kind.as_str());
        match informer.watch.map(|w| cluster.api().watches.pending(w)) {
            _ if informer.is_stopped() => {}
            Some(Some(0)) => {}
            pending => lines.push(format!("{} has yet to hear {pending:?}", me())),
        }
        for (n, delta) in informer.fifo.iter().enumerate() {
            lines.push(format!("{} holds {n} {}", me(), delta.object().key()));
        }
        for l in &informer.listeners {
            for (n, seen) in l.pending.iter().enumerate() {
                if let Some(object) = seen.object() {
                    lines.push(format!("{} will tell {} {n} {}", me(), l.component, object.key()));
                }
            }
        }
    }
}

/// A component's queue, failures, sync under way and memory.
fn component_lines(process: &Process, c: &dyn Component, now: Timestamp, lines: &mut Vec<String>) {
    let me = name_of(process, c);
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
    for fact in c.remembers(now) {
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
