//! What the cluster's DNS answers: CoreDNS with its plugin `kubernetes`, as kubeadm configures it
//! (`coredns/plugin/kubernetes`, the DNS-based service discovery specification 1.1.0).
//!
//! | name | records |
//! | --- | --- |
//! | `SERVICE.NAMESPACE.svc.cluster.local` | the Service's cluster IPs; of a headless one the addresses of its ready endpoints |
//! | `HOST.SERVICE.NAMESPACE.svc.cluster.local` | the address of the endpoint with this host name, or whose address it is with dashes |
//! | `_PORT._PROTOCOL.SERVICE.NAMESPACE.svc.cluster.local` | `SRV`: the port, and the name of the target |
//! | `1-2-3-4.NAMESPACE.pod.cluster.local` | that address, whoever has it (`pods insecure`) |
//! | `4.3.2.1.in-addr.arpa` | `PTR`: the name of the Service or of the endpoint |
//!
//! A name outside of the cluster is handed on to the DNS of the node ([`upstream`]).

use std::net::{IpAddr, Ipv4Addr};
use std::rc::Rc;

use crate::api::types::discovery::Endpoint;
use crate::api::types::{EndpointSlice, Service};
use crate::api::{Key, MetaExt};

/// The domain of the cluster (`--cluster-domain`).
pub const ZONE: &str = "cluster.local";

/// The address of every host outside of the cluster: one that RFC 5737 keeps for examples.
pub const OUTSIDE: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 1));

/// How long a record may be kept, in seconds: `ttl 30` in kubeadm's configuration.
pub const TTL: u32 = 30;

/// The type of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordType {
    /// An IPv4 address.
    A,
    /// An IPv6 address.
    Aaaa,
    /// A port and the name of its host.
    Srv,
    /// The name of an address.
    Ptr,
    /// Another name of the same thing.
    Cname,
    /// A text.
    Txt,
}

impl RecordType {
    /// As it stands in a query.
    pub fn as_str(self) -> &'static str {
        match self {
            RecordType::A => "A",
            RecordType::Aaaa => "AAAA",
            RecordType::Srv => "SRV",
            RecordType::Ptr => "PTR",
            RecordType::Cname => "CNAME",
            RecordType::Txt => "TXT",
        }
    }

    /// Reads a type, in upper or lower case.
    pub fn parse(text: &str) -> Option<RecordType> {
        let all = [Self::A, Self::Aaaa, Self::Srv, Self::Ptr, Self::Cname, Self::Txt];
        all.into_iter().find(|t| t.as_str().eq_ignore_ascii_case(text))
    }

    fn is_of(self, address: IpAddr) -> bool {
        match self {
            RecordType::A => address.is_ipv4(),
            RecordType::Aaaa => address.is_ipv6(),
            _ => false,
        }
    }
}

/// A port of a Service, with the name of a host that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Srv {
    /// Its share of the requests: 100 divided by the number of records.
    pub weight: u16,
    /// The port.
    pub port: u16,
    /// The host's whole name, without the dot at its end.
    pub target: Rc<str>,
}

/// What a DNS server answers. No records of a name that exists ([`Records::exists`]) is `NODATA`: it has records of other
/// types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// Whether the name exists; otherwise the answer is `NXDOMAIN`.
    pub exists: bool,
    /// The name that the asked one stands for (`CNAME`), without the dot at its end.
    pub canonical: Option<Rc<str>>,
    /// The addresses, in the order of the answer.
    pub addresses: Vec<IpAddr>,
    /// The ports.
    pub services: Vec<Srv>,
    /// The names of an address.
    pub names: Vec<Rc<str>>,
    /// The texts.
    pub texts: Vec<Rc<str>>,
}

impl Records {
    fn nothing() -> Records {
        Records { exists: true, ..Records::default() }
    }
}

/// The objects that the plugin has in its caches.
pub trait Objects {
    /// The Service of a key.
    fn service(&self, key: &Key) -> Option<&Service>;
    /// All Services.
    fn services(&self) -> Vec<&Service>;
    /// The EndpointSlices of a Service.
    fn slices(&self, service: &Key) -> Vec<&EndpointSlice>;
    /// Whether there is a namespace of this name.
    fn has_namespace(&self, name: &str) -> bool;
}

/// An endpoint's name below its Service (`getEndpointHostname`): its host name, or its address with dashes.
fn host_of(endpoint: &Endpoint, address: &str) -> String {
    match endpoint.hostname.as_deref().filter(|h| !h.is_empty()) {
        Some(host) => host.to_owned(),
        None => address.replace(['.', ':'], "-"),
    }
}

/// The ready endpoints of a Service with their addresses: the name below the Service, the address, the slice.
fn endpoints<'a>(objects: &'a dyn Objects, key: &Key) -> Vec<(String, IpAddr, &'a EndpointSlice)> {
    let mut all = Vec::new();
    for slice in objects.slices(key) {
        for endpoint in slice.endpoints.iter().flatten() {
            if endpoint.conditions.as_ref().and_then(|c| c.ready) == Some(false) {
                continue;
            }
            for address in &endpoint.addresses {
                if let Ok(ip) = address.parse::<IpAddr>() {
                    all.push((host_of(endpoint, address), ip, slice));
                }
            }
        }
    }
    all
}

/// Whether a Service has no address of its own.
fn is_headless(service: &Service) -> bool {
    service.spec.as_ref().and_then(|s| s.cluster_ip.as_deref()) == Some("None")
}

fn cluster_ips(service: &Service) -> Vec<IpAddr> {
    let Some(spec) = &service.spec else { return Vec::new() };
    let all = spec
        .cluster_ips
        .iter()
        .flatten()
        .chain(spec.cluster_ip.iter().filter(|_| spec.cluster_ips.is_none()));
    all.filter_map(|ip| ip.parse().ok()).collect()
}

/// A name below `svc.cluster.local`, taken apart (`parseRequest`).
struct Asked<'a> {
    service: &'a str,
    namespace: &'a str,
    host: Option<&'a str>,
    /// The name of the port and the protocol.
    port: Option<(&'a str, &'a str)>,
}

impl Asked<'_> {
    fn wants_port(&self, name: Option<&str>, protocol: Option<&str>) -> bool {
        let matches = |asked: &str, has: &str| asked == "*" || asked.eq_ignore_ascii_case(has);
        self.port.is_none_or(|(port, proto)| {
            matches(port, name.unwrap_or_default()) && matches(proto, protocol.unwrap_or("TCP"))
        })
    }
}

/// What the cluster's DNS answers. `name` has no dot at its end.
pub fn lookup(objects: &dyn Objects, name: &str, type_: RecordType) -> Records {
    let name = name.to_ascii_lowercase();
    if let Some(address) = reverse(&name) {
        return pointer(objects, address, type_);
    }
    if name == ZONE {
        return Records::nothing();
    }
    let Some(inner) = name.strip_suffix(ZONE).and_then(|n| n.strip_suffix('.')) else {
        return upstream(&name, type_);
    };
    if inner == "dns-version" {
        let texts = if type_ == RecordType::Txt { vec![Rc::from("1.1.0")] } else { Vec::new() };
        return Records { texts, ..Records::nothing() };
    }
    let mut parts: Vec<&str> = inner.split('.').collect();
    match parts.pop() {
        Some("svc") => {}
        Some("pod") => return pod(objects, &parts, type_),
        _ => return Records::default(),
    }
    let asked = match parts.as_slice() {
        [] => return Records::nothing(),
        [namespace] => {
            return Records { exists: objects.has_namespace(namespace), ..Records::default() };
        }
        [service, namespace] => Asked { service, namespace, host: None, port: None },
        [host, service, namespace] => Asked { service, namespace, host: Some(host), port: None },
        [port, protocol, service, namespace] => match (port.strip_prefix('_'), protocol.strip_prefix('_')) {
            (Some(port), Some(protocol)) => {
                Asked { service, namespace, host: None, port: Some((port, protocol)) }
            }
            _ => return Records::default(),
        },
        _ => return Records::default(),
    };
    service(objects, &asked, type_)
}

/// The records of a Service or of one of its endpoints (`findServices`).
fn service(objects: &dyn Objects, asked: &Asked<'_>, type_: RecordType) -> Records {
    let key = Key::new(asked.namespace, asked.service);
    let Some(found) = objects.service(&key) else { return Records::default() };
    let Some(spec) = &found.spec else { return Records::default() };
    let whole = format!("{}.{}.svc.{ZONE}", asked.service, asked.namespace);
    if spec.type_.as_deref() == Some("ExternalName") {
        let Some(target) = spec.external_name.as_deref().filter(|_| asked.host.is_none()) else {
            return Records::default();
        };
        let target = target.trim_end_matches('.');
        let there = lookup_again(objects, target, type_);
        return Records { exists: true, canonical: Some(target.into()), ..there };
    }
    // The addresses, each with the name of its host and a port.
    let mut hosts: Vec<(String, IpAddr, u16)> = Vec::new();
    let mut exists = false;
    if is_headless(found) || asked.host.is_some() {
        for (host, ip, slice) in endpoints(objects, &key) {
            if asked.host.is_some_and(|h| h != host) {
                continue;
            }
            let name = format!("{host}.{whole}");
            let ports = slice.ports.iter().flatten();
            let ports: Vec<_> =
                ports.filter(|p| asked.wants_port(p.name.as_deref(), p.protocol.as_deref())).collect();
            let without = slice.ports.as_ref().is_none_or(Vec::is_empty) && asked.port.is_none();
            exists |= without || !ports.is_empty();
            if without {
                hosts.push((name, ip, 0));
            } else {
                let number = |p: Option<i32>| p.and_then(|p| u16::try_from(p).ok()).unwrap_or(0);
                hosts.extend(ports.iter().map(|p| (name.clone(), ip, number(p.port))));
            }
        }
    } else {
        for port in spec.ports.iter().flatten() {
            if asked.wants_port(port.name.as_deref(), port.protocol.as_deref()) {
                exists = true;
                let number = u16::try_from(port.port).unwrap_or(0);
                hosts.extend(cluster_ips(found).into_iter().map(|ip| (whole.clone(), ip, number)));
            }
        }
    }
    let mut records = Records { exists, ..Records::default() };
    match type_ {
        RecordType::A | RecordType::Aaaa => {
            for (_, ip, _) in hosts.iter().filter(|(_, ip, _)| type_.is_of(*ip)) {
                if !records.addresses.contains(ip) {
                    records.addresses.push(*ip);
                }
            }
        }
        RecordType::Srv => {
            let mut all: Vec<(u16, &str)> =
                hosts.iter().map(|(name, _, port)| (*port, name.as_str())).collect();
            crate::api::order::sort(&mut all);
            all.dedup();
            let weight = 100_usize.checked_div(all.len()).and_then(|w| u16::try_from(w).ok()).unwrap_or(0);
            let srv = |(port, target): (u16, &str)| Srv { weight, port, target: target.into() };
            records.services = all.into_iter().map(srv).collect();
        }
        RecordType::Ptr | RecordType::Cname | RecordType::Txt => {}
    }
    records
}

/// What an external name leads to: a name of the cluster, but no further one that stands for another.
fn lookup_again(objects: &dyn Objects, name: &str, type_: RecordType) -> Records {
    let of_cluster = name.ends_with(ZONE);
    let external = |key: &Key| {
        objects.service(key).and_then(|s| s.spec.as_ref()?.type_.clone()).as_deref() == Some("ExternalName")
    };
    let parts: Vec<&str> = name.split('.').collect();
    match parts.as_slice() {
        [service, namespace, "svc", ..] if of_cluster && external(&Key::new(namespace, service)) => {
            Records::nothing()
        }
        _ => lookup(objects, name, type_),
    }
}

/// The record of a pod's address (`pods insecure`): nobody looks whether a pod has it.
fn pod(objects: &dyn Objects, parts: &[&str], type_: RecordType) -> Records {
    let [address, namespace] = parts else { return Records::default() };
    if !objects.has_namespace(namespace) {
        return Records::default();
    }
    let of_v4 = address.matches('-').count() == 3 && !address.contains("--");
    let text = address.replace('-', if of_v4 { "." } else { ":" });
    let Ok(ip) = text.parse::<IpAddr>() else { return Records::default() };
    let addresses = if type_.is_of(ip) { vec![ip] } else { Vec::new() };
    Records { addresses, ..Records::nothing() }
}

/// The address that a name below `in-addr.arpa` or `ip6.arpa` stands for.
fn reverse(name: &str) -> Option<IpAddr> {
    if let Some(octets) = name.strip_suffix(".in-addr.arpa") {
        let parts: Vec<&str> = octets.rsplit('.').collect();
        return parts.join(".").parse().ok();
    }
    let digits: String = name.strip_suffix(".ip6.arpa")?.rsplit('.').collect();
    let groups: Vec<String> =
        digits.chars().collect::<Vec<_>>().chunks(4).map(|c| c.iter().collect()).collect();
    groups.join(":").parse().ok()
}

/// The name below which the name of an address stands.
pub fn reverse_name(address: IpAddr) -> String {
    match address {
        IpAddr::V4(a) => {
            let octets: Vec<String> = a.octets().iter().rev().map(u8::to_string).collect();
            format!("{}.in-addr.arpa", octets.join("."))
        }
        IpAddr::V6(a) => {
            let digits = a.octets().into_iter().rev().flat_map(|o| [o & 0xf, o >> 4]);
            let digits: Vec<String> = digits.map(|d| format!("{d:x}")).collect();
            format!("{}.ip6.arpa", digits.join("."))
        }
    }
}

/// The names of an address (`serviceRecordForIP`): the Service's whose cluster IP it is, or those of the ready endpoints that
/// have it.
fn pointer(objects: &dyn Objects, address: IpAddr, type_: RecordType) -> Records {
    let services = objects.services();
    let of = |s: &Service| format!("{}.{}.svc.{ZONE}", s.metadata.name(), s.metadata.namespace());
    let mut names: Vec<Rc<str>> =
        services.iter().filter(|s| cluster_ips(s).contains(&address)).map(|s| of(s).into()).collect();
    if names.is_empty() {
        for s in services {
            let mine = endpoints(objects, &s.metadata.key());
            let mine = mine.iter().filter(|(_, ip, _)| *ip == address);
            names.extend(mine.map(|(host, ..)| Rc::from(format!("{host}.{}", of(s)))));
        }
    }
    let exists = !names.is_empty();
    Records { exists, names: if type_ == RecordType::Ptr { names } else { Vec::new() }, ..Records::default() }
}

/// The top-level domains of hosts outside of the cluster, beside those of countries.
const TOP_LEVEL: [&str; 9] = ["com", "org", "net", "io", "dev", "edu", "gov", "info", "app"];

/// What the DNS of a node answers, which knows the hosts of the internet. All of those have the same address here. A name is
/// taken for one of them if it ends in a well-known top-level domain, or has at least three parts and ends in that of a
/// country: a shorter one may be a Service and its namespace.
pub fn upstream(name: &str, type_: RecordType) -> Records {
    let parts: Vec<&str> = name.split('.').collect();
    let country = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_lowercase());
    let exists = parts.len() > 1
        && parts.iter().all(|p| !p.is_empty())
        && parts.last().is_some_and(|last| TOP_LEVEL.contains(last) || (parts.len() > 2 && country(last)));
    let addresses = if exists && type_.is_of(OUTSIDE) { vec![OUTSIDE] } else { Vec::new() };
    Records { exists, addresses, ..Records::default() }
}

#[cfg(test)]
#[path = "dns_tests.rs"]
mod tests;
