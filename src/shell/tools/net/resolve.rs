//! Names into addresses, as `getaddrinfo` of the C library does it.

use std::net::IpAddr;
use std::rc::Rc;

use crate::network::dns::{RecordType, Records};
use crate::network::resolver::{ATTEMPTS, BOTH, ResolvConf, TIMEOUT, in_hosts};
use crate::network::{Answer, Question};
use crate::shell::Tools;
use crate::shell::machine::{Shell, Stop};

/// Why a name has no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoAddress {
    /// There is no such name, or it has no address (`EAI_NONAME`).
    NotKnown,
    /// No server has answered (`EAI_AGAIN`).
    NoServer,
}

impl NoAddress {
    /// In the words of the C library (`gai_strerror`).
    pub(super) fn message(self) -> &'static str {
        match self {
            NoAddress::NotKnown => "Name or service not known",
            NoAddress::NoServer => "Temporary failure in name resolution",
        }
    }
}

/// `/etc/resolv.conf` of the container.
pub(super) fn resolv_conf(shell: &mut Shell<'_>) -> ResolvConf {
    ResolvConf::parse(&shell.read("/etc/resolv.conf").unwrap_or_default())
}

impl Shell<'_> {
    /// Asks the servers for the records of a whole name; `None` if none of them answers.
    pub(super) fn query(
        &mut self,
        servers: &[IpAddr],
        name: &str,
        type_: RecordType,
    ) -> Result<Option<Records>, Stop> {
        let all = self.query_all(servers, name, &[type_])?;
        Ok(all.and_then(|all| all.into_iter().next()))
    }

    /// Asks the servers for the records of a whole name of several types at once, of each type in its order; `None` if none of the servers
    /// answers all of it.
    fn query_all(
        &mut self,
        servers: &[IpAddr],
        name: &str,
        types: &[RecordType],
    ) -> Result<Option<Vec<Records>>, Stop> {
        let name: Rc<str> = name.trim_end_matches('.').to_ascii_lowercase().into();
        for _ in 0..ATTEMPTS {
            for server in servers {
                let (mut all, mut is_closed) = (Vec::new(), false);
                for type_ in types {
                    let question = Question::Lookup { server: *server, name: name.clone(), type_: *type_ };
                    match self.ask(question)? {
                        Answer::Records(Some(records)) => all.push(records),
                        // glibc hears that the port is closed, because its socket is connected; that of musl is not.
                        Answer::Replies { .. } => is_closed = self.program.tools == Tools::Gnu,
                        Answer::Records(None) => {}
                    }
                }
                if all.len() == types.len() {
                    return Ok(Some(all));
                }
                // One time for both.
                if !is_closed {
                    self.pass(TIMEOUT)?;
                }
            }
        }
        Ok(None)
    }

    /// The addresses of a host, IPv4 before IPv6, and the name by which the DNS knows it.
    pub(super) fn addresses(&mut self, host: &str) -> Result<Result<(Vec<IpAddr>, String), NoAddress>, Stop> {
        if let Ok(address) = host.parse::<IpAddr>() {
            return Ok(Ok((vec![address], host.to_owned())));
        }
        let hosts = self.read("/etc/hosts").unwrap_or_default();
        let known = in_hosts(&hosts, host.trim_end_matches('.'));
        if !known.is_empty() {
            return Ok(Ok((known, host.to_owned())));
        }
        let conf = resolv_conf(self);
        if conf.servers.is_empty() {
            return Ok(Err(NoAddress::NoServer));
        }
        for name in conf.candidates(host) {
            let Some(both) = self.query_all(&conf.servers, &name, &BOTH)? else {
                return Ok(Err(NoAddress::NoServer));
            };
            let canonical = both.iter().find(|r| !r.addresses.is_empty()).map(|r| r.owner(&name).to_owned());
            let exists = both.iter().any(|records| records.exists);
            if let Some(canonical) = canonical {
                let addresses = both.into_iter().flat_map(|records| records.addresses).collect();
                return Ok(Ok((addresses, canonical)));
            }
            if both.iter().any(|records| records.failure.is_some()) {
                return Ok(Err(NoAddress::NoServer));
            }
            // A name that exists and has no address ends the search of musl; glibc goes on.
            if exists && self.program.tools == Tools::Busybox {
                break;
            }
        }
        Ok(Err(NoAddress::NotKnown))
    }

    /// The first address of a host.
    pub(super) fn address(&mut self, host: &str) -> Result<Result<IpAddr, NoAddress>, Stop> {
        let found = self.addresses(host)?;
        Ok(found.and_then(|(all, _)| all.first().copied().ok_or(NoAddress::NotKnown)))
    }
}
