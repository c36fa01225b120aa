//! The scheduler's loop (`k8s.io/kubernetes/pkg/scheduler/schedule_one.go`): take a pod, filter and score
//! nodes, assume, bind; or say why no node fits, and preempt.

use std::rc::Rc;

use super::framework::{Handle, Snapshot};
use super::listers::{Listers, Nominated};
use super::outcome::{bind_pod, event, failed, set_unschedulable, take_back};
use super::plugins::volume::binding::PodVolumes;
use super::queue::Queued;
use super::runtime::{FindArgs, find_nodes_that_fit, fit_error_message, score_nodes, select_host};
use super::state::{Cx, NAME, Preemption, State, Task, wake_later};
use super::{binding_cycle, default_preemption, eventhandlers, preemption};
use crate::api::types::{
    Namespace, PodDisruptionBudget, ReplicaSet, ReplicationController, Service, StatefulSet, VolumeAttachment,
};
use crate::api::{Kind, MetaExt, ObjectRef};
use crate::client::{EventFlavour, Reconciler, Result, Watches, Why};

/// The default scheduler, which schedules pods with `schedulerName: default-scheduler`.
#[derive(Clone, Copy, Debug)]
pub struct Scheduler;

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
            .watches(eventhandlers::handle_pod)
            .watches(eventhandlers::handle_node)
            .reads::<Namespace>()
            .reads::<Service>()
            .reads::<ReplicaSet>()
            .reads::<ReplicationController>()
            .reads::<StatefulSet>()
            .watches(eventhandlers::handle_claim)
            .watches(eventhandlers::handle_volume)
            .watches(eventhandlers::handle_class)
            .reads::<PodDisruptionBudget>()
            .watches(eventhandlers::handle_csi_node)
            .watches(eventhandlers::handle_csi_driver)
            .watches(eventhandlers::handle_capacity)
            .watches(eventhandlers::handle_unread::<VolumeAttachment>)
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        match task {
            Task::ScheduleOne | Task::ScheduleOneSomeDay => schedule_one(&cx).await,
            Task::FlushUnschedulable => {
                flush_unschedulable(&cx);
                Ok(())
            }
            Task::BindingCycle(pod) => binding_cycle::go_on(&cx, &pod).await,
            Task::Preempt(pod) => preemption::run(&cx, &pod).await,
        }
    }
}

/// Tries the pods again that were unschedulable for too long.
fn flush_unschedulable(cx: &Cx) {
    let now = cx.now();
    cx.update_state(move |s| s.queue.flush_leftover(now));
    cx.enqueue(Task::ScheduleOne);
}

/// The scheduling cycle of the next pod.
async fn schedule_one(cx: &Cx) -> Result {
    let now = cx.now();
    let Some(q) = cx.state(|s| s.queue.clone().pop(now)) else {
        wake_later(cx);
        return Ok(());
    };
    cx.update_state(move |s| {
        s.queue.pop(now);
    });
    // There may be more pods; each has a cycle of its own.
    cx.enqueue(Task::ScheduleOne);
    let pod = q.pod().clone();
    if pod.metadata.is_deleting() {
        let message = format!("skip schedule deleting pod: {}", q.info.key);
        cx.record(event(&pod, "Warning", "FailedScheduling", message, "Scheduling", now));
        return Ok(());
    }
    if cx.state(|s| s.cache.assumed_node(&q.info.key).is_some()) {
        return Ok(());
    }
    match decide(cx, &q) {
        Decision::Node { name, start, feasible, nodes, volumes } => {
            bind(cx, q, &name, start, (feasible, nodes), volumes).await
        }
        Decision::Nowhere(n) => {
            let n = *n;
            give_up(cx, q, n).await
        }
        Decision::Failed(message) => failed(cx, q, message).await,
    }
}

enum Decision {
    Node {
        name: Rc<str>,
        start: usize,
        feasible: usize,
        nodes: usize,
        volumes: Option<PodVolumes>,
    },
    Nowhere(Box<Nowhere>),
    /// A plugin could not decide, and this is its error.
    Failed(String),
}

struct Nowhere {
    message: String,
    refused_by: Vec<&'static str>,
    candidate: Option<default_preemption::Candidate>,
    clear_nomination: bool,
    start: usize,
}

fn decide(cx: &Cx, q: &Queued) -> Decision {
    let (nodes, classes) = cx.state(|s| (s.cache.snapshot(), s.cache.classes().clone()));
    let info = &*q.info;
    let listers = Listers(cx.caches(), cx.state(|s| s.assumed.clone()));
    let nominated = cx.state(|s| Nominated::of(&s.queue, &info.key));
    let h = Handle {
        snapshot: Snapshot { nodes: &nodes, classes: Some(&classes) },
        volumes: &listers,
        namespaces: &listers,
        workloads: &listers,
        nominated: &nominated,
    };
    let start = cx.state(|s| s.next_start);
    if nodes.is_empty() {
        return Decision::Nowhere(Box::new(Nowhere {
            message: "no nodes available to schedule pods".to_owned(),
            refused_by: Vec::new(),
            candidate: None,
            clear_nomination: true,
            start,
        }));
    }
    let found = find_nodes_that_fit(&h, info, FindArgs { percentage: 0, start });
    if let Some(message) = found.diagnosis.failure() {
        return Decision::Failed(message);
    }
    let volumes = |name: &str| binding_cycle::volumes_for(&h, found.state.volume_binding.as_ref(), name);
    match found.nodes.as_slice() {
        [] => {
            let budgets: Vec<Rc<PodDisruptionBudget>> =
                cx.lister::<PodDisruptionBudget>().list(None).cloned().collect();
            let post = default_preemption::post_filter(&h, &found, &budgets, tie_break(q));
            Decision::Nowhere(Box::new(Nowhere {
                message: fit_error_message(nodes.len(), &found.diagnosis, &post.message),
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
            let name = select_host(&scores, tie_break(q)).unwrap_or_else(|| many[0].name()).clone();
            let (start, volumes) = (found.next_start, volumes(&name));
            Decision::Node { name, start, feasible: many.len(), nodes: nodes.len(), volumes }
        }
    }
}

/// A number in place of chance: it decides between equally good nodes, and with which node preemption begins its search. It is
/// the FNV-1a hash of the pod's uid and of the number of its attempts, folded to 32 bits, so what happens to other pods does
/// not change it.
fn tie_break(q: &Queued) -> u64 {
    let add = |h: u64, n: u64| (h ^ n).wrapping_mul(0x0100_0000_01b3);
    let uid = q.pod().metadata.uid().bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| add(h, u64::from(b)));
    let hash = add(uid, u64::from(q.attempts));
    (hash >> 32) ^ (hash & 0xffff_ffff)
}

async fn bind(
    cx: &Cx,
    q: Queued,
    node: &str,
    start: usize,
    fits: (usize, usize),
    volumes: Option<PodVolumes>,
) -> Result {
    let (p, n, k) = (q.pod().clone(), node.to_owned(), q.info.key.clone());
    cx.update_state(move |s| {
        s.next_start = start;
        s.cache.assume(&k, &p, &n);
        s.queue.nominate(&k, None);
    });
    match volumes {
        None => bind_pod(cx, q, node, fits).await,
        Some(volumes) => binding_cycle::start(cx, q, node, fits, volumes).await,
    }
}

/// Ends a cycle in which no node fits (`handleSchedulingFailure`): the pod becomes unschedulable, gets a
/// condition and an event, and the victims of preemption are deleted.
async fn give_up(cx: &Cx, q: Queued, n: Nowhere) -> Result {
    let (pod, key) = (q.pod().clone(), q.info.key.clone());
    take_back(cx, q, n.refused_by.clone());
    let preemption = n.candidate.as_ref().and_then(|c| Preemption::new(&pod, c));
    let (k, start) = (key.clone(), n.start);
    let nominate = match &n.candidate {
        Some(c) => Some(Some(c.node.clone())),
        None => n.clear_nomination.then_some(None),
    };
    let (nominated, begins) = (nominate.clone(), preemption.clone());
    cx.update_state(move |s| {
        s.next_start = start;
        if let Some(node) = &nominated {
            s.queue.nominate(&k, node.as_deref());
        }
        if let Some(preemption) = &begins {
            s.queue.preempts(&k);
            s.preemptions.insert(k.clone(), preemption.clone());
        }
    });
    if preemption.is_some() {
        cx.enqueue(Task::Preempt(key.clone()));
    }
    wake_later(cx);
    cx.record(event(&pod, "Warning", "FailedScheduling", n.message.clone(), "Scheduling", cx.now()));
    let mut to = pod.clone();
    let status = Rc::make_mut(&mut to).status.get_or_insert_default();
    if let Some(node) = nominate {
        status.nominated_node_name = node.map(|n| n.to_string());
    }
    let changed = set_unschedulable(status, "Unschedulable", &n.message, pod.metadata.generation, cx.now());
    if changed
        || status.nominated_node_name != pod.status.as_ref().and_then(|s| s.nominated_node_name.clone())
    {
        let why = Why::new("schedule_one.unschedulable")
            .read("pod", ObjectRef { kind: Kind::POD, key: key.clone() }, "spec", pod.metadata.name())
            .with("message", &n.message);
        match cx.patch_status(pod, to).because(why).await {
            Err(e) if !e.is_not_found() => return Err(e.into()),
            _ => {}
        }
    }
    Ok(())
}
