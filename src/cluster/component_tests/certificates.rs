//! CertificateSigningRequests: who approves, signs and removes them.
#![allow(clippy::unwrap_used)]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::api::certificate::Validity;
use crate::api::keys::tests::SIGNED;
use crate::api::pkcs10::tests::JANE;
use crate::api::types::CertificateSigningRequest;
use crate::api::{Key, Kind, Object, ObjectRef, Timestamp};
use crate::apimachinery::{Body, HttpRequest, Request, Subresource, Verb};
use crate::cluster::{Cluster, Config};

/// `openssl req -new -subj "/O=system:nodes/CN=system:node:node-1"` with a key of the curve P-256.
const KUBELET: &str = include_str!("kubelet_client.csr.pem");
const KIND: Kind = Kind::CERTIFICATE_SIGNING_REQUEST;

fn cluster() -> Cluster {
    let mut c = Cluster::new(&Config::nodes(0));
    assert!(c.run_to_steady(2000, |_, _| {}));
    c
}

/// Creates the request `r` in the name of somebody.
fn create(c: &mut Cluster, user: &str, request: &str, mut spec: Value) {
    spec["request"] = STANDARD.encode(request).into();
    let body = json!({"metadata": {"name": "r"}, "spec": spec}).to_string().into_bytes();
    let mut identity = vec![("Impersonate-User".to_owned(), user.to_owned())];
    // Whoever impersonates a kubelet has to name its group, too.
    if user.starts_with("system:node:") {
        identity.push(("Impersonate-Group".to_owned(), "system:nodes".to_owned()));
    }
    let identity = if user.is_empty() { Vec::new() } else { identity };
    let (answer, _) = c.http(&HttpRequest {
        method: "POST".into(),
        path: "/apis/certificates.k8s.io/v1/certificatesigningrequests".into(),
        identity,
        body,
        ..HttpRequest::default()
    });
    assert_eq!(answer.status, 201, "{}", answer.body);
}

fn decide(c: &mut Cluster, type_: &str) {
    let mut object = stored(c).unwrap().to_value();
    object["status"]["conditions"] = json!([{"type": type_, "status": "True", "reason": "Test"}]);
    let object = Object::from_value(KIND, object).unwrap();
    let update = Request::new(&"kubectl".into(), Verb::Update, KIND, Key::new("", "r"));
    let (answer, _) = c.request(&update.subresource(Subresource::Approval).body(Body::Object(object)));
    assert_eq!(answer.code(), 200, "{answer:?}");
}

fn stored(c: &Cluster) -> Option<Object> {
    c.api().etcd().get(&ObjectRef::new(KIND, "", "r")).map(|r| r.object.clone())
}

/// The types, reasons and messages of the conditions.
fn conditions(c: &Cluster) -> Vec<String> {
    let object = stored(c).unwrap().to_value();
    let all = object["status"]["conditions"].as_array().into_iter().flatten();
    let text = |c: &Value, key: &str| c[key].as_str().unwrap_or_default().to_owned();
    all.map(|c| [text(c, "type"), text(c, "reason"), text(c, "message")].join(" ").trim().to_owned())
        .collect()
}

fn certificate(c: &Cluster) -> Option<Vec<u8>> {
    let object = stored(c).unwrap();
    object.get::<CertificateSigningRequest>().unwrap().status.as_ref()?.certificate.clone().map(|c| c.0)
}

fn rest(c: &mut Cluster) {
    assert!(c.run_to_steady(2000, |_, _| {}), "it comes to rest");
}

fn wait(c: &mut Cluster, hours: i64) {
    let to = c.now() + SignedDuration::from_hours(hours);
    c.run_until(to, |_, _| {}).unwrap();
}

/// `pkg/controller/certificates/signer/signer.go`, `handle`; `signer_test.go`, `TestHandle`.
#[test]
fn an_approved_request_gets_a_certificate_for_as_long_as_it_asks() {
    let mut c = cluster();
    let spec = json!({"signerName": "kubernetes.io/kube-apiserver-client", "usages": ["client auth"], "expirationSeconds": 3600});
    create(&mut c, "", JANE, spec);
    rest(&mut c);
    assert_eq!((conditions(&c).len(), certificate(&c)), (0, None), "nobody has approved it");
    decide(&mut c, "Approved");
    let now = c.now();
    rest(&mut c);
    let text = certificate(&c).unwrap();
    let ends = Validity::of_pem(&text).unwrap().not_after.duration_since(now).as_secs();
    assert!((3599..=3601).contains(&ends), "{ends}");
    assert_eq!(conditions(&c), ["Approved Test"]);
}

/// `pkg/controller/certificates/signer/signer_test.go`: a request that fails the signer's check.
#[test]
fn what_a_signer_does_not_give_fails() {
    let mut c = cluster();
    create(
        &mut c,
        "",
        JANE,
        json!({"signerName": "kubernetes.io/kube-apiserver-client", "usages": ["server auth"]}),
    );
    decide(&mut c, "Approved");
    rest(&mut c);
    assert_eq!(
        conditions(&c),
        ["Approved Test", "Failed SignerValidationFailure invalid usage for client certificate: server auth"]
    );
    assert_eq!(certificate(&c), None);
    let mut c = cluster();
    create(
        &mut c,
        "",
        JANE,
        json!({"signerName": "kubernetes.io/kubelet-serving", "usages": ["server auth"]}),
    );
    decide(&mut c, "Approved");
    rest(&mut c);
    let failed = "Failed SignerValidationFailure subject organization is not system:nodes";
    assert_eq!(conditions(&c), ["Approved Test", failed]);
    // Somebody else's signer is left alone.
    let mut c = cluster();
    create(&mut c, "", JANE, json!({"signerName": "example.com/mine", "usages": ["server auth"]}));
    decide(&mut c, "Approved");
    rest(&mut c);
    assert_eq!((conditions(&c), certificate(&c)), (vec!["Approved Test".to_owned()], None));
}

/// `pkg/controller/certificates/approver/sarapprove.go`, `handle`; `sarapprove_test.go`, `TestHandle`.
#[test]
fn a_kubelet_that_may_gets_its_own_certificate() {
    let spec = json!({
        "signerName": "kubernetes.io/kube-apiserver-client-kubelet", "usages": ["client auth", "digital signature"],
    });
    let bound = |c: &mut Cluster, role: &str, user: &str| {
        let kind = Kind::CLUSTER_ROLE_BINDING;
        let binding = json!({
            "metadata": {"name": "test"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                "name": format!("system:certificates.k8s.io:certificatesigningrequests:{role}")},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
        });
        let object = Object::from_value(kind, binding).unwrap();
        let create = Request::new(&"kubectl".into(), Verb::Create, kind, Key::new("", "test"));
        assert_eq!(c.request(&create.body(Body::Object(object))).0.code(), 201);
    };
    let mut c = cluster();
    bound(&mut c, "selfnodeclient", "system:node:node-1");
    create(&mut c, "system:node:node-1", KUBELET, spec.clone());
    rest(&mut c);
    assert_eq!(
        conditions(&c),
        ["Approved AutoApproved Auto approving self kubelet client certificate after SubjectAccessReview."]
    );
    assert!(certificate(&c).is_some());
    // Somebody who may ask for any kubelet.
    let mut c = cluster();
    bound(&mut c, "nodeclient", "kubernetes-admin-2");
    let may_create = json!({
        "metadata": {"name": "asks"}, "rules": [
            {"verbs": ["create"], "apiGroups": ["certificates.k8s.io"], "resources": ["certificatesigningrequests"]}],
    });
    for (kind, value) in [
        (Kind::CLUSTER_ROLE, may_create),
        (
            Kind::CLUSTER_ROLE_BINDING,
            json!({
                "metadata": {"name": "asks"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "asks"},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "kubernetes-admin-2"}],
            }),
        ),
    ] {
        let object = Object::from_value(kind, value).unwrap();
        let create = Request::new(&"kubectl".into(), Verb::Create, kind, Key::new("", "asks"));
        assert_eq!(c.request(&create.body(Body::Object(object))).0.code(), 201);
    }
    create(&mut c, "kubernetes-admin-2", KUBELET, spec.clone());
    rest(&mut c);
    assert_eq!(
        conditions(&c),
        ["Approved AutoApproved Auto approving kubelet client certificate after SubjectAccessReview."]
    );
    // Without the right it waits, however often it is asked for, until somebody gives the right.
    let mut c = cluster();
    create(&mut c, "system:node:node-1", KUBELET, spec);
    rest(&mut c);
    assert!(conditions(&c).is_empty());
    bound(&mut c, "selfnodeclient", "system:node:node-1");
    rest(&mut c);
    assert_eq!(conditions(&c).len(), 1);
}

/// `pkg/controller/certificates/cleaner/cleaner_test.go`, `TestCleanerWithApprovedExpiredCSR`.
#[test]
fn old_requests_are_removed() {
    let spec = || json!({"signerName": "kubernetes.io/kube-apiserver-client", "usages": ["client auth"]});
    let decided = |type_: &str| {
        let mut c = cluster();
        create(&mut c, "", JANE, spec());
        decide(&mut c, type_);
        rest(&mut c);
        assert!(c.is_steady() && stored(&c).is_some());
        c
    };
    for type_ in ["Approved", "Denied"] {
        let mut c = decided(type_);
        let from = c.now();
        let gone = |at: Timestamp, c: &mut Cluster| {
            c.run_until(at, |_, _| {}).unwrap();
            stored(c).is_none()
        };
        assert!(!gone(from + SignedDuration::from_mins(59), &mut c), "{type_}");
        assert!(gone(from + SignedDuration::from_mins(121), &mut c), "{type_}");
    }
    let mut c = cluster();
    create(&mut c, "", JANE, spec());
    rest(&mut c);
    wait(&mut c, 23);
    assert!(stored(&c).is_some());
    wait(&mut c, 3);
    assert!(stored(&c).is_none());
    // A request stays that is approved and that its signer, which is not Kubernetes', has not answered.
    let mut c = cluster();
    create(&mut c, "", JANE, json!({"signerName": "example.com/mine", "usages": ["client auth"]}));
    decide(&mut c, "Approved");
    wait(&mut c, 100);
    assert!(stored(&c).is_some());
}

/// Lets time pass to the next full hour, and gives the rule of each deletion that the cleaner tried meanwhile.
fn cleaned(c: &mut Cluster) -> Vec<&'static str> {
    let now = c.now().as_second();
    let hour = Timestamp::from_second(now - now % 3600 + 3600).unwrap();
    let mut rules = Vec::new();
    c.run_until(hour, |_, command| {
        let rule = command.why.as_ref().map_or("", |why| why.rule);
        rules.extend(rule.starts_with("csr_cleaner").then_some(rule));
    })
    .unwrap();
    rules
}

/// `pkg/controller/certificates/cleaner/cleaner_test.go`, `TestCleanerWithApprovedExpiredCSR`: the failure is an hour old, and the
/// certificate has expired before the approval is an hour old.
#[test]
fn a_request_that_has_failed_and_one_whose_certificate_has_expired_are_removed() {
    let client = "kubernetes.io/kube-apiserver-client";
    let mut c = cluster();
    create(&mut c, "", JANE, json!({"signerName": client, "usages": ["server auth"]}));
    decide(&mut c, "Approved");
    rest(&mut c);
    assert_eq!((conditions(&c).len(), cleaned(&mut c)), (2, vec![]));
    assert_eq!((cleaned(&mut c), stored(&c)), (vec!["csr_cleaner.failed"], None));
    let mut c = cluster();
    create(
        &mut c,
        "",
        JANE,
        json!({"signerName": client, "usages": ["client auth"], "expirationSeconds": 600}),
    );
    decide(&mut c, "Approved");
    rest(&mut c);
    assert!(certificate(&c).is_some());
    assert_eq!((cleaned(&mut c), stored(&c)), (vec!["csr_cleaner.expired"], None));
}

/// `cleaner.go`, `worker`: what cannot be deleted is looked at again an hour later.
#[test]
fn a_request_that_may_not_be_deleted_is_tried_once_an_hour() {
    let mut c = cluster();
    let add = |c: &mut Cluster, kind: Kind, spec: Value| {
        let object = Object::from_value(kind, json!({"metadata": {"name": "test"}, "spec": spec})).unwrap();
        let create = Request::new(&"kubectl".into(), Verb::Create, kind, Key::new("", "test"));
        assert_eq!(c.request(&create.body(Body::Object(object))).0.code(), 201);
    };
    let rule = json!({"apiGroups": ["certificates.k8s.io"], "apiVersions": ["v1"], "operations": ["DELETE"],
        "resources": ["certificatesigningrequests"]});
    let policy =
        json!({"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "false"}]});
    add(&mut c, Kind::VALIDATING_ADMISSION_POLICY, policy);
    let binding = Kind::VALIDATING_ADMISSION_POLICY_BINDING;
    add(&mut c, binding, json!({"policyName": "test", "validationActions": ["Deny"]}));
    create(&mut c, "", JANE, json!({"signerName": "example.com/mine", "usages": ["client auth"]}));
    decide(&mut c, "Denied");
    rest(&mut c);
    assert_eq!(cleaned(&mut c), [""; 0]);
    for _ in 0..3 {
        assert_eq!(cleaned(&mut c), ["csr_cleaner.denied"]);
        assert!(stored(&c).is_some());
    }
    let delete = Request::new(&"kubectl".into(), Verb::Delete, binding, Key::new("", "test"));
    assert_eq!(c.request(&delete).0.code(), 200);
    assert_eq!((cleaned(&mut c), stored(&c)), (vec!["csr_cleaner.denied"], None));
}

/// A request that is gone, or that stays because its signer has not answered, is not looked at again.
#[test]
fn only_a_request_that_will_be_removed_is_looked_at_again() {
    let waits = |c: &Cluster| {
        let cleaner =
            c.actor_at("kube-controller-manager:certificatesigningrequest-cleaner-controller").unwrap();
        c.component(cleaner).unwrap().queue().planned().count()
    };
    let mut c = cluster();
    for approved in [true, false] {
        create(&mut c, "", JANE, json!({"signerName": "example.com/mine", "usages": ["client auth"]}));
        rest(&mut c);
        assert_eq!(waits(&c), 1);
        if approved {
            decide(&mut c, "Approved");
            rest(&mut c);
            assert_eq!(waits(&c), 0);
        }
        let delete = Request::new(&"kubectl".into(), Verb::Delete, KIND, Key::new("", "r"));
        assert_eq!(c.request(&delete).0.code(), 200);
        rest(&mut c);
        assert_eq!(waits(&c), 0);
    }
}

/// Each of the pods has a token in a file, and no program reads it.
#[test]
fn a_token_that_nobody_reads_is_not_signed() {
    let mut c = Cluster::new(&Config::nodes(1));
    let before = SIGNED.get();
    let deployment = json!({
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": {
            "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}},
    });
    let object = Object::from_value(Kind::DEPLOYMENT, deployment).unwrap();
    let create = Request::new(&"kubectl".into(), Verb::Create, Kind::DEPLOYMENT, Key::new("default", "web"));
    assert_eq!(c.request(&create.body(Body::Object(object))).0.code(), 201);
    assert!(c.run_to_steady(2000, |_, _| {}));
    let web = c.api().etcd().get(&ObjectRef::new(Kind::DEPLOYMENT, "default", "web")).unwrap();
    assert_eq!(web.object.to_value()["status"]["readyReplicas"], 3);
    assert_eq!(SIGNED.get(), before);
}
