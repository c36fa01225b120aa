//! The generic store behind every resource (`k8s.io/apiserver/pkg/registry/generic/registry` and
//! `rest`): what a create and an update are, whatever the kind.

use std::rc::Rc;

use super::apiextensions::View;
use super::apply::check_name;
use super::context::RequestContext;
use super::kinds::{self, Creation};
use super::managed_fields::{self, NOTES_LIMIT};
use super::validation;
use super::{ApiServer, ValidSpecCache, Write, admission, defaults, warnings};
use crate::api::names::quote;
use crate::api::types::ManagedFieldsEntry;
use crate::api::types::{Deployment, Pod, PodSpec, ReplicaSet, ReplicationController, StatefulSet, Time};
use crate::api::{ApiKind, Key, Kind, Manager, MetaExt, Object, ObjectRef, Timestamp, seconds};
use crate::apimachinery::{Body, Cause, Details, Request, Response, Status, Subresource, Verb};
use crate::apiserver::stages::Stage;
use crate::etcd::{Memo, Note};

/// The most objects that a cluster may have, not counting events.
pub const OBJECTS_LIMIT: usize = 20_000;
/// The most events that a cluster may have.
pub const EVENTS_LIMIT: usize = 60_000;

/// Names made from a prefix are at most this long (`k8s.io/apiserver/pkg/storage/names`).
const MAX_GENERATED_BASE: usize = 58;

/// The user of what the API server does itself.
const OWN_USER: &str = "kube-apiserver";

impl ApiServer {
    pub(super) fn get(&self, r: &Request, cx: &RequestContext) -> Result<Response, Status> {
        Ok(Response::Object { object: self.current(r, cx)?, created: false })
    }

    /// A list, in the version that was asked for.
    pub(super) fn list_as(&self, r: &Request, cx: &RequestContext) -> Result<Response, Status> {
        match (self.list(r), &cx.view) {
            (Response::List { items, revision }, Some(view)) => {
                let items = items.iter().map(|o| view.read(o)).collect::<Result<_, Status>>()?;
                Ok(Response::List { items, revision })
            }
            (list, _) => Ok(list),
        }
    }

    pub(super) fn list(&self, r: &Request) -> Response {
        let namespace = (!r.key.namespace.is_empty()).then_some(&*r.key.namespace);
        let items = self.etcd.range(r.kind, namespace).map(|(_, r)| r.object.clone()).collect();
        Response::List { items, revision: self.etcd.revision() }
    }

    pub(super) fn create(&mut self, r: &Request, cx: &mut RequestContext) -> Result<Response, Status> {
        match (&r.body, r.subresource) {
            (Body::Binding { node }, Subresource::Binding) => return self.bind(r, node, cx),
            (Body::Delete(_) | Body::None, Subresource::Eviction) => return self.evict(r, cx),
            (Body::Object(_), Subresource::None) => {}
            _ => return Err(Status::method_not_supported(r.kind, "create")),
        }
        let Body::Object(object) = &r.body else {
            return Err(Status::bad_request("a create needs an object"));
        };
        self.create_object(r, object.clone(), cx)
    }

    /// Creates the object that the body of the request was.
    pub(super) fn create_object(
        &mut self,
        r: &Request,
        mut object: Object,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        let given = take_managers(&mut object);
        cx.enter(Stage::Decode, "", Some(&object));
        self.match_namespace(r, &mut object)?;
        cx.enter(Stage::Default, "", Some(&object));
        let spec = object.get::<Pod>().and_then(|p| p.spec.clone());
        let view = cx.view.clone();
        match &view {
            Some(view) => view.default(&mut object)?,
            None => defaults::apply(&mut object),
        }
        one_owner_once(&mut object, false, &mut cx.warnings);
        cx.submitted = (r.field_manager.is_some() && adds_to_new(r.kind)).then(|| object.clone());
        cx.enter(Stage::Mutate, "NamespaceLifecycle", Some(&object));
        admission::not_terminating(&object, cx)?;
        admission::namespace_exists(self, &object)?;
        admission::mutate_create(self, &mut object, cx)?;
        cx.enter(Stage::Prepare, "", Some(&object));
        // rest.BeforeCreate
        let now = seconds(self.now);
        let uid = self.new_uid();
        let meta = object.meta_mut();
        meta.deletion_timestamp = None;
        meta.deletion_grace_period_seconds = None;
        meta.creation_timestamp = Some(Time(now));
        meta.uid = Some(uid);
        meta.self_link = None;
        if meta.name().is_empty() && meta.generate_name.as_deref().is_some_and(|g| !g.is_empty()) {
            let suffix = self.random_suffix();
            let meta = object.meta_mut();
            let base: String =
                meta.generate_name.iter().flat_map(|g| g.chars()).take(MAX_GENERATED_BASE).collect();
            meta.name = Some(base + &suffix);
        }
        kinds::service::allocation::begin_create(self, &mut object)?;
        let now = self.now_seconds();
        match &view {
            Some(view) => view.prepare_for_create(&mut object)?,
            None => {
                kinds::prepare_for_create(&mut object, &mut Creation { now, warnings: &mut cx.warnings });
            }
        }
        cx.enter(Stage::Validate, "", Some(&object));
        let known = self.valid_spec.holds(spec.as_ref());
        let mut errors = match (&view, object.get::<Pod>().filter(|_| known)) {
            (Some(view), _) => cx.validated(view.validate_create(&object)),
            (None, Some(pod)) => validation::validate_pod_of_valid_spec(pod),
            (None, None) => validation::validate_create(&object),
        };
        kinds::versions::validate(r.kind, &object, None, &mut errors);
        if !errors.is_empty() {
            return Err(invalid(r.kind, object.name(), &errors));
        }
        // A client names a field manager and gets warnings; a component of the cluster does neither.
        if r.field_manager.is_some() {
            cx.warnings.extend(match &view {
                Some(view) => view.warnings(&object, None),
                None => warnings::on_create(&object),
            });
        }
        // The claims of ephemeral volumes are named after the pod.
        let named = |s: &PodSpec| s.volumes.iter().flatten().any(|v| v.ephemeral.is_some());
        if let Some(spec) = spec.filter(|s| !known && !named(s)) {
            self.valid_spec = ValidSpecCache(Some(spec));
        }
        admission::validate_create(self, &object, cx)?;
        cx.enter(Stage::Admit, "ResourceQuota", Some(&object));
        let charges = self.quota_charges(&object, None)?;
        cx.enter(Stage::Store, "", Some(&object));
        // Only etcd gives an object its version. A version that is no number is ignored.
        let version = object.meta().resource_version.as_deref().and_then(|v| v.parse::<u64>().ok());
        if version.is_some_and(|v| v != 0) && !r.dry_run {
            return Err(Status::new(500, "", "resourceVersion should not be set on objects to be created"));
        }
        if version.is_none_or(|v| v == 0) {
            object.meta_mut().resource_version = None;
        }
        let at = object.reference();
        if let Some(old) = self.etcd.get(&at) {
            let mut s = Status::already_exists(r.kind, object.name());
            if old.object.meta().is_deleting() {
                s.message = format!("object is being deleted: {}", s.message);
            }
            return Err(s);
        }
        self.has_room(r.kind)?;
        self.decide(r, given.as_deref(), None, &object, cx);
        if let Some(view) = &view {
            object = view.store(&object)?;
        }
        if !r.dry_run {
            self.charge(charges);
            object = self.write(at, None, object, r, cx);
        }
        Ok(Response::Object { object: shown(object, view.as_ref())?, created: true })
    }

    pub(super) fn update(&mut self, r: &Request, cx: &mut RequestContext) -> Result<Response, Status> {
        match &r.body {
            Body::Object(object) => {
                let mut object = object.clone();
                cx.enter(Stage::Decode, "", Some(&object));
                self.match_namespace(r, &mut object)?;
                check_name(object.name(), &r.key.name)?;
                let Some(old) = self.etcd.get(&r.object()).map(|r| r.object.clone()) else {
                    if kinds::allow_create_on_update(r.kind) && r.subresource == Subresource::None {
                        let create =
                            Request { verb: super::Verb::Create, body: Body::Object(object), ..r.clone() };
                        return self.create(&create, cx);
                    }
                    return Err(Status::not_found(r.kind, &r.key.name));
                };
                let old = shown(old, cx.view.as_ref())?;
                cx.enter(Stage::Default, "", Some(&object));
                default_update(r, &mut object, cx)?;
                one_owner_once(&mut object, false, &mut cx.warnings);
                self.store_update(r, old, object, cx)
            }
            Body::Scale { .. } => self.scale(r, cx),
            _ => Err(Status::method_not_supported(r.kind, "update")),
        }
    }

    /// Refuses a new object where the store is full, as etcd does beyond its quota.
    fn has_room(&self, kind: Kind) -> Result<(), Status> {
        let (have, limit, what) = match kind {
            kind if kind == Kind::EVENT => (self.events, EVENTS_LIMIT, "events"),
            _ => (self.etcd.len() - self.events, OBJECTS_LIMIT, "objects"),
        };
        if have < limit {
            return Ok(());
        }
        let message = format!(
            "Internal error occurred: etcdserver: mvcc: database space exceeded: no more than {limit} {what} are kept here"
        );
        Err(Status::new(500, "InternalError", message))
    }

    /// Handles a request for `/scale`: the object gets another size.
    pub(super) fn scale(&mut self, r: &Request, cx: &mut RequestContext) -> Result<Response, Status> {
        let Body::Scale { replicas, resource_version } = &r.body else { return Err(Status::no_such_path()) };
        cx.enter(Stage::Decode, "", None);
        let old = self.current(r, cx)?;
        let mut object = match &cx.view {
            Some(view) => view.with_replicas(&old, *replicas)?,
            None if *replicas < 0 => return Err(invalid_scale(&r.key.name, *replicas)),
            None => with_replicas(&old, *replicas).ok_or_else(Status::no_such_path)?,
        };
        cx.enter(Stage::Patch, "", Some(&old));
        // A custom object is changed whatever its version, if the scale has none.
        if cx.view.is_none() || resource_version.is_some() {
            object.meta_mut().resource_version.clone_from(resource_version);
        }
        self.store_update(r, old, object, cx)
    }

    /// The stored object that a request is about.
    pub(super) fn existing(&self, r: &Request) -> Result<Object, Status> {
        match self.etcd.get(&r.object()) {
            Some(record) => Ok(record.object.clone()),
            None => Err(Status::not_found(r.kind, &r.key.name)),
        }
    }

    /// The same object in the version that the request is about.
    pub(super) fn current(&self, r: &Request, cx: &RequestContext) -> Result<Object, Status> {
        shown(self.existing(r)?, cx.view.as_ref())
    }

    /// Stores a new version of an object that has been decoded and defaulted (`rest.BeforeUpdate` and what follows it).
    pub(super) fn store_update(
        &mut self,
        r: &Request,
        old: Object,
        mut object: Object,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        let given = take_managers(&mut object).filter(|_| r.subresource == Subresource::None);
        if r.subresource == Subresource::None {
            let submitted = (r.field_manager.is_some() && r.kind == Kind::POD).then(|| object.clone());
            admission::mutate_update(&mut object, cx);
            cx.submitted = submitted.filter(|submitted| *submitted != object);
        }
        cx.enter(Stage::Compare, "", Some(&object));
        let uid = object.meta().uid();
        if !uid.is_empty() && uid != old.uid() && r.verb == super::Verb::Update {
            return Err(other_uid(uid, &old));
        }
        let rv = object.meta().resource_version.as_deref().unwrap_or_default();
        if !matches!(rv, "" | "0") {
            if rv.parse::<u64>().is_err() {
                return Err(Status::new(
                    500,
                    "",
                    format!("strconv.ParseUint: parsing {}: invalid syntax", quote(rv)),
                ));
            }
            if old.meta().resource_version.as_deref() != Some(rv) {
                return Err(Status::conflict(r.kind, &r.key.name, CONFLICT));
            }
        } else if kinds::allow_unconditional_update(r.kind) {
            object.meta_mut().resource_version.clone_from(&old.meta().resource_version);
        } else if r.field_manager.is_some() {
            return Err(must_say_version(r.kind, &r.key.name));
        }
        if r.kind == Kind::SERVICE && r.subresource == Subresource::None {
            kinds::service::allocation::begin_update(self, &mut object, &old)?;
        }
        cx.enter(Stage::Prepare, "", Some(&object));
        keep_system_fields(&mut object, &old);
        let view = cx.view.clone();
        let of_status = r.subresource == Subresource::Status;
        match r.subresource {
            _ if view.is_some() => {}
            Subresource::Status => kinds::prepare_for_status_update(&mut object, &old, seconds(self.now)),
            Subresource::Finalize => kinds::namespace::prepare_for_finalize(&mut object, &old),
            Subresource::EphemeralContainers => {
                kinds::pod::strategy::prepare_for_ephemeral_containers(&mut object, &old);
            }
            Subresource::Resize => kinds::pod::strategy::prepare_for_resize(&mut object, &old),
            Subresource::Approval => {
                let now = seconds(self.now);
                kinds::certificate_signing_request::prepare_for_approval(&mut object, &old, now);
            }
            _ => kinds::prepare_for_update(&mut object, &old),
        }
        match &view {
            Some(view) if of_status => view.prepare_for_status_update(&mut object, &old)?,
            Some(view) => view.prepare_for_update(&mut object, &old)?,
            None => {}
        }
        cx.enter(Stage::Validate, "", Some(&object));
        let mut errors = match r.subresource {
            _ if let Some(view) = &view => cx.validated(view.validate_update(&object, &old, of_status)),
            Subresource::Status => validation::validate_status_update(&object, &old),
            Subresource::EphemeralContainers => validation::validate_ephemeral_containers(&object, &old),
            Subresource::Resize => validation::validate_resize(&object, &old),
            Subresource::Approval => validation::validate_approval(&object, &old),
            Subresource::Finalize => validation::validate_finalize(&object, &old),
            _ => validation::validate_update(&object, &old),
        };
        if r.subresource == Subresource::None {
            kinds::versions::validate(r.kind, &object, Some(&old), &mut errors);
        }
        if !errors.is_empty() {
            return Err(invalid(r.kind, object.name(), &errors));
        }
        if r.field_manager.is_some() && matches!(r.subresource, Subresource::None | Subresource::Scale) {
            cx.warnings.extend(match &view {
                Some(view) => view.warnings(&object, Some(&old)),
                None => warnings::on_update(&object, &old),
            });
        }
        let mut charges = Vec::new();
        if r.subresource == Subresource::None {
            admission::validate_update(self, &object, &old, cx)?;
            cx.enter(Stage::Admit, "ResourceQuota", Some(&object));
            charges = self.quota_charges(&object, Some(&old))?;
        }
        cx.enter(Stage::Store, "", Some(&object));
        object.meta_mut().resource_version.clone_from(&old.meta().resource_version);
        let at = old.reference();
        let removes = object.meta().is_deleting()
            && object.meta().finalizers.as_ref().is_none_or(Vec::is_empty)
            && object.meta().deletion_grace_period_seconds.unwrap_or(0) == 0
            && !kinds::namespace::has_spec_finalizers(&object);
        if !removes {
            self.decide(r, given.as_deref(), Some(&old), &object, cx);
        }
        let (old, mut object) = match &view {
            Some(view) => (self.existing(r)?, view.store(&object)?),
            None => (old, object),
        };
        // The last finalizer of an object that is being deleted: the update is its removal.
        if removes {
            if !r.dry_run {
                self.remove(&at, &object, r);
            }
            return Ok(Response::Object { object: shown(object, view.as_ref())?, created: false });
        }
        // An update that changes nothing is not written. A patch whose change admission undoes is written all the same: its
        // manager owns the fields that it set.
        let undone = r.verb == super::Verb::Patch && cx.submitted.is_some();
        let same = object == old && cx.managers.is_none() && !undone;
        if !same && !r.dry_run {
            self.charge(charges);
            object = self.write(at, Some(old), object, r, cx);
        }
        Ok(Response::Object { object: shown(object, view.as_ref())?, created: false })
    }

    /// Stores a new state and tells the watchers.
    pub(super) fn write(
        &mut self,
        at: ObjectRef,
        prev: Option<Object>,
        mut object: Object,
        r: &Request,
        cx: &mut RequestContext,
    ) -> Object {
        let revision = self.etcd.revision() + 1;
        self.events += usize::from(prev.is_none() && at.kind == Kind::EVENT);
        object.meta_mut().resource_version = Some(revision.to_string());
        let note = self.note(prev.as_ref(), &object, r, revision, cx);
        let notes = match &prev {
            Some(_) => self.etcd.put_noted(at.clone(), object.clone(), note),
            None => self.etcd.create_noted(at.clone(), object.clone(), note),
        };
        self.valid_spec.written(at.kind);
        self.note_definition(Some(&object), &object);
        if notes >= NOTES_LIMIT {
            let decided = Some(self.managers(&at));
            let note = Note { decided, before: None, previous: None, ..self.new_note(r, revision, &object) };
            self.etcd.replace_notes(&at, note);
        }
        self.watches.dispatch(&at.key, prev.as_ref(), Some(&object), revision, &mut self.woken);
        self.writes_anew();
        self.writes.push(Write {
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

    /// Works out the owners of the fields before the write. Most writes only note who writes what, and the owners are
    /// worked out when somebody reads them; that is not enough for a body with `managedFields` and for a dry run, whose
    /// owners are shown and not stored.
    fn decide(
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
            let note = self.new_note(r, self.etcd.revision() + 1, new);
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
        if !shown && given.is_none() {
            return;
        }
        let live = old.map(|o| self.managers(&o.reference())).unwrap_or_default();
        let given = given.and_then(|g| managed_fields::given(g, &live));
        if !shown && given.is_none() {
            return;
        }
        let mut managers = given.unwrap_or_else(|| live.to_vec());
        if old != Some(new) {
            let after = cx.submitted.take().unwrap_or_else(|| new.clone());
            let note = self.new_note(r, self.etcd.revision() + 1, &after);
            managed_fields::update(&mut managers, &Note { before: old.cloned(), ..note });
        }
        cx.managers = Some(managers.into());
    }

    /// Works out the owners of a custom object. The sets of fields follow from the schema of the view, which later
    /// requests may not have, so the owners are always worked out with the write.
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
        if old != Some(new) || of_scale {
            let note = self.new_note(r, self.etcd.revision() + 1, new);
            let (old, value) = (old.map(Object::to_value), new.to_value());
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

    /// The note of who writes which fields; `None` for a deletion, an eviction and a binding, which change no owners.
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
            return Some(Note { decided: Some(managers), ..self.new_note(r, revision, next) });
        }
        if next.kind().is_custom() {
            return None;
        }
        let counts = match r.verb {
            super::Verb::Create => r.subresource == Subresource::None,
            super::Verb::Update | super::Verb::Patch => true,
            _ => false,
        };
        if !counts {
            return None;
        }
        let note = self.new_note(r, revision, submitted.as_ref().unwrap_or(next));
        Some(Note { before: prev.cloned(), ..note })
    }

    fn new_note(&self, r: &Request, revision: u64, after: &Object) -> Note {
        Note {
            manager: r.field_manager.as_ref().unwrap_or(&r.user).clone(),
            kind: r.kind,
            subresource: r.subresource.as_str(),
            time: self.now,
            revision,
            before: None,
            after: after.clone(),
            component: r.field_manager.is_none(),
            bound: false,
            decided: None,
            worked_out: Memo::default(),
            previous: None,
            count: 1,
        }
    }

    /// A pod was bound: see [`Etcd::note_binding`](crate::etcd::Etcd::note_binding).
    pub(super) fn note_binding(&mut self, at: &ObjectRef) {
        self.etcd.note_binding(at);
    }

    /// The owners of the fields of a stored object.
    pub(super) fn managers(&self, at: &ObjectRef) -> Rc<[Manager]> {
        self.etcd.get(at).and_then(|r| r.notes.as_deref()).map(owners).unwrap_or_default()
    }

    /// The JSON of an object as it is or was stored, with the owners of its fields then.
    pub(super) fn managed_value(&self, object: &Object) -> serde_json::Value {
        let managers = self.etcd.notes_of(object).map(|n| owners(n)).unwrap_or_default();
        managed_fields::with_managers(object.to_value(), &managers)
    }

    /// Removes an object whose last state is given, and tells the watchers.
    pub(super) fn remove(&mut self, at: &ObjectRef, last: &Object, r: &Request) {
        let prev = self.etcd.get(at).map(|r| r.object.clone());
        if self.etcd.delete(at).is_none() {
            return;
        }
        self.events -= usize::from(at.kind == Kind::EVENT);
        self.note_definition(None, last);
        let revision = self.etcd.revision();
        let mut last = last.clone();
        last.meta_mut().resource_version = Some(revision.to_string());
        self.watches.dispatch(&at.key, Some(&last), None, revision, &mut self.woken);
        self.writes_anew();
        self.writes.push(Write {
            revision,
            object: at.clone(),
            prev,
            next: None,
            last: Some(last),
            user: r.user.clone(),
            verb: r.verb,
            subresource: r.subresource,
        });
        if at.kind == Kind::SERVICE {
            self.remove_endpoints(&at.key);
        }
    }

    /// Deletes the Endpoints of a Service that is gone, so that a new Service of its name does not begin with old
    /// addresses (`afterDelete` of `pkg/registry/core/service/storage`).
    fn remove_endpoints(&mut self, service: &Key) {
        let request = Request::new(&OWN_USER.into(), Verb::Delete, Kind::ENDPOINTS, service.clone());
        // Mostly there are some. What is refused is left to the endpoints controller, as there.
        let _ = self.delete(&request, &mut RequestContext::default());
    }

    /// Gives the object the namespace of the path; an object with another namespace is refused.
    pub(super) fn match_namespace(&self, r: &Request, object: &mut Object) -> Result<(), Status> {
        if object.kind() != r.kind {
            return Err(Status::bad_request("the object is not of the kind that the path names"));
        }
        let want = if r.kind.namespaced() { &*r.key.namespace } else { "" };
        let have = object.namespace();
        if have.is_empty() {
            if !want.is_empty() {
                object.meta_mut().namespace = Some(want.to_owned());
            }
        } else if have != want {
            return Err(Status::bad_request(if r.kind.namespaced() {
                "the namespace of the provided object does not match the namespace sent on the request"
            } else {
                "namespace is not allowed on this type"
            }));
        }
        Ok(())
    }

    /// The time in whole seconds, as stored objects have it.
    pub(super) fn now_seconds(&self) -> Timestamp {
        seconds(self.now)
    }

    /// The namespace of that name.
    pub(super) fn namespace(&self, name: &str) -> Option<&Object> {
        self.etcd.get(&ObjectRef { kind: Kind::NAMESPACE, key: Key::new("", name) }).map(|r| &r.object)
    }
}

/// A stored object in the version that a request is about.
pub(super) fn shown(stored: Object, view: Option<&View>) -> Result<Object, Status> {
    match view {
        Some(view) => view.read(&stored),
        None => Ok(stored),
    }
}

/// Fills in the defaults of an object that is to replace another one.
pub(super) fn default_update(r: &Request, object: &mut Object, cx: &RequestContext) -> Result<(), Status> {
    match (&cx.view, r.subresource) {
        (Some(view), _) => view.default(object)?,
        (None, Subresource::Status) => defaults::apply_to_status(object),
        (None, _) => defaults::apply(object),
    }
    Ok(())
}

/// The owners after a write.
pub(super) fn owners(note: &Note) -> Rc<[Manager]> {
    note.owners(managed_fields::update)
}

/// Takes the owners that a body names out of the object: the store keeps owners beside the objects.
fn take_managers(object: &mut Object) -> Option<Vec<ManagedFieldsEntry>> {
    object.meta().managed_fields.as_ref()?;
    object.meta_mut().managed_fields.take()
}

/// Whether admission or the strategy adds fields to a new object of a kind.
fn adds_to_new(kind: Kind) -> bool {
    [
        Kind::POD,
        Kind::PERSISTENT_VOLUME_CLAIM,
        Kind::PERSISTENT_VOLUME,
        Kind::SERVICE,
        Kind::NAMESPACE,
        Kind::DAEMON_SET,
        Kind::JOB,
    ]
    .contains(&kind)
}

/// The message of every conflict: the object was changed in between.
pub(super) const CONFLICT: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

/// Keeps an owner that is given twice once, and warns of it (`dedupOwnerReferences`). The warning about a patch says that
/// it comes after admission.
pub(super) fn one_owner_once(object: &mut Object, of_patch: bool, warned: &mut Vec<String>) {
    let Some(owners) = &object.meta().owner_references else { return };
    let again = |i: usize| owners.iter().take(i).any(|o| Some(o) == owners.get(i));
    let doubles: Vec<usize> = (0..owners.len()).filter(|i| again(*i)).collect();
    if doubles.is_empty() {
        return;
    }
    let uids: Vec<&str> = doubles.iter().filter_map(|i| owners.get(*i)).map(|o| o.uid.as_str()).collect();
    warned.push(format!(
        ".metadata.ownerReferences contains duplicate entries{}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
        if of_patch { " after mutating admission happens" } else { "" },
        uids.join(", ")
    ));
    let mut i = 0;
    object.meta_mut().owner_references.get_or_insert_default().retain(|_| {
        i += 1;
        !doubles.contains(&(i - 1))
    });
}

/// Keeps the metadata that only the system writes as it was.
fn keep_system_fields(object: &mut Object, old: &Object) {
    let o = old.meta();
    let meta = object.meta_mut();
    meta.generation = o.generation;
    meta.self_link = None;
    meta.creation_timestamp.clone_from(&o.creation_timestamp);
    if meta.uid().is_empty() {
        meta.uid.clone_from(&o.uid);
    }
    // Go's omitempty: what is empty is absent.
    meta.owner_references.take_if(|v| v.is_empty());
    meta.finalizers.take_if(|v| v.is_empty());
    meta.labels.take_if(|v| v.is_empty());
    meta.annotations.take_if(|v| v.is_empty());
    // An update cannot revive an object that is being deleted. Validation refuses one that sets a deletionTimestamp.
    if o.deletion_timestamp.is_some() {
        meta.deletion_timestamp.clone_from(&o.deletion_timestamp);
    }
    if o.deletion_grace_period_seconds.is_some() && meta.deletion_grace_period_seconds.is_none() {
        meta.deletion_grace_period_seconds = o.deletion_grace_period_seconds;
    }
}

/// 409: the stored object has another uid than the one that the request names.
pub(super) fn other_uid(meant: &str, object: &Object) -> Status {
    let why = format!(
        "StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {meant}, UID in object meta: {}",
        storage_key(&object.reference()),
        object.uid()
    );
    Status::conflict(object.kind(), object.name(), &why)
}

/// `/registry/deployments/default/web`: the key as messages of the storage show it.
fn storage_key(r: &ObjectRef) -> String {
    let group = match r.kind {
        kind if kind == Kind::SERVICE => "services/specs",
        kind if kind == Kind::NODE => "minions",
        k => k.plural(),
    };
    if r.key.namespace.is_empty() {
        format!("/registry/{group}/{}", r.key.name)
    } else {
        format!("/registry/{group}/{}/{}", r.key.namespace, r.key.name)
    }
}

/// 422 with a cause for every violation.
pub(super) fn invalid(kind: Kind, name: &str, errors: &[validation::FieldError]) -> Status {
    invalid_as(kind.as_str(), kind.stored().group(), name, errors)
}

/// The same for an object that says that it is of another kind of the group.
pub(super) fn invalid_as(kind: &str, group: &str, name: &str, errors: &[validation::FieldError]) -> Status {
    let joined = validation::aggregate(errors);
    let causes = errors
        .iter()
        .map(|e| Cause { reason: e.kind.reason().to_owned(), message: e.body(), field: e.field.clone() })
        .collect();
    let details = Details {
        name: name.to_owned(),
        group: group.to_owned(),
        kind: kind.to_owned(),
        causes,
        ..Details::default()
    };
    let what = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
    Status::new(422, "Invalid", format!("{what} {name:?} is invalid: {joined}")).with(details)
}

/// 422 for an update that must say which version it replaces and does not. Unlike other refusals it names the resource
/// and not the kind.
fn must_say_version(kind: Kind, name: &str) -> Status {
    let message = "Invalid value: 0: must be specified for an update";
    let cause = Cause {
        reason: "FieldValueInvalid".into(),
        message: message.into(),
        field: "metadata.resourceVersion".into(),
    };
    let what = kind.group_resource();
    Status::new(422, "Invalid", format!("{what} {name:?} is invalid: metadata.resourceVersion: {message}"))
        .with(Details { causes: vec![cause], ..Details::resource(kind, name) })
}

/// 422 for a Scale with negative replicas.
fn invalid_scale(name: &str, replicas: i32) -> Status {
    let message = format!("Invalid value: {replicas}: must be greater than or equal to 0");
    Status::new(422, "Invalid", format!("Scale.autoscaling {name:?} is invalid: spec.replicas: {message}"))
        .with(Details {
            name: name.into(),
            group: "autoscaling".into(),
            kind: "Scale".into(),
            causes: vec![Cause {
                reason: "FieldValueInvalid".into(),
                message,
                field: "spec.replicas".into(),
            }],
            ..Details::default()
        })
}

/// The object with another `spec.replicas`, if its kind has a scale.
fn with_replicas(object: &Object, replicas: i32) -> Option<Object> {
    if let Some(d) = Deployment::from_object(object) {
        let mut d = Rc::clone(d);
        Rc::make_mut(&mut d).spec.as_mut()?.replicas = Some(replicas);
        return Some(d.into());
    }
    if let Some(s) = StatefulSet::from_object(object) {
        let mut s = Rc::clone(s);
        Rc::make_mut(&mut s).spec.as_mut()?.replicas = Some(replicas);
        return Some(s.into());
    }
    if let Some(r) = ReplicationController::from_object(object) {
        let mut r = Rc::clone(r);
        Rc::make_mut(&mut r).spec.as_mut()?.replicas = Some(replicas);
        return Some(r.into());
    }
    let mut rs = Rc::clone(ReplicaSet::from_object(object)?);
    Rc::make_mut(&mut rs).spec.as_mut()?.replicas = Some(replicas);
    Some(rs.into())
}
