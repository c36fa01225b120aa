//! Deployments in whole clusters.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::sets::{controllers, delete, events, get, image, make, names, patch, patch_status, rest};
use crate::api::{Kind, later};
use crate::cluster::{Cluster, Config};

fn deployment(replicas: i32) -> Value {
    json!({"metadata": {"name": "web", "namespace": "default"}, "spec": {
        "replicas": replicas,
        "selector": {"matchLabels": {"app": "web"}},
        "strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "team/web:1"}]},
        },
    }})
}

fn size(c: &Cluster, replica_set: &str) -> Value {
    get(c, Kind::REPLICA_SET, replica_set).unwrap()["spec"]["replicas"].clone()
}

/// `cleanupUnhealthyReplicas` fails if more pods are available than are wanted, and `reconcileOldReplicaSets` then scales
/// nothing down.
#[test]
fn an_old_replica_set_is_not_scaled_down_by_a_status_that_is_out_of_date() {
    let mut c = Cluster::new(&Config::nodes(2));
    make(&mut c, Kind::DEPLOYMENT, deployment(4));
    rest(&mut c);
    let old = names(&c, Kind::REPLICA_SET).remove(0);
    controllers(&mut c, "*,-replicaset-controller");
    patch(&mut c, Kind::DEPLOYMENT, "web", image("team/web:2"));
    rest(&mut c);
    let new = names(&c, Kind::REPLICA_SET).into_iter().find(|n| *n != old).unwrap();
    let available = |c: &mut Cluster, n: i32| {
        let counts = json!({"replicas": n, "readyReplicas": n, "availableReplicas": n});
        patch_status(c, Kind::REPLICA_SET, &new, json!({"status": counts}));
        rest(c);
    };
    available(&mut c, 1);
    assert_eq!((size(&c, &old), size(&c, &new)), (json!(3), json!(2)));
    // The status of the old ReplicaSet still tells of four available pods.
    available(&mut c, 2);
    assert_eq!((size(&c, &old), size(&c, &new)), (json!(3), json!(2)));
    controllers(&mut c, "*");
    rest(&mut c);
    assert_eq!((size(&c, &old), size(&c, &new)), (json!(0), json!(4)));
}

/// A ReplicaSet that the Deployment adopts.
fn replica_set(name: &str, image: &str, replicas: i32, annotations: Value) -> Value {
    let metadata =
        json!({"name": name, "namespace": "default", "labels": {"app": "web"}, "annotations": annotations});
    json!({"metadata": metadata, "spec": {
        "replicas": replicas,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": image}]},
        },
    }})
}

/// `pkg/controller/deployment/util/deployment_util.go`: the reasons of the events about a rollback.
#[test]
fn a_rollback_tells_what_came_of_it() {
    let mut c = Cluster::new(&Config::nodes(1));
    make(&mut c, Kind::DEPLOYMENT, deployment(1));
    rest(&mut c);
    let mut back = |to: &str| {
        let annotations = json!({"deprecated.deployment.rollback.to": to});
        patch(&mut c, Kind::DEPLOYMENT, "web", json!({"metadata": {"annotations": annotations}}));
        rest(&mut c);
        let mut said = events(&c, "web");
        said.retain(|e| e.contains("Rollback"));
        said
    };
    let unknown = "DeploymentRollbackRevisionNotFound: Unable to find the revision to rollback to.";
    assert_eq!(back("7"), [unknown]);
    let same = "DeploymentRollbackTemplateUnchanged: The rollback revision contains the same template as current deployment \"web\"";
    assert!(back("1").contains(&same.to_owned()));
    patch(&mut c, Kind::DEPLOYMENT, "web", image("team/web:2"));
    rest(&mut c);
    let annotations = json!({"deprecated.deployment.rollback.to": "1"});
    patch(&mut c, Kind::DEPLOYMENT, "web", json!({"metadata": {"annotations": annotations}}));
    rest(&mut c);
    let done = "DeploymentRollback: Rolled back deployment \"web\" to revision 1";
    assert!(events(&c, "web").contains(&done.to_owned()));
}

/// `scaleReplicaSet` in `pkg/controller/deployment/sync.go` says of each ReplicaSet whether it was scaled up or down, although
/// all of them are scaled to let the Deployment grow.
#[test]
fn a_replica_set_that_shrinks_while_the_deployment_grows_is_scaled_down() {
    let mut c = Cluster::new(&Config::nodes(0));
    rest(&mut c);
    controllers(&mut c, "deployment-controller");
    let sizes = json!({"deployment.kubernetes.io/desired-replicas": "5", "deployment.kubernetes.io/max-replicas": "20"});
    make(&mut c, Kind::REPLICA_SET, replica_set("a", "team/web:0", 5, sizes.clone()));
    make(&mut c, Kind::REPLICA_SET, replica_set("b", "team/web:1", 3, sizes));
    let mut wanted = deployment(10);
    wanted["spec"]["strategy"] = json!({"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}});
    make(&mut c, Kind::DEPLOYMENT, wanted);
    rest(&mut c);
    let said = events(&c, "web");
    for event in ["Scaled up replica set a from 5 to 8", "Scaled down replica set b from 3 to 2"] {
        assert!(said.contains(&format!("ScalingReplicaSet: {event}")), "{said:?}");
    }
}

/// `FindNewReplicaSet` in `pkg/controller/deployment/util/deployment_util.go` sorts the ReplicaSets in place, so that the oldest
/// one is scaled down first.
#[test]
fn old_replica_sets_have_the_order_in_which_they_were_created() {
    let mut c = Cluster::new(&Config::nodes(0));
    rest(&mut c);
    controllers(&mut c, "deployment-controller");
    make(&mut c, Kind::REPLICA_SET, replica_set("b", "team/web:0", 1, json!({})));
    let to = later(c.now(), jiff::SignedDuration::from_secs(5));
    c.run_until(to, |_, _| {}).unwrap();
    make(&mut c, Kind::REPLICA_SET, replica_set("a", "team/web:2", 1, json!({})));
    let mut wanted = deployment(1);
    wanted["spec"]["strategy"] = json!({"type": "Recreate"});
    make(&mut c, Kind::DEPLOYMENT, wanted);
    let mut scaled = Vec::new();
    c.run_to_steady(4000, |c, _| {
        for name in ["a", "b"] {
            if size(c, name) == 0 && !scaled.contains(&name) {
                scaled.push(name);
            }
        }
    });
    assert_eq!(scaled, ["b", "a"]);
}

/// `handleErr` in `pkg/controller/deployment/deployment_controller.go`: a Deployment in a namespace that is being deleted is not
/// tried again.
#[test]
fn a_deployment_is_not_tried_again_in_a_namespace_that_is_being_deleted() {
    let mut c = Cluster::new(&Config::nodes(0));
    rest(&mut c);
    // The namespace and what is in it stay.
    controllers(&mut c, "replicaset-controller");
    make(&mut c, Kind::NAMESPACE, json!({"metadata": {"name": "old"}}));
    let mut wanted = deployment(1);
    wanted["metadata"]["namespace"] = "old".into();
    make(&mut c, Kind::DEPLOYMENT, wanted);
    delete(&mut c, Kind::NAMESPACE, "old");
    controllers(&mut c, "deployment-controller");
    let before = c.now();
    rest(&mut c);
    // The back-off of fifteen tries takes minutes.
    assert!(c.now().duration_since(before).as_secs() < 1);
}
