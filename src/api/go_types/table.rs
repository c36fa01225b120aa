//! The structs of the API types of Kubernetes 1.36, in the order of their fields.
//! Written by `cargo xtask generate`; do not edit.

use super::Type::*;
use super::{BuiltIn, GoStruct, Or, OtherVersion, f};

/// The struct of a kind.
pub(super) const fn of(kind: BuiltIn) -> &'static GoStruct {
    match kind {
        BuiltIn::Namespace => &NAMESPACE,
        BuiltIn::Node => &NODE,
        BuiltIn::Pod => &POD,
        BuiltIn::Service => &SERVICE,
        BuiltIn::Endpoints => &ENDPOINTS,
        BuiltIn::EndpointSlice => &ENDPOINT_SLICE,
        BuiltIn::ServiceAccount => &SERVICE_ACCOUNT,
        BuiltIn::ConfigMap => &CONFIG_MAP,
        BuiltIn::Secret => &SECRET,
        BuiltIn::Event => &EVENT,
        BuiltIn::PersistentVolumeClaim => &PERSISTENT_VOLUME_CLAIM,
        BuiltIn::PersistentVolume => &PERSISTENT_VOLUME,
        BuiltIn::StorageClass => &STORAGE_CLASS,
        BuiltIn::Lease => &LEASE,
        BuiltIn::Deployment => &DEPLOYMENT,
        BuiltIn::ReplicaSet => &REPLICA_SET,
        BuiltIn::StatefulSet => &STATEFUL_SET,
        BuiltIn::DaemonSet => &DAEMON_SET,
        BuiltIn::Job => &JOB,
        BuiltIn::CronJob => &CRON_JOB,
        BuiltIn::PodDisruptionBudget => &POD_DISRUPTION_BUDGET,
        BuiltIn::PriorityClass => &PRIORITY_CLASS,
        BuiltIn::HorizontalPodAutoscaler => &AUTOSCALINGV2_HORIZONTAL_POD_AUTOSCALER,
        BuiltIn::LimitRange => &LIMIT_RANGE,
        BuiltIn::ResourceQuota => &RESOURCE_QUOTA,
        BuiltIn::ReplicationController => &REPLICATION_CONTROLLER,
        BuiltIn::Ingress => &INGRESS,
        BuiltIn::IngressClass => &INGRESS_CLASS,
        BuiltIn::NetworkPolicy => &NETWORK_POLICY,
        BuiltIn::Role => &ROLE,
        BuiltIn::ClusterRole => &CLUSTER_ROLE,
        BuiltIn::RoleBinding => &ROLE_BINDING,
        BuiltIn::ClusterRoleBinding => &CLUSTER_ROLE_BINDING,
        BuiltIn::ControllerRevision => &CONTROLLER_REVISION,
        BuiltIn::CustomResourceDefinition => &CUSTOM_RESOURCE_DEFINITION,
        BuiltIn::CSIDriver => &CSI_DRIVER,
        BuiltIn::CSINode => &CSI_NODE,
        BuiltIn::VolumeAttachment => &VOLUME_ATTACHMENT,
        BuiltIn::CertificateSigningRequest => &CERTIFICATE_SIGNING_REQUEST,
        BuiltIn::VolumeAttributesClass => &VOLUME_ATTRIBUTES_CLASS,
        BuiltIn::CSIStorageCapacity => &CSI_STORAGE_CAPACITY,
        BuiltIn::PodTemplate => &POD_TEMPLATE,
        BuiltIn::RuntimeClass => &RUNTIME_CLASS,
        BuiltIn::ServiceCIDR => &SERVICE_CIDR,
        BuiltIn::IPAddress => &IP_ADDRESS,
        BuiltIn::ValidatingAdmissionPolicy => &VALIDATING_ADMISSION_POLICY,
        BuiltIn::ValidatingAdmissionPolicyBinding => &VALIDATING_ADMISSION_POLICY_BINDING,
        BuiltIn::MutatingAdmissionPolicy => &MUTATING_ADMISSION_POLICY,
        BuiltIn::MutatingAdmissionPolicyBinding => &MUTATING_ADMISSION_POLICY_BINDING,
        BuiltIn::ResourceClaim => &RESOURCE_RESOURCE_CLAIM,
        BuiltIn::ResourceClaimTemplate => &RESOURCE_CLAIM_TEMPLATE,
        BuiltIn::DeviceClass => &DEVICE_CLASS,
        BuiltIn::ResourceSlice => &RESOURCE_SLICE,
    }
}

/// The struct of another version of a kind.
pub(super) const fn of_version(version: OtherVersion) -> &'static GoStruct {
    match version {
        OtherVersion::HorizontalPodAutoscalerV1 => &HORIZONTAL_POD_AUTOSCALER,
        OtherVersion::EventsV1Event => &EVENTS_EVENT,
    }
}

pub(super) static NAMESPACE: GoStruct = GoStruct { name: "Namespace", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&NAMESPACE_SPEC), true),
    f("status", Struct(&NAMESPACE_STATUS), true),
] };

pub(super) static NODE: GoStruct = GoStruct { name: "Node", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&NODE_SPEC), true),
    f("status", Struct(&NODE_STATUS), true),
] };

pub(super) static POD: GoStruct = GoStruct { name: "Pod", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&POD_SPEC), true),
    f("status", Struct(&POD_STATUS), true),
] };

pub(super) static SERVICE: GoStruct = GoStruct { name: "Service", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&SERVICE_SPEC), true),
    f("status", Struct(&SERVICE_STATUS), true),
] };

pub(super) static ENDPOINTS: GoStruct = GoStruct { name: "Endpoints", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("subsets", List(&Struct(&ENDPOINT_SUBSET)), true),
] };

pub(super) static ENDPOINT_SLICE: GoStruct = GoStruct { name: "EndpointSlice", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("addressType", Named("v1.AddressType", &Text), false),
    f("endpoints", List(&Struct(&ENDPOINT)), false),
    f("ports", List(&Struct(&DISCOVERY_ENDPOINT_PORT)), false),
] };

pub(super) static SERVICE_ACCOUNT: GoStruct = GoStruct { name: "ServiceAccount", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("secrets", List(&Struct(&OBJECT_REFERENCE)), true),
    f("imagePullSecrets", List(&Struct(&LOCAL_OBJECT_REFERENCE)), true),
    f("automountServiceAccountToken", Pointer(&Bool), true),
] };

pub(super) static CONFIG_MAP: GoStruct = GoStruct { name: "ConfigMap", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("immutable", Pointer(&Bool), true),
    f("data", Map(&Text), true),
    f("binaryData", Map(&Bytes), true),
] };

pub(super) static SECRET: GoStruct = GoStruct { name: "Secret", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("immutable", Pointer(&Bool), true),
    f("data", Map(&Bytes), true),
    f("stringData", Map(&Text), true),
    f("type", Named("v1.SecretType", &Text), true),
] };

pub(super) static EVENT: GoStruct = GoStruct { name: "Event", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), false),
    f("involvedObject", Struct(&OBJECT_REFERENCE), false),
    f("reason", Text, true),
    f("message", Text, true),
    f("source", Struct(&EVENT_SOURCE), true),
    f("firstTimestamp", Time, false),
    f("lastTimestamp", Time, false),
    f("count", Int32, true),
    f("type", Text, true),
    f("eventTime", MicroTime, false),
    f("series", Pointer(&Struct(&EVENT_SERIES)), true),
    f("action", Text, true),
    f("related", Pointer(&Struct(&OBJECT_REFERENCE)), true),
    f("reportingComponent", Text, false),
    f("reportingInstance", Text, false),
] };

pub(super) static PERSISTENT_VOLUME_CLAIM: GoStruct = GoStruct { name: "PersistentVolumeClaim", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&PERSISTENT_VOLUME_CLAIM_SPEC), true),
    f("status", Struct(&PERSISTENT_VOLUME_CLAIM_STATUS), true),
] };

pub(super) static PERSISTENT_VOLUME: GoStruct = GoStruct { name: "PersistentVolume", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&PERSISTENT_VOLUME_SPEC), true),
    f("status", Struct(&PERSISTENT_VOLUME_STATUS), true),
] };

pub(super) static STORAGE_CLASS: GoStruct = GoStruct { name: "StorageClass", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("provisioner", Text, false),
    f("parameters", Map(&Text), true),
    f("reclaimPolicy", Pointer(&Named("v1.PersistentVolumeReclaimPolicy", &Text)), true),
    f("mountOptions", List(&Text), true),
    f("allowVolumeExpansion", Pointer(&Bool), true),
    f("volumeBindingMode", Pointer(&Named("v1.VolumeBindingMode", &Text)), true),
    f("allowedTopologies", List(&Struct(&TOPOLOGY_SELECTOR_TERM)), true),
] };

pub(super) static LEASE: GoStruct = GoStruct { name: "Lease", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&LEASE_SPEC), true),
] };

pub(super) static DEPLOYMENT: GoStruct = GoStruct { name: "Deployment", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&DEPLOYMENT_SPEC), true),
    f("status", Struct(&DEPLOYMENT_STATUS), true),
] };

pub(super) static REPLICA_SET: GoStruct = GoStruct { name: "ReplicaSet", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&REPLICA_SET_SPEC), true),
    f("status", Struct(&REPLICA_SET_STATUS), true),
] };

pub(super) static STATEFUL_SET: GoStruct = GoStruct { name: "StatefulSet", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&STATEFUL_SET_SPEC), true),
    f("status", Struct(&STATEFUL_SET_STATUS), true),
] };

pub(super) static DAEMON_SET: GoStruct = GoStruct { name: "DaemonSet", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&DAEMON_SET_SPEC), true),
    f("status", Struct(&DAEMON_SET_STATUS), true),
] };

pub(super) static JOB: GoStruct = GoStruct { name: "Job", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&JOB_SPEC), true),
    f("status", Struct(&JOB_STATUS), true),
] };

pub(super) static CRON_JOB: GoStruct = GoStruct { name: "CronJob", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&CRON_JOB_SPEC), true),
    f("status", Struct(&CRON_JOB_STATUS), true),
] };

pub(super) static POD_DISRUPTION_BUDGET: GoStruct = GoStruct { name: "PodDisruptionBudget", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&POD_DISRUPTION_BUDGET_SPEC), true),
    f("status", Struct(&POD_DISRUPTION_BUDGET_STATUS), true),
] };

pub(super) static PRIORITY_CLASS: GoStruct = GoStruct { name: "PriorityClass", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("value", Int32, false),
    f("globalDefault", Bool, true),
    f("description", Text, true),
    f("preemptionPolicy", Pointer(&Named("v1.PreemptionPolicy", &Text)), true),
] };

pub(super) static AUTOSCALINGV2_HORIZONTAL_POD_AUTOSCALER: GoStruct = GoStruct { name: "HorizontalPodAutoscaler", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&AUTOSCALINGV2_HORIZONTAL_POD_AUTOSCALER_SPEC), true),
    f("status", Struct(&AUTOSCALINGV2_HORIZONTAL_POD_AUTOSCALER_STATUS), true),
] };

pub(super) static LIMIT_RANGE: GoStruct = GoStruct { name: "LimitRange", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&LIMIT_RANGE_SPEC), true),
] };

pub(super) static RESOURCE_QUOTA: GoStruct = GoStruct { name: "ResourceQuota", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&RESOURCE_QUOTA_SPEC), true),
    f("status", Struct(&RESOURCE_QUOTA_STATUS), true),
] };

pub(super) static REPLICATION_CONTROLLER: GoStruct = GoStruct { name: "ReplicationController", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&REPLICATION_CONTROLLER_SPEC), true),
    f("status", Struct(&REPLICATION_CONTROLLER_STATUS), true),
] };

pub(super) static INGRESS: GoStruct = GoStruct { name: "Ingress", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&INGRESS_SPEC), true),
    f("status", Struct(&INGRESS_STATUS), true),
] };

pub(super) static INGRESS_CLASS: GoStruct = GoStruct { name: "IngressClass", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&INGRESS_CLASS_SPEC), true),
] };

pub(super) static NETWORK_POLICY: GoStruct = GoStruct { name: "NetworkPolicy", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&NETWORK_POLICY_SPEC), true),
] };

pub(super) static ROLE: GoStruct = GoStruct { name: "Role", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("rules", List(&Struct(&POLICY_RULE)), false),
] };

pub(super) static CLUSTER_ROLE: GoStruct = GoStruct { name: "ClusterRole", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("rules", List(&Struct(&POLICY_RULE)), false),
    f("aggregationRule", Pointer(&Struct(&AGGREGATION_RULE)), true),
] };

pub(super) static ROLE_BINDING: GoStruct = GoStruct { name: "RoleBinding", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("subjects", List(&Struct(&SUBJECT)), true),
    f("roleRef", Struct(&ROLE_REF), false),
] };

pub(super) static CLUSTER_ROLE_BINDING: GoStruct = GoStruct { name: "ClusterRoleBinding", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("subjects", List(&Struct(&SUBJECT)), true),
    f("roleRef", Struct(&ROLE_REF), false),
] };

pub(super) static CONTROLLER_REVISION: GoStruct = GoStruct { name: "ControllerRevision", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("data", Any, true),
    f("revision", Int64, false),
] };

pub(super) static CUSTOM_RESOURCE_DEFINITION: GoStruct = GoStruct { name: "CustomResourceDefinition", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&CUSTOM_RESOURCE_DEFINITION_SPEC), false),
    f("status", Struct(&CUSTOM_RESOURCE_DEFINITION_STATUS), true),
] };

pub(super) static CSI_DRIVER: GoStruct = GoStruct { name: "CSIDriver", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&CSI_DRIVER_SPEC), false),
] };

pub(super) static CSI_NODE: GoStruct = GoStruct { name: "CSINode", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&CSI_NODE_SPEC), false),
] };

pub(super) static VOLUME_ATTACHMENT: GoStruct = GoStruct { name: "VolumeAttachment", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&VOLUME_ATTACHMENT_SPEC), false),
    f("status", Struct(&VOLUME_ATTACHMENT_STATUS), true),
] };

pub(super) static CERTIFICATE_SIGNING_REQUEST: GoStruct = GoStruct { name: "CertificateSigningRequest", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&CERTIFICATE_SIGNING_REQUEST_SPEC), false),
    f("status", Struct(&CERTIFICATE_SIGNING_REQUEST_STATUS), true),
] };

pub(super) static VOLUME_ATTRIBUTES_CLASS: GoStruct = GoStruct { name: "VolumeAttributesClass", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("driverName", Text, false),
    f("parameters", Map(&Text), true),
] };

pub(super) static CSI_STORAGE_CAPACITY: GoStruct = GoStruct { name: "CSIStorageCapacity", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("nodeTopology", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("storageClassName", Text, false),
    f("capacity", Pointer(&Quantity), true),
    f("maximumVolumeSize", Pointer(&Quantity), true),
] };

pub(super) static POD_TEMPLATE: GoStruct = GoStruct { name: "PodTemplate", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("template", Struct(&POD_TEMPLATE_SPEC), true),
] };

pub(super) static RUNTIME_CLASS: GoStruct = GoStruct { name: "RuntimeClass", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("handler", Text, false),
    f("overhead", Pointer(&Struct(&OVERHEAD)), true),
    f("scheduling", Pointer(&Struct(&SCHEDULING)), true),
] };

pub(super) static SERVICE_CIDR: GoStruct = GoStruct { name: "ServiceCIDR", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&SERVICE_CIDR_SPEC), true),
    f("status", Struct(&SERVICE_CIDR_STATUS), true),
] };

pub(super) static IP_ADDRESS: GoStruct = GoStruct { name: "IPAddress", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&IP_ADDRESS_SPEC), true),
] };

pub(super) static VALIDATING_ADMISSION_POLICY: GoStruct = GoStruct { name: "ValidatingAdmissionPolicy", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&VALIDATING_ADMISSION_POLICY_SPEC), true),
    f("status", Struct(&VALIDATING_ADMISSION_POLICY_STATUS), true),
] };

pub(super) static VALIDATING_ADMISSION_POLICY_BINDING: GoStruct = GoStruct { name: "ValidatingAdmissionPolicyBinding", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&VALIDATING_ADMISSION_POLICY_BINDING_SPEC), true),
] };

pub(super) static MUTATING_ADMISSION_POLICY: GoStruct = GoStruct { name: "MutatingAdmissionPolicy", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&MUTATING_ADMISSION_POLICY_SPEC), true),
] };

pub(super) static MUTATING_ADMISSION_POLICY_BINDING: GoStruct = GoStruct { name: "MutatingAdmissionPolicyBinding", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&MUTATING_ADMISSION_POLICY_BINDING_SPEC), true),
] };

pub(super) static RESOURCE_RESOURCE_CLAIM: GoStruct = GoStruct { name: "ResourceClaim", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&RESOURCE_CLAIM_SPEC), false),
    f("status", Struct(&RESOURCE_CLAIM_STATUS), true),
] };

pub(super) static RESOURCE_CLAIM_TEMPLATE: GoStruct = GoStruct { name: "ResourceClaimTemplate", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&RESOURCE_CLAIM_TEMPLATE_SPEC), false),
] };

pub(super) static DEVICE_CLASS: GoStruct = GoStruct { name: "DeviceClass", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&DEVICE_CLASS_SPEC), false),
] };

pub(super) static RESOURCE_SLICE: GoStruct = GoStruct { name: "ResourceSlice", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&RESOURCE_SLICE_SPEC), false),
] };

pub(super) static HORIZONTAL_POD_AUTOSCALER: GoStruct = GoStruct { name: "HorizontalPodAutoscaler", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&HORIZONTAL_POD_AUTOSCALER_SPEC), true),
    f("status", Struct(&HORIZONTAL_POD_AUTOSCALER_STATUS), true),
] };

pub(super) static EVENTS_EVENT: GoStruct = GoStruct { name: "Event", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), false),
    f("eventTime", MicroTime, false),
    f("series", Pointer(&Struct(&EVENTS_EVENT_SERIES)), true),
    f("reportingController", Text, true),
    f("reportingInstance", Text, true),
    f("action", Text, true),
    f("reason", Text, true),
    f("regarding", Struct(&OBJECT_REFERENCE), true),
    f("related", Pointer(&Struct(&OBJECT_REFERENCE)), true),
    f("note", Text, true),
    f("type", Text, true),
    f("deprecatedSource", Struct(&EVENT_SOURCE), true),
    f("deprecatedFirstTimestamp", Time, false),
    f("deprecatedLastTimestamp", Time, false),
    f("deprecatedCount", Int32, true),
] };

pub(super) static SCALE: GoStruct = GoStruct { name: "Scale", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&SCALE_SPEC), true),
    f("status", Struct(&SCALE_STATUS), true),
] };

pub(super) static BINDING: GoStruct = GoStruct { name: "Binding", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("target", Struct(&OBJECT_REFERENCE), false),
] };

pub(super) static EVICTION: GoStruct = GoStruct { name: "Eviction", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("deleteOptions", Pointer(&Struct(&DELETE_OPTIONS)), true),
] };

pub(super) static DELETE_OPTIONS: GoStruct = GoStruct { name: "DeleteOptions", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("gracePeriodSeconds", Pointer(&Int64), true),
    f("preconditions", Pointer(&Struct(&META_PRECONDITIONS)), true),
    f("orphanDependents", Pointer(&Bool), true),
    f("propagationPolicy", Pointer(&Named("v1.DeletionPropagation", &Text)), true),
    f("dryRun", List(&Text), true),
    f("ignoreStoreReadErrorWithClusterBreakingPotential", Pointer(&Bool), true),
] };

pub(super) static METRIC_SPEC: GoStruct = GoStruct { name: "MetricSpec", fields: &[
    f("type", Named("v1.MetricSourceType", &Text), false),
    f("object", Pointer(&Struct(&OBJECT_METRIC_SOURCE)), true),
    f("pods", Pointer(&Struct(&PODS_METRIC_SOURCE)), true),
    f("resource", Pointer(&Struct(&RESOURCE_METRIC_SOURCE)), true),
    f("containerResource", Pointer(&Struct(&CONTAINER_RESOURCE_METRIC_SOURCE)), true),
    f("external", Pointer(&Struct(&EXTERNAL_METRIC_SOURCE)), true),
] };

pub(super) static METRIC_STATUS: GoStruct = GoStruct { name: "MetricStatus", fields: &[
    f("type", Named("v1.MetricSourceType", &Text), false),
    f("object", Pointer(&Struct(&OBJECT_METRIC_STATUS)), true),
    f("pods", Pointer(&Struct(&PODS_METRIC_STATUS)), true),
    f("resource", Pointer(&Struct(&RESOURCE_METRIC_STATUS)), true),
    f("containerResource", Pointer(&Struct(&CONTAINER_RESOURCE_METRIC_STATUS)), true),
    f("external", Pointer(&Struct(&EXTERNAL_METRIC_STATUS)), true),
] };

pub(super) static HORIZONTAL_POD_AUTOSCALER_CONDITION: GoStruct = GoStruct { name: "HorizontalPodAutoscalerCondition", fields: &[
    f("type", Named("v1.HorizontalPodAutoscalerConditionType", &Text), false),
    f("status", Named("v1.ConditionStatus", &Text), false),
    f("lastTransitionTime", Time, false),
    f("reason", Text, true),
    f("message", Text, true),
] };

pub(super) static SELF_SUBJECT_REVIEW: GoStruct = GoStruct { name: "SelfSubjectReview", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("status", Struct(&SELF_SUBJECT_REVIEW_STATUS), true),
] };

pub(super) static TOKEN_REQUEST: GoStruct = GoStruct { name: "TokenRequest", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&TOKEN_REQUEST_SPEC), false),
    f("status", Struct(&TOKEN_REQUEST_STATUS), true),
] };

pub(super) static TOKEN_REVIEW: GoStruct = GoStruct { name: "TokenReview", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&TOKEN_REVIEW_SPEC), false),
    f("status", Struct(&TOKEN_REVIEW_STATUS), true),
] };

pub(super) static LOCAL_SUBJECT_ACCESS_REVIEW: GoStruct = GoStruct { name: "LocalSubjectAccessReview", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&SUBJECT_ACCESS_REVIEW_SPEC), false),
    f("status", Struct(&SUBJECT_ACCESS_REVIEW_STATUS), true),
] };

pub(super) static SELF_SUBJECT_ACCESS_REVIEW: GoStruct = GoStruct { name: "SelfSubjectAccessReview", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&SELF_SUBJECT_ACCESS_REVIEW_SPEC), false),
    f("status", Struct(&SUBJECT_ACCESS_REVIEW_STATUS), true),
] };

pub(super) static SELF_SUBJECT_RULES_REVIEW: GoStruct = GoStruct { name: "SelfSubjectRulesReview", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&SELF_SUBJECT_RULES_REVIEW_SPEC), false),
    f("status", Struct(&SUBJECT_RULES_REVIEW_STATUS), true),
] };

pub(super) static SUBJECT_ACCESS_REVIEW: GoStruct = GoStruct { name: "SubjectAccessReview", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&SUBJECT_ACCESS_REVIEW_SPEC), false),
    f("status", Struct(&SUBJECT_ACCESS_REVIEW_STATUS), true),
] };

pub(super) static OBJECT_META: GoStruct = GoStruct { name: "ObjectMeta", fields: &[
    f("name", Text, true),
    f("generateName", Text, true),
    f("namespace", Text, true),
    f("selfLink", Text, true),
    f("uid", Named("types.UID", &Text), true),
    f("resourceVersion", Text, true),
    f("generation", Int64, true),
    f("creationTimestamp", Time, true),
    f("deletionTimestamp", Pointer(&Time), true),
    f("deletionGracePeriodSeconds", Pointer(&Int64), true),
    f("labels", Map(&Text), true),
    f("annotations", Map(&Text), true),
    f("ownerReferences", List(&Struct(&OWNER_REFERENCE)), true),
    f("finalizers", List(&Text), true),
    f("managedFields", List(&Struct(&MANAGED_FIELDS_ENTRY)), true),
] };

pub(super) static NAMESPACE_SPEC: GoStruct = GoStruct { name: "NamespaceSpec", fields: &[
    f("finalizers", List(&Named("v1.FinalizerName", &Text)), true),
] };

pub(super) static NAMESPACE_STATUS: GoStruct = GoStruct { name: "NamespaceStatus", fields: &[
    f("phase", Named("v1.NamespacePhase", &Text), true),
    f("conditions", List(&Struct(&NAMESPACE_CONDITION)), true),
] };

pub(super) static NODE_SPEC: GoStruct = GoStruct { name: "NodeSpec", fields: &[
    f("podCIDR", Text, true),
    f("podCIDRs", List(&Text), true),
    f("providerID", Text, true),
    f("unschedulable", Bool, true),
    f("taints", List(&Struct(&TAINT)), true),
    f("configSource", Pointer(&Struct(&NODE_CONFIG_SOURCE)), true),
    f("externalID", Text, true),
] };

pub(super) static NODE_STATUS: GoStruct = GoStruct { name: "NodeStatus", fields: &[
    f("capacity", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("allocatable", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("phase", Named("v1.NodePhase", &Text), true),
    f("conditions", List(&Struct(&NODE_CONDITION)), true),
    f("addresses", List(&Struct(&NODE_ADDRESS)), true),
    f("daemonEndpoints", Struct(&NODE_DAEMON_ENDPOINTS), true),
    f("nodeInfo", Struct(&NODE_SYSTEM_INFO), true),
    f("images", List(&Struct(&CONTAINER_IMAGE)), true),
    f("volumesInUse", List(&Named("v1.UniqueVolumeName", &Text)), true),
    f("volumesAttached", List(&Struct(&ATTACHED_VOLUME)), true),
    f("config", Pointer(&Struct(&NODE_CONFIG_STATUS)), true),
    f("runtimeHandlers", List(&Struct(&NODE_RUNTIME_HANDLER)), true),
    f("features", Pointer(&Struct(&NODE_FEATURES)), true),
    f("declaredFeatures", List(&Text), true),
] };

pub(super) static POD_SPEC: GoStruct = GoStruct { name: "PodSpec", fields: &[
    f("volumes", List(&Struct(&VOLUME)), true),
    f("initContainers", List(&Struct(&CONTAINER)), true),
    f("containers", List(&Struct(&CONTAINER)), false),
    f("ephemeralContainers", List(&Struct(&EPHEMERAL_CONTAINER)), true),
    f("restartPolicy", Named("v1.RestartPolicy", &Text), true),
    f("terminationGracePeriodSeconds", Pointer(&Int64), true),
    f("activeDeadlineSeconds", Pointer(&Int64), true),
    f("dnsPolicy", Named("v1.DNSPolicy", &Text), true),
    f("nodeSelector", Map(&Text), true),
    f("serviceAccountName", Text, true),
    f("serviceAccount", Text, true),
    f("automountServiceAccountToken", Pointer(&Bool), true),
    f("nodeName", Text, true),
    f("hostNetwork", Bool, true),
    f("hostPID", Bool, true),
    f("hostIPC", Bool, true),
    f("shareProcessNamespace", Pointer(&Bool), true),
    f("securityContext", Pointer(&Struct(&POD_SECURITY_CONTEXT)), true),
    f("imagePullSecrets", List(&Struct(&LOCAL_OBJECT_REFERENCE)), true),
    f("hostname", Text, true),
    f("subdomain", Text, true),
    f("affinity", Pointer(&Struct(&AFFINITY)), true),
    f("schedulerName", Text, true),
    f("tolerations", List(&Struct(&TOLERATION)), true),
    f("hostAliases", List(&Struct(&HOST_ALIAS)), true),
    f("priorityClassName", Text, true),
    f("priority", Pointer(&Int32), true),
    f("dnsConfig", Pointer(&Struct(&POD_DNS_CONFIG)), true),
    f("readinessGates", List(&Struct(&POD_READINESS_GATE)), true),
    f("runtimeClassName", Pointer(&Text), true),
    f("enableServiceLinks", Pointer(&Bool), true),
    f("preemptionPolicy", Pointer(&Named("v1.PreemptionPolicy", &Text)), true),
    f("overhead", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("topologySpreadConstraints", List(&Struct(&TOPOLOGY_SPREAD_CONSTRAINT)), true),
    f("setHostnameAsFQDN", Pointer(&Bool), true),
    f("os", Pointer(&Struct(&POD_OS)), true),
    f("hostUsers", Pointer(&Bool), true),
    f("schedulingGates", List(&Struct(&POD_SCHEDULING_GATE)), true),
    f("resourceClaims", List(&Struct(&POD_RESOURCE_CLAIM)), true),
    f("resources", Pointer(&Struct(&RESOURCE_REQUIREMENTS)), true),
    f("hostnameOverride", Pointer(&Text), true),
    f("schedulingGroup", Pointer(&Struct(&POD_SCHEDULING_GROUP)), true),
] };

pub(super) static POD_STATUS: GoStruct = GoStruct { name: "PodStatus", fields: &[
    f("observedGeneration", Int64, true),
    f("phase", Named("v1.PodPhase", &Text), true),
    f("conditions", List(&Struct(&POD_CONDITION)), true),
    f("message", Text, true),
    f("reason", Text, true),
    f("nominatedNodeName", Text, true),
    f("hostIP", Text, true),
    f("hostIPs", List(&Struct(&HOST_IP)), true),
    f("podIP", Text, true),
    f("podIPs", List(&Struct(&POD_IP)), true),
    f("startTime", Pointer(&Time), true),
    f("initContainerStatuses", List(&Struct(&CONTAINER_STATUS)), true),
    f("containerStatuses", List(&Struct(&CONTAINER_STATUS)), true),
    f("qosClass", Named("v1.PodQOSClass", &Text), true),
    f("ephemeralContainerStatuses", List(&Struct(&CONTAINER_STATUS)), true),
    f("resize", Named("v1.PodResizeStatus", &Text), true),
    f("resourceClaimStatuses", List(&Struct(&POD_RESOURCE_CLAIM_STATUS)), true),
    f("extendedResourceClaimStatus", Pointer(&Struct(&POD_EXTENDED_RESOURCE_CLAIM_STATUS)), true),
    f("allocatedResources", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("resources", Pointer(&Struct(&RESOURCE_REQUIREMENTS)), true),
    f("nodeAllocatableResourceClaimStatuses", List(&Struct(&NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS)), true),
] };

pub(super) static SERVICE_SPEC: GoStruct = GoStruct { name: "ServiceSpec", fields: &[
    f("ports", List(&Struct(&SERVICE_PORT)), true),
    f("selector", Map(&Text), true),
    f("clusterIP", Text, true),
    f("clusterIPs", List(&Text), true),
    f("type", Named("v1.ServiceType", &Text), true),
    f("externalIPs", List(&Text), true),
    f("sessionAffinity", Named("v1.ServiceAffinity", &Text), true),
    f("loadBalancerIP", Text, true),
    f("loadBalancerSourceRanges", List(&Text), true),
    f("externalName", Text, true),
    f("externalTrafficPolicy", Named("v1.ServiceExternalTrafficPolicy", &Text), true),
    f("healthCheckNodePort", Int32, true),
    f("publishNotReadyAddresses", Bool, true),
    f("sessionAffinityConfig", Pointer(&Struct(&SESSION_AFFINITY_CONFIG)), true),
    f("ipFamilies", List(&Named("v1.IPFamily", &Text)), true),
    f("ipFamilyPolicy", Pointer(&Named("v1.IPFamilyPolicy", &Text)), true),
    f("allocateLoadBalancerNodePorts", Pointer(&Bool), true),
    f("loadBalancerClass", Pointer(&Text), true),
    f("internalTrafficPolicy", Pointer(&Named("v1.ServiceInternalTrafficPolicy", &Text)), true),
    f("trafficDistribution", Pointer(&Text), true),
] };

pub(super) static SERVICE_STATUS: GoStruct = GoStruct { name: "ServiceStatus", fields: &[
    f("loadBalancer", Struct(&LOAD_BALANCER_STATUS), true),
    f("conditions", List(&Struct(&CONDITION)), true),
] };

pub(super) static ENDPOINT_SUBSET: GoStruct = GoStruct { name: "EndpointSubset", fields: &[
    f("addresses", List(&Struct(&ENDPOINT_ADDRESS)), true),
    f("notReadyAddresses", List(&Struct(&ENDPOINT_ADDRESS)), true),
    f("ports", List(&Struct(&ENDPOINT_PORT)), true),
] };

pub(super) static ENDPOINT: GoStruct = GoStruct { name: "Endpoint", fields: &[
    f("addresses", List(&Text), false),
    f("conditions", Struct(&ENDPOINT_CONDITIONS), true),
    f("hostname", Pointer(&Text), true),
    f("targetRef", Pointer(&Struct(&OBJECT_REFERENCE)), true),
    f("deprecatedTopology", Map(&Text), true),
    f("nodeName", Pointer(&Text), true),
    f("zone", Pointer(&Text), true),
    f("hints", Pointer(&Struct(&ENDPOINT_HINTS)), true),
] };

pub(super) static DISCOVERY_ENDPOINT_PORT: GoStruct = GoStruct { name: "EndpointPort", fields: &[
    f("name", Pointer(&Text), true),
    f("protocol", Pointer(&Named("v1.Protocol", &Text)), true),
    f("port", Pointer(&Int32), true),
    f("appProtocol", Pointer(&Text), true),
] };

pub(super) static OBJECT_REFERENCE: GoStruct = GoStruct { name: "ObjectReference", fields: &[
    f("kind", Text, true),
    f("namespace", Text, true),
    f("name", Text, true),
    f("uid", Named("types.UID", &Text), true),
    f("apiVersion", Text, true),
    f("resourceVersion", Text, true),
    f("fieldPath", Text, true),
] };

pub(super) static LOCAL_OBJECT_REFERENCE: GoStruct = GoStruct { name: "LocalObjectReference", fields: &[
    f("name", Text, true),
] };

pub(super) static EVENT_SOURCE: GoStruct = GoStruct { name: "EventSource", fields: &[
    f("component", Text, true),
    f("host", Text, true),
] };

pub(super) static EVENT_SERIES: GoStruct = GoStruct { name: "EventSeries", fields: &[
    f("count", Int32, true),
    f("lastObservedTime", MicroTime, false),
] };

pub(super) static PERSISTENT_VOLUME_CLAIM_SPEC: GoStruct = GoStruct { name: "PersistentVolumeClaimSpec", fields: &[
    f("accessModes", List(&Named("v1.PersistentVolumeAccessMode", &Text)), true),
    f("selector", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("resources", Struct(&VOLUME_RESOURCE_REQUIREMENTS), true),
    f("volumeName", Text, true),
    f("storageClassName", Pointer(&Text), true),
    f("volumeMode", Pointer(&Named("v1.PersistentVolumeMode", &Text)), true),
    f("dataSource", Pointer(&Struct(&TYPED_LOCAL_OBJECT_REFERENCE)), true),
    f("dataSourceRef", Pointer(&Struct(&TYPED_OBJECT_REFERENCE)), true),
    f("volumeAttributesClassName", Pointer(&Text), true),
] };

pub(super) static PERSISTENT_VOLUME_CLAIM_STATUS: GoStruct = GoStruct { name: "PersistentVolumeClaimStatus", fields: &[
    f("phase", Named("v1.PersistentVolumeClaimPhase", &Text), true),
    f("accessModes", List(&Named("v1.PersistentVolumeAccessMode", &Text)), true),
    f("capacity", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("conditions", List(&Struct(&PERSISTENT_VOLUME_CLAIM_CONDITION)), true),
    f("allocatedResources", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("allocatedResourceStatuses", Map(&Named("v1.ClaimResourceStatus", &Text)), true),
    f("currentVolumeAttributesClassName", Pointer(&Text), true),
    f("modifyVolumeStatus", Pointer(&Struct(&MODIFY_VOLUME_STATUS)), true),
] };

pub(super) static PERSISTENT_VOLUME_SPEC: GoStruct = GoStruct { name: "PersistentVolumeSpec", fields: &[
    f("capacity", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("gcePersistentDisk", Pointer(&Struct(&GCE_PERSISTENT_DISK_VOLUME_SOURCE)), true),
    f("awsElasticBlockStore", Pointer(&Struct(&AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE)), true),
    f("hostPath", Pointer(&Struct(&HOST_PATH_VOLUME_SOURCE)), true),
    f("glusterfs", Pointer(&Struct(&GLUSTERFS_PERSISTENT_VOLUME_SOURCE)), true),
    f("nfs", Pointer(&Struct(&NFS_VOLUME_SOURCE)), true),
    f("rbd", Pointer(&Struct(&RBD_PERSISTENT_VOLUME_SOURCE)), true),
    f("iscsi", Pointer(&Struct(&ISCSI_PERSISTENT_VOLUME_SOURCE)), true),
    f("cinder", Pointer(&Struct(&CINDER_PERSISTENT_VOLUME_SOURCE)), true),
    f("cephfs", Pointer(&Struct(&CEPH_FS_PERSISTENT_VOLUME_SOURCE)), true),
    f("fc", Pointer(&Struct(&FC_VOLUME_SOURCE)), true),
    f("flocker", Pointer(&Struct(&FLOCKER_VOLUME_SOURCE)), true),
    f("flexVolume", Pointer(&Struct(&FLEX_PERSISTENT_VOLUME_SOURCE)), true),
    f("azureFile", Pointer(&Struct(&AZURE_FILE_PERSISTENT_VOLUME_SOURCE)), true),
    f("vsphereVolume", Pointer(&Struct(&VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE)), true),
    f("quobyte", Pointer(&Struct(&QUOBYTE_VOLUME_SOURCE)), true),
    f("azureDisk", Pointer(&Struct(&AZURE_DISK_VOLUME_SOURCE)), true),
    f("photonPersistentDisk", Pointer(&Struct(&PHOTON_PERSISTENT_DISK_VOLUME_SOURCE)), true),
    f("portworxVolume", Pointer(&Struct(&PORTWORX_VOLUME_SOURCE)), true),
    f("scaleIO", Pointer(&Struct(&SCALE_IO_PERSISTENT_VOLUME_SOURCE)), true),
    f("local", Pointer(&Struct(&LOCAL_VOLUME_SOURCE)), true),
    f("storageos", Pointer(&Struct(&STORAGE_OS_PERSISTENT_VOLUME_SOURCE)), true),
    f("csi", Pointer(&Struct(&CSI_PERSISTENT_VOLUME_SOURCE)), true),
    f("accessModes", List(&Named("v1.PersistentVolumeAccessMode", &Text)), true),
    f("claimRef", Pointer(&Struct(&OBJECT_REFERENCE)), true),
    f("persistentVolumeReclaimPolicy", Named("v1.PersistentVolumeReclaimPolicy", &Text), true),
    f("storageClassName", Text, true),
    f("mountOptions", List(&Text), true),
    f("volumeMode", Pointer(&Named("v1.PersistentVolumeMode", &Text)), true),
    f("nodeAffinity", Pointer(&Struct(&VOLUME_NODE_AFFINITY)), true),
    f("volumeAttributesClassName", Pointer(&Text), true),
] };

pub(super) static PERSISTENT_VOLUME_STATUS: GoStruct = GoStruct { name: "PersistentVolumeStatus", fields: &[
    f("phase", Named("v1.PersistentVolumePhase", &Text), true),
    f("message", Text, true),
    f("reason", Text, true),
    f("lastPhaseTransitionTime", Pointer(&Time), true),
] };

pub(super) static TOPOLOGY_SELECTOR_TERM: GoStruct = GoStruct { name: "TopologySelectorTerm", fields: &[
    f("matchLabelExpressions", List(&Struct(&TOPOLOGY_SELECTOR_LABEL_REQUIREMENT)), true),
] };

pub(super) static LEASE_SPEC: GoStruct = GoStruct { name: "LeaseSpec", fields: &[
    f("holderIdentity", Pointer(&Text), true),
    f("leaseDurationSeconds", Pointer(&Int32), true),
    f("acquireTime", Pointer(&MicroTime), true),
    f("renewTime", Pointer(&MicroTime), true),
    f("leaseTransitions", Pointer(&Int32), true),
    f("strategy", Pointer(&Named("v1.CoordinatedLeaseStrategy", &Text)), true),
    f("preferredHolder", Pointer(&Text), true),
] };

pub(super) static DEPLOYMENT_SPEC: GoStruct = GoStruct { name: "DeploymentSpec", fields: &[
    f("replicas", Pointer(&Int32), true),
    f("selector", Pointer(&Struct(&LABEL_SELECTOR)), false),
    f("template", Struct(&POD_TEMPLATE_SPEC), false),
    f("strategy", Struct(&DEPLOYMENT_STRATEGY), true),
    f("minReadySeconds", Int32, true),
    f("revisionHistoryLimit", Pointer(&Int32), true),
    f("paused", Bool, true),
    f("progressDeadlineSeconds", Pointer(&Int32), true),
] };

pub(super) static DEPLOYMENT_STATUS: GoStruct = GoStruct { name: "DeploymentStatus", fields: &[
    f("observedGeneration", Int64, true),
    f("replicas", Int32, true),
    f("updatedReplicas", Int32, true),
    f("readyReplicas", Int32, true),
    f("availableReplicas", Int32, true),
    f("unavailableReplicas", Int32, true),
    f("terminatingReplicas", Pointer(&Int32), true),
    f("conditions", List(&Struct(&DEPLOYMENT_CONDITION)), true),
    f("collisionCount", Pointer(&Int32), true),
] };

pub(super) static REPLICA_SET_SPEC: GoStruct = GoStruct { name: "ReplicaSetSpec", fields: &[
    f("replicas", Pointer(&Int32), true),
    f("minReadySeconds", Int32, true),
    f("selector", Pointer(&Struct(&LABEL_SELECTOR)), false),
    f("template", Struct(&POD_TEMPLATE_SPEC), true),
] };

pub(super) static REPLICA_SET_STATUS: GoStruct = GoStruct { name: "ReplicaSetStatus", fields: &[
    f("replicas", Int32, false),
    f("fullyLabeledReplicas", Int32, true),
    f("readyReplicas", Int32, true),
    f("availableReplicas", Int32, true),
    f("terminatingReplicas", Pointer(&Int32), true),
    f("observedGeneration", Int64, true),
    f("conditions", List(&Struct(&REPLICA_SET_CONDITION)), true),
] };

pub(super) static STATEFUL_SET_SPEC: GoStruct = GoStruct { name: "StatefulSetSpec", fields: &[
    f("replicas", Pointer(&Int32), true),
    f("selector", Pointer(&Struct(&LABEL_SELECTOR)), false),
    f("template", Struct(&POD_TEMPLATE_SPEC), false),
    f("volumeClaimTemplates", List(&Struct(&PERSISTENT_VOLUME_CLAIM)), true),
    f("serviceName", Text, false),
    f("podManagementPolicy", Named("v1.PodManagementPolicyType", &Text), true),
    f("updateStrategy", Struct(&STATEFUL_SET_UPDATE_STRATEGY), true),
    f("revisionHistoryLimit", Pointer(&Int32), true),
    f("minReadySeconds", Int32, true),
    f("persistentVolumeClaimRetentionPolicy", Pointer(&Struct(&STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY)), true),
    f("ordinals", Pointer(&Struct(&STATEFUL_SET_ORDINALS)), true),
] };

pub(super) static STATEFUL_SET_STATUS: GoStruct = GoStruct { name: "StatefulSetStatus", fields: &[
    f("observedGeneration", Int64, true),
    f("replicas", Int32, false),
    f("readyReplicas", Int32, true),
    f("currentReplicas", Int32, true),
    f("updatedReplicas", Int32, true),
    f("currentRevision", Text, true),
    f("updateRevision", Text, true),
    f("collisionCount", Pointer(&Int32), true),
    f("conditions", List(&Struct(&STATEFUL_SET_CONDITION)), true),
    f("availableReplicas", Int32, false),
] };

pub(super) static DAEMON_SET_SPEC: GoStruct = GoStruct { name: "DaemonSetSpec", fields: &[
    f("selector", Pointer(&Struct(&LABEL_SELECTOR)), false),
    f("template", Struct(&POD_TEMPLATE_SPEC), false),
    f("updateStrategy", Struct(&DAEMON_SET_UPDATE_STRATEGY), true),
    f("minReadySeconds", Int32, true),
    f("revisionHistoryLimit", Pointer(&Int32), true),
] };

pub(super) static DAEMON_SET_STATUS: GoStruct = GoStruct { name: "DaemonSetStatus", fields: &[
    f("currentNumberScheduled", Int32, false),
    f("numberMisscheduled", Int32, false),
    f("desiredNumberScheduled", Int32, false),
    f("numberReady", Int32, false),
    f("observedGeneration", Int64, true),
    f("updatedNumberScheduled", Int32, true),
    f("numberAvailable", Int32, true),
    f("numberUnavailable", Int32, true),
    f("collisionCount", Pointer(&Int32), true),
    f("conditions", List(&Struct(&DAEMON_SET_CONDITION)), true),
] };

pub(super) static JOB_SPEC: GoStruct = GoStruct { name: "JobSpec", fields: &[
    f("parallelism", Pointer(&Int32), true),
    f("completions", Pointer(&Int32), true),
    f("activeDeadlineSeconds", Pointer(&Int64), true),
    f("podFailurePolicy", Pointer(&Struct(&POD_FAILURE_POLICY)), true),
    f("successPolicy", Pointer(&Struct(&SUCCESS_POLICY)), true),
    f("backoffLimit", Pointer(&Int32), true),
    f("backoffLimitPerIndex", Pointer(&Int32), true),
    f("maxFailedIndexes", Pointer(&Int32), true),
    f("selector", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("manualSelector", Pointer(&Bool), true),
    f("template", Struct(&POD_TEMPLATE_SPEC), false),
    f("ttlSecondsAfterFinished", Pointer(&Int32), true),
    f("completionMode", Pointer(&Named("v1.CompletionMode", &Text)), true),
    f("suspend", Pointer(&Bool), true),
    f("podReplacementPolicy", Pointer(&Named("v1.PodReplacementPolicy", &Text)), true),
    f("managedBy", Pointer(&Text), true),
] };

pub(super) static JOB_STATUS: GoStruct = GoStruct { name: "JobStatus", fields: &[
    f("conditions", List(&Struct(&JOB_CONDITION)), true),
    f("startTime", Pointer(&Time), true),
    f("completionTime", Pointer(&Time), true),
    f("active", Int32, true),
    f("succeeded", Int32, true),
    f("failed", Int32, true),
    f("terminating", Pointer(&Int32), true),
    f("completedIndexes", Text, true),
    f("failedIndexes", Pointer(&Text), true),
    f("uncountedTerminatedPods", Pointer(&Struct(&UNCOUNTED_TERMINATED_PODS)), true),
    f("ready", Pointer(&Int32), true),
] };

pub(super) static CRON_JOB_SPEC: GoStruct = GoStruct { name: "CronJobSpec", fields: &[
    f("schedule", Text, false),
    f("timeZone", Pointer(&Text), true),
    f("startingDeadlineSeconds", Pointer(&Int64), true),
    f("concurrencyPolicy", Named("v1.ConcurrencyPolicy", &Text), true),
    f("suspend", Pointer(&Bool), true),
    f("jobTemplate", Struct(&JOB_TEMPLATE_SPEC), false),
    f("successfulJobsHistoryLimit", Pointer(&Int32), true),
    f("failedJobsHistoryLimit", Pointer(&Int32), true),
] };

pub(super) static CRON_JOB_STATUS: GoStruct = GoStruct { name: "CronJobStatus", fields: &[
    f("active", List(&Struct(&OBJECT_REFERENCE)), true),
    f("lastScheduleTime", Pointer(&Time), true),
    f("lastSuccessfulTime", Pointer(&Time), true),
] };

pub(super) static POD_DISRUPTION_BUDGET_SPEC: GoStruct = GoStruct { name: "PodDisruptionBudgetSpec", fields: &[
    f("minAvailable", Pointer(&IntOrString), true),
    f("selector", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("maxUnavailable", Pointer(&IntOrString), true),
    f("unhealthyPodEvictionPolicy", Pointer(&Named("v1.UnhealthyPodEvictionPolicyType", &Text)), true),
] };

pub(super) static POD_DISRUPTION_BUDGET_STATUS: GoStruct = GoStruct { name: "PodDisruptionBudgetStatus", fields: &[
    f("observedGeneration", Int64, true),
    f("disruptedPods", Map(&Time), true),
    f("disruptionsAllowed", Int32, false),
    f("currentHealthy", Int32, false),
    f("desiredHealthy", Int32, false),
    f("expectedPods", Int32, false),
    f("conditions", List(&Struct(&CONDITION)), true),
] };

pub(super) static AUTOSCALINGV2_HORIZONTAL_POD_AUTOSCALER_SPEC: GoStruct = GoStruct { name: "HorizontalPodAutoscalerSpec", fields: &[
    f("scaleTargetRef", Struct(&AUTOSCALINGV2_CROSS_VERSION_OBJECT_REFERENCE), false),
    f("minReplicas", Pointer(&Int32), true),
    f("maxReplicas", Int32, false),
    f("metrics", List(&Struct(&AUTOSCALINGV2_METRIC_SPEC)), true),
    f("behavior", Pointer(&Struct(&HORIZONTAL_POD_AUTOSCALER_BEHAVIOR)), true),
] };

pub(super) static AUTOSCALINGV2_HORIZONTAL_POD_AUTOSCALER_STATUS: GoStruct = GoStruct { name: "HorizontalPodAutoscalerStatus", fields: &[
    f("observedGeneration", Pointer(&Int64), true),
    f("lastScaleTime", Pointer(&Time), true),
    f("currentReplicas", Int32, true),
    f("desiredReplicas", Int32, false),
    f("currentMetrics", List(&Struct(&AUTOSCALINGV2_METRIC_STATUS)), false),
    f("conditions", List(&Struct(&AUTOSCALINGV2_HORIZONTAL_POD_AUTOSCALER_CONDITION)), true),
] };

pub(super) static LIMIT_RANGE_SPEC: GoStruct = GoStruct { name: "LimitRangeSpec", fields: &[
    f("limits", List(&Struct(&LIMIT_RANGE_ITEM)), false),
] };

pub(super) static RESOURCE_QUOTA_SPEC: GoStruct = GoStruct { name: "ResourceQuotaSpec", fields: &[
    f("hard", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("scopes", List(&Named("v1.ResourceQuotaScope", &Text)), true),
    f("scopeSelector", Pointer(&Struct(&SCOPE_SELECTOR)), true),
] };

pub(super) static RESOURCE_QUOTA_STATUS: GoStruct = GoStruct { name: "ResourceQuotaStatus", fields: &[
    f("hard", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("used", Named("v1.ResourceList", &Map(&Quantity)), true),
] };

pub(super) static REPLICATION_CONTROLLER_SPEC: GoStruct = GoStruct { name: "ReplicationControllerSpec", fields: &[
    f("replicas", Pointer(&Int32), true),
    f("minReadySeconds", Int32, true),
    f("selector", Map(&Text), true),
    f("template", Pointer(&Struct(&POD_TEMPLATE_SPEC)), true),
] };

pub(super) static REPLICATION_CONTROLLER_STATUS: GoStruct = GoStruct { name: "ReplicationControllerStatus", fields: &[
    f("replicas", Int32, false),
    f("fullyLabeledReplicas", Int32, true),
    f("readyReplicas", Int32, true),
    f("availableReplicas", Int32, true),
    f("observedGeneration", Int64, true),
    f("conditions", List(&Struct(&REPLICATION_CONTROLLER_CONDITION)), true),
] };

pub(super) static INGRESS_SPEC: GoStruct = GoStruct { name: "IngressSpec", fields: &[
    f("ingressClassName", Pointer(&Text), true),
    f("defaultBackend", Pointer(&Struct(&INGRESS_BACKEND)), true),
    f("tls", List(&Struct(&INGRESS_TLS)), true),
    f("rules", List(&Struct(&INGRESS_RULE)), true),
] };

pub(super) static INGRESS_STATUS: GoStruct = GoStruct { name: "IngressStatus", fields: &[
    f("loadBalancer", Struct(&INGRESS_LOAD_BALANCER_STATUS), true),
] };

pub(super) static INGRESS_CLASS_SPEC: GoStruct = GoStruct { name: "IngressClassSpec", fields: &[
    f("controller", Text, true),
    f("parameters", Pointer(&Struct(&INGRESS_CLASS_PARAMETERS_REFERENCE)), true),
] };

pub(super) static NETWORK_POLICY_SPEC: GoStruct = GoStruct { name: "NetworkPolicySpec", fields: &[
    f("podSelector", Struct(&LABEL_SELECTOR), false),
    f("ingress", List(&Struct(&NETWORK_POLICY_INGRESS_RULE)), true),
    f("egress", List(&Struct(&NETWORK_POLICY_EGRESS_RULE)), true),
    f("policyTypes", List(&Named("v1.PolicyType", &Text)), true),
] };

pub(super) static POLICY_RULE: GoStruct = GoStruct { name: "PolicyRule", fields: &[
    f("verbs", List(&Text), false),
    f("apiGroups", List(&Text), true),
    f("resources", List(&Text), true),
    f("resourceNames", List(&Text), true),
    f("nonResourceURLs", List(&Text), true),
] };

pub(super) static AGGREGATION_RULE: GoStruct = GoStruct { name: "AggregationRule", fields: &[
    f("clusterRoleSelectors", List(&Struct(&LABEL_SELECTOR)), true),
] };

pub(super) static SUBJECT: GoStruct = GoStruct { name: "Subject", fields: &[
    f("kind", Text, false),
    f("apiGroup", Text, true),
    f("name", Text, false),
    f("namespace", Text, true),
] };

pub(super) static ROLE_REF: GoStruct = GoStruct { name: "RoleRef", fields: &[
    f("apiGroup", Text, false),
    f("kind", Text, false),
    f("name", Text, false),
] };

pub(super) static CUSTOM_RESOURCE_DEFINITION_SPEC: GoStruct = GoStruct { name: "CustomResourceDefinitionSpec", fields: &[
    f("group", Text, false),
    f("names", Struct(&CUSTOM_RESOURCE_DEFINITION_NAMES), false),
    f("scope", Named("v1.ResourceScope", &Text), false),
    f("versions", List(&Struct(&CUSTOM_RESOURCE_DEFINITION_VERSION)), false),
    f("conversion", Pointer(&Struct(&CUSTOM_RESOURCE_CONVERSION)), true),
    f("preserveUnknownFields", Bool, true),
] };

pub(super) static CUSTOM_RESOURCE_DEFINITION_STATUS: GoStruct = GoStruct { name: "CustomResourceDefinitionStatus", fields: &[
    f("conditions", List(&Struct(&CUSTOM_RESOURCE_DEFINITION_CONDITION)), false),
    f("acceptedNames", Struct(&CUSTOM_RESOURCE_DEFINITION_NAMES), false),
    f("storedVersions", List(&Text), false),
    f("observedGeneration", Int64, true),
] };

pub(super) static CSI_DRIVER_SPEC: GoStruct = GoStruct { name: "CSIDriverSpec", fields: &[
    f("attachRequired", Pointer(&Bool), true),
    f("podInfoOnMount", Pointer(&Bool), true),
    f("volumeLifecycleModes", List(&Named("v1.VolumeLifecycleMode", &Text)), true),
    f("storageCapacity", Pointer(&Bool), true),
    f("fsGroupPolicy", Pointer(&Named("v1.FSGroupPolicy", &Text)), true),
    f("tokenRequests", List(&Struct(&STORAGE_TOKEN_REQUEST)), true),
    f("requiresRepublish", Pointer(&Bool), true),
    f("seLinuxMount", Pointer(&Bool), true),
    f("nodeAllocatableUpdatePeriodSeconds", Pointer(&Int64), true),
    f("serviceAccountTokenInSecrets", Pointer(&Bool), true),
    f("preventPodSchedulingIfMissing", Pointer(&Bool), true),
] };

pub(super) static CSI_NODE_SPEC: GoStruct = GoStruct { name: "CSINodeSpec", fields: &[
    f("drivers", List(&Struct(&CSI_NODE_DRIVER)), false),
] };

pub(super) static VOLUME_ATTACHMENT_SPEC: GoStruct = GoStruct { name: "VolumeAttachmentSpec", fields: &[
    f("attacher", Text, false),
    f("source", Struct(&VOLUME_ATTACHMENT_SOURCE), false),
    f("nodeName", Text, false),
] };

pub(super) static VOLUME_ATTACHMENT_STATUS: GoStruct = GoStruct { name: "VolumeAttachmentStatus", fields: &[
    f("attached", Bool, false),
    f("attachmentMetadata", Map(&Text), true),
    f("attachError", Pointer(&Struct(&VOLUME_ERROR)), true),
    f("detachError", Pointer(&Struct(&VOLUME_ERROR)), true),
] };

pub(super) static CERTIFICATE_SIGNING_REQUEST_SPEC: GoStruct = GoStruct { name: "CertificateSigningRequestSpec", fields: &[
    f("request", Bytes, false),
    f("signerName", Text, false),
    f("expirationSeconds", Pointer(&Int32), true),
    f("usages", List(&Named("v1.KeyUsage", &Text)), true),
    f("username", Text, true),
    f("uid", Text, true),
    f("groups", List(&Text), true),
    f("extra", Map(&Named("v1.ExtraValue", &List(&Text))), true),
] };

pub(super) static CERTIFICATE_SIGNING_REQUEST_STATUS: GoStruct = GoStruct { name: "CertificateSigningRequestStatus", fields: &[
    f("conditions", List(&Struct(&CERTIFICATE_SIGNING_REQUEST_CONDITION)), true),
    f("certificate", Bytes, true),
] };

pub(super) static LABEL_SELECTOR: GoStruct = GoStruct { name: "LabelSelector", fields: &[
    f("matchLabels", Map(&Text), true),
    f("matchExpressions", List(&Struct(&LABEL_SELECTOR_REQUIREMENT)), true),
] };

pub(super) static POD_TEMPLATE_SPEC: GoStruct = GoStruct { name: "PodTemplateSpec", fields: &[
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&POD_SPEC), true),
] };

pub(super) static OVERHEAD: GoStruct = GoStruct { name: "Overhead", fields: &[
    f("podFixed", Named("v1.ResourceList", &Map(&Quantity)), true),
] };

pub(super) static SCHEDULING: GoStruct = GoStruct { name: "Scheduling", fields: &[
    f("nodeSelector", Map(&Text), true),
    f("tolerations", List(&Struct(&TOLERATION)), true),
] };

pub(super) static SERVICE_CIDR_SPEC: GoStruct = GoStruct { name: "ServiceCIDRSpec", fields: &[
    f("cidrs", List(&Text), true),
] };

pub(super) static SERVICE_CIDR_STATUS: GoStruct = GoStruct { name: "ServiceCIDRStatus", fields: &[
    f("conditions", List(&Struct(&CONDITION)), true),
] };

pub(super) static IP_ADDRESS_SPEC: GoStruct = GoStruct { name: "IPAddressSpec", fields: &[
    f("parentRef", Pointer(&Struct(&PARENT_REFERENCE)), true),
] };

pub(super) static VALIDATING_ADMISSION_POLICY_SPEC: GoStruct = GoStruct { name: "ValidatingAdmissionPolicySpec", fields: &[
    f("paramKind", Pointer(&Struct(&PARAM_KIND)), true),
    f("matchConstraints", Pointer(&Struct(&MATCH_RESOURCES)), true),
    f("validations", List(&Struct(&VALIDATION)), true),
    f("failurePolicy", Pointer(&Named("v1.FailurePolicyType", &Text)), true),
    f("auditAnnotations", List(&Struct(&AUDIT_ANNOTATION)), true),
    f("matchConditions", List(&Struct(&MATCH_CONDITION)), true),
    f("variables", List(&Struct(&VARIABLE)), true),
] };

pub(super) static VALIDATING_ADMISSION_POLICY_STATUS: GoStruct = GoStruct { name: "ValidatingAdmissionPolicyStatus", fields: &[
    f("observedGeneration", Int64, true),
    f("typeChecking", Pointer(&Struct(&TYPE_CHECKING)), true),
    f("conditions", List(&Struct(&CONDITION)), true),
] };

pub(super) static VALIDATING_ADMISSION_POLICY_BINDING_SPEC: GoStruct = GoStruct { name: "ValidatingAdmissionPolicyBindingSpec", fields: &[
    f("policyName", Text, true),
    f("paramRef", Pointer(&Struct(&PARAM_REF)), true),
    f("matchResources", Pointer(&Struct(&MATCH_RESOURCES)), true),
    f("validationActions", List(&Named("v1.ValidationAction", &Text)), true),
] };

pub(super) static MUTATING_ADMISSION_POLICY_SPEC: GoStruct = GoStruct { name: "MutatingAdmissionPolicySpec", fields: &[
    f("paramKind", Pointer(&Struct(&PARAM_KIND)), true),
    f("matchConstraints", Pointer(&Struct(&MATCH_RESOURCES)), true),
    f("variables", List(&Struct(&VARIABLE)), true),
    f("mutations", List(&Struct(&MUTATION)), true),
    f("failurePolicy", Pointer(&Named("v1.FailurePolicyType", &Text)), true),
    f("matchConditions", List(&Struct(&MATCH_CONDITION)), true),
    f("reinvocationPolicy", Named("v1.ReinvocationPolicyType", &Text), true),
] };

pub(super) static MUTATING_ADMISSION_POLICY_BINDING_SPEC: GoStruct = GoStruct { name: "MutatingAdmissionPolicyBindingSpec", fields: &[
    f("policyName", Text, true),
    f("paramRef", Pointer(&Struct(&PARAM_REF)), true),
    f("matchResources", Pointer(&Struct(&MATCH_RESOURCES)), true),
] };

pub(super) static RESOURCE_CLAIM_SPEC: GoStruct = GoStruct { name: "ResourceClaimSpec", fields: &[
    f("devices", Struct(&DEVICE_CLAIM), false),
] };

pub(super) static RESOURCE_CLAIM_STATUS: GoStruct = GoStruct { name: "ResourceClaimStatus", fields: &[
    f("allocation", Pointer(&Struct(&ALLOCATION_RESULT)), true),
    f("reservedFor", List(&Struct(&RESOURCE_CLAIM_CONSUMER_REFERENCE)), true),
    f("devices", List(&Struct(&ALLOCATED_DEVICE_STATUS)), true),
] };

pub(super) static RESOURCE_CLAIM_TEMPLATE_SPEC: GoStruct = GoStruct { name: "ResourceClaimTemplateSpec", fields: &[
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&RESOURCE_CLAIM_SPEC), false),
] };

pub(super) static DEVICE_CLASS_SPEC: GoStruct = GoStruct { name: "DeviceClassSpec", fields: &[
    f("selectors", List(&Struct(&DEVICE_SELECTOR)), true),
    f("config", List(&Struct(&DEVICE_CLASS_CONFIGURATION)), true),
    f("extendedResourceName", Pointer(&Text), true),
] };

pub(super) static RESOURCE_SLICE_SPEC: GoStruct = GoStruct { name: "ResourceSliceSpec", fields: &[
    f("driver", Text, false),
    f("pool", Struct(&RESOURCE_POOL), false),
    f("nodeName", Pointer(&Text), true),
    f("nodeSelector", Pointer(&Struct(&NODE_SELECTOR)), true),
    f("allNodes", Pointer(&Bool), true),
    f("devices", List(&Struct(&DEVICE)), true),
    f("perDeviceNodeSelection", Pointer(&Bool), true),
    f("sharedCounters", List(&Struct(&COUNTER_SET)), true),
] };

pub(super) static HORIZONTAL_POD_AUTOSCALER_SPEC: GoStruct = GoStruct { name: "HorizontalPodAutoscalerSpec", fields: &[
    f("scaleTargetRef", Struct(&CROSS_VERSION_OBJECT_REFERENCE), false),
    f("minReplicas", Pointer(&Int32), true),
    f("maxReplicas", Int32, false),
    f("targetCPUUtilizationPercentage", Pointer(&Int32), true),
] };

pub(super) static HORIZONTAL_POD_AUTOSCALER_STATUS: GoStruct = GoStruct { name: "HorizontalPodAutoscalerStatus", fields: &[
    f("observedGeneration", Pointer(&Int64), true),
    f("lastScaleTime", Pointer(&Time), true),
    f("currentReplicas", Int32, false),
    f("desiredReplicas", Int32, false),
    f("currentCPUUtilizationPercentage", Pointer(&Int32), true),
] };

pub(super) static EVENTS_EVENT_SERIES: GoStruct = GoStruct { name: "EventSeries", fields: &[
    f("count", Int32, false),
    f("lastObservedTime", MicroTime, false),
] };

pub(super) static SCALE_SPEC: GoStruct = GoStruct { name: "ScaleSpec", fields: &[
    f("replicas", Int32, true),
] };

pub(super) static SCALE_STATUS: GoStruct = GoStruct { name: "ScaleStatus", fields: &[
    f("replicas", Int32, false),
    f("selector", Text, true),
] };

pub(super) static META_PRECONDITIONS: GoStruct = GoStruct { name: "Preconditions", fields: &[
    f("uid", Pointer(&Named("types.UID", &Text)), true),
    f("resourceVersion", Pointer(&Text), true),
] };

pub(super) static OBJECT_METRIC_SOURCE: GoStruct = GoStruct { name: "ObjectMetricSource", fields: &[
    f("target", Struct(&CROSS_VERSION_OBJECT_REFERENCE), false),
    f("metricName", Text, false),
    f("targetValue", Quantity, false),
    f("selector", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("averageValue", Pointer(&Quantity), true),
] };

pub(super) static PODS_METRIC_SOURCE: GoStruct = GoStruct { name: "PodsMetricSource", fields: &[
    f("metricName", Text, false),
    f("targetAverageValue", Quantity, false),
    f("selector", Pointer(&Struct(&LABEL_SELECTOR)), true),
] };

pub(super) static RESOURCE_METRIC_SOURCE: GoStruct = GoStruct { name: "ResourceMetricSource", fields: &[
    f("name", Named("v1.ResourceName", &Text), false),
    f("targetAverageUtilization", Pointer(&Int32), true),
    f("targetAverageValue", Pointer(&Quantity), true),
] };

pub(super) static CONTAINER_RESOURCE_METRIC_SOURCE: GoStruct = GoStruct { name: "ContainerResourceMetricSource", fields: &[
    f("name", Named("v1.ResourceName", &Text), false),
    f("targetAverageUtilization", Pointer(&Int32), true),
    f("targetAverageValue", Pointer(&Quantity), true),
    f("container", Text, false),
] };

pub(super) static EXTERNAL_METRIC_SOURCE: GoStruct = GoStruct { name: "ExternalMetricSource", fields: &[
    f("metricName", Text, false),
    f("metricSelector", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("targetValue", Pointer(&Quantity), true),
    f("targetAverageValue", Pointer(&Quantity), true),
] };

pub(super) static OBJECT_METRIC_STATUS: GoStruct = GoStruct { name: "ObjectMetricStatus", fields: &[
    f("target", Struct(&CROSS_VERSION_OBJECT_REFERENCE), false),
    f("metricName", Text, false),
    f("currentValue", Quantity, false),
    f("selector", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("averageValue", Pointer(&Quantity), true),
] };

pub(super) static PODS_METRIC_STATUS: GoStruct = GoStruct { name: "PodsMetricStatus", fields: &[
    f("metricName", Text, false),
    f("currentAverageValue", Quantity, false),
    f("selector", Pointer(&Struct(&LABEL_SELECTOR)), true),
] };

pub(super) static RESOURCE_METRIC_STATUS: GoStruct = GoStruct { name: "ResourceMetricStatus", fields: &[
    f("name", Named("v1.ResourceName", &Text), false),
    f("currentAverageUtilization", Pointer(&Int32), true),
    f("currentAverageValue", Quantity, false),
] };

pub(super) static CONTAINER_RESOURCE_METRIC_STATUS: GoStruct = GoStruct { name: "ContainerResourceMetricStatus", fields: &[
    f("name", Named("v1.ResourceName", &Text), false),
    f("currentAverageUtilization", Pointer(&Int32), true),
    f("currentAverageValue", Quantity, false),
    f("container", Text, false),
] };

pub(super) static EXTERNAL_METRIC_STATUS: GoStruct = GoStruct { name: "ExternalMetricStatus", fields: &[
    f("metricName", Text, false),
    f("metricSelector", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("currentValue", Quantity, false),
    f("currentAverageValue", Pointer(&Quantity), true),
] };

pub(super) static SELF_SUBJECT_REVIEW_STATUS: GoStruct = GoStruct { name: "SelfSubjectReviewStatus", fields: &[
    f("userInfo", Struct(&USER_INFO), true),
] };

pub(super) static TOKEN_REQUEST_SPEC: GoStruct = GoStruct { name: "TokenRequestSpec", fields: &[
    f("audiences", List(&Text), false),
    f("expirationSeconds", Pointer(&Int64), false),
    f("boundObjectRef", Pointer(&Struct(&BOUND_OBJECT_REFERENCE)), false),
] };

pub(super) static TOKEN_REQUEST_STATUS: GoStruct = GoStruct { name: "TokenRequestStatus", fields: &[
    f("token", Text, false),
    f("expirationTimestamp", Time, false),
] };

pub(super) static TOKEN_REVIEW_SPEC: GoStruct = GoStruct { name: "TokenReviewSpec", fields: &[
    f("token", Text, true),
    f("audiences", List(&Text), true),
] };

pub(super) static TOKEN_REVIEW_STATUS: GoStruct = GoStruct { name: "TokenReviewStatus", fields: &[
    f("authenticated", Bool, true),
    f("user", Struct(&USER_INFO), true),
    f("audiences", List(&Text), true),
    f("error", Text, true),
] };

pub(super) static SUBJECT_ACCESS_REVIEW_SPEC: GoStruct = GoStruct { name: "SubjectAccessReviewSpec", fields: &[
    f("resourceAttributes", Pointer(&Struct(&RESOURCE_ATTRIBUTES)), true),
    f("nonResourceAttributes", Pointer(&Struct(&NON_RESOURCE_ATTRIBUTES)), true),
    f("user", Text, true),
    f("groups", List(&Text), true),
    f("extra", Map(&Named("v1.ExtraValue", &List(&Text))), true),
    f("uid", Text, true),
] };

pub(super) static SUBJECT_ACCESS_REVIEW_STATUS: GoStruct = GoStruct { name: "SubjectAccessReviewStatus", fields: &[
    f("allowed", Bool, false),
    f("denied", Bool, true),
    f("reason", Text, true),
    f("evaluationError", Text, true),
] };

pub(super) static SELF_SUBJECT_ACCESS_REVIEW_SPEC: GoStruct = GoStruct { name: "SelfSubjectAccessReviewSpec", fields: &[
    f("resourceAttributes", Pointer(&Struct(&RESOURCE_ATTRIBUTES)), true),
    f("nonResourceAttributes", Pointer(&Struct(&NON_RESOURCE_ATTRIBUTES)), true),
] };

pub(super) static SELF_SUBJECT_RULES_REVIEW_SPEC: GoStruct = GoStruct { name: "SelfSubjectRulesReviewSpec", fields: &[
    f("namespace", Text, true),
] };

pub(super) static SUBJECT_RULES_REVIEW_STATUS: GoStruct = GoStruct { name: "SubjectRulesReviewStatus", fields: &[
    f("resourceRules", List(&Struct(&RESOURCE_RULE)), false),
    f("nonResourceRules", List(&Struct(&NON_RESOURCE_RULE)), false),
    f("incomplete", Bool, false),
    f("evaluationError", Text, true),
] };

pub(super) static OWNER_REFERENCE: GoStruct = GoStruct { name: "OwnerReference", fields: &[
    f("apiVersion", Text, false),
    f("kind", Text, false),
    f("name", Text, false),
    f("uid", Named("types.UID", &Text), false),
    f("controller", Pointer(&Bool), true),
    f("blockOwnerDeletion", Pointer(&Bool), true),
] };

pub(super) static MANAGED_FIELDS_ENTRY: GoStruct = GoStruct { name: "ManagedFieldsEntry", fields: &[
    f("manager", Text, true),
    f("operation", Named("v1.ManagedFieldsOperationType", &Text), true),
    f("apiVersion", Text, true),
    f("time", Pointer(&Time), true),
    f("fieldsType", Text, true),
    f("fieldsV1", Pointer(&FieldsV1), true),
    f("subresource", Text, true),
] };

pub(super) static NAMESPACE_CONDITION: GoStruct = GoStruct { name: "NamespaceCondition", fields: &[
    f("type", Named("v1.NamespaceConditionType", &Text), false),
    f("status", Named("v1.ConditionStatus", &Text), false),
    f("lastTransitionTime", Time, false),
    f("reason", Text, true),
    f("message", Text, true),
] };

pub(super) static TAINT: GoStruct = GoStruct { name: "Taint", fields: &[
    f("key", Text, false),
    f("value", Text, true),
    f("effect", Named("v1.TaintEffect", &Text), false),
    f("timeAdded", Pointer(&Time), true),
] };

pub(super) static NODE_CONFIG_SOURCE: GoStruct = GoStruct { name: "NodeConfigSource", fields: &[
    f("configMap", Pointer(&Struct(&CONFIG_MAP_NODE_CONFIG_SOURCE)), true),
] };

pub(super) static NODE_CONDITION: GoStruct = GoStruct { name: "NodeCondition", fields: &[
    f("type", Named("v1.NodeConditionType", &Text), false),
    f("status", Named("v1.ConditionStatus", &Text), false),
    f("lastHeartbeatTime", Time, false),
    f("lastTransitionTime", Time, false),
    f("reason", Text, true),
    f("message", Text, true),
] };

pub(super) static NODE_ADDRESS: GoStruct = GoStruct { name: "NodeAddress", fields: &[
    f("type", Named("v1.NodeAddressType", &Text), false),
    f("address", Text, false),
] };

pub(super) static NODE_DAEMON_ENDPOINTS: GoStruct = GoStruct { name: "NodeDaemonEndpoints", fields: &[
    f("kubeletEndpoint", Struct(&DAEMON_ENDPOINT), true),
] };

pub(super) static NODE_SYSTEM_INFO: GoStruct = GoStruct { name: "NodeSystemInfo", fields: &[
    f("machineID", Text, false),
    f("systemUUID", Text, false),
    f("bootID", Text, false),
    f("kernelVersion", Text, false),
    f("osImage", Text, false),
    f("containerRuntimeVersion", Text, false),
    f("kubeletVersion", Text, false),
    f("kubeProxyVersion", Text, false),
    f("operatingSystem", Text, false),
    f("architecture", Text, false),
    f("swap", Pointer(&Struct(&NODE_SWAP_STATUS)), true),
] };

pub(super) static CONTAINER_IMAGE: GoStruct = GoStruct { name: "ContainerImage", fields: &[
    f("names", List(&Text), false),
    f("sizeBytes", Int64, true),
] };

pub(super) static ATTACHED_VOLUME: GoStruct = GoStruct { name: "AttachedVolume", fields: &[
    f("name", Named("v1.UniqueVolumeName", &Text), false),
    f("devicePath", Text, false),
] };

pub(super) static NODE_CONFIG_STATUS: GoStruct = GoStruct { name: "NodeConfigStatus", fields: &[
    f("assigned", Pointer(&Struct(&NODE_CONFIG_SOURCE)), true),
    f("active", Pointer(&Struct(&NODE_CONFIG_SOURCE)), true),
    f("lastKnownGood", Pointer(&Struct(&NODE_CONFIG_SOURCE)), true),
    f("error", Text, true),
] };

pub(super) static NODE_RUNTIME_HANDLER: GoStruct = GoStruct { name: "NodeRuntimeHandler", fields: &[
    f("name", Text, false),
    f("features", Pointer(&Struct(&NODE_RUNTIME_HANDLER_FEATURES)), true),
] };

pub(super) static NODE_FEATURES: GoStruct = GoStruct { name: "NodeFeatures", fields: &[
    f("supplementalGroupsPolicy", Pointer(&Bool), true),
] };

pub(super) static VOLUME: GoStruct = GoStruct { name: "Volume", fields: &[
    f("name", Text, false),
    f("hostPath", Pointer(&Struct(&HOST_PATH_VOLUME_SOURCE)), true),
    f("emptyDir", Pointer(&Struct(&EMPTY_DIR_VOLUME_SOURCE)), true),
    f("gcePersistentDisk", Pointer(&Struct(&GCE_PERSISTENT_DISK_VOLUME_SOURCE)), true),
    f("awsElasticBlockStore", Pointer(&Struct(&AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE)), true),
    f("gitRepo", Pointer(&Struct(&GIT_REPO_VOLUME_SOURCE)), true),
    f("secret", Pointer(&Struct(&SECRET_VOLUME_SOURCE)), true),
    f("nfs", Pointer(&Struct(&NFS_VOLUME_SOURCE)), true),
    f("iscsi", Pointer(&Struct(&ISCSI_VOLUME_SOURCE)), true),
    f("glusterfs", Pointer(&Struct(&GLUSTERFS_VOLUME_SOURCE)), true),
    f("persistentVolumeClaim", Pointer(&Struct(&PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE)), true),
    f("rbd", Pointer(&Struct(&RBD_VOLUME_SOURCE)), true),
    f("flexVolume", Pointer(&Struct(&FLEX_VOLUME_SOURCE)), true),
    f("cinder", Pointer(&Struct(&CINDER_VOLUME_SOURCE)), true),
    f("cephfs", Pointer(&Struct(&CEPH_FS_VOLUME_SOURCE)), true),
    f("flocker", Pointer(&Struct(&FLOCKER_VOLUME_SOURCE)), true),
    f("downwardAPI", Pointer(&Struct(&DOWNWARD_API_VOLUME_SOURCE)), true),
    f("fc", Pointer(&Struct(&FC_VOLUME_SOURCE)), true),
    f("azureFile", Pointer(&Struct(&AZURE_FILE_VOLUME_SOURCE)), true),
    f("configMap", Pointer(&Struct(&CONFIG_MAP_VOLUME_SOURCE)), true),
    f("vsphereVolume", Pointer(&Struct(&VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE)), true),
    f("quobyte", Pointer(&Struct(&QUOBYTE_VOLUME_SOURCE)), true),
    f("azureDisk", Pointer(&Struct(&AZURE_DISK_VOLUME_SOURCE)), true),
    f("photonPersistentDisk", Pointer(&Struct(&PHOTON_PERSISTENT_DISK_VOLUME_SOURCE)), true),
    f("projected", Pointer(&Struct(&PROJECTED_VOLUME_SOURCE)), true),
    f("portworxVolume", Pointer(&Struct(&PORTWORX_VOLUME_SOURCE)), true),
    f("scaleIO", Pointer(&Struct(&SCALE_IO_VOLUME_SOURCE)), true),
    f("storageos", Pointer(&Struct(&STORAGE_OS_VOLUME_SOURCE)), true),
    f("csi", Pointer(&Struct(&CSI_VOLUME_SOURCE)), true),
    f("ephemeral", Pointer(&Struct(&EPHEMERAL_VOLUME_SOURCE)), true),
    f("image", Pointer(&Struct(&IMAGE_VOLUME_SOURCE)), true),
] };

pub(super) static CONTAINER: GoStruct = GoStruct { name: "Container", fields: &[
    f("name", Text, false),
    f("image", Text, true),
    f("command", List(&Text), true),
    f("args", List(&Text), true),
    f("workingDir", Text, true),
    f("ports", List(&Struct(&CONTAINER_PORT)), true),
    f("envFrom", List(&Struct(&ENV_FROM_SOURCE)), true),
    f("env", List(&Struct(&ENV_VAR)), true),
    f("resources", Struct(&RESOURCE_REQUIREMENTS), true),
    f("resizePolicy", List(&Struct(&CONTAINER_RESIZE_POLICY)), true),
    f("restartPolicy", Pointer(&Named("v1.ContainerRestartPolicy", &Text)), true),
    f("restartPolicyRules", List(&Struct(&CONTAINER_RESTART_RULE)), true),
    f("volumeMounts", List(&Struct(&VOLUME_MOUNT)), true),
    f("volumeDevices", List(&Struct(&VOLUME_DEVICE)), true),
    f("livenessProbe", Pointer(&Struct(&PROBE)), true),
    f("readinessProbe", Pointer(&Struct(&PROBE)), true),
    f("startupProbe", Pointer(&Struct(&PROBE)), true),
    f("lifecycle", Pointer(&Struct(&LIFECYCLE)), true),
    f("terminationMessagePath", Text, true),
    f("terminationMessagePolicy", Named("v1.TerminationMessagePolicy", &Text), true),
    f("imagePullPolicy", Named("v1.PullPolicy", &Text), true),
    f("securityContext", Pointer(&Struct(&SECURITY_CONTEXT)), true),
    f("stdin", Bool, true),
    f("stdinOnce", Bool, true),
    f("tty", Bool, true),
] };

pub(super) static EPHEMERAL_CONTAINER: GoStruct = GoStruct { name: "EphemeralContainer", fields: &[
    f("name", Text, false),
    f("image", Text, true),
    f("command", List(&Text), true),
    f("args", List(&Text), true),
    f("workingDir", Text, true),
    f("ports", List(&Struct(&CONTAINER_PORT)), true),
    f("envFrom", List(&Struct(&ENV_FROM_SOURCE)), true),
    f("env", List(&Struct(&ENV_VAR)), true),
    f("resources", Struct(&RESOURCE_REQUIREMENTS), true),
    f("resizePolicy", List(&Struct(&CONTAINER_RESIZE_POLICY)), true),
    f("restartPolicy", Pointer(&Named("v1.ContainerRestartPolicy", &Text)), true),
    f("restartPolicyRules", List(&Struct(&CONTAINER_RESTART_RULE)), true),
    f("volumeMounts", List(&Struct(&VOLUME_MOUNT)), true),
    f("volumeDevices", List(&Struct(&VOLUME_DEVICE)), true),
    f("livenessProbe", Pointer(&Struct(&PROBE)), true),
    f("readinessProbe", Pointer(&Struct(&PROBE)), true),
    f("startupProbe", Pointer(&Struct(&PROBE)), true),
    f("lifecycle", Pointer(&Struct(&LIFECYCLE)), true),
    f("terminationMessagePath", Text, true),
    f("terminationMessagePolicy", Named("v1.TerminationMessagePolicy", &Text), true),
    f("imagePullPolicy", Named("v1.PullPolicy", &Text), true),
    f("securityContext", Pointer(&Struct(&SECURITY_CONTEXT)), true),
    f("stdin", Bool, true),
    f("stdinOnce", Bool, true),
    f("tty", Bool, true),
    f("targetContainerName", Text, true),
] };

pub(super) static POD_SECURITY_CONTEXT: GoStruct = GoStruct { name: "PodSecurityContext", fields: &[
    f("seLinuxOptions", Pointer(&Struct(&SE_LINUX_OPTIONS)), true),
    f("windowsOptions", Pointer(&Struct(&WINDOWS_SECURITY_CONTEXT_OPTIONS)), true),
    f("runAsUser", Pointer(&Int64), true),
    f("runAsGroup", Pointer(&Int64), true),
    f("runAsNonRoot", Pointer(&Bool), true),
    f("supplementalGroups", List(&Int64), true),
    f("supplementalGroupsPolicy", Pointer(&Named("v1.SupplementalGroupsPolicy", &Text)), true),
    f("fsGroup", Pointer(&Int64), true),
    f("sysctls", List(&Struct(&SYSCTL)), true),
    f("fsGroupChangePolicy", Pointer(&Named("v1.PodFSGroupChangePolicy", &Text)), true),
    f("seccompProfile", Pointer(&Struct(&SECCOMP_PROFILE)), true),
    f("appArmorProfile", Pointer(&Struct(&APP_ARMOR_PROFILE)), true),
    f("seLinuxChangePolicy", Pointer(&Named("v1.PodSELinuxChangePolicy", &Text)), true),
] };

pub(super) static AFFINITY: GoStruct = GoStruct { name: "Affinity", fields: &[
    f("nodeAffinity", Pointer(&Struct(&NODE_AFFINITY)), true),
    f("podAffinity", Pointer(&Struct(&POD_AFFINITY)), true),
    f("podAntiAffinity", Pointer(&Struct(&POD_ANTI_AFFINITY)), true),
] };

pub(super) static TOLERATION: GoStruct = GoStruct { name: "Toleration", fields: &[
    f("key", Text, true),
    f("operator", Named("v1.TolerationOperator", &Text), true),
    f("value", Text, true),
    f("effect", Named("v1.TaintEffect", &Text), true),
    f("tolerationSeconds", Pointer(&Int64), true),
] };

pub(super) static HOST_ALIAS: GoStruct = GoStruct { name: "HostAlias", fields: &[
    f("ip", Text, false),
    f("hostnames", List(&Text), true),
] };

pub(super) static POD_DNS_CONFIG: GoStruct = GoStruct { name: "PodDNSConfig", fields: &[
    f("nameservers", List(&Text), true),
    f("searches", List(&Text), true),
    f("options", List(&Struct(&POD_DNS_CONFIG_OPTION)), true),
] };

pub(super) static POD_READINESS_GATE: GoStruct = GoStruct { name: "PodReadinessGate", fields: &[
    f("conditionType", Named("v1.PodConditionType", &Text), false),
] };

pub(super) static TOPOLOGY_SPREAD_CONSTRAINT: GoStruct = GoStruct { name: "TopologySpreadConstraint", fields: &[
    f("maxSkew", Int32, false),
    f("topologyKey", Text, false),
    f("whenUnsatisfiable", Named("v1.UnsatisfiableConstraintAction", &Text), false),
    f("labelSelector", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("minDomains", Pointer(&Int32), true),
    f("nodeAffinityPolicy", Pointer(&Named("v1.NodeInclusionPolicy", &Text)), true),
    f("nodeTaintsPolicy", Pointer(&Named("v1.NodeInclusionPolicy", &Text)), true),
    f("matchLabelKeys", List(&Text), true),
] };

pub(super) static POD_OS: GoStruct = GoStruct { name: "PodOS", fields: &[
    f("name", Named("v1.OSName", &Text), false),
] };

pub(super) static POD_SCHEDULING_GATE: GoStruct = GoStruct { name: "PodSchedulingGate", fields: &[
    f("name", Text, false),
] };

pub(super) static POD_RESOURCE_CLAIM: GoStruct = GoStruct { name: "PodResourceClaim", fields: &[
    f("name", Text, false),
    f("resourceClaimName", Pointer(&Text), true),
    f("resourceClaimTemplateName", Pointer(&Text), true),
] };

pub(super) static RESOURCE_REQUIREMENTS: GoStruct = GoStruct { name: "ResourceRequirements", fields: &[
    f("limits", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("requests", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("claims", List(&Struct(&RESOURCE_CLAIM)), true),
] };

pub(super) static POD_SCHEDULING_GROUP: GoStruct = GoStruct { name: "PodSchedulingGroup", fields: &[
    f("podGroupName", Pointer(&Text), true),
] };

pub(super) static POD_CONDITION: GoStruct = GoStruct { name: "PodCondition", fields: &[
    f("type", Named("v1.PodConditionType", &Text), false),
    f("observedGeneration", Int64, true),
    f("status", Named("v1.ConditionStatus", &Text), false),
    f("lastProbeTime", Time, false),
    f("lastTransitionTime", Time, false),
    f("reason", Text, true),
    f("message", Text, true),
] };

pub(super) static HOST_IP: GoStruct = GoStruct { name: "HostIP", fields: &[
    f("ip", Text, false),
] };

pub(super) static POD_IP: GoStruct = GoStruct { name: "PodIP", fields: &[
    f("ip", Text, false),
] };

pub(super) static CONTAINER_STATUS: GoStruct = GoStruct { name: "ContainerStatus", fields: &[
    f("name", Text, false),
    f("state", Struct(&CONTAINER_STATE), true),
    f("lastState", Struct(&CONTAINER_STATE), true),
    f("ready", Bool, false),
    f("restartCount", Int32, false),
    f("image", Text, false),
    f("imageID", Text, false),
    f("containerID", Text, true),
    f("started", Pointer(&Bool), true),
    f("allocatedResources", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("resources", Pointer(&Struct(&RESOURCE_REQUIREMENTS)), true),
    f("volumeMounts", List(&Struct(&VOLUME_MOUNT_STATUS)), true),
    f("user", Pointer(&Struct(&CONTAINER_USER)), true),
    f("allocatedResourcesStatus", List(&Struct(&RESOURCE_STATUS)), true),
    f("stopSignal", Pointer(&Named("v1.Signal", &Text)), true),
] };

pub(super) static POD_RESOURCE_CLAIM_STATUS: GoStruct = GoStruct { name: "PodResourceClaimStatus", fields: &[
    f("name", Text, false),
    f("resourceClaimName", Pointer(&Text), true),
] };

pub(super) static POD_EXTENDED_RESOURCE_CLAIM_STATUS: GoStruct = GoStruct { name: "PodExtendedResourceClaimStatus", fields: &[
    f("requestMappings", List(&Struct(&CONTAINER_EXTENDED_RESOURCE_REQUEST)), false),
    f("resourceClaimName", Text, false),
] };

pub(super) static NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS: GoStruct = GoStruct { name: "NodeAllocatableResourceClaimStatus", fields: &[
    f("resourceClaimName", Text, false),
    f("containers", List(&Text), true),
    f("resources", Map(&Quantity), false),
] };

pub(super) static SERVICE_PORT: GoStruct = GoStruct { name: "ServicePort", fields: &[
    f("name", Text, true),
    f("protocol", Named("v1.Protocol", &Text), true),
    f("appProtocol", Pointer(&Text), true),
    f("port", Int32, false),
    f("targetPort", IntOrString, true),
    f("nodePort", Int32, true),
] };

pub(super) static SESSION_AFFINITY_CONFIG: GoStruct = GoStruct { name: "SessionAffinityConfig", fields: &[
    f("clientIP", Pointer(&Struct(&CLIENT_IP_CONFIG)), true),
] };

pub(super) static LOAD_BALANCER_STATUS: GoStruct = GoStruct { name: "LoadBalancerStatus", fields: &[
    f("ingress", List(&Struct(&LOAD_BALANCER_INGRESS)), true),
] };

pub(super) static CONDITION: GoStruct = GoStruct { name: "Condition", fields: &[
    f("type", Text, false),
    f("status", Named("v1.ConditionStatus", &Text), false),
    f("observedGeneration", Int64, true),
    f("lastTransitionTime", Time, false),
    f("reason", Text, false),
    f("message", Text, false),
] };

pub(super) static ENDPOINT_ADDRESS: GoStruct = GoStruct { name: "EndpointAddress", fields: &[
    f("ip", Text, false),
    f("hostname", Text, true),
    f("nodeName", Pointer(&Text), true),
    f("targetRef", Pointer(&Struct(&OBJECT_REFERENCE)), true),
] };

pub(super) static ENDPOINT_PORT: GoStruct = GoStruct { name: "EndpointPort", fields: &[
    f("name", Text, true),
    f("port", Int32, false),
    f("protocol", Named("v1.Protocol", &Text), true),
    f("appProtocol", Pointer(&Text), true),
] };

pub(super) static ENDPOINT_CONDITIONS: GoStruct = GoStruct { name: "EndpointConditions", fields: &[
    f("ready", Pointer(&Bool), true),
    f("serving", Pointer(&Bool), true),
    f("terminating", Pointer(&Bool), true),
] };

pub(super) static ENDPOINT_HINTS: GoStruct = GoStruct { name: "EndpointHints", fields: &[
    f("forZones", List(&Struct(&FOR_ZONE)), true),
    f("forNodes", List(&Struct(&FOR_NODE)), true),
] };

pub(super) static VOLUME_RESOURCE_REQUIREMENTS: GoStruct = GoStruct { name: "VolumeResourceRequirements", fields: &[
    f("limits", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("requests", Named("v1.ResourceList", &Map(&Quantity)), true),
] };

pub(super) static TYPED_LOCAL_OBJECT_REFERENCE: GoStruct = GoStruct { name: "TypedLocalObjectReference", fields: &[
    f("apiGroup", Pointer(&Text), false),
    f("kind", Text, false),
    f("name", Text, false),
] };

pub(super) static TYPED_OBJECT_REFERENCE: GoStruct = GoStruct { name: "TypedObjectReference", fields: &[
    f("apiGroup", Pointer(&Text), false),
    f("kind", Text, false),
    f("name", Text, false),
    f("namespace", Pointer(&Text), true),
] };

pub(super) static PERSISTENT_VOLUME_CLAIM_CONDITION: GoStruct = GoStruct { name: "PersistentVolumeClaimCondition", fields: &[
    f("type", Named("v1.PersistentVolumeClaimConditionType", &Text), false),
    f("status", Named("v1.ConditionStatus", &Text), false),
    f("lastProbeTime", Time, false),
    f("lastTransitionTime", Time, false),
    f("reason", Text, true),
    f("message", Text, true),
] };

pub(super) static MODIFY_VOLUME_STATUS: GoStruct = GoStruct { name: "ModifyVolumeStatus", fields: &[
    f("targetVolumeAttributesClassName", Text, true),
    f("status", Named("v1.PersistentVolumeClaimModifyVolumeStatus", &Text), false),
] };

pub(super) static GCE_PERSISTENT_DISK_VOLUME_SOURCE: GoStruct = GoStruct { name: "GCEPersistentDiskVolumeSource", fields: &[
    f("pdName", Text, false),
    f("fsType", Text, true),
    f("partition", Int32, true),
    f("readOnly", Bool, true),
] };

pub(super) static AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE: GoStruct = GoStruct { name: "AWSElasticBlockStoreVolumeSource", fields: &[
    f("volumeID", Text, false),
    f("fsType", Text, true),
    f("partition", Int32, true),
    f("readOnly", Bool, true),
] };

pub(super) static HOST_PATH_VOLUME_SOURCE: GoStruct = GoStruct { name: "HostPathVolumeSource", fields: &[
    f("path", Text, false),
    f("type", Pointer(&Named("v1.HostPathType", &Text)), true),
] };

pub(super) static GLUSTERFS_PERSISTENT_VOLUME_SOURCE: GoStruct = GoStruct { name: "GlusterfsPersistentVolumeSource", fields: &[
    f("endpoints", Text, false),
    f("path", Text, false),
    f("readOnly", Bool, true),
    f("endpointsNamespace", Pointer(&Text), true),
] };

pub(super) static NFS_VOLUME_SOURCE: GoStruct = GoStruct { name: "NFSVolumeSource", fields: &[
    f("server", Text, false),
    f("path", Text, false),
    f("readOnly", Bool, true),
] };

pub(super) static RBD_PERSISTENT_VOLUME_SOURCE: GoStruct = GoStruct { name: "RBDPersistentVolumeSource", fields: &[
    f("monitors", List(&Text), false),
    f("image", Text, false),
    f("fsType", Text, true),
    f("pool", Text, true),
    f("user", Text, true),
    f("keyring", Text, true),
    f("secretRef", Pointer(&Struct(&SECRET_REFERENCE)), true),
    f("readOnly", Bool, true),
] };

pub(super) static ISCSI_PERSISTENT_VOLUME_SOURCE: GoStruct = GoStruct { name: "ISCSIPersistentVolumeSource", fields: &[
    f("targetPortal", Text, false),
    f("iqn", Text, false),
    f("lun", Int32, false),
    f("iscsiInterface", Text, true),
    f("fsType", Text, true),
    f("readOnly", Bool, true),
    f("portals", List(&Text), true),
    f("chapAuthDiscovery", Bool, true),
    f("chapAuthSession", Bool, true),
    f("secretRef", Pointer(&Struct(&SECRET_REFERENCE)), true),
    f("initiatorName", Pointer(&Text), true),
] };

pub(super) static CINDER_PERSISTENT_VOLUME_SOURCE: GoStruct = GoStruct { name: "CinderPersistentVolumeSource", fields: &[
    f("volumeID", Text, false),
    f("fsType", Text, true),
    f("readOnly", Bool, true),
    f("secretRef", Pointer(&Struct(&SECRET_REFERENCE)), true),
] };

pub(super) static CEPH_FS_PERSISTENT_VOLUME_SOURCE: GoStruct = GoStruct { name: "CephFSPersistentVolumeSource", fields: &[
    f("monitors", List(&Text), false),
    f("path", Text, true),
    f("user", Text, true),
    f("secretFile", Text, true),
    f("secretRef", Pointer(&Struct(&SECRET_REFERENCE)), true),
    f("readOnly", Bool, true),
] };

pub(super) static FC_VOLUME_SOURCE: GoStruct = GoStruct { name: "FCVolumeSource", fields: &[
    f("targetWWNs", List(&Text), true),
    f("lun", Pointer(&Int32), true),
    f("fsType", Text, true),
    f("readOnly", Bool, true),
    f("wwids", List(&Text), true),
] };

pub(super) static FLOCKER_VOLUME_SOURCE: GoStruct = GoStruct { name: "FlockerVolumeSource", fields: &[
    f("datasetName", Text, true),
    f("datasetUUID", Text, true),
] };

pub(super) static FLEX_PERSISTENT_VOLUME_SOURCE: GoStruct = GoStruct { name: "FlexPersistentVolumeSource", fields: &[
    f("driver", Text, false),
    f("fsType", Text, true),
    f("secretRef", Pointer(&Struct(&SECRET_REFERENCE)), true),
    f("readOnly", Bool, true),
    f("options", Map(&Text), true),
] };

pub(super) static AZURE_FILE_PERSISTENT_VOLUME_SOURCE: GoStruct = GoStruct { name: "AzureFilePersistentVolumeSource", fields: &[
    f("secretName", Text, false),
    f("shareName", Text, false),
    f("readOnly", Bool, true),
    f("secretNamespace", Pointer(&Text), false),
] };

pub(super) static VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE: GoStruct = GoStruct { name: "VsphereVirtualDiskVolumeSource", fields: &[
    f("volumePath", Text, false),
    f("fsType", Text, true),
    f("storagePolicyName", Text, true),
    f("storagePolicyID", Text, true),
] };

pub(super) static QUOBYTE_VOLUME_SOURCE: GoStruct = GoStruct { name: "QuobyteVolumeSource", fields: &[
    f("registry", Text, false),
    f("volume", Text, false),
    f("readOnly", Bool, true),
    f("user", Text, true),
    f("group", Text, true),
    f("tenant", Text, true),
] };

pub(super) static AZURE_DISK_VOLUME_SOURCE: GoStruct = GoStruct { name: "AzureDiskVolumeSource", fields: &[
    f("diskName", Text, false),
    f("diskURI", Text, false),
    f("cachingMode", Pointer(&Named("v1.AzureDataDiskCachingMode", &Text)), true),
    f("fsType", Pointer(&Text), true),
    f("readOnly", Pointer(&Bool), true),
    f("kind", Pointer(&Named("v1.AzureDataDiskKind", &Text)), true),
] };

pub(super) static PHOTON_PERSISTENT_DISK_VOLUME_SOURCE: GoStruct = GoStruct { name: "PhotonPersistentDiskVolumeSource", fields: &[
    f("pdID", Text, false),
    f("fsType", Text, true),
] };

pub(super) static PORTWORX_VOLUME_SOURCE: GoStruct = GoStruct { name: "PortworxVolumeSource", fields: &[
    f("volumeID", Text, false),
    f("fsType", Text, true),
    f("readOnly", Bool, true),
] };

pub(super) static SCALE_IO_PERSISTENT_VOLUME_SOURCE: GoStruct = GoStruct { name: "ScaleIOPersistentVolumeSource", fields: &[
    f("gateway", Text, false),
    f("system", Text, false),
    f("secretRef", Pointer(&Struct(&SECRET_REFERENCE)), false),
    f("sslEnabled", Bool, true),
    f("protectionDomain", Text, true),
    f("storagePool", Text, true),
    f("storageMode", Text, true),
    f("volumeName", Text, true),
    f("fsType", Text, true),
    f("readOnly", Bool, true),
] };

pub(super) static LOCAL_VOLUME_SOURCE: GoStruct = GoStruct { name: "LocalVolumeSource", fields: &[
    f("path", Text, false),
    f("fsType", Pointer(&Text), true),
] };

pub(super) static STORAGE_OS_PERSISTENT_VOLUME_SOURCE: GoStruct = GoStruct { name: "StorageOSPersistentVolumeSource", fields: &[
    f("volumeName", Text, true),
    f("volumeNamespace", Text, true),
    f("fsType", Text, true),
    f("readOnly", Bool, true),
    f("secretRef", Pointer(&Struct(&OBJECT_REFERENCE)), true),
] };

pub(super) static CSI_PERSISTENT_VOLUME_SOURCE: GoStruct = GoStruct { name: "CSIPersistentVolumeSource", fields: &[
    f("driver", Text, false),
    f("volumeHandle", Text, false),
    f("readOnly", Bool, true),
    f("fsType", Text, true),
    f("volumeAttributes", Map(&Text), true),
    f("controllerPublishSecretRef", Pointer(&Struct(&SECRET_REFERENCE)), true),
    f("nodeStageSecretRef", Pointer(&Struct(&SECRET_REFERENCE)), true),
    f("nodePublishSecretRef", Pointer(&Struct(&SECRET_REFERENCE)), true),
    f("controllerExpandSecretRef", Pointer(&Struct(&SECRET_REFERENCE)), true),
    f("nodeExpandSecretRef", Pointer(&Struct(&SECRET_REFERENCE)), true),
] };

pub(super) static VOLUME_NODE_AFFINITY: GoStruct = GoStruct { name: "VolumeNodeAffinity", fields: &[
    f("required", Pointer(&Struct(&NODE_SELECTOR)), true),
] };

pub(super) static TOPOLOGY_SELECTOR_LABEL_REQUIREMENT: GoStruct = GoStruct { name: "TopologySelectorLabelRequirement", fields: &[
    f("key", Text, false),
    f("values", List(&Text), false),
] };

pub(super) static DEPLOYMENT_STRATEGY: GoStruct = GoStruct { name: "DeploymentStrategy", fields: &[
    f("type", Named("v1.DeploymentStrategyType", &Text), true),
    f("rollingUpdate", Pointer(&Struct(&ROLLING_UPDATE_DEPLOYMENT)), true),
] };

pub(super) static DEPLOYMENT_CONDITION: GoStruct = GoStruct { name: "DeploymentCondition", fields: &[
    f("type", Named("v1.DeploymentConditionType", &Text), false),
    f("status", Named("v1.ConditionStatus", &Text), false),
    f("lastUpdateTime", Time, false),
    f("lastTransitionTime", Time, false),
    f("reason", Text, true),
    f("message", Text, true),
] };

pub(super) static REPLICA_SET_CONDITION: GoStruct = GoStruct { name: "ReplicaSetCondition", fields: &[
    f("type", Named("v1.ReplicaSetConditionType", &Text), false),
    f("status", Named("v1.ConditionStatus", &Text), false),
    f("lastTransitionTime", Time, false),
    f("reason", Text, true),
    f("message", Text, true),
] };

pub(super) static STATEFUL_SET_UPDATE_STRATEGY: GoStruct = GoStruct { name: "StatefulSetUpdateStrategy", fields: &[
    f("type", Named("v1.StatefulSetUpdateStrategyType", &Text), true),
    f("rollingUpdate", Pointer(&Struct(&ROLLING_UPDATE_STATEFUL_SET_STRATEGY)), true),
] };

pub(super) static STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY: GoStruct = GoStruct { name: "StatefulSetPersistentVolumeClaimRetentionPolicy", fields: &[
    f("whenDeleted", Named("v1.PersistentVolumeClaimRetentionPolicyType", &Text), true),
    f("whenScaled", Named("v1.PersistentVolumeClaimRetentionPolicyType", &Text), true),
] };

pub(super) static STATEFUL_SET_ORDINALS: GoStruct = GoStruct { name: "StatefulSetOrdinals", fields: &[
    f("start", Int32, false),
] };

pub(super) static STATEFUL_SET_CONDITION: GoStruct = GoStruct { name: "StatefulSetCondition", fields: &[
    f("type", Named("v1.StatefulSetConditionType", &Text), false),
    f("status", Named("v1.ConditionStatus", &Text), false),
    f("lastTransitionTime", Time, false),
    f("reason", Text, true),
    f("message", Text, true),
] };

pub(super) static DAEMON_SET_UPDATE_STRATEGY: GoStruct = GoStruct { name: "DaemonSetUpdateStrategy", fields: &[
    f("type", Named("v1.DaemonSetUpdateStrategyType", &Text), true),
    f("rollingUpdate", Pointer(&Struct(&ROLLING_UPDATE_DAEMON_SET)), true),
] };

pub(super) static DAEMON_SET_CONDITION: GoStruct = GoStruct { name: "DaemonSetCondition", fields: &[
    f("type", Named("v1.DaemonSetConditionType", &Text), false),
    f("status", Named("v1.ConditionStatus", &Text), false),
    f("lastTransitionTime", Time, false),
    f("reason", Text, true),
    f("message", Text, true),
] };

pub(super) static POD_FAILURE_POLICY: GoStruct = GoStruct { name: "PodFailurePolicy", fields: &[
    f("rules", List(&Struct(&POD_FAILURE_POLICY_RULE)), false),
] };

pub(super) static SUCCESS_POLICY: GoStruct = GoStruct { name: "SuccessPolicy", fields: &[
    f("rules", List(&Struct(&SUCCESS_POLICY_RULE)), false),
] };

pub(super) static JOB_CONDITION: GoStruct = GoStruct { name: "JobCondition", fields: &[
    f("type", Named("v1.JobConditionType", &Text), false),
    f("status", Named("v1.ConditionStatus", &Text), false),
    f("lastProbeTime", Time, false),
    f("lastTransitionTime", Time, false),
    f("reason", Text, true),
    f("message", Text, true),
] };

pub(super) static UNCOUNTED_TERMINATED_PODS: GoStruct = GoStruct { name: "UncountedTerminatedPods", fields: &[
    f("succeeded", List(&Named("types.UID", &Text)), true),
    f("failed", List(&Named("types.UID", &Text)), true),
] };

pub(super) static JOB_TEMPLATE_SPEC: GoStruct = GoStruct { name: "JobTemplateSpec", fields: &[
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&JOB_SPEC), true),
] };

pub(super) static AUTOSCALINGV2_CROSS_VERSION_OBJECT_REFERENCE: GoStruct = GoStruct { name: "CrossVersionObjectReference", fields: &[
    f("kind", Text, false),
    f("name", Text, false),
    f("apiVersion", Text, true),
] };

pub(super) static AUTOSCALINGV2_METRIC_SPEC: GoStruct = GoStruct { name: "MetricSpec", fields: &[
    f("type", Named("v2.MetricSourceType", &Text), false),
    f("object", Pointer(&Struct(&AUTOSCALINGV2_OBJECT_METRIC_SOURCE)), true),
    f("pods", Pointer(&Struct(&AUTOSCALINGV2_PODS_METRIC_SOURCE)), true),
    f("resource", Pointer(&Struct(&AUTOSCALINGV2_RESOURCE_METRIC_SOURCE)), true),
    f("containerResource", Pointer(&Struct(&AUTOSCALINGV2_CONTAINER_RESOURCE_METRIC_SOURCE)), true),
    f("external", Pointer(&Struct(&AUTOSCALINGV2_EXTERNAL_METRIC_SOURCE)), true),
] };

pub(super) static HORIZONTAL_POD_AUTOSCALER_BEHAVIOR: GoStruct = GoStruct { name: "HorizontalPodAutoscalerBehavior", fields: &[
    f("scaleUp", Pointer(&Struct(&HPA_SCALING_RULES)), true),
    f("scaleDown", Pointer(&Struct(&HPA_SCALING_RULES)), true),
] };

pub(super) static AUTOSCALINGV2_METRIC_STATUS: GoStruct = GoStruct { name: "MetricStatus", fields: &[
    f("type", Named("v2.MetricSourceType", &Text), false),
    f("object", Pointer(&Struct(&AUTOSCALINGV2_OBJECT_METRIC_STATUS)), true),
    f("pods", Pointer(&Struct(&AUTOSCALINGV2_PODS_METRIC_STATUS)), true),
    f("resource", Pointer(&Struct(&AUTOSCALINGV2_RESOURCE_METRIC_STATUS)), true),
    f("containerResource", Pointer(&Struct(&AUTOSCALINGV2_CONTAINER_RESOURCE_METRIC_STATUS)), true),
    f("external", Pointer(&Struct(&AUTOSCALINGV2_EXTERNAL_METRIC_STATUS)), true),
] };

pub(super) static AUTOSCALINGV2_HORIZONTAL_POD_AUTOSCALER_CONDITION: GoStruct = GoStruct { name: "HorizontalPodAutoscalerCondition", fields: &[
    f("type", Named("v2.HorizontalPodAutoscalerConditionType", &Text), false),
    f("status", Named("v1.ConditionStatus", &Text), false),
    f("lastTransitionTime", Time, false),
    f("reason", Text, true),
    f("message", Text, true),
] };

pub(super) static LIMIT_RANGE_ITEM: GoStruct = GoStruct { name: "LimitRangeItem", fields: &[
    f("type", Named("v1.LimitType", &Text), false),
    f("max", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("min", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("default", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("defaultRequest", Named("v1.ResourceList", &Map(&Quantity)), true),
    f("maxLimitRequestRatio", Named("v1.ResourceList", &Map(&Quantity)), true),
] };

pub(super) static SCOPE_SELECTOR: GoStruct = GoStruct { name: "ScopeSelector", fields: &[
    f("matchExpressions", List(&Struct(&SCOPED_RESOURCE_SELECTOR_REQUIREMENT)), true),
] };

pub(super) static REPLICATION_CONTROLLER_CONDITION: GoStruct = GoStruct { name: "ReplicationControllerCondition", fields: &[
    f("type", Named("v1.ReplicationControllerConditionType", &Text), false),
    f("status", Named("v1.ConditionStatus", &Text), false),
    f("lastTransitionTime", Time, false),
    f("reason", Text, true),
    f("message", Text, true),
] };

pub(super) static INGRESS_BACKEND: GoStruct = GoStruct { name: "IngressBackend", fields: &[
    f("service", Pointer(&Struct(&INGRESS_SERVICE_BACKEND)), true),
    f("resource", Pointer(&Struct(&TYPED_LOCAL_OBJECT_REFERENCE)), true),
] };

pub(super) static INGRESS_TLS: GoStruct = GoStruct { name: "IngressTLS", fields: &[
    f("hosts", List(&Text), true),
    f("secretName", Text, true),
] };

pub(super) static INGRESS_RULE: GoStruct = GoStruct { name: "IngressRule", fields: &[
    f("host", Text, true),
    f("http", Pointer(&Struct(&HTTP_INGRESS_RULE_VALUE)), true),
] };

pub(super) static INGRESS_LOAD_BALANCER_STATUS: GoStruct = GoStruct { name: "IngressLoadBalancerStatus", fields: &[
    f("ingress", List(&Struct(&INGRESS_LOAD_BALANCER_INGRESS)), true),
] };

pub(super) static INGRESS_CLASS_PARAMETERS_REFERENCE: GoStruct = GoStruct { name: "IngressClassParametersReference", fields: &[
    f("apiGroup", Pointer(&Text), true),
    f("kind", Text, false),
    f("name", Text, false),
    f("scope", Pointer(&Text), false),
    f("namespace", Pointer(&Text), true),
] };

pub(super) static NETWORK_POLICY_INGRESS_RULE: GoStruct = GoStruct { name: "NetworkPolicyIngressRule", fields: &[
    f("ports", List(&Struct(&NETWORK_POLICY_PORT)), true),
    f("from", List(&Struct(&NETWORK_POLICY_PEER)), true),
] };

pub(super) static NETWORK_POLICY_EGRESS_RULE: GoStruct = GoStruct { name: "NetworkPolicyEgressRule", fields: &[
    f("ports", List(&Struct(&NETWORK_POLICY_PORT)), true),
    f("to", List(&Struct(&NETWORK_POLICY_PEER)), true),
] };

pub(super) static CUSTOM_RESOURCE_DEFINITION_NAMES: GoStruct = GoStruct { name: "CustomResourceDefinitionNames", fields: &[
    f("plural", Text, false),
    f("singular", Text, true),
    f("shortNames", List(&Text), true),
    f("kind", Text, false),
    f("listKind", Text, true),
    f("categories", List(&Text), true),
] };

pub(super) static CUSTOM_RESOURCE_DEFINITION_VERSION: GoStruct = GoStruct { name: "CustomResourceDefinitionVersion", fields: &[
    f("name", Text, false),
    f("served", Bool, false),
    f("storage", Bool, false),
    f("deprecated", Bool, true),
    f("deprecationWarning", Pointer(&Text), true),
    f("schema", Pointer(&Struct(&CUSTOM_RESOURCE_VALIDATION)), true),
    f("subresources", Pointer(&Struct(&CUSTOM_RESOURCE_SUBRESOURCES)), true),
    f("additionalPrinterColumns", List(&Struct(&CUSTOM_RESOURCE_COLUMN_DEFINITION)), true),
    f("selectableFields", List(&Struct(&SELECTABLE_FIELD)), true),
] };

pub(super) static CUSTOM_RESOURCE_CONVERSION: GoStruct = GoStruct { name: "CustomResourceConversion", fields: &[
    f("strategy", Named("v1.ConversionStrategyType", &Text), false),
    f("webhook", Pointer(&Struct(&WEBHOOK_CONVERSION)), true),
] };

pub(super) static CUSTOM_RESOURCE_DEFINITION_CONDITION: GoStruct = GoStruct { name: "CustomResourceDefinitionCondition", fields: &[
    f("type", Named("v1.CustomResourceDefinitionConditionType", &Text), false),
    f("status", Named("v1.ConditionStatus", &Text), false),
    f("lastTransitionTime", Time, false),
    f("reason", Text, true),
    f("message", Text, true),
    f("observedGeneration", Int64, true),
] };

pub(super) static STORAGE_TOKEN_REQUEST: GoStruct = GoStruct { name: "TokenRequest", fields: &[
    f("audience", Text, false),
    f("expirationSeconds", Pointer(&Int64), true),
] };

pub(super) static CSI_NODE_DRIVER: GoStruct = GoStruct { name: "CSINodeDriver", fields: &[
    f("name", Text, false),
    f("nodeID", Text, false),
    f("topologyKeys", List(&Text), false),
    f("allocatable", Pointer(&Struct(&VOLUME_NODE_RESOURCES)), true),
] };

pub(super) static VOLUME_ATTACHMENT_SOURCE: GoStruct = GoStruct { name: "VolumeAttachmentSource", fields: &[
    f("persistentVolumeName", Pointer(&Text), true),
    f("inlineVolumeSpec", Pointer(&Struct(&PERSISTENT_VOLUME_SPEC)), true),
] };

pub(super) static VOLUME_ERROR: GoStruct = GoStruct { name: "VolumeError", fields: &[
    f("time", Time, false),
    f("message", Text, true),
    f("errorCode", Pointer(&Int32), true),
] };

pub(super) static CERTIFICATE_SIGNING_REQUEST_CONDITION: GoStruct = GoStruct { name: "CertificateSigningRequestCondition", fields: &[
    f("type", Named("v1.RequestConditionType", &Text), false),
    f("status", Named("v1.ConditionStatus", &Text), false),
    f("reason", Text, true),
    f("message", Text, true),
    f("lastUpdateTime", Time, false),
    f("lastTransitionTime", Time, false),
] };

pub(super) static LABEL_SELECTOR_REQUIREMENT: GoStruct = GoStruct { name: "LabelSelectorRequirement", fields: &[
    f("key", Text, false),
    f("operator", Named("v1.LabelSelectorOperator", &Text), false),
    f("values", List(&Text), true),
] };

pub(super) static PARENT_REFERENCE: GoStruct = GoStruct { name: "ParentReference", fields: &[
    f("group", Text, true),
    f("resource", Text, true),
    f("namespace", Text, true),
    f("name", Text, true),
] };

pub(super) static PARAM_KIND: GoStruct = GoStruct { name: "ParamKind", fields: &[
    f("apiVersion", Text, true),
    f("kind", Text, true),
] };

pub(super) static MATCH_RESOURCES: GoStruct = GoStruct { name: "MatchResources", fields: &[
    f("namespaceSelector", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("objectSelector", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("resourceRules", List(&Struct(&NAMED_RULE_WITH_OPERATIONS)), true),
    f("excludeResourceRules", List(&Struct(&NAMED_RULE_WITH_OPERATIONS)), true),
    f("matchPolicy", Pointer(&Named("v1.MatchPolicyType", &Text)), true),
] };

pub(super) static VALIDATION: GoStruct = GoStruct { name: "Validation", fields: &[
    f("expression", Text, false),
    f("message", Text, true),
    f("reason", Pointer(&Named("v1.StatusReason", &Text)), true),
    f("messageExpression", Text, true),
] };

pub(super) static AUDIT_ANNOTATION: GoStruct = GoStruct { name: "AuditAnnotation", fields: &[
    f("key", Text, false),
    f("valueExpression", Text, false),
] };

pub(super) static MATCH_CONDITION: GoStruct = GoStruct { name: "MatchCondition", fields: &[
    f("name", Text, false),
    f("expression", Text, false),
] };

pub(super) static VARIABLE: GoStruct = GoStruct { name: "Variable", fields: &[
    f("name", Text, false),
    f("expression", Text, false),
] };

pub(super) static TYPE_CHECKING: GoStruct = GoStruct { name: "TypeChecking", fields: &[
    f("expressionWarnings", List(&Struct(&EXPRESSION_WARNING)), true),
] };

pub(super) static PARAM_REF: GoStruct = GoStruct { name: "ParamRef", fields: &[
    f("name", Text, true),
    f("namespace", Text, true),
    f("selector", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("parameterNotFoundAction", Pointer(&Named("v1.ParameterNotFoundActionType", &Text)), true),
] };

pub(super) static MUTATION: GoStruct = GoStruct { name: "Mutation", fields: &[
    f("patchType", Named("v1.PatchType", &Text), false),
    f("applyConfiguration", Pointer(&Struct(&APPLY_CONFIGURATION)), true),
    f("jsonPatch", Pointer(&Struct(&JSON_PATCH)), true),
] };

pub(super) static DEVICE_CLAIM: GoStruct = GoStruct { name: "DeviceClaim", fields: &[
    f("requests", List(&Struct(&DEVICE_REQUEST)), false),
    f("constraints", List(&Struct(&DEVICE_CONSTRAINT)), true),
    f("config", List(&Struct(&DEVICE_CLAIM_CONFIGURATION)), true),
] };

pub(super) static ALLOCATION_RESULT: GoStruct = GoStruct { name: "AllocationResult", fields: &[
    f("devices", Struct(&DEVICE_ALLOCATION_RESULT), true),
    f("nodeSelector", Pointer(&Struct(&NODE_SELECTOR)), true),
    f("allocationTimestamp", Pointer(&Time), true),
] };

pub(super) static RESOURCE_CLAIM_CONSUMER_REFERENCE: GoStruct = GoStruct { name: "ResourceClaimConsumerReference", fields: &[
    f("apiGroup", Text, true),
    f("resource", Text, false),
    f("name", Text, false),
    f("uid", Named("types.UID", &Text), false),
] };

pub(super) static ALLOCATED_DEVICE_STATUS: GoStruct = GoStruct { name: "AllocatedDeviceStatus", fields: &[
    f("driver", Text, false),
    f("pool", Text, false),
    f("device", Text, false),
    f("shareID", Pointer(&Text), true),
    f("conditions", List(&Struct(&CONDITION)), false),
    f("data", Pointer(&Any), true),
    f("networkData", Pointer(&Struct(&NETWORK_DEVICE_DATA)), true),
] };

pub(super) static DEVICE_SELECTOR: GoStruct = GoStruct { name: "DeviceSelector", fields: &[
    f("cel", Pointer(&Struct(&CEL_DEVICE_SELECTOR)), true),
] };

pub(super) static DEVICE_CLASS_CONFIGURATION: GoStruct = GoStruct { name: "DeviceClassConfiguration", fields: &[
    f("opaque", Pointer(&Struct(&OPAQUE_DEVICE_CONFIGURATION)), true),
] };

pub(super) static RESOURCE_POOL: GoStruct = GoStruct { name: "ResourcePool", fields: &[
    f("name", Text, false),
    f("generation", Int64, false),
    f("resourceSliceCount", Int64, false),
] };

pub(super) static NODE_SELECTOR: GoStruct = GoStruct { name: "NodeSelector", fields: &[
    f("nodeSelectorTerms", List(&Struct(&NODE_SELECTOR_TERM)), false),
] };

pub(super) static DEVICE: GoStruct = GoStruct { name: "Device", fields: &[
    f("name", Text, false),
    f("attributes", Map(&Struct(&DEVICE_ATTRIBUTE)), true),
    f("capacity", Map(&Struct(&DEVICE_CAPACITY)), true),
    f("consumesCounters", List(&Struct(&DEVICE_COUNTER_CONSUMPTION)), true),
    f("nodeName", Pointer(&Text), true),
    f("nodeSelector", Pointer(&Struct(&NODE_SELECTOR)), true),
    f("allNodes", Pointer(&Bool), true),
    f("taints", List(&Struct(&DEVICE_TAINT)), true),
    f("bindsToNode", Pointer(&Bool), true),
    f("bindingConditions", List(&Text), true),
    f("bindingFailureConditions", List(&Text), true),
    f("allowMultipleAllocations", Pointer(&Bool), true),
    f("nodeAllocatableResourceMappings", Map(&Struct(&NODE_ALLOCATABLE_RESOURCE_MAPPING)), true),
] };

pub(super) static COUNTER_SET: GoStruct = GoStruct { name: "CounterSet", fields: &[
    f("name", Text, false),
    f("counters", Map(&Struct(&COUNTER)), true),
] };

pub(super) static CROSS_VERSION_OBJECT_REFERENCE: GoStruct = GoStruct { name: "CrossVersionObjectReference", fields: &[
    f("kind", Text, false),
    f("name", Text, false),
    f("apiVersion", Text, true),
] };

pub(super) static USER_INFO: GoStruct = GoStruct { name: "UserInfo", fields: &[
    f("username", Text, true),
    f("uid", Text, true),
    f("groups", List(&Text), true),
    f("extra", Map(&Named("v1.ExtraValue", &List(&Text))), true),
] };

pub(super) static BOUND_OBJECT_REFERENCE: GoStruct = GoStruct { name: "BoundObjectReference", fields: &[
    f("kind", Text, true),
    f("apiVersion", Text, true),
    f("name", Text, true),
    f("uid", Named("types.UID", &Text), true),
] };

pub(super) static RESOURCE_ATTRIBUTES: GoStruct = GoStruct { name: "ResourceAttributes", fields: &[
    f("namespace", Text, true),
    f("verb", Text, true),
    f("group", Text, true),
    f("version", Text, true),
    f("resource", Text, true),
    f("subresource", Text, true),
    f("name", Text, true),
    f("fieldSelector", Pointer(&Struct(&FIELD_SELECTOR_ATTRIBUTES)), true),
    f("labelSelector", Pointer(&Struct(&LABEL_SELECTOR_ATTRIBUTES)), true),
] };

pub(super) static NON_RESOURCE_ATTRIBUTES: GoStruct = GoStruct { name: "NonResourceAttributes", fields: &[
    f("path", Text, true),
    f("verb", Text, true),
] };

pub(super) static RESOURCE_RULE: GoStruct = GoStruct { name: "ResourceRule", fields: &[
    f("verbs", List(&Text), false),
    f("apiGroups", List(&Text), true),
    f("resources", List(&Text), true),
    f("resourceNames", List(&Text), true),
] };

pub(super) static NON_RESOURCE_RULE: GoStruct = GoStruct { name: "NonResourceRule", fields: &[
    f("verbs", List(&Text), false),
    f("nonResourceURLs", List(&Text), true),
] };

pub(super) static CONFIG_MAP_NODE_CONFIG_SOURCE: GoStruct = GoStruct { name: "ConfigMapNodeConfigSource", fields: &[
    f("namespace", Text, false),
    f("name", Text, false),
    f("uid", Named("types.UID", &Text), true),
    f("resourceVersion", Text, true),
    f("kubeletConfigKey", Text, false),
] };

pub(super) static DAEMON_ENDPOINT: GoStruct = GoStruct { name: "DaemonEndpoint", fields: &[
    f("Port", Int32, false),
] };

pub(super) static NODE_SWAP_STATUS: GoStruct = GoStruct { name: "NodeSwapStatus", fields: &[
    f("capacity", Pointer(&Int64), true),
] };

pub(super) static NODE_RUNTIME_HANDLER_FEATURES: GoStruct = GoStruct { name: "NodeRuntimeHandlerFeatures", fields: &[
    f("recursiveReadOnlyMounts", Pointer(&Bool), true),
    f("userNamespaces", Pointer(&Bool), true),
] };

pub(super) static EMPTY_DIR_VOLUME_SOURCE: GoStruct = GoStruct { name: "EmptyDirVolumeSource", fields: &[
    f("medium", Named("v1.StorageMedium", &Text), true),
    f("sizeLimit", Pointer(&Quantity), true),
] };

pub(super) static GIT_REPO_VOLUME_SOURCE: GoStruct = GoStruct { name: "GitRepoVolumeSource", fields: &[
    f("repository", Text, false),
    f("revision", Text, true),
    f("directory", Text, true),
] };

pub(super) static SECRET_VOLUME_SOURCE: GoStruct = GoStruct { name: "SecretVolumeSource", fields: &[
    f("secretName", Text, true),
    f("items", List(&Struct(&KEY_TO_PATH)), true),
    f("defaultMode", Pointer(&Int32), true),
    f("optional", Pointer(&Bool), true),
] };

pub(super) static ISCSI_VOLUME_SOURCE: GoStruct = GoStruct { name: "ISCSIVolumeSource", fields: &[
    f("targetPortal", Text, false),
    f("iqn", Text, false),
    f("lun", Int32, false),
    f("iscsiInterface", Text, true),
    f("fsType", Text, true),
    f("readOnly", Bool, true),
    f("portals", List(&Text), true),
    f("chapAuthDiscovery", Bool, true),
    f("chapAuthSession", Bool, true),
    f("secretRef", Pointer(&Struct(&LOCAL_OBJECT_REFERENCE)), true),
    f("initiatorName", Pointer(&Text), true),
] };

pub(super) static GLUSTERFS_VOLUME_SOURCE: GoStruct = GoStruct { name: "GlusterfsVolumeSource", fields: &[
    f("endpoints", Text, false),
    f("path", Text, false),
    f("readOnly", Bool, true),
] };

pub(super) static PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE: GoStruct = GoStruct { name: "PersistentVolumeClaimVolumeSource", fields: &[
    f("claimName", Text, false),
    f("readOnly", Bool, true),
] };

pub(super) static RBD_VOLUME_SOURCE: GoStruct = GoStruct { name: "RBDVolumeSource", fields: &[
    f("monitors", List(&Text), false),
    f("image", Text, false),
    f("fsType", Text, true),
    f("pool", Text, true),
    f("user", Text, true),
    f("keyring", Text, true),
    f("secretRef", Pointer(&Struct(&LOCAL_OBJECT_REFERENCE)), true),
    f("readOnly", Bool, true),
] };

pub(super) static FLEX_VOLUME_SOURCE: GoStruct = GoStruct { name: "FlexVolumeSource", fields: &[
    f("driver", Text, false),
    f("fsType", Text, true),
    f("secretRef", Pointer(&Struct(&LOCAL_OBJECT_REFERENCE)), true),
    f("readOnly", Bool, true),
    f("options", Map(&Text), true),
] };

pub(super) static CINDER_VOLUME_SOURCE: GoStruct = GoStruct { name: "CinderVolumeSource", fields: &[
    f("volumeID", Text, false),
    f("fsType", Text, true),
    f("readOnly", Bool, true),
    f("secretRef", Pointer(&Struct(&LOCAL_OBJECT_REFERENCE)), true),
] };

pub(super) static CEPH_FS_VOLUME_SOURCE: GoStruct = GoStruct { name: "CephFSVolumeSource", fields: &[
    f("monitors", List(&Text), false),
    f("path", Text, true),
    f("user", Text, true),
    f("secretFile", Text, true),
    f("secretRef", Pointer(&Struct(&LOCAL_OBJECT_REFERENCE)), true),
    f("readOnly", Bool, true),
] };

pub(super) static DOWNWARD_API_VOLUME_SOURCE: GoStruct = GoStruct { name: "DownwardAPIVolumeSource", fields: &[
    f("items", List(&Struct(&DOWNWARD_API_VOLUME_FILE)), true),
    f("defaultMode", Pointer(&Int32), true),
] };

pub(super) static AZURE_FILE_VOLUME_SOURCE: GoStruct = GoStruct { name: "AzureFileVolumeSource", fields: &[
    f("secretName", Text, false),
    f("shareName", Text, false),
    f("readOnly", Bool, true),
] };

pub(super) static CONFIG_MAP_VOLUME_SOURCE: GoStruct = GoStruct { name: "ConfigMapVolumeSource", fields: &[
    f("name", Text, true),
    f("items", List(&Struct(&KEY_TO_PATH)), true),
    f("defaultMode", Pointer(&Int32), true),
    f("optional", Pointer(&Bool), true),
] };

pub(super) static PROJECTED_VOLUME_SOURCE: GoStruct = GoStruct { name: "ProjectedVolumeSource", fields: &[
    f("sources", List(&Struct(&VOLUME_PROJECTION)), false),
    f("defaultMode", Pointer(&Int32), true),
] };

pub(super) static SCALE_IO_VOLUME_SOURCE: GoStruct = GoStruct { name: "ScaleIOVolumeSource", fields: &[
    f("gateway", Text, false),
    f("system", Text, false),
    f("secretRef", Pointer(&Struct(&LOCAL_OBJECT_REFERENCE)), false),
    f("sslEnabled", Bool, true),
    f("protectionDomain", Text, true),
    f("storagePool", Text, true),
    f("storageMode", Text, true),
    f("volumeName", Text, true),
    f("fsType", Text, true),
    f("readOnly", Bool, true),
] };

pub(super) static STORAGE_OS_VOLUME_SOURCE: GoStruct = GoStruct { name: "StorageOSVolumeSource", fields: &[
    f("volumeName", Text, true),
    f("volumeNamespace", Text, true),
    f("fsType", Text, true),
    f("readOnly", Bool, true),
    f("secretRef", Pointer(&Struct(&LOCAL_OBJECT_REFERENCE)), true),
] };

pub(super) static CSI_VOLUME_SOURCE: GoStruct = GoStruct { name: "CSIVolumeSource", fields: &[
    f("driver", Text, false),
    f("readOnly", Pointer(&Bool), true),
    f("fsType", Pointer(&Text), true),
    f("volumeAttributes", Map(&Text), true),
    f("nodePublishSecretRef", Pointer(&Struct(&LOCAL_OBJECT_REFERENCE)), true),
] };

pub(super) static EPHEMERAL_VOLUME_SOURCE: GoStruct = GoStruct { name: "EphemeralVolumeSource", fields: &[
    f("volumeClaimTemplate", Pointer(&Struct(&PERSISTENT_VOLUME_CLAIM_TEMPLATE)), true),
] };

pub(super) static IMAGE_VOLUME_SOURCE: GoStruct = GoStruct { name: "ImageVolumeSource", fields: &[
    f("reference", Text, true),
    f("pullPolicy", Named("v1.PullPolicy", &Text), true),
] };

pub(super) static CONTAINER_PORT: GoStruct = GoStruct { name: "ContainerPort", fields: &[
    f("name", Text, true),
    f("hostPort", Int32, true),
    f("containerPort", Int32, false),
    f("protocol", Named("v1.Protocol", &Text), true),
    f("hostIP", Text, true),
] };

pub(super) static ENV_FROM_SOURCE: GoStruct = GoStruct { name: "EnvFromSource", fields: &[
    f("prefix", Text, true),
    f("configMapRef", Pointer(&Struct(&CONFIG_MAP_ENV_SOURCE)), true),
    f("secretRef", Pointer(&Struct(&SECRET_ENV_SOURCE)), true),
] };

pub(super) static ENV_VAR: GoStruct = GoStruct { name: "EnvVar", fields: &[
    f("name", Text, false),
    f("value", Text, true),
    f("valueFrom", Pointer(&Struct(&ENV_VAR_SOURCE)), true),
] };

pub(super) static CONTAINER_RESIZE_POLICY: GoStruct = GoStruct { name: "ContainerResizePolicy", fields: &[
    f("resourceName", Named("v1.ResourceName", &Text), false),
    f("restartPolicy", Named("v1.ResourceResizeRestartPolicy", &Text), false),
] };

pub(super) static CONTAINER_RESTART_RULE: GoStruct = GoStruct { name: "ContainerRestartRule", fields: &[
    f("action", Named("v1.ContainerRestartRuleAction", &Text), true),
    f("exitCodes", Pointer(&Struct(&CONTAINER_RESTART_RULE_ON_EXIT_CODES)), true),
] };

pub(super) static VOLUME_MOUNT: GoStruct = GoStruct { name: "VolumeMount", fields: &[
    f("name", Text, false),
    f("readOnly", Bool, true),
    f("recursiveReadOnly", Pointer(&Named("v1.RecursiveReadOnlyMode", &Text)), true),
    f("mountPath", Text, false),
    f("subPath", Text, true),
    f("mountPropagation", Pointer(&Named("v1.MountPropagationMode", &Text)), true),
    f("subPathExpr", Text, true),
] };

pub(super) static VOLUME_DEVICE: GoStruct = GoStruct { name: "VolumeDevice", fields: &[
    f("name", Text, false),
    f("devicePath", Text, false),
] };

pub(super) static PROBE: GoStruct = GoStruct { name: "Probe", fields: &[
    f("exec", Pointer(&Struct(&EXEC_ACTION)), true),
    f("httpGet", Pointer(&Struct(&HTTP_GET_ACTION)), true),
    f("tcpSocket", Pointer(&Struct(&TCP_SOCKET_ACTION)), true),
    f("grpc", Pointer(&Struct(&GRPC_ACTION)), true),
    f("initialDelaySeconds", Int32, true),
    f("timeoutSeconds", Int32, true),
    f("periodSeconds", Int32, true),
    f("successThreshold", Int32, true),
    f("failureThreshold", Int32, true),
    f("terminationGracePeriodSeconds", Pointer(&Int64), true),
] };

pub(super) static LIFECYCLE: GoStruct = GoStruct { name: "Lifecycle", fields: &[
    f("postStart", Pointer(&Struct(&LIFECYCLE_HANDLER)), true),
    f("preStop", Pointer(&Struct(&LIFECYCLE_HANDLER)), true),
    f("stopSignal", Pointer(&Named("v1.Signal", &Text)), true),
] };

pub(super) static SECURITY_CONTEXT: GoStruct = GoStruct { name: "SecurityContext", fields: &[
    f("capabilities", Pointer(&Struct(&CAPABILITIES)), true),
    f("privileged", Pointer(&Bool), true),
    f("seLinuxOptions", Pointer(&Struct(&SE_LINUX_OPTIONS)), true),
    f("windowsOptions", Pointer(&Struct(&WINDOWS_SECURITY_CONTEXT_OPTIONS)), true),
    f("runAsUser", Pointer(&Int64), true),
    f("runAsGroup", Pointer(&Int64), true),
    f("runAsNonRoot", Pointer(&Bool), true),
    f("readOnlyRootFilesystem", Pointer(&Bool), true),
    f("allowPrivilegeEscalation", Pointer(&Bool), true),
    f("procMount", Pointer(&Named("v1.ProcMountType", &Text)), true),
    f("seccompProfile", Pointer(&Struct(&SECCOMP_PROFILE)), true),
    f("appArmorProfile", Pointer(&Struct(&APP_ARMOR_PROFILE)), true),
] };

pub(super) static SE_LINUX_OPTIONS: GoStruct = GoStruct { name: "SELinuxOptions", fields: &[
    f("user", Text, true),
    f("role", Text, true),
    f("type", Text, true),
    f("level", Text, true),
] };

pub(super) static WINDOWS_SECURITY_CONTEXT_OPTIONS: GoStruct = GoStruct { name: "WindowsSecurityContextOptions", fields: &[
    f("gmsaCredentialSpecName", Pointer(&Text), true),
    f("gmsaCredentialSpec", Pointer(&Text), true),
    f("runAsUserName", Pointer(&Text), true),
    f("hostProcess", Pointer(&Bool), true),
] };

pub(super) static SYSCTL: GoStruct = GoStruct { name: "Sysctl", fields: &[
    f("name", Text, false),
    f("value", Text, false),
] };

pub(super) static SECCOMP_PROFILE: GoStruct = GoStruct { name: "SeccompProfile", fields: &[
    f("type", Named("v1.SeccompProfileType", &Text), false),
    f("localhostProfile", Pointer(&Text), true),
] };

pub(super) static APP_ARMOR_PROFILE: GoStruct = GoStruct { name: "AppArmorProfile", fields: &[
    f("type", Named("v1.AppArmorProfileType", &Text), false),
    f("localhostProfile", Pointer(&Text), true),
] };

pub(super) static NODE_AFFINITY: GoStruct = GoStruct { name: "NodeAffinity", fields: &[
    f("requiredDuringSchedulingIgnoredDuringExecution", Pointer(&Struct(&NODE_SELECTOR)), true),
    f("preferredDuringSchedulingIgnoredDuringExecution", List(&Struct(&PREFERRED_SCHEDULING_TERM)), true),
] };

pub(super) static POD_AFFINITY: GoStruct = GoStruct { name: "PodAffinity", fields: &[
    f("requiredDuringSchedulingIgnoredDuringExecution", List(&Struct(&POD_AFFINITY_TERM)), true),
    f("preferredDuringSchedulingIgnoredDuringExecution", List(&Struct(&WEIGHTED_POD_AFFINITY_TERM)), true),
] };

pub(super) static POD_ANTI_AFFINITY: GoStruct = GoStruct { name: "PodAntiAffinity", fields: &[
    f("requiredDuringSchedulingIgnoredDuringExecution", List(&Struct(&POD_AFFINITY_TERM)), true),
    f("preferredDuringSchedulingIgnoredDuringExecution", List(&Struct(&WEIGHTED_POD_AFFINITY_TERM)), true),
] };

pub(super) static POD_DNS_CONFIG_OPTION: GoStruct = GoStruct { name: "PodDNSConfigOption", fields: &[
    f("name", Text, true),
    f("value", Pointer(&Text), true),
] };

pub(super) static RESOURCE_CLAIM: GoStruct = GoStruct { name: "ResourceClaim", fields: &[
    f("name", Text, false),
    f("request", Text, true),
] };

pub(super) static CONTAINER_STATE: GoStruct = GoStruct { name: "ContainerState", fields: &[
    f("waiting", Pointer(&Struct(&CONTAINER_STATE_WAITING)), true),
    f("running", Pointer(&Struct(&CONTAINER_STATE_RUNNING)), true),
    f("terminated", Pointer(&Struct(&CONTAINER_STATE_TERMINATED)), true),
] };

pub(super) static VOLUME_MOUNT_STATUS: GoStruct = GoStruct { name: "VolumeMountStatus", fields: &[
    f("name", Text, false),
    f("mountPath", Text, false),
    f("readOnly", Bool, true),
    f("recursiveReadOnly", Pointer(&Named("v1.RecursiveReadOnlyMode", &Text)), true),
    f("volumeStatus", Pointer(&Struct(&VOLUME_STATUS)), true),
] };

pub(super) static CONTAINER_USER: GoStruct = GoStruct { name: "ContainerUser", fields: &[
    f("linux", Pointer(&Struct(&LINUX_CONTAINER_USER)), true),
] };

pub(super) static RESOURCE_STATUS: GoStruct = GoStruct { name: "ResourceStatus", fields: &[
    f("name", Named("v1.ResourceName", &Text), false),
    f("resources", List(&Struct(&RESOURCE_HEALTH)), true),
] };

pub(super) static CONTAINER_EXTENDED_RESOURCE_REQUEST: GoStruct = GoStruct { name: "ContainerExtendedResourceRequest", fields: &[
    f("containerName", Text, false),
    f("resourceName", Text, false),
    f("requestName", Text, false),
] };

pub(super) static CLIENT_IP_CONFIG: GoStruct = GoStruct { name: "ClientIPConfig", fields: &[
    f("timeoutSeconds", Pointer(&Int32), true),
] };

pub(super) static LOAD_BALANCER_INGRESS: GoStruct = GoStruct { name: "LoadBalancerIngress", fields: &[
    f("ip", Text, true),
    f("hostname", Text, true),
    f("ipMode", Pointer(&Named("v1.LoadBalancerIPMode", &Text)), true),
    f("ports", List(&Struct(&PORT_STATUS)), true),
] };

pub(super) static FOR_ZONE: GoStruct = GoStruct { name: "ForZone", fields: &[
    f("name", Text, false),
] };

pub(super) static FOR_NODE: GoStruct = GoStruct { name: "ForNode", fields: &[
    f("name", Text, false),
] };

pub(super) static SECRET_REFERENCE: GoStruct = GoStruct { name: "SecretReference", fields: &[
    f("name", Text, true),
    f("namespace", Text, true),
] };

pub(super) static ROLLING_UPDATE_DEPLOYMENT: GoStruct = GoStruct { name: "RollingUpdateDeployment", fields: &[
    f("maxUnavailable", Pointer(&IntOrString), true),
    f("maxSurge", Pointer(&IntOrString), true),
] };

pub(super) static ROLLING_UPDATE_STATEFUL_SET_STRATEGY: GoStruct = GoStruct { name: "RollingUpdateStatefulSetStrategy", fields: &[
    f("partition", Pointer(&Int32), true),
    f("maxUnavailable", Pointer(&IntOrString), true),
] };

pub(super) static ROLLING_UPDATE_DAEMON_SET: GoStruct = GoStruct { name: "RollingUpdateDaemonSet", fields: &[
    f("maxUnavailable", Pointer(&IntOrString), true),
    f("maxSurge", Pointer(&IntOrString), true),
] };

pub(super) static POD_FAILURE_POLICY_RULE: GoStruct = GoStruct { name: "PodFailurePolicyRule", fields: &[
    f("action", Named("v1.PodFailurePolicyAction", &Text), false),
    f("onExitCodes", Pointer(&Struct(&POD_FAILURE_POLICY_ON_EXIT_CODES_REQUIREMENT)), true),
    f("onPodConditions", List(&Struct(&POD_FAILURE_POLICY_ON_POD_CONDITIONS_PATTERN)), true),
] };

pub(super) static SUCCESS_POLICY_RULE: GoStruct = GoStruct { name: "SuccessPolicyRule", fields: &[
    f("succeededIndexes", Pointer(&Text), true),
    f("succeededCount", Pointer(&Int32), true),
] };

pub(super) static AUTOSCALINGV2_OBJECT_METRIC_SOURCE: GoStruct = GoStruct { name: "ObjectMetricSource", fields: &[
    f("describedObject", Struct(&AUTOSCALINGV2_CROSS_VERSION_OBJECT_REFERENCE), false),
    f("target", Struct(&METRIC_TARGET), false),
    f("metric", Struct(&METRIC_IDENTIFIER), false),
] };

pub(super) static AUTOSCALINGV2_PODS_METRIC_SOURCE: GoStruct = GoStruct { name: "PodsMetricSource", fields: &[
    f("metric", Struct(&METRIC_IDENTIFIER), false),
    f("target", Struct(&METRIC_TARGET), false),
] };

pub(super) static AUTOSCALINGV2_RESOURCE_METRIC_SOURCE: GoStruct = GoStruct { name: "ResourceMetricSource", fields: &[
    f("name", Named("v1.ResourceName", &Text), false),
    f("target", Struct(&METRIC_TARGET), false),
] };

pub(super) static AUTOSCALINGV2_CONTAINER_RESOURCE_METRIC_SOURCE: GoStruct = GoStruct { name: "ContainerResourceMetricSource", fields: &[
    f("name", Named("v1.ResourceName", &Text), false),
    f("target", Struct(&METRIC_TARGET), false),
    f("container", Text, false),
] };

pub(super) static AUTOSCALINGV2_EXTERNAL_METRIC_SOURCE: GoStruct = GoStruct { name: "ExternalMetricSource", fields: &[
    f("metric", Struct(&METRIC_IDENTIFIER), false),
    f("target", Struct(&METRIC_TARGET), false),
] };

pub(super) static HPA_SCALING_RULES: GoStruct = GoStruct { name: "HPAScalingRules", fields: &[
    f("stabilizationWindowSeconds", Pointer(&Int32), true),
    f("selectPolicy", Pointer(&Named("v2.ScalingPolicySelect", &Text)), true),
    f("policies", List(&Struct(&HPA_SCALING_POLICY)), true),
    f("tolerance", Pointer(&Quantity), true),
] };

pub(super) static AUTOSCALINGV2_OBJECT_METRIC_STATUS: GoStruct = GoStruct { name: "ObjectMetricStatus", fields: &[
    f("metric", Struct(&METRIC_IDENTIFIER), false),
    f("current", Struct(&METRIC_VALUE_STATUS), false),
    f("describedObject", Struct(&AUTOSCALINGV2_CROSS_VERSION_OBJECT_REFERENCE), false),
] };

pub(super) static AUTOSCALINGV2_PODS_METRIC_STATUS: GoStruct = GoStruct { name: "PodsMetricStatus", fields: &[
    f("metric", Struct(&METRIC_IDENTIFIER), false),
    f("current", Struct(&METRIC_VALUE_STATUS), false),
] };

pub(super) static AUTOSCALINGV2_RESOURCE_METRIC_STATUS: GoStruct = GoStruct { name: "ResourceMetricStatus", fields: &[
    f("name", Named("v1.ResourceName", &Text), false),
    f("current", Struct(&METRIC_VALUE_STATUS), false),
] };

pub(super) static AUTOSCALINGV2_CONTAINER_RESOURCE_METRIC_STATUS: GoStruct = GoStruct { name: "ContainerResourceMetricStatus", fields: &[
    f("name", Named("v1.ResourceName", &Text), false),
    f("current", Struct(&METRIC_VALUE_STATUS), false),
    f("container", Text, false),
] };

pub(super) static AUTOSCALINGV2_EXTERNAL_METRIC_STATUS: GoStruct = GoStruct { name: "ExternalMetricStatus", fields: &[
    f("metric", Struct(&METRIC_IDENTIFIER), false),
    f("current", Struct(&METRIC_VALUE_STATUS), false),
] };

pub(super) static SCOPED_RESOURCE_SELECTOR_REQUIREMENT: GoStruct = GoStruct { name: "ScopedResourceSelectorRequirement", fields: &[
    f("scopeName", Named("v1.ResourceQuotaScope", &Text), false),
    f("operator", Named("v1.ScopeSelectorOperator", &Text), false),
    f("values", List(&Text), true),
] };

pub(super) static INGRESS_SERVICE_BACKEND: GoStruct = GoStruct { name: "IngressServiceBackend", fields: &[
    f("name", Text, false),
    f("port", Struct(&SERVICE_BACKEND_PORT), true),
] };

pub(super) static HTTP_INGRESS_RULE_VALUE: GoStruct = GoStruct { name: "HTTPIngressRuleValue", fields: &[
    f("paths", List(&Struct(&HTTP_INGRESS_PATH)), false),
] };

pub(super) static INGRESS_LOAD_BALANCER_INGRESS: GoStruct = GoStruct { name: "IngressLoadBalancerIngress", fields: &[
    f("ip", Text, true),
    f("hostname", Text, true),
    f("ports", List(&Struct(&INGRESS_PORT_STATUS)), true),
] };

pub(super) static NETWORK_POLICY_PORT: GoStruct = GoStruct { name: "NetworkPolicyPort", fields: &[
    f("protocol", Pointer(&Named("v1.Protocol", &Text)), true),
    f("port", Pointer(&IntOrString), true),
    f("endPort", Pointer(&Int32), true),
] };

pub(super) static NETWORK_POLICY_PEER: GoStruct = GoStruct { name: "NetworkPolicyPeer", fields: &[
    f("podSelector", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("namespaceSelector", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("ipBlock", Pointer(&Struct(&IP_BLOCK)), true),
] };

pub(super) static CUSTOM_RESOURCE_VALIDATION: GoStruct = GoStruct { name: "CustomResourceValidation", fields: &[
    f("openAPIV3Schema", Pointer(&Struct(&JSON_SCHEMA_PROPS)), true),
] };

pub(super) static CUSTOM_RESOURCE_SUBRESOURCES: GoStruct = GoStruct { name: "CustomResourceSubresources", fields: &[
    f("status", Pointer(&Struct(&CUSTOM_RESOURCE_SUBRESOURCE_STATUS)), true),
    f("scale", Pointer(&Struct(&CUSTOM_RESOURCE_SUBRESOURCE_SCALE)), true),
] };

pub(super) static CUSTOM_RESOURCE_COLUMN_DEFINITION: GoStruct = GoStruct { name: "CustomResourceColumnDefinition", fields: &[
    f("name", Text, false),
    f("type", Text, false),
    f("format", Text, true),
    f("description", Text, true),
    f("priority", Int32, true),
    f("jsonPath", Text, false),
] };

pub(super) static SELECTABLE_FIELD: GoStruct = GoStruct { name: "SelectableField", fields: &[
    f("jsonPath", Text, false),
] };

pub(super) static WEBHOOK_CONVERSION: GoStruct = GoStruct { name: "WebhookConversion", fields: &[
    f("clientConfig", Pointer(&Struct(&APIEXTENSIONS_WEBHOOK_CLIENT_CONFIG)), true),
    f("conversionReviewVersions", List(&Text), false),
] };

pub(super) static VOLUME_NODE_RESOURCES: GoStruct = GoStruct { name: "VolumeNodeResources", fields: &[
    f("count", Pointer(&Int32), true),
] };

pub(super) static NAMED_RULE_WITH_OPERATIONS: GoStruct = GoStruct { name: "NamedRuleWithOperations", fields: &[
    f("resourceNames", List(&Text), true),
    f("operations", List(&Named("v1.OperationType", &Text)), true),
    f("apiGroups", List(&Text), true),
    f("apiVersions", List(&Text), true),
    f("resources", List(&Text), true),
    f("scope", Pointer(&Named("v1.ScopeType", &Text)), true),
] };

pub(super) static EXPRESSION_WARNING: GoStruct = GoStruct { name: "ExpressionWarning", fields: &[
    f("fieldRef", Text, false),
    f("warning", Text, false),
] };

pub(super) static APPLY_CONFIGURATION: GoStruct = GoStruct { name: "ApplyConfiguration", fields: &[
    f("expression", Text, true),
] };

pub(super) static JSON_PATCH: GoStruct = GoStruct { name: "JSONPatch", fields: &[
    f("expression", Text, true),
] };

pub(super) static DEVICE_REQUEST: GoStruct = GoStruct { name: "DeviceRequest", fields: &[
    f("name", Text, false),
    f("exactly", Pointer(&Struct(&EXACT_DEVICE_REQUEST)), true),
    f("firstAvailable", List(&Struct(&DEVICE_SUB_REQUEST)), true),
] };

pub(super) static DEVICE_CONSTRAINT: GoStruct = GoStruct { name: "DeviceConstraint", fields: &[
    f("requests", List(&Text), true),
    f("matchAttribute", Pointer(&Named("v1.FullyQualifiedName", &Text)), true),
    f("distinctAttribute", Pointer(&Named("v1.FullyQualifiedName", &Text)), true),
] };

pub(super) static DEVICE_CLAIM_CONFIGURATION: GoStruct = GoStruct { name: "DeviceClaimConfiguration", fields: &[
    f("requests", List(&Text), true),
    f("opaque", Pointer(&Struct(&OPAQUE_DEVICE_CONFIGURATION)), true),
] };

pub(super) static DEVICE_ALLOCATION_RESULT: GoStruct = GoStruct { name: "DeviceAllocationResult", fields: &[
    f("results", List(&Struct(&DEVICE_REQUEST_ALLOCATION_RESULT)), true),
    f("config", List(&Struct(&DEVICE_ALLOCATION_CONFIGURATION)), true),
] };

pub(super) static NETWORK_DEVICE_DATA: GoStruct = GoStruct { name: "NetworkDeviceData", fields: &[
    f("interfaceName", Text, true),
    f("ips", List(&Text), true),
    f("hardwareAddress", Text, true),
] };

pub(super) static CEL_DEVICE_SELECTOR: GoStruct = GoStruct { name: "CELDeviceSelector", fields: &[
    f("expression", Text, false),
] };

pub(super) static OPAQUE_DEVICE_CONFIGURATION: GoStruct = GoStruct { name: "OpaqueDeviceConfiguration", fields: &[
    f("driver", Text, false),
    f("parameters", Any, false),
] };

pub(super) static NODE_SELECTOR_TERM: GoStruct = GoStruct { name: "NodeSelectorTerm", fields: &[
    f("matchExpressions", List(&Struct(&NODE_SELECTOR_REQUIREMENT)), true),
    f("matchFields", List(&Struct(&NODE_SELECTOR_REQUIREMENT)), true),
] };

pub(super) static DEVICE_ATTRIBUTE: GoStruct = GoStruct { name: "DeviceAttribute", fields: &[
    f("int", Pointer(&Int64), true),
    f("bool", Pointer(&Bool), true),
    f("string", Pointer(&Text), true),
    f("version", Pointer(&Text), true),
    f("ints", List(&Int64), true),
    f("bools", List(&Bool), true),
    f("strings", List(&Text), true),
    f("versions", List(&Text), true),
] };

pub(super) static DEVICE_CAPACITY: GoStruct = GoStruct { name: "DeviceCapacity", fields: &[
    f("value", Quantity, false),
    f("requestPolicy", Pointer(&Struct(&CAPACITY_REQUEST_POLICY)), true),
] };

pub(super) static DEVICE_COUNTER_CONSUMPTION: GoStruct = GoStruct { name: "DeviceCounterConsumption", fields: &[
    f("counterSet", Text, false),
    f("counters", Map(&Struct(&COUNTER)), true),
] };

pub(super) static DEVICE_TAINT: GoStruct = GoStruct { name: "DeviceTaint", fields: &[
    f("key", Text, false),
    f("value", Text, true),
    f("effect", Named("v1.DeviceTaintEffect", &Text), false),
    f("timeAdded", Pointer(&Time), true),
] };

pub(super) static NODE_ALLOCATABLE_RESOURCE_MAPPING: GoStruct = GoStruct { name: "NodeAllocatableResourceMapping", fields: &[
    f("capacityKey", Pointer(&Named("v1.QualifiedName", &Text)), true),
    f("allocationMultiplier", Pointer(&Quantity), true),
] };

pub(super) static COUNTER: GoStruct = GoStruct { name: "Counter", fields: &[
    f("value", Quantity, false),
] };

pub(super) static FIELD_SELECTOR_ATTRIBUTES: GoStruct = GoStruct { name: "FieldSelectorAttributes", fields: &[
    f("rawSelector", Text, true),
    f("requirements", List(&Struct(&FIELD_SELECTOR_REQUIREMENT)), true),
] };

pub(super) static LABEL_SELECTOR_ATTRIBUTES: GoStruct = GoStruct { name: "LabelSelectorAttributes", fields: &[
    f("rawSelector", Text, true),
    f("requirements", List(&Struct(&LABEL_SELECTOR_REQUIREMENT)), true),
] };

pub(super) static KEY_TO_PATH: GoStruct = GoStruct { name: "KeyToPath", fields: &[
    f("key", Text, false),
    f("path", Text, false),
    f("mode", Pointer(&Int32), true),
] };

pub(super) static DOWNWARD_API_VOLUME_FILE: GoStruct = GoStruct { name: "DownwardAPIVolumeFile", fields: &[
    f("path", Text, false),
    f("fieldRef", Pointer(&Struct(&OBJECT_FIELD_SELECTOR)), true),
    f("resourceFieldRef", Pointer(&Struct(&RESOURCE_FIELD_SELECTOR)), true),
    f("mode", Pointer(&Int32), true),
] };

pub(super) static VOLUME_PROJECTION: GoStruct = GoStruct { name: "VolumeProjection", fields: &[
    f("secret", Pointer(&Struct(&SECRET_PROJECTION)), true),
    f("downwardAPI", Pointer(&Struct(&DOWNWARD_API_PROJECTION)), true),
    f("configMap", Pointer(&Struct(&CONFIG_MAP_PROJECTION)), true),
    f("serviceAccountToken", Pointer(&Struct(&SERVICE_ACCOUNT_TOKEN_PROJECTION)), true),
    f("clusterTrustBundle", Pointer(&Struct(&CLUSTER_TRUST_BUNDLE_PROJECTION)), true),
    f("podCertificate", Pointer(&Struct(&POD_CERTIFICATE_PROJECTION)), true),
] };

pub(super) static PERSISTENT_VOLUME_CLAIM_TEMPLATE: GoStruct = GoStruct { name: "PersistentVolumeClaimTemplate", fields: &[
    f("metadata", Struct(&OBJECT_META), true),
    f("spec", Struct(&PERSISTENT_VOLUME_CLAIM_SPEC), false),
] };

pub(super) static CONFIG_MAP_ENV_SOURCE: GoStruct = GoStruct { name: "ConfigMapEnvSource", fields: &[
    f("name", Text, true),
    f("optional", Pointer(&Bool), true),
] };

pub(super) static SECRET_ENV_SOURCE: GoStruct = GoStruct { name: "SecretEnvSource", fields: &[
    f("name", Text, true),
    f("optional", Pointer(&Bool), true),
] };

pub(super) static ENV_VAR_SOURCE: GoStruct = GoStruct { name: "EnvVarSource", fields: &[
    f("fieldRef", Pointer(&Struct(&OBJECT_FIELD_SELECTOR)), true),
    f("resourceFieldRef", Pointer(&Struct(&RESOURCE_FIELD_SELECTOR)), true),
    f("configMapKeyRef", Pointer(&Struct(&CONFIG_MAP_KEY_SELECTOR)), true),
    f("secretKeyRef", Pointer(&Struct(&SECRET_KEY_SELECTOR)), true),
    f("fileKeyRef", Pointer(&Struct(&FILE_KEY_SELECTOR)), true),
] };

pub(super) static CONTAINER_RESTART_RULE_ON_EXIT_CODES: GoStruct = GoStruct { name: "ContainerRestartRuleOnExitCodes", fields: &[
    f("operator", Named("v1.ContainerRestartRuleOnExitCodesOperator", &Text), true),
    f("values", List(&Int32), true),
] };

pub(super) static EXEC_ACTION: GoStruct = GoStruct { name: "ExecAction", fields: &[
    f("command", List(&Text), true),
] };

pub(super) static HTTP_GET_ACTION: GoStruct = GoStruct { name: "HTTPGetAction", fields: &[
    f("path", Text, true),
    f("port", IntOrString, false),
    f("host", Text, true),
    f("scheme", Named("v1.URIScheme", &Text), true),
    f("httpHeaders", List(&Struct(&HTTP_HEADER)), true),
] };

pub(super) static TCP_SOCKET_ACTION: GoStruct = GoStruct { name: "TCPSocketAction", fields: &[
    f("port", IntOrString, false),
    f("host", Text, true),
] };

pub(super) static GRPC_ACTION: GoStruct = GoStruct { name: "GRPCAction", fields: &[
    f("port", Int32, false),
    f("service", Pointer(&Text), false),
] };

pub(super) static LIFECYCLE_HANDLER: GoStruct = GoStruct { name: "LifecycleHandler", fields: &[
    f("exec", Pointer(&Struct(&EXEC_ACTION)), true),
    f("httpGet", Pointer(&Struct(&HTTP_GET_ACTION)), true),
    f("tcpSocket", Pointer(&Struct(&TCP_SOCKET_ACTION)), true),
    f("sleep", Pointer(&Struct(&SLEEP_ACTION)), true),
] };

pub(super) static CAPABILITIES: GoStruct = GoStruct { name: "Capabilities", fields: &[
    f("add", List(&Named("v1.Capability", &Text)), true),
    f("drop", List(&Named("v1.Capability", &Text)), true),
] };

pub(super) static PREFERRED_SCHEDULING_TERM: GoStruct = GoStruct { name: "PreferredSchedulingTerm", fields: &[
    f("weight", Int32, false),
    f("preference", Struct(&NODE_SELECTOR_TERM), false),
] };

pub(super) static POD_AFFINITY_TERM: GoStruct = GoStruct { name: "PodAffinityTerm", fields: &[
    f("labelSelector", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("namespaces", List(&Text), true),
    f("topologyKey", Text, false),
    f("namespaceSelector", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("matchLabelKeys", List(&Text), true),
    f("mismatchLabelKeys", List(&Text), true),
] };

pub(super) static WEIGHTED_POD_AFFINITY_TERM: GoStruct = GoStruct { name: "WeightedPodAffinityTerm", fields: &[
    f("weight", Int32, false),
    f("podAffinityTerm", Struct(&POD_AFFINITY_TERM), false),
] };

pub(super) static CONTAINER_STATE_WAITING: GoStruct = GoStruct { name: "ContainerStateWaiting", fields: &[
    f("reason", Text, true),
    f("message", Text, true),
] };

pub(super) static CONTAINER_STATE_RUNNING: GoStruct = GoStruct { name: "ContainerStateRunning", fields: &[
    f("startedAt", Time, false),
] };

pub(super) static CONTAINER_STATE_TERMINATED: GoStruct = GoStruct { name: "ContainerStateTerminated", fields: &[
    f("exitCode", Int32, false),
    f("signal", Int32, true),
    f("reason", Text, true),
    f("message", Text, true),
    f("startedAt", Time, false),
    f("finishedAt", Time, false),
    f("containerID", Text, true),
] };

pub(super) static VOLUME_STATUS: GoStruct = GoStruct { name: "VolumeStatus", fields: &[
    f("image", Pointer(&Struct(&IMAGE_VOLUME_STATUS)), true),
] };

pub(super) static LINUX_CONTAINER_USER: GoStruct = GoStruct { name: "LinuxContainerUser", fields: &[
    f("uid", Int64, false),
    f("gid", Int64, false),
    f("supplementalGroups", List(&Int64), true),
] };

pub(super) static RESOURCE_HEALTH: GoStruct = GoStruct { name: "ResourceHealth", fields: &[
    f("resourceID", Named("v1.ResourceID", &Text), false),
    f("health", Named("v1.ResourceHealthStatus", &Text), true),
    f("message", Pointer(&Text), true),
] };

pub(super) static PORT_STATUS: GoStruct = GoStruct { name: "PortStatus", fields: &[
    f("port", Int32, false),
    f("protocol", Named("v1.Protocol", &Text), false),
    f("error", Pointer(&Text), true),
] };

pub(super) static POD_FAILURE_POLICY_ON_EXIT_CODES_REQUIREMENT: GoStruct = GoStruct { name: "PodFailurePolicyOnExitCodesRequirement", fields: &[
    f("containerName", Pointer(&Text), true),
    f("operator", Named("v1.PodFailurePolicyOnExitCodesOperator", &Text), false),
    f("values", List(&Int32), false),
] };

pub(super) static POD_FAILURE_POLICY_ON_POD_CONDITIONS_PATTERN: GoStruct = GoStruct { name: "PodFailurePolicyOnPodConditionsPattern", fields: &[
    f("type", Named("v1.PodConditionType", &Text), false),
    f("status", Named("v1.ConditionStatus", &Text), false),
] };

pub(super) static METRIC_TARGET: GoStruct = GoStruct { name: "MetricTarget", fields: &[
    f("type", Named("v2.MetricTargetType", &Text), false),
    f("value", Pointer(&Quantity), true),
    f("averageValue", Pointer(&Quantity), true),
    f("averageUtilization", Pointer(&Int32), true),
] };

pub(super) static METRIC_IDENTIFIER: GoStruct = GoStruct { name: "MetricIdentifier", fields: &[
    f("name", Text, false),
    f("selector", Pointer(&Struct(&LABEL_SELECTOR)), true),
] };

pub(super) static HPA_SCALING_POLICY: GoStruct = GoStruct { name: "HPAScalingPolicy", fields: &[
    f("type", Named("v2.HPAScalingPolicyType", &Text), false),
    f("value", Int32, false),
    f("periodSeconds", Int32, false),
] };

pub(super) static METRIC_VALUE_STATUS: GoStruct = GoStruct { name: "MetricValueStatus", fields: &[
    f("value", Pointer(&Quantity), true),
    f("averageValue", Pointer(&Quantity), true),
    f("averageUtilization", Pointer(&Int32), true),
] };

pub(super) static SERVICE_BACKEND_PORT: GoStruct = GoStruct { name: "ServiceBackendPort", fields: &[
    f("name", Text, true),
    f("number", Int32, true),
] };

pub(super) static HTTP_INGRESS_PATH: GoStruct = GoStruct { name: "HTTPIngressPath", fields: &[
    f("path", Text, true),
    f("pathType", Pointer(&Named("v1.PathType", &Text)), false),
    f("backend", Struct(&INGRESS_BACKEND), false),
] };

pub(super) static INGRESS_PORT_STATUS: GoStruct = GoStruct { name: "IngressPortStatus", fields: &[
    f("port", Int32, false),
    f("protocol", Named("v1.Protocol", &Text), false),
    f("error", Pointer(&Text), true),
] };

pub(super) static IP_BLOCK: GoStruct = GoStruct { name: "IPBlock", fields: &[
    f("cidr", Text, false),
    f("except", List(&Text), true),
] };

pub(super) static JSON_SCHEMA_PROPS: GoStruct = GoStruct { name: "JSONSchemaProps", fields: &[
    f("id", Text, true),
    f("$schema", Named("v1.JSONSchemaURL", &Text), true),
    f("$ref", Pointer(&Text), true),
    f("description", Text, true),
    f("type", Text, true),
    f("format", Text, true),
    f("title", Text, true),
    f("default", Pointer(&Any), true),
    f("maximum", Pointer(&Float), true),
    f("exclusiveMaximum", Bool, true),
    f("minimum", Pointer(&Float), true),
    f("exclusiveMinimum", Bool, true),
    f("maxLength", Pointer(&Int64), true),
    f("minLength", Pointer(&Int64), true),
    f("pattern", Text, true),
    f("maxItems", Pointer(&Int64), true),
    f("minItems", Pointer(&Int64), true),
    f("uniqueItems", Bool, true),
    f("multipleOf", Pointer(&Float), true),
    f("enum", List(&Any), true),
    f("maxProperties", Pointer(&Int64), true),
    f("minProperties", Pointer(&Int64), true),
    f("required", List(&Text), true),
    f("items", Pointer(&SchemaOr(Or::Schemas, &JSON_SCHEMA_PROPS)), true),
    f("allOf", List(&Struct(&JSON_SCHEMA_PROPS)), true),
    f("oneOf", List(&Struct(&JSON_SCHEMA_PROPS)), true),
    f("anyOf", List(&Struct(&JSON_SCHEMA_PROPS)), true),
    f("not", Pointer(&Struct(&JSON_SCHEMA_PROPS)), true),
    f("properties", Map(&Struct(&JSON_SCHEMA_PROPS)), true),
    f("additionalProperties", Pointer(&SchemaOr(Or::Bool, &JSON_SCHEMA_PROPS)), true),
    f("patternProperties", Map(&Struct(&JSON_SCHEMA_PROPS)), true),
    f("dependencies", Named("v1.JSONSchemaDependencies", &Map(&SchemaOr(Or::Texts, &JSON_SCHEMA_PROPS))), true),
    f("additionalItems", Pointer(&SchemaOr(Or::Bool, &JSON_SCHEMA_PROPS)), true),
    f("definitions", Named("v1.JSONSchemaDefinitions", &Map(&Struct(&JSON_SCHEMA_PROPS))), true),
    f("externalDocs", Pointer(&Struct(&EXTERNAL_DOCUMENTATION)), true),
    f("example", Pointer(&Any), true),
    f("nullable", Bool, true),
    f("x-kubernetes-preserve-unknown-fields", Pointer(&Bool), true),
    f("x-kubernetes-embedded-resource", Bool, true),
    f("x-kubernetes-int-or-string", Bool, true),
    f("x-kubernetes-list-map-keys", List(&Text), true),
    f("x-kubernetes-list-type", Pointer(&Text), true),
    f("x-kubernetes-map-type", Pointer(&Text), true),
    f("x-kubernetes-validations", Named("v1.ValidationRules", &List(&Struct(&VALIDATION_RULE))), true),
] };

pub(super) static CUSTOM_RESOURCE_SUBRESOURCE_STATUS: GoStruct = GoStruct { name: "CustomResourceSubresourceStatus", fields: &[

] };

pub(super) static CUSTOM_RESOURCE_SUBRESOURCE_SCALE: GoStruct = GoStruct { name: "CustomResourceSubresourceScale", fields: &[
    f("specReplicasPath", Text, false),
    f("statusReplicasPath", Text, false),
    f("labelSelectorPath", Pointer(&Text), true),
] };

pub(super) static APIEXTENSIONS_WEBHOOK_CLIENT_CONFIG: GoStruct = GoStruct { name: "WebhookClientConfig", fields: &[
    f("url", Pointer(&Text), true),
    f("service", Pointer(&Struct(&APIEXTENSIONS_SERVICE_REFERENCE)), true),
    f("caBundle", Bytes, true),
] };

pub(super) static EXACT_DEVICE_REQUEST: GoStruct = GoStruct { name: "ExactDeviceRequest", fields: &[
    f("deviceClassName", Text, false),
    f("selectors", List(&Struct(&DEVICE_SELECTOR)), true),
    f("allocationMode", Named("v1.DeviceAllocationMode", &Text), true),
    f("count", Int64, true),
    f("adminAccess", Pointer(&Bool), true),
    f("tolerations", List(&Struct(&DEVICE_TOLERATION)), true),
    f("capacity", Pointer(&Struct(&CAPACITY_REQUIREMENTS)), true),
] };

pub(super) static DEVICE_SUB_REQUEST: GoStruct = GoStruct { name: "DeviceSubRequest", fields: &[
    f("name", Text, false),
    f("deviceClassName", Text, false),
    f("selectors", List(&Struct(&DEVICE_SELECTOR)), true),
    f("allocationMode", Named("v1.DeviceAllocationMode", &Text), true),
    f("count", Int64, true),
    f("tolerations", List(&Struct(&DEVICE_TOLERATION)), true),
    f("capacity", Pointer(&Struct(&CAPACITY_REQUIREMENTS)), true),
] };

pub(super) static DEVICE_REQUEST_ALLOCATION_RESULT: GoStruct = GoStruct { name: "DeviceRequestAllocationResult", fields: &[
    f("request", Text, false),
    f("driver", Text, false),
    f("pool", Text, false),
    f("device", Text, false),
    f("adminAccess", Pointer(&Bool), true),
    f("tolerations", List(&Struct(&DEVICE_TOLERATION)), true),
    f("bindingConditions", List(&Text), true),
    f("bindingFailureConditions", List(&Text), true),
    f("shareID", Pointer(&Named("types.UID", &Text)), true),
    f("consumedCapacity", Map(&Quantity), true),
] };

pub(super) static DEVICE_ALLOCATION_CONFIGURATION: GoStruct = GoStruct { name: "DeviceAllocationConfiguration", fields: &[
    f("source", Named("v1.AllocationConfigSource", &Text), false),
    f("requests", List(&Text), true),
    f("opaque", Pointer(&Struct(&OPAQUE_DEVICE_CONFIGURATION)), true),
] };

pub(super) static NODE_SELECTOR_REQUIREMENT: GoStruct = GoStruct { name: "NodeSelectorRequirement", fields: &[
    f("key", Text, false),
    f("operator", Named("v1.NodeSelectorOperator", &Text), false),
    f("values", List(&Text), true),
] };

pub(super) static CAPACITY_REQUEST_POLICY: GoStruct = GoStruct { name: "CapacityRequestPolicy", fields: &[
    f("default", Pointer(&Quantity), false),
    f("validValues", List(&Quantity), true),
    f("validRange", Pointer(&Struct(&CAPACITY_REQUEST_POLICY_RANGE)), true),
] };

pub(super) static FIELD_SELECTOR_REQUIREMENT: GoStruct = GoStruct { name: "FieldSelectorRequirement", fields: &[
    f("key", Text, false),
    f("operator", Named("v1.FieldSelectorOperator", &Text), false),
    f("values", List(&Text), true),
] };

pub(super) static OBJECT_FIELD_SELECTOR: GoStruct = GoStruct { name: "ObjectFieldSelector", fields: &[
    f("apiVersion", Text, true),
    f("fieldPath", Text, false),
] };

pub(super) static RESOURCE_FIELD_SELECTOR: GoStruct = GoStruct { name: "ResourceFieldSelector", fields: &[
    f("containerName", Text, true),
    f("resource", Text, false),
    f("divisor", Quantity, true),
] };

pub(super) static SECRET_PROJECTION: GoStruct = GoStruct { name: "SecretProjection", fields: &[
    f("name", Text, true),
    f("items", List(&Struct(&KEY_TO_PATH)), true),
    f("optional", Pointer(&Bool), true),
] };

pub(super) static DOWNWARD_API_PROJECTION: GoStruct = GoStruct { name: "DownwardAPIProjection", fields: &[
    f("items", List(&Struct(&DOWNWARD_API_VOLUME_FILE)), true),
] };

pub(super) static CONFIG_MAP_PROJECTION: GoStruct = GoStruct { name: "ConfigMapProjection", fields: &[
    f("name", Text, true),
    f("items", List(&Struct(&KEY_TO_PATH)), true),
    f("optional", Pointer(&Bool), true),
] };

pub(super) static SERVICE_ACCOUNT_TOKEN_PROJECTION: GoStruct = GoStruct { name: "ServiceAccountTokenProjection", fields: &[
    f("audience", Text, true),
    f("expirationSeconds", Pointer(&Int64), true),
    f("path", Text, false),
] };

pub(super) static CLUSTER_TRUST_BUNDLE_PROJECTION: GoStruct = GoStruct { name: "ClusterTrustBundleProjection", fields: &[
    f("name", Pointer(&Text), true),
    f("signerName", Pointer(&Text), true),
    f("labelSelector", Pointer(&Struct(&LABEL_SELECTOR)), true),
    f("optional", Pointer(&Bool), true),
    f("path", Text, false),
] };

pub(super) static POD_CERTIFICATE_PROJECTION: GoStruct = GoStruct { name: "PodCertificateProjection", fields: &[
    f("signerName", Text, true),
    f("keyType", Text, true),
    f("maxExpirationSeconds", Pointer(&Int32), true),
    f("credentialBundlePath", Text, true),
    f("keyPath", Text, true),
    f("certificateChainPath", Text, true),
    f("userAnnotations", Map(&Text), true),
] };

pub(super) static CONFIG_MAP_KEY_SELECTOR: GoStruct = GoStruct { name: "ConfigMapKeySelector", fields: &[
    f("name", Text, true),
    f("key", Text, false),
    f("optional", Pointer(&Bool), true),
] };

pub(super) static SECRET_KEY_SELECTOR: GoStruct = GoStruct { name: "SecretKeySelector", fields: &[
    f("name", Text, true),
    f("key", Text, false),
    f("optional", Pointer(&Bool), true),
] };

pub(super) static FILE_KEY_SELECTOR: GoStruct = GoStruct { name: "FileKeySelector", fields: &[
    f("volumeName", Text, false),
    f("path", Text, false),
    f("key", Text, false),
    f("optional", Pointer(&Bool), true),
] };

pub(super) static HTTP_HEADER: GoStruct = GoStruct { name: "HTTPHeader", fields: &[
    f("name", Text, false),
    f("value", Text, false),
] };

pub(super) static SLEEP_ACTION: GoStruct = GoStruct { name: "SleepAction", fields: &[
    f("seconds", Int64, false),
] };

pub(super) static IMAGE_VOLUME_STATUS: GoStruct = GoStruct { name: "ImageVolumeStatus", fields: &[
    f("imageRef", Text, true),
] };

pub(super) static EXTERNAL_DOCUMENTATION: GoStruct = GoStruct { name: "ExternalDocumentation", fields: &[
    f("description", Text, true),
    f("url", Text, true),
] };

pub(super) static VALIDATION_RULE: GoStruct = GoStruct { name: "ValidationRule", fields: &[
    f("rule", Text, false),
    f("message", Text, true),
    f("messageExpression", Text, true),
    f("reason", Pointer(&Named("v1.FieldValueErrorReason", &Text)), true),
    f("fieldPath", Text, true),
    f("optionalOldSelf", Pointer(&Bool), true),
] };

pub(super) static APIEXTENSIONS_SERVICE_REFERENCE: GoStruct = GoStruct { name: "ServiceReference", fields: &[
    f("namespace", Text, false),
    f("name", Text, false),
    f("path", Pointer(&Text), true),
    f("port", Pointer(&Int32), true),
] };

pub(super) static DEVICE_TOLERATION: GoStruct = GoStruct { name: "DeviceToleration", fields: &[
    f("key", Text, true),
    f("operator", Named("v1.DeviceTolerationOperator", &Text), true),
    f("value", Text, true),
    f("effect", Named("v1.DeviceTaintEffect", &Text), true),
    f("tolerationSeconds", Pointer(&Int64), true),
] };

pub(super) static CAPACITY_REQUIREMENTS: GoStruct = GoStruct { name: "CapacityRequirements", fields: &[
    f("requests", Map(&Quantity), true),
] };

pub(super) static CAPACITY_REQUEST_POLICY_RANGE: GoStruct = GoStruct { name: "CapacityRequestPolicyRange", fields: &[
    f("min", Pointer(&Quantity), true),
    f("max", Pointer(&Quantity), true),
    f("step", Pointer(&Quantity), true),
] };
