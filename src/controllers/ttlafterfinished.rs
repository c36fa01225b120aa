//! The TTL-after-finished controller (`k8s.io/kubernetes/pkg/controller/ttlafterfinished`): it deletes Jobs that have
//! `spec.ttlSecondsAfterFinished`, with their pods, so long after they have ended.

use std::rc::Rc;

use jiff::SignedDuration;

use super::job::util::finished_condition;
use crate::api::types::Job;
use crate::api::{Key, Kind, MetaExt, ObjectRef, Timestamp, later};
use crate::apimachinery::{DeleteOptions, Propagation};
use crate::client::{Context, Handler, Reconciler, Result, Seen, Watches, Why};

/// The TTL-after-finished controller.
#[derive(Clone, Copy, Debug)]
pub struct TtlAfterFinishedController;

type Cx = Context;

impl Reconciler for TtlAfterFinishedController {
    type Key = Key;
    type State = ();

    fn name(&self) -> Rc<str> {
        "ttl-after-finished-controller".into()
    }

    fn watches(&self) -> Watches {
        Watches::new().watches(handle_job)
    }

    async fn sync(self, cx: Cx, key: Key) -> Result {
        let Some(job) = cx.lister::<Job>().get(&key).cloned() else { return Ok(()) };
        if !has_expired(&cx, &job) {
            return Ok(());
        }
        // The time to live may have been changed since the cache saw the Job.
        let fresh = match cx.get::<Job>(key.clone()).await {
            Ok(fresh) => fresh,
            Err(e) if e.is_not_found() => return Ok(()),
            Err(e) => return Err(e.into()),
        };
        if !has_expired(&cx, &fresh) {
            return Ok(());
        }
        let ttl = fresh.spec.as_ref().and_then(|s| s.ttl_seconds_after_finished).unwrap_or(0);
        let why = Why::new("process_job.expired").read(
            "ttl",
            ObjectRef::of(&*fresh),
            "spec.ttlSecondsAfterFinished",
            ttl,
        );
        let options = DeleteOptions {
            propagation_policy: Some(Propagation::Foreground),
            uid: Some(fresh.metadata.uid().to_owned()),
            ..Default::default()
        };
        cx.delete(Kind::JOB, key, options).because(why).await?;
        Ok(())
    }
}

fn handle_job(cx: &mut Handler<'_>, seen: Seen<'_, Job>) {
    if seen.new.is_some_and(|job| expires_at(job).is_some()) {
        cx.enqueue(seen.key.clone());
    }
}

/// When the Job is to be deleted; `None` if it has not ended, has no time to live, or is being deleted already.
fn expires_at(job: &Job) -> Option<Timestamp> {
    let ttl = job.spec.as_ref()?.ttl_seconds_after_finished?;
    let ended = finished_condition(job)?.last_transition_time.as_ref()?.0;
    (!job.metadata.is_deleting()).then(|| later(ended, SignedDuration::from_secs(i64::from(ttl))))
}

/// Whether the Job is to be deleted now; enqueues it for that moment if that lies ahead.
fn has_expired(cx: &Cx, job: &Job) -> bool {
    let Some(at) = expires_at(job) else { return false };
    let left = at.duration_since(cx.now());
    if left.is_positive() {
        cx.enqueue_after(job.metadata.key(), left);
    }
    !left.is_positive()
}
