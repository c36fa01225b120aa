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
//! | `pod_worker`, `terminating` | `pod_workers.go`: SyncPod, SyncTerminatingPod, SyncTerminatedPod |
//! | `admit`, `predicates` | `lifecycle/predicate.go`, `sysctl/allowlist.go` |
//! | `cpu_manager`, `cpu_policy`, `cpu_topology` | `cm/cpumanager`, `cm/topologymanager` |
//! | `allocation` | `allocation/allocation_manager.go`: resizes in place |
//! | `actions` | `kuberuntime_manager.go`: `computePodActions` |
//! | `start` | `kuberuntime_container.go`: `startContainer`; `images/image_manager.go` |
//! | [`pulls`], `failed_pulls`, `image_volumes` | `kuberuntime_manager.go`: `getImageVolumes` |
//! | `kill`, `hooks` | `kuberuntime_container.go`: `killContainer`, termination order; `lifecycle/handlers.go` |
//! | `dns_config` | `network/dns`: what a pod's resolver is told |
//! | `environment`, `mounts` | `kubelet_pods.go`: `makeEnvironmentVariables`, what volumes contain |
//! | [`file_volumes`], `projection`, `payload`, `watched`, [`tokens`] | `volume/configmap`, `secret`, `downwardapi`, `projected`, `volume/util/atomic_writer.go`, `util/manager`, `token` |
//! | [`process`], `programs`, `execution`, `runc` | what a container's process does, and commands executed in it, below the runtime |
//! | [`pleg`], [`synced`] | `pleg/generic.go`, `container/cache.go`: when the kubelet notices what has become of containers |
//! | `wake` | when a pod's next turn comes |
//! | `control_plane` | kube-apiserver as a process that needs etcd, below the runtime |
//! | `coredns`, `dns_server`, [`queries`], `query_log` | CoreDNS as a process, and what it remembers, below the runtime |
//! | `known_images`, `registry`, `load_programs` | what is known of images, below the runtime |
//! | [`cri`], `calls`, `sandbox_config` | `k8s.io/cri-api`, as data, and what of it is noted where the kubelet acts; `kuberuntime_sandbox.go`, `kuberuntime_container.go`: the configurations |
//! | `exec` | `kubelet_pods.go`: `GetExec` |
//! | [`clients`], [`network`], [`pod_network`], `listeners`, `servers`, `server_ports`, `server_log`, `probe_visits`, [`visit_log`], [`visited`] | what processes ask the network, and what servers answer, below the runtime |
//! | `ephemeral` | `kuberuntime_manager.go`: ephemeral containers |
//! | `file_source`, [`manifest`] | `config/file.go`, `config/common.go`: static pods |
//! | `pod_manager`, `mirror_client` | `pod/pod_manager.go`, `pod/mirror_client.go`: mirror pods |
//! | `prober`, `redirects` | `prober/worker.go`, `pkg/probe/http` |
//! | [`strain`], [`busy`] | what probes of busy servers meet, below the runtime |
//! | `status` | `kubelet_pods.go`: `generateAPIPodStatus`; `status/generate.go` |
//! | `reboot` | `kuberuntime_manager.go`: `PodSandboxChanged`, after a restart of the node |
//! | `found` | `kuberuntime_manager.go`: `GetPodStatus`, of pods that ran before the kubelet did |
//! | `node` | `nodestatus`, `component-helpers/lease` |
//! | `network_ready` | `runtime.go`: `runtimeState`, of the network |
//! | `nodeshutdown` | `nodeshutdown/nodeshutdown_manager_linux.go` |
//! | `volumes`, `csi` | `volumemanager`, `volume/csi` |
//! | [`contents`], `lasting` | what is in volumes that outlive their pods, below the kubelet |
//! | `usage` | `metrics/collectors/resource_metrics.go` |
//! | `stats`, `written` | `stats`, `server/stats/summary.go` |
//! | `settings`, `said`, `shutdown_periods` | `KubeletConfiguration`, as far as it can be declared |
//! | `eviction` | `eviction/eviction_manager.go`, `helpers.go` |
//! | `limits`, `pod_memory` | `kuberuntime_container_linux.go`: `getCPULimit`, `getMemoryLimit`; the cgroups of pods |
//! | `cgroup` | what a container finds below `/sys/fs/cgroup`, written by the kernel |
//! | `oom`, `qos` | `oom/oom_watcher_linux.go`, `qos/policy.go`, and the kernel below |
//! | `preemption` | `preemption/preemption.go` |
//! | [`look`] | what a view reads of the managers' memory |
//! | `image_gc` | `images/image_gc_manager.go`, `container/container_gc.go` |
//!
//! A pod's sync is a state machine over virtual time. A *turn* brings the runtime up to the present, notes what [`pleg`] has noticed of it, does
//! what needs no waiting, and returns the deadlines of the next turn. A *foreground* deadline keeps the
//! cluster from being steady, a *background* deadline does not. A turn that could only repeat what is known
//! (a probe that goes on failing, a back-off at its longest, a volume whose ConfigMap is still missing) is
//! planned in the background, so that a cluster that is stuck becomes steady. A change that can alter its
//! outcome plans it in the foreground.

mod actions;
mod admit;
mod allocation;
pub mod amounts;
mod attach;
pub mod backoff;
pub mod behaviour;
pub mod busy;
mod calls;
pub mod cause;
mod cgroup;
mod changes;
pub mod clients;
mod config;
pub mod container_state;
pub mod contents;
mod control_plane;
mod coredns;
mod cpu_manager;
mod cpu_policy;
mod cpu_share;
mod cpu_topology;
pub mod cri;
mod csi;
pub mod decisions;
mod dns_config;
mod dns_server;
mod env_files;
mod environment;
mod ephemeral;
mod eviction;
mod exec;
mod execution;
mod failed_pulls;
pub mod fault;
mod file_source;
pub mod file_volumes;
mod found;
mod hooks;
mod http_source;
mod image_gc;
mod image_volumes;
pub mod images;
mod kill;
mod known_images;
mod lasting;
mod limits;
mod listeners;
mod load_programs;
mod logs;
pub mod look;
pub mod manifest;
mod manifest_url;
mod memory;
mod mirror_client;
mod mounts;
pub mod neighbours;
pub mod network;
mod network_ready;
mod node;
mod nodeshutdown;
mod oom;
mod payload;
pub mod pleg;
mod pod_manager;
mod pod_memory;
pub mod pod_network;
mod pod_worker;
mod predicates;
mod preemption;
mod probe_visits;
mod prober;
pub mod process;
mod programs;
mod projection;
pub mod pulls;
mod qos;
pub mod queries;
mod query_log;
mod reboot;
mod reconciler;
mod redirects;
mod registry;
mod requests;
mod runc;
mod said;
mod sandbox;
mod sandbox_config;
mod security_context;
mod server_log;
mod server_ports;
mod servers;
mod settings;
mod shutdown_periods;
mod start;
pub mod state;
mod stats;
mod status;
mod status_containers;
pub mod strain;
mod sync_pod;
pub mod synced;
mod task;
mod terminating;
mod thresholds;
pub mod timings;
pub mod tokens;
mod turn;
mod url_source;
mod usage;
pub mod visit_log;
pub mod visited;
mod volume_plugins;
mod volumes;
mod wake;
mod watched;
mod written;

pub use attach::{Attachment, attach};
pub use cause::PodCause;
pub use control_plane::{EtcdNews, part_of_control_plane};
pub use cpu_manager::{Exclusive, Processors, cpu_manager_state, processors};
pub use exec::{Execution, exec};
pub use fault::{KubeletFault, ProbeType};
pub use http_source::{Decoded, is_from_url};
pub use logs::{LogReader, container_log};
pub use manifest::{Manifest, ManifestChange, STATIC_POD_PATH};
pub use network::{Dns, NetworkNews, Opened};
pub use network_ready::NetworkReadiness;
pub use node::DECLARED_FEATURES;
pub use sandbox::{RUNTIME_HANDLERS, runtime_handlers};
pub use state::{PodRuntime, State};
pub use task::{Kubelet, Task};
pub use url_source::UrlSource;

use crate::client::{Component, Controller};

/// The components of the kubelet process of a node.
pub fn components(node: &str) -> Vec<Box<dyn Component>> {
    vec![Controller::boxed(Kubelet::new(node))]
}
