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
