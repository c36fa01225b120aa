//! `SchedulingGates`: a pod with `spec.schedulingGates` does not enter the active queue (PreEnqueue).

use crate::api::types::Pod;
use crate::scheduler::framework::{Actions, Asked, Change, EventResource, Hint, Registered, Status};

/// The plugin's name.
pub const NAME: &str = "SchedulingGates";

/// The events that may let a pod be scheduled which the plugin refused.
pub const EVENTS: &[Registered] = &[Registered {
    resource: EventResource::UnscheduledPod,
    actions: Actions::UPDATE_POD_SCHEDULING_GATES_ELIMINATED,
    hint: Hint::Pod(after_gates),
}];

/// Refuses a pod that still has scheduling gates.
pub fn pre_enqueue(pod: &Pod) -> Status {
    let gates = pod.spec.as_ref().and_then(|s| s.scheduling_gates.as_deref()).unwrap_or_default();
    if gates.is_empty() {
        return Status::SUCCESS;
    }
    let names: Vec<&str> = gates.iter().map(|g| g.name.as_str()).collect();
    Status::unresolvable(format!("waiting for scheduling gates: [{}]", names.join(" ")))
}

fn after_gates(asked: Asked<'_>, pod: Change<'_, Pod>) -> bool {
    pod.new.is_some_and(|p| p.metadata.uid == asked.pod.pod.metadata.uid)
}
