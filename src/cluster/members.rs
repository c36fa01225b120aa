//! How the members of etcd affect the cluster: requests wait while the members elect a leader, and fail
//! while they cannot.

use super::Cluster;
use super::action::Actor;
use super::fault::NoSuchFault;
use crate::api::Key;
use crate::client::{TimerOp, Wait};

/// The actor of etcd's deadlines in the clock. No process has this index.
pub const ETCD: Actor = Actor { process: u32::MAX, component: 0 };

impl Cluster {
    /// A member of etcd is lost (`lost`) or back.
    pub(super) fn set_member(&mut self, name: &str, lost: bool) -> Result<(), NoSuchFault> {
        let had = self.api.etcd().raft().has_leader();
        if !self.api.set_member(name, lost, self.clock.now()) {
            return Err(NoSuchFault);
        }
        self.clock.forget(ETCD);
        if let Some(at) = self.api.etcd().raft().electing() {
            let key = Key::new("", "election").into();
            self.clock.set(ETCD, TimerOp::Set { key, at, replaces: None, wait: Wait::Foreground });
        }
        // From now on requests fail, or succeed again.
        if had != self.api.etcd().raft().has_leader() {
            self.wake_all();
        }
        self.tell_etcd();
        Ok(())
    }

    /// The deadline of an election: a leader is elected.
    pub(super) fn note_leader(&mut self) {
        if self.api.elect() {
            self.clock.changed_all();
            self.wake_all();
            self.tell_etcd();
        }
    }

    /// Lets a running election end before a person's request, by advancing the time.
    pub(super) fn await_leader(&mut self) {
        if let Some(at) = self.api.etcd().raft().electing() {
            self.advance_to(at);
        }
    }

    pub(super) fn wake_all(&mut self) {
        for id in 0..u32::try_from(self.processes.len()).unwrap_or(u32::MAX) {
            if self.processes.get(id as usize).is_some_and(|p| p.running) {
                self.ready.insert(id);
            }
        }
    }
}
