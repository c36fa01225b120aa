//! The kubelets of a cluster, as its API server reaches them.

use std::rc::Rc;

use super::process::Process;
use crate::api::persistent::Vector;
use crate::api::{Key, Timestamp};
use crate::apimachinery::{ContainerLog, KubeletError, LogOptions, LogPlace};
use crate::apiserver::Kubelets;
use crate::kubelet;

/// The nodes of a cluster: those of its processes that are kubelets and run.
pub(super) struct Nodes<'a>(pub(super) &'a Vector<Rc<Process>>);

impl Kubelets for Nodes<'_> {
    fn log(
        &self,
        node: &str,
        pod: &Key,
        options: &LogOptions,
        from: Option<&LogPlace>,
        now: Timestamp,
    ) -> Result<ContainerLog, KubeletError> {
        let process = self.0.iter().find(|p| p.node.as_deref() == Some(node) && p.running);
        let states = process.into_iter().flat_map(|p| &p.components);
        let state = states.filter_map(|c| c.state().downcast_ref::<kubelet::State>()).next();
        kubelet::container_log(state.ok_or(KubeletError::Unreachable)?, pod, options, from, now)
    }
}
