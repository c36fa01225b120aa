//! What holds for all policies.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::testing::Model;
use crate::network::Protocol;

fn any_selector(key: &'static str, values: [&'static str; 3]) -> impl Strategy<Value = Value> {
    let value = prop::sample::select(values.to_vec());
    prop_oneof![
        Just(json!({})),
        value.clone().prop_map(move |v| json!({"matchLabels": {key: v}})),
        value.prop_map(
            move |v| json!({"matchExpressions": [{"key": key, "operator": "NotIn", "values": [v]}]})
        ),
    ]
}

fn of_pods() -> impl Strategy<Value = Value> {
    any_selector("pod", ["a", "b", "c"])
}

fn any_peer() -> impl Strategy<Value = Value> {
    let of_namespaces = || any_selector("ns", ["x", "y", "z"]);
    prop_oneof![
        of_pods().prop_map(|p| json!({"podSelector": p})),
        of_namespaces().prop_map(|n| json!({"namespaceSelector": n})),
        (of_pods(), of_namespaces()).prop_map(|(p, n)| json!({"podSelector": p, "namespaceSelector": n})),
        Just(json!({"ipBlock": {"cidr": "192.168.1.0/24", "except": ["192.168.1.2/32"]}})),
        Just(json!({"ipBlock": {"cidr": "172.18.0.0/16"}})),
    ]
}

fn any_port() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({"port": 80})),
        Just(json!({"port": "serve-81-tcp"})),
        Just(json!({"port": 80, "endPort": 90, "protocol": "UDP"})),
        Just(json!({"protocol": "TCP"})),
    ]
}

fn any_rules(peers: &'static str) -> impl Strategy<Value = Value> {
    let list = |all| prop::collection::vec(all, 0..3);
    let rule = (list(any_peer().boxed()), list(any_port().boxed()));
    prop::collection::vec(rule.prop_map(move |(p, ports)| json!({peers: p, "ports": ports})), 0..3)
        .prop_map(Value::from)
}

type Policy = (&'static str, Value);

fn any_policy() -> impl Strategy<Value = Policy> {
    let types = prop_oneof![
        Just(json!(["Ingress"])),
        Just(json!(["Egress"])),
        Just(json!(["Ingress", "Egress"])),
        Just(json!([])),
    ];
    let namespace = prop::sample::select(vec!["x", "y", "z"]);
    (namespace, of_pods(), types, any_rules("from"), any_rules("to")).prop_map(
        |(namespace, selector, types, ingress, egress)| {
            let spec =
                json!({"podSelector": selector, "policyTypes": types, "ingress": ingress, "egress": egress});
            (namespace, spec)
        },
    )
}

fn any_policies() -> impl Strategy<Value = Vec<Policy>> {
    prop::collection::vec(any_policy(), 0..5)
}

fn model(policies: &[Policy]) -> Model {
    let all: Vec<(&str, &str, Value)> =
        policies.iter().map(|(namespace, spec)| (*namespace, "p", spec.clone())).collect();
    Model::new(&all)
}

fn any_end() -> impl Strategy<Value = &'static str> {
    let all = ["x/a", "x/b", "y/a", "y/c", "z/b", "node-1", "node-2", "203.0.113.1"];
    prop::sample::select(all.to_vec())
}

fn any_connection() -> impl Strategy<Value = (&'static str, &'static str, (Protocol, u16))> {
    let protocol = prop::sample::select(vec![Protocol::Tcp, Protocol::Udp, Protocol::Sctp]);
    (any_end(), any_end(), (protocol, 79_u16..92))
}

proptest! {
    /// Policies add up: where a pod is isolated already, one more policy forbids nothing that was allowed.
    /// kubernetes.io/docs/concepts/services-networking/network-policies, "The two sorts of Pod isolation": they do not conflict.
    #[test]
    fn more_policies_for_isolated_pods_allow_more(
        policies in any_policies(), more in any_policy(), (from, to, port) in any_connection()
    ) {
        let deny: Vec<Policy> = ["x", "y", "z"]
            .map(|ns| (ns, json!({"podSelector": {}, "policyTypes": ["Ingress", "Egress"]})))
            .into();
        let before: Vec<Policy> = deny.into_iter().chain(policies).collect();
        let after: Vec<Policy> = before.iter().cloned().chain([more]).collect();
        let allowed = |policies: &[Policy]| model(policies).decide(from, to, port).is_ok();
        prop_assert!(!allowed(&before) || allowed(&after));
    }

    /// A policy isolates the pods of its own namespace, and so changes nothing of connections between others. The API's
    /// `NetworkPolicySpec`: `podSelector`.
    #[test]
    fn a_policy_is_about_the_pods_of_its_namespace(
        policies in any_policies(), more in any_policy(), (from, to, port) in any_connection()
    ) {
        let of = |end: &str| end.split_once('/').map(|(ns, _)| ns.to_owned());
        prop_assume!(of(from).as_deref() != Some(more.0) && of(to).as_deref() != Some(more.0));
        let after: Vec<Policy> = policies.iter().cloned().chain([more]).collect();
        prop_assert_eq!(model(&policies).decide(from, to, port), model(&after).decide(from, to, port));
    }

    /// The order of the policies means nothing. kubernetes.io/docs/concepts/services-networking/network-policies, "The two sorts
    /// of Pod isolation".
    #[test]
    fn the_order_of_policies_means_nothing(policies in any_policies(), (from, to, port) in any_connection()) {
        let turned: Vec<Policy> = policies.iter().rev().cloned().collect();
        let sides = |policies: &[Policy]| model(policies).decide(from, to, port).map_err(|d| (d.direction, d.pod));
        prop_assert_eq!(sides(&policies), sides(&turned));
    }

    /// A pod reaches itself, and its node reaches it and is reached by it: the kubelet's probes always pass.
    /// kubernetes.io/docs/concepts/services-networking/network-policies: the traffic between a pod and its node is always
    /// allowed, and no pod can block access to itself.
    #[test]
    fn a_pods_own_node_always_reaches_it(policies in any_policies(), port in 79_u16..92) {
        let model = model(&policies);
        for pod in model.names() {
            let node = model.end(&pod).node.unwrap_or_default().to_owned();
            for (from, to) in [(&pod, &pod), (&pod, &node), (&node, &pod)] {
                prop_assert!(model.decide(from, to, (Protocol::Tcp, port)).is_ok(), "{from} {to}");
            }
        }
    }

    /// No policy is about machines among themselves, or about pods in the network of their node.
    /// kubernetes.io/docs/concepts/services-networking/network-policies, "NetworkPolicy and `hostNetwork` pods".
    #[test]
    fn machines_are_not_isolated(policies in any_policies(), port in 79_u16..92) {
        let model = model(&policies);
        for to in ["node-2", "203.0.113.1"] {
            prop_assert!(model.allows("node-1", to, port));
        }
    }
}
