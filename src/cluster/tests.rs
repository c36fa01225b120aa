//! Tests of jumps in time, of clusters that repeat themselves, and of limits.
#![allow(clippy::unwrap_used)]

use std::rc::Rc;

use jiff::SignedDuration;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use serde_json::json;

use super::{Action, Cluster, Config, Fault, Stopped};
use crate::api::types::{ConfigMap, Lease, Node};
use crate::api::{Key, Kind, Object, Timestamp};
use crate::apimachinery::{Body, Request, Verb};
use crate::client::{Context, Controller, EventFlavour, Reconciler, Result, Seen, Wait, Watches};

fn ready(c: &Cluster) -> bool {
    c.api().etcd().range(Kind::NODE, None).all(|(_, r)| {
        let node = r.object.get::<Node>().unwrap();
        let conditions = node.status.as_ref().unwrap().conditions.as_ref().unwrap();
        conditions.iter().all(|x| x.status != "Unknown")
    })
}

/// Takes random enabled actions until a moment. Returns whether `holds` held after each.
fn at_random(c: &mut Cluster, dice: &mut Pcg32, to: Timestamp, holds: impl Fn(&Cluster) -> bool) -> bool {
    for _ in 0..200_000 {
        let enabled = c.enabled();
        let over = c.clock().next().is_none_or(|t| t > to);
        if enabled.is_empty() || (enabled == [Action::Advance] && over) {
            if c.now() >= to {
                return true;
            }
            c.advance_to(to);
            continue;
        }
        let action = enabled[dice.next_u32() as usize % enabled.len()];
        c.act(&action).unwrap();
        if !holds(c) {
            return false;
        }
    }
    panic!("it goes on and on");
}

fn after(c: &Cluster, seconds: i64) -> Timestamp {
    c.now() + SignedDuration::from_secs(seconds)
}

fn down(c: &mut Cluster) {
    c.fault(&Fault::NodeDown { node: "node-2".into() }).unwrap();
}

fn up(c: &mut Cluster) {
    c.fault(&Fault::NodeUp { node: "node-2".into() }).unwrap();
}

#[test]
fn a_jump_makes_no_healthy_node_look_lost() {
    for seed in 0..40 {
        let mut dice = Pcg32::seed_from_u64(seed);
        let mut c = Cluster::new(&Config::nodes(3));
        let to = after(&c, 600);
        assert!(at_random(&mut c, &mut dice, to, ready), "seed {seed}");
        // The kubelet stops for a moment: the deadline that the stop makes falls on a moment with
        // heartbeats.
        down(&mut c);
        let to = after(&c, 5);
        assert!(at_random(&mut c, &mut dice, to, ready), "seed {seed}");
        up(&mut c);
        let to = after(&c, 600);
        assert!(at_random(&mut c, &mut dice, to, ready), "seed {seed}: it was back in time");
        // The kubelet stops at the end of a jump, before it could write a heartbeat.
        let to = after(&c, 600);
        c.advance_to(to);
        down(&mut c);
        let to = after(&c, 39);
        assert!(at_random(&mut c, &mut dice, to, ready), "seed {seed}: its heart beat until then");
        let to = after(&c, 12);
        assert!(!at_random(&mut c, &mut dice, to, ready), "seed {seed}: it is lost");
    }
}

#[test]
fn a_jump_makes_no_healthy_node_look_lost_under_the_fair_policy() {
    let mut c = Cluster::new(&Config::nodes(3));
    let wait = |c: &mut Cluster, seconds| {
        let to = after(c, seconds);
        c.run_until(to, |c, _| assert!(ready(c))).unwrap();
        assert!(ready(c));
    };
    wait(&mut c, 600);
    down(&mut c);
    wait(&mut c, 45);
    up(&mut c);
    wait(&mut c, 6000);
    assert!(c.is_steady());
}

#[test]
fn what_is_due_at_the_end_of_a_wait_is_done() {
    let mut c = Cluster::new(&Config::nodes(1));
    let to = after(&c, 60);
    c.run_until(to, |_, _| {}).unwrap();
    let (_, r) = c.api().etcd().range(Kind::LEASE, Some("kube-node-lease")).next().unwrap();
    let lease = r.object.get::<Lease>().unwrap();
    assert_eq!(lease.spec.as_ref().unwrap().renew_time.as_ref().unwrap().0, to);
    assert_eq!(c.now(), to);
}

/// A component that does what a ConfigMap says.
#[derive(Clone)]
struct Odd;

impl Reconciler for Odd {
    type Key = Key;
    type State = ();
    fn name(&self) -> Rc<str> {
        "odd".into()
    }
    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: "odd".into(), host: None }
    }
    fn watches(&self) -> Watches {
        Watches::new().watches(|cx, seen: Seen<'_, ConfigMap>| {
            if &*seen.key.namespace == "default" {
                let background = seen.key.name == "background";
                let wait = if background { Wait::Background } else { Wait::Foreground };
                cx.enqueue_waiting(seen.key.clone(), SignedDuration::MAX, wait);
                cx.enqueue(seen.key.clone());
            }
        })
    }
    async fn sync(self, cx: Context, key: Key) -> Result {
        match &*key.name {
            "spin" => cx.enqueue(key),
            "late" => {
                cx.enqueue_after(key.clone(), SignedDuration::MAX);
                cx.enqueue_after(Key::new("default", "other"), SignedDuration::MAX);
                cx.enqueue_after(Key::new("default", "now"), SignedDuration::MIN);
            }
            _ => {}
        }
        Ok(())
    }
}

fn odd(name: &str) -> Cluster {
    let mut config = Config::nodes(0);
    config.controllers = Rc::new(|| vec![Controller::boxed(Odd)]);
    config.scheduler = Rc::new(Vec::new);
    let mut c = Cluster::new(&config);
    let value = json!({"metadata": {"name": name, "namespace": "default"}});
    let object = Object::from_value(Kind::CONFIG_MAP, value).unwrap();
    let r = Request::new(&"me".into(), Verb::Create, Kind::CONFIG_MAP, object.key());
    assert_eq!(c.request(&r.body(Body::Object(object))).0.code(), 201);
    c
}

#[test]
fn what_runs_in_a_circle_is_told() {
    let mut c = odd("spin");
    assert_eq!(c.clone().next_command(None), Err(Stopped::Limit));
    let to = after(&c, 1);
    assert_eq!(c.run_until(to, |_, _| {}), Err(Stopped::Limit));
    assert_eq!(c.settle(), Err(Stopped::Limit));
}

#[test]
fn no_delay_is_too_long() {
    for name in ["late", "background"] {
        let mut c = odd(name);
        assert_eq!(c.settle(), Ok(()));
        assert!(c.clock().deadlines().all(|(t, _, _)| t == c.now()));
        assert!(c.is_steady(), "the end of time is nothing to wait for");
        c.run_until(Timestamp::MAX, |_, _| {}).unwrap();
        assert_eq!(c.now(), Timestamp::MAX);
        assert!(c.settle().is_ok());
    }
}

#[test]
fn pods_of_one_node_that_become_ready_at_one_moment_are_one_status_of_their_deployment() {
    let mut c = Cluster::new(&Config::nodes(1));
    let labels = json!({"app": "web"});
    let deployment = json!({
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "replicas": 4,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}},
        },
    });
    let deployment = Object::from_value(Kind::DEPLOYMENT, deployment).unwrap();
    let create = Request::new(&"kubectl".into(), Verb::Create, Kind::DEPLOYMENT, deployment.key());
    c.request(&create.body(Body::Object(deployment))).0.object().unwrap();
    let mut writes = Vec::new();
    assert!(c.run_to_steady(100, |_, k| writes.push((k.at, k.by.clone(), k.request.kind))));
    let ready = writes.last().unwrap().0;
    let at_once: Vec<_> = writes.iter().filter(|w| w.0 == ready).map(|w| (&*w.1, w.2)).collect();
    let mut expected = vec![("kubelet", Kind::POD); 4];
    expected.push(("replicaset-controller", Kind::REPLICA_SET));
    expected.push(("deployment-controller", Kind::DEPLOYMENT));
    assert_eq!(at_once, expected);
}
