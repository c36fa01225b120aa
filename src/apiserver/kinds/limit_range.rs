//! LimitRange.
//!
//! Read from Kubernetes' `pkg/apis/core/types.go`, `pkg/apis/core/v1/defaults.go`,
//! `pkg/apis/core/validation/validation.go`, `pkg/registry/core/limitrange/strategy.go` and
//! `pkg/printers/internalversion/printers.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::storage::Storage;
use super::{CREATED_AT, Column, NAME, SelectableFields, Strategy};
use crate::api::Timestamp;
use crate::api::quantity::{Amount, Format, amount_of};
use crate::api::types::{LimitRange, LimitRangeItem, Quantity};
use crate::apiserver::defaults::quantities;
use crate::apiserver::printers::created_at;
use crate::apiserver::validation::meta::{invalid_each, object_meta};
use crate::apiserver::validation::{
    BadValue, Errors, FieldError, Path, name_is_dns_subdomain, names, resources,
};

impl Strategy for LimitRange {
    const COLUMNS: &'static [Column] = &[NAME, CREATED_AT];
    const SELECTABLE_FIELDS: SelectableFields = SelectableFields::NameAndNamespace;
    const ALLOW_CREATE_ON_UPDATE: bool = true;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage::PLAIN;

    nothing_for! {
        convert, prepare_for_create, prepare_for_update, prepare_for_status_update, validate_status_update,
        warnings_on_create, warnings_on_update, field
    }

    fn default(this: &mut Rc<Self>) {
        let this = Rc::make_mut(this);
        let limits = this.spec.iter_mut().flat_map(|s| s.limits.iter_mut());
        for item in limits {
            // What is not said about a container follows from what is.
            if item.type_ == "Container" {
                fill(&mut item.default, item.max.as_ref());
                fill(&mut item.default_request, item.default.as_ref());
                fill(&mut item.default_request, item.min.as_ref());
            }
            for list in [
                &mut item.max,
                &mut item.min,
                &mut item.default,
                &mut item.default_request,
                &mut item.max_limit_request_ratio,
            ] {
                quantities::list(list);
            }
        }
    }

    fn validate(&self, errs: &mut Errors) {
        object_meta(errs, &self.metadata, true, name_is_dns_subdomain);
        let path = Path::new("spec").child("limits");
        let mut seen = BTreeSet::new();
        for (i, item) in self.spec.iter().flat_map(|s| &s.limits).enumerate() {
            let path = path.index(i);
            type_name(errs, &item.type_, &path.child("type"));
            if !seen.insert(item.type_.as_str()) {
                errs.push(FieldError::duplicate(&path.child("type"), &item.type_));
            }
            limit(errs, item, &path);
        }
    }

    fn validate_update(&self, _old: &Self, errs: &mut Errors) {
        self.validate(errs);
    }

    fn row(&self, _now: Timestamp) -> Vec<String> {
        created_at(&self.metadata)
    }
}

type Resources = BTreeMap<String, Quantity>;

/// Adds the amounts of `from` for which `into` has none.
fn fill(into: &mut Option<Resources>, from: Option<&Resources>) {
    for (name, amount) in from.into_iter().flatten() {
        into.get_or_insert_default().entry(name.clone()).or_insert_with(|| amount.clone());
    }
}

fn type_name(errs: &mut Errors, name: &str, path: &Path) {
    let messages = names::qualified_name(name);
    if !messages.is_empty() {
        invalid_each(errs, path, name, messages);
    } else if !name.contains('/') && !matches!(name, "Pod" | "Container" | "PersistentVolumeClaim") {
        errs.push(FieldError::invalid(path, name, "must be a standard limit type or fully qualified"));
    }
}

fn limit(errs: &mut Errors, item: &LimitRangeItem, path: &Path) {
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
