//! The ReplicaSet controller (`k8s.io/kubernetes/pkg/controller/replicaset`): it keeps the wanted number of
//! pods. The ReplicationController's (`pkg/controller/replication`) does the same for another kind, so the
//! code is generic over `Replicated`.

mod replicated;
mod status;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use jiff::SignedDuration;

use super::controller_ref_manager::claim_objects_noted;
use super::controller_utils::{
    Deletable, create_pod_unless_terminating, delete_pod, is_active, is_available, is_ready, is_terminating,
    next_availability_check, pod_from_template, slow_start_batch,
};
use crate::api::labels::Selector;
use crate::api::order;
use crate::api::types::{Pod, ReplicaSet, ReplicationController};
use crate::api::{Key, Kind, MetaExt, ObjectRef, Timestamp, owner_reference, pod};
use crate::apimachinery::Status;
use crate::client::{
    Caches, Consistency, Context, Error, EventFlavour, Expectations, Memory, PodCount, Reconciler, Result,
    Watches, Why,
};

use replicated::Replicated;
use status::{calculate_status, update_status};

/// The most pods that one sync creates or deletes.
const BURST_REPLICAS: usize = 500;

/// The ReplicaSet controller.
#[derive(Clone, Copy, Debug)]
pub struct ReplicaSetController;

/// The ReplicationController controller.
#[derive(Clone, Copy, Debug)]
pub struct ReplicationManager;

/// What the controller remembers.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Pods that were created or deleted and that the informer has not delivered yet.
    expectations: Expectations,
    /// What was written for each ReplicaSet: a sync begins when the caches have it.
    consistency: Consistency,
}

impl Memory for State {
    fn lines(&self, now: Timestamp) -> Vec<String> {
        self.expectations.lines(now)
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

type Cx = Context<State>;

impl Reconciler for ReplicaSetController {
    type Key = Key;
    type State = State;

    fn name(&self) -> Rc<str> {
        "replicaset-controller".into()
    }

    fn watches(&self) -> Watches<State> {
        watches::<ReplicaSet>()
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        sync::<ReplicaSet>(&cx, &key).await
    }
}

impl Reconciler for ReplicationManager {
    type Key = Key;
    type State = State;

    fn name(&self) -> Rc<str> {
        "replicationcontroller-controller".into()
    }

    fn user(&self) -> Rc<str> {
        "replication-controller".into()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: self.user(), host: None }
    }

    fn watches(&self) -> Watches<State> {
        watches::<ReplicationController>()
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        sync::<ReplicationController>(&cx, &key).await
    }
}

fn watches<T: Replicated>() -> Watches<State> {
    Watches::new()
        .for_expecting::<T>(|s: &mut State| &mut s.expectations)
        .owns_expecting::<T, Pod>(|s| &mut s.expectations)
        .owns_until_available::<T>(|owner, pod| match pod.metadata.is_deleting() {
            true => 0,
            false => owner.min_ready_seconds(),
        })
}

fn wanted<T: Replicated>(rs: &T) -> usize {
    usize::try_from(rs.replicas().unwrap_or(1)).unwrap_or(0)
}

/// Claims pods, creates or deletes pods as needed, and writes the status (`syncReplicaSet`).
async fn sync<T: Replicated>(cx: &Cx, key: &Key) -> Result {
    cx.state(|s| s.consistency.ensure_ready(key, cx.caches()))?;
    let Some(rs) = cx.lister::<T>().get(key).cloned() else {
        let key = key.clone();
        cx.update_state(move |s| {
            s.expectations.delete(&key);
            s.consistency.clear(&key);
        });
        return Ok(());
    };
    let may_manage = cx.state(|s| s.expectations.satisfied(key, cx.now()));
    // Validation refuses selectors that cannot be parsed.
    let Ok(selector) = rs.selector() else { return Ok(()) };

    let mine = match count_pods(cx, &*rs, &selector, may_manage) {
        Some(mine) => mine,
        None => list_pods(cx, &rs, &selector).await?,
    };

    let mut managed = Ok(());
    if may_manage && !rs.meta().is_deleting() {
        managed = manage_replicas(cx, key, &rs, &mine).await;
    }
    let status = calculate_status(&*rs, &mine, managed.as_ref().err(), cx.now());
    let updated = update_status(cx, &rs, status, mine.active).await?;
    managed?;
    check_availability_later(cx, key, &*updated, &mine.list);
    Ok(())
}

/// How many pods an object has, by state.
#[derive(Debug, Default, PartialEq)]
struct Mine {
    /// Active pods: neither ended nor being deleted.
    active: usize,
    /// Active pods with all labels of the template.
    full: usize,
    ready: usize,
    available: usize,
    terminating: usize,
    /// The active pods; empty if [`count_pods`] has only counted them.
    list: Vec<Rc<Pod>>,
}

fn template_labels<T: Replicated>(rs: &T) -> Selector {
    let template = rs.template().and_then(|t| t.metadata.as_ref());
    Selector::from_set(template.map_or(&BTreeMap::new(), |m| m.labels_or_empty()))
}

/// Counts the pods by the indexer's sums, without reading each of them. `None` if a pod is to be adopted,
/// released or deleted, or if `minReadySeconds` is not 0.
fn count_pods<T: Replicated>(cx: &Cx, rs: &T, selector: &Selector, may_manage: bool) -> Option<Mine> {
    let pods = cx.caches().of(Kind::POD);
    let matches = |c: &PodCount| selector.matches(c.example.metadata.labels_or_empty());
    let orphans = pods.orphaned_pods(rs.meta().namespace());
    if rs.min_ready_seconds() != 0 || orphans.iter().any(|c| c.active > 0 && matches(c)) {
        return None;
    }
    let labels = template_labels(rs);
    let mut mine = Mine::default();
    for c in pods.pods_controlled_by(rs.meta().uid()) {
        if !matches(c) {
            if c.active > 0 {
                return None;
            }
            // A pod that is being deleted is not released, and not counted either.
            continue;
        }
        mine.active += c.active;
        if labels.matches(c.example.metadata.labels_or_empty()) {
            mine.full += c.active;
        }
        mine.ready += c.ready;
        mine.terminating += c.terminating;
    }
    mine.available = mine.ready;
    let surplus = may_manage && !rs.meta().is_deleting() && mine.active > wanted(rs);
    (!surplus).then_some(mine)
}

/// Reads each pod, adopts and releases.
async fn list_pods<T: Replicated>(cx: &Cx, rs: &Rc<T>, selector: &Selector) -> Result<Mine> {
    let pods = cx.lister::<Pod>();
    let owned = pods.controlled_by(rs.meta().uid());
    let all: Vec<&Rc<Pod>> = owned.chain(pods.orphans(rs.meta().namespace())).collect();
    let active: Vec<Rc<Pod>> = all.iter().filter(|p| is_active(p)).map(|p| Rc::clone(p)).collect();
    // `FilterClaimedPods`: neither adopted nor released.
    let is_mine = |p: &Pod| {
        p.metadata.controller().is_some_and(|c| c.uid == rs.meta().uid())
            && selector.matches(p.metadata.labels_or_empty())
    };
    let terminating = all.iter().filter(|p| is_terminating(p) && is_mine(p)).count();
    let adopted = |pod: &Rc<Pod>| {
        if T::WAITS_FOR_WRITES {
            cx.wrote(rs.meta(), pod);
        }
    };
    let list = claim_objects_noted(cx, rs, selector, active, |_| true, &[], adopted).await?;
    let labels = template_labels(&**rs);
    let (min, now) = (rs.min_ready_seconds(), cx.now());
    let ready = || list.iter().filter(|p| is_ready(p));
    Ok(Mine {
        active: list.len(),
        full: list.iter().filter(|p| labels.matches(p.metadata.labels_or_empty())).count(),
        ready: ready().count(),
        available: ready().filter(|p| is_available(p, min, now)).count(),
        terminating,
        list,
    })
}

/// Enqueues the key for the moment at which the next pod becomes available.
fn check_availability_later<T: Replicated>(cx: &Cx, key: &Key, rs: &T, active: &[Rc<Pod>]) {
    let min = i64::from(rs.min_ready_seconds());
    let status = rs.status();
    if min == 0 || status.ready_replicas.unwrap_or(0) == status.available_replicas.unwrap_or(0) {
        return;
    }
    let next = next_availability_check(active, rs.min_ready_seconds(), cx.now());
    cx.enqueue_after(key.clone(), next.unwrap_or(SignedDuration::from_secs(min)));
}

/// Creates missing pods, or deletes surplus ones (`manageReplicas`).
async fn manage_replicas<T: Replicated>(cx: &Cx, key: &Key, rs: &Rc<T>, mine: &Mine) -> Result {
    let (want, have) = (wanted(&**rs), mine.active);
    if have < want {
        create_missing(cx, key, rs, have, (want - have).min(BURST_REPLICAS)).await
    } else if have > want {
        delete_surplus(cx, key, rs, &mine.list, (have - want).min(BURST_REPLICAS)).await
    } else {
        Ok(())
    }
}

/// Creates the missing pods.
async fn create_missing<T: Replicated>(
    cx: &Cx,
    key: &Key,
    rs: &Rc<T>,
    have: usize,
    missing: usize,
) -> Result {
    let (k, now) = (key.clone(), cx.now());
    cx.update_state(move |s| s.expectations.expect_creations(&k, missing as i64, now));
    let owner = owner_reference(T::KIND, rs.meta());
    let mut template = rs.template().cloned().unwrap_or_default();
    let spec = template.spec.take().map(pod::Spec::from);
    let mut newest = None;
    let (created, errors) = slow_start_batch(0..missing, BURST_REPLICAS, async |_, created| {
        let pod = pod_from_template(&template, spec.clone(), rs.meta().namespace(), &owner);
        let why = Why::new("manage_replicas.create")
            .read("want", ObjectRef::of(&**rs), "spec.replicas", wanted(&**rs))
            .with("have", have + created);
        newest = create_pod_unless_terminating(cx, pod, &**rs, why).await?.or(newest.take());
        Ok(())
    })
    .await;
    if let Some(pod) = newest.filter(|_| T::WAITS_FOR_WRITES) {
        cx.wrote(rs.meta(), &pod);
    }
    let skipped = missing - created;
    if skipped > 0 {
        let k = key.clone();
        cx.update_state(move |s| (0..skipped).for_each(|_| s.expectations.creation_observed(&k)));
    }
    errors.into_iter().next().map_or(Ok(()), |e: Status| Err(e.into()))
}

async fn delete_surplus<T: Replicated>(
    cx: &Cx,
    key: &Key,
    rs: &Rc<T>,
    active: &[Rc<Pod>],
    surplus: usize,
) -> Result {
    let victims = pods_to_delete(cx, &**rs, active, surplus);
    let keys: BTreeSet<Key> = order::gather(victims.iter().map(|p| p.metadata.key()));
    let (k, now) = (key.clone(), cx.now());
    cx.update_state(move |s| s.expectations.expect_deletions(&k, keys.clone(), now));
    let mut failed: Option<Error> = None;
    for (i, pod) in victims.iter().enumerate() {
        let why = Why::new("manage_replicas.delete")
            .read("want", ObjectRef::of(&**rs), "spec.replicas", wanted(&**rs))
            .with("have", active.len() - i);
        if let Err(e) = delete_pod(cx, pod, &**rs, why).await {
            let (k, p) = (key.clone(), pod.metadata.key());
            cx.update_state(move |s| s.expectations.deletion_observed(&k, &p));
            if !e.is_not_found() {
                failed = failed.or(Some(e));
            }
        }
    }
    failed.map_or(Ok(()), Err)
}

/// The pods that are deleted first (`getPodsToDelete`). Of the pods of a Deployment, those that share a node with other pods
/// of the Deployment come before those that do not.
fn pods_to_delete<T: Replicated>(cx: &Cx, rs: &T, active: &[Rc<Pod>], surplus: usize) -> Vec<Rc<Pod>> {
    if surplus >= active.len() {
        return active.to_vec();
    }
    let mut on_node: BTreeMap<&str, i32> = BTreeMap::new();
    for sibling in siblings(cx, rs) {
        for p in cx.lister::<Pod>().controlled_by(sibling.meta().uid()).filter(|p| is_active(p)) {
            *on_node.entry(node_name(p)).or_default() += 1;
        }
    }
    let rank = |p: &Pod| on_node.get(node_name(p)).copied().unwrap_or(0);
    let mut pods: Vec<(&Rc<Pod>, Deletable<'_>)> =
        active.iter().map(|p| (p, Deletable::of(p, rank(p)))).collect();
    let now = cx.now();
    order::sort_by(&mut pods, |(_, p), (_, q)| p.goes_first(q, now));
    pods.into_iter().take(surplus).map(|(p, _)| p.clone()).collect()
}

fn node_name(pod: &Pod) -> &str {
    pod.spec.as_ref().and_then(|s| s.node_name.as_deref()).unwrap_or_default()
}

/// The objects of the same kind and controller, this one included (`getReplicaSetsWithSameController`). There are none if it
/// has no controller.
fn siblings<T: Replicated>(cx: &Cx, rs: &T) -> Vec<Rc<T>> {
    match rs.meta().controller() {
        Some(owner) => cx.lister::<T>().controlled_by(&owner.uid).cloned().collect(),
        None => Vec::new(),
    }
}
