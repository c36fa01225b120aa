//! The steps of a run, as a page of text tells them.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::{Kind, ObjectRef};
use crate::session::view::{FieldChange, Happened, field_changes};
use crate::session::{MomentId, Session};

/// The most steps that are told.
pub const STEPS_LIMIT: usize = 400;
/// The most fields that are named of one object.
const FIELDS: usize = 6;

/// A step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepTold {
    /// Its number, counted from the beginning.
    pub number: usize,
    /// Virtual milliseconds since the beginning.
    pub time: i64,
    /// A component's name, or `you`.
    pub by: Option<Rc<str>>,
    /// What happened, and why.
    pub happened: Happened,
    /// The objects that were written, events aside.
    pub written: Vec<Written>,
}

/// What a step did to an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Written {
    /// The object.
    pub object: ObjectRef,
    /// Whether it was there before, and is there after.
    pub was: bool,
    /// Whether it is there after the step.
    pub is: bool,
    /// The fields that changed, the first few of them.
    pub changes: Vec<FieldChange>,
    /// How many more fields changed.
    pub more: usize,
}

/// The steps from a moment to the end of the branch that is shown, and how many there are after the last one told.
pub fn steps(session: &Session, from: MomentId) -> (Vec<StepTold>, usize) {
    let line: Vec<MomentId> =
        session.timeline().iter().copied().skip_while(|id| *id != from).skip(1).collect();
    let begins = session.cluster_at(from).map(|c| c.now());
    let mut out = Vec::new();
    let mut passing = session.cluster_at(from);
    for (nth, id) in line.iter().take(STEPS_LIMIT).enumerate() {
        let Some(moment) = session.moment(*id) else { continue };
        if let Some(cluster) = &mut passing {
            session.redo_on(*id, cluster);
        }
        let now = passing.as_ref().map(|c| c.now());
        let time = now.zip(begins).map_or(0, |(now, then)| now.as_millisecond() - then.as_millisecond());
        let mut written: Vec<Written> = Vec::new();
        for w in moment.writes().into_iter().filter(|w| w.object.kind != Kind::EVENT) {
            let mut changes = match (&w.prev, &w.next) {
                (Some(old), Some(new)) => field_changes(old, new),
                _ => Vec::new(),
            };
            let more = changes.len().saturating_sub(FIELDS);
            changes.truncate(FIELDS);
            let (was, is) = (w.prev.is_some(), w.next.is_some());
            written.push(Written { object: w.object.clone(), was, is, changes, more });
        }
        let by = moment.by(session.cluster());
        out.push(StepTold { number: nth + 1, time, by, happened: Happened::of(moment), written });
    }
    (out, line.len().saturating_sub(STEPS_LIMIT))
}
