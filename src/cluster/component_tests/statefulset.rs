//! StatefulSets in whole clusters.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::sets::{
    delete, events, get, image, images, make, names, owners, patch, patch_status, pods_on_the_way, rest,
    run_up_to, status,
};
use crate::api::{Kind, later};
use crate::apimachinery::Verb;
use crate::cluster::{Action, Cluster, Config, Fault, Outcome};

const SET: Kind = Kind::STATEFUL_SET;

fn set(replicas: i64, more: Value) -> Value {
    let mut spec = json!({
        "replicas": replicas, "serviceName": "web", "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "team/web:1"}], "terminationGracePeriodSeconds": 1},
        },
    });
    for (k, v) in more.as_object().into_iter().flatten() {
        spec[k] = v.clone();
    }
    json!({"metadata": {"name": "web", "namespace": "default"}, "spec": spec})
}

fn with(replicas: i64, more: Value) -> Cluster {
    let mut c = Cluster::new(&Config::nodes(2));
    make(&mut c, SET, set(replicas, more));
    c
}

#[test]
fn pods_come_in_order_and_go_in_reverse() {
    let mut c = with(3, json!({}));
    assert_eq!(pods_on_the_way(&mut c), ["+web-0", "+web-1", "+web-2"]);
    let pod = get(&c, Kind::POD, "web-1").unwrap();
    assert_eq!(pod["spec"]["hostname"], "web-1");
    assert_eq!(pod["spec"]["subdomain"], "web");
    assert_eq!(pod["metadata"]["labels"]["apps.kubernetes.io/pod-index"], "1");
    patch(&mut c, SET, "web", json!({"spec": {"replicas": 1}}));
    assert_eq!(pods_on_the_way(&mut c), ["-web-2", "-web-1"]);
    let said = events(&c, "web");
    assert!(said.contains(&"SuccessfulDelete: Delete Pod web-2 in StatefulSet web successful".to_owned()));
    assert_eq!(status(&c, SET, "web")["readyReplicas"], 1);
}

#[test]
fn the_next_pod_waits_for_the_one_before() {
    let probe = json!({"exec": {"command": ["false"]}});
    let spec = json!({"containers": [{"name": "c", "image": "team/web:1", "readinessProbe": probe}]});
    let template = json!({"metadata": {"labels": {"app": "web"}}, "spec": spec});
    let mut c = with(3, json!({"template": template}));
    rest(&mut c);
    assert_eq!(names(&c, Kind::POD), ["web-0"]);
    // In parallel nobody waits.
    let mut c = with(3, json!({"template": template, "podManagementPolicy": "Parallel"}));
    rest(&mut c);
    assert_eq!(names(&c, Kind::POD), ["web-0", "web-1", "web-2"]);
}

#[test]
fn ordinals_start_where_they_shall() {
    let mut c = with(2, json!({"ordinals": {"start": 5}}));
    rest(&mut c);
    assert_eq!(names(&c, Kind::POD), ["web-5", "web-6"]);
    patch(&mut c, SET, "web", json!({"spec": {"ordinals": {"start": 6}}}));
    assert_eq!(pods_on_the_way(&mut c), ["+web-7", "-web-5"]);
}

#[test]
fn an_update_replaces_pods_from_the_highest_ordinal() {
    let mut c = with(3, json!({}));
    rest(&mut c);
    patch(&mut c, SET, "web", image("team/web:2"));
    let way = ["-web-2", "+web-2", "-web-1", "+web-1", "-web-0", "+web-0"];
    assert_eq!(pods_on_the_way(&mut c), way);
    let s = status(&c, SET, "web");
    assert_eq!(s["currentRevision"], s["updateRevision"]);
    // Back to the first template: its revision becomes the newest, and no new one is made.
    let revisions = names(&c, Kind::CONTROLLER_REVISION);
    patch(&mut c, SET, "web", image("team/web:1"));
    rest(&mut c);
    assert_eq!(names(&c, Kind::CONTROLLER_REVISION), revisions);
    assert_eq!(images(&c), ["web-0=team/web:1", "web-1=team/web:1", "web-2=team/web:1"]);
}

#[test]
fn a_partition_keeps_the_lower_ordinals() {
    let rolling = json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 2}});
    let mut c = with(3, json!({"updateStrategy": rolling}));
    rest(&mut c);
    patch(&mut c, SET, "web", image("team/web:2"));
    rest(&mut c);
    assert_eq!(images(&c), ["web-0=team/web:1", "web-1=team/web:1", "web-2=team/web:2"]);
    // A pod below the partition comes back as it was.
    delete(&mut c, Kind::POD, "web-0");
    rest(&mut c);
    assert_eq!(images(&c)[0], "web-0=team/web:1");
}

#[test]
fn on_delete_waits_for_a_person() {
    let mut c = with(2, json!({"updateStrategy": {"type": "OnDelete"}}));
    rest(&mut c);
    patch(&mut c, SET, "web", image("team/web:2"));
    rest(&mut c);
    assert_eq!(images(&c), ["web-0=team/web:1", "web-1=team/web:1"]);
    delete(&mut c, Kind::POD, "web-1");
    rest(&mut c);
    assert_eq!(images(&c), ["web-0=team/web:1", "web-1=team/web:2"]);
}

#[test]
fn a_broken_rollout_stays_stuck_until_its_pod_is_deleted() {
    let mut c = with(2, json!({}));
    rest(&mut c);
    // A probe that never passes keeps the new pod from being ready.
    let broken =
        json!({"name": "c", "image": "team/web:2", "readinessProbe": {"exec": {"command": ["false"]}}});
    let template = |container: Value| json!({"spec": {"template": {"spec": {"containers": [container]}}}});
    patch(&mut c, SET, "web", template(broken));
    rest(&mut c);
    assert_eq!(images(&c), ["web-0=team/web:1", "web-1=team/web:2"]);
    patch(&mut c, SET, "web", template(json!({"name": "c", "image": "team/web:1"})));
    rest(&mut c);
    assert_eq!(images(&c), ["web-0=team/web:1", "web-1=team/web:2"], "it waits for the broken pod");
    delete(&mut c, Kind::POD, "web-1");
    rest(&mut c);
    assert_eq!(images(&c), ["web-0=team/web:1", "web-1=team/web:1"]);
    assert_eq!(status(&c, SET, "web")["readyReplicas"], 2);
}

#[test]
fn a_pod_that_ended_is_made_anew() {
    let mut c = with(2, json!({}));
    rest(&mut c);
    patch_status(&mut c, Kind::POD, "web-1", json!({"status": {"phase": "Failed"}}));
    assert_eq!(pods_on_the_way(&mut c), ["-web-1", "+web-1"]);
}

#[test]
fn pods_are_adopted_by_name_and_labels_and_released_by_labels() {
    let mut c = Cluster::new(&Config::nodes(2));
    let pod = |name: &str, app: &str| {
        let spec = json!({"containers": [{"name": "c", "image": "team/web:1"}]});
        json!({"metadata": {"name": name, "namespace": "default", "labels": {"app": app}}, "spec": spec})
    };
    for (name, app) in [("web-0", "web"), ("other-1", "web"), ("web-9", "else")] {
        make(&mut c, Kind::POD, pod(name, app));
    }
    rest(&mut c);
    make(&mut c, SET, set(1, json!({})));
    rest(&mut c);
    assert_eq!(owners(&c, Kind::POD, "web-0"), ["StatefulSet/web"]);
    assert_eq!(owners(&c, Kind::POD, "other-1"), [""; 0]);
    assert_eq!(owners(&c, Kind::POD, "web-9"), [""; 0]);
    patch(&mut c, Kind::POD, "web-0", json!({"metadata": {"labels": {"app": "else"}}}));
    rest(&mut c);
    assert_eq!(owners(&c, Kind::POD, "web-0"), [""; 0]);
}

#[test]
fn claims_are_kept_or_go_with_their_owner() {
    let claim = json!({"metadata": {"name": "data"}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}});
    let retention = |scaled: &str, deleted: &str| {
        let policy = json!({"whenScaled": scaled, "whenDeleted": deleted});
        json!({"volumeClaimTemplates": [claim], "persistentVolumeClaimRetentionPolicy": policy})
    };
    let claims = |c: &Cluster| names(c, Kind::PERSISTENT_VOLUME_CLAIM);
    let mut c = with(2, retention("Delete", "Retain"));
    rest(&mut c);
    assert_eq!(claims(&c), ["data-web-0", "data-web-1"]);
    assert_eq!(owners(&c, Kind::PERSISTENT_VOLUME_CLAIM, "data-web-1"), [""; 0]);
    patch(&mut c, SET, "web", json!({"spec": {"replicas": 1}}));
    rest(&mut c);
    assert_eq!(claims(&c), ["data-web-0"]);
    delete(&mut c, SET, "web");
    rest(&mut c);
    assert_eq!((claims(&c), names(&c, Kind::POD)), (vec!["data-web-0".to_owned()], vec![]));

    let mut c = with(1, retention("Retain", "Delete"));
    rest(&mut c);
    assert_eq!(owners(&c, Kind::PERSISTENT_VOLUME_CLAIM, "data-web-0"), ["StatefulSet/web"]);
    delete(&mut c, SET, "web");
    rest(&mut c);
    assert_eq!(claims(&c), [""; 0]);

    // All at once. (A claim that the scheduler writes at the same moment gets its owner at the second try.)
    let mut parallel = retention("Delete", "Delete");
    parallel["podManagementPolicy"] = "Parallel".into();
    let mut c = with(3, parallel);
    rest(&mut c);
    for claim in ["data-web-0", "data-web-1", "data-web-2"] {
        assert_eq!(owners(&c, Kind::PERSISTENT_VOLUME_CLAIM, claim), ["StatefulSet/web"]);
    }
}

#[test]
fn a_claim_that_somebody_else_controls_is_left_to_them() {
    let mut c = Cluster::new(&Config::nodes(1));
    make(&mut c, Kind::CONFIG_MAP, json!({"metadata": {"name": "boss", "namespace": "default"}}));
    let uid = get(&c, Kind::CONFIG_MAP, "boss").unwrap()["metadata"]["uid"].clone();
    let owner =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "boss", "uid": uid, "controller": true});
    let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    let meta = json!({"name": "data-web-0", "namespace": "default", "ownerReferences": [owner]});
    make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, json!({"metadata": meta, "spec": spec}));
    let policy = json!({"whenScaled": "Retain", "whenDeleted": "Delete"});
    let templates = json!([{"metadata": {"name": "data"}, "spec": spec}]);
    make(
        &mut c,
        SET,
        set(1, json!({"volumeClaimTemplates": templates, "persistentVolumeClaimRetentionPolicy": policy})),
    );
    rest(&mut c);
    assert_eq!(owners(&c, Kind::PERSISTENT_VOLUME_CLAIM, "data-web-0"), ["ConfigMap/boss"]);
    let said = events(&c, "web");
    assert!(
        said.iter().any(|e| e.starts_with("ConflictingController: PersistentVolumeClaim data-web-0 has"))
    );
}

#[test]
fn only_so_many_revisions_are_kept() {
    let mut c = with(1, json!({"revisionHistoryLimit": 1}));
    rest(&mut c);
    for tag in 2..6 {
        patch(&mut c, SET, "web", image(&format!("team/web:{tag}")));
        rest(&mut c);
    }
    assert_eq!(names(&c, Kind::CONTROLLER_REVISION).len(), 2);
}

#[test]
fn a_name_that_is_in_use_is_not_taken() {
    let mut c = with(1, json!({}));
    rest(&mut c);
    let revision = names(&c, Kind::CONTROLLER_REVISION).remove(0);
    delete(&mut c, SET, "web");
    rest(&mut c);
    // Somebody else's revision of the same name.
    let other =
        json!({"metadata": {"name": revision, "namespace": "default"}, "data": {"x": 1}, "revision": 1});
    make(&mut c, Kind::CONTROLLER_REVISION, other);
    make(&mut c, SET, set(1, json!({})));
    rest(&mut c);
    assert_eq!(names(&c, Kind::CONTROLLER_REVISION).len(), 2);
    let s = status(&c, SET, "web");
    assert_eq!(s["collisionCount"], 1);
    assert_ne!(s["currentRevision"], revision.as_str());
    assert_eq!(s["readyReplicas"], 1);
}

#[test]
fn billions_of_replicas_come_one_by_one() {
    let mut c = with(2_000_000_000, json!({}));
    c.run_to_steady(60, |_, _| {});
    assert!(!names(&c, Kind::POD).is_empty());
}

#[test]
fn a_controller_that_was_restarted_goes_on() {
    let mut c = with(2, json!({}));
    c.run_to_steady(8, |_, _| {});
    for _ in 0..3 {
        let restart = Fault::Restart { process: "kube-controller-manager".into(), node: None };
        c.fault(&restart).unwrap();
        c.run_to_steady(3, |_, _| {});
    }
    rest(&mut c);
    assert_eq!(status(&c, SET, "web")["readyReplicas"], 2);
}

/// `adoptOrphanRevisions`: the sync of a set that is being deleted and has lost a revision ends before the status is
/// written.
#[test]
fn a_set_that_is_being_deleted_adopts_nothing() {
    let mut c = with(2, json!({}));
    rest(&mut c);
    patch(&mut c, SET, "web", json!({"metadata": {"finalizers": ["example.com/hold"]}}));
    delete(&mut c, SET, "web");
    let revision = names(&c, Kind::CONTROLLER_REVISION).remove(0);
    patch(&mut c, Kind::CONTROLLER_REVISION, &revision, json!({"metadata": {"ownerReferences": null}}));
    patch(&mut c, Kind::POD, "web-1", json!({"metadata": {"ownerReferences": null}}));
    rest(&mut c);
    assert_eq!(status(&c, SET, "web")["replicas"], 2);
    assert_eq!(owners(&c, Kind::CONTROLLER_REVISION, &revision), [""; 0]);
    assert_eq!(owners(&c, Kind::POD, "web-1"), [""; 0]);
}

/// `syncStatefulSet` looks again when the next pod becomes available (`FindMinNextPodAvailabilityCheck`), also if another one
/// was waited for before.
#[test]
fn each_pod_is_available_after_the_seconds_that_it_must_be_ready() {
    let mut c = Cluster::new(&Config::nodes(0));
    make(&mut c, SET, set(2, json!({"podManagementPolicy": "Parallel", "minReadySeconds": 10})));
    rest(&mut c);
    let ready = |c: &mut Cluster, name: &str| {
        let at = c.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let condition = json!({"type": "Ready", "status": "True", "lastTransitionTime": at});
        patch_status(c, Kind::POD, name, json!({"status": {"phase": "Running", "conditions": [condition]}}));
    };
    ready(&mut c, "web-0");
    let to = later(c.now(), jiff::SignedDuration::from_secs(5));
    c.run_until(to, |_, _| {}).unwrap();
    ready(&mut c, "web-1");
    let since = c.now();
    let mut seen = None;
    let to = later(since, jiff::SignedDuration::from_secs(30));
    c.run_until(to, |c, _| {
        if seen.is_none() && status(c, SET, "web")["availableReplicas"] == 2 {
            seen = Some(c.now());
        }
    })
    .unwrap();
    let after = seen.unwrap().duration_since(since).as_secs();
    assert!((9..=10).contains(&after), "{after}");
}

/// `DeleteStatefulPod`: a pod that is gone counts as deleted.
#[test]
fn a_pod_that_somebody_else_has_deleted_is_no_failure() {
    let mut c = Cluster::new(&Config::nodes(0));
    make(&mut c, SET, set(2, json!({"podManagementPolicy": "Parallel"})));
    rest(&mut c);
    patch(&mut c, SET, "web", json!({"spec": {"replicas": 1}}));
    let send = run_up_to(&mut c, |r| r.verb == Verb::Delete && r.kind == Kind::POD);
    delete(&mut c, Kind::POD, "web-1");
    c.act(&send).unwrap();
    rest(&mut c);
    let said = events(&c, "web");
    assert!(said.contains(&"SuccessfulDelete: Delete Pod web-1 in StatefulSet web successful".to_owned()));
    assert!(!said.iter().any(|e| e.starts_with("FailedDelete")), "{said:?}");
}

/// `NewStatefulSetController` gives its consistency store the caches of pods, claims and sets: a sync does not wait for the
/// revisions that the controller has written.
#[test]
fn a_set_does_not_wait_for_its_revisions() {
    let mut c = Cluster::new(&Config::nodes(0));
    make(&mut c, SET, set(1, json!({"podManagementPolicy": "Parallel"})));
    rest(&mut c);
    patch(&mut c, SET, "web", image("team/web:2"));
    // The controllers hear of everything but revisions.
    for _ in 0..1000 {
        if images(&c) == ["web-0=team/web:2"] {
            return;
        }
        let hears = |a: &Action| match c.step(a).unwrap().1.outcome {
            Outcome::Reflected { kind, .. } => kind == Kind::CONTROLLER_REVISION,
            _ => false,
        };
        let next = c.enabled().into_iter().find(|a| !matches!(a, Action::Watch { .. } if hears(a))).unwrap();
        c.act(&next).unwrap();
    }
    panic!("the pod is not made anew");
}
