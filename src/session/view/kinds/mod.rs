//! What the page knows of a kind: where its objects stand, what their cards say, which lines they draw, what is wrong
//! with them, and what a person can do to them. Each built-in kind that is more than a name has an implementation of
//! [`KindView`]. The kinds that CustomResourceDefinitions define share one, and all others share `Plain`.

mod autoscalers;
mod batch;
mod custom;
mod nodes;
mod pods;
mod services;
mod sets;
mod storage;
mod workloads;

use crate::api::labels::Selector;
use crate::api::{Kind, MetaExt, Object, Timestamp};
use crate::cluster::Cluster;

use super::ails::Ails;
use super::card::{Card, Place};
use super::offers::{Offer, deletion};
use super::report::Report;
use autoscalers::Autoscalers;
use batch::{CronJobs, Jobs};
use custom::{Customs, Definitions};
use nodes::Nodes;
use pods::Pods;
use services::{Ingresses, Services};
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

/// What the page shows of the objects of a kind. Each method is given an object of that kind.
pub trait KindView {
    /// The place of the kind's objects in the reading order.
    fn place(&self) -> Place {
        Place::Aside
    }
    /// The objects of the kind that the graph shows.
    fn shows(&self) -> Shows {
        Shows::Made
    }
    /// The component that makes or keeps the kind's objects, which are drawn in its colour. Empty for none.
    fn keeper(&self) -> &'static str {
        ""
    }
    /// The kind of object that the kind's objects make, which stands in the next column.
    fn makes(&self) -> Option<Kind> {
        None
    }
    /// The content of an object's card.
    fn card(&self, object: &Object) -> Card;
    /// What is wrong with an object by its own account, when nothing is left to do. What a workload lacks of its pods is not
    /// part of it: [`declared`](super::declared) counts pods. Called for every object of the graph with every step.
    fn ails(&self, object: &Object) -> Option<Ails> {
        stuck(object)
    }
    /// What an object declares and reports, if it is a workload whose pods no other workload counts.
    fn report(&self, _: &Cluster, _: &Object) -> Option<Report> {
        None
    }
    /// When an object does something next by its own schedule.
    fn next_run(&self, _: &Object, _now: Timestamp) -> Option<Timestamp> {
        None
    }
    /// Whether a field of the kind's objects is kept by the API server itself.
    fn is_bookkeeping(&self, _path: &str) -> bool {
        false
    }
    /// The node that an object is bound to.
    fn node<'o>(&self, _: &'o Object) -> Option<&'o str> {
        None
    }
    /// The place of an object among those of its owner, if it has a fixed one.
    fn ordinal(&self, _: &Object) -> Option<u32> {
        None
    }
    /// The objects that an object selects by labels; `None` if it selects none.
    fn selects(&self, _: &Object) -> Option<Selects> {
        None
    }
    /// The objects of its own namespace, or of none, that an object names in its spec.
    fn names<'o>(&self, _: &'o Object) -> Vec<(Kind, &'o str)> {
        Vec::new()
    }
    /// Whether the kind's objects are records that controllers keep about other objects. A graph of many objects leaves them
    /// out at first.
    fn is_record(&self) -> bool {
        false
    }
    /// The actions that a person can do to an object, in the order of the buttons.
    fn offers(&self, cluster: &Cluster, object: &Object) -> Vec<Offer>;
}

/// The kinds that have a view of their own.
const VIEWS: [(Kind, &dyn KindView); 23] = [
    (Kind::POD, &Pods),
    (Kind::REPLICA_SET, &ReplicaSets),
    (Kind::DEPLOYMENT, &Deployments),
    (Kind::NODE, &Nodes),
    (Kind::SERVICE, &Services),
    (Kind::INGRESS, &Ingresses),
    (Kind::CUSTOM_RESOURCE_DEFINITION, &Definitions),
    (Kind::EVENT, &Plain { shows: Shows::None, record: true }),
    (Kind::LEASE, &Plain { shows: Shows::None, record: true }),
    (Kind::ENDPOINTS, &Plain { shows: Shows::Made, record: true }),
    (Kind::ENDPOINT_SLICE, &Plain { shows: Shows::Made, record: true }),
    (Kind::CONTROLLER_REVISION, &Plain { shows: Shows::Made, record: true }),
    (Kind::CSI_NODE, &Plain { shows: Shows::Made, record: true }),
    (Kind::IP_ADDRESS, &Plain { shows: Shows::Made, record: true }),
    (Kind::JOB, &Jobs),
    (Kind::CRON_JOB, &CronJobs),
    (Kind::STATEFUL_SET, &StatefulSets),
    (Kind::DAEMON_SET, &DaemonSets),
    (Kind::REPLICATION_CONTROLLER, &ReplicationControllers),
    (Kind::PERSISTENT_VOLUME_CLAIM, &Claims),
    (Kind::PERSISTENT_VOLUME, &Volumes),
    (Kind::VOLUME_ATTACHMENT, &Attachments),
    (Kind::HORIZONTAL_POD_AUTOSCALER, &Autoscalers),
];

/// The view of a kind.
pub fn of(kind: Kind) -> &'static dyn KindView {
    if kind.is_custom() {
        return &Customs;
    }
    VIEWS
        .iter()
        .find(|(k, _)| *k == kind)
        .map_or(&Plain { shows: Shows::Made, record: false }, |(_, view)| *view)
}

/// An object that is being deleted stays until its finalizers are taken away.
fn stuck(object: &Object) -> Option<Ails> {
    let meta = object.meta();
    let finalizers = meta.finalizers.as_deref().filter(|f| meta.is_deleting() && !f.is_empty())?;
    Some(Ails::Finalizers(finalizers.to_vec()))
}

/// The view of all other kinds: the page knows nothing special about them.
struct Plain {
    shows: Shows,
    record: bool,
}

impl KindView for Plain {
    fn shows(&self) -> Shows {
        self.shows
    }
    fn card(&self, _: &Object) -> Card {
        Card::Other
    }
    fn is_record(&self) -> bool {
        self.record
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        vec![deletion(object)]
    }
}
