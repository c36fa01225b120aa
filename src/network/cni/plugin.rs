//! The network plugins, and what each of them costs.

use std::net::{IpAddr, Ipv4Addr};

use serde::{Deserialize, Serialize};

/// What connects the pods of a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Plugin {
    /// kindnet, which kind installs: the plugin `ptp`, a direct route to each other node, and kube-network-policies.
    #[default]
    Kindnet,
    /// flannel with the backend `host-gw`: a bridge on each node, and a direct route to each other node.
    FlannelHostGw,
    /// flannel with the backend `vxlan`: the kernel packs packets for other nodes into UDP (RFC 7348).
    FlannelVxlan,
    /// flannel with the backend `udp`: the process flanneld packs packets for other nodes into UDP.
    FlannelUdp,
    /// The plugin `bridge` alone: pods of one node reach each other, and nobody makes routes to other nodes.
    Bridge,
    /// None: the runtime finds no configuration in `/etc/cni/net.d`. Nodes are not ready, and no pod with a network of its own starts. Pods
    /// that run already reach what they would reach with [`Plugin::Bridge`].
    None,
}

/// How packets for other nodes are packed into others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunnel {
    /// The interface that packets are sent to, to be packed.
    pub interface: &'static str,
    /// The UDP port of the outer packets.
    pub port: u16,
    /// The number of the network in VXLAN's header; `None` where there is no such header.
    pub vni: Option<u32>,
    /// How many bytes the outer headers take.
    pub overhead: u16,
    /// How often a packet is copied between the kernel and a process, on each of the two nodes.
    pub copies: u8,
}

/// The largest packet on the network of the machines (Ethernet).
pub const ETHERNET_MTU: u16 = 1500;

impl Plugin {
    /// All plugins, the default one first.
    pub const ALL: [Plugin; 6] = [
        Plugin::Kindnet,
        Plugin::FlannelHostGw,
        Plugin::FlannelVxlan,
        Plugin::FlannelUdp,
        Plugin::Bridge,
        Plugin::None,
    ];

    /// The name, as data has it.
    pub fn name(self) -> &'static str {
        match self {
            Plugin::Kindnet => "kindnet",
            Plugin::FlannelHostGw => "flannel-host-gw",
            Plugin::FlannelVxlan => "flannel-vxlan",
            Plugin::FlannelUdp => "flannel-udp",
            Plugin::Bridge => "bridge",
            Plugin::None => "none",
        }
    }

    /// Whether new pods can be connected: there is a plugin.
    pub fn is_there(self) -> bool {
        self != Plugin::None
    }

    /// Whether it enforces NetworkPolicies. flannel leaves that to others, and so does the plugin `bridge`.
    pub fn enforces_policies(self) -> bool {
        self == Plugin::Kindnet
    }

    /// Whether pods can have ports of their node (`hostPort`): the configurations of kindnet and flannel end with the plugin
    /// `portmap`.
    pub fn maps_ports(self) -> bool {
        self != Plugin::Bridge
    }

    /// Whether pods are ports of a bridge of their node (`cni0`). With kindnet each pod has a line of its own to the node.
    pub fn has_bridge(self) -> bool {
        self != Plugin::Kindnet
    }

    /// Whether pods of a family reach those of other nodes. flannel's backend `udp` knows IPv4 only.
    pub fn connects_nodes(self, to: IpAddr) -> bool {
        match self {
            Plugin::Kindnet | Plugin::FlannelHostGw | Plugin::FlannelVxlan => true,
            Plugin::FlannelUdp => to.is_ipv4(),
            Plugin::Bridge | Plugin::None => false,
        }
    }

    /// How packets for a pod's address on another node are packed; `None` if they are sent as they are.
    ///
    /// VXLAN's overhead is an Ethernet header of 14 bytes and VXLAN's of 8 within UDP (8) and IP (20, or 40 for IPv6); that of
    /// the backend `udp` is UDP and IP alone (`encapOverhead` of both backends).
    pub fn tunnel(self, to: IpAddr) -> Option<Tunnel> {
        match self {
            Plugin::Kindnet | Plugin::FlannelHostGw | Plugin::Bridge | Plugin::None => None,
            Plugin::FlannelVxlan if to.is_ipv4() => {
                Some(Tunnel { interface: "flannel.1", port: 8472, vni: Some(1), overhead: 50, copies: 0 })
            }
            Plugin::FlannelVxlan => {
                Some(Tunnel { interface: "flannel-v6.1", port: 8472, vni: Some(1), overhead: 70, copies: 0 })
            }
            Plugin::FlannelUdp => to.is_ipv4().then_some(Tunnel {
                interface: "flannel0",
                port: 8285,
                vni: None,
                overhead: 28,
                copies: 2,
            }),
        }
    }

    /// The largest packet that the interface of a pod takes. It is made for both families, by the overhead of IPv4.
    pub fn pod_mtu(self) -> u16 {
        self.mtu(Ipv4Addr::UNSPECIFIED.into())
    }

    /// The largest packet that fits into the plugin's tunnel to an address of this family.
    pub fn mtu(self, to: IpAddr) -> u16 {
        ETHERNET_MTU - self.tunnel(to).map_or(0, |t| t.overhead)
    }

    /// The rule by which a node gives packets of its pods its own address as their source, where they leave the pods' network;
    /// `None` if there is no such rule.
    pub fn masquerade(self) -> Option<&'static str> {
        match self {
            Plugin::Kindnet => Some("-A KIND-MASQ-AGENT -j MASQUERADE"),
            Plugin::FlannelHostGw | Plugin::FlannelVxlan | Plugin::FlannelUdp => {
                Some("-A FLANNEL-POSTRTG -j MASQUERADE --random-fully")
            }
            Plugin::Bridge | Plugin::None => Some("-j MASQUERADE (ipMasq)"),
        }
    }
}
