//! The configuration of the C library's resolver: `/etc/resolv.conf` and `/etc/hosts`.

use std::net::IpAddr;

use jiff::SignedDuration;

use super::records::RecordType;

/// The most servers of `/etc/resolv.conf` that are asked (`MAXNS`).
pub const SERVERS_LIMIT: usize = 3;

/// The address of the DNS that a node itself asks: in a machine of kind's that is the gateway of its network.
pub const NODE_DNS: &str = "172.18.0.1";

/// How long a server has for its answer.
pub const TIMEOUT: SignedDuration = SignedDuration::from_secs(5);

/// How often all servers are asked until one answers.
pub const ATTEMPTS: usize = 2;

/// The types of records that are asked for to find the addresses of a name. Both queries leave at once, whatever becomes of either:
/// glibc and musl send them over one socket (`__nss_gethostbyname4_r`, `name_from_dns`), Go over two (`goLookupIPCNAMEOrder`).
pub const BOTH: [RecordType; 2] = [RecordType::A, RecordType::Aaaa];

/// `/etc/resolv.conf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvConf {
    /// The servers, in the order in which they are asked.
    pub servers: Vec<IpAddr>,
    /// The search domains.
    pub search: Vec<String>,
    /// How many dots a name needs to be asked as it stands before the search domains are tried.
    pub ndots: usize,
}

impl ResolvConf {
    /// Reads the text of the file. Lines that say nothing of it are left out.
    pub fn parse(text: &str) -> ResolvConf {
        let mut conf = ResolvConf { servers: Vec::new(), search: Vec::new(), ndots: 1 };
        for line in text.lines() {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("nameserver") => {
                    conf.servers.extend(words.next().and_then(|w| w.parse::<IpAddr>().ok()));
                }
                Some("search") => conf.search = words.map(str::to_owned).collect(),
                Some("options") => {
                    let mut ndots = words.filter_map(|w| w.strip_prefix("ndots:")?.parse().ok());
                    conf.ndots = ndots.next_back().unwrap_or(conf.ndots);
                }
                _ => {}
            }
        }
        conf.servers.truncate(SERVERS_LIMIT);
        conf
    }

    /// The whole names that are asked for one after the other until one exists. A name with at least `ndots` dots is asked
    /// as it stands before the search domains, any other one after them.
    pub fn candidates(&self, name: &str) -> Vec<String> {
        if let Some(whole) = name.strip_suffix('.') {
            return vec![whole.to_owned()];
        }
        let whole = std::iter::once(name.to_owned());
        let searched = self.search.iter().map(|domain| format!("{name}.{}", domain.trim_end_matches('.')));
        if name.matches('.').count() >= self.ndots {
            whole.chain(searched).collect()
        } else {
            searched.chain(whole).collect()
        }
    }
}

/// The addresses that the text of `/etc/hosts` has for a name. If there are IPv4 addresses, those of IPv6 are left out.
pub fn in_hosts(hosts: &str, name: &str) -> Vec<IpAddr> {
    let mut found = Vec::new();
    for line in hosts.lines() {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let Some(address) = words.next().and_then(|w| w.parse::<IpAddr>().ok()) else { continue };
        if words.any(|w| w.eq_ignore_ascii_case(name)) {
            found.push(address);
        }
    }
    let v4 = found.iter().any(IpAddr::is_ipv4);
    found.retain(|a| a.is_ipv4() || !v4);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// resolv.conf(5): `search`, and `ndots`, which is 1 by default.
    #[test]
    fn a_name_with_few_dots_is_searched_for_first() {
        let conf = ResolvConf::parse(
            "search a.svc.cluster.local svc.cluster.local\nnameserver 10.96.0.10\noptions ndots:2 timeout:1\n",
        );
        assert_eq!(conf.candidates("web"), ["web.a.svc.cluster.local", "web.svc.cluster.local", "web"]);
        assert_eq!(conf.candidates("www.example.com").first().map(String::as_str), Some("www.example.com"));
        assert_eq!(conf.candidates("web."), ["web"]);
        assert_eq!(ResolvConf::parse("").ndots, 1);
    }

    /// hosts(5).
    #[test]
    fn hosts_are_read() {
        let hosts = "127.0.0.1 localhost\n::1 localhost ip6-localhost\n10.0.0.1 web web.local # not this\n";
        assert_eq!(in_hosts(hosts, "LOCALHOST").len(), 1);
        assert_eq!(in_hosts(hosts, "web.local").len(), 1);
        assert!(in_hosts(hosts, "not").is_empty());
    }
}
