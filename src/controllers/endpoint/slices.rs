//! The EndpointSlice controller (`pkg/controller/endpointslice`, `k8s.io/endpointslice`): it publishes the
//! pods of a Service in slices of a hundred endpoints, and changes as few slices as possible.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{
    HEADLESS, LAST_CHANGE_TRIGGER_TIME, Triggers, addresses, belongs, families, find_port, handle_pod,
    hostname, is_headless,
    plan::Plan,
    selected,
    topology::{self, Told, TopologyCache},
    traffic::hints,
    written,
};
use crate::api::ip_family::{IPV4, IPV6};
use crate::api::order;
use crate::api::pod::is_ready;
use crate::api::types::discovery::{
    Endpoint, EndpointConditions, EndpointPort, EndpointSlice, LABEL_MANAGED_BY, LABEL_SERVICE_NAME,
};
use crate::api::types::{Node, ObjectMeta, ObjectReference, Pod, Service};
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef, Timestamp, owner_reference};
use crate::apimachinery::DeleteOptions;
use crate::client::{Context, Error, EventFlavour, Handler, Memory, Reconciler, Result, Seen, Watches, Why};

/// The value of [`LABEL_MANAGED_BY`] for slices of this controller.
const CONTROLLER: &str = "endpointslice-controller.k8s.io";
/// The most endpoints in a slice (`--max-endpoints-per-slice`).
pub const MAX_ENDPOINTS: usize = 100;
/// How often a Service is tried again after an error (`maxRetries`).
const MAX_RETRIES: u32 = 15;

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
                [IPV4, IPV6].iter().for_each(|family| s.topology.forget(&key, family));
            });
            return Ok(());
        };
        let Some(pods) = selected(cx.caches(), &service) else { return Ok(()) };
        let (trigger, seen) = cx.state(|s| s.triggers.sync(&key, &service, &pods));
        let k = key.clone();
        cx.update_state(move |s| s.triggers.set(k.clone(), seen.clone()));
        let families = families(&service);
        let (existing, foreign): (Vec<Rc<EndpointSlice>>, Vec<_>) = cx
            .lister::<EndpointSlice>()
            .list(Some(&key.namespace))
            .filter(|s| is_mine(&s.metadata) && s.metadata.label(LABEL_SERVICE_NAME) == Some(&key.name))
            .filter(|s| !s.metadata.is_deleting())
            .cloned()
            .partition(|s| families.contains(&s.address_type.as_str()));
        let mut result = Ok(());
        for family in families {
            let of_family = existing.iter().filter(|s| s.address_type == family);
            let written = reconcile_by_address_type(&cx, &service, &pods, family, of_family, trigger).await;
            result = result.and(written);
        }
        // The Service has no addresses of this type any more.
        for slice in foreign {
            if let Some(family) = [IPV4, IPV6].into_iter().find(|f| *f == slice.address_type) {
                let key = key.clone();
                cx.update_state(move |s| s.topology.forget(&key, family));
            }
            result = result.and(delete(&cx, &service, &slice).await);
        }
        result
    }

    fn max_retries(&self) -> Option<u32> {
        Some(MAX_RETRIES)
    }
}

/// Brings the slices of a Service that have addresses of one type to what they should be, and tells of their hints
/// (`reconcileByAddressType`).
async fn reconcile_by_address_type(
    cx: &Cx,
    service: &Rc<Service>,
    pods: &[Rc<Pod>],
    family: &'static str,
    existing: impl Iterator<Item = &Rc<EndpointSlice>>,
    trigger: Option<Timestamp>,
) -> Result {
    let existing: Vec<Rc<EndpointSlice>> = existing.cloned().collect();
    let (desired, skipped) = desired(cx, service, pods, family);
    let mut plan = reconcile(service, family, desired, &existing);
    let told = add_hints(cx, service, family, &mut plan);
    let written = carry_out(cx, service, plan, trigger).await;
    for Told { type_, reason, message } in told {
        cx.event(&**service, type_, reason, message);
    }
    written.and(skipped)
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
fn add_hints(cx: &Cx, service: &Rc<Service>, family: &'static str, plan: &mut Plan) -> Vec<Told> {
    if !topology::is_wanted(service) && !cx.state(|s| s.topology.has_hints(service)) {
        return Vec::new();
    }
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

/// The wanted endpoints with addresses of a family. A pod whose Node is not there is left out, and is an error, so that
/// it is looked for again; unless the Service publishes pods that are not ready.
fn desired(cx: &Cx, service: &Service, pods: &[Rc<Pod>], family: &str) -> (Desired, Result) {
    let spec = service.spec.clone().unwrap_or_default();
    let publish_not_ready = spec.publish_not_ready_addresses == Some(true);
    let mut out = Desired::new();
    let mut skipped = Ok(());
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
        let node = pod.spec.as_ref().and_then(|s| s.node_name.as_deref()).unwrap_or_default();
        if !publish_not_ready && cx.lister::<Node>().get(&Key::new("", node)).is_none() {
            let (pod, service) = (pod.metadata.name(), service.metadata.key());
            let why = format!("skipping Pod {pod} for Service {service}: Node {node} Not Found");
            skipped = skipped.and(Err(Error::Other(why)));
            continue;
        }
        let endpoint = endpoint(cx, service, pod, family, publish_not_ready);
        if !endpoint.addresses.is_empty() {
            entry.1.push(endpoint);
        }
    }
    (out, skipped)
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

/// Whether a slice was made for this Service, not for an earlier one of its name (`ownedBy`).
fn owned_by(slice: &EndpointSlice, service: &Service) -> bool {
    let owners = slice.metadata.owner_references.as_deref().unwrap_or_default();
    owners.iter().any(|o| o.uid == service.metadata.uid() && o.kind == "Service" && o.api_version == "v1")
}

/// Which slices of a family to create, update and delete (`reconcileByAddressType`).
fn reconcile(service: &Service, family: &str, desired: Desired, existing: &[Rc<EndpointSlice>]) -> Plan {
    let mut plan = Plan::default();
    let mut by_ports: BTreeMap<Ports, Vec<Rc<EndpointSlice>>> = BTreeMap::new();
    for slice in existing {
        if !owned_by(slice, service) {
            plan.delete.push(slice.clone());
            continue;
        }
        let key = ports_key(slice.ports.as_deref().unwrap_or_default());
        by_ports.entry(key).or_default().push(slice.clone());
    }
    for (key, (ports, endpoints)) in desired {
        let slices = by_ports.remove(&key).unwrap_or_default();
        reconcile_ports(service, family, &ports, endpoints, slices, &mut plan);
    }
    plan.delete.extend(by_ports.into_values().flatten());
    if existing.len() == plan.delete.len() && plan.create.is_empty() {
        // A Service without pods has one empty slice.
        let placeholder = new_slice(service, family, Vec::new(), Vec::new());
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
    family: &str,
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
                let mut new = new_slice(service, family, ports.to_vec(), Vec::new());
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

fn new_slice(
    service: &Service,
    family: &str,
    ports: Vec<EndpointPort>,
    endpoints: Vec<Endpoint>,
) -> EndpointSlice {
    EndpointSlice {
        metadata: ObjectMeta {
            generate_name: Some(format!("{}-", service.metadata.name())),
            namespace: service.metadata.namespace.clone(),
            labels: Some(slice_labels(service)),
            owner_references: Some(vec![owner_reference(Kind::SERVICE, &service.metadata)]),
            ..Default::default()
        },
        address_type: family.into(),
        endpoints: Some(endpoints).filter(|e| !e.is_empty()),
        ports: Some(ports).filter(|p| !p.is_empty()),
    }
}

/// Writes the slices of a plan (`finalize`). A slice to be deleted is updated to one to be created, where
/// there are both.
async fn carry_out(cx: &Cx, service: &Service, plan: Plan, trigger: Option<Timestamp>) -> Result {
    let Plan { mut create, mut update, delete: to_delete, unchanged: _ } = plan;
    let mut left = Vec::new();
    for old in to_delete {
        match if owned_by(&old, service) { create.pop() } else { None } {
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
    if !service.metadata.is_deleting() {
        for mut slice in create {
            mark(&mut slice.metadata, trigger);
            let why = why(service, len(&slice));
            match cx.create(slice).because(why).await {
                Err(e) if e.is_namespace_terminating() => return Ok(()),
                Err(e) => return Err(e.into()),
                Ok(_) => {}
            }
        }
    }
    for mut slice in update {
        mark(&mut Rc::make_mut(&mut slice).metadata, trigger);
        let why = why(service, len(&slice));
        cx.update(slice).because(why).await?;
    }
    for slice in left {
        delete(cx, service, &slice).await?;
    }
    Ok(())
}

/// Why a slice with this many endpoints is written.
fn why(service: &Service, endpoints: usize) -> Why {
    Why::new("endpointslice.reconcile")
        .read("service", ObjectRef::of(service), "spec.selector", service.metadata.name())
        .with("endpoints", endpoints)
}

/// Deletes a slice, if it is there.
async fn delete(cx: &Cx, service: &Service, slice: &EndpointSlice) -> Result {
    let key = slice.metadata.key();
    match cx.delete(EndpointSlice::KIND, key, DeleteOptions::default()).because(why(service, 0)).await {
        Err(e) if !e.is_not_found() => Err(e.into()),
        _ => Ok(()),
    }
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
