//! Deployments, ReplicaSets and the other kinds that make pods.

use std::rc::Rc;

use super::{KindView, Selects};
use crate::api::labels::Selector;
use crate::api::types::{Deployment, ReplicaSet, ReplicationController};
use crate::api::{Kind, MetaExt, Object};
use crate::cluster::Cluster;
use crate::controllers::deployment::util;
use crate::session::view::card::{Card, Halt, Place};
use crate::session::view::offers::{Offer, deletion, line, scaling};
use crate::session::view::report::{Counts, Report, selecting};

/// ReplicationControllers.
pub(super) struct ReplicationControllers;

impl KindView for ReplicationControllers {
    fn place(&self) -> Place {
        Place::Middle
    }
    fn keeper(&self) -> &'static str {
        "replicationcontroller-controller"
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
            succeeds: false,
            halt: None,
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
            succeeds: false,
            halt: halt(d),
        }
    }
    fn selects(&self, object: &Object) -> Option<Selects> {
        let selector = &object.get::<Deployment>()?.spec.as_ref()?.selector;
        let selector = Selector::from_label_selector(Some(selector)).ok()?;
        Some(Selects { selector, kind: Kind::REPLICA_SET, only_orphans: true })
    }
    fn report(&self, cluster: &Cluster, object: &Object) -> Option<Report> {
        object.get::<Deployment>().map(|d| deployment(cluster, d))
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        let card = self.card(object);
        let mut out = wanted(&card).map_or_else(Vec::new, |n| scaling(object, n));
        let (key, verb) = match card {
            Card::Workload { halt: Some(_), .. } => ("act-resume", "resume"),
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
            succeeds: false,
            halt: None,
        }
    }
    fn selects(&self, object: &Object) -> Option<Selects> {
        let selector = &object.get::<ReplicaSet>()?.spec.as_ref()?.selector;
        let selector = Selector::from_label_selector(Some(selector)).ok()?;
        Some(Selects { selector, kind: Kind::POD, only_orphans: true })
    }
    fn report(&self, _: &Cluster, object: &Object) -> Option<Report> {
        object.get::<ReplicaSet>().filter(|rs| rs.metadata.controller().is_none()).map(|rs| replica_set(rs))
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        let mut out = wanted(&self.card(object)).map_or_else(Vec::new, |n| scaling(object, n));
        out.push(deletion(object));
        out
    }
}

/// Whether a Deployment's rollout is paused.
fn halt(d: &Deployment) -> Option<Halt> {
    d.spec.as_ref().and_then(|s| s.paused).unwrap_or(false).then_some(Halt::Paused)
}

fn deployment(cluster: &Cluster, d: &Deployment) -> Report {
    let spec = d.spec.as_ref();
    let status = d.status.clone().unwrap_or_default();
    // A status that has not observed the newest template counts pods of the one before.
    let observed = status.observed_generation >= d.metadata.generation;
    let updated = if observed { status.updated_replicas.unwrap_or(0) } else { updated_now(cluster, d) };
    let failed = status.conditions.iter().flatten().rfind(|c| {
        (c.type_ == "Progressing" && c.status == "False")
            || (c.type_ == "ReplicaFailure" && c.status == "True")
    });
    Report {
        counts: Counts::Pods {
            want: spec.and_then(|s| s.replicas).unwrap_or(1),
            updated,
            available: status.available_replicas.unwrap_or(0),
            total: status.replicas.unwrap_or(0),
        },
        ready: status.ready_replicas.unwrap_or(0),
        old: 0,
        halt: halt(d),
        observed: true,
        failure: failed
            .map(|c| (c.reason.clone().unwrap_or_default(), c.message.clone().unwrap_or_default())),
        selector: selecting(spec.map(|s| &s.selector)),
    }
}

fn replica_set(rs: &ReplicaSet) -> Report {
    let spec = rs.spec.as_ref();
    let status = rs.status.clone().unwrap_or_default();
    Report {
        counts: Counts::Pods {
            want: spec.and_then(|s| s.replicas).unwrap_or(1),
            updated: status.replicas,
            available: status.available_replicas.unwrap_or(0),
            total: status.replicas,
        },
        ready: status.ready_replicas.unwrap_or(0),
        old: 0,
        halt: None,
        observed: true,
        failure: None,
        selector: selecting(spec.map(|s| &s.selector)),
    }
}

/// The number of pods that have the present template of a Deployment.
fn updated_now(cluster: &Cluster, d: &Deployment) -> i32 {
    let all = cluster.api().cached_list(Kind::REPLICA_SET, Some(d.metadata.namespace()));
    let own: Vec<Rc<ReplicaSet>> = all
        .filter_map(|(_, object)| object.get::<ReplicaSet>().cloned())
        .filter(|rs| rs.metadata.controller().map(|c| &c.uid) == d.metadata.uid.as_ref())
        .collect();
    let new = util::find_new(d, &own);
    new.and_then(|rs| rs.status.as_ref().map(|s| s.replicas)).unwrap_or(0)
}
