//! HorizontalPodAutoscalers with real kubelets and a metrics server (`pkg/controller/podautoscaler/horizontal.go`, `replica_calculator.go`).
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::sets::{events, patch_status, run_up_to};
use crate::api::types::{Deployment, HorizontalPodAutoscaler};
use crate::api::{ApiKind, Key, Kind, Object, ObjectRef};
use crate::apimachinery::{Body, HttpRequest, Patch, Request, Subresource, Verb};
use crate::cluster::{Cluster, Config, Fault};

fn create(c: &mut Cluster, kind: Kind, object: Value) {
    let object = Object::from_value(kind, object).unwrap();
    let request = Request::new(&"kubectl".into(), Verb::Create, kind, object.key());
    c.request(&request.body(Body::Object(object))).0.object().unwrap();
}

fn merge(c: &mut Cluster, kind: Kind, name: &str, change: Value) {
    let request = Request::new(&"kubectl".into(), Verb::Patch, kind, Key::new("default", name));
    c.request(&request.body(Body::Patch(Patch::Merge(change)))).0.object().unwrap();
}

fn stored<T: ApiKind>(c: &Cluster, name: &str) -> T {
    let at = ObjectRef::new(T::KIND, "default", name);
    T::clone(c.api().etcd().get(&at).unwrap().object.get::<T>().unwrap())
}

fn replicas(c: &Cluster) -> i32 {
    stored::<Deployment>(c, "web").spec.unwrap().replicas.unwrap()
}

/// `reason` of each condition.
fn reasons(c: &Cluster) -> Vec<String> {
    let status = stored::<HorizontalPodAutoscaler>(c, "web").status.unwrap_or_default();
    status.conditions.unwrap_or_default().into_iter().map(|c| c.reason.unwrap_or_default()).collect()
}

fn steady(c: &mut Cluster) {
    assert!(c.run_to_steady(2000, |_, _| {}), "the cluster does not become steady");
}

fn load(c: &mut Cluster, load: &str) {
    merge(c, Kind::SERVICE, "web", json!({"metadata": {"annotations": {"sim.steady/load": load}}}));
}

/// A Deployment behind a Service, and an autoscaler that keeps CPU at half of the requests.
fn cluster(requests: Value, behavior: Option<Value>) -> Cluster {
    let mut c = Cluster::new(&Config::nodes(2));
    c.fault(&Fault::MetricsServer { installed: true }).unwrap();
    let labels = json!({"app": "web"});
    create(
        &mut c,
        Kind::SERVICE,
        json!({
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {"selector": labels, "ports": [{"port": 80}]},
        }),
    );
    create(
        &mut c,
        Kind::DEPLOYMENT,
        json!({
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {
                "selector": {"matchLabels": labels},
                "template": {
                    "metadata": {"labels": labels},
                    "spec": {"containers": [{"name": "nginx", "image": "nginx", "resources": {"requests": requests}}]},
                },
            },
        }),
    );
    let cpu = json!({"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}});
    let mut spec = json!({
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "minReplicas": 1, "maxReplicas": 8, "metrics": [{"type": "Resource", "resource": cpu}],
    });
    if let Some(behavior) = behavior {
        spec["behavior"] = behavior;
    }
    let metadata = json!({"name": "web", "namespace": "default"});
    create(&mut c, Kind::HORIZONTAL_POD_AUTOSCALER, json!({"metadata": metadata, "spec": spec}));
    c
}

/// `horizontal.go`: `GetResourceReplicas` (`replica_calculator.go`) and `stabilizeRecommendation`, five minutes by default
/// (`--horizontal-pod-autoscaler-downscale-stabilization`).
#[test]
fn the_size_follows_a_load_that_rises_and_falls() {
    let mut c = cluster(json!({"cpu": "100m"}), None);
    load(&mut c, "20m");
    steady(&mut c);
    assert_eq!((replicas(&c), reasons(&c)[1].as_str()), (1, "ValidMetricFound"));
    // 290m and the 1m that a pod uses by itself are 5.82 times half of what it requests.
    load(&mut c, "290m");
    steady(&mut c);
    assert_eq!(replicas(&c), 6);
    let before = c.now();
    load(&mut c, "20m");
    steady(&mut c);
    assert_eq!((replicas(&c), reasons(&c)[0].as_str()), (1, "ReadyForNewScale"));
    assert!(c.now().duration_since(before).as_secs() >= 300, "pods were removed too early");
}

/// `reconcileAutoscaler`; without replicas it is off (`horizontal_test.go`, `TestZeroReplicas`).
#[test]
fn a_person_who_scales_is_corrected_at_the_next_look() {
    let mut c = cluster(json!({"cpu": "100m"}), None);
    load(&mut c, "190m");
    steady(&mut c);
    assert_eq!(replicas(&c), 4);
    merge(&mut c, Kind::DEPLOYMENT, "web", json!({"spec": {"replicas": 2}}));
    steady(&mut c);
    assert_eq!(replicas(&c), 4);
    // Zero switches the autoscaler off.
    merge(&mut c, Kind::DEPLOYMENT, "web", json!({"spec": {"replicas": 0}}));
    steady(&mut c);
    assert_eq!((replicas(&c), reasons(&c)[1].as_str()), (0, "ScalingDisabled"));
}

/// `replica_calculator.go`, `calculatePodRequests`; `horizontal_test.go`, `TestMissingMetrics`. A metrics server that does not answer:
/// `kube-aggregator`, `handler_proxy.go` (503).
#[test]
fn without_requests_or_metrics_nothing_happens_and_the_status_says_why() {
    let mut c = cluster(json!({"memory": "64Mi"}), None);
    steady(&mut c);
    let scaler: HorizontalPodAutoscaler = stored(&c, "web");
    let message = scaler.status.unwrap().conditions.unwrap()[1].message.clone().unwrap();
    assert!(message.contains("missing request for cpu in container nginx of Pod web-"), "{message}");
    c.fault(&Fault::MetricsServer { installed: false }).unwrap();
    steady(&mut c);
    let scaler: HorizontalPodAutoscaler = stored(&c, "web");
    let message = scaler.status.unwrap().conditions.unwrap()[1].message.clone().unwrap();
    assert!(
        message.ends_with("the server could not find the requested resource (get pods.metrics.k8s.io)"),
        "{message}"
    );
    // A metrics server that is stopped does not answer, and the API is there.
    c.fault(&Fault::MetricsServer { installed: true }).unwrap();
    steady(&mut c);
    c.fault(&Fault::Stop { process: "metrics-server".into(), node: None }).unwrap();
    let get = |c: &mut Cluster, path: &str| {
        let request = HttpRequest { method: "GET".into(), path: path.into(), ..Default::default() };
        let answer = c.http(&request).0;
        (answer.status, answer.body)
    };
    assert_eq!(get(&mut c, "/apis/metrics.k8s.io/v1beta1/pods").0, 503);
    assert!(get(&mut c, "/apis").1.contains("metrics.k8s.io"));
    c.fault(&Fault::Start { process: "metrics-server".into(), node: None }).unwrap();
    merge(&mut c, Kind::DEPLOYMENT, "web", json!({"spec": {"replicas": 2}}));
    steady(&mut c);
    let (status, body) = get(&mut c, "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods");
    let list: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, list["items"].as_array().unwrap().len()), (200, 2), "{body}");
    assert_eq!(list["items"][0]["containers"][0]["usage"], json!({"cpu": "1m", "memory": "16Mi"}));
}

/// `horizontal.go`, `convertDesiredReplicasWithBehaviorRate`; "Scaling policies" of `kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale`.
#[test]
fn policies_limit_how_fast_the_size_changes() {
    let rules = json!({
        "scaleUp": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]},
        "scaleDown": {"stabilizationWindowSeconds": 0, "policies": [{"type": "Percent", "value": 50, "periodSeconds": 60}]},
    });
    let mut c = cluster(json!({"cpu": "100m"}), Some(rules));
    load(&mut c, "200m");
    let mut sizes = Vec::new();
    let mut note = |c: &Cluster, _: &crate::cluster::Command| {
        let now = (replicas(c), c.now().as_second());
        if sizes.last().is_none_or(|(n, _)| *n != now.0) {
            sizes.push(now);
        }
    };
    assert!(c.run_to_steady(2000, &mut note));
    load(&mut c, "0");
    assert!(c.run_to_steady(2000, &mut note));
    assert_eq!(sizes.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [1, 2, 3, 4, 2, 1]);
    let apart = |i: usize| sizes[i + 1].1 - sizes[i].1;
    assert!([1, 2, 4].into_iter().all(|i| apart(i) >= 60), "{sizes:?}");
}

/// `horizontal.go`, `validateAndParseSelector`.
#[test]
fn two_autoscalers_of_the_same_pods_do_nothing() {
    let mut c = cluster(json!({"cpu": "100m"}), None);
    let mut other = Object::to_value(
        &c.api()
            .etcd()
            .get(&ObjectRef::new(Kind::HORIZONTAL_POD_AUTOSCALER, "default", "web"))
            .unwrap()
            .object,
    );
    other["metadata"] = json!({"name": "again", "namespace": "default"});
    create(&mut c, Kind::HORIZONTAL_POD_AUTOSCALER, other);
    load(&mut c, "300m");
    steady(&mut c);
    assert_eq!((replicas(&c), reasons(&c)[1].as_str()), (1, "AmbiguousSelector"));
}

/// `horizontal.go`, `computeReplicasForMetrics` (`horizontal_test.go`, `TestScaleUpCMExternal`, `TestScaleUpCMObject`). Where the amounts come from is Steady's.
#[test]
fn metrics_of_pods_objects_and_from_outside_are_annotations() {
    let mut c = cluster(json!({"cpu": "100m"}), None);
    let external = json!([{"type": "External", "external": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "10"}}}]);
    merge(&mut c, Kind::HORIZONTAL_POD_AUTOSCALER, "web", json!({"spec": {"metrics": external}}));
    steady(&mut c);
    assert_eq!(reasons(&c)[1], "FailedGetExternalMetric");
    let request = Request::new(&"kubectl".into(), Verb::Patch, Kind::NAMESPACE, Key::new("", "default"));
    let change = json!({"metadata": {"annotations": {"sim.steady/metric.queue": "35"}}});
    c.request(&request.body(Body::Patch(Patch::Merge(change)))).0.object().unwrap();
    steady(&mut c);
    assert_eq!(replicas(&c), 4);
    let described = json!({"apiVersion": "v1", "kind": "Service", "name": "web"});
    let object = json!([{"type": "Object", "object": {"metric": {"name": "requests"}, "describedObject": described, "target": {"type": "Value", "value": "100"}}}]);
    merge(&mut c, Kind::HORIZONTAL_POD_AUTOSCALER, "web", json!({"spec": {"metrics": object}}));
    merge(
        &mut c,
        Kind::SERVICE,
        "web",
        json!({"metadata": {"annotations": {"sim.steady/metric.requests": "150"}}}),
    );
    steady(&mut c);
    // Nothing the controller does changes the value, so it goes on to the limit.
    assert_eq!(replicas(&c), 8);
    // `computeStatusForObjectMetric`: the status names the object also if the target is an average.
    let object = json!([{"type": "Object", "object": {"metric": {"name": "requests"}, "describedObject": described, "target": {"type": "AverageValue", "averageValue": "100"}}}]);
    merge(&mut c, Kind::HORIZONTAL_POD_AUTOSCALER, "web", json!({"spec": {"metrics": object}}));
    steady(&mut c);
    let status = stored::<HorizontalPodAutoscaler>(&c, "web").status.unwrap();
    let metric = status.current_metrics.unwrap().remove(0).object.unwrap();
    assert_eq!(
        (metric.described_object.kind.as_str(), metric.described_object.name.as_str()),
        ("Service", "web")
    );
}

/// `reconcileAutoscaler`: with `HPAScaleToZero` off, the condition that tells of a scale to 0 is taken away.
#[test]
fn the_condition_of_a_feature_that_is_off_is_taken_away() {
    let mut c = cluster(json!({"cpu": "100m"}), None);
    steady(&mut c);
    let types = |c: &Cluster| -> Vec<String> {
        let status = stored::<HorizontalPodAutoscaler>(c, "web").status.unwrap();
        status.conditions.unwrap().into_iter().map(|c| c.type_).collect()
    };
    let mut conditions = stored::<HorizontalPodAutoscaler>(&c, "web").status.unwrap().conditions.unwrap();
    conditions.push(crate::api::types::autoscaling::HorizontalPodAutoscalerCondition {
        type_: "ScaledToZero".into(),
        status: "True".into(),
        ..Default::default()
    });
    patch_status(
        &mut c,
        Kind::HORIZONTAL_POD_AUTOSCALER,
        "web",
        json!({"status": {"conditions": conditions}}),
    );
    assert!(types(&c).contains(&"ScaledToZero".to_owned()));
    merge(&mut c, Kind::DEPLOYMENT, "web", json!({"spec": {"replicas": 0}}));
    steady(&mut c);
    assert!(!types(&c).contains(&"ScaledToZero".to_owned()), "{:?}", types(&c));
    assert_eq!(replicas(&c), 0);
}

/// `deleteHPA` does not queue the autoscaler: what is remembered of one that is made again before its next turn stays, and keeps
/// the new one from shrinking at once.
#[test]
fn an_autoscaler_that_is_made_again_within_its_period_remembers() {
    let mut c = cluster(json!({"cpu": "100m"}), None);
    load(&mut c, "190m");
    steady(&mut c);
    assert_eq!(replicas(&c), 4);
    let scaler = stored::<HorizontalPodAutoscaler>(&c, "web");
    load(&mut c, "0");
    merge(&mut c, Kind::DEPLOYMENT, "web", json!({"spec": {"replicas": 3}}));
    let request = Request::new(
        &"kubectl".into(),
        Verb::Delete,
        Kind::HORIZONTAL_POD_AUTOSCALER,
        Key::new("default", "web"),
    );
    c.request(&request).0.object().unwrap();
    let again = json!({"metadata": {"name": "web", "namespace": "default"}, "spec": scaler.spec});
    create(&mut c, Kind::HORIZONTAL_POD_AUTOSCALER, again);
    // Within the five minutes of stabilization the earlier recommendation of four counts.
    let to = crate::api::later(c.now(), jiff::SignedDuration::from_secs(60));
    c.run_until(to, |_, _| {}).unwrap();
    assert_eq!(replicas(&c), 4);
}

/// `horizontal.go`, `reconcileAutoscaler`: any object with a subresource `scale` will do ("Custom resources", "Scale subresource").
#[test]
fn the_scale_of_a_custom_object_is_changed() {
    let mut c = Cluster::new(&Config::nodes(1));
    create(
        &mut c,
        Kind::CUSTOM_RESOURCE_DEFINITION,
        json!({
            "metadata": {"name": "flocks.example.com"},
            "spec": {
                "group": "example.com", "scope": "Namespaced",
                "names": {"plural": "flocks", "singular": "flock", "kind": "Flock", "listKind": "FlockList"},
                "versions": [{
                    "name": "v1", "served": true, "storage": true,
                    "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
                    "subresources": {"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
                }],
            },
        }),
    );
    steady(&mut c);
    let post = |c: &mut Cluster, path: &str, body: Value| {
        let body = body.to_string().into_bytes();
        let request = HttpRequest { method: "POST".into(), path: path.into(), body, ..Default::default() };
        let answer = c.http(&request).0;
        assert_eq!(answer.status, 201, "{}", answer.body);
    };
    post(
        &mut c,
        "/apis/example.com/v1/namespaces/default/flocks",
        json!({
            "apiVersion": "example.com/v1", "kind": "Flock", "metadata": {"name": "f"}, "spec": {"replicas": 1},
        }),
    );
    post(
        &mut c,
        "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
        json!({
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"},
            "spec": {"minReplicas": 3, "maxReplicas": 5, "scaleTargetRef": {"apiVersion": "example.com/v1", "kind": "Flock", "name": "f"}},
        }),
    );
    steady(&mut c);
    let kind = c.api().kind_of("example.com/v1", "Flock").unwrap();
    let read = Request::new(&"kubectl".into(), Verb::Get, kind, Key::new("default", "f"))
        .subresource(Subresource::Scale);
    let scale = c.request(&read).0.object().unwrap().unwrap();
    assert_eq!(crate::api::scale::Scale::read(&scale).replicas, 3);
    // Its scale has no selector, so there are no pods to measure.
    assert_eq!(reasons(&c)[1], "InvalidSelector");
}

/// `RetryOnConflict` around the write of the scale: a conflict is nothing that the autoscaler tells of.
#[test]
fn a_size_that_meets_a_conflict_is_written_again() {
    let is_scale = |r: &Request| r.verb == Verb::Update && r.subresource == Subresource::Scale;
    for (conflicts, told) in [(4, false), (5, true)] {
        let mut c = cluster(json!({"cpu": "100m"}), None);
        steady(&mut c);
        load(&mut c, "190m");
        let mut at = None;
        for n in 0..conflicts {
            let send = run_up_to(&mut c, is_scale);
            // All tries are of one look.
            assert_eq!(*at.get_or_insert(c.now()), c.now());
            merge(&mut c, Kind::DEPLOYMENT, "web", json!({"metadata": {"labels": {"n": n.to_string()}}}));
            c.act(&send).unwrap();
        }
        steady(&mut c);
        assert_eq!(replicas(&c), 4);
        let said: Vec<String> =
            events(&c, "web").into_iter().filter(|e| e.starts_with("FailedRescale")).collect();
        let conflict = "FailedRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target; error: Operation cannot be fulfilled on deployments.apps \"web\": the object has been modified; please apply your changes to the latest version and try again";
        assert_eq!(said, vec![conflict; usize::from(told)]);
    }
}

/// kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale-walkthrough: a loop of `wget` makes load, load makes CPU, and CPU
/// makes pods; when the loop is stopped they go again. There seven or eight replicas are enough, because the loop waits for each answer.
#[test]
fn the_walkthrough_scales_up_under_its_load_generator_and_down_after_it() {
    let mut c = Cluster::new(&Config::nodes(2));
    c.fault(&Fault::MetricsServer { installed: true }).unwrap();
    let (labels, metadata) = (json!({"run": "php-apache"}), json!({"name": "web", "namespace": "default"}));
    let container = json!({
        "name": "php-apache", "image": "registry.k8s.io/hpa-example", "ports": [{"containerPort": 80}],
        "resources": {"limits": {"cpu": "500m"}, "requests": {"cpu": "200m"}},
    });
    let template = json!({"metadata": {"labels": labels}, "spec": {"containers": [container]}});
    let spec = json!({"selector": {"matchLabels": labels}, "template": template});
    create(&mut c, Kind::DEPLOYMENT, json!({"metadata": metadata, "spec": spec}));
    let spec = json!({"ports": [{"port": 80}], "selector": labels});
    create(&mut c, Kind::SERVICE, json!({"metadata": metadata, "spec": spec}));
    let cpu = json!({"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}});
    let spec = json!({
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "minReplicas": 1, "maxReplicas": 10, "metrics": [{"type": "Resource", "resource": cpu}],
    });
    create(&mut c, Kind::HORIZONTAL_POD_AUTOSCALER, json!({"metadata": metadata, "spec": spec}));
    steady(&mut c);
    assert_eq!(replicas(&c), 1);
    let load = json!({
        "name": "load-generator", "image": "busybox:1.28",
        "args": ["/bin/sh", "-c", "while sleep 0.01; do wget -q -O- http://web; done"],
    });
    let metadata = json!({"name": "load-generator", "namespace": "default"});
    create(
        &mut c,
        Kind::POD,
        json!({"metadata": metadata, "spec": {"containers": [load], "restartPolicy": "Never"}}),
    );
    let later = |c: &Cluster, seconds| crate::api::later(c.now(), jiff::SignedDuration::from_secs(seconds));
    let to = later(&c, 300);
    c.run_until(to, |_, _| {}).unwrap();
    assert!((7..=9).contains(&replicas(&c)), "{}", replicas(&c));
    let traffic = c.traffic_until_now();
    let sent: u64 = traffic.streams().map(|(_, counts)| counts.sent).sum();
    let lost: usize = traffic.streams().map(|(_, counts)| counts.losses() as usize).sum();
    assert!(sent > 2000 && lost == 0, "{sent} {lost}");
    let request =
        Request::new(&"kubectl".into(), Verb::Delete, Kind::POD, Key::new("default", "load-generator"));
    c.request(&request).0.object().unwrap();
    let to = later(&c, 600);
    c.run_until(to, |_, _| {}).unwrap();
    assert_eq!(replicas(&c), 1);
}
