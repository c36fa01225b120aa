//! What a scheduling cycle would do with a pod, and what each plugin says about each node, without doing anything.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::framework::{Handle, NodeInfo, PerNodeVerdict, PodInfo, Snapshot, Status};
use super::listers::{Listers, Nominated};
use super::runtime::{CycleState, PreFiltered, Scores, filter_each, pre_filter};
use super::scheduling_cycle::{self, Cycle, End, tie_break};
use super::state::State;
use crate::api::types::{Pod, PodDisruptionBudget};
use crate::api::{ApiKind, Key, MetaExt, Timestamp, order};
use crate::client::Caches;

/// What became of a node in the search for nodes that fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// The node was found to fit.
    Fits,
    /// A filter refused the node.
    Refused,
    /// PreFilter left the node out, because the pod can only run on nodes that it names.
    LeftOut,
    /// The search had found enough nodes before it came to this one.
    NotVisited,
}

/// What the filters say about one node.
#[derive(Clone, Debug)]
pub struct NodeAnswers {
    /// The node's name.
    pub node: Rc<str>,
    /// If the node is refused, the answer of each of [`Explanation::filters`]. In a cycle, the filters after the first that
    /// refuses are not asked; here they are. For other nodes this is empty: all filters let them in, or none was asked.
    pub filters: Vec<PerNodeVerdict>,
    /// What became of the node.
    pub visit: Visit,
    /// Whether the node is refused only because of pods that are nominated to it.
    pub for_nominated: bool,
}

/// A cycle, and what the plugins say.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The plugin that refuses every node in PreFilter, and its answer. Then no node is looked at.
    pub refused: Option<(&'static str, Status)>,
    /// The filters that have something to say about the pod, in the profile's order.
    pub filters: Vec<&'static str>,
    /// The nodes, sorted by name.
    pub nodes: Vec<NodeAnswers>,
    /// The scores of the nodes that were found to fit. They are empty if fewer than two were.
    pub scores: Scores,
    /// The result.
    pub end: End,
}

/// What a cycle of the scheduler with this state and these caches would do with a pod. A pod that is on a node already is
/// asked about as if it were not, and as if this were its first attempt.
pub fn explain(state: &State, caches: &Caches, pod: &Rc<Pod>, key: &Key, now: Timestamp) -> Explanation {
    let mut cache = state.cache.clone();
    cache.remove_pod(key);
    let mut unbound = pod.clone();
    if let Some(spec) = &mut Rc::make_mut(&mut unbound).spec {
        spec.node_name = None;
    }
    let attempts = state.queue.get(key).map_or(0, |q| q.attempts).saturating_add(1);
    let random = tie_break(unbound.metadata.uid(), attempts);
    let info = PodInfo::new(unbound);
    let (nodes, classes) = (cache.snapshot(), cache.classes().clone());
    let listers = Listers::of(caches, state, now);
    let nominated = Nominated::of(&state.queue, key);
    let h = Handle {
        snapshot: Snapshot { nodes: &nodes, classes: Some(&classes) },
        volumes: &listers,
        devices: &listers,
        namespaces: &listers,
        workloads: &listers,
        nominated: &nominated,
    };
    let budgets = || {
        let all = caches.of(PodDisruptionBudget::KIND).list(None);
        all.filter_map(PodDisruptionBudget::from_object).cloned().collect()
    };
    let cycle = scheduling_cycle::run(&h, &info, state.next_start, random, budgets);
    let pre = pre_filter(&h, &info);
    let mut filters = Vec::new();
    let mut answers = Vec::new();
    if pre.refused.is_none() {
        if let Some(node) = nodes.first() {
            filters = all_filters(&h, &pre.state, node).into_iter().map(|v| v.plugin).collect();
        }
        answers = answers_of(&h, &cycle, &pre, &nodes);
    }
    Explanation { refused: pre.refused, filters, nodes: answers, scores: cycle.scores, end: cycle.end }
}

/// What every filter says about a node.
fn all_filters(h: &Handle<'_>, state: &CycleState<'_>, node: &NodeInfo) -> Vec<PerNodeVerdict> {
    let mut all = Vec::new();
    filter_each(h, state, node, |plugin, status| {
        all.push(PerNodeVerdict { plugin, status });
        true
    });
    all
}

fn answers_of(
    h: &Handle<'_>,
    cycle: &Cycle<'_>,
    pre: &PreFiltered<'_>,
    nodes: &[Rc<NodeInfo>],
) -> Vec<NodeAnswers> {
    let found = cycle.found.as_ref();
    let fitting: BTreeSet<&str> = order::gather(found.iter().flat_map(|f| &f.nodes).map(|n| &**n.name()));
    let verdicts = found.map(|f| f.diagnosis.verdicts.as_slice()).unwrap_or_default();
    let refused: BTreeMap<&str, &PerNodeVerdict> = order::gather(verdicts.iter().map(|(n, v)| (&**n, v)));
    let one = |node: &Rc<NodeInfo>| {
        let name = node.name();
        let verdict = refused.get(&**name).copied();
        let left_out = pre.node_names.as_ref().is_some_and(|names| !names.contains(&**name));
        let visit = match verdict {
            Some(_) => Visit::Refused,
            None if fitting.contains(&**name) => Visit::Fits,
            None if left_out => Visit::LeftOut,
            None => Visit::NotVisited,
        };
        let mut filters = Vec::new();
        let mut for_nominated = false;
        if let Some(verdict) = verdict {
            filters = all_filters(h, &pre.state, node);
            if filters.iter().all(PerNodeVerdict::fits)
                && let Some(filter) = filters.iter_mut().find(|f| f.plugin == verdict.plugin)
            {
                *filter = verdict.clone();
                for_nominated = true;
            }
        }
        NodeAnswers { node: name.clone(), filters, visit, for_nominated }
    };
    nodes.iter().map(one).collect()
}
