//! After `pkg/apis/core/validation/validation.go`.

use serde_json::{Value, json};

use super::{object, refusals, said};
use crate::api::Kind;
use crate::apiserver::rest::{validate_status_update, validate_update};

/// `validateNodeDeclaredFeatures`, which `ValidateNode` and `ValidateNodeUpdate` call.
#[test]
fn features_that_a_node_declares_are_in_order() {
    let node = |features: &Value| json!({"metadata": {}, "status": {"declaredFeatures": features}});
    let at = "status.declaredFeatures";
    let pattern = "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
    let invalid = |i: usize, name: &str| {
        format!("{at}[{i}]: Invalid value: \"{name}\": invalid feature name \"{name}\": {pattern}")
    };
    for (features, message) in [
        (json!(["A", "B/c", "C1/D"]), String::new()),
        (json!(["aB"]), invalid(0, "aB")),
        (json!(["A", "B/"]), invalid(1, "B/")),
        (json!(["A/1"]), invalid(0, "A/1")),
        (json!(["A-B"]), invalid(0, "A-B")),
        (json!(["A", "A"]), format!("{at}[1]: Duplicate value: \"A\"")),
        (json!(["B", "A"]), format!("{at}[1]: Invalid value: \"A\": list must be sorted alphabetically")),
    ] {
        assert_eq!(refusals(Kind::NODE, node(&features)), message);
        let (new, old) = (object(Kind::NODE, node(&features)), object(Kind::NODE, node(&json!([]))));
        assert_eq!(said(&validate_status_update(&new, &old)), message);
        assert_eq!(said(&validate_update(&new, &old)), message);
    }
    let long = refusals(Kind::NODE, node(&json!(["A".repeat(254)])));
    assert!(long.ends_with("must be no more than 253 characters"), "{long}");
}

/// `ValidateUpdate` in `pkg/registry/core/node/strategy.go`: an update is held to the rules of a new Node, too.
#[test]
fn the_first_ranges_of_a_node_have_to_be_valid() {
    let node = |ranges: Value| object(Kind::NODE, json!({"metadata": {}, "spec": {"podCIDRs": ranges}}));
    let refused = said(&validate_update(&node(json!(["10.0.0.0"])), &node(json!([]))));
    assert!(refused.starts_with("spec.podCIDRs[0]: Invalid value: \"10.0.0.0\""), "{refused}");
}

/// `ValidateNode`: ranges that are equal are of one family, and that is all that is said of them.
#[test]
fn a_node_has_one_range_of_each_family() {
    let ranges = json!(["10.0.0.0/24", "10.0.0.0/24"]);
    assert_eq!(
        refusals(Kind::NODE, json!({"metadata": {}, "spec": {"podCIDRs": ranges}})),
        r#"spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.0.0.0/24"]: may specify no more than one CIDR for each IP family"#
    );
}

/// `validateNodeSwapStatus`, whose path `ValidateNode` makes of that of the metadata.
#[test]
fn a_node_has_more_swap_than_none() {
    let node = |capacity: i64| {
        let info = json!({
            "machineID": "", "systemUUID": "", "bootID": "", "kernelVersion": "", "osImage": "",
            "containerRuntimeVersion": "", "kubeletVersion": "", "kubeProxyVersion": "", "operatingSystem": "",
            "architecture": "", "swap": {"capacity": capacity}});
        refusals(Kind::NODE, json!({"metadata": {}, "status": {"nodeInfo": info}}))
    };
    assert_eq!(node(1), "");
    assert_eq!(node(-1), "metadata.nodeSwapStatus.capacity: Invalid value: -1: must be greater than zero");
}
