//! `metadata.managedFields` as clients meet them.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::tests::{APPLY, DEPLOYMENTS, deployment, send, server, value};
use crate::apiserver::ApiServer;

const MERGE: &str = "application/merge-patch+json";
const JSON_PATCH: &str = "application/json-patch+json";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn get(api: &mut ApiServer, path: &str) -> Value {
    value(&send(api, "GET", path, "", "", &Value::Null))
}

fn managers(object: &Value) -> Vec<(String, String)> {
    let text = |m: &Value, key: &str| m[key].as_str().unwrap_or_default().to_owned();
    let list = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    list.iter().map(|m| (text(m, "manager"), text(m, "operation"))).collect()
}

fn events(api: &mut ApiServer, query: &str) -> Vec<Value> {
    let r = send(api, "GET", MAPS, query, "", &Value::Null);
    r.body.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

#[test]
fn a_watch_shows_what_a_get_showed_at_that_revision() {
    let mut api = server();
    let path = format!("{MAPS}/c");
    let new = json!({"metadata": {"name": "c", "labels": {"show": "1"}}, "data": {"a": "1"}});
    let begin = api.etcd().revision();
    let mut seen = vec![value(&send(&mut api, "POST", MAPS, "", "", &new))];
    let apply =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"b": "2"}});
    for (query, content, body) in [
        ("fieldManager=one", MERGE, json!({"data": {"a": "2"}})),
        ("fieldManager=two&force=true", APPLY, apply),
        ("fieldManager=three", MERGE, json!({"data": {"b": "3", "c": "1"}})),
        ("fieldManager=three", MERGE, json!({"metadata": {"managedFields": []}})),
        ("fieldManager=three", MERGE, json!({"metadata": {"labels": {"show": "2"}}})),
    ] {
        let r = send(&mut api, "PATCH", &path, query, content, &body);
        assert_eq!(r.status, 200, "{}", r.body);
        seen.push(get(&mut api, &path));
        assert_eq!(value(&r), seen[seen.len() - 1]);
    }
    let gone = send(&mut api, "DELETE", &path, "", "", &Value::Null);
    assert_eq!(gone.status, 200);
    let all = events(&mut api, &format!("watch=1&resourceVersion={begin}"));
    let objects: Vec<Value> = all.iter().map(|e| e["object"].clone()).collect();
    assert_eq!(objects[..seen.len()], seen[..]);
    assert_eq!(all[seen.len()]["type"], "DELETED");
    // What leaves the view is shown as it was.
    let some = events(&mut api, &format!("watch=1&resourceVersion={begin}&labelSelector=show%3D1"));
    assert_eq!(some.last().unwrap()["type"], "DELETED");
    assert_eq!(managers(&some.last().unwrap()["object"]), []);
    assert_eq!(managers(&some[2]["object"]).len(), 3);
}

#[test]
fn owners_can_be_given_and_taken_away() {
    let mut api = server();
    send(
        &mut api,
        "POST",
        MAPS,
        "fieldManager=m",
        "",
        &json!({"metadata": {"name": "c"}, "data": {"a": "1"}}),
    );
    let path = format!("{MAPS}/c");
    let mut object = get(&mut api, &path);
    let before = object["metadata"]["resourceVersion"].clone();
    // What was read and is sent back says nothing new.
    let r = send(&mut api, "PUT", &path, "", "", &object);
    assert_eq!(value(&r)["metadata"]["resourceVersion"], before);
    // Another owner is a change.
    object["metadata"]["managedFields"] = json!([{
        "manager": "other", "operation": "Apply", "apiVersion": "v1", "time": "2020-01-01T00:00:00Z",
        "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {".": {}, "f:a": {}}},
    }]);
    let r = value(&send(&mut api, "PUT", &path, "", "", &object));
    assert_eq!(r["metadata"]["managedFields"], object["metadata"]["managedFields"]);
    assert_ne!(r["metadata"]["resourceVersion"], before);
    assert_eq!(get(&mut api, &path), r);
    // Whoever writes then owns what it changed.
    let r = send(&mut api, "PATCH", &path, "fieldManager=p", MERGE, &json!({"data": {"b": "1"}}));
    assert_eq!(managers(&value(&r)), [("other".into(), "Apply".into()), ("p".into(), "Update".into())]);
    // What cannot be read counts as not said.
    let nonsense = json!({"metadata": {"managedFields": [{"manager": "x", "operation": "Eat"}]}});
    let r = send(&mut api, "PATCH", &path, "fieldManager=q", MERGE, &nonsense);
    assert_eq!(managers(&value(&r)).len(), 2);
    // An empty entry, or none, and nobody owns anything: nor does who writes next.
    let reset = json!([{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}]);
    let r = send(&mut api, "PATCH", &path, "", JSON_PATCH, &reset);
    assert_eq!(value(&r)["metadata"].get("managedFields"), None);
    let r = send(&mut api, "PATCH", &path, "fieldManager=q", MERGE, &json!({"data": {"b": "2"}}));
    assert_eq!(managers(&value(&r)), []);
    // Until somebody applies.
    let config =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"d": "1"}});
    let r = send(&mut api, "PATCH", &path, "fieldManager=z", APPLY, &config);
    let want = [("z".into(), "Apply".into()), ("before-first-apply".into(), "Update".into())];
    assert_eq!(managers(&value(&r)), want);
    // Through a subresource nothing is given.
    send(&mut api, "POST", DEPLOYMENTS, "", "", &deployment("web", 1));
    let status = format!("{DEPLOYMENTS}/web/status");
    let r = send(&mut api, "PATCH", &status, "", MERGE, &json!({"metadata": {"managedFields": []}}));
    assert_eq!(managers(&value(&r)), [("tester".into(), "Update".into())]);
}

#[test]
fn what_is_tried_shows_its_owners_and_leaves_them() {
    let mut api = server();
    let new = json!({"metadata": {"name": "c"}, "data": {"a": "1"}});
    let r = send(&mut api, "POST", MAPS, "dryRun=All&fieldManager=m", "", &new);
    assert_eq!(managers(&value(&r)), [("m".into(), "Update".into())]);
    let r = send(&mut api, "POST", MAPS, "fieldManager=n", "", &new);
    assert_eq!(managers(&value(&r)), [("n".into(), "Update".into())]);
    let path = format!("{MAPS}/c");
    let r = send(&mut api, "PATCH", &path, "dryRun=All&fieldManager=o", MERGE, &json!({"data": {"a": "2"}}));
    assert_eq!(managers(&value(&r)), [("n".into(), "Update".into()), ("o".into(), "Update".into())]);
    assert_eq!(managers(&get(&mut api, &path)), [("n".into(), "Update".into())]);
}

#[test]
fn of_too_many_who_wrote_the_first_are_taken_together() {
    let mut api = server();
    send(
        &mut api,
        "POST",
        MAPS,
        "fieldManager=m00",
        "",
        &json!({"metadata": {"name": "c"}, "data": {"a": "1"}}),
    );
    let path = format!("{MAPS}/c");
    for i in 1..=10 {
        let change = json!({"data": {format!("k{i}"): "1"}});
        send(&mut api, "PATCH", &path, &format!("fieldManager=m{i:02}"), MERGE, &change);
    }
    let names: Vec<String> = managers(&get(&mut api, &path)).into_iter().map(|(m, _)| m).collect();
    assert_eq!(names.len(), 10);
    assert_eq!(names[0], "ancient-changes");
    assert_eq!(names[1], "m02");
}

#[test]
fn an_apply_of_kubectl_keeps_what_was_applied_right() {
    let mut api = server();
    let key = "kubectl.kubernetes.io/last-applied-configuration";
    let new = json!({"metadata": {"name": "c", "annotations": {key: "{\"data\":{}}"}}, "data": {"a": "1"}});
    send(&mut api, "POST", MAPS, "fieldManager=kubectl-client-side-apply", "", &new);
    let config =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"b": "<"}});
    let path = format!("{MAPS}/c");
    let r = send(&mut api, "PATCH", &path, "fieldManager=kubectl", APPLY, &config);
    assert_eq!(
        value(&r)["metadata"]["annotations"][key],
        "{\"apiVersion\":\"v1\",\"data\":{\"b\":\"\\u003c\"},\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c\"}}\n"
    );
}

/// The owners of an object's wanted replicas: manager, subresource, and whether a time is known.
fn owners_of_replicas(object: &Value) -> Vec<(String, String, bool)> {
    let text = |m: &Value, key: &str| m[key].as_str().unwrap_or_default().to_owned();
    let list = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let owns = |m: &&Value| m.pointer("/fieldsV1/f:spec/f:replicas").is_some();
    list.iter()
        .filter(owns)
        .map(|m| (text(m, "manager"), text(m, "subresource"), m.get("time").is_some()))
        .collect()
}

#[test]
fn a_scale_gives_the_replicas_to_its_writer_and_forgets_the_time() {
    let mut api = server();
    let owner = |name: &str, part: &str, known: bool| vec![(name.to_owned(), part.to_owned(), known)];
    for name in ["d", "e"] {
        let new = deployment(name, 2);
        assert_eq!(send(&mut api, "POST", DEPLOYMENTS, "fieldManager=maker", "", &new).status, 201);
        let made = get(&mut api, &format!("{DEPLOYMENTS}/{name}"));
        assert_eq!(owners_of_replicas(&made), owner("maker", "", true));
    }
    let mut rescale = |name: &str, replicas: i64| {
        let (path, body) = (format!("{DEPLOYMENTS}/{name}"), json!({"spec": {"replicas": replicas}}));
        let query = "fieldManager=scaler";
        assert_eq!(send(&mut api, "PATCH", &format!("{path}/scale"), query, MERGE, &body).status, 200);
        let object = get(&mut api, &path);
        (owners_of_replicas(&object), object["metadata"]["resourceVersion"].clone())
    };
    assert_eq!(rescale("d", 3).0, owner("scaler", "scale", false));
    assert_eq!(rescale("d", 4).0, owner("scaler", "scale", false));
    let (_, version) = rescale("d", 5);
    assert_eq!(rescale("d", 5), (owner("scaler", "scale", false), version));
    // A scale of 0 has no such field, and then nobody owns it. Who changes what nobody owns does not own it either.
    assert_eq!(rescale("d", 0).0, []);
    assert_eq!(rescale("d", 1).0, []);
    // What changes nothing still takes the replicas out of the owner's entry: there are two entries of the same manager
    // then, and the next one who reads them keeps the one with the other fields.
    assert_eq!(rescale("e", 2).0, owner("maker", "", false));
    let (owners, version) = rescale("e", 2);
    assert_eq!((owners, rescale("e", 2)), (vec![], (vec![], version)));
}
