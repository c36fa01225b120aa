//! CSI volumes in whole clusters: attached, mounted, expanded, and what goes wrong with that.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::api::{Key, Kind, Object, ObjectRef};
use crate::apimachinery::{Body, DeleteOptions, Patch, Request, Verb};
use crate::cluster::{Cluster, Config, Fault};
use crate::kubelet::KubeletFault;

fn make(c: &mut Cluster, kind: Kind, value: Value) {
    let object = Object::from_value(kind, value).unwrap();
    let r = Request::new(&"kubectl".into(), Verb::Create, kind, object.key()).body(Body::Object(object));
    c.request(&r).0.object().unwrap();
}

fn get(c: &Cluster, kind: Kind, key: &Key) -> Option<Value> {
    let at = ObjectRef { kind, key: key.clone() };
    c.api().etcd().get(&at).map(|r| r.object.to_value())
}

fn patch(c: &mut Cluster, kind: Kind, key: Key, change: Value) {
    let r = Request::new(&"kubectl".into(), Verb::Patch, kind, key);
    c.request(&r.body(Body::Patch(Patch::Merge(change)))).0.object().unwrap();
}

fn delete(c: &mut Cluster, kind: Kind, key: Key, force: bool) {
    let options = DeleteOptions { grace_period_seconds: force.then_some(0), ..Default::default() };
    let r = Request::new(&"kubectl".into(), Verb::Delete, kind, key).body(Body::Delete(options));
    let _ = c.request(&r);
}

fn rest(c: &mut Cluster) {
    assert!(c.run_to_steady(3000, |_, _| {}), "it comes to rest");
}

fn all(c: &Cluster, kind: Kind) -> Vec<Value> {
    c.api().etcd().range(kind, None).map(|(_, r)| r.object.to_value()).collect()
}

/// The messages of the events with a reason.
fn events(c: &Cluster, reason: &str) -> Vec<String> {
    let said = all(c, Kind::EVENT).into_iter().filter(|e| e["reason"] == reason);
    said.map(|e| e["message"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The attachments: node and whether the volume is attached.
fn attachments(c: &Cluster) -> Vec<(String, bool)> {
    let all = all(c, Kind::VOLUME_ATTACHMENT);
    let of = |a: Value| {
        (a["spec"]["nodeName"].as_str().unwrap().to_owned(), a["status"]["attached"].as_bool() == Some(true))
    };
    all.into_iter().map(of).collect()
}

fn claim_key() -> Key {
    Key::new("default", "data")
}

/// A cluster with the CSI driver, a class of it and a claim.
fn cluster(nodes: usize) -> Cluster {
    let mut c = Cluster::new(&Config::nodes(nodes));
    make(&mut c, Kind::CSI_DRIVER, json!({"metadata": {"name": "csi.sim.steady"}, "spec": {}}));
    make(
        &mut c,
        Kind::STORAGE_CLASS,
        json!({"metadata": {"name": "disk"}, "provisioner": "csi.sim.steady", "allowVolumeExpansion": true,
            "volumeBindingMode": "WaitForFirstConsumer"}),
    );
    make(
        &mut c,
        Kind::PERSISTENT_VOLUME_CLAIM,
        json!({"metadata": {"name": "data", "namespace": "default"}, "spec": {
            "storageClassName": "disk", "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}}}}),
    );
    c
}

fn template() -> Value {
    json!({
        "containers": [{"name": "c", "image": "nginx", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}],
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}],
    })
}

fn pod(c: &mut Cluster) {
    make(c, Kind::POD, json!({"metadata": {"name": "web", "namespace": "default"}, "spec": template()}));
}

fn deployment(c: &mut Cluster) {
    let labels = json!({"app": "web"});
    make(
        c,
        Kind::DEPLOYMENT,
        json!({"metadata": {"name": "web", "namespace": "default"}, "spec": {
            "replicas": 1, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": template()}}}),
    );
}

/// The pods as name, node and phase.
fn pods(c: &Cluster) -> Vec<(String, String, String)> {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let all = all(c, Kind::POD);
    all.iter()
        .map(|p| (text(&p["metadata"]["name"]), text(&p["spec"]["nodeName"]), text(&p["status"]["phase"])))
        .collect()
}

/// `pkg/controller/volume/attachdetach/reconciler/reconciler.go`, `reconcile`; `pkg/kubelet/volumemanager/volume_manager.go`,
/// `GetVolumesInUse`.
#[test]
fn a_volume_is_attached_then_mounted_and_detached_after_the_pod() {
    let mut c = cluster(1);
    pod(&mut c);
    let mut writes = Vec::new();
    assert!(c.run_to_steady(3000, |_, command| {
        for w in &command.writes {
            let object = w.next.as_ref().or(w.prev.as_ref()).unwrap();
            if [Kind::VOLUME_ATTACHMENT, Kind::NODE, Kind::CSI_NODE].contains(&object.kind()) {
                writes.push(format!("{} {} {}", w.user, w.verb_string(), object.kind().as_str()));
            }
        }
    }));
    insta::assert_snapshot!(writes.join("\n"));
    assert_eq!(pods(&c)[0].2, "Running");
    assert_eq!(attachments(&c), [("node-1".to_owned(), true)]);
    let node = get(&c, Kind::NODE, &Key::new("", "node-1")).unwrap();
    assert_eq!(node["status"]["volumesInUse"][0], node["status"]["volumesAttached"][0]["name"]);
    assert_eq!(events(&c, "SuccessfulAttachVolume").len(), 1);

    delete(&mut c, Kind::POD, Key::new("default", "web"), false);
    rest(&mut c);
    assert_eq!(attachments(&c), []);
    let node = get(&c, Kind::NODE, &Key::new("", "node-1")).unwrap();
    assert_eq!(node["status"]["volumesInUse"], Value::Null);
    assert_eq!(node["status"]["volumesAttached"], Value::Null);
}

/// `pkg/volume/csi/csi_attacher.go`: `MountDevice`, once for the node; `csi_mounter.go`: `SetUpAt`, for each pod; and in reverse.
#[test]
fn a_volume_is_staged_for_its_node_and_published_for_each_pod() {
    let mut c = cluster(1);
    let calls = |c: &mut Cluster| {
        let mut calls = Vec::new();
        assert!(c.run_to_steady(3000, |_, command| {
            let why = command.why.as_ref().map_or("", |w| w.rule);
            if let Some(call) = why.strip_prefix("kubelet.node_") {
                let pod = command.request.key.name.to_string();
                calls.push(format!("{call} for {pod}"));
            }
            for w in &command.writes {
                if w.object.kind == Kind::VOLUME_ATTACHMENT && w.next.is_none() {
                    calls.push("detached".into());
                }
            }
        }));
        calls
    };
    pod(&mut c);
    assert_eq!(calls(&mut c), ["stage_volume for web", "publish_volume for web"]);
    make(&mut c, Kind::POD, json!({"metadata": {"name": "two", "namespace": "default"}, "spec": template()}));
    assert_eq!(calls(&mut c), ["publish_volume for two"]);
    delete(&mut c, Kind::POD, Key::new("default", "web"), false);
    assert_eq!(calls(&mut c), ["unpublish_volume for web"]);
    delete(&mut c, Kind::POD, Key::new("default", "two"), false);
    assert_eq!(calls(&mut c), ["unpublish_volume for two", "unstage_volume for two", "detached"]);
}

/// `pkg/controller/volume/attachdetach/reconciler/reconciler.go`, `reportMultiAttachError`; `attach_detach_controller.go`:
/// `ReconcilerMaxWaitForUnmountDuration`.
#[test]
fn a_lost_node_keeps_its_volume_for_six_minutes_after_its_pod_is_gone() {
    let mut c = cluster(2);
    deployment(&mut c);
    rest(&mut c);
    let (old, node, _) = pods(&c)[0].clone();
    c.fault(&Fault::NodeDown { node: node.clone() }).unwrap();
    rest(&mut c);
    // The old pod cannot end, so the new one has to wait.
    let new = pods(&c).into_iter().find(|p| p.0 != old).unwrap();
    assert_eq!(new.2, "Pending");
    let volume = all(&c, Kind::PERSISTENT_VOLUME)[0]["metadata"]["name"].as_str().unwrap().to_owned();
    let message =
        format!("Multi-Attach error for volume \"{volume}\" Volume is already used by pod(s) {old}");
    assert_eq!(events(&c, "FailedAttachVolume"), [message]);
    assert_eq!(attachments(&c), [(node, true)]);

    let since = c.now();
    delete(&mut c, Kind::POD, Key::new("default", &old), true);
    rest(&mut c);
    assert_eq!(pods(&c), [(new.0, new.1.clone(), "Running".to_owned())]);
    assert_eq!(attachments(&c), [(new.1, true)]);
    assert!(c.now().duration_since(since).as_secs() >= 360);
}

/// `pkg/controller/volume/attachdetach/reconciler/reconciler.go`, `hasOutOfServiceTaint`;
/// `pkg/controller/podgc/gc_controller.go`, `gcTerminating`.
#[test]
fn a_node_that_is_out_of_service_gives_up_its_volume_at_once() {
    let mut c = cluster(2);
    deployment(&mut c);
    rest(&mut c);
    let node = pods(&c)[0].1.clone();
    c.fault(&Fault::NodeDown { node: node.clone() }).unwrap();
    rest(&mut c);
    let since = c.now();
    let taints =
        json!([{"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute"}]);
    patch(&mut c, Kind::NODE, Key::new("", &node), json!({"spec": {"taints": taints}}));
    rest(&mut c);
    let left = pods(&c);
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].2, "Running");
    assert_ne!(left[0].1, node);
    assert!(c.now().duration_since(since).as_secs() < 60);
}

/// `pkg/volume/csi/csi_attacher.go`, `waitForVolumeAttachDetachStatusWithLister`: the words.
#[test]
fn without_an_attacher_the_pod_waits_and_the_cluster_is_steady() {
    let mut c = cluster(1);
    let switch = |controllers: &str| Fault::Controllers {
        process: "external-provisioner".into(),
        controllers: controllers.into(),
    };
    c.fault(&switch("*,-external-attacher")).unwrap();
    pod(&mut c);
    rest(&mut c);
    assert_eq!(pods(&c)[0].2, "Pending");
    let volume = all(&c, Kind::PERSISTENT_VOLUME)[0]["metadata"]["name"].as_str().unwrap().to_owned();
    let message = format!(
        "AttachVolume.Attach failed for volume \"{volume}\" : timed out waiting for external-attacher of csi.sim.steady CSI driver to attach volume {volume}"
    );
    assert_eq!(events(&c, "FailedAttachVolume"), [message]);
    c.fault(&switch("*")).unwrap();
    rest(&mut c);
    assert_eq!(pods(&c)[0].2, "Running");
}

/// `pkg/volume/csi/csi_attacher.go`, `MountDevice`; `pkg/volume/csi/csi_client.go`, `newCsiDriverClient`: the words.
#[test]
fn a_driver_that_is_not_there_attaches_nothing_and_mounts_nothing() {
    let mut c = Cluster::new(&Config::nodes(1));
    make(
        &mut c,
        Kind::CSI_DRIVER,
        json!({"metadata": {"name": "csi.example.com"}, "spec": {"attachRequired": false}}),
    );
    make(
        &mut c,
        Kind::PERSISTENT_VOLUME,
        json!({"metadata": {"name": "v1"}, "spec": {"capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"], "storageClassName": "m",
            "csi": {"driver": "csi.example.com", "volumeHandle": "vol-1"}}}),
    );
    make(
        &mut c,
        Kind::PERSISTENT_VOLUME_CLAIM,
        json!({"metadata": {"name": "data", "namespace": "default"}, "spec": {
            "storageClassName": "m", "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}}}}),
    );
    rest(&mut c);
    pod(&mut c);
    rest(&mut c);
    assert_eq!(attachments(&c), []);
    assert_eq!(pods(&c)[0].2, "Pending");
    assert_eq!(
        events(&c, "FailedMount"),
        [
            "MountVolume.MountDevice failed for volume \"v1\" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name csi.example.com not found in the list of registered CSI drivers"
        ]
    );
}

/// `pkg/volume/util/operationexecutor/operation_generator.go`, `GenerateMountVolumeFunc`: the event.
#[test]
fn a_mount_that_fails_and_then_succeeds() {
    let mut c = cluster(1);
    rest(&mut c);
    // The volume has the name that the provisioner gives it.
    let uid = get(&c, Kind::PERSISTENT_VOLUME_CLAIM, &claim_key()).unwrap()["metadata"]["uid"].clone();
    let volume = format!("pvc-{}", uid.as_str().unwrap());
    let fault = |failing| Fault::Kubelet {
        node: None,
        fault: KubeletFault::Mount { volume: volume.as_str().into(), failing, message: "no disk".into() },
    };
    c.fault(&fault(true)).unwrap();
    pod(&mut c);
    rest(&mut c);
    assert_eq!(pods(&c)[0].2, "Pending");
    let message = format!(
        "MountVolume.MountDevice failed for volume \"{volume}\" : rpc error: code = Internal desc = no disk"
    );
    assert_eq!(events(&c, "FailedMount"), [message]);
    c.fault(&fault(false)).unwrap();
    rest(&mut c);
    assert_eq!(pods(&c)[0].2, "Running");
}

/// `pkg/volume/util/operationexecutor/operation_generator.go`, `GenerateAttachVolumeFunc`: the event.
#[test]
fn a_volume_that_the_storage_refuses_to_attach() {
    let mut c = cluster(1);
    rest(&mut c);
    pod(&mut c);
    assert!(!c.run_to_steady(8, |_, _| {}));
    let volume = all(&c, Kind::PERSISTENT_VOLUME).first().map(|v| v["metadata"]["name"].clone());
    let Some(volume) = volume else { panic!("the volume is there") };
    let key = Key::new("", volume.as_str().unwrap());
    let say = |v: Value| json!({"metadata": {"annotations": {"sim.steady/attach": v}}});
    patch(&mut c, Kind::PERSISTENT_VOLUME, key.clone(), say("fail: too many disks".into()));
    rest(&mut c);
    assert_eq!(pods(&c)[0].2, "Pending");
    assert!(
        events(&c, "FailedAttachVolume")
            .iter()
            .any(|m| m.ends_with(" : rpc error: code = Internal desc = too many disks"))
    );
    patch(&mut c, Kind::PERSISTENT_VOLUME, key, say(Value::Null));
    rest(&mut c);
    assert_eq!(pods(&c)[0].2, "Running");
}

/// `pkg/controller/volume/expand/expand_controller.go`, `syncHandler`: `ExternalExpanding`. KEP-1790 and
/// `pkg/volume/util/operationexecutor/node_expander.go`: what the node does.
#[test]
fn a_volume_grows_in_the_storage_and_then_on_its_node() {
    let mut c = cluster(1);
    pod(&mut c);
    rest(&mut c);
    let more = json!({"spec": {"resources": {"requests": {"storage": "2Gi"}}}});
    patch(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim_key(), more);
    rest(&mut c);
    let claim = get(&c, Kind::PERSISTENT_VOLUME_CLAIM, &claim_key()).unwrap();
    assert_eq!(claim["status"]["capacity"]["storage"], "2Gi");
    assert_eq!(claim["status"]["allocatedResources"]["storage"], "2Gi");
    assert_eq!(claim["status"]["conditions"], Value::Null);
    assert_eq!(claim["status"]["allocatedResourceStatuses"], Value::Null);
    for reason in ["ExternalExpanding", "Resizing", "FileSystemResizeRequired"] {
        assert_eq!(events(&c, reason).len(), 1, "{reason}");
    }
    // Of the end both are told, the pod and the claim (`pkg/volume/util/operationexecutor/node_expander.go`).
    assert_eq!(events(&c, "FileSystemResizeSuccessful").len(), 2);

    // Without a pod the file system waits for one.
    delete(&mut c, Kind::POD, Key::new("default", "web"), false);
    let more = json!({"spec": {"resources": {"requests": {"storage": "3Gi"}}}});
    rest(&mut c);
    patch(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim_key(), more);
    rest(&mut c);
    let claim = get(&c, Kind::PERSISTENT_VOLUME_CLAIM, &claim_key()).unwrap();
    assert_eq!(claim["status"]["capacity"]["storage"], "2Gi");
    assert_eq!(claim["status"]["conditions"][0]["type"], "FileSystemResizePending");
    pod(&mut c);
    rest(&mut c);
    let claim = get(&c, Kind::PERSISTENT_VOLUME_CLAIM, &claim_key()).unwrap();
    assert_eq!(claim["status"]["capacity"]["storage"], "3Gi");
}

/// `pkg/controller/volume/ephemeral/controller.go`, `handleVolume`; `component-helpers/storage/ephemeral/ephemeral.go`,
/// `VolumeIsForPod`: the words.
#[test]
fn an_ephemeral_volume_has_a_claim_that_goes_with_its_pod() {
    let mut c = cluster(1);
    let spec = json!({
        "containers": [{"name": "c", "image": "nginx", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}],
        "volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": {
            "metadata": {"labels": {"app": "scratch"}},
            "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "disk",
                "resources": {"requests": {"storage": "1Gi"}}}}}}],
    });
    let web = |name: &str| json!({"metadata": {"name": name, "namespace": "default"}, "spec": spec});
    make(&mut c, Kind::POD, web("web"));
    rest(&mut c);
    assert_eq!(pods(&c)[0].2, "Running");
    let key = Key::new("default", "web-v");
    let claim = get(&c, Kind::PERSISTENT_VOLUME_CLAIM, &key).unwrap();
    assert_eq!(claim["metadata"]["labels"]["app"], "scratch");
    assert_eq!(claim["metadata"]["ownerReferences"][0]["name"], "web");
    delete(&mut c, Kind::POD, Key::new("default", "web"), false);
    rest(&mut c);
    assert_eq!(get(&c, Kind::PERSISTENT_VOLUME_CLAIM, &key), None);

    // A claim of that name which the pod does not own is not taken.
    let other = json!({"metadata": {"name": "app-v", "namespace": "default"}, "spec": {
        "storageClassName": "disk", "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}}}});
    make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, other);
    make(&mut c, Kind::POD, web("app"));
    rest(&mut c);
    assert_eq!(pods(&c)[0].2, "Pending");
    let message =
        "ephemeral volume v: PVC default/app-v was not created for pod default/app (pod is not owner)";
    assert_eq!(events(&c, "FailedBinding"), [message]);
}

/// `pkg/controller/volume/attachdetach/attach_detach_controller.go`, `populateActualStateOfWorld` and `processVolumeAttachments`.
#[test]
fn a_controller_that_starts_again_knows_what_is_attached() {
    let mut c = cluster(1);
    pod(&mut c);
    rest(&mut c);
    let process = || "kube-controller-manager".to_owned();
    c.fault(&Fault::Stop { process: process(), node: None }).unwrap();
    delete(&mut c, Kind::POD, Key::new("default", "web"), false);
    rest(&mut c);
    assert_eq!(pods(&c), []);
    assert_eq!(attachments(&c).len(), 1);
    c.fault(&Fault::Start { process: process(), node: None }).unwrap();
    rest(&mut c);
    assert_eq!(attachments(&c), []);
    let node = get(&c, Kind::NODE, &Key::new("", "node-1")).unwrap();
    assert_eq!(node["status"]["volumesAttached"], Value::Null);

    // An attachment of which no Node says that it is there may be, so it is removed, too.
    c.fault(&Fault::Controllers {
        process: "external-provisioner".into(),
        controllers: "*,-external-attacher".into(),
    })
    .unwrap();
    pod(&mut c);
    rest(&mut c);
    assert_eq!(attachments(&c), [("node-1".to_owned(), false)]);
    c.fault(&Fault::Stop { process: process(), node: None }).unwrap();
    delete(&mut c, Kind::POD, Key::new("default", "web"), false);
    rest(&mut c);
    c.fault(&Fault::Start { process: process(), node: None }).unwrap();
    rest(&mut c);
    assert_eq!(attachments(&c), []);
}

/// `verifyAttachmentStatus` of a VolumeAttachment that is gone: nobody waits for it any longer.
#[test]
fn an_attachment_that_disappears_ends_the_wait_at_once() {
    let mut c = cluster(1);
    let switch = |controllers: &str| Fault::Controllers {
        process: "external-provisioner".into(),
        controllers: controllers.into(),
    };
    c.fault(&switch("*,-external-attacher")).unwrap();
    pod(&mut c);
    while attachments(&c).is_empty() {
        c.next_command(None).unwrap();
    }
    let start = c.now();
    let name = all(&c, Kind::VOLUME_ATTACHMENT)[0]["metadata"]["name"].as_str().unwrap().to_owned();
    delete(&mut c, Kind::VOLUME_ATTACHMENT, Key::new("", &name), false);
    assert_eq!(attachments(&c), []);
    while events(&c, "FailedAttachVolume").is_empty() {
        c.next_command(None).unwrap();
    }
    let volume = all(&c, Kind::PERSISTENT_VOLUME)[0]["metadata"]["name"].as_str().unwrap().to_owned();
    let message = "volume attachment has been deleted";
    let message = format!("AttachVolume.Attach failed for volume \"{volume}\" : {message}");
    assert_eq!(events(&c, "FailedAttachVolume"), [message]);
    assert_eq!(c.now(), start);
    c.fault(&switch("*")).unwrap();
    rest(&mut c);
    assert_eq!(pods(&c)[0].2, "Running");
}
