//! How a simulated container behaves: what its program does by itself ([`Own`], from `process`), and what the annotations
//! of its pod in the namespace `sim.steady/` say, which come first.
//!
//! Annotations. Each can also end in `.<container>`; then it is about that container only.
//!
//! | annotation | value | meaning |
//! | --- | --- | --- |
//! | `sim.steady/run-seconds` | seconds | how long the container runs before it ends by itself |
//! | `sim.steady/exit-code` | integer | its exit code when it ends by itself; without `run-seconds` it ends at once |
//! | `sim.steady/ready-after-seconds` | seconds | its probes fail until so long after its start |
//! | `sim.steady/ready` | `"false"` | its readiness probe never passes |
//! | `sim.steady/live-for-seconds` | seconds | its liveness probe fails from so long after its start |
//! | `sim.steady/memory` | quantity | the memory that it needs; if that is more than its limit, it is OOMKilled after 5 s |
//! | `sim.steady/image-pull` | `fail`, `fail: message`, `exists` or seconds | its image cannot be pulled, or can, or how long the pull takes |
//! | `sim.steady/start-seconds` | seconds | the time from its creation to its start |
//! | `sim.steady/ignores-sigterm` | `"true"` or `"false"` | whether it runs on after SIGTERM until it is killed |
//! | `sim.steady/stop-seconds` | seconds | the time from SIGTERM to its end |
//! | `sim.steady/stop-exit-code` | integer | its exit code when it ends on SIGTERM |
//! | `sim.steady/entrypoint` | words | the image's entrypoint, which `args` are given to |
//! | `sim.steady/listens` | ports, or `none` | where it listens; this and those below, to `on-sigterm`, are read in `listeners` |
//! | `sim.steady/answers` | text | what it answers to HTTP requests |
//! | `sim.steady/answer-status` | integer | the status of its answers |
//! | `sim.steady/answer-errors` | `5%` or `0.5% 503` | the part of its answers that are errors, and their status |
//! | `sim.steady/answer-seconds` | seconds | how long an answer takes |
//! | `sim.steady/answer-cpu` | quantity | for how long an answer needs one CPU, in seconds: `20m` is 20 ms |
//! | `sim.steady/answer-concurrency` | integer | how many requests it answers at once |
//! | `sim.steady/answer-queue` | integer | how many requests may wait meanwhile |
//! | `sim.steady/on-sigterm` | `serve` or `drain` | it accepts connections after SIGTERM, until it ends; or it closes its ports and ends once it has given the answers that it has begun |
//!
//! Commands of hooks and probes are executed in the container; one that nobody knows succeeds at once as a hook, and as
//! a probe does what the annotations say.

use jiff::SignedDuration;

use super::limits;
use super::timings::{self, later};
use crate::api::quantity::{Format, amount_of};
use crate::api::types::{Container, ObjectMeta, Pod, ResourceRequirements};
use crate::api::{MetaExt, Timestamp, quantity::Amount};
use crate::shell;

/// The prefix of the annotations.
pub const NAMESPACE: &str = "sim.steady/";

/// What a container does once it has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// When the container ends by itself, counted from its start, and how; `None` if it runs until it is
    /// stopped.
    pub ends: Option<(SignedDuration, Exit)>,
    /// How long all of the container's probes fail, counted from its start.
    pub ready_after: SignedDuration,
    /// Whether the container's readiness probe can pass at all.
    pub ready: bool,
    /// When the liveness probe begins to fail, counted from the container's start; `None` if it never does.
    pub live_for: Option<SignedDuration>,
    /// How long the container takes to end after SIGTERM, and its exit code; `None` if it ignores SIGTERM.
    pub stops: Option<(SignedDuration, i32)>,
    /// Whether the annotations say how it stops, whatever its process does on SIGTERM.
    pub stop_is_told: bool,
}

/// What a container's program does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own {
    /// When it ends, counted from the container's start, and how; `None` if it runs until it is stopped.
    pub ends: Option<(SignedDuration, Exit)>,
    /// How long it takes to end after SIGTERM, and its exit code; `None` if it ignores SIGTERM, or if its process says
    /// what it does.
    pub stops: Option<(SignedDuration, i32)>,
    /// Whether that is what its commands do. Otherwise nobody knows the program.
    pub certain: bool,
    /// What it uses; `None` if its arguments say nothing of it.
    pub uses: Option<Uses>,
}

/// What a program uses of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uses {
    /// CPU in thousandths of one.
    pub cpu: i64,
    /// Memory in bytes.
    pub memory: i64,
}

/// How a container ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// The exit code.
    pub code: i32,
    /// Whether the kernel killed the container because it exceeded its memory limit.
    pub out_of_memory: bool,
}

impl Exit {
    /// An exit with a code, not for lack of memory.
    pub const fn code(code: i32) -> Exit {
        Exit { code, out_of_memory: false }
    }
}

/// A pod's annotation about one of its containers: `sim.steady/<what>.<container>`, or else
/// `sim.steady/<what>`.
pub fn annotation<'a>(meta: &'a ObjectMeta, container: &str, what: &str) -> Option<&'a str> {
    let all = meta.annotations.as_ref().filter(|a| !a.is_empty())?;
    // Few pods have such annotations, so this looks for any of them before it builds the names.
    all.range(NAMESPACE.to_owned()..).next().filter(|(k, _)| k.starts_with(NAMESPACE))?;
    let general = format!("{NAMESPACE}{what}");
    meta.annotation(&format!("{general}.{container}")).or_else(|| meta.annotation(&general)).map(str::trim)
}

/// An annotation that is a duration in seconds; `None` if it is absent or cannot be parsed.
pub fn seconds(meta: &ObjectMeta, container: &str, what: &str) -> Option<SignedDuration> {
    shell::duration(annotation(meta, container, what)?)
}

fn integer(meta: &ObjectMeta, container: &str, what: &str) -> Option<i32> {
    annotation(meta, container, what)?.parse().ok()
}

/// The behaviour of a container, from what its program does by itself and its pod's annotations.
pub fn of(pod: &Pod, container: &Container, own: Own) -> Behaviour {
    with(pod, &container.name, container.resources.as_ref(), own)
}

/// The same of a container that has other resources than its spec says.
pub fn with(pod: &Pod, name: &str, resources: Option<&ResourceRequirements>, own: Own) -> Behaviour {
    let meta = &pod.metadata;
    let mut b = Behaviour {
        ends: own.ends,
        ready_after: SignedDuration::ZERO,
        ready: true,
        live_for: None,
        stops: own.stops,
        stop_is_told: false,
    };
    let ours = |k: &String| k.starts_with(NAMESPACE);
    let told = meta.annotations.iter().flatten().any(|(k, _)| ours(k));
    if !told && own.uses.is_none() {
        return b;
    }
    let (run, code) = (seconds(meta, name, "run-seconds"), integer(meta, name, "exit-code"));
    if run.is_some() || code.is_some() {
        let by_command = own.ends.filter(|_| own.certain).map(|(time, _)| time).unwrap_or_default();
        b.ends = Some((run.unwrap_or(by_command), Exit::code(code.unwrap_or(0))));
    }
    b.ready_after = seconds(meta, name, "ready-after-seconds").unwrap_or_default();
    b.ready = annotation(meta, name, "ready") != Some("false");
    b.live_for = seconds(meta, name, "live-for-seconds");
    b.stop_is_told = ["stop-seconds", "stop-exit-code", "ignores-sigterm"]
        .iter()
        .any(|a| annotation(meta, name, a).is_some());
    if let Some(stop) = seconds(meta, name, "stop-seconds") {
        b.stops = Some((stop, 0));
    }
    if let Some(code) = integer(meta, name, "stop-exit-code") {
        b.stops = Some((b.stops.map_or(timings::STOP, |(t, _)| t), code));
    }
    match annotation(meta, name, "ignores-sigterm") {
        Some("true") => b.stops = None,
        Some("false") => b.stops = b.stops.or(Some((timings::STOP, 0))),
        _ => {}
    }
    if annotation(meta, name, "on-sigterm") == Some("drain")
        && let Some((stop, code)) = b.stops
    {
        let takes = seconds(meta, name, "answer-seconds").unwrap_or_default();
        let work = annotation(meta, name, "answer-cpu").and_then(|text| Amount::parse(text).ok());
        let work = SignedDuration::from_nanos(work.map_or(0, |cpu| cpu.scaled_value(-9)));
        b.stops = Some((stop.max(takes).max(work), code));
    }
    let limit = limits::of_container(pod.spec.as_deref(), resources, "memory");
    let said = annotation(meta, name, "memory").and_then(|m| Amount::parse(m).ok());
    let of_program = || own.uses.map(|uses| Amount::from_value(uses.memory, Format::BinarySI));
    if let (Some(wants), Some(limit)) = (said.or_else(of_program), limit)
        && wants > amount_of(Some(limit))
        && b.ends.is_none_or(|(t, _)| t >= timings::OUT_OF_MEMORY)
    {
        b.ends = Some((timings::OUT_OF_MEMORY, Exit { code: 137, out_of_memory: true }));
    }
    b
}

impl Behaviour {
    /// Whether a probe at the moment `at` passes, and when that changes next by itself.
    pub fn probe(
        &self,
        readiness: bool,
        liveness: bool,
        started: Timestamp,
        at: Timestamp,
    ) -> (bool, Option<Timestamp>) {
        let up = later(started, self.ready_after);
        if at < up {
            return (false, if readiness && !self.ready { None } else { Some(up) });
        }
        if readiness {
            return (self.ready, None);
        }
        match self.live_for.filter(|_| liveness) {
            Some(t) if at >= later(started, t) => (false, None),
            Some(t) => (true, Some(later(started, t))),
            None => (true, None),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const OWN: Own = Own { ends: None, stops: None, certain: true, uses: None };

    /// No rule of Kubernetes: docs/behaviour.md, "Annotations".
    #[test]
    fn an_annotation_of_one_container_comes_before_the_general_one() {
        let meta = ObjectMeta {
            annotations: Some(
                [("sim.steady/exit-code", "1"), ("sim.steady/exit-code.b", "2"), ("x", "y")]
                    .map(|(k, v)| (k.to_owned(), v.to_owned()))
                    .into(),
            ),
            ..Default::default()
        };
        let pod = Pod { metadata: meta.into(), ..Default::default() };
        let of =
            |name: &str| of(&pod, &Container { name: name.into(), ..Default::default() }, OWN).ends.unwrap();
        assert_eq!(of("a"), (SignedDuration::ZERO, Exit::code(1)));
        assert_eq!(of("b"), (SignedDuration::ZERO, Exit::code(2)));
    }
}
