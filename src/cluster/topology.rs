//! The nodes of the cluster with their addresses and pods, as a network plugin knows them.

use std::net::IpAddr;
use std::rc::Rc;

use super::Cluster;
use super::network::{Network, machine_ranges};
use crate::api::types::Node;
use crate::api::{Kind, MetaExt};
use crate::kubelet;
use crate::network::cni::{self, Machine};

impl Network<'_> {
    /// The nodes with their addresses and pods, as a network plugin knows them. They are gathered when the first question needs them.
    pub(super) fn topology(&self) -> &cni::Network {
        self.topology.get_or_init(|| {
            let ip_family = self.api.ip_family();
            let nodes = self.api.cached_list(Kind::NODE, None).filter_map(|(_, o)| o.get::<Node>());
            let machine = |node: &Rc<Node>| {
                let pods = self.pod_addresses(node.metadata.name());
                Machine { pods, ..Machine::of(node) }
            };
            cni::Network {
                plugin: self.plugin,
                machines: nodes.map(machine).collect(),
                pod_ranges: ip_family.pod_ranges().iter().map(|r| r.cluster).collect(),
                machine_ranges: machine_ranges(ip_family),
            }
        })
    }

    fn pod_addresses(&self, node: &str) -> Vec<(IpAddr, Rc<str>)> {
        let own = self.processes.iter().filter(|p| p.node.as_deref() == Some(node));
        let states = own.flat_map(|p| &p.components);
        let states = states.filter_map(|c| c.state().downcast_ref::<kubelet::State>());
        states.flat_map(|s| &s.node.addresses).map(|(a, pod)| (*a, pod.to_string().into())).collect()
    }
}

impl Cluster {
    /// The nodes with their addresses and pods, as a network plugin knows them.
    pub fn topology(&self) -> cni::Network {
        self.network().topology().clone()
    }
}
