//! Arithmetic and bookkeeping of a rollout
//! (`k8s.io/kubernetes/pkg/controller/deployment/util/deployment_util.go`).

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::SignedDuration;

use crate::api::intstr::{Rounding, scaled_value};
use crate::api::order;
use crate::api::types::{
    Deployment, DeploymentCondition, DeploymentSpec, DeploymentStatus, IntOrString, ObjectMeta,
    PodTemplateSpec, ReplicaSet, Time,
};
use crate::api::{MetaExt, Timestamp, later, seconds};

/// The label, and part of the name, that tells a ReplicaSet's template.
pub const HASH_LABEL: &str = "pod-template-hash";
/// The revision of a ReplicaSet, and of a Deployment.
pub const REVISION: &str = "deployment.kubernetes.io/revision";
/// The earlier revisions of a ReplicaSet.
pub const REVISION_HISTORY: &str = "deployment.kubernetes.io/revision-history";
/// How many replicas the Deployment wanted when the ReplicaSet was last scaled.
pub const DESIRED_REPLICAS: &str = "deployment.kubernetes.io/desired-replicas";
/// How many pods the Deployment could have had then.
pub const MAX_REPLICAS: &str = "deployment.kubernetes.io/max-replicas";
/// Asks for a rollback, as the old rollback endpoint did.
pub const ROLLBACK_TO: &str = "deprecated.deployment.rollback.to";
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// So many characters of revision history are kept.
const HISTORY_LIMIT: usize = 2000;

/// Conditions' types and reasons.
pub mod reason {
    /// The condition of enough pods being available.
    pub const AVAILABLE: &str = "Available";
    /// The condition of the rollout moving.
    pub const PROGRESSING: &str = "Progressing";
    /// The condition of pods that could not be made or deleted.
    pub const REPLICA_FAILURE: &str = "ReplicaFailure";
    /// A ReplicaSet was made for the template.
    pub const NEW_RS: &str = "NewReplicaSetCreated";
    /// A ReplicaSet with the template was there already.
    pub const FOUND_NEW_RS: &str = "FoundNewReplicaSet";
    /// It is scaled, or its pods become ready.
    pub const RS_UPDATED: &str = "ReplicaSetUpdated";
    /// The rollout is complete.
    pub const NEW_RS_AVAILABLE: &str = "NewReplicaSetAvailable";
    /// The rollout has not moved for too long.
    pub const TIMED_OUT: &str = "ProgressDeadlineExceeded";
    /// A ReplicaSet could not be made.
    pub const FAILED_CREATE: &str = "ReplicaSetCreateError";
    /// The rollout is paused.
    pub const PAUSED: &str = "DeploymentPaused";
    /// The rollout was resumed.
    pub const RESUMED: &str = "DeploymentResumed";
}

/// A Deployment's spec; an empty one if it has none.
pub fn spec(d: &Deployment) -> DeploymentSpec {
    d.spec.clone().unwrap_or_default()
}

/// `spec.replicas`
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

/// The sum of something over ReplicaSets.
pub fn sum(all: &[Rc<ReplicaSet>], of: impl Fn(&ReplicaSet) -> i32) -> i32 {
    all.iter().map(|rs| of(rs)).fold(0, i32::saturating_add)
}

/// Whether the strategy is RollingUpdate.
pub fn is_rolling(d: &Deployment) -> bool {
    strategy(d) == "RollingUpdate"
}

/// The strategy's type.
pub fn strategy(d: &Deployment) -> &str {
    d.spec.as_ref().and_then(|s| s.strategy.as_ref()).and_then(|s| s.type_.as_deref()).unwrap_or_default()
}

/// Whether there is a deadline for progress.
pub fn has_progress_deadline(d: &Deployment) -> bool {
    d.spec.as_ref().and_then(|s| s.progress_deadline_seconds).is_some_and(|n| n != i32::MAX)
}

/// The deadline, in seconds.
pub fn progress_deadline(d: &Deployment) -> SignedDuration {
    SignedDuration::from_secs(i64::from(
        d.spec.as_ref().and_then(|s| s.progress_deadline_seconds).unwrap_or(600),
    ))
}

/// How many pods more than wanted, and how many fewer available ones, there may be
/// (`ResolveFenceposts`): where both would be none, one may be missing, or nothing could move.
pub fn fenceposts(d: &Deployment) -> (i32, i32) {
    if !is_rolling(d) {
        return (0, 0);
    }
    let rolling = d.spec.as_ref().and_then(|s| s.strategy.as_ref()).and_then(|s| s.rolling_update.clone());
    let rolling = rolling.unwrap_or_default();
    // Values that are no numbers were refused when they were written.
    let scaled = |v: &Option<IntOrString>, r| scaled_value(v.as_ref(), wanted(d), r).unwrap_or(0);
    let surge = scaled(&rolling.max_surge, Rounding::Up);
    let unavailable = scaled(&rolling.max_unavailable, Rounding::Down);
    if surge == 0 && unavailable == 0 { (0, 1) } else { (surge, unavailable) }
}

/// `MaxSurge`
pub fn max_surge(d: &Deployment) -> i32 {
    fenceposts(d).0
}

/// `MaxUnavailable`
pub fn max_unavailable(d: &Deployment) -> i32 {
    if wanted(d) == 0 { 0 } else { fenceposts(d).1.min(wanted(d)) }
}

/// How many replicas the new ReplicaSet may have at once (`NewRSNewReplicas`).
pub fn new_rs_new_replicas(d: &Deployment, all: &[Rc<ReplicaSet>], new: i32) -> i32 {
    if !is_rolling(d) {
        return wanted(d);
    }
    let total = sum(all, replicas);
    let most = wanted(d).saturating_add(max_surge(d));
    if total >= most { new } else { new + (most - total).min(wanted(d) - new) }
}

/// Whether two templates are the same but for the hash label.
pub fn equal_ignore_hash(a: &PodTemplateSpec, b: &PodTemplateSpec) -> bool {
    if a.spec != b.spec {
        return false;
    }
    let none = ObjectMeta::default();
    let (a, b) = (a.metadata.as_ref().unwrap_or(&none), b.metadata.as_ref().unwrap_or(&none));
    let bare = |m: &ObjectMeta| ObjectMeta { labels: None, annotations: None, ..m.clone() };
    let annotations = |m: &ObjectMeta| m.annotations.as_ref().is_some_and(|a| !a.is_empty());
    let same_annotations = a.annotations == b.annotations || (!annotations(a) && !annotations(b));
    labels_but_hash(a).eq(labels_but_hash(b)) && same_annotations && (a == b || bare(a) == bare(b))
}

fn labels_but_hash(m: &ObjectMeta) -> impl Iterator<Item = (&String, &String)> {
    m.labels_or_empty().iter().filter(|(k, _)| *k != HASH_LABEL)
}

/// A ReplicaSet's template.
pub fn template(rs: &ReplicaSet) -> PodTemplateSpec {
    rs.spec.as_ref().and_then(|s| s.template.clone()).unwrap_or_default()
}

/// Oldest first; of equally old ones by name.
pub fn by_creation(a: &Rc<ReplicaSet>, b: &Rc<ReplicaSet>) -> Ordering {
    let at = |rs: &ReplicaSet| rs.metadata.creation_timestamp.as_ref().map(|t| t.0);
    at(a).cmp(&at(b)).then_with(|| a.metadata.name().cmp(b.metadata.name()))
}

/// The ReplicaSet with the Deployment's template: the oldest, if there are several.
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

/// The ReplicaSets but for one.
pub fn but(all: &[Rc<ReplicaSet>], one: Option<&Rc<ReplicaSet>>) -> Vec<Rc<ReplicaSet>> {
    let other = |rs: &&Rc<ReplicaSet>| one.is_none_or(|o| o.metadata.uid() != rs.metadata.uid());
    all.iter().filter(other).cloned().collect()
}

/// The ReplicaSets that are to have pods.
pub fn active(all: &[Rc<ReplicaSet>]) -> Vec<Rc<ReplicaSet>> {
    all.iter().filter(|rs| replicas(rs) > 0).cloned().collect()
}

/// A ReplicaSet's revision; 0 if it has none.
pub fn revision(rs: &ReplicaSet) -> i64 {
    rs.metadata.annotation(REVISION).and_then(|v| v.parse().ok()).unwrap_or(0)
}

/// The highest revision.
pub fn max_revision(all: &[Rc<ReplicaSet>]) -> i64 {
    all.iter().map(|rs| revision(rs)).max().unwrap_or(0)
}

/// A number in an annotation.
pub fn int_annotation(rs: &ReplicaSet, key: &str) -> Option<i32> {
    rs.metadata.annotation(key)?.parse().ok()
}

/// `metadata.annotations`
pub type Annotations = Option<BTreeMap<String, String>>;

/// Sets an annotation; whether that changed anything.
fn set(annotations: &mut Annotations, key: &str, value: &str) -> bool {
    let map = annotations.get_or_insert_default();
    if map.get(key).is_some_and(|v| v == value) {
        return false;
    }
    map.insert(key.to_owned(), value.to_owned());
    true
}

/// Whether the annotations about sizes are out of date.
pub fn size_annotations_need_update(rs: &ReplicaSet, desired: i32, max: i32) -> bool {
    rs.metadata.annotation(DESIRED_REPLICAS) != Some(&desired.to_string())
        || rs.metadata.annotation(MAX_REPLICAS) != Some(&max.to_string())
}

/// Writes the annotations about sizes; whether that changed anything.
pub fn set_size_annotations(a: &mut Annotations, desired: i32, max: i32) -> bool {
    let d = set(a, DESIRED_REPLICAS, &desired.to_string());
    let m = set(a, MAX_REPLICAS, &max.to_string());
    d || m
}

/// Writes the Deployment's revision; whether that changed anything.
pub fn set_deployment_revision(d: &mut Rc<Deployment>, revision: &str) -> bool {
    // Mostly it is there already; then nothing is copied.
    d.metadata.annotation(REVISION) != Some(revision)
        && set(&mut Rc::make_mut(d).metadata.annotations, REVISION, revision)
}

/// Writes the new ReplicaSet's annotations: the Deployment's own, the revision, the revisions it
/// was before, and for one that is about to be made the sizes. Whether that changed anything.
pub fn set_new_rs_annotations(d: &Deployment, rs: &mut Annotations, new_revision: i64, exists: bool) -> bool {
    let get = |rs: &Annotations, key: &str| rs.as_ref().and_then(|a| a.get(key)).cloned();
    let mut changed = false;
    for (k, v) in d.metadata.annotations.iter().flatten() {
        let own = [LAST_APPLIED, REVISION, REVISION_HISTORY, DESIRED_REPLICAS, MAX_REPLICAS, ROLLBACK_TO];
        if !own.contains(&k.as_str()) {
            changed |= set(rs, k, v);
        }
    }
    let old = get(rs, REVISION);
    let old_number = match old.as_deref().unwrap_or_default() {
        "" => 0,
        text => match text.parse::<i64>() {
            Ok(n) => n,
            Err(_) => return false,
        },
    };
    if old_number < new_revision {
        set(rs, REVISION, &new_revision.to_string());
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

/// The history with one more revision, short enough.
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

/// How many of the pods to be added or taken a ReplicaSet gets (`GetReplicaSetProportion`).
pub fn proportion(rs: &ReplicaSet, d: &Deployment, to_add: i32, added: i32) -> i32 {
    if replicas(rs) == 0 || to_add == 0 || to_add == added {
        return 0;
    }
    let (fraction, allowed) = (fraction(rs, d), to_add - added);
    if to_add > 0 { fraction.min(allowed) } else { fraction.max(allowed) }
}

/// Its share of the Deployment, at the Deployment's new size.
fn fraction(rs: &ReplicaSet, d: &Deployment) -> i32 {
    if wanted(d) == 0 {
        return -replicas(rs);
    }
    let max = f64::from(wanted(d)) + f64::from(max_surge(d));
    let before = match int_annotation(rs, MAX_REPLICAS).filter(|n| *n != 0) {
        Some(n) => n,
        // The ReplicaSet was made by hand or by an old controller: the Deployment's own status has to do.
        None => match d.status.as_ref().and_then(|s| s.replicas).unwrap_or(0) {
            0 => return 0,
            n => n,
        },
    };
    let size = f64::from(replicas(rs)) * max / f64::from(before);
    // Within the sizes that validation allows.
    (size.round() as i32).saturating_sub(replicas(rs))
}

/// Whether the new ReplicaSet has all the Deployment wants, and all of it available.
pub fn is_saturated(d: &Deployment, rs: Option<&Rc<ReplicaSet>>) -> bool {
    rs.is_some_and(|rs| {
        int_annotation(rs, DESIRED_REPLICAS) == Some(wanted(d))
            && replicas(rs) == wanted(d)
            && available(rs) == wanted(d)
    })
}

/// A condition.
pub fn condition<'a>(status: &'a DeploymentStatus, type_: &str) -> Option<&'a DeploymentCondition> {
    status.conditions.as_ref()?.iter().find(|c| c.type_ == type_)
}

/// A condition as of now.
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

/// Sets a condition unless it is there with the same status and reason
/// (`SetDeploymentCondition`).
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

/// Removes a condition.
pub fn remove_condition(status: &mut DeploymentStatus, type_: &str) {
    if let Some(all) = status.conditions.as_mut() {
        all.retain(|c| c.type_ != type_);
        if all.is_empty() {
            status.conditions = None;
        }
    }
}

/// Whether the rollout is complete: all pods are of the new template and available, and the status is
/// of the newest generation.
pub fn is_complete(d: &Deployment, status: &DeploymentStatus) -> bool {
    let n = Some(wanted(d)).filter(|n| *n != 0);
    let is = |v: Option<i32>| v.filter(|v| *v != 0) == n;
    is(status.updated_replicas)
        && is(status.replicas)
        && is(status.available_replicas)
        && status.observed_generation.unwrap_or(0) >= d.metadata.generation()
}

/// Whether something has moved since the last status.
pub fn is_progressing(d: &Deployment, new: &DeploymentStatus) -> bool {
    let old = d.status.clone().unwrap_or_default();
    let n = |v: Option<i32>| v.unwrap_or(0);
    let outdated = |s: &DeploymentStatus| n(s.replicas) - n(s.updated_replicas);
    n(new.updated_replicas) > n(old.updated_replicas)
        || outdated(new) < outdated(&old)
        || n(new.ready_replicas) > n(old.ready_replicas)
        || n(new.available_replicas) > n(old.available_replicas)
}

/// Whether nothing has moved for longer than the deadline.
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
