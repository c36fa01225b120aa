//! What the files of a volume are made of (`pkg/volume/configmap`, `secret`, `downwardapi`, `projected`).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::file_volumes::{Content, File, FileVolume, Source, Store};
use super::tokens::Token;
use super::turn::Turn;
use crate::api::types::{DownwardAPIVolumeFile, KeyToPath, PodSpec, ServiceAccountTokenProjection, Volume};
use crate::shell::Access;

/// The mode of files if a volume does not say.
const DEFAULT_MODE: i32 = 0o644;

/// What `fsGroup` adds to the mode of a file of a volume that is read only (`volume_linux.go`: `roMask`).
const READ_ONLY_MASK: u16 = 0o440;

/// The mode of an `emptyDir` (`defaultPerm` of `pkg/volume/emptydir/empty_dir.go`), which is what is below each of these volumes.
pub(super) const DIRECTORY_MODE: u16 = 0o777;

/// What a new tmpfs adds to it: Linux makes its root with the mode 1777 (`shmem_fill_super` in `mm/shmem.c`), and the kubelet, which mounts
/// it over the directory that it has made, leaves that as it is (`setupTmpfs`).
pub(super) const STICKY: u16 = 0o1000;

/// What `fsGroup` adds to the mode of a directory (`changeFilePermission` of `pkg/volume/volume_linux.go`).
pub(super) const SET_GROUP_ID: u16 = 0o2000;

/// The user of all containers of a pod, if it is said and the same for all (`FsUserFrom` of `pkg/volume/util`).
fn common_user(spec: &PodSpec) -> Option<i64> {
    let of_pod = spec.security_context.as_ref().and_then(|c| c.run_as_user);
    let containers = spec.init_containers.iter().flatten().chain(&spec.containers);
    let mut users = containers.map(|c| c.security_context.as_ref().and_then(|c| c.run_as_user).or(of_pod));
    let first = users.next()??;
    users.all(|u| u == Some(first)).then_some(first)
}

/// A directory of root with a mode and perhaps the group of the pod.
pub(super) fn directory(mode: u16, group: Option<i64>) -> Access {
    match group {
        Some(gid) => Access { mode: mode | SET_GROUP_ID, uid: 0, gid },
        None => Access { mode, uid: 0, gid: 0 },
    }
}

/// The files of a volume, while they are gathered.
pub(super) struct Payload {
    files: BTreeMap<String, (Content, i32, Option<i64>)>,
    /// What they come from.
    pub(super) sources: Vec<Source>,
    /// What is missing.
    pub(super) missing: Vec<String>,
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
                    payload
                        .files
                        .insert(item.path.clone(), (Content::Text(text.as_str().into()), mode, None));
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
    pub(super) fn payload(&self, volume: &Volume, before: Option<&FileVolume>) -> Payload {
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

    /// Who may do what with the directory of a volume, by its name. Secrets, the downward API and projections are in memory
    /// (`wrappedVolumeSpec` of their plugins), a ConfigMap is on the node's disk.
    pub(super) fn access_of_directory(&self, volume: &str) -> Access {
        let group = self.spec.security_context.as_ref().and_then(|c| c.fs_group);
        let on_disk = self.spec.volumes.iter().flatten().find(|v| v.name == volume);
        let on_disk = on_disk.is_some_and(|v| v.config_map.is_some());
        directory(if on_disk { DIRECTORY_MODE } else { DIRECTORY_MODE | STICKY }, group)
    }

    /// The files of a volume with their owners and modes (`SetVolumeOwnership`).
    pub(super) fn files_of(&self, payload: Payload) -> Rc<[File]> {
        let group = self.spec.security_context.as_ref().and_then(|c| c.fs_group);
        let file = |(path, (content, mode, user)): (String, (Content, i32, Option<i64>))| {
            let mode = u16::try_from(mode).unwrap_or(0o644) & 0o777;
            let mode = if group.is_some() { mode | READ_ONLY_MASK } else { mode };
            let access = Access { mode, uid: user.unwrap_or(0), gid: group.unwrap_or(0) };
            File { path: path.into(), content, access }
        };
        payload.files.into_iter().map(file).collect()
    }
}
