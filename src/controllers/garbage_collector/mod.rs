//! The garbage collector (`k8s.io/kubernetes/pkg/controller/garbagecollector`): what nobody owns
//! any more goes, in the foreground, in the background, or stays as an orphan.
//!
//! Its handlers keep a [`Graph`] of every object and its owners. An object that may have to go, or
//! whose dependents may have to stay, becomes a key; what is decided is decided on what the API
//! server itself says, past the caches.
//!
//! The two queues of Kubernetes are one here, told apart by the namespace of their keys: the name
//! is a uid.

pub mod graph;
mod operations;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use serde_json::json;

use crate::api::types::OwnerReference;
use crate::api::{Key, Kind, MetaExt, Object};
use crate::apimachinery::{FINALIZER_FOREGROUND, FINALIZER_ORPHAN, Filter, Propagation, Status};
use crate::client::{Context, Error, EventFlavour, Handler, Notification, Reconciler, Recorded, Result, Why};
use crate::etcd::Map;
pub use graph::{Graph, Identity, Node};
use operations::{delete_object, get_object, patch_object, remove_finalizer};

/// The namespace of the keys of objects that may have to be deleted.
pub const ATTEMPT_TO_DELETE: &str = "attemptToDelete";
/// The namespace of the keys of objects whose dependents stay.
pub const ATTEMPT_TO_ORPHAN: &str = "attemptToOrphan";
/// The namespace of the keys of objects that were found not to be there.
pub const GRAPH_CHANGES: &str = "graphChanges";
/// The namespace of the keys of references into other namespaces, which become events.
pub const OWNER_REF_INVALID_NAMESPACE: &str = "ownerRefInvalidNamespace";

/// The controller.
#[derive(Clone, Copy, Debug)]
pub struct GarbageCollector;

/// What it remembers.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Who owns whom.
    pub graph: Graph,
    // By uid: what the API server did not have and the graph is still to be told of.
    gone: Map<Rc<str>, Identity>,
}

type Cx = Context<State>;

impl Reconciler for GarbageCollector {
    type State = State;

    fn name(&self) -> Rc<str> {
        "garbage-collector-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "generic-garbage-collector".into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: self.name(), host: None }
    }

    fn memory(&self, state: &State) -> Vec<String> {
        state.gone.values().map(|i| format!("{} {} is gone", i.reference(), i.uid)).collect()
    }

    fn watches(&self) -> Vec<(Kind, Filter)> {
        let all = Kind::BUILT_IN.iter().filter(|k| **k != Kind::EVENT);
        all.map(|k| (*k, Filter::All)).collect()
    }

    fn handle(&self, cx: &mut Handler<'_, State>, seen: &Notification) {
        let mut queue = Vec::new();
        let graph = &mut cx.state.graph;
        match (&seen.old, &seen.new) {
            (Some(old), Some(new)) if old.uid() != new.uid() => {
                graph.observe_deletion(old, &mut queue);
                graph.observe(None, new, &mut queue);
            }
            (old, Some(new)) => graph.observe(old.as_ref(), new, &mut queue),
            (Some(old), None) => graph.observe_deletion(old, &mut queue),
            (None, None) => {}
        }
        for key in queue {
            cx.enqueue(key);
        }
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        match &*key.namespace {
            ATTEMPT_TO_DELETE => attempt_to_delete(&cx, &key.name).await,
            ATTEMPT_TO_ORPHAN => attempt_to_orphan(&cx, &key.name).await,
            GRAPH_CHANGES => {
                process_graph_change(&cx, &key.name);
                Ok(())
            }
            _ => {
                report_invalid_namespace(&cx, &key.name);
                Ok(())
            }
        }
    }
}

/// The graph is told that there is no such object, in a sync of its own: what it answers is what
/// has to be looked at next.
fn enqueue_virtual_delete(cx: &Cx, identity: &Identity) {
    let i = identity.clone();
    cx.update_state(move |s| {
        s.gone.insert(i.uid.clone(), i.clone());
    });
    cx.enqueue(Key::new(GRAPH_CHANGES, &identity.uid));
}

fn process_graph_change(cx: &Cx, uid: &str) {
    let Some(gone) = cx.state(|s| s.gone.get(uid).cloned()) else { return };
    let mut queue = Vec::new();
    cx.state(|s| s.graph.clone()).virtual_delete(&gone, &mut queue);
    cx.update_state(move |s| {
        s.gone.remove(&gone.uid);
        s.graph.virtual_delete(&gone, &mut Vec::new());
    });
    for key in queue {
        cx.enqueue(key);
    }
}

fn report_invalid_namespace(cx: &Cx, uids: &str) {
    let Some((dependent, owner)) = uids.split_once('/') else { return };
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
        "ownerRef [{}/{}, namespace: {}, name: {}, uid: {}] does not exist in namespace {:?}",
        owner.api_version, owner.kind, key.namespace, owner.name, owner.uid, &*key.namespace
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

/// `attemptToDeleteItem`: an object goes when no owner of it is left.
async fn attempt_to_delete(cx: &Cx, uid: &str) -> Result {
    let Some(node) = cx.state(|s| s.graph.get(uid).cloned()) else { return Ok(()) };
    // What is being deleted goes by itself, unless it waits for its dependents.
    if node.being_deleted && !node.deleting_dependents {
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
        // It is there, and an informer will see it; until then nobody knows whether it stays.
        return Err(Error::Other("the object has not been observed yet".into()));
    }
    Ok(())
}

/// An object's owners: those that are there, those that are not, and those that wait for it.
#[derive(Default)]
struct References {
    solid: Vec<OwnerReference>,
    dangling: Vec<OwnerReference>,
    waiting: Vec<OwnerReference>,
}

/// Asks the API server about every owner. `None` if a reference can never be resolved: a
/// namespaced owner of a cluster-scoped object, or a kind that is not served.
async fn classify_references(cx: &Cx, node: &Node, owners: &[OwnerReference]) -> Result<Option<References>> {
    let mut sorted = References::default();
    for reference in owners {
        let namespace = &node.identity.key.namespace;
        let Some(owner) = Identity::of_owner(reference, namespace) else { return Ok(None) };
        if cx.state(|s| s.graph.is_absent(&owner)) {
            sorted.dangling.push(reference.clone());
            continue;
        }
        if owner.kind.namespaced() && namespace.is_empty() {
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

async fn delete_or_detach(cx: &Cx, node: &Node, latest: &Object, references: References) -> Result {
    let References { solid, dangling, waiting } = references;
    if !solid.is_empty() {
        if dangling.is_empty() && waiting.is_empty() {
            return Ok(());
        }
        let why = Why::new("attempt_to_delete.remove_references")
            .read("solid", node.identity.reference(), "metadata.ownerReferences", names(&solid))
            .with("dangling", names(&dangling))
            .with("waiting", names(&waiting));
        let uids = dangling.iter().chain(&waiting).map(|r| r.uid.as_str());
        return Ok(patch_object(cx, &node.identity, without_owners(node, uids), why).await?);
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
            patch_object(cx, &node.identity, unblocked(node), why).await?;
        }
        let why = facts(Why::new("attempt_to_delete.foreground"));
        return deleted(cx, node, delete_object(cx, node, latest, Propagation::Foreground, why).await);
    }
    // Whoever asked for something else before is obeyed.
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

fn deleted(cx: &Cx, node: &Node, result: std::result::Result<(), Status>) -> Result {
    match result {
        Err(e) if e.is_not_found() => {
            enqueue_virtual_delete(cx, &node.identity);
            Ok(())
        }
        other => Ok(other?),
    }
}

/// `GenerateDeleteOwnerRefStrategicMergeBytes`
fn without_owners<'a>(node: &Node, owners: impl Iterator<Item = &'a str>) -> serde_json::Value {
    let gone: Vec<_> = owners.map(|uid| json!({"$patch": "delete", "uid": uid})).collect();
    json!({"metadata": {"ownerReferences": gone, "uid": &*node.identity.uid}})
}

/// The references that block an owner's deletion, blocking no more.
fn unblocked(node: &Node) -> serde_json::Value {
    let blocking = node.owners.iter().filter(|o| o.block_owner_deletion == Some(true));
    let owners: Vec<_> = blocking
        .map(|o| {
            let mut v = json!({
                "apiVersion": o.api_version, "kind": o.kind, "name": o.name, "uid": o.uid,
                "blockOwnerDeletion": false,
            });
            if let Some(controller) = o.controller {
                v["controller"] = controller.into();
            }
            v
        })
        .collect();
    json!({"metadata": {"ownerReferences": owners, "uid": &*node.identity.uid}})
}

/// `processDeletingDependentsItem`: in the foreground an object waits for the dependents that
/// block it.
async fn process_deleting_dependents(cx: &Cx, node: &Node) -> Result {
    let blocking: Vec<Rc<Node>> = cx.state(|s| s.graph.blocking_dependents(node).map(Rc::clone).collect());
    if blocking.is_empty() {
        let why = Why::new("process_deleting_dependents.remove_finalizer")
            .read("finalizer", node.identity.reference(), "metadata.finalizers", FINALIZER_FOREGROUND)
            .with("blocking", 0);
        return remove_finalizer(cx, &node.identity, FINALIZER_FOREGROUND, why).await;
    }
    for dependent in blocking.iter().filter(|d| !d.deleting_dependents) {
        cx.enqueue(graph::delete_key(&dependent.identity.uid));
    }
    Ok(())
}

/// `attemptToOrphanWorker`: the dependents lose their owner, then the owner its finalizer.
async fn attempt_to_orphan(cx: &Cx, uid: &str) -> Result {
    let Some(node) = cx.state(|s| s.graph.get(uid).cloned()) else { return Ok(()) };
    let dependents: Vec<Rc<Node>> = cx.state(|s| s.graph.dependents(&node).map(Rc::clone).collect());
    let mut failed = None;
    for dependent in &dependents {
        let why = Why::new("orphan_dependents")
            .read("finalizer", node.identity.reference(), "metadata.finalizers", FINALIZER_ORPHAN)
            .read("dependent", dependent.identity.reference(), "metadata.ownerReferences", uid);
        let change = without_owners(dependent, std::iter::once(uid));
        match patch_object(cx, &dependent.identity, change, why).await {
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
