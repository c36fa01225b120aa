//! Indexed Jobs (`k8s.io/kubernetes/pkg/controller/job/indexed_job_utils.go`): each completion has a number, and
//! the status has the numbers that succeeded or failed, as intervals.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

use super::pod_failure_policy::{self, Action};
use super::util::{has_tracking_finalizer, is_pod_failed};
use crate::api::types::{Container, EnvVar, EnvVarSource, Job, ObjectFieldSelector, Pod, PodSpec};
use crate::api::{MetaExt, order, pod};
use crate::controllers::controller_utils::active_pods;

/// The annotation, and label, with the number of a pod's completion.
pub(super) const COMPLETION_INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// The annotation with how many pods of the index have failed before this one.
pub(super) const FAILURE_COUNT: &str = "batch.kubernetes.io/job-index-failure-count";
/// The annotation with how many failures of the index a pod failure policy has ignored.
pub(super) const IGNORED_FAILURE_COUNT: &str = "batch.kubernetes.io/job-index-ignored-failure-count";
/// The environment variable with the number of the completion.
const ENV_NAME: &str = "JOB_COMPLETION_INDEX";
/// The longest prefix of a generated name.
const MAX_GENERATED_NAME_LENGTH: usize = 58;

/// Numbers of completions in order, as intervals that include both ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Intervals(Vec<(i64, i64)>);

impl Intervals {
    /// Reads the text form, up to `completions`; parts that are no numbers are left out.
    pub(super) fn parse(text: &str, completions: i64) -> Intervals {
        let mut out = Intervals::default();
        for part in text.split(',') {
            let mut ends = part.split('-');
            let Some(first) = ends.next().and_then(|n| n.parse::<i64>().ok()) else { continue };
            if first >= completions {
                break;
            }
            let last = match ends.next().map(str::parse::<i64>) {
                None => first,
                Some(Ok(last)) => last.min(completions - 1),
                Some(Err(_)) => continue,
            };
            match out.0.last_mut() {
                Some(before) if before.1 == first - 1 => before.1 = last,
                _ => out.0.push((first, last)),
            }
        }
        out
    }

    /// These numbers and others.
    pub(super) fn with(&self, indexes: &BTreeSet<i64>) -> Intervals {
        self.merge(&Intervals(indexes.iter().map(|i| (*i, *i)).collect()))
    }

    /// These numbers and those of another list.
    pub(super) fn merge(&self, other: &Intervals) -> Intervals {
        let mut all: Vec<(i64, i64)> = self.0.iter().chain(&other.0).copied().collect();
        order::sort(&mut all);
        let mut out: Vec<(i64, i64)> = Vec::with_capacity(all.len());
        for (first, last) in all {
            match out.last_mut() {
                Some(before) if first <= before.1 + 1 => before.1 = before.1.max(last),
                _ => out.push((first, last)),
            }
        }
        Intervals(out)
    }

    /// How many numbers there are.
    pub(super) fn total(&self) -> i64 {
        self.0.iter().map(|(first, last)| last - first + 1).sum()
    }

    pub(super) fn has(&self, index: i64) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&index))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many numbers are in both lists.
    pub(super) fn shared_with(&self, other: &Intervals) -> i64 {
        let overlap = |a: &(i64, i64), b: &(i64, i64)| (a.1.min(b.1) - a.0.max(b.0) + 1).max(0);
        self.0.iter().map(|a| other.0.iter().map(|b| overlap(a, b)).sum::<i64>()).sum()
    }

    /// The first `count` numbers below `completions` that are not in the list.
    pub(super) fn first_missing(&self, count: i64, completions: i64) -> Vec<i64> {
        let end = (completions, completions);
        let (mut out, mut candidate) = (Vec::new(), 0);
        for (first, last) in self.0.iter().copied().chain([end]) {
            while candidate < first.min(completions) && (out.len() as i64) < count {
                out.push(candidate);
                candidate += 1;
            }
            candidate = candidate.max(last + 1);
        }
        out
    }
}

/// The text form: `0,2,5-7`. Two neighbours are written with a comma.
impl fmt::Display for Intervals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (first, last)) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            match last - first {
                0 => write!(f, "{comma}{first}")?,
                1 => write!(f, "{comma}{first},{last}")?,
                _ => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

/// The number of a pod's completion, if its annotation has one.
pub(super) fn completion_index(pod: &Pod) -> Option<i64> {
    pod.metadata.annotation(COMPLETION_INDEX)?.parse().ok().filter(|i| *i >= 0)
}

/// `spec.completions`; an Indexed Job has it.
pub(super) fn completions(job: &Job) -> i64 {
    job.spec.as_ref().and_then(|s| s.completions).map_or(0, i64::from)
}

/// The number of a pod's completion, if it is one that the Job wants.
pub(super) fn valid_index(pod: &Pod, job: &Job) -> Option<i64> {
    completion_index(pod).filter(|i| *i < completions(job))
}

/// The indexes that had succeeded before, and those that have succeeded now.
pub(super) fn succeeded_indexes(job: &Job, pods: &[Rc<Pod>]) -> (Intervals, Intervals) {
    let text = job.status.as_ref().and_then(|s| s.completed_indexes.as_deref()).unwrap_or_default();
    let before = Intervals::parse(text, completions(job));
    let new = pods.iter().filter(|p| pod::phase(p) == "Succeeded" && has_tracking_finalizer(p));
    let now = before.with(&new.filter_map(|p| valid_index(p, job)).collect());
    (before, now)
}

/// The indexes that have failed.
pub(super) fn failed_indexes(job: &Job, pods: &[Rc<Pod>]) -> Intervals {
    let text = job.status.as_ref().and_then(|s| s.failed_indexes.as_deref()).unwrap_or_default();
    let new = pods.iter().filter(|p| has_tracking_finalizer(p) && is_index_failed(job, p));
    Intervals::parse(text, completions(job)).with(&new.filter_map(|p| valid_index(p, job)).collect())
}

fn is_index_failed(job: &Job, pod: &Pod) -> bool {
    let Some(spec) = job.spec.as_ref() else { return false };
    if !is_pod_failed(pod, job) {
        return false;
    }
    let verdict = pod_failure_policy::verdict(spec.pod_failure_policy.as_ref(), pod);
    verdict.action == Some(Action::FailIndex)
        || (verdict.counts && failure_count(pod) >= spec.backoff_limit_per_index.unwrap_or(0))
}

fn number(pod: &Pod, annotation: &str) -> i32 {
    pod.metadata.annotation(annotation).and_then(|v| v.parse().ok()).filter(|n| *n >= 0).unwrap_or(0)
}

/// How many pods of the index had failed when the pod was created.
fn failure_count(pod: &Pod) -> i32 {
    number(pod, FAILURE_COUNT)
}

/// [`failure_count`] and the failures that a pod failure policy has ignored.
pub(super) fn absolute_failure_count(pod: &Pod) -> i32 {
    failure_count(pod).saturating_add(number(pod, IGNORED_FAILURE_COUNT))
}

/// The counts for the annotations of a new pod: failures, and ignored failures.
pub(super) fn new_failure_counts(job: &Job, replaced: Option<&Pod>) -> (i32, i32) {
    let Some(replaced) = replaced else { return (0, 0) };
    let policy = job.spec.as_ref().and_then(|s| s.pod_failure_policy.as_ref());
    let (failed, ignored) = (failure_count(replaced), number(replaced, IGNORED_FAILURE_COUNT));
    match pod_failure_policy::verdict(policy, replaced).counts {
        true => (failed.saturating_add(1), ignored),
        false => (failed, ignored.saturating_add(1)),
    }
}

pub(super) fn indexes<'a>(pods: impl IntoIterator<Item = &'a Rc<Pod>>) -> BTreeSet<i64> {
    order::gather(pods.into_iter().filter_map(|p| completion_index(p)))
}

/// Splits active pods into those to remove whatever happens and the rest: of several pods of an index all but one go,
/// and pods without a valid index go (`appendDuplicatedIndexPodsForRemoval`).
pub(super) fn duplicates(job: &Job, pods: &[Rc<Pod>]) -> (Vec<Rc<Pod>>, Vec<Rc<Pod>>) {
    let mut by_index: BTreeMap<i64, Vec<Rc<Pod>>> = BTreeMap::new();
    let (mut remove, mut left, mut invalid) = (Vec::new(), Vec::new(), Vec::new());
    for pod in pods {
        match (completion_index(pod), valid_index(pod, job)) {
            (_, Some(index)) => by_index.entry(index).or_default().push(pod.clone()),
            (None, _) => remove.push(pod.clone()),
            (Some(_), None) => invalid.push(pod.clone()),
        }
    }
    for (_, mut same) in by_index {
        order::sort_by(&mut same, |a, b| active_pods(a, b));
        left.extend(same.pop());
        remove.extend(same);
    }
    remove.extend(invalid);
    (remove, left)
}

/// The first part of a generated pod name: `<job>-<index>-`, shortened where it would be too long.
pub(super) fn generate_name(job: &str, index: i64) -> String {
    let suffix = format!("-{index}-");
    let keep = MAX_GENERATED_NAME_LENGTH.saturating_sub(suffix.len());
    format!("{}{suffix}", job.get(..keep).unwrap_or(job))
}

/// Gives each container the environment variable with its index, unless it has one of that name.
pub(super) fn add_index_env(spec: &mut PodSpec) {
    let field = ObjectFieldSelector {
        api_version: None,
        field_path: format!("metadata.labels['{COMPLETION_INDEX}']"),
    };
    let from = EnvVarSource { field_ref: Some(field), ..Default::default() };
    let variable = EnvVar { name: ENV_NAME.into(), value_from: Some(from), ..Default::default() };
    let add = |c: &mut Container| {
        let env = c.env.get_or_insert_default();
        if env.iter().all(|v| v.name != ENV_NAME) {
            env.push(variable.clone());
        }
    };
    spec.init_containers.iter_mut().flatten().for_each(add);
    spec.containers.iter_mut().for_each(add);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_written_as_intervals() {
        for (text, shown) in
            [("", ""), ("0,2,4-6", "0,2,4-6"), ("0,1,2", "0-2"), ("1,2", "1,2"), ("x,3,7-12", "3,7-9")]
        {
            assert_eq!(Intervals::parse(text, 10).to_string(), shown);
        }
        let some = Intervals::parse("1-3,7", 10);
        assert_eq!(some.with(&[0, 4, 9].into()).to_string(), "0-4,7,9");
        assert_eq!((some.total(), some.has(7), some.has(5)), (4, true, false));
        assert_eq!(some.first_missing(4, 9), [0, 4, 5, 6]);
        assert_eq!(some.first_missing(9, 9), [0, 4, 5, 6, 8]);
        assert_eq!(some.shared_with(&Intervals::parse("3-8", 10)), 2);
    }

    #[test]
    fn a_long_name_makes_room_for_the_index() {
        assert_eq!(generate_name("pi", 3), "pi-3-");
        let name = generate_name(&"x".repeat(63), 12);
        assert_eq!((name.len(), name.ends_with("x-12-")), (58, true));
    }
}
