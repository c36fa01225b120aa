//! What can mend a rollout that drops requests: changes of the workload that are tried.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::workload::{Replaced, Target, Workload, server};
use super::{Occasion, Tried};
use crate::api::types::{Container, IntOrString, LifecycleHandler};
use crate::api::yaml::to_yaml;
use crate::network::Because;
use crate::network::traffic::Cause;

/// How long a container waits before it stops, in seconds: longer than the EndpointSlices and the rules of all nodes take.
const WAITS: i64 = 5;
/// The grace period that leaves time for that and for what the program does then.
const GRACE: i64 = 30;
/// The longest sleep that is tried, in seconds.
const LONGEST: i64 = 120;

/// A change of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Mend {
    /// A readiness probe for the container that the requests are for: it connects to the port.
    ReadinessProbe,
    /// A preStop hook that sleeps, so that the container goes on to serve until no rule leads to it.
    PreStopSleep,
    /// The preStop hook that sleeps does so for longer: for so many seconds.
    LongerSleep(i64),
    /// The pod's grace period is longer (`terminationGracePeriodSeconds`), so that the hook and the answers under way come to their
    /// end before the container is killed: so many seconds.
    LongerGrace(i64),
    /// No pod is ended before another one is ready in its place (`maxUnavailable: 0`).
    NoneUnavailable,
    /// A new pod counts as available only after it has been ready for some time (`minReadySeconds`), so that the rules of all nodes
    /// lead to it before an old one is ended.
    MinReadySeconds,
    /// The program answers what it has begun before it ends (`sim.steady/on-sigterm: drain`). Kubernetes cannot give it that.
    Drain,
}

/// For how long a preStop hook sleeps, if it does nothing else: by its action, or by the command `sleep`.
fn sleeps(hook: &LifecycleHandler) -> Option<i64> {
    if let Some(sleep) = &hook.sleep {
        return Some(sleep.seconds);
    }
    let words = hook.exec.as_ref()?.command.as_ref()?;
    let words: Vec<&str> = match words.as_slice() {
        [shell, flag, script] if flag == "-c" && shell.ends_with("sh") => script.split_whitespace().collect(),
        words => words.iter().map(String::as_str).collect(),
    };
    match words.as_slice() {
        ["sleep" | "/bin/sleep" | "/usr/bin/sleep", seconds] => seconds.trim_end_matches('s').parse().ok(),
        _ => None,
    }
}

fn pre_stop(container: &Container) -> Option<&LifecycleHandler> {
    container.lifecycle.as_ref()?.pre_stop.as_ref()
}

/// The pod's grace period, in seconds.
fn grace(workload: &Workload) -> i64 {
    let spec = workload.template.spec.as_ref();
    spec.and_then(|s| s.termination_grace_period_seconds).unwrap_or(GRACE)
}

/// A grace period that leaves time for so many seconds of sleep and answers.
fn enough(seconds: i64) -> i64 {
    GRACE.max(seconds.saturating_add(2 * WAITS))
}

/// The changes that a workload does not have, and that can help against what was lost in a rollout.
pub fn candidates(workload: &Workload, target: &Target, occasion: Occasion, plain: &Tried) -> Vec<Mend> {
    let mut all = Vec::new();
    let lost = |is: fn(&Cause) -> bool| plain.losses.iter().any(|(cause, _)| is(cause));
    let server = server(&workload.template, target);
    if server.is_some_and(|c| c.readiness_probe.is_none()) {
        all.push(Mend::ReadinessProbe);
    }
    let hook = server.and_then(pre_stop);
    let asleep = hook.and_then(sleeps);
    match (hook, asleep) {
        (None, _) => all.extend(server.map(|_| Mend::PreStopSleep)),
        // One that sleeps for long enough for what is known is doubled.
        (_, Some(seconds)) if seconds < LONGEST => {
            let longer = if seconds < WAITS { WAITS } else { seconds.saturating_mul(2).min(LONGEST) };
            all.push(Mend::LongerSleep(longer));
        }
        _ => {}
    }
    // A container is killed when the grace period is over, whatever its hook and its program still do. The longest answer that came
    // says how long answers take at least.
    let answers = plain.took.map_or(0.0, |took| took.max.ceil()) as i64;
    let needs = asleep.unwrap_or(0).saturating_add(answers);
    let grace = grace(workload);
    if grace <= needs.saturating_add(1) {
        all.push(Mend::LongerGrace(enough(needs)));
    }
    // How pods are replaced by a rollout plays no part where they are evicted or are fewer.
    let rolls_out = matches!(occasion, Occasion::Rollout | Occasion::Restart | Occasion::Undo);
    if rolls_out && workload.replaced == Replaced::Roughly {
        all.push(Mend::NoneUnavailable);
    }
    // It helps where old pods have gone and the rules do not lead to the new ones yet, or these do not listen yet.
    let too_early = |cause: &Cause| {
        let because = match cause {
            Cause::Refused(because) | Cause::TimedOut(because) => *because,
            _ => return false,
        };
        matches!(because, Because::NoEndpoints | Because::NotListening | Because::NotRunning)
    };
    if rolls_out && i64::from(workload.min_ready) < WAITS && lost(too_early) {
        all.push(Mend::MinReadySeconds);
    }
    if lost(|cause| matches!(cause, Cause::Broken | Cause::Reset)) {
        all.push(Mend::Drain);
    }
    all
}

/// The seconds of sleep that a set of changes makes.
fn new_sleep(mends: &[Mend]) -> Option<i64> {
    mends.iter().find_map(|m| match m {
        Mend::PreStopSleep => Some(WAITS),
        Mend::LongerSleep(seconds) => Some(*seconds),
        _ => None,
    })
}

fn changed(container: &Container, target: &Target, mends: &[Mend]) -> Value {
    let mut out = Map::new();
    out.insert("name".into(), container.name.as_str().into());
    if mends.contains(&Mend::ReadinessProbe) {
        let port = match &target.target {
            IntOrString::Int(n) => Value::from(*n),
            IntOrString::String(name) => name.as_str().into(),
        };
        out.insert("readinessProbe".into(), json!({"tcpSocket": {"port": port}, "periodSeconds": 1}));
    }
    if let Some(seconds) = new_sleep(mends) {
        let mut hook = json!({"sleep": {"seconds": seconds}});
        // A hook has one handler: the command that slept goes.
        if pre_stop(container).is_some_and(|hook| hook.exec.is_some()) {
            hook["exec"] = Value::Null;
        }
        out.insert("lifecycle".into(), json!({"preStop": hook}));
    }
    Value::Object(out)
}

/// The grace period that a set of changes makes; `None` if they leave it.
fn new_grace(workload: &Workload, mends: &[Mend]) -> Option<i64> {
    let told =
        mends.iter().find_map(|m| if let Mend::LongerGrace(seconds) = m { Some(*seconds) } else { None });
    let sleep = new_sleep(mends);
    let for_sleep = sleep.filter(|seconds| grace(workload) <= seconds.saturating_add(WAITS)).map(enough);
    // What is told is made for the sleep that there was.
    told.max(for_sleep).max(told.and(sleep.map(enough)))
}

/// The strategic merge patch that makes changes of a workload.
pub fn patch(workload: &Workload, target: &Target, kind: &str, mends: &[Mend]) -> Value {
    let mut pod = Map::new();
    let server = server(&workload.template, target);
    let of_container =
        |m: &Mend| matches!(m, Mend::ReadinessProbe | Mend::PreStopSleep | Mend::LongerSleep(_));
    if mends.iter().any(of_container) {
        pod.insert("containers".into(), server.iter().map(|c| changed(c, target, mends)).collect());
    }
    if let Some(grace) = new_grace(workload, mends) {
        pod.insert("terminationGracePeriodSeconds".into(), grace.into());
    }
    let mut template = Map::new();
    if mends.contains(&Mend::Drain) {
        template.insert("metadata".into(), json!({"annotations": {"sim.steady/on-sigterm": "drain"}}));
    }
    if !pod.is_empty() {
        template.insert("spec".into(), Value::Object(pod));
    }
    let mut spec = Map::new();
    if mends.contains(&Mend::MinReadySeconds) {
        spec.insert("minReadySeconds".into(), WAITS.into());
    }
    if mends.contains(&Mend::NoneUnavailable) {
        let field = if kind == "DaemonSet" { "updateStrategy" } else { "strategy" };
        let mut rolling = json!({"maxUnavailable": 0});
        // Both cannot be 0; what the user has said of the surge stays.
        if workload.no_surge {
            rolling["maxSurge"] = 1.into();
        }
        spec.insert(field.into(), json!({"type": "RollingUpdate", "rollingUpdate": rolling}));
    }
    if !template.is_empty() {
        spec.insert("template".into(), Value::Object(template));
    }
    json!({"spec": spec})
}

/// The lines of a manifest that make changes of a workload; empty if no manifest makes them. What only the simulation knows is left out.
pub fn lines(workload: &Workload, target: &Target, kind: &str, mends: &[Mend]) -> String {
    let mends: Vec<Mend> = mends.iter().copied().filter(|m| *m != Mend::Drain).collect();
    if mends.is_empty() {
        return String::new();
    }
    let mut patch = patch(workload, target, kind, &mends);
    // In a manifest a field that is to go is left out.
    if let Some(containers) =
        patch.pointer_mut("/spec/template/spec/containers").and_then(Value::as_array_mut)
    {
        let hooks =
            containers.iter_mut().filter_map(|c| c.pointer_mut("/lifecycle/preStop")?.as_object_mut());
        hooks.for_each(|hook| hook.retain(|_, value| !value.is_null()));
    }
    to_yaml(&patch)
}
