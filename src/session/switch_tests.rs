//! Tests of components that are switched off and on, and of informers that start and stop while a process
//! runs.
#![allow(clippy::unwrap_used)]

use std::rc::Rc;

use serde_json::{Value, json};

use super::{Depth, Link, Replay, Session, Start, scenario};
use crate::api::types::ConfigMap;
use crate::api::{Key, Kind, Object, ObjectRef, Timestamp};
use crate::apimachinery::{Body, DeleteOptions, Patch, Request, Verb};
use crate::client::{Context, Controller, Kinds, Memory, Reconciler, Result, Seen, Watches};
use crate::cluster::{Action, Cluster, Config, Fault, NoSuchFault, Outcome, Process};
use crate::controllers::root_ca_cert_publisher::Publisher;
use crate::controllers::serviceaccounts_controller::ServiceAccountsController;

const MANAGER: &str = "kube-controller-manager";

fn with(controllers: impl Fn() -> Vec<Box<dyn crate::client::Component>> + 'static) -> Cluster {
    let config = Config {
        controllers: Rc::new(controllers),
        scheduler: Rc::new(Vec::new),
        kubelet: Rc::new(|_| Vec::new()),
        addons: Rc::new(Vec::new),
        ..Config::nodes(0)
    };
    Cluster::new(&config)
}

fn request(c: &mut Cluster, verb: Verb, kind: Kind, key: Key, body: Body) {
    assert!(c.request(&Request::new(&"kubectl".into(), verb, kind, key).body(body)).0.code() < 300);
}

fn create(c: &mut Cluster, kind: Kind, value: Value) {
    let object = Object::from_value(kind, value).unwrap();
    request(c, Verb::Create, kind, object.key(), Body::Object(object));
}

fn controllers(list: &str) -> Fault {
    Fault::Controllers { process: MANAGER.into(), controllers: list.into() }
}

fn manager(c: &Cluster) -> &Process {
    c.processes().find(|p| &*p.name == MANAGER).unwrap()
}

/// The kinds with a running informer.
fn watched(c: &Cluster) -> Vec<Kind> {
    manager(c).informers.iter().filter(|n| !n.is_stopped()).map(|n| n.kind).collect()
}

#[test]
fn what_is_switched_off_does_nothing_and_its_informers_stop_that_nobody_else_needs() {
    let mut c = with(|| vec![Controller::boxed(ServiceAccountsController), Controller::boxed(Publisher)]);
    assert_eq!(watched(&c), [Kind::NAMESPACE, Kind::SERVICE_ACCOUNT, Kind::CONFIG_MAP]);
    let before = c.clone();
    c.fault(&controllers("*,-root-ca-cert-publisher")).unwrap();
    assert_eq!(watched(&c), [Kind::NAMESPACE, Kind::SERVICE_ACCOUNT]);
    assert!(manager(&c).caches.of(Kind::CONFIG_MAP).is_empty());
    assert!(!manager(&before).caches.of(Kind::CONFIG_MAP).is_empty(), "a cluster is a value");
    assert_ne!(c.digest(), before.digest());

    create(&mut c, Kind::NAMESPACE, json!({"metadata": {"name": "team"}}));
    assert!(c.run_to_steady(100, |_, k| assert_eq!(&*k.by, "serviceaccount-controller")));
    let certificate = ObjectRef::new(Kind::CONFIG_MAP, "team", "kube-root-ca.crt");
    assert!(c.api().etcd().get(&certificate).is_none());

    // The component lists ConfigMaps again. The informer of Namespaces has run on, so it notifies the
    // component of all.
    c.fault(&controllers("*")).unwrap();
    assert_eq!(watched(&c).len(), 3);
    let lists = |c: &Cluster| c.enabled().iter().filter(|a| matches!(a, Action::List { .. })).count();
    assert_eq!(lists(&c), 1);
    assert!(c.run_to_steady(100, |_, _| {}));
    assert!(c.api().etcd().get(&certificate).is_some());
}

#[test]
fn a_sync_under_way_is_lost_and_so_are_its_deadlines() {
    let mut s = Session::new(Start::default());
    s.apply(&scenario::find("01-first-deployment").unwrap().manifest);
    s.step(Depth::Command, None);
    let mut c = s.cluster().clone();
    let rs = c.actor_at("kube-controller-manager:replicaset-controller").unwrap();
    while !c.is_in_sync(rs) {
        c.act(&c.next_for(rs).unwrap()).unwrap();
    }
    assert!(c.enabled().contains(&Action::Send { actor: rs }));
    c.fault(&controllers("*,-replicaset")).unwrap();
    assert_eq!(c.next_for(rs), None);
    assert!(c.enabled().iter().all(|a| *a != Action::Send { actor: rs }));
    assert!(c.act(&Action::Send { actor: rs }).is_err());
    assert!(c.clock().deadlines().all(|(_, actor, _)| actor != rs));
    c.run_to_steady(100, |_, _| {});
    assert_eq!(c.api().etcd().range(Kind::POD, None).count(), 0);
    c.fault(&controllers("*")).unwrap();
    assert!(c.run_to_steady(1000, |_, _| {}));
    assert_eq!(c.api().etcd().range(Kind::POD, None).count(), 3);
}

#[test]
fn what_is_not_there_or_is_so_already_is_refused_and_a_restart_changes_no_switch() {
    let mut c = Cluster::new(&Config::nodes(1));
    // As it is at the start: the star does not mean the controllers of bootstrap tokens.
    let all = "*,bootstrap-signer-controller,token-cleaner-controller";
    for list in [all, "*,-deploymant", "", "*,", "-"] {
        assert_eq!(c.fault(&controllers(list)), Err(NoSuchFault), "{list}");
    }
    // A controller is known by its name and by its aliases.
    for alias in ["replicationcontroller-controller", "endpointslicemirroring", "podgc"] {
        assert_eq!(c.clone().fault(&controllers(&format!("*,-{alias}"))), Ok(()), "{alias}");
    }
    c.fault(&controllers("deployment")).unwrap();
    let on = |c: &Cluster| manager(c).switches().filter(|(_, on)| *on).map(|(n, _)| n).collect::<Vec<_>>();
    assert_eq!(on(&c), ["deployment-controller".into()]);
    assert_eq!(watched(&c).len(), 3);
    c.fault(&Fault::Restart { process: MANAGER.into(), node: None }).unwrap();
    assert_eq!((on(&c).len(), watched(&c).len()), (1, 3));
    c.fault(&Fault::Replicate { process: MANAGER.into() }).unwrap();
    assert_eq!(on(&c), ["deployment-controller".into()], "the elector is no controller");
    let _ = c.settle();
}

#[test]
fn a_link_carries_it_in_a_version_of_its_own() {
    let mut s = Session::new(Start::default());
    s.apply(&scenario::find("01-first-deployment").unwrap().manifest);
    assert!(Link::of(&s).encode().starts_with('a'));
    s.step(Depth::Command, None);
    s.fault(&controllers("*,-replicaset")).unwrap();
    while s.step(Depth::Command, None) {}
    s.fault(&controllers("*")).unwrap();
    while s.step(Depth::Command, None) {}
    let text = Link::of(&s).encode();
    assert!(text.starts_with('c'));
    let again = Replay::new(&Link::decode(&text).unwrap()).finish();
    assert!(again.same);
    assert_eq!(again.session.cluster().digest(), s.cluster().digest());
}

/// A component that watches the kinds that a ConfigMap names, and remembers what it was notified of.
#[derive(Clone)]
struct Curator;

#[derive(Clone)]
struct Collection {
    kinds: Kinds,
    heard: Vec<String>,
}

impl Default for Collection {
    fn default() -> Collection {
        Collection { kinds: Rc::new([]), heard: Vec::new() }
    }
}

impl Memory for Collection {
    fn lines(&self, _: Timestamp) -> Vec<String> {
        self.heard.clone()
    }
}

fn handle_config_map(cx: &mut crate::client::Handler<'_, Collection>, seen: Seen<'_, ConfigMap>) {
    let named = |map: &Rc<ConfigMap>| -> Kinds {
        let names = map.data.iter().flatten().flat_map(|(_, names)| names.split(' '));
        names.filter_map(|n| Kind::BUILT_IN.iter().copied().find(|k| k.as_str() == n)).collect()
    };
    if &*seen.key.name == "kinds" {
        cx.state.kinds = seen.new.map(named).unwrap_or_else(|| Rc::new([]));
    }
}

impl Reconciler for Curator {
    type Key = Key;
    type State = Collection;
    fn name(&self) -> Rc<str> {
        "curator".into()
    }
    fn watches(&self) -> Watches<Collection> {
        Watches::new().watches(handle_config_map).known(
            |s| &s.kinds,
            |cx, seen| {
                let what = if seen.new.is_some() { "has" } else { "lost" };
                cx.state.heard.push(format!("{what} {}", seen.key));
            },
        )
    }
    async fn sync(self, _: Context<Collection>, _: Key) -> Result {
        Ok(())
    }
}

#[test]
fn informers_follow_the_kinds_that_a_component_knows() {
    let mut c = with(|| vec![Controller::boxed(Curator), Controller::boxed(ServiceAccountsController)]);
    let kinds = |names: &str| json!({"metadata": {"name": "kinds", "namespace": "default"}, "data": {"names": names}});
    create(&mut c, Kind::SECRET, json!({"metadata": {"name": "s", "namespace": "default"}}));
    create(&mut c, Kind::CONFIG_MAP, kinds("Secret Namespace"));
    let curator = c.actor_at("kube-controller-manager:curator").unwrap();
    let followed = |c: &mut Cluster| loop {
        let action = c.next_for(curator).unwrap();
        match c.act(&action).unwrap().outcome {
            Outcome::Informers { started, stopped } => return (started, stopped),
            _ => assert_ne!(action, Action::Informers { actor: curator }),
        }
    };
    assert_eq!(followed(&mut c), (vec![Kind::SECRET, Kind::NAMESPACE], vec![]));
    assert_eq!(watched(&c), [Kind::CONFIG_MAP, Kind::NAMESPACE, Kind::SERVICE_ACCOUNT, Kind::SECRET]);
    c.settle().unwrap();
    let heard = |c: &Cluster| c.component(curator).unwrap().memory(&manager(c).caches, c.now());
    assert!(heard(&c).contains(&"has default/s".to_owned()), "a new informer lists");
    assert!(heard(&c).contains(&"has kube-system".to_owned()), "one that runs tells what it has");
    let watches = |c: &Cluster| manager(c).informers.iter().filter(|n| n.watch.is_some()).count();
    assert_eq!(watches(&c), 4);

    let change = Patch::Merge(json!({"data": {"names": "Service"}}));
    request(&mut c, Verb::Patch, Kind::CONFIG_MAP, Key::new("default", "kinds"), Body::Patch(change));
    assert_eq!(followed(&mut c), (vec![Kind::SERVICE], vec![Kind::NAMESPACE, Kind::SECRET]));
    // Namespaces are watched for the other controller. Another informer has the place of that of Secrets.
    assert_eq!(watched(&c), [Kind::CONFIG_MAP, Kind::NAMESPACE, Kind::SERVICE_ACCOUNT, Kind::SERVICE]);
    assert!(manager(&c).caches.of(Kind::SECRET).is_empty());
    c.settle().unwrap();
    let before = heard(&c);
    let gone = Body::Delete(DeleteOptions::default());
    request(&mut c, Verb::Delete, Kind::SECRET, Key::new("default", "s"), gone);
    c.settle().unwrap();
    assert_eq!(heard(&c), before, "nothing is heard of what is watched no more");
    assert_eq!(watches(&c), 4);

    // A restart forgets the kinds. The component reads them from the ConfigMap again.
    c.fault(&Fault::Restart { process: MANAGER.into(), node: None }).unwrap();
    assert_eq!(watched(&c), [Kind::CONFIG_MAP, Kind::NAMESPACE, Kind::SERVICE_ACCOUNT]);
    c.settle().unwrap();
    assert!(watched(&c).contains(&Kind::SERVICE));
}
