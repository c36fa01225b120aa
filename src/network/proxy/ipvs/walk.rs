//! The way of a packet through a node in the mode `ipvs`.

use super::super::flow::{Flow, Passed};
use super::super::iptables::{Sets, Table, hook};
use super::super::names::Family;
use super::super::packet::{Origin, Step};
use super::schedule::choose;
use super::sets::IpSet;
use super::state::State;

/// A packet goes through the node. The load balancer takes packets that come in after the filter for them (`LOCAL_IN`), and
/// packets of the node itself right after the table `nat` (`LOCAL_OUT`); what it has taken goes out, without being
/// forwarded.
pub(in super::super) fn walk(state: &State, flow: &mut Flow<'_>) -> Passed {
    let by_name = |name: &str, parts: &str, flow: &Flow<'_>| {
        let set: Option<&IpSet> = state.sets.iter().find(|set| *set.name == *name);
        set.is_some_and(|set| set.has(parts, flow))
    };
    let sets: Sets<'_> = &by_name;
    let at = |table, chain, flow: &mut Flow<'_>| hook(&state.tables, table, chain, sets, flow);
    let out = |flow: &mut Flow<'_>| match at(Table::Filter, "OUTPUT", flow) {
        Passed::On => at(Table::Nat, "POSTROUTING", flow),
        end => end,
    };
    match flow.origin {
        Origin::Node => {
            at(Table::Nat, "OUTPUT", flow);
            if balance(state, flow) == Passed::Reject {
                return Passed::Reject;
            }
            match out(flow) {
                // What a node sends to itself comes in again.
                Passed::On if flow.is_own(flow.destination.ip()) => at(Table::Filter, "INPUT", flow),
                passed => passed,
            }
        }
        Origin::Pod | Origin::Outside => {
            at(Table::Nat, "PREROUTING", flow);
            if !flow.is_own(flow.destination.ip()) {
                return match at(Table::Filter, "FORWARD", flow) {
                    Passed::On => at(Table::Nat, "POSTROUTING", flow),
                    end => end,
                };
            }
            let passed = at(Table::Filter, "INPUT", flow);
            if passed != Passed::On {
                return passed;
            }
            match balance(state, flow) {
                Passed::On if flow.dnat => out(flow),
                passed => passed,
            }
        }
    }
}

/// The load balancer: if the packet is for a virtual server, it gets a real server as its destination. Without one, its
/// sender is told that nobody is there (`ip_vs_leave`).
fn balance(state: &State, flow: &mut Flow<'_>) -> Passed {
    let key = (flow.destination, flow.protocol);
    let Some((key, server)) = state.virtual_servers.get_key_value(&key) else { return Passed::On };
    let chosen = choose(key, server, flow);
    flow.meet(|| {
        let index = server.real_servers.iter().position(|s| Some(s.address) == chosen);
        let nobody = match state.family {
            Family::Ipv4 => "no destination available: icmp-port-unreachable",
            Family::Ipv6 => "no destination available: icmp6-port-unreachable",
        };
        let real = index.and_then(|i| server.real_servers.get(i));
        let text = real.map_or_else(|| nobody.to_owned(), ToString::to_string);
        Step { table: "ipvs", chain: server.head(key), index: index.unwrap_or_default(), text }
    });
    let Some(address) = chosen else { return Passed::Reject };
    flow.virtual_server = Some(key.0);
    flow.send_to(address);
    Passed::On
}
