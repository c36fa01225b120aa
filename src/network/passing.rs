//! What a proxy in a pod does with a request that it gets: it answers by itself, or asks one of its upstreams. Whoever knows the rules of
//! a proxy ([`ingress`](super::ingress), [`gateway`](super::gateway)) says where a request belongs ([`Passes::route`]); the network of a
//! cluster carries it out.

use std::net::SocketAddr;
use std::rc::Rc;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::header::{HeaderField, HeaderFields};
use crate::api::types::{EndpointSlice, Service};
use crate::api::{Key, ObjectRef};

/// A request that has come to a proxy.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The port that it came to.
    pub port: u16,
    /// The header `Host`, also with a port.
    pub host: &'a str,
    /// The method.
    pub method: &'a str,
    /// The path with the query.
    pub path: &'a str,
    /// The other header fields.
    pub headers: &'a HeaderFields,
    /// Whether it came over TLS.
    pub tls: bool,
}

/// How a path is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PathType {
    /// The whole path.
    Exact,
    /// The path's elements (`Prefix` of an Ingress, `PathPrefix` of an HTTPRoute).
    Prefix,
    /// As a regular expression from its beginning on.
    RegularExpression,
    /// As the controller likes; ingress-nginx compares elements ([`PathType::compared`]).
    ImplementationSpecific,
}

impl PathType {
    /// The type of the `pathType` of an Ingress' path.
    pub fn of(text: &str) -> PathType {
        match text {
            "Exact" => PathType::Exact,
            "Prefix" => PathType::Prefix,
            _ => PathType::ImplementationSpecific,
        }
    }

    /// How ingress-nginx compares a path of this type: all that are not exact are prefixes to it (`SetDefaultNGINXPathType` in
    /// `internal/k8s/main.go`).
    pub fn compared(self) -> PathType {
        match self {
            PathType::Exact => PathType::Exact,
            _ => PathType::Prefix,
        }
    }

    /// The word of an Ingress.
    pub fn as_str(self) -> &'static str {
        match self {
            PathType::Exact => "Exact",
            PathType::Prefix => "Prefix",
            PathType::RegularExpression => "RegularExpression",
            PathType::ImplementationSpecific => "ImplementationSpecific",
        }
    }

    /// The word of an HTTPRoute.
    pub fn as_route_word(self) -> &'static str {
        match self {
            PathType::Prefix => "PathPrefix",
            other => other.as_str(),
        }
    }
}

/// Whose proxy it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Whose {
    /// That of an ingress controller.
    Ingress,
    /// That of a Gateway.
    Gateway,
    /// That of a configuration that somebody has mounted.
    Configuration,
}

/// Where a request was found to belong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Whose proxy found it.
    pub whose: Whose,
    /// The server's host; `_` for the one of all other hosts.
    pub host: Rc<str>,
    /// The path of the rule, with its type; `None` where no rule is for the request.
    pub rule: Option<(Rc<str>, PathType)>,
    /// The Ingress or the HTTPRoute that the rule is of.
    pub of: Option<ObjectRef>,
    /// The Service, with its port as the rule has it.
    pub service: Option<(Key, Rc<str>)>,
}

/// The name of the server of all other hosts.
pub const CATCH_ALL: &str = "_";

/// Why a proxy has nobody to send requests to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Lack {
    /// There is no such Service.
    NoService,
    /// The Service has no such port.
    NoPort,
    /// The Service has no endpoints that are ready.
    NoEndpoints,
    /// The reference to the Service is not allowed, or of a sort that the controller does not know.
    NotResolved,
    /// A filter of the rule cannot be used.
    BadFilter,
    /// None of the rule's backends has a weight.
    NoWeight,
    /// The name of the host has no address.
    NoAddress,
}

/// What is done with a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Routed {
    /// Where it belongs.
    pub place: Place,
    /// What is done.
    pub then: Then,
}

/// What is done with a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Then {
    /// An endpoint of a backend is asked.
    Pass(Box<Passed>),
    /// The client is sent elsewhere.
    Redirect {
        /// The status.
        status: u16,
        /// Where to.
        to: Rc<str>,
    },
    /// The proxy answers with an error of its own.
    Error {
        /// The status.
        status: u16,
        /// What is lacking; `None` if no rule is for the request.
        lack: Option<Lack>,
    },
}

/// A request as it is passed on.
#[derive(Clone, Debug, PartialEq)]
pub struct Passed {
    /// The names of the backends, each with its part of the requests.
    pub backends: Vec<(Rc<str>, u32)>,
    /// The path with the query.
    pub path: Rc<str>,
    /// The header `Host`.
    pub host: Rc<str>,
    /// What becomes of the other header fields of the request.
    pub request: HeaderChange,
    /// What becomes of the header fields of the answer.
    pub answer: HeaderChange,
    /// Whether the endpoint is asked over TLS.
    pub tls: bool,
    /// How many endpoints are asked at most; 0 if any number.
    pub tries: u32,
    /// Whether no endpoint is asked twice.
    pub each_once: bool,
    /// Whether another one is asked after one that refuses.
    pub next_on_error: bool,
    /// Whether another one is asked after one that does not answer.
    pub next_on_timeout: bool,
    /// The statuses after which another one is asked.
    pub next_on: Rc<[u16]>,
    /// How long a connection may take.
    pub connect_timeout: SignedDuration,
    /// How long an answer may take.
    pub read_timeout: SignedDuration,
}

/// What a proxy changes in the header fields of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderChange {
    /// Fields whose value is put behind the one that is there, with a comma in between; or, in an answer, fields of their own.
    pub add: Vec<HeaderField>,
    /// Fields that replace those of their name.
    pub set: Vec<HeaderField>,
    /// The names of fields that are taken away.
    pub remove: Vec<Rc<str>>,
}

impl HeaderChange {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.add.is_empty() && self.set.is_empty() && self.remove.is_empty()
    }

    fn keeps(&self, name: &str) -> bool {
        let set = self.set.iter().map(|(n, _)| n).chain(&self.remove);
        !set.into_iter().any(|n| n.eq_ignore_ascii_case(name))
    }

    /// The fields of a request as they are passed on.
    pub fn of_request(&self, fields: &HeaderFields) -> HeaderFields {
        if self.is_empty() {
            return fields.clone();
        }
        let added = |name: &str| self.add.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
        let kept = fields.iter().filter(|(name, _)| self.keeps(name) && !added(name)).cloned();
        let add = self.add.iter().map(|(name, value)| {
            let value = fields.get(name).map_or_else(|| value.to_string(), |own| format!("{own},{value}"));
            (name.clone(), value.into())
        });
        HeaderFields::new(kept.chain(add).chain(self.set.iter().cloned()).collect())
    }

    /// The fields of an answer as they are handed on.
    pub fn of_answer(&self, fields: &HeaderFields) -> HeaderFields {
        if self.is_empty() {
            return fields.clone();
        }
        let kept = fields.iter().filter(|(name, _)| self.keeps(name)).cloned();
        HeaderFields::new(kept.chain(self.add.iter().chain(&self.set).cloned()).collect())
    }
}

/// Who is asked for a backend.
#[derive(Clone, Copy, Debug)]
pub struct Upstream<'a> {
    /// The Service, and the name or the number of its port; `None` for a backend that leads nowhere.
    pub service: Option<(&'a Key, &'a Rc<str>)>,
    /// Who gets the requests, in turn.
    pub endpoints: &'a [SocketAddr],
    /// The host and the port that a Service of type `ExternalName` stands for.
    pub external: Option<(&'a str, u16)>,
    /// Whether the name of that host is completed with the search domains of the proxy's pod, as a program asks for it.
    pub searches: bool,
    /// What the proxy answers if there is nobody to ask, and why there is nobody.
    pub without: (u16, Lack),
}

/// The configuration of a proxy.
pub trait Passes {
    /// Whether it listens on a port: over TLS if `Some(true)`; `None` if it does not.
    fn listens(&self, port: u16) -> Option<bool>;

    /// Where a request belongs, and what is done with it; `None` if the handshake of TLS fails before it is sent.
    fn route(&self, request: &Request<'_>) -> Option<Routed>;

    /// A backend by its name.
    fn upstream(&self, name: &str) -> Option<Upstream<'_>>;

    /// The endpoints that the controller would find now for a port of a Service.
    fn found(&self, service: &Service, slices: &[&EndpointSlice], port: &str) -> Vec<SocketAddr>;
}

/// The host of a header `Host`, without the port.
pub fn name_of(header: &str) -> &str {
    match header.strip_prefix('[').and_then(|h| h.split_once(']')) {
        Some((address, _)) => address,
        None => header.rsplit_once(':').map_or(header, |(host, _)| host),
    }
}
