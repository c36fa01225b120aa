//! The scheduler's loop (`k8s.io/kubernetes/pkg/scheduler/schedule_one.go`): take a pod, filter,
//! score, assume, bind; or say why not, and preempt.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use super::binding_cycle::{self, Assumed, Waiting};
use super::cache::Cache;
use super::framework::{
    FindArgs, Handle, NamespaceLister, NominatedPods, PodInfo, Snapshot, VolumeLister, WorkloadLister,
    find_nodes_that_fit, fit_error_message, score_nodes, select_host,
};
use super::plugins::volume::binding::PodVolumes;
use super::plugins::{default_preemption, scheduling_gates};
use super::queue::Queue;
use crate::api::labels::Selector;
use crate::api::persistent::Map;
use crate::api::pod::is_terminal;
use crate::api::types::{
    Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod, PodCondition, PodDisruptionBudget,
    ReplicaSet, ReplicationController, Service, StorageClass, Time,
};
use crate::api::volume::volume_class;
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef, Timestamp, seconds};
use crate::apimachinery::DeleteOptions;
use crate::client::{
    ANYWHERE, Caches, Context, EventFlavour, Handler, Memory, Reconciler, Recorded, Result, Seen, Wait,
    Watches, Why, object_reference,
};

/// The scheduler whose pods say `schedulerName: default-scheduler`.
#[derive(Clone, Copy, Debug)]
pub struct Scheduler;

/// Its name in `spec.schedulerName`, and in events.
pub const NAME: &str = "default-scheduler";

/// What it remembers.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Nodes and pods.
    pub cache: Cache,
    /// The pods that wait.
    pub queue: Queue,
    /// Where among the nodes the next search begins.
    pub next_start: usize,
    /// How many pods were tried: with a pod's uid it makes the numbers that settle ties.
    pub cycles: u64,
    /// Pods that have a node and wait for their claims.
    pub waiting: Map<Key, Waiting>,
    /// Claims and volumes it has written.
    pub assumed: Assumed,
}

impl Memory for State {
    /// How many cycles there were and where the next search begins are left out: they settle which of
    /// several nodes is taken that are equally good.
    fn lines(&self, _: Timestamp) -> Vec<String> {
        let assumed = self.cache.assumed().map(|(pod, node)| format!("assumes {pod} on {node}"));
        let waiting = self.waiting.iter().map(|(pod, w)| format!("{pod} {w}"));
        self.queue.lines().chain(assumed).chain(waiting).chain(self.assumed.lines()).collect()
    }
}

pub(super) type Cx = Context<State, Task>;

/// What it has to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// There may be a pod to place (`ScheduleOne`).
    ScheduleOne,
    /// The same, for pods that have been tried so often that no time passes for them.
    ScheduleOneSomeDay,
    /// A pod has a node and waits for its claims (`bindingCycle`).
    BindingCycle(Key),
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::ScheduleOne => f.write_str("schedule-one"),
            Task::ScheduleOneSomeDay => f.write_str("schedule-one-some-day"),
            Task::BindingCycle(pod) => pod.fmt(f),
        }
    }
}

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
    // A pod that has ended takes no room any more, as if it were gone.
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
        // Another pod may want to be near this one.
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

/// Something changed that pods may have waited for. Kubernetes asks each plugin that refused a pod
/// whether this event can help (QueueingHints); here every such change lets all parked pods try
/// again, which costs attempts and no outcome.
fn moved(cx: &mut Handler<'_, State, Task>) {
    let now = cx.now;
    match cx.state.queue.move_parked(now, |_| true) {
        Some(at) if at <= now => cx.enqueue(Task::ScheduleOne),
        Some(at) => cx.enqueue_after(Task::ScheduleOne, at.duration_since(now)),
        None => {}
    }
}

/// The caches, as the plugins ask them.
struct Listers<'a>(&'a Caches, Assumed);

impl VolumeLister for Listers<'_> {
    fn claim(&self, namespace: &str, name: &str) -> Option<Rc<PersistentVolumeClaim>> {
        let key = Key::new(namespace, name);
        self.1.claim(&key, self.0.get(&key))
    }
    fn volume(&self, name: &str) -> Option<Rc<PersistentVolume>> {
        let key = Key::new("", name);
        self.1.volume(&key, self.0.get(&key))
    }
    fn class(&self, name: &str) -> Option<Rc<StorageClass>> {
        self.0.get(&Key::new("", name)).cloned()
    }
    fn volumes_of_class(&self, class: &str) -> Vec<Rc<PersistentVolume>> {
        let all = self.0.of(Kind::PERSISTENT_VOLUME).list(None).filter_map(PersistentVolume::from_object);
        all.filter(|v| volume_class(v) == class)
            .filter_map(|v| self.1.volume(&v.metadata.key(), Some(v)))
            .collect()
    }
}

impl NamespaceLister for Listers<'_> {
    fn namespace_labels(&self, name: &str) -> Option<Cow<'_, std::collections::BTreeMap<String, String>>> {
        self.0.get::<Namespace>(&Key::new("", name)).map(|n| Cow::Borrowed(n.metadata.labels_or_empty()))
    }
}

impl WorkloadLister for Listers<'_> {
    fn default_selectors(&self, pod: &Pod) -> Vec<Rc<Selector>> {
        let labels = pod.metadata.labels_or_empty();
        let services = self.0.of(Kind::SERVICE).list(Some(pod.metadata.namespace()));
        let mut selectors: Vec<Rc<Selector>> = services
            .filter_map(|o| Service::from_object(o)?.spec.as_ref()?.selector.clone())
            .filter(|s| !s.is_empty())
            .map(|s| Selector::from_set(&s))
            .filter(|s| s.matches(labels))
            .map(Rc::new)
            .collect();
        if let Some(owner) = pod.metadata.controller().filter(|o| o.kind == "ReplicaSet")
            && let Some(rs) = self.0.get::<ReplicaSet>(&Key::new(pod.metadata.namespace(), &owner.name))
            && let Ok(s) = Selector::from_label_selector(rs.spec.as_ref().map(|s| &s.selector))
        {
            selectors.push(Rc::new(s));
        }
        if let Some(owner) = pod.metadata.controller().filter(|o| o.kind == "ReplicationController")
            && let Some(r) =
                self.0.get::<ReplicationController>(&Key::new(pod.metadata.namespace(), &owner.name))
            && let Some(set) = r.spec.as_ref().and_then(|s| s.selector.as_ref())
        {
            selectors.push(Rc::new(Selector::from_set(set)));
        }
        selectors
    }
}

/// The pods that have a nominated node, from their status.
struct Nominated(Vec<(Rc<str>, Vec<Rc<PodInfo>>)>);

impl Nominated {
    fn of(queue: &Queue, but: &Key) -> Nominated {
        let mut by_node: Vec<(Rc<str>, Vec<Rc<PodInfo>>)> = Vec::new();
        for q in queue.parked().filter(|q| q.key != *but) {
            let Some(node) = q.pod.status.as_ref().and_then(|s| s.nominated_node_name.as_deref()) else {
                continue;
            };
            let info = Rc::new(PodInfo::new(q.pod.clone()));
            match by_node.iter_mut().find(|(n, _)| &**n == node) {
                Some((_, pods)) => pods.push(info),
                None => by_node.push((node.into(), vec![info])),
            }
        }
        Nominated(by_node)
    }
}

impl NominatedPods for Nominated {
    fn nominated_on(&self, node: &str) -> &[Rc<PodInfo>] {
        self.0.iter().find(|(n, _)| &**n == node).map_or(&[], |(_, p)| p)
    }
    fn none_nominated(&self) -> bool {
        self.0.is_empty()
    }
}

/// One pod's cycle.
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
    // There may be more; each has its own cycle.
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

/// A number that settles which of equally good nodes is taken; the same in every equal run.
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

/// The pod and its node are told of each other.
pub(super) async fn bind_pod(
    cx: &Cx,
    pod: &Rc<Pod>,
    key: &Key,
    node: &str,
    fits: (usize, usize),
    attempts: u32,
) -> Result {
    let why = Why::new("schedule_one.bind")
        .read("pod", ObjectRef { kind: Kind::POD, key: key.clone() }, "spec.nodeName", pod.metadata.name())
        .read("node", ObjectRef::new(Kind::NODE, "", node), "metadata.name", node)
        .with("feasible", fits.0)
        .with("nodes", fits.1);
    match cx.bind(key.clone(), node).because(why).await {
        Ok(_) => {
            let message = format!("Successfully assigned {key} to {node}");
            cx.record(event(pod, "Normal", "Scheduled", message, "Binding", cx.now()));
            Ok(())
        }
        Err(e) => {
            let k = key.clone();
            cx.update_state(move |s| s.cache.forget(&k));
            // The pod was bound by another client, or is gone. The watch will say so.
            if e.is_not_found() || e.is_conflict() {
                return Ok(());
            }
            let message = format!("binding rejected: running Bind plugin \"DefaultBinder\": {}", e.message);
            binding_cycle::failed(cx, key, attempts, message).await
        }
    }
}

/// `handleSchedulingFailure`: the pod is parked and told why; victims are asked to go.
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

/// A victim is told why, then deleted (`preemption.Executor`).
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

pub(super) fn set_unschedulable(
    status: &mut crate::api::types::PodStatus,
    reason: &str,
    message: &str,
    generation: Option<i64>,
    now: Timestamp,
) -> bool {
    let conditions = status.conditions.get_or_insert_default();
    let mut c = PodCondition {
        type_: "PodScheduled".into(),
        status: "False".into(),
        reason: Some(reason.into()),
        message: Some(message.to_owned()),
        last_transition_time: Some(Time(seconds(now))),
        observed_generation: generation,
        ..Default::default()
    };
    match conditions.iter_mut().find(|o| o.type_ == c.type_) {
        Some(old) => {
            if old.status == c.status {
                c.last_transition_time.clone_from(&old.last_transition_time);
            }
            let changed = *old != c;
            *old = c;
            changed
        }
        None => {
            conditions.push(c);
            true
        }
    }
}

/// Plans the next try of parked pods, for when their back-off ends. A pod that has failed very often is no
/// reason to let time pass.
pub(super) fn wake_later(cx: &Cx) {
    let mut queue = cx.state(|s| s.queue.clone());
    queue.flush(cx.now());
    if let Some(at) = queue.next_back_off(false) {
        cx.enqueue_after(Task::ScheduleOne, at.duration_since(cx.now()));
    }
    if let Some(at) = queue.next_back_off(true) {
        let wait = Wait::Poll { namespace: ANYWHERE.into() };
        cx.enqueue_waiting(Task::ScheduleOneSomeDay, at.duration_since(cx.now()), wait);
    }
}

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
