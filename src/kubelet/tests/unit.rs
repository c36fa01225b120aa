//! Whole objects, and what a timeline does not show.

use serde_json::json;

use super::{Lab, one};
use crate::api::Kind;
use crate::cluster::{Cluster, Config};

#[test]
fn the_status_of_a_running_pod() {
    let mut lab = Lab::new();
    lab.pod(one(json!({
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "64Mi"}},
        "volumeMounts": [{"name": "d", "mountPath": "/d", "readOnly": true}],
    })))
    .steady();
    let value = crate::api::Object::from(lab.get()).to_value();
    let text = serde_json::to_string_pretty(&value["status"]).unwrap();
    insta::assert_snapshot!(text);
}

#[test]
fn a_node_has_a_lease_that_is_renewed_when_time_passes() {
    let mut lab = Lab::new();
    let lease = |c: &Cluster| {
        let (_, r) = c.api().etcd().range(Kind::Lease, Some("kube-node-lease")).next().unwrap();
        r.object.to_value()["spec"]["renewTime"].clone()
    };
    let before = lease(&lab.cluster);
    assert!(lab.cluster.is_steady());
    lab.wait(60).steady();
    assert_ne!(lease(&lab.cluster), before);
}

#[test]
fn every_command_says_why() {
    let mut lab = Lab::new();
    lab.pod(one(json!({}))).steady().delete(None);
    while let Some(command) = lab.cluster.next_command(None) {
        assert!(command.key.is_none() || command.why.is_some(), "{:?}", command.request);
    }
}

#[test]
fn many_pods_share_a_pull_and_have_addresses_of_their_own() {
    let mut config = Config::nodes(2);
    config.controllers = std::rc::Rc::new(Vec::new);
    config.scheduler = std::rc::Rc::new(Vec::new);
    let mut cluster = Cluster::new(&config);
    super::unit::create_many(&mut cluster, 2, 40);
    assert!(cluster.run_to_steady(10_000, |_, _| {}));
    let mut addresses = std::collections::BTreeSet::new();
    for (_, r) in cluster.api().etcd().range(Kind::Pod, None) {
        let status = &r.object.to_value()["status"];
        assert_eq!(status["phase"], "Running");
        addresses.insert(status["podIP"].as_str().unwrap().to_owned());
    }
    assert_eq!(addresses.len(), 40);
    assert!(addresses.contains("10.244.1.2") || addresses.contains("10.244.0.2"), "{addresses:?}");
}

/// Puts so many equal pods on so many nodes.
pub(super) fn create_many(cluster: &mut Cluster, nodes: usize, pods: usize) {
    use crate::api::Object;
    use crate::apiserver::{Body, Request, Verb};
    for i in 0..pods {
        let object = Object::from_value(
            Kind::Pod,
            json!({
                "metadata": {"name": format!("p-{i}"), "namespace": "default"},
                "spec": {
                    "nodeName": format!("node-{}", i % nodes + 1), "restartPolicy": "Always",
                    "containers": [{"name": "app", "image": "app:1", "imagePullPolicy": "IfNotPresent"}],
                },
            }),
        )
        .unwrap();
        let request = Request::new(&"me".into(), Verb::Create, Kind::Pod, object.key());
        assert_eq!(cluster.request(&request.body(Body::Object(object))).0.code(), 201);
    }
}

/// What a pod costs, with all machinery: run it with `--release -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn cost_of_ten_thousand_pods() {
    let mut config = Config::nodes(100);
    config.controllers = std::rc::Rc::new(Vec::new);
    config.scheduler = std::rc::Rc::new(Vec::new);
    let mut cluster = Cluster::new(&config);
    create_many(&mut cluster, 100, 10_000);
    let begin = std::time::Instant::now();
    let (mut commands, mut events) = (0, 0);
    assert!(cluster.run_to_steady(1_000_000, |_, c| {
        commands += 1;
        events += c.events.len();
    }));
    let took = begin.elapsed().as_secs_f64() * 1e6 / 10_000.0;
    println!("{took:.1} us per pod to Running; {commands} commands, {events} events with them");
    let twice = std::time::Instant::now();
    let copy = cluster.clone();
    println!("a copy takes {:.1} us", twice.elapsed().as_secs_f64() * 1e6);
    assert!(copy.is_steady());
}
