//! The ingress controller of a cluster: its objects are installed, and its process starts. What becomes of requests that come to one
//! of its pods stands in `passing`.

use super::Cluster;
use super::fault::NoSuchFault;
use super::process::Process;
use crate::api::types::IngressClass;
use crate::api::{Kind, ObjectRef};
use crate::apiserver::Write;
use crate::ingress_nginx::{self, State};
use crate::network::ingress::class::CONTROLLER;

/// The name of the ingress controller's process.
pub const INGRESS_NGINX: &str = ingress_nginx::NAME;

/// The objects of the addon: the manifest of ingress-nginx for clusters without a cloud, without its webhook.
pub const MANIFEST: &str = include_str!("../../static/addons/ingress-nginx.yaml");

impl Cluster {
    /// Whether ingress-nginx is installed: whether there is its Deployment.
    pub fn has_ingress_nginx(&self) -> bool {
        let at = ObjectRef::new(Kind::DEPLOYMENT, "ingress-nginx", "ingress-nginx-controller");
        self.api.cached(&at).is_some()
    }

    /// Creates the objects of ingress-nginx, or deletes them. Those that are there already stay as they are.
    pub(super) fn install_ingress_nginx(&mut self, installed: bool) -> Result<Vec<Write>, NoSuchFault> {
        if installed == self.has_ingress_nginx() {
            return Err(NoSuchFault);
        }
        self.install(MANIFEST, "kubernetes-admin", installed)
    }

    /// Starts the process of ingress-nginx when there is a class for it. Without a pod it has nothing to do.
    pub(super) fn notice_ingress_classes(&mut self, writes: &[Write]) {
        let is_ours = |w: &Write| {
            let class = w.next.as_ref().and_then(|o| o.get::<IngressClass>());
            let spec = class.and_then(|c| c.spec.as_ref());
            spec.and_then(|s| s.controller.as_deref()) == Some(CONTROLLER)
        };
        let mut classes = writes.iter().filter(|w| w.object.kind == Kind::INGRESS_CLASS);
        if classes.any(is_ours) && self.find_process(ingress_nginx::NAME, None).is_err() {
            let mut process = Process::new(ingress_nginx::NAME, None, ingress_nginx::components());
            process.program = None;
            self.add_process(process);
        }
    }

    /// What the ingress controller remembers; `None` if its process has never been started.
    pub fn ingress_controller(&self) -> Option<&State> {
        self.processes().find_map(state)
    }
}

/// What the ingress controller of a process remembers; `None` if it is another process.
pub(super) fn state(process: &Process) -> Option<&State> {
    let process = Some(process).filter(|p| &*p.name == ingress_nginx::NAME)?;
    process.components.iter().find_map(|c| c.state().downcast_ref::<State>())
}
