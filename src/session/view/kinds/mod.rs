//! What the page knows of a kind: where its objects stand, what their cards say, which lines they draw, what is wrong
//! with them, and what a person can do to them. [`of`] has a row for each built-in kind, without a wildcard, and [`KindView`]
//! has no default bodies: a kind that is added does not compile until its row is here. The kinds that
//! CustomResourceDefinitions define share one view.

/// Writes out the methods of a [`KindView`] that are named, for a kind that has nothing of its own to say there. Methods
/// that are neither named nor written are still missed by the compiler.
macro_rules! usual {
    ($($method:ident),* $(,)?) => { $(usual!(@$method);)* };
    (@card) => {
        fn card(&self, _: &$crate::api::Object) -> $crate::session::view::Card {
            $crate::session::view::Card::Other
        }
    };
    (@ails) => {
        fn ails(
            &self,
            _: &$crate::cluster::Cluster,
            object: &$crate::api::Object,
        ) -> Option<$crate::session::view::Ails> {
            $crate::session::view::kinds::stuck(object)
        }
    };
    (@report) => {
        fn report(
            &self,
            _: &$crate::cluster::Cluster,
            _: &$crate::api::Object,
        ) -> Option<$crate::session::view::report::Report> {
            None
        }
    };
    (@next_run) => {
        fn next_run(
            &self,
            _: &$crate::api::Object,
            _: $crate::api::Timestamp,
        ) -> Option<$crate::api::Timestamp> {
            None
        }
    };
    (@node) => {
        fn node<'o>(&self, _: &'o $crate::api::Object) -> Option<&'o str> {
            None
        }
    };
    (@ordinal) => {
        fn ordinal(&self, _: &$crate::api::Object) -> Option<u32> {
            None
        }
    };
    (@selects) => {
        fn selects(&self, _: &$crate::api::Object) -> Option<$crate::session::view::kinds::Selects> {
            None
        }
    };
    (@names) => {
        fn names<'o>(&self, _: &'o $crate::api::Object) -> Vec<$crate::session::view::kinds::Named<'o>> {
            Vec::new()
        }
    };
    (@offers) => {
        fn offers(
            &self,
            _: &$crate::cluster::Cluster,
            object: &$crate::api::Object,
        ) -> Vec<$crate::session::view::Offer> {
            vec![$crate::session::view::offers::deletion(object)]
        }
    };
}

mod autoscalers;
mod batch;
mod bindings;
mod certificates;
mod custom;
mod devices;
mod limits;
mod namespaces;
mod networking;
mod nodes;
mod pods;
mod sets;
mod storage;
#[cfg(test)]
mod tests;
mod workloads;

use crate::api::labels::Selector;
use crate::api::types::LabelSelector;
use crate::api::{BuiltIn, Kind, MetaExt, Object, Timestamp};
use crate::cluster::Cluster;

use super::ails::Ails;
use super::card::{Card, Place};
use super::offers::Offer;
use super::report::Report;
use autoscalers::Autoscalers;
use batch::{CronJobs, Jobs};
use bindings::{ClusterRoleBindings, RoleBindings};
use certificates::SigningRequests;
use custom::{Customs, Definitions};
use devices::DeviceClaims;
use limits::{DisruptionBudgets, Quotas};
use namespaces::Namespaces;
use networking::{Addresses, Ingresses, NetworkPolicies, ServiceRanges, Services};
use nodes::{Nodes, RuntimeClasses};
use pods::{PodTemplates, Pods};
use sets::{DaemonSets, StatefulSets};
use storage::{Attachments, Claims, Volumes};
use workloads::{Deployments, ReplicaSets, ReplicationControllers};

/// Whether the graph shows the objects of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// All of them.
    All,
    /// Those that the cluster did not boot with.
    Made,
    /// None: they are shown at the objects they are about, or nowhere.
    None,
}

/// A selector of an object, and the objects to which it is applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Selects {
    /// The selector.
    pub selector: Selector,
    /// The kind of object that it selects.
    pub kind: Kind,
    /// Whether a line is drawn only to those that no controller owns yet.
    pub only_orphans: bool,
}

/// An object that another one names in its spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named<'o> {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace; `None` for that of the object that names it, or for a kind without namespaces.
    pub namespace: Option<&'o str>,
    /// Its name.
    pub name: &'o str,
}

impl<'o> Named<'o> {
    /// An object in the namespace of the one that names it, or of a kind without namespaces.
    pub fn near(kind: Kind, name: &'o str) -> Named<'o> {
        Named { kind, namespace: None, name }
    }
}

/// What is the same for all objects of a kind.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The place of the kind's objects in the reading order.
    pub place: Place,
    /// The objects of the kind that the graph shows.
    pub shows: Shows,
    /// The component that makes or keeps the kind's objects, which are drawn in its colour. Empty for none.
    pub keeper: &'static str,
    /// The kind of object that the kind's objects make, which stands in the next column.
    pub makes: Option<Kind>,
    /// Whether the kind's objects are records that controllers keep about other objects. A graph of many objects leaves them
    /// out at first.
    pub record: bool,
    /// The paths of fields that the API server keeps for itself.
    pub bookkeeping: &'static [&'static str],
}

impl About {
    /// Objects that a person makes and no component keeps, beside the columns of workloads.
    pub const ASIDE: About = About {
        place: Place::Aside,
        shows: Shows::Made,
        keeper: "",
        makes: None,
        record: false,
        bookkeeping: &[],
    };
}

/// What the page shows of the objects of a kind. Each method is given an object of that kind.
pub trait KindView {
    /// What is the same for all objects of the kind.
    fn about(&self) -> About;
    /// The content of an object's card, which depends on the object alone.
    fn card(&self, object: &Object) -> Card;
    /// What is wrong with an object, when nothing is left to do: its status says so, or `kubectl describe` does. What a
    /// workload lacks of its pods is not part of it: [`declared`](super::declared) counts pods. Called for every object of
    /// the graph with every step.
    fn ails(&self, cluster: &Cluster, object: &Object) -> Option<Ails>;
    /// What an object declares and reports, if it is a workload whose pods no other workload counts.
    fn report(&self, cluster: &Cluster, object: &Object) -> Option<Report>;
    /// When an object does something next by its own schedule.
    fn next_run(&self, object: &Object, now: Timestamp) -> Option<Timestamp>;
    /// The node that an object is bound to.
    fn node<'o>(&self, object: &'o Object) -> Option<&'o str>;
    /// The place of an object among those of its owner, if it has a fixed one.
    fn ordinal(&self, object: &Object) -> Option<u32>;
    /// The objects that an object selects by labels; `None` if it selects none.
    fn selects(&self, object: &Object) -> Option<Selects>;
    /// The objects that an object names in its spec.
    fn names<'o>(&self, object: &'o Object) -> Vec<Named<'o>>;
    /// The actions that a person can do to an object, in the order of the buttons.
    fn offers(&self, cluster: &Cluster, object: &Object) -> Vec<Offer>;
}

/// The view of a kind.
pub fn of(kind: Kind) -> &'static dyn KindView {
    const MADE: &Plain = &Plain { shows: Shows::Made, record: false };
    const RECORD: &Plain = &Plain { shows: Shows::Made, record: true };
    const HIDDEN: &Plain = &Plain { shows: Shows::None, record: true };
    let Some(built_in) = kind.built_in() else { return &Customs };
    match built_in {
        BuiltIn::Namespace => &Namespaces,
        BuiltIn::Node => &Nodes,
        BuiltIn::Pod => &Pods,
        BuiltIn::Service => &Services,
        BuiltIn::Ingress => &Ingresses,
        BuiltIn::NetworkPolicy => &NetworkPolicies,
        BuiltIn::Deployment => &Deployments,
        BuiltIn::ReplicaSet => &ReplicaSets,
        BuiltIn::ReplicationController => &ReplicationControllers,
        BuiltIn::StatefulSet => &StatefulSets,
        BuiltIn::DaemonSet => &DaemonSets,
        BuiltIn::Job => &Jobs,
        BuiltIn::CronJob => &CronJobs,
        BuiltIn::HorizontalPodAutoscaler => &Autoscalers,
        BuiltIn::PodDisruptionBudget => &DisruptionBudgets,
        BuiltIn::ResourceQuota => &Quotas,
        BuiltIn::PersistentVolumeClaim => &Claims,
        BuiltIn::PersistentVolume => &Volumes,
        BuiltIn::VolumeAttachment => &Attachments,
        BuiltIn::ResourceClaim => &DeviceClaims,
        BuiltIn::RoleBinding => &RoleBindings,
        BuiltIn::ClusterRoleBinding => &ClusterRoleBindings,
        BuiltIn::CertificateSigningRequest => &SigningRequests,
        BuiltIn::CustomResourceDefinition => &Definitions,
        BuiltIn::Endpoints
        | BuiltIn::EndpointSlice
        | BuiltIn::ControllerRevision
        | BuiltIn::CSINode
        | BuiltIn::ResourceSlice => RECORD,
        BuiltIn::IPAddress => &Addresses,
        BuiltIn::ServiceCIDR => &ServiceRanges,
        BuiltIn::RuntimeClass => &RuntimeClasses,
        BuiltIn::PodTemplate => &PodTemplates,
        BuiltIn::Event | BuiltIn::Lease => HIDDEN,
        // These have no status that can be wrong, and `kubectl describe` says nothing of them but their fields.
        BuiltIn::ServiceAccount
        | BuiltIn::ConfigMap
        | BuiltIn::Secret
        | BuiltIn::StorageClass
        | BuiltIn::VolumeAttributesClass
        | BuiltIn::PriorityClass
        | BuiltIn::LimitRange
        | BuiltIn::IngressClass
        | BuiltIn::Role
        | BuiltIn::ClusterRole
        | BuiltIn::MutatingAdmissionPolicy
        | BuiltIn::MutatingAdmissionPolicyBinding
        | BuiltIn::ValidatingAdmissionPolicy
        | BuiltIn::ValidatingAdmissionPolicyBinding
        | BuiltIn::CSIDriver
        | BuiltIn::CSIStorageCapacity
        | BuiltIn::DeviceClass
        | BuiltIn::ResourceClaimTemplate => MADE,
    }
}

/// The pods without an owner that a workload with this selector would adopt.
fn orphans(selector: Option<&LabelSelector>) -> Option<Selects> {
    let selector = Selector::from_label_selector(Some(selector?)).ok()?;
    Some(Selects { selector, kind: Kind::POD, only_orphans: true })
}

/// An object that is being deleted stays until its finalizers are taken away.
fn stuck(object: &Object) -> Option<Ails> {
    let meta = object.meta();
    let finalizers = meta.finalizers.as_deref().filter(|f| meta.is_deleting() && !f.is_empty())?;
    Some(Ails::Finalizers(finalizers.to_vec()))
}

/// The view of kinds of which nothing is known but their names.
struct Plain {
    shows: Shows,
    record: bool,
}

impl KindView for Plain {
    fn about(&self) -> About {
        About {
            place: Place::Aside,
            shows: self.shows,
            keeper: "",
            makes: None,
            record: self.record,
            bookkeeping: &[],
        }
    }
    usual!(card, ails, report, next_run, node, ordinal, selects, names, offers);
}
