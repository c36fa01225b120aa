//! kube-proxy's mode `ipvs` (`pkg/proxy/ipvs/proxier.go`): every address of a Service is a virtual server of the kernel's
//! load balancer, which has endpoints as its real servers.
//!
//! The addresses are put on the interface `kube-ipvs0`, so that their packets come in to the node. A few rules of iptables
//! do what the load balancer does not: they mark packets that need the node's address as their source, and they deny.
//! Which packets are meant stands in sets (`ipset`), so that there are as many rules for a thousand Services as for one.

mod display;
mod proxier;
mod rules;
mod schedule;
mod sets;
mod state;
#[cfg(test)]
mod tests;
mod walk;

pub use sets::{Entry, IpSet, SetKind};
pub use state::{RealServer, State, VirtualServer};

pub(super) use proxier::sync;
pub(super) use walk::walk;
