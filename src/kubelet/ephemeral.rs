//! Ephemeral containers (KEP-277): somebody adds them to a pod that runs, to look into it (`kubectl debug`). They are started
//! beside the others, also while init containers run, and never again when they have ended (`kuberuntime_manager.go`,
//! `computePodActions`, `SyncPod`).
//!
//! An ephemeral container is known by its name. The spec can have them in any order, as a patch without `$setElementOrder` puts the
//! new one in front. In [`PodRuntime::containers`] they come after the main containers, in the order in which the kubelet has heard of
//! them, so that each keeps its place.

use std::rc::Rc;

use super::container_state::{ContainerRuntime, ContainerState};
use super::state::{PodRuntime, Todo};
use super::turn::Turn;
use crate::api::order;
use crate::api::pod::of_ephemeral;
use crate::api::types::{Container, ContainerStatus, EphemeralContainer, Pod};

/// The ephemeral containers of a pod: first those that the kubelet knows, each in its place, then new ones. They are never changed, so
/// those that are known are kept.
pub(super) fn specs(pod: &Pod, rt: &PodRuntime) -> Rc<[Container]> {
    let all = of(pod);
    let is_known = |c: &EphemeralContainer| rt.ephemeral.iter().any(|known| known.name == c.name);
    if all.iter().all(is_known) {
        return rt.ephemeral.clone();
    }
    let new = all.iter().filter(|c| !is_known(c)).map(of_ephemeral);
    rt.ephemeral.iter().cloned().chain(new).collect()
}

/// The ephemeral containers in the order of the spec.
fn of(pod: &Pod) -> &[EphemeralContainer] {
    pod.spec.as_ref().and_then(|s| s.ephemeral_containers.as_deref()).unwrap_or_default()
}

impl Turn<'_> {
    /// The index after that of the last main container.
    pub(super) fn main_end(&self) -> usize {
        self.init_count().saturating_add(self.spec.containers.len())
    }

    /// Whether it is an ephemeral container, by its index.
    pub(super) fn is_ephemeral(&self, i: usize) -> bool {
        i >= self.main_end()
    }

    /// The name of the container whose processes an ephemeral container sees (`targetContainerName`).
    fn target_name(&self, i: usize) -> Option<&str> {
        let name = &self.container_spec(i).filter(|_| self.is_ephemeral(i))?.name;
        let target = of(self.pod).iter().find(|c| c.name == *name)?.target_container_name.as_deref();
        target.filter(|target| !target.is_empty())
    }

    /// The index of that container.
    pub(super) fn target(&self, i: usize) -> Option<usize> {
        let name = self.target_name(i)?;
        self.rt.containers.iter().position(|c| *c.name == *name)
    }

    /// Why an ephemeral container cannot be created: the runtime has never had a container with the name of its target
    /// (`getTargetID`).
    pub(super) fn missing_target(&self, i: usize) -> Option<String> {
        let name = self.target_name(i)?;
        let target = self.target(i).and_then(|j| self.rt.containers.get(j));
        let there = target.is_some_and(|c| !matches!(c.state, ContainerState::None));
        (!there).then(|| format!("unable to find target container {name}"))
    }

    /// Notes the ephemeral containers that are new. They are the last ones of [`specs`].
    pub(super) fn note_ephemeral(&mut self) {
        let known = self.rt.containers.len().saturating_sub(self.main_end());
        let new = self.ephemeral.iter().skip(known).map(|c| ContainerRuntime::new(&c.name));
        self.rt.containers.extend(new);
    }

    /// The ephemeral containers that the spec has, in its order, each with its index.
    fn ephemeral_by_spec(&self) -> impl Iterator<Item = (usize, &ContainerRuntime)> {
        of(self.pod).iter().filter_map(|spec| {
            let mut known = self.rt.containers.iter().enumerate().skip(self.main_end());
            known.find(|(_, c)| *c.name == *spec.name)
        })
    }

    /// The ephemeral containers to be started: those that never were.
    pub(super) fn ephemeral_to_start(&self) -> Vec<Todo> {
        let new = self.ephemeral_by_spec().filter(|(_, c)| matches!(c.state, ContainerState::None));
        new.map(|(container, _)| Todo::Start { container }).collect()
    }

    /// Their statuses, sorted by name.
    pub(super) fn ephemeral_statuses(&self) -> Option<Vec<ContainerStatus>> {
        let mut all: Vec<ContainerStatus> = self
            .ephemeral_by_spec()
            .filter_map(|(i, c)| {
                let status = self.container_status(i, c, self.container_spec(i)?);
                // Nobody probes them.
                Some(ContainerStatus { ready: false, started: None, ..status })
            })
            .collect();
        order::sort_by(&mut all, |a, b| a.name.cmp(&b.name));
        (!all.is_empty()).then_some(all)
    }
}
