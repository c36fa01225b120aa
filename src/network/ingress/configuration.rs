//! What nginx is told: servers, their locations, and the backends that these lead to (`pkg/apis/ingress/types.go`).

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::rc::Rc;

use super::annotations::Options;
use super::expression::Expression;
use crate::api::Key;
pub use crate::network::passing::{CATCH_ALL, Lack, PathType};

/// The path of the location that every server has (`rootLocation`).
pub const ROOT: &str = "/";

/// All that nginx is told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuration {
    /// The servers by their host; [`CATCH_ALL`] is always among them.
    pub servers: BTreeMap<Rc<str>, Server>,
    /// The backends by their name (`NAMESPACE-SERVICE-PORT`).
    pub backends: BTreeMap<Rc<str>, Backend>,
    /// The paths of Ingresses that are left out, since their expressions are not simulated.
    pub left_out: BTreeSet<(Key, Rc<str>)>,
}

/// A virtual server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Server {
    /// Whether an Ingress of the host has a section `tls`, so that plain requests may be redirected.
    pub tls: bool,
    /// Whether its locations are regular expressions, since one of them is rewritten or says `use-regex`
    /// (`enforceRegexModifier`).
    pub regex: bool,
    /// The locations in the order of the file.
    pub locations: Vec<Location>,
}

/// A location of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Location {
    /// Its path in the file.
    pub path: Rc<str>,
    /// How it is compared: `Exact` or `Prefix`.
    pub path_type: PathType,
    /// The path as an expression, where the server's locations are some.
    pub expression: Option<Expression>,
    /// The path as the Ingress has it, with its type; `None` for the location `/` that nobody has asked for.
    pub rule: Option<(Rc<str>, PathType)>,
    /// The name of its backend; `None` for the default backend, which answers 404.
    pub backend: Option<Rc<str>>,
    /// The Ingress that it is of.
    pub ingress: Option<Key>,
    /// What the Ingress' annotations say.
    pub options: Rc<Options>,
}

/// Where requests are sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Backend {
    /// The Service.
    pub service: Key,
    /// The number or the name of its port, as the Ingress has it.
    pub port: Rc<str>,
    /// Who gets the requests, in turn.
    pub endpoints: Vec<SocketAddr>,
    /// The host and the port that a Service of type `ExternalName` stands for.
    pub external: Option<(Rc<str>, u16)>,
    /// Why there are no endpoints, if there are none.
    pub lack: Option<Lack>,
    /// How many of how many requests it takes from the backend whose alternative it is (`canary-weight`); `None` if it is no canary.
    pub canary: Option<(u32, u32)>,
    /// The name of the backend that takes part of its requests instead, wherever they come from (the first of
    /// `AlternativeBackends`; `balancer.lua` looks at no other).
    pub alternative: Option<Rc<str>>,
}

impl Configuration {
    /// Whether another configuration differs from this one in more than in its backends, so that nginx has to be reloaded
    /// (`IsDynamicConfigurationEnough`).
    pub fn needs_reload(&self, after: &Configuration) -> bool {
        self.servers != after.servers
    }

    /// The backends that are others than in a configuration before, or are new or gone.
    pub fn changed_backends<'a>(&'a self, after: &'a Configuration) -> Vec<&'a Rc<str>> {
        let names = self.backends.keys().chain(after.backends.keys());
        let mut all: Vec<&Rc<str>> =
            names.filter(|name| self.backends.get(*name) != after.backends.get(*name)).collect();
        crate::api::order::sort(&mut all);
        all.dedup();
        all
    }
}
