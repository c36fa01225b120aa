//! Names and amounts of resources.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::quantity::{Amount, amount_of};
use crate::api::resource::{
    Amounts, container_limits, container_requests, is_extended, is_huge_page, is_native,
};
use crate::api::types as t;
use t::Quantity;

use super::field::{Errors, FieldError, Path};
use super::meta::{NEGATIVE, invalid_each};
use super::{list, names, text};

/// The compute resources of pods, as quotas name them.
pub(in crate::apiserver) const COMPUTE: &[&str] = &[
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
];
/// The resources that are numbers of objects.
const COUNTED: &[&str] = &[
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
];

/// Whether a resource is one without a domain that Kubernetes knows, huge pages aside.
pub(in crate::apiserver) fn is_standard(name: &str) -> bool {
    COMPUTE.contains(&name) || COUNTED.contains(&name) || matches!(name, "storage" | "requests.storage")
}

/// Whether more may be limited than is requested.
pub(in crate::apiserver) fn is_overcommit_allowed(name: &str) -> bool {
    is_native(name) && !is_huge_page(name)
}

pub(in crate::apiserver) fn resource_name(errs: &mut Errors, name: &str, path: &Path) {
    let messages = names::qualified_name(name);
    if !messages.is_empty() {
        invalid_each(errs, path, name, messages);
        return;
    }
    let standard = is_standard(name) || is_huge_page(name) || name.starts_with("requests.hugepages-");
    if !name.contains('/') && !standard {
        errs.push(FieldError::invalid(path, name, "must be a standard resource type or fully qualified"));
    }
}

pub(in crate::apiserver) fn container_resource_name(errs: &mut Errors, name: &str, path: &Path) {
    resource_name(errs, name, path);
    if !name.contains('/') {
        if !matches!(name, "cpu" | "memory" | "ephemeral-storage") && !is_huge_page(name) {
            errs.push(FieldError::invalid(path, name, "must be a standard resource for containers"));
        }
    } else if !is_native(name) && !is_extended(name) {
        errs.push(FieldError::invalid(path, name, "doesn't follow extended resource name standard"));
    }
}

fn pod_resource_name(errs: &mut Errors, name: &str, path: &Path) {
    let before = errs.len();
    resource_name(errs, name, path);
    if errs.len() == before && !matches!(name, "cpu" | "memory") && !is_huge_page(name) {
        errs.push(FieldError::not_supported(path, name, &["cpu", "hugepages-", "memory"]));
    }
}

/// An amount that may not be negative, and of some resources must be whole.
pub(in crate::apiserver) fn resource_amount(errs: &mut Errors, name: &str, amount: &Quantity, path: &Path) {
    let value = amount_of(Some(amount));
    if value < amount_of(None) {
        errs.push(FieldError::invalid(path, &value.canonical(), NEGATIVE));
    }
    if (COUNTED.contains(&name) || is_extended(name)) && value.milli_value() % 1000 != 0 {
        errs.push(FieldError::invalid(path, &value.canonical(), "must be an integer"));
    }
}

fn huge_page_amount(errs: &mut Errors, name: &str, amount: &Quantity, path: &Path) {
    let Some(size) = name.strip_prefix("hugepages-") else { return };
    let value = amount_of(Some(amount));
    let size = Amount::parse(size).map(Amount::value).unwrap_or_default();
    if size <= 0 || value.value() <= 0 || value.value() % size != 0 {
        let text = value.canonical();
        errs.push(FieldError::invalid(
            path,
            &text,
            format!("{text} is not positive integer multiple of {name}"),
        ));
    }
}

/// What a container requests and may use. `claims` are the names of the pod's resource claims.
pub(in crate::apiserver) fn requirements(
    errs: &mut Errors,
    requirements: &t::ResourceRequirements,
    claims: &BTreeSet<&str>,
    path: &Path,
) {
    amounts(errs, requirements, container_resource_name, path);
    resource_claims(errs, list(&requirements.claims), claims, &path.child("claims"));
}

/// What a pod as a whole requests and may use.
pub(in crate::apiserver) fn pod_requirements(
    errs: &mut Errors,
    spec: &t::PodSpec,
    claims: &BTreeSet<&str>,
    path: &Path,
) {
    let Some(resources) = &spec.resources else { return };
    if spec.os.as_ref().is_some_and(|os| os.name == "windows") {
        errs.push(FieldError::forbidden(path, "may not be set for a windows pod"));
        return;
    }
    if resources.claims.is_some() {
        let message = "claims may not be set for Resources at pod-level";
        errs.push(FieldError::forbidden(&path.child("claims"), message));
    }
    amounts(errs, resources, pod_resource_name, path);
    resource_claims(errs, list(&resources.claims), claims, &path.child("claims"));
    let none = BTreeMap::new();
    let requests = resources.requests.as_ref().unwrap_or(&none);
    let limits = resources.limits.as_ref().unwrap_or(&none);
    // Only an amount that the pod says as a whole is compared with the sum of its containers. Limits may add up to more than the
    // pod's, but for huge pages.
    let huge = container_limits(spec).into_iter().filter(|(name, _)| is_huge_page(name));
    let sums =
        [("requests", requests, container_requests(spec)), ("limits", limits, huge.collect::<Amounts>())];
    for (field, said, sums) in sums {
        for (name, sum) in sums {
            let Some(own) = said.get(&name).map(|q| amount_of(Some(q))) else { continue };
            if sum > own {
                let sum = sum.canonical();
                let message =
                    format!("must be greater than or equal to aggregate container {field} of {sum}");
                errs.push(FieldError::invalid(&path.child(field).key(&name), &own.canonical(), message));
            }
        }
    }
    for (i, container) in spec.containers.iter().enumerate() {
        for (name, limit) in container.resources.iter().flat_map(|r| r.limits.iter().flatten()) {
            let Some(own) = limits.get(name) else { continue };
            let (limit, own) = (amount_of(Some(limit)), amount_of(Some(own)));
            if limit > own {
                errs.push(FieldError::invalid(
                    &path.child("containers").index(i).key(name).child("limits"),
                    &limit.canonical(),
                    format!("must be less than or equal to pod limits of {}", own.canonical()),
                ));
            }
        }
    }
}

/// A pod's overhead is looked at as limits.
pub(in crate::apiserver) fn overhead(errs: &mut Errors, overhead: &BTreeMap<String, Quantity>, path: &Path) {
    let as_limits = t::ResourceRequirements { limits: Some(overhead.clone()), ..Default::default() };
    amounts(errs, &as_limits, container_resource_name, path);
}

fn amounts(
    errs: &mut Errors,
    requirements: &t::ResourceRequirements,
    name_rule: fn(&mut Errors, &str, &Path),
    path: &Path,
) {
    let none = BTreeMap::new();
    let limits = requirements.limits.as_ref().unwrap_or(&none);
    let requests = requirements.requests.as_ref().unwrap_or(&none);
    for (name, amount) in limits {
        let at = path.child("limits").key(name);
        name_rule(errs, name, &at);
        resource_amount(errs, name, amount, &at);
        huge_page_amount(errs, name, amount, &at);
    }
    let at_requests = path.child("requests");
    for (name, amount) in requests {
        let at = at_requests.key(name);
        name_rule(errs, name, &at);
        resource_amount(errs, name, amount, &at);
        let request = amount_of(Some(amount));
        match limits.get(name).map(|l| amount_of(Some(l))) {
            Some(limit) => {
                let relation = if request != limit && !is_overcommit_allowed(name) {
                    Some("equal to")
                } else if request > limit {
                    Some("less than or equal to")
                } else {
                    None
                };
                if let Some(relation) = relation {
                    let message = format!("must be {relation} {name} limit of {}", limit.canonical());
                    errs.push(FieldError::invalid(&at_requests, &request.canonical(), message));
                }
            }
            None if !is_overcommit_allowed(name) => errs.push(FieldError::required(
                &path.child("limits"),
                "Limit must be set for non overcommitable resources",
            )),
            None => {}
        }
        huge_page_amount(errs, name, amount, &at);
    }
    let mut names = limits.keys().chain(requests.keys());
    let computes = names.clone().any(|n| matches!(n.as_str(), "cpu" | "memory"));
    if !computes && names.any(|n| is_huge_page(n)) {
        errs.push(FieldError::forbidden(path, "HugePages require cpu or memory"));
    }
}

/// The names of the claims that a container uses.
fn resource_claims(
    errs: &mut Errors,
    claims: &[t::ContainerResourceClaim],
    known: &BTreeSet<&str>,
    path: &Path,
) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for (i, claim) in claims.iter().enumerate() {
        let at = path.index(i);
        let name = claim.name.as_str();
        if name.is_empty() {
            errs.push(FieldError::required(&at, ""));
            continue;
        }
        if seen.contains(name) {
            errs.push(FieldError::duplicate(&at, name));
        } else {
            let request = text(&claim.request);
            let key = if request.is_empty() { name.to_owned() } else { format!("{name}/{request}") };
            if !request.is_empty() {
                invalid_each(errs, &at.child("request"), request, names::dns1123_label(request));
            }
            if seen.contains(&key) {
                errs.push(FieldError::duplicate(&at, &key));
            } else if request.is_empty() {
                let used = seen.iter().filter(|k| k.split_once('/').is_some_and(|(n, _)| n == name)).count();
                errs.extend((0..used).map(|_| FieldError::duplicate(&at, name)));
            }
            seen.insert(key);
        }
        if !known.contains(name) {
            let mut error = FieldError::not_found(&at, name);
            error.detail = "must be one of the names in pod.spec.resourceClaims".to_owned();
            if known.is_empty() {
                error.detail.push_str(" which is empty");
            } else {
                let known: Vec<&str> = known.iter().copied().collect();
                error.detail.push_str(&format!(": {}", known.join(", ")));
            }
            errs.push(error);
        }
    }
}

/// Whether an amount is greater than zero; if it is not, that is an error (`ValidatePositiveQuantityValue`).
pub(in crate::apiserver) fn positive(errs: &mut Errors, quantity: &Quantity, path: &Path) -> bool {
    let amount = amount_of(Some(quantity));
    let ok = amount > amount_of(None);
    if !ok {
        errs.push(FieldError::invalid(path, &amount.canonical(), "must be greater than zero"));
    }
    ok
}
