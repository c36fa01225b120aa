//! Which routes attach to which listeners (`bindL7RouteToListeners` and `isolateL7RouteListeners` in
//! `internal/controller/state/graph/route_common.go`).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::condition::{Condition, not_attached};
use super::hostname::accepted;
use super::listener::Listener;
use super::route_graph::{Attachment, Parent, Route};
use crate::api::types::Namespace;
use crate::api::{Key, MetaExt};

/// Whether a listener lets routes of a namespace attach.
fn lets_in(
    listener: &Listener,
    route: &str,
    gateway: &str,
    namespaces: &BTreeMap<Rc<str>, &Namespace>,
) -> bool {
    let allowed = listener.source.allowed_routes.as_ref().and_then(|a| a.namespaces.as_ref());
    match allowed.and_then(|n| n.from.as_deref()) {
        Some("Same") => route == gateway,
        Some("Selector") => {
            let namespace = namespaces.get(route);
            let labels = namespace.map(|n| n.metadata.labels_or_empty());
            listener.selector.as_ref().zip(labels).is_some_and(|(selector, labels)| selector.matches(labels))
        }
        _ => true,
    }
}

/// The listeners that a parent means, and whether there is one at all.
fn meant<'l>(parent: &Parent, listeners: &'l [Listener]) -> (Vec<&'l Listener>, bool) {
    if let Some(name) = &parent.section {
        let found = listeners.iter().find(|l| l.source.name == *name);
        let found = found.filter(|l| parent.port.is_none_or(|port| l.source.port == port));
        return (found.filter(|l| l.attachable).into_iter().collect(), found.is_some());
    }
    let of_port = |l: &&Listener| parent.port.is_none_or(|port| l.source.port == port);
    let all: Vec<&Listener> = listeners.iter().filter(of_port).collect();
    let exist = !all.is_empty();
    (all.into_iter().filter(|l| l.attachable).collect(), exist)
}

/// Attaches a route to the listeners of a Gateway that it names. `valid` says whether the Gateway can be used.
pub fn bind(
    route: &mut Route,
    (gateway, valid): (&Key, bool),
    listeners: &mut [Listener],
    namespaces: &BTreeMap<Rc<str>, &Namespace>,
) {
    if !route.attachable {
        return;
    }
    let (kind, key) = (route.kind, route.source.key.clone());
    let mut said = Vec::new();
    for parent in route.parents.iter_mut().filter(|p| p.gateway == *gateway) {
        let mut attachment = Attachment::default();
        let (meant, exist) = meant(parent, listeners);
        let names: Vec<String> = meant.iter().map(|l| l.source.name.clone()).collect();
        if !exist {
            attachment.failed.push(not_attached("NoMatchingParent"));
        } else if !valid {
            attachment.failed.push(not_attached("InvalidGateway"));
        }
        if kind == "GRPCRoute" {
            attachment.failed.push(not_attached("UnsupportedConfiguration"));
        }
        if attachment.failed.is_empty() {
            let (mut allowed, mut attached, mut usable) = (false, false, false);
            for listener in listeners.iter_mut().filter(|l| names.contains(&l.source.name)) {
                let lets = lets_in(listener, &key.namespace, &gateway.namespace, namespaces)
                    && listener.kinds.iter().any(|k| k.kind == kind);
                let hosts = accepted(listener.source.hostname.as_deref(), &route.source.spec.hostnames);
                allowed |= lets;
                if !lets || hosts.is_empty() {
                    continue;
                }
                attachment.hosts.insert(listener.source.name.as_str().into(), hosts);
                attachment.port = listener.source.port;
                listener.routes.insert((kind, key.clone()));
                attached = true;
                usable |= listener.valid;
            }
            attachment.attached = attached;
            let why = match (names.is_empty(), allowed, attached, usable) {
                (true, ..) => Some("InvalidListener"),
                (_, false, false, _) => Some("NotAllowedByListeners"),
                (_, true, false, _) => Some("NoMatchingListenerHostname"),
                (_, _, true, false) => Some("InvalidListener"),
                _ => None,
            };
            match why.map(not_attached) {
                Some(why) if attached => said.push(why),
                why => attachment.failed.extend(why),
            }
        }
        parent.attachment = Some(attachment);
    }
    route.conditions.extend::<Vec<Condition>>(said);
}

/// Takes hosts away from listeners where another listener of the same port is for exactly that host.
pub fn isolate(route: &mut Route, gateway: &Key, listeners: &[Listener]) {
    for parent in route.parents.iter_mut().filter(|p| p.gateway == *gateway && p.section.is_some()) {
        let Some(attachment) = &mut parent.attachment else { continue };
        let port = attachment.port;
        for (name, hosts) in &mut attachment.hosts {
            hosts.retain(|host| {
                !listeners.iter().any(|l| {
                    let of_host = l.source.hostname.as_deref().is_some_and(|h| !h.is_empty() && h == host);
                    of_host && l.source.name != **name && l.source.port == port
                })
            });
        }
    }
}
