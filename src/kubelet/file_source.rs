//! The pods that a kubelet has from files: static pods (`pkg/kubelet/config/file.go`, `file_linux.go`, `common.go`,
//! `config.go`); and how they come together with those of a URL ([`http_source`](super::http_source)).
//!
//! A node has a directory of manifests, each of which is a pod. The directory is on the node's disk, so it outlives the
//! kubelet; whoever puts a file there or removes one does so on the node, past the API server. The kubelet watches the
//! directory and reads it whole after a change.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::http_source;
use super::manifest::{ManifestChange, pending};
use super::state::State;
use super::task::{Cx, Kubelet, Task};
use super::turn::Turn;
use crate::api::persistent::Map;
use crate::api::types::{Pod, PodStatus};
use crate::api::well_known::{CONFIG_SEEN_ANNOTATION, CONFIG_SOURCE_ANNOTATION};
use crate::api::{Key, MetaExt, Shared, Timestamp};
use crate::client::Handler;

/// Notes a change of the directory, of which the kubelet hears at once (inotify).
pub(super) fn note(cx: &mut Handler<'_, State, Task>, node: &Rc<str>, change: &ManifestChange) {
    match &change.manifest {
        Some(manifest) => {
            cx.state.manifests.insert(change.file.clone(), Rc::new(manifest.clone()));
        }
        None => {
            cx.state.manifests.remove(&change.file);
        }
    }
    cx.enqueue(Task::Manifests(node.clone()));
}

/// The pods of the files. Of two files with the same pod the last one by name counts. Files whose names begin with a dot are
/// no manifests.
fn extract_from_dir(state: &State, now: Timestamp) -> BTreeMap<Key, Rc<Pod>> {
    let mut all = BTreeMap::new();
    for (_, manifest) in state.manifests.iter().filter(|(file, _)| !file.starts_with('.')) {
        let Ok(pod) = &manifest.pod else { continue };
        all.insert(pod.metadata.key(), seen_from(state, pod, "file", now));
    }
    all
}

/// A pod as the kubelet has it from a source, with the moment at which it has seen it first.
fn seen_from(state: &State, pod: &Pod, source: &str, now: Timestamp) -> Rc<Pod> {
    let known = state.static_pods.get(&pod.metadata.key());
    let known = known.filter(|known| known.metadata.uid == pod.metadata.uid);
    let seen = known.and_then(|k| k.metadata.annotation(CONFIG_SEEN_ANNOTATION));
    let seen = seen.map_or_else(|| now.to_string(), str::to_owned);
    let mut pod = pod.clone();
    let annotations = pod.metadata.annotations.get_or_insert_default();
    annotations.insert(CONFIG_SOURCE_ANNOTATION.into(), source.into());
    annotations.insert(CONFIG_SEEN_ANNOTATION.into(), seen);
    Rc::new(pod)
}

/// The pods of the files and of the URL. A pod that both have comes from the file.
fn extract(state: &State, now: Timestamp) -> BTreeMap<Key, Rc<Pod>> {
    let mut all = extract_from_dir(state, now);
    for (key, pod) in state.url.iter().flat_map(|url| &*url.pods) {
        all.entry(key.clone()).or_insert_with(|| seen_from(state, pod, http_source::SOURCE, now));
    }
    all
}

impl Kubelet {
    /// Reads the directory of manifests, and looks what the URL has brought. Each pod that is new, gone, or another one than before gets a turn.
    pub(super) fn read_manifests(&self, cx: &Cx) {
        let (read, known) = cx.state(|s| (extract(s, cx.now()), s.static_pods.clone()));
        let differs = |key: &&Key| read.get(*key) != known.get(*key);
        let mut changed: Vec<Key> = read.keys().chain(known.keys()).filter(differs).cloned().collect();
        crate::api::order::sort(&mut changed);
        changed.dedup();
        let static_pods: Map<Key, Rc<Pod>> = read.into_iter().collect();
        let keys = changed.clone();
        cx.update_state(move |s| {
            s.static_pods = static_pods.clone();
            for key in &keys {
                note_manifest(s, key);
            }
        });
        for key in changed {
            cx.enqueue(Task::Pod(key));
        }
    }
}

/// Tells a static pod's worker what has become of its manifest: another uid is another pod, for which this one ends.
fn note_manifest(state: &mut State, key: &Key) {
    let wanted = state.static_pods.get(key).cloned();
    let Some(rt) = state.pods.get_mut(key).map(Rc::make_mut) else { return };
    let Some(runs) = rt.static_pod.as_mut() else { return };
    match wanted.filter(|wanted| wanted.metadata.uid == runs.metadata.uid) {
        Some(wanted) => {
            *runs = wanted;
            rt.changed = true;
        }
        None => rt.withdrawn = true,
    }
}

/// A static pod has ended. If it is to run again, it begins anew, whatever its containers did when this kubelet found them.
pub(super) fn note_forgotten(state: &mut State, key: &Key) {
    if let Some(pod) = state.static_pods.get_mut(key) {
        Rc::make_mut(pod).status = Some(Shared::new(pending()));
    }
}

impl Turn<'_> {
    /// Notes the status of a static pod as it is now. Its times are those of the status before, and not those of a mirror
    /// pod, which may be younger (`updateStatusInternal` in `pkg/kubelet/status/status_manager.go`).
    pub(super) fn note_status(&mut self) {
        let first = PodStatus::default();
        let old = self.rt.status.as_deref().or(self.pod.status.as_deref()).unwrap_or(&first);
        let new = self.generate_api_pod_status(old);
        self.rt.status = Some(Shared::new(new));
        // What is the API server's last answer is a mirror pod's.
        self.rt.latest = self.rt.latest.take().filter(|latest| latest.metadata.uid != self.pod.metadata.uid);
        self.rt.unreported = false;
    }
}
