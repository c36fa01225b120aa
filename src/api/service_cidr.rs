//! The ranges of ServiceCIDRs, and the IPAddresses that are taken from them (`pkg/api/servicecidr`,
//! `pkg/registry/core/service/ipallocator`). The API server, its repair loop and kube-controller-manager read them alike.

use std::net::IpAddr;

use ipnet::IpNet;

use super::MetaExt;
use super::ip_family::{IPV4, IPV6};
use super::types::networking::{
    IPAddressSpec, LABEL_IP_ADDRESS_FAMILY, LABEL_MANAGED_BY, ParentReference, SERVICE_CIDR_READY,
};
use super::types::{Condition, IPAddress, ObjectMeta, Service, ServiceCIDR};

/// The value of [`LABEL_MANAGED_BY`] of the addresses that Services have.
pub const IP_ALLOCATOR: &str = "ipallocator.k8s.io";
/// The name of the ServiceCIDR that kube-apiserver creates.
pub const DEFAULT_SERVICE_CIDR: &str = "kubernetes";
/// What stands in `spec.clusterIP` of a Service that wants no address.
const HEADLESS: &str = "None";

/// The ranges of a ServiceCIDR.
pub fn ranges(cidr: &ServiceCIDR) -> impl Iterator<Item = IpNet> + '_ {
    let all = cidr.spec.as_ref().and_then(|s| s.cidrs.as_deref()).unwrap_or_default();
    // Validation lets no other texts pass.
    all.iter().filter_map(|c| c.parse().ok())
}

/// Whether a Service can have an address of a range: the first address of a range, and the last one of an IPv4 range, are
/// nobody's (`PrefixContainsIP`).
pub fn gives(range: &IpNet, address: IpAddr) -> bool {
    let nobodys = range.network() == address || (address.is_ipv4() && range.broadcast() == address);
    !nobodys && range.contains(&address)
}

/// The ServiceCIDRs that have a range with an address (`ContainsAddress`). One with two such ranges comes twice.
pub fn containing<'a>(
    all: impl Iterator<Item = &'a ServiceCIDR>,
    address: IpAddr,
) -> impl Iterator<Item = &'a ServiceCIDR> {
    all.flat_map(move |cidr| ranges(cidr).filter(move |range| gives(range, address)).map(move |_| cidr))
}

/// The condition `Ready` of a ServiceCIDR.
pub fn ready_condition(cidr: &ServiceCIDR) -> Option<&Condition> {
    let conditions = cidr.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    conditions.iter().find(|c| c.type_ == SERVICE_CIDR_READY)
}

/// Whether addresses of a ServiceCIDR can be given out. One without a condition can: kube-controller-manager may not run.
pub fn is_ready(cidr: &ServiceCIDR) -> bool {
    !cidr.metadata.is_deleting() && ready_condition(cidr).is_none_or(|c| c.status == "True")
}

/// The family of an address, as labels and messages have it.
pub fn family(address: IpAddr) -> &'static str {
    if address.is_ipv4() { IPV4 } else { IPV6 }
}

/// The IPAddress of an address that a Service takes.
pub fn ip_address(address: IpAddr, service: &ObjectMeta) -> IPAddress {
    let labels = [(LABEL_IP_ADDRESS_FAMILY, family(address)), (LABEL_MANAGED_BY, IP_ALLOCATOR)];
    IPAddress {
        metadata: ObjectMeta {
            name: Some(address.to_string()),
            labels: Some(labels.map(|(k, v)| (k.to_owned(), v.to_owned())).into()),
            ..ObjectMeta::default()
        },
        spec: IPAddressSpec {
            parent_ref: ParentReference {
                group: None,
                resource: "services".into(),
                namespace: Some(MetaExt::namespace(service).to_owned()),
                name: MetaExt::name(service).to_owned(),
            },
        },
    }
}

/// Whether the allocator of Services made an IPAddress.
pub fn is_managed(address: &IPAddress) -> bool {
    address.metadata.label(LABEL_MANAGED_BY) == Some(IP_ALLOCATOR)
}

/// The addresses that a Service has; none for one without a cluster IP (`IsServiceIPSet`).
pub fn cluster_ips(service: &Service) -> &[String] {
    let Some(spec) = &service.spec else { return &[] };
    let ips = spec.cluster_ips.as_deref().unwrap_or_default();
    let external = spec.type_.as_deref() == Some("ExternalName");
    if external || ips.first().is_none_or(|ip| ip == HEADLESS) { &[] } else { ips }
}
