//! The values of string fields that take only a few. Kubernetes' OpenAPI document, and so
//! `k8s-openapi`, has them in the descriptions' prose only; here they are as data, from the constants
//! of `k8s.io/api`.

/// Definition, field, and the values it takes (for a list: those of its items).
pub const VALUES: &[(&str, &str, &[&str])] = &[
    ("io.k8s.api.core.v1.Container", "imagePullPolicy", &["Always", "IfNotPresent", "Never"]),
    ("io.k8s.api.core.v1.Container", "restartPolicy", &["Always", "Never", "OnFailure"]),
    ("io.k8s.api.core.v1.Container", "terminationMessagePolicy", &["File", "FallbackToLogsOnError"]),
    ("io.k8s.api.core.v1.PodSpec", "restartPolicy", &["Always", "OnFailure", "Never"]),
    (
        "io.k8s.api.core.v1.PodSpec",
        "dnsPolicy",
        &["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"],
    ),
    ("io.k8s.api.core.v1.PodSpec", "preemptionPolicy", &["PreemptLowerPriority", "Never"]),
    ("io.k8s.api.core.v1.PodStatus", "phase", &["Pending", "Running", "Succeeded", "Failed", "Unknown"]),
    ("io.k8s.api.core.v1.PodStatus", "qosClass", &["Guaranteed", "Burstable", "BestEffort"]),
    ("io.k8s.api.core.v1.ContainerPort", "protocol", &["TCP", "UDP", "SCTP"]),
    ("io.k8s.api.core.v1.HTTPGetAction", "scheme", &["HTTP", "HTTPS"]),
    ("io.k8s.api.core.v1.Toleration", "operator", &["Exists", "Equal", "Lt", "Gt"]),
    ("io.k8s.api.core.v1.Toleration", "effect", &["NoSchedule", "PreferNoSchedule", "NoExecute"]),
    ("io.k8s.api.core.v1.Taint", "effect", &["NoSchedule", "PreferNoSchedule", "NoExecute"]),
    (
        "io.k8s.api.core.v1.NodeSelectorRequirement",
        "operator",
        &["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"],
    ),
    (
        "io.k8s.api.core.v1.TopologySpreadConstraint",
        "whenUnsatisfiable",
        &["DoNotSchedule", "ScheduleAnyway"],
    ),
    ("io.k8s.api.core.v1.TopologySpreadConstraint", "nodeAffinityPolicy", &["Honor", "Ignore"]),
    ("io.k8s.api.core.v1.TopologySpreadConstraint", "nodeTaintsPolicy", &["Honor", "Ignore"]),
    ("io.k8s.api.core.v1.ServiceSpec", "type", &["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"]),
    ("io.k8s.api.core.v1.ServiceSpec", "sessionAffinity", &["None", "ClientIP"]),
    ("io.k8s.api.core.v1.ServiceSpec", "externalTrafficPolicy", &["Cluster", "Local"]),
    ("io.k8s.api.core.v1.ServiceSpec", "internalTrafficPolicy", &["Cluster", "Local"]),
    (
        "io.k8s.api.core.v1.ServiceSpec",
        "ipFamilyPolicy",
        &["SingleStack", "PreferDualStack", "RequireDualStack"],
    ),
    ("io.k8s.api.core.v1.ServiceSpec", "ipFamilies", &["IPv4", "IPv6"]),
    ("io.k8s.api.core.v1.ServicePort", "protocol", &["TCP", "UDP", "SCTP"]),
    (
        "io.k8s.api.core.v1.PersistentVolumeClaimSpec",
        "accessModes",
        &["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"],
    ),
    ("io.k8s.api.core.v1.PersistentVolumeClaimSpec", "volumeMode", &["Filesystem", "Block"]),
    (
        "io.k8s.api.core.v1.PersistentVolumeSpec",
        "accessModes",
        &["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"],
    ),
    ("io.k8s.api.core.v1.PersistentVolumeSpec", "volumeMode", &["Filesystem", "Block"]),
    (
        "io.k8s.api.core.v1.PersistentVolumeSpec",
        "persistentVolumeReclaimPolicy",
        &["Retain", "Recycle", "Delete"],
    ),
    ("io.k8s.api.storage.v1.StorageClass", "volumeBindingMode", &["Immediate", "WaitForFirstConsumer"]),
    ("io.k8s.api.storage.v1.StorageClass", "reclaimPolicy", &["Delete", "Retain"]),
    ("io.k8s.api.apps.v1.DeploymentStrategy", "type", &["RollingUpdate", "Recreate"]),
    (
        "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement",
        "operator",
        &["In", "NotIn", "Exists", "DoesNotExist"],
    ),
    (
        "io.k8s.api.policy.v1.PodDisruptionBudgetSpec",
        "unhealthyPodEvictionPolicy",
        &["IfHealthyBudget", "AlwaysAllow"],
    ),
    ("io.k8s.api.scheduling.v1.PriorityClass", "preemptionPolicy", &["PreemptLowerPriority", "Never"]),
    ("io.k8s.api.core.v1.EmptyDirVolumeSource", "medium", &["", "Memory"]),
    ("io.k8s.api.core.v1.SeccompProfile", "type", &["RuntimeDefault", "Unconfined", "Localhost"]),
];
