//! After `pkg/apis/networking/validation/validation_test.go`.

use serde_json::{Value, json};

use super::{object, refusals};
use crate::api::Kind;
use crate::apiserver::rest::validate_update;

#[test]
fn network_policies() {
    let rule = |rule: Value| json!({"spec": {"podSelector": {}, "ingress": [rule]}});
    let (port, from) = ("spec.ingress[0].ports[0]", "spec.ingress[0].from[0]");
    let block = format!("{from}.ipBlock");
    for (body, message) in [
        (json!({"spec": {}}), String::new()),
        (rule(json!({"ports": [{"port": 80}, {"port": "http"}, {"protocol": "SCTP"}]})), String::new()),
        (rule(json!({"ports": [{"port": 32000, "endPort": 32768}]})), String::new()),
        (
            rule(json!({"from": [{"podSelector": {"matchLabels": {"a": "b"}}, "namespaceSelector": {}}]})),
            String::new(),
        ),
        (
            rule(json!({"from": [{"ipBlock": {"cidr": "192.168.0.0/16", "except": ["192.168.3.0/24"]}}]})),
            String::new(),
        ),
        (rule(json!({"from": [{}]})), format!("{from}: Required value: must specify a peer")),
        (
            rule(json!({"from": [{"podSelector": {}, "ipBlock": {"cidr": "10.0.0.0/8"}}]})),
            format!("{from}: Forbidden: may not specify both ipBlock and another peer"),
        ),
        (
            rule(json!({"ports": [{"protocol": "foo"}]})),
            format!(r#"{port}.protocol: Unsupported value: "foo": supported values: "TCP", "UDP", "SCTP""#),
        ),
        (
            rule(json!({"ports": [{"port": 123456789}]})),
            format!("{port}.port: Invalid value: 123456789: must be between 1 and 65535, inclusive"),
        ),
        (
            rule(json!({"ports": [{"port": 80, "endPort": 70}]})),
            format!("{port}.endPort: Invalid value: 80: must be greater than or equal to `port`"),
        ),
        (
            rule(json!({"ports": [{"port": "dns", "endPort": 32768}]})),
            format!("{port}.endPort: Invalid value: 32768: may not be specified when `port` is non-numeric"),
        ),
        (
            rule(json!({"ports": [{"endPort": 32768}]})),
            format!("{port}.endPort: Invalid value: 32768: may not be specified when `port` is not specified"),
        ),
        (rule(json!({"from": [{"ipBlock": {"cidr": ""}}]})), format!("{block}.cidr: Required value")),
        (
            rule(json!({"from": [{"ipBlock": {"cidr": "192.168.5.6"}}]})),
            format!(r#"{block}.cidr: Invalid value: "192.168.5.6": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"#),
        ),
        (
            rule(json!({"from": [{"ipBlock": {"cidr": "192.168.8.0/24", "except": ["192.168.9.0/24", "192.168.8.0/24", "fd00:192:168::/48"]}}]})),
            format!(
                r#"[{block}.except[0]: Invalid value: "192.168.9.0/24": must be a strict subset of `cidr`, {block}.except[1]: Invalid value: "192.168.8.0/24": must be a strict subset of `cidr`, {block}.except[2]: Invalid value: "fd00:192:168::/48": must be a strict subset of `cidr`]"#
            ),
        ),
        (
            json!({"spec": {"policyTypes": ["foo", "Egress"]}}),
            r#"spec.policyTypes[0]: Unsupported value: "foo": supported values: "Ingress", "Egress""#.into(),
        ),
        (
            json!({"spec": {"policyTypes": ["foo", "bar", "baz"]}}),
            r#"spec.policyTypes: Invalid value: ["foo","bar","baz"]: may not specify more than two policyTypes"#.into(),
        ),
    ] {
        assert_eq!(refusals(Kind::NETWORK_POLICY, body.clone()), message, "{body}");
    }
    // A range that was there before may stay as it is, wherever it is now.
    let odd = "192.168.8.1/24";
    let old = object(Kind::NETWORK_POLICY, rule(json!({"from": [{"ipBlock": {"cidr": odd}}]})));
    let moved = json!({"spec": {"egress": [{"to": [{"ipBlock": {"cidr": odd}}]}]}});
    assert_eq!(validate_update(&object(Kind::NETWORK_POLICY, moved), &old), []);
}

#[test]
fn what_a_network_policy_does_not_say() {
    let types = |spec: Value| {
        object(Kind::NETWORK_POLICY, json!({"spec": spec})).to_value()["spec"]["policyTypes"].clone()
    };
    assert_eq!(types(json!({})), json!(["Ingress"]));
    assert_eq!(types(json!({"egress": []})), json!(["Ingress"]));
    assert_eq!(types(json!({"egress": [{}]})), json!(["Ingress", "Egress"]));
    assert_eq!(types(json!({"policyTypes": ["Egress"]})), json!(["Egress"]));
    let policy = object(Kind::NETWORK_POLICY, json!({"spec": {"egress": [{"ports": [{"port": 53}]}]}}));
    assert_eq!(
        policy.to_value()["spec"],
        json!({"podSelector": {}, "egress": [{"ports": [{"port": 53, "protocol": "TCP"}]}], "policyTypes": ["Ingress", "Egress"]})
    );
}
