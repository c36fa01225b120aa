//! Facts of the API server's source that no recording has, one request each.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::http;
use crate::api::{Kind, ObjectRef};
use crate::apimachinery::{HttpRequest, HttpResponse};
use crate::apiserver::ApiServer;

fn server() -> ApiServer {
    let mut api = ApiServer::new(1);
    ask(&mut api, "POST", "/api/v1/namespaces", &json!({"metadata": {"name": "default"}}));
    let range = json!({"metadata": {"name": "kubernetes"}, "spec": {"cidrs": ["10.96.0.0/16"]}});
    ask(&mut api, "POST", "/apis/networking.k8s.io/v1/servicecidrs", &range);
    ask(&mut api, "POST", "~/serviceaccounts", &json!({"metadata": {"name": "default"}}));
    api
}

/// `~` is the namespace; a query may follow a question mark, a content type a blank.
fn ask(api: &mut ApiServer, method: &str, path: &str, body: &Value) -> HttpResponse {
    let (path, content_type) = path.split_once(' ').unwrap_or((path, ""));
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let path = match path.strip_prefix('~') {
        Some(rest) => format!("/api/v1/namespaces/default{rest}"),
        None => path.replace('~', "/namespaces/default"),
    };
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    let request = HttpRequest {
        method: method.into(),
        path,
        query: query.into(),
        content_type: content_type.into(),
        body,
        ..HttpRequest::default()
    };
    http(api, &request)
}

fn json_of(answer: &HttpResponse) -> Value {
    serde_json::from_str(&answer.body).unwrap()
}

/// The status and the message of a refusal.
fn refusal(answer: &HttpResponse) -> (u16, String) {
    (answer.status, json_of(answer)["message"].as_str().unwrap_or_default().to_owned())
}

fn service(name: &str, spec: Value) -> Value {
    let mut value =
        json!({"metadata": {"name": name}, "spec": {"ports": [{"port": 80}], "selector": {"a": "b"}}});
    for (k, v) in spec.as_object().unwrap() {
        value["spec"][k] = v.clone();
    }
    value
}

fn pod(name: &str) -> Value {
    json!({"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
}

#[test]
fn what_cannot_be_allocated_is_refused_before_anything_else() {
    let mut api = server();
    let mut refused = |spec: Value| refusal(&ask(&mut api, "POST", "~/services", &service("S", spec))).1;
    let two = |a: i32, b: i32| json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": a, "name": "a"}, {"port": 81, "nodePort": b, "name": "b"}]});
    for (spec, message) in [
        (
            json!({"ipFamilies": ["IPv6"]}),
            r#"spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster"#,
        ),
        (
            json!({"ipFamilyPolicy": "RequireDualStack"}),
            r#"spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services"#,
        ),
        (
            json!({"clusterIP": "fd00::1"}),
            r#"spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster"#,
        ),
        (
            json!({"clusterIPs": ["10.96.0.9"]}),
            r#"spec.clusterIPs: Invalid value: ["10.96.0.9"]: must be empty when `clusterIP` is not specified"#,
        ),
        (
            two(30000, 30000),
            "spec.ports[1].nodePort: Invalid value: 30000: provided port is already allocated",
        ),
        (
            two(30000, 1),
            "spec.ports[1].nodePort: Invalid value: 1: provided port is not in the valid range. The range of valid ports is 30000-32767",
        ),
    ] {
        // The name is invalid too, but nobody looks at it.
        assert_eq!(refused(spec), format!("Service \"S\" is invalid: {message}"));
    }
}

#[test]
fn a_service_gets_what_its_type_needs() {
    let mut api = server();
    let both = json!({"type": "NodePort", "ports": [{"port": 53, "name": "u", "protocol": "UDP"}, {"port": 53, "name": "t"}]});
    let dns = json_of(&ask(&mut api, "POST", "~/services", &service("dns", both)));
    // One port for both protocols.
    assert_eq!(dns["spec"]["ports"][0]["nodePort"], dns["spec"]["ports"][1]["nodePort"]);
    let local = json!({"type": "LoadBalancer", "externalTrafficPolicy": "Local"});
    let lb = json_of(&ask(&mut api, "POST", "~/services", &service("lb", local)));
    let check = &lb["spec"]["healthCheckNodePort"];
    assert!(check.is_i64() && *check != lb["spec"]["ports"][0]["nodePort"], "{lb}");
    // It goes again with the policy, although the client leaves it where it was.
    let patch = json!({"spec": {"externalTrafficPolicy": "Cluster"}});
    let lb = ask(&mut api, "PATCH", "~/services/lb application/merge-patch+json", &patch);
    assert_eq!((lb.status, &json_of(&lb)["spec"]["healthCheckNodePort"]), (200, &Value::Null));
    let nowhere = json!({"clusterIP": "None", "selector": null, "ports": null});
    let nowhere = json_of(&ask(&mut api, "POST", "~/services", &service("nowhere", nowhere)));
    assert_eq!(nowhere["spec"]["ipFamilies"], json!(["IPv4", "IPv6"]));
    assert_eq!(nowhere["spec"]["ipFamilyPolicy"], "RequireDualStack");
    let made = ask(&mut api, "PUT", "~/services/new", &service("new", json!({})));
    assert_eq!(made.status, 201, "a PUT makes a Service");
}

/// `validateServiceExternalTrafficFieldsUpdate` in `pkg/apis/core/validation/validation.go`: the allocator
/// (`updateHealthCheckNodePort` in `pkg/registry/core/service/storage/alloc.go`) has nothing to say of another port.
#[test]
fn the_port_for_health_checks_stays() {
    let mut api = server();
    let local = json!({"type": "LoadBalancer", "externalTrafficPolicy": "Local"});
    assert_eq!(ask(&mut api, "POST", "~/services", &service("lb", local)).status, 201);
    let patch = json!({"spec": {"healthCheckNodePort": 32123}});
    let refused = refusal(&ask(&mut api, "PATCH", "~/services/lb application/merge-patch+json", &patch));
    let why = r#"Service "lb" is invalid: spec.healthCheckNodePort: Forbidden: field is immutable"#;
    assert_eq!(refused, (422, why.into()));
}

/// `allocIPs` in `pkg/registry/core/service/storage/alloc.go`: it is the server's fault only that all ranges are full.
#[test]
fn an_address_that_there_is_not() {
    let mut api = server();
    ask(&mut api, "DELETE", "/apis/networking.k8s.io/v1/servicecidrs/kubernetes", &Value::Null);
    let refused = refusal(&ask(&mut api, "POST", "~/services", &service("s", json!({}))));
    let why = "Internal error occurred: failed to allocate a serviceIP: range is full";
    assert_eq!(refused, (500, why.into()));
    let refused = refusal(&ask(&mut api, "POST", "~/services?dryRun=All", &service("s", json!({}))));
    let why = r#"Service "s" is invalid: spec.clusterIPs: Invalid value: null: failed to allocate IP: allocator not ready"#;
    assert_eq!(refused, (422, why.into()));
}

#[test]
fn who_makes_an_object_does_not_choose_its_version() {
    let mut api = server();
    let map = |rv: &str| json!({"metadata": {"name": "m", "resourceVersion": rv}});
    let refused = refusal(&ask(&mut api, "POST", "~/configmaps", &map("5")));
    assert_eq!(refused, (500, "resourceVersion should not be set on objects to be created".into()));
    assert_eq!(ask(&mut api, "POST", "~/configmaps?dryRun=All", &map("5")).status, 201);
    assert_eq!(ask(&mut api, "POST", "~/configmaps", &map("abc")).status, 201);
    // The uid is a precondition, and so is looked at before the version.
    let other = json!({"metadata": {"name": "m", "resourceVersion": "1", "uid": "x"}});
    let refused = refusal(&ask(&mut api, "PUT", "~/configmaps/m", &other));
    assert!(refused.1.contains("Precondition failed: UID in precondition: x"), "{refused:?}");
    let lease = json!({"metadata": {"name": "l"}, "spec": {}});
    let leases = "/apis/coordination.k8s.io/v1~/leases";
    assert_eq!(ask(&mut api, "POST", leases, &lease).status, 201);
    let refused = refusal(&ask(&mut api, "PUT", &format!("{leases}/l"), &lease));
    let message = r#"leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update"#;
    assert_eq!(refused, (422, message.into()));
}

/// `updateState` and `GuaranteedUpdate` in `staging/src/k8s.io/apiserver/pkg/storage/etcd3/store.go`: what an update or an apply
/// creates may have a version, but no uid.
#[test]
fn an_update_that_creates_is_not_held_to_a_version() {
    let mut api = server();
    let leases = "/apis/coordination.k8s.io/v1~/leases";
    let mut put = |name: &str, key: &str, text: &str| {
        let lease = json!({"metadata": {"name": name, key: text}, "spec": {}});
        let answer = ask(&mut api, "PUT", &format!("{leases}/{name}"), &lease);
        (refusal(&answer), json_of(&answer)["metadata"]["resourceVersion"].clone())
    };
    let (answer, version) = put("a", "resourceVersion", "5000");
    assert_eq!(answer.0, 201);
    assert_ne!(version, "5000");
    let message = r#"strconv.ParseUint: parsing "abc": invalid syntax"#;
    assert_eq!(put("b", "resourceVersion", "abc").0, (500, message.into()));
    let message = r#"Operation cannot be fulfilled on leases.coordination.k8s.io "c": StorageError: invalid object, Code: 4, Key: /registry/leases/default/c, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: "#;
    assert_eq!(put("c", "uid", "x").0, (409, message.into()));
    let metadata = json!({"name": "m", "resourceVersion": "5000"});
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
    let apply = "~/configmaps/m?fieldManager=x application/apply-patch+yaml";
    assert_eq!(ask(&mut api, "PATCH", apply, &map).status, 201);
}

/// `createWithGenerateNameRetry` in `staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go`, `CheckGeneratedNameError`
/// in `staging/src/k8s.io/apiserver/pkg/registry/rest/create.go`.
#[test]
fn a_generated_name_that_is_in_use_is_made_anew() {
    let mut api = server();
    let map = json!({"metadata": {"generateName": "m-"}});
    let mut twin = api.clone();
    let first = json_of(&ask(&mut twin, "POST", "~/configmaps", &map));
    let at = ObjectRef::new(Kind::CONFIG_MAP, "default", first["metadata"]["name"].as_str().unwrap());
    let taken = twin.etcd.get(&at).unwrap().object.clone();
    api.etcd.put(at, taken);
    let made = ask(&mut api, "POST", "~/configmaps", &map);
    assert_eq!(made.status, 201);
    assert_ne!(json_of(&made)["metadata"]["name"], first["metadata"]["name"]);
    // The name of an IPAddress has nothing random.
    let parent = json!({"resource": "services", "namespace": "default", "name": "s"});
    let address = json!({"metadata": {"generateName": "10.96.0.77"}, "spec": {"parentRef": parent}});
    let addresses = "/apis/networking.k8s.io/v1/ipaddresses";
    let made = ask(&mut api, "POST", addresses, &address);
    assert_eq!(made.status, 201, "{}", made.body);
    let refused = ask(&mut api, "POST", addresses, &address);
    let message = r#"ipaddresses.networking.k8s.io "10.96.0.77" already exists, the server was not able to generate a unique name for the object"#;
    assert_eq!(refusal(&refused), (409, message.into()));
    assert_eq!(
        (&json_of(&refused)["details"]["retryAfterSeconds"], refused.retry_after),
        (&json!(1), Some(1))
    );
}

/// `ValidateFieldManager` in `staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go`.
#[test]
fn the_name_of_a_field_manager_can_be_printed() {
    let mut api = server();
    let map = json!({"metadata": {"name": "m"}});
    let mut refused = |manager: &str| {
        refusal(&ask(&mut api, "POST", &format!("~/configmaps?fieldManager={manager}"), &map)).1
    };
    assert_eq!(
        refused("a%0Ab"),
        r#"CreateOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\nb": invalid character U+000A (at position 1)"#
    );
    let both = refused("%C3%A9%0A%C2%AD");
    assert!(both.ends_with(r#"invalid character U+00AD (at position 3)]"#), "{both}");
    assert_eq!(refused("%C3%A9%CC%81"), "");
}

/// `limitSecretReferences` and `limitEphemeralContainerSecretReferences` in `plugin/pkg/admission/serviceaccount/admission.go`.
#[test]
fn an_account_can_limit_its_pods_to_its_own_secrets() {
    let mut api = server();
    let annotations = json!({"kubernetes.io/enforce-mountable-secrets": "true"});
    let account = json!({"metadata": {"name": "strict", "annotations": annotations},
        "secrets": [{"name": "own"}], "imagePullSecrets": [{"name": "pull"}]});
    assert_eq!(ask(&mut api, "POST", "~/serviceaccounts", &account).status, 201);
    let from = |secret: &str| json!([{"secretRef": {"name": secret}}]);
    let variable =
        |secret: &str| json!([{"name": "A", "valueFrom": {"secretKeyRef": {"name": secret, "key": "k"}}}]);
    let make = |api: &mut ApiServer, name: &str, path: &str, part: Value| {
        let mut value = pod(name);
        value["spec"]["serviceAccountName"] = "strict".into();
        value["spec"]["initContainers"] = json!([{"name": "i", "image": "i"}]);
        let (at, field) = path.rsplit_once('/').unwrap();
        value["spec"].pointer_mut(at).unwrap()[field] = part;
        refusal(&ask(api, "POST", "~/pods", &value))
    };
    let secret = |name: &str| json!([{"name": "v", "secret": {"secretName": name}}]);
    let other = "referencing secret.secretName=\"other\" is not allowed because service account strict does not reference that secret";
    for (path, good, bad, why) in [
        (
            "/volumes",
            secret("own"),
            secret("other"),
            "volume with secret.secretName=\"other\" is not allowed because service account strict does not reference that secret".to_owned(),
        ),
        ("/initContainers/0/env", variable("own"), variable("other"), format!("init container i with envVar A {other}")),
        ("/containers/0/env", variable("own"), variable("other"), format!("container c with envVar A {other}")),
        ("/containers/0/envFrom", from("own"), from("other"), format!("container c with envFrom {other}")),
        (
            "/imagePullSecrets",
            json!([{"name": "pull"}]),
            json!([{"name": "own"}]),
            "imagePullSecrets[0].name=\"own\" is not allowed because service account strict does not reference that imagePullSecret".to_owned(),
        ),
    ] {
        let name = path.replace('/', "-").to_lowercase();
        let message = format!("pods \"p{name}\" is forbidden: {why}");
        assert_eq!(make(&mut api, &format!("p{name}"), path, bad), (403, message));
        assert_eq!(make(&mut api, &format!("p{name}"), path, good), (201, String::new()));
    }
    let mut debugged = json_of(&ask(&mut api, "GET", "~/pods/p-volumes", &Value::Null));
    debugged["spec"]["ephemeralContainers"] = json!([{"name": "e", "image": "i", "envFrom": from("other")}]);
    let refused = refusal(&ask(&mut api, "PUT", "~/pods/p-volumes/ephemeralcontainers", &debugged));
    assert_eq!(refused, (500, format!("ephemeral container e with envFrom {other}")));
    debugged["spec"]["ephemeralContainers"][0]["envFrom"] = from("own");
    assert_eq!(ask(&mut api, "PUT", "~/pods/p-volumes/ephemeralcontainers", &debugged).status, 200);
}

#[test]
fn a_binding_is_of_the_pod_in_the_path_and_to_a_node() {
    let mut api = server();
    ask(&mut api, "POST", "~/pods", &pod("p"));
    let mut bind = |name: &str, target: Value| {
        let body = json!({"metadata": {"name": name}, "target": target});
        refusal(&ask(&mut api, "POST", "~/pods/p/binding", &body))
    };
    let node = json!({"kind": "Node", "name": "n"});
    assert_eq!(bind("q", node), (400, "name in URL does not match name in Binding object".into()));
    let message = r#"[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]"#;
    assert_eq!(bind("p", json!({"kind": "Pod"})), (500, message.into()));
}

/// `setPodNodeAndMetadata` and `assignPod` in `pkg/registry/core/pod/storage/storage.go`, `admitBinding` in
/// `plugin/pkg/admission/podtopologylabels/admission.go`.
#[test]
fn a_pod_gets_what_its_binding_has() {
    let mut api = server();
    let zone = "topology.kubernetes.io/zone";
    let node = json!({"metadata": {"name": "n", "labels": {zone: "a"}}});
    assert_eq!(ask(&mut api, "POST", "/api/v1/nodes", &node).status, 201);
    let made = |api: &mut ApiServer, name: &str, gates: Value| {
        let mut value = pod(name);
        value["metadata"]["labels"] = json!({"a": "own", zone: "own"});
        value["spec"]["schedulingGates"] = gates;
        let answer = ask(api, "POST", "~/pods", &value);
        assert_eq!(answer.status, 201, "{}", answer.body);
        json_of(&answer)["metadata"].clone()
    };
    let bind = |api: &mut ApiServer, name: &str, metadata: Value, target: Value| {
        let mut body = json!({"metadata": metadata, "target": target});
        body["metadata"]["name"] = name.into();
        ask(api, "POST", &format!("~/pods/{name}/binding"), &body)
    };
    let stored =
        |api: &mut ApiServer, name: &str| json_of(&ask(api, "GET", &format!("~/pods/{name}"), &Value::Null));
    let node = json!({"kind": "Node", "name": "n"});
    let metadata = json!({"labels": {"a": "bound"}, "annotations": {"example.com/x": "y"}});
    made(&mut api, "p", Value::Null);
    assert_eq!(bind(&mut api, "p", metadata, node.clone()).status, 201);
    let bound = stored(&mut api, "p");
    assert_eq!(bound["metadata"]["labels"], json!({"a": "bound", zone: "a"}));
    assert_eq!(bound["metadata"]["annotations"]["example.com/x"], "y");
    // A binding that does not say that it is to a node is not looked at by the plug-in.
    made(&mut api, "q", Value::Null);
    assert_eq!(bind(&mut api, "q", json!({}), json!({"name": "n"})).status, 201);
    let bound = stored(&mut api, "q");
    assert_eq!(bound["metadata"]["labels"], json!({"a": "own", zone: "own"}));
    assert_eq!(bound["spec"]["nodeName"], "n");
    let meta = made(&mut api, "r", Value::Null);
    for (key, what) in [("uid", "UID"), ("resourceVersion", "ResourceVersion")] {
        let have = meta[key].as_str().unwrap();
        let message = format!(
            "Operation cannot be fulfilled on pods \"r\": StorageError: invalid object, Code: 4, Key: /registry/pods/default/r, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: {what} in precondition: 1, {what} in object meta: {have}"
        );
        let refused = refusal(&bind(&mut api, "r", json!({key: "1"}), node.clone()));
        assert_eq!(refused, (409, message));
    }
    let metadata = json!({"uid": meta["uid"], "resourceVersion": meta["resourceVersion"]});
    assert_eq!(bind(&mut api, "r", metadata, node.clone()).status, 201);
    made(&mut api, "s", json!([{"name": "example.com/gate"}]));
    let message =
        "Operation cannot be fulfilled on pods/binding \"s\": pod s has non-empty .spec.schedulingGates";
    assert_eq!(refusal(&bind(&mut api, "s", json!({}), node)), (409, message.into()));
}

/// `Admit` in `staging/src/k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go`: it looks at whatever is
/// created, also at what is created of an object.
#[test]
fn nothing_is_bound_evicted_or_issued_where_a_namespace_ends() {
    let mut api = server();
    let namespace = json!({"metadata": {"name": "n"}});
    assert_eq!(ask(&mut api, "POST", "/api/v1/namespaces", &namespace).status, 201);
    let account = json!({"metadata": {"name": "default"}});
    assert_eq!(ask(&mut api, "POST", "/api/v1/namespaces/n/serviceaccounts", &account).status, 201);
    assert_eq!(ask(&mut api, "POST", "/api/v1/namespaces/n/pods", &pod("p")).status, 201);
    assert_eq!(ask(&mut api, "DELETE", "/api/v1/namespaces/n", &Value::Null).status, 200);
    let binding = json!({"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "node"}});
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}});
    for (resource, name, part, body) in [
        ("pods", "p", "binding", binding),
        ("pods", "p", "eviction", eviction),
        ("serviceaccounts", "default", "token", json!({"metadata": {"name": "other"}})),
    ] {
        let below = format!("{resource}/{name}/{part}");
        let answer = ask(&mut api, "POST", &format!("/api/v1/namespaces/n/{below}"), &body);
        let message = format!(
            "{resource} \"{name}\" is forbidden: unable to create new content in namespace n because it is being terminated"
        );
        assert_eq!(refusal(&answer), (403, message));
        assert_eq!(json_of(&answer)["details"]["causes"][0]["reason"], "NamespaceTerminating");
        let answer = ask(&mut api, "POST", &format!("/api/v1/namespaces/missing/{below}"), &body);
        assert_eq!(refusal(&answer), (404, "namespaces \"missing\" not found".into()));
    }
    let stored = json_of(&ask(&mut api, "GET", "/api/v1/namespaces/n/pods/p", &Value::Null));
    assert_eq!(stored["metadata"]["deletionTimestamp"], Value::Null);
}

/// `propagateDryRun` in `pkg/registry/core/pod/storage/eviction.go`.
#[test]
fn an_eviction_is_tried_if_its_options_say_so() {
    let mut api = server();
    ask(&mut api, "POST", "~/pods", &pod("p"));
    let mut evict = |query: &str, dry_run: Value| {
        let options = json!({"dryRun": dry_run});
        let body = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"},
            "deleteOptions": options});
        let answer = ask(&mut api, "POST", &format!("~/pods/p/eviction{query}"), &body);
        let pod = ask(&mut api, "GET", "~/pods/p", &Value::Null);
        (refusal(&answer), pod.status == 200 && json_of(&pod)["status"]["conditions"].is_null())
    };
    assert_eq!(evict("", json!(["All"])), ((201, String::new()), true));
    assert_eq!(evict("?dryRun=All", Value::Null), ((201, String::new()), true));
    assert_eq!(evict("?dryRun=All", json!(["All"])), ((201, String::new()), true));
    let message = "Non-matching dry-run options in request and content: [All] and [All All]";
    assert_eq!(evict("?dryRun=All", json!(["All", "All"])), ((500, message.into()), true));
    assert_eq!(evict("", json!([])), ((201, String::new()), false));
}

#[test]
fn parts_of_a_pod_have_paths_of_their_own() {
    let mut api = server();
    let mut value = pod("p");
    value["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "1"}});
    ask(&mut api, "POST", "~/pods", &value);
    let strategic = "application/strategic-merge-patch+json";
    let debug = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"ephemeralContainers": [{"name": "d", "image": "i"}]}});
    let path = format!("~/pods/p/ephemeralcontainers {strategic}");
    let answer = ask(&mut api, "PATCH", &path, &debug);
    let with = json_of(&answer);
    assert_eq!((answer.status, &with["metadata"]["generation"]), (200, &json!(2)));
    assert_eq!(with["spec"]["ephemeralContainers"][0]["terminationMessagePolicy"], "File");
    assert!(with["metadata"]["labels"].is_null(), "labels are not its business");
    let more = json!({"spec": {"containers": [{"name": "c", "image": "other", "resources": {"requests": {"cpu": "2"}}}]}});
    let resized = json_of(&ask(&mut api, "PATCH", &format!("~/pods/p/resize {strategic}"), &more));
    let container = &resized["spec"]["containers"][0];
    assert_eq!((&container["resources"]["requests"]["cpu"], &container["image"]), (&json!("2"), &json!("i")));
    assert_eq!(ask(&mut api, "GET", "~/pods/p/resize", &Value::Null).status, 200);
    assert_eq!(ask(&mut api, "DELETE", "~/pods/p/resize", &Value::Null).status, 405);
}

#[test]
fn only_collections_are_watched_by_a_parameter() {
    let mut api = server();
    ask(&mut api, "POST", "~/pods", &pod("p"));
    let one = ask(&mut api, "GET", "~/pods/p?watch=1", &Value::Null);
    assert_eq!(json_of(&one)["kind"], "Pod");
    let refused = refusal(&ask(&mut api, "GET", "~/pods?timeoutSeconds=x", &Value::Null));
    assert_eq!(refused, (400, r#"strconv.ParseInt: parsing "x": invalid syntax"#.into()));
    let refused = refusal(&ask(&mut api, "GET", "~/pods?limit=99999999999999999999", &Value::Null));
    assert!(refused.1.ends_with("value out of range"), "{refused:?}");
}

/// `Delete` in `pkg/registry/core/namespace/storage/storage.go`, and `markAsDeleting` in
/// `staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go`.
#[test]
fn a_namespace_is_deleted_in_its_own_way() {
    let mut api = server();
    let path = |name: &str| format!("/api/v1/namespaces/{name}");
    let made = |api: &mut ApiServer, name: &str, finalizers: Value| {
        let namespace = json!({"metadata": {"name": name, "finalizers": finalizers}});
        assert_eq!(ask(api, "POST", "/api/v1/namespaces", &namespace).status, 201);
    };
    for (name, options, want) in [
        ("foreground", json!({"propagationPolicy": "Foreground"}), json!(["foregroundDeletion"])),
        ("orphan", json!({"propagationPolicy": "Orphan"}), json!(["orphan"])),
        ("background", json!({"propagationPolicy": "Background"}), Value::Null),
        ("no-orphans", json!({"orphanDependents": false}), json!(["foregroundDeletion"])),
        ("nothing", json!({}), Value::Null),
    ] {
        made(&mut api, name, Value::Null);
        let answer = ask(&mut api, "DELETE", &path(name), &options);
        assert_eq!(json_of(&answer)["metadata"]["finalizers"], want, "{name}");
    }
    made(&mut api, "n", json!(["example.com/hold"]));
    let meta = json_of(&ask(&mut api, "GET", &path("n"), &Value::Null))["metadata"].clone();
    for (key, what) in [("uid", "UID"), ("resourceVersion", "ResourceVersion")] {
        let have = meta[key].as_str().unwrap();
        let message = format!(
            "Operation cannot be fulfilled on namespaces \"n\": Precondition failed: {what} in precondition: 1, {what} in object meta: {have}"
        );
        let options = json!({"preconditions": {key: "1"}});
        assert_eq!(refusal(&ask(&mut api, "DELETE", &path("n"), &options)), (409, message));
    }
    let first = json_of(&ask(&mut api, "DELETE", &path("n"), &Value::Null));
    assert_eq!(first["metadata"]["deletionGracePeriodSeconds"], Value::Null);
    assert_eq!(json_of(&ask(&mut api, "DELETE", &path("n"), &Value::Null)), first);
    let mut finalized = first;
    finalized["spec"]["finalizers"] = json!([]);
    let finalize = format!("{}/finalize", path("n"));
    assert_eq!(ask(&mut api, "PUT", &finalize, &finalized).status, 200);
    let third = json_of(&ask(&mut api, "DELETE", &path("n"), &Value::Null));
    assert_eq!(third["metadata"]["deletionGracePeriodSeconds"], 0);
    // What its controller leaves of a namespace goes with the update that takes its last finalizer; one that has none comes
    // from elsewhere.
    let at = ObjectRef::new(Kind::NAMESPACE, "", "n");
    let mut object = api.etcd.get(&at).unwrap().object.clone();
    object.meta_mut().finalizers = None;
    api.etcd.put(at, object);
    let last = ask(&mut api, "DELETE", &path("n"), &Value::Null);
    assert_eq!((last.status, json_of(&last)["kind"].clone()), (200, json!("Namespace")));
    assert_eq!(ask(&mut api, "GET", &path("n"), &Value::Null).status, 404);
}

/// `validatePriorityClass` in `plugin/pkg/admission/priority/admission.go`.
#[test]
fn a_default_class_is_not_made_again() {
    let mut api = server();
    let classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    let class = json!({"metadata": {"name": "d"}, "value": 1, "globalDefault": true});
    let made = ask(&mut api, "POST", classes, &class);
    assert_eq!(made.status, 201);
    let message = "priorityclasses.scheduling.k8s.io \"d\" is forbidden: PriorityClass d is already marked as default. Only one default can exist";
    assert_eq!(refusal(&ask(&mut api, "POST", classes, &class)), (403, message.into()));
    let mut changed = json_of(&made);
    changed["description"] = "x".into();
    assert_eq!(ask(&mut api, "PUT", &format!("{classes}/d"), &changed).status, 200);
}

/// `allowResize` in `plugin/pkg/admission/storage/persistentvolume/resize/admission.go`, and `GetPersistentVolumeClaimClass`.
#[test]
fn a_claim_grows_if_its_class_lets_it_wherever_the_class_stands() {
    let mut api = server();
    let class = json!({"metadata": {"name": "grows"}, "provisioner": "p", "allowVolumeExpansion": true});
    let made = ask(&mut api, "POST", "/apis/storage.k8s.io/v1/storageclasses", &class);
    assert_eq!(made.status, 201, "{}", made.body);
    for (name, annotations, status) in
        [("c", json!({"volume.beta.kubernetes.io/storage-class": "grows"}), 200), ("d", Value::Null, 403)]
    {
        let resources = |size: &str| json!({"requests": {"storage": size}});
        let spec =
            json!({"accessModes": ["ReadWriteOnce"], "resources": resources("1Gi"), "volumeName": "v"});
        let claim = json!({"metadata": {"name": name, "annotations": annotations}, "spec": spec});
        let made = ask(&mut api, "POST", "~/persistentvolumeclaims", &claim);
        assert_eq!(made.status, 201, "{}", made.body);
        let merge = "application/merge-patch+json";
        let path = format!("~/persistentvolumeclaims/{name}");
        let bound = json!({"status": {"phase": "Bound"}});
        assert_eq!(ask(&mut api, "PATCH", &format!("{path}/status {merge}"), &bound).status, 200);
        let larger = json!({"spec": {"resources": resources("2Gi")}});
        let answer = ask(&mut api, "PATCH", &format!("{path} {merge}"), &larger);
        assert_eq!(answer.status, status, "{}", answer.body);
    }
}

#[test]
fn a_deletion_is_told_how_by_its_body_or_by_its_query() {
    let mut api = server();
    let map = json!({"metadata": {"name": "m", "finalizers": ["example.com/x"]}});
    ask(&mut api, "POST", "~/configmaps", &map);
    // A body, whatever is in it, makes the query count for nothing.
    let answer = ask(&mut api, "DELETE", "~/configmaps/m?dryRun=All", &json!({"orphanDependents": false}));
    assert_eq!(answer.status, 202);
    assert!(json_of(&answer)["metadata"]["deletionTimestamp"].is_string());
    let answer = ask(&mut api, "DELETE", "~/configmaps/m text/plain", &json!({}));
    assert_eq!(answer.status, 415);
}

#[test]
fn admission_looks_at_classes() {
    let mut api = server();
    let mut value = pod("p");
    value["spec"]["runtimeClassName"] = "gvisor".into();
    let refused = refusal(&ask(&mut api, "POST", "~/pods", &value));
    assert_eq!(
        refused,
        (403, r#"pods "p" is forbidden: pod rejected: RuntimeClass "gvisor" not found"#.into())
    );
    // A generated name is there only after the mutating plug-ins.
    value["metadata"] = json!({"generateName": "p-"});
    for (field, why) in [
        ("runtimeClassName", r#"pod rejected: RuntimeClass "gone" not found"#),
        ("priorityClassName", "no PriorityClass with name gone was found"),
        (
            "serviceAccountName",
            r#"error looking up service account default/gone: serviceaccount "gone" not found"#,
        ),
    ] {
        let mut value = value.clone();
        value["spec"]["runtimeClassName"] = serde_json::Value::Null;
        value["spec"][field] = "gone".into();
        let refused = refusal(&ask(&mut api, "POST", "~/pods", &value));
        assert_eq!(refused, (403, format!(r#"pods "p-" is forbidden: {why}"#)));
    }
    let mut value = pod("p");
    value["spec"]["overhead"] = json!({"cpu": "1"});
    let refused = refusal(&ask(&mut api, "POST", "~/pods", &value)).1;
    assert!(
        refused.ends_with("Pod Overhead set without corresponding RuntimeClass defined Overhead"),
        "{refused}"
    );
    let class = json!({
        "metadata": {"name": "gvisor"}, "handler": "runsc", "overhead": {"podFixed": {"cpu": 0.25}},
        "scheduling": {
            "nodeSelector": {"sandbox": "yes"}, "tolerations": [{"key": "sandbox", "operator": "Exists"}],
        },
    });
    assert_eq!(ask(&mut api, "POST", "/apis/node.k8s.io/v1/runtimeclasses", &class).status, 201);
    let mut value = pod("p");
    value["spec"]["runtimeClassName"] = "gvisor".into();
    value["spec"]["nodeSelector"] = json!({"zone": "a"});
    let stored = json_of(&ask(&mut api, "POST", "~/pods", &value))["spec"].clone();
    assert_eq!(stored["overhead"], json!({"cpu": "250m"}));
    assert_eq!(stored["nodeSelector"], json!({"sandbox": "yes", "zone": "a"}));
    let keys: Vec<&str> =
        stored["tolerations"].as_array().unwrap().iter().filter_map(|t| t["key"].as_str()).collect();
    assert_eq!(keys, ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", "sandbox"]);
    value["metadata"]["name"] = "q".into();
    value["spec"]["overhead"] = json!({"cpu": "251m"});
    let refused = refusal(&ask(&mut api, "POST", "~/pods", &value)).1;
    assert!(
        refused.ends_with("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"),
        "{refused}"
    );
    value["spec"]["overhead"] = json!({"cpu": "0.25"});
    value["spec"]["nodeSelector"] = json!({"sandbox": "no"});
    let refused = refusal(&ask(&mut api, "POST", "~/pods", &value)).1;
    let conflict =
        "conflict: runtimeClass.scheduling.nodeSelector[sandbox] = yes; pod.spec.nodeSelector[sandbox] = no";
    assert!(refused.ends_with(conflict), "{refused}");

    let class = |name: &str| json!({"metadata": {"name": name}, "value": 1, "globalDefault": true});
    let classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    assert_eq!(ask(&mut api, "POST", classes, &class("a")).status, 201);
    let refused = refusal(&ask(&mut api, "POST", classes, &class("b")));
    let message = r#"priorityclasses.scheduling.k8s.io "b" is forbidden: PriorityClass a is already marked as default. Only one default can exist"#;
    assert_eq!(refused, (403, message.into()));
}

#[test]
fn warnings_come_with_what_is_done_and_not_with_what_is_refused() {
    let mut api = server();
    let mut value = pod("a.b");
    let made = ask(&mut api, "POST", "~/pods", &value);
    assert_eq!(made.warnings.len(), 1, "{:?}", made.warnings);
    assert_eq!((ask(&mut api, "POST", "~/pods", &value).status, made.status), (409, 201));
    value["metadata"]["name"] = "Bad".into();
    assert!(ask(&mut api, "POST", "~/pods", &value).warnings.is_empty());
}

#[test]
fn operations_of_a_json_patch_are_read_before_any_is_done() {
    let mut api = server();
    ask(&mut api, "POST", "~/configmaps", &json!({"metadata": {"name": "m"}, "data": {"a": "1"}}));
    let mut patch = |query: &str, body: Value| {
        let answer =
            ask(&mut api, "PATCH", &format!("~/configmaps/m{query} application/json-patch+json"), &body);
        (answer.status, json_of(&answer)["message"].as_str().unwrap_or_default().to_owned(), answer.warnings)
    };
    let type_of = "error decoding patch: json: cannot unmarshal number into Go";
    assert_eq!(patch("", json!([1])).1, format!("{type_of} value of type handlers.jsonPatchOp"));
    let wrong = patch("", json!([{"op": 1}]));
    assert_eq!((wrong.0, wrong.1), (400, format!("{type_of} struct field jsonPatchOp.op of type string")));
    let rejected = "the server rejected our request due to an error in our request";
    for body in
        [json!([{"op": "add", "value": 1}]), json!([null]), json!([{"op": "add", "path": "", "value": {}}])]
    {
        let answer = patch("", body.clone());
        assert_eq!((answer.0, answer.1.as_str()), (422, rejected), "{body}");
    }
    let odd = json!([{"op": "replace", "path": "/data/b", "value": "2", "foo": 1}]);
    let done = patch("", odd.clone());
    assert_eq!((done.0, done.2), (200, vec![r#"299 - "json patch unknown field \"[0].foo\"""#.to_owned()]));
    let refused = patch("?fieldValidation=Strict", odd);
    assert_eq!(refused.0, 422);
    assert!(
        refused.1.ends_with(r#"strict decoding error: json patch unknown field "[0].foo""#),
        "{}",
        refused.1
    );
    let many =
        patch("", Value::from(vec![json!({"op": "test", "path": "/kind", "value": "ConfigMap"}); 10_001]));
    assert_eq!(many.0, 413);
    assert!(many.1.ends_with("The allowed maximum operations in a JSON patch is 10000, got 10001"));
}

#[test]
fn a_patch_does_not_make_another_kind() {
    let mut api = server();
    ask(&mut api, "POST", "~/configmaps", &json!({"metadata": {"name": "m"}}));
    let mut patch =
        |body: Value| refusal(&ask(&mut api, "PATCH", "~/configmaps/m application/merge-patch+json", &body));
    let secret = patch(json!({"kind": "Secret"}));
    assert_eq!(secret.0, 422);
    assert!(
        secret.1.ends_with("converting (v1.Secret) to (core.ConfigMap): unknown conversion"),
        "{}",
        secret.1
    );
    let nothing = patch(json!({"kind": "Foo"})).1;
    let want =
        r#"no kind "Foo" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30""#;
    assert!(nothing.ends_with(want), "{nothing}");
}

#[test]
fn an_update_neither_deletes_nor_is_without_a_name() {
    let mut api = server();
    ask(&mut api, "POST", "~/configmaps", &json!({"metadata": {"name": "m"}}));
    let refused = refusal(&ask(&mut api, "PUT", "~/configmaps/m", &json!({"metadata": {}})));
    let message = "the name of the object (m based on URL) was undeterminable: name must be provided";
    assert_eq!(refused, (400, message.into()));
    let gone = json!({"metadata": {"name": "m", "deletionTimestamp": "2026-01-01T00:00:00Z"}});
    let refused = refusal(&ask(&mut api, "PUT", "~/configmaps/m", &gone));
    assert!(refused.0 == 422 && refused.1.ends_with("field is immutable"), "{refused:?}");
}

#[test]
fn an_owner_that_is_given_twice_is_kept_once() {
    let mut api = server();
    let owner = json!({"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"});
    let body = json!({"metadata": {"name": "m", "ownerReferences": [owner, owner]}});
    let made = ask(&mut api, "POST", "~/configmaps", &body);
    assert_eq!(json_of(&made)["metadata"]["ownerReferences"], json!([owner]));
    assert!(made.warnings[0].ends_with("duplicate UID(s) observed: u\""), "{:?}", made.warnings);
}

#[test]
fn a_scale_is_that_of_the_object_in_the_path() {
    let mut api = server();
    let apps = "/apis/apps/v1~/deployments";
    let template =
        json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let body = json!({"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}});
    assert_eq!(ask(&mut api, "POST", apps, &body).status, 201);
    let mut put = |metadata: Value| {
        let scale = json!({"metadata": metadata, "spec": {"replicas": 2}});
        refusal(&ask(&mut api, "PUT", &format!("{apps}/d/scale"), &scale))
    };
    let message = "the namespace of the provided object does not match the namespace sent on the request";
    assert_eq!(put(json!({"name": "d", "namespace": "other"})), (400, message.into()));
    let other = put(json!({"name": "d", "uid": "x"}));
    assert!(other.0 == 409 && other.1.contains("Precondition failed: UID in precondition: x"), "{other:?}");
    assert_eq!(put(json!({"name": "d"})).0, 200);
}

#[test]
fn keys_of_yaml_that_stand_there_twice_are_said_line_by_line() {
    let mut api = server();
    let mut apply = |query: &str| {
        let request = HttpRequest {
            method: "PATCH".into(),
            path: "/api/v1/namespaces/default/configmaps/m".into(),
            query: format!("fieldManager=me{query}"),
            content_type: "application/apply-patch+yaml".into(),
            body: b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n  a: x\n  a: z\n".to_vec(),
            ..HttpRequest::default()
        };
        http(&mut api, &request)
    };
    let key = r#"key \"a\" already set in map"#;
    let refused = refusal(&apply("&fieldValidation=Strict"));
    let message = "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 6: key \"a\" already set in map";
    assert_eq!(refused, (400, message.into()));
    let done = apply("");
    assert_eq!((done.status, done.warnings), (201, vec![format!("299 - \"line 6: {key}\"")]));
    // The decoder of objects has the shorter words (`parseYAMLWarnings` of endpoints/handlers knows both).
    let create = HttpRequest {
        method: "POST".into(),
        path: "/api/v1/namespaces/default/configmaps".into(),
        query: "fieldValidation=Strict".into(),
        content_type: "application/yaml".into(),
        body: b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata:\n  a: x\n  a: z\n".to_vec(),
        ..HttpRequest::default()
    };
    let message = "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 6: key \"a\" already set in map";
    assert_eq!(refusal(&http(&mut api, &create)), (400, message.into()));
}

#[test]
fn a_table_has_of_an_object_what_there_is() {
    let mut api = server();
    let request = HttpRequest {
        method: "GET".into(),
        path: "/api/v1/namespaces/default/pods".into(),
        query: "includeObject=Foo".into(),
        accept: "application/json;as=Table;v=v1;g=meta.k8s.io".into(),
        ..HttpRequest::default()
    };
    let message = r#"includeObject: Invalid value: "Foo": must be 'Metadata', 'Object', 'None', or empty"#;
    assert_eq!(refusal(&http(&mut api, &request)), (400, message.into()));
    let old = ask(&mut api, "GET", "~/endpoints", &Value::Null);
    let text = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
    assert_eq!(old.warnings, [format!("299 - \"{text}\"")]);
}
