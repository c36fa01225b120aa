//! Room for a pod that the system needs: a kubelet that cannot admit a critical pod ends others for it
//! (`pkg/kubelet/preemption/preemption.go`).

use std::rc::Rc;

use super::decisions::Order;
use super::requests::pod_requests;
use super::state::{PodRuntime, Requests, WorkerPhase};
use super::stats::is_critical;
use super::timings::later;
use super::turn::Turn;
use crate::api::resource::qos_class;
use crate::api::types::Pod;
use crate::api::{Key, Timestamp};

/// The reason of the event about a pod that is ended for another one, and of its status.
const REASON: &str = "Preempting";
const MESSAGE: &str = "Preempted in order to admit critical pod";
/// How often the kubelet looks whether the pods are gone for which a pod waits.
const POLL: jiff::SignedDuration = jiff::SignedDuration::from_secs(1);

/// A resource of which there is too little, and how much is missing.
pub(super) type Shortage = (&'static str, i64);

/// A pod that may be ended for another one.
#[derive(Clone)]
struct Candidate<'a> {
    key: &'a Key,
    pod: &'a Rc<Pod>,
    requests: Requests,
}

impl Candidate<'_> {
    fn requests(&self, resource: &str) -> i64 {
        match resource {
            "pods" => 1,
            "cpu" => self.requests.cpu,
            "memory" => self.requests.memory,
            _ => self.requests.storage,
        }
    }
}

/// What is missing still when these pods are gone (`subtract`).
fn without(missing: &[Shortage], gone: &[Candidate<'_>]) -> Vec<Shortage> {
    let left = |(name, amount): &Shortage| {
        let amount = gone.iter().fold(*amount, |left, c| left.saturating_sub(c.requests(name)));
        (amount > 0).then_some((*name, amount))
    };
    missing.iter().filter_map(left).collect()
}

/// How far a pod's requests are from what is missing (`distance`).
fn distance(missing: &[Shortage], c: &Candidate<'_>) -> f64 {
    let of = |(name, amount): &Shortage| {
        let left = amount.saturating_sub(c.requests(name));
        if left > 0 { (left as f64 / *amount as f64).powi(2) } else { 0.0 }
    };
    missing.iter().map(of).sum()
}

/// The pods that come nearest to what is missing (`getPodsToPreemptByDistance`); `None` if all of them are not enough.
fn nearest<'a>(mut pods: Vec<Candidate<'a>>, mut missing: Vec<Shortage>) -> Option<Vec<Candidate<'a>>> {
    let mut chosen = Vec::new();
    while !missing.is_empty() {
        let mut best: Option<(f64, usize)> = None;
        for (i, c) in pods.iter().enumerate() {
            let far = distance(&missing, c);
            let is_better = best.is_none_or(|(least, at)| {
                far < least || (far == least && pods.get(at).is_some_and(|other| is_smaller(c, other)))
            });
            if is_better {
                best = Some((far, i));
            }
        }
        let taken = pods.remove(best?.1);
        missing = without(&missing, std::slice::from_ref(&taken));
        chosen.push(taken);
    }
    Some(chosen)
}

/// Whether a pod requests less than another one, or the same (`smallerResourceRequest`).
fn is_smaller(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    (a.requests.memory, a.requests.cpu) <= (b.requests.memory, b.requests.cpu)
}

/// The pods to be ended, guaranteed ones only if burstable ones are not enough, and these only if best-effort ones are not
/// (`getPodsToPreempt`).
fn victims<'a>(all: Vec<Candidate<'a>>, missing: &[Shortage]) -> Result<Vec<Candidate<'a>>, String> {
    let left = without(missing, &all);
    if !left.is_empty() {
        let told: String =
            left.iter().map(|(name, amount)| format!("(res: {name}, q: {amount}), ")).collect();
        return Err(format!("no set of running pods found to reclaim resources: [{told}]"));
    }
    let of = |class: &str| -> Vec<Candidate<'a>> {
        let is = |c: &&Candidate<'_>| c.pod.spec.as_deref().map_or("BestEffort", qos_class) == class;
        all.iter().filter(is).cloned().collect()
    };
    let (best_effort, burstable) = (of("BestEffort"), of("Burstable"));
    let both = |a: &[Candidate<'a>], b: &[Candidate<'a>]| without(&without(missing, a), b);
    let none = || "no set of running pods found to reclaim resources: []".to_owned();
    let guaranteed = nearest(of("Guaranteed"), both(&best_effort, &burstable)).ok_or_else(none)?;
    let burstable = nearest(burstable, both(&best_effort, &guaranteed)).ok_or_else(none)?;
    let best_effort = nearest(best_effort, both(&burstable, &guaranteed)).ok_or_else(none)?;
    Ok([best_effort, burstable, guaranteed].concat())
}

/// Whether a pod may be ended for another one (`Preemptable`, `pkg/kubelet/types/pod_update.go`).
fn is_preemptable(by: &Pod, pod: &Pod) -> bool {
    let priority = |pod: &Pod| pod.spec.as_ref().and_then(|s| s.priority);
    // A pod without a priority, as a static pod may be, has none that another one's could exceed.
    !is_critical(pod) || priority(by).zip(priority(pod)).is_some_and(|(by, own)| by > own)
}

impl<'a> Turn<'a> {
    /// Ends other pods for this one, which is critical (`evictPodsToFreeRequests`).
    ///
    /// # Errors
    /// The words of the kubelet if all others together are not enough.
    pub(super) fn preempt(&mut self, missing: &[Shortage]) -> Result<(), String> {
        let of = |(key, rt): (&'a Key, &'a Rc<PodRuntime>)| {
            let pod = rt.pod(key, self.caches)?;
            let may = rt.requests.is_some() && rt.order.is_none() && is_preemptable(self.pod, pod);
            may.then(|| Candidate {
                key,
                pod,
                requests: pod.spec.as_deref().map(pod_requests).unwrap_or_default(),
            })
        };
        let all = self.pods.iter().filter_map(of).collect();
        let chosen = victims(all, missing)
            .map_err(|why| format!("preemption: error finding a set of pods to preempt: {why}"))?;
        self.rt.preempts = chosen.iter().map(|c| c.key.clone()).collect();
        let told = "Pod was preempted by Kubelet to accommodate a critical pod.";
        let order = Order {
            reason: REASON,
            message: MESSAGE.into(),
            grace: None,
            disruption: Some(told.into()),
            evicts: true,
        };
        self.orders = chosen.into_iter().map(|c| (c.key.clone(), c.pod.clone(), order.clone())).collect();
        Ok(())
    }

    /// Whether the pods are gone that have been ended for this one.
    pub(super) fn has_room(&self) -> bool {
        let gone = |key: &Key| self.pods.get(key).is_none_or(|rt| rt.phase == WorkerPhase::Terminated);
        self.rt.preempts.iter().all(gone)
    }

    /// When the kubelet looks again whether they are.
    pub(super) fn next_look(&self) -> Option<Timestamp> {
        (!self.rt.preempts.is_empty()).then(|| later(self.now, POLL))
    }
}
