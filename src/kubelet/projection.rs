//! When the kubelet writes the files of a pod's volumes: before the first container starts, and at each sync of the pod after
//! that (`RequiresRemount` of the plugins `configmap`, `secret`, `downwardapi` and `projected`).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use super::file_volumes::{Content, File, FileVolume, Mount, Source, Store, Version};
use super::state::WorkerPhase;
use super::timings::{self, later};
use super::tokens::{Bearer, next_sync};
use super::turn::Turn;
use super::wake::{Retry, WakeSort};
use crate::api::types::{Container, Node, Volume, VolumeMount};
use crate::api::{Kind, MetaExt, ObjectRef, Timestamp};
use crate::client::Why;
use crate::shell::Write;

/// Whether the kubelet writes the files of a volume.
pub(super) fn is_written(volume: &Volume) -> bool {
    volume.config_map.is_some()
        || volume.secret.is_some()
        || volume.downward_api.is_some()
        || volume.projected.is_some()
}

impl Turn<'_> {
    /// Who has the tokens in the pod's files.
    fn bearer(&self) -> Bearer<'_> {
        let node = self.caches.get::<Node>(self.node_key);
        Bearer {
            pod: &self.pod.metadata,
            account: self.spec.service_account_name.as_deref().unwrap_or("default"),
            node: &self.node_key.name,
            node_uid: node.map(|n| MetaExt::uid(&n.metadata)),
        }
    }

    /// Writes the files of the pod's volumes, as far as they have changed. Returns what is wrong, for each volume that
    /// cannot be written; it keeps the files that it has.
    pub(super) fn write_volumes(&mut self) -> Vec<String> {
        let spec = self.spec;
        let written: Vec<&Volume> = self.used_volumes().filter(|v| is_written(v)).collect();
        let mut failures = Vec::new();
        let mut all = Vec::with_capacity(written.len());
        let oldest = self.rt.containers.iter().filter_map(|c| Some(c.running()?.volumes)).min();
        let mut changed = false;
        for volume in written {
            let name = spec.volume_name(&volume.name);
            let before = self.rt.files.all.iter().find(|v| *v.name == *name);
            let mut payload = self.payload(volume, before);
            let sources = std::mem::take(&mut payload.sources);
            let mut new = before.cloned();
            if !payload.missing.is_empty() {
                let why = match payload.missing.as_slice() {
                    [one] => one.clone(),
                    several => format!("[{}]", several.join(", ")),
                };
                failures.push(format!("MountVolume.SetUp failed for volume {name:?} : {why}"));
                if let Some(new) = &mut new {
                    changed |= new.sources != sources;
                    new.sources = sources;
                }
                all.extend(new);
                continue;
            }
            let files = self.files_of(payload);
            let mut new = new.unwrap_or_else(|| FileVolume {
                name: name.into(),
                versions: Vec::new(),
                sources: Vec::new(),
            });
            changed |= new.sources != sources;
            new.sources = sources;
            if !new.newest().is_some_and(|v| v.is_same(&files)) {
                let issued =
                    new.newest().filter(|v| differs_in_tokens(v, &files)).and_then(|_| newest_issue(&files));
                self.rt.files.count += 1;
                let version = Version { number: self.rt.files.count, at: issued.unwrap_or(self.now), files };
                if let Some(before) = before {
                    self.disk_writes.push(self.why_rewritten(name, before, &new.sources, issued.is_some()));
                }
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

    /// Why a volume is written anew that containers see.
    fn why_rewritten(&self, volume: &str, before: &FileVolume, sources: &[Source], token: bool) -> Why {
        let pod = ObjectRef { kind: Kind::POD, key: MetaExt::key(&self.pod.metadata) };
        let changed = sources.iter().find(|s| !before.sources.contains(s));
        let why = match changed {
            _ if token => Why::new("kubelet.write_token").read("pod", pod, "spec.volumes", volume),
            Some(source) => {
                let kind = match source.store {
                    Store::ConfigMap => Kind::CONFIG_MAP,
                    Store::Secret => Kind::SECRET,
                };
                let from = ObjectRef { kind, key: self.named_key(&source.name) };
                Why::new("kubelet.write_volumes").read("pod", pod, "spec.volumes", volume).read(
                    "source",
                    from,
                    "data",
                    format!("{} {}", kind.as_str(), source.name),
                )
            }
            None => Why::new("kubelet.write_downward").read("pod", pod, "metadata", volume),
        };
        why.with("volume", volume)
    }

    /// Lets the processes that run see new versions of their volumes.
    fn tell_processes(&mut self, before: &[FileVolume]) {
        for i in 0..self.rt.containers.len() {
            let Some(spec) = self.container_spec(i) else { continue };
            let Some(r) = self.rt.containers.get(i).and_then(|c| c.running()) else { continue };
            let Some(process) = r.process.clone().filter(|_| r.stopping.is_none()) else { continue };
            let mut writes = Vec::new();
            for mount in spec.volume_mounts.iter().flatten().filter(|m| is_whole(m)) {
                let name = self.spec.volume_name(&mount.name);
                let volume = self.rt.files.all.iter().find(|v| *v.name == *name);
                let Some(new) = volume.and_then(|v| v.newest()) else { continue };
                let old = before.iter().find(|v| *v.name == *name).and_then(|v| v.newest());
                if old.is_none_or(|old| old != new) {
                    writes.extend(self.seen_by(&mount.mount_path, name, |m| m.writes(old, new)));
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
        let access = self.access_of_directory(volume);
        see(Mount { path, access, seed: &seed, token: &|token| token.said(&self.bearer()) })
    }

    /// The files of a volume that a container finds which has started when the pod's volumes had been written `count` times.
    pub(super) fn found_files(&self, mount: &VolumeMount, part: &str, count: u64) -> Vec<Write> {
        let name = self.spec.volume_name(&mount.name);
        let Some(volume) = self.rt.files.all.iter().find(|v| *v.name == *name) else {
            return Vec::new();
        };
        if !part.is_empty() {
            let Some(version) = volume.as_of(count) else { return Vec::new() };
            return self.seen_by(&mount.mount_path, name, |m| m.part(version, part));
        }
        let Some(newest) = volume.newest() else { return Vec::new() };
        let version = self.replaced_tokens(newest);
        self.seen_by(&mount.mount_path, name, |m| m.writes(None, version.as_ref().unwrap_or(newest)))
    }

    /// What happened to the files of a running container since they were written: its tokens were replaced while nobody looked.
    pub(super) fn replaced_since(&self, spec: &Container) -> Vec<Write> {
        let mut out = Vec::new();
        for mount in spec.volume_mounts.iter().flatten().filter(|m| is_whole(m)) {
            let name = self.spec.volume_name(&mount.name);
            let volume = self.rt.files.all.iter().find(|v| *v.name == *name);
            let Some(newest) = volume.and_then(FileVolume::newest) else { continue };
            if let Some(new) = self.replaced_tokens(newest) {
                out.extend(self.seen_by(&mount.mount_path, name, |m| m.writes(Some(newest), &new)));
            }
        }
        out
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
        Some(Version { number: version.number, at: newest_issue(&files).unwrap_or(version.at), files })
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
                let Some((spec, process)) =
                    self.container_spec(i).zip(c.running().and_then(|r| r.process.as_ref()))
                else {
                    return false;
                };
                let mounts = spec.volume_mounts.iter().flatten();
                mounts.filter(|m| self.spec.volume_name(&m.name) == &*volume.name && is_whole(m)).any(|m| {
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

/// Whether a mount is of the whole volume, whose changes a container sees.
pub(super) fn is_whole(mount: &VolumeMount) -> bool {
    mount.sub_path.as_deref().unwrap_or_default().trim_matches('/').is_empty()
        && mount.sub_path_expr.as_deref().unwrap_or_default().is_empty()
}

/// Whether a version has the same files but for its tokens.
fn differs_in_tokens(version: &Version, files: &[File]) -> bool {
    let is_token = |f: &File| matches!(f.content, Content::Token(_));
    let same =
        |(a, b): (&File, &File)| a.path == b.path && (a.content == b.content || (is_token(a) && is_token(b)));
    version.files.len() == files.len() && version.files.iter().zip(files).all(same)
}

/// When the newest token of some files was issued.
fn newest_issue(files: &[File]) -> Option<Timestamp> {
    files.iter().filter_map(|f| if let Content::Token(t) = &f.content { Some(t.issued) } else { None }).max()
}
