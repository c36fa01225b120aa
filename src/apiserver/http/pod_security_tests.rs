//! Pod Security as clients meet it.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::tests::{send, server, value};
use crate::apiserver::ApiServer;

const PODS: &str = "/api/v1/namespaces/strict/pods";

/// A server with a namespace that has these labels of Pod Security.
fn labelled(labels: Value) -> ApiServer {
    let mut api = server();
    let named: serde_json::Map<String, Value> = labels
        .as_object()
        .unwrap()
        .iter()
        .map(|(mode, level)| (format!("pod-security.kubernetes.io/{mode}"), level.clone()))
        .collect();
    let namespace = json!({"metadata": {"name": "strict", "labels": named}});
    assert_eq!(send(&mut api, "POST", "/api/v1/namespaces", "", "", &namespace).status, 201);
    let account = json!({"metadata": {"name": "default"}});
    send(&mut api, "POST", "/api/v1/namespaces/strict/serviceaccounts", "", "", &account);
    api
}

fn pod(name: &str, spec: Value) -> Value {
    let mut pod = json!({"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    pod["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    pod
}

fn label(api: &mut ApiServer, mode: &str, level: &str) -> (u16, Value, Vec<String>) {
    let patch = json!({"metadata": {"labels": {format!("pod-security.kubernetes.io/{mode}"): level}}});
    let path = "/api/v1/namespaces/strict";
    let answer = send(api, "PATCH", path, "", "application/merge-patch+json", &patch);
    (answer.status, value(&answer), answer.warnings)
}

/// `ValidatePod`, `isSignificantPodUpdate` and `ValidatePodController` in
/// `staging/src/k8s.io/pod-security-admission/admission/admission.go`.
#[test]
fn pods_are_refused_and_workloads_warned_of() {
    let mut api = labelled(json!({"enforce": "baseline"}));
    let refused = value(&send(&mut api, "POST", PODS, "", "", &pod("p", json!({"hostPID": true}))));
    assert_eq!(
        (refused["code"].as_u64(), refused["message"].as_str()),
        (
            Some(403),
            Some(
                r#"pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)"#
            )
        )
    );
    assert_eq!(refused["details"], json!({"name": "p", "kind": "pods"}));
    let template =
        json!({"metadata": {"labels": {"a": "b"}}, "spec": pod("", json!({"hostPID": true}))["spec"]});
    let workload = json!({"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}});
    let path = "/apis/apps/v1/namespaces/strict/deployments";
    let made = send(&mut api, "POST", path, "", "", &workload);
    assert_eq!(made.status, 201);
    assert_eq!(
        made.warnings,
        [r#"299 - "would violate PodSecurity \"baseline:latest\": host namespaces (hostPID=true)""#]
    );
}

/// `ValidatePod`: a pod that violates a level that came later may still be labelled, but gets no other containers or images.
#[test]
fn an_update_of_a_pod_is_looked_at_if_it_matters() {
    let mut api = labelled(json!({}));
    assert_eq!(send(&mut api, "POST", PODS, "", "", &pod("p", json!({"hostPID": true}))).status, 201);
    assert_eq!(label(&mut api, "enforce", "baseline").0, 200);
    let path = format!("{PODS}/p");
    let mut patch = |path: &str, body: Value| {
        let answer = send(&mut api, "PATCH", path, "", "application/strategic-merge-patch+json", &body);
        answer.status
    };
    assert_eq!(patch(&path, json!({"metadata": {"labels": {"a": "b"}}})), 200);
    assert_eq!(patch(&path, json!({"spec": {"containers": [{"name": "c", "image": "other"}]}})), 403);
    let debugger = json!({"spec": {"ephemeralContainers": [{"name": "e", "image": "i"}]}});
    assert_eq!(patch(&format!("{path}/ephemeralcontainers"), debugger), 403);
}

/// `ValidateNamespace` and `EvaluatePodsInNamespace`.
#[test]
fn a_stricter_level_names_the_pods_that_violate_it() {
    let mut api = labelled(json!({}));
    for (name, spec) in [
        ("b", json!({"hostPID": true})),
        ("a", json!({"hostPID": true})),
        ("z", json!({"hostIPC": true, "hostNetwork": true})),
        ("ok", json!({})),
    ] {
        assert_eq!(send(&mut api, "POST", PODS, "", "", &pod(name, spec)).status, 201);
    }
    let port = json!({"containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 80, "hostPort": 80}]}]});
    assert_eq!(send(&mut api, "POST", PODS, "", "", &pod("q", port)).status, 201);
    let (status, _, warnings) = label(&mut api, "enforce", "baseline");
    assert_eq!(status, 200);
    assert_eq!(
        warnings,
        [
            r#"299 - "existing pods in namespace \"strict\" violate the new PodSecurity enforce level \"baseline:latest\"""#,
            r#"299 - "a (and 2 other pods): host namespaces""#,
            r#"299 - "q: hostPort""#,
        ]
    );
    // A level that stays, or becomes laxer, says nothing.
    assert_eq!(label(&mut api, "audit", "restricted").2, Vec::<String>::new());
    let (status, refused, _) = label(&mut api, "warn", "lax");
    assert_eq!(status, 422);
    assert_eq!(
        refused["message"],
        r#"Namespace "strict" is invalid: metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: "lax": must be one of privileged, baseline, restricted"#
    );
    assert_eq!(label(&mut api, "enforce", "privileged").2, Vec::<String>::new());
}
