//! A turn of one pod, [`Turn`], on which the modules of the kubelet work one after the other: admission,
//! `pod_worker`, `prober`, `status`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::cause::{Cause, PodCause};
use super::contents::{Contents, Told};
use super::cpu_policy::CpuPolicy;
use super::cri::Call;
use super::decisions::{Eviction, Order};
use super::state::{NodeRuntime, PodRuntime, State};
use super::strain::Foreseen;
use crate::api::ip_family::family_of;
use crate::api::persistent::Map;
use crate::api::types::{Container, Node, Pod};
use crate::api::{Key, MetaExt, Timestamp, pod};
use crate::client::{Caches, Why};
use crate::network::Question;
use crate::shell::Answers;

/// An event about a pod, to be recorded after the turn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PodEvent {
    /// The index of the container that the event is about; `None` if it is about the pod.
    pub(super) container: Option<usize>,
    /// `Normal` or `Warning`.
    pub(super) type_: &'static str,
    /// The reason, for example `Pulled`.
    pub(super) reason: Cow<'static, str>,
    /// The message.
    pub(super) message: String,
}

/// The node's addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Host<'a> {
    /// `status.addresses`: the first `InternalIP`, and the first one of the other family.
    pub(super) addresses: [Option<&'a str>; 2],
    /// `spec.podCIDRs`
    pub(super) pod_cidrs: &'a [String],
}

/// A turn of one pod at one moment: it brings the runtime up to the present, and does what needs neither
/// waiting nor a request to the API server.
pub(super) struct Turn<'a> {
    pub(super) pod: &'a Pod,
    pub(super) spec: &'a pod::Spec,
    pub(super) rt: PodRuntime,
    pub(super) node: NodeRuntime,
    pub(super) unpullable: &'a Map<Rc<str>, Rc<str>>,
    pub(super) unmountable: &'a Map<Rc<str>, Rc<str>>,
    /// What pods have written into directories of the node.
    pub(super) node_disk: &'a Rc<Contents>,
    /// What is in the volumes that every node reaches.
    pub(super) storage: &'a Map<Rc<str>, Rc<Contents>>,
    pub(super) eviction: &'a Eviction,
    /// The static policy of the CPU manager; `None` if it has none.
    pub(super) cpu_policy: Option<&'a CpuPolicy>,
    /// The settings of the kernel that pods may change, beside those that all may.
    pub(super) allowed_sysctls: &'a [String],
    /// Whether the node is being shut down.
    pub(super) shuts_down: bool,
    /// The specs of the pod's ephemeral containers.
    pub(super) ephemeral: &'a [Container],
    /// The pods that the kubelet runs.
    pub(super) pods: &'a Map<Key, Rc<PodRuntime>>,
    /// The key of the Node.
    pub(super) node_key: &'a Key,
    pub(super) caches: &'a Caches,
    pub(super) host: Host<'a>,
    pub(super) now: Timestamp,
    /// What the network has answered to the pod's processes.
    pub(super) answers: Rc<BTreeMap<Question, Answers>>,
    /// The ports that one of them was told to open.
    pub(super) opened: &'a [u16],
    /// What probes of the pod will meet that ask busy servers.
    pub(super) strained: &'a [Foreseen],
    /// Whether the container runtime has no network plugin.
    pub(super) no_network: bool,
    /// Whether etcd answers nobody.
    pub(super) etcd_silent: bool,
    /// The largest packet that the interface of the pod takes, if that is less than an Ethernet's.
    pub(super) mtu: Option<u16>,
    /// What they have asked in this turn and not before.
    pub(super) asks: Vec<Question>,
    /// Whether the loops of a process repeat something else than before ([`crate::shell::Cycle`]).
    pub(super) repeats_anew: bool,
    pub(super) events: Vec<PodEvent>,
    /// What was done to the pod's volumes on the disk of the node, each as the reason for it.
    pub(super) disk_writes: Vec<Why>,
    /// The calls to the container runtime; `None` if nobody looks.
    pub(super) calls: Option<Vec<Call>>,
    /// What the pod says of what it writes into volumes that outlive it.
    pub(super) told: Vec<Told>,
    /// Other pods that are to be ended for this one.
    pub(super) orders: Vec<(Key, Rc<Pod>, Order)>,
    /// Whether another turn has to follow as soon as the status has been reported.
    pub(super) again: bool,
    /// Whether the sandbox has become ready in this turn, whose report says no more than that.
    pub(super) sandbox_is_news: bool,
}

impl<'a> Host<'a> {
    /// Reads the addresses and the ranges of pod addresses off the Node; without a Node there are none.
    fn of(caches: &'a Caches, node: &Key) -> Host<'a> {
        let Some(node) = caches.get::<Node>(node) else { return Host::default() };
        let addresses = node.status.as_ref().and_then(|s| s.addresses.as_deref()).unwrap_or_default();
        let internal = || addresses.iter().filter(|a| a.type_ == "InternalIP").map(|a| a.address.as_str());
        let first = internal().next();
        let second = first.and_then(|first| internal().find(|a| family_of(a) != family_of(first)));
        Host {
            addresses: [first, second],
            pod_cidrs: node.spec.as_ref().and_then(|s| s.pod_cidrs.as_deref()).unwrap_or_default(),
        }
    }

    /// The node's addresses, the first one first.
    pub(super) fn addresses(&self) -> impl Iterator<Item = &str> {
        self.addresses.into_iter().flatten()
    }
}

impl<'a> Turn<'a> {
    /// A turn of a pod that the kubelet of the node `node_key` runs, and of which it remembers `rt`.
    pub(super) fn new(
        pod: &'a Pod,
        spec: &'a pod::Spec,
        rt: PodRuntime,
        state: &'a State,
        node_key: &'a Key,
        caches: &'a Caches,
        now: Timestamp,
    ) -> Turn<'a> {
        let network = state.network.get(&MetaExt::key(&pod.metadata)).filter(|n| n.uid == rt.uid);
        let known = state.pods.get(&pod.metadata.key()).filter(|known| known.uid == rt.uid);
        Turn {
            ephemeral: known.map(|rt| &*rt.ephemeral).unwrap_or_default(),
            answers: network.map(|n| n.answers.clone()).unwrap_or_default(),
            opened: state.opened(&pod.metadata.key(), &rt.uid),
            strained: match state.strained.get(&pod.metadata.key()) {
                Some((uid, probes)) if *uid == rt.uid => probes,
                _ => &[],
            },
            no_network: state.no_network,
            etcd_silent: state.etcd_silent,
            mtu: state.mtu,
            asks: Vec::new(),
            repeats_anew: false,
            pod,
            spec,
            rt,
            node: state.node.clone(),
            unpullable: &state.unpullable,
            unmountable: &state.unmountable,
            node_disk: &state.node_disk,
            storage: &state.storage,
            eviction: &state.eviction,
            cpu_policy: state.settings.cpus.as_deref(),
            allowed_sysctls: &state.settings.allowed_sysctls,
            shuts_down: state.shutdown.is_some(),
            pods: &state.pods,
            node_key,
            caches,
            host: Host::of(caches, node_key),
            now,
            events: Vec::new(),
            disk_writes: Vec::new(),
            calls: None,
            told: Vec::new(),
            orders: Vec::new(),
            again: false,
            sandbox_is_news: false,
        }
    }

    /// Whether the pod is to end: somebody deletes it, or its manifest is gone.
    pub(super) fn is_ending(&self) -> bool {
        self.pod.metadata.is_deleting() || self.rt.withdrawn
    }

    /// The first address of the pod; empty if it has none.
    pub(super) fn address(&self) -> &str {
        self.rt.addresses.first().map(|a| &**a).unwrap_or_default()
    }

    /// Notes an event about the pod, or about one of its containers.
    pub(super) fn event(
        &mut self,
        container: Option<usize>,
        type_: &'static str,
        reason: impl Into<Cow<'static, str>>,
        message: String,
    ) {
        self.events.push(PodEvent { container, type_, reason: reason.into(), message });
    }

    /// Notes the cause of the next status report.
    pub(super) fn caused(&mut self, container: Option<usize>, what: PodCause) {
        let container = container.and_then(|i| self.rt.containers.get(i)).map(|c| c.name.clone());
        self.rt.cause = Cause { container, what, happened: None };
    }

    /// The number of init containers. They come first in `rt.containers`.
    pub(super) fn init_count(&self) -> usize {
        self.spec.init_containers.as_ref().map_or(0, Vec::len)
    }

    /// A container's spec, by its index in `rt.containers`.
    pub(super) fn container_spec(&self, i: usize) -> Option<&'a Container> {
        let init = self.spec.init_containers.as_deref().unwrap_or_default();
        let main = || self.spec.containers.get(i.checked_sub(init.len())?);
        let ephemeral = || self.ephemeral.get(i.checked_sub(self.main_end())?);
        init.get(i).or_else(main).or_else(ephemeral)
    }

    /// Whether it is a sidecar: an init container with `restartPolicy: Always`.
    pub(super) fn is_sidecar(&self, i: usize) -> bool {
        i < self.init_count()
            && self.container_spec(i).is_some_and(|c| c.restart_policy.as_deref() == Some("Always"))
    }

    /// `spec.restartPolicy`
    pub(super) fn restart_policy(&self) -> &'a str {
        self.spec.restart_policy.as_deref().unwrap_or("Always")
    }

    /// The pod as `name_namespace(uid)`, as it stands in messages.
    pub(super) fn pod_name(&self) -> String {
        let m = &self.pod.metadata;
        format!("{}_{}({})", MetaExt::name(m), MetaExt::namespace(m), MetaExt::uid(m))
    }
}
