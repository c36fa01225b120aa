#![allow(clippy::unwrap_used)]
use std::rc::Rc;

use super::fingerprint::Fingerprints;
use super::normal::{Able, Normal, normal};
use super::*;
use crate::api::pod::is_active;
use crate::api::types::Pod;
use crate::api::{Key, Kind, MetaExt};
use crate::apimachinery::DeleteOptions;
use crate::client::{Context, Controller, Reconciler, Result as SyncResult, Watches};
use crate::cluster::Config;
use crate::session::{Session, Start, scenario};

/// A session in which the first scenario's Deployment is applied.
fn applied(nodes: usize, replicas: i32) -> Session {
    apply(Session::new(Start { nodes, ..Start::default() }), replicas)
}

fn apply(mut s: Session, replicas: i32) -> Session {
    let manifest = scenario::all().remove(0).manifest;
    s.apply(&manifest.replace("replicas: 3", &format!("replicas: {replicas}")));
    s
}

fn all(s: &Session, symmetry: Symmetry) -> Explorer {
    let options = Options { symmetry, states: 5_000, ..Options::default() };
    let mut e = Explorer::new(s.cluster(), options, builtin());
    while e.explore(100) {}
    e
}

#[test]
fn a_deployment_ends_in_one_state_whatever_the_order() {
    for (nodes, replicas) in [(1, 1), (2, 2)] {
        let r = all(&applied(nodes, replicas), Symmetry::Merged).report();
        assert!(r.complete && r.endless.is_none() && r.broken.is_empty(), "{r:?}");
        assert_eq!(r.outcomes.len(), 1, "{r:?}");
        assert!(r.shortest <= r.longest, "{r:?}");
    }
}

#[test]
fn sets_end_in_one_state_whatever_the_order() {
    let template = "{metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}";
    let set = |kind: &str, more: &str| {
        format!(
            "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: s}}\nspec: {{selector: {{matchLabels: {{a: b}}}}, \
             template: {template}{more}}}\n"
        )
    };
    for manifest in [
        set("StatefulSet", ", serviceName: s, replicas: 2"),
        set("StatefulSet", ", serviceName: s, replicas: 2, podManagementPolicy: Parallel"),
        set("DaemonSet", ""),
    ] {
        let mut s = Session::new(Start { nodes: 2, ..Start::default() });
        assert_eq!(s.apply(&manifest).exit, 0, "{manifest}");
        let r = all(&s, Symmetry::Merged).report();
        assert!(r.complete && r.endless.is_none() && r.broken.is_empty(), "{manifest}: {r:?}");
        assert_eq!(r.outcomes.len(), 1, "{manifest}: {r:?}");
    }
}

#[test]
fn what_a_scenario_does_by_itself_ends_in_one_state() {
    for id in ["02-self-healing", "08-orphan-adopt"] {
        let mut s = scenario::find(id).unwrap().open();
        // If a scenario waits for a person, its first proposal is carried out.
        if let Some(t) = scenario::find(id).unwrap().tries.first() {
            scenario::find(id).unwrap().perform(&mut s, &t.deed);
        }
        let r = all(&s, Symmetry::Merged).report();
        assert!(r.complete && r.broken.is_empty(), "{id}: {r:?}");
        assert_eq!(r.outcomes.len(), 1, "{id}: {r:?}");
    }
}

/// An autoscaler and a person scale the same Deployment. The autoscaler is the last to look, whoever goes first.
#[test]
fn an_autoscaler_corrects_a_person_in_every_order() {
    let mut s = applied(1, 1);
    let scaler = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec: \
                  {minReplicas: 2, maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}\n";
    assert_eq!(s.apply(scaler).exit, 0);
    while s.step(Depth::Command, None) {}
    assert_eq!(s.kubectl("scale deployment web --replicas=1", &[]).exit, 0);
    let e = all(&s, Symmetry::Merged);
    let r = e.report();
    assert!(r.complete && r.endless.is_none() && r.broken.is_empty(), "{r:?}");
    assert!(!r.outcomes.is_empty(), "{r:?}");
    for ending in &r.outcomes {
        let cluster = e.cluster(ending.state).unwrap();
        let at = crate::api::ObjectRef::new(Kind::DEPLOYMENT, "default", "web");
        let object = &cluster.api().etcd().get(&at).unwrap().object;
        let replicas = object.get::<crate::api::types::Deployment>().unwrap().spec.as_ref().unwrap().replicas;
        assert_eq!(replicas, Some(2));
    }
}

#[test]
fn a_way_that_was_found_is_a_run() {
    let mut s = applied(2, 2);
    let e = all(&s, Symmetry::Merged);
    let ending = e.report().outcomes.remove(0);
    let way = e.path(ending.state);
    assert_eq!(e.states()[ending.state].steps, way.len());
    follow(&mut s, Depth::Command, &way).unwrap();
    assert!(s.cluster().is_steady());
    let objects = Fingerprints::new(Symmetry::Merged).of_objects(s.cluster());
    assert_eq!(Some(objects), e.states()[ending.state].objects);
    // A path that does not exist is refused.
    assert_eq!(follow(&mut s, Depth::Command, &way), Err(Diverged { at: 0 }));
}

/// States may be merged only if they continue in the same way. Then every state of every run is one that was
/// found.
#[test]
fn every_run_stays_within_what_was_explored() {
    let s = applied(2, 2);
    let e = all(&s, Symmetry::Merged);
    assert!(e.report().complete);
    let mut fingerprints = Fingerprints::new(Symmetry::Merged);
    for seed in 0u64..12 {
        let mut chance = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut here = normal(s.cluster().clone(), Depth::Command, &mut Able::default()).unwrap();
        let mut at = 0;
        loop {
            let id = e.graph.find(fingerprints.of(&here.cluster));
            assert_eq!(id, Some(at), "seed {seed}");
            if here.is_steady() {
                break;
            }
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let choice = here.choices[(chance >> 33) as usize % here.choices.len()];
            let chosen = here.take(choice).unwrap().unwrap();
            // Objects may have other names than in the representative, and choices may differ, but the
            // states have to be the same.
            let next = normal(chosen.after, Depth::Command, &mut Able::default()).unwrap();
            let to = e.graph.find(fingerprints.of(&next.cluster)).unwrap();
            assert!(e.states()[at].next.iter().any(|edge| edge.to == to), "seed {seed}");
            (here, at) = (next, to);
        }
        assert!(e.states()[at].steady);
    }
}

/// Clusters that are explored to their end, at both depths at which components have heard of everything.
fn small() -> Vec<(Session, Depth, Symmetry)> {
    let commands = (applied(2, 2), Depth::Command);
    let mut scaled = applied(2, 2);
    while scaled.step(Depth::Command, None) {}
    assert_eq!(scaled.kubectl("scale deployment web --replicas=1", &[]).exit, 0);
    let reconciles = (applied(1, 2), Depth::Reconcile);
    let all = [commands, (scaled, Depth::Command), reconciles];
    let both = [Symmetry::Merged, Symmetry::Distinct];
    all.into_iter().flat_map(|(s, depth)| both.map(|symmetry| (s.clone(), depth, symmetry))).collect()
}

/// What objects, components and syncs come to is remembered by their addresses. A search that remembers nothing finds the
/// same: the same fingerprint for each state, the same choices from it.
#[test]
fn what_is_remembered_changes_nothing() {
    for (s, depth, symmetry) in small() {
        let mut e = Explorer::new(s.cluster(), Options { depth, symmetry, ..Options::default() }, Vec::new());
        while e.explore(100) {}
        assert!(e.report().complete);
        let mut looked = 0;
        let mut found: Vec<Normal> = Vec::new();
        for id in 0..e.states().len() {
            let cluster = match e.states()[id].from {
                Some((from, choice)) => found[from].take(choice).unwrap().unwrap().after,
                None => s.cluster().clone(),
            };
            let known = normal(cluster.clone(), depth, &mut e.searcher.able).unwrap();
            let here = normal(cluster, depth, &mut Able::default()).unwrap();
            e.searcher.fingerprints.forget();
            let fingerprint = e.searcher.fingerprints.of(&here.cluster);
            let state = &e.states()[id];
            assert_eq!(fingerprint, state.fingerprint, "{depth:?} {symmetry:?} {id}");
            assert_eq!(here.choices, known.choices, "{depth:?} {symmetry:?} {id}");
            assert_eq!(here.is_steady(), state.steady);
            // Each choice can be taken: a component that approaches a command issues it.
            for (choice, edge) in here.choices.iter().zip(&state.next) {
                let next = here.take(*choice).unwrap().unwrap();
                assert_eq!((*choice, &next.did), (edge.choice, &*edge.did));
                looked += 1;
            }
            found.push(here);
        }
        assert_eq!(looked, e.report().edges);
    }
}

#[test]
fn interchangeable_pods_are_one_only_where_that_is_asked_for() {
    let s = applied(2, 2);
    let (merged, distinct) = (all(&s, Symmetry::Merged), all(&s, Symmetry::Distinct));
    assert!(merged.states().len() < distinct.states().len());
    assert!(distinct.report().complete);
}

#[test]
fn a_bound_is_told_and_nothing_is_claimed() {
    let s = applied(2, 2);
    let options = Options { states: 10, ..Options::default() };
    let mut e = Explorer::new(s.cluster(), options, Vec::new());
    while e.explore(5) {}
    let r = e.report();
    assert_eq!((r.states, r.complete, r.cut), (10, false, Some(Cut::States)));
    assert!(r.outcomes.is_empty());
}

/// A controller that deletes the newest pod of every Deployment, again and again.
#[derive(Clone)]
struct Fighter;

impl Reconciler for Fighter {
    type Key = Key;
    type State = ();
    fn name(&self) -> Rc<str> {
        "fighter".into()
    }
    fn watches(&self) -> Watches {
        Watches::new().for_::<Pod>()
    }
    async fn sync(self, cx: Context, key: Key) -> SyncResult {
        if cx.lister::<Pod>().get(&key).is_some_and(|p| !p.metadata.is_deleting()) {
            // At once: its kubelet would let it go a relist later, and meanwhile there would be more and more of them.
            let options = DeleteOptions { grace_period_seconds: Some(0), ..DeleteOptions::default() };
            cx.delete(Kind::POD, key, options).await?;
        }
        Ok(())
    }
}

/// An invariant that a person might write: no pod is deleted.
struct NobodyIsDeleted;

impl Invariant for NobodyIsDeleted {
    fn name(&self) -> &'static str {
        "nobodyIsDeleted"
    }
    fn step(&self, before: &Cluster, after: &Cluster) -> std::result::Result<(), Violation> {
        let pods = |c: &Cluster| {
            let all = c.api().etcd().range(Kind::POD, None).filter_map(|(_, r)| r.object.get::<Pod>());
            all.filter(|p| is_active(p)).count()
        };
        if pods(after) < pods(before) {
            return Err(Violation::new(None, vec![("pods", pods(after).to_string())]));
        }
        Ok(())
    }
}

#[test]
fn a_controller_that_fights_is_caught_by_the_shortest_way() {
    let mut config = Config::nodes(1);
    config.controllers = Rc::new(|| {
        let mut all = crate::controllers::all(Default::default());
        all.push(Controller::boxed(Fighter));
        all
    });
    let start = Start { nodes: 1, ..Start::default() };
    let mut s = apply(Session::with_cluster(start, Cluster::new(&config)), 1);
    let start = s.at();
    let options = Options { states: 400, ..Options::default() };
    let mut e = Explorer::new(s.cluster(), options, vec![Box::new(NobodyIsDeleted)]);
    while e.explore(100) {}
    let r = e.report();
    let broken = r.broken.first().unwrap();
    let way = e.counterexample(broken);
    // The ReplicaSet is created, the pod is created, the pod is deleted: no shorter path violates the
    // invariant.
    assert_eq!(way.len(), 3, "{way:?}");
    follow(&mut s, Depth::Command, &way).unwrap();
    let last = s.current().commands().last().unwrap();
    assert_eq!((&*last.by, last.request.verb.as_str()), ("fighter", "delete"));
    // The cycle can be followed, although its states were merged.
    let endless = r.endless.unwrap();
    let mut around = e.states_to(endless.state);
    around.extend(endless.states);
    let way = e.through(&around).unwrap();
    s.goto(start);
    follow(&mut s, Depth::Command, &way).unwrap();
    // The objects are the same again. The fighter may still have the key of the deleted pod, which leads to
    // no write and distinguishes this moment from the state.
    let there = e.cluster(endless.state).unwrap();
    let fingerprints = &mut e.searcher.fingerprints;
    assert_eq!(fingerprints.of_objects(s.cluster()), fingerprints.of_objects(&there));
    assert!(e.longest().is_empty());
}
