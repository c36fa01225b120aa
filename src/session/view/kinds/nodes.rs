//! Nodes.

use super::{KindView, Shows};
use crate::api::types::Node;
use crate::api::{Kind, Object};
use crate::cluster::{Cluster, Fault};
use crate::session::view::card::{Card, Place};
use crate::session::view::offers::{Deed, Offer};

/// Nodes.
pub(super) struct Nodes;

impl KindView for Nodes {
    fn place(&self) -> Place {
        Place::Node
    }
    fn shows(&self) -> Shows {
        Shows::All
    }
    fn keeper(&self) -> &'static str {
        "kubelet"
    }
    fn makes(&self) -> Option<Kind> {
        None
    }
    fn card(&self, object: &Object) -> Card {
        let Some(n) = object.get::<Node>() else { return Card::Other };
        let conditions = n.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
        Card::Node {
            ready: conditions.iter().any(|c| c.type_ == "Ready" && c.status == "True"),
            schedulable: n.spec.as_ref().and_then(|s| s.unschedulable) != Some(true),
        }
    }
    fn offers(&self, cluster: &Cluster, object: &Object) -> Vec<Offer> {
        let name = object.name();
        let kubectl =
            |key: &str, line: String| Offer { key: key.into(), bad: false, deed: Deed::Kubectl(line) };
        let mut out = vec![
            match self.card(object) {
                Card::Node { schedulable: true, .. } => kubectl("act-cordon", format!("cordon {name}")),
                _ => kubectl("act-uncordon", format!("uncordon {name}")),
            },
            kubectl("act-drain", format!("drain {name} --ignore-daemonsets --force")),
        ];
        let fault =
            |key: &str, bad: bool, fault: Fault| Offer { key: key.into(), bad, deed: Deed::Fault(fault) };
        let (node, process) = (name.to_owned(), "kubelet".to_owned());
        match cluster.processes().find(|p| p.node.as_deref() == Some(name)).map(|p| p.running) {
            Some(true) => {
                let on = Some(node.clone());
                let restart = Fault::Restart { process: process.clone(), node: on.clone() };
                out.push(fault("act-node-down", true, Fault::NodeDown { node }));
                out.push(fault("act-restart-kubelet", true, restart));
                out.push(fault("act-cut-kubelet", true, Fault::CutWatches { process, node: on }));
            }
            Some(false) => out.push(fault("act-node-up", false, Fault::NodeUp { node })),
            None => {}
        }
        out
    }
}
