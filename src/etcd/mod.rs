//! The store: revisions, history, compaction. Only [`apiserver`](crate::apiserver) talks to it.
//!
//! A value of etcd here is an [`Object`], not bytes; apart from that it is etcd: one revision
//! counter for the whole store, a log of what every revision changed, and compaction that
//! forgets the old end of the log. Cloning a store costs a few pointers.
//!
//! ```
//! use steady::{api::{Kind, Object, ObjectRef}, etcd::Etcd};
//! let mut etcd = Etcd::default();
//! let object = Object::from_value(Kind::CONFIG_MAP, serde_json::json!({"metadata": {"name": "c"}})).unwrap();
//! let before = etcd.clone();
//! etcd.put(object.reference(), object.clone());
//! assert_eq!(etcd.revision(), 1);
//! assert!(before.get(&object.reference()).is_none());
//! ```

mod note;
mod raft;

use std::ops::Bound;
use std::rc::Rc;

use crate::api::persistent::{Map, Vector};
use crate::api::{Key, Kind, Object, ObjectRef};
pub use note::{Memo, Note};
pub use raft::{LogEnd, Member, Raft, Role};

/// How many revisions the log keeps before the oldest are compacted. Real API servers compact by
/// age (every five minutes); here the bound is memory.
pub const LOG_LIMIT: usize = 10_000;

/// A stored object and when it came to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The object, `resourceVersion` set.
    pub object: Object,
    /// The revision that created the key.
    pub create_revision: u64,
    /// The revision that wrote this value.
    pub mod_revision: u64,
    /// Who wrote it, as far as it was said.
    pub notes: Option<Rc<Note>>,
}

/// What one revision changed.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    /// The revision.
    pub revision: u64,
    /// Which key.
    pub key: ObjectRef,
    /// The value before; `None` if the key was not there.
    pub prev: Option<Object>,
    /// The value after; `None` if the key was deleted.
    pub next: Option<Object>,
    /// Who had written the value before.
    pub prev_notes: Option<Rc<Note>>,
    /// Who has written the value after.
    pub next_notes: Option<Rc<Note>>,
}

/// The revision asked for is no longer in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compacted {
    /// Everything up to this revision is gone.
    pub compacted: u64,
}

/// The store.
#[derive(Clone, Debug, Default)]
pub struct Etcd {
    revision: u64,
    compacted: u64,
    data: Map<ObjectRef, Record>,
    log: Vector<LogEntry>,
    raft: Rc<Raft>,
}

impl Etcd {
    /// A store of so many members that holds nothing.
    pub fn with_members(members: usize) -> Etcd {
        Etcd { raft: Rc::new(Raft::new(members)), ..Etcd::default() }
    }

    /// Its members.
    pub fn raft(&self) -> &Raft {
        &self.raft
    }

    /// Its members, for something to happen to them.
    pub fn raft_mut(&mut self) -> &mut Raft {
        Rc::make_mut(&mut self.raft)
    }

    /// The members, in order: what each is, and what it has.
    pub fn members(&self) -> Vec<Member> {
        self.raft.members(self.revision)
    }

    /// The revision of the last write.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The revision up to which history is forgotten.
    pub fn compacted(&self) -> u64 {
        self.compacted
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// One key.
    pub fn get(&self, key: &ObjectRef) -> Option<&Record> {
        self.data.get(key)
    }

    /// All keys of a kind, or those of it in one namespace, in key order.
    pub fn range<'a>(
        &'a self,
        kind: Kind,
        namespace: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a ObjectRef, &'a Record)> + 'a {
        range(&self.data, kind, namespace)
    }

    /// Every key.
    pub fn iter(&self) -> impl Iterator<Item = (&ObjectRef, &Record)> {
        self.data.iter()
    }

    /// Every key after this one; every key, if there is none.
    pub fn iter_after(&self, key: Option<ObjectRef>) -> impl Iterator<Item = (&ObjectRef, &Record)> {
        let from = key.map_or(Bound::Unbounded, Bound::Excluded);
        self.data.range((from, Bound::Unbounded))
    }

    /// The keys of a kind in one namespace whose names begin so, in key order.
    pub fn named<'a>(
        &'a self,
        kind: Kind,
        namespace: &'a str,
        prefix: &'a str,
    ) -> impl Iterator<Item = (&'a ObjectRef, &'a Record)> + 'a {
        let from = ObjectRef { kind, key: Key::new(namespace, prefix) };
        self.data.range((Bound::Included(from), Bound::Unbounded)).take_while(move |(k, _)| {
            k.kind == kind && &*k.key.namespace == namespace && k.key.name.starts_with(prefix)
        })
    }

    /// Writes a value and returns the revision.
    pub fn put(&mut self, key: ObjectRef, object: Object) -> u64 {
        self.put_noted(key, object, None);
        self.revision
    }

    /// The same with a note of who writes; how many notes there are now.
    pub fn put_noted(&mut self, key: ObjectRef, object: Object, note: Option<Note>) -> usize {
        let mut count = 0;
        self.revision += 1;
        let revision = self.revision;
        let (prev_notes, next_notes);
        // One look at the tree: a comparison of keys costs more than anything else here.
        let prev = match self.data.get_mut(&key) {
            Some(record) => {
                record.mod_revision = revision;
                prev_notes = record.notes.clone();
                if let Some(note) = note {
                    let note = note.after(record.notes.take());
                    count = note.count;
                    record.notes = Some(note);
                }
                next_notes = record.notes.clone();
                Some(std::mem::replace(&mut record.object, object.clone()))
            }
            None => {
                self.revision -= 1;
                return self.create_noted(key, object, note);
            }
        };
        self.append(LogEntry { revision, key, prev, next: Some(object), prev_notes, next_notes });
        count
    }

    /// The same for a key that is known not to be there.
    pub fn create_noted(&mut self, key: ObjectRef, object: Object, note: Option<Note>) -> usize {
        self.revision += 1;
        let revision = self.revision;
        let record = Record {
            object: object.clone(),
            create_revision: revision,
            mod_revision: revision,
            notes: note.map(|n| n.after(None)),
        };
        let next_notes = record.notes.clone();
        let count = usize::from(next_notes.is_some());
        self.data.insert(key.clone(), record);
        self.append(LogEntry { revision, key, prev: None, next: Some(object), prev_notes: None, next_notes });
        count
    }

    /// A pod was bound: the note of its creation by a component is from now on about the pod as it is.
    pub fn note_binding(&mut self, key: &ObjectRef) {
        if let Some(record) = self.data.get_mut(key)
            && let Some(note) = &record.notes
            && note.component
            && note.before.is_none()
        {
            record.notes = Some(note.bound(record.object.clone()));
        }
    }

    /// Puts one note in place of all about a key.
    pub fn replace_notes(&mut self, key: &ObjectRef, note: Note) {
        if let Some(record) = self.data.get_mut(key) {
            record.notes = Some(Rc::new(note));
        }
    }

    /// Who has written an object as it was when it had its `resourceVersion`, as far as that is kept.
    pub fn notes_of(&self, object: &Object) -> Option<&Rc<Note>> {
        let at = object.reference();
        let revision = object.meta().resource_version.as_deref().and_then(|v| v.parse::<u64>().ok());
        let record = self.data.get(&at);
        let Some(revision) = revision else { return record?.notes.as_ref() };
        if let Some(record) = record.filter(|r| r.mod_revision == revision) {
            return record.notes.as_ref();
        }
        let entry = revision.checked_sub(self.compacted + 1).and_then(|n| usize::try_from(n).ok());
        let entry = entry.and_then(|n| self.log.get(n)).filter(|e| e.key == at);
        match entry {
            Some(e) if e.next.is_some() => e.next_notes.as_ref(),
            Some(e) => e.prev_notes.as_ref(),
            // It is older than what the log still has: whoever wrote it next replaced it.
            None => match self.log.iter().find(|e| e.revision > revision && e.key == at) {
                Some(e) => e.prev_notes.as_ref(),
                None => record?.notes.as_ref(),
            },
        }
    }

    /// Deletes a key; the new revision, or `None` if it was not there.
    pub fn delete(&mut self, key: &ObjectRef) -> Option<u64> {
        let old = self.data.remove(key)?;
        self.revision += 1;
        let revision = self.revision;
        self.append(LogEntry {
            revision,
            key: key.clone(),
            prev: Some(old.object),
            next: None,
            prev_notes: old.notes,
            next_notes: None,
        });
        Some(revision)
    }

    /// What happened after `revision`, oldest first.
    ///
    /// # Errors
    /// If part of it was compacted.
    pub fn since(&self, revision: u64) -> Result<impl Iterator<Item = &LogEntry>, Compacted> {
        if revision < self.compacted {
            return Err(Compacted { compacted: self.compacted });
        }
        // Revisions are consecutive, so the place in the log is a subtraction.
        let skip = usize::try_from(revision - self.compacted).unwrap_or(usize::MAX).min(self.log.len());
        Ok(self.log.iter().skip(skip))
    }

    /// What the last revisions changed, newest first.
    pub fn recent(&self) -> impl Iterator<Item = &LogEntry> {
        self.log.iter().rev()
    }

    /// The keys as they are now. The copy shares the tree.
    pub fn snapshot(&self) -> Map<ObjectRef, Record> {
        self.data.clone()
    }

    /// The keys as they were at `revision`.
    ///
    /// # Errors
    /// If that revision was compacted.
    pub fn at(&self, revision: u64) -> Result<Map<ObjectRef, Record>, Compacted> {
        let mut data = self.data.clone();
        let undo: Vec<&LogEntry> = self.since(revision)?.collect();
        for e in undo.into_iter().rev() {
            match &e.prev {
                Some(object) => {
                    let mod_revision =
                        object.meta().resource_version.as_deref().and_then(|v| v.parse().ok()).unwrap_or(0);
                    let record = Record {
                        object: object.clone(),
                        create_revision: 0,
                        mod_revision,
                        notes: e.prev_notes.clone(),
                    };
                    data.insert(e.key.clone(), record);
                }
                None => {
                    data.remove(&e.key);
                }
            }
        }
        Ok(data)
    }

    /// Forgets history up to and including `revision`.
    pub fn compact(&mut self, revision: u64) {
        let revision = revision.min(self.revision);
        if revision > self.compacted {
            let n = usize::try_from(revision - self.compacted).unwrap_or(usize::MAX).min(self.log.len());
            self.log = self.log.skip(n);
            self.compacted = revision;
        }
    }

    fn append(&mut self, entry: LogEntry) {
        self.log.push_back(entry);
        if self.log.len() > LOG_LIMIT {
            self.log.pop_front();
            self.compacted += 1;
        }
    }
}

/// The keys of a kind, or those of it in one namespace.
pub fn range<'a>(
    data: &'a Map<ObjectRef, Record>,
    kind: Kind,
    namespace: Option<&'a str>,
) -> impl Iterator<Item = (&'a ObjectRef, &'a Record)> + 'a {
    let from = ObjectRef { kind, key: Key::new(namespace.unwrap_or_default(), "") };
    data.range((Bound::Included(from), Bound::Unbounded))
        .take_while(move |(k, _)| k.kind == kind && namespace.is_none_or(|n| &*k.key.namespace == n))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn cm(name: &str, v: &str) -> Object {
        Object::from_value(
            Kind::CONFIG_MAP,
            json!({"metadata": {"name": name, "namespace": "d"}, "data": {"v": v}}),
        )
        .unwrap()
    }

    #[test]
    fn history_can_be_read_back_until_it_is_compacted() {
        let mut e = Etcd::default();
        for i in 0..5 {
            let o = cm("a", &i.to_string());
            e.put(o.reference(), o);
        }
        let b = cm("b", "x");
        e.put(b.reference(), b.clone());
        e.delete(&cm("a", "").reference()).unwrap();
        assert_eq!(e.revision(), 7);
        assert_eq!(e.since(5).unwrap().count(), 2);
        let at3 = e.at(3).unwrap();
        assert_eq!(at3.get(&cm("a", "").reference()).unwrap().object, cm("a", "2"));
        assert!(!at3.contains_key(&b.reference()));
        e.compact(4);
        assert_eq!(e.since(3).err(), Some(Compacted { compacted: 4 }));
        assert_eq!(e.since(4).unwrap().next().unwrap().revision, 5);
    }

    #[test]
    fn a_range_ends_with_its_kind_and_namespace() {
        let mut e = Etcd::default();
        for n in ["a", "b"] {
            let o = cm(n, "");
            e.put(o.reference(), o);
        }
        assert_eq!(e.range(Kind::CONFIG_MAP, Some("d")).count(), 2);
        assert_eq!(e.range(Kind::CONFIG_MAP, Some("c")).count(), 0);
        assert_eq!(e.range(Kind::NAMESPACE, None).count(), 0);
    }
}
