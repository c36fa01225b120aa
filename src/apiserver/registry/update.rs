//! What an update is, whatever the kind (`rest.BeforeUpdate` and what follows it).

use std::collections::BTreeMap;

use super::strategy::WriteStrategy;
use super::{scale_of, shown, take_managers};
use crate::api::quote::go_quote;
use crate::api::types::ObjectMeta;
use crate::api::{Kind, Manager, MetaExt, Object, ObjectRef, seconds};
use crate::apimachinery::{Body, Cause, Details, Request, Response, Status, Subresource, Verb};
use crate::apiserver::context::RequestContext;
use crate::apiserver::kinds::service::allocation::begin_update;
use crate::apiserver::kinds::service::ip_allocator::Transaction;
use crate::apiserver::owners::one_owner_once;
use crate::apiserver::policy::Attributes;
use crate::apiserver::stage::Stage;
use crate::apiserver::validation::{Errors, invalid};
use crate::apiserver::{ApiServer, admission, kinds};

/// The message of every conflict: the object was changed in between.
const CONFLICT: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

impl ApiServer {
    pub(in crate::apiserver) fn update(
        &mut self,
        r: &Request,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        match &r.body {
            Body::Object(object) => {
                let mut object = object.clone();
                cx.enter(Stage::Decode, "", Some(&object));
                self.match_namespace(r, &mut object)?;
                check_name(object.name(), &r.key.name)?;
                let Some(old) = self.stored(&r.object()).cloned() else {
                    if !kinds::allow_create_on_update(r.kind) || r.subresource != Subresource::None {
                        return Err(Status::not_found(r.kind, &r.key.name));
                    }
                    if !object.uid().is_empty() {
                        return Err(precondition_failed(&r.object(), "UID", object.uid(), ""));
                    }
                    return self.create_instead(r, object, cx);
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

    /// Creates the object of an update or of an apply, as there is none that would change. Its version, which a create
    /// refuses, counts for nothing (`updateState` in `k8s.io/apiserver/pkg/storage/etcd3/store.go`).
    pub(in crate::apiserver) fn create_instead(
        &mut self,
        r: &Request,
        mut object: Object,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        check_version(object.resource_version().unwrap_or_default())?;
        cx.creates_instead = true;
        if !r.dry_run {
            object.set_resource_version(None);
        }
        self.create(&Request { verb: Verb::Create, body: Body::Object(object), ..r.clone() }, cx)
    }

    /// Stores a new version of an object that has been decoded and defaulted (`rest.BeforeUpdate` and what follows it).
    pub(in crate::apiserver) fn store_update(
        &mut self,
        r: &Request,
        old: Object,
        object: Object,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        let mut addresses = Transaction::default();
        let answer = self.store_allocated(r, old, object, &mut addresses, cx);
        addresses.finish(self, answer.is_ok());
        answer
    }

    fn store_allocated(
        &mut self,
        r: &Request,
        old: Object,
        mut object: Object,
        addresses: &mut Transaction,
        cx: &mut RequestContext,
    ) -> Result<Response, Status> {
        let strategy = WriteStrategy::of(r, cx)?;
        // The object itself is written, not a subresource of it.
        let itself = r.subresource == Subresource::None;
        let given = take_managers(&mut object).filter(|_| itself);
        let submitted = itself.then(|| object.clone());
        let plugins = |api: &mut ApiServer, object: &mut Object, cx: &mut RequestContext| {
            if itself {
                admission::admit_update(object, &old, cx);
            } else if r.subresource == Subresource::Resize {
                admission::admit_resize(api, object, &old, cx);
            }
            Ok(())
        };
        let before = self.admit(r, cx, &mut object, Some(&old), "", plugins)?;
        cx.submitted = submitted.or(before).filter(|submitted| *submitted != object);
        if itself {
            self.check_escalation(r, &object, Some(&old), cx)?;
        }
        cx.enter(Stage::Compare, "", Some(&object));
        replaces(r, &mut object, &old)?;
        if itself {
            begin_update(self, &mut object, &old, r.dry_run, addresses)?;
        }
        cx.enter(Stage::Prepare, "", Some(&object));
        keep_system_fields(&mut object, &old);
        strategy.prepare_for_update(&mut object, &old, seconds(self.now))?;
        cx.enter(Stage::Validate, "", Some(&object));
        let mut first = Errors::new();
        if r.subresource == Subresource::Status {
            first.extend(self.admin_access(&object, Some(&old)));
            first.extend(self.claim_status_rights(r, &object, &old, cx));
        }
        validate(r, &strategy, &object, &old, first, cx)?;
        if itself {
            admission::validate_update(self, &object, &old, cx)?;
        } else if r.subresource == Subresource::Resize {
            admission::validate_resize(self, &object, &old, cx)?;
        } else if r.subresource == Subresource::EphemeralContainers {
            admission::validate_ephemeral_containers(self, &object, &old, cx)?;
        }
        self.check_signer(r, &object, &old, cx)?;
        self.ask_policies(r, cx, Some(&object), || updated(r, &object, &old))?;
        let charges = self.quota_charges(&object, Some(&old), r.subresource, cx)?;
        cx.enter(Stage::Store, "", Some(&object));
        object.set_resource_version(old.resource_version());
        if is_released(&object) {
            let object = strategy.to_stored(object)?;
            if !r.dry_run {
                self.remove(&old.reference(), &object, r);
            }
            return Ok(Response::Object { object: strategy.shown(object)?, created: false });
        }
        self.decide(r, given.as_deref(), Some(&old), &object, cx);
        let old = match &strategy {
            WriteStrategy::BuiltIn(_) => old,
            WriteStrategy::Custom { .. } => self.existing(r)?,
        };
        let mut object = strategy.to_stored(object)?;
        let of_managers = |decided| !Manager::own_the_same(&self.managers(&old.reference()), decided);
        let changed = object != old || cx.managers.as_deref().is_some_and(of_managers);
        if !r.dry_run && !changed {
            // What was worked out of the managers differs from what is stored by times at most, and is not stored.
            cx.managers = None;
        } else if !r.dry_run {
            self.charge(charges);
            object = self.write(old.reference(), Some(old), object, r, cx);
        }
        Ok(Response::Object { object: strategy.shown(object)?, created: false })
    }
}

/// What policies see of an update. That of a scale is one of a Scale.
fn updated<'a>(r: &'a Request, object: &'a Object, old: &'a Object) -> Attributes<'a> {
    let attributes = Attributes::update(r, object, old);
    let scales = (r.subresource == Subresource::Scale).then(|| scale_of(object).zip(scale_of(old))).flatten();
    match scales {
        Some((new, old)) => attributes.of_object(crate::api::scale::kind(), new, old),
        None => attributes,
    }
}

/// Fills in the defaults of an object that is to replace another one.
pub(in crate::apiserver) fn default_update(
    r: &Request,
    object: &mut Object,
    cx: &RequestContext,
) -> Result<(), Status> {
    WriteStrategy::of(r, cx)?.default(object)
}

/// Whether an object replaces the stored one: it has the same uid and the same version, or does not say. An object without
/// a version gets that of the stored one, if its kind allows that.
///
/// # Errors
/// 409: another uid or version. 422: the object has to name a version. 500: the version is no number.
fn replaces(r: &Request, object: &mut Object, old: &Object) -> Result<(), Status> {
    let uid = object.meta().uid();
    if !uid.is_empty() && uid != old.uid() && r.verb == Verb::Update {
        return Err(other_uid(uid, old));
    }
    let version = object.resource_version().unwrap_or_default();
    if !matches!(version, "" | "0") {
        check_version(version)?;
        if old.resource_version() != Some(version) {
            return Err(Status::conflict(r.kind, &r.key.name, CONFLICT));
        }
    } else if kinds::allow_unconditional_update(r.kind) {
        object.set_resource_version(old.resource_version());
    } else if r.field_manager.is_some() {
        return Err(must_say_version(r.kind, &r.key.name));
    }
    Ok(())
}

/// Checks that the version of an object is a number, or that there is none.
///
/// # Errors
/// 500: it is something else.
fn check_version(version: &str) -> Result<(), Status> {
    if version.is_empty() || version.parse::<u64>().is_ok() {
        return Ok(());
    }
    let message = format!("strconv.ParseUint: parsing {}: invalid syntax", go_quote(version));
    Err(Status::new(500, "", message))
}

/// Refuses an update that is not valid, and warns the client of what is dubious about one that is. `first` is what is known to
/// be wrong with it already.
fn validate(
    r: &Request,
    strategy: &WriteStrategy,
    object: &Object,
    old: &Object,
    first: Errors,
    cx: &mut RequestContext,
) -> Result<(), Status> {
    let mut errors = cx.validated(strategy.validate_update(object, old));
    errors.splice(0..0, first);
    if r.subresource == Subresource::None {
        kinds::versions::validate(r.kind, object, Some(old), &mut errors);
    }
    if !errors.is_empty() {
        return Err(invalid(r.kind, object.name(), &errors));
    }
    // A component of the cluster names no field manager and gets no warnings.
    if r.field_manager.is_some() {
        cx.warnings.extend(strategy.warnings_on_update(object, old));
    }
    Ok(())
}

/// Whether an object that is being deleted has lost its last finalizer, so that the update is its removal.
fn is_released(object: &Object) -> bool {
    let meta = object.meta();
    meta.is_deleting()
        && meta.finalizers.as_ref().is_none_or(Vec::is_empty)
        && meta.deletion_grace_period_seconds.unwrap_or(0) == 0
        && !kinds::namespace::has_spec_finalizers(object)
}

/// Whether metadata is as [`keep_system_fields`] leaves it. Most updates are of a status; then the metadata stays shared.
fn has_system_fields(meta: &ObjectMeta, old: &ObjectMeta) -> bool {
    let is_empty = |map: &Option<BTreeMap<String, String>>| map.as_ref().is_some_and(BTreeMap::is_empty);
    meta.generation == old.generation
        && meta.self_link.is_none()
        && meta.creation_timestamp == old.creation_timestamp
        && !meta.uid().is_empty()
        && meta.owner_references.as_ref().is_none_or(|v| !v.is_empty())
        && meta.finalizers.as_ref().is_none_or(|v| !v.is_empty())
        && !is_empty(&meta.labels)
        && !is_empty(&meta.annotations)
        && meta.deletion_timestamp == old.deletion_timestamp
        && meta.deletion_grace_period_seconds == old.deletion_grace_period_seconds
}

/// Keeps the metadata that only the system writes as it was.
fn keep_system_fields(object: &mut Object, old: &Object) {
    let o = old.meta();
    if has_system_fields(object.meta(), o) {
        return;
    }
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
pub(in crate::apiserver) fn other_uid(meant: &str, object: &Object) -> Status {
    precondition_failed(&object.reference(), "UID", meant, object.uid())
}

/// 409: the stored object has another uid or version than the one that the request names, in the words of the storage
/// (`Preconditions.Check` of `k8s.io/apiserver/pkg/storage`).
pub(in crate::apiserver) fn precondition_failed(
    at: &ObjectRef,
    what: &str,
    meant: &str,
    have: &str,
) -> Status {
    let why = format!(
        "StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: {what} in precondition: {meant}, {what} in object meta: {have}",
        storage_key(at),
    );
    Status::conflict(at.kind, &at.key.name, &why)
}

/// `/registry/deployments/default/web`: the key as messages of the storage show it.
fn storage_key(r: &ObjectRef) -> String {
    let group = match kinds::storage(r.kind).prefix {
        Some(prefix) => prefix.to_owned(),
        None if r.kind.is_custom() => format!("{}/{}", r.kind.group(), r.kind.plural()),
        None => r.kind.plural().to_owned(),
    };
    if r.key.namespace.is_empty() {
        format!("/registry/{group}/{}", r.key.name)
    } else {
        format!("/registry/{group}/{}/{}", r.key.namespace, r.key.name)
    }
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
    Status::new(
        422,
        "Invalid",
        format!("{what} {name} is invalid: metadata.resourceVersion: {message}", name = go_quote(name)),
    )
    .with(Details { causes: vec![cause], ..Details::resource(kind, name) })
}

/// Checks that the name in a body is the name in the path.
pub(in crate::apiserver) fn check_name(have: &str, want: &str) -> Result<(), Status> {
    if have.is_empty() {
        return Err(Status::bad_request(format!(
            "the name of the object ({want} based on URL) was undeterminable: name must be provided"
        )));
    }
    if have != want {
        return Err(Status::bad_request(format!(
            "the name of the object ({have}) does not match the name on the URL ({want})"
        )));
    }
    Ok(())
}
