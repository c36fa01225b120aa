//! The plugins of the default profile, each under Kubernetes' name
//! (`pkg/scheduler/framework/plugins`, `getDefaultPlugins`).
//!
//! A plugin is a module with free functions that are named after its extension points: `pre_filter`,
//! `filter`, `pre_score`, `score`. Its `State` is what it computes once for each pod; `None` in place of a
//! state means `Skip`. `EVENTS` are those for which the plugin registers, each with its hint. `DefaultPreemption`, which calls the other plugins again, is
//! [`default_preemption`](crate::scheduler::default_preemption).
//!
//! Deliberately absent: `EBSLimits`, `GCEPDLimits` and `AzureDiskLimits` (they count volumes of in-tree plug-ins, whose work
//! CSI drivers do). `VolumeBinding` has a score only with the feature gate
//! StorageCapacityScoring, which is off by default.

pub mod dynamic_resources;
pub mod image_locality;
pub mod inter_pod_affinity;
pub mod node_affinity;
pub mod node_declared_features;
pub mod node_name;
pub mod node_ports;
pub mod node_resources;
pub mod node_unschedulable;
pub mod pod_topology_spread;
pub mod scheduling_gates;
pub mod taint_toleration;
pub mod volume;

use super::framework::{Actions, EventResource, Hint, Registered};

/// The name of the plugin that looks for pods to evict, [`default_preemption`](crate::scheduler::default_preemption).
pub const DEFAULT_PREEMPTION: &str = "DefaultPreemption";

/// The events of `DefaultPreemption`, which refuses pods in PreEnqueue while it deletes their victims. The plugins that
/// refused the pod before say whether an event helps; this one only asks for the pod to be looked at.
const PREEMPTION_EVENTS: &[Registered] =
    &[Registered { resource: EventResource::AssignedPod, actions: Actions::DELETE, hint: Hint::Skip }];

/// The events for which a plugin registers (`EventsToRegister`); none for a name that is not known.
pub fn events_to_register(plugin: &str) -> &'static [Registered] {
    match plugin {
        node_unschedulable::NAME => node_unschedulable::EVENTS,
        node_name::NAME => node_name::EVENTS,
        taint_toleration::NAME => taint_toleration::EVENTS,
        node_affinity::NAME => node_affinity::EVENTS,
        node_ports::NAME => node_ports::EVENTS,
        node_resources::FIT => node_resources::EVENTS,
        volume::restrictions::NAME => volume::restrictions::EVENTS,
        volume::limits::NAME => volume::limits::EVENTS,
        volume::binding::NAME => volume::binding::EVENTS,
        volume::zone::NAME => volume::zone::EVENTS,
        pod_topology_spread::NAME => pod_topology_spread::EVENTS,
        inter_pod_affinity::NAME => inter_pod_affinity::EVENTS,
        dynamic_resources::NAME => dynamic_resources::EVENTS,
        node_declared_features::NAME => node_declared_features::EVENTS,
        scheduling_gates::NAME => scheduling_gates::EVENTS,
        DEFAULT_PREEMPTION => PREEMPTION_EVENTS,
        _ => &[],
    }
}
