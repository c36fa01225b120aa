//! The scheduler's loop (`k8s.io/kubernetes/pkg/scheduler/schedule_one.go`): take a pod, filter and score
//! nodes, assume, bind; or say why no node fits, and preempt.

use std::rc::Rc;

use super::framework::{Handle, PodInfo, Snapshot};
use super::listers::{Listers, Nominated};
use super::outcome::{bind_pod, event, set_unschedulable};
use super::plugins::scheduling_gates;
use super::plugins::volume::binding::PodVolumes;
use super::runtime::{FindArgs, find_nodes_that_fit, fit_error_message, score_nodes, select_host};
use super::state::{Cx, State, Task, wake_later};
use super::{binding_cycle, default_preemption};
use crate::api::pod::is_terminal;
use crate::api::types::{
    CSIDriver, CSINode, CSIStorageCapacity, Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod,
    PodCondition, PodDisruptionBudget, ReplicaSet, ReplicationController, Service, StatefulSet, StorageClass,
    Time, VolumeAttachment,
};
use crate::api::{Key, Kind, MetaExt, ObjectRef, seconds};
use crate::apimachinery::DeleteOptions;
use crate::client::{EventFlavour, Handler, Reconciler, Result, Seen, Watches, Why};

/// The default scheduler, which schedules pods with `schedulerName: default-scheduler`.
#[derive(Clone, Copy, Debug)]
pub struct Scheduler;

/// The scheduler's name in `spec.schedulerName` and in events.
pub const NAME: &str = "default-scheduler";

impl Reconciler for Scheduler {
    type Key = Task;
    type State = State;

    fn name(&self) -> Rc<str> {
        "kube-scheduler".into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Events { component: NAME.into(), instance: "default-scheduler-steady".into() }
    }

    fn watches(&self) -> Watches<State, Task> {
        Watches::new()
            .watches(handle_pod)
            .watches(handle_node)
            .watches::<Namespace>(|cx, _| moved(cx))
            .watches::<Service>(|cx, _| moved(cx))
            .watches::<ReplicaSet>(|cx, _| moved(cx))
            .watches::<ReplicationController>(|cx, _| moved(cx))
            .reads::<StatefulSet>()
            .watches::<PersistentVolumeClaim>(|cx, seen| {
                binding_cycle::claim_changed(cx, seen.key);
                moved(cx);
            })
            .watches::<PersistentVolume>(|cx, seen| {
                binding_cycle::volume_changed(cx, seen.key);
                moved(cx);
            })
            .watches::<StorageClass>(|cx, _| moved(cx))
            .watches::<PodDisruptionBudget>(|cx, _| moved(cx))
            .watches::<CSINode>(|cx, _| moved(cx))
            .watches::<CSIDriver>(|cx, _| moved(cx))
            .watches::<CSIStorageCapacity>(|cx, _| moved(cx))
            .watches::<VolumeAttachment>(|cx, seen| {
                if seen.is_gone() {
                    moved(cx);
                }
            })
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        match task {
            Task::ScheduleOne | Task::ScheduleOneSomeDay => schedule_one(&cx).await,
            Task::BindingCycle(pod) => binding_cycle::go_on(&cx, &pod).await,
        }
    }
}

fn bound(pod: &Pod) -> bool {
    pod.spec.as_ref().and_then(|s| s.node_name.as_deref()).is_some_and(|n| !n.is_empty())
}

fn mine(pod: &Pod) -> bool {
    pod.spec.as_ref().and_then(|s| s.scheduler_name.as_deref()).is_none_or(|n| n == NAME)
}

fn handle_pod(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Pod>) {
    let pod = seen.object();
    let key = seen.key.clone();
    // A pod that has ended needs no resources any more, so it is treated as deleted.
    let here = !seen.is_gone() && !is_terminal(pod);
    if !here {
        let counted = cx.state.cache.has(&key);
        binding_cycle::forget(cx, &key);
        cx.state.cache.remove_pod(&key);
        cx.state.queue.remove(&key);
        if counted {
            moved(cx);
        }
        return;
    }
    if bound(pod) {
        let news = !cx.state.cache.has(&key);
        binding_cycle::forget(cx, &key);
        cx.state.cache.set_pod(&key, pod);
        cx.state.queue.remove(&key);
        // Another pod may have affinity to this one.
        if news {
            moved(cx);
        }
        return;
    }
    if !mine(pod) || cx.state.cache.has(&key) {
        return;
    }
    let gated = !scheduling_gates::pre_enqueue(pod).is_success();
    if cx.state.queue.has(&key) {
        cx.state.queue.refresh(&key, pod);
        if cx.state.queue.is_gated(&key) && !gated {
            cx.state.queue.open(&key);
            cx.enqueue(Task::ScheduleOne);
        } else if seen.old.is_some_and(|o| o.spec != pod.spec || o.metadata.labels != pod.metadata.labels) {
            moved(cx);
        }
        return;
    }
    cx.state.queue.add(key, pod, cx.now, gated);
    if !gated {
        cx.enqueue(Task::ScheduleOne);
    }
}

fn handle_node(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Node>) {
    let Some(node) = seen.new else {
        cx.state.cache.remove_node(&seen.key.name);
        return;
    };
    cx.state.cache.set_node(node);
    let helps = seen.old.is_none_or(|old| {
        let allocatable = |n: &Node| n.status.as_ref().and_then(|s| s.allocatable.clone());
        old.spec != node.spec
            || old.metadata.labels != node.metadata.labels
            || allocatable(old) != allocatable(node)
    });
    if helps {
        moved(cx);
    }
}

/// Moves all unschedulable pods, because something changed that they may wait for. Kubernetes asks each
/// plugin that refused a pod whether the event can help (QueueingHints). Asking none costs attempts, but the
/// outcome is the same.
fn moved(cx: &mut Handler<'_, State, Task>) {
    let now = cx.now;
    match cx.state.queue.move_parked(now, |_| true) {
        Some(at) if at <= now => cx.enqueue(Task::ScheduleOne),
        Some(at) => cx.enqueue_after(Task::ScheduleOne, at.duration_since(now)),
        None => {}
    }
}

/// The scheduling cycle of the next pod.
async fn schedule_one(cx: &Cx) -> Result {
    let now = cx.now();
    cx.update_state(move |s| {
        s.queue.flush(now);
    });
    let Some((key, pod)) = cx.state(|s| s.queue.first().map(|(key, q)| (key.clone(), q.pod.clone()))) else {
        wake_later(cx);
        return Ok(());
    };
    let k = key.clone();
    cx.update_state(move |s| {
        s.queue.take(&k);
        s.cycles += 1;
    });
    // There may be more pods; each has a cycle of its own.
    cx.enqueue(Task::ScheduleOne);
    if pod.metadata.is_deleting() {
        let k = key.clone();
        cx.update_state(move |s| s.queue.remove(&k));
        return Ok(());
    }
    match decide(cx, &pod, &key) {
        Decision::Node { name, start, feasible, nodes, volumes } => {
            bind(cx, &pod, &key, &name, start, (feasible, nodes), volumes).await
        }
        Decision::Nowhere(n) => {
            let n = *n;
            give_up(cx, &pod, &key, n).await
        }
    }
}

enum Decision {
    Node { name: Rc<str>, start: usize, feasible: usize, nodes: usize, volumes: Option<PodVolumes> },
    Nowhere(Box<Nowhere>),
}

struct Nowhere {
    message: String,
    short: String,
    refused_by: Vec<&'static str>,
    candidate: Option<default_preemption::Candidate>,
    clear_nomination: bool,
    start: usize,
}

fn decide(cx: &Cx, pod: &Rc<Pod>, key: &Key) -> Decision {
    let (nodes, classes) = cx.state(|s| (s.cache.snapshot(), s.cache.classes().clone()));
    let info = PodInfo::new(pod.clone());
    let listers = Listers(cx.caches(), cx.state(|s| s.assumed.clone()));
    let nominated = cx.state(|s| Nominated::of(&s.queue, key));
    let h = Handle {
        snapshot: Snapshot { nodes: &nodes, classes: Some(&classes) },
        volumes: &listers,
        namespaces: &listers,
        workloads: &listers,
        nominated: &nominated,
    };
    let (start, cycles) = cx.state(|s| (s.next_start, s.cycles));
    if nodes.is_empty() {
        let message = "no nodes available to schedule pods".to_owned();
        return Decision::Nowhere(Box::new(Nowhere {
            short: message.clone(),
            message,
            refused_by: Vec::new(),
            candidate: None,
            clear_nomination: false,
            start,
        }));
    }
    let found = find_nodes_that_fit(&h, &info, FindArgs { percentage: 0, start });
    let random = tie_break(pod, cycles);
    let volumes = |name: &str| binding_cycle::volumes_for(&h, found.state.volume_binding.as_ref(), name);
    match found.nodes.as_slice() {
        [] => {
            let budgets: Vec<Rc<PodDisruptionBudget>> =
                cx.lister::<PodDisruptionBudget>().list(None).cloned().collect();
            let post = default_preemption::post_filter(&h, &found, &budgets, random);
            Decision::Nowhere(Box::new(Nowhere {
                message: fit_error_message(nodes.len(), &found.diagnosis, &post.message),
                short: fit_error_message(nodes.len(), &found.diagnosis, ""),
                refused_by: found.diagnosis.unschedulable_plugins(),
                candidate: post.candidate,
                clear_nomination: post.clear_nomination,
                start: found.next_start,
            }))
        }
        [one] => Decision::Node {
            volumes: volumes(one.name()),
            name: one.name().clone(),
            start: found.next_start,
            feasible: 1,
            nodes: nodes.len(),
        },
        many => {
            let scores = score_nodes(&h, &found.state, many);
            let name = select_host(&scores, random).unwrap_or_else(|| many[0].name()).clone();
            let (start, volumes) = (found.next_start, volumes(&name));
            Decision::Node { name, start, feasible: many.len(), nodes: nodes.len(), volumes }
        }
    }
}

/// A number that decides between equally good nodes. It depends on the pod's uid and on `cycles` only.
fn tie_break(pod: &Pod, cycles: u64) -> u64 {
    let seed =
        pod.metadata.uid().bytes().fold(cycles, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    seed ^ (seed >> 31)
}

async fn bind(
    cx: &Cx,
    pod: &Rc<Pod>,
    key: &Key,
    node: &str,
    start: usize,
    fits: (usize, usize),
    volumes: Option<PodVolumes>,
) -> Result {
    let (p, n, k) = (pod.clone(), node.to_owned(), key.clone());
    let attempts = cx.state(|s| s.queue.attempts(key));
    cx.update_state(move |s| {
        s.next_start = start;
        s.cache.assume(&k, &p, &n);
        s.queue.remove(&k);
    });
    match volumes {
        None => bind_pod(cx, pod, key, node, fits, attempts).await,
        Some(volumes) => binding_cycle::start(cx, pod, node, fits, attempts, volumes).await,
    }
}

/// Ends a cycle in which no node fits (`handleSchedulingFailure`): the pod becomes unschedulable, gets a
/// condition and an event, and the victims of preemption are deleted.
async fn give_up(cx: &Cx, pod: &Rc<Pod>, key: &Key, n: Nowhere) -> Result {
    let (k, now, refused, start) = (key.clone(), cx.now(), n.refused_by.clone(), n.start);
    cx.update_state(move |s| {
        s.next_start = start;
        s.queue.park(&k, refused.clone(), now);
    });
    wake_later(cx);
    let message = if n.candidate.is_some() { &n.short } else { &n.message };
    cx.record(event(pod, "Warning", "FailedScheduling", message.clone(), "Scheduling", cx.now()));
    if let Some(c) = &n.candidate {
        for victim in &c.victims {
            preempt(cx, pod, &victim.pod, &c.node).await?;
        }
    }
    let mut to = pod.clone();
    let status = Rc::make_mut(&mut to).status.get_or_insert_default();
    if let Some(c) = &n.candidate {
        status.nominated_node_name = Some(c.node.to_string());
    } else if n.clear_nomination {
        status.nominated_node_name = None;
    }
    let changed = set_unschedulable(status, "Unschedulable", message, pod.metadata.generation, cx.now());
    if changed
        || status.nominated_node_name != pod.status.as_ref().and_then(|s| s.nominated_node_name.clone())
    {
        let why = Why::new("schedule_one.unschedulable")
            .read("pod", ObjectRef { kind: Kind::POD, key: key.clone() }, "spec", pod.metadata.name())
            .with("message", message);
        match cx.patch_status(pod.clone(), to).because(why).await {
            Err(e) if !e.is_not_found() => return Err(e.into()),
            _ => {}
        }
    }
    Ok(())
}

/// Writes the condition `DisruptionTarget` to a victim, then deletes it (`preemption.Executor`).
async fn preempt(cx: &Cx, preemptor: &Pod, victim: &Rc<Pod>, node: &str) -> Result {
    let fresh = cx.lister::<Pod>().get(&victim.metadata.key()).cloned().unwrap_or_else(|| victim.clone());
    let why = || {
        Why::new("schedule_one.preempt")
            .read("victim", ObjectRef::of(&**victim), "spec.priority", victim.metadata.name())
            .with("pod", preemptor.metadata.name())
            .with("node", node)
    };
    if !fresh.metadata.is_deleting() {
        let mut to = fresh.clone();
        let generation = to.metadata.generation;
        let conditions =
            Rc::make_mut(&mut to).status.get_or_insert_default().conditions.get_or_insert_default();
        conditions.retain(|c| c.type_ != "DisruptionTarget");
        conditions.push(PodCondition {
            type_: "DisruptionTarget".into(),
            status: "True".into(),
            reason: Some("PreemptionByScheduler".into()),
            message: Some(format!("{NAME}: preempting to accommodate a higher priority pod")),
            last_transition_time: Some(Time(seconds(cx.now()))),
            observed_generation: generation,
            ..Default::default()
        });
        match cx.patch_status(fresh.clone(), to).because(why()).await {
            Err(e) if !e.is_not_found() => return Err(e.into()),
            _ => {}
        }
        match cx.delete(Kind::POD, fresh.metadata.key(), DeleteOptions::default()).because(why()).await {
            Err(e) if !e.is_not_found() => return Err(e.into()),
            _ => {}
        }
        let message = format!("Preempted by pod {} on node {node}", preemptor.metadata.uid());
        cx.record(event(&fresh, "Normal", "Preempted", message, "Preempting", cx.now()));
    }
    Ok(())
}
