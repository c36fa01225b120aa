//! Names that Kubernetes gives a meaning: labels, annotations and taints that more than one room reads
//! (<https://kubernetes.io/docs/reference/labels-annotations-taints/>).

/// Label of a pod: the revision of its StatefulSet or DaemonSet that it was made from.
pub const CONTROLLER_REVISION_HASH_LABEL: &str = "controller-revision-hash";
