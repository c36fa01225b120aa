//! The volumes of a pod whose content outlives it ([`super::contents`]): what the pod finds in them, and what it leaves there.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::contents::{
    Contents, Disk, Lasting, LastingVolume, StorageNews, Told, on_node, on_server, place_of,
};
use super::programs::{moved, to_volumes};
use super::state::{PodRuntime, State, WorkerPhase};
use super::task::{Cx, Task};
use super::turn::Turn;
use crate::api::types::{PersistentVolume, PersistentVolumeClaim, Volume};
use crate::api::volume::{claim_of, volume_name};
use crate::api::{Key, MetaExt, Timestamp};
use crate::client::{Caches, Handler};
use crate::shell::Write;

impl Turn<'_> {
    /// Where the content of a volume is kept, if it outlives the pod.
    fn place(&self, volume: &Volume) -> Option<LastingVolume> {
        let (disk, root) = match claim_of(self.pod, volume) {
            Some((claim, _)) => {
                let claim = Key::new(MetaExt::namespace(&self.pod.metadata), &claim);
                let claim = self.caches.get::<PersistentVolumeClaim>(&claim)?;
                place_of(self.caches.get::<PersistentVolume>(&Key::new("", volume_name(claim)))?)?
            }
            None => match (&volume.host_path, &volume.nfs) {
                (Some(source), _) => on_node(&source.path),
                (None, Some(source)) => on_server(&source.server, &source.path),
                (None, None) => return None,
            },
        };
        Some(LastingVolume { name: volume.name.as_str().into(), disk, root })
    }

    /// Notes which volumes of the pod outlive it, once they are mounted.
    pub(super) fn find_lasting(&mut self) {
        if self.rt.lasting.is_some() {
            return;
        }
        let volumes: Vec<_> = self.spec.volumes.iter().flatten().filter_map(|v| self.place(v)).collect();
        self.rt.lasting = Some(Rc::new(Lasting { volumes, ..Lasting::default() }));
    }

    /// What is on a disk.
    fn contents(&self, disk: &Disk) -> Option<&Rc<Contents>> {
        match disk {
            Disk::Node => Some(self.node_disk),
            Disk::Storage(name) => self.storage.get(name),
        }
    }

    /// What the pod finds in its volumes that others have written, and will write; paths begin with the volume's name.
    pub(super) fn found_writes(&self) -> Vec<Write> {
        let Some(lasting) = self.rt.lasting.as_ref().filter(|l| !l.volumes.is_empty()) else {
            return Vec::new();
        };
        let of = |v: &LastingVolume| {
            let found = self.contents(&v.disk).map(|c| c.found_by(&self.rt.uid)).unwrap_or_default();
            let to = format!("/{}", v.name);
            found.iter().filter_map(|w| moved(w, &v.root, &to)).collect::<Vec<_>>()
        };
        lasting.volumes.iter().flat_map(of).collect()
    }

    /// What is written to a volume, as it is seen in the pod's other volumes that are on the same disk.
    pub(super) fn seen_beside(&self, writes: &[Write]) -> Vec<Write> {
        let volumes = self.rt.lasting.as_ref().map(|l| l.volumes.as_slice()).unwrap_or_default();
        let mut all = Vec::new();
        for from in volumes.iter().filter(|_| volumes.len() > 1) {
            for to in volumes.iter().filter(|to| to.disk == from.disk && to.name != from.name) {
                let on_disk = writes.iter().filter_map(|w| moved(w, &format!("/{}", from.name), &from.root));
                all.extend(on_disk.filter_map(|w| moved(&w, &to.root, &format!("/{}", to.name))));
            }
        }
        all
    }

    /// Lets the pod's processes find what others have written since they last looked.
    pub(super) fn hear_of_contents(&mut self) {
        let Some(lasting) = self.rt.lasting.clone().filter(|l| !l.volumes.is_empty()) else { return };
        let mut seen = BTreeMap::new();
        for v in &lasting.volumes {
            if let Some(contents) = self.contents(&v.disk) {
                seen.insert(v.disk.clone(), contents.clone());
            }
        }
        let same = seen.len() == lasting.seen.len()
            && seen.iter().zip(&lasting.seen).all(|((_, new), (_, old))| Rc::ptr_eq(new, old));
        if !same {
            self.rt.lasting = Some(Rc::new(Lasting { seen, ..(*lasting).clone() }));
            self.settle();
        }
    }

    /// What the pod writes to each of its disks, as far as is known.
    fn writes_to_disks(&self, lasting: &Lasting) -> BTreeMap<Disk, Rc<Vec<Write>>> {
        let mut all: Vec<Write> = self.rt.disks.to_vec();
        for (i, c) in self.rt.containers.iter().enumerate() {
            let process = c.running().and_then(|r| r.process.as_ref());
            if let (Some(process), Some(spec)) = (process, self.container_spec(i)) {
                all.extend(to_volumes(&process.run.writes, &self.shared_mounts(spec)));
            }
        }
        let mut of_disks: BTreeMap<Disk, Rc<Vec<Write>>> = BTreeMap::new();
        for v in &lasting.volumes {
            let from = format!("/{}", v.name);
            let writes = all.iter().filter_map(|w| moved(w, &from, &v.root));
            Rc::make_mut(of_disks.entry(v.disk.clone()).or_default()).extend(writes);
        }
        of_disks
    }

    /// Says what the pod writes to its disks, if that is something else than it has said last. A pod that has ended leaves
    /// there what it has written.
    pub(super) fn tell_writes(&mut self) {
        let Some(lasting) = self.rt.lasting.clone().filter(|l| !l.volumes.is_empty()) else { return };
        let over = self.rt.phase == WorkerPhase::Terminated;
        let wrote = self.writes_to_disks(&lasting);
        for (disk, writes) in &wrote {
            if over || lasting.wrote.get(disk) != Some(writes) {
                let (disk, pod, writes) = (disk.clone(), self.rt.uid.clone(), writes.clone());
                self.told.push(Told { disk, pod, writes, over });
            }
        }
        let new = if over { Lasting::default() } else { Lasting { wrote, ..(*lasting).clone() } };
        self.rt.lasting = Some(Rc::new(new));
    }
}

/// What a pod leaves on its disks that is gone although its containers have run until now.
pub(super) fn left_behind(
    state: &State,
    caches: &Caches,
    node: &Key,
    key: &Key,
    now: Timestamp,
) -> Vec<Told> {
    let Some(rt) = state.pods.get(key) else { return Vec::new() };
    if rt.lasting.as_ref().is_none_or(|l| l.volumes.is_empty()) {
        return Vec::new();
    }
    let pod = rt.latest.as_ref().or(rt.static_pod.as_ref());
    let Some((pod, spec)) = pod.and_then(|p| Some((p, p.spec.as_ref()?))) else {
        let wrote = rt.lasting.iter().flat_map(|l| l.wrote.iter());
        let told = |(disk, writes): (&Disk, &Rc<Vec<Write>>)| Told {
            disk: disk.clone(),
            pod: rt.uid.clone(),
            writes: writes.clone(),
            over: true,
        };
        return wrote.map(told).collect();
    };
    let mut turn = Turn::new(pod, spec, (**rt).clone(), state, node, caches, now);
    turn.observe_exits();
    turn.kill_now();
    turn.rt.phase = WorkerPhase::Terminated;
    turn.tell_writes();
    turn.told
}

/// Notes what a pod has said: what is on the disk of the node, and what has to be passed on to the storage.
pub(super) fn note_told(state: &mut State, told: &[Told], now: Timestamp) {
    for t in told {
        match t.disk {
            Disk::Node => {
                Rc::make_mut(&mut state.node_disk).note(t, now);
            }
            Disk::Storage(_) => state.told.push(t.clone()),
        }
    }
    if told.iter().any(|t| t.disk == Disk::Node) {
        state.disk_rounds.count(now);
    }
}

/// Notes what a pod says of what it writes into volumes that outlive it, and lets the others hear of it that find it there.
pub(super) fn pass_on(cx: &Cx, key: &Key, told: Vec<Told>) {
    if told.is_empty() {
        return;
    }
    let now = cx.now();
    let finders = cx.state(|s| finders(s, key, &told, now));
    if told.iter().any(|t| t.disk != Disk::Node) {
        cx.change_storage();
    }
    if told.iter().any(|t| t.over) {
        // A volume that one pod alone may use is free again.
        let waits = |s: &State| -> Vec<(Key, Timestamp)> {
            let beside = |(other, rt): &(&Key, &Rc<PodRuntime>)| {
                other.namespace == key.namespace && rt.waits_for_config
            };
            let waiting = s.pods.iter().filter(beside);
            waiting.filter_map(|(key, rt)| Some((key.clone(), rt.retry?.at))).collect()
        };
        for (pod, at) in cx.state(waits) {
            cx.enqueue_after(Task::Pod(pod), at.duration_since(now));
        }
    }
    cx.update_state(move |s| note_told(s, &told, now));
    finders.into_iter().for_each(|pod| cx.enqueue(Task::Pod(pod)));
}

/// The other pods of the node that find what a pod has said that it writes to the disk of the node.
pub(super) fn finders(state: &State, of: &Key, told: &[Told], now: Timestamp) -> Vec<Key> {
    let written: Vec<&Write> =
        told.iter().filter(|t| t.disk == Disk::Node).flat_map(|t| t.writes.iter()).collect();
    if written.is_empty() || state.disk_rounds.are_over(now) {
        return Vec::new();
    }
    let finds =
        |v: &LastingVolume| v.disk == Disk::Node && written.iter().any(|w| moved(w, &v.root, "/v").is_some());
    let found = |rt: &PodRuntime| rt.lasting.iter().any(|l| l.volumes.iter().any(finds));
    state.pods.iter().filter(|(key, rt)| *key != of && found(rt)).map(|(key, _)| key.clone()).collect()
}

/// Takes note of what is in a volume that every node reaches.
pub(super) fn note(cx: &mut Handler<'_, State, Task>, news: &StorageNews) -> bool {
    match news {
        StorageNews::Taken => cx.state.told.clear(),
        StorageNews::Unused(name) => {
            cx.state.storage.remove(name);
        }
        StorageNews::Contents(name, contents) => {
            let before = cx.state.storage.insert(name.clone(), contents.clone());
            let here = |rt: &PodRuntime| {
                let on_it = |v: &LastingVolume| matches!(&v.disk, Disk::Storage(n) if n == name);
                rt.lasting.iter().any(|l| l.volumes.iter().any(on_it))
            };
            let is_new = |rt: &PodRuntime| {
                let old = before.as_ref().map(|c| c.found_by(&rt.uid)).unwrap_or_default();
                old != contents.found_by(&rt.uid)
            };
            let pods = cx.state.pods.iter().filter(|(_, rt)| here(rt) && is_new(rt));
            let pods: Vec<Key> = pods.map(|(key, _)| key.clone()).collect();
            pods.into_iter().for_each(|pod| cx.enqueue(Task::Pod(pod)));
        }
    }
    true
}
