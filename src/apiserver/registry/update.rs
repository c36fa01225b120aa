//! What an update is, whatever the kind (`rest.BeforeUpdate` and what follows it).

use super::{one_owner_once, shown, take_managers};
use crate::api::quote::go_quote;
use crate::api::{Kind, MetaExt, Object, ObjectRef, seconds};
use crate::apimachinery::{Body, Cause, Details, Request, Response, Status, Subresource, Verb};
use crate::apiserver::context::RequestContext;
use crate::apiserver::kinds::service::allocation::begin_update;
use crate::apiserver::kinds::service::ip_allocator::Transaction;
use crate::apiserver::stage::Stage;
use crate::apiserver::validation::invalid;
use crate::apiserver::{ApiServer, admission, kinds, rest};

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
                let Some(old) = self.etcd.get(&r.object()).map(|r| r.object.clone()) else {
                    if kinds::allow_create_on_update(r.kind) && r.subresource == Subresource::None {
                        let create = Request { verb: Verb::Create, body: Body::Object(object), ..r.clone() };
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
        let given = take_managers(&mut object).filter(|_| r.subresource == Subresource::None);
        if r.subresource == Subresource::None {
            let submitted = object.clone();
            admission::mutate_update(&mut object, cx);
            cx.submitted = (submitted != object).then_some(submitted);
        }
        cx.enter(Stage::Compare, "", Some(&object));
        let uid = object.meta().uid();
        if !uid.is_empty() && uid != old.uid() && r.verb == Verb::Update {
            return Err(other_uid(uid, &old));
        }
        let rv = object.meta().resource_version.as_deref().unwrap_or_default();
        if !matches!(rv, "" | "0") {
            if rv.parse::<u64>().is_err() {
                return Err(Status::new(
                    500,
                    "",
                    format!("strconv.ParseUint: parsing {}: invalid syntax", go_quote(rv)),
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
            begin_update(self, &mut object, &old, r.dry_run, addresses)?;
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
            Subresource::Status => rest::validate_status_update(&object, &old),
            Subresource::EphemeralContainers => rest::validate_ephemeral_containers(&object, &old),
            Subresource::Resize => rest::validate_resize(&object, &old),
            Subresource::Approval => rest::validate_approval(&object, &old),
            Subresource::Finalize => rest::validate_finalize(&object, &old),
            _ => rest::validate_update(&object, &old),
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
                None => rest::warnings_on_update(&object, &old),
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
        let undone = r.verb == Verb::Patch && cx.submitted.is_some();
        let same = object == old && cx.managers.is_none() && !undone;
        if !same && !r.dry_run {
            self.charge(charges);
            object = self.write(at, Some(old), object, r, cx);
        }
        Ok(Response::Object { object: shown(object, view.as_ref())?, created: false })
    }
}

/// Fills in the defaults of an object that is to replace another one.
pub(in crate::apiserver) fn default_update(
    r: &Request,
    object: &mut Object,
    cx: &RequestContext,
) -> Result<(), Status> {
    match (&cx.view, r.subresource) {
        (Some(view), _) => view.default(object)?,
        (None, Subresource::Status) => rest::default_for_status(object),
        (None, _) => rest::default(object),
    }
    Ok(())
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
pub(in crate::apiserver) fn other_uid(meant: &str, object: &Object) -> Status {
    let why = format!(
        "StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {meant}, UID in object meta: {}",
        storage_key(&object.reference()),
        object.uid()
    );
    Status::conflict(object.kind(), object.name(), &why)
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
