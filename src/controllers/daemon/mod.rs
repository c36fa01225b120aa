//! The DaemonSet controller (`k8s.io/kubernetes/pkg/controller/daemon`): it keeps one pod on each node that the
//! template fits.
//!
//! `sync` has these steps: find the revision of the template, create and delete pods so that each node has the one
//! that it shall have, replace pods of old revisions, and report the status.

mod backoff;
mod history;
mod manage;
mod placement;
mod rolling;
mod status;

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use super::controller_ref_manager::claim_objects_noted;
use super::controller_utils::is_terminal;
use crate::api::labels::Selector;
use crate::api::types::{ControllerRevision, DaemonSet, LabelSelector, Node, Pod};
use crate::api::well_known::CONTROLLER_REVISION_HASH_LABEL;
use crate::api::{Key, MetaExt, Timestamp};
use crate::client::{
    Caches, Consistency, Context, Expectations, Handler, Reconciler, Result, Seen, Selects, Watches,
};
use crate::controllers::history::Revisioned;
use backoff::FailedPods;
use placement::{DaemonPod, target_node};

/// The DaemonSet controller.
#[derive(Clone, Copy, Debug)]
pub struct DaemonSetsController;

/// A key of the controller's work queues.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// To sync a DaemonSet.
    Set(Key),
    /// Find the DaemonSets for which a node has become another one. (In Kubernetes a queue of its own.)
    Node(Key),
}

impl From<Key> for Task {
    fn from(set: Key) -> Task {
        Task::Set(set)
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Set(set) => set.fmt(f),
            Task::Node(node) => write!(f, "nodeUpdate/{node}"),
        }
    }
}

/// What the controller remembers.
#[derive(Clone, Debug, Default)]
pub struct State {
    expectations: Expectations,
    consistency: Consistency,
    failed_pods: FailedPods,
}

impl crate::client::Memory for State {
    fn lines(&self, now: Timestamp) -> Vec<String> {
        let mut lines = self.expectations.lines(now);
        lines.extend(self.failed_pods.lines(now));
        lines
    }

    fn waits_for(&self, caches: &Caches) -> Vec<String> {
        self.consistency.waits_for(caches)
    }
}

impl AsMut<Consistency> for State {
    fn as_mut(&mut self) -> &mut Consistency {
        &mut self.consistency
    }
}

type Cx = Context<State, Task>;
/// The pods of a set, by the names of their nodes.
type ByNode = BTreeMap<String, Vec<Rc<Pod>>>;

impl Reconciler for DaemonSetsController {
    type Key = Task;
    type State = State;

    fn name(&self) -> Rc<str> {
        "daemonset-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "daemon-set-controller".into()
    }

    fn watches(&self) -> Watches<State, Task> {
        Watches::new()
            .for_expecting::<DaemonSet>(|s: &mut State| &mut s.expectations)
            .owns::<DaemonSet, ControllerRevision>()
            .owns_expecting::<DaemonSet, Pod>(|s| &mut s.expectations)
            .owns_until_available::<DaemonSet>(|set, pod| match set.min_ready_seconds() {
                // One second more, because clocks differ (kubernetes/kubernetes issue 39785).
                min if min > 0 && !pod.metadata.is_deleting() => min.saturating_add(1),
                _ => 0,
            })
            .watches(handle_node)
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        match task {
            Task::Set(key) => sync(&cx, &key).await,
            Task::Node(node) => {
                sync_node_update(&cx, &node);
                Ok(())
            }
        }
    }
}

impl Selects for DaemonSet {
    fn selector(&self) -> std::result::Result<Selector, String> {
        Selector::from_label_selector(self.spec.as_ref().map(|s| &s.selector))
    }
}

/// Enqueues a node that is new, or whose labels or taints have changed.
fn handle_node(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Node>) {
    let Some(new) = seen.new else { return };
    let taints = |n: &Node| n.spec.as_ref().and_then(|s| s.taints.clone()).unwrap_or_default();
    let is_same = |old: &Rc<Node>| {
        old.metadata.labels_or_empty() == new.metadata.labels_or_empty() && taints(old) == taints(new)
    };
    if !seen.old.is_some_and(is_same) {
        cx.enqueue(Task::Node(seen.key.clone()));
    }
}

/// Enqueues the sets that lack a pod on a node, or have one there that it must not have (`syncNodeUpdate`).
fn sync_node_update(cx: &Cx, key: &Key) {
    let Some(node) = cx.lister::<Node>().get(key) else { return };
    for set in cx.lister::<DaemonSet>().list(None) {
        let fit = DaemonPod::of(set).fits(node);
        let pods = cx.lister::<Pod>();
        let here =
            |p: &&Rc<Pod>| p.spec.as_ref().and_then(|s| s.node_name.as_deref()) == Some(node.metadata.name());
        let scheduled = pods.controlled_by(set.metadata.uid()).any(|p| here(&p));
        let misscheduled = set.status.as_ref().is_some_and(|s| s.number_misscheduled > 0);
        let wakes = match scheduled {
            true => !fit.should_continue || misscheduled,
            false => fit.should_run,
        };
        if wakes {
            cx.enqueue(Task::Set(set.metadata.key()));
        }
    }
}

/// Syncs a DaemonSet (`syncDaemonSet`).
async fn sync(cx: &Cx, key: &Key) -> Result {
    cx.state(|s| s.consistency.ensure_ready(key, cx.caches()))?;
    let Some(set) = cx.lister::<DaemonSet>().get(key).cloned() else {
        let key = key.clone();
        cx.update_state(move |s| {
            s.expectations.delete(&key);
            s.consistency.clear(&key);
        });
        return Ok(());
    };
    if set.spec.as_ref().is_some_and(|s| s.selector == LabelSelector::default()) {
        let message = "This daemon set is selecting all pods. A non-empty selector is required.";
        cx.event(&*set, "Warning", "SelectingAll", message);
        return Ok(());
    }
    // The garbage collector may have deleted revisions that are needed to count.
    if set.metadata.is_deleting() {
        return Ok(());
    }
    // Validation refuses selectors that cannot be parsed.
    let Ok(selector) = set.selector() else { return Ok(()) };
    let (current, old) = history::construct(cx, &set, &selector).await?;
    let lister = cx.lister::<Pod>();
    let owned = lister.controlled_by(set.metadata.uid());
    let candidates = owned.chain(lister.orphans(set.metadata.namespace())).cloned().collect();
    let adopted = |pod: &Rc<Pod>| cx.wrote(&set.metadata, pod);
    let pods = claim_objects_noted(cx, &set, &selector, candidates, |_| true, &[], adopted).await?;
    let hash = current.metadata.label(CONTROLLER_REVISION_HASH_LABEL).unwrap_or_default().to_owned();
    let sync = SetSync { cx, set: &set, hash, by_node: by_node(&pods), daemon: DaemonPod::of(&set) };
    if !cx.state(|s| s.expectations.satisfied(key, cx.now())) {
        // The generation is not observed: nothing was done for it.
        return sync.update_status(false).await;
    }
    let updated = sync.update_daemon_set(key, &pods, &old).await;
    let reported = sync.update_status(true).await;
    updated.and(reported)
}

/// The set of one sync, and its pods.
struct SetSync<'s> {
    cx: &'s Cx,
    set: &'s Rc<DaemonSet>,
    /// The hash of the current revision.
    hash: String,
    /// The pods on each node, without those that have ended and are being deleted.
    by_node: ByNode,
    /// The pod that the template describes.
    daemon: DaemonPod,
}

impl SetSync<'_> {
    async fn update_daemon_set(&self, key: &Key, pods: &[Rc<Pod>], old: &[Rc<ControllerRevision>]) -> Result {
        self.manage().await?;
        let strategy = self.set.spec.as_ref().and_then(|s| s.update_strategy.as_ref());
        let rolls = strategy.and_then(|s| s.type_.as_deref()) == Some("RollingUpdate");
        if rolls && self.cx.state(|s| s.expectations.satisfied(key, self.cx.now())) {
            self.rolling_update().await?;
        }
        history::cleanup(self.cx, self.set, pods, old).await
    }

    /// The nodes that the caches have.
    fn nodes(&self) -> Vec<Rc<Node>> {
        self.cx.lister::<Node>().list(None).cloned().collect()
    }

    fn pods_on(&self, node: &str) -> &[Rc<Pod>] {
        self.by_node.get(node).map_or(&[], Vec::as_slice)
    }

    /// Whether the pod has the hash of the current revision.
    fn has_current_hash(&self, pod: &Pod) -> bool {
        !self.hash.is_empty()
            && pod.metadata.label(CONTROLLER_REVISION_HASH_LABEL) == Some(self.hash.as_str())
    }

    /// Whether the pod counts as one of the current template (`IsPodUpdated`). A pod with the number of the set's
    /// template counts, too, whatever its hash is: also a pod that another set of the same name has left.
    fn is_updated(&self, pod: &Pod) -> bool {
        let generation = placement::template_generation(self.set).map(|g| g.to_string());
        self.has_current_hash(pod)
            || generation.is_some_and(|g| pod.metadata.label(placement::GENERATION_LABEL) == Some(g.as_str()))
    }
}

/// The pods by the names of their nodes (`getNodesToDaemonPods`).
fn by_node(pods: &[Rc<Pod>]) -> ByNode {
    let mut all = ByNode::new();
    for pod in pods {
        if is_terminal(pod) && pod.metadata.is_deleting() {
            continue;
        }
        if let Some(node) = target_node(pod) {
            all.entry(node.to_owned()).or_default().push(pod.clone());
        }
    }
    all
}
