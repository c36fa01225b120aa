//! Writes to etcd: what they note about field managers, and who is told of them.

use std::rc::Rc;

use crate::api::types::{ManagedFieldsEntry, Pod};
use crate::api::{ApiKind, Key, Kind, Manager, Object, ObjectRef};
use crate::apimachinery::{Request, Subresource, Verb};
use crate::apiserver::apiextensions::View;
use crate::apiserver::context::RequestContext;
use crate::apiserver::kinds::service::ip_allocator::release_all;
use crate::apiserver::managed_fields::{self, NOTES_LIMIT};
use crate::apiserver::{ApiServer, OWN_USER, Write};
use crate::etcd::{Memo, Note};

/// Has a pod share its metadata with the version before, if it is equal.
fn share_metadata(object: &mut Object, prev: &Object) {
    if let (Some(pod), Some(prev)) = (Pod::from_object_mut(object), prev.get::<Pod>()) {
        pod.metadata.share_with(&prev.metadata);
    }
}

impl ApiServer {
    /// Stores a new state and tells the watchers.
    pub(in crate::apiserver) fn write(
        &mut self,
        at: ObjectRef,
        prev: Option<Object>,
        mut object: Object,
        r: &Request,
        cx: &mut RequestContext,
    ) -> Object {
        if prev.is_some() {
            self.reveal(&at);
        }
        let revision = self.etcd.revision() + 1;
        self.events += usize::from(prev.is_none() && at.kind == Kind::EVENT);
        object.set_resource_version(Some(&revision.to_string()));
        if let Some(prev) = &prev {
            share_metadata(&mut object, prev);
        }
        let note = self.note(prev.as_ref(), &object, r, revision, cx);
        let notes = match &prev {
            Some(_) => self.etcd.put_noted(at.clone(), object.clone(), note),
            None => self.etcd.create_noted(at.clone(), object.clone(), note),
        };
        self.valid_spec.written(at.kind);
        self.note_definition(Some(&object), &object);
        if notes >= NOTES_LIMIT {
            let decided = Some(self.managers(&at));
            let note =
                Note { decided, before: None, previous: None, ..self.new_note(r, cx, revision, &object) };
            self.etcd.replace_notes(&at, note);
        }
        self.watches.dispatch(&at.key, prev.as_ref(), Some(&object), revision, &mut self.woken);
        self.writes_anew();
        self.wrote(Write {
            revision,
            object: at,
            prev,
            next: Some(object.clone()),
            last: None,
            user: r.user.clone(),
            verb: r.verb,
            subresource: r.subresource,
        });
        object
    }

    /// Works out the field managers before the write. Most writes only note who writes what, and the managers are
    /// worked out when a request reads them; that is not enough for a body with `managedFields`, for a dry run, whose
    /// managers are shown and not stored, and for an update that leaves the object as it was, which is written only if they differ.
    pub(in crate::apiserver) fn decide(
        &self,
        r: &Request,
        given: Option<&[ManagedFieldsEntry]>,
        old: Option<&Object>,
        new: &Object,
        cx: &mut RequestContext,
    ) {
        if cx.managers.is_some() {
            return;
        }
        if let Some(view) = cx.view.clone() {
            return self.decide_custom(r, given, old, new, &view, cx);
        }
        let shown = r.dry_run && r.field_manager.is_some();
        if let (Subresource::Scale, Some(old)) = (r.subresource, old) {
            let live = self.managers(&old.reference());
            let mut managers = live.to_vec();
            let note = self.new_note(r, cx, self.etcd.revision() + 1, new);
            let replicas = |o: &Object| {
                o.to_value().pointer("/spec/replicas").and_then(serde_json::Value::as_i64).unwrap_or(0)
            };
            let path = managed_fields::replicas();
            let (from, to) = (replicas(old), replicas(new));
            let write = managed_fields::Rescale { kind: r.kind, path: &path, from, to };
            managed_fields::update_scale(&mut managers, &write, &note);
            // A note would give the writer the time of the write, which a scale does not.
            if managers[..] != live[..] || old != new || shown {
                cx.managers = Some(managers.into());
            }
            return;
        }
        // What admission undid changes who owns which fields all the same.
        let undone = cx.submitted.is_some() && old == Some(new);
        if !shown && given.is_none() && !undone {
            return;
        }
        let live = old.map(|o| self.managers(&o.reference())).unwrap_or_default();
        let given = given.and_then(|g| managed_fields::given(g, &live));
        if !shown && given.is_none() && !undone {
            return;
        }
        let mut managers = given.unwrap_or_else(|| live.to_vec());
        if old != Some(new) || undone {
            let after = cx.submitted.take().unwrap_or_else(|| new.clone());
            let note = self.new_note(r, cx, self.etcd.revision() + 1, &after);
            managed_fields::update(&mut managers, &Note { before: old.cloned(), ..note });
        }
        cx.managers = Some(managers.into());
    }

    /// Works out the field managers of a custom object. The sets of fields follow from the schema of the view, which later
    /// requests may not have, so the managers are always worked out with the write.
    fn decide_custom(
        &self,
        r: &Request,
        given: Option<&[ManagedFieldsEntry]>,
        old: Option<&Object>,
        new: &Object,
        view: &View,
        cx: &mut RequestContext,
    ) {
        let live = old.map(|o| self.managers(&o.reference())).unwrap_or_default();
        let given = given.and_then(|g| managed_fields::given(g, &live));
        let mut managers = given.unwrap_or_else(|| live.to_vec());
        let of_scale = r.subresource == Subresource::Scale;
        let submitted = cx.submitted.take();
        if old != Some(new) || of_scale || submitted.is_some() {
            let note = self.new_note(r, cx, self.etcd.revision() + 1, new);
            let (old, value) = (old.map(Object::to_value), submitted.as_ref().unwrap_or(new).to_value());
            if of_scale {
                let path = view.replicas_path();
                let from = old.as_ref().map_or(0, |old| view.replicas(old));
                let to = view.replicas(&value);
                let write = managed_fields::Rescale { kind: view.kind(), path: &path, from, to };
                managed_fields::update_scale(&mut managers, &write, &note);
            } else {
                managed_fields::update_custom(&mut managers, view.layout(), old.as_ref(), &value, &note);
            }
        }
        if managers[..] != live[..] || (r.dry_run && r.field_manager.is_some()) {
            cx.managers = Some(managers.into());
        }
    }

    /// The note of who writes which fields; `None` for a deletion, an eviction and a binding, which change no field managers.
    fn note(
        &self,
        prev: Option<&Object>,
        next: &Object,
        r: &Request,
        revision: u64,
        cx: &mut RequestContext,
    ) -> Option<Note> {
        let submitted = cx.submitted.take();
        if let Some(managers) = cx.managers.take() {
            return Some(Note { decided: Some(managers), ..self.new_note(r, cx, revision, next) });
        }
        if next.kind().is_custom() {
            return None;
        }
        let counts = match r.verb {
            Verb::Create => r.subresource == Subresource::None,
            Verb::Update | Verb::Patch => true,
            _ => false,
        };
        if !counts {
            return None;
        }
        let note = self.new_note(r, cx, revision, submitted.as_ref().unwrap_or(next));
        Some(Note { before: prev.cloned(), ..note })
    }

    fn new_note(&self, r: &Request, cx: &RequestContext, revision: u64, after: &Object) -> Note {
        Note {
            manager: cx.manager(r),
            kind: r.kind,
            subresource: r.subresource.as_str(),
            time: self.now,
            revision,
            before: None,
            after: after.clone(),
            component: r.field_manager.is_none(),
            decided: None,
            worked_out: Memo::default(),
            previous: None,
            count: 1,
        }
    }

    /// The field managers of a stored object.
    pub(in crate::apiserver) fn managers(&self, at: &ObjectRef) -> Rc<[Manager]> {
        self.etcd.get(at).and_then(|r| r.notes.as_deref()).map(managers_after).unwrap_or_default()
    }

    /// The JSON of an object as it is or was stored, with its field managers then.
    pub(in crate::apiserver) fn managed_value(&self, object: &Object) -> serde_json::Value {
        let managers = self.etcd.notes_of(object).map(|n| managers_after(n)).unwrap_or_default();
        managed_fields::with_managers(object.to_value(), &managers)
    }

    /// Notes a write. A run keeps the writes of all requests, and most requests make one, so no room is taken for more.
    fn wrote(&mut self, write: Write) {
        if self.writes.is_empty() {
            self.writes.reserve_exact(1);
        }
        self.writes.push(write);
    }

    /// Removes an object whose last state is given, and tells the watchers.
    pub(in crate::apiserver) fn remove(&mut self, at: &ObjectRef, last: &Object, r: &Request) {
        self.reveal(at);
        let prev = self.etcd.get(at).map(|r| r.object.clone());
        if self.etcd.delete(at).is_none() {
            return;
        }
        self.events -= usize::from(at.kind == Kind::EVENT);
        self.note_removed(at);
        self.note_definition(None, last);
        let revision = self.etcd.revision();
        let mut last = last.clone();
        last.set_resource_version(Some(&revision.to_string()));
        self.watches.dispatch(&at.key, Some(&last), None, revision, &mut self.woken);
        self.writes_anew();
        self.wrote(Write {
            revision,
            object: at.clone(),
            prev,
            next: None,
            last: Some(last.clone()),
            user: r.user.clone(),
            verb: r.verb,
            subresource: r.subresource,
        });
        if at.kind == Kind::SERVICE {
            self.remove_endpoints(&at.key);
            release_all(self, &last);
        }
    }

    /// Deletes the Endpoints of a Service that is gone, so that a new Service of its name does not begin with old
    /// addresses (`afterDelete` of `pkg/registry/core/service/storage`).
    fn remove_endpoints(&mut self, service: &Key) {
        let request = Request::new(&OWN_USER.into(), Verb::Delete, Kind::ENDPOINTS, service.clone());
        // Mostly there are some. What is refused is left to the endpoints controller, as there.
        let _ = self.delete(&request, &mut RequestContext::default());
    }
}

/// The field managers after a write.
pub(in crate::apiserver) fn managers_after(note: &Note) -> Rc<[Manager]> {
    note.managers(managed_fields::update)
}
