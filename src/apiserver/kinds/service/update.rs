//! Validation of an update of a Service and of its status (`ValidateServiceUpdate`, `ValidateServiceStatusUpdate` in
//! `pkg/apis/core/validation/validation.go`).

use crate::api::types as t;

use super::fields::{is_headless, needs_health_check};
use super::validation::{load_balancer_class, validate};
use crate::apiserver::validation::field::{BadValue, Errors, FieldError, Path, go_json_string, json_strings};
use crate::apiserver::validation::meta::{invalid_each, object_meta_update};
use crate::apiserver::validation::{ip, list, names, or_default, text};
use crate::apiserver::warnings;

const ONCE: &str = "may not change once set";

pub(in crate::apiserver) fn update(errs: &mut Errors, new: &t::Service, old: &t::Service) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let none = Default::default();
    let spec = or_default(&new.spec, &none);
    let none_before = Default::default();
    let before = or_default(&old.spec, &none_before);
    if text(&spec.type_) != "ExternalName" && text(&before.type_) != "ExternalName" {
        cluster_ips(errs, spec, before);
        families(errs, spec, before);
    }
    let balancers = text(&spec.type_) == "LoadBalancer" && text(&before.type_) == "LoadBalancer";
    if balancers && spec.load_balancer_class != before.load_balancer_class {
        let value = quote(&spec.load_balancer_class);
        errs.push(FieldError::invalid(&Path::new("spec").child("loadBalancerClass"), value, ONCE));
    }
    load_balancer_class(errs, spec);
    if needs_health_check(before)
        && needs_health_check(spec)
        && spec.health_check_node_port != before.health_check_node_port
    {
        errs.push(FieldError::forbidden(
            &Path::new("spec").child("healthCheckNodePort"),
            "field is immutable",
        ));
    }
    validate(errs, new, Some(old));
}

/// A string behind a pointer, as a message quotes it.
fn quote(value: &Option<String>) -> BadValue {
    BadValue::Json(value.as_ref().map_or_else(|| "null".to_owned(), |v| go_json_string(v)))
}

/// Refuses an update that drops the second address or family without setting the policy `SingleStack`.
fn must_be_single_stack(errs: &mut Errors, spec: &t::ServiceSpec, what: &str) {
    if spec.ip_family_policy.as_deref() != Some("SingleStack") {
        errs.push(FieldError::invalid(
            &Path::new("spec").child("ipFamilyPolicy"),
            quote(&spec.ip_family_policy),
            format!("must be set to 'SingleStack' when releasing the secondary {what}"),
        ));
    }
}

fn cluster_ips(errs: &mut Errors, spec: &t::ServiceSpec, before: &t::ServiceSpec) {
    if is_headless(spec) && is_headless(before) {
        return;
    }
    let (ips, ips_before) = (list(&spec.cluster_ips), list(&before.cluster_ips));
    let at = Path::new("spec").child("clusterIPs");
    let first_changed = matches!((ips.first(), ips_before.first()), (Some(a), Some(b)) if a != b);
    match ips.len().cmp(&ips_before.len()) {
        std::cmp::Ordering::Equal => {
            for (i, _) in ips.iter().zip(ips_before).enumerate().filter(|(_, (a, b))| a != b) {
                errs.push(FieldError::invalid(&at.index(i), json_strings(ips), ONCE));
            }
        }
        std::cmp::Ordering::Less => {
            if ips.is_empty() {
                let message = "primary clusterIP can not be unset";
                errs.push(FieldError::invalid(&at.index(0), json_strings(ips), message));
            }
            if first_changed {
                errs.push(FieldError::invalid(&at.index(0), json_strings(ips), ONCE));
            }
            if ips.len() == 1 {
                must_be_single_stack(errs, spec, "clusterIP");
            }
        }
        std::cmp::Ordering::Greater => {
            if first_changed {
                errs.push(FieldError::invalid(&at.index(0), json_strings(ips), ONCE));
            }
        }
    }
}

fn families(errs: &mut Errors, spec: &t::ServiceSpec, before: &t::ServiceSpec) {
    if is_headless(spec) || is_headless(before) {
        return;
    }
    let (new, old) = (list(&spec.ip_families), list(&before.ip_families));
    let at = Path::new("spec").child("ipFamilies").index(0);
    let first_changed = matches!((new.first(), old.first()), (Some(a), Some(b)) if a != b);
    // Kubernetes quotes the cluster IPs where it means the families.
    let ips = json_strings(list(&spec.cluster_ips));
    match new.len().cmp(&old.len()) {
        std::cmp::Ordering::Equal => {
            for _ in new.iter().zip(old).filter(|(a, b)| a != b) {
                errs.push(FieldError::invalid(&at, json_strings(new), ONCE));
            }
        }
        std::cmp::Ordering::Less => {
            if list(&spec.cluster_ips).is_empty() {
                let message = "primary ipFamily can not be unset";
                errs.push(FieldError::invalid(&at, json_strings(new), message));
            }
            if first_changed {
                errs.push(FieldError::invalid(&at, ips, ONCE));
            }
            if new.len() == 1 {
                must_be_single_stack(errs, spec, "ipFamily");
            }
        }
        std::cmp::Ordering::Greater => {
            if first_changed {
                errs.push(FieldError::invalid(&at, ips, ONCE));
            }
        }
    }
}

/// The addresses of the Service's load balancer.
fn ingresses_of(service: &t::Service) -> &[t::LoadBalancerIngress] {
    let balancer = service.status.as_ref().and_then(|s| s.load_balancer.as_ref());
    balancer.map_or(&[], |b| list(&b.ingress))
}

/// Warns of the addresses in a new status that are not in their canonical form (`WarningsOnUpdate` of the status strategy in
/// `pkg/registry/core/service/strategy.go`).
pub(in crate::apiserver) fn warn_of_status(out: &mut Vec<String>, new: &t::Service) {
    let path = Path::new("status").child("loadBalancer").child("ingress");
    for (i, ingress) in ingresses_of(new).iter().enumerate() {
        warnings::ip(out, text(&ingress.ip), &path.index(i));
    }
}

pub(in crate::apiserver) fn status_update(errs: &mut Errors, new: &t::Service, old: &t::Service) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    let ingresses = ingresses_of(new);
    let path = Path::new("status").child("loadBalancer").child("ingress");
    let kind = new.spec.as_ref().map_or("", |s| text(&s.type_));
    if kind != "LoadBalancer" && !ingresses.is_empty() {
        errs.push(FieldError::forbidden(&path, "may only be used when `spec.type` is 'LoadBalancer'"));
        return;
    }
    for (i, ingress) in ingresses.iter().enumerate() {
        let at = path.index(i);
        let address = text(&ingress.ip);
        if !address.is_empty() {
            let stored = ingresses_of(old).iter().filter_map(|i| i.ip.as_ref());
            ip::kept_ip(errs, address, stored, &at.child("ip"));
        }
        let mode = at.child("ipMode");
        match &ingress.ip_mode {
            None if !address.is_empty() => {
                errs.push(FieldError::required(&mode, "must be specified when `ip` is set"));
            }
            Some(_) if address.is_empty() => {
                errs.push(FieldError::forbidden(&mode, "may not be specified when `ip` is not set"));
            }
            Some(m) if !matches!(m.as_str(), "Proxy" | "VIP") => {
                let value = BadValue::Json(go_json_string(m));
                errs.push(FieldError::not_supported(&mode, value, &["Proxy", "VIP"]));
            }
            _ => {}
        }
        let host = text(&ingress.hostname);
        if !host.is_empty() {
            let at = at.child("hostname");
            invalid_each(errs, &at, host, names::dns1123_subdomain(host));
            if ip::is_ip(host) {
                let message = "must be a DNS name, not an IP address";
                errs.push(FieldError::invalid(&at, host, message));
            }
        }
    }
}
