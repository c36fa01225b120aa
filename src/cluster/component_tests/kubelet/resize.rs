//! Resizes in place (`pkg/kubelet/allocation/allocation_manager_test.go`, `test/e2e/common/node/pod_resize.go`).

use serde_json::{Value, json};

use super::{Lab, one};
use crate::api::{Key, Kind};
use crate::apimachinery::{Body, DeleteOptions, Patch, Request, Response, Status, Subresource, Verb};

fn pod(resources: Value) -> Value {
    one(json!({"resources": resources}))
}

/// Asks for other resources of the pod's container, as `kubectl patch --subresource resize` does.
fn resize(lab: &mut Lab, name: &str, resources: Value) {
    let change = json!({"spec": {"containers": [{"name": "app", "resources": resources}]}});
    let request = Request::new(&"me".into(), Verb::Patch, Kind::POD, Key::new("default", name))
        .subresource(Subresource::Resize)
        .body(Body::Patch(Patch::Strategic(change)));
    let (response, _) = lab.cluster.request(&request);
    assert_eq!(response.code(), 200, "{response:?}");
}

/// Asks for resources that the API server refuses.
fn refused(lab: &mut Lab, name: &str, resources: Value) -> Status {
    let change = json!({"spec": {"containers": [{"name": "app", "resources": resources}]}});
    let request = Request::new(&"me".into(), Verb::Patch, Kind::POD, Key::new("default", name))
        .subresource(Subresource::Resize)
        .body(Body::Patch(Patch::Strategic(change)));
    let Response::Failure(status) = lab.cluster.request(&request).0 else { panic!() };
    *status
}

fn status(lab: &Lab, name: &str) -> Value {
    serde_json::to_value(lab.pod_named(name).status.as_ref().unwrap()).unwrap()
}

/// The conditions about a resize: type, reason and message of each.
fn conditions(lab: &Lab, name: &str) -> Vec<(String, String, String)> {
    let status = status(lab, name);
    let all = status["conditions"].as_array().unwrap().iter();
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    all.filter(|c| text(&c["type"]).starts_with("PodResize"))
        .map(|c| (text(&c["type"]), text(&c["reason"]), text(&c["message"])))
        .collect()
}

/// The CPU that is allocated to the container, that it has, and how often it was started again.
fn cpu(lab: &Lab, name: &str) -> (String, String, i64) {
    let c = status(lab, name)["containerStatuses"][0].clone();
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    (
        text(&c["allocatedResources"]["cpu"]),
        text(&c["resources"]["requests"]["cpu"]),
        c["restartCount"].as_i64().unwrap(),
    )
}

fn had(allocated: &str, has: &str, restarts: i64) -> (String, String, i64) {
    (allocated.to_owned(), has.to_owned(), restarts)
}

/// `allocation/allocation_manager.go`, `handlePodResourcesResize`; `pkg/kubelet/events/resize.go`: the words.
#[test]
fn a_container_gets_more_while_it_runs() {
    let mut lab = Lab::new();
    lab.named("p", pod(json!({"requests": {"cpu": "1"}}))).steady();
    assert_eq!(cpu(&lab, "p"), had("1", "1", 0));
    resize(&mut lab, "p", json!({"requests": {"cpu": "2"}}));
    let seen = lab.log.len();
    lab.steady();
    assert!(lab.log[seen..].contains("+PodResizeInProgress"), "{}", lab.log);
    assert_eq!(conditions(&lab, "p"), []);
    assert_eq!(cpu(&lab, "p"), had("2", "2", 0));
    let told = r#"{"containers":[{"name":"app","resources":{"requests":{"cpu":"2"}}}],"generation":2}"#;
    assert_eq!(lab.events("ResizeStarted")[0].1, format!("Pod resize started: {told}"));
    assert_eq!(lab.events("ResizeCompleted")[0].1, format!("Pod resize completed: {told}"));
    // What it has counts: of four processors two are left.
    lab.named("other", pod(json!({"requests": {"cpu": "2500m"}}))).steady();
    assert_eq!(lab.phase("other"), "Failed OutOfcpu");
}

/// `plugin/pkg/admission/podresize/admission.go`: what a node does not have for pods is refused at once.
#[test]
fn a_node_is_too_small() {
    let mut lab = Lab::new();
    lab.named("p", pod(json!({"requests": {"cpu": "1"}}))).steady();
    let status = refused(&mut lab, "p", json!({"requests": {"cpu": "5", "memory": "100Gi"}}));
    let message = "pods \"p\" is forbidden: node didn't have enough allocatable resources: cpu, requested: 5000, allocatable: 4000; \
                   memory, requested: 107374182400, allocatable: 8589934592";
    assert_eq!((status.code, &*status.reason, status.message.as_str()), (403, "Forbidden", message));
    assert_eq!(status.details.unwrap().causes[0].reason, "NodeCapacity");
    lab.steady();
    assert_eq!((conditions(&lab, "p"), cpu(&lab, "p")), (vec![], had("1", "1", 0)));
}

/// KEP-5419: what a pod has as a whole is resized like what its containers have, if its kubelet declares that it can
/// (`plugin/pkg/admission/nodedeclaredfeatures/admission.go`).
#[test]
fn what_a_pod_has_as_a_whole_is_resized() {
    let mut lab = Lab::new();
    let mut whole = pod(json!({}));
    whole["spec"]["resources"] = json!({"requests": {"cpu": "1"}, "limits": {"cpu": "2", "memory": "1Gi"}});
    lab.named("p", whole).steady();
    let of_pod = |lab: &Lab| {
        let status = status(lab, "p");
        (status["resources"].clone(), status["allocatedResources"].clone())
    };
    let requests = json!({"cpu": "1", "memory": "1Gi"});
    let limits = json!({"cpu": "2", "memory": "1Gi"});
    assert_eq!(of_pod(&lab), (json!({"requests": requests, "limits": limits}), requests));
    let ask = |cpu: &str| {
        let change = json!({"spec": {"resources": {"requests": {"cpu": cpu}}}});
        Request::new(&"me".into(), Verb::Patch, Kind::POD, Key::new("default", "p"))
            .subresource(Subresource::Resize)
            .body(Body::Patch(Patch::Strategic(change)))
    };
    assert_eq!(lab.cluster.request(&ask("1500m")).0.code(), 200);
    lab.steady();
    let requests = json!({"cpu": "1500m", "memory": "1Gi"});
    assert_eq!(of_pod(&lab), (json!({"requests": requests, "limits": limits}), requests));
    assert_eq!((conditions(&lab, "p"), lab.events("ResizeCompleted").len()), (vec![], 1));
    // A kubelet of an older release.
    let change = json!({"status": {"declaredFeatures": ["RestartAllContainersOnContainerExits"]}});
    let request = Request::new(&"me".into(), Verb::Patch, Kind::NODE, Key::new("", "node-1"))
        .subresource(Subresource::Status)
        .body(Body::Patch(Patch::Merge(change)));
    assert_eq!(lab.cluster.request(&request).0.code(), 200);
    let Response::Failure(status) = lab.cluster.request(&ask("1")).0 else { panic!() };
    let message = "pods \"p\" is forbidden: pod update requires features InPlacePodLevelResourcesVerticalScaling which are not \
                   available on node \"node-1\"";
    assert_eq!(status.message, message);
}

/// `getEffectiveAllocatedResources` and `convertToAPIPodLevelResourcesStatus` in `kubelet_pods.go`: a pod that asks for nothing has an empty
/// object, and one with a container without a limit has no limit.
#[test]
fn a_status_says_what_a_pod_has_as_a_whole() {
    let mut lab = Lab::new();
    let mut two = pod(json!({"requests": {"cpu": "1"}, "limits": {"cpu": "1", "memory": "64Mi"}}));
    let more = json!({"name": "more", "resources": {"requests": {"cpu": "500m"}, "limits": {"cpu": "1"}}});
    two["spec"]["containers"].as_array_mut().unwrap().push(more);
    lab.named("two", two).named("none", pod(json!({}))).steady();
    assert_eq!(status(&lab, "none")["resources"], json!({}));
    assert_eq!(status(&lab, "none")["allocatedResources"], Value::Null);
    let has = json!({"requests": {"cpu": "1500m", "memory": "64Mi"}, "limits": {"cpu": "2"}});
    assert_eq!(status(&lab, "two")["resources"], has);
}

/// `TestRetryPendingResizes`: a resize that has to wait takes place when there is room, those of a higher priority first.
#[test]
fn a_deferred_resize_waits_for_room() {
    let mut lab = Lab::new();
    lab.create(Kind::PRIORITY_CLASS, json!({"metadata": {"name": "high"}, "value": 1000}));
    let mut important = pod(json!({"requests": {"cpu": "1"}}));
    important["spec"]["priorityClassName"] = "high".into();
    lab.named("a", pod(json!({"requests": {"cpu": "1"}}))).named("b", important);
    lab.named("big", pod(json!({"requests": {"cpu": "1500m"}}))).steady();
    resize(&mut lab, "a", json!({"requests": {"cpu": "2500m"}}));
    lab.steady();
    resize(&mut lab, "b", json!({"requests": {"cpu": "2500m"}}));
    lab.steady();
    let message = "Node didn't have enough resource: cpu, requested: 2500, used: 2500, capacity: 4000";
    for name in ["a", "b"] {
        let pending = ("PodResizePending".to_owned(), "Deferred".to_owned(), message.to_owned());
        assert_eq!(conditions(&lab, name), [pending]);
        assert_eq!(cpu(&lab, name), had("1", "1", 0));
    }
    let delete = Request::new(&"me".into(), Verb::Delete, Kind::POD, Key::new("default", "big"));
    lab.cluster.request(&delete.body(Body::Delete(DeleteOptions::default())));
    lab.steady();
    assert_eq!((cpu(&lab, "a"), cpu(&lab, "b")), (had("1", "1", 0), had("2500m", "2500m", 0)));
    assert_eq!(conditions(&lab, "b"), []);
    // Now it is the other one that has so much.
    assert!(
        conditions(&lab, "a")[0].2.contains("requested: 2500, used: 2500"),
        "{:?}",
        conditions(&lab, "a")
    );
}

/// `kuberuntime_manager.go`, `computePodResizeAction`; the entry "mem restart" of `pod_resize.go`.
#[test]
fn a_container_is_started_again_if_its_policy_says_so() {
    let mut lab = Lab::new();
    let mut restarts = pod(json!({"requests": {"cpu": "1", "memory": "64Mi"}}));
    let policy = |of: &str, what: &str| json!({"resourceName": of, "restartPolicy": what});
    restarts["spec"]["containers"][0]["resizePolicy"] =
        json!([policy("cpu", "NotRequired"), policy("memory", "RestartContainer")]);
    lab.named("p", restarts).steady();
    resize(&mut lab, "p", json!({"requests": {"cpu": "500m", "memory": "64Mi"}}));
    lab.steady();
    assert_eq!(cpu(&lab, "p"), had("500m", "500m", 0));
    resize(&mut lab, "p", json!({"requests": {"cpu": "500m", "memory": "96Mi"}}));
    lab.steady();
    assert_eq!(cpu(&lab, "p"), had("500m", "500m", 1));
    assert_eq!(status(&lab, "p")["containerStatuses"][0]["resources"]["requests"]["memory"], "96Mi");
    assert_eq!(lab.events("Killing")[0].1, "Container app resize requires restart");
    assert_eq!(lab.events("ResizeCompleted").len(), 2);
    assert_eq!(conditions(&lab, "p"), []);
}

/// `pkg/kubelet/kuberuntime/kuberuntime_manager.go`: `validateMemoryResizeAction`. The resize is tried again, and carried out
/// once less is used.
#[test]
fn a_limit_is_not_set_below_what_is_used() {
    let mut lab = Lab::new();
    let limits = |memory: &str| json!({"limits": {"cpu": "1", "memory": memory}, "requests": {"cpu": "1", "memory": memory}});
    let mut used = pod(limits("512Mi"));
    used["metadata"]["annotations"] = json!({"sim.steady/memory": "400Mi"});
    lab.named("p", used).steady();
    resize(&mut lab, "p", limits("128Mi"));
    lab.steady();
    let told = "cannot decrease memory limits: [attempting to set pod memory limit (134217728) below current usage \
                (419430400), attempting to set container \"app\" memory limit (134217728) below current usage (419430400)]";
    assert_eq!(conditions(&lab, "p"), [("PodResizeInProgress".into(), "Error".into(), told.into())]);
    let errors = lab.events("ResizeError");
    assert_eq!(errors.len(), 1);
    assert!(errors[0].1.starts_with("Pod resize error: {\"containers\":[{\"name\":\"app\","), "{errors:?}");
    assert!(
        errors[0].1.contains(",\"generation\":2,\"error\":\"cannot decrease memory limits: ["),
        "{errors:?}"
    );
    lab.wait(60);
    assert_eq!(lab.events("ResizeError").len(), 1);
    let has = |lab: &Lab| status(lab, "p")["containerStatuses"][0].clone();
    assert_eq!(has(&lab)["restartCount"], 0);
    assert_eq!(has(&lab)["resources"]["limits"]["memory"], "512Mi");
    assert_eq!(has(&lab)["allocatedResources"]["memory"], "128Mi");
    lab.annotate("p", json!({"sim.steady/memory": "100Mi"})).steady();
    assert_eq!(has(&lab)["resources"]["limits"]["memory"], "128Mi");
    assert_eq!(has(&lab)["restartCount"], 0);
    assert_eq!(conditions(&lab, "p"), []);
    assert_eq!(lab.events("ResizeCompleted").len(), 1);
}

/// `pkg/kubelet/allocation/allocation_manager.go`: `retryDelay`
#[test]
fn a_deferred_resize_is_tried_again_after_three_minutes() {
    let mut lab = Lab::new();
    let cpu = |amount: &str| pod(json!({"requests": {"cpu": amount}}));
    lab.named("a", cpu("1")).named("b", cpu("2")).steady();
    resize(&mut lab, "a", json!({"requests": {"cpu": "3"}}));
    lab.steady();
    let used = |lab: &Lab| conditions(lab, "a")[0].2.clone();
    assert_eq!(
        used(&lab),
        "Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000"
    );
    // The sync because of the new generation takes place with the next relist.
    lab.wait(1);
    lab.named("c", cpu("500m")).steady();
    assert!(used(&lab).contains("used: 2000"));
    lab.wait(200);
    assert!(used(&lab).contains("used: 2500"), "{}", used(&lab));
}

/// `allocation/handlers.go`, `Admit`, and `TestRetryPendingResizesGuanteedQOSPods`: the static policies of the managers keep such
/// a pod what it has.
#[test]
fn processors_that_a_pod_has_alone_are_not_resized() {
    let mut lab = Lab::new();
    let settings = json!({"sim.steady/cpu-manager-policy": "static", "sim.steady/reserved-cpus": "0"});
    lab.annotate_node(settings).steady();
    let amounts = |cpu: &str, memory: &str| {
        let both = json!({"cpu": cpu, "memory": memory});
        json!({"requests": both, "limits": both})
    };
    lab.named("p", pod(amounts("1", "64Mi"))).steady();
    resize(&mut lab, "p", amounts("2", "64Mi"));
    lab.steady();
    let told = "Resize is infeasible for Guaranteed Pods alongside CPU Manager policy \"static\"";
    assert_eq!(conditions(&lab, "p"), [("PodResizePending".into(), "Infeasible".into(), told.into())]);
    resize(&mut lab, "p", amounts("1", "96Mi"));
    lab.steady();
    assert_eq!(conditions(&lab, "p"), []);
    assert_eq!(status(&lab, "p")["containerStatuses"][0]["resources"]["limits"]["memory"], "96Mi");
}
