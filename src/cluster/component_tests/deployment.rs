//! Deployments in whole clusters.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::sets::{controllers, get, image, make, names, patch, patch_status, rest};
use crate::api::Kind;
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
