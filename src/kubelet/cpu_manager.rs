//! The CPU manager with its static policy, and the topology manager that asks it (`pkg/kubelet/cm/cpumanager/policy_static.go`,
//! `pkg/kubelet/cm/topologymanager`): a container of a Guaranteed pod that asks for whole processors gets some for itself, as long
//! as its pod is on the node. All other containers share the rest.

use std::rc::Rc;

use serde_json::{Map as Fields, Value, json};

use super::cgroup;
use super::cpu_policy::{Alignment, CpuPolicy};
use super::cpu_topology::{CpuSet, Hint, text};
use super::limits;
use super::predicates::Refusal;
use super::state::{NodeRuntime, State};
use super::turn::Turn;
use super::usage;
use crate::api::quantity::amount_of;
use crate::api::resource::qos_class;
use crate::api::types::{Container, Node};
use crate::api::{Key, Timestamp};
use crate::shell::{Change, Write};

/// The processors that a pod's containers get for themselves, by the containers' names.
pub(super) type Assigned = Vec<(Rc<str>, CpuSet)>;

/// How many processors a container of a Guaranteed pod gets for itself; 0 if it asks for parts of one (`guaranteedCPUs`).
fn exclusive(container: &Container) -> usize {
    let requests = container.resources.as_ref().and_then(|r| r.requests.as_ref());
    let milli = amount_of(requests.and_then(|r| r.get("cpu"))).milli_value();
    if milli % 1000 != 0 { 0 } else { usize::try_from(milli / 1000).unwrap_or(0) }
}

/// The processors that no container has for itself (`GetDefaultCPUSet`).
fn shared(policy: &CpuPolicy, node: &NodeRuntime) -> CpuSet {
    let mut all = policy.topology.all();
    node.cpus.values().for_each(|set| all.retain(|cpu| !set.contains(cpu)));
    if policy.strict {
        all.retain(|cpu| !policy.reserved.contains(cpu));
    }
    all
}

/// The alignment of so many processors, and whether the policy admits it. `None` if the policy asks for none.
fn align(policy: &CpuPolicy, free: &CpuSet, count: usize) -> Option<(Option<Hint>, bool)> {
    let hint = policy.topology.best_hint(free, count);
    let preferred = hint.is_some_and(|h| h.preferred);
    match policy.alignment {
        Alignment::None => None,
        Alignment::BestEffort => Some((hint, true)),
        Alignment::Restricted => Some((hint, preferred)),
        Alignment::SingleNumaNode => {
            Some((hint, preferred && hint.is_some_and(|h| h.nodes.count_ones() == 1)))
        }
    }
}

impl Turn<'_> {
    /// Chooses the processors that the pod's containers get for themselves (`Allocate`), or says why the pod is rejected.
    pub(super) fn allocate_cpus(&self) -> Result<Assigned, Refusal> {
        let Some(policy) = self.cpu_policy else { return Ok(Assigned::new()) };
        if qos_class(self.spec) != "Guaranteed" || self.spec.resources.is_some() {
            return Ok(Assigned::new());
        }
        let init = self.spec.init_containers.as_deref().unwrap_or_default();
        let sidecar = |c: &Container| c.restart_policy.as_deref() == Some("Always");
        let mut free = shared(policy, &self.node);
        free.retain(|cpu| !policy.reserved.contains(cpu));
        let misaligned = || {
            let told = "Resources cannot be allocated with Topology locality";
            Err(("TopologyAffinityError", told.to_owned()))
        };
        // What the pod asks for at once: an init container ends before the main containers run.
        let of = |all: &mut dyn Iterator<Item = &Container>| all.map(exclusive).sum::<usize>();
        let sidecars = of(&mut init.iter().filter(|c| sidecar(c)));
        let longest = init.iter().filter(|c| !sidecar(c)).map(exclusive).max().unwrap_or(0);
        let whole = longest.max(of(&mut self.spec.containers.iter())) + sidecars;
        let of_pod = if policy.by_pod && whole > 0 { align(policy, &free, whole) } else { None };
        if of_pod.is_some_and(|(_, admitted)| !admitted) {
            return misaligned();
        }
        let mut assigned = Assigned::new();
        // What init containers have had, which the others use again.
        let mut reusable = CpuSet::new();
        for (i, c) in init.iter().chain(&self.spec.containers).enumerate() {
            let count = exclusive(c);
            if count == 0 {
                continue;
            }
            let all: CpuSet = free.union(&reusable).copied().collect();
            let hint = match (policy.by_pod, of_pod) {
                (true, of_pod) => of_pod.and_then(|(hint, _)| hint),
                (false, _) => match align(policy, &all, count) {
                    Some((_, false)) => return misaligned(),
                    Some((hint, true)) => hint,
                    None => None,
                },
            };
            self.needs_whole_cores(policy, &all, count)?;
            let Some(set) = policy.topology.allocate(&all, count, hint) else {
                let why = format!(
                    "not enough cpus available to satisfy request: requested={count}, available={}",
                    all.len()
                );
                let told = format!("Allocate failed due to {why}, which is unexpected");
                return Err(("UnexpectedAdmissionError", told));
            };
            free.retain(|cpu| !set.contains(cpu));
            if i < init.len() && !sidecar(c) {
                reusable.extend(&set);
            } else {
                reusable.retain(|cpu| !set.contains(cpu));
            }
            assigned.push((c.name.as_str().into(), set));
        }
        Ok(assigned)
    }

    /// With the option `full-pcpus-only`, a container has to ask for whole cores, of which there are enough.
    fn needs_whole_cores(&self, policy: &CpuPolicy, free: &CpuSet, count: usize) -> Result<(), Refusal> {
        let threads = usize::try_from(policy.topology.threads).unwrap_or(1).max(1);
        if !policy.whole_cores {
            return Ok(());
        }
        let reserved = policy.topology.whole_cores(&policy.reserved);
        let physical = free.iter().filter(|cpu| !reserved.contains(cpu)).count();
        let why = if !count.is_multiple_of(threads) {
            format!("requested {count} cpus not multiple cpus per core = {threads}")
        } else if count > physical {
            format!(
                "not enough free physical CPUs: available physical CPUs = {physical}, requested CPUs = {count}, CPUs per core = \
                 {threads}"
            )
        } else {
            return Ok(());
        };
        Err(("SMTAlignmentError", format!("SMT Alignment Error: {why}")))
    }

    /// Gives the pod's containers the processors that were chosen for them.
    pub(super) fn assign_cpus(&mut self, assigned: Assigned) {
        for (container, set) in assigned {
            self.node.cpus.insert((self.rt.uid.clone(), container), Rc::new(set));
        }
    }

    /// The processors on which a container runs; `None` if that is not decided here: on all.
    fn cpus(&self, container: &str) -> Option<CpuSet> {
        let own = self.node.cpus.get(&(self.rt.uid.clone(), container.into()));
        match own {
            Some(set) => Some((**set).clone()),
            None => Some(shared(self.cpu_policy?, &self.node)),
        }
    }

    /// Whether a container has processors for itself.
    pub(super) fn has_own_cpus(&self, container: &str) -> bool {
        self.node.cpus.contains_key(&(self.rt.uid.clone(), container.into()))
    }

    /// The processors that a container is confined to, and whether it has them for itself; `None` without the static policy.
    pub(super) fn cpuset(&self, container: &str) -> Option<(String, bool)> {
        Some((text(&self.cpus(container)?), self.has_own_cpus(container)))
    }

    /// The number of processors that a container sees.
    pub(super) fn processors(&self, container: &str) -> u32 {
        match self.cpus(container) {
            Some(set) => u32::try_from(set.len()).unwrap_or(u32::MAX).max(1),
            None => self.processors_of_node(),
        }
    }

    fn processors_of_node(&self) -> u32 {
        let node = self.caches.get::<Node>(self.node_key);
        let capacity = node.and_then(|n| n.status.as_ref()?.capacity.as_ref()?.get("cpu"));
        u32::try_from(amount_of(capacity).value()).unwrap_or(1).max(1)
    }

    /// What a container finds of its own resources (`Documentation/admin-guide/cgroup-v2.rst` of Linux), as files that were written at
    /// a moment.
    pub(super) fn cgroup_files(&self, i: usize, spec: &Container, at: Timestamp) -> Vec<Write> {
        let running = self.rt.containers.get(i).and_then(|c| c.running());
        let resources = running.map_or(spec.resources.as_ref(), |r| r.resources(&spec.name));
        let limit =
            |name: &str| limits::of_container(Some(self.spec), resources, name).map(|q| amount_of(Some(q)));
        let has_own = self.has_own_cpus(&spec.name);
        // Who has processors for itself has no quota (`DisableCPUQuotaWithExclusiveCPUs`).
        let quota = limit("cpu").filter(|_| !has_own).map(|q| q.milli_value().saturating_mul(100).max(1000));
        let cpus = self.cpus(&spec.name).unwrap_or_else(|| (0..self.processors_of_node()).collect());
        let or_max = |n: Option<i64>| n.map_or("max".to_owned(), |n| n.to_string());
        let uses = running.and_then(|r| r.own.uses);
        let since = running.map_or(at, |r| r.since);
        let spent = cgroup::CpuTime {
            wants: usage::cpu_of(self.pod, &spec.name, uses),
            quota,
            processors: i64::try_from(cpus.len()).unwrap_or(i64::MAX),
            passed: i64::try_from(at.duration_since(since).as_micros()).unwrap_or(i64::MAX),
        };
        let files = [
            ("cpu.max", format!("{} 100000", or_max(quota))),
            ("cpuset.cpus.effective", text(&cpus)),
            ("cpu.stat", spent.stat()),
            ("memory.current", usage::memory_of(self.pod, &spec.name, resources, uses).to_string()),
            ("memory.events", cgroup::MEMORY_EVENTS.to_owned()),
            ("memory.max", or_max(limit("memory").map(|q| q.value()))),
        ];
        let file = |(name, text): (&str, String)| Write {
            at,
            path: format!("/sys/fs/cgroup/{name}"),
            change: Change::Put(format!("{text}\n").into()),
        };
        files.into_iter().map(file).collect()
    }
}

/// Takes back what the containers of a pod have had for themselves.
pub(super) fn release(node: &mut NodeRuntime, uid: &Rc<str>) {
    let of = |(key, _): (&(Rc<str>, Rc<str>), &Rc<CpuSet>)| (key.0 == *uid).then(|| key.clone());
    let held: Vec<_> = node.cpus.iter().filter_map(of).collect();
    for key in held {
        node.cpus.remove(&key);
    }
}

/// A container that has processors for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusive {
    /// Its pod.
    pub pod: Option<Key>,
    /// Its name.
    pub container: Rc<str>,
    /// The processors, as Linux lists them: `2-3`.
    pub cpus: String,
    /// The NUMA nodes to which they belong.
    pub numa: Vec<u32>,
}

/// What the CPU manager with the static policy and the topology manager have decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processors {
    /// The policy of the topology manager.
    pub topology_policy: &'static str,
    /// Its scope: `container` or `pod`.
    pub scope: &'static str,
    /// How many NUMA nodes the machine has.
    pub numa: u32,
    /// The processors that all other containers share.
    pub shared: String,
    /// The processors that no container gets for itself.
    pub reserved: String,
    /// The containers with processors of their own.
    pub exclusive: Vec<Exclusive>,
}

/// What has been decided of the processors of a node; `None` with the policy `none`, which leaves that to the kernel.
pub fn processors(state: &State) -> Option<Processors> {
    let policy = state.settings.cpus.as_deref()?;
    let pod = |uid: &Rc<str>| state.pods.iter().find(|(_, rt)| rt.uid == *uid).map(|(key, _)| key.clone());
    let exclusive = |((uid, container), set): (&(Rc<str>, Rc<str>), &Rc<CpuSet>)| {
        let numa: CpuSet = set.iter().map(|cpu| policy.topology.numa_of(*cpu)).collect();
        Exclusive {
            pod: pod(uid),
            container: container.clone(),
            cpus: text(set),
            numa: numa.into_iter().collect(),
        }
    };
    Some(Processors {
        topology_policy: policy.alignment.as_str(),
        scope: if policy.by_pod { "pod" } else { "container" },
        numa: policy.topology.numa,
        shared: text(&shared(policy, &state.node)),
        reserved: text(&policy.reserved),
        exclusive: state.node.cpus.iter().map(exclusive).collect(),
    })
}

/// What a kubelet keeps on its disk of what it has assigned (`/var/lib/kubelet/cpu_manager_state`).
pub fn cpu_manager_state(state: &State) -> String {
    let Some(policy) = state.settings.cpus.as_deref() else {
        return r#"{"policyName":"none","defaultCpuSet":"","checksum":1353318690}"#.to_owned();
    };
    let mut entries = Fields::new();
    for ((uid, container), set) in &state.node.cpus {
        let of_pod = entries.entry(&**uid).or_insert_with(|| Value::Object(Fields::new()));
        if let Some(fields) = of_pod.as_object_mut() {
            fields.insert(container.to_string(), text(set).into());
        }
    }
    let default = text(&shared(policy, &state.node));
    // FNV-1a of 32 bits, of the text in the place of Go's dump.
    let told = json!([default, entries]).to_string();
    let hash = told.bytes().fold(0x811c_9dc5_u32, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193));
    let entries = match entries.is_empty() {
        true => String::new(),
        false => format!(",\"entries\":{}", Value::Object(entries)),
    };
    format!("{{\"policyName\":\"static\",\"defaultCpuSet\":\"{default}\"{entries},\"checksum\":{hash}}}")
}
