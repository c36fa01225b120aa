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

use std::net::IpAddr;
use std::rc::Rc;

use crate::api::types::discovery::Endpoint;
use crate::api::types::{EndpointSlice, Service};
use crate::api::{Key, MetaExt};

pub use super::outside::{OUTSIDE, reverse, reverse_name, upstream};
pub use super::records::{Failure, RecordType, Records, Srv};

/// The domain of the cluster (`--cluster-domain`).
pub const ZONE: &str = "cluster.local";

/// How many names that stand for others are followed within the cluster (`A` in `plugin/backend_lookup.go`).
const ALIASES: usize = 8;

/// How long a record may be kept, in seconds: `ttl 30` in kubeadm's configuration.
pub const TTL: u32 = 30;

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
    /// Whether a pod of a namespace has an address.
    fn has_pod(&self, namespace: &str, address: IpAddr) -> bool;
}

/// Which names of pods' addresses there are (`pods` in the configuration of the plugin).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pods {
    /// None.
    #[default]
    Disabled,
    /// Those of all addresses, whoever has them.
    Insecure,
    /// Those of addresses that a pod of the namespace has.
    Verified,
}

/// How the plugin is configured, as far as its answers depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Its zones, without the dot at their ends. The first one that is not of `arpa` is the domain of the names that it
    /// answers with.
    pub zones: Vec<Rc<str>>,
    /// Which names of pods' addresses there are.
    pub pods: Pods,
    /// Whether an endpoint without a host name is named as its pod (`endpoint_pod_names`).
    pub pod_names: bool,
    /// The namespaces of which it has names; all if there are none (`namespaces`).
    pub namespaces: Vec<Rc<str>>,
    /// Whether it leaves endpoints out (`noendpoints`).
    pub without_endpoints: bool,
    /// Whether a Service with an address and without ready endpoints has no name (`ignore empty_service`).
    pub ignores_empty: bool,
}

impl Settings {
    /// Those of kubeadm.
    pub fn kubeadm() -> Settings {
        Settings {
            zones: vec![ZONE.into(), "in-addr.arpa".into(), "ip6.arpa".into()],
            pods: Pods::Insecure,
            pod_names: false,
            namespaces: Vec::new(),
            without_endpoints: false,
            ignores_empty: false,
        }
    }

    /// The zone of a name: the longest that it ends with. A name has no dot at its end and is in lower case.
    pub fn zone_of(&self, name: &str) -> Option<&Rc<str>> {
        self.zones.iter().filter(|zone| is_below(name, zone)).max_by_key(|zone| zone.len())
    }

    fn domain(&self) -> &str {
        self.zones.iter().find(|z| !z.ends_with(".arpa")).map_or(ZONE, |z| z)
    }
}

/// Whether a name is a domain or below it. All names are below the root, which is the empty one.
pub fn is_below(name: &str, domain: &str) -> bool {
    domain.is_empty() || name.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// The plugin at work: the objects that it knows, how it is configured, and whom it asks for the targets of external names.
struct Plugin<'a> {
    objects: &'a dyn Objects,
    settings: &'a Settings,
    domain: &'a str,
    outside: &'a dyn Fn(&str, RecordType) -> Records,
}

/// An endpoint's name below its Service (`endpointHostname`): its host name, that of its pod if the plugin is told so, or its
/// address with dashes.
fn host_of(endpoint: &Endpoint, address: &str, pod_names: bool) -> String {
    let pod = endpoint.target_ref.as_ref().filter(|_| pod_names).and_then(|t| t.name.as_deref());
    match endpoint.hostname.as_deref().or(pod).filter(|h| !h.is_empty()) {
        Some(host) => host.to_owned(),
        None => address.replace(['.', ':'], "-"),
    }
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
        let matches = |asked: &str, has: &str| asked.eq_ignore_ascii_case(has);
        self.port.is_none_or(|(port, proto)| {
            matches(port, name.unwrap_or_default()) && matches(proto, protocol.unwrap_or("TCP"))
        })
    }
}

/// What the cluster's DNS answers as kubeadm configures it: the plugin, and for every other name the DNS of the node. `name`
/// has no dot at its end.
pub fn lookup(objects: &dyn Objects, name: &str, type_: RecordType) -> Records {
    let settings = Settings::kubeadm();
    match answer(objects, &settings, name, type_, &|name, type_| lookup(objects, name, type_)) {
        Some(records) => records,
        None => upstream(&name.to_ascii_lowercase(), type_),
    }
}

/// What the plugin answers; `None` if the name is in none of its zones. `outside` finds the target of an external name that
/// is in none of them.
pub fn answer(
    objects: &dyn Objects,
    settings: &Settings,
    name: &str,
    type_: RecordType,
    outside: &dyn Fn(&str, RecordType) -> Records,
) -> Option<Records> {
    let name = name.to_ascii_lowercase();
    let zone = settings.zone_of(&name)?;
    let plugin = Plugin { objects, settings, domain: settings.domain(), outside };
    if let Some(address) = reverse(&name) {
        return Some(plugin.pointer(address, type_));
    }
    Some(if zone.ends_with(".arpa") { Records::default() } else { plugin.below(zone, &name, type_, 0) })
}

impl Plugin<'_> {
    fn exposes(&self, namespace: &str) -> bool {
        let named = |n: &Rc<str>| **n == *namespace;
        (self.settings.namespaces.is_empty() || self.settings.namespaces.iter().any(named))
            && self.objects.has_namespace(namespace)
    }

    /// What a name of a zone has, for which `aliases` names stand that were asked for before.
    fn below(&self, zone: &str, name: &str, type_: RecordType, aliases: usize) -> Records {
        if name == zone {
            return Records::nothing();
        }
        let inner = name.strip_suffix(zone).map_or(name, |n| n.trim_end_matches('.'));
        // Nothing else has a text, and nothing is looked for (`Services` of the plugin).
        if type_ == RecordType::Txt {
            let texts = if inner == "dns-version" { vec![Rc::from("1.1.0")] } else { Vec::new() };
            return Records { texts, ..Records::nothing() };
        }
        let mut parts: Vec<&str> = inner.split('.').collect();
        match parts.pop() {
            Some("svc") => {}
            Some("pod") => return self.pod(&parts, type_),
            _ => return Records::default(),
        }
        let asked = match parts.as_slice() {
            [] => return Records::nothing(),
            [namespace] => {
                return Records { exists: self.exposes(namespace), ..Records::default() };
            }
            [service, namespace] => Asked { service, namespace, host: None, port: None },
            [host, service, namespace] => Asked { service, namespace, host: Some(host), port: None },
            [port, protocol, service, namespace] => {
                // The underscores can be left out (`stripUnderscore`).
                let plain = [port, protocol].map(|part| part.strip_prefix('_').unwrap_or(part));
                Asked { service, namespace, host: None, port: Some(plain.into()) }
            }
            _ => return Records::default(),
        };
        self.service(&asked, zone, type_, aliases)
    }

    /// The ready endpoints of a Service with their addresses: the name below the Service, the address, the slice.
    fn endpoints(&self, key: &Key) -> Vec<(String, IpAddr, &EndpointSlice)> {
        if self.settings.without_endpoints {
            return Vec::new();
        }
        let mut all = Vec::new();
        for slice in self.objects.slices(key) {
            for endpoint in slice.endpoints.iter().flatten() {
                if endpoint.conditions.as_ref().and_then(|c| c.ready) == Some(false) {
                    continue;
                }
                for address in &endpoint.addresses {
                    if let Ok(ip) = address.parse::<IpAddr>() {
                        all.push((host_of(endpoint, address, self.settings.pod_names), ip, slice));
                    }
                }
            }
        }
        all
    }

    /// The records of a Service or of one of its endpoints (`findServices`).
    fn service(&self, asked: &Asked<'_>, zone: &str, type_: RecordType, aliases: usize) -> Records {
        if !self.exposes(asked.namespace) {
            return Records::default();
        }
        let key = Key::new(asked.namespace, asked.service);
        let Some(found) = self.objects.service(&key) else { return Records::default() };
        let Some(spec) = &found.spec else { return Records::default() };
        let whole = format!("{}.{}.svc.{zone}", asked.service, asked.namespace);
        if spec.type_.as_deref() == Some("ExternalName") {
            let Some(target) = spec.external_name.as_deref().filter(|_| asked.host.is_none()) else {
                return Records::default();
            };
            return self.alias(target.trim_end_matches('.'), type_, aliases);
        }
        let headless = is_headless(found);
        if self.settings.ignores_empty && !headless && self.endpoints(&key).is_empty() {
            return Records::default();
        }
        // The addresses, each with the name of its host and a port.
        let mut hosts: Vec<(String, IpAddr, u16)> = Vec::new();
        let mut exists = false;
        if headless || asked.host.is_some() {
            for (host, ip, slice) in self.endpoints(&key) {
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
                    // There is no port to be said.
                    if type_ != RecordType::Srv {
                        hosts.push((name, ip, 0));
                    }
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
                // What each of several addresses adds is counted, though it is one record.
                let weight =
                    100_usize.checked_div(all.len()).and_then(|w| u16::try_from(w).ok()).unwrap_or(0).max(1);
                crate::api::order::sort(&mut all);
                all.dedup();
                let srv = |(port, target): (u16, &str)| Srv { weight, port, target: target.into() };
                records.services = all.into_iter().map(srv).collect();
            }
            RecordType::Ptr | RecordType::Cname | RecordType::Txt => {}
        }
        records
    }

    /// The records of a name that stands for another one. `aliases` names that were asked for before stand for it.
    fn alias(&self, target: &str, type_: RecordType, aliases: usize) -> Records {
        // Only addresses and the alias itself are asked of it.
        if !matches!(type_, RecordType::A | RecordType::Aaaa | RecordType::Cname) || aliases >= ALIASES {
            return Records::nothing();
        }
        let to = |there: Records| {
            let aliases = std::iter::once(target.into()).chain(there.aliases).collect();
            Records { exists: true, aliases, ..there }
        };
        match self.settings.zone_of(target) {
            _ if type_ == RecordType::Cname => to(Records::nothing()),
            None => to((self.outside)(target, type_)),
            // In the cluster an alias that leads nowhere is none.
            Some(zone) => Some(self.below(zone, target, type_, aliases + 1))
                .filter(|there| !there.addresses.is_empty() || !there.aliases.is_empty())
                .map_or_else(Records::nothing, to),
        }
    }

    /// The record of a pod's address.
    fn pod(&self, parts: &[&str], type_: RecordType) -> Records {
        if self.settings.pods == Pods::Disabled {
            return Records::default();
        }
        let (address, namespace) = match parts {
            [] => return Records::nothing(),
            [namespace] => return Records { exists: self.exposes(namespace), ..Records::default() },
            [address, namespace] => (address, namespace),
            _ => return Records::default(),
        };
        if !self.exposes(namespace) {
            return Records::default();
        }
        let of_v4 = address.matches('-').count() == 3 && !address.contains("--");
        let text = address.replace('-', if of_v4 { "." } else { ":" });
        let Ok(ip) = text.parse::<IpAddr>() else { return Records::default() };
        if self.settings.pods == Pods::Verified && !self.objects.has_pod(namespace, ip) {
            return Records::default();
        }
        let addresses = if type_.is_of(ip) { vec![ip] } else { Vec::new() };
        Records { addresses, ..Records::nothing() }
    }

    /// The names of an address (`serviceRecordForIP`): the Service's whose cluster IP it is, or those of the ready endpoints that
    /// have it.
    fn pointer(&self, address: IpAddr, type_: RecordType) -> Records {
        let services = self.objects.services();
        let of =
            |s: &Service| format!("{}.{}.svc.{}", s.metadata.name(), s.metadata.namespace(), self.domain);
        let mut names: Vec<Rc<str>> =
            services.iter().filter(|s| cluster_ips(s).contains(&address)).map(|s| of(s).into()).collect();
        if names.is_empty() {
            for s in services {
                let mine = self.endpoints(&s.metadata.key());
                let mine = mine.iter().filter(|(_, ip, _)| *ip == address);
                names.extend(mine.map(|(host, ..)| Rc::from(format!("{host}.{}", of(s)))));
            }
        }
        let exists = !names.is_empty();
        Records {
            exists,
            names: if type_ == RecordType::Ptr { names } else { Vec::new() },
            ..Records::default()
        }
    }
}

#[cfg(test)]
#[path = "dns_tests.rs"]
mod tests;
