//! Notes of what comes to CoreDNS and to servers while somebody asks.

use std::any::Any;
use std::cell::RefCell;

use super::Cluster;
use super::affinity::Remembered;
use crate::api::Key;
use crate::kubelet;
use crate::kubelet::queries::Queried;
use crate::kubelet::visited::Visited;

/// What has come while somebody asked.
#[derive(Debug, Default)]
pub(super) struct Noted {
    /// The queries that pods of CoreDNS remember, in their order.
    pub(super) queries: Vec<Queried>,
    /// The requests to servers that write a line for each.
    pub(super) visits: Vec<Visited>,
    /// The clients with session affinity that nodes remember since.
    pub(super) clients: Vec<Remembered>,
    /// Whether kube-apiserver has answered.
    pub(super) server: bool,
}

/// Who notes the queries that come to CoreDNS, and the requests that come to servers.
#[derive(Clone, Copy)]
pub(super) struct Noting<'a> {
    /// What has come so far.
    pub(super) noted: &'a RefCell<Noted>,
    /// Whether the answers may come from the cache, and are kept in it.
    pub(super) caches: bool,
}

impl Cluster {
    /// Lets the kubelets know which queries have come to their pods of CoreDNS, and which requests to their servers; and the nodes
    /// remember clients.
    pub(super) fn note(&mut self, noted: Noted) {
        self.affinity.remember(noted.clients, self.now());
        for queried in noted.queries {
            self.tell_kubelet_of(&queried.pod, &queried);
        }
        for visited in noted.visits {
            self.tell_kubelet_of(&visited.process.pod, &visited);
        }
    }

    fn tell_kubelet_of(&mut self, pod: &Key, news: &dyn Any) {
        let kubelet = self.actors().collect::<Vec<_>>().into_iter().find(|actor| {
            let process = self.processes.get(actor.process as usize);
            let component = process.and_then(|p| p.components.get(usize::from(actor.component)));
            let state = component.and_then(|c| c.state().downcast_ref::<kubelet::State>());
            state.is_some_and(|state| state.pods.contains_key(pod))
        });
        if let Some(kubelet) = kubelet {
            self.component_fault(kubelet, news);
        }
    }
}
