//! Who wrote a value: what the API server needs to work out, when somebody asks, which fields of an
//! object belong to whom. Real etcd keeps that inside the object; here it is beside it, and costs a
//! pointer as long as nobody asks.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::api::{Kind, Manager, Object, Timestamp};

/// What was worked out of a note when somebody asked; it says nothing that the note does not.
#[derive(Clone, Debug, Default)]
pub struct Memo(OnceCell<Rc<[Manager]>>);

impl PartialEq for Memo {
    fn eq(&self, _: &Memo) -> bool {
        true
    }
}

/// A write to a record, with those before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Who wrote.
    pub manager: Rc<str>,
    /// The kind, in the version that the request spoke of it.
    pub kind: Kind,
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
    /// The owners after it, where they do not follow from the writes.
    pub decided: Option<Rc<[Manager]>>,
    /// The owners after it, once they were worked out.
    pub worked_out: Memo,
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

    /// The same after a binding of a pod that a component made: the version before need not be kept.
    #[must_use]
    pub(super) fn bound(&self, after: Object) -> Rc<Note> {
        Rc::new(Note { after, bound: true, worked_out: Memo::default(), ..self.clone() })
    }

    /// The owners after this write: `update` says what each write makes of those before it.
    pub fn owners(&self, update: fn(&mut Vec<Manager>, &Note)) -> Rc<[Manager]> {
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
