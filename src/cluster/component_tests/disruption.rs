//! PodDisruptionBudgets in whole clusters.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::sets::{controllers, delete, events, make, names, patch, patch_status, rest, run_up_to, status};
use crate::api::Kind;
use crate::apimachinery::{Body, Request, Subresource};
use crate::cluster::{Action, Cluster, Config, Outcome};

const BUDGET: Kind = Kind::POD_DISRUPTION_BUDGET;

fn budget(name: &str) -> Value {
    json!({"metadata": {"name": name, "namespace": "default"},
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "web"}}}})
}

/// `getPdbForPod` records an event each time that it is asked.
#[test]
fn a_pod_under_two_budgets_is_told_so() {
    let mut c = Cluster::new(&Config::nodes(1));
    let pod = json!({"metadata": {"name": "p", "namespace": "default", "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": "team/web:1"}]}});
    make(&mut c, Kind::POD, pod);
    make(&mut c, BUDGET, budget("one"));
    rest(&mut c);
    let said = "MultiplePodDisruptionBudgets: Pod \"default\"/\"p\" matches multiple PodDisruptionBudgets.  Chose \"one\" arbitrarily.".to_owned();
    assert!(!events(&c, "p").contains(&said));
    make(&mut c, BUDGET, budget("two"));
    rest(&mut c);
    assert!(!events(&c, "p").contains(&said), "the pod has not changed since");
    patch(&mut c, Kind::POD, "p", json!({"metadata": {"labels": {"more": "yes"}}}));
    rest(&mut c);
    assert!(events(&c, "p").contains(&said), "{:#?}", events(&c, "p"));
}

/// `getScaleController` is asked after the finders of the known kinds: it reads the scale of the ReplicaSet itself.
#[test]
fn the_size_of_a_replica_set_counts_when_its_deployment_is_gone() {
    let mut c = Cluster::new(&Config::nodes(1));
    controllers(&mut c, "*,-garbage-collector-controller");
    make(
        &mut c,
        Kind::DEPLOYMENT,
        json!({"metadata": {"name": "web", "namespace": "default"}, "spec": {
        "replicas": 3, "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "team/web:1"}]}}}}),
    );
    make(&mut c, BUDGET, budget("one"));
    rest(&mut c);
    delete(&mut c, Kind::DEPLOYMENT, "web");
    rest(&mut c);
    let pod = names(&c, Kind::POD).remove(0);
    delete(&mut c, Kind::POD, &pod);
    rest(&mut c);
    let s = status(&c, BUDGET, "one");
    assert_eq!((&s["expectedPods"], &s["disruptionsAllowed"]), (&json!(3), &json!(1)), "{s}");
    assert_eq!(s["conditions"][0]["reason"], "SufficientPods");
}

/// A status that cannot be written is followed by an attempt to write that nothing may be disrupted (`failSafe`), unless
/// somebody else was faster.
#[test]
fn a_status_that_is_refused_is_followed_by_a_safe_one() {
    let is_write = |r: &Request| r.kind == BUDGET && r.subresource == Subresource::Status;
    let send = |c: &mut Cluster, action: &Action| {
        let Outcome::Sent { request, response, .. } = c.act(action).unwrap().outcome else {
            panic!("a request")
        };
        let Body::Object(budget) = &request.body else { panic!("{request:?}") };
        let reason = budget.to_value()["status"]["conditions"][0]["reason"].as_str().unwrap().to_owned();
        (reason, response.object().err().map(|s| s.reason).unwrap_or_default())
    };
    for (gone, first, second) in [
        (true, ("InsufficientPods", "NotFound"), ("SyncFailed", "NotFound")),
        (false, ("InsufficientPods", "Conflict"), ("InsufficientPods", "")),
    ] {
        let mut c = Cluster::new(&Config::nodes(1));
        rest(&mut c);
        make(&mut c, BUDGET, budget("one"));
        let action = run_up_to(&mut c, is_write);
        if gone {
            delete(&mut c, BUDGET, "one");
        } else {
            patch(&mut c, BUDGET, "one", json!({"metadata": {"labels": {"more": "yes"}}}));
        }
        let (reason, refusal) = send(&mut c, &action);
        assert_eq!((&*reason, &*refusal), first);
        let action = run_up_to(&mut c, is_write);
        let (reason, refusal) = send(&mut c, &action);
        assert_eq!((&*reason, &*refusal), second);
    }
}

/// `pkg/controller/disruption/disruption.go`, `syncStalePodDisruption`: the condition names the generation of the pod, also if it
/// named none before.
#[test]
fn a_disruption_that_did_not_come_is_taken_back() {
    let mut c = Cluster::new(&Config::nodes(1));
    let pod = json!({"metadata": {"name": "p", "namespace": "default"},
        "spec": {"nodeName": "nowhere", "containers": [{"name": "c", "image": "team/web:1"}]}});
    controllers(&mut c, "disruption-controller");
    make(&mut c, Kind::POD, pod);
    let target = json!({"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI",
        "lastTransitionTime": c.now().to_string()});
    patch_status(&mut c, Kind::POD, "p", json!({"status": {"conditions": [target]}}));
    rest(&mut c);
    let s = status(&c, Kind::POD, "p");
    let condition =
        s["conditions"].as_array().unwrap().iter().find(|c| c["type"] == "DisruptionTarget").unwrap();
    assert_eq!(condition["status"], "False", "{s}");
    assert_eq!(condition["observedGeneration"], 1, "{s}");
    assert!(condition["reason"].is_null(), "{s}");
}
