//! A pod with all values that plugins read of it, computed once (`framework.PodInfo`).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::class::{Labels, PodClass};
use super::resource::{NonZero, Resource, pod_non_zero_requests, pod_requests};
use super::terms::{AffinityTerm, SpreadConstraint, WeightedAffinityTerm};
use crate::api::node_selector::{RequiredNodeAffinity, Term};
use crate::api::types::{Affinity, Container, Pod, Quantity, Toleration, Volume};
use crate::api::volume::{claim_of, is_restricted_disk};
use crate::api::{ApiKind, Key, MetaExt, Timestamp};

/// A host port that a pod uses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostPort {
    /// The node's address; `0.0.0.0` means every address.
    pub ip: String,
    /// The protocol: `TCP`, `UDP` or `SCTP`.
    pub protocol: String,
    /// The port's number, 1 to 65535.
    pub port: i32,
}

/// The address that stands for every address of the node.
const ANY_IP: &str = "0.0.0.0";

impl HostPort {
    /// Whether two pods with these ports cannot run on the same node.
    pub fn conflicts(&self, other: &HostPort) -> bool {
        self.port == other.port
            && self.protocol == other.protocol
            && (self.ip == ANY_IP || other.ip == ANY_IP || self.ip == other.ip)
    }
}

/// A pod with all values that plugins read of it.
#[derive(Clone, Debug)]
pub struct PodInfo {
    /// The pod.
    pub pod: Rc<Pod>,
    /// The pod's namespace and name.
    pub key: Key,
    /// The sum of the pod's requests ([`pod_requests`](super::pod_requests)).
    pub requests: Resource,
    /// The same with defaults for containers that have no requests; used for scores.
    pub non_zero: NonZero,
    /// The pod's class: its namespace and labels.
    pub class: PodClass,
    /// `spec.priority`; 0 if absent.
    pub priority: i32,
    /// `nodeSelector` and required node affinity.
    pub node_affinity: RequiredNodeAffinity,
    /// Preferred node affinity with weights. Terms that match no node are left out.
    pub preferred_node_affinity: Vec<(Term, i64)>,
    /// Required pod affinity.
    pub required_affinity: Vec<AffinityTerm>,
    /// Required pod anti-affinity.
    pub required_anti_affinity: Vec<AffinityTerm>,
    /// Preferred pod affinity.
    pub preferred_affinity: Vec<WeightedAffinityTerm>,
    /// Preferred pod anti-affinity.
    pub preferred_anti_affinity: Vec<WeightedAffinityTerm>,
    /// Spread constraints that must hold (`DoNotSchedule`).
    pub hard_spread: Vec<SpreadConstraint>,
    /// Spread constraints that should hold (`ScheduleAnyway`).
    pub soft_spread: Vec<SpreadConstraint>,
    /// Host ports of the pod's containers.
    pub host_ports: Vec<HostPort>,
    /// Whether the pod uses claims, or volumes that `VolumeRestrictions` restricts.
    pub has_volumes: bool,
}

impl PodInfo {
    /// The names of the claims that the pod uses, in the order of its volumes, each with whether it is the
    /// volume's own (ephemeral).
    pub fn claims(&self) -> impl Iterator<Item = (String, bool)> {
        let spec = if self.has_volumes { self.pod.spec.as_ref() } else { None };
        let volumes = spec.and_then(|s| s.volumes.as_deref()).unwrap_or_default();
        volumes.iter().filter_map(|v| claim_of(&self.pod, v))
    }

    /// The keys of the claims that the pod uses.
    pub fn claim_keys(&self) -> Vec<Key> {
        let key = |(name, _): (String, bool)| Key {
            namespace: self.key.namespace.clone(),
            name: name.as_str().into(),
        };
        self.claims().map(key).collect()
    }

    /// Computes all values from a pod.
    pub fn new(pod: Rc<Pod>) -> PodInfo {
        let namespace = pod.metadata.namespace();
        let spec = pod.spec.as_ref();
        let affinity = spec.and_then(|s| s.affinity.as_ref());
        let (required_affinity, preferred_affinity) = pod_affinity(affinity, namespace);
        let (required_anti_affinity, preferred_anti_affinity) = pod_anti_affinity(affinity, namespace);
        let spread = |when: &str| {
            let all = spec.and_then(|s| s.topology_spread_constraints.as_deref()).unwrap_or_default();
            let these = all.iter().filter(|c| c.when_unsatisfiable == when);
            these.map(|c| SpreadConstraint::parse(c, &pod)).collect::<Vec<_>>()
        };
        // Nearly every pod has the volume with its token, which concerns no plugin.
        let counts = |v: &Volume| {
            v.persistent_volume_claim.is_some() || v.ephemeral.is_some() || is_restricted_disk(v)
        };
        PodInfo {
            key: pod.metadata.key(),
            requests: pod_requests(&pod, None),
            non_zero: pod_non_zero_requests(&pod),
            class: PodClass::new(&pod),
            priority: spec.and_then(|s| s.priority).unwrap_or(0),
            node_affinity: RequiredNodeAffinity::of(&pod),
            preferred_node_affinity: preferred_node_affinity(affinity),
            required_affinity,
            required_anti_affinity,
            preferred_affinity,
            preferred_anti_affinity,
            hard_spread: spread("DoNotSchedule"),
            soft_spread: spread("ScheduleAnyway"),
            host_ports: host_ports(&pod),
            has_volumes: spec.is_some_and(|s| s.volumes.iter().flatten().any(counts)),
            pod,
        }
    }

    /// Whether all values computed from `new` would be those computed from this pod. Binding a pod does not
    /// change them.
    pub fn counts_as(&self, new: &Pod) -> bool {
        let (Some(a), Some(b)) = (self.pod.spec.as_deref(), new.spec.as_deref()) else { return false };
        let (before, after) = (self.pod.meta(), new.meta());
        let same_metadata = || before.is_deleting() == after.is_deleting() && before.labels == after.labels;
        let same_spec = || {
            a.containers == b.containers
                && a.init_containers == b.init_containers
                && a.overhead == b.overhead
                && a.resources == b.resources
                && a.priority == b.priority
                && a.node_selector == b.node_selector
                && a.affinity == b.affinity
                && a.topology_spread_constraints == b.topology_spread_constraints
                && a.volumes == b.volumes
        };
        // The versions of a pod mostly share their metadata, and their spec but for the node.
        (std::ptr::eq(before, after) || same_metadata())
            && is_as_specified(&self.pod)
            && is_as_specified(new)
            && (std::ptr::eq(a, b) || same_spec())
    }

    /// Takes a newer version of the pod, for which [`counts_as`](Self::counts_as) holds.
    pub fn renew(&mut self, new: &Rc<Pod>) {
        self.class.example = new.clone();
        self.pod = new.clone();
    }

    /// The pod's tolerations.
    pub fn tolerations(&self) -> &[Toleration] {
        self.pod.spec.as_ref().and_then(|s| s.tolerations.as_deref()).unwrap_or_default()
    }

    /// The pod's namespace.
    pub fn namespace(&self) -> &str {
        &self.key.namespace
    }

    /// The pod's name.
    pub fn name(&self) -> &str {
        &self.key.name
    }

    /// The pod's labels.
    pub fn labels(&self) -> &Labels {
        self.pod.metadata.labels_or_empty()
    }

    /// Whether the pod has required or preferred pod affinity or anti-affinity.
    pub fn has_affinity(&self) -> bool {
        let affinity = self.pod.spec.as_ref().and_then(|s| s.affinity.as_ref());
        affinity.is_some_and(|a| a.pod_affinity.is_some() || a.pod_anti_affinity.is_some())
    }

    /// Whether the pod's `deletionTimestamp` is set.
    pub fn is_terminating(&self) -> bool {
        self.pod.metadata.is_deleting()
    }

    /// `status.startTime`: when the kubelet accepted the pod. `None` before that.
    pub fn start_time(&self) -> Option<Timestamp> {
        self.pod.status.as_ref().and_then(|s| s.start_time.as_ref()).map(|t| t.0)
    }

    /// Whether the pod has topology spread constraints of its own, which replace the default ones.
    pub fn has_spread(&self) -> bool {
        let spec = self.pod.spec.as_ref();
        spec.and_then(|s| s.topology_spread_constraints.as_ref()).is_some_and(|c| !c.is_empty())
    }
}

/// Whether the resources in the pod's status are those in its spec, so that only the spec counts.
pub(super) fn is_as_specified(pod: &Pod) -> bool {
    let (Some(spec), Some(status)) = (&pod.spec, &pod.status) else { return true };
    let statuses = status.container_statuses.iter().chain(&status.init_container_statuses).flatten();
    let whole = spec.resources.as_ref().and_then(|r| r.requests.as_ref());
    let of_pod =
        [status.resources.as_ref().and_then(|r| r.requests.as_ref()), status.allocated_resources.as_ref()];
    let as_whole = |list: &BTreeMap<String, Quantity>| {
        whole.into_iter().flatten().all(|(name, amount)| list.get(name).is_none_or(|a| a == amount))
    };
    of_pod.into_iter().flatten().all(as_whole)
        && status.conditions.iter().flatten().all(|c| c.type_ != "PodResizePending")
        && statuses.into_iter().all(|s| {
            let mut all = spec.containers.iter().chain(spec.init_containers.iter().flatten());
            let asked = all.find(|c| c.name == s.name).and_then(|c| c.resources.as_ref()?.requests.as_ref());
            let in_force = s.resources.as_ref().and_then(|r| r.requests.as_ref());
            in_force.is_none_or(|r| Some(r) == asked)
                && s.allocated_resources.as_ref().is_none_or(|r| Some(r) == asked)
        })
}

type Terms = (Vec<AffinityTerm>, Vec<WeightedAffinityTerm>);

fn pod_affinity(affinity: Option<&Affinity>, namespace: &str) -> Terms {
    let Some(a) = affinity.and_then(|a| a.pod_affinity.as_ref()) else { return Terms::default() };
    let required = a.required_during_scheduling_ignored_during_execution.iter().flatten();
    let preferred = a.preferred_during_scheduling_ignored_during_execution.iter().flatten();
    (
        required.map(|t| AffinityTerm::parse(t, namespace)).collect(),
        preferred.map(|t| WeightedAffinityTerm::parse(t, namespace)).collect(),
    )
}

fn pod_anti_affinity(affinity: Option<&Affinity>, namespace: &str) -> Terms {
    let Some(a) = affinity.and_then(|a| a.pod_anti_affinity.as_ref()) else { return Terms::default() };
    let required = a.required_during_scheduling_ignored_during_execution.iter().flatten();
    let preferred = a.preferred_during_scheduling_ignored_during_execution.iter().flatten();
    (
        required.map(|t| AffinityTerm::parse(t, namespace)).collect(),
        preferred.map(|t| WeightedAffinityTerm::parse(t, namespace)).collect(),
    )
}

/// The terms of a pod's required anti-affinity.
pub fn required_anti_affinity(pod: &Pod) -> Vec<AffinityTerm> {
    let affinity = pod.spec.as_ref().and_then(|s| s.affinity.as_ref());
    pod_anti_affinity(affinity, pod.metadata.namespace()).0
}

fn preferred_node_affinity(affinity: Option<&Affinity>) -> Vec<(Term, i64)> {
    let preferred = affinity
        .and_then(|a| a.node_affinity.as_ref())
        .and_then(|a| a.preferred_during_scheduling_ignored_during_execution.as_deref())
        .unwrap_or_default();
    let terms = preferred.iter().map(|t| (Term::parse(&t.preference), i64::from(t.weight)));
    terms.filter(|(t, weight)| *weight != 0 && !t.is_empty()).collect()
}

/// Whether a pod takes room on a node, which others get when it is deleted: it is bound to a node, or nominated to one.
pub fn frees_node(pod: &Pod) -> bool {
    let named = |n: Option<&str>| n.is_some_and(|n| !n.is_empty());
    named(pod.spec.as_ref().and_then(|s| s.node_name.as_deref()))
        || named(pod.status.as_ref().and_then(|s| s.nominated_node_name.as_deref()))
}

/// The host ports of the pod's containers and sidecars.
pub fn host_ports(pod: &Pod) -> Vec<HostPort> {
    let Some(spec) = &pod.spec else { return Vec::new() };
    let sidecars =
        spec.init_containers.iter().flatten().filter(|c| c.restart_policy.as_deref() == Some("Always"));
    let ports = |c: &Container| c.ports.clone().unwrap_or_default();
    let text = |s: Option<String>, or: &str| s.filter(|s| !s.is_empty()).unwrap_or_else(|| or.to_owned());
    let all = spec.containers.iter().chain(sidecars).flat_map(ports);
    all.filter_map(|p| {
        let port = p.host_port.filter(|p| *p > 0)?;
        Some(HostPort { ip: text(p.host_ip, ANY_IP), protocol: text(p.protocol, "TCP"), port })
    })
    .collect()
}
