//! The ConfigMaps, Secrets and claims that a pod refers to: its volumes need them before any container
//! starts, its environment variables when a container is created.
//!
//! A real kubelet watches each ConfigMap and Secret that its pods name, and polls claims. This kubelet has
//! informers for all of them, and reads only those that its pods name.

use std::rc::Rc;

use super::file_volumes::Store;
use super::state::PodRuntime;
use super::turn::Turn;
use super::volume_plugins::why_unknown;
use crate::api::pod::Spec;
use crate::api::types::{Container, PersistentVolume, PersistentVolumeClaim, Volume};
use crate::api::volume::{claim_of, claim_phase, volume_name};
use crate::api::{Key, MetaExt};

impl Store {
    /// The resource in the API server's "not found" message.
    fn resource(self) -> &'static str {
        match self {
            Store::ConfigMap => "configmap",
            Store::Secret => "secret",
        }
    }

    /// The kind in messages about missing keys.
    fn kind(self) -> &'static str {
        match self {
            Store::ConfigMap => "ConfigMap",
            Store::Secret => "Secret",
        }
    }
}

fn is_protected(claim: &PersistentVolumeClaim) -> bool {
    claim.metadata.finalizers.iter().flatten().any(|f| f == "kubernetes.io/pvc-protection")
}

/// The volumes that a container mounts or has as a device. The kubelet passes over the others
/// (`pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go`, `processPodVolumes`).
pub(super) fn used_volumes(spec: &Spec) -> impl Iterator<Item = &Volume> {
    let uses = |v: &Volume| {
        let containers = || spec.init_containers.iter().flatten().chain(&spec.containers);
        let mounts = containers().flat_map(|c| c.volume_mounts.iter().flatten());
        let later = spec.ephemeral_containers.iter().flatten().flat_map(|c| c.volume_mounts.iter().flatten());
        mounts.chain(later).any(|m| m.name == v.name)
            || containers().flat_map(|c| c.volume_devices.iter().flatten()).any(|d| d.name == v.name)
    };
    spec.volumes.iter().flatten().filter(move |v| uses(v))
}

impl<'a> Turn<'a> {
    /// The pod's volumes that the kubelet does not pass over.
    pub(super) fn used_volumes(&self) -> impl Iterator<Item = &'a Volume> + use<'a> {
        used_volumes(self.spec)
    }
}

impl Turn<'_> {
    /// Whether an object has a key, or just exists if `key` is `None`. The error is the message that it does
    /// not exist.
    fn has(&self, store: Store, name: &str, key: Option<&str>) -> Result<bool, String> {
        let absent = || format!("{} {name:?} not found", store.resource());
        Ok(match store {
            Store::ConfigMap => {
                let map = self.config_map_object(name).ok_or_else(absent)?;
                key.is_none_or(|k| map.data.as_ref().is_some_and(|d| d.contains_key(k)))
            }
            Store::Secret => {
                let secret = self.secret_object(name).ok_or_else(absent)?;
                key.is_none_or(|k| {
                    secret.data.as_ref().is_some_and(|d| d.contains_key(k))
                        || secret.string_data.as_ref().is_some_and(|d| d.contains_key(k))
                })
            }
        })
    }

    /// Whether every volume can be set up. If one cannot, the pod gets an event and a later retry.
    pub(super) fn volumes_are_there(&mut self) -> bool {
        if self.binding_is_under_way() {
            self.mount_later();
            return false;
        }
        if let Some(message) = self.volumes_are_not_processed() {
            self.mount_failed(message);
            return false;
        }
        if let Some(message) = self.used_elsewhere() {
            self.mount_failed(message);
            return false;
        }
        let mut failures = self.write_volumes();
        failures.extend(self.switched_off_plugins());
        if failures.is_empty() {
            self.rt.waits_for_config = false;
            return true;
        }
        // The volumes of a pod are mounted one beside the other, and each tells of its own failure.
        for message in failures {
            self.event(None, "Warning", "FailedMount", message);
        }
        self.mount_later();
        false
    }

    /// Whether a claim of the pod has its volume and only its phase does not say so yet. The scheduler does not wait for
    /// the phase, and the kubelet looks again without an event; it would tell only after two minutes.
    fn binding_is_under_way(&self) -> bool {
        let claims = self.used_volumes().filter_map(|v| claim_of(self.pod, v));
        let mut claims = claims.filter_map(|(name, _)| {
            let at = Key::new(MetaExt::namespace(&self.pod.metadata), &name);
            self.caches.get::<PersistentVolumeClaim>(&at)
        });
        claims.any(|c| !volume_name(c).is_empty() && matches!(claim_phase(c), "" | "Pending"))
    }

    /// Why a volume cannot be mounted that one pod alone may use: another pod of the node has it. `None` if it can
    /// (`pkg/volume/util/operationexecutor/operation_generator.go`: `GenerateMountVolumeFunc`).
    fn used_elsewhere(&self) -> Option<String> {
        let own = MetaExt::key(&self.pod.metadata);
        let of_one = |name: &String| {
            let claim = self.caches.get::<PersistentVolumeClaim>(&Key::new(&own.namespace, name))?;
            let volume = self.caches.get::<PersistentVolume>(&Key::new("", volume_name(claim)))?;
            let modes = volume.spec.as_ref()?.access_modes.as_deref()?;
            (modes == ["ReadWriteOncePod"]).then(|| MetaExt::name(&volume.metadata).to_owned())
        };
        let mut claims = self.used_volumes().filter_map(|v| claim_of(self.pod, v));
        let (volume, claim) = claims.find_map(|(name, _)| Some((of_one(&name)?, name)))?;
        let mut others = self.pods.iter().filter(|(key, rt)| {
            **key != own
                && key.namespace == own.namespace
                && rt.lasting.as_ref().is_some_and(|l| !l.volumes.is_empty())
        });
        let has = |(key, rt): (&Key, &Rc<PodRuntime>)| {
            let pod = rt.pod(key, self.caches)?;
            let mut volumes = pod.spec.as_ref()?.volumes.iter().flatten();
            volumes.any(|v| claim_of(pod, v).is_some_and(|(name, _)| name == claim)).then_some(())
        };
        others.find_map(has).map(|()| {
            format!(
                "MountVolume.SetUp failed for volume {volume:?} : volume uses the ReadWriteOncePod access mode and is already in \
                 use by another pod"
            )
        })
    }

    /// Why some of the pod's volumes cannot be processed; `None` if all can: no plug-in takes them, or their claims cannot be mounted
    /// (`getPVCExtractPV` of `pkg/kubelet/volumemanager/populator`). The scheduler ensures that claims can, but not for a pod that was
    /// created with a `nodeName`.
    fn volumes_are_not_processed(&self) -> Option<String> {
        let mut volumes = Vec::new();
        let mut reasons = Vec::new();
        for v in self.used_volumes() {
            let Some((name, ephemeral)) = claim_of(self.pod, v) else {
                if let Some(why) = why_unknown(v, None) {
                    volumes.push(v.name.as_str());
                    reasons.push(why);
                }
                continue;
            };
            let at = Key::new(MetaExt::namespace(&self.pod.metadata), &name);
            let claim = self.caches.get::<PersistentVolumeClaim>(&at);
            let owned = |c: &PersistentVolumeClaim| {
                MetaExt::controller(&c.metadata)
                    .is_some_and(|o| Some(&o.uid) == self.pod.metadata.uid.as_ref())
            };
            let why = match claim {
                None => {
                    format!("failed to fetch PVC from API server: persistentvolumeclaims {name:?} not found")
                }
                Some(c) if ephemeral && !owned(c) => {
                    let pod = MetaExt::name(&self.pod.metadata);
                    format!("PVC {at} was not created for pod {}/{pod} (pod is not owner)", at.namespace)
                }
                // One that is protected is kept for the pods that use it.
                Some(c) if c.metadata.is_deleting() && !is_protected(c) => "PVC is being deleted".to_owned(),
                Some(c) if claim_phase(c) != "Bound" => "PVC is not bound".to_owned(),
                Some(c) if volume_name(c).is_empty() => "PVC has empty pvc.Spec.VolumeName".to_owned(),
                Some(c) => {
                    let bound = self.caches.get::<PersistentVolume>(&Key::new("", volume_name(c)));
                    let bound = bound.and_then(|b| Some((MetaExt::name(&b.metadata), b.spec.as_ref()?)));
                    if let Some(why) = bound.and_then(|bound| why_unknown(v, Some(bound))) {
                        volumes.push(v.name.as_str());
                        reasons.push(why);
                    }
                    continue;
                }
            };
            volumes.push(v.name.as_str());
            reasons.push(format!("error processing PVC {at}: {why}"));
        }
        if volumes.is_empty() {
            return None;
        }
        let volumes = volumes.join(" ");
        Some(format!(
            "Unable to attach or mount volumes: unmounted volumes=[{volumes}], unattached volumes=[], failed to process volumes=[{volumes}]: {}",
            reasons.join("; ")
        ))
    }

    /// The message about an object or key that the container's environment refers to and that does not
    /// exist; `None` if nothing is missing.
    pub(super) fn missing_environment(&self, spec: &Container) -> Option<String> {
        for from in spec.env_from.iter().flatten() {
            let map = from.config_map_ref.as_ref().map(|r| (Store::ConfigMap, &r.name, r.optional));
            let secret = from.secret_ref.as_ref().map(|r| (Store::Secret, &r.name, r.optional));
            for (store, name, optional) in map.into_iter().chain(secret) {
                if optional == Some(true) {
                    continue;
                }
                if let Err(why) = self.has(store, name, None) {
                    return Some(why);
                }
            }
        }
        for source in spec.env.iter().flatten().filter_map(|e| e.value_from.as_ref()) {
            let map = source.config_map_key_ref.as_ref();
            let map = map.map(|r| (Store::ConfigMap, &r.name, &r.key, r.optional));
            let secret = source.secret_key_ref.as_ref();
            let secret = secret.map(|r| (Store::Secret, &r.name, &r.key, r.optional));
            for (store, name, key, optional) in map.into_iter().chain(secret) {
                if optional == Some(true) {
                    continue;
                }
                match self.has(store, name, Some(key)) {
                    Err(why) => return Some(why),
                    Ok(true) => {}
                    Ok(false) => {
                        let ns = MetaExt::namespace(&self.pod.metadata);
                        return Some(format!("couldn't find key {key} in {} {ns}/{name}", store.kind()));
                    }
                }
            }
            if let Some(Err(why)) = source.file_key_ref.as_ref().map(|file| self.variable_of_file(file)) {
                return Some(why);
            }
        }
        None
    }
}
