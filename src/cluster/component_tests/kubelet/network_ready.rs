//! A node without a network plugin.

use jiff::SignedDuration;
use serde_json::json;

use super::super::network::net;
use super::{Lab, one};
use crate::api::Kind;
use crate::api::types::{Event, Node};
use crate::cluster::{Cluster, Config, Fault};
use crate::network::cni::Plugin;

const WHY: &str = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady \
                   message:Network plugin returns error: cni plugin not initialized";

fn ready(node: &Node) -> (String, String, String) {
    let all = node.status.as_ref().and_then(|s| s.conditions.clone()).unwrap();
    let c = all.into_iter().find(|c| c.type_ == "Ready").unwrap();
    (c.status, c.reason.unwrap_or_default(), c.message.unwrap_or_default())
}

/// `nodestatus/setters.go`, `ReadyCondition`; `kubelet.go`, `SyncPod` (`NetworkNotReady`); `runtime.go`, `networkErrors`.
#[test]
fn without_a_network_plugin_no_pod_with_a_network_of_its_own_starts() {
    let mut lab = Lab::new();
    lab.named("before", one(json!({}))).steady();
    lab.cluster.fault(&Fault::NetworkPlugin { plugin: Plugin::None }).unwrap();
    lab.steady();
    let (status, reason, message) = ready(&lab.node());
    assert_eq!((status.as_str(), reason.as_str(), message.as_str()), ("False", "KubeletNotReady", WHY));
    assert_eq!(lab.events("NodeNotReady").len(), 1);
    // A pod that runs goes on.
    assert_eq!(lab.phase("before"), "Running");
    let mut hosted = one(json!({}));
    hosted["spec"]["hostNetwork"] = true.into();
    lab.pod(one(json!({}))).named("hosted", hosted).steady();
    assert_eq!((lab.phase("p").as_str(), lab.phase("hosted").as_str()), ("Pending", "Running"));
    let events = lab.events("NetworkNotReady");
    assert!(
        events
            .iter()
            .all(|(about, message, _)| about == "p" && *message == format!("network is not ready: {WHY}"))
    );
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(lab.events("FailedCreatePodSandBox").is_empty());
    lab.cluster.fault(&Fault::NetworkPlugin { plugin: Plugin::FlannelVxlan }).unwrap();
    lab.steady();
    assert_eq!(ready(&lab.node()).0, "True");
    assert_eq!(lab.events("NodeReady").len(), 1);
    assert_eq!(lab.phase("p"), "Running");
}

/// `nodestatus/setters.go`, `ReadyCondition`: the errors are told together.
#[test]
fn a_node_can_have_two_reasons_not_to_be_ready() {
    let mut lab = Lab::new();
    lab.annotate_node(json!({"sim.steady/shutdown-grace-period": "30s"}));
    lab.cluster.fault(&Fault::NetworkPlugin { plugin: Plugin::None }).unwrap();
    lab.steady();
    lab.annotate_node(json!({"sim.steady/shutdown": "true"})).steady();
    assert_eq!(ready(&lab.node()).2, format!("[{WHY}, node is shutting down]"));
    lab.annotate_node(json!({"sim.steady/shutdown": null})).steady();
    assert_eq!(ready(&lab.node()).2, WHY);
    assert_eq!(lab.events("NodeNotReady").len(), 1, "the status is the same");
}

/// `pkg/controller/nodelifecycle`: the node gets the taint, so that nothing is scheduled to it. As no node is ready, none gets the one
/// that evicts (`handleDisruption`).
#[test]
fn a_node_without_a_network_plugin_is_tainted() {
    let mut n = net(1);
    n.0.fault(&Fault::NetworkPlugin { plugin: Plugin::None }).unwrap();
    n.steady();
    // A kubelet that starts anew finds no plugin either.
    n.0.fault(&Fault::Restart { process: "kubelet".into(), node: Some("node-1".into()) }).unwrap();
    n.steady();
    let node = n.0.api().cached_list(Kind::NODE, None).find_map(|(_, o)| o.get::<Node>().cloned()).unwrap();
    assert_eq!(ready(&node).0, "False");
    let taints = node.spec.as_ref().and_then(|s| s.taints.clone()).unwrap_or_default();
    let taints: Vec<(String, String)> = taints.into_iter().map(|t| (t.key, t.effect)).collect();
    assert_eq!(taints, [("node.kubernetes.io/not-ready".to_owned(), "NoSchedule".to_owned())]);
}

/// `ReadyCondition` and `MemoryPressureCondition` (`pkg/kubelet/nodestatus/setters.go`): the events follow from a status that is another one, also
/// from the Unknown that the node lifecycle controller has written.
#[test]
fn a_node_that_is_back_says_that_it_is_ready() {
    let mut c = Cluster::new(&Config::nodes(2));
    let run = |c: &mut Cluster, seconds: i64| {
        let to = c.now() + SignedDuration::from_secs(seconds);
        c.run_until(to, |_, _| {}).unwrap();
    };
    let told = |c: &Cluster, reason: &str| {
        let all =
            c.api().etcd().range(Kind::EVENT, None).filter_map(|(_, r)| r.object.get::<Event>().cloned());
        let about = |e: &Event| e.involved_object.name.as_deref() == Some("node-2");
        all.filter(|e| about(e) && e.reason.as_deref() == Some(reason))
            .map(|e| e.message.clone().unwrap_or_default())
            .collect::<Vec<_>>()
    };
    run(&mut c, 60);
    assert!(told(&c, "NodeReady").is_empty());
    c.fault(&Fault::NodeDown { node: "node-2".into() }).unwrap();
    run(&mut c, 120);
    c.fault(&Fault::NodeUp { node: "node-2".into() }).unwrap();
    run(&mut c, 60);
    assert_eq!(told(&c, "NodeReady"), ["Node node-2 status is now: NodeReady"]);
}
