//! Deleting the victims of preemption (`Executor.prepareCandidateAsync` of `pkg/scheduler/framework/preemption`,
//! KEP-4832): this goes on beside the scheduling cycles of other pods, and keeps the pod that preempts out of the queue
//! until it is done.

use std::rc::Rc;

use super::listers::Reads;
use super::outcome::event;
use super::state::{Cx, NAME, Preemption};
use crate::api::pod::update_pod_condition;
use crate::api::types::{Pod, PodCondition, Time};
use crate::api::{Key, Kind, MetaExt, ObjectRef, seconds};
use crate::apimachinery::{DeleteOptions, Status};
use crate::client::{Result, Why};

/// Takes the nominations of less important pods to the node back, then deletes the victims. If a request is refused, the
/// rest is left, and the pod is scheduled again at once: its next cycle chooses anew.
pub(super) async fn run(cx: &Cx, key: &Key) -> Result {
    let Some(p) = cx.state(|s| s.preemptions.get(key).cloned()) else { return Ok(()) };
    let failed = prepare(cx, &p).await.is_err();
    let (k, caches) = (key.clone(), cx.caches().clone());
    cx.update_state(move |s| {
        s.preemptions.remove(&k);
        s.queue.preempted(&k, failed, &Reads(&caches));
    });
    if failed {
        cx.enqueue(super::state::Task::ScheduleOne);
    }
    Ok(())
}

async fn prepare(cx: &Cx, p: &Preemption) -> std::result::Result<(), Status> {
    let mut outcome = Ok(());
    for pod in less_important(cx, p) {
        let mut to = pod.clone();
        Rc::make_mut(&mut to).status.get_or_insert_default().nominated_node_name = None;
        let why = Why::new("preemption.clear_nomination")
            .read("pod", ObjectRef::of(&*pod), "status.nominatedNodeName", pod.metadata.name())
            .with("preemptor", p.pod.metadata.name())
            .with("node", &p.node);
        outcome = cx.patch_status(pod, to).because(why).await.map(|_| ());
    }
    for victim in p.victims.iter() {
        preempt(cx, p, victim).await?;
    }
    outcome
}

/// The pods of lower priority that are nominated to the node (`getLowerPriorityNominatedPods`).
fn less_important(cx: &Cx, p: &Preemption) -> Vec<Rc<Pod>> {
    let priority = |pod: &Pod| pod.spec.as_ref().and_then(|s| s.priority).unwrap_or(0);
    let named = |pod: &Pod| pod.status.as_ref().is_some_and(|s| s.nominated_node_name.is_some());
    cx.state(|s| {
        let there = s.queue.nominations().filter(|(_, node)| **node == p.node);
        let less = there.filter(|(info, _)| info.priority < priority(&p.pod) && named(&info.pod));
        less.map(|(info, _)| info.pod.clone()).collect()
    })
}

/// Writes the condition `DisruptionTarget` to a victim, then deletes it (`Executor.PreemptPod`).
async fn preempt(cx: &Cx, p: &Preemption, victim: &Rc<Pod>) -> std::result::Result<(), Status> {
    let fresh = cx.lister::<Pod>().get(&victim.metadata.key()).cloned().unwrap_or_else(|| victim.clone());
    if fresh.metadata.is_deleting() {
        return Ok(());
    }
    let why = || {
        Why::new("schedule_one.preempt")
            .read("victim", ObjectRef::of(&**victim), "spec.priority", victim.metadata.name())
            .with("pod", p.pod.metadata.name())
            .with("node", &p.node)
    };
    let mut to = fresh.clone();
    let generation = to.metadata.generation;
    let condition = PodCondition {
        type_: "DisruptionTarget".into(),
        status: "True".into(),
        reason: Some("PreemptionByScheduler".into()),
        message: Some(format!("{NAME}: preempting to accommodate a higher priority pod")),
        last_transition_time: Some(Time(seconds(cx.now()))),
        observed_generation: generation,
        ..Default::default()
    };
    if update_pod_condition(Rc::make_mut(&mut to).status.get_or_insert_default(), condition) {
        match cx.patch_status(fresh.clone(), to).because(why()).await {
            Err(e) if e.is_not_found() => return Ok(()),
            other => other?,
        };
    }
    match cx.delete(Kind::POD, fresh.metadata.key(), DeleteOptions::default()).because(why()).await {
        Err(e) if e.is_not_found() => return Ok(()),
        other => other?,
    };
    let message = format!("Preempted by pod {} on node {}", p.pod.metadata.uid(), p.node);
    cx.record(event(&fresh, "Normal", "Preempted", message, "Preempting", cx.now()));
    Ok(())
}
