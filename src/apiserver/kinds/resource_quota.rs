//! ResourceQuota.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/defaults.go`,
//! `pkg/apis/core/validation/validation.go`, `pkg/registry/core/resourcequota/strategy.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::quantity::amount_of;
use crate::api::types::{Quantity, ResourceQuota, ScopedResourceSelectorRequirement};
use crate::apiserver::defaults::quantities;
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::meta::{IMMUTABLE, object_meta, object_meta_update};
use crate::apiserver::validation::{
    BadValue, Errors, FieldError, Path, json_strings, list, name_is_dns_subdomain, or_default, resources,
};

impl Strategy for ResourceQuota {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text(
            "Request",
            "Request represents a minimum amount of cpu/memory that a container may consume.",
        ),
        Column::text(
            "Limit",
            "Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.",
        ),
        AGE,
    ];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::RETURNS_DELETED_OBJECT;

    nothing_for!(convert, warnings_on_update, field);

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        quantities::list(&mut this.spec.get_or_insert_default().hard);
        let status = this.status.get_or_insert_default();
        quantities::list(&mut status.hard);
        quantities::list(&mut status.used);
    }

    fn prepare_for_create(this: &mut Rc<Self>, _creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.status = Some(Default::default());
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
    }

    status_keeps_spec!();

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        validate_spec(errs, self);
        validate_status(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        validate_spec(errs, self);
        let scopes = |q: &ResourceQuota| q.spec.as_ref().and_then(|s| s.scopes.clone()).unwrap_or_default();
        let set = |q: &ResourceQuota| scopes(q).into_iter().collect::<BTreeSet<String>>();
        if set(self) != set(old) {
            let value = match scopes(self) {
                none if none.is_empty() => BadValue::Json("null".into()),
                some => json_strings(&some),
            };
            errs.push(FieldError::invalid(&Path::new("spec").child("scopes"), value, IMMUTABLE));
        }
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        object_meta_update(errs, &self.metadata, &old.metadata);
        if self.metadata.resource_version.as_deref().unwrap_or_default().is_empty() {
            errs.push(FieldError::required(&Path::new("resourceVersion"), ""));
        }
        validate_status(errs, self);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        let hard = |name: &str| self.spec.as_ref()?.hard.as_ref()?.get(name).map(|q| amount_of(Some(q)));
        for resource in ["cpu", "memory", "storage", "ephemeral-storage"] {
            let mut requests = format!("requests.{resource}");
            let mut request = hard(&requests);
            // A quota may name what is requested of these without the prefix.
            if request.is_none() && matches!(resource, "cpu" | "memory") {
                resource.clone_into(&mut requests);
                request = hard(resource);
            }
            let limits = format!("limits.{resource}");
            if let (Some(request), Some(limit)) = (request, hard(&limits))
                && request > limit
            {
                out.push(format!(
                    "ResourceQuota {requests} ({}) should be less than {limits} ({})",
                    request.canonical(),
                    limit.canonical()
                ));
            }
        }
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let status = self.status.clone().unwrap_or_default();
        let (mut requests, mut limits) = (Vec::new(), Vec::new());
        for (resource, hard) in status.hard.iter().flatten() {
            let used = status.used.as_ref().and_then(|u| u.get(resource));
            let text =
                format!("{resource}: {}/{}", amount_of(used).canonical(), amount_of(Some(hard)).canonical());
            if resource.starts_with("limits") { limits.push(text) } else { requests.push(text) }
        }
        vec![name(&self.metadata), requests.join(", "), limits.join(", "), created(&self.metadata, now)]
    }
}

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
    (name != "storage" && resources::is_standard(name))
        || name.starts_with("hugepages-")
        || name.starts_with("requests.hugepages-")
}

/// Whether a scope can be put upon a resource.
fn scope_fits(scope: &str, resource: &str) -> bool {
    let pods =
        resource == "pods" || resources::COMPUTE.contains(&resource) || resource.contains("hugepages-");
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

fn amounts(errs: &mut Errors, amounts: Option<&BTreeMap<String, Quantity>>, path: &Path) {
    for (name, amount) in amounts.into_iter().flatten() {
        let at = path.key(name);
        resources::resource_name(errs, name, &at);
        if !name.contains('/') && !is_quota_resource(name) {
            errs.push(FieldError::invalid(&at, name, "must be a standard resource for quota"));
        }
        resources::resource_amount(errs, name, amount, &at);
    }
}

fn validate_spec(errs: &mut Errors, quota: &ResourceQuota) {
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

fn requirement(errs: &mut Errors, r: &ScopedResourceSelectorRequirement, path: &Path) {
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

fn validate_status(errs: &mut Errors, quota: &ResourceQuota) {
    let path = Path::new("status");
    let none = Default::default();
    let status = or_default(&quota.status, &none);
    amounts(errs, status.hard.as_ref(), &path.child("hard"));
    amounts(errs, status.used.as_ref(), &path.child("used"));
}
