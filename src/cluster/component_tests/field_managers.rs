//! Under which name components manage which fields of what they write.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::api::{Kind, Object};
use crate::apimachinery::{Body, HttpRequest, Request, Verb};
use crate::cluster::{Cluster, Config, Search};

fn create(c: &mut Cluster, kind: Kind, object: Value) {
    let object = Object::from_value(kind, object).unwrap();
    let request = Request::new(&"kubectl".into(), Verb::Create, kind, object.key());
    c.request(&request.body(Body::Object(object))).0.object().unwrap();
}

/// The fields that a manager has of the only object of a collection, other than those of a subresource.
fn fields(c: &mut Cluster, collection: &str, manager: &str) -> Value {
    let request = HttpRequest { method: "GET".into(), path: collection.into(), ..HttpRequest::default() };
    let list: Value = serde_json::from_str(&c.http(&request).0.body).unwrap();
    let entries = list["items"][0]["metadata"]["managedFields"].as_array().unwrap();
    let mut mine = entries.iter().filter(|e| e["manager"] == manager && e.get("subresource").is_none());
    mine.next().unwrap_or_else(|| panic!("{manager} manages nothing of {entries:?}"))["fieldsV1"].clone()
}

#[test]
fn a_controller_owns_what_it_wrote_and_not_what_admission_added() {
    let mut c = Cluster::new(&Config::nodes(1));
    create(&mut c, Kind::NAMESPACE, json!({"metadata": {"name": "team"}}));
    create(&mut c, Kind::SERVICE_ACCOUNT, json!({"metadata": {"name": "builder", "namespace": "default"}}));
    create(
        &mut c,
        Kind::DEPLOYMENT,
        json!({
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {
                    "serviceAccountName": "builder",
                    "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}],
                    "containers": [{"name": "c", "image": "nginx"}],
                },
            }},
        }),
    );
    assert!(c.run_to_steady(500, |_, _| {}));
    let of_pod = fields(&mut c, "/api/v1/namespaces/default/pods", "kube-controller-manager");
    // The template has both, so the ReplicaSet's controller owns them.
    assert_eq!(of_pod["f:spec"]["f:serviceAccountName"], json!({}));
    assert_eq!(of_pod["f:spec"]["f:tolerations"], json!({}));
    // The token's volume and the node come from admission and from the binding.
    assert_eq!(of_pod["f:spec"].get("f:volumes"), None);
    assert_eq!(of_pod["f:spec"].get("f:nodeName"), None);
    // The publisher's user has a name of its own, and is a part of kube-controller-manager.
    let of_root = fields(&mut c, "/api/v1/namespaces/team/configmaps", "kube-controller-manager");
    assert!(of_root["f:data"].get("f:ca.crt").is_some(), "{of_root}");
}

#[test]
fn a_cronjobs_controller_does_not_own_the_selector_of_its_job() {
    let mut c = Cluster::new(&Config::nodes(1));
    let template =
        json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "busybox"}]}});
    create(
        &mut c,
        Kind::CRON_JOB,
        json!({
            "metadata": {"name": "tick", "namespace": "default"},
            "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template}}},
        }),
    );
    while c.api().etcd().range(Kind::JOB, Some("default")).next().is_none() {
        c.find(Search::new(None).to_schedule()).unwrap();
    }
    let of_job = fields(&mut c, "/apis/batch/v1/namespaces/default/jobs", "kube-controller-manager");
    assert!(of_job["f:spec"].get("f:template").is_some(), "{of_job}");
    assert_eq!(of_job["f:spec"].get("f:selector"), None);
}
