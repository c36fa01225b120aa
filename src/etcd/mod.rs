//! The store: revisions, history, compaction. Only [`apiserver`](crate::apiserver) talks to it.
//!
//! A value here is an [`Object`], not bytes. Apart from that the store is like etcd: one revision counter
//! for the whole store, a log of what every revision changed, and compaction, which drops the oldest entries
//! of the log. Cloning a store costs a few pointers.
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

/// How many revisions the log keeps before the oldest are compacted. Real API servers compact by age (every
/// five minutes); here memory sets the bound.
pub const LOG_LIMIT: usize = 10_000;

/// A stored object with its revisions.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The object with its `resourceVersion`.
    pub object: Object,
    /// The revision that created the key; 0 in a map of [`Etcd::at`] if a later revision has changed the
    /// key.
    pub create_revision: u64,
    /// The revision that wrote this value.
    pub mod_revision: u64,
    /// Who has written the object; `None` if no write was noted.
    pub notes: Option<Rc<Note>>,
}

/// Keys with their records. A write copies the nodes of the tree on the way to its key if an older cluster has them too, and
/// they are smaller with pointers to records.
pub type Records = Map<ObjectRef, Rc<Record>>;

/// What one revision changed.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    /// The revision.
    pub revision: u64,
    /// The key that it changed.
    pub key: ObjectRef,
    /// The value before; `None` if the key did not exist.
    pub prev: Option<Object>,
    /// The value after; `None` if the key was deleted.
    pub next: Option<Object>,
    /// The notes about the value before.
    pub prev_notes: Option<Rc<Note>>,
    /// The notes about the value after.
    pub next_notes: Option<Rc<Note>>,
}

/// The error of a read at a revision that is not in the log any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compacted {
    /// The revision up to which the log is compacted.
    pub compacted: u64,
}

/// The store. Clones share their content.
#[derive(Clone, Debug, Default)]
pub struct Etcd {
    revision: u64,
    compacted: u64,
    data: Records,
    log: Vector<LogEntry>,
    raft: Rc<Raft>,
}

impl Etcd {
    /// An empty store with this many members; 0 counts as 1.
    pub fn with_members(members: usize) -> Etcd {
        Etcd { raft: Rc::new(Raft::new(members)), ..Etcd::default() }
    }

    /// The members of etcd.
    pub fn raft(&self) -> &Raft {
        &self.raft
    }

    /// The members of etcd, to be changed.
    pub fn raft_mut(&mut self) -> &mut Raft {
        Rc::make_mut(&mut self.raft)
    }

    /// The members of etcd in order, each with its role and the end of its log.
    pub fn members(&self) -> Vec<Member> {
        self.raft.members(self.revision)
    }

    /// The revision of the last write; 0 if there was none.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The revision up to which the log is compacted.
    pub fn compacted(&self) -> u64 {
        self.compacted
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether the store has no key.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The record of a key.
    pub fn get(&self, key: &ObjectRef) -> Option<&Record> {
        self.data.get(key).map(|r| &**r)
    }

    /// The keys of a kind, in all namespaces or in one, in order.
    pub fn range<'a>(
        &'a self,
        kind: Kind,
        namespace: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a ObjectRef, &'a Record)> + 'a {
        range(&self.data, kind, namespace)
    }

    /// All keys in order.
    pub fn iter(&self) -> impl Iterator<Item = (&ObjectRef, &Record)> {
        self.data.iter().map(|(key, r)| (key, &**r))
    }

    /// The keys after `key` in order; all keys if it is `None`.
    pub fn iter_after(&self, key: Option<ObjectRef>) -> impl Iterator<Item = (&ObjectRef, &Record)> {
        let from = key.map_or(Bound::Unbounded, Bound::Excluded);
        self.data.range((from, Bound::Unbounded)).map(|(key, r)| (key, &**r))
    }

    /// The keys of a kind in one namespace whose names begin with `prefix`, in order.
    pub fn named<'a>(
        &'a self,
        kind: Kind,
        namespace: &'a str,
        prefix: &'a str,
    ) -> impl Iterator<Item = (&'a ObjectRef, &'a Record)> + 'a {
        let from = ObjectRef { kind, key: Key::new(namespace, prefix) };
        let all = self.data.range((Bound::Included(from), Bound::Unbounded)).map(|(key, r)| (key, &**r));
        all.take_while(move |(k, _)| {
            k.kind == kind && &*k.key.namespace == namespace && k.key.name.starts_with(prefix)
        })
    }

    /// Writes a value. Returns its revision.
    pub fn put(&mut self, key: ObjectRef, object: Object) -> u64 {
        self.put_noted(key, object, None);
        self.revision
    }

    /// Writes a value with a note about the writer. Returns how many notes there are about it now.
    pub fn put_noted(&mut self, key: ObjectRef, object: Object, note: Option<Note>) -> usize {
        let mut count = 0;
        self.revision += 1;
        let revision = self.revision;
        let (prev_notes, next_notes);
        // This is the only look-up in the tree: a comparison of keys costs more than anything else here.
        let prev = match self.data.get_mut(&key) {
            Some(record) => {
                let record = Rc::make_mut(record);
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

    /// Writes a value with a note, as [`Etcd::put_noted`] does, for a key that does not exist.
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
        self.data.insert(key.clone(), Rc::new(record));
        self.append(LogEntry { revision, key, prev: None, next: Some(object), prev_notes: None, next_notes });
        count
    }

    /// Adds a key that was there all the time, with the record that it had: no revision tells of it.
    pub fn reveal(&mut self, key: ObjectRef, record: Record) {
        self.data.insert(key, Rc::new(record));
    }

    /// Replaces all notes about a key by one.
    pub fn replace_notes(&mut self, key: &ObjectRef, note: Note) {
        if let Some(record) = self.data.get_mut(key) {
            Rc::make_mut(record).notes = Some(Rc::new(note));
        }
    }

    /// The notes about an object in the version that its `resourceVersion` names, as far as the log has
    /// them.
    pub fn notes_of(&self, object: &Object) -> Option<&Rc<Note>> {
        let at = object.reference();
        let revision = object.revision();
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
            // The revision is older than the log: the next write of the key has the notes about the value
            // that it replaced.
            None => match self.log.iter().find(|e| e.revision > revision && e.key == at) {
                Some(e) => e.prev_notes.as_ref(),
                None => record?.notes.as_ref(),
            },
        }
    }

    /// Deletes a key. Returns the revision; `None` if the key did not exist.
    pub fn delete(&mut self, key: &ObjectRef) -> Option<u64> {
        let old = self.data.remove(key)?;
        self.revision += 1;
        let revision = self.revision;
        self.append(LogEntry {
            revision,
            key: key.clone(),
            prev: Some(old.object.clone()),
            next: None,
            prev_notes: old.notes.clone(),
            next_notes: None,
        });
        Some(revision)
    }

    /// The log entries after `revision`, the oldest first.
    ///
    /// # Errors
    /// If some of them are compacted.
    pub fn since(&self, revision: u64) -> Result<impl Iterator<Item = &LogEntry>, Compacted> {
        if revision < self.compacted {
            return Err(Compacted { compacted: self.compacted });
        }
        // Revisions are consecutive, so a subtraction gives the index in the log.
        let skip = usize::try_from(revision - self.compacted).unwrap_or(usize::MAX).min(self.log.len());
        Ok(self.log.iter().skip(skip))
    }

    /// The log entries, the newest first.
    pub fn recent(&self) -> impl Iterator<Item = &LogEntry> {
        self.log.iter().rev()
    }

    /// The present keys. The copy shares the tree.
    pub fn snapshot(&self) -> Records {
        self.data.clone()
    }

    /// The keys as they were at `revision`.
    ///
    /// # Errors
    /// If that revision is compacted.
    pub fn at(&self, revision: u64) -> Result<Records, Compacted> {
        let mut data = self.data.clone();
        let undo: Vec<&LogEntry> = self.since(revision)?.collect();
        for e in undo.into_iter().rev() {
            match &e.prev {
                Some(object) => {
                    let mod_revision = object.revision().unwrap_or(0);
                    let record = Record {
                        object: object.clone(),
                        create_revision: 0,
                        mod_revision,
                        notes: e.prev_notes.clone(),
                    };
                    data.insert(e.key.clone(), Rc::new(record));
                }
                None => {
                    data.remove(&e.key);
                }
            }
        }
        Ok(data)
    }

    /// Drops the log up to and including `revision`.
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

/// The keys of a kind in such a map, in all namespaces or in one.
pub fn range<'a>(
    data: &'a Records,
    kind: Kind,
    namespace: Option<&'a str>,
) -> impl Iterator<Item = (&'a ObjectRef, &'a Record)> + 'a {
    let from = ObjectRef { kind, key: Key::new(namespace.unwrap_or_default(), "") };
    data.range((Bound::Included(from), Bound::Unbounded))
        .map(|(key, r)| (key, &**r))
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
