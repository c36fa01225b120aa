//! What is wrong with an object: [`Ails`].

use serde::{Deserialize, Serialize};

use super::events::Condition;
use crate::api::ObjectRef;

/// What is wrong with an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ails {
    /// One of its conditions says so.
    Condition(Condition),
    /// Its `status.phase` says so.
    Phase {
        /// The phase, for example `Pending`.
        phase: String,
        /// `status.reason`, or empty.
        reason: String,
        /// `status.message`, or empty.
        message: String,
    },
    /// It is being deleted, and stays until these finalizers are taken away.
    Finalizers(Vec<String>),
    /// A Service selects pods, and none of them is ready: nothing stands behind its address.
    NoEndpoints,
    /// A Service has a `targetPort` with this name, and no ready pod that it selects has such a port: requests to that port of the
    /// Service lead nowhere.
    NoSuchTargetPort(String),
    /// An Ingress that no ingress controller serves.
    NotServed,
    /// It sends traffic to this object, which does not exist.
    Missing(ObjectRef),
    /// More is used of a resource than a quota allows.
    OverQuota {
        /// The resource, for example `pods`.
        resource: String,
        /// How much is used of it.
        used: String,
        /// How much the quota allows.
        hard: String,
    },
}
