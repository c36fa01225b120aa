//! The pictures of a run, one for each step.

use std::collections::BTreeSet;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::{Kind, ObjectRef};
use crate::session::view::Happened;
use crate::session::view::graph::{Drawing, Graph};
use crate::session::{MomentId, Session, What};

/// The most pictures of a run. Of a longer run, steps are left out evenly.
pub const FRAMES_LIMIT: usize = 48;

/// A picture of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// The number of the step, counted from the beginning.
    pub number: usize,
    /// The objects.
    pub graph: Rc<Graph>,
    /// Those that the step wrote.
    pub changed: BTreeSet<ObjectRef>,
    /// Who took the step.
    pub by: Option<Rc<str>>,
    /// What happened.
    pub happened: Happened,
}

/// The pictures from a moment to the end of the branch that is shown.
pub fn frames(session: &Session, from: MomentId) -> Vec<Frame> {
    let line: Vec<MomentId> = session.timeline().iter().copied().skip_while(|id| *id != from).collect();
    let (Some(boot), Some(mut cluster)) = (session.boot(), session.cluster_at(from)) else {
        return Vec::new();
    };
    let last = line.len().saturating_sub(1);
    let shown: BTreeSet<usize> = if line.len() <= FRAMES_LIMIT {
        (0..line.len()).collect()
    } else {
        (0..FRAMES_LIMIT).map(|n| n * last / (FRAMES_LIMIT - 1)).collect()
    };
    let mut drawing = Drawing::default();
    let mut out = Vec::with_capacity(shown.len());
    for (number, id) in line.iter().enumerate() {
        let Some(moment) = session.moment(*id) else { continue };
        if number > 0 {
            session.redo_on(*id, &mut cluster);
        }
        if !shown.contains(&number) {
            continue;
        }
        drawing.draw(&cluster, &boot);
        let written = moment.writes().into_iter().map(|w| w.object.clone());
        out.push(Frame {
            number,
            graph: drawing.graph().clone(),
            changed: if number == 0 {
                BTreeSet::new()
            } else {
                written.filter(|o| o.kind != Kind::EVENT).collect()
            },
            by: moment.by(session.cluster()),
            happened: if number == 0 && !matches!(moment.what, What::Import) {
                Happened::Start
            } else {
                Happened::of(moment)
            },
        });
    }
    out
}
