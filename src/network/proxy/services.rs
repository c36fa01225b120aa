//! What a proxier takes from a Service (`pkg/proxy/serviceport.go`, `pkg/proxy/servicechangetracker.go`).

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;

use ipnet::IpNet;

use crate::api::MetaExt;
use crate::api::types::{Service, ServicePort as ApiPort, ServiceSpec};

use super::names::{Family, ServiceName, ServicePortName, parse_ip};
use crate::network::protocol::Protocol;

/// Label: another proxy than kube-proxy is responsible for the Service or the EndpointSlice (`LabelServiceProxyName`).
pub const LABEL_SERVICE_PROXY_NAME: &str = "service.kubernetes.io/service-proxy-name";
/// How long a client stays with its endpoint if a Service does not say (`DefaultClientIPServiceAffinitySeconds`).
pub const DEFAULT_CLIENT_IP_AFFINITY_SECONDS: u32 = 10_800;

/// One port of a Service, in one address family (`proxy.ServicePort`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServicePort {
    /// The cluster IP of the family.
    pub cluster_ip: IpAddr,
    /// The port on the cluster IP, the external IPs and the IPs of the load balancer.
    pub port: u16,
    /// The protocol of the port.
    pub protocol: Protocol,
    /// The port on every node; `None` if the Service has none.
    pub node_port: Option<u16>,
    /// `spec.externalIPs`
    pub external_ips: Vec<IpAddr>,
    /// The IPs of the load balancer for which packets arrive unchanged (`ipMode: VIP`, KEP-1860).
    pub load_balancer_vips: Vec<IpAddr>,
    /// Who may use the load balancer (`spec.loadBalancerSourceRanges`); empty if everybody may.
    pub source_ranges: Vec<IpNet>,
    /// How many seconds a client stays with its endpoint (`sessionAffinity: ClientIP`); `None` without affinity.
    pub affinity_seconds: Option<u32>,
    /// `internalTrafficPolicy: Local`: traffic to the cluster IP only goes to endpoints on the same node.
    pub internal_policy_local: bool,
    /// `externalTrafficPolicy: Local`: traffic from outside only goes to endpoints on the node where it arrives.
    pub external_policy_local: bool,
    /// The port where a load balancer asks whether the node has endpoints; `None` if the Service has none.
    pub health_check_node_port: Option<u16>,
}

/// The ports of all Services, in the order of their names (`proxy.ServicePortMap`).
pub type ServicePortMap = BTreeMap<ServicePortName, ServicePort>;

impl ServicePort {
    /// Whether there is another way to the port than the cluster IP.
    pub fn externally_accessible(&self) -> bool {
        self.node_port.is_some() || !self.load_balancer_vips.is_empty() || !self.external_ips.is_empty()
    }

    /// Whether endpoints on other nodes are needed. They are needed even if the external policy is `Local`, because pods
    /// of the cluster that call an external address are not subject to it.
    pub fn uses_cluster_endpoints(&self) -> bool {
        !self.internal_policy_local || self.externally_accessible()
    }

    /// Whether the endpoints of the own node are needed by themselves.
    pub fn uses_local_endpoints(&self) -> bool {
        self.internal_policy_local || (self.external_policy_local && self.externally_accessible())
    }

    /// Whether a load balancer of the Service lets only some clients in.
    pub fn has_source_ranges(&self) -> bool {
        !self.load_balancer_vips.is_empty() && !self.source_ranges.is_empty()
    }
}

/// Whether kube-proxy leaves a Service to another proxy.
fn has_other_proxy(service: &Service) -> bool {
    service.metadata.label(LABEL_SERVICE_PROXY_NAME).is_some()
}

/// Whether a Service has no address to be reached at (`ShouldSkipService`): a headless one, or an `ExternalName`.
fn is_skipped(spec: &ServiceSpec) -> bool {
    spec.type_.as_deref() == Some("ExternalName")
        || matches!(spec.cluster_ip.as_deref().unwrap_or_default(), "" | "None")
}

/// The cluster IP of a family (`GetClusterIPByFamily`). A Service from before dual stack has no `clusterIPs`.
fn cluster_ip(spec: &ServiceSpec, family: Family) -> Option<IpAddr> {
    let ips = spec.cluster_ips.as_deref().filter(|ips| !ips.is_empty());
    let ips = ips.unwrap_or(spec.cluster_ip.as_slice());
    ips.iter().filter_map(|ip| parse_ip(ip)).find(|ip| Family::of(*ip) == family)
}

/// Whether the external policy of a Service is `Local`, and it has a way in from outside (`ExternalPolicyLocal`).
fn external_policy_local(spec: &ServiceSpec) -> bool {
    let has_external_ips = spec.external_ips.as_ref().is_some_and(|ips| !ips.is_empty());
    let external = match spec.type_.as_deref().unwrap_or("ClusterIP") {
        "LoadBalancer" | "NodePort" => true,
        "ClusterIP" => has_external_ips,
        _ => false,
    };
    external && spec.external_traffic_policy.as_deref() == Some("Local")
}

/// The source ranges of a family. Blanks around a range are ignored, and a range of all addresses is the same as none.
fn source_ranges(spec: &ServiceSpec, family: Family) -> Vec<IpNet> {
    let all = spec.load_balancer_source_ranges.as_deref().unwrap_or_default();
    let nets = all.iter().filter_map(|range| range.trim().parse::<IpNet>().ok()).map(|net| net.trunc());
    let nets: Vec<IpNet> = nets.filter(|net| Family::of(net.addr()) == family).collect();
    if nets.iter().any(|net| net.prefix_len() == 0) { Vec::new() } else { nets }
}

/// The addresses of the load balancer of which kube-proxy makes rules: those with `ipMode: VIP`, which is the default.
fn load_balancer_vips(service: &Service, family: Family) -> Vec<IpAddr> {
    let status = service.status.as_ref().and_then(|s| s.load_balancer.as_ref());
    let ingress = status.and_then(|l| l.ingress.as_deref()).unwrap_or_default();
    let vips = ingress.iter().filter(|i| i.ip_mode.as_deref().unwrap_or("VIP") == "VIP");
    let vips = vips.filter_map(|i| parse_ip(i.ip.as_deref()?));
    vips.filter(|ip| Family::of(*ip) == family).collect()
}

fn number(n: Option<i32>) -> Option<u16> {
    n.and_then(|n| u16::try_from(n).ok()).filter(|n| *n != 0)
}

/// What a Service has in one family, for all its ports; its `port`, `protocol` and `node_port` are still empty.
fn base(service: &Service, spec: &ServiceSpec, family: Family) -> Option<ServicePort> {
    let external_policy_local = external_policy_local(spec);
    let needs_health_check = spec.type_.as_deref() == Some("LoadBalancer") && external_policy_local;
    let seconds = spec.session_affinity_config.as_ref().and_then(|c| c.client_ip.as_ref()?.timeout_seconds);
    let seconds = seconds.and_then(|s| u32::try_from(s).ok()).unwrap_or(DEFAULT_CLIENT_IP_AFFINITY_SECONDS);
    let external = spec.external_ips.as_deref().unwrap_or_default().iter().filter_map(|ip| parse_ip(ip));
    Some(ServicePort {
        cluster_ip: cluster_ip(spec, family)?,
        port: 0,
        protocol: Protocol::Tcp,
        node_port: None,
        external_ips: external.filter(|ip| Family::of(*ip) == family).collect(),
        load_balancer_vips: load_balancer_vips(service, family),
        source_ranges: source_ranges(spec, family),
        affinity_seconds: (spec.session_affinity.as_deref() == Some("ClientIP")).then_some(seconds),
        internal_policy_local: spec.internal_traffic_policy.as_deref() == Some("Local"),
        external_policy_local,
        health_check_node_port: number(spec.health_check_node_port).filter(|_| needs_health_check),
    })
}

fn of_port(base: &ServicePort, port: &ApiPort) -> Option<ServicePort> {
    Some(ServicePort {
        port: number(Some(port.port))?,
        protocol: Protocol::parse(port.protocol.as_deref())?,
        node_port: number(port.node_port),
        ..base.clone()
    })
}

/// The ports of Services in one family (`serviceToServiceMap`). A Service without an address of the family has none.
pub fn service_ports<'a>(family: Family, services: impl Iterator<Item = &'a Service>) -> ServicePortMap {
    let mut map = ServicePortMap::new();
    for service in services {
        let Some(spec) = service.spec.as_ref().filter(|spec| !is_skipped(spec)) else { continue };
        let Some(base) = base(service, spec, family).filter(|_| !has_other_proxy(service)) else { continue };
        let name = ServiceName {
            namespace: Rc::from(service.metadata.namespace()),
            name: Rc::from(service.metadata.name()),
        };
        for port in spec.ports.iter().flatten() {
            let Some(info) = of_port(&base, port) else { continue };
            let key = ServicePortName {
                service: name.clone(),
                port: Rc::from(port.name.as_deref().unwrap_or_default()),
                protocol: info.protocol,
            };
            map.insert(key, info);
        }
    }
    map
}
