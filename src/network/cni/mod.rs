//! Network plugins (CNI): how a packet of a pod comes to a pod of another node.
//!
//! A plugin gives a pod its interface, and somebody has to make routes between the nodes. [`Plugin`] is the choice, as data;
//! [`Machine::routes`] is the routing table that follows from it, and [`way`] leads a packet along these tables and through
//! the rules of kube-proxy ([`Rules`]), hop by hop. A [`Hop`] has the packet's headers as they are there. The kernels of the nodes keep
//! the connection ([`Tracked`]), and [`back`] leads the answer along the same tables, with what was translated translated back.
//!
//! Nothing here says how long anything takes: what a plugin costs are bytes, and copies of a packet ([`Plugin::tunnel`]).

mod conntrack;
mod hop;
mod machine;
mod plugin;
mod route;
mod routers;
#[cfg(test)]
mod tests;
mod way;

pub use conntrack::back;
pub use hop::{At, End, Headers, Hop, Outer, Tracked, Way};
pub use machine::{Machine, Network};
pub use plugin::{ETHERNET_MTU, Plugin, Tunnel};
pub use route::{Route, longest};
pub use routers::routers;
pub use way::{Barrier, Rules, Sender, Translation, way};
