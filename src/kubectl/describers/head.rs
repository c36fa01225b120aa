//! What stands above the fields of most objects.

use super::{Writer, annotations};
use crate::api::Object;

/// Name and namespace.
pub(super) fn named(w: &mut Writer, object: &Object) {
    w.line(0, &format!("Name:\t{}", object.name()));
    w.line(0, &format!("Namespace:\t{}", object.namespace()));
}

/// Labels and annotations.
pub(super) fn marks(w: &mut Writer, object: &Object) {
    w.map(0, "Labels", object.meta().labels.as_ref());
    annotations(w, 0, object.meta().annotations.as_ref());
}
