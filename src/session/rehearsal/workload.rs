//! Workloads that can be rolled out, and the Service that leads to their pods.

use std::collections::BTreeMap;

use super::Port;
use crate::api::types::{
    Container, ControllerRevision, DaemonSet, Deployment, IntOrString, Pod, PodTemplateSpec, ReplicaSet,
    Service, StatefulSet,
};
use crate::api::well_known::DEPLOYMENT_REVISION_ANNOTATION;
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
    /// Whether no pod can be made beside those that are wanted (`maxSurge` is 0).
    pub no_surge: bool,
    /// `spec.minReadySeconds`
    pub min_ready: i32,
    /// How many pods it is to have; `None` of a DaemonSet, which has one on each of its nodes.
    pub replicas: Option<i32>,
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

/// `maxUnavailable` and `maxSurge` of a rolling update.
type Bounds<'a> = (Option<&'a IntOrString>, Option<&'a IntOrString>);

/// A workload of a cluster; `None` if it is not there.
pub fn workload(cluster: &Cluster, at: &ObjectRef) -> Option<Workload> {
    let object = cluster.api().cached(at)?;
    let template = template(object)?;
    let of_rolling = |template, bounds: Option<Bounds<'_>>, min_ready: Option<i32>| {
        let (max_unavailable, max_surge) = bounds.unwrap_or_default();
        Workload {
            template,
            replaced: if is_zero(max_unavailable) { Replaced::Gently } else { Replaced::Roughly },
            no_surge: is_zero(max_surge),
            min_ready: min_ready.unwrap_or(0),
            replicas: None,
        }
    };
    if let Some(spec) = object.get::<Deployment>().and_then(|d| d.spec.as_ref()) {
        let rolling = spec.strategy.as_ref().and_then(|s| s.rolling_update.as_ref());
        let bounds = rolling.map(|r| (r.max_unavailable.as_ref(), r.max_surge.as_ref()));
        let replicas = Some(spec.replicas.unwrap_or(1));
        return Some(Workload { replicas, ..of_rolling(template, bounds, spec.min_ready_seconds) });
    }
    if let Some(spec) = object.get::<DaemonSet>().and_then(|d| d.spec.as_ref()) {
        let rolling = spec.update_strategy.as_ref().and_then(|s| s.rolling_update.as_ref());
        let bounds = rolling.map(|r| (r.max_unavailable.as_ref(), r.max_surge.as_ref()));
        let workload = of_rolling(template, bounds, spec.min_ready_seconds);
        // Without a value maxSurge is 0 there.
        let no_surge = workload.no_surge || bounds.is_none_or(|(_, max_surge)| max_surge.is_none());
        return Some(Workload { no_surge, ..workload });
    }
    let spec = object.get::<StatefulSet>().and_then(|s| s.spec.as_ref())?;
    Some(Workload {
        template,
        replaced: Replaced::InPlace,
        no_surge: true,
        min_ready: spec.min_ready_seconds.unwrap_or(0),
        replicas: Some(spec.replicas.unwrap_or(1)),
    })
}

/// The revision that `kubectl rollout undo` leads to: the last but one (`pkg/polymorphichelpers/rollback.go` of kubectl); `None` if
/// there is none.
pub fn former_revision(cluster: &Cluster, at: &ObjectRef) -> Option<i64> {
    let uid = cluster.api().cached(at)?.uid();
    let namespace = Some(&*at.key.namespace);
    let mut all: Vec<i64> = if at.kind == Kind::DEPLOYMENT {
        let sets = cluster.api().cached_list(Kind::REPLICA_SET, namespace);
        let sets = sets.filter_map(|(_, o)| o.get::<ReplicaSet>());
        let mine = sets.filter(|rs| rs.metadata.controller().is_some_and(|o| o.uid == uid));
        mine.filter_map(|rs| rs.metadata.annotation(DEPLOYMENT_REVISION_ANNOTATION)?.parse().ok()).collect()
    } else {
        let revisions = cluster.api().cached_list(Kind::CONTROLLER_REVISION, namespace);
        let revisions = revisions.filter_map(|(_, o)| o.get::<ControllerRevision>());
        let mine = revisions.filter(|r| r.metadata.controller().is_some_and(|o| o.uid == uid));
        mine.map(|r| r.revision).collect()
    };
    all.sort_unstable_by_key(|n| std::cmp::Reverse(*n));
    all.dedup();
    all.get(1).copied()
}

/// The pods that are made from a template and are not ended yet.
pub fn pods<'a>(
    cluster: &'a Cluster,
    namespace: &'a str,
    template: &'a PodTemplateSpec,
) -> impl Iterator<Item = &'a std::rc::Rc<Pod>> {
    let labels = template.metadata.iter().flat_map(|m| m.labels.iter().flatten());
    let has = move |pod: &Pod| labels.clone().all(|(k, v)| pod.metadata.label(k) == Some(v.as_str()));
    let pods = cluster.api().cached_list(Kind::POD, Some(namespace)).filter_map(|(_, o)| o.get::<Pod>());
    pods.filter(move |p| !p.metadata.is_deleting() && crate::api::pod::is_active(p) && has(p))
}

/// The node with most pods of a workload, and of several with equally many the first one by name; `None` if no node has any.
pub fn node_with_pods(cluster: &Cluster, namespace: &str, template: &PodTemplateSpec) -> Option<String> {
    let mut nodes: BTreeMap<String, usize> = BTreeMap::new();
    for node in pods(cluster, namespace, template).filter_map(|p| p.spec.as_ref()?.node_name.clone()) {
        *nodes.entry(node).or_default() += 1;
    }
    let most = nodes.values().max().copied()?;
    nodes.into_iter().find(|(_, n)| *n == most).map(|(node, _)| node)
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

/// The TCP ports of the Services that lead to the pods of a template. Services with an address of their own come before headless ones,
/// each in the order of the names, and the ports of each in their order.
pub fn reached(cluster: &Cluster, namespace: &str, template: &PodTemplateSpec) -> Vec<Target> {
    let empty = BTreeMap::new();
    let labels = template.metadata.as_ref().and_then(|m| m.labels.as_ref()).unwrap_or(&empty);
    let all = cluster.api().cached_list(Kind::SERVICE, Some(namespace));
    let leads = |s: &&std::rc::Rc<Service>| {
        let selector = s.spec.as_ref().and_then(|s| s.selector.as_ref()).filter(|s| !s.is_empty());
        selector.is_some_and(|selector| selector.iter().all(|(k, v)| labels.get(k) == Some(v)))
    };
    let mut found: Vec<&std::rc::Rc<Service>> =
        all.filter_map(|(_, o)| o.get::<Service>()).filter(leads).collect();
    crate::api::order::sort_by_key(&mut found, |s| (is_headless(s), s.metadata.name().to_owned()));
    found.iter().flat_map(|s| ports_of(s, template)).collect()
}

/// The port that the requests are sent to: the one that was chosen or, if none was, the first one of all. `None` if there is none.
pub fn target(
    cluster: &Cluster,
    namespace: &str,
    template: &PodTemplateSpec,
    chosen: Option<&Port>,
) -> Option<Target> {
    let is_it = |t: &Target| chosen.is_none_or(|c| c.service == t.service && c.port == t.port);
    reached(cluster, namespace, template).into_iter().find(is_it)
}

fn is_headless(service: &Service) -> bool {
    service.spec.as_ref().and_then(|s| s.cluster_ip.as_deref()) == Some("None")
}

fn ports_of(service: &Service, template: &PodTemplateSpec) -> Vec<Target> {
    let ports = service.spec.iter().flat_map(|s| s.ports.iter().flatten());
    let tcp = ports.filter(|p| Protocol::of(p.protocol.as_deref()) == Protocol::Tcp);
    let target = |p: &crate::api::types::ServicePort| {
        let target = p.target_port.clone().unwrap_or(IntOrString::Int(p.port));
        // Nothing translates the port of a headless Service.
        let port = match (&target, is_headless(service)) {
            (_, false) => p.port,
            (IntOrString::Int(n), true) => *n,
            (IntOrString::String(name), true) => container_port(template, name)?,
        };
        Some(Target { service: service.metadata.name().to_owned(), port, target })
    };
    tcp.filter_map(target).collect()
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
