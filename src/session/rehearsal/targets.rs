//! The workloads whose rollout can be rehearsed, with the ports that lead to them and the clients that the run has for these.

use serde::{Deserialize, Serialize};

use super::workload::{self, KINDS};
use super::{Port, clients};
use crate::api::ObjectRef;
use crate::cluster::Cluster;

/// A port through which requests can be sent to a workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reach {
    /// The port.
    pub port: Port,
    /// The requests a second of each client that the run itself has for it. They are the clients of a rehearsal then.
    pub clients: Vec<f64>,
}

/// A workload whose rollout can be rehearsed.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The workload.
    pub workload: ObjectRef,
    /// The ports that lead to its pods. The first one is taken if none is chosen, and counts all clients of its Service.
    pub reaches: Vec<Reach>,
    /// Whether it has a former revision.
    pub former: bool,
    /// How many pods it is to have; `None` of a DaemonSet.
    pub replicas: Option<i32>,
}

impl Candidate {
    /// The Service that leads to its pods, if none is chosen.
    pub fn service(&self) -> Option<&str> {
        self.reaches.first().map(|r| r.port.service.as_str())
    }
}

/// The workloads of a cluster whose rollout can be rehearsed, those that a Service leads to first.
pub fn targets(cluster: &Cluster) -> Vec<Candidate> {
    // What an address stands for is asked once for each client, and not once more for each port of each workload.
    let running: Vec<_> = cluster.clients().into_iter().map(|c| (clients::asked(cluster, &c), c)).collect();
    let mut all = Vec::new();
    for kind in KINDS {
        for (at, _) in cluster.api().cached_list(kind, None) {
            let workload = ObjectRef { kind, key: at.key.clone() };
            let Some(known) = workload::workload(cluster, &workload) else { continue };
            let namespace = at.key.namespace.as_ref();
            let found = workload::reached(cluster, namespace, &known.template).into_iter().enumerate();
            let reaches = found.map(|(nth, target)| {
                let port = Port { service: target.service, port: target.port };
                // Who chooses none takes all clients of the first Service.
                let chosen = Some(&port).filter(|_| nth > 0);
                let senders = running
                    .iter()
                    .filter(|(asked, c)| clients::sends_to(c, asked, namespace, &port.service, chosen));
                let clients = senders.map(|(_, c)| c.client.rate()).collect();
                Reach { port, clients }
            });
            let reaches = reaches.collect();
            let former = workload::former_revision(cluster, &workload).is_some();
            all.push(Candidate { workload, reaches, former, replicas: known.replicas });
        }
    }
    crate::api::order::sort_by_key(&mut all, |c: &Candidate| (c.reaches.is_empty(), c.workload.clone()));
    all
}
