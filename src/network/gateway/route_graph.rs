//! Routes: what is wrong with their rules, and which listeners they want to attach to (`internal/controller/state/graph/httproute.go`,
//! `buildSectionNameRefs` in `route_common.go`).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::backend::{self, Backend};
use super::condition::{ACCEPTED, Condition, unresolved};
use super::field::{aggregate, capitalised, forbidden};
use super::matches::{self, BadFilters};
use super::objects::{Filter, GROUP, HttpMatch, ParentRef, RouteSpec, Source};
use crate::api::Key;

/// A route with what was found out about it.
#[derive(Clone, Debug)]
pub struct Route {
    /// `HTTPRoute` or `GRPCRoute`.
    pub kind: &'static str,
    /// The object.
    pub source: Source<RouteSpec>,
    /// What it wants to attach to.
    pub parents: Vec<Parent>,
    /// Its rules.
    pub rules: Vec<Rule>,
    /// What it says to all parents.
    pub conditions: Vec<Condition>,
    /// Whether one of its rules can be used.
    pub valid: bool,
    /// Whether it may attach.
    pub attachable: bool,
}

/// A rule of a route.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Which requests it is for.
    pub matches: Vec<HttpMatch>,
    /// Whether these can be told to nginx.
    pub valid_matches: bool,
    /// What is done with them; `None` if that cannot be told to nginx.
    pub filters: Option<Vec<Filter>>,
    /// Where they are sent.
    pub backends: Vec<Backend>,
}

/// A listener that a route wants to attach to, or several of a port.
#[derive(Clone, Debug)]
pub struct Parent {
    /// The place of the reference in the route.
    pub place: usize,
    /// The Gateway.
    pub gateway: Key,
    /// The name of the listener.
    pub section: Option<String>,
    /// The port.
    pub port: Option<u16>,
    /// What came of it; `None` before it was tried.
    pub attachment: Option<Attachment>,
}

/// What came of the wish to attach to listeners.
#[derive(Clone, Debug, Default)]
pub struct Attachment {
    /// Whether it has attached to one.
    pub attached: bool,
    /// Why it has not.
    pub failed: Vec<Condition>,
    /// The hosts of which each listener takes requests for it, by the listener's name.
    pub hosts: BTreeMap<Rc<str>, Vec<String>>,
    /// The port of the last listener.
    pub port: u16,
}

/// The Gateway that a reference names, if it is one.
fn gateway_of(reference: &ParentRef, namespace: &str) -> Option<Key> {
    let ours = reference.kind.as_deref().is_none_or(|k| k == "Gateway")
        && reference.group.as_deref().is_none_or(|g| g == GROUP);
    let namespace = reference.namespace.as_deref().unwrap_or(namespace);
    ours.then(|| Key::new(namespace, &reference.name))
}

/// What a route wants to attach to, of the Gateways whose listeners `listeners` gives. `None` if it wants the same twice.
fn parents<'g>(
    route: &Source<RouteSpec>,
    listeners: impl Fn(&Key) -> Option<Vec<&'g str>>,
) -> Option<Vec<Parent>> {
    let mut all: Vec<Parent> = Vec::new();
    for (place, reference) in route.spec.parent_refs.iter().enumerate() {
        let Some(gateway) = gateway_of(reference, &route.key.namespace) else { continue };
        let Some(names) = listeners(&gateway) else { continue };
        let parent = |section: Option<&str>, port| Parent {
            place,
            gateway: gateway.clone(),
            section: section.map(str::to_owned),
            port,
            attachment: None,
        };
        let wanted = match (&reference.section_name, reference.port) {
            (Some(name), port) => vec![parent(Some(name), port)],
            (None, Some(port)) => vec![parent(None, Some(port))],
            (None, None) => names.into_iter().map(|name| parent(Some(name), None)).collect(),
        };
        for new in wanted {
            let same =
                |p: &Parent| new.section.is_some() && p.gateway == new.gateway && p.section == new.section;
            if all.iter().any(same) {
                return None;
            }
            all.push(new);
        }
    }
    Some(all)
}

impl Route {
    /// A route that names one of the Gateways whose listeners `listeners` gives; `None` if it names none.
    pub fn new<'g>(
        kind: &'static str,
        source: &Source<RouteSpec>,
        listeners: impl Fn(&Key) -> Option<Vec<&'g str>>,
    ) -> Option<Route> {
        let parents = parents(source, listeners);
        let mut route = Route {
            kind,
            source: source.clone(),
            parents: parents.clone().unwrap_or_default(),
            rules: Vec::new(),
            conditions: Vec::new(),
            valid: false,
            attachable: parents.is_some(),
        };
        let parents = parents.unwrap_or_default();
        if route.attachable && parents.is_empty() {
            return None;
        }
        // No GRPCRoute is served, so its rules are not looked at.
        if route.attachable && kind == "HTTPRoute" {
            route.read_rules();
        }
        Some(route)
    }

    fn read_rules(&mut self) {
        let (mut ignored, mut wrong, mut unresolved_) = (Vec::new(), Vec::new(), Vec::new());
        for (i, rule) in self.source.spec.rules.iter().enumerate() {
            let at = format!("spec.rules[{i}]");
            ignored.extend(rule.name.iter().map(|_| forbidden(&format!("{at}.name"), "Name")));
            ignored.extend(rule.timeouts.iter().map(|_| forbidden(&format!("{at}.timeouts"), "Timeouts")));
            let matches = rule.matches.iter().enumerate();
            let bad: Vec<String> =
                matches.flat_map(|(j, m)| matches::of_match(m, &format!("{at}.matches[{j}]"))).collect();
            let BadFilters { invalid, unresolved } =
                matches::of_filters(&rule.filters, &format!("{at}.filters"));
            let usable = invalid.is_empty() && unresolved.is_empty();
            self.rules.push(Rule {
                matches: rule.matches.clone(),
                valid_matches: bad.is_empty(),
                filters: usable.then(|| rule.filters.clone()),
                backends: Vec::new(),
            });
            wrong.extend(bad.into_iter().chain(invalid));
            unresolved_.extend(unresolved);
        }
        self.valid = true;
        if !ignored.is_empty() {
            let message =
                format!("The following unsupported parameters were ignored: {}", aggregate(&ignored));
            self.conditions.push(Condition::yes(ACCEPTED, "UnsupportedField", message));
        }
        if !wrong.is_empty() {
            let message = aggregate(&wrong);
            if self.rules.iter().any(|r| r.valid_matches && r.filters.is_some()) {
                let message = format!("Dropped Rule(s): {message}");
                self.conditions.push(Condition::yes("PartiallyInvalid", "UnsupportedValue", message));
            } else {
                let message = format!("All rules are invalid: {message}");
                self.conditions.push(Condition::no(ACCEPTED, "UnsupportedValue", message));
                self.valid = false;
            }
        }
        if !unresolved_.is_empty() {
            let message = capitalised(&aggregate(&unresolved_));
            self.conditions.push(unresolved("InvalidFilter", message));
        }
    }

    /// Looks for its backends (`addBackendRefsToRules`).
    pub fn resolve(&mut self, around: &backend::Surroundings<'_>) {
        if !self.valid {
            return;
        }
        let sources = self.source.spec.rules.iter();
        for (i, (rule, source)) in self.rules.iter_mut().zip(sources).enumerate() {
            if !rule.valid_matches || rule.filters.is_none() {
                continue;
            }
            for (j, reference) in source.backend_refs.iter().enumerate() {
                let (backend, condition) =
                    backend::of(reference, &format!("spec.rules[{i}].backendRefs[{j}]"), around);
                rule.backends.push(backend);
                self.conditions.extend(condition);
            }
        }
    }
}
