//! Whether the container runtime can connect new pods (`runtime.go`, `runtimeState.networkErrors`): it cannot without a network
//! plugin. Then the node is not ready, and pods with a network of their own are not synced.

use super::state::State;
use super::task::Task;
use super::timings::{self, later};
use super::turn::Turn;
use super::volumes;
use super::wake::{Retry, WakeSort};
use crate::client::Handler;

/// What containerd says of its network while it has no plugin, as the kubelet tells of it.
pub(super) const NO_PLUGIN: &str = "container runtime network not ready: NetworkReady=false \
                                    reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized";

/// The container runtime of a node has a network plugin, another one, or none any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkReadiness {
    /// Whether it has one.
    pub ready: bool,
    /// The largest packet that the interface of a pod takes, in bytes, if that is less than an Ethernet's.
    pub mtu: Option<u16>,
}

impl State {
    /// Whether the runtime has a network plugin, as far as the kubelet knows.
    pub fn network_ready(&self) -> bool {
        !self.no_network
    }

    /// What the kubelet knows of the network plugin.
    pub fn network(&self) -> NetworkReadiness {
        NetworkReadiness { ready: self.network_ready(), mtu: self.mtu }
    }
}

/// Notes whether there is a network plugin.
pub(super) fn note(
    cx: &mut Handler<'_, State, Task>,
    node: &std::rc::Rc<str>,
    news: NetworkReadiness,
) -> bool {
    if cx.state.network() == news {
        return false;
    }
    cx.state.mtu = news.mtu;
    if cx.state.network_ready() == news.ready {
        return true;
    }
    cx.state.no_network = !news.ready;
    cx.enqueue(Task::Status(node.clone()));
    if news.ready {
        volumes::retry_mounts(cx, None);
    }
    true
}

impl Turn<'_> {
    /// Whether the pod is not synced because it needs a network that the runtime does not have (`kubelet.go`, `SyncPod`). If so, the
    /// event and the retry are noted. It can only fail again until there is a plugin.
    pub(super) fn waits_for_network(&mut self) -> bool {
        if !self.no_network || self.spec.host_network == Some(true) {
            return false;
        }
        self.event(None, "Warning", "NetworkNotReady", format!("network is not ready: {NO_PLUGIN}"));
        self.rt.waits_for_config = true;
        self.rt.synced.failed = true;
        let at = later(self.now, timings::TRANSIENT_RETRY);
        self.rt.retry = Some(Retry { at, sort: WakeSort::Background });
        true
    }
}
