//! The EndpointSlice controller (`pkg/controller/endpointslice`, `k8s.io/endpointslice`): it publishes the
//! pods of a Service in slices of a hundred endpoints. Which slices it changes is worked out in the module `reconcile`.

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::SignedDuration;

use super::{
    LAST_CHANGE_TRIGGER_TIME, addresses, belongs, families, find_port, fixed_ports,
    found::{News, Triggers},
    handle_pod, hostname,
    placed::{Look, Placed},
    plan::Plan,
    ports::sort_slice_ports,
    reconcile::{CONTROLLER, Desired, len, owned_by, ports_key, reconcile},
    target_ref,
    topology::{self, Told, TopologyCache},
    tracker::{Tracker, service_of},
    traffic::hints,
    written,
};
use crate::api::ip_family::{IPV4, IPV6};
use crate::api::persistent::Map;
use crate::api::pod::is_ready;
use crate::api::types::discovery::{
    Endpoint, EndpointConditions, EndpointPort, EndpointSlice, LABEL_MANAGED_BY, LABEL_SERVICE_NAME,
};
use crate::api::types::{Node, ObjectMeta, Pod, Service, ServicePort, ServiceSpec};
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef, Timestamp};
use crate::apimachinery::DeleteOptions;
use crate::client::{
    Caches, Context, Error, EventFlavour, Handler, Memory, RateLimit, Reconciler, Result, Seen, Watches, Why,
};
use crate::controllers::controller_utils::aggregate;

/// How often a Service is tried again after an error (`maxRetries`).
const MAX_RETRIES: u32 = 15;
/// How long a Service waits after its first failure (`defaultSyncBackOff`), and at most (`maxSyncBackOff`).
const SYNC_BACK_OFF: SignedDuration = SignedDuration::from_secs(1);
const MAX_SYNC_BACK_OFF: SignedDuration = SignedDuration::from_secs(1000);
/// How long after somebody else's change of a slice its Service is looked at (`endpointSliceChangeMinSyncDelay`).
const SLICE_CHANGE_DELAY: SignedDuration = SignedDuration::from_secs(1);

/// The EndpointSlice controller.
#[derive(Clone, Copy, Debug)]
pub struct EndpointSliceController;

/// What the controller remembers.
#[derive(Clone, Debug, Default)]
pub struct State {
    triggers: Triggers,
    topology: TopologyCache,
    tracker: Tracker,
    placed: Map<(Key, &'static str), Rc<Placed>>,
}

impl State {
    /// Forgets the slices of a Service that have addresses of one type.
    fn forget(&mut self, service: &Key, family: &'static str) {
        self.topology.forget(service, family);
        self.placed.remove(&(service.clone(), family));
    }
}

impl Memory for State {
    fn lines(&self, now: Timestamp) -> Vec<String> {
        let mut lines = self.triggers.lines(now);
        lines.extend(self.topology.lines(now));
        lines.extend(self.tracker.lines());
        lines
    }

    fn waits_for(&self, caches: &Caches) -> Vec<String> {
        self.tracker.waits_for(|service| slices_of(caches, service))
    }
}

type Cx = Context<State>;

impl Reconciler for EndpointSliceController {
    type Key = Key;
    type State = State;

    fn name(&self) -> Rc<str> {
        "endpointslice-controller".into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: "endpoint-slice-controller".into(), host: None }
    }

    fn watches(&self) -> Watches<State> {
        Watches::new().for_::<Service>().watches(handle_pod).watches(handle_node).watches(handle_slice)
    }

    fn rate_limit(&self) -> RateLimit {
        RateLimit { base: SYNC_BACK_OFF, max: MAX_SYNC_BACK_OFF }
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        let Some(service) = cx.lister::<Service>().get(&key).cloned() else {
            cx.update_state(move |s| {
                s.triggers.forget(&key);
                s.tracker.forget(&key);
                [IPV4, IPV6].iter().for_each(|family| s.forget(&key, family));
            });
            return Ok(());
        };
        let Some(news) = cx.state(|s| s.triggers.look(&key, &service, cx.caches())) else { return Ok(()) };
        let slices = slices_of(cx.caches(), &key);
        if cx.state(|s| s.tracker.is_stale(&key, &slices)) {
            return Err(Error::Other("EndpointSlice informer cache is out of date".into()));
        }
        let (k, found) = (key.clone(), news.found.clone());
        cx.update_state(move |s| s.triggers.set(k.clone(), found.clone()));
        let families = families(&service);
        let (existing, foreign): (Vec<Rc<EndpointSlice>>, Vec<_>) =
            slices.into_iter().partition(|s| families.contains(&s.address_type.as_str()));
        let mut errors = Vec::new();
        for family in families {
            let of_family = existing.iter().filter(|s| s.address_type == family);
            errors.extend(reconcile_by_address_type(&cx, &service, &news, family, of_family).await);
        }
        // The Service has no addresses of this type any more.
        for slice in foreign {
            if let Some(family) = [IPV4, IPV6].into_iter().find(|f| *f == slice.address_type) {
                let key = key.clone();
                cx.update_state(move |s| s.forget(&key, family));
            }
            if let Err(e) = delete(&cx, &service, &slice).await {
                let name = slice.metadata.name();
                errors.push(other(format!("error deleting {name} EndpointSlice for Service {key}: {e}")));
            }
        }
        let result = aggregate(errors);
        if let Err(e) = &result {
            let message = format!("Error updating Endpoint Slices for Service {key}: {e}");
            cx.event(&*service, "Warning", "FailedToUpdateEndpointSlices", message);
        }
        result
    }

    fn max_retries(&self) -> Option<u32> {
        Some(MAX_RETRIES)
    }
}

/// The slices of a Service that are the controller's and are not being deleted.
fn slices_of(caches: &Caches, service: &Key) -> Vec<Rc<EndpointSlice>> {
    let of_kind = caches.of(Kind::ENDPOINT_SLICE).list(Some(&service.namespace));
    of_kind
        .filter_map(EndpointSlice::from_object)
        .filter(|s| is_mine(&s.metadata) && s.metadata.label(LABEL_SERVICE_NAME) == Some(&service.name))
        .filter(|s| !s.metadata.is_deleting())
        .cloned()
        .collect()
}

fn other(message: String) -> Error {
    Error::Other(message)
}

/// Brings the slices of a Service that have addresses of one type to what they should be, and tells of their hints
/// (`reconcileByAddressType`). Returns what went wrong.
async fn reconcile_by_address_type(
    cx: &Cx,
    service: &Rc<Service>,
    news: &News,
    family: &'static str,
    existing: impl Iterator<Item = &Rc<EndpointSlice>>,
) -> Vec<Error> {
    let existing: Vec<Rc<EndpointSlice>> = existing.cloned().collect();
    let at = (service.metadata.key(), family);
    let known = cx.state(|s| s.placed.get(&at).cloned());
    let look = known.as_ref().and_then(|k| k.look(service, news, &existing, cx.caches()));
    let known = known.filter(|_| look.is_some());
    let look = look.unwrap_or_else(|| Look::at_all(news));
    let (desired, mut errors) = desired(cx, service, &look, family);
    let mut plan = reconcile(service, family, desired, &existing, &look.settled);
    // What is written besides follows from all endpoints.
    let hinted = topology::is_wanted(service) || cx.state(|s| s.topology.has_hints(service));
    let fixed = service.spec.as_ref().is_some_and(|spec| fixed_ports(spec).is_some());
    let placed = (fixed && !hinted && errors.is_empty()).then(|| {
        let seen = ((news, &look), (family, &plan));
        Rc::new(Placed::after(known.as_deref(), service, seen.0, seen.1, cx.caches()))
    });
    cx.update_state(move |s| {
        match &placed {
            Some(placed) => s.placed.insert(at.clone(), placed.clone()),
            None => s.placed.remove(&at),
        };
    });
    let told = if hinted { add_hints(cx, service, family, &mut plan) } else { Vec::new() };
    errors.extend(carry_out(cx, service, plan, news.trigger).await.err());
    for Told { type_, reason, message } in told {
        cx.event(&**service, type_, reason, message);
    }
    errors
}

/// Enqueues the Service of a slice that somebody else has written or deleted, after a second (`onEndpointSliceAdd`,
/// `onEndpointSliceUpdate`, `onEndpointSliceDelete`).
fn handle_slice(cx: &mut Handler<'_, State>, seen: Seen<'_, EndpointSlice>) {
    let mine = |s: &&Rc<EndpointSlice>| is_mine(&s.metadata);
    let mut services = Vec::new();
    match (seen.old, seen.new) {
        (Some(old), Some(new)) if service_of(old) != service_of(new) => {
            services = vec![service_of(new), service_of(old)];
        }
        (Some(old), Some(new)) => {
            let moved = is_mine(&old.metadata) != is_mine(&new.metadata);
            if moved || (is_mine(&new.metadata) && cx.state.tracker.should_sync(new)) {
                services.push(service_of(new));
            }
        }
        (None, Some(new)) => {
            if is_mine(&new.metadata) && cx.state.tracker.should_sync(new) {
                services.push(service_of(new));
            }
        }
        (old, None) => {
            if let Some(old) = old.filter(mine)
                && cx.state.tracker.gone(old)
            {
                services.push(service_of(old));
            }
        }
    }
    services.into_iter().flatten().for_each(|service| cx.enqueue_after(service, SLICE_CHANGE_DELAY));
}

/// Works out the zones' shares anew, and enqueues the Services that have too few endpoints in a zone. Kubernetes does so
/// in a queue of its own (`checkNodeTopologyDistribution`).
fn handle_node(cx: &mut Handler<'_, State>, seen: Seen<'_, Node>) {
    if !topology::matters(seen.old, seen.new) {
        return;
    }
    cx.state.topology.set_nodes(cx.caches);
    for key in cx.state.topology.overloaded() {
        cx.enqueue(key);
    }
}

/// Sets, changes or takes away the hints of a Service that has a topology mode or had one.
fn add_hints(cx: &Cx, service: &Rc<Service>, family: &'static str, plan: &mut Plan) -> Vec<Told> {
    let before = plan.clone();
    let told = cx.state(|s| s.topology.clone().reconcile(service, family, plan));
    let service = service.clone();
    cx.update_state(move |s| {
        s.topology.reconcile(&service, family, &mut before.clone());
    });
    told
}

fn is_mine(meta: &ObjectMeta) -> bool {
    meta.label(LABEL_MANAGED_BY) == Some(CONTROLLER)
}

/// The wanted endpoints with addresses of a family. A pod whose Node is not there is left out, and is an error, so that
/// it is looked for again; unless the Service publishes pods that are not ready.
fn desired(cx: &Cx, service: &Service, look: &Look, family: &str) -> (Desired, Vec<Error>) {
    let spec = service.spec.clone().unwrap_or_default();
    let publish_not_ready = spec.publish_not_ready_addresses == Some(true);
    // The pods of a template have the same numbers: ports are sorted once for each list of numbers.
    let mut by_numbers: BTreeMap<Vec<Option<i32>>, Vec<Endpoint>> = BTreeMap::new();
    let mut skipped = Vec::new();
    // Pods that are not looked at have these ports, too.
    if let Some(ports) = fixed_ports(&spec).filter(|_| look.published > 0) {
        by_numbers.insert(ports.into_iter().map(|(_, number)| Some(number)).collect(), Vec::new());
    }
    for pod in look.pods.iter().filter(|p| belongs(p, true)) {
        let numbers = spec.ports.iter().flatten().map(|p| find_port(pod, p)).collect();
        let endpoints = by_numbers.entry(numbers).or_default();
        let node = pod.spec.as_ref().and_then(|s| s.node_name.as_deref()).unwrap_or_default();
        if !publish_not_ready && cx.lister::<Node>().get(&Key::new("", node)).is_none() {
            let (pod, service) = (pod.metadata.name(), service.metadata.key());
            let why = format!("skipping Pod {pod} for Service {service}: Node {node} Not Found");
            skipped.push(other(why));
            continue;
        }
        let endpoint = endpoint(cx, service, pod, family, publish_not_ready);
        if !endpoint.addresses.is_empty() {
            endpoints.push(endpoint);
        }
    }
    let mut out = Desired::new();
    for (numbers, endpoints) in by_numbers {
        let ports = slice_ports(&spec, &numbers);
        out.entry(ports_key(&ports)).or_insert_with(|| (ports, Vec::new())).1.extend(endpoints);
    }
    (out, skipped)
}

/// The ports of a slice, in order: those of the Service for which its pods have a number (`getEndpointPorts`).
fn slice_ports(spec: &ServiceSpec, numbers: &[Option<i32>]) -> Vec<EndpointPort> {
    let port = |(p, number): (&ServicePort, &Option<i32>)| {
        Some(EndpointPort {
            name: Some(p.name.clone().unwrap_or_default()),
            port: Some((*number)?),
            protocol: p.protocol.clone(),
            app_protocol: p.app_protocol.clone(),
        })
    };
    let mut ports: Vec<EndpointPort> = spec.ports.iter().flatten().zip(numbers).filter_map(port).collect();
    sort_slice_ports(&mut ports);
    ports
}

/// The endpoint of a pod (`podToEndpoint`).
fn endpoint(cx: &Cx, service: &Service, pod: &Pod, family: &str, publish_not_ready: bool) -> Endpoint {
    let (serving, terminating) = (is_ready(pod), pod.metadata.is_deleting());
    let node_name = pod.spec.as_ref().and_then(|s| s.node_name.clone()).filter(|n| !n.is_empty());
    let node = node_name.as_ref().and_then(|n| cx.lister::<Node>().get(&Key::new("", n)));
    let zone = node.and_then(|n| n.metadata.label("topology.kubernetes.io/zone"));
    let mut endpoint = Endpoint {
        addresses: addresses(pod, family).map(str::to_owned).collect(),
        conditions: Some(EndpointConditions {
            ready: Some(publish_not_ready || (serving && !terminating)),
            serving: Some(serving),
            terminating: Some(terminating),
        }),
        hostname: hostname(pod, service),
        node_name,
        zone: zone.filter(|z| !z.is_empty()).map(str::to_owned),
        target_ref: Some(target_ref(pod)),
        ..Default::default()
    };
    endpoint.hints = hints(service, &endpoint);
    endpoint
}

/// Writes the slices of a plan (`finalize`). A slice to be deleted is updated to one to be created, where
/// there are both: what is written is the new slice with the name of the old one.
async fn carry_out(cx: &Cx, service: &Service, plan: Plan, trigger: Option<Timestamp>) -> Result {
    let Plan { mut create, mut update, delete: to_delete, unchanged: _ } = plan;
    let mut left = Vec::new();
    for old in to_delete {
        match if owned_by(&old, service) { create.pop() } else { None } {
            Some(mut new) => {
                new.metadata.name.clone_from(&old.metadata.name);
                update.push(Rc::new(new));
            }
            None => left.push(old),
        }
    }
    let of = format!("EndpointSlice for Service {}", service.metadata.key());
    if !service.metadata.is_deleting() {
        for mut slice in create {
            mark(&mut slice.metadata, trigger);
            let why = why(service, len(&slice));
            match cx.create(slice).because(why).await {
                Err(e) if e.is_namespace_terminating() => return Ok(()),
                Err(e) => return Err(other(format!("failed to create {of}: {}", e.message))),
                Ok(created) => cx.update_state(move |s| s.tracker.wrote(&created)),
            }
        }
    }
    for mut slice in update {
        mark(&mut Rc::make_mut(&mut slice).metadata, trigger);
        let (why, name) = (why(service, len(&slice)), slice.metadata.name().to_owned());
        match cx.update(slice).because(why).await {
            Err(e) => return Err(other(format!("failed to update {name} {of}: {}", e.message))),
            Ok(updated) => cx.update_state(move |s| s.tracker.wrote(&updated)),
        }
    }
    for slice in left {
        let name = slice.metadata.name();
        delete(cx, service, &slice).await.map_err(|e| other(format!("failed to delete {name} {of}: {e}")))?;
    }
    Ok(())
}

/// Why a slice with this many endpoints is written.
fn why(service: &Service, endpoints: usize) -> Why {
    Why::new("endpointslice.reconcile")
        .read("service", ObjectRef::of(service), "spec.selector", service.metadata.name())
        .with("endpoints", endpoints)
}

/// Deletes a slice, and expects it to be gone.
async fn delete(cx: &Cx, service: &Service, slice: &Rc<EndpointSlice>) -> Result {
    let key = slice.metadata.key();
    cx.delete(EndpointSlice::KIND, key, DeleteOptions::default()).because(why(service, 0)).await?;
    let slice = slice.clone();
    cx.update_state(move |s| s.tracker.deleted(&slice));
    Ok(())
}

/// Sets the annotation with the trigger time (`addTriggerTimeAnnotation`).
fn mark(meta: &mut ObjectMeta, trigger: Option<Timestamp>) {
    let annotations = meta.annotations.get_or_insert_default();
    match trigger {
        Some(t) => annotations.insert(LAST_CHANGE_TRIGGER_TIME.into(), written(t)),
        None => annotations.remove(LAST_CHANGE_TRIGGER_TIME),
    };
    meta.annotations = meta.annotations.take().filter(|a| !a.is_empty());
}
