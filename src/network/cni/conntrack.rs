//! The way of an answer. It is made of the connections that the kernels of nodes keep (conntrack): no rule of kube-proxy is
//! asked for it.

use std::net::SocketAddr;

use crate::network::proxy::Origin;

use super::hop::{At, End, Headers, Tracked, Way};
use super::machine::{Machine, Network};
use super::way::{Kernel, Next, Sender, Walker};

/// Leads the answer to the first packet of a connection back. `None` if that has come to nobody.
pub fn back(network: &Network, sender: &Sender, there: &Way) -> Option<Way> {
    let mut walker = Walker::new(network, there.headers.reversed());
    let mut answering = Answering { tracked: &there.tracked, asker: sender };
    let kernel = &mut answering;
    let end = match &there.end {
        End::Arrived { node, pod: Some(pod) } => {
            let sender = Sender { node: node.clone(), pod: pod.clone(), hosted: false, balanced_to: None };
            walker.walk(kernel, &sender)
        }
        End::Arrived { node, pod: None } => {
            let machine = network.machine(node)?;
            walker.hop(node, None, At::Process, None);
            walker.pass_node(kernel, machine, Origin::Node, "")
        }
        // It comes back to the node that has sent the packet out.
        End::Neighbour | End::Outside => {
            let machine = network.machine(&there.hops.last()?.node)?;
            walker.hop(&machine.name, None, At::Interface, None);
            walker.pass_node(kernel, machine, Origin::Outside, "eth0")
        }
        End::Lost | End::Rejected | End::Dropped | End::Denied(_) | End::Untracked { .. } => return None,
    };
    // Who has asked another address does not know of this one.
    let awaited = there.hops.first()?.headers.reversed();
    let end = match end {
        // It has come to the machine outside that has asked, where a balancer that had given it another address takes that away.
        End::Neighbour if sender.is_outside() => {
            let outside = &sender.node;
            if sender.balanced_to.as_ref().is_some_and(|(_, to)| walker.headers.source == *to) {
                walker.headers.source = awaited.source;
                walker.hop(outside, None, At::Balancer, None);
            }
            walker.hop(outside, None, At::Interface, None);
            walker.hop(outside, None, At::Process, None);
            End::Arrived { node: outside.clone(), pod: None }
        }
        end => end,
    };
    let end = match end {
        End::Arrived { node, .. } if walker.headers != awaited => End::Untracked { node },
        end => end,
    };
    Some(Way { hops: walker.hops, headers: walker.headers, end, tracked: Vec::new() })
}

/// What kernels do with the answer: what was translated for the first packet is translated back.
struct Answering<'a> {
    /// The connections that all nodes keep.
    tracked: &'a [Tracked],
    /// Who has opened the connection.
    asker: &'a Sender,
}

impl Answering<'_> {
    /// The connection of a node that a packet is the answer of.
    fn known(&self, node: &str, headers: &Headers) -> Option<Tracked> {
        self.tracked.iter().find(|t| *t.node == *node && t.answered() == *headers).cloned()
    }
}

/// The packet's destination becomes who has opened the connection, if the first packet was masqueraded. That is before the routing
/// table is asked.
fn back_to_sender(packet: &mut Walker<'_>, known: &Tracked) {
    let sender = known.opened.source;
    translate(packet, known, |headers| &mut headers.destination, sender);
}

/// The packet's source becomes what was asked, if the first packet was led elsewhere. That is after the routing table was asked.
fn back_to_asked(packet: &mut Walker<'_>, known: &Tracked) {
    let asked = known.opened.destination;
    translate(packet, known, |headers| &mut headers.source, asked);
}

fn translate(
    packet: &mut Walker<'_>,
    known: &Tracked,
    side: fn(&mut Headers) -> &mut SocketAddr,
    original: SocketAddr,
) {
    let side = side(&mut packet.headers);
    if *side == original {
        return;
    }
    *side = original;
    packet.hop(&known.node, None, At::Conntrack(known.to_string().into()), None);
}

impl Kernel for Answering<'_> {
    fn at_node(&mut self, packet: &mut Walker<'_>, machine: &Machine, _: Origin, _: &str, _: bool) -> Next {
        let node = &machine.name;
        let Some(known) = self.known(node, &packet.headers) else {
            return Next::Ends(End::Untracked { node: node.clone() });
        };
        back_to_sender(packet, &known);
        if packet.is_for(machine) {
            back_to_asked(packet, &known);
            let pod = Some(&self.asker.pod).filter(|_| self.asker.hosted && self.asker.node == *node);
            packet.hop(node, pod, At::Process, None);
            return Next::Ends(End::Arrived { node: node.clone(), pod: pod.cloned() });
        }
        let Some(route) = packet.route(machine) else { return Next::Ends(End::Lost) };
        back_to_asked(packet, &known);
        packet.send(machine, &route)
    }

    /// Kubernetes asks for `net.bridge.bridge-nf-call-iptables`, with which the kernel translates what a bridge passes on, too.
    fn on_bridge(&mut self, packet: &mut Walker<'_>, machine: &Machine) {
        if let Some(known) = self.known(&machine.name, &packet.headers) {
            back_to_asked(packet, &known);
        }
    }
}
