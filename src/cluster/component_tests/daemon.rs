//! DaemonSets in whole clusters.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::sets::{
    delete, delete_alone, events, get, image, images, make, names, patch, patch_status, pods_on_the_way,
    rest, run_up_to, status,
};
use crate::api::Kind;
use crate::apimachinery::{Request, Verb};
use crate::cluster::{Cluster, Config};

const SET: Kind = Kind::DAEMON_SET;

fn set(more: Value) -> Value {
    let mut spec = json!({
        "selector": {"matchLabels": {"app": "agent"}},
        "template": {
            "metadata": {"labels": {"app": "agent"}},
            "spec": {"containers": [{"name": "c", "image": "team/agent:1"}], "terminationGracePeriodSeconds": 1},
        },
    });
    for (k, v) in more.as_object().into_iter().flatten() {
        spec[k] = v.clone();
    }
    json!({"metadata": {"name": "agent", "namespace": "default"}, "spec": spec})
}

fn with(more: Value) -> Cluster {
    let mut c = Cluster::new(&Config::nodes(3));
    make(&mut c, SET, set(more));
    rest(&mut c);
    c
}

/// The nodes of all pods, sorted.
fn nodes(c: &Cluster) -> Vec<String> {
    let node =
        |name: &String| get(c, Kind::POD, name).unwrap()["spec"]["nodeName"].as_str().unwrap().to_owned();
    let mut all: Vec<String> = names(c, Kind::POD).iter().map(node).collect();
    crate::api::order::sort(&mut all);
    all
}

fn taint(c: &mut Cluster, node: &str, effect: &str) {
    patch(c, Kind::NODE, node, json!({"spec": {"taints": [{"key": "k", "effect": effect}]}}));
}

#[test]
fn every_node_has_one() {
    let c = with(json!({}));
    assert_eq!(nodes(&c), ["node-1", "node-2", "node-3"]);
    let s = status(&c, SET, "agent");
    assert_eq!((&s["desiredNumberScheduled"], &s["numberAvailable"]), (&json!(3), &json!(3)));
    assert_eq!(s.get("numberUnavailable"), None);
    let pod = get(&c, Kind::POD, &names(&c, Kind::POD)[0]).unwrap();
    assert_eq!(pod["spec"]["tolerations"].as_array().unwrap().len(), 6);
}

#[test]
fn a_taint_keeps_away_or_drives_away() {
    let mut c = with(json!({}));
    // Those that are there stay with NoSchedule, and go with NoExecute.
    taint(&mut c, "node-1", "NoSchedule");
    assert_eq!(pods_on_the_way(&mut c), [""; 0]);
    taint(&mut c, "node-1", "NoExecute");
    rest(&mut c);
    assert_eq!(nodes(&c), ["node-2", "node-3"]);
    patch(&mut c, Kind::NODE, "node-1", json!({"spec": {"taints": null}}));
    rest(&mut c);
    assert_eq!(nodes(&c), ["node-1", "node-2", "node-3"]);
}

#[test]
fn a_label_brings_a_pod() {
    let template = json!({"metadata": {"labels": {"app": "agent"}}, "spec": {
        "containers": [{"name": "c", "image": "team/agent:1"}], "nodeSelector": {"disk": "ssd"}}});
    let mut c = with(json!({"template": template}));
    assert_eq!(nodes(&c), [""; 0]);
    patch(&mut c, Kind::NODE, "node-2", json!({"metadata": {"labels": {"disk": "ssd"}}}));
    rest(&mut c);
    assert_eq!(nodes(&c), ["node-2"]);
    patch(&mut c, Kind::NODE, "node-2", json!({"metadata": {"labels": {"disk": null}}}));
    rest(&mut c);
    assert_eq!(nodes(&c), [""; 0]);
}

/// The pods that are not being deleted.
fn staying(c: &Cluster) -> usize {
    let stays = |n: &String| get(c, Kind::POD, n).unwrap()["metadata"].get("deletionTimestamp").is_none();
    names(c, Kind::POD).iter().filter(|n| stays(n)).count()
}

/// How many pods there were at least and at most during an update, without those that were being deleted.
fn update(more: Value) -> (usize, usize) {
    let mut c = with(more);
    patch(&mut c, SET, "agent", image("team/agent:2"));
    let (mut least, mut most) = (3, 3);
    let steady = c.run_to_steady(2000, |c, _| {
        let there = staying(c);
        (least, most) = (there.min(least), there.max(most));
    });
    assert!(steady);
    assert!(images(&c).iter().all(|i| i.ends_with("=team/agent:2")), "{:?}", images(&c));
    assert_eq!(status(&c, SET, "agent")["updatedNumberScheduled"], 3);
    (least, most)
}

#[test]
fn an_update_keeps_its_bounds() {
    let rolling =
        |bounds: Value| json!({"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": bounds}});
    assert_eq!(update(json!({})), (2, 3));
    let (least, most) = update(rolling(json!({"maxUnavailable": 2})));
    assert!(least >= 1 && most == 3, "{least} {most}");
    let (least, most) = update(rolling(json!({"maxSurge": 1, "maxUnavailable": 0})));
    assert!(least == 3 && (4..=5).contains(&most), "{least} {most}");
    assert_eq!(update(rolling(json!({"maxUnavailable": "10%"}))), (2, 3));
}

#[test]
fn on_delete_waits_for_a_person() {
    let mut c = with(json!({"updateStrategy": {"type": "OnDelete"}}));
    patch(&mut c, SET, "agent", image("team/agent:2"));
    assert_eq!(pods_on_the_way(&mut c), [""; 0]);
    let one = names(&c, Kind::POD).remove(0);
    delete(&mut c, Kind::POD, &one);
    rest(&mut c);
    assert_eq!(images(&c).iter().filter(|i| i.ends_with("=team/agent:2")).count(), 1);
}

#[test]
fn a_failed_pod_is_replaced_and_the_next_one_later() {
    let mut c = with(json!({}));
    let fail = |c: &mut Cluster| {
        let on_first = |n: &String| get(c, Kind::POD, n).unwrap()["spec"]["nodeName"] == "node-1";
        let pod = names(c, Kind::POD).into_iter().find(on_first).unwrap();
        patch_status(c, Kind::POD, &pod, json!({"status": {"phase": "Failed"}}));
        let before = c.now();
        rest(c);
        assert_eq!(nodes(c), ["node-1", "node-2", "node-3"]);
        (pod, c.now().duration_since(before))
    };
    let (pod, _) = fail(&mut c);
    let said =
        format!("FailedDaemonPod: Found failed daemon pod default/{pod} on node node-1, will try to kill it");
    assert!(events(&c, "agent").contains(&said), "{:#?}", events(&c, "agent"));
    for _ in 0..4 {
        fail(&mut c);
    }
    let (_, waited) = fail(&mut c);
    assert!(waited.as_secs() >= 10, "{waited}");
}

#[test]
fn a_node_that_is_gone_keeps_no_pod_waiting() {
    let mut c = with(json!({}));
    delete(&mut c, Kind::NODE, "node-3");
    rest(&mut c);
    assert_eq!(nodes(&c), ["node-1", "node-2"]);
    assert_eq!(status(&c, SET, "agent")["desiredNumberScheduled"], 2);
}

#[test]
fn a_revision_comes_back() {
    let mut c = with(json!({"revisionHistoryLimit": 1}));
    for tag in ["team/agent:2", "team/agent:1", "team/agent:3", "team/agent:4"] {
        patch(&mut c, SET, "agent", image(tag));
        rest(&mut c);
    }
    let revisions = names(&c, Kind::CONTROLLER_REVISION);
    assert_eq!(revisions.len(), 2, "{revisions:?}");
    let numbers: Vec<Value> = revisions
        .iter()
        .map(|r| get(&c, Kind::CONTROLLER_REVISION, r).unwrap()["revision"].clone())
        .collect();
    assert!(numbers.contains(&json!(5)) && numbers.contains(&json!(4)), "{numbers:?}");
}

#[test]
fn of_two_pods_on_a_node_the_older_one_stays() {
    let mut c = Cluster::new(&Config::nodes(1));
    let template =
        json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "x"}]}});
    make(&mut c, SET, set(json!({"template": template, "selector": {"matchLabels": {"a": "b"}}})));
    rest(&mut c);
    // Pods that nobody owns are adopted; of two on a node the older one stays.
    let spec = json!({"containers": [{"name": "c", "image": "x"}], "nodeName": "node-1"});
    let pod =
        json!({"metadata": {"name": "extra", "namespace": "default", "labels": {"a": "b"}}, "spec": spec});
    make(&mut c, Kind::POD, pod);
    rest(&mut c);
    assert_eq!(names(&c, Kind::POD).len(), 1);
    assert!(!names(&c, Kind::POD).contains(&"extra".to_owned()));
}

/// `IsPodUpdated` compares the hash or the number of the template; both sets' templates are number 1.
#[test]
fn pods_that_another_set_has_left_count_as_updated() {
    let mut c = with(json!({}));
    delete_alone(&mut c, SET, "agent");
    rest(&mut c);
    let mut again = set(json!({}));
    again["spec"]["template"]["spec"]["containers"][0]["image"] = json!("team/agent:2");
    make(&mut c, SET, again);
    rest(&mut c);
    assert!(images(&c).iter().all(|i| i.ends_with("=team/agent:1")), "{:?}", images(&c));
    let s = status(&c, SET, "agent");
    assert_eq!((&s["updatedNumberScheduled"], &s["currentNumberScheduled"]), (&json!(3), &json!(3)));
    patch(&mut c, SET, "agent", image("team/agent:3"));
    rest(&mut c);
    assert!(images(&c).iter().all(|i| i.ends_with("=team/agent:3")), "{:?}", images(&c));
}

/// `constructHistory` in `pkg/controller/daemon/update.go` writes the number of a revision once: after a conflict it does not
/// read the revision to write it again, and the set is synced anew.
#[test]
fn a_revision_that_meets_a_conflict_is_not_written_again_at_once() {
    let mut c = with(json!({}));
    let first = names(&c, Kind::CONTROLLER_REVISION).remove(0);
    patch(&mut c, SET, "agent", image("team/agent:2"));
    rest(&mut c);
    patch(&mut c, SET, "agent", image("team/agent:1"));
    let last = std::cell::Cell::new(Verb::Get);
    let of_a_revision = |r: &Request| {
        let is = r.kind == Kind::CONTROLLER_REVISION && matches!(r.verb, Verb::Get | Verb::Update);
        if is {
            last.set(r.verb);
        }
        is
    };
    let send = run_up_to(&mut c, of_a_revision);
    assert_eq!(last.get(), Verb::Update);
    patch(&mut c, Kind::CONTROLLER_REVISION, &first, json!({"metadata": {"labels": {"other": "x"}}}));
    c.act(&send).unwrap();
    // The set is synced anew, and nobody reads the revision.
    run_up_to(&mut c, of_a_revision);
    assert_eq!(last.get(), Verb::Update);
    rest(&mut c);
    assert_eq!(get(&c, Kind::CONTROLLER_REVISION, &first).unwrap()["revision"], 3);
}
