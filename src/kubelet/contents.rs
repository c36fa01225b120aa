//! What is in the volumes that outlive their pods, and where that is kept: on the disk of a node (`hostPath`, `local`), or in a
//! storage that every node reaches (a CSI volume, NFS, a volume of the default StorageClass).
//!
//! A process is run to its end when it starts, so what it is going to write is known before it has written it. Each pod says of
//! itself what its processes write, and what the others write is what it finds. When a pod ends, what it has written until then
//! stays.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::api::types::PersistentVolume;
use crate::api::volume::PROVISIONED_BY;
use crate::api::{MetaExt, Timestamp, csi, order};
use crate::shell::{Access, Change, Write, absolute};

/// How many changes of a disk are kept before those of the past are made one for each file, although pods use it.
const CHANGES_LIMIT: usize = 4096;

/// How often the users of a disk hear of each other's files at one moment, beside what a pod finds that begins to use it.
const ROUNDS_LIMIT: u32 = 64;

/// When the users of a disk were last told of each other's files, and how often at that moment. Pods that answer each other's files
/// with files would go on for ever otherwise, as no time passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rounds {
    at: Timestamp,
    count: u32,
}

impl Rounds {
    /// Counts one more at a moment.
    pub fn count(&mut self, now: Timestamp) {
        let before = if self.at == now { self.count } else { 0 };
        *self = Rounds { at: now, count: before.saturating_add(1) };
    }

    /// Whether there were as many at a moment as there may be.
    pub fn are_over(&self, now: Timestamp) -> bool {
        self.at == now && self.count >= ROUNDS_LIMIT
    }
}

/// Where the content of a volume is kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Disk {
    /// On the disk of the node.
    Node,
    /// In a storage that every node reaches, under this name.
    Storage(Rc<str>),
}

/// A volume of a pod whose content outlives the pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastingVolume {
    /// Its name in the pod.
    pub name: Rc<str>,
    /// Where its content is kept.
    pub disk: Disk,
    /// The directory of the disk that is the volume; empty for all of it.
    pub root: Rc<str>,
}

/// The volumes of a pod whose content outlives it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lasting {
    /// The volumes.
    pub volumes: Vec<LastingVolume>,
    /// What the pod has said last of what it writes.
    pub wrote: BTreeMap<Disk, Rc<Vec<Write>>>,
    /// What there was on the disks when its processes last looked.
    pub seen: BTreeMap<Disk, Rc<Contents>>,
}

/// What a pod says of what it writes to a disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The disk.
    pub disk: Disk,
    /// The pod's uid.
    pub pod: Rc<str>,
    /// What it has written, and is going to write. Paths are those of the disk.
    pub writes: Rc<Vec<Write>>,
    /// Whether the pod does not use the disk any more.
    pub over: bool,
}

/// What a kubelet is told about the storage that every node reaches.
#[derive(Clone, Debug, PartialEq)]
pub enum StorageNews {
    /// What its pods have said has been passed on.
    Taken,
    /// What is in a volume now.
    Contents(Rc<str>, Rc<Contents>),
    /// None of its pods uses a volume any more.
    Unused(Rc<str>),
}

/// What is on a disk.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// What pods have written that do not use it any more.
    past: Vec<Write>,
    /// What those write that do, by their uids.
    present: BTreeMap<Rc<str>, Rc<Vec<Write>>>,
    /// The pods that use it as far as they know, but have been cut off from it.
    fenced: BTreeSet<Rc<str>>,
}

impl Contents {
    /// Whether a pod that goes on to use the disk has said the same before.
    pub fn has(&self, told: &Told) -> bool {
        !told.over && self.present.get(&told.pod).is_some_and(|writes| *writes == told.writes)
    }

    /// Notes what a pod says. Returns whether that changes anything.
    pub fn note(&mut self, told: &Told, now: Timestamp) -> bool {
        if self.fenced.contains(&told.pod) {
            return told.over && self.fenced.remove(&told.pod);
        }
        if told.over {
            let known = self.present.remove(&told.pod).is_some();
            self.keep(&told.writes, now);
            return known || !told.writes.is_empty();
        }
        if self.has(told) {
            return false;
        }
        self.present.insert(told.pod.clone(), told.writes.clone());
        true
    }

    /// Cuts a pod off: what it would write from now on is not written.
    pub fn fence(&mut self, pod: &Rc<str>, now: Timestamp) {
        let Some(writes) = self.present.remove(pod) else { return };
        self.keep(&writes, now);
        self.fenced.insert(pod.clone());
    }

    fn keep(&mut self, writes: &[Write], now: Timestamp) {
        self.past.extend(writes.iter().filter(|w| w.at <= now).cloned());
        order::sort_by(&mut self.past, |a, b| a.at.cmp(&b.at));
        if self.present.is_empty() || self.past.len() > CHANGES_LIMIT {
            self.past = compacted(&self.past);
        }
    }

    /// What a pod finds, in the order of time: all that others have written, and will write.
    pub fn found_by(&self, pod: &str) -> Vec<Write> {
        let others = self.present.iter().filter(|(uid, _)| ***uid != *pod).flat_map(|(_, w)| w.iter());
        let mut all: Vec<Write> = self.past.iter().chain(others).cloned().collect();
        order::sort_by(&mut all, |a, b| a.at.cmp(&b.at));
        all
    }

    /// Removes everything below a directory that pods have left there which do not use the disk any more.
    pub fn remove(&mut self, root: &str) {
        self.past.retain(|w| !is_below(&w.path, root));
    }

    /// Whether nothing has been written, and nobody is going to write anything.
    pub fn is_empty(&self) -> bool {
        self.past.is_empty() && self.present.values().all(|w| w.is_empty())
    }

    /// The files as lines of text, without times.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let line = |w: &Write| format!("{} {:?}", w.path, w.change);
        let present: Vec<Write> = self.present.values().flat_map(|w| w.iter().cloned()).collect();
        compacted(&self.past).into_iter().chain(present).map(move |w| line(&w))
    }
}

/// Whether a path is a directory or below it. The empty directory is the whole disk.
pub(super) fn is_below(path: &str, root: &str) -> bool {
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || root.is_empty())
}

/// What is left of a path: since when, what it is, the bytes that are only counted, and who may do what with it.
struct Left {
    at: Timestamp,
    base: Option<Change>,
    filled: u64,
    access: Option<Access>,
}

/// What changes, in the order of time, have left of each file.
fn compacted(changes: &[Write]) -> Vec<Write> {
    let mut all: BTreeMap<&str, Left> = BTreeMap::new();
    for w in changes {
        if w.change == Change::Remove {
            all.remove(w.path.as_str());
            continue;
        }
        let Left { at, base, filled, access } =
            all.entry(&w.path).or_insert(Left { at: w.at, base: None, filled: 0, access: None });
        *at = w.at;
        match &w.change {
            Change::Access(a) => *access = Some(*a),
            Change::Fill(more) => *filled = filled.saturating_add(*more),
            Change::Append(more) => {
                let text = match base.as_ref().and_then(Change::content) {
                    Some(text) => format!("{text}{more}").into(),
                    None => more.clone(),
                };
                *base = Some(Change::Put(text));
            }
            other => (*base, *filled) = (Some(other.clone()), 0),
        }
    }
    let of = |(path, Left { at, base, filled, access }): (&str, Left)| {
        let fill = (filled > 0).then_some(Change::Fill(filled));
        let changes = base.into_iter().chain(fill).chain(access.map(Change::Access));
        changes.map(|change| Write { at, path: path.to_owned(), change }).collect::<Vec<_>>()
    };
    let mut all: Vec<Write> = all.into_iter().flat_map(of).collect();
    order::sort_by(&mut all, |a, b| a.at.cmp(&b.at));
    all
}

/// The provisioner whose volumes are directories that every node reaches, although they are `hostPath` volumes.
const PROVISIONER: &str = "sim.steady/disk";

/// Where the content of a PersistentVolume is kept, and in which directory of it.
pub fn place_of(volume: &PersistentVolume) -> Option<(Disk, Rc<str>)> {
    let spec = volume.spec.as_ref()?;
    if let Some((driver, handle)) = csi::source(volume) {
        return Some((Disk::Storage(format!("csi {driver} {handle}").into()), "".into()));
    }
    if let Some(source) = &spec.host_path {
        if volume.metadata.annotation(PROVISIONED_BY) == Some(PROVISIONER) {
            return Some((Disk::Storage(format!("disk {}", source.path).into()), "".into()));
        }
        return Some(on_node(&source.path));
    }
    if let Some(source) = &spec.local {
        return Some(on_node(&source.path));
    }
    if let Some(source) = &spec.nfs {
        return Some(on_server(&source.server, &source.path));
    }
    Some((Disk::Storage(format!("volume {}", volume.metadata.name()).into()), "".into()))
}

/// A directory of the node.
pub(super) fn on_node(path: &str) -> (Disk, Rc<str>) {
    (Disk::Node, root(path))
}

/// A directory of a file server.
pub(super) fn on_server(server: &str, path: &str) -> (Disk, Rc<str>) {
    (Disk::Storage(format!("nfs {server}").into()), root(path))
}

fn root(path: &str) -> Rc<str> {
    match &*absolute("/", path) {
        "/" => "".into(),
        path => path.into(),
    }
}
