//! Deployments, ReplicaSets and the other kinds that make pods.

use std::rc::Rc;

use super::{About, KindView, Selects, Shows, orphans};
use crate::api::labels::Selector;
use crate::api::types::{Deployment, ReplicaSet, ReplicationController};
use crate::api::well_known::DEPLOYMENT_REVISION_ANNOTATION;
use crate::api::{Kind, MetaExt, Object};
use crate::cluster::Cluster;
use crate::controllers::deployment::util;
use crate::session::view::card::{Card, Halt, Place};
use crate::session::view::offers::{Offer, deletion, line, scaling};
use crate::session::view::report::{Counts, Report, selecting};

/// ReplicationControllers.
pub(super) struct ReplicationControllers;

impl KindView for ReplicationControllers {
    fn about(&self) -> About {
        About {
            place: Place::Middle,
            shows: Shows::Made,
            keeper: "replicationcontroller-controller",
            makes: Some(Kind::POD),
            record: false,
            bookkeeping: &[],
        }
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
    fn report(&self, _: &Cluster, object: &Object) -> Option<Report> {
        let rc = object.get::<ReplicationController>().filter(|rc| rc.metadata.controller().is_none())?;
        let status = rc.status.clone().unwrap_or_default();
        let failed = status.conditions.iter().flatten().find(|c| is_failure(&c.type_, &c.status));
        Some(Report {
            counts: Counts::Pods {
                want: rc.spec.as_ref().and_then(|s| s.replicas).unwrap_or(1),
                updated: status.replicas,
                available: status.available_replicas.unwrap_or(0),
                total: status.replicas,
            },
            ready: status.ready_replicas.unwrap_or(0),
            old: 0,
            halt: None,
            observed: true,
            failure: failed
                .map(|c| (c.reason.clone().unwrap_or_default(), c.message.clone().unwrap_or_default())),
            selector: selector_of(rc),
        })
    }
    fn selects(&self, object: &Object) -> Option<Selects> {
        let selector = object.get::<ReplicationController>().and_then(|rc| selector_of(rc))?;
        Some(Selects { selector, kind: Kind::POD, only_orphans: true })
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        let mut out = wanted(&self.card(object)).map_or_else(Vec::new, |n| scaling(object, n));
        out.push(deletion(object));
        out
    }
    usual!(ails, next_run, node, ordinal, names);
}

/// The selector of a ReplicationController, which is a set of labels.
fn selector_of(rc: &ReplicationController) -> Option<Selector> {
    let labels = rc.spec.as_ref()?.selector.as_ref().filter(|l| !l.is_empty())?;
    Some(Selector::from_set(labels))
}

/// Whether a condition says that pods could not be created or deleted, for example because a quota refuses them.
fn is_failure(type_: &str, status: &str) -> bool {
    type_ == "ReplicaFailure" && status == "True"
}

/// How many pods a workload's card says are declared.
fn wanted(card: &Card) -> Option<i32> {
    if let Card::Workload { want, .. } = card { Some(*want) } else { None }
}

/// Deployments.
pub(super) struct Deployments;

impl KindView for Deployments {
    fn about(&self) -> About {
        About {
            place: Place::Root,
            shows: Shows::Made,
            keeper: "deployment-controller",
            makes: Some(Kind::REPLICA_SET),
            record: false,
            bookkeeping: &[],
        }
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
    fn report(&self, cluster: &Cluster, object: &Object) -> Option<Report> {
        object.get::<Deployment>().map(|d| deployment(cluster, d))
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
            Card::Workload { halt: Some(_), .. } => ("act-resume", "resume"),
            _ => ("act-pause", "pause"),
        };
        out.push(line("act-restart", "rollout restart", object, ""));
        out.push(line(key, &format!("rollout {verb}"), object, ""));
        out.push(line("act-undo", "rollout undo", object, ""));
        out.push(deletion(object));
        out
    }
    usual!(ails, next_run, node, ordinal, names);
}

/// ReplicaSets.
pub(super) struct ReplicaSets;

impl KindView for ReplicaSets {
    fn about(&self) -> About {
        About {
            place: Place::Middle,
            shows: Shows::Made,
            keeper: "replicaset-controller",
            makes: Some(Kind::POD),
            record: false,
            bookkeeping: &[],
        }
    }
    fn card(&self, object: &Object) -> Card {
        let Some(rs) = object.get::<ReplicaSet>() else { return Card::Other };
        let status = rs.status.as_ref();
        let revision = rs.metadata.annotation(DEPLOYMENT_REVISION_ANNOTATION);
        Card::Workload {
            want: rs.spec.as_ref().and_then(|s| s.replicas).unwrap_or(1),
            ready: status.and_then(|s| s.ready_replicas).unwrap_or(0),
            have: status.map_or(0, |s| s.replicas),
            revision: revision.and_then(|r| r.parse().ok()),
            succeeds: false,
            halt: None,
        }
    }
    fn report(&self, _: &Cluster, object: &Object) -> Option<Report> {
        object.get::<ReplicaSet>().filter(|rs| rs.metadata.controller().is_none()).map(|rs| replica_set(rs))
    }
    fn selects(&self, object: &Object) -> Option<Selects> {
        orphans(object.get::<ReplicaSet>()?.spec.as_ref().map(|s| &s.selector))
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        let mut out = wanted(&self.card(object)).map_or_else(Vec::new, |n| scaling(object, n));
        out.push(deletion(object));
        out
    }
    usual!(ails, next_run, node, ordinal, names);
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
    // Why pods cannot be made says more than that time is up.
    let conditions = || status.conditions.iter().flatten();
    let failed = conditions()
        .find(|c| is_failure(&c.type_, &c.status))
        .or_else(|| conditions().rfind(|c| c.type_ == "Progressing" && c.status == "False"));
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
    let failed = status.conditions.iter().flatten().find(|c| is_failure(&c.type_, &c.status));
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
        failure: failed
            .map(|c| (c.reason.clone().unwrap_or_default(), c.message.clone().unwrap_or_default())),
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
