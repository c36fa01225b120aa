//! NamespaceLifecycle: nothing is made in a namespace that does not exist or is being deleted
//! (`k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle`).

use super::{Plugin, hook};
use crate::api::{Kind, MetaExt, Object};
use crate::apimachinery::{Cause, Status};
use crate::apiserver::ApiServer;
use crate::apiserver::refusal::name_in_refusal;

pub(super) const PLUGIN: Plugin = Plugin { admit_create: hook(&[], admit_create), ..Plugin::new(NAME) };

/// The name of the plug-in.
pub(super) const NAME: &str = "NamespaceLifecycle";

fn admit_create(api: &mut ApiServer, object: &mut Object) -> Result<(), Status> {
    let (kind, meta) = (object.kind(), object.meta());
    if !kind.namespaced() {
        return Ok(());
    }
    open_for_creation(api, kind, object.namespace(), name_in_refusal(meta))
}

/// Whether something may be created in a namespace: an object of this kind and name, or something of it.
///
/// # Errors
/// 404: there is no such namespace. 403: it is being deleted.
pub(super) fn open_for_creation(
    api: &ApiServer,
    kind: Kind,
    namespace: &str,
    name: &str,
) -> Result<(), Status> {
    let Some(ns) = api.namespace(namespace) else {
        return Err(Status::not_found(Kind::NAMESPACE, namespace));
    };
    if !ns.meta().is_deleting() {
        return Ok(());
    }
    let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
    let mut refusal = Status::forbidden(kind, name, &why);
    if let Some(details) = refusal.details.as_mut() {
        details.causes.push(Cause {
            reason: "NamespaceTerminating".into(),
            message: format!("namespace {namespace} is being terminated"),
            field: "metadata.namespace".into(),
        });
    }
    Err(refusal)
}
