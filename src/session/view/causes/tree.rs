//! All that followed from one deed of a person, as an outline: what the page shows when a cluster is steady.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{Cause, Causes};
use crate::api::{Kind, ObjectRef, order};
use crate::client::Why;
use crate::session::{MomentId, Session, What};

/// Of a run with more moments since the deed no summary is made: every write would have to be looked at.
pub const MOMENTS: usize = 5_000;
/// What followed on deeper levels is told on this one.
pub const DEPTH: usize = 12;

/// Writes of one component that did the same for the same reason, and followed from the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Consequence {
    /// How many steps away from the deed: 0 is the deed's own write.
    pub depth: usize,
    /// The component, or `you`.
    pub by: Rc<str>,
    /// The verb and subresource, for example `update/status`.
    pub verb: String,
    /// The kind of the objects.
    pub kind: Kind,
    /// The written objects.
    pub objects: BTreeSet<ObjectRef>,
    /// How many writes.
    pub writes: usize,
    /// The revision of the first write.
    pub first: u64,
    /// Whether other writes have reasons with other facts than the first one's.
    pub varies: bool,
    /// Whether time had to pass before any of them.
    pub waited: bool,
}

/// What followed from something that a person did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// How many writes of each component followed from it, events not counted, most first.
    pub counts: Vec<(Rc<str>, usize)>,
    /// What followed, each before what followed from it.
    pub outline: Vec<Consequence>,
}

/// What makes writes the same: what they followed from, who wrote, the verb, the kind and the rule.
type Alike = (Option<usize>, Rc<str>, String, Kind, Option<&'static str>);

/// The last thing that a person did before the current moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deed {
    /// The moment.
    pub moment: MomentId,
    /// The moment's place on the timeline.
    pub place: usize,
    /// How many moments there are from there up to the current one.
    pub moments: usize,
}

/// The last thing that a person did before the current moment; `None` if nobody did anything.
pub fn last_deed(session: &Session) -> Option<Deed> {
    let line = session.timeline();
    let now = session.place(session.at())?;
    let is_deed = |id: &MomentId| {
        matches!(session.moment(*id).map(|m| &m.what), Some(What::Person { .. } | What::Fault(..)))
    };
    let place = line.iter().take(now + 1).rposition(is_deed)?;
    Some(Deed { moment: line.get(place).copied()?, place, moments: now - place })
}

impl Causes<'_> {
    fn why(&self, revision: u64) -> Option<&Why> {
        self.steps.get(&revision)?.request?.why
    }

    /// What followed from a deed, of at most [`MOMENTS`].
    pub fn summary(&self, deed: Deed) -> Summary {
        let (since, deed) = (deed.place, deed.moment);
        let mut all: Vec<(Option<usize>, Consequence)> = Vec::new();
        let mut alike: BTreeMap<Alike, usize> = BTreeMap::new();
        // The consequence that a write belongs to.
        let mut of: BTreeMap<u64, usize> = BTreeMap::new();
        let mut counts: BTreeMap<Rc<str>, usize> = BTreeMap::new();
        for (revision, step) in self.steps.iter().filter(|(_, s)| s.place >= since) {
            if step.write.object.kind == Kind::EVENT {
                continue;
            }
            let parent = match self.cause(*revision) {
                Cause::Person if step.moment == deed => None,
                Cause::Fault(moment) if moment == deed => None,
                Cause::Write(before) => match of.get(&before) {
                    Some(at) => Some(*at),
                    None => continue,
                },
                Cause::Person | Cause::Fault(_) | Cause::Start => continue,
            };
            let by = self.by(step);
            if step.request.is_some() {
                *counts.entry(by.clone()).or_default() += 1;
            }
            // What stands on the last level stays on it.
            let parent = parent.map(|at| match all.get(at) {
                Some((Some(above), p)) if p.depth + 1 >= DEPTH => *above,
                _ => at,
            });
            let depth = parent.and_then(|at| all.get(at)).map_or(0, |(_, p)| p.depth + 1);
            let rule = step.request.and_then(|s| s.why).map(|w| w.rule);
            let (verb, kind) = (step.write.verb_string(), step.write.object.kind);
            let at = *alike.entry((parent, by.clone(), verb.clone(), kind, rule)).or_insert_with(|| {
                let objects = BTreeSet::new();
                let first = *revision;
                all.push((
                    parent,
                    Consequence {
                        depth,
                        by,
                        verb,
                        kind,
                        objects,
                        writes: 0,
                        first,
                        varies: false,
                        waited: false,
                    },
                ));
                all.len() - 1
            });
            if let Some((_, consequence)) = all.get_mut(at) {
                consequence.writes += 1;
                consequence.varies |= self.why(consequence.first) != self.why(*revision);
                consequence.waited |= self.waited(*revision);
                consequence.objects.insert(step.write.object.clone());
            }
            of.insert(*revision, at);
        }
        let mut counts: Vec<(Rc<str>, usize)> = counts.into_iter().collect();
        order::sort_by_key(&mut counts, |(_, n)| std::cmp::Reverse(*n));
        Summary { counts, outline: in_order(all) }
    }
}

/// Consequences so that each stands before what followed from it. Their depth is bounded, and no consequence stands before
/// what it followed from.
fn in_order(all: Vec<(Option<usize>, Consequence)>) -> Vec<Consequence> {
    let mut then: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for (at, (parent, _)) in all.iter().enumerate() {
        then.entry(*parent).or_default().push(at);
    }
    let mut all: Vec<Option<Consequence>> = all.into_iter().map(|(_, c)| Some(c)).collect();
    let mut waiting: Vec<usize> = then.remove(&None).unwrap_or_default().into_iter().rev().collect();
    let mut out = Vec::with_capacity(all.len());
    while let Some(at) = waiting.pop() {
        out.extend(all.get_mut(at).and_then(Option::take));
        waiting.extend(then.remove(&Some(at)).unwrap_or_default().into_iter().rev());
    }
    out
}
