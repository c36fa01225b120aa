//! The controllers that publish the pods of a Service. One writes Endpoints (`pkg/controller/endpoint`),
//! another EndpointSlices (`pkg/controller/endpointslice`). A third one copies Endpoints that were written
//! by hand into slices (`pkg/controller/endpointslicemirroring`).

pub mod endpoints;
pub mod mirroring;
mod plan;
mod ports;
mod reconcile;
pub mod slices;
mod topology;
mod tracker;
mod traffic;

use std::rc::Rc;

use crate::api::ip_family::{IPV4, IPV6, family_of};
use crate::api::labels::Selector;
use crate::api::persistent::Map;
use crate::api::pod::{is_terminal, pod_condition};
use crate::api::types::{IntOrString, Pod, Service, ServicePort, ServiceSpec};
use crate::api::{ApiKind, Key, Kind, MetaExt, Timestamp};
use crate::client::{Caches, Handler, Memory, Seen};

/// The annotation with the time of the first change of a pod or Service that led to a write.
pub const LAST_CHANGE_TRIGGER_TIME: &str = "endpoints.kubernetes.io/last-change-trigger-time";
/// The label of Endpoints and slices of headless Services.
pub const HEADLESS: &str = "service.kubernetes.io/headless";

/// The times of a Service and its pods as the Service's last sync read them.
#[derive(Clone, Debug, Default)]
struct Changes {
    service: Option<Timestamp>,
    pods: Map<Rc<str>, Timestamp>,
}

/// What the Endpoints and EndpointSlice controllers remember: for each Service, the times that its last sync
/// read.
#[derive(Clone, Debug, Default)]
pub struct Triggers(Map<Key, Changes>);

impl Memory for Triggers {
    /// Whether a write has a trigger time depends on the pods of the last sync. Their times are left out: a
    /// change of one enqueues the Service.
    fn lines(&self, _: Timestamp) -> Vec<String> {
        let of = |(key, seen): (&Key, &Changes)| {
            let pods: Vec<String> = seen.pods.keys().map(|p| format!("{key} had the pod {p}")).collect();
            std::iter::once(format!("{key} was synced")).chain(pods)
        };
        self.0.iter().flat_map(of).collect()
    }
}

impl Triggers {
    /// For a sync of a Service: the earliest change of the Service or its pods since its last sync, and the
    /// times to remember.
    fn sync(&self, key: &Key, service: &Service, pods: &[Rc<Pod>]) -> (Option<Timestamp>, Changes) {
        trigger_time(self.0.get(key), service, pods)
    }

    fn set(&mut self, key: Key, seen: Changes) {
        self.0.insert(key, seen);
    }

    fn forget(&mut self, key: &Key) {
        self.0.remove(key);
    }
}

/// The earliest change since `before` (`ComputeEndpointLastChangeTriggerTime`; `None` if nothing changed),
/// and the times to remember.
fn trigger_time(
    before: Option<&Changes>,
    service: &Service,
    pods: &[Rc<Pod>],
) -> (Option<Timestamp>, Changes) {
    let mut now = Changes::default();
    let mut earliest: Option<Timestamp> = None;
    for pod in pods {
        let ready = pod_condition(pod, "Ready").and_then(|c| c.last_transition_time.as_ref());
        let Some(time) = ready.map(|t| t.0) else { continue };
        let name: Rc<str> = pod.metadata.name().into();
        if before.and_then(|b| b.pods.get(&name)).is_none_or(|old| time > *old) {
            earliest = Some(earliest.map_or(time, |e| e.min(time)));
        }
        now.pods.insert(name, time);
    }
    now.service = service.metadata.creation_timestamp.as_ref().map(|t| t.0);
    if let Some(time) = now.service
        && before.and_then(|b| b.service).is_none_or(|old| time > old)
    {
        earliest = Some(earliest.map_or(time, |e| e.min(time)));
    }
    (earliest, now)
}

/// A moment in the format of the annotation.
fn written(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn is_headless(spec: &ServiceSpec) -> bool {
    spec.cluster_ip.as_deref() == Some("None")
}

/// The pods that a Service selects; `None` if it has no selector or its type is `ExternalName`.
fn selected(caches: &Caches, service: &Service) -> Option<Vec<Rc<Pod>>> {
    let spec = service.spec.as_ref()?;
    let selector = spec.selector.as_ref()?;
    if spec.type_.as_deref() == Some("ExternalName") {
        return None;
    }
    let selector = Selector::from_set(selector);
    let pods = caches.of(Kind::POD).list(Some(service.metadata.namespace())).filter_map(Pod::from_object);
    Some(pods.filter(|p| selector.matches(p.metadata.labels_or_empty())).cloned().collect())
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
    let ips = |p: &Pod| -> Vec<String> {
        let ips = p.status.as_ref().and_then(|s| s.pod_ips.as_deref()).unwrap_or_default();
        ips.iter().map(|ip| ip.ip.clone()).collect()
    };
    let ready = crate::api::pod::is_ready;
    a.metadata.labels != b.metadata.labels
        || deleting(a)
        || deleting(b)
        || ready(a) != ready(b)
        || ips(a) != ips(b)
}
