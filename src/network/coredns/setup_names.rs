//! What the plugins `hosts`, `forward` and `rewrite` read of their directives.

use std::net::{IpAddr, SocketAddr};

use regex::Regex;

use super::PORT;
use super::corefile::Stanza;
use super::plugins::{Fall, Forward, Hosts, Match, Rewrite};
use super::setup::{Read, Reading, domain, domains, text};
use crate::network::resolver::ResolvConf;

/// How long records of the plugin `hosts` may be kept if nothing is said of it, in seconds.
const HOSTS_TTL: u32 = 3600;
/// The most servers of one `forward`.
const UPSTREAMS_LIMIT: usize = 15;

impl Reading<'_> {
    pub(super) fn hosts(&self, s: &Stanza) -> Read<Hosts> {
        let args = s.words.get(1..).unwrap_or_default();
        let path = args.first().map_or("/etc/hosts", text);
        let mut lines: Vec<String> =
            (self.finds.read)(path).unwrap_or_default().lines().map(str::to_owned).collect();
        let zones = self.zones_or_own(args.get(1..).unwrap_or_default());
        let mut hosts =
            Hosts { zones, names: Vec::new(), fall: Fall::default(), reverse: true, ttl: HOSTS_TTL };
        for line in &s.block {
            match line.first().map_or("", text) {
                "fallthrough" => hosts.fall = self.fall(line),
                "no_reverse" => hosts.reverse = false,
                "ttl" => hosts.ttl = self.number(line, 1)?,
                // The files of a container are read once: see the plugin `reload`.
                "reload" => {
                    self.time(line, 1)?;
                }
                _ if hosts.fall.zones.is_none() => {
                    lines.push(line.iter().map(text).collect::<Vec<_>>().join(" "));
                }
                _ => return self.unknown(line),
            }
        }
        for line in &lines {
            let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
            let Some(address) = words.next().and_then(|w| w.parse::<IpAddr>().ok()) else { continue };
            hosts.names.extend(words.map(|name| (domain(name), address)));
        }
        Ok(hosts)
    }

    pub(super) fn forward(&self, s: &Stanza) -> Read<Forward> {
        let Some(from) = s.words.get(1) else { return self.arguments(&s.words) };
        let to = s.words.get(2..).unwrap_or_default();
        if to.is_empty() {
            return self.arguments(&s.words);
        }
        let mut servers = Vec::new();
        for word in to {
            let address = word.text.strip_prefix("dns://").unwrap_or(&word.text);
            if let Some((scheme, _)) = address.split_once("://") {
                return self.error(word, &format!("the protocol {scheme} is not simulated here"));
            }
            if let Ok(ip) = address.trim_matches(['[', ']']).parse::<IpAddr>() {
                servers.push(ip);
            } else if let Ok(socket) = address.parse::<SocketAddr>() {
                if socket.port() != PORT {
                    return self.error(word, "a DNS server at another port than 53 is not simulated here");
                }
                servers.push(socket.ip());
            } else if let Some(file) = (self.finds.read)(address) {
                let found = ResolvConf::parse(&file).servers;
                if found.is_empty() {
                    return Err(format!("no nameservers found in file: {address}"));
                }
                servers.extend(found);
            } else {
                return Err(format!("not an IP address or file: {address:?}"));
            }
        }
        if servers.len() > UPSTREAMS_LIMIT {
            return Err(format!("more than {UPSTREAMS_LIMIT} TOs configured: {}", servers.len()));
        }
        let mut except = Vec::new();
        for line in &s.block {
            let args = line.get(1..).unwrap_or_default();
            match (line.first().map_or("", text), args) {
                ("except", [_, ..]) => except.extend(domains(args)),
                // What these say shows only in connections and under load, of which there are none here.
                ("force_tcp" | "prefer_udp", []) => {}
                ("max_fails" | "max_concurrent", [_]) => {
                    self.number(line, 1)?;
                }
                ("expire", [_]) => {
                    self.time(line, 1)?;
                }
                ("health_check", [_, ..]) => {
                    self.time(line, 1)?;
                }
                ("policy", [policy]) => {
                    if !["random", "round_robin", "sequential"].contains(&policy.text.as_str()) {
                        return self.error(policy, &format!("unknown policy '{}'", policy.text));
                    }
                }
                ("tls" | "tls_servername" | "next" | "failover" | "failfast_all_unhealthy_upstreams", _) => {
                    return self.not_simulated(line);
                }
                (
                    "except" | "force_tcp" | "prefer_udp" | "max_fails" | "max_concurrent" | "expire"
                    | "policy" | "health_check",
                    _,
                ) => return self.arguments(line),
                _ => return self.unknown(line),
            }
        }
        Ok(Forward { from: domain(&from.text), to: servers, except })
    }

    pub(super) fn rewrite(&self, s: &Stanza) -> Read<Rewrite> {
        let mut words: Vec<&str> = s.words.iter().skip(1).map(text).collect();
        let mode = words.first().copied().filter(|w| ["stop", "continue"].contains(w));
        words.drain(..usize::from(mode.is_some()));
        if !s.block.is_empty() || words.first() != Some(&"name") {
            return self.not_simulated(&s.words);
        }
        // `answer auto` is what happens here anyway: an answer has the name that was asked for.
        let words = words.get(1..).unwrap_or_default();
        let words = words.strip_suffix(&["answer", "auto"]).unwrap_or(words);
        let whole = |name: &str| format!("{}.", name.trim_end_matches('.').to_ascii_lowercase());
        let (how, from, to) = match words {
            ["exact", from, to] | [from, to] => (Match::Exact, whole(from), whole(to)),
            ["prefix", from, to] => (Match::Prefix, from.to_ascii_lowercase(), to.to_ascii_lowercase()),
            ["suffix", from, to] => (Match::Suffix, whole(from), whole(to)),
            ["substring", from, to] => (Match::Substring, from.to_ascii_lowercase(), to.to_ascii_lowercase()),
            ["regex", pattern, to] | ["regex", pattern, to, "answer", "name", _, _] => {
                let regex = Regex::new(pattern);
                let regex = regex.map_err(|_| format!("invalid regex pattern in a name rule: {pattern}"))?;
                (Match::Regex(regex), (*pattern).to_owned(), whole(to))
            }
            _ => return self.arguments(&s.words),
        };
        Ok(Rewrite { how, from: from.into(), to: to.into(), goes_on: mode == Some("continue") })
    }
}
