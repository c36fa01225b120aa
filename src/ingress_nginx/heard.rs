//! What a change means to the controller (`internal/ingress/controller/store/store.go`: the handlers of its informers).

use std::collections::BTreeSet;
use std::rc::Rc;

use jiff::SignedDuration;

use super::state::{Instance, State};
use super::{EVERY, STATUS_EVERY, Task};
use crate::api::pod::{is_ready, is_terminal};
use crate::api::types::{EndpointSlice, Ingress, IngressClass, Pod, Service};
use crate::api::{Key, MetaExt, Timestamp, later};
use crate::client::{Caches, Handler, Seen};
use crate::network::ingress::Flags;
use crate::network::ingress::annotations::{Complaint, Options};

type Heard<'a> = Handler<'a, State, Task>;

/// Whether an instance serves an Ingress, by the classes that the caches have.
pub(super) fn is_served(flags: &Flags, caches: &Caches, ingress: &Ingress) -> bool {
    let class = |name: &str| caches.get::<IngressClass>(&Key::new("", name)).map(|c| &**c);
    flags.serves(ingress, class).is_ok()
}

/// Plans a sync of an instance: at once, or when enough time has passed since the last one.
fn plan(cx: &mut Heard<'_>, pod: &Key) {
    let Some(instance) = cx.state.instances.get(pod).filter(|i| i.ingresses.is_some()) else { return };
    let at = instance.synced.map_or(cx.now, |last| later(last, EVERY)).max(cx.now);
    cx.enqueue_after(Task::Sync(pod.clone()), at.duration_since(cx.now));
}

fn plan_all(cx: &mut Heard<'_>) {
    let pods: Vec<Key> = cx.state.instances.keys().cloned().collect();
    pods.iter().for_each(|pod| plan(cx, pod));
}

/// When the leader looks at statuses next: every minute from its start on.
pub(super) fn next_look(started: Timestamp, now: Timestamp) -> SignedDuration {
    let (passed, every) = (now.duration_since(started).as_nanos().max(0), STATUS_EVERY.as_nanos());
    let rest = every - passed % every.max(1);
    SignedDuration::from_nanos(i64::try_from(rest).unwrap_or(i64::MAX))
}

fn plan_status(cx: &mut Heard<'_>) {
    let leader = cx.state.leader().filter(|(_, i)| i.flags.update_status).map(|(_, i)| i.started);
    if let Some(started) = leader {
        cx.enqueue_after(Task::Status, next_look(started, cx.now));
    }
}

pub(super) fn service(cx: &mut Heard<'_>, seen: Seen<'_, Service>) {
    let content = |s: Option<&Rc<Service>>| s.map(|s| (s.spec.clone(), s.status.clone()));
    if content(seen.old) != content(seen.new) {
        plan_all(cx);
        let publishes = |i: &Rc<Instance>| i.flags.publish_service.as_ref() == Some(seen.key);
        if cx.state.instances.values().any(publishes) {
            plan_status(cx);
        }
    }
}

pub(super) fn slice(cx: &mut Heard<'_>, seen: Seen<'_, EndpointSlice>) {
    let content = |s: Option<&Rc<EndpointSlice>>| {
        s.map(|s| (s.endpoints.clone(), s.ports.clone(), s.metadata.labels.clone()))
    };
    if content(seen.old) != content(seen.new) {
        plan_all(cx);
    }
}

/// Says that an Ingress will be looked at, and what of its annotations is not honoured.
fn say(cx: &mut Heard<'_>, ingress: &Ingress, old: Option<&Rc<Ingress>>) {
    cx.event(ingress, "Normal", "Sync", "Scheduled for sync");
    let annotations = |i: &Ingress| i.metadata.annotations.clone();
    if old.is_some_and(|old| annotations(old) == annotations(ingress)) {
        return;
    }
    for (reason, message) in complaints(ingress) {
        cx.event(ingress, "Warning", reason, message);
    }
}

/// What is to be said of the annotations of an Ingress: the reason and the message of an event.
pub(super) fn complaints(ingress: &Ingress) -> Vec<(&'static str, String)> {
    let say = |complaint: Complaint| match complaint {
        Complaint::NotSimulated(name) => (
            "NotSimulated",
            format!("the annotation {name} is not simulated; the Ingress is served without it"),
        ),
        Complaint::Invalid(name) => (
            "InvalidAnnotation",
            format!("the value of the annotation {name} cannot be read; the default holds"),
        ),
        Complaint::Refused(name) => {
            ("InvalidAnnotation", format!("the value of the annotation {name} cannot be read; {REFUSED}"))
        }
        Complaint::TooRisky(name) => {
            ("RiskyAnnotation", format!("the annotation {name} is too risky; {REFUSED}"))
        }
    };
    Options::read(ingress).1.into_iter().map(say).collect()
}

/// What becomes of an Ingress that is refused.
const REFUSED: &str = "the Ingress is not taken over: if it was served before, it goes on as it was";

/// Whether an Ingress is refused for its annotations (`syncIngress` in `store.go` returns before it has stored it).
pub(super) fn is_refused(ingress: &Ingress) -> bool {
    Options::read(ingress).1.iter().any(Complaint::refuses)
}

pub(super) fn ingress(cx: &mut Heard<'_>, seen: Seen<'_, Ingress>) {
    let pods: Vec<Key> = cx.state.instances.keys().cloned().collect();
    let mut changed = false;
    for pod in pods {
        let Some(instance) = cx.state.instances.get(&pod).cloned() else { continue };
        let Some(known) = &instance.ingresses else { continue };
        let served = seen.new.filter(|new| is_served(&instance.flags, cx.caches, new));
        let (mut after, mut kept) = (known.clone(), instance.kept.clone());
        kept.remove(seen.key);
        match served {
            Some(new) => {
                say(cx, new, seen.old);
                if !is_refused(new) {
                    after.insert(seen.key.clone(), new.clone());
                } else if after.contains_key(seen.key) {
                    kept.insert(seen.key.clone());
                }
            }
            None if after.remove(seen.key).is_none() => continue,
            None => {}
        }
        cx.state.change(&pod, |i| {
            i.ingresses = Some(after);
            i.kept = kept;
        });
        changed = true;
        plan(cx, &pod);
    }
    // What the status says of itself is no reason to look at it again.
    let content = |i: Option<&Rc<Ingress>>| i.map(|i| (i.spec.clone(), i.metadata.annotations.clone()));
    if changed && content(seen.old) != content(seen.new) {
        plan_status(cx);
    }
}

/// When the container of a pod that is the controller started; `None` if it does not run.
fn started(pod: &Pod, container: &str) -> Option<Timestamp> {
    let statuses = pod.status.as_ref()?.container_statuses.as_ref()?;
    let status = statuses.iter().find(|s| s.name == container)?;
    Some(status.state.as_ref()?.running.as_ref()?.started_at.as_ref()?.0)
}

pub(super) fn pod(cx: &mut Heard<'_>, seen: Seen<'_, Pod>) {
    let Some((container, flags)) = Flags::of_pod(seen.object()) else { return };
    let runs = seen.new.filter(|p| !is_terminal(p)).and_then(|p| Some((p, started(p, &container)?)));
    let known = cx.state.instances.get(seen.key).cloned();
    let Some((pod, started)) = runs else {
        if known.is_some() {
            cx.state.instances.remove(seen.key);
            cx.cancel(Task::Sync(seen.key.clone()));
            cx.cancel(Task::Apply(seen.key.clone()));
            plan_status(cx);
        }
        return;
    };
    let stopping = pod.metadata.is_deleting();
    let same = known.filter(|i| i.started == started);
    let stops = same.as_ref().is_some_and(|i| !i.stopping && stopping);
    match &same {
        Some(i) if i.stopping == stopping => {}
        Some(_) => cx.state.change(seen.key, |i| i.stopping = stopping),
        None => {
            let instance = Instance {
                started,
                flags: Rc::new(flags),
                ingresses: None,
                kept: BTreeSet::new(),
                synced: None,
                pending: None,
                running: None,
                stopping,
            };
            cx.state.instances.insert(seen.key.clone(), Rc::new(instance));
            cx.cancel(Task::Apply(seen.key.clone()));
            cx.enqueue(Task::Sync(seen.key.clone()));
        }
    }
    if stops && cx.state.leader().is_none() {
        // The last one takes its address back before it ends.
        cx.enqueue(Task::Status);
    } else if same.is_none() || stops || seen.old.is_some_and(|old| is_ready(old) != is_ready(pod)) {
        plan_status(cx);
    }
}
