//! `ipvsadm` and `ipset`.

use super::NodeOutput;
use crate::network::Protocol;
use crate::network::proxy::{Kernel, Rules, Ruleset, ipvs::State};

/// How many lines stand above the virtual servers.
const HEAD: usize = 3;

fn states(rules: &[Ruleset]) -> impl Iterator<Item = &State> {
    rules.iter().filter_map(|r| match &r.rules {
        Rules::Ipvs(state) => Some(state),
        Rules::Iptables(_) | Rules::Nftables(_) => None,
    })
}

/// `ipvsadm -Ln` and `ipvsadm -Sn`.
pub(super) fn ipvsadm(rules: &[Ruleset], words: &[&str]) -> NodeOutput {
    let letters: String = words.iter().map(|w| short(w)).collect();
    let known = letters.chars().all(|c| "LlSn".contains(c));
    if !known || !letters.contains('n') {
        // Without it names and services are looked up.
        return NodeOutput::not_built("ipvsadm", &words.join(" "), "-Ln, -Sn");
    }
    if letters.contains('S') {
        return save(rules);
    }
    let nobody = Kernel::default();
    let servers = states(rules).map(|state| {
        let all = state.ipvsadm(&nobody);
        all.lines().skip(HEAD).map(|line| format!("{line}\n")).collect::<String>()
    });
    NodeOutput::of(format!("{EMPTY}\n{}", servers.collect::<String>()))
}

/// What `ipvsadm -Ln` prints where there are no virtual servers.
const EMPTY: &str = "IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn";

/// An option's letters.
fn short(word: &str) -> &str {
    match word {
        "--list" => "L",
        "--save" => "S",
        "--numeric" => "n",
        other => other.strip_prefix('-').unwrap_or("?"),
    }
}

/// `ipvsadm-save`: the commands that make the virtual servers anew.
pub(super) fn save(rules: &[Ruleset]) -> NodeOutput {
    let mut out = String::new();
    for state in states(rules) {
        let mut servers: Vec<_> = state.virtual_servers.iter().collect();
        crate::api::order::sort_by_key(&mut servers, |((_, protocol), _)| *protocol);
        for ((address, protocol), server) in servers {
            let option = match protocol {
                Protocol::Tcp => "-t",
                Protocol::Udp => "-u",
                Protocol::Sctp => "--sctp-service",
            };
            let persistent = server.persistent_seconds.map(|s| format!(" -p {s}")).unwrap_or_default();
            out += &format!("-A {option} {address} -s {}{persistent}\n", server.scheduler);
            for one in &server.real_servers {
                out += &format!("-a {option} {address} -r {} -m -w {}\n", one.address, one.weight);
            }
        }
    }
    NodeOutput::of(out)
}

/// `ipset list [NAME]`.
pub(super) fn ipset(rules: &[Ruleset], words: &[&str]) -> NodeOutput {
    let names_only = words.iter().any(|w| matches!(*w, "-n" | "-name" | "--name"));
    let words: Vec<&str> =
        words.iter().copied().filter(|w| !matches!(*w, "-n" | "-name" | "--name")).collect();
    let name = match words.as_slice() {
        ["list" | "-L" | "--list"] => None,
        ["list" | "-L" | "--list", name] => Some(*name),
        other => return NodeOutput::not_built("ipset", &other.join(" "), "list [-n] [NAME]"),
    };
    let texts: Vec<String> = states(rules).map(State::ipset_list).collect();
    // Sets are listed with an empty line between.
    let sets = texts.iter().flat_map(|text| text.split("\n\n")).map(str::trim_end);
    let is_wanted = |set: &&str| name.is_none_or(|name| name_of(set) == name);
    let sets: Vec<&str> = sets.filter(|set| !set.is_empty()).filter(is_wanted).collect();
    if sets.is_empty() && name.is_some() {
        return NodeOutput::failed(1, "ipset v7.22: The set with the given name does not exist\n");
    }
    if names_only {
        return NodeOutput::of(sets.iter().map(|set| format!("{}\n", name_of(set))).collect());
    }
    NodeOutput::of(sets.iter().map(|set| format!("{set}\n")).collect::<Vec<_>>().join("\n"))
}

fn name_of(set: &str) -> &str {
    set.lines().next().and_then(|line| line.strip_prefix("Name: ")).unwrap_or_default()
}
