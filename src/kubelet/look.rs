//! What a view reads of a kubelet's managers that they keep for themselves. Nothing here changes anything.

use std::rc::Rc;

use jiff::SignedDuration;

use super::config::used_volumes;
use super::cri::{ContainerConfig, PodSandboxConfig};
use super::image_gc::in_use;
use super::image_gc::used;
use super::images;
use super::pod_manager;
use super::projection::is_written;
use super::state::{PodRuntime, PodVolume, State, WorkerPhase};
use super::thresholds::{Pressure, Resource, Threshold};
use super::turn::Turn;
use crate::api::types::{Pod, Volume};
use crate::api::{Key, Timestamp};
use crate::client::Caches;

/// A threshold of the eviction manager, and what is observed of its signal.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// The name of the signal, for example `memory.available`.
    pub signal: &'static str,
    /// How much there is, rounded.
    pub available: String,
    /// Of how much.
    pub capacity: String,
    /// The threshold is met if less is available than this.
    pub threshold: String,
    /// Whether it is met now.
    pub is_met: bool,
    /// How long it has to be met before pods are evicted; zero for a hard threshold.
    pub grace: SignedDuration,
    /// Since when it has been met, as of the last look.
    pub since: Option<Timestamp>,
}

/// An amount, rounded: `7.6Gi`.
fn short(resource: Resource, amount: i64) -> String {
    let unit = match resource {
        Resource::Memory | Resource::Storage => [("Gi", 1 << 30), ("Mi", 1 << 20)],
        Resource::Inodes | Resource::Pids => [("M", 1_000_000), ("k", 1000)],
    };
    let Some((name, size)) = unit.into_iter().find(|(_, size)| amount >= *size) else {
        return amount.to_string();
    };
    let tenths = amount / (size / 10);
    if tenths % 10 == 0 {
        format!("{}{name}", tenths / 10)
    } else {
        format!("{}.{}{name}", tenths / 10, tenths % 10)
    }
}

/// What is observed of each threshold, in the order in which the manager looks at them.
pub fn observed(state: &State) -> Vec<Observed> {
    let used = used(&state.node);
    let of = |t: &Threshold| {
        let (available, capacity) = state.settings.observe(t.signal, used)?;
        let since = state.eviction.first_observed.iter().find(|(old, _)| old.is_same(t)).map(|(_, at)| *at);
        let (threshold, resource) = (t.value.of(capacity), t.signal.resource());
        Some(Observed {
            signal: t.signal.as_str(),
            available: short(resource, available),
            capacity: short(resource, capacity),
            threshold: short(resource, threshold),
            is_met: available < threshold,
            grace: t.grace,
            since,
        })
    };
    state.settings.thresholds.iter().filter_map(of).collect()
}

/// The pressures that the node has, or had a short while ago, each with the moment at which it was observed last.
pub fn pressures(state: &State) -> Vec<(&'static str, Option<Timestamp>)> {
    let all = Pressure::ALL.into_iter().zip(state.eviction.last_observed);
    all.filter(|(p, _)| state.eviction.has(*p)).map(|(p, at)| (p.condition(), at)).collect()
}

/// The images that no container uses: how many, and their size in bytes.
pub fn unused_images(state: &State) -> (usize, i64) {
    let used = in_use(state);
    let unused = state.node.images.keys().filter(|image| !used.contains(*image));
    let size = |image: &Rc<str>| i64::try_from(images::size(image)).unwrap_or(i64::MAX);
    unused.fold((0, 0), |(n, bytes), image| (n + 1, bytes + size(image)))
}

/// The capacity of the node's disk in bytes; `None` if it is not known.
pub fn disk(state: &State) -> Option<i64> {
    state.settings.disk
}

/// A pod as the kubelet has it, and whether it is a static one.
pub fn pod(state: &State, caches: &Caches, key: &Key) -> Option<(Rc<Pod>, bool)> {
    pod_manager::pod(state, caches, key).map(|known| (known.pod, known.is_static))
}

/// How far the actual state of the world is with a volume that a pod wants.
#[derive(Clone, Debug, PartialEq)]
pub enum Actual {
    /// It is not there yet.
    Missing,
    /// The kubelet has written its files: the number of their version.
    Written(Option<u64>),
    /// It is a CSI volume.
    Csi(PodVolume),
    /// It is mounted.
    Mounted,
}

/// A volume of a pod in the desired state of the world, or still in the actual one.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeOf {
    /// Its name: of a CSI volume that of its PersistentVolume.
    pub name: Rc<str>,
    /// The field of the pod that says where it comes from, for example `emptyDir`.
    pub source: &'static str,
    /// How far it is.
    pub actual: Actual,
}

/// The field of a volume that says where it comes from.
fn source_of(v: &Volume) -> &'static str {
    let all = [
        ("emptyDir", v.empty_dir.is_some()),
        ("hostPath", v.host_path.is_some()),
        ("configMap", v.config_map.is_some()),
        ("secret", v.secret.is_some()),
        ("downwardAPI", v.downward_api.is_some()),
        ("projected", v.projected.is_some()),
        ("persistentVolumeClaim", v.persistent_volume_claim.is_some()),
        ("ephemeral", v.ephemeral.is_some()),
        ("csi", v.csi.is_some()),
        ("image", v.image.is_some()),
        ("nfs", v.nfs.is_some()),
    ];
    all.into_iter().find(|(_, is)| *is).map_or("volume", |(name, _)| name)
}

/// Whether a CSI volume is what a volume of the pod's spec leads to.
fn leads_to(pod: &Key, of: &Volume, csi: &PodVolume) -> bool {
    if csi.inline {
        return of.csi.is_some() && *csi.volume == *of.name;
    }
    match (&of.persistent_volume_claim, &of.ephemeral) {
        (Some(claim), _) => *csi.claim.name == *claim.claim_name,
        (None, Some(_)) => *csi.claim.name == *format!("{}-{}", pod.name, of.name),
        (None, None) => false,
    }
}

/// The volumes of a pod: those of the desired state of the world, each with how far the actual state is, and those CSI volumes that
/// are still there though the pod wants them no more. A pod wants none when its containers have ended for good.
pub fn volumes(state: &State, caches: &Caches, key: &Key, rt: &PodRuntime) -> Vec<VolumeOf> {
    let known = self::pod(state, caches, key).filter(|_| rt.phase != WorkerPhase::Terminated);
    let spec = known.as_ref().and_then(|(pod, _)| pod.spec.as_ref());
    let mut left: Vec<&PodVolume> = rt.volumes.iter().collect();
    let mut all = Vec::new();
    for v in spec.into_iter().flat_map(used_volumes) {
        let place = left.iter().position(|csi| leads_to(key, v, csi));
        if let Some(csi) = place.map(|place| left.remove(place)) {
            let (name, actual) = (csi.volume.clone(), Actual::Csi(csi.clone()));
            all.push(VolumeOf { name, source: source_of(v), actual });
            continue;
        }
        let name = spec.map_or(v.name.as_str(), |spec| spec.volume_name(&v.name));
        let written = rt.files.all.iter().find(|w| *w.name == *name);
        let actual = match written {
            Some(w) => Actual::Written(w.versions.last().map(|version| version.number)),
            // What is mounted for the pod is noted when everything is.
            None if !is_written(v) && rt.lasting.is_some() => Actual::Mounted,
            None => Actual::Missing,
        };
        all.push(VolumeOf { name: name.into(), source: source_of(v), actual });
    }
    all.extend(left.into_iter().map(|csi| VolumeOf {
        name: csi.volume.clone(),
        source: "csi",
        actual: Actual::Csi(csi.clone()),
    }));
    all
}

/// How far the shutdown of a node has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShuttingDown {
    /// How many groups of pods have been told to end, and how many there are.
    pub groups: (usize, usize),
    /// How many pods of the last group were told, and until when the kubelet waits for them; `None` if it waits for none.
    pub waits: Option<(usize, Timestamp)>,
}

/// The shutdown of the node; `None` if it is not being shut down.
pub fn shutdown(state: &State) -> Option<ShuttingDown> {
    let shutdown = state.shutdown.as_ref()?;
    Some(ShuttingDown {
        groups: (shutdown.groups, state.settings.shutdown.len()),
        waits: shutdown.waits.as_ref().map(|(pods, until)| (pods.len(), *until)),
    })
}

/// The id of the sandbox of a pod that the kubelet runs.
pub fn sandbox_id(rt: &PodRuntime) -> String {
    super::calls::sandbox_of(rt)
}

/// A kubelet whose configurations are worked out again, as they are now.
#[derive(Clone, Copy)]
pub struct OfNode<'a> {
    /// What the kubelet remembers.
    pub state: &'a State,
    /// What its informers have seen.
    pub caches: &'a Caches,
    /// The key of its Node.
    pub node: &'a Key,
    /// The time.
    pub now: Timestamp,
}

impl OfNode<'_> {
    fn with<R>(&self, pod: &Key, read: impl FnOnce(&Turn<'_>) -> Option<R>) -> Option<R> {
        let (object, _) = self::pod(self.state, self.caches, pod)?;
        let rt = (**self.state.pods.get(pod)?).clone();
        let spec = object.spec.as_ref()?;
        read(&Turn::new(&object, spec, rt, self.state, self.node, self.caches, self.now))
    }

    /// The configuration of a pod's sandbox.
    pub fn sandbox_config(&self, pod: &Key) -> Option<PodSandboxConfig> {
        self.with(pod, |turn| Some(turn.sandbox_config()))
    }

    /// The configuration of a container of a pod, by its place in the memory of the kubelet.
    pub fn container_config(&self, pod: &Key, container: usize) -> Option<ContainerConfig> {
        self.with(pod, |turn| Some(turn.container_config(container, turn.container_spec(container)?)))
    }
}
