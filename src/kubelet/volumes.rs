//! The volume manager (`pkg/kubelet/volumemanager`), as far as it is about CSI volumes: a volume is mounted on the node
//! once the attach/detach controller has attached it, and unmounted when its pods have ended.
//!
//! Mounting is two calls of the driver on the node. `NodeStageVolume` mounts the volume once for the node, at a path of its own;
//! `NodePublishVolume` mounts it from there for each pod. In reverse, `NodeUnpublishVolume` follows the end of each pod, and
//! `NodeUnstageVolume` that of the last one. The API server has no part in it, but each call is a step.
//!
//! A node's status says both sides: the kubelet writes `volumesInUse`, the volumes that it has mounted or is going to
//! mount; the controller writes `volumesAttached`. The kubelet mounts only what is in both, and the controller detaches
//! only what the kubelet does not have in use.

use std::rc::Rc;

use super::images;
use super::state::{PodRuntime, PodVolume, State, Work};
use super::task::Task;
use super::timings::{self, later};
use super::turn::Turn;
use super::wake::{Retry, WakeSort};
use crate::api::node_selector::Terms;
use crate::api::quote::go_quote;
use crate::api::types::{CSIDriver, Node, PersistentVolume, PersistentVolumeClaim, Secret, Volume};
use crate::api::volume::{claim_of, volume_name};
use crate::api::{Key, Kind, MetaExt, ObjectRef, Timestamp, csi};
use crate::apimachinery::Status;
use crate::client::{Caches, Handler, Why};

/// Whether a node's status names a volume as in use and as attached.
fn is_attached(node: &Node, volume: &str) -> bool {
    let Some(status) = node.status.as_ref() else { return false };
    status.volumes_in_use.iter().flatten().any(|v| v == volume)
        && status.volumes_attached.iter().flatten().any(|v| v.name == volume)
}

/// The volumes that the kubelet has in use, by name.
pub(super) fn in_use(state: &State) -> Vec<String> {
    let mut names: Vec<String> = state.node.volumes.keys().map(|(volume, _)| volume.to_string()).collect();
    names.dedup();
    names
}

/// Whether the Node's `status.volumesInUse` is not what the kubelet has in use.
pub(super) fn is_unreported(state: &State, node: &Node) -> bool {
    let said = node.status.as_ref().and_then(|s| s.volumes_in_use.as_deref()).unwrap_or_default();
    said != in_use(state)
}

/// The next moment at which kubelets report their nodes' status (`nodeStatusUpdateFrequency`).
pub(super) fn next_report(now: Timestamp) -> jiff::SignedDuration {
    let interval = timings::NODE_STATUS_UPDATE;
    let since = now.duration_since(Timestamp::UNIX_EPOCH).as_millis().rem_euclid(interval.as_millis());
    interval - jiff::SignedDuration::from_millis(i64::try_from(since).unwrap_or(0))
}

/// Whether the plug-in of a CSI driver is registered with the kubelet.
pub(super) fn is_registered(caches: &Caches, driver: &str) -> bool {
    driver == csi::DRIVER && caches.get::<CSIDriver>(&Key::new("", driver)).is_some()
}

impl Turn<'_> {
    /// The pod's CSI volumes. Its claims are bound.
    fn csi_volumes(&self) -> Vec<PodVolume> {
        let of = |v| {
            let (claim, _) = claim_of(self.pod, v)?;
            let claim = Key::new(MetaExt::namespace(&self.pod.metadata), &claim);
            let bound = self.caches.get::<PersistentVolumeClaim>(&claim)?;
            let volume = self.caches.get::<PersistentVolume>(&Key::new("", volume_name(bound)))?;
            let (driver, handle) = csi::source(volume)?;
            let installed = self.caches.get::<CSIDriver>(&Key::new("", driver));
            Some(PodVolume {
                volume: MetaExt::name(&volume.metadata).into(),
                claim,
                name: csi::unique_name(driver, handle).into(),
                driver: driver.into(),
                attachable: csi::needs_attach(installed.map(|d| &**d)),
                inline: false,
                mounted: false,
            })
        };
        let inline = |v: &Volume| {
            let source = v.csi.as_ref()?;
            // The kubelet makes a handle by hashing the names of the volume and of the pod (`makeVolumeHandle`).
            let handle = format!("csi-{:08x}", images::number(&[&self.rt.uid, &v.name]));
            Some(PodVolume {
                volume: v.name.as_str().into(),
                claim: Key::new("", ""),
                name: csi::unique_name(&source.driver, &handle).into(),
                driver: source.driver.as_str().into(),
                attachable: false,
                inline: true,
                mounted: false,
            })
        };
        let volumes = self.used_volumes();
        volumes.filter_map(|v| of(v).or_else(|| inline(v))).collect()
    }

    /// Whether the pod's CSI volumes are mounted (`WaitForAttachAndMount`). If they are not, the next steps towards that
    /// are taken: the node says that it uses them, waits until they are attached, and mounts them.
    pub(super) fn csi_volumes_are_mounted(&mut self) -> bool {
        if self.rt.volumes.is_empty() {
            self.rt.volumes = self.csi_volumes();
            let key = MetaExt::key(&self.pod.metadata);
            for v in self.rt.volumes.iter().filter(|v| v.attachable) {
                self.node.volumes.insert((v.name.clone(), key.clone()), ());
            }
        }
        let all_mounted = self.rt.volumes.iter().all(|v| v.mounted);
        if !all_mounted {
            self.rt.waits_for_attach = !self.volumes_are_attached();
            if self.rt.waits_for_attach {
                return false;
            }
        }
        if let Some(message) = self.belongs_elsewhere() {
            self.mount_failed(message);
            return false;
        }
        if all_mounted {
            return true;
        }
        let failure = self.rt.volumes.iter().filter(|v| !v.mounted).find_map(|v| self.why_not_mounted(v));
        if let Some(message) = failure {
            self.mount_failed(message);
            return false;
        }
        self.rt.mount_failures = 0;
        self.rt.waits_for_config = false;
        if self.rt.volumes.iter().all(|v| v.inline || self.node.staged.contains_key(&v.name)) {
            // Another pod of the node has them already. A mount from there takes no time.
            self.publish();
            return true;
        }
        self.rt.work = Some(Work::Mount { until: later(self.now, timings::MOUNT) });
        false
    }

    /// Why a PersistentVolume of the pod cannot be mounted on this node, whose labels its node affinity does not match
    /// (`checkNodeAffinity`, `pkg/volume/util/operationexecutor/operation_generator.go`). The scheduler has seen to that, but not for a pod
    /// that names its node itself.
    fn belongs_elsewhere(&self) -> Option<String> {
        let node = self.caches.get::<Node>(self.node_key)?;
        self.used_volumes().find_map(|v| {
            let (claim, _) = claim_of(self.pod, v)?;
            let claim = Key::new(MetaExt::namespace(&self.pod.metadata), &claim);
            let bound = self.caches.get::<PersistentVolumeClaim>(&claim)?;
            let volume = self.caches.get::<PersistentVolume>(&Key::new("", volume_name(bound)))?;
            let required = volume.spec.as_ref()?.node_affinity.as_ref()?.required.as_ref()?;
            let name = go_quote(MetaExt::name(&volume.metadata));
            let why = "no matching NodeSelectorTerms";
            (!Terms::parse(required).matches(node))
                .then(|| format!("MountVolume.NodeAffinity check failed for volume {name} : {why}"))
        })
    }

    /// Why a volume cannot be mounted; `None` if it can. What fails is the first mount for the node, or, where another pod of
    /// the node has the volume, the mount for the pod (`GenerateMountVolumeFunc`, `csi_attacher.go`, `csi_mounter.go`).
    fn why_not_mounted(&self, v: &PodVolume) -> Option<String> {
        if let Some(why) = self.mode_is_missing(v) {
            return Some(format!(
                "MountVolume.NewMounter initialization failed for volume {:?} : {why}",
                v.volume
            ));
        }
        let (step, client) = match v.inline || self.node.staged.contains_key(&v.name) {
            false => ("MountDevice", "attacher.MountDevice failed to create newCsiDriverClient"),
            true => ("SetUp", "mounter.SetUpAt failed to get CSI client"),
        };
        let prefix = format!("MountVolume.{step} failed for volume {:?} : ", v.volume);
        if !is_registered(self.caches, &v.driver) {
            return Some(format!(
                "{prefix}kubernetes.io/csi: {client}: driver name {} not found in the list of registered CSI drivers",
                v.driver
            ));
        }
        if let Some(why) = self.secret_is_missing(v) {
            return Some(format!("{prefix}{why}"));
        }
        let why = self.unmountable.get(&v.volume)?;
        Some(format!("{prefix}rpc error: code = Internal desc = {why}"))
    }

    /// Why the driver of an inline volume makes none (`csi_plugin.go`, `supportsVolumeLifecycleMode`); `None` if it does, or for
    /// another volume.
    fn mode_is_missing(&self, v: &PodVolume) -> Option<String> {
        if !v.inline {
            return None;
        }
        let of_driver = format!("volume mode \"Ephemeral\" not supported by driver {}", v.driver);
        let Some(driver) = self.caches.get::<CSIDriver>(&Key::new("", &v.driver)) else {
            return Some(format!("{of_driver} (no CSIDriver object)"));
        };
        let modes = driver.spec.volume_lifecycle_modes.as_deref().unwrap_or_default();
        let quoted: Vec<String> = modes.iter().map(|m| format!("{m:?}")).collect();
        let has = modes.iter().any(|m| m == "Ephemeral");
        (!has).then(|| format!("{of_driver} (only supports [{}])", quoted.join(" ")))
    }

    /// Why the Secret of an inline volume cannot be given to its driver (`csi_util.go`, `getCredentialsFromSecret`); `None` if it can,
    /// or if there is none.
    fn secret_is_missing(&self, v: &PodVolume) -> Option<String> {
        let volume = self.spec.volumes.iter().flatten().find(|of| v.inline && *of.name == *v.volume)?;
        let name = volume.csi.as_ref()?.node_publish_secret_ref.as_ref()?.name.clone();
        let namespace = MetaExt::namespace(&self.pod.metadata);
        if self.caches.get::<Secret>(&Key::new(namespace, &name)).is_some() {
            return None;
        }
        let why = Status::not_found(Kind::SECRET, &name).message;
        Some(format!(
            "fetching NodePublishSecretRef {namespace}/{name} failed: kubernetes.io/csi: failed to find the secret {name} in the \
             namespace {namespace} with error: {why}"
        ))
    }

    /// Whether the Node's status says of all volumes that have to be attached that they are.
    pub(super) fn volumes_are_attached(&self) -> bool {
        let Some(node) = self.caches.get::<Node>(self.node_key) else { return false };
        self.rt.volumes.iter().all(|v| !v.attachable || is_attached(node, &v.name))
    }

    /// Records that a volume could not be mounted, and plans another attempt.
    pub(super) fn mount_failed(&mut self, message: String) {
        self.event(None, "Warning", "FailedMount", message);
        self.mount_later();
    }

    /// Looks at the pod's volumes again later, or as soon as something has changed that they wait for.
    pub(super) fn mount_later(&mut self) {
        self.rt.waits_for_config = true;
        let wait = timings::MOUNT_RETRY.saturating_mul(1 << self.rt.mount_failures.min(10));
        self.rt.mount_failures = self.rt.mount_failures.saturating_add(1);
        self.rt.retry =
            Some(Retry { at: later(self.now, wait.min(timings::MOUNT_MAX)), sort: WakeSort::Background });
    }

    /// The pod's volumes have been staged: from there they are mounted for the pod.
    pub(super) fn staged(&mut self) {
        let names = self.rt.volumes.iter().enumerate().filter(|(_, v)| !v.inline);
        let names: Vec<(usize, Rc<str>)> = names.map(|(i, v)| (i, v.name.clone())).collect();
        for (i, name) in names {
            // Two pods that came at once stage a volume once.
            if self.node.staged.insert(name, ()).is_none() {
                self.note_call(Why::new("kubelet.node_stage_volume"), i);
            }
        }
        self.publish();
    }

    /// Mounts the volumes for the pod.
    fn publish(&mut self) {
        for i in 0..self.rt.volumes.len() {
            let Some(v) = self.rt.volumes.get_mut(i).filter(|v| !v.mounted) else { continue };
            v.mounted = true;
            let inline = v.inline;
            self.note_call(
                if inline {
                    Why::new("kubelet.node_publish_inline_volume")
                } else {
                    Why::new("kubelet.node_publish_volume")
                },
                i,
            );
        }
    }

    /// Notes a call of the CSI driver on the node about one of the pod's volumes, which is a step.
    fn note_call(&mut self, why: Why, volume: usize) {
        let Some(v) = self.rt.volumes.get(volume) else { return };
        let pod = ObjectRef { kind: Kind::POD, key: MetaExt::key(&self.pod.metadata) };
        let at = ObjectRef { kind: Kind::PERSISTENT_VOLUME, key: Key::new("", &v.volume) };
        let why = match v.inline {
            true => why.read("pod", pod, "spec.volumes", &v.volume).with("volume", &v.volume),
            false => why.read("pod", pod, "spec.volumes", &v.claim).read("volume", at, "spec.csi", &v.volume),
        };
        self.disk_writes.push(why);
    }

    /// Unmounts the pod's volumes: none of its containers runs any more. A volume that no other pod of the node has is no
    /// longer staged then, and may be detached.
    pub(super) fn unmount(&mut self) {
        let key = MetaExt::key(&self.pod.metadata);
        for i in 0..self.rt.volumes.len() {
            let Some(v) = self.rt.volumes.get(i) else { continue };
            let (name, mounted) = (v.name.clone(), v.mounted);
            if mounted {
                self.note_call(Why::new("kubelet.node_unpublish_volume"), i);
            }
            let others = self.pods.iter().filter(|(other, _)| **other != key);
            let has = |rt: &PodRuntime| rt.volumes.iter().any(|o| o.name == name);
            if !others.into_iter().any(|(_, rt)| has(rt)) && self.node.staged.remove(&name).is_some() {
                self.note_call(Why::new("kubelet.node_unstage_volume"), i);
            }
        }
        for v in std::mem::take(&mut self.rt.volumes) {
            self.node.volumes.remove(&(v.name, key.clone()));
        }
        self.rt.waits_for_attach = false;
    }
}

/// The pods that wait for a volume to be attached.
pub(super) fn waiting_pods(state: &State) -> Vec<Key> {
    state.pods.iter().filter(|(_, rt)| rt.waits_for_attach).map(|(key, _)| key.clone()).collect()
}

/// The volume of a claim that the kubelet has mounted for a pod of it, and that pod's key.
pub(super) fn mounted_claim(state: &State, claim: &Key) -> Option<(Rc<str>, Key)> {
    state.pods.iter().find_map(|(pod, rt)| {
        let volume = rt.volumes.iter().find(|v| v.mounted && v.claim == *claim)?;
        Some((volume.volume.clone(), pod.clone()))
    })
}

/// Makes the next retry of pods that wait for a ConfigMap, a Secret or a claim a foreground deadline, because the change
/// may let it succeed: of the pods of a namespace, or of all.
pub(super) fn retry_mounts(cx: &mut Handler<'_, State, Task>, namespace: Option<&str>) {
    let here = cx.state.pods.range(Key::new(namespace.unwrap_or_default(), "")..);
    let waiting: Vec<(Key, _)> = here
        .take_while(|(k, _)| namespace.is_none_or(|n| *k.namespace == *n))
        .filter(|(_, rt)| rt.waits_for_config)
        .filter_map(|(k, rt)| Some((k.clone(), rt.retry?.at)))
        .collect();
    for (pod, at) in waiting {
        cx.enqueue_after(Task::Pod(pod), at.duration_since(cx.now));
    }
}
