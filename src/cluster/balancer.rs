//! A load balancer in front of the cluster. There is no cloud here, so no Service gets an address of one by itself; somebody can write it
//! into the Service's `status.loadBalancer` (MetalLB does, or `kubectl patch --subresource=status`). From then on what comes from outside
//! to such an address is sent to the nodes in equal parts, as far as their health checks pass.

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use super::network::{Leg, Network, Sender, moved, protocol_of};
use super::proxy_health::HEALTHZ;
use super::shares::{Part, shared_out};
use crate::api::types::{Node, Service, ServicePort};
use crate::api::{Key, Kind, MetaExt, ObjectRef};
use crate::network::proxy::{Fraction, Origin};
use crate::network::{Because, Outcome, Question, Reply};

/// The label of nodes to which balancers send nothing (`LabelNodeExcludeBalancers`).
const EXCLUDED: &str = "node.kubernetes.io/exclude-from-external-load-balancers";

/// The mode of an address of a Service's balancer: with `Proxy` packets come to the nodes' own address, and otherwise unchanged.
fn mode_of(service: &Service, address: IpAddr) -> Option<&str> {
    let balancer = service.status.as_ref()?.load_balancer.as_ref()?;
    let mut all = balancer.ingress.iter().flatten();
    let found = all.find(|i| i.ip.as_deref().and_then(|ip| ip.parse().ok()) == Some(address))?;
    Some(found.ip_mode.as_deref().unwrap_or("VIP"))
}

impl Network<'_> {
    /// The Service of which an address is that of its load balancer.
    pub(super) fn balancer_at<'s>(&self, services: &[&'s Service], address: IpAddr) -> Option<&'s Service> {
        let own = |s: &&&Service| s.spec.as_ref().and_then(|s| s.type_.as_deref()) == Some("LoadBalancer");
        services.iter().filter(own).find(|s| mode_of(s, address).is_some()).copied()
    }

    /// What can become of a connection that comes from outside to the address of a Service's load balancer.
    pub(super) fn balanced(
        &self,
        from: &Key,
        sender: &Sender,
        service: &Service,
        (to, question): (SocketAddr, &Question),
        hops: usize,
    ) -> Vec<Reply> {
        let nobody = |because| vec![Reply::of_all(Outcome::TimedOut, because)];
        let protocol = protocol_of(question).unwrap_or_default();
        let is_it = |p: &&ServicePort| {
            let of_protocol = p.protocol.as_deref().unwrap_or("TCP") == protocol.name();
            of_protocol && p.port == i32::from(to.port())
        };
        let mut ports = service.spec.iter().flat_map(|s| s.ports.iter().flatten());
        let Some(port) = ports.find(is_it) else { return nobody(Because::NoSuchPort) };
        let node_port = port.node_port.and_then(|p| u16::try_from(p).ok()).filter(|p| *p > 0);
        let proxies = mode_of(service, to.ip()) == Some("Proxy");
        let mut targets: Vec<(Key, SocketAddr)> = Vec::new();
        for host in self.hosts() {
            let Some(own) = self.address_of(&host.node, to.ip()) else { continue };
            let target = if proxies { node_port.map(|port| SocketAddr::new(own, port)) } else { Some(to) };
            if let Some(target) = target.filter(|_| self.takes_part(&host.node, own, service)) {
                targets.push((host.node, target));
            }
        }
        let Ok(many) = u128::try_from(targets.len()) else { return nobody(Because::NoEndpoints) };
        if many == 0 {
            return nobody(Because::NoEndpoints);
        }
        let by_node = targets.into_iter().map(|(node, target)| {
            let name: Rc<str> = node.name.to_string().into();
            let leg = Leg { node, source: sender.address, origin: Origin::Outside, interface: "eth0" };
            let replies = self.led(from, (sender, &leg), (target, &moved(question, target)), hops);
            let part = |reply: Reply| Part {
                weight: reply.share.into(),
                reply: Reply { balanced_to: Some((name.clone(), target)), ..reply },
            };
            (Fraction::new(1, many), replies.into_iter().map(part).collect())
        });
        shared_out(by_node.collect())
    }

    /// Whether a balancer sends to a node: it is not excluded, and its health check passes. That is the Service's own
    /// (`healthCheckNodePort`) or else that of the node's kube-proxy.
    fn takes_part(&self, node: &Key, address: IpAddr, service: &Service) -> bool {
        let at = ObjectRef { kind: Kind::NODE, key: node.clone() };
        let object = self.api.cached(&at).and_then(|o| o.get::<Node>());
        if object.is_none_or(|n| n.metadata.label(EXCLUDED).is_some()) {
            return false;
        }
        let own = service.spec.as_ref().and_then(|s| s.health_check_node_port);
        let port = own.and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0);
        let question = Question::Fetch {
            to: SocketAddr::new(address, port.unwrap_or(HEALTHZ)),
            tls: false,
            host: address.to_string().into(),
            method: "GET".into(),
            path: "/healthz".into(),
            headers: Default::default(),
            extras: Default::default(),
        };
        let answer = self.of_kube_proxy(node, &question);
        matches!(answer, Some(Outcome::Answered(response)) if response.status == 200)
    }

    /// As which address the sender of a packet that came to a node from outside is known to the endpoint that the node's rules have
    /// chosen.
    pub(super) fn seen(&self, leg: &Leg, endpoint: IpAddr, masquerade: bool) -> Option<IpAddr> {
        if !masquerade {
            return Some(leg.source);
        }
        let topology = self.topology();
        let machine = topology.machine(&leg.node.name)?;
        // What is for the node itself leaves it by no interface, so nothing is masqueraded.
        let is_own = machine.addresses.contains(&endpoint);
        if is_own { Some(leg.source) } else { machine.source_towards(topology, endpoint) }
    }
}
