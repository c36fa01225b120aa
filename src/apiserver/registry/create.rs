//! What a create is, whatever the kind (`rest.BeforeCreate` and what follows it).

use super::strategy::WriteStrategy;
use super::{EVENTS_LIMIT, OBJECTS_LIMIT, take_managers};
use crate::api::types::{ManagedFieldsEntry, Pod, PodSpec, Time};
use crate::api::{Kind, MetaExt, Object, pod, seconds};
use crate::apimachinery::{Body, Request, Response, Status, Subresource};
use crate::apiserver::authorization::{Access, Asked, Resource, forbidden};
use crate::apiserver::context::RequestContext;
use crate::apiserver::kinds::service::allocation::begin_create;
use crate::apiserver::kinds::service::ip_allocator::Transaction;
use crate::apiserver::kinds::{self, Creation};
use crate::apiserver::owners::one_owner_once;
use crate::apiserver::policy::Attributes;
use crate::apiserver::stage::Stage;
use crate::apiserver::valid_spec::{Valid, ValidSpecCache};
use crate::apiserver::validation::invalid;
use crate::apiserver::{ApiServer, admission, rest};

/// How many characters of `generateName` are in the name that is made of it (`k8s.io/apiserver/pkg/storage/names`).
pub const MAX_GENERATED_BASE: usize = 58;
/// How many characters follow them in a generated name.
pub const GENERATED_SUFFIX: usize = 5;
/// How often a name is generated for an object at most (`maxNameGenerationCreateAttempts`).
const GENERATED_ATTEMPTS: usize = 8;

/// What is kept of a new object as it came, before defaults and admission.
struct Submitted {
    /// The spec of a pod.
    spec: Option<pod::Spec>,
    /// Whether it has labels.
    labelled: bool,
    /// Its name; empty if it is generated.
    name: String,
}

impl ApiServer {
    pub(in crate::apiserver) fn create(
        &mut self,
        r: &Request,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        match (&r.body, r.subresource) {
            (Body::Binding(binding), Subresource::Binding) => self.bind(r, (**binding).clone(), cx),
            (Body::Delete(_) | Body::None, Subresource::Eviction) => self.evict(r, cx),
            (Body::AccessReview(review), Subresource::AccessReview) => self.review_access(review),
            (Body::Object(object), Subresource::None) => self.create_object(r, object.clone(), cx),
            _ => Err(Status::method_not_supported(r.kind, "create")),
        }
    }

    /// Creates the object that the body of the request was.
    pub(in crate::apiserver) fn create_object(
        &mut self,
        r: &Request,
        mut object: Object,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        let strategy = WriteStrategy::of(r, cx)?;
        let given = take_managers(&mut object);
        cx.enter(Stage::Decode, "", Some(&object));
        self.match_namespace(r, &mut object)?;
        wipe_object_meta(&mut object);
        cx.enter(Stage::Default, "", Some(&object));
        let spec = object.get::<Pod>().and_then(|p| p.spec.clone());
        let labelled = !object.meta().labels_or_empty().is_empty();
        let name = object.name().to_owned();
        if !self.valid_spec.fill_in(&mut object) {
            strategy.default(&mut object)?;
        }
        one_owner_once(&mut object, false, &mut cx.warnings);
        // Nothing is added to an event, and half of all writes are events: their objects are not copied.
        cx.submitted = (r.kind != Kind::EVENT).then(|| self.valid_spec.as_submitted(spec.as_ref(), &object));
        let mut submitted = Submitted { spec, labelled, name };
        if let Some(view) = &cx.view {
            view.admits_create(&object)?;
        }
        if let Some(before) =
            self.admit(r, cx, &mut object, None, &submitted.name, admission::admit_create)?
        {
            cx.submitted.get_or_insert(before);
            // What became of the spec does not follow from the spec alone.
            submitted.spec = None;
        }
        self.check_escalation(r, &object, None, cx)?;
        cx.enter(Stage::Prepare, "", Some(&object));
        self.fill_object_meta(&mut object);
        let mut addresses = Transaction::default();
        let begun = begin_create(self, &mut object, r.dry_run, &mut addresses);
        let create = |()| self.create_begun(r, &strategy, object, given.as_deref(), submitted, cx);
        let answer = begun.and_then(create);
        addresses.finish(self, answer.is_ok());
        answer
    }

    /// Creates an object for which everything is allocated that it needs. `given` are the field managers of the body.
    fn create_begun(
        &mut self,
        r: &Request,
        strategy: &WriteStrategy,
        mut object: Object,
        given: Option<&[ManagedFieldsEntry]>,
        submitted: Submitted,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        let (now, labelled, name) = (self.now_seconds(), submitted.labelled, submitted.name.clone());
        let mut creation = Creation { now, labelled, user: cx.user.as_deref(), warnings: &mut cx.warnings };
        strategy.prepare_for_create(&mut object, &mut creation)?;
        self.valid_spec.share(submitted.spec.as_ref(), &mut object);
        cx.enter(Stage::Validate, "", Some(&object));
        self.validate_new(r, strategy, submitted, &object, cx)?;
        self.may_create_instead(r, cx)?;
        admission::validate_create(self, &object, cx)?;
        // By now a name that was to be generated is there (`AdmissionToValidateObjectFunc` of `registry/rest/create.go`).
        let name = if name.is_empty() { object.name() } else { &name };
        self.ask_policies(r, cx, Some(&object), || Attributes::create(r, &object, name))?;
        let charges = self.quota_charges(&object, None, r.subresource, cx)?;
        cx.enter(Stage::Store, "", Some(&object));
        drop_version(r, &mut object)?;
        self.refuse_existing(r, &object)?;
        self.has_room(r.kind)?;
        self.decide(r, given, None, &object, cx);
        let at = object.reference();
        let mut object = strategy.to_stored(object)?;
        if !r.dry_run {
            self.charge(charges);
            object = self.write(at, None, object, r, cx);
        }
        Ok(Response::Object { object: strategy.shown(object)?, created: true })
    }

    /// Who was let through to update or to apply needs the right to create, too, if there is no such object (`withAuthorization` of
    /// `k8s.io/apiserver/pkg/endpoints/handlers/create.go`).
    fn may_create_instead(&self, r: &Request, cx: &RequestContext) -> Result<(), Status> {
        let Some(user) = cx.user.as_ref().filter(|_| cx.creates_instead) else { return Ok(()) };
        let (group, resource, name) = (r.kind.group(), r.kind.plural(), &r.key.name);
        let of = Resource {
            group: group.to_owned(),
            resource: resource.to_owned(),
            namespace: r.key.namespace.to_string(),
            name: name.to_string(),
            ..Resource::default()
        };
        let access = Access { user: user.clone(), verb: "create".to_owned(), of: Asked::Resource(of) };
        let decision = self.authorize(&access);
        if decision.allowed { Ok(()) } else { Err(forbidden(group, resource, name, &decision.reason)) }
    }

    /// Gives a new object its uid and its time, and a name if it has only the prefix of one (`rest.BeforeCreate`).
    fn fill_object_meta(&mut self, object: &mut Object) {
        let now = seconds(self.now);
        let uid = self.new_uid();
        let meta = object.meta_mut();
        meta.creation_timestamp = Some(Time(now));
        meta.uid = Some(uid);
        if meta.name().is_empty() && meta.generate_name.as_deref().is_some_and(|g| !g.is_empty()) {
            self.generate_name(object);
        }
    }

    /// Names a new object by its prefix. A name that is in use is made anew some times (`createWithGenerateNameRetry`).
    fn generate_name(&mut self, object: &mut Object) {
        let random = kinds::storage(object.kind()).random_names;
        let base = object.meta().generate_name.iter().flat_map(|g| g.chars());
        let base: String = base.take(MAX_GENERATED_BASE).collect();
        for _ in 0..GENERATED_ATTEMPTS {
            let suffix = if random { self.random_suffix() } else { String::new() };
            object.meta_mut().name = Some(format!("{base}{suffix}"));
            if self.stored(&object.reference()).is_none() {
                return;
            }
        }
    }

    /// Refuses a new object that is not valid, and warns the client of what is dubious about one that is. Of the pods that
    /// were submitted with one spec only the first is looked at.
    fn validate_new(
        &mut self,
        r: &Request,
        strategy: &WriteStrategy,
        submitted: Submitted,
        object: &Object,
        cx: &mut RequestContext,
    ) -> Result<(), Status> {
        let known = self.valid_spec.holds(submitted.spec.as_ref());
        let mut errors = match object.get::<Pod>().filter(|_| known) {
            Some(pod) => rest::validate_pod_of_valid_spec(pod),
            None => cx.validated(strategy.validate(object)),
        };
        errors.splice(0..0, self.admin_access(object, None));
        kinds::versions::validate(r.kind, object, None, &mut errors);
        if !errors.is_empty() {
            return Err(invalid(r.kind, object.name(), &errors));
        }
        // A client names a field manager and gets warnings; a component of the cluster does neither.
        if r.field_manager.is_some() {
            cx.warnings.extend(strategy.warnings_on_create(object));
        }
        // The claims of ephemeral volumes are named after the pod.
        let named = |s: &PodSpec| s.volumes.iter().flatten().any(|v| v.ephemeral.is_some());
        let came = submitted.spec.filter(|s| !known && !named(s));
        if let Some((came, submitted)) = came.zip(cx.submitted.clone()) {
            self.valid_spec = ValidSpecCache::of(Valid { came, submitted, stored: object.clone() });
        }
        Ok(())
    }

    /// Refuses a new object whose name is in use.
    fn refuse_existing(&self, r: &Request, object: &Object) -> Result<(), Status> {
        let Some(old) = self.stored(&object.reference()) else { return Ok(()) };
        let mut s = Status::already_exists(r.kind, object.name());
        if object.meta().generate_name.as_deref().is_some_and(|g| !g.is_empty()) {
            // `NewGenerateNameConflict`
            s.message += ", the server was not able to generate a unique name for the object";
            if let Some(details) = &mut s.details {
                details.retry_after_seconds = 1;
            }
        }
        if old.meta().is_deleting() {
            s.message = format!("object is being deleted: {}", s.message);
        }
        Err(s)
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
}

/// Takes off a new object what only the API server says of its metadata (`rest.WipeObjectMetaSystemFields`). Most objects come
/// without it.
fn wipe_object_meta(object: &mut Object) {
    let meta = object.meta();
    let given = meta.creation_timestamp.is_some()
        || meta.deletion_timestamp.is_some()
        || meta.deletion_grace_period_seconds.is_some()
        || meta.uid.is_some()
        || meta.self_link.is_some();
    if given {
        let meta = object.meta_mut();
        meta.creation_timestamp = None;
        meta.deletion_timestamp = None;
        meta.deletion_grace_period_seconds = None;
        meta.uid = None;
        meta.self_link = None;
    }
}

/// Takes the version off a new object, which only etcd gives it. A version that is no number is ignored.
///
/// # Errors
/// 500: the object has a version, and the request is no dry run.
fn drop_version(r: &Request, object: &mut Object) -> Result<(), Status> {
    let version = object.revision();
    if version.is_some_and(|v| v != 0) && !r.dry_run {
        return Err(Status::new(500, "", "resourceVersion should not be set on objects to be created"));
    }
    if version.is_none_or(|v| v == 0) {
        object.set_resource_version(None);
    }
    Ok(())
}
