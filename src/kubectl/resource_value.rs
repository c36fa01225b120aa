//! What a `resourceFieldRef` reads (`k8s.io/kubectl/pkg/util/resource`).

use serde_json::Value;

use super::stop::{Result, fail};
use crate::api::quantity::Amount;

/// A request or a limit among the `resources` of a container, in units of a divisor and rounded up.
pub(super) fn resource_value(resources: Option<&Value>, resource: &str, divisor: &str) -> Result<String> {
    let known =
        |name: &str| matches!(name, "cpu" | "memory" | "ephemeral-storage") || name.starts_with("hugepages-");
    let Some((side, name)) =
        resource.split_once('.').filter(|(side, name)| matches!(*side, "limits" | "requests") && known(name))
    else {
        return fail(format!("Unsupported container resource : {resource}"));
    };
    let amount = resources.and_then(|r| r.get(side)).and_then(|s| s.get(name));
    let milli = |text: &str| Amount::parse(text).map_or(0, Amount::milli_value);
    let divisor = match milli(divisor) {
        0 => 1000,
        given => given,
    };
    let amount = milli(amount.and_then(Value::as_str).unwrap_or("0"));
    Ok(amount.saturating_add(divisor - 1).div_euclid(divisor).to_string())
}
