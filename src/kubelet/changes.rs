//! Changes of ConfigMaps and Secrets. The pods of the node whose processes may have read a file of them get a turn, and so do
//! those whose image a ConfigMap may declare.

use std::rc::Rc;

use super::images;
use super::process::Process;
use super::state::{PodRuntime, State};
use super::task::Task;
use super::volumes;
use crate::api::Key;
use crate::api::types::ConfigMap;
use crate::client::{Handler, Seen};

/// The processes of a pod that run.
fn processes(rt: &PodRuntime) -> impl Iterator<Item = &Rc<Process>> {
    rt.containers.iter().filter_map(|c| c.running()?.process.as_ref())
}

/// Gives the pods a turn of which a process is concerned.
fn tell(cx: &mut Handler<'_, State, Task>, concerns: impl Fn(&Key, &Process) -> bool) {
    let pods = cx.state.pods.iter().filter(|(key, rt)| processes(rt).any(|p| concerns(key, p)));
    let pods: Vec<Key> = pods.map(|(key, _)| key.clone()).collect();
    for pod in pods {
        cx.enqueue(Task::Pod(pod));
    }
}

/// A ConfigMap or a Secret has changed: the pods that wait for it and those whose processes may read it look again.
pub(super) fn config_changed(cx: &mut Handler<'_, State, Task>, changed: &Key) {
    volumes::retry_mounts(cx, Some(&changed.namespace));
    tell(cx, |pod, process| pod.namespace == changed.namespace && process.configured);
}

/// A ConfigMap has changed. If it declares images, pods whose pull has failed pull again when their back-off is over.
pub(super) fn config_map_changed(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, ConfigMap>) {
    config_changed(cx, seen.key);
    if ![seen.old, seen.new].into_iter().flatten().any(|config| images::declares(config)) {
        return;
    }
    let failed = |rt: &PodRuntime| rt.containers.iter().any(|c| c.pull_error.is_some());
    let waiting = cx.state.pods.iter().filter(|(_, rt)| failed(rt));
    let waiting: Vec<_> = waiting.filter_map(|(pod, rt)| Some((pod.clone(), rt.retry?.at))).collect();
    for (pod, at) in waiting {
        cx.enqueue_after(Task::Pod(pod), at.duration_since(cx.now));
    }
}
