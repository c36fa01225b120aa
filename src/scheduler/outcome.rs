//! The end of a pod's cycle: the pod is bound, or gets the reason why not.

use std::rc::Rc;

use super::cache::{assigned, node_of};
use super::framework::{Actions, EventResource, PodInfo};
use super::listers::Reads;
use super::queue::{Queued, pod_event};
use super::state::{Cx, Task, wake_later};
use crate::api::pod::{is_terminal, update_pod_condition};
use crate::api::resource_claim::is_reserved_for_pod;
use crate::api::types::resource::{ResourceClaim, ResourceClaimConsumerReference};
use crate::api::types::{Pod, PodCondition, PodStatus, Time};
use crate::api::{Key, Kind, MetaExt, ObjectRef, Timestamp, seconds};
use crate::client::{Recorded, Result, Why, object_reference};

/// How many bytes the note of an event has at most (`NoteLengthLimit`).
const NOTE_LENGTH_LIMIT: usize = 1024;

/// Binds the pod to the node, and records the event. If that fails, the claims for devices that are `reserved` for the pod are
/// so no more.
pub(super) async fn bind_pod(
    cx: &Cx,
    q: Queued,
    node: &str,
    fits: (usize, usize),
    reserved: &[Rc<ResourceClaim>],
) -> Result {
    let (pod, key) = (q.pod(), q.info.key.clone());
    let why = Why::new("schedule_one.bind")
        .read("pod", ObjectRef { kind: Kind::POD, key: key.clone() }, "spec.nodeName", pod.metadata.name())
        .read("node", ObjectRef::new(Kind::NODE, "", node), "metadata.name", node)
        .with("feasible", fits.0)
        .with("nodes", fits.1);
    let uid = pod.metadata.uid.as_deref().unwrap_or_default();
    match cx.bind(key.clone(), uid, node).because(why).await {
        Ok(_) => {
            let message = format!("Successfully assigned {key} to {node}");
            cx.record(event(pod, "Normal", "Scheduled", message, "Binding", cx.now()));
            Ok(())
        }
        // A pod that was deleted or that another client has bound is no exception.
        Err(e) => {
            let message = format!("running Bind plugin \"DefaultBinder\": {}", e.message);
            unreserve(cx, pod, reserved).await;
            failed(cx, q, message).await
        }
    }
}

/// Takes the reservation of a pod out of its claims for devices (`Unreserve`). A refusal is ignored, as there.
pub(super) async fn unreserve(cx: &Cx, pod: &Pod, reserved: &[Rc<ResourceClaim>]) {
    let other = |r: &ResourceClaimConsumerReference| Some(&r.uid) != pod.metadata.uid.as_ref();
    for claim in reserved.iter().filter(|c| is_reserved_for_pod(pod, c)) {
        let mut to = claim.clone();
        let status = Rc::make_mut(&mut to).status.get_or_insert_default();
        let rest: Vec<_> = status.reserved_for.take().into_iter().flatten().filter(other).collect();
        status.reserved_for = (!rest.is_empty()).then_some(rest);
        let why = Why::new("binding_cycle.unreserve")
            .read("claim", ObjectRef::of(&**claim), "status.reservedFor", claim.metadata.name())
            .with("pod", pod.metadata.name());
        let _ = cx.patch_status(claim.clone(), to).because(why).await;
    }
}

/// Ends an attempt that failed with an error (`handleBindingCycleError`, `handleSchedulingFailure`): the pod is no
/// longer counted on a node, gets a condition and an event with the reason, and backs off.
pub(super) async fn failed(cx: &Cx, q: Queued, message: String) -> Result {
    let (key, now) = (q.info.key.clone(), cx.now());
    if let Some(node) = cx.state(|s| s.cache.assumed_node(&key).cloned()) {
        let (k, assumed, caches) = (key.clone(), assigned(q.pod(), &node), cx.caches().clone());
        cx.update_state(move |s| {
            s.cache.forget(&k);
            let event = pod_event(EventResource::AssignedPod, Actions::DELETE, Some(&assumed), None);
            s.queue.move_all(&event, &Reads(&caches), now, |_| true);
        });
    }
    let cached = known(cx, &key);
    let recreated = cached.as_ref().is_some_and(|p| p.metadata.uid != q.pod().metadata.uid);
    // The event is about the pod as the informer last delivered it, unless it is gone or has a node by now.
    let pod = cached.filter(|p| node_of(p).is_none()).unwrap_or_else(|| q.pod().clone());
    take_back(cx, q, Vec::new());
    let k = key.clone();
    cx.update_state(move |s| {
        s.waiting.remove(&k);
        s.release(&k);
        s.queue.nominate(&k, None);
    });
    cx.cancel(Task::BindingCycle(key.clone()));
    cx.enqueue(Task::ScheduleOne);
    wake_later(cx);
    if recreated {
        return Ok(());
    }
    cx.record(event(&pod, "Warning", "FailedScheduling", note(&message), "Scheduling", now));
    let mut to = pod.clone();
    let status = Rc::make_mut(&mut to).status.get_or_insert_default();
    let nominated = status.nominated_node_name.take().is_some();
    if !set_unschedulable(status, "SchedulerError", &message, pod.metadata.generation, now) && !nominated {
        return Ok(());
    }
    let why = Why::new("binding_cycle.failed")
        .read("pod", ObjectRef { kind: Kind::POD, key: key.clone() }, "spec.volumes", pod.metadata.name())
        .with("message", &message);
    // The pod is scheduled again whether or not this write succeeds.
    let _ = cx.patch_status(pod, to).because(why).await;
    Ok(())
}

/// The note of an event with this message. The API server takes [`NOTE_LENGTH_LIMIT`] bytes; of a longer message the beginning
/// is noted (`truncateMessage`), the whole of it is in the pod's condition.
pub(super) fn note(message: &str) -> String {
    const SUFFIX: &str = " ...";
    if message.len() <= NOTE_LENGTH_LIMIT {
        return message.to_owned();
    }
    let end = message.floor_char_boundary(NOTE_LENGTH_LIMIT - SUFFIX.len());
    format!("{}{SUFFIX}", message.get(..end).unwrap_or_default())
}

/// Sets the condition `PodScheduled` to false. Returns whether that changed more than `observedGeneration`: a new generation
/// alone is no reason for a write (`UpdatePodCondition`).
pub(super) fn set_unschedulable(
    status: &mut PodStatus,
    reason: &str,
    message: &str,
    generation: Option<i64>,
    now: Timestamp,
) -> bool {
    let condition = PodCondition {
        type_: "PodScheduled".into(),
        status: "False".into(),
        reason: Some(reason.into()),
        message: Some(message.to_owned()),
        last_transition_time: Some(Time(seconds(now))),
        observed_generation: generation,
        ..Default::default()
    };
    update_pod_condition(status, condition)
}

/// An event about a pod, to be recorded.
pub(super) fn event(
    pod: &Pod,
    type_: &'static str,
    reason: &str,
    message: String,
    action: &'static str,
    at: Timestamp,
) -> Recorded {
    let about = object_reference(pod);
    Recorded { about, type_, reason: reason.into(), message, action, at }
}

/// The pod, as the informer last delivered it. The scheduler's informer does not see pods that have ended.
fn known(cx: &Cx, key: &Key) -> Option<Rc<Pod>> {
    cx.lister::<Pod>().get(key).filter(|p| !is_terminal(p)).cloned()
}

/// Puts a pod whose attempt failed back into the queue, as the informer last delivered it. A pod that is gone, or that
/// has a node by now, is dropped.
pub(super) fn take_back(cx: &Cx, mut q: Queued, refused_by: Vec<&'static str>) {
    let Some(pod) = known(cx, &q.info.key).filter(|p| node_of(p).is_none()) else { return };
    if !Rc::ptr_eq(&pod, q.pod()) {
        q.info = Rc::new(PodInfo::new(pod));
    }
    let now = cx.now();
    let caches = cx.caches().clone();
    cx.update_state(move |s| {
        s.queue.add_unschedulable(q.clone(), refused_by.clone(), &Reads(&caches), now);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `pkg/scheduler/schedule_one.go` `truncateMessage`, with `NoteLengthLimit` of `pkg/apis/core/validation/events.go`.
    #[test]
    fn a_note_has_1024_bytes_at_most() {
        assert_eq!(note(&"a".repeat(1024)), "a".repeat(1024));
        assert_eq!(note(&"a".repeat(1025)), "a".repeat(1020) + " ...");
        let wide = note(&"é".repeat(600));
        assert_eq!(wide, "é".repeat(510) + " ...");
        assert!(note(&format!("a{}", "é".repeat(600))).len() <= 1024);
    }

    /// `pkg/api/v1/pod/util.go` `UpdatePodCondition` does not compare `observedGeneration`.
    #[test]
    fn a_new_generation_alone_is_not_written() {
        let mut status = PodStatus::default();
        let mut set = |message, generation| {
            set_unschedulable(&mut status, "Unschedulable", message, Some(generation), Timestamp::UNIX_EPOCH)
        };
        assert!(set("no", 1));
        assert!(!set("no", 2));
        assert!(set("still no", 2));
    }
}
