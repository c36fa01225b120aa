//! What the kernel writes of a container's use of CPU and memory, below `/sys/fs/cgroup` (`Documentation/admin-guide/cgroup-v2.rst`,
//! `Documentation/scheduler/sched-bwc.rst` of Linux).

/// The period of a quota of CPU, in microseconds.
const PERIOD: i64 = 100_000;
/// Who wants less CPU than this, in thousandths, waits for something most of the time, so that its periods are not counted.
const BUSY: i64 = 50;

/// `memory.events` of a container: the kubelet has the kernel kill all processes of a container together
/// (`memory.oom.group`), and the next instance has a cgroup of its own, so whoever reads the file finds that nothing has happened.
pub(super) const MEMORY_EVENTS: &str = "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0";

/// What a container that runs has used of the CPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct CpuTime {
    /// What it wants, in thousandths of a CPU.
    pub(super) wants: i64,
    /// What it gets in each period, in microseconds; `None` without a limit.
    pub(super) quota: Option<i64>,
    /// The processors that it may use.
    pub(super) processors: i64,
    /// How long it has run, in microseconds.
    pub(super) passed: i64,
}

impl CpuTime {
    /// `cpu.stat`. A container that wants more than its quota is throttled in each period: all its processors stand still from the moment at
    /// which the quota is used up to the end of the period.
    pub(super) fn stat(self) -> String {
        let CpuTime { wants, quota, processors, passed } = self;
        let wants = wants.min(processors.saturating_mul(1000)).max(0);
        let of_period = wants.saturating_mul(PERIOD / 1000);
        let gets = quota.map_or(of_period, |quota| quota.min(of_period));
        let used =
            i64::try_from(i128::from(gets) * i128::from(passed) / i128::from(PERIOD)).unwrap_or(i64::MAX);
        let periods = quota.filter(|_| wants >= BUSY).map_or(0, |_| passed / PERIOD);
        let (mut throttled, mut stands) = (0, 0);
        if gets < of_period {
            throttled = periods;
            let runs = i64::try_from(i128::from(gets) * i128::from(PERIOD) / i128::from(of_period.max(1)));
            let rest = PERIOD.saturating_sub(runs.unwrap_or(PERIOD));
            let busy = wants.saturating_add(999) / 1000;
            stands = periods.saturating_mul(rest).saturating_mul(busy);
        }
        format!(
            "usage_usec {used}\nuser_usec {used}\nsystem_usec 0\nnr_periods {periods}\nnr_throttled {throttled}\n\
             throttled_usec {stands}\nnr_bursts 0\nburst_usec 0"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Documentation/scheduler/sched-bwc.rst`, "Statistics": periods, how often the group was throttled, for how long.
    #[test]
    fn who_wants_more_than_its_quota_is_throttled_in_each_period() {
        let second = 1_000_000;
        let half = CpuTime { wants: 1000, quota: Some(50_000), processors: 4, passed: 10 * second };
        let told = "usage_usec 5000000\nuser_usec 5000000\nsystem_usec 0\nnr_periods 100\nnr_throttled 100\n\
                    throttled_usec 5000000\nnr_bursts 0\nburst_usec 0";
        assert_eq!(half.stat(), told);
        let free = CpuTime { quota: None, ..half };
        assert!(free.stat().starts_with("usage_usec 10000000\n"));
        assert!(free.stat().contains("nr_periods 0\nnr_throttled 0\nthrottled_usec 0\n"));
        // Two processors use up the quota in a quarter of the period and wait for the rest of it.
        let two = CpuTime { wants: 2000, ..half };
        assert!(two.stat().contains("nr_throttled 100\nthrottled_usec 15000000\n"));
        let enough = CpuTime { wants: 500, ..half };
        assert!(enough.stat().contains("nr_periods 100\nnr_throttled 0\n"));
    }
}
