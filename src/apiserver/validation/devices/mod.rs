//! What claims and device classes ask for: requests, constraints, configuration and selectors
//! (`pkg/apis/resource/validation/validation.go`, as far as several kinds share it).

mod names;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

pub(in crate::apiserver) use names::{
    device_name, driver_name, fully_qualified_name, label_value, pool_name, qualified_name, request_name,
};

use super::meta::{invalid_each, label_name};
use super::{BadValue, Errors, FieldError, Path, list, names as common, text};
use crate::api::types::RawExtension;
use crate::api::types::resource::{
    DeviceClaim, DeviceClaimConfiguration, DeviceConstraint, DeviceRequest, DeviceSelector, DeviceSubRequest,
    DeviceToleration, ExactDeviceRequest, MAX_SELECTOR_COST, MAX_SELECTOR_LENGTH, OpaqueDeviceConfiguration,
    ResourceClaimSpec,
};
use crate::cel::DeviceCompiler;

/// How many requests a claim has, and how many of them something names (`DeviceRequestsMaxSize`).
pub(in crate::apiserver) const MAX_REQUESTS: usize = 32;
/// How many constraints a claim has (`DeviceConstraintsMaxSize`).
const MAX_CONSTRAINTS: usize = 32;
/// How many configurations a claim or a class has (`DeviceConfigMaxSize`).
pub(in crate::apiserver) const MAX_CONFIG: usize = 32;
/// How many selectors a request or a class has (`DeviceSelectorsMaxSize`).
const MAX_SELECTORS: usize = 32;
/// How many alternatives a request has (`FirstAvailableDeviceRequestMaxSize`).
const MAX_ALTERNATIVES: usize = 8;
/// The size of the parameters of a driver, in bytes (`OpaqueParametersMaxLength`).
const MAX_PARAMETERS: usize = 10 * 1024;
/// The effects of a taint of a device.
pub(in crate::apiserver) const EFFECTS: [&str; 3] = ["NoExecute", "NoSchedule", "None"];

/// Whether a list is short enough to look at its items (`validateSlice`).
pub(in crate::apiserver) fn fits<T>(errs: &mut Errors, items: &[T], max: usize, path: &Path) -> bool {
    if items.len() > max {
        errs.push(FieldError::too_many(path, items.len(), max));
    }
    items.len() <= max
}

/// Refuses items whose key another item has (`validateSet`).
pub(in crate::apiserver) fn unique<K: Ord>(
    errs: &mut Errors,
    keys: impl IntoIterator<Item = K>,
    path: &Path,
    value: impl Fn(&K) -> BadValue,
) {
    let mut seen = BTreeSet::new();
    for (i, key) in keys.into_iter().enumerate() {
        if seen.contains(&key) {
            errs.push(FieldError::duplicate(&path.index(i), value(&key)));
        } else {
            seen.insert(key);
        }
    }
}

/// [`unique`] for texts.
pub(in crate::apiserver) fn unique_texts<'a>(
    errs: &mut Errors,
    keys: impl IntoIterator<Item = &'a str>,
    path: &Path,
) {
    unique(errs, keys, path, |key| BadValue::from(*key));
}

/// The requests of a claim by name, with the names of their alternatives (`gatherRequestNames`).
pub(in crate::apiserver) struct RequestNames<'a>(BTreeMap<&'a str, BTreeSet<&'a str>>);

impl<'a> RequestNames<'a> {
    pub fn of(claim: &'a ResourceClaimSpec) -> RequestNames<'a> {
        let requests = claim.devices.iter().flat_map(|d| list(&d.requests));
        let named = requests.map(|request| {
            let alternatives = list(&request.first_available).iter().map(|sub| sub.name.as_str());
            (request.name.as_str(), alternatives.collect())
        });
        RequestNames(named.collect())
    }

    fn has(&self, name: &str) -> bool {
        match name.split_once('/') {
            None => self.0.contains_key(name),
            Some((request, sub)) => self.0.get(request).is_some_and(|subs| subs.contains(sub)),
        }
    }

    /// Validates the name of a request, or of an alternative of one (`validateRequestNameRef`).
    pub fn reference(&self, errs: &mut Errors, name: &str, path: &Path) {
        const WRONG: &str = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
        let segments: Vec<&str> = name.split('/').collect();
        if segments.len() > 2 {
            errs.push(FieldError::invalid(path, name, WRONG));
            return;
        }
        segments.iter().for_each(|segment| request_name(errs, segment, path));
        if !self.has(name) {
            errs.push(FieldError::invalid(path, name, WRONG));
        }
    }

    /// Validates the names of the requests that something is about.
    pub fn references(&self, errs: &mut Errors, names: &[String], path: &Path) {
        if !fits(errs, names, MAX_REQUESTS, path) {
            return;
        }
        for (i, name) in names.iter().enumerate() {
            self.reference(errs, name, &path.index(i));
        }
        unique_texts(errs, names.iter().map(String::as_str), path);
    }
}

/// Validates the spec of a claim (`validateResourceClaimSpec`).
pub(in crate::apiserver) fn claim_spec(errs: &mut Errors, spec: &ResourceClaimSpec, path: &Path) {
    let names = RequestNames::of(spec);
    let none = DeviceClaim::default();
    let claim = spec.devices.as_ref().unwrap_or(&none);
    let path = path.child("devices");
    let (requests, at) = (list(&claim.requests), path.child("requests"));
    if fits(errs, requests, MAX_REQUESTS, &at) {
        for (i, request) in requests.iter().enumerate() {
            device_request(errs, request, &at.index(i));
        }
        unique_texts(errs, requests.iter().map(|r| r.name.as_str()), &at);
    }
    let (constraints, at) = (list(&claim.constraints), path.child("constraints"));
    if fits(errs, constraints, MAX_CONSTRAINTS, &at) {
        for (i, constraint) in constraints.iter().enumerate() {
            device_constraint(errs, constraint, &names, &at.index(i));
        }
    }
    let (config, at) = (list(&claim.config), path.child("config"));
    if fits(errs, config, MAX_CONFIG, &at) {
        for (i, config) in config.iter().enumerate() {
            claim_configuration(errs, config, &names, &at.index(i));
        }
    }
}

fn device_request(errs: &mut Errors, request: &DeviceRequest, path: &Path) {
    request_name(errs, &request.name, &path.child("name"));
    let alternatives = list(&request.first_available);
    match (&request.exactly, alternatives) {
        (None, []) => {
            let why = "exactly one of `exactly` or `firstAvailable` is required";
            errs.push(FieldError::required(path, why));
        }
        (Some(exactly), []) => exact_request(errs, exactly, &path.child("exactly")),
        (None, _) => {
            let at = path.child("firstAvailable");
            if fits(errs, alternatives, MAX_ALTERNATIVES, &at) {
                for (i, sub) in alternatives.iter().enumerate() {
                    sub_request(errs, sub, &at.index(i));
                }
                unique_texts(errs, alternatives.iter().map(|sub| sub.name.as_str()), &at);
            }
        }
        (Some(_), _) => {
            let why = "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set";
            errs.push(FieldError::invalid(path, BadValue::Json("null".to_owned()), why));
        }
    }
}

fn sub_request(errs: &mut Errors, sub: &DeviceSubRequest, path: &Path) {
    request_name(errs, &sub.name, &path.child("name"));
    device_class(errs, &sub.device_class_name, &path.child("deviceClassName"));
    selectors(errs, list(&sub.selectors), false, &path.child("selectors"));
    allocation_mode(errs, text(&sub.allocation_mode), sub.count, path);
    tolerations(errs, list(&sub.tolerations), &path.child("tolerations"));
}

fn exact_request(errs: &mut Errors, request: &ExactDeviceRequest, path: &Path) {
    device_class(errs, &request.device_class_name, &path.child("deviceClassName"));
    selectors(errs, list(&request.selectors), false, &path.child("selectors"));
    allocation_mode(errs, text(&request.allocation_mode), request.count, path);
    tolerations(errs, list(&request.tolerations), &path.child("tolerations"));
}

fn device_class(errs: &mut Errors, class: &str, path: &Path) {
    if class.is_empty() {
        errs.push(FieldError::required(path, ""));
    } else {
        invalid_each(errs, path, class, common::dns1123_subdomain(class));
    }
}

fn allocation_mode(errs: &mut Errors, mode: &str, count: Option<i64>, path: &Path) {
    let (count, at) = (count.unwrap_or(0), path.child("count"));
    match mode {
        "All" if count != 0 => {
            let why = format!("must not be specified when allocationMode is '{mode}'");
            errs.push(FieldError::invalid(&at, count, why));
        }
        "ExactCount" if count <= 0 => {
            errs.push(FieldError::invalid(&at, count, "must be greater than zero"));
        }
        "All" | "ExactCount" => {}
        other => {
            let at = path.child("allocationMode");
            errs.push(FieldError::not_supported(&at, other, &["All", "ExactCount"]));
        }
    }
}

/// Validates the selectors of a request or a class, and whether each of them can be asked. Those that are `stored` can.
pub(in crate::apiserver) fn selectors(
    errs: &mut Errors,
    selectors: &[DeviceSelector],
    stored: bool,
    path: &Path,
) {
    if fits(errs, selectors, MAX_SELECTORS, path) {
        for (i, selector) in selectors.iter().enumerate() {
            let at = path.index(i).child("cel");
            match &selector.cel {
                None => errs.push(FieldError::required(&at, "")),
                Some(_) if stored => {}
                Some(cel) => expression(errs, &cel.expression, &at.child("expression")),
            }
        }
    }
}

fn expression(errs: &mut Errors, expression: &str, path: &Path) {
    if expression.len() > MAX_SELECTOR_LENGTH {
        errs.push(FieldError::too_long(path, MAX_SELECTOR_LENGTH));
        return;
    }
    match DeviceCompiler::new().compile(expression) {
        Err(why) => errs.push(FieldError::invalid(path, expression, why)),
        Ok(program) if program.estimate_cost().max > MAX_SELECTOR_COST => {
            errs.push(FieldError::forbidden(path, "too complex, exceeds cost limit"));
        }
        Ok(_) => {}
    }
}

fn device_constraint(errs: &mut Errors, of: &DeviceConstraint, names: &RequestNames<'_>, path: &Path) {
    names.references(errs, list(&of.requests), &path.child("requests"));
    if let Some(attribute) = &of.match_attribute {
        fully_qualified_name(errs, attribute, &path.child("matchAttribute"));
    } else if let Some(attribute) = &of.distinct_attribute {
        fully_qualified_name(errs, attribute, &path.child("distinctAttribute"));
    } else {
        // Kubernetes has these words for one that sets none.
        let why = "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are set";
        errs.push(FieldError::required(path, why));
    }
}

fn claim_configuration(
    errs: &mut Errors,
    config: &DeviceClaimConfiguration,
    names: &RequestNames<'_>,
    path: &Path,
) {
    names.references(errs, list(&config.requests), &path.child("requests"));
    configuration(errs, config.opaque.as_ref(), false, path);
}

/// Validates what is to be told a driver (`validateDeviceConfiguration`). What is `stored` may be longer than what is new.
pub(in crate::apiserver) fn configuration(
    errs: &mut Errors,
    opaque: Option<&OpaqueDeviceConfiguration>,
    stored: bool,
    path: &Path,
) {
    let path = path.child("opaque");
    let Some(opaque) = opaque else {
        errs.push(FieldError::required(&path, ""));
        return;
    };
    driver_name(errs, &opaque.driver, &path.child("driver"));
    let max = (!stored).then_some(MAX_PARAMETERS);
    raw_extension(errs, &opaque.parameters, max, &path.child("parameters"));
}

/// Validates JSON of which only the reader knows what it means (`validateRawExtension`). `max` is its size in bytes.
pub(in crate::apiserver) fn raw_extension(
    errs: &mut Errors,
    raw: &RawExtension,
    max: Option<usize>,
    path: &Path,
) {
    match &raw.0 {
        Value::Null => errs.push(FieldError::required(path, "")),
        value => match max.filter(|max| value.to_string().len() > *max) {
            Some(max) => errs.push(FieldError::too_long(path, max)),
            None if value.is_object() => {}
            None => errs.push(FieldError::invalid(path, "<value omitted>", "must be a valid JSON object")),
        },
    }
}

/// Validates the tolerations of a request or of its result (`validateDeviceToleration`).
pub(in crate::apiserver) fn tolerations(errs: &mut Errors, tolerations: &[DeviceToleration], path: &Path) {
    for (i, toleration) in tolerations.iter().enumerate() {
        let path = path.index(i);
        let (key, value) = (text(&toleration.key), text(&toleration.value));
        if !key.is_empty() {
            label_name(errs, key, &path.child("key"));
        }
        match text(&toleration.operator) {
            "Exists" if !value.is_empty() => {
                let why = "must be empty for operator `Exists`";
                errs.push(FieldError::invalid(&path.child("value"), value, why));
            }
            "Exists" => {}
            "Equal" => label_value(errs, value, &path.child("value")),
            "" => errs.push(FieldError::required(&path.child("operator"), "")),
            other => {
                let at = path.child("operator");
                errs.push(FieldError::not_supported(&at, other, &["Equal", "Exists"]));
            }
        }
        let effect = text(&toleration.effect);
        if !effect.is_empty() && !EFFECTS.contains(&effect) {
            errs.push(FieldError::not_supported(&path.child("effect"), effect, &EFFECTS));
        }
    }
}

/// Validates the conditions that a device waits for before a pod is bound (`validateDeviceBindingParameters`).
pub(in crate::apiserver) fn binding_conditions(
    errs: &mut Errors,
    conditions: &[String],
    failures: &[String],
    path: &Path,
) {
    const MAX: usize = 4;
    let (at, at_failures) = (path.child("bindingConditions"), path.child("bindingFailureConditions"));
    for (conditions, at) in [(conditions, &at), (failures, &at_failures)] {
        if fits(errs, conditions, MAX, at) {
            for (i, condition) in conditions.iter().enumerate() {
                label_name(errs, condition, &at.index(i));
            }
        }
    }
    unique_texts(errs, conditions.iter().map(String::as_str), &at);
    let mut seen = BTreeSet::new();
    for (i, failure) in failures.iter().enumerate() {
        let at = at_failures.index(i);
        if !seen.insert(failure) {
            errs.push(FieldError::duplicate(&at, failure));
        }
        if conditions.contains(failure) {
            let why = "bindingFailureConditions must not overlap with bindingConditions";
            errs.push(FieldError::invalid(&at, failure, why));
        }
    }
    if conditions.is_empty() && !failures.is_empty() {
        let why = "bindingConditions are required to use bindingFailureConditions";
        errs.push(FieldError::invalid(&at, super::json_strings(conditions), why));
    }
    if failures.is_empty() && !conditions.is_empty() {
        let why = "bindingFailureConditions are required to use bindingConditions";
        errs.push(FieldError::invalid(&at_failures, super::json_strings(failures), why));
    }
}
