//! NamespaceLifecycle: nothing is made in a namespace that does not exist or is being deleted
//! (`k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle`).

use super::{Plugin, hook};
use crate::api::{Kind, MetaExt, Object};
use crate::apimachinery::{Cause, Status};
use crate::apiserver::ApiServer;
use crate::apiserver::refusal::name_in_refusal;

pub(super) const PLUGIN: Plugin =
    Plugin { admit_create: hook(&[], admit_create), ..Plugin::new("NamespaceLifecycle") };

fn admit_create(api: &mut ApiServer, object: &mut Object) -> Result<(), Status> {
    if !object.kind().namespaced() {
        return Ok(());
    }
    let name = object.namespace();
    let Some(ns) = api.namespace(name) else { return Err(Status::not_found(Kind::NAMESPACE, name)) };
    if ns.meta().is_deleting() {
        let why = format!("unable to create new content in namespace {name} because it is being terminated");
        let mut s = Status::forbidden(object.kind(), name_in_refusal(object.meta()), &why);
        if let Some(d) = s.details.as_mut() {
            d.causes.push(Cause {
                reason: "NamespaceTerminating".into(),
                message: format!("namespace {name} is being terminated"),
                field: "metadata.namespace".into(),
            });
        }
        return Err(s);
    }
    Ok(())
}
