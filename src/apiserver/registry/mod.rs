//! The generic store behind every resource (`k8s.io/apiserver/pkg/registry/generic/registry` and
//! `rest`): what reads, creates, updates and writes are, whatever the kind.

mod scale;
mod update;
mod write;

use super::apiextensions::View;
use super::context::RequestContext;
use super::kinds::{self, Creation};
use super::stage::Stage;
use super::validation::invalid;
use super::{ApiServer, ValidSpecCache, admission, rest};
use crate::api::types::{ManagedFieldsEntry, Pod, PodSpec, Time};
use crate::api::{Key, Kind, MetaExt, Object, ObjectRef, Timestamp, seconds};
use crate::apimachinery::{Body, Request, Response, Status, Subresource};

pub(super) use scale::scale_of;
pub(super) use update::{check_name, default_update, other_uid};
pub(super) use write::owners;

/// The most objects that a cluster may have, not counting events.
pub const OBJECTS_LIMIT: usize = 20_000;
/// The most events that a cluster may have.
pub const EVENTS_LIMIT: usize = 60_000;

/// How many characters of `generateName` are in the name that is made of it (`k8s.io/apiserver/pkg/storage/names`).
pub const MAX_GENERATED_BASE: usize = 58;
/// How many characters follow them in a generated name.
pub const GENERATED_SUFFIX: usize = 5;

impl ApiServer {
    pub(in crate::apiserver) fn get(&self, r: &Request, cx: &RequestContext) -> Result<Response, Status> {
        if r.subresource == Subresource::Scale {
            return self.get_scale(r, cx);
        }
        Ok(Response::Object { object: self.current(r, cx)?, created: false })
    }

    /// A list, in the version that was asked for.
    pub(in crate::apiserver) fn list_as(&self, r: &Request, cx: &RequestContext) -> Result<Response, Status> {
        match (self.list(r), &cx.view) {
            (Response::List { items, revision }, Some(view)) => {
                let items = items.iter().map(|o| view.read(o)).collect::<Result<_, Status>>()?;
                Ok(Response::List { items, revision })
            }
            (list, _) => Ok(list),
        }
    }

    pub(in crate::apiserver) fn list(&self, r: &Request) -> Response {
        let namespace = (!r.key.namespace.is_empty()).then_some(&*r.key.namespace);
        let items = self.etcd.range(r.kind, namespace).map(|(_, r)| r.object.clone()).collect();
        Response::List { items, revision: self.etcd.revision() }
    }

    pub(in crate::apiserver) fn create(
        &mut self,
        r: &Request,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
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
    pub(in crate::apiserver) fn create_object(
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
            None => rest::default(&mut object),
        }
        one_owner_once(&mut object, false, &mut cx.warnings);
        // Nothing is added to an event, and half of all writes are events: their objects are not copied.
        cx.submitted = (r.kind != Kind::EVENT).then(|| object.clone());
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
            (None, Some(pod)) => rest::validate_pod_of_valid_spec(pod),
            (None, None) => rest::validate_create(&object),
        };
        kinds::versions::validate(r.kind, &object, None, &mut errors);
        if !errors.is_empty() {
            return Err(invalid(r.kind, object.name(), &errors));
        }
        // A client names a field manager and gets warnings; a component of the cluster does neither.
        if r.field_manager.is_some() {
            cx.warnings.extend(match &view {
                Some(view) => view.warnings(&object, None),
                None => rest::warnings_on_create(&object),
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

    /// The stored object that a request is about.
    pub(in crate::apiserver) fn existing(&self, r: &Request) -> Result<Object, Status> {
        match self.etcd.get(&r.object()) {
            Some(record) => Ok(record.object.clone()),
            None => Err(Status::not_found(r.kind, &r.key.name)),
        }
    }

    /// [`Self::existing`] in the version that the request is about.
    pub(in crate::apiserver) fn current(&self, r: &Request, cx: &RequestContext) -> Result<Object, Status> {
        shown(self.existing(r)?, cx.view.as_ref())
    }

    /// Gives the object the namespace of the path; an object with another namespace is refused.
    pub(in crate::apiserver) fn match_namespace(
        &self,
        r: &Request,
        object: &mut Object,
    ) -> Result<(), Status> {
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
    pub(in crate::apiserver) fn now_seconds(&self) -> Timestamp {
        seconds(self.now)
    }

    /// The namespace of that name.
    pub(in crate::apiserver) fn namespace(&self, name: &str) -> Option<&Object> {
        self.etcd.get(&ObjectRef { kind: Kind::NAMESPACE, key: Key::new("", name) }).map(|r| &r.object)
    }
}

/// A stored object in the version that a request is about.
pub(in crate::apiserver) fn shown(stored: Object, view: Option<&View>) -> Result<Object, Status> {
    match view {
        Some(view) => view.read(&stored),
        None => Ok(stored),
    }
}

/// Takes the field managers that a body names out of the object: the store keeps field managers beside the objects.
fn take_managers(object: &mut Object) -> Option<Vec<ManagedFieldsEntry>> {
    object.meta().managed_fields.as_ref()?;
    object.meta_mut().managed_fields.take()
}

/// Keeps an owner that is given twice once, and warns of it (`dedupOwnerReferences`). The warning about a patch says that
/// it comes after admission.
pub(in crate::apiserver) fn one_owner_once(object: &mut Object, of_patch: bool, warned: &mut Vec<String>) {
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
