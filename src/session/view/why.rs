//! Why a field of an object is as it is, and what followed from what a person did last, as plain data.

use serde::{Deserialize, Serialize};

use super::causes::{self, Cause, Causes, Step};
use super::changes::FieldChange;
use super::happened::{Happened, Issued, RequestWords};
use super::history::telling_changes;
use super::lines::FieldId;
use super::{Reason, Word};
use crate::api::{Kind, ObjectRef};
use crate::session::{MomentId, Session};

/// The most links of a chain that are shown.
const LINKS: usize = 60;

/// Why an object, or one of its fields, is as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WhyView {
    /// The line of the field in the object's YAML, without indentation; empty for the object's last write.
    pub line: String,
    /// The writes that led to it, the last one first. The last link is what a person did, or the cluster's start.
    pub chain: Vec<WhyLink>,
    /// How many links were left out before the last one.
    pub more: usize,
}

/// A write on the way to a value, or what all of it began with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WhyLink {
    /// The moment of the write; `None` for the cluster's start.
    pub moment: Option<MomentId>,
    /// That moment's place on the timeline.
    pub place: usize,
    /// What happened there.
    pub happened: Happened,
    /// The object that was written; `None` for a fault and for the cluster's start.
    pub object: Option<ObjectRef>,
    /// The most telling fields that the write changed; none where it created or deleted the object.
    pub changes: Vec<FieldChange>,
    /// Whether time had to pass before the write.
    pub waited: bool,
}

/// Why an object is as it is: a field of it, by [`Line::field`](super::Line::field) and with what `all` its YAML was read; or
/// its last write with `None`.
pub fn why(session: &Session, of: &ObjectRef, field: Option<(FieldId, bool)>) -> WhyView {
    let causes = Causes::new(session);
    let (line, revision) = match field {
        None => (String::new(), causes.last(of)),
        Some((field, all)) => match causes.field(of, field, all) {
            Some(found) => found,
            None => return WhyView::default(),
        },
    };
    let (mut chain, root) = revision.map_or((Vec::new(), Cause::Start), |revision| causes.chain(revision));
    // The last link says what all of it began with.
    let more = chain.len().saturating_sub(LINKS);
    if let Some(last) = chain.pop() {
        chain.truncate(LINKS - 1);
        chain.push(last);
    }
    let mut links: Vec<WhyLink> =
        chain.iter().filter_map(|r| Some(link(&causes, session, *r, causes.step(*r)?))).collect();
    match root {
        Cause::Fault(moment) => links.extend(fault(session, moment)),
        Cause::Start => links.push(WhyLink {
            moment: None,
            place: 0,
            happened: Happened::Start,
            object: None,
            changes: Vec::new(),
            waited: false,
        }),
        Cause::Person | Cause::Write(_) => {}
    }
    WhyView { line, chain: links, more }
}

fn link(causes: &Causes<'_>, session: &Session, revision: u64, step: &Step<'_>) -> WhyLink {
    let happened = match (step.request, session.moment(step.moment)) {
        (Some(sent), _) => Happened::Issued(Box::new(issued(causes, step, sent)), 0),
        (None, Some(moment)) => Happened::of(moment),
        (None, None) => Happened::Start,
    };
    let changes = match (&step.write.prev, &step.write.next) {
        (Some(prev), Some(next)) => telling_changes(prev, next).0,
        _ => Vec::new(),
    };
    WhyLink {
        moment: Some(step.moment),
        place: step.place,
        happened,
        object: Some(step.write.object.clone()),
        changes,
        waited: causes.waited(revision),
    }
}

/// A component's write as a command, where the run was stepped by single actions, too.
fn issued(causes: &Causes<'_>, step: &Step<'_>, sent: causes::Sent<'_>) -> Issued {
    if let Some(command) = sent.command {
        return Issued::of(command);
    }
    let object = &step.write.object;
    let request = RequestWords {
        verb: Word::new_static(step.write.verb.as_str()),
        object: format!("{} {}", object.kind.as_str(), object.key.name),
    };
    Issued { by: causes.by(step), request, code: 200, why: sent.why.map(Reason::of), event: None }
}

fn fault(session: &Session, moment: MomentId) -> Option<WhyLink> {
    let place = session.timeline().iter().position(|id| *id == moment)?;
    let happened = Happened::of(session.moment(moment)?);
    let (object, changes) = (None, Vec::new());
    Some(WhyLink { moment: Some(moment), place, happened, object, changes, waited: false })
}

/// What followed from the last thing that a person did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SummaryView {
    /// What the person did, and the moment; `None` if nobody did anything.
    pub deed: Option<(MomentId, Happened)>,
    /// How many writes of each component followed, events not counted, most first.
    pub counts: Vec<(Word, usize)>,
    /// What followed, each before what followed from it.
    pub outline: Vec<ConsequenceView>,
    /// How many lines of the outline were left out.
    pub more: usize,
    /// Whether there is no summary because too much happened since.
    pub too_long: bool,
}

/// Writes of one component that did the same for the same reason, and followed from the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConsequenceView {
    /// How many steps away from what the person did: 0 is the person's own write, and 11 the most.
    pub depth: usize,
    /// The moment of the first write.
    pub moment: MomentId,
    /// The component, or `you`.
    pub by: Word,
    /// The verb and subresource, for example `update/status`.
    pub verb: Word,
    /// The kind of the objects.
    pub kind: Kind,
    /// The first of the written objects.
    pub object: Option<ObjectRef>,
    /// How many objects.
    pub objects: usize,
    /// How many writes.
    pub writes: usize,
    /// Why the first of them was issued, if its sync said so.
    pub why: Option<Reason>,
    /// The object of the first of them, if the others have other reasons.
    pub why_of: Option<ObjectRef>,
    /// Whether time had to pass before any of them.
    pub waited: bool,
}

/// The most lines of an outline.
const OUTLINE: usize = 200;

/// What followed from the last thing that a person did before the current moment.
pub fn summary(session: &Session) -> SummaryView {
    let Some(deed) = causes::last_deed(session) else { return SummaryView::default() };
    let told = session.moment(deed.moment).map(|m| (deed.moment, Happened::of(m)));
    if deed.moments > causes::MOMENTS {
        return SummaryView { deed: told, too_long: true, ..SummaryView::default() };
    }
    let causes = Causes::new(session);
    let found = causes.summary(deed);
    SummaryView {
        deed: told,
        counts: found.counts.into_iter().map(|(by, n)| (Word::from(&*by), n)).collect(),
        more: found.outline.len().saturating_sub(OUTLINE),
        outline: found.outline.iter().take(OUTLINE).map(|c| consequence(&causes, c)).collect(),
        too_long: false,
    }
}

fn consequence(causes: &Causes<'_>, of: &causes::Consequence) -> ConsequenceView {
    let step = causes.step(of.first);
    ConsequenceView {
        depth: of.depth,
        moment: step.map_or(0, |s| s.moment),
        by: Word::from(&*of.by),
        verb: Word::from(of.verb.as_str()),
        kind: of.kind,
        object: of.objects.first().cloned(),
        objects: of.objects.len(),
        writes: of.writes,
        why: step.and_then(|s| s.request).and_then(|sent| sent.why).map(Reason::of),
        why_of: step.filter(|_| of.varies).map(|s| s.write.object.clone()),
        waited: of.waited,
    }
}
