//! What the types of Kubernetes 1.36 say about their defaults (the marker `default`).
//! Written by `cargo xtask generate`; do not edit.

/// The struct, the field's name in JSON, the default as JSON.
pub(super) static DEFAULTS: &[(&str, &str, &str)] = &[
    ("AzureDiskVolumeSource", "cachingMode", "\"ReadWrite\""),
    ("AzureDiskVolumeSource", "fsType", "\"ext4\""),
    ("AzureDiskVolumeSource", "kind", "\"Shared\""),
    ("AzureDiskVolumeSource", "readOnly", "false"),
    ("ContainerPort", "protocol", "\"TCP\""),
    ("DeviceToleration", "operator", "\"Equal\""),
    ("FileKeySelector", "optional", "false"),
    ("GRPCAction", "service", "\"\""),
    ("ISCSIPersistentVolumeSource", "iscsiInterface", "\"default\""),
    ("ISCSIVolumeSource", "iscsiInterface", "\"default\""),
    ("LocalObjectReference", "name", "\"\""),
    ("RBDPersistentVolumeSource", "keyring", "\"/etc/ceph/keyring\""),
    ("RBDPersistentVolumeSource", "pool", "\"rbd\""),
    ("RBDPersistentVolumeSource", "user", "\"admin\""),
    ("RBDVolumeSource", "keyring", "\"/etc/ceph/keyring\""),
    ("RBDVolumeSource", "pool", "\"rbd\""),
    ("RBDVolumeSource", "user", "\"admin\""),
    ("ReplicationControllerSpec", "minReadySeconds", "0"),
    ("ReplicationControllerSpec", "replicas", "1"),
    ("ScaleIOPersistentVolumeSource", "fsType", "\"xfs\""),
    ("ScaleIOPersistentVolumeSource", "storageMode", "\"ThinProvisioned\""),
    ("ScaleIOVolumeSource", "fsType", "\"xfs\""),
    ("ScaleIOVolumeSource", "storageMode", "\"ThinProvisioned\""),
    ("ScaleSpec", "replicas", "0"),
    ("ServicePort", "protocol", "\"TCP\""),
];
