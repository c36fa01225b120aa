//! The taint eviction controller (`k8s.io/kubernetes/pkg/controller/tainteviction`): it deletes pods from
//! nodes with a `NoExecute` taint that they do not tolerate, or after their `tolerationSeconds`.

use std::fmt;
use std::rc::Rc;

use super::taints::{NO_EXECUTE, taints};
use crate::api::persistent::Map;
use crate::api::pod::update_pod_condition;
use crate::api::toleration::tolerates;
use crate::api::types::{Node, ObjectReference, Pod, PodCondition, Taint, Time, Toleration};
use crate::api::{Key, Kind, MetaExt, ObjectRef, Timestamp, later, seconds};
use crate::apimachinery::{DeleteOptions, Status};
use crate::client::{Context, Handler, Memory, Reconciler, Recorded, Result, Seen, Watches, Why};
use jiff::SignedDuration;

/// How often the deletion of a pod is tried.
const RETRIES: usize = 5;

/// A key of the controller's work queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Evict a pod, as planned (`TimedWorkerQueue`).
    Evict(Key),
    /// Evict a pod at once, which cannot be cancelled any more.
    EvictNow(Key),
    /// The taints of a node have changed.
    Node(Rc<str>),
    /// A pod was bound to a node, or its tolerations have changed.
    Pod(Key),
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Evict(pod) => write!(f, "evict/{pod}"),
            Task::EvictNow(pod) => write!(f, "evict-now/{pod}"),
            Task::Node(node) => write!(f, "node/{node}"),
            Task::Pod(pod) => write!(f, "pod/{pod}"),
        }
    }
}

/// The taint eviction controller.
#[derive(Clone, Copy, Debug)]
pub struct TaintEvictionController;

/// What the controller remembers between syncs.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The `NoExecute` taints, by node.
    tainted: Map<Rc<str>, Rc<Vec<Taint>>>,
    /// Evictions that are planned or under way, by pod.
    evictions: Map<Key, Eviction>,
}

/// The state of a pod's eviction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Eviction {
    /// It was planned at `created` and is due at `fire`.
    Planned { created: Timestamp, fire: Timestamp },
    /// It needs no timer, and is under way.
    Running,
}

impl Memory for State {
    fn lines(&self, now: Timestamp) -> Vec<String> {
        let tainted = self.tainted.iter().map(|(node, taints)| {
            let keys: Vec<&str> = taints.iter().map(|t| t.key.as_str()).collect();
            format!("{node} is tainted with {}", keys.join(", "))
        });
        let evictions = self.evictions.iter().map(|(pod, e)| match e {
            Eviction::Planned { created, fire } => {
                let left = fire.duration_since(now).as_millis();
                format!("{pod} goes in {left} ms, planned at this moment: {}", *created == now)
            }
            Eviction::Running => format!("{pod} goes now"),
        });
        tainted.chain(evictions).collect()
    }
}

type Cx = Context<State, Task>;

impl Reconciler for TaintEvictionController {
    type Key = Task;
    type State = State;

    fn name(&self) -> Rc<str> {
        "taint-eviction-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "node-controller".into()
    }

    fn watches(&self) -> Watches<State, Task> {
        Watches::new().watches(handle_node).watches(handle_pod)
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        match task {
            Task::Evict(pod) => {
                let planned = cx.state(|s| s.evictions.get(&pod).copied());
                // The eviction may have been cancelled, or be due later.
                if matches!(planned, Some(Eviction::Planned { fire, .. }) if fire <= cx.now()) {
                    evict(&cx, &pod).await;
                }
                Ok(())
            }
            Task::EvictNow(pod) => {
                evict(&cx, &pod).await;
                Ok(())
            }
            Task::Node(node) => {
                sync_node(&cx, &node);
                Ok(())
            }
            Task::Pod(pod) => {
                sync_pod(&cx, &pod);
                Ok(())
            }
        }
    }
}

fn no_execute(node: &Node) -> Vec<Taint> {
    taints(node).iter().filter(|t| t.effect == NO_EXECUTE).cloned().collect()
}

fn handle_node(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Node>) {
    let taints = |n: Option<&Rc<Node>>| n.map(|n| no_execute(n)).unwrap_or_default();
    if taints(seen.old) != taints(seen.new) {
        cx.enqueue(Task::Node(seen.key.name.as_str().into()));
    }
}

fn node_name(pod: &Pod) -> &str {
    pod.spec.as_ref().and_then(|s| s.node_name.as_deref()).unwrap_or_default()
}

fn tolerations(pod: &Pod) -> &[Toleration] {
    pod.spec.as_ref().and_then(|s| s.tolerations.as_deref()).unwrap_or_default()
}

fn handle_pod(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Pod>) {
    if let (Some(o), Some(n)) = (seen.old, seen.new)
        && node_name(o) == node_name(n)
        && (std::ptr::eq(tolerations(o), tolerations(n)) || tolerations(o) == tolerations(n))
    {
        return;
    }
    // Most pods are on nodes without such taints and need no sync.
    if cx.state.tainted.contains_key(node_name(seen.object())) || cx.state.evictions.contains_key(seen.key) {
        cx.enqueue(Task::Pod(seen.key.clone()));
    }
}

/// Plans or cancels the evictions of a node's pods (`handleNodeUpdate`).
fn sync_node(cx: &Cx, name: &Rc<str>) {
    let node = name.clone();
    let Some(object) = cx.lister::<Node>().get(&Key::new("", name)) else {
        cx.update_state(move |s| {
            s.tainted.remove(&node);
        });
        return;
    };
    let taints = Rc::new(no_execute(object));
    let t = taints.clone();
    cx.update_state(move |s| {
        if t.is_empty() {
            s.tainted.remove(&node);
        } else {
            s.tainted.insert(node.clone(), t.clone());
        }
    });
    for pod in cx.lister::<Pod>().list(None).filter(|p| *node_name(p) == **name) {
        process_pod_on_node(cx, pod, &taints);
    }
}

/// Plans or cancels a pod's eviction (`handlePodUpdate`).
fn sync_pod(cx: &Cx, key: &Key) {
    let Some(pod) = cx.lister::<Pod>().get(key) else { return cancel(cx, key) };
    if let Some(taints) = cx.state(|s| s.tainted.get(node_name(pod)).cloned()) {
        process_pod_on_node(cx, pod, &taints);
    }
}

/// How long a pod tolerates the taints of its node.
enum Stay {
    ForEver,
    For(SignedDuration),
    NotAtAll,
}

/// How long a pod with these tolerations tolerates these taints (`GetMatchingTolerations` and
/// `getMinTolerationTime`).
fn stay(taints: &[Taint], tolerations: &[Toleration]) -> Stay {
    let mut shortest: Option<i64> = None;
    for taint in taints {
        let Some(t) = tolerations.iter().find(|t| tolerates(t, taint)) else { return Stay::NotAtAll };
        if let Some(seconds) = t.toleration_seconds {
            shortest = Some(shortest.map_or(seconds, |s| s.min(seconds)).max(0));
        }
    }
    shortest.map_or(Stay::ForEver, |s| Stay::For(SignedDuration::from_secs(s)))
}

/// Plans or cancels a pod's eviction from a node with these taints (`processPodOnNode`).
fn process_pod_on_node(cx: &Cx, pod: &Pod, taints: &[Taint]) {
    let key = pod.metadata.key();
    if taints.is_empty() {
        return cancel(cx, &key);
    }
    let now = cx.now();
    match stay(taints, tolerations(pod)) {
        Stay::NotAtAll => {
            cancel(cx, &key);
            plan(cx, key, now, now);
        }
        Stay::ForEver => cancel(cx, &key),
        Stay::For(time) => {
            let mut created = now;
            if let Some(Eviction::Planned { created: before, .. }) =
                cx.state(|s| s.evictions.get(&key).copied())
            {
                // The time counts from when the eviction was first planned.
                if later(before, time) < later(now, time) {
                    return;
                }
                created = before;
                cancel(cx, &key);
            }
            plan(cx, key, created, later(now, time));
        }
    }
}

/// Plans an eviction, unless one is planned or under way already (`AddWork`).
fn plan(cx: &Cx, pod: Key, created: Timestamp, fire: Timestamp) {
    if cx.state(|s| s.evictions.contains_key(&pod)) {
        return;
    }
    let waits = fire > created;
    let eviction = if waits { Eviction::Planned { created, fire } } else { Eviction::Running };
    let key = pod.clone();
    cx.update_state(move |s| {
        s.evictions.insert(key.clone(), eviction);
    });
    if waits {
        cx.enqueue_after(Task::Evict(pod), fire.duration_since(created));
    } else {
        cx.enqueue(Task::EvictNow(pod));
    }
}

/// Cancels a planned eviction and records an event (`cancelWorkWithEvent`). One that is under way is forgotten and goes on.
fn cancel(cx: &Cx, pod: &Key) {
    let Some(eviction) = cx.state(|s| s.evictions.get(pod).copied()) else { return };
    let key = pod.clone();
    cx.update_state(move |s| {
        s.evictions.remove(&key);
    });
    if eviction != Eviction::Running {
        cx.cancel(Task::Evict(pod.clone()));
        record(cx, pod, format!("Cancelling deletion of Pod {pod}"));
    }
}

fn record(cx: &Cx, pod: &Key, message: String) {
    let about = ObjectReference {
        api_version: Some("v1".into()),
        kind: Some("Pod".into()),
        name: Some(pod.name.to_string()),
        namespace: Some(pod.namespace.to_string()),
        ..Default::default()
    };
    let reason = "TaintManagerEviction".into();
    cx.record(Recorded { about, type_: "Normal", reason, message, action: "", at: cx.now() });
}

/// Carries out an eviction (`deletePodHandler`) and forgets it, whether or not it has succeeded: the next change of the
/// node's taints may evict the pod once more (`getWrappedWorkerFunc`).
async fn evict(cx: &Cx, pod: &Key) {
    record(cx, pod, format!("Marking for deletion Pod {pod}"));
    for _ in 0..RETRIES {
        if add_condition_and_delete(cx, pod).await.is_ok() {
            break;
        }
    }
    let key = pod.clone();
    cx.update_state(move |s| {
        s.evictions.remove(&key);
    });
}

/// Sets the condition `DisruptionTarget` of a pod and deletes the pod (`addConditionAndDeletePod`).
async fn add_condition_and_delete(cx: &Cx, key: &Key) -> std::result::Result<(), Status> {
    let pod = cx.get::<Pod>(key.clone()).await?;
    let node = node_name(&pod).to_owned();
    let taints = cx.state(|s| s.tainted.get(&*node).cloned()).unwrap_or_default();
    let names: Vec<&str> = taints.iter().map(|t| t.key.as_str()).collect();
    let why = |rule| {
        Why::new(rule)
            .read("taints", ObjectRef::new(Kind::NODE, "", &node), "spec.taints", names.join(", "))
            .read("pod", ObjectRef { kind: Kind::POD, key: key.clone() }, "spec.tolerations", key)
    };
    let mut to = pod.clone();
    if set_disruption_target(Rc::make_mut(&mut to), cx.now()) {
        cx.patch_status(pod, to).because(why("taint_eviction.condition")).await?;
    }
    let delete = cx.delete(Kind::POD, key.clone(), DeleteOptions::default());
    delete.because(why("taint_eviction.delete")).await.map(|_| ())
}

/// Sets the condition `DisruptionTarget`. Returns whether that changed anything.
fn set_disruption_target(pod: &mut Pod, now: Timestamp) -> bool {
    let generation = pod.metadata.generation;
    let new = PodCondition {
        type_: "DisruptionTarget".into(),
        status: "True".into(),
        reason: Some("DeletionByTaintManager".into()),
        message: Some("Taint manager: deleting due to NoExecute taint".into()),
        observed_generation: generation,
        last_transition_time: Some(Time(seconds(now))),
        ..Default::default()
    };
    update_pod_condition(pod.status.get_or_insert_default(), new)
}
