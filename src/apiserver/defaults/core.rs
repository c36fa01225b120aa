//! Defaults of Service, Secret, Namespace, Node, PersistentVolume and PersistentVolumeClaim
//! (`pkg/apis/core/v1/defaults.go`).

use crate::api::MetaExt;
use crate::api::types as t;
use t::IntOrString;

use super::{default, quantities, volume};

/// How long a client stays with a pod if the affinity does not say, in seconds.
const DEFAULT_CLIENT_IP_AFFINITY_SECONDS: i32 = 10800;

/// Its labels and its selector are its pods' labels if it does not say.
pub(in crate::apiserver) fn replication_controller(controller: &mut t::ReplicationController) {
    let spec = controller.spec.get_or_insert_default();
    spec.replicas.get_or_insert(1);
    let labels = spec.template.as_ref().and_then(|t| t.metadata.as_ref()?.labels.clone());
    for own in [&mut spec.selector, &mut controller.metadata.labels] {
        if own.as_ref().is_none_or(|l| l.is_empty()) && labels.is_some() {
            own.clone_from(&labels);
        }
    }
    if let Some(template) = &mut spec.template {
        super::pod::template(template);
    }
    controller.status.get_or_insert_default();
}

pub(in crate::apiserver) fn service(service: &mut t::Service) {
    let spec = service.spec.get_or_insert_default();
    default(&mut spec.session_affinity, "None");
    match spec.session_affinity.as_deref() {
        Some("None") => spec.session_affinity_config = None,
        Some("ClientIP") => {
            spec.session_affinity_config
                .get_or_insert_default()
                .client_ip
                .get_or_insert_default()
                .timeout_seconds
                .get_or_insert(DEFAULT_CLIENT_IP_AFFINITY_SECONDS);
        }
        _ => {}
    }
    default(&mut spec.type_, "ClusterIP");
    for port in spec.ports.iter_mut().flatten() {
        default(&mut port.protocol, "TCP");
        let unset = match &port.target_port {
            None | Some(IntOrString::Int(0)) => true,
            Some(IntOrString::String(name)) => name.is_empty(),
            Some(IntOrString::Int(_)) => false,
        };
        if unset {
            port.target_port = Some(IntOrString::Int(port.port));
        }
    }
    let kind = spec.type_.clone().unwrap_or_default();
    let external_ips = spec.external_ips.as_ref().is_some_and(|ips| !ips.is_empty());
    if matches!(kind.as_str(), "LoadBalancer" | "NodePort") || (kind == "ClusterIP" && external_ips) {
        default(&mut spec.external_traffic_policy, "Cluster");
    }
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer" | "ClusterIP") {
        spec.internal_traffic_policy.get_or_insert_with(|| "Cluster".to_owned());
    }
    if kind == "LoadBalancer" {
        spec.allocate_load_balancer_node_ports.get_or_insert(true);
    }
    let balancer = service.status.get_or_insert_default().load_balancer.get_or_insert_default();
    if kind == "LoadBalancer" {
        for ingress in balancer.ingress.iter_mut().flatten() {
            if ingress.ip.as_ref().is_some_and(|ip| !ip.is_empty()) {
                ingress.ip_mode.get_or_insert_with(|| "VIP".to_owned());
            }
        }
    }
}

pub(in crate::apiserver) fn secret(secret: &mut t::Secret) {
    default(&mut secret.type_, "Opaque");
}

pub(in crate::apiserver) fn namespace(namespace: &mut t::Namespace) {
    let name = MetaExt::name(&namespace.metadata).to_owned();
    if !name.is_empty() {
        let labels = namespace.metadata.labels.get_or_insert_default();
        labels.insert("kubernetes.io/metadata.name".to_owned(), name);
    }
    namespace.spec.get_or_insert_default();
    default(&mut namespace.status.get_or_insert_default().phase, "Active");
}

pub(in crate::apiserver) fn node(node: &mut t::Node) {
    node.spec.get_or_insert_default();
    let status = node.status.get_or_insert_default();
    quantities::list(&mut status.capacity);
    quantities::list(&mut status.allocatable);
    if status.allocatable.is_none() {
        status.allocatable.clone_from(&status.capacity);
    }
}

pub(in crate::apiserver) fn persistent_volume(volume: &mut t::PersistentVolume) {
    default(&mut volume.status.get_or_insert_default().phase, "Pending");
    let spec = volume.spec.get_or_insert_default();
    default(&mut spec.persistent_volume_reclaim_policy, "Retain");
    spec.volume_mode.get_or_insert_with(|| "Filesystem".to_owned());
    quantities::list(&mut spec.capacity);
    if let Some(path) = &mut spec.host_path {
        volume::host_path(path);
    }
    if let Some(iscsi) = &mut spec.iscsi {
        default(&mut iscsi.iscsi_interface, "default");
    }
    if let Some(rbd) = &mut spec.rbd {
        default(&mut rbd.pool, "rbd");
        default(&mut rbd.user, "admin");
        default(&mut rbd.keyring, "/etc/ceph/keyring");
    }
    if let Some(disk) = &mut spec.azure_disk {
        volume::azure_disk(disk);
    }
    if let Some(io) = &mut spec.scale_io {
        default(&mut io.storage_mode, "ThinProvisioned");
        default(&mut io.fs_type, "xfs");
    }
}

pub(in crate::apiserver) fn persistent_volume_claim(claim: &mut t::PersistentVolumeClaim) {
    let status = claim.status.get_or_insert_default();
    default(&mut status.phase, "Pending");
    quantities::list(&mut status.capacity);
    quantities::list(&mut status.allocated_resources);
    claim_spec(claim.spec.get_or_insert_default());
}

/// Defaults of a claim's spec, which a pod's ephemeral volumes have as well.
pub(in crate::apiserver) fn claim_spec(spec: &mut t::PersistentVolumeClaimSpec) {
    spec.volume_mode.get_or_insert_with(|| "Filesystem".to_owned());
    let resources = spec.resources.get_or_insert_default();
    quantities::list(&mut resources.limits);
    quantities::list(&mut resources.requests);
}
