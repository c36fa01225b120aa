//! The garbage collector (`k8s.io/kubernetes/pkg/controller/garbagecollector`). It deletes objects whose
//! owners are deleted: after the owner (background), before it (foreground), or it removes the owner from
//! them instead (orphan).
//!
//! Its handlers keep a [`Graph`] of all objects and their owners. An object that may have to be deleted, or
//! whose dependents have to be kept, becomes a [`Task`]. A task decides by what it reads from the API
//! server, not from caches. Kubernetes has a queue for each sort of task; here the sorts share one.

pub mod graph;
mod operations;

use std::fmt;
use std::rc::Rc;

use crate::api::persistent::Map;
use crate::api::quote::go_quote;
use crate::api::types::OwnerReference;
use crate::api::{Kind, MetaExt, Object, Timestamp};
use crate::apimachinery::{FINALIZER_FOREGROUND, FINALIZER_ORPHAN, Propagation, Status};
use crate::client::{
    Caches, Context, Error, Handler, Kinds, Memory, Notification, Reconciler, Recorded, Result, Watches, Why,
};
pub use graph::{Graph, Identity, ObjectNode};
use operations::{OwnerChange, delete_object, get_object, patch_owners, remove_finalizer};

/// A key of the garbage collector's work queue, mostly with the uid of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// The object may have to be deleted.
    AttemptToDelete(Rc<str>),
    /// The object's dependents are to be kept, without their owner.
    AttemptToOrphan(Rc<str>),
    /// The API server does not have the object: the graph is to be updated.
    GraphChanges(Rc<str>),
    /// A dependent names an owner in another namespace, which is to be recorded as an event.
    OwnerRefInvalidNamespace {
        /// The dependent's uid.
        dependent: Rc<str>,
        /// The owner's uid.
        owner: Rc<str>,
    },
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::AttemptToDelete(uid) => write!(f, "attemptToDelete/{uid}"),
            Task::AttemptToOrphan(uid) => write!(f, "attemptToOrphan/{uid}"),
            Task::GraphChanges(uid) => write!(f, "graphChanges/{uid}"),
            Task::OwnerRefInvalidNamespace { dependent, owner } => {
                write!(f, "ownerRefInvalidNamespace/{dependent}/{owner}")
            }
        }
    }
}

/// The garbage collector.
#[derive(Clone, Copy, Debug)]
pub struct GarbageCollector;

/// What the garbage collector remembers between syncs.
#[derive(Clone, Debug)]
pub struct State {
    /// All objects with their owners.
    pub graph: Graph,
    /// The kinds that it watches.
    kinds: Kinds,
    // Objects, by uid, that the API server does not have and that are still in the graph.
    gone: Map<Rc<str>, Identity>,
}

impl Default for State {
    fn default() -> State {
        let kinds = watched(&Caches::default());
        State { graph: Graph::default(), kinds, gone: Map::new() }
    }
}

impl Memory for State {
    /// The graph is left out, because it follows from the objects in the caches.
    fn lines(&self, _: Timestamp) -> Vec<String> {
        self.gone.values().map(|i| format!("{} {} is gone", i.reference(), i.uid)).collect()
    }
}

type Cx = Context<State, Task>;

impl Reconciler for GarbageCollector {
    type Key = Task;
    type State = State;

    fn name(&self) -> Rc<str> {
        "garbage-collector-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "generic-garbage-collector".into()
    }

    fn watches(&self) -> Watches<State, Task> {
        Watches::new().known(|s| &s.kinds, handle)
    }

    async fn sync(self, cx: Cx, task: Task) -> Result {
        match task {
            Task::AttemptToDelete(uid) => attempt_to_delete(&cx, &uid).await,
            Task::AttemptToOrphan(uid) => attempt_to_orphan(&cx, &uid).await,
            Task::GraphChanges(uid) => {
                process_graph_change(&cx, &uid);
                Ok(())
            }
            Task::OwnerRefInvalidNamespace { dependent, owner } => {
                report_invalid_namespace(&cx, &dependent, &owner);
                Ok(())
            }
        }
    }
}

/// The kinds whose objects are in the graph.
fn watched(caches: &Caches) -> Kinds {
    super::served(caches).filter(|k| *k != Kind::EVENT).collect()
}

/// A definition changed, and the custom kinds perhaps with it (`GarbageCollector.Sync`).
fn follow_definitions(cx: &mut Handler<'_, State, Task>, tasks: &mut Vec<Task>) {
    let kinds = watched(cx.caches);
    if kinds != cx.state.kinds {
        cx.state.graph.set_custom_kinds(kinds.iter().copied().filter(|k| k.is_custom()).collect(), tasks);
        cx.state.kinds = kinds;
    }
}

fn handle(cx: &mut Handler<'_, State, Task>, seen: &Notification) {
    let mut tasks = Vec::new();
    if seen.new.as_ref().or(seen.old.as_ref()).is_some_and(|o| o.kind() == Kind::CUSTOM_RESOURCE_DEFINITION) {
        follow_definitions(cx, &mut tasks);
    }
    let graph = &mut cx.state.graph;
    match (&seen.old, &seen.new) {
        (Some(old), Some(new)) if old.uid() != new.uid() => {
            graph.observe_deletion(old, &mut tasks);
            graph.observe(None, new, &mut tasks);
        }
        (old, Some(new)) => graph.observe(old.as_ref(), new, &mut tasks),
        (Some(old), None) => graph.observe_deletion(old, &mut tasks),
        (None, None) => {}
    }
    for task in tasks {
        cx.enqueue(task);
    }
}

/// Plans the update of the graph for an object that does not exist. It is a sync of its own, because tasks
/// follow from it.
fn enqueue_virtual_delete(cx: &Cx, identity: &Identity) {
    let i = identity.clone();
    cx.update_state(move |s| {
        s.gone.insert(i.uid.clone(), i.clone());
    });
    cx.enqueue(Task::GraphChanges(identity.uid.clone()));
}

fn process_graph_change(cx: &Cx, uid: &str) {
    let Some(gone) = cx.state(|s| s.gone.get(uid).cloned()) else { return };
    let mut tasks = Vec::new();
    cx.state(|s| s.graph.clone()).virtual_delete(&gone, &mut tasks);
    cx.update_state(move |s| {
        s.gone.remove(&gone.uid);
        s.graph.virtual_delete(&gone, &mut Vec::new());
    });
    for task in tasks {
        cx.enqueue(task);
    }
}

fn report_invalid_namespace(cx: &Cx, dependent: &str, owner: &str) {
    let Some(node) = cx.state(|s| s.graph.get(dependent).cloned()) else { return };
    let Some(owner) = node.owners.iter().find(|o| o.uid == owner) else { return };
    let Identity { kind, key, uid } = &node.identity;
    let about = crate::api::types::ObjectReference {
        api_version: Some(kind.api_version().into()),
        kind: Some(kind.as_str().into()),
        namespace: Some(key.namespace.to_string()),
        name: Some(key.name.to_string()),
        uid: Some(uid.to_string()),
        ..Default::default()
    };
    let message = format!(
        "ownerRef [{}/{}, namespace: {}, name: {}, uid: {}] does not exist in namespace {}",
        owner.api_version,
        owner.kind,
        key.namespace,
        owner.name,
        owner.uid,
        go_quote(&*key.namespace)
    );
    cx.record(Recorded {
        about,
        type_: "Warning",
        reason: "OwnerRefInvalidNamespace".into(),
        message,
        action: "",
        at: cx.now(),
    });
}

/// Deletes an object of which no owner is left (`attemptToDeleteItem`).
async fn attempt_to_delete(cx: &Cx, uid: &str) -> Result {
    let Some(node) = cx.state(|s| s.graph.get(uid).cloned()) else { return Ok(()) };
    // An object that is being deleted needs nothing, unless it waits for its dependents.
    if node.being_deleted && !node.deleting_dependents {
        return Ok(());
    }
    // Its definition went, and the object with it.
    if !cx.state(|s| s.graph.is_served(node.identity.kind)) {
        return Ok(());
    }
    let latest = match get_object(cx, &node.identity).await? {
        Some(latest) if latest.uid() == uid => latest,
        _ => {
            enqueue_virtual_delete(cx, &node.identity);
            return Ok(());
        }
    };
    if node.deleting_dependents {
        return process_deleting_dependents(cx, &node).await;
    }
    if !latest.meta().owners().is_empty() {
        let Some(references) = classify_references(cx, &node, latest.meta().owners()).await? else {
            return Ok(());
        };
        delete_or_detach(cx, &node, &latest, references).await?;
    }
    if !node.observed {
        // The object exists, so an informer will deliver it. Until then the key is retried.
        return Err(Error::Other("the object has not been observed yet".into()));
    }
    Ok(())
}

/// An object's owners: those that exist, those that do not, and those that are being deleted in the
/// foreground and wait for the object.
#[derive(Default)]
struct References {
    solid: Vec<OwnerReference>,
    dangling: Vec<OwnerReference>,
    waiting: Vec<OwnerReference>,
}

/// Asks the API server about every owner. `None` if a reference can never be resolved: a namespaced owner of
/// a cluster-scoped object, or a kind that is not served.
async fn classify_references(
    cx: &Cx,
    node: &ObjectNode,
    owners: &[OwnerReference],
) -> Result<Option<References>> {
    let mut sorted = References::default();
    for reference in owners {
        let namespace = &node.identity.key.namespace;
        let owner = cx.state(|s| s.graph.owner(reference, namespace));
        let Some(owner) = owner else { return Ok(None) };
        if cx.state(|s| s.graph.is_absent(&owner)) {
            sorted.dangling.push(reference.clone());
            continue;
        }
        let served = cx.state(|s| s.graph.is_served(owner.kind));
        if !served || owner.kind.namespaced() && namespace.is_empty() {
            return Ok(None);
        }
        match get_object(cx, &owner).await?.filter(|o| o.uid() == reference.uid) {
            None => {
                cx.update_state(move |s| s.graph.add_absent(owner.clone()));
                sorted.dangling.push(reference.clone());
            }
            Some(o) if o.meta().is_deleting() && o.meta().has_finalizer(FINALIZER_FOREGROUND) => {
                sorted.waiting.push(reference.clone());
            }
            Some(_) => sorted.solid.push(reference.clone()),
        }
    }
    Ok(Some(sorted))
}

fn names(references: &[OwnerReference]) -> String {
    let all: Vec<String> = references.iter().map(|r| format!("{}/{}", r.kind, r.name)).collect();
    all.join(", ")
}

async fn delete_or_detach(cx: &Cx, node: &ObjectNode, latest: &Object, references: References) -> Result {
    let References { solid, dangling, waiting } = references;
    if !solid.is_empty() {
        if dangling.is_empty() && waiting.is_empty() {
            return Ok(());
        }
        let why = Why::new("attempt_to_delete.remove_references")
            .read("solid", node.identity.reference(), "metadata.ownerReferences", names(&solid))
            .with("dangling", names(&dangling))
            .with("waiting", names(&waiting));
        let uids = dangling.iter().chain(&waiting).map(|r| r.uid.clone()).collect();
        return Ok(patch_owners(cx, node, OwnerChange::Without(uids), why).await?);
    }
    let facts = |why: Why| {
        let owners = names(latest.meta().owners());
        why.read("owners", node.identity.reference(), "metadata.ownerReferences", owners)
            .with("absent", names(&dangling))
            .with("waiting", names(&waiting))
            .with("dependents", node.dependents.len())
    };
    if !waiting.is_empty() && !node.dependents.is_empty() {
        let circle = cx.state(|s| s.graph.dependents(node).any(|d| d.deleting_dependents));
        if circle {
            let why = facts(Why::new("attempt_to_delete.unblock_owners"));
            patch_owners(cx, node, OwnerChange::Unblocked, why).await?;
        }
        let why = facts(Why::new("attempt_to_delete.foreground"));
        return deleted(cx, node, delete_object(cx, node, latest, Propagation::Foreground, why).await);
    }
    // A finalizer shows the policy that a client has asked for before.
    let policy = if latest.meta().has_finalizer(FINALIZER_ORPHAN) {
        Propagation::Orphan
    } else if latest.meta().has_finalizer(FINALIZER_FOREGROUND) {
        Propagation::Foreground
    } else {
        Propagation::Background
    };
    let rule =
        if waiting.is_empty() { "attempt_to_delete.absent_owner" } else { "attempt_to_delete.waiting_owner" };
    deleted(cx, node, delete_object(cx, node, latest, policy, facts(Why::new(rule))).await)
}

fn deleted(cx: &Cx, node: &ObjectNode, result: std::result::Result<(), Status>) -> Result {
    match result {
        Err(e) if e.is_not_found() => {
            enqueue_virtual_delete(cx, &node.identity);
            Ok(())
        }
        other => Ok(other?),
    }
}

/// Deletes the dependents that block an object's deletion in the foreground, or ends that deletion if there
/// are none (`processDeletingDependentsItem`).
async fn process_deleting_dependents(cx: &Cx, node: &ObjectNode) -> Result {
    let blocking: Vec<Rc<ObjectNode>> =
        cx.state(|s| s.graph.blocking_dependents(node).map(Rc::clone).collect());
    if blocking.is_empty() {
        let why = Why::new("process_deleting_dependents.remove_finalizer")
            .read("finalizer", node.identity.reference(), "metadata.finalizers", FINALIZER_FOREGROUND)
            .with("blocking", 0);
        return remove_finalizer(cx, &node.identity, FINALIZER_FOREGROUND, why).await;
    }
    for dependent in blocking.iter().filter(|d| !d.deleting_dependents) {
        cx.enqueue(Task::AttemptToDelete(dependent.identity.uid.clone()));
    }
    Ok(())
}

/// Removes an owner from its dependents, then the finalizer from the owner (`attemptToOrphanWorker`).
async fn attempt_to_orphan(cx: &Cx, uid: &str) -> Result {
    let Some(node) = cx.state(|s| s.graph.get(uid).cloned()) else { return Ok(()) };
    let dependents: Vec<Rc<ObjectNode>> = cx.state(|s| s.graph.dependents(&node).map(Rc::clone).collect());
    let mut failed = None;
    for dependent in &dependents {
        let why = Why::new("orphan_dependents")
            .read("finalizer", node.identity.reference(), "metadata.finalizers", FINALIZER_ORPHAN)
            .read("dependent", dependent.identity.reference(), "metadata.ownerReferences", uid);
        let change = OwnerChange::Without(vec![uid.to_owned()]);
        match patch_owners(cx, dependent, change, why).await {
            Err(e) if !e.is_not_found() => failed = failed.or(Some(e)),
            _ => {}
        }
    }
    if let Some(e) = failed {
        return Err(e.into());
    }
    let why = Why::new("attempt_to_orphan.remove_finalizer")
        .read("finalizer", node.identity.reference(), "metadata.finalizers", FINALIZER_ORPHAN)
        .with("orphaned", dependents.len());
    remove_finalizer(cx, &node.identity, FINALIZER_ORPHAN, why).await
}
