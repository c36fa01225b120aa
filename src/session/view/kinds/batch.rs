//! Jobs and CronJobs.

use serde_json::{Value, json};

use super::{About, KindView, Selects, Shows, orphans};
use crate::api::types::{CronJob, Job, JobSpec};
use crate::api::{Kind, MetaExt, Object, Timestamp};
use crate::cluster::Cluster;
use crate::controllers::cronjob::next_run;
use crate::controllers::job::util::{FAILED, finished_condition, is_finished};
use crate::session::view::card::{Card, Halt, Place};
use crate::session::view::offers::{Deed, Offer, deletion, line};
use crate::session::view::report::{Counts, Report, selecting};

/// Suspends the object, or lets it go on.
fn suspension(object: &Object, suspended: bool) -> Offer {
    let key = if suspended { "act-unsuspend" } else { "act-suspend" };
    patch(key, object, &json!({"spec": {"suspend": !suspended}}))
}

fn patch(key: &'static str, object: &Object, change: &Value) -> Offer {
    line(key, "patch", object, &format!("--type=merge -p '{change}'"))
}

/// How many pods of a Job have to succeed. Without completions one is enough.
fn completions(job: &Job) -> i32 {
    let of = |s: &JobSpec| s.completions.unwrap_or_else(|| s.parallelism.unwrap_or(1).min(1));
    job.spec.as_ref().map_or(1, of)
}

fn halt(suspend: Option<bool>) -> Option<Halt> {
    suspend.unwrap_or(false).then_some(Halt::Suspended)
}

/// Jobs.
pub(super) struct Jobs;

impl KindView for Jobs {
    fn about(&self) -> About {
        About {
            place: Place::Middle,
            shows: Shows::Made,
            keeper: "job-controller",
            makes: Some(Kind::POD),
            record: false,
            bookkeeping: &[],
        }
    }
    /// Its completions: how many are wanted, how many pods have succeeded, and how many more are active.
    fn card(&self, object: &Object) -> Card {
        let Some(job) = object.get::<Job>() else { return Card::Other };
        let (spec, status) = (job.spec.as_ref(), job.status.as_ref());
        let succeeded = status.and_then(|s| s.succeeded).unwrap_or(0);
        let want = completions(job);
        Card::Workload {
            want,
            ready: succeeded,
            have: succeeded.saturating_add(status.and_then(|s| s.active).unwrap_or(0)),
            revision: None,
            succeeds: true,
            halt: halt(spec.and_then(|s| s.suspend)),
        }
    }
    fn report(&self, _: &Cluster, object: &Object) -> Option<Report> {
        let job = object.get::<Job>()?;
        let status = job.status.clone().unwrap_or_default();
        let succeeded = status.succeeded.unwrap_or(0);
        let ended = finished_condition(job);
        // Success can be declared to be less than all completions.
        let want = if ended.is_some_and(|c| c.type_ != FAILED) { succeeded } else { completions(job) };
        let failure = ended.filter(|c| c.type_ == FAILED);
        Some(Report {
            counts: Counts::Completions {
                want,
                succeeded,
                active: status.active.unwrap_or(0),
                failed: status.failed.unwrap_or(0),
            },
            ready: succeeded,
            old: 0,
            halt: halt(job.spec.as_ref().and_then(|s| s.suspend)),
            observed: true,
            failure: failure
                .map(|c| (c.reason.clone().unwrap_or_default(), c.message.clone().unwrap_or_default())),
            selector: selecting(job.spec.as_ref().and_then(|s| s.selector.as_ref())),
        })
    }
    fn selects(&self, object: &Object) -> Option<Selects> {
        orphans(object.get::<Job>()?.spec.as_ref()?.selector.as_ref())
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        let spec = object.get::<Job>().and_then(|j| j.spec.clone()).unwrap_or_default();
        let parallelism = spec.parallelism.unwrap_or(1);
        let run = |key, n: i32| patch(key, object, &json!({"spec": {"parallelism": n}}));
        // Nothing comes of changing a Job that has ended.
        if object.get::<Job>().is_some_and(|j| is_finished(j)) {
            return vec![deletion(object)];
        }
        let mut out = vec![run("act-more", parallelism.saturating_add(1))];
        if parallelism > 0 {
            out.push(run("act-fewer", parallelism - 1));
        }
        out.push(suspension(object, spec.suspend.unwrap_or(false)));
        out.push(deletion(object));
        out
    }
    usual!(ails, next_run, node, ordinal, names);
}

/// CronJobs.
pub(super) struct CronJobs;

impl KindView for CronJobs {
    fn about(&self) -> About {
        About {
            place: Place::Root,
            shows: Shows::Made,
            keeper: "cronjob-controller",
            makes: Some(Kind::JOB),
            record: false,
            bookkeeping: &[],
        }
    }
    fn card(&self, object: &Object) -> Card {
        let Some(cron_job) = object.get::<CronJob>() else { return Card::Other };
        let spec = &cron_job.spec;
        Card::Schedule {
            schedule: spec.schedule.clone(),
            zone: spec.time_zone.clone(),
            halt: halt(spec.suspend),
        }
    }
    fn next_run(&self, object: &Object, now: Timestamp) -> Option<Timestamp> {
        next_run(object.get::<CronJob>()?, now)
    }
    fn offers(&self, cluster: &Cluster, object: &Object) -> Vec<Offer> {
        let suspended = object.get::<CronJob>().and_then(|c| c.spec.suspend).unwrap_or(false);
        let key = object.key();
        let mut now = format!(
            "create job {}-{} --from=cronjob/{}",
            key.name,
            cluster.now().as_second(),
            object.meta().name()
        );
        if &*key.namespace != "default" {
            now = format!("{now} -n {}", key.namespace);
        }
        vec![
            Offer { key: "act-run-now".into(), bad: false, deed: Deed::Kubectl(now) },
            suspension(object, suspended),
            deletion(object),
        ]
    }
    usual!(ails, report, node, ordinal, selects, names);
}
