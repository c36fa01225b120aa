//! What the nginx of a Gateway is told (`internal/controller/state/dataplane`, `internal/controller/nginx/config`): servers by port and
//! host, their locations, and the rules of each.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::SocketAddr;
use std::rc::Rc;

use regex::Regex;

use super::objects::{HttpMatch, PathChange, Redirect, ValueMatch};
use crate::api::{Key, ObjectRef, Timestamp};
use crate::network::passing::{HeaderChange, Lack, PathType};
use crate::network::pattern::compile;

/// All that nginx is told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuration {
    /// The ports of valid listeners.
    pub ports: BTreeMap<u16, Port>,
    /// Who gets the requests for a port of a Service, by its name (`NAMESPACE_SERVICE_PORT`).
    pub upstreams: BTreeMap<Rc<str>, Upstream>,
    /// The port of the readiness probe.
    pub probe: u16,
}

/// A port on which nginx listens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Port {
    /// Whether it speaks TLS there.
    pub tls: bool,
    /// The servers by their host.
    pub servers: BTreeMap<Rc<str>, Server>,
}

/// A virtual server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Server {
    /// Its locations, in the order of the file.
    pub locations: Vec<Location>,
}

/// A path of a server, with the rules for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Location {
    /// The path.
    pub path: Rc<str>,
    /// How it is compared.
    pub path_type: PathType,
    /// The path as an expression, if it is one.
    pub expression: Option<Expression>,
    /// The rules, the one that counts most first.
    pub rules: Vec<Rule>,
}

/// An expression, equal to others of the same text.
#[derive(Clone, Debug)]
pub struct Expression(pub Regex);

impl PartialEq for Expression {
    fn eq(&self, other: &Expression) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

/// A rule of a route, with one of its matches.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The route.
    pub route: ObjectRef,
    /// When the route was created, and its name: of two routes the one that comes first counts.
    pub age: (Option<Timestamp>, Key),
    /// Which requests it is for, beside the path.
    pub found: Match,
    /// What is done with them.
    pub then: Act,
}

/// Which requests a rule is for, beside the path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Match {
    /// The method.
    pub method: Option<Rc<str>>,
    /// Header fields.
    pub headers: Vec<Wanted>,
    /// Parameters of the query.
    pub params: Vec<Wanted>,
}

/// A value that a request has to have.
#[derive(Clone, PartialEq)]
pub struct Wanted {
    /// What the route says.
    pub of: ValueMatch,
    /// The value as an expression, if it is one.
    pub expression: Option<Expression>,
}

impl Wanted {
    fn new(of: &ValueMatch) -> Wanted {
        let compiled = of.is_expression().then(|| compile(&of.value, false).ok()).flatten();
        Wanted { of: of.clone(), expression: compiled.map(Expression) }
    }
}

impl fmt::Debug for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.of.fmt(f)
    }
}

impl Match {
    /// What a match of a route says beside the path.
    pub fn of(found: &HttpMatch) -> Match {
        Match {
            method: found.method.as_deref().map(Rc::from),
            headers: found.headers.iter().map(Wanted::new).collect(),
            params: found.query_params.iter().map(Wanted::new).collect(),
        }
    }

    /// Whether the path alone decides.
    pub fn is_any(&self) -> bool {
        self.method.is_none() && self.headers.is_empty() && self.params.is_empty()
    }
}

/// What is done with a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// A filter cannot be used: nginx answers 500.
    BadFilter,
    /// The client is sent elsewhere.
    Redirect(Redirect),
    /// It is passed on.
    Pass(Pass),
}

/// How a request is passed on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pass {
    /// The backends by their name, each with its part in hundredths of a per cent.
    pub backends: Vec<(Rc<str>, u32)>,
    /// Another header `Host`.
    pub host: Option<Rc<str>>,
    /// Another path.
    pub path: Option<PathChange>,
    /// What becomes of the header fields of the request.
    pub request: HeaderChange,
    /// What becomes of those of the answer.
    pub answer: HeaderChange,
}

/// Where requests are sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Upstream {
    /// The Service and its port; `None` for a backend that cannot be used.
    pub service: Option<(Key, Rc<str>)>,
    /// Who gets the requests.
    pub endpoints: Vec<SocketAddr>,
    /// Why a backend cannot be used.
    pub lack: Option<Lack>,
}

impl Configuration {
    /// The ports that nginx opens.
    pub fn open_ports(&self) -> BTreeSet<u16> {
        self.ports.keys().copied().chain([self.probe]).collect()
    }

    /// How many rules it has.
    pub fn rules(&self) -> usize {
        let servers = self.ports.values().flat_map(|p| p.servers.values());
        servers.flat_map(|s| &s.locations).map(|l| l.rules.len()).sum()
    }

    /// The upstreams whose endpoints are others than in a configuration before, if nothing else is.
    pub fn moved_endpoints<'a>(&'a self, before: &Configuration) -> Option<Vec<&'a Upstream>> {
        let same = self.ports == before.ports
            && self.probe == before.probe
            && self.upstreams.keys().eq(before.upstreams.keys());
        let moved = self.upstreams.iter().filter(|(name, u)| before.upstreams.get(*name) != Some(u));
        same.then(|| moved.map(|(_, u)| u).collect())
    }
}
