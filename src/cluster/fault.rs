//! What a person or a test makes go wrong, as data, so that a run with faults can be repeated like any
//! other.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::Cluster;
use super::action::Actor;
use super::process::Process;
use crate::kubelet;

/// Something that goes wrong, or right again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Fault {
    /// A node is cut off: its kubelet cannot reach the API server any more. Containers on it go on
    /// running.
    NodeDown {
        /// The node.
        node: String,
    },
    /// A node that was cut off is back: its kubelet goes on where it was and catches up.
    NodeUp {
        /// The node.
        node: String,
    },
    /// A process crashes and starts anew: caches, queues, expectations and what was under way are
    /// lost, and everything is listed again.
    Restart {
        /// `kube-controller-manager`, `kube-scheduler`, or `kubelet` with its node.
        process: String,
        /// The node, for a kubelet.
        node: Option<String>,
    },
    /// Something goes wrong on a node: a container crashes, a probe fails, an image is gone.
    Kubelet {
        /// The node; all of them if there is none.
        node: Option<String>,
        /// What goes wrong.
        fault: kubelet::Fault,
    },
    /// etcd is compacted up to its last revision, as the API server does every five minutes: a watch
    /// that was cut before cannot go on where it was.
    Compact,
    /// A process of the control plane stops, or cannot be reached any more: what it has in memory is lost.
    Stop {
        /// `kube-controller-manager`, `kube-scheduler`, or of several instances `kube-scheduler-2`.
        process: String,
    },
    /// A process that was stopped starts again, with nothing in memory.
    Start {
        /// The process.
        process: String,
    },
    /// One more instance of a process starts. From then on one of them leads and the others wait.
    Replicate {
        /// `kube-controller-manager` or `kube-scheduler`.
        process: String,
    },
    /// A member of etcd is lost: the other members cannot reach it any more.
    MemberDown {
        /// `etcd-1` and on.
        member: String,
    },
    /// A member of etcd that was lost is back, with the entries it had.
    MemberUp {
        /// The member.
        member: String,
    },
    /// All watches of a process are cut; each goes on from the revision it has seen.
    CutWatches {
        /// The process.
        process: String,
        /// The node, for a kubelet.
        node: Option<String>,
    },
    /// Components of a process are switched off or on. One that is switched off loses what it has in
    /// memory; one that is switched on starts with nothing in memory.
    Controllers {
        /// The process, as `kube-controller-manager`.
        process: String,
        /// The value of `--controllers`: `*,-deployment`.
        controllers: String,
    },
}

impl Fault {
    /// The first version of links that knows this fault, counted from 0.
    pub fn since(&self) -> usize {
        match self {
            Fault::NodeDown { .. }
            | Fault::NodeUp { .. }
            | Fault::Restart { .. }
            | Fault::Kubelet { .. }
            | Fault::CutWatches { .. } => 0,
            Fault::MemberDown { .. }
            | Fault::MemberUp { .. }
            | Fault::Compact
            | Fault::Stop { .. }
            | Fault::Start { .. }
            | Fault::Replicate { .. } => 1,
            Fault::Controllers { .. } => 2,
        }
    }
}

/// A fault that could not happen: there is nothing of that name, or it is so already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchFault;

impl std::fmt::Display for NoSuchFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("there is nothing of that name, or it is so already")
    }
}

impl std::error::Error for NoSuchFault {}

impl Cluster {
    /// Makes something go wrong.
    ///
    /// # Errors
    /// If there is nothing of that name, or it is so already; then nothing has changed.
    pub fn fault(&mut self, fault: &Fault) -> Result<(), NoSuchFault> {
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
            Fault::MemberDown { member } => self.set_member(member, true),
            Fault::MemberUp { member } => self.set_member(member, false),
            Fault::Stop { process } => self.stop_or_start(process, true),
            Fault::Start { process } => self.stop_or_start(process, false),
            Fault::Replicate { process } => self.replicate(process),
            Fault::Kubelet { node, fault } => self.on_nodes(node.as_deref(), fault),
            Fault::CutWatches { process, node } => self.cut_watches(process, node.as_deref()),
            Fault::Controllers { process, controllers } => self.set_controllers(process, controllers),
        }
    }

    /// The process of a name, and for a kubelet of a node.
    pub(super) fn find_process(&self, name: &str, node: Option<&str>) -> Result<u32, NoSuchFault> {
        let is = |p: &Rc<Process>| &*p.name == name && p.node.as_deref() == node;
        let at = self.processes.iter().position(is).ok_or(NoSuchFault)?;
        u32::try_from(at).map_err(|_| NoSuchFault)
    }

    fn set_running(&mut self, node: &str, running: bool) -> Result<(), NoSuchFault> {
        let id = self.find_process("kubelet", Some(node))?;
        let p = self.process_mut(id).filter(|p| p.running != running).ok_or(NoSuchFault)?;
        p.running = running;
        if running {
            self.ready.insert(id);
        } else {
            self.drop_watches(id);
            self.ready.remove(id);
        }
        self.set_heartbeat(node, running);
        Ok(())
    }

    /// Says whether a node's heartbeats come in time. While they do, the deadlines that they put off
    /// ([`Wait::Watchdog`](crate::client::Wait::Watchdog)) are not met. A kubelet that is stopped or started
    /// says so by itself; a stand-in for a kubelet may call this.
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
        Ok(())
    }

    /// A process loses its memory, its watches and its deadlines, as if it had not started yet.
    pub(super) fn lose_memory(&mut self, id: u32) -> Option<()> {
        self.drop_watches(id);
        // Its next start has another identity in an election: nobody renews a lease of this one.
        if let Some(identity) = self.processes.get(id as usize).and_then(|p| p.identity()) {
            self.clock.silence(&identity);
        }
        let p = self.process_mut(id)?;
        // Its watches have been ended.
        p.restart();
        let components = p.components.len();
        for component in 0..u16::try_from(components).unwrap_or(u16::MAX) {
            self.clock.forget(Actor { process: id, component });
        }
        Some(())
    }

    /// A process of the control plane stops, with all it remembers, or starts again.
    fn stop_or_start(&mut self, process: &str, stop: bool) -> Result<(), NoSuchFault> {
        let id = self.find_process(process, None)?;
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
        Ok(())
    }

    fn on_nodes(&mut self, node: Option<&str>, fault: &kubelet::Fault) -> Result<(), NoSuchFault> {
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

    /// Ends all watches of a process; events on their way to it are lost.
    fn drop_watches(&mut self, id: u32) {
        let Some(p) = self.process_mut(id) else { return };
        let watches: Vec<_> = p.informers.iter_mut().filter_map(|n| n.watch.take()).collect();
        for w in watches {
            self.api.watches.remove(w);
        }
    }
}
