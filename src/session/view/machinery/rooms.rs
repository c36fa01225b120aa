//! The rooms of a kubelet: its config sources, pod workers, PLEG, probe workers, status manager, volume manager, eviction
//! manager, garbage collection, node status and lease, and what the container runtime below has. All of it is read off the
//! kubelet's memory as it stands.

use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::rc::Rc;

use super::waits::{WorkerRow, worker};
use super::{SHOWN, cut};
use crate::api::types::{Container, Node, Pod, PodSpec, Probe};
use crate::api::{Key, MetaExt, Timestamp, order};
use crate::client::{Caches, Component};
use crate::kubelet::container_state::{ContainerRuntime, ContainerState, ProbeRun};
use crate::kubelet::pleg::relist_after;
use crate::kubelet::state::{PodRuntime, State, WorkerPhase};
use crate::kubelet::{self, ProbeType, is_from_url, look, timings};
use crate::session::view::Word;

/// What is on the node's disk, and what the garbage collectors could remove of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Garbage {
    /// How many images there are, and their size in bytes.
    pub images: (usize, i64),
    /// How many of them no container uses, and their size in bytes.
    pub unused: (usize, i64),
    /// The size of the disk in bytes; `None` if it is not known.
    pub disk: Option<i64>,
    /// How many containers have ended and are still there.
    pub dead: usize,
}

/// How many characters are shown of an error, which can have all that a server has answered in it.
const ERROR_SHOWN: usize = 400;

/// A source of pods.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceRoom {
    /// `api`, `file` or, where the kubelet has a URL, `http`.
    pub name: Word,
    /// Why the kubelet could not read it when it last tried, in its own words.
    pub error: Option<Word>,
    /// The first of its pods, and the number of further ones.
    pub pods: (Vec<String>, usize),
}

/// An event of the PLEG: what the runtime has reported of a container.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlegEvent {
    /// `ContainerStarted` or `ContainerDied`.
    pub event: Word,
    /// The pod.
    pub pod: String,
    /// The container.
    pub container: Rc<str>,
    /// The exit code of one that has died.
    pub exit: Option<i32>,
    /// How many milliseconds ago that was.
    pub ago: i64,
    /// Whether the pod's worker has not synced the pod since.
    pub unseen: bool,
    /// Whether it has happened and is not reported yet, because PLEG has not listed the containers since.
    pub unnoticed: bool,
}

/// When PLEG lists all containers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Relists {
    /// The interval in milliseconds.
    pub period: i64,
    /// In how many milliseconds the next one follows that will find something; `None` if there is nothing to be found.
    pub next: Option<i64>,
}

/// A worker of the prober.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeRow {
    /// The pod.
    pub pod: String,
    /// The container.
    pub container: Rc<str>,
    /// `startup`, `liveness` or `readiness`.
    pub probe: Word,
    /// `exec`, `httpGet`, `tcpSocket` or `grpc`.
    pub handler: Word,
    /// The result; `None` before there is one.
    pub result: Option<bool>,
    /// The answer of the last probe; `None` before the first.
    pub last: Option<bool>,
    /// How many times in a row that was the answer, and how many are needed for a result.
    pub counted: (i32, i32),
    /// Whether the worker waits for a new instance of the container.
    pub on_hold: bool,
    /// The period in seconds.
    pub period: i32,
    /// How many milliseconds ago it probed last.
    pub ago: Option<i64>,
}

/// A volume of a pod.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VolumeRow {
    /// The pod.
    pub pod: String,
    /// The name of the volume: of a CSI volume that of its PersistentVolume.
    pub volume: Rc<str>,
    /// The field of the pod that says where it comes from, for example `emptyDir`.
    pub source: Word,
    /// How far it is: `wanted`, `unattached`, `attached`, `staged`, `mounted`, `written`.
    pub state: Word,
    /// Of a volume whose files the kubelet writes: which version they are.
    pub version: Option<u64>,
}

impl VolumeRow {
    /// Whether it is in the actual state of the world as it is wanted.
    pub fn is_there(&self) -> bool {
        matches!(self.state.as_str(), "mounted" | "written")
    }
}

/// A signal of the eviction manager against a threshold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignalRow {
    /// For example `memory.available`.
    pub signal: Word,
    /// How much there is, of how much, and the threshold.
    pub amounts: [String; 3],
    /// Whether there is less than the threshold.
    pub is_met: bool,
    /// The grace period in seconds; 0 for a hard threshold.
    pub grace: i64,
    /// For how many milliseconds it has been met, as of the last look.
    pub since: Option<i64>,
}

/// A container that has processors for itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExclusiveRow {
    /// The pod; its containers' processors are given back when it has ended.
    pub pod: String,
    /// The container.
    pub container: Rc<str>,
    /// The processors, as Linux lists them: `2-3`.
    pub cpus: String,
    /// The NUMA nodes to which they belong.
    pub numa: Vec<u32>,
}

/// What the CPU manager with the static policy and the topology manager have decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessorsRoom {
    /// The policy of the topology manager, and its scope.
    pub topology: (Word, Word),
    /// How many NUMA nodes the machine has.
    pub numa: u32,
    /// The processors that the other containers share.
    pub shared: String,
    /// The processors that no container gets for itself.
    pub reserved: String,
    /// The containers with processors of their own.
    pub exclusive: (Vec<ExclusiveRow>, usize),
}

/// A pod that waits for a decision, or was refused: the pod, what it is in Kubernetes' words, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecisionRow {
    /// The pod.
    pub pod: String,
    /// For example `TopologyAffinityError`, `Deferred`, `InProgress`.
    pub what: Word,
    /// Why; empty if nothing is said.
    pub message: String,
}

/// The shutdown of the node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShutdownRoom {
    /// How many groups of pods have been told to end, and how many there are.
    pub groups: (usize, usize),
    /// How many pods are waited for, and for how many milliseconds at most; `None` if none is.
    pub waits: Option<(usize, i64)>,
}

/// The container manager, and who asks it: admission, in-place resizes, the shutdown manager.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ManagerRoom {
    /// The processors; `None` with the policy `none`.
    pub processors: Option<ProcessorsRoom>,
    /// The pods that admission has refused and that are still there.
    pub rejected: (Vec<DecisionRow>, usize),
    /// The resizes that wait, are under way or have failed.
    pub resizes: (Vec<DecisionRow>, usize),
    /// The shutdown; `None` if the node is not being shut down.
    pub shutdown: Option<ShutdownRoom>,
}

/// A sandbox in the runtime.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SandboxRow {
    /// The pod.
    pub pod: String,
    /// The first digits of the sandbox's id.
    pub id: String,
    /// Whether it is ready.
    pub ready: bool,
    /// The handler of the pod's RuntimeClass; empty for the default one.
    pub handler: String,
    /// Its containers, each with `CREATED`, `RUNNING` or `EXITED`.
    pub containers: Vec<(Rc<str>, Word)>,
}

/// The rooms of a kubelet. Of each list the first entries, and the number of further ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rooms {
    /// The sources of pods.
    pub sources: Vec<SourceRoom>,
    /// The pod workers, those that wait for something first.
    pub workers: (Vec<WorkerRow>, usize),
    /// What the runtime has reported, the newest first.
    pub pleg: (Vec<PlegEvent>, usize),
    /// When PLEG asks the runtime.
    pub relists: Relists,
    /// The probe workers, those first whose probe fails or counts.
    pub probes: (Vec<ProbeRow>, usize),
    /// The pods whose status may be another one than the API server has.
    pub statuses: (Vec<String>, usize),
    /// How many statuses the API server has.
    pub reported: usize,
    /// The volumes, those first that are not there yet.
    pub volumes: (Vec<VolumeRow>, usize),
    /// How many volumes there are in the list, and how many of them are mounted or written.
    pub worlds: (usize, usize),
    /// The container manager.
    pub manager: ManagerRoom,
    /// The signals of the eviction manager.
    pub signals: Vec<SignalRow>,
    /// The pressures of the node, each with the milliseconds since it was observed last.
    pub pressures: Vec<(Word, Option<i64>)>,
    /// In how many milliseconds the eviction manager looks next; `None` if it has no reason to.
    pub looks: Option<i64>,
    /// The garbage collectors.
    pub garbage: Garbage,
    /// How many milliseconds ago the lease was renewed, and in how many it is renewed next.
    pub lease: (Option<i64>, Option<i64>),
    /// In how many milliseconds the status of the node is reported next.
    pub status: Option<i64>,
    /// The sandboxes in the runtime.
    pub sandboxes: (Vec<SandboxRow>, usize),
    /// The images that are being pulled, each with the milliseconds until that ends.
    pub pulling: (Vec<(Rc<str>, i64)>, usize),
}

/// What is read while the rooms are worked out.
struct Looking<'a> {
    state: &'a State,
    caches: &'a Caches,
    now: Timestamp,
    node: Option<&'a Node>,
}

fn probe_of(spec: &Container, of: ProbeType) -> Option<&Probe> {
    match of {
        ProbeType::Startup => spec.startup_probe.as_ref(),
        ProbeType::Liveness => spec.liveness_probe.as_ref(),
        ProbeType::Readiness => spec.readiness_probe.as_ref(),
    }
}

fn handler_of(probe: &Probe) -> &'static str {
    if probe.exec.is_some() {
        "exec"
    } else if probe.http_get.is_some() {
        "httpGet"
    } else if probe.tcp_socket.is_some() {
        "tcpSocket"
    } else {
        "grpc"
    }
}

impl Looking<'_> {
    fn ago(&self, at: Timestamp) -> i64 {
        self.now.as_millisecond().saturating_sub(at.as_millisecond())
    }

    fn pods(&self) -> impl Iterator<Item = (&Key, &PodRuntime)> {
        self.state.pods.iter().map(|(key, rt)| (key, &**rt)).filter(|(_, rt)| !rt.deleted)
    }

    fn sources(&self) -> Vec<SourceRoom> {
        let of_url = |is: bool| {
            let all = self.state.static_pods.iter().filter(move |(_, pod)| is_from_url(pod) == is);
            cut(all.map(|(key, _)| key.to_string()), SHOWN)
        };
        let of_api = self.caches.of(crate::api::Kind::POD).list(None);
        // Mirror pods show what comes from elsewhere.
        let of_api = of_api.filter(|o| !self.state.static_pods.contains_key(&o.key()));
        let url = self.state.url.as_ref().map(|url| SourceRoom {
            name: Word::new_static("http"),
            error: url.failure().map(|why| Word::from(why.chars().take(ERROR_SHOWN).collect::<String>())),
            pods: of_url(true),
        });
        let mut all = vec![
            SourceRoom {
                name: Word::new_static("api"),
                error: None,
                pods: cut(of_api.map(|o| o.key().to_string()), SHOWN),
            },
            SourceRoom { name: Word::new_static("file"), error: None, pods: of_url(false) },
        ];
        all.extend(url);
        all
    }

    fn pleg(&self) -> Vec<PlegEvent> {
        let mut all: Vec<PlegEvent> = Vec::new();
        for (key, rt) in self.pods() {
            for c in &rt.containers {
                // The end of a process is noted by the pod's next turn, but the process is gone.
                let ended = c.running().and_then(|r| r.ends).filter(|(at, _)| *at <= self.now);
                let (event, at, exit) = match &c.state {
                    ContainerState::Running(r) => match ended {
                        Some((at, exit)) => ("ContainerDied", at, Some(exit.code)),
                        None => ("ContainerStarted", r.since, None),
                    },
                    ContainerState::Exited(e) => ("ContainerDied", e.finished, Some(e.exit.code)),
                    ContainerState::None | ContainerState::Created(_) => continue,
                };
                all.push(PlegEvent {
                    event: Word::new_static(event),
                    pod: key.to_string(),
                    container: c.name.clone(),
                    exit,
                    ago: self.ago(at),
                    unseen: rt.changed || c.unnoticed.is_some() || ended.is_some(),
                    unnoticed: ended
                        .map(|(at, _)| at)
                        .or(c.unnoticed.as_ref().map(|known| known.changed))
                        .is_some_and(|changed| relist_after(changed) > self.now),
                });
            }
        }
        order::sort_by_key(&mut all, |e| e.ago);
        all
    }

    fn relists(&self) -> Relists {
        let all =
            self.pods().filter(|(_, rt)| rt.phase == WorkerPhase::Sync).flat_map(|(_, rt)| rt.notices());
        let next = all.map(|(_, at)| at).filter(|at| *at > self.now).min();
        let period = i64::try_from(timings::RELIST.as_millis()).unwrap_or(i64::MAX);
        Relists { period, next: next.map(|at| self.ago(at).saturating_neg()) }
    }

    fn probes(&self) -> Vec<ProbeRow> {
        let mut all = Vec::new();
        for (key, rt) in self.pods() {
            let Some((pod, _)) = look::pod(self.state, self.caches, key) else { continue };
            let Some(spec) = pod.spec.as_deref() else { continue };
            let specs = || spec.init_containers.iter().flatten().chain(&spec.containers);
            for c in rt.containers.iter().filter(|c| c.known_running().is_some()) {
                let Some(own) = specs().find(|s| *s.name == *c.name) else { continue };
                all.extend(ProbeType::ALL.into_iter().filter_map(|of| self.probe(key, c, own, of)));
            }
        }
        order::sort_by_key(&mut all, |p: &ProbeRow| (p.result == Some(true), p.counted.0 == 0));
        all
    }

    fn probe(&self, pod: &Key, c: &ContainerRuntime, own: &Container, of: ProbeType) -> Option<ProbeRow> {
        let probe = probe_of(own, of)?;
        let run: ProbeRun = c.probes.get(of as usize).copied().unwrap_or_default();
        let needed = match run.last {
            Some(false) => probe.failure_threshold.unwrap_or(3),
            _ => probe.success_threshold.unwrap_or(1),
        };
        Some(ProbeRow {
            pod: pod.to_string(),
            container: c.name.clone(),
            probe: Word::from(of.as_str().to_ascii_lowercase()),
            handler: Word::new_static(handler_of(probe)),
            result: run.result,
            last: run.last,
            counted: (run.run.min(needed), needed),
            on_hold: run.on_hold,
            period: probe.period_seconds.unwrap_or(10),
            ago: run.asked.map(|at| self.ago(at)),
        })
    }

    fn volumes(&self) -> Vec<VolumeRow> {
        let attached = |name: &str| {
            let all = self.node.and_then(|n| n.status.as_ref()?.volumes_attached.as_ref());
            all.into_iter().flatten().any(|v| v.name == name)
        };
        let state = |actual: &look::Actual| match actual {
            look::Actual::Missing => "wanted",
            look::Actual::Written(_) => "written",
            look::Actual::Mounted => "mounted",
            look::Actual::Csi(v) if v.mounted => "mounted",
            look::Actual::Csi(v) if self.state.node.staged.contains_key(&v.name) => "staged",
            look::Actual::Csi(v) if v.attachable && !attached(&v.name) => "unattached",
            look::Actual::Csi(_) => "attached",
        };
        let mut all = Vec::new();
        for (key, rt) in self.pods() {
            let of_pod = look::volumes(self.state, self.caches, key, rt);
            all.extend(of_pod.into_iter().map(|v| VolumeRow {
                pod: key.to_string(),
                state: Word::new_static(state(&v.actual)),
                source: Word::new_static(v.source),
                version: match v.actual {
                    look::Actual::Written(version) => version,
                    _ => None,
                },
                volume: v.name,
            }));
        }
        order::sort_by_key(&mut all, VolumeRow::is_there);
        all
    }

    /// The pods that admission has refused (`rejectPod`), as long as they are there.
    fn rejected(&self) -> impl Iterator<Item = DecisionRow> {
        self.pods().filter(|(_, rt)| rt.rejected).map(|(key, rt)| {
            let (reason, message) = rt.failed.clone().unwrap_or_default();
            DecisionRow { pod: key.to_string(), what: Word::from(&*reason), message: message.to_string() }
        })
    }

    fn resizes(&self) -> impl Iterator<Item = DecisionRow> {
        self.pods().filter_map(|(key, rt)| {
            let resize = &rt.resize;
            let (what, message) = match (&resize.pending, &resize.error) {
                (Some(pending), _) => (pending.reason, pending.message.to_string()),
                (None, Some(error)) => ("Error", error.to_string()),
                (None, None) => resize.progress.map(|_| ("InProgress", String::new()))?,
            };
            Some(DecisionRow { pod: key.to_string(), what: Word::new_static(what), message })
        })
    }

    fn manager(&self) -> ManagerRoom {
        let processors = kubelet::processors(self.state).map(|p| {
            let row = |e: kubelet::Exclusive| ExclusiveRow {
                pod: e.pod.map(|key| key.to_string()).unwrap_or_default(),
                container: e.container,
                cpus: e.cpus,
                numa: e.numa,
            };
            ProcessorsRoom {
                topology: (Word::new_static(p.topology_policy), Word::new_static(p.scope)),
                numa: p.numa,
                shared: p.shared,
                reserved: p.reserved,
                exclusive: cut(p.exclusive.into_iter().map(row), SHOWN),
            }
        });
        let shutdown = look::shutdown(self.state).map(|s| ShutdownRoom {
            groups: s.groups,
            waits: s.waits.map(|(pods, until)| (pods, self.ago(until).saturating_neg())),
        });
        ManagerRoom {
            processors,
            rejected: cut(self.rejected(), SHOWN),
            resizes: cut(self.resizes(), SHOWN),
            shutdown,
        }
    }

    fn signals(&self) -> Vec<SignalRow> {
        let row = |o: look::Observed| SignalRow {
            signal: Word::new_static(o.signal),
            amounts: [o.available, o.capacity, o.threshold],
            is_met: o.is_met,
            grace: o.grace.as_secs(),
            since: o.since.map(|at| self.ago(at)),
        };
        look::observed(self.state).into_iter().map(row).collect()
    }

    fn garbage(&self) -> Garbage {
        let images = &self.state.node;
        let ended = |rt: &PodRuntime| {
            if rt.removed { 0 } else { rt.containers.iter().filter(|c| c.exited().is_some()).count() }
        };
        Garbage {
            images: (images.images.keys().count(), images.image_bytes),
            unused: look::unused_images(self.state),
            disk: look::disk(self.state),
            dead: self.state.pods.values().map(|rt| ended(rt)).sum(),
        }
    }

    fn sandboxes(&self) -> Vec<SandboxRow> {
        let handler = |pod: &Pod| {
            let name = pod.spec.as_deref().and_then(|s: &PodSpec| s.runtime_class_name.as_deref())?;
            let class = self.caches.get::<crate::api::types::RuntimeClass>(&Key::new("", name))?;
            Some(class.handler.clone())
        };
        let state = |c: &ContainerRuntime| {
            let word = match &c.state {
                ContainerState::None => return None,
                ContainerState::Created(_) => "CREATED",
                ContainerState::Running(_) => "RUNNING",
                ContainerState::Exited(_) => "EXITED",
            };
            Some((c.name.clone(), Word::new_static(word)))
        };
        let row = |(key, rt): (&Key, &PodRuntime)| {
            let containers: Vec<_> = rt.containers.iter().filter_map(state).collect();
            if rt.removed || !rt.sandbox && containers.is_empty() {
                return None;
            }
            let pod = look::pod(self.state, self.caches, key);
            Some(SandboxRow {
                pod: key.to_string(),
                id: look::sandbox_id(rt).chars().take(13).collect(),
                ready: rt.sandbox,
                handler: pod.and_then(|(pod, _)| handler(&pod)).unwrap_or_default(),
                containers,
            })
        };
        let mut all: Vec<SandboxRow> = self.pods().filter_map(row).collect();
        order::sort_by_key(&mut all, |s| Reverse(s.ready));
        all
    }
}

/// The rooms of a component, if it is a kubelet.
pub(super) fn rooms(
    component: &dyn Component,
    caches: &Caches,
    node: Option<&str>,
    now: Timestamp,
) -> Option<Rooms> {
    let state = component.state().downcast_ref::<State>()?;
    let node = node.and_then(|n| caches.get::<Node>(&Key::new("", n))).map(|n| &**n);
    let l = Looking { state, caches, now, node };
    // The tasks of the node itself are keys of the queue: `NODE/lease`.
    let name = node.map(|n| MetaExt::name(&n.metadata)).unwrap_or_default();
    let next = |task: &str| {
        let key = format!("{name}/{task}");
        let mut planned = component.queue().planned();
        planned.find(|(k, _)| k.to_string() == key).map(|(_, at)| l.ago(*at).saturating_neg())
    };
    let renewed = state.lease.as_ref().and_then(|lease| lease.spec.as_ref()?.renew_time.as_ref());
    let mut workers: Vec<WorkerRow> = l.pods().map(|(key, rt)| worker(key, rt, now)).collect();
    order::sort_by_key(&mut workers, |w| (w.waits.is_none(), w.left));
    let unreported = l.pods().filter(|(_, rt)| rt.unreported).map(|(key, _)| key.to_string());
    let statuses = cut(unreported, SHOWN);
    let volumes = l.volumes();
    let worlds = (volumes.len(), volumes.iter().filter(|v| v.is_there()).count());
    let pulling = state.node.pulling.iter().filter(|(_, until)| **until > now);
    Some(Rooms {
        sources: l.sources(),
        workers: cut(workers.into_iter(), SHOWN),
        pleg: cut(l.pleg().into_iter(), SHOWN),
        relists: l.relists(),
        probes: cut(l.probes().into_iter(), SHOWN),
        reported: l.pods().count().saturating_sub(statuses.0.len() + statuses.1),
        statuses,
        volumes: cut(volumes.into_iter(), SHOWN),
        worlds,
        manager: l.manager(),
        signals: l.signals(),
        pressures: look::pressures(state)
            .into_iter()
            .map(|(name, at)| (Word::new_static(name), at.map(|at| l.ago(at))))
            .collect(),
        looks: next("evict"),
        garbage: l.garbage(),
        lease: (renewed.map(|at| l.ago(at.0)), next("lease")),
        status: next("status"),
        sandboxes: cut(l.sandboxes().into_iter(), SHOWN),
        pulling: cut(pulling.map(|(image, until)| (image.clone(), l.ago(*until).saturating_neg())), SHOWN),
    })
}
