//! Which pod of a node is evicted first, and what is said about it (`pkg/kubelet/eviction/helpers.go`:
//! `rankMemoryPressure`, `rankDiskPressureFunc`, `rankPIDPressure`, `evictionMessage`).

use std::cmp::Ordering;
use std::rc::Rc;

use super::super::amounts::Stats;
use super::super::requests::pod_requests;
use super::super::settings::Settings;
use super::super::state::{PodRuntime, State, WorkerPhase};
use super::super::stats::{layer_and_log, priority};
use super::super::thresholds::{Resource, Threshold};
use super::super::usage;
use crate::api::quantity::amount_of;
use crate::api::types::{Container, Pod};
use crate::api::{Key, MetaExt, order};
use crate::client::Caches;

/// A pod that could be evicted.
#[derive(Clone)]
pub(super) struct Candidate<'a> {
    pub(super) key: &'a Key,
    pub(super) pod: &'a Rc<Pod>,
    pub(super) rt: &'a PodRuntime,
}

/// The pods of the node that have not ended.
pub(super) fn active<'a>(state: &'a State, caches: &'a Caches) -> Vec<Candidate<'a>> {
    let of = |(key, rt): (&'a Key, &'a Rc<PodRuntime>)| {
        let pod = rt.pod(key, caches)?;
        (rt.phase != WorkerPhase::Terminated && rt.seen).then_some(Candidate { key, pod, rt })
    };
    state.pods.iter().filter_map(of).collect()
}

/// The pods in the order in which they are evicted.
pub(super) fn ranked(mut pods: Vec<Candidate<'_>>, starved: Resource) -> Vec<Candidate<'_>> {
    let measure = |c: &Candidate<'_>| {
        let Stats { memory, disk, inodes, pids } = c.rt.stats;
        let asked = c.pod.spec.as_deref().map(pod_requests).unwrap_or_default();
        // How much more than it requests, and whether it is more at all.
        match starved {
            Resource::Memory => (memory - asked.memory, memory > asked.memory),
            Resource::Storage => (disk - asked.storage, disk > asked.storage),
            // There are no requests of inodes; what is asked of the disk is taken off all the same.
            Resource::Inodes => (inodes - asked.storage, inodes > 0),
            Resource::Pids => (pids, false),
        }
    };
    let compare = |a: &Candidate<'_>, b: &Candidate<'_>| -> Ordering {
        let ((more_a, exceeds_a), (more_b, exceeds_b)) = (measure(a), measure(b));
        exceeds_b
            .cmp(&exceeds_a)
            .then_with(|| priority(a.pod).cmp(&priority(b.pod)))
            .then_with(|| more_b.cmp(&more_a))
    };
    order::sort_by(&mut pods, compare);
    pods
}

/// What is said about a pod that is evicted.
pub(super) fn message(
    c: &Candidate<'_>,
    starved: Resource,
    met: &[Threshold],
    settings: &Settings,
    used: Stats,
) -> String {
    let mut out = format!("The node was low on resource: {}. ", starved.as_str());
    let observed = met
        .iter()
        .filter(|t| t.signal.resource() == starved)
        .find_map(|t| Some((t, settings.observe(t.signal, used)?)));
    if let Some((t, (available, capacity))) = observed {
        let (quantity, available) = (starved.text(t.value.of(capacity)), starved.text(available));
        out.push_str(&format!("Threshold quantity: {quantity}, available: {available}. "));
    }
    let Some(spec) = c.pod.spec.as_deref() else { return out };
    let name = starved.as_str();
    let of_pod = spec.resources.as_ref().and_then(|r| r.requests.as_ref()?.get(name));
    if let (Resource::Memory, Some(request)) = (starved, of_pod) {
        out.push_str(&told(
            "Pod",
            c.pod.metadata.name(),
            c.rt.stats.memory,
            &amount_of(Some(request)).canonical(),
            starved,
        ));
    }
    for container in spec.containers.iter().chain(spec.init_containers.iter().flatten()) {
        let Some(runtime) = c.rt.containers.iter().find(|r| *r.name == *container.name) else { continue };
        let usage = match starved {
            Resource::Memory => match runtime.running() {
                Some(running) => usage::memory(c.pod, container, running),
                None => continue,
            },
            Resource::Storage => layer_and_log(c.pod, c.rt.written.as_deref(), &container.name),
            _ => continue,
        };
        let request = request_of(container, name);
        if usage > request.value() {
            out.push_str(&told("Container", &container.name, usage, &request.canonical(), starved));
        }
    }
    out
}

fn request_of(container: &Container, resource: &str) -> crate::api::quantity::Amount {
    amount_of(container.resources.as_ref().and_then(|r| r.requests.as_ref()?.get(resource)))
}

fn told(what: &str, name: &str, usage: i64, request: &str, starved: Resource) -> String {
    format!(
        "{what} {name} was using {}, request is {request}, has larger consumption of {}. ",
        starved.text(usage),
        starved.as_str()
    )
}
