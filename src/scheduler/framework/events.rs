//! What happened in the cluster, as the plugins that refused a pod are asked about it (`fwk.ClusterEvent`,
//! `pkg/scheduler/framework/events.go`).

use std::fmt;
use std::ops::BitOr;
use std::rc::Rc;

use super::lister::ClaimLister;
use super::pod_info::{PodInfo, is_as_specified};
use super::resource::pod_requests;
use super::terms::NamespaceLister;
use crate::api::resource_claim::made_claims;
use crate::api::types::resource::ResourceClaim;
use crate::api::types::{
    CSIDriver, CSINode, CSIStorageCapacity, Node, PersistentVolume, PersistentVolumeClaim, Pod, PodStatus,
    StorageClass,
};
use crate::api::{ApiKind, Kind, MetaExt};

/// A set of things that can happen to an object (`fwk.ActionType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Actions(u32);

impl Actions {
    /// The object is new.
    pub const ADD: Actions = Actions(1);
    /// The object is gone.
    pub const DELETE: Actions = Actions(1 << 1);
    /// A Node's `status.allocatable` changed.
    pub const UPDATE_NODE_ALLOCATABLE: Actions = Actions(1 << 2);
    /// A Node's labels changed.
    pub const UPDATE_NODE_LABEL: Actions = Actions(1 << 3);
    /// A Node's taints changed, or it is not cordoned any more.
    pub const UPDATE_NODE_TAINT: Actions = Actions(1 << 4);
    /// The status of one of a Node's conditions changed.
    pub const UPDATE_NODE_CONDITION: Actions = Actions(1 << 5);
    /// A Node's annotations changed.
    pub const UPDATE_NODE_ANNOTATION: Actions = Actions(1 << 6);
    /// A Node's `status.declaredFeatures` changed.
    pub const UPDATE_NODE_DECLARED_FEATURE: Actions = Actions(1 << 7);
    /// A Pod's labels changed.
    pub const UPDATE_POD_LABEL: Actions = Actions(1 << 8);
    /// A Pod requests less of a resource.
    pub const UPDATE_POD_SCALE_DOWN: Actions = Actions(1 << 9);
    /// A Pod has more tolerations.
    pub const UPDATE_POD_TOLERATION: Actions = Actions(1 << 10);
    /// A Pod has no scheduling gates any more.
    pub const UPDATE_POD_SCHEDULING_GATES_ELIMINATED: Actions = Actions(1 << 11);
    /// A Pod's `status.resourceClaimStatuses` changed.
    pub const UPDATE_POD_GENERATED_RESOURCE_CLAIM: Actions = Actions(1 << 12);
    /// Something that has no name of its own changed. Whoever asks for this asks for every update.
    pub const UPDATE: Actions = Actions(((1 << 13) - 1) & !0b11);

    /// Whether all of `other` is in this set.
    pub const fn covers(self, other: Actions) -> bool {
        self.0 & other.0 == other.0
    }

    /// Kubernetes' names of the actions in this set (`ActionType.String`). A set of all updates has one name for them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let all = self.covers(Actions::UPDATE);
        let is_update = |a: Actions| Actions::UPDATE.covers(a);
        let named = NAMES.iter().filter(move |(a, _)| self.covers(*a) && !(all && is_update(*a)));
        named.map(|(_, name)| *name).chain(all.then_some("Update"))
    }

    /// The actions of both sets. (`|` for constants.)
    pub const fn or(self, other: Actions) -> Actions {
        Actions(self.0 | other.0)
    }
}

const NAMES: &[(Actions, &str)] = &[
    (Actions::ADD, "Add"),
    (Actions::DELETE, "Delete"),
    (Actions::UPDATE_NODE_ALLOCATABLE, "UpdateNodeAllocatable"),
    (Actions::UPDATE_NODE_LABEL, "UpdateNodeLabel"),
    (Actions::UPDATE_NODE_TAINT, "UpdateNodeTaint"),
    (Actions::UPDATE_NODE_CONDITION, "UpdateNodeCondition"),
    (Actions::UPDATE_NODE_ANNOTATION, "UpdateNodeAnnotation"),
    (Actions::UPDATE_NODE_DECLARED_FEATURE, "UpdateNodeDeclaredFeature"),
    (Actions::UPDATE_POD_LABEL, "UpdatePodLabel"),
    (Actions::UPDATE_POD_SCALE_DOWN, "UpdatePodScaleDown"),
    (Actions::UPDATE_POD_TOLERATION, "UpdatePodToleration"),
    (Actions::UPDATE_POD_SCHEDULING_GATES_ELIMINATED, "UpdatePodSchedulingGatesEliminated"),
    (Actions::UPDATE_POD_GENERATED_RESOURCE_CLAIM, "UpdatePodGeneratedResourceClaim"),
];

impl BitOr for Actions {
    type Output = Actions;
    fn bitor(self, other: Actions) -> Actions {
        self.or(other)
    }
}

/// The objects that an event is about (`fwk.EventResource`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// All pods. Plugins register for it; events name one of the next two.
    Pod,
    /// Pods with a node.
    AssignedPod,
    /// Pods without a node.
    UnscheduledPod,
    /// The objects of another kind.
    Of(Kind),
}

impl Resource {
    fn covers(self, other: Resource) -> bool {
        let pod = matches!(other, Resource::AssignedPod | Resource::UnscheduledPod);
        self == other || (self == Resource::Pod && pod)
    }
}

impl fmt::Display for Resource {
    /// Kubernetes' name (`EventResource`), for example `Node` or `storage.k8s.io/CSINode`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Resource::Pod => f.write_str("Pod"),
            Resource::AssignedPod => f.write_str("AssignedPod"),
            Resource::UnscheduledPod => f.write_str("UnscheduledPod"),
            Resource::Of(kind) if kind.group().is_empty() => f.write_str(kind.as_str()),
            Resource::Of(kind) => write!(f, "{}/{}", kind.group(), kind.as_str()),
        }
    }
}

/// An object before and after a change.
#[derive(Debug)]
pub struct Change<'a, T> {
    /// The object before; `None` if it is new.
    pub old: Option<&'a Rc<T>>,
    /// The object after; `None` if it is gone.
    pub new: Option<&'a Rc<T>>,
}

// Not derived: that would ask for a `T` that can be copied.
impl<T> Clone for Change<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Change<'_, T> {}

/// The changed object of an event.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// A Pod.
    Pod(Change<'a, Pod>),
    /// A Node.
    Node(Change<'a, Node>),
    /// A PersistentVolumeClaim.
    Claim(Change<'a, PersistentVolumeClaim>),
    /// A PersistentVolume.
    Volume(Change<'a, PersistentVolume>),
    /// A StorageClass.
    Class(Change<'a, StorageClass>),
    /// A CSINode.
    CsiNode(Change<'a, CSINode>),
    /// A CSIDriver.
    CsiDriver(Change<'a, CSIDriver>),
    /// A CSIStorageCapacity.
    Capacity(Change<'a, CSIStorageCapacity>),
    /// A ResourceClaim.
    ResourceClaim(Change<'a, ResourceClaim>),
    /// An object that no hint reads.
    Other,
}

/// Something that happened in the cluster.
#[derive(Clone, Copy, Debug)]
pub struct ClusterEvent<'a> {
    /// What the event is about.
    pub resource: Resource,
    /// What happened.
    pub action: Actions,
    /// The object.
    pub subject: Subject<'a>,
}

/// What a hint is asked: whether an event may let this pod be scheduled, which its plugin refused.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The pod that is not scheduled.
    pub pod: &'a PodInfo,
    /// Reads namespaces.
    pub namespaces: &'a dyn NamespaceLister,
    /// Reads claims for devices.
    pub claims: &'a dyn ClaimLister,
}

/// A plugin's answer to an event (`fwk.QueueingHintFn`). The functions return whether the pod may be schedulable
/// now.
#[derive(Clone, Copy)]
pub enum Hint {
    /// Every event may help.
    Queue,
    /// No event helps: it only asks for a gated pod to be looked at again.
    Skip,
    /// About whatever happens; the answer depends on the pod alone.
    Any(fn(Asked<'_>) -> bool),
    /// About a Pod.
    Pod(fn(Asked<'_>, Change<'_, Pod>) -> bool),
    /// About a Node.
    Node(fn(Asked<'_>, Change<'_, Node>) -> bool),
    /// About a PersistentVolumeClaim.
    Claim(fn(Asked<'_>, Change<'_, PersistentVolumeClaim>) -> bool),
    /// About a PersistentVolume.
    Volume(fn(Asked<'_>, Change<'_, PersistentVolume>) -> bool),
    /// About a StorageClass.
    Class(fn(Asked<'_>, Change<'_, StorageClass>) -> bool),
    /// About a CSINode.
    CsiNode(fn(Asked<'_>, Change<'_, CSINode>) -> bool),
    /// About a CSIDriver.
    CsiDriver(fn(Asked<'_>, Change<'_, CSIDriver>) -> bool),
    /// About a CSIStorageCapacity.
    Capacity(fn(Asked<'_>, Change<'_, CSIStorageCapacity>) -> bool),
    /// About a ResourceClaim.
    ResourceClaim(fn(Asked<'_>, Change<'_, ResourceClaim>) -> bool),
}

/// Events for which a plugin registers, and its hint about them (`fwk.ClusterEventWithHint`).
#[derive(Clone, Copy)]
pub struct Registered {
    /// The objects.
    pub resource: Resource,
    /// What happens to them.
    pub actions: Actions,
    /// The hint.
    pub hint: Hint,
}

impl Registered {
    /// The events (`ClusterEvent.Label`): for each of the actions the resource and the action's name, for example `NodeAdd`.
    pub fn labels(&self) -> impl Iterator<Item = String> {
        let resource = self.resource;
        self.actions.names().map(move |action| format!("{resource}{action}"))
    }

    /// Whether the plugin registered for the event (`MatchClusterEvents`).
    pub fn matches(&self, event: &ClusterEvent<'_>) -> bool {
        self.resource.covers(event.resource) && self.actions.covers(event.action)
    }

    /// The hint's answer. A hint about objects of another kind than the event's lets the pod be tried, as an
    /// error of a hint does in Kubernetes.
    pub fn may_help(&self, asked: Asked<'_>, subject: Subject<'_>) -> bool {
        match (self.hint, subject) {
            (Hint::Skip, _) => false,
            (Hint::Any(ask), _) => ask(asked),
            (Hint::Pod(ask), Subject::Pod(c)) => ask(asked, c),
            (Hint::Node(ask), Subject::Node(c)) => ask(asked, c),
            (Hint::Claim(ask), Subject::Claim(c)) => ask(asked, c),
            (Hint::Volume(ask), Subject::Volume(c)) => ask(asked, c),
            (Hint::Class(ask), Subject::Class(c)) => ask(asked, c),
            (Hint::CsiNode(ask), Subject::CsiNode(c)) => ask(asked, c),
            (Hint::CsiDriver(ask), Subject::CsiDriver(c)) => ask(asked, c),
            (Hint::Capacity(ask), Subject::Capacity(c)) => ask(asked, c),
            (Hint::ResourceClaim(ask), Subject::ResourceClaim(c)) => ask(asked, c),
            _ => true,
        }
    }
}

/// What changed of a pod (`PodSchedulingPropertiesChange`): at least one action, [`Actions::UPDATE`] if nothing that
/// has a name.
pub fn pod_changes(old: &Pod, new: &Pod) -> Vec<Actions> {
    let (was, is) = (old.spec.as_ref(), new.spec.as_ref());
    let mut actions = Vec::new();
    // The versions of a pod mostly share their metadata.
    if !std::ptr::eq(old.meta(), new.meta())
        && old.metadata.labels_or_empty() != new.metadata.labels_or_empty()
    {
        actions.push(Actions::UPDATE_POD_LABEL);
    }
    if requests_less(old, new) {
        actions.push(Actions::UPDATE_POD_SCALE_DOWN);
    }
    let gates = |s: Option<&crate::api::pod::Spec>| {
        s.and_then(|s| s.scheduling_gates.as_ref()).is_some_and(|g| !g.is_empty())
    };
    if gates(was) && !gates(is) {
        actions.push(Actions::UPDATE_POD_SCHEDULING_GATES_ELIMINATED);
    }
    let tolerations =
        |s: Option<&crate::api::pod::Spec>| s.and_then(|s| s.tolerations.as_ref()).map_or(0, Vec::len);
    if tolerations(was) != tolerations(is) {
        actions.push(Actions::UPDATE_POD_TOLERATION);
    }
    if made_claims(old) != made_claims(new) {
        actions.push(Actions::UPDATE_POD_GENERATED_RESOURCE_CLAIM);
    }
    if actions.is_empty() {
        actions.push(Actions::UPDATE);
    }
    actions
}

/// Whether the pod requests less of a resource than before.
fn requests_less(old: &Pod, new: &Pod) -> bool {
    // Most updates change neither the spec nor what the containers have.
    if old.spec == new.spec && is_as_specified(old) && is_as_specified(new) {
        return false;
    }
    let same = |a: &PodStatus, b: &PodStatus| {
        a.container_statuses == b.container_statuses
            && a.init_container_statuses == b.init_container_statuses
            && a.resources == b.resources
            && a.allocated_resources == b.allocated_resources
            && a.conditions == b.conditions
    };
    let statuses = match (&old.status, &new.status) {
        (Some(old), Some(new)) => same(old, new),
        (old, new) => old.is_none() && new.is_none(),
    };
    if old.spec == new.spec && statuses {
        return false;
    }
    let (old, new) = (pod_requests(old, None), pod_requests(new, None));
    old.milli_cpu > new.milli_cpu
        || old.memory > new.memory
        || old.ephemeral_storage > new.ephemeral_storage
        || old.scalar.iter().any(|(name, amount)| *amount > new.scalar(name))
}

/// What changed of a node (`NodeSchedulingPropertiesChange`); empty if it is nothing that concerns a plugin.
pub fn node_changes(old: &Node, new: &Node) -> Vec<Actions> {
    let (was, is) = (old.spec.as_ref(), new.spec.as_ref());
    let mut actions = Vec::new();
    let cordoned = |s: Option<&crate::api::types::NodeSpec>| s.is_some_and(|s| s.unschedulable == Some(true));
    if cordoned(was) && !cordoned(is) {
        actions.push(Actions::UPDATE_NODE_TAINT);
    }
    let (before, after) = (old.status.as_ref(), new.status.as_ref());
    if before.and_then(|s| s.allocatable.as_ref()) != after.and_then(|s| s.allocatable.as_ref()) {
        actions.push(Actions::UPDATE_NODE_ALLOCATABLE);
    }
    if old.metadata.labels != new.metadata.labels {
        actions.push(Actions::UPDATE_NODE_LABEL);
    }
    let taints =
        |s: Option<&crate::api::types::NodeSpec>| s.and_then(|s| s.taints.clone()).unwrap_or_default();
    if taints(was) != taints(is) {
        actions.push(Actions::UPDATE_NODE_TAINT);
    }
    let conditions = |s: Option<&crate::api::types::NodeStatus>| {
        let all = s.and_then(|s| s.conditions.clone()).unwrap_or_default();
        all.into_iter().map(|c| (c.type_, c.status)).collect::<std::collections::BTreeMap<_, _>>()
    };
    if conditions(before) != conditions(after) {
        actions.push(Actions::UPDATE_NODE_CONDITION);
    }
    if old.metadata.annotations != new.metadata.annotations {
        actions.push(Actions::UPDATE_NODE_ANNOTATION);
    }
    if before.and_then(|s| s.declared_features.as_ref()) != after.and_then(|s| s.declared_features.as_ref()) {
        actions.push(Actions::UPDATE_NODE_DECLARED_FEATURE);
    }
    actions
}
