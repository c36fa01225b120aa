//! Jobs and CronJobs.

use serde_json::{Value, json};

use super::{KindView, Selects, Shows};
use crate::api::labels::Selector;
use crate::api::types::{CronJob, Job};
use crate::api::{Kind, MetaExt, Object};
use crate::cluster::Cluster;
use crate::controllers::job::util::{FAILED, finished_condition};
use crate::session::view::ails::Ails;
use crate::session::view::card::{Card, Place, Standing};
use crate::session::view::events::Condition;
use crate::session::view::offers::{Deed, Offer, deletion, line};

/// Suspends the object, or lets it go on.
fn suspension(object: &Object, suspended: bool) -> Offer {
    let key = if suspended { "act-unsuspend" } else { "act-suspend" };
    patch(key, object, &json!({"spec": {"suspend": !suspended}}))
}

fn patch(key: &'static str, object: &Object, change: &Value) -> Offer {
    line(key, "patch", object, &format!("--type=merge -p '{change}'"))
}

/// Jobs.
pub(super) struct Jobs;

impl KindView for Jobs {
    fn place(&self) -> Place {
        Place::Middle
    }
    fn shows(&self) -> Shows {
        Shows::Made
    }
    fn keeper(&self) -> &'static str {
        "job-controller"
    }
    fn makes(&self) -> Option<Kind> {
        Some(Kind::POD)
    }
    /// Its completions: how many are wanted, how many pods have succeeded, and how many more are active.
    fn card(&self, object: &Object) -> Card {
        let Some(job) = object.get::<Job>() else { return Card::Other };
        let (spec, status) = (job.spec.as_ref(), job.status.as_ref());
        let succeeded = status.and_then(|s| s.succeeded).unwrap_or(0);
        // Without completions one success is enough.
        let want = spec.map_or(1, |s| s.completions.unwrap_or_else(|| s.parallelism.unwrap_or(1).min(1)));
        Card::Workload {
            want,
            ready: succeeded,
            have: succeeded.saturating_add(status.and_then(|s| s.active).unwrap_or(0)),
            revision: None,
            paused: spec.and_then(|s| s.suspend).unwrap_or(false),
        }
    }
    fn node<'o>(&self, _: &'o Object) -> Option<&'o str> {
        None
    }
    fn selects(&self, object: &Object) -> Option<Selects> {
        let selector = object.get::<Job>()?.spec.as_ref()?.selector.as_ref();
        let selector = Selector::from_label_selector(selector).ok()?;
        Some(Selects { selector, kind: Kind::POD, only_orphans: true })
    }
    fn names<'o>(&self, _: &'o Object) -> Vec<(Kind, &'o str)> {
        Vec::new()
    }
    /// Whether it has failed.
    fn ails(&self, object: &Object) -> Option<Ails> {
        let failed = finished_condition(object.get::<Job>()?).filter(|c| c.type_ == FAILED)?;
        Some(Ails::Condition(Condition {
            kind: failed.type_.clone(),
            status: failed.status.clone(),
            reason: failed.reason.clone().unwrap_or_default(),
            message: failed.message.clone().unwrap_or_default(),
        }))
    }
    fn offers(&self, _: &Cluster, object: &Object) -> Vec<Offer> {
        let spec = object.get::<Job>().and_then(|j| j.spec.clone()).unwrap_or_default();
        let parallelism = spec.parallelism.unwrap_or(1);
        let run = |key, n: i32| patch(key, object, &json!({"spec": {"parallelism": n}}));
        let mut out = vec![run("act-more", parallelism.saturating_add(1))];
        if parallelism > 0 {
            out.push(run("act-fewer", parallelism - 1));
        }
        out.push(suspension(object, spec.suspend.unwrap_or(false)));
        out.push(deletion(object));
        out
    }
}

/// CronJobs.
pub(super) struct CronJobs;

impl KindView for CronJobs {
    fn place(&self) -> Place {
        Place::Root
    }
    fn shows(&self) -> Shows {
        Shows::Made
    }
    fn keeper(&self) -> &'static str {
        "cronjob-controller"
    }
    fn makes(&self) -> Option<Kind> {
        Some(Kind::JOB)
    }
    /// Its schedule, and its time zone if it names one.
    fn card(&self, object: &Object) -> Card {
        let Some(cron_job) = object.get::<CronJob>() else { return Card::Other };
        let spec = &cron_job.spec;
        let mut word = spec.schedule.clone();
        if let Some(zone) = &spec.time_zone {
            word = format!("{word} {zone}");
        }
        let suspended = spec.suspend.unwrap_or(false);
        let word = if suspended { format!("{word} (suspend)") } else { word };
        Card::Resource(Some(Standing { good: !suspended, word }))
    }
    fn node<'o>(&self, _: &'o Object) -> Option<&'o str> {
        None
    }
    fn selects(&self, _: &Object) -> Option<Selects> {
        None
    }
    fn names<'o>(&self, _: &'o Object) -> Vec<(Kind, &'o str)> {
        Vec::new()
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
}
