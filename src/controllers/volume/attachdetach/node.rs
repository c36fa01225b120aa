//! What the controller reads of Nodes, and `status.volumesAttached`, which it writes
//! (`attachdetach/statusupdater`).

use std::rc::Rc;

use super::{Cx, State};
use crate::api::types::{AttachedVolume, Node};
use crate::api::{Key, MetaExt, ObjectRef, csi};
use crate::apimachinery::Status;
use crate::client::Why;

/// The volumes that a node's kubelet has mounted, or is going to.
pub(super) fn volumes_in_use(node: &Node) -> &[String] {
    node.status.as_ref().and_then(|s| s.volumes_in_use.as_deref()).unwrap_or_default()
}

/// The volumes that a node's status says are attached.
pub(super) fn volumes_attached(node: &Node) -> &[AttachedVolume] {
    node.status.as_ref().and_then(|s| s.volumes_attached.as_deref()).unwrap_or_default()
}

/// Whether the node is ready (`nodeIsHealthy`).
pub(super) fn is_healthy(node: &Node) -> bool {
    let conditions = node.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    conditions.iter().any(|c| c.type_ == "Ready" && c.status == "True")
}

/// Whether a person has declared the node to be out of service (`hasOutOfServiceTaint`).
pub(super) fn is_out_of_service(node: &Node) -> bool {
    let taints = node.spec.as_ref().and_then(|s| s.taints.as_deref()).unwrap_or_default();
    taints.iter().any(|t| t.key == csi::OUT_OF_SERVICE && t.effect == "NoExecute")
}

/// Writes `status.volumesAttached` of a node if it has changed (`UpdateNodeStatusForNode`).
pub(super) async fn update_status(cx: &Cx, name: &Rc<str>) -> Result<(), Status> {
    if cx.state(|s| !s.unreported.contains_key(name)) {
        return Ok(());
    }
    let done = {
        let name = name.clone();
        move |s: &mut State| {
            s.unreported.remove(&name);
        }
    };
    let Some(node) = cx.lister::<Node>().get(&Key::new("", name)).cloned() else {
        cx.update_state(done);
        return Ok(());
    };
    let attached: Vec<AttachedVolume> = cx
        .state(|s| s.reported_on(name))
        .iter()
        .map(|v| AttachedVolume { name: v.to_string(), device_path: String::new() })
        .collect();
    let why = Why::new("update_node_status")
        .read("node", ObjectRef::of(&*node), "status.volumesAttached", node.metadata.name())
        .with("before", volumes_attached(&node).len())
        .with("count", attached.len());
    let mut to = node.clone();
    Rc::make_mut(&mut to).status.get_or_insert_default().volumes_attached =
        Some(attached).filter(|a| !a.is_empty());
    match cx.patch_status(node, to).because(why).await {
        Err(e) if !e.is_not_found() => Err(e),
        _ => {
            cx.update_state(done);
            Ok(())
        }
    }
}
