//! What the scheduler does when an informer delivers a change (`pkg/scheduler/eventhandlers.go`): it keeps its cache and
//! its queue up to date, and tries those unschedulable pods again that the change may help.

use std::rc::Rc;

use super::binding_cycle;
use super::cache::{assigned, node_of};
use super::framework::{Actions, Change, ClusterEvent, EventResource, Subject, node_changes, pod_changes};
use super::listers::Reads;
use super::queue::pod_event;
use super::state::{NAME, State, Task};
use crate::api::pod::is_terminal;
use crate::api::types::resource::ResourceClaim;
use crate::api::types::{
    CSIDriver, CSINode, CSIStorageCapacity, Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass,
};
use crate::api::{ApiKind, Key};
use crate::client::{Handler, Seen, Wait};

type Cx<'a> = Handler<'a, State, Task>;

/// The changes of a node that can let a pod pass a filter.
const FILTERED: Actions = Actions::ADD
    .or(Actions::UPDATE_NODE_ALLOCATABLE)
    .or(Actions::UPDATE_NODE_LABEL)
    .or(Actions::UPDATE_NODE_TAINT)
    .or(Actions::UPDATE_NODE_DECLARED_FEATURE);

/// Whether the default profile schedules the pod (`responsibleForPod`).
fn mine(pod: &Pod) -> bool {
    pod.spec.as_ref().and_then(|s| s.scheduler_name.as_deref()).is_none_or(|n| n == NAME)
}

fn priority(pod: &Pod) -> i32 {
    pod.spec.as_ref().and_then(|s| s.priority).unwrap_or(0)
}

fn nominated(pod: &Pod) -> Option<&str> {
    pod.status.as_ref()?.nominated_node_name.as_deref().filter(|n| !n.is_empty())
}

/// Plans what the queue waits for: a cycle if a pod can be taken, and the end of the time that pods may stay
/// unschedulable.
fn wake(cx: &mut Cx<'_>) {
    let now = cx.now;
    if cx.state.queue.is_ready(now) {
        cx.enqueue(Task::ScheduleOne);
    }
    if let Some(at) = cx.state.queue.next_leftover() {
        cx.enqueue_waiting(Task::FlushUnschedulable, at.duration_since(now), Wait::Background);
    }
    match cx.state.queue.next_leftover_after_change() {
        Some(at) => cx.enqueue_after(Task::FlushAfterChange, at.duration_since(now)),
        None => cx.cancel(Task::FlushAfterChange),
    }
}

fn move_all(cx: &mut Cx<'_>, event: &ClusterEvent<'_>, considered: impl Fn(&Pod) -> bool) {
    let (reads, now) = (Reads(cx.caches), cx.now);
    cx.state.queue.move_all(event, &reads, now, considered);
}

/// A Pod was added, changed or deleted. The scheduler's informer does not see pods that have ended: a pod that ends is
/// deleted for it.
pub(super) fn handle_pod(cx: &mut Cx<'_>, seen: Seen<'_, Pod>) {
    let live = |p: Option<&'_ Rc<Pod>>| p.filter(|p| !is_terminal(p)).cloned();
    match (live(seen.old), live(seen.new)) {
        (None, None) => return,
        (None, Some(new)) => add_pod(cx, seen.key, &new),
        (Some(old), Some(new)) => update_pod(cx, seen.key, &old, &new),
        (Some(old), None) => delete_pod(cx, seen.key, &old),
    }
    wake(cx);
}

fn add_pod(cx: &mut Cx<'_>, key: &Key, pod: &Rc<Pod>) {
    if node_of(pod).is_some() {
        add_assigned_pod(cx, key, pod);
    } else if mine(pod) {
        binding_cycle::forget(cx, key);
        let (reads, now) = (Reads(cx.caches), cx.now);
        cx.state.queue.add(key, pod, &reads, now);
    }
}

fn add_assigned_pod(cx: &mut Cx<'_>, key: &Key, pod: &Rc<Pod>) {
    binding_cycle::forget(cx, key);
    cx.state.cache.set_pod(key, pod);
    move_all(cx, &pod_event(EventResource::AssignedPod, Actions::ADD, None, Some(pod)), |_| true);
}

fn update_pod(cx: &mut Cx<'_>, key: &Key, old: &Rc<Pod>, new: &Rc<Pod>) {
    if node_of(old).is_some() {
        binding_cycle::forget(cx, key);
        cx.state.cache.set_pod(key, new);
        for action in pod_changes(old, new) {
            move_all(cx, &pod_event(EventResource::AssignedPod, action, Some(old), Some(new)), |_| true);
        }
    } else if node_of(new).is_some() {
        add_assigned_pod(cx, key, new);
        cx.state.queue.remove(key);
    } else if mine(old) {
        update_unscheduled_pod(cx, key, old, new);
    }
}

fn update_unscheduled_pod(cx: &mut Cx<'_>, key: &Key, old: &Rc<Pod>, new: &Rc<Pod>) {
    if old.metadata.resource_version == new.metadata.resource_version {
        return;
    }
    if cx.state.cache.assumed_node(key).is_some() {
        if new.metadata.deletion_timestamp.is_some() && old.metadata.deletion_timestamp.is_none() {
            forget_assumed_pod(cx, key, new);
        }
        return;
    }
    let (reads, now) = (Reads(cx.caches), cx.now);
    cx.state.queue.update(key, old, new, &reads, now);
    // Less important pods may use the node to which the pod is not nominated any more.
    if nominated(old).is_some() && nominated(old) != nominated(new) {
        let event = pod_event(EventResource::AssignedPod, Actions::DELETE, Some(old), None);
        move_all(cx, &event, |p| priority(p) <= priority(old));
    }
}

fn delete_pod(cx: &mut Cx<'_>, key: &Key, pod: &Rc<Pod>) {
    let event = pod_event(EventResource::AssignedPod, Actions::DELETE, Some(pod), None);
    if node_of(pod).is_some() {
        binding_cycle::forget(cx, key);
        cx.state.cache.remove_pod(key);
        move_all(cx, &event, |_| true);
    } else if mine(pod) {
        cx.state.queue.remove(key);
        binding_cycle::pod_gone(cx, key);
        if cx.state.cache.assumed_node(key).is_some() {
            forget_assumed_pod(cx, key, pod);
        } else if nominated(pod).is_some() {
            move_all(cx, &event, |p| priority(p) <= priority(pod));
        }
    }
}

/// A pod that is assumed on a node is deleted before it is bound (`handleAssumedPodDeletion`): its place is free.
fn forget_assumed_pod(cx: &mut Cx<'_>, key: &Key, pod: &Rc<Pod>) {
    let Some(node) = cx.state.cache.assumed_node(key).cloned() else { return };
    cx.state.cache.forget(key);
    let assumed = assigned(pod, &node);
    move_all(cx, &pod_event(EventResource::AssignedPod, Actions::DELETE, Some(&assumed), None), |_| true);
}

/// A Node was added, changed or deleted.
pub(super) fn handle_node(cx: &mut Cx<'_>, seen: Seen<'_, Node>) {
    let actions = match (seen.old, seen.new) {
        (None, Some(_)) => vec![Actions::ADD],
        (Some(old), Some(new)) => node_changes(old, new),
        (_, None) => vec![Actions::DELETE],
    };
    match seen.new {
        Some(node) => cx.state.cache.set_node(node),
        None => cx.state.cache.remove_node(&seen.key.name),
    }
    let subject = Subject::Node(Change { old: seen.old, new: seen.new });
    for action in &actions {
        let resource = EventResource::Of(Node::KIND);
        move_all(cx, &ClusterEvent { resource, action: *action, subject }, |_| true);
    }
    if actions.iter().any(|action| FILTERED.covers(*action)) {
        cx.state.queue.node_changed();
    }
    wake(cx);
}

/// An object of a kind was added, changed or deleted that only hints read (`buildEvtResHandler`).
fn handle_other<T: ApiKind>(cx: &mut Cx<'_>, seen: Seen<'_, T>, subject: Subject<'_>) {
    let action = match (seen.old, seen.new) {
        (None, Some(_)) => Actions::ADD,
        (Some(_), Some(_)) => Actions::UPDATE,
        (_, None) => Actions::DELETE,
    };
    move_all(cx, &ClusterEvent { resource: EventResource::Of(T::KIND), action, subject }, |_| true);
    wake(cx);
}

/// A PersistentVolumeClaim was added, changed or deleted.
pub(super) fn handle_claim(cx: &mut Cx<'_>, seen: Seen<'_, PersistentVolumeClaim>) {
    binding_cycle::claim_changed(cx, seen.key);
    handle_other(cx, seen, Subject::Claim(Change { old: seen.old, new: seen.new }));
}

/// A PersistentVolume was added, changed or deleted.
pub(super) fn handle_volume(cx: &mut Cx<'_>, seen: Seen<'_, PersistentVolume>) {
    binding_cycle::volume_changed(cx, seen.key);
    handle_other(cx, seen, Subject::Volume(Change { old: seen.old, new: seen.new }));
}

/// A StorageClass was added, changed or deleted.
pub(super) fn handle_class(cx: &mut Cx<'_>, seen: Seen<'_, StorageClass>) {
    handle_other(cx, seen, Subject::Class(Change { old: seen.old, new: seen.new }));
}

/// A CSINode was added, changed or deleted.
pub(super) fn handle_csi_node(cx: &mut Cx<'_>, seen: Seen<'_, CSINode>) {
    handle_other(cx, seen, Subject::CsiNode(Change { old: seen.old, new: seen.new }));
}

/// A CSIDriver was added, changed or deleted.
pub(super) fn handle_csi_driver(cx: &mut Cx<'_>, seen: Seen<'_, CSIDriver>) {
    handle_other(cx, seen, Subject::CsiDriver(Change { old: seen.old, new: seen.new }));
}

/// A CSIStorageCapacity was added, changed or deleted.
pub(super) fn handle_capacity(cx: &mut Cx<'_>, seen: Seen<'_, CSIStorageCapacity>) {
    handle_other(cx, seen, Subject::Capacity(Change { old: seen.old, new: seen.new }));
}

/// A ResourceClaim was added, changed or deleted.
pub(super) fn handle_resource_claim(cx: &mut Cx<'_>, seen: Seen<'_, ResourceClaim>) {
    binding_cycle::resource_claim_changed(cx, seen.key, seen.new);
    handle_other(cx, seen, Subject::ResourceClaim(Change { old: seen.old, new: seen.new }));
}

/// An object of a kind was added, changed or deleted that no hint reads.
pub(super) fn handle_unread<T: ApiKind>(cx: &mut Cx<'_>, seen: Seen<'_, T>) {
    handle_other(cx, seen, Subject::Other);
}
