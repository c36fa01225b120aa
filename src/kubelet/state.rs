//! What a kubelet and the container runtime below it remember between syncs.

use std::net::Ipv4Addr;
use std::rc::Rc;

use jiff::SignedDuration;

use super::backoff::BackOff;
use super::behaviour::{Behaviour, Exit};
use super::fault::{Fault, ProbeType};
use crate::api::persistent::Map;
use crate::api::types::{Lease, Pod};
use crate::api::{Key, Timestamp};

/// A kubelet's memory. Cloning it copies pointers.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The pods it runs, or ran and still has to report.
    pub pods: Map<Key, Rc<PodRuntime>>,
    /// Images and addresses.
    pub node: NodeRuntime,
    /// What a person broke and the next sync of the pod has to look at; numbered, so that a sync
    /// takes away only what it saw.
    pub faults: Map<(Key, u64), Fault>,
    /// The number of the next fault.
    pub next_fault: u64,
    /// Images that cannot be pulled to this node, with what the registry says.
    pub unpullable: Map<Rc<str>, Rc<str>>,
    /// The lease as it was last written.
    pub lease: Option<Rc<Lease>>,
}

/// What the containers of a node share.
#[derive(Clone, Debug, Default)]
pub struct NodeRuntime {
    /// The images that are there.
    pub images: Map<Rc<str>, ()>,
    /// Those that are being pulled, and when that ends.
    pub pulling: Map<Rc<str>, Timestamp>,
    /// When the image puller has done all that it was asked for.
    pub puller_free: Option<Timestamp>,
    /// What its pods ask for, together.
    pub used: Requests,
    /// The addresses that are taken.
    pub addresses: Map<Ipv4Addr, ()>,
    /// The address that was given last; the next one follows it (CNI's `host-local`).
    pub last_address: Option<Ipv4Addr>,
}

/// Amounts of what a node has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// CPU, in thousandths.
    pub cpu: i64,
    /// Memory, in bytes.
    pub memory: i64,
    /// Ephemeral storage, in bytes.
    pub storage: i64,
    /// Pods.
    pub pods: i64,
}

/// Where a pod worker stands (`pod_workers.go`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkerPhase {
    /// SyncPod: its containers shall run.
    #[default]
    Sync,
    /// SyncTerminatingPod: its containers are stopped.
    Terminating,
    /// SyncTerminatedPod: nothing of it runs any more.
    Terminated,
}

/// What SyncPod waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// The sandbox and its network.
    Sandbox {
        /// When they are there.
        until: Timestamp,
    },
    /// The image of a container.
    Pull {
        /// The container.
        container: usize,
        /// When it was asked for.
        since: Timestamp,
        /// When the pull itself began.
        began: Timestamp,
        /// When it ends.
        until: Timestamp,
        /// Why it fails, if it does.
        refusal: Option<Rc<str>>,
    },
    /// A container that was created starts.
    Start {
        /// The container.
        container: usize,
        /// When it has.
        until: Timestamp,
    },
    /// A hook after the start of a container.
    PostStart {
        /// The container.
        container: usize,
        /// When it is over.
        until: Timestamp,
        /// Whether it succeeded.
        succeeded: bool,
    },
    /// A container is being stopped.
    Kill {
        /// The container.
        container: usize,
    },
}

impl Work {
    /// When it goes on; a kill goes on when the container has ended.
    pub fn until(&self) -> Option<Timestamp> {
        match self {
            Work::Sandbox { until }
            | Work::Pull { until, .. }
            | Work::Start { until, .. }
            | Work::PostStart { until, .. } => Some(*until),
            Work::Kill { .. } => None,
        }
    }
}

/// What a SyncPod under way still has to do, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Todo {
    /// Make the sandbox.
    Sandbox,
    /// Stop a container.
    Kill {
        /// Which.
        container: usize,
        /// The event's message.
        message: String,
        /// The probe that asked for it.
        probe: Option<ProbeType>,
    },
    /// Start a container.
    Start {
        /// Which.
        container: usize,
    },
    /// Take down the sandbox: nothing will run in it any more.
    StopSandbox,
    /// The pod is over: go on to SyncTerminatingPod.
    Terminate,
}

/// What is remembered of a pod.
#[derive(Clone, Debug, Default)]
pub struct PodRuntime {
    /// Its uid.
    pub uid: Rc<str>,
    /// Where its worker stands.
    pub phase: WorkerPhase,
    /// Whether its sandbox is there.
    pub sandbox: bool,
    /// Its address, once it has one.
    pub address: Option<Rc<str>>,
    /// Its init containers, then its containers, in the order of the spec.
    pub containers: Vec<ContainerRuntime>,
    /// What SyncPod waits for.
    pub work: Option<Work>,
    /// What it does afterwards.
    pub todo: Vec<Todo>,
    /// Whether a SyncPod is under way.
    pub syncing: bool,
    /// Whether something happened in the runtime that SyncPod has not seen (the PLEG's event).
    pub changed: bool,
    /// When a sync that failed at something wants to be tried again.
    pub retry: Option<Retry>,
    /// How often a mount failed.
    pub mount_failures: u32,
    /// Whether it waits for a ConfigMap, a Secret or a claim.
    pub waits_for_config: bool,
    /// When the probe workers began; their ticks are counted from here.
    pub probing_since: Option<Timestamp>,
    /// Whether SyncPod has looked at it once.
    pub seen: bool,
    /// Why it is over although its containers are not: `reason` and `message` of a failed pod.
    pub failed: Option<(Rc<str>, Rc<str>)>,
    /// The grace period its containers are being stopped with.
    pub grace: Option<SignedDuration>,
    /// Its status has to be generated and compared with what was reported.
    pub unreported: bool,
    /// The pod as the API server answered last.
    pub latest: Option<Rc<Pod>>,
    /// What it was admitted with.
    pub requests: Option<Requests>,
    /// It was not admitted.
    pub rejected: bool,
    /// Its object was asked to be removed.
    pub deleted: bool,
    /// What happened last, for the reason of the next status.
    pub cause: Cause,
    /// Its machine stopped and came back.
    pub rebooted: bool,
    /// The last generation that SyncPod saw.
    pub generation: i64,
    /// Whether the pod has, or had, annotations that say what its containers do.
    pub annotated: bool,
}

/// When a sync that failed is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// When.
    pub at: Timestamp,
    /// Whether it can only fail again.
    pub background: bool,
}

/// What a status change is due to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// The container, if it is about one.
    pub container: Option<Rc<str>>,
    /// What happened.
    pub what: &'static str,
}

/// One of a pod's containers in the runtime.
#[derive(Clone, Debug)]
pub struct ContainerRuntime {
    /// Its name.
    pub name: Rc<str>,
    /// Its current or last instance.
    pub state: ContainerState,
    /// The instance before.
    pub last: Option<Rc<Exited>>,
    /// How often it was started again.
    pub restarts: i32,
    /// Why it could not be started (the kubelet's reason cache).
    pub waiting: Option<Rc<Waiting>>,
    /// It was stopped by the SyncPod under way, which did not see it end.
    pub just_killed: bool,
    /// Its readiness probe is to be asked without waiting for its tick.
    pub ask_readiness: bool,
    /// Its back-off after crashes.
    pub backoff: BackOff,
    /// Its back-off after failed pulls, and what the last one failed with.
    pub image_backoff: BackOff,
    /// The image that failed to be pulled, with the error.
    pub pull_error: Option<(Rc<str>, Rc<str>)>,
    /// Its probes: startup, liveness, readiness.
    pub probes: [ProbeRun; 3],
    /// A probe that a person made fail.
    pub failing: [bool; 3],
}

impl ContainerRuntime {
    /// A container that was never started.
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

    /// Its running instance.
    pub fn running(&self) -> Option<&Running> {
        match &self.state {
            ContainerState::Running(r) => Some(r),
            _ => None,
        }
    }

    /// Its ended instance.
    pub fn exited(&self) -> Option<&Rc<Exited>> {
        match &self.state {
            ContainerState::Exited(e) => Some(e),
            _ => None,
        }
    }
}

/// An instance of a container.
#[derive(Clone, Debug)]
pub enum ContainerState {
    /// There was none yet.
    None,
    /// It was created and starts.
    Created(Instance),
    /// It runs.
    Running(Running),
    /// It has ended.
    Exited(Rc<Exited>),
}

/// What identifies an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// `steady://…`
    pub id: Rc<str>,
    /// The image as the spec had it.
    pub image: Rc<str>,
    /// The image's identity.
    pub image_id: Rc<str>,
}

/// A running instance.
#[derive(Clone, Debug)]
pub struct Running {
    /// Its identity.
    pub instance: Instance,
    /// Since when.
    pub since: Timestamp,
    /// What it does.
    pub behaviour: Behaviour,
    /// When it ends, as far as that is decided.
    pub ends: Option<(Timestamp, Exit)>,
    /// Whether it is being stopped.
    pub stopping: bool,
}

/// An instance that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exited {
    /// Its identity.
    pub instance: Instance,
    /// How it ended.
    pub exit: Exit,
    /// `Unknown` where nobody saw it end; else it follows from `exit`.
    pub reason: Option<&'static str>,
    /// When it started.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Timestamp,
}

/// Why a container could not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// `CrashLoopBackOff`
    pub reason: &'static str,
    /// In a sentence.
    pub message: String,
}

/// A probe of a running container (`prober/worker.go`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProbeRun {
    /// What is known; `None` before the first result that counts.
    pub result: Option<bool>,
    /// What the last probe said.
    pub last: Option<bool>,
    /// How often in a row.
    pub run: i32,
    /// When it was asked last.
    pub asked: Option<Timestamp>,
    /// Whether it waits for a new container.
    pub on_hold: bool,
}
