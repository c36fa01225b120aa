//! The namespace controller (`k8s.io/kubernetes/pkg/controller/namespace`): it deletes all objects of a
//! namespace that is being deleted, pods first, and then removes the namespace's finalizer.
//!
//! While objects remain, Kubernetes' controller retries every few seconds. Here that retry is a poll
//! ([`Wait::Poll`]): a namespace with a finalizer of another client becomes steady until something in it
//! changes.

mod conditions;

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::types::{CustomResourceDefinition, Namespace, Pod};
use crate::api::{ApiKind, Key, Kind, MetaExt, Object, ObjectRef};
use crate::apimachinery::{Body, DeleteOptions, NAMESPACE_FINALIZER, Propagation, Subresource, Verb};
use crate::client::{Context, Error, Reconciler, Result, Seen, Wait, Watches, Why};

/// The delay, in seconds, from a change of a namespace to its sync, so that objects created in the last
/// moment before its deletion are seen.
const NAMESPACE_DELETION_GRACE_PERIOD: i64 = 5;
/// How long finalizers are expected to take, in seconds.
const FINALIZER_ESTIMATE: i64 = 15;
/// The interval, in seconds, at which a namespace with remaining objects is synced: about what the back-off
/// of Kubernetes' controller comes to.
const RETRY: i64 = 60;

/// The namespace controller.
#[derive(Clone, Copy, Debug)]
pub struct NamespaceController;

type Cx = Context;

impl Reconciler for NamespaceController {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "namespace-controller".into()
    }

    fn watches(&self) -> Watches {
        let namespaces = Watches::new().watches(|cx, seen: Seen<'_, Namespace>| {
            if seen.new.is_some_and(|n| n.metadata.is_deleting()) {
                let after = SignedDuration::from_secs(NAMESPACE_DELETION_GRACE_PERIOD);
                cx.enqueue_after(seen.key.clone(), after);
            }
        });
        namespaces.reads::<CustomResourceDefinition>()
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        if cx.lister::<Namespace>().get(&key).is_none() {
            return Ok(());
        }
        delete(&cx, &key).await
    }
}

/// Empties a namespace and finalizes it (`namespacedResourcesDeleter.Delete`).
async fn delete(cx: &Cx, key: &Key) -> Result {
    let ns = match cx.get::<Namespace>(key.clone()).await {
        Ok(ns) => ns,
        Err(e) if e.is_not_found() => return Ok(()),
        Err(e) => return Err(e.into()),
    };
    let finalizers = ns.spec.as_ref().and_then(|s| s.finalizers.clone()).unwrap_or_default();
    if !ns.metadata.is_deleting() || finalizers.is_empty() {
        return Ok(());
    }
    let remaining = delete_all_content(cx, ns.clone()).await?;
    if let Some(after) = remaining {
        let wait = Wait::Poll { namespace: key.name.as_str().into() };
        cx.enqueue_waiting(key.clone(), SignedDuration::from_secs(after), wait);
        return Ok(());
    }
    finalize(cx, key, ns).await
}

/// Removes the finalizer `kubernetes`, which ends the namespace.
async fn finalize(cx: &Cx, key: &Key, mut ns: Rc<Namespace>) -> Result {
    loop {
        let mut to = ns.clone();
        if let Some(f) = Rc::make_mut(&mut to).spec.as_mut().and_then(|s| s.finalizers.as_mut()) {
            f.retain(|f| f != NAMESPACE_FINALIZER);
        }
        let why = Why::new("finalize_namespace")
            .read("finalizer", ObjectRef::of(&*ns), "spec.finalizers", NAMESPACE_FINALIZER)
            .with("remaining", 0);
        let body = Body::Object(to.into());
        let call = cx.send(Verb::Update, Kind::NAMESPACE, key.clone(), Subresource::Finalize, body);
        match call.because(why).await {
            // An earlier write of this sync has changed the conditions.
            Err(e) if e.is_conflict() => {
                let fresh = cx.get::<Namespace>(key.clone()).await?;
                if fresh.metadata.uid() != ns.metadata.uid() {
                    return Err(Error::Other("namespace uid has changed across retries".into()));
                }
                ns = fresh;
            }
            Err(e) if !e.is_not_found() => return Err(e.into()),
            _ => return Ok(()),
        }
    }
}

/// What remains of a namespace's objects.
#[derive(Clone, Debug, Default)]
struct Remaining {
    /// In how many seconds they may be gone.
    estimate: i64,
    /// The number of objects of each kind.
    objects: BTreeMap<Kind, usize>,
    /// The number of objects with each finalizer.
    finalizers: BTreeMap<String, usize>,
    /// The errors of deletions that failed.
    errors: Vec<String>,
}

/// Deletes all objects of a namespace (`deleteAllContent`). Returns in how many seconds to retry; `None` if
/// nothing remains.
async fn delete_all_content(cx: &Cx, ns: Rc<Namespace>) -> Result<Option<i64>> {
    let mut remaining = Remaining::default();
    delete_all_of_kind(cx, &ns, Kind::POD, &mut remaining).await;
    // While there are pods, other objects are kept, because pods may need them (OrderedNamespaceDeletion,
    // KEP-5080). The conditions then do not name those objects.
    let pods_first = remaining.objects.contains_key(&Kind::POD);
    if !pods_first {
        // Kubernetes' order of kinds is random; here owners come after the objects that they own.
        let all: Vec<Kind> =
            super::served(cx.caches()).filter(|k| k.namespaced() && *k != Kind::POD).collect();
        for kind in all.into_iter().rev() {
            delete_all_of_kind(cx, &ns, kind, &mut remaining).await;
        }
    }
    let mut to = ns.clone();
    let status = Rc::make_mut(&mut to).status.get_or_insert_default();
    if conditions::update(status, &remaining, pods_first, cx.now()) {
        let why = Why::new("update_namespace_conditions")
            .read("namespace", ObjectRef::of(&*ns), "status.conditions", ns.metadata.name())
            .with("remaining", remaining.objects.values().sum::<usize>());
        // Conditions that cannot be written end nothing; a further look writes them.
        let _ = cx.update_status(to).because(why).await;
    }
    if !remaining.errors.is_empty() {
        return Ok(Some(RETRY));
    }
    Ok((remaining.estimate > 0).then_some(remaining.estimate / 2 + 1))
}

/// Deletes all objects of one kind (`deleteAllContentForGroupVersionResource`), if there are any.
async fn delete_all_of_kind(cx: &Cx, ns: &Namespace, kind: Kind, remaining: &mut Remaining) {
    if let Err(e) = try_delete_all_of_kind(cx, ns, kind, remaining).await {
        remaining.errors.push(e.to_string());
    }
}

async fn try_delete_all_of_kind(
    cx: &Cx,
    ns: &Namespace,
    kind: Kind,
    remaining: &mut Remaining,
) -> std::result::Result<(), Error> {
    let namespace = ns.metadata.name();
    let before = cx.list(kind, namespace).await?;
    if before.is_empty() {
        return Ok(());
    }
    let mut estimate = estimate_graceful_termination(&before);
    let since = ns.metadata.deletion_timestamp.as_ref().map_or(cx.now(), |t| t.0);
    if cx.now().duration_since(since) >= SignedDuration::from_secs(estimate) {
        estimate = 0;
    }
    let options = DeleteOptions { propagation_policy: Some(Propagation::Background), ..Default::default() };
    let why = Why::new("delete_all_content")
        .read("namespace", ObjectRef::of(ns), "metadata.deletionTimestamp", namespace)
        .with("kind", kind.as_str())
        .with("objects", before.len());
    cx.delete_collection(kind, namespace, options).because(why).await?;
    let left = cx.list(kind, namespace).await?;
    if left.is_empty() {
        return Ok(());
    }
    remaining.objects.insert(kind, left.len());
    let mut held = false;
    for finalizer in left.iter().flat_map(|o| o.meta().finalizers.iter().flatten()) {
        *remaining.finalizers.entry(finalizer.clone()).or_default() += 1;
        held = true;
    }
    if estimate == 0 && held {
        estimate = FINALIZER_ESTIMATE;
    }
    remaining.estimate = remaining.estimate.max(estimate);
    if estimate == 0 {
        return Err(Error::Other(format!(
            "unexpected items still remain in namespace: {namespace} for gvr: {}/{}, Resource={}",
            kind.group(),
            kind.version(),
            kind.plural()
        )));
    }
    Ok(())
}

/// The longest time, in seconds, that running pods may take to end.
fn estimate_graceful_termination(objects: &[Object]) -> i64 {
    let running =
        objects.iter().filter_map(Pod::from_object).filter(|p| !super::controller_utils::is_terminal(p));
    running.filter_map(|p| p.spec.as_ref()?.termination_grace_period_seconds).max().unwrap_or(0)
}
