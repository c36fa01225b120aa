//! The scheduler's loop (`k8s.io/kubernetes/pkg/scheduler/schedule_one.go`): it takes a pod from the queue, runs a
//! scheduling cycle for it, and binds the pod to the node that was found, or says why no node fits and preempts.

use std::rc::Rc;

use super::framework::{Handle, Snapshot};
use super::listers::{Listers, Nominated, Reads};
use super::outcome::{bind_pod, event, failed, note, set_unschedulable, take_back};
use super::plugins::dynamic_resources;
use super::plugins::volume::binding::PodVolumes;
use super::queue::Queued;
use super::runtime::fit_error_message;
use super::scheduling_cycle::{self, End, tie_break};
use super::state::{Begin, Cx, NAME, Preemption, State, Task, wake_later};
use super::{binding_cycle, default_preemption, eventhandlers, preemption};
use crate::api::quote::go_quote;
use crate::api::types::resource::{AllocationResult, DeviceClass, ResourceClaim, ResourceSlice};
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
            .watches(eventhandlers::handle_resource_claim)
            .watches(eventhandlers::handle_unread::<DeviceClass>)
            .watches(eventhandlers::handle_unread::<ResourceSlice>)
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        match task {
            Task::ScheduleOne | Task::ScheduleOneSomeDay => schedule_one(&cx).await,
            Task::FlushUnschedulable | Task::FlushAfterChange => {
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
    let caches = cx.caches().clone();
    cx.update_state(move |s| s.queue.flush_leftover(&Reads(&caches), now));
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
        Decision::Node { name, start, fits, volumes, claims } => {
            let begin = claims.map(|claims| Begin {
                volumes: volumes.clone().unwrap_or_default(),
                claims,
                gave_way: false,
            });
            bind(cx, q, &name, start, fits, (volumes, begin)).await
        }
        Decision::Nowhere(n) => {
            let n = *n;
            give_up(cx, q, n).await
        }
        Decision::Failed(message) => failed(cx, q, message).await,
    }
}

type Reserved = Vec<(Rc<ResourceClaim>, Option<AllocationResult>)>;

enum Decision {
    Node {
        name: Rc<str>,
        start: usize,
        /// How many nodes the pod fits on, and how many nodes there are.
        fits: (usize, usize),
        volumes: Option<PodVolumes>,
        /// The pod's claims for devices, and what they get.
        claims: Option<Reserved>,
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
    /// A claim that is to give its devices back.
    deallocate: Option<Rc<ResourceClaim>>,
    /// The message without what PostFilter says.
    reasons: String,
    start: usize,
}

fn decide(cx: &Cx, q: &Queued) -> Decision {
    let (nodes, classes) = cx.state(|s| (s.cache.snapshot(), s.cache.classes().clone()));
    let info = &*q.info;
    let listers = cx.state(|s| Listers::of(cx.caches(), s, cx.now()));
    let nominated = cx.state(|s| Nominated::of(&s.queue, &info.key));
    let h = Handle {
        snapshot: Snapshot { nodes: &nodes, classes: Some(&classes) },
        volumes: &listers,
        devices: &listers,
        namespaces: &listers,
        workloads: &listers,
        nominated: &nominated,
    };
    let start = cx.state(|s| s.next_start);
    let random = tie_break(q.pod().metadata.uid(), q.attempts);
    let budgets = || cx.lister::<PodDisruptionBudget>().list(None).cloned().collect();
    let cycle = scheduling_cycle::run(&h, info, start, random, budgets);
    let found = cycle.found.as_ref();
    let next = found.map_or(start, |f| f.next_start);
    match cycle.end {
        End::Failed(message) => Decision::Failed(message),
        End::Nowhere(message, post) => Decision::Nowhere(Box::new(Nowhere {
            message,
            refused_by: found.map(|f| f.diagnosis.unschedulable_plugins()).unwrap_or_default(),
            candidate: post.candidate,
            clear_nomination: post.clear_nomination,
            deallocate: post.deallocate,
            reasons: found.map(|f| fit_error_message(nodes.len(), &f.diagnosis, "")).unwrap_or_default(),
            start: next,
        })),
        End::Node(name) => {
            let claims = found.and_then(|f| f.state.volume_binding.as_ref());
            let volumes = binding_cycle::volumes_for(&h, claims, &name);
            let fits = (found.map_or(0, |f| f.nodes.len()), nodes.len());
            let devices = found.and_then(|f| f.state.devices.as_ref());
            let reserved = devices.zip(h.snapshot.get(&name)).map(|(s, n)| dynamic_resources::reserve(s, n));
            match reserved {
                Some(None) => Decision::Failed(format!(
                    "running Reserve plugin {}: claim allocation not found for node",
                    go_quote(dynamic_resources::NAME)
                )),
                claims => Decision::Node { name, start: next, fits, volumes, claims: claims.flatten() },
            }
        }
    }
}

async fn bind(
    cx: &Cx,
    q: Queued,
    node: &str,
    start: usize,
    fits: (usize, usize),
    (volumes, begin): (Option<PodVolumes>, Option<Begin>),
) -> Result {
    let (p, n, k) = (q.pod().clone(), node.to_owned(), q.info.key.clone());
    cx.update_state(move |s| {
        s.next_start = start;
        s.cache.assume(&k, &p, &n);
        s.queue.nominate(&k, None);
    });
    match (volumes, begin) {
        (_, Some(begin)) => {
            binding_cycle::plan(cx, q, node, fits, begin);
            Ok(())
        }
        (None, None) => bind_pod(cx, q, node, fits, &[]).await,
        (Some(volumes), None) => binding_cycle::start(cx, q, node, fits, volumes).await,
    }
}

/// Ends a cycle in which no node fits (`handleSchedulingFailure`): the pod becomes unschedulable, gets a
/// condition and an event, and the victims of preemption are deleted.
async fn give_up(cx: &Cx, q: Queued, mut n: Nowhere) -> Result {
    let (pod, key) = (q.pod().clone(), q.info.key.clone());
    if let Some(claim) = n.deallocate.take()
        && let Err(e) = binding_cycle::deallocate(cx, &pod, claim).await
    {
        // The plugin's error ends PostFilter, so no pod is preempted.
        n = Nowhere {
            message: format!("{} {}", n.reasons, e.message),
            candidate: None,
            clear_nomination: false,
            ..n
        };
    }
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
    cx.record(event(&pod, "Warning", "FailedScheduling", note(&n.message), "Scheduling", cx.now()));
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
