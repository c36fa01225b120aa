//! The table of built-in kinds and that of the other versions that some of them are served in.
//!
//! What differs between kinds is in a trait that every built-in kind implements: in the API server that is
//! `apiserver::kinds::Strategy`. The modules with such a trait go through the table with [`with_built_in_kinds!`], so a
//! kind that is added here does not compile until each of them handles it. `crates/generate` reads the rows, too.

/// Calls a macro with the table of built-in kinds. The columns of a row: the type (`types::Pod`), the
/// constant's name, group and version, plural, singular, short names, scope, subresources.
///
/// A module that must handle every kind defines a macro that takes these rows, and passes it to this one.
/// The order of the rows is the order of keys in etcd, so new rows are added at the end.
#[macro_export]
macro_rules! with_built_in_kinds {
    ($apply:ident) => {
        $apply! {
            /// A scope for the names of objects.
            Namespace NAMESPACE: ""/"v1" "namespaces" "namespace" ["ns"] Cluster ["status", "finalize"];
            /// A machine that runs pods.
            Node NODE: ""/"v1" "nodes" "node" ["no"] Cluster ["status"];
            /// Containers that run together on one node.
            Pod POD: ""/"v1" "pods" "pod" ["po"] Namespaced ["status", "binding", "eviction", "ephemeralcontainers", "resize"];
            /// A stable address for pods.
            Service SERVICE: ""/"v1" "services" "service" ["svc"] Namespaced ["status"];
            /// The addresses behind a Service, in the older form.
            Endpoints ENDPOINTS: ""/"v1" "endpoints" "endpoints" ["ep"] Namespaced [];
            /// The addresses behind a Service.
            EndpointSlice ENDPOINT_SLICE: "discovery.k8s.io"/"v1" "endpointslices" "endpointslice" [] Namespaced [];
            /// The identity of a pod towards the API server.
            ServiceAccount SERVICE_ACCOUNT: ""/"v1" "serviceaccounts" "serviceaccount" ["sa"] Namespaced [];
            /// Configuration data.
            ConfigMap CONFIG_MAP: ""/"v1" "configmaps" "configmap" ["cm"] Namespaced [];
            /// Confidential data.
            Secret SECRET: ""/"v1" "secrets" "secret" [] Namespaced [];
            /// Something that happened to an object.
            Event EVENT: ""/"v1" "events" "event" ["ev"] Namespaced [];
            /// A request for storage.
            PersistentVolumeClaim PERSISTENT_VOLUME_CLAIM: ""/"v1" "persistentvolumeclaims" "persistentvolumeclaim" ["pvc"] Namespaced ["status"];
            /// A piece of storage.
            PersistentVolume PERSISTENT_VOLUME: ""/"v1" "persistentvolumes" "persistentvolume" ["pv"] Cluster ["status"];
            /// A class of storage, with its provisioner.
            StorageClass STORAGE_CLASS: "storage.k8s.io"/"v1" "storageclasses" "storageclass" ["sc"] Cluster [];
            /// A heartbeat, or a lock.
            Lease LEASE: "coordination.k8s.io"/"v1" "leases" "lease" [] Namespaced [];
            /// A number of equal pods, with rollouts.
            Deployment DEPLOYMENT: "apps"/"v1" "deployments" "deployment" ["deploy"] Namespaced ["status", "scale"];
            /// A number of equal pods.
            ReplicaSet REPLICA_SET: "apps"/"v1" "replicasets" "replicaset" ["rs"] Namespaced ["status", "scale"];
            /// A number of pods with stable names and storage of their own.
            StatefulSet STATEFUL_SET: "apps"/"v1" "statefulsets" "statefulset" ["sts"] Namespaced ["status", "scale"];
            /// A pod on every node.
            DaemonSet DAEMON_SET: "apps"/"v1" "daemonsets" "daemonset" ["ds"] Namespaced ["status"];
            /// Pods that run to completion.
            Job JOB: "batch"/"v1" "jobs" "job" [] Namespaced ["status"];
            /// Jobs on a schedule.
            CronJob CRON_JOB: "batch"/"v1" "cronjobs" "cronjob" ["cj"] Namespaced ["status"];
            /// How many pods of an application may be disrupted at the same time.
            PodDisruptionBudget POD_DISRUPTION_BUDGET: "policy"/"v1" "poddisruptionbudgets" "poddisruptionbudget" ["pdb"] Namespaced ["status"];
            /// A priority of pods.
            PriorityClass PRIORITY_CLASS: "scheduling.k8s.io"/"v1" "priorityclasses" "priorityclass" ["pc"] Cluster [];
            /// The rule by which a number of pods follows the load.
            HorizontalPodAutoscaler HORIZONTAL_POD_AUTOSCALER: "autoscaling"/"v2" "horizontalpodautoscalers" "horizontalpodautoscaler" ["hpa"] Namespaced ["status"];
            /// Limits and defaults for single objects of a namespace.
            LimitRange LIMIT_RANGE: ""/"v1" "limitranges" "limitrange" ["limits"] Namespaced [];
            /// Limits for all objects of a namespace together.
            ResourceQuota RESOURCE_QUOTA: ""/"v1" "resourcequotas" "resourcequota" ["quota"] Namespaced ["status"];
            /// A number of equal pods, in the older form.
            ReplicationController REPLICATION_CONTROLLER: ""/"v1" "replicationcontrollers" "replicationcontroller" ["rc"] Namespaced ["status", "scale"];
            /// Routes from hosts and paths to Services.
            Ingress INGRESS: "networking.k8s.io"/"v1" "ingresses" "ingress" ["ing"] Namespaced ["status"];
            /// A class of Ingresses, with its controller.
            IngressClass INGRESS_CLASS: "networking.k8s.io"/"v1" "ingressclasses" "ingressclass" [] Cluster [];
            /// Which network traffic is allowed for a set of pods.
            NetworkPolicy NETWORK_POLICY: "networking.k8s.io"/"v1" "networkpolicies" "networkpolicy" ["netpol"] Namespaced [];
            /// A set of permissions in a namespace.
            Role ROLE: "rbac.authorization.k8s.io"/"v1" "roles" "role" [] Namespaced [];
            /// A set of permissions in the whole cluster.
            ClusterRole CLUSTER_ROLE: "rbac.authorization.k8s.io"/"v1" "clusterroles" "clusterrole" [] Cluster [];
            /// Grants a role to users in a namespace.
            RoleBinding ROLE_BINDING: "rbac.authorization.k8s.io"/"v1" "rolebindings" "rolebinding" [] Namespaced [];
            /// Grants a role to users in the whole cluster.
            ClusterRoleBinding CLUSTER_ROLE_BINDING: "rbac.authorization.k8s.io"/"v1" "clusterrolebindings" "clusterrolebinding" [] Cluster [];
            /// A revision of the template from which a controller creates pods.
            ControllerRevision CONTROLLER_REVISION: "apps"/"v1" "controllerrevisions" "controllerrevision" [] Namespaced [];
            /// A kind that is added to a cluster while it runs.
            CustomResourceDefinition CUSTOM_RESOURCE_DEFINITION: "apiextensions.k8s.io"/"v1" "customresourcedefinitions" "customresourcedefinition" ["crd", "crds"] Cluster ["status"];
            /// How volumes of a CSI driver are attached and mounted.
            CSIDriver CSI_DRIVER: "storage.k8s.io"/"v1" "csidrivers" "csidriver" [] Cluster [];
            /// Which CSI drivers a node has.
            CSINode CSI_NODE: "storage.k8s.io"/"v1" "csinodes" "csinode" [] Cluster [];
            /// A volume that is, or is to be, attached to a node.
            VolumeAttachment VOLUME_ATTACHMENT: "storage.k8s.io"/"v1" "volumeattachments" "volumeattachment" [] Cluster ["status"];
            /// A request for a certificate, and the certificate.
            CertificateSigningRequest CERTIFICATE_SIGNING_REQUEST: "certificates.k8s.io"/"v1" "certificatesigningrequests" "certificatesigningrequest" ["csr"] Cluster ["status", "approval"];
            /// A class of attributes that volumes can have and change.
            VolumeAttributesClass VOLUME_ATTRIBUTES_CLASS: "storage.k8s.io"/"v1" "volumeattributesclasses" "volumeattributesclass" ["vac"] Cluster [];
            /// How much storage a CSI driver has for a class in a part of the cluster.
            CSIStorageCapacity CSI_STORAGE_CAPACITY: "storage.k8s.io"/"v1" "csistoragecapacities" "csistoragecapacity" [] Namespaced [];
            /// A template for pods that no controller of Kubernetes itself uses.
            PodTemplate POD_TEMPLATE: ""/"v1" "podtemplates" "podtemplate" [] Namespaced [];
            /// A way to run containers, and what it costs and needs.
            RuntimeClass RUNTIME_CLASS: "node.k8s.io"/"v1" "runtimeclasses" "runtimeclass" [] Cluster [];
            /// A range of addresses that Services get theirs from.
            ServiceCIDR SERVICE_CIDR: "networking.k8s.io"/"v1" "servicecidrs" "servicecidr" [] Cluster ["status"];
            /// An address that is taken, with the object that has it.
            IPAddress IP_ADDRESS: "networking.k8s.io"/"v1" "ipaddresses" "ipaddress" ["ip"] Cluster [];
            /// Rules that requests must keep.
            ValidatingAdmissionPolicy VALIDATING_ADMISSION_POLICY: "admissionregistration.k8s.io"/"v1" "validatingadmissionpolicies" "validatingadmissionpolicy" [] Cluster ["status"];
            /// Where the rules of a policy count, and what becomes of requests that do not keep them.
            ValidatingAdmissionPolicyBinding VALIDATING_ADMISSION_POLICY_BINDING: "admissionregistration.k8s.io"/"v1" "validatingadmissionpolicybindings" "validatingadmissionpolicybinding" [] Cluster [];
            /// Changes that are made to objects which requests write.
            MutatingAdmissionPolicy MUTATING_ADMISSION_POLICY: "admissionregistration.k8s.io"/"v1" "mutatingadmissionpolicies" "mutatingadmissionpolicy" [] Cluster [];
            /// Where the changes of a policy are made.
            MutatingAdmissionPolicyBinding MUTATING_ADMISSION_POLICY_BINDING: "admissionregistration.k8s.io"/"v1" "mutatingadmissionpolicybindings" "mutatingadmissionpolicybinding" [] Cluster [];
            /// A request for devices, and which devices it got.
            ResourceClaim RESOURCE_CLAIM: "resource.k8s.io"/"v1" "resourceclaims" "resourceclaim" [] Namespaced ["status"];
            /// A template for the claims of pods.
            ResourceClaimTemplate RESOURCE_CLAIM_TEMPLATE: "resource.k8s.io"/"v1" "resourceclaimtemplates" "resourceclaimtemplate" [] Namespaced [];
            /// A class of devices that claims ask for.
            DeviceClass DEVICE_CLASS: "resource.k8s.io"/"v1" "deviceclasses" "deviceclass" [] Cluster [];
            /// The devices that a driver has, on a node or beside it.
            ResourceSlice RESOURCE_SLICE: "resource.k8s.io"/"v1" "resourceslices" "resourceslice" [] Cluster [];
        }
    };
}

/// Calls a macro with the table of the versions in which built-in kinds are served besides the one that their objects
/// are stored in. A row is: the variant of `OtherVersion`, the kind and its constant, group and version.
///
/// A room that must know every version defines a macro that takes these rows and calls this one with it. The API
/// server's conversions are in `apiserver::kinds::versions`.
#[macro_export]
macro_rules! with_other_versions {
    ($apply:ident) => {
        $apply! {
            /// Autoscaling by the use of CPU alone.
            HorizontalPodAutoscalerV1 of HorizontalPodAutoscaler HORIZONTAL_POD_AUTOSCALER: "autoscaling"/"v1";
            /// Events with the names of fields that their own group gives them.
            EventsV1Event of Event EVENT: "events.k8s.io"/"v1";
        }
    };
}
