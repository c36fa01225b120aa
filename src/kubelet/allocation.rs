//! What a kubelet has allocated to the containers of a pod, and how that is changed while they run
//! (`pkg/kubelet/allocation/allocation_manager.go`, KEP-1287).
//!
//! The spec says what is wanted. The kubelet works with what it has allocated: until it can allocate more, a sync sees the
//! pod with the resources that it had before. What a container really has follows in the sync after that.

use std::rc::Rc;

use serde_json::{Map as Fields, Value, json};

use super::container_state::{ContainerState, Running};
use super::decisions::{Pending, Resize};
use super::requests::pod_requests;
use super::state::{PodRuntime, Requests, State, Todo, WorkerPhase};
use super::stats::priority;
use super::task::{Cx, Task};
use super::timings::{self, later};
use super::turn::{PodEvent, Turn};
use super::usage;
use super::wake::{Retry, WakeSort};
use crate::api::quantity::amount_of;
use crate::api::quote::go_quote;
use crate::api::resource::qos_class;
use crate::api::types::{Container, Node, Pod, PodSpec, ResourceRequirements};
use crate::api::{Key, MetaExt, Timestamp, order};
use crate::client::Caches;

fn containers(spec: &PodSpec) -> impl Iterator<Item = &Container> {
    spec.init_containers.iter().flatten().chain(&spec.containers)
}

/// Whether two specs ask for the same.
fn is_alike(a: &PodSpec, b: &PodSpec) -> bool {
    a.resources == b.resources
        && containers(a).map(|c| (&c.name, &c.resources)).eq(containers(b).map(|c| (&c.name, &c.resources)))
}

/// The pod as it is allocated (`UpdatePodFromAllocation`).
fn allocated(pod: &Pod, allocation: &PodSpec) -> Rc<Pod> {
    let mut pod = pod.clone();
    if let Some(spec) = pod.spec.as_mut() {
        spec.resources = allocation.resources.clone();
        let old = |name: &str| containers(allocation).find(|c| c.name == name).map(|c| c.resources.clone());
        let PodSpec { containers, init_containers, .. } = &mut **spec;
        for c in containers.iter_mut().chain(init_containers.iter_mut().flatten()) {
            if let Some(resources) = old(&c.name) {
                c.resources = resources;
            }
        }
    }
    Rc::new(pod)
}

/// What a turn of a pod begins with.
pub(super) struct Allocation {
    /// The pod as it is allocated; `None` if that is as its spec says.
    pub(super) pod: Option<Rc<Pod>>,
    /// What all pods of the node request together.
    pub(super) used: Requests,
    pub(super) events: Vec<PodEvent>,
}

/// Why a pod cannot get other amounts of CPU beside the static policy of the CPU manager: the quality of service Guaranteed keeps it
/// what it has. `None` if it can.
fn keeps_its_cpus(before: &PodSpec, spec: &PodSpec) -> Option<(&'static str, String)> {
    let cpu = |c: &Container| {
        amount_of(c.resources.as_ref().and_then(|r| r.requests.as_ref()?.get("cpu"))).milli_value()
    };
    let changed = !containers(before).map(cpu).eq(containers(spec).map(cpu));
    let told = "Resize is infeasible for Guaranteed Pods alongside CPU Manager policy \"static\"";
    (changed && qos_class(spec) == "Guaranteed").then(|| ("Infeasible", told.to_owned()))
}

/// Allocates what a pod asks for, if there is room (`handlePodResourcesResize`).
pub(super) fn allocate(
    pod: &Rc<Pod>,
    rt: &mut PodRuntime,
    used: Requests,
    node: Option<&Node>,
    has_cpu_policy: bool,
    now: Timestamp,
) -> Allocation {
    let mut out = Allocation { pod: None, used, events: Vec::new() };
    let Some(spec) = &pod.spec else { return out };
    let Some(before) = rt.allocated.take() else {
        rt.allocated = Some(spec.clone());
        return out;
    };
    if before.is_same(spec) || is_alike(&before, spec) {
        rt.unreported |= rt.resize.pending.take().is_some();
        rt.allocated = Some(spec.clone());
        return out;
    }
    let decides = rt.phase == WorkerPhase::Sync && !pod.metadata.is_deleting();
    let Some(held) = rt.requests.filter(|_| decides) else {
        out.pod = Some(allocated(pod, &before));
        rt.allocated = Some(before);
        return out;
    };
    let asked = pod_requests(spec);
    let generation = pod.metadata.generation();
    let exclusive = has_cpu_policy.then(|| keeps_its_cpus(&before, spec)).flatten();
    match exclusive.or_else(|| refusal(asked, used.minus(held), node)) {
        None => {
            rt.resize = Resize { pending: None, progress: Some((now, generation)), error: None };
            rt.requests = Some(asked);
            rt.changed = true;
            out.used = used.minus(held).plus(asked);
            out.events.push(event("Normal", "ResizeStarted", "Pod resize started", spec, generation, None));
            rt.allocated = Some(spec.clone());
        }
        Some((reason, message)) => {
            let old = rt.resize.pending.as_ref();
            let same = |p: &&Pending| (p.reason, &*p.message, p.generation) == (reason, &message, generation);
            if !old.is_some_and(|p| same(&p)) {
                let since = old.filter(|p| p.reason == reason).map_or(now, |p| p.since);
                // The condition follows the message, and the event does not (`SetPodResizePendingCondition`).
                if old.is_none_or(|p| (p.reason, p.generation) != (reason, generation)) {
                    let name = if reason == "Deferred" { "ResizeDeferred" } else { "ResizeInfeasible" };
                    let told = format!("Pod resize {reason}");
                    out.events.push(event("Warning", name, &told, spec, generation, Some(&message)));
                }
                rt.resize.pending = Some(Pending { reason, message: message.into(), since, generation });
                rt.unreported = true;
            }
            out.pod = Some(allocated(pod, &before));
            rt.allocated = Some(before);
        }
    }
    out
}

/// Why a node cannot give a pod what it asks for, beside what all other pods have: the reason and the message of its
/// condition. What the node does not have at all kube-apiserver has refused.
fn refusal(asked: Requests, used: Requests, node: Option<&Node>) -> Option<(&'static str, String)> {
    let has = node?.status.as_ref()?.allocatable.as_ref()?;
    let (cpu, memory) = (amount_of(has.get("cpu")).milli_value(), amount_of(has.get("memory")).value());
    let both = [("cpu", asked.cpu, used.cpu, cpu), ("memory", asked.memory, used.memory, memory)];
    let short = |(_, asked, used, has): &&(&str, i64, i64, i64)| asked.saturating_add(*used) > *has;
    let (name, asked, used, has) = both.iter().find(short)?;
    let message = format!(
        "Node didn't have enough resource: {name}, requested: {asked}, used: {used}, capacity: {has}"
    );
    Some(("Deferred", message))
}

/// An event about a resize (`pkg/kubelet/events/event.go`): what is wanted stands in it as JSON.
fn event(
    type_: &'static str,
    reason: &'static str,
    told: &str,
    spec: &PodSpec,
    generation: i64,
    error: Option<&str>,
) -> PodEvent {
    let of = |c: &Container| json!({"name": c.name, "resources": c.resources.clone().unwrap_or_default()});
    let init: Vec<Value> = spec.init_containers.iter().flatten().map(of).collect();
    // In the order of Go's struct, which a map of JSON does not keep.
    let mut parts: Vec<(&str, Value)> = Vec::new();
    if !init.is_empty() {
        parts.push(("initContainers", init.into()));
    }
    parts.push(("containers", spec.containers.iter().map(of).collect()));
    parts.push(("generation", generation.into()));
    parts.extend(error.map(|e| ("error", e.into())));
    let fields: Vec<String> = parts.into_iter().map(|(k, v)| field(k, v)).collect();
    let message = format!("{told}: {{{}}}", fields.join(","));
    PodEvent { container: None, type_, reason: reason.into(), message }
}

fn field(name: &str, value: Value) -> String {
    let whole = Value::Object(Fields::from_iter([(name.to_owned(), value)])).to_string();
    whole.get(1..whole.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// Plans a turn of each pod whose resize is deferred, as there is more room than before (`RetryPendingResizes`): first those
/// of a higher priority, then guaranteed ones, then those that have waited longest.
pub(super) fn retry(cx: &Cx) {
    let waiting = cx.state(|s| ranked(s, cx.caches()));
    for pod in waiting {
        cx.enqueue(Task::Pod(pod));
    }
}

/// The pods whose resize is deferred, in the order in which they are tried again (`sortPendingResizes`): first those that ask for no more
/// than they have.
fn ranked(state: &State, caches: &Caches) -> Vec<Key> {
    let of = |key: &Key| {
        let pod = state.pods.get(key)?.pod(key, caches)?;
        let since = state.pods.get(key)?.resize.pending.as_ref().map(|p| p.since);
        let class = pod.spec.as_deref().map(qos_class);
        let had = state.pods.get(key)?.requests.unwrap_or_default();
        let more =
            pod.spec.as_deref().map(pod_requests).is_some_and(|r| r.cpu > had.cpu || r.memory > had.memory);
        Some(((more, std::cmp::Reverse(priority(pod)), class != Some("Guaranteed"), since), key.clone()))
    };
    let mut all: Vec<_> = state.node.resizing.keys().filter_map(of).collect();
    order::sort(&mut all);
    all.into_iter().map(|(_, key)| key).collect()
}

impl Running {
    /// What the container really has.
    pub(super) fn resources(&self, name: &str) -> Option<&ResourceRequirements> {
        let spec = self.allocation.as_ref()?;
        containers(spec).find(|c| c.name == name)?.resources.as_ref()
    }
}

impl Turn<'_> {
    /// Notes whether the pod waits for room, for the pods that will make some.
    pub(super) fn note_resize(&mut self, key: &Key) {
        let deferred = self.rt.resize.pending.as_ref().is_some_and(|p| p.reason == "Deferred");
        if deferred && self.rt.phase == WorkerPhase::Sync {
            self.node.resizing.insert(key.clone(), ());
        } else if !self.node.resizing.is_empty() {
            self.node.resizing.remove(key);
        }
    }

    /// Whether a container runs with other resources than are allocated to it, or in a pod that has others.
    fn is_resized(&self, i: usize) -> bool {
        let (Some(c), Some(spec)) = (self.rt.containers.get(i), self.container_spec(i)) else { return false };
        let of_pod =
            |r: &Running| r.allocation.as_ref().is_some_and(|had| had.resources != self.spec.resources);
        c.running().is_some_and(|r| {
            r.stopping.is_none() && (r.resources(&spec.name) != spec.resources.as_ref() || of_pod(r))
        })
    }

    /// What has to be done so that a container gets what is allocated to it, and whether it is to be started again
    /// (`computePodResizeAction`).
    pub(super) fn resize_action(&self, i: usize) -> Option<(Todo, bool)> {
        let spec = self.container_spec(i).filter(|_| self.is_resized(i))?;
        let has = self.rt.containers.get(i)?.running()?.resources(&spec.name);
        let wants = spec.resources.as_ref();
        let differs = |name: &str| {
            let of = |r: Option<&ResourceRequirements>| {
                let get = |m: Option<&std::collections::BTreeMap<_, _>>| m.and_then(|m| m.get(name)).cloned();
                (get(r.and_then(|r| r.requests.as_ref())), get(r.and_then(|r| r.limits.as_ref())))
            };
            of(has) != of(wants)
        };
        let restarts = spec
            .resize_policy
            .iter()
            .flatten()
            .any(|p| p.restart_policy == "RestartContainer" && differs(&p.resource_name));
        if restarts {
            let message = format!("Container {} resize requires restart", spec.name);
            return Some((Todo::Kill { container: i, message, probe: None }, true));
        }
        Some((Todo::Resize { container: i }, false))
    }

    /// Why the pod's containers cannot be given what is allocated to them now: one of them, or all together, use more memory
    /// than the limit that they would have (`validateMemoryResizeAction`). `None` if they can.
    pub(super) fn why_not_smaller(&self) -> Option<String> {
        let memory = |r: Option<&ResourceRequirements>| {
            r.and_then(|r| r.limits.as_ref()?.get("memory")).map(|q| amount_of(Some(q)).value())
        };
        let main = self.init_count()..self.main_end();
        let sidecars = (0..self.init_count()).filter(|i| self.is_sidecar(*i));
        // What each has, is to have, and uses. The pod has a limit if each of its containers has one.
        let mut pod = (Some(0_i64), Some(0_i64), 0_i64);
        let mut smaller: Vec<(&str, i64, i64)> = Vec::new();
        for i in main.chain(sidecars) {
            let Some(spec) = self.container_spec(i) else { continue };
            let running = self.rt.containers.get(i).and_then(|c| c.running());
            let wants = memory(spec.resources.as_ref());
            let has = running.map_or(wants, |r| memory(r.resources(&spec.name)));
            let uses = running
                .map_or(0, |r| usage::memory_of(self.pod, &spec.name, r.resources(&spec.name), r.own.uses));
            let sum = |all: Option<i64>, one: Option<i64>| Some(all?.saturating_add(one?));
            pod = (sum(pod.0, has), sum(pod.1, wants), pod.2.saturating_add(uses));
            // A limit where there was none is a smaller one.
            if let Some(wants) = wants
                && has.is_none_or(|has| wants < has)
            {
                smaller.push((&spec.name, wants, uses));
            }
        }
        let (has, wants, uses) = pod;
        let of_pod =
            wants.filter(|wants| has.is_none_or(|has| *wants < has) && *wants <= uses).map(|wants| {
                format!("attempting to set pod memory limit ({wants}) below current usage ({uses})")
            });
        // As there, the message about a container tells what the pod uses.
        let of_container = |(name, wants, _): &(&str, i64, i64)| {
            let name = go_quote(name);
            format!("attempting to set container {name} memory limit ({wants}) below current usage ({uses})")
        };
        let below = smaller.iter().filter(|(_, wants, own)| wants <= own).map(of_container);
        let all: Vec<String> = of_pod.into_iter().chain(below).collect();
        let all = match all.as_slice() {
            [] => return None,
            [one] => one.clone(),
            all => format!("[{}]", all.join(", ")),
        };
        Some(format!("cannot decrease memory limits: {all}"))
    }

    /// Gives a container what is allocated to it. If it uses more memory than it would have, that is tried again later.
    pub(super) fn actuate(&mut self, i: usize) {
        if let Some(why) = self.why_not_smaller() {
            return self.resize_failed(&why);
        }
        self.rt.resize.error = None;
        let allocation = self.pod.spec.clone();
        if let Some(spec) = self.container_spec(i) {
            self.note_resources(i, spec);
        }
        if let Some(ContainerState::Running(r)) = self.rt.containers.get_mut(i).map(|c| &mut c.state) {
            r.allocation = allocation;
            self.rt.changed = true;
        }
    }

    /// Notes that a resize could not be carried out, and plans another attempt: again and again, as long as nobody changes
    /// anything.
    fn resize_failed(&mut self, why: &str) {
        let generation = self.pod.metadata.generation();
        if self.rt.resize.error.as_deref() != Some(why) {
            self.rt.resize.error = Some(why.into());
            self.rt.unreported = true;
            self.events.push(event(
                "Warning",
                "ResizeError",
                "Pod resize error",
                self.spec,
                generation,
                Some(why),
            ));
        }
        self.rt.synced.failed = true;
        self.rt.retry = Some(Retry { at: later(self.now, timings::SYNC_RETRY), sort: WakeSort::Background });
    }

    /// Whether the resize that was under way is done now; if so, an event tells of it.
    pub(super) fn observe_resize(&mut self) {
        let Some((_, generation)) = self.rt.resize.progress else { return };
        if (0..self.rt.containers.len()).any(|i| self.is_resized(i)) {
            return;
        }
        self.rt.resize.progress = None;
        self.rt.resize.error = None;
        self.events.push(event(
            "Normal",
            "ResizeCompleted",
            "Pod resize completed",
            self.spec,
            generation,
            None,
        ));
    }
}
