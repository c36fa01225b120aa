//! The eviction manager (`pkg/kubelet/eviction/eviction_manager.go`): while a node runs out of memory, disk or process ids,
//! its kubelet says so in the conditions of the Node, and ends pods, one after the other, until there is enough again.
//!
//! A real kubelet looks every ten seconds. Here it looks at these moments, too, but only if something can have changed since
//! it looked last: what pods use ([`Kubelet::watch_pressure`]), the node's settings, the end of a grace period or of a
//! transition period. So a node on which nothing is short costs nothing.

mod local_storage;
mod rank;

use std::rc::Rc;

pub(super) use local_storage::{STORAGE, exceeded};

use jiff::SignedDuration;

use super::amounts::Stats;
use super::calls::of_clearing;
use super::cause::PodCause;
use super::decisions::{Eviction, Order};
use super::image_gc::{is_full, used, without_unused};
use super::settings::Settings;
use super::state::{NodeRuntime, PodRuntime, State, WorkerPhase};
use super::stats::is_critical;
use super::task::{Cx, Kubelet, Task};
use super::thresholds::{Pressure, Resource, Threshold};
use super::timings::later;
use super::turn::Turn;
use super::volumes;
use crate::api::types::{Node, Pod};
use crate::api::{Key, Timestamp};
use crate::client::{Caches, Handler, Seen, Wait};

/// The reason in the status of a pod that was evicted.
pub(super) const REASON: &str = "Evicted";
/// The grace period of a pod that is ended at once (`immediateEvictionGracePeriodSeconds`).
const IMMEDIATE: i64 = 1;
/// The interval at which a kubelet looks at its node (`evictionMonitoringPeriod`).
pub(super) const MONITORING: SignedDuration = SignedDuration::from_secs(10);
/// How long it waits at most until an evicted pod is gone, and how often it looks (`podCleanupTimeout`,
/// `podCleanupPollFreq`).
const CLEANUP: SignedDuration = SignedDuration::from_secs(30);
const CLEANUP_POLL: SignedDuration = SignedDuration::from_secs(1);

/// What one look leads to.
struct Round {
    eviction: Eviction,
    /// The resource that pods are evicted for.
    starved: Option<Resource>,
    /// What the node has after its unused images were removed; `None` if that was not tried.
    reclaimed: Option<(NodeRuntime, Vec<Key>)>,
    evicted: Vec<(Key, Rc<Pod>, Order)>,
    /// Whether there would have been a reason to evict a pod, and no pod could be.
    stuck: bool,
    /// When something changes next by time alone.
    next: Option<Timestamp>,
}

/// The thresholds that are met (`thresholdsMet`).
fn thresholds_met(all: &[Threshold], settings: &Settings, used: Stats, with_reclaim: bool) -> Vec<Threshold> {
    let met = |t: &&Threshold| {
        let Some((available, capacity)) = settings.observe(t.signal, used) else { return false };
        let more = t.reclaim.filter(|_| with_reclaim).map_or(0, |r| r.of(capacity));
        available < t.value.of(capacity).saturating_add(more)
    };
    all.iter().filter(met).copied().collect()
}

/// The next state of the manager: which thresholds are met, since when, and which conditions follow from that. Also
/// the thresholds for which something is to be done, and when something changes next by itself.
fn observe(
    before: &Eviction,
    settings: &Settings,
    used: Stats,
    now: Timestamp,
) -> (Eviction, Option<Timestamp>) {
    let mut met = thresholds_met(&settings.thresholds, settings, used, false);
    for old in thresholds_met(&before.met, settings, used, true) {
        if !met.iter().any(|t| t.is_same(&old)) {
            met.push(old);
        }
    }
    let since = |t: &Threshold| {
        let before = before.first_observed.iter().find(|(old, _)| old.is_same(t));
        before.map_or(now, |(_, at)| *at)
    };
    let first_observed: Vec<_> = met.iter().map(|t| (*t, since(t))).collect();
    let mut next: Option<Timestamp> = None;
    let mut at = |t: Timestamp| next = Some(next.map_or(t, |n| n.min(t)));
    let (mut last_observed, mut observed, mut pressures) = (before.last_observed, [false; 3], [false; 3]);
    for (i, pressure) in Pressure::ALL.into_iter().enumerate() {
        let is = met.iter().any(|t| t.signal.pressure() == pressure);
        let was = before.observed.get(i) == Some(&true);
        let Some(last) = last_observed.get_mut(i) else { continue };
        if is {
            *last = Some(now);
        } else if was {
            // Nothing has changed since the last look, so each look up to the one before this has found the same.
            *last = (*last).max(now.checked_sub(MONITORING).ok());
        }
        let ends = last.map(|l| later(l, settings.transition));
        let has = is || ends.is_some_and(|ends| now < ends);
        if has && !is {
            ends.into_iter().for_each(&mut at);
        }
        if let (Some(o), Some(p)) = (observed.get_mut(i), pressures.get_mut(i)) {
            (*o, *p) = (is, has);
        }
    }
    let over = |t: &Threshold, since: Timestamp| now.duration_since(since) >= t.grace;
    first_observed.iter().filter(|(t, s)| !over(t, *s)).for_each(|(t, s)| at(later(*s, t.grace)));
    let met = first_observed.iter().filter(|(t, s)| over(t, *s)).map(|(t, _)| *t).collect();
    (Eviction { first_observed, met, last_observed, observed, pressures, cleaning: None }, next)
}

/// One look at the node (`synchronize`).
fn look(state: &State, caches: &Caches, now: Timestamp) -> Round {
    let settings = &*state.settings;
    let now_used = used(&state.node);
    let (eviction, next) = observe(&state.eviction, settings, now_used, now);
    let met = eviction.met.clone();
    let mut round =
        Round { eviction, starved: None, reclaimed: None, evicted: Vec::new(), stuck: false, next };
    round.evicted = local_storage::evictions(state, caches);
    let Some(threshold) = met.first().filter(|_| round.evicted.is_empty()) else { return round };
    let resource = threshold.signal.resource();
    round.starved = Some(resource);
    if threshold.signal.pressure() == Pressure::Disk {
        let (node, pods) = without_unused(state, now);
        let after = used(&node);
        round.reclaimed = Some((node, pods));
        if thresholds_met(&settings.thresholds, settings, after, true).is_empty() {
            round.next = Some(later(now, MONITORING));
            return round;
        }
    }
    let grace = |pod: &Pod| {
        if threshold.is_hard() {
            return IMMEDIATE;
        }
        let own = pod.spec.as_ref().and_then(|s| s.termination_grace_period_seconds);
        own.map_or(settings.max_pod_grace, |own| own.min(settings.max_pod_grace))
    };
    let ranked = rank::ranked(rank::active(state, caches), resource);
    let victim = ranked.into_iter().find(|c| !is_critical(c.pod) && c.rt.order.is_none());
    match victim {
        Some(c) => {
            let message: Rc<str> = rank::message(&c, resource, &met, settings, now_used).into();
            let order = Order {
                reason: REASON,
                grace: Some(grace(c.pod)),
                disruption: Some(message.clone()),
                message,
                evicts: true,
            };
            round.evicted.push((c.key.clone(), c.pod.clone(), order));
        }
        None => round.stuck = true,
    }
    round
}

/// How long it is until a kubelet looks at its node at a moment or after it.
fn look_at(now: Timestamp, at: Timestamp) -> SignedDuration {
    let at = at.max(now);
    let rest = volumes::next_report(at);
    // A moment at which it looks anyway is not put off.
    let rest = if rest == MONITORING && at > now { SignedDuration::ZERO } else { rest };
    at.duration_since(now) + rest
}

impl Kubelet {
    /// Plans a look at the node, because something has changed. While evicted pods are waited for, the look comes after
    /// that.
    pub(super) fn watch_pressure(&self, cx: &Cx) {
        if cx.state(|s| s.eviction.cleaning.is_none()) {
            // A look that was planned in the background is none that the cluster waits for.
            cx.cancel(Task::Evict(self.node.clone()));
            cx.enqueue_after(Task::Evict(self.node.clone()), volumes::next_report(cx.now()));
        }
    }

    /// Looks at the node, and ends pods if it has to.
    pub(super) fn synchronize(&self, cx: &Cx) {
        let (task, now) = (Task::Evict(self.node.clone()), cx.now());
        let gone = |s: &State, (key, uid): &(Key, Rc<str>)| {
            let rt = s.pods.get(key).filter(|rt| rt.uid == *uid);
            rt.is_none_or(|rt| rt.phase == WorkerPhase::Terminated)
        };
        let waits = cx.state(|s| {
            let cleaning = s.eviction.cleaning.as_ref();
            cleaning.is_some_and(|(pods, until)| now < *until && !pods.iter().all(|pod| gone(s, pod)))
        });
        if waits {
            cx.enqueue_after(task, CLEANUP_POLL);
            return;
        }
        let Round { mut eviction, starved, reclaimed, evicted, stuck, next } =
            cx.state(|s| look(s, cx.caches(), now));
        if let Some(resource) = starved {
            let message = format!("Attempting to reclaim {}", resource.as_str());
            self.node_event(cx, "Warning", "EvictionThresholdMet", message);
        }
        for (_, pod, order) in &evicted {
            cx.event(&**pod, "Warning", REASON, &*order.message);
        }
        if let Some((after, pods)) = reclaimed.as_ref().filter(|_| cx.is_looked_at()) {
            cx.note(cx.state(|s| of_clearing(s, after, pods, now)));
        }
        let changed = cx.state(|s| s.eviction.pressures != eviction.pressures);
        if !evicted.is_empty() {
            let uid = |pod: &Rc<Pod>| Rc::from(pod.metadata.uid.as_deref().unwrap_or_default());
            let pods = evicted.iter().map(|(key, pod, _)| (key.clone(), uid(pod))).collect();
            eviction.cleaning = Some((pods, later(now, CLEANUP)));
        }
        let orders: Vec<_> = evicted.iter().map(|(key, _, order)| (key.clone(), order.clone())).collect();
        for (key, _) in &orders {
            cx.enqueue(Task::Pod(key.clone()));
        }
        cx.update_state(move |s| {
            s.eviction = eviction.clone();
            if let Some((node, pods)) = &reclaimed {
                s.node = node.clone();
                pods.iter()
                    .for_each(|pod| with(s, pod, |rt| (rt.removed, rt.stats) = (true, Stats::default())));
            }
            for (key, order) in &orders {
                with(s, key, |rt| rt.order = Some(order.clone()));
            }
        });
        if changed {
            cx.enqueue(Task::Status(self.node.clone()));
        }
        if !evicted.is_empty() {
            cx.enqueue_after(task, CLEANUP_POLL);
            return;
        }
        if let Some(at) = next {
            cx.enqueue_after(task, look_at(now, at));
        } else if stuck {
            // It can only fail again until somebody changes something.
            cx.enqueue_waiting(task, MONITORING, Wait::Background);
        }
    }
}

/// Changes what is remembered of a pod.
pub(super) fn with(state: &mut State, pod: &Key, change: impl FnOnce(&mut PodRuntime)) {
    if let Some(rt) = state.pods.get_mut(pod) {
        change(Rc::make_mut(rt));
    }
}

/// The kubelet hears of its Node: its settings may be others, and its conditions may not be those that it observes.
pub(super) fn node_seen(cx: &mut Handler<'_, State, Task>, name: &Rc<str>, seen: Seen<'_, Node>) {
    let Some(node) = seen.new else { return };
    if seen.old.is_none_or(|old| Settings::differ(old, node)) {
        cx.state.settings = Rc::new(Settings::of(node));
        if cx.state.settings.allocatable(node).is_some() || cx.state.settings.wrong != cx.state.told_of {
            cx.enqueue(Task::Status(name.clone()));
        }
        if cx.state.settings.out_of_memory(used(&cx.state.node)).is_some() {
            cx.enqueue(Task::OutOfMemory(name.clone()));
        }
        if cx.state.settings.is_alarming(used(&cx.state.node)) || !cx.state.eviction.is_idle() {
            cx.cancel(Task::Evict(name.clone()));
            cx.enqueue_after(Task::Evict(name.clone()), volumes::next_report(cx.now));
        }
    }
    if is_full(&cx.state.settings, used(&cx.state.node)) {
        // It has to be looked at, whatever made it full.
        cx.enqueue(Task::Images(name.clone()));
    }
    let conditions = || node.status.iter().flat_map(|s| s.conditions.iter().flatten());
    let told = |p: Pressure| conditions().any(|c| c.type_ == p.condition() && c.status == "True");
    let known = |p: Pressure| conditions().any(|c| c.type_ == p.condition());
    if Pressure::ALL.into_iter().any(|p| known(p) && told(p) != cx.state.eviction.has(p)) {
        cx.enqueue(Task::Status(name.clone()));
    }
}

impl Turn<'_> {
    /// Whether the node has to be looked at, because of what the pod uses otherwise than before.
    pub(super) fn is_pressing(&self, before: &State) -> bool {
        let (was, is) = (used(&before.node), used(&self.node));
        let writes = self.rt.annotated || self.rt.written.is_some();
        let may_exceed = writes && self.rt.sandbox && self.rt.order.is_none();
        was != is && (before.settings.is_alarming(is) || before.eviction.is_busy())
            || may_exceed
                && !is_critical(self.pod)
                && exceeded(self.pod, self.rt.written.as_deref()).is_some()
    }

    /// Whether the node's disk has more on it than before, and so much that images have to go.
    pub(super) fn fills_disk(&self, before: &State) -> bool {
        let is = used(&self.node);
        is.disk > used(&before.node).disk && is_full(&before.settings, is)
    }

    /// Ends the pod if the kubelet has decided so.
    pub(super) fn obey(&mut self) {
        let Some(order) = self.rt.order.as_ref().filter(|_| self.rt.failed.is_none()) else { return };
        let (reason, message) = (Rc::from(order.reason), order.message.clone());
        self.rt.failed = Some((reason, message));
        self.rt.grace_override = order.grace;
        if self.rt.phase == WorkerPhase::Sync {
            self.end_pod(PodCause::Evicted);
        } else {
            self.rt.unreported = true;
        }
    }

    /// Why a pod may not start while the node has a pressure (`Admit`); `None` if it may.
    pub(super) fn pressure_forbids(&self) -> Option<String> {
        let conditions = self.eviction.conditions();
        if conditions.is_empty() || is_critical(self.pod) {
            return None;
        }
        let may = conditions == [Pressure::Memory.condition()]
            && (crate::api::resource::qos_class(self.spec) != "BestEffort"
                || self.tolerates_memory_pressure());
        (!may).then(|| format!("The node had condition: [{}]. ", conditions.join(" ")))
    }

    fn tolerates_memory_pressure(&self) -> bool {
        let taint = crate::api::types::Taint {
            key: "node.kubernetes.io/memory-pressure".into(),
            effect: "NoSchedule".into(),
            ..Default::default()
        };
        self.spec.tolerations.iter().flatten().any(|t| crate::api::toleration::tolerates(t, &taint))
    }
}
