//! DELETE: grace, finalizers and propagation (`rest.BeforeDelete` and the generic store's Delete).

use std::rc::Rc;

use jiff::SignedDuration;

use super::context::RequestContext;
use super::policy::Attributes;
use super::registry::shown;
use super::stage::Stage;
use super::{ApiServer, apiextensions, kinds};
use crate::api::types::{CustomResourceDefinition, Pod, Time};
use crate::api::{ApiKind, Kind, MetaExt, Object, later};
use crate::apimachinery::{
    Body, DeleteOptions, Details, FINALIZER_FOREGROUND, FINALIZER_ORPHAN, Propagation, Request, Response,
    Status, Subresource,
};
use crate::etcd::range;

impl ApiServer {
    pub(super) fn delete(&mut self, r: &Request, cx: &mut RequestContext) -> Result<Response, Status> {
        let options = match &r.body {
            Body::Delete(o) => o.clone(),
            _ => DeleteOptions::default(),
        };
        cx.enter(Stage::Decode, "", None);
        let old = self.existing(r)?;
        match self.delete_object(r, &old, &options, cx)? {
            Response::Object { object, created } if cx.view.is_some() => {
                Ok(Response::Object { object: shown(object, cx.view.as_ref())?, created })
            }
            answer => Ok(answer),
        }
    }

    pub(super) fn delete_collection(
        &mut self,
        r: &Request,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        let options = match &r.body {
            Body::Delete(o) => o.clone(),
            _ => DeleteOptions::default(),
        };
        let namespace = (!r.key.namespace.is_empty()).then_some(&*r.key.namespace);
        let data = self.with_defaults(self.etcd.snapshot(), r.kind);
        let all: Vec<Object> = range(&data, r.kind, namespace).map(|(_, r)| r.object.clone()).collect();
        self.delete_each(r, &all, &options, cx)?;
        Ok(Response::List { items: all, revision: self.etcd.revision() })
    }

    /// Deletes objects by one request for all of them. One that is gone by then, because another one took it along, does not count.
    pub(super) fn delete_each(
        &mut self,
        r: &Request,
        all: &[Object],
        options: &DeleteOptions,
        cx: &mut RequestContext,
    ) -> Result<(), Status> {
        for object in all {
            let Some(old) = self.stored(&object.reference()).cloned() else {
                continue;
            };
            self.delete_object(r, &old, options, cx)?;
        }
        Ok(())
    }

    pub(super) fn delete_object(
        &mut self,
        r: &Request,
        old: &Object,
        options: &DeleteOptions,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        let kind = old.kind();
        cx.enter(Stage::Compare, "", Some(old));
        preconditions(kind, old, options)?;
        let ask = |api: &ApiServer, cx: &mut RequestContext| match r.subresource {
            Subresource::None => api.ask_policies(r, cx, Some(old), || Attributes::delete(r, old, options)),
            _ => Ok(()),
        };
        let is_new = !old.meta().is_deleting();
        if is_new {
            ask(self, cx)?;
        }
        cx.enter(Stage::Prepare, "", Some(old));
        if kind == Kind::NAMESPACE
            && let Some(answer) = self.delete_namespace(r, old, options, cx)?
        {
            return Ok(answer);
        }
        if let Some(crd) = old.get::<CustomResourceDefinition>().filter(|crd| !crd.metadata.is_deleting()) {
            return Ok(self.delete_definition(r, old, crd, cx));
        }
        let mut object = old.clone();
        let graceful = before_delete(&mut object, options, self.now_seconds())?;
        if graceful == Grace::Pending {
            return Ok(Response::Object { object: old.clone(), created: false });
        }
        // One that is being deleted already is asked about only if this deletion changes something of that.
        if !is_new {
            ask(self, cx)?;
        }
        set_gc_finalizers(&mut object, options);
        let held = object.meta().finalizers.as_ref().is_some_and(|f| !f.is_empty());
        if graceful == Grace::Now && held {
            mark_as_deleting(&mut object, self.now_seconds());
        }
        cx.enter(Stage::Store, "", Some(&object));
        let at = old.reference();
        if held || graceful == Grace::Graceful {
            if r.dry_run || object == *old {
                return Ok(Response::Object { object, created: false });
            }
            let object = self.write(at, Some(old.clone()), object, r, cx);
            return Ok(Response::Object { object, created: false });
        }
        if !r.dry_run {
            // Even a deletion without grace is first written down (the generic store's
            // updateForGracefulDeletionAndFinalizers), so that watchers see the deletionTimestamp.
            if kind == Kind::POD && object != *old {
                object = self.write(at.clone(), Some(old.clone()), object, r, cx);
            }
            self.remove(&at, &object, r);
        }
        if kinds::storage(kind).returns_deleted_object {
            let removal = self.writes.iter().rev().find(|w| w.object == at);
            if let Some(last) = removal.and_then(|w| w.last.clone()) {
                object = last;
            }
            return Ok(Response::Object { object, created: false });
        }
        let details = Details { uid: old.uid().into(), ..Details::resource(kind, old.name()) };
        Ok(Response::Success { code: 200, details: Some(Box::new(details)) })
    }

    /// A definition is only marked; a controller deletes its objects and takes its finalizer away
    /// (`k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go`).
    fn delete_definition(
        &mut self,
        r: &Request,
        old: &Object,
        crd: &Rc<CustomResourceDefinition>,
        cx: &mut RequestContext,
    ) -> Response {
        let mut crd = Rc::clone(crd);
        apiextensions::strategy::mark_for_deletion(Rc::make_mut(&mut crd), self.now_seconds());
        let object = Object::from(crd);
        cx.enter(Stage::Store, "", Some(&object));
        let object =
            if r.dry_run { object } else { self.write(old.reference(), Some(old.clone()), object, r, cx) };
        Response::Object { object, created: false }
    }

    /// Marks a namespace. Its controller empties it and removes its finalizer later. `None` if nothing of the namespace's spec
    /// holds it any more, so that it is deleted as any other object.
    fn delete_namespace(
        &mut self,
        r: &Request,
        old: &Object,
        options: &DeleteOptions,
        cx: &mut RequestContext,
    ) -> Result<Option<Response>, Status> {
        if matches!(old.name(), "default" | "kube-system" | "kube-public") {
            return Err(Status::forbidden(Kind::NAMESPACE, old.name(), "this namespace may not be deleted"));
        }
        if old.meta().is_deleting() {
            let held = kinds::namespace::has_spec_finalizers(old);
            return Ok(held.then(|| Response::Object { object: old.clone(), created: false }));
        }
        let mut object = old.clone();
        kinds::namespace::mark_terminating(&mut object);
        object.meta_mut().deletion_timestamp = Some(Time(self.now_seconds()));
        set_gc_finalizers(&mut object, options);
        cx.enter(Stage::Store, "", Some(&object));
        let object =
            if r.dry_run { object } else { self.write(old.reference(), Some(old.clone()), object, r, cx) };
        Ok(Some(Response::Object { object, created: false }))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Grace {
    /// The object goes at once.
    Now,
    /// `deletionTimestamp` was set or brought forward.
    Graceful,
    /// The object was being deleted already, and this request changes nothing.
    Pending,
}

/// Whether the object is the one that the options name by its uid and its revision.
///
/// # Errors
/// It is another one.
pub(super) fn preconditions(kind: Kind, old: &Object, options: &DeleteOptions) -> Result<(), Status> {
    // The storages of these kinds look themselves, before the generic one would (`namespace/storage/storage.go` in
    // `pkg/registry/core`, `customresourcedefinition/etcd.go` in `k8s.io/apiextensions-apiserver/pkg/registry`).
    let by_storage = [Kind::NAMESPACE, Kind::CUSTOM_RESOURCE_DEFINITION].contains(&kind);
    let refused = |what: &str, meant: &str, have: &str, happened: &str| {
        if by_storage {
            let why = format!(
                "Precondition failed: {what} in precondition: {meant}, {what} in object meta: {have}"
            );
            return Err(Status::conflict(kind, old.name(), &why));
        }
        let why = format!(
            "the {what} in the precondition ({meant}) does not match the {what} in record ({have}). The object might have been {happened}"
        );
        Err(Status::precondition_failed(kind, old.name(), &why))
    };
    let version = old.resource_version().unwrap_or_default();
    match (&options.uid, &options.resource_version) {
        (Some(uid), _) if uid != old.uid() => refused("UID", uid, old.uid(), "deleted and then recreated"),
        (_, Some(meant)) if meant != version => refused("ResourceVersion", meant, version, "modified"),
        _ => Ok(()),
    }
}

/// The object waits for its finalizers (`markAsDeleting`).
fn mark_as_deleting(object: &mut Object, now: crate::api::Timestamp) {
    if !object.meta().is_deleting() {
        bump_generation(object);
    }
    let meta = object.meta_mut();
    if meta.deletion_timestamp.as_ref().is_none_or(|since| since.0 > now) {
        meta.deletion_timestamp = Some(Time(now));
    }
    meta.deletion_grace_period_seconds = Some(0);
}

fn before_delete(
    object: &mut Object,
    options: &DeleteOptions,
    now: crate::api::Timestamp,
) -> Result<Grace, Status> {
    let Some(pod) = Pod::from_object(object) else { return Ok(Grace::Now) };
    let meta = &pod.metadata;
    if let Some(since) = &meta.deletion_timestamp {
        // Only a shorter grace period makes a difference.
        let old = meta.deletion_grace_period_seconds;
        let (Some(asked), Some(old)) = (options.grace_period_seconds, old) else { return Ok(Grace::Pending) };
        // A negative period means one second.
        let (mut asked, old) = (if asked < 0 { 1 } else { asked }, if old < 0 { 1 } else { old });
        if old == 0 {
            return Ok(Grace::Now);
        }
        if asked >= old {
            return Ok(Grace::Pending);
        }
        let new_time = later(since.0, SignedDuration::from_secs(asked.saturating_sub(old)));
        let new_time = if new_time < now {
            // The shorter period is over already: the kubelet still gets a second to see the deletion.
            asked = asked.min(1);
            now
        } else {
            new_time
        };
        let meta = object.meta_mut();
        meta.deletion_timestamp = Some(Time(new_time));
        meta.deletion_grace_period_seconds = Some(asked);
        return Ok(if asked == 0 { Grace::Now } else { Grace::Graceful });
    }
    let period = super::kinds::pod::deletion::grace_period(pod, options.grace_period_seconds);
    bump_generation(object);
    let meta = object.meta_mut();
    meta.deletion_timestamp = Some(Time(later(now, SignedDuration::from_secs(period))));
    meta.deletion_grace_period_seconds = Some(period);
    Ok(if period == 0 { Grace::Now } else { Grace::Graceful })
}

/// Raises the generation: a deletion counts as a change of the spec.
fn bump_generation(object: &mut Object) {
    let g = object.meta().generation();
    if g > 0 {
        object.meta_mut().generation = Some(g + 1);
    }
}

/// The propagation policy becomes a finalizer that the garbage collector honours.
fn set_gc_finalizers(object: &mut Object, options: &DeleteOptions) {
    let orphan = match options.propagation_policy {
        Some(p) => p == Propagation::Orphan,
        // Jobs and ReplicationControllers orphan their pods if no policy is given, as they did before there were policies.
        None => {
            let by_default = kinds::storage(object.kind()).orphans_dependents
                && !object.meta().has_finalizer(FINALIZER_FOREGROUND);
            by_default || object.meta().has_finalizer(FINALIZER_ORPHAN)
        }
    };
    let foreground = match options.propagation_policy {
        Some(p) => p == Propagation::Foreground,
        None => object.meta().has_finalizer(FINALIZER_FOREGROUND),
    };
    let mut want: Vec<String> = object
        .meta()
        .finalizers
        .iter()
        .flatten()
        .filter(|f| *f != FINALIZER_ORPHAN && *f != FINALIZER_FOREGROUND)
        .cloned()
        .collect();
    if orphan {
        want.push(FINALIZER_ORPHAN.into());
    }
    if foreground {
        want.push(FINALIZER_FOREGROUND.into());
    }
    let have: Vec<String> = object.meta().finalizers.clone().unwrap_or_default();
    if want.len() != have.len() || want.iter().any(|f| !have.contains(f)) {
        object.meta_mut().finalizers = if want.is_empty() { None } else { Some(want) };
    }
}
