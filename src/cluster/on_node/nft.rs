//! `nft list`, as nftables prints it.

use super::NodeOutput;
use crate::network::proxy::{Family, Rules, Ruleset, nftables::Table};

/// How `nft` calls the tables of a family.
fn family_name(family: Family) -> &'static str {
    match family {
        Family::Ipv4 => "ip",
        Family::Ipv6 => "ip6",
    }
}

/// The tables that kube-proxy has made, by the name of their family. Each is called `kube-proxy`.
fn tables(rules: &[Ruleset]) -> impl Iterator<Item = (&'static str, &Table)> {
    rules.iter().filter_map(|r| match &r.rules {
        Rules::Nftables(table) => Some((family_name(r.family), table)),
        Rules::Iptables(_) | Rules::Ipvs(_) => None,
    })
}

/// `nft list ruleset`, `nft list tables` and `nft list table FAMILY NAME`.
pub(super) fn run(rules: &[Ruleset], words: &[&str]) -> NodeOutput {
    // A command of nft's is often written as one word in quotation marks.
    let words: Vec<&str> = words.iter().flat_map(|w| w.split(' ')).filter(|w| !w.is_empty()).collect();
    match words.as_slice() {
        ["list", "ruleset"] => NodeOutput::of(tables(rules).map(|(_, table)| table.to_string()).collect()),
        ["list", "ruleset", family] => {
            let of_it = tables(rules).filter(|(name, _)| name == family);
            NodeOutput::of(of_it.map(|(_, table)| table.to_string()).collect())
        }
        ["list", "tables"] => {
            NodeOutput::of(tables(rules).map(|(name, _)| format!("table {name} kube-proxy\n")).collect())
        }
        ["list", "table", place @ .., name] if place.len() < 2 => {
            let family = place.first().copied().unwrap_or("ip");
            let mut found = tables(rules).filter(|(of, _)| *of == family && *name == "kube-proxy");
            match found.next() {
                Some((_, table)) => NodeOutput::of(table.to_string()),
                None => {
                    let line = words.join(" ");
                    let before = " ".repeat(line.len().saturating_sub(name.len()));
                    let marks = "^".repeat(name.len());
                    let why = format!("Error: No such file or directory\n{line}\n{before}{marks}\n");
                    NodeOutput::failed(1, why)
                }
            }
        }
        other => {
            let what = if other.is_empty() { "no command".to_owned() } else { other.join(" ") };
            NodeOutput::not_built("nft", &what, "list ruleset, list tables, list table FAMILY NAME")
        }
    }
}
