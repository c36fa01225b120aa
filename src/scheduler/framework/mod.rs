//! What the scheduler's plugins read (`pkg/scheduler/framework`): nodes and pods with all values computed
//! once, statuses, and access to other objects.

mod class;
pub(crate) mod det_math;
mod events;
mod handle;
mod lister;
mod node_info;
mod pod_info;
mod resource;
mod status;
mod terms;

pub use class::{Classes, Labels, PodClass};
pub use events::{
    Actions, Asked, Change, ClusterEvent, Hint, Registered, Resource as EventResource, Subject, node_changes,
    pod_changes,
};
pub use handle::{ClassMemo, Handle, Memo, Snapshot};
pub use lister::{
    ClaimLister, DeviceLister, NominatedPods, Nothing, QueueLister, VolumeLister, WorkloadLister,
};
pub use node_info::{ClassCount, LABEL_HOSTNAME, LABEL_ZONE, NodeInfo, normalized_image_name};
pub use pod_info::{HostPort, PodInfo, frees_node, host_ports, required_anti_affinity};
pub use resource::{
    DEFAULT_MEMORY_REQUEST, DEFAULT_MILLI_CPU_REQUEST, NonZero, Resource, pod_non_zero_requests, pod_requests,
};
pub use status::{Code, PerNodeVerdict, Reason, Status};
pub use terms::{AffinityTerm, NamespaceLister, SpreadConstraint, WeightedAffinityTerm};
