//! The backends of rules: whether they can be used, and the endpoints behind them (`internal/controller/state/graph/backend_refs.go`,
//! `internal/controller/state/resolver/resolver.go`).

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};

use super::condition::{Condition, unresolved};
use super::field::{forbidden, invalid, not_found, not_supported, required};
use super::grants::Grants;
use super::objects::BackendRef;
use crate::api::Key;
use crate::api::types::{EndpointSlice, IntOrString, Service, ServicePort};

/// A backend of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backend {
    /// The Service and its port; `None` if the backend cannot be used.
    pub service: Option<(Key, i32)>,
    /// The Service that is named, whether it can be used or not.
    pub named: Key,
    /// Its part of the requests.
    pub weight: u32,
}

/// What backends are compared with.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The kind and the namespace of the route.
    pub from: (&'a str, &'a str),
    /// The Services.
    pub services: &'a BTreeMap<Key, &'a Service>,
    /// The ReferenceGrants.
    pub grants: Grants<'a>,
}

/// The most that a weight can be.
const MOST: i32 = 1_000_000;

/// A backend, and what the route says of it if it cannot be used.
pub fn of(reference: &BackendRef, at: &str, around: &Surroundings<'_>) -> (Backend, Option<Condition>) {
    let namespace = reference.namespace.as_deref().unwrap_or(around.from.1);
    let named = Key::new(namespace, &reference.name);
    let weight = reference.weight.unwrap_or(1);
    let weight = if (0..=MOST).contains(&weight) { weight.unsigned_abs() } else { 0 };
    match usable(reference, &named, at, around) {
        Ok(port) => (Backend { service: Some((named.clone(), port)), named, weight }, None),
        Err(condition) => (Backend { service: None, named, weight }, Some(condition)),
    }
}

fn usable(
    reference: &BackendRef,
    named: &Key,
    at: &str,
    around: &Surroundings<'_>,
) -> Result<i32, Condition> {
    let unsupported = |message: String| unresolved("UnsupportedValue", message);
    let filters = reference.filters.len();
    if filters > 0 {
        let message = format!("{at}.filters: Too many: {filters}: must have at most 0 items");
        return Err(unsupported(message));
    }
    if let Some(group) = reference.group.as_deref().filter(|g| !matches!(*g, "" | "core")) {
        let message = not_supported(&format!("{at}.group"), group, &["core", ""]);
        return Err(unresolved("InvalidKind", message));
    }
    if let Some(kind) = reference.kind.as_deref().filter(|k| *k != "Service") {
        let message = not_supported(&format!("{at}.kind"), kind, &["Service"]);
        return Err(unresolved("InvalidKind", message));
    }
    if *named.namespace != *around.from.1 && !around.grants.allow(around.from, "Service", named) {
        let detail = format!("Backend ref to Service {named} not permitted by any ReferenceGrant");
        return Err(unresolved("RefNotPermitted", forbidden(&format!("{at}.namespace"), &detail)));
    }
    let Some(port) = reference.port else {
        return Err(unsupported(required(&format!("{at}.port"), "port cannot be nil")));
    };
    if let Some(weight) = reference.weight.filter(|w| !(0..=MOST).contains(w)) {
        let detail = format!("must be in the range [0, {MOST}]");
        return Err(unsupported(invalid(&format!("{at}.weight"), &weight.to_string(), &detail)));
    }
    let Some(service) = around.services.get(named) else {
        return Err(unresolved("BackendNotFound", not_found(&format!("{at}.name"), &named.name)));
    };
    let spec = service.spec.as_ref();
    let mut ports = spec.iter().flat_map(|s| s.ports.iter().flatten());
    let Some(found) = ports.find(|p| p.port == port) else {
        let message = format!("No matching port for Service {} and port {port}", named.name);
        return Err(unresolved("BackendNotFound", message));
    };
    if spec.and_then(|s| s.type_.as_deref()) == Some("ExternalName") {
        let message = "ExternalName service requires DNS resolver configuration in Gateway's NginxProxy";
        return Err(unsupported(message.to_owned()));
    }
    let speaks = |protocol: &str, why: &str| {
        let message =
            format!("The Route type http does not support service port appProtocol {protocol}; {why}");
        Err(unresolved("UnsupportedProtocol", message))
    };
    match found.app_protocol.as_deref() {
        Some(h2c @ "kubernetes.io/h2c") => {
            speaks(h2c, "nginx does not support proxying to upstreams with http2 or h2c")
        }
        Some(wss @ "kubernetes.io/wss") => speaks(wss, "missing corresponding BackendTLSPolicy"),
        _ => Ok(port),
    }
}

/// The number that the port of a Service has in an EndpointSlice; `None` if the slice has no such port.
fn port_in(slice: &EndpointSlice, port: &ServicePort) -> Option<u16> {
    let named = port.name.as_deref().unwrap_or_default();
    for own in slice.ports.iter().flatten() {
        match own.port {
            // It has all ports.
            None => {
                let number = match &port.target_port {
                    Some(IntOrString::Int(n)) if *n != 0 => *n,
                    _ => port.port,
                };
                return u16::try_from(number).ok();
            }
            Some(number) if own.name.as_deref().unwrap_or_default() == named => {
                return u16::try_from(number).ok();
            }
            Some(_) => {}
        }
    }
    None
}

/// The endpoints of a port of a Service that are ready.
pub fn endpoints(service: &Service, slices: &[&EndpointSlice], port: i32) -> BTreeSet<SocketAddr> {
    let mut ports = service.spec.iter().flat_map(|s| s.ports.iter().flatten());
    let Some(port) = ports.find(|p| p.port == port) else { return BTreeSet::new() };
    let mut all = BTreeSet::new();
    for slice in slices.iter().filter(|s| s.address_type != "FQDN") {
        let Some(number) = port_in(slice, port).filter(|n| *n > 0) else { continue };
        let endpoints = slice.endpoints.iter().flatten();
        let ready = endpoints.filter(|e| e.conditions.as_ref().and_then(|c| c.ready) == Some(true));
        let addresses = ready.flat_map(|e| &e.addresses).filter_map(|a| a.parse::<IpAddr>().ok());
        all.extend(addresses.map(|ip| SocketAddr::new(ip, number)));
    }
    all
}
