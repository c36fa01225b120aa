//! One pod for each node that shall have one (`manage`, `podsShouldBeOnNode`, `syncNodes`).

use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::controller_utils::{
    aggregate, create_pod_unless_terminating, delete_pod, is_available, is_ready, phase, pod_from_template,
    slow_start_batch,
};
use super::placement::{confine, pod_template};
use super::{SetSync, Task};
use crate::api::types::{Node, Pod};
use crate::api::{Key, Kind, MetaExt, ObjectRef, order, owner_reference, pod};
use crate::client::{Error, Result, Why};
use crate::controllers::history::Revisioned;

/// The most pods that one sync creates, and that it deletes.
const BURST_REPLICAS: usize = 250;

/// What is done in one sync.
#[derive(Default)]
pub(super) struct Changes {
    /// The nodes on which a pod is created.
    pub(super) create_on: Vec<String>,
    /// The pods that are deleted, with the reasons.
    pub(super) delete: Vec<(Rc<Pod>, Why)>,
}

impl SetSync<'_> {
    /// Creates and deletes pods so that each node has the one that it shall have.
    pub(super) async fn manage(&self) -> Result {
        let nodes = self.nodes();
        let mut changes = Changes::default();
        for node in &nodes {
            self.pods_should_be_on_node(node, &mut changes);
        }
        // No other controller deletes a pod that waits for a node that is gone.
        let is_there = |name: &str| nodes.iter().any(|n| n.metadata.name() == name);
        for (name, pods) in self.by_node.iter().filter(|(name, _)| !is_there(name)) {
            let waits = |p: &&Rc<Pod>| !is_bound(p);
            let why =
                |p: &Rc<Pod>| Why::new("manage.node_gone").with("node", name).with("pod", p.metadata.name());
            changes.delete.extend(pods.iter().filter(waits).map(|p| (p.clone(), why(p))));
        }
        self.sync_nodes(changes).await
    }

    /// What is to be created and deleted on a node.
    fn pods_should_be_on_node(&self, node: &Rc<Node>, changes: &mut Changes) {
        let name = node.metadata.name();
        let fit = self.daemon.fits(node);
        let pods = self.pods_on(name);
        if fit.should_run && pods.is_empty() {
            changes.create_on.push(name.to_owned());
        } else if fit.should_continue {
            let mut running = self.running(node, pods, changes);
            order::sort_by(&mut running, oldest_first);
            self.keep_one(name, fit.should_run, &running, changes);
        } else {
            let why = |p: &Rc<Pod>| {
                Why::new("manage.not_wanted").with("pod", p.metadata.name()).read(
                    "node",
                    ObjectRef::of(&**node),
                    "spec.taints",
                    name,
                )
            };
            let there = pods.iter().filter(|p| !p.metadata.is_deleting());
            changes.delete.extend(there.map(|p| (p.clone(), why(p))));
        }
    }

    /// The pods that neither have ended nor are being deleted. Those that have ended are deleted, failed ones after a
    /// delay that grows.
    fn running(&self, node: &Rc<Node>, pods: &[Rc<Pod>], changes: &mut Changes) -> Vec<Rc<Pod>> {
        let (cx, set) = (self.cx, self.set);
        let mut running = Vec::new();
        for pod in pods.iter().filter(|p| !p.metadata.is_deleting()) {
            let (key, name) = (pod.metadata.key(), node.metadata.name());
            let why = || {
                Why::new("manage.ended")
                    .read("pod", ObjectRef::of(&**pod), "metadata.name", pod.metadata.name())
                    .read("phase", ObjectRef::of(&**pod), "status.phase", phase(pod))
                    .with("node", name)
            };
            match phase(pod) {
                "Failed" => {
                    let observed = set.status.as_ref().and_then(|s| s.observed_generation).unwrap_or(0);
                    let id: Rc<str> = format!("{}/{observed}/{name}", set.metadata.uid()).into();
                    if let Some(delay) = cx.state(|s| s.failed_pods.waits(&id, cx.now())) {
                        cx.enqueue_after(Task::Set(set.metadata.key()), delay);
                        continue;
                    }
                    let now = cx.now();
                    cx.update_state(move |s| s.failed_pods.next(&id, now));
                    let message =
                        format!("Found failed daemon pod {key} on node {name}, will try to kill it");
                    cx.event(&**set, "Warning", "FailedDaemonPod", message);
                    changes.delete.push((pod.clone(), why()));
                }
                "Succeeded" => {
                    let message =
                        format!("Found succeeded daemon pod {key} on node {name}, will try to delete it");
                    cx.event(&**set, "Normal", "SucceededDaemonPod", message);
                    changes.delete.push((pod.clone(), why()));
                }
                _ => running.push(pod.clone()),
            }
        }
        running
    }

    /// Keeps the oldest of the pods on a node. A set that surges may have two: the old one that is ready, and the new
    /// one that is not available yet.
    fn keep_one(&self, node: &str, should_run: bool, running: &[Rc<Pod>], changes: &mut Changes) {
        let surplus = |p: &Rc<Pod>| {
            (p.clone(), Why::new("manage.surplus").with("pod", p.metadata.name()).with("node", node))
        };
        if !self.allows_surge() {
            changes.delete.extend(running.iter().skip(1).map(surplus));
            return;
        }
        if running.len() <= 1 {
            if running.is_empty() && should_run {
                changes.create_on.push(node.to_owned());
            }
            return;
        }
        let (new, old): (Vec<_>, Vec<_>) = running.iter().partition(|p| self.has_current_hash(p));
        let later = new.iter().skip(1).chain(old.iter().skip(1));
        changes.delete.extend(later.map(|p| surplus(p)));
        if let (Some(new), Some(old)) = (new.first(), old.first()) {
            let available = is_available(new, self.set.min_ready_seconds(), self.cx.now());
            if !is_ready(old) || available {
                changes.delete.push(((*old).clone(), self.replaced(old, node)));
            }
        }
    }

    /// Why a pod of an old revision is deleted.
    pub(super) fn replaced(&self, old: &Rc<Pod>, node: &str) -> Why {
        Why::new("rolling_update.replace")
            .read("pod", ObjectRef::of(&**old), "metadata.labels", old.metadata.name())
            .with("node", node)
            .with("revision", &self.hash)
    }

    /// Creates and deletes pods, and expects to see that.
    pub(super) async fn sync_nodes(&self, mut changes: Changes) -> Result {
        let (cx, key) = (self.cx, self.set.metadata.key());
        changes.create_on.truncate(BURST_REPLICAS);
        changes.delete.truncate(BURST_REPLICAS);
        let creations = i64::try_from(changes.create_on.len()).unwrap_or(i64::MAX);
        let deletions: BTreeSet<Key> = order::gather(changes.delete.iter().map(|(p, _)| p.metadata.key()));
        let now = cx.now();
        let k = key.clone();
        cx.update_state(move |s| s.expectations.expect(&k, creations, deletions.clone(), now));
        let mut errors = self.create(&key, &changes.create_on).await;
        for (pod, why) in changes.delete {
            if let Err(e) = delete_pod(cx, &pod, &**self.set, why).await {
                let (k, p) = (key.clone(), pod.metadata.key());
                cx.update_state(move |s| s.expectations.deletion_observed(&k, &p));
                if !e.is_not_found() {
                    errors.push(e);
                }
            }
        }
        aggregate(errors)
    }

    /// Creates a pod on each of the nodes.
    async fn create(&self, key: &Key, nodes: &[String]) -> Vec<Error> {
        let mut template = pod_template(self.set, &self.hash);
        let spec = template.spec.take().unwrap_or_default();
        let owner = owner_reference(Kind::DAEMON_SET, &self.set.metadata);
        let (created, errors) = slow_start_batch(nodes, BURST_REPLICAS, async |node: &String, _| {
            let mut spec = spec.clone();
            confine(&mut spec.affinity, node);
            let spec = Some(pod::Spec::from(spec));
            let pod = pod_from_template(&template, spec, self.set.metadata.namespace(), &owner);
            let why = Why::new("manage.create")
                .read("node", ObjectRef::new(Kind::NODE, "", node), "metadata.name", node)
                .read("set", ObjectRef::of(&**self.set), "spec.template", self.set.metadata.name());
            let created = create_pod_unless_terminating(self.cx, pod, &**self.set, why).await?;
            created.iter().for_each(|pod| self.cx.wrote(&self.set.metadata, pod));
            Ok(())
        })
        .await;
        self.not_created(key, nodes.len() - created);
        errors
    }

    /// Takes back the expectation of creations.
    fn not_created(&self, key: &Key, pods: usize) {
        let key = key.clone();
        self.cx.update_state(move |s| (0..pods).for_each(|_| s.expectations.creation_observed(&key)));
    }
}

/// Whether the pod has a node.
fn is_bound(pod: &Pod) -> bool {
    pod.spec.as_ref().and_then(|s| s.node_name.as_deref()).is_some_and(|n| !n.is_empty())
}

/// The order in which pods on a node are kept: bound ones first, then by age and name
/// (`podByCreationTimestampAndPhase`).
pub(super) fn oldest_first(a: &Rc<Pod>, b: &Rc<Pod>) -> std::cmp::Ordering {
    let created = |p: &Pod| p.metadata.creation_timestamp.as_ref().map(|t| t.0);
    is_bound(b)
        .cmp(&is_bound(a))
        .then_with(|| created(a).cmp(&created(b)))
        .then_with(|| a.metadata.name().cmp(b.metadata.name()))
}
