#![allow(clippy::unwrap_used)]
use super::*;
use crate::scheduler::runtime::tests::{cpu, pod, shared, three};
use crate::scheduler::runtime::{FindArgs, find_nodes_that_fit};
use serde_json::{Value, json};

/// A running pod with a priority and a CPU request, started at `second` of a fixed minute.
fn running(name: &str, priority: i32, asks: &str, second: u32) -> Rc<PodInfo> {
    let mut spec = cpu(asks);
    spec["priority"] = json!(priority);
    let p = pod(name, json!({"app": name.split('-').next().unwrap()}), spec);
    let mut v = serde_json::to_value(&*p.pod).unwrap();
    v["status"] = json!({"startTime": format!("2020-01-01T00:00:{second:02}Z")});
    Rc::new(PodInfo::new(serde_json::from_value(v).unwrap()))
}

fn budget(app: &str, allowed: i32) -> Rc<PodDisruptionBudget> {
    let v: Value = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": app, "namespace": "ns"},
        "spec": {"selector": {"matchLabels": {"app": app}}},
        "status": {"disruptionsAllowed": allowed, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1}});
    Rc::new(serde_json::from_value(v).unwrap())
}

type On<'a> = [&'a [(&'a str, i32, &'a str, u32)]; 3];

/// The outcome of preemption for a pod of priority 10 that requests two cores.
fn preempted(on: On<'_>, pdbs: &[Rc<PodDisruptionBudget>]) -> String {
    let mut nodes = three();
    for (node, pods) in nodes.iter_mut().zip(on) {
        for (name, priority, asks, second) in pods {
            node.add_pod(running(name, *priority, asks, *second));
        }
    }
    let nodes = shared(&nodes);
    let h = Handle::of_nodes(&nodes);
    let mut spec = cpu("2");
    spec["priority"] = json!(10);
    let p = pod("p", json!({}), spec);
    let found = find_nodes_that_fit(&h, &p, FindArgs::default());
    assert!(found.nodes.is_empty());
    let out = post_filter(&h, &found, pdbs, 0);
    match out.candidate {
        Some(c) => {
            assert_eq!(out.message, "");
            let names: Vec<_> = c.victims.iter().map(|v| v.name()).collect();
            format!("{}: {}", c.node, names.join(" "))
        }
        None => out.message,
    }
}

#[test]
fn a_node_knows_whether_it_has_less_important_pods() {
    let mut node = three().remove(0);
    assert!(!node.has_less_important_pods(i32::MAX));
    let (low, high, again) = (running("a", 1, "1", 0), running("b", 5, "1", 0), running("c", 1, "1", 0));
    for p in [&low, &high, &again] {
        node.add_pod(p.clone());
    }
    // A new version of a pod counts once.
    node.add_pod(low.clone());
    assert!(node.has_less_important_pods(2) && !node.has_less_important_pods(1));
    node.remove_pod(&low.key);
    assert!(node.has_less_important_pods(2));
    node.remove_pod(&again.key);
    assert!(!node.has_less_important_pods(5) && node.has_less_important_pods(6));
}

#[test]
fn the_least_harm_is_chosen() {
    let full: &[_] = &[("z-1", 20, "4", 0)];
    let table: [(&str, On<'_>, Vec<Rc<PodDisruptionBudget>>, &str); 8] = [
        ("the only one", [full, &[("a-1", 0, "3", 0)], full], vec![], "n2: a-1"),
        ("no more than needed", [full, &[("a-1", 0, "2", 0), ("b-1", 1, "2", 0)], full], vec![], "n2: a-1"),
        ("the younger", [full, &[("a-1", 0, "2", 5), ("b-1", 0, "2", 9)], full], vec![], "n2: b-1"),
        ("lower priority", [&[("a-1", 5, "3", 0)], &[("b-1", 3, "3", 0)], full], vec![], "n2: b-1"),
        (
            "fewer victims",
            [&[("a-1", 0, "2", 0), ("a-2", 0, "2", 0)], full, &[("b-1", 0, "3", 0)]],
            vec![],
            "n1: a-2",
        ),
        ("the later start", [&[("a-1", 0, "3", 1)], &[("b-1", 0, "3", 2)], full], vec![], "n2: b-1"),
        (
            "no broken budget",
            [&[("a-1", 0, "3", 0)], &[("b-1", 3, "3", 0)], full],
            vec![budget("a", 0)],
            "n2: b-1",
        ),
        (
            "nobody lower",
            [full, full, full],
            vec![],
            "no new claims to deallocate, preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
        ),
    ];
    for (what, on, pdbs, want) in table {
        assert_eq!(preempted(on, &pdbs), want, "{what}");
    }
}

#[test]
fn a_budget_can_be_broken_if_there_is_no_other_way() {
    let full: &[_] = &[("z-1", 20, "4", 0)];
    assert_eq!(preempted([full, &[("a-1", 0, "3", 0)], full], &[budget("a", 0)]), "n2: a-1");
    // Each of the two would do; the unprotected one is evicted although it is more important.
    assert_eq!(
        preempted([full, &[("a-1", 0, "2", 0), ("b-1", 1, "2", 0)], full], &[budget("a", 0)]),
        "n2: b-1"
    );
}

#[test]
fn a_pod_waits_for_its_victims() {
    let mut nodes = three();
    let victim = running("a-1", 0, "3", 0);
    let mut v = serde_json::to_value(&*victim.pod).unwrap();
    v["metadata"]["deletionTimestamp"] = json!("2020-01-01T00:01:00Z");
    v["status"]["conditions"] =
        json!([{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]);
    for (i, n) in nodes.iter_mut().enumerate() {
        v["metadata"]["name"] = json!(format!("a-{i}"));
        n.add_pod(Rc::new(PodInfo::new(serde_json::from_value(v.clone()).unwrap())));
    }
    let nodes = shared(&nodes);
    let h = Handle::of_nodes(&nodes);
    let mut spec = cpu("2");
    spec["priority"] = json!(10);
    let mut v = serde_json::to_value(&*pod("p", json!({}), spec).pod).unwrap();
    v["status"] = json!({"nominatedNodeName": "n2"});
    let p = PodInfo::new(serde_json::from_value(v).unwrap());
    let found = find_nodes_that_fit(&h, &p, FindArgs::default());
    let out = post_filter(&h, &found, &[], 0);
    assert_eq!(
        out.message,
        "no new claims to deallocate, preemption: not eligible due to a terminating pod on the nominated node."
    );
    assert!(!out.clear_nomination);
}
