//! LimitRanges, ResourceQuotas and HorizontalPodAutoscalers as clients meet them.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::tests::{send, server, value};
use crate::apiserver::ApiServer;

const CORE: &str = "/api/v1/namespaces/default";
const SCALERS: &str = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";

fn post(api: &mut ApiServer, path: &str, body: &Value) -> Value {
    value(&send(api, "POST", path, "", "", body))
}

fn messages(answer: &Value) -> Vec<String> {
    let causes = answer["details"]["causes"].as_array().cloned().unwrap_or_default();
    let text = |c: &Value, key: &str| c[key].as_str().unwrap_or_default().to_owned();
    causes.iter().map(|c| format!("{}: {}", text(c, "field"), text(c, "message"))).collect()
}

fn pod(name: &str, resources: Value) -> Value {
    json!({"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i:1", "resources": resources}]}})
}

#[test]
fn a_limit_range_fills_in_and_refuses() {
    let mut api = server();
    let limits = json!([
        {"type": "Container", "max": {"memory": "1Gi", "cpu": 2}, "min": {"memory": "64Mi"}, "default": {"memory": "512Mi"},
         "maxLimitRequestRatio": {"memory": "4"}},
        {"type": "Pod", "max": {"memory": "2Gi"}},
        {"type": "PersistentVolumeClaim", "max": {"storage": "5Gi"}},
    ]);
    let range = post(
        &mut api,
        &format!("{CORE}/limitranges"),
        &json!({"metadata": {"name": "l"}, "spec": {"limits": limits}}),
    );
    let item = &range["spec"]["limits"][0];
    assert_eq!(item["default"], json!({"cpu": "2", "memory": "512Mi"}));
    assert_eq!(item["defaultRequest"], json!({"cpu": "2", "memory": "512Mi"}));
    let pods = format!("{CORE}/pods");
    let made = post(&mut api, &pods, &pod("p", json!({"requests": {"cpu": "1"}})));
    assert_eq!(
        made["spec"]["containers"][0]["resources"],
        json!({"limits": {"cpu": "2", "memory": "512Mi"}, "requests": {"cpu": "1", "memory": "512Mi"}})
    );
    assert_eq!(
        made["metadata"]["annotations"]["kubernetes.io/limit-ranger"],
        "LimitRanger plugin set: memory request for container c; cpu, memory limit for container c"
    );
    let refused = post(
        &mut api,
        &pods,
        &pod("q", json!({"requests": {"memory": "32Mi"}, "limits": {"memory": "4Gi"}})),
    );
    assert_eq!(
        refused["message"],
        "pods \"q\" is forbidden: [minimum memory usage per Container is 64Mi, but request is 32Mi, maximum memory usage per Container is 1Gi, but limit is 4Gi, memory max limit to request ratio per Container is 4, but provided ratio is 128.000000, maximum memory usage per Pod is 2Gi, but limit is 4Gi]"
    );
    let claim = json!({"metadata": {"name": "c"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "6Gi"}}}});
    assert_eq!(
        post(&mut api, &format!("{CORE}/persistentvolumeclaims"), &claim)["message"],
        "persistentvolumeclaims \"c\" is forbidden: maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi"
    );
    // `SupportsAttributes` of the plug-in: of a pod's updates it handles `resize`.
    let mut resized = made;
    resized["spec"]["containers"][0]["resources"]["limits"]["cpu"] = json!("3");
    let refused = value(&send(&mut api, "PUT", &format!("{pods}/p/resize"), "", "", &resized));
    assert_eq!(
        refused["message"],
        "pods \"p\" is forbidden: maximum cpu usage per Container is 2, but limit is 3"
    );
    resized["spec"]["containers"][0]["resources"]["limits"]["cpu"] = json!("1500m");
    let taken = value(&send(&mut api, "PUT", &format!("{pods}/p/resize"), "", "", &resized));
    assert_eq!(taken["spec"]["containers"][0]["resources"]["limits"]["cpu"], "1500m", "{taken}");
}

/// `runLimitFunc` in `plugin/pkg/admission/limitranger/admission.go`.
#[test]
fn no_limit_range_looks_at_what_is_being_deleted() {
    let mut api = server();
    let limits = json!([{"type": "Container", "max": {"cpu": 2}}]);
    let range = json!({"metadata": {"name": "l"}, "spec": {"limits": limits}});
    post(&mut api, &format!("{CORE}/limitranges"), &range);
    let mut held = pod("held", json!({"requests": {"cpu": "1"}}));
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    post(&mut api, &format!("{CORE}/pods"), &held);
    let path = format!("{CORE}/pods/held");
    let resized = |api: &mut ApiServer| {
        let mut pod = value(&send(api, "GET", &path, "", "", &Value::Null));
        pod["spec"]["containers"][0]["resources"]["limits"]["cpu"] = json!("3");
        send(api, "PUT", &format!("{path}/resize"), "", "", &pod).status
    };
    assert_eq!(resized(&mut api), 403);
    assert_eq!(send(&mut api, "DELETE", &path, "", "", &Value::Null).status, 200);
    assert_eq!(resized(&mut api), 200);
}

/// `PodValidateLimitFunc`, `podRequests` and `podLimits` in `plugin/pkg/admission/limitranger/admission.go`: the overhead does
/// not count, and what the pod says as a whole does.
#[test]
fn a_limit_range_of_pods_counts_no_overhead() {
    let mut api = server();
    let limits = json!([{"type": "Pod", "max": {"memory": "2Gi"}}]);
    let range = json!({"metadata": {"name": "l"}, "spec": {"limits": limits}});
    post(&mut api, &format!("{CORE}/limitranges"), &range);
    let class =
        json!({"metadata": {"name": "vm"}, "handler": "vm", "overhead": {"podFixed": {"memory": "1Gi"}}});
    post(&mut api, "/apis/node.k8s.io/v1/runtimeclasses", &class);
    let pods = format!("{CORE}/pods");
    let memory = |amount: &str| json!({"requests": {"memory": amount}, "limits": {"memory": amount}});
    let mut in_vm = pod("in-vm", memory("1536Mi"));
    in_vm["spec"]["runtimeClassName"] = "vm".into();
    let made = post(&mut api, &pods, &in_vm);
    assert_eq!(made["spec"]["overhead"], json!({"memory": "1Gi"}), "{made}");
    let mut as_a_whole = pod("whole", memory("1Gi"));
    as_a_whole["spec"]["resources"] = memory("3Gi");
    assert_eq!(
        post(&mut api, &pods, &as_a_whole)["message"],
        "pods \"whole\" is forbidden: maximum memory usage per Pod is 2Gi, but limit is 3Gi"
    );
}

/// `admitPod` of the Priority plug-in.
#[test]
fn a_pod_that_is_replaced_keeps_its_priority() {
    let mut api = server();
    let pods = format!("{CORE}/pods");
    let mut made = post(&mut api, &pods, &pod("p", json!({})));
    assert_eq!(
        (&made["spec"]["priority"], &made["spec"]["preemptionPolicy"]),
        (&json!(0), &json!("PreemptLowerPriority"))
    );
    let spec = made["spec"].as_object_mut().unwrap();
    spec.remove("priority");
    spec.remove("preemptionPolicy");
    let replaced = value(&send(&mut api, "PUT", &format!("{pods}/p"), "", "", &made));
    assert_eq!(replaced["spec"]["priority"], 0, "{replaced}");
    assert_eq!(replaced["spec"]["preemptionPolicy"], "PreemptLowerPriority");
}

#[test]
fn what_a_limit_range_may_not_say() {
    let mut api = server();
    let limits = json!([
        {"type": "Container", "min": {"cpu": "2"}, "max": {"cpu": "1"}, "default": {"cpu": "1"}, "maxLimitRequestRatio": {"cpu": "0.5"}},
        {"type": "Pod", "default": {"cpu": "1"}},
        {"type": "PersistentVolumeClaim"},
        {"type": "Pod"},
    ]);
    let body = json!({"metadata": {"name": "l"}, "spec": {"limits": limits}});
    let answer = post(&mut api, &format!("{CORE}/limitranges"), &body);
    assert_eq!(
        messages(&answer),
        [
            "spec.limits[0].min[cpu]: Invalid value: \"2\": min value 2 is greater than max value 1",
            "spec.limits[0].defaultRequest[cpu]: Invalid value: \"1\": min value 2 is greater than default request value 1",
            "spec.limits[0].default[cpu]: Invalid value: \"2\": min value 2 is greater than default value 1",
            "spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: \"500m\": ratio 500m is less than 1",
            "spec.limits[1].default: Forbidden: may not be specified when `type` is 'Pod'",
            "spec.limits[2].limits: Required value: either minimum or maximum storage value is required, but neither was provided",
            "spec.limits[3].type: Duplicate value: \"Pod\"",
        ]
    );
}

#[test]
fn a_quota_is_charged_and_refuses() {
    let mut api = server();
    let quotas = format!("{CORE}/resourcequotas");
    let hard = json!({"pods": 2, "requests.cpu": "1", "count/configmaps": "1"});
    let quota = post(&mut api, &quotas, &json!({"metadata": {"name": "q"}, "spec": {"hard": hard}}));
    assert_eq!(quota["status"], json!({}));
    // Until its status says what it limits it limits nothing; a controller writes that.
    let mut with_status = quota.clone();
    with_status["status"] = json!({"hard": quota["spec"]["hard"], "used": {"pods": "0", "requests.cpu": "0", "count/configmaps": "0"}});
    send(&mut api, "PUT", &format!("{quotas}/q/status"), "", "", &with_status);
    let pods = format!("{CORE}/pods");
    let refused = post(&mut api, &pods, &pod("a", json!({})));
    assert_eq!(
        refused["message"],
        "pods \"a\" is forbidden: failed quota: q: must specify requests.cpu for: c"
    );
    post(&mut api, &pods, &pod("a", json!({"requests": {"cpu": "600m"}})));
    let used = value(&send(&mut api, "GET", &format!("{quotas}/q"), "", "", &Value::Null));
    assert_eq!(used["status"]["used"], json!({"count/configmaps": "0", "pods": "1", "requests.cpu": "600m"}));
    let refused = post(&mut api, &pods, &pod("b", json!({"requests": {"cpu": "600m"}})));
    assert_eq!(
        refused["message"],
        "pods \"b\" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1"
    );
    let map = |name: &str| json!({"metadata": {"name": name}});
    post(&mut api, &format!("{CORE}/configmaps"), &map("a"));
    let refused = post(&mut api, &format!("{CORE}/configmaps"), &map("b"));
    assert_eq!(refused["code"], 403);
    // What is only tried is not counted.
    let before = api.etcd().revision();
    send(&mut api, "POST", &pods, "dryRun=All", "", &pod("c", json!({"requests": {"cpu": "100m"}})));
    assert_eq!(api.etcd().revision(), before);
}

/// Stores a quota whose status has its limits, and of which nothing is used.
fn quota(api: &mut ApiServer, spec: &Value) -> String {
    let quotas = format!("{CORE}/resourcequotas");
    let mut quota = post(api, &quotas, &json!({"metadata": {"name": "q"}, "spec": spec}));
    let hard = quota["spec"]["hard"].clone();
    let used: serde_json::Map<_, _> =
        hard.as_object().unwrap().keys().map(|r| (r.clone(), json!("0"))).collect();
    quota["status"] = json!({"hard": hard, "used": used});
    send(api, "PUT", &format!("{quotas}/q/status"), "", "", &quota);
    format!("{quotas}/q")
}

fn used(api: &mut ApiServer, quota: &str) -> Value {
    value(&send(api, "GET", quota, "", "", &Value::Null))["status"]["used"].clone()
}

#[test]
fn a_resize_is_charged_and_refused() {
    let mut api = server();
    let quota = quota(&mut api, &json!({"hard": {"requests.cpu": "1"}}));
    post(&mut api, &format!("{CORE}/pods"), &pod("a", json!({"requests": {"cpu": "600m"}})));
    let mut resize = |cpu: &str| {
        let body = json!({"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]}});
        let content = "application/strategic-merge-patch+json";
        value(&send(&mut api, "PATCH", &format!("{CORE}/pods/a/resize"), "", content, &body))
    };
    assert_eq!(resize("900m")["spec"]["containers"][0]["resources"]["requests"]["cpu"], "900m");
    assert_eq!(
        resize("1100m")["message"],
        "pods \"a\" is forbidden: exceeded quota: q, requested: requests.cpu=200m, used: requests.cpu=900m, limited: requests.cpu=1"
    );
    assert_eq!(used(&mut api, &quota), json!({"requests.cpu": "900m"}));
}

#[test]
fn a_claim_is_charged_once_it_names_an_attributes_class() {
    let mut api = server();
    let hard = json!({"persistentvolumeclaims": "1", "requests.storage": "5Gi"});
    let quota = quota(&mut api, &json!({"hard": hard, "scopes": ["VolumeAttributesClass"]}));
    let claims = format!("{CORE}/persistentvolumeclaims");
    let claim = |name: &str| {
        json!({"metadata": {"name": name}, "spec": {"accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}}}})
    };
    let mut made = post(&mut api, &claims, &claim("a"));
    assert_eq!(used(&mut api, &quota), json!({"persistentvolumeclaims": "0", "requests.storage": "0"}));
    made["status"] = json!({"phase": "Bound", "currentVolumeAttributesClassName": "gold"});
    send(&mut api, "PUT", &format!("{claims}/a/status"), "", "", &made);
    assert_eq!(used(&mut api, &quota), json!({"persistentvolumeclaims": "1", "requests.storage": "1Gi"}));
    let mut second = claim("b");
    second["spec"]["volumeAttributesClassName"] = json!("gold");
    assert_eq!(
        post(&mut api, &claims, &second)["message"],
        "persistentvolumeclaims \"b\" is forbidden: exceeded quota: q, requested: persistentvolumeclaims=1, used: persistentvolumeclaims=1, limited: persistentvolumeclaims=1"
    );
}

#[test]
fn what_a_quota_may_not_say() {
    let mut api = server();
    let spec = json!({
        "hard": {"pods": "1.5", "gold": "1", "services": "-1"},
        "scopes": ["BestEffort", "NotBestEffort"],
        "scopeSelector": {"matchExpressions": [{"scopeName": "Terminating", "operator": "In"}]},
    });
    let body = json!({"metadata": {"name": "q"}, "spec": spec});
    let answer = post(&mut api, &format!("{CORE}/resourcequotas"), &body);
    let scopes = "spec.scopes: Invalid value: [\"BestEffort\",\"NotBestEffort\"]";
    let said = messages(&answer);
    for want in [
        "spec.hard[gold]: Invalid value: \"gold\": must be a standard resource type or fully qualified".to_owned(),
        "spec.hard[gold]: Invalid value: \"gold\": must be a standard resource for quota".to_owned(),
        "spec.hard[pods]: Invalid value: \"1500m\": must be an integer".to_owned(),
        "spec.hard[services]: Invalid value: \"-1\": must be greater than or equal to 0".to_owned(),
        format!("{scopes}: unsupported scope applied to resource"),
        format!("{scopes}: conflicting scopes"),
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector".to_owned(),
    ] {
        assert!(said.contains(&want), "{want}\n{said:#?}");
    }
}

#[test]
fn an_autoscaler_is_filled_in_and_checked() {
    let mut api = server();
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"});
    let spec = json!({"scaleTargetRef": target, "maxReplicas": 3, "behavior": {"scaleUp": {"stabilizationWindowSeconds": 5}}});
    let made = post(&mut api, SCALERS, &json!({"metadata": {"name": "web"}, "spec": spec}));
    assert_eq!(made["spec"]["minReplicas"], 1);
    assert_eq!(
        made["spec"]["metrics"],
        json!([{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}])
    );
    let up = &made["spec"]["behavior"]["scaleUp"];
    assert_eq!((&up["stabilizationWindowSeconds"], &up["selectPolicy"]), (&json!(5), &json!("Max")));
    assert_eq!(up["policies"].as_array().unwrap().len(), 2);
    assert_eq!(made["spec"]["behavior"]["scaleDown"]["policies"][0]["type"], "Percent");
    assert_eq!(made["status"], json!({"currentMetrics": null, "desiredReplicas": 0}));
    let spec = json!({
        "scaleTargetRef": {"kind": "Deployment", "name": "web"}, "minReplicas": 0, "maxReplicas": -1,
        "metrics": [{"type": "Pods", "resource": {"name": "", "target": {"type": "Utilization", "averageUtilization": 0}}}],
    });
    let answer = post(&mut api, SCALERS, &json!({"metadata": {"name": "x"}, "spec": spec}));
    assert_eq!(
        messages(&answer),
        [
            "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
            "spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1",
            "spec.maxReplicas: Invalid value: -1: must be greater than or equal to `minReplicas`",
            "spec.scaleTargetRef.apiVersion: Invalid value: \"\": apiVersion must specify API group",
            "spec.metrics[0].resource.name: Required value: must specify a resource name",
            "spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0",
            "spec.metrics[0].pods: Required value: must populate information for the given metric source",
            "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas",
        ]
    );
}
