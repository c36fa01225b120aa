//! kube-controller-manager: one file or folder for each controller, named as in `kubernetes/pkg/controller`.

pub mod bootstrap;
pub mod certificates;
pub mod clusterroleaggregation;
pub mod controller_ref_manager;
pub mod controller_utils;
pub mod cronjob;
pub mod daemon;
pub mod deployment;
pub mod disruption;
pub mod endpoint;
pub mod garbage_collector;
pub mod history;
pub mod job;
pub mod namespace;
pub mod node_lifecycle;
pub mod nodeipam;
pub mod podautoscaler;
pub mod podgc;
pub mod replicaset;
pub mod resource_quota;
pub mod resourceclaim;
pub mod root_ca_cert_publisher;
pub mod serviceaccounts_controller;
pub mod servicecidrs;
pub mod statefulset;
pub mod taint_eviction;
mod taints;
pub mod tokens_controller;
pub mod ttl;
pub mod ttlafterfinished;
pub mod validating_admission_policy_status;
pub mod volume;

use crate::api::Kind;
use crate::api::definition::established_kind;
use crate::api::ip_family::IpFamily;
use crate::api::types::CustomResourceDefinition;
use crate::client::{Caches, Component, Controller};

/// The kinds that the API server serves, as controllers find them by discovery: the built-in ones, and those of the
/// CustomResourceDefinitions that the informers have seen. A controller that calls this function watches
/// CustomResourceDefinitions. Kubernetes' controllers ask the API server every 30 seconds.
fn served(caches: &Caches) -> impl Iterator<Item = Kind> {
    let definitions = caches.of(Kind::CUSTOM_RESOURCE_DEFINITION).list(None);
    let custom = definitions.filter_map(|o| established_kind(o.get::<CustomResourceDefinition>()?));
    Kind::BUILT_IN.iter().copied().chain(custom)
}

/// Other names of controllers in `--controllers`: the aliases of
/// `k8s.io/kubernetes/cmd/kube-controller-manager/names`.
const ALIASES: [(&str, &str); 36] = [
    ("attachdetach", "persistentvolume-attach-detach-controller"),
    ("bootstrapsigner", "bootstrap-signer-controller"),
    ("clusterrole-aggregation", "clusterrole-aggregation-controller"),
    ("cronjob", "cronjob-controller"),
    ("csrapproving", "certificatesigningrequest-approving-controller"),
    ("csrcleaner", "certificatesigningrequest-cleaner-controller"),
    ("csrsigning", "certificatesigningrequest-signing-controller"),
    ("daemonset", "daemonset-controller"),
    ("deployment", "deployment-controller"),
    ("disruption", "disruption-controller"),
    ("endpoint", "endpoints-controller"),
    ("endpointslice", "endpointslice-controller"),
    ("endpointslicemirroring", "endpointslice-mirroring-controller"),
    ("ephemeral-volume", "ephemeral-volume-controller"),
    ("garbagecollector", "garbage-collector-controller"),
    ("horizontalpodautoscaling", "horizontal-pod-autoscaler-controller"),
    ("job", "job-controller"),
    ("namespace", "namespace-controller"),
    ("nodeipam", "node-ipam-controller"),
    ("nodelifecycle", "node-lifecycle-controller"),
    ("persistentvolume-binder", "persistentvolume-binder-controller"),
    ("persistentvolume-expander", "persistentvolume-expander-controller"),
    ("podgc", "pod-garbage-collector-controller"),
    ("pv-protection", "persistentvolume-protection-controller"),
    ("pvc-protection", "persistentvolumeclaim-protection-controller"),
    ("replicaset", "replicaset-controller"),
    ("replicationcontroller", "replicationcontroller-controller"),
    ("resource-claim-controller", "resourceclaim-controller"),
    ("resourcequota", "resourcequota-controller"),
    ("root-ca-cert-publisher", "root-ca-certificate-publisher-controller"),
    ("serviceaccount", "serviceaccount-controller"),
    ("serviceaccount-token", "serviceaccount-token-controller"),
    ("statefulset", "statefulset-controller"),
    ("tokencleaner", "token-cleaner-controller"),
    ("ttl", "ttl-controller"),
    ("ttl-after-finished", "ttl-after-finished-controller"),
];

/// The controllers that `*` does not mean in `--controllers` (`ControllersDisabledByDefault` of
/// `k8s.io/kubernetes/cmd/kube-controller-manager/app`). kubeadm names both of them.
pub const DISABLED_BY_DEFAULT: [&str; 2] = ["bootstrap-signer-controller", "token-cleaner-controller"];

/// The name of the controller that an entry of `--controllers` means. A name that is not an alias is
/// returned as it is.
pub fn canonical_name(entry: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == entry).map_or(entry, |(_, name)| name)
}

/// All controllers, in the order in which they take turns under the fair policy. `ip_family` is what `--cluster-cidr` says.
pub fn all(ip_family: IpFamily) -> Vec<Box<dyn Component>> {
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
        Controller::boxed(job::JobController),
        Controller::boxed(ttlafterfinished::TtlAfterFinishedController),
        Controller::boxed(cronjob::CronJobController),
        Controller::boxed(statefulset::StatefulSetController),
        Controller::boxed(daemon::DaemonSetsController),
        Controller::boxed(volume::attachdetach::AttachDetachController),
        Controller::boxed(volume::expand::ExpandController),
        Controller::boxed(volume::ephemeral::EphemeralController),
        Controller::boxed(podautoscaler::HorizontalController),
        Controller::boxed(volume::vacprotection::Controller),
        Controller::boxed(servicecidrs::Controller),
        Controller::boxed(nodeipam::NodeIpamController { ip_family }),
        Controller::boxed(ttl::TtlController),
        Controller::boxed(validating_admission_policy_status::Controller),
        Controller::boxed(clusterroleaggregation::ClusterRoleAggregationController),
        Controller::boxed(resourceclaim::ResourceClaimController),
        Controller::boxed(tokens_controller::TokensController),
        Controller::boxed(bootstrap::bootstrapsigner::Signer),
        Controller::boxed(bootstrap::tokencleaner::TokenCleaner),
        Controller::boxed(certificates::CertificateController::Signing),
        Controller::boxed(certificates::CertificateController::Approving),
        Controller::boxed(certificates::cleaner::CsrCleanerController),
    ]
}
