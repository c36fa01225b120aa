//! How a simulated container behaves. Its pod's manifest says so: by the container's command, and by
//! annotations of the pod in the namespace `sim.steady/`.
//!
//! The commands that are understood (`command` followed by `args`, as the runtime runs them):
//!
//! | command | what the container does |
//! | --- | --- |
//! | `["sleep", "5"]`, `["sleep", "1m"]`, `["sleep", "infinity"]` | runs that long, exits with 0 |
//! | `["true"]`, `["false"]` | exits at once with 0 or 1 |
//! | `["sh", "-c", "…"]` (`bash`, `ash`) with `sleep N`, `exit N`, `true`, `false`, `echo …`, `:` joined by `;` or `&&` | one after the other |
//! | anything else, or none | runs for ever; an init container that is no sidecar one second, exits with 0 |
//!
//! A container with one of these commands has it as process 1, without a signal handler: SIGTERM does
//! nothing, and SIGKILL ends it after the grace period with 137. All other containers end on SIGTERM.
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
//! | `sim.steady/image-pull` | `fail`, `fail: message` or seconds | its image cannot be pulled, or how long the pull takes |
//! | `sim.steady/start-seconds` | seconds | the time from its creation to its start |
//! | `sim.steady/ignores-sigterm` | `"true"` or `"false"` | whether it runs on after SIGTERM until it is killed |
//! | `sim.steady/stop-seconds` | seconds | the time from SIGTERM to its end |
//! | `sim.steady/stop-exit-code` | integer | its exit code when it ends on SIGTERM |
//!
//! The handlers of `exec` hooks and probes are parsed in the same way: `sleep 5` takes five seconds, `false`
//! fails. A command that is not understood succeeds at once as a hook; as a probe it does what the
//! annotations say.

use jiff::SignedDuration;

use super::timings::{self, later};
use crate::api::quantity::amount_of;
use crate::api::types::{Container, ObjectMeta, Pod};
use crate::api::{MetaExt, Timestamp, quantity::Amount};

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
    duration(annotation(meta, container, what)?)
}

fn integer(meta: &ObjectMeta, container: &str, what: &str) -> Option<i32> {
    annotation(meta, container, what)?.parse().ok()
}

/// Parses a duration as `sleep` does: `5`, `0.5`, `5s`, `1m`, `2h`, `1d`. Longer ones than a century count
/// as one, so that no sum of times overflows.
fn duration(text: &str) -> Option<SignedDuration> {
    let (number, unit) = match text.char_indices().last()? {
        (at, 's') => (&text[..at], 1.0),
        (at, 'm') => (&text[..at], 60.0),
        (at, 'h') => (&text[..at], 3600.0),
        (at, 'd') => (&text[..at], 86400.0),
        _ => (text, 1.0),
    };
    if !number.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return None;
    }
    let n: f64 = number.parse().ok()?;
    let millis = (n * unit * 1000.0).clamp(0.0, 3.2e12);
    Some(SignedDuration::from_millis(millis as i64))
}

/// How long a command runs (`None`: for ever) and its exit code. `None` if the command is not understood.
pub fn parse_command(words: &[String]) -> Option<(Option<SignedDuration>, i32)> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [shell, "-c", script, ..] if matches!(base_name(shell), "sh" | "bash" | "ash") => run_script(script),
        _ => simple(&words).map(|s| (s.time, s.code)),
    }
}

struct Ran {
    time: Option<SignedDuration>,
    code: i32,
    /// Whether the script ends with this command.
    exits: bool,
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Whether a command prints something that does not depend on any file, and ends with 0.
fn prints(name: &str, rest: &[&str]) -> bool {
    match name {
        "echo" | "printf" | "printenv" | "date" | "hostname" | "id" | "whoami" | "pwd" | "uname" | "ls" => {
            true
        }
        // With arguments `env` runs another command.
        "env" => rest.is_empty(),
        _ => false,
    }
}

fn simple(words: &[&str]) -> Option<Ran> {
    let at_once = |code, exits| Some(Ran { time: Some(SignedDuration::ZERO), code, exits });
    match words {
        [sleep, "infinity" | "inf"] if base_name(sleep) == "sleep" => {
            Some(Ran { time: None, code: 0, exits: false })
        }
        [sleep, times @ ..] if base_name(sleep) == "sleep" && !times.is_empty() => {
            let mut time = SignedDuration::ZERO;
            for t in times {
                time = time.saturating_add(duration(t)?);
            }
            Some(Ran { time: Some(time), code: 0, exits: false })
        }
        [word] if matches!(base_name(word), "true" | ":") => at_once(0, false),
        [word] if base_name(word) == "false" => at_once(1, false),
        [word, rest @ ..] if prints(base_name(word), rest) => at_once(0, false),
        ["exit"] => at_once(0, true),
        ["exit", code] => at_once(code.parse::<i32>().ok()? & 0xff, true),
        _ => None,
    }
}

fn run_script(script: &str) -> Option<(Option<SignedDuration>, i32)> {
    let mut time = SignedDuration::ZERO;
    let mut code = 0;
    for line in script.split([';', '\n']).filter(|s| !s.trim().is_empty()) {
        let mut skip = false;
        for part in line.split("&&") {
            let words: Vec<&str> = part.split_whitespace().collect();
            let ran = simple(&words)?;
            if skip {
                continue;
            }
            let Some(t) = ran.time else { return Some((None, 0)) };
            time = time.saturating_add(t);
            code = ran.code;
            if ran.exits {
                return Some((Some(time), code));
            }
            skip = code != 0;
        }
    }
    Some((Some(time), code))
}

/// Whether a container is an init container other than a sidecar, so that others wait for its end.
fn is_init(pod: &Pod, container: &str) -> bool {
    let inits = pod.spec.as_ref().and_then(|s| s.init_containers.as_deref()).unwrap_or_default();
    inits.iter().any(|c| c.name == container && c.restart_policy.as_deref() != Some("Always"))
}

/// The behaviour of a container, from its command and its pod's annotations.
pub fn of(pod: &Pod, container: &Container) -> Behaviour {
    let (meta, name) = (&pod.metadata, container.name.as_str());
    // Without `command` the runtime runs the image's entrypoint with `args`. Nobody knows entrypoints here: images are
    // taken to have none, as those of busybox, alpine and debian, so that `args` are the command.
    let command: Vec<String> =
        container.command.iter().flatten().chain(container.args.iter().flatten()).cloned().collect();
    let parsed = parse_command(&command);
    let ends = match parsed {
        Some((time, code)) => time.map(|t| (t, Exit::code(code))),
        None => is_init(pod, name).then_some((timings::INIT, Exit::code(0))),
    };
    let mut b = Behaviour {
        ends,
        ready_after: SignedDuration::ZERO,
        ready: true,
        live_for: None,
        stops: if parsed.is_some() { None } else { Some((timings::STOP, 0)) },
    };
    let ours = |k: &String| k.starts_with(NAMESPACE);
    if !meta.annotations.iter().flatten().any(|(k, _)| ours(k)) {
        return b;
    }
    let (run, code) = (seconds(meta, name, "run-seconds"), integer(meta, name, "exit-code"));
    if run.is_some() || code.is_some() {
        let by_command = parsed.and_then(|(time, _)| time).unwrap_or_default();
        b.ends = Some((run.unwrap_or(by_command), Exit::code(code.unwrap_or(0))));
    }
    b.ready_after = seconds(meta, name, "ready-after-seconds").unwrap_or_default();
    b.ready = annotation(meta, name, "ready") != Some("false");
    b.live_for = seconds(meta, name, "live-for-seconds");
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
    let limit = container.resources.as_ref().and_then(|r| r.limits.as_ref()?.get("memory"));
    if let (Some(m), Some(limit)) = (annotation(meta, name, "memory"), limit)
        && let Ok(wants) = Amount::parse(m)
        && wants > amount_of(Some(limit))
        && b.ends.is_none_or(|(t, _)| t > timings::OUT_OF_MEMORY)
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

    fn parse(words: &[&str]) -> Option<(Option<i64>, i32)> {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        parse_command(&words).map(|(t, c)| (t.map(|t| t.as_secs()), c))
    }

    #[test]
    fn commands() {
        for (words, want) in [
            (&["sleep", "5"][..], Some((Some(5), 0))),
            (&["/bin/sleep", "1m"], Some((Some(60), 0))),
            (&["sleep", "infinity"], Some((None, 0))),
            (&["true"], Some((Some(0), 0))),
            (&["/bin/false"], Some((Some(0), 1))),
            (&["sh", "-c", "exit 3"], Some((Some(0), 3))),
            (&["sh", "-c", "sleep 5; exit 1"], Some((Some(5), 1))),
            (&["/bin/sh", "-c", "echo hello && sleep 2 && false"], Some((Some(2), 1))),
            (&["sh", "-c", "false && sleep 9; sleep 1"], Some((Some(1), 0))),
            (&["sh", "-c", "sleep infinity; exit 1"], Some((None, 0))),
            (&["sh", "-c", "while true; do sleep 1; done"], None),
            (&["nginx", "-g", "daemon off;"], None),
            (&["env"], Some((Some(0), 0))),
            (&["/usr/bin/env", "nginx"], None),
            (&["/bin/printenv", "HOSTNAME"], Some((Some(0), 0))),
            (&["sh", "-c", "date && sleep 3"], Some((Some(3), 0))),
            (&["cat", "/tmp/healthy"], None),
            (&["sleep", "-5"], None),
            (&["sleep", "é"], None),
            (&[], None),
        ] {
            assert_eq!(parse(words), want, "{words:?}");
        }
    }

    #[test]
    fn args_alone_are_the_command() {
        let words = |words: &[&str]| Some(words.iter().map(|w| (*w).to_owned()).collect());
        let ends = |command: &[&str], args: &[&str]| {
            let container = Container { command: words(command), args: words(args), ..Default::default() };
            of(&Pod::default(), &container).ends
        };
        assert_eq!(ends(&[], &["false"]), Some((SignedDuration::ZERO, Exit::code(1))));
        assert_eq!(ends(&["sh", "-c"], &["exit 3"]), Some((SignedDuration::ZERO, Exit::code(3))));
        assert_eq!(ends(&[], &["--port=80"]), None);
        assert_eq!(ends(&["nginx"], &["false"]), None);
    }

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
        let pod = Pod { metadata: meta, ..Default::default() };
        let of = |name: &str| of(&pod, &Container { name: name.into(), ..Default::default() }).ends.unwrap();
        assert_eq!(of("a"), (SignedDuration::ZERO, Exit::code(1)));
        assert_eq!(of("b"), (SignedDuration::ZERO, Exit::code(2)));
    }

    #[test]
    fn init_containers_come_to_an_end_and_sidecars_do_not() {
        let container = |name: &str, command: &[&str], policy: Option<&str>| Container {
            name: name.into(),
            command: Some(command.iter().map(|w| (*w).to_owned()).collect()),
            restart_policy: policy.map(str::to_owned),
            ..Default::default()
        };
        let inits = vec![
            container("migrate", &["./migrate"], None),
            container("never", &["sleep", "infinity"], None),
            container("proxy", &["envoy"], Some("Always")),
        ];
        let spec = crate::api::types::PodSpec {
            containers: vec![container("app", &["./app"], None)],
            init_containers: Some(inits.clone()),
            ..Default::default()
        };
        let pod = Pod { spec: Some(spec.into()), ..Default::default() };
        let ends = |c: &Container| of(&pod, c).ends;
        assert_eq!(ends(&inits[0]), Some((timings::INIT, Exit::code(0))));
        assert_eq!(ends(&inits[1]), None);
        assert_eq!(ends(&inits[2]), None);
        assert_eq!(ends(&pod.spec.as_ref().unwrap().containers[0]), None);
    }
}
