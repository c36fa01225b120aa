//! What requests about a Namespace do beside its strategy (`pkg/registry/core/namespace`).

use crate::api::types::Namespace;
use crate::api::{ApiKind, Object};

fn edit<T: ApiKind>(object: &mut Object, f: impl FnOnce(&mut T)) {
    if let Some(t) = T::from_object_mut(object) {
        f(t);
    }
}

/// `PrepareForUpdate` of a namespace's finalize strategy: `spec.finalizers` may change, status not.
pub(super) fn prepare_for_finalize(object: &mut Object, old: &Object) {
    let Some(o) = Namespace::from_object(old).cloned() else { return };
    edit(object, |n: &mut Namespace| n.status.clone_from(&o.status));
}

/// Namespaces have finalizers in `spec` beside those in `metadata`.
pub(super) fn has_spec_finalizers(object: &Object) -> bool {
    Namespace::from_object(object)
        .and_then(|n| n.spec.as_ref()?.finalizers.as_ref())
        .is_some_and(|f| !f.is_empty())
}

pub(super) fn mark_namespace_terminating(object: &mut Object) {
    edit(object, |n: &mut Namespace| n.status.get_or_insert_default().phase = Some("Terminating".into()));
}
