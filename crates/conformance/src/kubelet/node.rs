//! The nodes of the recordings, as the stand-in kubelet registers and reports them.

use std::collections::BTreeMap;

use steady::api::types::{
    DaemonEndpoint, Node, NodeAddress, NodeCondition, NodeDaemonEndpoints, NodeSpec, NodeStatus,
    NodeSystemInfo, ObjectMeta, Quantity, Time,
};
use steady::api::{Timestamp, release};

/// The conditions of a healthy node in order: type, status, reason, message.
const HEALTHY: [(&str, &str, &str, &str); 4] = [
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
];

/// The interval of lease renewals and status reports, in seconds, as of real kubelets.
pub const HEARTBEAT_SECONDS: i64 = 10;

/// Whether the node's annotation `fake/down` is `"true"`.
pub fn is_down(node: &Node) -> bool {
    let annotations = node.metadata.annotations.as_ref();
    annotations.and_then(|a| a.get("fake/down")).is_some_and(|v| v == "true")
}

/// The Node that the kubelet of `node-<number>` creates when it starts. In a real cluster the node IPAM
/// controller assigns the range of pod addresses; here the kubelet does, so that no write of that controller
/// is in the recordings. The API server adds the not-ready taint.
pub fn registration(name: &str, number: u32) -> Node {
    let labels = [
        ("beta.kubernetes.io/arch", "amd64"),
        ("beta.kubernetes.io/os", "linux"),
        ("kubernetes.io/arch", "amd64"),
        ("kubernetes.io/hostname", name),
        ("kubernetes.io/os", "linux"),
    ];
    let pairs = |p: &[(&str, &str)]| p.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
    let range = format!("10.244.{number}.0/24");
    Node {
        metadata: ObjectMeta {
            name: Some(name.into()),
            labels: Some(pairs(&labels)),
            annotations: Some(pairs(&[("node.alpha.kubernetes.io/ttl", "0")])),
            ..ObjectMeta::default()
        },
        spec: Some(NodeSpec {
            pod_cidr: Some(range.clone()),
            pod_cidrs: Some(vec![range]),
            ..NodeSpec::default()
        }),
        status: None,
    }
}

/// The system information of a node with this name.
pub fn info(name: &str) -> NodeSystemInfo {
    NodeSystemInfo {
        architecture: "amd64".into(),
        boot_id: name.into(),
        container_runtime_version: "containerd://2.0.0".into(),
        kernel_version: "6.1.0".into(),
        kubelet_version: release::GIT_VERSION.into(),
        machine_id: name.into(),
        operating_system: "linux".into(),
        os_image: "fake".into(),
        system_uuid: name.into(),
        ..NodeSystemInfo::default()
    }
}

/// The status that the kubelet reports (`patch` of `status`): after registration, with every heartbeat, and
/// when the node is no longer down.
pub fn report(node: &Node, number: u32, now: Timestamp) -> NodeStatus {
    let name = node.metadata.name.clone().unwrap_or_default();
    let mut status = node.status.clone().unwrap_or_default();
    let address = |type_: &str, address: String| NodeAddress { type_: type_.into(), address };
    status.addresses = Some(vec![
        address("InternalIP", format!("172.18.0.{}", number.saturating_add(1))),
        address("Hostname", name.clone()),
    ]);
    let resources = [("cpu", "4"), ("ephemeral-storage", "100Gi"), ("memory", "8Gi"), ("pods", "110")];
    let resources: BTreeMap<String, Quantity> =
        resources.iter().map(|(k, v)| ((*k).into(), Quantity((*v).into()))).collect();
    status.capacity = Some(resources.clone());
    status.allocatable = Some(resources);
    status.daemon_endpoints =
        Some(NodeDaemonEndpoints { kubelet_endpoint: Some(DaemonEndpoint { port: 10250 }) });
    status.node_info = Some(info(&name));
    let now = Timestamp::from_second(now.as_second()).unwrap_or(now);
    let before = status.conditions.take().unwrap_or_default();
    let condition = |(type_, value, reason, message): &(&str, &str, &str, &str)| {
        let same = before.iter().find(|c| c.type_ == *type_ && c.status == *value);
        NodeCondition {
            type_: (*type_).into(),
            status: (*value).into(),
            reason: Some((*reason).into()),
            message: Some((*message).into()),
            last_heartbeat_time: Some(Time(now)),
            last_transition_time: same.and_then(|c| c.last_transition_time.clone()).or(Some(Time(now))),
        }
    };
    status.conditions = Some(HEALTHY.iter().map(condition).collect());
    status
}
