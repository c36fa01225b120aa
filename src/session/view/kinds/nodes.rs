//! Nodes, and the RuntimeClasses that name their runtimes.

use super::{About, KindView, Shows, stuck};
use crate::api::Object;
use crate::api::types::{Node, RuntimeClass};
use crate::cluster::{Cluster, Fault};
use crate::session::view::ails::Ails;
use crate::session::view::card::{Card, Place, Standing};
use crate::session::view::events::Condition;
use crate::session::view::offers::{Deed, Offer};

/// Nodes.
pub(super) struct Nodes;

impl KindView for Nodes {
    fn about(&self) -> About {
        About {
            place: Place::Node,
            shows: Shows::All,
            keeper: "kubelet",
            makes: None,
            record: false,
            bookkeeping: &[],
        }
    }
    fn card(&self, object: &Object) -> Card {
        let Some(n) = object.get::<Node>() else { return Card::Other };
        let conditions = n.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
        Card::Node {
            ready: conditions.iter().any(|c| c.type_ == "Ready" && c.status == "True"),
            schedulable: n.spec.as_ref().and_then(|s| s.unschedulable) != Some(true),
        }
    }
    /// The node is not ready, or short of something: every condition but `Ready` means trouble when it is true.
    fn ails(&self, _: &Cluster, object: &Object) -> Option<Ails> {
        let conditions = object.get::<Node>()?.status.as_ref()?.conditions.as_deref().unwrap_or_default();
        let trouble = conditions.iter().find(|c| (c.type_ == "Ready") != (c.status == "True"));
        let condition =
            trouble.map(|c| Condition::new(&c.type_, &c.status, c.reason.as_deref(), c.message.as_deref()));
        condition.map(Ails::Condition).or_else(|| stuck(object))
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
        let proxy = cluster.processes().find(|p| p.node.as_deref() == Some(name) && &*p.name == "kube-proxy");
        let (process, node) = ("kube-proxy".to_owned(), Some(name.to_owned()));
        match proxy.map(|p| p.running) {
            Some(true) => out.push(fault("act-stop-proxy", true, Fault::Stop { process, node })),
            Some(false) => out.push(fault("act-start-proxy", false, Fault::Start { process, node })),
            None => {}
        }
        out
    }
    usual!(report, next_run, node, ordinal, selects, names);
}

/// RuntimeClasses.
pub(super) struct RuntimeClasses;

impl KindView for RuntimeClasses {
    fn about(&self) -> About {
        About::ASIDE
    }
    /// The handler, which a node must have to run pods of the class.
    fn card(&self, object: &Object) -> Card {
        let handler = object.get::<RuntimeClass>().map(|class| class.handler.clone());
        Card::Resource(handler.map(|word| Standing { good: true, word }))
    }
    usual!(ails, report, next_run, node, ordinal, selects, names, offers);
}
