//! The node's own part: its lease in `kube-node-lease`
//! (`k8s.io/component-helpers/apimachinery/lease`) and its status (`kubelet_node_status.go`). Both
//! run by the clock and in the background.

use std::rc::Rc;

use super::pod_worker::Host;
use super::reconciler::{Cx, Kubelet, Task};
use super::status_containers::time;
use super::timings;
use crate::api::types::{Lease, LeaseSpec, MicroTime, Node, ObjectMeta, OwnerReference};
use crate::api::{Key, Kind, MetaExt, ObjectRef};
use crate::client::{Caches, Result, Why};

/// Where leases of nodes live.
const NAMESPACE: &str = "kube-node-lease";

/// The addresses of the node and its pods.
pub(super) fn host<'a>(caches: &'a Caches, node: &Key) -> Host<'a> {
    let Some(node) = caches.get::<Node>(node) else { return Host::default() };
    let addresses = node.status.as_ref().and_then(|s| s.addresses.as_deref()).unwrap_or_default();
    Host {
        address: addresses.iter().find(|a| a.type_ == "InternalIP").map(|a| a.address.as_str()),
        pod_cidr: node.spec.as_ref().and_then(|s| s.pod_cidr.as_deref()),
    }
}

/// Whether another component has set a condition to Unknown, or one has no heartbeat yet.
pub(super) fn needs_status(node: &Node) -> bool {
    let conditions = node.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    conditions.iter().any(|c| c.last_heartbeat_time.is_none() || c.status == "Unknown")
}

impl Kubelet {
    /// `controller.sync`: makes the lease, then renews it.
    pub(super) async fn update_lease(&self, cx: &Cx) -> Result {
        cx.enqueue_after_in_background(Task::Lease(self.node.clone()), timings::LEASE_RENEW);
        let reference = ObjectRef { kind: Kind::NODE, key: Key::new("", &self.node) };
        let why = |what| {
            Why::new("kubelet.update_lease")
                .read("node", reference.clone(), "metadata.name", &self.node)
                .with("what", what)
        };
        let renewed = Some(MicroTime(cx.now()));
        let known = cx.state(|s| s.lease.clone());
        let answer = match known {
            Some(old) => {
                let mut new = (*old).clone();
                new.spec.get_or_insert_default().renew_time = renewed;
                cx.update(Rc::new(new)).because(why("renewed")).in_background().await
            }
            None => {
                let owner = cx.caches().get::<Node>(&reference.key).map(|n| OwnerReference {
                    api_version: "v1".into(),
                    kind: "Node".into(),
                    name: self.node.to_string(),
                    uid: n.metadata.uid().to_owned(),
                    ..Default::default()
                });
                let lease = Lease {
                    metadata: ObjectMeta {
                        name: Some(self.node.to_string()),
                        namespace: Some(NAMESPACE.into()),
                        owner_references: owner.map(|o| vec![o]),
                        ..Default::default()
                    },
                    spec: Some(LeaseSpec {
                        holder_identity: Some(self.node.to_string()),
                        lease_duration_seconds: Some(timings::LEASE_SECONDS),
                        renew_time: renewed,
                        ..Default::default()
                    }),
                };
                match cx.create(lease).because(why("created")).await {
                    Err(e) if e.is_already_exists() => cx.get::<Lease>(Key::new(NAMESPACE, &self.node)).await,
                    answer => answer,
                }
            }
        };
        match answer {
            Ok(lease) => cx.update_state(move |s| s.lease = Some(lease.clone())),
            // The API server could not answer; the lease that is known is renewed the next time.
            Err(e) if e.code >= 500 => {}
            // The lease is made or read anew the next time.
            Err(_) => cx.update_state(|s| s.lease = None),
        }
        Ok(())
    }

    /// `syncNodeStatus`: says that the node is well.
    pub(super) async fn sync_node_status(&self, cx: &Cx) -> Result {
        cx.enqueue_after_in_background(Task::Status(self.node.clone()), timings::NODE_STATUS);
        let key = Key::new("", &self.node);
        let Some(old) = cx.caches().get::<Node>(&key).cloned() else { return Ok(()) };
        let mut new = (*old).clone();
        let now = time(cx.now());
        for c in new.status.get_or_insert_default().conditions.iter_mut().flatten() {
            if c.status == "Unknown" {
                let (status, reason, message) = well(&c.type_);
                (c.status, c.reason, c.message) = (status.into(), Some(reason.into()), Some(message.into()));
                c.last_transition_time = Some(now.clone());
            }
            c.last_heartbeat_time = Some(now.clone());
            c.last_transition_time.get_or_insert_with(|| now.clone());
        }
        let ready = |n: &Node| {
            let all = n.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
            all.iter().find(|c| c.type_ == "Ready").map_or_else(String::new, |c| c.status.clone())
        };
        let why = Why::new("kubelet.sync_node_status").read(
            "ready",
            ObjectRef { kind: Kind::NODE, key },
            "status.conditions[Ready]",
            ready(&old),
        );
        let was_well = ready(&old) == ready(&new);
        let report = cx.patch_status(old, Rc::new(new)).because(why);
        // A report without a change is a heartbeat.
        if was_well {
            report.in_background().await?
        } else {
            report.await?
        };
        Ok(())
    }
}

/// What a kubelet says of a condition when all is well.
fn well(type_: &str) -> (&'static str, &'static str, &'static str) {
    match type_ {
        "MemoryPressure" => {
            ("False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available")
        }
        "DiskPressure" => ("False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        "PIDPressure" => ("False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        _ => ("True", "KubeletReady", "kubelet is posting ready status"),
    }
}
