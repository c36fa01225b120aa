//! What changes of other objects mean for the processes of a node: those that may have read a file or asked for a name
//! that is another one now get a turn.

use std::rc::Rc;

use super::process::Process;
use super::state::{PodRuntime, State};
use super::task::Task;
use crate::api::Key;
use crate::api::types::Service;
use crate::client::{Handler, Seen};

/// The processes of a pod that run.
fn processes(rt: &PodRuntime) -> impl Iterator<Item = &Rc<Process>> {
    rt.containers.iter().filter_map(|c| c.running()?.process.as_ref())
}

fn tell(cx: &mut Handler<'_, State, Task>, concerns: impl Fn(&Key, &Process) -> bool) {
    let pods = cx.state.pods.iter().filter(|(key, rt)| processes(rt).any(|p| concerns(key, p)));
    let pods: Vec<Key> = pods.map(|(key, _)| key.clone()).collect();
    for pod in pods {
        cx.enqueue(Task::Pod(pod));
    }
}

/// A ConfigMap or a Secret has changed.
pub(super) fn files_changed(cx: &mut Handler<'_, State, Task>, changed: &Key) {
    tell(cx, |pod, process| pod.namespace == changed.namespace && process.configured);
}

/// A Service has changed: its name has another address, or none.
pub(super) fn service_changed(cx: &mut Handler<'_, State, Task>, seen: Seen<'_, Service>) {
    let address = |s: Option<&Rc<Service>>| s.and_then(|s| s.spec.as_ref()?.cluster_ip.clone());
    if address(seen.old) != address(seen.new) {
        tell(cx, |_, process| !process.names.is_empty());
    }
}
