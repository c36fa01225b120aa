//! Workloads that can be rolled out, and the Service that leads to their pods.

use std::collections::BTreeMap;

use crate::api::types::{
    Container, DaemonSet, Deployment, IntOrString, PodTemplateSpec, Service, StatefulSet,
};
use crate::api::{Kind, MetaExt, Object, ObjectRef};
use crate::cluster::Cluster;
use crate::network::Protocol;

/// The kinds whose pods are rolled out.
pub const KINDS: [Kind; 3] = [Kind::DEPLOYMENT, Kind::STATEFUL_SET, Kind::DAEMON_SET];

/// How much of a workload may be unavailable during a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// Pods can be made before others are ended, and that is already so.
    Gently,
    /// Pods can be made before others are ended, and it is not so now.
    Roughly,
    /// Each pod is ended before its successor is made.
    InPlace,
}

/// What is known of a workload.
#[derive(Clone, Debug)]
pub struct Workload {
    /// What its pods are made from.
    pub template: PodTemplateSpec,
    /// How its pods are replaced.
    pub replaced: Replaced,
}

/// The template that a workload makes pods from; `None` for another kind.
fn template(object: &Object) -> Option<PodTemplateSpec> {
    let deployment = object.get::<Deployment>().map(|d| d.spec.as_ref().map(|s| s.template.clone()));
    let stateful = || object.get::<StatefulSet>().map(|d| d.spec.as_ref().map(|s| s.template.clone()));
    let daemon = || object.get::<DaemonSet>().map(|d| d.spec.as_ref().map(|s| s.template.clone()));
    deployment.or_else(stateful).or_else(daemon).flatten()
}

fn is_zero(value: Option<&IntOrString>) -> bool {
    value.is_some_and(|v| match v {
        IntOrString::Int(n) => *n == 0,
        IntOrString::String(s) => s.trim_end_matches('%').parse() == Ok(0),
    })
}

fn replaced(object: &Object) -> Replaced {
    if let Some(d) = object.get::<Deployment>() {
        let strategy = d.spec.as_ref().and_then(|s| s.strategy.as_ref());
        let rolling = strategy.and_then(|s| s.rolling_update.as_ref());
        return match is_zero(rolling.and_then(|r| r.max_unavailable.as_ref())) {
            true => Replaced::Gently,
            false => Replaced::Roughly,
        };
    }
    if let Some(d) = object.get::<DaemonSet>() {
        let strategy = d.spec.as_ref().and_then(|s| s.update_strategy.as_ref());
        let rolling = strategy.and_then(|s| s.rolling_update.as_ref());
        return match is_zero(rolling.and_then(|r| r.max_unavailable.as_ref())) {
            true => Replaced::Gently,
            false => Replaced::Roughly,
        };
    }
    Replaced::InPlace
}

/// A workload of a cluster; `None` if it is not there.
pub fn workload(cluster: &Cluster, at: &ObjectRef) -> Option<Workload> {
    let object = cluster.api().cached(at)?;
    Some(Workload { template: template(object)?, replaced: replaced(object) })
}

/// A port of a Service, and where it leads in the pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The name of the Service.
    pub service: String,
    /// The Service's port or, of a headless Service, that of its pods.
    pub port: i32,
    /// The port of the pods: a number, or the name of a container's port.
    pub target: IntOrString,
}

/// The first port of the first Service that leads to the pods of a template.
pub fn target(cluster: &Cluster, namespace: &str, template: &PodTemplateSpec) -> Option<Target> {
    let empty = BTreeMap::new();
    let labels = template.metadata.as_ref().and_then(|m| m.labels.as_ref()).unwrap_or(&empty);
    let all = cluster.api().cached_list(Kind::SERVICE, Some(namespace));
    let all = all.filter_map(|(_, o)| o.get::<Service>());
    let mut found: Vec<Target> = all.filter_map(|s| target_of(s, labels)).collect();
    // One with an address of its own comes before a headless one.
    crate::api::order::sort_by_key(&mut found, |t| t.service.clone());
    let headless = |t: &Target| {
        let at = ObjectRef::new(Kind::SERVICE, namespace, &t.service);
        let service = cluster.api().cached(&at).and_then(|o| o.get::<Service>());
        service.and_then(|s| s.spec.as_ref()?.cluster_ip.as_deref()) == Some("None")
    };
    let with_address = found.iter().position(|t| !headless(t)).unwrap_or(0);
    let target = found.get(with_address)?.clone();
    let port = match (&target.target, headless(&target)) {
        (IntOrString::Int(n), true) => *n,
        (IntOrString::String(name), true) => container_port(template, name)?,
        (_, false) => target.port,
    };
    Some(Target { port, ..target })
}

fn target_of(service: &Service, labels: &BTreeMap<String, String>) -> Option<Target> {
    let spec = service.spec.as_ref()?;
    let selector = spec.selector.as_ref().filter(|s| !s.is_empty())?;
    if !selector.iter().all(|(k, v)| labels.get(k) == Some(v)) {
        return None;
    }
    let mut ports = spec.ports.iter().flatten();
    let port = ports.find(|p| Protocol::of(p.protocol.as_deref()) == Protocol::Tcp)?;
    let target = port.target_port.clone().unwrap_or(IntOrString::Int(port.port));
    Some(Target { service: service.metadata.name().to_owned(), port: port.port, target })
}

fn container_port(template: &PodTemplateSpec, name: &str) -> Option<i32> {
    let containers = template.spec.iter().flat_map(|s| &s.containers);
    let mut ports = containers.flat_map(|c| c.ports.iter().flatten());
    ports.find(|p| p.name.as_deref() == Some(name)).map(|p| p.container_port)
}

/// The container that the requests are for: the one that declares the port, or else the first one.
pub fn server<'a>(template: &'a PodTemplateSpec, target: &Target) -> Option<&'a Container> {
    let containers = &template.spec.as_ref()?.containers;
    let declares = |c: &&Container| {
        c.ports.iter().flatten().any(|p| match &target.target {
            IntOrString::Int(n) => p.container_port == *n,
            IntOrString::String(name) => p.name.as_ref() == Some(name),
        })
    };
    containers.iter().find(declares).or(containers.first())
}
