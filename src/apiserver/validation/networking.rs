//! Ingresses, IngressClasses and NetworkPolicies (`pkg/apis/networking/validation`).

use crate::api::types as t;
use crate::api::types::networking as net;
use crate::api::{MetaExt, intstr};

use super::field::{BadValue, Errors, FieldError, Path, json_strings};
use super::meta::{IMMUTABLE, invalid_each, label_selector, object_meta, object_meta_update};
use super::names::{self, name_is_dns_label, name_is_dns_subdomain};
use super::{ip, list, or_default, text};

/// Where the class stood before it had a field.
pub(in crate::apiserver) const CLASS_ANNOTATION: &str = "kubernetes.io/ingress.class";
/// The length of a controller's name, in bytes.
const MAX_CONTROLLER: usize = 250;
const NOT_AN_IP: &str = "must be a DNS name, not an IP address";
const PATH_SEQUENCES: &[&str] = &["//", "/./", "/../", "%2f", "%2F"];
const PATH_SUFFIXES: &[&str] = &["/..", "/."];

pub(in crate::apiserver) fn ingress(errs: &mut Errors, ingress: &t::Ingress) {
    ingress_parts(errs, ingress, None);
    let class = ingress.spec.as_ref().and_then(|s| s.ingress_class_name.as_deref());
    if let (Some(annotation), Some(class)) = (ingress.metadata.annotation(CLASS_ANNOTATION), class)
        && annotation != class
    {
        let at = Path::new("annotations").child(CLASS_ANNOTATION);
        let message = "must match `ingressClassName` when both are specified";
        errs.push(FieldError::invalid(&at, annotation, message));
    }
}

pub(in crate::apiserver) fn ingress_update(errs: &mut Errors, new: &t::Ingress, old: &t::Ingress) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    ingress_parts(errs, new, Some(old));
}

/// What was wrong before may stay wrong: names of secrets, and the paths of hosts with a wildcard.
fn ingress_parts(errs: &mut Errors, ingress: &t::Ingress, old: Option<&t::Ingress>) {
    object_meta(errs, &ingress.metadata, true, name_is_dns_subdomain);
    let none = net::IngressSpec::default();
    let spec = or_default(&ingress.spec, &none);
    let before = old.and_then(|o| o.spec.as_ref()).unwrap_or(&none);
    let path = Path::new("spec");
    let rules = list(&spec.rules);
    if rules.is_empty() && spec.default_backend.is_none() {
        let message = "either `defaultBackend` or `rules` must be specified";
        errs.push(FieldError::invalid(&path, BadValue::Json("null".into()), message));
    }
    if let Some(default) = &spec.default_backend {
        backend(errs, default, &path.child("defaultBackend"));
    }
    let wildcard_was_wrong = list(&before.rules).iter().any(|r| {
        let mut wrong = Errors::new();
        rule_value(&mut wrong, r, &Path::new(""));
        text(&r.host).contains('*') && !wrong.is_empty()
    });
    for (i, r) in rules.iter().enumerate() {
        let at = path.child("rules").index(i);
        let host = text(&r.host);
        if !host.is_empty() {
            if ip::is_ip(host) {
                errs.push(FieldError::invalid(&at.child("host"), host, NOT_AN_IP));
            }
            invalid_each(errs, &at.child("host"), host, host_name(host));
        }
        if !host.contains('*') || !wildcard_was_wrong {
            rule_value(errs, r, &at);
        }
    }
    let secret = |tls: &net::IngressTLS| match text(&tls.secret_name) {
        "" => Vec::new(),
        name => name_is_dns_subdomain(name, false),
    };
    let secret_was_wrong = list(&before.tls).iter().any(|tls| !secret(tls).is_empty());
    for (i, tls) in list(&spec.tls).iter().enumerate() {
        let at = path.child("tls").index(i);
        for (j, host) in list(&tls.hosts).iter().enumerate() {
            invalid_each(errs, &at.child("hosts").index(j), host, host_name(host));
        }
        if !secret_was_wrong {
            invalid_each(errs, &at.child("secretName"), text(&tls.secret_name), secret(tls));
        }
    }
    if let Some(class) = &spec.ingress_class_name {
        invalid_each(errs, &path.child("ingressClassName"), class, name_is_dns_subdomain(class, false));
    }
}

/// A host, or all below it.
fn host_name(host: &str) -> Vec<String> {
    if host.contains('*') { names::wildcard_dns1123_subdomain(host) } else { names::dns1123_subdomain(host) }
}

fn rule_value(errs: &mut Errors, rule: &net::IngressRule, path: &Path) {
    let Some(http) = &rule.http else { return };
    let at = path.child("http").child("paths");
    if http.paths.is_empty() {
        errs.push(FieldError::required(&at, ""));
    }
    for (i, p) in http.paths.iter().enumerate() {
        http_path(errs, p, &at.index(i));
    }
}

fn http_path(errs: &mut Errors, path: &net::HTTPIngressPath, at: &Path) {
    let value = text(&path.path);
    let mut refuse = |message: String| errs.push(FieldError::invalid(&at.child("path"), value, message));
    let absolute = "must be an absolute path".to_owned();
    match path.path_type.as_str() {
        "" => {
            errs.push(FieldError::required(&at.child("pathType"), "pathType must be specified"));
            return;
        }
        "Exact" | "Prefix" => {
            if !value.starts_with('/') {
                refuse(absolute);
            }
            for sequence in PATH_SEQUENCES.iter().filter(|s| value.contains(**s)) {
                refuse(format!("must not contain '{sequence}'"));
            }
            for suffix in PATH_SUFFIXES.iter().filter(|s| value.ends_with(**s)) {
                refuse(format!("cannot end with '{suffix}'"));
            }
        }
        "ImplementationSpecific" => {
            if !value.is_empty() && !value.starts_with('/') {
                refuse(absolute);
            }
        }
        other => errs.push(FieldError::not_supported(
            &at.child("pathType"),
            other,
            &["Exact", "ImplementationSpecific", "Prefix"],
        )),
    }
    backend(errs, &path.backend, &at.child("backend"));
}

fn backend(errs: &mut Errors, backend: &net::IngressBackend, path: &Path) {
    match (&backend.resource, &backend.service) {
        (Some(_), Some(_)) => {
            errs.push(FieldError::invalid(path, "", "cannot set both resource and service backends"));
        }
        (Some(r), None) => {
            reference(errs, r.api_group.as_deref(), &r.kind, &r.name, &path.child("resource"));
        }
        (None, Some(service)) => {
            let at = path.child("service");
            if service.name.is_empty() {
                errs.push(FieldError::required(&at.child("name"), ""));
            } else {
                let messages = name_is_dns_label(&service.name, false);
                invalid_each(errs, &at.child("name"), &service.name, messages);
            }
            let none = net::ServiceBackendPort::default();
            let port = or_default(&service.port, &none);
            let at = at.child("port");
            match (text(&port.name), port.number.unwrap_or_default()) {
                ("", 0) => errs.push(FieldError::required(path, "port name or number is required")),
                ("", number) => {
                    let messages = names::port_number(number.into()).into_iter();
                    errs.extend(messages.map(|m| FieldError::invalid(&at.child("number"), number, m)));
                }
                (name, 0) => invalid_each(errs, &at.child("name"), name, names::port_name(name)),
                _ => errs.push(FieldError::invalid(path, "", "cannot set both port name & port number")),
            }
        }
        (None, None) => {
            errs.push(FieldError::invalid(path, "", "resource or service backend is required"));
        }
    }
}

/// What another object is called.
fn reference(errs: &mut Errors, group: Option<&str>, kind: &str, name: &str, path: &Path) {
    if let Some(group) = group {
        invalid_each(errs, &path.child("apiGroup"), group, names::dns1123_subdomain(group));
    }
    for (field, value) in [("kind", kind), ("name", name)] {
        if value.is_empty() {
            errs.push(FieldError::required(&path.child(field), ""));
        } else {
            invalid_each(errs, &path.child(field), value, names::path_segment_name(value));
        }
    }
}

pub(in crate::apiserver) fn ingress_status_update(errs: &mut Errors, new: &t::Ingress, old: &t::Ingress) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    fn points(i: &t::Ingress) -> &[net::IngressLoadBalancerIngress] {
        let balancer = i.status.as_ref().and_then(|s| s.load_balancer.as_ref());
        balancer.map_or(&[], |b| list(&b.ingress))
    }
    let path = Path::new("status").child("loadBalancer").child("ingress");
    for (i, point) in points(new).iter().enumerate() {
        let at = path.index(i);
        let address = text(&point.ip);
        let known = points(old).iter().any(|o| text(&o.ip) == address);
        if !address.is_empty() && !known {
            ip::legacy_ip(errs, address, &at.child("ip"));
        }
        let host = text(&point.hostname);
        if !host.is_empty() {
            let at = at.child("hostname");
            invalid_each(errs, &at, host, names::dns1123_subdomain(host));
            if ip::is_ip(host) {
                errs.push(FieldError::invalid(&at, host, NOT_AN_IP));
            }
        }
    }
}

pub(in crate::apiserver) fn class(errs: &mut Errors, class: &t::IngressClass) {
    object_meta(errs, &class.metadata, false, name_is_dns_subdomain);
    let path = Path::new("spec");
    let none = net::IngressClassSpec::default();
    let spec = or_default(&class.spec, &none);
    let (at, controller) = (path.child("controller"), text(&spec.controller));
    if controller.is_empty() {
        errs.push(FieldError::required(&at, ""));
    } else {
        if controller.len() > MAX_CONTROLLER {
            errs.push(FieldError::too_long(&at, MAX_CONTROLLER));
        }
        names::domain_prefixed_path(errs, controller, &at);
    }
    if let Some(parameters) = &spec.parameters {
        class_parameters(errs, parameters, &path.child("parameters"));
    }
}

fn class_parameters(errs: &mut Errors, p: &net::IngressClassParametersReference, path: &Path) {
    reference(errs, p.api_group.as_deref(), &p.kind, &p.name, path);
    let at = path.child("namespace");
    match (p.scope.as_deref(), &p.namespace) {
        (None, _) => errs.push(FieldError::required(&path.child("scope"), "")),
        (Some("Namespace"), None) => {
            errs.push(FieldError::required(&at, "`parameters.scope` is set to 'Namespace'"));
        }
        (Some("Namespace"), Some(namespace)) => {
            invalid_each(errs, &at, namespace, name_is_dns_label(namespace, false));
        }
        (Some("Cluster"), Some(_)) => {
            errs.push(FieldError::forbidden(&at, "`parameters.scope` is set to 'Cluster'"));
        }
        (Some("Cluster"), None) => {}
        (Some(scope), _) => {
            errs.push(FieldError::not_supported(&path.child("scope"), scope, &["Cluster", "Namespace"]));
        }
    }
}

pub(in crate::apiserver) fn class_update(errs: &mut Errors, new: &t::IngressClass, old: &t::IngressClass) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let controller = |c: &t::IngressClass| c.spec.as_ref().and_then(|s| s.controller.clone());
    if controller(new) != controller(old) {
        let at = Path::new("spec").child("controller");
        errs.push(FieldError::invalid(&at, text(&controller(new)), IMMUTABLE));
    }
    class(errs, new);
}

pub(in crate::apiserver) fn policy(errs: &mut Errors, policy: &t::NetworkPolicy) {
    object_meta(errs, &policy.metadata, true, name_is_dns_subdomain);
    policy_spec(errs, policy, &[]);
}

pub(in crate::apiserver) fn policy_update(errs: &mut Errors, new: &t::NetworkPolicy, old: &t::NetworkPolicy) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let none = net::NetworkPolicySpec::default();
    let before = or_default(&old.spec, &none);
    let from = list(&before.ingress).iter().flat_map(|r| list(&r.from));
    let to = list(&before.egress).iter().flat_map(|r| list(&r.to));
    let blocks = from.chain(to).filter_map(|p| p.ip_block.as_ref());
    let known: Vec<&str> =
        blocks.flat_map(|b| std::iter::once(&b.cidr).chain(list(&b.except))).map(String::as_str).collect();
    policy_spec(errs, new, &known);
}

/// `known`: ranges that were there before, which are not looked at again.
fn policy_spec(errs: &mut Errors, policy: &t::NetworkPolicy, known: &[&str]) {
    let path = Path::new("spec");
    let none = net::NetworkPolicySpec::default();
    let spec = or_default(&policy.spec, &none);
    label_selector(errs, spec.pod_selector.as_ref(), &path.child("podSelector"));
    for (i, rule) in list(&spec.ingress).iter().enumerate() {
        let at = path.child("ingress").index(i);
        ports_and_peers(errs, list(&rule.ports), ("from", list(&rule.from)), known, &at);
    }
    for (i, rule) in list(&spec.egress).iter().enumerate() {
        let at = path.child("egress").index(i);
        ports_and_peers(errs, list(&rule.ports), ("to", list(&rule.to)), known, &at);
    }
    let (at, types) = (path.child("policyTypes"), list(&spec.policy_types));
    if types.len() > 2 {
        errs.push(FieldError::invalid(&at, json_strings(types), "may not specify more than two policyTypes"));
        return;
    }
    for (i, kind) in types.iter().enumerate().filter(|(_, k)| !matches!(k.as_str(), "Ingress" | "Egress")) {
        errs.push(FieldError::not_supported(&at.index(i), kind, &["Ingress", "Egress"]));
    }
}

fn ports_and_peers(
    errs: &mut Errors,
    ports: &[net::NetworkPolicyPort],
    (field, peers): (&'static str, &[net::NetworkPolicyPeer]),
    known: &[&str],
    path: &Path,
) {
    for (i, port) in ports.iter().enumerate() {
        policy_port(errs, port, &path.child("ports").index(i));
    }
    for (i, peer) in peers.iter().enumerate() {
        let at = path.child(field).index(i);
        let selectors =
            [("podSelector", &peer.pod_selector), ("namespaceSelector", &peer.namespace_selector)];
        for (name, selector) in selectors {
            label_selector(errs, selector.as_ref(), &at.child(name));
        }
        let selected = selectors.iter().any(|(_, s)| s.is_some());
        match &peer.ip_block {
            Some(block) => ip_block(errs, block, known, &at.child("ipBlock")),
            None if !selected => errs.push(FieldError::required(&at, "must specify a peer")),
            None => {}
        }
        if selected && peer.ip_block.is_some() {
            errs.push(FieldError::forbidden(&at, "may not specify both ipBlock and another peer"));
        }
    }
}

fn policy_port(errs: &mut Errors, port: &net::NetworkPolicyPort, path: &Path) {
    if let Some(protocol) = &port.protocol
        && !matches!(protocol.as_str(), "TCP" | "UDP" | "SCTP")
    {
        errs.push(FieldError::not_supported(&path.child("protocol"), protocol, &["TCP", "UDP", "SCTP"]));
    }
    let (at, end) = (path.child("port"), path.child("endPort"));
    let refuse_end = |errs: &mut Errors, message: &str| {
        errs.extend(port.end_port.map(|n| FieldError::invalid(&end, n, message)));
    };
    match &port.port {
        Some(t::IntOrString::Int(number)) => {
            let messages = names::port_number((*number).into()).into_iter();
            errs.extend(messages.map(|m| FieldError::invalid(&at, *number, m)));
            if port.end_port.is_some_and(|end| end < *number) {
                // The value in Kubernetes' message is that of `port`.
                errs.push(FieldError::invalid(&end, *number, "must be greater than or equal to `port`"));
            }
            for message in port.end_port.map(|end| names::port_number(end.into())).unwrap_or_default() {
                refuse_end(errs, &message);
            }
        }
        Some(name @ t::IntOrString::String(_)) => {
            refuse_end(errs, "may not be specified when `port` is non-numeric");
            let name = intstr::to_string(name);
            invalid_each(errs, &at, &name, names::port_name(&name));
        }
        None => refuse_end(errs, "may not be specified when `port` is not specified"),
    }
}

fn ip_block(errs: &mut Errors, block: &net::IPBlock, known: &[&str], path: &Path) {
    let at = path.child("cidr");
    if block.cidr.is_empty() {
        errs.push(FieldError::required(&at, ""));
        return;
    }
    let check = |errs: &mut Errors, value: &str, at: &Path| {
        if !known.contains(&value) {
            ip::legacy_cidr(errs, value, at);
        }
        ip::parse_cidr(value)
    };
    let Some(all) = check(errs, &block.cidr, &at) else { return };
    for (i, except) in list(&block.except).iter().enumerate() {
        let at = path.child("except").index(i);
        if let Some(range) = check(errs, except, &at)
            && !ip::is_strict_subset(range, all)
        {
            errs.push(FieldError::invalid(&at, except, "must be a strict subset of `cidr`"));
        }
    }
}
