//! The node IPAM controller with the range allocator (`k8s.io/kubernetes/pkg/controller/nodeipam`): it gives each node a
//! part of the cluster's range for the node's pods.

mod cidrset;

use std::rc::Rc;

use ipnet::IpNet;

use crate::api::ip_family::IpFamily;
use crate::api::types::{Node, ObjectReference};
use crate::api::{Key, MetaExt, ObjectRef, Timestamp};
use crate::client::{
    Context, Error, EventFlavour, Handler, Memory, Reconciler, Recorded, Result, Seen, Watches, Why,
};
use cidrset::CidrSet;

/// How often ranges are written to a node before they are given back (`cidrUpdateRetries`).
const UPDATE_RETRIES: usize = 3;

/// The node IPAM controller.
#[derive(Clone, Copy, Debug)]
pub struct NodeIpamController {
    /// What `--cluster-cidr` says.
    pub ip_family: IpFamily,
}

/// What the controller remembers: of each range of the cluster, the parts that are taken. Empty until the ranges of the
/// nodes that were there at the start are taken.
#[derive(Clone, Debug, Default)]
pub struct State {
    sets: Vec<CidrSet>,
}

impl Memory for State {
    fn lines(&self, _: Timestamp) -> Vec<String> {
        if self.sets.is_empty() {
            return vec!["has not looked at the nodes".to_owned()];
        }
        self.sets.iter().flat_map(CidrSet::lines).collect()
    }
}

type Cx = Context<State>;

impl Reconciler for NodeIpamController {
    type Key = Key;
    type State = State;

    fn name(&self) -> Rc<str> {
        "node-ipam-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "node-controller".into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: "cidrAllocator".into(), host: None }
    }

    fn watches(&self) -> Watches<State> {
        Watches::new().watches(|cx: &mut Handler<'_, State>, seen: Seen<'_, Node>| {
            if seen.is_gone() {
                // What is no range of the cluster was not taken either.
                let _ = release(&mut cx.state.sets, seen.object());
            }
            cx.enqueue(seen.key.clone());
        })
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        if cx.state(|s| s.sets.is_empty()) {
            start(&cx, self.ip_family);
        }
        let Some(node) = cx.lister::<Node>().get(&key).cloned() else { return Ok(()) };
        // Its ranges are given back when it is gone.
        if node.metadata.is_deleting() {
            return Ok(());
        }
        if !pod_cidrs(&node).is_empty() {
            return change(&cx, move |sets| occupy(sets, &node));
        }
        allocate(&cx, &node).await
    }
}

fn pod_cidrs(node: &Node) -> &[String] {
    node.spec.as_ref().and_then(|s| s.pod_cidrs.as_deref()).unwrap_or_default()
}

/// Takes the ranges of the nodes that are there already, as the allocator does when it is made.
fn start(cx: &Cx, ip_family: IpFamily) {
    let nodes: Vec<Rc<Node>> = cx.lister::<Node>().list(None).cloned().collect();
    cx.update_state(move |s| {
        s.sets = ip_family.pod_ranges().iter().map(|range| CidrSet::new(*range)).collect();
        for node in &nodes {
            // A node with a foreign range is told of when it is looked at.
            let _ = occupy(&mut s.sets, node);
        }
    });
}

/// Changes the sets of taken ranges.
fn change(cx: &Cx, how: impl Fn(&mut [CidrSet]) -> std::result::Result<(), String> + 'static) -> Result {
    // A failure leaves the ranges before it changed, as there.
    let failed = cx.state(|s| how(&mut s.sets.clone()).err());
    cx.update_state(move |s| {
        let _ = how(&mut s.sets);
    });
    failed.map_or(Ok(()), |why| Err(Error::Other(why)))
}

/// Does something with each range of a node, the set that it is taken from, and its index.
fn each_range(
    sets: &mut [CidrSet],
    node: &Node,
    mut what: impl FnMut(&mut CidrSet, IpNet, usize) -> std::result::Result<(), String>,
) -> std::result::Result<(), String> {
    let name = node.metadata.name();
    for (i, cidr) in pod_cidrs(node).iter().enumerate() {
        let Ok(range) = cidr.parse::<IpNet>() else {
            return Err(format!("failed to parse node {name}, CIDR {cidr}"));
        };
        let Some(set) = sets.get_mut(i) else {
            return Err(format!(
                "node:{name} has an allocated cidr: {cidr} at index:{i} that does not exist in cluster cidrs configuration"
            ));
        };
        what(set, range.trunc(), i)?;
    }
    Ok(())
}

/// Takes the ranges that a node has (`occupyCIDRs`).
fn occupy(sets: &mut [CidrSet], node: &Node) -> std::result::Result<(), String> {
    each_range(sets, node, |set, range, i| {
        set.occupy(range).map_err(|why| {
            format!(
                "failed to mark cidr[{range}] at idx [{i}] as occupied for node: {}: {why}",
                node.metadata.name()
            )
        })
    })
}

/// Gives the ranges of a node back (`ReleaseCIDR`).
fn release(sets: &mut [CidrSet], node: &Node) -> std::result::Result<(), String> {
    each_range(sets, node, |set, range, _| {
        set.release(range).map_err(|why| format!("error when releasing CIDR {range}: {why}"))
    })
}

/// Takes the next free range of each set. If one has none left, those of the sets before it stay taken, as in Kubernetes.
///
/// # Errors
/// The index of the set without a free range.
fn allocate_next(sets: &mut [CidrSet]) -> std::result::Result<Vec<IpNet>, usize> {
    sets.iter_mut().enumerate().map(|(i, set)| set.allocate_next().ok_or(i)).collect()
}

/// Gives a node without ranges one of each range of the cluster (`AllocateOrOccupyCIDR`, `updateCIDRsAllocation`).
async fn allocate(cx: &Cx, node: &Rc<Node>) -> Result {
    let allocated = cx.state(|s| allocate_next(&mut s.sets.clone()));
    cx.update_state(|s| {
        let _ = allocate_next(&mut s.sets);
    });
    let ranges = match allocated {
        Ok(ranges) => ranges,
        Err(i) => {
            record(cx, node, "CIDRNotAvailable");
            return Err(Error::Other(format!(
                "failed to allocate cidr from cluster cidr at idx:{i}: CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range"
            )));
        }
    };
    let texts: Vec<String> = ranges.iter().map(ToString::to_string).collect();
    let mut to = node.clone();
    let spec = Rc::make_mut(&mut to).spec.get_or_insert_default();
    spec.pod_cidr = texts.first().cloned();
    spec.pod_cidrs = Some(texts.clone());
    let mut tries = 0;
    loop {
        let why = Why::new("nodeipam.allocate")
            .read("node", ObjectRef::of(&**node), "spec.podCIDRs", node.metadata.name())
            .with("range", texts.join(","));
        tries += 1;
        match cx.patch(node.clone(), to.clone()).because(why).await {
            Ok(_) => return Ok(()),
            Err(_) if tries < UPDATE_RETRIES => {}
            Err(refusal) => {
                record(cx, node, "CIDRAssignmentFailed");
                if refusal.code != 504 {
                    cx.update_state(move |s| {
                        for (set, range) in s.sets.iter_mut().zip(&ranges) {
                            // The range is one of the set.
                            let _ = set.release(*range);
                        }
                    });
                }
                return Err(refusal.into());
            }
        }
    }
}

/// Records that something became of a node (`RecordNodeStatusChange`).
fn record(cx: &Cx, node: &Node, status: &'static str) {
    let name = node.metadata.name();
    let about = ObjectReference {
        api_version: Some("v1".into()),
        kind: Some("Node".into()),
        name: Some(name.into()),
        uid: Some(node.metadata.uid().into()),
        ..ObjectReference::default()
    };
    let message = format!("Node {name} status is now: {status}");
    let (type_, reason) = ("Normal", status.into());
    cx.record(Recorded { about, type_, reason, message, action: "", at: cx.now() });
}
