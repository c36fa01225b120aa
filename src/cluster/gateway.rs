//! The controller of Gateways: the definitions of the Gateway API and its own objects are installed, its process starts, and the nginx
//! that it tells open their ports. What becomes of requests that come to these stands in `passing`.

use std::rc::Rc;

use super::Cluster;
use super::action::{Action, Actor};
use super::fault::NoSuchFault;
use super::process::Process;
use crate::api::{Key, Kind, ObjectRef};
use crate::apiserver::Write;
use crate::gateway_fabric::{self, State};
use crate::kubelet::{self, Opened};
use crate::network::gateway::objects::{GROUP, OWN_GROUP};

/// The name of the process of the controller of Gateways.
pub const GATEWAY_FABRIC: &str = gateway_fabric::NAME;

/// The definitions of the Gateway API, and those of the controller's own kinds.
pub const DEFINITIONS: &str = include_str!("../../static/addons/gateway-api.yaml");

/// The objects of the addon: the manifest of NGINX Gateway Fabric for clusters without a cloud.
pub const MANIFEST: &str = include_str!("../../static/addons/nginx-gateway-fabric.yaml");

/// Who installs it.
const USER: &str = "kubernetes-admin";

/// The most actions in which kube-apiserver establishes the definitions.
const ACTIONS_LIMIT: usize = 10_000;

impl Cluster {
    /// Whether NGINX Gateway Fabric is installed: whether there is its Deployment.
    pub fn has_gateway_fabric(&self) -> bool {
        self.api.cached(&ObjectRef::new(Kind::DEPLOYMENT, "nginx-gateway", "nginx-gateway")).is_some()
    }

    /// Creates the objects of NGINX Gateway Fabric, or deletes them. Those that are there already stay as they are. The definitions come
    /// first, and whoever installs them waits until they are established, as `kubectl wait` and Helm do; they stay when the rest is
    /// deleted, and with them all Gateways and routes.
    pub(super) fn install_gateway_fabric(&mut self, installed: bool) -> Result<Vec<Write>, NoSuchFault> {
        if installed == self.has_gateway_fabric() {
            return Err(NoSuchFault);
        }
        if !installed {
            return self.install(MANIFEST, USER, false);
        }
        let before = self.clone();
        let mut writes = self.install(DEFINITIONS, USER, true)?;
        writes.extend(self.establish());
        match self.install(MANIFEST, USER, true) {
            Ok(more) => {
                writes.extend(more);
                Ok(writes)
            }
            Err(why) => {
                *self = before;
                Err(why)
            }
        }
    }

    /// Lets kube-apiserver do what it can do without time passing. Returns what it writes.
    fn establish(&mut self) -> Vec<Write> {
        let (turn, due) = (self.turn, self.due.clone());
        let servers =
            self.actors().filter(|a| self.process(a.process).is_some_and(|p| &*p.name == "kube-apiserver"));
        let servers: Vec<Actor> = servers.collect();
        let mut writes = Vec::new();
        for _ in 0..ACTIONS_LIMIT {
            let action = servers.iter().find_map(|actor| self.next_for(*actor));
            let Some(action) = action.filter(|a| *a != Action::Advance) else { break };
            let Ok(transition) = self.act(&action) else { break };
            writes.extend(transition.writes);
        }
        (self.turn, self.due) = (turn, due);
        writes
    }

    /// Starts the process of the controller when there is a class for it. Without a pod it has nothing to do.
    pub(super) fn notice_gateway_classes(&mut self, writes: &[Write]) {
        let is_class = |w: &&Write| {
            let kind = w.object.kind;
            kind.is_custom() && kind.plural() == "gatewayclasses" && kind.group() == GROUP
        };
        let is_ours = |w: &Write| {
            let fields = w.next.as_ref().and_then(|o| o.custom()).map(|o| o.fields());
            let name = fields.and_then(|f| f.get("spec")?.get("controllerName")?.as_str());
            name.and_then(|n| n.split_once('/')).is_some_and(|(domain, _)| domain == OWN_GROUP)
        };
        if writes.iter().filter(is_class).any(is_ours) && self.find_process(GATEWAY_FABRIC, None).is_err() {
            let mut process = Process::new(GATEWAY_FABRIC, None, gateway_fabric::components());
            process.program = None;
            self.add_process(process);
        }
    }

    /// What the controller of Gateways remembers; `None` if its process has never been started.
    pub fn gateway_controller(&self) -> Option<&State> {
        self.processes().find_map(state)
    }

    /// Lets the kubelets know which ports the nginx of Gateways have opened, when their controller says that it has told one of them.
    pub(super) fn open_ports(&mut self, teller: Actor) {
        let Some(state) = self.process(teller.process).and_then(state) else { return };
        let told = state.instances.iter().filter_map(|(pod, i)| {
            let ports = i.running.as_ref()?.open_ports();
            Some((pod.clone(), i.uid.clone(), ports.into_iter().collect::<Rc<[u16]>>()))
        });
        let told: Vec<(Key, Rc<str>, Rc<[u16]>)> = told.collect();
        for (pod, uid, ports) in told {
            let knows = |actor: &Actor| {
                let process = self.processes.get(actor.process as usize)?;
                let component = process.components.get(usize::from(actor.component))?;
                let state = component.state().downcast_ref::<kubelet::State>()?;
                state.pods.contains_key(&pod).then(|| *state.opened(&pod, &uid) == *ports)
            };
            let kubelet = self.actors().find(|actor| knows(actor) == Some(false));
            if let Some(kubelet) = kubelet {
                self.component_fault(
                    kubelet,
                    &Opened { pod: pod.clone(), uid: uid.clone(), ports: ports.clone() },
                );
            }
        }
    }
}

/// What the controller of Gateways of a process remembers; `None` if it is another process.
pub(super) fn state(process: &Process) -> Option<&State> {
    let process = Some(process).filter(|p| &*p.name == GATEWAY_FABRIC)?;
    process.components.iter().find_map(|c| c.state().downcast_ref::<State>())
}
