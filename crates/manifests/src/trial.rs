//! One manifest in a new cluster.

use jiff::SignedDuration;
use serde_json::Value;
use steady::api::ip_family::IpFamily;
use steady::api::yaml::{self, Limits};
use steady::cluster::Stopped;
use steady::session::{Depth, Session, Start};

/// How many commands a trial may take: a manifest that makes thousands of pods is cut off there.
const COMMANDS: usize = 200_000;

/// What came of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// kubectl or the API server refused it as a whole or in part, with this message.
    Refused(String),
    /// It was applied, and everything in it is as declared.
    Up,
    /// It was applied, and these objects wait for something: each as `kubectl get` shows it.
    Waits(Vec<String>),
}

/// A manifest and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The kinds of its objects, each once, in their order.
    pub kinds: Vec<String>,
    /// What came of it.
    pub outcome: Outcome,
}

/// The clusters in which manifests are tried.
#[derive(Clone, Copy, Debug)]
pub struct Clusters {
    /// For how much of its time a cluster runs.
    pub time: SignedDuration,
    /// The address families that it has.
    pub ip_family: IpFamily,
}

/// Applies a manifest to a new cluster of three nodes, and lets the cluster run.
pub fn try_manifest(text: &str, clusters: Clusters) -> Trial {
    let Clusters { time, ip_family } = clusters;
    let mut session = Session::new(Start { nodes: 3, ip_family, ..Start::default() });
    run(&mut session, SignedDuration::ZERO);
    let fresh = waiting(&mut session);
    let objects = objects(text);
    // An object that asks for a generated name can be created and not applied.
    let generated = |o: &Value| o.pointer("/metadata/generateName").is_some();
    let verb = if objects.iter().any(generated) { "create" } else { "apply" };
    let done = session.kubectl(&format!("{verb} -f manifest.yaml"), &[("manifest.yaml", text)]);
    run(&mut session, time);
    let outcome = if done.exit != 0 {
        Outcome::Refused(done.stderr.trim().to_owned())
    } else {
        let mut waits = waiting(&mut session);
        waits.retain(|line| !fresh.contains(line));
        if waits.is_empty() { Outcome::Up } else { Outcome::Waits(waits) }
    };
    Trial { kinds: kinds(&objects), outcome }
}

/// The objects of a manifest: its documents, and the items of its lists. A text that is no YAML has none.
fn objects(text: &str) -> Vec<Value> {
    let documents = yaml::documents(text, &Limits::default()).unwrap_or_default();
    let items = |object: Value| match object.get("items").and_then(Value::as_array) {
        Some(items) => items.clone(),
        None => vec![object],
    };
    documents.into_iter().flat_map(|d| items(d.value)).collect()
}

/// The kinds of objects, each once, in their order.
fn kinds(objects: &[Value]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for kind in objects.iter().filter_map(|o| o.get("kind")?.as_str()) {
        if !out.iter().any(|k| k == kind) {
            out.push(kind.to_owned());
        }
    }
    out
}

/// Lets the cluster run until so much of its time has passed, or until nothing happens any more.
fn run(session: &mut Session, time: SignedDuration) {
    let end = session.now().checked_add(time).unwrap_or(session.now());
    for _ in 0..COMMANDS {
        let step = match session.try_step(Depth::Command, None) {
            Err(Stopped::Idle) if session.now() < end => session.to_schedule(Depth::Command),
            step => step,
        };
        if step.is_err() || session.now() > end {
            return;
        }
    }
}

/// The objects that are not as they should be, each in the words of `kubectl get`.
fn waiting(session: &mut Session) -> Vec<String> {
    let mut out = Vec::new();
    let mut look = |what: &str, columns: usize, fine: &dyn Fn(&[&str]) -> Option<String>| {
        let table = session.kubectl(&format!("get {what} --all-namespaces --no-headers"), &[]).stdout;
        for line in table.lines() {
            let cells: Vec<&str> = line.split_whitespace().collect();
            if cells.len() >= columns
                && let Some(state) = fine(&cells)
            {
                let kind = what.split_whitespace().next().unwrap_or_default();
                out.push(format!("{kind} {}: {state}", cells[1]));
            }
        }
    };
    // A number of what is there of what is wanted, as in `2/3`.
    let whole = |of: &str| of.split_once('/').is_some_and(|(have, want)| have == want);
    look("pod", 4, &|c| {
        let fine = matches!(c[3], "Completed" | "Terminating") || (c[3] == "Running" && whole(c[2]));
        (!fine).then(|| if c[3] == "Running" { format!("{} ready", c[2]) } else { c[3].to_owned() })
    });
    look("persistentvolumeclaim", 3, &|c| (c[2] != "Bound").then(|| c[2].to_owned()));
    for kind in ["deployment", "statefulset"] {
        look(kind, 3, &|c| (!whole(c[2])).then(|| format!("{} ready", c[2])));
    }
    for kind in ["replicaset", "daemonset"] {
        look(kind, 5, &|c| (c[2] != c[4]).then(|| format!("{}/{} ready", c[4], c[2])));
    }
    // The first two columns are alike, because a definition has no namespace.
    const NAME: &str = ".metadata.name";
    const ESTABLISHED: &str = r#".status.conditions[?(@.type=="Established")].status"#;
    let definitions = format!("crd -o 'custom-columns=A:{NAME},B:{NAME},C:{ESTABLISHED}'");
    look(&definitions, 3, &|c| (c[2] != "True").then(|| "not established".to_owned()));
    look("job", 4, &|c| {
        (c[2] == "Failed" || !whole(c[3])).then(|| format!("{}, {} completions", c[2], c[3]))
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(text: &str) -> Trial {
        try_manifest(text, Clusters { time: SignedDuration::from_mins(2), ip_family: IpFamily::default() })
    }

    #[test]
    fn a_manifest_is_up_or_waits_or_is_refused() {
        let pod = |image: &str| {
            format!(
                "{{apiVersion: v1, kind: Pod, metadata: {{name: a}}, spec: {{containers: [{{name: c, image: {image}}}]}}}}"
            )
        };
        assert_eq!(trial(&pod("nginx")), Trial { kinds: vec!["Pod".into()], outcome: Outcome::Up });
        let waits = Outcome::Waits(vec!["pod a: ImagePullBackOff".into()]);
        assert_eq!(trial(&pod("\"nginx:missing\"")).outcome, waits);
        let Outcome::Refused(why) = trial(&pod("\" \"")).outcome else { panic!("a blank image was taken") };
        assert!(why.contains("spec.containers[0].image"), "{why}");
    }

    #[test]
    fn a_definition_that_is_not_established_is_told() {
        let definition = |kind: &str, plural: &str| {
            format!(
                "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{plural: {plural}, kind: {kind}}}
  versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}]
---
"
            )
        };
        assert_eq!(trial(&definition("Widget", "widgets")).outcome, Outcome::Up);
        let twice = format!("{}{}", definition("Widget", "widgets"), definition("Widget", "gadgets"));
        let waits = vec!["crd gadgets.example.com: not established".to_owned()];
        assert_eq!(trial(&twice).outcome, Outcome::Waits(waits));
    }

    #[test]
    fn a_generated_name_is_created() {
        let job = "apiVersion: batch/v1
kind: Job
metadata: {generateName: a-}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox, command: [\"false\"]}]}}}
";
        let Outcome::Waits(waits) = trial(job).outcome else { panic!("a job that fails is not up") };
        assert!(waits.iter().any(|w| w.starts_with("job a-")), "{waits:?}");
    }
}
