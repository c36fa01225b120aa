//! The endpoints of a Service as ingress-nginx finds them: not by the Service's address, but in its EndpointSlices
//! (`internal/ingress/controller/endpointslices.go`, `serviceEndpoints` in `controller.go`).

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use super::configuration::{Backend, Lack};
use crate::api::Key;
use crate::api::types::{EndpointSlice, IntOrString, Service, ServicePort, ServiceSpec};

/// Who gets the requests for a Service.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The endpoints.
    pub endpoints: Vec<SocketAddr>,
    /// The host and the port of a Service of type `ExternalName`.
    pub external: Option<(Rc<str>, u16)>,
    /// Why there are none, if there are none.
    pub lack: Option<Lack>,
}

impl Found {
    pub(super) fn lacking(lack: Lack) -> Found {
        Found { lack: Some(lack), ..Found::default() }
    }

    /// The backend of these endpoints.
    pub(super) fn backend(self, service: Key, port: Rc<str>) -> Backend {
        let Found { endpoints, external, lack } = self;
        Backend { service, port, endpoints, external, lack, canary: None, alternative: None }
    }
}

fn number(port: i32) -> Option<u16> {
    u16::try_from(port).ok().filter(|p| *p > 0)
}

fn target(port: &ServicePort) -> Option<u16> {
    match &port.target_port {
        Some(IntOrString::Int(n)) => number(*n),
        Some(IntOrString::String(_)) => None,
        // The API server fills it in.
        None => number(port.port),
    }
}

/// The port of a Service that a backend names: by its number, its target port or its name.
fn port_of<'s>(spec: &'s ServiceSpec, wanted: &str) -> Option<&'s ServicePort> {
    spec.ports.iter().flatten().find(|p| {
        let target = match &p.target_port {
            Some(IntOrString::Int(n)) => n.to_string(),
            Some(IntOrString::String(name)) => name.clone(),
            None => String::new(),
        };
        p.port.to_string() == wanted || target == wanted || p.name.as_deref() == Some(wanted)
    })
}

/// The endpoints of a port of a Service.
pub fn endpoints(service: &Service, slices: &[&EndpointSlice], wanted: &str) -> Found {
    let Some(spec) = &service.spec else { return Found::lacking(Lack::NoPort) };
    if spec.type_.as_deref() == Some("ExternalName") {
        let named = port_of(spec, wanted).and_then(target);
        let port = named.or_else(|| wanted.parse().ok());
        let host = spec.external_name.as_deref().filter(|h| !h.is_empty() && *h != "localhost");
        return match host.zip(port) {
            Some((host, port)) => Found { external: Some((host.into(), port)), ..Found::default() },
            None => Found::lacking(Lack::NoPort),
        };
    }
    let Some(port) = port_of(spec, wanted) else { return Found::lacking(Lack::NoPort) };
    let (mut all, mut seen) = (Vec::new(), BTreeSet::new());
    for slice in slices {
        let ports = ports_in(slice, port);
        for endpoint in slice.endpoints.iter().flatten() {
            if endpoint.conditions.as_ref().and_then(|c| c.ready) == Some(false) {
                continue;
            }
            for port in &ports {
                let addresses = endpoint.addresses.iter().filter_map(|a| a.parse::<IpAddr>().ok());
                all.extend(addresses.map(|ip| SocketAddr::new(ip, *port)).filter(|a| seen.insert(*a)));
            }
        }
    }
    let lack = all.is_empty().then_some(Lack::NoEndpoints);
    Found { endpoints: all, external: None, lack }
}

/// The numbers that the port of a Service has in an EndpointSlice.
fn ports_in(slice: &EndpointSlice, port: &ServicePort) -> Vec<u16> {
    let named = port.name.as_deref().unwrap_or_default();
    let own = slice.ports.iter().flatten();
    if slice.ports.as_ref().is_none_or(Vec::is_empty) {
        return target(port).into_iter().collect();
    }
    let tcp = own.filter(|p| p.protocol.as_deref().is_none_or(|p| p == "TCP"));
    let of = |p: &crate::api::types::discovery::EndpointPort| {
        let same = named.is_empty() || p.name.as_deref().unwrap_or_default() == named;
        let by_name = p.port.filter(|_| same).and_then(number);
        // A port of another name counts if the Service's target is a number.
        by_name.or_else(|| target(port))
    };
    tcp.filter_map(of).collect()
}

/// The address of a Service as the only endpoint (`service-upstream`).
pub fn cluster_endpoint(service: &Service, wanted: &str) -> Option<SocketAddr> {
    let spec = service.spec.as_ref()?;
    let address = spec.cluster_ip.as_deref()?.parse::<IpAddr>().ok()?;
    let by_name = || spec.ports.iter().flatten().find(|p| p.name.as_deref() == Some(wanted));
    let port = wanted.parse().ok().or_else(|| number(by_name()?.port))?;
    Some(SocketAddr::new(address, port))
}
