//! What requests over HTTP are answered, by who sends them.
#![allow(clippy::unwrap_used)]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::api::pkcs10::tests::JANE;
use crate::api::{Key, Kind};
use crate::apimachinery::{Body, HttpRequest, HttpResponse, Request, UserInfo, Verb};
use crate::apiserver::ApiServer;
use crate::apiserver::http::http;

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
const DEFAULT: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";

struct Server(ApiServer);

impl Server {
    fn new() -> Server {
        let mut server = Server(ApiServer::new(1));
        assert_eq!(server.post("", "/api/v1/namespaces", &json!({"metadata": {"name": "default"}})).0, 201);
        server
    }

    /// `identity` is headers, each `Name: value`, in lines.
    fn ask(&mut self, identity: &str, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let answer = self.answer(identity, method, path, body);
        (answer.status, serde_json::from_str(&answer.body).unwrap_or(Value::String(answer.body)))
    }

    fn answer(&mut self, identity: &str, method: &str, path: &str, body: &Value) -> HttpResponse {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let headers = identity.lines().filter_map(|line| line.split_once(':'));
        let request = HttpRequest {
            method: method.into(),
            path: path.into(),
            query: query.into(),
            identity: headers.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect(),
            body: if body.is_null() { Vec::new() } else { body.to_string().into_bytes() },
            content_type: if method == "PATCH" {
                "application/merge-patch+json".into()
            } else {
                String::new()
            },
            ..HttpRequest::default()
        };
        http(&mut self.0, &request)
    }

    fn get(&mut self, identity: &str, path: &str) -> (u16, Value) {
        self.ask(identity, "GET", path, &Value::Null)
    }

    fn post(&mut self, identity: &str, path: &str, body: &Value) -> (u16, Value) {
        self.ask(identity, "POST", path, body)
    }

    /// Makes a Role with rules, and binds it to a user.
    fn grant(&mut self, user: &str, rules: Value) {
        let name = format!("of-{user}");
        let role = json!({"metadata": {"name": name}, "rules": rules});
        assert_eq!(self.post("", &format!("{DEFAULT}/roles"), &role).0, 201);
        let binding = binding(&name, user, "Role", &name);
        assert_eq!(self.post("", &format!("{DEFAULT}/rolebindings"), &binding).0, 201);
    }
}

fn binding(name: &str, user: &str, kind: &str, role: &str) -> Value {
    json!({
        "metadata": {"name": name},
        "subjects": [{"kind": "User", "name": user, "apiGroup": "rbac.authorization.k8s.io"}],
        "roleRef": {"kind": kind, "name": role, "apiGroup": "rbac.authorization.k8s.io"},
    })
}

fn message(answer: &(u16, Value)) -> &str {
    answer.1["message"].as_str().unwrap_or_default()
}

/// `staging/src/k8s.io/apiserver/pkg/endpoints/filters/authorization.go`, `withAuthorization`; the words are those of
/// `…/handlers/responsewriters/errors.go`, `forbiddenMessage`, and `plugin/pkg/auth/authorizer/rbac/rbac.go`.
#[test]
fn roles_say_what_a_user_may_do() {
    let mut server = Server::new();
    let ann = "Impersonate-User: ann";
    let pods = "/api/v1/namespaces/default/pods";
    let refused = server.get(ann, pods);
    assert_eq!(refused.0, 403);
    assert_eq!(
        message(&refused),
        r#"pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "default""#
    );
    server.grant("ann", json!([{"verbs": ["list"], "apiGroups": [""], "resources": ["pods"]}]));
    assert_eq!(server.get(ann, pods).0, 200);
    assert_eq!(server.get(ann, &format!("{pods}?watch=true")).0, 403);
    assert_eq!(server.get(ann, "/api/v1/pods").0, 403);
    assert_eq!(server.get("Impersonate-User: bob", pods).0, 403);
    // What is not allowed is refused before anybody looks whether there is such a thing.
    assert_eq!(server.get(ann, "/apis/example.com/v1/things").0, 403);
    assert_eq!(server.get("", "/apis/example.com/v1/things").0, 404);
}

/// `staging/src/k8s.io/apiserver/pkg/endpoints/handlers/create.go`, `withAuthorization`, for updates and applies that create.
#[test]
fn who_may_only_change_creates_nothing() {
    let mut server = Server::new();
    let of = |verbs: &[&str]| json!([{"verbs": verbs, "apiGroups": ["coordination.k8s.io"], "resources": ["leases"]}]);
    server.grant("ann", of(&["get", "update"]));
    server.grant("bob", of(&["create", "update"]));
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"}});
    let path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
    let refused = server.ask("Impersonate-User: ann", "PUT", path, &lease);
    assert_eq!(refused.0, 403);
    assert_eq!(message(&refused), r#"leases.coordination.k8s.io "l" is forbidden: "#);
    // An object that is not valid is refused before that.
    let mut wrong = lease.clone();
    wrong["spec"] = json!({"leaseDurationSeconds": -1});
    assert_eq!(server.ask("Impersonate-User: ann", "PUT", path, &wrong).0, 422);
    let (code, stored) = server.ask("Impersonate-User: bob", "PUT", path, &lease);
    assert_eq!(code, 201, "{stored}");
    assert_eq!(server.ask("Impersonate-User: ann", "PUT", path, &stored).0, 200);
}

/// `plugin/pkg/admission/certificates/approval/admission.go`, `pkg/certauthorization/certauthorization.go`.
#[test]
fn who_approves_certificates_needs_that_right_for_their_signer() {
    let mut server = Server::new();
    let requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    let request = json!({"metadata": {"name": "c"}, "spec": {
        "request": STANDARD.encode(JANE),
        "signerName": "a.com/b", "usages": ["client auth"]}});
    assert_eq!(server.post("", requests, &request).0, 201);
    let rules = |name: &str| {
        json!([
            {"verbs": ["update"], "apiGroups": ["certificates.k8s.io"], "resources": ["certificatesigningrequests/approval"]},
            {"verbs": ["approve"], "apiGroups": ["certificates.k8s.io"], "resources": ["signers"], "resourceNames": [name]},
        ])
    };
    for (user, signer) in [("ann", "b.com/b"), ("bob", "a.com/*")] {
        let role = json!({"metadata": {"name": user}, "rules": rules(signer)});
        assert_eq!(server.post("", &format!("{RBAC}/clusterroles"), &role).0, 201);
        let binding = binding(user, user, "ClusterRole", user);
        assert_eq!(server.post("", &format!("{RBAC}/clusterrolebindings"), &binding).0, 201);
    }
    let (_, mut stored) = server.get("", &format!("{requests}/c"));
    stored["status"]["conditions"] = json!([{"type": "Approved", "status": "True", "reason": "R"}]);
    let path = format!("{requests}/c/approval");
    let refused = server.ask("Impersonate-User: ann", "PUT", &path, &stored);
    assert_eq!(refused.0, 403);
    assert!(
        message(&refused).ends_with(r#"user not permitted to approve requests with signerName "a.com/b""#),
        "{refused:?}"
    );
    assert_eq!(server.ask("Impersonate-User: bob", "PUT", &path, &stored).0, 200);
}

/// `VisitRulesFor` of `pkg/registry/rbac/validation/rule.go`: a role that there is not is an error beside which others count.
#[test]
fn a_binding_without_a_role_is_told() {
    let mut server = Server::new();
    let path = format!("{DEFAULT}/rolebindings");
    assert_eq!(server.post("", &path, &binding("b", "ann", "Role", "none")).0, 201);
    let refused = server.get("Impersonate-User: ann", "/api/v1/namespaces/default/pods");
    assert!(
        message(&refused).ends_with(r#": RBAC: role.rbac.authorization.k8s.io "none" not found"#),
        "{refused:?}"
    );
}

/// `…/filters/impersonation/impersonation.go`, `processImpersonationHeaders`, and `…/mode.go`.
#[test]
fn who_acts_as_another_user_must_be_allowed_to() {
    let mut server = Server::new();
    let who = |server: &mut Server, identity: &str| {
        let answer = server.post(identity, "/apis/authentication.k8s.io/v1/selfsubjectreviews", &json!({}));
        answer.1["status"]["userInfo"].clone()
    };
    assert_eq!(who(&mut server, "")["username"], "kubernetes-admin");
    let everything = "Impersonate-User: ann\nImpersonate-Group: dev\nImpersonate-Uid: 7\nImpersonate-Extra-Scopes%2Fx: view";
    assert_eq!(
        who(&mut server, everything),
        json!({"username": "ann", "uid": "7", "groups": ["dev", "system:authenticated"], "extra": {"scopes/x": ["view"]}})
    );
    assert_eq!(
        who(&mut server, "Impersonate-User: system:serviceaccount:a:b")["groups"],
        json!(["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"])
    );
    assert_eq!(server.get("Impersonate-Group: dev", "/version").0, 400);
    server.0.set_token_auth([("secret".to_owned(), UserInfo::new("eve", &[]))].into());
    let eve = "Authorization: Bearer secret";
    assert_eq!(who(&mut server, eve)["username"], "eve");
    let refused = server.get(&format!("{eve}\nImpersonate-User: ann"), "/version");
    assert_eq!(
        message(&refused),
        r#"users "ann" is forbidden: User "eve" cannot impersonate resource "users" in API group "" at the cluster scope"#
    );
    assert_eq!(server.get("Authorization: Bearer other", "/version").0, 401);
    assert_eq!(server.get("Authorization:", "/version").0, 200);
    assert_eq!(server.get("Authorization:", "/api").0, 403);
}

/// `k8s.io/apiserver/pkg/authentication/request/bearertoken/bearertoken.go`, `AuthenticateRequest`.
#[test]
fn one_space_stands_before_a_token_and_what_follows_it_does_not_count() {
    let mut server = Server::new();
    server.0.set_token_auth([("secret".to_owned(), UserInfo::new("eve", &[]))].into());
    let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let warning = "299 - \"the provided Authorization header contains extra space before the bearer token, and is ignored\"";
    for (authorization, user, warnings) in [
        ("Bearer secret", "eve", &[][..]),
        ("bearer secret", "eve", &[]),
        ("Bearer secret junk", "eve", &[]),
        ("Bearer secret  more junk", "eve", &[]),
        ("Bearer  secret", "system:anonymous", &[warning]),
        ("Bearer", "system:anonymous", &[]),
        ("Bearer\tsecret", "system:anonymous", &[]),
        ("Basic secret", "system:anonymous", &[]),
        ("Basic  secret", "system:anonymous", &[]),
    ] {
        let answer = server.answer(&format!("Authorization: {authorization}"), "POST", path, &json!({}));
        assert_eq!(answer.warnings, warnings, "{authorization}");
        let said = if user == "eve" {
            "\"username\":\"eve\""
        } else {
            "User \\\"system:anonymous\\\" cannot create"
        };
        assert!(answer.body.contains(said), "{authorization}: {}", answer.body);
    }
    assert_eq!(server.get("Authorization: Bearer secre t", "/version").0, 401);
}

/// `pkg/serviceaccount/jwt.go` and `claims.go`: a token of an account that is gone is not valid.
#[test]
fn the_token_of_an_account_opens_the_door() {
    let mut server = Server::new();
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    assert_eq!(server.post("", accounts, &json!({"metadata": {"name": "robot"}})).0, 201);
    let answer = server.post("", &format!("{accounts}/robot/token"), &json!({}));
    let token = answer.1["status"]["token"].as_str().unwrap().to_owned();
    let review = |server: &mut Server| {
        let body = json!({"spec": {"token": token}});
        server.post("", "/apis/authentication.k8s.io/v1/tokenreviews", &body).1["status"].clone()
    };
    let status = review(&mut server);
    assert_eq!(
        (&status["authenticated"], &status["user"]["username"]),
        (&json!(true), &json!("system:serviceaccount:default:robot"))
    );
    let robot = format!("Authorization: Bearer {token}");
    assert_eq!(server.get(&robot, "/version").0, 200);
    assert_eq!(server.get(&robot, accounts).0, 403);
    assert_eq!(server.ask("", "DELETE", &format!("{accounts}/robot"), &Value::Null).0, 200);
    assert_eq!(server.get(&robot, "/version").0, 401);
    assert_eq!(review(&mut server)["error"], "invalid bearer token");
}

/// `pkg/registry/rbac/role/policybased/storage.go`, `…/rolebinding/policybased/storage.go`, `ConfirmNoEscalation`.
#[test]
fn nobody_gives_away_what_he_has_not() {
    let mut server = Server::new();
    let of_rbac = json!({"verbs": ["*"], "apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings"]});
    let pods = |verbs: Value| json!({"verbs": verbs, "apiGroups": [""], "resources": ["pods"]});
    let mut writes = of_rbac.clone();
    writes["verbs"] = json!(["create", "get", "patch"]);
    server.grant("ann", json!([writes, pods(json!(["get"]))]));
    let ann = "Impersonate-User: ann";
    let role = |name: &str, verbs: Value| json!({"metadata": {"name": name}, "rules": [pods(verbs)]});
    let roles = format!("{DEFAULT}/roles");
    assert_eq!(server.post(ann, &roles, &role("less", json!(["get"]))).0, 201);
    let refused = server.post(ann, &roles, &role("more", json!(["get", "list"])));
    assert_eq!(
        message(&refused),
        "roles.rbac.authorization.k8s.io \"more\" is forbidden: user \"ann\" (groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"list\"]}"
    );
    let bindings = format!("{DEFAULT}/rolebindings");
    assert_eq!(server.post(ann, &bindings, &binding("a", "bob", "Role", "less")).0, 201);
    assert_eq!(server.post(ann, &bindings, &binding("b", "bob", "ClusterRole", "cluster-admin")).0, 403);
    assert_eq!(server.post(ann, &bindings, &binding("c", "bob", "Role", "none")).0, 404);
    // `escalate` and `bind` are among all verbs.
    server.grant("boss", json!([of_rbac]));
    let boss = "Impersonate-User: boss";
    assert_eq!(server.post(boss, &roles, &role("more", json!(["*"]))).0, 201);
    assert_eq!(server.post(boss, &bindings, &binding("d", "bob", "Role", "more")).0, 201);
}

/// `pkg/registry/rbac/rest/storage_rbac.go`: a new cluster has roles and bindings, which can be changed and deleted.
#[test]
fn default_roles_are_there_and_are_stored_once_they_change() {
    let mut server = Server::new();
    let (revision, roles) = (server.0.resource_version(), format!("{RBAC}/clusterroles"));
    let names = |server: &mut Server| -> Vec<String> {
        let list = server.get("", &roles).1;
        list["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|o| o["metadata"]["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let all = names(&mut server);
    assert!(all.is_sorted() && all.contains(&"view".to_owned()) && all.len() == 70, "{all:?}");
    assert_eq!(server.0.resource_version(), revision);
    assert!(server.0.cached_list(Kind::CLUSTER_ROLE, None).next().is_none());
    let path = format!("{roles}/view");
    let before = server.get("", &path).1;
    let patched = server.ask("", "PATCH", &path, &json!({"metadata": {"labels": {"a": "b"}}}));
    assert_eq!((patched.0, &patched.1["metadata"]["uid"]), (200, &before["metadata"]["uid"]));
    let write = server.0.take_writes().pop().unwrap();
    assert!(write.prev.is_some(), "it was there before");
    assert_eq!(server.get("", &path).1["metadata"]["labels"]["a"], "b");
    assert_eq!(server.post("", &roles, &json!({"metadata": {"name": "edit"}})).0, 409);
    assert_eq!(server.ask("", "DELETE", &format!("{roles}/edit"), &Value::Null).0, 200);
    assert_eq!(server.get("", &format!("{roles}/edit")).0, 404);
    assert_eq!(names(&mut server).len(), 69);
}

/// `plugin/pkg/auth/authorizer/node/node_authorizer_test.go`.
#[test]
fn a_kubelet_reads_what_its_pods_need() {
    let mut server = Server::new();
    let node = "Impersonate-User: system:node:n\nImpersonate-Group: system:nodes";
    let object = |kind: Kind, value: Value| crate::api::Object::from_value(kind, value).unwrap();
    for (kind, value) in [
        (Kind::NODE, json!({"metadata": {"name": "n"}})),
        (Kind::SERVICE_ACCOUNT, json!({"metadata": {"name": "default", "namespace": "default"}})),
        (Kind::SECRET, json!({"metadata": {"name": "s", "namespace": "default"}})),
        (
            Kind::POD,
            json!({"metadata": {"name": "p", "namespace": "default"}, "spec": {"nodeName": "n", "containers": [
                {"name": "c", "image": "i", "envFrom": [{"secretRef": {"name": "s"}}]},
            ]}}),
        ),
    ] {
        let object = object(kind, value);
        let key = Key::new(object.namespace(), object.name());
        let create = Request::new(&"test".into(), Verb::Create, kind, key).body(Body::Object(object));
        assert_eq!(server.0.request(&create).code(), 201);
    }
    let secrets = "/api/v1/namespaces/default/secrets";
    assert_eq!(server.get(node, &format!("{secrets}/s")).0, 200);
    let refused = server.get(node, &format!("{secrets}/t"));
    assert!(
        message(&refused).ends_with(": no relationship found between node 'n' and this object"),
        "{refused:?}"
    );
    assert_eq!(server.get(node, "/api/v1/pods?fieldSelector=spec.nodeName%3Dn").0, 200);
    assert_eq!(server.get(node, "/api/v1/pods").0, 403);
    assert_eq!(server.get(node, "/api/v1/nodes/n").0, 200);
}

/// `pkg/registry/authorization/{selfsubjectaccessreview,subjectaccessreview,selfsubjectrulesreview}/rest.go`.
#[test]
fn reviews_say_who_may_do_what_and_why() {
    let mut server = Server::new();
    server.grant("ann", json!([{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]));
    let of = |verb: &str| json!({"namespace": "default", "verb": verb, "resource": "pods"});
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let ann = "Impersonate-User: ann";
    let mut status = |verb: &str| {
        server.post(ann, path, &json!({"spec": {"resourceAttributes": of(verb)}})).1["status"].clone()
    };
    assert_eq!(
        status("get"),
        json!({"allowed": true, "reason": "RBAC: allowed by RoleBinding \"of-ann/default\" of Role \"of-ann\" to User \"ann\""})
    );
    assert_eq!(status("list"), json!({"allowed": false}));
    let body = json!({"spec": {"namespace": "default"}});
    let rules = server.post(ann, "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", &body).1;
    let has = rules["status"]["resourceRules"].as_array().unwrap();
    assert!(has.contains(&json!({"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]})), "{rules}");
    let body = json!({"spec": {"user": "x", "groups": ["system:masters"], "nonResourceAttributes": {"path": "/", "verb": "get"}}});
    assert_eq!(
        server.post("", "/apis/authorization.k8s.io/v1/subjectaccessreviews", &body).1["status"],
        json!({"allowed": true})
    );
    assert_eq!(server.post(ann, "/apis/authorization.k8s.io/v1/subjectaccessreviews", &body).0, 403);
}
