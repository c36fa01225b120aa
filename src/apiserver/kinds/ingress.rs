//! Ingress.
//!
//! Read from Kubernetes' `pkg/apis/networking/types.go`, `pkg/apis/networking/v1/defaults.go`,
//! `pkg/apis/networking/validation/validation.go`, `pkg/registry/networking/ingress/strategy.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change};
use crate::api::names::{is_valid_port_name, is_valid_port_num};
use crate::api::quote::go_quote;
use crate::api::types::{Ingress, networking as net};
use crate::api::{MetaExt, Timestamp, cells};
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{invalid_each, object_meta, object_meta_update};
use crate::apiserver::validation::names::{self, name_is_dns_label, name_is_dns_subdomain};
use crate::apiserver::validation::{BadValue, Errors, FieldError, Path, ip, list, or_default, text};
use crate::apiserver::warnings;

impl Strategy for Ingress {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "Class",
            "The name of the IngressClass resource that should be used for additional configuration",
        ),
        Column::text("Hosts", "Hosts that incoming requests are matched against before the ingress rule"),
        Column::text("Address", "Address is a list containing ingress points for the load-balancer"),
        Column::text("Ports", "Ports of TLS configurations that open"),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage { prefix: Some("ingress"), ..Storage::PLAIN };

    nothing_for!(convert, warnings_on_update, field);

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        this.spec.get_or_insert_default();
        // Go writes the structs even when they are empty.
        this.status.get_or_insert_default().load_balancer.get_or_insert_default();
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let new = Rc::make_mut(this);
        new.metadata.generation = Some(1);
        new.status = None;
        <Self as Strategy>::default(this);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        count_change(&mut this.metadata, &old.metadata, this.spec != old.spec);
    }

    status_keeps_spec!();

    fn validate(&self, errs: &mut Errors) {
        validate_parts(errs, self, None);
        let class = self.spec.as_ref().and_then(|s| s.ingress_class_name.as_deref());
        if let (Some(annotation), Some(class)) = (self.metadata.annotation(CLASS_ANNOTATION), class)
            && annotation != class
        {
            let at = Path::new("annotations").child(CLASS_ANNOTATION);
            let message = "must match `ingressClassName` when both are specified";
            errs.push(FieldError::invalid(&at, annotation, message));
        }
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        validate_parts(errs, self, Some(old));
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        let path = Path::new("status").child("loadBalancer").child("ingress");
        for (i, point) in points(self).iter().enumerate() {
            let at = path.index(i);
            let address = text(&point.ip);
            if !address.is_empty() {
                let stored = points(old).iter().filter_map(|o| o.ip.as_ref());
                ip::kept_ip(errs, address, stored, &at.child("ip"));
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

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        let classed = self.spec.as_ref().is_some_and(|s| s.ingress_class_name.is_some());
        if self.metadata.annotation(CLASS_ANNOTATION).is_some() && !classed {
            out.push(format!(
                "annotation {CLASS_ANNOTATION} is deprecated, please use 'spec.ingressClassName' instead",
                CLASS_ANNOTATION = go_quote(CLASS_ANNOTATION)
            ));
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let spec = self.spec.clone().unwrap_or_default();
        let tls = spec.tls.as_ref().is_some_and(|t| !t.is_empty());
        vec![
            name(&self.metadata),
            spec.ingress_class_name.unwrap_or_else(|| "<none>".into()),
            hosts(spec.rules.as_deref().unwrap_or_default()),
            cells::ingress_addresses(self),
            if tls { "80, 443" } else { "80" }.to_owned(),
            created(&self.metadata, now),
        ]
    }
}

/// The addresses at which the Ingress can be reached.
fn points(ingress: &Ingress) -> &[net::IngressLoadBalancerIngress] {
    let balancer = ingress.status.as_ref().and_then(|s| s.load_balancer.as_ref());
    balancer.map_or(&[], |b| list(&b.ingress))
}

/// Warns of the addresses in a new status that are not in their canonical form (`WarningsOnUpdate` of the status strategy).
pub(in crate::apiserver) fn warn_of_status(out: &mut Vec<String>, new: &Ingress) {
    let path = Path::new("status").child("loadBalancer").child("ingress");
    for (i, point) in points(new).iter().enumerate() {
        warnings::ip(out, text(&point.ip), &path.index(i));
    }
}

/// The annotation that named the class of an Ingress before there was a field for it.
pub(in crate::apiserver) const CLASS_ANNOTATION: &str = "kubernetes.io/ingress.class";

const NOT_AN_IP: &str = "must be a DNS name, not an IP address";

const PATH_SEQUENCES: &[&str] = &["//", "/./", "/../", "%2f", "%2F"];

const PATH_SUFFIXES: &[&str] = &["/..", "/."];

/// What was wrong before may stay wrong: names of secrets, and the paths of hosts with a wildcard.
fn validate_parts(errs: &mut Errors, ingress: &Ingress, old: Option<&Ingress>) {
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
                    let messages = is_valid_port_num(number.into()).into_iter();
                    errs.extend(messages.map(|m| FieldError::invalid(&at.child("number"), number, m)));
                }
                (name, 0) => invalid_each(errs, &at.child("name"), name, is_valid_port_name(name)),
                _ => errs.push(FieldError::invalid(path, "", "cannot set both port name & port number")),
            }
        }
        (None, None) => {
            errs.push(FieldError::invalid(path, "", "resource or service backend is required"));
        }
    }
}

/// Validates how another object is referred to (`validateIngressTypedLocalObjectReference`).
pub(super) fn reference(errs: &mut Errors, group: Option<&str>, kind: &str, name: &str, path: &Path) {
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

/// How many hosts a cell shows.
const HOSTS_SHOWN: usize = 3;

/// The hosts of the rules, as a cell shows them (`formatHosts`): rules without a host count as places, too.
fn hosts(rules: &[net::IngressRule]) -> String {
    let mut shown: Vec<&str> = Vec::new();
    let mut more = false;
    for host in rules.iter().map(|r| r.host.as_deref().unwrap_or_default()) {
        more |= shown.len() == HOSTS_SHOWN;
        if !more && !host.is_empty() {
            shown.push(host);
        }
    }
    match (shown.join(","), more) {
        (text, _) if text.is_empty() => "*".into(),
        (text, true) => format!("{text} + {} more...", rules.len() - HOSTS_SHOWN),
        (text, false) => text,
    }
}
