//! From the caches to a configuration, and from there to nginx (`syncIngress` in `internal/ingress/controller/controller.go`).

use std::collections::BTreeMap;
use std::rc::Rc;

use super::heard::{complaints, is_refused, is_served};
use super::state::{Instance, State};
use super::{TAKES, Task};
use crate::api::persistent::Map;
use crate::api::types::discovery::LABEL_SERVICE_NAME;
use crate::api::types::{EndpointSlice, Ingress, Pod, Service};
use crate::api::{Key, Kind, MetaExt};
use crate::apimachinery::{Body, Subresource, Verb};
use crate::client::{Context, Result, Why};
use crate::network::ingress::{Backend, Configuration, Known};
use crate::network::moved::Moved;

type Cx = Context<State, Task>;

/// The Ingresses of an instance that starts: those that the caches have, each with its events.
fn first_ingresses(cx: &Cx, instance: &Instance) -> Map<Key, Rc<Ingress>> {
    let mut all = Map::default();
    for ingress in cx.lister::<Ingress>().list(None) {
        if is_served(&instance.flags, cx.caches(), ingress) {
            cx.event(&**ingress, "Normal", "Sync", "Scheduled for sync");
            for (reason, message) in complaints(ingress) {
                cx.event(&**ingress, "Warning", reason, message);
            }
            if !is_refused(ingress) {
                all.insert(ingress.metadata.key(), ingress.clone());
            }
        }
    }
    all
}

/// Makes a configuration of what the caches have now, for the nginx of a pod.
pub(super) fn sync(cx: &Cx, pod: Key) {
    let Some(instance) = cx.state(|s| s.instances.get(&pod).cloned()) else { return };
    let first = instance.ingresses.is_none();
    let ingresses = instance.ingresses.clone().unwrap_or_else(|| first_ingresses(cx, &instance));
    let services = cx.lister::<Service>();
    let slices = cx.lister::<EndpointSlice>();
    let mut known = Known { default_backend: instance.flags.default_backend.clone(), ..Known::default() };
    known.services = services.list(None).map(|s| (s.metadata.key(), &**s)).collect();
    let mut of_services: BTreeMap<Key, Vec<&EndpointSlice>> = BTreeMap::new();
    for slice in slices.list(None) {
        let Some(service) = slice.metadata.label(LABEL_SERVICE_NAME) else { continue };
        of_services.entry(Key::new(slice.metadata.namespace(), service)).or_default().push(slice);
    }
    known.slices = of_services;
    let all: Vec<&Ingress> = ingresses.values().map(|i| &**i).collect();
    let made = Configuration::build(&all, &known);
    if let (Err(why), Some(object)) = (&made, cx.lister::<Pod>().get(&pod)) {
        cx.event(&**object, "Warning", "RELOAD", format!("Error reloading NGINX: {why}"));
    }
    let before = instance.pending.as_ref().or(instance.running.as_ref());
    let known = before.map(|b| &b.left_out);
    for (ingress, path) in made.iter().flat_map(|m| &m.left_out) {
        let new = known.is_none_or(|k| !k.contains(&(ingress.clone(), path.clone())));
        if let Some(object) = ingresses.get(ingress).filter(|_| new) {
            let message =
                format!("the regular expression {path} is not simulated; its requests find other paths");
            cx.event(&**object, "Warning", "NotSimulated", message);
        }
    }
    let made = made.ok().filter(|m| before.is_none_or(|b| **b != *m)).map(Rc::new);
    if made.is_some() {
        cx.enqueue_after(Task::Apply(pod.clone()), TAKES);
    }
    let now = cx.now();
    cx.update_state(move |s| {
        s.change(&pod, |i| {
            i.synced = Some(now);
            if first {
                i.ingresses = Some(ingresses.clone());
            }
            if made.is_some() {
                i.pending.clone_from(&made);
            }
        });
    });
}

/// Hands the configuration that was made over to the nginx of a pod.
pub(super) async fn apply(cx: Cx, pod: Key) -> Result {
    let Some(instance) = cx.state(|s| s.instances.get(&pod).cloned()) else { return Ok(()) };
    let Some(pending) = instance.pending.clone() else { return Ok(()) };
    let running = instance.running.clone();
    let reload = running.as_ref().is_none_or(|r| r.needs_reload(&pending));
    let why = why(running.as_deref(), &pending).with("pod", &pod.name);
    let done = cx.send(Verb::Update, Kind::POD, pod.clone(), Subresource::Configuration, Body::None);
    done.because(why).await?;
    if let Some(object) = cx.lister::<Pod>().get(&pod).filter(|_| reload) {
        let message = "NGINX reload triggered due to a change in configuration";
        cx.event(&**object, "Normal", "RELOAD", message);
    }
    cx.update_state(move |s| {
        s.change(&pod, |i| {
            i.running = Some(pending.clone());
            // Something newer may have been made meanwhile.
            if i.pending.as_ref().is_some_and(|p| Rc::ptr_eq(p, &pending)) {
                i.pending = None;
            }
        });
    });
    cx.change_network();
    Ok(())
}

/// How many endpoints a backend has.
fn count(backend: Option<&Backend>) -> usize {
    backend.map_or(0, |b| b.endpoints.len() + usize::from(b.external.is_some()))
}

fn why(before: Option<&Configuration>, after: &Configuration) -> Why {
    let routes = |c: &Configuration| c.servers.values().map(|s| s.locations.len()).sum::<usize>();
    let Some(before) = before else {
        return Why::new("ingress_nginx.first_sync")
            .with("servers", after.servers.len())
            .with("routes", routes(after));
    };
    if before.needs_reload(after) {
        return Why::new("ingress_nginx.reload").with("before", routes(before)).with("routes", routes(after));
    }
    match before.changed_backends(after).as_slice() {
        [one] => {
            let service = after.backends.get(*one).or_else(|| before.backends.get(*one));
            let list =
                |of: &Configuration| of.backends.get(*one).map(|b| b.endpoints.clone()).unwrap_or_default();
            let moved = Moved::of(&list(before), &list(after));
            Why::new("ingress_nginx.endpoints")
                .with("service", service.map(|b| b.service.to_string()).unwrap_or_default())
                .with("before", count(before.backends.get(*one)))
                .with("count", count(after.backends.get(*one)))
                .with("change", moved.change)
                .with("new", moved.new)
                .with("gone", moved.gone)
        }
        several => Why::new("ingress_nginx.backends").with("services", several.len()),
    }
}
