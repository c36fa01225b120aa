//! The recordings' stand-in [kubelet] and [provisioner] as components of a cluster.

use std::rc::Rc;

use steady::api::metrics as api_metrics;
use steady::api::persistent::Map;
use steady::api::types::{ConfigMap, Node as ApiNode, PersistentVolume, PersistentVolumeClaim, Pod, Time};
use steady::api::{Key, Kind, MetaExt, Object, Timestamp};
use steady::apimachinery::{DeleteOptions, Filter};
use steady::client::{Context, Handler, Reading, Reconciler, Result, Seen, Watches, Why};

use crate::kubelet::{self, KubeletWrite, Memory};
use crate::metrics;
use crate::provisioner;

/// The difference, in milliseconds, between the same write of two nodes.
const NODE_MILLIS: i64 = 2;
/// The difference, in milliseconds, between the same write of a node for two pods.
const NODES_MILLIS: i64 = 8;

/// A kubelet that follows the table in the recordings' README.
#[derive(Clone, Debug)]
pub struct StandInKubelet {
    node: Rc<str>,
    number: u32,
}

/// What the kubelet remembers.
#[derive(Clone, Debug, Default)]
pub struct State {
    pods: Map<Rc<str>, Memory>,
    addresses: u32,
    // By how many milliseconds each pod's writes are late. The recorded nodes wrote one after the other,
    // never two at the same moment, and the order shows in what controllers did in between.
    late: Map<Rc<str>, i64>,
}

impl StandInKubelet {
    /// The kubelet of `node-<n>`.
    pub fn new(node: &str) -> StandInKubelet {
        let number = node.rsplit('-').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        StandInKubelet { node: node.into(), number }
    }

    /// The n of `node-<n>`.
    pub fn number(&self) -> u32 {
        self.number
    }
}

/// A key of the kubelet's work queue.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Report the node's status, if it has to be.
    Report,
    /// Make the next write about a pod.
    Pod(Key),
}

impl std::fmt::Display for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Task::Report => f.write_str("report"),
            Task::Pod(pod) => pod.fmt(f),
        }
    }
}

impl steady::client::Memory for State {
    /// The explorer does not explore recordings.
    fn lines(&self, _: Timestamp) -> Vec<String> {
        Vec::new()
    }
}

type Cx = Context<State, Task>;

impl Reconciler for StandInKubelet {
    type Key = Task;
    type State = State;

    fn name(&self) -> Rc<str> {
        "kubelet".into()
    }

    fn watches(&self) -> Watches<State, Task> {
        let node = &self.node;
        Watches::new()
            .watches_only(Filter::NodeName(node.clone()), |cx, seen: Seen<'_, Pod>| {
                if !seen.is_gone() {
                    cx.enqueue(Task::Pod(seen.key.clone()));
                }
            })
            .watches_only(Filter::Name(node.clone()), |cx, seen: Seen<'_, ApiNode>| {
                let down = |n: Option<&Rc<ApiNode>>| n.is_some_and(|n| kubelet::node::is_down(n));
                if down(seen.old) != down(seen.new) {
                    cx.enqueue(Task::Report);
                    let keys: Vec<Key> = cx.caches.of(Kind::POD).list(None).map(Object::key).collect();
                    keys.into_iter().for_each(|k| cx.enqueue(Task::Pod(k)));
                }
            })
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        let key = match task {
            Task::Report => return self.report(&cx).await,
            Task::Pod(key) => key,
        };
        let Some(mut pod) = cx.lister::<Pod>().get(&key).cloned() else { return Ok(()) };
        let down =
            cx.lister::<ApiNode>().get(&Key::new("", &self.node)).is_some_and(|n| kubelet::node::is_down(n));
        let uid: Rc<str> = pod.metadata.uid().into();
        let number = i64::from(self.number);
        if cx.state(|s| !s.late.contains_key(&uid)) {
            let id = uid.clone();
            cx.update_state(move |s| {
                let late = i64::try_from(s.late.len()).unwrap_or(0) * NODES_MILLIS + number * NODE_MILLIS;
                s.late.insert(id.clone(), late);
            });
        }
        let late = jiff::SignedDuration::from_millis(cx.state(|s| s.late.get(&uid).copied()).unwrap_or(0));
        loop {
            let (memory, used) = cx.state(|s| (s.pods.get(&uid).copied(), s.addresses));
            let node = kubelet::Node { number: self.number, down, next_ip: used + 1 };
            let next = kubelet::next(&pod, node, cx.now(), memory);
            let (id, memory, took) = (uid.clone(), next.memory, next.took_ip);
            cx.update_state(move |s| {
                s.pods.insert(id.clone(), memory);
                s.addresses += u32::from(took);
            });
            match next.write {
                Some(KubeletWrite::Status(status)) => {
                    let mut to = pod.clone();
                    Rc::make_mut(&mut to).status = Some((*status).into());
                    match cx.patch_status(pod.clone(), to).because(Why::new("stand_in")).await {
                        Ok(p) => pod = p,
                        Err(e) if e.is_not_found() => return Ok(()),
                        Err(e) => return Err(e.into()),
                    }
                }
                Some(KubeletWrite::Delete) => {
                    let options = DeleteOptions {
                        grace_period_seconds: Some(0),
                        uid: Some(uid.to_string()),
                        ..Default::default()
                    };
                    match cx.delete(Kind::POD, key.clone(), options).because(Why::new("stand_in")).await {
                        Ok(_) => {}
                        Err(e) if e.is_not_found() => {}
                        Err(e) => return Err(e.into()),
                    }
                    return Ok(());
                }
                None => {
                    if let Some(at) = next.wake {
                        cx.enqueue_after(Task::Pod(key), (at + late).duration_since(cx.now()));
                    }
                    return Ok(());
                }
            }
        }
    }
}

impl StandInKubelet {
    /// Reports the status of a node that is no longer down.
    async fn report(&self, cx: &Cx) -> Result {
        let Some(node) = cx.lister::<ApiNode>().get(&Key::new("", &self.node)).cloned() else {
            return Ok(());
        };
        let silent =
            node.status.iter().flat_map(|s| s.conditions.iter().flatten()).any(|c| c.status == "Unknown");
        if kubelet::node::is_down(&node) || !silent {
            return Ok(());
        }
        let mut to = node.clone();
        Rc::make_mut(&mut to).status = Some(kubelet::node::report(&node, self.number, cx.now()));
        cx.patch_status(node, to).because(Why::new("stand_in")).await?;
        Ok(())
    }
}

/// The recordings' [provisioner] as a component.
#[derive(Clone, Copy, Debug)]
pub struct StandInProvisioner;

/// The time, in milliseconds, after which it notices a claim: it polled.
const PROVISIONER_MILLIS: i64 = 50;

/// When it noticed each claim and volume.
#[derive(Clone, Debug, Default)]
pub struct Noticed(Map<Key, Timestamp>);

impl steady::client::Memory for Noticed {
    /// The explorer does not explore recordings.
    fn lines(&self, _: Timestamp) -> Vec<String> {
        Vec::new()
    }
}

fn notice(cx: &mut Handler<'_, Noticed>, key: &Key) {
    if !cx.state.0.contains_key(key) {
        let now = cx.now;
        cx.state.0.insert(key.clone(), now);
        cx.enqueue_after(key.clone(), jiff::SignedDuration::from_millis(PROVISIONER_MILLIS));
    }
}

impl Reconciler for StandInProvisioner {
    type Key = Key;
    type State = Noticed;

    fn name(&self) -> Rc<str> {
        "provisioner".into()
    }

    fn watches(&self) -> Watches<Noticed> {
        Watches::new()
            .watches(|cx, seen: Seen<'_, PersistentVolumeClaim>| {
                if !seen.is_gone() {
                    notice(cx, seen.key);
                }
            })
            .watches(|cx, seen: Seen<'_, PersistentVolume>| {
                if !seen.is_gone() {
                    notice(cx, seen.key);
                }
            })
    }

    async fn sync(self, cx: Context<Noticed>, key: Key) -> Result {
        let k = key.clone();
        cx.update_state(move |s| {
            s.0.remove(&k);
        });
        if key.namespace.is_empty() {
            let volume = cx.lister::<PersistentVolume>().get(&key).cloned();
            if volume.is_some_and(|v| provisioner::is_to_go(&v)) {
                let delete = cx.delete(Kind::PERSISTENT_VOLUME, key, DeleteOptions::default());
                delete.because(Why::new("stand_in")).await?;
            }
            return Ok(());
        }
        let claim = cx.lister::<PersistentVolumeClaim>().get(&key).cloned();
        let Some(volume) = claim.and_then(|c| provisioner::volume(&c)) else { return Ok(()) };
        if cx.lister::<PersistentVolume>().get(&volume.metadata.key()).is_none() {
            cx.create(volume).because(Why::new("stand_in")).await?;
        }
        Ok(())
    }
}

/// The recordings' metrics server as a component. It measures nothing, so it has nothing to do but to answer.
#[derive(Clone, Copy, Debug)]
pub struct StandInMetricsServer;

impl Reconciler for StandInMetricsServer {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "metrics-server".into()
    }

    fn watches(&self) -> Watches {
        Watches::new().reads::<Pod>().reads::<ApiNode>().reads::<ConfigMap>()
    }

    async fn sync(self, _: Context, _: Key) -> Result {
        Ok(())
    }

    fn metrics(&self, (): &(), reading: &Reading<'_>) -> Option<Vec<Object>> {
        let at = Time(reading.now);
        let all = reading.caches.of(Kind::POD).list(None).filter_map(|o| o.get::<Pod>());
        let mut namespaces: std::collections::BTreeMap<String, Vec<Pod>> = Default::default();
        for pod in all {
            namespaces.entry(pod.metadata.namespace().to_owned()).or_default().push((**pod).clone());
        }
        let mut found = Vec::new();
        for (namespace, mut pods) in namespaces {
            pods.sort_by_key(|p| p.metadata.creation_timestamp.as_ref().map(|t| t.0));
            let usage = reading.caches.get::<ConfigMap>(&Key::new(&namespace, metrics::CONFIG_MAP));
            let values = metrics::pod_metrics(&pods, usage.map(|u| &**u), &at);
            found.extend(values.into_iter().filter_map(|v| Object::from_value(api_metrics::pods(), v).ok()));
        }
        let nodes = reading.caches.of(Kind::NODE).list(None).filter_map(|o| o.get::<ApiNode>());
        let nodes = nodes.map(|n| metrics::node_metrics(n, &at));
        found.extend(nodes.filter_map(|v| Object::from_value(api_metrics::nodes(), v).ok()));
        Some(found)
    }
}
