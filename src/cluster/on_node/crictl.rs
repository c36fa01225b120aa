//! `crictl` (`sigs.k8s.io/cri-tools`, 1.34): what the container runtime of a node knows.
//!
//! The runtime is a part of the kubelet's memory here. Of a container's ended instances it keeps the last one, as the kubelet's
//! garbage collection leaves it.

use std::cmp::Reverse;

use super::super::Cluster;
use super::humanize::{ago, size, table};
use super::{Looked, NodeOutput};
use crate::api::types::{Pod, RuntimeClass};
use crate::api::{Key, Kind, ObjectRef, Timestamp, order};
use crate::kubelet::container_state::{ContainerRuntime, ContainerState};
use crate::kubelet::state::PodRuntime;
use crate::kubelet::{self, images};

/// How many digits of an id are shown.
const SHORT: usize = 13;

const BUILT: &str = "ps [-a] [-q] [--no-trunc] [-p POD-ID], pods [-q] [--no-trunc], images [-q] [--no-trunc], inspect CONTAINER-ID, inspectp POD-ID";

/// What is asked for.
#[derive(Default)]
struct Options<'a> {
    all: bool,
    quiet: bool,
    whole: bool,
    pod: Option<&'a str>,
}

impl<'a> Options<'a> {
    /// Reads options; an error is the one that is not built.
    fn read(words: &[&'a str], takes: &str) -> Result<Options<'a>, &'a str> {
        let mut options = Options::default();
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            match word {
                "-a" | "--all" if takes.contains('a') => options.all = true,
                "-aq" | "-qa" if takes.contains('a') => (options.all, options.quiet) = (true, true),
                "-q" | "--quiet" => options.quiet = true,
                "--no-trunc" => options.whole = true,
                "-p" | "--pod" if takes.contains('p') => options.pod = words.next(),
                other => return Err(other),
            }
        }
        Ok(options)
    }

    fn id(&self, id: &str) -> String {
        if self.whole { id.to_owned() } else { id.chars().take(SHORT).collect() }
    }

    /// An image's id: the algorithm is shown with the whole of it.
    fn image_id(&self, digits: &str) -> String {
        if self.whole { format!("sha256:{digits}") } else { self.id(digits) }
    }
}

pub(super) fn run(looked: &Looked<'_>, words: &[&str]) -> NodeOutput {
    let Looked { cluster, state, .. } = *looked;
    let (command, rest) = words.split_first().map_or(("", words), |(first, rest)| (*first, rest));
    match (command, rest) {
        ("inspect", [id]) if !id.starts_with('-') => return looked.container(id),
        ("inspectp", [id]) if !id.starts_with('-') => return looked.sandbox(id),
        ("inspect" | "inspectp", []) => {
            return NodeOutput::failed(1, "FATA[0000] ID cannot be empty\n");
        }
        _ => {}
    }
    let takes = if command == "ps" { "ap" } else { "" };
    let options = match Options::read(rest, takes) {
        Ok(options) => options,
        Err(other) => return NodeOutput::not_built("crictl", &format!("{command} {other}"), BUILT),
    };
    match command {
        "ps" => ps(cluster, state, &options),
        "pods" => pods(cluster, state, &options),
        "images" | "image" | "img" => all_images(state, &options),
        "" => NodeOutput::not_built("crictl", "no command", BUILT),
        other => NodeOutput::not_built("crictl", other, BUILT),
    }
}

/// An instance of a container.
pub(super) struct Instance<'a> {
    pub(super) id: &'a str,
    image: &'a str,
    pub(super) created: Timestamp,
    pub(super) state: &'static str,
    pub(super) attempt: i32,
}

pub(super) fn instances(container: &ContainerRuntime, now: Timestamp) -> Vec<Instance<'_>> {
    let attempt = container.restarts;
    let mut out = Vec::new();
    match &container.state {
        ContainerState::None => {}
        ContainerState::Created(i) => {
            out.push(Instance { id: &i.id, image: &i.image, created: now, state: "Created", attempt });
        }
        ContainerState::Running(r) => {
            let i = &r.instance;
            // A kubelet that is cut off has not heard yet that it has ended.
            let ended = r.ends.as_ref().is_some_and(|(at, _)| *at <= now);
            let state = if ended { "Exited" } else { "Running" };
            out.push(Instance { id: &i.id, image: &i.image, created: r.since, state, attempt });
        }
        ContainerState::Exited(e) => {
            let i = &e.instance;
            out.push(Instance { id: &i.id, image: &i.image, created: e.started, state: "Exited", attempt });
        }
    }
    if let Some(e) = container.kept_last() {
        let i = &e.instance;
        let attempt = attempt.saturating_sub(1).max(0);
        out.push(Instance { id: &i.id, image: &i.image, created: e.started, state: "Exited", attempt });
    }
    // Of an imported cluster it may not be known.
    out.retain(|i| !i.id.is_empty());
    out
}

/// The pods of which the runtime has a sandbox or containers.
pub(super) fn sandboxes(state: &kubelet::State) -> impl Iterator<Item = (&Key, &PodRuntime)> {
    let has_one = |rt: &PodRuntime| {
        rt.sandbox || rt.containers.iter().any(|c| !matches!(c.state, ContainerState::None))
    };
    state
        .pods
        .iter()
        .map(|(key, rt)| (key, &**rt))
        .filter(move |(_, rt)| !rt.deleted && !rt.removed && has_one(rt))
}

fn since(cluster: &Cluster, moment: Timestamp) -> String {
    ago(cluster.now().duration_since(moment))
}

fn ps(cluster: &Cluster, state: &kubelet::State, options: &Options<'_>) -> NodeOutput {
    let mut found = Vec::new();
    for (key, rt) in sandboxes(state) {
        let pod_id = images::sandbox_id(&rt.uid, 0);
        if options.pod.is_some_and(|wanted| !pod_id.starts_with(wanted)) {
            continue;
        }
        for container in &rt.containers {
            let all = instances(container, cluster.now());
            let shown = all.into_iter().filter(|i| options.all || i.state == "Running");
            found.extend(shown.map(|i| (key, pod_id.clone(), &*container.name, i)));
        }
    }
    order::sort_by_key(&mut found, |(.., i)| Reverse(i.created));
    if options.quiet {
        return NodeOutput::of(found.iter().map(|(.., i)| format!("{}\n", bare(i.id))).collect());
    }
    let head = ["CONTAINER", "IMAGE", "CREATED", "STATE", "NAME", "ATTEMPT", "POD ID", "POD", "NAMESPACE"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(found.iter().map(|(key, pod_id, name, i)| {
        vec![
            options.id(bare(i.id)),
            options.image_id(&images::config_digest(i.image)),
            since(cluster, i.created),
            i.state.to_owned(),
            (*name).to_owned(),
            i.attempt.to_string(),
            options.id(pod_id),
            key.name.to_string(),
            key.namespace.to_string(),
        ]
    }));
    NodeOutput::of(table(&rows))
}

/// A container's id as the runtime itself has it.
pub(super) fn bare(id: &str) -> &str {
    id.rsplit_once("://").map_or(id, |(_, id)| id)
}

fn pods(cluster: &Cluster, state: &kubelet::State, options: &Options<'_>) -> NodeOutput {
    let object = |key: &Key| {
        let at = ObjectRef { kind: Kind::POD, key: key.clone() };
        cluster.api().cached(&at).and_then(|o| o.get::<Pod>()).cloned()
    };
    let mut found = Vec::new();
    for (key, rt) in sandboxes(state) {
        let pod = object(key).or_else(|| rt.latest.clone());
        found.push((created(pod.as_deref(), rt, cluster.now()), key, rt, handler(cluster, pod.as_deref())));
    }
    order::sort_by_key(&mut found, |(created, ..)| Reverse(*created));
    let id = |rt: &PodRuntime| images::sandbox_id(&rt.uid, 0);
    if options.quiet {
        return NodeOutput::of(found.iter().map(|(_, _, rt, _)| format!("{}\n", id(rt))).collect());
    }
    let head = ["POD ID", "CREATED", "STATE", "NAME", "NAMESPACE", "ATTEMPT", "RUNTIME"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(found.iter().map(|(created, key, rt, handler)| {
        vec![
            options.id(&id(rt)),
            since(cluster, *created),
            if rt.sandbox { "Ready" } else { "NotReady" }.to_owned(),
            key.name.to_string(),
            key.namespace.to_string(),
            "0".to_owned(),
            handler.clone(),
        ]
    }));
    NodeOutput::of(table(&rows))
}

/// When a pod's sandbox was made: the kubelet began with the pod just before. Before it has said when, its first container
/// or the present moment has to do.
pub(super) fn created(pod: Option<&Pod>, rt: &PodRuntime, now: Timestamp) -> Timestamp {
    let status = pod.and_then(|p| p.status.as_ref());
    let begun = status.and_then(|s| s.start_time.as_ref()).map(|t| t.0);
    let first = || rt.containers.iter().filter_map(|c| Some(c.running()?.since)).min();
    begun.or_else(first).unwrap_or(now)
}

/// The handler of a pod's RuntimeClass.
pub(super) fn handler(cluster: &Cluster, pod: Option<&Pod>) -> String {
    let name = pod.and_then(|p| p.spec.as_ref()?.runtime_class_name.as_deref()).filter(|n| !n.is_empty());
    let class = name.and_then(|n| cluster.api().cached(&ObjectRef::new(Kind::RUNTIME_CLASS, "", n)));
    let class = class.and_then(|o| o.get::<RuntimeClass>());
    class.map_or_else(|| "(default)".to_owned(), |c| c.handler.clone())
}

fn all_images(state: &kubelet::State, options: &Options<'_>) -> NodeOutput {
    let mut found: Vec<(String, &str)> =
        state.node.images.keys().map(|image| (images::full_name(image), &**image)).collect();
    order::sort_by_key(&mut found, |(name, _)| name.clone());
    // Two references can mean the same image.
    found.dedup_by(|a, b| a.0 == b.0);
    if options.quiet {
        let ids = found.iter().map(|(_, image)| format!("sha256:{}\n", images::config_digest(image)));
        return NodeOutput::of(ids.collect());
    }
    let mut rows = vec![["IMAGE", "TAG", "IMAGE ID", "SIZE"].map(str::to_owned).to_vec()];
    rows.extend(found.iter().map(|(full, image)| {
        // An image that was pulled by its digest has no tag.
        let (name, tag) = match full.split_once('@') {
            Some((name, _)) => (name, "<none>"),
            None => full.rsplit_once(':').unwrap_or((full, "<none>")),
        };
        let id = options.image_id(&images::config_digest(image));
        vec![name.to_owned(), tag.to_owned(), id, size(images::size(image))]
    }));
    NodeOutput::of(table(&rows))
}
