//! Bootstrap tokens: what is signed with them, and when they go.
#![allow(clippy::unwrap_used)]

use std::rc::Rc;

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::api::types::ConfigMap;
use crate::api::{Key, Kind, Object, ObjectRef, later, seconds};
use crate::apimachinery::{Body, Patch, Request, Verb};
use crate::client::{Component, Controller};
use crate::cluster::{Action, Cluster, Config};
use crate::controllers::bootstrap::bootstrapsigner::Signer;
use crate::controllers::bootstrap::tokencleaner::TokenCleaner;

fn cluster(controllers: fn() -> Vec<Box<dyn Component>>) -> Cluster {
    let config =
        Config { controllers: Rc::new(controllers), scheduler: Rc::new(Vec::new), ..Config::nodes(0) };
    Cluster::new(&config)
}

fn request(c: &mut Cluster, verb: Verb, kind: Kind, key: Key, body: Body) {
    let (answer, _) = c.request(&Request::new(&"kubectl".into(), verb, kind, key).body(body));
    assert!(answer.code() < 300, "{answer:?}");
}

fn create(c: &mut Cluster, kind: Kind, value: Value) {
    let object = Object::from_value(kind, value).unwrap();
    request(c, Verb::Create, kind, object.key(), Body::Object(object));
}

fn info() -> Key {
    Key::new("kube-public", "cluster-info")
}

fn token_key(id: &str) -> Key {
    Key::new("kube-system", &format!("bootstrap-token-{id}"))
}

fn config_map(c: &mut Cluster, data: Value) {
    create(
        c,
        Kind::CONFIG_MAP,
        json!({"metadata": {"name": "cluster-info", "namespace": "kube-public"}, "data": data}),
    );
}

/// The Secret of a token, with what else it says.
fn token(c: &mut Cluster, id: &str, more: Value) {
    let mut data = json!({"token-id": id, "token-secret": "tokenSecret", "usage-bootstrap-signing": "true"});
    for (key, value) in more.as_object().unwrap() {
        data[key] = value.clone();
    }
    let encode = |v: &Value| k8s_openapi::ByteString(v.as_str().unwrap().as_bytes().to_vec());
    let data: std::collections::BTreeMap<_, _> =
        data.as_object().unwrap().iter().map(|(k, v)| (k.clone(), encode(v))).collect();
    create(
        c,
        Kind::SECRET,
        json!({
            "metadata": {"name": format!("bootstrap-token-{id}"), "namespace": "kube-system"},
            "type": "bootstrap.kubernetes.io/token", "data": data,
        }),
    );
}

fn run(c: &mut Cluster) -> Vec<String> {
    let mut did = Vec::new();
    assert!(c.run_to_steady(50, |_, k| {
        did.push(format!("{}: {} {}", k.request.user, k.request.verb_string(), k.request.key));
    }));
    did
}

fn data(c: &Cluster) -> Value {
    let map = c.api().etcd().get(&ObjectRef { kind: Kind::CONFIG_MAP, key: info() }).unwrap();
    json!(map.object.get::<ConfigMap>().unwrap().data)
}

const SIGNS: &str = "bootstrap-signer: update kube-public/cluster-info";
/// What Kubernetes' tests have for `payload`, the id `abc123` and the secret `tokenSecret`.
const SIGNATURE: &str =
    "eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiYzEyMyJ9..QSxpUG7Q542CirTI2ECPSZjvBOJURUW5a7XqFpNI958";

/// `pkg/controller/bootstrap/bootstrapsigner_test.go`: `TestNoConfigMap`, `TestSimpleSign`, `TestNoSignNeeded`, `TestUpdateSignature`,
/// `TestRemoveSignature`.
#[test]
fn cluster_info_has_a_signature_of_each_token_that_may_sign() {
    let mut c = cluster(|| vec![Controller::boxed(Signer)]);
    token(&mut c, "abc123", json!({}));
    assert_eq!(run(&mut c), [""; 0]);
    config_map(&mut c, json!({"kubeconfig": "payload"}));
    assert_eq!(run(&mut c), [SIGNS]);
    assert_eq!(data(&c), json!({"kubeconfig": "payload", "jws-kubeconfig-abc123": SIGNATURE}));

    // One that is wrong, and one of no token.
    let change =
        json!({"data": {"jws-kubeconfig-abc123": "old", "jws-kubeconfig-aaaaaa": "old", "other": "x"}});
    request(&mut c, Verb::Patch, Kind::CONFIG_MAP, info(), Body::Patch(Patch::Merge(change)));
    assert_eq!(run(&mut c), [SIGNS]);
    let signed = json!({"kubeconfig": "payload", "jws-kubeconfig-abc123": SIGNATURE, "other": "x"});
    assert_eq!(data(&c), signed);

    // One that may not sign, one that has expired, and Secrets that are none.
    token(&mut c, "bbbbbb", json!({"usage-bootstrap-signing": "false"}));
    let now = seconds(c.now()).to_string();
    token(&mut c, "cccccc", json!({"expiration": now}));
    create(
        &mut c,
        Kind::SECRET,
        json!({"metadata": {"name": "bootstrap-token-dddddd", "namespace": "kube-system"}}),
    );
    assert_eq!(run(&mut c), [""; 0]);

    request(&mut c, Verb::Delete, Kind::SECRET, token_key("abc123"), Body::None);
    assert_eq!(run(&mut c), [SIGNS]);
    assert_eq!(data(&c), json!({"kubeconfig": "payload", "other": "x"}));
}

/// The same file, `signConfigMap`: without what is to be signed nothing is.
#[test]
fn without_a_kubeconfig_nothing_is_signed() {
    let mut c = cluster(|| vec![Controller::boxed(Signer)]);
    config_map(&mut c, json!({"jws-kubeconfig-abc123": "old"}));
    token(&mut c, "abc123", json!({}));
    assert_eq!(run(&mut c), [""; 0]);
}

/// `pkg/controller/bootstrap/tokencleaner_test.go`: `TestCleanerNoExpiration`, `TestCleanerExpired`, `TestCleanerNotExpired`,
/// `TestCleanerExpiredAt`.
#[test]
fn a_token_goes_at_its_moment_and_nobody_waits_for_it() {
    let mut c = cluster(|| vec![Controller::boxed(TokenCleaner), Controller::boxed(Signer)]);
    config_map(&mut c, json!({"kubeconfig": "payload"}));
    let start = c.now();
    let after = |hours: i64| json!({"expiration": seconds(later(start, SignedDuration::from_hours(hours))).to_string()});
    token(&mut c, "always", json!({}));
    token(&mut c, "tooold", after(-1));
    token(&mut c, "wrong0", json!({"expiration": "tomorrow"}));
    token(&mut c, "abc123", after(24));
    let goes = |id: &str| format!("token-cleaner: delete {}", token_key(id));
    let did = run(&mut c);
    assert!(did.contains(&goes("tooold")) && did.contains(&goes("wrong0")), "{did:?}");
    assert_eq!((did.iter().filter(|d| d.contains("delete")).count(), c.now()), (2, start));
    let keys = |c: &Cluster| data(c).as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&c), ["jws-kubeconfig-abc123", "jws-kubeconfig-always", "kubeconfig"]);

    c.act(&Action::Advance).unwrap();
    assert_eq!(c.now().duration_since(start), SignedDuration::from_hours(24));
    assert_eq!(run(&mut c), [goes("abc123"), SIGNS.to_owned()]);
    assert_eq!(keys(&c), ["jws-kubeconfig-always", "kubeconfig"]);
}

/// A token that somebody deletes, or that is to stay, is not waited for.
#[test]
fn the_moment_of_a_token_that_is_gone_does_not_come() {
    let mut c = cluster(|| vec![Controller::boxed(TokenCleaner)]);
    let advances = |c: &Cluster| c.enabled().contains(&Action::Advance);
    let time = seconds(later(c.now(), SignedDuration::from_hours(1))).to_string();
    for id in ["aaaaaa", "bbbbbb"] {
        token(&mut c, id, json!({"expiration": time}));
    }
    assert_eq!(run(&mut c), [""; 0]);
    assert!(advances(&c));
    request(&mut c, Verb::Delete, Kind::SECRET, token_key("aaaaaa"), Body::None);
    let change = Patch::Merge(json!({"data": {"expiration": null}}));
    request(&mut c, Verb::Patch, Kind::SECRET, token_key("bbbbbb"), Body::Patch(change));
    assert_eq!(run(&mut c), [""; 0]);
    assert!(!advances(&c));
}
