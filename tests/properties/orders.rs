//! Equal runs have equal results, and all orders lead to the same end.

use proptest::prelude::*;
use serde_json::Value;
use steady::api::Kind;
use steady::cluster::{Cluster, Policy};
use steady::session::{Depth, Link, Replay, Session, Start};

use crate::machine::{Case, Deed, Run, case, was_seen};

/// Runs a case; `step` takes each action.
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

/// The objects without what differs between runs: names, uids, times, nodes.
fn essence(c: &Cluster) -> Vec<String> {
    let mut all = Vec::new();
    for kind in [Kind::DEPLOYMENT, Kind::REPLICA_SET, Kind::POD] {
        for (_, r) in c.api().etcd().range(kind, Some("default")) {
            let mut value = r.object.to_value();
            strip(&mut value, kind);
            // A ReplicaSet without pods keeps the annotations from when it last had some.
            if value.pointer("/spec/replicas") == Some(&Value::from(0))
                && let Some(all) = value.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut)
            {
                all.retain(|k, _| !k.ends_with("-replicas") && !k.ends_with("-history"));
            }
            // Conditions are in the order in which they were added.
            if let Some(all) = value.pointer_mut("/status/conditions").and_then(Value::as_array_mut) {
                all.sort_by_key(Value::to_string);
            }
            all.push(format!("{kind:?} {value}"));
        }
    }
    all.sort();
    all
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
                // How often a ReplicaSet was scaled depends on the order of actions.
                let counted = kind == Kind::REPLICA_SET && k.ends_with("eneration");
                let name = kind == Kind::POD && k == "name";
                // A condition whose reason has not changed keeps a message with the name of an earlier
                // ReplicaSet.
                let words = kind == Kind::DEPLOYMENT && k == "message";
                !own.contains(&&**k)
                    && !moment
                    && !counted
                    && !name
                    && !words
                    && k != "podIPs"
                    && k != "containerID"
            });
            fields.values_mut().for_each(|v| strip(v, kind));
        }
        Value::Array(items) => items.iter_mut().for_each(|v| strip(v, kind)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(crate::cases(10))]

    /// Two runs are equal, and a clone continues as the original does. The first step on a cluster uses the
    /// running syncs, so the second one runs these again from their recorded answers.
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

    /// Without faults every order leads to the same end.
    #[test]
    fn all_orders_end_alike(case in case(false, 3), seeds in prop::array::uniform2(any::<u64>())) {
        let end = |seed: Option<u64>| {
            let case = Case { seed: seed.unwrap_or(0), ..case.clone() };
            let mut run = Run::new(&case);
            run.perform(&Deed::Apply);
            for (pause, deed) in &case.deeds {
                for n in 0.. {
                    // A template that the controller has not seen would leave no ReplicaSet behind.
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

fn policy() -> impl Strategy<Value = Policy> {
    let starved = ["deployment-controller", "replicaset-controller", "kube-scheduler", "kubelet"];
    prop_oneof![
        3 => any::<u64>().prop_map(|seed| Policy::Random { seed }),
        1 => Just(Policy::Newest),
        2 => prop::sample::select(starved.to_vec()).prop_map(|c| Policy::Starved { component: c.into() }),
    ]
}

proptest! {
    #![proptest_config(crate::cases(16))]

    /// Under every policy and at every depth, a plain Deployment ends in the same way.
    #[test]
    fn all_policies_end_alike(
        case in case(false, 0),
        policy in policy(),
        depth in prop::sample::select(vec![Depth::Command, Depth::Reconcile, Depth::Machinery]),
    ) {
        let end = |policy: Policy, depth: Depth| {
            let mut session = Session::new(Start::default());
            session.set_policy(policy);
            assert_eq!(session.apply(&case.manifest.text()).exit, 0);
            while session.step(depth, None) {}
            assert!(session.cluster().is_steady());
            let link = Link::decode(&Link::of(&session).encode()).unwrap();
            let replayed = Replay::new(&link).finish();
            assert!(replayed.same, "the link repeats it");
            essence(session.cluster())
        };
        assert_eq!(end(policy, depth), end(Policy::Fair, Depth::Command));
    }
}
