//! What a pod worker remembers of its last sync (`pod_workers.go`: `podWorkerLoop`).

use crate::api::Timestamp;

/// The last sync of a pod, as far as the next one has to wait because of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Synced {
    /// When it ended; `None` if there was none.
    pub ended: Option<Timestamp>,
    /// Whether PLEG has listed the containers of the pod since then, because the sync has asked for it.
    pub relisted: bool,
    /// When the kubelet syncs the pod because a probe has another result. That sync finds nothing to do, so no turn is made for it;
    /// but the sync after it waits for a relist after this moment.
    pub idle: Option<Timestamp>,
    /// Whether the sync under way has done something.
    pub acted: bool,
    /// Whether something has failed in it.
    pub failed: bool,
}
