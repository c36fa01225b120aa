//! The listeners of a Gateway: whether they can be used, and why not (`internal/controller/state/graph/gateway_listener.go`).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::condition::{ACCEPTED, CONFLICTED, Condition, OVERLAPPING, PROGRAMMED, RESOLVED_REFS, refused};
use super::field::{forbidden, invalid, not_supported, required};
use super::grants::Grants;
use super::hostname::overlap;
use super::objects::{self, GROUP, RouteKind};
use super::secrets;
use crate::api::Key;
use crate::api::labels::Selector;
use crate::api::types::Secret;

/// A listener with what was found out about it.
#[derive(Clone, Debug)]
pub struct Listener {
    /// As the Gateway has it.
    pub source: objects::Listener,
    /// What its status says beside what it says by default.
    pub conditions: Vec<Condition>,
    /// The kinds of routes that may attach.
    pub kinds: Vec<RouteKind>,
    /// Whether nginx can be told of it.
    pub valid: bool,
    /// Whether routes may attach to it, though it may be invalid.
    pub attachable: bool,
    /// The labels of the namespaces whose routes may attach, if it asks for labels.
    pub selector: Option<Selector>,
    /// The Secrets with its certificates, as far as they can be used.
    pub certificates: Vec<Key>,
    /// The routes that have attached: kind, namespace and name.
    pub routes: BTreeSet<(&'static str, Key)>,
    /// Whether others are compared with it: by itself it is right.
    compared: bool,
}

/// What listeners are compared with.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The namespace of the Gateway.
    pub namespace: &'a str,
    /// The Secrets.
    pub secrets: &'a BTreeMap<Key, &'a Secret>,
    /// The ReferenceGrants.
    pub grants: Grants<'a>,
    /// The port of nginx' metrics, if it has one.
    pub metrics: Option<u16>,
}

/// The kinds of routes that a protocol can have.
fn kinds_of(listener: &objects::Listener) -> Vec<RouteKind> {
    let kind = |kind: &str| RouteKind { group: Some(GROUP.to_owned()), kind: kind.to_owned() };
    let passes = listener.tls.as_ref().and_then(|t| t.mode.as_deref()) == Some("Passthrough");
    match listener.protocol.as_str() {
        "HTTP" | "HTTPS" => vec![kind("HTTPRoute"), kind("GRPCRoute")],
        "TLS" if passes => vec![kind("TLSRoute")],
        "TCP" => vec![kind("TCPRoute")],
        "UDP" => vec![kind("UDPRoute")],
        _ => Vec::new(),
    }
}

/// The kinds of routes that a listener lets attach, and what is wrong with those that it names.
fn allowed_kinds(listener: &objects::Listener) -> (Vec<RouteKind>, Vec<Condition>) {
    let own = kinds_of(listener);
    let Some(named) = listener.allowed_routes.as_ref().and_then(|a| a.kinds.as_ref()) else {
        return (own, Vec::new());
    };
    let (mut kinds, mut conditions) = (Vec::new(), Vec::new());
    for kind in named {
        let group = kind.group.as_deref().unwrap_or(GROUP);
        if group != GROUP || own.iter().all(|k| k.kind != kind.kind) {
            let (protocol, kind) = (&listener.protocol, &kind.kind);
            let message = format!("Unsupported route kind for protocol {protocol} \"{group}/{kind}\"");
            conditions.push(Condition::no(RESOLVED_REFS, "InvalidRouteKinds", message.clone()));
            conditions.push(Condition::no(PROGRAMMED, "Invalid", message));
        } else if !kinds.contains(kind) {
            kinds.push(kind.clone());
        }
    }
    (kinds, conditions)
}

fn unsupported(message: String) -> Vec<Condition> {
    refused("UnsupportedValue", message)
}

/// `Accepted` and `ResolvedRefs` are false for a reason, and nothing is programmed.
fn bad_certificate(reason: &'static str, message: &str) -> Vec<Condition> {
    vec![
        Condition::no(ACCEPTED, reason, message),
        Condition::no(RESOLVED_REFS, reason, message),
        Condition::no(PROGRAMMED, "Invalid", message),
    ]
}

/// Two listeners cannot be there at the same time.
fn conflict(reason: &'static str, message: &str) -> [Condition; 3] {
    [
        Condition::no(ACCEPTED, reason, message),
        Condition::yes(CONFLICTED, reason, message),
        Condition::no(PROGRAMMED, reason, message),
    ]
}

/// The options of TLS that are known.
const OPTIONS: [&str; 3] =
    ["nginx.org/ssl-protocols", "nginx.org/ssl-ciphers", "nginx.org/ssl-prefer-server-ciphers"];

impl Listener {
    /// A listener as it is by itself, before it is compared with others.
    fn new(source: &objects::Listener, around: &Surroundings<'_>) -> Listener {
        let (kinds, mut conditions) = allowed_kinds(source);
        let mut attachable = conditions.is_empty();
        let namespaces = source.allowed_routes.as_ref().and_then(|a| a.namespaces.as_ref());
        let by_label = namespaces.filter(|n| n.from.as_deref() == Some("Selector"));
        let known = ["HTTP", "HTTPS", "TLS", "TCP", "UDP"];
        let protocol = source.protocol.as_str();
        if !known.contains(&protocol) {
            conditions = refused("UnsupportedProtocol", not_supported("protocol", protocol, &known));
            attachable = false;
        } else if by_label.is_some_and(|n| n.selector.is_none()) {
            let message = "Listener's AllowedRoutes Selector must be set when From is set to type Selector";
            conditions.extend(unsupported(message.to_owned()));
            attachable = false;
        }
        let reserved = around.metrics.filter(|port| *port == source.port && protocol != "TLS");
        if reserved.is_some() && known.contains(&protocol) {
            let detail = "port is already in use as MetricsPort";
            // A number is printed without quotes.
            conditions.extend(unsupported(format!("port: Invalid value: {}: {detail}", source.port)));
        }
        match protocol {
            "HTTPS" => conditions.extend(tls_of(source)),
            "TLS" => {
                let mode = source.tls.as_ref().map(|t| t.mode.as_deref());
                let missing = match mode {
                    None => Some(required("TLS", "tls must be defined for TLS listener")),
                    Some(Some("Passthrough")) => None,
                    Some(_) => Some(required("TLS.Mode", "Mode must be passthrough for TLS listener")),
                };
                attachable &= missing.is_none();
                conditions.extend(missing.into_iter().flat_map(unsupported));
            }
            _ if source.tls.is_some() => {
                let detail = format!("tls is not supported for {protocol} listener");
                conditions.extend(unsupported(forbidden("tls", &detail)));
            }
            _ => {}
        }
        let mut valid = conditions.is_empty();
        let selector = by_label.and_then(|n| n.selector.as_ref());
        let selector = match selector.map(|s| Selector::from_label_selector(Some(s))) {
            Some(Ok(selector)) => Some(selector),
            Some(Err(why)) => {
                conditions.extend(unsupported(format!("Invalid label selector: {why}")));
                valid = false;
                None
            }
            None => None,
        };
        Listener {
            source: source.clone(),
            conditions,
            kinds,
            valid,
            attachable,
            selector,
            certificates: Vec::new(),
            routes: BTreeSet::new(),
            compared: valid,
        }
    }

    /// Whether it is one of HTTP, with TLS or without.
    pub fn is_http(&self) -> bool {
        matches!(self.source.protocol.as_str(), "HTTP" | "HTTPS")
    }

    fn hostname(&self) -> Option<&str> {
        self.source.hostname.as_deref().filter(|h| !h.is_empty())
    }

    fn fail(&mut self, reason: &'static str, message: &str) {
        self.valid = false;
        self.conditions.extend(conflict(reason, message));
    }

    /// Looks for the Secrets with its certificates.
    fn resolve(&mut self, around: &Surroundings<'_>) {
        let refs = self.source.tls.iter().flat_map(|t| &t.certificate_refs);
        let (mut problems, mut missing) = (Vec::new(), false);
        for (i, reference) in refs.enumerate() {
            let namespace = reference.namespace.as_deref().unwrap_or(around.namespace);
            let key = Key::new(namespace, &reference.name);
            if namespace != around.namespace
                && !around.grants.allow(("Gateway", around.namespace), "Secret", &key)
            {
                problems.push(format!("Certificate ref to secret {key} not permitted by any ReferenceGrant"));
                continue;
            }
            match secrets::certificate(around.secrets.get(&key).copied(), &key) {
                Ok(()) => self.certificates.push(key),
                Err(why) => {
                    missing = true;
                    let path = format!("tls.certificateRefs[{i}]");
                    problems.push(invalid(&path, &key.to_string(), &why));
                }
            }
        }
        if problems.is_empty() {
            return;
        }
        let reason = if missing { "InvalidCertificateRef" } else { "RefNotPermitted" };
        let message = problems.join("; ");
        if self.certificates.is_empty() {
            self.valid = false;
            self.conditions.extend(bad_certificate(reason, &message));
        } else {
            self.conditions.push(Condition::no(RESOLVED_REFS, reason, message));
        }
    }
}

/// What is wrong with the section `tls` of an HTTPS listener (`createHTTPSListenerValidator`).
fn tls_of(listener: &objects::Listener) -> Vec<Condition> {
    let Some(tls) = &listener.tls else {
        return unsupported(required("TLS", "tls must be defined for HTTPS listener"));
    };
    let mut conditions = Vec::new();
    if let Some(mode) = tls.mode.as_deref().filter(|m| *m != "Terminate") {
        conditions.extend(unsupported(not_supported("tls.mode", mode, &["Terminate"])));
    }
    for option in tls.options.keys().filter(|o| !OPTIONS.contains(&o.as_str())) {
        let path = format!("tls.options[{option}]");
        conditions.extend(unsupported(not_supported(&path, option, &OPTIONS)));
    }
    if tls.certificate_refs.is_empty() {
        let detail = "certificateRefs must be defined for TLS mode terminate";
        let message = required("tls.certificateRefs", detail);
        conditions.extend(bad_certificate("InvalidCertificateRef", &message));
    }
    for (i, reference) in tls.certificate_refs.iter().enumerate() {
        let path = format!("tls.certificateRefs[{i}]");
        let kind = reference.kind.as_deref().filter(|k| *k != "Secret");
        let group = reference.group.as_deref().filter(|g| !g.is_empty());
        let kind = kind.map(|k| not_supported(&format!("{path}.kind"), k, &["Secret"]));
        let group = group.map(|g| not_supported(&format!("{path}.group"), g, &[""]));
        for message in kind.into_iter().chain(group) {
            conditions.extend(bad_certificate("InvalidCertificateRef", &message));
        }
    }
    conditions
}

/// Which protocols can share a port: those with TLS, those without, and the others.
fn group_of(protocol: &str) -> u8 {
    match protocol {
        "TLS" | "HTTPS" => 0,
        "HTTP" => 1,
        _ => 2,
    }
}

/// The listeners of a Gateway, each with what is wrong with it.
pub fn build(sources: &[objects::Listener], around: &Surroundings<'_>) -> Vec<Listener> {
    let mut all: Vec<Listener> = Vec::new();
    let mut conflicted: BTreeSet<u16> = BTreeSet::new();
    let mut taken: BTreeSet<(u16, Rc<str>, Rc<str>)> = BTreeSet::new();
    for source in sources {
        let mut listener = Listener::new(source, around);
        if listener.valid {
            share_port(&mut listener, &mut all, &mut conflicted);
            overlapping(&mut listener, &mut all);
            if listener.valid {
                let host = listener.hostname().unwrap_or_default().into();
                if !taken.insert((source.port, source.protocol.as_str().into(), host)) {
                    let message = format!(
                        "Multiple listeners with the same port {} and protocol {} have overlapping hostnames",
                        source.port, source.protocol
                    );
                    listener.fail("HostnameConflict", &message);
                }
            }
            if listener.valid && source.protocol == "HTTPS" {
                listener.resolve(around);
            }
        }
        all.push(listener);
    }
    all
}

/// Listeners of one port must speak protocols that go together (`createPortConflictResolver`).
fn share_port(listener: &mut Listener, before: &mut [Listener], conflicted: &mut BTreeSet<u16>) {
    let (port, protocol) = (listener.source.port, listener.source.protocol.clone());
    let incompatible = format!(
        "Multiple listeners for the same port {port} specify incompatible protocols; ensure only one protocol per port"
    );
    if conflicted.contains(&port) {
        return listener.fail("ProtocolConflict", &incompatible);
    }
    let group = group_of(&protocol);
    let same = before.iter_mut().filter(|l| l.source.port == port && l.compared);
    let mut same: Vec<&mut Listener> = same.collect();
    if same.first().is_some_and(|l| group_of(&l.source.protocol) != group) {
        conflicted.insert(port);
        same.iter_mut().for_each(|l| l.fail("ProtocolConflict", &incompatible));
        return listener.fail("ProtocolConflict", &incompatible);
    }
    let (l4, hosts) = (
        format!("Multiple {protocol} listeners cannot share the same port {port}"),
        format!(
            "HTTPS and TLS listeners for the same port {port} specify overlapping hostnames; ensure no overlapping hostnames for HTTPS and TLS listeners for the same port"
        ),
    );
    for other in same {
        if group == 2 && other.source.protocol == protocol {
            other.fail("ProtocolConflict", &l4);
            listener.fail("ProtocolConflict", &l4);
        } else if group != 2
            && other.source.protocol != protocol
            && overlap(listener.hostname(), other.hostname())
        {
            other.fail("HostnameConflict", &hosts);
            listener.fail("HostnameConflict", &hosts);
        }
    }
}

/// Listeners with TLS on one port whose hosts overlap say so (`createOverlappingTLSConfigResolver`).
fn overlapping(listener: &mut Listener, before: &mut [Listener]) {
    if group_of(&listener.source.protocol) != 0 {
        return;
    }
    for other in before.iter_mut().filter(|l| l.compared) {
        let same = other.source.port == listener.source.port && group_of(&other.source.protocol) == 0;
        if same && overlap(listener.hostname(), other.hostname()) {
            let message = "Listener hostname overlaps with hostname(s) of other Listener(s) on the same port";
            let condition = Condition::yes(OVERLAPPING, "OverlappingHostnames", message);
            listener.conditions.push(condition.clone());
            other.conditions.push(condition);
        }
    }
}
