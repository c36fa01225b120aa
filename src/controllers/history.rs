//! ControllerRevisions (`k8s.io/kubernetes/pkg/controller/history`): the templates that a StatefulSet or a DaemonSet
//! has had, each kept as the patch that brings it back.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Value, json};

use crate::api::labels::Selector;
use crate::api::pod_template_hash::safe_encode;
use crate::api::types::{
    ControllerRevision, DaemonSet, ObjectMeta, PodTemplateSpec, RawExtension, StatefulSet,
};
use crate::api::{ApiKind, Key, Kind, MetaExt, Object, ObjectRef, go_types, order, owner_reference};
use crate::apimachinery::{DeleteOptions, Status};
use crate::client::{Context, DEFAULT_BACKOFF, Error, Result, Why, WorkKey, retry_on_conflict};

/// The label with the hash that is part of a revision's name.
const HASH_LABEL: &str = "controller.kubernetes.io/hash";
/// The longest part of an owner's name in the name of its revisions, in bytes.
const MAX_PREFIX: usize = 223;

/// A set whose templates are kept as ControllerRevisions: a StatefulSet or a DaemonSet.
pub(super) trait Revisioned: ApiKind {
    /// `spec.template`
    fn template(&self) -> PodTemplateSpec;
    /// `spec.minReadySeconds`, in seconds.
    fn min_ready_seconds(&self) -> i32;
    /// `spec.revisionHistoryLimit`: how many revisions are kept that no pod has.
    fn revision_history_limit(&self) -> i32;
}

macro_rules! revisioned {
    ($($kind:ident)*) => {
        $(impl Revisioned for $kind {
            fn template(&self) -> PodTemplateSpec {
                self.spec.as_ref().map(|s| s.template.clone()).unwrap_or_default()
            }
            fn min_ready_seconds(&self) -> i32 {
                self.spec.as_ref().and_then(|s| s.min_ready_seconds).unwrap_or(0)
            }
            fn revision_history_limit(&self) -> i32 {
                self.spec.as_ref().and_then(|s| s.revision_history_limit).unwrap_or(10)
            }
        })*
    };
}

revisioned! { DaemonSet StatefulSet }

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

/// How the revisions of a kind are named.
pub(super) struct Identity {
    /// The revision's name, which ends with the hash.
    pub(super) name: String,
    /// The label that has the hash.
    pub(super) label: &'static str,
    /// The hash that tells a revision from those with other templates.
    pub(super) hash: String,
}

/// A revision of `owner` with this patch, before its creation (`NewControllerRevision`). It has the labels of the
/// template and the annotations of the owner.
pub(super) fn new_revision<T: Revisioned>(
    owner: &T,
    identity: Identity,
    patch: Value,
    number: i64,
) -> ControllerRevision {
    let labels = owner.template().metadata.map(|m| m.labels_or_empty().clone());
    let mut labels: BTreeMap<String, String> = labels.unwrap_or_default();
    labels.insert(identity.label.into(), identity.hash);
    ControllerRevision {
        metadata: ObjectMeta {
            name: Some(identity.name),
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

/// What came of the creation of a revision.
pub(super) enum Creation {
    /// The revision exists: it was created, or one with its name and its patch was there already.
    Exists(Rc<ControllerRevision>),
    /// The name is in use by a revision with another patch; the refusal.
    NameInUse(Rc<ControllerRevision>, Status),
}

/// Creates a revision of `owner`, once.
///
/// # Errors
/// The API server's refusal, unless the name is in use.
pub(super) async fn try_create<S: Clone + 'static, K: WorkKey, T: ApiKind>(
    cx: &Context<S, K>,
    owner: &T,
    revision: ControllerRevision,
) -> Result<Creation> {
    let key = revision.metadata.key();
    let patch = data(&revision).cloned();
    let why = Why::new("controller_revision.create")
        .read(
            "owner",
            ObjectRef { kind: T::KIND, key: owner.meta().key() },
            "spec.template",
            owner.meta().name(),
        )
        .with("revision", revision.revision);
    match cx.create(revision).because(why).await {
        Ok(created) => Ok(Creation::Exists(created)),
        Err(e) if e.is_already_exists() => {
            let existing = cx.get::<ControllerRevision>(key).await?;
            Ok(match data(&existing) == patch.as_ref() {
                true => Creation::Exists(existing),
                false => Creation::NameInUse(existing, e),
            })
        }
        Err(e) => Err(e.into()),
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

/// Creates the revision of a StatefulSet with this patch (`CreateControllerRevision`). While the revision's name is in use
/// by a revision with another patch, `collisions` is raised, and the next name is tried.
///
/// # Errors
/// The API server's refusal.
pub(super) async fn create<S: Clone + 'static, K: WorkKey, T: Revisioned>(
    cx: &Context<S, K>,
    owner: &T,
    patch: &Value,
    number: i64,
    collisions: &mut i32,
) -> Result<Rc<ControllerRevision>> {
    let mut revision = new_revision(owner, identity(owner, patch, *collisions), patch.clone(), number);
    loop {
        match try_create(cx, owner, revision.clone()).await? {
            Creation::Exists(revision) => return Ok(revision),
            Creation::NameInUse(..) => {
                *collisions += 1;
                revision.metadata.name = Some(identity(owner, patch, *collisions).name);
            }
        }
    }
}

/// The name and the hash of a StatefulSet's revision.
fn identity<T: ApiKind>(owner: &T, patch: &Value, collisions: i32) -> Identity {
    let hash = hash(patch, collisions);
    Identity { name: name(owner.meta().name(), &hash), label: HASH_LABEL, hash }
}

/// A revision with another number: its template is the newest one again.
pub(super) fn renumbered(revision: &Rc<ControllerRevision>, number: i64) -> Rc<ControllerRevision> {
    let mut to = revision.clone();
    Rc::make_mut(&mut to).revision = number;
    to
}

/// Why a revision gets another number.
pub(super) fn renumbering(revision: &ControllerRevision, number: i64) -> Why {
    Why::new("controller_revision.renumber")
        .read("before", ObjectRef::of(revision), "revision", revision.revision)
        .with("revision", number)
}

/// Gives a revision another number, also if others write it at the same time (`UpdateControllerRevision`).
///
/// # Errors
/// The API server's refusal.
pub(super) async fn renumber<S: Clone + 'static, K: WorkKey>(
    cx: &Context<S, K>,
    revision: &Rc<ControllerRevision>,
    number: i64,
) -> Result<Rc<ControllerRevision>> {
    retry_on_conflict(cx, revision, DEFAULT_BACKOFF, async |current: Rc<ControllerRevision>| {
        if current.revision == number {
            return Ok(current);
        }
        let why = renumbering(&current, number);
        Ok(cx.update(renumbered(&current, number)).because(why).await?)
    })
    .await
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
