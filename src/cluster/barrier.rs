//! What keeps a packet from where it is for: NetworkPolicies, and routes that nobody has made.

use std::net::{IpAddr, SocketAddr};

use super::network::{Leg, Network, Sender, is_own_machine};
use super::policing::{Holder, Policing};
use crate::api::Key;
use crate::network::cni::Barrier;
use crate::network::policy::{Denied, Direction};
use crate::network::{Because, Outcome, Protocol};

impl Network<'_> {
    /// Why a packet does not come to an address: policies drop it, or no node knows a way. `to` is where it was sent, and where
    /// rules lead it.
    pub(super) fn barred(
        &self,
        from: &Key,
        sender: &Sender,
        leg: &Leg,
        to: (SocketAddr, SocketAddr),
        protocol: Option<Protocol>,
        masquerade: bool,
    ) -> Option<(Outcome, Because)> {
        let (asked, address) = to;
        let elsewhere = || self.host_of(address.ip()).is_some_and(|host| host.node != leg.node);
        if self.plugin.enforces_policies() && Policing(self.api).is_needed() {
            let two_legs = leg.node != sender.node;
            let source = self.holder_of(from, sender);
            let sent_to = self.holder(if two_legs { asked.ip() } else { address.ip() });
            let port = |to: SocketAddr| protocol.map(|p| (p, to.port()));
            let egress_port = port(if two_legs { asked } else { address });
            // The receiver's node sees the address of the node that the packet comes from, where that has masqueraded it.
            let seen = match (masquerade && elsewhere(), two_legs) {
                (true, _) => self.address_of(&leg.node, address.ip()).map(|ip| self.holder(ip)),
                (false, true) => Some(self.holder(leg.source)),
                (false, false) => None,
            };
            let denied =
                Policing(self.api).denies(Direction::Egress, &source, &sent_to, egress_port).or_else(|| {
                    let destination = self.holder(address.ip());
                    let seen = seen.as_ref().unwrap_or(&source);
                    Policing(self.api).denies(Direction::Ingress, seen, &destination, port(address))
                });
            if let Some(denied) = denied {
                return Some((Outcome::TimedOut, Because::Policy(denied.direction)));
            }
        }
        let lost = !self.plugin.connects_nodes(address.ip()) && elsewhere();
        lost.then_some((Outcome::TimedOut, Because::NoRoute))
    }

    /// The pod that sends, for policies.
    fn holder_of(&self, from: &Key, sender: &Sender) -> Holder {
        match sender.hosted {
            true => {
                let node = Some(&sender.node).filter(|node| !is_own_machine(node));
                Holder::machine(sender.address, node)
            }
            false => Policing(self.api).pod(from, sender.address, &sender.node),
        }
    }

    /// Who has an address, for policies.
    fn holder(&self, address: IpAddr) -> Holder {
        let policing = Policing(self.api);
        let found = self.hosts().find_map(|h| Some((h.state.pod_of(address)?, h.node)));
        match found {
            Some((pod, node)) => policing.pod(pod, address, &node),
            None => Holder::machine(address, policing.node_with(address).as_ref()),
        }
    }

    /// Why policies do not let a packet of a pod pass a node.
    pub(super) fn denied_at(&self, from: &Key, at: &Barrier<'_>) -> Option<Denied> {
        let policing = Policing(self.api);
        if !self.plugin.enforces_policies() || !policing.is_needed() {
            return None;
        }
        let (source, to) = (at.headers.source.ip(), at.headers.destination);
        let port = at.headers.protocol.map(|p| (p, to.port()));
        let destination = self.holder(to.ip());
        let own = if at.first { self.sender(from, to.ip()).map(|s| self.holder_of(from, &s)) } else { None };
        let source = own.unwrap_or_else(|| self.holder(source));
        let egress = || policing.denies(Direction::Egress, &source, &destination, port);
        let here = self.hosts().any(|h| *h.node.name == *at.node && h.state.pod_of(to.ip()).is_some());
        let ingress = || policing.denies(Direction::Ingress, &source, &destination, port);
        let denied = if at.first { egress() } else { None };
        denied.or_else(|| if here { ingress() } else { None })
    }

    /// Whether policies keep a pod from a DNS server that is no Service's: the cluster's own, or one outside.
    pub(super) fn is_kept_from_dns(&self, from: &Key, server: IpAddr) -> bool {
        let policing = Policing(self.api);
        if !self.plugin.enforces_policies() || !policing.is_needed() {
            return false;
        }
        let Some(sender) = self.sender(from, server) else { return false };
        let source = self.holder_of(from, &sender);
        let of_cluster = self.is_cluster_address(server);
        let destination = if of_cluster { policing.dns(server) } else { self.holder(server) };
        let port = Some((Protocol::Udp, 53));
        [Direction::Egress, Direction::Ingress]
            .into_iter()
            .any(|direction| policing.denies(direction, &source, &destination, port).is_some())
    }
}
