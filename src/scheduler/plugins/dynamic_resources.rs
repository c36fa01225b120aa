//! `DynamicResources`: resource claims (DRA). There are none here; what remains is what the plugin
//! says in its PostFilter, because that is part of every message.

use crate::scheduler::framework::Status;

/// The plugin's name.
pub const NAME: &str = "DynamicResources";

/// Frees claims so that a pod may fit; a pod without claims has none to free. If a plugin before it
/// refused the pod in PreFilter, this one never saw the pod and fails on the missing state. That
/// failure ends PostFilter, and its bare words end up in the message.
pub fn post_filter(pre_filtered: bool) -> Status {
    if pre_filtered {
        Status::unschedulable("no new claims to deallocate")
    } else {
        Status::error("not found")
    }
}
