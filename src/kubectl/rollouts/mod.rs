//! How Deployments, StatefulSets and DaemonSets are rolled out (`k8s.io/kubectl/pkg/polymorphichelpers`).

mod deployments;
mod sets;

use std::collections::BTreeMap;

use super::call::Payload;
use super::invocation::{Invocation, Result};
use crate::api::Object;
use crate::api::types::PodTemplateSpec;

pub(super) use deployments::Deployments;
pub(super) use sets::{DAEMON_SETS, STATEFUL_SETS};

/// How objects of a kind are rolled out (`k8s.io/kubectl/pkg/polymorphichelpers`).
pub(super) trait Rollout: Sync {
    /// Where a rollout is, and whether it is over. A `revision` that is not 0 must be the running one.
    fn status(&self, object: &Object, revision: i64) -> Result<(String, bool)>;

    /// The revisions that are kept, by number.
    fn revisions(&self, cx: &mut Invocation<'_>, object: &Object) -> Result<BTreeMap<i64, Revision>>;

    /// The revision that `undo` goes back to: `to`, or the last but one if `to` is 0.
    fn target<'r>(
        &self,
        object: &Object,
        revisions: &'r BTreeMap<i64, Revision>,
        to: i64,
    ) -> Result<&'r Revision>;

    /// What `undo --dry-run=client` says that it would go back to.
    fn preview(&self, revision: &Revision) -> String;

    /// The patch that makes the object what it was in a revision; `None` if it is that already.
    fn restore(&self, object: &Object, revision: &Revision) -> Option<Payload>;

    /// Whether the object's rollout is paused; `None` if rollouts of the kind cannot be paused.
    fn paused(&self, object: &Object) -> Option<bool>;
}

/// A revision of an object.
pub(super) struct Revision {
    /// The template of its pods.
    pub(super) template: PodTemplateSpec,
    /// The annotation `kubernetes.io/change-cause`; empty for none.
    pub(super) cause: String,
    /// What `rollout history -o yaml` prints.
    pub(super) shown: Object,
    /// The object that keeps the revision.
    pub(super) kept: Object,
}
