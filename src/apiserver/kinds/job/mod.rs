//! Job.
//!
//! Read from Kubernetes' `pkg/apis/batch/types.go`, `pkg/apis/batch/v1/{conversion,defaults}.go`,
//! `pkg/apis/batch/validation/validation.go`, `pkg/registry/batch/job/strategy.go`,
//! `pkg/registry/batch/job/storage/storage.go` and `pkg/printers/internalversion/printers.go`.

mod policy;
mod status;
pub(super) mod validation;

use std::rc::Rc;

use super::storage::Storage;
use super::{AGE, Column, Creation, NAME, SelectableFields, Strategy, count_change, drop_disabled};
use crate::api::duration::human_duration;
use crate::api::types::{Job, JobSpec, JobStatus, ObjectMeta};
use crate::api::{MetaExt, Timestamp};
use crate::apiserver::defaults::{default, pod_spec};
use crate::apiserver::printers::pod_template::{selector, template_cells};
use crate::apiserver::printers::{created, name};
use crate::apiserver::validation::{Errors, Path};
use crate::apiserver::warnings;

/// The labels of a Job's pods: the uid and the name of the Job, each under the present key and under the former one.
pub(in crate::apiserver) const CONTROLLER_UID: &str = "batch.kubernetes.io/controller-uid";

pub(in crate::apiserver) const JOB_NAME: &str = "batch.kubernetes.io/job-name";

pub(in crate::apiserver) const LEGACY_CONTROLLER_UID: &str = "controller-uid";

pub(in crate::apiserver) const LEGACY_JOB_NAME: &str = "job-name";

impl Strategy for Job {
    const COLUMNS: &'static [Column] = &[
        NAME,
        Column::text("Status", "Status of the job."),
        Column::text("Completions", "The number of pods which reached phase Succeeded. The value increases monotonically for a given spec. However, it may decrease in reaction to scale down of elastic indexed jobs."),
        Column::text("Duration", "Time required to complete the job."),
        AGE,
        Column::text("Containers", "Names of each container in the template.").wide(),
        Column::text("Images", "Images referenced by each container in the template.").wide(),
        Column::text("Selector", "A label query over pods that should match the pod count. Normally, the system sets this field for you. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors").wide(),
    ];
    const SELECTABLE_FIELDS: SelectableFields =
        SelectableFields::TheseOfKind(&["metadata.name", "metadata.namespace", "status.successful"]);
    const ALLOW_CREATE_ON_UPDATE: bool = false;
    const ALLOW_UNCONDITIONAL_UPDATE: bool = true;
    const STORAGE: Storage = Storage { orphans_dependents: true, ..Storage::PLAIN };

    nothing_for!(convert);

    fn default(this: &mut Rc<Self>) {
        fill_in(Rc::make_mut(this));
    }

    fn prepare_for_create(this: &mut Rc<Self>, creation: &mut Creation<'_>) {
        let this = Rc::make_mut(this);
        this.metadata.generation = Some(1);
        this.status = Some(Default::default());
        let Job { metadata, spec, .. } = this;
        let spec = spec.get_or_insert_default();
        drop_disabled(Some(&mut spec.template), None);
        if spec.manual_selector != Some(true) {
            generate_selector(metadata, spec, creation.labelled);
        }
        fill_in(this);
    }

    fn prepare_for_update(this: &mut Rc<Self>, old: &Self) {
        let this = Rc::make_mut(this);
        this.status.clone_from(&old.status);
        drop_disabled(this.spec.as_mut().map(|s| &mut s.template), old.spec.as_ref().map(|s| &s.template));
        count_change(&mut this.metadata, &old.metadata, this.spec != old.spec);
    }

    status_keeps_spec!();

    fn validate(&self, errs: &mut Errors) {
        validation::create(errs, self);
    }

    fn validate_update(&self, old: &Self, errs: &mut Errors) {
        validation::update(errs, self, old);
    }

    fn validate_status_update(&self, old: &Self, errs: &mut Errors) {
        status::update(errs, self, old);
    }

    fn warnings_on_create(&self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.as_ref().map(|s| &s.template) {
            warnings::label_name(out, self.metadata.name(), "Pod names and hostnames");
            let path = Path::new("spec");
            warn_of_large_index(out, self.spec.as_ref(), &path);
            warnings::pod_spec::template(out, template, &path.child("template"));
        }
    }

    fn warnings_on_update(&self, old: &Self, out: &mut Vec<String>) {
        if let Some(template) = self.spec.as_ref().map(|s| &s.template)
            && self.metadata.generation() != old.metadata.generation()
        {
            let path = Path::new("spec");
            warn_of_large_index(out, self.spec.as_ref(), &path);
            warnings::pod_spec::template(out, template, &path.child("template"));
        }
    }

    fn field(&self, path: &str) -> Option<String> {
        (path == "status.successful")
            .then(|| self.status.as_ref().and_then(|s| s.succeeded).unwrap_or(0).to_string())
    }

    fn row(&self, now: Timestamp) -> Vec<String> {
        let none = JobStatus::default();
        let status = self.status.as_ref().unwrap_or(&none);
        let spec = self.spec.as_ref();
        let succeeded = status.succeeded.unwrap_or(0);
        let completions = match spec.and_then(|s| s.completions) {
            Some(n) => format!("{succeeded}/{n}"),
            None => match spec.and_then(|s| s.parallelism).unwrap_or(0) {
                n if n > 1 => format!("{succeeded}/1 of {n}"),
                _ => format!("{succeeded}/1"),
            },
        };
        let end = status.completion_time.as_ref().map_or(now, |t| t.0);
        let duration =
            status.start_time.as_ref().map_or_else(String::new, |t| human_duration(end.duration_since(t.0)));
        let [containers, images] = template_cells(spec.map(|s| &s.template));
        vec![
            name(&self.metadata),
            state(self, status).to_owned(),
            completions,
            duration,
            created(&self.metadata, now),
            containers,
            images,
            selector(spec.and_then(|s| s.selector.as_ref())),
        ]
    }
}

/// Adds the labels of the Job's pods to its template and selects pods by the Job's uid (`generateSelector`). The labels of a
/// Job that came without any are those of its template, also the generated ones: in Kubernetes defaulting makes them one
/// map. A Job that came with labels keeps these alone, whatever its template has.
fn generate_selector(meta: &mut ObjectMeta, spec: &mut JobSpec, labelled: bool) {
    let (uid, name) = (MetaExt::uid(meta).to_owned(), MetaExt::name(meta).to_owned());
    let labels = spec.template.metadata.get_or_insert_default().labels.get_or_insert_default();
    for (key, value) in
        [(LEGACY_JOB_NAME, &name), (JOB_NAME, &name), (LEGACY_CONTROLLER_UID, &uid), (CONTROLLER_UID, &uid)]
    {
        labels.entry(key.to_owned()).or_insert_with(|| value.clone());
    }
    if !labelled {
        meta.labels = Some(labels.clone());
    }
    let selected = spec.selector.get_or_insert_default().match_labels.get_or_insert_default();
    selected.entry(CONTROLLER_UID.to_owned()).or_insert(uid);
}

/// Fills in the defaults.
fn fill_in(job: &mut Job) {
    let spec = job.spec.get_or_insert_default();
    if spec.completions.is_none() && spec.parallelism.is_none() {
        spec.completions = Some(1);
    }
    spec.parallelism.get_or_insert(1);
    let per_index = spec.backoff_limit_per_index.is_some();
    spec.backoff_limit.get_or_insert(if per_index { i32::MAX } else { 6 });
    let labels = spec.template.metadata.as_ref().and_then(|m| m.labels.as_ref());
    if let Some(labels) = labels.filter(|l| !l.is_empty())
        && job.metadata.labels.as_ref().is_none_or(|l| l.is_empty())
    {
        job.metadata.labels = Some(labels.clone());
    }
    spec.completion_mode.get_or_insert_with(|| "NonIndexed".into());
    spec.suspend.get_or_insert(false);
    default_patterns(spec);
    let replace = if spec.pod_failure_policy.is_some() { "Failed" } else { "TerminatingOrFailed" };
    spec.pod_replacement_policy.get_or_insert_with(|| replace.into());
    spec.manual_selector.get_or_insert(false);
    pod_spec::template(&mut spec.template);
    job.status.get_or_insert_default();
}

/// Fills in the defaults of the conditions that a failure policy looks for
/// (`SetDefaults_PodFailurePolicyOnPodConditionsPattern`).
pub(super) fn default_patterns(spec: &mut JobSpec) {
    let rules = spec.pod_failure_policy.iter_mut().flat_map(|p| p.rules.iter_mut());
    for pattern in rules.flat_map(|r| r.on_pod_conditions.iter_mut().flatten()) {
        default(&mut pattern.status, "True");
    }
}

/// Warns of an Indexed Job that is too large to be tracked.
pub(super) fn warn_of_large_index(out: &mut Vec<String>, job: Option<&JobSpec>, path: &Path) {
    if job.is_some_and(|j| {
        j.completion_mode.as_deref() == Some("Indexed")
            && j.completions.is_some_and(|n| n > 100_000)
            && j.parallelism.is_some_and(|n| n > 10_000)
    }) {
        out.push(format!("{path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail"));
    }
}

/// The state of a Job in a word (`jobStatus`).
fn state(job: &Job, status: &JobStatus) -> &'static str {
    let is = |type_: &str| status.conditions.iter().flatten().any(|c| c.type_ == type_ && c.status == "True");
    match () {
        () if is("Complete") => "Complete",
        () if is("Failed") => "Failed",
        () if job.metadata.is_deleting() => "Terminating",
        () if is("Suspended") => "Suspended",
        () if is("FailureTarget") => "FailureTarget",
        () if is("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    }
}
