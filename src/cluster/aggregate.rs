//! Requests that another process than kube-apiserver answers: those for `metrics.k8s.io`, which kube-apiserver
//! passes on to the metrics server (`k8s.io/kube-aggregator`), those of the metrics server to kubelets, those of kube-proxies
//! to the kernels of their nodes, and those of kubelets to their nodes' disks.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Cluster;
use super::action::Actor;
use super::fault::NoSuchFault;
use super::process::Process;
use crate::api::persistent::Vector;
use crate::api::quantity::Amount;
use crate::api::types::discovery::LABEL_SERVICE_NAME;
use crate::api::types::{EndpointSlice, Service};
use crate::api::{Key, Kind, MetaExt, Object, Timestamp, metrics};
use crate::apimachinery::{Request, Response, Status, Subresource};
use crate::apiserver::Aggregated;
use crate::client::{Load, Reading};

/// The name of the metrics server's process.
pub const METRICS_SERVER: &str = "metrics-server";
/// The annotation of a Service with the CPU that the requests to it cost in all. The Service's ready endpoints
/// share it evenly.
pub const LOAD_ANNOTATION: &str = "sim.steady/load";

/// The process of the metrics server, if it is installed.
fn metrics_server(processes: &Vector<Rc<Process>>) -> Option<&Process> {
    processes.iter().map(|p| &**p).find(|p| &*p.name == METRICS_SERVER && p.is_on(0))
}

fn aggregated(processes: &Vector<Rc<Process>>, now: Timestamp, whole: bool) -> Aggregated {
    let Some(p) = metrics_server(processes) else { return Aggregated::Absent };
    if !whole {
        return Aggregated::Available(Rc::new([]));
    }
    let reading = Reading { caches: &p.caches, now, load: &Load::default() };
    let answer = p.components.first().filter(|_| p.running).and_then(|c| c.metrics(&reading));
    answer.map_or(Aggregated::Unavailable, |objects| Aggregated::Available(objects.into()))
}

/// What kube-apiserver knows of the metrics server when it handles a request for `path`; `None` if that is nothing to it.
pub(super) fn connected(processes: &Vector<Rc<Process>>, now: Timestamp, path: &str) -> Option<Aggregated> {
    let rest = path.strip_prefix("/apis")?.trim_start_matches('/');
    Some(aggregated(processes, now, rest.starts_with(metrics::GROUP)))
}

impl Cluster {
    /// The answer to a request that kube-apiserver does not answer itself; `None` for all other requests.
    pub(super) fn answered_elsewhere(&self, r: &Request) -> Option<Response> {
        if r.kind == Kind::NODE && r.subresource == Subresource::Proxy {
            return Some(self.ask_kubelet(&r.key.name));
        }
        if matches!(r.subresource, Subresource::Ruleset | Subresource::Volumes | Subresource::Configuration) {
            return Some(Response::Success { code: 200, details: None });
        }
        let ours = self.api.serves() && r.kind.is_custom() && r.kind.group() == metrics::GROUP;
        ours.then(|| aggregated(&self.processes, self.now(), true).answer(r))
    }

    /// Tells kube-apiserver about the metrics server before it handles a request for `path`.
    pub(super) fn connect(&mut self, path: &str) {
        if let Some(aggregated) = connected(&self.processes, self.now(), path) {
            self.api.set_aggregated(aggregated);
        }
    }

    /// Whether a metrics server is installed.
    pub fn has_metrics_server(&self) -> bool {
        self.metrics_server().is_some()
    }

    /// The process of the metrics server, if it is installed.
    fn metrics_server(&self) -> Option<&Process> {
        metrics_server(&self.processes)
    }

    /// What the kubelet of a node answers if it is asked what is used.
    fn ask_kubelet(&self, node: &str) -> Response {
        let kubelet = self.processes().find(|p| p.node.as_deref() == Some(node) && p.running);
        let load = self.load();
        let answer = kubelet.and_then(|p| {
            let reading = Reading { caches: &p.caches, now: self.now(), load: &load };
            p.components.iter().find_map(|c| c.metrics(&reading))
        });
        match answer {
            Some(items) => Response::List { items, revision: 0 },
            None => {
                let message = format!("error trying to reach service: no route to the kubelet of {node}");
                Response::Failure(Box::new(Status::new(503, "ServiceUnavailable", message)))
            }
        }
    }

    /// The work that requests make now.
    fn load(&self) -> Load {
        let mut of_clients = BTreeMap::new();
        for (serving, cpu) in self.work_of_clients() {
            let at = (serving.process.pod.clone(), serving.process.container.clone());
            let sum: &mut i64 = of_clients.entry(at).or_default();
            *sum = sum.saturating_add(cpu);
        }
        Load { of_services: self.declared_load(), of_clients }
    }

    /// The load that is declared at Services, in billionths of a CPU, by the pods that share it. Each kubelet is asked what
    /// is used, and most of them at one moment.
    fn declared_load(&self) -> Rc<BTreeMap<Key, i64>> {
        let services = self.api.cached_list(Kind::SERVICE, None).map(|(_, o)| o);
        let declare = |o: &&Object| o.meta().annotation(LOAD_ANNOTATION).is_some();
        let services: Vec<Object> = services.filter(declare).cloned().collect();
        if services.is_empty() {
            return Rc::default();
        }
        let slices = self.api.cached_list(Kind::ENDPOINT_SLICE, None).map(|(_, o)| o.clone());
        let of = services.iter().cloned().chain(slices).collect();
        self.memo.declared(of, || self.work_out_declared_load(&services))
    }

    fn work_out_declared_load(&self, services: &[Object]) -> BTreeMap<Key, i64> {
        let mut load = BTreeMap::new();
        for service in services.iter().filter_map(Object::get::<Service>) {
            let Some(text) = service.metadata.annotation(LOAD_ANNOTATION) else { continue };
            let all = Amount::parse(text.trim()).map_or(0, |a| a.scaled_value(-9));
            let pods = self.ready_pods(service);
            let Ok(count) = i64::try_from(pods.len()) else { continue };
            for pod in pods {
                *load.entry(pod).or_default() += all.max(0).checked_div(count).unwrap_or(0);
            }
        }
        load
    }

    /// The pods to which a Service leads, each once.
    fn ready_pods(&self, service: &Service) -> Vec<Key> {
        let namespace = service.metadata.namespace();
        let slices = self.api.cached_list(Kind::ENDPOINT_SLICE, Some(namespace));
        let of_service = slices.filter_map(|(_, o): (_, &Object)| o.get::<EndpointSlice>()).filter(|s| {
            s.metadata.labels_or_empty().get(LABEL_SERVICE_NAME).is_some_and(|n| n == service.metadata.name())
        });
        let mut pods: Vec<Key> = of_service
            .flat_map(|s| s.endpoints.iter().flatten())
            .filter(|e| e.conditions.as_ref().and_then(|c| c.ready) != Some(false))
            .filter_map(|e| e.target_ref.as_ref().filter(|t| t.kind.as_deref() == Some("Pod")))
            .map(|t| Key::new(namespace, t.name.as_deref().unwrap_or_default()))
            .collect();
        crate::api::order::sort(&mut pods);
        pods.dedup();
        pods
    }

    /// Installs a metrics server, or removes it.
    pub(super) fn install_metrics_server(&mut self, installed: bool) -> Result<(), NoSuchFault> {
        if installed == self.has_metrics_server() {
            return Err(NoSuchFault);
        }
        let known = self.find_process(METRICS_SERVER, None).ok();
        let id = match known {
            Some(id) => id,
            None => {
                let components = crate::metrics_server::components();
                self.add_process(Process::new(METRICS_SERVER, None, components));
                // Autoscalers may find the API now.
                self.clock.changed_anywhere();
                return Ok(());
            }
        };
        let actor = Actor { process: id, component: 0 };
        self.clock.forget(actor);
        let Some(p) = self.process_mut(id) else { return Err(NoSuchFault) };
        if installed {
            p.switch_on(0);
        } else {
            let ended = p.switch_off(0);
            ended.into_iter().for_each(|w| self.api.watches.remove(w));
        }
        self.ready.insert(id);
        self.clock.changed_anywhere();
        Ok(())
    }
}
