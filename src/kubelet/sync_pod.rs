//! The sync of a pod: its turns, and how the result of a turn becomes requests.

use std::rc::Rc;

use jiff::SignedDuration;

use super::allocation;
use super::amounts::Stats;
use super::container_state::{ContainerRuntime, ContainerState};
use super::contents::Told;
use super::cpu_manager;
use super::cri::Call;
use super::decisions::Order;
use super::ephemeral;
use super::eviction::with;
use super::file_source;
use super::found;
use super::lasting;
use super::neighbours;
use super::oom;
use super::pod_manager::{self, Known};
use super::state::{PodRuntime, WorkerPhase};
use super::status;
use super::task::{Cx, Kubelet, Task};
use super::turn::{PodEvent, Turn};
use super::wake::Wakes;
use super::watched;
use crate::api::types::{ContainerStatus, Node, ObjectReference, Pod, PodStatus};
use crate::api::{Key, Kind, MetaExt, ObjectRef, Shared, Timestamp};
use crate::apimachinery::DeleteOptions;
use crate::client::{Recorded, Result, Wait, Why, object_reference};
use crate::network::Question;

/// The most turns of a pod at one moment.
const TURNS_LIMIT: usize = 64;

/// The result of a turn, to be carried out.
struct Decision {
    rt: Rc<PodRuntime>,
    node: super::state::NodeRuntime,
    events: Vec<PodEvent>,
    /// What was done to the pod's volumes on the disk of the node, each as the reason for it.
    disk_writes: Vec<Why>,
    /// The calls to the container runtime; `None` if nobody looks.
    calls: Option<Vec<Call>>,
    /// What the pod says of what it writes into volumes that outlive it.
    told: Vec<Told>,
    again: bool,
    /// The pod that the report is based on, and its new status; `None` if nothing has changed.
    report: Option<(Rc<Pod>, Shared<PodStatus>)>,
    /// Whether a mirror pod is to show the pod, which is a static one.
    mirrors: bool,
    delete: bool,
    faults: Vec<(Key, u64)>,
    /// Images that could not be pulled before this kubelet was there, each with the registry's error.
    unpullable: Vec<(Rc<str>, Rc<str>)>,
    /// The deadlines of the next turn.
    wakes: Wakes,
    /// What processes of the pod have asked the network that they had not asked before.
    asks: Vec<Question>,
    /// Whether what it sends is another thing than before, though nothing new is asked for it.
    sends_anew: bool,
    /// Whether the pod sends a stream of requests.
    sends: bool,
    /// Whether other ports of the pod are open than before.
    listens: bool,
    /// Whether the node has to be looked at, because of what the pod uses.
    pressing: bool,
    /// Whether the node's disk has become so full that images have to go.
    fills_disk: bool,
    /// Whether the pod has made room for others.
    freed: bool,
    /// Whether the node has no memory left.
    out_of_memory: bool,
    /// Other pods that are to be ended for this one.
    orders: Vec<(Key, Rc<Pod>, Order)>,
}

impl Kubelet {
    pub(super) async fn sync_pod(&self, cx: &Cx, key: Key) -> Result {
        // Why the status could not be written, though the pod is synced.
        let mut failed = None;
        self.report_again(cx, &key);
        for _ in 0..TURNS_LIMIT {
            let Some(known) = cx.state(|s| pod_manager::pod(s, cx.caches(), &key)) else {
                self.remove(cx, &key);
                return self.delete_orphaned_mirror_pod(cx, &key).await;
            };
            let Known { ref pod, is_static } = known;
            if is_static && cx.state(|s| s.pods.get(&key).is_some_and(|rt| rt.static_pod.is_none())) {
                // A pod of the API server had the name, and is gone.
                self.remove(cx, &key);
            }
            let Some(mut d) = self.decide(cx, &key, &known) else { return Ok(()) };
            if let Some(calls) = d.calls.take() {
                cx.note(calls);
            }
            lasting::pass_on(cx, &key, std::mem::take(&mut d.told));
            {
                let (key, rt, node, faults) = (key.clone(), d.rt.clone(), d.node.clone(), d.faults.clone());
                let unpullable = d.unpullable.clone();
                let orders = d.orders.clone();
                cx.update_state(move |s| {
                    s.pods.insert(key.clone(), rt.clone());
                    s.node = node.clone();
                    for (image, error) in &unpullable {
                        s.unpullable.insert(image.clone(), error.clone());
                    }
                    for f in &faults {
                        s.faults.remove(f);
                    }
                    for (pod, _, order) in &orders {
                        with(s, pod, |rt| rt.order = Some(order.clone()));
                    }
                });
            }
            if !d.asks.is_empty() {
                let (key, uid, asks) = (key.clone(), d.rt.uid.clone(), d.asks.clone());
                cx.update_state(move |s| s.note_questions(&key, &uid, &asks));
            }
            if !d.asks.is_empty() || d.sends_anew {
                cx.ask_network(d.sends);
            }
            if d.listens {
                cx.change_network();
            }
            for (pod, object, order) in &d.orders {
                cx.event(&**object, "Warning", order.reason, &*order.message);
                cx.enqueue(Task::Pod(pod.clone()));
            }
            if d.out_of_memory {
                cx.enqueue(oom::task(&self.node));
            }
            if d.freed {
                allocation::retry(cx);
            }
            if d.pressing {
                self.watch_pressure(cx);
            }
            if d.fills_disk {
                self.watch_images(cx);
            }
            for why in std::mem::take(&mut d.disk_writes) {
                cx.write_volumes(key.clone()).because(why.with("node", &self.node)).await?;
            }
            if d.mirrors {
                self.try_reconcile_mirror_pods(cx, &key, pod).await;
            }
            let answer = match &d.report {
                None if is_static => self.report_to_mirror_pod(cx, &key, &d.rt).await,
                Some((from, status)) => {
                    let why = self.why_status(&key, &d.rt, status, cx.now());
                    cx.report_pod_status(key.clone(), from.clone(), status.clone())
                        .because(why)
                        .await
                        .map(Some)
                }
                None => Ok(None),
            };
            for e in &d.events {
                cx.record(self.recorded(cx, pod, &d.rt, e));
            }
            match answer {
                // Nothing had to be reported, and the turn has noted that.
                Ok(None) => {}
                Ok(Some(latest)) => {
                    let mut rt = (*d.rt).clone();
                    rt.unreported = false;
                    rt.latest = Some(latest);
                    let (key, rt) = (key.clone(), Rc::new(rt));
                    cx.update_state(move |s| {
                        s.pods.insert(key.clone(), rt.clone());
                    });
                }
                // A static pod runs on, whether anybody can see it or not.
                Err(e) if is_static => failed = Some(e).filter(|e| !e.is_not_found()),
                // The pod was deleted. The informer will deliver that.
                Err(e) if e.is_not_found() => return Ok(()),
                // The status manager tries again, whatever the answer was; the worker goes on (`status_manager.go`, `syncPod`).
                Err(e) => {
                    let mut rt = (*d.rt).clone();
                    (rt.unreported, rt.unsent) = (false, true);
                    let (key, rt) = (key.clone(), Rc::new(rt));
                    cx.update_state(move |s| {
                        s.pods.insert(key.clone(), rt.clone());
                    });
                    failed = Some(e);
                }
            }
            if d.delete && is_static {
                // Its manifest may be there again, or that of another pod of the name.
                self.remove(cx, &key);
                continue;
            }
            if d.delete && failed.is_none() {
                return self.delete(cx, &key, pod).await;
            }
            if !d.again {
                Self::plan(cx, &key, d.wakes);
                return failed.map_or(Ok(()), |e| Err(e.into()));
            }
        }
        // This many turns at one moment would be a bug; the worker continues a second later.
        cx.enqueue_after(Task::Pod(key), SignedDuration::from_secs(1));
        Ok(())
    }

    /// A status that could not be sent is reported anew.
    fn report_again(&self, cx: &Cx, key: &Key) {
        if !cx.state(|s| s.pods.get(key).is_some_and(|rt| rt.unsent)) {
            return;
        }
        let key = key.clone();
        cx.update_state(move |s| {
            with(s, &key, |rt| (rt.unreported, rt.unsent) = (true, false));
        });
    }

    /// Forgets a pod that is gone, and gives others the room that it had.
    fn remove(&self, cx: &Cx, key: &Key) {
        let frees = cx.state(|s| s.pods.get(key).is_some_and(|rt| rt.requests.is_some()));
        let left = cx.state(|s| lasting::left_behind(s, cx.caches(), &self.key, key, cx.now()));
        lasting::pass_on(cx, key, left);
        let pressing = forget(cx, &self.key, key);
        if frees {
            allocation::retry(cx);
        }
        if pressing {
            self.watch_pressure(cx);
        }
    }

    /// Takes a turn of a pod. `None` if there is nothing to do for it.
    fn decide(&self, cx: &Cx, key: &Key, of: &Known) -> Option<Decision> {
        let Known { pod, is_static } = of;
        cx.state(|s| {
            let known = s.pods.get(key).filter(|rt| *rt.uid == *pod.metadata.uid());
            let mut rt = match known {
                Some(rt) => (**rt).clone(),
                // The pod has ended and this kubelet did not run it, so it is left alone.
                None if is_over(pod) && !pod.metadata.is_deleting() => return None,
                None => PodRuntime {
                    uid: pod.metadata.uid().into(),
                    static_pod: is_static.then(|| pod.clone()),
                    phase: if is_over(pod) { WorkerPhase::Terminated } else { WorkerPhase::Sync },
                    ..Default::default()
                },
            };
            let is_found = rt.phase == WorkerPhase::Sync && known.is_none() && found::has_run(pod);
            let mine = s.faults.range((key.clone(), 0)..=(key.clone(), u64::MAX));
            let (numbers, faults): (Vec<_>, Vec<_>) = mine.map(|(k, f)| (k.clone(), f.clone())).unzip();
            let node = cx.caches().get::<Node>(&self.key).map(|n| &**n);
            let allocation =
                allocation::allocate(pod, &mut rt, s.node.used, node, s.settings.cpus.is_some(), cx.now());
            let seen = allocation.pod.as_ref().unwrap_or(pod);
            let spec = seen.spec.as_ref()?;
            let ephemeral = ephemeral::specs(seen, &rt);
            rt.ephemeral = ephemeral.clone();
            let mut turn = Turn::new(seen, spec, rt, s, &self.key, cx.caches(), cx.now());
            turn.ephemeral = &ephemeral;
            turn.node.used = allocation.used;
            turn.events = allocation.events;
            turn.calls = cx.is_looked_at().then(Vec::new);
            if is_found {
                turn.take_over();
            }
            let listened = turn.listening();
            turn.run(&self.key, &faults);
            let said = turn.fingerprint();
            let listens = turn.listening() != listened
                || turn.next_listening() != turn.rt.listens_until
                || turn.foresees_again().is_some_and(|at| at <= cx.now())
                || turn.rt.said.is_some_and(|before| before != said);
            turn.rt.said = Some(said);
            turn.rt.listens_until = turn.next_listening();
            turn.tell_writes();
            let sends = turn.drive_clients();
            let asks = std::mem::take(&mut turn.asks);
            turn.measure();
            turn.measure_cpu();
            let listens = listens || turn.node.shares_differ(&s.node);
            turn.kill_for_memory_of_pod();
            turn.note_resize(key);
            let pressing = turn.is_pressing(s);
            let (was, is) = (s.node.used, turn.node.used);
            let freed = !turn.node.resizing.is_empty() && (is.cpu < was.cpu || is.memory < was.memory);
            if *is_static {
                turn.note_status();
            }
            let report = if turn.rt.unreported { report(&turn, pod) } else { None };
            if report.is_none() {
                turn.rt.unreported = false;
            }
            let delete = turn.can_be_deleted();
            Some(Decision {
                wakes: turn.wakes(),
                sends_anew: turn.repeats_anew || (sends && listens),
                asks,
                sends,
                listens,
                pressing,
                fills_disk: turn.fills_disk(s),
                freed,
                out_of_memory: oom::has_run_out(s, &turn),
                orders: std::mem::take(&mut turn.orders),
                report,
                mirrors: *is_static
                    && turn.rt.phase == WorkerPhase::Sync
                    && turn.rt.seen
                    && !turn.rt.withdrawn,
                delete,
                again: turn.again,
                events: std::mem::take(&mut turn.events),
                disk_writes: std::mem::take(&mut turn.disk_writes),
                calls: turn.calls.take(),
                told: std::mem::take(&mut turn.told),
                node: turn.node,
                rt: Rc::new(turn.rt),
                faults: numbers,
                unpullable: if is_found { found::unpullable(pod) } else { Vec::new() },
            })
        })
    }

    /// Deletes the object of a pod of which nothing runs any more (`canBeDeleted`).
    async fn delete(&self, cx: &Cx, key: &Key, pod: &Rc<Pod>) -> Result {
        let options = DeleteOptions {
            grace_period_seconds: Some(0),
            uid: Some(pod.metadata.uid().to_owned()),
            ..Default::default()
        };
        let reference = ObjectRef::of(&**pod);
        let since = pod.metadata.deletion_timestamp.as_ref().map(|t| t.0.to_string()).unwrap_or_default();
        let why =
            Why::new("kubelet.can_be_deleted").read("pod", reference, "metadata.deletionTimestamp", since);
        match cx.delete(Kind::POD, key.clone(), options).because(why).await {
            Err(e) if !e.is_not_found() && !e.is_conflict() => return Err(e.into()),
            // The API server removes an object with finalizers after the last finalizer.
            _ => {}
        }
        let key = key.clone();
        cx.update_state(move |s| {
            if let Some(rt) = s.pods.get_mut(&key) {
                Rc::make_mut(rt).deleted = true;
            }
        });
        Ok(())
    }

    /// Plans the next turn for these deadlines.
    fn plan(cx: &Cx, key: &Key, wakes: Wakes) {
        let Wakes { foreground, recurring, background } = wakes;
        // A turn does all that is due, so that a later one of a sort that counts less is planned then.
        let before = |at: &Timestamp, others: &[Option<Timestamp>]| others.iter().flatten().all(|o| at < o);
        if let Some(at) = foreground {
            cx.enqueue_after(Task::Pod(key.clone()), at.duration_since(cx.now()));
        }
        if let Some(at) = recurring.filter(|at| before(at, &[foreground])) {
            cx.enqueue_waiting(Task::Recurring(key.clone()), at.duration_since(cx.now()), Wait::Recurring);
        }
        if let Some(at) = background.filter(|at| before(at, &[foreground, recurring])) {
            cx.enqueue_waiting(Task::Background(key.clone()), at.duration_since(cx.now()), Wait::Background);
        }
    }

    fn recorded(&self, cx: &Cx, pod: &Pod, rt: &PodRuntime, e: &PodEvent) -> Recorded {
        let init = pod.spec.as_ref().and_then(|s| s.init_containers.as_ref()).map_or(0, Vec::len);
        let main = pod.spec.as_ref().map_or(0, |s| s.containers.len());
        let field_path = e.container.and_then(|i| {
            let list = match i {
                i if i < init => "initContainers",
                i if i - init < main => "containers",
                _ => "ephemeralContainers",
            };
            Some(format!("spec.{list}{{{}}}", rt.containers.get(i)?.name))
        });
        Recorded {
            about: ObjectReference { field_path, ..object_reference(pod) },
            type_: e.type_,
            reason: (&*e.reason).into(),
            message: e.message.clone(),
            action: "",
            at: cx.now(),
        }
    }

    pub(super) fn why_status(&self, key: &Key, rt: &PodRuntime, to: &PodStatus, now: Timestamp) -> Why {
        let reference = ObjectRef { kind: Kind::POD, key: key.clone() };
        let phase = to.phase.as_deref().unwrap_or_default();
        let rule = match rt.phase {
            _ if rt.rejected => "kubelet.admit",
            WorkerPhase::Sync => "kubelet.sync_pod",
            WorkerPhase::Terminating | WorkerPhase::Terminated => "kubelet.sync_terminating_pod",
        };
        let why = Why::new(rule).read("pod", reference, "status.phase", phase).with("node", &self.node);
        let why = match &rt.failed {
            Some((reason, _)) if rt.rejected => why.with("reason", reason),
            _ => why,
        };
        let why = why.word("what", rt.cause.what.word());
        let Some(name) = &rt.cause.container else { return why };
        let among = |all: &Option<Vec<ContainerStatus>>| all.iter().flatten().any(|s| s.name == **name);
        let why = if among(&to.ephemeral_container_statuses) {
            why.with("sort", "ephemeral")
        } else if among(&to.init_container_statuses) {
            why.with("sort", "init")
        } else {
            why
        };
        let why = why.with("container", name);
        let why = match rt.cause.what.event() {
            Some(event) => why.with("event", event),
            None => why,
        };
        let why = match rt.cause.happened {
            Some(at) => why.with("late", seconds_of(now.duration_since(at))),
            None => why,
        };
        match rt.containers.iter().find(|c| c.name == *name) {
            Some(c) => why.with("state", state_of(c)).with("restarts", c.restarts),
            None => why,
        }
    }
}

/// A length of time in seconds, to the thousandth.
fn seconds_of(length: SignedDuration) -> f64 {
    (length.as_secs_f64() * 1000.0).round() / 1000.0
}

/// A container's state in a word or two, for a [`Why`].
fn state_of(c: &ContainerRuntime) -> String {
    match (&c.state, &c.waiting) {
        (ContainerState::Running(_), _) => "running".into(),
        (_, Some(w)) => w.reason.into(),
        (ContainerState::Exited(e), None) => format!("exit code {}", e.exit.code),
        _ => "waiting".into(),
    }
}

fn is_over(pod: &Pod) -> bool {
    matches!(pod.status.as_ref().and_then(|s| s.phase.as_deref()), Some("Succeeded" | "Failed"))
}

/// The pod that the report is based on and its new status; `None` if the API server has that status already.
fn report(turn: &Turn<'_>, pod: &Rc<Pod>) -> Option<(Rc<Pod>, Shared<PodStatus>)> {
    // The API server's last answer may be newer than the informer's cache.
    let latest = turn.rt.latest.as_ref().filter(|l| l.metadata.uid == pod.metadata.uid);
    let from = latest.filter(|l| status::version(l) > status::version(pod)).unwrap_or(pod);
    let empty = Default::default();
    let new = turn.generate_api_pod_status(from.status.as_deref().unwrap_or(&empty));
    if from.status.as_deref() == Some(&new) {
        return None;
    }
    Some((from.clone(), Shared::new(new)))
}

/// Forgets a pod whose object was deleted, and frees its address and resources. Returns whether the node has to be looked at.
fn forget(cx: &Cx, node: &Key, key: &Key) -> bool {
    let held = cx.state(|s| {
        let rt = s.pods.get(key)?;
        let taken = rt.phase != WorkerPhase::Terminated;
        let addresses = if taken { rt.addresses.clone() } else { Rc::default() };
        let pressing = rt.stats != Stats::default() && s.eviction.is_busy();
        Some((addresses, rt.requests, (rt.stats, rt.own_cpu), pressing, rt.uid.clone()))
    });
    let Some((addresses, requests, (stats, own_cpu), pressing, uid)) = held else { return false };
    let named = cx.state(|s| watched::no_longer_named(&s.pods, &s.node, cx.caches(), key));
    let capacity = neighbours::capacity(cx.caches(), node);
    if own_cpu != 0 && cx.state(|s| s.node.short_of_cpu) {
        cx.change_network();
    }
    let key = key.clone();
    cx.update_state(move |s| {
        if s.network.contains_key(&key) {
            s.network.remove(&key);
        }
        if s.queries.contains_key(&key) {
            s.queries.remove(&key);
        }
        if s.visits.contains_key(&key) {
            s.visits.remove(&key);
        }
        if s.opened.contains_key(&key) {
            s.opened.remove(&key);
        }
        if s.strained.contains_key(&key) {
            s.strained.remove(&key);
        }
        file_source::note_forgotten(s, &key);
        if let Some(rt) = s.pods.remove(&key) {
            for v in &rt.volumes {
                s.node.volumes.remove(&(v.name.clone(), key.clone()));
                if !v.inline && !s.pods.values().any(|other| other.volumes.iter().any(|o| o.name == v.name)) {
                    s.node.staged.remove(&v.name);
                }
            }
        }
        for ip in addresses.iter().filter_map(|a| a.parse::<std::net::IpAddr>().ok()) {
            s.node.addresses.remove(&ip);
        }
        if let Some(r) = requests {
            s.node.used = s.node.used.minus(r);
            cpu_manager::release(&mut s.node, &uid);
        }
        s.node.stats = s.node.stats.minus(stats);
        s.node.note_cpu(own_cpu, 0, || capacity);
        s.node.resizing.remove(&key);
        s.node.forget_frozen(&named);
        let faults: Vec<_> =
            s.faults.range((key.clone(), 0)..=(key.clone(), u64::MAX)).map(|(k, _)| k.clone()).collect();
        for f in &faults {
            s.faults.remove(f);
        }
    });
    pressing
}
