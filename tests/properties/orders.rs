//! The same from the same; and the same end on every way.

use proptest::prelude::*;
use serde_json::Value;
use steady::api::Kind;
use steady::cluster::Cluster;

use crate::machine::{Case, Deed, Run, case};

/// Runs a case; `step` takes each step.
fn drive(case: &Case, mut step: impl FnMut(&mut Run, &steady::cluster::Action)) -> Run {
    let mut run = Run::new(case);
    run.perform(&Deed::Apply);
    for (pause, deed) in case.deeds.iter().chain([&(150, Deed::Resume)]) {
        for _ in 0..*pause {
            let Some(action) = run.choose() else { break };
            step(&mut run, &action);
        }
        run.perform(deed);
    }
    run
}

/// What is left of objects without what every run has of its own: names, uids, moments, nodes.
fn essence(c: &Cluster) -> Vec<String> {
    let mut all = Vec::new();
    for kind in [Kind::Deployment, Kind::ReplicaSet, Kind::Pod] {
        for (_, r) in c.api().etcd().range(kind, Some("default")) {
            let mut value = r.object.to_value();
            strip(&mut value, kind);
            all.push(format!("{kind:?} {value}"));
        }
    }
    all.sort();
    all
}

/// Whether the controller has seen the last edit.
fn was_seen(c: &Cluster) -> bool {
    c.api().etcd().range(Kind::Deployment, Some("default")).all(|(_, r)| {
        let d = r.object.get::<steady::api::types::Deployment>().unwrap();
        d.status.as_ref().and_then(|s| s.observed_generation) == d.metadata.generation
    })
}

fn strip(value: &mut Value, kind: Kind) {
    match value {
        Value::Object(fields) => {
            fields.retain(|k, _| {
                let own = [
                    "kubectl.kubernetes.io/last-applied-configuration",
                    "uid",
                    "resourceVersion",
                    "creationTimestamp",
                    "nodeName",
                    "hostIP",
                    "hostIPs",
                    "podIP",
                ];
                let moment = k.ends_with("Time") || k.ends_with("At");
                // How often a ReplicaSet was scaled depends on the way, and so does which pod it was.
                let counted = kind == Kind::ReplicaSet && k.ends_with("eneration");
                let name = kind == Kind::Pod && k == "name";
                !own.contains(&&**k) && !moment && !counted && !name && k != "podIPs" && k != "containerID"
            });
            fields.values_mut().for_each(|v| strip(v, kind));
        }
        Value::Array(items) => items.iter_mut().for_each(|v| strip(v, kind)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(crate::cases(10))]

    /// Twice the same; and a copy that goes on by itself does what the original does. The first
    /// step from a cluster takes the running syncs along, so the second runs them again from what
    /// they are made of.
    #[test]
    fn a_run_is_what_it_is_made_of(case in case(true, 4)) {
        let mut n = 0;
        let last = drive(&case, |run, action| {
            n += 1;
            let look = n % 16 == 0;
            let before = look.then(|| run.cluster.digest());
            let copy = run.cluster.clone();
            let (first, t) = run.cluster.step(action).unwrap();
            let (second, again) = run.cluster.step(action).unwrap();
            let (third, once_more) = copy.step(action).unwrap();
            assert_eq!(t, again);
            assert_eq!(t, once_more);
            if look {
                let digest = first.digest();
                assert_eq!(digest, second.digest());
                assert_eq!(digest, third.digest());
                assert_eq!(before.unwrap(), run.cluster.digest(), "the original is as it was");
                assert_eq!(copy.digest(), run.cluster.digest());
            }
            run.cluster = match n % 3 {
                0 => first,
                1 => second,
                _ => third,
            };
        });
        let straight = drive(&case, |run, action| {
            run.cluster.act(action).unwrap();
        });
        assert_eq!(last.cluster.digest(), straight.cluster.digest());
    }
}

proptest! {
    #![proptest_config(crate::cases(24))]

    /// Where nothing goes wrong, every order leads to the same end.
    #[test]
    fn all_orders_end_alike(case in case(false, 3), seeds in prop::array::uniform2(any::<u64>())) {
        let end = |seed: Option<u64>| {
            let case = Case { seed: seed.unwrap_or(0), ..case.clone() };
            let mut run = Run::new(&case);
            run.perform(&Deed::Apply);
            for (pause, deed) in &case.deeds {
                for n in 0.. {
                    // A template that nobody has seen would leave nothing behind.
                    if n >= *pause && was_seen(&run.cluster) {
                        break;
                    }
                    let action = if seed.is_some() { run.choose() } else { run.cluster.fair() };
                    let Some(action) = action else { break };
                    run.cluster.act(&action).unwrap();
                }
                run.perform(deed);
            }
            for _ in 0..100_000 {
                let action = if seed.is_some() { run.choose() } else { run.cluster.fair() };
                let Some(action) = action else { break };
                run.cluster.act(&action).unwrap();
            }
            assert!(run.cluster.is_steady());
            essence(&run.cluster)
        };
        let fair = end(None);
        for seed in seeds {
            let other = end(Some(seed));
            let only = |a: &[String], b: &[String]| -> Vec<String> {
                a.iter().filter(|x| !b.contains(x)).cloned().collect()
            };
            assert_eq!(only(&fair, &other), only(&other, &fair));
            assert_eq!(fair.len(), other.len());
        }
    }
}
