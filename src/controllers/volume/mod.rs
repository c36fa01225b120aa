//! The controllers for storage (`k8s.io/kubernetes/pkg/controller/volume`).

pub mod attachdetach;
pub mod ephemeral;
pub mod expand;
pub mod persistentvolume;
pub mod pvcprotection;
pub mod pvprotection;
pub mod vacprotection;

use crate::api::MetaExt;
use crate::api::pod::is_terminal;
use crate::api::types::{ContainerStatus, Pod};

/// Whether the pod needs no volumes any more (`IsPodTerminated`).
fn is_terminated(pod: &Pod) -> bool {
    let running =
        |c: &ContainerStatus| c.state.as_ref().is_none_or(|s| s.terminated.is_none() && s.waiting.is_none());
    let any_runs = pod.status.as_ref().is_some_and(|s| {
        let init = s.init_container_statuses.iter().flatten();
        let main = s.container_statuses.iter().flatten();
        init.chain(main).chain(s.ephemeral_container_statuses.iter().flatten()).any(running)
    });
    is_terminal(pod) || (pod.metadata.is_deleting() && !any_runs)
}
