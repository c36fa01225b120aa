//! Capacities and counters of devices, and how much of a shared device a request gets (`validateRequestPolicy`).

use std::collections::BTreeMap;

use crate::api::quantity::{Amount, amount_of};
use crate::api::types::Quantity;
use crate::api::types::resource::{
    CapacityRequestPolicy, CapacityRequestPolicyRange, Counter, DeviceCapacity, ResourceSliceSpec,
};
use crate::apiserver::defaults::quantities;
use crate::apiserver::validation::meta::invalid_each;
use crate::apiserver::validation::{Errors, FieldError, Path, devices, list, names};

/// How many amounts a request may choose from (`CapacityRequestPolicyDiscreteMaxOptions`).
const MAX_OPTIONS: usize = 10;
/// How many counters are in a set, and how many of them a device uses (`ResourceSliceMaxCountersPerCounterSet`,
/// `ResourceSliceMaxCountersPerDeviceCounterConsumption`).
const MAX_COUNTERS: usize = 32;

/// Rewrites the quantities of a slice to their canonical form.
pub(super) fn canonical(spec: &mut ResourceSliceSpec) {
    let sets = spec.shared_counters.iter_mut().flatten();
    sets.flat_map(|set| set.counters.values_mut()).for_each(|c| quantities::canonical(&mut c.value));
    for device in spec.devices.iter_mut().flatten() {
        let consumed = device.consumes_counters.iter_mut().flatten();
        consumed.flat_map(|c| c.counters.values_mut()).for_each(|c| quantities::canonical(&mut c.value));
        for capacity in device.capacity.iter_mut().flat_map(|c| c.values_mut()) {
            quantities::canonical(&mut capacity.value);
            let Some(policy) = &mut capacity.request_policy else { continue };
            quantities::optional(&mut policy.default);
            policy.valid_values.iter_mut().flatten().for_each(quantities::canonical);
            if let Some(range) = &mut policy.valid_range {
                quantities::canonical(&mut range.min);
                quantities::optional(&mut range.max);
                quantities::optional(&mut range.step);
            }
        }
    }
}

/// Validates a set of counters, or what a device uses of one. `name` is the field with the set's name.
pub(super) fn counters(
    errs: &mut Errors,
    name: &'static str,
    set: &str,
    counters: &BTreeMap<String, Counter>,
    path: &Path,
) {
    if set.is_empty() {
        errs.push(FieldError::required(&path.child(name), ""));
    } else {
        invalid_each(errs, &path.child(name), set, names::dns1123_label(set));
    }
    let at = path.child("counters");
    if counters.is_empty() {
        errs.push(FieldError::required(&at, ""));
    } else if counters.len() > MAX_COUNTERS {
        errs.push(FieldError::too_many(&at, counters.len(), MAX_COUNTERS));
    } else {
        counters.keys().for_each(|key| invalid_each(errs, &at, key, names::dns1123_label(key)));
    }
}

/// Validates a capacity of a device, which several claims share or not.
pub(super) fn validate(errs: &mut Errors, capacity: &DeviceCapacity, shared: bool, path: &Path) {
    let Some(policy) = &capacity.request_policy else { return };
    let path = path.child("requestPolicy");
    if !shared {
        errs.push(FieldError::forbidden(&path, "allowMultipleAllocations must be true"));
        return;
    }
    validate_policy(errs, policy, amount_of(Some(&capacity.value)), &path);
}

fn validate_policy(errs: &mut Errors, policy: &CapacityRequestPolicy, max: Amount, path: &Path) {
    let default = policy.default.as_ref().map(|q| amount_of(Some(q)));
    match (list(&policy.valid_values), &policy.valid_range) {
        ([], None) => {}
        ([], Some(range)) => match default {
            None => {
                errs.push(FieldError::required(
                    &path.child("default"),
                    "required when validRange is defined",
                ));
            }
            Some(default) => validate_range(errs, default, max, range, &path.child("validRange")),
        },
        (values, None) => match default {
            None => {
                errs.push(FieldError::required(
                    &path.child("default"),
                    "required when validValues is defined",
                ));
            }
            Some(default) => validate_values(errs, default, max, values, &path.child("validValues")),
        },
        (_, Some(_)) => {
            let why = "exactly one policy can be specified, cannot specify \"validValues\" and \"validRange\" at the same time";
            errs.push(FieldError::forbidden(path, why));
        }
    }
}

fn validate_values(errs: &mut Errors, default: Amount, max: Amount, values: &[Quantity], path: &Path) {
    let amounts: Vec<Amount> = values.iter().map(|q| amount_of(Some(q))).collect();
    for (i, pair) in amounts.windows(2).enumerate() {
        if let [before, after] = pair
            && before > after
        {
            let why = "values must be sorted in ascending order";
            errs.push(FieldError::invalid(&path.index(i + 1), &after.canonical(), why));
        }
    }
    if devices::fits(errs, values, MAX_OPTIONS, path) {
        for (i, amount) in amounts.iter().enumerate().filter(|(_, amount)| **amount > max) {
            let why = format!("option is larger than capacity value: {}", max.canonical());
            errs.push(FieldError::invalid(&path.index(i), &amount.canonical(), why));
        }
        let keys = amounts.iter().map(|amount| amount.value());
        devices::unique(errs, keys, path, |key| key.to_string().as_str().into());
    }
    if values.len() > MAX_OPTIONS || !amounts.contains(&default) {
        let why = "default value is not valid according to the requestPolicy";
        errs.push(FieldError::invalid(path, &default.canonical(), why));
    }
}

fn validate_range(
    errs: &mut Errors,
    default: Amount,
    max: Amount,
    range: &CapacityRequestPolicyRange,
    path: &Path,
) {
    if range.min.0.is_empty() {
        errs.push(FieldError::required(&path.child("min"), "required when validRange is defined"));
        return;
    }
    let min = amount_of(Some(&range.min));
    let mut refuse = |field: &'static str, value: Amount, why: String| {
        errs.push(FieldError::invalid(&path.child(field), &value.canonical(), why));
    };
    let text = |amount: Amount| amount.canonical();
    if min > max {
        refuse("min", min, format!("min is larger than capacity value: {}", text(max)));
    }
    if default < min {
        refuse("min", default, format!("default is less than min: {}", text(min)));
    }
    let most = range.max.as_ref().map(|q| amount_of(Some(q)));
    if let Some(most) = most {
        if min > most {
            refuse("max", min, format!("min is larger than max: {}", text(most)));
        }
        if most > max {
            refuse("max", most, format!("max is larger than capacity value: {}", text(max)));
        }
        if default > most {
            refuse("max", default, format!("default is more than max: {}", text(most)));
        }
    }
    let Some(step) = range.step.as_ref().map(|q| amount_of(Some(q))) else { return };
    if step.sign() <= 0 {
        refuse("step", step, "must be greater than zero".to_owned());
        return;
    }
    let one = min.plus(step);
    if one > max {
        let why = format!("one step {} is larger than capacity value: {}", text(one), text(max));
        refuse("step", step, why);
    }
    for value in [Some(default), most].into_iter().flatten() {
        let rest = value.value().checked_sub(min.value()).and_then(|d| d.checked_rem(step.value()));
        if rest.is_some_and(|rest| rest != 0) {
            let why =
                format!("value is not a multiple of a given step ({}) from ({})", text(step), text(min));
            refuse("step", value, why);
        }
    }
}
