//! The node IPAM controller with the range allocator (`k8s.io/kubernetes/pkg/controller/nodeipam`): it gives each node a
//! part of the cluster's range for the node's pods.

mod cidrset;

use std::net::Ipv4Addr;
use std::rc::Rc;

use ipnet::Ipv4Net;

use crate::api::types::{Node, ObjectReference};
use crate::api::{Key, MetaExt, ObjectRef, Timestamp};
use crate::client::{
    Context, Error, EventFlavour, Handler, Memory, Reconciler, Recorded, Result, Seen, Watches, Why,
};
use cidrset::{CidrSet, Ranges};

/// `--cluster-cidr=10.244.0.0/16` and the default of `--node-cidr-mask-size-ipv4`.
const RANGES: Ranges =
    Ranges { cluster: Ipv4Net::new_assert(Ipv4Addr::new(10, 244, 0, 0), 16), node_mask_size: 24 };
/// How often a range is written to a node before it is given back (`cidrUpdateRetries`).
const UPDATE_RETRIES: usize = 3;

/// The node IPAM controller.
#[derive(Clone, Copy, Debug)]
pub struct NodeIpamController;

/// What the controller remembers: the ranges that are taken.
#[derive(Clone, Debug, Default)]
pub struct State {
    set: CidrSet,
    /// Whether the ranges of the nodes that were there at the start are taken.
    started: bool,
}

impl Memory for State {
    fn lines(&self, _: Timestamp) -> Vec<String> {
        let mut lines = self.set.lines(RANGES);
        lines.extend((!self.started).then(|| "has not looked at the nodes".to_owned()));
        lines
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
                let _ = release(&mut cx.state.set, seen.object());
            }
            cx.enqueue(seen.key.clone());
        })
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        if !cx.state(|s| s.started) {
            start(&cx);
        }
        let Some(node) = cx.lister::<Node>().get(&key).cloned() else { return Ok(()) };
        if node.metadata.is_deleting() {
            return change(&cx, move |set| release(set, &node));
        }
        if !pod_cidrs(&node).is_empty() {
            return change(&cx, move |set| occupy(set, &node));
        }
        allocate(&cx, &node).await
    }
}

fn pod_cidrs(node: &Node) -> &[String] {
    node.spec.as_ref().and_then(|s| s.pod_cidrs.as_deref()).unwrap_or_default()
}

/// Takes the ranges of the nodes that are there already, as the allocator does when it is made.
fn start(cx: &Cx) {
    let nodes: Vec<Rc<Node>> = cx.lister::<Node>().list(None).cloned().collect();
    cx.update_state(move |s| {
        s.started = true;
        for node in &nodes {
            // A node with a foreign range is told of when it is looked at.
            let _ = occupy(&mut s.set, node);
        }
    });
}

/// Changes the set of taken ranges.
fn change(cx: &Cx, how: impl Fn(&mut CidrSet) -> std::result::Result<(), String> + 'static) -> Result {
    // A failure leaves the ranges before it changed, as there.
    let failed = cx.state(|s| how(&mut s.set.clone()).err());
    cx.update_state(move |s| {
        let _ = how(&mut s.set);
    });
    failed.map_or(Ok(()), |why| Err(Error::Other(why)))
}

/// Does something with each range of a node. The cluster has one family, so there is one range.
fn each_range(
    node: &Node,
    mut what: impl FnMut(Ipv4Net) -> std::result::Result<(), String>,
) -> std::result::Result<(), String> {
    let name = node.metadata.name();
    for (i, cidr) in pod_cidrs(node).iter().enumerate() {
        let Ok(range) = cidr.parse::<Ipv4Net>() else {
            return Err(format!("failed to parse node {name}, CIDR {cidr}"));
        };
        if i > 0 {
            return Err(format!(
                "node:{name} has an allocated cidr: {cidr} at index:{i} that does not exist in cluster cidrs configuration"
            ));
        }
        what(range.trunc())?;
    }
    Ok(())
}

/// Takes the ranges that a node has (`occupyCIDRs`).
fn occupy(set: &mut CidrSet, node: &Node) -> std::result::Result<(), String> {
    each_range(node, |range| {
        set.occupy(RANGES, range).map_err(|why| {
            format!(
                "failed to mark cidr[{range}] at idx [0] as occupied for node: {}: {why}",
                node.metadata.name()
            )
        })
    })
}

/// Gives the ranges of a node back (`ReleaseCIDR`).
fn release(set: &mut CidrSet, node: &Node) -> std::result::Result<(), String> {
    each_range(node, |range| {
        set.release(RANGES, range).map_err(|why| format!("error when releasing CIDR {range}: {why}"))
    })
}

/// Gives a range to a node that has none (`AllocateOrOccupyCIDR`, `updateCIDRsAllocation`).
async fn allocate(cx: &Cx, node: &Rc<Node>) -> Result {
    let Some(range) = cx.state(|s| s.set.clone().allocate_next(RANGES)) else {
        record(cx, node, "CIDRNotAvailable");
        return Err(Error::Other("failed to allocate cidr from cluster cidr at idx:0: CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range".into()));
    };
    cx.update_state(|s| {
        s.set.allocate_next(RANGES);
    });
    let mut to = node.clone();
    let spec = Rc::make_mut(&mut to).spec.get_or_insert_default();
    spec.pod_cidr = Some(range.to_string());
    spec.pod_cidrs = Some(vec![range.to_string()]);
    let mut tries = 0;
    loop {
        let why = Why::new("nodeipam.allocate")
            .read("node", ObjectRef::of(&**node), "spec.podCIDRs", node.metadata.name())
            .with("range", range);
        tries += 1;
        match cx.patch(node.clone(), to.clone()).because(why).await {
            Ok(_) => return Ok(()),
            Err(_) if tries < UPDATE_RETRIES => {}
            Err(refusal) => {
                record(cx, node, "CIDRAssignmentFailed");
                if refusal.code != 504 {
                    cx.update_state(move |s| {
                        let _ = s.set.release(RANGES, range);
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
    let (type_, reason) = ("Warning", status.into());
    cx.record(Recorded { about, type_, reason, message, action: "", at: cx.now() });
}
