//! A query on its way through the plugins of CoreDNS.

use std::net::IpAddr;
use std::rc::Rc;

use super::Configuration;
use super::plugins::{Class, Hosts, Kubernetes, Server};
use crate::network::dns::{self, Failure, Objects, RecordType, Records};

/// How often a name may lead to another one (`ExternalName`) before CoreDNS gives up.
const DEPTH_LIMIT: usize = 8;

/// Whom CoreDNS asks: the objects of the cluster, and other DNS servers.
pub trait Outside: Objects {
    /// What another DNS server answers to CoreDNS; `None` if it does not answer.
    fn forward(&self, server: IpAddr, name: &str, type_: RecordType) -> Option<Records>;
}

/// An answer of CoreDNS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// The answer.
    pub records: Records,
    /// Its sort.
    pub class: Class,
    /// How long its records may be kept, in seconds.
    pub ttl: u32,
    /// Whether the answer is the server's own, of a zone for which it is responsible (`aa`).
    pub own: bool,
    /// That zone, if it is one of the plugin `kubernetes`.
    pub zone: Option<Rc<str>>,
    /// Whether the server that answered keeps it, and for how many seconds.
    pub kept: Option<u32>,
    /// Whether the server logs the query.
    pub logged: bool,
}

/// What a plugin answered.
struct Answered {
    records: Records,
    ttl: u32,
    own: bool,
    zone: Option<Rc<str>>,
}

impl Answered {
    fn own(records: Records, ttl: u32) -> Answered {
        Answered { records, ttl, own: true, zone: None }
    }

    fn failed(failure: Failure) -> Answered {
        Answered { records: Records::failed(failure), ttl: 0, own: false, zone: None }
    }
}

impl Configuration {
    /// The server of a name at a port: the one with the longest zone.
    pub fn server_of(&self, name: &str, port: u16) -> Option<&Server> {
        let zone = |s: &Server| {
            s.zones.iter().filter(|z| dns::is_below(name, z)).map(|z| z.len() + 1).max().unwrap_or(0)
        };
        let all = self.servers.iter().filter(|s| s.port == port);
        all.map(|s| &**s).filter(|s| zone(s) > 0).max_by_key(|s| zone(s))
    }

    /// What CoreDNS answers to a query that has come to a port.
    pub fn serve(&self, outside: &dyn Outside, port: u16, name: &str, type_: RecordType) -> Served {
        self.serve_at(outside, port, &name.to_ascii_lowercase(), type_, 0)
    }

    fn serve_at(
        &self,
        outside: &dyn Outside,
        port: u16,
        name: &str,
        type_: RecordType,
        depth: usize,
    ) -> Served {
        let server = self.server_of(name, port);
        let answered = match server {
            None => Answered::failed(Failure::Refused),
            Some(_) if depth > DEPTH_LIMIT => Answered::failed(Failure::ServFail),
            Some(server) => {
                let asked = server.rewritten(name);
                let again = |name: &str, type_: RecordType| {
                    self.serve_at(outside, port, &name.to_ascii_lowercase(), type_, depth + 1).records
                };
                server
                    .answer(outside, &asked, type_, &again)
                    .unwrap_or_else(|| Answered::failed(Failure::ServFail))
            }
        };
        let class = class_of(&answered.records);
        Served {
            class,
            kept: server.and_then(|s| s.cache.as_ref()?.keeps(name, class, answered.ttl)),
            logged: server.is_some_and(|s| s.log.iter().any(|l| l.logs(name, class))),
            records: answered.records,
            ttl: answered.ttl,
            own: answered.own,
            zone: answered.zone,
        }
    }
}

fn class_of(records: &Records) -> Class {
    let Records { failure, exists, aliases, addresses, services, names, texts } = records;
    let empty = addresses.is_empty() && services.is_empty() && names.is_empty() && texts.is_empty();
    match failure {
        Some(_) => Class::Error,
        None if !exists || (empty && aliases.is_empty()) => Class::Denial,
        None => Class::Success,
    }
}

impl Server {
    /// Whether it hands queries on to itself.
    pub(super) fn asks_itself(&self) -> bool {
        self.forward.iter().flat_map(|f| &f.to).any(IpAddr::is_loopback)
    }

    /// The name that the plugins behind `rewrite` see.
    fn rewritten(&self, name: &str) -> String {
        let mut name = name.to_owned();
        for rule in &self.rewrite {
            if let Some(new) = rule.apply(&name) {
                name = new;
                if !rule.goes_on {
                    break;
                }
            }
        }
        name
    }

    /// What the plugins answer, one after the other; `None` if the last one hands the query on.
    fn answer(
        &self,
        outside: &dyn Outside,
        name: &str,
        type_: RecordType,
        again: &dyn Fn(&str, RecordType) -> Records,
    ) -> Option<Answered> {
        let hosts = self.hosts.as_ref().and_then(|h| h.answer(name, type_));
        let kubernetes = || self.kubernetes.as_ref().and_then(|k| k.answer(outside, name, type_, again));
        let forward = || {
            let to = self.forward.iter().find(|f| f.takes(name))?;
            let found = to.to.iter().find_map(|server| outside.forward(*server, name, type_));
            Some(match found {
                Some(records) => Answered { records, ttl: dns::TTL, own: false, zone: None },
                None => Answered::failed(Failure::ServFail),
            })
        };
        let whoami = || self.whoami.then(|| Answered::own(Records::nothing(), 0));
        hosts.or_else(kubernetes).or_else(forward).or_else(whoami)
    }
}

impl Hosts {
    fn answer(&self, name: &str, type_: RecordType) -> Option<Answered> {
        let ttl = self.ttl;
        if type_ == RecordType::Ptr {
            let address = dns::reverse(name).filter(|_| self.reverse)?;
            let all = self.names.iter().filter(|(_, a)| *a == address).map(|(name, _)| name.clone());
            let names: Vec<_> = all.collect();
            let records = Records { names, ..Records::nothing() };
            return (!records.names.is_empty()).then_some(Answered::own(records, ttl));
        }
        if !self.zones.iter().any(|z| dns::is_below(name, z)) {
            return None;
        }
        let all: Vec<IpAddr> = self.names.iter().filter(|(n, _)| **n == *name).map(|(_, a)| *a).collect();
        if all.is_empty() {
            // There is no SOA to say that a name does not exist.
            let failed = || Answered::failed(Failure::ServFail);
            return (!self.fall.through(name)).then(failed);
        }
        let addresses = all.into_iter().filter(|a| type_.is_of(*a)).collect();
        Some(Answered::own(Records { addresses, ..Records::nothing() }, ttl))
    }
}

impl Kubernetes {
    fn answer(
        &self,
        outside: &dyn Outside,
        name: &str,
        type_: RecordType,
        again: &dyn Fn(&str, RecordType) -> Records,
    ) -> Option<Answered> {
        let records = dns::answer(outside, &self.settings, name, type_, again)?;
        let passed_on = !records.exists && self.fall.through(name);
        let zone = self.settings.zone_of(name).cloned();
        (!passed_on).then_some(Answered { records, ttl: self.ttl, own: true, zone })
    }
}
