//! The CronJob controller (`k8s.io/kubernetes/pkg/controller/cronjob`): it creates a Job at each moment of a schedule,
//! and deletes old ones.
//!
//! The next run of a CronJob is a deadline that a cluster does not wait for ([`Wait::Schedule`]).

mod schedule;
mod sync;

use std::rc::Rc;

use crate::api::types::{CronJob, Job};
use crate::api::{Key, MetaExt, Timestamp};
use crate::client::{Context, Handler, Reconciler, Result, Seen, Wait, Watches, controller_of};

/// The CronJob controller.
#[derive(Clone, Copy, Debug)]
pub struct CronJobController;

type Cx = Context;

impl Reconciler for CronJobController {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "cronjob-controller".into()
    }

    fn watches(&self) -> Watches {
        Watches::new().watches(handle_cron_job).watches(handle_job)
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        sync::sync(&cx, &key).await
    }
}

/// The first moment of a CronJob's schedule after `now`. `None` if it is suspended, is being deleted, or has no such moment.
pub fn next_run(cron_job: &CronJob, now: Timestamp) -> Option<Timestamp> {
    let off = cron_job.spec.suspend == Some(true) || cron_job.metadata.is_deleting();
    schedule::of(cron_job).ok().filter(|_| !off)?.next(now)
}

/// A CronJob with another schedule is synced at its next run, and otherwise at once (`updateCronJob`).
fn handle_cron_job(cx: &mut Handler<'_>, seen: Seen<'_, CronJob>) {
    let key = seen.key.clone();
    let next = || {
        let (old, new) = (seen.old?, seen.new?);
        let same = old.spec.schedule == new.spec.schedule && old.spec.time_zone == new.spec.time_zone;
        // A schedule that cannot be read is reported by the sync.
        let schedule = schedule::of(new).ok().filter(|_| !same)?;
        schedule::time_to_next(new, cx.now, &schedule)
    };
    match next() {
        Some(after) => cx.enqueue_waiting(key, after, Wait::Schedule),
        None => cx.enqueue(key),
    }
}

/// The CronJob that controls a Job, or did so before, is synced.
fn handle_job(cx: &mut Handler<'_>, seen: Seen<'_, Job>) {
    if let (Some(old), Some(new)) = (seen.old, seen.new)
        && old.metadata.resource_version == new.metadata.resource_version
    {
        return;
    }
    for job in [seen.old, seen.new].into_iter().flatten() {
        let owner = controller_of::<CronJob>(cx.caches, &job.metadata);
        if let Some(key) = owner.map(|c| crate::api::MetaExt::key(&c.metadata)) {
            cx.enqueue(key);
        }
    }
}
