//! Requests on custom objects that no recording has.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::{HttpRequest, http};
use crate::api::Timestamp;
use crate::api::types::CustomResourceDefinition;
use crate::apiserver::apiextensions::names;
use crate::apiserver::{ApiServer, NoKubelets};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS: &str = "/apis/example.com/v1/namespaces/d/widgets";

fn ask(api: &mut ApiServer, method: &str, path: &str, content_type: &str, body: &Value) -> (u16, Value) {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    let request = HttpRequest {
        method: method.into(),
        path: path.into(),
        query: query.into(),
        content_type: content_type.into(),
        body,
        ..HttpRequest::default()
    };
    let answer = http(api, &request);
    (answer.status, serde_json::from_str(&answer.body).unwrap_or(Value::String(answer.body)))
}

fn definition(properties: Value) -> Value {
    let version = |name: &str, storage: bool| {
        json!({"name": name, "served": true, "storage": storage,
            "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": properties},
                "status": {"type": "object", "properties": {"size": {"type": "integer"}}}}}}})
    };
    json!({"metadata": {"name": "widgets.example.com"}, "spec": {
        "group": "example.com", "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget"},
        "versions": [version("v1", true), version("v2", false)],
    }})
}

/// Does what the controllers of definitions do.
fn establish(api: &mut ApiServer) {
    let path = format!("{CRDS}/widgets.example.com");
    for write in [
        |crd: &CustomResourceDefinition| names::sync(crd, std::iter::once(crd), Timestamp::UNIX_EPOCH),
        |crd: &CustomResourceDefinition| names::establish(crd, Timestamp::UNIX_EPOCH),
    ] {
        let (_, mut value) = ask(api, "GET", &path, "", &Value::Null);
        let crd: CustomResourceDefinition = serde_json::from_value(value.clone()).unwrap();
        let Some(status) = write(&crd) else { continue };
        value["status"] = crate::api::to_value(&status);
        assert_eq!(ask(api, "PUT", &format!("{path}/status"), "", &value).0, 200);
    }
}

fn server(properties: Value) -> ApiServer {
    let mut api = ApiServer::new(1);
    let namespace = json!({"metadata": {"name": "d"}});
    assert_eq!(ask(&mut api, "POST", "/api/v1/namespaces", "", &namespace).0, 201);
    assert_eq!(ask(&mut api, "POST", CRDS, "", &definition(properties)).0, 201);
    establish(&mut api);
    api
}

fn widget(version: &str, spec: Value) -> Value {
    json!({"apiVersion": format!("example.com/{version}"), "kind": "Widget", "metadata": {"name": "a"}, "spec": spec})
}

#[test]
fn an_object_is_seen_in_every_version_and_stored_in_one() {
    let mut api = server(json!({"size": {"type": "integer", "default": 2}}));
    let v2 = WIDGETS.replace("/v1/", "/v2/");
    let (code, made) = ask(&mut api, "POST", &v2, "", &widget("v2", json!({})));
    assert_eq!(
        (code, &made["apiVersion"], &made["spec"]),
        (201, &json!("example.com/v2"), &json!({"size": 2}))
    );
    let stored = api.etcd().iter().find(|(key, _)| key.kind.is_custom()).unwrap().1.object.to_value();
    assert_eq!(stored["apiVersion"], "example.com/v1");
    assert_eq!(
        ask(&mut api, "GET", &format!("{WIDGETS}/a"), "", &Value::Null).1["apiVersion"],
        "example.com/v1"
    );
    let list = ask(&mut api, "GET", "/apis/example.com/v2/widgets", "", &Value::Null).1;
    assert_eq!(
        (&list["kind"], &list["items"][0]["apiVersion"]),
        (&json!("WidgetList"), &json!("example.com/v2"))
    );
}

#[test]
fn what_a_definition_says_holds_from_its_next_write_on() {
    let mut api = server(json!({"size": {"type": "integer"}, "old": {"type": "string"}}));
    let body = widget("v1", json!({"size": 1, "old": "x"}));
    assert_eq!(ask(&mut api, "POST", WIDGETS, "", &body).0, 201);
    let path = format!("{CRDS}/widgets.example.com");
    let (_, mut crd) = ask(&mut api, "GET", &path, "", &Value::Null);
    for i in [0, 1] {
        let spec = &mut crd["spec"]["versions"][i]["schema"]["openAPIV3Schema"]["properties"]["spec"];
        spec["properties"] = json!({"size": {"type": "integer"}, "new": {"type": "string", "default": "n"}});
    }
    assert_eq!(ask(&mut api, "PUT", &path, "", &crd).0, 200);
    let (_, shown) = ask(&mut api, "GET", &format!("{WIDGETS}/a"), "", &Value::Null);
    assert_eq!(shown["spec"], json!({"size": 1, "new": "n"}));
    let unserved = json!([{"op": "replace", "path": "/spec/versions/0/served", "value": false}]);
    let patch = "application/json-patch+json";
    assert_eq!(ask(&mut api, "PATCH", &path, patch, &unserved).0, 200);
    assert_eq!(ask(&mut api, "GET", WIDGETS, "", &Value::Null).0, 404);
    assert_eq!(ask(&mut api, "GET", &WIDGETS.replace("/v1/", "/v2/"), "", &Value::Null).0, 200);
}

#[test]
fn nothing_is_made_while_a_definition_is_deleted_and_what_is_there_can_be_changed() {
    let mut api = server(json!({"size": {"type": "integer"}}));
    assert_eq!(ask(&mut api, "POST", WIDGETS, "", &widget("v1", json!({}))).0, 201);
    assert_eq!(ask(&mut api, "DELETE", &format!("{CRDS}/widgets.example.com"), "", &Value::Null).0, 200);
    let mut other = widget("v1", json!({}));
    other["metadata"]["name"] = "b".into();
    let (code, refused) = ask(&mut api, "POST", WIDGETS, "", &other);
    assert_eq!(code, 403, "{refused}");
    let merge = "application/merge-patch+json";
    let label = json!({"metadata": {"labels": {"x": "y"}}});
    assert_eq!(ask(&mut api, "PATCH", &format!("{WIDGETS}/a"), merge, &label).0, 200);
    let (_, resources) = ask(&mut api, "GET", "/apis/example.com/v1", "", &Value::Null);
    assert_eq!(
        resources["resources"][0]["verbs"],
        json!(["delete", "deletecollection", "get", "list", "watch"])
    );
}

#[test]
fn a_scale_writes_the_path_that_the_definition_names() {
    let mut api = server(json!({"size": {"type": "integer"}}));
    assert_eq!(ask(&mut api, "POST", WIDGETS, "", &widget("v1", json!({}))).0, 201);
    let scale = format!("{WIDGETS}/a/scale");
    assert_eq!(ask(&mut api, "GET", &scale, "", &Value::Null).0, 500);
    let merge = "application/merge-patch+json";
    assert_eq!(ask(&mut api, "PATCH", &scale, merge, &json!({"metadata": {}})).0, 400);
    let (code, scaled) = ask(&mut api, "PATCH", &scale, merge, &json!({"spec": {"replicas": 4}}));
    assert_eq!((code, &scaled["spec"]), (200, &json!({"replicas": 4})));
    assert_eq!(ask(&mut api, "GET", &format!("{WIDGETS}/a"), "", &Value::Null).1["spec"], json!({"size": 4}));
}

#[test]
fn what_is_applied_to_an_object_needs_no_name() {
    let mut api = server(json!({"size": {"type": "integer"}}));
    let apply = "application/apply-patch+yaml";
    let status = json!({"apiVersion": "example.com/v1", "kind": "Widget", "status": {"size": 2}});
    let path = format!("{WIDGETS}/a/status?fieldManager=operator");
    let (code, refused) = ask(&mut api, "PATCH", &path, apply, &status);
    let message = "the name of the object (a based on URL) was undeterminable: name must be provided";
    assert_eq!((code, refused["message"].as_str()), (400, Some(message)));
    assert_eq!(ask(&mut api, "POST", WIDGETS, "", &widget("v1", json!({"size": 1}))).0, 201);
    let (code, applied) = ask(&mut api, "PATCH", &path, apply, &status);
    assert_eq!((code, &applied["status"]), (200, &json!({"size": 2})));
    assert_eq!(applied["metadata"]["name"], "a");
    let mut other = status.clone();
    other["metadata"] = json!({"name": "b"});
    let (code, refused) = ask(&mut api, "PATCH", &path, apply, &other);
    let message = "the name of the object (b) does not match the name on the URL (a)";
    assert_eq!((code, refused["message"].as_str()), (400, Some(message)));
    // The same holds for kinds that are built in.
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b"}});
    let path = "/api/v1/namespaces/d/configmaps/m?fieldManager=operator";
    assert_eq!(ask(&mut api, "PATCH", path, apply, &map).0, 400);
    let made = json!({"metadata": {"name": "m"}});
    assert_eq!(ask(&mut api, "POST", "/api/v1/namespaces/d/configmaps", "", &made).0, 201);
    assert_eq!(ask(&mut api, "PATCH", path, apply, &map).1["data"], json!({"a": "b"}));
}

#[test]
fn documents_of_custom_kinds_have_all_that_they_refer_to() {
    let mut api = server(json!({"size": {"type": "integer"}}));
    let (_, index) = ask(&mut api, "GET", "/openapi/v3", "", &Value::Null);
    let path = index["paths"]["apis/example.com/v1"]["serverRelativeURL"].as_str().unwrap().to_owned();
    let (_, document) = ask(&mut api, "GET", &path, "", &Value::Null);
    let (text, schemas) = (document.to_string(), &document["components"]["schemas"]);
    for name in text.split("#/components/schemas/").skip(1).filter_map(|t| t.split('"').next()) {
        assert!(schemas.get(name).is_some(), "{name}");
    }
    assert_eq!(
        schemas["com.example.v1.Widget"]["properties"]["spec"]["properties"]["size"]["type"],
        "integer"
    );
    let (_, older) = ask(&mut api, "GET", "/openapi/v2", "", &Value::Null);
    assert!(older["definitions"]["com.example.v2.WidgetList"].is_object());
    // kubectl refuses to validate any object by a document in which a reference leads nowhere.
    let text = older.to_string();
    for name in text.split("#/definitions/").skip(1).filter_map(|t| t.split('"').next()) {
        assert!(older["definitions"].get(name).is_some(), "{name}");
    }
}

#[test]
fn a_watch_ends_when_the_definition_changes() {
    let mut api = server(json!({"size": {"type": "integer"}}));
    assert_eq!(ask(&mut api, "POST", WIDGETS, "", &widget("v1", json!({"size": 1}))).0, 201);
    let request = HttpRequest {
        method: "GET".into(),
        path: WIDGETS.into(),
        query: "watch=true".into(),
        ..HttpRequest::default()
    };
    let mut stream = super::serve(&mut api, &request, &NoKubelets).stream.unwrap();
    let mut cache = super::TextCache::default();
    assert!(!stream.more(&api, &NoKubelets, &mut cache).is_empty());
    assert!(!stream.ended());
    let change = json!({"spec": {"names": {"plural": "widgets", "kind": "Widget", "shortNames": ["w"]}}});
    let merge = "application/merge-patch+json";
    assert_eq!(ask(&mut api, "PATCH", &format!("{CRDS}/widgets.example.com"), merge, &change).0, 200);
    assert!(stream.more(&api, &NoKubelets, &mut cache).is_empty());
    assert!(stream.ended());
}

/// `Delete` in `staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go`, `markAsDeleting` in
/// `staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go`, and `ServeHTTP` in
/// `staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go`, which asks the condition alone.
#[test]
fn a_definition_that_is_being_deleted_makes_objects_when_the_ones_before_are_gone() {
    let mut api = server(json!({"size": {"type": "integer"}}));
    let path = format!("{CRDS}/widgets.example.com");
    let (_, before) = ask(&mut api, "GET", &path, "", &Value::Null);
    for (key, what) in [("uid", "UID"), ("resourceVersion", "ResourceVersion")] {
        let have = before["metadata"][key].as_str().unwrap();
        let message = format!(
            "Operation cannot be fulfilled on customresourcedefinitions.apiextensions.k8s.io \"widgets.example.com\": Precondition failed: {what} in precondition: 1, {what} in object meta: {have}"
        );
        let (code, refused) = ask(&mut api, "DELETE", &path, "", &json!({"preconditions": {key: "1"}}));
        assert_eq!((code, &refused["message"]), (409, &json!(message)));
    }
    let (_, first) = ask(&mut api, "DELETE", &path, "", &Value::Null);
    assert_eq!(first["metadata"]["deletionGracePeriodSeconds"], Value::Null);
    let (_, mut marked) = ask(&mut api, "DELETE", &path, "", &Value::Null);
    assert_eq!(marked["metadata"]["deletionGracePeriodSeconds"], 0);
    let body = widget("v1", json!({"size": 1}));
    let (code, refused) = ask(&mut api, "POST", WIDGETS, "", &body);
    let said = refused["message"].as_str().unwrap();
    assert_eq!(code, 403, "{said}");
    assert!(said.ends_with("create not allowed while custom resource definition is terminating"), "{said}");
    for condition in marked["status"]["conditions"].as_array_mut().unwrap() {
        if condition["type"] == "Terminating" {
            condition["status"] = "False".into();
        }
    }
    assert_eq!(ask(&mut api, "PUT", &format!("{path}/status"), "", &marked).0, 200);
    assert_eq!(ask(&mut api, "POST", WIDGETS, "", &body).0, 201);
}
