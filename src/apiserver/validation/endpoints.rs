//! Endpoints and EndpointSlices (`pkg/apis/core/validation`, `pkg/apis/discovery/validation`).

use std::collections::BTreeSet;

use crate::api::types as t;
use t::discovery;

use super::field::{Errors, FieldError, Path};
use super::meta::{IMMUTABLE, labels, object_meta, object_meta_update};
use super::names::{self, name_is_dns_subdomain};
use super::{ip, list, text};

const PROTOCOLS: &[&str] = &["SCTP", "TCP", "UDP"];
const ADDRESS_TYPES: &[&str] = &["FQDN", "IPv4", "IPv6"];
const MAX_ADDRESSES: usize = 100;
const MAX_ENDPOINTS: usize = 1000;
const MAX_PORTS: usize = 20_000;
const MAX_TOPOLOGY_LABELS: usize = 16;
const MAX_HINTS: usize = 8;

pub(in crate::apiserver) fn create(errs: &mut Errors, endpoints: &t::Endpoints) {
    object_meta(errs, &endpoints.metadata, true, name_is_dns_subdomain);
    subsets(errs, list(&endpoints.subsets));
}

pub(in crate::apiserver) fn update(errs: &mut Errors, new: &t::Endpoints, old: &t::Endpoints) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    create(errs, new);
}

fn subsets(errs: &mut Errors, subsets: &[t::EndpointSubset]) {
    for (i, subset) in subsets.iter().enumerate() {
        let path = Path::new("subsets").index(i);
        let (ready, not_ready) = (list(&subset.addresses), list(&subset.not_ready_addresses));
        if ready.is_empty() && not_ready.is_empty() {
            errs.push(FieldError::required(&path, "must specify `addresses` or `notReadyAddresses`"));
        }
        for (name, addresses) in [("addresses", ready), ("notReadyAddresses", not_ready)] {
            for (i, a) in addresses.iter().enumerate() {
                address(errs, a, &path.child(name).index(i));
            }
        }
        let ports = list(&subset.ports);
        for (i, p) in ports.iter().enumerate() {
            port(errs, p, ports.len() > 1, &path.child("ports").index(i));
        }
    }
}

fn each(errs: &mut Errors, path: &Path, value: &str, messages: Vec<String>) {
    errs.extend(messages.into_iter().map(|m| FieldError::invalid(path, value, m)));
}

fn address(errs: &mut Errors, a: &t::EndpointAddress, path: &Path) {
    let parsed = ip::legacy_ip(errs, &a.ip, &path.child("ip"));
    let host = text(&a.hostname);
    if !host.is_empty() {
        each(errs, &path.child("hostname"), host, names::dns1123_label(host));
    }
    if let Some(node) = &a.node_name {
        each(errs, &path.child("nodeName"), node, names::dns1123_subdomain(node));
    }
    if let Some(parsed) = parsed {
        ip::non_special(errs, parsed, &a.ip, &path.child("ip"));
    }
}

fn port(errs: &mut Errors, p: &t::EndpointPort, named: bool, path: &Path) {
    let name = text(&p.name);
    if named && name.is_empty() {
        errs.push(FieldError::required(&path.child("name"), ""));
    } else if !name.is_empty() {
        each(errs, &path.child("name"), name, names::dns1123_label(name));
    }
    let messages = names::port_number(p.port.into());
    errs.extend(messages.into_iter().map(|m| FieldError::invalid(&path.child("port"), p.port, m)));
    protocol(errs, text(&p.protocol), path);
    app_protocol(errs, &p.app_protocol, path);
}

fn protocol(errs: &mut Errors, protocol: &str, path: &Path) {
    let at = path.child("protocol");
    if protocol.is_empty() {
        errs.push(FieldError::required(&at, ""));
    } else if !PROTOCOLS.contains(&protocol) {
        errs.push(FieldError::not_supported(&at, protocol, PROTOCOLS));
    }
}

fn app_protocol(errs: &mut Errors, name: &Option<String>, path: &Path) {
    if let Some(name) = name {
        each(errs, &path.child("appProtocol"), name, names::qualified_name(name));
    }
}

pub(in crate::apiserver) fn create_slice(errs: &mut Errors, slice: &t::EndpointSlice) {
    object_meta(errs, &slice.metadata, true, name_is_dns_subdomain);
    let at = Path::new("addressType");
    let type_ = slice.address_type.as_str();
    if type_.is_empty() {
        errs.push(FieldError::required(&at, ""));
    } else if !ADDRESS_TYPES.contains(&type_) {
        errs.push(FieldError::not_supported(&at, type_, ADDRESS_TYPES));
    }
    slice_ports(errs, list(&slice.ports), &Path::new("ports"));
    let at = Path::new("endpoints");
    let endpoints = list(&slice.endpoints);
    if endpoints.len() > MAX_ENDPOINTS {
        errs.push(FieldError::too_many(&at, endpoints.len(), MAX_ENDPOINTS));
    } else {
        for (i, e) in endpoints.iter().enumerate() {
            endpoint(errs, e, type_, &at.index(i));
        }
    }
}

pub(in crate::apiserver) fn update_slice(errs: &mut Errors, new: &t::EndpointSlice, old: &t::EndpointSlice) {
    create_slice(errs, new);
    if new.address_type != old.address_type {
        errs.push(FieldError::invalid(&Path::new("addressType"), &new.address_type, IMMUTABLE));
    }
}

fn endpoint(errs: &mut Errors, e: &discovery::Endpoint, type_: &str, path: &Path) {
    let at = path.child("addresses");
    if e.addresses.is_empty() {
        errs.push(FieldError::required(&at, "must contain at least 1 address"));
    } else if e.addresses.len() > MAX_ADDRESSES {
        errs.push(FieldError::too_many(&at, e.addresses.len(), MAX_ADDRESSES));
    }
    for (i, a) in e.addresses.iter().enumerate() {
        match type_ {
            "IPv4" => slice_ip(errs, a, false, &at, i),
            "IPv6" => slice_ip(errs, a, true, &at, i),
            "FQDN" => domain_name(errs, a, &at.index(i)),
            _ => {}
        }
    }
    if let Some(node) = &e.node_name {
        each(errs, &path.child("nodeName"), node, names::dns1123_subdomain(node));
    }
    let at = path.child("deprecatedTopology");
    let topology = e.deprecated_topology.as_ref();
    if let Some(n) = topology.map(|t| t.len()).filter(|n| *n > MAX_TOPOLOGY_LABELS) {
        errs.push(FieldError::too_many(&at, n, MAX_TOPOLOGY_LABELS));
    }
    labels(errs, topology, &at);
    if let Some(host) = &e.hostname {
        each(errs, &path.child("hostname"), host, names::dns1123_label(host));
    }
    let Some(hints) = &e.hints else { return };
    let zones = list(&hints.for_zones).iter().map(|z| z.name.as_str()).collect();
    hint(errs, zones, names::label_value, &path.child("hints").child("forZones"));
    let nodes = list(&hints.for_nodes).iter().map(|n| n.name.as_str()).collect();
    hint(errs, nodes, names::dns1123_subdomain, &path.child("hints").child("forNodes"));
}

fn hint(errs: &mut Errors, hints: Vec<&str>, rule: fn(&str) -> Vec<String>, path: &Path) {
    if hints.len() > MAX_HINTS {
        errs.push(FieldError::too_many(path, hints.len(), MAX_HINTS));
        return;
    }
    let mut seen = BTreeSet::new();
    for (i, name) in hints.into_iter().enumerate() {
        let at = path.index(i).child("name");
        if !seen.insert(name) {
            errs.push(FieldError::duplicate(&at, name));
        }
        each(errs, &at, name, rule(name));
    }
}

/// One of a slice's IP addresses. An address of the other family is refused at the whole list, as Kubernetes has it.
fn slice_ip(errs: &mut Errors, a: &str, six: bool, addresses: &Path, index: usize) {
    let at = addresses.index(index);
    let Some(parsed) = ip::legacy_ip(errs, a, &at) else { return };
    if parsed.is_ipv6() != six {
        let message = if six { "must be an IPv6 address" } else { "must be an IPv4 address" };
        errs.push(FieldError::invalid(addresses, a, message));
    }
    ip::non_special(errs, parsed, a, &at);
}

/// `IsFullyQualifiedDomainName`
fn domain_name(errs: &mut Errors, value: &str, path: &Path) {
    if value.is_empty() {
        errs.push(FieldError::required(path, ""));
        return;
    }
    let name = value.strip_suffix('.').unwrap_or(value);
    let messages = names::dns1123_subdomain(name);
    if !messages.is_empty() {
        each(errs, path, value, messages);
    } else if !name.contains('.') {
        let message = "should be a domain with at least two segments separated by dots";
        errs.push(FieldError::invalid(path, value, message));
    }
}

fn slice_ports(errs: &mut Errors, ports: &[discovery::EndpointPort], path: &Path) {
    if ports.len() > MAX_PORTS {
        errs.push(FieldError::too_many(path, ports.len(), MAX_PORTS));
        return;
    }
    let mut seen = BTreeSet::new();
    for (i, p) in ports.iter().enumerate() {
        let at = path.index(i);
        let name = text(&p.name);
        if !name.is_empty() {
            each(errs, &at.child("name"), name, names::dns1123_label(name));
        }
        if !seen.insert(name) {
            errs.push(FieldError::duplicate(&at.child("name"), name));
        }
        protocol(errs, text(&p.protocol), &at);
        app_protocol(errs, &p.app_protocol, &at);
    }
}
