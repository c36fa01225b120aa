//! What the pods of CoreDNS remember of the queries that they got: what the plugin `cache` keeps, and what the plugin `log` has
//! printed. It is the memory of a process: it ends with the process, and a step back gives it back.

use std::net::SocketAddr;
use std::rc::Rc;

use crate::api::{Key, Timestamp};
use crate::network::coredns::Served;
use crate::network::dns::{RecordType, Records};

/// A query that CoreDNS got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// When.
    pub at: Timestamp,
    /// Who asked.
    pub client: SocketAddr,
    /// The number by which the client knows the answer.
    pub id: u16,
    /// The whole name, in lower case and without the dot at its end.
    pub name: Rc<str>,
    /// The type of the records.
    pub type_: RecordType,
    /// What was answered. Nothing is kept of an answer that came from the cache.
    pub served: Served,
}

/// Queries that have come to a pod of CoreDNS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queried {
    /// The pod.
    pub pod: Key,
    /// When its process started.
    pub since: Timestamp,
    /// The query.
    pub query: Query,
}

/// What a pod of CoreDNS remembers: each query with the start of the process that got it.
pub type Queries = Vec<(Timestamp, Query)>;

impl Query {
    /// The line of the plugin `log` (`CommonLogFormat`). A query takes no time here.
    pub(super) fn line(&self) -> String {
        let Query { client, id, name, served, .. } = self;
        let type_ = self.type_.as_str();
        let dot = if name.is_empty() { "" } else { "." };
        let asked = question_size(name);
        let size = asked + records_size(name, served);
        // An answer of one's own zone is authoritative; one that was handed on comes from a server that asks others.
        let flags = match (served.own, served.records.failure) {
            (true, _) => "qr,aa,rd",
            (false, None) => "qr,rd,ra",
            (false, Some(_)) => "qr,rd",
        };
        let status = served.records.status();
        format!(
            "[INFO] {client} - {id} \"{type_} IN {name}{dot} udp {asked} false 512\" {status} {flags} {size} 0s\n"
        )
    }
}

/// The bytes of a name in a message, which is not compressed: a length before each part, and an empty part at the end.
fn name_size(name: &str) -> usize {
    if name.is_empty() { 1 } else { name.len() + 2 }
}

/// The bytes of a query: the header, the name, type and class.
fn question_size(name: &str) -> usize {
    12 + name_size(name) + 4
}

/// The bytes of the records of an answer: before its own data each has its name and ten bytes.
fn records_size(name: &str, served: &Served) -> usize {
    let Records { failure, aliases, addresses, services, names, texts, .. } = &served.records;
    let record = |owner: &str, data: usize| name_size(owner) + 10 + data;
    let owner = served.records.owner(name);
    let owners = std::iter::once(name).chain(aliases.iter().map(|a| &**a));
    let mut size = owners.zip(aliases).map(|(of, alias)| record(of, name_size(alias))).sum::<usize>();
    size += addresses.iter().map(|a| record(owner, if a.is_ipv4() { 4 } else { 16 })).sum::<usize>();
    // The addresses of the targets come along.
    size +=
        services.iter().map(|s| record(name, 6 + name_size(&s.target)) + record(&s.target, 4)).sum::<usize>();
    size += names.iter().map(|n| record(name, name_size(n))).sum::<usize>();
    size += texts.iter().map(|t| record(name, 1 + t.len())).sum::<usize>();
    if size > 0 || failure.is_some() {
        return size;
    }
    // Who says that there is nothing says who is responsible (SOA).
    let (zone, server, person) = match &served.zone {
        Some(zone) => (&**zone, format!("ns.dns.{zone}"), format!("hostmaster.{zone}")),
        None => ("", "a.root-servers.net".to_owned(), "nstld.verisign-grs.com".to_owned()),
    };
    record(zone, name_size(&server) + name_size(&person) + 20)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::coredns::Class;

    /// Lines that people have published: of `kubernetes.default` at
    /// kubernetes.io/docs/tasks/administer-cluster/dns-debugging-resolution, of a name outside with a search domain (54 and 147
    /// bytes), and of what the plugin `loop` asks (56 and 131 bytes).
    #[test]
    fn lines_of_the_log_have_the_sizes_of_real_ones() {
        let line = |name: &str, records: Records, zone: Option<&str>| {
            let own = zone.is_some();
            let zone = zone.map(Rc::from);
            let class = Class::Success;
            let served = Served { records, class, ttl: 30, own, zone, kept: None, logged: true };
            let client = SocketAddr::from(([172, 17, 0, 18], 41_675));
            let at = Timestamp::UNIX_EPOCH;
            Query { at, client, id: 59_925, name: name.into(), type_: RecordType::A, served }.line()
        };
        let one = || Records { exists: true, addresses: vec![[10, 96, 0, 1].into()], ..Records::default() };
        assert_eq!(
            line("kubernetes.default.svc.cluster.local", one(), Some("cluster.local")),
            "[INFO] 172.17.0.18:41675 - 59925 \"A IN kubernetes.default.svc.cluster.local. udp 54 false 512\" NOERROR qr,aa,rd 106 0s\n"
        );
        let none = line("google.com.default.svc.cluster.local", Records::default(), Some("cluster.local"));
        assert!(none.ends_with("udp 54 false 512\" NXDOMAIN qr,aa,rd 147 0s\n"), "{none}");
        let outside = line("349145763287755047.2816822520842364744", Records::default(), None);
        assert!(outside.ends_with("udp 56 false 512\" NXDOMAIN qr,rd,ra 131 0s\n"), "{outside}");
    }
}
