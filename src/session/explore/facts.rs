//! What a state is beside its objects: what every component still has to do and remembers, a line of text each.

use std::rc::Rc;

use serde_json::Value;

use super::address::ByAddress;
use super::known::{Objects, plain, without_bookkeeping};
use super::skeleton::{Reading, Skeleton};
use crate::api::digest::Digest;
use crate::api::types::Lease;
use crate::api::{Kind, Shared, Timestamp};
use crate::apimachinery::{Binding, Body, DeleteOptions, Filter, Patch, Request};
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

/// What is known of components and of the requests that they are about to send.
#[derive(Debug, Default)]
pub(super) struct Components {
    known: ByAddress<Known>,
    bodies: ByAddress<(Rc<Request>, Skeleton)>,
}

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
        let known = self.known.get(&address);
        if let Some(known) = known.filter(|k| k.component.ptr_eq(component) && k.at == now) {
            return facts.include(&known.facts);
        }
        let mut lines = Vec::new();
        component_lines(process, &***component, now, &mut lines);
        let mut own = Facts::default();
        for line in lines {
            own.add(objects.names.skeleton(&line));
        }
        if let Some(work) = self.work(process, &***component, objects) {
            own.add(work);
        }
        facts.include(&own);
        if self.known.len() >= COMPONENTS {
            self.known.clear();
        }
        self.known.insert(address, Known { component: component.clone(), at: now, facts: own });
    }

    /// The sync that a component has under way, and the request that it stopped at.
    fn work(&mut self, process: &Process, c: &dyn Component, objects: &mut Objects) -> Option<Skeleton> {
        let key = c.working_on()?;
        let mut line = format!("{} works on {key}", name_of(process, c));
        let Some(pending) = c.pending() else { return Some(objects.names.skeleton(&line)) };
        let r = &pending.request;
        let address = Rc::as_ptr(r).addr();
        let known = self.bodies.get(&address).filter(|(request, _)| Rc::ptr_eq(request, r));
        let body = match known {
            Some((_, body)) => body.clone(),
            None => {
                let body = body(&r.body, objects);
                if self.bodies.len() >= COMPONENTS {
                    self.bodies.clear();
                }
                self.bodies.insert(address, (r.clone(), body.clone()));
                body
            }
        };
        line.push_str(&format!(": {} {} {}", r.verb.as_str(), r.path(), c.answer_codes().len()));
        let mut reading = Reading::new(&mut objects.names);
        reading.text(&line);
        reading.skeleton(&body);
        Some(reading.done())
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
        for (place, l) in informer.listeners.iter().enumerate() {
            for (n, seen) in informer.listeners.untold(place).enumerate() {
                if let Some(object) = seen.object() {
                    lines.push(format!("{} will tell {} {n} {}", me(), l.component, object.key()));
                }
            }
        }
    }
}

/// A component's queue, failures and memory.
fn component_lines(process: &Process, c: &dyn Component, now: Timestamp, lines: &mut Vec<String>) {
    let me = name_of(process, c);
    for (n, key) in c.queue().iter().enumerate() {
        lines.push(format!("{me} has {n} {key}"));
    }
    for (key, n) in c.queue().failed() {
        lines.push(format!("{me} failed {n} times at {key}"));
    }
    for fact in c.remembers(now) {
        lines.push(format!("{me} remembers {fact}"));
    }
}

/// The body of a request, without what every run makes anew.
fn body(body: &Body, objects: &mut Objects) -> Skeleton {
    let bare = |mut value: Value| {
        without_bookkeeping(&mut value);
        value
    };
    let whole = |body: &Value, what: &str, objects: &mut Objects| {
        let mut reading = Reading::new(&mut objects.names);
        reading.text(what);
        reading.value(body);
        reading.done()
    };
    let (from, to) = match body {
        Body::None => return objects.names.skeleton(""),
        Body::Object(object) => return whole(&plain(object), "object", objects),
        Body::Patch(Patch::Json(value) | Patch::Merge(value) | Patch::Strategic(value)) => {
            return whole(&bare(value.clone()), "patch", objects);
        }
        Body::Patch(Patch::Apply { config, force }) => {
            return whole(&bare(config.clone()), if *force { "force" } else { "apply" }, objects);
        }
        Body::Delete(options) => {
            let options = DeleteOptions { resource_version: None, ..options.clone() };
            return objects.names.skeleton(&format!("{options:?}"));
        }
        Body::Binding(binding)
            if **binding == (Binding { uid: binding.uid.clone(), ..Binding::to_node(&binding.node) }) =>
        {
            return objects.names.skeleton(&format!("{} to {}", binding.uid, binding.node));
        }
        Body::Binding(binding) => {
            let binding = Binding { resource_version: String::new(), ..(**binding).clone() };
            return objects.names.skeleton(&format!("{binding:?}"));
        }
        Body::Scale { replicas, resource_version: _ } => {
            return objects.names.skeleton(&replicas.to_string());
        }
        Body::AccessReview(review) => return whole(&bare((**review).clone()), "review", objects),
        Body::Patch(Patch::Between { from, to }) => (from.clone(), to.clone()),
        Body::Patch(Patch::PodStatus { from, status }) => Patch::between(from, status),
    };
    // What it leads from is mostly an object that is known.
    let from = objects.skeleton(&from);
    let mut reading = Reading::new(&mut objects.names);
    reading.skeleton(&from);
    reading.value(&plain(&to));
    reading.done()
}
