//! kube-proxy's mode `nftables` (KEP-3866, `pkg/proxy/nftables/proxier.go`): one table, in which maps lead a packet to its
//! Service at once, however many Services there are.
//!
//! The chain `services` looks a packet's destination up in the map `service-ips` or `service-nodeports`, and goes to
//! `service-…` (traffic policy `Cluster`), `local-…` (`Local`) or, from outside, to `external-…`. These choose an endpoint
//! by chance; a Service with session affinity has a chain and a set of clients for each endpoint. What has no endpoint is
//! in `no-endpoint-services` and `no-endpoint-nodeports`.

mod display;
mod proxier;
mod table;
#[cfg(test)]
mod tests;
mod walk;

pub use table::{Base, Chain, Element, Key, Map, Rule, Set, Statement, Table, VerdictValue};

pub(super) use proxier::sync;
pub(super) use walk::walk;
