//! Changes of ConfigMaps, Secrets and Services that processes in containers may notice.

use std::rc::Rc;

use super::process::Process;
use super::state::{PodRuntime, State};
use super::task::Task;
use super::volumes;
use crate::api::Key;
use crate::api::types::Service;
use crate::client::{Handler, Seen};

/// Lets the pods know of a changed ConfigMap or Secret: those that wait for it, and those whose processes may read it.
pub(super) fn config_changed(cx: &mut Handler<'_, State, Task>, changed: &Key) {
    volumes::retry_mounts(cx, Some(&changed.namespace));
    let here = cx.state.pods.range(Key::new(&changed.namespace, "")..);
    let reading: Vec<Key> = here
        .take_while(|(k, _)| k.namespace == changed.namespace)
        .filter(|(_, rt)| processes(rt).any(|p| p.configured))
        .map(|(k, _)| k.clone())
        .collect();
    for pod in reading {
        cx.enqueue(Task::Pod(pod));
    }
}

/// The processes of a pod that run.
fn processes(rt: &PodRuntime) -> impl Iterator<Item = &Rc<Process>> {
    rt.containers.iter().filter_map(|c| c.running()?.process.as_ref())
}

/// Lets the pods know of a Service that have asked the DNS for a name.
pub(super) fn service_changed(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Service>) {
    let address = |s: Option<&Rc<Service>>| s.and_then(|s| s.spec.as_ref()?.cluster_ip.clone());
    if address(seen.old) == address(seen.new) {
        return;
    }
    let asks = |rt: &PodRuntime| processes(rt).any(|p| !p.names.is_empty());
    let asking: Vec<Key> =
        cx.state.pods.iter().filter(|(_, rt)| asks(rt)).map(|(key, _)| key.clone()).collect();
    for pod in asking {
        cx.enqueue(Task::Pod(pod));
    }
}
