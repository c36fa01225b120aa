//! A pod's status (`kubelet_pods.go`, `generateAPIPodStatus` and `getPhase`; `status/generate.go`;
//! `status_manager.go`, `mergePodStatus`).

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::SignedDuration;

use super::limits;
use super::state::{State, WorkerPhase};
use super::status_containers::{has_ended_before, is_waiting, time};
use super::task::Task;
use super::turn::Turn;
use crate::api::resource::pod_resources;
use crate::api::types::{
    ContainerStatus, HostIP, Pod, PodCondition, PodIP, PodSpec, PodStatus, Quantity, ResourceRequirements,
};
use crate::client::{Handler, Seen};

/// The interval, in seconds, at which the status manager compares all statuses with those of the API server
/// (`syncPeriod`).
const SYNC_PERIOD: i64 = 10;

const READY_TO_START: &str = "PodReadyToStartContainers";
const INITIALIZED: &str = "Initialized";
const READY: &str = "Ready";
const CONTAINERS_READY: &str = "ContainersReady";
const SCHEDULED: &str = "PodScheduled";
const DISRUPTION_TARGET: &str = "DisruptionTarget";
const ALL_RESTARTING: &str = "AllContainersRestarting";
const RESIZE_PENDING: &str = "PodResizePending";
const RESIZE_IN_PROGRESS: &str = "PodResizeInProgress";

/// Whether a condition is the kubelet's to set (`PodConditionByKubelet`).
pub(super) fn is_own(type_: &str) -> bool {
    const OWN: [&str; 8] = [
        READY_TO_START,
        INITIALIZED,
        READY,
        CONTAINERS_READY,
        SCHEDULED,
        ALL_RESTARTING,
        RESIZE_PENDING,
        RESIZE_IN_PROGRESS,
    ];
    OWN.contains(&type_)
}

/// `metadata.resourceVersion` as a number; `None` if it is none.
pub(super) fn version(pod: &Pod) -> Option<u64> {
    pod.metadata.resource_version.as_ref()?.parse().ok()
}

/// Plans a report if somebody else has changed what this kubelet last reported of the pod (`needsReconcile`): while the
/// node was cut off, the node lifecycle controller has set `Ready` to False.
pub(super) fn reconcile(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Pod>) {
    let Some(new) = seen.new else { return };
    let Some(rt) = cx.state.pods.get(seen.key) else { return };
    let Some(latest) = rt.latest.as_ref().filter(|l| l.metadata.uid == new.metadata.uid) else { return };
    if version(new) <= version(latest) || reported(new) == reported(latest) {
        return;
    }
    if let Some(rt) = cx.state.pods.get_mut(seen.key) {
        Rc::make_mut(rt).unreported = true;
    }
    cx.enqueue_after(Task::Pod(seen.key.clone()), SignedDuration::from_secs(SYNC_PERIOD));
}

/// What a kubelet reports of a pod: its phase, its containers, and its own conditions by type and status.
#[derive(PartialEq)]
struct Reported<'a> {
    phase: Option<&'a str>,
    containers: Option<&'a Vec<ContainerStatus>>,
    conditions: Vec<(&'a str, &'a str)>,
}

fn reported(pod: &Pod) -> Option<Reported<'_>> {
    let status = pod.status.as_deref()?;
    let own = status.conditions.iter().flatten().filter(|c| is_own(&c.type_));
    Some(Reported {
        phase: status.phase.as_deref(),
        containers: status.container_statuses.as_ref(),
        conditions: own.map(|c| (c.type_.as_str(), c.status.as_str())).collect(),
    })
}

/// Statuses of init containers and of main containers.
pub(super) type Statuses = (Vec<ContainerStatus>, Vec<ContainerStatus>);

/// The statuses of a pod's containers at the present moment.
pub(super) fn all_containers(turn: &Turn<'_>) -> Statuses {
    turn.container_statuses()
}

/// The pod's phase (`getPhase`). `terminal` if no container runs any more or ever will.
pub(super) fn phase(turn: &Turn<'_>, (init, main): &Statuses, terminal: bool) -> &'static str {
    let (mut pending_init, mut pending_sidecars, mut failed_init) = (0, 0, 0);
    let (mut running, mut waiting, mut stopped, mut succeeded) = (0, 0, 0, 0);
    let ends = |i: usize, code: i32| !turn.container_spec(i).is_some_and(|c| turn.restarts_after(c, code));
    for (i, s) in init.iter().enumerate() {
        let sidecar = turn.is_sidecar(i);
        let state = s.state.as_ref();
        if state.is_some_and(|s| s.running.is_some()) {
            if sidecar {
                running += 1;
                pending_sidecars += i32::from(s.started != Some(true));
            } else {
                pending_init += 1;
            }
        } else if let Some(t) = state.and_then(|s| s.terminated.as_ref()) {
            failed_init += i32::from(!sidecar && t.exit_code != 0 && ends(i, t.exit_code));
        } else if let Some(t) =
            s.last_state.as_ref().and_then(|s| s.terminated.as_ref()).filter(|_| !turn.is_removed(i))
        {
            failed_init += i32::from(!sidecar && t.exit_code != 0 && ends(i, t.exit_code));
        } else if sidecar {
            pending_sidecars += 1;
            waiting += 1;
        } else {
            pending_init += 1;
        }
    }
    for s in main {
        let state = s.state.as_ref();
        if state.is_some_and(|s| s.running.is_some()) {
            running += 1;
        } else if let Some(t) = state.and_then(|s| s.terminated.as_ref()) {
            stopped += 1;
            succeeded += i32::from(t.exit_code == 0);
        } else if has_ended_before(s) {
            stopped += 1;
        } else {
            waiting += 1;
        }
    }
    if failed_init > 0 && !turn.should_all_containers_restart() {
        return "Failed";
    }
    // Sidecars that start again while the main containers run put no pod back.
    if pending_init > 0 || (pending_sidecars > 0 && !any_started(main)) || waiting > 0 {
        return "Pending";
    }
    if running > 0 {
        return "Running";
    }
    if stopped == 0 {
        return "Pending";
    }
    // `should_be_restarted` uses a container's own restart policy where it has one.
    // No container of a static pod that ends is asked whether it could start again.
    let always = |i| turn.container_spec(i).is_some_and(|c| turn.policy_of(c) == "Always");
    let again = (turn.init_count()..turn.main_end())
        .any(|i| turn.should_be_restarted(i) || (turn.rt.static_pod.is_some() && always(i)));
    if again && !terminal {
        return "Running";
    }
    if stopped == succeeded { "Succeeded" } else { "Failed" }
}

fn any_started(main: &[ContainerStatus]) -> bool {
    main.iter().any(|s| !is_waiting(s) || has_ended_before(s))
}

fn is_terminal(phase: &str) -> bool {
    matches!(phase, "Succeeded" | "Failed")
}

impl Turn<'_> {
    /// Whether a container was removed and has not been started again: it begins anew, however it has ended.
    fn is_removed(&self, i: usize) -> bool {
        let c = self.rt.containers.get(i);
        c.and_then(|c| c.known_last()).is_some_and(|last| last.is_removed())
    }

    /// The pod's status at the present moment, based on `old`, the API server's (`generateAPIPodStatus`).
    pub(super) fn generate_api_pod_status(&self, old: &PodStatus) -> PodStatus {
        if self.rt.rejected {
            return self.rejected_status(old);
        }
        if self.sandbox_is_news {
            return self.with_ready_sandbox(old);
        }
        // A static pod keeps its phase until its mirror pod goes (`getPhase`, `TerminatePod`; kubernetes/kubernetes#116484).
        let over = self.rt.phase == WorkerPhase::Terminated && self.rt.static_pod.is_none();
        let statuses = all_containers(self);
        let mut phase = phase(self, &statuses, over);
        if let Some(was) = old.phase.as_deref().filter(|p| is_terminal(p)) {
            // A phase that is `Succeeded` or `Failed` stays so.
            phase = if was == "Failed" { "Failed" } else { "Succeeded" };
        } else if self.rt.failed.is_some() || (over && !is_terminal(phase)) {
            phase = "Failed";
        }
        // Conditions are computed for the final phase, but the phase itself is reported after the last
        // container has ended.
        let mut conditions = self.conditions(old, &statuses, phase);
        let may_run = !over && is_terminal(phase) && !old.phase.as_deref().is_some_and(is_terminal);
        if over && is_terminal(phase) && !old.phase.as_deref().is_some_and(is_terminal) {
            let own = self.disruption_target(&mut conditions);
            conditions.extend(own);
        }
        let (reason, message) = match &self.rt.failed {
            Some((r, m)) if !may_run => (Some(r.to_string()), Some(m.to_string())),
            _ => (old.reason.clone(), old.message.clone()),
        };
        let (init, main) = statuses;
        let ip = |ip: &str| PodIP { ip: ip.to_owned() };
        let pod_ips: Vec<PodIP> = if !self.rt.addresses.is_empty() {
            self.rt.addresses.iter().map(|a| ip(a)).collect()
        } else if self.spec.host_network == Some(true) {
            self.host.addresses().map(ip).collect()
        } else {
            old.pod_ips.clone().unwrap_or_default()
        };
        let host_ips: Vec<HostIP> = self.host.addresses().map(|ip| HostIP { ip: ip.to_owned() }).collect();
        let (resources, allocated_resources) = self.resources_of_pod(phase);
        PodStatus {
            resources: Some(resources),
            allocated_resources,
            phase: Some(if may_run {
                old.phase.clone().unwrap_or_else(|| "Pending".into())
            } else {
                phase.into()
            }),
            reason,
            message,
            conditions: Some(conditions),
            host_ip: host_ips.first().map(|ip| ip.ip.clone()),
            host_ips: Some(host_ips).filter(|ips| !ips.is_empty()),
            pod_ip: pod_ips.first().map(|ip| ip.ip.clone()),
            pod_ips: Some(pod_ips).filter(|ips| !ips.is_empty()),
            start_time: Some(old.start_time.clone().unwrap_or_else(|| time(self.now))),
            qos_class: old.qos_class.clone(),
            init_container_statuses: Some(init).filter(|s| !s.is_empty()),
            container_statuses: Some(main),
            observed_generation: self.pod.metadata.generation.filter(|g| *g > 0),
            resource_claim_statuses: old.resource_claim_statuses.clone(),
            ephemeral_container_statuses: self.ephemeral_statuses(),
            ..Default::default()
        }
    }

    /// The status as it was, but that it says that the sandbox is ready (`kubelet.go`, `OnPodSandboxReady`).
    fn with_ready_sandbox(&self, old: &PodStatus) -> PodStatus {
        let mut new = old.clone();
        let conditions = new.conditions.get_or_insert_default();
        let known = conditions.iter_mut().find(|c| c.type_ == READY_TO_START);
        let since =
            known.as_ref().filter(|c| c.status == "True").and_then(|c| c.last_transition_time.clone());
        let ready = PodCondition {
            type_: READY_TO_START.into(),
            status: "True".into(),
            last_transition_time: Some(since.unwrap_or_else(|| time(self.now))),
            observed_generation: self.pod.metadata.generation.filter(|g| *g > 0),
            ..PodCondition::default()
        };
        match known {
            Some(known) => *known = ready,
            None => conditions.push(ready),
        }
        new
    }

    /// What the pod as a whole has, and what it was allocated (`convertToAPIPodLevelResourcesStatus`, KEP-5419). Of one that runs that is
    /// what its cgroup has: CPU and memory, and limits only if each of its containers has one.
    fn resources_of_pod(&self, phase: &str) -> (ResourceRequirements, Option<BTreeMap<String, Quantity>>) {
        let amounts = |spec: &PodSpec, limits: bool| -> BTreeMap<String, Quantity> {
            pod_resources(spec, limits)
                .into_iter()
                .map(|(name, amount)| (name, amount.to_quantity()))
                .collect()
        };
        let some = |amounts: BTreeMap<String, Quantity>| Some(amounts).filter(|all| !all.is_empty());
        let allocated = some(amounts(self.spec, false));
        let running = self.rt.containers.iter().find_map(|c| c.running());
        let spec = running.and_then(|r| r.allocation.as_deref()).unwrap_or(self.spec);
        let claims = spec.resources.as_ref().and_then(|r| r.claims.clone());
        let (mut requests, mut limits) = (amounts(spec, false), amounts(spec, true));
        if phase == "Running" {
            let of_pod = |name: &str| limits::of_pod(spec, name).is_some();
            let sidecars = spec
                .init_containers
                .iter()
                .flatten()
                .filter(|c| c.restart_policy.as_deref() == Some("Always"));
            let all: Vec<_> = spec.containers.iter().chain(sidecars).collect();
            let limited = |name: &str| {
                of_pod(name)
                    || all.iter().all(|c| limits::of_container(None, c.resources.as_ref(), name).is_some())
            };
            requests.retain(|name, _| matches!(&**name, "cpu" | "memory"));
            limits.retain(|name, _| matches!(&**name, "cpu" | "memory") && limited(name));
        }
        (ResourceRequirements { claims, requests: some(requests), limits: some(limits) }, allocated)
    }

    /// The status of a pod that admission rejected: no container was ever created (`rejectPod`).
    fn rejected_status(&self, old: &PodStatus) -> PodStatus {
        let (reason, message) = self.rt.failed.clone().unwrap_or_default();
        let conditions: Vec<PodCondition> =
            old.conditions.iter().flatten().filter(|c| !is_own(&c.type_)).cloned().collect();
        PodStatus {
            phase: Some("Failed".into()),
            reason: Some(reason.to_string()),
            message: Some(message.to_string()),
            conditions: Some(conditions).filter(|c| !c.is_empty()),
            qos_class: old.qos_class.clone(),
            start_time: Some(old.start_time.clone().unwrap_or_else(|| time(self.now))),
            observed_generation: self.pod.metadata.generation.filter(|g| *g > 0),
            resource_claim_statuses: old.resource_claim_statuses.clone(),
            ..Default::default()
        }
    }

    fn conditions(&self, old: &PodStatus, statuses: &Statuses, phase: &str) -> Vec<PodCondition> {
        let before = old.conditions.as_deref().unwrap_or_default();
        let mut out: Vec<PodCondition> = Vec::with_capacity(before.len().max(5));
        out.extend(before.iter().filter(|c| !is_own(&c.type_)).cloned());
        if !is_terminal(phase) {
            out.extend(self.resize_conditions());
        }
        let ready = self.containers_ready(statuses, phase);
        let sandbox = Verdict { holds: self.rt.sandbox, ..Default::default() };
        let scheduled = Verdict { holds: true, ..Default::default() };
        let restarting =
            self.could_all_containers_restart().then(|| (ALL_RESTARTING, self.restarting(phase)));
        let own = [
            (READY_TO_START, sandbox),
            (INITIALIZED, self.initialized(statuses, phase)),
            (READY, self.pod_ready(before, &ready)),
            (CONTAINERS_READY, ready),
            (SCHEDULED, scheduled),
        ];
        for (type_, verdict) in own.into_iter().chain(restarting) {
            let status = if verdict.holds { "True" } else { "False" };
            let same = before.iter().find(|c| c.type_ == type_ && c.status == status);
            let since = same.and_then(|c| c.last_transition_time.clone()).unwrap_or_else(|| time(self.now));
            out.push(PodCondition {
                type_: type_.into(),
                status: status.into(),
                reason: verdict.reason.map(Into::into),
                message: verdict.message,
                last_transition_time: Some(since),
                // `GenerateAllContainersRestartingCondition` gives none.
                observed_generation: self
                    .pod
                    .metadata
                    .generation
                    .filter(|g| *g > 0 && type_ != ALL_RESTARTING),
                last_probe_time: None,
            });
        }
        out
    }

    /// How a resize of the pod stands.
    fn resize_conditions(&self) -> impl Iterator<Item = PodCondition> + '_ {
        let resize = &self.rt.resize;
        let condition = |type_: &str, since, generation: i64| PodCondition {
            type_: type_.into(),
            status: "True".into(),
            last_transition_time: Some(time(since)),
            last_probe_time: Some(time(since)),
            observed_generation: Some(generation).filter(|g| *g > 0),
            ..Default::default()
        };
        let pending = resize.pending.as_ref().map(move |p| PodCondition {
            reason: Some(p.reason.into()),
            message: Some(p.message.to_string()),
            ..condition(RESIZE_PENDING, p.since, p.generation)
        });
        let progress = resize.progress.map(|(since, g)| PodCondition {
            reason: resize.error.as_ref().map(|_| "Error".into()),
            message: resize.error.as_ref().map(|e| e.to_string()),
            ..condition(RESIZE_IN_PROGRESS, since, g)
        });
        pending.into_iter().chain(progress)
    }

    /// Why the kubelet has ended the pod itself. It is reported with the pod's end, in the place of one that somebody else has
    /// written.
    fn disruption_target(&self, before: &mut Vec<PodCondition>) -> Option<PodCondition> {
        let message = self.rt.order.as_ref()?.disruption.as_ref()?;
        before.retain(|c| c.type_ != DISRUPTION_TARGET);
        Some(PodCondition {
            type_: DISRUPTION_TARGET.into(),
            status: "True".into(),
            reason: Some("TerminationByKubelet".into()),
            message: Some(message.to_string()),
            last_transition_time: Some(time(self.now)),
            observed_generation: self.pod.metadata.generation.filter(|g| *g > 0),
            last_probe_time: None,
        })
    }

    /// `GenerateAllContainersRestartingCondition`
    fn restarting(&self, phase: &str) -> Verdict {
        let (holds, reason, message) = match phase {
            "Succeeded" => (false, Some("PodCompleted"), None),
            "Failed" => (false, Some("PodFailed"), None),
            _ if self.rt.restarting_all => {
                let message = "container exited with restart policy rule".to_owned();
                (true, Some("RestartAllContainersStarted"), Some(message))
            }
            _ => (false, None, None),
        };
        Verdict { holds, reason, message }
    }

    /// `GenerateContainersReadyCondition`
    fn containers_ready(&self, (init, main): &Statuses, phase: &str) -> Verdict {
        if is_terminal(phase) {
            let reason = if phase == "Failed" { "PodFailed" } else { "PodCompleted" };
            return Verdict { holds: false, reason: Some(reason), message: None };
        }
        let sidecars = init.iter().enumerate().filter(|(i, _)| self.is_sidecar(*i)).map(|(_, s)| s);
        // The order is that of the spec, not of the statuses.
        let by_spec = self.spec.containers.iter().filter_map(|c| main.iter().find(|s| s.name == c.name));
        let unready: Vec<&str> =
            sidecars.chain(by_spec).filter(|s| !s.ready).map(|s| s.name.as_str()).collect();
        if unready.is_empty() {
            return Verdict { holds: true, ..Default::default() };
        }
        Verdict {
            holds: false,
            reason: Some("ContainersNotReady"),
            message: Some(format!("containers with unready status: [{}]", unready.join(" "))),
        }
    }

    /// `GeneratePodReadyCondition`
    fn pod_ready(&self, conditions: &[PodCondition], containers: &Verdict) -> Verdict {
        if !containers.holds {
            return containers.clone();
        }
        let mut unready = Vec::new();
        for gate in self.spec.readiness_gates.iter().flatten() {
            let name = &gate.condition_type;
            match conditions.iter().find(|c| c.type_ == *name) {
                None => unready
                    .push(format!("corresponding condition of pod readiness gate {name:?} does not exist.")),
                Some(c) if c.status != "True" => unready.push(format!(
                    "the status of pod readiness gate {name:?} is not \"True\", but {}",
                    c.status
                )),
                Some(_) => {}
            }
        }
        if unready.is_empty() {
            return containers.clone();
        }
        Verdict { holds: false, reason: Some("ReadinessGatesNotReady"), message: Some(unready.join(", ")) }
    }

    /// `GeneratePodInitializedCondition`
    fn initialized(&self, (init, main): &Statuses, phase: &str) -> Verdict {
        if phase == "Succeeded" {
            return Verdict { holds: true, reason: Some("PodCompleted"), message: None };
        }
        if any_started(main) {
            return Verdict { holds: true, ..Default::default() };
        }
        let done = |(i, s): &(usize, &ContainerStatus)| {
            if self.is_sidecar(*i) { s.started == Some(true) } else { s.ready }
        };
        let open: Vec<&str> =
            init.iter().enumerate().filter(|x| !done(x)).map(|(_, s)| s.name.as_str()).collect();
        if open.is_empty() {
            return Verdict { holds: true, ..Default::default() };
        }
        Verdict {
            holds: false,
            reason: Some("ContainersNotInitialized"),
            message: Some(format!("containers with incomplete status: [{}]", open.join(" "))),
        }
    }

    /// Whether only the kubelet's deletion of the pod is missing: it is being deleted, and its worker has nothing to do any more
    /// (`PodIsFinished`).
    pub(super) fn can_be_deleted(&self) -> bool {
        self.rt.finished && self.is_ending() && !self.rt.deleted
    }
}

/// A condition's status, with its reason and message.
#[derive(Clone, Debug, Default)]
struct Verdict {
    holds: bool,
    reason: Option<&'static str>,
    message: Option<String>,
}
