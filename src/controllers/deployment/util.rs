//! Arithmetic and annotations of a rollout
//! (`k8s.io/kubernetes/pkg/controller/deployment/util/deployment_util.go`).

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::intstr::{Rounding, scaled_value};
use crate::api::order;
pub use crate::api::pod_template_hash::equal_ignore_hash;
use crate::api::types::{
    Deployment, DeploymentCondition, DeploymentSpec, DeploymentStatus, IntOrString, PodTemplateSpec,
    ReplicaSet, Time,
};
use crate::api::well_known::{
    DEPLOYMENT_REVISION_ANNOTATION, DEPRECATED_ROLLBACK_TO, LAST_APPLIED_CONFIG_ANNOTATION,
};
use crate::api::{MetaExt, Timestamp, later, seconds};

/// The annotation with the earlier revisions of a ReplicaSet, separated by commas.
pub const REVISION_HISTORY: &str = "deployment.kubernetes.io/revision-history";
/// The annotation with the Deployment's `spec.replicas` when the ReplicaSet was last scaled.
pub const DESIRED_REPLICAS: &str = "deployment.kubernetes.io/desired-replicas";
/// The annotation with the most pods that the Deployment could have then: `spec.replicas` plus `maxSurge`.
pub const MAX_REPLICAS: &str = "deployment.kubernetes.io/max-replicas";
/// How many characters of revision history are kept.
const HISTORY_LIMIT: usize = 2000;

/// Types and reasons of a Deployment's conditions.
pub mod reason {
    /// Condition: enough pods are available.
    pub const AVAILABLE: &str = "Available";
    /// Condition: the rollout progresses.
    pub const PROGRESSING: &str = "Progressing";
    /// Condition: a pod could not be created or deleted.
    pub const REPLICA_FAILURE: &str = "ReplicaFailure";
    /// Reason: a ReplicaSet was created for the template.
    pub const NEW_RS: &str = "NewReplicaSetCreated";
    /// Reason: a ReplicaSet with the template existed already.
    pub const FOUND_NEW_RS: &str = "FoundNewReplicaSet";
    /// Reason: the ReplicaSet was scaled, or pods of it became ready.
    pub const RS_UPDATED: &str = "ReplicaSetUpdated";
    /// Reason: the rollout is complete.
    pub const NEW_RS_AVAILABLE: &str = "NewReplicaSetAvailable";
    /// Reason: the rollout has made no progress within the deadline.
    pub const TIMED_OUT: &str = "ProgressDeadlineExceeded";
    /// Reason: the ReplicaSet could not be created.
    pub const FAILED_CREATE: &str = "ReplicaSetCreateError";
    /// Reason: the rollout is paused.
    pub const PAUSED: &str = "DeploymentPaused";
    /// Reason: the rollout was resumed.
    pub const RESUMED: &str = "DeploymentResumed";
}

/// A Deployment's spec; the default one if it has none.
pub fn spec(d: &Deployment) -> DeploymentSpec {
    d.spec.clone().unwrap_or_default()
}

/// A Deployment's `spec.replicas`.
pub fn wanted(d: &Deployment) -> i32 {
    d.spec.as_ref().and_then(|s| s.replicas).unwrap_or(1)
}

/// A ReplicaSet's `spec.replicas`.
pub fn replicas(rs: &ReplicaSet) -> i32 {
    rs.spec.as_ref().and_then(|s| s.replicas).unwrap_or(1)
}

/// A ReplicaSet's `status.availableReplicas`.
pub fn available(rs: &ReplicaSet) -> i32 {
    rs.status.as_ref().and_then(|s| s.available_replicas).unwrap_or(0)
}

/// A ReplicaSet's `status.replicas`.
pub fn actual(rs: &ReplicaSet) -> i32 {
    rs.status.as_ref().map_or(0, |s| s.replicas)
}

/// The sum of `of` over ReplicaSets.
pub fn sum(all: &[Rc<ReplicaSet>], of: impl Fn(&ReplicaSet) -> i32) -> i32 {
    all.iter().map(|rs| of(rs)).fold(0, i32::saturating_add)
}

/// Whether the strategy is RollingUpdate.
pub fn is_rolling(d: &Deployment) -> bool {
    strategy(d) == "RollingUpdate"
}

/// The strategy's type, `RollingUpdate` or `Recreate`; empty if it is not set.
pub fn strategy(d: &Deployment) -> &str {
    d.spec.as_ref().and_then(|s| s.strategy.as_ref()).and_then(|s| s.type_.as_deref()).unwrap_or_default()
}

/// Whether the Deployment has a progress deadline. The largest `i32` stands for none.
pub fn has_progress_deadline(d: &Deployment) -> bool {
    d.spec.as_ref().and_then(|s| s.progress_deadline_seconds).is_some_and(|n| n != i32::MAX)
}

/// The progress deadline (`progressDeadlineSeconds`, 600 s if not set).
pub fn progress_deadline(d: &Deployment) -> SignedDuration {
    SignedDuration::from_secs(i64::from(
        d.spec.as_ref().and_then(|s| s.progress_deadline_seconds).unwrap_or(600),
    ))
}

/// `maxSurge` and `maxUnavailable` as numbers of pods (`ResolveFenceposts`). If both are 0, `maxUnavailable`
/// becomes 1, because no step would be possible. Both are 0 for `Recreate`.
pub fn fenceposts(d: &Deployment) -> (i32, i32) {
    if !is_rolling(d) {
        return (0, 0);
    }
    let rolling = d.spec.as_ref().and_then(|s| s.strategy.as_ref()).and_then(|s| s.rolling_update.clone());
    let rolling = rolling.unwrap_or_default();
    // Validation refuses values that are not numbers or percentages.
    let scaled = |v: &Option<IntOrString>, r| scaled_value(v.as_ref(), wanted(d), r).unwrap_or(0);
    let surge = scaled(&rolling.max_surge, Rounding::Up);
    let unavailable = scaled(&rolling.max_unavailable, Rounding::Down);
    if surge == 0 && unavailable == 0 { (0, 1) } else { (surge, unavailable) }
}

/// `maxSurge` as a number of pods (`MaxSurge`).
pub fn max_surge(d: &Deployment) -> i32 {
    fenceposts(d).0
}

/// `maxUnavailable` as a number of pods (`MaxUnavailable`).
pub fn max_unavailable(d: &Deployment) -> i32 {
    if wanted(d) == 0 { 0 } else { fenceposts(d).1.min(wanted(d)) }
}

/// The size that the new ReplicaSet may have now (`NewRSNewReplicas`). `new` is its present size.
pub fn new_rs_new_replicas(d: &Deployment, all: &[Rc<ReplicaSet>], new: i32) -> i32 {
    if !is_rolling(d) {
        return wanted(d);
    }
    let total = sum(all, replicas);
    let most = wanted(d).saturating_add(max_surge(d));
    if total >= most { new } else { new + (most - total).min(wanted(d) - new) }
}

/// A ReplicaSet's template.
pub fn template(rs: &ReplicaSet) -> PodTemplateSpec {
    rs.spec.as_ref().and_then(|s| s.template.clone()).unwrap_or_default()
}

/// Orders ReplicaSets by age, the oldest first, and then by name.
pub fn by_creation(a: &Rc<ReplicaSet>, b: &Rc<ReplicaSet>) -> Ordering {
    let at = |rs: &ReplicaSet| rs.metadata.creation_timestamp.as_ref().map(|t| t.0);
    at(a).cmp(&at(b)).then_with(|| a.metadata.name().cmp(b.metadata.name()))
}

/// The oldest ReplicaSet with the Deployment's template, if there is one.
pub fn find_new(d: &Deployment, all: &[Rc<ReplicaSet>]) -> Option<Rc<ReplicaSet>> {
    let wanted = d.spec.as_ref().map(|s| &s.template)?;
    let mut sorted: Vec<&Rc<ReplicaSet>> = all.iter().collect();
    order::sort_by(&mut sorted, |a, b| by_creation(a, b));
    sorted
        .into_iter()
        .find(|rs| {
            rs.spec.as_ref().and_then(|s| s.template.as_ref()).is_some_and(|t| equal_ignore_hash(t, wanted))
        })
        .cloned()
}

/// All ReplicaSets except `one`.
pub fn but(all: &[Rc<ReplicaSet>], one: Option<&Rc<ReplicaSet>>) -> Vec<Rc<ReplicaSet>> {
    let other = |rs: &&Rc<ReplicaSet>| one.is_none_or(|o| o.metadata.uid() != rs.metadata.uid());
    all.iter().filter(other).cloned().collect()
}

/// The ReplicaSets with `spec.replicas` above 0.
pub fn active(all: &[Rc<ReplicaSet>]) -> Vec<Rc<ReplicaSet>> {
    all.iter().filter(|rs| replicas(rs) > 0).cloned().collect()
}

/// A ReplicaSet's revision; 0 if it has none or it is not a number.
pub fn revision(rs: &ReplicaSet) -> i64 {
    rs.metadata.annotation(DEPLOYMENT_REVISION_ANNOTATION).and_then(|v| v.parse().ok()).unwrap_or(0)
}

/// The revision that the annotation [`DEPRECATED_ROLLBACK_TO`] names, 0 for the last one; `None` if it is absent or not a number (`getRollbackTo`).
pub fn rollback_to(d: &Deployment) -> Option<i64> {
    d.metadata.annotation(DEPRECATED_ROLLBACK_TO)?.parse().ok()
}

/// The highest revision; 0 if there is none.
pub fn max_revision(all: &[Rc<ReplicaSet>]) -> i64 {
    all.iter().map(|rs| revision(rs)).max().unwrap_or(0)
}

/// The number in an annotation; `None` if it is absent, or anything else than digits (`getNonNegativeInt32FromAnnotation`).
pub fn int_annotation(rs: &ReplicaSet, key: &str) -> Option<i32> {
    let text = rs.metadata.annotation(key)?;
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// `metadata.annotations`
pub type Annotations = Option<BTreeMap<String, String>>;

/// Sets an annotation. Returns whether that changed anything.
fn set(annotations: &mut Annotations, key: &str, value: &str) -> bool {
    let map = annotations.get_or_insert_default();
    if map.get(key).is_some_and(|v| v == value) {
        return false;
    }
    map.insert(key.to_owned(), value.to_owned());
    true
}

/// Whether the annotations about the Deployment's size are out of date.
pub fn size_annotations_need_update(rs: &ReplicaSet, desired: i32, max: i32) -> bool {
    rs.metadata.annotation(DESIRED_REPLICAS) != Some(&desired.to_string())
        || rs.metadata.annotation(MAX_REPLICAS) != Some(&max.to_string())
}

/// Sets the annotations about the Deployment's size. Returns whether that changed anything.
pub fn set_size_annotations(a: &mut Annotations, desired: i32, max: i32) -> bool {
    let d = set(a, DESIRED_REPLICAS, &desired.to_string());
    let m = set(a, MAX_REPLICAS, &max.to_string());
    d || m
}

/// Sets the Deployment's revision. Returns whether that changed anything.
pub fn set_deployment_revision(d: &mut Rc<Deployment>, revision: &str) -> bool {
    // The revision is mostly up to date, and then nothing is copied.
    d.metadata.annotation(DEPLOYMENT_REVISION_ANNOTATION) != Some(revision)
        && set(&mut Rc::make_mut(d).metadata.annotations, DEPLOYMENT_REVISION_ANNOTATION, revision)
}

/// Whether an annotation is not copied between a Deployment and its ReplicaSets (`skipCopyAnnotation`).
pub fn is_not_copied(annotation: &str) -> bool {
    [
        LAST_APPLIED_CONFIG_ANNOTATION,
        DEPLOYMENT_REVISION_ANNOTATION,
        REVISION_HISTORY,
        DESIRED_REPLICAS,
        MAX_REPLICAS,
        DEPRECATED_ROLLBACK_TO,
    ]
    .contains(&annotation)
}

/// Sets the new ReplicaSet's annotations: the Deployment's own, the revision, the earlier revisions and, if
/// the ReplicaSet does not exist yet, the Deployment's size. Returns whether that changed anything.
pub fn set_new_rs_annotations(d: &Deployment, rs: &mut Annotations, new_revision: i64, exists: bool) -> bool {
    let get = |rs: &Annotations, key: &str| rs.as_ref().and_then(|a| a.get(key)).cloned();
    let mut changed = false;
    for (k, v) in d.metadata.annotations.iter().flatten() {
        if !is_not_copied(k) {
            changed |= set(rs, k, v);
        }
    }
    let old = get(rs, DEPLOYMENT_REVISION_ANNOTATION);
    let old_number = match old.as_deref().unwrap_or_default() {
        "" => 0,
        text => match text.parse::<i64>() {
            Ok(n) => n,
            Err(_) => return false,
        },
    };
    if old_number < new_revision {
        set(rs, DEPLOYMENT_REVISION_ANNOTATION, &new_revision.to_string());
        changed = true;
        if let Some(old) = old {
            let history = remember(&get(rs, REVISION_HISTORY).unwrap_or_default(), &old);
            set(rs, REVISION_HISTORY, &history);
        }
    }
    if !exists && set_size_annotations(rs, wanted(d), wanted(d).saturating_add(max_surge(d))) {
        changed = true;
    }
    changed
}

/// The history with one more revision; the oldest ones are dropped beyond `HISTORY_LIMIT`.
fn remember(history: &str, old: &str) -> String {
    if history.is_empty() {
        return old.to_owned();
    }
    let mut parts: Vec<&str> = history.split(',').collect();
    let mut length = history.len() + old.len() + 1;
    while length > HISTORY_LIMIT && !parts.is_empty() {
        length -= parts.remove(0).len() + 1;
    }
    parts.push(old);
    parts.join(",")
}

/// How many of the `to_add` pods a ReplicaSet gets (negative: loses), when `added` are given out already
/// (`GetReplicaSetProportion`).
pub fn proportion(rs: &ReplicaSet, d: &Deployment, to_add: i32, added: i32) -> i32 {
    if replicas(rs) == 0 || to_add == 0 || to_add == added {
        return 0;
    }
    let (fraction, allowed) = (fraction(rs, d), to_add - added);
    if to_add > 0 { fraction.min(allowed) } else { fraction.max(allowed) }
}

/// By how many pods a ReplicaSet would change to keep its share at the Deployment's new size.
fn fraction(rs: &ReplicaSet, d: &Deployment) -> i32 {
    if wanted(d) == 0 {
        return -replicas(rs);
    }
    let max = f64::from(wanted(d)) + f64::from(max_surge(d));
    let before = match int_annotation(rs, MAX_REPLICAS).filter(|n| *n != 0) {
        Some(n) => n,
        // Without the annotation (the ReplicaSet was created by hand or by an old controller) the
        // Deployment's status counts.
        None => match d.status.as_ref().and_then(|s| s.replicas).unwrap_or(0) {
            0 => return 0,
            n => n,
        },
    };
    let size = f64::from(replicas(rs)) * max / f64::from(before);
    // Sizes that pass validation do not overflow here.
    (size.round() as i32).saturating_sub(replicas(rs))
}

/// Whether the new ReplicaSet has the Deployment's size and all of its pods are available.
pub fn is_saturated(d: &Deployment, rs: Option<&Rc<ReplicaSet>>) -> bool {
    rs.is_some_and(|rs| {
        int_annotation(rs, DESIRED_REPLICAS) == Some(wanted(d))
            && replicas(rs) == wanted(d)
            && available(rs) == wanted(d)
    })
}

/// The condition of a type, if there is one.
pub fn condition<'a>(status: &'a DeploymentStatus, type_: &str) -> Option<&'a DeploymentCondition> {
    status.conditions.as_ref()?.iter().find(|c| c.type_ == type_)
}

/// A condition whose update and transition time are `now`.
pub fn new_condition(
    type_: &str,
    status: &str,
    reason: &str,
    message: String,
    now: Timestamp,
) -> DeploymentCondition {
    let now = Time(seconds(now));
    DeploymentCondition {
        type_: type_.into(),
        status: status.into(),
        last_update_time: Some(now.clone()),
        last_transition_time: Some(now),
        reason: Some(reason.into()),
        message: Some(message),
    }
}

/// Sets a condition, unless one with the same status and reason exists (`SetDeploymentCondition`).
pub fn set_condition(status: &mut DeploymentStatus, mut c: DeploymentCondition) {
    if let Some(current) = condition(status, &c.type_) {
        if current.status == c.status && current.reason == c.reason {
            return;
        }
        if current.status == c.status {
            c.last_transition_time.clone_from(&current.last_transition_time);
        }
    }
    remove_condition(status, &c.type_.clone());
    status.conditions.get_or_insert_default().push(c);
}

/// Removes the conditions of a type.
pub fn remove_condition(status: &mut DeploymentStatus, type_: &str) {
    if let Some(all) = status.conditions.as_mut() {
        all.retain(|c| c.type_ != type_);
        if all.is_empty() {
            status.conditions = None;
        }
    }
}

/// Whether the rollout is complete: all pods have the new template and are available, and the status is
/// about the newest generation (`DeploymentComplete`).
pub fn is_complete(d: &Deployment, status: &DeploymentStatus) -> bool {
    let n = Some(wanted(d)).filter(|n| *n != 0);
    let is = |v: Option<i32>| v.filter(|v| *v != 0) == n;
    is(status.updated_replicas)
        && is(status.replicas)
        && is(status.available_replicas)
        && status.observed_generation.unwrap_or(0) >= d.metadata.generation()
}

/// Whether the rollout has progressed since the Deployment's last status (`DeploymentProgressing`).
pub fn is_progressing(d: &Deployment, new: &DeploymentStatus) -> bool {
    let old = d.status.clone().unwrap_or_default();
    let n = |v: Option<i32>| v.unwrap_or(0);
    let outdated = |s: &DeploymentStatus| n(s.replicas) - n(s.updated_replicas);
    n(new.updated_replicas) > n(old.updated_replicas)
        || outdated(new) < outdated(&old)
        || n(new.ready_replicas) > n(old.ready_replicas)
        || n(new.available_replicas) > n(old.available_replicas)
}

/// Whether the rollout has not progressed for longer than the deadline (`DeploymentTimedOut`).
pub fn is_timed_out(d: &Deployment, new: &DeploymentStatus, now: Timestamp) -> bool {
    if !has_progress_deadline(d) {
        return false;
    }
    let Some(c) = condition(new, reason::PROGRESSING) else { return false };
    match c.reason.as_deref() {
        Some(reason::NEW_RS_AVAILABLE) => false,
        Some(reason::TIMED_OUT) => true,
        _ => c.last_update_time.as_ref().is_some_and(|t| later(t.0, progress_deadline(d)) < now),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;
    use crate::api::{Kind, Object};

    /// `getNonNegativeInt32FromAnnotation` reads the annotation with `strconv.ParseUint`.
    #[test]
    fn an_annotation_about_a_size_has_only_digits() {
        let texts = [
            ("12", Some(12)),
            ("007", Some(7)),
            ("2147483647", Some(i32::MAX)),
            ("2147483648", None),
            ("+5", None),
            ("-5", None),
            ("5 ", None),
            ("", None),
        ];
        for (text, number) in texts {
            let metadata = json!({"name": "web", "annotations": {DESIRED_REPLICAS: text}});
            let rs = Object::from_value(Kind::REPLICA_SET, json!({"metadata": metadata})).unwrap();
            assert_eq!(int_annotation(rs.get::<ReplicaSet>().unwrap(), DESIRED_REPLICAS), number, "{text:?}");
        }
    }
}
