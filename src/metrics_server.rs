//! The metrics server: it asks the kubelets what is used, and serves the API group `metrics.k8s.io`
//! (`sigs.k8s.io/metrics-server`). It is not part of Kubernetes; a cluster starts without it, and a person installs it.
//!
//! What it measured of a container is served if the container was measured twice, or started at least ten seconds
//! before it was measured first, as in `pkg/storage/pod.go`. `kubectl top` and HorizontalPodAutoscalers read it.
//!
//! ```
//! use steady::cluster::{Cluster, Config, Fault};
//! let mut cluster = Cluster::new(&Config::nodes(1));
//! assert!(!cluster.has_metrics_server());
//! cluster.fault(&Fault::MetricsServer { installed: true }).unwrap();
//! assert!(cluster.has_metrics_server());
//! ```

use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::metrics::{self, ContainerMetrics, PodMetrics, Usage};
use crate::api::persistent::Map;
use crate::api::types::{Node, Pod};
use crate::api::{Key, MetaExt, Object, Timestamp};
use crate::client::{Component, Context, Controller, Memory, Reading, Reconciler, Result, Wait, Watches};

/// How often the kubelets are asked (`--metric-resolution`).
const RESOLUTION: SignedDuration = SignedDuration::from_secs(15);
/// How long a container has to have run before its first measurement counts (`freshContainerMinMetricsResolution`).
const FRESH: SignedDuration = SignedDuration::from_secs(10);

/// The components of the metrics server's process.
pub fn components() -> Vec<Box<dyn Component>> {
    vec![Controller::boxed(MetricsServer)]
}

/// The reconciler of the metrics server.
#[derive(Clone, Copy, Debug)]
pub struct MetricsServer;

/// The last measurement of a pod.
#[derive(Clone, Debug, PartialEq)]
struct Measured {
    at: Timestamp,
    /// Each container with the beginning of the time that its usage is about; `None` for one that was measured only
    /// once.
    containers: Vec<(ContainerMetrics, Option<Timestamp>)>,
}

impl Measured {
    /// What is served of it: nothing before there is something of each container.
    fn served(&self, key: &Key) -> Option<PodMetrics> {
        let mut from = self.at;
        for (_, since) in &self.containers {
            from = from.min((*since)?);
        }
        let plain = |c: &ContainerMetrics| ContainerMetrics { start: None, ..c.clone() };
        (!self.containers.is_empty()).then(|| PodMetrics {
            key: key.clone(),
            timestamp: self.at,
            window: self.at.duration_since(from),
            containers: self.containers.iter().map(|(c, _)| plain(c)).collect(),
        })
    }
}

/// The last measurement of a node, and the time of the one before.
#[derive(Clone, Debug, PartialEq)]
struct MeasuredNode {
    at: Timestamp,
    before: Option<Timestamp>,
    usage: Usage,
}

/// What the metrics server has measured.
#[derive(Clone, Debug, Default)]
pub struct State {
    pods: Map<Key, Rc<Measured>>,
    nodes: Map<Key, MeasuredNode>,
}

impl Memory for State {
    fn lines(&self, now: Timestamp) -> Vec<String> {
        let ago = |at: Timestamp| now.duration_since(at).as_millis();
        let usage = |u: Usage| format!("{} and {}", u.cpu.canonical(), u.memory.canonical());
        let mut lines = Vec::new();
        for (key, pod) in &self.pods {
            for (c, since) in &pod.containers {
                let window = since.map_or_else(
                    || "at that moment".to_owned(),
                    |s| format!("in {} ms", pod.at.duration_since(s).as_millis()),
                );
                let (used, ago) = (usage(c.usage), ago(pod.at));
                lines.push(format!("{key} {} used {used} {ago} ms ago {window}", c.name));
            }
        }
        for (key, node) in &self.nodes {
            lines.push(format!("{} used {} {} ms ago", key.name, usage(node.usage), ago(node.at)));
        }
        lines
    }
}

/// The key of the metrics server's work queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Ask all kubelets.
    Scrape,
}

impl std::fmt::Display for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("scrape")
    }
}

impl Reconciler for MetricsServer {
    type Key = Task;
    type State = State;

    fn name(&self) -> Rc<str> {
        "metrics-server".into()
    }

    fn watches(&self) -> Watches<State, Task> {
        Watches::new().reads::<Node>().reads::<Pod>()
    }

    fn initial_keys(&self, _: &Self::State) -> Vec<Task> {
        vec![Task::Scrape]
    }

    async fn sync(self, cx: Context<State, Task>, task: Task) -> Result {
        let before = cx.state(Clone::clone);
        let mut after = State::default();
        let nodes: Vec<Key> = cx.lister::<Node>().list(None).map(|n| n.metadata.key()).collect();
        for node in nodes {
            // A kubelet that does not answer is left out; its pods have no metrics until it answers again.
            let Ok(answer) = cx.node_metrics(&node.name).in_background().await else { continue };
            for object in &answer {
                after.note(object, &before, cx.now());
            }
        }
        let changed = after.served() != before.served();
        cx.update_state(move |s| *s = after.clone());
        if changed {
            cx.publish();
        }
        cx.enqueue_waiting(task, RESOLUTION, Wait::Resync);
        Ok(())
    }

    fn metrics(&self, state: &State, reading: &Reading<'_>) -> Option<Vec<Object>> {
        if state.nodes.is_empty() {
            return None;
        }
        let mut all = Vec::new();
        for (key, measured) in &state.pods {
            let pod = reading.caches.get::<Pod>(key).filter(|p| runs(p));
            let served = measured.served(key).zip(pod);
            all.extend(served.and_then(|(m, pod)| m.to_object(&pod.metadata, reading.now)));
        }
        for (key, measured) in &state.nodes {
            let node = reading.caches.get::<Node>(key).zip(measured.before);
            all.extend(node.and_then(|(node, before)| {
                let window = measured.at.duration_since(before);
                metrics::of_node(&node.metadata, measured.at, window, measured.usage, reading.now)
            }));
        }
        Some(all)
    }
}

/// The metrics server watches running pods only.
fn runs(pod: &Pod) -> bool {
    pod.status.as_ref().and_then(|s| s.phase.as_deref()) == Some("Running")
}

impl State {
    /// Notes what a kubelet has measured of a pod or a node.
    fn note(&mut self, object: &Object, before: &State, now: Timestamp) {
        let Some(pod) = PodMetrics::read(object) else {
            let key = object.key();
            let usage = metrics::usage_of_node(object);
            let before = before.nodes.get(&key).map(|n| n.at);
            self.nodes.insert(key, MeasuredNode { at: now, before, usage });
            return;
        };
        let last = before.pods.get(&pod.key);
        let containers = pod.containers.into_iter().map(|c| {
            let same =
                |(l, _): &&(ContainerMetrics, Option<Timestamp>)| l.name == c.name && l.start == c.start;
            let measured = last.filter(|l| l.containers.iter().any(|l| same(&l))).map(|l| l.at);
            let fresh = c.start.filter(|s| {
                let age = now.duration_since(*s);
                age >= FRESH && age < RESOLUTION
            });
            let since = measured.or(fresh);
            (c, since)
        });
        let containers = containers.collect();
        self.pods.insert(pod.key, Rc::new(Measured { at: now, containers }));
    }

    /// What is served, without the times.
    fn served(&self) -> Vec<(Key, Vec<Usage>)> {
        let pods = self.pods.iter().filter_map(|(key, m)| m.served(key));
        let pods = pods.map(|p| (p.key, p.containers.iter().map(|c| c.usage).collect()));
        let nodes = self.nodes.iter().filter(|(_, n)| n.before.is_some());
        pods.chain(nodes.map(|(key, n)| (key.clone(), vec![n.usage]))).collect()
    }
}
