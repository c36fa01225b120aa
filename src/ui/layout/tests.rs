#![allow(clippy::unwrap_used)]
use super::*;
use std::rc::Rc;
use steady::engine::{Card, Edge, Kind, ObjectRef, PodLook, PodView, Standing};

/// A ReplicaSet that wants so many pods, with these, and two nodes.
fn graph(want: usize, pods: &[usize]) -> Graph {
    let node = |kind: Kind, place: Place, name: &str, card: Card| {
        Rc::new(GraphNode {
            reference: ObjectRef::new(kind, if place == Place::Node { "" } else { "default" }, name),
            place,
            card,
            deleting: false,
            // An object is the same whenever its name is.
            id: name.bytes().fold(0, |id, b| (id << 8) | u128::from(b)),
            keeper: "".into(),
            makes: None,
            ordinal: None,
            record: false,
        })
    };
    let mut nodes = Vec::new();
    for name in ["node-1", "node-2"] {
        nodes.push(node(Kind::NODE, Place::Node, name, Card::Node { ready: true, schedulable: true }));
    }
    for p in pods {
        let pod = PodView {
            look: PodLook::Unscheduled,
            word: "Pending".into(),
            ready: (0, 1),
            restarts: 0,
            node: None,
        };
        nodes.push(node(Kind::POD, Place::Pod, &format!("p{p:05}"), Card::Pod(pod)));
    }
    let want = i32::try_from(want).unwrap();
    let card = Card::Workload { want, ready: 0, have: 0, revision: None, succeeds: false, halt: None };
    nodes.push(node(Kind::REPLICA_SET, Place::Middle, "rs", card));
    nodes.sort_by(|a, b| a.reference.cmp(&b.reference));
    let mut graph = Graph { nodes, ..Graph::default() };
    let rs = graph.find(&ObjectRef::new(Kind::REPLICA_SET, "default", "rs")).unwrap();
    let owned = (0..graph.nodes.len()).filter(|i| graph.nodes[*i].place == Place::Pod);
    let edges = owned.map(|to| Edge { from: rs, to, kind: EdgeKind::Owner }).collect();
    graph.edges = Rc::new(edges);
    graph
}

fn at(l: &Layout, g: &Graph, name: &str) -> Option<Rect> {
    l.items.iter().find(|i| g.nodes[i.node].reference.key.name == name).map(|i| i.rect)
}

#[test]
fn what_stays_stays_where_it_is() {
    for flow in [Flow::Right, Flow::Down { width: 360.0, tight: false }] {
        let mut slots = Slots::default();
        let g1 = graph(3, &[1, 2, 3]);
        let l1 = layout(&g1, flow, &mut slots, None);
        let g2 = graph(3, &[1, 3]);
        let l2 = layout(&g2, flow, &mut slots, None);
        let g3 = graph(3, &[1, 3, 4]);
        let l3 = layout(&g3, flow, &mut slots, None);
        for name in ["p00001", "p00003", "rs", "node-1"] {
            assert_eq!(at(&l1, &g1, name), at(&l2, &g2, name), "{name}");
            assert_eq!(at(&l1, &g1, name), at(&l3, &g3, name), "{name}");
        }
        // The newcomer has the room that was left; going back finds all as it was.
        assert_eq!(at(&l3, &g3, "p00004"), at(&l1, &g1, "p00002"));
        assert_eq!(layout(&g1, flow, &mut slots, None), l1);
    }
}

/// A pod with a number stands in its place, also if it comes later than those behind it.
#[test]
fn numbered_pods_stand_in_their_order() {
    let numbered = |pods: &[usize]| {
        let mut g = graph(3, pods);
        for n in g.nodes.iter_mut().filter(|n| n.place == Place::Pod) {
            let number = n.reference.key.name.trim_start_matches('p').parse().ok();
            Rc::make_mut(n).ordinal = number;
        }
        g
    };
    for flow in [Flow::Right, Flow::Down { width: 360.0, tight: false }] {
        let mut slots = Slots::default();
        let (g1, g2) = (numbered(&[2]), numbered(&[0, 1, 2]));
        let (l1, l2) = (layout(&g1, flow, &mut slots, None), layout(&g2, flow, &mut slots, None));
        assert_eq!(at(&l1, &g1, "p00002"), at(&l2, &g2, "p00002"));
        let tops: Vec<(f32, f32)> =
            [0, 1, 2].map(|i| at(&l2, &g2, &format!("p{i:05}")).unwrap()).map(|r| (r.y, r.x)).to_vec();
        assert!(tops.is_sorted(), "{tops:?}");
        // Numbers that begin higher do not leave room for those that never come.
        let mut fresh = Slots::default();
        let high = numbered(&[7, 8]);
        let first = layout(&high, flow, &mut fresh, None);
        assert_eq!(at(&first, &high, "p00007"), at(&l2, &g2, "p00000"));
    }
}

#[test]
fn nothing_lies_on_anything_else() {
    for flow in [Flow::Right, Flow::Down { width: 360.0, tight: false }] {
        for n in [0, 1, 7, 12, 40] {
            let g = graph(n, &(0..n).collect::<Vec<_>>());
            let l = layout(&g, flow, &mut Slots::default(), None);
            let rects: Vec<Rect> =
                l.items.iter().map(|i| i.rect).chain(l.folds.iter().map(|f| f.rect)).collect();
            for (i, a) in rects.iter().enumerate() {
                for b in rects.iter().skip(i + 1) {
                    let apart =
                        a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y;
                    assert!(apart, "{flow:?} {n}: {a:?} {b:?}");
                }
            }
            if let Flow::Down { width: w, .. } = flow {
                assert!(rects.iter().all(|r| r.right() <= w + 0.01), "{n}");
            }
        }
    }
}

#[test]
fn a_fold_finds_its_cells() {
    let g = graph(300, &(0..300).collect::<Vec<_>>());
    let l = layout(&g, Flow::Right, &mut Slots::default(), None);
    let f = &l.folds[0];
    assert_eq!(f.cells.iter().flatten().count(), 300);
    for slot in [0, 17, 299] {
        let (x, y) = f.corner(slot);
        assert_eq!(f.slot_at(x + 6.0, y + 6.0), Some(slot));
    }
    assert_eq!(f.slot_at(f.rect.x, f.rect.y), None);
}

fn boxed(kind: Kind, place: Place, name: &str, card: Card) -> Rc<GraphNode> {
    let namespace = if place == Place::Node { "" } else { "default" };
    let reference = ObjectRef::new(kind, namespace, name);
    let id = name.bytes().fold(0, |id, b| (id << 8) | u128::from(b));
    Rc::new(GraphNode {
        reference,
        place,
        card,
        deleting: false,
        id,
        keeper: "".into(),
        makes: None,
        ordinal: None,
        record: false,
    })
}

/// A column has a title only if something stands in it, and a card that says how its object stands has room for that.
#[test]
fn only_other_objects() {
    let ready = Card::Node { ready: true, schedulable: true };
    let said = |word: &str| Card::Resource(Some(Standing { good: true, word: word.to_owned() }));
    let mut nodes = vec![
        boxed(Kind::NODE, Place::Node, "node", ready),
        boxed(Kind::CONFIG_MAP, Place::Aside, "a", Card::Other),
        boxed(Kind::CONFIG_MAP, Place::Aside, "b", said("Ready")),
        boxed(Kind::CONFIG_MAP, Place::Aside, "c", Card::Other),
    ];
    nodes.sort_by(|a, b| a.reference.cmp(&b.reference));
    let graph = Graph { nodes, ..Graph::default() };
    let l = layout(&graph, Flow::Right, &mut Slots::default(), None);
    assert_eq!(l.titles.iter().map(|(t, _)| t.as_str()).collect::<Vec<_>>(), ["Node"]);
    let [a, b, c] = ["a", "b", "c"].map(|name| at(&l, &graph, name).unwrap());
    // The cards of one row are alike.
    assert_eq!((a.y, a.h), (b.y, b.h));
    assert!(a.h > c.h && c.y > a.bottom());
    assert_eq!(a.y, at(&l, &graph, "node").unwrap().y);
}

/// With no pods the objects without a column of their own would reach under the nodes.
#[test]
fn other_objects_leave_the_nodes_their_room() {
    for (settings, machines) in [(2, 3), (9, 3), (5, 40), (6, 0)] {
        let ready = Card::Node { ready: true, schedulable: true };
        let mut nodes: Vec<_> = (0..settings)
            .map(|i| boxed(Kind::CONFIG_MAP, Place::Aside, &format!("c{i}"), Card::Other))
            .chain((0..machines).map(|i| boxed(Kind::NODE, Place::Node, &format!("n{i:02}"), ready.clone())))
            .collect();
        nodes.sort_by(|a, b| a.reference.cmp(&b.reference));
        let graph = Graph { nodes, ..Graph::default() };
        let l = layout(&graph, Flow::Right, &mut Slots::default(), None);
        for (i, a) in l.items.iter().enumerate() {
            for b in l.items.iter().skip(i + 1) {
                let (a, b) = (a.rect, b.rect);
                let apart = a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y;
                assert!(apart, "{settings} and {machines}: {a:?} lies on {b:?}");
            }
        }
    }
}
