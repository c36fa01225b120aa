//! `DefaultPreemption`: which pods to evict so that a pod of higher priority fits
//! (`pkg/scheduler/framework/preemption`, `plugins/defaultpreemption`).

use std::rc::Rc;

use crate::api::labels::Selector;
use crate::api::order;
use crate::api::types::PodDisruptionBudget;
use crate::api::types::resource::ResourceClaim;
use crate::api::{MetaExt, Timestamp};
use crate::scheduler::framework::{Code, Handle, NodeInfo, PodInfo, Status};
use crate::scheduler::plugins::dynamic_resources;
use crate::scheduler::runtime::{
    CycleState, Found, filter_changed_with_nominated, fit_error_text, histogram,
};

/// The smallest percentage of nodes on which preemption is tried (`minCandidateNodesPercentage`).
const MIN_CANDIDATE_PERCENTAGE: usize = 10;
/// The smallest number of nodes on which preemption is tried (`minCandidateNodesAbsolute`).
const MIN_CANDIDATES: usize = 100;

/// A node, and the pods to evict from it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The node's name.
    pub node: Rc<str>,
    /// The pods to evict, the most important first. There is at least one.
    pub victims: Vec<Rc<PodInfo>>,
    /// How many of these evictions violate a PodDisruptionBudget.
    pub pdb_violations: usize,
}

/// The outcome of PostFilter for a pod that fits on no node.
#[derive(Clone, Debug, Default)]
pub struct PostFiltered {
    /// The last part of the message; empty if preemption makes room.
    pub message: String,
    /// The node to nominate the pod to, and its victims; `None` if preemption does not help.
    pub candidate: Option<Candidate>,
    /// Whether `status.nominatedNodeName` of the pod has to be cleared.
    pub clear_nomination: bool,
    /// A claim that is to give its devices back.
    pub deallocate: Option<Rc<ResourceClaim>>,
}

/// Runs PostFilter of all plugins (`RunPostFilterPlugins`): `DynamicResources`, then preemption. `random`
/// chooses the first node to try.
pub fn post_filter(
    h: &Handle<'_>,
    found: &Found<'_>,
    pdbs: &[Rc<PodDisruptionBudget>],
    random: u64,
) -> PostFiltered {
    let state = (found.state.devices.as_ref(), found.diagnosis.dynamic_resources);
    let dra = dynamic_resources::post_filter(h, found.state.pod, state, &found.diagnosis.verdicts);
    if dra.status.code == Code::Error {
        return PostFiltered { message: dra.status.message(), ..PostFiltered::default() };
    }
    let mut out = preempt(h, found, pdbs, random);
    if out.candidate.is_none() {
        out.message = format!("{}, preemption: {}", dra.status.message(), out.message);
    }
    out.deallocate = dra.deallocate;
    out
}

/// Searches for the node on which preemption does the least harm (`Evaluator.Preempt`). The message does not
/// have the plugin's prefix yet.
pub fn preempt(
    h: &Handle<'_>,
    found: &Found<'_>,
    pdbs: &[Rc<PodDisruptionBudget>],
    random: u64,
) -> PostFiltered {
    let pod = found.state.pod;
    if let Some(message) = not_eligible(h, pod, found) {
        return PostFiltered { message: message.to_owned(), ..PostFiltered::default() };
    }
    let (candidates, statuses) = dry_run_preemption(h, found, pdbs, random);
    if let Some(best) = select_candidate(&candidates) {
        return PostFiltered { candidate: Some(best.clone()), ..PostFiltered::default() };
    }
    let absent = Status::unresolvable("Preemption is not helpful for scheduling");
    let nodes = h.snapshot.nodes.len();
    let reasons = histogram(nodes, statuses.iter().map(|(_, s)| s), &absent);
    PostFiltered {
        message: fit_error_text(nodes, &reasons, ""),
        candidate: None,
        clear_nomination: true,
        deallocate: None,
    }
}

/// Why the pod may not preempt others; `None` if it may (`PodEligibleToPreemptOthers`).
fn not_eligible(h: &Handle<'_>, pod: &PodInfo, found: &Found<'_>) -> Option<&'static str> {
    if pod.pod.spec.as_ref().and_then(|s| s.preemption_policy.as_deref()) == Some("Never") {
        return Some("not eligible due to preemptionPolicy=Never.");
    }
    let promised = pod.pod.status.as_ref()?.nominated_node_name.as_deref().filter(|n| !n.is_empty())?;
    if found.diagnosis.status_of(promised).code == Code::UnschedulableAndUnresolvable {
        return None;
    }
    let node = h.snapshot.get(promised)?;
    let waits = node.pods().any(|p| p.priority < pod.priority && terminating_by_preemption(p));
    waits.then_some("not eligible due to a terminating pod on the nominated node.")
}

fn terminating_by_preemption(pod: &PodInfo) -> bool {
    let conditions = pod.pod.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    pod.is_terminating()
        && conditions
            .iter()
            .find(|c| c.type_ == "DisruptionTarget")
            .is_some_and(|c| c.status == "True" && c.reason.as_deref() == Some("PreemptionByScheduler"))
}

/// Tries preemption on every node that refused the pod for a reason that evictions may remove. Returns the
/// candidates, those that violate no budget first, and the reasons of the other nodes.
pub fn dry_run_preemption(
    h: &Handle<'_>,
    found: &Found<'_>,
    pdbs: &[Rc<PodDisruptionBudget>],
    random: u64,
) -> (Vec<Candidate>, Vec<(Rc<str>, Status)>) {
    let refused = found.diagnosis.verdicts.iter().filter(|(_, v)| v.status.code == Code::Unschedulable);
    let nodes: Vec<_> = refused.filter_map(|(name, _)| h.snapshot.get(name)).collect();
    let (mut safe, mut harmful, mut statuses) = (Vec::new(), Vec::new(), Vec::new());
    if nodes.is_empty() {
        return (safe, statuses);
    }
    let enough = (nodes.len() * MIN_CANDIDATE_PERCENTAGE / 100).max(MIN_CANDIDATES).min(nodes.len());
    let offset = usize::try_from(random % nodes.len() as u64).unwrap_or(0);
    for node in nodes.iter().cycle().skip(offset).take(nodes.len()) {
        match select_victims_on_node(h, &found.state, node, pdbs) {
            Ok((victims, pdb_violations)) => {
                let candidate = Candidate { node: node.name().clone(), victims, pdb_violations };
                if pdb_violations == 0 { &mut safe } else { &mut harmful }.push(candidate);
            }
            Err(status) => statuses.push((node.name().clone(), status)),
        }
        if !safe.is_empty() && safe.len() + harmful.len() >= enough {
            break;
        }
    }
    safe.append(&mut harmful);
    (safe, statuses)
}

/// Sort key, the more important pod first: by priority, then by the earlier start (`MoreImportantPod`).
fn importance(pod: &PodInfo) -> (std::cmp::Reverse<i32>, (bool, Option<Timestamp>)) {
    let start = pod.start_time();
    // A pod that has not started counts as starting now, so it comes last.
    (std::cmp::Reverse(pod.priority), (start.is_none(), start))
}

/// The smallest set of less important pods whose eviction makes room for the pod, and the number of budgets
/// that this violates (`SelectVictimsOnNode`).
///
/// # Errors
/// Why evictions do not help on this node.
pub fn select_victims_on_node<'a>(
    h: &Handle<'a>,
    state: &CycleState<'a>,
    node: &'a Rc<NodeInfo>,
    pdbs: &[Rc<PodDisruptionBudget>],
) -> Result<(Vec<Rc<PodInfo>>, usize), Status> {
    // A pod that finds no room is mostly no more important than those that have it.
    if !node.has_less_important_pods(state.pod.priority) {
        return Err(Status::unresolvable("No preemption victims found for incoming pod"));
    }
    let mut potential: Vec<&'a Rc<PodInfo>> =
        node.pods().filter(|p| p.priority < state.pod.priority).collect();
    let mut state = state.clone();
    let mut changed = NodeInfo::clone(node);
    for p in &potential {
        changed.remove_pod(&p.key);
        state.update_with_pod(h, p, node, -1);
    }
    let verdict = filter_changed_with_nominated(h, &state, node, &changed);
    if !verdict.fits() {
        return Err(verdict.status);
    }
    order::sort_by_key(&mut potential, |p| importance(p));
    let (protected, free) = split_by_pdb(&potential, pdbs);
    let mut victims = Vec::new();
    let mut violations = 0;
    // Put pods back as long as the pod still fits: those that a budget protects first, each group by
    // importance.
    for (p, is_protected) in protected.iter().map(|p| (*p, true)).chain(free.iter().map(|p| (*p, false))) {
        changed.add_pod(p.clone());
        state.update_with_pod(h, p, node, 1);
        if !filter_changed_with_nominated(h, &state, node, &changed).fits() {
            changed.remove_pod(&p.key);
            state.update_with_pod(h, p, node, -1);
            victims.push(p.clone());
            violations += usize::from(is_protected);
        }
    }
    if victims.is_empty() {
        return Err(Status::error(format!("expected at least one victim pod on node {:?}", node.name())));
    }
    order::sort_by_key(&mut victims, |p| importance(p));
    Ok((victims, violations))
}

type Pods<'a> = Vec<&'a Rc<PodInfo>>;

/// Splits pods into those whose eviction would violate a budget and the others; both keep their order.
fn split_by_pdb<'a>(pods: &[&'a Rc<PodInfo>], pdbs: &[Rc<PodDisruptionBudget>]) -> (Pods<'a>, Pods<'a>) {
    let mut budgets: Vec<(&PodDisruptionBudget, Selector, i32)> = Vec::new();
    for pdb in pdbs {
        let selector = pdb.spec.as_ref().and_then(|s| s.selector.as_ref());
        // A budget without a selector, or with an empty one, protects no pod.
        if let Ok(selector) = Selector::from_label_selector(selector)
            && !selector.is_empty()
        {
            let allowed = pdb.status.as_ref().and_then(|s| s.disruptions_allowed).unwrap_or(0);
            budgets.push((pdb, selector, allowed));
        }
    }
    pods.iter().copied().partition(|pod| {
        let mut broken = false;
        if pod.labels().is_empty() {
            return broken;
        }
        for (pdb, selector, allowed) in &mut budgets {
            let disrupted = pdb.status.as_ref().and_then(|s| s.disrupted_pods.as_ref());
            if pdb.metadata.namespace() != pod.namespace()
                || !selector.matches(pod.labels())
                || disrupted.is_some_and(|d| d.contains_key(pod.name()))
            {
                continue;
            }
            *allowed = allowed.saturating_sub(1);
            broken |= *allowed < 0;
        }
        broken
    })
}

/// The candidate that does the least harm (`pickOneNodeForPreemption`): the fewest violated budgets, then
/// the lowest priority of its most important victim, then the smallest sum of priorities, then the fewest
/// victims, then the latest start of its most important victims, then the first. `None` if there is no
/// candidate.
pub fn select_candidate(candidates: &[Candidate]) -> Option<&Candidate> {
    let harm = |c: &Candidate| {
        let highest = c.victims.first().map_or(i32::MIN, |p| p.priority);
        // Shifted, as in Kubernetes, so that many negative priorities do not sum up to less than one.
        let sum: i64 = c.victims.iter().map(|p| i64::from(p.priority) + i64::from(i32::MAX) + 1).sum();
        let most_important = c.victims.iter().filter(|p| p.priority == highest);
        // A pod that has not started counts as starting now, which is later than any other.
        let earliest = most_important.map(|p| (p.start_time().is_none(), p.start_time())).min();
        (c.pdb_violations, highest, sum, c.victims.len(), std::cmp::Reverse(earliest))
    };
    // `min_by_key` returns the first of equal ones.
    candidates.iter().min_by_key(|c| harm(c))
}

#[cfg(test)]
#[path = "default_preemption_tests.rs"]
mod tests;
