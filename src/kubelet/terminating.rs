//! The end of a pod (`kubelet.go`): SyncTerminatingPod, then SyncTerminatedPod.

use super::cause::PodCause;
use super::container_state::ContainerState;
use super::state::WorkerPhase;
use super::turn::Turn;
use super::watched::no_longer_named;
use crate::api::MetaExt;

impl Turn<'_> {
    /// Begins SyncTerminatingPod: stops the running containers.
    pub(super) fn terminate(&mut self, why: PodCause) {
        self.hear_of_relists();
        self.sync_begins();
        let rt = &mut self.rt;
        rt.ending = None;
        rt.phase = WorkerPhase::Terminating;
        rt.work = None;
        rt.todo.clear();
        rt.syncing = false;
        rt.retry = None;
        rt.look = None;
        rt.waits_for_config = false;
        rt.unreported |= self.pod.metadata.is_deleting() || rt.withdrawn || rt.order.is_some();
        for c in &mut rt.containers {
            if matches!(c.state, ContainerState::Created(_)) {
                c.state = ContainerState::None;
                c.unnoticed = None;
            }
        }
        self.caused(None, why);
        self.tell_of_deadline();
        self.kill_pod();
        self.sync_terminating_pod();
    }

    /// SyncTerminatingPod: waits for the last container to end, and frees the pod's resources. It reads itself what the runtime has then,
    /// and reports it.
    pub(super) fn sync_terminating_pod(&mut self) {
        self.shorten_grace();
        if self.rt.containers.iter().any(|c| c.running().is_some()) {
            return;
        }
        if self.rt.unreported && !self.again {
            // What was decided so far is reported first.
            self.again = true;
            return;
        }
        self.again = false;
        self.rt.phase = WorkerPhase::Terminated;
        // Of a pod that was evicted nothing is kept (`ShouldPodContentBeRemoved`, `cleanUpContainersInPod`).
        self.rt.removed |= self.rt.order.as_ref().is_some_and(|order| order.evicts);
        self.rt.notice_all();
        self.sync_ended();
        self.tell_of_deadline();
        self.note_stop_sandbox();
        self.unmount();
        let unnamed = no_longer_named(self.pods, &self.node, self.caches, &MetaExt::key(&self.pod.metadata));
        self.node.forget_frozen(&unnamed);
        self.rt.sandbox = false;
        self.rt.changed = false;
        self.rt.unreported = true;
        self.release_addresses();
        self.release_resources();
        if self.rt.cause.what != PodCause::Over {
            self.caused(None, PodCause::Stopped);
        }
    }

    /// SyncTerminatedPod, which follows when PLEG has listed the containers once more. From then on the object can be deleted.
    pub(super) fn finish(&mut self) {
        if !self.rt.finished && self.may_sync() {
            self.rt.finished = true;
            self.tell_of_deadline();
        }
    }

    /// Whether something is to be told or done in SyncTerminatedPod.
    pub(super) fn has_to_finish(&self) -> bool {
        self.is_ending() || self.has_exceeded_deadline()
    }
}
