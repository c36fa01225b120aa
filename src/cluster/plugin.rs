//! Which network plugin connects the pods of a cluster.

use super::Cluster;
use super::fault::{Fault, NoSuchFault};
use crate::network::cni::Plugin;

impl Cluster {
    /// Connects all pods with another network plugin. Pods keep their addresses, as if the cluster had been made with it.
    pub(super) fn install_network_plugin(&mut self, plugin: Plugin) -> Result<(), NoSuchFault> {
        if self.plugin == plugin {
            return Err(NoSuchFault);
        }
        self.plugin = plugin;
        Ok(())
    }

    /// What connects the pods.
    pub fn network_plugin(&self) -> Plugin {
        self.plugin
    }

    /// The other network plugins that can be installed instead.
    pub fn network_plugin_faults(&self) -> Vec<Fault> {
        let others = Plugin::ALL.into_iter().filter(|p| *p != self.plugin);
        others.map(|plugin| Fault::NetworkPlugin { plugin }).collect()
    }
}
