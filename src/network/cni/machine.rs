//! The machines of a cluster, and the routing tables that a plugin gives them and their pods.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::rc::Rc;

use ipnet::IpNet;

use super::plugin::Plugin;
use super::route::{Route, longest};
use crate::api::MetaExt;
use crate::api::types::Node;

/// A node with its pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The node's name.
    pub name: Rc<str>,
    /// The node's addresses in the network of the machines.
    pub addresses: Vec<IpAddr>,
    /// The ranges of its pods (`spec.podCIDRs`).
    pub pod_ranges: Vec<IpNet>,
    /// The addresses of its pods, but for those in the node's own network, with the pods' names.
    pub pods: Vec<(IpAddr, Rc<str>)>,
}

/// The network of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// What connects the pods.
    pub plugin: Plugin,
    /// The nodes.
    pub machines: Vec<Machine>,
    /// The ranges of all pods (`--cluster-cidr`).
    pub pod_ranges: Vec<IpNet>,
    /// The networks of the machines. The first address of each is that of the way out.
    pub machine_ranges: Vec<IpNet>,
}

/// The nth address of a range.
fn nth(range: &IpNet, n: u8) -> IpAddr {
    match range.network() {
        IpAddr::V4(a) => Ipv4Addr::from(u32::from(a).saturating_add(u32::from(n))).into(),
        IpAddr::V6(a) => Ipv6Addr::from(u128::from(a).saturating_add(u128::from(n))).into(),
    }
}

/// The default route of a family.
pub(super) fn everything(like: IpAddr) -> IpNet {
    let zero =
        if like.is_ipv4() { IpAddr::V4(Ipv4Addr::UNSPECIFIED) } else { IpAddr::V6(Ipv6Addr::UNSPECIFIED) };
    IpNet::new(zero, 0).unwrap_or_else(|_| zero.into())
}

/// The name of the node's end of a pod's line. A real one is random (`ip.RandomVethName`); here it follows from the pod's name
/// (FNV-1a).
pub(super) fn veth(pod: &str) -> String {
    let hash = pod.bytes().fold(0x811c_9dc5_u32, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193));
    format!("veth{hash:08x}")
}

impl Machine {
    /// The machine of a Node, without its pods.
    pub fn of(node: &Node) -> Machine {
        let addresses = node.status.iter().flat_map(|s| s.addresses.iter().flatten());
        let internal = addresses.filter(|a| a.type_ == "InternalIP");
        let ranges = node.spec.iter().flat_map(|s| s.pod_cidrs.iter().flatten());
        Machine {
            name: node.metadata.name().into(),
            addresses: internal.filter_map(|a| a.address.parse().ok()).collect(),
            pod_ranges: ranges.filter_map(|r| r.parse::<IpNet>().ok()).collect(),
            pods: Vec::new(),
        }
    }

    /// The node's own address of the family of another one, in the network of the machines.
    pub fn address(&self, like: IpAddr) -> Option<IpAddr> {
        self.addresses.iter().copied().find(|a| a.is_ipv4() == like.is_ipv4())
    }

    fn range(&self, like: IpAddr) -> Option<&IpNet> {
        self.pod_ranges.iter().find(|r| r.network().is_ipv4() == like.is_ipv4())
    }

    /// The node's address towards its own pods: the first of their range. The plugins `bridge` and `ptp` give it to their
    /// interface.
    pub fn gateway(&self, like: IpAddr) -> Option<IpAddr> {
        self.range(like).map(|r| nth(r, 1))
    }

    /// The node's address on an interface, which packets get that are masqueraded there.
    pub fn address_on(&self, dev: &str, like: IpAddr) -> Option<IpAddr> {
        match dev {
            "eth0" => self.address(like),
            // flannel's interfaces have the very first address of the node's range.
            dev if dev.starts_with("flannel") => self.range(like).map(|r| nth(r, 0)),
            _ => self.gateway(like),
        }
    }

    /// The node's own address on the interface by which its routing table sends to an address. Packets get it that are masqueraded on
    /// their way there, and the node answers with it whoever is there. `None` where no line leads there.
    pub fn source_towards(&self, network: &Network, to: IpAddr) -> Option<IpAddr> {
        let route = longest(self.routes(network, to), to)?;
        self.address_on(&route.dev, to)
    }

    /// The name of the pod of the node that has an address.
    pub fn pod(&self, address: IpAddr) -> Option<&Rc<str>> {
        self.pods.iter().find(|(a, _)| *a == address).map(|(_, name)| name)
    }

    /// The node's routing table for the family of an address.
    pub fn routes(&self, network: &Network, like: IpAddr) -> Vec<Route> {
        let plugin = network.plugin;
        let of_family = |r: &&IpNet| r.network().is_ipv4() == like.is_ipv4();
        let mut all = Vec::new();
        for range in network.machine_ranges.iter().filter(of_family) {
            all.push(Route::via(everything(like), nth(range, 1), "eth0"));
            all.push(Route::link(*range, "eth0", self.address(like)));
        }
        if plugin.has_bridge() {
            all.extend(self.range(like).map(|r| Route::link(*r, "cni0", self.gateway(like))));
        } else {
            let own = self.pods.iter().filter(|(a, _)| a.is_ipv4() == like.is_ipv4());
            all.extend(own.map(|(a, pod)| Route::link((*a).into(), &veth(pod), None)));
        }
        if !plugin.connects_nodes(like) {
            return all;
        }
        if plugin == Plugin::FlannelUdp {
            // One line for all nodes: flanneld itself knows which of them has an address.
            let ranges = network.pod_ranges.iter().filter(of_family);
            all.extend(ranges.map(|r| Route::link(*r, "flannel0", self.address_on("flannel0", like))));
            return all;
        }
        for other in network.machines.iter().filter(|m| m.name != self.name) {
            let Some(range) = other.range(like) else { continue };
            match plugin.tunnel(like) {
                Some(tunnel) => {
                    all.push(Route { onlink: true, ..Route::via(*range, nth(range, 0), tunnel.interface) });
                }
                None => all.extend(other.address(like).map(|a| Route::via(*range, a, "eth0"))),
            }
        }
        all
    }

    /// The routing table in a pod of the node.
    pub fn routes_in_pod(&self, network: &Network, own: IpAddr) -> Vec<Route> {
        let (Some(gateway), Some(range)) = (self.gateway(own), self.range(own)) else { return Vec::new() };
        let mut all = vec![Route::via(everything(own), gateway, "eth0")];
        if network.plugin.has_bridge() {
            all.push(Route::link(*range, "eth0", Some(own)));
        } else {
            // `ptp`: even the pod's own range is behind the node.
            all.push(Route::via(*range, gateway, "eth0"));
            all.push(Route::link(gateway.into(), "eth0", Some(own)));
        }
        all
    }
}

impl Network {
    /// The node of this name.
    pub fn machine(&self, name: &str) -> Option<&Machine> {
        self.machines.iter().find(|m| *m.name == *name)
    }

    /// The node that has an address itself.
    pub fn with_address(&self, address: IpAddr) -> Option<&Machine> {
        self.machines.iter().find(|m| m.addresses.contains(&address))
    }

    /// The node to whose range a pod's address belongs.
    pub fn with_range_of(&self, address: IpAddr) -> Option<&Machine> {
        self.machines.iter().find(|m| m.pod_ranges.iter().any(|r| r.contains(&address)))
    }
}
