//! The groups and resources of Kubernetes, as discovery lists them.

use super::{ALL, Group, READ_WRITE, Resource};

pub(super) static GROUPS: &[Group] = &[
    Group { name: "", versions: &[
        ("v1", &[
            Resource { name: "bindings", singular: "binding", namespaced: true, of: ("", ""), kind: "Binding", verbs: &["create"], short: &[], categories: &[], hash: "" },
            Resource { name: "componentstatuses", singular: "componentstatus", namespaced: false, of: ("", ""), kind: "ComponentStatus", verbs: &["get", "list"], short: &["cs"], categories: &[], hash: "" },
            Resource { name: "configmaps", singular: "configmap", namespaced: true, of: ("", ""), kind: "ConfigMap", verbs: ALL, short: &["cm"], categories: &[], hash: "qFsyl6wFWjQ=" },
            Resource { name: "endpoints", singular: "endpoints", namespaced: true, of: ("", ""), kind: "Endpoints", verbs: ALL, short: &["ep"], categories: &[], hash: "fWeeMqaN/OA=" },
            Resource { name: "events", singular: "event", namespaced: true, of: ("", ""), kind: "Event", verbs: ALL, short: &["ev"], categories: &[], hash: "r2yiGXH7wu8=" },
            Resource { name: "limitranges", singular: "limitrange", namespaced: true, of: ("", ""), kind: "LimitRange", verbs: ALL, short: &["limits"], categories: &[], hash: "EBKMFVe6cwo=" },
            Resource { name: "namespaces", singular: "namespace", namespaced: false, of: ("", ""), kind: "Namespace", verbs: &["create", "delete", "get", "list", "patch", "update", "watch"], short: &["ns"], categories: &[], hash: "Q3oi5N2YM8M=" },
            Resource { name: "namespaces/finalize", singular: "", namespaced: false, of: ("", ""), kind: "Namespace", verbs: &["update"], short: &[], categories: &[], hash: "" },
            Resource { name: "namespaces/status", singular: "", namespaced: false, of: ("", ""), kind: "Namespace", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "nodes", singular: "node", namespaced: false, of: ("", ""), kind: "Node", verbs: ALL, short: &["no"], categories: &[], hash: "XwShjMxG9Fs=" },
            Resource { name: "nodes/proxy", singular: "", namespaced: false, of: ("", ""), kind: "NodeProxyOptions", verbs: &["create", "delete", "get", "patch", "update"], short: &[], categories: &[], hash: "" },
            Resource { name: "nodes/status", singular: "", namespaced: false, of: ("", ""), kind: "Node", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "persistentvolumeclaims", singular: "persistentvolumeclaim", namespaced: true, of: ("", ""), kind: "PersistentVolumeClaim", verbs: ALL, short: &["pvc"], categories: &[], hash: "QWTyNDq0dC4=" },
            Resource { name: "persistentvolumeclaims/status", singular: "", namespaced: true, of: ("", ""), kind: "PersistentVolumeClaim", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "persistentvolumes", singular: "persistentvolume", namespaced: false, of: ("", ""), kind: "PersistentVolume", verbs: ALL, short: &["pv"], categories: &[], hash: "HN/zwEC+JgM=" },
            Resource { name: "persistentvolumes/status", singular: "", namespaced: false, of: ("", ""), kind: "PersistentVolume", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "pods", singular: "pod", namespaced: true, of: ("", ""), kind: "Pod", verbs: ALL, short: &["po"], categories: &["all"], hash: "xPOwRZ+Yhw8=" },
            Resource { name: "pods/attach", singular: "", namespaced: true, of: ("", ""), kind: "PodAttachOptions", verbs: &["create", "get"], short: &[], categories: &[], hash: "" },
            Resource { name: "pods/binding", singular: "", namespaced: true, of: ("", ""), kind: "Binding", verbs: &["create"], short: &[], categories: &[], hash: "" },
            Resource { name: "pods/ephemeralcontainers", singular: "", namespaced: true, of: ("", ""), kind: "Pod", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "pods/eviction", singular: "", namespaced: true, of: ("policy", "v1"), kind: "Eviction", verbs: &["create"], short: &[], categories: &[], hash: "" },
            Resource { name: "pods/exec", singular: "", namespaced: true, of: ("", ""), kind: "PodExecOptions", verbs: &["create", "get"], short: &[], categories: &[], hash: "" },
            Resource { name: "pods/log", singular: "", namespaced: true, of: ("", ""), kind: "Pod", verbs: &["get"], short: &[], categories: &[], hash: "" },
            Resource { name: "pods/portforward", singular: "", namespaced: true, of: ("", ""), kind: "PodPortForwardOptions", verbs: &["create", "get"], short: &[], categories: &[], hash: "" },
            Resource { name: "pods/proxy", singular: "", namespaced: true, of: ("", ""), kind: "PodProxyOptions", verbs: &["create", "delete", "get", "patch", "update"], short: &[], categories: &[], hash: "" },
            Resource { name: "pods/resize", singular: "", namespaced: true, of: ("", ""), kind: "Pod", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "pods/status", singular: "", namespaced: true, of: ("", ""), kind: "Pod", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "podtemplates", singular: "podtemplate", namespaced: true, of: ("", ""), kind: "PodTemplate", verbs: ALL, short: &[], categories: &[], hash: "LIXB2x4IFpk=" },
            Resource { name: "replicationcontrollers", singular: "replicationcontroller", namespaced: true, of: ("", ""), kind: "ReplicationController", verbs: ALL, short: &["rc"], categories: &["all"], hash: "Jond2If31h0=" },
            Resource { name: "replicationcontrollers/scale", singular: "", namespaced: true, of: ("autoscaling", "v1"), kind: "Scale", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "replicationcontrollers/status", singular: "", namespaced: true, of: ("", ""), kind: "ReplicationController", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "resourcequotas", singular: "resourcequota", namespaced: true, of: ("", ""), kind: "ResourceQuota", verbs: ALL, short: &["quota"], categories: &[], hash: "8uhSgffRX6w=" },
            Resource { name: "resourcequotas/status", singular: "", namespaced: true, of: ("", ""), kind: "ResourceQuota", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "secrets", singular: "secret", namespaced: true, of: ("", ""), kind: "Secret", verbs: ALL, short: &[], categories: &[], hash: "S6u1pOWzb84=" },
            Resource { name: "serviceaccounts", singular: "serviceaccount", namespaced: true, of: ("", ""), kind: "ServiceAccount", verbs: ALL, short: &["sa"], categories: &[], hash: "pbx9ZvyFpBE=" },
            Resource { name: "serviceaccounts/token", singular: "", namespaced: true, of: ("authentication.k8s.io", "v1"), kind: "TokenRequest", verbs: &["create"], short: &[], categories: &[], hash: "" },
            Resource { name: "services", singular: "service", namespaced: true, of: ("", ""), kind: "Service", verbs: ALL, short: &["svc"], categories: &["all"], hash: "0/CO1lhkEBI=" },
            Resource { name: "services/proxy", singular: "", namespaced: true, of: ("", ""), kind: "ServiceProxyOptions", verbs: &["create", "delete", "get", "patch", "update"], short: &[], categories: &[], hash: "" },
            Resource { name: "services/status", singular: "", namespaced: true, of: ("", ""), kind: "Service", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
        ]),
    ] },
    Group { name: "apiregistration.k8s.io", versions: &[
        ("v1", &[
            Resource { name: "apiservices", singular: "apiservice", namespaced: false, of: ("", ""), kind: "APIService", verbs: ALL, short: &[], categories: &[], hash: "InPBPD7+PqM=" },
        ]),
    ] },
    Group { name: "apps", versions: &[
        ("v1", &[
            Resource { name: "controllerrevisions", singular: "controllerrevision", namespaced: true, of: ("", ""), kind: "ControllerRevision", verbs: ALL, short: &[], categories: &[], hash: "85nkx63pcBU=" },
            Resource { name: "daemonsets", singular: "daemonset", namespaced: true, of: ("", ""), kind: "DaemonSet", verbs: ALL, short: &["ds"], categories: &["all"], hash: "dd7pWHUlMKQ=" },
            Resource { name: "daemonsets/status", singular: "", namespaced: true, of: ("", ""), kind: "DaemonSet", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "deployments", singular: "deployment", namespaced: true, of: ("", ""), kind: "Deployment", verbs: ALL, short: &["deploy"], categories: &["all"], hash: "8aSe+NMegvE=" },
            Resource { name: "deployments/scale", singular: "", namespaced: true, of: ("autoscaling", "v1"), kind: "Scale", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "deployments/status", singular: "", namespaced: true, of: ("", ""), kind: "Deployment", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "replicasets", singular: "replicaset", namespaced: true, of: ("", ""), kind: "ReplicaSet", verbs: ALL, short: &["rs"], categories: &["all"], hash: "P1RzHs8/mWQ=" },
            Resource { name: "replicasets/scale", singular: "", namespaced: true, of: ("autoscaling", "v1"), kind: "Scale", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "replicasets/status", singular: "", namespaced: true, of: ("", ""), kind: "ReplicaSet", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "statefulsets", singular: "statefulset", namespaced: true, of: ("", ""), kind: "StatefulSet", verbs: ALL, short: &["sts"], categories: &["all"], hash: "H+vl74LkKdo=" },
            Resource { name: "statefulsets/scale", singular: "", namespaced: true, of: ("autoscaling", "v1"), kind: "Scale", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "statefulsets/status", singular: "", namespaced: true, of: ("", ""), kind: "StatefulSet", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
        ]),
    ] },
    Group { name: "events.k8s.io", versions: &[
        ("v1", &[
            Resource { name: "events", singular: "event", namespaced: true, of: ("", ""), kind: "Event", verbs: ALL, short: &["ev"], categories: &[], hash: "x51sC10/5OA=" },
        ]),
    ] },
    Group { name: "authentication.k8s.io", versions: &[
        ("v1", &[
            Resource { name: "selfsubjectreviews", singular: "selfsubjectreview", namespaced: false, of: ("", ""), kind: "SelfSubjectReview", verbs: &["create"], short: &[], categories: &[], hash: "" },
            Resource { name: "tokenreviews", singular: "tokenreview", namespaced: false, of: ("", ""), kind: "TokenReview", verbs: &["create"], short: &[], categories: &[], hash: "" },
        ]),
    ] },
    Group { name: "authorization.k8s.io", versions: &[
        ("v1", &[
            Resource { name: "localsubjectaccessreviews", singular: "localsubjectaccessreview", namespaced: true, of: ("", ""), kind: "LocalSubjectAccessReview", verbs: &["create"], short: &[], categories: &[], hash: "" },
            Resource { name: "selfsubjectaccessreviews", singular: "selfsubjectaccessreview", namespaced: false, of: ("", ""), kind: "SelfSubjectAccessReview", verbs: &["create"], short: &[], categories: &[], hash: "" },
            Resource { name: "selfsubjectrulesreviews", singular: "selfsubjectrulesreview", namespaced: false, of: ("", ""), kind: "SelfSubjectRulesReview", verbs: &["create"], short: &[], categories: &[], hash: "" },
            Resource { name: "subjectaccessreviews", singular: "subjectaccessreview", namespaced: false, of: ("", ""), kind: "SubjectAccessReview", verbs: &["create"], short: &[], categories: &[], hash: "" },
        ]),
    ] },
    Group { name: "autoscaling", versions: &[
        ("v2", &[
            Resource { name: "horizontalpodautoscalers", singular: "horizontalpodautoscaler", namespaced: true, of: ("", ""), kind: "HorizontalPodAutoscaler", verbs: ALL, short: &["hpa"], categories: &["all"], hash: "qwQve8ut294=" },
            Resource { name: "horizontalpodautoscalers/status", singular: "", namespaced: true, of: ("", ""), kind: "HorizontalPodAutoscaler", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
        ]),
        ("v1", &[
            Resource { name: "horizontalpodautoscalers", singular: "horizontalpodautoscaler", namespaced: true, of: ("", ""), kind: "HorizontalPodAutoscaler", verbs: ALL, short: &["hpa"], categories: &["all"], hash: "qwQve8ut294=" },
            Resource { name: "horizontalpodautoscalers/status", singular: "", namespaced: true, of: ("", ""), kind: "HorizontalPodAutoscaler", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
        ]),
    ] },
    Group { name: "batch", versions: &[
        ("v1", &[
            Resource { name: "cronjobs", singular: "cronjob", namespaced: true, of: ("", ""), kind: "CronJob", verbs: ALL, short: &["cj"], categories: &["all"], hash: "sd5LIXh4Fjs=" },
            Resource { name: "cronjobs/status", singular: "", namespaced: true, of: ("", ""), kind: "CronJob", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "jobs", singular: "job", namespaced: true, of: ("", ""), kind: "Job", verbs: ALL, short: &[], categories: &["all"], hash: "mudhfqk/qZY=" },
            Resource { name: "jobs/status", singular: "", namespaced: true, of: ("", ""), kind: "Job", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
        ]),
    ] },
    Group { name: "certificates.k8s.io", versions: &[
        ("v1", &[
            Resource { name: "certificatesigningrequests", singular: "certificatesigningrequest", namespaced: false, of: ("", ""), kind: "CertificateSigningRequest", verbs: ALL, short: &["csr"], categories: &[], hash: "95fRKMXA+00=" },
            Resource { name: "certificatesigningrequests/approval", singular: "", namespaced: false, of: ("", ""), kind: "CertificateSigningRequest", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "certificatesigningrequests/status", singular: "", namespaced: false, of: ("", ""), kind: "CertificateSigningRequest", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
        ]),
    ] },
    Group { name: "networking.k8s.io", versions: &[
        ("v1", &[
            Resource { name: "ingressclasses", singular: "ingressclass", namespaced: false, of: ("", ""), kind: "IngressClass", verbs: ALL, short: &[], categories: &[], hash: "l/iqIbDgFyQ=" },
            Resource { name: "ingresses", singular: "ingress", namespaced: true, of: ("", ""), kind: "Ingress", verbs: ALL, short: &["ing"], categories: &[], hash: "39NQlfNR+bo=" },
            Resource { name: "ingresses/status", singular: "", namespaced: true, of: ("", ""), kind: "Ingress", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "ipaddresses", singular: "ipaddress", namespaced: false, of: ("", ""), kind: "IPAddress", verbs: ALL, short: &["ip"], categories: &[], hash: "3f/plJFChNE=" },
            Resource { name: "networkpolicies", singular: "networkpolicy", namespaced: true, of: ("", ""), kind: "NetworkPolicy", verbs: ALL, short: &["netpol"], categories: &[], hash: "YpfwF18m1G8=" },
            Resource { name: "servicecidrs", singular: "servicecidr", namespaced: false, of: ("", ""), kind: "ServiceCIDR", verbs: ALL, short: &[], categories: &[], hash: "gNLvruQhW2g=" },
            Resource { name: "servicecidrs/status", singular: "", namespaced: false, of: ("", ""), kind: "ServiceCIDR", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
        ]),
    ] },
    Group { name: "policy", versions: &[
        ("v1", &[
            Resource { name: "poddisruptionbudgets", singular: "poddisruptionbudget", namespaced: true, of: ("", ""), kind: "PodDisruptionBudget", verbs: ALL, short: &["pdb"], categories: &[], hash: "EVWiDmWqyJw=" },
            Resource { name: "poddisruptionbudgets/status", singular: "", namespaced: true, of: ("", ""), kind: "PodDisruptionBudget", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
        ]),
    ] },
    Group { name: "rbac.authorization.k8s.io", versions: &[
        ("v1", &[
            Resource { name: "clusterrolebindings", singular: "clusterrolebinding", namespaced: false, of: ("", ""), kind: "ClusterRoleBinding", verbs: ALL, short: &[], categories: &[], hash: "48tpQ8gZHFc=" },
            Resource { name: "clusterroles", singular: "clusterrole", namespaced: false, of: ("", ""), kind: "ClusterRole", verbs: ALL, short: &[], categories: &[], hash: "bYE5ZWDrJ44=" },
            Resource { name: "rolebindings", singular: "rolebinding", namespaced: true, of: ("", ""), kind: "RoleBinding", verbs: ALL, short: &[], categories: &[], hash: "eGsCzGH6b1g=" },
            Resource { name: "roles", singular: "role", namespaced: true, of: ("", ""), kind: "Role", verbs: ALL, short: &[], categories: &[], hash: "7FuwZcIIItM=" },
        ]),
    ] },
    Group { name: "storage.k8s.io", versions: &[
        ("v1", &[
            Resource { name: "csidrivers", singular: "csidriver", namespaced: false, of: ("", ""), kind: "CSIDriver", verbs: ALL, short: &[], categories: &[], hash: "hL6j/rwBV5w=" },
            Resource { name: "csinodes", singular: "csinode", namespaced: false, of: ("", ""), kind: "CSINode", verbs: ALL, short: &[], categories: &[], hash: "Pe62DkZtjuo=" },
            Resource { name: "csistoragecapacities", singular: "csistoragecapacity", namespaced: true, of: ("", ""), kind: "CSIStorageCapacity", verbs: ALL, short: &[], categories: &[], hash: "xeVl+2Ly1kE=" },
            Resource { name: "storageclasses", singular: "storageclass", namespaced: false, of: ("", ""), kind: "StorageClass", verbs: ALL, short: &["sc"], categories: &[], hash: "K+m6uJwbjGY=" },
            Resource { name: "volumeattachments", singular: "volumeattachment", namespaced: false, of: ("", ""), kind: "VolumeAttachment", verbs: ALL, short: &[], categories: &[], hash: "tJx/ezt6UDU=" },
            Resource { name: "volumeattachments/status", singular: "", namespaced: false, of: ("", ""), kind: "VolumeAttachment", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "volumeattributesclasses", singular: "volumeattributesclass", namespaced: false, of: ("", ""), kind: "VolumeAttributesClass", verbs: ALL, short: &["vac"], categories: &[], hash: "tIjydgKBC5w=" },
        ]),
    ] },
    Group { name: "admissionregistration.k8s.io", versions: &[
        ("v1", &[
            Resource { name: "mutatingadmissionpolicies", singular: "mutatingadmissionpolicy", namespaced: false, of: ("", ""), kind: "MutatingAdmissionPolicy", verbs: ALL, short: &[], categories: &[], hash: "mHCkTKpUTrE=" },
            Resource { name: "mutatingadmissionpolicybindings", singular: "mutatingadmissionpolicybinding", namespaced: false, of: ("", ""), kind: "MutatingAdmissionPolicyBinding", verbs: ALL, short: &[], categories: &[], hash: "ZKgZT1uTmZ0=" },
            Resource { name: "mutatingwebhookconfigurations", singular: "mutatingwebhookconfiguration", namespaced: false, of: ("", ""), kind: "MutatingWebhookConfiguration", verbs: ALL, short: &[], categories: &[], hash: "Sqi0GUgDaX0=" },
            Resource { name: "validatingadmissionpolicies", singular: "validatingadmissionpolicy", namespaced: false, of: ("", ""), kind: "ValidatingAdmissionPolicy", verbs: ALL, short: &[], categories: &[], hash: "6OxvlMmQ6is=" },
            Resource { name: "validatingadmissionpolicies/status", singular: "", namespaced: false, of: ("", ""), kind: "ValidatingAdmissionPolicy", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "validatingadmissionpolicybindings", singular: "validatingadmissionpolicybinding", namespaced: false, of: ("", ""), kind: "ValidatingAdmissionPolicyBinding", verbs: ALL, short: &[], categories: &[], hash: "v9715VZqakg=" },
            Resource { name: "validatingwebhookconfigurations", singular: "validatingwebhookconfiguration", namespaced: false, of: ("", ""), kind: "ValidatingWebhookConfiguration", verbs: ALL, short: &[], categories: &[], hash: "B0wHjQmsGNk=" },
        ]),
    ] },
    Group { name: "apiextensions.k8s.io", versions: &[
        ("v1", &[
            Resource { name: "customresourcedefinitions", singular: "customresourcedefinition", namespaced: false, of: ("", ""), kind: "CustomResourceDefinition", verbs: ALL, short: &["crd", "crds"], categories: &[], hash: "M5uH+AlWATY=" },
            Resource { name: "customresourcedefinitions/status", singular: "", namespaced: false, of: ("", ""), kind: "CustomResourceDefinition", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
        ]),
    ] },
    Group { name: "scheduling.k8s.io", versions: &[
        ("v1", &[
            Resource { name: "priorityclasses", singular: "priorityclass", namespaced: false, of: ("", ""), kind: "PriorityClass", verbs: ALL, short: &["pc"], categories: &[], hash: "1QwjyaZjj3Y=" },
        ]),
    ] },
    Group { name: "coordination.k8s.io", versions: &[
        ("v1", &[
            Resource { name: "leases", singular: "lease", namespaced: true, of: ("", ""), kind: "Lease", verbs: ALL, short: &[], categories: &[], hash: "gqkMMb/YqFM=" },
        ]),
    ] },
    Group { name: "node.k8s.io", versions: &[
        ("v1", &[
            Resource { name: "runtimeclasses", singular: "runtimeclass", namespaced: false, of: ("", ""), kind: "RuntimeClass", verbs: ALL, short: &[], categories: &[], hash: "WQTu1GL3T2Q=" },
        ]),
    ] },
    Group { name: "discovery.k8s.io", versions: &[
        ("v1", &[
            Resource { name: "endpointslices", singular: "endpointslice", namespaced: true, of: ("", ""), kind: "EndpointSlice", verbs: ALL, short: &[], categories: &[], hash: "qgS0xkrxYAI=" },
        ]),
    ] },
    Group { name: "resource.k8s.io", versions: &[
        ("v1", &[
            Resource { name: "deviceclasses", singular: "deviceclass", namespaced: false, of: ("", ""), kind: "DeviceClass", verbs: ALL, short: &[], categories: &[], hash: "Yk2PTc1Ybxk=" },
            Resource { name: "resourceclaims", singular: "resourceclaim", namespaced: true, of: ("", ""), kind: "ResourceClaim", verbs: ALL, short: &[], categories: &[], hash: "wgAZaHcZxUg=" },
            Resource { name: "resourceclaims/status", singular: "", namespaced: true, of: ("", ""), kind: "ResourceClaim", verbs: READ_WRITE, short: &[], categories: &[], hash: "" },
            Resource { name: "resourceclaimtemplates", singular: "resourceclaimtemplate", namespaced: true, of: ("", ""), kind: "ResourceClaimTemplate", verbs: ALL, short: &[], categories: &[], hash: "TuzjC49aUfM=" },
            Resource { name: "resourceslices", singular: "resourceslice", namespaced: false, of: ("", ""), kind: "ResourceSlice", verbs: ALL, short: &[], categories: &[], hash: "KsC072WgaEY=" },
        ]),
    ] },
    Group { name: "flowcontrol.apiserver.k8s.io", versions: &[
        ("v1", &[
            Resource { name: "flowschemas", singular: "flowschema", namespaced: false, of: ("", ""), kind: "FlowSchema", verbs: ALL, short: &[], categories: &[], hash: "GJVAJZSZBIw=" },
            Resource { name: "prioritylevelconfigurations", singular: "prioritylevelconfiguration", namespaced: false, of: ("", ""), kind: "PriorityLevelConfiguration", verbs: ALL, short: &[], categories: &[], hash: "Kir5PVfvNeI=" },
        ]),
    ] },
];
