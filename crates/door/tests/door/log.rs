//! The logs of containers, read and followed with kube-rs.

use futures_util::{AsyncBufReadExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, LogParams, PostParams};
use kube::{Client, Config, Error};
use serde_json::json;

use crate::client::{ask, stepped};

#[tokio::test]
async fn a_log_is_read_and_followed() {
    let door = stepped();
    let client = Client::try_from(Config::new(door.url().parse().unwrap())).unwrap();
    let pods: Api<Pod> = Api::namespaced(client, "default");
    let pod = json!({
        "metadata": {"name": "count"},
        "spec": {
            "restartPolicy": "Never",
            "containers": [{
                "name": "main", "image": "busybox",
                "command": ["sh", "-c", "for i in 1 2 3; do echo line $i; sleep 10; done"],
            }],
        },
    });
    pods.create(&PostParams::default(), &serde_json::from_value(pod).unwrap()).await.unwrap();
    // Bound, but its container has not started.
    while pods.get("count").await.unwrap().status.and_then(|s| s.container_statuses).is_none() {
        ask(&door, "POST", "/steady/step", "");
    }
    match pods.logs("count", &LogParams::default()).await.unwrap_err() {
        Error::Api(status) => assert_eq!(
            (status.code, status.message.as_str()),
            (400, "container \"main\" in pod \"count\" is waiting to start: ContainerCreating")
        ),
        other => panic!("{other:?}"),
    }
    while pods.get("count").await.unwrap().status.and_then(|s| s.phase).as_deref() != Some("Running") {
        ask(&door, "POST", "/steady/step", "");
    }
    assert_eq!(pods.logs("count", &LogParams::default()).await.unwrap(), "line 1\n");
    let follow = LogParams { follow: true, ..LogParams::default() };
    let mut lines = pods.log_stream("count", &follow).await.unwrap().lines();
    assert_eq!(lines.try_next().await.unwrap().as_deref(), Some("line 1"));
    ask(&door, "POST", "/steady/run", "");
    assert_eq!(lines.try_next().await.unwrap().as_deref(), Some("line 2"));
    assert_eq!(lines.try_next().await.unwrap().as_deref(), Some("line 3"));
    // The container has ended, and so has its log.
    assert_eq!(lines.try_next().await.unwrap(), None);
}
