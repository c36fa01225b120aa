//! No line runs behind a card that it does not join, whatever the cluster looks like.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use proptest::prelude::*;
use steady::engine::{Card, Edge, Kind, ObjectRef, PodLook, PodView, Standing};

use super::*;

/// Points along a path, so close together that no card lies between two of them.
fn points(path: &str) -> Vec<(f32, f32)> {
    let mut commands: Vec<(char, Vec<f32>)> = Vec::new();
    for part in path.split(' ') {
        // `M1`, `2L3`: a letter ends the number before it.
        let mut rest = part;
        while let Some(at) = rest.find(|c: char| c.is_ascii_alphabetic()) {
            let (before, after) = rest.split_at(at);
            if let Some((_, all)) = commands.last_mut().filter(|_| !before.is_empty()) {
                all.push(before.parse().unwrap());
            }
            commands.push((after.chars().next().unwrap(), Vec::new()));
            rest = &after[1..];
        }
        if let Some((_, all)) = commands.last_mut().filter(|_| !rest.is_empty()) {
            all.push(rest.parse().unwrap());
        }
    }
    let (mut out, mut at) = (Vec::new(), (0.0_f32, 0.0_f32));
    for (command, n) in commands {
        let mut control = vec![at];
        control.extend(n.chunks(2).map(|p| (p[0], p[1])));
        at = *control.last().unwrap();
        if command == 'M' {
            continue;
        }
        let length: f32 = control.windows(2).map(|w| (w[0].0 - w[1].0).hypot(w[0].1 - w[1].1)).sum();
        let steps = (length / 6.0).ceil().max(1.0);
        for i in 0..=steps as usize {
            // De Casteljau's.
            let t = i as f32 / steps;
            let mut points = control.clone();
            while points.len() > 1 {
                let mix = |w: &[(f32, f32)]| (w[0].0 + (w[1].0 - w[0].0) * t, w[0].1 + (w[1].1 - w[0].1) * t);
                points = points.windows(2).map(mix).collect();
            }
            out.push(points[0]);
        }
    }
    out
}

/// What the random clusters have.
#[derive(Clone, Debug)]
struct Has {
    /// Deployments: for each of their ReplicaSets the number of pods.
    deployments: Vec<Vec<usize>>,
    /// Pods of StatefulSets.
    sets: Vec<usize>,
    nodes: usize,
    /// Other objects, and whether their cards have a third line.
    others: Vec<bool>,
    /// Lines, as places in lists that are as long as they are.
    selects: Vec<(usize, usize)>,
    names: Vec<(usize, usize)>,
    runs: Vec<usize>,
    owns: Vec<(usize, usize)>,
}

fn has() -> impl Strategy<Value = Has> {
    let place = 0..10_000_usize;
    let pair = (place.clone(), place.clone());
    (
        prop::collection::vec(prop::collection::vec(0..15_usize, 0..3), 0..5),
        prop::collection::vec(0..14_usize, 0..3),
        0..32_usize,
        prop::collection::vec(any::<bool>(), 0..30),
        prop::collection::vec(pair.clone(), 0..8),
        prop::collection::vec(pair.clone(), 0..8),
        prop::collection::vec(place, 0..20),
        prop::collection::vec(pair, 0..4),
    )
        .prop_map(|(deployments, sets, nodes, others, selects, names, runs, owns)| Has {
            deployments,
            sets,
            nodes,
            others,
            selects,
            names,
            runs,
            owns,
        })
}

fn graph(has: &Has) -> Graph {
    let mut nodes: Vec<Rc<GraphNode>> = Vec::new();
    let mut lines: Vec<(ObjectRef, ObjectRef, EdgeKind)> = Vec::new();
    let mut add = |kind: Kind, place: Place, name: String, card: Card| {
        let reference = ObjectRef::new(kind, if place == Place::Node { "" } else { "default" }, &name);
        let id = nodes.len() as u128 + 1;
        let node = GraphNode {
            reference: reference.clone(),
            place,
            card,
            deleting: false,
            id,
            keeper: "".into(),
            makes: None,
            ordinal: None,
            record: false,
        };
        nodes.push(Rc::new(node));
        reference
    };
    let workload = |want: usize| Card::Workload {
        want: i32::try_from(want).unwrap(),
        ready: 0,
        have: 0,
        revision: None,
        succeeds: false,
        halt: None,
    };
    let pod = || {
        let word = "Running".into();
        Card::Pod(PodView { look: PodLook::Ready, word, ready: (1, 1), restarts: 0, node: None })
    };
    let machine = Card::Node { ready: true, schedulable: true };
    let machines: Vec<ObjectRef> =
        (0..has.nodes).map(|i| add(Kind::NODE, Place::Node, format!("n{i:02}"), machine.clone())).collect();
    let (mut pods, mut makers) = (Vec::new(), Vec::new());
    for (d, sets) in has.deployments.iter().enumerate() {
        let root = add(Kind::DEPLOYMENT, Place::Root, format!("d{d}"), workload(3));
        for (s, count) in sets.iter().enumerate() {
            let set = add(Kind::REPLICA_SET, Place::Middle, format!("d{d}-{s}"), workload(*count));
            lines.push((root.clone(), set.clone(), EdgeKind::Owner));
            for p in 0..*count {
                pods.push(add(Kind::POD, Place::Pod, format!("d{d}-{s}-{p:02}"), pod()));
                lines.push((set.clone(), pods[pods.len() - 1].clone(), EdgeKind::Owner));
            }
            makers.push(set);
        }
        makers.push(root);
    }
    for (s, count) in has.sets.iter().enumerate() {
        let set = add(Kind::STATEFUL_SET, Place::Middle, format!("s{s}"), workload(*count));
        for p in 0..*count {
            pods.push(add(Kind::POD, Place::Pod, format!("s{s}-{p:02}"), pod()));
            lines.push((set.clone(), pods[pods.len() - 1].clone(), EdgeKind::Owner));
        }
        makers.push(set);
    }
    let mut others = Vec::new();
    for (i, third) in has.others.iter().enumerate() {
        let standing = Standing { good: true, word: "Bound".into() };
        let card = if *third { Card::Resource(Some(standing)) } else { Card::Other };
        let kind = if *third { Kind::SERVICE } else { Kind::CONFIG_MAP };
        others.push(add(kind, Place::Aside, format!("o{i:02}"), card));
    }
    let pick = |list: &[ObjectRef], at: usize| (!list.is_empty()).then(|| list[at % list.len()].clone());
    for (from, to) in &has.selects {
        // A selector has all pods of a workload.
        let prefix = pick(&makers, *to).map(|m| m.key.name.to_string());
        let of = |p: &&ObjectRef| prefix.as_ref().is_some_and(|m| p.key.name.starts_with(m.as_str()));
        if let Some(from) = pick(&others, *from) {
            lines.extend(pods.iter().filter(of).map(|p| (from.clone(), p.clone(), EdgeKind::Selector)));
        }
    }
    for (from, to) in &has.names {
        if let (Some(from), Some(to)) = (pick(&makers, *from), pick(&others, *to)) {
            lines.push((from, to, EdgeKind::Reference));
        }
    }
    for (i, to) in has.runs.iter().enumerate() {
        if let (Some(from), Some(to)) = (pods.get(i), pick(&machines, *to)) {
            lines.push((from.clone(), to, EdgeKind::Binding));
        }
    }
    for (from, to) in &has.owns {
        if let (Some(from), Some(to)) = (pick(&others, *from), pick(&others, *to)) {
            lines.push((from, to, EdgeKind::Owner));
        }
    }
    nodes.sort_by(|a, b| a.reference.cmp(&b.reference));
    let mut graph = Graph { nodes, ..Graph::default() };
    let place = |r: &ObjectRef| graph.find(r).unwrap();
    let mut edges: Vec<Edge> =
        lines.iter().map(|(a, b, kind)| Edge { from: place(a), to: place(b), kind: *kind }).collect();
    edges.retain(|e| e.from != e.to);
    edges.sort();
    edges.dedup();
    graph.edges = Rc::new(edges);
    graph
}

fn parts(l: &Layout) -> Vec<(Rect, Vec<usize>)> {
    let items = l.items.iter().map(|i| (i.rect, vec![i.node]));
    items.chain(l.folds.iter().map(|f| (f.rect, f.cells.iter().flatten().copied().collect()))).collect()
}

/// The lines, in rows also those that are drawn only while a card is selected.
fn all_wires(l: &Layout, flow: Flow) -> Vec<Wire> {
    let (drawn, selected): (Vec<&Wire>, Vec<&Wire>) =
        l.wires.iter().partition(|w| flow == Flow::Right || w.kind == EdgeKind::Owner);
    drawn.into_iter().cloned().chain(led(l, selected.into_iter())).collect()
}

fn flows() -> [Flow; 3] {
    [Flow::Right, Flow::Down { width: 360.0, tight: false }, Flow::Down { width: 460.0, tight: true }]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn no_line_runs_behind_a_card_that_it_does_not_join(has in has()) {
        let graph = graph(&has);
        for flow in flows() {
            let l = layout(&graph, flow, &mut Slots::default(), Some(true));
            let parts = parts(&l);
            for wire in all_wires(&l, flow).iter().filter(|w| !w.path.is_empty() && !w.behind) {
                let ends = |nodes: &[usize]| nodes.contains(&wire.from) || nodes.contains(&wire.to);
                let others: Vec<&Rect> = parts.iter().filter(|(_, n)| !ends(n)).map(|(r, _)| r).collect();
                for (x, y) in points(&wire.path) {
                    for r in &others {
                        let on = x > r.x + 0.5 && x < r.right() - 0.5 && y > r.y + 0.5 && y < r.bottom() - 0.5;
                        prop_assert!(!on, "{flow:?} {wire:?} at {x} {y} is on {r:?}");
                    }
                }
            }
        }
    }

    /// Each line that says something is drawn: none is left out because no way was found for it.
    #[test]
    fn every_line_has_a_way(has in has()) {
        let graph = graph(&has);
        for flow in flows() {
            let l = layout(&graph, flow, &mut Slots::default(), Some(true));
            for wire in all_wires(&l, flow) {
                // The second of a row is joined by its neighbour's elbow.
                let joined = flow != Flow::Right && wire.kind == EdgeKind::Owner;
                prop_assert!(!wire.behind && (joined || !wire.path.is_empty()), "{flow:?} {wire:?}");
            }
        }
    }

    #[test]
    fn no_card_lies_on_another(has in has()) {
        let graph = graph(&has);
        for flow in flows() {
            let parts = parts(&layout(&graph, flow, &mut Slots::default(), Some(true)));
            for (i, (a, _)) in parts.iter().enumerate() {
                for (b, _) in parts.iter().skip(i + 1) {
                    let apart =
                        a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y;
                    prop_assert!(apart, "{flow:?} {a:?} {b:?}");
                }
            }
            if let Flow::Down { width, .. } = flow {
                prop_assert!(parts.iter().all(|(r, _)| r.right() <= width + 0.01));
            }
        }
    }
}

/// Of any kind: three hundred ConfigMaps are a grid, and so are forty Deployments, their ReplicaSets and their pods.
#[test]
fn many_of_a_kind_are_a_grid() {
    let has = Has {
        deployments: vec![vec![2]; 40],
        sets: Vec::new(),
        nodes: 3,
        others: [vec![false; 300], vec![true; 3]].concat(),
        selects: vec![(302, 0)],
        names: vec![(0, 5)],
        runs: Vec::new(),
        owns: Vec::new(),
    };
    let graph = graph(&has);
    for flow in flows() {
        let l = layout(&graph, flow, &mut Slots::default(), Some(true));
        let mut grids: Vec<(&str, usize)> =
            l.folds.iter().map(|f| (f.kind.as_str(), f.cells.iter().flatten().count())).collect();
        grids.sort();
        assert_eq!(grids, [("ConfigMap", 300), ("Deployment", 40), ("Pod", 80), ("ReplicaSet", 40)]);
        // Three nodes and three Services have cards, and each object stands somewhere.
        assert_eq!(l.items.len(), 6);
        assert!(l.bounds.h < 1400.0 && l.bounds.w < 1700.0, "{:?}", l.bounds);
    }
}

/// Also where there is much of everything: the search for ways is bounded, and has to be enough for this.
#[test]
fn every_line_of_a_large_cluster_has_a_way() {
    let has = Has {
        deployments: vec![vec![12, 2]; 24],
        sets: vec![10; 6],
        nodes: 24,
        others: [vec![false; 24], vec![true; 24]].concat(),
        selects: (0..24).map(|i| (24 + i, i * 3)).collect(),
        names: (0..24).map(|i| (i * 3, i)).collect(),
        runs: (0..300).collect(),
        owns: Vec::new(),
    };
    let graph = graph(&has);
    let l = layout(&graph, Flow::Right, &mut Slots::default(), Some(true));
    assert!(l.items.len() > 150 && l.wires.len() > 150, "{} {}", l.items.len(), l.wires.len());
    assert!(l.wires.iter().all(|w| !w.path.is_empty() && !w.behind));
}
