//! What a set does next (`stateful_set_control.go`): ordered one pod at a time, or with `podManagementPolicy`
//! `Parallel` all pods at once.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::controller_utils::{aggregate, is_available, phase, slow_start_batch};
use super::super::history;
use super::identity::{
    identity_matches, is_in_range, new_pod, ordinal, pod_revision, start_ordinal, storage_matches,
};
use super::revisions::{self, Revisions};
use super::status::{self, Counts, is_created, is_running_and_ready};
use super::{Cx, pod_control, replicas};
use crate::api::labels::Selector;
use crate::api::types::{ControllerRevision, Pod, StatefulSet, StatefulSetStatus, StatefulSetUpdateStrategy};
use crate::api::{MetaExt, ObjectRef, order};
use crate::client::{Result, Why};
use crate::controllers::history::Revisioned;

/// The most pods that a parallel set works on at once.
const MAX_BATCH_SIZE: usize = 500;

/// Takes the next step of a set and writes its status (`UpdateStatefulSet`).
///
/// # Errors
/// A request that failed. The status is written and old revisions are deleted all the same.
pub(super) async fn update_stateful_set(
    cx: &Cx,
    set: &Rc<StatefulSet>,
    selector: &Selector,
    pods: &[Rc<Pod>],
) -> Result<StatefulSetStatus> {
    let revisions = history::list(cx, &**set, selector);
    let found = revisions::find(cx, set, &revisions).await;
    let done = match &found {
        Ok(found) => perform_update(cx, set, pods, found).await,
        Err(e) => Err(e.clone()),
    };
    let truncated = revisions::truncate(cx, set, pods, &revisions, found.as_ref().ok()).await;
    match (done, truncated) {
        (Err(e), Err(t)) => aggregate(vec![e, t]).map(|()| StatefulSetStatus::default()),
        (Err(e), Ok(())) | (Ok(_), Err(e)) => Err(e),
        (Ok(status), Ok(())) => Ok(status),
    }
}

async fn perform_update(
    cx: &Cx,
    set: &Rc<StatefulSet>,
    pods: &[Rc<Pod>],
    revisions: &Revisions,
) -> Result<StatefulSetStatus> {
    let step = Step::new(cx, set, pods, revisions);
    let mut counts = Counts::of(pods, set, revisions, cx.now());
    let stepped = if set.metadata.is_deleting() { Ok(()) } else { step.take(&mut counts).await };
    let written = status::write(cx, set, revisions, counts).await;
    stepped.and(written)
}

/// The pods of a set, sorted into those that it shall have and those that it shall not.
struct Step<'s> {
    cx: &'s Cx,
    set: &'s Rc<StatefulSet>,
    revisions: &'s Revisions,
    /// The pods that the set shall have and that exist, by their ordinals.
    replicas: BTreeMap<i32, Rc<Pod>>,
    /// The pods whose ordinals the set does not have, the highest first.
    condemned: Vec<Rc<Pod>>,
    /// The name of the pod with the lowest ordinal that is not available, or is missing.
    first_unavailable: Option<String>,
    /// Whether a pod waits for the one before it (`OrderedReady`).
    monotonic: bool,
}

impl<'s> Step<'s> {
    fn new(cx: &'s Cx, set: &'s Rc<StatefulSet>, pods: &[Rc<Pod>], revisions: &'s Revisions) -> Step<'s> {
        let (wanted, others): (Vec<_>, Vec<_>) = pods.iter().partition(|p| is_in_range(set, p));
        let mut condemned: Vec<Rc<Pod>> = others.into_iter().filter(|p| ordinal(p) >= 0).cloned().collect();
        order::sort_by(&mut condemned, |a, b| ordinal(b).cmp(&ordinal(a)));
        let policy = set.spec.as_ref().and_then(|s| s.pod_management_policy.as_deref());
        let mut step = Step {
            cx,
            set,
            revisions,
            replicas: order::gather(wanted.into_iter().map(|p| (ordinal(p), p.clone()))),
            condemned,
            first_unavailable: None,
            monotonic: policy != Some("Parallel"),
        };
        // A missing pod counts as unavailable. So at most one more place is looked at than there are pods, however
        // many replicas are wanted.
        let replicas = step.ordinals().map(|at| step.place(at));
        let mut all = replicas.chain(step.condemned.iter().rev().cloned());
        let first = all.find(|p| is_unavailable(set, p, cx)).map(|p| p.metadata.name().to_owned());
        drop(all);
        step.first_unavailable = first;
        step
    }

    /// The ordinals of the pods that the set shall have.
    fn ordinals(&self) -> impl DoubleEndedIterator<Item = i32> + use<> {
        let start = start_ordinal(self.set);
        start..start.saturating_add(replicas(self.set))
    }

    /// The pod with an ordinal. One that is not created yet has no phase.
    fn place(&self, ordinal: i32) -> Rc<Pod> {
        let missing = || Rc::new(new_versioned_pod(self.set, self.revisions, ordinal));
        self.replicas.get(&ordinal).cloned().unwrap_or_else(missing)
    }

    /// Creates, deletes and replaces pods (`updateStatefulSet`), and counts them anew.
    async fn take(&self, counts: &mut Counts) -> Result {
        let all = || self.replicas.values().chain(&self.condemned);
        let (replicas, condemned) =
            (self.ordinals().map(|at| self.place(at)), self.condemned.iter().cloned());
        // A pod is deleted only when all wanted pods exist and, in order, are available.
        let mut stopped =
            run_for_all(self.monotonic, replicas, async |p| self.process_replica(&p).await).await;
        if let Ok(false) = stopped {
            let each = async |p: Rc<Pod>| self.fix_claims(&p).await;
            stopped = run_for_all(self.monotonic, condemned.clone(), each).await;
        }
        if let Ok(false) = stopped {
            let each = async |p: Rc<Pod>| self.process_condemned(&p).await;
            stopped = run_for_all(self.monotonic, condemned, each).await;
        }
        *counts = Counts::of(all(), self.set, self.revisions, self.cx.now());
        if stopped? || self.strategy().is_some_and(|s| s.type_.as_deref() == Some("OnDelete")) {
            return Ok(());
        }
        self.replace_one(counts).await
    }

    fn strategy(&self) -> Option<&StatefulSetUpdateStrategy> {
        self.set.spec.as_ref()?.update_strategy.as_ref()
    }

    /// Creates a pod that is missing, or waits for one (`processReplica`). Returns whether the sync ends here.
    async fn process_replica(&self, pod: &Rc<Pod>) -> Result<bool> {
        let (cx, set) = (self.cx, self.set);
        // Whatever the exit code was: a pod of a set is always started anew.
        if matches!(phase(pod), "Failed" | "Succeeded") {
            if !pod.metadata.is_deleting() {
                let why = Why::new("process_replica.ended")
                    .read("pod", ObjectRef::of(&**pod), "metadata.name", pod.metadata.name())
                    .read("phase", ObjectRef::of(&**pod), "status.phase", phase(pod));
                pod_control::delete(cx, set, pod, why).await?;
            }
            return Ok(true);
        }
        if !is_created(pod) {
            if pod_control::has_stale_claim(cx, set, pod) {
                return Ok(true);
            }
            pod_control::create(cx, set, pod, self.creation(pod)).await?;
            return Ok(self.monotonic);
        }
        let pending = phase(pod) == "Pending";
        if pending {
            pod_control::create_missing_claims(cx, set, pod).await?;
        }
        let waits = pod.metadata.is_deleting()
            || !is_running_and_ready(pod)
            || !is_available(pod, set.min_ready_seconds(), cx.now());
        if waits && self.monotonic {
            return Ok(true);
        }
        // The claims of a pending pod have their owners by now, which the cache does not show before the next sync.
        let consistent = identity_matches(set, pod)
            && storage_matches(set, pod)
            && (pending || pod_control::claims_match_retention(cx, set, pod));
        if !consistent {
            pod_control::update(cx, set, pod).await?;
        }
        Ok(false)
    }

    fn creation(&self, pod: &Pod) -> Why {
        let set = ObjectRef::of(&**self.set);
        let why = match self.monotonic {
            true => Why::new("process_replica.create"),
            false => Why::new("process_replica.create_parallel"),
        };
        why.with("pod", pod.metadata.name())
            .read("want", set.clone(), "spec.replicas", replicas(self.set))
            .read("set", set, "metadata.name", self.set.metadata.name())
            .with("revision", pod_revision(pod))
    }

    /// Gives the claims of a pod that is to go their owner. The sync does not end here.
    async fn fix_claims(&self, pod: &Rc<Pod>) -> Result<bool> {
        if !pod_control::claims_match_retention(self.cx, self.set, pod) {
            pod_control::keep_claim_owners(self.cx, self.set, pod).await?;
        }
        Ok(false)
    }

    /// Deletes a pod that the set shall not have, or waits for another one (`processCondemned`). Returns whether the
    /// sync ends here.
    async fn process_condemned(&self, pod: &Rc<Pod>) -> Result<bool> {
        if pod.metadata.is_deleting() {
            return Ok(self.monotonic);
        }
        let well =
            is_running_and_ready(pod) && is_available(pod, self.set.min_ready_seconds(), self.cx.now());
        let is_first = self.first_unavailable.as_deref() == Some(pod.metadata.name());
        if self.monotonic && !well && !is_first {
            return Ok(true);
        }
        let set = ObjectRef::of(&**self.set);
        let why = Why::new("process_condemned")
            .read("pod", ObjectRef::of(&**pod), "metadata.name", pod.metadata.name())
            .read("want", set, "spec.replicas", replicas(self.set));
        pod_control::delete(self.cx, self.set, pod, why).await?;
        Ok(true)
    }

    /// Deletes the pod with the highest ordinal that is of an old revision, if all pods above it are available. It is
    /// created anew in a later sync. One at a time, also for a parallel set: the feature gate
    /// `MaxUnavailableStatefulSet` is off.
    async fn replace_one(&self, counts: &mut Counts) -> Result {
        let rolling = self.strategy().and_then(|s| s.rolling_update.as_ref());
        let partition = rolling.and_then(|r| r.partition).unwrap_or(0);
        let first = start_ordinal(self.set).saturating_add(partition);
        let update = self.revisions.update.metadata.name();
        for pod in self.ordinals().rev().take_while(|at| *at >= first).map(|at| self.place(at)) {
            if pod_revision(&pod) != update && !pod.metadata.is_deleting() {
                let why = self.replacement(&pod, partition);
                pod_control::delete(self.cx, self.set, &pod, why).await?;
                counts.current -= 1;
                return Ok(());
            }
            if is_unavailable(self.set, &pod, self.cx) {
                return Ok(());
            }
        }
        Ok(())
    }

    fn replacement(&self, pod: &Rc<Pod>, partition: i32) -> Why {
        Why::new("update_stateful_set.replace")
            .read("pod", ObjectRef::of(&**pod), "metadata.name", pod.metadata.name())
            .read("old", ObjectRef::of(&**pod), "metadata.labels", pod_revision(pod))
            .read("new", ObjectRef::of::<ControllerRevision>(&self.revisions.update), "metadata.name", {
                self.revisions.update.metadata.name()
            })
            .read("partition", ObjectRef::of(&**self.set), "spec.updateStrategy", partition)
    }
}

/// Whether the pod is not available, or being deleted.
fn is_unavailable(set: &StatefulSet, pod: &Pod, cx: &Cx) -> bool {
    !is_available(pod, set.min_ready_seconds(), cx.now()) || pod.metadata.is_deleting()
}

/// The pod with an ordinal, of the revision that this ordinal has: below the partition the current one, else the one
/// to update to (`newVersionedStatefulSetPod`).
fn new_versioned_pod(set: &Rc<StatefulSet>, revisions: &Revisions, ordinal: i32) -> Pod {
    let strategy = set.spec.as_ref().and_then(|s| s.update_strategy.as_ref());
    let rolls = strategy.and_then(|s| s.type_.as_deref()) == Some("RollingUpdate");
    let old = match strategy.and_then(|s| s.rolling_update.as_ref()) {
        Some(rolling) => rolling.partition.unwrap_or(0),
        None if rolls => set.status.as_ref().and_then(|s| s.current_replicas).unwrap_or(0),
        None => 0,
    };
    if ordinal < start_ordinal(set).saturating_add(old) {
        new_pod(&revisions.current_set, revisions.current.metadata.name(), ordinal)
    } else {
        new_pod(set, revisions.update.metadata.name(), ordinal)
    }
}

/// Does something for each pod (`runForAll`): in order until `each` returns true for one of them, or, if not `monotonic`,
/// for all of them in batches that start small. Returns whether it ended early.
async fn run_for_all(
    monotonic: bool,
    pods: impl Iterator<Item = Rc<Pod>>,
    each: impl AsyncFn(Rc<Pod>) -> Result<bool>,
) -> Result<bool> {
    if monotonic {
        for pod in pods {
            if each(pod).await? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    let (_, errors) = slow_start_batch(pods, MAX_BATCH_SIZE, async |pod, _| each(pod).await.map(drop)).await;
    aggregate(errors)?;
    Ok(false)
}
