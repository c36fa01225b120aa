//! A control plane in static pods, as kubeadm makes it: `kube-apiserver`, `kube-controller-manager`, `kube-scheduler` and
//! `etcd` are containers of a control-plane node, and whoever moves a manifest away stops the program.
//!
//! The programs are processes of this cluster, whatever is in a container's image. A container of a static pod that kubeadm's
//! labels name as a part of the control plane is linked with them: from the moment it first runs, the process of that name,
//! or the member of etcd that its flag `--name` says, runs while the container does. While that of `kube-apiserver` does not run,
//! nobody listens at the API server's port. Its container needs etcd: without it, it is alive for no probe, and when it is started it
//! waits for etcd, serves nobody and ends.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::Cluster;
use super::action::Actor;
use super::process::Process;
use crate::kubelet::{self, EtcdNews};

/// The process of kube-apiserver: its controllers run in it, and the API server is reached while it runs.
pub(super) const API_SERVER: &str = "kube-apiserver";

/// The parts of the control plane whose containers run on a node, and do what they are for.
fn running(state: &kubelet::State) -> BTreeSet<Rc<str>> {
    let parts = state.pods.values().filter_map(|rt| {
        let (container, name) = kubelet::part_of_control_plane(rt.static_pod.as_ref()?)?;
        let works = |r: &kubelet::container_state::Running| !r.waits_for_etcd;
        let runs = rt.containers.iter().any(|c| *c.name == *container && c.running().is_some_and(works));
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

    /// The API server can be reached, or cannot be any more. Whoever waits for it finds that out.
    pub(super) fn set_serving(&mut self, serves: bool) {
        self.api.set_serving(serves);
        self.network_changed = true;
        if serves {
            self.clock.changed_all();
        }
        // Only these are changed, so that others stay shared with the clusters of other moments.
        let changes = |p: &&mut Rc<Process>| &*p.name == "kubelet" && p.alone == serves;
        for p in self.processes.iter_mut().filter(changes) {
            Rc::make_mut(p).alone = !serves;
        }
        self.wake_all();
    }

    /// Lets the kubelets that run static pods know whether etcd answers: a kube-apiserver in a container fails without it. A kubelet
    /// takes it for granted until it is told otherwise.
    pub(super) fn tell_etcd(&mut self) {
        let raft = self.api.etcd().raft();
        // An election takes less time than a client of etcd waits.
        let silent = !raft.has_leader() && raft.electing().is_none();
        let knows = |actor: &Actor| {
            let process = self.processes.get(actor.process as usize)?;
            let component = process.components.get(usize::from(actor.component))?;
            let state = component.state().downcast_ref::<kubelet::State>()?;
            // One that runs none is told when it gets some.
            let runs = !state.manifests.is_empty() || !state.static_pods.is_empty();
            (runs || state.etcd_silent).then_some(state.etcd_silent)
        };
        let wrong: Vec<Actor> = self.actors().filter(|actor| knows(actor) == Some(!silent)).collect();
        for kubelet in wrong {
            self.happen_to(kubelet, &EtcdNews { silent });
        }
    }
}
