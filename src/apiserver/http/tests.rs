#![allow(clippy::unwrap_used)]

use rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::{BODY_LIMIT, http};
use crate::apimachinery::{HttpRequest, HttpResponse};
use crate::apiserver::ApiServer;

pub(super) const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
pub(super) const APPLY: &str = "application/apply-patch+yaml";

pub(super) fn server() -> ApiServer {
    let mut api = ApiServer::new(7);
    for (path, name) in
        [("/api/v1/namespaces", "default"), ("/api/v1/namespaces/default/serviceaccounts", "default")]
    {
        assert_eq!(send(&mut api, "POST", path, "", "", &json!({"metadata": {"name": name}})).status, 201);
    }
    api
}

fn text(
    api: &mut ApiServer,
    method: &str,
    path: &str,
    query: &str,
    content: &str,
    body: &[u8],
) -> HttpResponse {
    http(
        api,
        &HttpRequest {
            method: method.into(),
            path: path.into(),
            query: query.into(),
            content_type: content.into(),
            user_agent: "tester/1".into(),
            body: body.to_vec(),
            ..HttpRequest::default()
        },
    )
}

pub(super) fn send(
    api: &mut ApiServer,
    method: &str,
    path: &str,
    query: &str,
    content: &str,
    body: &Value,
) -> HttpResponse {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    text(api, method, path, query, content, body.as_bytes())
}

pub(super) fn value(r: &HttpResponse) -> Value {
    serde_json::from_str(&r.body).unwrap()
}

pub(super) fn deployment(name: &str, replicas: i32) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [
                {"name": "c", "image": "i:1", "ports": [{"containerPort": 80}], "env": [{"name": "A", "value": "1"}]},
            ]}},
        },
    })
}

/// Without what says who wrote it and when.
fn content(mut value: Value) -> Value {
    let meta = value["metadata"].as_object_mut().unwrap();
    for key in ["managedFields", "resourceVersion", "uid", "generation", "name"] {
        meta.remove(key);
    }
    value
}

#[test]
fn fields_come_in_the_order_of_kubernetes() {
    let mut api = server();
    let r = send(&mut api, "POST", DEPLOYMENTS, "", "", &deployment("web", 2));
    assert!(r.body.starts_with(
        r#"{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","namespace":"default""#
    ));
    let at = |t: &str| r.body.find(t).unwrap();
    assert!(at("\"selector\"") < at("\"template\"") && at("\"template\"") < at("\"strategy\""));
}

#[test]
fn a_list_in_parts_is_a_list_of_one_moment() {
    let mut api = server();
    let path = "/api/v1/namespaces/default/configmaps";
    for i in 0..5 {
        send(&mut api, "POST", path, "", "", &json!({"metadata": {"name": format!("m{i}")}}));
    }
    let first = value(&send(&mut api, "GET", path, "limit=2", "", &Value::Null));
    assert_eq!(first["metadata"]["remainingItemCount"], 3);
    let token = first["metadata"]["continue"].as_str().unwrap().to_owned();
    send(&mut api, "DELETE", &format!("{path}/m3"), "", "", &Value::Null);
    send(&mut api, "POST", path, "", "", &json!({"metadata": {"name": "m2x"}}));
    let rest = value(&send(&mut api, "GET", path, &format!("continue={token}"), "", &Value::Null));
    let names: Vec<&str> =
        rest["items"].as_array().unwrap().iter().map(|i| i["metadata"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["m2", "m3", "m4"]);
    assert_eq!(rest["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
}

/// A server with config maps, and their path.
fn with_maps(count: usize) -> (ApiServer, &'static str) {
    let mut api = server();
    let path = "/api/v1/namespaces/default/configmaps";
    for i in 0..count {
        let map = json!({"metadata": {"name": format!("m{i}")}});
        assert_eq!(send(&mut api, "POST", path, "", "", &map).status, 201);
    }
    (api, path)
}

/// `computeListLimit` in `staging/src/k8s.io/apiserver/pkg/storage/cacher/cacher.go`.
#[test]
fn a_list_of_any_revision_is_whole() {
    let (mut api, path) = with_maps(3);
    let list = value(&send(&mut api, "GET", path, "limit=2&resourceVersion=0", "", &Value::Null));
    assert_eq!(list["items"].as_array().unwrap().len(), 3);
    assert_eq!(list["metadata"]["continue"], Value::Null);
}

/// `handleCompactedErrorForPaging` in `staging/src/k8s.io/apiserver/pkg/storage/etcd3/errors.go`, and `DecodeContinue` in
/// `staging/src/k8s.io/apiserver/pkg/storage/continue.go`.
#[test]
fn a_list_that_has_expired_goes_on_at_the_latest_revision() {
    let (mut api, path) = with_maps(5);
    let next =
        |answer: &Value| format!("limit=2&continue={}", answer["metadata"]["continue"].as_str().unwrap());
    let first = value(&send(&mut api, "GET", path, "limit=2", "", &Value::Null));
    send(&mut api, "DELETE", &format!("{path}/m2"), "", "", &Value::Null);
    api.compact();
    let expired = send(&mut api, "GET", path, &next(&first), "", &Value::Null);
    assert_eq!(expired.status, 410);
    let expired = value(&expired);
    let said = expired["message"].as_str().unwrap();
    assert!(
        said.ends_with("between the time the first chunk was returned and now may show up in the list."),
        "{said}"
    );
    let rest = value(&send(&mut api, "GET", path, &next(&expired), "", &Value::Null));
    let names: Vec<&Value> =
        rest["items"].as_array().unwrap().iter().map(|i| &i["metadata"]["name"]).collect();
    assert_eq!(names, ["m3", "m4"]);
    assert_eq!(rest["metadata"], json!({"resourceVersion": api.etcd().revision().to_string()}));
}

/// `SetListOptionsDefaults` in `staging/src/k8s.io/apimachinery/pkg/apis/meta/internalversion/defaults.go`, of which a path with
/// the prefix `watch` gets nothing.
#[test]
fn a_watch_from_anywhere_says_where_its_beginning_ends() {
    let (mut api, path) = with_maps(1);
    let old_path = "/api/v1/watch/namespaces/default/configmaps";
    for (path, query, ends) in [
        (path, "watch=1&allowWatchBookmarks=true", 1),
        (path, "watch=1&allowWatchBookmarks=true&resourceVersion=0", 1),
        (path, "watch=1", 0),
        (path, "watch=1&allowWatchBookmarks=true&resourceVersion=1", 0),
        (old_path, "allowWatchBookmarks=true", 0),
        (old_path, "watch=1&allowWatchBookmarks=true", 1),
    ] {
        let answer = send(&mut api, "GET", path, query, "", &Value::Null);
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!(
            answer.body.matches(r#""k8s.io/initial-events-end":"true""#).count(),
            ends,
            "{path} {query}"
        );
        assert_eq!(answer.body.matches(r#""type":"ADDED""#).count(), 1, "{path} {query}");
    }
}

/// `validateWatchOptions` in `staging/src/k8s.io/apimachinery/pkg/apis/meta/internalversion/validation/validation.go`, `listOpts`
/// in `staging/src/k8s.io/apiserver/pkg/endpoints/handlers/get.go`, and `waitUntilWatchCacheFreshAndForceAllEvents` in
/// `staging/src/k8s.io/apiserver/pkg/storage/cacher/cacher.go`.
#[test]
fn a_watch_that_cannot_begin_is_refused() {
    let (mut api, path) = with_maps(1);
    let asked = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
    for query in ["watch=1", asked] {
        let refused = value(&send(&mut api, "GET", path, &format!("{query}&continue=x"), "", &Value::Null));
        let causes = refused["details"]["causes"].as_array().unwrap();
        let messages: Vec<&Value> = causes.iter().map(|c| &c["message"]).collect();
        assert_eq!(messages, ["Forbidden: resourceVersionMatch is forbidden when continue is provided"]);
    }
    let later = send(&mut api, "GET", path, &format!("{asked}&resourceVersion=999"), "", &Value::Null);
    let event = value(&later);
    assert_eq!((later.status, &event["type"], &event["object"]["code"]), (200, &json!("ERROR"), &json!(504)));
    let current = api.etcd().revision();
    let message = format!("Timeout: Too large resource version: 999, current: {current}");
    assert_eq!(event["object"]["message"], json!(message));
    let one = "/api/v1/watch/namespaces/default/configmaps/m0";
    for (selector, status) in
        [("name=m0", 200), ("name=m1", 400), ("name!=m1", 400), ("namespace=default", 400)]
    {
        let query = format!("fieldSelector=metadata.{selector}");
        let answer = send(&mut api, "GET", one, &query, "", &Value::Null);
        assert_eq!(answer.status, status, "{selector}");
        if status == 400 {
            assert_eq!(value(&answer)["message"], "fieldSelector metadata.name doesn't match requested name");
        }
    }
}

/// `Apply` of `versionCheckManager` in `staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/versioncheck.go`, which
/// is asked before all others.
#[test]
fn an_apply_is_of_the_version_and_the_kind_of_its_path() {
    let mut api = server();
    let path = "/api/v1/namespaces/default/configmaps/m";
    for (version, kind, said) in
        [("v1", "Secret", "/v1, Kind=Secret"), ("apps/v1", "ConfigMap", "apps/v1, Kind=ConfigMap")]
    {
        let metadata = json!({"name": "m", "managedFields": []});
        let body = json!({"apiVersion": version, "kind": kind, "metadata": metadata});
        let answer = send(&mut api, "PATCH", path, "fieldManager=x", APPLY, &body);
        let message = json!(format!("invalid object type: {said}"));
        assert_eq!((answer.status, &value(&answer)["message"]), (400, &message));
    }
}

/// `UpdatedObject` of `scaleUpdatedObjectInfo` in `pkg/registry/apps/deployment/storage/storage.go`.
#[test]
fn a_patched_scale_is_that_of_its_object() {
    let mut api = server();
    let made = value(&send(&mut api, "POST", DEPLOYMENTS, "", "", &deployment("web", 2)));
    let mut patch = |uid: &str, replicas: i32| {
        let body = json!({"metadata": {"uid": uid}, "spec": {"replicas": replicas}});
        let merge = "application/merge-patch+json";
        let answer = send(&mut api, "PATCH", &format!("{DEPLOYMENTS}/web/scale"), "", merge, &body);
        (answer.status, value(&answer))
    };
    let uid = made["metadata"]["uid"].as_str().unwrap();
    let (status, refused) = patch("x", 3);
    let message = format!(
        "Operation cannot be fulfilled on deployments/scale.apps \"web\": Precondition failed: UID in precondition: x, UID in object meta: {uid}"
    );
    assert_eq!((status, &refused["message"]), (409, &json!(message)));
    assert_eq!(refused["details"], json!({"name": "web", "group": "apps", "kind": "deployments/scale"}));
    assert_eq!(patch("x", -1).0, 422);
    assert_eq!(patch(uid, 3).0, 200);
}

#[test]
fn a_watch_from_any_revision_leads_to_the_list() {
    let mut api = server();
    let path = "/api/v1/namespaces/default/configmaps";
    let mut rng = rand_pcg::Pcg32::seed_from_u64(3);
    for _ in 0..60 {
        let name = format!("m{}", rng.next_u32() % 5);
        let label = json!({"metadata": {"name": name, "labels": {"x": (rng.next_u32() % 2).to_string()}}});
        match rng.next_u32() % 3 {
            0 => send(&mut api, "POST", path, "", "", &label),
            1 => {
                send(&mut api, "PATCH", &format!("{path}/{name}"), "", "application/merge-patch+json", &label)
            }
            _ => send(&mut api, "DELETE", &format!("{path}/{name}"), "", "", &Value::Null),
        };
    }
    let wanted = value(&send(&mut api, "GET", path, "labelSelector=x=1", "", &Value::Null));
    let names = |list: &Value| -> Vec<String> {
        let items = list["items"].as_array().unwrap().iter();
        items.map(|i| i["metadata"]["name"].as_str().unwrap().to_owned()).collect()
    };
    for revision in 2..=api.etcd().revision() {
        let query = format!("labelSelector=x=1&resourceVersion={revision}&resourceVersionMatch=Exact");
        let mut have: std::collections::BTreeSet<String> =
            names(&value(&send(&mut api, "GET", path, &query, "", &Value::Null))).into_iter().collect();
        let query = format!("watch=1&labelSelector=x=1&resourceVersion={revision}");
        let watch = send(&mut api, "GET", path, &query, "", &Value::Null);
        for line in watch.body.lines() {
            let event: Value = serde_json::from_str(line).unwrap();
            let name = event["object"]["metadata"]["name"].as_str().unwrap().to_owned();
            match event["type"].as_str().unwrap() {
                "DELETED" => assert!(have.remove(&name), "{revision}: {name}"),
                "ADDED" => assert!(have.insert(name)),
                _ => assert!(have.contains(&name)),
            }
        }
        assert_eq!(have.into_iter().collect::<Vec<_>>(), names(&wanted), "from {revision}");
    }
}

/// The same edit by a strategic merge patch and by an apply of the whole leads to the same object.
#[test]
fn strategic_merge_and_apply_agree() {
    let edits: &[fn(&mut Value)] = &[
        |d| d["spec"]["replicas"] = 5.into(),
        |d| d["metadata"]["labels"] = json!({"x": "y"}),
        |d| d["spec"]["template"]["spec"]["containers"][0]["image"] = "i:2".into(),
        |d| d["spec"]["template"]["spec"]["containers"][0]["env"] = json!([{"name": "B", "value": "2"}]),
        |d| {
            d["spec"]["template"]["spec"]["containers"][0].as_object_mut().unwrap().remove("ports");
        },
        |d| d["spec"]["template"]["spec"]["nodeSelector"] = json!({"disk": "ssd"}),
        |d| {
            let c = d["spec"]["template"]["spec"]["containers"].as_array_mut().unwrap();
            c.push(json!({"name": "side", "image": "s"}));
        },
        |d| d["spec"]["minReadySeconds"] = 3.into(),
        |d| d["spec"]["template"]["metadata"]["annotations"] = json!({"k": "v"}),
    ];
    for mask in 1..(1u32 << edits.len()) {
        let mut api = server();
        let (mut by_patch, mut by_apply) = (deployment("one", 2), deployment("two", 2));
        for d in [&by_patch, &by_apply] {
            let path = format!("{DEPLOYMENTS}/{}", d["metadata"]["name"].as_str().unwrap());
            assert_eq!(send(&mut api, "PATCH", &path, "fieldManager=m", APPLY, d).status, 201);
        }
        let old = by_patch.clone();
        for (_, edit) in edits.iter().enumerate().filter(|(i, _)| mask & (1 << i) != 0) {
            edit(&mut by_patch);
            edit(&mut by_apply);
        }
        let patch =
            crate::api::patch::create_two_way_merge_patch(crate::api::Kind::DEPLOYMENT, &old, &by_patch)
                .unwrap();
        let content_type = "application/strategic-merge-patch+json";
        let one = send(&mut api, "PATCH", &format!("{DEPLOYMENTS}/one"), "", content_type, &patch);
        let two = send(&mut api, "PATCH", &format!("{DEPLOYMENTS}/two"), "fieldManager=m", APPLY, &by_apply);
        assert_eq!((one.status, two.status), (200, 200), "{mask:b}: {} {}", one.body, two.body);
        assert_eq!(content(value(&one)), content(value(&two)), "{mask:b}");
    }
}

#[test]
fn owners_are_who_changed_a_field_last() {
    let mut api = server();
    send(&mut api, "POST", DEPLOYMENTS, "", "", &deployment("web", 2));
    let path = format!("{DEPLOYMENTS}/web");
    let merge = "application/merge-patch+json";
    let r = send(&mut api, "PATCH", &path, "fieldManager=other", merge, &json!({"spec": {"replicas": 3}}));
    let managers = value(&r)["metadata"]["managedFields"].clone();
    assert_eq!(managers[0]["manager"], "other");
    assert_eq!(managers[0]["fieldsV1"], json!({"f:spec": {"f:replicas": {}}}));
    assert_eq!(managers[1]["manager"], "tester");
    assert!(managers[1]["fieldsV1"]["f:spec"].get("f:replicas").is_none());
    let template = &managers[1]["fieldsV1"]["f:spec"]["f:template"]["f:spec"]["f:containers"];
    let port = &template["k:{\"name\":\"c\"}"]["f:ports"]["k:{\"containerPort\":80,\"protocol\":\"TCP\"}"];
    assert_eq!(*port, json!({".": {}, "f:containerPort": {}, "f:protocol": {}}));
    // A dry run shows owners and changes none.
    let config = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 9}});
    let dry = send(&mut api, "PATCH", &path, "fieldManager=dry&force=true&dryRun=All", APPLY, &config);
    assert_eq!(value(&dry)["metadata"]["managedFields"][0]["manager"], "dry");
    assert_eq!(
        value(&send(&mut api, "GET", &path, "", "", &Value::Null))["metadata"]["managedFields"],
        managers
    );
}

#[test]
fn what_is_too_large_is_not_read() {
    let mut api = server();
    let r = text(&mut api, "POST", DEPLOYMENTS, "", "", &vec![b' '; BODY_LIMIT + 1]);
    assert_eq!(r.status, 413);
}

/// No request whatever makes it panic, and every answer is an answer.
#[test]
fn any_request_has_an_answer() {
    let mut api = server();
    let good = deployment("web", 2).to_string();
    send(&mut api, "POST", DEPLOYMENTS, "", "", &deployment("web", 2));
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];
    let paths = [
        DEPLOYMENTS,
        "/apis/apps/v1/namespaces/default/deployments/web",
        "/apis/apps/v1/namespaces/default/deployments/web/scale",
        "/apis/apps/v1/namespaces/default/deployments/web/status",
        "/api/v1/namespaces/default/pods/p/eviction",
        "/api/v1/namespaces/default/pods/p/binding",
        "/api/v1/watch/pods",
        "/apis",
        "//",
        "/api/v1/namespaces/default/",
        "/openapi/v3/apis/apps/v1",
        "/apis/batch/v1/jobs",
    ];
    let queries = [
        "",
        "watch=1&resourceVersion=1",
        "limit=1",
        "continue=e30",
        "continue=%ff",
        "dryRun=All",
        "labelSelector=((",
        "fieldSelector=\\",
        "resourceVersion=18446744073709551616",
        "fieldManager=a&force=true",
        "fieldValidation=Strict",
        "limit=9223372036854775807",
    ];
    let contents = [
        "",
        "application/yaml",
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
        APPLY,
        "x",
    ];
    let bodies = [
        "",
        "{}",
        "[]",
        "null",
        "1",
        "\"",
        good.as_str(),
        "[{\"op\":\"add\",\"path\":\"/spec/template/spec/containers/-1\",\"value\":1}]",
        "[{\"op\":\"remove\",\"path\":\"\"}]",
        "{\"spec\":null}",
        "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"$patch\":\"delete\"}]}}}}",
        "{\"metadata\":{\"name\":\"web\",\"creationTimestamp\":\"x\"}}",
        "a: &a [*a]",
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"web\"},\"spec\":{\"template\":{\"spec\":{\"containers\":[{}]}}}}",
    ];
    let mut rng = rand_pcg::Pcg32::seed_from_u64(11);
    fn pick<'a>(rng: &mut rand_pcg::Pcg32, of: &[&'a str]) -> &'a str {
        of[rng.next_u32() as usize % of.len()]
    }
    for _ in 0..6000 {
        let (method, path) = (pick(&mut rng, &methods), pick(&mut rng, &paths));
        let (query, content) = (pick(&mut rng, &queries), pick(&mut rng, &contents));
        let mut body = pick(&mut rng, &bodies).as_bytes().to_vec();
        // Now and then a byte is another.
        if rng.next_u32() % 3 == 0 && !body.is_empty() {
            let at = rng.next_u32() as usize % body.len();
            body[at] = rng.next_u32().to_le_bytes()[0];
        }
        let r = text(&mut api, method, path, query, content, &body);
        assert!((200..600).contains(&r.status), "{method} {path}?{query} {}", String::from_utf8_lossy(&body));
    }
}

#[test]
fn kubectl_takes_up_what_it_applied_on_the_clients_side() {
    let mut api = server();
    let mut object = deployment("web", 3);
    let config = object.to_string();
    object["metadata"]["annotations"] = json!({"kubectl.kubernetes.io/last-applied-configuration": config});
    let create = "fieldManager=kubectl-client-side-apply";
    assert_eq!(send(&mut api, "POST", DEPLOYMENTS, create, "", &object).status, 201);
    let path = format!("{DEPLOYMENTS}/web");
    let wanted = deployment("web", 5);
    assert_eq!(send(&mut api, "PATCH", &path, "fieldManager=somebody", APPLY, &wanted).status, 409);
    let applied = send(&mut api, "PATCH", &path, "fieldManager=kubectl", APPLY, &wanted);
    assert_eq!((applied.status, &value(&applied)["spec"]["replicas"]), (200, &5.into()), "{}", applied.body);
    // What somebody changed since is theirs.
    let change = json!({"spec": {"replicas": 7}});
    let merge = "application/merge-patch+json";
    assert_eq!(send(&mut api, "PATCH", &path, "fieldManager=somebody", merge, &change).status, 200);
    assert_eq!(send(&mut api, "PATCH", &path, "fieldManager=kubectl", APPLY, &wanted).status, 409);
}

#[test]
fn people_get_lines() {
    let mut api = server();
    let get = |api: &mut ApiServer, agent: &str, query: &str| {
        let (path, query) = ("/api/v1/namespaces/default".into(), query.into());
        let request = HttpRequest {
            method: "GET".into(),
            path,
            query,
            user_agent: agent.into(),
            ..HttpRequest::default()
        };
        http(api, &request).body
    };
    let (plain, lines) = (get(&mut api, "kubectl/1", ""), get(&mut api, "curl/8.0", ""));
    assert!(
        lines.starts_with(
            "{\n  \"kind\": \"Namespace\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {\n    \"name\""
        ),
        "{lines}"
    );
    assert_eq!(get(&mut api, "kubectl/1", "pretty=true"), lines);
    assert_eq!(get(&mut api, "curl/8.0", "pretty=false"), plain);
    let same = |a: &str, b: &str| {
        serde_json::from_str::<Value>(a).unwrap() == serde_json::from_str::<Value>(b).unwrap()
    };
    assert!(same(&plain, &lines));
    assert_eq!(
        super::indent::indented(r#"{"a":[],"b":{"c":"x:\\\"{,"},"d":[1,2]}"#),
        "{\n  \"a\": [],\n  \"b\": {\n    \"c\": \"x:\\\\\\\"{,\"\n  },\n  \"d\": [\n    1,\n    2\n  ]\n}"
    );
}
