//! Reads that the watch cache answers (`k8s.io/apiserver/pkg/storage/cacher`): GET and LIST with `resourceVersion=0`, and
//! what a watch from a revision is told. They need no etcd that answers, change nothing and share the stored objects.

use super::ApiServer;
use crate::api::{Kind, Object, ObjectRef};
use crate::apimachinery::{Filter, Status, WatchEvent, WatchEventType};
use crate::etcd::LogEntry;

impl ApiServer {
    /// The revision of the last write: the `resourceVersion` of a list.
    pub fn resource_version(&self) -> u64 {
        self.etcd.revision()
    }

    /// The revision up to which etcd has forgotten what happened.
    pub fn compacted_revision(&self) -> u64 {
        self.etcd.compacted()
    }

    /// The revision up to which a watch cannot be told what happened: etcd has forgotten it, or the watch cache began later.
    pub fn forgotten_revision(&self) -> u64 {
        self.etcd.compacted().max(self.cached_since)
    }

    /// An object, as the watch cache has it.
    pub fn cached(&self, at: &ObjectRef) -> Option<&Object> {
        self.etcd.get(at).map(|r| &r.object)
    }

    /// The objects of a kind, or those in one namespace, in order of their keys.
    pub fn cached_list<'a>(
        &'a self,
        kind: Kind,
        namespace: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a ObjectRef, &'a Object)> + 'a {
        self.etcd.range(kind, namespace).map(|(at, r)| (at, &r.object))
    }

    /// The objects of a kind in one namespace whose names begin with a prefix, in order of their keys.
    pub fn cached_named<'a>(
        &'a self,
        kind: Kind,
        namespace: &'a str,
        prefix: &'a str,
    ) -> impl Iterator<Item = (&'a ObjectRef, &'a Object)> + 'a {
        self.etcd.named(kind, namespace, prefix).map(|(at, r)| (at, &r.object))
    }

    /// The objects of all kinds, in order of their references.
    pub fn cached_all(&self) -> impl Iterator<Item = (&ObjectRef, &Object)> {
        self.etcd.iter().map(|(at, r)| (at, &r.object))
    }

    /// What a watch of a kind that begins after a revision is told first: what has happened since.
    ///
    /// # Errors
    /// 410 if part of that is forgotten, or if the server's program has started since: the client has to list again.
    pub fn watch_from<'a>(
        &'a self,
        kind: Kind,
        filter: &'a Filter,
        revision: u64,
    ) -> Result<impl Iterator<Item = WatchEvent> + 'a, Status> {
        self.is_cached(revision)?;
        let log = self.log_since(revision)?;
        Ok(log.filter(move |entry| entry.key.kind == kind).filter_map(|entry| event(entry, filter)))
    }

    /// The objects of all kinds that were written after a revision, oldest write first; an object comes once for each
    /// write.
    ///
    /// # Errors
    /// 410 if part of that is forgotten.
    pub fn written_since(&self, revision: u64) -> Result<impl Iterator<Item = &ObjectRef>, Status> {
        Ok(self.log_since(revision)?.map(|entry| &entry.key))
    }

    /// Whether the watch cache knows what has happened since a revision.
    ///
    /// # Errors
    /// 410 if the revision is from before the start of the server's program.
    pub(super) fn is_cached(&self, revision: u64) -> Result<(), Status> {
        if revision < self.cached_since { Err(Status::too_old(revision, self.cached_since)) } else { Ok(()) }
    }

    fn log_since(&self, revision: u64) -> Result<impl Iterator<Item = &LogEntry>, Status> {
        self.etcd.since(revision).map_err(|gone| Status::too_old(revision, gone.compacted + 1))
    }
}

/// What a watch with this filter is told of a write; `None` if the object was and is out of its view.
fn event(entry: &LogEntry, filter: &Filter) -> Option<WatchEvent> {
    let before = entry.prev.as_ref().is_some_and(|o| filter.matches(o));
    let after = entry.next.as_ref().is_some_and(|o| filter.matches(o));
    let kind = WatchEventType::of(before, after)?;
    let mut object = entry.next.as_ref().or(entry.prev.as_ref())?.clone();
    if entry.next.is_none() {
        object.set_resource_version(Some(&entry.revision.to_string()));
    }
    Some(WatchEvent { kind, key: entry.key.key.clone(), object, revision: entry.revision })
}
