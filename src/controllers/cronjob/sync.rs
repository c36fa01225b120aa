//! One sync of a CronJob (`sync` and `syncCronJob` of `cronjob_controllerv2.go`).

use std::rc::Rc;

use jiff::SignedDuration;

use super::{Cx, schedule};
use crate::api::cron::load_location;
use crate::api::quote::go_quote;
use crate::api::types::{CronJob, CronJobStatus, Job, ObjectMeta, Time};
use crate::api::{ApiKind, Key, Kind, MetaExt, ObjectRef, Timestamp, later, order, owner_reference};
use crate::apimachinery::{DeleteOptions, Propagation};
use crate::client::{Error, Result, Wait, Why, object_reference};
use crate::controllers::job::util::{COMPLETE, FAILED, finished_condition, is_finished};

/// The annotation with the moment that a Job was created for.
const SCHEDULED_TIMESTAMP: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/// A CronJob as a sync changes it.
struct Work {
    cron_job: CronJob,
    /// As the sync had changed it when it began to go by what the API server has. Only this is written: the API server
    /// answers with a conflict, and the next sync does what is left.
    outdated: Option<CronJob>,
    /// Whether its status has to be written.
    changed: bool,
}

impl Work {
    fn status(&mut self) -> &mut CronJobStatus {
        self.cron_job.status.get_or_insert_default()
    }

    fn is_active(&self, uid: &str) -> bool {
        is_active(&self.cron_job, uid)
    }

    /// Takes a Job off the list of active Jobs.
    fn forget(&mut self, uid: &str) {
        let active = &mut self.status().active;
        if let Some(all) = active {
            all.retain(|r| r.uid.as_deref() != Some(uid));
        }
        *active = active.take().filter(|all| !all.is_empty());
    }

    fn event(&self, cx: &Cx, type_: &'static str, reason: &str, message: impl Into<String>) {
        cx.event(&self.cron_job, type_, reason, message);
    }
}

fn is_active(cron_job: &CronJob, uid: &str) -> bool {
    let active = cron_job.status.iter().flat_map(|s| s.active.iter().flatten());
    active.into_iter().any(|r| r.uid.as_deref() == Some(uid))
}

/// Syncs a CronJob.
pub(super) async fn sync(cx: &Cx, key: &Key) -> Result {
    let Some(cron_job) = cx.lister::<CronJob>().get(key).cloned() else { return Ok(()) };
    let mine = |j: &&Rc<Job>| j.metadata.controller().is_some_and(|c| c.name == *key.name);
    let jobs: Vec<Rc<Job>> =
        cx.lister::<Job>().list(Some(cron_job.metadata.namespace())).filter(mine).cloned().collect();
    let mut work = Work { cron_job: CronJob::clone(&cron_job), outdated: None, changed: false };
    clean_up_finished_jobs(cx, &mut work, &jobs).await;
    let next = sync_cron_job(cx, &mut work, &jobs).await;
    if work.changed {
        let to = work.outdated.unwrap_or(work.cron_job);
        let status = to.status.clone().unwrap_or_default();
        let why = Why::new("sync_cron_job.status")
            .read(
                "active",
                ObjectRef::of(&*cron_job),
                "status.active",
                status.active.as_ref().map_or(0, Vec::len),
            )
            .with("last", status.last_schedule_time.map(|t| t.0.to_string()).unwrap_or_default());
        cx.update_status(Rc::new(to)).because(why).await?;
    }
    if let Some(after) = next? {
        cx.enqueue_waiting(key.clone(), after, Wait::Schedule);
    }
    Ok(())
}

/// Starts the run that is due. Returns how long until the next one; `None` if there is none.
async fn sync_cron_job(cx: &Cx, work: &mut Work, jobs: &[Rc<Job>]) -> Result<Option<SignedDuration>> {
    let now = cx.now();
    for job in jobs {
        look_at_job(cx, work, job).await?;
    }
    forget_missing_jobs(cx, work, jobs).await?;
    let spec = work.cron_job.spec.clone();
    if work.cron_job.metadata.is_deleting() {
        return Ok(None);
    }
    if let Some(zone) = spec.time_zone.as_deref().filter(|z| load_location(z).is_none()) {
        let message = format!("invalid timeZone: {}: unknown time zone {zone}", go_quote(zone));
        work.event(cx, "Warning", "UnknownTimeZone", message);
        return Ok(None);
    }
    if spec.suspend == Some(true) {
        return Ok(None);
    }
    if spec.schedule.contains("TZ") {
        let message = format!(
            "CRON_TZ or TZ used in schedule {} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
            go_quote(&spec.schedule)
        );
        work.event(cx, "Warning", "UnsupportedSchedule", message);
    }
    let runs = match schedule::of(&work.cron_job) {
        Ok(runs) => runs,
        Err(why) => {
            let message = format!("unparseable schedule: {} : {why}", go_quote(&spec.schedule));
            work.event(cx, "Warning", "UnparseableSchedule", message);
            return Ok(None);
        }
    };
    let due = match schedule::due(&work.cron_job, now, &runs) {
        Ok(due) => due,
        Err(why) => {
            let message = format!("invalid schedule: {} : {why}", spec.schedule);
            work.event(cx, "Warning", "InvalidSchedule", message);
            return Ok(None);
        }
    };
    let next = |work: &Work| schedule::time_to_next(&work.cron_job, now, &runs);
    let Some(due) = due else { return Ok(next(work)) };
    if due.too_many_missed {
        let message =
            "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
        work.event(cx, "Warning", "TooManyMissedTimes", message);
    }
    if may_start(cx, work, due.at) && !start(cx, work, due.at).await? {
        return Ok(None);
    }
    Ok(next(work))
}

/// Notes whether a Job has ended, and says so if it is not known.
async fn look_at_job(cx: &Cx, work: &mut Work, job: &Job) -> Result {
    let (uid, name) = (job.metadata.uid(), job.metadata.name());
    let known = work.is_active(uid);
    let Some(finished) = finished_condition(job) else {
        if known {
            return Ok(());
        }
        let fresh = cx.get::<CronJob>(work.cron_job.metadata.key()).await?;
        if is_active(&fresh, uid) {
            let outdated = std::mem::replace(&mut work.cron_job, CronJob::clone(&fresh));
            work.outdated.get_or_insert(outdated);
        } else {
            let message = format!("Saw a job that the controller did not create or forgot: {name}");
            work.event(cx, "Warning", "UnexpectedJob", message);
        }
        return Ok(());
    };
    if known {
        work.forget(uid);
        let message = format!("Saw completed job: {name}, condition: {}", finished.type_);
        work.event(cx, "Normal", "SawCompletedJob", message);
        work.changed = true;
    }
    let completed = job.status.as_ref().and_then(|s| s.completion_time.clone());
    let last = work.status().last_successful_time.clone();
    if finished.type_ == COMPLETE
        && last.as_ref().is_none_or(|last| completed.as_ref().is_some_and(|t| t.0 > last.0))
    {
        work.status().last_successful_time = completed;
        work.changed = true;
    }
    Ok(())
}

/// Takes Jobs that do not exist any more off the list of active Jobs.
async fn forget_missing_jobs(cx: &Cx, work: &mut Work, jobs: &[Rc<Job>]) -> Result {
    let active = work.status().active.clone().unwrap_or_default();
    for reference in active {
        let uid = reference.uid.unwrap_or_default();
        if jobs.iter().any(|j| j.metadata.uid() == uid) {
            continue;
        }
        let name = reference.name.unwrap_or_default();
        match cx.get::<Job>(Key::new(&reference.namespace.unwrap_or_default(), &name)).await {
            Err(e) if e.is_not_found() => {
                work.event(cx, "Normal", "MissingJob", format!("Active job went missing: {name}"));
                work.forget(&uid);
                work.changed = true;
            }
            Err(e) => return Err(e.into()),
            Ok(_) => {}
        }
    }
    Ok(())
}

fn job_name(cron_job: &CronJob, at: Timestamp) -> String {
    format!("{}-{}", cron_job.metadata.name(), at.as_second() / 60)
}

/// Whether the run is neither too late nor started already, and no other one that still runs forbids it.
fn may_start(cx: &Cx, work: &mut Work, at: Timestamp) -> bool {
    let deadline = work.cron_job.spec.starting_deadline_seconds;
    if deadline.is_some_and(|d| later(at, SignedDuration::from_secs(d)) < cx.now()) {
        let at = at.strftime("%a, %d %b %Y %H:%M:%S +0000");
        work.event(cx, "Warning", "MissSchedule", format!("Missed scheduled time to start a job: {at}"));
        return false;
    }
    let name = job_name(&work.cron_job, at);
    let status = work.status();
    let mut active = status.active.iter().flatten();
    let started = status.last_schedule_time.as_ref().is_some_and(|t| t.0 == at);
    if started || active.any(|r| r.name.as_deref() == Some(&*name)) {
        return false;
    }
    let busy = status.active.is_some();
    if busy && work.cron_job.spec.concurrency_policy.as_deref() == Some("Forbid") {
        let message = "Not starting job because prior execution is running and concurrency policy is Forbid";
        work.event(cx, "Normal", "JobAlreadyActive", message);
        return false;
    }
    true
}

/// Creates the Job of a run, after the deletion of those that it replaces. Returns `false` if a Job with its name exists
/// and is of another owner, or is active already; Kubernetes then plans no next run either.
async fn start(cx: &Cx, work: &mut Work, at: Timestamp) -> Result<bool> {
    if work.cron_job.spec.concurrency_policy.as_deref() == Some("Replace") {
        for reference in work.status().active.clone().unwrap_or_default() {
            let (namespace, name) =
                (reference.namespace.unwrap_or_default(), reference.name.unwrap_or_default());
            let job = match cx.get::<Job>(Key::new(&namespace, &name)).await {
                Ok(job) => job,
                Err(e) => {
                    work.event(cx, "Warning", "FailedGet", format!("Get job: {e}"));
                    return Err(e.into());
                }
            };
            let why = Why::new("sync_cron_job.replace").read(
                "policy",
                ObjectRef::of(&work.cron_job),
                "spec.concurrencyPolicy",
                "Replace",
            );
            if !delete_job(cx, work, &job, why).await {
                return Err(Error::Other(format!("could not replace job {namespace}/{name}")));
            }
            work.changed = true;
        }
    }
    let job = job_from_template(&work.cron_job, at);
    let key = job.metadata.key();
    let why = Why::new("sync_cron_job.create")
        .read("schedule", ObjectRef::of(&work.cron_job), "spec.schedule", &work.cron_job.spec.schedule)
        .with("at", schedule::in_zone(&work.cron_job, at));
    let job = match cx.create(job).because(why).await {
        Ok(job) => {
            let message = format!("Created job {}", job.metadata.name());
            work.event(cx, "Normal", "SuccessfulCreate", message);
            job
        }
        // An earlier sync has created it and could not write the status.
        Err(e) if e.reason == "AlreadyExists" => {
            let job = cx.get::<Job>(key).await?;
            let uid = work.cron_job.metadata.uid();
            let is_mine = job.metadata.controller().is_some_and(|c| c.uid == uid);
            if !is_mine || work.is_active(job.metadata.uid()) {
                return Ok(false);
            }
            job
        }
        Err(e) => {
            if !e.is_namespace_terminating() {
                work.event(cx, "Warning", "FailedCreate", format!("Error creating job: {e}"));
            }
            return Err(e.into());
        }
    };
    let status = work.status();
    status.active.get_or_insert_default().push(object_reference(&*job));
    status.last_schedule_time = Some(Time(at));
    work.changed = true;
    Ok(true)
}

/// The Job of a run (`getJobFromTemplate2`).
fn job_from_template(cron_job: &CronJob, at: Timestamp) -> Job {
    let template = &cron_job.spec.job_template;
    let meta = template.metadata.as_ref();
    let mut annotations = meta.and_then(|m| m.annotations.clone()).unwrap_or_default();
    annotations.insert(SCHEDULED_TIMESTAMP.into(), schedule::in_zone(cron_job, at));
    Job {
        metadata: ObjectMeta {
            name: Some(job_name(cron_job, at)),
            namespace: Some(cron_job.metadata.namespace().to_owned()),
            labels: meta.and_then(|m| m.labels.clone()),
            annotations: Some(annotations),
            owner_references: Some(vec![owner_reference(CronJob::KIND, &cron_job.metadata)]),
            ..Default::default()
        },
        spec: template.spec.clone(),
        status: None,
    }
}

/// Deletes Jobs that have ended, the oldest first, beyond the limits of the histories.
async fn clean_up_finished_jobs(cx: &Cx, work: &mut Work, jobs: &[Rc<Job>]) {
    let spec = &work.cron_job.spec;
    let limits = [
        (COMPLETE, "spec.successfulJobsHistoryLimit", spec.successful_jobs_history_limit),
        (FAILED, "spec.failedJobsHistoryLimit", spec.failed_jobs_history_limit),
    ];
    for (type_, field, limit) in limits {
        let Some(limit) = limit else { continue };
        let ended = |j: &&Rc<Job>| is_finished(j) && finished_condition(j).is_some_and(|c| c.type_ == type_);
        let mut ended: Vec<Rc<Job>> = jobs.iter().filter(ended).cloned().collect();
        let surplus = ended.len().saturating_sub(usize::try_from(limit).unwrap_or(0));
        order::sort_by_key(&mut ended, |j| {
            let start = j.status.as_ref().and_then(|s| s.start_time.as_ref()).map(|t| t.0);
            // Jobs that have not started come last.
            (start.is_none(), start, j.metadata.name().to_owned())
        });
        for job in ended.iter().take(surplus) {
            let why = Why::new("remove_oldest_jobs")
                .read("limit", ObjectRef::of(&work.cron_job), field, limit)
                .with("have", ended.len());
            work.changed |= delete_job(cx, work, job, why).await;
        }
    }
}

/// Deletes a Job with its pods. Returns whether it is deleted.
async fn delete_job(cx: &Cx, work: &mut Work, job: &Job, why: Why) -> bool {
    let name = job.metadata.name();
    let options = DeleteOptions { propagation_policy: Some(Propagation::Background), ..Default::default() };
    if let Err(e) = cx.delete(Kind::JOB, job.metadata.key(), options).because(why).await {
        work.event(cx, "Warning", "FailedDelete", format!("Deleted job: {e}"));
        return false;
    }
    work.forget(job.metadata.uid());
    work.event(cx, "Normal", "SuccessfulDelete", format!("Deleted job {name}"));
    true
}
