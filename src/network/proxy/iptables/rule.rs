//! What a rule of iptables consists of, and how it is printed: as kube-proxy gives it to `iptables-restore`, and as
//! `iptables-save` shows it.

use std::fmt::{self, Write};
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use ipnet::IpNet;

use super::super::names::Family;
use crate::network::protocol::Protocol;

/// The name of a chain. Rules share it.
pub type ChainName = Rc<str>;

/// An address or a range in a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// One address.
    Ip(IpAddr),
    /// A range.
    Net(IpNet),
}

impl Address {
    /// Whether an address is meant.
    pub fn contains(&self, ip: IpAddr) -> bool {
        match self {
            Address::Ip(own) => *own == ip,
            Address::Net(net) => net.contains(&ip),
        }
    }

    /// The address as `iptables-save` shows it: always with the length of its prefix.
    fn saved(&self) -> IpNet {
        match self {
            Address::Ip(ip) => IpNet::from(*ip),
            Address::Net(net) => net.trunc(),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Ip(ip) => write!(f, "{ip}"),
            Address::Net(net) => write!(f, "{net}"),
        }
    }
}

/// What a rule asks of a packet. A rule matches if all its matches do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Match {
    /// A comment, which every packet matches.
    Comment(Rc<str>),
    /// The protocol, with what is needed to ask for ports.
    Protocol(Protocol),
    /// The protocol alone.
    OnlyProtocol(Protocol),
    /// The destination is in a range (or not, if the second is true).
    Destination(Address, bool),
    /// The port of the destination.
    DestinationPort(u16),
    /// The source is in a range (or not).
    Source(Address, bool),
    /// The interface that the packet comes in by (or not); with `prefix`, only the first letters of its name.
    InInterface {
        /// The name of the interface.
        name: Rc<str>,
        /// Whether only the first letters of the name count.
        prefix: bool,
        /// Whether the packet must come in by another interface.
        not: bool,
    },
    /// The destination is one of the node's own addresses.
    DestinationLocal,
    /// The source is one of the node's own addresses (or not).
    SourceLocal(bool),
    /// The connection is new.
    New,
    /// The packet fits no connection. The first packet of a connection never matches this.
    Invalid,
    /// The connection is known already. The first packet of a connection never matches this.
    Established,
    /// The connection is neither known already nor has its destination been changed.
    NeitherEstablishedNorDnat,
    /// All bits of a mark are set in the packet's mark (or not).
    Mark(u32, bool),
    /// Once in so many times, by chance.
    OnceIn(usize),
    /// The source is in a list of clients since less than so many seconds.
    RecentlySeen(ChainName, u32),
    /// Every packet; its source is put into a list of clients.
    SetSeen(ChainName),
    /// Every packet; a counter of the kernel counts it.
    Nfacct(&'static str),
    /// Parts of the packet are in a set of IPVS mode: `dst,dst`.
    InSet(Rc<str>, &'static str),
    /// The packet does not come in by a port of a bridge.
    NotFromBridgePort,
    /// The packet belongs to a connection of an IPVS virtual server.
    Ipvs(SocketAddr, Protocol),
}

/// What a rule does with a packet that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The packet goes through another chain, and comes back at its end.
    Jump(ChainName),
    /// The packet goes back to the chain that it came from.
    Return,
    /// The packet leaves the table.
    Accept,
    /// The packet vanishes.
    Drop,
    /// The packet's sender is told that nobody is there.
    Reject,
    /// Bits are set in the packet's mark.
    MarkOr(u32),
    /// Bits are changed in the packet's mark.
    MarkXor(u32),
    /// The packet gets the node's address as its source.
    Masquerade {
        /// Whether its port is chosen at random.
        random_fully: bool,
    },
    /// The packet gets another destination.
    Dnat(SocketAddr),
}

/// A rule: what it asks, and what it does. A rule without a target does nothing; it only has a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What the rule asks, in the order in which kube-proxy writes it.
    pub matches: Vec<Match>,
    /// What the rule does.
    pub target: Option<Target>,
}

/// A comment as kube-proxy writes it: in quotes if it has blanks.
fn comment(text: &str) -> String {
    if text.contains(' ') { format!("\"{text}\"") } else { text.to_owned() }
}

/// A comment as `iptables-save` shows it: in quotes if it has anything but letters, digits, `-` and `_`
/// (`xtables_save_string`).
fn saved_comment(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        if matches!(c, '"' | '\\' | '\'') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

fn not(not: &bool) -> &'static str {
    if *not { "! " } else { "" }
}

fn interface(name: &str, prefix: &bool) -> String {
    if *prefix { format!("{name}+") } else { name.to_owned() }
}

impl fmt::Display for Match {
    /// The match as kube-proxy writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Match::Comment(text) => write!(f, "-m comment --comment {}", comment(text)),
            Match::Protocol(protocol) => write!(f, "-m {protocol} -p {protocol}"),
            Match::OnlyProtocol(protocol) => write!(f, "-p {protocol}"),
            Match::Destination(address, n) => write!(f, "{}-d {address}", not(n)),
            Match::DestinationPort(port) => write!(f, "--dport {port}"),
            Match::Source(address, n) => write!(f, "{}-s {address}", not(n)),
            Match::InInterface { name, prefix, not: n } => {
                write!(f, "{}-i {}", not(n), interface(name, prefix))
            }
            Match::DestinationLocal => f.write_str("-m addrtype --dst-type LOCAL"),
            Match::SourceLocal(n) => write!(f, "-m addrtype {}--src-type LOCAL", not(n)),
            Match::New => f.write_str("-m conntrack --ctstate NEW"),
            Match::Invalid => f.write_str("-m conntrack --ctstate INVALID"),
            Match::Established => f.write_str("-m conntrack --ctstate RELATED,ESTABLISHED"),
            Match::NeitherEstablishedNorDnat => {
                f.write_str("-m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT")
            }
            Match::Mark(mark, n) => write!(f, "-m mark {}--mark {mark:#x}/{mark:#x}", not(n)),
            Match::OnceIn(n) => write!(f, "-m statistic --mode random --probability {}", probability(*n)),
            Match::RecentlySeen(list, seconds) => {
                write!(f, "-m recent --name {list} --rcheck --seconds {seconds} --reap")
            }
            Match::SetSeen(list) => write!(f, "-m recent --name {list} --set"),
            Match::Nfacct(counter) => write!(f, "-m nfacct --nfacct-name {counter}"),
            Match::InSet(set, parts) => write!(f, "-m set --match-set {set} {parts}"),
            Match::NotFromBridgePort => f.write_str("-m physdev ! --physdev-is-in"),
            Match::Ipvs(server, protocol) => {
                write!(f, "-m ipvs --vaddr {} --vproto {protocol} --vport {}", server.ip(), server.port())
            }
        }
    }
}

impl fmt::Display for Target {
    /// The target as kube-proxy writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Jump(chain) => write!(f, "-j {chain}"),
            Target::Return => f.write_str("-j RETURN"),
            Target::Accept => f.write_str("-j ACCEPT"),
            Target::Drop => f.write_str("-j DROP"),
            Target::Reject => f.write_str("-j REJECT"),
            Target::MarkOr(mark) => write!(f, "-j MARK --or-mark {mark:#x}"),
            Target::MarkXor(mark) => write!(f, "-j MARK --xor-mark {mark:#x}"),
            Target::Masquerade { random_fully: false } => f.write_str("-j MASQUERADE"),
            Target::Masquerade { random_fully: true } => f.write_str("-j MASQUERADE --random-fully"),
            Target::Dnat(address) => write!(f, "-j DNAT --to-destination {address}"),
        }
    }
}

/// The probability of a rule that matches once in so many times, as kube-proxy writes it (`computeProbability`).
fn probability(n: usize) -> String {
    format!("{:.10}", 1.0 / n.max(1) as f64)
}

/// The same probability as `iptables-save` shows it. The kernel stores it as a whole number of 2^-31.
fn saved_probability(n: usize) -> String {
    let parts = 2_147_483_648.0_f64;
    let written: f64 = probability(n).parse().unwrap_or(1.0);
    format!("{:.11}", (written * parts).round() / parts)
}

impl fmt::Display for Rule {
    /// The rule as kube-proxy writes it, without `-A` and the name of its chain.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut blank = "";
        for part in &self.matches {
            write!(f, "{blank}{part}")?;
            blank = " ";
        }
        match &self.target {
            Some(target) => write!(f, "{blank}{target}"),
            None => Ok(()),
        }
    }
}

impl Rule {
    /// The rule as `iptables-save` shows it, without `-A` and the name of its chain: addresses, interface and protocol
    /// come first, each option has its default, and marks are masks.
    pub fn saved(&self, family: Family) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_saved(&mut out, family);
        out.trim_start().to_owned()
    }

    fn write_saved(&self, out: &mut String, family: Family) -> fmt::Result {
        let first = |wanted: fn(&Match) -> bool| self.matches.iter().filter(move |m| wanted(m));
        for part in first(|m| matches!(m, Match::Source(..))) {
            if let Match::Source(address, n) = part {
                write!(out, " {}-s {}", not(n), address.saved())?;
            }
        }
        for part in first(|m| matches!(m, Match::Destination(..))) {
            if let Match::Destination(address, n) = part {
                write!(out, " {}-d {}", not(n), address.saved())?;
            }
        }
        for part in first(|m| matches!(m, Match::InInterface { .. })) {
            write!(out, " {part}")?;
        }
        for part in &self.matches {
            if let Match::Protocol(protocol) | Match::OnlyProtocol(protocol) = part {
                write!(out, " -p {protocol}")?;
            }
        }
        let host = IpNet::from(family.loopback()).netmask();
        for part in &self.matches {
            match part {
                Match::Source(..) | Match::Destination(..) | Match::InInterface { .. } => {}
                // The port belongs to the protocol, and kube-proxy writes it after the addresses.
                Match::OnlyProtocol(_) | Match::DestinationPort(_) => {}
                Match::Protocol(protocol) => {
                    write!(out, " -m {protocol}")?;
                    for port in &self.matches {
                        if let Match::DestinationPort(port) = port {
                            write!(out, " --dport {port}")?;
                        }
                    }
                }
                Match::Comment(text) => write!(out, " -m comment --comment {}", saved_comment(text))?,
                Match::OnceIn(n) => {
                    write!(out, " -m statistic --mode random --probability {}", saved_probability(*n))?;
                }
                Match::RecentlySeen(list, seconds) => write!(
                    out,
                    " -m recent --rcheck --seconds {seconds} --reap --name {list} --mask {host} --rsource"
                )?,
                Match::SetSeen(list) => {
                    write!(out, " -m recent --set --name {list} --mask {host} --rsource")?;
                }
                Match::Nfacct(counter) => write!(out, " -m nfacct --nfacct-name  {counter}")?,
                other => write!(out, " {other}")?,
            }
        }
        match &self.target {
            Some(Target::Reject) => match family {
                Family::Ipv4 => out.write_str(" -j REJECT --reject-with icmp-port-unreachable"),
                Family::Ipv6 => out.write_str(" -j REJECT --reject-with icmp6-port-unreachable"),
            },
            Some(Target::MarkOr(mark)) => write!(out, " -j MARK --set-xmark {mark:#x}/{mark:#x}"),
            Some(Target::MarkXor(mark)) => write!(out, " -j MARK --set-xmark {mark:#x}/0x0"),
            Some(target) => write!(out, " {target}"),
            None => Ok(()),
        }
    }
}

/// Makes a rule.
pub(in super::super) fn rule(matches: impl Into<Vec<Match>>, target: Target) -> Rule {
    Rule { matches: matches.into(), target: Some(target) }
}
