//! A link that is made again and again while its run goes on: [`Drafts`].

use super::names::to_link;
use super::{Link, LinkOp, push};
use crate::session::{MomentId, Session};

/// The ops of one branch of a session as they are in a link. They are kept from one link to the next, so that a link
/// costs what the run has grown by since the last one. A `Drafts` belongs to one session.
#[derive(Clone, Debug, Default)]
pub struct Drafts {
    /// The last moment whose op is among `ops`.
    tip: MomentId,
    ops: Vec<LinkOp>,
}

impl Drafts {
    /// As [`Link::draft`].
    pub fn link(&mut self, session: &Session) -> Link {
        let line = session.timeline();
        let tip = line.last().copied().unwrap_or_default();
        let new = session.ops_between(self.tip, tip).unwrap_or_else(|| {
            self.ops.clear();
            session.ops(tip)
        });
        self.tip = tip;
        for op in new {
            // Processes are never removed, so the names of now are valid for earlier moments.
            let Some(op) = to_link(&op, session.cluster()) else { continue };
            push(&mut self.ops, op);
        }
        let at = line.iter().position(|m| *m == session.at()).filter(|p| *p + 1 != line.len());
        Link::with(session, self.ops.clone(), at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Depth, Start};

    #[test]
    fn what_is_kept_of_an_earlier_link_changes_nothing() {
        let mut s = Session::new(Start::default());
        let mut drafts = Drafts::default();
        let mut same = |s: &Session| assert_eq!(drafts.link(s), Link::draft(s));
        same(&s);
        s.apply(&crate::session::scenario::all().remove(0).manifest);
        same(&s);
        for _ in 0..5 {
            s.step(Depth::Command, None);
            same(&s);
        }
        s.back();
        s.back();
        same(&s);
        // Another branch, shorter than the one before.
        s.step(Depth::Machinery, None);
        same(&s);
        s.step(Depth::Reconcile, None);
        s.step(Depth::Command, None);
        same(&s);
        assert!(s.timeline().len() > 3);
    }
}
