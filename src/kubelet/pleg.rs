//! PLEG, the generator of pod lifecycle events, and what it makes pod workers wait for
//! (`pkg/kubelet/pleg/generic.go`; `pod_workers.go`, `podWorkerLoop`; `container/cache.go`, `GetNewerThan`).
//!
//! A container runtime tells its kubelet nothing by itself. Once a second PLEG lists all containers, which is called a relist, and
//! compares them with those of the time before: what has begun to run is reported as `ContainerStarted`, what has ended as
//! `ContainerDied`, and the pod is synced. Between the end of a process and the next relist the pod is Running and ready in the API,
//! and nobody answers.
//!
//! A pod's worker begins a sync only with what PLEG has seen after the end of the pod's sync before. So that nobody waits for
//! what the kubelet itself has just done, a sync that has acted and has not failed asks for a relist of its pod alone, at once (the
//! feature `PLEGOnDemandRelist`). After any other sync the worker waits for the next relist of all pods: so one that is to end a pod,
//! and one that is to clear up after it.
//!
//! Here relists take place at the same moments on all nodes, and one that would find nothing is not planned.

use super::cause::{Cause, PodCause};
use super::container_state::ContainerState;
use super::state::{PodRuntime, WorkerPhase};
use super::synced::Synced;
use super::timings;
use super::turn::Turn;
use super::wake::{WakeSort, Wakes};
use crate::api::Timestamp;

/// The first relist of all pods after a moment. One that takes place at the moment itself has not seen what happens then: what follows
/// from a relist comes after it.
pub fn relist_after(at: Timestamp) -> Timestamp {
    let (period, phase) = (timings::RELIST.as_nanos(), timings::RELIST_PHASE.as_nanos());
    let before = (at.as_nanosecond() - phase).div_euclid(period);
    Timestamp::from_nanosecond((before + 1) * period + phase).unwrap_or(at)
}

/// What a relist leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relist {
    /// PLEG notices what has become of a container or, with `None`, of the sandbox.
    Notice(Option<usize>),
    /// The pod is synced.
    Sync,
    /// The pod ends, or it is cleared up after.
    End,
}

impl PodRuntime {
    /// The earliest moment from now on at which the next sync of the pod can begin.
    pub fn next_sync(&self, now: Timestamp) -> Timestamp {
        let Synced { ended, relisted, idle, .. } = self.synced;
        match (idle, ended) {
            (Some(idle), _) if idle >= now => idle,
            (Some(idle), _) => now.max(relist_after(idle)),
            (None, Some(ended)) if !relisted => now.max(relist_after(ended)),
            _ => now,
        }
    }

    /// When the kubelet will notice what it does not know yet, container by container and, with `None`, of the sandbox.
    pub fn notices(&self) -> impl Iterator<Item = (Option<usize>, Timestamp)> + '_ {
        let containers = self.containers.iter().enumerate();
        let containers = containers.filter_map(|(i, c)| Some((Some(i), c.unnoticed.as_ref()?.changed)));
        let all = containers.chain(self.sandbox_changed.map(|at| (None, at)));
        all.map(|(i, changed)| (i, relist_after(changed)))
    }

    /// What the pod's worker waits for that comes with a relist, and when it goes on then. `wants` says whether there is something to sync,
    /// `finishes` whether a pod that has ended is cleared up after.
    pub fn relists(
        &self,
        now: Timestamp,
        wants: impl FnOnce() -> bool,
        finishes: impl FnOnce() -> bool,
    ) -> Vec<(Relist, Timestamp)> {
        let from = self.next_sync(now);
        match self.phase {
            WorkerPhase::Sync if self.ending.is_some() => vec![(Relist::End, from)],
            WorkerPhase::Sync if self.work.is_none() => {
                let notices = self.notices().map(|(i, at)| (Relist::Notice(i), at.max(from)));
                let mut all: Vec<_> = notices.collect();
                all.extend((from > now && wants()).then_some((Relist::Sync, from)));
                all
            }
            WorkerPhase::Terminated if !self.finished && finishes() => vec![(Relist::End, from)],
            _ => Vec::new(),
        }
    }

    /// Makes all that the runtime has of the pod known to the kubelet.
    pub fn notice_all(&mut self) {
        self.sandbox_changed = None;
        self.containers.iter_mut().for_each(|c| c.unnoticed = None);
    }
}

impl Turn<'_> {
    /// Whether the next sync of the pod can begin now.
    pub(super) fn may_sync(&self) -> bool {
        self.rt.next_sync(self.now) <= self.now
    }

    /// A sync begins.
    pub(super) fn sync_begins(&mut self) {
        self.rt.synced.idle = None;
        (self.rt.synced.acted, self.rt.synced.failed) = (false, false);
    }

    /// A sync has ended. If it has acted and has not failed, PLEG lists the pod at once (`SyncPod` of `kubelet.go`: `postSync`).
    pub(super) fn sync_ended(&mut self) {
        let synced = &mut self.rt.synced;
        synced.ended = Some(self.now);
        synced.idle = None;
        synced.relisted = synced.acted && !synced.failed;
        if synced.relisted {
            for i in 0..self.rt.containers.len() {
                self.notice(i);
            }
            self.rt.changed |= self.rt.sandbox_changed.take().is_some();
        }
    }

    /// A probe has another result, so that the pod is synced (`syncLoopIteration`), which finds nothing else.
    pub(super) fn sync_for_nothing(&mut self) {
        if self.rt.synced.ended.is_some() && !self.rt.syncing {
            self.rt.synced.idle = Some(self.rt.next_sync(self.now));
        }
    }

    /// Notes what PLEG has reported by now, if the pod's worker can act on it.
    pub(super) fn hear_of_relists(&mut self) {
        if self.rt.notices().next().is_none() || !self.may_sync() {
            return;
        }
        let noticed = self.rt.notices().filter(|(_, at)| *at <= self.now).map(|(i, _)| i);
        let noticed: Vec<Option<usize>> = noticed.collect();
        for i in noticed {
            match i {
                Some(i) => self.notice(i),
                None => {
                    self.rt.sandbox_changed = None;
                    self.rt.changed = true;
                }
            }
        }
    }

    /// PLEG has noticed what has become of a container.
    fn notice(&mut self, i: usize) {
        let now = self.now;
        let Some(c) = self.rt.containers.get_mut(i) else { return };
        let Some(known) = c.unnoticed.take() else { return };
        self.rt.changed = true;
        let what = match &c.state {
            ContainerState::Running(_) => PodCause::Started,
            ContainerState::Exited(_) => PodCause::Ended,
            ContainerState::None | ContainerState::Created(_) => return,
        };
        let happened = Some(known.changed).filter(|at| *at < now);
        self.rt.cause = Cause { container: Some(c.name.clone()), what, happened };
    }

    /// The pod is to end: SyncTerminatingPod follows as soon as it can begin. A SyncPod that is under way is given up.
    pub(super) fn end_pod(&mut self, why: PodCause) {
        if self.rt.ending.is_some() {
            return;
        }
        self.rt.ending = Some(why);
        let waits = self.rt.work.is_some() || self.rt.waits_for_volumes;
        if waits || self.rt.syncing || !self.rt.todo.is_empty() {
            self.rt.work = None;
            self.rt.todo.clear();
            self.rt.syncing = false;
            self.rt.waits_for_volumes = false;
            self.rt.synced.ended = Some(self.now);
            self.rt.synced.idle = None;
            self.rt.synced.relisted = false;
        }
    }

    /// Adds the moments at which the pod's worker goes on because of a relist.
    pub(super) fn next_relists(&self, wakes: &mut Wakes) {
        let sort = |routine: bool| if routine { WakeSort::Recurring } else { WakeSort::Foreground };
        for (relist, at) in self.rt.relists(self.now, || self.wants_sync(), || self.has_to_finish()) {
            let sort = match relist {
                Relist::Notice(i) => sort(i.is_some_and(|i| self.ends_as_ever(i))),
                Relist::Sync => {
                    let mut all = 0..self.rt.containers.len();
                    sort(all.any(|i| self.is_routine(i, jiff::SignedDuration::ZERO)))
                }
                Relist::End => WakeSort::Foreground,
            };
            wakes.add(sort, at);
        }
    }

    /// Whether a container has ended in a way that recurs and shows nothing new.
    fn ends_as_ever(&self, i: usize) -> bool {
        let exited = self.rt.containers.get(i).and_then(|c| c.exited());
        exited.is_some_and(|e| self.is_routine(i, e.finished.duration_since(e.started)))
    }
}
