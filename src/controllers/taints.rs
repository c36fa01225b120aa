//! Adding taints to nodes and removing them, by patches
//! (`k8s.io/kubernetes/pkg/controller/controller_utils.go`, `pkg/util/taints`).

use std::rc::Rc;

use crate::api::types::{Node, Taint, Time};
use crate::api::{MetaExt, seconds};
use crate::client::{Context, Result, Why, WorkKey};

pub(super) const NO_SCHEDULE: &str = "NoSchedule";
pub(super) const NO_EXECUTE: &str = "NoExecute";

/// A taint without a value.
pub(super) fn taint(key: &str, effect: &str) -> Taint {
    Taint { key: key.into(), effect: effect.into(), ..Default::default() }
}

/// A node's taints.
pub(super) fn taints(node: &Node) -> &[Taint] {
    node.spec.as_ref().and_then(|s| s.taints.as_deref()).unwrap_or_default()
}

/// Whether key and effect are the same (`Taint.MatchTaint`).
pub(super) fn is_same(a: &Taint, b: &Taint) -> bool {
    a.key == b.key && a.effect == b.effect
}

pub(super) fn has(node: &Node, taint: &Taint) -> bool {
    taints(node).iter().any(|t| is_same(t, taint))
}

/// Adds taints to a node, then removes others (`SwapNodeControllerTaint`).
pub(super) async fn swap<S: Clone + 'static, K: WorkKey>(
    cx: &Context<S, K>,
    node: &Rc<Node>,
    add: &[Taint],
    remove: &[Taint],
    why: Why,
) -> Result {
    let now = Time(seconds(cx.now()));
    if !add.is_empty() {
        patch(cx, node, why.clone(), |list| {
            for t in
                add.iter().filter(|t| !list.iter().any(|have| is_same(have, t))).cloned().collect::<Vec<_>>()
            {
                list.push(Taint { time_added: Some(now.clone()), ..t });
            }
        })
        .await?;
    }
    take_off(cx, node, remove, why).await
}

/// Removes taints from a node that has them (`RemoveTaintOffNode`).
pub(super) async fn take_off<S: Clone + 'static, K: WorkKey>(
    cx: &Context<S, K>,
    node: &Rc<Node>,
    remove: &[Taint],
    why: Why,
) -> Result {
    if !remove.iter().any(|t| has(node, t)) {
        return Ok(());
    }
    patch(cx, node, why, |list| list.retain(|have| !remove.iter().any(|t| is_same(have, t)))).await
}

/// Changes the taints of a node that is read from the API server first.
async fn patch<S: Clone + 'static, K: WorkKey>(
    cx: &Context<S, K>,
    node: &Rc<Node>,
    why: Why,
    change: impl FnOnce(&mut Vec<Taint>),
) -> Result {
    let from = cx.get::<Node>(node.metadata.key()).await?;
    let mut list = taints(&from).to_vec();
    change(&mut list);
    if list == taints(&from) {
        return Ok(());
    }
    let mut to = from.clone();
    Rc::make_mut(&mut to).spec.get_or_insert_default().taints = Some(list).filter(|l| !l.is_empty());
    cx.patch(from, to).because(why).await?;
    Ok(())
}
