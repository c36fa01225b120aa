//! What a kubelet, and the container runtime below it, remember between syncs.

use std::net::IpAddr;
use std::rc::Rc;

use jiff::SignedDuration;

use super::backoff::BackOff;
use super::behaviour::{Behaviour, Exit, Own};
use super::fault::{KubeletFault, ProbeType};
use super::process::Process;
use crate::api::persistent::Map;
use crate::api::types::{Lease, Pod};
use crate::api::{Key, Timestamp};
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
    /// Images that a person made unavailable, each with the registry's error message.
    pub unpullable: Map<Rc<str>, Rc<str>>,
    /// PersistentVolumes whose mounting a person made fail, each with the driver's error message.
    pub unmountable: Map<Rc<str>, Rc<str>>,
    /// The node's lease as it was last written; `None` if it has to be created or read.
    pub lease: Option<Rc<Lease>>,
}

/// What the pods of a node share.
#[derive(Clone, Debug, Default)]
pub struct NodeRuntime {
    /// The images on the node.
    pub images: Map<Rc<str>, ()>,
    /// The images that are being pulled, each with the end of its pull.
    pub pulling: Map<Rc<str>, Timestamp>,
    /// When the image puller is done with all pulls requested so far; `None` if there was none.
    pub puller_free: Option<Timestamp>,
    /// The attachable volumes in use: the unique name of a volume, and the pod that uses it.
    pub volumes: Map<(Rc<str>, Key), ()>,
    /// The sum of the requests of the admitted pods.
    pub used: Requests,
    /// The pod addresses in use.
    pub addresses: Map<IpAddr, ()>,
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
        /// When the pull was requested.
        since: Timestamp,
        /// When the pull itself began, after those before it.
        began: Timestamp,
        /// When it ends.
        until: Timestamp,
        /// The error, if the pull will fail.
        refusal: Option<Rc<str>>,
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
        /// Whether it will succeed.
        succeeded: bool,
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
            | Work::Pull { until, .. }
            | Work::Start { until, .. }
            | Work::PostStart { until, .. } => Some(*until),
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
    /// Start a container.
    Start {
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
    /// The phase of the pod's worker.
    pub phase: WorkerPhase,
    /// Whether the pod's sandbox exists.
    pub sandbox: bool,
    /// The pod's addresses, one of each family; none before the sandbox has its network.
    pub addresses: Rc<[Rc<str>]>,
    /// The init containers, then the main containers, in the order of the spec.
    pub containers: Vec<ContainerRuntime>,
    /// The operation that SyncPod waits for, if any.
    pub work: Option<Work>,
    /// The steps of the SyncPod under way that are left.
    pub todo: Vec<Todo>,
    /// Whether a SyncPod is under way.
    pub syncing: bool,
    /// Whether the runtime changed since SyncPod last began (an event of the PLEG).
    pub changed: bool,
    /// When a sync that failed is retried; `None` if none failed.
    pub retry: Option<Retry>,
    /// How many times in a row mounting failed.
    pub mount_failures: u32,
    /// How many times in a row the sandbox could not be created.
    pub sandbox_failures: u32,
    /// Whether the pod waits for a ConfigMap, a Secret, a claim or a container runtime.
    pub waits_for_config: bool,
    /// The pod's CSI volumes; none before SyncPod first needed them and after the pod has ended.
    pub volumes: Vec<PodVolume>,
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
    /// The pod in the API server's last answer.
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
}

/// A CSI volume of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodVolume {
    /// The name of the PersistentVolume.
    pub volume: Rc<str>,
    /// The claim.
    pub claim: Key,
    /// Its name in the Node's status.
    pub name: Rc<str>,
    /// The driver.
    pub driver: Rc<str>,
    /// Whether it has to be attached to the node.
    pub attachable: bool,
    /// Whether it is mounted.
    pub mounted: bool,
}

/// The retry of a sync that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// When it is due.
    pub at: Timestamp,
    /// Whether it is a background deadline, because it can only fail again.
    pub background: bool,
}

/// What a status report is due to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// The container, if the cause is about one.
    pub container: Option<Rc<str>>,
    /// What happened.
    pub what: PodCause,
}

/// Calls a macro for each cause: its documentation, variant and word.
macro_rules! causes {
    ($($(#[$doc:meta])* $variant:ident = $word:literal,)*) => {
        /// What happened to a pod or to one of its containers, so that the kubelet reports another status.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum PodCause {
            $($(#[$doc])* $variant,)*
        }

        impl PodCause {
            /// All of them.
            pub const ALL: &'static [PodCause] = &[$(PodCause::$variant,)*];

            /// The word of the cause, see [`Fact::word`](crate::client::Fact::word).
            pub const fn word(self) -> &'static str {
                match self {
                    $(PodCause::$variant => $word,)*
                }
            }
        }
    };
}

causes! {
    /// The pod was bound to the node.
    #[default]
    Bound = "pod-bound",
    /// The kubelet does not admit the pod.
    Rejected = "pod-rejected",
    /// `spec.activeDeadlineSeconds` have passed.
    DeadlineExceeded = "pod-deadline-exceeded",
    /// Somebody deletes the pod.
    DeletionRequested = "pod-deletion-requested",
    /// All containers have ended, and none of them is to be restarted.
    Over = "pod-over",
    /// The containers of a pod that ends have stopped.
    Stopped = "pod-stopped",
    /// All containers are restarted, because of the rules of one that has ended.
    AllRestarted = "pod-all-restarted",
    /// The container has started.
    Started = "container-started",
    /// The container could not be started.
    NotStarted = "container-not-started",
    /// The container has ended.
    Ended = "container-ended",
    /// The readiness probe has begun to pass.
    Ready = "container-ready",
    /// The readiness probe has begun to fail.
    NotReady = "container-not-ready",
    /// The startup probe has passed.
    StartupProbePassed = "startup-probe-passed",
    /// The startup probe has failed.
    StartupProbeFailed = "startup-probe-failed",
    /// The liveness probe has failed.
    LivenessProbeFailed = "liveness-probe-failed",
}

/// A container of a pod in the runtime.
#[derive(Clone, Debug)]
pub struct ContainerRuntime {
    /// The container's name.
    pub name: Rc<str>,
    /// The current or last instance.
    pub state: ContainerState,
    /// The instance before the current one.
    pub last: Option<Rc<Exited>>,
    /// How many times the container was restarted.
    pub restarts: i32,
    /// Why the container could not be started (the kubelet's reason cache); `None` if it was not tried or
    /// has started.
    pub waiting: Option<Rc<Waiting>>,
    /// Whether the SyncPod under way has stopped the container, so that its end is not in the status yet.
    pub just_killed: bool,
    /// Whether the readiness probe runs at once instead of at its next tick.
    pub ask_readiness: bool,
    /// The back-off after the container's ends.
    pub backoff: BackOff,
    /// The back-off after failed pulls of its image.
    pub image_backoff: BackOff,
    /// The image whose pull failed last, and the error; `None` if the last pull succeeded.
    pub pull_error: Option<(Rc<str>, Rc<str>)>,
    /// The state of its probes, in the order of [`ProbeType::ALL`](super::ProbeType::ALL).
    pub probes: [ProbeRun; 3],
    /// Which of its probes a person made fail, in the same order.
    pub failing: [bool; 3],
}

impl ContainerRuntime {
    /// A container that has never been started.
    pub fn new(name: &str) -> ContainerRuntime {
        ContainerRuntime {
            name: name.into(),
            state: ContainerState::None,
            last: None,
            restarts: 0,
            waiting: None,
            just_killed: false,
            ask_readiness: false,
            backoff: BackOff::default(),
            image_backoff: BackOff::default(),
            pull_error: None,
            probes: [ProbeRun::default(); 3],
            failing: [false; 3],
        }
    }

    /// The instance, if it runs.
    pub fn running(&self) -> Option<&Running> {
        match &self.state {
            ContainerState::Running(r) => Some(&**r),
            _ => None,
        }
    }

    /// The instance, if it has ended.
    pub fn exited(&self) -> Option<&Rc<Exited>> {
        match &self.state {
            ContainerState::Exited(e) => Some(e),
            _ => None,
        }
    }
}

/// The current or last instance of a container.
#[derive(Clone, Debug)]
pub enum ContainerState {
    /// There has been no instance yet.
    None,
    /// The instance was created and is starting.
    Created(Instance),
    /// The instance runs.
    Running(Box<Running>),
    /// The instance has ended.
    Exited(Rc<Exited>),
}

/// The identity of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The container id, `containerd://…`.
    pub id: Rc<str>,
    /// The image reference in the spec.
    pub image: Rc<str>,
    /// The image id.
    pub image_id: Rc<str>,
}

/// A running instance.
#[derive(Clone, Debug)]
pub struct Running {
    /// The instance's identity.
    pub instance: Instance,
    /// When it started.
    pub since: Timestamp,
    /// What the container does.
    pub behaviour: Behaviour,
    /// What its program does by itself.
    pub own: Own,
    /// The process in the container; `None` if the shell does not know the program.
    pub process: Option<Rc<Process>>,
    /// What hooks and probes have written into its file system.
    pub outside: Rc<Vec<Write>>,
    /// When and how it ends; `None` if that is not decided.
    pub ends: Option<(Timestamp, Exit)>,
    /// Whether the kubelet is stopping it.
    pub stopping: bool,
}

/// An instance that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Exited {
    /// The instance's identity.
    pub instance: Instance,
    /// How it ended.
    pub exit: Exit,
    /// `Unknown` if the kubelet did not see it end; `None` if the reason follows from `exit`.
    pub reason: Option<&'static str>,
    /// Its last message (`terminationMessagePath`); `None` if it has left none.
    pub message: Option<Rc<str>>,
    /// The process that has ended, kept for its output; `None` if the shell does not know the program.
    pub process: Option<Rc<Process>>,
    /// When it started.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Timestamp,
}

/// Why a container could not be started, as in `state.waiting` of its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// For example `CrashLoopBackOff`.
    pub reason: &'static str,
    /// The message.
    pub message: String,
}

/// The state of a probe of a running container (`prober/worker.go`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProbeRun {
    /// The result; `None` before the first one.
    pub result: Option<bool>,
    /// The answer of the last probe; `None` before the first one.
    pub last: Option<bool>,
    /// How many times in a row that was the answer.
    pub run: i32,
    /// The moment of the last probe.
    pub asked: Option<Timestamp>,
    /// Whether the worker waits for a new instance of the container, after a failure that stops this one.
    pub on_hold: bool,
}
