//! The garbage collector's requests to the API server (`operations.go`).

use serde_json::{Value, json};

use super::graph::{Identity, ObjectNode};
use crate::api::types::OwnerReference;
use crate::api::{MetaExt, Object, to_value};
use crate::apimachinery::{Body, DeleteOptions, Patch, Propagation, Status, Subresource, Verb};
use crate::client::{Error, Result, Why};

use super::Cx;

/// How often the removal of a finalizer is tried while other clients write the object
/// (`retry.DefaultBackoff`).
const CONFLICT_TRIES: usize = 4;

/// Reads an object from the API server; `None` if there is none of that name.
pub(super) async fn get_object(cx: &Cx, identity: &Identity) -> std::result::Result<Option<Object>, Status> {
    let Identity { kind, key, .. } = identity;
    match cx.send(Verb::Get, *kind, key.clone(), Subresource::None, Body::None).await {
        Err(e) if e.is_not_found() => Ok(None),
        other => other,
    }
}

/// Deletes an object with the uid and `resourceVersion` that were read. If it has changed since but has the
/// same owners, it is deleted in its new version.
pub(super) async fn delete_object(
    cx: &Cx,
    node: &ObjectNode,
    latest: &Object,
    policy: Propagation,
    why: Why,
) -> std::result::Result<(), Status> {
    let Identity { kind, key, uid } = &node.identity;
    let mut options = DeleteOptions {
        propagation_policy: Some(policy),
        uid: Some(uid.to_string()),
        resource_version: latest.resource_version().map(str::to_owned),
        ..Default::default()
    };
    let refused = match cx.delete(*kind, key.clone(), options.clone()).because(why.clone()).await {
        Ok(_) => return Ok(()),
        Err(e) if e.is_conflict() => e,
        Err(e) => return Err(e),
    };
    let Some(live) = get_object(cx, &node.identity).await? else { return Ok(()) };
    let unrelated = live.uid() == &**uid
        && live.resource_version() != latest.resource_version()
        && live.meta().owner_references == latest.meta().owner_references;
    if !unrelated {
        return Err(refused);
    }
    options.resource_version = None;
    cx.delete(*kind, key.clone(), options).because(why).await.map(|_| ())
}

/// What becomes of the owners of an object.
#[derive(Clone, Debug)]
pub(super) enum OwnerChange {
    /// The owners of these uids go.
    Without(Vec<String>),
    /// The owners whose deletion the object blocks are blocked no more.
    Unblocked,
}

impl OwnerChange {
    /// The change as a strategic merge patch (`GenerateDeleteOwnerRefStrategicMergeBytes`).
    fn strategic(&self, node: &ObjectNode) -> Value {
        let owners: Vec<Value> = match self {
            OwnerChange::Without(uids) => {
                uids.iter().map(|uid| json!({"$patch": "delete", "uid": uid})).collect()
            }
            OwnerChange::Unblocked => {
                let blocking = node.owners.iter().filter(|o| o.block_owner_deletion == Some(true));
                blocking.map(unblocked).collect()
            }
        };
        json!({"metadata": {"ownerReferences": owners, "uid": &*node.identity.uid}})
    }

    /// The change of an object as a JSON merge patch, which replaces the list (`deleteOwnerRefJSONMergePatch`,
    /// `unblockOwnerReferencesJSONMergePatch`).
    fn merge(&self, object: &Object) -> Value {
        let owners: Vec<Value> = match self {
            OwnerChange::Without(uids) => {
                let left = object.meta().owners().iter().filter(|o| !uids.contains(&o.uid));
                left.map(to_value).collect()
            }
            OwnerChange::Unblocked => object.meta().owners().iter().map(unblocked).collect(),
        };
        let version = &object.resource_version();
        json!({"metadata": {"resourceVersion": version, "ownerReferences": owners}})
    }
}

/// A reference that blocks no deletion.
fn unblocked(owner: &OwnerReference) -> Value {
    let mut value = json!({
        "apiVersion": owner.api_version, "kind": owner.kind, "name": owner.name, "uid": owner.uid,
        "blockOwnerDeletion": false,
    });
    if let Some(controller) = owner.controller {
        value["controller"] = controller.into();
    }
    value
}

/// Changes the owners of an object with a strategic merge patch, or with a JSON merge patch where the API server does not
/// take the former: of a custom object.
pub(super) async fn patch_owners(
    cx: &Cx,
    node: &ObjectNode,
    change: OwnerChange,
    why: Why,
) -> std::result::Result<(), Status> {
    let Identity { kind, key, .. } = &node.identity;
    let send = |patch: Patch| {
        let call = cx.send(Verb::Patch, *kind, key.clone(), Subresource::None, Body::Patch(patch));
        call.because(why.clone())
    };
    match send(Patch::Strategic(change.strategic(node))).await {
        Err(e) if e.code == 415 => {}
        other => return other.map(|_| ()),
    }
    let known = cx.caches().of(*kind).get(key).filter(|o| o.uid() == &*node.identity.uid).cloned();
    let object = match known {
        Some(object) => object,
        None => match get_object(cx, &node.identity).await? {
            Some(object) => object,
            None => return Err(Status::not_found(*kind, &key.name)),
        },
    };
    send(Patch::Merge(change.merge(&object))).await.map(|_| ())
}

/// Removes a finalizer. If it is the last one of an object that is being deleted, that removes the object.
pub(super) async fn remove_finalizer(cx: &Cx, identity: &Identity, finalizer: &str, why: Why) -> Result {
    for _ in 0..CONFLICT_TRIES {
        let Some(object) = get_object(cx, identity).await? else { return Ok(()) };
        if !object.meta().has_finalizer(finalizer) {
            return Ok(());
        }
        let left: Vec<&String> =
            object.meta().finalizers.iter().flatten().filter(|f| *f != finalizer).collect();
        let left = if left.is_empty() { Value::Null } else { json!(left) };
        let change = json!({"metadata": {"resourceVersion": object.resource_version(), "finalizers": left}});
        let Identity { kind, key, .. } = identity;
        let body = Body::Patch(Patch::Merge(change));
        let call = cx.send(Verb::Patch, *kind, key.clone(), Subresource::None, body);
        match call.because(why.clone()).await {
            Err(e) if e.is_conflict() => {}
            other => return other.map(|_| ()).map_err(Error::from),
        }
    }
    Err(Error::Other(format!(
        "updateMaxRetries({CONFLICT_TRIES}) has reached. The garbage collector will retry later for owner {}.",
        identity.reference()
    )))
}
