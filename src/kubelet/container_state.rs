//! What the container runtime knows of a container, and the kubelet of its probes and back-offs.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::backoff::BackOff;
use super::behaviour::{Behaviour, Exit, Own};
use super::images;
use super::process::Process;
use crate::api::Timestamp;
use crate::api::pod::Spec;
use crate::api::types::Container;
use crate::shell::Write;

/// A container as the kubelet knows it, which is another one than the runtime has by now.
#[derive(Clone, Debug)]
pub struct Known {
    /// The instance.
    pub state: ContainerState,
    /// The instance before that.
    pub last: Option<Rc<Exited>>,
    /// How many times the container had been restarted.
    pub restarts: i32,
    /// Why it could not be started.
    pub waiting: Option<Rc<Waiting>>,
    /// When the runtime changed it last.
    pub changed: Timestamp,
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
    /// What the kubelet knows of it, if that is not what it is; `None` if the kubelet knows it.
    pub unnoticed: Option<Box<Known>>,
    /// Whether the readiness probe runs at once instead of at its next tick.
    pub ask_readiness: bool,
    /// The back-off after the container's ends.
    pub backoff: BackOff,
    /// A fingerprint of the image and the resources that the back-off belongs to: with others it begins anew.
    pub backoff_key: u32,
    /// The state of its probes, in the order of [`ProbeType::ALL`](super::ProbeType::ALL).
    pub probes: [ProbeRun; 3],
    /// Which of its probes a person made fail, in the same order.
    pub failing: [bool; 3],
    /// Whether it answers its probes with an error, because it lacks what it needs.
    pub ill: bool,
}

/// The reason and the message of a container that was removed because all containers of its pod are restarted
/// (`convertToAPIContainerStatuses`).
pub const RESTARTING_ALL: (&str, &str) =
    ("RestartingAllContainers", "The container is removed because RestartAllContainers in place");

impl Exited {
    /// Whether the container was removed, so that nothing is known of how and when it ended.
    pub fn is_removed(&self) -> bool {
        self.reason == Some(RESTARTING_ALL.0)
    }

    /// What is left of this instance when it is removed.
    pub fn removed(&self) -> Exited {
        let (reason, message) = RESTARTING_ALL;
        Exited {
            exit: Exit::code(137),
            reason: Some(reason),
            message: Some(message.into()),
            process: None,
            signal: None,
            ..self.clone()
        }
    }
}

/// A fingerprint of what a container's back-off belongs to: with another image or other resources it begins anew (`GetBackoffKey`,
/// `pkg/kubelet/kuberuntime/helpers.go`).
pub(super) fn backoff_key(spec: &Container) -> u32 {
    let mut parts = vec![spec.image.as_deref().unwrap_or_default()];
    for of in spec.resources.iter().flat_map(|r| [&r.requests, &r.limits]) {
        parts.extend(of.iter().flatten().flat_map(|(name, amount)| [name.as_str(), amount.0.as_str()]));
        parts.push("");
    }
    images::number(&parts)
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
            unnoticed: None,
            ask_readiness: false,
            backoff: BackOff::default(),
            backoff_key: 0,
            probes: [ProbeRun::default(); 3],
            failing: [false; 3],
            ill: false,
        }
    }

    /// The instance, if it runs.
    pub fn running(&self) -> Option<&Running> {
        match &self.state {
            ContainerState::Running(r) => Some(&**r),
            _ => None,
        }
    }

    /// The instance before the current one, if the runtime still has it. Of those that have ended the kubelet keeps one
    /// (`MaxPerPodContainer`): when it hears that the newer one has ended, it removes the older one
    /// (`pod_container_deletor.go`, `getContainersToDeleteInPod`).
    pub fn kept_last(&self) -> Option<&Rc<Exited>> {
        self.last.as_ref().filter(|last| self.exited().is_none() && !last.is_removed())
    }

    /// The instance, if its process runs at a moment. A process that ends by itself is gone at once, and the pod's next turn notes that.
    pub fn running_at(&self, now: Timestamp) -> Option<&Running> {
        self.running().filter(|r| r.ends.is_none_or(|(at, _)| at > now))
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
    /// The environment that it was started with, if some of it comes from ConfigMaps or Secrets, which can change.
    pub environment: Option<Rc<BTreeMap<String, String>>>,
    /// How many versions of the pod's volumes had been written when it started. Mounts with a `subPath` stay as they were.
    pub volumes: u64,
    /// The process in the container; `None` if the shell does not know the program.
    pub process: Option<Rc<Process>>,
    /// What hooks and probes have written into its file system.
    pub outside: Rc<Vec<Write>>,
    /// When and how it ends; `None` if that is not decided.
    pub ends: Option<(Timestamp, Exit)>,
    /// Whether it has started, waits for etcd and does nothing yet.
    pub waits_for_etcd: bool,
    /// Since when the kubelet is stopping it; `None` if it is not.
    pub stopping: Option<Timestamp>,
    /// When each of its probes was asked first, in the order of [`ProbeType::ALL`](super::ProbeType::ALL).
    pub probed: [Option<Timestamp>; 3],
    /// When it gets SIGTERM, if the kubelet is stopping it.
    pub signal: Option<Timestamp>,
    /// The spec of its pod when it was given its resources.
    pub allocation: Option<Spec>,
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
    /// When it got SIGTERM; `None` if it ended without.
    pub signal: Option<Timestamp>,
    /// From when until when each of its probes was asked, in the order of [`ProbeType::ALL`](super::ProbeType::ALL).
    pub probed: [Option<(Timestamp, Timestamp)>; 3],
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

impl ContainerRuntime {
    /// The runtime has changed the instance. The kubelet knows that when PLEG has noticed it.
    pub fn becomes(&mut self, state: ContainerState, at: Timestamp) {
        let before = std::mem::replace(&mut self.state, state);
        match &mut self.unnoticed {
            Some(known) => known.changed = at,
            None => {
                self.unnoticed = Some(Box::new(Known {
                    state: before,
                    last: self.last.clone(),
                    restarts: self.restarts,
                    waiting: self.waiting.clone(),
                    changed: at,
                }));
            }
        }
    }

    /// The current or last instance that the kubelet knows.
    pub fn known(&self) -> &ContainerState {
        self.unnoticed.as_ref().map_or(&self.state, |known| &known.state)
    }

    /// The instance that runs, as far as the kubelet knows.
    pub fn known_running(&self) -> Option<&Running> {
        match self.known() {
            ContainerState::Running(r) => Some(&**r),
            _ => None,
        }
    }

    /// The instance that has ended, as far as the kubelet knows.
    pub fn known_exited(&self) -> Option<&Rc<Exited>> {
        match self.known() {
            ContainerState::Exited(e) => Some(e),
            _ => None,
        }
    }

    /// The instance before the current one that the kubelet knows.
    pub fn known_last(&self) -> Option<&Rc<Exited>> {
        self.unnoticed.as_ref().map_or(self.last.as_ref(), |known| known.last.as_ref())
    }

    /// The restarts that the kubelet knows.
    pub fn known_restarts(&self) -> i32 {
        self.unnoticed.as_ref().map_or(self.restarts, |known| known.restarts)
    }

    /// Why the container could not be started, when the kubelet last knew of its instance.
    pub fn known_waiting(&self) -> Option<&Rc<Waiting>> {
        self.unnoticed.as_ref().map_or(self.waiting.as_ref(), |known| known.waiting.as_ref())
    }

    /// The instance that has ended by itself without the kubelet knowing it: when it ended.
    pub fn ended_unnoticed(&self) -> Option<Timestamp> {
        let ran = self.known_running().is_some_and(|r| r.stopping.is_none());
        self.exited().filter(|_| ran).map(|e| e.finished)
    }
}
