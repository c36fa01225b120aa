//! kube-controller-manager: one file per controller, named as in `kubernetes/pkg/controller`.

pub mod controller_ref_manager;
pub mod controller_utils;
pub mod deployment;
pub mod disruption;
pub mod endpoint;
pub mod garbage_collector;
pub mod namespace;
pub mod node_lifecycle;
pub mod podgc;
pub mod replicaset;
pub mod resource_quota;
pub mod root_ca_cert_publisher;
pub mod serviceaccounts_controller;
pub mod taint_eviction;
mod taints;
pub mod volume;

use crate::api::Kind;
use crate::client::{Component, Controller};

/// Kinds that are accepted and stored, and whose controllers are not built yet: nothing comes of
/// them, and whoever shows them has to say so.
pub const UNATTENDED: &[Kind] =
    &[Kind::STATEFUL_SET, Kind::DAEMON_SET, Kind::JOB, Kind::CRON_JOB, Kind::HORIZONTAL_POD_AUTOSCALER];

/// Every controller, in the order in which they take turns.
pub fn all() -> Vec<Box<dyn Component>> {
    vec![
        Controller::boxed(deployment::DeploymentController),
        Controller::boxed(disruption::DisruptionController),
        Controller::boxed(replicaset::ReplicaSetController),
        Controller::boxed(endpoint::slices::EndpointSliceController),
        Controller::boxed(endpoint::endpoints::EndpointController),
        Controller::boxed(endpoint::mirroring::EndpointSliceMirroringController),
        Controller::boxed(garbage_collector::GarbageCollector),
        Controller::boxed(namespace::NamespaceController),
        Controller::boxed(serviceaccounts_controller::ServiceAccountsController),
        Controller::boxed(root_ca_cert_publisher::Publisher),
        Controller::boxed(resource_quota::ResourceQuotaController),
        Controller::boxed(node_lifecycle::NodeLifecycleController),
        Controller::boxed(taint_eviction::TaintEvictionController),
        Controller::boxed(podgc::PodGarbageCollector),
        Controller::boxed(volume::persistentvolume::PersistentVolumeController),
        Controller::boxed(volume::pvcprotection::Controller),
        Controller::boxed(volume::pvprotection::Controller),
        Controller::boxed(replicaset::ReplicationManager),
    ]
}
