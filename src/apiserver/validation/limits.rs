//! LimitRanges and ResourceQuotas (`pkg/apis/core/validation`). Where Go iterates a map, names come in
//! order.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::quantity::{Amount, Format, amount_of};
use crate::api::types as t;
use t::Quantity;

use super::field::{BadValue, Errors, FieldError, Path, json_strings};
use super::meta::{IMMUTABLE, invalid_each, object_meta, object_meta_update};
use super::names::{self, name_is_dns_subdomain};
use super::{list, or_default, resources};

type Resources = BTreeMap<String, Quantity>;

pub(in crate::apiserver) fn limit_range(errs: &mut Errors, range: &t::LimitRange) {
    object_meta(errs, &range.metadata, true, name_is_dns_subdomain);
    let path = Path::new("spec").child("limits");
    let mut seen = BTreeSet::new();
    for (i, item) in range.spec.iter().flat_map(|s| &s.limits).enumerate() {
        let path = path.index(i);
        type_name(errs, &item.type_, &path.child("type"));
        if !seen.insert(item.type_.as_str()) {
            errs.push(FieldError::duplicate(&path.child("type"), &item.type_));
        }
        limit(errs, item, &path);
    }
}

pub(in crate::apiserver) fn limit_range_update(errs: &mut Errors, new: &t::LimitRange, _old: &t::LimitRange) {
    limit_range(errs, new);
}

fn type_name(errs: &mut Errors, name: &str, path: &Path) {
    let messages = names::qualified_name(name);
    if !messages.is_empty() {
        invalid_each(errs, path, name, messages);
    } else if !name.contains('/') && !matches!(name, "Pod" | "Container" | "PersistentVolumeClaim") {
        errs.push(FieldError::invalid(path, name, "must be a standard limit type or fully qualified"));
    }
}

fn limit(errs: &mut Errors, item: &t::LimitRangeItem, path: &Path) {
    let none = Resources::new();
    let of = |list: &'_ Option<Resources>| list.clone().unwrap_or_default();
    let check = |errs: &mut Errors, name: &'static str, list: &Option<Resources>| {
        for key in list.iter().flatten().map(|(k, _)| k) {
            let at = path.child(name).key(key);
            match item.type_.as_str() {
                "Pod" | "Container" => resources::container_resource_name(errs, key, &at),
                _ => resources::resource_name(errs, key, &at),
            }
        }
    };
    check(errs, "max", &item.max);
    check(errs, "min", &item.min);
    let defaults = [("default", &item.default), ("defaultRequest", &item.default_request)];
    if item.type_ == "Pod" {
        for (name, list) in defaults {
            if list.as_ref().is_some_and(|l| !l.is_empty()) {
                let why = "may not be specified when `type` is 'Pod'";
                errs.push(FieldError::forbidden(&path.child(name), why));
            }
        }
    } else {
        defaults.into_iter().for_each(|(name, list)| check(errs, name, list));
    }
    let (min, max) = (of(&item.min), of(&item.max));
    if item.type_ == "PersistentVolumeClaim" && !min.contains_key("storage") && !max.contains_key("storage") {
        let why = "either minimum or maximum storage value is required, but neither was provided";
        errs.push(FieldError::required(&path.child("limits"), why));
    }
    check(errs, "maxLimitRequestRatio", &item.max_limit_request_ratio);
    let ratio = of(&item.max_limit_request_ratio);
    let (default, request) = match item.type_.as_str() {
        "Pod" => (none.clone(), none),
        _ => (of(&item.default), of(&item.default_request)),
    };
    let keys: BTreeSet<&String> =
        [&max, &min, &default, &request, &ratio].into_iter().flat_map(BTreeMap::keys).collect();
    for key in keys {
        let amount = |list: &Resources| list.get(key).map(|q| amount_of(Some(q)));
        let values = [amount(&min), amount(&max), amount(&default), amount(&request), amount(&ratio)];
        relations(errs, key, values, path);
    }
}

/// How the limits of one resource must lie to each other.
fn relations(errs: &mut Errors, key: &str, values: [Option<Amount>; 5], path: &Path) {
    let [min, max, default, request, ratio] = values;
    let mut refuse = |field: &'static str, value: Amount, why: String| {
        let value = BadValue::Str(value.canonical());
        errs.push(FieldError::invalid(&path.child(field).key(key), value, why));
    };
    let above = |a: Option<Amount>, b: Option<Amount>| a.zip(b).filter(|(a, b)| a > b);
    let text = Amount::canonical;
    if let Some((a, b)) = above(min, max) {
        refuse("min", a, format!("min value {} is greater than max value {}", text(a), text(b)));
    }
    if let Some((a, b)) = above(min, request) {
        let why = format!("min value {} is greater than default request value {}", text(a), text(b));
        refuse("defaultRequest", b, why);
    }
    if let Some((a, b)) = above(request, max) {
        let why = format!("default request value {} is greater than max value {}", text(a), text(b));
        refuse("defaultRequest", a, why);
    }
    if let Some((a, b)) = above(request, default) {
        let why =
            format!("default request value {} is greater than default limit value {}", text(a), text(b));
        refuse("defaultRequest", a, why);
    }
    if let Some((a, b)) = above(min, default) {
        refuse("default", a, format!("min value {} is greater than default value {}", text(a), text(b)));
    }
    if let Some((a, b)) = above(default, max) {
        refuse("default", b, format!("default value {} is greater than max value {}", text(a), text(b)));
    }
    if let Some(r) = ratio {
        if r < Amount::from_value(1, Format::DecimalSI) {
            refuse("maxLimitRequestRatio", r, format!("ratio {} is less than 1", text(r)));
        }
        if let (Some(min), Some(max)) = (min, max) {
            // As Go counts; a minimum of 0 makes the quotient infinite.
            let (most, have) =
                (max.milli_value() as f64 / min.milli_value() as f64, r.milli_value() as f64 / 1000.0);
            if have > most {
                refuse(
                    "maxLimitRequestRatio",
                    r,
                    format!("ratio {} is greater than max/min = {most:.6}", text(r)),
                );
            }
        }
    }
    if let (Some(d), Some(r)) = (default, request)
        && d != r
        && !resources::is_overcommit_allowed(key)
    {
        let why =
            format!("default value {} must equal to defaultRequest value {} in {key}", text(d), text(r));
        refuse("defaultRequest", r, why);
    }
}

/// Those that pods use.
const OF_PODS: &[&str] = &[
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
];
const SCOPES: &[&str] = &[
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
];

fn is_quota_resource(name: &str) -> bool {
    // Of storage a quota counts what is requested, not what there is.
    (name != "storage" && resources::STANDARD.contains(&name))
        || name.starts_with("hugepages-")
        || name.starts_with("requests.hugepages-")
}

/// Whether a scope can be put upon a resource.
fn scope_fits(scope: &str, resource: &str) -> bool {
    let pods = OF_PODS.contains(&resource) || resource.contains("hugepages-");
    match scope {
        "Terminating"
        | "NotTerminating"
        | "NotBestEffort"
        | "PriorityClass"
        | "CrossNamespacePodAffinity" => pods,
        "BestEffort" => resource == "pods",
        "VolumeAttributesClass" => matches!(resource, "persistentvolumeclaims" | "requests.storage"),
        _ => true,
    }
}

fn amounts(errs: &mut Errors, amounts: Option<&Resources>, path: &Path) {
    for (name, amount) in amounts.into_iter().flatten() {
        let at = path.key(name);
        resources::resource_name(errs, name, &at);
        if !name.contains('/') && !is_quota_resource(name) {
            errs.push(FieldError::invalid(&at, name, "must be a standard resource for quota"));
        }
        resources::resource_amount(errs, name, amount, &at);
    }
}

pub(in crate::apiserver) fn quota(errs: &mut Errors, quota: &t::ResourceQuota) {
    object_meta(errs, &quota.metadata, true, name_is_dns_subdomain);
    quota_spec(errs, quota);
    quota_status(errs, quota);
}

fn quota_spec(errs: &mut Errors, quota: &t::ResourceQuota) {
    let path = Path::new("spec");
    let none = Default::default();
    let spec = or_default(&quota.spec, &none);
    amounts(errs, spec.hard.as_ref(), &path.child("hard"));
    let used: Vec<&String> =
        spec.hard.iter().flatten().map(|(k, _)| k).filter(|k| is_quota_resource(k)).collect();
    let misfit = |scope: &str| used.iter().filter(|k| !scope_fits(scope, k)).count();
    let scopes = list(&spec.scopes);
    let at = path.child("scopes");
    for scope in scopes {
        if !SCOPES.contains(&scope.as_str()) {
            errs.push(FieldError::invalid(&at, json_strings(scopes), "unsupported scope"));
        }
        for _ in 0..misfit(scope) {
            let why = "unsupported scope applied to resource";
            errs.push(FieldError::invalid(&at, json_strings(scopes), why));
        }
    }
    conflicting(errs, scopes.iter(), scopes, &at);
    let Some(selector) = &spec.scope_selector else { return };
    let at = path.child("scopeSelector").child("matchExpressions");
    let requirements = list(&selector.match_expressions);
    for r in requirements {
        requirement(errs, r, &at);
        for _ in 0..misfit(&r.scope_name) {
            let value = crate::api::to_value(selector).to_string();
            let why = "unsupported scope applied to resource";
            errs.push(FieldError::invalid(&at, BadValue::Json(value), why));
        }
    }
    conflicting(errs, requirements.iter().map(|r| &r.scope_name), scopes, &at);
}

fn conflicting<'a>(
    errs: &mut Errors,
    given: impl Iterator<Item = &'a String>,
    shown: &[String],
    path: &Path,
) {
    let given: BTreeSet<&str> = given.map(String::as_str).collect();
    for pair in [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]] {
        if pair.iter().all(|s| given.contains(s)) {
            errs.push(FieldError::invalid(path, json_strings(shown), "conflicting scopes"));
        }
    }
}

fn requirement(errs: &mut Errors, r: &t::ScopedResourceSelectorRequirement, path: &Path) {
    let scope = r.scope_name.as_str();
    if !SCOPES.contains(&scope) {
        errs.push(FieldError::invalid(&path.child("scopeName"), scope, "unsupported scope"));
    }
    let operator = path.child("operator");
    let exists = matches!(
        scope,
        "BestEffort" | "NotBestEffort" | "Terminating" | "NotTerminating" | "CrossNamespacePodAffinity"
    );
    if exists && r.operator != "Exists" {
        let why = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
        errs.push(FieldError::invalid(&operator, &r.operator, why));
    }
    let values = list(&r.values);
    let at = path.child("values");
    match r.operator.as_str() {
        "In" | "NotIn" if values.is_empty() => {
            let why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
            errs.push(FieldError::required(&at, why));
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            let why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
            errs.push(FieldError::invalid(&at, json_strings(values), why));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        other => errs.push(FieldError::invalid(&operator, other, "not a valid selector operator")),
    }
}

fn quota_status(errs: &mut Errors, quota: &t::ResourceQuota) {
    let path = Path::new("status");
    let none = Default::default();
    let status = or_default(&quota.status, &none);
    amounts(errs, status.hard.as_ref(), &path.child("hard"));
    amounts(errs, status.used.as_ref(), &path.child("used"));
}

pub(in crate::apiserver) fn quota_update(errs: &mut Errors, new: &t::ResourceQuota, old: &t::ResourceQuota) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    quota_spec(errs, new);
    let scopes = |q: &t::ResourceQuota| q.spec.as_ref().and_then(|s| s.scopes.clone()).unwrap_or_default();
    let set = |q: &t::ResourceQuota| scopes(q).into_iter().collect::<BTreeSet<String>>();
    if set(new) != set(old) {
        let value = match scopes(new) {
            none if none.is_empty() => BadValue::Json("null".into()),
            some => json_strings(&some),
        };
        errs.push(FieldError::invalid(&Path::new("spec").child("scopes"), value, IMMUTABLE));
    }
}

pub(in crate::apiserver) fn quota_status_update(
    errs: &mut Errors,
    new: &t::ResourceQuota,
    old: &t::ResourceQuota,
) {
    object_meta_update(errs, &new.metadata, &old.metadata);
    if new.metadata.resource_version.as_deref().unwrap_or_default().is_empty() {
        errs.push(FieldError::required(&Path::new("resourceVersion"), ""));
    }
    quota_status(errs, new);
}
