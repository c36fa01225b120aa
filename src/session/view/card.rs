//! What the card of an object says, and where it stands.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::pods::PodView;
use crate::api::{Kind, Object};

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
        /// The number of ready pods; for a Job, of those that have succeeded.
        ready: i32,
        /// The number of existing pods.
        have: i32,
        /// `deployment.kubernetes.io/revision`, of a ReplicaSet.
        revision: Option<i64>,
        /// Whether its rollout is paused.
        paused: bool,
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
    /// An object whose conditions say how it stands: one of a custom kind, or a CustomResourceDefinition.
    Resource {
        /// Whether the condition is true.
        good: bool,
        /// The type of the condition, with its status if that is not `True`: `Ready`, `Ready: False`.
        word: String,
    },
    /// Anything else.
    Other,
}

/// The types of conditions that say how an object stands, the one that says most first.
const STANDING: [&str; 6] = ["Ready", "Available", "Healthy", "Programmed", "Accepted", "Established"];

impl Card {
    /// The card of an object of a custom kind, from its `status.conditions`.
    pub(super) fn of_conditions(object: &Object) -> Card {
        let value = object.to_value();
        let conditions = value.pointer("/status/conditions").and_then(Value::as_array);
        let status = |wanted: &str| {
            let mut all = conditions.into_iter().flatten();
            let found = all.find(|c| c.get("type").and_then(Value::as_str) == Some(wanted))?;
            found.get("status")?.as_str()
        };
        let found = STANDING.iter().find_map(|type_| Some((*type_, status(type_)?)));
        found.map_or(Card::Other, |(type_, status)| {
            let good = status == "True";
            Card::Resource { good, word: if good { type_.to_owned() } else { format!("{type_}: {status}") } }
        })
    }
}
