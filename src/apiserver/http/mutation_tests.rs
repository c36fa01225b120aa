//! Mutating admission policies as clients meet them.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::tests::{APPLY, send, server, value};
use crate::api::Timestamp;
use crate::apimachinery::HttpResponse;
use crate::apiserver::ApiServer;

const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const MERGE: &str = "application/merge-patch+json";

fn post(api: &mut ApiServer, path: &str, body: &Value) -> HttpResponse {
    send(api, "POST", path, "", "", body)
}

fn configures(expression: &str) -> Value {
    json!({"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}})
}

fn patches(expression: &str) -> Value {
    json!({"patchType": "JSONPatch", "jsonPatch": {"expression": expression}})
}

/// A policy about new and changed objects of a resource, with more in its spec.
fn policy(name: &str, resource: &str, mutations: &[Value], more: Value) -> Value {
    let rule = json!({"apiGroups": ["*"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": [resource]});
    let mut spec = json!({"matchConstraints": {"resourceRules": [rule]}, "mutations": mutations, "reinvocationPolicy": "Never"});
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"metadata": {"name": name}, "spec": spec})
}

/// Stores a policy and a binding of the same name.
fn bind(api: &mut ApiServer, policy: &Value, more: Value) {
    let made = post(api, &format!("{GROUP}/mutatingadmissionpolicies"), policy);
    assert_eq!(made.status, 201, "{}", made.body);
    let mut spec = json!({"policyName": policy["metadata"]["name"]});
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let binding = json!({"metadata": {"name": policy["metadata"]["name"]}, "spec": spec});
    let made = post(api, &format!("{GROUP}/mutatingadmissionpolicybindings"), &binding);
    assert_eq!(made.status, 201, "{}", made.body);
}

/// A server with one policy about ConfigMaps.
fn bound(mutations: &[Value], more: Value) -> ApiServer {
    let mut api = server();
    bind(&mut api, &policy("p", "configmaps", mutations, more), json!({}));
    api
}

fn map(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

/// Who owns what of an object, without the times.
fn owners(object: &Value) -> Vec<(Value, Value)> {
    let managers = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    managers.into_iter().map(|m| (m["operation"].clone(), m["fieldsV1"].clone())).collect()
}

/// `dispatchInvocations` of `staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/mutating/dispatcher.go`, `patch/smd.go` and
/// `patch/json_patch.go` beside it.
#[test]
fn mutations_are_applied_one_after_the_other() {
    let mut api = bound(
        &[
            configures("Object{metadata: Object.metadata{labels: {'l': 'v'}}, data: {'one': '1'}}"),
            patches(
                "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'n': string(size(object.data))}},
                JSONPatch{op: 'remove', path: '/data/' + jsonpatch.escapeKey('gone')}]",
            ),
            patches("[JSONPatch{op: 'test', path: '/data/one', value: '2'}, JSONPatch{op: 'remove', path: '/data'}]"),
        ],
        json!({}),
    );
    let made = value(&post(&mut api, MAPS, &map("m", json!({"gone": "x", "own": "y"}))));
    assert_eq!(made["data"], json!({"one": "1", "own": "y"}));
    assert_eq!(made["metadata"]["labels"], json!({"l": "v"}));
    assert_eq!(made["metadata"]["annotations"], json!({"n": "3"}));
    // The fields are of those who sent them, also those that a policy took away.
    let sent = json!({"f:data": {".": {}, "f:gone": {}, "f:own": {}}});
    assert_eq!(owners(&made), [("Update".into(), sent)]);
    let mut unbound = server();
    let alone = policy("p", "configmaps", &[configures("Object{data: {'a': 'b'}}")], json!({}));
    assert_eq!(post(&mut unbound, &format!("{GROUP}/mutatingadmissionpolicies"), &alone).status, 201);
    assert_eq!(value(&post(&mut unbound, MAPS, &map("m", json!({})))).get("data"), None);
}

/// `IgnoreManagedFieldsTimestampsTransformer` of
/// `staging/src/k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager/equality.go`, which is asked after admission.
#[test]
fn what_a_policy_sets_back_is_written_if_somebody_owns_it_newly() {
    let mut api = bound(&[configures("Object{data: {'owner': 'p'}}")], json!({}));
    assert_eq!(post(&mut api, MAPS, &map("m", json!({"a": "b"}))).status, 201);
    let path = format!("{MAPS}/m");
    let mine = json!({"data": {"owner": "me"}});
    let mut patch = |content: &str, query: &str, path: &str, body: &Value| {
        value(&send(&mut api, "PATCH", path, query, content, body))
    };
    let version = |object: &Value| object["metadata"]["resourceVersion"].clone();
    let first = patch(MERGE, "", &path, &mine);
    assert_eq!(first["data"], json!({"a": "b", "owner": "p"}));
    assert_eq!(owners(&first), [("Update".into(), json!({"f:data": {".": {}, "f:a": {}, "f:owner": {}}}))]);
    assert_eq!(version(&patch(MERGE, "", &path, &mine)), version(&first));
    let applied = map("n", json!({"owner": "me"}));
    let path = format!("{MAPS}/n");
    let made = patch(APPLY, "fieldManager=f", &path, &applied);
    assert_eq!(made["data"], json!({"owner": "p"}));
    assert_eq!(owners(&made), [("Apply".into(), json!({"f:data": {"f:owner": {}}}))]);
    assert_eq!(version(&patch(APPLY, "fieldManager=f", &path, &applied)), version(&made));
}

/// `IgnoreManagedFieldsTimestampsTransformer` compares the entries in their order, which `sortEncodedManagedFields` of
/// `k8s.io/apimachinery/pkg/util/managedfields/internal/managedfields.go` makes by time: who writes once more and comes behind
/// another manager by that is a difference.
#[test]
fn what_a_policy_sets_back_is_written_if_its_manager_comes_behind_another_one() {
    let mut api = bound(&[configures("Object{data: {'owner': 'p'}}")], json!({}));
    assert_eq!(post(&mut api, MAPS, &map("m", json!({"owner": "me"}))).status, 201);
    let path = format!("{MAPS}/m");
    let mut patch = |seconds: i64, query: &str, body: &Value| {
        api.now = Timestamp::from_second(seconds).unwrap();
        let answer = value(&send(&mut api, "PATCH", &path, query, MERGE, body));
        answer["metadata"]["resourceVersion"].clone()
    };
    let mine = json!({"data": {"owner": "me"}});
    let others = patch(10, "fieldManager=other", &json!({"metadata": {"labels": {"a": "b"}}}));
    let behind = patch(20, "", &mine);
    assert_ne!(behind, others);
    assert_eq!(patch(30, "", &mine), behind);
}

/// `reinvoker` of `staging/src/k8s.io/apiserver/pkg/admission/reinvocation.go`, `policyReinvokeContext` of
/// `…/policy/mutating/reinvocationcontext.go`.
#[test]
fn a_policy_sees_later_changes_if_it_may_be_asked_again() {
    let seen = |how: &str| {
        let mut api = server();
        let first = configures(
            "Object{data: {'seen': string(has(object.data) && has(object.data.late)), 'times': object.?data.?times.orValue('') + 'x'}}",
        );
        let again = json!({"reinvocationPolicy": how});
        bind(&mut api, &policy("a", "configmaps", &[first], again), json!({}));
        let late = policy("b", "configmaps", &[configures("Object{data: {'late': 'yes'}}")], json!({}));
        bind(&mut api, &late, json!({}));
        value(&post(&mut api, MAPS, &map("m", json!({}))))["data"].clone()
    };
    assert_eq!(seen("Never"), json!({"seen": "false", "times": "x", "late": "yes"}));
    assert_eq!(seen("IfNeeded"), json!({"seen": "true", "times": "xx", "late": "yes"}));
}

/// The plug-ins before the policies are asked once more, too (`reinvoker`), and the object has its defaults
/// (`dispatchOne` of `…/policy/mutating/dispatcher.go`).
#[test]
fn plug_ins_see_what_a_policy_adds() {
    let mut api = server();
    let container = "Object.spec.initContainers{name: 'mesh', image: 'mesh:1', restartPolicy: 'Always'}";
    let expression = format!("Object{{spec: Object.spec{{initContainers: [{container}]}}}}");
    let more = json!({"matchConditions": [{"name": "new", "expression": "request.operation == 'CREATE'"}]});
    bind(&mut api, &policy("sidecar", "pods", &[configures(&expression)], more), json!({}));
    let pods = "/api/v1/namespaces/default/pods";
    let pod =
        json!({"metadata": {"generateName": "p-"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    for _ in 0..2 {
        let made = value(&post(&mut api, pods, &pod));
        let added = &made["spec"]["initContainers"][0];
        assert_eq!(added["imagePullPolicy"], "IfNotPresent", "{made}");
        let mount = &made["spec"]["containers"][0]["volumeMounts"][0];
        assert_eq!(added["volumeMounts"][0], *mount);
        assert_eq!(made["spec"]["volumes"].as_array().unwrap().len(), 1);
    }
}

/// `PolicyError` and `Dispatch` of `…/policy/generic/policy_dispatcher.go`; the words of what cannot be applied are those of
/// `…/policy/mutating/patch`.
#[test]
fn what_cannot_be_applied_fails_by_policy() {
    let said = |mutation: &Value, failure: &str| {
        let mut api = bound(std::slice::from_ref(mutation), json!({"failurePolicy": failure}));
        let answer = post(&mut api, MAPS, &map("m", json!({"a": "b"})));
        (answer.status, value(&answer))
    };
    for (mutation, why) in [
        (
            patches("[JSONPatch{op: 'remove', path: '/data/nothing'}]"),
            "JSON Patch: error in remove for path: '/data/nothing': Unable to remove nonexistent key: nothing: missing value",
        ),
        (
            configures("Object{nothing: 1}"),
            "error applying patch: failed to convert patch object to typed object: .nothing: field not declared in schema",
        ),
        (
            configures("Object{data: Object.date{a: 'b'}}"),
            "type mismatch: unexpected type name \"Object.date\", expected \"Object.data\", which matches field name path from root Object type",
        ),
        (
            configures("Object{data: {'a': object.data.b}}"),
            "expression 'Object{data: {'a': object.data.b}}' resulted in error: no such key: b",
        ),
    ] {
        let (status, answer) = said(&mutation, "Fail");
        let message = format!("policy 'p' with binding 'p' denied request: {why}");
        assert_eq!((status, &answer["reason"]), (403, &"Invalid".into()), "{answer}");
        assert_eq!(answer["message"], message);
        let causes = json!([{"message": message}]);
        assert_eq!(answer["details"], json!({"name": "m", "kind": "configmaps", "causes": causes}));
        let (status, made) = said(&mutation, "Ignore");
        assert_eq!((status, &made["data"]), (201, &json!({"a": "b"})));
    }
    // What a JSON patch leads to is decoded strictly, and an error of that is one of the server.
    let unknown = patches("[JSONPatch{op: 'add', path: '/datas', value: {'a': 'b'}}]");
    for failure in ["Fail", "Ignore"] {
        let (status, answer) = said(&unknown, failure);
        let why = "Internal error occurred: strict decoding error: unknown field \"datas\"";
        assert_eq!((status, &answer["message"]), (500, &why.into()));
    }
    // The object that a policy leads to is validated.
    assert_eq!(said(&configures("Object{data: {'bad key': 'x'}}"), "Ignore").0, 422);
    let mut api = bound(
        &[configures("Object{}")],
        json!({"paramKind": {"apiVersion": "example.com/v1", "kind": "Limit"}}),
    );
    let answer = value(&post(&mut api, MAPS, &map("m", json!({}))));
    let why = "failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'";
    assert_eq!(answer["message"], format!("policy \"p\" denied request: {why}"));
    assert_eq!(answer["reason"], "Forbidden");
}

/// The order of `AllOrderedPlugins` (`pkg/kubeapiserver/options/plugins.go`); params as `CollectParams` of
/// `…/policy/generic/policy_dispatcher.go` finds them.
#[test]
fn validating_policies_see_what_mutating_ones_made() {
    let mut api = server();
    let secret = json!({"metadata": {"name": "limit", "labels": {"team": "t"}}});
    assert_eq!(post(&mut api, "/api/v1/namespaces/default/secrets", &secret).status, 201);
    let mutation = configures("Object{data: {'team': variables.team, 'user': object.data.own}}");
    let more = json!({"paramKind": {"apiVersion": "v1", "kind": "Secret"},
        "variables": [{"name": "team", "expression": "params.metadata.labels.team"}]});
    let params = json!({"paramRef": {"name": "limit", "parameterNotFoundAction": "Deny"}});
    bind(&mut api, &policy("p", "configmaps", &[mutation], more), params);
    let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]});
    let strict = json!({"metadata": {"name": "v"}, "spec": {"matchConstraints": {"resourceRules": [rule]},
        "validations": [{"expression": "object.data.team == 't' && object.data.own != 'bad'"}]}});
    assert_eq!(post(&mut api, &format!("{GROUP}/validatingadmissionpolicies"), &strict).status, 201);
    let binding =
        json!({"metadata": {"name": "v"}, "spec": {"policyName": "v", "validationActions": ["Deny"]}});
    assert_eq!(post(&mut api, &format!("{GROUP}/validatingadmissionpolicybindings"), &binding).status, 201);
    let made = value(&post(&mut api, MAPS, &map("m", json!({"own": "o"}))));
    assert_eq!(made["data"], json!({"own": "o", "team": "t", "user": "o"}));
    assert_eq!(post(&mut api, MAPS, &map("n", json!({"own": "bad"}))).status, 422);
    // The request keeps the name that it came with; the object is stored by the one that it has then.
    let mut api = bound(&[configures("Object{metadata: Object.metadata{name: 'other'}}")], json!({}));
    assert_eq!(value(&post(&mut api, MAPS, &map("m", json!({}))))["metadata"]["name"], "other");
    assert_eq!(send(&mut api, "GET", &format!("{MAPS}/m"), "", "", &Value::Null).status, 404);
}

/// A policy may look at the status of an object alone, and at what it has before the change (`policy/matching`).
#[test]
fn a_subresource_is_changed_by_policies_about_it() {
    let mut api = server();
    let deployments = super::tests::DEPLOYMENTS;
    let mutation = configures(
        "Object{status: Object.status{observedGeneration: oldObject.metadata.generation + 5}, metadata: Object.metadata{labels: {'x': 'y'}}}",
    );
    bind(&mut api, &policy("p", "deployments/status", &[mutation], json!({})), json!({}));
    assert_eq!(post(&mut api, deployments, &super::tests::deployment("web", 1)).status, 201);
    let path = format!("{deployments}/web/status");
    let patched = value(&send(&mut api, "PATCH", &path, "", MERGE, &json!({"status": {"replicas": 1}})));
    assert_eq!(patched["status"], json!({"observedGeneration": 6, "replicas": 1}));
    assert_eq!(patched["metadata"].get("labels"), None);
}

/// `pkg/apis/admissionregistration/validation/validation.go`.
#[test]
fn a_policy_that_cannot_work_is_refused() {
    let mut api = server();
    let mut refused = |path: &str, body: &Value| -> Vec<String> {
        let answer = value(&post(&mut api, &format!("{GROUP}/{path}"), body));
        let causes = answer["details"]["causes"].as_array().cloned().unwrap_or_default();
        let text = |c: &Value, key: &str| c[key].as_str().unwrap_or_default().to_owned();
        causes.iter().map(|c| format!("{}: {}", text(c, "field"), text(c, "message"))).collect()
    };
    let policies = "mutatingadmissionpolicies";
    let mut both = patches("[JSONPatch{op: 'add'}]");
    both["applyConfiguration"] = json!({"expression": "Object{}"});
    let mutations = [
        configures(" "),
        configures("Object.spec{}"),
        patches(" [1] "),
        patches("jsonpatch.escapeKey(1)"),
        json!({"patchType": "JSONPatch"}),
        json!({"patchType": "Merge"}),
        both,
    ];
    assert_eq!(
        refused(policies, &policy("p", "configmaps", &mutations, json!({"reinvocationPolicy": "Sometimes"}))),
        [
            "spec.mutations[0].applyConfiguration.expression: Required value",
            r#"spec.mutations[1].applyConfiguration.expression: Invalid value: "Object.spec{}": must evaluate to Object but got Object.spec"#,
            r#"spec.mutations[2].jsonPatch.expression: Invalid value: "[1]": must evaluate to list(JSONPatch) but got list(int)"#,
            "spec.mutations[3].jsonPatch.expression: Invalid value: \"jsonpatch.escapeKey(1)\": compilation failed: ERROR: <input>:1:20: found no matching overload for 'jsonpatch.escapeKey' applied to '(int)'\n | jsonpatch.escapeKey(1)\n | ...................^",
            "spec.mutations[4].jsonPatch: Required value: must be specified when patchType is JSONPatch",
            r#"spec.mutations[5].patchType: Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch""#,
            r#"spec.mutations[6].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch"#,
            r#"spec.reinvocationPolicy: Unsupported value: "Sometimes": supported values: "IfNeeded", "Never""#,
        ]
    );
    let mut deletes = policy("p", "configmaps", &[], json!({"reinvocationPolicy": ""}));
    deletes["spec"]["matchConstraints"]["resourceRules"][0]["operations"] = json!(["DELETE"]);
    let operations = r#"Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE""#;
    assert_eq!(
        refused(policies, &deletes),
        [
            &*format!("spec.matchConstraints.resourceRules.operations: {operations}"),
            "spec.mutations: Required value: mutations must contain at least one item",
            "spec.reinvocationPolicy: Required value",
        ]
    );
    let wanted = deletes["spec"]["matchConstraints"].clone();
    let binding = json!({"metadata": {"name": "b"}, "spec": {"matchResources": wanted}});
    assert_eq!(
        refused("mutatingadmissionpolicybindings", &binding),
        [
            "spec.policyName: Required value",
            &*format!("spec.matchResources.resourceRules.operations: {operations}")
        ]
    );
}
