//! The way of a packet from a process to where it is for.

use std::net::SocketAddr;
use std::rc::Rc;

use crate::network::policy::Denied;
use crate::network::protocol::Protocol;
use crate::network::proxy::{Origin, Verdict};

use super::hop::{At, End, Headers, Hop, Outer, Tracked, Way};
use super::machine::{Machine, Network, veth};
use super::plugin::Tunnel;
use super::route::{Route, longest};

/// Who sends a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    /// The node; empty if it is a machine that is no node but in the network of the nodes, as the person's own is.
    pub node: Rc<str>,
    /// The pod's name; empty if no pod sends.
    pub pod: Rc<str>,
    /// Whether the pod is in the network of its node.
    pub hosted: bool,
    /// The node that a load balancer in front of the cluster chooses, if there is one, and the address to which it sends the packet.
    pub balanced_to: Option<(Rc<str>, SocketAddr)>,
}

impl Sender {
    /// Whether it is a machine that is no node.
    pub fn is_outside(&self) -> bool {
        self.node.is_empty()
    }
}

/// What kube-proxy's rules on a node make of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// The rules that matched, as they are printed.
    pub lines: Vec<String>,
    /// What becomes of the packet.
    pub verdict: Verdict,
}

/// A packet where policies are enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier<'a> {
    /// The node.
    pub node: &'a str,
    /// The packet's headers, before its source is translated.
    pub headers: Headers,
    /// Whether the node is the one that the packet was sent on.
    pub first: bool,
}

/// What the nodes have beside their routing tables.
pub trait Rules {
    /// What kube-proxy's rules on a node make of a packet that comes in by an interface (empty: from the node itself).
    fn translate(&mut self, node: &str, headers: &Headers, origin: Origin, interface: &str) -> Translation;
    /// Why policies do not let a packet pass.
    fn deny(&mut self, at: Barrier<'_>) -> Option<Denied>;
}

/// How many nodes a packet may come by. Each passes it on because of its own table only, so there is no bound but this one,
/// as IP's own `TTL`.
const NODES_LIMIT: usize = 8;

/// The ports that the kernel takes outer VXLAN packets from: `net.ipv4.ip_local_port_range`, by the inner packet's flow.
const FLOW_PORTS: (u16, u16) = (32_768, 28_232);

/// Where a packet goes from a node.
pub(super) enum Next {
    /// Nowhere.
    Ends(End),
    /// To another node, by the name.
    Node(Rc<str>),
}

/// What the kernel of a node does with a packet between the interface that it comes in by and the one that it leaves by.
pub(super) trait Kernel {
    /// The packet is at a node. `first` says whether the node is the one that the packet was sent on.
    fn at_node(
        &mut self,
        packet: &mut Walker<'_>,
        machine: &Machine,
        origin: Origin,
        interface: &str,
        first: bool,
    ) -> Next;
    /// The packet goes from one pod of a bridge straight to another.
    fn on_bridge(&mut self, packet: &mut Walker<'_>, machine: &Machine);
}

/// A packet on its way.
pub(super) struct Walker<'a> {
    network: &'a Network,
    pub(super) hops: Vec<Hop>,
    pub(super) headers: Headers,
}

/// Leads the first packet of a connection to its end.
pub fn way(network: &Network, sender: &Sender, headers: Headers, rules: &mut dyn Rules) -> Way {
    let mut walker = Walker::new(network, headers);
    let mut opening = Opening { rules, tracked: Vec::new() };
    let end = walker.walk(&mut opening, sender);
    Way { hops: walker.hops, headers: walker.headers, end, tracked: opening.tracked }
}

impl<'a> Walker<'a> {
    pub(super) fn new(network: &'a Network, headers: Headers) -> Walker<'a> {
        Walker { network, hops: Vec::new(), headers }
    }

    pub(super) fn hop(&mut self, node: &Rc<str>, pod: Option<&Rc<str>>, at: At, outer: Option<Outer>) {
        let hop = Hop { node: node.clone(), pod: pod.cloned(), at, headers: self.headers, outer };
        self.hops.push(hop);
    }

    /// From a process in a pod.
    pub(super) fn walk(&mut self, kernel: &mut dyn Kernel, sender: &Sender) -> End {
        let network = self.network;
        if sender.is_outside() {
            return self.come_in(kernel, sender);
        }
        let Some(machine) = network.machine(&sender.node) else { return End::Lost };
        self.hop(&machine.name, Some(&sender.pod), At::Process, None);
        if sender.hosted {
            return self.pass_node(kernel, machine, Origin::Node, "");
        }
        match self.leave_pod(kernel, machine, &sender.pod) {
            Ok(interface) => self.pass_node(kernel, machine, Origin::Pod, &interface),
            Err(end) => end,
        }
    }

    /// From a machine that is no node: straight to the node that has the address, or to the one that a load balancer chooses.
    fn come_in(&mut self, kernel: &mut dyn Kernel, sender: &Sender) -> End {
        let (network, outside) = (self.network, &sender.node);
        self.hop(outside, None, At::Process, None);
        self.hop(outside, None, At::Interface, None);
        let machine = match &sender.balanced_to {
            Some((node, to)) => {
                self.headers.destination = *to;
                self.hop(outside, None, At::Balancer, None);
                network.machine(node)
            }
            None => network.with_address(self.headers.destination.ip()),
        };
        let Some(machine) = machine else {
            let to = self.headers.destination.ip();
            let is_near = network.machine_ranges.iter().any(|range| range.contains(&to));
            return if is_near { End::Lost } else { End::Outside };
        };
        self.hop(&machine.name, None, At::Interface, None);
        self.pass_node(kernel, machine, Origin::Outside, "eth0")
    }

    /// From the kernel of a node, to which the packet has come by an interface (empty: from the node itself).
    pub(super) fn pass_node(
        &mut self,
        kernel: &mut dyn Kernel,
        machine: &'a Machine,
        origin: Origin,
        interface: &str,
    ) -> End {
        let (mut machine, mut origin, mut interface) = (machine, origin, interface);
        for n in 0..NODES_LIMIT {
            let first = n == 0 && origin != Origin::Outside;
            match kernel.at_node(self, machine, origin, interface, first) {
                Next::Ends(end) => return end,
                Next::Node(name) => match self.network.machine(&name) {
                    Some(next) => machine = next,
                    None => return End::Lost,
                },
            }
            (origin, interface) = (Origin::Outside, "eth0");
        }
        End::Lost
    }

    /// From the process in a pod to its node. Returns the interface that the packet comes to the node by.
    fn leave_pod(
        &mut self,
        kernel: &mut dyn Kernel,
        machine: &Machine,
        pod: &Rc<str>,
    ) -> Result<String, End> {
        let node = &machine.name;
        let to = self.headers.destination.ip();
        let table = machine.routes_in_pod(self.network, self.headers.source.ip());
        let Some(route) = longest(table, to) else { return Err(End::Lost) };
        let direct = route.via.is_none();
        self.hop(node, Some(pod), At::Route(route), None);
        self.hop(node, Some(pod), At::PodInterface, None);
        let line = veth(pod);
        self.hop(node, None, At::Veth(line.clone()), None);
        if !self.network.plugin.has_bridge() {
            return Ok(line);
        }
        self.hop(node, None, At::Bridge, None);
        // A pod on the same bridge is reached without the node's routing table.
        let Some(receiver) = machine.pod(to).filter(|_| direct) else { return Ok("cni0".to_owned()) };
        kernel.on_bridge(self, machine);
        Err(self.enter_pod(machine, receiver))
    }

    fn enter_pod(&mut self, machine: &Machine, pod: &Rc<str>) -> End {
        let node = &machine.name;
        self.hop(node, None, At::Veth(veth(pod)), None);
        self.hop(node, Some(pod), At::PodInterface, None);
        self.hop(node, Some(pod), At::Process, None);
        End::Arrived { node: node.clone(), pod: Some(pod.clone()) }
    }

    /// Whether the packet is for the node itself.
    pub(super) fn is_for(&self, machine: &Machine) -> bool {
        let to = self.headers.destination.ip();
        machine.addresses.contains(&to) || machine.gateway(to) == Some(to)
    }

    /// Gives the packet the node's address as its source, if kube-proxy or the plugin says so.
    fn masquerade(&mut self, machine: &Machine, route: &Route, origin: Origin, by_kube_proxy: bool) {
        let to = self.headers.destination.ip();
        let to_pods = self.network.pod_ranges.iter().any(|r| r.contains(&to));
        let rule = match self.network.plugin.masquerade() {
            _ if by_kube_proxy => "-A KUBE-POSTROUTING -j MASQUERADE",
            Some(rule) if origin == Origin::Pod && !to_pods => rule,
            // A process of the node that sends into flannel's network gets an address in that network.
            Some(rule) if origin == Origin::Node && route.dev.starts_with("flannel") => rule,
            _ => return,
        };
        let Some(own) = machine.address_on(&route.dev, to) else { return };
        self.headers.source.set_ip(own);
        self.hop(&machine.name, None, At::Masquerade(rule.into()), None);
    }

    /// Looks the packet's destination up in the node's routing table.
    pub(super) fn route(&mut self, machine: &Machine) -> Option<Route> {
        let to = self.headers.destination.ip();
        let route = longest(machine.routes(self.network, to), to)?;
        self.hop(&machine.name, None, At::Route(route.clone()), None);
        Some(route)
    }

    pub(super) fn send(&mut self, machine: &Machine, route: &Route) -> Next {
        let node = &machine.name;
        let to = self.headers.destination.ip();
        if route.dev == "eth0" {
            self.hop(node, None, At::Interface, None);
            let next = route.via.unwrap_or(to);
            return match self.network.with_address(next) {
                Some(other) => self.receive(other, None),
                None if route.via.is_none() => Next::Ends(End::Neighbour),
                None => Next::Ends(End::Outside),
            };
        }
        if let Some(tunnel) = self.network.plugin.tunnel(to).filter(|t| t.interface == route.dev) {
            return self.pack(machine, tunnel);
        }
        let Some(pod) = machine.pod(to).cloned() else { return Next::Ends(End::Lost) };
        if self.network.plugin.has_bridge() {
            self.hop(node, None, At::Bridge, None);
        }
        Next::Ends(self.enter_pod(machine, &pod))
    }

    /// Packs the packet into one to the node that has the pod's address in its range.
    fn pack(&mut self, machine: &Machine, tunnel: Tunnel) -> Next {
        let to = self.headers.destination.ip();
        let other = self.network.with_range_of(to).filter(|m| m.name != machine.name);
        let Some(other) = other else { return Next::Ends(End::Lost) };
        let (Some(own), Some(peer)) = (machine.address(to), other.address(to)) else {
            return Next::Ends(End::Lost);
        };
        let from_port = if tunnel.vni.is_some() { flow_port(&self.headers) } else { tunnel.port };
        let headers = Headers {
            source: SocketAddr::new(own, from_port),
            destination: SocketAddr::new(peer, tunnel.port),
            protocol: Some(Protocol::Udp),
        };
        let mtu = self.network.plugin.mtu(to);
        let Tunnel { vni, overhead, copies, .. } = tunnel;
        let outer = Some(Outer { headers, vni, overhead, mtu, copies });
        if tunnel.copies > 0 {
            self.hop(&machine.name, None, At::Tunnel(tunnel.interface), None);
            self.hop(&machine.name, None, At::UserSpace("flanneld"), outer);
        } else {
            self.hop(&machine.name, None, At::Tunnel(tunnel.interface), outer);
        }
        self.hop(&machine.name, None, At::Interface, outer);
        self.receive(other, Some((tunnel, outer)))
    }

    /// The packet comes in by another node's interface.
    fn receive(&mut self, other: &Machine, packed: Option<(Tunnel, Option<Outer>)>) -> Next {
        self.hop(&other.name, None, At::Interface, packed.and_then(|(_, outer)| outer));
        if let Some((tunnel, outer)) = packed {
            if tunnel.copies > 0 {
                self.hop(&other.name, None, At::UserSpace("flanneld"), outer);
            }
            self.hop(&other.name, None, At::Tunnel(tunnel.interface), None);
        }
        Next::Node(other.name.clone())
    }
}

/// What kernels do with the first packet of a connection: kube-proxy's rules and the policies are asked, and the connection is kept.
struct Opening<'a> {
    rules: &'a mut dyn Rules,
    tracked: Vec<Tracked>,
}

impl Kernel for Opening<'_> {
    fn at_node(
        &mut self,
        packet: &mut Walker<'_>,
        machine: &Machine,
        origin: Origin,
        interface: &str,
        first: bool,
    ) -> Next {
        let node = &machine.name;
        let opened = packet.headers;
        let Translation { lines, verdict } = self.rules.translate(node, &opened, origin, interface);
        let mut masquerade = false;
        match verdict {
            Verdict::Unchanged => {}
            Verdict::Endpoint { address, masquerade: with } => {
                packet.headers.destination = address;
                masquerade = with;
                packet.hop(node, None, At::KubeProxy(lines), None);
            }
            Verdict::Reject | Verdict::Drop => {
                packet.hop(node, None, At::KubeProxy(lines), None);
                return Next::Ends(if verdict == Verdict::Reject { End::Rejected } else { End::Dropped });
            }
        }
        if packet.is_for(machine) {
            self.keep(node, opened, packet.headers);
            packet.hop(node, None, At::Process, None);
            return Next::Ends(End::Arrived { node: node.clone(), pod: None });
        }
        let Some(route) = packet.route(machine) else { return Next::Ends(End::Lost) };
        let barrier = Barrier { node, headers: packet.headers, first };
        let enforces = packet.network.plugin.enforces_policies();
        if let Some(denied) = self.rules.deny(barrier).filter(|_| enforces) {
            packet.hop(node, None, At::Policy(denied.clone()), None);
            return Next::Ends(End::Denied(denied));
        }
        packet.masquerade(machine, &route, origin, masquerade);
        self.keep(node, opened, packet.headers);
        packet.send(machine, &route)
    }

    /// No rule changes what goes from one pod of a bridge to the other's own address.
    fn on_bridge(&mut self, packet: &mut Walker<'_>, machine: &Machine) {
        self.keep(&machine.name, packet.headers, packet.headers);
    }
}

impl Opening<'_> {
    /// The node's kernel keeps the connection.
    fn keep(&mut self, node: &Rc<str>, opened: Headers, translated: Headers) {
        self.tracked.push(Tracked { node: node.clone(), opened, translated });
    }
}

/// The port that an outer VXLAN packet comes from. The kernel makes it of a hash of the inner flow; here it is FNV-1a.
fn flow_port(inner: &Headers) -> u16 {
    let hash =
        inner.to_string().bytes().fold(0x811c_9dc5_u32, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193));
    let (first, many) = FLOW_PORTS;
    first.saturating_add(u16::try_from(hash % u32::from(many)).unwrap_or(0))
}
