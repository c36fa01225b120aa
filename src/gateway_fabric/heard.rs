//! What a change means to the controller (`internal/controller/manager.go`: what is registered; `internal/controller/provisioner/eventloop.go`).

use std::rc::Rc;

use super::flags::Flags;
use super::known::WATCHED;
use super::state::{Controller, Instance, State};
use super::{CONNECTS, TAKES, Task};
use crate::api::definition::established_kind;
use crate::api::pod::is_terminal;
use crate::api::types::ObjectMeta;
use crate::api::types::{CustomResourceDefinition, EndpointSlice, Namespace, Pod, Secret, Service};
use crate::api::{ApiKind, Key, Kind, MetaExt, Object, Timestamp};
use crate::client::{Handler, Kinds, Notification, Seen};

type Heard<'a> = Handler<'a, State, Task>;

/// Plans a batch: at once, or when the last one has been handled.
fn plan(cx: &mut Heard<'_>) {
    if cx.state.controllers.is_empty() {
        return;
    }
    match cx.state.busy.filter(|until| *until > cx.now) {
        Some(until) => cx.enqueue_after(Task::Batch, until.duration_since(cx.now)),
        None => cx.enqueue(Task::Batch),
    }
}

/// A definition was established, or is gone.
pub(super) fn definition(cx: &mut Heard<'_>, seen: Seen<'_, CustomResourceDefinition>) {
    let group = &seen.object().spec.group;
    if !WATCHED.iter().any(|(watched, _)| watched == group) {
        return;
    }
    let definitions = cx.caches.of(Kind::CUSTOM_RESOURCE_DEFINITION).list(None);
    let kinds = definitions.filter_map(|o| established_kind(o.get::<CustomResourceDefinition>()?));
    let kinds: Kinds =
        kinds.filter(|k| WATCHED.contains(&(k.group(), k.plural()))).collect::<Vec<Kind>>().into();
    if kinds != cx.state.kinds {
        cx.state.kinds = kinds;
        plan(cx);
    }
}

/// An object of the Gateway API or of the controller's own group has changed in more than its status.
pub(super) fn custom(cx: &mut Heard<'_>, seen: &Notification) {
    let content = |o: &Option<Object>| {
        let custom = o.as_ref()?.custom()?;
        Some((custom.meta().generation, custom.meta().uid.clone(), custom.meta().annotations.clone()))
    };
    if content(&seen.old) != content(&seen.new) {
        plan(cx);
    }
}

/// The Gateway whose object it is, by its labels.
fn gateway_of(cx: &Heard<'_>, meta: &ObjectMeta) -> Option<Key> {
    let managed = meta.label("app.kubernetes.io/managed-by")?;
    let gateway =
        meta.label(super::made::GATEWAY_LABEL).or_else(|| meta.annotation(super::made::GATEWAY_LABEL))?;
    let ours = cx.state.controllers.values().any(|c| *c.flags.managed_by() == *managed);
    ours.then(|| Key::new(meta.namespace(), gateway))
}

/// An object that was made for a Gateway has changed, or is gone.
pub(super) fn made<T: ApiKind>(cx: &mut Heard<'_>, seen: Seen<'_, T>) {
    let Some(gateway) = gateway_of(cx, seen.object().meta()) else { return };
    let generation = |o: Option<&Rc<T>>| o.map(|o| (o.meta().generation, o.meta().uid.clone()));
    let of_status = seen.old.is_some_and(|o| o.meta().generation.is_some());
    if generation(seen.old) != generation(seen.new) || !of_status {
        cx.enqueue(Task::Provision(gateway));
    }
}

pub(super) fn service(cx: &mut Heard<'_>, seen: Seen<'_, Service>) {
    if let Some(gateway) = gateway_of(cx, &seen.object().metadata) {
        cx.enqueue(Task::Provision(gateway.clone()));
        if !seen.is_gone() {
            cx.enqueue(Task::Address(gateway));
        }
        return;
    }
    let content = |s: Option<&Rc<Service>>| s.map(|s| s.spec.clone());
    if content(seen.old) != content(seen.new) {
        plan(cx);
    }
}

pub(super) fn slice(cx: &mut Heard<'_>, seen: Seen<'_, EndpointSlice>) {
    let content = |s: Option<&Rc<EndpointSlice>>| {
        s.map(|s| (s.endpoints.clone(), s.ports.clone(), s.metadata.labels.clone()))
    };
    if content(seen.old) != content(seen.new) {
        plan(cx);
    }
}

pub(super) fn secret(cx: &mut Heard<'_>, seen: Seen<'_, Secret>) {
    let content = |s: Option<&Rc<Secret>>| s.map(|s| (s.data.clone(), s.type_.clone()));
    let meta = &seen.object().metadata;
    if let Some(gateway) = gateway_of(cx, meta) {
        cx.enqueue(Task::Provision(gateway));
    } else if content(seen.old) != content(seen.new) {
        plan(cx);
    }
}

pub(super) fn namespace(cx: &mut Heard<'_>, seen: Seen<'_, Namespace>) {
    let labels = |n: Option<&Rc<Namespace>>| n.map(|n| n.metadata.labels.clone());
    if labels(seen.old) != labels(seen.new) {
        plan(cx);
    }
}

/// When a container of a pod started; `None` if it does not run.
fn started(pod: &Pod, container: &str) -> Option<Timestamp> {
    if is_terminal(pod) {
        return None;
    }
    let statuses = pod.status.as_ref()?.container_statuses.as_ref()?;
    let status = statuses.iter().find(|s| s.name == container)?;
    Some(status.state.as_ref()?.running.as_ref()?.started_at.as_ref()?.0)
}

pub(super) fn pod(cx: &mut Heard<'_>, seen: Seen<'_, Pod>) {
    if let Some((container, flags)) = Flags::of_pod(seen.object()) {
        controller(cx, seen, &container, flags);
    } else {
        nginx(cx, seen);
    }
}

/// A pod of the controller itself.
fn controller(cx: &mut Heard<'_>, seen: Seen<'_, Pod>, container: &str, flags: Flags) {
    let leaders = |s: &State| s.leaders().into_iter().map(|(key, c)| (key, c.started)).collect::<Vec<_>>();
    let before = leaders(cx.state);
    match seen.new.and_then(|p| Some((p, started(p, container)?))) {
        Some((pod, started)) => {
            let stopping = pod.metadata.is_deleting();
            let controller = Controller { started, flags: Rc::new(flags), stopping };
            cx.state.controllers.insert(seen.key.clone(), Rc::new(controller));
        }
        None => drop(cx.state.controllers.remove(seen.key)),
    }
    let after = leaders(cx.state);
    if after.is_empty() {
        // What it knew is lost; nginx keeps what it has.
        cx.state.graphs = Default::default();
        cx.state.configurations = Default::default();
        [Task::Batch, Task::Statuses].into_iter().for_each(|task| cx.cancel(task));
    } else if before != after {
        plan(cx);
    }
}

/// A pod that runs the nginx of a Gateway, by its labels. It is told something if there is a configuration for its Deployment.
fn nginx(cx: &mut Heard<'_>, seen: Seen<'_, Pod>) {
    let meta = &seen.object().metadata;
    let labels = ["app.kubernetes.io/managed-by", "app.kubernetes.io/name"].map(|label| meta.label(label));
    let [Some(_), Some(name)] = labels else { return };
    let known = cx.state.instances.get(seen.key).cloned();
    let same = known.filter(|i| *i.uid == *meta.uid());
    let Some(started) = seen.new.and_then(|p| started(p, super::made::NGINX)) else {
        if seen.is_gone() || same.is_none() {
            cx.state.instances.remove(seen.key);
        }
        return cx.cancel(Task::Apply(seen.key.clone()));
    };
    if same.as_ref().is_some_and(|i| i.started == started) {
        return;
    }
    let instance = Instance {
        uid: meta.uid().into(),
        started,
        deployment: Key::new(meta.namespace(), name),
        // The files are in volumes of the pod, which outlive its containers.
        running: same.and_then(|i| i.running.clone()),
    };
    cx.state.instances.insert(seen.key.clone(), Rc::new(instance));
    cx.enqueue_after(Task::Apply(seen.key.clone()), CONNECTS.saturating_add(TAKES));
}
