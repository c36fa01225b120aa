//! `SchedulingGates`: a pod with `spec.schedulingGates` does not enter the active queue (PreEnqueue).

use crate::api::types::Pod;
use crate::scheduler::framework::Status;

/// The plugin's name.
pub const NAME: &str = "SchedulingGates";

/// Refuses a pod that still has scheduling gates.
pub fn pre_enqueue(pod: &Pod) -> Status {
    let gates = pod.spec.as_ref().and_then(|s| s.scheduling_gates.as_deref()).unwrap_or_default();
    if gates.is_empty() {
        return Status::SUCCESS;
    }
    let names: Vec<&str> = gates.iter().map(|g| g.name.as_str()).collect();
    Status::unresolvable(format!("waiting for scheduling gates: [{}]", names.join(" ")))
}
