//! A fingerprint of a cluster: equal for equal runs, natively and in wasm.

use super::Cluster;

/// FNV-1a over 64 bits, as a sink for text.
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

impl Cluster {
    /// A fingerprint of everything stored, of the time, and of every queue, FIFO and watch.
    pub fn digest(&self) -> String {
        use std::io::Write as _;
        let mut h = Fnv(0xcbf2_9ce4_8422_2325);
        let etcd = self.api.etcd();
        // Writing into a hash cannot fail.
        let _ = write!(h, "{}|{}", etcd.revision(), self.clock.now().as_nanosecond());
        for (key, record) in etcd.iter() {
            let _ = write!(h, "|{key}|{}|", record.mod_revision);
            let _ = serde_json::to_writer(&mut h, &record.object.to_value());
        }
        for p in self.processes() {
            let _ = write!(h, "|{}|{}", p.name, p.running);
            for n in &p.informers {
                let _ = write!(h, "|{}|{}", n.resource_version, n.fifo.len());
            }
            for c in &p.components {
                let _ = write!(h, "|{:?}", c.working_on());
                for key in c.queue().iter() {
                    let _ = write!(h, "|{key}");
                }
            }
        }
        for (at, actor, key) in self.clock.deadlines() {
            let _ = write!(h, "|{}|{actor:?}|{key}", at.as_nanosecond());
        }
        format!("{:016x}", h.0)
    }
}
