//! What clients other than kubectl send.
#![allow(clippy::unwrap_used)]

use std::rc::Rc;

use serde_json::{Value, json};

use super::http;
use super::tests::{send, server, value};
use crate::api::disruption_budget::set_condition;
use crate::api::types::{PodDisruptionBudget, PodDisruptionBudgetStatus, Time};
use crate::api::{Kind, ObjectRef, seconds};
use crate::apimachinery::{HttpRequest, HttpResponse};
use crate::apiserver::ApiServer;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn read(api: &mut ApiServer, path: &str, query: &str, accept: &str) -> HttpResponse {
    let request = HttpRequest {
        method: "GET".into(),
        path: path.into(),
        query: query.into(),
        accept: accept.into(),
        ..HttpRequest::default()
    };
    http(api, &request)
}

fn with_map() -> ApiServer {
    let mut api = server();
    assert_eq!(send(&mut api, "POST", MAPS, "", "", &json!({"metadata": {"name": "m"}})).status, 201);
    api
}

#[test]
fn tables_and_metadata_come_in_the_old_version_of_the_meta_group_too() {
    let mut api = with_map();
    let one = format!("{MAPS}/m");
    for version in ["v1", "v1beta1"] {
        let of = |form: &str| format!("application/json;as={form};v={version};g=meta.k8s.io");
        let group_version = format!("meta.k8s.io/{version}");
        for (path, query) in
            [(MAPS, ""), (one.as_str(), ""), (MAPS, "watch=1"), ("/apis/apps/v1/deployments", "")]
        {
            let answer = read(&mut api, path, query, &of("Table"));
            assert_eq!(answer.status, 200, "{}", answer.body);
            let line: Value = serde_json::from_str(answer.body.lines().next().unwrap()).unwrap();
            let table = if query.is_empty() { &line } else { &line["object"] };
            assert_eq!((&table["kind"], &table["apiVersion"]), (&json!("Table"), &json!(group_version)));
            if path != "/apis/apps/v1/deployments" {
                assert_eq!(table["rows"][0]["object"]["apiVersion"], json!(group_version));
            }
        }
        let list = value(&read(&mut api, MAPS, "", &of("PartialObjectMetadataList")));
        assert_eq!(list["apiVersion"], json!(group_version));
        assert_eq!(list["items"][0]["apiVersion"], json!(group_version));
        let object = value(&read(&mut api, &one, "", &of("PartialObjectMetadata")));
        assert_eq!(
            (&object["apiVersion"], &object["metadata"]["name"]),
            (&json!(group_version), &json!("m"))
        );
        let yaml = read(&mut api, MAPS, "", &of("PartialObjectMetadataList").replace("json", "yaml"));
        assert!(yaml.body.starts_with(&format!("apiVersion: {group_version}\n")), "{}", yaml.body);
    }
}

#[test]
fn an_eviction_may_be_of_the_old_version() {
    let mut api = server();
    let pods = "/api/v1/namespaces/default/pods";
    let pod = json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    assert_eq!(send(&mut api, "POST", pods, "", "", &pod).status, 201);
    let evict = |api: &mut ApiServer, version: &str| {
        let body = json!({"kind": "Eviction", "apiVersion": version, "metadata": {"name": "p"}});
        send(api, "POST", &format!("{pods}/p/eviction"), "", "", &body).status
    };
    assert_eq!(evict(&mut api, "policy/v1alpha1"), 400);
    assert_eq!(evict(&mut api, "policy/v1beta1"), 201);
    assert_eq!(evict(&mut api, "policy/v1"), 404);
}

/// `addConditionAndDeletePod`: the preconditions are looked at before the condition is written, and a second eviction
/// changes nothing.
#[test]
fn an_eviction_marks_the_pod_that_its_options_name() {
    let mut api = server();
    let pods = "/api/v1/namespaces/default/pods";
    let pod = json!({"metadata": {"name": "p", "finalizers": ["example.com/hold"]},
        "spec": {"containers": [{"name": "c", "image": "i"}]}});
    assert_eq!(send(&mut api, "POST", pods, "", "", &pod).status, 201);
    let evict = |api: &mut ApiServer, preconditions: Value| {
        let body = json!({"kind": "Eviction", "apiVersion": "policy/v1", "metadata": {"name": "p"},
            "deleteOptions": {"preconditions": preconditions}});
        send(api, "POST", &format!("{pods}/p/eviction"), "", "", &body)
    };
    let stored = |api: &mut ApiServer| value(&read(api, &format!("{pods}/p"), "", ""));
    let before = stored(&mut api);
    for wrong in [json!({"uid": "other"}), json!({"resourceVersion": "1"})] {
        assert_eq!(evict(&mut api, wrong).status, 409);
        assert_eq!(stored(&mut api), before);
    }
    let revision = before["metadata"]["resourceVersion"].clone();
    assert_eq!(evict(&mut api, json!({"resourceVersion": revision})).status, 201);
    let marked = stored(&mut api);
    assert_eq!(marked["status"]["conditions"][0]["reason"], "EvictionByEvictionAPI");
    // `conditionAppender` of `addConditionAndDeletePod` in `pkg/registry/core/pod/storage/eviction.go` names no generation.
    assert!(marked["status"]["conditions"][0]["observedGeneration"].is_null());
    assert!(marked["metadata"]["deletionTimestamp"].is_string());
    assert_eq!(evict(&mut api, json!({})).status, 201);
    assert_eq!(stored(&mut api), marked);
}

/// A server with a pod `p` that is ready, and a budget `b` of it.
fn with_budget() -> ApiServer {
    let mut api = server();
    let pods = "/api/v1/namespaces/default/pods";
    let pod = json!({"metadata": {"name": "p", "labels": {"a": "b"}},
        "spec": {"containers": [{"name": "c", "image": "i"}]}});
    assert_eq!(send(&mut api, "POST", pods, "", "", &pod).status, 201);
    let running =
        json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
    let merge = "application/merge-patch+json";
    assert_eq!(send(&mut api, "PATCH", &format!("{pods}/p/status"), "", merge, &running).status, 200);
    let budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    let budget = json!({"metadata": {"name": "b"}, "spec": {"selector": {"matchLabels": {"a": "b"}}}});
    assert_eq!(send(&mut api, "POST", budgets, "", "", &budget).status, 201);
    api
}

/// Evicts the pod of [`with_budget`], after the budget's status was changed.
fn evict_from(api: &mut ApiServer, change: impl Fn(&mut PodDisruptionBudgetStatus)) -> HttpResponse {
    let at = ObjectRef::new(Kind::POD_DISRUPTION_BUDGET, "default", "b");
    let mut budget = api.etcd.get(&at).unwrap().object.get::<PodDisruptionBudget>().unwrap().clone();
    let status = Rc::make_mut(&mut budget).status.get_or_insert_default();
    status.observed_generation = Some(1);
    change(status);
    api.etcd.put(at, budget.into());
    let body = json!({"kind": "Eviction", "apiVersion": "policy/v1", "metadata": {"name": "p"}});
    send(api, "POST", "/api/v1/namespaces/default/pods/p/eviction", "", "", &body)
}

/// `checkAndDecrement` and `createTooManyRequestsError` in `pkg/registry/core/pod/storage/eviction.go`, and `ErrorNegotiated` in
/// `staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/writers.go`, which sets the header.
#[test]
fn a_budget_says_why_it_allows_no_eviction() {
    let mut api = with_budget();
    let said = |answer: &HttpResponse| {
        assert_eq!(answer.status, 429);
        let details = value(answer)["details"].clone();
        let after = details["retryAfterSeconds"].as_u64().and_then(|n| u32::try_from(n).ok());
        assert_eq!(answer.retry_after, after);
        assert_eq!(details["causes"][0]["field"], Value::Null);
        (after, details["causes"][0]["message"].as_str().unwrap().to_owned())
    };
    let now = api.now;
    let mut refused = |have: i32, word: &str, reason: &str, message: &str| {
        let answer = evict_from(&mut api, |status| {
            (status.desired_healthy, status.current_healthy) = (Some(2), Some(have));
            set_condition(status, word, reason, message, now);
        });
        let (after, said) = said(&answer);
        assert_eq!(after, None);
        said
    };
    let currently = "The disruption budget b does not allow evicting pods currently";
    let needs = "The disruption budget b needs 2 healthy pods and has 1 currently";
    assert_eq!(
        refused(3, "False", "SyncFailed", "no scale"),
        format!("{currently} because it failed sync: no scale")
    );
    assert_eq!(refused(1, "False", "SyncFailed", ""), needs);
    assert_eq!(refused(1, "False", "Other", "words"), needs);
    assert_eq!(refused(3, "False", "Other", "words"), format!("{currently} (Other): words"));
    assert_eq!(refused(3, "False", "Other", ""), currently);
    assert_eq!(refused(3, "True", "SyncFailed", "no scale"), currently);
    let answer = evict_from(&mut api, |status| status.observed_generation = Some(0));
    let message = "The disruption budget b is still being processed by the server.";
    assert_eq!(said(&answer), (Some(10), message.to_owned()));
}

/// `checkAndDecrement`: what a budget's controller never writes, and more evictions than it has confirmed.
#[test]
fn an_eviction_is_forbidden_by_a_budget_whose_status_cannot_be_right() {
    let mut api = with_budget();
    let evict = |api: &mut ApiServer, allowed: i32, disrupted: usize| {
        let now = Time(seconds(api.now));
        evict_from(api, |status| {
            status.disruptions_allowed = Some(allowed);
            status.disrupted_pods = Some((0..disrupted).map(|n| (format!("p-{n}"), now.clone())).collect());
        })
    };
    let negative = "pdb disruptions allowed is negative";
    let too_many = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
    for (allowed, disrupted, why) in
        [(-1, 0, negative), (-1, 2001, negative), (0, 2001, too_many), (1, 2001, too_many)]
    {
        let answer = evict(&mut api, allowed, disrupted);
        let mut said = value(&answer);
        said["metadata"] = Value::Null;
        assert_eq!(
            (answer.status, said),
            (
                403,
                json!({"kind": "Status", "apiVersion": "v1", "metadata": null, "status": "Failure", "code": 403,
                    "reason": "Forbidden",
                    "message": format!("poddisruptionbudget.policy \"b\" is forbidden: {why}"),
                    "details": {"name": "b", "group": "policy", "kind": "poddisruptionbudget"}})
            )
        );
    }
    assert_eq!(evict(&mut api, 0, 2000).status, 429);
    assert_eq!(evict(&mut api, 1, 2000).status, 201);
}

#[test]
fn the_body_of_a_deletion_is_delete_options() {
    let mut api = with_map();
    let one = format!("{MAPS}/m");
    let refused = |api: &mut ApiServer, kind: &str, version: &str| {
        let answer = send(api, "DELETE", &one, "", "", &json!({"kind": kind, "apiVersion": version}));
        assert_eq!(answer.status, 400, "{}", answer.body);
        value(&answer)["message"].as_str().unwrap().to_owned()
    };
    for kind in ["ConfigMap", "Foo"] {
        let scheme = "pkg/apis/meta/internalversion/scheme/register.go:27";
        let said = format!("no kind \"{kind}\" is registered for version \"v1\" in scheme \"{scheme}\"");
        assert_eq!(refused(&mut api, kind, "v1"), said);
    }
    let said = "converting (v1.Status) to (v1.DeleteOptions): unknown conversion";
    assert_eq!(refused(&mut api, "Status", "v1"), said);
    assert_eq!(read(&mut api, &one, "", "").status, 200);
    for version in ["v1", "apps/v1", "meta.k8s.io/v1", ""] {
        let body = json!({"kind": "DeleteOptions", "apiVersion": version, "dryRun": ["All"]});
        assert_eq!(send(&mut api, "DELETE", &one, "", "", &body).status, 200);
    }
}

#[test]
fn a_name_in_a_path_can_stand_in_a_key_of_the_store() {
    let mut api = with_map();
    for (name, why) in [
        ("..", r#"Name parameter invalid: "..": may not be '..'"#),
        (".", r#"Name parameter invalid: ".": may not be '.'"#),
        ("a%25b", r#"Name parameter invalid: "a%b": may not contain '%'"#),
    ] {
        for method in ["GET", "DELETE"] {
            let answer = send(&mut api, method, &format!("{MAPS}/{name}"), "", "", &Value::Null);
            assert_eq!((answer.status, value(&answer)["message"].as_str()), (400, Some(why)));
        }
    }
    assert_eq!(send(&mut api, "GET", &format!("{MAPS}/..m"), "", "", &Value::Null).status, 404);
}

#[test]
fn a_map_that_is_too_large_has_no_name_for_the_field() {
    let mut api = server();
    let map = json!({"metadata": {"name": "m"}, "data": {"k": "x".repeat(1024 * 1024 + 1)}});
    let answer = value(&send(&mut api, "POST", MAPS, "", "", &map));
    let said = "ConfigMap \"m\" is invalid: []: Too long: may not be more than 1048576 bytes";
    assert_eq!(answer["message"].as_str(), Some(said));
    assert_eq!(answer["details"]["causes"][0]["field"], "[]");
}

#[test]
fn the_root_says_which_paths_there_are() {
    let mut api = server();
    for path in ["/", "/index.html"] {
        let answer = read(&mut api, path, "", "");
        assert_eq!((answer.status, answer.content_type.as_str()), (200, "application/json"));
        assert!(
            answer.body.starts_with(
                "{\n  \"paths\": [\n    \"/.well-known/openid-configuration\",\n    \"/api\",\n    \"/api/v1\",\n"
            ),
            "{}",
            answer.body
        );
        let paths: Vec<String> = serde_json::from_value(value(&answer)["paths"].clone()).unwrap();
        assert!(paths.is_sorted());
        for path in paths {
            let status = read(&mut api, &path, "", "").status;
            assert_eq!(status, 200, "{path}");
        }
    }
}

/// `pkg/serviceaccount/openidmetadata.go` and `k8s.io/kube-openapi/pkg/handler3/handler.go` keep texts, which are one line for curl, too.
#[test]
fn documents_that_no_serializer_writes_are_one_line() {
    let mut api = server();
    let mut lines = |path: &str, query: &str| {
        let request = HttpRequest {
            method: "GET".into(),
            path: path.into(),
            query: query.into(),
            user_agent: "curl/8.5.0".into(),
            ..HttpRequest::default()
        };
        http(&mut api, &request).body.lines().count()
    };
    for path in ["/.well-known/openid-configuration", "/openid/v1/jwks", "/openapi/v3", "/openapi/v3/api/v1"]
    {
        assert_eq!((lines(path, ""), lines(path, "pretty=true")), (1, 1), "{path}");
    }
    assert!(lines("/api/v1", "") > 1 && lines("/openapi/v3/api/none", "") > 1);
    assert_eq!(lines("/api/v1", "pretty=false"), 1);
}

/// The hooks in the order in which `New` in `pkg/controlplane/apiserver/server.go` and in `pkg/controlplane/instance.go` adds them.
#[test]
fn checks_of_health_can_be_left_out_and_asked_for() {
    let mut api = server();
    let mut of = |path: &str, query: &str| {
        let answer = read(&mut api, path, query, "");
        (answer.status, answer.body)
    };
    let hooks: String = [
        "start-apiextensions-informers",
        "start-apiextensions-controllers",
        "crd-informer-synced",
        "storage-readiness",
        "start-service-ip-repair-controllers",
        "rbac/bootstrap-roles",
        "scheduling/bootstrap-system-priority-classes",
        "bootstrap-controller",
        "start-kubernetes-service-cidr-controller",
    ]
    .map(|hook| format!("[+]poststarthook/{hook} ok\n"))
    .concat();
    let told = format!(
        "[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n{hooks}[+]shutdown ok\nreadyz check passed\n"
    );
    assert_eq!(of("/readyz", "verbose&exclude=etcd"), (200, told));
    let told = format!(
        "[+]ping ok\n[+]log excluded: ok\n[+]etcd ok\n{hooks}\
        warn: some health checks cannot be excluded: no matches for \"a\",\"b\"\nlivez check passed\n"
    );
    assert_eq!(of("/livez", "verbose=1&exclude=b&exclude=log&exclude=a"), (200, told));
    assert_eq!(of("/readyz/poststarthook/bootstrap-controller", ""), (200, "ok".into()));
    assert_eq!(of("/livez/shutdown", "").0, 404);
    assert_eq!(of("/healthz/etcd", ""), (200, "ok".into()));
    assert_eq!(of("/healthz/other", "").0, 404);
}

#[test]
fn a_client_that_has_a_document_gets_none() {
    let mut api = server();
    let aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    for (path, accept) in
        [("/apis", aggregated), ("/api", aggregated), ("/openapi/v3", ""), ("/openapi/v3/api/v1", "")]
    {
        let mut get = |tag: &str| {
            let request = HttpRequest {
                method: "GET".into(),
                path: path.into(),
                accept: accept.into(),
                if_none_match: tag.into(),
                ..HttpRequest::default()
            };
            http(&mut api, &request)
        };
        let first = get("");
        assert_eq!((first.status, first.etag.len()), (200, 130));
        let again = get(&first.etag);
        assert_eq!((again.status, again.body.as_str(), &again.etag), (304, "", &first.etag));
        assert_eq!(get("\"other\"").body, first.body);
    }
    assert_eq!(read(&mut api, "/apis", "", "").etag, "");
}

/// `k8s.io/kube-openapi/pkg/handler3`, `HandleGroupVersion`.
#[test]
fn a_document_with_its_hash_stays_as_it_is() {
    let mut api = server();
    let get = |api: &mut ApiServer, url: &str| {
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let request = HttpRequest {
            method: "GET".into(),
            path: path.into(),
            query: query.into(),
            ..HttpRequest::default()
        };
        http(api, &request)
    };
    let url = |api: &mut ApiServer, path: &str| {
        let index: Value = serde_json::from_str(&get(api, "/openapi/v3").body).unwrap();
        index["paths"][path]["serverRelativeURL"].as_str().unwrap().to_owned()
    };
    let apps = url(&mut api, "apis/apps/v1");
    let (path, hash) = apps.split_once("?hash=").unwrap();
    assert_eq!(path, "/openapi/v3/apis/apps/v1");
    let kept = get(&mut api, &apps);
    assert_eq!((kept.status, kept.cache_control), (200, "public, immutable"));
    assert_eq!(kept.etag, format!("\"{hash}\""));
    let plain = get(&mut api, path);
    assert_eq!((plain.status, plain.cache_control, &plain.body), (200, "", &kept.body));
    let moved = get(&mut api, &format!("{path}?hash=0"));
    assert_eq!((moved.status, moved.location.as_str(), moved.body.as_str()), (301, apps.as_str(), ""));
    assert_eq!(url(&mut api, "apis/apps/v1"), apps, "it is the same each time");
}
