#![allow(clippy::unwrap_used)]
//! After `pkg/scheduler/framework/plugins/dynamicresources/dynamicresources_test.go`.

use std::rc::Rc;

use serde_json::{Value, json};

use super::runtime::{FindArgs, find_nodes_that_fit, fit_error_message, tests};
use crate::api::Timestamp;
use crate::api::types::resource::{DeviceClass, ResourceClaim, ResourceSlice};
use crate::scheduler::default_preemption::post_filter;
use crate::scheduler::framework::{ClaimLister, DeviceLister, Handle};
use crate::scheduler::structured::{AllocatedState, Selectors};

struct Devices {
    claim: Option<Rc<ResourceClaim>>,
    class: bool,
    pending: bool,
}

impl ClaimLister for Devices {
    fn resource_claim(&self, _: &str, name: &str) -> Option<Rc<ResourceClaim>> {
        self.claim.clone().filter(|c| c.metadata.name.as_deref() == Some(name))
    }
}

impl DeviceLister for Devices {
    fn is_pending(&self, _: &str) -> bool {
        self.pending
    }
    fn device_class(&self, _: &str) -> Option<Rc<DeviceClass>> {
        self.class.then(Rc::default)
    }
    fn resource_slices(&self) -> Vec<Rc<ResourceSlice>> {
        let slice = json!({"metadata": {"name": "s"}, "spec": {"driver": "d", "nodeName": "n2", "devices": [{"name": "a"}],
            "pool": {"name": "n2", "generation": 1, "resourceSliceCount": 1}}});
        vec![Rc::new(serde_json::from_value(slice).unwrap())]
    }
    fn allocated(&self) -> AllocatedState {
        AllocatedState::default()
    }
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
    fn selectors(&self) -> Rc<Selectors> {
        Rc::default()
    }
}

fn claim(count: i64, status: Value) -> Option<Rc<ResourceClaim>> {
    let exactly = json!({"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": count});
    let claim = json!({"metadata": {"name": "c", "namespace": "ns", "uid": "c"}, "status": status,
        "spec": {"devices": {"requests": [{"name": "one", "exactly": exactly}]}}});
    Some(Rc::new(serde_json::from_value(claim).unwrap()))
}

fn said(devices: &Devices) -> String {
    let nodes = tests::shared(&tests::three());
    let h = Handle { devices, ..Handle::of_nodes(&nodes) };
    let pod =
        tests::pod("p", json!({}), json!({"resourceClaims": [{"name": "g", "resourceClaimName": "c"}]}));
    let found = find_nodes_that_fit(&h, &pod, FindArgs::default());
    if !found.nodes.is_empty() {
        return found.nodes.iter().map(|n| &**n.name()).collect::<Vec<_>>().join(" ");
    }
    let post = post_filter(&h, &found, &[], 0);
    let freed = post.deallocate.map(|c| format!(" (frees {})", c.metadata.name.clone().unwrap_or_default()));
    fit_error_message(3, &found.diagnosis, &post.message) + &freed.unwrap_or_default()
}

#[test]
fn a_pod_is_told_what_its_claims_lack() {
    const HELPLESS: &str = "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";
    let of = |claim, class, pending| said(&Devices { claim, class, pending });
    assert_eq!(of(claim(1, json!({})), true, false), "n2");
    let refused =
        |reasons: &str, says: &str| format!("0/3 nodes are available: {reasons}. {says}, {HELPLESS}");
    assert_eq!(
        of(claim(2, json!({})), true, false),
        refused("3 cannot allocate all claims", "still not schedulable")
    );
    let none = "no new claims to deallocate";
    assert_eq!(
        of(claim(1, json!({})), false, false),
        refused("request one: device class gpu does not exist", none)
    );
    assert_eq!(
        of(claim(1, json!({})), true, true),
        refused("resource claim ns/c is in the process of being allocated", none)
    );
    assert_eq!(of(None, true, false), refused("could not find ResourceClaim \"ns/c\"", none));
    let term = json!({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n9"]}]});
    let elsewhere = json!({"allocation": {"nodeSelector": {"nodeSelectorTerms": [term]}}});
    assert_eq!(
        of(claim(1, elsewhere), true, false),
        refused("3 resourceclaim not available on the node", "deallocation of ResourceClaim completed")
            + " (frees c)"
    );
}
