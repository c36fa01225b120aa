//! The machines that pass a packet on, as `traceroute` finds them: each takes one from the packet's `TTL`, and the one that takes the last
//! says so to the sender (ICMP, *time exceeded*).

use std::net::IpAddr;

use super::hop::{At, End, Way};
use super::machine::Network;

/// The address of each that passes the packet on, in order; `None` for one that says nothing. That is flanneld, which takes one from the
/// `TTL` on both nodes and has no message for it (`decrement_ttl` in flannel's `pkg/backend/udp/proxy_amd64.c`).
pub fn routers(network: &Network, way: &Way) -> Vec<Option<IpAddr>> {
    let mut all = Vec::new();
    for (place, hop) in way.hops.iter().enumerate() {
        match &hop.at {
            // The first place is the process that sends. A machine does not pass on what it sends itself.
            At::Route(_) if hop.pod.is_none() && place > 1 => {
                // It answers from the interface that leads back to the sender.
                let sender = hop.headers.source.ip();
                let machine = network.machine(&hop.node);
                all.push(machine.and_then(|m| m.source_towards(network, sender)));
            }
            At::UserSpace(_) => all.push(None),
            _ => {}
        }
    }
    // The way out of the machines' network is a machine, too: the one that has the first address there.
    let to = way.headers.destination.ip();
    let is_from_cluster = way.hops.first().is_some_and(|hop| !hop.node.is_empty());
    if way.end == End::Outside && is_from_cluster {
        let range = network.machine_ranges.iter().find(|r| r.network().is_ipv4() == to.is_ipv4());
        all.extend(range.and_then(|range| range.hosts().next()).map(Some));
    }
    all
}
