//! The controllers that publish the pods of a Service. One writes Endpoints (`pkg/controller/endpoint`),
//! another EndpointSlices (`pkg/controller/endpointslice`). A third one copies Endpoints that were written
//! by hand into slices (`pkg/controller/endpointslicemirroring`).

pub mod endpoints;
mod found;
pub mod mirroring;
mod placed;
mod plan;
mod ports;
mod published;
mod reconcile;
pub mod slices;
mod subsets;
mod topology;
mod tracker;
mod traffic;

use std::rc::Rc;

use crate::api::ip_family::{IPV4, IPV6, family_of};
use crate::api::labels::Selector;
use crate::api::pod::is_terminal;
use crate::api::types::{IntOrString, ObjectReference, Pod, Service, ServicePort, ServiceSpec};
use crate::api::{ApiKind, Key, Kind, MetaExt, Timestamp};
use crate::client::{Handler, Seen};

/// The annotation with the time of the first change of a pod or Service that led to a write.
pub const LAST_CHANGE_TRIGGER_TIME: &str = "endpoints.kubernetes.io/last-change-trigger-time";
/// The label of Endpoints and slices of headless Services.
pub const HEADLESS: &str = "service.kubernetes.io/headless";

/// A moment in the format of the annotation.
fn written(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn is_headless(spec: &ServiceSpec) -> bool {
    spec.cluster_ip.as_deref() == Some("None")
}

/// Whether a pod is published (`ShouldPodBeInEndpoints`).
fn belongs(pod: &Pod, terminating_too: bool) -> bool {
    !is_terminal(pod) && !ip(pod).is_empty() && (terminating_too || !pod.metadata.is_deleting())
}

fn ip(pod: &Pod) -> &str {
    pod.status.as_ref().and_then(|s| s.pod_ip.as_deref()).unwrap_or_default()
}

/// The addresses of a pod in one family (`getEndpointAddresses`).
fn addresses<'a>(pod: &'a Pod, family: &'a str) -> impl Iterator<Item = &'a str> {
    let all = pod.status.as_ref().and_then(|s| s.pod_ips.as_deref()).unwrap_or_default();
    all.iter().map(|ip| ip.ip.as_str()).filter(move |ip| family_of(ip) == family)
}

/// The families of a Service, IPv4 first (`getAddressTypesForService`).
fn families(service: &Service) -> Vec<&'static str> {
    let Some(spec) = &service.spec else { return Vec::new() };
    let named = spec.ip_families.as_deref().unwrap_or_default();
    let mut families = [IPV4, IPV6].to_vec();
    if !named.is_empty() {
        families.retain(|family| named.iter().any(|n| n == family));
    } else if let Some(ip) = spec.cluster_ip.as_deref().filter(|ip| !matches!(*ip, "" | "None")) {
        families.retain(|family| *family == family_of(ip));
    }
    families
}

/// The pod of an endpoint, as endpoints refer to it.
fn target_ref(pod: &Pod) -> ObjectReference {
    ObjectReference {
        kind: Some("Pod".into()),
        namespace: pod.metadata.namespace.clone(),
        name: pod.metadata.name.clone(),
        uid: pod.metadata.uid.clone(),
        ..Default::default()
    }
}

/// The pod's host name, if the Service governs the pod's subdomain (`ShouldSetHostname`).
fn hostname(pod: &Pod, service: &Service) -> Option<String> {
    let spec = pod.spec.as_ref()?;
    let governed = spec.subdomain.as_deref() == service.metadata.name.as_deref();
    spec.hostname.clone().filter(|h| !h.is_empty() && governed)
}

/// The number of a Service's port on a pod (`podutil.FindPort`); `None` if it is named and no container has
/// it.
fn find_port(pod: &Pod, port: &ServicePort) -> Option<i32> {
    let name = match &port.target_port {
        None => return Some(port.port),
        Some(IntOrString::Int(n)) => return Some(*n),
        Some(IntOrString::String(name)) => name,
    };
    let protocol = port.protocol.as_deref().unwrap_or("TCP");
    let spec = pod.spec.as_ref()?;
    let sidecar = |c: &&crate::api::types::Container| c.restart_policy.as_deref() == Some("Always");
    let containers = spec.containers.iter().chain(spec.init_containers.iter().flatten().filter(sidecar));
    containers
        .flat_map(|c| c.ports.iter().flatten())
        .find(|p| p.name.as_ref() == Some(name) && p.protocol.as_deref().unwrap_or("TCP") == protocol)
        .map(|p| p.container_port)
}

/// The numbers of a Service's ports where they are the same on every pod; `None` if a port is named.
fn fixed_ports(spec: &ServiceSpec) -> Option<Vec<(&ServicePort, i32)>> {
    let number = |p: &ServicePort| match &p.target_port {
        None => Some(p.port),
        Some(IntOrString::Int(n)) => Some(*n),
        Some(IntOrString::String(_)) => None,
    };
    spec.ports.iter().flatten().map(|p| Some((p, number(p)?))).collect()
}

/// Enqueues the Services that select the pod or did so before, unless nothing has changed that endpoints
/// show.
fn handle_pod<S>(cx: &mut Handler<'_, S>, seen: Seen<'_, Pod>) {
    if let (Some(old), Some(new)) = (seen.old, seen.new)
        && !matters(old, new)
    {
        return;
    }
    let labels = [seen.old, seen.new].map(|p| p.map(|p| p.metadata.labels_or_empty()));
    let services =
        cx.caches.of(Kind::SERVICE).list(Some(&seen.key.namespace)).filter_map(Service::from_object);
    let selects = |s: &&Rc<Service>| {
        let selector = s.spec.as_ref().and_then(|s| s.selector.as_ref());
        selector.is_some_and(|s| {
            let s = Selector::from_set(s);
            labels.into_iter().flatten().any(|l| s.matches(l))
        })
    };
    let keys: Vec<Key> = services.filter(selects).map(|s| s.metadata.key()).collect();
    keys.into_iter().for_each(|k| cx.enqueue(k));
}

/// Whether the controllers look at the Services of a pod again: whether endpoints show a difference between two
/// versions of the pod, or the pod may have come to other Services (`podEndpointsChanged`). Every change of a pod that is
/// being deleted counts, because Kubernetes compares the addresses of the two deletion timestamps and not the moments. A
/// pod that ends without having been ready does not count.
fn matters(a: &Pod, b: &Pod) -> bool {
    let deleting = |p: &Pod| p.metadata.is_deleting();
    fn ips(pod: &Pod) -> impl Iterator<Item = &str> {
        let ips = pod.status.as_ref().and_then(|s| s.pod_ips.as_deref()).unwrap_or_default();
        ips.iter().map(|ip| &*ip.ip)
    }
    let ready = crate::api::pod::is_ready;
    // The versions of a pod mostly share their metadata.
    let has_other_labels = !std::ptr::eq(a.meta(), b.meta()) && a.metadata.labels != b.metadata.labels;
    has_other_labels || deleting(a) || deleting(b) || ready(a) != ready(b) || ips(a).ne(ips(b))
}
