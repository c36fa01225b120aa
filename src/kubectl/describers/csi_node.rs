//! CSINodes.

use super::super::invocation::{Invocation, Result};
use super::{Writer, head, moment};
use crate::api::Object;
use crate::api::types::CSINode;

pub(in super::super) fn csi_node(_: &mut Invocation<'_>, w: &mut Writer, object: &Object) -> Result<bool> {
    let Some(n) = object.get::<CSINode>() else { return Ok(true) };
    w.line(0, &format!("Name:\t{}", object.name()));
    head::marks(w, object);
    w.line(0, &format!("CreationTimestamp:\t{}", moment(n.metadata.creation_timestamp.as_ref())));
    w.line(0, "Spec:");
    if !n.spec.drivers.is_empty() {
        w.line(1, "Drivers:");
    }
    for driver in &n.spec.drivers {
        w.line(2, &format!("{}:", driver.name));
        w.line(3, &format!("Node ID:\t{}", driver.node_id));
        if let Some(count) = driver.allocatable.as_ref().and_then(|a| a.count) {
            w.line(3, "Allocatables:");
            w.line(4, &format!("Count:\t{count}"));
        }
        if let Some(keys) = &driver.topology_keys {
            w.line(3, &format!("Topology Keys:\t[{}]", keys.join(" ")));
        }
    }
    Ok(true)
}
