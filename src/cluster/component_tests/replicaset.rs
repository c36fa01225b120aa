//! ReplicaSets in whole clusters.

#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::sets::{controllers, get, make, patch_status, rest};
use crate::api::Kind;
use crate::cluster::{Cluster, Config};

/// `getReplicaSetsWithSameController` finds nothing for a ReplicaSet without a controller, so that none of its pods counts
/// as one that shares a node with another.
#[test]
fn the_nodes_of_the_pods_count_only_for_the_replica_set_of_a_deployment() {
    let mut c = Cluster::new(&Config::nodes(0));
    rest(&mut c);
    controllers(&mut c, "replicaset-controller");
    for (name, node) in [("a", "m"), ("b", "m"), ("c", "n")] {
        let at = json!({"name": name, "namespace": "default", "labels": {"app": "web"}});
        let spec = json!({"nodeName": node, "containers": [{"name": "c", "image": "team/web:1"}]});
        make(&mut c, Kind::POD, json!({"metadata": at, "spec": spec}));
    }
    let container = json!({"name": "c", "image": "", "imageID": "", "ready": false, "restartCount": 5});
    patch_status(&mut c, Kind::POD, "c", json!({"status": {"containerStatuses": [container]}}));
    make(
        &mut c,
        Kind::REPLICA_SET,
        json!({"metadata": {"name": "web", "namespace": "default"}, "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "c", "image": "team/web:1"}]},
            },
        }}),
    );
    rest(&mut c);
    let leaves = |name: &&str| {
        let pod = get(&c, Kind::POD, name);
        pod.is_none_or(|pod| !pod["metadata"]["deletionTimestamp"].is_null())
    };
    assert_eq!(
        ["a", "b", "c"].iter().filter(|name| leaves(name)).collect::<Vec<_>>(),
        [&"c"],
        "it restarted most"
    );
}
