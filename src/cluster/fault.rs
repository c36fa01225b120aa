//! Faults that a person or a test injects. They are data, so that a run with faults can be repeated.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::Cluster;
use super::action::{Action, Actor, StepError, Transition};
use super::command::ACTIONS_LIMIT;
use super::process::Process;
use super::static_control_plane::API_SERVER;
use crate::api::types::Pod;
use crate::api::{Kind, ObjectRef, Timestamp};
use crate::apiserver::Write;
use crate::kube_proxy;
use crate::kubelet::{self, KubeletFault};
use crate::network::cni::Plugin;
use crate::network::proxy::Mode;

/// Something that goes wrong, or right again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Fault {
    /// The kubelet of a node cannot reach the API server any more. Containers on the node run on.
    NodeDown {
        /// The node's name.
        node: String,
    },
    /// The kubelet of a node that was cut off reaches the API server again, and catches up.
    NodeUp {
        /// The node's name.
        node: String,
    },
    /// A process crashes and starts again: caches, queues, expectations and syncs under way are lost, and
    /// its informers list again.
    Restart {
        /// `kube-controller-manager`, `kube-scheduler`, or `kubelet` with its node.
        process: String,
        /// The node's name, for a kubelet.
        node: Option<String>,
    },
    /// A fault on a node: a container crashes, a probe fails, an image is unavailable.
    Kubelet {
        /// The node's name; `None` for all nodes.
        node: Option<String>,
        /// The fault.
        fault: kubelet::KubeletFault,
    },
    /// Somebody puts a file into the directory of static pods' manifests of a node, changes it, or takes it away. A kubelet
    /// that is cut off finds it when it is back.
    Manifest {
        /// The node's name.
        node: String,
        /// The file's name.
        file: String,
        /// The file's text; `None` takes it away.
        text: Option<String>,
    },
    /// etcd is compacted up to its last revision, as the API server does every five minutes. Watches that
    /// have ended before cannot be resumed.
    Compact,
    /// A process of the control plane stops, or cannot be reached any more, or the kube-proxy of a node stops. What it has in memory
    /// is lost. The rules that a kube-proxy has written stay in the kernel of its node.
    Stop {
        /// `kube-apiserver`, `kube-controller-manager` or `kube-scheduler`; of several instances for example
        /// `kube-scheduler-2`; or `kube-proxy` with its node.
        process: String,
        /// The node's name, for a kube-proxy.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<String>,
    },
    /// A stopped process starts again, with nothing in memory.
    Start {
        /// The process's name.
        process: String,
        /// The node's name, for a kube-proxy.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<String>,
    },
    /// One more instance of a process starts. From then on one of them leads and the others wait.
    Replicate {
        /// `kube-controller-manager` or `kube-scheduler`.
        process: String,
    },
    /// A member of etcd is lost: the other members cannot reach it.
    MemberDown {
        /// The member's name: `etcd-1`, `etcd-2` and so on.
        member: String,
    },
    /// A lost member of etcd is back, with the log entries that it had.
    MemberUp {
        /// The member's name.
        member: String,
    },
    /// All watches of a process end. Each can be resumed from the last revision it has seen.
    CutWatches {
        /// The process's name.
        process: String,
        /// The node's name, for a kubelet.
        node: Option<String>,
    },
    /// The metrics server is installed in the cluster, with its APIService, or removed. A cluster starts without it.
    MetricsServer {
        /// Whether it is installed afterwards.
        installed: bool,
    },
    /// CoreDNS is added to the cluster as kubeadm does it, in objects, or these are deleted. Without it every cluster has a DNS
    /// that is no object.
    CoreDns {
        /// Whether it is there afterwards.
        installed: bool,
    },
    /// The ingress controller ingress-nginx is added to the cluster, in objects, or these are deleted.
    IngressNginx {
        /// Whether it is there afterwards.
        installed: bool,
    },
    /// NGINX Gateway Fabric is added to the cluster, in objects, and before it the definitions of the Gateway API; or its objects are
    /// deleted, without the definitions.
    GatewayFabric {
        /// Whether it is there afterwards.
        installed: bool,
    },
    /// Every node gets a kube-proxy that can be looked at, or it is taken away again. Without them a node has the rules that
    /// its kube-proxy would write, and has them at once.
    KubeProxy {
        /// What they write their rules with; `None` takes them away.
        mode: Option<Mode>,
    },
    /// Another network plugin connects the pods of all nodes.
    NetworkPlugin {
        /// The plugin.
        plugin: Plugin,
    },
    /// Time passes in a cluster in which nobody has anything to do, to a moment or to what is due before it: clients send what they
    /// send until then. Heartbeats and other deadlines that nobody waits for are met at that moment.
    Wait {
        /// The moment, in milliseconds since 1970 in UTC.
        until: i64,
    },
    /// Components of a process are switched off or on. A component that is switched off loses what it has in
    /// memory; one that is switched on starts with nothing in memory.
    Controllers {
        /// The process's name, for example `kube-controller-manager`.
        process: String,
        /// The value of `--controllers`, for example `*,-deployment`.
        controllers: String,
    },
}

impl Fault {
    /// Whether the fault is one of this object: the Node whose kubelet it concerns, the Pod of the container, a Pod that has
    /// the image or the volume and may be on the node of the fault, or the Lease by which the instances of the process elect
    /// their leader. `pod` is the object if it is a Pod, and `volumes` gives the names of a Pod's PersistentVolumes.
    pub fn is_of(
        &self,
        object: &ObjectRef,
        pod: Option<&Pod>,
        volumes: impl FnOnce(&Pod) -> Vec<Rc<str>>,
    ) -> bool {
        let is_node = |name: &str| object.kind == Kind::NODE && *object.key.name == *name;
        // `kube-scheduler-2` is the second instance of `kube-scheduler`.
        let is_lease = |process: &str| {
            let first = process.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
            object.kind == Kind::LEASE && (*object.key.name == *first || *object.key.name == *process)
        };
        match self {
            Fault::NodeDown { node } | Fault::NodeUp { node } | Fault::Manifest { node, .. } => is_node(node),
            Fault::Restart { process, node }
            | Fault::CutWatches { process, node }
            | Fault::Stop { process, node }
            | Fault::Start { process, node } => node.as_deref().map_or_else(|| is_lease(process), is_node),
            Fault::Replicate { process } => is_lease(process),
            Fault::Kubelet { node, fault } => match fault {
                KubeletFault::CrashContainer { pod, .. } | KubeletFault::FailProbe { pod, .. } => {
                    object.kind == Kind::POD && object.key == *pod
                }
                KubeletFault::Image { image, .. } => {
                    pod.is_some_and(|p| runs_on(p, node.as_deref()) && has_image(p, image))
                }
                KubeletFault::Mount { volume, .. } => {
                    pod.is_some_and(|p| runs_on(p, node.as_deref()) && volumes(p).contains(volume))
                }
            },
            Fault::Compact
            | Fault::MemberDown { .. }
            | Fault::MemberUp { .. }
            | Fault::MetricsServer { .. }
            | Fault::CoreDns { .. }
            | Fault::IngressNginx { .. }
            | Fault::GatewayFabric { .. }
            | Fault::KubeProxy { .. }
            | Fault::NetworkPlugin { .. }
            | Fault::Wait { .. }
            | Fault::Controllers { .. } => false,
        }
    }

    /// The number of the first version of links that knows this fault; 0 is the first.
    pub fn since(&self) -> usize {
        match self {
            Fault::Kubelet { fault: kubelet::KubeletFault::Mount { .. }, .. } => 4,
            Fault::NodeDown { .. }
            | Fault::NodeUp { .. }
            | Fault::Restart { .. }
            | Fault::Kubelet { .. }
            | Fault::CutWatches { .. } => 0,
            Fault::MemberDown { .. }
            | Fault::MemberUp { .. }
            | Fault::Compact
            | Fault::Stop { node: None, .. }
            | Fault::Start { node: None, .. }
            | Fault::Replicate { .. } => 1,
            Fault::Controllers { .. } => 2,
            Fault::MetricsServer { .. } => 4,
            Fault::KubeProxy { .. } => 7,
            Fault::Manifest { .. }
            | Fault::NetworkPlugin { .. }
            | Fault::CoreDns { .. }
            | Fault::IngressNginx { .. }
            | Fault::GatewayFabric { .. } => 8,
            Fault::Wait { .. } => 9,
            Fault::Stop { node: Some(_), .. } | Fault::Start { node: Some(_), .. } => 10,
        }
    }
}

/// Whether a pod is on a node; on any, if there is no name.
fn runs_on(pod: &Pod, node: Option<&str>) -> bool {
    let on = pod.spec.as_ref().and_then(|s| s.node_name.as_deref()).unwrap_or_default();
    !on.is_empty() && node.is_none_or(|node| node == on)
}

/// Whether one of a pod's containers has an image, by the reference as it is written.
fn has_image(pod: &Pod, image: &str) -> bool {
    let Some(spec) = &pod.spec else { return false };
    let containers = spec.containers.iter().chain(spec.init_containers.iter().flatten());
    let mut images =
        containers.map(|c| &c.image).chain(spec.ephemeral_containers.iter().flatten().map(|c| &c.image));
    images.any(|i| i.as_deref() == Some(image))
}

/// The fault is not possible: nothing has that name, or it is in that state already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchFault;

impl std::fmt::Display for NoSuchFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("there is nothing of that name, or it is so already")
    }
}

impl std::error::Error for NoSuchFault {}

impl Cluster {
    /// Injects a fault.
    ///
    /// # Errors
    /// If nothing has that name, or it is in that state already. Then nothing has changed.
    pub fn fault(&mut self, fault: &Fault) -> Result<(), NoSuchFault> {
        self.fault_with_writes(fault).map(drop)
    }

    /// Injects a fault, and says what it has written: the objects of an addon.
    ///
    /// # Errors
    /// As [`Cluster::fault`].
    pub fn fault_with_writes(&mut self, fault: &Fault) -> Result<Vec<Write>, NoSuchFault> {
        let done = match fault {
            Fault::CoreDns { installed } => self.install_core_dns(*installed),
            Fault::IngressNginx { installed } => self.install_ingress_nginx(*installed),
            Fault::GatewayFabric { installed } => self.install_gateway_fabric(*installed),
            Fault::Wait { until } => self.wait(*until),
            other => self.inject(other).map(|()| Vec::new()),
        };
        // A machine that is down does not answer any more.
        self.network_changed |= done.is_ok();
        self.tell_network_readiness();
        self.settle_network();
        done
    }

    fn inject(&mut self, fault: &Fault) -> Result<(), NoSuchFault> {
        match fault {
            Fault::NodeDown { node } => self.set_running(node, false),
            Fault::NodeUp { node } => self.set_running(node, true),
            Fault::Restart { process, node } => self.restart(process, node.as_deref()),
            Fault::Compact => {
                if self.api.compact() {
                    Ok(())
                } else {
                    Err(NoSuchFault)
                }
            }
            Fault::Manifest { node, file, text } => self.set_manifest(node, file, text.as_deref()),
            Fault::MemberDown { member } => self.set_member(member, true),
            Fault::MemberUp { member } => self.set_member(member, false),
            Fault::Stop { process, node } => self.stop_or_start(process, node.as_deref(), true),
            Fault::Start { process, node } => self.stop_or_start(process, node.as_deref(), false),
            Fault::Replicate { process } => self.replicate(process),
            Fault::Kubelet { node, fault } => self.on_nodes(node.as_deref(), fault),
            Fault::CutWatches { process, node } => self.cut_watches(process, node.as_deref()),
            Fault::Controllers { process, controllers } => self.set_controllers(process, controllers),
            Fault::MetricsServer { installed } => self.install_metrics_server(*installed),
            Fault::CoreDns { installed } => self.install_core_dns(*installed).map(drop),
            Fault::IngressNginx { installed } => self.install_ingress_nginx(*installed).map(drop),
            Fault::GatewayFabric { installed } => self.install_gateway_fabric(*installed).map(drop),
            Fault::KubeProxy { mode } => self.install_kube_proxies(*mode),
            Fault::NetworkPlugin { plugin } => self.install_network_plugin(*plugin),
            Fault::Wait { until } => self.wait(*until).map(drop),
        }
    }

    /// Takes the actions that come before time passes, at most so many: news may be on its way that leads to no write.
    fn act_before_time_passes(
        &mut self,
        most: usize,
        mut each: impl FnMut(Transition),
    ) -> Result<(), StepError> {
        for _ in 0..most {
            let Some(action) = self.fair().filter(|action| *action != Action::Advance) else { break };
            each(self.act(&action)?);
        }
        Ok(())
    }

    /// The actions, at most so many, that [`Fault::Wait`] would take before time passes.
    pub fn actions_before_time_passes(&self, most: usize) -> Vec<Action> {
        let (mut after, mut all) = (self.clone(), Vec::new());
        // What has been taken until one is not possible has been taken.
        let _ = after.act_before_time_passes(most, |transition| all.push(transition.action));
        all
    }

    /// Lets time pass to a moment, in milliseconds since 1970, or to what is due before it. Returns what was written meanwhile by
    /// what nobody waits for: heartbeats, events.
    fn wait(&mut self, until: i64) -> Result<Vec<Write>, NoSuchFault> {
        let until = Timestamp::from_millisecond(until).map_err(|_| NoSuchFault)?;
        let mut after = self.clone();
        let mut writes = Vec::new();
        after
            .act_before_time_passes(ACTIONS_LIMIT, |transition| writes.extend(transition.writes))
            .map_err(|_| NoSuchFault)?;
        let clock = &after.clock;
        let due = [clock.next_or_scheduled(), clock.next_resync()].into_iter().flatten().min();
        let to = due.map_or(until, |due| due.min(until));
        if to < clock.now() || (to == clock.now() && due != Some(to)) {
            return Err(NoSuchFault);
        }
        after.advance_to(to);
        *self = after;
        Ok(writes)
    }

    /// The index of a process by its name, and for a kubelet or a kube-proxy by its node.
    pub(super) fn find_process(&self, name: &str, node: Option<&str>) -> Result<u32, NoSuchFault> {
        let is = |p: &Rc<Process>| &*p.name == name && p.node.as_deref() == node;
        let at = self.processes.iter().position(is).ok_or(NoSuchFault)?;
        u32::try_from(at).map_err(|_| NoSuchFault)
    }

    fn set_running(&mut self, node: &str, running: bool) -> Result<(), NoSuchFault> {
        let kubelet = self.find_process("kubelet", Some(node))?;
        self.process_mut(kubelet).filter(|p| p.running != running).ok_or(NoSuchFault)?;
        let proxy = self.find_process(kube_proxy::NAME, Some(node));
        for id in [kubelet].into_iter().chain(proxy) {
            if let Some(p) = self.process_mut(id) {
                p.running = running;
            }
            if running {
                self.ready.insert(id);
            } else {
                self.drop_watches(id);
                self.ready.remove(id);
            }
        }
        self.set_heartbeat(node, running);
        Ok(())
    }

    /// Says whether a node's heartbeats come in time. While they do, the deadlines that they put off
    /// ([`Wait::Watchdog`](crate::client::Wait::Watchdog)) are not met. Stopping and starting a kubelet
    /// calls this; a stand-in for a kubelet may call it.
    pub fn set_heartbeat(&mut self, node: &str, beats: bool) {
        let node = Rc::from(node);
        if beats {
            self.clock.revive(&node);
        } else {
            self.clock.silence(&node);
        }
    }

    fn restart(&mut self, process: &str, node: Option<&str>) -> Result<(), NoSuchFault> {
        let id = self.find_process(process, node)?;
        self.lose_memory(id).ok_or(NoSuchFault)?;
        self.ready.insert(id);
        if process == API_SERVER && self.api.serves() {
            self.set_serving(false);
            self.set_serving(true);
        }
        Ok(())
    }

    /// Removes what a process has in memory, its watches and its deadlines, as before its first start.
    pub(super) fn lose_memory(&mut self, id: u32) -> Option<()> {
        self.drop_watches(id);
        // The next start has another identity in an election, so no instance renews a lease of this one.
        if let Some(identity) = self.processes.get(id as usize).and_then(|p| p.identity()) {
            self.clock.silence(&identity);
        }
        let p = self.process_mut(id)?;
        // The returned watches were ended above.
        p.restart();
        let components = p.components.len();
        for component in 0..u16::try_from(components).unwrap_or(u16::MAX) {
            self.clock.forget(Actor { process: id, component });
        }
        Some(())
    }

    /// Stops a process of the control plane or the kube-proxy of a node, or starts a stopped one.
    pub(super) fn stop_or_start(
        &mut self,
        process: &str,
        node: Option<&str>,
        stop: bool,
    ) -> Result<(), NoSuchFault> {
        // A kubelet that stops is a node that is cut off.
        if node.is_some() && process != kube_proxy::NAME {
            return Err(NoSuchFault);
        }
        let id = self.find_process(process, node)?;
        if self.processes.get(id as usize).is_none_or(|p| p.running != stop) {
            return Err(NoSuchFault);
        }
        if stop {
            self.lose_memory(id).ok_or(NoSuchFault)?;
            self.ready.remove(id);
        } else {
            self.ready.insert(id);
        }
        if let Some(p) = self.process_mut(id) {
            p.running = !stop;
        }
        if process == API_SERVER {
            self.set_serving(!stop);
        }
        Ok(())
    }

    fn on_nodes(&mut self, node: Option<&str>, fault: &kubelet::KubeletFault) -> Result<(), NoSuchFault> {
        let kubelets: Vec<Actor> = self
            .actors()
            .filter(|a| {
                let p = self.processes.get(a.process as usize);
                p.and_then(|p| p.node.as_deref()).is_some_and(|n| node.is_none_or(|wanted| wanted == n))
            })
            .collect();
        let mut any = false;
        for actor in kubelets {
            any |= self.component_fault(actor, fault);
        }
        if any { Ok(()) } else { Err(NoSuchFault) }
    }

    fn cut_watches(&mut self, process: &str, node: Option<&str>) -> Result<(), NoSuchFault> {
        let id = self.find_process(process, node)?;
        self.drop_watches(id);
        self.ready.insert(id);
        Ok(())
    }

    /// Ends all watches of a process. Events that they had not delivered are lost.
    fn drop_watches(&mut self, id: u32) {
        let Some(p) = self.process_mut(id) else { return };
        let watches: Vec<_> = p.informers.iter_mut().filter_map(|n| n.watch.take()).collect();
        for w in watches {
            self.api.watches.remove(w);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    /// A pod on `node-1` with an image, an init container's image and a volume.
    #[test]
    fn faults_of_images_and_volumes_are_those_of_pods_that_have_them() {
        let pod: Pod = serde_json::from_value(json!({
            "metadata": {"name": "p", "namespace": "default"},
            "spec": {
                "nodeName": "node-1",
                "initContainers": [{"name": "i", "image": "team/init:1"}],
                "containers": [{"name": "c", "image": "team/app:1"}],
            },
        }))
        .unwrap();
        let at = ObjectRef::new(Kind::POD, "default", "p");
        let is_of = |node: Option<&str>, fault: KubeletFault| {
            let fault = Fault::Kubelet { node: node.map(str::to_owned), fault };
            fault.is_of(&at, Some(&pod), |_| vec!["v1".into()])
        };
        let image =
            |image: &str| KubeletFault::Image { image: image.into(), pullable: false, message: "".into() };
        let mount =
            |volume: &str| KubeletFault::Mount { volume: volume.into(), failing: true, message: "".into() };
        for of in [image("team/app:1"), image("team/init:1"), mount("v1")] {
            assert!(is_of(None, of.clone()) && is_of(Some("node-1"), of.clone()), "{of:?}");
            assert!(!is_of(Some("node-2"), of.clone()), "{of:?}");
        }
        assert!(!is_of(None, image("team/app:2")) && !is_of(None, mount("v2")));
        let node = ObjectRef::new(Kind::NODE, "", "node-1");
        let fault = Fault::Kubelet { node: None, fault: image("team/app:1") };
        assert!(!fault.is_of(&node, None, |_| Vec::new()));
    }
}
