//! Admission policies as clients meet them.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::tests::{send, server, value};
use crate::apimachinery::HttpResponse;
use crate::apiserver::ApiServer;

const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn post(api: &mut ApiServer, path: &str, body: &Value) -> HttpResponse {
    send(api, "POST", path, "", "", body)
}

/// A policy about ConfigMaps, with more in its spec.
fn policy(name: &str, more: Value) -> Value {
    let rule =
        json!({"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]});
    let mut spec = json!({"matchConstraints": {"resourceRules": [rule]}});
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"metadata": {"name": name}, "spec": spec})
}

fn binding(name: &str, more: Value) -> Value {
    let mut spec = json!({"policyName": name, "validationActions": ["Deny"]});
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"metadata": {"name": name}, "spec": spec})
}

/// A server with one policy and one binding of it.
fn bound(of_policy: Value, of_binding: Value) -> ApiServer {
    let mut api = server();
    let made = post(&mut api, &format!("{GROUP}/validatingadmissionpolicies"), &policy("rules", of_policy));
    assert_eq!(made.status, 201, "{}", made.body);
    let path = format!("{GROUP}/validatingadmissionpolicybindings");
    let made = post(&mut api, &path, &binding("rules", of_binding));
    assert_eq!(made.status, 201, "{}", made.body);
    api
}

fn map(name: &str, data: Value) -> Value {
    json!({"metadata": {"name": name}, "data": data})
}

/// The status of an answer, and what comes after the colon that follows the names of policy and binding.
fn said(answer: &HttpResponse) -> (u16, String) {
    let message = value(answer)["message"].as_str().unwrap_or_default().to_owned();
    let said =
        message.rsplit_once("with binding 'rules' denied request: ").map_or(message.as_str(), |(_, m)| m);
    (answer.status, said.to_owned())
}

/// `Dispatch` in `staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/dispatcher.go`, `Validate` in
/// `validator.go` beside it.
#[test]
fn a_rule_that_does_not_hold_refuses() {
    let rules = json!([
        {"expression": "object == null || !('bad' in object.data)", "messageExpression": "'no ' + object.data.bad"},
        {"expression": "object == null || size(object.data) < 3", "message": "too many", "reason": "RequestEntityTooLarge"},
        {"expression": "object != null || oldObject.data.a != 'keep'"},
    ]);
    let mut api = bound(json!({"validations": rules}), json!({}));
    let refused = post(&mut api, MAPS, &map("m", json!({"bad": "luck"})));
    assert_eq!(said(&refused), (422, "no luck".to_owned()));
    let message = "ValidatingAdmissionPolicy 'rules' with binding 'rules' denied request: no luck";
    assert_eq!(
        value(&refused)["details"],
        json!({"name": "m", "kind": "configmaps", "causes": [{"message": message}]})
    );
    assert_eq!(value(&refused)["reason"], "Invalid");
    let many = post(&mut api, MAPS, &map("m", json!({"a": "1", "b": "2", "c": "3"})));
    assert_eq!(said(&many), (413, "too many".to_owned()));
    assert_eq!(post(&mut api, MAPS, &map("m", json!({"a": "keep"}))).status, 201);
    let path = format!("{MAPS}/m");
    let patched =
        send(&mut api, "PATCH", &path, "", "application/merge-patch+json", &json!({"data": {"bad": "x"}}));
    assert_eq!(said(&patched), (422, "no x".to_owned()));
    let failed = "failed expression: object != null || oldObject.data.a != 'keep'";
    assert_eq!(said(&send(&mut api, "DELETE", &path, "", "", &Value::Null)), (422, failed.to_owned()));
    let all = send(&mut api, "DELETE", MAPS, "", "", &Value::Null);
    assert_eq!(said(&all), (422, failed.to_owned()));
    // The request for all of them has no name (`AdmissionToValidateObjectDeleteFunc` of `registry/rest/delete.go`).
    assert_eq!(value(&all)["details"]["name"], "Unknown");
    assert_eq!(post(&mut api, "/api/v1/namespaces/default/secrets", &map("m", json!({}))).status, 201);
}

/// `AdmissionToValidateObjectFunc` of `staging/src/k8s.io/apiserver/pkg/registry/rest/create.go`: a name that was generated is there.
#[test]
fn a_rule_sees_the_name_that_was_generated() {
    let rules = json!([{"expression": "false", "messageExpression": "'not ' + request.name"}]);
    let mut api = bound(json!({"validations": rules}), json!({}));
    let refused = post(&mut api, MAPS, &json!({"metadata": {"generateName": "m-"}}));
    let (code, said) = said(&refused);
    assert!(code == 422 && said.starts_with("not m-") && said.len() == "not m-".len() + 5, "{said}");
}

/// `ForInput` in `…/admission/plugin/cel/condition.go`, `Callback` in `composition.go`, `Match` in
/// `…/plugin/webhook/matchconditions/matcher.go`.
#[test]
fn expressions_name_variables_and_fail_by_policy() {
    let variables = json!([
        {"name": "data", "expression": "has(object.data) ? object.data : {}"},
        {"name": "n", "expression": "int(variables.data.n)"},
    ]);
    let rules = json!([{"expression": "variables.n < 5"}]);
    let conditions =
        json!([{"name": "here", "expression": "request.operation == 'CREATE' && namespaceObject == null"}]);
    let spec = json!({"variables": variables, "validations": rules, "matchConditions": conditions});
    let mut api = bound(spec.clone(), json!({}));
    assert_eq!(post(&mut api, MAPS, &map("m", json!({"n": "4"}))).status, 201);
    let failed = |why: &str| (422, format!("expression 'variables.n < 5' resulted in error: {why}"));
    let text = post(&mut api, MAPS, &map("n", json!({"n": "x"})));
    assert_eq!(
        said(&text),
        failed("composited variable \"n\" fails to evaluate: type conversion error from 'string' to 'int'")
    );
    let mut lax = spec;
    lax["failurePolicy"] = "Ignore".into();
    let mut api = bound(lax, json!({}));
    assert_eq!(post(&mut api, MAPS, &map("n", json!({"n": "x"}))).status, 201);
    assert_eq!(
        said(&post(&mut api, MAPS, &map("m", json!({"n": "7"})))).1,
        "failed expression: variables.n < 5"
    );
}

/// `CollectParams` in `…/admission/plugin/policy/generic/policy_dispatcher.go`.
#[test]
fn a_binding_names_params() {
    let spec = json!({"paramKind": {"apiVersion": "v1", "kind": "Secret"},
        "validations": [{"expression": "params == null || params.metadata.name != object.metadata.name"}]});
    let by_name =
        json!({"paramRef": {"name": "p", "namespace": "default", "parameterNotFoundAction": "Deny"}});
    let mut api = bound(spec.clone(), by_name);
    let missing = post(&mut api, MAPS, &map("p", json!({})));
    let why =
        "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    assert_eq!(said(&missing), (422, why.to_owned()));
    let secrets = "/api/v1/namespaces/default/secrets";
    post(&mut api, secrets, &json!({"metadata": {"name": "p"}}));
    assert_eq!(post(&mut api, MAPS, &map("p", json!({}))).status, 422);
    assert_eq!(post(&mut api, MAPS, &map("q", json!({}))).status, 201);
    let selected =
        json!({"paramRef": {"selector": {"matchLabels": {"a": "b"}}, "parameterNotFoundAction": "Allow"}});
    let mut api = bound(spec, selected);
    assert_eq!(post(&mut api, MAPS, &map("p", json!({}))).status, 201);
    post(&mut api, secrets, &json!({"metadata": {"name": "r", "labels": {"a": "b"}}}));
    assert_eq!(post(&mut api, MAPS, &map("r", json!({}))).status, 422);
    let spec = json!({"paramKind": {"apiVersion": "example.com/v1", "kind": "Limit"}, "validations": [{"expression": "true"}]});
    let mut api = bound(spec, json!({}));
    let unknown = value(&post(&mut api, MAPS, &map("m", json!({}))));
    assert_eq!(
        unknown["message"],
        "configmaps \"m\" is forbidden: ValidatingAdmissionPolicy 'rules' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'"
    );
}

/// `Matches` in `…/admission/plugin/policy/matching/matching.go` and in `…/webhook/predicates/rules/rules.go`.
#[test]
fn policies_look_at_what_their_constraints_name() {
    let rule = |version: &str, resource: &str| json!({"apiGroups": ["*"], "apiVersions": [version], "operations": ["UPDATE"], "resources": [resource]});
    let never = json!([{"expression": "false", "message": "never"}]);
    let of = |constraints: Value| json!({"matchConstraints": constraints, "validations": never});
    let deployments = super::tests::DEPLOYMENTS;
    let path = format!("{deployments}/web");
    let patched = |api: &mut ApiServer, part: &str| {
        assert_eq!(post(api, deployments, &super::tests::deployment("web", 1)).status, 201);
        let patch = json!({"spec": {"replicas": 3}});
        send(api, "PATCH", &format!("{path}{part}"), "", "application/merge-patch+json", &patch).status
    };
    for (resource, itself, scale) in
        [("deployments", 422, 200), ("deployments/scale", 200, 422), ("*/*", 422, 422)]
    {
        let constraints = json!({"resourceRules": [rule("v1", resource)]});
        assert_eq!(patched(&mut bound(of(constraints.clone()), json!({})), ""), itself, "{resource}");
        assert_eq!(patched(&mut bound(of(constraints), json!({})), "/scale"), scale, "{resource}");
    }
    // A scaler is the same in each of its versions, if that does not matter.
    let scaler = json!({"metadata": {"name": "s"}, "spec": {"maxReplicas": 2, "scaleTargetRef": {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}}});
    let scalers = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    for (how, status) in [("Equivalent", 422), ("Exact", 200)] {
        let constraints =
            json!({"matchPolicy": how, "resourceRules": [rule("v1", "horizontalpodautoscalers")]});
        let mut api = bound(of(constraints), json!({}));
        assert_eq!(post(&mut api, scalers, &scaler).status, 201);
        let patch = json!({"spec": {"maxReplicas": 3}});
        let path = format!("{scalers}/s");
        let patched = send(&mut api, "PATCH", &path, "", "application/merge-patch+json", &patch);
        assert_eq!(patched.status, status, "{}", patched.body);
    }
}

/// `Dispatch`: what warns and what is audited lets the request through. A policy that no binding names is not asked.
#[test]
fn a_binding_says_what_becomes_of_a_refusal() {
    let never = json!({"validations": [{"expression": "false", "message": "never"}]});
    let mut api = bound(never.clone(), json!({"validationActions": ["Warn", "Audit"]}));
    let made = post(&mut api, MAPS, &map("m", json!({})));
    assert_eq!(made.status, 201);
    assert_eq!(
        made.warnings,
        [r#"299 - "Validation failed for ValidatingAdmissionPolicy 'rules' with binding 'rules': never""#]
    );
    // A refusal does not take back what another binding warns of.
    let path = format!("{GROUP}/validatingadmissionpolicybindings");
    let mut strict = binding("rules", json!({}));
    strict["metadata"]["name"] = "strict".into();
    assert_eq!(post(&mut api, &path, &strict).status, 201);
    let refused = post(&mut api, MAPS, &map("n", json!({})));
    assert_eq!((refused.status, refused.warnings), (422, made.warnings));
    let elsewhere = json!({"matchResources": {"namespaceSelector": {"matchLabels": {"strict": "yes"}}}});
    let mut api = bound(never, elsewhere);
    assert_eq!(post(&mut api, MAPS, &map("m", json!({}))).status, 201);
    let label = json!({"metadata": {"labels": {"strict": "yes"}}});
    let path = "/api/v1/namespaces/default";
    assert_eq!(send(&mut api, "PATCH", path, "", "application/merge-patch+json", &label).status, 200);
    assert_eq!(said(&post(&mut api, MAPS, &map("n", json!({})))), (422, "never".to_owned()));
}

/// `pkg/apis/admissionregistration/validation/validation.go`, `pkg/apis/admissionregistration/v1/defaults.go`.
#[test]
fn a_policy_that_cannot_work_is_refused() {
    let mut api = server();
    let mut refused = |more: Value| -> Vec<String> {
        let path = format!("{GROUP}/validatingadmissionpolicies");
        let answer = value(&post(&mut api, &path, &policy("p", more)));
        let causes = answer["details"]["causes"].as_array().cloned().unwrap_or_default();
        let text = |c: &Value, key: &str| c[key].as_str().unwrap_or_default().to_owned();
        causes.iter().map(|c| format!("{}: {}", text(c, "field"), text(c, "message"))).collect()
    };
    assert_eq!(
        refused(json!({"validations": [{"expression": "object.a", "messageExpression": "authorizer"}]})),
        [
            r#"spec.validations[0].expression: Invalid value: "object.a": must evaluate to bool but got dyn"#,
            "spec.validations[0].messageExpression: Invalid value: \"authorizer\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'authorizer' (in container '')\n | authorizer\n | ^",
        ]
    );
    assert_eq!(
        refused(json!({"matchConstraints": {"resourceRules": [
            {"apiGroups": ["*", "apps"], "apiVersions": [], "operations": ["*", "GET"], "resources": ["pods/*", "pods/log", "*"], "scope": "Some"}]},
            "validations": [{"expression": " "}], "paramKind": {"apiVersion": "a/b/c"}})),
        [
            r#"spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c"#,
            "spec.paramKind.kind: Required value",
            r#"spec.matchConstraints.resourceRules[0].operations: Invalid value: ["*","GET"]: if '*' is present, must not specify other operations"#,
            r#"spec.matchConstraints.resourceRules[0].operations[1]: Unsupported value: "GET": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE""#,
            r#"spec.matchConstraints.resourceRules[0].apiGroups: Invalid value: ["*","apps"]: if '*' is present, must not specify other API groups"#,
            "spec.matchConstraints.resourceRules[0].apiVersions: Required value",
            r#"spec.matchConstraints.resourceRules[0].resources[1]: Invalid value: "pods/log": if 'pods/*' is present, must not specify pods/log"#,
            r#"spec.matchConstraints.resourceRules[0].scope: Unsupported value: "Some": supported values: "*", "Cluster", "Namespaced""#,
            "spec.validations[0].expression: Required value: expression is not specified",
        ]
    );
    let long = "a".repeat(5121);
    assert_eq!(
        refused(
            json!({"auditAnnotations": [{"key": "k", "valueExpression": "null"}, {"key": "k", "valueExpression": long}]})
        ),
        [
            "spec.auditAnnotations[1].valueExpression: Required value: must not exceed 5120 bytes in length",
            r#"spec.auditAnnotations[1].key: Duplicate value: "k""#,
        ]
    );
}

/// `policy/generic/policy_source.go`, `compilePolicyLocked`: a policy is compiled when it is new or its spec is another one, not for each
/// request.
#[test]
fn a_policy_is_compiled_once() {
    let rules = |text: &str| json!({"validations": [{"expression": text}]});
    let mut api = bound(rules("object.metadata.name != 'no'"), json!({}));
    let before = api.compiled_policies.count();
    for i in 0..20 {
        assert_eq!(post(&mut api, MAPS, &map(&format!("m{i}"), json!({}))).status, 201);
    }
    assert_eq!(api.compiled_policies.count() - before, 1);
    // A copy of the server has it, too, and a label of the policy does not count.
    let path = format!("{GROUP}/validatingadmissionpolicies/rules");
    let label = json!({"metadata": {"labels": {"a": "b"}}});
    let mut copy = api.clone();
    let patched = send(&mut copy, "PATCH", &path, "", "application/merge-patch+json", &label);
    assert_eq!(patched.status, 200, "{}", patched.body);
    assert_eq!(post(&mut copy, MAPS, &map("no", json!({}))).status, 422);
    assert_eq!(api.compiled_policies.count() - before, 1);
    // Another spec does, and each server goes by its own.
    let spec = json!({"spec": rules("object.metadata.name != 'never'")});
    let patched = send(&mut copy, "PATCH", &path, "", "application/merge-patch+json", &spec);
    assert_eq!(patched.status, 200, "{}", patched.body);
    assert_eq!(post(&mut copy, MAPS, &map("no", json!({}))).status, 201);
    assert_eq!(post(&mut copy, MAPS, &map("never", json!({}))).status, 422);
    assert_eq!(post(&mut api, MAPS, &map("no", json!({}))).status, 422);
    assert_eq!(api.compiled_policies.count() - before, 3);
}
