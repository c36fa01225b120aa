//! Truth tables of Kubernetes' own tests (`test/e2e/network/netpol/network_policy.go`), and what the API's documentation says.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::testing::Model;
use super::*;
use crate::api::Key;
use crate::api::types::Pod;
use crate::network::Protocol;

const ALL: &str = "\
x/a .........
x/b .........
x/c .........
y/a .........
y/b .........
y/c .........
z/a .........
z/b .........
z/c .........";

fn x(spec: Value) -> Model {
    Model::new(&[("x", "p", spec)])
}

/// A policy for the ingress of `x/a` with one rule.
fn to_x_a(rule: Value) -> Model {
    x(json!({"podSelector": {"matchLabels": {"pod": "a"}}, "policyTypes": ["Ingress"], "ingress": [rule]}))
}

/// Who reaches `x/a` on port 80, but for itself.
fn reach_x_a(model: &Model) -> String {
    let names = model.names();
    let all: Vec<&str> =
        names.iter().map(String::as_str).filter(|n| *n != "x/a" && model.allows(n, "x/a", 80)).collect();
    all.join(" ")
}

/// kubernetes.io/docs/concepts/services-networking/network-policies, "The two sorts of Pod isolation": by default a pod is
/// isolated in no direction.
#[test]
fn without_policies_everything_is_allowed() {
    assert_eq!(Model::new(&[]).table(), ALL);
}

/// "should support a 'default-deny-ingress' policy"
#[test]
fn default_deny_of_ingress() {
    let model = x(json!({"podSelector": {}, "policyTypes": ["Ingress"]}));
    insta::assert_snapshot!(model.table(), @r"
    x/a .ii......
    x/b i.i......
    x/c ii.......
    y/a iii......
    y/b iii......
    y/c iii......
    z/a iii......
    z/b iii......
    z/c iii......
    ");
    // A list of rules that is empty is the same as none.
    let empty = x(json!({"podSelector": {}, "ingress": []}));
    assert_eq!(empty.table(), model.table());
}

/// "should support a 'default-deny-all' policy"
#[test]
fn default_deny_of_both() {
    let model = x(json!({"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}));
    insta::assert_snapshot!(model.table(), @r"
    x/a .eeeeeeee
    x/b e.eeeeeee
    x/c ee.eeeeee
    y/a iii......
    y/b iii......
    y/c iii......
    z/a iii......
    z/b iii......
    z/c iii......
    ");
    let denied = model.decide("x/a", "y/a", (Protocol::Tcp, 80)).unwrap_err();
    let expected =
        Denied { direction: Direction::Egress, pod: Key::new("x", "a"), policies: vec!["p".to_owned()] };
    assert_eq!(denied, expected);
}

/// The tests "based on PodSelector", "NamespaceSelector", "PodSelector or NamespaceSelector", "PodSelector and
/// NamespaceSelector", and those with `matchExpressions`.
#[test]
fn peers_are_selected_by_pods_and_namespaces() {
    let of_b = json!({"matchLabels": {"pod": "b"}});
    let of_y = json!({"matchLabels": {"ns": "y"}});
    let not_x = json!({"matchExpressions": [{"key": "ns", "operator": "NotIn", "values": ["x"]}]});
    let reached_by = |from: Value| reach_x_a(&to_x_a(json!({"from": from})));
    assert_eq!(reached_by(json!([{"podSelector": of_b}])), "x/b");
    assert_eq!(reached_by(json!([{"podSelector": {}}])), "x/b x/c");
    assert_eq!(reached_by(json!([{"namespaceSelector": {}}])), "x/b x/c y/a y/b y/c z/a z/b z/c");
    assert_eq!(reached_by(json!([{"namespaceSelector": of_y}])), "y/a y/b y/c");
    assert_eq!(reached_by(json!([{"namespaceSelector": not_x, "podSelector": of_b}])), "y/b z/b");
    let either = json!([{"namespaceSelector": not_x}, {"podSelector": of_b}]);
    assert_eq!(reached_by(either), "x/b y/a y/b y/c z/a z/b z/c");
    assert_eq!(reached_by(json!([])), "x/b x/c y/a y/b y/c z/a z/b z/c", "an empty list is all sources");
}

/// "should enforce policies to check ingress and egress policies can be controlled independently based on PodSelector", and
/// "should enforce egress policy allowing traffic to a server in a different namespace based on PodSelector and
/// NamespaceSelector".
#[test]
fn both_ends_have_to_allow_it() {
    let egress = json!({"podSelector": {"matchLabels": {"pod": "a"}}, "policyTypes": ["Egress"], "egress": [{
        "to": [{"namespaceSelector": {"matchLabels": {"ns": "y"}}, "podSelector": {"matchLabels": {"pod": "a"}}}],
    }]});
    let model = x(egress.clone());
    assert!(model.allows("x/a", "y/a", 80) && !model.allows("x/a", "y/b", 80));
    assert!(model.allows("y/b", "x/a", 80), "nothing is said of what it accepts, and answers pass");
    let closed = json!({"podSelector": {}, "policyTypes": ["Ingress"]});
    let model = Model::new(&[("x", "p", egress), ("y", "closed", closed)]);
    let denied = model.decide("x/a", "y/a", (Protocol::Tcp, 80)).unwrap_err();
    assert_eq!(denied.to_string(), "Ingress of y/a is not allowed by closed");
}

/// "should enforce policy based on Ports", "should allow ingress access on one named port", "should enforce multiple,
/// stacked policies with overlapping podSelectors", "should enforce updated policy", and the documentation of `endPort`.
#[test]
fn ports_have_numbers_names_and_ranges() {
    let on = |ports: Value| {
        let model = to_x_a(json!({"ports": ports}));
        let all = [(Protocol::Tcp, 79), (Protocol::Tcp, 80), (Protocol::Tcp, 81), (Protocol::Udp, 80)];
        let open = all.into_iter().filter(|port| model.decide("y/a", "x/a", *port).is_ok());
        open.map(|(protocol, port)| format!("{port}/{protocol}")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(on(json!([{"port": 80}])), "80/tcp", "a port without a protocol is one of TCP");
    assert_eq!(on(json!([{"port": 80, "protocol": "UDP"}])), "80/udp");
    assert_eq!(on(json!([{"protocol": "TCP"}])), "79/tcp 80/tcp 81/tcp");
    assert_eq!(on(json!([{"port": 80, "endPort": 81}])), "80/tcp 81/tcp");
    assert_eq!(on(json!([{"port": "serve-81-tcp"}])), "81/tcp");
    assert_eq!(on(json!([{"port": "serve-80-udp", "protocol": "UDP"}, {"port": 79}])), "79/tcp 80/udp");
    assert_eq!(on(json!([{"port": "serve-80-udp"}])), "", "the port of that name is one of UDP");
    assert_eq!(on(json!([])), "79/tcp 80/tcp 81/tcp 80/udp");
    // The name of a port in a rule for egress is one of the pod that is to accept the connection.
    let model = x(
        json!({"podSelector": {}, "policyTypes": ["Egress"], "egress": [{"ports": [{"port": "serve-80-tcp"}]}]}),
    );
    assert!(model.allows("x/a", "y/a", 80) && !model.allows("x/a", "y/a", 81));
    assert!(!model.allows("x/a", "203.0.113.1", 80), "nobody outside has names for ports");
}

/// "should allow egress access to server in CIDR block", "should enforce except clause while egress access to server in CIDR
/// block".
#[test]
fn blocks_of_addresses_have_exceptions() {
    let to = |block: Value| {
        x(json!({"podSelector": {}, "policyTypes": ["Egress"], "egress": [{"to": [{"ipBlock": block}]}]}))
    };
    let model = to(json!({"cidr": "192.168.1.0/24", "except": ["192.168.1.2/32"]}));
    let reached: Vec<String> = model.names().into_iter().filter(|to| model.allows("x/a", to, 80)).collect();
    assert_eq!(reached, ["x/a", "y/a", "y/c"], "a pod reaches itself in any case");
    let outside = to(json!({"cidr": "0.0.0.0/0", "except": ["192.168.0.0/16"]}));
    assert!(outside.allows("x/a", "203.0.113.1", 443) && !outside.allows("x/a", "y/a", 80));
}

/// `policyTypes`: "If this field is not specified, it will default based on the existence of ingress or egress rules".
#[test]
fn the_directions_follow_from_the_rules() {
    let model = x(json!({"podSelector": {}, "egress": [{"to": [{"podSelector": {}}]}]}));
    assert!(!model.allows("x/a", "y/a", 80), "there are rules for egress");
    assert!(!model.allows("y/a", "x/a", 80), "ingress is always among them");
    let model = x(json!({"podSelector": {}, "ingress": [{}]}));
    assert_eq!(model.table(), ALL);
}

/// "the traffic source is the pod's local node", and the documentation of policies about nodes and pods in their network.
#[test]
fn a_node_and_its_own_pods_always_reach_each_other() {
    let model = x(json!({"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}));
    assert!(model.allows("node-1", "x/a", 80) && !model.allows("node-2", "x/a", 80));
    assert!(model.allows("x/a", "node-1", 80) && !model.allows("x/a", "node-2", 80));
    assert!(model.allows("node-1", "node-2", 80));
    // Whoever wants the other nodes names their addresses.
    let model = to_x_a(json!({"from": [{"ipBlock": {"cidr": "172.18.0.3/32"}}]}));
    assert!(model.allows("node-2", "x/a", 80) && !model.allows("x/b", "x/a", 80));
    let model = to_x_a(json!({"from": [{"namespaceSelector": {}}]}));
    assert!(!model.allows("node-2", "x/a", 80), "a pod in the network of its node is found by no selector");
}

/// The API's `NetworkPolicyIngressRule`: a rule without ports matches all traffic. What becomes of ICMP the page
/// kubernetes.io/docs/concepts/services-networking/network-policies leaves to plugins ("Network traffic filtering").
#[test]
fn a_rule_with_ports_is_not_about_packets_without() {
    let ping = |model: &Model| {
        let (source, destination) = (model.end("y/a"), model.end("x/a"));
        decide(model, &Connection { source, destination, port: None }).is_ok()
    };
    assert!(ping(&to_x_a(json!({"from": [{"namespaceSelector": {}}]}))));
    assert!(!ping(&to_x_a(json!({"ports": [{"protocol": "TCP"}]}))));
}

/// A pod of another namespace whose labels are the same is not meant. The API's `NetworkPolicyPeer`: `namespaceSelector`.
#[test]
fn policies_are_those_of_the_pods_own_namespace() {
    let pod = json!({"metadata": {"namespace": "w", "name": "a", "labels": {"pod": "a"}}, "spec": {"containers": []}});
    let pod: Pod = serde_json::from_value(pod).unwrap();
    let model = to_x_a(json!({"from": [{"namespaceSelector": {}}]}));
    let stranger = End { address: [192, 168, 9, 1].into(), pod: Some(&pod), node: Some("node-1") };
    let to = |destination| Connection { source: stranger, destination, port: Some((Protocol::Tcp, 80)) };
    assert!(decide(&model, &to(model.end("x/b"))).is_ok());
    assert!(decide(&model, &to(model.end("x/a"))).is_err(), "its namespace is gone: no selector finds it");
}
