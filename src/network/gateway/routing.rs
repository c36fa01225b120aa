//! What the nginx of a Gateway does with a request (`internal/controller/nginx/config/servers.go`, `internal/controller/nginx/modules/src/httpmatches.js`,
//! and nginx' own choice of servers and locations).

use std::net::SocketAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use super::backend;
use super::configuration::{Act, Configuration, Location, Match, Pass, Rule, Server, Wanted};
use super::hostname::ANY;
use super::objects::{PathChange, Redirect};
use crate::api::types::{EndpointSlice, Service};
use crate::network::passing::{
    CATCH_ALL, Lack, Passed, Passes, PathType, Place, Request, Routed, Then, Upstream, Whose, name_of,
};

/// How long nginx waits for a connection and for an answer (`proxy_connect_timeout`, `proxy_read_timeout`).
const TIMEOUT: SignedDuration = SignedDuration::from_secs(60);

/// Whether a value is found: the whole of it, or by an expression anywhere in it.
fn is_found(wanted: &Wanted, values: &[&str]) -> bool {
    if !wanted.of.is_expression() {
        return values.contains(&wanted.of.value.as_str());
    }
    wanted.expression.as_ref().is_some_and(|e| values.iter().any(|v| e.0.is_match(v)))
}

/// A part of a query, with `%XX` and `+` read (`querystring` of njs).
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.split_at_checked(2).filter(|_| *first == b'%');
        let value = digits.and_then(|(digits, behind)| {
            let digits = std::str::from_utf8(digits).ok()?;
            Some((u8::from_str_radix(digits, 16).ok()?, behind))
        });
        let (byte, next) = value.unwrap_or((if *first == b'+' { b' ' } else { *first }, behind));
        bytes.push(byte);
        rest = next;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Match {
    fn is_met(&self, request: &Request<'_>, query: &str) -> bool {
        if self.method.as_deref().is_some_and(|m| m != request.method) {
            return false;
        }
        let header = |wanted: &Wanted| {
            let value = request.headers.get(&wanted.of.name).filter(|v| !v.is_empty());
            value.is_some_and(|v| is_found(wanted, &v.split(',').collect::<Vec<_>>()))
        };
        let parameter = |wanted: &Wanted| {
            let mut all = query.split('&').filter_map(|p| p.split_once('='));
            // The first of several counts, and an empty one is none.
            let value = all.find(|(name, _)| decoded(name) == wanted.of.name).map(|(_, v)| decoded(v));
            value.is_some_and(|v| !v.is_empty() && is_found(wanted, &[&v]))
        };
        self.headers.iter().all(header) && self.params.iter().all(parameter)
    }
}

/// Whether a path is within that of a location, whose last element may be the whole path.
fn is_within(location: &str, path: &str) -> bool {
    path.strip_prefix(location)
        .is_some_and(|rest| location.ends_with('/') || rest.is_empty() || rest.starts_with('/'))
}

impl Server {
    fn of(&self, type_: PathType) -> impl Iterator<Item = &Location> {
        self.locations.iter().filter(move |l| l.path_type == type_)
    }

    /// The location of exactly a path. A prefix without a slash at its end is one, too, unless another one has the path.
    fn exactly(&self, path: &str) -> Option<&Location> {
        let exact = self.of(PathType::Exact).find(|l| *l.path == *path);
        exact.or_else(|| self.of(PathType::Prefix).find(|l| *l.path == *path && !l.path.ends_with('/')))
    }

    /// The location of a path that none has exactly: the first expression that it begins with, or the longest prefix.
    fn around(&self, path: &str) -> Option<&Location> {
        let found = |l: &&Location| l.expression.as_ref().is_some_and(|e| e.0.is_match(path));
        let expression = self.of(PathType::RegularExpression).find(found);
        // `/a` and `/a/` are one location, for which the rules of the second count.
        let prefix = || {
            let within = self.of(PathType::Prefix).filter(|l| is_within(&l.path, path));
            within.max_by_key(|l| (l.path.trim_end_matches('/').len(), l.path.len()))
        };
        expression.or_else(prefix)
    }

    /// The location whose path is this one with a slash behind it: nginx adds the slash by a redirect, if the location passes requests
    /// on without looking at anything else (`auto_redirect`).
    fn without_slash(&self, path: &str) -> Option<&Location> {
        let plain = |l: &&Location| {
            let passes =
                matches!(l.rules.as_slice(), [r] if r.found.is_any() && matches!(r.then, Act::Pass(_)));
            passes && !path.is_empty() && l.path.strip_suffix('/') == Some(path)
        };
        self.of(PathType::Prefix).find(plain)
    }
}

/// A path after a change. The prefix is that of the location (`createMainRewriteForFilters`).
fn changed(change: &PathChange, location: &Location, path: &str) -> String {
    if change.type_ == "ReplaceFullPath" {
        return change.text().to_owned();
    }
    let prefix = &*location.path;
    let into = Some(change.text()).filter(|t| !t.is_empty()).unwrap_or("/");
    let rest = path.strip_prefix(prefix).unwrap_or_default();
    if into.ends_with('/') && !prefix.ends_with('/') {
        return format!("{into}{}", rest.strip_prefix('/').unwrap_or(rest));
    }
    let slash = if prefix.ends_with('/') && !into.ends_with('/') { "/" } else { "" };
    format!("{into}{slash}{rest}")
}

fn with_query(path: String, query: &str) -> String {
    if query.is_empty() { path } else { format!("{path}?{query}") }
}

/// Where a redirect leads to (`createReturnAndRewriteConfigForRedirectFilter`).
fn redirected(
    redirect: &Redirect,
    location: &Location,
    request: &Request<'_>,
    path: &str,
    query: &str,
) -> Then {
    let own = name_of(request.host).to_ascii_lowercase();
    let host = redirect.hostname.as_deref().unwrap_or(&own);
    let port = redirect.port.unwrap_or(request.port);
    let plain = match redirect.scheme.as_deref() {
        // Without a scheme the port is always written.
        None => false,
        Some(scheme) => {
            redirect.port.is_none() || (port == 80 && scheme == "http") || (port == 443 && scheme == "https")
        }
    };
    let authority = if plain { host.to_owned() } else { format!("{host}:{port}") };
    let scheme = redirect.scheme.as_deref().unwrap_or(if request.tls { "https" } else { "http" });
    let target = match &redirect.path {
        Some(change) => with_query(changed(change, location, path), query),
        None => request.path.to_owned(),
    };
    let status = redirect.status_code.unwrap_or(302);
    Then::Redirect { status, to: format!("{scheme}://{authority}{target}").into() }
}

impl Configuration {
    fn place(&self, host: &str, found: Option<(&Location, &Rule)>) -> Place {
        let shown = if host == ANY { CATCH_ALL } else { host };
        Place {
            whose: Whose::Gateway,
            host: shown.into(),
            rule: found.map(|(location, _)| (location.path.clone(), location.path_type)),
            of: found.map(|(_, rule)| rule.route.clone()),
            service: None,
        }
    }

    fn pass(
        &self,
        pass: &Pass,
        location: &Location,
        request: &Request<'_>,
        path: &str,
        query: &str,
    ) -> Passed {
        let path = match &pass.path {
            Some(change) => with_query(changed(change, location, path), query),
            None => request.path.to_owned(),
        };
        Passed {
            backends: pass.backends.clone(),
            path: path.into(),
            host: pass.host.clone().unwrap_or_else(|| request.host.into()),
            request: pass.request.clone(),
            answer: pass.answer.clone(),
            tls: false,
            tries: 0,
            each_once: true,
            next_on_error: true,
            next_on_timeout: true,
            next_on: Rc::from([]),
            connect_timeout: TIMEOUT,
            read_timeout: TIMEOUT,
        }
    }
}

impl Passes for Configuration {
    fn listens(&self, port: u16) -> Option<bool> {
        self.ports.get(&port).map(|p| p.tls)
    }

    fn route(&self, request: &Request<'_>) -> Option<Routed> {
        let port = self.ports.get(&request.port)?;
        let (path, query) = request.path.split_once('?').unwrap_or((request.path, ""));
        let host = name_of(request.host).to_ascii_lowercase();
        let of = |name: &str| port.servers.get_key_value(name).map(|(name, server)| (&**name, server));
        // A wildcard stands for any number of names; the longest one counts.
        let wildcards = host.match_indices('.').map(|(at, _)| host.get(at..).unwrap_or_default());
        let wildcard = || wildcards.clone().find_map(|rest| of(&format!("*{rest}")));
        let Some((name, server)) = of(&host).or_else(wildcard).or_else(|| of(ANY)) else {
            let place = self.place(CATCH_ALL, None);
            // Without a server for the name TLS does not come about; otherwise the one for all other names answers.
            return (!port.tls).then_some(Routed { place, then: Then::Error { status: 404, lack: None } });
        };
        let error = |place: Place, status, lack| Some(Routed { place, then: Then::Error { status, lack } });
        let exactly = server.exactly(path);
        if let Some(location) = server.without_slash(path).filter(|_| exactly.is_none()) {
            let scheme = if request.tls { "https" } else { "http" };
            let usual = request.port == if request.tls { 443 } else { 80 };
            let port = if usual { String::new() } else { format!(":{}", request.port) };
            let to = with_query(format!("{scheme}://{host}{port}{path}/"), query).into();
            let place = self.place(name, location.rules.first().map(|rule| (location, rule)));
            return Some(Routed { place, then: Then::Redirect { status: 301, to } });
        }
        let Some(location) = exactly.or_else(|| server.around(path)) else {
            return error(self.place(name, None), 404, None);
        };
        let Some(rule) = location.rules.iter().find(|r| r.found.is_met(request, query)) else {
            return error(self.place(name, None), 404, None);
        };
        let place = self.place(name, Some((location, rule)));
        match &rule.then {
            Act::BadFilter => error(place, 500, Some(Lack::BadFilter)),
            Act::Redirect(redirect) => {
                let then = redirected(redirect, location, request, path, query);
                Some(Routed { place, then })
            }
            Act::Pass(pass) => {
                let then = Then::Pass(Box::new(self.pass(pass, location, request, path, query)));
                Some(Routed { place, then })
            }
        }
    }

    fn upstream(&self, name: &str) -> Option<Upstream<'_>> {
        let upstream = self.upstreams.get(name)?;
        let without = match upstream.lack {
            Some(lack) => (500, lack),
            None => (503, Lack::NoEndpoints),
        };
        let service = upstream.service.as_ref().map(|(key, port)| (key, port));
        Some(Upstream { service, endpoints: &upstream.endpoints, external: None, searches: false, without })
    }

    fn found(&self, service: &Service, slices: &[&EndpointSlice], port: &str) -> Vec<SocketAddr> {
        backend::endpoints(service, slices, port.parse().unwrap_or_default()).into_iter().collect()
    }
}
