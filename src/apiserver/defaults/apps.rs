//! Defaults of Deployment, ReplicaSet, StatefulSet and DaemonSet (`pkg/apis/apps/v1/defaults.go`).

use crate::api::types as t;
use t::IntOrString;

use super::{core, default, pod};

pub(in crate::apiserver) fn deployment(deployment: &mut t::Deployment) {
    let spec = deployment.spec.get_or_insert_default();
    spec.replicas.get_or_insert(1);
    let strategy = spec.strategy.get_or_insert_default();
    default(&mut strategy.type_, "RollingUpdate");
    if strategy.type_.as_deref() == Some("RollingUpdate") {
        let rolling = strategy.rolling_update.get_or_insert_default();
        rolling.max_unavailable.get_or_insert_with(|| IntOrString::String("25%".to_owned()));
        rolling.max_surge.get_or_insert_with(|| IntOrString::String("25%".to_owned()));
    }
    spec.revision_history_limit.get_or_insert(10);
    spec.progress_deadline_seconds.get_or_insert(600);
    pod::template(&mut spec.template);
    // Go writes the struct even when it is empty.
    deployment.status.get_or_insert_default();
}

pub(in crate::apiserver) fn replica_set(set: &mut t::ReplicaSet) {
    let spec = set.spec.get_or_insert_default();
    spec.replicas.get_or_insert(1);
    pod::template(spec.template.get_or_insert_default());
    set.status.get_or_insert_default();
}

pub(in crate::apiserver) fn stateful_set(set: &mut t::StatefulSet) {
    let spec = set.spec.get_or_insert_default();
    default(&mut spec.pod_management_policy, "OrderedReady");
    let strategy = spec.update_strategy.get_or_insert_default();
    if strategy.type_.as_deref().unwrap_or_default().is_empty() {
        strategy.type_ = Some("RollingUpdate".into());
        strategy.rolling_update.get_or_insert_default();
    }
    if strategy.type_.as_deref() == Some("RollingUpdate")
        && let Some(rolling) = strategy.rolling_update.as_mut()
    {
        rolling.partition.get_or_insert(0);
    }
    let policy = spec.persistent_volume_claim_retention_policy.get_or_insert_default();
    default(&mut policy.when_deleted, "Retain");
    default(&mut policy.when_scaled, "Retain");
    spec.replicas.get_or_insert(1);
    spec.revision_history_limit.get_or_insert(10);
    pod::template(&mut spec.template);
    spec.volume_claim_templates.iter_mut().flatten().for_each(core::persistent_volume_claim);
    set.status.get_or_insert_default().available_replicas.get_or_insert(0);
}

pub(in crate::apiserver) fn daemon_set(set: &mut t::DaemonSet) {
    let spec = set.spec.get_or_insert_default();
    let strategy = spec.update_strategy.get_or_insert_default();
    default(&mut strategy.type_, "RollingUpdate");
    if strategy.type_.as_deref() == Some("RollingUpdate") {
        let rolling = strategy.rolling_update.get_or_insert_default();
        rolling.max_unavailable.get_or_insert(IntOrString::Int(1));
        rolling.max_surge.get_or_insert(IntOrString::Int(0));
    }
    spec.revision_history_limit.get_or_insert(10);
    pod::template(&mut spec.template);
    set.status.get_or_insert_default();
}
