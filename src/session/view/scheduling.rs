//! What the scheduler's plugins say about a pod, as a table of plain data: nodes are the rows, plugins the columns.

use serde::{Deserialize, Serialize};

use super::Word;
use crate::api::types::Pod;
use crate::api::{Key, Kind, ObjectRef};
use crate::cluster::Cluster;
use crate::scheduler::explain::{Explanation, explain};
use crate::scheduler::state::State;

/// The table of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scheduling {
    /// The node that the pod is on; `None` if it has none yet. The table is then about where it would go if it had none.
    pub bound: Option<String>,
    /// The plugin that refuses every node at once, and its reasons. There are no rows then.
    pub refused: Option<(Word, String)>,
    /// The plugins that filter, in the order in which they are asked.
    pub filters: Vec<Word>,
    /// The plugins that score, each with its weight.
    pub scores: Vec<(Word, i64)>,
    /// The nodes, sorted by name.
    pub nodes: Vec<NodeRow>,
}

/// A node's row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeRow {
    /// The node's name.
    pub node: String,
    /// For each of [`Scheduling::filters`] its reasons against the node; empty if it lets the pod in.
    pub filters: Vec<Vec<String>>,
    /// For each of [`Scheduling::scores`] the node's score, 0 to 100; empty if the pod does not fit on the node.
    pub scores: Vec<i64>,
    /// The sum of scores times weights; `None` if the pod does not fit on the node.
    pub total: Option<i64>,
}

/// The table of a pod, as the scheduler knows the cluster; `None` if the object is no pod that the scheduler has heard of,
/// or if there is no scheduler.
pub fn scheduling(cluster: &Cluster, object: &ObjectRef) -> Option<Scheduling> {
    if object.kind != Kind::POD {
        return None;
    }
    let mut schedulers = cluster.actors().filter_map(|actor| {
        let state = cluster.component(actor)?.state().downcast_ref::<State>()?;
        Some((state, cluster.process(actor.process)?))
    });
    let (state, process) = schedulers.find(|(_, process)| !process.waits())?;
    let pod = process.caches.get::<Pod>(&object.key)?;
    let node = pod.spec.as_ref().and_then(|s| s.node_name.clone()).filter(|n| !n.is_empty());
    Some(table(explain(state, &process.caches, pod, &Key::clone(&object.key)), node))
}

fn table(e: Explanation, bound: Option<String>) -> Scheduling {
    let mut filters: Vec<Word> = Vec::new();
    for verdict in e.nodes.iter().flat_map(|n| &n.filters) {
        if !filters.iter().any(|f| f == verdict.plugin) {
            filters.push(Word::new_static(verdict.plugin));
        }
    }
    let row = |n: &crate::scheduler::explain::NodeAnswers| {
        let reasons = |f: &Word| {
            let verdict = n.filters.iter().find(|v| f == v.plugin);
            let reasons = verdict.map(|v| v.status.reasons.as_slice()).unwrap_or_default();
            reasons.iter().map(|r| r.to_string()).collect()
        };
        let place = e.scores.nodes.iter().position(|name| *name == n.node);
        let scores = place.map(|i| e.scores.plugins.iter().filter_map(move |p| p.normalized.get(i).copied()));
        NodeRow {
            node: n.node.to_string(),
            filters: filters.iter().map(reasons).collect(),
            scores: scores.into_iter().flatten().collect(),
            total: place.and_then(|i| e.scores.totals.get(i).copied()),
        }
    };
    let nodes = e.nodes.iter().map(row).collect();
    Scheduling {
        bound,
        refused: e.refused.map(|(plugin, status)| (Word::new_static(plugin), status.message())),
        scores: e.scores.plugins.iter().map(|p| (Word::new_static(p.plugin), p.weight)).collect(),
        filters,
        nodes,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::{Depth, Session, Start};

    fn of(s: &Session, pod: &str) -> Scheduling {
        scheduling(s.cluster(), &ObjectRef::new(Kind::POD, "default", pod)).unwrap()
    }

    #[test]
    fn a_pod_that_fits_nowhere_has_every_reason_and_one_that_fits_has_scores() {
        let mut s = Session::new(Start::default());
        s.kubectl("cordon node-1", &[]);
        s.apply(
            "apiVersion: v1\nkind: Pod\nmetadata: {name: large}\nspec:\n  containers:\n  - name: c\n    image: nginx\n    \
             resources: {requests: {cpu: 100}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: small}\nspec:\n  \
             containers: [{name: c, image: nginx}]\n",
        );
        for _ in 0..60 {
            s.step(Depth::Command, None);
        }
        let large = of(&s, "large");
        assert_eq!((large.bound, large.refused), (None, None));
        let column = |name: &str| large.filters.iter().position(|f| f == name).unwrap();
        let first = large.nodes.first().unwrap();
        assert_eq!(first.node, "node-1");
        assert_eq!(first.filters[column("NodeUnschedulable")], ["node(s) were unschedulable"]);
        assert_eq!(first.filters[column("NodeResourcesFit")], ["Insufficient cpu"]);
        assert!(large.nodes.iter().all(|n| n.total.is_none() && n.scores.is_empty()));

        let small = of(&s, "small");
        let best = small.nodes.iter().filter_map(|n| n.total).max().unwrap();
        let on = small.bound.unwrap();
        let row = small.nodes.iter().find(|n| n.node == on).unwrap();
        assert_eq!(row.total, Some(best), "it went where the score was best");
        let sum: i64 = row.scores.iter().zip(&small.scores).map(|(score, (_, weight))| score * weight).sum();
        assert_eq!(row.total, Some(sum));
        assert_eq!(scheduling(s.cluster(), &ObjectRef::new(Kind::POD, "default", "nobody")), None);
    }
}
