//! Echo requests that say something of their way: those that may be passed on only so often, of which `traceroute` sends many, and those
//! that may not be cut into pieces.

use std::net::{IpAddr, SocketAddr};

use super::network::{Network, Sender, sent_by};
use crate::api::Key;
use crate::network::cni::{self, At, Barrier, ETHERNET_MTU, Headers, Rules, Translation, Way, routers};
use crate::network::policy::Denied;
use crate::network::proxy::{Origin, Verdict};
use crate::network::question::TTL;
use crate::network::{Because, Outcome, Reply};

/// The nodes as a packet without ports finds them: no rule of kube-proxy is for it.
struct Unled<'a, 'n> {
    network: &'a Network<'n>,
    from: &'a Key,
}

impl Rules for Unled<'_, '_> {
    fn translate(&mut self, _: &str, _: &Headers, _: Origin, _: &str) -> Translation {
        Translation { lines: Vec::new(), verdict: Verdict::Unchanged }
    }

    fn deny(&mut self, at: Barrier<'_>) -> Option<Denied> {
        self.network.denied_at(self.from, &at)
    }
}

impl Network<'_> {
    /// What becomes of an echo request.
    pub(super) fn echoed(&self, from: &Key, to: IpAddr, ttl: u8, whole: Option<u16>) -> Reply {
        let met = || {
            let (outcome, because) = self.echo(from, to);
            Reply::of_all(outcome, because)
        };
        if to.is_loopback() || (ttl >= TTL && whole.is_none()) {
            return met();
        }
        let Some(sender) = self.sender(from, to) else { return met() };
        let topology = self.topology();
        let by = sent_by(from, &sender, None);
        let headers = Headers {
            source: SocketAddr::new(sender.address, 0),
            destination: SocketAddr::new(to, 0),
            protocol: None,
        };
        let way = cni::way(topology, &by, headers, &mut Unled { network: self, from });
        let most = self.widest(&sender, &way, to);
        if whole.is_some_and(|bytes| bytes > most) {
            return Reply::of_all(Outcome::Unreachable, Because::TooLarge(most));
        }
        let last =
            usize::from(ttl).checked_sub(1).and_then(|place| routers(topology, &way).get(place).copied());
        match last {
            None => met(),
            Some(None) => Reply::of_all(Outcome::TimedOut, Because::Expired),
            Some(Some(router)) => Reply {
                endpoint: Some(SocketAddr::new(router, 0)),
                ..Reply::of_all(Outcome::Unreachable, Because::Expired)
            },
        }
    }

    /// The largest packet that the interface takes by which a sender sends to an address, in bytes. That of a pod is as the network plugin
    /// has made it, whoever the pod sends to.
    fn widest(&self, sender: &Sender, way: &Way, to: IpAddr) -> u16 {
        let own = |node: &str| *sender.node.name == *node;
        let by_tunnel = way.hops.iter().any(|hop| own(&hop.node) && matches!(hop.at, At::Tunnel(_)));
        match (sender.hosted, by_tunnel) {
            (false, _) => self.plugin.pod_mtu(),
            (true, true) => self.plugin.mtu(to),
            (true, false) => ETHERNET_MTU,
        }
    }
}
