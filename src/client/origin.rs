//! What a sync followed from: [`Origin`].

use crate::api::Object;
use crate::api::types::ObjectMeta;

/// How many revisions are kept. Of a sync that follows from more writes the newest are.
const MOST: usize = 8;

/// What a sync followed from: the writes that its component heard of since it last took the key, and whether a planned
/// moment came. It says what *enabled* a command: client-go keeps no such thing, as it decides nothing. A default one
/// is that of a component that has just started, and of what a person does to a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The revisions in ascending order; only the first `len` count. The array is inline: a queue's map is copied often.
    revisions: [u64; MOST],
    len: u8,
    /// Whether a moment came for which the key was planned.
    pub planned: bool,
}

impl Origin {
    /// The origin of what follows from nothing that is known.
    pub const NONE: Origin = Origin { revisions: [0; MOST], len: 0, planned: false };

    /// The origin of what follows from a write.
    pub fn write(revision: u64) -> Origin {
        let mut origin = Origin::NONE;
        origin.insert(revision);
        origin
    }

    /// The origin of what was planned, when its moment has come.
    pub(super) fn then_planned(self) -> Origin {
        Origin { planned: true, ..self }
    }

    /// The revisions of the writes, in ascending order, at most the newest eight.
    pub fn revisions(&self) -> &[u64] {
        self.revisions.get(..usize::from(self.len)).unwrap_or_default()
    }

    /// The origin of what follows from hearing of an object.
    pub(super) fn heard(object: Option<&Object>) -> Origin {
        object.and_then(|o| revision(o.meta())).map(Origin::write).unwrap_or_default()
    }

    /// Adds another origin.
    pub(super) fn add(&mut self, other: &Origin) {
        self.planned |= other.planned;
        other.revisions().iter().for_each(|revision| self.insert(*revision));
    }

    fn insert(&mut self, revision: u64) {
        let Err(mut at) = self.revisions().binary_search(&revision) else { return };
        if self.revisions().len() < MOST {
            self.len += 1;
        } else if at == 0 {
            return;
        } else {
            // The oldest makes room.
            self.revisions.rotate_left(1);
            at -= 1;
        }
        if let Some(from) = self.revisions.get_mut(at..usize::from(self.len)) {
            from.rotate_right(1);
            if let Some(place) = from.first_mut() {
                *place = revision;
            }
        }
    }
}

/// The revision of the write that an object with this metadata comes from.
pub(super) fn revision(meta: &ObjectMeta) -> Option<u64> {
    meta.resource_version.as_deref()?.parse().ok()
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
