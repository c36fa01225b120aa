//! kube-proxy (`pkg/proxy`): what it writes on a node for Services, in three modes, as data that can be printed and walked
//! by a packet.
//!
//! 1. [`service_ports`] and [`endpoints`] take from Services and EndpointSlices what a proxier works with, and
//!    [`categorize`] says which endpoints a node uses for a Service.
//! 2. [`Proxier::sync`] makes the rules of a [`Mode`]: [`iptables`], [`nftables`] or [`ipvs`]. Their `Display` is what
//!    `iptables-save`, `nft list ruleset` and `ipvsadm -Ln` show.
//! 3. [`Ruleset::walk`] leads a packet through these rules, and no others: it says which of them matched, and what became
//!    of the packet. [`Ruleset::distribution`] gives all outcomes with their exact shares.
//! 4. [`Ruleset::changes_since`] says what one sync changed; [`healthcheck`], what load balancers are told; [`timing`], when all of that happens.

mod config;
mod dice;
mod diff;
mod endpoints;
mod flow;
pub mod healthcheck;
pub mod iptables;
pub mod ipvs;
mod names;
pub mod nftables;
mod packet;
mod ruleset;
mod scheduler;
mod services;
// proptest is there natively only.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub mod timing;
mod topology;

pub use config::{Config, LocalDetector, Mode, NodePortAddresses};
pub use dice::{Fraction, common_divisor};
pub use diff::{Change, Container, Happened};
pub use endpoints::{Endpoint, EndpointsMap, endpoints, local_ready_endpoints};
pub use names::{Family, ServiceName, ServicePortName};
pub use packet::{
    Affine, Chance, Connections, Kernel, Origin, Packet, Step, Verdict, VirtualServerKey, Walk,
};
pub use ruleset::{Proxier, Rules, Ruleset, Share};
pub use scheduler::Scheduler;
pub use services::{LABEL_SERVICE_PROXY_NAME, ServicePort, ServicePortMap, service_ports};
pub use topology::{Categorized, LABEL_TOPOLOGY_ZONE, Place, TopologyMode, categorize, topology_mode};
