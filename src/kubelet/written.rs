//! What a pod's programs write to the disk of their node: into the writable layers of their containers, into emptyDir volumes, and as
//! logs (`pkg/kubelet/stats/helper.go`: `rootfs`, `logs`; `pkg/kubelet/server/stats/volume_stat_calculator.go`).
//!
//! A process is run to its end when it starts, so how much it is going to have written is known for each moment. A pod whose programs
//! write and print nothing has no work with it.

use std::rc::Rc;

use super::amounts::Written;
use super::container_state::{ContainerRuntime, ContainerState};
use super::eviction::{STORAGE, exceeded};
use super::mounts::termination_path;
use super::process::Process;
use super::state::WorkerPhase;
use super::stats::is_critical;
use super::turn::Turn;
use super::wake::{WakeSort, Wakes};
use crate::api::resource::pod_resources;
use crate::api::types::{Container, Volume};
use crate::api::{Timestamp, later, order};
use crate::shell::{self, Cycle, Printed, Write};

/// The bytes of a container's log that are on the disk at most: of the file that is written and the newest one before it
/// (`containerLogMaxSize`, 10Mi). Those before them are compressed, which leaves little of them.
const LOG_LIMIT: u64 = 20 << 20;
/// The bytes before a line of a log: `2026-01-01T00:00:00.000000000Z stdout F `.
const LINE_HEAD: u64 = 40;
/// How exactly it is known when rounds that repeat themselves have made a log too large.
const STEP_OF_LOG: u64 = 1 << 16;
/// How much all that a pod has written has to grow before it is measured again, if it exceeds nothing.
const STEP: i64 = 1 << 20;
/// How many moments are looked at for the next one at which a pod is measured.
const MOMENTS_LIMIT: usize = 4096;

/// The directories of a container that are no part of its writable layer.
const IN_MEMORY: [&str; 3] = ["/dev", "/proc", "/sys"];

/// An amount that changes: each moment at which it becomes another, with the bytes from then on.
type Course = Rc<[(Timestamp, u64)]>;

/// What a container's program prints.
struct Log {
    process: Rc<Process>,
    /// When the program ends, if it does.
    until: Timestamp,
}

/// What a pod's programs write, at all times.
struct Courses {
    layers: Vec<(Rc<str>, Course, Timestamp)>,
    logs: Vec<(Rc<str>, Log)>,
    volumes: Vec<(Rc<str>, Course)>,
}

fn bytes(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn at(course: &Course, now: Timestamp) -> u64 {
    let past = course.partition_point(|(t, _)| *t <= now);
    past.checked_sub(1).and_then(|i| course.get(i)).map_or(0, |(_, n)| *n)
}

/// How much a log is that so much was printed into.
fn in_log(printed: Printed) -> u64 {
    printed.bytes.saturating_add(printed.lines.saturating_mul(LINE_HEAD))
}

/// The rounds of a cycle that have ended by a moment.
fn rounds(cycle: &Cycle, now: Timestamp) -> u64 {
    let until = cycle.until.map_or(now, |until| until.min(now));
    let passed = until.duration_since(cycle.from).as_nanos().max(0);
    u64::try_from(passed / cycle.period.as_nanos().max(1)).unwrap_or(u64::MAX)
}

impl Log {
    fn size(&self, now: Timestamp) -> u64 {
        let (run, now) = (&self.process.run, now.min(self.until));
        let past = run.printed.partition_point(|(t, _)| *t <= now);
        let own = past.checked_sub(1).and_then(|i| run.printed.get(i)).map_or(0, |(_, p)| in_log(*p));
        let repeated = run.cycles.iter().map(|c| in_log(c.printed).saturating_mul(rounds(c, now)));
        repeated.fold(own, u64::saturating_add).min(LOG_LIMIT)
    }

    /// The moments after another one at which what its loops repeat has made it one step larger each time, until it is full.
    fn steps(&self, now: Timestamp) -> impl Iterator<Item = Timestamp> {
        let many = LOG_LIMIT.saturating_sub(self.size(now)).div_ceil(STEP_OF_LOG);
        let cycles = self.process.run.cycles.iter().filter(|c| in_log(c.printed) > 0);
        cycles.flat_map(move |c| {
            let (begun, of_step) = (rounds(c, now), STEP_OF_LOG.div_ceil(in_log(c.printed)));
            let ends = c.until.map_or(self.until, |until| until.min(self.until));
            let at = move |step: u64| {
                let rounds = begun.saturating_add(of_step.saturating_mul(step));
                let passed = c.period.checked_mul(i32::try_from(rounds).ok()?)?;
                Some(later(c.from, passed)).filter(|at| *at > now && *at <= ends)
            };
            (1..=many).map_while(at)
        })
    }

    /// The most that it is going to be, without what its loops repeat.
    fn most(&self) -> u64 {
        self.process.run.printed.last().map_or(0, |(_, printed)| in_log(*printed)).min(LOG_LIMIT)
    }
}

impl Courses {
    fn at(&self, now: Timestamp) -> Written {
        let layer = |(name, course, until): &(Rc<str>, Course, Timestamp)| {
            (name.clone(), bytes(at(course, now.min(*until))))
        };
        Written {
            layers: self.layers.iter().map(layer).collect(),
            logs: self.logs.iter().map(|(name, log)| (name.clone(), bytes(log.size(now)))).collect(),
            volumes: self.volumes.iter().map(|(name, c)| (name.clone(), bytes(at(c, now)))).collect(),
        }
    }

    /// No more than this is going to be there at once, without what loops repeat.
    fn most(&self) -> i64 {
        let of = |course: &Course| course.iter().map(|(_, n)| *n).max().unwrap_or_default();
        let files = self.layers.iter().map(|(_, course, _)| of(course));
        let files = files.chain(self.volumes.iter().map(|(_, course)| of(course)));
        let all = files.chain(self.logs.iter().map(|(_, log)| log.most()));
        bytes(all.fold(0, u64::saturating_add))
    }

    /// The moments after another one at which programs are going to write or print.
    fn moments(&self, now: Timestamp) -> Vec<Timestamp> {
        let layers = self.layers.iter().flat_map(|(_, course, _)| course.iter().map(|(t, _)| *t));
        let volumes = self.volumes.iter().flat_map(|(_, course)| course.iter().map(|(t, _)| *t));
        let logs = self.logs.iter().flat_map(|(_, log)| log.process.run.printed.iter().map(|(t, _)| *t));
        let mut all: Vec<Timestamp> = layers.chain(volumes).chain(logs).filter(|t| *t > now).collect();
        order::sort(&mut all);
        all.dedup();
        all
    }
}

fn process_of(c: &ContainerRuntime) -> Option<(&Rc<Process>, Timestamp)> {
    match &c.state {
        ContainerState::Running(r) => {
            Some((r.process.as_ref()?, r.ends.map_or(Timestamp::MAX, |(at, _)| at)))
        }
        ContainerState::Exited(e) => Some((e.process.as_ref()?, e.finished)),
        ContainerState::None | ContainerState::Created(_) => None,
    }
}

impl Turn<'_> {
    /// The space that files take in the writable layer of a container, over time.
    pub(super) fn space_of_layer(&self, spec: &Container, mut changes: Vec<Write>) -> Vec<(Timestamp, u64)> {
        if changes.is_empty() {
            return Vec::new();
        }
        let below = |path: &str, of: &str| {
            path.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let message = termination_path(spec);
        let mounts = || spec.volume_mounts.iter().flatten().map(|m| m.mount_path.trim_end_matches('/'));
        changes.retain(|w| {
            w.path != message
                && !IN_MEMORY.iter().any(|of| below(&w.path, of))
                && !mounts().any(|of| below(&w.path, of))
        });
        order::sort_by(&mut changes, |a, b| a.at.cmp(&b.at));
        shell::space(&changes)
    }

    /// What the pod's programs write, at all times; `None` if they write and print nothing.
    fn courses(&self) -> Option<Courses> {
        let mut all = Courses { layers: Vec::new(), logs: Vec::new(), volumes: Vec::new() };
        let left = self.rt.containers.iter().enumerate().filter(|_| !self.rt.removed);
        for (i, c) in left {
            match process_of(c) {
                Some((process, until)) => {
                    if !process.layer.is_empty() {
                        all.layers.push((c.name.clone(), process.layer.clone(), until));
                    }
                    let run = &process.run;
                    if !run.printed.is_empty() {
                        all.logs.push((c.name.clone(), Log { process: process.clone(), until }));
                    }
                }
                None => {
                    let outside = c.running().map(|r| &r.outside).filter(|o| !o.is_empty());
                    if let Some((outside, spec)) = outside.zip(self.container_spec(i)) {
                        let course = self.space_of_layer(spec, outside.to_vec());
                        all.layers.push((c.name.clone(), course.into(), Timestamp::MAX));
                    }
                }
            }
        }
        if self.rt.sandbox && self.rt.phase != WorkerPhase::Terminated {
            all.volumes = self.courses_of_volumes();
        }
        let any = !(all.layers.is_empty() && all.logs.is_empty() && all.volumes.is_empty());
        any.then_some(all)
    }

    fn courses_of_volumes(&self) -> Vec<(Rc<str>, Course)> {
        let volumes = self.spec.volumes.iter().flatten().filter(|v| v.empty_dir.is_some());
        let mut names = volumes.map(|v| v.name.as_str()).peekable();
        let writes = |c: &ContainerRuntime| {
            c.running().and_then(|r| r.process.as_ref()).is_some_and(|p| !p.run.writes.is_empty())
        };
        let nobody = self.rt.disks.is_empty() && !self.rt.containers.iter().any(writes);
        if nobody || names.peek().is_none() {
            return Vec::new();
        }
        let written = self.written_into_volumes();
        let of = |name: &str| {
            let first = |w: &&Write| w.path.trim_start_matches('/').split('/').next() == Some(name);
            let course: Course = shell::space(written.iter().filter(first)).into();
            (!course.is_empty()).then(|| (Rc::from(name), course))
        };
        names.filter_map(of).collect()
    }

    /// Measures what the pod's programs have written, and plans when that is done next: when the pod is going to exceed a limit, or
    /// has written much more than now.
    pub(super) fn measure_written(&mut self) {
        let Some(courses) = self.courses() else {
            (self.rt.written, self.rt.grows) = (None, Wakes::default());
            return;
        };
        let now = courses.at(self.now);
        self.rt.grows = self.next_growth(&courses, &now);
        self.rt.written = (now.sum() > 0).then(|| Rc::new(now));
    }

    fn next_growth(&self, courses: &Courses, now: &Written) -> Wakes {
        let mut wakes = Wakes::default();
        let over = self.rt.phase != WorkerPhase::Sync || self.rt.order.is_some();
        let is_limited = self.has_limit_of_disk() && !is_critical(self.pod);
        let exceeds = |then: &Written| is_limited && exceeded(self.pod, Some(then)).is_some();
        // Most pods have no limit and write little.
        let grows = courses.most().saturating_sub(now.sum()) >= STEP;
        if over || !(is_limited || grows) || exceeds(now) {
            return wakes;
        }
        let counts = |at: &Timestamp| {
            let then = courses.at(*at);
            then.sum().saturating_sub(now.sum()) >= STEP || exceeds(&then)
        };
        if let Some(at) = courses.moments(self.now).into_iter().take(MOMENTS_LIMIT).find(counts) {
            wakes.add(WakeSort::Foreground, at);
        }
        // What goes on for ever is nothing that a cluster waits for.
        for (_, log) in courses.logs.iter().filter(|_| is_limited) {
            if let Some(at) = log.steps(self.now).find(|at| exceeds(&courses.at(*at))) {
                wakes.add(WakeSort::Recurring, at);
            }
        }
        wakes
    }

    /// Whether the pod can exceed a limit of what it has on the disk.
    fn has_limit_of_disk(&self) -> bool {
        let of_volume = |v: &Volume| v.empty_dir.as_ref().is_some_and(|e| e.size_limit.is_some());
        self.spec.volumes.iter().flatten().any(of_volume)
            || pod_resources(self.spec, true).contains_key(STORAGE)
    }
}
