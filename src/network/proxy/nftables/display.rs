//! The table as `nft list ruleset` shows it.

use std::fmt;
use std::net::IpAddr;
use std::rc::Rc;

use ipnet::IpNet;

use super::super::names::Family;
use super::table::{Element, Key, Map, Rule, Set, Statement, Table, VerdictValue};
use crate::network::protocol::Protocol;

/// The order in which kube-proxy makes its chains, sets and maps. Those of Services come after them, by name.
const ORDER: &[&str] = &[
    "hairpin-connections",
    "cluster-ips",
    "nodeport-ips",
    "no-endpoint-services",
    "no-endpoint-nodeports",
    "firewall-ips",
    "service-ips",
    "service-nodeports",
    "filter-prerouting-pre-dnat",
    "filter-output-pre-dnat",
    "filter-input",
    "filter-forward",
    "filter-output",
    "nat-prerouting",
    "nat-output",
    "nat-postrouting",
    "nodeport-endpoints-check",
    "service-endpoints-check",
    "firewall-check",
    "services",
    "masquerading",
    "cluster-ips-check",
    "reject-chain",
];

/// The place of a chain, set or map among the others.
fn rank(name: &str) -> usize {
    ORDER.iter().position(|known| *known == name).unwrap_or(ORDER.len())
}

fn ip_name(family: Family) -> &'static str {
    match family {
        Family::Ipv4 => "ip",
        Family::Ipv6 => "ip6",
    }
}

fn address_type(family: Family) -> &'static str {
    match family {
        Family::Ipv4 => "ipv4_addr",
        Family::Ipv6 => "ipv6_addr",
    }
}

/// A range; one of a single address is shown as the address.
fn range(net: &IpNet) -> String {
    if net.prefix_len() == net.max_prefix_len() { net.addr().to_string() } else { net.to_string() }
}

fn ranges(nets: &[IpNet], not: bool, what: &str) -> String {
    let not = if not { "!= " } else { "" };
    match nets {
        [net] => format!("{what} {not}{}", range(net)),
        nets => format!("{what} {not}{{ {} }}", nets.iter().map(range).collect::<Vec<_>>().join(", ")),
    }
}

fn numbered(values: impl Iterator<Item = String>) -> String {
    values.enumerate().map(|(i, value)| format!("{i} : {value}")).collect::<Vec<_>>().join(", ")
}

fn statement(statement: &Statement, family: Family) -> String {
    let ip = ip_name(family);
    match statement {
        Statement::Source(nets, not) => ranges(nets, *not, &format!("{ip} saddr")),
        Statement::Destination(nets, not) => ranges(nets, *not, &format!("{ip} daddr")),
        Statement::SourceIn(set) => format!("{ip} saddr @{set}"),
        Statement::DestinationIn(set) => format!("{ip} daddr @{set}"),
        Statement::InInterface { name, prefix, not } => {
            let (not, star) = (if *not { "!= " } else { "" }, if *prefix { "*" } else { "" });
            format!("iifname {not}\"{name}{star}\"")
        }
        Statement::SourceLocal => "fib saddr type local".to_owned(),
        Statement::DestinationLocal => "fib daddr type local".to_owned(),
        Statement::Protocol(protocol) => format!("meta l4proto {protocol}"),
        Statement::New => "ct state new".to_owned(),
        Statement::Changed => "ct status dnat".to_owned(),
        Statement::Marked(mark) => format!("meta mark & {mark:#010x} != 0x00000000"),
        Statement::ConnectionIn(set) => format!("{ip} saddr . {ip} daddr . meta l4proto . th dport @{set}"),
        Statement::SetMark(mark) => format!("meta mark set meta mark | {mark:#010x}"),
        Statement::FlipMark(mark) => format!("meta mark set meta mark ^ {mark:#010x}"),
        Statement::Masquerade => "masquerade fully-random".to_owned(),
        Statement::Jump(chain) => format!("jump {chain}"),
        Statement::Goto(chain) => format!("goto {chain}"),
        Statement::Drop => "drop".to_owned(),
        Statement::Reject => "reject".to_owned(),
        Statement::LookUpService(map) => format!("{ip} daddr . meta l4proto . th dport vmap @{map}"),
        Statement::LookUpNodePort(map) => format!("meta l4proto . th dport vmap @{map}"),
        Statement::Remember(set) => format!("update @{set} {{ {ip} saddr }}"),
        Statement::Dnat(address) => format!("dnat to {address}"),
        Statement::DnatToAny(all) => {
            let endpoints = numbered(all.iter().map(|a| format!("{} . {}", a.ip(), a.port())));
            format!("dnat {ip} to numgen random mod {} map {{ {endpoints} }}", all.len())
        }
        Statement::GotoAny(all) => {
            let chains = numbered(all.iter().map(|chain| format!("goto {chain}")));
            format!("numgen random mod {} vmap {{ {chains} }}", all.len())
        }
    }
}

impl Rule {
    /// The rule as `nft list` shows it in a table of a family.
    pub fn text(&self, family: Family) -> String {
        let all = self.statements.iter().map(|s| statement(s, family));
        let comment = self.comment.map(|comment| format!("comment \"{comment}\""));
        all.chain(comment).collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Service(ip, protocol, port) => write!(f, "{ip} . {protocol} . {port}"),
            Key::NodePort(protocol, port) => write!(f, "{protocol} . {port}"),
        }
    }
}

impl fmt::Display for VerdictValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerdictValue::Goto(chain) => write!(f, "goto {chain}"),
            VerdictValue::Drop => f.write_str("drop"),
        }
    }
}

impl Map {
    /// An element as `nft list` shows it.
    pub fn element(key: &Key, element: &Element) -> String {
        let comment = element.comment.as_ref().map(|c| format!(" comment \"{c}\"")).unwrap_or_default();
        format!("{key}{comment} : {}", element.verdict)
    }
}

/// The lines in which `nft` shows elements: two of one part in a line, and one of several parts.
fn elements(f: &mut fmt::Formatter<'_>, all: &[String], in_line: usize) -> fmt::Result {
    if all.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = all.chunks(in_line).map(|line| line.join(", ")).collect();
    writeln!(f, "\t\telements = {{ {} }}", lines.join(",\n\t\t\t     "))
}

/// A time as `nft` shows it: `3h`, `1m30s`.
fn time(seconds: u32) -> String {
    let parts =
        [(seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")];
    let text: String = parts.iter().filter(|(n, _)| *n > 0).map(|(n, unit)| format!("{n}{unit}")).collect();
    if text.is_empty() { "0s".to_owned() } else { text }
}

/// An element of the set of hairpins as `nft list` shows it.
fn hairpin((ip, protocol, port): &(IpAddr, Protocol, u16)) -> String {
    format!("{ip} . {ip} . {protocol} . {port}")
}

fn set(f: &mut fmt::Formatter<'_>, name: &str, set: &Set, family: Family) -> fmt::Result {
    let ip = address_type(family);
    writeln!(f, "\tset {name} {{")?;
    match set {
        Set::Addresses { comment, elements: all } => {
            writeln!(f, "\t\ttype {ip}\n\t\tcomment \"{comment}\"")?;
            elements(f, &all.iter().map(IpAddr::to_string).collect::<Vec<_>>(), 2)?;
        }
        Set::Hairpins { comment, elements: all } => {
            writeln!(f, "\t\ttype {ip} . {ip} . inet_proto . inet_service\n\t\tcomment \"{comment}\"")?;
            elements(f, &all.iter().map(hairpin).collect::<Vec<_>>(), 1)?;
        }
        Set::Clients { timeout_seconds } => {
            writeln!(f, "\t\ttype {ip}\n\t\tsize 65535\n\t\tflags dynamic,timeout")?;
            writeln!(f, "\t\ttimeout {}", time(*timeout_seconds))?;
        }
    }
    writeln!(f, "\t}}\n")
}

fn map(f: &mut fmt::Formatter<'_>, name: &str, map: &Map, family: Family) -> fmt::Result {
    let address = if map.of_node_ports { String::new() } else { format!("{} . ", address_type(family)) };
    writeln!(f, "\tmap {name} {{\n\t\ttype {address}inet_proto . inet_service : verdict")?;
    writeln!(f, "\t\tcomment \"{}\"", map.comment)?;
    elements(f, &map.elements.iter().map(|(k, e)| Map::element(k, e)).collect::<Vec<_>>(), 1)?;
    writeln!(f, "\t}}\n")
}

/// Names in the order in which they are shown.
fn sorted<T>(all: &std::collections::BTreeMap<Rc<str>, T>) -> Vec<(&Rc<str>, &T)> {
    let mut all: Vec<_> = all.iter().collect();
    all.sort_by_key(|(name, _)| rank(name));
    all
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "table {} kube-proxy {{\n\tcomment \"rules for kube-proxy\"", ip_name(self.family))?;
        for (name, one) in sorted(&self.sets) {
            set(f, name, one, self.family)?;
        }
        for (name, one) in sorted(&self.maps) {
            map(f, name, one, self.family)?;
        }
        let chains = sorted(&self.chains);
        for (i, (name, chain)) in chains.iter().enumerate() {
            writeln!(f, "\tchain {name} {{")?;
            if let Some(comment) = chain.comment {
                writeln!(f, "\t\tcomment \"{comment}\"")?;
            }
            if let Some(base) = chain.base {
                let (kind, hook, priority) = (base.kind, base.hook, base.priority);
                writeln!(f, "\t\ttype {kind} hook {hook} priority {priority}; policy accept;")?;
            }
            for rule in &chain.rules {
                writeln!(f, "\t\t{}", rule.text(self.family))?;
            }
            f.write_str(if i + 1 < chains.len() { "\t}\n\n" } else { "\t}\n" })?;
        }
        f.write_str("}\n")
    }
}
