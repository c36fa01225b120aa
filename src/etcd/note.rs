//! Notes about who wrote a value. The API server works out the managed fields of an object from them when
//! they are asked for. Real etcd has these fields in the object; here the notes are beside it, and cost a
//! pointer as long as nobody asks.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::api::{Kind, Manager, Object, Timestamp};

/// The managed fields worked out from a note, kept for the next time. They add nothing to the note, so all
/// memos are equal.
#[derive(Clone, Debug, Default)]
pub struct Memo(OnceCell<Rc<[Manager]>>);

impl PartialEq for Memo {
    fn eq(&self, _: &Memo) -> bool {
        true
    }
}

/// A write to a key, with the writes before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// The field manager that wrote.
    pub manager: Rc<str>,
    /// The kind, in the version of the request.
    pub kind: Kind,
    /// The subresource that was written; empty for the object itself.
    pub subresource: &'static str,
    /// The time of the write.
    pub time: Timestamp,
    /// The revision of the write.
    pub revision: u64,
    /// The object before the write; `None` if it did not exist.
    pub before: Option<Object>,
    /// The object as it was written, without what admission and the kind's strategy added to it, which has no field
    /// manager.
    pub after: Object,
    /// Whether a component of the cluster wrote it, not a person.
    pub component: bool,
    /// The field managers after this write, if they do not follow from the writes.
    pub decided: Option<Rc<[Manager]>>,
    /// The field managers after this write, once they have been worked out.
    pub worked_out: Memo,
    /// The note about the write before this one.
    pub previous: Option<Rc<Note>>,
    /// The number of notes, this one included.
    pub count: usize,
}

impl Note {
    /// Whether the same component made both writes to the same subresource.
    fn continues(&self, earlier: &Note) -> bool {
        self.component
            && earlier.component
            && self.manager == earlier.manager
            && self.subresource == earlier.subresource
    }

    /// This note after earlier ones. Every note holds a whole version of the object, and each pod has many
    /// status reports. So of a component's writes in a row, such as heartbeats, two notes are kept, and of
    /// its status reports one. The cost: a field that a dropped write changed, and a later one changed back,
    /// is not known to be the component's.
    #[must_use]
    pub(super) fn after(mut self, earlier: Option<Rc<Note>>) -> Rc<Note> {
        if self.decided.is_some() {
            return Rc::new(self);
        }
        self.previous = earlier;
        if let Some(last) = self.previous.clone()
            && self.continues(&last)
        {
            let one_before = last.previous.as_ref();
            if self.subresource == "status" || one_before.is_some_and(|n| self.continues(n)) {
                self.before.clone_from(&last.before);
                self.previous.clone_from(&last.previous);
            }
        }
        self.count = 1 + self.previous.as_ref().map_or(0, |n| n.count);
        Rc::new(self)
    }

    /// The field managers after this write. `update` changes the managers before a write into those after
    /// it.
    pub fn managers(&self, update: fn(&mut Vec<Manager>, &Note)) -> Rc<[Manager]> {
        let mut later = Vec::new();
        let mut at = Some(self);
        let mut managers = Vec::new();
        while let Some(note) = at {
            if let Some(known) = note.decided.as_ref().or_else(|| note.worked_out.0.get()) {
                if later.is_empty() {
                    return known.clone();
                }
                managers = known.to_vec();
                break;
            }
            later.push(note);
            at = note.previous.as_deref();
        }
        for note in later.into_iter().rev() {
            update(&mut managers, note);
        }
        self.worked_out.0.get_or_init(|| managers.into()).clone()
    }
}
