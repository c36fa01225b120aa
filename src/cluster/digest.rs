//! A fingerprint of a cluster. Equal runs have equal fingerprints, natively and in wasm.

use super::Cluster;
use crate::api::ObjectRef;
use crate::kubelet;

/// FNV-1a with 64 bits, as a sink for text.
#[derive(Clone, Debug)]
struct Fnv(u64);

impl Fnv {
    fn bytes(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.0 = (self.0 ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl std::io::Write for Fnv {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.bytes(buf);
        Ok(buf.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A fingerprint that is computed in slices. That of ten thousand pods takes half a second.
#[derive(Clone, Debug)]
pub struct Digesting {
    cluster: Cluster,
    hash: Fnv,
    /// The object hashed last; `None` before the first one.
    at: Option<ObjectRef>,
}

impl Digesting {
    /// Begins the fingerprint of a cluster.
    pub fn new(cluster: Cluster) -> Digesting {
        use std::io::Write as _;
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        // Writing to a hash cannot fail.
        let _ = write!(hash, "{}|{}", cluster.api.etcd().revision(), cluster.clock.now().as_nanosecond());
        Digesting { cluster, hash, at: None }
    }

    /// Hashes at most `objects` more objects. Returns the fingerprint when all are hashed, `None` before.
    pub fn advance(&mut self, objects: usize) -> Option<String> {
        use std::io::Write as _;
        let h = &mut self.hash;
        let mut records = self.cluster.api.etcd().iter_after(self.at.clone());
        let mut last = None;
        for (key, record) in records.by_ref().take(objects.max(1)) {
            let _ = write!(h, "|{key}|{}|", record.mod_revision);
            let _ = serde_json::to_writer(&mut *h, &record.object.to_value());
            last = Some(key);
        }
        if let (true, Some(last)) = (records.next().is_some(), last.cloned()) {
            drop(records);
            self.at = Some(last);
            return None;
        }
        let raft = self.cluster.api.etcd().raft();
        if raft.quorum().0 > 1 || !raft.has_leader() {
            let _ = write!(h, "|{}|{:?}", raft.term(), self.cluster.api.etcd().members());
        }
        if !self.cluster.api.serves() {
            let _ = write!(h, "|down");
        }
        for p in self.cluster.processes() {
            let _ = write!(h, "|{}|{}", p.name, p.running);
            if p.waits() {
                let _ = write!(h, "|waits");
            }
            for n in &p.informers {
                let _ = write!(h, "|{}|{}", n.resource_version, n.fifo.len());
            }
            for (place, c) in (0..).zip(&p.components) {
                if !p.is_on(place) {
                    let _ = write!(h, "|off");
                }
                match c.working_on() {
                    Some(key) => {
                        let _ = write!(h, "|{key}");
                    }
                    None => {
                        let _ = write!(h, "|None");
                    }
                }
                let kubelet = c.state().downcast_ref::<kubelet::State>();
                for (file, manifest) in kubelet.iter().flat_map(|state| &state.manifests) {
                    let _ = write!(h, "|{file}|{}", manifest.text);
                }
                for line in
                    kubelet.iter().filter_map(|state| state.url.as_ref()).map(|u| u.line(self.cluster.now()))
                {
                    let _ = write!(h, "|{line}");
                }
                for ((uid, container), cpus) in kubelet.iter().flat_map(|state| &state.node.cpus) {
                    let _ = write!(h, "|{uid}|{container}|{cpus:?}");
                }
                for line in kubelet.iter().flat_map(|state| state.node_disk.lines()) {
                    let _ = write!(h, "|{line}");
                }
                for key in c.queue().iter() {
                    let _ = write!(h, "|{key}");
                }
            }
        }
        for line in self.cluster.storage_lines() {
            let _ = write!(h, "|{line}");
        }
        for line in self.cluster.affinity.lines() {
            let _ = write!(h, "|{line}");
        }
        for line in self.cluster.callers.lines() {
            let _ = write!(h, "|{line}");
        }
        for (at, actor, key) in self.cluster.clock.deadlines() {
            let _ = write!(h, "|{}|{actor:?}|{key}", at.as_nanosecond());
        }
        Some(format!("{:016x}", h.0))
    }
}

impl Cluster {
    /// A fingerprint of all stored objects, of the time, and of all queues, FIFOs and watches.
    pub fn digest(&self) -> String {
        let mut digesting = Digesting::new(self.clone());
        loop {
            if let Some(digest) = digesting.advance(usize::MAX) {
                return digest;
            }
        }
    }
}
