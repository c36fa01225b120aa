//! Which nodes a pod with claims can have, which is the best, and what helps if it is none.

use std::rc::Rc;

use super::claims::{BindingState, allocation, binding_state};
use super::{NAME, State};
use crate::api::node_selector::Terms;
use crate::api::resource_claim::reserved_for;
use crate::api::types::Node;
use crate::api::types::resource::{AllocationResult, ResourceClaim};
use crate::scheduler::framework::{Handle, NodeInfo, PerNodeVerdict, PodInfo, Reason, Status};
use crate::scheduler::structured::Failure;

/// How many alternatives a request can have (`FirstAvailableDeviceRequestMaxSize`).
const MAX_ALTERNATIVES: i64 = 8;

const NOT_AVAILABLE: Reason = Reason::Borrowed("resourceclaim not available on the node");

/// Refuses nodes on which the claims cannot be used, or cannot get devices.
pub fn filter(h: &Handle<'_>, state: &State, info: &NodeInfo) -> Status {
    let Some(node) = info.node() else { return Status::SUCCESS };
    if let Some(allocator) = &state.allocator {
        match allocator.allocate(node, &state.to_allocate()) {
            Ok(Some(_)) => {}
            Ok(None) => return Status::unresolvable("cannot allocate all claims"),
            Err(Failure::OnNode(why)) => return Status::unresolvable(why),
            Err(Failure::Wrong(why)) => return Status::error(why),
            Err(Failure::TimedOut) => {
                let name = info.name();
                return Status::error(format!("node {name}: timed out trying to allocate devices"));
            }
        }
    }
    match unavailable(h, state, node).next() {
        Some(_) => Status::unresolvable(NOT_AVAILABLE),
        None => Status::SUCCESS,
    }
}

/// The claims whose devices a node cannot use, or whose devices cannot be used at all.
fn unavailable<'s>(
    h: &'s Handle<'_>,
    state: &'s State,
    node: &'s Node,
) -> impl Iterator<Item = &'s Rc<ResourceClaim>> {
    state.claims.iter().filter(move |claim| {
        let Some(allocation) = allocation(claim) else { return false };
        let elsewhere = allocation.node_selector.as_ref().is_some_and(|s| !Terms::parse(s).matches(node));
        let state = || binding_state(claim, h.devices.now());
        elsewhere || matches!(state(), BindingState::TimedOut | BindingState::Failed(_))
    })
}

/// How much the pod likes the devices of a node: the earlier alternatives of its requests are the better ones
/// (`computeScore`).
pub fn score(state: &State, info: &NodeInfo) -> i64 {
    let claims = state.to_allocate();
    if !claims.iter().any(|claim| has_alternatives(claim)) {
        return 0;
    }
    let found = state.allocator.as_ref().zip(info.node());
    let found = found.and_then(|(allocator, node)| allocator.allocate(node, &claims).ok()?);
    let found = found.unwrap_or_default();
    claims.iter().zip(&found).map(|(claim, allocation)| score_of(claim, allocation)).sum()
}

fn has_alternatives(claim: &ResourceClaim) -> bool {
    let requests = claim.spec.devices.as_ref().and_then(|d| d.requests.as_deref()).unwrap_or_default();
    requests.iter().any(|r| r.exactly.is_none())
}

fn score_of(claim: &ResourceClaim, allocation: &AllocationResult) -> i64 {
    let results = allocation.devices.as_ref().and_then(|d| d.results.as_deref()).unwrap_or_default();
    let requests = claim.spec.devices.as_ref().and_then(|d| d.requests.as_deref()).unwrap_or_default();
    let alternatives = requests.iter().filter(|r| r.exactly.is_none()).flat_map(|request| {
        let all = request.first_available.as_deref().unwrap_or_default();
        all.iter().zip(0..).map(|(a, place)| (format!("{}/{}", request.name, a.name), place))
    });
    let chosen = alternatives.filter(|(name, _)| results.iter().any(|r| r.request == *name));
    chosen.map(|(_, place)| MAX_ALTERNATIVES - place).sum()
}

/// What the plugin says in PostFilter.
#[derive(Clone, Debug, Default)]
pub struct PostFiltered {
    /// Its answer. An error ends PostFilter.
    pub status: Status,
    /// A claim that is to give its devices back.
    pub deallocate: Option<Rc<ResourceClaim>>,
}

/// PostFilter: of the claims that kept the pod from a node, one that nobody else uses gives its devices back. If an earlier
/// plugin refused the pod in PreFilter, Kubernetes' plugin does not find its state and fails.
pub fn post_filter(
    h: &Handle<'_>,
    pod: &PodInfo,
    (state, reached): (Option<&State>, bool),
    verdicts: &[(Rc<str>, PerNodeVerdict)],
) -> PostFiltered {
    let says = |text| PostFiltered { status: Status::unschedulable(text), deallocate: None };
    if !reached {
        return PostFiltered { status: Status::error("not found"), deallocate: None };
    }
    let Some(state) = state else { return says("no new claims to deallocate") };
    let refused = |(_, v): &&(Rc<str>, PerNodeVerdict)| {
        v.plugin == NAME && v.status.reasons.first() == Some(&NOT_AVAILABLE)
    };
    let nodes: Vec<&Node> = verdicts
        .iter()
        .filter(refused)
        .filter_map(|(name, _)| h.snapshot.get(name)?.node().map(|n| &**n))
        .collect();
    let idle = |claim: &&Rc<ResourceClaim>| match reserved_for(claim) {
        [] => true,
        [one] => Some(one.uid.as_str()) == pod.pod.metadata.uid.as_deref(),
        _ => false,
    };
    let kept = |claim: &&Rc<ResourceClaim>| {
        nodes.iter().any(|node| unavailable(h, state, node).any(|other| Rc::ptr_eq(other, claim)))
    };
    match state.claims.iter().filter(idle).find(kept) {
        Some(claim) => PostFiltered {
            deallocate: Some(claim.clone()),
            ..says("deallocation of ResourceClaim completed")
        },
        None => says("still not schedulable"),
    }
}
