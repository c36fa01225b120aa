#![allow(clippy::unwrap_used)]
use super::*;
use crate::session::{Depth, Session, Start, scenario};

const MORE: &str = "---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
---
apiVersion: v1
kind: Pod
metadata: {name: alone, labels: {app: web}}
spec:
  containers:
  - {name: c, image: x, envFrom: [{configMapRef: {name: settings}}]}
";

fn assert_same(a: &Graph, b: &Graph, when: &str) {
    let names = |g: &Graph| g.nodes.iter().map(|n| n.reference.clone()).collect::<Vec<_>>();
    assert_eq!(names(a), names(b), "{when}");
    assert_eq!(a.edges, b.edges, "{when}");
    for (x, y) in a.nodes.iter().zip(&b.nodes) {
        assert_eq!((&x.card, x.deleting, x.id), (&y.card, y.deleting, y.id), "{when}");
        assert_eq!(x.object, y.object, "{when}");
    }
}

/// Whatever happens, what is made from the graph before is what would be made anew.
#[test]
fn a_graph_that_follows_the_changes_is_the_whole_graph() {
    for s in scenario::all() {
        let mut session = Session::new(s.start());
        let boot = session.cluster().clone();
        let mut graph = Graph::new(&boot, &boot, &Graph::default());
        let (mut from, mut then) = (session.at(), boot.api().clone());
        let mut followed = 0;
        let mut look = |session: &Session, when: &str| {
            let whole = Graph::new(session.cluster(), &boot, &Graph::default());
            graph = match touched(session, from, &then) {
                Some(t) => {
                    followed += 1;
                    graph.after(session.cluster(), &boot, &t)
                }
                None => Graph::new(session.cluster(), &boot, &graph),
            };
            assert_same(&graph, &whole, &format!("{} {when}", s.id));
            (from, then) = (session.at(), session.cluster().api().clone());
        };
        for (i, deed) in s.setup.iter().enumerate() {
            s.perform(&mut session, deed);
            look(&session, &format!("set-up {i}"));
        }
        session.apply(&format!("{}{MORE}", s.manifest));
        look(&session, "more");
        for i in 0..60 {
            session.step(if i % 7 == 3 { Depth::Reconcile } else { Depth::Command }, None);
            look(&session, &format!("step {i}"));
            if i % 5 == 4 {
                session.back();
                look(&session, "back");
                session.kubectl("delete pod alone --wait=false --grace-period=0 --force", &[]);
                look(&session, "another branch");
            }
        }
        session.kubectl("label pods --all other=label", &[]);
        look(&session, "labels");
        session.kubectl("delete service web", &[]);
        look(&session, "no service");
        session.restart();
        look(&session, "restart");
        assert!(followed > 40, "{followed}");
    }
}

#[test]
fn a_new_status_leaves_the_shape_as_it_is() {
    let mut session = scenario::find("01-first-deployment").unwrap().open();
    let boot = session.cluster_at(0).unwrap();
    while session.step(Depth::Command, None) {}
    let graph = Graph::new(session.cluster(), &boot, &Graph::default());
    let (from, then) = (session.at(), session.cluster().api().clone());
    session.kubectl("annotate deployment web a=b", &[]);
    let t = touched(&session, from, &then).unwrap();
    let next = graph.after(session.cluster(), &boot, &t);
    assert!(Rc::ptr_eq(&graph.shape, &next.shape));
    session.kubectl("scale deployment web --replicas=4", &[]);
    let t = touched(&session, from, &then).unwrap();
    assert!(!Rc::ptr_eq(&graph.shape, &graph.after(session.cluster(), &boot, &t).shape));
    let other = Session::new(Start::default());
    assert!(touched(&other, from, &then).is_none());
}
