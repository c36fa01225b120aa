//! What can mend a rollout that drops requests: changes of the workload that are tried.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::workload::{Replaced, Target, Workload, server};
use crate::api::types::{Container, IntOrString};
use crate::network::traffic::Cause;

/// How long a container waits before it stops, in seconds: longer than the EndpointSlices and the rules of all nodes take.
const WAITS: i64 = 5;
/// The grace period that leaves time for that and for what the program does then.
const GRACE: i64 = 30;

/// A change of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Mend {
    /// A readiness probe for the container that the requests are for: it connects to the port.
    ReadinessProbe,
    /// A preStop hook that sleeps, so that the container goes on to serve until no rule leads to it.
    PreStopSleep,
    /// No pod is ended before another one is ready in its place (`maxUnavailable: 0`).
    NoneUnavailable,
    /// The program answers what it has begun before it ends (`sim.steady/on-sigterm: drain`). Kubernetes cannot give it that.
    Drain,
}

/// The changes that a workload does not have, and that can help against what was lost.
pub fn candidates(workload: &Workload, target: &Target, losses: &[(Cause, u64)]) -> Vec<Mend> {
    let mut all = Vec::new();
    let server = server(&workload.template, target);
    if server.is_some_and(|c| c.readiness_probe.is_none()) {
        all.push(Mend::ReadinessProbe);
    }
    if server.is_some_and(|c| c.lifecycle.as_ref().is_none_or(|l| l.pre_stop.is_none())) {
        all.push(Mend::PreStopSleep);
    }
    if workload.replaced == Replaced::Roughly {
        all.push(Mend::NoneUnavailable);
    }
    if losses.iter().any(|(cause, _)| matches!(cause, Cause::Broken | Cause::Reset)) {
        all.push(Mend::Drain);
    }
    all
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
    if mends.contains(&Mend::PreStopSleep) {
        out.insert("lifecycle".into(), json!({"preStop": {"sleep": {"seconds": WAITS}}}));
    }
    Value::Object(out)
}

/// The strategic merge patch that makes changes of a workload.
pub fn patch(workload: &Workload, target: &Target, kind: &str, mends: &[Mend]) -> Value {
    let mut pod = Map::new();
    let server = server(&workload.template, target);
    pod.insert("containers".into(), server.iter().map(|c| changed(c, target, mends)).collect());
    let spec = workload.template.spec.as_ref();
    let grace = spec.and_then(|s| s.termination_grace_period_seconds).unwrap_or(GRACE);
    if mends.contains(&Mend::PreStopSleep) && grace <= 2 * WAITS {
        pod.insert("terminationGracePeriodSeconds".into(), GRACE.into());
    }
    let mut template = json!({"spec": pod});
    if mends.contains(&Mend::Drain) {
        template["metadata"] = json!({"annotations": {"sim.steady/on-sigterm": "drain"}});
    }
    let mut spec = json!({"template": template});
    if mends.contains(&Mend::NoneUnavailable) {
        let field = if kind == "DaemonSet" { "updateStrategy" } else { "strategy" };
        let rolling = json!({"maxUnavailable": 0, "maxSurge": 1});
        spec[field] = json!({"type": "RollingUpdate", "rollingUpdate": rolling});
    }
    json!({"spec": spec})
}
