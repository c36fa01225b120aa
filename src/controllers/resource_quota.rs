//! The ResourceQuota controller (`k8s.io/kubernetes/pkg/controller/resourcequota`): it writes the limits of
//! a quota and their use into its status. Admission counts new objects; this controller notices objects that
//! are deleted.
//!
//! Leases, Endpoints, EndpointSlices and Events are not watched. Kubernetes counts them if a quota names
//! them.

use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::resource::{Amounts, add, amounts};
use crate::api::types::{CustomResourceDefinition, Quantity, ResourceQuota};
use crate::api::{ApiKind, Key, Kind, MetaExt, Object, Timestamp};
use crate::client::{
    Caches, Context, Handler, Kinds, Memory, Notification, Reconciler, Result, Seen, Wait, Watches, Why,
};
use crate::quota::Evaluator;

/// The interval at which every quota is counted again (`--resource-quota-sync-period`).
const RESYNC: SignedDuration = SignedDuration::from_mins(5);

/// The ResourceQuota controller.
#[derive(Clone, Copy, Debug)]
pub struct ResourceQuotaController;

/// What the controller remembers: the kinds that it counts.
#[derive(Clone, Debug)]
pub struct State {
    kinds: Kinds,
}

impl Default for State {
    fn default() -> State {
        State { kinds: counted(&Caches::default()) }
    }
}

/// The kinds that are counted.
fn counted(caches: &Caches) -> Kinds {
    let noise = [Kind::EVENT, Kind::LEASE, Kind::ENDPOINTS, Kind::ENDPOINT_SLICE];
    super::served(caches).filter(|k| k.namespaced() && !noise.contains(k)).collect()
}

impl Memory for State {
    /// The kinds are left out: they are those of the informers.
    fn lines(&self, _: Timestamp) -> Vec<String> {
        Vec::new()
    }
}

type Cx = Context<State>;

impl Reconciler for ResourceQuotaController {
    type Key = Key;
    type State = State;

    fn name(&self) -> Rc<str> {
        "resourcequota-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "resourcequota-controller".into()
    }

    fn watches(&self) -> Watches<State> {
        Watches::new().known(|s| &s.kinds, handle).watches::<CustomResourceDefinition>(follow_definitions)
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        let Some(quota) = cx.lister::<ResourceQuota>().get(&key).cloned() else { return Ok(()) };
        let hard = quota.spec.as_ref().and_then(|s| s.hard.clone()).unwrap_or_default();
        let status = quota.status.clone().unwrap_or_default();
        let before = amounts(status.used.as_ref());
        let mut used = Amounts::new();
        for kind in cx.state(|s| s.kinds.clone()).iter().copied() {
            let Some(evaluator) = Evaluator::of(kind) else { continue };
            let names: Vec<&String> = hard.keys().filter(|r| evaluator.matches_resource(r)).collect();
            if names.is_empty() {
                continue;
            }
            let zero = names.iter().map(|n| ((*n).clone(), crate::api::quantity::Amount::ZERO));
            let mut sum: Amounts = zero.collect();
            for object in cx.caches().of(kind).list(Some(&key.namespace)) {
                if evaluator.in_scopes(&quota, object) {
                    let mut more = evaluator.usage(object, cx.now());
                    more.retain(|n, _| hard.contains_key(n));
                    add(&mut sum, &more);
                }
            }
            used.extend(sum);
        }
        // Resources that this controller does not count keep their use.
        for (name, amount) in &before {
            if hard.contains_key(name) {
                used.entry(name.clone()).or_insert(*amount);
            }
        }
        let wanted = amounts(Some(&hard));
        cx.enqueue_waiting(key.clone(), RESYNC, Wait::Background);
        if status.hard.is_some() && amounts(status.hard.as_ref()) == wanted && before == used {
            return Ok(());
        }
        let mut new = quota.clone();
        let status = Rc::make_mut(&mut new).status.get_or_insert_default();
        status.hard = Some(hard);
        let used = used.into_iter().map(|(name, amount)| (name, amount.to_quantity()));
        status.used = Some(used.collect::<std::collections::BTreeMap<String, Quantity>>());
        let why = Why::new("sync_resource_quota").with("quota", &key.name);
        cx.update_status(new).because(why).await?;
        Ok(())
    }
}

/// A definition changed, and the custom kinds perhaps with it (`Controller.Sync`). Every quota that counts a kind which
/// came or went is counted again.
fn follow_definitions(cx: &mut Handler<'_, State>, _: Seen<'_, CustomResourceDefinition>) {
    let kinds = counted(cx.caches);
    if kinds == cx.state.kinds {
        return;
    }
    let before = std::mem::replace(&mut cx.state.kinds, kinds.clone());
    let changed: Vec<Kind> = (before.iter().filter(|k| !kinds.contains(k)))
        .chain(kinds.iter().filter(|k| !before.contains(k)))
        .copied()
        .collect();
    let quotas = cx.caches.of(Kind::RESOURCE_QUOTA).list(None).filter_map(ResourceQuota::from_object);
    let evaluators: Vec<Evaluator> = changed.into_iter().filter_map(Evaluator::of).collect();
    let counts = |q: &&Rc<ResourceQuota>| {
        let hard = q.spec.as_ref().and_then(|s| s.hard.as_ref());
        hard.is_some_and(|h| h.keys().any(|r| evaluators.iter().any(|e| e.matches_resource(r))))
    };
    let keys: Vec<Key> = quotas.filter(counts).map(|q| q.metadata.key()).collect();
    keys.into_iter().for_each(|key| cx.enqueue(key));
}

fn handle(cx: &mut Handler<'_, State>, seen: &Notification) {
    let hard = |o: &Object| ResourceQuota::from_object(o).and_then(|q| q.spec.as_ref()?.hard.clone());
    match (&seen.old, &seen.new) {
        // A quota whose limits did not change was written by this controller itself.
        (old, Some(new))
            if new.kind() == Kind::RESOURCE_QUOTA && old.as_ref().is_none_or(|o| hard(o) != hard(new)) =>
        {
            cx.enqueue(new.key());
        }
        (Some(old), Some(new))
            if Evaluator::of(new.kind()).is_some_and(|e| e.replenishes(old, new, cx.now)) =>
        {
            replenish(cx, new);
        }
        (Some(old), None) => replenish(cx, old),
        _ => {}
    }
}

/// Enqueues every quota of the object's namespace that counts the object's kind.
fn replenish(cx: &mut Handler<'_, State>, object: &Object) {
    let quotas = cx.caches.of(Kind::RESOURCE_QUOTA);
    if quotas.is_empty() {
        return;
    }
    let Some(evaluator) = Evaluator::of(object.kind()) else { return };
    let counts = |q: &ResourceQuota| {
        let hard = q.status.as_ref().and_then(|s| s.hard.as_ref());
        hard.is_some_and(|h| h.keys().any(|r| evaluator.matches_resource(r)))
    };
    let keys: Vec<Key> = quotas
        .list(Some(object.namespace()))
        .filter_map(ResourceQuota::from_object)
        .filter(|q| counts(q))
        .map(|q| q.metadata.key())
        .collect();
    for key in keys {
        cx.enqueue(key);
    }
}
