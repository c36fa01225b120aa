//! Whether the running pods are those that were declared. A steady cluster can lack some of them.

use serde::{Deserialize, Serialize};
use std::rc::Rc;

use crate::api::labels::Selector;
use crate::api::types::{
    ControllerRevision, DaemonSet, Deployment, LabelSelector, Pod, ReplicaSet, StatefulSet,
};
use crate::api::{ApiKind, Kind, MetaExt, Object, ObjectRef};
use crate::cluster::Cluster;
use crate::controllers::deployment::util;
use crate::controllers::history;

use super::ails::Ails;
use super::card::{Card, Place};
use super::graph::Drawing;
use super::kinds;
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
    /// The objects that say of themselves that something is wrong.
    pub ailing: Vec<Ailing>,
    /// The number of objects beside nodes and pods that a person sees.
    pub stored: i64,
    /// How many of these are of custom kinds.
    pub custom: i64,
    /// Each Deployment, read as a record of intent for ReplicaSets and for Pods.
    pub readings: Vec<Readings>,
}

/// An object with which something is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ailing {
    /// The object.
    pub object: ObjectRef,
    /// What is wrong.
    pub ails: Ails,
}

impl Declared {
    /// Whether everything is as it was declared.
    pub fn met(&self) -> bool {
        self.short.is_empty() && self.ailing.is_empty() && self.as_declared() == (true, true)
    }

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
    /// The reason in Kubernetes' words: that of a condition, or of a pod's waiting container.
    pub reason: String,
    /// The message that belongs to the reason.
    pub message: String,
    /// The pod that the reason is about, if it is about one.
    pub pod: Option<ObjectRef>,
}

/// What a workload declares, and what it reports.
struct Report {
    want: i32,
    updated: i32,
    available: i32,
    total: i32,
    /// How many pods may have an old template: those below the partition of a StatefulSet.
    old: i32,
    paused: bool,
    /// Whether the status is about what is declared now.
    observed: bool,
    /// Reason and message of a condition that says what is wrong.
    failure: Option<(String, String)>,
    selector: Option<LabelSelector>,
}

impl Report {
    fn have(&self) -> i32 {
        self.want.min(self.updated.saturating_add(self.old)).min(self.available)
    }

    fn is_as_declared(&self) -> bool {
        self.observed && self.have() == self.want && self.available == self.want && self.total == self.want
    }
}

/// Compares what workloads declare with what they report. `drawing` is the cluster's: it knows how its
/// pods look.
pub fn declared(cluster: &Cluster, drawing: &Drawing) -> Declared {
    let mut out = Declared { readings: readings(cluster), ..Declared::default() };
    for kind in [Kind::DEPLOYMENT, Kind::REPLICA_SET, Kind::STATEFUL_SET, Kind::DAEMON_SET] {
        for (reference, object) in cluster.api().cached_list(kind, None) {
            let Some(s) = report(cluster, reference, object) else { continue };
            out.want += i64::from(s.want);
            out.have += i64::from(s.have());
            if s.is_as_declared() {
                continue;
            }
            let (reason, message) = s.failure.unwrap_or_default();
            let mut short = Short {
                object: reference.clone(),
                want: s.want,
                updated: s.updated,
                available: s.available,
                total: s.total,
                paused: s.paused,
                reason,
                message,
                pod: None,
            };
            if let Some(Ok(selector)) = s.selector.map(|s| Selector::from_label_selector(Some(&s))) {
                blame_pod(drawing, reference, &selector, &mut short);
            }
            out.short.push(short);
        }
    }
    look_at_all(drawing, &mut out);
    out
}

/// How a workload stands; `None` for one that another workload has made.
fn report(cluster: &Cluster, reference: &ObjectRef, object: &Object) -> Option<Report> {
    if let Some(d) = object.get::<Deployment>() {
        return Some(deployment(cluster, reference, d));
    }
    if object.meta().controller().is_some() {
        return None;
    }
    if let Some(rs) = object.get::<ReplicaSet>() {
        return Some(replica_set(rs));
    }
    if let Some(set) = object.get::<StatefulSet>() {
        return Some(stateful_set(cluster, set));
    }
    object.get::<DaemonSet>().map(|set| daemon_set(cluster, set))
}

fn deployment(cluster: &Cluster, reference: &ObjectRef, d: &Deployment) -> Report {
    let spec = d.spec.as_ref();
    let status = d.status.clone().unwrap_or_default();
    // A status that has not observed the newest template counts pods of the one before.
    let observed = status.observed_generation >= d.metadata.generation;
    let updated =
        if observed { status.updated_replicas.unwrap_or(0) } else { updated_now(cluster, reference, d) };
    let failed = status.conditions.iter().flatten().rfind(|c| {
        (c.type_ == "Progressing" && c.status == "False")
            || (c.type_ == "ReplicaFailure" && c.status == "True")
    });
    Report {
        want: spec.and_then(|s| s.replicas).unwrap_or(1),
        updated,
        available: status.available_replicas.unwrap_or(0),
        total: status.replicas.unwrap_or(0),
        old: 0,
        paused: spec.and_then(|s| s.paused).unwrap_or(false),
        observed: true,
        failure: failed
            .map(|c| (c.reason.clone().unwrap_or_default(), c.message.clone().unwrap_or_default())),
        selector: spec.map(|s| s.selector.clone()),
    }
}

fn replica_set(rs: &ReplicaSet) -> Report {
    let spec = rs.spec.as_ref();
    let status = rs.status.clone().unwrap_or_default();
    Report {
        want: spec.and_then(|s| s.replicas).unwrap_or(1),
        updated: status.replicas,
        available: status.available_replicas.unwrap_or(0),
        total: status.replicas,
        old: 0,
        paused: false,
        observed: true,
        failure: None,
        selector: spec.map(|s| s.selector.clone()),
    }
}

fn stateful_set(cluster: &Cluster, set: &Rc<StatefulSet>) -> Report {
    let spec = set.spec.as_ref();
    let status = set.status.clone().unwrap_or_default();
    let observed = status.observed_generation >= set.metadata.generation;
    let want = spec.and_then(|s| s.replicas).unwrap_or(1);
    let strategy = spec.and_then(|s| s.update_strategy.as_ref());
    let partition = strategy.and_then(|s| s.rolling_update.as_ref()?.partition).unwrap_or(0);
    let updated = if observed { status.updated_replicas.unwrap_or(0) } else { updated_of(cluster, set) };
    Report {
        want,
        updated,
        available: status.available_replicas.unwrap_or(0),
        total: status.replicas,
        old: partition.min(want),
        paused: false,
        observed,
        failure: None,
        selector: spec.map(|s| s.selector.clone()),
    }
}

fn daemon_set(cluster: &Cluster, set: &Rc<DaemonSet>) -> Report {
    let status = set.status.clone().unwrap_or_default();
    let observed = status.observed_generation >= set.metadata.generation;
    let updated =
        if observed { status.updated_number_scheduled.unwrap_or(0) } else { updated_of(cluster, set) };
    Report {
        want: status.desired_number_scheduled,
        updated,
        available: status.number_available.unwrap_or(0),
        total: status.current_number_scheduled.saturating_add(status.number_misscheduled),
        old: 0,
        paused: false,
        observed,
        failure: None,
        selector: set.spec.as_ref().map(|s| s.selector.clone()),
    }
}

/// The number of pods that have the present template of a set.
fn updated_of<T: ApiKind>(cluster: &Cluster, set: &Rc<T>) -> i32 {
    let (namespace, uid) = (set.meta().namespace(), set.meta().uid());
    let is_owned = |o: &Object| o.meta().controller().is_some_and(|c| c.uid == uid);
    let revisions = cluster.api().cached_list(Kind::CONTROLLER_REVISION, Some(namespace));
    let present = revisions
        .filter_map(|(_, o)| o.get::<ControllerRevision>().filter(|_| is_owned(o)))
        .find(|r| history::is_present(set, r));
    let Some(revision) = present else { return 0 };
    let is_updated = |o: &Object| {
        let label = o.meta().label("controller-revision-hash");
        // A StatefulSet's pods have the name of their revision, a DaemonSet's its hash.
        label == Some(revision.metadata.name())
            || label.is_some_and(|l| revision.metadata.label("controller-revision-hash") == Some(l))
    };
    let pods = cluster.api().cached_list(Kind::POD, Some(namespace));
    let updated = pods.filter(|(_, o)| is_owned(o) && is_updated(o)).count();
    i32::try_from(updated).unwrap_or(i32::MAX)
}

/// Counts what is stored, and asks the kind of each object in the graph what is wrong with the object.
fn look_at_all(drawing: &Drawing, out: &mut Declared) {
    for (i, node) in drawing.graph().nodes.iter().enumerate() {
        if matches!(node.place, Place::Root | Place::Middle | Place::Aside) {
            out.stored += 1;
            out.custom += i64::from(node.reference.kind.is_custom());
        }
        if let Some(ails) = drawing.object(i).and_then(|o| kinds::of(node.reference.kind).ails(o)) {
            out.ailing.push(Ailing { object: node.reference.clone(), ails });
        }
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
    fn a_set_is_short_until_its_pods_are_updated() {
        let mut session = Session::new(Start::default());
        let set = |image: &str| {
            format!(
                "apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: db\nspec:\n  replicas: 2\n  \
                 serviceName: db\n  selector: {{matchLabels: {{app: db}}}}\n  updateStrategy: {{type: RollingUpdate, \
                 rollingUpdate: {{partition: 1}}}}\n  template:\n    metadata: {{labels: {{app: db}}}}\n    \
                 spec: {{containers: [{{name: db, image: '{image}'}}]}}\n"
            )
        };
        let now = |s: &Session| {
            let mut drawing = Drawing::default();
            drawing.draw(s.cluster(), s.cluster());
            let d = declared(s.cluster(), &drawing);
            (d.want, d.have, d.short.len())
        };
        session.apply(&set("db:1"));
        assert_eq!(now(&session), (2, 0, 1));
        while session.step(Depth::Command, None) {}
        assert_eq!(now(&session), (2, 2, 0));
        session.apply(&set("db:2"));
        // Below the partition the old template is what is wanted.
        assert_eq!(now(&session), (2, 1, 1));
        while session.step(Depth::Command, None) {}
        assert_eq!(now(&session), (2, 2, 0));
    }

    #[test]
    fn what_is_wrong_with_custom_objects_and_definitions_is_said() {
        let mut session = scenario::find("23-custom-resource").unwrap().open();
        let boot = session.cluster_at(0).unwrap();
        let now = |s: &Session| {
            let mut drawing = Drawing::default();
            drawing.draw(s.cluster(), &boot);
            declared(s.cluster(), &drawing)
        };
        let d = now(&session);
        assert_eq!((d.stored, d.custom, d.ailing.len(), d.met()), (2, 1, 0, true));

        let patch = r#"{"status":{"conditions":[{"type":"Ready","status":"False"}]}}"#;
        session.kubectl(&format!("patch ws shop --subresource=status --type=merge -p '{patch}'"), &[]);
        let d = now(&session);
        let Ails::Condition(c) = &d.ailing[0].ails else { panic!("{d:?}") };
        assert_eq!((c.kind.as_str(), c.status.as_str(), d.met()), ("Ready", "False", false));

        // A second definition wants the same short name.
        let before = scenario::find("23-custom-resource").unwrap().before.unwrap();
        let other = before
            .replace("websites", "webshops")
            .replace("website", "webshop")
            .replace("Website", "Webshop");
        assert_eq!(session.apply(&other).exit, 0);
        while session.step(Depth::Command, None) {}
        let said = |d: &Declared, name: &str| {
            d.ailing.iter().find(|a| &*a.object.key.name == name).map(|a| a.ails.clone())
        };
        let Some(Ails::Condition(c)) = said(&now(&session), "webshops.shop.example.com") else { panic!() };
        assert_eq!(
            (c.kind.as_str(), c.status.as_str(), c.reason.as_str()),
            ("NamesAccepted", "False", "ShortNamesConflict")
        );

        // The definition goes when its last object goes, which a finalizer holds.
        session.kubectl(
            r#"patch ws shop --type=merge -p '{"metadata":{"finalizers":["example.com/keep"]}}'"#,
            &[],
        );
        session.kubectl("delete crd websites.shop.example.com --wait=false", &[]);
        while session.step(Depth::Command, None) {}
        let d = now(&session);
        assert_eq!(said(&d, "shop"), Some(Ails::Finalizers(vec!["example.com/keep".to_owned()])));
        let Some(Ails::Condition(c)) = said(&d, "websites.shop.example.com") else { panic!("{d:?}") };
        assert_eq!((c.kind.as_str(), c.status.as_str()), ("Terminating", "True"));
        assert!(!c.message.is_empty());
    }

    #[test]
    fn a_job_that_has_failed_is_said_with_its_reason() {
        let mut session = Session::new(Start::default());
        let boot = session.cluster().clone();
        session.kubectl("create job no --image=busybox -- false", &[]);
        let now = |s: &Session| {
            let mut drawing = Drawing::default();
            drawing.draw(s.cluster(), &boot);
            let reason = |a: Ailing| match a.ails {
                Ails::Condition(c) => c.reason,
                Ails::Finalizers(_) => String::new(),
            };
            declared(s.cluster(), &drawing).ailing.into_iter().map(reason).collect::<Vec<_>>()
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
