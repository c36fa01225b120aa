#![allow(clippy::unwrap_used)]

use std::rc::Rc;

use serde_json::json;

use crate::api::{Key, Kind, MetaExt, Object, ObjectRef};
use crate::apimachinery::{Body, DeleteOptions, Propagation, Request, Verb};
use crate::client::Controller;
use crate::cluster::{Cluster, Command, Config};
use crate::controllers::deployment::DeploymentController;
use crate::controllers::garbage_collector::GarbageCollector;
use crate::controllers::replicaset::ReplicaSetController;

fn cluster(controllers: fn() -> Vec<Box<dyn crate::client::Component>>) -> Cluster {
    let config = Config {
        controllers: Rc::new(controllers),
        scheduler: Rc::new(Vec::new),
        kubelet: Rc::new(|_| Vec::new()),
        ..Config::nodes(0)
    };
    Cluster::new(&config)
}

fn workloads() -> Cluster {
    cluster(|| {
        vec![
            Controller::boxed(DeploymentController),
            Controller::boxed(ReplicaSetController),
            Controller::boxed(GarbageCollector),
        ]
    })
}

fn alone() -> Cluster {
    cluster(|| vec![Controller::boxed(GarbageCollector)])
}

fn create(c: &mut Cluster, kind: Kind, value: serde_json::Value) -> Object {
    let object = Object::from_value(kind, value).unwrap();
    let r = Request::new(&"kubectl".into(), Verb::Create, kind, object.key());
    c.request(&r.body(Body::Object(object))).0.object().unwrap().unwrap()
}

fn delete(c: &mut Cluster, kind: Kind, name: &str, policy: Propagation) {
    let options = DeleteOptions { propagation_policy: Some(policy), ..Default::default() };
    let r = Request::new(&"kubectl".into(), Verb::Delete, kind, Key::new("default", name));
    c.request(&r.body(Body::Delete(options))).0.object().unwrap();
}

fn run(c: &mut Cluster) -> Vec<Command> {
    let mut commands = Vec::new();
    assert!(c.run_to_steady(1000, |_, command| commands.push(command.clone())));
    commands
}

/// The collector's commands, as `verb kind rule`.
fn collected(commands: &[Command]) -> Vec<String> {
    let of = |c: &Command| {
        let rule = c.why.as_ref().map_or("", |w| w.rule);
        format!("{} {} {rule}", c.request.verb_string(), c.request.kind.as_str())
    };
    commands.iter().filter(|c| &*c.by == "garbage-collector-controller").map(of).collect()
}

fn count(c: &Cluster, kind: Kind) -> usize {
    c.api().etcd().range(kind, Some("default")).count()
}

fn deployment(c: &mut Cluster) {
    let web = json!({
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "c", "image": "nginx"}]},
            },
        },
    });
    create(c, Kind::DEPLOYMENT, web);
    run(c);
    assert_eq!((count(c, Kind::REPLICA_SET), count(c, Kind::POD)), (1, 2));
}

fn config_map(name: &str, owners: &[(&str, &Object)]) -> serde_json::Value {
    let owners: Vec<_> = owners
        .iter()
        .map(|(name, o)| json!({"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": o.uid()}))
        .collect();
    json!({"metadata": {"name": name, "namespace": "default", "ownerReferences": owners}})
}

#[test]
fn in_the_background_the_owner_goes_first() {
    let mut c = workloads();
    deployment(&mut c);
    delete(&mut c, Kind::DEPLOYMENT, "web", Propagation::Background);
    assert_eq!(count(&c, Kind::DEPLOYMENT), 0);
    let did = collected(&run(&mut c));
    assert_eq!(did[0], "delete ReplicaSet attempt_to_delete.absent_owner");
    assert_eq!(did[1..], ["delete Pod attempt_to_delete.absent_owner"; 2]);
    assert_eq!((count(&c, Kind::REPLICA_SET), count(&c, Kind::POD)), (0, 0));
}

#[test]
fn in_the_foreground_it_goes_last() {
    let mut c = workloads();
    deployment(&mut c);
    delete(&mut c, Kind::DEPLOYMENT, "web", Propagation::Foreground);
    let did = collected(&run(&mut c));
    assert_eq!(did[0], "delete ReplicaSet attempt_to_delete.foreground");
    assert_eq!(did[1..3], ["delete Pod attempt_to_delete.waiting_owner"; 2]);
    assert_eq!(did[3], "patch ReplicaSet process_deleting_dependents.remove_finalizer");
    assert_eq!(did[4], "patch Deployment process_deleting_dependents.remove_finalizer");
    assert_eq!(did.len(), 5);
    assert_eq!(count(&c, Kind::DEPLOYMENT), 0);
}

#[test]
fn orphans_stay() {
    let mut c = workloads();
    deployment(&mut c);
    delete(&mut c, Kind::DEPLOYMENT, "web", Propagation::Orphan);
    let did = collected(&run(&mut c));
    assert_eq!(
        did,
        ["patch ReplicaSet orphan_dependents", "patch Deployment attempt_to_orphan.remove_finalizer"]
    );
    assert_eq!((count(&c, Kind::REPLICA_SET), count(&c, Kind::POD)), (1, 2));
    let rs = c.api().etcd().range(Kind::REPLICA_SET, None).next().unwrap().1.object.clone();
    assert!(rs.meta().owners().is_empty());
}

#[test]
fn what_names_an_owner_that_never_was_goes() {
    let mut c = alone();
    let ghost = Object::from_value(Kind::CONFIG_MAP, json!({"metadata": {"uid": "ghost"}})).unwrap();
    create(&mut c, Kind::CONFIG_MAP, config_map("child", &[("ghost", &ghost)]));
    assert_eq!(collected(&run(&mut c)), ["delete ConfigMap attempt_to_delete.absent_owner"]);
}

#[test]
fn one_owner_that_is_there_is_enough_and_the_others_are_forgotten() {
    let mut c = alone();
    let a = create(&mut c, Kind::CONFIG_MAP, config_map("a", &[]));
    let b = create(&mut c, Kind::CONFIG_MAP, config_map("b", &[]));
    create(&mut c, Kind::CONFIG_MAP, config_map("child", &[("a", &a), ("b", &b)]));
    assert!(collected(&run(&mut c)).is_empty());
    delete(&mut c, Kind::CONFIG_MAP, "a", Propagation::Background);
    assert_eq!(collected(&run(&mut c)), ["patch ConfigMap attempt_to_delete.remove_references"]);
    let at = ObjectRef::new(Kind::CONFIG_MAP, "default", "child");
    let child = c.api().etcd().get(&at).unwrap().object.clone();
    assert_eq!(child.meta().owners().iter().map(|o| o.name.as_str()).collect::<Vec<_>>(), ["b"]);
    delete(&mut c, Kind::CONFIG_MAP, "b", Propagation::Background);
    assert_eq!(collected(&run(&mut c)), ["delete ConfigMap attempt_to_delete.absent_owner"]);
}

#[test]
fn a_reference_with_the_wrong_name_does_not_take_the_others_with_it() {
    let mut c = alone();
    let a = create(&mut c, Kind::CONFIG_MAP, config_map("a", &[]));
    create(&mut c, Kind::CONFIG_MAP, config_map("good", &[("a", &a)]));
    create(&mut c, Kind::CONFIG_MAP, config_map("bad", &[("other", &a)]));
    let did = run(&mut c);
    assert_eq!(collected(&did), ["delete ConfigMap attempt_to_delete.absent_owner"]);
    assert_eq!(&*did[0].request.key.name, "bad");
}

#[test]
fn an_owner_in_another_namespace_is_none_and_an_event_says_so() {
    let mut c = alone();
    let a = create(&mut c, Kind::CONFIG_MAP, config_map("a", &[]));
    let mut child = config_map("child", &[("a", &a)]);
    child["metadata"]["namespace"] = "kube-public".into();
    create(&mut c, Kind::CONFIG_MAP, child);
    let did = collected(&run(&mut c));
    assert!(did.contains(&"create Event ".to_owned()), "{did:?}");
    assert!(did.contains(&"delete ConfigMap attempt_to_delete.absent_owner".to_owned()), "{did:?}");
}

#[test]
fn a_circle_in_the_foreground_comes_to_an_end() {
    let mut c = alone();
    let a = create(&mut c, Kind::CONFIG_MAP, config_map("a", &[]));
    let mut b = config_map("b", &[("a", &a)]);
    b["metadata"]["ownerReferences"][0]["blockOwnerDeletion"] = true.into();
    let b = create(&mut c, Kind::CONFIG_MAP, b);
    let mut a2 = config_map("a", &[("b", &b)]);
    a2["metadata"]["ownerReferences"][0]["blockOwnerDeletion"] = true.into();
    a2["metadata"]["uid"] = a.uid().into();
    a2["metadata"]["resourceVersion"] = a.resource_version().into();
    let a2 = Object::from_value(Kind::CONFIG_MAP, a2).unwrap();
    let update = Request::new(&"kubectl".into(), Verb::Update, Kind::CONFIG_MAP, a2.key());
    c.request(&update.body(Body::Object(a2))).0.object().unwrap();
    run(&mut c);
    delete(&mut c, Kind::CONFIG_MAP, "a", Propagation::Foreground);
    run(&mut c);
    assert_eq!(count(&c, Kind::CONFIG_MAP), 1, "only kube-root-ca.crt is left");
}
