//! Ingresses, IngressClasses, NetworkPolicies and ReplicationControllers
//! (`pkg/registry/networking/*/strategy.go`, `pkg/registry/core/replicationcontroller/strategy.go`).

use super::{drop_disabled, edit, keep};
use crate::api::types::{Ingress, IngressClass, NetworkPolicy, ReplicationController};
use crate::api::{ApiKind, MetaExt, Object};

/// `PrepareForCreate`
pub(super) fn create(object: &mut Object) {
    object.meta_mut().generation = Some(1);
    edit(object, |i: &mut Ingress| i.status = Some(Default::default()));
    edit(object, |r: &mut ReplicationController| {
        r.status = Some(Default::default());
        drop_disabled(r.spec.as_mut().and_then(|s| s.template.as_mut()), None);
    });
    // The answer is what was stored, and the empty fields of a status are stored too.
    crate::apiserver::defaults::apply(object);
}

/// `PrepareForUpdate`: the status stays, and a change of what is wanted is counted.
pub(super) fn update(object: &mut Object, old: &Object) {
    let mut changed = false;
    if let Some(o) = Ingress::from_object(old) {
        edit(object, |i: &mut Ingress| {
            i.status.clone_from(&o.status);
            changed = i.spec != o.spec;
        });
    }
    if let Some(o) = IngressClass::from_object(old) {
        changed = IngressClass::from_object(object).is_some_and(|c| c.spec != o.spec);
    }
    if let Some(o) = NetworkPolicy::from_object(old) {
        changed = NetworkPolicy::from_object(object).is_some_and(|p| p.spec != o.spec);
    }
    if let Some(o) = ReplicationController::from_object(old) {
        edit(object, |r: &mut ReplicationController| {
            r.status.clone_from(&o.status);
            let before = o.spec.as_ref().and_then(|s| s.template.as_ref());
            drop_disabled(r.spec.as_mut().and_then(|s| s.template.as_mut()), before);
            changed = r.spec != o.spec;
        });
    }
    if changed {
        object.meta_mut().generation = Some(old.meta().generation() + 1);
    }
}

/// `PrepareForUpdate` of the status strategies.
pub(super) fn keep_spec(object: &mut Object, old: &Object) {
    if let Some(o) = Ingress::from_object(old) {
        edit(object, |i: &mut Ingress| keep(&mut i.spec, &o.spec));
    }
    if let Some(o) = ReplicationController::from_object(old) {
        edit(object, |r: &mut ReplicationController| keep(&mut r.spec, &o.spec));
    }
}
