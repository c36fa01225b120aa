//! Who wrote a value: what the API server needs to work out, when somebody asks, which fields of an
//! object belong to whom. Real etcd keeps that inside the object; here it is beside it, and costs a
//! pointer as long as nobody asks.

use std::rc::Rc;

use crate::api::{Object, Timestamp};

/// A write to a record, with those before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Who wrote.
    pub manager: Rc<str>,
    /// Through which subresource; empty for the object itself.
    pub subresource: &'static str,
    /// When.
    pub time: Timestamp,
    /// The revision it made.
    pub revision: u64,
    /// The object before; `None` if there was none.
    pub before: Option<Object>,
    /// The object as it was written.
    pub after: Object,
    /// Whether a component of the cluster wrote it, not a person.
    pub component: bool,
    /// Whether `after` is the object as a binding left it since, which gives nobody a field.
    pub bound: bool,
    /// The write before it.
    pub previous: Option<Rc<Note>>,
    /// How many there are, this one included.
    pub count: usize,
}

impl Note {
    /// Whether the same component wrote both, in the same way.
    fn continues(&self, earlier: &Note) -> bool {
        self.component
            && earlier.component
            && self.manager == earlier.manager
            && self.subresource == earlier.subresource
    }

    /// This write after others. Of a component's writes in a row, as heartbeats are, two are kept, and
    /// of its reports of a status one: a field that one of those between changed and changed back is
    /// not known to be theirs. Every version that a note holds is as large as the object, and each pod
    /// has reports.
    #[must_use]
    pub(super) fn after(mut self, earlier: Option<Rc<Note>>) -> Rc<Note> {
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

    /// The same after a binding of a pod that a component made: the version before need not be kept.
    #[must_use]
    pub(super) fn bound(&self, after: Object) -> Rc<Note> {
        Rc::new(Note { after, bound: true, ..self.clone() })
    }

    /// This write and those before it down to a revision, the oldest first.
    pub fn since(&self, revision: u64) -> Vec<&Note> {
        let mut out = Vec::new();
        let mut at = Some(self);
        while let Some(note) = at.filter(|n| n.revision > revision) {
            out.push(note);
            at = note.previous.as_deref();
        }
        out.reverse();
        out
    }
}
