//! TaintNodesByCondition: nothing is scheduled to a new node before the node lifecycle controller has seen that it is ready
//! (`k8s.io/kubernetes/plugin/pkg/admission/nodetaint`).

use super::{Plugin, hook};
use crate::api::types::{Node, Taint};
use crate::api::well_known::TAINT_NODE_NOT_READY;
use crate::api::{ApiKind, Kind, Object};
use crate::apimachinery::Status;
use crate::apiserver::ApiServer;

pub(super) const PLUGIN: Plugin =
    Plugin { admit_create: hook(&[Kind::NODE], admit_create), ..Plugin::new("TaintNodesByCondition") };

fn admit_create(_: &mut ApiServer, object: &mut Object) -> Result<(), Status> {
    if let Some(node) = Node::from_object_mut(object) {
        taint_not_ready(node);
    }
    Ok(())
}

fn taint_not_ready(node: &mut Node) {
    let taint = Taint { key: TAINT_NODE_NOT_READY.into(), effect: "NoSchedule".into(), ..Default::default() };
    let taints = node.spec.get_or_insert_default().taints.get_or_insert_default();
    if !taints.iter().any(|t| t.key == taint.key && t.effect == taint.effect) {
        taints.push(taint);
    }
}
