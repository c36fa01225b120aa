//! A pod's container statuses (`kubelet_pods.go`, `convertToAPIContainerStatuses`).

use super::container_state::{ContainerRuntime, ContainerState as Runtime, Exited, Instance};
use super::images;
use super::prober;
use super::security_context::Identity;
use super::state::WorkerPhase;
use super::turn::Turn;
use crate::api::pod::Spec;
use crate::api::types::{
    Container, ContainerState, ContainerStateRunning, ContainerStateTerminated, ContainerStateWaiting,
    ContainerStatus, ContainerUser, LinuxContainerUser, PodSpec, Time, VolumeMountStatus,
};
use crate::api::{Timestamp, order, seconds};

/// A moment as objects have it: in whole seconds.
pub(super) fn time(t: Timestamp) -> Time {
    Time(seconds(t))
}

impl Turn<'_> {
    /// The statuses of init containers (in the order of the spec) and of main containers (sorted by name).
    pub(super) fn container_statuses(&self) -> (Vec<ContainerStatus>, Vec<ContainerStatus>) {
        let init_count = self.init_count();
        let mut all = Vec::with_capacity(self.rt.containers.len());
        for (i, c) in self.rt.containers.iter().enumerate().take(self.main_end()) {
            if let Some(spec) = self.container_spec(i) {
                all.push(self.container_status(i, c, spec));
            }
        }
        let mut main = all.split_off(init_count.min(all.len()));
        order::sort_by(&mut main, |a, b| a.name.cmp(&b.name));
        let mut init = all;
        if self.rt.phase == WorkerPhase::Terminated {
            self.fill_terminated(&mut init, &mut main);
        }
        (init, main)
    }

    pub(super) fn container_status(
        &self,
        i: usize,
        c: &ContainerRuntime,
        spec: &Container,
    ) -> ContainerStatus {
        let mut out = ContainerStatus {
            name: spec.name.clone(),
            image: spec.image.clone().unwrap_or_default(),
            restart_count: c.known_restarts(),
            volume_mounts: volume_mounts(self.spec, spec),
            started: Some(false),
            ..Default::default()
        };
        let mut identify = |instance: &Instance| {
            out.container_id = Some(instance.id.to_string());
            // containerd says the first tag of the image, as it has noted it.
            out.image = images::full_name(&instance.image);
            out.image_id = instance.image_id.to_string();
            out.user = user(self.spec, spec);
        };
        let mut last = c.known_last().map(|e| terminated(e));
        let state = match c.known() {
            Runtime::None | Runtime::Created(_) => {
                let reason = if self.init_count() > 0 { "PodInitializing" } else { "ContainerCreating" };
                waiting(reason, None)
            }
            Runtime::Running(r) => {
                identify(&r.instance);
                let since = Some(time(r.since));
                ContainerState {
                    running: Some(ContainerStateRunning { started_at: since }),
                    ..Default::default()
                }
            }
            Runtime::Exited(e) => {
                identify(&e.instance);
                terminated(e)
            }
        };
        // Of one that does not run, what it was allocated (`convertToAPIContainerStatuses` in `kubelet_pods.go`).
        out.resources = match c.known() {
            Runtime::None | Runtime::Created(_) => None,
            Runtime::Running(r) => Some(r.resources(&spec.name).cloned().unwrap_or_default()),
            Runtime::Exited(_) => Some(spec.resources.clone().unwrap_or_default()),
        };
        if out.resources.is_some() {
            out.allocated_resources =
                spec.resources.as_ref().and_then(|r| r.requests.clone()).filter(|r| !r.is_empty());
        }
        let init = i < self.init_count();
        let done = init && c.known_exited().is_some_and(|e| e.exit.code == 0);
        let reason = c.known_waiting().filter(|_| !done && self.should_be_restarted(i));
        out.state = Some(match reason {
            Some(w) => {
                if state.terminated.is_some() {
                    last = Some(state);
                }
                waiting(w.reason, Some(w.message.clone()))
            }
            None => state,
        });
        // Go writes the empty object, too.
        out.last_state = Some(last.unwrap_or_default());
        if init && !self.is_sidecar(i) {
            out.started = Some(c.known_running().is_some());
            out.ready = done;
        } else {
            out.started = Some(prober::is_started(c, spec));
            out.ready = prober::is_ready(c, spec);
        }
        out
    }

    /// Completes the statuses of a pod that has ended: containers that never ran, or were not seen to end,
    /// count as failed (`TerminatePod`).
    fn fill_terminated(&self, init: &mut [ContainerStatus], main: &mut [ContainerStatus]) {
        let initialized = init.iter().enumerate().all(|(i, s)| self.is_sidecar(i) || s.ready);
        let started = init
            .iter()
            .rposition(|s| !is_waiting(s) || has_ended_before(s))
            .map_or(init.len().min(1), |at| at + 1);
        let unknown = |s: &mut ContainerStatus| {
            if s.state.as_ref().is_none_or(|s| s.terminated.is_none()) {
                s.state = Some(ContainerState {
                    terminated: Some(ContainerStateTerminated {
                        exit_code: 137,
                        reason: Some("ContainerStatusUnknown".into()),
                        message: Some(
                            "The container could not be located when the pod was terminated".into(),
                        ),
                        ..Default::default()
                    }),
                    ..Default::default()
                });
            }
        };
        if initialized {
            main.iter_mut().for_each(unknown);
        }
        init.iter_mut().take(started).for_each(unknown);
    }
}

pub(super) fn is_waiting(s: &ContainerStatus) -> bool {
    s.state.as_ref().is_none_or(|s| s.running.is_none() && s.terminated.is_none())
}

pub(super) fn has_ended_before(s: &ContainerStatus) -> bool {
    s.last_state.as_ref().is_some_and(|s| s.terminated.is_some())
}

fn waiting(reason: &str, message: Option<String>) -> ContainerState {
    ContainerState {
        waiting: Some(ContainerStateWaiting { reason: Some(reason.into()), message }),
        ..Default::default()
    }
}

fn terminated(e: &Exited) -> ContainerState {
    if e.is_removed() {
        let terminated = ContainerStateTerminated {
            exit_code: e.exit.code,
            reason: e.reason.map(Into::into),
            message: e.message.as_ref().map(|m| m.to_string()),
            ..Default::default()
        };
        return ContainerState { terminated: Some(terminated), ..Default::default() };
    }
    let reason = e.reason.unwrap_or(match e.exit.code {
        _ if e.exit.out_of_memory => "OOMKilled",
        0 => "Completed",
        _ => "Error",
    });
    ContainerState {
        terminated: Some(ContainerStateTerminated {
            container_id: Some(e.instance.id.to_string()),
            exit_code: e.exit.code,
            finished_at: Some(time(e.finished)),
            started_at: Some(time(e.started)),
            reason: Some(reason.into()),
            message: e.message.as_ref().map(|m| m.to_string()),
            ..Default::default()
        }),
        ..Default::default()
    }
}

fn volume_mounts(of: &Spec, spec: &Container) -> Option<Vec<VolumeMountStatus>> {
    let mounts = spec.volume_mounts.as_ref().filter(|m| !m.is_empty())?;
    let status = |m: &crate::api::types::VolumeMount| VolumeMountStatus {
        mount_path: m.mount_path.clone(),
        name: of.volume_name(&m.name).to_owned(),
        read_only: m.read_only.filter(|r| *r),
        recursive_read_only: m.read_only.filter(|r| *r).map(|_| match m.recursive_read_only.as_deref() {
            Some("Enabled" | "IfPossible") => "Enabled".to_owned(),
            _ => "Disabled".to_owned(),
        }),
        ..Default::default()
    };
    Some(mounts.iter().map(status).collect())
}

/// The user of the first process.
fn user(pod: &PodSpec, spec: &Container) -> Option<ContainerUser> {
    let Identity { uid, gid, groups } = Identity::of(pod, spec);
    Some(ContainerUser { linux: Some(LinuxContainerUser { uid, gid, supplemental_groups: Some(groups) }) })
}
