//! The storage that every node reaches: what is in the volumes of CSI drivers, of file servers and of the default StorageClass.
//! Kubelets say what their pods write ([`Told`]), and hear what is in the volumes that these use ([`StorageNews`]). A cluster in
//! which no pod has such a volume has no work with it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Cluster;
use super::action::Actor;
use crate::api::persistent::Map;
use crate::api::types::{PersistentVolume, VolumeAttachment};
use crate::api::volume::{PROVISIONED_BY, volume_phase};
use crate::api::{Kind, MetaExt, Object, ObjectRef, Timestamp, csi};
use crate::apiserver::Write;
use crate::kubelet;
use crate::kubelet::contents::{Contents, Disk, Rounds, StorageNews, Told, place_of};
use crate::provisioner;

/// A volume of the storage.
#[derive(Clone, Debug, Default)]
struct Stored {
    contents: Rc<Contents>,
    /// The pods that use it, by their uids, each with its kubelet.
    users: BTreeMap<Rc<str>, Actor>,
    /// How often kubelets were told of its contents.
    rounds: Rounds,
}

/// What a pod has said changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Noted {
    /// Nothing.
    Nothing,
    /// The contents.
    Contents,
    /// The contents, and the pod begins to use the volume.
    User,
}

/// The volumes, by their names in the storage.
#[derive(Clone, Debug, Default)]
pub(super) struct Storage {
    volumes: Map<Rc<str>, Stored>,
}

impl Storage {
    /// Notes what a pod says that a kubelet runs.
    fn note(&mut self, actor: Actor, name: &Rc<str>, told: &Told, now: Timestamp) -> Noted {
        let mut stored = self.volumes.get(name).cloned().unwrap_or_default();
        let is_new = match told.over {
            true => {
                stored.users.remove(&told.pod);
                false
            }
            false => stored.users.insert(told.pod.clone(), actor).is_none(),
        };
        // What a pod says again is not copied.
        let changed = !stored.contents.has(told) && Rc::make_mut(&mut stored.contents).note(told, now);
        self.volumes.insert(name.clone(), stored);
        match (is_new, changed) {
            (true, _) => Noted::User,
            (false, true) => Noted::Contents,
            (false, false) => Noted::Nothing,
        }
    }
}

impl Stored {
    /// Whether kubelets may be told of its contents once more at this moment.
    fn may_tell(&mut self, now: Timestamp) -> bool {
        let may = !self.rounds.are_over(now);
        self.rounds.count(now);
        may
    }
}

impl Cluster {
    /// What is in the storage, as lines of text without times: the explorer tells two states apart by it.
    pub fn storage_lines(&self) -> Vec<String> {
        let all = self.storage.volumes.iter().filter(|(_, v)| !v.contents.is_empty());
        all.flat_map(|(name, v)| v.contents.lines().map(move |line| format!("{name} has {line}"))).collect()
    }

    /// Takes from a kubelet what its pods have said that they write, and tells the kubelets whose pods find it.
    pub(super) fn store(&mut self, actor: Actor) {
        let state = self.kubelet_state(actor);
        let told: Vec<Told> = state.map(|s| s.told.clone()).unwrap_or_default();
        if told.is_empty() {
            return;
        }
        self.happen_to(actor, &StorageNews::Taken);
        let now = self.now();
        let mut said: BTreeMap<Rc<str>, Noted> = BTreeMap::new();
        for t in &told {
            if let Disk::Storage(name) = &t.disk {
                let noted = self.storage.note(actor, name, t, now);
                let most = said.entry(name.clone()).or_insert(noted);
                *most = noted.max(*most);
            }
        }
        for (name, noted) in said {
            if noted != Noted::Nothing {
                self.tell_users(&name, noted == Noted::User);
            }
            let is_used = |v: &Stored| v.users.values().any(|user| *user == actor);
            if !self.storage.volumes.get(&name).is_some_and(is_used) {
                self.happen_to(actor, &StorageNews::Unused(name));
            }
        }
    }

    fn kubelet_state(&self, actor: Actor) -> Option<&kubelet::State> {
        let process = self.processes.get(actor.process as usize)?;
        process.components.get(usize::from(actor.component))?.state().downcast_ref()
    }

    /// Tells the kubelets whose pods use a volume what is in it; not too often at one moment, unless a pod has just begun to use it.
    fn tell_users(&mut self, name: &Rc<str>, is_new: bool) {
        let now = self.now();
        let Some(stored) = self.storage.volumes.get_mut(name) else { return };
        if stored.users.is_empty() || !(is_new || stored.may_tell(now)) {
            return;
        }
        let users: BTreeSet<Actor> = stored.users.values().copied().collect();
        let news = StorageNews::Contents(name.clone(), stored.contents.clone());
        for user in users {
            self.happen_to(user, &news);
        }
    }

    /// What becomes of contents when something is written: a volume that its provisioner deletes is empty, and so is one that
    /// is recycled; a node from which a volume is detached does not write to it any more.
    pub(super) fn notice_storage(&mut self, writes: &[Write]) {
        if self.storage.volumes.is_empty() {
            return;
        }
        for w in writes {
            if w.object.kind == Kind::PERSISTENT_VOLUME {
                self.volume_written(w);
            } else if w.object.kind == Kind::VOLUME_ATTACHMENT {
                self.attachment_written(w);
            }
        }
    }

    fn volume_written(&mut self, w: &Write) {
        let Some(old) = w.prev.as_ref().and_then(|o| o.get::<PersistentVolume>()) else { return };
        let policy = old.spec.as_ref().and_then(|s| s.persistent_volume_reclaim_policy.as_deref());
        let Some((Disk::Storage(name), root)) = place_of(old) else { return };
        match w.next.as_ref().and_then(|o| o.get::<PersistentVolume>()) {
            None => {
                let by = old.metadata.annotation(PROVISIONED_BY).unwrap_or_default();
                if policy == Some("Delete") && [provisioner::NAME, csi::DRIVER].contains(&by) {
                    self.storage.volumes.remove(&name);
                }
            }
            Some(new) if policy == Some("Recycle") => {
                let recycled = volume_phase(old) == "Released" && volume_phase(new) == "Available";
                if let Some(stored) = self.storage.volumes.get_mut(&name).filter(|_| recycled) {
                    Rc::make_mut(&mut stored.contents).remove(&root);
                }
            }
            Some(_) => {}
        }
    }

    fn attachment_written(&mut self, w: &Write) {
        let attachment = |o: &Option<Object>| o.as_ref().and_then(|o| o.get::<VolumeAttachment>()).cloned();
        let is_attached = |a: &VolumeAttachment| a.status.as_ref().is_some_and(|s| s.attached);
        let Some(old) = attachment(&w.prev).filter(|a| is_attached(a)) else { return };
        if attachment(&w.next).is_some_and(|new| is_attached(&new)) {
            return;
        }
        let volume = old.spec.source.persistent_volume_name.as_deref().unwrap_or_default();
        let volume = self.api.cached(&ObjectRef::new(Kind::PERSISTENT_VOLUME, "", volume));
        let place = volume.and_then(|o| o.get::<PersistentVolume>().and_then(|v| place_of(v)));
        let Some((Disk::Storage(name), _)) = place else { return };
        let Ok(kubelet) = self.find_process("kubelet", Some(&old.spec.node_name)) else { return };
        let now = self.now();
        let Some(stored) = self.storage.volumes.get_mut(&name) else { return };
        let here = |user: &Actor| user.process == kubelet;
        let cut: Vec<Rc<str>> =
            stored.users.iter().filter(|(_, u)| here(u)).map(|(p, _)| p.clone()).collect();
        for pod in &cut {
            stored.users.remove(pod);
            Rc::make_mut(&mut stored.contents).fence(pod, now);
        }
        if !cut.is_empty() {
            self.tell_users(&name, false);
        }
    }
}
