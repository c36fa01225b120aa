//! The ConfigMaps and Secrets that a kubelet reads (`pkg/kubelet/util/manager/watch_based_manager.go`).
//!
//! A kubelet that watches (`configMapAndSecretChangeDetectionStrategy: Watch`, the default, also of kubeadm and kind) has a
//! changed object in its cache at once. Of an immutable object it ends the watch once it has read it, and has it as it was then
//! until no pod on the node names it any more.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::file_volumes::Store;
use super::state::{NodeRuntime, PodRuntime, WorkerPhase};
use super::turn::Turn;
use crate::api::persistent::Map;
use crate::api::types::{ConfigMap, PodSpec, Secret};
use crate::api::{Key, MetaExt};
use crate::client::Caches;

impl Turn<'_> {
    pub(super) fn named_key(&self, name: &str) -> Key {
        Key::new(MetaExt::namespace(&self.pod.metadata), name)
    }

    /// A ConfigMap, as the kubelet has it.
    pub(super) fn config_map_object(&self, name: &str) -> Option<&Rc<ConfigMap>> {
        let key = self.named_key(name);
        self.node.frozen_config_maps.get(&key).or_else(|| self.caches.get::<ConfigMap>(&key))
    }

    /// A Secret, as the kubelet has it.
    pub(super) fn secret_object(&self, name: &str) -> Option<&Rc<Secret>> {
        let key = self.named_key(name);
        self.node.frozen_secrets.get(&key).or_else(|| self.caches.get::<Secret>(&key))
    }

    /// Notes that the kubelet has read an object: of one that is immutable, its watch ends.
    pub(super) fn note_read(&mut self, store: Store, name: &str) {
        let key = self.named_key(name);
        match store {
            Store::ConfigMap => {
                if let Some(map) = self.caches.get::<ConfigMap>(&key).filter(|m| m.immutable == Some(true))
                    && !self.node.frozen_config_maps.contains_key(&key)
                {
                    self.node.frozen_config_maps.insert(key, map.clone());
                }
            }
            Store::Secret => {
                if let Some(secret) = self.caches.get::<Secret>(&key).filter(|s| s.immutable == Some(true))
                    && !self.node.frozen_secrets.contains_key(&key)
                {
                    self.node.frozen_secrets.insert(key, secret.clone());
                }
            }
        }
    }

    pub(super) fn version_of(&self, store: Store, name: &str) -> Option<&str> {
        match store {
            Store::ConfigMap => self.config_map_object(name)?.metadata.resource_version.as_deref(),
            Store::Secret => self.secret_object(name)?.metadata.resource_version.as_deref(),
        }
    }
}

/// What a pod's volumes and containers name.
fn names(spec: &PodSpec) -> BTreeSet<(Store, &str)> {
    let mut out = BTreeSet::new();
    for v in spec.volumes.iter().flatten() {
        out.extend(v.config_map.iter().map(|c| (Store::ConfigMap, c.name.as_str())));
        out.extend(v.secret.iter().filter_map(|s| Some((Store::Secret, s.secret_name.as_deref()?))));
        for s in v.projected.iter().flat_map(|p| p.sources.iter().flatten()) {
            out.extend(s.config_map.iter().map(|c| (Store::ConfigMap, c.name.as_str())));
            out.extend(s.secret.iter().map(|c| (Store::Secret, c.name.as_str())));
        }
    }
    for c in spec.init_containers.iter().flatten().chain(&spec.containers) {
        for from in c.env_from.iter().flatten() {
            out.extend(from.config_map_ref.iter().map(|r| (Store::ConfigMap, r.name.as_str())));
            out.extend(from.secret_ref.iter().map(|r| (Store::Secret, r.name.as_str())));
        }
        for source in c.env.iter().flatten().filter_map(|e| e.value_from.as_ref()) {
            out.extend(source.config_map_key_ref.iter().map(|r| (Store::ConfigMap, r.name.as_str())));
            out.extend(source.secret_key_ref.iter().map(|r| (Store::Secret, r.name.as_str())));
        }
    }
    out
}

/// The immutable objects that no pod of the node names but the one that goes (`UnregisterPod`): the kubelet forgets them, and
/// reads them anew when a pod names them again.
pub(super) fn no_longer_named(
    pods: &Map<Key, Rc<PodRuntime>>,
    node: &NodeRuntime,
    caches: &Caches,
    going: &Key,
) -> Vec<(Store, Key)> {
    if node.frozen_config_maps.is_empty() && node.frozen_secrets.is_empty() {
        return Vec::new();
    }
    let mut named = BTreeSet::new();
    let others = pods.iter().filter(|(key, rt)| *key != going && rt.phase != WorkerPhase::Terminated);
    for (key, rt) in others {
        let Some(spec) = rt.pod(key, caches).and_then(|pod| pod.spec.as_ref()) else { continue };
        named.extend(names(spec).into_iter().map(|(store, name)| (store, Key::new(&key.namespace, name))));
    }
    let maps = node.frozen_config_maps.keys().map(|k| (Store::ConfigMap, k.clone()));
    let secrets = node.frozen_secrets.keys().map(|k| (Store::Secret, k.clone()));
    maps.chain(secrets).filter(|held| !named.contains(held)).collect()
}

impl NodeRuntime {
    /// Forgets immutable objects that no pod of the node names any more.
    pub(super) fn forget_frozen(&mut self, all: &[(Store, Key)]) {
        for (store, key) in all {
            match store {
                Store::ConfigMap => {
                    self.frozen_config_maps.remove(key);
                }
                Store::Secret => {
                    self.frozen_secrets.remove(key);
                }
            }
        }
    }
}
