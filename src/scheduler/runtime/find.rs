//! Which nodes fit, and the message when none does (`findNodesThatFitPod`, `FitError`).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::cycle::{CycleState, filter_node, pre_filter};
use crate::api::order;
use crate::scheduler::framework::{Code, Handle, NodeInfo, PerNodeVerdict, PodInfo, Reason, Status};
use crate::scheduler::plugins::node_affinity;

/// With fewer nodes than this all of them are filtered. With more, the search goes on at least until this
/// many fit.
const MIN_FEASIBLE_NODES: usize = 100;
/// The smallest percentage of nodes that must fit before the search ends in a large cluster.
const MIN_FEASIBLE_PERCENTAGE: usize = 5;

/// The number of fitting nodes after which the search ends (`numFeasibleNodesToFind`). `percentage` is the
/// profile's `percentageOfNodesToScore`; with 0, the default, it falls from 50 to 5 as the number of nodes
/// grows.
pub fn num_feasible_nodes_to_find(percentage: usize, nodes: usize) -> usize {
    if nodes < MIN_FEASIBLE_NODES {
        return nodes;
    }
    let percentage = match percentage {
        0 => 50_usize.saturating_sub(nodes / 125).max(MIN_FEASIBLE_PERCENTAGE),
        p => p,
    };
    (nodes.saturating_mul(percentage) / 100).max(MIN_FEASIBLE_NODES).min(nodes)
}

/// Arguments of a search that the scheduler keeps between pods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FindArgs {
    /// `percentageOfNodesToScore`; 0 chooses it by the number of nodes.
    pub percentage: usize,
    /// Index of the node to begin with (`nextStartNodeIndex`), so that every node gets its turn.
    pub start: usize,
}

/// Why nodes were refused (`framework.Diagnosis`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnosis {
    /// The nodes that were filtered and refused, in the order in which they were visited.
    pub verdicts: Vec<(Rc<str>, PerNodeVerdict)>,
    /// The status that counts for nodes that were not filtered.
    pub absent: Status,
    /// The plugin that refused every node in PreFilter, and its status; `None` if none did.
    pub pre_filter: Option<(&'static str, Status)>,
    /// Whether PreFilter reached the plugin `DynamicResources`.
    pub dynamic_resources: bool,
    /// The plugin that failed, and its status; `None` if none did. The outcome is then an error, not a
    /// refusal.
    pub error: Option<(&'static str, Status)>,
    /// Where the plugin failed.
    pub failed_in: Extension,
}

/// Where the plugins are called of which a search consists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extension {
    /// Before the nodes are filtered.
    #[default]
    PreFilter,
    /// For each node.
    Filter,
}

impl Diagnosis {
    /// The status of a node; [`Diagnosis::absent`] if it was not filtered.
    pub fn status_of(&self, node: &str) -> &Status {
        self.verdicts.iter().find(|(name, _)| &**name == node).map_or(&self.absent, |(_, v)| &v.status)
    }

    /// The error of the plugin that failed, as `schedulePod` returns it; `None` if none failed.
    pub fn failure(&self) -> Option<String> {
        let (plugin, status) = self.error.as_ref()?;
        let text = status.message();
        Some(match self.failed_in {
            Extension::PreFilter => format!("running PreFilter plugin {plugin:?}: {text}"),
            Extension::Filter => format!("running {plugin:?} filter plugin: {text}"),
        })
    }

    /// The plugins that refused a node, each once (`UnschedulablePlugins`). The queue keeps them with the
    /// pod.
    pub fn unschedulable_plugins(&self) -> Vec<&'static str> {
        let first = self.pre_filter.iter().map(|(plugin, _)| *plugin);
        let names = first.chain(self.verdicts.iter().map(|(_, v)| v.plugin));
        let names: std::collections::BTreeSet<_> = order::gather(names);
        names.into_iter().collect()
    }
}

/// The outcome of a search for nodes.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    /// The state of the cycle, with which scoring and preemption continue.
    pub state: CycleState<'a>,
    /// The nodes that fit, in the order they were found.
    pub nodes: Vec<&'a Rc<NodeInfo>>,
    /// Why the other nodes do not fit.
    pub diagnosis: Diagnosis,
    /// Index of the node with which the next search begins.
    pub next_start: usize,
    /// How many nodes were filtered, fitting or not.
    pub evaluated: usize,
}

/// Searches for enough nodes that fit the pod. A node that the pod is nominated to is tried first; if it
/// fits, no other is looked at.
pub fn find_nodes_that_fit<'a>(h: &Handle<'a>, pod: &'a PodInfo, args: FindArgs) -> Found<'a> {
    let pre = pre_filter(h, pod);
    let mut found = Found {
        diagnosis: Diagnosis {
            absent: Status { code: Code::UnschedulableAndUnresolvable, reasons: Vec::new() },
            dynamic_resources: pre.state.dynamic_resources,
            ..Diagnosis::default()
        },
        state: pre.state,
        nodes: Vec::new(),
        next_start: args.start,
        evaluated: 0,
    };
    if let Some((plugin, status)) = pre.refused {
        if status.is_rejected() {
            found.diagnosis.absent = status.clone();
            found.diagnosis.pre_filter = Some((plugin, status));
        } else {
            found.diagnosis.error = Some((plugin, status));
        }
        return found;
    }
    let promised = pod.pod.status.as_ref().and_then(|s| s.nominated_node_name.as_deref()).unwrap_or_default();
    if let Some(node) = h.snapshot.get(promised).filter(|_| !promised.is_empty())
        && pre.node_names.as_ref().is_none_or(|names| names.contains(promised))
        && filter_changed_with_nominated(h, &found.state, node, node).fits()
    {
        found.nodes.push(node);
        found.evaluated = 1;
        return found;
    }
    let all = h.snapshot.nodes;
    let named: Option<Vec<&'a Rc<NodeInfo>>> = pre.node_names.as_ref().map(|names| {
        let message = format!("node(s) didn't satisfy plugin(s) [{}]", node_affinity::NAME);
        found.diagnosis.absent = Status::unresolvable(message);
        all.iter().filter(|n| names.contains(&**n.name())).collect()
    });
    let count = named.as_ref().map_or(all.len(), Vec::len);
    let start = args.start.checked_rem(count).unwrap_or(0);
    let turn = (start..count).chain(0..start);
    let visit = turn.filter_map(|i| match &named {
        Some(named) => named.get(i).copied(),
        None => all.get(i),
    });
    let enough = num_feasible_nodes_to_find(args.percentage, count);
    for node in visit {
        if found.nodes.len() >= enough {
            break;
        }
        found.evaluated += 1;
        let verdict = filter_changed_with_nominated(h, &found.state, node, node);
        if verdict.fits() {
            found.nodes.push(node);
        } else if verdict.status.code == Code::Error {
            found.diagnosis.failed_in = Extension::Filter;
            found.diagnosis.error = Some((verdict.plugin, verdict.status));
            return found;
        } else {
            found.diagnosis.verdicts.push((node.name().clone(), verdict));
        }
    }
    if !all.is_empty() {
        found.next_start = (args.start + found.evaluated) % all.len();
    }
    found
}

/// Runs the filters for one node twice: with the pods nominated to it that are at least as important, and
/// without them. The pod must fit both times (`RunFilterPluginsWithNominatedPods`). `changed` is the node
/// with the pods that preemption has removed or put back; `node` is the node as it is.
pub(crate) fn filter_changed_with_nominated<'a>(
    h: &Handle<'a>,
    state: &CycleState<'a>,
    node: &'a Rc<NodeInfo>,
    changed: &NodeInfo,
) -> PerNodeVerdict {
    if !h.nominated.none_nominated() {
        let nominated = h.nominated.nominated_on(node.name());
        let mut others = nominated
            .iter()
            .filter(|p| p.priority >= state.pod.priority && p.key != state.pod.key)
            .peekable();
        if others.peek().is_some() {
            let (mut state, mut with) = (state.clone(), changed.clone());
            for other in others {
                with.add_pod(other.clone());
                state.update_with_pod(h, other, node, 1);
            }
            let verdict = filter_node(h, &state, &with);
            if !verdict.fits() {
                return verdict;
            }
        }
    }
    filter_node(h, state, changed)
}

/// Counts how often each reason occurs over the nodes: `1 node(s) were unschedulable, 2 Insufficient cpu`.
pub(crate) fn histogram<'s>(
    nodes: usize,
    statuses: impl Iterator<Item = &'s Status>,
    absent: &Status,
) -> String {
    let mut counts: BTreeMap<&Reason, usize> = BTreeMap::new();
    let mut seen = 0;
    for status in statuses {
        seen += 1;
        for reason in &status.reasons {
            *counts.entry(reason).or_insert(0) += 1;
        }
    }
    if seen < nodes {
        for reason in &absent.reasons {
            *counts.entry(reason).or_insert(0) += nodes - seen;
        }
    }
    // Sorted as text, number first, as Kubernetes does: 10 comes before 2.
    let mut lines: Vec<String> = counts.into_iter().map(|(reason, n)| format!("{n} {reason}")).collect();
    order::sort(&mut lines);
    lines.join(", ")
}

/// `FitError.Error()`: the text of the pod's `PodScheduled` condition and of its event.
pub fn fit_error_message(nodes: usize, diagnosis: &Diagnosis, post_filter_msg: &str) -> String {
    let reasons = match &diagnosis.pre_filter {
        Some((_, status)) if !status.reasons.is_empty() => status.message(),
        _ => histogram(nodes, diagnosis.verdicts.iter().map(|(_, v)| &v.status), &diagnosis.absent),
    };
    fit_error_text(nodes, &reasons, post_filter_msg)
}

pub(crate) fn fit_error_text(nodes: usize, reasons: &str, post_filter_msg: &str) -> String {
    let mut text = format!("0/{nodes} nodes are available:");
    if !reasons.is_empty() {
        text.push(' ');
        text.push_str(reasons);
        text.push('.');
    }
    if !post_filter_msg.is_empty() {
        text.push(' ');
        text.push_str(post_filter_msg);
    }
    text
}
