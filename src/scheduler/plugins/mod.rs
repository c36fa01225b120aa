//! The plugins of the default profile, each under Kubernetes' name
//! (`pkg/scheduler/framework/plugins`, `getDefaultPlugins`).
//!
//! A plugin is a module of free functions named after the extension points it has: `pre_filter`,
//! `filter`, `pre_score`, `score`. What it computes once per pod is its `State`; none means Skip.
//!
//! Deliberately absent: `EBSLimits`, `GCEPDLimits`, `AzureDiskLimits` and `NodeVolumeLimits` (they
//! need CSINode objects, and without one they let every pod pass), and all of `DynamicResources`
//! but what it says about a pod without claims. `VolumeBinding` scores nothing unless the
//! StorageCapacityScoring gate is on, which by default it is not.

pub mod default_preemption;
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
