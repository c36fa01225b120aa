//! Requests that a step of a lesson follows at the moment that is shown: from which pod, and for which URL. Its expressions read
//! what becomes of them, and the page leads to their journeys. No such request is sent.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value as Json, json};

use super::prints::names;
use crate::api::{Key, Kind, ObjectRef};
use crate::cel::Value;
use crate::cluster::Cluster;
use crate::session::view::journey::{EndView, HopView, Taken, WayView, journey};

/// Requests by the names that expressions have for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journeys(BTreeMap<String, Asks>);

/// A request that could be sent.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asks {
    /// The pod that sends it: a name, or a namespace and a name with `/` in between.
    pod: String,
    /// What it asks for.
    url: String,
}

impl<'de> Deserialize<'de> for Journeys {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Journeys, D::Error> {
        let all = BTreeMap::<String, Asks>::deserialize(from)?;
        names(all.keys()).map_err(serde::de::Error::custom)?;
        Ok(Journeys(all))
    }
}

/// A request whose journey the page can show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JourneyLink {
    /// The pod that could send it.
    pub pod: ObjectRef,
    /// What it asks for.
    pub url: String,
}

impl Asks {
    fn pod(&self) -> Key {
        let (namespace, name) = self.pod.split_once('/').unwrap_or(("default", &self.pod));
        Key::new(namespace, name)
    }
}

impl Journeys {
    /// What becomes of the requests, as an expression reads it.
    pub(super) fn value(&self, cluster: &Cluster) -> Value {
        let of = |asks: &Asks| {
            let pod = ObjectRef { kind: Kind::POD, key: asks.pod() };
            let json = match journey(cluster, &pod, Some(&asks.url), 0).taken {
                Taken::Followed(followed) => followed_json(&followed),
                Taken::NotRunning => none("NotRunning"),
                Taken::NotAUrl(_) | Taken::Nothing => none("NotAUrl"),
            };
            Value::from_json(&json)
        };
        Value::from_entries(self.0.iter().map(|(name, asks)| (name.as_str(), of(asks))))
    }

    /// The requests, in the order of their names.
    pub(super) fn links(&self) -> Vec<JourneyLink> {
        let link = |asks: &Asks| JourneyLink {
            pod: ObjectRef { kind: Kind::POD, key: asks.pod() },
            url: asks.url.clone(),
        };
        self.0.values().map(link).collect()
    }
}

fn followed_json(followed: &WayView) -> Json {
    let hop =
        |hop: &HopView| json!({"node": hop.node, "place": format!("{:?}", hop.place), "detail": hop.detail});
    let outer = followed.hops.iter().filter_map(|hop| hop.outer.as_ref().map(|outer| outer.overhead));
    let (end, pod) = match &followed.end {
        None => ("", ""),
        // What refuses it has got it: why it is lost says that.
        Some(EndView::Arrived { pod, .. } | EndView::Refused { pod, .. }) => {
            ("Arrived", pod.as_deref().and_then(|p| p.split_once('/')).map_or("", |(_, name)| name))
        }
        Some(EndView::Neighbour) => ("Neighbour", ""),
        Some(EndView::Outside) => ("Outside", ""),
        Some(EndView::Lost) => ("Lost", ""),
        Some(EndView::Rejected) => ("Rejected", ""),
        Some(EndView::Dropped) => ("Dropped", ""),
        Some(EndView::Denied(_)) => ("Denied", ""),
        Some(EndView::Untracked { .. }) => ("Untracked", ""),
    };
    // Each is asked for with two types.
    let mut names: Vec<&str> = followed.lookups.iter().map(|l| l.name.as_str()).collect();
    names.dedup();
    json!({
        "names": names,
        "questions": followed.lookups.len(),
        "hops": followed.hops.iter().map(hop).collect::<Vec<_>>(),
        "overhead": outer.max().unwrap_or(0),
        "end": end,
        "pod": pod,
        "status": followed.status.unwrap_or(0),
        "lost": followed.lost.map_or_else(String::new, |cause| cause.to_string()),
    })
}

/// A request that nobody can send.
fn none(why: &str) -> Json {
    json!({"names": [], "questions": 0, "hops": [], "overhead": 0, "end": "", "pod": "", "status": 0, "lost": why})
}
