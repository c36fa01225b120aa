//! kube-proxy's mode `iptables` (`pkg/proxy/iptables/proxier.go`): every Service's port has chains of rules, and a packet
//! is compared with one rule after the other.
//!
//! The chain `KUBE-SERVICES` finds a packet's Service. From there it goes to `KUBE-SVC-…` (traffic policy `Cluster`),
//! `KUBE-SVL-…` (`Local`) or, from outside, to `KUBE-EXT-…` (behind `KUBE-FW-…` if a load balancer lets only some clients
//! in), which choose an endpoint by chance. `KUBE-SEP-…` of that endpoint changes the packet's destination. Packets that
//! need the node's address as their source are marked on the way (`KUBE-MARK-MASQ`).

mod fixed;
mod proxier;
mod rule;
mod tables;
#[cfg(test)]
mod tests;
mod walk;
mod writer;

pub use rule::{Address, ChainName, Match, Rule, Target};
pub use tables::{Chains, Table, Tables};

pub(super) use proxier::sync;
pub(super) use rule::rule;
pub(super) use tables::CANARY;
pub(super) use walk::{Sets, hook};
pub(super) use writer::{comment, local, localhost_net};

use super::flow::{Flow, Passed};
use super::packet::Origin;

/// A packet goes through the node: first destinations are changed, then the packet passes or not, and at last sources are
/// changed. A packet to one of the node's own addresses goes in; the sources of such packets stay.
pub(super) fn walk(tables: &Tables, flow: &mut Flow<'_>) -> Passed {
    let sets: Sets<'_> = &|_, _, _| false;
    let at = |table, chain, flow: &mut Flow<'_>| hook(tables, table, chain, sets, flow);
    match flow.origin {
        Origin::Node => {
            for (table, chain) in
                [(Table::Nat, "OUTPUT"), (Table::Filter, "OUTPUT"), (Table::Nat, "POSTROUTING")]
            {
                let passed = at(table, chain, flow);
                if passed != Passed::On {
                    return passed;
                }
            }
            // What a node sends to itself comes in again.
            if flow.is_own(flow.destination.ip()) { at(Table::Filter, "INPUT", flow) } else { Passed::On }
        }
        Origin::Pod | Origin::Outside => {
            at(Table::Nat, "PREROUTING", flow);
            if flow.is_own(flow.destination.ip()) {
                return at(Table::Filter, "INPUT", flow);
            }
            match at(Table::Filter, "FORWARD", flow) {
                Passed::On => at(Table::Nat, "POSTROUTING", flow),
                end => end,
            }
        }
    }
}
