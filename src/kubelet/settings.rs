//! What a kubelet is told about its node: the part of its configuration file that can be declared here, as annotations of
//! the Node (`KubeletConfiguration`), and the node's size.
//!
//! | annotation of the Node | meaning | default |
//! | --- | --- | --- |
//! | `sim.steady/eviction-hard` | `--eviction-hard` | Kubernetes' own |
//! | `sim.steady/eviction-soft`, `sim.steady/eviction-soft-grace-period` | the flags of these names | none |
//! | `sim.steady/eviction-minimum-reclaim` | the flag | none |
//! | `sim.steady/eviction-max-pod-grace-period` | seconds, of evictions by soft thresholds | 0 |
//! | `sim.steady/eviction-pressure-transition-period` | the flag | `5m` |
//! | `sim.steady/kube-reserved`, `sim.steady/system-reserved` | the flags of these names | none |
//! | `sim.steady/shutdown-grace-period`, `-critical-pods`, `-by-pod-priority` | `shutdownGracePeriod`, `shutdownGracePeriodCriticalPods`, `shutdownGracePeriodByPodPriority` | none |
//! | `sim.steady/cpu-manager-policy`, `-options`, `sim.steady/reserved-cpus` | the flags of these names | `none` |
//! | `sim.steady/topology-manager-policy`, `-scope` | the flags | `none`, `container` |
//! | `sim.steady/threads-per-core`, `sim.steady/numa-nodes` | the machine's processors | 1, 1 |
//! | `sim.steady/image-gc-high-threshold`, `sim.steady/image-gc-low-threshold`, `sim.steady/minimum-image-ttl-duration` | the flags of these names | 85, 80, `2m` |
//! | `sim.steady/allowed-unsafe-sysctls` | the flag | none |
//! | `sim.steady/manifest-url`, `sim.steady/manifest-url-header`, `sim.steady/http-check-frequency` | the flags of these names | none, none, `20s` |
//! | `sim.steady/system-memory`, `-disk`, `-inodes`, `-pids` | what the node uses beside its pods | 400Mi, 0, 0, 100 |
//! | `sim.steady/inodes`, `sim.steady/pid-max` | how many there are | one for 16 KiB, 32768 |

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::SignedDuration;

use super::amounts::Stats;
use super::cpu_policy::CpuPolicy;
use super::cpu_topology::parse;
use super::manifest_url::ManifestUrl;
use super::said::Said;
use super::shutdown_periods::{self, GracePeriod};
use super::thresholds::{self, Signal, Threshold};
use crate::api::quantity::{Amount, Format, amount_of};
use crate::api::quote::go_quote;
use crate::api::resource::{Amounts, add};
use crate::api::types::{Node, Quantity};

/// The memory that a node uses beside its pods: the system and the kubelet. A node of less than eight times as much uses an
/// eighth of what it has.
const SYSTEM_MEMORY: i64 = 400 << 20;
/// The processes of a node beside those of its pods.
const SYSTEM_PIDS: i64 = 100;
/// How many bytes of a disk one inode is for (the default of `mkfs.ext4`).
const BYTES_PER_INODE: i64 = 16 << 10;
/// The process ids of a machine (`kernel.pid_max`).
const PID_MAX: i64 = 32768;
/// The time for which a node's condition stays after its cause has gone (`evictionPressureTransitionPeriod`).
const TRANSITION: SignedDuration = SignedDuration::from_mins(5);

/// The settings of a kubelet.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How much there is; `None` of what is not known: nothing is observed of it.
    pub(super) memory: Option<i64>,
    pub(super) disk: Option<i64>,
    pub(super) inodes: Option<i64>,
    pub(super) pids: Option<i64>,
    /// What the node uses beside its pods and images.
    pub(super) system: Stats,
    /// The memory that is reserved for the node itself.
    pub(super) reserved: i64,
    /// What is reserved of each resource, eviction thresholds included; `None` if nothing was declared.
    reservation: Option<Amounts>,
    pub(super) thresholds: Vec<Threshold>,
    pub(super) transition: SignedDuration,
    /// The longest grace period of pods that are evicted by soft thresholds, in seconds.
    pub(super) max_pod_grace: i64,
    /// How long pods have when the node is shut down; empty if its kubelet takes no notice.
    pub(super) shutdown: Rc<[GracePeriod]>,
    /// What of the Node's annotations does not count, and why.
    pub(super) wrong: Rc<[Rc<str>]>,
    /// The static policy of the CPU manager; `None` if it has none.
    pub(super) cpus: Option<Rc<CpuPolicy>>,
    /// When the image manager removes images.
    pub(super) images: ImageCollection,
    /// The settings of the kernel that pods may change, beside those that all may; they can end in `*`.
    pub(super) allowed_sysctls: Vec<String>,
    /// Where it gets static pods from over HTTP, or why it cannot; `None` if nowhere.
    pub(super) manifest_url: Option<Result<Rc<ManifestUrl>, Rc<str>>>,
    /// Where the kubelet has to look whether a threshold is met: what pods and images can use below any.
    alarm: Stats,
}

/// Where the memory is used up, with the amount that is a whole for the kernel's scores (`oom_badness`: `totalpages`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutOfMemory {
    /// On the whole machine.
    Node {
        /// Its memory in bytes.
        limit: i64,
    },
    /// In the cgroup of all pods.
    Pods {
        /// The limit of the cgroup in bytes.
        limit: i64,
    },
}

/// When the image manager removes images (`ImageGCPolicy`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ImageCollection {
    /// From how many percent of the disk on.
    pub(super) high: i64,
    /// Until how many.
    pub(super) low: i64,
    /// How long an image has not been used at least.
    pub(super) min_age: SignedDuration,
}

impl Default for ImageCollection {
    fn default() -> ImageCollection {
        ImageCollection { high: 85, low: 80, min_age: SignedDuration::from_mins(2) }
    }
}

impl ImageCollection {
    /// The flags of the image manager, or the defaults if they contradict each other (`NewImageGCManager`, `image_gc_manager.go`).
    fn of(said: &Said<'_>) -> ImageCollection {
        let default = ImageCollection::default();
        let percent = |flag: &str, default: i64| {
            let read = |text: &str| match text.parse::<i64>() {
                Ok(percent @ 0..=100) => Ok(percent),
                _ => Err("must be a percentage from 0 to 100".to_owned()),
            };
            said.read(flag, read).unwrap_or(default)
        };
        let low = percent("image-gc-low-threshold", default.low);
        let high = percent("image-gc-high-threshold", default.high);
        let min_age = said.duration("minimum-image-ttl-duration").unwrap_or(default.min_age);
        if low < high {
            return ImageCollection { high, low, min_age };
        }
        let flag = ["image-gc-low-threshold", "image-gc-high-threshold"]
            .into_iter()
            .find(|f| said.text(f).is_some());
        said.refuse(
            flag.unwrap_or_default(),
            &format!("the low threshold {low} has to be less than the high one {high}"),
        );
        ImageCollection { min_age, ..default }
    }
}

impl Default for Settings {
    /// Those of a kubelet that does not know its node yet.
    fn default() -> Settings {
        Settings {
            memory: None,
            disk: None,
            inodes: None,
            pids: None,
            system: Stats::default(),
            reserved: 0,
            reservation: None,
            thresholds: Vec::new(),
            transition: TRANSITION,
            max_pod_grace: 0,
            shutdown: Rc::default(),
            wrong: Rc::default(),
            cpus: None,
            images: ImageCollection::default(),
            allowed_sysctls: Vec::new(),
            manifest_url: None,
            alarm: Stats { memory: i64::MAX, disk: i64::MAX, inodes: i64::MAX, pids: i64::MAX },
        }
    }
}

/// The memory that a node of so much uses for itself.
pub(super) fn system_memory(capacity: Option<i64>) -> i64 {
    capacity.map_or(SYSTEM_MEMORY, |c| SYSTEM_MEMORY.min(c / 8))
}

impl Settings {
    /// Reads them off a Node.
    pub(super) fn of(node: &Node) -> Settings {
        let said = Said::of(node);
        let capacity = node.status.as_ref().and_then(|s| s.capacity.as_ref());
        let has = |name: &str| capacity.and_then(|c| c.get(name)).map(|q| amount_of(Some(q)).value());
        let disk = has("ephemeral-storage");
        let memory = has("memory");
        let (pid_max, inodes) = (said.amount("pid-max"), said.amount("inodes"));
        let mut settings = Settings {
            memory,
            disk,
            inodes: inodes.or_else(|| disk.map(|d| d / BYTES_PER_INODE)),
            pids: memory.map(|_| pid_max.unwrap_or(PID_MAX)),
            system: Stats {
                memory: said.amount("system-memory").unwrap_or_else(|| system_memory(memory)),
                disk: said.amount("system-disk").unwrap_or(0),
                inodes: said.amount("system-inodes").unwrap_or(0),
                pids: said.amount("system-pids").unwrap_or(SYSTEM_PIDS),
            },
            thresholds: thresholds::parse(&said),
            max_pod_grace: said.amount("eviction-max-pod-grace-period").unwrap_or(0),
            images: ImageCollection::of(&said),
            transition: said.duration("eviction-pressure-transition-period").unwrap_or(TRANSITION),
            shutdown: shutdown_periods::periods(&said).into(),
            ..Settings::default()
        };
        let sysctls = said.text("allowed-unsafe-sysctls").unwrap_or_default().split(',').map(str::trim);
        settings.allowed_sysctls = sysctls.filter(|s| !s.is_empty()).map(str::to_owned).collect();
        let reserves = ["kube-reserved", "system-reserved"].map(|flag| said.amounts(flag));
        let set =
            |text| parse(text).filter(|set| !set.is_empty()).ok_or_else(|| "no set of processors".to_owned());
        let own_cpus = said.read("reserved-cpus", set);
        settings.reserve(reserves.into_iter().flatten(), own_cpus.map(|set| set.len()));
        settings.refuse_reservation(&said, capacity);
        let reserved =
            settings.reservation.as_ref().and_then(|r| r.get("cpu")).map_or(0, |a| a.milli_value());
        settings.manifest_url = ManifestUrl::of(|name| said.text(name)).map(|of| of.map(Rc::new));
        settings.cpus = CpuPolicy::of(&said, has("cpu"), reserved).map(Rc::new);
        settings.alarm = settings.find_alarm();
        let of_url =
            settings.manifest_url.iter().filter_map(|of| of.as_ref().err()).cloned().collect::<Vec<_>>();
        settings.wrong = said.wrong().into_iter().chain(of_url).collect();
        settings
    }

    /// Notes what `--kube-reserved` and `--system-reserved` keep from pods, and what the hard thresholds do
    /// (`GetNodeAllocatableReservation`, `pkg/kubelet/cm/node_container_manager_linux.go`). Processors that are reserved by their
    /// numbers take the place of the amount.
    fn reserve<'a>(&mut self, amounts: impl Iterator<Item = (&'a str, Amount)>, cpus: Option<usize>) {
        let mut all = Amounts::new();
        amounts.for_each(|(name, amount)| add(&mut all, &Amounts::from([(name.to_owned(), amount)])));
        if let Some(count) = cpus.and_then(|n| i64::try_from(n).ok()) {
            all.insert("cpu".to_owned(), Amount::from_value(count, Format::DecimalSI));
        }
        if all.is_empty() {
            return;
        }
        self.reserved = all.get("memory").map_or(0, |a| a.value());
        for t in self.thresholds.iter().filter(|t| t.is_hard()) {
            let (name, capacity) = match t.signal {
                Signal::Memory => ("memory", self.memory),
                Signal::NodeFs => ("ephemeral-storage", self.disk),
                _ => continue,
            };
            let amount = Amount::from_value(t.value.of(capacity.unwrap_or(0)), Format::BinarySI);
            add(&mut all, &Amounts::from([(name.to_owned(), amount)]));
        }
        self.reservation = Some(all);
    }

    /// Nothing is reserved if it would be more than there is (`validateNodeAllocatable`).
    fn refuse_reservation(&mut self, said: &Said<'_>, capacity: Option<&BTreeMap<String, Quantity>>) {
        let more = self.reservation.iter().flatten().find_map(|(name, amount)| {
            let has = amount_of(Some(capacity?.get(name)?));
            (has.minus(*amount).sign() < 0).then(|| {
                let (name, amount, has) = (go_quote(name), amount.canonical(), has.canonical());
                format!(
                    "Resource {name} has a reservation of {amount} but capacity of {has}. Expected capacity >= reservation."
                )
            })
        });
        let Some(why) = more else { return };
        let flags = ["kube-reserved", "system-reserved", "reserved-cpus"].into_iter();
        flags.filter(|flag| said.text(flag).is_some()).for_each(|flag| said.refuse(flag, &why));
        (self.reservation, self.reserved) = (None, 0);
    }

    /// What pods may use of a Node, if something is reserved and the Node does not say so yet.
    pub(super) fn allocatable(&self, node: &Node) -> Option<BTreeMap<String, Quantity>> {
        let (reserved, status) = (self.reservation.as_ref()?, node.status.as_ref()?);
        let mut all = status.capacity.clone()?;
        for (name, quantity) in &mut all {
            let Some(amount) = reserved.get(name) else { continue };
            let left = amount_of(Some(quantity)).minus(*amount);
            *quantity = if left.sign() < 0 { Amount::ZERO } else { left }.to_quantity();
        }
        let same = |old: &BTreeMap<String, Quantity>| {
            old.len() == all.len() && old.iter().all(|(k, v)| amount_of(all.get(k)) == amount_of(Some(v)))
        };
        (!status.allocatable.as_ref().is_some_and(same)).then_some(all)
    }

    /// Whether two Nodes lead to other settings.
    pub(super) fn differ(old: &Node, new: &Node) -> bool {
        let ours = |n: &Node| -> BTreeMap<String, String> {
            let all = n.metadata.annotations.iter().flatten();
            all.filter(|(k, _)| k.starts_with("sim.steady/")).map(|(k, v)| (k.clone(), v.clone())).collect()
        };
        let capacity = |n: &Node| n.status.as_ref().and_then(|s| s.capacity.clone());
        (old.metadata.annotations != new.metadata.annotations && ours(old) != ours(new))
            || capacity(old) != capacity(new)
    }

    /// How much of a signal's resource there is, and how much of that pods and images may use until none is left.
    fn bounds(&self, signal: Signal) -> Option<(i64, i64)> {
        Some(match signal {
            Signal::Memory => (self.memory?, self.memory?.saturating_sub(self.system.memory)),
            Signal::AllocatableMemory => (self.memory_of_pods()?, self.memory_of_pods()?),
            Signal::NodeFs | Signal::ImageFs => (self.disk?, self.disk?.saturating_sub(self.system.disk)),
            Signal::NodeFsInodes | Signal::ImageFsInodes => {
                (self.inodes?, self.inodes?.saturating_sub(self.system.inodes))
            }
            Signal::Pid => (self.pids?, self.pids?.saturating_sub(self.system.pids)),
        })
    }

    /// What is available for a signal, and of how much; `None` if that is not known. `used` is what pods and images use.
    pub(super) fn observe(&self, signal: Signal, used: Stats) -> Option<(i64, i64)> {
        let (capacity, room) = self.bounds(signal)?;
        let used = match signal.resource() {
            thresholds::Resource::Memory => used.memory,
            thresholds::Resource::Storage => used.disk,
            thresholds::Resource::Inodes => used.inodes,
            thresholds::Resource::Pids => used.pids,
        };
        Some((room.saturating_sub(used).max(0), capacity))
    }

    fn find_alarm(&self) -> Stats {
        let mut alarm = Settings::default().alarm;
        for t in &self.thresholds {
            let Some((capacity, room)) = self.bounds(t.signal) else { continue };
            let one = match t.signal.resource() {
                thresholds::Resource::Memory => &mut alarm.memory,
                thresholds::Resource::Storage => &mut alarm.disk,
                thresholds::Resource::Inodes => &mut alarm.inodes,
                thresholds::Resource::Pids => &mut alarm.pids,
            };
            *one = (*one).min(room.saturating_sub(t.value.of(capacity)));
        }
        alarm
    }

    /// Whether a threshold is met if pods and images use so much.
    pub(super) fn is_alarming(&self, used: Stats) -> bool {
        used.exceeds(self.alarm)
    }

    /// The memory that all pods together may use: what is not reserved (`getNodeAllocatableInternalAbsolute`,
    /// `pkg/kubelet/cm/node_container_manager_linux.go`). It is the kernel's limit on the cgroup `kubepods`, from which hard
    /// thresholds take nothing.
    fn memory_of_pods(&self) -> Option<i64> {
        Some(self.memory?.saturating_sub(self.reserved))
    }

    /// Where there is no memory left if pods use so much; `None` if there is some. The kernel kills at the first limit that is
    /// reached: that of all pods, whatever the system uses, or the end of the machine's memory.
    pub(super) fn out_of_memory(&self, used: Stats) -> Option<OutOfMemory> {
        let (all, of_pods) = (self.memory?, self.memory_of_pods()?);
        let room = all.saturating_sub(self.system.memory);
        let (limit, place) = match of_pods < room {
            true => (of_pods, OutOfMemory::Pods { limit: of_pods }),
            false => (room, OutOfMemory::Node { limit: all }),
        };
        (used.memory > limit).then_some(place)
    }
}
