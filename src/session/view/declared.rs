//! Whether the running pods are those that were declared. A steady cluster can lack some of them.

use serde::{Deserialize, Serialize};
use std::rc::Rc;

use crate::api::labels::Selector;
use crate::api::types::{Deployment, Job, Pod, ReplicaSet, StatefulSet};
use crate::api::{Kind, MetaExt, Object, ObjectRef};
use crate::cluster::Cluster;
use crate::controllers::deployment::util;
use crate::controllers::job::util::{FAILED, finished_condition};

use super::card::Card;
use super::graph::Drawing;
use super::pods::PodLook;
use super::readings::{Readings, readings};

/// The declared and the running pods of all workloads that have no owner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// The number of declared pods.
    pub want: i64,
    /// The number of these that run as declared: updated and available.
    pub have: i64,
    /// The workloads that have too few such pods, or too many pods.
    pub short: Vec<Short>,
    /// Each Deployment, read as a record of intent for ReplicaSets and for Pods.
    pub readings: Vec<Readings>,
}

impl Declared {
    /// Whether every Deployment matches its declaration: read as intent for ReplicaSets, and for Pods.
    pub fn as_declared(&self) -> (bool, bool) {
        (self.readings.iter().all(Readings::as_replica_sets), self.readings.iter().all(Readings::as_pods))
    }
}

/// A workload whose pods are not as declared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Short {
    /// The workload.
    pub object: ObjectRef,
    /// The number of declared pods.
    pub want: i32,
    /// The number of pods with the newest template.
    pub updated: i32,
    /// The number of available pods.
    pub available: i32,
    /// The number of all pods.
    pub total: i32,
    /// Whether the rollout is paused.
    pub paused: bool,
    /// Whether no controller of this build handles the workload's kind: it is stored, and nothing acts on
    /// it.
    pub unattended: bool,
    /// The reason in Kubernetes' words: that of a condition, or of a pod's waiting container.
    pub reason: String,
    /// The message that belongs to the reason.
    pub message: String,
    /// The pod that the reason is about, if it is about one.
    pub pod: Option<ObjectRef>,
}

/// Compares what workloads declare with what they report. `drawing` is the cluster's: it knows how its
/// pods look.
pub fn declared(cluster: &Cluster, drawing: &Drawing) -> Declared {
    let mut out = Declared { readings: readings(cluster), ..Declared::default() };
    let api = cluster.api();
    for (reference, object) in api.cached_list(Kind::DEPLOYMENT, None) {
        let Some(d) = object.get::<Deployment>() else { continue };
        let spec = d.spec.as_ref();
        let status = d.status.clone().unwrap_or_default();
        let want = spec.and_then(|s| s.replicas).unwrap_or(1);
        // A status that has not observed the newest template counts pods of the one before.
        let observed = status.observed_generation >= d.metadata.generation;
        let updated =
            if observed { status.updated_replicas.unwrap_or(0) } else { updated_now(cluster, reference, d) };
        let available = status.available_replicas.unwrap_or(0);
        let total = status.replicas.unwrap_or(0);
        let paused = spec.and_then(|s| s.paused).unwrap_or(false);
        out.want += i64::from(want);
        out.have += i64::from(want.min(updated).min(available));
        if updated == want && available == want && total == want {
            continue;
        }
        let mut short = Short {
            object: reference.clone(),
            want,
            updated,
            available,
            total,
            paused,
            unattended: false,
            reason: String::new(),
            message: String::new(),
            pod: None,
        };
        for c in status.conditions.iter().flatten() {
            let failed = (c.type_ == "Progressing" && c.status == "False")
                || (c.type_ == "ReplicaFailure" && c.status == "True");
            if failed {
                short.reason = c.reason.clone().unwrap_or_default();
                short.message = c.message.clone().unwrap_or_default();
            }
        }
        if let Some(selector) = spec.and_then(|s| Selector::from_label_selector(Some(&s.selector)).ok()) {
            blame_pod(drawing, reference, &selector, &mut short);
        }
        out.short.push(short);
    }
    for (reference, object) in api.cached_list(Kind::REPLICA_SET, None) {
        let Some(rs) = object.get::<ReplicaSet>().filter(|rs| rs.metadata.controller().is_none()) else {
            continue;
        };
        let want = rs.spec.as_ref().and_then(|s| s.replicas).unwrap_or(1);
        let status = rs.status.clone().unwrap_or_default();
        let available = status.available_replicas.unwrap_or(0);
        out.want += i64::from(want);
        out.have += i64::from(want.min(available));
        if available == want && status.replicas == want {
            continue;
        }
        let mut short = Short {
            object: reference.clone(),
            want,
            updated: status.replicas,
            available,
            total: status.replicas,
            paused: false,
            unattended: false,
            reason: String::new(),
            message: String::new(),
            pod: None,
        };
        let selector = rs.spec.as_ref().map(|s| Selector::from_label_selector(Some(&s.selector)));
        if let Some(Ok(selector)) = selector {
            blame_pod(drawing, reference, &selector, &mut short);
        }
        out.short.push(short);
    }
    for (reference, object) in api.cached_list(Kind::JOB, None) {
        out.short.extend(object.get::<Job>().and_then(|job| failed_job(reference, job)));
    }
    for kind in crate::controllers::UNATTENDED {
        for (reference, object) in api.cached_list(*kind, None) {
            out.short.push(unattended(reference, object));
        }
    }
    out
}

/// A Job that has failed, with the reason.
fn failed_job(reference: &ObjectRef, job: &Job) -> Option<Short> {
    let failed = finished_condition(job).filter(|c| c.type_ == FAILED)?;
    let succeeded = job.status.as_ref().and_then(|s| s.succeeded).unwrap_or(0);
    Some(Short {
        object: reference.clone(),
        want: job.spec.as_ref().and_then(|s| s.completions).unwrap_or(1),
        updated: succeeded,
        available: succeeded,
        total: succeeded,
        paused: false,
        unattended: false,
        reason: failed.reason.clone().unwrap_or_default(),
        message: failed.message.clone().unwrap_or_default(),
        pod: None,
    })
}

fn unattended(reference: &ObjectRef, object: &Object) -> Short {
    let want = object.get::<StatefulSet>().and_then(|s| s.spec.as_ref()?.replicas).unwrap_or(0);
    Short {
        object: reference.clone(),
        want,
        updated: 0,
        available: 0,
        total: 0,
        paused: false,
        unattended: true,
        reason: String::new(),
        message: String::new(),
        pod: None,
    }
}

/// The number of pods that have the present template of a Deployment.
fn updated_now(cluster: &Cluster, of: &ObjectRef, d: &Deployment) -> i32 {
    let all = cluster.api().cached_list(Kind::REPLICA_SET, Some(&of.key.namespace));
    let own: Vec<Rc<ReplicaSet>> = all
        .filter_map(|(_, object)| object.get::<ReplicaSet>().cloned())
        .filter(|rs| rs.metadata.controller().map(|c| &c.uid) == d.metadata.uid.as_ref())
        .collect();
    let new = util::find_new(d, &own);
    new.and_then(|rs| rs.status.as_ref().map(|s| s.replicas)).unwrap_or(0)
}

/// Sets reason, message and pod of `short` by the pod that is worst off: one in trouble, or else one without
/// a node, one that is not ready, and so on.
fn blame_pod(drawing: &Drawing, owner: &ObjectRef, selector: &Selector, short: &mut Short) {
    let mut best: Option<(u8, usize)> = None;
    let nodes = &drawing.graph().nodes;
    for (i, node) in nodes.iter().enumerate() {
        let Card::Pod(view) = &node.card else { continue };
        let rank = match view.look {
            PodLook::Trouble | PodLook::Failed => 0,
            PodLook::Unscheduled => 1,
            PodLook::NotReady => 2,
            PodLook::Unknown => 3,
            PodLook::Starting => 4,
            PodLook::Terminating => 5,
            PodLook::Ready | PodLook::Succeeded => continue,
        };
        // Labels are compared last, because that takes longest.
        if best.is_some_and(|(r, _)| r <= rank)
            || node.reference.key.namespace != owner.key.namespace
            || !drawing.object(i).is_some_and(|o| selector.matches(o.meta().labels_or_empty()))
        {
            continue;
        }
        best = Some((rank, i));
        if rank == 0 {
            break;
        }
    }
    let best = best.and_then(|(_, i)| Some((nodes.get(i)?, drawing.object(i)?)));
    let Some((node, object)) = best else { return };
    let Card::Pod(view) = &node.card else { return };
    let (reason, message) = words(object, view.word.clone());
    short.reason = reason;
    short.message = message;
    short.pod = Some(node.reference.clone());
}

/// The reason and message of a pod: those of a waiting container, or of a condition that does not hold.
fn words(object: &Object, word: String) -> (String, String) {
    let Some(status) = object.get::<Pod>().and_then(|p| p.status.as_ref()) else {
        return (word, String::new());
    };
    let containers = status.container_statuses.iter().chain(&status.init_container_statuses).flatten();
    for c in containers {
        if let Some(w) = c.state.as_ref().and_then(|s| s.waiting.as_ref())
            && let Some(message) = &w.message
        {
            return (w.reason.clone().unwrap_or(word), message.clone());
        }
    }
    for c in status.conditions.iter().flatten().filter(|c| c.status != "True") {
        if let Some(message) = c.message.as_ref().filter(|m| !m.is_empty()) {
            return (c.reason.clone().unwrap_or(word), message.clone());
        }
    }
    (word, String::new())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::{Depth, Session, Start, scenario};

    #[test]
    fn what_nobody_looks_after_is_said() {
        let mut session = Session::new(Start::default());
        let scaler = "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: web\nspec:\n  \
                      maxReplicas: 3\n  scaleTargetRef:\n    apiVersion: apps/v1\n    kind: Deployment\n    name: web\n";
        let said = session.apply(scaler);
        assert_eq!(said.stdout, "horizontalpodautoscaler.autoscaling/web created\n", "{}", said.stderr);
        let mut drawing = Drawing::default();
        drawing.draw(session.cluster(), session.cluster());
        let declared = declared(session.cluster(), &drawing);
        assert_eq!(declared.short.len(), 1);
        assert!(declared.short.iter().all(|s| s.unattended));
    }

    #[test]
    fn a_job_that_has_failed_is_said_with_its_reason() {
        let mut session = Session::new(Start::default());
        session.kubectl("create job no --image=busybox -- false", &[]);
        let boot = session.cluster().clone();
        let now = |s: &Session| {
            let mut drawing = Drawing::default();
            drawing.draw(s.cluster(), &boot);
            declared(s.cluster(), &drawing).short.into_iter().map(|s| s.reason).collect::<Vec<_>>()
        };
        assert_eq!(now(&session), [""; 0]);
        while session.step(Depth::Command, None) {}
        assert_eq!(now(&session), ["BackoffLimitExceeded"]);
    }

    #[test]
    fn what_nobody_has_looked_at_yet_is_not_as_declared() {
        let mut session = scenario::find("01-first-deployment").unwrap().open();
        while session.step(Depth::Command, None) {}
        let boot = session.cluster_at(0).unwrap();
        let now = |s: &Session| {
            let mut drawing = Drawing::default();
            drawing.draw(s.cluster(), &boot);
            declared(s.cluster(), &drawing)
        };
        assert_eq!((now(&session).want, now(&session).have), (3, 3));
        session.kubectl("set image deployment/web nginx=nginx:2", &[]);
        let d = now(&session);
        assert_eq!((d.want, d.have, d.short.len()), (3, 0, 1));
        session.kubectl("set image deployment/web nginx=nginx:1.27", &[]);
        assert_eq!(now(&session).have, 3);
    }
}
