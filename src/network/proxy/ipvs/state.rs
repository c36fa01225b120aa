//! What kube-proxy has given to the kernel: virtual servers, addresses, sets and rules.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};

use super::super::iptables::Tables;
use super::super::names::Family;
use super::super::packet::{Connections, VirtualServerKey};
use super::super::scheduler::Scheduler;
use super::sets::{IpSet, set_name};
use crate::network::protocol::Protocol;

/// An endpoint of a virtual server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RealServer {
    /// Where packets go.
    pub address: SocketAddr,
    /// How much of the traffic it gets. kube-proxy gives every server 1, and 0 to one that only finishes its connections.
    pub weight: u32,
}

/// An address of a Service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VirtualServer {
    /// How a real server is chosen.
    pub scheduler: Scheduler,
    /// How many seconds a client stays with its real server; `None` without session affinity.
    pub persistent_seconds: Option<u32>,
    /// The endpoints, sorted by their text.
    pub real_servers: Vec<RealServer>,
}

/// Everything that kube-proxy writes in the mode `ipvs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The address family.
    pub family: Family,
    /// The virtual servers.
    pub virtual_servers: BTreeMap<VirtualServerKey, VirtualServer>,
    /// The addresses on the interface `kube-ipvs0`.
    pub bound: BTreeSet<IpAddr>,
    /// The sets, in kube-proxy's order.
    pub sets: Vec<IpSet>,
    /// The rules of iptables.
    pub tables: Tables,
    /// All addresses of the node, those on `kube-ipvs0` among them.
    pub own: Vec<IpAddr>,
}

impl State {
    /// A set by the name that it has in IPv4.
    pub fn set(&self, name: &str) -> Option<&IpSet> {
        let name = set_name(name, self.family);
        self.sets.iter().find(|set| set.name == name)
    }

    /// Keeps real servers of the state before that are gone from this one but still have connections of TCP: they get the
    /// weight 0, so that no new connection goes to them, until their last connection ends
    /// (`pkg/proxy/ipvs/graceful_termination.go`). Those of UDP and SCTP go at once.
    pub fn keep_terminating(
        &mut self,
        before: &State,
        connections: &BTreeMap<(VirtualServerKey, SocketAddr), Connections>,
    ) {
        for (key, old) in &before.virtual_servers {
            let Some(new) = self.virtual_servers.get_mut(key).filter(|_| key.1 == Protocol::Tcp) else {
                continue;
            };
            for server in &old.real_servers {
                let count = connections.get(&(*key, server.address)).copied().unwrap_or_default();
                let busy = count.active > 0 || count.inactive > 0;
                if busy && new.real_servers.iter().all(|n| n.address != server.address) {
                    new.real_servers.push(RealServer { address: server.address, weight: 0 });
                }
            }
        }
    }
}
