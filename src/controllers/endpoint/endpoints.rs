//! The Endpoints controller (`pkg/controller/endpoint`): it writes an Endpoints object for each Service with
//! a selector.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{
    HEADLESS, LAST_CHANGE_TRIGGER_TIME, Triggers, belongs, find_port, handle_pod, hostname, is_headless,
    ports::sort_subset_ports, selected, written,
};
use crate::api::ip_family::{IPV4, family_of};
use crate::api::pod::is_ready;
use crate::api::types::{
    EndpointAddress, EndpointPort, EndpointSubset, Endpoints, ObjectMeta, ObjectReference, Pod, Service,
    ServiceSpec,
};
use crate::api::well_known::ENDPOINTS_MANAGED_BY_LABEL;
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef};
use crate::apimachinery::DeleteOptions;
use crate::client::{Context, Reconciler, Result, Seen, Watches, Why};

const OVER_CAPACITY: &str = "endpoints.kubernetes.io/over-capacity";
/// The most addresses in one object (`maxCapacity`).
const CAPACITY: usize = 1000;
/// How often a Service is tried again after an error (`maxRetries`).
const MAX_RETRIES: u32 = 15;

/// The Endpoints controller.
#[derive(Clone, Copy, Debug)]
pub struct EndpointController;

type Cx = Context<Triggers>;

impl Reconciler for EndpointController {
    type Key = Key;
    type State = Triggers;

    fn name(&self) -> Rc<str> {
        "endpoints-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "endpoint-controller".into()
    }

    fn watches(&self) -> Watches<Triggers> {
        Watches::new().for_::<Service>().watches(handle_pod).watches(|cx, seen: Seen<'_, Endpoints>| {
            // Deleted Endpoints are created again.
            if seen.is_gone() {
                cx.enqueue(seen.key.clone());
            }
        })
    }

    fn max_retries(&self) -> Option<u32> {
        Some(MAX_RETRIES)
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        let Some(service) = cx.lister::<Service>().get(&key).cloned() else { return gone(&cx, key).await };
        let Some(pods) = selected(cx.caches(), &service) else { return Ok(()) };
        let (trigger, seen) = cx.state(|s| s.sync(&key, &service, &pods));
        let k = key.clone();
        cx.update_state(move |s| s.set(k.clone(), seen.clone()));
        let (subsets, over) = truncate(repack(addresses(&service, &pods)));
        let current = cx.lister::<Endpoints>().get(&key).cloned();
        let mut labels = service.metadata.labels.clone().unwrap_or_default();
        labels.remove(ENDPOINTS_MANAGED_BY_LABEL);
        if service.spec.as_ref().is_some_and(is_headless) {
            labels.insert(HEADLESS.into(), String::new());
        } else {
            labels.remove(HEADLESS);
        }
        labels.insert(ENDPOINTS_MANAGED_BY_LABEL.into(), "endpoint-controller".into());
        if let Some(c) = &current
            && c.subsets.clone().unwrap_or_default() == subsets
            && c.metadata.labels.as_ref() == Some(&labels)
            && c.metadata.annotation(OVER_CAPACITY).is_some() == over
        {
            return Ok(());
        }
        let exists = current.is_some();
        let mut new = current.unwrap_or_else(|| {
            Rc::new(Endpoints {
                metadata: ObjectMeta {
                    name: Some(key.name.to_string()),
                    namespace: Some(key.namespace.to_string()),
                    ..Default::default()
                },
                subsets: None,
            })
        });
        let to = Rc::make_mut(&mut new);
        to.subsets = Some(subsets).filter(|s| !s.is_empty());
        to.metadata.labels = Some(labels);
        let annotations = to.metadata.annotations.get_or_insert_default();
        annotations.remove(LAST_CHANGE_TRIGGER_TIME);
        annotations.remove(OVER_CAPACITY);
        if let Some(t) = trigger {
            annotations.insert(LAST_CHANGE_TRIGGER_TIME.into(), written(t));
        }
        if over {
            annotations.insert(OVER_CAPACITY.into(), "truncated".into());
        }
        if annotations.is_empty() {
            to.metadata.annotations = None;
        }
        let ready: usize =
            to.subsets.iter().flatten().map(|s| s.addresses.as_ref().map_or(0, Vec::len)).sum();
        let why = Why::new("endpoints.sync_service")
            .read("service", ObjectRef { kind: Kind::SERVICE, key: key.clone() }, "spec.selector", &key.name)
            .with("ready", ready);
        let result = if exists {
            cx.update(new.clone()).because(why).await
        } else {
            cx.create(Endpoints::clone(&new)).because(why).await
        };
        match result {
            Err(e) if !exists && e.is_namespace_terminating() => Ok(()),
            Err(e) => {
                let (reason, message) = if exists {
                    ("FailedToUpdateEndpoint", format!("Failed to update endpoint {key}: {}", e.message))
                } else {
                    let message = format!("Failed to create endpoint for service {key}: {}", e.message);
                    ("FailedToCreateEndpoint", message)
                };
                cx.event(&*new, "Warning", reason, message);
                Err(e.into())
            }
            Ok(_) => Ok(()),
        }
    }
}

/// Deletes the Endpoints of a Service that was deleted.
async fn gone(cx: &Cx, key: Key) -> Result {
    let k = key.clone();
    cx.update_state(move |s| s.forget(&k));
    if cx.lister::<Endpoints>().get(&key).is_none() {
        return Ok(());
    }
    let why = Why::new("endpoints.service_gone").read(
        "service",
        ObjectRef { kind: Kind::SERVICE, key: key.clone() },
        "metadata",
        &key.name,
    );
    match cx.delete(Endpoints::KIND, key, DeleteOptions::default()).because(why).await {
        Err(e) if !e.is_not_found() => Err(e.into()),
        _ => Ok(()),
    }
}

/// An address, whether it is ready, and one of its ports.
pub(super) type Entry = (EndpointAddress, bool, Option<EndpointPort>);

/// The one family that an Endpoints object has addresses of: the first one of its Service
/// (`podToEndpointAddressForService`).
fn family(spec: &ServiceSpec) -> &str {
    if let Some(first) = spec.ip_families.iter().flatten().next() {
        return first;
    }
    spec.cluster_ip.as_deref().map_or(IPV4, family_of)
}

fn addresses(service: &Service, pods: &[Rc<Pod>]) -> Vec<Entry> {
    let spec = service.spec.clone().unwrap_or_default();
    let not_ready_too = spec.publish_not_ready_addresses == Some(true);
    let ports = spec.ports.as_deref().unwrap_or_default();
    let family = family(&spec);
    let mut out = Vec::new();
    for pod in pods.iter().filter(|p| belongs(p, not_ready_too)) {
        // Pods of nodes without this family are left out.
        let Some(ip) = super::addresses(pod, family).next() else { continue };
        let address = EndpointAddress {
            ip: ip.to_owned(),
            hostname: hostname(pod, service),
            node_name: pod.spec.as_ref().and_then(|s| s.node_name.clone()),
            target_ref: Some(ObjectReference {
                kind: Some("Pod".into()),
                namespace: pod.metadata.namespace.clone(),
                name: pod.metadata.name.clone(),
                uid: pod.metadata.uid.clone(),
                ..Default::default()
            }),
        };
        let ready = not_ready_too || is_ready(pod);
        if ports.is_empty() && is_headless(&spec) {
            out.push((address, ready, None));
            continue;
        }
        for port in ports {
            let Some(number) = find_port(pod, port) else { continue };
            let port = EndpointPort {
                name: port.name.clone().filter(|n| !n.is_empty()),
                port: number,
                protocol: port.protocol.clone(),
                app_protocol: port.app_protocol.clone(),
            };
            out.push((address.clone(), ready, Some(port)));
        }
    }
    out
}

/// A port as a value that has an order.
type PortKey = (Option<String>, i32, Option<String>, Option<String>);

fn port_key(p: &EndpointPort) -> PortKey {
    (p.name.clone(), p.port, p.protocol.clone(), p.app_protocol.clone())
}

/// Groups addresses into subsets (`RepackSubsets`): ports that the same addresses offer, equally ready, are one subset.
/// An address that is not ready for one entry of a port is not ready for this port. Kubernetes orders subsets by a hash of
/// all they contain, which is chance; here they are ordered by their addresses.
pub(super) fn repack(entries: Vec<Entry>) -> Vec<EndpointSubset> {
    type At = (String, String);
    let mut all: BTreeMap<At, EndpointAddress> = BTreeMap::new();
    let mut by_port: BTreeMap<Option<PortKey>, BTreeMap<At, bool>> = BTreeMap::new();
    for (address, ready, port) in entries {
        let uid = address.target_ref.as_ref().and_then(|r| r.uid.clone()).unwrap_or_default();
        let at = (address.ip.clone(), uid);
        let addresses = by_port.entry(port.as_ref().map(port_key)).or_default();
        *addresses.entry(at.clone()).or_insert(true) &= ready;
        all.entry(at).or_insert(address);
    }
    let mut by_addresses: BTreeMap<BTreeMap<At, bool>, Vec<EndpointPort>> = BTreeMap::new();
    for (port, addresses) in by_port {
        let ports = by_addresses.entry(addresses).or_default();
        ports.extend(port.map(|(name, port, protocol, app_protocol)| EndpointPort {
            name,
            port,
            protocol,
            app_protocol,
        }));
    }
    let subset = |(addresses, mut ports): (BTreeMap<At, bool>, Vec<EndpointPort>)| {
        sort_subset_ports(&mut ports);
        let mut subset =
            EndpointSubset { ports: Some(ports).filter(|p| !p.is_empty()), ..Default::default() };
        for (at, ready) in addresses {
            let list = if ready { &mut subset.addresses } else { &mut subset.not_ready_addresses };
            list.get_or_insert_default().extend(all.get(&at).cloned());
        }
        subset
    };
    by_addresses.into_iter().map(subset).collect()
}

/// Limits the addresses to `CAPACITY`, ready ones first (`truncateEndpoints`). Returns also whether some
/// were left out.
fn truncate(mut subsets: Vec<EndpointSubset>) -> (Vec<EndpointSubset>, bool) {
    let count = |s: &EndpointSubset| {
        s.addresses.as_ref().map_or(0, Vec::len) + s.not_ready_addresses.as_ref().map_or(0, Vec::len)
    };
    let over = subsets.iter().map(count).sum::<usize>() > CAPACITY;
    let mut room = CAPACITY;
    let mut cut = |list: &mut Option<Vec<EndpointAddress>>| {
        if let Some(l) = list.as_mut() {
            l.truncate(room);
            room -= l.len();
        }
        *list = list.take().filter(|l| !l.is_empty());
    };
    subsets.iter_mut().for_each(|s| cut(&mut s.addresses));
    subsets.iter_mut().for_each(|s| cut(&mut s.not_ready_addresses));
    subsets.retain(|s| count(s) > 0);
    (subsets, over)
}
