//! The kubelet: it runs the pods of a node (`k8s.io/kubernetes/pkg/kubelet`).
//!
//! There are no images to run, so the container runtime below the kubelet is simulated: [`timings`] says how
//! long its operations take, and [`behaviour`] what each container does. Everything above the runtime is the
//! kubelet's own logic: pod workers, status, probes, back-off, image manager, graceful termination, leases.
//!
//! | module | in Kubernetes |
//! | --- | --- |
//! | [`state`] | what the runtime and the status manager remember of each pod |
//! | `reconciler` | `kubelet.go`: `syncLoop`, dispatch of pod updates |
//! | `pod_worker` | `pod_workers.go`: SyncPod, SyncTerminatingPod, SyncTerminatedPod |
//! | `admit` | `lifecycle/predicate.go` |
//! | `actions` | `kuberuntime_manager.go`: `computePodActions` |
//! | `start` | `kuberuntime_container.go`: `startContainer`; `images/image_manager.go` |
//! | `kill` | `kuberuntime_container.go`: `killContainer`, termination order |
//! | `environment`, `mounts` | `kubelet_pods.go`: `makeEnvironmentVariables`, what volumes contain |
//! | [`process`], `programs`, `execution` | what a container's process does, and commands executed in it, below the runtime |
//! | `known_images`, `registry` | what is known of images, below the runtime |
//! | `exec` | `kubelet_pods.go`: `GetExec` |
//! | `prober` | `prober/worker.go` |
//! | `status` | `kubelet_pods.go`: `generateAPIPodStatus`; `status/generate.go` |
//! | `found` | `kuberuntime_manager.go`: `GetPodStatus`, of pods that ran before the kubelet did |
//! | `node` | `nodestatus`, `component-helpers/lease` |
//! | `volumes`, `csi` | `volumemanager`, `volume/csi` |
//! | `usage` | `metrics/collectors/resource_metrics.go` |
//!
//! A pod's sync is a state machine over virtual time. A *turn* brings the runtime up to the present, does
//! what needs no waiting, and returns the deadlines of the next turn. A *foreground* deadline keeps the
//! cluster from being steady, a *background* deadline does not. A turn that could only repeat what is known
//! (a probe that goes on failing, a back-off at its longest, a volume whose ConfigMap is still missing) is
//! planned in the background, so that a cluster that is stuck becomes steady. A change that can alter its
//! outcome plans it in the foreground.

mod actions;
mod admit;
pub mod backoff;
pub mod behaviour;
pub mod cause;
mod changes;
mod config;
pub mod container_state;
mod csi;
mod environment;
mod exec;
mod execution;
pub mod fault;
mod found;
pub mod images;
mod kill;
mod known_images;
mod logs;
mod memory;
mod mounts;
mod node;
mod pod_worker;
mod prober;
pub mod process;
mod programs;
mod reconciler;
mod registry;
mod sandbox;
mod security_context;
mod start;
pub mod state;
mod status;
mod status_containers;
mod sync_pod;
mod task;
pub mod timings;
mod turn;
mod usage;
mod volumes;

pub use cause::PodCause;
pub use exec::{Execution, exec};
pub use fault::{KubeletFault, ProbeType};
pub use logs::container_log;
pub use node::DECLARED_FEATURES;
pub use sandbox::{RUNTIME_HANDLERS, runtime_handlers};
pub use state::State;
pub use task::{Kubelet, Task};

use crate::client::{Component, Controller};

/// The components of the kubelet process of a node.
pub fn components(node: &str) -> Vec<Box<dyn Component>> {
    vec![Controller::boxed(Kubelet::new(node))]
}
