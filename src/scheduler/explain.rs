//! What each plugin says about a pod, node by node, without doing anything about it.

use std::rc::Rc;

use super::framework::{Handle, NodeInfo, PerNodeVerdict, PodInfo, Snapshot, Status};
use super::listers::{Listers, Nominated};
use super::runtime::{Scores, filter_each, pre_filter, score_nodes};
use super::state::State;
use crate::api::Key;
use crate::api::types::Pod;
use crate::client::Caches;

/// What the filters say about one node.
#[derive(Clone, Debug)]
pub struct NodeAnswers {
    /// The node's name.
    pub node: Rc<str>,
    /// The answer of each filter that was asked, in the profile's order. Unlike in a cycle, filters after the first that
    /// refuses are asked as well.
    pub filters: Vec<PerNodeVerdict>,
}

impl NodeAnswers {
    /// Whether no filter refuses the node.
    pub fn fits(&self) -> bool {
        self.filters.iter().all(PerNodeVerdict::fits)
    }
}

/// What the plugins say about a pod.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// The plugin that refuses every node in PreFilter, and its answer. Then no node was looked at.
    pub refused: Option<(&'static str, Status)>,
    /// The nodes, sorted by name.
    pub nodes: Vec<NodeAnswers>,
    /// The scores of the nodes that fit.
    pub scores: Scores,
}

/// What the plugins say about a pod, as the scheduler with this state and these caches knows the cluster. A pod that is
/// on a node already is asked about as if it were not. Pods that are nominated to a node do not count.
pub fn explain(state: &State, caches: &Caches, pod: &Rc<Pod>, key: &Key) -> Explanation {
    let mut cache = state.cache.clone();
    cache.remove_pod(key);
    let mut unbound = pod.clone();
    if let Some(spec) = &mut Rc::make_mut(&mut unbound).spec {
        spec.node_name = None;
    }
    let info = PodInfo::new(unbound);
    let (nodes, classes) = (cache.snapshot(), cache.classes().clone());
    let listers = Listers(caches, state.assumed.clone());
    let nominated = Nominated::of(&state.queue, key);
    let h = Handle {
        snapshot: Snapshot { nodes: &nodes, classes: Some(&classes) },
        volumes: &listers,
        namespaces: &listers,
        workloads: &listers,
        nominated: &nominated,
    };
    let pre = pre_filter(&h, &info);
    if pre.refused.is_some() {
        return Explanation { refused: pre.refused, ..Explanation::default() };
    }
    let named = |n: &NodeInfo| pre.node_names.as_ref().is_none_or(|names| names.contains(&**n.name()));
    let answers = |node: &Rc<NodeInfo>| {
        let mut filters = Vec::new();
        filter_each(&h, &pre.state, node, |plugin, status| {
            filters.push(PerNodeVerdict { plugin, status });
            true
        });
        NodeAnswers { node: node.name().clone(), filters }
    };
    let all: Vec<NodeAnswers> = nodes.iter().map(answers).collect();
    let fitting: Vec<&Rc<NodeInfo>> =
        nodes.iter().zip(&all).filter(|(n, a)| a.fits() && named(n)).map(|(n, _)| n).collect();
    let scores = score_nodes(&h, &pre.state, &fitting);
    Explanation { refused: None, nodes: all, scores }
}
