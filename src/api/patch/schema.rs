//! How the fields of every struct merge: the tags `patchStrategy` and `patchMergeKey`, and the
//! markers `listType`, `listMapKey`, `structType` and `mapType` of the types of Kubernetes 1.36.
//! Fields that hold one value have no row. Written by `cargo xtask generate`; do not edit.

use super::{BuiltIn, OtherVersion};
use super::types::{Shape::*, Type, f};

/// The struct of a kind.
pub(super) const fn of(kind: BuiltIn) -> &'static Type {
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
pub(super) const fn of_version(version: OtherVersion) -> &'static Type {
    match version {
        OtherVersion::HorizontalPodAutoscalerV1 => &HORIZONTAL_POD_AUTOSCALER,
        OtherVersion::EventsV1Event => &EVENTS_EVENT,
    }
}

static NAMESPACE: Type = Type { name: "Namespace", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&NAMESPACE_SPEC)),
    f("status", Struct(&NAMESPACE_STATUS)),
] };

static NODE: Type = Type { name: "Node", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&NODE_SPEC)),
    f("status", Struct(&NODE_STATUS)),
] };

static POD: Type = Type { name: "Pod", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&POD_SPEC)),
    f("status", Struct(&POD_STATUS)),
] };

static SERVICE: Type = Type { name: "Service", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&SERVICE_SPEC)),
    f("status", Struct(&SERVICE_STATUS)),
] };

static ENDPOINTS: Type = Type { name: "Endpoints", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("subsets", List(&Struct(&ENDPOINT_SUBSET))).atomic(),
] };

static ENDPOINT_SLICE: Type = Type { name: "EndpointSlice", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("endpoints", List(&Struct(&ENDPOINT))).atomic(),
    f("ports", List(&Struct(&DISCOVERY_ENDPOINT_PORT))).atomic(),
] };

static SERVICE_ACCOUNT: Type = Type { name: "ServiceAccount", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("secrets", List(&Struct(&OBJECT_REFERENCE))).merge().merge_key("name").list_map(&["name"]),
    f("imagePullSecrets", List(&Struct(&LOCAL_OBJECT_REFERENCE))).atomic(),
] };

static CONFIG_MAP: Type = Type { name: "ConfigMap", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("data", Map(&Scalar)),
    f("binaryData", Map(&List(&Scalar))),
] };

static SECRET: Type = Type { name: "Secret", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("data", Map(&List(&Scalar))),
    f("stringData", Map(&Scalar)),
] };

static EVENT: Type = Type { name: "Event", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("involvedObject", Struct(&OBJECT_REFERENCE)),
    f("source", Struct(&EVENT_SOURCE)),
    f("series", Struct(&EVENT_SERIES)),
    f("related", Struct(&OBJECT_REFERENCE)),
] };

static PERSISTENT_VOLUME_CLAIM: Type = Type { name: "PersistentVolumeClaim", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&PERSISTENT_VOLUME_CLAIM_SPEC)),
    f("status", Struct(&PERSISTENT_VOLUME_CLAIM_STATUS)),
] };

static PERSISTENT_VOLUME: Type = Type { name: "PersistentVolume", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&PERSISTENT_VOLUME_SPEC)),
    f("status", Struct(&PERSISTENT_VOLUME_STATUS)),
] };

static STORAGE_CLASS: Type = Type { name: "StorageClass", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("parameters", Map(&Scalar)),
    f("mountOptions", List(&Scalar)).atomic(),
    f("allowedTopologies", List(&Struct(&TOPOLOGY_SELECTOR_TERM))).atomic(),
] };

static LEASE: Type = Type { name: "Lease", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&LEASE_SPEC)),
] };

static DEPLOYMENT: Type = Type { name: "Deployment", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&DEPLOYMENT_SPEC)),
    f("status", Struct(&DEPLOYMENT_STATUS)),
] };

static REPLICA_SET: Type = Type { name: "ReplicaSet", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&REPLICA_SET_SPEC)),
    f("status", Struct(&REPLICA_SET_STATUS)),
] };

static STATEFUL_SET: Type = Type { name: "StatefulSet", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&STATEFUL_SET_SPEC)),
    f("status", Struct(&STATEFUL_SET_STATUS)),
] };

static DAEMON_SET: Type = Type { name: "DaemonSet", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&DAEMON_SET_SPEC)),
    f("status", Struct(&DAEMON_SET_STATUS)),
] };

static JOB: Type = Type { name: "Job", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&JOB_SPEC)),
    f("status", Struct(&JOB_STATUS)),
] };

static CRON_JOB: Type = Type { name: "CronJob", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&CRON_JOB_SPEC)),
    f("status", Struct(&CRON_JOB_STATUS)),
] };

static POD_DISRUPTION_BUDGET: Type = Type { name: "PodDisruptionBudget", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&POD_DISRUPTION_BUDGET_SPEC)),
    f("status", Struct(&POD_DISRUPTION_BUDGET_STATUS)),
] };

static PRIORITY_CLASS: Type = Type { name: "PriorityClass", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
] };

static AUTOSCALINGV2_HORIZONTAL_POD_AUTOSCALER: Type = Type { name: "HorizontalPodAutoscaler", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&AUTOSCALINGV2_HORIZONTAL_POD_AUTOSCALER_SPEC)),
    f("status", Struct(&AUTOSCALINGV2_HORIZONTAL_POD_AUTOSCALER_STATUS)),
] };

static LIMIT_RANGE: Type = Type { name: "LimitRange", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&LIMIT_RANGE_SPEC)),
] };

static RESOURCE_QUOTA: Type = Type { name: "ResourceQuota", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&RESOURCE_QUOTA_SPEC)),
    f("status", Struct(&RESOURCE_QUOTA_STATUS)),
] };

static REPLICATION_CONTROLLER: Type = Type { name: "ReplicationController", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&REPLICATION_CONTROLLER_SPEC)),
    f("status", Struct(&REPLICATION_CONTROLLER_STATUS)),
] };

static INGRESS: Type = Type { name: "Ingress", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&INGRESS_SPEC)),
    f("status", Struct(&INGRESS_STATUS)),
] };

static INGRESS_CLASS: Type = Type { name: "IngressClass", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&INGRESS_CLASS_SPEC)),
] };

static NETWORK_POLICY: Type = Type { name: "NetworkPolicy", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&NETWORK_POLICY_SPEC)),
] };

static ROLE: Type = Type { name: "Role", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("rules", List(&Struct(&POLICY_RULE))).atomic(),
] };

static CLUSTER_ROLE: Type = Type { name: "ClusterRole", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("rules", List(&Struct(&POLICY_RULE))).atomic(),
    f("aggregationRule", Struct(&AGGREGATION_RULE)),
] };

static ROLE_BINDING: Type = Type { name: "RoleBinding", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("subjects", List(&Struct(&SUBJECT))).atomic(),
    f("roleRef", Struct(&ROLE_REF)),
] };

static CLUSTER_ROLE_BINDING: Type = Type { name: "ClusterRoleBinding", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("subjects", List(&Struct(&SUBJECT))).atomic(),
    f("roleRef", Struct(&ROLE_REF)),
] };

static CONTROLLER_REVISION: Type = Type { name: "ControllerRevision", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
] };

static CUSTOM_RESOURCE_DEFINITION: Type = Type { name: "CustomResourceDefinition", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&CUSTOM_RESOURCE_DEFINITION_SPEC)),
    f("status", Struct(&CUSTOM_RESOURCE_DEFINITION_STATUS)),
] };

static CSI_DRIVER: Type = Type { name: "CSIDriver", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&CSI_DRIVER_SPEC)),
] };

static CSI_NODE: Type = Type { name: "CSINode", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&CSI_NODE_SPEC)),
] };

static VOLUME_ATTACHMENT: Type = Type { name: "VolumeAttachment", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&VOLUME_ATTACHMENT_SPEC)),
    f("status", Struct(&VOLUME_ATTACHMENT_STATUS)),
] };

static CERTIFICATE_SIGNING_REQUEST: Type = Type { name: "CertificateSigningRequest", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&CERTIFICATE_SIGNING_REQUEST_SPEC)),
    f("status", Struct(&CERTIFICATE_SIGNING_REQUEST_STATUS)),
] };

static VOLUME_ATTRIBUTES_CLASS: Type = Type { name: "VolumeAttributesClass", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("parameters", Map(&Scalar)),
] };

static CSI_STORAGE_CAPACITY: Type = Type { name: "CSIStorageCapacity", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("nodeTopology", Struct(&LABEL_SELECTOR)),
] };

static POD_TEMPLATE: Type = Type { name: "PodTemplate", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("template", Struct(&POD_TEMPLATE_SPEC)),
] };

static RUNTIME_CLASS: Type = Type { name: "RuntimeClass", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("overhead", Struct(&OVERHEAD)),
    f("scheduling", Struct(&SCHEDULING)),
] };

static SERVICE_CIDR: Type = Type { name: "ServiceCIDR", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&SERVICE_CIDR_SPEC)),
    f("status", Struct(&SERVICE_CIDR_STATUS)),
] };

static IP_ADDRESS: Type = Type { name: "IPAddress", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&IP_ADDRESS_SPEC)),
] };

static VALIDATING_ADMISSION_POLICY: Type = Type { name: "ValidatingAdmissionPolicy", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&VALIDATING_ADMISSION_POLICY_SPEC)),
    f("status", Struct(&VALIDATING_ADMISSION_POLICY_STATUS)),
] };

static VALIDATING_ADMISSION_POLICY_BINDING: Type = Type { name: "ValidatingAdmissionPolicyBinding", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&VALIDATING_ADMISSION_POLICY_BINDING_SPEC)),
] };

static MUTATING_ADMISSION_POLICY: Type = Type { name: "MutatingAdmissionPolicy", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&MUTATING_ADMISSION_POLICY_SPEC)),
] };

static MUTATING_ADMISSION_POLICY_BINDING: Type = Type { name: "MutatingAdmissionPolicyBinding", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&MUTATING_ADMISSION_POLICY_BINDING_SPEC)),
] };

static RESOURCE_RESOURCE_CLAIM: Type = Type { name: "ResourceClaim", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&RESOURCE_CLAIM_SPEC)),
    f("status", Struct(&RESOURCE_CLAIM_STATUS)),
] };

static RESOURCE_CLAIM_TEMPLATE: Type = Type { name: "ResourceClaimTemplate", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&RESOURCE_CLAIM_TEMPLATE_SPEC)),
] };

static DEVICE_CLASS: Type = Type { name: "DeviceClass", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&DEVICE_CLASS_SPEC)),
] };

static RESOURCE_SLICE: Type = Type { name: "ResourceSlice", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&RESOURCE_SLICE_SPEC)),
] };

static HORIZONTAL_POD_AUTOSCALER: Type = Type { name: "HorizontalPodAutoscaler", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&HORIZONTAL_POD_AUTOSCALER_SPEC)),
    f("status", Struct(&HORIZONTAL_POD_AUTOSCALER_STATUS)),
] };

static EVENTS_EVENT: Type = Type { name: "Event", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("series", Struct(&EVENTS_EVENT_SERIES)),
    f("regarding", Struct(&OBJECT_REFERENCE)),
    f("related", Struct(&OBJECT_REFERENCE)),
    f("deprecatedSource", Struct(&EVENT_SOURCE)),
] };

static OBJECT_META: Type = Type { name: "ObjectMeta", atomic: false, fields: &[
    f("labels", Map(&Scalar)),
    f("annotations", Map(&Scalar)),
    f("ownerReferences", List(&Struct(&OWNER_REFERENCE))).merge().merge_key("uid").list_map(&["uid"]),
    f("finalizers", List(&Scalar)).merge().list_set(),
    f("managedFields", List(&Struct(&MANAGED_FIELDS_ENTRY))).atomic(),
] };

static NAMESPACE_SPEC: Type = Type { name: "NamespaceSpec", atomic: false, fields: &[
    f("finalizers", List(&Scalar)).atomic(),
] };

static NAMESPACE_STATUS: Type = Type { name: "NamespaceStatus", atomic: false, fields: &[
    f("conditions", List(&Struct(&NAMESPACE_CONDITION))).merge().merge_key("type").list_map(&["type"]),
] };

static NODE_SPEC: Type = Type { name: "NodeSpec", atomic: false, fields: &[
    f("podCIDRs", List(&Scalar)).merge().list_set(),
    f("taints", List(&Struct(&TAINT))).atomic(),
    f("configSource", Struct(&NODE_CONFIG_SOURCE)),
] };

static NODE_STATUS: Type = Type { name: "NodeStatus", atomic: false, fields: &[
    f("capacity", Map(&Scalar)),
    f("allocatable", Map(&Scalar)),
    f("conditions", List(&Struct(&NODE_CONDITION))).merge().merge_key("type").list_map(&["type"]),
    f("addresses", List(&Struct(&NODE_ADDRESS))).merge().merge_key("type").list_map(&["type"]),
    f("daemonEndpoints", Struct(&NODE_DAEMON_ENDPOINTS)),
    f("nodeInfo", Struct(&NODE_SYSTEM_INFO)),
    f("images", List(&Struct(&CONTAINER_IMAGE))).atomic(),
    f("volumesInUse", List(&Scalar)).atomic(),
    f("volumesAttached", List(&Struct(&ATTACHED_VOLUME))).atomic(),
    f("config", Struct(&NODE_CONFIG_STATUS)),
    f("runtimeHandlers", List(&Struct(&NODE_RUNTIME_HANDLER))).atomic(),
    f("features", Struct(&NODE_FEATURES)),
    f("declaredFeatures", List(&Scalar)).atomic(),
] };

static POD_SPEC: Type = Type { name: "PodSpec", atomic: false, fields: &[
    f("volumes", List(&Struct(&VOLUME))).merge().retain_keys().merge_key("name").list_map(&["name"]),
    f("initContainers", List(&Struct(&CONTAINER))).merge().merge_key("name").list_map(&["name"]),
    f("containers", List(&Struct(&CONTAINER))).merge().merge_key("name").list_map(&["name"]),
    f("ephemeralContainers", List(&Struct(&EPHEMERAL_CONTAINER))).merge().merge_key("name").list_map(&["name"]),
    f("nodeSelector", Map(&Scalar)).atomic(),
    f("securityContext", Struct(&POD_SECURITY_CONTEXT)),
    f("imagePullSecrets", List(&Struct(&LOCAL_OBJECT_REFERENCE))).merge().merge_key("name").list_map(&["name"]),
    f("affinity", Struct(&AFFINITY)),
    f("tolerations", List(&Struct(&TOLERATION))).atomic(),
    f("hostAliases", List(&Struct(&HOST_ALIAS))).merge().merge_key("ip").list_map(&["ip"]),
    f("dnsConfig", Struct(&POD_DNS_CONFIG)),
    f("readinessGates", List(&Struct(&POD_READINESS_GATE))).atomic(),
    f("overhead", Map(&Scalar)),
    f("topologySpreadConstraints", List(&Struct(&TOPOLOGY_SPREAD_CONSTRAINT))).merge().merge_key("topologyKey").list_map(&["topologyKey", "whenUnsatisfiable"]),
    f("os", Struct(&POD_OS)),
    f("schedulingGates", List(&Struct(&POD_SCHEDULING_GATE))).merge().merge_key("name").list_map(&["name"]),
    f("resourceClaims", List(&Struct(&POD_RESOURCE_CLAIM))).merge().retain_keys().merge_key("name").list_map(&["name"]),
    f("resources", Struct(&RESOURCE_REQUIREMENTS)),
    f("schedulingGroup", Struct(&POD_SCHEDULING_GROUP)),
] };

static POD_STATUS: Type = Type { name: "PodStatus", atomic: false, fields: &[
    f("conditions", List(&Struct(&POD_CONDITION))).merge().merge_key("type").list_map(&["type"]),
    f("hostIPs", List(&Struct(&HOST_IP))).merge().merge_key("ip").atomic(),
    f("podIPs", List(&Struct(&POD_IP))).merge().merge_key("ip").list_map(&["ip"]),
    f("initContainerStatuses", List(&Struct(&CONTAINER_STATUS))).atomic(),
    f("containerStatuses", List(&Struct(&CONTAINER_STATUS))).atomic(),
    f("ephemeralContainerStatuses", List(&Struct(&CONTAINER_STATUS))).atomic(),
    f("resourceClaimStatuses", List(&Struct(&POD_RESOURCE_CLAIM_STATUS))).merge().retain_keys().merge_key("name").list_map(&["name"]),
    f("extendedResourceClaimStatus", Struct(&POD_EXTENDED_RESOURCE_CLAIM_STATUS)),
    f("allocatedResources", Map(&Scalar)),
    f("resources", Struct(&RESOURCE_REQUIREMENTS)),
    f("nodeAllocatableResourceClaimStatuses", List(&Struct(&NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS))).atomic(),
] };

static SERVICE_SPEC: Type = Type { name: "ServiceSpec", atomic: false, fields: &[
    f("ports", List(&Struct(&SERVICE_PORT))).merge().merge_key("port").list_map(&["port", "protocol"]),
    f("selector", Map(&Scalar)).atomic(),
    f("clusterIPs", List(&Scalar)).atomic(),
    f("externalIPs", List(&Scalar)).atomic(),
    f("loadBalancerSourceRanges", List(&Scalar)).atomic(),
    f("sessionAffinityConfig", Struct(&SESSION_AFFINITY_CONFIG)),
    f("ipFamilies", List(&Scalar)).atomic(),
] };

static SERVICE_STATUS: Type = Type { name: "ServiceStatus", atomic: false, fields: &[
    f("loadBalancer", Struct(&LOAD_BALANCER_STATUS)),
    f("conditions", List(&Struct(&CONDITION))).merge().merge_key("type").list_map(&["type"]),
] };

static ENDPOINT_SUBSET: Type = Type { name: "EndpointSubset", atomic: false, fields: &[
    f("addresses", List(&Struct(&ENDPOINT_ADDRESS))).atomic(),
    f("notReadyAddresses", List(&Struct(&ENDPOINT_ADDRESS))).atomic(),
    f("ports", List(&Struct(&ENDPOINT_PORT))).atomic(),
] };

static ENDPOINT: Type = Type { name: "Endpoint", atomic: false, fields: &[
    f("addresses", List(&Scalar)).list_set(),
    f("conditions", Struct(&ENDPOINT_CONDITIONS)),
    f("targetRef", Struct(&OBJECT_REFERENCE)),
    f("deprecatedTopology", Map(&Scalar)),
    f("hints", Struct(&ENDPOINT_HINTS)),
] };

static DISCOVERY_ENDPOINT_PORT: Type = Type { name: "EndpointPort", atomic: true, fields: &[] };

static OBJECT_REFERENCE: Type = Type { name: "ObjectReference", atomic: true, fields: &[] };

static LOCAL_OBJECT_REFERENCE: Type = Type { name: "LocalObjectReference", atomic: true, fields: &[] };

static EVENT_SOURCE: Type = Type { name: "EventSource", atomic: false, fields: &[] };

static EVENT_SERIES: Type = Type { name: "EventSeries", atomic: false, fields: &[] };

static PERSISTENT_VOLUME_CLAIM_SPEC: Type = Type { name: "PersistentVolumeClaimSpec", atomic: false, fields: &[
    f("accessModes", List(&Scalar)).atomic(),
    f("selector", Struct(&LABEL_SELECTOR)),
    f("resources", Struct(&VOLUME_RESOURCE_REQUIREMENTS)),
    f("dataSource", Struct(&TYPED_LOCAL_OBJECT_REFERENCE)),
    f("dataSourceRef", Struct(&TYPED_OBJECT_REFERENCE)),
] };

static PERSISTENT_VOLUME_CLAIM_STATUS: Type = Type { name: "PersistentVolumeClaimStatus", atomic: false, fields: &[
    f("accessModes", List(&Scalar)).atomic(),
    f("capacity", Map(&Scalar)),
    f("conditions", List(&Struct(&PERSISTENT_VOLUME_CLAIM_CONDITION))).merge().merge_key("type").list_map(&["type"]),
    f("allocatedResources", Map(&Scalar)),
    f("allocatedResourceStatuses", Map(&Scalar)),
    f("modifyVolumeStatus", Struct(&MODIFY_VOLUME_STATUS)),
] };

static PERSISTENT_VOLUME_SPEC: Type = Type { name: "PersistentVolumeSpec", atomic: false, fields: &[
    f("capacity", Map(&Scalar)),
    f("gcePersistentDisk", Struct(&GCE_PERSISTENT_DISK_VOLUME_SOURCE)),
    f("awsElasticBlockStore", Struct(&AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE)),
    f("hostPath", Struct(&HOST_PATH_VOLUME_SOURCE)),
    f("glusterfs", Struct(&GLUSTERFS_PERSISTENT_VOLUME_SOURCE)),
    f("nfs", Struct(&NFS_VOLUME_SOURCE)),
    f("rbd", Struct(&RBD_PERSISTENT_VOLUME_SOURCE)),
    f("iscsi", Struct(&ISCSI_PERSISTENT_VOLUME_SOURCE)),
    f("cinder", Struct(&CINDER_PERSISTENT_VOLUME_SOURCE)),
    f("cephfs", Struct(&CEPH_FS_PERSISTENT_VOLUME_SOURCE)),
    f("fc", Struct(&FC_VOLUME_SOURCE)),
    f("flocker", Struct(&FLOCKER_VOLUME_SOURCE)),
    f("flexVolume", Struct(&FLEX_PERSISTENT_VOLUME_SOURCE)),
    f("azureFile", Struct(&AZURE_FILE_PERSISTENT_VOLUME_SOURCE)),
    f("vsphereVolume", Struct(&VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE)),
    f("quobyte", Struct(&QUOBYTE_VOLUME_SOURCE)),
    f("azureDisk", Struct(&AZURE_DISK_VOLUME_SOURCE)),
    f("photonPersistentDisk", Struct(&PHOTON_PERSISTENT_DISK_VOLUME_SOURCE)),
    f("portworxVolume", Struct(&PORTWORX_VOLUME_SOURCE)),
    f("scaleIO", Struct(&SCALE_IO_PERSISTENT_VOLUME_SOURCE)),
    f("local", Struct(&LOCAL_VOLUME_SOURCE)),
    f("storageos", Struct(&STORAGE_OS_PERSISTENT_VOLUME_SOURCE)),
    f("csi", Struct(&CSI_PERSISTENT_VOLUME_SOURCE)),
    f("accessModes", List(&Scalar)).atomic(),
    f("claimRef", Struct(&OBJECT_REFERENCE)),
    f("mountOptions", List(&Scalar)).atomic(),
    f("nodeAffinity", Struct(&VOLUME_NODE_AFFINITY)),
] };

static PERSISTENT_VOLUME_STATUS: Type = Type { name: "PersistentVolumeStatus", atomic: false, fields: &[] };

static TOPOLOGY_SELECTOR_TERM: Type = Type { name: "TopologySelectorTerm", atomic: true, fields: &[
    f("matchLabelExpressions", List(&Struct(&TOPOLOGY_SELECTOR_LABEL_REQUIREMENT))).atomic(),
] };

static LEASE_SPEC: Type = Type { name: "LeaseSpec", atomic: false, fields: &[] };

static DEPLOYMENT_SPEC: Type = Type { name: "DeploymentSpec", atomic: false, fields: &[
    f("selector", Struct(&LABEL_SELECTOR)),
    f("template", Struct(&POD_TEMPLATE_SPEC)),
    f("strategy", Struct(&DEPLOYMENT_STRATEGY)).retain_keys(),
] };

static DEPLOYMENT_STATUS: Type = Type { name: "DeploymentStatus", atomic: false, fields: &[
    f("conditions", List(&Struct(&DEPLOYMENT_CONDITION))).merge().merge_key("type").list_map(&["type"]),
] };

static REPLICA_SET_SPEC: Type = Type { name: "ReplicaSetSpec", atomic: false, fields: &[
    f("selector", Struct(&LABEL_SELECTOR)),
    f("template", Struct(&POD_TEMPLATE_SPEC)),
] };

static REPLICA_SET_STATUS: Type = Type { name: "ReplicaSetStatus", atomic: false, fields: &[
    f("conditions", List(&Struct(&REPLICA_SET_CONDITION))).merge().merge_key("type").list_map(&["type"]),
] };

static STATEFUL_SET_SPEC: Type = Type { name: "StatefulSetSpec", atomic: false, fields: &[
    f("selector", Struct(&LABEL_SELECTOR)),
    f("template", Struct(&POD_TEMPLATE_SPEC)),
    f("volumeClaimTemplates", List(&Struct(&PERSISTENT_VOLUME_CLAIM))).atomic(),
    f("updateStrategy", Struct(&STATEFUL_SET_UPDATE_STRATEGY)),
    f("persistentVolumeClaimRetentionPolicy", Struct(&STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY)),
    f("ordinals", Struct(&STATEFUL_SET_ORDINALS)),
] };

static STATEFUL_SET_STATUS: Type = Type { name: "StatefulSetStatus", atomic: false, fields: &[
    f("conditions", List(&Struct(&STATEFUL_SET_CONDITION))).merge().merge_key("type").list_map(&["type"]),
] };

static DAEMON_SET_SPEC: Type = Type { name: "DaemonSetSpec", atomic: false, fields: &[
    f("selector", Struct(&LABEL_SELECTOR)),
    f("template", Struct(&POD_TEMPLATE_SPEC)),
    f("updateStrategy", Struct(&DAEMON_SET_UPDATE_STRATEGY)),
] };

static DAEMON_SET_STATUS: Type = Type { name: "DaemonSetStatus", atomic: false, fields: &[
    f("conditions", List(&Struct(&DAEMON_SET_CONDITION))).merge().merge_key("type").list_map(&["type"]),
] };

static JOB_SPEC: Type = Type { name: "JobSpec", atomic: false, fields: &[
    f("podFailurePolicy", Struct(&POD_FAILURE_POLICY)),
    f("successPolicy", Struct(&SUCCESS_POLICY)),
    f("selector", Struct(&LABEL_SELECTOR)),
    f("template", Struct(&POD_TEMPLATE_SPEC)),
] };

static JOB_STATUS: Type = Type { name: "JobStatus", atomic: false, fields: &[
    f("conditions", List(&Struct(&JOB_CONDITION))).merge().merge_key("type").atomic(),
    f("uncountedTerminatedPods", Struct(&UNCOUNTED_TERMINATED_PODS)),
] };

static CRON_JOB_SPEC: Type = Type { name: "CronJobSpec", atomic: false, fields: &[
    f("jobTemplate", Struct(&JOB_TEMPLATE_SPEC)),
] };

static CRON_JOB_STATUS: Type = Type { name: "CronJobStatus", atomic: false, fields: &[
    f("active", List(&Struct(&OBJECT_REFERENCE))).atomic(),
] };

static POD_DISRUPTION_BUDGET_SPEC: Type = Type { name: "PodDisruptionBudgetSpec", atomic: false, fields: &[
    f("selector", Struct(&LABEL_SELECTOR)).replace(),
] };

static POD_DISRUPTION_BUDGET_STATUS: Type = Type { name: "PodDisruptionBudgetStatus", atomic: false, fields: &[
    f("disruptedPods", Map(&Scalar)),
    f("conditions", List(&Struct(&CONDITION))).merge().merge_key("type").list_map(&["type"]),
] };

static AUTOSCALINGV2_HORIZONTAL_POD_AUTOSCALER_SPEC: Type = Type { name: "HorizontalPodAutoscalerSpec", atomic: false, fields: &[
    f("scaleTargetRef", Struct(&AUTOSCALINGV2_CROSS_VERSION_OBJECT_REFERENCE)),
    f("metrics", List(&Struct(&AUTOSCALINGV2_METRIC_SPEC))).atomic(),
    f("behavior", Struct(&HORIZONTAL_POD_AUTOSCALER_BEHAVIOR)),
] };

static AUTOSCALINGV2_HORIZONTAL_POD_AUTOSCALER_STATUS: Type = Type { name: "HorizontalPodAutoscalerStatus", atomic: false, fields: &[
    f("currentMetrics", List(&Struct(&AUTOSCALINGV2_METRIC_STATUS))).atomic(),
    f("conditions", List(&Struct(&AUTOSCALINGV2_HORIZONTAL_POD_AUTOSCALER_CONDITION))).merge().merge_key("type").list_map(&["type"]),
] };

static LIMIT_RANGE_SPEC: Type = Type { name: "LimitRangeSpec", atomic: false, fields: &[
    f("limits", List(&Struct(&LIMIT_RANGE_ITEM))).atomic(),
] };

static RESOURCE_QUOTA_SPEC: Type = Type { name: "ResourceQuotaSpec", atomic: false, fields: &[
    f("hard", Map(&Scalar)),
    f("scopes", List(&Scalar)).atomic(),
    f("scopeSelector", Struct(&SCOPE_SELECTOR)),
] };

static RESOURCE_QUOTA_STATUS: Type = Type { name: "ResourceQuotaStatus", atomic: false, fields: &[
    f("hard", Map(&Scalar)),
    f("used", Map(&Scalar)),
] };

static REPLICATION_CONTROLLER_SPEC: Type = Type { name: "ReplicationControllerSpec", atomic: false, fields: &[
    f("selector", Map(&Scalar)).atomic(),
    f("template", Struct(&POD_TEMPLATE_SPEC)),
] };

static REPLICATION_CONTROLLER_STATUS: Type = Type { name: "ReplicationControllerStatus", atomic: false, fields: &[
    f("conditions", List(&Struct(&REPLICATION_CONTROLLER_CONDITION))).merge().merge_key("type").list_map(&["type"]),
] };

static INGRESS_SPEC: Type = Type { name: "IngressSpec", atomic: false, fields: &[
    f("defaultBackend", Struct(&INGRESS_BACKEND)),
    f("tls", List(&Struct(&INGRESS_TLS))).atomic(),
    f("rules", List(&Struct(&INGRESS_RULE))).atomic(),
] };

static INGRESS_STATUS: Type = Type { name: "IngressStatus", atomic: false, fields: &[
    f("loadBalancer", Struct(&INGRESS_LOAD_BALANCER_STATUS)),
] };

static INGRESS_CLASS_SPEC: Type = Type { name: "IngressClassSpec", atomic: false, fields: &[
    f("parameters", Struct(&INGRESS_CLASS_PARAMETERS_REFERENCE)),
] };

static NETWORK_POLICY_SPEC: Type = Type { name: "NetworkPolicySpec", atomic: false, fields: &[
    f("podSelector", Struct(&LABEL_SELECTOR)),
    f("ingress", List(&Struct(&NETWORK_POLICY_INGRESS_RULE))).atomic(),
    f("egress", List(&Struct(&NETWORK_POLICY_EGRESS_RULE))).atomic(),
    f("policyTypes", List(&Scalar)).atomic(),
] };

static POLICY_RULE: Type = Type { name: "PolicyRule", atomic: false, fields: &[
    f("verbs", List(&Scalar)).atomic(),
    f("apiGroups", List(&Scalar)).atomic(),
    f("resources", List(&Scalar)).atomic(),
    f("resourceNames", List(&Scalar)).atomic(),
    f("nonResourceURLs", List(&Scalar)).atomic(),
] };

static AGGREGATION_RULE: Type = Type { name: "AggregationRule", atomic: false, fields: &[
    f("clusterRoleSelectors", List(&Struct(&LABEL_SELECTOR))).atomic(),
] };

static SUBJECT: Type = Type { name: "Subject", atomic: true, fields: &[] };

static ROLE_REF: Type = Type { name: "RoleRef", atomic: true, fields: &[] };

static CUSTOM_RESOURCE_DEFINITION_SPEC: Type = Type { name: "CustomResourceDefinitionSpec", atomic: false, fields: &[
    f("names", Struct(&CUSTOM_RESOURCE_DEFINITION_NAMES)),
    f("versions", List(&Struct(&CUSTOM_RESOURCE_DEFINITION_VERSION))).atomic(),
    f("conversion", Struct(&CUSTOM_RESOURCE_CONVERSION)),
] };

static CUSTOM_RESOURCE_DEFINITION_STATUS: Type = Type { name: "CustomResourceDefinitionStatus", atomic: false, fields: &[
    f("conditions", List(&Struct(&CUSTOM_RESOURCE_DEFINITION_CONDITION))).list_map(&["type"]),
    f("acceptedNames", Struct(&CUSTOM_RESOURCE_DEFINITION_NAMES)),
    f("storedVersions", List(&Scalar)).atomic(),
] };

static CSI_DRIVER_SPEC: Type = Type { name: "CSIDriverSpec", atomic: false, fields: &[
    f("volumeLifecycleModes", List(&Scalar)).list_set(),
    f("tokenRequests", List(&Struct(&STORAGE_TOKEN_REQUEST))).atomic(),
] };

static CSI_NODE_SPEC: Type = Type { name: "CSINodeSpec", atomic: false, fields: &[
    f("drivers", List(&Struct(&CSI_NODE_DRIVER))).merge().merge_key("name").list_map(&["name"]),
] };

static VOLUME_ATTACHMENT_SPEC: Type = Type { name: "VolumeAttachmentSpec", atomic: false, fields: &[
    f("source", Struct(&VOLUME_ATTACHMENT_SOURCE)),
] };

static VOLUME_ATTACHMENT_STATUS: Type = Type { name: "VolumeAttachmentStatus", atomic: false, fields: &[
    f("attachmentMetadata", Map(&Scalar)),
    f("attachError", Struct(&VOLUME_ERROR)),
    f("detachError", Struct(&VOLUME_ERROR)),
] };

static CERTIFICATE_SIGNING_REQUEST_SPEC: Type = Type { name: "CertificateSigningRequestSpec", atomic: false, fields: &[
    f("request", List(&Scalar)),
    f("usages", List(&Scalar)).atomic(),
    f("groups", List(&Scalar)).atomic(),
    f("extra", Map(&List(&Scalar))),
] };

static CERTIFICATE_SIGNING_REQUEST_STATUS: Type = Type { name: "CertificateSigningRequestStatus", atomic: false, fields: &[
    f("conditions", List(&Struct(&CERTIFICATE_SIGNING_REQUEST_CONDITION))).list_map(&["type"]),
    f("certificate", List(&Scalar)),
] };

static LABEL_SELECTOR: Type = Type { name: "LabelSelector", atomic: true, fields: &[
    f("matchLabels", Map(&Scalar)),
    f("matchExpressions", List(&Struct(&LABEL_SELECTOR_REQUIREMENT))).atomic(),
] };

static POD_TEMPLATE_SPEC: Type = Type { name: "PodTemplateSpec", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&POD_SPEC)),
] };

static OVERHEAD: Type = Type { name: "Overhead", atomic: false, fields: &[
    f("podFixed", Map(&Scalar)),
] };

static SCHEDULING: Type = Type { name: "Scheduling", atomic: false, fields: &[
    f("nodeSelector", Map(&Scalar)).atomic(),
    f("tolerations", List(&Struct(&TOLERATION))).atomic(),
] };

static SERVICE_CIDR_SPEC: Type = Type { name: "ServiceCIDRSpec", atomic: false, fields: &[
    f("cidrs", List(&Scalar)).atomic(),
] };

static SERVICE_CIDR_STATUS: Type = Type { name: "ServiceCIDRStatus", atomic: false, fields: &[
    f("conditions", List(&Struct(&CONDITION))).merge().merge_key("type").list_map(&["type"]),
] };

static IP_ADDRESS_SPEC: Type = Type { name: "IPAddressSpec", atomic: false, fields: &[
    f("parentRef", Struct(&PARENT_REFERENCE)),
] };

static VALIDATING_ADMISSION_POLICY_SPEC: Type = Type { name: "ValidatingAdmissionPolicySpec", atomic: false, fields: &[
    f("paramKind", Struct(&PARAM_KIND)),
    f("matchConstraints", Struct(&MATCH_RESOURCES)),
    f("validations", List(&Struct(&VALIDATION))).atomic(),
    f("auditAnnotations", List(&Struct(&AUDIT_ANNOTATION))).atomic(),
    f("matchConditions", List(&Struct(&MATCH_CONDITION))).merge().merge_key("name").list_map(&["name"]),
    f("variables", List(&Struct(&VARIABLE))).merge().merge_key("name").list_map(&["name"]),
] };

static VALIDATING_ADMISSION_POLICY_STATUS: Type = Type { name: "ValidatingAdmissionPolicyStatus", atomic: false, fields: &[
    f("typeChecking", Struct(&TYPE_CHECKING)),
    f("conditions", List(&Struct(&CONDITION))).list_map(&["type"]),
] };

static VALIDATING_ADMISSION_POLICY_BINDING_SPEC: Type = Type { name: "ValidatingAdmissionPolicyBindingSpec", atomic: false, fields: &[
    f("paramRef", Struct(&PARAM_REF)),
    f("matchResources", Struct(&MATCH_RESOURCES)),
    f("validationActions", List(&Scalar)).list_set(),
] };

static MUTATING_ADMISSION_POLICY_SPEC: Type = Type { name: "MutatingAdmissionPolicySpec", atomic: false, fields: &[
    f("paramKind", Struct(&PARAM_KIND)),
    f("matchConstraints", Struct(&MATCH_RESOURCES)),
    f("variables", List(&Struct(&VARIABLE))).atomic(),
    f("mutations", List(&Struct(&MUTATION))).atomic(),
    f("matchConditions", List(&Struct(&MATCH_CONDITION))).merge().merge_key("name").list_map(&["name"]),
] };

static MUTATING_ADMISSION_POLICY_BINDING_SPEC: Type = Type { name: "MutatingAdmissionPolicyBindingSpec", atomic: false, fields: &[
    f("paramRef", Struct(&PARAM_REF)),
    f("matchResources", Struct(&MATCH_RESOURCES)),
] };

static RESOURCE_CLAIM_SPEC: Type = Type { name: "ResourceClaimSpec", atomic: false, fields: &[
    f("devices", Struct(&DEVICE_CLAIM)),
] };

static RESOURCE_CLAIM_STATUS: Type = Type { name: "ResourceClaimStatus", atomic: false, fields: &[
    f("allocation", Struct(&ALLOCATION_RESULT)),
    f("reservedFor", List(&Struct(&RESOURCE_CLAIM_CONSUMER_REFERENCE))).merge().merge_key("uid").list_map(&["uid"]),
    f("devices", List(&Struct(&ALLOCATED_DEVICE_STATUS))).list_map(&["driver", "device", "pool", "shareID"]),
] };

static RESOURCE_CLAIM_TEMPLATE_SPEC: Type = Type { name: "ResourceClaimTemplateSpec", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&RESOURCE_CLAIM_SPEC)),
] };

static DEVICE_CLASS_SPEC: Type = Type { name: "DeviceClassSpec", atomic: false, fields: &[
    f("selectors", List(&Struct(&DEVICE_SELECTOR))).atomic(),
    f("config", List(&Struct(&DEVICE_CLASS_CONFIGURATION))).atomic(),
] };

static RESOURCE_SLICE_SPEC: Type = Type { name: "ResourceSliceSpec", atomic: false, fields: &[
    f("pool", Struct(&RESOURCE_POOL)),
    f("nodeSelector", Struct(&NODE_SELECTOR)),
    f("devices", List(&Struct(&DEVICE))).atomic(),
    f("sharedCounters", List(&Struct(&COUNTER_SET))).atomic(),
] };

static HORIZONTAL_POD_AUTOSCALER_SPEC: Type = Type { name: "HorizontalPodAutoscalerSpec", atomic: false, fields: &[
    f("scaleTargetRef", Struct(&CROSS_VERSION_OBJECT_REFERENCE)),
] };

static HORIZONTAL_POD_AUTOSCALER_STATUS: Type = Type { name: "HorizontalPodAutoscalerStatus", atomic: false, fields: &[] };

static EVENTS_EVENT_SERIES: Type = Type { name: "EventSeries", atomic: false, fields: &[] };

static OWNER_REFERENCE: Type = Type { name: "OwnerReference", atomic: true, fields: &[] };

static MANAGED_FIELDS_ENTRY: Type = Type { name: "ManagedFieldsEntry", atomic: false, fields: &[] };

static NAMESPACE_CONDITION: Type = Type { name: "NamespaceCondition", atomic: false, fields: &[] };

static TAINT: Type = Type { name: "Taint", atomic: false, fields: &[] };

static NODE_CONFIG_SOURCE: Type = Type { name: "NodeConfigSource", atomic: false, fields: &[
    f("configMap", Struct(&CONFIG_MAP_NODE_CONFIG_SOURCE)),
] };

static NODE_CONDITION: Type = Type { name: "NodeCondition", atomic: false, fields: &[] };

static NODE_ADDRESS: Type = Type { name: "NodeAddress", atomic: false, fields: &[] };

static NODE_DAEMON_ENDPOINTS: Type = Type { name: "NodeDaemonEndpoints", atomic: false, fields: &[
    f("kubeletEndpoint", Struct(&DAEMON_ENDPOINT)),
] };

static NODE_SYSTEM_INFO: Type = Type { name: "NodeSystemInfo", atomic: false, fields: &[
    f("swap", Struct(&NODE_SWAP_STATUS)),
] };

static CONTAINER_IMAGE: Type = Type { name: "ContainerImage", atomic: false, fields: &[
    f("names", List(&Scalar)).atomic(),
] };

static ATTACHED_VOLUME: Type = Type { name: "AttachedVolume", atomic: false, fields: &[] };

static NODE_CONFIG_STATUS: Type = Type { name: "NodeConfigStatus", atomic: false, fields: &[
    f("assigned", Struct(&NODE_CONFIG_SOURCE)),
    f("active", Struct(&NODE_CONFIG_SOURCE)),
    f("lastKnownGood", Struct(&NODE_CONFIG_SOURCE)),
] };

static NODE_RUNTIME_HANDLER: Type = Type { name: "NodeRuntimeHandler", atomic: false, fields: &[
    f("features", Struct(&NODE_RUNTIME_HANDLER_FEATURES)),
] };

static NODE_FEATURES: Type = Type { name: "NodeFeatures", atomic: false, fields: &[] };

static VOLUME: Type = Type { name: "Volume", atomic: false, fields: &[
    f("hostPath", Struct(&HOST_PATH_VOLUME_SOURCE)),
    f("emptyDir", Struct(&EMPTY_DIR_VOLUME_SOURCE)),
    f("gcePersistentDisk", Struct(&GCE_PERSISTENT_DISK_VOLUME_SOURCE)),
    f("awsElasticBlockStore", Struct(&AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE)),
    f("gitRepo", Struct(&GIT_REPO_VOLUME_SOURCE)),
    f("secret", Struct(&SECRET_VOLUME_SOURCE)),
    f("nfs", Struct(&NFS_VOLUME_SOURCE)),
    f("iscsi", Struct(&ISCSI_VOLUME_SOURCE)),
    f("glusterfs", Struct(&GLUSTERFS_VOLUME_SOURCE)),
    f("persistentVolumeClaim", Struct(&PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE)),
    f("rbd", Struct(&RBD_VOLUME_SOURCE)),
    f("flexVolume", Struct(&FLEX_VOLUME_SOURCE)),
    f("cinder", Struct(&CINDER_VOLUME_SOURCE)),
    f("cephfs", Struct(&CEPH_FS_VOLUME_SOURCE)),
    f("flocker", Struct(&FLOCKER_VOLUME_SOURCE)),
    f("downwardAPI", Struct(&DOWNWARD_API_VOLUME_SOURCE)),
    f("fc", Struct(&FC_VOLUME_SOURCE)),
    f("azureFile", Struct(&AZURE_FILE_VOLUME_SOURCE)),
    f("configMap", Struct(&CONFIG_MAP_VOLUME_SOURCE)),
    f("vsphereVolume", Struct(&VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE)),
    f("quobyte", Struct(&QUOBYTE_VOLUME_SOURCE)),
    f("azureDisk", Struct(&AZURE_DISK_VOLUME_SOURCE)),
    f("photonPersistentDisk", Struct(&PHOTON_PERSISTENT_DISK_VOLUME_SOURCE)),
    f("projected", Struct(&PROJECTED_VOLUME_SOURCE)),
    f("portworxVolume", Struct(&PORTWORX_VOLUME_SOURCE)),
    f("scaleIO", Struct(&SCALE_IO_VOLUME_SOURCE)),
    f("storageos", Struct(&STORAGE_OS_VOLUME_SOURCE)),
    f("csi", Struct(&CSI_VOLUME_SOURCE)),
    f("ephemeral", Struct(&EPHEMERAL_VOLUME_SOURCE)),
    f("image", Struct(&IMAGE_VOLUME_SOURCE)),
] };

static CONTAINER: Type = Type { name: "Container", atomic: false, fields: &[
    f("command", List(&Scalar)).atomic(),
    f("args", List(&Scalar)).atomic(),
    f("ports", List(&Struct(&CONTAINER_PORT))).merge().merge_key("containerPort").list_map(&["containerPort", "protocol"]),
    f("envFrom", List(&Struct(&ENV_FROM_SOURCE))).atomic(),
    f("env", List(&Struct(&ENV_VAR))).merge().merge_key("name").list_map(&["name"]),
    f("resources", Struct(&RESOURCE_REQUIREMENTS)),
    f("resizePolicy", List(&Struct(&CONTAINER_RESIZE_POLICY))).atomic(),
    f("restartPolicyRules", List(&Struct(&CONTAINER_RESTART_RULE))).atomic(),
    f("volumeMounts", List(&Struct(&VOLUME_MOUNT))).merge().merge_key("mountPath").list_map(&["mountPath"]),
    f("volumeDevices", List(&Struct(&VOLUME_DEVICE))).merge().merge_key("devicePath").list_map(&["devicePath"]),
    f("livenessProbe", Struct(&PROBE)),
    f("readinessProbe", Struct(&PROBE)),
    f("startupProbe", Struct(&PROBE)),
    f("lifecycle", Struct(&LIFECYCLE)),
    f("securityContext", Struct(&SECURITY_CONTEXT)),
] };

static EPHEMERAL_CONTAINER: Type = Type { name: "EphemeralContainer", atomic: false, fields: &[
    f("command", List(&Scalar)).atomic(),
    f("args", List(&Scalar)).atomic(),
    f("ports", List(&Struct(&CONTAINER_PORT))).merge().merge_key("containerPort").list_map(&["containerPort", "protocol"]),
    f("envFrom", List(&Struct(&ENV_FROM_SOURCE))).atomic(),
    f("env", List(&Struct(&ENV_VAR))).merge().merge_key("name").list_map(&["name"]),
    f("resources", Struct(&RESOURCE_REQUIREMENTS)),
    f("resizePolicy", List(&Struct(&CONTAINER_RESIZE_POLICY))).atomic(),
    f("restartPolicyRules", List(&Struct(&CONTAINER_RESTART_RULE))).atomic(),
    f("volumeMounts", List(&Struct(&VOLUME_MOUNT))).merge().merge_key("mountPath").list_map(&["mountPath"]),
    f("volumeDevices", List(&Struct(&VOLUME_DEVICE))).merge().merge_key("devicePath").list_map(&["devicePath"]),
    f("livenessProbe", Struct(&PROBE)),
    f("readinessProbe", Struct(&PROBE)),
    f("startupProbe", Struct(&PROBE)),
    f("lifecycle", Struct(&LIFECYCLE)),
    f("securityContext", Struct(&SECURITY_CONTEXT)),
] };

static POD_SECURITY_CONTEXT: Type = Type { name: "PodSecurityContext", atomic: false, fields: &[
    f("seLinuxOptions", Struct(&SE_LINUX_OPTIONS)),
    f("windowsOptions", Struct(&WINDOWS_SECURITY_CONTEXT_OPTIONS)),
    f("supplementalGroups", List(&Scalar)).atomic(),
    f("sysctls", List(&Struct(&SYSCTL))).atomic(),
    f("seccompProfile", Struct(&SECCOMP_PROFILE)),
    f("appArmorProfile", Struct(&APP_ARMOR_PROFILE)),
] };

static AFFINITY: Type = Type { name: "Affinity", atomic: false, fields: &[
    f("nodeAffinity", Struct(&NODE_AFFINITY)),
    f("podAffinity", Struct(&POD_AFFINITY)),
    f("podAntiAffinity", Struct(&POD_ANTI_AFFINITY)),
] };

static TOLERATION: Type = Type { name: "Toleration", atomic: false, fields: &[] };

static HOST_ALIAS: Type = Type { name: "HostAlias", atomic: false, fields: &[
    f("hostnames", List(&Scalar)).atomic(),
] };

static POD_DNS_CONFIG: Type = Type { name: "PodDNSConfig", atomic: false, fields: &[
    f("nameservers", List(&Scalar)).atomic(),
    f("searches", List(&Scalar)).atomic(),
    f("options", List(&Struct(&POD_DNS_CONFIG_OPTION))).atomic(),
] };

static POD_READINESS_GATE: Type = Type { name: "PodReadinessGate", atomic: false, fields: &[] };

static TOPOLOGY_SPREAD_CONSTRAINT: Type = Type { name: "TopologySpreadConstraint", atomic: false, fields: &[
    f("labelSelector", Struct(&LABEL_SELECTOR)),
    f("matchLabelKeys", List(&Scalar)).atomic(),
] };

static POD_OS: Type = Type { name: "PodOS", atomic: false, fields: &[] };

static POD_SCHEDULING_GATE: Type = Type { name: "PodSchedulingGate", atomic: false, fields: &[] };

static POD_RESOURCE_CLAIM: Type = Type { name: "PodResourceClaim", atomic: false, fields: &[] };

static RESOURCE_REQUIREMENTS: Type = Type { name: "ResourceRequirements", atomic: false, fields: &[
    f("limits", Map(&Scalar)),
    f("requests", Map(&Scalar)),
    f("claims", List(&Struct(&RESOURCE_CLAIM))).list_map(&["name"]),
] };

static POD_SCHEDULING_GROUP: Type = Type { name: "PodSchedulingGroup", atomic: false, fields: &[] };

static POD_CONDITION: Type = Type { name: "PodCondition", atomic: false, fields: &[] };

static HOST_IP: Type = Type { name: "HostIP", atomic: false, fields: &[] };

static POD_IP: Type = Type { name: "PodIP", atomic: false, fields: &[] };

static CONTAINER_STATUS: Type = Type { name: "ContainerStatus", atomic: false, fields: &[
    f("state", Struct(&CONTAINER_STATE)),
    f("lastState", Struct(&CONTAINER_STATE)),
    f("allocatedResources", Map(&Scalar)),
    f("resources", Struct(&RESOURCE_REQUIREMENTS)),
    f("volumeMounts", List(&Struct(&VOLUME_MOUNT_STATUS))).merge().merge_key("mountPath").list_map(&["mountPath"]),
    f("user", Struct(&CONTAINER_USER)),
    f("allocatedResourcesStatus", List(&Struct(&RESOURCE_STATUS))).merge().merge_key("name").list_map(&["name"]),
] };

static POD_RESOURCE_CLAIM_STATUS: Type = Type { name: "PodResourceClaimStatus", atomic: false, fields: &[] };

static POD_EXTENDED_RESOURCE_CLAIM_STATUS: Type = Type { name: "PodExtendedResourceClaimStatus", atomic: false, fields: &[
    f("requestMappings", List(&Struct(&CONTAINER_EXTENDED_RESOURCE_REQUEST))).atomic(),
] };

static NODE_ALLOCATABLE_RESOURCE_CLAIM_STATUS: Type = Type { name: "NodeAllocatableResourceClaimStatus", atomic: false, fields: &[
    f("containers", List(&Scalar)).list_set(),
    f("resources", Map(&Scalar)),
] };

static SERVICE_PORT: Type = Type { name: "ServicePort", atomic: false, fields: &[] };

static SESSION_AFFINITY_CONFIG: Type = Type { name: "SessionAffinityConfig", atomic: false, fields: &[
    f("clientIP", Struct(&CLIENT_IP_CONFIG)),
] };

static LOAD_BALANCER_STATUS: Type = Type { name: "LoadBalancerStatus", atomic: false, fields: &[
    f("ingress", List(&Struct(&LOAD_BALANCER_INGRESS))).atomic(),
] };

static CONDITION: Type = Type { name: "Condition", atomic: false, fields: &[] };

static ENDPOINT_ADDRESS: Type = Type { name: "EndpointAddress", atomic: true, fields: &[
    f("targetRef", Struct(&OBJECT_REFERENCE)),
] };

static ENDPOINT_PORT: Type = Type { name: "EndpointPort", atomic: true, fields: &[] };

static ENDPOINT_CONDITIONS: Type = Type { name: "EndpointConditions", atomic: false, fields: &[] };

static ENDPOINT_HINTS: Type = Type { name: "EndpointHints", atomic: false, fields: &[
    f("forZones", List(&Struct(&FOR_ZONE))).atomic(),
    f("forNodes", List(&Struct(&FOR_NODE))).atomic(),
] };

static VOLUME_RESOURCE_REQUIREMENTS: Type = Type { name: "VolumeResourceRequirements", atomic: false, fields: &[
    f("limits", Map(&Scalar)),
    f("requests", Map(&Scalar)),
] };

static TYPED_LOCAL_OBJECT_REFERENCE: Type = Type { name: "TypedLocalObjectReference", atomic: true, fields: &[] };

static TYPED_OBJECT_REFERENCE: Type = Type { name: "TypedObjectReference", atomic: false, fields: &[] };

static PERSISTENT_VOLUME_CLAIM_CONDITION: Type = Type { name: "PersistentVolumeClaimCondition", atomic: false, fields: &[] };

static MODIFY_VOLUME_STATUS: Type = Type { name: "ModifyVolumeStatus", atomic: false, fields: &[] };

static GCE_PERSISTENT_DISK_VOLUME_SOURCE: Type = Type { name: "GCEPersistentDiskVolumeSource", atomic: false, fields: &[] };

static AWS_ELASTIC_BLOCK_STORE_VOLUME_SOURCE: Type = Type { name: "AWSElasticBlockStoreVolumeSource", atomic: false, fields: &[] };

static HOST_PATH_VOLUME_SOURCE: Type = Type { name: "HostPathVolumeSource", atomic: false, fields: &[] };

static GLUSTERFS_PERSISTENT_VOLUME_SOURCE: Type = Type { name: "GlusterfsPersistentVolumeSource", atomic: false, fields: &[] };

static NFS_VOLUME_SOURCE: Type = Type { name: "NFSVolumeSource", atomic: false, fields: &[] };

static RBD_PERSISTENT_VOLUME_SOURCE: Type = Type { name: "RBDPersistentVolumeSource", atomic: false, fields: &[
    f("monitors", List(&Scalar)).atomic(),
    f("secretRef", Struct(&SECRET_REFERENCE)),
] };

static ISCSI_PERSISTENT_VOLUME_SOURCE: Type = Type { name: "ISCSIPersistentVolumeSource", atomic: false, fields: &[
    f("portals", List(&Scalar)).atomic(),
    f("secretRef", Struct(&SECRET_REFERENCE)),
] };

static CINDER_PERSISTENT_VOLUME_SOURCE: Type = Type { name: "CinderPersistentVolumeSource", atomic: false, fields: &[
    f("secretRef", Struct(&SECRET_REFERENCE)),
] };

static CEPH_FS_PERSISTENT_VOLUME_SOURCE: Type = Type { name: "CephFSPersistentVolumeSource", atomic: false, fields: &[
    f("monitors", List(&Scalar)).atomic(),
    f("secretRef", Struct(&SECRET_REFERENCE)),
] };

static FC_VOLUME_SOURCE: Type = Type { name: "FCVolumeSource", atomic: false, fields: &[
    f("targetWWNs", List(&Scalar)).atomic(),
    f("wwids", List(&Scalar)).atomic(),
] };

static FLOCKER_VOLUME_SOURCE: Type = Type { name: "FlockerVolumeSource", atomic: false, fields: &[] };

static FLEX_PERSISTENT_VOLUME_SOURCE: Type = Type { name: "FlexPersistentVolumeSource", atomic: false, fields: &[
    f("secretRef", Struct(&SECRET_REFERENCE)),
    f("options", Map(&Scalar)),
] };

static AZURE_FILE_PERSISTENT_VOLUME_SOURCE: Type = Type { name: "AzureFilePersistentVolumeSource", atomic: false, fields: &[] };

static VSPHERE_VIRTUAL_DISK_VOLUME_SOURCE: Type = Type { name: "VsphereVirtualDiskVolumeSource", atomic: false, fields: &[] };

static QUOBYTE_VOLUME_SOURCE: Type = Type { name: "QuobyteVolumeSource", atomic: false, fields: &[] };

static AZURE_DISK_VOLUME_SOURCE: Type = Type { name: "AzureDiskVolumeSource", atomic: false, fields: &[] };

static PHOTON_PERSISTENT_DISK_VOLUME_SOURCE: Type = Type { name: "PhotonPersistentDiskVolumeSource", atomic: false, fields: &[] };

static PORTWORX_VOLUME_SOURCE: Type = Type { name: "PortworxVolumeSource", atomic: false, fields: &[] };

static SCALE_IO_PERSISTENT_VOLUME_SOURCE: Type = Type { name: "ScaleIOPersistentVolumeSource", atomic: false, fields: &[
    f("secretRef", Struct(&SECRET_REFERENCE)),
] };

static LOCAL_VOLUME_SOURCE: Type = Type { name: "LocalVolumeSource", atomic: false, fields: &[] };

static STORAGE_OS_PERSISTENT_VOLUME_SOURCE: Type = Type { name: "StorageOSPersistentVolumeSource", atomic: false, fields: &[
    f("secretRef", Struct(&OBJECT_REFERENCE)),
] };

static CSI_PERSISTENT_VOLUME_SOURCE: Type = Type { name: "CSIPersistentVolumeSource", atomic: false, fields: &[
    f("volumeAttributes", Map(&Scalar)),
    f("controllerPublishSecretRef", Struct(&SECRET_REFERENCE)),
    f("nodeStageSecretRef", Struct(&SECRET_REFERENCE)),
    f("nodePublishSecretRef", Struct(&SECRET_REFERENCE)),
    f("controllerExpandSecretRef", Struct(&SECRET_REFERENCE)),
    f("nodeExpandSecretRef", Struct(&SECRET_REFERENCE)),
] };

static VOLUME_NODE_AFFINITY: Type = Type { name: "VolumeNodeAffinity", atomic: false, fields: &[
    f("required", Struct(&NODE_SELECTOR)),
] };

static TOPOLOGY_SELECTOR_LABEL_REQUIREMENT: Type = Type { name: "TopologySelectorLabelRequirement", atomic: false, fields: &[
    f("values", List(&Scalar)).atomic(),
] };

static DEPLOYMENT_STRATEGY: Type = Type { name: "DeploymentStrategy", atomic: false, fields: &[
    f("rollingUpdate", Struct(&ROLLING_UPDATE_DEPLOYMENT)),
] };

static DEPLOYMENT_CONDITION: Type = Type { name: "DeploymentCondition", atomic: false, fields: &[] };

static REPLICA_SET_CONDITION: Type = Type { name: "ReplicaSetCondition", atomic: false, fields: &[] };

static STATEFUL_SET_UPDATE_STRATEGY: Type = Type { name: "StatefulSetUpdateStrategy", atomic: false, fields: &[
    f("rollingUpdate", Struct(&ROLLING_UPDATE_STATEFUL_SET_STRATEGY)),
] };

static STATEFUL_SET_PERSISTENT_VOLUME_CLAIM_RETENTION_POLICY: Type = Type { name: "StatefulSetPersistentVolumeClaimRetentionPolicy", atomic: false, fields: &[] };

static STATEFUL_SET_ORDINALS: Type = Type { name: "StatefulSetOrdinals", atomic: false, fields: &[] };

static STATEFUL_SET_CONDITION: Type = Type { name: "StatefulSetCondition", atomic: false, fields: &[] };

static DAEMON_SET_UPDATE_STRATEGY: Type = Type { name: "DaemonSetUpdateStrategy", atomic: false, fields: &[
    f("rollingUpdate", Struct(&ROLLING_UPDATE_DAEMON_SET)),
] };

static DAEMON_SET_CONDITION: Type = Type { name: "DaemonSetCondition", atomic: false, fields: &[] };

static POD_FAILURE_POLICY: Type = Type { name: "PodFailurePolicy", atomic: false, fields: &[
    f("rules", List(&Struct(&POD_FAILURE_POLICY_RULE))).atomic(),
] };

static SUCCESS_POLICY: Type = Type { name: "SuccessPolicy", atomic: false, fields: &[
    f("rules", List(&Struct(&SUCCESS_POLICY_RULE))).atomic(),
] };

static JOB_CONDITION: Type = Type { name: "JobCondition", atomic: false, fields: &[] };

static UNCOUNTED_TERMINATED_PODS: Type = Type { name: "UncountedTerminatedPods", atomic: false, fields: &[
    f("succeeded", List(&Scalar)).list_set(),
    f("failed", List(&Scalar)).list_set(),
] };

static JOB_TEMPLATE_SPEC: Type = Type { name: "JobTemplateSpec", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&JOB_SPEC)),
] };

static AUTOSCALINGV2_CROSS_VERSION_OBJECT_REFERENCE: Type = Type { name: "CrossVersionObjectReference", atomic: false, fields: &[] };

static AUTOSCALINGV2_METRIC_SPEC: Type = Type { name: "MetricSpec", atomic: false, fields: &[
    f("object", Struct(&AUTOSCALINGV2_OBJECT_METRIC_SOURCE)),
    f("pods", Struct(&AUTOSCALINGV2_PODS_METRIC_SOURCE)),
    f("resource", Struct(&AUTOSCALINGV2_RESOURCE_METRIC_SOURCE)),
    f("containerResource", Struct(&AUTOSCALINGV2_CONTAINER_RESOURCE_METRIC_SOURCE)),
    f("external", Struct(&AUTOSCALINGV2_EXTERNAL_METRIC_SOURCE)),
] };

static HORIZONTAL_POD_AUTOSCALER_BEHAVIOR: Type = Type { name: "HorizontalPodAutoscalerBehavior", atomic: false, fields: &[
    f("scaleUp", Struct(&HPA_SCALING_RULES)),
    f("scaleDown", Struct(&HPA_SCALING_RULES)),
] };

static AUTOSCALINGV2_METRIC_STATUS: Type = Type { name: "MetricStatus", atomic: false, fields: &[
    f("object", Struct(&AUTOSCALINGV2_OBJECT_METRIC_STATUS)),
    f("pods", Struct(&AUTOSCALINGV2_PODS_METRIC_STATUS)),
    f("resource", Struct(&AUTOSCALINGV2_RESOURCE_METRIC_STATUS)),
    f("containerResource", Struct(&AUTOSCALINGV2_CONTAINER_RESOURCE_METRIC_STATUS)),
    f("external", Struct(&AUTOSCALINGV2_EXTERNAL_METRIC_STATUS)),
] };

static AUTOSCALINGV2_HORIZONTAL_POD_AUTOSCALER_CONDITION: Type = Type { name: "HorizontalPodAutoscalerCondition", atomic: false, fields: &[] };

static LIMIT_RANGE_ITEM: Type = Type { name: "LimitRangeItem", atomic: false, fields: &[
    f("max", Map(&Scalar)),
    f("min", Map(&Scalar)),
    f("default", Map(&Scalar)),
    f("defaultRequest", Map(&Scalar)),
    f("maxLimitRequestRatio", Map(&Scalar)),
] };

static SCOPE_SELECTOR: Type = Type { name: "ScopeSelector", atomic: true, fields: &[
    f("matchExpressions", List(&Struct(&SCOPED_RESOURCE_SELECTOR_REQUIREMENT))).atomic(),
] };

static REPLICATION_CONTROLLER_CONDITION: Type = Type { name: "ReplicationControllerCondition", atomic: false, fields: &[] };

static INGRESS_BACKEND: Type = Type { name: "IngressBackend", atomic: false, fields: &[
    f("service", Struct(&INGRESS_SERVICE_BACKEND)),
    f("resource", Struct(&TYPED_LOCAL_OBJECT_REFERENCE)),
] };

static INGRESS_TLS: Type = Type { name: "IngressTLS", atomic: false, fields: &[
    f("hosts", List(&Scalar)).atomic(),
] };

static INGRESS_RULE: Type = Type { name: "IngressRule", atomic: false, fields: &[
    f("http", Struct(&HTTP_INGRESS_RULE_VALUE)),
] };

static INGRESS_LOAD_BALANCER_STATUS: Type = Type { name: "IngressLoadBalancerStatus", atomic: false, fields: &[
    f("ingress", List(&Struct(&INGRESS_LOAD_BALANCER_INGRESS))).atomic(),
] };

static INGRESS_CLASS_PARAMETERS_REFERENCE: Type = Type { name: "IngressClassParametersReference", atomic: false, fields: &[] };

static NETWORK_POLICY_INGRESS_RULE: Type = Type { name: "NetworkPolicyIngressRule", atomic: false, fields: &[
    f("ports", List(&Struct(&NETWORK_POLICY_PORT))).atomic(),
    f("from", List(&Struct(&NETWORK_POLICY_PEER))).atomic(),
] };

static NETWORK_POLICY_EGRESS_RULE: Type = Type { name: "NetworkPolicyEgressRule", atomic: false, fields: &[
    f("ports", List(&Struct(&NETWORK_POLICY_PORT))).atomic(),
    f("to", List(&Struct(&NETWORK_POLICY_PEER))).atomic(),
] };

static CUSTOM_RESOURCE_DEFINITION_NAMES: Type = Type { name: "CustomResourceDefinitionNames", atomic: false, fields: &[
    f("shortNames", List(&Scalar)).atomic(),
    f("categories", List(&Scalar)).atomic(),
] };

static CUSTOM_RESOURCE_DEFINITION_VERSION: Type = Type { name: "CustomResourceDefinitionVersion", atomic: false, fields: &[
    f("schema", Struct(&CUSTOM_RESOURCE_VALIDATION)),
    f("subresources", Struct(&CUSTOM_RESOURCE_SUBRESOURCES)),
    f("additionalPrinterColumns", List(&Struct(&CUSTOM_RESOURCE_COLUMN_DEFINITION))).atomic(),
    f("selectableFields", List(&Struct(&SELECTABLE_FIELD))).atomic(),
] };

static CUSTOM_RESOURCE_CONVERSION: Type = Type { name: "CustomResourceConversion", atomic: false, fields: &[
    f("webhook", Struct(&WEBHOOK_CONVERSION)),
] };

static CUSTOM_RESOURCE_DEFINITION_CONDITION: Type = Type { name: "CustomResourceDefinitionCondition", atomic: false, fields: &[] };

static STORAGE_TOKEN_REQUEST: Type = Type { name: "TokenRequest", atomic: false, fields: &[] };

static CSI_NODE_DRIVER: Type = Type { name: "CSINodeDriver", atomic: false, fields: &[
    f("topologyKeys", List(&Scalar)).atomic(),
    f("allocatable", Struct(&VOLUME_NODE_RESOURCES)),
] };

static VOLUME_ATTACHMENT_SOURCE: Type = Type { name: "VolumeAttachmentSource", atomic: false, fields: &[
    f("inlineVolumeSpec", Struct(&PERSISTENT_VOLUME_SPEC)),
] };

static VOLUME_ERROR: Type = Type { name: "VolumeError", atomic: false, fields: &[] };

static CERTIFICATE_SIGNING_REQUEST_CONDITION: Type = Type { name: "CertificateSigningRequestCondition", atomic: false, fields: &[] };

static LABEL_SELECTOR_REQUIREMENT: Type = Type { name: "LabelSelectorRequirement", atomic: false, fields: &[
    f("values", List(&Scalar)).atomic(),
] };

static PARENT_REFERENCE: Type = Type { name: "ParentReference", atomic: false, fields: &[] };

static PARAM_KIND: Type = Type { name: "ParamKind", atomic: true, fields: &[] };

static MATCH_RESOURCES: Type = Type { name: "MatchResources", atomic: true, fields: &[
    f("namespaceSelector", Struct(&LABEL_SELECTOR)),
    f("objectSelector", Struct(&LABEL_SELECTOR)),
    f("resourceRules", List(&Struct(&NAMED_RULE_WITH_OPERATIONS))).atomic(),
    f("excludeResourceRules", List(&Struct(&NAMED_RULE_WITH_OPERATIONS))).atomic(),
] };

static VALIDATION: Type = Type { name: "Validation", atomic: false, fields: &[] };

static AUDIT_ANNOTATION: Type = Type { name: "AuditAnnotation", atomic: false, fields: &[] };

static MATCH_CONDITION: Type = Type { name: "MatchCondition", atomic: false, fields: &[] };

static VARIABLE: Type = Type { name: "Variable", atomic: true, fields: &[] };

static TYPE_CHECKING: Type = Type { name: "TypeChecking", atomic: false, fields: &[
    f("expressionWarnings", List(&Struct(&EXPRESSION_WARNING))).atomic(),
] };

static PARAM_REF: Type = Type { name: "ParamRef", atomic: true, fields: &[
    f("selector", Struct(&LABEL_SELECTOR)),
] };

static MUTATION: Type = Type { name: "Mutation", atomic: false, fields: &[
    f("applyConfiguration", Struct(&APPLY_CONFIGURATION)),
    f("jsonPatch", Struct(&JSON_PATCH)),
] };

static DEVICE_CLAIM: Type = Type { name: "DeviceClaim", atomic: false, fields: &[
    f("requests", List(&Struct(&DEVICE_REQUEST))).atomic(),
    f("constraints", List(&Struct(&DEVICE_CONSTRAINT))).atomic(),
    f("config", List(&Struct(&DEVICE_CLAIM_CONFIGURATION))).atomic(),
] };

static ALLOCATION_RESULT: Type = Type { name: "AllocationResult", atomic: false, fields: &[
    f("devices", Struct(&DEVICE_ALLOCATION_RESULT)),
    f("nodeSelector", Struct(&NODE_SELECTOR)),
] };

static RESOURCE_CLAIM_CONSUMER_REFERENCE: Type = Type { name: "ResourceClaimConsumerReference", atomic: false, fields: &[] };

static ALLOCATED_DEVICE_STATUS: Type = Type { name: "AllocatedDeviceStatus", atomic: false, fields: &[
    f("conditions", List(&Struct(&CONDITION))).list_map(&["type"]),
    f("networkData", Struct(&NETWORK_DEVICE_DATA)),
] };

static DEVICE_SELECTOR: Type = Type { name: "DeviceSelector", atomic: false, fields: &[
    f("cel", Struct(&CEL_DEVICE_SELECTOR)),
] };

static DEVICE_CLASS_CONFIGURATION: Type = Type { name: "DeviceClassConfiguration", atomic: false, fields: &[
    f("opaque", Struct(&OPAQUE_DEVICE_CONFIGURATION)),
] };

static RESOURCE_POOL: Type = Type { name: "ResourcePool", atomic: false, fields: &[] };

static NODE_SELECTOR: Type = Type { name: "NodeSelector", atomic: true, fields: &[
    f("nodeSelectorTerms", List(&Struct(&NODE_SELECTOR_TERM))).atomic(),
] };

static DEVICE: Type = Type { name: "Device", atomic: false, fields: &[
    f("attributes", Map(&Struct(&DEVICE_ATTRIBUTE))),
    f("capacity", Map(&Struct(&DEVICE_CAPACITY))),
    f("consumesCounters", List(&Struct(&DEVICE_COUNTER_CONSUMPTION))).atomic(),
    f("nodeSelector", Struct(&NODE_SELECTOR)),
    f("taints", List(&Struct(&DEVICE_TAINT))).atomic(),
    f("bindingConditions", List(&Scalar)).atomic(),
    f("bindingFailureConditions", List(&Scalar)).atomic(),
    f("nodeAllocatableResourceMappings", Map(&Struct(&NODE_ALLOCATABLE_RESOURCE_MAPPING))),
] };

static COUNTER_SET: Type = Type { name: "CounterSet", atomic: false, fields: &[
    f("counters", Map(&Struct(&COUNTER))),
] };

static CROSS_VERSION_OBJECT_REFERENCE: Type = Type { name: "CrossVersionObjectReference", atomic: true, fields: &[] };

static CONFIG_MAP_NODE_CONFIG_SOURCE: Type = Type { name: "ConfigMapNodeConfigSource", atomic: false, fields: &[] };

static DAEMON_ENDPOINT: Type = Type { name: "DaemonEndpoint", atomic: false, fields: &[] };

static NODE_SWAP_STATUS: Type = Type { name: "NodeSwapStatus", atomic: false, fields: &[] };

static NODE_RUNTIME_HANDLER_FEATURES: Type = Type { name: "NodeRuntimeHandlerFeatures", atomic: false, fields: &[] };

static EMPTY_DIR_VOLUME_SOURCE: Type = Type { name: "EmptyDirVolumeSource", atomic: false, fields: &[] };

static GIT_REPO_VOLUME_SOURCE: Type = Type { name: "GitRepoVolumeSource", atomic: false, fields: &[] };

static SECRET_VOLUME_SOURCE: Type = Type { name: "SecretVolumeSource", atomic: false, fields: &[
    f("items", List(&Struct(&KEY_TO_PATH))).atomic(),
] };

static ISCSI_VOLUME_SOURCE: Type = Type { name: "ISCSIVolumeSource", atomic: false, fields: &[
    f("portals", List(&Scalar)).atomic(),
    f("secretRef", Struct(&LOCAL_OBJECT_REFERENCE)),
] };

static GLUSTERFS_VOLUME_SOURCE: Type = Type { name: "GlusterfsVolumeSource", atomic: false, fields: &[] };

static PERSISTENT_VOLUME_CLAIM_VOLUME_SOURCE: Type = Type { name: "PersistentVolumeClaimVolumeSource", atomic: false, fields: &[] };

static RBD_VOLUME_SOURCE: Type = Type { name: "RBDVolumeSource", atomic: false, fields: &[
    f("monitors", List(&Scalar)).atomic(),
    f("secretRef", Struct(&LOCAL_OBJECT_REFERENCE)),
] };

static FLEX_VOLUME_SOURCE: Type = Type { name: "FlexVolumeSource", atomic: false, fields: &[
    f("secretRef", Struct(&LOCAL_OBJECT_REFERENCE)),
    f("options", Map(&Scalar)),
] };

static CINDER_VOLUME_SOURCE: Type = Type { name: "CinderVolumeSource", atomic: false, fields: &[
    f("secretRef", Struct(&LOCAL_OBJECT_REFERENCE)),
] };

static CEPH_FS_VOLUME_SOURCE: Type = Type { name: "CephFSVolumeSource", atomic: false, fields: &[
    f("monitors", List(&Scalar)).atomic(),
    f("secretRef", Struct(&LOCAL_OBJECT_REFERENCE)),
] };

static DOWNWARD_API_VOLUME_SOURCE: Type = Type { name: "DownwardAPIVolumeSource", atomic: false, fields: &[
    f("items", List(&Struct(&DOWNWARD_API_VOLUME_FILE))).atomic(),
] };

static AZURE_FILE_VOLUME_SOURCE: Type = Type { name: "AzureFileVolumeSource", atomic: false, fields: &[] };

static CONFIG_MAP_VOLUME_SOURCE: Type = Type { name: "ConfigMapVolumeSource", atomic: false, fields: &[
    f("items", List(&Struct(&KEY_TO_PATH))).atomic(),
] };

static PROJECTED_VOLUME_SOURCE: Type = Type { name: "ProjectedVolumeSource", atomic: false, fields: &[
    f("sources", List(&Struct(&VOLUME_PROJECTION))).atomic(),
] };

static SCALE_IO_VOLUME_SOURCE: Type = Type { name: "ScaleIOVolumeSource", atomic: false, fields: &[
    f("secretRef", Struct(&LOCAL_OBJECT_REFERENCE)),
] };

static STORAGE_OS_VOLUME_SOURCE: Type = Type { name: "StorageOSVolumeSource", atomic: false, fields: &[
    f("secretRef", Struct(&LOCAL_OBJECT_REFERENCE)),
] };

static CSI_VOLUME_SOURCE: Type = Type { name: "CSIVolumeSource", atomic: false, fields: &[
    f("volumeAttributes", Map(&Scalar)),
    f("nodePublishSecretRef", Struct(&LOCAL_OBJECT_REFERENCE)),
] };

static EPHEMERAL_VOLUME_SOURCE: Type = Type { name: "EphemeralVolumeSource", atomic: false, fields: &[
    f("volumeClaimTemplate", Struct(&PERSISTENT_VOLUME_CLAIM_TEMPLATE)),
] };

static IMAGE_VOLUME_SOURCE: Type = Type { name: "ImageVolumeSource", atomic: false, fields: &[] };

static CONTAINER_PORT: Type = Type { name: "ContainerPort", atomic: false, fields: &[] };

static ENV_FROM_SOURCE: Type = Type { name: "EnvFromSource", atomic: false, fields: &[
    f("configMapRef", Struct(&CONFIG_MAP_ENV_SOURCE)),
    f("secretRef", Struct(&SECRET_ENV_SOURCE)),
] };

static ENV_VAR: Type = Type { name: "EnvVar", atomic: false, fields: &[
    f("valueFrom", Struct(&ENV_VAR_SOURCE)),
] };

static CONTAINER_RESIZE_POLICY: Type = Type { name: "ContainerResizePolicy", atomic: false, fields: &[] };

static CONTAINER_RESTART_RULE: Type = Type { name: "ContainerRestartRule", atomic: false, fields: &[
    f("exitCodes", Struct(&CONTAINER_RESTART_RULE_ON_EXIT_CODES)),
] };

static VOLUME_MOUNT: Type = Type { name: "VolumeMount", atomic: false, fields: &[] };

static VOLUME_DEVICE: Type = Type { name: "VolumeDevice", atomic: false, fields: &[] };

static PROBE: Type = Type { name: "Probe", atomic: false, fields: &[
    f("exec", Struct(&EXEC_ACTION)),
    f("httpGet", Struct(&HTTP_GET_ACTION)),
    f("tcpSocket", Struct(&TCP_SOCKET_ACTION)),
    f("grpc", Struct(&GRPC_ACTION)),
] };

static LIFECYCLE: Type = Type { name: "Lifecycle", atomic: false, fields: &[
    f("postStart", Struct(&LIFECYCLE_HANDLER)),
    f("preStop", Struct(&LIFECYCLE_HANDLER)),
] };

static SECURITY_CONTEXT: Type = Type { name: "SecurityContext", atomic: false, fields: &[
    f("capabilities", Struct(&CAPABILITIES)),
    f("seLinuxOptions", Struct(&SE_LINUX_OPTIONS)),
    f("windowsOptions", Struct(&WINDOWS_SECURITY_CONTEXT_OPTIONS)),
    f("seccompProfile", Struct(&SECCOMP_PROFILE)),
    f("appArmorProfile", Struct(&APP_ARMOR_PROFILE)),
] };

static SE_LINUX_OPTIONS: Type = Type { name: "SELinuxOptions", atomic: false, fields: &[] };

static WINDOWS_SECURITY_CONTEXT_OPTIONS: Type = Type { name: "WindowsSecurityContextOptions", atomic: false, fields: &[] };

static SYSCTL: Type = Type { name: "Sysctl", atomic: false, fields: &[] };

static SECCOMP_PROFILE: Type = Type { name: "SeccompProfile", atomic: false, fields: &[] };

static APP_ARMOR_PROFILE: Type = Type { name: "AppArmorProfile", atomic: false, fields: &[] };

static NODE_AFFINITY: Type = Type { name: "NodeAffinity", atomic: false, fields: &[
    f("requiredDuringSchedulingIgnoredDuringExecution", Struct(&NODE_SELECTOR)),
    f("preferredDuringSchedulingIgnoredDuringExecution", List(&Struct(&PREFERRED_SCHEDULING_TERM))).atomic(),
] };

static POD_AFFINITY: Type = Type { name: "PodAffinity", atomic: false, fields: &[
    f("requiredDuringSchedulingIgnoredDuringExecution", List(&Struct(&POD_AFFINITY_TERM))).atomic(),
    f("preferredDuringSchedulingIgnoredDuringExecution", List(&Struct(&WEIGHTED_POD_AFFINITY_TERM))).atomic(),
] };

static POD_ANTI_AFFINITY: Type = Type { name: "PodAntiAffinity", atomic: false, fields: &[
    f("requiredDuringSchedulingIgnoredDuringExecution", List(&Struct(&POD_AFFINITY_TERM))).atomic(),
    f("preferredDuringSchedulingIgnoredDuringExecution", List(&Struct(&WEIGHTED_POD_AFFINITY_TERM))).atomic(),
] };

static POD_DNS_CONFIG_OPTION: Type = Type { name: "PodDNSConfigOption", atomic: false, fields: &[] };

static RESOURCE_CLAIM: Type = Type { name: "ResourceClaim", atomic: false, fields: &[] };

static CONTAINER_STATE: Type = Type { name: "ContainerState", atomic: false, fields: &[
    f("waiting", Struct(&CONTAINER_STATE_WAITING)),
    f("running", Struct(&CONTAINER_STATE_RUNNING)),
    f("terminated", Struct(&CONTAINER_STATE_TERMINATED)),
] };

static VOLUME_MOUNT_STATUS: Type = Type { name: "VolumeMountStatus", atomic: false, fields: &[
    f("volumeStatus", Struct(&VOLUME_STATUS)),
] };

static CONTAINER_USER: Type = Type { name: "ContainerUser", atomic: false, fields: &[
    f("linux", Struct(&LINUX_CONTAINER_USER)),
] };

static RESOURCE_STATUS: Type = Type { name: "ResourceStatus", atomic: false, fields: &[
    f("resources", List(&Struct(&RESOURCE_HEALTH))).list_map(&["resourceID"]),
] };

static CONTAINER_EXTENDED_RESOURCE_REQUEST: Type = Type { name: "ContainerExtendedResourceRequest", atomic: false, fields: &[] };

static CLIENT_IP_CONFIG: Type = Type { name: "ClientIPConfig", atomic: false, fields: &[] };

static LOAD_BALANCER_INGRESS: Type = Type { name: "LoadBalancerIngress", atomic: false, fields: &[
    f("ports", List(&Struct(&PORT_STATUS))).atomic(),
] };

static FOR_ZONE: Type = Type { name: "ForZone", atomic: false, fields: &[] };

static FOR_NODE: Type = Type { name: "ForNode", atomic: false, fields: &[] };

static SECRET_REFERENCE: Type = Type { name: "SecretReference", atomic: true, fields: &[] };

static ROLLING_UPDATE_DEPLOYMENT: Type = Type { name: "RollingUpdateDeployment", atomic: false, fields: &[] };

static ROLLING_UPDATE_STATEFUL_SET_STRATEGY: Type = Type { name: "RollingUpdateStatefulSetStrategy", atomic: false, fields: &[] };

static ROLLING_UPDATE_DAEMON_SET: Type = Type { name: "RollingUpdateDaemonSet", atomic: false, fields: &[] };

static POD_FAILURE_POLICY_RULE: Type = Type { name: "PodFailurePolicyRule", atomic: false, fields: &[
    f("onExitCodes", Struct(&POD_FAILURE_POLICY_ON_EXIT_CODES_REQUIREMENT)),
    f("onPodConditions", List(&Struct(&POD_FAILURE_POLICY_ON_POD_CONDITIONS_PATTERN))).atomic(),
] };

static SUCCESS_POLICY_RULE: Type = Type { name: "SuccessPolicyRule", atomic: false, fields: &[] };

static AUTOSCALINGV2_OBJECT_METRIC_SOURCE: Type = Type { name: "ObjectMetricSource", atomic: false, fields: &[
    f("describedObject", Struct(&AUTOSCALINGV2_CROSS_VERSION_OBJECT_REFERENCE)),
    f("target", Struct(&METRIC_TARGET)),
    f("metric", Struct(&METRIC_IDENTIFIER)),
] };

static AUTOSCALINGV2_PODS_METRIC_SOURCE: Type = Type { name: "PodsMetricSource", atomic: false, fields: &[
    f("metric", Struct(&METRIC_IDENTIFIER)),
    f("target", Struct(&METRIC_TARGET)),
] };

static AUTOSCALINGV2_RESOURCE_METRIC_SOURCE: Type = Type { name: "ResourceMetricSource", atomic: false, fields: &[
    f("target", Struct(&METRIC_TARGET)),
] };

static AUTOSCALINGV2_CONTAINER_RESOURCE_METRIC_SOURCE: Type = Type { name: "ContainerResourceMetricSource", atomic: false, fields: &[
    f("target", Struct(&METRIC_TARGET)),
] };

static AUTOSCALINGV2_EXTERNAL_METRIC_SOURCE: Type = Type { name: "ExternalMetricSource", atomic: false, fields: &[
    f("metric", Struct(&METRIC_IDENTIFIER)),
    f("target", Struct(&METRIC_TARGET)),
] };

static HPA_SCALING_RULES: Type = Type { name: "HPAScalingRules", atomic: false, fields: &[
    f("policies", List(&Struct(&HPA_SCALING_POLICY))).atomic(),
] };

static AUTOSCALINGV2_OBJECT_METRIC_STATUS: Type = Type { name: "ObjectMetricStatus", atomic: false, fields: &[
    f("metric", Struct(&METRIC_IDENTIFIER)),
    f("current", Struct(&METRIC_VALUE_STATUS)),
    f("describedObject", Struct(&AUTOSCALINGV2_CROSS_VERSION_OBJECT_REFERENCE)),
] };

static AUTOSCALINGV2_PODS_METRIC_STATUS: Type = Type { name: "PodsMetricStatus", atomic: false, fields: &[
    f("metric", Struct(&METRIC_IDENTIFIER)),
    f("current", Struct(&METRIC_VALUE_STATUS)),
] };

static AUTOSCALINGV2_RESOURCE_METRIC_STATUS: Type = Type { name: "ResourceMetricStatus", atomic: false, fields: &[
    f("current", Struct(&METRIC_VALUE_STATUS)),
] };

static AUTOSCALINGV2_CONTAINER_RESOURCE_METRIC_STATUS: Type = Type { name: "ContainerResourceMetricStatus", atomic: false, fields: &[
    f("current", Struct(&METRIC_VALUE_STATUS)),
] };

static AUTOSCALINGV2_EXTERNAL_METRIC_STATUS: Type = Type { name: "ExternalMetricStatus", atomic: false, fields: &[
    f("metric", Struct(&METRIC_IDENTIFIER)),
    f("current", Struct(&METRIC_VALUE_STATUS)),
] };

static SCOPED_RESOURCE_SELECTOR_REQUIREMENT: Type = Type { name: "ScopedResourceSelectorRequirement", atomic: false, fields: &[
    f("values", List(&Scalar)).atomic(),
] };

static INGRESS_SERVICE_BACKEND: Type = Type { name: "IngressServiceBackend", atomic: false, fields: &[
    f("port", Struct(&SERVICE_BACKEND_PORT)),
] };

static HTTP_INGRESS_RULE_VALUE: Type = Type { name: "HTTPIngressRuleValue", atomic: false, fields: &[
    f("paths", List(&Struct(&HTTP_INGRESS_PATH))).atomic(),
] };

static INGRESS_LOAD_BALANCER_INGRESS: Type = Type { name: "IngressLoadBalancerIngress", atomic: false, fields: &[
    f("ports", List(&Struct(&INGRESS_PORT_STATUS))).atomic(),
] };

static NETWORK_POLICY_PORT: Type = Type { name: "NetworkPolicyPort", atomic: false, fields: &[] };

static NETWORK_POLICY_PEER: Type = Type { name: "NetworkPolicyPeer", atomic: false, fields: &[
    f("podSelector", Struct(&LABEL_SELECTOR)),
    f("namespaceSelector", Struct(&LABEL_SELECTOR)),
    f("ipBlock", Struct(&IP_BLOCK)),
] };

static CUSTOM_RESOURCE_VALIDATION: Type = Type { name: "CustomResourceValidation", atomic: false, fields: &[
    f("openAPIV3Schema", Struct(&JSON_SCHEMA_PROPS)),
] };

static CUSTOM_RESOURCE_SUBRESOURCES: Type = Type { name: "CustomResourceSubresources", atomic: false, fields: &[
    f("status", Struct(&CUSTOM_RESOURCE_SUBRESOURCE_STATUS)),
    f("scale", Struct(&CUSTOM_RESOURCE_SUBRESOURCE_SCALE)),
] };

static CUSTOM_RESOURCE_COLUMN_DEFINITION: Type = Type { name: "CustomResourceColumnDefinition", atomic: false, fields: &[] };

static SELECTABLE_FIELD: Type = Type { name: "SelectableField", atomic: false, fields: &[] };

static WEBHOOK_CONVERSION: Type = Type { name: "WebhookConversion", atomic: false, fields: &[
    f("clientConfig", Struct(&APIEXTENSIONS_WEBHOOK_CLIENT_CONFIG)),
    f("conversionReviewVersions", List(&Scalar)).atomic(),
] };

static VOLUME_NODE_RESOURCES: Type = Type { name: "VolumeNodeResources", atomic: false, fields: &[] };

static NAMED_RULE_WITH_OPERATIONS: Type = Type { name: "NamedRuleWithOperations", atomic: true, fields: &[
    f("resourceNames", List(&Scalar)).atomic(),
    f("operations", List(&Scalar)).atomic(),
    f("apiGroups", List(&Scalar)).atomic(),
    f("apiVersions", List(&Scalar)).atomic(),
    f("resources", List(&Scalar)).atomic(),
] };

static EXPRESSION_WARNING: Type = Type { name: "ExpressionWarning", atomic: false, fields: &[] };

static APPLY_CONFIGURATION: Type = Type { name: "ApplyConfiguration", atomic: false, fields: &[] };

static JSON_PATCH: Type = Type { name: "JSONPatch", atomic: false, fields: &[] };

static DEVICE_REQUEST: Type = Type { name: "DeviceRequest", atomic: false, fields: &[
    f("exactly", Struct(&EXACT_DEVICE_REQUEST)),
    f("firstAvailable", List(&Struct(&DEVICE_SUB_REQUEST))).atomic(),
] };

static DEVICE_CONSTRAINT: Type = Type { name: "DeviceConstraint", atomic: false, fields: &[
    f("requests", List(&Scalar)).atomic(),
] };

static DEVICE_CLAIM_CONFIGURATION: Type = Type { name: "DeviceClaimConfiguration", atomic: false, fields: &[
    f("requests", List(&Scalar)).atomic(),
    f("opaque", Struct(&OPAQUE_DEVICE_CONFIGURATION)),
] };

static DEVICE_ALLOCATION_RESULT: Type = Type { name: "DeviceAllocationResult", atomic: false, fields: &[
    f("results", List(&Struct(&DEVICE_REQUEST_ALLOCATION_RESULT))).atomic(),
    f("config", List(&Struct(&DEVICE_ALLOCATION_CONFIGURATION))).atomic(),
] };

static NETWORK_DEVICE_DATA: Type = Type { name: "NetworkDeviceData", atomic: false, fields: &[
    f("ips", List(&Scalar)).atomic(),
] };

static CEL_DEVICE_SELECTOR: Type = Type { name: "CELDeviceSelector", atomic: false, fields: &[] };

static OPAQUE_DEVICE_CONFIGURATION: Type = Type { name: "OpaqueDeviceConfiguration", atomic: false, fields: &[] };

static NODE_SELECTOR_TERM: Type = Type { name: "NodeSelectorTerm", atomic: true, fields: &[
    f("matchExpressions", List(&Struct(&NODE_SELECTOR_REQUIREMENT))).atomic(),
    f("matchFields", List(&Struct(&NODE_SELECTOR_REQUIREMENT))).atomic(),
] };

static DEVICE_ATTRIBUTE: Type = Type { name: "DeviceAttribute", atomic: false, fields: &[
    f("ints", List(&Scalar)).atomic(),
    f("bools", List(&Scalar)).atomic(),
    f("strings", List(&Scalar)).atomic(),
    f("versions", List(&Scalar)).atomic(),
] };

static DEVICE_CAPACITY: Type = Type { name: "DeviceCapacity", atomic: false, fields: &[
    f("requestPolicy", Struct(&CAPACITY_REQUEST_POLICY)),
] };

static DEVICE_COUNTER_CONSUMPTION: Type = Type { name: "DeviceCounterConsumption", atomic: false, fields: &[
    f("counters", Map(&Struct(&COUNTER))),
] };

static DEVICE_TAINT: Type = Type { name: "DeviceTaint", atomic: false, fields: &[] };

static NODE_ALLOCATABLE_RESOURCE_MAPPING: Type = Type { name: "NodeAllocatableResourceMapping", atomic: false, fields: &[] };

static COUNTER: Type = Type { name: "Counter", atomic: false, fields: &[] };

static KEY_TO_PATH: Type = Type { name: "KeyToPath", atomic: false, fields: &[] };

static DOWNWARD_API_VOLUME_FILE: Type = Type { name: "DownwardAPIVolumeFile", atomic: false, fields: &[
    f("fieldRef", Struct(&OBJECT_FIELD_SELECTOR)),
    f("resourceFieldRef", Struct(&RESOURCE_FIELD_SELECTOR)),
] };

static VOLUME_PROJECTION: Type = Type { name: "VolumeProjection", atomic: false, fields: &[
    f("secret", Struct(&SECRET_PROJECTION)),
    f("downwardAPI", Struct(&DOWNWARD_API_PROJECTION)),
    f("configMap", Struct(&CONFIG_MAP_PROJECTION)),
    f("serviceAccountToken", Struct(&SERVICE_ACCOUNT_TOKEN_PROJECTION)),
    f("clusterTrustBundle", Struct(&CLUSTER_TRUST_BUNDLE_PROJECTION)),
    f("podCertificate", Struct(&POD_CERTIFICATE_PROJECTION)),
] };

static PERSISTENT_VOLUME_CLAIM_TEMPLATE: Type = Type { name: "PersistentVolumeClaimTemplate", atomic: false, fields: &[
    f("metadata", Struct(&OBJECT_META)),
    f("spec", Struct(&PERSISTENT_VOLUME_CLAIM_SPEC)),
] };

static CONFIG_MAP_ENV_SOURCE: Type = Type { name: "ConfigMapEnvSource", atomic: false, fields: &[] };

static SECRET_ENV_SOURCE: Type = Type { name: "SecretEnvSource", atomic: false, fields: &[] };

static ENV_VAR_SOURCE: Type = Type { name: "EnvVarSource", atomic: false, fields: &[
    f("fieldRef", Struct(&OBJECT_FIELD_SELECTOR)),
    f("resourceFieldRef", Struct(&RESOURCE_FIELD_SELECTOR)),
    f("configMapKeyRef", Struct(&CONFIG_MAP_KEY_SELECTOR)),
    f("secretKeyRef", Struct(&SECRET_KEY_SELECTOR)),
    f("fileKeyRef", Struct(&FILE_KEY_SELECTOR)),
] };

static CONTAINER_RESTART_RULE_ON_EXIT_CODES: Type = Type { name: "ContainerRestartRuleOnExitCodes", atomic: false, fields: &[
    f("values", List(&Scalar)).list_set(),
] };

static EXEC_ACTION: Type = Type { name: "ExecAction", atomic: false, fields: &[
    f("command", List(&Scalar)).atomic(),
] };

static HTTP_GET_ACTION: Type = Type { name: "HTTPGetAction", atomic: false, fields: &[
    f("httpHeaders", List(&Struct(&HTTP_HEADER))).atomic(),
] };

static TCP_SOCKET_ACTION: Type = Type { name: "TCPSocketAction", atomic: false, fields: &[] };

static GRPC_ACTION: Type = Type { name: "GRPCAction", atomic: false, fields: &[] };

static LIFECYCLE_HANDLER: Type = Type { name: "LifecycleHandler", atomic: false, fields: &[
    f("exec", Struct(&EXEC_ACTION)),
    f("httpGet", Struct(&HTTP_GET_ACTION)),
    f("tcpSocket", Struct(&TCP_SOCKET_ACTION)),
    f("sleep", Struct(&SLEEP_ACTION)),
] };

static CAPABILITIES: Type = Type { name: "Capabilities", atomic: false, fields: &[
    f("add", List(&Scalar)).atomic(),
    f("drop", List(&Scalar)).atomic(),
] };

static PREFERRED_SCHEDULING_TERM: Type = Type { name: "PreferredSchedulingTerm", atomic: false, fields: &[
    f("preference", Struct(&NODE_SELECTOR_TERM)),
] };

static POD_AFFINITY_TERM: Type = Type { name: "PodAffinityTerm", atomic: false, fields: &[
    f("labelSelector", Struct(&LABEL_SELECTOR)),
    f("namespaces", List(&Scalar)).atomic(),
    f("namespaceSelector", Struct(&LABEL_SELECTOR)),
    f("matchLabelKeys", List(&Scalar)).atomic(),
    f("mismatchLabelKeys", List(&Scalar)).atomic(),
] };

static WEIGHTED_POD_AFFINITY_TERM: Type = Type { name: "WeightedPodAffinityTerm", atomic: false, fields: &[
    f("podAffinityTerm", Struct(&POD_AFFINITY_TERM)),
] };

static CONTAINER_STATE_WAITING: Type = Type { name: "ContainerStateWaiting", atomic: false, fields: &[] };

static CONTAINER_STATE_RUNNING: Type = Type { name: "ContainerStateRunning", atomic: false, fields: &[] };

static CONTAINER_STATE_TERMINATED: Type = Type { name: "ContainerStateTerminated", atomic: false, fields: &[] };

static VOLUME_STATUS: Type = Type { name: "VolumeStatus", atomic: false, fields: &[
    f("image", Struct(&IMAGE_VOLUME_STATUS)),
] };

static LINUX_CONTAINER_USER: Type = Type { name: "LinuxContainerUser", atomic: false, fields: &[
    f("supplementalGroups", List(&Scalar)).atomic(),
] };

static RESOURCE_HEALTH: Type = Type { name: "ResourceHealth", atomic: false, fields: &[] };

static PORT_STATUS: Type = Type { name: "PortStatus", atomic: false, fields: &[] };

static POD_FAILURE_POLICY_ON_EXIT_CODES_REQUIREMENT: Type = Type { name: "PodFailurePolicyOnExitCodesRequirement", atomic: false, fields: &[
    f("values", List(&Scalar)).list_set(),
] };

static POD_FAILURE_POLICY_ON_POD_CONDITIONS_PATTERN: Type = Type { name: "PodFailurePolicyOnPodConditionsPattern", atomic: false, fields: &[] };

static METRIC_TARGET: Type = Type { name: "MetricTarget", atomic: false, fields: &[] };

static METRIC_IDENTIFIER: Type = Type { name: "MetricIdentifier", atomic: false, fields: &[
    f("selector", Struct(&LABEL_SELECTOR)),
] };

static HPA_SCALING_POLICY: Type = Type { name: "HPAScalingPolicy", atomic: false, fields: &[] };

static METRIC_VALUE_STATUS: Type = Type { name: "MetricValueStatus", atomic: false, fields: &[] };

static SERVICE_BACKEND_PORT: Type = Type { name: "ServiceBackendPort", atomic: true, fields: &[] };

static HTTP_INGRESS_PATH: Type = Type { name: "HTTPIngressPath", atomic: false, fields: &[
    f("backend", Struct(&INGRESS_BACKEND)),
] };

static INGRESS_PORT_STATUS: Type = Type { name: "IngressPortStatus", atomic: false, fields: &[] };

static IP_BLOCK: Type = Type { name: "IPBlock", atomic: false, fields: &[
    f("except", List(&Scalar)).atomic(),
] };

static JSON_SCHEMA_PROPS: Type = Type { name: "JSONSchemaProps", atomic: false, fields: &[
    f("enum", List(&Scalar)).atomic(),
    f("required", List(&Scalar)).atomic(),
    f("allOf", List(&Struct(&JSON_SCHEMA_PROPS))).atomic(),
    f("oneOf", List(&Struct(&JSON_SCHEMA_PROPS))).atomic(),
    f("anyOf", List(&Struct(&JSON_SCHEMA_PROPS))).atomic(),
    f("not", Struct(&JSON_SCHEMA_PROPS)),
    f("properties", Map(&Struct(&JSON_SCHEMA_PROPS))),
    f("patternProperties", Map(&Struct(&JSON_SCHEMA_PROPS))),
    f("dependencies", Map(&Scalar)),
    f("definitions", Map(&Struct(&JSON_SCHEMA_PROPS))),
    f("externalDocs", Struct(&EXTERNAL_DOCUMENTATION)),
    f("x-kubernetes-list-map-keys", List(&Scalar)).atomic(),
    f("x-kubernetes-validations", List(&Struct(&VALIDATION_RULE))).merge().merge_key("rule").list_map(&["rule"]),
] };

static CUSTOM_RESOURCE_SUBRESOURCE_STATUS: Type = Type { name: "CustomResourceSubresourceStatus", atomic: false, fields: &[] };

static CUSTOM_RESOURCE_SUBRESOURCE_SCALE: Type = Type { name: "CustomResourceSubresourceScale", atomic: false, fields: &[] };

static APIEXTENSIONS_WEBHOOK_CLIENT_CONFIG: Type = Type { name: "WebhookClientConfig", atomic: false, fields: &[
    f("service", Struct(&APIEXTENSIONS_SERVICE_REFERENCE)),
    f("caBundle", List(&Scalar)),
] };

static EXACT_DEVICE_REQUEST: Type = Type { name: "ExactDeviceRequest", atomic: false, fields: &[
    f("selectors", List(&Struct(&DEVICE_SELECTOR))).atomic(),
    f("tolerations", List(&Struct(&DEVICE_TOLERATION))).atomic(),
    f("capacity", Struct(&CAPACITY_REQUIREMENTS)),
] };

static DEVICE_SUB_REQUEST: Type = Type { name: "DeviceSubRequest", atomic: false, fields: &[
    f("selectors", List(&Struct(&DEVICE_SELECTOR))).atomic(),
    f("tolerations", List(&Struct(&DEVICE_TOLERATION))).atomic(),
    f("capacity", Struct(&CAPACITY_REQUIREMENTS)),
] };

static DEVICE_REQUEST_ALLOCATION_RESULT: Type = Type { name: "DeviceRequestAllocationResult", atomic: false, fields: &[
    f("tolerations", List(&Struct(&DEVICE_TOLERATION))).atomic(),
    f("bindingConditions", List(&Scalar)).atomic(),
    f("bindingFailureConditions", List(&Scalar)).atomic(),
    f("consumedCapacity", Map(&Scalar)),
] };

static DEVICE_ALLOCATION_CONFIGURATION: Type = Type { name: "DeviceAllocationConfiguration", atomic: false, fields: &[
    f("requests", List(&Scalar)).atomic(),
    f("opaque", Struct(&OPAQUE_DEVICE_CONFIGURATION)),
] };

static NODE_SELECTOR_REQUIREMENT: Type = Type { name: "NodeSelectorRequirement", atomic: false, fields: &[
    f("values", List(&Scalar)).atomic(),
] };

static CAPACITY_REQUEST_POLICY: Type = Type { name: "CapacityRequestPolicy", atomic: false, fields: &[
    f("validValues", List(&Scalar)).atomic(),
    f("validRange", Struct(&CAPACITY_REQUEST_POLICY_RANGE)),
] };

static OBJECT_FIELD_SELECTOR: Type = Type { name: "ObjectFieldSelector", atomic: true, fields: &[] };

static RESOURCE_FIELD_SELECTOR: Type = Type { name: "ResourceFieldSelector", atomic: true, fields: &[] };

static SECRET_PROJECTION: Type = Type { name: "SecretProjection", atomic: false, fields: &[
    f("items", List(&Struct(&KEY_TO_PATH))).atomic(),
] };

static DOWNWARD_API_PROJECTION: Type = Type { name: "DownwardAPIProjection", atomic: false, fields: &[
    f("items", List(&Struct(&DOWNWARD_API_VOLUME_FILE))).atomic(),
] };

static CONFIG_MAP_PROJECTION: Type = Type { name: "ConfigMapProjection", atomic: false, fields: &[
    f("items", List(&Struct(&KEY_TO_PATH))).atomic(),
] };

static SERVICE_ACCOUNT_TOKEN_PROJECTION: Type = Type { name: "ServiceAccountTokenProjection", atomic: false, fields: &[] };

static CLUSTER_TRUST_BUNDLE_PROJECTION: Type = Type { name: "ClusterTrustBundleProjection", atomic: false, fields: &[
    f("labelSelector", Struct(&LABEL_SELECTOR)),
] };

static POD_CERTIFICATE_PROJECTION: Type = Type { name: "PodCertificateProjection", atomic: false, fields: &[
    f("userAnnotations", Map(&Scalar)),
] };

static CONFIG_MAP_KEY_SELECTOR: Type = Type { name: "ConfigMapKeySelector", atomic: true, fields: &[] };

static SECRET_KEY_SELECTOR: Type = Type { name: "SecretKeySelector", atomic: true, fields: &[] };

static FILE_KEY_SELECTOR: Type = Type { name: "FileKeySelector", atomic: true, fields: &[] };

static HTTP_HEADER: Type = Type { name: "HTTPHeader", atomic: false, fields: &[] };

static SLEEP_ACTION: Type = Type { name: "SleepAction", atomic: false, fields: &[] };

static IMAGE_VOLUME_STATUS: Type = Type { name: "ImageVolumeStatus", atomic: false, fields: &[] };

static EXTERNAL_DOCUMENTATION: Type = Type { name: "ExternalDocumentation", atomic: false, fields: &[] };

static VALIDATION_RULE: Type = Type { name: "ValidationRule", atomic: false, fields: &[] };

static APIEXTENSIONS_SERVICE_REFERENCE: Type = Type { name: "ServiceReference", atomic: false, fields: &[] };

static DEVICE_TOLERATION: Type = Type { name: "DeviceToleration", atomic: false, fields: &[] };

static CAPACITY_REQUIREMENTS: Type = Type { name: "CapacityRequirements", atomic: false, fields: &[
    f("requests", Map(&Scalar)),
] };

static CAPACITY_REQUEST_POLICY_RANGE: Type = Type { name: "CapacityRequestPolicyRange", atomic: false, fields: &[] };
