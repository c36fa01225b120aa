//! From Ingresses to what nginx is told (`getBackendServers`, `createUpstreams`, `createServers` and `mergeAlternativeBackends` in
//! `internal/ingress/controller/controller.go`; `updateServerLocations` in `location.go`).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::annotations::Options;
use super::backends::{Found, cluster_endpoint, endpoints};
use super::configuration::{Backend, CATCH_ALL, Configuration, Lack, Location, PathType, ROOT, Server};
use super::expression::{Expression, Unusable};
use crate::api::types::networking::{HTTPIngressPath, IngressBackend, IngressRule};
use crate::api::types::{EndpointSlice, Ingress, Service};
use crate::api::{Key, MetaExt};

/// What a controller has heard of besides Ingresses.
#[derive(Clone, Debug, Default)]
pub struct Known<'a> {
    /// The Services.
    pub services: BTreeMap<Key, &'a Service>,
    /// The EndpointSlices of each Service.
    pub slices: BTreeMap<Key, Vec<&'a EndpointSlice>>,
    /// The Service that answers what no rule is for (`--default-backend-service`).
    pub default_backend: Option<Key>,
}

/// The name of the backend of `--default-backend-service` (`defUpstreamName`).
const DEFAULT_BACKEND: &str = "upstream-default-backend";

/// An Ingress with its annotations.
struct Read<'a> {
    ingress: &'a Ingress,
    key: Key,
    options: Rc<Options>,
}

impl<'a> Read<'a> {
    fn rules(&self) -> impl Iterator<Item = &'a IngressRule> {
        self.ingress.spec.iter().flat_map(|s| s.rules.iter().flatten())
    }

    fn default_backend(&self) -> Option<&'a IngressBackend> {
        self.ingress.spec.as_ref()?.default_backend.as_ref().filter(|b| b.service.is_some())
    }

    fn is_canary(&self) -> bool {
        self.options.canary.is_some()
    }
}

fn host_of(rule: &IngressRule) -> &str {
    rule.host.as_deref().filter(|h| !h.is_empty()).unwrap_or(CATCH_ALL)
}

fn paths(rule: &IngressRule) -> impl Iterator<Item = &HTTPIngressPath> {
    rule.http.iter().flat_map(|h| &h.paths)
}

fn path_of(path: &HTTPIngressPath) -> &str {
    path.path.as_deref().filter(|p| !p.is_empty()).unwrap_or(ROOT)
}

/// The Service of a backend, and the name or number of its port.
fn target(namespace: &str, backend: &IngressBackend) -> Option<(Key, Rc<str>)> {
    let service = backend.service.as_ref()?;
    let port = service.port.as_ref();
    let name = port.and_then(|p| p.name.as_deref()).filter(|n| !n.is_empty()).map(Rc::from);
    let port = name.or_else(|| port?.number.map(|n| Rc::from(n.to_string())));
    Some((Key::new(namespace, &service.name), port.unwrap_or_default()))
}

/// The name of a backend (`upstreamName`).
fn name_of(service: &Key, port: &str) -> Rc<str> {
    format!("{}-{}-{port}", service.namespace, service.name).into()
}

/// The Ingresses in the order in which they count: the oldest first, so that it keeps a path that a younger one has, too
/// (`sortIngressSlice`).
fn in_order<'a>(ingresses: &[&'a Ingress]) -> Vec<Read<'a>> {
    let read = |ingress: &&'a Ingress| Read {
        ingress,
        key: ingress.metadata.key(),
        options: Rc::new(Options::read(ingress).0),
    };
    let mut all: Vec<Read<'a>> = ingresses.iter().map(read).collect();
    let created = |r: &Read<'_>| r.ingress.metadata.creation_timestamp.as_ref().map(|t| t.0);
    let name = |r: &Read<'_>| format!("{}/{}", r.key.namespace, r.key.name);
    crate::api::order::sort_by(&mut all, |a, b| {
        created(a).cmp(&created(b)).then_with(|| name(b).cmp(&name(a)))
    });
    all
}

impl Known<'_> {
    fn find(&self, service: &Key, port: &str) -> Found {
        let Some(object) = self.services.get(service) else { return Found::lacking(Lack::NoService) };
        endpoints(object, self.slices.get(service).map(Vec::as_slice).unwrap_or_default(), port)
    }

    /// The endpoints of a Service's first port, if it has any.
    fn first_port(&self, service: &Key) -> Option<(Rc<str>, Found)> {
        let spec = self.services.get(service)?.spec.as_ref()?;
        let port: Rc<str> = spec.ports.iter().flatten().next()?.port.to_string().into();
        let found = self.find(service, &port);
        (found.lack.is_none()).then_some((port, found))
    }
}

impl Configuration {
    /// What nginx is told for the Ingresses of a controller.
    ///
    /// # Errors
    /// nginx refuses it: the path of a location is no regular expression, though one is asked for. Then it goes on with what
    /// it had.
    pub fn build(ingresses: &[&Ingress], known: &Known<'_>) -> Result<Configuration, String> {
        let all = in_order(ingresses);
        let mut made = Configuration::default();
        all.iter().for_each(|r| made.add_backends(r, known));
        let root = Location {
            path: ROOT.into(),
            path_type: PathType::Prefix,
            rule: None,
            backend: None,
            ingress: None,
            options: Rc::default(),
            expression: None,
        };
        let mut first = Location { backend: None, ..root.clone() };
        if let Some((port, found)) = known.default_backend.as_ref().and_then(|s| known.first_port(s))
            && let Some(service) = &known.default_backend
        {
            let name: Rc<str> = DEFAULT_BACKEND.into();
            made.backends.insert(name.clone(), found.backend(service.clone(), port));
            first.backend = Some(name);
        }
        made.servers.insert(CATCH_ALL.into(), Server { tls: false, regex: false, locations: vec![first] });
        all.iter().filter(|r| !r.is_canary()).for_each(|r| made.add_servers(r, &root));
        all.iter().filter(|r| !r.is_canary()).for_each(|r| made.add_locations(r));
        // Without an ordinary Ingress there is nothing to take requests from.
        if all.iter().any(|r| !r.is_canary()) {
            all.iter().filter(|r| r.is_canary()).for_each(|r| made.merge_canary(r));
        }
        made.use_default_backends(&all, known);
        made.servers.values_mut().for_each(Server::finish);
        made.check()?;
        Ok(made)
    }

    /// The backends of an Ingress. One that another Ingress has, too, is that of the older one.
    fn add_backends(&mut self, r: &Read<'_>, known: &Known<'_>) {
        let own = r.default_backend().into_iter().map(|b| (b, true));
        let backends = own.chain(r.rules().flat_map(paths).map(|p| (&p.backend, false)));
        for (backend, is_default) in backends {
            let Some((service, port)) = target(&r.key.namespace, backend) else { continue };
            let name = name_of(&service, &port);
            // That of a default backend is made anew (`createUpstreams`).
            if self.backends.contains_key(&name) && !is_default {
                continue;
            }
            let cluster = known.services.get(&service).filter(|_| r.options.service_upstream);
            let found = match cluster.and_then(|s| cluster_endpoint(s, &port)) {
                Some(endpoint) => Found { endpoints: vec![endpoint], ..Found::default() },
                None => known.find(&service, &port),
            };
            let canary = r.options.canary;
            self.backends.insert(name, Backend { canary, ..found.backend(service, port) });
        }
    }

    /// The servers of an Ingress' hosts, each with the location `/`.
    fn add_servers(&mut self, r: &Read<'_>, root: &Location) {
        let default = r.default_backend().and_then(|b| target(&r.key.namespace, b));
        let default = default.map(|(service, port)| name_of(&service, &port));
        // An Ingress with a backend and no rules is for all that no rule is for.
        if default.is_some()
            && r.rules().next().is_none()
            && let Some(server) = self.servers.get_mut(CATCH_ALL)
            && let Some(first) = server.locations.first_mut().filter(|l| l.ingress.is_none())
        {
            first.backend.clone_from(&default);
            first.ingress = Some(r.key.clone());
            // Its redirects and rewrites do not count there.
            let plain = Options::default();
            first.options = Rc::new(Options {
                rewrite_target: plain.rewrite_target,
                use_regex: plain.use_regex,
                app_root: plain.app_root,
                redirect: plain.redirect,
                ..(*r.options).clone()
            });
        }
        let tls = r.ingress.spec.as_ref().is_some_and(|s| s.tls.as_ref().is_some_and(|t| !t.is_empty()));
        for rule in r.rules() {
            let host = host_of(rule);
            let server = self.servers.entry(host.into()).or_insert_with(|| Server {
                tls: false,
                regex: false,
                locations: vec![Location {
                    backend: default.clone(),
                    ingress: Some(r.key.clone()),
                    options: r.options.clone(),
                    ..root.clone()
                }],
            });
            server.tls |= tls && host != CATCH_ALL;
        }
    }

    fn add_locations(&mut self, r: &Read<'_>) {
        for rule in r.rules() {
            let host = host_of(rule);
            let Some(server) = self.servers.get_mut(host) else { continue };
            for path in paths(rule) {
                let Some((service, port)) = target(&r.key.namespace, &path.backend) else { continue };
                let name = name_of(&service, &port);
                // What a canary has is nobody else's.
                if self.backends.get(&name).is_some_and(|b| b.canary.is_some()) {
                    continue;
                }
                let (text, written) = (path_of(path), PathType::of(&path.path_type));
                let path_type = written.compared();
                let location = Location {
                    path: text.into(),
                    path_type,
                    rule: Some((text.into(), written)),
                    backend: Some(name),
                    ingress: Some(r.key.clone()),
                    options: r.options.clone(),
                    expression: None,
                };
                // Only the first location of a path is looked at, which is the older one's.
                let same = server.locations.iter_mut().find(|l| *l.path == *text);
                match same {
                    Some(known) if known.path_type == path_type => {
                        // An Ingress without rules that is for all other hosts keeps them.
                        let taken = host == CATCH_ALL && known.ingress.is_some();
                        if known.rule.is_none() && !taken {
                            *known = location;
                        }
                    }
                    _ => server.locations.push(location),
                }
            }
        }
    }

    /// Lets the backends of a canary take their part of the requests of other backends: that of a path from those of the same
    /// path, and its default backend from all of the server for all other hosts (`mergeAlternativeBackends`).
    fn merge_canary(&mut self, r: &Read<'_>) {
        let Configuration { servers, backends, .. } = self;
        if let Some((service, port)) = r.default_backend().and_then(|b| target(&r.key.namespace, b))
            && let Some(server) = servers.get(CATCH_ALL)
        {
            merge(backends, server, &name_of(&service, &port), |_| true);
        }
        for rule in r.rules() {
            let Some(server) = servers.get(host_of(rule)) else { continue };
            for path in paths(rule) {
                let Some((service, port)) = target(&r.key.namespace, &path.backend) else { continue };
                let path_type = PathType::of(&path.path_type).compared();
                let same = |l: &Location| *l.path == *path_of(path) && l.path_type == path_type;
                merge(backends, server, &name_of(&service, &port), same);
            }
        }
    }

    /// Replaces backends without endpoints by the Service of `default-backend`, if that has some.
    fn use_default_backends(&mut self, all: &[Read<'_>], known: &Known<'_>) {
        let named = all.iter().filter_map(|r| Some((&r.key, r.options.default_backend.as_deref()?)));
        let named: BTreeMap<&Key, &str> = named.collect();
        if named.is_empty() {
            return;
        }
        let Configuration { servers, backends, .. } = self;
        for location in servers.values_mut().flat_map(|s| &mut s.locations) {
            let lacks = location.backend.as_ref().and_then(|b| backends.get(b)?.lack).is_some();
            let service = location
                .ingress
                .as_ref()
                .filter(|_| lacks)
                .and_then(|ingress| Some(Key::new(&ingress.namespace, named.get(ingress)?)));
            let Some(service) = service else { continue };
            let Some((port, found)) = known.first_port(&service) else { continue };
            let name: Rc<str> =
                format!("custom-default-backend-{}-{}", service.namespace, service.name).into();
            // It is a copy of the other one with endpoints of its own, so it has the same alternative.
            let alternative = location.backend.as_ref().and_then(|b| backends.get(b)?.alternative.clone());
            backends.insert(name.clone(), Backend { alternative, ..found.backend(service, port) });
            location.backend = Some(name);
        }
    }

    /// What `nginx -t` finds; and locations whose expressions are not simulated are left out.
    fn check(&mut self) -> Result<(), String> {
        let Configuration { servers, left_out, .. } = self;
        for (host, server) in servers.iter_mut().filter(|(_, s)| s.regex) {
            let mut all = Vec::new();
            for mut location in std::mem::take(&mut server.locations) {
                let path = &location.path;
                match Expression::new(path, location.options.rewrites(path)) {
                    Ok(expression) => {
                        location.expression = Some(expression);
                        all.push(location);
                    }
                    Err(Unusable::NotSimulated) => {
                        let rule = location.rule.map_or(location.path, |(path, _)| path);
                        left_out.extend(location.ingress.map(|ingress| (ingress, rule)));
                    }
                    Err(Unusable::Invalid(why)) => {
                        return Err(format!(
                            "the path {path:?} of the host {host:?} is no regular expression: {why}"
                        ));
                    }
                }
            }
            server.locations = all;
        }
        Ok(())
    }
}

/// Makes a canary's backend the alternative of the backends of those locations of a server that are meant. One that is nobody's is
/// deleted.
fn merge(
    backends: &mut BTreeMap<Rc<str>, Backend>,
    server: &Server,
    name: &Rc<str>,
    meant: impl Fn(&Location) -> bool,
) {
    if !backends.contains_key(name) {
        return;
    }
    let (mut merged, mut itself) = (false, false);
    for location in &server.locations {
        let primary = location.backend.as_ref().filter(|b| backends.contains_key(*b));
        let Some(primary) = primary.filter(|b| &***b != DEFAULT_BACKEND) else { continue };
        itself = primary == name;
        if itself {
            break;
        }
        // A canary has no canary of its own.
        if meant(location)
            && let Some(backend) = backends.get_mut(primary).filter(|b| b.canary.is_none())
        {
            backend.alternative.get_or_insert_with(|| name.clone());
            merged = true;
        }
    }
    if !merged && !itself {
        backends.remove(name);
    }
}

impl Server {
    /// Puts the locations in order, and gives those of type `Prefix` their second one, for the path without a slash at its end.
    fn finish(&mut self) {
        crate::api::order::sort_by(&mut self.locations, |a, b| {
            b.path.len().cmp(&a.path.len()).then_with(|| b.path.cmp(&a.path))
        });
        let exact: Vec<Rc<str>> = self
            .locations
            .iter()
            .filter(|l| l.path_type == PathType::Exact)
            .map(|l| l.path.clone())
            .collect();
        let mut all = Vec::new();
        for location in std::mem::take(&mut self.locations) {
            let plain = location.options.rewrites(&location.path) || location.options.use_regex;
            if &*location.path == ROOT || location.path_type != PathType::Prefix || plain {
                all.push(location);
                continue;
            }
            let slashed: Rc<str> = if location.path.ends_with('/') {
                location.path.clone()
            } else {
                format!("{}/", location.path).into()
            };
            all.push(Location { path: slashed, ..location.clone() });
            if !exact.contains(&location.path) {
                all.push(Location { path_type: PathType::Exact, ..location });
            }
        }
        self.regex = all.iter().any(|l| l.options.rewrites(&l.path) || l.options.use_regex);
        self.locations = all;
    }
}
