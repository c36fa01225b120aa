//! After `pkg/apis/rbac/validation/validation_test.go`.

use serde_json::{Value, json};

use super::{object, refusals};
use crate::api::Kind;
use crate::apiserver::rest::{validate_create, validate_update};
use crate::apiserver::validation::aggregate;

#[test]
fn roles() {
    let role = |rule: Value| json!({"rules": [rule]});
    for (kind, rule, message) in [
        (Kind::ROLE, json!({"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}), ""),
        (Kind::CLUSTER_ROLE, json!({"verbs": ["get"], "nonResourceURLs": ["/*"]}), ""),
        (
            Kind::ROLE,
            json!({}),
            "[rules[0].verbs: Required value: verbs must contain at least one value, rules[0].apiGroups: Required value: resource rules must supply at least one api group, rules[0].resources: Required value: resource rules must supply at least one resource]",
        ),
        (
            Kind::ROLE,
            json!({"verbs": ["get"], "nonResourceURLs": ["/*"], "apiGroups": [""]}),
            r#"[rules[0].nonResourceURLs: Invalid value: ["/*"]: namespaced rules cannot apply to non-resource URLs, rules[0].nonResourceURLs: Invalid value: ["/*"]: rules cannot apply to both regular resources and non-resource URLs]"#,
        ),
    ] {
        assert_eq!(refusals(kind, role(rule)), message);
    }
    assert_eq!(
        refusals(Kind::CLUSTER_ROLE, json!({"aggregationRule": {}})),
        "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil"
    );
    let named = |name: &str| refusals(Kind::CLUSTER_ROLE, json!({"metadata": {"name": name}}));
    assert_eq!(named("system:node.Proxier"), "");
    assert_eq!(named("a/b"), r#"metadata.name: Invalid value: "a/b": may not contain '/'"#);
}

#[test]
fn role_bindings() {
    let binding = |kind: &str, subject: Value| json!({"roleRef": {"kind": kind, "name": "view"}, "subjects": [subject]});
    let user = json!({"kind": "User", "name": "jane"});
    for (kind, body, message) in [
        (Kind::ROLE_BINDING, binding("Role", user.clone()), ""),
        (Kind::CLUSTER_ROLE_BINDING, binding("ClusterRole", user.clone()), ""),
        (Kind::ROLE_BINDING, binding("Role", json!({"kind": "ServiceAccount", "name": "default"})), ""),
        (
            Kind::CLUSTER_ROLE_BINDING,
            binding("Role", json!({"kind": "ServiceAccount", "name": "default"})),
            r#"[roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole", subjects[0].namespace: Required value]"#,
        ),
        (
            Kind::ROLE_BINDING,
            json!({"roleRef": {"apiGroup": "x", "kind": "Foo", "name": ""}}),
            r#"[roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io", roleRef.kind: Unsupported value: "Foo": supported values: "Role", "ClusterRole", roleRef.name: Required value]"#,
        ),
        (
            Kind::ROLE_BINDING,
            binding("Role", json!({"kind": "foo", "name": ""})),
            r#"[subjects[0].name: Required value, subjects[0].kind: Unsupported value: "foo": supported values: "ServiceAccount", "User", "Group"]"#,
        ),
        (
            Kind::ROLE_BINDING,
            binding("Role", json!({"kind": "ServiceAccount", "name": "subject:bad", "apiGroup": "foo"})),
            r#"[subjects[0].name: Invalid value: "subject:bad": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), subjects[0].apiGroup: Unsupported value: "foo": supported values: ""]"#,
        ),
        (
            Kind::ROLE_BINDING,
            binding("Role", json!({"kind": "Group", "name": "g", "apiGroup": "foo"})),
            r#"subjects[0].apiGroup: Unsupported value: "foo": supported values: "rbac.authorization.k8s.io""#,
        ),
    ] {
        assert_eq!(refusals(kind, body.clone()), message, "{body}");
    }
    let [old, new] =
        ["Role", "ClusterRole"].map(|kind| object(Kind::ROLE_BINDING, binding(kind, user.clone())));
    assert_eq!(
        aggregate(&validate_update(&new, &old)),
        r#"roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"view"}: cannot change roleRef"#
    );
}

/// `ValidateUpdate` in `pkg/registry/rbac/{role,clusterrole,rolebinding,clusterrolebinding}/strategy.go`: the rules of an update
/// include those of a new object, and nobody else asks these.
#[test]
fn an_update_is_validated_once() {
    for (kind, body) in [
        (Kind::ROLE, json!({"rules": [{}]})),
        (Kind::CLUSTER_ROLE, json!({"aggregationRule": {}})),
        (Kind::ROLE_BINDING, json!({"roleRef": {"kind": "Role", "name": ""}})),
        (Kind::CLUSTER_ROLE_BINDING, json!({"roleRef": {"kind": "ClusterRole", "name": ""}})),
    ] {
        let wrong = object(kind, body);
        assert_eq!(validate_update(&wrong, &wrong).len(), validate_create(&wrong).len(), "{kind:?}");
    }
}
