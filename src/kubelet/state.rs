//! What a kubelet, and the container runtime below it, remember between syncs.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use super::amounts::{Stats, Written};
use super::cause::{Cause, PodCause};
use super::container_state::ContainerRuntime;
use super::contents::{Contents, Lasting, Rounds, Told};
use super::decisions::{Eviction, Order, Resize, Shutdown};
use super::fault::{KubeletFault, ProbeType};
use super::file_volumes::FileVolumes;
use super::manifest::Manifest;
use super::pod_network::PodNetwork;
use super::pulls::{FailedPulls, ImageVolume, NodeImage, Pull};
use super::queries::Queries;
use super::settings::Settings;
use super::strain::Foreseen;
use super::synced::Synced;
use super::url_source::UrlSource;
use super::visited::Visited;
use super::wake::{Retry, Wakes};
use crate::api::persistent::Map;
use crate::api::pod::Spec;
use crate::api::types::{ConfigMap, Container, Lease, Pod, PodStatus, Secret};
use crate::api::{Key, Shared, Timestamp};
use crate::shell::Write;

/// A kubelet's memory. Clones share their content.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The pods that it runs, or whose end it still has to report.
    pub pods: Map<Key, Rc<PodRuntime>>,
    /// Images and addresses.
    pub node: NodeRuntime,
    /// Faults that the next sync of the pod has to apply, by pod and number. A sync removes those that it
    /// saw.
    pub faults: Map<(Key, u64), KubeletFault>,
    /// The number for the next fault.
    pub next_fault: u64,
    /// What the processes of pods and, by the key of the Node, the kubelet have asked the network, and what they were told. A sync adds questions and handlers add
    /// answers, so it is not a part of what a sync writes of its pod.
    pub network: Map<Key, Rc<PodNetwork>>,
    /// What the pods of CoreDNS remember of the queries that they got.
    pub queries: Map<Key, Rc<Queries>>,
    /// The requests of commands that have come to servers in pods which write a line for each.
    pub visits: Map<Key, Rc<Vec<Visited>>>,
    /// The ports that a program in a pod was told to open by another one, with the pod's uid.
    pub opened: Map<Key, (Rc<str>, Rc<[u16]>)>,
    /// What the probes of pods will meet that ask busy servers, with the pod's uid.
    pub strained: Map<Key, (Rc<str>, Rc<[Foreseen]>)>,
    /// Whether the container runtime has no network plugin.
    pub no_network: bool,
    /// Whether etcd answers nobody.
    pub etcd_silent: bool,
    /// The largest packet that the interface of a pod takes, in bytes, if the network plugin has made it smaller than that of an Ethernet.
    pub mtu: Option<u16>,
    /// Images that a person made unavailable, each with the registry's error message.
    pub unpullable: Map<Rc<str>, Rc<str>>,
    /// PersistentVolumes whose mounting a person made fail, each with the driver's error message.
    pub unmountable: Map<Rc<str>, Rc<str>>,
    /// The files in the node's directory of manifests, by name. They are on its disk.
    pub manifests: Map<Rc<str>, Rc<Manifest>>,
    /// What pods have written into directories of the node.
    pub node_disk: Rc<Contents>,
    /// How often pods of the node were told of each other's files on its disk.
    pub disk_rounds: Rounds,
    /// What is in the volumes that the node's pods use and every node reaches, as the kubelet was told last.
    pub storage: Map<Rc<str>, Rc<Contents>>,
    /// What its pods write to these volumes, until it is passed on.
    pub told: Vec<Told>,
    /// What the kubelet remembers of the URL of its static pods; `None` if it has none.
    pub url: Option<Rc<UrlSource>>,
    /// The static pods: those of the files and of the URL, as the kubelet has read them last.
    pub static_pods: Map<Key, Rc<Pod>>,
    /// The node's lease as it was last written; `None` if it has to be created or read.
    pub lease: Option<Rc<Lease>>,
    /// Whether the kubelet has started again and has not told of it.
    pub starts_again: bool,
    /// How often the machine has started again.
    pub reboots: u32,
    /// Whether the node was unschedulable when an event told of it last.
    pub unschedulable: bool,
    /// What the kubelet is told about its node.
    pub settings: Rc<Settings>,
    /// What does not count of what it is told (`Settings::wrong`), as far as events have told of it.
    pub told_of: Rc<[Rc<str>]>,
    /// Whether the image manager could not free enough when it last looked at a disk that was too full.
    pub images_failed: bool,
    /// What the eviction manager remembers.
    pub eviction: Eviction,
    /// How far the shutdown of the node has come; `None` if it is not being shut down.
    pub shutdown: Option<Shutdown>,
}

/// A container: the uid of its pod, and its name.
pub type ContainerKey = (Rc<str>, Rc<str>);

/// What the pods of a node share.
#[derive(Clone, Debug, Default)]
pub struct NodeRuntime {
    /// The images on the node.
    pub images: Map<Rc<str>, NodeImage>,
    /// Their size in bytes.
    pub image_bytes: i64,
    /// What the pods use.
    pub stats: Stats,
    /// The CPU that containers want by themselves, in thousandths.
    pub own_cpu: i64,
    /// Whether less than a tenth of the node's CPU is left by what containers want by themselves.
    pub short_of_cpu: bool,
    /// The images that are being pulled, each with the end of its pull.
    pub pulling: Map<Rc<str>, Timestamp>,
    /// When the image puller is done with all pulls requested so far; `None` if there was none.
    pub puller_free: Option<Timestamp>,
    /// The attachable volumes in use: the unique name of a volume, and the pod that uses it.
    pub volumes: Map<(Rc<str>, Key), ()>,
    /// The CSI volumes that are staged on the node, by their unique names: each is mounted once for the node, and from there for
    /// each of its pods.
    pub staged: Map<Rc<str>, ()>,
    /// The immutable ConfigMaps that pods of the node name, as the kubelet has read them once.
    pub frozen_config_maps: Map<Key, Rc<ConfigMap>>,
    /// The immutable Secrets, likewise.
    pub frozen_secrets: Map<Key, Rc<Secret>>,
    /// The processors that containers have for themselves, by the uids of their pods and their names.
    pub cpus: Map<ContainerKey, Rc<BTreeSet<u32>>>,
    /// The pods whose resize waits for room.
    pub resizing: Map<Key, ()>,
    /// The sum of the requests of the admitted pods.
    pub used: Requests,
    /// The pod addresses in use, each with its pod.
    pub addresses: Map<IpAddr, Key>,
    /// The address of each family that was assigned last; the next one follows it (CNI's `host-local`).
    pub last_addresses: Map<&'static str, IpAddr>,
}

/// Amounts of a node's resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// CPU in thousandths of a core.
    pub cpu: i64,
    /// Memory in bytes.
    pub memory: i64,
    /// Ephemeral storage in bytes.
    pub storage: i64,
    /// Number of pods.
    pub pods: i64,
}

/// The phase of a pod worker (`pod_workers.go`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkerPhase {
    /// SyncPod: keeps the pod's containers running.
    #[default]
    Sync,
    /// SyncTerminatingPod: stops the containers.
    Terminating,
    /// SyncTerminatedPod: no container runs any more.
    Terminated,
}

/// An operation of the runtime that SyncPod waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// The mount of the pod's CSI volumes.
    Mount {
        /// When it ends.
        until: Timestamp,
    },
    /// The creation of the sandbox and its network.
    Sandbox {
        /// When it ends.
        until: Timestamp,
    },
    /// The pull of a container's image.
    Pull {
        /// The container's index.
        container: usize,
        /// The pull.
        pull: Pull,
    },
    /// The pull of the image of a volume.
    PullVolume {
        /// The volume's index.
        volume: usize,
        /// The pull.
        pull: Pull,
    },
    /// The start of a container that was created.
    Start {
        /// The container's index.
        container: usize,
        /// When it ends.
        until: Timestamp,
    },
    /// A container's postStart hook.
    PostStart {
        /// The container's index.
        container: usize,
        /// When it ends.
        until: Timestamp,
        /// How it will fail, in the words of its runner; `None` if it will succeed.
        failure: Option<Rc<str>>,
    },
    /// The end of a container that is being stopped.
    Kill {
        /// The container's index.
        container: usize,
    },
}

impl Work {
    /// When the operation ends; `None` for a kill, which ends with the container.
    pub fn until(&self) -> Option<Timestamp> {
        match self {
            Work::Mount { until }
            | Work::Sandbox { until }
            | Work::Start { until, .. }
            | Work::PostStart { until, .. } => Some(*until),
            Work::Pull { pull, .. } | Work::PullVolume { pull, .. } => Some(pull.until),
            Work::Kill { .. } => None,
        }
    }
}

/// A step that the SyncPod under way still has to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Todo {
    /// Create the sandbox.
    Sandbox,
    /// Stop a container.
    Kill {
        /// The container's index.
        container: usize,
        /// The message of the event.
        message: String,
        /// The probe that failed, if that is why.
        probe: Option<ProbeType>,
    },
    /// Make sure that the image of a volume is on the node.
    PullVolume {
        /// The volume's index.
        volume: usize,
    },
    /// Start a container.
    Start {
        /// The container's index.
        container: usize,
    },
    /// Give a running container the resources that are allocated to it.
    Resize {
        /// The container's index.
        container: usize,
    },
    /// Stop all containers at once and begin anew with the first init container.
    RestartAll,
    /// Remove the sandbox: no container will run in it any more.
    StopSandbox,
    /// Go on to SyncTerminatingPod: all containers have ended for good.
    Terminate,
}

/// What the kubelet remembers of a pod.
#[derive(Clone, Debug, Default)]
pub struct PodRuntime {
    /// The pod's uid.
    pub uid: Rc<str>,
    /// The pod, if the kubelet has it from a file; `None` for a pod of the API server, whose informer has it.
    pub static_pod: Option<Rc<Pod>>,
    /// Whether the manifest of the static pod is gone or has become that of another pod, so that this one ends.
    pub withdrawn: bool,
    /// The status of a static pod as the kubelet knows it, whether a mirror pod shows it or not.
    pub status: Option<Shared<PodStatus>>,
    /// The phase of the pod's worker.
    pub phase: WorkerPhase,
    /// Whether the pod's sandbox exists.
    pub sandbox: bool,
    /// Whether it had one that is gone and has not been replaced.
    pub sandbox_is_lost: bool,
    /// The pod's addresses, one of each family; none before the sandbox has its network.
    pub addresses: Rc<[Rc<str>]>,
    /// The init containers, then the main containers, in the order of the spec; then the ephemeral ones, in the order in which the
    /// kubelet has heard of them.
    pub containers: Vec<ContainerRuntime>,
    /// The specs of the pod's ephemeral containers, in the same order.
    pub ephemeral: Rc<[Container]>,
    /// The operation that SyncPod waits for, if any.
    pub work: Option<Work>,
    /// The steps of the SyncPod under way that are left.
    pub todo: Vec<Todo>,
    /// Whether a SyncPod is under way.
    pub syncing: bool,
    /// Whether there is a reason for another SyncPod: PLEG has reported something, a probe has another result, or the kubelet has changed
    /// something itself.
    pub changed: bool,
    /// When the sandbox was made or stopped, if PLEG has not noticed that.
    pub sandbox_changed: Option<Timestamp>,
    /// The last sync, for which the next one has to wait.
    pub synced: Synced,
    /// Whether SyncPod waits for volumes. It looks at them again and again, and does not end meanwhile.
    pub waits_for_volumes: bool,
    /// Why the pod is to end, if SyncTerminatingPod could not begin yet.
    pub ending: Option<PodCause>,
    /// Whether SyncTerminatedPod has taken place.
    pub finished: bool,
    /// When a sync that failed is retried; `None` if none failed.
    pub retry: Option<Retry>,
    /// When the pod is synced although its containers still back off, which records that once more; `None` if it is not.
    pub look: Option<Timestamp>,
    /// How many times in a row mounting failed.
    pub mount_failures: u32,
    /// How many times in a row the sandbox could not be created.
    pub sandbox_failures: u32,
    /// A fingerprint of what its annotations said of answers and requests in the last turn; `None` before the first one.
    pub said: Option<u64>,
    /// When one of its containers next opens or closes its ports, as of the last turn.
    pub listens_until: Option<Timestamp>,
    /// Whether the pod waits for a ConfigMap, a Secret, a claim or a container runtime.
    pub waits_for_config: bool,
    /// The pod's volumes whose files the kubelet writes.
    pub files: FileVolumes,
    /// The images of which a pull for the pod has failed.
    pub failed_pulls: Rc<Vec<FailedPulls>>,
    /// What is known of the pod's volumes of images, each in its volume's place; none if it has no such volume.
    pub image_volumes: Rc<Vec<ImageVolume>>,
    /// The pod's CSI volumes; none before SyncPod first needed them and after the pod has ended.
    pub volumes: Vec<PodVolume>,
    /// Its volumes whose content outlives it; `None` before they were first mounted.
    pub lasting: Option<Rc<Lasting>>,
    /// Whether the pod waits until a volume is attached.
    pub waits_for_attach: bool,
    /// When the probe workers began. Their ticks are counted from here.
    pub probing_since: Option<Timestamp>,
    /// Whether SyncPod has begun for this pod at least once.
    pub seen: bool,
    /// `reason` and `message` of a pod that failed as a whole, whatever its containers did.
    pub failed: Option<(Rc<str>, Rc<str>)>,
    /// The grace period with which the containers are being stopped.
    pub grace: Option<SignedDuration>,
    /// Whether the status may differ from the one reported last.
    pub unreported: bool,
    /// Whether the API server has not taken a report; the pod is synced all the same.
    pub unsent: bool,
    /// The pod in the API server's last answer; for a static pod, its mirror pod.
    pub latest: Option<Rc<Pod>>,
    /// The requests with which the pod was admitted; `None` if it was not, or has given them back.
    pub requests: Option<Requests>,
    /// Whether admission rejected the pod.
    pub rejected: bool,
    /// Whether the kubelet has deleted the pod's object.
    pub deleted: bool,
    /// What happened last, for the [`Why`](crate::client::Why) of the next status report.
    pub cause: Cause,
    /// Whether all containers are being restarted, because one ended in a way for which its rules ask for that.
    pub restarting_all: bool,
    /// Whether the node was down and has come back since the last turn.
    pub rebooted: bool,
    /// `metadata.generation` when SyncPod last began.
    pub generation: i64,
    /// Whether the pod has annotations about its containers' behaviour, or had them at the last turn.
    pub annotated: bool,
    /// What containers that have ended, hooks and probes have written into the pod's volumes. The first part of a
    /// path is the volume's name.
    pub disks: Rc<Vec<Write>>,
    /// What the pod used at its last turn.
    pub stats: Stats,
    /// The CPU that its containers wanted by themselves at its last turn, in thousandths.
    pub own_cpu: i64,
    /// What its programs had written to the disk by then; `None` if nothing.
    pub written: Option<Rc<Written>>,
    /// When that is measured next.
    pub grows: Wakes,
    /// Whether what is left of its containers has been removed from the disk.
    pub removed: bool,
    /// The container that the kernel has killed, because the node has no memory left, until the pod's next turn.
    pub oom: Option<usize>,
    /// The spec of the pod when its containers were last allocated what they ask for; `None` before its first turn.
    pub allocated: Option<Spec>,
    /// How a resize of the pod stands.
    pub resize: Resize,
    /// The pods that are ended for this one, which is not admitted before they are gone.
    pub preempts: Vec<Key>,
    /// How the kubelet itself ends the pod; `None` if it does not.
    pub order: Option<Order>,
    /// The grace period in seconds with which it does that.
    pub grace_override: Option<i64>,
}

/// A CSI volume of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodVolume {
    /// The name of the PersistentVolume, or of the volume in the pod if it is an inline one.
    pub volume: Rc<str>,
    /// The claim; that of no name if it is an inline volume.
    pub claim: Key,
    /// Whether the pod itself says which driver makes it (`volumes[].csi`): then it is neither attached nor staged.
    pub inline: bool,
    /// Its name in the Node's status.
    pub name: Rc<str>,
    /// The driver.
    pub driver: Rc<str>,
    /// Whether it has to be attached to the node.
    pub attachable: bool,
    /// Whether it is mounted.
    pub mounted: bool,
}

impl Retry {
    /// The retry that counts of this one and another one: of two alike the earlier.
    pub fn or(self, other: Retry) -> Retry {
        match self.sort.cmp(&other.sort) {
            std::cmp::Ordering::Less => self,
            std::cmp::Ordering::Greater => other,
            std::cmp::Ordering::Equal => Retry { at: self.at.min(other.at), ..self },
        }
    }
}
