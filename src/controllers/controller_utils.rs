//! What controllers that create pods share (`k8s.io/kubernetes/pkg/controller/controller_utils.go`):
//! creating and deleting pods, and the order in which they delete them. Expectations are in
//! [`client::Expectations`](crate::client::Expectations).

use std::cmp::Ordering;
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
        }
        .into(),
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
/// The API server's refusal if the pod is gone; any other refusal by its words, after an event about it.
pub async fn delete_pod<S: Clone + 'static, K: WorkKey, T: ApiKind>(
    cx: &Context<S, K>,
    pod: &Pod,
    about: &T,
    why: Why,
) -> Result<(), Error> {
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
            Err(not_deleted(e))
        }
    }
}

/// The error of a pod that could not be deleted.
fn not_deleted(refusal: Status) -> Error {
    match refusal.is_not_found() {
        true => refusal.into(),
        false => Error::Other(format!("unable to delete pods: {refusal}")),
    }
}

/// When the next of the pods that are ready will have been so for `min_ready_seconds` (`FindMinNextPodAvailabilityCheck`).
pub fn next_availability_check(
    pods: &[Rc<Pod>],
    min_ready_seconds: i32,
    now: Timestamp,
) -> Option<SignedDuration> {
    let min = SignedDuration::from_secs(i64::from(min_ready_seconds));
    let ready = |p: &Rc<Pod>| {
        let c = pod_condition(p, "Ready").filter(|c| c.status == "True")?;
        c.last_transition_time.as_ref().map(|t| later(t.0, min).duration_since(now))
    };
    pods.iter().filter_map(ready).filter(SignedDuration::is_positive).min()
}

/// What decides when a ReplicaSet deletes a pod. It is read once for each pod, not at each comparison.
#[derive(Clone, Copy, Debug)]
pub struct Deletable<'a> {
    state: State,
    cost: i32,
    rank: i32,
    ready_since: Option<Timestamp>,
    restarts: (i32, i32),
    created: Option<Timestamp>,
    uid: &'a str,
}

impl<'a> Deletable<'a> {
    /// Reads a pod. Its rank is how many pods of the same Deployment are on its node.
    pub fn of(pod: &'a Pod, rank: i32) -> Deletable<'a> {
        Deletable {
            state: State::of(pod),
            cost: deletion_cost(pod),
            rank,
            ready_since: ready_since(pod),
            restarts: restart_counts(pod),
            created: created(pod),
            uid: pod.metadata.uid(),
        }
    }

    /// The order in which a ReplicaSet deletes pods (`controller.ActivePodsWithRanks`): `Less` if this one is deleted
    /// first.
    pub fn goes_first(&self, other: &Deletable<'_>, now: Timestamp) -> Ordering {
        let (p, q) = (self, other);
        let order = p.state.cmp(&q.state).then(p.cost.cmp(&q.cost)).then(q.rank.cmp(&p.rank));
        if order != Ordering::Equal {
            return order;
        }
        if p.state.ready && q.state.ready && p.ready_since != q.ready_since {
            return by_age((p.ready_since, p.uid), (q.ready_since, q.uid), now);
        }
        let restarts = q.restarts.cmp(&p.restarts);
        if restarts != Ordering::Equal {
            return restarts;
        }
        if p.created != q.created {
            return by_age((p.created, p.uid), (q.created, q.uid), now);
        }
        // Go's sort may leave equal pods in any order; a fixed order keeps runs repeatable.
        p.uid.cmp(q.uid)
    }
}

/// The order in which a Job deletes pods (`controller.ActivePods`): `Less` if `p` is deleted first. Pods alike keep their
/// order. Otherwise than with [`Deletable`], neither a deletion cost nor the nodes count, and the newest pod goes first
/// however small the difference is.
pub fn active_pods(p: &Pod, q: &Pod) -> Ordering {
    let ready = match is_ready(p) && is_ready(q) {
        true => newest_first(ready_since(p), ready_since(q)),
        false => Ordering::Equal,
    };
    State::of(p)
        .cmp(&State::of(q))
        .then(ready)
        .then_with(|| restart_counts(q).cmp(&restart_counts(p)))
        .then_with(|| newest_first(created(p), created(q)))
}

/// The state of a pod, ordered: pods without a node first, then by phase, then those that are not ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    assigned: bool,
    phase: u8,
    ready: bool,
}

impl State {
    fn of(pod: &Pod) -> State {
        let node = pod.spec.as_ref().and_then(|s| s.node_name.as_deref());
        let phase = match phase(pod) {
            "Pending" => 0,
            "Unknown" => 1,
            _ => 2,
        };
        State { assigned: node.is_some_and(|n| !n.is_empty()), phase, ready: is_ready(pod) }
    }
}

fn ready_since(pod: &Pod) -> Option<Timestamp> {
    pod_condition(pod, "Ready")?.last_transition_time.as_ref().map(|t| t.0)
}

fn created(pod: &Pod) -> Option<Timestamp> {
    pod.metadata.creation_timestamp.as_ref().map(|t| t.0)
}

/// A time that is not set comes before all others (`afterOrZero`).
fn newest_first(t: Option<Timestamp>, u: Option<Timestamp>) -> Ordering {
    t.is_some().cmp(&u.is_some()).then_with(|| u.cmp(&t))
}

/// The newer one first, but ages of the same power of two count as equal. Between those, the uids decide
/// (KEP-2185).
fn by_age((t, p): (Option<Timestamp>, &str), (u, q): (Option<Timestamp>, &str), now: Timestamp) -> Ordering {
    let (Some(t), Some(u)) = (t, u) else { return t.is_some().cmp(&u.is_some()) };
    let rank = |t: Timestamp| {
        let nanos = now.duration_since(t).as_nanos();
        if nanos > 0 { i64::from(nanos.ilog2()) } else { -1 }
    };
    rank(t).cmp(&rank(u)).then_with(|| p.cmp(q))
}

fn deletion_cost(pod: &Pod) -> i32 {
    pod.metadata
        .annotation("controller.kubernetes.io/pod-deletion-cost")
        .and_then(|v| v.parse().ok())
        .unwrap_or(0)
}

/// The most restarts of a container, and of a sidecar (`maxContainerRestarts`).
fn restart_counts(pod: &Pod) -> (i32, i32) {
    let init = || pod.spec.iter().flat_map(|s| s.init_containers.iter().flatten());
    let is_sidecar =
        |name: &str| init().any(|c| c.name == name && c.restart_policy.as_deref() == Some("Always"));
    let status = pod.status.as_ref();
    let containers = status.iter().flat_map(|s| s.container_statuses.iter().flatten());
    let inits = status.iter().flat_map(|s| s.init_container_statuses.iter().flatten());
    let sidecars = inits.filter(|c| is_sidecar(&c.name));
    let most = |restarts: Option<i32>| restarts.unwrap_or(0);
    (most(containers.map(|c| c.restart_count).max()), most(sidecars.map(|c| c.restart_count).max()))
}

/// Several errors as one (`utilerrors.NewAggregate`).
///
/// # Errors
/// The one error, or a list of all of them, in which equal texts are once; none if there is none.
pub fn aggregate(errors: Vec<Error>) -> Result<(), Error> {
    match <[Error; 1]>::try_from(errors) {
        Ok([error]) => Err(error),
        Err(errors) if errors.is_empty() => Ok(()),
        Err(errors) => {
            let mut texts: Vec<String> = Vec::new();
            for text in errors.iter().map(Error::to_string) {
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
            let all = texts.join(", ");
            Err(Error::Other(if texts.len() == 1 { all } else { format!("[{all}]") }))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::{Value, json};

    use super::*;
    use crate::api::{Object, order};

    fn pod(name: &str, ready_at: &str, more: Value) -> Rc<Pod> {
        let mut value = json!({
            "metadata": {"name": name, "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"nodeName": "n1", "containers": [{"name": "c"}]},
            "status": {"phase": "Running", "conditions": [
                {"type": "Ready", "status": "True", "lastTransitionTime": ready_at}]},
        });
        for (k, v) in more.as_object().into_iter().flatten() {
            value[k] = v.clone();
        }
        Object::from_value(Kind::POD, value).unwrap().get::<Pod>().unwrap().clone()
    }

    #[test]
    fn a_job_deletes_the_newest_pod_first_and_leaves_equal_ones_in_order() {
        let (early, late) = ("2026-01-01T00:00:05Z", "2026-01-01T00:00:06Z");
        let unready = json!({"status": {"phase": "Running"}});
        let unbound = json!({"spec": {"containers": [{"name": "c"}]}, "status": {"phase": "Pending"}});
        let cost = json!({"metadata": {"name": "cheap", "creationTimestamp": "2026-01-01T00:00:00Z",
            "annotations": {"controller.kubernetes.io/pod-deletion-cost": "-9"}}});
        let mut pods = vec![
            pod("a", early, json!({})),
            pod("b", early, json!({})),
            pod("cheap", early, cost),
            pod("new", late, json!({})),
            pod("unready", early, unready),
            pod("unbound", early, unbound),
        ];
        order::sort_by(&mut pods, |p, q| active_pods(p, q));
        let names: Vec<&str> = pods.iter().map(|p| p.metadata.name()).collect();
        assert_eq!(names, ["unbound", "unready", "new", "a", "b", "cheap"]);
    }

    /// `RealPodControl.DeletePod`, whose error the condition `ReplicaFailure` shows.
    #[test]
    fn a_pod_that_cannot_be_deleted_is_told_of_and_one_that_is_gone_is_not() {
        let gone = not_deleted(Status::not_found(Kind::POD, "p"));
        assert!(gone.is_not_found(), "{gone}");
        let refused = not_deleted(Status::forbidden(Kind::POD, "p", "no"));
        assert!(!refused.is_not_found());
        assert_eq!(refused.to_string(), "unable to delete pods: pods \"p\" is forbidden: no");
    }

    /// `FindMinNextPodAvailabilityCheck`
    #[test]
    fn the_next_check_is_that_of_the_pod_that_becomes_available_first() {
        let unready = json!({"status": {"phase": "Running"}});
        let pods = [
            pod("available", "2026-01-01T00:00:00Z", json!({})),
            pod("later", "2026-01-01T00:00:09Z", json!({})),
            pod("sooner", "2026-01-01T00:00:05Z", json!({})),
            pod("unready", "2026-01-01T00:00:05Z", unready),
        ];
        let now: Timestamp = "2026-01-01T00:00:12Z".parse().unwrap();
        let after = |pods: &[Rc<Pod>]| next_availability_check(pods, 10, now);
        assert_eq!(after(&pods), Some(SignedDuration::from_secs(3)));
        assert_eq!(after(&pods[..1]), None);
    }

    #[test]
    fn restarts_of_sidecars_count_after_those_of_containers() {
        let ready = "2026-01-01T00:00:05Z";
        let restarted = |name: &str, container: i32, sidecar: i32| {
            let count = |name: &str, n: i32| json!({"name": name, "restartCount": n, "image": "", "imageID": "", "ready": true});
            pod(
                name,
                ready,
                json!({
                    "spec": {"nodeName": "n1", "containers": [{"name": "c"}], "initContainers": [
                        {"name": "s", "restartPolicy": "Always"}, {"name": "i"}]},
                    "status": {"phase": "Running", "containerStatuses": [count("c", container)],
                        "initContainerStatuses": [count("s", sidecar), count("i", 9)]},
                }),
            )
        };
        let mut pods = vec![restarted("none", 0, 0), restarted("sidecar", 0, 2), restarted("main", 1, 0)];
        order::sort_by(&mut pods, |p, q| active_pods(p, q));
        let names: Vec<&str> = pods.iter().map(|p| p.metadata.name()).collect();
        assert_eq!(names, ["main", "sidecar", "none"]);
    }
}
