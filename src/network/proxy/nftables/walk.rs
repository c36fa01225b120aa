//! The way of a packet through the chains of the table.

use super::super::flow::{Flow, Passed};
use super::super::packet::{Origin, Step};
use super::table::{Key, Map, Rule, Set, Statement, Table, VerdictValue};

/// How deep chains may lead. kube-proxy's go four deep, and never in circles.
const MAX_DEPTH: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The packet comes to the end of the chain.
    Back,
    /// The packet leaves the base chain.
    Accept,
    Drop,
    Reject,
}

/// What a statement makes of its rule.
enum Next {
    /// The next statement is done.
    Statement,
    /// The rule does not match, or is done: the next rule is asked.
    Rule,
    /// The chain is done.
    End(Outcome),
}

/// A packet goes through the node: LoadBalancers' firewall, change of the destination, the way in or on, and change of
/// the source. What a node sends to itself comes in again.
pub(in super::super) fn walk(table: &Table, flow: &mut Flow<'_>) -> Passed {
    let (before, nat) = match flow.origin {
        Origin::Node => ("filter-output-pre-dnat", "nat-output"),
        Origin::Pod | Origin::Outside => ("filter-prerouting-pre-dnat", "nat-prerouting"),
    };
    for chain in [before, nat] {
        let passed = hook(table, chain, flow);
        if passed != Passed::On {
            return passed;
        }
    }
    let own = flow.is_own(flow.destination.ip());
    let way: &[&str] = match (flow.origin, own) {
        (Origin::Node, false) => &["filter-output", "nat-postrouting"],
        (Origin::Node, true) => &["filter-output", "nat-postrouting", "filter-input"],
        (_, false) => &["filter-forward", "nat-postrouting"],
        (_, true) => &["filter-input"],
    };
    way.iter().map(|chain| hook(table, chain, flow)).find(|p| *p != Passed::On).unwrap_or(Passed::On)
}

fn hook(table: &Table, chain: &str, flow: &mut Flow<'_>) -> Passed {
    match through(table, chain, flow, 0) {
        Outcome::Back | Outcome::Accept => Passed::On,
        Outcome::Drop => Passed::Drop,
        Outcome::Reject => Passed::Reject,
    }
}

fn through(table: &Table, chain: &str, flow: &mut Flow<'_>, depth: usize) -> Outcome {
    let Some(rules) = table.chains.get(chain).filter(|_| depth < MAX_DEPTH) else { return Outcome::Back };
    for (index, rule) in rules.rules.iter().enumerate() {
        let at = At { table, chain, rule, index, depth };
        if let Next::End(outcome) = at.go(flow) {
            return outcome;
        }
    }
    Outcome::Back
}

/// A rule where the packet is.
struct At<'a> {
    table: &'a Table,
    chain: &'a str,
    rule: &'a Rule,
    index: usize,
    depth: usize,
}

impl At<'_> {
    fn go(&self, flow: &mut Flow<'_>) -> Next {
        let mut told = false;
        for statement in &self.rule.statements {
            if let Some(matches) = self.asks(statement, flow) {
                if !matches {
                    return Next::Rule;
                }
                continue;
            }
            let found = self.looked_up(statement, flow);
            if let Found::Nothing = found {
                return Next::Rule;
            }
            if !told {
                told = true;
                flow.meet(|| Step {
                    table: "kube-proxy",
                    chain: self.chain.to_owned(),
                    index: self.index,
                    text: self.rule.text(self.table.family),
                });
            }
            let next = match found {
                Found::Verdict(step, verdict) => {
                    flow.meet(|| step);
                    self.verdict(&verdict, flow)
                }
                _ => self.does(statement, flow),
            };
            match next {
                Next::Statement => {}
                next => return next,
            }
        }
        Next::Rule
    }

    /// Whether the packet is what a statement asks for; `None` if the statement does something.
    fn asks(&self, statement: &Statement, flow: &Flow<'_>) -> Option<bool> {
        let (source, destination) = (flow.source.ip(), flow.destination);
        Some(match statement {
            Statement::Source(nets, not) => nets.iter().any(|net| net.contains(&source)) != *not,
            Statement::Destination(nets, not) => {
                nets.iter().any(|net| net.contains(&destination.ip())) != *not
            }
            Statement::SourceIn(set) => match self.table.sets.get(set) {
                Some(Set::Addresses { elements, .. }) => elements.contains(&source),
                Some(Set::Clients { timeout_seconds }) => {
                    flow.kernel.affine(set, source, *timeout_seconds, flow.now).is_some()
                }
                Some(Set::Hairpins { .. }) | None => false,
            },
            Statement::DestinationIn(set) => match self.table.sets.get(set) {
                Some(Set::Addresses { elements, .. }) => elements.contains(&destination.ip()),
                _ => false,
            },
            Statement::InInterface { name, prefix, not } => flow.comes_by(name, *prefix) != *not,
            Statement::SourceLocal => flow.is_own(source),
            Statement::DestinationLocal => flow.is_own(destination.ip()),
            Statement::Protocol(protocol) => flow.protocol == *protocol,
            Statement::New => true,
            Statement::Changed => flow.dnat,
            Statement::Marked(mark) => flow.mark & mark != 0,
            Statement::ConnectionIn(set) => match self.table.sets.get(set) {
                Some(Set::Hairpins { elements, .. }) => {
                    source == destination.ip()
                        && elements.contains(&(source, flow.protocol, destination.port()))
                }
                _ => false,
            },
            _ => return None,
        })
    }

    /// What a map has for the packet, if a statement looks it up.
    fn looked_up(&self, statement: &Statement, flow: &Flow<'_>) -> Found {
        let (ip, port) = (flow.destination.ip(), flow.destination.port());
        let (name, key) = match statement {
            Statement::LookUpService(map) => (map, Key::Service(ip, flow.protocol, port)),
            Statement::LookUpNodePort(map) => (map, Key::NodePort(flow.protocol, port)),
            _ => return Found::NoLookUp,
        };
        let Some(map) = self.table.maps.get(name) else { return Found::Nothing };
        let Some(element) = map.elements.get(&key) else { return Found::Nothing };
        let step = Step {
            table: "kube-proxy",
            chain: name.to_string(),
            index: map.elements.range(..key).count(),
            text: Map::element(&key, element),
        };
        Found::Verdict(step, element.verdict.clone())
    }

    fn verdict(&self, verdict: &VerdictValue, flow: &mut Flow<'_>) -> Next {
        Next::End(match verdict {
            VerdictValue::Goto(chain) => through(self.table, chain, flow, self.depth + 1),
            VerdictValue::Drop => Outcome::Drop,
        })
    }

    fn does(&self, statement: &Statement, flow: &mut Flow<'_>) -> Next {
        match statement {
            Statement::SetMark(mark) => flow.mark |= mark,
            Statement::FlipMark(mark) => flow.mark ^= mark,
            Statement::Masquerade => {
                flow.masquerade = true;
                return Next::End(Outcome::Accept);
            }
            Statement::Jump(chain) => {
                return match through(self.table, chain, flow, self.depth + 1) {
                    Outcome::Back => Next::Rule,
                    end => Next::End(end),
                };
            }
            Statement::Goto(chain) => return Next::End(through(self.table, chain, flow, self.depth + 1)),
            Statement::Drop => return Next::End(Outcome::Drop),
            Statement::Reject => return Next::End(Outcome::Reject),
            Statement::Remember(set) => {
                // The endpoint stands at the end of the rule's chain; a reader of the set wants to know it.
                let rules = self.table.chains.get(self.chain).map(|c| c.rules.as_slice()).unwrap_or_default();
                let endpoint = rules.iter().flat_map(|r| &r.statements).find_map(|s| match s {
                    Statement::Dnat(address) => Some(*address),
                    _ => None,
                });
                let client = flow.source.ip();
                flow.kernel.remember(set, client, endpoint.unwrap_or(flow.destination), flow.now);
            }
            Statement::Dnat(address) => {
                flow.send_to(*address);
                return Next::End(Outcome::Accept);
            }
            Statement::DnatToAny(all) => {
                let Some(address) = all.get(flow.dice.side(all.len())) else { return Next::Rule };
                flow.send_to(*address);
                return Next::End(Outcome::Accept);
            }
            Statement::GotoAny(all) => {
                let Some(chain) = all.get(flow.dice.side(all.len())) else { return Next::Rule };
                return Next::End(through(self.table, chain, flow, self.depth + 1));
            }
            _ => {}
        }
        Next::Statement
    }
}

/// What a statement finds in a map.
enum Found {
    /// The statement looks nothing up.
    NoLookUp,
    /// The map has nothing for the packet.
    Nothing,
    /// What the map has.
    Verdict(Step, VerdictValue),
}
