//! Endpoints and EndpointSlices.

use super::{created, name};
use crate::api::Timestamp;
use crate::api::types::{EndpointSlice, Endpoints};

/// How many are listed; the rest is counted.
const LISTED: usize = 3;

/// `a,b,c + 2 more...`
fn listed(all: &[String], none: &str) -> String {
    if all.is_empty() {
        return none.to_owned();
    }
    let shown: Vec<&str> = all.iter().take(LISTED).map(String::as_str).collect();
    match all.len().saturating_sub(LISTED) {
        0 => shown.join(","),
        more => format!("{} + {more} more...", shown.join(",")),
    }
}

/// The addresses with their ports (`formatEndpoints`).
pub(in crate::apiserver) fn endpoints(e: &Endpoints, now: Timestamp) -> Vec<String> {
    let mut all = Vec::new();
    for subset in e.subsets.iter().flatten() {
        let addresses = || subset.addresses.iter().flatten();
        let ports = subset.ports.as_deref().unwrap_or_default();
        if ports.is_empty() {
            all.extend(addresses().map(|a| a.ip.clone()));
        }
        for port in ports {
            all.extend(addresses().map(|a| join(&a.ip, port.port)));
        }
    }
    vec![name(&e.metadata), listed(&all, "<none>"), created(&e.metadata, now)]
}

/// `net.JoinHostPort`
fn join(ip: &str, port: i32) -> String {
    if ip.contains(':') { format!("[{ip}]:{port}") } else { format!("{ip}:{port}") }
}

pub(in crate::apiserver) fn slice(s: &EndpointSlice, now: Timestamp) -> Vec<String> {
    let ports: Vec<String> =
        s.ports.iter().flatten().map(|p| p.port.map_or_else(|| "*".to_owned(), |n| n.to_string())).collect();
    let addresses: Vec<String> =
        s.endpoints.iter().flatten().flat_map(|e| e.addresses.iter().cloned()).collect();
    vec![
        name(&s.metadata),
        s.address_type.clone(),
        listed(&ports, "<unset>"),
        listed(&addresses, "<unset>"),
        created(&s.metadata, now),
    ]
}
