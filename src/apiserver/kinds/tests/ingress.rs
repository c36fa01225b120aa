//! After `pkg/apis/networking/validation/validation_test.go`.

use serde_json::{Value, json};

use super::{Change, object, refusals, said};
use crate::api::Kind;
use crate::apiserver::rest::{validate_status_update, validate_update};

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
