//! How much of a device's capacity a request consumes (`consumable_capacity.go`).

use std::collections::BTreeMap;

use super::state::Consumed;
use crate::api::quantity::{Amount, Format, amount_of};
use crate::api::types::resource::{
    CapacityRequestPolicy, CapacityRequestPolicyRange, CapacityRequirements, DeviceCapacity,
};

type Capacity = BTreeMap<String, DeviceCapacity>;

fn requested(request: Option<&CapacityRequirements>, name: &str) -> Option<Amount> {
    request?.requests.as_ref()?.get(name).map(|q| amount_of(Some(q)))
}

/// Whether a device has what a request asks for beside what is taken already (`CmpRequestOverCapacity`).
pub(super) fn suffices(
    capacity: Option<&Capacity>,
    request: Option<&CapacityRequirements>,
    consumed: Option<&Consumed>,
    allocating: Option<&Consumed>,
) -> bool {
    let has = |name: &String| capacity.is_some_and(|c| c.contains_key(name));
    if !request.and_then(|r| r.requests.as_ref()).is_none_or(|r| r.keys().all(has)) {
        return false;
    }
    capacity.into_iter().flatten().all(|(name, of)| {
        let wanted = to_consume(requested(request, name), of);
        if of.request_policy.as_ref().is_some_and(|policy| violates(wanted, policy)) {
            return false;
        }
        let taken = [consumed, allocating].into_iter().flatten().filter_map(|c| c.get(name));
        taken.fold(wanted, |sum, more| sum.plus(*more)) <= amount_of(Some(&of.value))
    })
}

/// What a request consumes of each capacity of a device (`GetConsumedCapacityFromRequest`).
pub(super) fn consumed_by(request: Option<&CapacityRequirements>, capacity: Option<&Capacity>) -> Consumed {
    let all = capacity.into_iter().flatten();
    all.map(|(name, of)| (name.clone(), to_consume(requested(request, name), of))).collect()
}

/// What is consumed of a capacity for what was asked for, if anything (`calculateConsumedCapacity`).
fn to_consume(requested: Option<Amount>, of: &DeviceCapacity) -> Amount {
    let policy = of.request_policy.as_ref();
    let Some(requested) = requested else {
        let default = policy.and_then(|p| p.default.as_ref());
        return amount_of(Some(default.unwrap_or(&of.value)));
    };
    match policy {
        Some(CapacityRequestPolicy { valid_range: Some(range), .. }) => round_up(requested, range),
        Some(CapacityRequestPolicy { valid_values: Some(values), .. }) => {
            let mut values = values.iter().map(|v| amount_of(Some(v)));
            values.find(|v| requested <= *v).unwrap_or(requested)
        }
        _ => requested,
    }
}

/// The step of a range; `None` if it has none.
fn step(range: &CapacityRequestPolicyRange) -> Option<i64> {
    range.step.as_ref().map(|s| amount_of(Some(s)).value()).filter(|step| *step > 0)
}

/// The next amount that the range allows (`roundUpRange`).
fn round_up(requested: Amount, range: &CapacityRequestPolicyRange) -> Amount {
    let min = amount_of(Some(&range.min));
    if requested < min {
        return min;
    }
    let Some(step) = step(range) else { return requested };
    let added = requested.value().saturating_sub(min.value());
    let steps = added / step + i64::from(added % step != 0);
    Amount::from_value(min.value().saturating_add(step.saturating_mul(steps)), Format::BinarySI)
}

/// Whether the policy of a capacity does not allow an amount (`violatesPolicy`).
fn violates(amount: Amount, policy: &CapacityRequestPolicy) -> bool {
    if policy.default.as_ref().is_some_and(|d| amount_of(Some(d)) == amount) {
        return false;
    }
    if let Some(range) = &policy.valid_range {
        let over = range.max.as_ref().is_some_and(|max| amount > amount_of(Some(max)));
        let added = amount.value().saturating_sub(amount_of(Some(&range.min)).value());
        return over || step(range).is_some_and(|step| added % step != 0);
    }
    let values = policy.valid_values.as_deref().unwrap_or_default();
    !values.is_empty() && !values.iter().any(|v| amount_of(Some(v)) == amount)
}
