//! ControllerRevisions (`k8s.io/kubernetes/pkg/controller/history`): the templates that a StatefulSet or a DaemonSet
//! has had, each kept as the patch that brings it back.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Value, json};

use crate::api::labels::Selector;
use crate::api::pod_template_hash::safe_encode;
use crate::api::types::{ControllerRevision, ObjectMeta, PodTemplateSpec, RawExtension};
use crate::api::{ApiKind, Key, Kind, MetaExt, Object, ObjectRef, go_types, order, owner_reference};
use crate::apimachinery::DeleteOptions;
use crate::client::{Context, Error, Result, Why, WorkKey};

/// The label with the hash that is part of a revision's name.
const HASH_LABEL: &str = "controller.kubernetes.io/hash";
/// The longest part of an owner's name in the name of its revisions, in bytes.
const MAX_PREFIX: usize = 223;
/// How often the number of a revision is written again after a conflict (`retry.DefaultBackoff`).
const UPDATE_TRIES: usize = 4;

/// The patch that gives an object the template that it has now (`getPatch`).
pub(super) fn template_patch<T: ApiKind>(owner: &Rc<T>) -> Value {
    let object: Object = owner.clone().into();
    let mut value = object.to_value();
    let mut template = value.pointer_mut("/spec/template").map(Value::take).unwrap_or_default();
    if let Some(fields) = template.as_object_mut() {
        fields.insert("$patch".into(), "replace".into());
    }
    json!({"spec": {"template": template}})
}

/// Whether a revision keeps the template that its owner has now.
pub fn is_present<T: ApiKind>(owner: &Rc<T>, revision: &ControllerRevision) -> bool {
    data(revision) == Some(&template_patch(owner))
}

/// A revision of `owner` with this patch, before its creation (`NewControllerRevision`). It has the labels of the
/// template and the annotations of the owner.
pub(super) fn new_revision<T: ApiKind>(
    owner: &T,
    template: &PodTemplateSpec,
    patch: Value,
    number: i64,
    collisions: i32,
) -> ControllerRevision {
    let hash = hash(&patch, collisions);
    let labels = template.metadata.as_ref().map(|m| m.labels_or_empty().clone());
    let mut labels: BTreeMap<String, String> = labels.unwrap_or_default();
    labels.insert(HASH_LABEL.into(), hash.clone());
    ControllerRevision {
        metadata: ObjectMeta {
            name: Some(name(owner.meta().name(), &hash)),
            namespace: owner.meta().namespace.clone(),
            labels: Some(labels),
            annotations: owner.meta().annotations.clone().filter(|a| !a.is_empty()),
            owner_references: Some(vec![owner_reference(T::KIND, owner.meta())]),
            ..Default::default()
        },
        data: Some(RawExtension(patch)),
        revision: number,
    }
}

/// The patch that a revision keeps.
pub(super) fn data(revision: &ControllerRevision) -> Option<&Value> {
    revision.data.as_ref().map(|d| &d.0)
}

/// The hash in the name of a revision (`HashControllerRevision`). `collisions` makes it another one when the name is
/// in use.
fn hash(patch: &Value, collisions: i32) -> String {
    let text = format!("{}{collisions}", go_types::go_json(patch));
    safe_encode(&fnv32(text.as_bytes()).to_string())
}

/// FNV-1 with 32 bits, which multiplies first (Go's `fnv.New32`).
fn fnv32(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |h: u32, b| h.wrapping_mul(0x0100_0193) ^ u32::from(*b))
}

/// The name of a revision (`ControllerRevisionName`).
fn name(owner: &str, hash: &str) -> String {
    let prefix = owner.char_indices().take_while(|(at, c)| at + c.len_utf8() <= MAX_PREFIX);
    format!("{}-{hash}", prefix.map(|(_, c)| c).collect::<String>())
}

/// The revisions that `owner` controls, or that no controller owns and its selector matches, the oldest first
/// (`ListControllerRevisions`, `SortControllerRevisions`).
pub(super) fn list<S: Clone + 'static, K: WorkKey, T: ApiKind>(
    cx: &Context<S, K>,
    owner: &T,
    selector: &Selector,
) -> Vec<Rc<ControllerRevision>> {
    let lister = cx.lister::<ControllerRevision>();
    let all = lister.controlled_by(owner.meta().uid()).chain(lister.orphans(owner.meta().namespace()));
    let mut mine: Vec<_> = all.filter(|r| selector.matches(r.metadata.labels_or_empty())).cloned().collect();
    sort(&mut mine);
    mine
}

/// Puts revisions in the order of their numbers; of equal ones the older one comes first.
pub(super) fn sort(revisions: &mut [Rc<ControllerRevision>]) {
    let key = |r: &ControllerRevision| {
        let created = r.metadata.creation_timestamp.as_ref().map(|t| t.0);
        (r.revision, created, r.metadata.name().to_owned())
    };
    order::sort_by(revisions, |a, b| key(a).cmp(&key(b)));
}

/// Creates a revision (`CreateControllerRevision`). While its name is in use by a revision with another patch,
/// `collisions` is raised, and the next name is tried.
///
/// # Errors
/// The API server's refusal.
pub(super) async fn create<S: Clone + 'static, K: WorkKey, T: ApiKind>(
    cx: &Context<S, K>,
    owner: &T,
    mut revision: ControllerRevision,
    collisions: &mut i32,
) -> Result<Rc<ControllerRevision>> {
    let patch = data(&revision).cloned().unwrap_or_default();
    loop {
        revision.metadata.name = Some(name(owner.meta().name(), &hash(&patch, *collisions)));
        let why = Why::new("controller_revision.create")
            .read(
                "owner",
                ObjectRef { kind: T::KIND, key: owner.meta().key() },
                "spec.template",
                owner.meta().name(),
            )
            .with("revision", revision.revision);
        match cx.create(revision.clone()).because(why).await {
            Ok(created) => return Ok(created),
            Err(e) if e.is_already_exists() => {
                let existing = cx.get::<ControllerRevision>(revision.metadata.key()).await?;
                if data(&existing) == Some(&patch) {
                    return Ok(existing);
                }
                *collisions += 1;
            }
            Err(e) => return Err(e.into()),
        }
    }
}

/// Gives a revision another number (`UpdateControllerRevision`): its template is the newest one again.
///
/// # Errors
/// The API server's refusal.
pub(super) async fn renumber<S: Clone + 'static, K: WorkKey>(
    cx: &Context<S, K>,
    revision: &Rc<ControllerRevision>,
    number: i64,
) -> Result<Rc<ControllerRevision>> {
    let mut current = revision.clone();
    let mut tries = 1;
    loop {
        if current.revision == number {
            return Ok(current);
        }
        let why = Why::new("controller_revision.renumber")
            .read("before", ObjectRef::of(&*current), "revision", current.revision)
            .with("revision", number);
        Rc::make_mut(&mut current).revision = number;
        match cx.update(current.clone()).because(why).await {
            Ok(updated) => return Ok(updated),
            // Kubernetes takes the revision from its cache again. Here caches stand still during a sync.
            Err(e) if e.is_conflict() && tries < UPDATE_TRIES => {
                current = cx.get::<ControllerRevision>(current.metadata.key()).await?;
            }
            Err(e) => return Err(e.into()),
        }
        tries += 1;
    }
}

/// Deletes a revision, of which there are more than are kept.
///
/// # Errors
/// The API server's refusal.
pub(super) async fn delete<S: Clone + 'static, K: WorkKey>(
    cx: &Context<S, K>,
    revision: &ControllerRevision,
    old: usize,
    limit: usize,
) -> Result {
    let why = Why::new("controller_revision.delete")
        .read("revision", ObjectRef::of(revision), "revision", revision.revision)
        .with("old", old)
        .with("limit", limit);
    let key: Key = revision.metadata.key();
    cx.delete(Kind::CONTROLLER_REVISION, key, DeleteOptions::default()).because(why).await?;
    Ok(())
}

/// The set as it was in a revision: `patch` is the patch of its present template, which needs no conversion.
///
/// # Errors
/// The revision's data is not a patch of the kind.
pub(super) fn apply<T: ApiKind>(set: &Rc<T>, patch: &Value, revision: &ControllerRevision) -> Result<Rc<T>> {
    let Some(data) = data(revision).filter(|d| *d != patch) else { return Ok(set.clone()) };
    let object: Object = set.clone().into();
    let wrong = |e: String| Error::Other(format!("{}: {e}", ObjectRef::of(revision)));
    let merged = crate::api::patch::strategic_merge(T::KIND, object.to_value(), data)
        .map_err(|e| wrong(e.message().to_owned()))?;
    let restored = Object::from_value(T::KIND, merged).map_err(|e| wrong(e.to_string()))?;
    T::from_object(&restored).cloned().ok_or_else(|| wrong("another kind".to_owned()))
}
