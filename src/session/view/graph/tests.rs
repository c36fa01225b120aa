#![allow(clippy::unwrap_used)]
use super::*;
use crate::session::view::Standing;
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

fn drawn(cluster: &Cluster, boot: &Cluster) -> Drawing {
    let mut drawing = Drawing::default();
    drawing.draw(cluster, boot);
    drawing
}

fn assert_same(a: &Drawing, b: &Drawing, when: &str) {
    let names = |d: &Drawing| d.graph.nodes.iter().map(|n| n.reference.clone()).collect::<Vec<_>>();
    assert_eq!(names(a), names(b), "{when}");
    assert_eq!(a.graph.edges, b.graph.edges, "{when}");
    assert_eq!(a.graph.nodes, b.graph.nodes, "{when}");
    assert_eq!(a.objects, b.objects, "{when}");
}

/// Whatever happens, what is made from the graph before is what would be made anew.
#[test]
fn a_graph_that_follows_the_changes_is_the_whole_graph() {
    for s in scenario::ordinary() {
        let mut session = Session::new(s.start());
        let boot = session.cluster().clone();
        let mut drawing = drawn(&boot, &boot);
        let (mut from, mut then) = (session.at(), boot.api().clone());
        let mut followed = 0;
        let mut look = |session: &Session, when: &str| {
            let held = drawing.graph().clone();
            let copy = Graph::clone(&held);
            match touched(session, from, &then) {
                Some(t) => {
                    followed += 1;
                    drawing.follow(session.cluster(), &boot, &t);
                }
                None => drawing.draw(session.cluster(), &boot),
            }
            assert_same(&drawing, &drawn(session.cluster(), &boot), &format!("{} {when}", s.id));
            // Whoever holds what was shown before still has it as it was.
            assert_eq!(*held, copy);
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
    let mut drawing = drawn(session.cluster(), &boot);
    let shape = drawing.graph().shape;
    let (from, then) = (session.at(), session.cluster().api().clone());
    session.kubectl("annotate deployment web a=b", &[]);
    let t = touched(&session, from, &then).unwrap();
    drawing.follow(session.cluster(), &boot, &t);
    assert_eq!(drawing.graph().shape, shape);
    session.kubectl("scale deployment web --replicas=4", &[]);
    let t = touched(&session, from, &then).unwrap();
    drawing.follow(session.cluster(), &boot, &t);
    assert_ne!(drawing.graph().shape, shape);
    let other = Session::new(Start::default());
    assert!(touched(&other, from, &then).is_none());
}

#[test]
fn an_object_of_a_custom_kind_says_how_it_stands() {
    let mut session = scenario::find("23-custom-resource").unwrap().open();
    let card = |session: &Session, kind: &str| {
        let boot = Session::new(session.start().clone());
        let drawing = drawn(session.cluster(), boot.cluster());
        let nodes = &drawing.graph().nodes;
        nodes.iter().find(|n| n.reference.kind.as_str() == kind).map(|n| n.card.clone())
    };
    let said = |good, word: &str| Some(Card::Resource(Some(Standing { good, word: word.to_owned() })));
    assert_eq!(card(&session, "CustomResourceDefinition"), said(true, "Established"));
    assert_eq!(card(&session, "Website"), Some(Card::Resource(None)));
    for (status, expected) in [("False", said(false, "Ready: False")), ("True", said(true, "Ready"))] {
        let patch = format!(r#"{{"status":{{"conditions":[{{"type":"Ready","status":"{status}"}}]}}}}"#);
        let out = session
            .kubectl(&format!("patch website shop --subresource=status --type=merge -p '{patch}'"), &[]);
        assert_eq!(out.exit, 0, "{}", out.stderr);
        assert_eq!(card(&session, "Website"), expected);
    }
}

/// A node whose kubelet cannot reach the API server is marked at once, long before its object says anything.
#[test]
fn a_node_that_is_cut_off_is_marked_and_unmarked() {
    let mut session = scenario::find("01-first-deployment").unwrap().open();
    let boot = session.cluster_at(0).unwrap();
    let mut drawing = drawn(session.cluster(), &boot);
    assert!(drawing.graph().cut_off.is_empty());
    let node = ObjectRef::new(Kind::NODE, "", "node-2");
    session.fault(&crate::cluster::Fault::NodeDown { node: "node-2".into() }).unwrap();
    drawing.follow(session.cluster(), &boot, &BTreeSet::new());
    assert_eq!(drawing.graph().cut_off.iter().collect::<Vec<_>>(), [&node]);
    assert_eq!(drawn(session.cluster(), &boot).graph().cut_off, drawing.graph().cut_off);
    session.fault(&crate::cluster::Fault::NodeUp { node: "node-2".into() }).unwrap();
    drawing.follow(session.cluster(), &boot, &BTreeSet::new());
    assert!(drawing.graph().cut_off.is_empty());
}
