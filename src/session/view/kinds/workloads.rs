//! Deployments, ReplicaSets and the other kinds that make pods.

use super::{KindView, Selects, Shows};
use crate::api::labels::Selector;
use crate::api::types::{Deployment, ReplicaSet, ReplicationController};
use crate::api::{Kind, MetaExt, Object};
use crate::cluster::Cluster;
use crate::session::view::card::{Card, Place};
use crate::session::view::offers::{Offer, deletion, line, scaling};

/// ReplicationControllers.
pub(super) struct ReplicationControllers;

impl KindView for ReplicationControllers {
    fn place(&self) -> Place {
        Place::Middle
    }
    fn shows(&self) -> Shows {
        Shows::Made
    }
    fn keeper(&self) -> &'static str {
        "replication-controller"
    }
    fn makes(&self) -> Option<Kind> {
        Some(Kind::POD)
    }
    fn card(&self, object: &Object) -> Card {
        let Some(rc) = object.get::<ReplicationController>() else { return Card::Other };
        let status = rc.status.as_ref();
        Card::Workload {
            want: rc.spec.as_ref().and_then(|s| s.replicas).unwrap_or(1),
            ready: status.and_then(|s| s.ready_replicas).unwrap_or(0),
            have: status.map_or(0, |s| s.replicas),
            revision: None,
            paused: false,
        }
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        let mut out = wanted(&self.card(object)).map_or_else(Vec::new, |n| scaling(object, n));
        out.push(deletion(object));
        out
    }
}

/// How many pods a workload's card says are declared.
fn wanted(card: &Card) -> Option<i32> {
    if let Card::Workload { want, .. } = card { Some(*want) } else { None }
}

/// Deployments.
pub(super) struct Deployments;

impl KindView for Deployments {
    fn place(&self) -> Place {
        Place::Root
    }
    fn shows(&self) -> Shows {
        Shows::Made
    }
    fn keeper(&self) -> &'static str {
        "deployment-controller"
    }
    fn makes(&self) -> Option<Kind> {
        Some(Kind::REPLICA_SET)
    }
    fn card(&self, object: &Object) -> Card {
        let Some(d) = object.get::<Deployment>() else { return Card::Other };
        let status = d.status.as_ref();
        let spec = d.spec.as_ref();
        Card::Workload {
            want: spec.and_then(|s| s.replicas).unwrap_or(1),
            ready: status.and_then(|s| s.ready_replicas).unwrap_or(0),
            have: status.and_then(|s| s.replicas).unwrap_or(0),
            revision: None,
            paused: spec.and_then(|s| s.paused).unwrap_or(false),
        }
    }
    fn selects(&self, object: &Object) -> Option<Selects> {
        let selector = &object.get::<Deployment>()?.spec.as_ref()?.selector;
        let selector = Selector::from_label_selector(Some(selector)).ok()?;
        Some(Selects { selector, kind: Kind::REPLICA_SET, only_orphans: true })
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        let card = self.card(object);
        let mut out = wanted(&card).map_or_else(Vec::new, |n| scaling(object, n));
        let (key, verb) = match card {
            Card::Workload { paused: true, .. } => ("act-resume", "resume"),
            _ => ("act-pause", "pause"),
        };
        out.push(line("act-restart", "rollout restart", object, ""));
        out.push(line(key, &format!("rollout {verb}"), object, ""));
        out.push(line("act-undo", "rollout undo", object, ""));
        out.push(deletion(object));
        out
    }
}

/// ReplicaSets.
pub(super) struct ReplicaSets;

impl KindView for ReplicaSets {
    fn place(&self) -> Place {
        Place::Middle
    }
    fn shows(&self) -> Shows {
        Shows::Made
    }
    fn keeper(&self) -> &'static str {
        "replicaset-controller"
    }
    fn makes(&self) -> Option<Kind> {
        Some(Kind::POD)
    }
    fn card(&self, object: &Object) -> Card {
        let Some(rs) = object.get::<ReplicaSet>() else { return Card::Other };
        let status = rs.status.as_ref();
        let revision = rs.metadata.annotation("deployment.kubernetes.io/revision");
        Card::Workload {
            want: rs.spec.as_ref().and_then(|s| s.replicas).unwrap_or(1),
            ready: status.and_then(|s| s.ready_replicas).unwrap_or(0),
            have: status.map_or(0, |s| s.replicas),
            revision: revision.and_then(|r| r.parse().ok()),
            paused: false,
        }
    }
    fn selects(&self, object: &Object) -> Option<Selects> {
        let selector = &object.get::<ReplicaSet>()?.spec.as_ref()?.selector;
        let selector = Selector::from_label_selector(Some(selector)).ok()?;
        Some(Selects { selector, kind: Kind::POD, only_orphans: true })
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        let mut out = wanted(&self.card(object)).map_or_else(Vec::new, |n| scaling(object, n));
        out.push(deletion(object));
        out
    }
}
