//! etcd, to be looked at from outside.

use super::ApiServer;
use crate::api::{Kind, ObjectRef};
use crate::etcd::{Etcd, LogEntry, Member, Raft, Record};

/// A read-only look at etcd: for digests, for tests, and for whoever shows etcd itself. Everybody else sends requests, or
/// reads what the watch cache answers ([`ApiServer::cached`] and its siblings).
#[derive(Clone, Copy, Debug)]
pub struct EtcdView<'a>(&'a Etcd);

impl ApiServer {
    /// etcd, to be looked at.
    pub fn etcd(&self) -> EtcdView<'_> {
        EtcdView(&self.etcd)
    }
}

impl<'a> EtcdView<'a> {
    /// The revision of the last write.
    pub fn revision(self) -> u64 {
        self.0.revision()
    }

    /// The revision up to which history is forgotten.
    pub fn compacted(self) -> u64 {
        self.0.compacted()
    }

    /// How many keys there are.
    pub fn count(self) -> usize {
        self.0.len()
    }

    /// The members, in order: what each is, and what it has.
    pub fn members(self) -> Vec<Member> {
        self.0.members()
    }

    /// What the members agree on: who leads, and since when.
    pub fn raft(self) -> &'a Raft {
        self.0.raft()
    }

    /// The record of an object.
    pub fn get(self, key: &ObjectRef) -> Option<&'a Record> {
        self.0.get(key)
    }

    /// The records of a kind, or those in one namespace, in order of their keys.
    pub fn range(
        self,
        kind: Kind,
        namespace: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a ObjectRef, &'a Record)> + 'a {
        self.0.range(kind, namespace)
    }

    /// All records, in order of their keys.
    pub fn iter(self) -> impl Iterator<Item = (&'a ObjectRef, &'a Record)> {
        self.0.iter()
    }

    /// The records after a key; all records, if there is none.
    pub fn iter_after(self, key: Option<ObjectRef>) -> impl Iterator<Item = (&'a ObjectRef, &'a Record)> {
        self.0.iter_after(key)
    }

    /// What the last revisions changed, newest first.
    pub fn recent(self) -> impl Iterator<Item = &'a LogEntry> {
        self.0.recent()
    }
}
