//! What the files of a volume are made of (`pkg/volume/configmap`, `secret`, `downwardapi`, `projected`), and when they are
//! written: before the first container starts, and at each sync of the pod after that (`RequiresRemount` of these plugins).
//!
//! A kubelet that watches (`configMapAndSecretChangeDetectionStrategy: Watch`, the default, also of kubeadm and kind) has a
//! changed ConfigMap in its cache at once, and reads the cache at the pod's next sync. Of an immutable object it ends the watch
//! once it has read it, and has it as it was then until no pod on the node names it any more
//! (`pkg/kubelet/util/manager/watch_based_manager.go`).

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use super::file_volumes::{Content, File, FileVolume, Mount, Source, Store, Version};
use super::state::{NodeRuntime, PodRuntime, Retry, WakeSort, WorkerPhase};
use super::timings::{self, later};
use super::tokens::{Token, next_sync};
use super::turn::Turn;
use crate::api::persistent::Map;
use crate::api::types::{
    ConfigMap, DownwardAPIVolumeFile, KeyToPath, PodSpec, Secret, ServiceAccountTokenProjection, Volume,
};
use crate::api::{Key, MetaExt, Timestamp};
use crate::client::Caches;
use crate::shell::{Access, Write};

/// The mode of files if a volume does not say.
const DEFAULT_MODE: i32 = 0o644;

/// What `fsGroup` adds to the mode of a file of a volume that is read only (`volume_linux.go`: `roMask`).
const READ_ONLY_MASK: u16 = 0o440;

/// Whether the kubelet writes the files of a volume.
pub(super) fn is_written(volume: &Volume) -> bool {
    volume.config_map.is_some()
        || volume.secret.is_some()
        || volume.downward_api.is_some()
        || volume.projected.is_some()
}

/// The user of all containers of a pod, if it is said and the same for all (`getPodFsUser` of `operation_generator.go`).
fn common_user(spec: &PodSpec) -> Option<i64> {
    let of_pod = spec.security_context.as_ref().and_then(|c| c.run_as_user);
    let containers = spec.init_containers.iter().flatten().chain(&spec.containers);
    let mut users = containers.map(|c| c.security_context.as_ref().and_then(|c| c.run_as_user).or(of_pod));
    let first = users.next()??;
    users.all(|u| u == Some(first)).then_some(first)
}

/// The files of a volume, while they are gathered.
struct Payload {
    files: BTreeMap<String, (Content, i32, Option<i64>)>,
    sources: Vec<Source>,
    /// What is missing.
    missing: Vec<String>,
    mode: i32,
}

/// What a part of a volume takes of an object.
struct Taken<'a> {
    store: Store,
    name: &'a str,
    items: Option<&'a [KeyToPath]>,
    optional: Option<bool>,
}

impl Turn<'_> {
    fn key(&self, name: &str) -> Key {
        Key::new(MetaExt::namespace(&self.pod.metadata), name)
    }

    /// A ConfigMap, as the kubelet has it.
    pub(super) fn config_map_object(&self, name: &str) -> Option<&Rc<ConfigMap>> {
        let key = self.key(name);
        self.node.frozen_config_maps.get(&key).or_else(|| self.caches.get::<ConfigMap>(&key))
    }

    /// A Secret, as the kubelet has it.
    pub(super) fn secret_object(&self, name: &str) -> Option<&Rc<Secret>> {
        let key = self.key(name);
        self.node.frozen_secrets.get(&key).or_else(|| self.caches.get::<Secret>(&key))
    }

    /// Notes that the kubelet has read an object: of one that is immutable, its watch ends.
    pub(super) fn note_read(&mut self, store: Store, name: &str) {
        let key = self.key(name);
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

    fn version_of(&self, store: Store, name: &str) -> Option<&str> {
        match store {
            Store::ConfigMap => self.config_map_object(name)?.metadata.resource_version.as_deref(),
            Store::Secret => self.secret_object(name)?.metadata.resource_version.as_deref(),
        }
    }

    /// The files of a ConfigMap or a Secret, at the paths of `items` if there are any (`MakePayload`).
    fn take(&self, payload: &mut Payload, of: &Taken<'_>) {
        let Taken { store, name, items, optional } = *of;
        let version = self.version_of(store, name).map(Rc::from);
        payload.sources.push(Source { store, name: name.into(), version });
        let (found, all, resource) = match store {
            Store::ConfigMap => (self.config_map_object(name).is_some(), self.config_map(name), "configmap"),
            Store::Secret => (self.secret_object(name).is_some(), self.secret(name), "secret"),
        };
        if !found && optional != Some(true) {
            payload.missing.push(format!("{resource} {name:?} not found"));
            return;
        }
        let Some(items) = items.filter(|i| !i.is_empty()) else {
            let mode = payload.mode;
            let files = all.into_iter().map(|(k, v)| (k, (Content::Text(v.into()), mode, None)));
            payload.files.extend(files);
            return;
        };
        for item in items {
            match all.get(&item.key) {
                Some(text) => {
                    let mode = item.mode.unwrap_or(payload.mode);
                    payload.files.insert(item.path.clone(), (Content::Text(text.as_str().into()), mode, None));
                }
                None if optional == Some(true) => {}
                None => {
                    payload.missing.push(match store {
                        Store::ConfigMap => {
                            format!("configmap references non-existent config key: {}", item.key)
                        }
                        Store::Secret => format!("references non-existent secret key: {}", item.key),
                    });
                    return;
                }
            }
        }
    }

    /// The files of the downward API (`CollectData`): the lines of a field are sorted.
    fn take_downward(&self, payload: &mut Payload, items: Option<&[DownwardAPIVolumeFile]>) {
        for item in items.unwrap_or_default() {
            let text = match (&item.field_ref, &item.resource_field_ref) {
                (Some(field), _) => {
                    let text = self.field(field);
                    let mut lines: Vec<&str> = text.split('\n').collect();
                    crate::api::order::sort(&mut lines);
                    lines.join("\n")
                }
                (None, Some(resource)) => self.resource(resource, None),
                (None, None) => String::new(),
            };
            let mode = item.mode.unwrap_or(payload.mode);
            payload.files.insert(item.path.clone(), (Content::Text(text.into()), mode, None));
        }
    }

    /// A token: the one of the volume as long as it need not be replaced. Only its owner may read it, if the pod names one.
    fn take_token(
        &self,
        payload: &mut Payload,
        source: &ServiceAccountTokenProjection,
        before: Option<&FileVolume>,
    ) {
        let new = Token::of(source, self.now);
        let newest = before.and_then(FileVolume::newest);
        let old = newest.and_then(|v| v.files.iter().find(|f| *f.path == *source.path));
        let token = match old.map(|f| &f.content) {
            Some(Content::Token(old)) if old.seconds == new.seconds && old.audience == new.audience => {
                let synced = self.rt.files.synced.unwrap_or(old.issued);
                let old = old.clone().until(synced, self.now);
                if self.now > old.refresh_after() { new } else { old }
            }
            _ => new,
        };
        let user = common_user(self.spec);
        let group = self.spec.security_context.as_ref().and_then(|c| c.fs_group);
        let mode = if user.is_some() || group.is_some() { 0o600 } else { payload.mode };
        payload.files.insert(source.path.clone(), (Content::Token(token), mode, user));
    }

    /// What a volume is to contain.
    fn payload(&self, volume: &Volume, before: Option<&FileVolume>) -> Payload {
        let said = [
            volume.config_map.as_ref().and_then(|c| c.default_mode),
            volume.secret.as_ref().and_then(|s| s.default_mode),
            volume.downward_api.as_ref().and_then(|d| d.default_mode),
            volume.projected.as_ref().and_then(|p| p.default_mode),
        ];
        let mode = said.into_iter().flatten().next().unwrap_or(DEFAULT_MODE);
        let mut out = Payload { files: BTreeMap::new(), sources: Vec::new(), missing: Vec::new(), mode };
        if let Some(c) = &volume.config_map {
            let (items, optional) = (c.items.as_deref(), c.optional);
            self.take(&mut out, &Taken { store: Store::ConfigMap, name: &c.name, items, optional });
        }
        if let Some(s) = &volume.secret {
            let name = s.secret_name.as_deref().unwrap_or_default();
            let (items, optional) = (s.items.as_deref(), s.optional);
            self.take(&mut out, &Taken { store: Store::Secret, name, items, optional });
        }
        if let Some(d) = &volume.downward_api {
            self.take_downward(&mut out, d.items.as_deref());
        }
        for source in volume.projected.iter().flat_map(|p| p.sources.iter().flatten()) {
            if let Some(s) = &source.secret {
                let (items, optional) = (s.items.as_deref(), s.optional);
                self.take(&mut out, &Taken { store: Store::Secret, name: &s.name, items, optional });
            } else if let Some(c) = &source.config_map {
                let (items, optional) = (c.items.as_deref(), c.optional);
                self.take(&mut out, &Taken { store: Store::ConfigMap, name: &c.name, items, optional });
            } else if let Some(d) = &source.downward_api {
                self.take_downward(&mut out, d.items.as_deref());
            } else if let Some(t) = &source.service_account_token {
                self.take_token(&mut out, t, before);
            }
        }
        out
    }

    /// The files of a volume with their owners and modes (`SetVolumeOwnership`).
    fn files_of(&self, payload: Payload) -> Rc<[File]> {
        let group = self.spec.security_context.as_ref().and_then(|c| c.fs_group);
        let file = |(path, (content, mode, user)): (String, (Content, i32, Option<i64>))| {
            let mode = u16::try_from(mode).unwrap_or(0o644) & 0o777;
            let mode = if group.is_some() { mode | READ_ONLY_MASK } else { mode };
            let access = Access { mode, uid: user.unwrap_or(0), gid: group.unwrap_or(0) };
            File { path: path.into(), content, access }
        };
        payload.files.into_iter().map(file).collect()
    }

    /// Writes the files of the pod's volumes, as far as they have changed. Returns what is wrong, for each volume that
    /// cannot be written; it keeps the files that it has.
    pub(super) fn write_volumes(&mut self) -> Vec<String> {
        let spec = self.spec;
        let written: Vec<&Volume> = spec.volumes.iter().flatten().filter(|v| is_written(v)).collect();
        let mut failures = Vec::new();
        let mut all = Vec::with_capacity(written.len());
        let oldest = self.rt.containers.iter().filter_map(|c| Some(c.running()?.since)).min();
        let mut changed = false;
        for volume in written {
            let before = self.rt.files.all.iter().find(|v| *v.name == *volume.name);
            let mut payload = self.payload(volume, before);
            let sources = std::mem::take(&mut payload.sources);
            let mut new = before.cloned();
            if !payload.missing.is_empty() {
                let why = match payload.missing.as_slice() {
                    [one] => one.clone(),
                    several => format!("[{}]", several.join(", ")),
                };
                failures.push(format!("MountVolume.SetUp failed for volume {:?} : {why}", volume.name));
                if let Some(new) = &mut new {
                    changed |= new.sources != sources;
                    new.sources = sources;
                }
                all.extend(new);
                continue;
            }
            let files = self.files_of(payload);
            let mut new = new.unwrap_or_else(|| FileVolume {
                name: volume.name.as_str().into(),
                versions: Vec::new(),
                sources: Vec::new(),
            });
            changed |= new.sources != sources;
            new.sources = sources;
            if !new.newest().is_some_and(|v| v.is_same(&files)) {
                let issued = new.newest().filter(|v| differs_in_tokens(v, &files)).and_then(|_| newest_issue(&files));
                let version = Version { at: issued.unwrap_or(self.now), files };
                new.add(version, oldest);
                changed = true;
            }
            all.push(new);
        }
        if changed {
            let before = std::mem::replace(&mut self.rt.files.all, Rc::new(all));
            let sources: Vec<Source> =
                self.rt.files.all.iter().flat_map(|v| v.sources.iter().cloned()).collect();
            for source in sources {
                self.note_read(source.store, &source.name);
            }
            self.tell_processes(&before);
        }
        failures
    }

    /// Lets the processes that run see new versions of their volumes.
    fn tell_processes(&mut self, before: &[FileVolume]) {
        for i in 0..self.rt.containers.len() {
            let Some(spec) = self.container_spec(i) else { continue };
            let Some(r) = self.rt.containers.get(i).and_then(|c| c.running()) else { continue };
            let Some(process) = r.process.clone().filter(|_| !r.stopping) else { continue };
            let mut writes = Vec::new();
            for mount in spec.volume_mounts.iter().flatten().filter(|m| is_whole(m)) {
                let volume = self.rt.files.all.iter().find(|v| *v.name == *mount.name);
                let Some(new) = volume.and_then(|v| v.newest()) else { continue };
                let old = before.iter().find(|v| *v.name == *mount.name).and_then(|v| v.newest());
                if old.is_none_or(|old| old != new) {
                    writes.extend(self.seen_by(&mount.mount_path, &mount.name, |m| m.writes(old, new)));
                }
            }
            if !writes.is_empty() {
                let mut new = (*process).clone();
                new.mounts.extend(writes);
                self.run_process(&mut new, spec);
                self.replace(i, new);
            }
        }
    }

    fn seen_by(&self, path: &str, volume: &str, see: impl FnOnce(Mount<'_>) -> Vec<Write>) -> Vec<Write> {
        let seed = format!("{} {volume}", self.rt.uid);
        see(Mount { path, seed: &seed, token: &|token| self.token_text(token) })
    }

    /// The files of a volume that a container finds which runs since a moment.
    pub(super) fn found_files(
        &self,
        mount: &crate::api::types::VolumeMount,
        part: &str,
        since: Timestamp,
    ) -> Vec<Write> {
        let Some(volume) = self.rt.files.all.iter().find(|v| *v.name == *mount.name) else {
            return Vec::new();
        };
        if !part.is_empty() {
            let Some(version) = volume.at(since) else { return Vec::new() };
            return self.seen_by(&mount.mount_path, &mount.name, |m| m.part(version, part));
        }
        let Some(newest) = volume.newest() else { return Vec::new() };
        let version = self.replaced_tokens(newest);
        self.seen_by(&mount.mount_path, &mount.name, |m| m.writes(None, version.as_ref().unwrap_or(newest)))
    }

    /// A version with the tokens that its files have now. While nobody looks they are not replaced.
    fn replaced_tokens(&self, version: &Version) -> Option<Version> {
        let synced = self.rt.files.synced?;
        let is_due = |f: &File| matches!(&f.content, Content::Token(t) if t.replaced(synced) <= self.now);
        if self.rt.phase != WorkerPhase::Sync || !version.files.iter().any(is_due) {
            return None;
        }
        let replaced = |f: &File| match &f.content {
            Content::Token(t) => {
                File { content: Content::Token(t.clone().until(synced, self.now)), ..f.clone() }
            }
            Content::Text(_) => f.clone(),
        };
        let files: Rc<[File]> = version.files.iter().map(replaced).collect();
        Some(Version { at: newest_issue(&files).unwrap_or(version.at), files })
    }

    /// Plans the next writing of the volumes, if an object has changed that they come from: at the pod's next sync.
    pub(super) fn observe_sources(&mut self) {
        let changed = |s: &Source| self.version_of(s.store, &s.name) != s.version.as_deref();
        if self.rt.phase != WorkerPhase::Sync
            || !self.rt.sandbox
            || !self.rt.files.all.iter().flat_map(|v| &v.sources).any(changed)
        {
            return;
        }
        let synced = self.rt.files.synced.unwrap_or(self.now);
        let next = Retry { at: next_sync(synced, self.now), sort: WakeSort::Foreground };
        // What could not be written is tried again when its back-off is over, and the cluster waits for that now.
        let due = self.rt.files.due.map_or(next, |d| Retry { sort: WakeSort::Foreground, at: d.at });
        self.rt.files.due = Some(due);
    }

    /// Whether the volumes are to be written now.
    pub(super) fn files_are_due(&self) -> bool {
        self.rt.files.due.is_some_and(|d| d.at <= self.now)
            || self.next_token().is_some_and(|at| at <= self.now)
    }

    /// Writes the volumes of a pod that runs, as every sync does.
    pub(super) fn rewrite_volumes(&mut self) {
        self.rt.files.due = None;
        if !self.rt.sandbox {
            return;
        }
        let failures = self.write_volumes();
        if failures.is_empty() {
            self.rt.files.failures = 0;
            return;
        }
        for message in failures {
            self.event(None, "Warning", "FailedMount", message);
        }
        let wait = timings::MOUNT_RETRY.saturating_mul(1 << self.rt.files.failures.min(10));
        self.rt.files.failures = self.rt.files.failures.saturating_add(1);
        let at = later(self.now, wait.min(timings::MOUNT_MAX));
        self.rt.files.due = Some(Retry { at, sort: WakeSort::Background });
    }

    /// When a token is replaced that a process of the pod has read; `None` if none has read one. Other tokens are replaced
    /// when somebody looks.
    pub(super) fn next_token(&self) -> Option<Timestamp> {
        let synced = self.rt.files.synced?;
        let all = self.rt.files.all.iter().filter_map(|v| Some((v, v.tokens().next()?)));
        let read = |volume: &FileVolume| {
            self.rt.containers.iter().enumerate().any(|(i, c)| {
                let Some((spec, process)) = self.container_spec(i).zip(c.running().and_then(|r| r.process.as_ref()))
                else {
                    return false;
                };
                let mounts = spec.volume_mounts.iter().flatten();
                mounts.filter(|m| m.name == *volume.name && is_whole(m)).any(|m| {
                    let data = format!("{}/..data", m.mount_path.trim_end_matches('/'));
                    process.run.files.contains(&data)
                })
            })
        };
        let next = all.filter(|(volume, _)| read(volume)).map(|(_, token)| token.replaced(synced));
        next.min()
    }

    /// A digest of the pod's labels and annotations.
    pub(super) fn described(&self) -> u64 {
        let mut hash = DefaultHasher::new();
        (&self.pod.metadata.labels, &self.pod.metadata.annotations).hash(&mut hash);
        hash.finish()
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

/// Whether a mount is of the whole volume, whose changes a container sees.
pub(super) fn is_whole(mount: &crate::api::types::VolumeMount) -> bool {
    mount.sub_path.as_deref().unwrap_or_default().trim_matches('/').is_empty()
        && mount.sub_path_expr.as_deref().unwrap_or_default().is_empty()
}

/// Whether a version has the same files but for its tokens.
fn differs_in_tokens(version: &Version, files: &[File]) -> bool {
    let is_token = |f: &File| matches!(f.content, Content::Token(_));
    let same = |(a, b): (&File, &File)| {
        a.path == b.path && (a.content == b.content || (is_token(a) && is_token(b)))
    };
    version.files.len() == files.len() && version.files.iter().zip(files).all(same)
}

/// When the newest token of some files was issued.
fn newest_issue(files: &[File]) -> Option<Timestamp> {
    files.iter().filter_map(|f| if let Content::Token(t) = &f.content { Some(t.issued) } else { None }).max()
}
