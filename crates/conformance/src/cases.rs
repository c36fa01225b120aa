//! The `cases/`: scenarios that are run step by step, then judged by the facts of their recordings.
//!
//! The facts of a case are those of its `facts.json` ([`crate::facts`]) and, for each kubectl step, those of
//! [`crate::printed`].

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::facts::{Recorded, facts, left_out};
use crate::history;
use crate::normalise::Normaliser;
use crate::placeholders::substitute;
use crate::printed::Printed;
use crate::report::{Fact, Outcome, names, read};
use crate::system::{Factory, KubectlOutput, Op, Setup, System, Write};

/// A scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The name of its folder.
    pub name: String,
    /// The number of nodes.
    pub nodes: usize,
    /// Whether the names of nodes are compared.
    pub scheduling: bool,
    /// The second of the minute at which the case begins.
    pub start_second: u32,
    /// The steps.
    pub steps: Vec<Step>,
}

/// A step of a case. After each step that says so, the cluster runs until it is quiet.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A kubectl command line.
    Kubectl {
        /// The command line without `kubectl`, with placeholders.
        command: String,
        /// The command's standard input, with placeholders.
        stdin: Option<String>,
    },
    /// Time passes.
    Wait {
        /// The number of seconds.
        seconds: f64,
        /// Whether the cluster then runs until it is quiet.
        settle: bool,
    },
    /// One more node registers; its name.
    AddNode(String),
}

impl Case {
    /// Reads a case's `case.json`.
    ///
    /// # Errors
    /// If the file cannot be read, or the form of a step is unknown.
    pub fn load(folder: &Path, name: &str) -> Result<Case, String> {
        let text = read(&folder.join(name).join("case.json"))?;
        let case: Value = serde_json::from_str(&text).map_err(|e| format!("{name}: {e}"))?;
        let steps = case.get("steps").and_then(Value::as_array).into_iter().flatten();
        let number = |key: &str| case.get(key).and_then(Value::as_u64);
        Ok(Case {
            name: name.into(),
            nodes: number("nodes").and_then(|n| n.try_into().ok()).unwrap_or(3),
            start_second: number("start_second").and_then(|n| n.try_into().ok()).unwrap_or(20),
            scheduling: case.get("scheduling").and_then(Value::as_bool).unwrap_or(false),
            steps: steps
                .map(|s| step(s).ok_or_else(|| format!("{name}: unknown step {s}")))
                .collect::<Result<_, _>>()?,
        })
    }

    /// The namespace in which the case runs. The recorder had a namespace for each case and wrote it as `default`; here it
    /// is `default`, unless the case deletes it, which Kubernetes refuses for `default`.
    fn namespace(&self) -> &'static str {
        let deletes = |step: &Step| {
            matches!(step, Step::Kubectl { command, .. }
                if command.starts_with("delete n") && command.contains("{ns}"))
        };
        if self.steps.iter().any(deletes) { OWN_NAMESPACE } else { "default" }
    }

    /// Whether the case is about autoscalers, which act every 15 seconds: what they have done when a command reads it
    /// depends on the fraction of a second at which each command was given.
    fn is_about_autoscalers(&self) -> bool {
        self.name.starts_with("hpa-")
    }

    /// Whether the recorded cluster had the stand-in metrics server.
    fn has_metrics(&self) -> bool {
        self.is_about_autoscalers() && self.name != "hpa-no-metrics"
    }
}

fn step(value: &Value) -> Option<Step> {
    if let Some(command) = value.get("kubectl").and_then(Value::as_str) {
        let stdin = value.get("stdin").and_then(Value::as_str).map(str::to_owned);
        return Some(Step::Kubectl { command: command.into(), stdin });
    }
    if let Some(name) = value.get("node_add").and_then(Value::as_str) {
        return Some(Step::AddNode(name.into()));
    }
    let seconds = value.get("wait_s").and_then(Value::as_f64)?;
    Some(Step::Wait { seconds, settle: value.get("settle").and_then(Value::as_bool).unwrap_or(true) })
}

/// The writes that are compared: all but those that [`left_out`] names and the heartbeats of nodes.
pub fn relevant(writes: &[Write]) -> Vec<Write> {
    let mut nodes: std::collections::BTreeMap<String, Value> = std::collections::BTreeMap::new();
    let mut out = Vec::new();
    for w in writes.iter().filter(|w| !left_out(&w.object)) {
        if w.object.get("kind").and_then(Value::as_str) == Some("Node") {
            let name = w.object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or("").to_owned();
            let still = without_heartbeat(&w.object);
            let before = nodes.insert(name, still.clone());
            if w.op == Op::Modified && before.as_ref() == Some(&still) {
                continue;
            }
        }
        out.push(w.clone());
    }
    out
}

/// Cluster-scoped kinds that a history has only if its case is about them.
const CLUSTER_WIDE: [&str; 18] = [
    "APIService",
    "CSIDriver",
    "CSINode",
    "CertificateSigningRequest",
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "DeviceClass",
    "IPAddress",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "PriorityClass",
    "ResourceSlice",
    "ServiceCIDR",
    "StorageClass",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "VolumeAttachment",
];

/// The writes, without those of [`CLUSTER_WIDE`] kinds that the recording does not have.
fn about(writes: Vec<Write>, recorded: &[Write]) -> Vec<Write> {
    let kind = |w: &Write| w.object.get("kind").and_then(Value::as_str).unwrap_or("").to_owned();
    let told: BTreeSet<String> = recorded.iter().map(kind).collect();
    let counts = |kind: &str| told.contains(kind) || !CLUSTER_WIDE.contains(&kind);
    writes.into_iter().filter(|w| counts(&kind(w))).collect()
}

fn without_heartbeat(node: &Value) -> Value {
    let mut node = node.clone();
    if let Some(meta) = node.pointer_mut("/metadata").and_then(Value::as_object_mut) {
        meta.remove("resourceVersion");
        meta.remove("managedFields");
    }
    let conditions = node.pointer_mut("/status/conditions").and_then(Value::as_array_mut);
    for c in conditions.into_iter().flatten().filter_map(Value::as_object_mut) {
        c.remove("lastHeartbeatTime");
    }
    node
}

/// For each step the time of the last recorded write, in seconds since the case began. The recorder's pause
/// between two steps is part of the case; how long the cluster needed to become quiet depended on the load
/// of the recorder's machine.
fn last_writes(history: &str, steps: usize) -> Vec<f64> {
    let mut last = vec![0.0f64; steps + 1];
    for row in history.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok()) {
        let step = row.get("step").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        let t = row.get("t").and_then(Value::as_f64).unwrap_or(0.0);
        // A step without writes has the time of the step before it.
        for l in last.iter_mut().skip(step) {
            *l = l.max(t);
        }
    }
    last
}

/// For each step the time of the first recorded write by kubectl, in seconds since the case began. What a
/// controller does by the clock depends on the fraction of a second at which a command was given.
fn first_writes(history: &str, steps: usize) -> Vec<Option<f64>> {
    let mut first = vec![None; steps + 1];
    for row in history.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok()) {
        let step = row.get("step").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        let by_kubectl = row.get("by").and_then(Value::as_str) == Some("kubectl");
        if let Some(f) = first.get_mut(step).filter(|f| by_kubectl && f.is_none()) {
            *f = row.get("t").and_then(Value::as_f64);
        }
    }
    first
}

/// Runs the steps. Returns the output of each kubectl step, normalised.
fn play(
    case: &Case,
    folder: &Path,
    system: &mut dyn System,
    before: usize,
    start: f64,
) -> Vec<KubectlOutput> {
    let mut out = Vec::new();
    let history = std::fs::read_to_string(folder.join("history.jsonl")).unwrap_or_default();
    let ends = last_writes(&history, case.steps.len());
    let begins = first_writes(&history, case.steps.len());
    for (i, step) in case.steps.iter().enumerate() {
        if i > 0 {
            system.pause_until(start + ends.get(i).copied().unwrap_or(0.0) + AFTER_LAST_WRITE);
            let begin = begins.get(i + 1).copied().flatten();
            if let Some(begin) = begin.filter(|_| case.is_about_autoscalers()) {
                system.pause_until(start + begin + ROUNDED);
            }
        }
        match step {
            Step::Kubectl { command, stdin } => {
                let since = system.writes().get(before..).unwrap_or(&[]);
                // The recorder used a namespace for each case and named it in each command.
                let namespace = case.namespace();
                let command = format!("-n {namespace} {}", substitute(command, namespace, since));
                let stdin = stdin.as_ref().map(|text| substitute(text, namespace, since));
                let given = system.now();
                let printed = system.kubectl(&command, folder, stdin.as_deref());
                let since = system.writes().get(before..).unwrap_or(&[]);
                let mut normaliser = Normaliser::new(namespace, start);
                since.iter().filter(|w| w.op == Op::Added).for_each(|w| normaliser.learn(&w.object));
                out.push(KubectlOutput {
                    exit: printed.exit,
                    stdout: normaliser.table(&printed.stdout),
                    stderr: normaliser.table(&printed.stderr),
                });
                // The recorder waited two seconds after every command, also after one that only reads.
                if case.is_about_autoscalers() {
                    system.pause_until(given + AFTER_COMMAND);
                }
                system.settle();
            }
            Step::Wait { seconds, settle } => {
                system.wait(*seconds);
                if *settle {
                    system.settle();
                }
            }
            Step::AddNode(name) => {
                system.add_node(name);
                system.settle();
            }
        }
    }
    system.pause_until(start + ends.last().copied().unwrap_or(0.0) + AFTER_LAST_WRITE);
    out
}

/// The namespace of a case that deletes its namespace.
pub const OWN_NAMESPACE: &str = "namespace-of-the-case";

/// The writes as the recorder shows them: in the namespace `default`.
fn in_default(namespace: &str, writes: Vec<Write>) -> Vec<Write> {
    if namespace == "default" {
        return writes;
    }
    let shown = |w: Write| {
        let text = w.object.to_string().replace(namespace, "default");
        Write { object: serde_json::from_str(&text).unwrap_or(w.object), ..w }
    };
    writes.into_iter().map(shown).collect()
}

/// A step begins at least this many seconds after the last write recorded before it.
const AFTER_LAST_WRITE: f64 = 0.5;

/// The next step begins at least this many seconds after a command.
const AFTER_COMMAND: f64 = 2.0;
/// The times of a history have one digit after the point; a step begins at the latest moment that one stands for, so
/// that it does not begin in the second before.
const ROUNDED: f64 = 0.05;

/// Runs one case.
///
/// # Errors
/// If its files cannot be read.
pub fn run_one(folder: &Path, name: &str, factory: &Factory<'_>) -> Result<Outcome, String> {
    let case = Case::load(folder, name)?;
    let at = folder.join(name);
    let recorded: Value =
        serde_json::from_str(&read(&at.join("facts.json"))?).map_err(|e| format!("{name}: {e}"))?;
    let printed: Vec<Printed> = read(&at.join("kubectl.jsonl"))?
        .lines()
        .filter_map(|l| serde_json::from_str(l).ok())
        .map(|row: Value| Printed::from_value(&row))
        .collect();
    let setup = Setup {
        nodes: case.nodes,
        scheduling: case.scheduling,
        seconds_past_minute: case.start_second,
        metrics: case.has_metrics(),
        ..Setup::default()
    };
    let run = crate::guarded(|| {
        let mut system = factory(&setup);
        let namespace = case.namespace();
        if namespace != "default" {
            system.kubectl(&format!("create namespace {namespace}"), &at, None);
            system.settle();
        }
        let (before, start) = (system.writes().len(), system.now().floor());
        let outputs = play(&case, &at, system.as_mut(), before, start);
        // The writes of the set-up are known, but not counted.
        let writes = in_default(namespace, system.writes().to_vec());
        let kept = relevant(&writes);
        let skipped = relevant(writes.get(..before).unwrap_or(&[])).len();
        (kept.get(skipped..).unwrap_or(&[]).to_vec(), outputs, start)
    });
    let recorded = Recorded::from_value(&recorded);
    let wanted: Vec<Write> = history::history(&at)?.into_iter().map(|r| r.write).collect();
    let (writes, outputs, start, panic) = match run {
        Ok((w, o, s)) => (about(w, &wanted), o, s, None),
        Err(e) => (Vec::new(), Vec::new(), 0.0, Some(e)),
    };
    let mut out = recorded.compare(&facts(&writes, case.scheduling, start));
    for (i, p) in printed.iter().enumerate() {
        let label = format!("{} {}", i + 1, p.command);
        match outputs.get(i) {
            Some(have) => out.extend(p.compare(&label, have, case.scheduling)),
            None => {
                let have = KubectlOutput { exit: i32::MIN, stdout: "\0".into(), stderr: "\0".into() };
                out.extend(p.compare(&label, &have, case.scheduling));
            }
        }
    }
    if let Some(panic) = panic {
        out.insert(0, Fact { part: "panic", name: String::new(), recorded: false, difference: Some(panic) });
    }
    let notes = history::causal(&wanted, &writes);
    Ok(Outcome { name: format!("cases/{name}"), facts: out, notes, ..Outcome::default() })
}

/// Runs every case whose name begins with `filter`.
///
/// # Errors
/// If a file cannot be read.
pub fn run(folder: &Path, filter: &str, factory: &Factory<'_>) -> Result<Vec<Outcome>, String> {
    let all = names(folder)?;
    let wanted: Vec<&String> = all.iter().filter(|n| n.starts_with(filter)).collect();
    crate::parallel::each(&wanted, |name| run_one(folder, name, factory))
}
