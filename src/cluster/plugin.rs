//! Which network plugin connects the pods of a cluster.

use super::Cluster;
use super::action::Actor;
use super::fault::{Fault, NoSuchFault};
use crate::kubelet::{self, NetworkReadiness};
use crate::network::cni::{ETHERNET_MTU, Plugin};

impl Cluster {
    /// Connects all pods with another network plugin. Pods keep their addresses, as if the cluster had been made with it.
    pub(super) fn install_network_plugin(&mut self, plugin: Plugin) -> Result<(), NoSuchFault> {
        if self.plugin == plugin {
            return Err(NoSuchFault);
        }
        self.plugin = plugin;
        Ok(())
    }

    /// Lets the kubelets know which network their runtimes have. A kubelet takes an Ethernet for granted until it is told otherwise.
    pub(super) fn tell_network_readiness(&mut self) {
        let mtu = Some(self.plugin.pod_mtu()).filter(|mtu| *mtu < ETHERNET_MTU);
        let news = NetworkReadiness { ready: self.plugin.is_there(), mtu };
        let knows = |actor: &Actor| {
            let process = self.processes.get(actor.process as usize)?;
            let component = process.components.get(usize::from(actor.component))?;
            Some(component.state().downcast_ref::<kubelet::State>()?.network())
        };
        let wrong: Vec<Actor> =
            self.actors().filter(|actor| knows(actor).is_some_and(|known| known != news)).collect();
        for kubelet in wrong {
            self.happen_to(kubelet, &news);
        }
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
