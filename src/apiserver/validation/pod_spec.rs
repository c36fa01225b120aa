//! Pods and pod templates.

use std::collections::BTreeSet;

use crate::api::go_types::{self, Json};
use crate::api::names::inclusive_range_error;
use crate::api::order;
use crate::api::types as t;
use crate::api::well_known::{
    APP_ARMOR_ANNOTATION_PREFIX, CONFIG_MIRROR_ANNOTATION as MIRROR, SECCOMP_CONTAINER_ANNOTATION_PREFIX,
    SECCOMP_POD_ANNOTATION,
};

use super::container::{self, PodScope};
use super::field::{Errors, FieldError, Path, go_quote, json_strings};
use super::local_path::local_descending_path;
use super::meta::{annotations, invalid_each, label_name, labels};
use super::names::{self};
use super::{env, internal, ip, list, or_default, resources, scheduling, security, text, volume};

/// The tolerations of a pod, from before there was a field for them.
const TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/tolerations";
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// Limits of the resolver's configuration: numbers of entries, and characters of all searches together.
const MAX_NAMESERVERS: usize = 3;
const MAX_SEARCHES: usize = 32;
const MAX_SEARCH_CHARS: usize = 2048;

/// Validates the annotations that mean something to Kubernetes (`ValidatePodSpecificAnnotations`). The name of the node is not
/// always in the spec.
pub(in crate::apiserver) fn pod_annotations(
    errs: &mut Errors,
    meta: &t::ObjectMeta,
    spec: &t::PodSpec,
    node_name: Option<&str>,
    path: &Path,
) {
    let Some(annotations) = &meta.annotations else { return };
    if let Some(value) = annotations.get(MIRROR)
        && node_name.unwrap_or_default().is_empty()
    {
        let message = "must set spec.nodeName if mirror pod annotation is set";
        errs.push(FieldError::invalid(&path.key(MIRROR), value, message));
    }
    if let Some(value) = annotations.get(TOLERATIONS).filter(|v| !v.is_empty()) {
        match tolerations_of(value) {
            Ok(tolerations) => scheduling::tolerations(errs, &tolerations, &path.child(TOLERATIONS)),
            Err(why) => errs.push(FieldError::invalid(path, TOLERATIONS, why)),
        }
    }
    if let Some(cost) = annotations.get(DELETION_COST) {
        // `+1` and `01` parse as numbers, but are not allowed.
        let plain = cost == "0" || cost.starts_with(['-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
        if !plain || cost.parse::<i32>().is_err() {
            errs.push(FieldError::invalid(&path.key(DELETION_COST), cost, "must be a 32bit integer"));
        }
    }
    if let Some(profile) = annotations.get(SECCOMP_POD_ANNOTATION) {
        seccomp_annotation(errs, profile, &path.child(SECCOMP_POD_ANNOTATION));
    }
    for (key, profile) in
        annotations.iter().filter(|(k, _)| k.starts_with(SECCOMP_CONTAINER_ANNOTATION_PREFIX))
    {
        seccomp_annotation(errs, profile, &path.named(key));
    }
    for (key, profile) in annotations {
        let Some(name) = key.strip_prefix(APP_ARMOR_ANNOTATION_PREFIX) else { continue };
        let mut names = list(&spec.init_containers).iter().chain(&spec.containers).map(|c| &c.name);
        let mut ephemeral = list(&spec.ephemeral_containers).iter().map(|c| &c.name);
        if !names.any(|n| n == name) && !ephemeral.any(|n| n == name) {
            errs.push(FieldError::invalid(&path.key(key), name, "container not found"));
        }
        let known = matches!(profile.as_str(), "" | "runtime/default" | "unconfined");
        if !known && !profile.starts_with("localhost/") {
            let message = format!("invalid AppArmor profile name: {}", go_quote(profile));
            errs.push(FieldError::invalid(&path.key(key), profile, message));
        }
    }
}

/// Validates the profile that an annotation names (`ValidateSeccompProfile`).
fn seccomp_annotation(errs: &mut Errors, profile: &str, path: &Path) {
    if matches!(profile, "runtime/default" | "docker/default" | "unconfined") {
        return;
    }
    match profile.strip_prefix("localhost/") {
        Some(file) => local_descending_path(errs, file, path),
        None => errs.push(FieldError::invalid(path, profile, "must be a valid seccomp profile")),
    }
}

/// The tolerations that stand in an annotation as JSON. Kubernetes decodes them for a struct whose fields have no names of
/// JSON, so the case of letters does not matter (`GetTolerationsFromPodAnnotations`).
///
/// # Errors
/// The words of Go's decoder.
fn tolerations_of(annotation: &str) -> Result<Vec<t::Toleration>, String> {
    let wrong = |value: &Json, what: &str| format!("json: cannot unmarshal {} into Go {what}", value.word());
    let items = match go_types::parse(annotation.as_bytes())? {
        Json::Null => return Ok(Vec::new()),
        Json::List(items) => items,
        other => return Err(wrong(&other, "value of type []core.Toleration")),
    };
    let decode = |item: &Json| {
        let mut toleration = t::Toleration::default();
        let fields = match item {
            Json::Null => &[][..],
            Json::Object(fields) => fields,
            other => return Err(wrong(other, "value of type core.Toleration")),
        };
        for (name, value) in fields.iter().filter(|(_, v)| *v != Json::Null) {
            let at = |field: &str, kind: &str| {
                wrong(value, &format!("struct field Toleration.{field} of type {kind}"))
            };
            let text = |field: &str, kind: &str| {
                value.as_str().map(str::to_owned).ok_or_else(|| at(field, kind)).map(Some)
            };
            match name.to_lowercase().as_str() {
                "key" => toleration.key = text("Key", "string")?,
                "operator" => toleration.operator = text("Operator", "core.TolerationOperator")?,
                "value" => toleration.value = text("Value", "string")?,
                "effect" => toleration.effect = text("Effect", "core.TaintEffect")?,
                "tolerationseconds" => {
                    let seconds = match value {
                        Json::Number(number) => number.parse().map_err(|_| {
                            let field = "struct field Toleration.TolerationSeconds of type int64";
                            format!("json: cannot unmarshal number {number} into Go {field}")
                        })?,
                        _ => return Err(at("TolerationSeconds", "int64")),
                    };
                    toleration.toleration_seconds = Some(seconds);
                }
                _ => {}
            }
        }
        Ok(toleration)
    };
    items.iter().map(decode).collect()
}

/// Validates a pod template (`ValidatePodTemplateSpec`).
pub(in crate::apiserver) fn template(errs: &mut Errors, template: &t::PodTemplateSpec, path: &Path) {
    let none = Default::default();
    let spec = or_default(&template.spec, &none);
    template_metadata(errs, template, path);
    pod_spec(errs, spec, None, &path.child("spec"));
    if !list(&spec.ephemeral_containers).is_empty() {
        let at = path.child("spec").child("ephemeralContainers");
        errs.push(FieldError::forbidden(&at, "ephemeral containers not allowed in pod template"));
    }
}

/// Validates the labels and annotations of a pod template.
pub(in crate::apiserver) fn template_metadata(errs: &mut Errors, template: &t::PodTemplateSpec, path: &Path) {
    let none = Default::default();
    let meta = or_default(&template.metadata, &none);
    let none = Default::default();
    let spec = or_default(&template.spec, &none);
    labels(errs, meta.labels.as_ref(), &path.child("labels"));
    annotations(errs, meta.annotations.as_ref(), &path.child("annotations"));
    pod_annotations(errs, meta, spec, spec.node_name.as_deref(), &path.child("annotations"));
}

/// Validates the spec of a Pod, if `meta` is the metadata of one, or of a pod template (`ValidatePodSpec`).
pub(in crate::apiserver) fn pod_spec(
    errs: &mut Errors,
    spec: &t::PodSpec,
    meta: Option<&t::ObjectMeta>,
    path: &Path,
) {
    if spec.termination_grace_period_seconds.is_none() {
        errs.push(FieldError::required(&path.child("terminationGracePeriodSeconds"), ""));
    }
    let volumes = volume::volumes(errs, list(&spec.volumes), meta, &path.child("volumes"));
    let claims = list(&spec.resource_claims);
    if is_mirror(meta) {
        // Kubernetes reports these at no field.
        let refused = claims.iter().map(|_| "static pods do not support resource claims");
        errs.extend(refused.map(|message| FieldError::forbidden(&Path::new(""), message)));
    } else {
        resource_claims(errs, claims, &path.child("resourceClaims"));
    }
    let claims = order::gather(claims.iter().map(|c| c.name.as_str()).filter(|n| !n.is_empty()));
    let scope = PodScope { spec, volumes, claims };
    container::containers(errs, &scope, &path.child("containers"));
    container::init_containers(errs, &scope, &path.child("initContainers"));
    container::ephemeral_containers(errs, &scope, &path.child("ephemeralContainers"));
    resources::pod_requirements(errs, spec, &scope.claims, &path.child("resources"));
    host_network_ports(errs, spec, meta.is_some(), &path.child("containers"));
    let at = path.child("restartPolicy");
    match text(&spec.restart_policy) {
        "Always" | "OnFailure" | "Never" => {}
        "" => errs.push(FieldError::required(&at, "")),
        other => {
            let policies = ["Always", "OnFailure", "Never"];
            errs.push(FieldError::not_supported(&at, other, &policies));
        }
    }
    let at = path.child("dnsPolicy");
    match text(&spec.dns_policy) {
        "ClusterFirstWithHostNet" | "ClusterFirst" | "Default" | "None" => {}
        "" => errs.push(FieldError::required(&at, "")),
        other => {
            let policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
            errs.push(FieldError::not_supported(&at, other, &policies));
        }
    }
    labels(errs, spec.node_selector.as_ref(), &path.child("nodeSelector"));
    security::pod(errs, spec, &path.child("securityContext"));
    scheduling::affinity(errs, spec.affinity.as_ref(), &path.child("affinity"));
    dns_config(errs, spec, &path.child("dnsConfig"));
    for (i, gate) in list(&spec.readiness_gates).iter().enumerate() {
        let at = path.child("readinessGates").index(i).child("conditionType");
        label_name(errs, &gate.condition_type, &at);
    }
    scheduling_gates(errs, list(&spec.scheduling_gates), &path.child("schedulingGates"));
    let constraints = list(&spec.topology_spread_constraints);
    scheduling::spread_constraints(errs, constraints, &path.child("topologySpreadConstraints"));
    security::host_users(errs, spec, path);
    hostname_override(errs, spec, &path.child("hostnameOverride"));
    names_and_numbers(errs, spec, path);
    env::file_key_ref_volumes(errs, spec, path);
}

/// Validates `hostnameOverride`, which excludes the other fields that decide the hostname (`validatePodHostName`).
fn hostname_override(errs: &mut Errors, spec: &t::PodSpec, path: &Path) {
    const MAX: usize = 64;
    let Some(name) = &spec.hostname_override else { return };
    for (field, set) in [("setHostnameAsFQDN", spec.set_hostname_as_fqdn), ("hostNetwork", spec.host_network)]
    {
        if set == Some(true) {
            let message = format!("may not be specified when {field} is true");
            errs.push(FieldError::forbidden(path, message));
        }
    }
    if name.len() > MAX {
        errs.push(FieldError::too_long(path, MAX));
    }
    security::dns_name(errs, name, path);
}

fn names_and_numbers(errs: &mut Errors, spec: &t::PodSpec, path: &Path) {
    for (name, value) in [("serviceAccountName", &spec.service_account_name), ("nodeName", &spec.node_name)] {
        if !text(value).is_empty() {
            security::dns_name(errs, text(value), &path.child(name));
        }
    }
    let max = i64::from(i32::MAX);
    if let Some(seconds) = spec.active_deadline_seconds.filter(|s| !(1..=max).contains(s)) {
        let at = path.child("activeDeadlineSeconds");
        errs.push(FieldError::invalid(&at, seconds, inclusive_range_error(1, max)));
    }
    for (name, value) in [("hostname", &spec.hostname), ("subdomain", &spec.subdomain)] {
        if !text(value).is_empty() {
            invalid_each(errs, &path.child(name), text(value), names::dns1123_label(text(value)));
        }
    }
    scheduling::tolerations(errs, list(&spec.tolerations), &path.child("tolerations"));
    for (i, alias) in list(&spec.host_aliases).iter().enumerate() {
        let at = path.child("hostAliases").index(i);
        ip::legacy_ip(errs, &alias.ip, &at.child("ip"));
        for (j, host) in list(&alias.hostnames).iter().enumerate() {
            security::dns_name(errs, host, &at.child("hostnames").index(j));
        }
    }
    if !text(&spec.priority_class_name).is_empty() {
        security::dns_name(errs, text(&spec.priority_class_name), &path.child("priorityClassName"));
    }
    if let Some(class) = &spec.runtime_class_name {
        security::dns_name(errs, class, &path.child("runtimeClassName"));
    }
    if let Some(policy) = &spec.preemption_policy {
        scheduling::preemption_policy(errs, policy, &path.child("preemptionPolicy"));
    }
    if let Some(overhead) = &spec.overhead {
        resources::overhead(errs, overhead, &path.child("overhead"));
    }
    security::os(errs, spec, path);
}

/// Whether the metadata are those of the mirror of a static pod.
fn is_mirror(meta: Option<&t::ObjectMeta>) -> bool {
    meta.is_some_and(|m| m.annotations.iter().any(|a| a.contains_key(MIRROR)))
}

fn resource_claims(errs: &mut Errors, claims: &[t::PodResourceClaim], path: &Path) {
    let mut seen = BTreeSet::new();
    for (i, claim) in claims.iter().enumerate() {
        let at = path.index(i);
        let name = claim.name.as_str();
        if name.is_empty() {
            errs.push(FieldError::required(&at.child("name"), ""));
        } else if seen.contains(name) {
            errs.push(FieldError::duplicate(&at.child("name"), name));
        } else {
            invalid_each(errs, &at.child("name"), name, names::dns1123_label(name));
            seen.insert(name);
        }
        let message = match (&claim.resource_claim_name, &claim.resource_claim_template_name) {
            (Some(_), Some(_)) => {
                Some("at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified")
            }
            (None, None) => Some("must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"),
            _ => None,
        };
        if let Some(message) = message {
            errs.push(FieldError::invalid(&at, internal::quote("PodResourceClaim", claim), message));
        }
        for (name, value) in [
            ("resourceClaimName", &claim.resource_claim_name),
            ("resourceClaimTemplateName", &claim.resource_claim_template_name),
        ] {
            if let Some(value) = value {
                security::dns_name(errs, value, &at.child(name));
            }
        }
    }
}

/// Validates that ports of a pod in the host's network are the host's. In a template they need not be set.
fn host_network_ports(errs: &mut Errors, spec: &t::PodSpec, is_pod: bool, path: &Path) {
    if spec.host_network != Some(true) {
        return;
    }
    for (i, container) in spec.containers.iter().enumerate() {
        for (j, port) in list(&container.ports).iter().enumerate() {
            let host = port.host_port.unwrap_or_default();
            if (is_pod || host != 0) && host != port.container_port {
                let at = path.index(i).child("ports").index(j).child("hostPort");
                let message = "must match `containerPort` when `hostNetwork` is true";
                errs.push(FieldError::invalid(&at, host, message));
            }
        }
    }
}

fn scheduling_gates(errs: &mut Errors, gates: &[t::PodSchedulingGate], path: &Path) {
    let mut seen = BTreeSet::new();
    for (i, gate) in gates.iter().enumerate() {
        label_name(errs, &gate.name, &path.index(i));
        if !seen.insert(&gate.name) {
            errs.push(FieldError::duplicate(&path.index(i), &gate.name));
        }
    }
}

fn dns_config(errs: &mut Errors, spec: &t::PodSpec, path: &Path) {
    let servers = spec.dns_config.as_ref().map(|c| list(&c.nameservers));
    if text(&spec.dns_policy) == "None" {
        match servers {
            None => {
                let message = "must provide `dnsConfig` when `dnsPolicy` is None";
                errs.push(FieldError::required(path, message));
                return;
            }
            Some([]) => {
                let message = "must provide at least one DNS nameserver when `dnsPolicy` is None";
                errs.push(FieldError::required(&path.child("nameservers"), message));
                return;
            }
            Some(_) => {}
        }
    }
    let Some(config) = &spec.dns_config else { return };
    let at = path.child("nameservers");
    let servers = list(&config.nameservers);
    if servers.len() > MAX_NAMESERVERS {
        let message = format!("must not have more than {MAX_NAMESERVERS} nameservers");
        errs.push(FieldError::invalid(&at, json_strings(servers), message));
    }
    for (i, server) in servers.iter().enumerate() {
        ip::legacy_ip(errs, server, &at.index(i));
    }
    let at = path.child("searches");
    let searches = list(&config.searches);
    if searches.len() > MAX_SEARCHES {
        let message = format!("must not have more than {MAX_SEARCHES} search paths");
        errs.push(FieldError::invalid(&at, json_strings(searches), message));
    }
    if searches.join(" ").len() > MAX_SEARCH_CHARS {
        let message = format!(
            "must not have more than {MAX_SEARCH_CHARS} characters (including spaces) in the search list"
        );
        errs.push(FieldError::invalid(&at, json_strings(searches), message));
    }
    for (i, search) in searches.iter().enumerate().filter(|(_, s)| *s != ".") {
        let search = search.strip_suffix('.').unwrap_or(search);
        invalid_each(errs, &at.index(i), search, names::dns1123_subdomain_with_underscore(search));
    }
    for (i, option) in list(&config.options).iter().enumerate() {
        if text(&option.name).is_empty() {
            errs.push(FieldError::required(&path.child("options").index(i), "must not be empty"));
        }
    }
}
