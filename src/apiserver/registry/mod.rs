//! The generic store behind every resource (`k8s.io/apiserver/pkg/registry/generic/registry` and
//! `rest`): what reads, creates, updates and writes are, whatever the kind.

mod create;
mod scale;
mod strategy;
mod update;
mod write;

use super::ApiServer;
use super::apiextensions::View;
use super::context::RequestContext;
use super::kinds::resource_claim::{admin_access, allows_admin_access};
use super::validation::FieldError;
use crate::api::types::ManagedFieldsEntry;
use crate::api::types::resource::ADMIN_ACCESS;
use crate::api::{Key, Kind, MetaExt, Object, ObjectRef, Timestamp, seconds};
use crate::apimachinery::{Request, Response, Status, Subresource};

pub use create::{GENERATED_SUFFIX, MAX_GENERATED_BASE};
pub(super) use scale::scale_of;
pub(super) use update::{check_name, default_update, other_uid, precondition_failed};
pub(super) use write::managers_after;

/// The most objects that a cluster may have, not counting events.
pub const OBJECTS_LIMIT: usize = 60_000;
/// The most events that a cluster may have.
pub const EVENTS_LIMIT: usize = 300_000;

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

    /// The stored object that a request is about.
    pub(in crate::apiserver) fn existing(&self, r: &Request) -> Result<Object, Status> {
        match self.stored(&r.object()) {
            Some(object) => Ok(object.clone()),
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

    /// What is wrong with admin access that an object asks for, or that is given it in its status: only claims in namespaces
    /// with a certain label may have it. `old` is the object before if its status is written.
    fn admin_access(&self, object: &Object, old: Option<&Object>) -> Option<FieldError> {
        let at = admin_access(object, old)?;
        let namespace = self.namespace(object.meta().namespace());
        if namespace.is_some_and(|namespace| allows_admin_access(namespace.meta())) {
            return None;
        }
        let why = match namespace {
            Some(_) => format!(
                "admin access to devices requires the `{ADMIN_ACCESS}: true` label on the containing namespace"
            ),
            None => {
                let missing = Status::not_found(Kind::NAMESPACE, object.meta().namespace()).message;
                let why = format!("could not retrieve namespace to verify admin access: {missing}");
                return Some(FieldError::internal(&at, why));
            }
        };
        Some(FieldError::forbidden(&at, why))
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
