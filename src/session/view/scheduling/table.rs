//! The table of filters and scores: plugins are the rows, nodes the columns. Nodes about which every plugin says the same
//! are one column.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::{attempt, schedulers};
use crate::api::types::Pod;
use crate::api::{Kind, MetaExt, ObjectRef, order};
use crate::cluster::{Cluster, Search};
use crate::scheduler::default_preemption::Candidate;
use crate::scheduler::explain::{Explanation, NodeAnswers, Visit, explain};
use crate::scheduler::framework::PodInfo;
use crate::scheduler::runtime::PluginScores;
use crate::scheduler::scheduling_cycle;
use crate::session::view::Word;
use crate::session::{MomentId, Session};

/// The most names of nodes that a column has. Further ones are counted.
const NAMES: usize = 100;

/// The most actions that are taken until the next cycle of a pod begins.
const ACTIONS: usize = 500;

/// What the plugins say about a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchedulingTable {
    /// The plugin that refuses every node in PreFilter, and its reasons. There are no columns then.
    pub refused: Option<(Word, String)>,
    /// The plugins that filter, in the order in which they are asked.
    pub filters: Vec<Word>,
    /// The plugins that score, each with its weight. None of them is asked if fewer than two nodes fit.
    pub scores: Vec<(Word, i64)>,
    /// The columns: the chosen node, then those that fit, the best first, then those that do not.
    pub columns: Vec<Column>,
    /// How many columns are left out, and how many nodes these have.
    pub more: (usize, usize),
    /// The number of nodes, of those that fit, and of those that the search did not come to.
    pub nodes: (usize, usize, usize),
    /// The result.
    pub end: End,
}

/// The result of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// The pod gets the node with this name. The number says how many nodes have the same highest sum; chance decides
    /// between them. It is 1 if nothing was scored.
    Node(String, usize),
    /// The message of the pod's condition, and what is evicted for the pod.
    Nowhere(String, Option<Eviction>),
    /// A plugin could not decide, and this is its error.
    Failed(String),
    /// The scheduler would not look at the pod.
    #[default]
    Nothing,
}

/// The pods that are evicted so that a pod fits on a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Eviction {
    /// The node, to which the pod is nominated.
    pub node: String,
    /// The pods, each with its priority, the most important first.
    pub victims: Vec<(ObjectRef, i32)>,
    /// How many of the evictions violate a PodDisruptionBudget.
    pub violations: usize,
}

/// Nodes about which every plugin says the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// The first names of the nodes, sorted.
    pub names: Vec<String>,
    /// The number of nodes.
    pub count: usize,
    /// What became of the nodes in the search: `fits`, `refused`, `left-out` by PreFilter, or `not-visited`.
    pub visit: Word,
    /// For each filter, its reasons against the nodes; empty if it lets the pod in. The search ends with the first that
    /// has some; the further ones are what the filters would say. Of nodes that were not filtered there are none.
    pub filters: Vec<Vec<String>>,
    /// Whether the nodes are refused only because of pods that are nominated to them.
    pub for_nominated: bool,
    /// What each plugin that scores gives the nodes; empty if they are not scored.
    pub scores: Vec<Score>,
    /// The sum of scores times weights, if the nodes are scored.
    pub total: Option<i64>,
    /// Whether this is the node that the pod gets.
    pub chosen: bool,
}

/// What a plugin gives a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Score {
    /// On the plugin's own scale.
    pub raw: i64,
    /// From 0 to 100.
    pub normalized: i64,
}

/// The table of a pod with at most so many columns: of the attempt that led to a moment, or with `None` of an attempt at
/// the moment that is shown, before which the scheduler would be notified of everything. A pod that is on a node is then asked
/// about as if it were not. `None` if no scheduler is concerned with the pod, if the attempt is not found,
/// or if too many steps would have to be repeated to see it.
pub fn scheduling_table(
    session: &Session,
    pod: &ObjectRef,
    attempt: Option<MomentId>,
    columns: usize,
) -> Option<SchedulingTable> {
    match attempt {
        None => {
            let next = next_cycle(session.cluster(), pod);
            next.and_then(|c| table_in(&c, pod, columns))
                .or_else(|| table_in(session.cluster(), pod, columns))
        }
        Some(moment) => table_in(&attempt::before_cycle(session, pod, moment)?, pod, columns),
    }
}

fn table_in(cluster: &Cluster, object: &ObjectRef, columns: usize) -> Option<SchedulingTable> {
    if object.kind != Kind::POD {
        return None;
    }
    let (_, state, process) = schedulers(cluster).next()?;
    let pod = process.caches.get::<Pod>(&object.key)?;
    Some(table(&explain(state, &process.caches, pod, &object.key, cluster.now()), columns))
}

/// The cluster when the next cycle of a pod begins, if the scheduler goes first: before that it is notified of everything and
/// schedules the pods before this one. If these are too many, the cluster as soon as the scheduler has been notified of the
/// pod. `None` if neither is to come.
fn next_cycle(cluster: &Cluster, pod: &ObjectRef) -> Option<Cluster> {
    let (actor, ..) = schedulers(cluster).find(|(_, _, process)| process.running)?;
    let mut queued = None;
    let (mut search, mut ahead) = (Search::new(Some(actor)), cluster.clone());
    let mut had = attempt::attempts(cluster, pod);
    let known = had.is_some();
    for _ in 0..ACTIONS {
        let before = ahead.clone();
        let ended = search.advance(&mut ahead, 1);
        let has = attempt::attempts(&ahead, pod);
        if had.is_some() && had != has {
            return Some(before);
        }
        if has.is_some() && !known && queued.is_none() {
            queued = Some(ahead.clone());
        }
        had = has;
        match ended {
            None => {}
            // It was another pod's turn.
            Some(Ok(_)) => search = Search::new(Some(actor)),
            Some(Err(_)) => break,
        }
    }
    queued
}

/// What has to be the same for nodes to be one column, in the order of the columns.
type Same = (bool, Reverse<Option<i64>>, u8, Vec<Vec<String>>, bool, Vec<Score>);

fn table(e: &Explanation, columns: usize) -> SchedulingTable {
    let mut groups: BTreeMap<Same, Vec<&str>> = BTreeMap::new();
    let chosen = match &e.end {
        scheduling_cycle::End::Node(name) => Some(&**name),
        _ => None,
    };
    let places: BTreeMap<&str, usize> =
        order::gather(e.scores.nodes.iter().enumerate().map(|(i, name)| (&**name, i)));
    for n in &e.nodes {
        let place = places.get(&*n.node).copied();
        let total = place.and_then(|i| e.scores.totals.get(i).copied());
        let score = |i: usize| {
            let of =
                |p: &PluginScores| Some(Score { raw: *p.raw.get(i)?, normalized: *p.normalized.get(i)? });
            e.scores.plugins.iter().filter_map(of).collect::<Vec<Score>>()
        };
        let scores = place.map(score).unwrap_or_default();
        let is_chosen = chosen == Some(&*n.node);
        let rank = VISITS.iter().position(|(v, _)| *v == n.visit).unwrap_or(VISITS.len());
        let rank = u8::try_from(rank).unwrap_or(u8::MAX);
        let same = (!is_chosen, Reverse(total), rank, reasons(e, n), n.for_nominated, scores);
        groups.entry(same).or_default().push(&n.node);
    }
    let hidden = groups.len().saturating_sub(columns);
    let left_out = groups.values().skip(columns).map(Vec::len).sum();
    let count = |visit| e.nodes.iter().filter(|n| n.visit == visit).count();
    let best = e.scores.totals.iter().max();
    let ties = e.scores.totals.iter().filter(|t| Some(*t) == best).count();
    SchedulingTable {
        refused: e.refused.as_ref().map(|(plugin, status)| (Word::new_static(plugin), status.message())),
        filters: e.filters.iter().map(|f| Word::new_static(f)).collect(),
        scores: e.scores.plugins.iter().map(|p| (Word::new_static(p.plugin), p.weight)).collect(),
        columns: groups.into_iter().take(columns).map(column).collect(),
        more: (hidden, left_out),
        nodes: (e.nodes.len(), count(Visit::Fits), count(Visit::NotVisited)),
        end: match &e.end {
            scheduling_cycle::End::Node(name) => End::Node(name.to_string(), ties.max(1)),
            scheduling_cycle::End::Nowhere(message, post) => {
                End::Nowhere(message.clone(), post.candidate.as_ref().map(eviction))
            }
            scheduling_cycle::End::Failed(message) => End::Failed(message.clone()),
        },
    }
}

const VISITS: [(Visit, &str); 4] = [
    (Visit::Fits, "fits"),
    (Visit::Refused, "refused"),
    (Visit::LeftOut, "left-out"),
    (Visit::NotVisited, "not-visited"),
];

fn column((same, names): (Same, Vec<&str>)) -> Column {
    let (others, Reverse(total), rank, filters, for_nominated, scores) = same;
    let visit = VISITS.get(usize::from(rank)).map_or("not-visited", |(_, word)| word);
    Column {
        count: names.len(),
        names: names.into_iter().take(NAMES).map(str::to_owned).collect(),
        visit: Word::new_static(visit),
        filters,
        for_nominated,
        scores,
        total,
        chosen: !others,
    }
}

/// The reasons of each filter against a node.
fn reasons(e: &Explanation, n: &NodeAnswers) -> Vec<Vec<String>> {
    match n.visit {
        Visit::Fits => vec![Vec::new(); e.filters.len()],
        Visit::Refused => {
            let all = n.filters.iter().map(|v| v.status.reasons.iter().map(ToString::to_string).collect());
            all.collect()
        }
        Visit::LeftOut | Visit::NotVisited => Vec::new(),
    }
}

fn eviction(c: &Candidate) -> Eviction {
    let victim = |p: &Rc<PodInfo>| (ObjectRef { kind: Kind::POD, key: p.pod.metadata.key() }, p.priority);
    Eviction {
        node: c.node.to_string(),
        victims: c.victims.iter().map(victim).collect(),
        violations: c.pdb_violations,
    }
}
