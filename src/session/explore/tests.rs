#![allow(clippy::unwrap_used)]
use super::*;
use crate::session::{Session, Start, scenario};

fn applied(nodes: usize, replicas: i32) -> Session {
    let mut s = Session::new(Start { nodes, ..Start::default() });
    let manifest = scenario::all().remove(0).manifest;
    s.apply(&manifest.replace("replicas: 3", &format!("replicas: {replicas}")));
    s
}

fn all(s: &Session, symmetry: Symmetry) -> Explorer {
    let options = Options { symmetry, states: 20_000, ..Options::default() };
    let mut e = Explorer::new(s.cluster(), options, builtin());
    while e.explore(100) {}
    e
}

#[test]
fn a_deployment_ends_in_one_state_whatever_the_order() {
    for (nodes, replicas) in [(1, 1), (1, 2), (2, 2)] {
        let s = applied(nodes, replicas);
        let e = all(&s, Symmetry::Merged);
        let r = e.report();
        println!("{nodes} nodes {replicas} replicas: {r:?}");
        assert!(r.complete, "{r:?}");
        assert_eq!(r.outcomes.len(), 1, "{r:?}");
        assert!(r.endless.is_none() && r.broken.is_empty(), "{r:?}");
    }
}

#[test]
fn a_way_that_was_found_is_a_run() {
    let mut s = applied(2, 2);
    let e = all(&s, Symmetry::Merged);
    let ending = e.report().outcomes.remove(0);
    follow(&mut s, Depth::Command, &e.path(ending.state)).unwrap();
    assert!(s.cluster().is_steady());
    let mut f = Fingerprints::new(Symmetry::Merged);
    assert_eq!(e.states()[ending.state].steps, e.path(ending.state).len());
    let mut other = Fingerprints::new(Symmetry::Merged);
    assert_eq!(f.of_objects(s.cluster()), other.of_objects(s.cluster()));
    assert_eq!(f.of_objects(s.cluster()), e.states()[ending.state].objects);
}
