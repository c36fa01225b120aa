//! The URLs that a pod could ask for: those of its clients, of Ingresses and routes that are served, and of Services.

use std::rc::Rc;

use crate::api::types::Service;
use crate::api::{Key, Kind, MetaExt, ObjectRef};
use crate::cluster::Cluster;
use crate::network::gateway::hostname::ANY;
use crate::network::passing::PathType;
use crate::network::url::Url;

/// The most URLs that are offered.
const OFFERED: usize = 40;

/// The URLs that a pod could ask for.
pub(super) fn all(cluster: &Cluster, pod: &Key) -> Vec<String> {
    let mut all = of_clients(cluster, &ObjectRef { kind: Kind::POD, key: pod.clone() });
    all.extend(of_ingresses(cluster));
    all.extend(of_gateways(cluster));
    let services = cluster.api().cached_list(Kind::SERVICE, None);
    let mut services: Vec<&Service> =
        services.filter_map(|(_, o)| o.get::<Service>().map(|s| &**s)).collect();
    let selects = |s: &Service| s.spec.as_ref().is_some_and(|s| s.selector.is_some());
    services.sort_by_key(|s| (s.metadata.namespace() != &*pod.namespace, !selects(s)));
    for service in services {
        let name = match service.metadata.namespace() {
            namespace if *namespace == *pod.namespace => service.metadata.name().to_owned(),
            namespace => format!("{}.{namespace}", service.metadata.name()),
        };
        let ports = service.spec.iter().flat_map(|s| s.ports.iter().flatten());
        for port in ports.filter(|p| p.protocol.as_deref().is_none_or(|p| p == "TCP")) {
            let tls = port.port == 443;
            let Ok(number) = u16::try_from(port.port) else { continue };
            let url = address(&Url { tls, host: name.clone(), port: Some(number), path: "/".to_owned() });
            if !all.contains(&url) {
                all.push(url);
            }
        }
    }
    all.truncate(OFFERED);
    all
}

/// What the clients of a pod ask for, or those outside that an object declares.
fn of_clients(cluster: &Cluster, sender: &ObjectRef) -> Vec<String> {
    let clients = cluster.clients();
    let own = clients.iter().filter(|c| c.sender == *sender && c.end.is_none());
    own.map(|c| with_host(&c.client.url, c.client.host.as_deref())).collect()
}

/// The URLs at which an object can be asked for from outside of the cluster: those of the clients that it declares and, if it is a
/// Service, those of the addresses of its load balancer and of its node ports.
pub(super) fn outside(cluster: &Cluster, object: &ObjectRef) -> Vec<String> {
    let mut all = of_clients(cluster, object);
    let Some(service) = cluster.api().cached(object).and_then(|o| o.get::<Service>()) else { return all };
    let nodes = cluster.topology();
    let node = nodes.machines.iter().find_map(|m| m.addresses.first());
    let balancer = service.status.as_ref().and_then(|s| s.load_balancer.as_ref());
    let balancers = balancer.iter().flat_map(|b| b.ingress.iter().flatten()).filter_map(|i| i.ip.clone());
    let balancers: Vec<String> = balancers.collect();
    let ports = service.spec.iter().flat_map(|s| s.ports.iter().flatten());
    for port in ports.filter(|p| p.protocol.as_deref().is_none_or(|p| p == "TCP")) {
        let tls = port.port == 443;
        let own = balancers.iter().map(|ip| (ip.clone(), Some(port.port)));
        let of_node = node.map(|address| (address.to_string(), port.node_port));
        for (host, number) in own.chain(of_node) {
            let Some(number) = number.and_then(|n| u16::try_from(n).ok()).filter(|n| *n > 0) else {
                continue;
            };
            let url = address(&Url { tls, host, port: Some(number), path: "/".to_owned() });
            if !all.contains(&url) {
                all.push(url);
            }
        }
    }
    all.truncate(OFFERED);
    all
}

/// The URLs of the paths of Ingresses that a controller serves, by the Service of that.
fn of_ingresses(cluster: &Cluster) -> Vec<String> {
    let Some((pod, controller)) = cluster.ingress_controller().and_then(|c| c.leader()) else {
        return Vec::new();
    };
    let at = ObjectRef { kind: Kind::POD, key: pod.clone() };
    let labels = cluster.api().cached(&at).map(|o| o.meta().labels_or_empty().clone()).unwrap_or_default();
    let services = cluster.api().cached_list(Kind::SERVICE, Some(&pod.namespace));
    let mut services = services.filter_map(|(_, o)| o.get::<Service>());
    let selects = |s: &&Rc<Service>| {
        let selector = s.spec.as_ref().and_then(|s| s.selector.as_ref()).filter(|s| !s.is_empty());
        selector.is_some_and(|all| all.iter().all(|(name, value)| labels.get(name) == Some(value)))
    };
    let Some(service) = services.find(selects) else { return Vec::new() };
    let name = format!("{}.{}", service.metadata.name(), service.metadata.namespace());
    let mut all = Vec::new();
    for ingress in controller.ingresses.iter().flatten().map(|(_, i)| i) {
        for rule in ingress.spec.iter().flat_map(|s| s.rules.iter().flatten()) {
            for path in rule.http.iter().flat_map(|h| &h.paths) {
                let path = path.path.clone().unwrap_or_else(|| "/".to_owned());
                let url = Url { tls: false, host: name.clone(), port: None, path };
                // A wildcard stands for some name.
                let host = rule.host.as_deref().map(|h| h.replacen('*', "www", 1));
                all.push(with_host(&url, host.as_deref().filter(|h| !h.is_empty())));
            }
        }
    }
    all
}

/// The URLs of the paths of routes that a Gateway serves, by the Service of that: a path and a host are followed, and what else a
/// match asks for is left out.
fn of_gateways(cluster: &Cluster) -> Vec<String> {
    let Some(controller) = cluster.gateway_controller() else { return Vec::new() };
    let mut all = Vec::new();
    for (service, configuration) in &controller.configurations {
        let name = format!("{}.{}", service.name, service.namespace);
        for (number, port) in &configuration.ports {
            for (host, server) in &port.servers {
                let paths = server.locations.iter().filter(|l| l.rules.iter().any(|r| r.found.is_any()));
                for location in paths.filter(|l| l.path_type != PathType::RegularExpression) {
                    let scheme_port = if port.tls { 443 } else { 80 };
                    let url = Url {
                        tls: port.tls,
                        host: name.clone(),
                        port: Some(*number).filter(|n| *n != scheme_port),
                        path: location.path.to_string(),
                    };
                    let host = Some(host.replacen('*', "www", 1)).filter(|_| **host != *ANY);
                    all.push(with_host(&url, host.as_deref()));
                }
            }
        }
    }
    all
}

/// A URL as a person writes it, with the header `Host` if it is another one.
pub(super) fn with_host(url: &Url, host: Option<&str>) -> String {
    host.map_or_else(|| address(url), |host| format!("{} host={host}", address(url)))
}

/// A URL as a person writes it: without the scheme's own port, and without the path `/`.
pub(super) fn address(url: &Url) -> String {
    let path = if url.path == "/" { "" } else { &url.path };
    format!("{}://{}{path}", if url.tls { "https" } else { "http" }, url.authority())
}
