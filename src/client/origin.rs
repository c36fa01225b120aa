//! What a sync followed from: [`Origin`].

use std::rc::Rc;

use crate::api::Object;

/// How many revisions are kept. Of a sync that follows from more writes the newest are.
const MOST: usize = 8;

/// What a sync followed from: the writes that its component heard of since it last took the key, and whether a planned
/// moment came. It says what *enabled* a command: client-go keeps no such thing, as it decides nothing. A default one
/// is that of a component that has just started, and of what a person does to a component.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    revisions: Revisions,
    /// Whether a moment came for which the key was planned.
    pub planned: bool,
}

/// Revisions in ascending order, each once. They are small, because every clone of a cluster shares a queue's map with it and
/// copies the parts of it that are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Revisions {
    #[default]
    None,
    One(u64),
    /// At least two.
    Many(Rc<[u64]>),
}

impl Origin {
    /// The origin of what follows from nothing that is known.
    pub const NONE: Origin = Origin { revisions: Revisions::None, planned: false };

    /// The origin of what follows from a write.
    pub fn write(revision: u64) -> Origin {
        Origin { revisions: Revisions::One(revision), planned: false }
    }

    /// The origin of what was planned, when its moment has come.
    pub(super) fn then_planned(self) -> Origin {
        Origin { planned: true, ..self }
    }

    /// The revisions of the writes, in ascending order, at most the newest eight.
    pub fn revisions(&self) -> &[u64] {
        match &self.revisions {
            Revisions::None => &[],
            Revisions::One(revision) => std::slice::from_ref(revision),
            Revisions::Many(all) => all,
        }
    }

    /// The origin of what follows from hearing of an object.
    pub(super) fn heard(object: Option<&Object>) -> Origin {
        object.and_then(|o| o.revision()).map(Origin::write).unwrap_or_default()
    }

    /// Adds another origin.
    pub(super) fn add(&mut self, other: &Origin) {
        self.planned |= other.planned;
        let (mine, theirs) = (self.revisions(), other.revisions());
        if theirs.iter().all(|revision| mine.contains(revision)) {
            return;
        }
        if mine.is_empty() {
            self.revisions = other.revisions.clone();
            return;
        }
        let mut all = [mine, theirs].concat();
        all.sort_unstable();
        all.dedup();
        // The oldest make room.
        let from = all.len().saturating_sub(MOST);
        self.revisions = Revisions::Many(all.split_off(from).into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_revisions_are_kept_each_once_and_in_order() {
        let mut origin = Origin::default();
        for revision in [5, 3, 5, 12, 4, 6, 7, 8, 9, 10, 2, 11] {
            origin.add(&Origin::write(revision));
        }
        assert_eq!(origin.revisions(), [5, 6, 7, 8, 9, 10, 11, 12]);
        assert!(!origin.planned);
        origin.add(&Origin { planned: true, ..Origin::NONE });
        assert!(origin.planned);
    }
}
