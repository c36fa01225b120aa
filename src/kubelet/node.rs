//! The node's lease in `kube-node-lease` (`k8s.io/component-helpers/apimachinery/lease`) and the node's
//! status (`kubelet_node_status.go`). Both are renewed at intervals, in the background.

use std::rc::Rc;

use super::calls::of_status;
use super::images;
use super::network_ready::NO_PLUGIN;
use super::sandbox::{RUNTIME_HANDLERS, runtime_handlers};
use super::status_containers::time;
use super::task::{Cx, Kubelet, Task};
use super::thresholds::Pressure;
use super::timings;
use super::volumes;
use crate::api::types::{
    Lease, LeaseSpec, MicroTime, Node, NodeFeatures, ObjectMeta, ObjectReference, OwnerReference,
};
use crate::api::well_known::NODE_LEASE_NAMESPACE;
use crate::api::{Key, Kind, MetaExt, ObjectRef};
use crate::client::{Recorded, Result, Why};

/// Whether the status of a condition is Unknown, or a condition has no heartbeat yet.
pub(super) fn needs_status(node: &Node) -> bool {
    let conditions = node.status.as_ref().and_then(|s| s.conditions.as_deref()).unwrap_or_default();
    conditions.iter().any(|c| c.last_heartbeat_time.is_none() || c.status == "Unknown")
}

/// Whether no pod is to be scheduled to a node (`kubectl cordon`).
pub(super) fn is_unschedulable(node: &Node) -> bool {
    node.spec.as_ref().is_some_and(|s| s.unschedulable == Some(true))
}

/// The features of this kubelet that a pod can depend on (KEP-5328), sorted: `status.declaredFeatures`.
pub const DECLARED_FEATURES: [&str; 4] = [
    "ExtendWebSocketsToKubelet",
    "InPlacePodLevelResourcesVerticalScaling",
    "InPlacePodVerticalScalingInitContainers",
    "RestartAllContainersOnContainerExits",
];

impl Kubelet {
    /// Creates the node's lease, or renews it (`controller.sync`), and plans the next renewal.
    pub(super) async fn update_lease(&self, cx: &Cx) -> Result {
        cx.enqueue_after_in_background(Task::Lease(self.node.clone()), timings::LEASE_RENEW);
        if cx.state(|s| s.starts_again) {
            self.tell_of_start(cx);
            cx.update_state(|s| s.starts_again = false);
            // The machine has another boot id now.
            cx.enqueue(Task::Status(self.node.clone()));
        }
        let reference = ObjectRef { kind: Kind::NODE, key: Key::new("", &self.node) };
        let why =
            Why::new("kubelet.update_lease").read("node", reference.clone(), "metadata.name", &self.node);
        let renewed = Some(MicroTime(cx.now()));
        let known = cx.state(|s| s.lease.clone());
        let answer = match known {
            Some(old) => {
                let mut new = (*old).clone();
                new.spec.get_or_insert_default().renew_time = renewed;
                cx.update(Rc::new(new)).because(why).in_background().await
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
                        namespace: Some(NODE_LEASE_NAMESPACE.into()),
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
                match cx.create(lease).because(why).await {
                    Err(e) if e.is_already_exists() => {
                        cx.get::<Lease>(Key::new(NODE_LEASE_NAMESPACE, &self.node)).await
                    }
                    answer => answer,
                }
            }
        };
        match answer {
            Ok(lease) => cx.update_state(move |s| s.lease = Some(lease.clone())),
            // The API server could not answer: the known lease is renewed at the next interval.
            Err(e) if e.code >= 500 || e.code == 0 => {}
            // The lease is created or read again at the next interval.
            Err(_) => cx.update_state(|s| s.lease = None),
        }
        Ok(())
    }

    /// Records an event if the node has become unschedulable, or schedulable again (`recordNodeSchedulableEvent`).
    pub(super) fn record_schedulable(&self, cx: &Cx) {
        let Some(node) = cx.caches().get::<Node>(&self.key) else { return };
        let unschedulable = is_unschedulable(node);
        if cx.state(|s| s.unschedulable) == unschedulable {
            return;
        }
        let reason = if unschedulable { "NodeNotSchedulable" } else { "NodeSchedulable" };
        self.status_event(cx, reason);
        cx.update_state(move |s| s.unschedulable = unschedulable);
    }

    /// Records the events of a kubelet's start: its own (`BirthCry`), that of the limits of all pods together
    /// (`node_container_manager_linux.go`), and those of the Node that it would register (`initialNode`).
    fn tell_of_start(&self, cx: &Cx) {
        self.node_event(cx, "Normal", "Starting", "Starting kubelet.".into());
        let enforced = "Updated Node Allocatable limit across pods";
        self.node_event(cx, "Normal", "NodeAllocatableEnforced", enforced.into());
        for pressure in Pressure::ALL {
            self.status_event(cx, well(pressure.condition()).3);
        }
    }

    /// Gives the Node the id of the machine's last boot, and records an event if it had another one (`setters.go`, `MachineInfo`).
    fn tell_of_reboot(&self, cx: &Cx, node: &mut Node) -> bool {
        let reboots = cx.state(|s| s.reboots);
        let info = node.status.as_mut().and_then(|s| s.node_info.as_mut());
        let Some(info) = info.filter(|info| reboots > 0 && !info.boot_id.is_empty()) else { return false };
        let id = boot_id(&self.node, reboots);
        if info.boot_id == id {
            return false;
        }
        let message = format!("Node {} has been rebooted, boot id: {id}", self.node);
        info.boot_id = id;
        self.node_event(cx, "Warning", "Rebooted", message);
        true
    }

    /// Records an event about a change of the node's status (`recordNodeStatusEvent`).
    fn status_event(&self, cx: &Cx, reason: &str) {
        self.node_event(cx, "Normal", reason, format!("Node {} status is now: {reason}", self.node));
    }

    /// Records an event about the node. As its uid the node has its name there (`nodeRef`).
    pub(super) fn node_event(&self, cx: &Cx, type_: &'static str, reason: &str, message: String) {
        let uid = cx.caches().get::<Node>(&Key::new("", &self.node)).map(|n| n.metadata.uid().to_owned());
        cx.record(Recorded {
            about: ObjectReference {
                api_version: Some("v1".into()),
                kind: Some("Node".into()),
                name: Some(self.node.to_string()),
                uid,
                ..ObjectReference::default()
            },
            type_,
            reason: reason.into(),
            message,
            action: "",
            at: cx.now(),
        });
    }

    /// Records events about flags that do not count, unless they were told of.
    fn complain_of_settings(&self, cx: &Cx) {
        let wrong = cx.state(|s| s.settings.wrong.clone());
        if cx.state(|s| s.told_of == wrong) {
            return;
        }
        for why in wrong.iter() {
            self.node_event(cx, "Warning", "InvalidKubeletConfiguration", why.to_string());
        }
        cx.update_state(move |s| s.told_of = wrong.clone());
    }

    /// Reports the node's conditions with a new heartbeat time (`syncNodeStatus`), and plans the next
    /// report.
    pub(super) async fn sync_node_status(&self, cx: &Cx) -> Result {
        cx.enqueue_after_in_background(Task::Status(self.node.clone()), timings::NODE_STATUS);
        let key = Key::new("", &self.node);
        let Some(old) = cx.caches().get::<Node>(&key).cloned() else { return Ok(()) };
        self.complain_of_settings(cx);
        if cx.is_looked_at() {
            cx.note(of_status(cx.now()));
        }
        let mut new = (*old).clone();
        let now = time(cx.now());
        let status = new.status.get_or_insert_default();
        status.declared_features = Some(DECLARED_FEATURES.map(str::to_owned).to_vec());
        // What containerd says of itself.
        status.features = Some(NodeFeatures { supplemental_groups_policy: Some(true) });
        let handlers = runtime_handlers(RUNTIME_HANDLERS.into_iter(), old.metadata.annotations.as_ref());
        new.status.get_or_insert_default().runtime_handlers = Some(handlers);
        let rebooted = self.tell_of_reboot(cx, &mut new);
        let pressures = cx.state(|s| Pressure::ALL.map(|p| (p, s.eviction.has(p))));
        let well_or_not = cx.state(|s| readiness(s.no_network, s.shutdown.is_some()));
        let mut changed = None;
        for c in new.status.get_or_insert_default().conditions.iter_mut().flatten() {
            let pressure = pressures.iter().find(|(p, _)| p.condition() == c.type_);
            let is = pressure.is_some_and(|(_, is)| *is);
            let mut differs = pressure.is_some() && c.status != if is { "True" } else { "False" };
            if c.type_ == "Ready" {
                let told = c.message.as_deref();
                let was_not = NOT_READY.iter().any(|(.., message, _)| told == Some(*message));
                differs = told != Some(well_or_not.2) && (was_not || well_or_not.0 == "False");
            }
            if c.status == "Unknown" || differs {
                let (status, reason, message, event) = match &*c.type_ {
                    "Ready" => well_or_not,
                    other if is => short(other),
                    other => well(other),
                };
                if c.status != "Unknown" {
                    changed = Some((c.type_.clone(), c.status.clone(), status));
                }
                if c.status != status {
                    self.status_event(cx, event);
                    c.last_transition_time = Some(now.clone());
                }
                (c.status, c.reason, c.message) = (status.into(), Some(reason.into()), Some(message.into()));
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
            ObjectRef { kind: Kind::NODE, key: key.clone() },
            "status.conditions[Ready]",
            ready(&old),
        );
        let why = why.with("now", ready(&new));
        let used = cx.state(volumes::in_use);
        let before = old.status.as_ref().and_then(|s| s.volumes_in_use.clone()).unwrap_or_default();
        let why = if used == before {
            why
        } else {
            Why::new("kubelet.volumes_in_use").with("before", before.len()).with("count", used.len())
        };
        let why = match &changed {
            Some((type_, was, is)) if type_ != "Ready" => Why::new("kubelet.pressure")
                .read("before", ObjectRef { kind: Kind::NODE, key }, "status.conditions", was)
                .with("condition", type_)
                .with("now", *is),
            _ => why,
        };
        let allocatable = cx.state(|s| s.settings.allocatable(&old));
        let reserves = allocatable.is_some();
        let why = if reserves { Why::new("kubelet.allocatable").with("node", &self.node) } else { why };
        if let Some(allocatable) = allocatable {
            new.status.get_or_insert_default().allocatable = Some(allocatable);
        }
        let heartbeat =
            ready(&old) == ready(&new) && used == before && changed.is_none() && !reserves && !rebooted;
        new.status.get_or_insert_default().volumes_in_use = Some(used).filter(|u| !u.is_empty());
        let report = cx.patch_status(old, Rc::new(new)).because(why);
        // A report that changes neither `Ready` nor the volumes is a heartbeat.
        if heartbeat {
            report.in_background().await?
        } else {
            report.await?
        };
        Ok(())
    }
}

/// The id of a boot of a machine, which follows from its name and from how often it has started again (there by chance).
fn boot_id(node: &str, reboots: u32) -> String {
    let digits = images::container_id(node, "boot", i32::try_from(reboots).unwrap_or(i32::MAX));
    let digits = digits.trim_start_matches("containerd://");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32];
    parts.map(|part| digits.get(part).unwrap_or_default()).join("-")
}

/// A condition's status, reason and message, and the reason of the event about it.
type Said = (&'static str, &'static str, &'static str, &'static str);

/// What `Ready` says of a node without a network plugin, of one that is being shut down, and of one that is both (`setters.go`,
/// `ReadyCondition`).
const NOT_READY: [Said; 3] = [
    ("False", "KubeletNotReady", NO_PLUGIN, "NodeNotReady"),
    ("False", "KubeletNotReady", "node is shutting down", "NodeNotReady"),
    ("False", "KubeletNotReady", BOTH, "NodeNotReady"),
];

/// Two errors, as `utilerrors.NewAggregate` joins them.
const BOTH: &str = "[container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin \
                    returns error: cni plugin not initialized, node is shutting down]";

/// What `Ready` says.
fn readiness(no_network: bool, shuts_down: bool) -> Said {
    let [network, shutdown, both] = NOT_READY;
    match (no_network, shuts_down) {
        (false, false) => well("Ready"),
        (true, false) => network,
        (false, true) => shutdown,
        (true, true) => both,
    }
}

/// What a condition says on a healthy node (`pkg/kubelet/nodestatus/setters.go`).
fn well(type_: &str) -> Said {
    match type_ {
        "MemoryPressure" => (
            "False",
            "KubeletHasSufficientMemory",
            "kubelet has sufficient memory available",
            "NodeHasSufficientMemory",
        ),
        "DiskPressure" => {
            ("False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure", "NodeHasNoDiskPressure")
        }
        "PIDPressure" => (
            "False",
            "KubeletHasSufficientPID",
            "kubelet has sufficient PID available",
            "NodeHasSufficientPID",
        ),
        _ => ("True", "KubeletReady", "kubelet is posting ready status", "NodeReady"),
    }
}

/// What the condition of a pressure says on a node that has it.
fn short(type_: &str) -> Said {
    match type_ {
        "MemoryPressure" => (
            "True",
            "KubeletHasInsufficientMemory",
            "kubelet has insufficient memory available",
            "NodeHasInsufficientMemory",
        ),
        "DiskPressure" => {
            ("True", "KubeletHasDiskPressure", "kubelet has disk pressure", "NodeHasDiskPressure")
        }
        _ => (
            "True",
            "KubeletHasInsufficientPID",
            "kubelet has insufficient PID available",
            "NodeHasInsufficientPID",
        ),
    }
}
