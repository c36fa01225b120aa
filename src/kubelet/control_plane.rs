//! What kube-apiserver in a static pod does when etcd is silent. Its health checks ask etcd (`etcd` is one of the checks of `/livez`,
//! `/readyz` and `/healthz`: `k8s.io/apiserver/pkg/server/options/etcd.go`), so its probes fail and the kubelet starts it again. One
//! that starts waits for etcd and gives up after a while (`pkg/storage/storagebackend/factory/etcd3.go`), again and again.

use jiff::SignedDuration;

use super::behaviour::Exit;
use super::container_state::ContainerState;
use super::state::{PodRuntime, State};
use super::task::Task;
use super::timings::later;
use super::turn::Turn;
use super::wake::WakeSort;
use crate::api::types::Pod;
use crate::api::{Key, MetaExt, Timestamp};
use crate::client::Handler;

/// The namespace of the control plane's pods.
const NAMESPACE: &str = "kube-system";
/// The part of the control plane that is a member of etcd and no process.
const ETCD: &str = "etcd";
/// The part that cannot be without etcd.
const API_SERVER: &str = "kube-apiserver";
/// How long it waits for etcd when it starts (`dialTimeout`).
const DIAL_TIMEOUT: SignedDuration = SignedDuration::from_secs(20);

/// What a kubelet's containers find of etcd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EtcdNews {
    /// Whether etcd answers nobody.
    pub silent: bool,
}

/// What a static pod is a part of the control plane as: its container, and the name of a process or of a member of etcd. `None` if it
/// is no part of it. kubeadm's labels say so.
pub fn part_of_control_plane(pod: &Pod) -> Option<(&str, &str)> {
    let meta = &pod.metadata;
    if MetaExt::namespace(meta) != NAMESPACE || meta.label("tier") != Some("control-plane") {
        return None;
    }
    let component = meta.label("component")?;
    if component != ETCD {
        return Some((component, component));
    }
    let container = pod.spec.as_ref()?.containers.iter().find(|c| c.name == ETCD)?;
    let mut words = container.command.iter().chain(&container.args).flatten();
    Some((component, words.find_map(|w| w.strip_prefix("--name="))?))
}

fn is_api_server(rt: &PodRuntime) -> bool {
    let part = rt.static_pod.as_ref().and_then(|pod| part_of_control_plane(pod));
    part.is_some_and(|(container, _)| container == API_SERVER)
}

/// Notes whether etcd answers.
pub(super) fn note(cx: &mut Handler<'_, State, Task>, news: EtcdNews) -> bool {
    if cx.state.etcd_silent == news.silent {
        return false;
    }
    cx.state.etcd_silent = news.silent;
    let all = cx.state.pods.iter().filter(|(_, rt)| is_api_server(rt));
    let concerned: Vec<Key> = all.map(|(key, _)| key.clone()).collect();
    concerned.into_iter().for_each(|pod| cx.enqueue(Task::Pod(pod)));
    true
}

impl Turn<'_> {
    /// Lets the containers of kube-apiserver hear of etcd. Ticks of probes before this moment count as probed with the result that they
    /// would have had.
    pub(super) fn hear_of_etcd(&mut self) {
        if !is_api_server(&self.rt) {
            return;
        }
        let (silent, now) = (self.etcd_silent, self.now);
        let mut again = false;
        for c in self.rt.containers.iter_mut().filter(|c| *c.name == *API_SERVER && c.ill != silent) {
            c.ill = silent;
            again |= !silent;
            for probe in &mut c.probes {
                probe.asked = probe.asked.max(Some(now));
            }
            if let ContainerState::Running(r) = &mut c.state
                && r.waits_for_etcd
                && !silent
            {
                r.waits_for_etcd = false;
                r.ends = r.behaviour.ends.map(|(after, exit)| (later(r.since, after), exit));
            }
        }
        // It can be started again with success.
        if let Some(retry) = self.rt.retry.as_mut().filter(|_| again) {
            retry.sort = WakeSort::Foreground;
        }
    }

    /// When and how a container that starts now ends for want of etcd; `None` if it does not.
    pub(super) fn end_without_etcd(&self, name: &str) -> Option<(Timestamp, Exit)> {
        let waits = self.etcd_silent && name == API_SERVER && is_api_server(&self.rt);
        waits.then(|| (later(self.now, DIAL_TIMEOUT), Exit::code(1)))
    }
}
