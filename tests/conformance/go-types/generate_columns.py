#!/usr/bin/env python3
"""Writes src/apiserver/http/columns.rs from the documentation of Kubernetes' fields.

Usage: generate_columns.py API_GIT_DIR APIMACHINERY_GIT_DIR > ../../../src/apiserver/http/columns.rs
(git directories of kubernetes/api and kubernetes/apimachinery with a branch release-1.36).
"""
import json
import re
import subprocess
import sys

BRANCH = "release-1.36"
docs = {}
for source, package, path in [
    (1, "core", "core/v1"), (1, "apps", "apps/v1"), (1, "batch", "batch/v1"), (1, "discovery", "discovery/v1"),
    (1, "policy", "policy/v1"), (1, "storage", "storage/v1"),
    (1, "scheduling", "scheduling/v1"), (1, "autoscaling", "autoscaling/v2"), (1, "coordination", "coordination/v1"),
    (1, "networking", "networking/v1"), (1, "rbac", "rbac/v1"), (2, "meta", "pkg/apis/meta/v1"),
]:
    git = ["git", "-C", sys.argv[source], "show", f"{BRANCH}:{path}/types_swagger_doc_generated.go"]
    text = subprocess.run(git, check=True, capture_output=True, text=True).stdout
    for m in re.finditer(r"var map_(\w+) = map\[string\]string\{\n(.*?)\n\}", text, re.S):
        for f in re.finditer(r'^\s*"(\w*)":\s*("(?:[^"\\]|\\.)*"),$', m[2], re.M):
            docs[f"{package}.{m[1]}.{f[1]}"] = json.loads(f[2])

CONTAINERS, IMAGES = "Names of each container in the template.", "Images referenced by each container in the template."
# kind, column: type, whether the cell is a number or bool, where it is described or how.
COLUMNS = {
    "Pod": {
        "Ready": ("string", 0, "The aggregate readiness state of this pod for accepting traffic."),
        "Status": ("string", 0, "The aggregate status of the containers in this pod."),
        "Restarts": ("string", 0, "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted."),
        "IP": ("string", 0, "core.PodStatus.podIP"),
        "Node": ("string", 0, "core.PodSpec.nodeName"),
        "Nominated Node": ("string", 0, "core.PodStatus.nominatedNodeName"),
        "Readiness Gates": ("string", 0, "core.PodSpec.readinessGates"),
    },
    "Deployment": {
        "Ready": ("string", 0, "Number of the pod with ready state"),
        "Up-to-date": ("string", 1, "apps.DeploymentStatus.updatedReplicas"),
        "Available": ("string", 1, "apps.DeploymentStatus.availableReplicas"),
        "Containers": ("string", 0, CONTAINERS), "Images": ("string", 0, IMAGES),
        "Selector": ("string", 0, "apps.DeploymentSpec.selector"),
    },
    "ReplicaSet": {
        "Desired": ("integer", 1, "apps.ReplicaSetSpec.replicas"),
        "Current": ("integer", 1, "apps.ReplicaSetStatus.replicas"),
        "Ready": ("integer", 1, "apps.ReplicaSetStatus.readyReplicas"),
        "Containers": ("string", 0, CONTAINERS), "Images": ("string", 0, IMAGES),
        "Selector": ("string", 0, "apps.ReplicaSetSpec.selector"),
    },
    "StatefulSet": {
        "Ready": ("string", 0, "Number of the pod with ready state"),
        "Containers": ("string", 0, CONTAINERS), "Images": ("string", 0, IMAGES),
    },
    "DaemonSet": {
        "Desired": ("integer", 1, "apps.DaemonSetStatus.desiredNumberScheduled"),
        "Current": ("integer", 1, "apps.DaemonSetStatus.currentNumberScheduled"),
        "Ready": ("integer", 1, "apps.DaemonSetStatus.numberReady"),
        "Up-to-date": ("integer", 1, "apps.DaemonSetStatus.updatedNumberScheduled"),
        "Available": ("integer", 1, "apps.DaemonSetStatus.numberAvailable"),
        "Node Selector": ("string", 0, "core.PodSpec.nodeSelector"),
        "Containers": ("string", 0, CONTAINERS), "Images": ("string", 0, IMAGES),
        "Selector": ("string", 0, "apps.DaemonSetSpec.selector"),
    },
    "Job": {
        "Status": ("string", 0, "Status of the job."), "Completions": ("string", 0, "batch.JobStatus.succeeded"),
        "Duration": ("string", 0, "Time required to complete the job."),
        "Containers": ("string", 0, CONTAINERS), "Images": ("string", 0, IMAGES),
        "Selector": ("string", 0, "batch.JobSpec.selector"),
    },
    "CronJob": {
        "Schedule": ("string", 0, "batch.CronJobSpec.schedule"), "Timezone": ("string", 0, "batch.CronJobSpec.timeZone"),
        "Suspend": ("boolean", 0, "batch.CronJobSpec.suspend"), "Active": ("integer", 1, "batch.CronJobStatus.active"),
        "Last Schedule": ("string", 0, "batch.CronJobStatus.lastScheduleTime"),
        "Containers": ("string", 0, CONTAINERS), "Images": ("string", 0, IMAGES),
        "Selector": ("string", 0, "batch.JobSpec.selector"),
    },
    "PodDisruptionBudget": {
        "Min Available": ("string", 0, "The minimum number of pods that must be available."),
        "Max Unavailable": ("string", 0, "The maximum number of pods that may be unavailable."),
        "Allowed Disruptions": ("integer", 1, "Calculated number of pods that may be disrupted at this time."),
    },
    "Service": {
        "Type": ("string", 0, "core.ServiceSpec.type"), "Cluster-IP": ("string", 0, "core.ServiceSpec.clusterIP"),
        "External-IP": ("string", 0, "core.ServiceSpec.externalIPs"), "Port(s)": ("string", 0, "core.ServiceSpec.ports"),
        "Selector": ("string", 0, "core.ServiceSpec.selector"),
    },
    "Endpoints": {"Endpoints": ("string", 0, "core.Endpoints.subsets")},
    "EndpointSlice": {
        "AddressType": ("string", 0, "discovery.EndpointSlice.addressType"),
        "Ports": ("string", 0, "discovery.EndpointSlice.ports"),
        "Endpoints": ("string", 0, "discovery.EndpointSlice.endpoints"),
    },
    "Namespace": {"Status": ("string", 0, "The status of the namespace")},
    "Node": {
        "Status": ("string", 0, "The status of the node"), "Roles": ("string", 0, "The roles of the node"),
        "Version": ("string", 0, "core.NodeSystemInfo.kubeletVersion"),
        "Internal-IP": ("string", 0, "core.NodeStatus.addresses"), "External-IP": ("string", 0, "core.NodeStatus.addresses"),
        "OS-Image": ("string", 0, "core.NodeSystemInfo.osImage"),
        "Kernel-Version": ("string", 0, "core.NodeSystemInfo.kernelVersion"),
        "Container-Runtime": ("string", 0, "core.NodeSystemInfo.containerRuntimeVersion"),
    },
    "ConfigMap": {"Data": ("string", 1, "core.ConfigMap.data")},
    "Secret": {"Type": ("string", 0, "core.Secret.type"), "Data": ("string", 1, "core.Secret.data")},
    "Event": {
        "Last Seen": ("string", 0, "core.Event.lastTimestamp"), "Type": ("string", 0, "core.Event.type"),
        "Reason": ("string", 0, "core.Event.reason"), "Object": ("string", 0, "core.Event.involvedObject"),
        "Subobject": ("string", 0, "core.ObjectReference.fieldPath"), "Source": ("string", 0, "core.Event.source"),
        "Message": ("string", 0, "core.Event.message"), "First Seen": ("string", 0, "core.Event.firstTimestamp"),
        "Count": ("string", 1, "core.Event.count"),
    },
    "Lease": {"Holder": ("string", 0, "coordination.LeaseSpec.holderIdentity")},
    "HorizontalPodAutoscaler": {
        "Reference": ("string", 0, "autoscaling.HorizontalPodAutoscalerSpec.scaleTargetRef"),
        "Targets": ("string", 0, "autoscaling.HorizontalPodAutoscalerSpec.metrics"),
        "MinPods": ("string", 0, "autoscaling.HorizontalPodAutoscalerSpec.minReplicas"),
        "MaxPods": ("string", 1, "autoscaling.HorizontalPodAutoscalerSpec.maxReplicas"),
        "Replicas": ("string", 1, "autoscaling.HorizontalPodAutoscalerStatus.currentReplicas"),
    },
    "ResourceQuota": {
        "Request": ("string", 0, "Request represents a minimum amount of cpu/memory that a container may consume."),
        "Limit": ("string", 0, "Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node."),
    },
    "PriorityClass": {
        "Value": ("integer", 1, "scheduling.PriorityClass.value"),
        "Global-Default": ("boolean", 1, "scheduling.PriorityClass.globalDefault"),
        "PreemptionPolicy": ("string", 0, "scheduling.PriorityClass.preemptionPolicy"),
    },
    "PersistentVolume": {
        "Capacity": ("string", 0, "core.PersistentVolumeSpec.capacity"),
        "Access Modes": ("string", 0, "core.PersistentVolumeSpec.accessModes"),
        "Reclaim Policy": ("string", 0, "core.PersistentVolumeSpec.persistentVolumeReclaimPolicy"),
        "Status": ("string", 0, "core.PersistentVolume.status"), "Claim": ("string", 0, "core.PersistentVolumeSpec.claimRef"),
        "StorageClass": ("string", 0, "StorageClass of the pv"),
        "VolumeAttributesClass": ("string", 0, "VolumeAttributesClass of the pv"),
        "Reason": ("string", 0, "core.PersistentVolumeStatus.reason"),
        "VolumeMode": ("string", 0, "core.PersistentVolumeSpec.volumeMode"),
    },
    "PersistentVolumeClaim": {
        "Status": ("string", 0, "core.PersistentVolumeClaimStatus.phase"),
        "Volume": ("string", 0, "core.PersistentVolumeClaimSpec.volumeName"),
        "Capacity": ("string", 0, "core.PersistentVolumeClaimStatus.capacity"),
        "Access Modes": ("string", 0, "core.PersistentVolumeClaimStatus.accessModes"),
        "StorageClass": ("string", 0, "StorageClass of the pvc"),
        "VolumeAttributesClass": ("string", 0, "VolumeAttributesClass of the pvc"),
        "VolumeMode": ("string", 0, "core.PersistentVolumeClaimSpec.volumeMode"),
    },
    "Ingress": {
        "Class": ("string", 0, "The name of the IngressClass resource that should be used for additional configuration"),
        "Hosts": ("string", 0, "Hosts that incoming requests are matched against before the ingress rule"),
        "Address": ("string", 0, "Address is a list containing ingress points for the load-balancer"),
        "Ports": ("string", 0, "Ports of TLS configurations that open"),
    },
    "IngressClass": {
        "Controller": ("string", 0, "Controller that is responsible for handling this class"),
        "Parameters": ("string", 0, "A reference to a resource with additional parameters"),
    },
    "NetworkPolicy": {"Pod-Selector": ("string", 0, "networking.NetworkPolicySpec.podSelector")},
    **{
        kind: {
            "Role": ("string", 0, f"rbac.{kind}.roleRef"),
            "Users": ("string", 0, f"Users in the {kind[0].lower()}{kind[1:]}"),
            "Groups": ("string", 0, f"Groups in the {kind[0].lower()}{kind[1:]}"),
            "ServiceAccounts": ("string", 0, f"ServiceAccounts in the {kind[0].lower()}{kind[1:]}"),
        }
        for kind in ["RoleBinding", "ClusterRoleBinding"]
    },
    "ReplicationController": {
        "Desired": ("integer", 1, "core.ReplicationControllerSpec.replicas"),
        "Current": ("integer", 1, "core.ReplicationControllerStatus.replicas"),
        "Ready": ("integer", 1, "core.ReplicationControllerStatus.readyReplicas"),
        "Containers": ("string", 0, CONTAINERS), "Images": ("string", 0, IMAGES),
        "Selector": ("string", 0, "core.ReplicationControllerSpec.selector"),
    },
    "StorageClass": {
        "Provisioner": ("string", 0, "storage.StorageClass.provisioner"),
        "ReclaimPolicy": ("string", 0, "storage.StorageClass.reclaimPolicy"),
        "VolumeBindingMode": ("string", 0, "storage.StorageClass.volumeBindingMode"),
        "AllowVolumeExpansion": ("string", 1, "storage.StorageClass.allowVolumeExpansion"),
    },
}


def rust(text):
    return json.dumps(text, ensure_ascii=False)


print("//! What the columns of tables hold, in Kubernetes' words. Generated by")
print("//! tests/conformance/go-types/generate_columns.py; do not edit.\n")
print("use crate::api::Kind;\n")
print("/// A column's type and description.\npub(super) struct Described {\n    /// `string`, `integer` …\n    pub kind: &'static str,")
print("    /// Whether its cells are numbers or bools, not text.\n    pub bare: bool,\n    /// What it holds.\n    pub description: &'static str,\n}\n")
print(f"/// Of the column Name.\npub(super) const NAME: &str = {rust(docs['meta.ObjectMeta.name'])};")
print(f"/// Of the column Age.\npub(super) const CREATED: &str = {rust(docs['meta.ObjectMeta.creationTimestamp'])};\n")
print("/// What a column of a kind holds.\npub(super) fn describe(kind: Kind, column: &str) -> Described {")
print("    let (kind, bare, description) = match (kind, column) {")
print('        (_, "Name") => ("string", false, NAME),')
print('        (_, "Age") => ("string", false, CREATED),')
for kind, columns in COLUMNS.items():
    for name, (t, bare, text) in columns.items():
        if re.match(r"\w+\.\w+\.\w+$", text):
            text = docs[text]
        print(f'        (Kind::{kind}, "{name}") => ("{t}", {str(bool(bare)).lower()}, {rust(text)}),')
print('        _ => ("string", false, ""),')
print("    };\n    Described { kind, bare, description }\n}")
