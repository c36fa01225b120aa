//! Whether what was declared is what is running. A cluster can be steady and still short of it.

use std::rc::Rc;

use crate::api::labels::Selector;
use crate::api::types::{Deployment, Pod, ReplicaSet, StatefulSet};
use crate::api::{Kind, MetaExt, Object, ObjectRef};
use crate::cluster::Cluster;
use crate::controllers::deployment::util;

use super::graph::{Card, Graph};
use super::pods::PodLook;
use super::readings::{Readings, readings};

/// What was declared, over all workloads that nobody else owns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// Pods that are wanted.
    pub want: i64,
    /// Of these, how many run as declared: updated and available.
    pub have: i64,
    /// Workloads that are short of it, or have pods too many.
    pub short: Vec<Short>,
    /// Each Deployment, read as a record of intent for ReplicaSets and as one for Pods.
    pub readings: Vec<Readings>,
}

impl Declared {
    /// Whether every Deployment is as declared: read as intent for ReplicaSets, and for Pods.
    pub fn as_declared(&self) -> (bool, bool) {
        (self.readings.iter().all(Readings::as_replica_sets), self.readings.iter().all(Readings::as_pods))
    }
}

/// A workload that is not as declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Short {
    /// It.
    pub object: ObjectRef,
    /// Pods that are wanted.
    pub want: i32,
    /// Pods of the newest template.
    pub updated: i32,
    /// Of all pods, those available.
    pub available: i32,
    /// All pods.
    pub total: i32,
    /// Whether its rollout is paused.
    pub paused: bool,
    /// Whether it is of a kind that no controller of this build looks after: it is stored, and
    /// nothing comes of it.
    pub unattended: bool,
    /// Why, in Kubernetes' words: a condition's reason, or what a pod waits for.
    pub reason: String,
    /// The longer words to it.
    pub message: String,
    /// The pod that waits, if it is one.
    pub pod: Option<ObjectRef>,
}

/// Compares what workloads declare with what they report. `graph` is the cluster's: it knows how its
/// pods look.
pub fn declared(cluster: &Cluster, graph: &Graph) -> Declared {
    let mut out = Declared { readings: readings(cluster), ..Declared::default() };
    let api = cluster.api();
    for (reference, object) in api.cached_list(Kind::DEPLOYMENT, None) {
        let Some(d) = object.get::<Deployment>() else { continue };
        let spec = d.spec.as_ref();
        let status = d.status.clone().unwrap_or_default();
        let want = spec.and_then(|s| s.replicas).unwrap_or(1);
        // A status that has not seen the newest template counts pods of the one before.
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
            blame_pod(graph, reference, &selector, &mut short);
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
            blame_pod(graph, reference, &selector, &mut short);
        }
        out.short.push(short);
    }
    for kind in crate::controllers::UNATTENDED {
        for (reference, object) in api.cached_list(*kind, None) {
            out.short.push(unattended(reference, object));
        }
    }
    out
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

/// How many pods have a Deployment's template as it is now.
fn updated_now(cluster: &Cluster, of: &ObjectRef, d: &Deployment) -> i32 {
    let all = cluster.api().cached_list(Kind::REPLICA_SET, Some(&of.key.namespace));
    let own: Vec<Rc<ReplicaSet>> = all
        .filter_map(|(_, object)| object.get::<ReplicaSet>().cloned())
        .filter(|rs| rs.metadata.controller().map(|c| &c.uid) == d.metadata.uid.as_ref())
        .collect();
    let new = util::find_new(d, &own);
    new.and_then(|rs| rs.status.as_ref().map(|s| s.replicas)).unwrap_or(0)
}

/// The first pod that is in trouble, or else one that waits, and what for.
fn blame_pod(graph: &Graph, owner: &ObjectRef, selector: &Selector, short: &mut Short) {
    let mut best: Option<(u8, usize)> = None;
    for (i, node) in graph.nodes.iter().enumerate() {
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
        // Labels are compared last: that takes longest.
        if best.is_some_and(|(r, _)| r <= rank)
            || node.object.namespace() != &*owner.key.namespace
            || !selector.matches(node.object.meta().labels_or_empty())
        {
            continue;
        }
        best = Some((rank, i));
        if rank == 0 {
            break;
        }
    }
    let Some(node) = best.and_then(|(_, i)| graph.node(i)) else { return };
    let Card::Pod(view) = &node.card else { return };
    let (reason, message) = words(&node.object, view.word.clone());
    short.reason = reason;
    short.message = message;
    short.pod = Some(node.reference.clone());
}

/// What a pod says of itself: a container's waiting message, or the condition that does not hold.
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
        let job = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: pi\nspec:\n  template:\n    spec:\n      \
                   restartPolicy: Never\n      containers:\n      - name: pi\n        image: perl\n";
        assert_eq!(session.apply(job).stdout, "job.batch/pi created\n");
        let graph = Graph::new(session.cluster(), session.cluster(), &Graph::default());
        let declared = declared(session.cluster(), &graph);
        assert_eq!(declared.short.len(), 1);
        assert!(declared.short.iter().all(|s| s.unattended));
    }

    #[test]
    fn what_nobody_has_looked_at_yet_is_not_as_declared() {
        let mut session = scenario::find("01-first-deployment").unwrap().open();
        while session.step(Depth::Command, None) {}
        let boot = session.cluster_at(0).unwrap();
        let now = |s: &Session| declared(s.cluster(), &Graph::new(s.cluster(), &boot, &Graph::default()));
        assert_eq!((now(&session).want, now(&session).have), (3, 3));
        session.kubectl("set image deployment/web nginx=nginx:2", &[]);
        let d = now(&session);
        assert_eq!((d.want, d.have, d.short.len()), (3, 0, 1));
        session.kubectl("set image deployment/web nginx=nginx:1.27", &[]);
        assert_eq!(now(&session).have, 3);
    }
}
