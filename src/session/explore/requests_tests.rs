//! Requests that are in each other's way, in every order.
#![allow(clippy::unwrap_used)]

use super::{Explorer, Options, builtin};
use crate::session::{Depth, Session, Start};

/// A client that asks a Service as `requests` says, whose pods answer two requests at a time, in 150 ms, and let nobody wait. They sleep
/// before they stop, and give the answers that they have begun.
fn served(replicas: i32, requests: &str) -> Session {
    let mut s = Session::new(Start { nodes: 1, ..Start::default() });
    let text = format!(
        "apiVersion: v1
kind: Service
metadata: {{name: web}}
spec: {{selector: {{app: web}}, ports: [{{port: 80}}]}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {{name: web}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata:
      labels: {{app: web}}
      annotations:
        sim.steady/answer-seconds: '0.15'
        sim.steady/answer-concurrency: '2'
        sim.steady/answer-queue: '0'
        sim.steady/on-sigterm: drain
    spec:
      containers:
      - {{name: web, image: nginx, lifecycle: {{preStop: {{sleep: {{seconds: 5}}}}}}}}
---
apiVersion: v1
kind: Pod
metadata: {{name: client, annotations: {{sim.steady/requests: '{requests}'}}}}
spec: {{containers: [{{name: c, image: busybox, command: [sleep, infinity]}}]}}
"
    );
    assert_eq!(s.apply(&text).exit, 0);
    run(&mut s);
    s
}

fn run(s: &mut Session) {
    while s.step(Depth::Command, None) {
        assert!(s.at() < 5_000, "it never ends");
    }
}

fn scale(s: &mut Session, replicas: i32) {
    assert_eq!(s.kubectl(&format!("scale rs/web --replicas={replicas}"), &[]).exit, 0);
}

/// The causes of the requests that are lost in some order, as the first violation has them. All orders are explored.
fn lost(s: &Session) -> Vec<String> {
    let mut e = Explorer::new(s.cluster(), Options::default(), builtin());
    while e.explore(100) {}
    let r = e.report();
    assert!(r.complete, "{r:?}");
    let all = builtin();
    let mut causes = Vec::new();
    for broken in &r.broken {
        assert_eq!(all[broken.invariant].name(), "noRequestLost", "{broken:?}");
        let values = broken.violation.values.iter().filter(|(name, _)| name == "cause");
        causes.extend(values.map(|(_, value)| value.clone()));
    }
    causes
}

/// docs/behaviour.md, "A server has limits": a request that comes when the queue is full is answered with 503 at once. Two pods have room
/// for what one of them has none for.
#[test]
fn a_server_without_room_is_found_in_every_order() {
    let mut enough = served(2, "10/s http://web/");
    scale(&mut enough, 1);
    assert_eq!(lost(&enough), [""; 0]);
    let mut less = served(2, "20/s http://web/");
    assert_eq!(lost(&less), [""; 0]);
    scale(&mut less, 1);
    assert_eq!(lost(&less), ["QueueFull"]);
}

/// `nf_conntrack` of Linux translates all packets of a flow as its first one, whatever the rules say by then (`nf_nat_core.c`): new pods get
/// nothing over connections that were opened before, so they give no room to them.
#[test]
fn what_goes_over_kept_connections_is_found_in_every_order() {
    let mut kept = served(1, "20/s http://web/ connections=3");
    scale(&mut kept, 3);
    run(&mut kept);
    assert_eq!(lost(&kept), ["QueueFull"]);
    let mut fresh = served(1, "20/s http://web/");
    scale(&mut fresh, 3);
    run(&mut fresh);
    assert_eq!(lost(&fresh), [""; 0]);
}
