//! What follows from what: from every write of a run the chain leads back, write by write, to something that a person
//! did, or to the cluster's own start. `readyReplicas: 3` ← the kubelet's status ← bound ← created ← scaled ← you.
//!
//! A command is kept with its [`Origin`]: the writes that its component had heard of when it took the key. Of these the
//! *cause* is the newest one that concerns what the command is about ([`Causes::cause`]).

mod field;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub use tree::{Consequence, Deed, MOMENTS, Summary, last_deed};

use super::faults::csi_volumes;
use super::happened::regarding;
use crate::api::types::{Event, Pod};
use crate::api::{Key, Kind, MetaExt, Object, ObjectRef};
use crate::apiserver::Write;
use crate::client::{Origin, Why};
use crate::cluster::{Command, Fault, Outcome};
use crate::session::{MomentId, Op, Session, What};

/// A write on the way to the moment that is shown.
#[derive(Clone, Copy, Debug)]
pub struct Step<'s> {
    /// The moment to which it led.
    pub moment: MomentId,
    /// That moment's place on the timeline.
    pub place: usize,
    /// The write.
    pub write: &'s Write,
    /// The request that wrote; `None` for a person's.
    pub request: Option<Sent<'s>>,
}

/// What is known of a component's request that wrote.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'s> {
    /// What its sync followed from.
    origin: &'s Origin,
    /// Whether the sync's key is that of one object. Other keys may stand for many: the scheduler has one for all pods.
    of_one: bool,
    /// Why it was sent, if the sync says so.
    pub why: Option<&'s Why>,
    /// The command, where the run was stepped by commands.
    pub command: Option<&'s Command>,
}

/// What a write followed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Another write, by its revision.
    Write(u64),
    /// A person: the write is that of a command line.
    Person,
    /// A fault that a person injected, by the moment.
    Fault(MomentId),
    /// The cluster's start, or what it began with.
    Start,
}

/// The writes of the branch that is shown up to the current moment, and what each followed from.
pub struct Causes<'s> {
    session: &'s Session,
    /// By revision.
    steps: BTreeMap<u64, Step<'s>>,
    /// The revisions of an object's writes, in order.
    of: BTreeMap<&'s ObjectRef, Vec<u64>>,
    /// The moments of faults, in order, each with its place on the timeline.
    faults: Vec<(usize, MomentId, &'s Fault)>,
}

impl<'s> Causes<'s> {
    /// Reads the run.
    pub fn new(session: &'s Session) -> Causes<'s> {
        let mut causes = Causes { session, steps: BTreeMap::new(), of: BTreeMap::new(), faults: Vec::new() };
        for (place, id) in session.timeline().iter().copied().enumerate() {
            let Some(moment) = session.moment(id) else { continue };
            let mut add = |write: &'s Write, request: Option<Sent<'s>>| {
                causes.of.entry(&write.object).or_default().push(write.revision);
                causes.steps.insert(write.revision, Step { moment: id, place, write, request });
            };
            match &moment.what {
                What::Start | What::Import => {}
                What::Fault(fault, writes) => {
                    writes.iter().for_each(|w| add(w, None));
                    causes.faults.push((place, id, fault));
                }
                What::Person { writes, .. } => writes.iter().for_each(|w| add(w, None)),
                What::Commands(commands) => {
                    for c in commands {
                        let of_one = c.key.as_ref().is_some_and(|k| k.get::<Key>().is_some());
                        let sent =
                            Sent { origin: &c.origin, of_one, why: c.why.as_deref(), command: Some(c) };
                        c.writes.iter().chain(&c.events).for_each(|w| add(w, Some(sent)));
                    }
                }
                What::Machinery(t) => {
                    let sent = match &t.outcome {
                        Outcome::Sent { key, origin, why, .. } => {
                            let of_one = key.get::<Key>().is_some();
                            Some(Sent { origin, of_one, why: why.as_deref(), command: None })
                        }
                        _ => Some(Sent { origin: &Origin::NONE, of_one: false, why: None, command: None }),
                    };
                    t.writes.iter().for_each(|w| add(w, sent));
                }
            }
            if id == session.at() {
                break;
            }
        }
        causes
    }

    /// A write of the run, by its revision; `None` for one of the cluster's start.
    pub fn step(&self, revision: u64) -> Option<&Step<'s>> {
        self.steps.get(&revision)
    }

    /// The last write to an object before a revision.
    fn last_write(&self, of: &ObjectRef, before: u64) -> Option<u64> {
        let all = self.of.get(of)?;
        let n = all.partition_point(|r| *r < before);
        all.get(n.checked_sub(1)?).copied()
    }

    /// What a write followed from. The revision of a write that it names is smaller.
    ///
    /// Of the writes that the component had heard of it is the newest to an object that the command is about: the one that it
    /// wrote, those that it read its reasons from, their owner, or what they own (a ReplicaSet's pod is created because another
    /// one of its pods is going); failing that, the newest of somebody else's, if the sync was of one object. Else it is the last
    /// write to these objects.
    pub fn cause(&self, revision: u64) -> Cause {
        let Some(step) = self.steps.get(&revision) else { return Cause::Start };
        let Some(sent) = step.request else {
            let by_fault = self.faults.iter().any(|(_, id, _)| *id == step.moment);
            return if by_fault { Cause::Fault(step.moment) } else { Cause::Person };
        };
        let about = self.about(step, sent);
        let heard = || {
            let earlier = sent.origin.revisions().iter().rev().filter(move |r| **r < revision);
            earlier.filter_map(|r| self.steps.get(r))
        };
        let own = |s: &Step<'_>| s.write.user == step.write.user && s.request.is_some();
        let found = heard()
            .find(|s| {
                about.contains(&s.write.object)
                    || related(s.write, step.write)
                    || is_owned_by_one_of(s.write, &about)
            })
            .or_else(|| heard().find(|s| sent.of_one && !own(s)))
            .map(|s| s.write.revision)
            .or_else(|| about.iter().filter_map(|o| self.last_write(o, revision)).max())
            .or_else(|| heard().find(|s| !own(s)).or_else(|| heard().next()).map(|s| s.write.revision));
        if let Some(fault) = self.fault(step, sent, &about, found) {
            return Cause::Fault(fault);
        }
        found.map_or(Cause::Start, Cause::Write)
    }

    /// Whether time had to pass before the request that wrote.
    pub fn waited(&self, revision: u64) -> bool {
        let sent = self.steps.get(&revision).and_then(|s| s.request);
        sent.is_some_and(|s| s.origin.planned || s.command.is_some_and(|c| c.waited_since.is_some()))
    }

    /// The objects that a request is about: what it wrote, what its reasons were read from, and what its event is about.
    fn about(&self, step: &Step<'s>, sent: Sent<'s>) -> BTreeSet<ObjectRef> {
        let read = sent.why.into_iter().flat_map(|w| &w.facts).filter_map(|f| f.object.clone());
        let event = step.write.next.as_ref().and_then(Object::get::<Event>);
        read.chain([step.write.object.clone()]).chain(event.and_then(|e| regarding(e))).collect()
    }

    /// The last fault before a write that explains it: the component had heard of no write since, and the fault is one of
    /// a node or an object that the command is about, or the component had nothing else to follow from.
    fn fault(
        &self,
        step: &Step<'s>,
        sent: Sent<'s>,
        about: &BTreeSet<ObjectRef>,
        found: Option<u64>,
    ) -> Option<MomentId> {
        let since = found.and_then(|r| self.steps.get(&r)).map_or(0, |s| s.place);
        let idle = sent.origin.revisions().is_empty() && !sent.origin.planned;
        let between = self.faults.iter().rev().filter(|(place, ..)| *place > since && *place < step.place);
        let pod = step.write.next.as_ref().and_then(Object::get::<Pod>);
        let node = pod
            .and_then(|p| p.spec.as_ref()?.node_name.clone())
            .map(|name| ObjectRef::new(Kind::NODE, "", &name));
        let volumes = |p: &Pod| csi_volumes(self.session.cluster(), p);
        let of = |fault: &Fault| {
            let mut objects = about.iter().chain(&node);
            objects.any(|o| fault.is_of(o, self.pod(o, step.write), volumes))
        };
        between
            .clone()
            .find(|(.., fault)| of(fault))
            .or_else(|| between.clone().find(|_| idle))
            .map(|(_, id, _)| *id)
    }

    /// The Pod of this name as a write found or left it; `None` if the object is not a Pod, or nothing is known of it.
    fn pod(&self, of: &ObjectRef, write: &'s Write) -> Option<&'s Pod> {
        let before = || written(self.steps.get(&self.last_write(of, write.revision)?)?.write);
        let object = if *of == write.object { written(write) } else { before() };
        object.or_else(|| self.session.cluster().api().cached(of))?.get::<Pod>().map(|p| &**p)
    }

    /// The chain from a write back to its root: the revisions, the write itself first, and what the last of them
    /// followed from.
    pub fn chain(&self, revision: u64) -> (Vec<u64>, Cause) {
        let mut chain = Vec::new();
        let mut at = revision;
        loop {
            if !self.steps.contains_key(&at) {
                return (chain, Cause::Start);
            }
            chain.push(at);
            match self.cause(at) {
                // Revisions fall, so this ends.
                Cause::Write(before) if before < at => at = before,
                Cause::Write(_) => return (chain, Cause::Start),
                root => return (chain, root),
            }
        }
    }

    /// The last write to an object up to now; `None` if it is as the cluster began with it.
    pub fn last(&self, of: &ObjectRef) -> Option<u64> {
        self.last_write(of, u64::MAX)
    }

    /// What a person did at a moment, if it was a command line.
    pub fn line(&self, moment: MomentId) -> Option<&'s str> {
        match &*self.session.moment(moment)?.op {
            Op::Kubectl { line, .. } => Some(line),
            _ => None,
        }
    }

    /// The name of the component that wrote, or `you`.
    pub fn by(&self, step: &Step<'s>) -> Rc<str> {
        match step.request {
            None => "you".into(),
            Some(Sent { command: Some(c), .. }) => c.by.clone(),
            Some(_) => {
                let named = self.session.cluster().name_of_user(&step.write.user);
                named.unwrap_or_else(|| step.write.user.clone())
            }
        }
    }
}

/// The object of a write: as the write left it, or as it was before it went.
fn written(write: &Write) -> Option<&Object> {
    write.next.as_ref().or(write.last.as_ref()).or(write.prev.as_ref())
}

/// Whether the controller that owns a written object is one of these objects.
fn is_owned_by_one_of(write: &Write, objects: &BTreeSet<ObjectRef>) -> bool {
    let Some(owner) = written(write).and_then(|o| o.meta().controller()) else { return false };
    let of = &write.object.key;
    let is_owner = |o: &ObjectRef| {
        o.kind.as_str() == owner.kind && o.key.name == owner.name && o.key.namespace == of.namespace
    };
    objects.iter().any(is_owner)
}

/// Whether one of two written objects owns the other.
fn related(a: &Write, b: &Write) -> bool {
    let (Some(a), Some(b)) = (written(a), written(b)) else { return false };
    let owns = |owner: &Object, owned: &Object| {
        owned.meta().owners().iter().any(|o| Some(&o.uid) == owner.meta().uid.as_ref())
    };
    owns(a, b) || owns(b, a)
}
