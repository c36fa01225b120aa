//! The workloads whose rollout can be rehearsed, with the Services that lead to them and the clients that the run has for these.

use super::clients;
use super::workload::{KINDS, target, workload as workload_of};
use crate::api::ObjectRef;
use crate::cluster::Cluster;

/// A workload whose rollout can be rehearsed.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The workload.
    pub workload: ObjectRef,
    /// The Service that leads to its pods.
    pub service: Option<String>,
    /// The requests a second of each client that the run itself has for that Service.
    pub clients: Vec<f64>,
}

/// The workloads of a cluster whose rollout can be rehearsed, those that a Service leads to first.
pub fn targets(cluster: &Cluster) -> Vec<Candidate> {
    let running = cluster.clients();
    let mut all = Vec::new();
    for kind in KINDS {
        for (at, _) in cluster.api().cached_list(kind, None) {
            let workload = ObjectRef { kind, key: at.key.clone() };
            let Some(known) = workload_of(cluster, &workload) else { continue };
            let namespace = at.key.namespace.as_ref();
            let service = target(cluster, namespace, &known.template).map(|t| t.service);
            let senders = running.iter().filter(|c| {
                service.as_deref().is_some_and(|service| clients::sends_to(c, namespace, service))
            });
            let clients = senders.map(|c| c.client.rate()).collect();
            all.push(Candidate { workload, service, clients });
        }
    }
    crate::api::order::sort_by_key(&mut all, |c| (c.service.is_none(), c.workload.clone()));
    all
}
