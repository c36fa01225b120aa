//! Runs under every policy.
#![allow(clippy::unwrap_used)]

use super::explore::objects_alike;
use super::{Depth, Link, Op, Policy, Replay, Session, Start, scenario};

fn policies() -> Vec<Policy> {
    let starved = |component: &str| Policy::Starved { component: component.into() };
    let mut all = vec![Policy::Fair, Policy::Newest];
    all.extend((1..=4).map(|seed| Policy::Random { seed }));
    all.extend(["deployment-controller", "replicaset-controller", "kube-scheduler", "kubelet"].map(starved));
    all
}

fn plain(replicas: usize) -> Session {
    let manifest = scenario::all().remove(0).manifest;
    let mut s = Session::new(Start::default());
    s.apply(&manifest.replace("replicas: 3", &format!("replicas: {replicas}")));
    s
}

/// Takes steps to the end of the run at a depth.
fn run(mut s: Session, policy: &Policy, depth: Depth) -> Session {
    s.set_policy(policy.clone());
    while s.step(depth, None) {
        assert!(s.at() < 20_000, "{policy} does not come to rest");
    }
    s
}

#[test]
fn every_policy_ends_in_the_same_steady_state() {
    for replicas in [1, 3] {
        let fair = run(plain(replicas), &Policy::Fair, Depth::Command);
        for depth in [Depth::Command, Depth::Reconcile, Depth::Machinery] {
            for policy in policies() {
                let s = run(plain(replicas), &policy, depth);
                assert!(s.cluster().is_steady(), "{policy} {depth:?}");
                assert!(objects_alike(s.cluster(), fair.cluster()), "{policy} at {depth:?}, {replicas}");
            }
        }
    }
}

#[test]
fn a_link_repeats_a_run_under_any_policy() {
    for depth in [Depth::Command, Depth::Reconcile, Depth::Machinery] {
        for policy in policies() {
            let mut s = plain(2);
            s.set_policy(policy.clone());
            for _ in 0..12 {
                s.step(depth, None);
            }
            // A chosen step in between, and random steps after it, are repeated as well.
            let choice = s.next_commands(9).last().map(|c| c.actor);
            s.step(Depth::Command, choice);
            s.kubectl("scale deployment web --replicas=3", &[]);
            let s = run(s, &policy, depth);
            let text = Link::of(&s).encode();
            assert_eq!(text.starts_with('a'), policy == Policy::Fair, "{policy}");
            assert!(text.len() < 1500, "{policy} {depth:?}: {}", text.len());
            let mut replay = Replay::new(&Link::decode(&text).unwrap());
            while !replay.advance(7) {}
            let replayed = replay.finish();
            assert!(replayed.same, "{policy} {depth:?}");
            assert_eq!(replayed.session.cluster().digest(), s.cluster().digest());
            assert_eq!(*replayed.session.policy(), policy);
            // A moment in the middle is computed again.
            let mut s = s;
            let (middle, end) = (s.timeline()[s.timeline().len() / 2], s.at());
            let digest = s.cluster().digest();
            s.goto(middle);
            s.goto(end);
            assert_eq!(s.cluster().digest(), digest);
        }
    }
}

#[test]
fn chance_is_its_seed() {
    let ways = |seed: u64| run(plain(3), &Policy::Random { seed }, Depth::Command).cluster().digest();
    assert_eq!(ways(7), ways(7));
    assert!((1..6).any(|seed| ways(seed) != ways(7)));
}

#[test]
fn whoever_is_starved_goes_when_nobody_else_can() {
    let starved = Policy::Starved { component: "kube-scheduler".into() };
    let mut s = plain(3);
    s.set_policy(starved);
    let mut others_were_able = 0;
    loop {
        let before = s.cluster().clone();
        if !s.step(Depth::Command, None) {
            break;
        }
        let command = s.current().commands()[0].clone();
        if &*command.by != "kube-scheduler" || command.waited_since.is_some() {
            continue;
        }
        // No other component that could act had something to write.
        for other in before.able().filter(|a| *a != command.actor) {
            others_were_able += usize::from(before.clone().next_command(Some(other)).is_ok());
        }
    }
    assert_eq!(others_were_able, 0);
}

#[test]
fn a_step_in_slices_follows_the_policy_too() {
    for policy in policies() {
        let (mut whole, mut sliced) = (plain(3), plain(3));
        whole.set_policy(policy.clone());
        sliced.set_policy(policy.clone());
        while whole.step(Depth::Command, None) {
            while sliced.step_within(Depth::Command, || false) == Ok(false) {}
        }
        assert_eq!(whole.cluster().digest(), sliced.cluster().digest(), "{policy}");
    }
}

#[test]
fn the_policy_may_change_on_the_way_and_back() {
    let mut s = plain(3);
    for policy in [Policy::Random { seed: 3 }, Policy::Newest, Policy::Fair] {
        s.set_policy(policy);
        for _ in 0..4 {
            assert!(s.step(Depth::Command, None));
        }
    }
    assert_eq!(s.ops(s.at()).iter().filter(|op| matches!(op, Op::Policy { .. })).count(), 8);
    // A step that was taken before is found again if the policy would take the same one.
    let end = s.at();
    s.back();
    assert!(s.step(Depth::Command, None));
    assert_eq!(s.at(), end);
}
