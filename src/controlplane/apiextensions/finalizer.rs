//! The finalizer of definitions (`pkg/controller/finalizer/crd_finalizer.go`): it deletes the objects of a
//! definition that is being deleted, and removes the finalizer from the definition when no object is left.

use std::collections::BTreeSet;
use std::rc::Rc;

use jiff::SignedDuration;

use super::update_status;
use crate::api::definition::established_kind;
use crate::api::persistent::Map;
use crate::api::types::CustomResourceDefinition as Crd;
use crate::api::{Key, Kind, MetaExt, Object, ObjectRef, Timestamp};
use crate::apimachinery::{DeleteOptions, Status};
use crate::apiserver::apiextensions::conditions::{ESTABLISHED, TERMINATING, is_true};
use crate::apiserver::apiextensions::finalizer::{self, InstanceDeletion};
use crate::client::{
    ANYWHERE, Context, Error, Handler, Memory, Reconciler, Result, Seen, Wait, Watches, Why,
};

/// The interval at which it checks whether objects are left.
const POLL: SignedDuration = SignedDuration::from_secs(5);
/// After this time it reports that it could not confirm the deletion of all objects, and starts again.
const TIMEOUT: SignedDuration = SignedDuration::from_mins(1);

/// The finalizer controller.
#[derive(Clone, Copy, Debug)]
pub(super) struct CrdFinalizer;

/// What the controller remembers: since when it has waited for the deletion of a definition's objects.
/// Kubernetes waits within one sync.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    waiting: Map<Key, Timestamp>,
}

impl Memory for State {
    fn lines(&self, now: Timestamp) -> Vec<String> {
        let since = |at: &Timestamp| now.duration_since(*at).as_millis();
        self.waiting.iter().map(|(key, at)| format!("waits for {key} since {} ms", since(at))).collect()
    }
}

type Cx = Context<State>;

impl Reconciler for CrdFinalizer {
    type Key = Key;
    type State = State;

    fn name(&self) -> Rc<str> {
        "crd-finalizer".into()
    }

    fn user(&self) -> Rc<str> {
        super::USER.into()
    }

    fn watches(&self) -> Watches<State> {
        Watches::new().watches(|cx: &mut Handler<'_, State>, seen: Seen<'_, Crd>| {
            let Some(new) = seen.new.filter(|crd| finalizer::is_waiting(crd)) else { return };
            // The controller's own writes change only the condition.
            if seen.old.is_none_or(|old| !differs_in_condition_only(old, new)) {
                cx.enqueue(seen.key.clone());
            }
        })
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        let Some(crd) = cx.lister::<Crd>().get(&key).filter(|crd| finalizer::is_waiting(crd)).cloned() else {
            forget(&cx, &key);
            return Ok(());
        };
        let waiting = cx.state(|s| s.waiting.get(&key).copied());
        let crd = match waiting {
            Some(_) => crd,
            None => {
                let why = why(&crd, "finalizer.begin");
                let begun = update_status(&cx, &crd, finalizer::begin(&crd, cx.now()), why).await?;
                let Some(crd) = begun else { return Ok(()) };
                crd
            }
        };
        let outcome = match waiting {
            _ if finalizer::overlaps(&crd) => InstanceDeletion::Overlapping,
            _ if !is_true(&crd, ESTABLISHED) => InstanceDeletion::NeverEstablished,
            None => delete_instances(&cx, &crd).await,
            Some(_) => confirm(&cx, &crd).await,
        };
        let Some(outcome) = outcome_or_wait(&cx, &key, waiting, outcome) else { return Ok(()) };
        forget(&cx, &key);
        let failure = match &outcome {
            InstanceDeletion::NotListed(e)
            | InstanceDeletion::NotDeleted(e)
            | InstanceDeletion::NotConfirmed(e) => Some(e.clone()),
            InstanceDeletion::Completed
            | InstanceDeletion::NeverEstablished
            | InstanceDeletion::Overlapping => None,
        };
        let reason = match &failure {
            Some(error) => why(&crd, "finalizer.failed").with("error", error),
            None => why(&crd, "finalizer.end"),
        };
        let new = finalizer::end(&crd, &outcome, cx.now());
        let written = cx.update_status(Rc::new(new)).because(reason).await;
        match (failure, written) {
            (Some(error), _) => Err(Error::Other(error)),
            (None, Err(e)) if !e.is_not_found() && !e.is_conflict() => Err(e.into()),
            _ => Ok(()),
        }
    }
}

/// The outcome of a check; `None` if the controller waits and checks again.
fn outcome_or_wait(
    cx: &Cx,
    key: &Key,
    waiting: Option<Timestamp>,
    found: InstanceDeletion,
) -> Option<InstanceDeletion> {
    if found != InstanceDeletion::NotConfirmed(String::new()) {
        return Some(found);
    }
    let since = waiting.unwrap_or(cx.now());
    if cx.now().duration_since(since) >= TIMEOUT {
        return Some(InstanceDeletion::NotConfirmed("context deadline exceeded".into()));
    }
    let k = key.clone();
    cx.update_state(move |s| {
        s.waiting.insert(k.clone(), since);
    });
    // A further check is a poll: it does not keep the cluster from being steady while nothing is written.
    cx.enqueue_waiting(key.clone(), POLL, Wait::Poll { namespace: ANYWHERE.into() });
    None
}

fn forget(cx: &Cx, key: &Key) {
    let key = key.clone();
    cx.update_state(move |s| {
        s.waiting.remove(&key);
    });
}

fn why(crd: &Crd, rule: &'static str) -> Why {
    Why::new(rule).read("definition", ObjectRef::of(crd), "metadata.deletionTimestamp", crd.metadata.name())
}

/// Whether two versions of a definition differ only in the condition `Terminating`.
pub(super) fn differs_in_condition_only(old: &Crd, new: &Crd) -> bool {
    let bare = |crd: &Crd| {
        let mut crd = crd.clone();
        crd.metadata.resource_version = None;
        if let Some(conditions) = crd.status.as_mut().and_then(|s| s.conditions.as_mut()) {
            conditions.retain(|c| c.type_ != TERMINATING);
        }
        crd
    };
    old.metadata.resource_version != new.metadata.resource_version && bare(old) == bare(new)
}

async fn instances(cx: &Cx, kind: Kind) -> std::result::Result<Vec<Object>, Status> {
    cx.list(kind, "").await
}

/// Deletes all objects, namespace by namespace, and checks whether they are gone.
async fn delete_instances(cx: &Cx, crd: &Crd) -> InstanceDeletion {
    let Some(kind) = established_kind(crd) else {
        return InstanceDeletion::NotListed(format!(
            "unable to find a custom resource client for {}",
            crd.metadata.name()
        ));
    };
    let objects = match instances(cx, kind).await {
        Ok(objects) => objects,
        Err(e) => return InstanceDeletion::NotListed(e.message),
    };
    let namespaces: BTreeSet<&str> = objects.iter().map(Object::namespace).collect();
    let mut refused = Vec::new();
    for namespace in namespaces {
        let why = why(crd, "finalizer.delete_instances").with("objects", objects.len());
        if let Err(e) = cx.delete_collection(kind, namespace, DeleteOptions::default()).because(why).await {
            refused.push(e.message);
        }
    }
    match refused.as_slice() {
        [] => confirm(cx, crd).await,
        [one] => InstanceDeletion::NotDeleted(one.clone()),
        several => InstanceDeletion::NotDeleted(format!("[{}]", several.join(", "))),
    }
}

/// Checks whether no object is left. If some are, the outcome is [`InstanceDeletion::NotConfirmed`] without an error.
async fn confirm(cx: &Cx, crd: &Crd) -> InstanceDeletion {
    let Some(kind) = established_kind(crd) else { return InstanceDeletion::Completed };
    match instances(cx, kind).await {
        Ok(objects) if objects.is_empty() => InstanceDeletion::Completed,
        Ok(_) => InstanceDeletion::NotConfirmed(String::new()),
        Err(e) => InstanceDeletion::NotConfirmed(e.message),
    }
}
