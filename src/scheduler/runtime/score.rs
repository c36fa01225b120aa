//! Which of the fitting nodes is the best (`prioritizeNodes`, `selectHost`).

use std::rc::Rc;

use super::cycle::CycleState;
use crate::scheduler::framework::{Handle, NodeInfo};
use crate::scheduler::plugins::{
    dynamic_resources, image_locality, inter_pod_affinity, node_affinity, node_resources,
    pod_topology_spread, taint_toleration,
};

const MAX_NODE_SCORE: i64 = 100;

/// One plugin's scores, in the order of [`Scores::nodes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginScores {
    /// The plugin's name.
    pub plugin: &'static str,
    /// The plugin's weight in the profile.
    pub weight: i64,
    /// The scores before normalisation, on the plugin's own scale.
    pub raw: Vec<i64>,
    /// The scores from 0 to 100; more is better.
    pub normalized: Vec<i64>,
}

/// The scores of the fitting nodes. Skipped plugins are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scores {
    /// The nodes' names.
    pub nodes: Vec<Rc<str>>,
    /// For each node, the sum over plugins of normalised score times weight.
    pub totals: Vec<i64>,
    /// The scores of each plugin, in the profile's order.
    pub plugins: Vec<PluginScores>,
}

impl Scores {
    fn add(&mut self, plugin: &'static str, weight: i64, raw: Vec<i64>, normalized: Vec<i64>) {
        for (total, n) in self.totals.iter_mut().zip(&normalized) {
            *total += n * weight;
        }
        self.plugins.push(PluginScores { plugin, weight, raw, normalized });
    }
}

/// Scales scores to 0 to 100 by the largest of them (`helper.DefaultNormalizeScore`).
fn normalize(raw: &[i64], reverse: bool) -> Vec<i64> {
    let max = raw.iter().copied().max().unwrap_or(0);
    let one = |s: &i64| {
        let s = if max == 0 { 0 } else { MAX_NODE_SCORE * s / max };
        if reverse { MAX_NODE_SCORE - s } else { s }
    };
    raw.iter().map(one).collect()
}

/// Scores the fitting nodes with all plugins.
pub fn score_nodes<'a>(h: &Handle<'a>, state: &CycleState<'a>, nodes: &[&'a Rc<NodeInfo>]) -> Scores {
    let pod = state.pod;
    let mut scores = Scores {
        nodes: nodes.iter().map(|n| n.name().clone()).collect(),
        totals: vec![0; nodes.len()],
        plugins: Vec::with_capacity(7),
    };
    let each = |score: &dyn Fn(&NodeInfo) -> i64| nodes.iter().map(|n| score(n)).collect::<Vec<i64>>();

    let raw = each(&|n| taint_toleration::score(pod, n));
    let normalized = normalize(&raw, true);
    scores.add(taint_toleration::NAME, 3, raw, normalized);

    if !pod.preferred_node_affinity.is_empty() {
        let raw = each(&|n| node_affinity::score(pod, n));
        let normalized = normalize(&raw, false);
        scores.add(node_affinity::NAME, 2, raw, normalized);
    }

    let raw = each(&|n| node_resources::least_allocated(pod, n));
    scores.add(node_resources::FIT, 1, raw.clone(), raw);

    if let Some(mut s) = pod_topology_spread::pre_score(h, pod, nodes) {
        let raw: Vec<Option<i64>> =
            nodes.iter().map(|n| pod_topology_spread::score(&mut s, pod, n)).collect();
        let normalized = pod_topology_spread::normalize(&raw);
        let raw = raw.into_iter().map(Option::unwrap_or_default).collect();
        scores.add(pod_topology_spread::NAME, 2, raw, normalized);
    }

    if let Some(s) = inter_pod_affinity::pre_score(h, pod) {
        let raw = each(&|n| inter_pod_affinity::score(&s, n));
        let normalized = inter_pod_affinity::normalize(&raw);
        scores.add(inter_pod_affinity::NAME, 2, raw, normalized);
    }

    if let Some(s) = &state.devices {
        let raw = each(&|n| dynamic_resources::score(s, n));
        let normalized = normalize(&raw, false);
        scores.add(dynamic_resources::NAME, 2, raw, normalized);
    }

    if !node_resources::is_best_effort(pod) {
        let raw = each(&|n| node_resources::balanced_allocation(pod, n));
        scores.add(node_resources::BALANCED_ALLOCATION, 1, raw.clone(), raw);
    }

    let s = image_locality::pre_score(pod, h.snapshot.nodes);
    let raw = each(&|n| image_locality::score(&s, n));
    scores.add(image_locality::NAME, 1, raw.clone(), raw);
    scores
}

/// The node with the highest total. Among equals, `random` decides; `None` if there is no node.
pub fn select_host(scores: &Scores, random: u64) -> Option<&Rc<str>> {
    let max = scores.totals.iter().max()?;
    let best = || scores.totals.iter().enumerate().filter(|(_, t)| *t == max).map(|(i, _)| i);
    let count = u64::try_from(best().count()).ok().filter(|n| *n > 0)?;
    let chosen = best().nth(usize::try_from(random % count).ok()?)?;
    scores.nodes.get(chosen)
}
