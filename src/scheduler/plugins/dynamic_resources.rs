//! `DynamicResources`: resource claims (DRA). Steady has none, but the text that the plugin contributes in
//! PostFilter is part of every message.

use crate::scheduler::framework::Status;

/// The plugin's name.
pub const NAME: &str = "DynamicResources";

/// PostFilter for a pod without claims, for which there is nothing to deallocate. If an earlier plugin
/// refused the pod in PreFilter, Kubernetes' plugin does not find its state and fails; that error ends
/// PostFilter, and its text is in the message.
pub fn post_filter(pre_filtered: bool) -> Status {
    if pre_filtered {
        Status::unschedulable("no new claims to deallocate")
    } else {
        Status::error("not found")
    }
}
