//! `PodTopologySpread`: matching pods are spread evenly over the domains of a topology key.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::taint_toleration::has_untolerated;
use crate::api::types::{Node, Pod, Taint};
use crate::api::{Kind, MetaExt};
use crate::scheduler::framework::{
    Actions, Asked, Change, ClassMemo, EventResource, Handle, Hint, LABEL_HOSTNAME, LABEL_ZONE, NodeInfo,
    PodClass, PodInfo, Registered, SpreadConstraint, Status, det_math, frees_node,
};

/// The plugin's name.
pub const NAME: &str = "PodTopologySpread";

/// The events that may let a pod be scheduled which the plugin refused.
pub const EVENTS: &[Registered] = &[
    Registered {
        resource: EventResource::Pod,
        actions: Actions::ADD
            .or(Actions::UPDATE_POD_LABEL)
            .or(Actions::UPDATE_POD_TOLERATION)
            .or(Actions::DELETE),
        hint: Hint::Pod(after_pod),
    },
    Registered {
        resource: EventResource::Of(Kind::NODE),
        actions: Actions::ADD
            .or(Actions::DELETE)
            .or(Actions::UPDATE_NODE_LABEL)
            .or(Actions::UPDATE_NODE_TAINT),
        hint: Hint::Node(after_node),
    },
];

const MAX_NODE_SCORE: i64 = 100;

/// How many matching pods are in each domain, for each constraint.
#[derive(Clone, Debug)]
pub struct State<'a> {
    constraints: &'a [SpreadConstraint],
    counts: Vec<BTreeMap<&'a str, i64>>,
    /// The smallest count of a domain, for each constraint; 0 while there are fewer domains than
    /// `minDomains`.
    least: Vec<i64>,
    /// Whether the constraint counts the pod itself (1 or 0), for each constraint.
    self_match: Vec<i64>,
}

fn least(c: &SpreadConstraint, counts: &BTreeMap<&str, i64>) -> i64 {
    let domains = i64::try_from(counts.len()).unwrap_or(i64::MAX);
    if domains < c.min_domains { 0 } else { counts.values().copied().min().unwrap_or(0) }
}

fn has_all_keys(node: &NodeInfo, constraints: &[SpreadConstraint]) -> bool {
    constraints.iter().all(|c| node.place(&c.topology_key).is_some())
}

/// Whether a node is counted for a constraint (`nodeAffinityPolicy`, `nodeTaintsPolicy`).
fn included(c: &SpreadConstraint, pod: &PodInfo, node: &NodeInfo) -> bool {
    (!c.honor_node_affinity || node.node().is_some_and(|n| pod.node_affinity.matches(n)))
        && (!c.honor_node_taints || !has_untolerated(node.taints(), pod.tolerations()))
}

/// Whether a constraint counts the pods of a class that are on nodes. They must be in the pod's namespace. A selector that asks
/// for nothing counts none of them (`countPodsMatchSelector`), though it matches the pod itself and the pods that are nominated
/// or evicted meanwhile.
fn counted(c: &SpreadConstraint, pod: &PodInfo, class: &PodClass) -> bool {
    !c.asks_for_nothing() && class.namespace() == pod.namespace() && c.matches(class.labels())
}

fn memos(h: &Handle<'_>, constraints: &[SpreadConstraint], pod: &PodInfo) -> Vec<ClassMemo> {
    constraints.iter().map(|c| ClassMemo::new(h, |class| counted(c, pod, class))).collect()
}

/// The number of pods on a node that a constraint counts. Pods with a `deletionTimestamp` are left out.
fn count(c: &SpreadConstraint, memo: &mut ClassMemo, pod: &PodInfo, node: &NodeInfo) -> i64 {
    let mut sum = 0;
    memo.on_node(node, |class| counted(c, pod, class), |k| sum += k.total - k.terminating);
    sum
}

/// Counts pods in each domain; `None` if the pod has no constraint with `DoNotSchedule`.
pub fn pre_filter<'a>(h: &Handle<'a>, pod: &'a PodInfo) -> Option<State<'a>> {
    let constraints = pod.hard_spread.as_slice();
    if constraints.is_empty() {
        return None;
    }
    let mut counts = vec![BTreeMap::new(); constraints.len()];
    let mut memos = memos(h, constraints, pod);
    for node in h.snapshot.nodes {
        if !has_all_keys(node, constraints) {
            continue;
        }
        for ((c, counts), memo) in constraints.iter().zip(&mut counts).zip(&mut memos) {
            if let Some(place) = node.place(&c.topology_key)
                && included(c, pod, node)
            {
                *counts.entry(place).or_insert(0) += count(c, memo, pod, node);
            }
        }
    }
    let self_match = constraints.iter().map(|c| i64::from(c.matches(pod.labels()))).collect();
    let least = constraints.iter().zip(&counts).map(|(c, n)| least(c, n)).collect();
    Some(State { constraints, counts, least, self_match })
}

impl<'a> State<'a> {
    /// Adds (1) or removes (-1) another pod on a node in the counts.
    pub fn update_with_pod(&mut self, pod: &PodInfo, other: &PodInfo, node: &'a NodeInfo, delta: i64) {
        if other.namespace() != pod.namespace() || !has_all_keys(node, self.constraints) {
            return;
        }
        for ((c, counts), min) in self.constraints.iter().zip(&mut self.counts).zip(&mut self.least) {
            if let Some(place) = node.place(&c.topology_key)
                && c.matches(other.labels())
                && included(c, pod, node)
            {
                *counts.entry(place).or_insert(0) += delta;
                *min = least(c, counts);
            }
        }
    }
}

/// Refuses nodes in whose domain the pod would exceed the smallest count by more than `maxSkew`.
pub fn filter(state: &State<'_>, node: &NodeInfo) -> Status {
    let counts = state.counts.iter().zip(&state.least).zip(&state.self_match);
    for (c, ((counts, least), self_match)) in state.constraints.iter().zip(counts) {
        let Some(place) = node.place(&c.topology_key) else {
            return Status::unresolvable(
                "node(s) didn't match pod topology spread constraints (missing required label)",
            );
        };
        let here = counts.get(place).copied().unwrap_or(0);
        if here + self_match - least > c.max_skew {
            return Status::unschedulable("node(s) didn't match pod topology spread constraints");
        }
    }
    Status::SUCCESS
}

/// What scoring computes once for each pod.
#[derive(Clone, Debug)]
pub struct ScoreState<'a> {
    constraints: Vec<SpreadConstraint>,
    require_all: bool,
    /// Pods in each domain. Not used for the hostname, for which each node is counted when it is scored.
    counts: Vec<BTreeMap<&'a str, i64>>,
    weights: Vec<f64>,
    memos: Vec<ClassMemo>,
}

/// The default constraints for a pod without its own: spread the pods of its Service or controller over
/// nodes and zones.
fn default_constraints(h: &Handle<'_>, pod: &PodInfo) -> Vec<SpreadConstraint> {
    let selectors = h.workloads.default_selectors(&pod.pod);
    if selectors.iter().all(|s| s.is_empty()) {
        return Vec::new();
    }
    vec![
        SpreadConstraint::system_default(LABEL_HOSTNAME, 3, selectors.clone()),
        SpreadConstraint::system_default(LABEL_ZONE, 5, selectors),
    ]
}

/// Counts pods in each domain of the feasible nodes; `None` if no constraint applies.
pub fn pre_score<'a>(h: &Handle<'a>, pod: &PodInfo, feasible: &[&'a Rc<NodeInfo>]) -> Option<ScoreState<'a>> {
    let own = pod.has_spread();
    let constraints = if own { pod.soft_spread.clone() } else { default_constraints(h, pod) };
    if constraints.is_empty() {
        return None;
    }
    // With the default constraints a node without a zone label still counts as a node.
    let require_all = own;
    let mut counts: Vec<BTreeMap<&'a str, i64>> = vec![BTreeMap::new(); constraints.len()];
    let mut taking_part = 0_usize;
    for node in feasible {
        if require_all && !has_all_keys(node, &constraints) {
            continue;
        }
        taking_part += 1;
        for (c, counts) in
            constraints.iter().zip(&mut counts).filter(|(c, _)| &*c.topology_key != LABEL_HOSTNAME)
        {
            counts.entry(place_of(c, node)).or_insert(0);
        }
    }
    let weights = constraints.iter().zip(&counts).map(|(c, counts)| {
        let places = if &*c.topology_key == LABEL_HOSTNAME { taking_part } else { counts.len() };
        det_math::ln(places as f64 + 2.0)
    });
    let weights = weights.collect();
    let mut memos = memos(h, &constraints, pod);
    // Domains without a feasible node are of no interest, but in the others the pods on all nodes count. Where no feasible
    // node has the label (most clusters have no zones), nothing is read of the counts.
    let read = |c: &SpreadConstraint| {
        &*c.topology_key != LABEL_HOSTNAME && feasible.iter().any(|n| n.place(&c.topology_key).is_some())
    };
    let read: Vec<bool> = constraints.iter().map(read).collect();
    if read.contains(&true) {
        for node in h.snapshot.nodes {
            if require_all && !has_all_keys(node, &constraints) {
                continue;
            }
            for (((c, counts), memo), read) in constraints.iter().zip(&mut counts).zip(&mut memos).zip(&read)
            {
                if *read
                    && let Some(n) = counts.get_mut(place_of(c, node))
                    && included(c, pod, node)
                {
                    *n += count(c, memo, pod, node);
                }
            }
        }
    }
    Some(ScoreState { constraints, require_all, counts, weights, memos })
}

fn place_of<'n>(c: &SpreadConstraint, node: &'n NodeInfo) -> &'n str {
    node.place(&c.topology_key).unwrap_or_default()
}

/// How many pods are in the node's domains, weighted; less is better. `None` for a node that is not counted.
pub fn score(state: &mut ScoreState<'_>, pod: &PodInfo, node: &NodeInfo) -> Option<i64> {
    if state.require_all && !has_all_keys(node, &state.constraints) {
        return None;
    }
    let mut score = 0.0;
    let per_constraint =
        state.constraints.iter().zip(&state.counts).zip(&state.weights).zip(&mut state.memos);
    for (((c, counts), weight), memo) in per_constraint {
        if let Some(place) = node.place(&c.topology_key) {
            let n = if &*c.topology_key == LABEL_HOSTNAME {
                count(c, memo, pod, node)
            } else {
                counts.get(place).copied().unwrap_or(0)
            };
            score += n as f64 * weight + (c.max_skew - 1) as f64;
        }
    }
    Some(score.round() as i64)
}

/// Reverses the raw scores, so that the emptiest domain gets 100. Nodes without a score get 0.
pub fn normalize(raw: &[Option<i64>]) -> Vec<i64> {
    let taking_part = || raw.iter().copied().flatten();
    let min = taking_part().min().unwrap_or(0);
    let max = taking_part().max().unwrap_or(0);
    let one = |r: &Option<i64>| match r {
        None => 0,
        Some(_) if max == 0 => MAX_NODE_SCORE,
        Some(s) => MAX_NODE_SCORE * (max + min - s) / max,
    };
    raw.iter().map(one).collect()
}

fn after_pod(asked: Asked<'_>, pod: Change<'_, Pod>) -> bool {
    let target = asked.pod;
    let itself = |p: &Pod| p.metadata.uid == target.pod.metadata.uid;
    let involved = |p: &Pod| itself(p) || (frees_node(p) && p.metadata.namespace() == target.namespace());
    if pod.old.into_iter().chain(pod.new).any(|p| !involved(p)) {
        return false;
    }
    let tolerations = |p: &Pod| p.spec.as_ref().and_then(|s| s.tolerations.clone()).unwrap_or_default();
    match (pod.old, pod.new) {
        (Some(old), Some(new)) => {
            let honours = target.hard_spread.iter().any(|c| c.honor_node_taints);
            (itself(new) && honours && tolerations(old) != tolerations(new))
                || target.hard_spread.iter().any(|c| {
                    c.matches(old.metadata.labels_or_empty()) != c.matches(new.metadata.labels_or_empty())
                })
        }
        (Some(one), None) | (None, Some(one)) => {
            target.hard_spread.iter().any(|c| c.matches(one.metadata.labels_or_empty()))
        }
        (None, None) => false,
    }
}

fn after_node(asked: Asked<'_>, node: Change<'_, Node>) -> bool {
    let constraints = &asked.pod.hard_spread;
    let place = |n: &Node, c: &SpreadConstraint| n.metadata.label(&c.topology_key).map(str::to_owned);
    let takes_part = |n: &Node| constraints.iter().all(|c| place(n, c).is_some());
    let taints =
        |n: &Node| -> Vec<Taint> { n.spec.as_ref().and_then(|s| s.taints.clone()).unwrap_or_default() };
    match (node.old, node.new) {
        (Some(old), Some(new)) => {
            let (before, now) = (takes_part(old), takes_part(new));
            let moved = || constraints.iter().any(|c| place(old, c) != place(new, c));
            before != now || (now && (moved() || taints(old) != taints(new)))
        }
        (Some(one), None) | (None, Some(one)) => takes_part(one),
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalised_scores_are_as_in_go() {
        let table: [(&[Option<i64>], &[i64]); 4] = [
            (&[Some(0), Some(0)], &[100, 100]),
            (&[Some(2), Some(4), Some(6)], &[100, 66, 33]),
            (&[Some(3), None], &[100, 0]),
            (&[], &[]),
        ];
        for (raw, want) in table {
            assert_eq!(normalize(raw), want, "{raw:?}");
        }
    }
}
