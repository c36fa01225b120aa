//! Paths of processes and components, which name them whatever their index.

use super::{Actor, Cluster, Process};

impl Cluster {
    /// A process, by its index.
    pub fn process(&self, id: u32) -> Option<&Process> {
        self.processes().nth(id as usize)
    }

    /// The path of a process, for example `kubelet/node-1`, which does not depend on its index.
    pub fn process_path(&self, id: u32) -> Option<String> {
        let p = self.process(id)?;
        Some(match &p.node {
            Some(node) => format!("{}/{node}", p.name),
            None => p.name.to_string(),
        })
    }

    /// The path of a component, for example `kube-controller-manager:deployment-controller`, which does not
    /// depend on its index.
    pub fn actor_path(&self, actor: Actor) -> Option<String> {
        Some(format!("{}:{}", self.process_path(actor.process)?, self.actor_name(actor)?))
    }

    /// The component with this path.
    pub fn actor_at(&self, path: &str) -> Option<Actor> {
        self.actors().find(|a| self.actor_path(*a).as_deref() == Some(path))
    }
}
