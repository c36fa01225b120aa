//! The tables of iptables that kube-proxy writes to, and how they are printed.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use super::super::names::Family;
use super::rule::{ChainName, Rule};

/// The chains of a table, by name.
pub type Chains = BTreeMap<ChainName, Vec<Rule>>;

/// A table of iptables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// The table that lets packets pass or not.
    Filter,
    /// The table that changes addresses. Only the first packet of a connection goes through it.
    Nat,
}

impl Table {
    /// The name of the table.
    pub fn name(self) -> &'static str {
        match self {
            Table::Filter => "filter",
            Table::Nat => "nat",
        }
    }

    /// The chains that the kernel itself has in the table.
    pub fn base_chains(self) -> &'static [&'static str] {
        match self {
            Table::Filter => &["INPUT", "FORWARD", "OUTPUT"],
            Table::Nat => &["PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"],
        }
    }
}

/// The chain by which kube-proxy notices that somebody else has emptied the tables (`iptables.Monitor`). It has no rules.
pub(in super::super) const CANARY: &str = "KUBE-PROXY-CANARY";
/// The chain that kubelet makes, too (KEP-3178).
pub(super) const KUBELET_FIREWALL: &str = "KUBE-FIREWALL";

/// What kube-proxy has written with iptables on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// The address family: IPv6 has tables of its own (`ip6tables`).
    pub family: Family,
    /// The table `filter`.
    pub filter: Chains,
    /// The table `nat`.
    pub nat: Chains,
}

impl Tables {
    /// Tables without a rule.
    pub(in super::super) fn new(family: Family) -> Tables {
        Tables { family, filter: Chains::new(), nat: Chains::new() }
    }

    /// The chains of a table.
    pub fn table(&self, table: Table) -> &Chains {
        match table {
            Table::Filter => &self.filter,
            Table::Nat => &self.nat,
        }
    }

    /// Makes a chain, if there is none of that name.
    pub(in super::super) fn chain(&mut self, table: Table, name: &ChainName) -> &mut Vec<Rule> {
        let chains = match table {
            Table::Filter => &mut self.filter,
            Table::Nat => &mut self.nat,
        };
        chains.entry(Rc::clone(name)).or_default()
    }

    /// Adds a rule at the end of a chain.
    pub(in super::super) fn add(&mut self, table: Table, chain: &ChainName, rule: Rule) {
        self.chain(table, chain).push(rule);
    }

    /// How many rules there are.
    pub fn rules(&self) -> usize {
        self.filter.values().chain(self.nat.values()).map(Vec::len).sum()
    }

    /// What `iptables-save` shows of kube-proxy's chains and of the rules that lead to them, without counters.
    pub fn saved(&self) -> String {
        let mut out = format!("*mangle\n:{CANARY} - [0:0]\nCOMMIT\n");
        for table in [Table::Filter, Table::Nat] {
            let chains = self.table(table);
            out += &format!("*{}\n", table.name());
            for name in table.base_chains() {
                out += &format!(":{name} ACCEPT [0:0]\n");
            }
            let own = || chains.iter().filter(|(name, _)| !table.base_chains().contains(&&***name));
            for (name, _) in own() {
                out += &format!(":{name} - [0:0]\n");
            }
            let base = table.base_chains().iter().filter_map(|name| chains.get_key_value(*name));
            for (name, rules) in base.chain(own()) {
                for rule in rules {
                    out += &format!("-A {name} {}\n", rule.saved(self.family));
                }
            }
            out += "COMMIT\n";
        }
        out
    }
}

/// The place of a chain in the order in which kube-proxy's own tests sort chains.
fn rank(name: &str) -> usize {
    let first = ["KUBE-NODEPORTS", "KUBE-SERVICES", "KUBE-EXTERNAL-SERVICES"];
    first.iter().position(|f| *f == name).unwrap_or(first.len())
}

impl fmt::Display for Tables {
    /// What kube-proxy gives to `iptables-restore`. It writes its chains in no order; here they have that of its tests.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for table in [Table::Filter, Table::Nat] {
            writeln!(f, "*{}", table.name())?;
            // kubelet makes its chain itself; kube-proxy only writes to it if it has a rule for it.
            let not_given =
                |name: &str, rules: &[Rule]| name == CANARY || (name == KUBELET_FIREWALL && rules.is_empty());
            let given =
                |name: &str, rules: &[Rule]| !table.base_chains().contains(&name) && !not_given(name, rules);
            let mut chains: Vec<_> =
                self.table(table).iter().filter(|(name, rules)| given(name, rules)).collect();
            chains.sort_by_key(|(name, _)| (rank(name), Rc::clone(name)));
            for (name, _) in &chains {
                writeln!(f, ":{name} - [0:0]")?;
            }
            for (name, rules) in &chains {
                for rule in *rules {
                    writeln!(f, "-A {name} {rule}")?;
                }
            }
            writeln!(f, "COMMIT")?;
        }
        Ok(())
    }
}
