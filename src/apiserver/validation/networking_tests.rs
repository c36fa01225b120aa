//! Tables of what is valid and what is not, after `pkg/apis/networking/validation/validation_test.go`
//! and `pkg/apis/rbac/validation/validation_test.go`.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::{FieldError, aggregate, validate_create, validate_status_update, validate_update};
use crate::api::{Kind, Object};

/// What is done to a valid spec.
type Change = fn(&mut Value);

fn object(kind: Kind, mut body: Value) -> Object {
    for (field, value) in [("name", "x"), ("resourceVersion", "1")] {
        if body["metadata"][field].is_null() {
            body["metadata"][field] = value.into();
        }
    }
    if kind.namespaced() {
        body["metadata"]["namespace"] = "default".into();
    }
    crate::apiserver::defaults::prepare(kind, &mut body);
    let mut object = Object::from_value(kind, body).unwrap();
    crate::apiserver::defaults::apply(&mut object);
    object
}

/// All of them as the API server puts them together; nothing if there are none.
fn said(errors: &[FieldError]) -> String {
    if errors.is_empty() { String::new() } else { aggregate(errors) }
}

fn refusals(kind: Kind, body: Value) -> String {
    said(&validate_create(&object(kind, body)))
}

fn ingress(change: impl FnOnce(&mut Value)) -> Value {
    let backend = json!({"service": {"name": "default-backend", "port": {"number": 80}}});
    let path = json!({"path": "/foo", "pathType": "ImplementationSpecific", "backend": backend});
    let mut body = json!({"spec": {
        "defaultBackend": backend,
        "rules": [{"host": "foo.bar.com", "http": {"paths": [path]}}]
    }});
    change(&mut body["spec"]);
    body
}

#[test]
fn ingresses() {
    let valid: [fn(&mut Value); 8] = [
        |_| {},
        |s| s["rules"] = Value::Null,
        |s| s["rules"][0]["host"] = "*.bar.com".into(),
        |s| s["rules"][0]["http"]["paths"][0]["path"] = Value::Null,
        |s| s["tls"] = json!([{"hosts": ["foo.bar.com", "*.bar.com"], "secretName": "cert"}]),
        |s| s["defaultBackend"]["service"]["port"] = json!({"name": "http"}),
        |s| s["defaultBackend"] = json!({"resource": {"apiGroup": "example.com", "kind": "K", "name": "n"}}),
        |s| s["ingressClassName"] = "nginx".into(),
    ];
    for (i, change) in valid.into_iter().enumerate() {
        assert_eq!(refusals(Kind::INGRESS, ingress(change)), "", "{i}");
    }
    let path = "spec.rules[0].http.paths[0]";
    let invalid: [(Change, String); 15] = [
        (
            |s| *s = json!({}),
            "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified".into(),
        ),
        (
            |s| s["rules"][0]["host"] = "1.2.3.4".into(),
            r#"spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address"#.into(),
        ),
        (
            |s| s["rules"][0]["host"] = "foobar.com*".into(),
            r#"spec.rules[0].host: Invalid value: "foobar.com*": a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"#.into(),
        ),
        (|s| s["rules"][0]["http"]["paths"] = json!([]), "spec.rules[0].http.paths: Required value".into()),
        (
            |s| s["rules"][0]["http"]["paths"][0]["pathType"] = Value::Null,
            format!("{path}.pathType: Required value: pathType must be specified"),
        ),
        (
            |s| s["rules"][0]["http"]["paths"][0]["pathType"] = "foo".into(),
            format!(r#"{path}.pathType: Unsupported value: "foo": supported values: "Exact", "ImplementationSpecific", "Prefix""#),
        ),
        (
            |s| s["rules"][0]["http"]["paths"][0]["path"] = "invalid".into(),
            format!(r#"{path}.path: Invalid value: "invalid": must be an absolute path"#),
        ),
        (
            |s| {
                s["rules"][0]["http"]["paths"][0]["pathType"] = "Prefix".into();
                s["rules"][0]["http"]["paths"][0]["path"] = "/foo//bar%2f/..".into();
            },
            format!(
                r#"[{path}.path: Invalid value: "/foo//bar%2f/..": must not contain '//', {path}.path: Invalid value: "/foo//bar%2f/..": must not contain '%2f', {path}.path: Invalid value: "/foo//bar%2f/..": cannot end with '/..']"#
            ),
        ),
        (
            |s| s["defaultBackend"]["service"]["port"] = json!({"name": "http", "number": 80}),
            r#"spec.defaultBackend: Invalid value: "": cannot set both port name & port number"#.into(),
        ),
        (
            |s| s["defaultBackend"]["service"]["port"] = Value::Null,
            "spec.defaultBackend: Required value: port name or number is required".into(),
        ),
        (
            |s| s["defaultBackend"]["service"]["port"] = json!({"number": 65536}),
            "spec.defaultBackend.service.port.number: Invalid value: 65536: must be between 1 and 65535, inclusive".into(),
        ),
        (
            |s| s["defaultBackend"]["service"]["name"] = "".into(),
            "spec.defaultBackend.service.name: Required value".into(),
        ),
        (
            |s| s["defaultBackend"]["resource"] = json!({"kind": "K", "name": "n"}),
            r#"spec.defaultBackend: Invalid value: "": cannot set both resource and service backends"#.into(),
        ),
        (
            |s| s["defaultBackend"] = json!({}),
            r#"spec.defaultBackend: Invalid value: "": resource or service backend is required"#.into(),
        ),
        (
            |s| s["defaultBackend"] = json!({"resource": {"kind": "a/b", "name": ""}}),
            r#"[spec.defaultBackend.resource.kind: Invalid value: "a/b": may not contain '/', spec.defaultBackend.resource.name: Required value]"#.into(),
        ),
    ];
    for (change, message) in invalid {
        assert_eq!(refusals(Kind::INGRESS, ingress(change)), message);
    }
    let mut two = ingress(|s| s["ingressClassName"] = "a".into());
    two["metadata"]["annotations"]["kubernetes.io/ingress.class"] = "b".into();
    assert_eq!(
        refusals(Kind::INGRESS, two.clone()),
        r#"annotations.kubernetes.io/ingress.class: Invalid value: "b": must match `ingressClassName` when both are specified"#
    );
    // An update may leave it so.
    assert_eq!(validate_update(&object(Kind::INGRESS, two.clone()), &object(Kind::INGRESS, two)), []);
}

#[test]
fn an_ingress_status_names_addresses_and_hosts() {
    let with = |point: Value| {
        let mut body = ingress(|_| {});
        body["status"] = json!({"loadBalancer": {"ingress": [point]}});
        object(Kind::INGRESS, body)
    };
    let at = "status.loadBalancer.ingress[0]";
    for (point, message) in [
        (json!({"ip": "127.0.0.1", "hostname": "foo.bar.com"}), String::new()),
        (
            json!({"ip": "127.0.0.300"}),
            format!(
                r#"{at}.ip: Invalid value: "127.0.0.300": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"#
            ),
        ),
        (
            json!({"hostname": "127.0.0.1"}),
            format!(r#"{at}.hostname: Invalid value: "127.0.0.1": must be a DNS name, not an IP address"#),
        ),
    ] {
        assert_eq!(said(&validate_status_update(&with(point), &with(json!({})))), message);
    }
    // What was there before is not looked at again.
    let old = with(json!({"ip": "10.0.0.01"}));
    assert_eq!(validate_status_update(&old, &old), []);
}

#[test]
fn ingress_classes() {
    let class = |spec: Value| json!({"spec": spec});
    let at = "spec.parameters";
    for (spec, message) in [
        (json!({"controller": "foo.co/bar"}), String::new()),
        (json!({"controller": "foo.co/bar", "parameters": {"kind": "K", "name": "n"}}), String::new()),
        (json!({}), "spec.controller: Required value".into()),
        (
            json!({"controller": "foo.co"}),
            r#"spec.controller: Invalid value: "foo.co": must be a domain-prefixed path (such as "acme.io/foo")"#
                .into(),
        ),
        (
            json!({"controller": "foo.co/Foo BAR"}),
            r#"spec.controller: Invalid value: "Foo BAR": Invalid path (regex used for validation is '[A-Za-z0-9/\-._~%!$&'()*+,;=:]+')"#.into(),
        ),
        (
            json!({"controller": format!("foo.co/{}", "a".repeat(243))}), String::new(),
        ),
        (
            json!({"controller": format!("foo.co/{}", "a".repeat(244))}),
            "spec.controller: Too long: may not be more than 250 bytes".into(),
        ),
        (
            json!({"controller": "a.b/c", "parameters": {"kind": "", "name": "a%b"}}),
            format!(r#"[{at}.kind: Required value, {at}.name: Invalid value: "a%b": may not contain '%']"#),
        ),
        (
            json!({"controller": "a.b/c", "parameters": {"kind": "K", "name": "n", "scope": "Namespace"}}),
            format!("{at}.namespace: Required value: `parameters.scope` is set to 'Namespace'"),
        ),
        (
            json!({"controller": "a.b/c", "parameters": {"kind": "K", "name": "n", "namespace": "foo"}}),
            format!("{at}.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"),
        ),
        (
            json!({"controller": "a.b/c", "parameters": {"kind": "K", "name": "n", "scope": "bad"}}),
            format!(r#"{at}.scope: Unsupported value: "bad": supported values: "Cluster", "Namespace""#),
        ),
    ] {
        assert_eq!(refusals(Kind::INGRESS_CLASS, class(spec)), message);
    }
    let [old, new] = ["foo.co/bar", "foo.co/different"]
        .map(|controller| object(Kind::INGRESS_CLASS, class(json!({"controller": controller}))));
    assert_eq!(
        aggregate(&validate_update(&new, &old)),
        r#"spec.controller: Invalid value: "foo.co/different": field is immutable"#
    );
}

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
            format!("{port}.endPort: Invalid value: 70: must be greater than or equal to `port`"),
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

#[test]
fn replication_controllers() {
    let spec =
        json!({"spec": {"containers": [{"name": "c", "image": "i"}]}, "metadata": {"labels": {"a": "b"}}});
    let with =
        |selector: Value, template: Value| json!({"spec": {"selector": selector, "template": template}});
    // What is not said is as the pods are.
    let made = object(Kind::REPLICATION_CONTROLLER, with(Value::Null, spec.clone())).to_value();
    assert_eq!(
        (&made["spec"]["selector"], &made["metadata"]["labels"]),
        (&json!({"a": "b"}), &json!({"a": "b"}))
    );
    assert_eq!(made["spec"]["replicas"], 1);
    let mut once = spec.clone();
    once["spec"]["restartPolicy"] = "Never".into();
    once["spec"]["activeDeadlineSeconds"] = 3.into();
    for (body, message) in [
        (with(Value::Null, spec.clone()), ""),
        (
            with(json!({"z": "y"}), spec),
            r#"spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`"#,
        ),
        (with(Value::Null, Value::Null), "[spec.selector: Required value, spec.template: Required value]"),
        (
            with(Value::Null, once),
            r#"[spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always", spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported]"#,
        ),
    ] {
        assert_eq!(refusals(Kind::REPLICATION_CONTROLLER, body), message);
    }
}
