//! The way of a packet through chains of iptables.

use super::super::flow::{Flow, Passed};
use super::super::packet::{Origin, Step};
use super::rule::{Match, Rule, Target};
use super::tables::{Table, Tables};

/// Whether parts of a packet are in a set of IPVS mode: the name of the set, the parts, and the packet.
pub(in super::super) type Sets<'a> = &'a dyn Fn(&str, &str, &Flow<'_>) -> bool;

/// How deep chains may jump. kube-proxy's rules jump five deep; the kernel has no rules that jump in circles.
const MAX_DEPTH: usize = 32;

/// What becomes of a packet in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// It comes to the chain's end, or is sent back.
    Back,
    /// It leaves the table.
    Accept,
    Drop,
    Reject,
}

/// A packet goes through the chain of a table at one of the kernel's hooks.
pub(in super::super) fn hook(
    tables: &Tables,
    table: Table,
    chain: &str,
    sets: Sets<'_>,
    flow: &mut Flow<'_>,
) -> Passed {
    match through(tables, table, chain, sets, flow, 0) {
        Outcome::Back | Outcome::Accept => Passed::On,
        Outcome::Drop => Passed::Drop,
        Outcome::Reject => Passed::Reject,
    }
}

fn through(
    tables: &Tables,
    table: Table,
    chain: &str,
    sets: Sets<'_>,
    flow: &mut Flow<'_>,
    depth: usize,
) -> Outcome {
    let Some(rules) = tables.table(table).get(chain).filter(|_| depth < MAX_DEPTH) else {
        return Outcome::Back;
    };
    let mut next = 0;
    loop {
        next +=
            flow.dice.skip((rules.as_ptr() as usize, next), &|n| rules.get(next + n).is_some_and(is_choice));
        let (index, Some(rule)) = (next, rules.get(next)) else { break };
        next += 1;
        if !matches(rule, sets, flow) {
            continue;
        }
        flow.meet(|| Step {
            table: table.name(),
            chain: chain.to_owned(),
            index,
            text: format!("-A {chain} {rule}"),
        });
        match &rule.target {
            None => {}
            Some(Target::Jump(next)) => match through(tables, table, next, sets, flow, depth + 1) {
                Outcome::Back => {}
                end => return end,
            },
            Some(Target::Return) => return Outcome::Back,
            Some(Target::Accept) => return Outcome::Accept,
            Some(Target::Drop) => return Outcome::Drop,
            Some(Target::Reject) => return Outcome::Reject,
            Some(Target::MarkOr(mark)) => flow.mark |= mark,
            Some(Target::MarkXor(mark)) => flow.mark ^= mark,
            Some(Target::Masquerade { .. }) => {
                flow.masquerade = true;
                return Outcome::Accept;
            }
            Some(Target::Dnat(endpoint)) => {
                // The list of the endpoint's clients knows nothing of addresses; a reader of it wants to.
                for part in &rule.matches {
                    if let Match::SetSeen(list) = part {
                        flow.kernel.remember(list, flow.source.ip(), *endpoint, flow.now);
                    }
                }
                flow.send_to(*endpoint);
                return Outcome::Accept;
            }
        }
    }
    Outcome::Back
}

/// Whether a rule matches one packet in a number of packets, whatever else they are.
fn is_choice(rule: &Rule) -> bool {
    let mut asks = rule.matches.iter().filter(|part| !matches!(part, Match::Comment(_)));
    matches!((asks.next(), asks.next()), (Some(Match::OnceIn(n)), None) if *n >= 2)
}

/// Whether a rule matches. The matches are asked in their order, and none after one that does not match: the kernel throws
/// no dice for a packet that is not meant.
fn matches(rule: &Rule, sets: Sets<'_>, flow: &mut Flow<'_>) -> bool {
    rule.matches.iter().all(|part| match part {
        // The list of clients is changed together with the destination.
        Match::Comment(_) | Match::Nfacct(_) | Match::New | Match::SetSeen(_) => true,
        Match::Invalid | Match::Established => false,
        Match::NeitherEstablishedNorDnat => !flow.dnat,
        Match::Protocol(protocol) | Match::OnlyProtocol(protocol) => *protocol == flow.protocol,
        Match::Destination(address, not) => address.contains(flow.destination.ip()) != *not,
        Match::DestinationPort(port) => *port == flow.destination.port(),
        Match::Source(address, not) => address.contains(flow.source.ip()) != *not,
        Match::InInterface { name, prefix, not } => flow.comes_by(name, *prefix) != *not,
        Match::DestinationLocal => flow.is_own(flow.destination.ip()),
        Match::SourceLocal(not) => flow.is_own(flow.source.ip()) != *not,
        Match::Mark(mark, not) => (flow.mark & mark == *mark) != *not,
        Match::OnceIn(n) => flow.dice.once_in(*n),
        Match::RecentlySeen(list, seconds) => {
            flow.kernel.affine(list, flow.source.ip(), *seconds, flow.now).is_some()
        }
        Match::InSet(set, parts) => sets(set, parts, flow),
        // Nothing here says which interfaces are ports of a bridge; packets of pods come from one with most of them.
        Match::NotFromBridgePort => flow.origin != Origin::Pod,
        Match::Ipvs(server, protocol) => flow.virtual_server == Some(*server) && flow.protocol == *protocol,
    })
}
