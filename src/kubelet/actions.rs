//! What a pod needs next (`kuberuntime_manager.go`, `computePodActions`): which containers to stop and which
//! to start, init containers first.

use std::rc::Rc;

use super::cause::PodCause;
use super::container_state::{ContainerRuntime, ContainerState, RESTARTING_ALL, Waiting};
use super::fault::ProbeType;
use super::state::Todo;
use super::turn::Turn;
use crate::api::order;
use crate::api::types::{Container, ContainerRestartRule};

/// What init containers need, and whether the main containers may run.
#[derive(Default)]
struct InitActions {
    kill: Vec<Todo>,
    start: Vec<usize>,
    kill_pod: bool,
    initialized: bool,
}

/// The action of the first rule that fits a container's exit code (`FindMatchingContainerRestartRule`).
fn rule_after(spec: &Container, code: i32) -> Option<&str> {
    let fits = |rule: &&ContainerRestartRule| {
        rule.exit_codes.as_ref().is_some_and(|c| {
            let listed = c.values.iter().flatten().any(|v| *v == code);
            if c.operator == "NotIn" { !listed } else { listed }
        })
    };
    spec.restart_policy_rules.iter().flatten().find(fits).map(|r| r.action.as_str())
}

impl Turn<'_> {
    /// The steps of a SyncPod in order: the sandbox, then containers to stop, then containers to start.
    pub(super) fn compute_pod_actions(&mut self) -> Vec<Todo> {
        let mut todo = Vec::new();
        if !self.rt.sandbox {
            todo.push(Todo::Sandbox);
        }
        let init = self.compute_init_container_actions();
        if init.kill_pod {
            return vec![Todo::StopSandbox];
        }
        let mut kills = init.kill;
        let mut starts = init.start;
        if init.initialized {
            let mut keep = 0;
            let mut main = Vec::new();
            for i in self.init_count()..self.main_end() {
                match self.container_action(i) {
                    Some((kill, start)) => {
                        kills.extend(kill);
                        main.extend(start.then_some(i));
                    }
                    None => keep += 1,
                }
            }
            if keep == 0 && main.is_empty() && kills.is_empty() {
                return self.stop_sidecars();
            }
            starts.extend(main);
        }
        todo.extend(kills);
        if self.rt.sandbox {
            todo.extend(self.ephemeral_to_start());
        }
        todo.extend(starts.into_iter().map(|container| Todo::Start { container }));
        todo
    }

    /// Only sidecars are left: stops them in reverse order, then the sandbox.
    fn stop_sidecars(&mut self) -> Vec<Todo> {
        let running = (0..self.init_count())
            .rev()
            .filter(|i| self.rt.containers.get(*i).is_some_and(|c| c.known_running().is_some()));
        let mut todo: Vec<Todo> = running
            .map(|i| Todo::Kill { container: i, message: self.stopping_message(i), probe: None })
            .collect();
        todo.push(Todo::StopSandbox);
        todo
    }

    /// What a main container needs: a step that stops it, and whether it is to be started. `None` if it
    /// stays as it is.
    fn container_action(&self, i: usize) -> Option<(Option<Todo>, bool)> {
        let (c, spec) = (self.rt.containers.get(i)?, self.container_spec(i)?);
        let Some(running) = c.known_running() else { return Some((None, self.should_be_restarted(i))) };
        let name = &spec.name;
        let changed = spec.image.as_deref().unwrap_or_default() != &*running.instance.image;
        let failed = |p: ProbeType| c.probes.get(p as usize).is_some_and(|r| r.result == Some(false));
        let (mut message, probe) = if changed {
            (format!("Container {name} definition changed"), None)
        } else if failed(ProbeType::Liveness) {
            (format!("Container {name} failed liveness probe"), Some(ProbeType::Liveness))
        } else if failed(ProbeType::Startup) {
            (format!("Container {name} failed startup probe"), Some(ProbeType::Startup))
        } else {
            return self.resize_action(i).map(|(step, restart)| (Some(step), restart));
        };
        let restart = changed || self.policy_of(spec) != "Never";
        if restart {
            message.push_str(", will be restarted");
        }
        Some((Some(Todo::Kill { container: i, message, probe }), restart))
    }

    /// What init containers need, from the last one back to the one that runs next
    /// (`computeInitContainerActions`).
    fn compute_init_container_actions(&self) -> InitActions {
        let count = self.init_count();
        let mut out = InitActions { initialized: count == 0, ..Default::default() };
        if count == 0 {
            return out;
        }
        let main_runs = self
            .rt
            .containers
            .iter()
            .skip(count)
            .take(self.spec.containers.len())
            .any(|c| matches!(c.known(), ContainerState::Created(_) | ContainerState::Running(_)));
        out.initialized = main_runs;
        let mut previously = out.initialized;
        for i in (0..count).rev() {
            let Some(c) = self.rt.containers.get(i) else { continue };
            let sidecar = self.is_sidecar(i);
            // A container that ran in an earlier sandbox counts as never started.
            let never =
                matches!(c.known(), ContainerState::None) || (!self.rt.sandbox && c.known_exited().is_some());
            if never {
                if previously && sidecar {
                    out.start.push(i);
                }
                continue;
            }
            if previously && !sidecar {
                continue;
            }
            let next = |out: &mut InitActions, first_time: bool| {
                if i + 1 == count {
                    out.initialized = true;
                } else if first_time {
                    out.start.push(i + 1);
                }
            };
            match c.known() {
                ContainerState::Running(r) if sidecar => {
                    let Some(spec) = self.container_spec(i) else { continue };
                    let result = |p: ProbeType| c.probes.get(p as usize).and_then(|r| r.result);
                    let kill = |what: &str, probe| Todo::Kill {
                        container: i,
                        message: format!("Init container {} {what}", spec.name),
                        probe,
                    };
                    if spec.startup_probe.is_some() && result(ProbeType::Startup) != Some(true) {
                        if result(ProbeType::Startup) == Some(false) {
                            out.kill.push(kill("failed startup probe", Some(ProbeType::Startup)));
                            out.start.push(i);
                        }
                    } else {
                        next(&mut out, !previously);
                        if spec.image.as_deref().unwrap_or_default() != &*r.instance.image {
                            out.kill.push(kill("definition changed", None));
                            out.start.push(i);
                        } else if result(ProbeType::Liveness) == Some(false) {
                            out.kill.push(kill("failed liveness probe", Some(ProbeType::Liveness)));
                            out.start.push(i);
                        } else if let Some((step, restart)) = self.resize_action(i) {
                            out.kill.push(step);
                            out.start.extend(restart.then_some(i));
                        }
                    }
                }
                ContainerState::Exited(_) if sidecar => out.start.push(i),
                ContainerState::Exited(e) if e.exit.code != 0 => {
                    if !self.container_spec(i).is_some_and(|c| self.restarts_after(c, e.exit.code)) {
                        return InitActions { kill_pod: true, ..Default::default() };
                    }
                    out.start.push(i);
                }
                ContainerState::Exited(_) => next(&mut out, true),
                _ => {}
            }
            previously = true;
        }
        if !previously {
            out.start.push(0);
        }
        // The loop has found them from the last to the first.
        order::sort(&mut out.start);
        out.start.dedup();
        out
    }

    /// The restart policy of a container: its own (KEP-5307), or else the pod's.
    pub(super) fn policy_of<'c>(&'c self, spec: &'c Container) -> &'c str {
        spec.restart_policy.as_deref().unwrap_or(self.restart_policy())
    }

    /// Whether a container that does not run is to be started (`ShouldContainerBeRestarted`).
    pub(super) fn should_be_restarted(&self, i: usize) -> bool {
        let (Some(c), Some(spec)) = (self.rt.containers.get(i), self.container_spec(i)) else { return false };
        if self.is_ending() {
            return false;
        }
        match c.known() {
            ContainerState::None | ContainerState::Created(_) => true,
            ContainerState::Running(_) => false,
            ContainerState::Exited(e) => !self.is_ephemeral(i) && self.restarts_after(spec, e.exit.code),
        }
    }

    /// Whether all containers are to be restarted (`ShouldAllContainersRestart`, KEP-5532).
    pub(super) fn should_all_containers_restart(&self) -> bool {
        let asks = |(i, c): (usize, &ContainerRuntime)| {
            let (Some(e), Some(spec)) = (c.known_exited(), self.container_spec(i)) else { return false };
            rule_after(spec, e.exit.code) == Some("RestartAllContainers")
        };
        self.could_all_containers_restart()
            && !self.is_ending()
            && self.rt.containers.iter().enumerate().any(asks)
    }

    /// Whether a container has a rule that restarts all containers (`AllContainersCouldRestart`).
    pub(super) fn could_all_containers_restart(&self) -> bool {
        let all = self.spec.init_containers.iter().flatten().chain(&self.spec.containers);
        let mut rules = all.flat_map(|c| c.restart_policy_rules.iter().flatten());
        rules.any(|r| r.action == "RestartAllContainers")
    }

    /// Stops all containers at once, without hooks and grace period, and removes them. What is left of each is the number of
    /// restarts and that it was removed; one that waited goes on to wait (`convertToAPIContainerStatuses`).
    pub(super) fn restart_all(&mut self) {
        (0..self.rt.containers.len()).for_each(|i| self.note_reset(i));
        self.kill_now();
        for c in &mut self.rt.containers {
            let waited = c.waiting.take().is_some();
            if let ContainerState::Exited(e) = &c.state {
                c.last = Some(if waited { e.clone() } else { Rc::new(e.removed()) });
                c.restarts = c.restarts.saturating_add(1);
                let (reason, message) = RESTARTING_ALL;
                c.waiting = (!waited).then(|| Rc::new(Waiting { reason, message: message.into() }));
            }
            c.state = ContainerState::None;
        }
        self.rt.restarting_all = false;
        self.rt.changed = true;
        self.caused(None, PodCause::AllRestarted);
    }

    /// Whether a container that has ended with a code starts again, as its rules and its policy say (`ContainerShouldRestart`).
    pub(super) fn restarts_after(&self, spec: &Container, code: i32) -> bool {
        if matches!(rule_after(spec, code), Some("Restart" | "RestartAllContainers")) {
            return true;
        }
        match self.policy_of(spec) {
            "Never" => false,
            "OnFailure" => code != 0,
            _ => true,
        }
    }
}
