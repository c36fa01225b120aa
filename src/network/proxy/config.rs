//! How a kube-proxy is configured, and what it knows of its node (`pkg/proxy/apis/config/types.go`).

use std::collections::BTreeMap;
use std::net::IpAddr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use super::names::Family;
use super::scheduler::Scheduler;
use super::topology::{LABEL_TOPOLOGY_ZONE, Place};

/// What kube-proxy writes its rules with (`--proxy-mode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Chains of rules that a packet is compared with one after the other. This is the default.
    #[default]
    Iptables,
    /// Maps in which the kernel looks a packet's destination up (KEP-3866).
    Nftables,
    /// The load balancer in the kernel (IPVS). This mode is deprecated (KEP-5495).
    Ipvs,
}

impl Mode {
    /// All modes, the default one first.
    pub const ALL: [Mode; 3] = [Mode::Iptables, Mode::Nftables, Mode::Ipvs];

    /// As `--proxy-mode` has it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Iptables => "iptables",
            Mode::Nftables => "nftables",
            Mode::Ipvs => "ipvs",
        }
    }
}

/// How kube-proxy recognizes packets from pods of its own node (`detectLocalMode`, `pkg/proxy/util/localdetector.go`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LocalDetector {
    /// It does not.
    #[default]
    None,
    /// By their source: the range of the whole cluster's pods (`ClusterCIDR`) or of the node's pods (`NodeCIDR`).
    Cidr(IpNet),
    /// By the bridge that they come from (`BridgeInterface`).
    BridgeInterface(String),
    /// By the first letters of the interface that they come from (`InterfaceNamePrefix`).
    InterfaceNamePrefix(String),
}

impl LocalDetector {
    /// The interface that rules compare with, and whether only its first letters count.
    pub(super) fn interface(&self) -> Option<(&str, bool)> {
        match self {
            LocalDetector::BridgeInterface(name) => Some((name, false)),
            LocalDetector::InterfaceNamePrefix(prefix) => Some((prefix, true)),
            LocalDetector::None | LocalDetector::Cidr(_) => None,
        }
    }
}

/// On which of the node's addresses node ports answer (`--nodeport-addresses`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NodePortAddresses {
    /// What a mode does if nothing is said: on all addresses, but for nftables only on the primary ones.
    #[default]
    Unset,
    /// `primary`: on the addresses by which the cluster knows the node.
    Primary,
    /// On the addresses in these ranges.
    Ranges(Vec<IpNet>),
}

/// A kube-proxy of one node, for one address family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// What rules are written with.
    pub mode: Mode,
    /// The address family that the proxier is responsible for.
    pub family: Family,
    /// The name of the node.
    pub node_name: String,
    /// The addresses of the node in the family, without the loopback address. The first one is the node's address in the
    /// cluster; the others are those of other interfaces.
    pub node_ips: Vec<IpAddr>,
    /// The labels of the node, of which the proxier reads the zone.
    pub node_labels: BTreeMap<String, String>,
    /// How packets of the node's pods are recognized.
    pub local_detector: LocalDetector,
    /// On which addresses node ports answer.
    pub node_port_addresses: NodePortAddresses,
    /// Whether all traffic to cluster IPs gets the node's address as its source (`--masquerade-all`).
    pub masquerade_all: bool,
    /// The bit of a packet's mark that says that it needs the node's address as its source
    /// (`--iptables-masquerade-bit`).
    pub masquerade_bit: u8,
    /// Whether node ports answer on 127.0.0.1, too (`--iptables-localhost-nodeports`); for iptables and IPv4 only.
    pub localhost_node_ports: bool,
    /// Whether the kernel is told to take packets that do not fit their connection for valid
    /// (`nf_conntrack_tcp_be_liberal`). If not, iptables mode drops them.
    pub conntrack_tcp_liberal: bool,
    /// Whether iptables knows `--random-fully`, which gives masqueraded connections random ports.
    pub random_fully: bool,
    /// Whether the kernel can count with `nfacct`, which kube-proxy's metrics read; for iptables only.
    pub nfacct: bool,
    /// The ranges of cluster IPs, as the ServiceCIDRs of the cluster say; for nftables only.
    pub service_cidrs: Vec<IpNet>,
    /// How IPVS chooses an endpoint (`--ipvs-scheduler`).
    pub ipvs_scheduler: Scheduler,
}

impl Default for Config {
    /// The defaults of kube-proxy's configuration, for a node without addresses
    /// (`pkg/proxy/apis/config/v1alpha1/defaults.go`).
    fn default() -> Config {
        Config {
            mode: Mode::Iptables,
            family: Family::Ipv4,
            node_name: String::new(),
            node_ips: Vec::new(),
            node_labels: BTreeMap::new(),
            local_detector: LocalDetector::None,
            node_port_addresses: NodePortAddresses::Unset,
            masquerade_all: false,
            masquerade_bit: 14,
            localhost_node_ports: true,
            conntrack_tcp_liberal: false,
            random_fully: true,
            nfacct: true,
            service_cidrs: Vec::new(),
            ipvs_scheduler: Scheduler::RoundRobin,
        }
    }
}

impl Config {
    /// Where the node is.
    pub(super) fn place(&self) -> Place<'_> {
        let zone = self.node_labels.get(LABEL_TOPOLOGY_ZONE);
        Place { node: &self.node_name, zone: zone.map_or("", |zone| zone) }
    }

    /// The mark of packets that need the node's address as their source.
    pub(super) fn masquerade_mark(&self) -> u32 {
        1u32.checked_shl(u32::from(self.masquerade_bit)).unwrap_or(1 << 14)
    }

    /// The node's address in the cluster.
    pub(super) fn node_ip(&self) -> Option<IpAddr> {
        self.own_ips().next()
    }

    /// The node's addresses of the family, without the loopback address.
    pub(super) fn own_ips(&self) -> impl Iterator<Item = IpAddr> + '_ {
        self.node_ips.iter().copied().filter(|ip| Family::of(*ip) == self.family && !ip.is_loopback())
    }

    /// The ranges of [`NodePortAddresses`] in the family (`NewNodePortAddresses`); `None` if node ports answer on all
    /// addresses.
    fn node_port_ranges(&self) -> Option<Vec<IpNet>> {
        let primary = || self.node_ip().map(IpNet::from).into_iter().collect();
        let ranges: Vec<IpNet> = match (&self.node_port_addresses, self.mode) {
            (NodePortAddresses::Unset, Mode::Nftables) | (NodePortAddresses::Primary, _) => primary(),
            (NodePortAddresses::Unset, _) => Vec::new(),
            (NodePortAddresses::Ranges(ranges), _) => ranges.clone(),
        };
        let ranges: Vec<IpNet> =
            ranges.into_iter().filter(|net| Family::of(net.addr()) == self.family).collect();
        let all = ranges.is_empty() || ranges.iter().any(|net| net.prefix_len() == 0);
        (!all).then_some(ranges)
    }

    /// Whether node ports answer on all addresses of the node.
    pub(super) fn node_ports_everywhere(&self) -> bool {
        self.node_port_ranges().is_none()
    }

    /// The node's addresses on which node ports answer, the loopback address among them (`GetNodeIPs`).
    pub(super) fn node_port_ips(&self) -> Vec<IpAddr> {
        let ranges = self.node_port_ranges();
        let open = |ip: &IpAddr| ranges.as_ref().is_none_or(|r| r.iter().any(|net| net.contains(ip)));
        self.own_ips().chain([self.family.loopback()]).filter(open).collect()
    }

    /// Whether node ports answer on 127.0.0.1.
    pub(super) fn has_localhost_node_ports(&self) -> bool {
        self.localhost_node_ports
            && self.family == Family::Ipv4
            && self.node_port_ips().contains(&Family::Ipv4.loopback())
    }
}
