//! kube-controller-manager: one file per controller, named as in `kubernetes/pkg/controller`.

pub mod controller_ref_manager;
pub mod controller_utils;
pub mod deployment;
pub mod garbage_collector;
pub mod replicaset;

use crate::client::{Component, Controller};

/// Every controller, in the order in which they take turns.
pub fn all() -> Vec<Box<dyn Component>> {
    vec![
        Controller::boxed(deployment::DeploymentController),
        Controller::boxed(replicaset::ReplicaSetController),
        Controller::boxed(garbage_collector::GarbageCollector),
    ]
}
