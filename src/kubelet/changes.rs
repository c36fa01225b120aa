//! Changes of ConfigMaps and Secrets. The pods of the node that have a volume of them get a turn, and so do those whose image a
//! ConfigMap may declare.

use super::file_volumes::Store;
use super::images;
use super::state::{PodRuntime, State};
use super::task::Task;
use super::volumes;
use crate::api::Key;
use crate::api::types::ConfigMap;
use crate::client::{Handler, Seen};

/// A ConfigMap or a Secret has changed: the pods look again that wait for it, and those that have a volume of it.
pub(super) fn config_changed(cx: &mut Handler<'_, State, Task>, store: Store, changed: &Key) {
    volumes::retry_mounts(cx, Some(&changed.namespace));
    let names = |rt: &PodRuntime| {
        let mut sources = rt.files.all.iter().flat_map(|v| &v.sources);
        sources.any(|s| s.store == store && *s.name == *changed.name)
    };
    let here = cx.state.pods.range(Key::new(&changed.namespace, "")..);
    let here = here.take_while(|(pod, _)| pod.namespace == changed.namespace);
    let pods: Vec<Key> = here.filter(|(_, rt)| names(rt)).map(|(pod, _)| pod.clone()).collect();
    for pod in pods {
        cx.enqueue(Task::Pod(pod));
    }
}

/// A ConfigMap has changed. If it declares images, pods whose pull has failed pull again when their back-off is over.
pub(super) fn config_map_changed(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, ConfigMap>) {
    config_changed(cx, Store::ConfigMap, seen.key);
    if ![seen.old, seen.new].into_iter().flatten().any(|config| images::declares(config)) {
        return;
    }
    let failed = |rt: &PodRuntime| rt.lacks_image(None);
    let waiting = cx.state.pods.iter().filter(|(_, rt)| failed(rt));
    let waiting: Vec<_> = waiting.filter_map(|(pod, rt)| Some((pod.clone(), rt.retry?.at))).collect();
    for (pod, at) in waiting {
        cx.enqueue_after(Task::Pod(pod), at.duration_since(cx.now));
    }
}
