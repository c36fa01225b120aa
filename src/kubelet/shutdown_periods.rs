//! How long pods have when their node is shut down, by priority (`KubeletConfiguration.ShutdownGracePeriodByPodPriority`, KEP-2712).

use jiff::SignedDuration;

use super::said::Said;
use crate::api::well_known::SYSTEM_CRITICAL_PRIORITY;
use crate::api::{duration, order};

/// How long the pods from a priority on have, up to those of the next one (`ShutdownGracePeriodByPodPriority`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GracePeriod {
    pub(super) priority: i32,
    pub(super) seconds: i64,
}

/// What a kubelet is told, the lowest priority first; empty if it takes no notice of a shutdown. The one pair of flags is short for
/// two priorities (`migrateConfig`).
pub(super) fn periods(said: &Said<'_>) -> Vec<GracePeriod> {
    const BY_PRIORITY: &str = "shutdown-grace-period-by-pod-priority";
    let seconds = |flag: &str| said.duration(flag).map_or(0, |period| period.as_secs());
    let (all, critical) = (seconds("shutdown-grace-period"), seconds("shutdown-grace-period-critical-pods"));
    let own = said.read(BY_PRIORITY, by_priority).unwrap_or_default();
    if !own.is_empty() {
        if all > 0 || critical > 0 {
            said.refuse(BY_PRIORITY, "cannot be set together with --shutdown-grace-period");
            return Vec::new();
        }
        return own;
    }
    if critical > all {
        let why = format!("cannot be longer than the {all}s of all pods");
        said.refuse("shutdown-grace-period-critical-pods", &why);
        return Vec::new();
    }
    if all == 0 {
        return Vec::new();
    }
    vec![
        GracePeriod { priority: 0, seconds: all - critical },
        GracePeriod { priority: SYSTEM_CRITICAL_PRIORITY, seconds: critical },
    ]
}

/// Seconds by priority: `0=60s,1000=120s`.
fn by_priority(text: &str) -> Result<Vec<GracePeriod>, String> {
    let mut all: Vec<GracePeriod> = Vec::new();
    for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
        let formatted = || format!("{entry} must be formatted as priority=duration");
        let (priority, period) = entry.split_once('=').ok_or_else(formatted)?;
        let priority = priority.trim().parse().map_err(|_| formatted())?;
        let seconds = SignedDuration::from_nanos(duration::parse(period.trim())?).as_secs();
        if seconds < 0 {
            return Err(format!("{entry}: a grace period must not be negative"));
        }
        if all.iter().any(|known| known.priority == priority) {
            return Err(format!("the priority {priority} stands there twice"));
        }
        all.push(GracePeriod { priority, seconds });
    }
    order::sort_by_key(&mut all, |period| period.priority);
    Ok(all)
}

/// Which of the periods is a pod's: that of the highest priority which is not above the pod's own, or else the lowest
/// (`groupByPriority`).
pub(super) fn place(periods: &[GracePeriod], priority: i32) -> usize {
    periods.partition_point(|period| period.priority <= priority).saturating_sub(1)
}
