//! From a Gateway with its routes to what nginx is told (`internal/controller/state/dataplane/configuration.go` and `sort.go`,
//! `internal/controller/nginx/config/split_clients.go`).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::backend::{Backend, endpoints};
use super::configuration::{
    Act, Configuration, Expression, Location, Match, Pass, Port, Rule, Server, Upstream,
};
use super::graph::{Gateway, Graph, Known};
use super::hostname::ANY;
use super::listener::Listener;
use super::objects::{Filter, HeaderFilter, NameValue};
use super::proxy_settings::Settings;
use super::route_graph::{Route, Rule as Source};
use crate::api::{Key, Kind, ObjectRef};
use crate::network::passing::{HeaderChange, Lack, PathType};
use crate::network::pattern::compile;

/// The name of the upstream that answers 500 (`invalidBackendRef`).
const INVALID: &str = "invalid-backend-ref";
/// The name of the one for rules without a weight.
const WEIGHTLESS: &str = "invalid-backend-ref-without-weight";

/// How the parts of backends are counted: in hundredths of a per cent.
const WHOLE: u32 = 10_000;

fn path_type(text: Option<&str>) -> PathType {
    match text {
        Some("Exact") => PathType::Exact,
        Some("RegularExpression") => PathType::RegularExpression,
        _ => PathType::Prefix,
    }
}

fn change(filter: Option<&HeaderFilter>) -> HeaderChange {
    let fields = |all: &[NameValue]| {
        all.iter().map(|h| (h.name.as_str().into(), h.value.as_str().into())).collect::<Vec<_>>()
    };
    filter.map_or_else(HeaderChange::default, |f| HeaderChange {
        add: fields(&f.add),
        set: fields(&f.set),
        remove: f.remove.iter().map(|name| name.as_str().into()).collect(),
    })
}

/// The parts of backends: by their weights, rounded down but for the last one, which takes what is left.
fn parts(backends: &[Backend], upstreams: &mut BTreeMap<Rc<str>, Upstream>) -> Vec<(Rc<str>, u32)> {
    let mut name = |backend: Option<&Backend>, lack: Lack| -> Rc<str> {
        let Some(Backend { service: Some((key, port)), .. }) = backend else {
            let name: Rc<str> = match (backend, lack) {
                (Some(b), _) => format!("{INVALID} {}", b.named).into(),
                (None, _) => WEIGHTLESS.into(),
            };
            let invalid = Upstream { service: None, endpoints: Vec::new(), lack: Some(lack) };
            upstreams.entry(name.clone()).or_insert(invalid);
            return name;
        };
        format!("{}_{}_{port}", key.namespace, key.name).into()
    };
    let total: u64 = backends.iter().map(|b| u64::from(b.weight)).sum();
    if total == 0 {
        return vec![(name(None, Lack::NoWeight), WHOLE)];
    }
    let mut left = WHOLE;
    let last = backends.len().saturating_sub(1);
    let mut all: Vec<(Rc<str>, u32)> = Vec::new();
    for (i, backend) in backends.iter().enumerate() {
        let part = u64::from(backend.weight) * u64::from(WHOLE);
        let part = part.checked_div(total).and_then(|p| u32::try_from(p).ok()).unwrap_or(0);
        let part = if i == last { left } else { part.min(left) };
        left -= part;
        let name = name(Some(backend), Lack::NotResolved);
        match all.iter_mut().find(|(n, _)| *n == name) {
            Some((_, whole)) => *whole += part,
            None => all.push((name, part)),
        }
    }
    all.retain(|(_, part)| *part > 0);
    all
}

/// What is done with the requests of a rule (`createHTTPFilters`, `updateLocation`).
fn act(rule: &Source, upstreams: &mut BTreeMap<Rc<str>, Upstream>) -> Act {
    let Some(filters) = &rule.filters else { return Act::BadFilter };
    // Of several filters of a type the first one counts.
    fn first<'f, T>(filters: &'f [Filter], of: impl Fn(&'f Filter) -> Option<&'f T>) -> Option<&'f T> {
        filters.iter().find_map(of)
    }
    if let Some(redirect) = first(filters, |f| f.request_redirect.as_ref()) {
        return Act::Redirect(redirect.clone());
    }
    let rewrite = first(filters, |f| f.url_rewrite.as_ref());
    Act::Pass(Pass {
        backends: parts(&rule.backends, upstreams),
        host: rewrite.and_then(|r| r.hostname.as_deref()).map(Rc::from),
        path: rewrite.and_then(|r| r.path.clone()),
        request: change(first(filters, |f| f.request_header_modifier.as_ref())),
        answer: change(first(filters, |f| f.response_header_modifier.as_ref())),
    })
}

/// The rules of a host, by path and type.
type Paths = BTreeMap<(Rc<str>, PathType), Vec<Rule>>;

/// Puts the rules of a route that has attached to a listener to the hosts for which it has.
fn add_route(
    route: &Route,
    (gateway, listener): (&Key, &Listener),
    hosts: &mut BTreeMap<Rc<str>, Paths>,
    upstreams: &mut BTreeMap<Rc<str>, Upstream>,
) {
    let name = listener.source.name.as_str();
    let of_listener = route.parents.iter().filter(|p| p.gateway == *gateway);
    let accepted = of_listener.filter_map(|p| p.attachment.as_ref()?.hosts.get(name)).next();
    let accepted: &[String] = accepted.map(Vec::as_slice).unwrap_or_default();
    for host in accepted {
        hosts.entry(host.as_str().into()).or_default();
    }
    for rule in route.rules.iter().filter(|r| r.valid_matches) {
        let then = act(rule, upstreams);
        for host in accepted {
            let paths = hosts.entry(host.as_str().into()).or_default();
            for found in &rule.matches {
                let path = found.path.as_ref();
                let text = path.and_then(|p| p.value.as_deref()).filter(|v| !v.is_empty()).unwrap_or("/");
                let type_ = path_type(path.and_then(|p| p.type_.as_deref()));
                paths.entry((text.into(), type_)).or_default().push(Rule {
                    route: ObjectRef { kind: route_kind(), key: route.source.key.clone() },
                    age: (route.source.created, route.source.key.clone()),
                    found: Match::of(found),
                    then: then.clone(),
                });
            }
        }
    }
}

/// The kind of HTTPRoutes, as the definition that is installed names it.
pub fn route_kind() -> Kind {
    super::kinds::kind_of("httproutes", "HTTPRoute", true)
}

/// The locations of a host: longer paths first, of each path the exact one first (`sortPathRules`).
fn locations(paths: Paths) -> Vec<Location> {
    let mut all: Vec<Location> = Vec::new();
    for ((path, path_type), mut rules) in paths {
        // Rules with a method come first, then those with more header fields, with more parameters, of older routes.
        crate::api::order::sort_by(&mut rules, |a, b| {
            let rank = |r: &Rule| {
                let counts = (r.found.headers.len(), r.found.params.len());
                (std::cmp::Reverse((r.found.method.is_some(), counts.0, counts.1)), r.age.clone())
            };
            rank(a).cmp(&rank(b))
        });
        let expression = (path_type == PathType::RegularExpression)
            .then(|| compile(&format!("^{path}"), false).ok().map(Expression))
            .flatten();
        all.push(Location { path, path_type, expression, rules });
    }
    crate::api::order::sort_by(&mut all, |a, b| {
        let key = |l: &Location| (std::cmp::Reverse(l.path.len()), l.path.clone(), l.path_type);
        key(a).cmp(&key(b))
    });
    all
}

impl Configuration {
    /// What the nginx of a Gateway is told.
    pub fn build(gateway: &Gateway, graph: &Graph, known: &Known<'_>) -> Configuration {
        let mut made = Configuration {
            probe: Settings::probe_port(gateway.settings.as_ref()),
            ..Configuration::default()
        };
        let valid: Vec<&Listener> = gateway.listeners.iter().filter(|l| l.valid && l.is_http()).collect();
        let ports: BTreeSet<u16> = valid.iter().map(|l| l.source.port).collect();
        for port in ports {
            let of_port: Vec<&&Listener> = valid.iter().filter(|l| l.source.port == port).collect();
            let tls = of_port.iter().any(|l| l.source.protocol == "HTTPS");
            let mut hosts: BTreeMap<Rc<str>, Paths> = BTreeMap::new();
            for listener in &of_port {
                for (kind, key) in &listener.routes {
                    let is = |r: &&Route| r.kind == *kind && r.source.key == *key && r.valid;
                    if let Some(route) = graph.routes.iter().find(is) {
                        let at = (&gateway.source.key, **listener);
                        add_route(route, at, &mut hosts, &mut made.upstreams);
                    }
                }
                // The handshake of TLS succeeds for the hosts of listeners, also where no route is.
                let host = listener.source.hostname.as_deref().unwrap_or(ANY);
                if tls && (listener.routes.is_empty() || host == ANY) {
                    hosts.entry(host.into()).or_default();
                }
            }
            let servers =
                hosts.into_iter().map(|(host, paths)| (host, Server { locations: locations(paths) }));
            made.ports.insert(port, Port { tls, servers: servers.collect() });
        }
        made.find_endpoints(known);
        made
    }

    /// Looks for the endpoints of the Services that the rules name.
    fn find_endpoints(&mut self, known: &Known<'_>) {
        let servers = self.ports.values().flat_map(|p| p.servers.values());
        let rules = servers.flat_map(|s| &s.locations).flat_map(|l| &l.rules);
        let names: BTreeSet<Rc<str>> = rules
            .filter_map(|r| match &r.then {
                Act::Pass(pass) => Some(pass.backends.iter().map(|(name, _)| name.clone())),
                _ => None,
            })
            .flatten()
            .collect();
        self.upstreams.retain(|name, _| names.contains(name));
        for name in names {
            let mut words = name.split('_');
            let (Some(namespace), Some(service), Some(port)) = (words.next(), words.next(), words.next())
            else {
                continue;
            };
            let key = Key::new(namespace, service);
            let slices = known.slices.get(&key).map(Vec::as_slice).unwrap_or_default();
            let number = port.parse().unwrap_or_default();
            let found = known.services.get(&key).map(|s| endpoints(s, slices, number)).unwrap_or_default();
            let upstream = Upstream {
                service: Some((key, port.into())),
                endpoints: found.into_iter().collect(),
                lack: None,
            };
            self.upstreams.insert(name, upstream);
        }
    }
}
