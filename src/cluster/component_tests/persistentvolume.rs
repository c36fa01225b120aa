//! Claims and volumes in whole clusters, with the scheduler, a kubelet and the provisioner.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::sets::{patch, run_up_to};
use crate::api::{Key, Kind, Object, ObjectRef};
use crate::apimachinery::{Body, Request, Subresource, Verb};
use crate::cluster::{Cluster, Config};

fn make(c: &mut Cluster, kind: Kind, value: Value) {
    let object = Object::from_value(kind, value).unwrap();
    let r = Request::new(&"kubectl".into(), Verb::Create, kind, object.key()).body(Body::Object(object));
    c.request(&r).0.object().unwrap();
}

fn delete(c: &mut Cluster, kind: Kind, namespace: &str, name: &str) {
    let r = Request::new(&"kubectl".into(), Verb::Delete, kind, Key::new(namespace, name));
    let _ = c.request(&r);
}

fn get(c: &Cluster, kind: Kind, namespace: &str, name: &str) -> Option<Value> {
    c.api().etcd().get(&ObjectRef::new(kind, namespace, name)).map(|r| r.object.to_value())
}

fn claim(class: Option<&str>, more: &Value) -> Value {
    let mut spec = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "3Gi"}}});
    if let Some(class) = class {
        spec["storageClassName"] = class.into();
    }
    for (k, v) in more.as_object().into_iter().flatten() {
        spec[k] = v.clone();
    }
    json!({"metadata": {"name": "data", "namespace": "default"}, "spec": spec})
}

fn volume(name: &str, size: &str, class: &str) -> Value {
    json!({"metadata": {"name": name}, "spec": {
        "capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "storageClassName": class,
        "hostPath": {"path": "/data"},
    }})
}

fn pod() -> Value {
    json!({"metadata": {"name": "web", "namespace": "default"}, "spec": {
        "containers": [{"name": "c", "image": "nginx", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}],
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}],
    }})
}

fn rest(c: &mut Cluster) {
    assert!(c.run_to_steady(2000, |_, _| {}), "it comes to rest");
}

fn phase(c: &Cluster, kind: Kind, name: &str) -> String {
    let namespace = if kind.namespaced() { "default" } else { "" };
    match get(c, kind, namespace, name) {
        Some(v) => v["status"]["phase"].as_str().unwrap_or("-").to_owned(),
        None => "gone".to_owned(),
    }
}

fn claim_phase(c: &Cluster) -> String {
    phase(c, Kind::PERSISTENT_VOLUME_CLAIM, "data")
}

/// The events about an object, as `reason: message`.
fn events(c: &Cluster, name: &str) -> Vec<String> {
    let all = c.api().etcd().iter().filter(|(at, _)| at.kind == Kind::EVENT);
    let values = all.map(|(_, r)| r.object.to_value());
    let about = values.filter(|v| v["involvedObject"]["name"] == name || v["regarding"]["name"] == name);
    about
        .map(|v| {
            let text = v["message"].as_str().or(v["note"].as_str()).unwrap_or_default();
            format!("{}: {text}", v["reason"].as_str().unwrap_or_default())
        })
        .collect()
}

fn says(c: &Cluster, name: &str, what: &str) {
    let all = events(c, name);
    assert!(all.iter().any(|e| e == what), "{what:?} is not in {all:#?}");
}

/// `pkg/controller/volume/persistentvolume/pv_controller.go`, `syncUnboundClaim`;
/// `pkg/controller/volume/pvcprotection/pvc_protection_controller.go`: a claim in use stays.
#[test]
fn a_claim_gets_a_volume_when_a_pod_wants_it() {
    let mut c = Cluster::new(&Config::nodes(2));
    make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim(None, &json!({})));
    rest(&mut c);
    assert_eq!(claim_phase(&c), "Pending");
    says(&c, "data", "WaitForFirstConsumer: waiting for first consumer to be created before binding");

    make(&mut c, Kind::POD, pod());
    rest(&mut c);
    assert_eq!(claim_phase(&c), "Bound");
    assert_eq!(phase(&c, Kind::POD, "web"), "Running");
    let data = get(&c, Kind::PERSISTENT_VOLUME_CLAIM, "default", "data").unwrap();
    let name = data["spec"]["volumeName"].as_str().unwrap().to_owned();
    let node = &get(&c, Kind::POD, "default", "web").unwrap()["spec"]["nodeName"];
    assert_eq!(&data["metadata"]["annotations"]["volume.kubernetes.io/selected-node"], node);
    assert_eq!(phase(&c, Kind::PERSISTENT_VOLUME, &name), "Bound");
    says(&c, "data", &format!("ProvisioningSucceeded: Successfully provisioned volume {name}"));

    // A claim in use stays until the pod is gone; then its volume is deleted with it.
    delete(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, "default", "data");
    rest(&mut c);
    assert_eq!(claim_phase(&c), "Bound");
    delete(&mut c, Kind::POD, "default", "web");
    rest(&mut c);
    assert_eq!(claim_phase(&c), "gone");
    assert_eq!(phase(&c, Kind::PERSISTENT_VOLUME, &name), "gone");
}

/// `component-helpers/storage/volume/pv_helpers.go`, `FindMatchingVolume`;
/// `pkg/controller/volume/persistentvolume/pv_controller.go`, `syncUnboundClaim`: the words.
#[test]
fn the_smallest_volume_that_suits_is_taken_and_kept() {
    let mut c = Cluster::new(&Config::nodes(1));
    for (name, size, class) in [
        ("big", "10Gi", "manual"),
        ("fits", "5Gi", "manual"),
        ("small", "1Gi", "manual"),
        ("else", "3Gi", "x"),
    ] {
        make(&mut c, Kind::PERSISTENT_VOLUME, volume(name, size, class));
    }
    rest(&mut c);
    assert_eq!(phase(&c, Kind::PERSISTENT_VOLUME, "fits"), "Available");
    make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim(Some("manual"), &json!({})));
    rest(&mut c);
    let data = get(&c, Kind::PERSISTENT_VOLUME_CLAIM, "default", "data").unwrap();
    assert_eq!(data["spec"]["volumeName"], "fits");
    assert_eq!(data["status"]["capacity"]["storage"], "5Gi");
    assert_eq!(phase(&c, Kind::PERSISTENT_VOLUME, "fits"), "Bound");
    assert_eq!(phase(&c, Kind::PERSISTENT_VOLUME, "big"), "Available");

    // With `Retain` the released volume stays, and no other claim can have it.
    delete(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, "default", "data");
    rest(&mut c);
    assert_eq!(phase(&c, Kind::PERSISTENT_VOLUME, "fits"), "Released");
    make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim(Some("manual"), &json!({"volumeName": "fits"})));
    rest(&mut c);
    assert_eq!(claim_phase(&c), "Pending");
    let taken = "FailedBinding: volume \"fits\" already bound to a different claim.";
    says(&c, "data", taken);

    // The words are the same for a claim that the controller once bound. It then tries again and again.
    delete(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, "default", "data");
    rest(&mut c);
    let mut bound = claim(Some("manual"), &json!({"volumeName": "fits"}));
    bound["metadata"]["name"] = "again".into();
    bound["metadata"]["annotations"] = json!({"pv.kubernetes.io/bound-by-controller": "yes"});
    make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, bound);
    c.run_until(c.now() + std::time::Duration::from_secs(10), |_, _| {}).unwrap();
    says(&c, "again", taken);
}

/// `pkg/controller/volume/persistentvolume/pv_controller.go`, `provisionClaimOperationExternal`.
#[test]
fn a_claim_that_changes_under_the_controller_says_that_it_could_not_be_saved() {
    let mut c = Cluster::new(&Config::nodes(1));
    let class = json!({"metadata": {"name": "away"}, "provisioner": "example.com/away"});
    make(&mut c, Kind::STORAGE_CLASS, class);
    rest(&mut c);
    make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim(Some("away"), &json!({})));
    let action = run_up_to(&mut c, |r| {
        r.kind == Kind::PERSISTENT_VOLUME_CLAIM
            && r.verb == Verb::Update
            && r.subresource == Subresource::None
    });
    patch(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, "data", json!({"metadata": {"labels": {"a": "b"}}}));
    c.act(&action).unwrap();
    rest(&mut c);
    says(
        &c,
        "data",
        "ProvisioningFailed: Error saving claim: Operation cannot be fulfilled on persistentvolumeclaims \"data\": the \
         object has been modified; please apply your changes to the latest version and try again",
    );
}

/// `pkg/controller/volume/persistentvolume/pv_controller.go`, `syncUnboundClaim`;
/// `pkg/scheduler/framework/plugins/volumebinding/volume_binding.go`, `PreFilter`: the words.
#[test]
fn a_claim_waits_until_there_is_a_volume() {
    let mut c = Cluster::new(&Config::nodes(1));
    make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim(Some(""), &json!({})));
    make(&mut c, Kind::POD, pod());
    rest(&mut c);
    assert_eq!(claim_phase(&c), "Pending");
    says(
        &c,
        "data",
        "FailedBinding: no persistent volumes available for this claim and no storage class is set",
    );
    says(
        &c,
        "web",
        "FailedScheduling: 0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
    );
    make(&mut c, Kind::PERSISTENT_VOLUME, volume("late", "3Gi", ""));
    rest(&mut c);
    assert_eq!(claim_phase(&c), "Bound");
    assert_eq!(phase(&c, Kind::POD, "web"), "Running");
}

/// `pkg/controller/volume/persistentvolume/pv_controller.go`, `syncBoundClaim`;
/// `pkg/controller/volume/pvprotection/pv_protection_controller.go`.
#[test]
fn a_claim_whose_volume_is_gone_is_lost() {
    let mut c = Cluster::new(&Config::nodes(1));
    make(&mut c, Kind::PERSISTENT_VOLUME, volume("disk", "3Gi", "manual"));
    make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim(Some("manual"), &json!({})));
    rest(&mut c);
    assert_eq!(claim_phase(&c), "Bound");
    // A volume with its protecting finalizer stays until somebody removes that.
    delete(&mut c, Kind::PERSISTENT_VOLUME, "", "disk");
    rest(&mut c);
    assert_eq!(phase(&c, Kind::PERSISTENT_VOLUME, "disk"), "Bound");
    let none = json!({"metadata": {"finalizers": null}});
    let patch = Body::Patch(crate::apimachinery::Patch::Merge(none));
    let key = Key::new("", "disk");
    let r = Request::new(&"kubectl".into(), Verb::Patch, Kind::PERSISTENT_VOLUME, key).body(patch);
    let _ = c.request(&r);
    rest(&mut c);
    assert_eq!(phase(&c, Kind::PERSISTENT_VOLUME, "disk"), "gone");
    assert_eq!(claim_phase(&c), "Lost");
    says(&c, "data", "ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!");
}

/// `pkg/scheduler/framework/plugins/volumebinding/binder.go`, `BindPodVolumes`; the default `BindTimeoutSeconds` is ten minutes.
/// `pv_controller.go`, `provisionClaimOperationExternal`: the words.
#[test]
fn a_pod_does_not_wait_for_ever() {
    let mut c = Cluster::new(&Config::nodes(1));
    make(
        &mut c,
        Kind::STORAGE_CLASS,
        json!({
            "metadata": {"name": "away"}, "provisioner": "example.com/away",
            "volumeBindingMode": "WaitForFirstConsumer",
        }),
    );
    make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim(Some("away"), &json!({})));
    make(&mut c, Kind::POD, pod());
    let from = c.now();
    rest(&mut c);
    assert!(c.now().duration_since(from).as_secs() >= 600, "{}", c.now());
    assert_eq!(claim_phase(&c), "Pending");
    says(
        &c,
        "data",
        "ExternalProvisioning: Waiting for a volume to be created either by the external provisioner \
         'example.com/away' or manually by the system administrator. If volume creation is delayed, please \
         verify that the provisioner is running and correctly registered.",
    );
    says(
        &c,
        "web",
        "FailedScheduling: running PreBind plugin \"VolumeBinding\": binding volumes: context deadline exceeded",
    );
}

/// `pkg/scheduler/framework/plugins/volumebinding/binder.go`, `checkBindings`, and `passive_assume_cache.go`, `GetAPIObj`: the
/// poll a second later finds out that the pod or its claim is gone.
#[test]
fn what_goes_while_a_claim_is_bound_ends_the_binding() {
    let waiting = || {
        let mut c = Cluster::new(&Config::nodes(1));
        let class = json!({"metadata": {"name": "away"}, "provisioner": "example.com/away",
            "volumeBindingMode": "WaitForFirstConsumer"});
        make(&mut c, Kind::STORAGE_CLASS, class);
        make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim(Some("away"), &json!({})));
        make(&mut c, Kind::POD, pod());
        let to = c.now() + std::time::Duration::from_secs(5);
        c.run_until(to, |_, _| {}).unwrap();
        c
    };
    let said = |why: &str| {
        format!("FailedScheduling: running PreBind plugin \"VolumeBinding\": binding volumes: {why}")
    };
    let mut c = waiting();
    delete(&mut c, Kind::POD, "default", "web");
    rest(&mut c);
    assert_eq!(phase(&c, Kind::POD, "web"), "gone");
    says(&c, "web", &said("pod does not exist any more: pod \"web\" not found"));

    let mut c = waiting();
    let none = Body::Patch(crate::apimachinery::Patch::Merge(json!({"metadata": {"finalizers": null}})));
    let key = Key::new("default", "data");
    let r = Request::new(&"kubectl".into(), Verb::Patch, Kind::PERSISTENT_VOLUME_CLAIM, key).body(none);
    let _ = c.request(&r);
    delete(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, "default", "data");
    rest(&mut c);
    let gone = "failed to check provisioning pvc: persistentvolumeclaims \"default/data\" not found";
    says(&c, "web", &said(gone));
}

/// `pkg/controller/volume/persistentvolume/pv_controller_base.go`, `resync`, with the default 15 s of
/// `--pvclaimbinder-sync-period`.
#[test]
fn what_is_wrong_with_a_claim_is_said_again_when_time_passes() {
    let mut c = Cluster::new(&Config::nodes(1));
    make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim(Some("nowhere"), &json!({})));
    let from = c.now();
    rest(&mut c);
    assert_eq!(c.now(), from, "it is no reason to let time pass");
    let told = |c: &Cluster| {
        let events = c.api().etcd().iter().filter(|(at, _)| at.kind == Kind::EVENT);
        let values = events.map(|(_, r)| r.object.to_value());
        values.filter(|v| v["reason"] == "ProvisioningFailed").map(|v| v["count"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(told(&c), [1]);
    for count in 2..4 {
        let to = c.now() + std::time::Duration::from_secs(20);
        c.run_until(to, |_, _| {}).unwrap();
        assert_eq!(told(&c), [count]);
    }
    make(&mut c, Kind::PERSISTENT_VOLUME, volume("disk", "5Gi", "nowhere"));
    rest(&mut c);
    assert_eq!(claim_phase(&c), "Bound");
    let to = c.now() + std::time::Duration::from_secs(60);
    c.run_until(to, |_, _| {}).unwrap();
    assert_eq!(told(&c), [3]);
}

/// `findByClaim` searches the volumes with the fewest access modes first, and only those with all modes of the claim.
#[test]
fn a_claim_takes_no_more_access_modes_than_it_needs() {
    let mut c = Cluster::new(&Config::nodes(1));
    let with_modes = |name: &str, size: &str, modes: &[&str]| {
        let mut volume = volume(name, size, "");
        volume["spec"]["accessModes"] = json!(modes);
        volume
    };
    // A volume that is reserved for the claim does not have its mode.
    let mut reserved = with_modes("reserved", "3Gi", &["ReadOnlyMany"]);
    reserved["spec"]["claimRef"] = json!({"namespace": "default", "name": "data"});
    make(&mut c, Kind::PERSISTENT_VOLUME, reserved);
    make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim(Some(""), &json!({})));
    rest(&mut c);
    assert_eq!(claim_phase(&c), "Pending");
    says(
        &c,
        "data",
        "FailedBinding: no persistent volumes available for this claim and no storage class is set",
    );
    delete(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, "default", "data");
    delete(&mut c, Kind::PERSISTENT_VOLUME, "", "reserved");
    for (name, size, modes) in [
        ("many", "3Gi", vec!["ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany"]),
        ("one", "10Gi", vec!["ReadWriteOnce"]),
        ("two", "4Gi", vec!["ReadOnlyMany", "ReadWriteOnce"]),
    ] {
        make(&mut c, Kind::PERSISTENT_VOLUME, with_modes(name, size, &modes));
    }
    rest(&mut c);
    make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim(Some(""), &json!({})));
    rest(&mut c);
    assert_eq!(
        (claim_phase(&c), phase(&c, Kind::PERSISTENT_VOLUME, "one")),
        ("Bound".into(), "Bound".into())
    );
}

/// `IsDefaultAnnotation` knows the annotation's former name, too.
#[test]
fn a_class_is_the_default_by_its_former_annotation_too() {
    let mut c = Cluster::new(&Config::nodes(1));
    rest(&mut c);
    let annotations = json!({"storageclass.beta.kubernetes.io/is-default-class": "true"});
    let class =
        json!({"metadata": {"name": "a", "annotations": annotations}, "provisioner": "example.com/disks"});
    make(&mut c, Kind::STORAGE_CLASS, class);
    make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim(None, &json!({})));
    let made = get(&c, Kind::PERSISTENT_VOLUME_CLAIM, "default", "data").unwrap();
    assert_eq!(made["spec"]["storageClassName"], "a");
}

/// Clients that know only one of the two fields send a claim back without the other (`NormalizeDataSources`).
#[test]
fn a_claim_may_be_sent_back_with_one_of_its_data_sources() {
    let mut c = Cluster::new(&Config::nodes(1));
    let source = json!({"apiGroup": null, "kind": "PersistentVolumeClaim", "name": "other"});
    make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim(Some(""), &json!({"dataSource": source})));
    for missing in ["dataSource", "dataSourceRef"] {
        let mut value = get(&c, Kind::PERSISTENT_VOLUME_CLAIM, "default", "data").unwrap();
        value["spec"].as_object_mut().unwrap().remove(missing).unwrap();
        value["metadata"]["labels"] = json!({"without": missing});
        let object = Object::from_value(Kind::PERSISTENT_VOLUME_CLAIM, value).unwrap();
        let r = Request::new(&"kubectl".into(), Verb::Update, object.kind(), object.key());
        c.request(&r.body(Body::Object(object))).0.object().unwrap();
        let stored = get(&c, Kind::PERSISTENT_VOLUME_CLAIM, "default", "data").unwrap();
        assert_eq!((&stored["spec"]["dataSource"], &stored["spec"]["dataSourceRef"]), (&source, &source));
    }
}

/// `provisionClaimOperation` with the plug-in `hostPath`, which kube-controller-manager switches off by default.
#[test]
fn the_plug_in_for_host_paths_creates_no_volumes() {
    let plugin = "kubernetes.io/host-path";
    for (more, message) in [
        (json!({}), format!("Failed to create provisioner: provisioning in volume plugin \"{plugin}\" is disabled")),
        (
            json!({"mountOptions": ["ro", "hard"]}),
            "Mount options are not supported by the provisioner but StorageClass \"paths\" has mount options [ro hard]"
                .to_owned(),
        ),
    ] {
        let mut c = Cluster::new(&Config::nodes(1));
        let mut class = json!({"metadata": {"name": "paths"}, "provisioner": plugin});
        class.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        make(&mut c, Kind::STORAGE_CLASS, class);
        make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim(Some("paths"), &json!({})));
        rest(&mut c);
        says(&c, "data", &format!("ProvisioningFailed: {message}"));
        let made = get(&c, Kind::PERSISTENT_VOLUME_CLAIM, "default", "data").unwrap();
        assert_eq!(made["metadata"]["annotations"]["volume.kubernetes.io/storage-provisioner"], plugin);
        assert_eq!(claim_phase(&c), "Pending");
    }
}

/// `updateVolumeMigrationAnnotationsAndFinalizers` and `doDeleteVolume` in `pkg/controller/volume/persistentvolume`: a volume of an
/// in-tree plug-in names the driver that looks after it now, or keeps a finalizer until the plug-in has deleted its storage.
#[test]
fn a_volume_of_an_in_tree_plug_in_says_who_looks_after_it() {
    let mut c = Cluster::new(&Config::nodes(1));
    let provisioned = |name: &str, by: &str| {
        let mut value = volume(name, "3Gi", "manual");
        value["metadata"]["annotations"] = json!({"pv.kubernetes.io/provisioned-by": by});
        value["spec"]["persistentVolumeReclaimPolicy"] = "Delete".into();
        value["spec"]["hostPath"] = json!({"path": "/tmp/data"});
        value
    };
    make(&mut c, Kind::PERSISTENT_VOLUME, provisioned("disk", "kubernetes.io/aws-ebs"));
    rest(&mut c);
    let disk = get(&c, Kind::PERSISTENT_VOLUME, "", "disk").unwrap();
    assert_eq!(disk["metadata"]["annotations"]["pv.kubernetes.io/migrated-to"], "ebs.csi.aws.com");
    assert_eq!(disk["metadata"]["finalizers"], json!(["kubernetes.io/pv-protection"]));
    delete(&mut c, Kind::PERSISTENT_VOLUME, "", "disk");
    make(&mut c, Kind::PERSISTENT_VOLUME, provisioned("path", "kubernetes.io/host-path"));
    rest(&mut c);
    let path = get(&c, Kind::PERSISTENT_VOLUME, "", "path").unwrap();
    let finalizers = path["metadata"]["finalizers"].as_array().unwrap();
    assert!(finalizers.contains(&json!("kubernetes.io/pv-controller")), "{finalizers:?}");
    // The claim takes the volume, and the volume goes with it.
    make(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, claim(Some("manual"), &json!({})));
    rest(&mut c);
    assert_eq!(claim_phase(&c), "Bound");
    delete(&mut c, Kind::PERSISTENT_VOLUME_CLAIM, "default", "data");
    rest(&mut c);
    assert_eq!(phase(&c, Kind::PERSISTENT_VOLUME, "path"), "gone");
}
