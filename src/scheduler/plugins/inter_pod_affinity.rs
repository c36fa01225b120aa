//! `InterPodAffinity`: pod affinity and anti-affinity.

use std::collections::BTreeMap;

use crate::api::types::{Node, Pod};
use crate::api::{Kind, MetaExt};
use crate::scheduler::framework::{
    Actions, AffinityTerm, Asked, Change, ClassMemo, EventResource, Handle, Hint, Memo, NodeInfo, PodClass,
    PodInfo, Registered, Status, WeightedAffinityTerm, frees_node, required_anti_affinity,
};

/// The plugin's name.
pub const NAME: &str = "InterPodAffinity";

/// The events that may let a pod be scheduled which the plugin refused.
pub const EVENTS: &[Registered] = &[
    Registered {
        resource: EventResource::Pod,
        actions: Actions::ADD.or(Actions::UPDATE_POD_LABEL).or(Actions::DELETE),
        hint: Hint::Pod(after_pod),
    },
    Registered {
        resource: EventResource::Of(Kind::NODE),
        actions: Actions::ADD.or(Actions::UPDATE_NODE_LABEL),
        hint: Hint::Node(after_node),
    },
];

const MAX_NODE_SCORE: i64 = 100;
/// The weight of an existing pod's required affinity that matches the incoming pod
/// (`hardPodAffinityWeight`).
const HARD_POD_AFFINITY_WEIGHT: i64 = 1;

/// Numbers of pods by topology key and value.
type Counts<'a> = BTreeMap<(&'a str, &'a str), i64>;

/// What PreFilter counts.
#[derive(Clone, Debug, Default)]
pub struct State<'a> {
    /// Existing pods whose required anti-affinity matches the incoming pod.
    existing_anti: Counts<'a>,
    /// Existing pods that the incoming pod's required affinity matches.
    affinity: Counts<'a>,
    /// Existing pods that the incoming pod's required anti-affinity matches.
    anti: Counts<'a>,
}

fn change<'a>(counts: &mut Counts<'a>, term: &'a AffinityTerm, node: &'a NodeInfo, by: i64) {
    if let Some(value) = node.place(&term.topology_key) {
        let pair = (&*term.topology_key, value);
        let n = counts.entry(pair).or_insert(0);
        *n += by;
        if *n == 0 {
            counts.remove(&pair);
        }
    }
}

/// Counts the pods; `None` if neither the incoming pod nor any existing pod has a term that applies.
pub fn pre_filter<'a>(h: &Handle<'a>, pod: &'a PodInfo) -> Option<State<'a>> {
    let mut s = State::default();
    // Pods of one template have equal terms, so there are few different terms.
    let mut memo = Memo::default();
    for node in h.snapshot.nodes {
        for existing in node.pods_with_required_anti_affinity() {
            for term in &existing.required_anti_affinity {
                if memo.get(term.id, || term.matches_class(&pod.class, h.namespaces)) {
                    change(&mut s.existing_anti, term, node, 1);
                }
            }
        }
    }
    if !pod.required_affinity.is_empty() {
        // A pod counts only if all terms match it.
        let all = |c: &PodClass| pod.required_affinity.iter().all(|t| t.matches_class(c, h.namespaces));
        let mut memo = ClassMemo::new(h, all);
        for node in h.snapshot.nodes {
            memo.on_node(node, all, |k| {
                for term in &pod.required_affinity {
                    change(&mut s.affinity, term, node, k.total);
                }
            });
        }
    }
    for term in &pod.required_anti_affinity {
        let means = |c: &PodClass| term.matches_class(c, h.namespaces);
        let mut memo = ClassMemo::new(h, means);
        for node in h.snapshot.nodes {
            memo.on_node(node, means, |k| change(&mut s.anti, term, node, k.total));
        }
    }
    let indifferent = pod.required_affinity.is_empty() && pod.required_anti_affinity.is_empty();
    if indifferent && s.existing_anti.is_empty() { None } else { Some(s) }
}

impl<'a> State<'a> {
    /// Adds (1) or removes (-1) another pod on a node in the counts.
    pub fn update_with_pod(
        &mut self,
        h: &Handle<'a>,
        pod: &'a PodInfo,
        other: &'a PodInfo,
        node: &'a NodeInfo,
        delta: i64,
    ) {
        for term in &other.required_anti_affinity {
            if term.matches_class(&pod.class, h.namespaces) {
                change(&mut self.existing_anti, term, node, delta);
            }
        }
        let means = |t: &AffinityTerm| t.matches_class(&other.class, h.namespaces);
        if !pod.required_affinity.is_empty() && pod.required_affinity.iter().all(means) {
            for term in &pod.required_affinity {
                change(&mut self.affinity, term, node, delta);
            }
        }
        for term in pod.required_anti_affinity.iter().filter(|t| means(t)) {
            change(&mut self.anti, term, node, delta);
        }
    }
}

fn satisfies_affinity(h: &Handle<'_>, state: &State<'_>, pod: &PodInfo, node: &NodeInfo) -> bool {
    let mut found = true;
    for term in &pod.required_affinity {
        let Some(value) = node.place(&term.topology_key) else { return false };
        found &= state.affinity.get(&(&*term.topology_key, value)).is_some_and(|n| *n > 0);
    }
    // The first pod of a group whose pods require each other may run anywhere.
    found
        || (state.affinity.is_empty()
            && pod.required_affinity.iter().all(|t| t.matches_class(&pod.class, h.namespaces)))
}

fn crowded(counts: &Counts<'_>, key: &str, value: &str) -> bool {
    counts.get(&(key, value)).is_some_and(|n| *n > 0)
}

/// Refuses nodes by the required affinity and anti-affinity of this pod and of existing pods.
pub fn filter(h: &Handle<'_>, state: &State<'_>, pod: &PodInfo, node: &NodeInfo) -> Status {
    if !satisfies_affinity(h, state, pod, node) {
        return Status::unresolvable("node(s) didn't match pod affinity rules");
    }
    let mut anti = pod
        .required_anti_affinity
        .iter()
        .filter_map(|t| Some((&*t.topology_key, node.place(&t.topology_key)?)));
    if anti.any(|(key, value)| crowded(&state.anti, key, value)) {
        return Status::unschedulable("node(s) didn't match pod anti-affinity rules");
    }
    if !state.existing_anti.is_empty()
        && node.labels().iter().any(|(k, v)| crowded(&state.existing_anti, k, v))
    {
        return Status::unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");
    }
    Status::SUCCESS
}

/// The sum of weights by topology key and value.
#[derive(Clone, Debug)]
pub struct ScoreState<'a>(BTreeMap<&'a str, BTreeMap<&'a str, i64>>);

/// Adds up the weights of all preferred terms; `None` if no term applies.
pub fn pre_score<'a>(h: &Handle<'a>, pod: &'a PodInfo) -> Option<ScoreState<'a>> {
    let mut worth: BTreeMap<&'a str, BTreeMap<&'a str, i64>> = BTreeMap::new();
    let mut add = |term: &'a AffinityTerm, node: &'a NodeInfo, weight: i64| {
        if let Some(value) = node.place(&term.topology_key) {
            *worth.entry(&*term.topology_key).or_default().entry(value).or_insert(0) += weight;
        }
    };
    let own = |terms: &'a [WeightedAffinityTerm], sign: i64| terms.iter().map(move |t| (t, sign));
    for (t, sign) in own(&pod.preferred_affinity, 1).chain(own(&pod.preferred_anti_affinity, -1)) {
        let means = |c: &PodClass| t.term.matches_class(c, h.namespaces);
        let mut memo = ClassMemo::new(h, means);
        for node in h.snapshot.nodes {
            memo.on_node(node, means, |k| add(&t.term, node, sign * t.weight * k.total));
        }
    }
    let mut memo = Memo::default();
    for node in h.snapshot.nodes {
        for existing in node.pods_with_affinity() {
            let mut means = |t: &AffinityTerm| memo.get(t.id, || t.matches_class(&pod.class, h.namespaces));
            for term in existing.required_affinity.iter().filter(|t| means(t)) {
                add(term, node, HARD_POD_AFFINITY_WEIGHT);
            }
            for t in existing.preferred_affinity.iter().filter(|t| means(&t.term)) {
                add(&t.term, node, t.weight);
            }
            for t in existing.preferred_anti_affinity.iter().filter(|t| means(&t.term)) {
                add(&t.term, node, -t.weight);
            }
        }
    }
    (!worth.is_empty()).then_some(ScoreState(worth))
}

/// The sum of the weights of the node's topology values.
pub fn score(state: &ScoreState<'_>, node: &NodeInfo) -> i64 {
    let places = state.0.iter().filter_map(|(key, values)| values.get(node.place(key)?));
    places.sum()
}

/// Scales the scores to 0 to 100; all are 0 if they are equal.
pub fn normalize(raw: &[i64]) -> Vec<i64> {
    let (min, max) = (raw.iter().copied().min().unwrap_or(0), raw.iter().copied().max().unwrap_or(0));
    let range = max - min;
    let one = |s: &i64| {
        if range > 0 { (MAX_NODE_SCORE as f64 * ((s - min) as f64 / range as f64)) as i64 } else { 0 }
    };
    raw.iter().map(one).collect()
}

fn after_pod(asked: Asked<'_>, pod: Change<'_, Pod>) -> bool {
    // Of an update of the pod itself only its labels are listened to. Others may have kept away from the labels it had.
    if pod.old.is_some() && pod.new.is_some_and(|p| p.metadata.uid == asked.pod.pod.metadata.uid) {
        return true;
    }
    if pod.old.into_iter().chain(pod.new).any(|p| !frees_node(p)) {
        return false;
    }
    // Nothing is matched by no terms.
    let all = |terms: &[AffinityTerm], p: &Pod| {
        let (namespace, labels) = (p.metadata.namespace(), p.metadata.labels_or_empty());
        !terms.is_empty() && terms.iter().all(|t| t.matches(namespace, labels, asked.namespaces))
    };
    let near = |p: &Pod| all(&asked.pod.required_affinity, p);
    let apart = |p: &Pod| all(&asked.pod.required_anti_affinity, p);
    // Whether all terms of the other pod match the pod that waits, so that it may have been kept away by them.
    let kept_away = |p: &Pod| all(&required_anti_affinity(p), &asked.pod.pod);
    match (pod.old, pod.new) {
        (Some(old), Some(new)) => (!near(old) && near(new)) || (apart(old) && !apart(new)),
        (None, Some(new)) => near(new),
        (Some(old), None) => apart(old) || kept_away(old),
        (None, None) => false,
    }
}

fn after_node(asked: Asked<'_>, node: Change<'_, Node>) -> bool {
    let Some(new) = node.new else { return false };
    // The value of the topology key before, if there was a node, and after.
    let place = |n: &Node, t: &AffinityTerm| n.metadata.label(&t.topology_key).map(str::to_owned);
    let values = |t: &AffinityTerm| (node.old.map(|n| place(n, t)), place(new, t));
    let nearer = asked.pod.required_affinity.iter().any(|t| match values(t) {
        (None, now) => now.is_some(),
        (Some(before), now) => now.is_some() && before != now,
    });
    nearer
        || asked.pod.required_anti_affinity.iter().any(|t| match values(t) {
            // A new node may be in a domain without such pods, or in none.
            (None, _) => true,
            (Some(before), now) => before.is_some() && before != now,
        })
}
