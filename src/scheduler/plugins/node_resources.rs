//! `NodeResourcesFit` and `NodeResourcesBalancedAllocation`: the pod's requests against what the node has.

use crate::api::Kind;
use crate::api::types::{Node, Pod};
use crate::scheduler::framework::{
    Actions, Asked, Change, Code, EventResource, Hint, NodeInfo, PodInfo, Reason, Registered, Resource,
    Status, frees_node, pod_requests,
};

/// The name of the plugin that filters by requests, and scores by what is left (`LeastAllocated`).
pub const FIT: &str = "NodeResourcesFit";
/// The name of the plugin that scores by how evenly CPU and memory are used.
pub const BALANCED_ALLOCATION: &str = "NodeResourcesBalancedAllocation";

/// The events that may let a pod be scheduled which the plugin refused.
pub const EVENTS: &[Registered] = &[
    Registered {
        resource: EventResource::Pod,
        actions: Actions::DELETE.or(Actions::UPDATE_POD_SCALE_DOWN),
        hint: Hint::Pod(after_pod),
    },
    Registered {
        resource: EventResource::Of(Kind::NODE),
        actions: Actions::ADD.or(Actions::UPDATE_NODE_ALLOCATABLE),
        hint: Hint::Node(after_node),
    },
];

const MAX_NODE_SCORE: i64 = 100;

/// Refuses nodes that have too little of a resource left. If the pod requests more than the node's
/// allocatable, the refusal is `UnschedulableAndUnresolvable`.
pub fn filter(pod: &PodInfo, node: &NodeInfo) -> Status {
    let (want, have, used) = (&pod.requests, node.allocatable(), node.requested());
    let mut short = Short::default();
    let count = i64::try_from(node.pod_count()).unwrap_or(i64::MAX).saturating_add(1);
    if count > have.allowed_pod_number {
        short.reasons.push(Reason::Borrowed("Too many pods"));
    }
    if !want.is_zero() {
        short.check(want.milli_cpu, have.milli_cpu, used.milli_cpu, || Reason::Borrowed("Insufficient cpu"));
        short.check(want.memory, have.memory, used.memory, || Reason::Borrowed("Insufficient memory"));
        short.check(want.ephemeral_storage, have.ephemeral_storage, used.ephemeral_storage, || {
            Reason::Borrowed("Insufficient ephemeral-storage")
        });
        for (name, want) in &want.scalar {
            short
                .check(*want, have.scalar(name), used.scalar(name), || format!("Insufficient {name}").into());
        }
    }
    if short.reasons.is_empty() {
        return Status::SUCCESS;
    }
    let code = if short.unresolvable { Code::UnschedulableAndUnresolvable } else { Code::Unschedulable };
    Status { code, reasons: short.reasons }
}

#[derive(Default)]
struct Short {
    reasons: Vec<Reason>,
    unresolvable: bool,
}

impl Short {
    fn check(&mut self, want: i64, have: i64, used: i64, reason: impl FnOnce() -> Reason) {
        if want > 0 && want > have.saturating_sub(used) {
            self.reasons.push(reason());
            self.unresolvable |= want > have;
        }
    }
}

/// The `LeastAllocated` score: the mean of the shares of CPU and memory that would be left, 0 to 100.
pub fn least_allocated(pod: &PodInfo, node: &NodeInfo) -> i64 {
    let (have, used) = (node.allocatable(), node.non_zero_requested());
    let table = [
        (have.milli_cpu, used.milli_cpu.saturating_add(pod.non_zero.milli_cpu)),
        (have.memory, used.memory.saturating_add(pod.non_zero.memory)),
    ];
    let (mut sum, mut weights) = (0, 0);
    for (have, want) in table.into_iter().filter(|(have, _)| *have != 0) {
        if want <= have {
            // This saturates only for nodes of 80 PiB of memory and more; Go would wrap there.
            sum += (have - want).saturating_mul(MAX_NODE_SCORE) / have;
        }
        weights += 1;
    }
    if weights == 0 { 0 } else { sum / weights }
}

/// Whether the pod requests neither CPU nor memory. The plugin is then skipped, as there is nothing to
/// balance.
pub fn is_best_effort(pod: &PodInfo) -> bool {
    pod.requests.milli_cpu == 0 && pod.requests.memory == 0
}

/// By how much the pod makes the use of CPU and memory more or less even: 50 to 100, where 75 means no
/// change. This is the score since 1.36; before, it was the evenness with the pod on the node.
pub fn balanced_allocation(pod: &PodInfo, node: &NodeInfo) -> i64 {
    let (have, used, want) = (node.allocatable(), node.requested(), &pod.requests);
    let without = balance([(used.milli_cpu, have.milli_cpu), (used.memory, have.memory)]);
    let with = balance([
        (used.milli_cpu.saturating_add(want.milli_cpu), have.milli_cpu),
        (used.memory.saturating_add(want.memory), have.memory),
    ]);
    MAX_NODE_SCORE / 2 + (MAX_NODE_SCORE / 2 + with - without) / 2
}

/// 100 if CPU and memory are used in the same proportion, 50 if one is full and the other is free.
fn balance([cpu, memory]: [(i64, i64); 2]) -> i64 {
    if cpu.1 == 0 || memory.1 == 0 {
        return MAX_NODE_SCORE;
    }
    let fraction = |(used, have): (i64, i64)| (used as f64 / have as f64).min(1.0);
    let deviation = ((fraction(cpu) - fraction(memory)) / 2.0).abs();
    ((1.0 - deviation) * MAX_NODE_SCORE as f64) as i64
}

fn after_pod(asked: Asked<'_>, pod: Change<'_, Pod>) -> bool {
    let Some(old) = pod.old else { return true };
    let Some(new) = pod.new else { return frees_node(old) };
    if new.metadata.uid == asked.pod.pod.metadata.uid {
        return true;
    }
    let bound = new.spec.as_ref().and_then(|s| s.node_name.as_deref()).is_some_and(|n| !n.is_empty());
    bound && more_of_the_requested(&asked.pod.requests, &pod_requests(new, None), &pod_requests(old, None))
}

fn after_node(asked: Asked<'_>, node: Change<'_, Node>) -> bool {
    let Some(new) = node.new else { return false };
    // The node without its pods: a pod that does not fit there fits never.
    if !filter(asked.pod, &NodeInfo::of_node(new.clone())).is_success() {
        return false;
    }
    let allocatable = |n: &Node| {
        n.status.as_ref().and_then(|s| s.allocatable.as_ref()).map(Resource::from_list).unwrap_or_default()
    };
    let Some(old) = node.old.map(|n| allocatable(n)) else { return true };
    let new = allocatable(new);
    new.allowed_pod_number > old.allowed_pod_number || more_of_the_requested(&asked.pod.requests, &old, &new)
}

/// Whether `now` has more than `before` of a resource that is wanted.
fn more_of_the_requested(want: &Resource, before: &Resource, now: &Resource) -> bool {
    (want.milli_cpu > 0 && now.milli_cpu > before.milli_cpu)
        || (want.memory > 0 && now.memory > before.memory)
        || (want.ephemeral_storage > 0 && now.ephemeral_storage > before.ephemeral_storage)
        || want.scalar.iter().any(|(name, n)| *n > 0 && now.scalar(name) > before.scalar(name))
}
