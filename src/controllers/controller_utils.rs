//! What controllers that create pods share (`k8s.io/kubernetes/pkg/controller/controller_utils.go`):
//! creating and deleting pods, and the order in which they delete them. Expectations are in
//! [`client::Expectations`](crate::client::Expectations).

use std::rc::Rc;

use jiff::SignedDuration;

pub use crate::api::pod::{is_active, is_ready, is_terminal, is_terminating, phase, pod_condition};
use crate::api::types::{ObjectMeta, OwnerReference, Pod, PodTemplateSpec};
use crate::api::{ApiKind, Kind, MetaExt, Timestamp, later, pod};
use crate::apimachinery::{DeleteOptions, Status};
use crate::client::{Context, Error, Why, WorkKey};

/// Whether a pod has been ready for at least `min_ready_seconds` (`podutil.IsPodAvailable`).
pub fn is_available(pod: &Pod, min_ready_seconds: i32, now: Timestamp) -> bool {
    let Some(c) = pod_condition(pod, "Ready").filter(|c| c.status == "True") else { return false };
    if min_ready_seconds == 0 {
        return true;
    }
    let min = SignedDuration::from_secs(i64::from(min_ready_seconds));
    c.last_transition_time.as_ref().is_some_and(|t| later(t.0, min) <= now)
}

/// The pod that a template describes, owned by `owner` (`controller.GetPodFromTemplate`). The template's
/// spec is a separate argument, so that the pods of one owner share it.
pub fn pod_from_template(
    template: &PodTemplateSpec,
    spec: Option<pod::Spec>,
    namespace: &str,
    owner: &OwnerReference,
) -> Pod {
    let meta = template.metadata.as_ref();
    Pod {
        metadata: ObjectMeta {
            generate_name: Some(format!("{}-", owner.name)),
            namespace: Some(namespace.to_owned()),
            labels: meta.and_then(|m| m.labels.clone()),
            annotations: meta.and_then(|m| m.annotations.clone()),
            finalizers: meta.and_then(|m| m.finalizers.clone()),
            owner_references: Some(vec![owner.clone()]),
            ..Default::default()
        },
        spec,
        status: None,
    }
}

/// Creates a pod and records an event about it (`RealPodControl.CreatePods`).
///
/// # Errors
/// The API server's refusal; an event about it has been recorded.
pub async fn create_pod<S: Clone + 'static, K: WorkKey, T: ApiKind>(
    cx: &Context<S, K>,
    pod: Pod,
    about: &T,
    why: Why,
) -> Result<Rc<Pod>, Status> {
    match cx.create(pod).because(why).await {
        Ok(pod) => {
            cx.event(about, "Normal", "SuccessfulCreate", format!("Created pod: {}", pod.metadata.name()));
            Ok(pod)
        }
        Err(e) => {
            if !e.is_namespace_terminating() {
                cx.event(about, "Warning", "FailedCreate", format!("Error creating: {e}"));
            }
            Err(e)
        }
    }
}

/// [`create_pod`] for a sync that does not fail if the namespace is being deleted: the API server refuses every creation
/// there, which gives `None`.
///
/// # Errors
/// The API server's refusal; an event about it has been recorded.
pub async fn create_pod_unless_terminating<S: Clone + 'static, K: WorkKey, T: ApiKind>(
    cx: &Context<S, K>,
    pod: Pod,
    about: &T,
    why: Why,
) -> Result<Option<Rc<Pod>>, Status> {
    match create_pod(cx, pod, about, why).await {
        Ok(pod) => Ok(Some(pod)),
        Err(e) if e.is_namespace_terminating() => Ok(None),
        Err(e) => Err(e),
    }
}

/// Does something for each item, in batches that start small, so that a cause that fails for each of them fails only a
/// few times (`slowStartBatch`). The first batch has one item (`SlowStartInitialBatchSize`); each batch that succeeds
/// doubles the next, up to `most` items. `each` is told how many items have succeeded before.
///
/// Returns how many succeeded, and the errors of the batch that failed, which is the last.
pub async fn slow_start_batch<T, E>(
    items: impl IntoIterator<Item = T>,
    most: usize,
    mut each: impl AsyncFnMut(T, usize) -> Result<(), E>,
) -> (usize, Vec<E>) {
    let mut items = items.into_iter();
    let (mut succeeded, mut errors, mut batch) = (0, Vec::new(), 1);
    loop {
        let mut tried = false;
        for item in items.by_ref().take(batch) {
            tried = true;
            match each(item, succeeded).await {
                Ok(()) => succeeded += 1,
                Err(e) => errors.push(e),
            }
        }
        if !tried || !errors.is_empty() {
            return (succeeded, errors);
        }
        batch = (2 * batch).min(most);
    }
}

/// Deletes a pod and records an event about it (`RealPodControl.DeletePod`).
///
/// # Errors
/// The API server's refusal; an event about it has been recorded.
pub async fn delete_pod<S: Clone + 'static, K: WorkKey, T: ApiKind>(
    cx: &Context<S, K>,
    pod: &Pod,
    about: &T,
    why: Why,
) -> Result<(), Status> {
    let name = pod.metadata.name();
    match cx.delete(Kind::POD, pod.metadata.key(), DeleteOptions::default()).because(why).await {
        Ok(_) => {
            cx.event(about, "Normal", "SuccessfulDelete", format!("Deleted pod: {name}"));
            Ok(())
        }
        Err(e) => {
            if !e.is_not_found() {
                cx.event(about, "Warning", "FailedDelete", format!("Error deleting: {e}"));
            }
            Err(e)
        }
    }
}

/// The order in which a controller deletes pods (`controller.ActivePodsWithRanks`): `Less` if `a` is deleted
/// first. The number beside each pod is its rank: how many pods of the same owner are on its node.
pub fn goes_first(a: (&Pod, i32), b: (&Pod, i32), now: Timestamp) -> std::cmp::Ordering {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let ((p, rank_p), (q, rank_q)) = (a, b);
    let unassigned =
        |p: &Pod| p.spec.as_ref().and_then(|s| s.node_name.as_deref()).unwrap_or_default().is_empty();
    let by_phase = |p: &Pod| match phase(p) {
        "Pending" => 0,
        "Unknown" => 1,
        _ => 2,
    };
    let order = unassigned(q)
        .cmp(&unassigned(p))
        .then_with(|| by_phase(p).cmp(&by_phase(q)))
        .then_with(|| is_ready(p).cmp(&is_ready(q)))
        .then_with(|| deletion_cost(p).cmp(&deletion_cost(q)))
        .then_with(|| rank_q.cmp(&rank_p));
    if order != Equal {
        return order;
    }
    if is_ready(p) && is_ready(q) {
        let at =
            |p: &Pod| pod_condition(p, "Ready").and_then(|c| c.last_transition_time.as_ref()).map(|t| t.0);
        let (t, u) = (at(p), at(q));
        if t != u {
            return by_age(t, u, p, q, now);
        }
    }
    let restarts = restart_count(q).cmp(&restart_count(p));
    if restarts != Equal {
        return restarts;
    }
    let at = |p: &Pod| p.metadata.creation_timestamp.as_ref().map(|t| t.0);
    let (t, u) = (at(p), at(q));
    if t != u {
        return by_age(t, u, p, q, now);
    }
    match (p.metadata.uid() < q.metadata.uid(), p.metadata.uid() > q.metadata.uid()) {
        // Go's sort may leave equal pods in any order; a fixed order keeps runs repeatable.
        (true, _) => Less,
        (_, true) => Greater,
        _ => Equal,
    }
}

/// The newer one first, but ages of the same power of two count as equal. Between those, the uids decide
/// (KEP-2185).
fn by_age(
    t: Option<Timestamp>,
    u: Option<Timestamp>,
    p: &Pod,
    q: &Pod,
    now: Timestamp,
) -> std::cmp::Ordering {
    let (Some(t), Some(u)) = (t, u) else { return t.is_some().cmp(&u.is_some()) };
    let rank = |t: Timestamp| {
        let nanos = now.duration_since(t).as_nanos();
        if nanos > 0 { i64::from(nanos.ilog2()) } else { -1 }
    };
    rank(t).cmp(&rank(u)).then_with(|| p.metadata.uid().cmp(q.metadata.uid()))
}

fn deletion_cost(pod: &Pod) -> i32 {
    pod.metadata
        .annotation("controller.kubernetes.io/pod-deletion-cost")
        .and_then(|v| v.parse().ok())
        .unwrap_or(0)
}

fn restart_count(pod: &Pod) -> i32 {
    let statuses = pod.status.as_ref().and_then(|s| s.container_statuses.as_ref());
    statuses.into_iter().flatten().map(|c| c.restart_count).max().unwrap_or(0)
}

/// Several errors as one (`utilerrors.NewAggregate`).
///
/// # Errors
/// The one error, or a list of all of them; none if there is none.
pub fn aggregate(errors: Vec<Error>) -> Result<(), Error> {
    match <[Error; 1]>::try_from(errors) {
        Ok([error]) => Err(error),
        Err(errors) if errors.is_empty() => Ok(()),
        Err(errors) => {
            let texts: Vec<String> = errors.iter().map(Error::to_string).collect();
            Err(Error::Other(format!("[{}]", texts.join(", "))))
        }
    }
}
