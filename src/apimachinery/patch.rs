//! The body of a PATCH.

use std::rc::Rc;

use serde_json::Value;

use crate::api::types::{Pod, PodStatus};
use crate::api::{Object, Shared};

/// A change to an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Patch {
    /// A JSON patch (RFC 6902).
    Json(Value),
    /// A JSON merge patch (RFC 7386).
    Merge(Value),
    /// A strategic merge patch.
    Strategic(Value),
    /// A server-side apply.
    Apply {
        /// The configuration: the fields that the manager wants to own, and their values.
        config: Value,
        /// Whether the manager takes fields from other managers.
        force: bool,
    },
    /// The strategic merge patch that leads from one object to another, as a component computes it from the object
    /// that it read and the object that it wants. The difference is only worked out if the stored object is no longer
    /// the one that the component read.
    Between {
        /// As it was read.
        from: Object,
        /// As it shall be.
        to: Object,
    },
    /// A strategic merge patch by which a kubelet reports on a pod: only the status changes.
    PodStatus {
        /// The pod as it was read.
        from: Rc<Pod>,
        /// Its status as it shall be.
        status: Shared<PodStatus>,
    },
}

impl Patch {
    /// A [`Patch::PodStatus`] as the objects it leads from and to.
    pub(crate) fn between(from: &Rc<Pod>, status: &Shared<PodStatus>) -> (Object, Object) {
        (from.clone().into(), with_status(from, status.clone()).into())
    }
}

/// A pod with another status.
pub(crate) fn with_status(pod: &Pod, status: Shared<PodStatus>) -> Pod {
    Pod { metadata: pod.metadata.clone(), spec: pod.spec.clone(), status: Some(status) }
}
