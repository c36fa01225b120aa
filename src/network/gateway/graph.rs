//! All that a controller makes of the objects that it has heard of: which of them are its own, what is wrong with them, and how they
//! hang together (`internal/controller/state/graph/graph.go`, `gateway.go`, `gatewayclass.go`).

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;

use super::backend;
use super::bind;
use super::condition::{ACCEPTED, Condition, PROGRAMMED, RESOLVED_REFS, refused};
use super::field::{capitalised, not_found, not_supported, required};
use super::grants::Grants;
use super::listener::{self, Listener};
use super::names::name_of_resources;
use super::objects::{GatewayClassSpec, GatewaySpec, GrantSpec, ParametersRef, RouteSpec, Source};
use super::proxy_settings::Settings;
use super::route_graph::Route;
use crate::api::Key;
use crate::api::types::{EndpointSlice, Namespace, Secret, Service};

/// What a controller has heard of.
#[derive(Clone, Debug, Default)]
pub struct Known<'a> {
    /// The GatewayClasses.
    pub classes: Vec<Source<GatewayClassSpec>>,
    /// The Gateways.
    pub gateways: Vec<Source<GatewaySpec>>,
    /// The routes, each with its kind.
    pub routes: Vec<(&'static str, Source<RouteSpec>)>,
    /// The ReferenceGrants.
    pub grants: Vec<Source<GrantSpec>>,
    /// The NginxProxies.
    pub proxies: BTreeMap<Key, Source<Value>>,
    /// The Services.
    pub services: BTreeMap<Key, &'a Service>,
    /// The EndpointSlices of each Service.
    pub slices: BTreeMap<Key, Vec<&'a EndpointSlice>>,
    /// The Secrets.
    pub secrets: BTreeMap<Key, &'a Secret>,
    /// The Namespaces.
    pub namespaces: BTreeMap<Rc<str>, &'a Namespace>,
    /// The versions of the definitions of the Gateway API that are installed.
    pub versions: Vec<String>,
}

/// The class of a controller.
#[derive(Clone, Debug)]
pub struct Class {
    /// The object.
    pub source: Source<GatewayClassSpec>,
    /// What its status says beside what it says by default.
    pub conditions: Vec<Condition>,
    /// Whether Gateways of it are served.
    pub valid: bool,
}

/// A Gateway of the controller's class.
#[derive(Clone, Debug)]
pub struct Gateway {
    /// The object.
    pub source: Source<GatewaySpec>,
    /// What its status says beside what it says by default.
    pub conditions: Vec<Condition>,
    /// Whether it can be served.
    pub valid: bool,
    /// Its listeners; none if it is not valid.
    pub listeners: Vec<Listener>,
    /// What is said of its nginx.
    pub settings: Option<Settings>,
    /// The name of the objects that are made for it.
    pub resources: Rc<str>,
}

/// What a controller has found out.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Its class, if it is there.
    pub class: Option<Class>,
    /// Classes that name the controller, too, and are not the one that it is started with.
    pub ignored: Vec<Source<GatewayClassSpec>>,
    /// The Gateways of the class.
    pub gateways: Vec<Gateway>,
    /// The routes that name one of them.
    pub routes: Vec<Route>,
}

/// The version of the Gateway API for which the controller is made.
const MAJOR: &str = "1";
const MINOR: &str = "5";
/// The version, in full.
pub const VERSION: &str = "v1.5.1";

/// What a class says of the versions of the definitions, and whether they will do (`validateCRDVersions`).
fn versions(installed: &[String]) -> (Vec<Condition>, bool) {
    let part = |version: &str, n: usize| {
        let parts = version.trim_start_matches('v').split('.');
        parts.clone().nth(2).and(parts.clone().nth(n)).unwrap_or_default().to_owned()
    };
    let reason = "UnsupportedVersion";
    if installed.iter().any(|v| part(v, 0) != MAJOR) {
        let message =
            format!("The Gateway API CRD versions are not supported. Please install version {VERSION}");
        let all = [ACCEPTED, "SupportedVersion"].map(|t| Condition::no(t, reason, message.clone()));
        return (all.to_vec(), false);
    }
    if installed.iter().any(|v| part(v, 1) != MINOR) {
        let message =
            format!("The Gateway API CRD versions are not recommended. Recommended version is {VERSION}");
        return (vec![Condition::no("SupportedVersion", reason, message)], true);
    }
    (Vec::new(), true)
}

fn ignored_parameters(of: &str, why: &str) -> Condition {
    let message = format!("The {of} is accepted, but ParametersRef is ignored due to an error: {why}");
    Condition::yes(ACCEPTED, "InvalidParameters", message)
}

/// What a class says of its parameters (`validateGatewayClass`).
fn class_parameters(reference: &ParametersRef, known: &Known<'_>) -> Vec<Condition> {
    let at = "spec.parametersRef";
    let mut wrong = Vec::new();
    if reference.kind != "NginxProxy" {
        wrong.push(not_supported(&format!("{at}.kind"), &reference.kind, &["NginxProxy"]));
    }
    if reference.namespace.is_none() {
        wrong.push(required(&format!("{at}.namespace"), "ParametersRef must specify Namespace"));
    }
    if !wrong.is_empty() {
        let message = capitalised(&super::field::aggregate(&wrong));
        let refs = Condition::no(RESOLVED_REFS, "ParametersRefInvalid", message.clone());
        return vec![refs, ignored_parameters("GatewayClass", &message)];
    }
    if known.proxies.contains_key(&proxy_key(reference, "")) {
        let message = "The ParametersRef resource is resolved";
        return vec![Condition::yes(RESOLVED_REFS, "ResolvedRefs", message)];
    }
    let missing = not_found(&format!("{at}.name"), &reference.name);
    let message = "The ParametersRef resource could not be found";
    let refs = Condition::no(RESOLVED_REFS, "ParametersRefNotFound", message);
    vec![refs, ignored_parameters("GatewayClass", &missing)]
}

fn proxy_key(reference: &ParametersRef, namespace: &str) -> Key {
    Key::new(reference.namespace.as_deref().unwrap_or(namespace), &reference.name)
}

impl Class {
    fn new(source: &Source<GatewayClassSpec>, known: &Known<'_>) -> Class {
        let (mut conditions, valid) = versions(&known.versions);
        let parameters = source.spec.parameters_ref.iter();
        conditions.extend(parameters.flat_map(|reference| class_parameters(reference, known)));
        Class { source: source.clone(), conditions, valid }
    }
}

impl Gateway {
    fn new(source: &Source<GatewaySpec>, class: Option<&Class>, known: &Known<'_>) -> Gateway {
        let mut conditions = match class {
            None => refused("Invalid", "The GatewayClass doesn't exist"),
            Some(class) if !class.valid => refused("Invalid", "The GatewayClass is invalid"),
            Some(_) => Vec::new(),
        };
        for address in &source.spec.addresses {
            let why = match address.type_.as_deref() {
                None => "The AddressType must be specified",
                Some("IPAddress") => continue,
                Some(_) => "Only AddressType IPAddress is supported",
            };
            conditions.push(Condition::no(ACCEPTED, "UnsupportedAddress", why));
        }
        let valid = conditions.is_empty();
        let reference = source.spec.infrastructure.as_ref().and_then(|i| i.parameters_ref.as_ref());
        let own = reference.map(|reference| {
            let at = "spec.infrastructure.parametersRef";
            let key = Key::new(&source.key.namespace, &reference.name);
            let found = known.proxies.get(&key);
            let wrong = if reference.kind != "NginxProxy" {
                Some(not_supported(&format!("{at}.kind"), &reference.kind, &["NginxProxy"]))
            } else {
                found.is_none().then(|| not_found(&format!("{at}.name"), &reference.name))
            };
            (found.filter(|_| wrong.is_none()), wrong.map(|w| capitalised(&w)))
        });
        if let Some((_, wrong)) = &own {
            conditions.extend(wrong.as_ref().map(|why| ignored_parameters("Gateway", why)));
            conditions.push(match wrong {
                Some(why) => Condition::no(RESOLVED_REFS, "ParametersRefInvalid", why.clone()),
                None => {
                    Condition::yes(RESOLVED_REFS, "ResolvedRefs", "The referenced resources are resolved")
                }
            });
        }
        let of_class = class.and_then(|c| c.source.spec.parameters_ref.as_ref());
        let of_class = of_class.and_then(|reference| known.proxies.get(&proxy_key(reference, "")));
        let own = own.and_then(|(found, _)| found);
        let settings = Settings::of(of_class.map(|p| &p.spec), own.map(|p| &p.spec));
        let around = listener::Surroundings {
            namespace: &source.key.namespace,
            secrets: &known.secrets,
            grants: Grants(&known.grants),
            metrics: Settings::metrics_port(settings.as_ref()),
        };
        let listeners = if valid { listener::build(&source.spec.listeners, &around) } else { Vec::new() };
        let resources = name_of_resources(&source.key.name, &source.spec.gateway_class_name);
        Gateway { source: source.clone(), conditions, valid, listeners, settings, resources }
    }

    /// What its addresses add to its conditions (`prepareGatewayRequest`).
    pub fn address_conditions(&self) -> impl Iterator<Item = Condition> {
        self.source.spec.addresses.iter().filter_map(|address| {
            if address.value.is_empty() {
                let message = "Dynamically assigned addresses for the Gateway addresses field are not supported, value must be specified";
                return Some(Condition::no(PROGRAMMED, "AddressNotAssigned", message));
            }
            // An address of the documentation's range is the one that cannot be used, for tests of conformance.
            let usable = address.value.parse::<std::net::IpAddr>().is_ok() && address.value != "198.51.100.0";
            (!usable).then(|| Condition::no(PROGRAMMED, "AddressNotUsable", "Invalid IP address"))
        })
    }
}

impl Graph {
    /// What a controller makes of what it has heard of. `class` is the class that it serves, `controller` its own name.
    pub fn build(class: &str, controller: &str, known: &Known<'_>) -> Graph {
        let named = known.classes.iter().find(|c| *c.key.name == *class);
        let own = named.filter(|c| c.spec.controller_name == controller);
        if named.is_some() && own.is_none() {
            // The class is another controller's.
            return Graph::default();
        }
        let others =
            |c: &&Source<GatewayClassSpec>| *c.key.name != *class && c.spec.controller_name == controller;
        let ignored = known.classes.iter().filter(others).cloned().collect();
        let own = own.map(|source| Class::new(source, known));
        let of_class = known.gateways.iter().filter(|g| g.spec.gateway_class_name == class);
        let mut gateways: Vec<Gateway> =
            of_class.map(|source| Gateway::new(source, own.as_ref(), known)).collect();
        let mut routes = Vec::new();
        for (kind, source) in &known.routes {
            let listeners = |key: &Key| {
                let gateway = gateways.iter().find(|g| g.source.key == *key)?;
                Some(gateway.listeners.iter().map(|l| l.source.name.as_str()).collect())
            };
            let Some(mut route) = Route::new(kind, source, listeners) else { continue };
            route.resolve(&backend::Surroundings {
                from: (kind, &source.key.namespace),
                services: &known.services,
                grants: Grants(&known.grants),
            });
            routes.push(route);
        }
        for gateway in &mut gateways {
            let key = gateway.source.key.clone();
            for route in &mut routes {
                bind::bind(route, (&key, gateway.valid), &mut gateway.listeners, &known.namespaces);
            }
            routes.iter_mut().for_each(|route| bind::isolate(route, &key, &gateway.listeners));
        }
        Graph { class: own, ignored, gateways, routes }
    }
}
