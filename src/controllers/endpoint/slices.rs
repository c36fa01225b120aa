//! The EndpointSlice controller (`pkg/controller/endpointslice`, `k8s.io/endpointslice`): it publishes the
//! pods of a Service in slices of a hundred endpoints, and changes as few slices as possible.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{
    HEADLESS, LAST_CHANGE_TRIGGER_TIME, Triggers, belongs, find_port, handle_pod, hostname, ip, is_headless,
    plan::{ADDRESS_TYPE, Plan},
    selected,
    topology::{self, Told, TopologyCache},
    traffic::hints,
    written,
};
use crate::api::order;
use crate::api::pod::is_ready;
use crate::api::types::discovery::{
    Endpoint, EndpointConditions, EndpointPort, EndpointSlice, LABEL_MANAGED_BY, LABEL_SERVICE_NAME,
};
use crate::api::types::{Node, ObjectMeta, ObjectReference, Pod, Service};
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef, Timestamp, owner_reference};
use crate::apimachinery::DeleteOptions;
use crate::client::{Context, EventFlavour, Handler, Memory, Reconciler, Result, Seen, Watches, Why};

/// The value of [`LABEL_MANAGED_BY`] for slices of this controller.
const CONTROLLER: &str = "endpointslice-controller.k8s.io";
/// The most endpoints in a slice (`--max-endpoints-per-slice`).
pub const MAX_ENDPOINTS: usize = 100;

/// The EndpointSlice controller.
#[derive(Clone, Copy, Debug)]
pub struct EndpointSliceController;

/// What the controller remembers.
#[derive(Clone, Debug, Default)]
pub struct State {
    triggers: Triggers,
    topology: TopologyCache,
}

impl Memory for State {
    fn lines(&self, now: Timestamp) -> Vec<String> {
        let mut lines = self.triggers.lines(now);
        lines.extend(self.topology.lines(now));
        lines
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
        Watches::new().for_::<Service>().watches(handle_pod).watches(handle_node).watches(
            |cx, seen: Seen<'_, EndpointSlice>| {
                // If a slice was changed or deleted, its Service is enqueued to restore it. The controller's
                // own writes are among these changes and lead to no further write.
                let m = &seen.object().metadata;
                if seen.old.is_some()
                    && is_mine(m)
                    && let Some(service) = m.label(LABEL_SERVICE_NAME)
                {
                    cx.enqueue(Key::new(&seen.key.namespace, service));
                }
            },
        )
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        let Some(service) = cx.lister::<Service>().get(&key).cloned() else {
            cx.update_state(move |s| {
                s.triggers.forget(&key);
                s.topology.forget(&key);
            });
            return Ok(());
        };
        let Some(pods) = selected(cx.caches(), &service) else { return Ok(()) };
        let (trigger, seen) = cx.state(|s| s.triggers.sync(&key, &service, &pods));
        let k = key.clone();
        cx.update_state(move |s| s.triggers.set(k.clone(), seen.clone()));
        let existing: Vec<Rc<EndpointSlice>> = cx
            .lister::<EndpointSlice>()
            .list(Some(&key.namespace))
            .filter(|s| is_mine(&s.metadata) && s.metadata.label(LABEL_SERVICE_NAME) == Some(&key.name))
            .filter(|s| !s.metadata.is_deleting())
            .cloned()
            .collect();
        let mut plan = reconcile(&service, desired(&cx, &service, &pods), &existing);
        let told = add_hints(&cx, &service, &mut plan);
        let written = carry_out(&cx, &service, plan, trigger).await;
        for Told { type_, reason, message } in told {
            cx.event(&*service, type_, reason, message);
        }
        written
    }
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

/// Sets, changes or takes away the hints of a Service with a topology mode.
fn add_hints(cx: &Cx, service: &Rc<Service>, plan: &mut Plan) -> Vec<Told> {
    if !topology::is_wanted(service) && !cx.state(|s| s.topology.has_hints(service)) {
        return Vec::new();
    }
    let before = plan.clone();
    let told = cx.state(|s| s.topology.clone().reconcile(service, plan));
    let service = service.clone();
    cx.update_state(move |s| {
        s.topology.reconcile(&service, &mut before.clone());
    });
    told
}

fn is_mine(meta: &ObjectMeta) -> bool {
    meta.label(LABEL_MANAGED_BY) == Some(CONTROLLER)
}

/// The ports of a slice, as a value that has an order.
type Ports = Vec<(String, Option<i32>, Option<String>, Option<String>)>;

fn ports_key(ports: &[EndpointPort]) -> Ports {
    let mut key: Ports = ports
        .iter()
        .map(|p| (p.name.clone().unwrap_or_default(), p.port, p.protocol.clone(), p.app_protocol.clone()))
        .collect();
    order::sort(&mut key);
    key
}

/// The wanted endpoints, by their ports.
type Desired = BTreeMap<Ports, (Vec<EndpointPort>, Vec<Endpoint>)>;

fn desired(cx: &Cx, service: &Service, pods: &[Rc<Pod>]) -> Desired {
    let spec = service.spec.clone().unwrap_or_default();
    let mut out = Desired::new();
    for pod in pods.iter().filter(|p| belongs(p, true)) {
        let ports: Vec<EndpointPort> = spec
            .ports
            .iter()
            .flatten()
            .filter_map(|p| {
                Some(EndpointPort {
                    name: Some(p.name.clone().unwrap_or_default()),
                    port: Some(find_port(pod, p)?),
                    protocol: p.protocol.clone(),
                    app_protocol: p.app_protocol.clone(),
                })
            })
            .collect();
        let entry = out.entry(ports_key(&ports)).or_insert_with(|| (ports, Vec::new()));
        entry.1.push(endpoint(cx, service, pod, spec.publish_not_ready_addresses == Some(true)));
    }
    out
}

/// The endpoint of a pod (`podToEndpoint`).
fn endpoint(cx: &Cx, service: &Service, pod: &Pod, publish_not_ready: bool) -> Endpoint {
    let (serving, terminating) = (is_ready(pod), pod.metadata.is_deleting());
    let node_name = pod.spec.as_ref().and_then(|s| s.node_name.clone()).filter(|n| !n.is_empty());
    let node = node_name.as_ref().and_then(|n| cx.lister::<Node>().get(&Key::new("", n)));
    let zone = node.and_then(|n| n.metadata.label("topology.kubernetes.io/zone"));
    let mut endpoint = Endpoint {
        addresses: vec![ip(pod).to_owned()],
        conditions: Some(EndpointConditions {
            ready: Some(publish_not_ready || (serving && !terminating)),
            serving: Some(serving),
            terminating: Some(terminating),
        }),
        hostname: hostname(pod, service),
        node_name,
        zone: zone.filter(|z| !z.is_empty()).map(str::to_owned),
        target_ref: Some(ObjectReference {
            kind: Some("Pod".into()),
            namespace: pod.metadata.namespace.clone(),
            name: pod.metadata.name.clone(),
            uid: pod.metadata.uid.clone(),
            ..Default::default()
        }),
        ..Default::default()
    };
    endpoint.hints = hints(service, &endpoint);
    endpoint
}

/// Whether two versions of an endpoint differ. The hints of a topology mode come later and are left out
/// (`EndpointsEqualBeyondHash`).
fn differ(service: &Service, new: &Endpoint, old: &Endpoint) -> bool {
    if topology::is_wanted(service) { *new != Endpoint { hints: None, ..old.clone() } } else { new != old }
}

fn same_endpoint(a: &Endpoint, b: &Endpoint) -> bool {
    let uid = |e: &Endpoint| e.target_ref.as_ref().and_then(|r| r.uid.clone());
    a.addresses == b.addresses && uid(a) == uid(b)
}

/// Which slices to create, update and delete (`reconcileByAddressType`).
fn reconcile(service: &Service, desired: Desired, existing: &[Rc<EndpointSlice>]) -> Plan {
    let mut plan = Plan::default();
    let mut by_ports: BTreeMap<Ports, Vec<Rc<EndpointSlice>>> = BTreeMap::new();
    for slice in existing {
        let key = ports_key(slice.ports.as_deref().unwrap_or_default());
        by_ports.entry(key).or_default().push(slice.clone());
    }
    for (key, (ports, endpoints)) in desired {
        let slices = by_ports.remove(&key).unwrap_or_default();
        reconcile_ports(service, &ports, endpoints, slices, &mut plan);
    }
    plan.delete.extend(by_ports.into_values().flatten());
    if existing.len() == plan.delete.len() && plan.create.is_empty() {
        // A Service without pods has one empty slice.
        let placeholder = new_slice(service, Vec::new(), Vec::new());
        match plan.delete.as_slice() {
            [one] if is_placeholder(one, &placeholder) => plan.delete.clear(),
            _ => plan.create.push(placeholder),
        }
    }
    plan
}

fn is_placeholder(slice: &EndpointSlice, placeholder: &EndpointSlice) -> bool {
    slice.endpoints.as_ref().is_none_or(Vec::is_empty)
        && slice.ports.as_ref().is_none_or(Vec::is_empty)
        && slice.metadata.labels == placeholder.metadata.labels
}

/// The same for the slices with these ports (`reconcileByPortMapping`).
fn reconcile_ports(
    service: &Service,
    ports: &[EndpointPort],
    mut wanted: Vec<Endpoint>,
    existing: Vec<Rc<EndpointSlice>>,
    plan: &mut Plan,
) {
    let labels = slice_labels(service);
    let mut unchanged: Vec<Rc<EndpointSlice>> = Vec::new();
    let mut changed: Vec<Rc<EndpointSlice>> = Vec::new();
    for slice in existing {
        let old = slice.endpoints.as_deref().unwrap_or_default();
        let mut kept = Vec::new();
        let mut updated = false;
        for e in old {
            if let Some(i) = wanted.iter().position(|w| same_endpoint(w, e)) {
                let new = wanted.remove(i);
                updated |= differ(service, &new, e);
                kept.push(new);
            }
        }
        if updated || kept.len() != old.len() {
            if kept.is_empty() {
                plan.delete.push(slice);
                continue;
            }
            let mut new = slice;
            let s = Rc::make_mut(&mut new);
            s.endpoints = Some(kept);
            s.metadata.labels = Some(labels.clone());
            changed.push(new);
        } else if slice.metadata.labels.as_ref() != Some(&labels) {
            let mut new = slice;
            Rc::make_mut(&mut new).metadata.labels = Some(labels.clone());
            changed.push(new);
        } else {
            unchanged.push(slice);
        }
    }
    // The fullest slices are filled up first.
    order::sort_by_key(&mut changed, |s| std::cmp::Reverse(len(s)));
    for slice in &mut changed {
        fill(Rc::make_mut(slice), &mut wanted);
    }
    while !wanted.is_empty() {
        // The fullest slice that has room for all remaining endpoints.
        let fits = |s: &&Rc<EndpointSlice>| wanted.len() + len(s) <= MAX_ENDPOINTS;
        let best = unchanged.iter().filter(fits).max_by_key(|s| len(s)).cloned();
        match best.filter(|_| wanted.len() < MAX_ENDPOINTS) {
            Some(slice) => {
                unchanged.retain(|s| s.metadata.name != slice.metadata.name);
                let mut new = slice;
                fill(Rc::make_mut(&mut new), &mut wanted);
                changed.push(new);
            }
            None => {
                let mut new = new_slice(service, ports.to_vec(), Vec::new());
                fill(&mut new, &mut wanted);
                plan.create.push(new);
            }
        }
    }
    plan.update.extend(changed);
    plan.unchanged.extend(unchanged);
}

fn len(slice: &EndpointSlice) -> usize {
    slice.endpoints.as_ref().map_or(0, Vec::len)
}

fn fill(slice: &mut EndpointSlice, wanted: &mut Vec<Endpoint>) {
    let endpoints = slice.endpoints.get_or_insert_default();
    let room = MAX_ENDPOINTS.saturating_sub(endpoints.len()).min(wanted.len());
    endpoints.extend(wanted.drain(..room));
}

/// The Service's labels, and those that mark a slice (`setEndpointSliceLabels`).
fn slice_labels(service: &Service) -> BTreeMap<String, String> {
    let mut labels = service.metadata.labels.clone().unwrap_or_default();
    labels.remove(HEADLESS);
    if service.spec.as_ref().is_some_and(is_headless) {
        labels.insert(HEADLESS.into(), String::new());
    }
    labels.insert(LABEL_SERVICE_NAME.into(), service.metadata.name().to_owned());
    labels.insert(LABEL_MANAGED_BY.into(), CONTROLLER.into());
    labels
}

fn new_slice(service: &Service, ports: Vec<EndpointPort>, endpoints: Vec<Endpoint>) -> EndpointSlice {
    EndpointSlice {
        metadata: ObjectMeta {
            generate_name: Some(format!("{}-", service.metadata.name())),
            namespace: service.metadata.namespace.clone(),
            labels: Some(slice_labels(service)),
            owner_references: Some(vec![owner_reference(Kind::SERVICE, &service.metadata)]),
            ..Default::default()
        },
        address_type: ADDRESS_TYPE.into(),
        endpoints: Some(endpoints).filter(|e| !e.is_empty()),
        ports: Some(ports).filter(|p| !p.is_empty()),
    }
}

/// Writes the slices of a plan (`finalize`). A slice to be deleted is updated to one to be created, where
/// there are both.
async fn carry_out(cx: &Cx, service: &Service, plan: Plan, trigger: Option<Timestamp>) -> Result {
    let Plan { mut create, mut update, delete, unchanged: _ } = plan;
    let mut left = Vec::new();
    for old in delete {
        match create.pop() {
            Some(new) => {
                let mut slice = old;
                let s = Rc::make_mut(&mut slice);
                s.metadata.labels = new.metadata.labels;
                s.endpoints = new.endpoints;
                s.ports = new.ports;
                update.push(slice);
            }
            None => left.push(old),
        }
    }
    let why = |n: usize| {
        Why::new("endpointslice.reconcile")
            .read("service", ObjectRef::of(service), "spec.selector", service.metadata.name())
            .with("endpoints", n)
    };
    if !service.metadata.is_deleting() {
        for mut slice in create {
            mark(&mut slice.metadata, trigger);
            let why = why(len(&slice));
            match cx.create(slice).because(why).await {
                Err(e) if e.is_namespace_terminating() => return Ok(()),
                Err(e) => return Err(e.into()),
                Ok(_) => {}
            }
        }
    }
    for mut slice in update {
        mark(&mut Rc::make_mut(&mut slice).metadata, trigger);
        let why = why(len(&slice));
        cx.update(slice).because(why).await?;
    }
    for slice in left {
        let key = slice.metadata.key();
        match cx.delete(EndpointSlice::KIND, key, DeleteOptions::default()).because(why(0)).await {
            Err(e) if !e.is_not_found() => return Err(e.into()),
            _ => {}
        }
    }
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
