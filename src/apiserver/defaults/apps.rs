//! Defaults of Deployment and ReplicaSet (`pkg/apis/apps/v1/defaults.go`).

use crate::api::types as t;
use t::IntOrString;

use super::{default, pod};

pub(super) fn deployment(deployment: &mut t::Deployment) {
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

pub(super) fn replica_set(set: &mut t::ReplicaSet) {
    let spec = set.spec.get_or_insert_default();
    spec.replicas.get_or_insert(1);
    pod::template(spec.template.get_or_insert_default());
    set.status.get_or_insert_default();
}
