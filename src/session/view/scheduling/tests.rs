#![allow(clippy::unwrap_used)]
use super::*;
use crate::session::{Depth, Start};

fn pod(name: &str) -> ObjectRef {
    ObjectRef::new(Kind::POD, "default", name)
}

fn of(s: &Session, name: &str) -> Scheduling {
    scheduling(s, &pod(name)).unwrap()
}

fn now(s: &Session, name: &str) -> SchedulingTable {
    scheduling_table(s, &pod(name), None, 100).unwrap()
}

/// The table of the attempt that is said to be the last one.
fn then(s: &Session, name: &str) -> SchedulingTable {
    let Tried::At(moment, _) = of(s, name).tried else { panic!("{:?}", of(s, name).tried) };
    scheduling_table(s, &pod(name), Some(moment), 100).unwrap()
}

fn run(s: &mut Session, depth: Depth) {
    for _ in 0..4000 {
        if !s.step(depth, None) {
            break;
        }
    }
}

const TWO: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: large}\nspec:\n  containers:\n  - name: c\n    image: nginx\n    \
    resources: {requests: {cpu: 100}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: small}\nspec:\n  \
    containers: [{name: c, image: nginx}]\n";

#[test]
fn a_pod_that_fits_nowhere_has_every_reason_and_its_queue() {
    let mut s = Session::new(Start::default());
    s.kubectl("cordon node-1", &[]);
    s.apply(TWO);
    assert_eq!(of(&s, "large").phase, SchedulingPhase::Unheard);
    assert!(matches!(now(&s, "large").end, End::Nowhere(..)), "as soon as it has been notified");
    run(&mut s, Depth::Command);
    let large = now(&s, "large");
    let column = |t: &SchedulingTable, node: &str| {
        t.columns.iter().find(|c| c.names.iter().any(|n| n == node)).unwrap().clone()
    };
    let row = |name: &str| large.filters.iter().position(|f| f == name).unwrap();
    let first = column(&large, "node-1");
    assert_eq!(first.filters[row("NodeUnschedulable")], ["node(s) were unschedulable"]);
    assert_eq!(first.filters[row("NodeResourcesFit")], ["Insufficient cpu"]);
    assert_eq!((first.visit.as_str(), first.count, first.total), ("refused", 1, None));
    assert!(large.scores.is_empty() && large.columns.iter().all(|c| c.scores.is_empty()));
    // The other nodes are alike.
    assert_eq!(large.columns.len(), 2);
    assert_eq!(large.nodes, (large.columns.iter().map(|c| c.count).sum(), 0, 0));
    let End::Nowhere(message, None) = &large.end else { panic!("{:?}", large.end) };
    let stored = s.cluster().api().cached(&pod("large")).unwrap().to_value();
    assert_eq!(stored.pointer("/status/conditions/0/message").unwrap(), message);
    assert_eq!(then(&s, "large"), large, "nothing has changed since");
    let SchedulingPhase::Waits(w) = of(&s, "large").phase else { panic!() };
    assert!(matches!(w.queue, QueueName::Unschedulable(ms) if ms > 0 && ms <= 300_000), "{w:?}");
    let (plugin, events) = &w.refused_by[0];
    assert_eq!(plugin, "NodeResourcesFit");
    assert!(events.iter().any(|e| e == "NodeAdd") && events.iter().any(|e| e == "PodDelete"), "{events:?}");
}

#[test]
fn the_table_of_a_bound_pod_is_that_of_the_moment_before() {
    for depth in [Depth::Command, Depth::Reconcile, Depth::Machinery] {
        let mut s = Session::new(Start::default());
        s.kubectl("cordon node-1", &[]);
        s.apply(TWO);
        let created = s.at();
        assert_eq!(of(&s, "small").tried, Tried::NotYet);
        run(&mut s, depth);
        let SchedulingPhase::Bound(node) = of(&s, "small").phase else { panic!() };
        // The pod is on its node since, and another cycle would weigh that differently.
        s.kubectl(&format!("cordon {node}"), &[]);
        run(&mut s, Depth::Machinery);
        let table = then(&s, "small");
        let End::Node(chosen, ties) = &table.end else { panic!("{:?}", table.end) };
        assert_eq!(*chosen, node);
        let best = &table.columns[0];
        assert!(best.chosen && best.names == [node.clone()]);
        let equal = table.columns.iter().filter(|c| c.total == best.total);
        assert_eq!(equal.map(|c| c.count).sum::<usize>(), *ties);
        let sum: i64 =
            best.scores.iter().zip(&table.scores).map(|(score, (_, weight))| score.normalized * weight).sum();
        assert_eq!(best.total, Some(sum));
        assert_ne!(now(&s, "small").columns[0].names, best.names, "that node is cordoned now");
        // Before the pod was created there is nothing to be found.
        let parent = s.moment(created).unwrap().parent.unwrap();
        assert_eq!(scheduling_table(&s, &pod("small"), Some(parent), 10), None);
        s.goto(parent);
        assert_eq!(scheduling(&s, &pod("small")), None);
    }
}

#[test]
fn the_table_of_now_is_what_the_next_cycle_does() {
    let mut s = Session::new(Start::default());
    s.kubectl("cordon node-1", &[]);
    s.apply(TWO);
    // The scheduler has been notified neither of the pod nor of the node.
    let before = now(&s, "small");
    assert!(
        before.columns.iter().any(|c| c.visit == "refused" && c.names == ["node-1"]),
        "{:?}",
        before.columns
    );
    // The scheduler goes first.
    let scheduler = schedulers(s.cluster()).next().unwrap().0;
    while s.step(Depth::Command, Some(scheduler)) {}
    assert_eq!(then(&s, "small"), before);
}

#[test]
fn columns_beyond_the_limit_are_counted() {
    let mut s = Session::new(Start { nodes: 60, ..Start::default() });
    s.apply(TWO);
    run(&mut s, Depth::Command);
    let table = now(&s, "small");
    assert!(table.columns.len() <= 3, "equal nodes are one column: {}", table.columns.len());
    let cut = scheduling_table(&s, &pod("small"), None, 1).unwrap();
    assert_eq!(cut.columns.len(), 1);
    assert_eq!(cut.more, (table.columns.len() - 1, 59));
    assert_eq!(cut.nodes.0, 60);
}

#[test]
fn gates_named_nodes_and_other_schedulers_are_told_apart() {
    let mut s = Session::new(Start::default());
    let one = |name: &str, spec: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{{spec}, containers: [{{name: c, image: nginx}}]}}\n---\n"
        )
    };
    let all = [
        one("gated", "schedulingGates: [{name: wait}]"),
        one("named", "nodeName: node-2"),
        one("other", "schedulerName: mine"),
    ];
    s.apply(&all.concat());
    run(&mut s, Depth::Command);
    let SchedulingPhase::Waits(w) = of(&s, "gated").phase else { panic!() };
    assert_eq!(w.queue, QueueName::Gated("SchedulingGates".into(), vec!["wait".into()]));
    assert_eq!((of(&s, "gated").tried, w.attempts), (Tried::NotYet, 0));
    assert_eq!(of(&s, "named").phase, SchedulingPhase::Bound("node-2".into()));
    assert_eq!(of(&s, "named").tried, Tried::Named);
    assert_eq!(of(&s, "other").phase, SchedulingPhase::OtherScheduler("mine".into()));
}

#[test]
fn what_is_evicted_for_a_pod_is_said() {
    let mut s = Session::new(Start { nodes: 1, ..Start::default() });
    let pod_of = |name: &str, priority: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec:\n  priorityClassName: {priority}\n  containers:\n  - \
             name: c\n    image: nginx\n    resources: {{requests: {{cpu: 3}}}}\n---\n"
        )
    };
    let class = |name: &str, value: i32| {
        format!(
            "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {{name: {name}}}\nvalue: {value}\n---\n"
        )
    };
    s.apply(&[class("low", 1), class("high", 10), pod_of("first", "low")].concat());
    run(&mut s, Depth::Command);
    s.apply(&pod_of("second", "high"));
    for _ in 0..200 {
        if of(&s, "second").nominated.is_some() {
            break;
        }
        s.step(Depth::Command, None);
    }
    let table = then(&s, "second");
    let End::Nowhere(_, Some(eviction)) = &table.end else { panic!("{:?}", table.end) };
    assert_eq!((eviction.node.as_str(), eviction.violations), ("node-1", 0));
    assert_eq!(eviction.victims, [(pod("first"), 1)]);
}
