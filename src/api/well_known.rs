//! Names to which Kubernetes gives a meaning: labels, annotations, taints, namespaces and signers that more than one module reads
//! (<https://kubernetes.io/docs/reference/labels-annotations-taints/>).

/// The lowest priority of a pod that the system needs (`SystemCriticalPriority`).
pub const SYSTEM_CRITICAL_PRIORITY: i32 = 2_000_000_000;
/// Annotation: the configuration that `kubectl apply` sent last, as JSON.
pub const LAST_APPLIED_CONFIG_ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// Annotation: the command that led to a revision of a workload.
pub const CHANGE_CAUSE_ANNOTATION: &str = "kubernetes.io/change-cause";
/// Annotation of a Deployment and of its ReplicaSets: the number of the revision.
pub const DEPLOYMENT_REVISION_ANNOTATION: &str = "deployment.kubernetes.io/revision";
/// Label of a ReplicaSet and of its pods: the hash of the Deployment's pod template.
pub const POD_TEMPLATE_HASH_LABEL: &str = "pod-template-hash";
/// Label of a pod: the revision of its StatefulSet or DaemonSet that it was made from.
pub const CONTROLLER_REVISION_HASH_LABEL: &str = "controller-revision-hash";
/// Annotation of a DaemonSet: the generation of its template, from before `apps/v1`.
pub const DEPRECATED_TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";
/// Annotation of a Deployment, from before `apps/v1`: the revision to which it is to go back.
pub const DEPRECATED_ROLLBACK_TO: &str = "deprecated.deployment.rollback.to";
/// Annotation of a pod, from before `securityContext.appArmorProfile`: a container's profile. The container's name
/// follows.
pub const APP_ARMOR_ANNOTATION_PREFIX: &str = "container.apparmor.security.beta.kubernetes.io/";
/// Annotation of a pod, from before `securityContext.seccompProfile`: the pod's profile.
pub const SECCOMP_POD_ANNOTATION: &str = "seccomp.security.alpha.kubernetes.io/pod";
/// Annotation of a pod, from before `securityContext.seccompProfile`: a container's profile. The container's name follows.
pub const SECCOMP_CONTAINER_ANNOTATION_PREFIX: &str = "container.seccomp.security.alpha.kubernetes.io/";
/// Label of a node: its host name.
pub const LABEL_HOSTNAME: &str = "kubernetes.io/hostname";
/// Label of Endpoints: who writes them.
pub const ENDPOINTS_MANAGED_BY_LABEL: &str = "endpoints.kubernetes.io/managed-by";
/// Taint of a node whose condition `Ready` is false.
pub const TAINT_NODE_NOT_READY: &str = "node.kubernetes.io/not-ready";
/// Taint of a node whose condition `Ready` is unknown.
pub const TAINT_NODE_UNREACHABLE: &str = "node.kubernetes.io/unreachable";
/// Taint of a node with `spec.unschedulable`.
pub const TAINT_NODE_UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";
/// The namespace of the Leases that kubelets renew.
pub const NODE_LEASE_NAMESPACE: &str = "kube-node-lease";
/// Annotation of a pod in a kubelet: where the kubelet has it from, `file` or `api`.
pub const CONFIG_SOURCE_ANNOTATION: &str = "kubernetes.io/config.source";
/// Annotation of a mirror pod, the object in the API server that shows a static pod: the hash of the static pod.
pub const CONFIG_MIRROR_ANNOTATION: &str = "kubernetes.io/config.mirror";
/// Annotation of a static pod: the hash of its manifest.
pub const CONFIG_HASH_ANNOTATION: &str = "kubernetes.io/config.hash";
/// Annotation of a pod in a kubelet: when the kubelet has seen it first.
pub const CONFIG_SEEN_ANNOTATION: &str = "kubernetes.io/config.seen";
/// Type of a Secret: it holds a token of a ServiceAccount.
pub const SECRET_TYPE_SERVICE_ACCOUNT_TOKEN: &str = "kubernetes.io/service-account-token";
/// Annotation of a Secret with a token: the name of the token's ServiceAccount.
pub const SERVICE_ACCOUNT_NAME_ANNOTATION: &str = "kubernetes.io/service-account.name";
/// Annotation of a Secret with a token: the uid of the token's ServiceAccount.
pub const SERVICE_ACCOUNT_UID_ANNOTATION: &str = "kubernetes.io/service-account.uid";
/// Key in the data of a Secret with a token: the token.
pub const SERVICE_ACCOUNT_TOKEN_KEY: &str = "token";
/// Signer of certificates by which clients are known to the API server.
pub const KUBE_API_SERVER_CLIENT_SIGNER: &str = "kubernetes.io/kube-apiserver-client";
/// Signer of certificates by which kubelets are known to the API server.
pub const KUBE_API_SERVER_CLIENT_KUBELET_SIGNER: &str = "kubernetes.io/kube-apiserver-client-kubelet";
/// Signer of certificates with which kubelets serve.
pub const KUBELET_SERVING_SIGNER: &str = "kubernetes.io/kubelet-serving";
/// Signer of requests in versions before v1, which has no rules.
pub const LEGACY_UNKNOWN_SIGNER: &str = "kubernetes.io/legacy-unknown";
