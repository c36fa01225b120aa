//! What `ipvsadm -Ln` and `ipset list` show.

use std::fmt;

use super::super::iptables::Match;
use super::super::names::Family;
use super::super::packet::{Kernel, VirtualServerKey};
use super::sets::SetKind;
use super::state::{RealServer, State, VirtualServer};

impl VirtualServer {
    /// The virtual server of an address as `ipvsadm` shows it, without its real servers.
    pub fn head(&self, (address, protocol): &VirtualServerKey) -> String {
        let persistent = self.persistent_seconds.map(|s| format!(" persistent {s}")).unwrap_or_default();
        format!("{:<4} {address} {}{persistent}", protocol.name(), self.scheduler)
    }
}

impl fmt::Display for RealServer {
    /// The real server as `ipvsadm` shows it, without its connections.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "-> {:<28} Masq    {}", self.address.to_string(), self.weight)
    }
}

impl State {
    /// What `ipvsadm -Ln` shows, with the connections that the kernel counts.
    pub fn ipvsadm(&self, kernel: &Kernel) -> String {
        let mut out = String::from(
            "IP Virtual Server version 1.2.1 (size=4096)\nProt LocalAddress:Port Scheduler Flags\n  \
             -> RemoteAddress:Port           Forward Weight ActiveConn InActConn\n",
        );
        let mut servers: Vec<_> = self.virtual_servers.iter().collect();
        servers.sort_by_key(|((_, protocol), _)| *protocol);
        for (key, server) in servers {
            out += &format!("{}\n", server.head(key));
            for one in &server.real_servers {
                let count = kernel.connections.get(&(*key, one.address)).copied().unwrap_or_default();
                out += &format!("  {:<46} {:<10} {:<10}\n", one.to_string(), count.active, count.inactive);
            }
        }
        out
    }

    /// What `ipset list` shows, without revisions and sizes, which depend on the kernel.
    pub fn ipset_list(&self) -> String {
        let family = match self.family {
            Family::Ipv4 => "inet",
            Family::Ipv6 => "inet6",
        };
        let rules = || self.tables.filter.values().chain(self.tables.nat.values()).flatten();
        let mut out = Vec::new();
        for set in &self.sets {
            let header = match set.kind {
                SetKind::Port => "range 0-65535".to_owned(),
                _ => format!("family {family} hashsize 1024 maxelem 65536"),
            };
            let asks = |part: &&Match| matches!(part, Match::InSet(name, _) if *name == set.name);
            let references = rules().flat_map(|rule| &rule.matches).filter(asks).count();
            let mut text = format!("Name: {}\nType: {}\nHeader: {header}\n", set.name, set.kind);
            text +=
                &format!("References: {references}\nNumber of entries: {}\nMembers:\n", set.entries.len());
            text.extend(set.entries.iter().map(|entry| format!("{entry}\n")));
            out.push(text);
        }
        out.join("\n")
    }
}

impl fmt::Display for State {
    /// What `ipvsadm -Ln` shows of a node without connections.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.ipvsadm(&Kernel::default()))
    }
}
