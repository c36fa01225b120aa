//! What nginx does with a request: the server of its host, the location of its path, and what that says
//! (`rootfs/etc/nginx/template/nginx.tmpl`, `buildLocation` and `buildProxyPass` in `template.go`, `lua_ingress.lua`, `balancer.lua`).

use std::rc::Rc;

use regex::Captures;

use super::backends;
use super::class::Flags;
use super::configuration::{Backend, CATCH_ALL, Configuration, Lack, Location, PathType, ROOT, Server};
use crate::api::types::{EndpointSlice, Service};
use crate::api::{Key, Kind, ObjectRef};
use crate::network::passing::{self, Passed, Passes, Place, Routed, Then, Upstream, Whose, name_of};

/// A request that has come to nginx.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The header `Host`, also with a port.
    pub host: &'a str,
    /// The path with the query.
    pub path: &'a str,
    /// Whether it came over TLS.
    pub tls: bool,
}

impl Configuration {
    /// What nginx does with a request.
    pub fn route(&self, request: &Request<'_>) -> Routed {
        let (path, query) = match request.path.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (request.path, None),
        };
        let host = name_of(request.host).to_ascii_lowercase();
        let Some((host, server)) = self.server(&host) else { return self.missing(CATCH_ALL) };
        // A redirect of the application's root is the server's.
        let root = server.locations.iter().find_map(|l| Some((l, l.options.app_root.as_ref()?)));
        if let (ROOT, Some((location, to))) = (path, root) {
            let scheme = if request.tls { "https" } else { "http" };
            let to = format!("{scheme}://{}{to}", request.host).into();
            return Routed { place: self.place(host, location), then: Then::Redirect { status: 302, to } };
        }
        if let Some(location) = server.without_slash(path) {
            let scheme = if request.tls { "https" } else { "http" };
            let query = query.map(|q| format!("?{q}")).unwrap_or_default();
            let to = format!("{scheme}://{}{path}/{query}", name_of(request.host)).into();
            return Routed { place: self.place(host, location), then: Then::Redirect { status: 301, to } };
        }
        let Some(location) = server.location(path) else { return self.missing(host) };
        let options = &location.options;
        let place = self.place(host, location);
        let then = if let Some((status, to)) = &options.redirect {
            // nginx puts the host before a path (`absolute_redirect`).
            let scheme = if request.tls { "https" } else { "http" };
            let whole = || format!("{scheme}://{}{to}", name_of(request.host)).into();
            Then::Redirect { status: *status, to: if to.starts_with('/') { whole() } else { to.clone() } }
        } else if !request.tls && (options.force_ssl_redirect || (options.ssl_redirect && server.tls)) {
            let kept = request.path.strip_suffix('/').filter(|_| !options.preserve_trailing_slash);
            let kept = kept.unwrap_or(request.path);
            Then::Redirect { status: 308, to: format!("https://{}{kept}", name_of(request.host)).into() }
        } else {
            self.pass(location, request, path, query)
        };
        Routed { place, then }
    }

    fn pass(&self, location: &Location, request: &Request<'_>, path: &str, query: Option<&str>) -> Then {
        let Some(backend) = location.backend.as_ref() else { return Then::Error { status: 404, lack: None } };
        let known = |name: &Rc<str>| self.backends.get(name);
        let has = |b: &&Backend| !b.endpoints.is_empty() || b.external.is_some();
        let Some(own) = known(backend).filter(has) else {
            let lack = known(backend).and_then(|b| b.lack).or(Some(Lack::NoEndpoints));
            return Then::Error { status: 503, lack };
        };
        let canary = own.alternative.as_ref().and_then(|name| Some((name, known(name).filter(has)?)));
        let backends = match canary.and_then(|(name, b)| Some((name, b.canary?))) {
            Some((name, (weight, total))) => {
                let all = [(backend.clone(), total.saturating_sub(weight)), (name.clone(), weight)];
                all.into_iter().filter(|(_, part)| *part > 0).collect()
            }
            _ => vec![(backend.clone(), 1)],
        };
        let options = &location.options;
        let rewritten = options.rewrite_target.as_deref().and_then(|target| {
            let found = location.expression.as_ref()?.captures(path)?;
            Some(rewrite(&found, target, query))
        });
        Then::Pass(Box::new(Passed {
            backends,
            path: rewritten.unwrap_or_else(|| request.path.to_owned()).into(),
            host: options.upstream_vhost.clone().unwrap_or_else(|| request.host.into()),
            request: Default::default(),
            answer: Default::default(),
            tls: options.backend_tls,
            tries: options.tries,
            each_once: false,
            next_on_error: options.next_on_error,
            next_on_timeout: options.next_on_timeout,
            next_on: options.next_on.clone(),
            connect_timeout: options.connect_timeout,
            read_timeout: options.read_timeout,
        }))
    }

    /// The server of a host: its own, one with a wildcard for its first part, or that of all other hosts.
    fn server(&self, host: &str) -> Option<(&str, &Server)> {
        let of = |name: &str| self.servers.get_key_value(name).map(|(host, s)| (&**host, s));
        let word = |text: &str| {
            !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        };
        let wildcard = host.split_once('.').filter(|(first, _)| word(first));
        let wildcard = || wildcard.and_then(|(_, rest)| of(&format!("*.{rest}")));
        of(host).or_else(wildcard).or_else(|| of(CATCH_ALL))
    }

    fn place(&self, host: &str, location: &Location) -> Place {
        let backend = location.backend.as_ref().and_then(|b| self.backends.get(b));
        Place {
            whose: Whose::Ingress,
            host: host.into(),
            rule: location.rule.clone(),
            of: location.ingress.clone().map(ingress),
            service: backend.map(|b| (b.service.clone(), b.port.clone())),
        }
    }

    fn missing(&self, host: &str) -> Routed {
        let place = Place { whose: Whose::Ingress, host: host.into(), rule: None, of: None, service: None };
        Routed { place, then: Then::Error { status: 404, lack: None } }
    }
}

/// The nginx of a pod: its configuration, and the flags of its controller.
#[derive(Clone, Copy, Debug)]
pub struct Nginx<'a> {
    /// What it has been told.
    pub configuration: &'a Configuration,
    /// The flags, which name its ports.
    pub flags: &'a Flags,
}

impl Passes for Nginx<'_> {
    fn listens(&self, port: u16) -> Option<bool> {
        let https = port == self.flags.https_port;
        (https || port == self.flags.http_port).then_some(https)
    }

    fn route(&self, request: &passing::Request<'_>) -> Option<Routed> {
        let passing::Request { host, path, tls, .. } = *request;
        Some(self.configuration.route(&Request { host, path, tls }))
    }

    fn upstream(&self, name: &str) -> Option<Upstream<'_>> {
        let backend = self.configuration.backends.get(name)?;
        Some(Upstream {
            service: Some((&backend.service, &backend.port)),
            endpoints: &backend.endpoints,
            external: backend.external.as_ref().map(|(host, port)| (&**host, *port)),
            searches: false,
            // A host that the Service stands for has no address.
            without: (503, backend.lack.unwrap_or(Lack::NoEndpoints)),
        })
    }

    fn found(&self, service: &Service, slices: &[&EndpointSlice], port: &str) -> Vec<std::net::SocketAddr> {
        let mut all = backends::endpoints(service, slices, port).endpoints;
        all.extend(backends::cluster_endpoint(service, port));
        all
    }
}

fn ingress(key: Key) -> ObjectRef {
    ObjectRef { kind: Kind::INGRESS, key }
}

impl Server {
    /// The location whose path is this one with a slash behind it, if no other one has exactly this path: nginx adds the slash
    /// by a redirect then.
    fn without_slash(&self, path: &str) -> Option<&Location> {
        let exact = |l: &Location| l.path_type == PathType::Exact && *l.path == *path;
        if self.regex || path.ends_with('/') || self.locations.iter().any(exact) {
            return None;
        }
        let slashed =
            |l: &&Location| l.path_type != PathType::Exact && l.path.strip_suffix('/') == Some(path);
        self.locations.iter().find(slashed)
    }

    /// The location of a path: of expressions the first that matches; otherwise the one that is equal, or the longest one that
    /// the path begins with.
    fn location(&self, path: &str) -> Option<&Location> {
        if self.regex {
            let matches = |l: &&Location| l.expression.as_ref().is_some_and(|e| e.is_match(path));
            return self.locations.iter().find(matches);
        }
        let exact = |l: &&Location| l.path_type == PathType::Exact && *l.path == *path;
        let begins = |l: &&Location| l.path_type != PathType::Exact && path.starts_with(&*l.path);
        let prefix = || self.locations.iter().filter(begins).max_by_key(|l| l.path.len());
        self.locations.iter().find(exact).or_else(prefix)
    }
}

/// `rewrite "(?i)PATH" TARGET break`: the whole path becomes the target, since the expression is found in it.
fn rewrite(found: &Captures<'_>, target: &str, query: Option<&str>) -> String {
    let mut out = groups(target, found);
    // A target that ends with a question mark takes the query away.
    if out.ends_with('?') {
        out.pop();
    } else if let Some(query) = query {
        out.push(if out.contains('?') { '&' } else { '?' });
        out.push_str(query);
    }
    if !out.starts_with('/') {
        out.insert(0, '/');
    }
    out
}

/// A target with the groups of an expression in the places of `$1` to `$9`.
fn groups(target: &str, found: &Captures<'_>) -> String {
    let mut out = String::new();
    let mut rest = target.chars().peekable();
    while let Some(c) = rest.next() {
        let digit = rest.peek().and_then(|c| c.to_digit(10)).filter(|d| c == '$' && *d > 0);
        match digit {
            Some(n) => {
                rest.next();
                out.push_str(found.get(n as usize).map_or("", |m| m.as_str()));
            }
            None => out.push(c),
        }
    }
    out
}
