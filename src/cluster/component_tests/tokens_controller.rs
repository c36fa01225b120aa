//! Tokens of ServiceAccounts in Secrets. The cases are those of `TestTokenCreation` in
//! `pkg/controller/serviceaccount/tokens_controller_test.go`.
#![allow(clippy::unwrap_used)]

use std::rc::Rc;

use k8s_openapi::ByteString;
use serde_json::{Value, json};

use crate::api::types::{Secret, ServiceAccount};
use crate::api::{Key, Kind, MetaExt, Object, ObjectRef, root_ca};
use crate::apimachinery::{Body, HttpRequest, Patch, Request, Verb};
use crate::client::Controller;
use crate::cluster::{Cluster, Config};
use crate::controllers::tokens_controller::TokensController;

fn cluster() -> Cluster {
    let config = Config {
        controllers: Rc::new(|| vec![Controller::boxed(TokensController)]),
        scheduler: Rc::new(Vec::new),
        ..Config::nodes(0)
    };
    Cluster::new(&config)
}

fn request(c: &mut Cluster, verb: Verb, kind: Kind, name: &str, body: Body) {
    let request = Request::new(&"kubectl".into(), verb, kind, Key::new("default", name)).body(body);
    let (answer, _) = c.request(&request);
    assert!(answer.code() < 300, "{answer:?}");
}

fn create(c: &mut Cluster, kind: Kind, mut value: Value) {
    value["metadata"]["namespace"] = "default".into();
    let object = Object::from_value(kind, value).unwrap();
    let name = object.name().to_owned();
    request(c, Verb::Create, kind, &name, Body::Object(object));
}

fn account(c: &mut Cluster, name: &str) -> String {
    create(c, Kind::SERVICE_ACCOUNT, json!({"metadata": {"name": name}}));
    c.api()
        .etcd()
        .get(&ObjectRef::new(Kind::SERVICE_ACCOUNT, "default", name))
        .unwrap()
        .object
        .uid()
        .to_owned()
}

/// A Secret with a token of an account: with the account's uid and with data, if there are any.
fn token(c: &mut Cluster, name: &str, account: &str, uid: &str, data: Value) {
    let mut annotations = json!({"kubernetes.io/service-account.name": account});
    if !uid.is_empty() {
        annotations["kubernetes.io/service-account.uid"] = uid.into();
    }
    create(
        c,
        Kind::SECRET,
        json!({
            "metadata": {"name": name, "annotations": annotations},
            "type": "kubernetes.io/service-account-token", "data": data,
        }),
    );
}

/// What the controller does until nothing is left to do.
fn run(c: &mut Cluster) -> Vec<String> {
    let mut did = Vec::new();
    assert!(c.run_to_steady(50, |_, k| {
        assert_eq!(
            (&*k.by, &*k.request.user),
            ("serviceaccount-token-controller", "kube-controller-manager")
        );
        let rule = k.why.as_ref().map_or("", |why| why.rule);
        did.push(format!("{} {} {rule}", k.request.verb_string(), k.request.key.name));
    }));
    did
}

fn secret(c: &Cluster, name: &str) -> Option<Rc<Secret>> {
    c.api().etcd().get(&ObjectRef::new(Kind::SECRET, "default", name))?.object.get::<Secret>().cloned()
}

fn data(secret: &Secret, key: &str) -> String {
    let bytes =
        secret.data.as_ref().and_then(|data| data.get(key)).cloned().unwrap_or(ByteString(Vec::new()));
    String::from_utf8(bytes.0).unwrap()
}

/// A token that a Secret gets opens the door, and not when the Secret is gone.
#[test]
fn a_secret_gets_the_token_of_its_account() {
    let mut c = cluster();
    let uid = account(&mut c, "robot");
    token(&mut c, "robot-token", "robot", "", Value::Null);
    create(&mut c, Kind::SECRET, json!({"metadata": {"name": "other"}, "data": {"token": "eA=="}}));
    assert_eq!(run(&mut c), ["update robot-token generate_token_if_needed"]);
    let filled = secret(&c, "robot-token").unwrap();
    assert_eq!(filled.metadata.annotation("kubernetes.io/service-account.uid"), Some(&*uid));
    assert_eq!(data(&filled, "namespace"), "default");
    assert_eq!(data(&filled, "ca.crt"), root_ca::CERTIFICATE);
    assert_eq!(filled.data.as_ref().unwrap().len(), 3);

    let review = |c: &mut Cluster| {
        let asks = HttpRequest {
            method: "GET".into(),
            path: "/version".into(),
            identity: vec![("Authorization".into(), format!("Bearer {}", data(&filled, "token")))],
            ..HttpRequest::default()
        };
        c.http(&asks).0.status
    };
    assert_eq!(review(&mut c), 200);
    request(&mut c, Verb::Delete, Kind::SECRET, "robot-token", Body::None);
    assert_eq!(run(&mut c), [""; 0]);
    assert_eq!(review(&mut c), 401);
}

/// `added/updated token secret without token data`, `without ca data`, `with mismatched ca data`, `without namespace data`, `with custom
/// namespace data`.
#[test]
fn what_a_secret_lacks_is_written_and_what_it_has_stays() {
    let mut c = cluster();
    let uid = account(&mut c, "robot");
    for (name, given) in
        [("none", json!({})), ("ca", json!({"ca.crt": "eA=="})), ("text", json!({"token": "eA=="}))]
    {
        token(&mut c, name, "robot", &uid, given);
    }
    token(&mut c, "namespace", "robot", &uid, json!({"namespace": "eA==", "token": "eA=="}));
    assert_eq!(run(&mut c).len(), 4);
    let of = |c: &Cluster, name: &str| secret(c, name).unwrap();
    assert!(data(&of(&c, "none"), "token").starts_with("eyJ"));
    for name in ["ca", "text", "namespace"] {
        assert_eq!(data(&of(&c, name), "ca.crt"), root_ca::CERTIFICATE);
    }
    assert_eq!(
        (data(&of(&c, "text"), "token"), data(&of(&c, "namespace"), "namespace")),
        ("x".into(), "x".into())
    );

    for key in ["ca.crt", "namespace", "token"] {
        let before = of(&c, "none");
        let change = Patch::Merge(json!({"data": {key: null}}));
        request(&mut c, Verb::Patch, Kind::SECRET, "none", Body::Patch(change));
        assert_eq!(run(&mut c), ["update none generate_token_if_needed"]);
        assert_eq!(of(&c, "none").data, before.data);
    }
    // Nothing is lacking.
    let label = Patch::Merge(json!({"metadata": {"labels": {"a": "b"}}}));
    request(&mut c, Verb::Patch, Kind::SECRET, "none", Body::Patch(label));
    assert_eq!(run(&mut c), [""; 0]);
}

/// `deleted serviceaccount with token secrets`, `… with non-token secrets`, `deleted serviceaccount with no secrets`.
#[test]
fn the_tokens_of_an_account_go_with_it() {
    let mut c = cluster();
    for name in ["robot", "other"] {
        account(&mut c, name);
        token(&mut c, &format!("{name}-token"), name, "", Value::Null);
    }
    create(
        &mut c,
        Kind::SECRET,
        json!({"metadata": {
            "name": "opaque", "annotations": {"kubernetes.io/service-account.name": "robot"},
        }}),
    );
    assert_eq!(run(&mut c).len(), 2);
    request(&mut c, Verb::Delete, Kind::SERVICE_ACCOUNT, "robot", Body::None);
    assert_eq!(run(&mut c), ["delete robot-token delete_token"]);
    assert!(secret(&c, "other-token").is_some() && secret(&c, "opaque").is_some());
}

/// `added token secret without serviceaccount`, `updated token secret without serviceaccount`; `getServiceAccount`: the uid must match.
#[test]
fn a_token_of_nobody_is_deleted() {
    let mut c = cluster();
    token(&mut c, "early", "robot", "", Value::Null);
    assert_eq!(run(&mut c), ["delete early delete_token"]);
    let old = account(&mut c, "robot");
    token(&mut c, "old", "robot", &old, Value::Null);
    assert_eq!(run(&mut c), ["update old generate_token_if_needed"]);
    // The next account of that name is another one.
    request(&mut c, Verb::Delete, Kind::SERVICE_ACCOUNT, "robot", Body::None);
    account(&mut c, "robot");
    assert_eq!(run(&mut c), ["delete old delete_token"]);
    token(&mut c, "old", "robot", &old, Value::Null);
    assert_eq!(run(&mut c), ["delete old delete_token"]);
}

/// `deleted token secret with reference`, `deleted token secret without reference`.
#[test]
fn an_account_does_not_name_a_token_that_is_gone() {
    let mut c = cluster();
    account(&mut c, "robot");
    for name in ["one", "two", "unnamed"] {
        token(&mut c, name, "robot", "", Value::Null);
    }
    let names = Patch::Merge(json!({"secrets": [{"name": "one"}, {"name": "two"}]}));
    request(&mut c, Verb::Patch, Kind::SERVICE_ACCOUNT, "robot", Body::Patch(names));
    assert_eq!(run(&mut c).len(), 3);
    request(&mut c, Verb::Delete, Kind::SECRET, "unnamed", Body::None);
    assert_eq!(run(&mut c), [""; 0]);
    request(&mut c, Verb::Delete, Kind::SECRET, "one", Body::None);
    assert_eq!(run(&mut c), ["update robot remove_secret_reference"]);
    let robot = c.api().etcd().get(&ObjectRef::new(Kind::SERVICE_ACCOUNT, "default", "robot")).unwrap();
    let left = robot.object.get::<ServiceAccount>().unwrap().secrets.clone().unwrap();
    assert_eq!(left.iter().filter_map(|s| s.name.as_deref()).collect::<Vec<_>>(), ["two"]);
}
