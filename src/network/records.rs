//! What stands in a DNS server's answer.

use std::net::IpAddr;
use std::rc::Rc;

/// The type of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordType {
    /// An IPv4 address.
    A,
    /// An IPv6 address.
    Aaaa,
    /// A port and the name of its host.
    Srv,
    /// The name of an address.
    Ptr,
    /// Another name of the same thing.
    Cname,
    /// A text.
    Txt,
}

impl RecordType {
    /// As it stands in a query.
    pub fn as_str(self) -> &'static str {
        match self {
            RecordType::A => "A",
            RecordType::Aaaa => "AAAA",
            RecordType::Srv => "SRV",
            RecordType::Ptr => "PTR",
            RecordType::Cname => "CNAME",
            RecordType::Txt => "TXT",
        }
    }

    /// Reads a type, in upper or lower case.
    pub fn parse(text: &str) -> Option<RecordType> {
        let all = [Self::A, Self::Aaaa, Self::Srv, Self::Ptr, Self::Cname, Self::Txt];
        all.into_iter().find(|t| t.as_str().eq_ignore_ascii_case(text))
    }

    pub(super) fn is_of(self, address: IpAddr) -> bool {
        match self {
            RecordType::A => address.is_ipv4(),
            RecordType::Aaaa => address.is_ipv6(),
            _ => false,
        }
    }
}

/// A port of a Service, with the name of a host that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Srv {
    /// Its share of the requests: 100 divided by the number of records.
    pub weight: u16,
    /// The port.
    pub port: u16,
    /// The host's whole name, without the dot at its end.
    pub target: Rc<str>,
}

/// What a DNS server answers. No records of a name that exists ([`Records::exists`]) is `NODATA`: it has records of other
/// types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// Whether the name exists; otherwise the answer is `NXDOMAIN`.
    pub exists: bool,
    /// The name that the asked one stands for (`CNAME`), then the one that this stands for, and so on, without dots at their ends.
    pub aliases: Vec<Rc<str>>,
    /// The addresses, in the order of the answer.
    pub addresses: Vec<IpAddr>,
    /// The ports.
    pub services: Vec<Srv>,
    /// The names of an address.
    pub names: Vec<Rc<str>>,
    /// The texts.
    pub texts: Vec<Rc<str>>,
    /// Why the server has no answer at all; then nothing else is said.
    pub failure: Option<Failure>,
}

/// What a DNS server says that cannot answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Nobody whom it asks answers (`SERVFAIL`).
    ServFail,
    /// It does not answer for such names (`REFUSED`).
    Refused,
}

impl Failure {
    /// As tools print it.
    pub fn as_str(self) -> &'static str {
        match self {
            Failure::ServFail => "SERVFAIL",
            Failure::Refused => "REFUSED",
        }
    }
}

impl Records {
    pub(super) fn nothing() -> Records {
        Records { exists: true, ..Records::default() }
    }

    pub(super) fn failed(failure: Failure) -> Records {
        Records { failure: Some(failure), ..Records::default() }
    }

    /// The name whose records these are: the last that the asked one stands for, or that itself.
    pub fn owner<'a>(&'a self, asked: &'a str) -> &'a str {
        self.aliases.last().map_or(asked, |last| last)
    }

    /// The word for the answer as a whole, as tools print it (`RCODE`).
    pub fn status(&self) -> &'static str {
        match self.failure {
            Some(failure) => failure.as_str(),
            None if self.exists => "NOERROR",
            None => "NXDOMAIN",
        }
    }
}
