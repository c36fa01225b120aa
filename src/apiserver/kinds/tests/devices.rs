//! After `pkg/apis/resource/validation/validation_*_test.go`, and what the strategies of the kinds make of it.

use serde_json::{Value, json};

use super::{object, refusals, said};
use crate::api::types::{ResourceClaim, ResourceSlice};
use crate::api::{ApiKind, Kind, Object, Timestamp};
use crate::apiserver::kinds::{Creation, prepare_for_create, prepare_for_status_update, row};
use crate::apiserver::rest::{validate_status_update, validate_update, warnings_on_create};

fn claim(devices: Value) -> Value {
    json!({"metadata": {}, "spec": {"devices": devices}})
}

fn exactly(request: Value) -> Value {
    let mut request = request;
    if request["deviceClassName"].is_null() {
        request["deviceClassName"] = "gpu".into();
    }
    claim(json!({"requests": [{"name": "one", "exactly": request}]}))
}

const SPEC: &str = "spec.devices.requests[0].exactly";

/// `TestValidateClaim`.
#[test]
fn a_claim_asks_for_what_can_be_had() {
    for (body, message) in [
        (claim(json!({"requests": []})), String::new()),
        (exactly(json!({})), String::new()),
        (exactly(json!({"allocationMode": "All"})), String::new()),
        (
            exactly(json!({"allocationMode": "All", "count": 2})),
            format!("{SPEC}.count: Invalid value: 2: must not be specified when allocationMode is 'All'"),
        ),
        (
            exactly(json!({"count": -1})),
            format!("{SPEC}.count: Invalid value: -1: must be greater than zero"),
        ),
        (
            exactly(json!({"selectors": [{}]})),
            format!("{SPEC}.selectors[0].cel: Required value"),
        ),
        (
            exactly(json!({"selectors": [{"cel": {"expression": "1"}}]})),
            format!(
                "{SPEC}.selectors[0].cel.expression: Invalid value: \"1\": must evaluate to bool or the unknown type, not int"
            ),
        ),
        (
            exactly(json!({"selectors": [{"cel": {"expression": "x".repeat(10_241)}}]})),
            format!("{SPEC}.selectors[0].cel.expression: Too long: may not be more than 10240 bytes"),
        ),
        (
            exactly(json!({"tolerations": [{"key": "a", "operator": "Exists", "value": "b", "effect": "Some"}]})),
            format!(
                "[{SPEC}.tolerations[0].value: Invalid value: \"b\": must be empty for operator `Exists`, {SPEC}.tolerations[0].effect: Unsupported value: \"Some\": supported values: \"NoExecute\", \"NoSchedule\", \"None\"]"
            ),
        ),
        (
            claim(json!({"requests": [{"name": "a", "firstAvailable": [
                {"name": "x", "deviceClassName": "gpu"}, {"name": "x", "deviceClassName": ""}]}]})),
            "[spec.devices.requests[0].firstAvailable[1].deviceClassName: Required value, spec.devices.requests[0].firstAvailable[1]: Duplicate value: \"x\"]".to_owned(),
        ),
        (
            claim(json!({"requests": [{"name": "a", "firstAvailable": [{"name": "x", "deviceClassName": "gpu"}]}],
                         "constraints": [{"requests": ["a/x", "a"], "matchAttribute": "example.com/model"}]})),
            String::new(),
        ),
        (
            claim(json!({"constraints": [{}]})),
            "spec.devices.constraints[0]: Required value: exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but multiple fields are set".to_owned(),
        ),
        (
            claim(json!({"requests": vec![json!({"name": "a", "exactly": {"deviceClassName": "gpu"}}); 33]})),
            "spec.devices.requests: Too many: 33: must have at most 32 items".to_owned(),
        ),
    ] {
        assert_eq!(refusals(Kind::RESOURCE_CLAIM, body.clone()), message);
        let template = json!({"metadata": {}, "spec": {"spec": body["spec"]}});
        let inside = message.replace("spec.devices", "spec.spec.devices");
        assert_eq!(refusals(Kind::RESOURCE_CLAIM_TEMPLATE, template), inside);
    }
}

/// `SetDefaults_ExactDeviceRequest` and `SetDefaults_DeviceSubRequest`; numbers that are quantities become text.
#[test]
fn a_request_is_for_one_device() {
    let mut body = exactly(json!({"capacity": {"requests": {"memory": 5}}}));
    let other = json!({"name": "two", "firstAvailable": [
        {"name": "x", "deviceClassName": "gpu", "tolerations": [{"key": "a"}]}]});
    body["spec"]["devices"]["requests"].as_array_mut().unwrap().push(other);
    let claim = object(Kind::RESOURCE_CLAIM, body).to_value();
    let requests = &claim["spec"]["devices"]["requests"];
    let first = json!({"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1,
                       "capacity": {"requests": {"memory": "5"}}});
    assert_eq!(requests[0]["exactly"], first);
    let other = json!({"name": "x", "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1,
                       "tolerations": [{"key": "a", "operator": "Equal"}]});
    assert_eq!(requests[1]["firstAvailable"][0], other);
}

/// `TestValidateClaimUpdate` and `TestValidateClaimTemplateUpdate`.
#[test]
fn what_was_asked_for_stays() {
    let old = object(Kind::RESOURCE_CLAIM, exactly(json!({})));
    let new = object(Kind::RESOURCE_CLAIM, exactly(json!({"deviceClassName": "other"})));
    assert_eq!(said(&validate_update(&old, &old)), "");
    let quoted = r#"{"Devices":{"Requests":[{"Name":"one","Exactly":{"DeviceClassName":"other","Selectors":null,"AllocationMode":"ExactCount","Count":1,"AdminAccess":null,"Tolerations":null,"Capacity":null},"FirstAvailable":null}],"Constraints":null,"Config":null}}"#;
    assert_eq!(
        said(&validate_update(&new, &old)),
        format!("spec: Invalid value: {quoted}: field is immutable")
    );
    let template = |class: &str| {
        let spec = json!({"spec": exactly(json!({"deviceClassName": class}))["spec"]});
        object(Kind::RESOURCE_CLAIM_TEMPLATE, json!({"metadata": {}, "spec": spec}))
    };
    let message = said(&validate_update(&template("b"), &template("a")));
    assert!(message.starts_with(r#"spec: Invalid value: {"Spec":{"Devices":"#), "{message}");
}

fn allocated(devices: Value, reserved: Value) -> Object {
    let mut body = exactly(json!({}));
    body["status"] = json!({"reservedFor": reserved, "devices": devices, "allocation": {"devices": {"results": [
        {"request": "one", "driver": "d.example.com", "pool": "p", "device": "a"}]}}});
    object(Kind::RESOURCE_CLAIM, body)
}

/// `TestValidateClaimStatusUpdate`.
#[test]
fn a_claim_is_reserved_while_it_has_devices() {
    let user = |uid: &str| json!({"resource": "pods", "name": "web", "uid": uid});
    let none = object(Kind::RESOURCE_CLAIM, exactly(json!({})));
    let one = allocated(json!([]), json!([user("1")]));
    assert_eq!(said(&validate_status_update(&one, &none)), "");
    let two = allocated(json!([]), json!([user("1"), user("1"), {"resource": "pods"}]));
    assert_eq!(
        said(&validate_status_update(&two, &one)),
        "[status.reservedFor[2].name: Required value, status.reservedFor[2].uid: Required value, status.reservedFor[1]: Duplicate value: \"1\"]"
    );
    let mut body = exactly(json!({}));
    body["status"] = json!({"reservedFor": [user("1")]});
    assert_eq!(
        said(&validate_status_update(&object(Kind::RESOURCE_CLAIM, body), &none)),
        "status.reservedFor: Forbidden: may not be specified when `allocated` is not set"
    );
    let strange = allocated(json!([{"driver": "d.example.com", "pool": "p", "device": "b"}]), json!([]));
    assert_eq!(
        said(&validate_status_update(&strange, &none)),
        r#"status.devices[0]: Invalid value: {"Driver":"d.example.com","Pool":"p","Device":"b","ShareID":""}: must be an allocated device in the claim"#
    );
    let mut deleting = allocated(json!([]), json!([user("1"), user("2")])).to_value();
    deleting["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    let deleting = Object::from_value(Kind::RESOURCE_CLAIM, deleting).unwrap();
    let message = said(&validate_status_update(&deleting, &one));
    assert!(message.contains("new entries may not be added while `deallocationRequested`"), "{message}");
}

/// `dropDeallocatedStatusDevices`.
#[test]
fn what_is_said_of_a_device_goes_with_it() {
    let device = json!([{"driver": "d.example.com", "pool": "p", "device": "a"}]);
    let old = allocated(device.clone(), json!([]));
    let mut new = object(Kind::RESOURCE_CLAIM, {
        let mut body = exactly(json!({}));
        body["status"] = json!({"devices": device});
        body
    });
    prepare_for_status_update(&mut new, &old, Timestamp::UNIX_EPOCH);
    let status = ResourceClaim::from_object(&new).and_then(|c| c.status.clone()).unwrap();
    assert_eq!(status.devices, None);
}

/// `resourceClaimState`.
#[test]
fn a_claim_says_how_far_it_is() {
    let state = |claim: &Object| row(claim, Timestamp::UNIX_EPOCH).remove(1);
    assert_eq!(state(&object(Kind::RESOURCE_CLAIM, exactly(json!({})))), "pending");
    assert_eq!(state(&allocated(json!([]), json!([]))), "allocated");
    let user = json!([{"resource": "pods", "name": "web", "uid": "1"}]);
    assert_eq!(state(&allocated(json!([]), user)), "allocated,reserved");
}

/// `TestValidateClass`; what was stored before is not compiled again.
#[test]
fn a_class_selects_devices() {
    let class = |spec: Value| object(Kind::DEVICE_CLASS, json!({"metadata": {}, "spec": spec}));
    let refused = |spec: Value| refusals(Kind::DEVICE_CLASS, json!({"metadata": {}, "spec": spec}));
    assert_eq!(refused(json!({})), "");
    assert_eq!(refused(json!({"selectors": [{}]})), "spec.selectors[0].cel: Required value");
    assert_eq!(
        refused(json!({"extendedResourceName": "cpu", "config": [{}]})),
        "[spec.config[0].opaque: Required value, spec.extendedResourceName: Invalid value: \"cpu\": must be a valid extended resource name]"
    );
    let odd = class(json!({"selectors": [{"cel": {"expression": "what("}}]}));
    assert_eq!(said(&validate_update(&odd, &odd)), "");
    assert!(said(&validate_update(&odd, &class(json!({})))).contains("compilation failed"));
}

fn slice(fields: Value) -> Value {
    let mut spec = json!({"driver": "d.example.com", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
                          "nodeName": "n"});
    if let (Value::Object(all), Value::Object(fields)) = (&mut spec, fields) {
        all.extend(fields);
    }
    json!({"metadata": {}, "spec": spec})
}

/// `TestValidateResourceSlice`.
#[test]
fn a_slice_says_which_devices_there_are() {
    let device = |fields: Value| {
        let mut device = json!({"name": "a"});
        if let (Value::Object(all), Value::Object(fields)) = (&mut device, fields) {
            all.extend(fields);
        }
        slice(json!({"devices": [device]}))
    };
    let at = "spec.devices[0]";
    for (body, message) in [
        (device(json!({"attributes": {"model": {"string": "x"}}, "capacity": {"memory": {"value": 5}}})), String::new()),
        (
            slice(json!({"nodeName": null})),
            "spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required".to_owned(),
        ),
        (
            device(json!({"attributes": {"a-b": {}}})),
            format!(
                "[{at}.attributes: Invalid value: \"a-b\": a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*'), {at}.attributes[a-b]: Invalid value: \"\": exactly one value must be specified]"
            ),
        ),
        (
            device(json!({"attributes": {"v": {"version": "1.02.0"}}})),
            format!("{at}.attributes[v].version: Invalid value: \"1.02.0\": must be a string compatible with semver.org spec 2.0.0"),
        ),
        (
            device(json!({"capacity": {"memory": {"value": "1", "requestPolicy": {}}}})),
            format!("{at}.capacity[memory].requestPolicy: Forbidden: allowMultipleAllocations must be true"),
        ),
        (
            device(json!({"allowMultipleAllocations": true, "capacity": {"memory": {"value": "10", "requestPolicy": {
                "default": "3", "validRange": {"min": "2", "step": "2", "max": "12"}}}}})),
            format!(
                "[{at}.capacity[memory].requestPolicy.validRange.max: Invalid value: \"12\": max is larger than capacity value: 10, {at}.capacity[memory].requestPolicy.validRange.step: Invalid value: \"3\": value is not a multiple of a given step (2) from (2)]"
            ),
        ),
        (
            device(json!({"taints": [{"key": "k", "effect": ""}], "nodeName": "n"})),
            format!(
                "[{at}.taints[0].effect: Required value, {at}: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec]"
            ),
        ),
        (
            device(json!({"bindingConditions": ["a"]})),
            format!("{at}.bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions"),
        ),
        (
            slice(json!({"devices": [{"name": "a"}], "sharedCounters": [{"name": "", "counters": {}}]})),
            "[spec: Invalid value: \"\": only one of `sharedCounters` or `devices` is allowed, spec.sharedCounters[0].name: Required value, spec.sharedCounters[0].counters: Required value]".to_owned(),
        ),
    ] {
        assert_eq!(refusals(Kind::RESOURCE_SLICE, body), message);
    }
}

/// `TestValidateResourceSliceUpdate`, `WarningsOnCreate` in `pkg/registry/resource/resourceslice/strategy.go`.
#[test]
fn a_slice_stays_where_it_is() {
    let old = object(Kind::RESOURCE_SLICE, slice(json!({})));
    let new = object(Kind::RESOURCE_SLICE, slice(json!({"nodeName": "m", "driver": "D.example.com"})));
    assert_eq!(
        said(&validate_update(&new, &old)),
        "[spec.driver: Invalid value: \"D.example.com\": field is immutable, spec.nodeName: Invalid value: \"m\": field is immutable]"
    );
    let warning =
        "spec.driver: driver names should be lowercase; \"D.example.com\" contains uppercase characters";
    assert_eq!(warnings_on_create(&new), [warning]);
}

/// `dropDisabledFields` in `pkg/registry/resource/resourceslice/strategy.go`, `SetDefaults_DeviceTaint`.
#[test]
fn a_new_slice_has_no_lists_and_its_taints_have_times() {
    let devices = json!([{"name": "a", "attributes": {"l": {"strings": ["x"]}, "s": {"string": "x"}},
                          "taints": [{"key": "k", "effect": "NoSchedule"}]}]);
    let mut slice = object(Kind::RESOURCE_SLICE, slice(json!({"devices": devices})));
    let mut warnings = Vec::new();
    let mut creation =
        Creation { now: Timestamp::UNIX_EPOCH, labelled: false, user: None, warnings: &mut warnings };
    prepare_for_create(&mut slice, &mut creation);
    let spec = &ResourceSlice::from_object(&slice).unwrap().spec;
    let device = spec.devices.iter().flatten().next().unwrap();
    let lists = device.attributes.iter().flatten().filter(|(_, a)| a.strings.is_some()).count();
    assert_eq!(lists, 0);
    let taint = device.taints.iter().flatten().next().unwrap();
    assert_eq!(taint.time_added.as_ref().map(|t| t.0), Some(Timestamp::UNIX_EPOCH));
}
