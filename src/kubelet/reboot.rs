//! What a kubelet finds of its pods after a restart of their node (`kuberuntime_manager.go`: `PodSandboxChanged`).

use std::rc::Rc;

use super::behaviour::Exit;
use super::container_state::{ContainerState, Exited};
use super::turn::Turn;

impl Turn<'_> {
    /// The node was down and has come back: no container runs and the sandbox is gone.
    pub(super) fn reboot(&mut self) {
        let now = self.now;
        if !self.rt.sandbox && self.rt.work.is_none() {
            return;
        }
        self.rt.sandbox_is_lost |= self.rt.sandbox;
        self.rt.sandbox = false;
        self.rt.volumes.iter_mut().for_each(|v| v.mounted = false);
        self.rt.work = None;
        self.rt.todo.clear();
        self.rt.syncing = false;
        self.rt.changed = true;
        for i in 0..self.rt.containers.len() {
            // What it has written into volumes is on disks.
            self.process_ended(i, now, 255);
        }
        for c in &mut self.rt.containers {
            match &c.state {
                ContainerState::Running(r) => {
                    c.state = ContainerState::Exited(Rc::new(Exited {
                        instance: r.instance.clone(),
                        exit: Exit::code(255),
                        reason: Some("Unknown"),
                        message: None,
                        process: r.process.clone(),
                        started: r.since,
                        signal: None,
                        probed: c.probed(now),
                        finished: now,
                    }));
                }
                ContainerState::Created(_) => c.state = ContainerState::None,
                _ => {}
            }
        }
    }

    /// The pod gets a sandbox. One that had a sandbox before says so (`SyncPod` of the runtime manager); a pod of which nothing is
    /// to be started gets none.
    pub(super) fn replaces_sandbox(&mut self) {
        if std::mem::take(&mut self.rt.sandbox_is_lost) {
            let message = "Pod sandbox changed, it will be killed and re-created.";
            self.event(None, "Normal", "SandboxChanged", message.into());
        }
    }
}
