//! After `pkg/apis/networking/validation/validation_test.go`.

use serde_json::{Value, json};

use super::{object, refusals};
use crate::api::Kind;
use crate::apiserver::rest::validate_update;
use crate::apiserver::validation::aggregate;

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
