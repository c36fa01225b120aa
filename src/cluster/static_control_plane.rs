//! A control plane in static pods, as kubeadm makes it: `kube-apiserver`, `kube-controller-manager`, `kube-scheduler` and
//! `etcd` are containers of a control-plane node, and whoever moves a manifest away stops the program.
//!
//! The programs are processes of this cluster, whatever is in a container's image. A container of a static pod that kubeadm's
//! labels name as a part of the control plane is linked with them: from the moment it first runs, the process of that name,
//! or the member of etcd that its flag `--name` says, runs while the container does.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::Cluster;
use super::action::Actor;
use crate::api::MetaExt;
use crate::api::types::Pod;
use crate::kubelet;

/// The namespace of the control plane's pods.
const NAMESPACE: &str = "kube-system";
/// The part of the control plane that is a member of etcd and no process.
const ETCD: &str = "etcd";

/// What a static pod is a part of the control plane as: the name of a process or of a member of etcd. `None` if it is none.
fn part(pod: &Pod) -> Option<(&str, &str)> {
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

/// The parts of the control plane whose containers run on a node.
fn running(state: &kubelet::State) -> BTreeSet<Rc<str>> {
    let parts = state.pods.values().filter_map(|rt| {
        let (container, name) = part(rt.static_pod.as_ref()?)?;
        let runs = rt.containers.iter().any(|c| *c.name == *container && c.running().is_some());
        runs.then(|| Rc::from(name))
    });
    parts.collect()
}

impl Cluster {
    /// Containers of a kubelet have started or stopped: the parts of the control plane among them do the same.
    pub(super) fn follow_static_pods(&mut self, kubelet: Actor) {
        let component = self
            .processes
            .get(kubelet.process as usize)
            .and_then(|p| p.components.get(usize::from(kubelet.component)));
        let Some(state) = component.and_then(|c| c.state().downcast_ref::<kubelet::State>()) else { return };
        let before: BTreeSet<Rc<str>> =
            self.hosted.iter().filter(|(_, by)| *by == kubelet).map(|(name, _)| name.clone()).collect();
        if before.is_empty() && state.static_pods.is_empty() {
            return;
        }
        let now = running(state);
        for name in now.difference(&before) {
            Rc::make_mut(&mut self.hosted).insert((name.clone(), kubelet));
            self.run_part(name, true);
        }
        for name in before.difference(&now) {
            Rc::make_mut(&mut self.hosted).remove(&(name.clone(), kubelet));
            // On several control-plane nodes there is one more of it.
            if !self.hosted.iter().any(|(other, _)| other == name) {
                self.run_part(name, false);
            }
        }
    }

    /// Starts or stops a part of the control plane. Nothing happens if it runs or is stopped already: a person can do that,
    /// too.
    fn run_part(&mut self, name: &str, runs: bool) {
        let is_member = self.api.etcd().members().iter().any(|m| *m.name == *name);
        let done =
            if is_member { self.set_member(name, !runs) } else { self.stop_or_start(name, None, !runs) };
        done.unwrap_or_default();
    }
}
