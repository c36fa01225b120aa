//! The status of a set (`updateDaemonSetStatus`).

use std::rc::Rc;

use jiff::SignedDuration;

use super::super::controller_utils::{is_available, is_ready};
use super::manage::oldest_first;
use super::{SetSync, Task};
use crate::api::types::{DaemonSet, DaemonSetStatus, Pod};
use crate::api::{MetaExt, ObjectRef};
use crate::client::{Result, Why, retry_on_refusal};
use crate::controllers::history::Revisioned;

/// How often a status is written: once more on the object read again, if the first write fails (`statusUpdateRetries`).
const STATUS_UPDATE_TRIES: usize = 2;

/// How many nodes there are, by what runs on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    desired: i32,
    current: i32,
    misscheduled: i32,
    ready: i32,
    updated: i32,
    available: i32,
}

impl Counts {
    fn of(status: &DaemonSetStatus) -> Counts {
        Counts {
            desired: status.desired_number_scheduled,
            current: status.current_number_scheduled,
            misscheduled: status.number_misscheduled,
            ready: status.number_ready,
            updated: status.updated_number_scheduled.unwrap_or(0),
            available: status.number_available.unwrap_or(0),
        }
    }

    fn unavailable(self) -> i32 {
        self.desired.saturating_sub(self.available)
    }

    fn put_into(self, status: &mut DaemonSetStatus) {
        let count = |n: i32| Some(n).filter(|n| *n != 0);
        status.desired_number_scheduled = self.desired;
        status.current_number_scheduled = self.current;
        status.number_misscheduled = self.misscheduled;
        status.number_ready = self.ready;
        status.updated_number_scheduled = count(self.updated);
        status.number_available = count(self.available);
        status.number_unavailable = count(self.unavailable());
    }
}

impl SetSync<'_> {
    fn counts(&self) -> Counts {
        let min = self.set.min_ready_seconds();
        let mut counts = Counts::default();
        for node in self.nodes() {
            let mut pods: Vec<Rc<Pod>> = self.pods_on(node.metadata.name()).to_vec();
            crate::api::order::sort_by(&mut pods, oldest_first);
            if !self.daemon.fits(&node).should_run {
                counts.misscheduled += i32::from(!pods.is_empty());
                continue;
            }
            counts.desired += 1;
            let Some(pod) = pods.first() else { continue };
            counts.current += 1;
            if is_ready(pod) {
                counts.ready += 1;
                counts.available += i32::from(is_available(pod, min, self.cx.now()));
            }
            counts.updated += i32::from(self.is_updated(pod));
        }
        counts
    }

    /// Writes the status if it has changed. `observe` says whether the generation has been acted on.
    pub(super) async fn update_status(&self, observe: bool) -> Result {
        let (cx, set) = (self.cx, self.set);
        let counts = self.counts();
        let said = set.status.clone().unwrap_or_default();
        let is_said = Counts::of(&said) == counts
            && said.number_unavailable.unwrap_or(0) == counts.unavailable()
            && said.observed_generation.unwrap_or(0) >= set.metadata.generation();
        if !is_said {
            self.store(counts, observe).await?;
        }
        // One more sync in case of skewed clocks.
        let min = set.min_ready_seconds();
        if min > 0 && counts.ready != counts.available {
            cx.enqueue_after(Task::Set(set.metadata.key()), SignedDuration::from_secs(i64::from(min)));
        }
        Ok(())
    }

    async fn store(&self, counts: Counts, observe: bool) -> Result {
        let (cx, set) = (self.cx, self.set);
        let updated = retry_on_refusal(cx, set, STATUS_UPDATE_TRIES, async |mut latest: Rc<DaemonSet>| {
            let before = set.status.as_ref().map_or(0, |s| s.number_ready);
            let why = Why::new("update_daemon_set_status")
                .read("before", ObjectRef::of(&**set), "status.numberReady", before)
                .with("desired", counts.desired)
                .with("current", counts.current)
                .with("ready", counts.ready)
                .with("available", counts.available)
                .with("updated", counts.updated);
            let status = Rc::make_mut(&mut latest).status.get_or_insert_default();
            if observe {
                status.observed_generation = Some(set.metadata.generation());
            }
            counts.put_into(status);
            Ok(cx.update_status(latest).because(why).await?)
        })
        .await?;
        cx.wrote(&set.metadata, &updated);
        Ok(())
    }
}
