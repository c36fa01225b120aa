#![allow(clippy::unwrap_used)]
use super::*;
use serde_json::json;
use std::rc::Rc;
use steady::api::{Kind, Object};
use steady::cluster::{Cluster, Config};

fn boot() -> Cluster {
    let config = Config {
        controllers: Rc::new(Vec::new),
        scheduler: Rc::new(Vec::new),
        kubelet: Rc::new(|_| Vec::new()),
        ..Config::nodes(2)
    };
    Cluster::new(&config)
}

/// A ReplicaSet with these pods, as the graph sees it.
fn graph(want: usize, pods: &[usize]) -> Graph {
    use steady::apimachinery::{Body, Request, Verb};
    let base = boot();
    let mut cluster = base.clone();
    let create = |cluster: &mut Cluster, kind: Kind, value: serde_json::Value| {
        let o = Object::from_value(kind, value).unwrap();
        let r = Request::new(&"test".into(), Verb::Create, kind, o.key()).body(Body::Object(o));
        let (response, _) = cluster.request(&r);
        response.object().unwrap().unwrap()
    };
    let labels = json!({"app": "a"});
    let template =
        json!({"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let rs = create(
        &mut cluster,
        Kind::REPLICA_SET,
        json!({
            "metadata": {"name": "rs", "namespace": "default"},
            "spec": {"replicas": want, "selector": {"matchLabels": labels}, "template": template},
        }),
    );
    for p in pods {
        create(
            &mut cluster,
            Kind::POD,
            json!({
                "metadata": {"name": format!("p{p:05}"), "namespace": "default", "labels": labels, "ownerReferences": [
                    {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": rs.uid(), "controller": true}]},
                "spec": {"containers": [{"name": "c", "image": "i"}]},
            }),
        );
    }
    let mut g = Graph::new(&cluster, &base, &Graph::default());
    // Uids come from the seed in order; here a pod is the same whenever its name is.
    for n in &mut g.nodes {
        let name = n.object.name().to_owned();
        let n = Rc::make_mut(n);
        n.id = name.bytes().fold(0, |id, b| (id << 8) | u128::from(b));
        n.object.meta_mut().uid = Some(name);
    }
    g
}

fn at(l: &Layout, g: &Graph, name: &str) -> Option<Rect> {
    l.items.iter().find(|i| g.nodes[i.node].object.name() == name).map(|i| i.rect)
}

#[test]
fn what_stays_stays_where_it_is() {
    for flow in [Flow::Right, Flow::Down(360.0)] {
        let mut slots = Slots::default();
        let g1 = graph(3, &[1, 2, 3]);
        let l1 = layout(&g1, flow, &mut slots);
        let g2 = graph(3, &[1, 3]);
        let l2 = layout(&g2, flow, &mut slots);
        let g3 = graph(3, &[1, 3, 4]);
        let l3 = layout(&g3, flow, &mut slots);
        for name in ["p00001", "p00003", "rs", "node-1"] {
            assert_eq!(at(&l1, &g1, name), at(&l2, &g2, name), "{name}");
            assert_eq!(at(&l1, &g1, name), at(&l3, &g3, name), "{name}");
        }
        // The newcomer has the room that was left; going back finds all as it was.
        assert_eq!(at(&l3, &g3, "p00004"), at(&l1, &g1, "p00002"));
        assert_eq!(layout(&g1, flow, &mut slots), l1);
    }
}

#[test]
fn nothing_lies_on_anything_else() {
    for flow in [Flow::Right, Flow::Down(360.0)] {
        for n in [0, 1, 7, 12, 40] {
            let g = graph(n, &(0..n).collect::<Vec<_>>());
            let l = layout(&g, flow, &mut Slots::default());
            let rects: Vec<Rect> =
                l.items.iter().map(|i| i.rect).chain(l.folds.iter().map(|f| f.rect)).collect();
            for (i, a) in rects.iter().enumerate() {
                for b in rects.iter().skip(i + 1) {
                    let apart =
                        a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y;
                    assert!(apart, "{flow:?} {n}: {a:?} {b:?}");
                }
            }
            if let Flow::Down(w) = flow {
                assert!(rects.iter().all(|r| r.right() <= w + 0.01), "{n}");
            }
        }
    }
}

#[test]
fn a_fold_finds_its_cells() {
    let g = graph(300, &(0..300).collect::<Vec<_>>());
    let l = layout(&g, Flow::Right, &mut Slots::default());
    let f = &l.folds[0];
    assert_eq!(f.cells.iter().flatten().count(), 300);
    for slot in [0, 17, 299] {
        let (x, y) = f.corner(slot);
        assert_eq!(f.slot_at(x + 6.0, y + 6.0), Some(slot));
    }
    assert_eq!(f.slot_at(f.rect.x, f.rect.y), None);
}
