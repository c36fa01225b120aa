//! What a kubelet rejects (`pkg/kubelet/lifecycle/predicate_test.go`, `pkg/kubelet/sysctl/allowlist_test.go`).

use serde_json::{Value, json};

use super::{Lab, one};
use crate::api::{Key, Kind};
use crate::apimachinery::{Body, Patch, Request, Verb};

fn message(lab: &Lab, name: &str) -> String {
    lab.pod_named(name).status.as_ref().unwrap().message.clone().unwrap_or_default()
}

fn patch_node(lab: &mut Lab, status: bool, change: Value) {
    let request = Request::new(&"me".into(), Verb::Patch, Kind::NODE, Key::new("", "node-1"));
    let sub = if status { crate::apimachinery::Subresource::Status } else { Default::default() };
    let (response, _) =
        lab.cluster.request(&request.subresource(sub).body(Body::Patch(Patch::Merge(change))));
    assert_eq!(response.code(), 200, "{response:?}");
}

fn with(fields: Value) -> Value {
    let mut pod = one(json!({}));
    for (k, v) in fields.as_object().unwrap() {
        pod["spec"][k] = v.clone();
    }
    pod
}

/// `pkg/kubelet/lifecycle/predicate.go`: `generalFilter`; the messages are those of the scheduler's plugins.
#[test]
fn a_pod_that_does_not_match_its_node_is_rejected() {
    let mut lab = Lab::new();
    lab.named("selects", with(json!({"nodeSelector": {"disk": "ssd"}}))).steady();
    assert_eq!(lab.phase("selects"), "Failed NodeAffinity");
    let told = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector";
    assert_eq!(message(&lab, "selects"), format!("Pod was rejected: {told}"));
    assert_eq!(lab.events("NodeAffinity"), [("selects".into(), told.into(), 1)]);
    patch_node(&mut lab, false, json!({"metadata": {"labels": {"disk": "ssd"}}}));
    lab.steady().named("again", with(json!({"nodeSelector": {"disk": "ssd"}}))).steady();
    assert_eq!(lab.phase("again"), "Running");
}

/// The kubelet looks at taints with the effect `NoExecute` only. `predicate.go`, `generalFilter`.
#[test]
fn a_pod_does_not_run_beside_a_taint_that_would_evict_it() {
    let mut lab = Lab::new();
    let taint = |effect: &str| json!({"spec": {"taints": [{"key": "k", "effect": effect}]}});
    patch_node(&mut lab, false, taint("NoSchedule"));
    lab.steady().named("a", one(json!({}))).steady();
    assert_eq!(lab.phase("a"), "Running");
    patch_node(&mut lab, false, taint("NoExecute"));
    lab.steady().named("b", one(json!({})));
    lab.named("c", with(json!({"tolerations": [{"key": "k", "operator": "Exists"}]}))).steady();
    assert_eq!(lab.phase("b"), "Failed TaintToleration");
    let told =
        "Pod was rejected: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate";
    assert_eq!(message(&lab, "b"), told);
    assert_eq!((lab.phase("a").as_str(), lab.phase("c").as_str()), ("Running", "Running"));
}

/// `pkg/scheduler/eventhandlers.go`, `AdmissionCheck`, which `generalFilter` asks; `plugins/nodeports/node_ports.go`, `Fits`.
#[test]
fn two_pods_do_not_get_one_port_of_the_node() {
    let mut lab = Lab::new();
    let port = |ip: &str| one(json!({"ports": [{"containerPort": 80, "hostPort": 8080, "hostIP": ip}]}));
    lab.named("a", port("127.0.0.1")).steady().named("b", port("127.0.0.2")).named("c", port("")).steady();
    assert_eq!((lab.phase("a").as_str(), lab.phase("b").as_str()), ("Running", "Running"));
    assert_eq!(lab.phase("c"), "Failed NodePorts");
    let told = "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports";
    assert_eq!(message(&lab, "c"), told);
}

/// What is short is told before what does not match; a resource that the node does not have at all is not looked at
/// (`removeMissingExtendedResources`).
#[test]
fn what_is_short_is_told_first() {
    let mut lab = Lab::new();
    let asks = |name: &str, amount: &str| json!({"resources": {"requests": {name: amount}, "limits": {name: amount}}});
    lab.named("unknown", one(asks("example.com/gpu", "2"))).steady();
    assert_eq!(lab.phase("unknown"), "Running");
    let amounts = json!({"example.com/gpu": "3"});
    patch_node(&mut lab, true, json!({"status": {"capacity": amounts, "allocatable": amounts}}));
    lab.steady().named("b", one(asks("example.com/gpu", "2"))).steady();
    assert_eq!(lab.phase("b"), "Failed OutOfexample.com/gpu");
    let told = "Node didn't have enough resource: example.com/gpu, requested: 2, used: 2, capacity: 3";
    assert_eq!(message(&lab, "b"), format!("Pod was rejected: {told}"));
    let mut both = one(json!({"resources": {"requests": {"cpu": "8"}}}));
    both["spec"]["nodeSelector"] = json!({"disk": "ssd"});
    lab.named("c", both).steady();
    assert_eq!(lab.phase("c"), "Failed OutOfcpu");
}

/// `pkg/kubelet/sysctl/allowlist.go`: `validateSysctl`
#[test]
fn settings_of_the_kernel_have_to_be_allowed() {
    let mut lab = Lab::new();
    let sets = |name: &str, more: Value| {
        let mut fields = more;
        fields["securityContext"] = json!({"sysctls": [{"name": name, "value": "1"}]});
        with(fields)
    };
    lab.named("safe", sets("net.ipv4.tcp_syncookies", json!({}))).steady();
    lab.named("unsafe", sets("kernel.msgmax", json!({}))).steady();
    assert_eq!(
        (lab.phase("safe").as_str(), lab.phase("unsafe").as_str()),
        ("Running", "Failed SysctlForbidden")
    );
    let told = "Pod was rejected: forbidden sysctl: \"kernel.msgmax\" not allowlisted";
    assert_eq!(message(&lab, "unsafe"), told);
    lab.annotate_node(json!({"sim.steady/allowed-unsafe-sysctls": "kernel.msg*, net.core.somaxconn"}))
        .steady();
    lab.named("told", sets("kernel/msgmax", json!({}))).steady();
    assert_eq!(lab.phase("told"), "Running");
}

/// `rejectPodAdmissionBasedOnOSField`, `rejectPodAdmissionBasedOnOSSelector`
#[test]
fn a_pod_of_another_system_is_rejected() {
    let mut lab = Lab::new();
    lab.named("windows", with(json!({"os": {"name": "windows"}}))).steady();
    assert_eq!(lab.phase("windows"), "Failed PodOSNotSupported");
    assert_eq!(
        message(&lab, "windows"),
        "Pod was rejected: Failed to admit pod as the OS field doesn't match node OS"
    );
    let mut labelled = one(json!({}));
    labelled["metadata"]["labels"] = json!({"kubernetes.io/os": "windows"});
    lab.named("labelled", labelled).steady();
    assert_eq!(lab.phase("labelled"), "Failed PodOSSelectorNodeLabelDoesNotMatch");
}
