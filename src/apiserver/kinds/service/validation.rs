//! Validation of a Service (`ValidateService` in `pkg/apis/core/validation/validation.go`).

use std::collections::BTreeSet;

use crate::api::MetaExt;
use crate::api::names::is_valid_port_num;
use crate::api::types as t;
use t::IntOrString;

use super::fields::{is_external, is_headless, needs_health_check};
use crate::apiserver::validation::field::{BadValue, Errors, FieldError, Path, go_json_string, json_strings};
use crate::apiserver::validation::meta::{invalid_each, labels, object_meta};
use crate::apiserver::validation::names::{self, name_is_dns_label};
use crate::apiserver::validation::{internal, ip, list, or_default, probe, text};

/// The longest session affinity, in seconds: a day.
const MAX_CLIENT_IP_AFFINITY_SECONDS: i32 = 86400;
const SOURCE_RANGES: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";
const TOPOLOGY_MODE: &str = "service.kubernetes.io/topology-mode";
const TOPOLOGY_HINTS: &str = "service.kubernetes.io/topology-aware-hints";
const ONLY_LOAD_BALANCER: &str = "may only be used when `type` is 'LoadBalancer'";

/// Validates a new Service (`ValidateServiceCreate`).
pub(super) fn create(errs: &mut Errors, service: &t::Service) {
    object_meta(errs, &service.metadata, true, name_is_dns_label);
    validate(errs, service, None);
}

/// Validates what holds for a Service at any time but the metadata (`validateService`). Addresses that `old` has need not be
/// mended.
pub(super) fn validate(errs: &mut Errors, service: &t::Service, old: Option<&t::Service>) {
    let before = old.and_then(|o| o.spec.as_ref());
    if let (Some(mode), Some(hints)) =
        (service.metadata.annotation(TOPOLOGY_MODE), service.metadata.annotation(TOPOLOGY_HINTS))
        && mode != hints
    {
        let at = Path::new("metadata").child("annotations").key(TOPOLOGY_MODE);
        let message = format!("must match annotations[{TOPOLOGY_HINTS}] when both are specified");
        errs.push(FieldError::invalid(&at, mode, message));
    }
    let path = Path::new("spec");
    let none = Default::default();
    let spec = or_default(&service.spec, &none);
    let kind = text(&spec.type_);
    let ports = list(&spec.ports);
    if ports.is_empty() && !is_headless(spec) && kind != "ExternalName" {
        errs.push(FieldError::required(&path.child("ports"), ""));
    }
    match kind {
        "LoadBalancer" | "NodePort" if is_headless(spec) => errs.push(FieldError::invalid(
            &path.child("clusterIPs").index(0),
            "None",
            format!("may not be set to 'None' for {kind} services"),
        )),
        "ExternalName" => external_name(errs, spec, &path),
        _ => {}
    }
    let mut names = BTreeSet::new();
    for (i, port) in ports.iter().enumerate() {
        service_port(errs, port, ports.len() > 1, &mut names, &path.child("ports").index(i));
    }
    labels(errs, spec.selector.as_ref(), &path.child("selector"));
    session_affinity(errs, spec, &path);
    cluster_ips(errs, spec, before, &path);
    for (i, address) in list(&spec.external_ips).iter().enumerate() {
        let at = path.child("externalIPs").index(i);
        let stored = before.iter().flat_map(|s| list(&s.external_ips));
        if ip::kept_ip(errs, address, stored, &at) {
            ip::endpoint_ip(errs, address, &at);
        }
    }
    let at = path.child("type");
    if kind.is_empty() {
        errs.push(FieldError::required(&at, ""));
    } else if !matches!(kind, "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort") {
        let kinds = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
        errs.push(FieldError::not_supported(&at, kind, &kinds));
    }
    duplicate_ports(errs, kind, ports, &path.child("ports"));
    source_ranges(errs, service, old, &path);
    if spec.allocate_load_balancer_node_ports.is_some() && kind != "LoadBalancer" {
        errs.push(FieldError::forbidden(&path.child("allocateLoadBalancerNodePorts"), ONLY_LOAD_BALANCER));
    }
    if spec.allocate_load_balancer_node_ports.is_none() && kind == "LoadBalancer" {
        errs.push(FieldError::required(&Path::new("allocateLoadBalancerNodePorts"), ""));
    }
    load_balancer_class(errs, spec);
    traffic(errs, spec, &path);
}

/// Validates the class of the load balancer, which no other type may have.
pub(in crate::apiserver) fn load_balancer_class(errs: &mut Errors, spec: &t::ServiceSpec) {
    let Some(class) = &spec.load_balancer_class else { return };
    let at = Path::new("spec").child("loadBalancerClass");
    if text(&spec.type_) == "LoadBalancer" {
        invalid_each(errs, &at, class, names::qualified_name(class));
    } else {
        errs.push(FieldError::forbidden(&at, ONLY_LOAD_BALANCER));
    }
}

fn external_name(errs: &mut Errors, spec: &t::ServiceSpec, path: &Path) {
    let not_external = "may not be set for ExternalName services";
    if !list(&spec.cluster_ips).is_empty() {
        errs.push(FieldError::forbidden(&path.child("clusterIPs"), not_external));
    }
    if !list(&spec.ip_families).is_empty() {
        errs.push(FieldError::forbidden(&path.child("ipFamilies"), not_external));
    }
    if spec.ip_family_policy.is_some() {
        errs.push(FieldError::forbidden(&path.child("ipFamilyPolicy"), not_external));
    }
    let name = text(&spec.external_name);
    let name = name.strip_suffix('.').unwrap_or(name);
    let at = path.child("externalName");
    if name.is_empty() {
        errs.push(FieldError::required(&at, ""));
    } else {
        invalid_each(errs, &at, name, names::dns1123_subdomain(name));
    }
}

fn service_port<'s>(
    errs: &mut Errors,
    port: &'s t::ServicePort,
    require_name: bool,
    seen: &mut BTreeSet<&'s str>,
    path: &Path,
) {
    let name = text(&port.name);
    if !name.is_empty() {
        invalid_each(errs, &path.child("name"), name, names::dns1123_label(name));
        if !seen.insert(name) {
            errs.push(FieldError::duplicate(&path.child("name"), name));
        }
    } else if require_name {
        errs.push(FieldError::required(&path.child("name"), ""));
    }
    for message in is_valid_port_num(port.port.into()) {
        errs.push(FieldError::invalid(&path.child("port"), port.port, message));
    }
    crate::apiserver::validation::container::protocol(errs, text(&port.protocol), &path.child("protocol"));
    let target = port.target_port.clone().unwrap_or(IntOrString::Int(0));
    probe::port_number_or_name(errs, &target, &path.child("targetPort"));
    if let Some(protocol) = &port.app_protocol {
        invalid_each(errs, &path.child("appProtocol"), protocol, names::qualified_name(protocol));
    }
}

fn session_affinity(errs: &mut Errors, spec: &t::ServiceSpec, path: &Path) {
    let affinity = text(&spec.session_affinity);
    let config = path.child("sessionAffinityConfig");
    match affinity {
        "" => errs.push(FieldError::required(&path.child("sessionAffinity"), "")),
        "None" => {
            if spec.session_affinity_config.is_some() {
                let message = "must not be set when session affinity is None";
                errs.push(FieldError::forbidden(&config, message));
            }
        }
        "ClientIP" => {
            let when = "when session affinity type is ClientIP";
            match &spec.session_affinity_config {
                None => errs.push(FieldError::required(&config, when)),
                Some(c) => match &c.client_ip {
                    None => errs.push(FieldError::required(&config.child("clientIP"), when)),
                    Some(client) => {
                        let at = config.child("clientIP").child("timeoutSeconds");
                        match client.timeout_seconds {
                            None => errs.push(FieldError::required(&at, when)),
                            Some(s) if s <= 0 || s > MAX_CLIENT_IP_AFFINITY_SECONDS => {
                                errs.push(FieldError::invalid(
                                    &at,
                                    s,
                                    format!(
                                        "must be greater than 0 and less than {MAX_CLIENT_IP_AFFINITY_SECONDS}"
                                    ),
                                ));
                            }
                            Some(_) => {}
                        }
                    }
                },
            }
        }
        other => {
            errs.push(FieldError::not_supported(&path.child("sessionAffinity"), other, &["ClientIP", "None"]))
        }
    }
}

/// Validates cluster IPs, families and their policy against each other (`ValidateServiceClusterIPsRelatedFields`).
pub(in crate::apiserver) fn cluster_ips(
    errs: &mut Errors,
    spec: &t::ServiceSpec,
    before: Option<&t::ServiceSpec>,
    path: &Path,
) {
    if text(&spec.type_) == "ExternalName" {
        return;
    }
    let at = path.child("clusterIPs");
    let ips = list(&spec.cluster_ips);
    let first = text(&spec.cluster_ip);
    match (first, ips) {
        ("", []) => {}
        ("", _) => errs.push(FieldError::invalid(
            &at,
            json_strings(ips),
            "must be empty when `clusterIP` is not specified",
        )),
        (_, []) => errs.push(FieldError::required(&at, "")),
        (first, [ip, ..]) if ip != first => {
            errs.push(FieldError::invalid(&at, json_strings(ips), "first value must match `clusterIP`"));
        }
        _ => {}
    }
    let families = list(&spec.ip_families);
    let mut seen = BTreeSet::new();
    for (i, family) in families.iter().enumerate() {
        let at = path.child("ipFamilies").index(i);
        if !matches!(family.as_str(), "IPv4" | "IPv6") {
            errs.push(FieldError::not_supported(&at, family, &["IPv4", "IPv6"]));
        }
        if !seen.insert(family) {
            errs.push(FieldError::duplicate(&at, family));
        }
    }
    if let Some(policy) = &spec.ip_family_policy
        && !matches!(policy.as_str(), "PreferDualStack" | "RequireDualStack" | "SingleStack")
    {
        errs.push(FieldError::not_supported(
            &path.child("ipFamilyPolicy"),
            BadValue::Json(go_json_string(policy)),
            &["PreferDualStack", "RequireDualStack", "SingleStack"],
        ));
    }
    let mut bad = false;
    for (i, address) in ips.iter().enumerate() {
        if i == 0 && address == "None" {
            if ips.len() > 1 {
                bad = true;
                let message = "'None' must be the first and only value";
                errs.push(FieldError::invalid(&at, json_strings(ips), message));
            }
            continue;
        }
        let stored = before.iter().flat_map(|s| list(&s.cluster_ips));
        bad |= !ip::kept_ip(errs, address, stored, &at.index(i));
    }
    if ips.len() > 2 {
        errs.push(FieldError::invalid(&at, json_strings(ips), "may only hold up to 2 values"));
    }
    if bad {
        return;
    }
    if ips.len() > 1 && !ip::is_dual_stack(ips) {
        let message = "may specify no more than one IP for each IP family";
        errs.push(FieldError::invalid(&at, json_strings(ips), message));
    }
    if !is_headless(spec) {
        for (i, (address, family)) in ips.iter().zip(families).enumerate() {
            let six = ip::is_ipv6(address);
            if (family == "IPv4" && six) || (family == "IPv6" && !six) {
                let message = format!("expected an {family} value as indicated by `ipFamilies[{i}]`");
                errs.push(FieldError::invalid(&at.index(i), address, message));
            }
        }
    }
}

fn duplicate_ports(errs: &mut Errors, kind: &str, ports: &[t::ServicePort], path: &Path) {
    let node_port = |p: &t::ServicePort| p.node_port.unwrap_or_default();
    if kind == "ClusterIP" {
        for (i, _) in ports.iter().enumerate().filter(|(_, p)| node_port(p) != 0) {
            let at = path.index(i).child("nodePort");
            errs.push(FieldError::forbidden(&at, "may not be used when `type` is 'ClusterIP'"));
        }
    }
    let mut seen = BTreeSet::new();
    for (i, port) in ports.iter().enumerate().filter(|(_, p)| node_port(p) != 0) {
        if !seen.insert((text(&port.protocol), node_port(port))) {
            errs.push(FieldError::duplicate(&path.index(i).child("nodePort"), node_port(port)));
        }
    }
    let mut seen = BTreeSet::new();
    for (i, port) in ports.iter().enumerate() {
        if !seen.insert((text(&port.protocol), port.port)) {
            // Kubernetes quotes the key by which it compares ports.
            let key =
                t::ServicePort { protocol: port.protocol.clone(), port: port.port, ..Default::default() };
            errs.push(FieldError::duplicate(&path.index(i), internal::quote("ServicePort", &key)));
        }
    }
}

fn source_ranges(errs: &mut Errors, service: &t::Service, old: Option<&t::Service>, path: &Path) {
    let none = Default::default();
    let spec = or_default(&service.spec, &none);
    let before = old.and_then(|o| o.spec.as_ref());
    let balancer = text(&spec.type_) == "LoadBalancer";
    let ranges = list(&spec.load_balancer_source_ranges);
    if !ranges.is_empty() {
        let at = path.child("LoadBalancerSourceRanges");
        if !balancer {
            errs.push(FieldError::forbidden(&at, ONLY_LOAD_BALANCER));
        }
        for (i, range) in ranges.iter().enumerate() {
            let mut stored = before.iter().flat_map(|s| list(&s.load_balancer_source_ranges));
            if !stored.any(|old| old.trim() == range.trim()) {
                ip::legacy_cidr(errs, range.trim(), &at.index(i));
            }
        }
    } else if let Some(value) = service.metadata.annotation(SOURCE_RANGES) {
        let at = Path::new("metadata").child("annotations").key(SOURCE_RANGES);
        if !balancer {
            errs.push(FieldError::forbidden(&at, ONLY_LOAD_BALANCER));
        }
        let kept = old.and_then(|o| o.metadata.annotation(SOURCE_RANGES)) == Some(value);
        for range in value.trim().split(',').filter(|_| !kept && !value.trim().is_empty()) {
            ip::legacy_cidr(errs, range.trim(), &at);
        }
    }
}

fn traffic(errs: &mut Errors, spec: &t::ServiceSpec, path: &Path) {
    let external = text(&spec.external_traffic_policy);
    let at = path.child("externalTrafficPolicy");
    if !is_external(spec) {
        if !external.is_empty() {
            let message = "may only be set for externally-accessible services";
            errs.push(FieldError::invalid(&at, external, message));
        }
    } else if external.is_empty() {
        errs.push(FieldError::required(&at, ""));
    } else if !matches!(external, "Cluster" | "Local") {
        errs.push(FieldError::not_supported(&at, external, &["Cluster", "Local"]));
    }
    let port = spec.health_check_node_port.unwrap_or_default();
    let at = path.child("healthCheckNodePort");
    if needs_health_check(spec) {
        if port == 0 {
            errs.push(FieldError::required(&at, ""));
        } else {
            let messages = is_valid_port_num(port.into()).into_iter();
            errs.extend(messages.map(|m| FieldError::invalid(&at, port, m)));
        }
    } else if port != 0 {
        errs.push(FieldError::invalid(
            &at,
            port,
            "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
        ));
    }
    let at = path.child("internalTrafficPolicy");
    match &spec.internal_traffic_policy {
        None if matches!(text(&spec.type_), "NodePort" | "LoadBalancer" | "ClusterIP") => {
            errs.push(FieldError::required(&at, ""));
        }
        Some(policy) if !matches!(policy.as_str(), "Cluster" | "Local") => {
            errs.push(FieldError::not_supported(&at, policy, &["Cluster", "Local"]));
        }
        _ => {}
    }
    if let Some(distribution) = &spec.traffic_distribution
        && !matches!(distribution.as_str(), "PreferClose" | "PreferSameZone" | "PreferSameNode")
    {
        errs.push(FieldError::not_supported(
            &path.child("trafficDistribution"),
            distribution,
            &["PreferClose", "PreferSameZone", "PreferSameNode"],
        ));
    }
}
