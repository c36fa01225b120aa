//! [`Replicated`]: what ReplicaSets and ReplicationControllers have in common.

use std::collections::BTreeMap;

use crate::api::labels::Selector;
use crate::api::types::{
    PodTemplateSpec, ReplicaSet, ReplicaSetCondition, ReplicaSetStatus, ReplicationController,
    ReplicationControllerCondition, ReplicationControllerStatus,
};
use crate::client::Selects;

/// A kind with a number of replicas and a pod template.
pub(super) trait Replicated: Selects {
    /// Whether the status counts pods that are being deleted.
    const COUNTS_TERMINATING: bool;
    /// Whether a sync begins only when the caches have what was written for the object
    /// (`StaleControllerConsistencyReplicaSet`, on by default since 1.36).
    const WAITS_FOR_WRITES: bool;
    /// `spec.replicas`
    fn replicas(&self) -> Option<i32>;
    /// `spec.minReadySeconds`, in seconds.
    fn min_ready_seconds(&self) -> i32;
    /// `spec.template`
    fn template(&self) -> Option<&PodTemplateSpec>;
    /// `status`, in the form of a ReplicaSet's.
    fn status(&self) -> ReplicaSetStatus;
    /// Sets `status`.
    fn set_status(&mut self, status: ReplicaSetStatus);
}

impl Selects for ReplicaSet {
    fn selector(&self) -> std::result::Result<Selector, String> {
        Selector::from_label_selector(self.spec.as_ref().map(|s| &s.selector))
    }
}

impl Selects for ReplicationController {
    fn selector(&self) -> std::result::Result<Selector, String> {
        let set = self.spec.as_ref().and_then(|s| s.selector.as_ref());
        Ok(Selector::from_set(set.unwrap_or(&BTreeMap::new())))
    }
}

impl Replicated for ReplicaSet {
    const COUNTS_TERMINATING: bool = true;
    const WAITS_FOR_WRITES: bool = true;
    fn replicas(&self) -> Option<i32> {
        self.spec.as_ref()?.replicas
    }
    fn min_ready_seconds(&self) -> i32 {
        self.spec.as_ref().and_then(|s| s.min_ready_seconds).unwrap_or(0)
    }
    fn template(&self) -> Option<&PodTemplateSpec> {
        self.spec.as_ref()?.template.as_ref()
    }
    fn status(&self) -> ReplicaSetStatus {
        self.status.clone().unwrap_or_default()
    }
    fn set_status(&mut self, status: ReplicaSetStatus) {
        self.status = Some(status);
    }
}

impl Replicated for ReplicationController {
    const COUNTS_TERMINATING: bool = false;
    const WAITS_FOR_WRITES: bool = false;
    fn replicas(&self) -> Option<i32> {
        self.spec.as_ref()?.replicas
    }
    fn min_ready_seconds(&self) -> i32 {
        self.spec.as_ref().and_then(|s| s.min_ready_seconds).unwrap_or(0)
    }
    fn template(&self) -> Option<&PodTemplateSpec> {
        self.spec.as_ref()?.template.as_ref()
    }
    fn status(&self) -> ReplicaSetStatus {
        let Some(s) = &self.status else { return ReplicaSetStatus::default() };
        let condition = |c: &ReplicationControllerCondition| ReplicaSetCondition {
            type_: c.type_.clone(),
            status: c.status.clone(),
            last_transition_time: c.last_transition_time.clone(),
            reason: c.reason.clone(),
            message: c.message.clone(),
        };
        ReplicaSetStatus {
            available_replicas: s.available_replicas,
            conditions: s.conditions.as_ref().map(|all| all.iter().map(condition).collect()),
            fully_labeled_replicas: s.fully_labeled_replicas,
            observed_generation: s.observed_generation,
            ready_replicas: s.ready_replicas,
            replicas: s.replicas,
            terminating_replicas: None,
        }
    }
    fn set_status(&mut self, s: ReplicaSetStatus) {
        let condition = |c: ReplicaSetCondition| ReplicationControllerCondition {
            type_: c.type_,
            status: c.status,
            last_transition_time: c.last_transition_time,
            reason: c.reason,
            message: c.message,
        };
        self.status = Some(ReplicationControllerStatus {
            available_replicas: s.available_replicas,
            conditions: s.conditions.map(|all| all.into_iter().map(condition).collect()),
            fully_labeled_replicas: s.fully_labeled_replicas,
            observed_generation: s.observed_generation,
            ready_replicas: s.ready_replicas,
            replicas: s.replicas,
        });
    }
}
