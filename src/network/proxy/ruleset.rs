//! All rules of a node, whatever they are written with: how they come to be, and how a packet goes through them.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;

use crate::api::Timestamp;
use crate::api::types::{EndpointSlice, Service};

use super::config::{Config, Mode};
use super::dice::{Caller, Dice, Fraction, Outcomes};
use super::endpoints::{EndpointsMap, endpoints};
use super::flow::Flow;
use super::names::Family;
use super::packet::{Chance, Kernel, Packet, Verdict, Walk};
use super::services::{ServicePortMap, service_ports};
use super::{iptables, ipvs, nftables};

/// A kube-proxy's proxier of one mode and one address family.
#[derive(Clone, Copy, Debug)]
pub struct Proxier;

/// The rules of a mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rules {
    /// Tables of iptables.
    Iptables(iptables::Tables),
    /// The table of nftables.
    Nftables(nftables::Table),
    /// Virtual servers, and the sets and rules beside them.
    Ipvs(ipvs::State),
}

/// What a sync of kube-proxy has written on a node, and what it was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruleset {
    /// The address family that the rules are for.
    pub family: Family,
    /// The ports of Services that the sync knew.
    pub ports: ServicePortMap,
    /// The endpoints that the sync knew.
    pub endpoints: EndpointsMap,
    /// The rules.
    pub rules: Rules,
    /// The node's own addresses, without those that kube-proxy itself adds.
    pub node_ips: Vec<IpAddr>,
}

/// One of the things that can become of a packet, and how likely it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// What becomes of the packet.
    pub verdict: Verdict,
    /// How likely it is.
    pub share: Fraction,
}

impl Proxier {
    /// What one sync of kube-proxy writes (`syncProxyRules`): the rules for these Services and EndpointSlices on the node
    /// of the configuration. Services of other address families are left out.
    pub fn sync<'a>(
        config: &Config,
        services: impl Iterator<Item = &'a Service>,
        slices: impl Iterator<Item = &'a EndpointSlice>,
    ) -> Ruleset {
        let ports = service_ports(config.family, services);
        let endpoints = endpoints(&config.node_name, config.family, slices);
        let rules = match config.mode {
            Mode::Iptables => Rules::Iptables(iptables::sync(config, &ports, &endpoints)),
            Mode::Nftables => Rules::Nftables(nftables::sync(config, &ports, &endpoints)),
            Mode::Ipvs => Rules::Ipvs(ipvs::sync(config, &ports, &endpoints)),
        };
        Ruleset { family: config.family, ports, endpoints, rules, node_ips: config.own_ips().collect() }
    }
}

impl Ruleset {
    /// The way of a connection's first packet through the rules. Packets after it take the same way without looking at
    /// rules of `nat`: the kernel remembers connections.
    ///
    /// `chance` is asked for a number wherever the kernel throws a dice. `kernel` is read and changed where the kernel
    /// remembers something from one connection to the next.
    pub fn walk(
        &self,
        packet: &Packet,
        now: Timestamp,
        kernel: &mut Kernel,
        chance: &mut dyn FnMut() -> Chance,
    ) -> Walk {
        self.go(packet, now, kernel, &mut Caller(chance))
    }

    fn go(&self, packet: &Packet, now: Timestamp, kernel: &mut Kernel, dice: &mut dyn Dice) -> Walk {
        let own = match &self.rules {
            Rules::Ipvs(state) => &state.own,
            Rules::Iptables(_) | Rules::Nftables(_) => &self.node_ips,
        };
        let mut flow = Flow::new(packet, own, now, kernel, dice);
        let passed = match &self.rules {
            Rules::Iptables(tables) => iptables::walk(tables, &mut flow),
            Rules::Nftables(table) => nftables::walk(table, &mut flow),
            Rules::Ipvs(state) => ipvs::walk(state, &mut flow),
        };
        let verdict = flow.verdict(passed);
        Walk { steps: flow.steps, verdict }
    }

    /// Leads a packet so that this becomes of it, wherever the dice have to fall for that, and changes what the kernel remembers as that
    /// walk does. Without such a walk the kernel remembers nothing new.
    pub fn lead(&self, packet: &Packet, now: Timestamp, kernel: &mut Kernel, verdict: &Verdict) {
        let mut dice = Outcomes::default();
        loop {
            let mut led = kernel.clone();
            if self.go(packet, now, &mut led, &mut dice).verdict == *verdict {
                *kernel = led;
                return;
            }
            if !dice.next() {
                return;
            }
        }
    }

    /// Everything that can become of such a packet, with exact shares that add up to 1, in the order of the verdicts. For
    /// a scheduler of IPVS by which servers take turns, the shares are those of many connections.
    pub fn distribution(&self, packet: &Packet, now: Timestamp, kernel: &Kernel) -> Vec<Share> {
        let mut shares: BTreeMap<Verdict, Fraction> = BTreeMap::new();
        let mut dice = Outcomes::default();
        loop {
            let verdict = self.go(packet, now, &mut kernel.clone(), &mut dice).verdict;
            let share = dice.share();
            let sum = shares.entry(verdict).or_insert(Fraction::ZERO);
            *sum = sum.plus(share);
            if !dice.next() {
                break;
            }
        }
        shares.into_iter().map(|(verdict, share)| Share { verdict, share }).collect()
    }
}

impl fmt::Display for Ruleset {
    /// The rules as the tools of a node show them: `iptables-save`, `nft list ruleset`, or `ipvsadm -Ln`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.rules {
            Rules::Iptables(tables) => f.write_str(&tables.saved()),
            Rules::Nftables(table) => write!(f, "{table}"),
            Rules::Ipvs(state) => write!(f, "{state}"),
        }
    }
}
