//! The branch that is shown, moment by moment, and the branches that leave it.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::Happened;
use crate::session::{MomentId, Session, What};

/// A moment of the timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The moment.
    pub moment: MomentId,
    /// The one who led to it: a component's name, or `you`; `None` for the start.
    pub by: Option<Rc<str>>,
    /// Whether a person did it.
    pub person: bool,
    /// Whether other branches begin here.
    pub fork: bool,
}

/// A branch that is not shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    /// The step of the timeline at which it leaves the branch that is shown.
    pub place: usize,
    /// The moment that it begins with.
    pub moment: MomentId,
    /// The step that led to that moment.
    pub happened: Happened,
    /// The number of moments of the branch.
    pub length: usize,
}

/// Brings the marks of the timeline up to date. They are only copied if there is another holder of the `Rc`.
pub fn follow_marks(session: &Session, marks: &mut Rc<Vec<Mark>>) {
    let line = session.timeline();
    // The last moment of a branch says which moments come before it.
    let extends = marks.last().is_some_and(|last| line.get(marks.len() - 1) == Some(&last.moment));
    if !(extends && marks.len() == line.len()) {
        let marks = Rc::make_mut(marks);
        if !extends {
            marks.clear();
        }
        let fresh = line.iter().skip(marks.len());
        marks.extend(fresh.filter_map(|id| mark(session, *id)));
    }
    // A moment that had one after it may have become a fork since.
    for fork in session.forks() {
        let Ok(place) = marks.binary_search_by(|m| m.moment.cmp(&fork)) else { continue };
        if !marks[place].fork {
            Rc::make_mut(marks)[place].fork = true;
        }
    }
}

fn mark(session: &Session, id: MomentId) -> Option<Mark> {
    let moment = session.moment(id)?;
    let person = matches!(moment.what, What::Start | What::Import | What::Person { .. });
    Some(Mark { moment: id, by: moment.by(session.cluster()), person, fork: moment.children.len() > 1 })
}

/// The branches that leave the timeline of these marks.
pub fn branches(session: &Session, marks: &[Mark]) -> Vec<Branch> {
    let mut out = Vec::new();
    for (place, mark) in marks.iter().enumerate().filter(|(_, m)| m.fork) {
        let shown = marks.get(place + 1).map(|m| m.moment);
        let children = session.moment(mark.moment).map_or(&[][..], |m| &m.children);
        for child in children.iter().copied().filter(|c| Some(*c) != shown) {
            let Some(first) = session.moment(child) else { continue };
            let mut length = 1;
            let mut end = first;
            while let Some(next) = end.children.last().and_then(|c| session.moment(*c)) {
                end = next;
                length += 1;
            }
            out.push(Branch { place, moment: child, happened: Happened::of(first), length });
        }
    }
    out
}
