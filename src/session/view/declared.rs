//! Whether the running pods are those that were declared. A steady cluster can lack some of them.

use serde::{Deserialize, Serialize};

use crate::api::labels::Selector;
use crate::api::pod::phase;
use crate::api::types::Pod;
use crate::api::{MetaExt, Object, ObjectRef};
use crate::cluster::Cluster;

use super::ails::Ails;
use super::card::{Card, Halt, Place};
use super::events::last_warning;
use super::graph::Drawing;
use super::images::{MissingImage, missing_of};
use super::kinds;
use super::pods::{PodLook, waiting};
use super::readings::{Readings, readings};
use super::report::{Counts, Report};

/// The declared and the running pods of all workloads that no other workload counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// The number of declared pods.
    pub want: i64,
    /// The number of these that run as declared: updated and available.
    pub have: i64,
    /// The number of ready pods: the sum of what the workloads' cards say.
    pub ready: i64,
    /// The number of pods with the template that they shall have.
    pub updated: i64,
    /// The number of completions that Jobs declare.
    pub completions: i64,
    /// The number of pods of Jobs that have succeeded: the sum of what the Jobs' cards say.
    pub succeeded: i64,
    /// The workloads that have too few such pods, or too many pods.
    pub short: Vec<Short>,
    /// The Jobs that have failed: they have ended, and nothing more is expected of them.
    pub failed: Vec<Short>,
    /// The objects that say of themselves that something is wrong.
    pub ailing: Vec<Ailing>,
    /// The number of pods that no controller made and that have not ended.
    pub bare: i64,
    /// The number of pods that no controller made and that have ended with success.
    pub ended: i64,
    /// The number of objects beside nodes and pods that a person sees.
    pub stored: i64,
    /// How many of these are of custom kinds.
    pub custom: i64,
    /// Each Deployment, read as a record of intent for ReplicaSets and for Pods.
    pub readings: Vec<Readings>,
    /// How many members of etcd run, and how many there are, if the majority that writes need is not among those that run.
    pub no_majority: Option<(usize, usize)>,
}

/// An object with which something is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ailing {
    /// The object.
    pub object: ObjectRef,
    /// What is wrong.
    pub ails: Ails,
    /// The image that it waits for, if it is a pod and no registry has the image.
    pub image: Option<MissingImage>,
}

impl Declared {
    /// Whether everything is as it was declared, or has ended: a Job that has failed is at its end.
    pub fn met(&self) -> bool {
        let complains = !self.short.is_empty() || !self.ailing.is_empty() || self.no_majority.is_some();
        !complains && self.as_declared() == (true, true)
    }

    /// Whether every Deployment matches its declaration: read as intent for ReplicaSets, and for Pods.
    pub fn as_declared(&self) -> (bool, bool) {
        (self.readings.iter().all(Readings::as_replica_sets), self.readings.iter().all(Readings::as_pods))
    }
}

/// A workload that is not as declared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Short {
    /// The workload.
    pub object: ObjectRef,
    /// What was declared, and what there is of it.
    pub counts: Counts,
    /// Whether a person has halted it.
    pub halt: Option<Halt>,
    /// The reason in Kubernetes' words: that of a pod's waiting container, condition or event, or of a condition of the
    /// workload.
    pub reason: String,
    /// The message that belongs to the reason.
    pub message: String,
    /// The reason and message of the workload's own condition, where `reason` is that of a pod.
    pub own: Option<(String, String)>,
    /// The pod that the reason is about, if it is about one.
    pub pod: Option<ObjectRef>,
    /// The image that this pod waits for, if no registry has it.
    pub image: Option<MissingImage>,
}

/// Compares what workloads declare with what they report. `drawing` is the cluster's: it knows how its
/// pods look.
pub fn declared(cluster: &Cluster, drawing: &Drawing) -> Declared {
    let (members, run, needed) = cluster.api().etcd().raft().quorum();
    let no_majority = (run < needed).then_some((run, members));
    let mut out = Declared { readings: readings(cluster), no_majority, ..Declared::default() };
    for (i, node) in drawing.graph().nodes.iter().enumerate() {
        let Some(object) = drawing.object(i) else { continue };
        if let Some(report) = kinds::of(node.reference.kind).report(cluster, object) {
            count(cluster, drawing, &node.reference, report, &mut out);
        }
    }
    look_at_all(cluster, drawing, &mut out);
    out
}

/// Adds a workload.
fn count(cluster: &Cluster, drawing: &Drawing, reference: &ObjectRef, report: Report, out: &mut Declared) {
    match report.counts {
        Counts::Pods { want, available, .. } => {
            out.want += i64::from(want);
            out.ready += i64::from(report.ready);
            out.updated += i64::from(report.updated());
            out.have += i64::from(report.updated().min(available));
        }
        Counts::Completions { want, succeeded, .. } => {
            out.completions += i64::from(want);
            out.succeeded += i64::from(succeeded);
        }
    }
    if report.is_as_declared() {
        return;
    }
    let failed = report.failure.is_some();
    let (reason, message) = report.failure.unwrap_or_default();
    let mut short = Short {
        object: reference.clone(),
        counts: report.counts,
        halt: report.halt,
        reason,
        message,
        own: None,
        pod: None,
        image: None,
    };
    // A Job that has failed has no pods any more from which something could be expected.
    let ended = failed && matches!(report.counts, Counts::Completions { .. });
    if let Some(selector) = report.selector.filter(|_| !ended) {
        blame_pod(cluster, drawing, reference, &selector, &mut short);
    }
    if ended {
        out.failed.push(short);
    } else {
        out.short.push(short);
    }
}

/// Counts what is stored, and asks the kind of each object in the graph what is wrong with the object.
fn look_at_all(cluster: &Cluster, drawing: &Drawing, out: &mut Declared) {
    for (i, node) in drawing.graph().nodes.iter().enumerate() {
        if matches!(node.place, Place::Root | Place::Middle | Place::Aside) {
            out.stored += 1;
            out.custom += i64::from(node.reference.kind.is_custom());
        }
        let Some(object) = drawing.object(i) else { continue };
        if let Some(pod) = object.get::<Pod>().filter(|p| p.metadata.controller().is_none()) {
            let ended = phase(pod) == "Succeeded";
            out.ended += i64::from(ended);
            out.bare += i64::from(!ended);
        }
        if let Some(ails) = kinds::of(node.reference.kind).ails(cluster, object) {
            let image = missing_of(cluster, object);
            out.ailing.push(Ailing { object: node.reference.clone(), ails, image });
        }
    }
}

/// Sets reason, message and pod of `short` by the pod that is worst off: one in trouble, or else one without
/// a node, one that is not ready, and so on.
fn blame_pod(
    cluster: &Cluster,
    drawing: &Drawing,
    owner: &ObjectRef,
    selector: &Selector,
    short: &mut Short,
) {
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
            // Of a Job it is said which pods still run.
            PodLook::Ready if matches!(short.counts, Counts::Completions { .. }) => 6,
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
    if view.look != PodLook::Ready {
        let own = (std::mem::take(&mut short.reason), std::mem::take(&mut short.message));
        short.own = Some(own).filter(|(reason, _)| !reason.is_empty());
        (short.reason, short.message) = words(cluster, &node.reference, object, view.word.clone());
    }
    short.pod = Some(node.reference.clone());
    short.image = missing_of(cluster, object);
}

/// The reason and message of a pod: those of a waiting container, of a condition that does not hold, or of the last
/// warning about the pod where a condition only sums up that containers are not ready.
fn words(cluster: &Cluster, pod: &ObjectRef, object: &Object, word: String) -> (String, String) {
    let Some(status) = object.get::<Pod>().and_then(|p| p.status.as_ref()) else {
        return (word, String::new());
    };
    if let Some(said) = waiting(status) {
        return said;
    }
    for c in status.conditions.iter().flatten().filter(|c| c.status != "True") {
        if let Some(message) = c.message.as_ref().filter(|m| !m.is_empty()) {
            let sums_up = ["Ready", "ContainersReady"].contains(&c.type_.as_str());
            if sums_up && let Some(said) = last_warning(cluster, pod) {
                return said;
            }
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

    /// The Deployment says that its deadline is over, and its pod what keeps it from starting.
    #[test]
    fn a_stuck_rollout_says_both_reasons() {
        let mut session = scenario::find("05-stuck-rollout").unwrap().open();
        while session.step(Depth::Command, None) {}
        let [short] = of(&session).short.try_into().unwrap();
        assert_eq!(short.own.map(|(reason, _)| reason).as_deref(), Some("ProgressDeadlineExceeded"));
        assert_eq!(short.reason, "ImagePullBackOff");
    }

    /// A condition that sums up its containers does not say why they do not start: the warning about the pod does.
    #[test]
    fn a_pod_whose_disk_is_elsewhere_says_so() {
        let session = scenario::find("29-volume-attached").unwrap().open();
        let short = of(&session).short.remove(0);
        assert_eq!(short.reason, "FailedAttachVolume");
        assert!(short.message.starts_with("Multi-Attach error"), "{}", short.message);
    }

    fn of(session: &Session) -> Declared {
        let mut drawing = Drawing::default();
        drawing.draw(session.cluster(), &session.cluster_at(0).unwrap());
        declared(session.cluster(), &drawing)
    }

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
        let boot = session.cluster().clone();
        let now = |s: &Session| {
            let mut drawing = Drawing::default();
            drawing.draw(s.cluster(), &boot);
            let d = declared(s.cluster(), &drawing);
            (d.want, d.have, d.short.len())
        };
        session.apply(&set("team/db:1"));
        assert_eq!(now(&session), (2, 0, 1));
        while session.step(Depth::Command, None) {}
        assert_eq!(now(&session), (2, 2, 0));
        session.apply(&set("team/db:2"));
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
        assert_eq!((c.type_.as_str(), c.status.as_str(), d.met()), ("Ready", "False", false));

        // A second definition wants the same short name.
        let before = scenario::find("23-custom-resource").unwrap().files["before.yaml"].clone();
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
            (c.type_.as_str(), c.status.as_str(), c.reason.as_str()),
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
        assert_eq!((c.type_.as_str(), c.status.as_str()), ("Terminating", "True"));
        assert!(!c.message.is_empty());
    }

    #[test]
    fn a_job_is_counted_by_its_completions() {
        let mut session = Session::new(Start::default());
        let boot = session.cluster().clone();
        let now = |s: &Session| {
            let mut drawing = Drawing::default();
            drawing.draw(s.cluster(), &boot);
            declared(s.cluster(), &drawing)
        };
        session.kubectl("create job one --image=busybox -- sleep 5", &[]);
        session.kubectl("create job never --image=busybox -- sleep infinity", &[]);
        while session.step(Depth::Command, None) {}
        let d = now(&session);
        assert_eq!((d.want, d.completions, d.succeeded, d.met()), (0, 2, 1, false));
        let [short] = d.short.as_slice() else { panic!("{d:?}") };
        let counts = Counts::Completions { want: 1, succeeded: 0, active: 1, failed: 0 };
        assert_eq!((short.counts, short.reason.as_str()), (counts, ""));
        assert!(short.pod.as_ref().is_some_and(|p| p.key.name.starts_with("never-")));
        session.kubectl("patch job never --type=merge -p '{\"spec\":{\"suspend\":true}}'", &[]);
        while session.step(Depth::Command, None) {}
        assert_eq!(now(&session).short[0].halt, Some(Halt::Suspended));
    }

    /// A failed Job is finished, as a complete one is (`IsJobFinished`, `pkg/controller/job/utils.go`), so the cluster waits for
    /// nothing; and it is said which Job has failed, and why.
    #[test]
    fn a_job_that_has_failed_has_ended_and_is_said_with_its_reason() {
        let mut session = Session::new(Start::default());
        let boot = session.cluster().clone();
        session.kubectl("create job no --image=busybox -- false", &[]);
        let now = |s: &Session| {
            let mut drawing = Drawing::default();
            drawing.draw(s.cluster(), &boot);
            let d = declared(s.cluster(), &drawing);
            let met = d.met();
            let reasons = |all: Vec<Short>| all.into_iter().map(|s| s.reason).collect::<Vec<_>>();
            (met, reasons(d.short), reasons(d.failed))
        };
        assert_eq!(now(&session), (false, vec![String::new()], vec![]));
        while session.step(Depth::Command, None) {}
        assert_eq!(now(&session), (true, vec![], vec!["BackoffLimitExceeded".to_owned()]));
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
