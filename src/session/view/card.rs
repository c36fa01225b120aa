//! What the card of an object says, and where it stands.

use serde::{Deserialize, Serialize};

use super::pods::{PodLook, PodView};
use crate::api::Kind;

/// Where a kind stands in the reading order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Place {
    /// Makes workloads: Deployment, CronJob.
    Root,
    /// Makes pods: ReplicaSet, StatefulSet, Job.
    Middle,
    /// Pods.
    Pod,
    /// Nodes.
    Node,
    /// All else: Service, ConfigMap.
    Aside,
}

impl Place {
    /// The kind of all objects that stand here, where it is the same for all.
    pub fn kind(self) -> Option<&'static str> {
        match self {
            Place::Pod => Some(Kind::POD.as_str()),
            Place::Node => Some(Kind::NODE.as_str()),
            Place::Root | Place::Middle | Place::Aside => None,
        }
    }
}

/// What a card says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Card {
    /// A workload: an object that declares a number of pods.
    Workload {
        /// The number of declared pods.
        want: i32,
        /// The number of ready pods; of a Job, of those that have succeeded.
        ready: i32,
        /// Whether pods are counted that have succeeded, and not those that are ready.
        succeeds: bool,
        /// The number of existing pods.
        have: i32,
        /// `deployment.kubernetes.io/revision`, of a ReplicaSet.
        revision: Option<i64>,
        /// Whether a person has halted it.
        halt: Option<Halt>,
    },
    /// What makes objects at the moments of a schedule.
    Schedule {
        /// When, in cron's notation.
        schedule: String,
        /// The time zone of the schedule, if it names one.
        zone: Option<String>,
        /// Whether a person has halted it.
        halt: Option<Halt>,
    },
    /// A pod.
    Pod(PodView),
    /// A node.
    Node {
        /// Whether its Ready condition is true.
        ready: bool,
        /// Whether it is not cordoned.
        schedulable: bool,
    },
    /// An object whose status says how it stands: by a condition (CustomResourceDefinitions, custom kinds, disruption
    /// budgets), a phase (claims, volumes) or numbers (autoscalers, quotas). `None` as long as it says nothing.
    Resource(Option<Standing>),
    /// Anything else.
    Other,
}

/// How an object stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Health {
    /// As it should be.
    Well,
    /// Not yet as it should be.
    Waiting,
    /// Something is wrong.
    Bad,
}

impl Card {
    /// How the object stands; `None` if it does not say.
    pub fn health(&self) -> Option<Health> {
        let good = |good: bool, else_: Health| Some(if good { Health::Well } else { else_ });
        match self {
            Card::Workload { want, ready, .. } => good(ready >= want, Health::Waiting),
            Card::Pod(pod) => Some(match pod.look {
                PodLook::Ready | PodLook::Succeeded => Health::Well,
                PodLook::Trouble | PodLook::Failed | PodLook::Unknown => Health::Bad,
                PodLook::Unscheduled | PodLook::Starting | PodLook::NotReady | PodLook::Terminating => {
                    Health::Waiting
                }
            }),
            Card::Node { ready, schedulable } => match (ready, schedulable) {
                (false, _) => Some(Health::Bad),
                (true, schedulable) => good(*schedulable, Health::Waiting),
            },
            Card::Resource(standing) => good(standing.as_ref()?.good, Health::Waiting),
            Card::Schedule { .. } | Card::Other => None,
        }
    }
}

/// How a person has halted an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Halt {
    /// `spec.paused`, of a Deployment.
    Paused,
    /// `spec.suspend`, of a Job or a CronJob.
    Suspended,
}

/// How an object stands by its status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// Whether that is well.
    pub good: bool,
    /// The type of the condition, with its status if that is not `True`: `Ready`, `Ready: False`; or the phase, or the
    /// numbers, as kubectl shows them: `Bound`, `pods 3/4`.
    pub word: String,
}
