//! Kinds that are served in several versions: each sees what is written through the others.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::tests::{APPLY, send, server, value};
use crate::apimachinery::HttpRequest;
use crate::apiserver::ApiServer;
use crate::apiserver::http::http;

const V1: &str = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
const V2: &str = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
const CORE: &str = "/api/v1/namespaces/default/events";
const EVENTS: &str = "/apis/events.k8s.io/v1/namespaces/default/events";

fn scaler() -> Value {
    json!({"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "h"}, "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "w"},
        "maxReplicas": 3, "targetCPUUtilizationPercentage": 70}})
}

fn event() -> Value {
    json!({"metadata": {"name": "e"}, "regarding": {"kind": "Pod", "name": "p", "namespace": "default"},
        "note": "it ran", "reason": "Ran", "type": "Normal", "action": "Run", "eventTime": "2026-01-01T00:00:00.000000Z",
        "reportingController": "example.com/c", "reportingInstance": "c-1"})
}

fn get(api: &mut ApiServer, path: &str, query: &str) -> Value {
    value(&send(api, "GET", path, query, "", &Value::Null))
}

#[test]
fn an_autoscaler_of_the_old_version_is_one_of_the_new() {
    let mut api = server();
    let made = send(&mut api, "POST", V1, "", "", &scaler());
    assert_eq!(made.status, 201, "{}", made.body);
    let made = value(&made);
    assert_eq!((&made["apiVersion"], &made["spec"]["minReplicas"]), (&json!("autoscaling/v1"), &json!(1)));
    assert_eq!(made["spec"]["targetCPUUtilizationPercentage"], 70);
    let newer = get(&mut api, &format!("{V2}/h"), "");
    assert_eq!(newer["apiVersion"], "autoscaling/v2");
    assert_eq!(newer["spec"]["metrics"][0]["resource"]["target"]["averageUtilization"], 70);
    // A patch of what the old version has no field for is seen there as an annotation.
    let patch = json!({"spec": {"metrics": [
        {"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}}}]}});
    let patched = send(&mut api, "PATCH", &format!("{V2}/h"), "", "application/merge-patch+json", &patch);
    assert_eq!(patched.status, 200, "{}", patched.body);
    let older = get(&mut api, &format!("{V1}/h"), "");
    assert_eq!(
        older["metadata"]["annotations"],
        json!({"autoscaling.alpha.kubernetes.io/metrics":
            r#"[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]"#})
    );
    assert!(older["spec"].get("targetCPUUtilizationPercentage").is_none());
    // What was read can be written back, and nothing changes.
    let back = value(&send(&mut api, "PUT", &format!("{V1}/h"), "", "", &older));
    assert_eq!(back["metadata"]["resourceVersion"], older["metadata"]["resourceVersion"]);
    let list = get(&mut api, V1, "");
    assert_eq!(
        (&list["apiVersion"], &list["kind"]),
        (&json!("autoscaling/v1"), &json!("HorizontalPodAutoscalerList"))
    );
    assert_eq!(list["items"][0]["spec"], older["spec"]);
}

#[test]
fn a_field_of_the_new_version_is_unknown_in_the_old() {
    let mut api = server();
    let mut body = scaler();
    body["spec"]["metrics"] = json!([]);
    let refused = send(&mut api, "POST", V1, "fieldValidation=Strict", "", &body);
    assert_eq!(refused.status, 400);
    assert!(
        refused.body.contains(r#"strict decoding error: unknown field \"spec.metrics\""#),
        "{}",
        refused.body
    );
}

#[test]
fn events_are_the_same_in_both_groups() {
    let mut api = server();
    let made = send(&mut api, "POST", EVENTS, "", "", &event());
    assert_eq!(made.status, 201, "{}", made.body);
    let core = get(&mut api, &format!("{CORE}/e"), "");
    assert_eq!(core["message"], "it ran");
    assert_eq!(core["involvedObject"]["name"], "p");
    assert_eq!(core["reportingComponent"], "example.com/c");
    let other = json!({"metadata": {"name": "f"}, "involvedObject": {"kind": "Pod", "name": "q", "namespace": "default"},
        "message": "it ended", "source": {"component": "kubelet"}, "count": 2});
    assert_eq!(send(&mut api, "POST", CORE, "", "", &other).status, 201);
    let list = get(&mut api, EVENTS, "");
    assert_eq!(list["items"].as_array().unwrap().len(), 2);
    let second = &list["items"][1];
    assert_eq!(second["note"], "it ended");
    assert_eq!(second["deprecatedSource"], json!({"component": "kubelet"}));
    assert_eq!(second["deprecatedCount"], 2);
    assert!(second.get("reportingController").is_none() && second.get("message").is_none());
    let found = get(&mut api, EVENTS, "fieldSelector=regarding.name%3Dq");
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
    let refused = send(&mut api, "GET", EVENTS, "fieldSelector=involvedObject.name%3Dq", "", &Value::Null);
    assert!(refused.body.contains("field label not supported: involvedObject.name"), "{}", refused.body);
    // `legacyValidateEvent` in `pkg/apis/core/validation/events.go` names one field as the version has it.
    let nobody = json!({"metadata": {"name": "h"}, "involvedObject": {"kind": "Pod", "name": "q", "namespace": "default"},
        "reason": "Ran", "type": "Normal", "action": "Run", "eventTime": "2026-01-01T00:00:00.000000Z",
        "reportingInstance": "c-1"});
    let refused = send(&mut api, "POST", CORE, "", "", &nobody);
    assert!(refused.body.contains("reportingComponent: Required value"), "{}", refused.body);
    let mut nobody = event();
    nobody["reportingController"] = "".into();
    let refused = send(&mut api, "POST", EVENTS, "", "", &nobody);
    assert!(refused.body.contains("reportingController: Required value"), "{}", refused.body);
    assert!(!refused.body.contains("reportingComponent"), "{}", refused.body);
    let gone = send(&mut api, "GET", &format!("{EVENTS}/g"), "", "", &Value::Null);
    assert!(gone.body.contains(r#"events \"g\" not found"#), "{}", gone.body);
}

#[test]
fn an_event_becomes_a_series_by_a_patch() {
    let mut api = server();
    let mut body = event();
    assert_eq!(send(&mut api, "POST", EVENTS, "", "", &body).status, 201);
    // A client that keeps what it created patches without the fields that the server added, as kube-rs does.
    body["series"] = json!({"count": 2, "lastObservedTime": "2026-01-01T00:00:05.000000Z"});
    let merge = "application/merge-patch+json";
    let patched = send(&mut api, "PATCH", &format!("{EVENTS}/e"), "", merge, &body);
    assert_eq!(patched.status, 200, "{}", patched.body);
    assert_eq!(value(&patched)["series"]["count"], 2);
    // An empty struct is the same as none.
    let mut whole = value(&patched);
    whole["deprecatedSource"] = json!({});
    let put = send(&mut api, "PUT", &format!("{EVENTS}/e"), "", "", &whole);
    assert_eq!(put.status, 200, "{}", put.body);
}

#[test]
fn events_of_the_own_group_have_tighter_rules() {
    let mut api = server();
    let mut body = event();
    body["deprecatedCount"] = 3.into();
    body["type"] = "Odd".into();
    let refused = send(&mut api, "POST", EVENTS, "", "", &body);
    assert_eq!(refused.status, 422);
    let said = value(&refused)["message"].as_str().unwrap().to_owned();
    assert_eq!(
        said,
        r#"Event "e" is invalid: [type: Invalid value: "": has invalid value: Odd, count: Invalid value: "": needs to be unset]"#
    );
    assert_eq!(send(&mut api, "POST", EVENTS, "", "", &event()).status, 201);
    let mut changed = get(&mut api, &format!("{EVENTS}/e"), "");
    changed["note"] = "something else".into();
    let refused = send(&mut api, "PUT", &format!("{EVENTS}/e"), "", "", &changed);
    assert!(
        refused.body.contains(r#"message: Invalid value: \"something else\": field is immutable"#),
        "{}",
        refused.body
    );
}

#[test]
fn watches_and_tables_speak_the_version_that_was_asked_for() {
    let mut api = server();
    send(&mut api, "POST", EVENTS, "", "", &event());
    let watched = send(&mut api, "GET", EVENTS, "watch=1", "", &Value::Null);
    let line: Value = serde_json::from_str(watched.body.lines().next().unwrap()).unwrap();
    assert_eq!((&line["type"], &line["object"]["note"]), (&json!("ADDED"), &json!("it ran")));
    assert_eq!(line["object"]["apiVersion"], "events.k8s.io/v1");
    let table = http(
        &mut api,
        &HttpRequest {
            method: "GET".into(),
            path: EVENTS.into(),
            query: "includeObject=Object".into(),
            accept: "application/json;as=Table;v=v1;g=meta.k8s.io".into(),
            ..HttpRequest::default()
        },
    );
    let table = value(&table);
    assert_eq!(table["rows"][0]["cells"][2], "Ran");
    assert_eq!(table["rows"][0]["object"]["note"], "it ran");
}

#[test]
fn managers_own_fields_of_the_version_that_they_wrote() {
    let mut api = server();
    let path = format!("{V1}/h");
    let applied = send(&mut api, "PATCH", &path, "fieldManager=a", APPLY, &scaler());
    assert_eq!(applied.status, 201, "{}", applied.body);
    let owners = value(&applied)["metadata"]["managedFields"].clone();
    assert_eq!(owners[0]["apiVersion"], "autoscaling/v1");
    assert!(owners[0]["fieldsV1"]["f:spec"].get("f:targetCPUUtilizationPercentage").is_some());
    // Another manager takes the same field in the other version.
    let patch = json!({"spec": {"metrics": [
        {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}]}});
    send(&mut api, "PATCH", &format!("{V2}/h"), "fieldManager=b", "application/merge-patch+json", &patch);
    let owners = get(&mut api, &path, "")["metadata"]["managedFields"].clone();
    let of = |name: &str| owners.as_array().unwrap().iter().find(|o| o["manager"] == name).unwrap().clone();
    assert!(of("a")["fieldsV1"]["f:spec"].get("f:targetCPUUtilizationPercentage").is_none());
    assert_eq!(of("b")["apiVersion"], "autoscaling/v2");
    assert!(of("b")["fieldsV1"]["f:spec"].get("f:metrics").is_some());
    // And the first one learns who has it now.
    let refused = send(&mut api, "PATCH", &path, "fieldManager=a", APPLY, &scaler());
    assert_eq!(refused.status, 409, "{}", refused.body);
    assert!(refused.body.contains("using autoscaling/v2"), "{}", refused.body);
}

#[test]
fn the_old_versions_are_described() {
    let mut api = server();
    let index = get(&mut api, "/openapi/v3", "");
    for path in ["apis/autoscaling/v1", "apis/events.k8s.io/v1"] {
        assert!(index["paths"].get(path).is_some(), "{path}");
    }
    let document = get(&mut api, "/openapi/v3/apis/events.k8s.io/v1", "");
    let schemas = document["components"]["schemas"].as_object().unwrap();
    assert!(schemas.iter().any(|(name, s)| name.ends_with("Event") && s["properties"].get("note").is_some()));
}
