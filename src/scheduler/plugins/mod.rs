//! The plugins of the default profile, each under Kubernetes' name
//! (`pkg/scheduler/framework/plugins`, `getDefaultPlugins`).
//!
//! A plugin is a module with free functions that are named after its extension points: `pre_filter`,
//! `filter`, `pre_score`, `score`. Its `State` is what it computes once for each pod; `None` in place of a
//! state means `Skip`. `DefaultPreemption`, which calls the other plugins again, is
//! [`default_preemption`](crate::scheduler::default_preemption).
//!
//! Deliberately absent: `EBSLimits`, `GCEPDLimits` and `AzureDiskLimits` (they count volumes of in-tree plug-ins, whose work
//! CSI drivers do), and all of `DynamicResources` except its messages about pods without claims. `VolumeBinding` has a score only with the feature gate
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
