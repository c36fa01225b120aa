#![allow(clippy::unwrap_used)]

use std::rc::Rc;

use jiff::SignedDuration;
use serde_json::{Value, json};

use super::sets::run_up_to;
use crate::api::{Key, Kind, Object, ObjectRef};
use crate::apimachinery::{Body, DeleteOptions, Patch, Request, Subresource, Verb};
use crate::client::Controller;
use crate::cluster::{Cluster, Command, Config};
use crate::controllers::garbage_collector::GarbageCollector;
use crate::controllers::namespace::NamespaceController;
use crate::controllers::root_ca_cert_publisher::Publisher;
use crate::controllers::serviceaccounts_controller::ServiceAccountsController;

fn doomed() -> Cluster {
    let config = Config {
        controllers: Rc::new(|| {
            vec![
                Controller::boxed(GarbageCollector),
                Controller::boxed(NamespaceController),
                Controller::boxed(ServiceAccountsController),
                Controller::boxed(Publisher),
            ]
        }),
        scheduler: Rc::new(Vec::new),
        kubelet: Rc::new(|_| Vec::new()),
        ..Config::nodes(1)
    };
    let mut c = Cluster::new(&config);
    create(&mut c, Kind::NAMESPACE, json!({"metadata": {"name": "doomed"}}));
    run(&mut c);
    c
}

fn request(c: &mut Cluster, verb: Verb, kind: Kind, key: Key, body: Body) {
    c.request(&Request::new(&"kubectl".into(), verb, kind, key).body(body)).0.object().unwrap();
}

fn create(c: &mut Cluster, kind: Kind, value: Value) {
    let object = Object::from_value(kind, value).unwrap();
    request(c, Verb::Create, kind, object.key(), Body::Object(object));
}

fn delete_namespace(c: &mut Cluster) {
    request(c, Verb::Delete, Kind::NAMESPACE, Key::new("", "doomed"), Body::Delete(DeleteOptions::default()));
}

fn run(c: &mut Cluster) -> Vec<Command> {
    let mut commands = Vec::new();
    assert!(c.run_to_steady(200, |_, command| commands.push(command.clone())), "it comes to rest");
    commands
}

fn of_namespace_controller(commands: &[Command]) -> Vec<String> {
    let of = |c: &Command| {
        let code = if c.response.code() < 400 { String::new() } else { format!(" {}", c.response.code()) };
        format!("{} {}{code}", c.request.verb_string(), c.request.kind.as_str())
    };
    commands.iter().filter(|c| &*c.by == "namespace-controller").map(of).collect()
}

fn exists(c: &Cluster, kind: Kind, namespace: &str, name: &str) -> bool {
    c.api().etcd().get(&ObjectRef::new(kind, namespace, name)).is_some()
}

#[test]
fn after_five_seconds_everything_goes_and_then_the_namespace() {
    let mut c = doomed();
    delete_namespace(&mut c);
    let before = c.now();
    let did = run(&mut c);
    assert_eq!(did[0].at.duration_since(before), SignedDuration::from_secs(5));
    assert_eq!(
        of_namespace_controller(&did),
        [
            "deletecollection ConfigMap",
            "deletecollection ServiceAccount",
            "update/status Namespace",
            // The controller's own status update came in between.
            "update/finalize Namespace 409",
            "update/finalize Namespace",
        ]
    );
    assert!(!exists(&c, Kind::NAMESPACE, "", "doomed"));
}

#[test]
fn pods_go_first_and_a_finalizer_holds_it_until_somebody_takes_it_away() {
    let mut c = doomed();
    create(
        &mut c,
        Kind::POD,
        json!({
            "metadata": {"name": "p", "namespace": "doomed"},
            "spec": {"nodeName": "node-1", "containers": [{"name": "c", "image": "nginx"}]},
        }),
    );
    create(
        &mut c,
        Kind::CONFIG_MAP,
        json!({
            "metadata": {"name": "held", "namespace": "doomed", "finalizers": ["example.com/hold"]},
        }),
    );
    delete_namespace(&mut c);
    let did = run(&mut c);
    // No kubelet reports the pod's end, so the controller only retries.
    assert_eq!(
        of_namespace_controller(&did),
        ["deletecollection Pod", "update/status Namespace", "deletecollection Pod"]
    );
    assert!(exists(&c, Kind::SERVICE_ACCOUNT, "doomed", "default"));

    let now = DeleteOptions { grace_period_seconds: Some(0), ..Default::default() };
    request(&mut c, Verb::Delete, Kind::POD, Key::new("doomed", "p"), Body::Delete(now));
    assert!(!c.is_steady(), "a poll is worth waiting for when something has changed");
    run(&mut c);
    let ns = c.api().etcd().get(&ObjectRef::new(Kind::NAMESPACE, "", "doomed")).unwrap().object.to_value();
    let message = |i: usize| ns["status"]["conditions"][i]["message"].as_str().unwrap().to_owned();
    assert_eq!(message(3), "Some resources are remaining: configmaps. has 1 resource instances");
    assert_eq!(
        message(4),
        "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances"
    );
    assert!(c.is_steady());

    let change = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    request(&mut c, Verb::Patch, Kind::CONFIG_MAP, Key::new("doomed", "held"), Body::Patch(change));
    let did = of_namespace_controller(&run(&mut c));
    assert_eq!(
        did,
        ["update/status Namespace", "update/finalize Namespace 409", "update/finalize Namespace"]
    );
    assert!(!exists(&c, Kind::NAMESPACE, "", "doomed"));
}

/// `deleteAllContent` in `pkg/controller/namespace/deletion/namespaced_resources_deleter.go` goes on if the conditions cannot be
/// written.
#[test]
fn conditions_that_meet_a_conflict_do_not_hold_the_namespace() {
    let mut c = doomed();
    delete_namespace(&mut c);
    let is_status = std::cell::Cell::new(false);
    let of_the_namespace = |r: &Request| {
        let is = r.verb == Verb::Update && r.kind == Kind::NAMESPACE;
        if is {
            is_status.set(r.subresource == Subresource::Status);
        }
        is
    };
    let send = run_up_to(&mut c, of_the_namespace);
    assert!(is_status.get());
    let labels = Body::Patch(Patch::Merge(json!({"metadata": {"labels": {"other": "x"}}})));
    request(&mut c, Verb::Patch, Kind::NAMESPACE, Key::new("", "doomed"), labels);
    c.act(&send).unwrap();
    run_up_to(&mut c, of_the_namespace);
    assert!(!is_status.get(), "it is finalized in the same sync");
    run(&mut c);
    assert!(!exists(&c, Kind::NAMESPACE, "", "doomed"));
}
