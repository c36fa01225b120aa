//! The image manager's own look at the disk (`pkg/kubelet/images/image_gc_manager_test.go`).

use serde_json::json;

use super::{Lab, one};
use crate::kubelet::State;

fn images(lab: &Lab) -> Vec<String> {
    let process = lab.cluster.processes().nth(2).unwrap();
    let state = process.components[0].state().downcast_ref::<State>().unwrap();
    state.node.images.keys().map(ToString::to_string).collect()
}

/// A lab with two images on the node, of which nothing uses the one that was used first.
fn lab() -> Lab {
    let mut lab = Lab::new();
    // The node has no disk pressure, however full its disk is.
    lab.annotate_node(json!({"sim.steady/eviction-hard": "memory.available<100Mi"}));
    lab.pod(one(json!({"image": "team/old:1"}))).steady().delete(None).steady();
    lab.named("q", one(json!({"image": "team/new:1"}))).steady();
    assert_eq!(images(&lab), ["team/new:1", "team/old:1"]);
    lab.wait(300);
    lab
}

/// `GarbageCollect`: the disk is as full as the high threshold, and what nobody uses goes until it is as empty as the low one.
#[test]
fn images_that_nobody_uses_go_when_the_disk_is_full() {
    let mut lab = lab();
    lab.annotate_node(json!({"sim.steady/system-disk": "83Gi"})).steady().wait(600);
    assert_eq!(images(&lab), ["team/new:1", "team/old:1"]);
    lab.annotate_node(json!({"sim.steady/system-disk": "85Gi"})).steady().wait(600);
    assert_eq!(images(&lab), ["team/new:1"]);
}

/// The first failure in a row is logged, later ones are events of the node. `pkg/kubelet/kubelet.go`, `StartGarbageCollection`.
#[test]
fn what_cannot_be_freed_is_told() {
    let mut lab = lab();
    lab.annotate_node(json!({"sim.steady/system-disk": "90Gi"})).steady();
    let told = lab.events("FreeDiskSpaceFailed");
    let begins = "Insufficient free disk space on the node's image filesystem (9";
    assert!(told.len() == 1 && told[0].0 == "node-1" && told[0].1.starts_with(begins), "{told:?}");
    let says = "Failed to free sufficient space by deleting unused images (freed ";
    assert!(told[0].1.contains("% of 100.0 GiB used). ") && told[0].1.contains(says), "{told:?}");
    assert_eq!(lab.events("ImageGCFailed"), []);
    lab.wait(320);
    assert_eq!(lab.events("ImageGCFailed").len(), 1);
    assert_eq!(lab.node_condition("DiskPressure").0, "False");
}

/// A lab whose disk is so full that the image manager wants all images, with the last look at it behind it.
fn full() -> Lab {
    let mut lab = lab();
    lab.annotate_node(json!({"sim.steady/system-disk": "90Gi"})).wait(600);
    assert_eq!(images(&lab), ["team/new:1"]);
    lab
}

/// A pod whose container ends by itself, for good.
fn ends(image: &str) -> serde_json::Value {
    let mut pod = one(json!({"image": image}));
    pod["spec"]["restartPolicy"] = "Never".into();
    pod["metadata"]["annotations"] = json!({"sim.steady/exit-code": "0"});
    pod
}

/// `detectImages` lists all containers (`GetPods(ctx, true)`), and `evictContainers` (`kuberuntime_gc.go`) keeps those of a pod that has
/// ended until its object is deleted.
#[test]
fn a_container_that_has_ended_keeps_its_image() {
    let mut lab = full();
    lab.pod(ends("team/job:1")).wait(900);
    assert_eq!(
        (lab.phase("p").as_str(), images(&lab).as_slice()),
        ("Succeeded", &["team/job:1", "team/new:1"].map(String::from)[..])
    );
    lab.delete(None).wait(600);
    assert_eq!(images(&lab), ["team/new:1"]);
}

/// `MaxPerPodContainer`, which is 1: the last instance of a container that has ended is kept beside the one that runs, and an older one is
/// removed (`TestGetContainersToDeleteInPodWithFilter`, `pod_container_deletor_test.go`).
#[test]
fn the_instance_before_the_current_one_keeps_its_image() {
    let mut lab = full();
    lab.pod(one(json!({"image": "team/first:1"}))).wait(300);
    lab.edit("the image is another one", |pod| {
        pod.spec.as_mut().unwrap().containers[0].image = Some("team/second:1".into());
    });
    lab.wait(900);
    assert_eq!(images(&lab), ["team/first:1", "team/new:1", "team/second:1"]);
    let crash = || crate::kubelet::KubeletFault::CrashContainer {
        pod: crate::api::Key::new("default", "p"),
        container: "app".into(),
        exit_code: 1,
    };
    lab.fault("the container crashes", crash()).wait(900);
    assert_eq!(images(&lab), ["team/new:1", "team/second:1"]);
}

/// `ShouldPodContentBeRemoved` (`pod_workers.go`): of an evicted pod nothing is kept, though its object is there.
#[test]
fn an_evicted_pod_keeps_no_image() {
    let mut lab = full();
    let mut pod = one(json!({"image": "team/greedy:1"}));
    pod["metadata"]["annotations"] = json!({"sim.steady/memory": "7700Mi"});
    lab.pod(pod).wait(900);
    assert_eq!(
        (lab.phase("p").as_str(), images(&lab).as_slice()),
        ("Failed Evicted", &["team/new:1".to_owned()][..])
    );
}

/// `handleImageVolumes`: a container that has an image as a volume uses it.
#[test]
fn an_image_that_is_a_volume_is_used() {
    let mut lab = full();
    let mut pod =
        one(json!({"image": "team/new:1", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}));
    pod["spec"]["volumes"] =
        json!([{"name": "data", "image": {"reference": "team/data:1", "pullPolicy": "IfNotPresent"}}]);
    lab.pod(pod).wait(900);
    assert_eq!(images(&lab), ["team/data:1", "team/new:1"]);
    lab.delete(None).wait(600);
    assert_eq!(images(&lab), ["team/new:1"]);
}

/// `freeSpace`, `MinAge` (`TestGarbageCollectImageNotOldEnough`): an image that has come less than two minutes ago stays, also when all unused images
/// are to go (`DeleteUnusedImages`) because the node has disk pressure.
#[test]
fn an_image_that_has_just_come_stays() {
    let mut lab = Lab::new();
    lab.named("q", one(json!({"image": "team/new:1"}))).pod(ends("team/job:1")).wait(60);
    assert_eq!(images(&lab), ["team/job:1", "team/new:1"]);
    lab.annotate_node(json!({"sim.steady/system-disk": "95Gi"})).wait(40);
    assert_eq!(lab.node_condition("DiskPressure").0, "True");
    assert_eq!(images(&lab), ["team/job:1", "team/new:1"]);
    lab.wait(60);
    assert_eq!(lab.phase("q"), "Failed Evicted");
    assert_eq!(images(&lab), Vec::<String>::new());
}
