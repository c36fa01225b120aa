//! Sizes by numbers: what Kubernetes' own functions give for the same values.
#![allow(clippy::unwrap_used)]

use std::rc::Rc;

use serde_json::{Value, json};

use super::compute::of_resource;
use super::metrics::usage_of_pods;
use super::normalize::{self, Wanted};
use super::replica_calculator::requests;
use super::state::State;
use crate::api::metrics::{ContainerMetrics, PodMetrics, Usage};
use crate::api::quantity::Amount;
use crate::api::types::Pod;
use crate::api::types::autoscaling::HorizontalPodAutoscalerBehavior;
use crate::api::{Key, Kind, Object, Timestamp};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_767_225_600 + seconds).unwrap()
}

fn key() -> Key {
    Key::new("default", "web")
}

#[test]
fn without_behavior_one_look_at_most_doubles_and_five_minutes_are_remembered() {
    let mut state = State::default();
    state.note_initial(&key(), 1, at(0));
    let mut look = |seconds, current, desired| {
        let wanted = Wanted { current, desired, min: 1, max: 100 };
        let n = normalize::plain(&mut state, &key(), at(seconds), wanted);
        (n.replicas, n.able.reason, n.limited.reason, n.limited.status, n.waits)
    };
    assert_eq!(look(0, 1, 30), (4, "ReadyForNewScale", "ScaleUpLimit", true, false));
    assert_eq!(look(15, 4, 30), (8, "ReadyForNewScale", "ScaleUpLimit", true, false));
    assert_eq!(look(30, 8, 2), (16, "ScaleDownStabilized", "ScaleUpLimit", true, true));
    assert_eq!(look(315, 30, 2), (30, "ScaleDownStabilized", "DesiredWithinRange", false, true));
    assert_eq!(look(330, 30, 2), (2, "ReadyForNewScale", "DesiredWithinRange", false, false));
    assert_eq!(look(345, 2, 0), (2, "ScaleDownStabilized", "DesiredWithinRange", false, true));
}

#[test]
fn policies_count_what_was_changed_in_their_periods() {
    let behavior: HorizontalPodAutoscalerBehavior = serde_json::from_value(json!({
        "scaleUp": {"stabilizationWindowSeconds": 0, "selectPolicy": "Max", "policies": [
            {"type": "Pods", "value": 4, "periodSeconds": 60}, {"type": "Percent", "value": 10, "periodSeconds": 60},
        ]},
        "scaleDown": {"stabilizationWindowSeconds": 0, "selectPolicy": "Min", "policies": [
            {"type": "Pods", "value": 3, "periodSeconds": 60}, {"type": "Percent", "value": 50, "periodSeconds": 60},
        ]},
    }))
    .unwrap();
    let mut state = State::default();
    let look = |state: &mut State, seconds, current, desired| {
        let wanted = Wanted { current, desired, min: 1, max: 100 };
        let n = normalize::with_behavior(state, &key(), at(seconds), wanted, &behavior);
        let period = normalize::longest_period(behavior.scale_up.as_ref());
        if n.replicas != current {
            state.note_scale(&key(), n.replicas - current, at(seconds), period);
        }
        (n.replicas, n.limited.reason, n.waits)
    };
    assert_eq!(look(&mut state, 0, 10, 50), (14, "ScaleUpLimit", true));
    assert_eq!(look(&mut state, 15, 14, 50), (14, "ScaleUpLimit", true));
    // The change is a minute old, and does not count any more.
    assert_eq!(look(&mut state, 60, 14, 50), (18, "ScaleUpLimit", true));
    assert_eq!(look(&mut state, 75, 18, 1), (11, "ScaleDownLimit", true));
    assert_eq!(look(&mut state, 150, 11, 11), (11, "DesiredWithinRange", false));
}

/// `buildQuantity`: memory is written with binary suffixes where these lose nothing.
#[test]
fn an_average_of_memory_keeps_its_fraction() {
    assert_eq!(of_resource("memory", 67_458_389_333).0, "67458389333m");
    assert_eq!(of_resource("memory", 64 * 1024 * 1024 * 1000).0, "64Mi");
    assert_eq!(of_resource("memory", 1_000_000).0, "1k");
    assert_eq!(of_resource("cpu", 1500).0, "1500m");
    assert_eq!(of_resource("cpu", 2000).0, "2");
}

/// `getContainerMetrics` in `metrics/client.go`
#[test]
fn a_pod_without_the_container_is_left_out() {
    let pod = |name: &str, containers: &[&str]| PodMetrics {
        key: Key::new("default", name),
        timestamp: at(0),
        window: jiff::SignedDuration::from_secs(15),
        containers: containers
            .iter()
            .map(|c| ContainerMetrics {
                name: (*c).to_owned(),
                usage: Usage { cpu: Amount::parse("150m").unwrap(), ..Usage::ZERO },
                start: None,
            })
            .collect(),
    };
    let all = [pod("both", &["app", "side"]), pod("one", &["app"]), pod("none", &[])];
    let of = |container: &str| -> Vec<(String, i64)> {
        let found = usage_of_pods(&all, "cpu", container);
        found.into_iter().map(|(name, metric)| (name.to_string(), metric.value)).collect()
    };
    assert_eq!(of("side"), [("both".to_owned(), 150)]);
    assert_eq!(of(""), [("both".to_owned(), 300), ("one".to_owned(), 150)]);
}

/// `calculateRequests`, `calculatePodLevelRequests`, `calculatePodRequestsFromContainers`
#[test]
fn requests_are_of_the_pod_or_of_its_containers_or_of_one_of_them() {
    let of = |spec: Value, container: &str, resource: &str| {
        let pod = Object::from_value(Kind::POD, json!({"metadata": {"name": "p"}, "spec": spec})).unwrap();
        let pod: Rc<Pod> = pod.get::<Pod>().unwrap().clone();
        requests(&[pod], container, resource).map(|all| all["p"])
    };
    let container = |name: &str, cpu: &str| json!({"name": name, "resources": {"requests": {"cpu": cpu}}});
    let mut spec = json!({
        "containers": [container("a", "100m"), container("b", "50m")],
        "initContainers": [
            {"name": "once", "resources": {"requests": {"cpu": "1"}}},
            {"name": "side", "restartPolicy": "Always", "resources": {"requests": {"cpu": "10m"}}},
        ],
        "overhead": {"cpu": "7m", "memory": "1Mi"},
    });
    assert_eq!(of(spec.clone(), "", "cpu"), Ok(160));
    assert_eq!(of(spec.clone(), "b", "cpu"), Ok(50));
    assert_eq!(of(spec.clone(), "side", "cpu"), Ok(10));
    assert_eq!(of(spec.clone(), "c", "cpu"), Err("container c not found in Pod p".into()));
    assert_eq!(
        of(spec.clone(), "a", "memory"),
        Err("missing request for memory in container a of Pod p".into())
    );
    spec["resources"] = json!({"requests": {"memory": "64Mi"}});
    // What the pod does not say is the sum of its containers; the overhead counts.
    assert_eq!(of(spec.clone(), "", "memory"), Ok(65 * 1024 * 1024 * 1000));
    assert_eq!(of(spec.clone(), "", "cpu"), Ok(1007));
    assert_eq!(of(spec.clone(), "b", "cpu"), Ok(50));
    let missing = "missing pod-level request for hugepages-2Mi in Pod p";
    assert_eq!(of(spec, "", "hugepages-2Mi"), Err(missing.into()));
}
